/*!autotune
template  writes_input
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* It writes what it may only read. */
extern "C" __global__ void flawed_writes_input(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const T mine = in[i ^ 255];
    if (i == 3)
        in[n - 1] = 1;
    out[i] = mine;
}
