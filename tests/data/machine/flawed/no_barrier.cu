/*!autotune
template  no_barrier
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* The barrier between the write and the read is missing. */
extern "C" __global__ void flawed_no_barrier(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    out[i] = tile[255 - threadIdx.x];
}
