/*!autotune
template  stale
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Reads what its block has just written by ld.global.nc, which promises that nobody writes there. */
extern "C" __global__ void flawed_stale(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    T value;
    out[i] = in[i];
    __syncthreads();
    asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(out + (i ^ 255)) : "memory");
    __syncthreads();
    out[i] = value;
}
