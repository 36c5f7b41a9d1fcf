/*!autotune
template  good
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Nothing is wrong with it. */
extern "C" __global__ void flawed_good(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[255 - threadIdx.x];
}
