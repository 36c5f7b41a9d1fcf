# What cannot be written is told, and what was there before stays. A file that may not grow stands for a full disk.
[[ -c /dev/full ]] || skip "there is no /dev/full here"
fixture a.db
"$AUTOTUNE" merge --quiet b.db a.db # needs no files beside it to be read
at dump --db b.db -o good.jsonl
at export 4096x4096 --db b.db -o good.cu
cp good.jsonl before.jsonl && cp good.cu before.cu && chmod 640 good.jsonl
(ulimit -f 1; at dump --db b.db -o good.jsonl)
(ulimit -f 1; at dump --db b.db -o new.jsonl)
(ulimit -f 1; at export 4096x4096 --db b.db -o good.cu)
(ulimit -f 20; at merge new.db b.db)
cmp good.jsonl before.jsonl && cmp good.cu before.cu && stat -c %A good.jsonl && ls good* new*
at dump --db b.db -o /dev/full
at export 4096x4096 --db b.db -o /dev/full
at tune --device replay:a.db 4096x4096 f32 --db r.db --trace /dev/full --quiet
# Whatever goes to stdout.
full() { printf '$ autotune %s >/dev/full\n' "$*"; "$AUTOTUNE" "$@" 2>&1 >/dev/full </dev/null; printf '[exit %d]\n' $?; }
full dump --db b.db
full dump --db b.db --format t4
full dump --db b.db -o -
full dump --db b.db -o /dev/stdout
full export 4096x4096 --db b.db
full query 4096x4096 --db b.db
full show 4096x4096 --db b.db
full report --db b.db
full tune --device replay:a.db 4096x4096 f32 --db r.db --quiet
full list ops
full --help
full merge --help
full --version
# Nor is it lost in a file that took the place of a closed stdout or stderr.
"$AUTOTUNE" list ops 2>&1 >&-; echo "[exit $?]"
"$AUTOTUNE" dump --db b.db -o good.jsonl >&- 2>&- && cmp good.jsonl before.jsonl && echo same
"$AUTOTUNE" tune --device replay:a.db 4096x4096 f32 --db r.db --trace t.json --force >&- 2>&-; echo "[exit $?]"; sqlite3 :memory: "select json_valid(readfile('t.json'))"
# Stdout by other names: nothing is replaced.
{ echo head; "$AUTOTUNE" dump --db b.db -o /dev/stdout; echo tail; } >mixed && sed '1d;$d' mixed | cmp before.jsonl - && echo same
