/*!autotune
template  wrong
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* One element is wrong. */
extern "C" __global__ void flawed_wrong(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i ^ 255] + (i == 77 ? 1 : 0);
}
