/*!autotune
template  race_of_writes
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Two threads write different values to one word. */
extern "C" __global__ void flawed_race_of_writes(T *out, T *in, int n)
{
    __shared__ T tile[256];
    __shared__ int last;
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    last = threadIdx.x / 32;
    __syncthreads();
    out[i] = tile[255 - threadIdx.x] + (last > 100 ? 1 : 0);
}
