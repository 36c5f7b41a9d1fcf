/*!autotune
common    kept                         # values that stay in registers
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/* A value that the compiler shall keep as it is, not put together again wherever it occurs. */
__device__ __forceinline__ int kept(int value)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(value));
#endif
    return value;
}

__device__ __forceinline__ long long kept(long long value)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+l"(value));
#endif
    return value;
}
