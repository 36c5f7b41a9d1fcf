/*!autotune
template  forever
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* A loop that does not end. */
extern "C" __global__ void flawed_forever(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    while (*(volatile T *)(in + i) < 2)
        out[i] = in[i ^ 255];
}
