# What an exported file depends on, as make reads it: the program, the op, its templates, what they include and the arrays.
fixture store.db
at export 4096x4096 --db store.db -o t.cu --depfile t.d
sed "s,$(readlink -f "$AUTOTUNE"),PROGRAM," t.d
mkdir -p folder/transpose
printf '/*!autotune\ntemplate plain\nkernel plain\ngrid 1\nblock 32\nsource ../../code\n*/\n' >'folder/transpose/#1.cu'
printf '#include "inner"\nextern "C" __global__ void plain(T *out, const T *in) { }\n' >code
printf '#define INNER\n' >inner
at export 4096x4096 --db store.db --templates folder -o t.cu --depfile 't.d'
sed "s,$(readlink -f "$AUTOTUNE"),PROGRAM,; s,$PWD,HERE," t.d
# There must be a file that depends on something, and what is read is not overwritten.
at export 4096x4096 --db store.db --depfile t.d
at export 4096x4096 --db store.db -o t.cu --depfile store.db
at export 4096x4096 --db store.db --templates folder -o t.cu --depfile 'folder/transpose/#1.cu'
at export 4096x4096 --db store.db -o t.cu --depfile ./t.cu
