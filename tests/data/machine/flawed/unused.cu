/*!autotune
template  unused
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Nothing is wrong with it: a word that nobody writes is read, and nothing depends on it. */
extern "C" __global__ void flawed_unused(T *out, T *in, int n)
{
    __shared__ T tile[257];
    const int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[255 - threadIdx.x];
    const T more = ((volatile T *)tile)[i % 256 + 1];
    if (i == 1 << 30)
        out[i] = more;
}
