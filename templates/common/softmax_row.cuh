/*!autotune
common    softmax_row          # one row in the registers of a group of threads
use       row exponents
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "exponents.cuh"
#include "row.cuh"
#endif

/*
 * `nothing` is 0, but the compiler cannot know: it converts these bits again instead of keeping the floats of the last
 * time in registers of their own.
 */
__device__ __forceinline__ void forget(unsigned short &bits, unsigned)
{
    (void)bits;
}
__device__ __forceinline__ void forget(unsigned &bits, unsigned nothing)
{
    bits ^= nothing;
}
__device__ __forceinline__ void forget(uint2 &bits, unsigned nothing)
{
    bits.x ^= nothing, bits.y ^= nothing;
}
__device__ __forceinline__ void forget(uint4 &bits, unsigned nothing)
{
    bits.x ^= nothing, bits.y ^= nothing, bits.z ^= nothing, bits.w ^= nothing;
}
__device__ __forceinline__ void forget(Wide &bits, unsigned nothing)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        bits.word[i] ^= nothing;
}

/*
 * `floats`: elements are converted once and become exponentials, otherwise they stay as they were read, in half the registers
 * where elements are of 2 bytes, and their exponentials are computed twice.
 */
template <int threads, int each, int per, bool ragged, bool floats> struct Row : RawRow<threads, each, per, ragged> {
    using Raw = RawRow<threads, each, per, ragged>;
    using Part = typename Raw::Part;
    using Raw::has;
    using Raw::raw;
    float value[floats ? each * per : 1];

    __device__ __forceinline__ float at(int i, int k) const
    {
        return floats ? value[floats ? i * per + k : 0] : (float)raw[i].element[k];
    }

    /* A row whose largest or sum is infinite becomes NaN whatever its bits are. */
    __device__ __forceinline__ void forget_floats(int i, float found)
    {
        if (!floats && sizeof(T) < 4)
            forget(raw[i].bits, found > 3.402823466e38f ? 1 : 0);
    }

    __device__ __forceinline__ float largest(int lane, int vectors)
    {
        float top = LEAST;
#pragma unroll
        for (int i = 0; i < each; i++)
            if (has(i, lane, vectors))
#pragma unroll
                for (int k = 0; k < per; k++) {
                    if (floats)
                        value[floats ? i * per + k : 0] = (float)raw[i].element[k];
                    top = fmaxf(top, at(i, k));
                }
        return top;
    }

    __device__ __forceinline__ float total(float scaled, int lane, int vectors)
    {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < each; i++)
            if (has(i, lane, vectors)) {
                forget_floats(i, scaled);
#pragma unroll
                for (int k = 0; k < per; k++) {
                    const float power = exponential(at(i, k), scaled);
                    if (floats)
                        value[floats ? i * per + k : 0] = power;
                    sum += power;
                }
            }
        return sum;
    }

    /* `scaled`: what `total` was given; `all`: the whole row's. */
    template <bool once> __device__ __forceinline__ void write(T *to, float scaled, Sum all, int lane, int vectors)
    {
        const float factor = (floats ? power_of_two(scaled - all.scaled) : 1.0f) / all.sum;
#pragma unroll
        for (int i = 0; i < each; i++)
            if (has(i, lane, vectors)) {
                Part part;
                forget_floats(i, all.sum);
#pragma unroll
                for (int k = 0; k < per; k++)
                    part.element[k] = (T)((floats ? at(i, k) : exponential(at(i, k), all.scaled)) * factor);
                store<once>((typename Part::Bits *)to + i * threads + lane, part.bits);
            }
    }
};
