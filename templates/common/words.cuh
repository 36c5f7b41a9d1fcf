/*!autotune
common    words                        # a part of a row in registers, as it was read: words of two elements of 2 bytes
*/

#include <cuda_bf16.h>
#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/* Two elements that lie in a word. Those of bf16 are the upper halves of their floats: an instruction each, not two. */
template <class Number> __device__ __forceinline__ float2 both_of(unsigned word)
{
    union { unsigned word; unsigned short bits[2]; } in = { word };
    return make_float2((float)*(const Number *)&in.bits[0], (float)*(const Number *)&in.bits[1]);
}

template <> __device__ __forceinline__ float2 both_of<__nv_bfloat16>(unsigned word)
{
    return make_float2(__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u));
}

template <class Number> __device__ __forceinline__ unsigned word_of(float low, float high)
{
    union { Number element[2]; unsigned word; } out = { { (Number)low, (Number)high } };
    return out.word;
}

/* What thread `lane` of `lanes` has of a row of `length` elements: `each` pieces of `elems` side by side. */
template <int lanes, int elems, int each, int length> struct Words {
    union { uint4 bits[elems / 8]; unsigned word[elems / 2]; } piece[each];

    static __device__ __forceinline__ int column(int i, int lane) { return (i * lanes + lane) * elems; }
    static __device__ __forceinline__ bool has(int i, int lane)
    {
        return length % (lanes * elems) == 0 || i < each - 1 || column(i, lane) < length;
    }

    __device__ __forceinline__ void read(const T *row, int lane)
    {
#pragma unroll
        for (int i = 0; i < each; i++)
#pragma unroll
            for (int k = 0; k < elems / 8; k++)
                piece[i].bits[k] = has(i, lane) ? ((const uint4 *)row)[column(i, lane) / 8 + k] : make_uint4(0, 0, 0, 0);
    }

    __device__ __forceinline__ void write(T *row, int i, int lane) const
    {
#pragma unroll
        for (int k = 0; k < elems / 8; k++)
            if (has(i, lane))
                ((uint4 *)row)[column(i, lane) / 8 + k] = piece[i].bits[k];
    }
};
