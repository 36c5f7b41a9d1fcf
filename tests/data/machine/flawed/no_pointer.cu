/*!autotune
template  no_pointer
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* It follows a null pointer. */
extern "C" __global__ void flawed_no_pointer(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    unsigned long long nowhere = 0;
    asm volatile("" : "+l"(nowhere)); /* or the compiler, which knows better, leaves it out */
    out[i] = in[i ^ 255] + ((const T *)nowhere)[i];
}
