/*!autotune
template  misaligned
grid      n / 256
block     256
*/
#ifndef AUTOTUNE_RENDERED
#include "plain.cuh"
#endif

/* Vectors that begin at elements that are no multiple of four. */
extern "C" __global__ void flawed_misaligned(T *out, T *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i + 5 < n)
        asm volatile("st.global.v2.f32 [%0], {%1, %1};" ::"l"(out + i + 1), "f"(0.0f));
    out[i] = in[i ^ 255];
}
