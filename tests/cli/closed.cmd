# What takes the output: nothing, a full disk, a file that may not grow, somebody who stops reading.
told() { printf '$ autotune %s\n' "$1"; }
told 'list strategies >&-'
"$AUTOTUNE" list strategies 2>told.err >&-
echo "[exit $?]"
cat told.err
told 'query 4096x4096 f32 --shapes - <&-'
fixture fixture.db
"$AUTOTUNE" query 4096x4096 f32 --db fixture.db <&- >told.out 2>told.err
echo "[exit $?]"
grep -c . told.out
told 'list ops 2>&- >&-'
"$AUTOTUNE" list ops 2>&- >&-
echo "[exit $?]"
told 'list ops >/dev/full'
"$AUTOTUNE" list ops 2>told.err >/dev/full
echo "[exit $?]"
cat told.err
told 'list ops >limited'
(
  ulimit -f 0
  "$AUTOTUNE" list ops 2>&1 >limited
  echo "[exit $?]"
) | cat
told 'import scale_cache.json --db limited.db'
(
  ulimit -f 16
  "$AUTOTUNE" import "$DATA/import/scale_cache.json" --db limited.db 2>&1
  echo "[exit $?]"
) | cat
# A pipe whose reader has closed it before anything was written.
mkfifo pipe
exec 9<>pipe 8>pipe 9<&-
told 'list | head -0'
"$AUTOTUNE" list ops 2>told.err >&8
echo "[exit $?]"
cat told.err
told 'dump | head -0'
"$AUTOTUNE" dump --db fixture.db 2>told.err >&8
echo "[exit $?]"
cat told.err
exec 8>&-
