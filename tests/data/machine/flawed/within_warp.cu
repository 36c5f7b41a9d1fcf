/*!autotune
template  within_warp
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Lanes of one warp look at what others wrote, and nothing orders them. */
extern "C" __global__ void flawed_within_warp(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x ^ 31] = in[i];
    const T turned = tile[threadIdx.x];
    __syncthreads();
    tile[threadIdx.x] = turned;
    __syncthreads();
    out[i] = tile[(255 - threadIdx.x) ^ 31];
}
