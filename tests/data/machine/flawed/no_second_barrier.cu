/*!autotune
template  no_second_barrier
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Of two rounds the second writes while others still read the first. */
extern "C" __global__ void flawed_no_second_barrier(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    for (int round = 0; round < 2; round++) {
        tile[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = tile[255 - threadIdx.x] + round * 0;
    }
}
