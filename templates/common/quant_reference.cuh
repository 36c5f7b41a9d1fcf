/*!autotune
common    quant_reference              # what the references of operations that quantize share; templates use none of it
*/

#ifndef AUTOTUNE_RENDERED /* included by an op.cu in an editor, or by nvcc alone */
#pragma once
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/*
 * Slow, and too simple to be wrong. Elements that share a scale are a group. For the largest magnitude of a group
 *
 *     s = max(largest, 1e-10) / 448        as f32; as e8m0 the next power of two that is not less
 *     q = y / s                            to nearest, ties to even, saturating
 *
 * Scales by `layout`: 1, rows: s[token][group] as f32. 2, columns: s[group][token]. 3, e8m0: s[token][group] as exponents with a
 * bias of 127. 4, blocks: these in the order in which tensor cores of compute capability 10.0 read them, 128 tokens by 4 groups
 * after each other; slots there that no group has are 0.
 */
struct Slots { /* of all scales, tokens one after the other */
    long long layout, tokens, groups;

    __device__ long long across() const { return layout == 4 ? (groups + 3) / 4 * 4 : groups; }
    __device__ long long down() const { return layout == 4 ? (tokens + 127) / 128 * 128 : tokens; }
    __device__ bool      is_group(long long token, long long g) const { return token < tokens && g < groups; }

    /* The number of f32 or bytes in front of it. */
    __device__ long long place(long long token, long long g) const
    {
        return layout == 2 ? g * tokens + token
               : layout == 4 ? (token / 128 * (across() / 4) + g / 4) * 512 + token % 32 * 16 + token % 128 / 32 * 4 + g % 4
                             : token * groups + g;
    }

    __device__ void write(unsigned char *scales, long long token, long long g, float s) const
    {
        if (layout <= 2)
            ((float *)scales)[place(token, g)] = s;
        else
            scales[place(token, g)] = (unsigned char)(__float_as_uint(s) >> 23);
    }

    __device__ double read(const unsigned char *scales, long long token, long long g) const
    {
        return layout <= 2 ? (double)((const float *)scales)[place(token, g)]
                           : (double)__uint_as_float((unsigned)scales[place(token, g)] << 23);
    }

    __device__ float scale_for(float largest) const
    {
        int exponent;
        const float s = fmaxf(largest, 1e-10f) / 448.0f, part = frexpf(s, &exponent);
        return layout <= 2 || part == 0.5f ? s : ldexpf(1, exponent);
    }

    /* Whether it is that of nearly this magnitude. */
    __device__ bool is_scale(double s, double largest) const
    {
        const double most = fmax(largest, 1e-10);
        return layout <= 2 ? fabs(s * 448 - most) <= 1e-5 * most : s * 448 >= most * (1 - 1e-5) && s * 224 < most * (1 + 1e-5);
    }
};

__device__ unsigned char e4m3_of(double x)
{
    return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}

/* Whether x may be rounded to it: half of what numbers of this size are apart, and 1e-5 for how x was computed. */
__device__ bool is_e4m3(unsigned char bits, double x)
{
    const double code = (double)__half2float(__half(__nv_cvt_fp8_to_halfraw(bits, __NV_E4M3)));
    const double size = fmin(fmax(fabs(x), 0.015625), 448.0);
    return fabs(code - x) <= exp2(floor(log2(size))) / 16 + 1e-5 * fabs(x);
}

/* `wrong`: as autotune gives it to a kernel that validates. */
__device__ void is_wrong(unsigned long long *wrong, long long element)
{
    atomicAdd(&wrong[0], 1ull);
    atomicMin(&wrong[1], (unsigned long long)element);
}
