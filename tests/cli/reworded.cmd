# Kernels whose comments and indents changed keep what was measured of them, also from before their names were of
# what they mean; one whose code changed does not.
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
fixture store.db
reword() { sed -e 's,^ *\(for\|if\) ,\t\1 /* reworded */  ,' -e 's/^param  */param    /' -e '$a // the end'; }
ask() { at query 4096x4096 --db store.db --exact "$@" | grep -E '^[$] |template|configuration|exit|autotune:'; }
mkdir -p same/transpose other/transpose
reword <"$DATA/../../templates/transpose/tile_rows.cu" >same/transpose/tile_rows.cu
sed '$a __device__ int more;' same/transpose/tile_rows.cu >other/transpose/tile_rows.cu
cmp -s same/transpose/tile_rows.cu "$DATA/../../templates/transpose/tile_rows.cu" || echo 'the text is another'
ask --templates same
ask --templates other

# As version 5 of the schema had it: under the text's hash.
text=$(sqlite3 store.db "SELECT text_hash FROM template_text")
sqlite3 store.db "UPDATE template SET hash = '$text'; DROP TABLE template_text; PRAGMA user_version = 5"
ask
ask --templates same
echo 'whoever writes into it brings it forward'
at merge store.db store.db
ask --templates same
