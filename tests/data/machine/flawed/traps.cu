/*!autotune
template  traps
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* An assertion fails. */
extern "C" __global__ void flawed_traps(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i ^ 255];
    if (i == 5)
        asm volatile("trap;");
}
