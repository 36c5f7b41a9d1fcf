/*!autotune
common    convert                      # numbers to shorter types, several at once
use       access
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#endif

#if !(__CUDA_ARCH__ >= 890) /* no instructions for 8 bits */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

constexpr int TO_E4M3 = 1, TO_E5M2 = 2, TO_F16 = 3, TO_BF16 = 4; /* as the shape of cast_transpose has them */

/* Bytes of an element of such a type, and its bits. */
__host__ __device__ constexpr int converted_bytes(int format)
{
    return format <= TO_E5M2 ? 1 : 2;
}

#if !(__CUDA_ARCH__ >= 890)
/* One copy: it is long, and kernels have many conversions. */
template <int format> __device__ __noinline__ unsigned convert_to_byte(float value)
{
    return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, format == TO_E4M3 ? __NV_E4M3 : __NV_E5M2);
}
#endif

/* Two numbers, `low` in the lower bits: to nearest, ties to even, saturating where they become 8 bits each. */
template <int format> __device__ __forceinline__ unsigned convert_pair(float low, float high)
{
#if __CUDA_ARCH__ >= 890
    if constexpr (converted_bytes(format) == 1) {
        unsigned short bits;
        if constexpr (format == TO_E4M3)
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(high), "f"(low));
        else
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(high), "f"(low));
        return bits;
    } else {
        unsigned bits;
        if constexpr (format == TO_F16)
            asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
        else
            asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
        return bits;
    }
#else
    if (converted_bytes(format) == 1)
        return convert_to_byte<format>(low) | convert_to_byte<format>(high) << 8;
    if (format == TO_F16)
        return __half_as_ushort(__float2half_rn(low)) | (unsigned)__half_as_ushort(__float2half_rn(high)) << 16;
    return __bfloat16_as_ushort(__float2bfloat16_rn(low)) | (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(high)) << 16;
#endif
}

/* `words` words of elements that follow each other. `largest` becomes that of their magnitudes, if that is larger. */
template <int format, bool track, int words>
__device__ __forceinline__ void convert(unsigned (&out)[words], const T *in, float scale, float &largest)
{
    constexpr int PER_WORD = 4 / converted_bytes(format);
#pragma unroll
    for (int w = 0; w < words; w++) {
        out[w] = 0;
#pragma unroll
        for (int e = 0; e < PER_WORD; e += 2) {
            const float low = (float)in[w * PER_WORD + e], high = (float)in[w * PER_WORD + e + 1];
            out[w] |= convert_pair<format>(low * scale, high * scale) << 8 * e * converted_bytes(format);
            if (track)
                largest = fmaxf(largest, fmaxf(fabsf(low), fabsf(high))); /* of a number and NaN the number */
        }
    }
}

/* Turns 4 words of 4 bytes, or 2 words of 2 elements, in place: element i of word k becomes element k of word i. */
__device__ __forceinline__ void turn_converted(unsigned (&w)[4])
{
    const unsigned a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[0], w[1], 0x7362);
    const unsigned c = __byte_perm(w[2], w[3], 0x5140), d = __byte_perm(w[2], w[3], 0x7362);
    w[0] = __byte_perm(a, c, 0x5410);
    w[1] = __byte_perm(a, c, 0x7632);
    w[2] = __byte_perm(b, d, 0x5410);
    w[3] = __byte_perm(b, d, 0x7632);
}

__device__ __forceinline__ void turn_converted(unsigned (&w)[2])
{
    const unsigned a = w[0], b = w[1];
    w[0] = __byte_perm(a, b, 0x5410);
    w[1] = __byte_perm(a, b, 0x7632);
}

/* The largest of a warp, in its first lane. */
__device__ __forceinline__ float largest_of_warp(float value)
{
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, apart));
    return value;
}

/* The largest of a block goes to the whole grid's; between the two calls stands a barrier. */
template <int warps> __device__ __forceinline__ void keep_largest(float (&of_warps)[warps], float value)
{
    value = largest_of_warp(value);
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = value;
}

template <int warps> __device__ __forceinline__ void add_largest(float *largest, const float (&of_warps)[warps])
{
    if (threadIdx.x != 0)
        return;
    float value = 0;
#pragma unroll
    for (int i = 0; i < warps; i++)
        value = fmaxf(value, of_warps[i]);
    atomicMax((unsigned *)largest, __float_as_uint(value)); /* numbers from 0 are in the order of their bits */
}
