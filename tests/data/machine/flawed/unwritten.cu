/*!autotune
template  unwritten
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* A word of shared memory that nobody writes. */
extern "C" __global__ void flawed_unwritten(T *out, T *in, int n)
{
    __shared__ T tile[257];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[255 - threadIdx.x] + (i == 300 ? tile[256] : 0);
}
