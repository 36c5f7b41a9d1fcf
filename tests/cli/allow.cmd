# What a folder of templates may read: its own files and those of the working directory, but nothing of its reader's
# elsewhere, by whatever word it is asked for. `secret` stands for that; none of its words may be shown.
mkdir -p secret work/k/copied work/k/common
echo 'extern "C" __global__ void copied(float *y, const float *x, int n) { owned }' >secret/s.cu
echo 'common leaked owned' >secret/leaked.cuh
printf '\223NUMPY owned' >secret/s.npy
mkfifo work/k/copied/pipe.npy
cd work || exit 1
cat >copied.cu <<'END'
extern "C" __global__ void copied(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
END
write_op() { # INPUT REFERENCE
  cat >k/copied/op.cu <<END
/*!autotune
op        copied
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input $1
arg       n i32
reference $2
grid      ceil_div(n, 256)
block     256
traffic   2 * n * sizeof(T)
*/
extern "C" __global__ void copied_reference(T *y, const T *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
END
}
write_template() { # LINE... CODE
  printf '/*!autotune\ntemplate plain\n%s\nkernel copied\ngrid ceil_div(n, 256)\nblock 256\n*/\n%s\n' "$1" "$2" >k/copied/plain.cu
}
write_op 'uniform -1 1' copied_reference

# The guide's way: the kernel stays in the project that the user is in.
write_template 'source ../../copied.cu' ''
at list copied --templates k
# From elsewhere it is outside, unless the user says that it may be read: by option, variable, or as headers.
cd ../secret || exit 1
at list copied --templates ../work/k
at list copied --templates ../work/k --allow ../work | tail -n 3
AUTOTUNE_ALLOW=../work at list copied --templates ../work/k | tail -n 3
at list copied --templates ../work/k --headers ../work | tail -n 3
at list copied --templates ../work/k --allow ../none
cd ../work || exit 1

# Each word that names a file or a folder.
ln -s ../../../secret/s.cu k/copied/link.h
for line in 'source ../../../secret/s.cu' "source $PWD/../secret/s.cu" 'source ../../..' 'source link.h' \
    'include ../../../secret' 'include /'; do
  write_template "$line"$'\nsource ../../copied.cu' ''
  at list copied --templates k 2>&1 | grep -E 'warning|owned'
done
rm k/copied/link.h
ln -s ../../../secret/s.cu k/common/link.h
for name in ../../../secret/s.cu "$PWD/../secret/s.cu" ../common/link.h; do
  write_template 'source ../../copied.cu' "#include \"$name\""
  at check copied --templates k 2>&1 | grep -m1 -E 'warning|owned|include of'
done
rm k/common/link.h
write_template 'source ../../copied.cu' ''
# Common code, and a template itself, that are links.
ln -s ../../../secret/leaked.cuh k/common/leaked.cuh
at list copied --templates k
rm k/common/leaked.cuh
ln -s ../../../secret/s.cu k/copied/more.cu
at list copied --templates k
rm k/copied/more.cu
# Arrays.
write_op 'file "../../../secret/s.npy"' copied_reference
at list copied --templates k
write_op 'uniform -1 1' 'file "../../../secret/s.npy"'
at list copied --templates k
# A pipe that nobody writes into is refused, and not waited for.
write_op 'file "pipe.npy"' copied_reference
at list copied --templates k
# One that is not there is told when it is needed.
write_op 'file "none.npy"' copied_reference
at list copied --templates k | tail -n 3
at check copied 1000 --execute --templates k
