/*!autotune
template  diverges
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Half of the threads wait at a barrier of their own. */
extern "C" __global__ void flawed_diverges(T *out, T *in, int n)
{
    __shared__ T tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (threadIdx.x < 128)
        __syncthreads();
    else
        return;
    out[i] = tile[255 - threadIdx.x];
}
