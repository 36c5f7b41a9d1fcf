/*!autotune
template  diverges
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Odd lanes wait at a barrier of their own, within each warp. */
extern "C" __global__ void flawed_diverges(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (threadIdx.x % 2)
        __syncthreads();
    const T mine = threadIdx.x % 2 ? tile[255 - threadIdx.x] : in[i ^ 255];
    __syncthreads();
    out[i] = mine;
}
