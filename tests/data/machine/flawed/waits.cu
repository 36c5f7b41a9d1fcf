/*!autotune
template  waits
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Half of the threads wait at one barrier, the others at another: neither is ever complete. */
extern "C" __global__ void flawed_waits(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    out[i] = in[i ^ 255];
    if (threadIdx.x < 128)
        asm volatile("bar.sync 1;" ::: "memory");
    else
        asm volatile("bar.sync 2;" ::: "memory");
}
