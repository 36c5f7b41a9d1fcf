/*!autotune
common    quant                        # numbers to e4m3 with a scale for several of them
use       convert policy reduce wide
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "convert.cuh"
#include "policy.cuh"
#include "reduce.cuh"
#include "wide.cuh"
#endif

/* The bits of e8m0: the exponent of a power of two. */
__device__ __forceinline__ unsigned exponent_of(float power)
{
    return __float_as_uint(power) >> 23;
}

/* What the elements are divided by so that the largest becomes 448, the largest e4m3; `power`: the next power of two. */
template <bool power> __device__ __forceinline__ float scale_for(float largest)
{
    const float scale = fmaxf(largest, 1e-10f) / 448.0f;
    return power ? __uint_as_float((__float_as_uint(scale) + 0x7fffffu) & 0x7f800000u) : scale;
}

/* A scale, and what the numbers are multiplied with that are divided by it. */
struct Scaled {
    float scale, by;
};

/* As the reference divides, bit for bit. */
template <bool power> __device__ __forceinline__ Scaled exactly_scaled_for(float largest)
{
    const float scale = scale_for<power>(largest);
    return { scale, 1 / scale };
}

/*
 * The same where tolerances allow it, without a division that others wait for. `largest` is that of numbers which are
 * multiplied with `factor`, too; a factor that is NaN remains NaN.
 */
template <bool power> __device__ __forceinline__ Scaled scaled_for(float largest, float factor)
{
    const bool  counts = largest * factor >= 1e-10f;
    const float scale = (counts ? largest * factor : 1e-10f) * (1 / 448.0f);
    if (!power)
        return { scale, counts ? __fdividef(448.0f, largest) : factor * 448e10f };
    const unsigned bits = (__float_as_uint(scale) + 0x7fffffu) & 0x7f800000u;
    return { __uint_as_float(bits), factor * __uint_as_float(0x7f000000u - bits) }; /* exponents e and -e */
}

/* `count` elements that follow each other, in registers; they begin at a multiple of what one access reads, `bytes` at most. */
template <int count, int bytes = 16> struct Elements {
    static constexpr int PER = count * ES < bytes ? count : bytes / ES; /* of an access */
    using Part = Vector<PER>;
    Part part[count / PER];

    template <bool keep, bool once> __device__ __forceinline__ void read(const T *from)
    {
#pragma unroll
        for (int i = 0; i < count / PER; i++)
            part[i].bits = load<keep, once>((const typename Part::Bits *)from + i);
    }

    __device__ __forceinline__ float operator[](int i) const { return (float)part[i / PER].element[i % PER]; }

    __device__ __forceinline__ float largest() const
    {
        float value = 0;
#pragma unroll
        for (int i = 0; i < count; i++)
            value = fmaxf(value, fabsf((*this)[i]));
        return value;
    }
};

/* Elements of any kind, times `by`, as e4m3; they end at a multiple of what one access writes. */
template <int count, bool once, int bytes = 16, class From>
__device__ __forceinline__ void write_e4m3(unsigned char *to, const From &from, float by)
{
    constexpr int BYTES = count < bytes ? count : bytes;
    using Bits = typename Access<BYTES>::type;
#pragma unroll
    for (int k = 0; k < count; k += BYTES) {
        union { Bits bits; unsigned word[BYTES / 4]; } converted;
#pragma unroll
        for (int w = 0; w < BYTES / 4; w++)
            converted.word[w] = convert_pair<TO_E4M3>(from[k + 4 * w] * by, from[k + 4 * w + 1] * by) |
                                convert_pair<TO_E4M3>(from[k + 4 * w + 2] * by, from[k + 4 * w + 3] * by) << 16;
        store<once>((Bits *)(to + k), converted.bits);
    }
}

/* Two numbers of e4m3, the first from the lower byte. */
__device__ __forceinline__ float2 from_e4m3(unsigned pair)
{
#if __CUDA_ARCH__ >= 890
    unsigned halves;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"((unsigned short)pair));
#else
    const __half2_raw both = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)pair, __NV_E4M3);
    const unsigned halves = both.x | (unsigned)both.y << 16;
#endif
    float2 numbers;
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high;}"
        : "=f"(numbers.x), "=f"(numbers.y) : "r"(halves));
    return numbers;
}

/* Where scales lie, as the choice `layout` of the operations has it. */
constexpr int SCALES_ROWS = 1, SCALES_COLUMNS = 2, SCALES_E8M0 = 3, SCALES_BLOCKS = 4;

/*
 * The scale of group g of a token: rows of `groups` numbers, or columns of `tokens`; e8m0 in rows; or e8m0 in the order in which
 * tensor cores of compute capability 10.0 read it. There 128 tokens by 4 groups are 512 bytes side by side:
 *
 *     byte    16 * (token % 32) + 4 * (token % 128 / 32) + g % 4
 */
template <int layout> __device__ __forceinline__ void write_scale(void *scales, float scale, long long token, int g, long long tokens, int groups)
{
    if constexpr (layout == SCALES_ROWS)
        ((float *)scales)[token * groups + g] = scale;
    else if constexpr (layout == SCALES_COLUMNS)
        ((float *)scales)[g * tokens + token] = scale;
    else if constexpr (layout == SCALES_E8M0)
        ((unsigned char *)scales)[token * groups + g] = (unsigned char)exponent_of(scale);
    else {
        const int within = (int)(token % 128);
        ((unsigned char *)scales)[(token / 128 * ((groups + 3) / 4) + g / 4) * 512 + within % 32 * 16 + within / 32 * 4 + g % 4] =
            (unsigned char)exponent_of(scale);
    }
}
