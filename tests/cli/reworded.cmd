# Kernels whose comments and indents changed keep what was measured of them; one whose code changed does not.
fixture store.db
reword() { sed -e 's,^ *\(for\|if\) ,\t\1 /* reworded */  ,' -e 's/^param  */param    /' -e '$a // the end'; }
ask() { at query 4096x4096 --db store.db --exact "$@" | grep -E '^[$] |template|configuration|exit|autotune:'; }
mkdir -p same/transpose other/transpose
reword <"$DATA/../../templates/transpose/tile_rows.cu" >same/transpose/tile_rows.cu
sed '$a __device__ int more;' same/transpose/tile_rows.cu >other/transpose/tile_rows.cu
cmp -s same/transpose/tile_rows.cu "$DATA/../../templates/transpose/tile_rows.cu" || echo 'the text is another'
ask --templates same
ask --templates other
