/*!autotune
common    reduce                       # what the lanes of a warp sum up
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/* Over each aligned part of so many lanes, in all of them. */
template <int lanes, class Number> __device__ __forceinline__ Number total_of(Number sum)
{
#pragma unroll
    for (int i = lanes / 2; i > 0; i /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, i);
    return sum;
}

template <int lanes> __device__ __forceinline__ float largest_of(float value)
{
#pragma unroll
    for (int i = lanes / 2; i > 0; i /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, i));
    return value;
}

/* Of numbers that are not negative, over the warp: these are in the order of their bits. */
__device__ __forceinline__ float largest_magnitude(float value)
{
#if __CUDA_ARCH__ >= 800
    return __uint_as_float(__reduce_max_sync(0xffffffffu, __float_as_uint(value)));
#else
    return largest_of<32>(value);
#endif
}
