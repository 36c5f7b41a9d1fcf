/*!autotune
template  incomplete
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* One element is not written. */
extern "C" __global__ void flawed_incomplete(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i != 200)
        out[i] = in[i ^ 255];
}
