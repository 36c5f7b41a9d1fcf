/*!autotune
template  writes_before
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* The first thread writes one element before the begin. */
extern "C" __global__ void flawed_writes_before(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i - 1] = 0;
    out[i] = in[i ^ 255];
}
