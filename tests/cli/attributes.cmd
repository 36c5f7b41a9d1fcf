# Launches with attributes, and targets, as far as they are known without a device.
need_nvrtc --arch sm_90a # of CUDA 12
mkdir -p dir/wave src
cat >dir/wave/op.cu <<'END'
/*!autotune
op wave
shape n
type T = f32
arg y T[n] output
arg x T[n] input uniform -1 1
arg n i32
reference wave_reference
grid ceil_div(n, 256)
block 256
check exact
traffic 8 * n
*/
extern "C" __global__ void wave_reference(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
END
template() { printf '/*!autotune\ntemplate t\nsource ../../src/k.cu\nkernel f\n%s\n*/\n' "$1" >dir/wave/t.cu; }
check() { at check wave --only t --templates dir --jobs 1 --sample 0 "$@"; }
cat >src/k.cu <<'END'
#include <cooperative_groups.h>
__global__ void f(float *y, const float *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = 0;
    cooperative_groups::this_grid().sync();
    if (i < n)
        y[i] = x[i];
}
END
# A kernel that waits for its grid: not without the line, and not with more blocks than are resident at once.
template $'grid ceil_div(n, 256)\nblock 256'
check --shape 4096
template $'grid ceil_div(n, 256)\nblock 256\ncooperative'
check --shape 4096
check --shape 1000003
at check --execute wave 1000 f32 --only t --templates dir | sed -E 's/PTX:[0-9:]+/PTX/; s/source line [0-9]+/source line N/'
# Clusters divide the grid, and came with 9.0.
printf '__global__ void f(float *y, const float *x, int n)\n{\n    const int i = blockIdx.x * 256 + threadIdx.x;\n    if (i < n)\n        y[i] = x[i];\n}\n' >src/k.cu
template $'param C = 1 2 32\ngrid ceil_div(n, 256)\nblock 256\ncluster C'
check --shape 8192
check --shape 256
check --shape 8192 --arch sm_80
at check --execute wave 8192 f32 --only t --templates dir
# What one architecture alone has.
printf '__global__ void f(float *y, const float *x, int n)\n{\n    asm volatile("wgmma.fence.sync.aligned;");\n    const int i = blockIdx.x * 256 + threadIdx.x;\n    if (i < n)\n        y[i] = x[i];\n}\n' >src/k.cu
template $'grid ceil_div(n, 256)\nblock 256'
check --shape 8192
template $'grid ceil_div(n, 256)\nblock 256\ntarget sm_90a'
check --shape 8192 --arch sm_90,sm_80
check --shape 8192 --arch sm_80a
# Textures are nothing that is made here.
printf '__global__ void f(float *y, cudaTextureObject_t x, int n)\n{\n    const int i = blockIdx.x * 256 + threadIdx.x;\n    if (i < n)\n        y[i] = tex1Dfetch<float>(x, i);\n}\n' >src/k.cu
template $'grid ceil_div(n, 256)\nblock 256'
check --shape 8192
