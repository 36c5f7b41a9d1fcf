/*
 * shim_numbers.h - what kernels that compute use besides shim.h: numbers of 2 bytes, functions of a warp,
 * atomics. Threads run one after the other, so that atomics need nothing.
 */
#ifndef CPU_SHIM_NUMBERS_H
#define CPU_SHIM_NUMBERS_H

#include "shim.h"

#include <cmath>

/* ---- numbers of 2 bytes ---- */

struct __nv_bfloat16 {
    unsigned short bits;

    __nv_bfloat16() = default;
    explicit __nv_bfloat16(float value)
    {
        unsigned wide;
        memcpy(&wide, &value, sizeof wide);
        bits = (unsigned short)(value != value ? 0x7fff : (wide + 0x7fff + (wide >> 16 & 1)) >> 16);
    }
    operator float() const
    {
        const unsigned wide = (unsigned)bits << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        return value;
    }
};

struct __half {
    unsigned short bits;

    __half() = default;
    explicit __half(float value)
    {
        const double size = std::fabs((double)value);
        const unsigned sign = std::signbit(value) ? 0x8000 : 0;
        if (value != value)
            bits = 0x7fff;
        else if (size >= 65520)
            bits = (unsigned short)(sign | 0x7c00);
        else {
            const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
            const int steps = (int)std::nearbyint(std::ldexp(size, 10 - exponent));
            bits = (unsigned short)(sign | (unsigned)((exponent + 14) * 1024 + steps));
        }
    }
    operator float() const
    {
        const int exponent = bits >> 10 & 31, steps = bits & 1023;
        double size = exponent ? std::ldexp(1024.0 + steps, exponent - 25) : std::ldexp((double)steps, -24);
        if (exponent == 31)
            size = steps ? NAN : INFINITY;
        return (float)(bits >> 15 ? -size : size);
    }
};

static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}

static inline unsigned __float_as_uint(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline unsigned short __half_as_ushort(__half value)
{
    return value.bits;
}
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value)
{
    return value.bits;
}
static inline __half __float2half_rn(float value)
{
    return __half(value);
}
static inline __nv_bfloat16 __float2bfloat16_rn(float value)
{
    return __nv_bfloat16(value);
}

/* ---- numbers of 1 byte ---- */

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* Saturating, which is all that is needed. */
static inline unsigned char __nv_cvt_float_to_fp8(float value, __nv_saturation_t,
                                                  __nv_fp8_interpretation_t format)
{
    const bool e4m3 = format == __NV_E4M3;
    const int mantissa = e4m3 ? 3 : 2; /* bits */
    const int least = e4m3 ? -6 : -14; /* exponent of the smallest normal number */
    const double largest = e4m3 ? 448 : 57344, size = std::fabs((double)value);
    const unsigned sign = std::signbit(value) ? 0x80 : 0;
    if (value != value)
        return 0x7f;
    if (size >= largest)
        return (unsigned char)(sign | (e4m3 ? 0x7e : 0x7b));
    const int exponent = size < std::ldexp(1.0, least) ? least : std::ilogb(size);
    const int steps = (int)std::nearbyint(std::ldexp(size, mantissa - exponent));
    return (unsigned char)(sign | (unsigned)((exponent - least) * (1 << mantissa) + steps));
}

/* ---- functions of a warp ---- */

/* Of any type of 4 or 8 bytes. */
template <class V> static inline V __shfl_xor_sync(unsigned, V value, int mask)
{
    unsigned words[(sizeof value + 3) / 4];
    memcpy(words, &value, sizeof value);
    for (unsigned &word : words)
        word = cpu_shuffle(word, (int)(threadIdx.x % 32) ^ mask);
    memcpy(&value, words, sizeof value);
    return value;
}

/* ---- clusters: their blocks run by turns, and share what they have as shared memory: see README.md ---- */

#define __cluster_dims__(...)
extern unsigned cpu_cluster;
void cpu_cluster_barrier();

static inline unsigned __clusterRelativeBlockRank()
{
    return blockIdx.x % cpu_cluster;
}
template <class V> static inline void *__cluster_map_shared_rank(V *place, unsigned)
{
    return place;
}
static inline void __cluster_barrier_arrive()
{
} /* who waits, waits for all to wait */
static inline void __cluster_barrier_wait()
{
    cpu_cluster_barrier();
}

/* ---- atomics: each returns what was there ---- */

static inline void __threadfence()
{
}

template <class V> static inline V atomicAdd(V *at, V value)
{
    const V old = *at;
    *at = old + value;
    return old;
}
template <class V> static inline V atomicMax(V *at, V value)
{
    const V old = *at;
    *at = old < value ? value : old;
    return old;
}
template <class V> static inline V atomicExch(V *at, V value)
{
    const V old = *at;
    *at = value;
    return old;
}
static inline unsigned atomicInc(unsigned *at, unsigned last)
{
    const unsigned old = *at;
    *at = old >= last ? 0 : old + 1;
    return old;
}

#endif
