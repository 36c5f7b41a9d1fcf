# A file that is a part of a program: its kernel is drafted from the file that includes it, which launches it.
need_nvrtc
mkdir src
cat >src/main.cu <<'PROGRAM'
#include <cstdio>
#define BLOCK_SIZE 64
typedef float real;
#include "kernels.cu"
int main()
{
    int n = 1000;
    real *y, *x;
    cudaMalloc(&y, n * sizeof(real));
    cudaMalloc(&x, n * sizeof(real));
    run(y, x, n);
    std::printf("%d\n", cudaDeviceSynchronize());
}
void run(real *y, real *x, int n) { twice<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(y, x, n); }
PROGRAM
printf '#include "./parts/twice.cu"\n' >src/kernels.cu
mkdir src/parts
cat >src/parts/twice.cu <<'PART'
// of main.cu
__global__ void twice(real *y, const real *x, int n)
{
    __shared__ real s[BLOCK_SIZE];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = x[i];
        y[i] = 2 * s[threadIdx.x];
    }
}
PART
at adopt src/parts/twice.cu -o templates
cat templates/twice/op.cu templates/twice/adopted.cu
at check twice --execute --shape 1000 --templates templates
# One whose includer does not launch it, and that needs nothing of that, is drafted by itself.
printf '__global__ void alone(float *y, int n) { int i = threadIdx.x; if (i < n) y[i] = 1; }\n' >src/parts/alone.cu
printf '#include "parts/alone.cu"\nint main() { other<<<1, 1>>>(); }\n' >src/two.cu
at adopt src/parts/alone.cu -o templates
grep '^source' templates/alone/adopted.cu
# One that launches its kernels itself needs what stands before it in the program all the same.
printf 'typedef float number;\n#include "parts/own.cu"\nint main() { own_run(0, 1); }\n' >src/three.cu
printf '__global__ void own(number *y, int n) { int i = threadIdx.x; if (i < n) y[i] = 1; }\nvoid own_run(number *y, int n) { own<<<1, 64>>>(y, n); }\n' >src/parts/own.cu
at adopt src/parts/own.cu -o templates
grep '^grid' templates/own/adopted.cu
# Its launch in another file of the folder, which has no kernel of that name, or one that is not understood.
mkdir apart
printf '__global__ void far(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }\n' >apart/far.cu
printf '__global__ void far(int *y) { *y = 1; }\nvoid f() { far<<<7, 32>>>(0); }\n' >apart/a.cu
printf 'void far(float *, int);\n\nvoid f(float *y, int n) { far<<<(n + 127) / 128, 128>>>(y, n); }\n' >apart/b.cpp
at adopt apart/far.cu -o templates
grep -E '^(source|default|grid)' templates/far/adopted.cu
at check far --execute --shape 1000 --templates templates
# Or in the folder above, without what has a default; one with other arguments is of another kernel.
mkdir apart/kernels
printf 'void h(float *y) { deep<<<9, 9>>>(y); }\n' >apart/b0.cpp
printf '__global__ void deep(float *y, int n, int add = 1) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = n + add; }\n' >apart/kernels/deep.cu
printf 'void h(float *y, int n) { deep<<<(n + 63) / 64, 64>>>(y, n); }\n' >apart/d.cpp
at adopt apart/kernels/deep.cu -o templates
grep -E '^(source|grid)' templates/deep/adopted.cu
printf '__global__ void odd(float *y, int n) { int i = threadIdx.x; if (i < n) y[i] = 1; }\n' >apart/odd.cu
printf 'void g(float *y) { odd<<<>>>(y); }\n' >apart/c.cpp
at adopt apart/odd.cu -o templates
# Folders with blanks in their names.
mkdir 'a part' 'a part/of it'
printf '#include "my head.h"\n__global__ void far(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = ONE; }\n' >'a part/far.cu'
printf '#define ONE 1\n' >'a part/my head.h'
at adopt 'a part/far.cu' -o 'more templates'
grep source 'more templates/far/adopted.cu'
at check far --execute --shape 100 --templates 'more templates'
