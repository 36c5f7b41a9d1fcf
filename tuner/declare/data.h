/*
 * data.h - the numbers of a problem: how elements are read and written, what inputs hold, and which results
 * are close enough. One text for the host and for the device: C here, CUDA in front of runner/verify.cu and
 * in exported self-tests.
 *
 * An element is one number, or two of its half where it is complex or wider than 8 bytes. What a number is,
 * one int tells: class * 16 + bytes. Whatever is computed here is so on both sides, bit for bit: integers,
 * and roundings that IEEE 754 defines.
 */
#ifndef AUTOTUNE_DATA_H
#define AUTOTUNE_DATA_H

#ifdef __CUDACC__
#define AT__BOTH   [[maybe_unused]] static __device__ __forceinline__
#define AT__CALLED [[maybe_unused]] static __device__ __noinline__ /* one copy: kernels compile sooner */
#else
#include <math.h>
#include <string.h>
#define AT__BOTH   static inline __attribute__((unused))
#define AT__CALLED AT__BOTH
#endif

typedef unsigned long long at__u64;

enum { AT__UNSIGNED, AT__SIGNED, AT__FLOAT, AT__BFLOAT }; /* class of a number             */
enum {
    AT__BITS,
    AT__UNIFORM,
    AT__NORMAL,
    AT__RANGE,
    AT__PERMUTATION,
    AT__ONE_VALUE,
    AT__FILE,
    AT__SPREAD
};                                                         /* of an input */
enum { AT__EXACT, AT__WITHIN, AT__ULP, AT__NORM, AT__BY }; /* rule of a check               */

/* ---- bits ---- */

AT__BOTH int at__number_bytes(int number)
{
    return number & 15;
}

AT__BOTH int at__number_class(int number)
{
    return number >> 4;
}

AT__BOTH at__u64 at__bits_at(const void *at, at__u64 i, int bytes)
{
#ifdef __CUDACC__
    return bytes == 1   ? ((const unsigned char *)at)[i]
           : bytes == 2 ? ((const unsigned short *)at)[i]
           : bytes == 4 ? ((const unsigned int *)at)[i]
                        : ((const at__u64 *)at)[i];
#else
    at__u64 bits = 0;
    memcpy(&bits, (const unsigned char *)at + i * (unsigned)bytes, (size_t)bytes);
    return bits;
#endif
}

AT__BOTH void at__set_bits(void *to, at__u64 i, int bytes, at__u64 bits)
{
#ifdef __CUDACC__
    if (bytes == 1)
        ((unsigned char *)to)[i] = (unsigned char)bits;
    else if (bytes == 2)
        ((unsigned short *)to)[i] = (unsigned short)bits;
    else if (bytes == 4)
        ((unsigned int *)to)[i] = (unsigned int)bits;
    else
        ((at__u64 *)to)[i] = bits;
#else
    memcpy((unsigned char *)to + i * (unsigned)bytes, &bits, (size_t)bytes);
#endif
}

AT__BOTH float at__float_of(unsigned bits)
{
#ifdef __CUDACC__
    return __uint_as_float(bits);
#else
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

AT__BOTH unsigned at__bits_of_float(float value)
{
#ifdef __CUDACC__
    return __float_as_uint(value);
#else
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

AT__BOTH double at__double_of(at__u64 bits)
{
#ifdef __CUDACC__
    return __longlong_as_double((long long)bits);
#else
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

AT__BOTH at__u64 at__bits_of_double(double value)
{
#ifdef __CUDACC__
    return (at__u64)__double_as_longlong(value);
#else
    at__u64 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

/* ---- numbers ---- */

AT__CALLED double at__half_value(unsigned bits)
{
    const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 0) { /* fraction * 2^-24 */
        const double value = (double)fraction * 5.9604644775390625e-8;
        return sign ? -value : value;
    }
    if (exponent == 31)
        return (double)at__float_of(sign | 0x7f800000u | fraction << 13);
    return (double)at__float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

/* To nearest, ties to even. */
AT__CALLED unsigned at__half_bits(float value)
{
    const unsigned bits = at__bits_of_float(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return sign | 0x7e00u;
    if (size >= 0x47800000u) /* 65536 */
        return sign | 0x7c00u;
    if (size < 0x38800000u) /* 2^-14: a unit of 0.5 is 2^-24 */
        return sign | (at__bits_of_float(at__float_of(size) + 0.5f) - 0x3f000000u);
    return sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13;
}

AT__BOTH unsigned at__bfloat_bits(float value)
{
    const unsigned bits = at__bits_of_float(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return bits >> 16 | 0x40u;
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

AT__CALLED double at__number_value(at__u64 bits, int number)
{
    const int bytes = at__number_bytes(number), spare = 64 - 8 * bytes;
    switch (at__number_class(number)) {
    case AT__UNSIGNED:
        return (double)bits;
    case AT__SIGNED:
        return (double)((long long)(bits << spare) >> spare);
    case AT__BFLOAT:
        return (double)at__float_of((unsigned)bits << 16);
    default:
        return bytes == 2   ? at__half_value((unsigned)bits)
               : bytes == 4 ? (double)at__float_of((unsigned)bits)
                            : at__double_of(bits);
    }
}

/* The number nearest to a value; of integers whatever whole number it is, without its upper bits. */
AT__CALLED at__u64 at__number_bits(double value, int number)
{
    const int bytes = at__number_bytes(number);
    switch (at__number_class(number)) {
    case AT__UNSIGNED:
    case AT__SIGNED:
        return (at__u64)(long long)value;
    case AT__BFLOAT:
        return at__bfloat_bits((float)value);
    default:
        return bytes == 2   ? at__half_bits((float)value)
               : bytes == 4 ? at__bits_of_float((float)value)
                            : at__bits_of_double(value);
    }
}

AT__BOTH at__u64 at__integer_bits(long long value, int number)
{
    return at__number_class(number) <= AT__SIGNED ? (at__u64)value : at__number_bits((double)value, number);
}

AT__BOTH at__u64 at__number_mask(int number)
{
    return ~0ull >> (64 - 8 * at__number_bytes(number));
}

/* Not a number; largest finite and infinity are told apart by at__is_finite. */
AT__BOTH int at__is_nan(double value)
{
    return value != value;
}

AT__BOTH int at__is_finite(double value)
{
    return value - value == 0;
}

/* ---- what inputs hold ---- */

AT__BOTH at__u64 at__mix(at__u64 z) /* splitmix64's finaliser */
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

AT__BOTH at__u64 at__random(at__u64 seed, at__u64 index)
{
    return at__mix(seed + (index + 1) * 0x9e3779b97f4a7c15ull);
}

/* From 0 to 1, without 1. */
AT__BOTH double at__random_unit(at__u64 seed, at__u64 index)
{
    return (double)(long long)(at__random(seed, index) >> 11) * 1.1102230246251565e-16; /* 2^-53 */
}

/* Of mean 0 and deviation 1: the sum of twelve numbers of 16 bits, which no library rounds its own way. */
AT__CALLED double at__random_normal(at__u64 seed, at__u64 index)
{
    at__u64 sum = 0;
    for (at__u64 k = 0; k < 3; k++) {
        const at__u64 word = at__random(seed, 4 * index + k);
        sum += (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
    }
    const double fraction = at__random_unit(seed, 4 * index + 3) - 0.5;
    return ((double)(long long)sum - 393210.0 + fraction) * 1.52587890625e-5; /* 2^-16 */
}

/* Where i goes in a permutation of 0 to count - 1: rounds that can be undone, of the next power of two; what
 * is beyond the end goes on. */
AT__CALLED at__u64 at__permuted(at__u64 i, at__u64 count, at__u64 seed)
{
    int bits = 1;
    while (bits < 63 && count > 1ull << bits)
        bits++;
    const at__u64 mask = (1ull << bits) - 1;
    do {
        for (at__u64 round = 0; round < 4; round++) {
            i = (i + at__random(seed, round)) & mask;
            i = i * (at__random(seed, 4 + round) | 1) & mask;
            i ^= i >> (bits + 1) / 2;
        }
    } while (i >= count);
    return i;
}

/*
 * Number i of `count`. a and b are the bits of two doubles (uniform: width and low end; normal: deviation and
 * mean; constant: the value), or of integers (range: low end and how many there are, 0: all of 64 bits;
 * spread: how many there are).
 */
AT__CALLED at__u64 at__generate(at__u64 i, at__u64 count, int number, int how, at__u64 a, at__u64 b,
                                at__u64 seed)
{
    const double x = at__double_of(a), y = at__double_of(b);
    at__u64 bits = 0;
    switch (how) {
    case AT__UNIFORM:
        bits = at__number_bits(fma(x, at__random_unit(seed, i), y), number);
        break;
    case AT__NORMAL:
        bits = at__number_bits(fma(x, at__random_normal(seed, i), y), number);
        break;
    case AT__RANGE:
        bits = at__integer_bits((long long)(a + (b ? at__random(seed, i) % b : at__random(seed, i))), number);
        break;
    case AT__PERMUTATION:
        bits = at__integer_bits((long long)at__permuted(i, count, seed), number);
        break;
    case AT__SPREAD:
        bits = at__integer_bits((long long)(at__permuted(i, count > a ? count : a, seed) % a), number);
        break;
    default:
        bits = at__number_bits(x, number);
        break;
    }
    return bits & at__number_mask(number);
}

/* ---- what is close enough ---- */

/* Neighbouring numbers of a type have neighbouring places. */
AT__BOTH long long at__place(at__u64 bits, int number)
{
    const int spare = 64 - 8 * at__number_bytes(number);
    const at__u64 sign = 1ull << (63 - spare);
    if (at__number_class(number) == AT__UNSIGNED)
        return (long long)(bits ^ 1ull << 63);
    if (at__number_class(number) == AT__SIGNED)
        return (long long)(bits << spare) >> spare;
    return bits & sign ? -(long long)(bits & ~sign) : (long long)bits;
}

AT__BOTH double at__infinity(void)
{
    return at__double_of(0x7ff0000000000000ull);
}

/*
 * 0: this number is right. Otherwise how wrong it is: by which factor it is farther away than allowed, or how
 * far; infinity where only one of the two is finite. Of AT__NORM always how far: the sum of squares decides.
 * a: relative, ulps, or the norm; b: absolute.
 */
AT__CALLED double at__wrong_by(at__u64 got, at__u64 right, int number, int check, double a, double b)
{
    const double x = at__number_value(got, number), y = at__number_value(right, number);
    if (got == right)
        return 0;
    if (check == AT__EXACT)
        return at__infinity();
    if (!at__is_finite(x) || !at__is_finite(y))
        return x == y || (at__is_nan(x) && at__is_nan(y)) ? 0 : at__infinity();
    if (check == AT__ULP) {
        const long long p = at__place(got, number), q = at__place(right, number);
        const double ulps = (double)(p > q ? (at__u64)p - (at__u64)q : (at__u64)q - (at__u64)p);
        return ulps <= a ? 0 : ulps;
    }
    const double off = fabs(x - y), allowed = check == AT__NORM ? 0 : a * fabs(y) + b;
    if (check == AT__NORM)
        return off;
    return off <= allowed ? 0 : allowed > 0 ? off / allowed : at__infinity();
}

/* ---- sums of squares ---- */

/*
 * Squares of doubles leave their range: so there are three sums, of numbers below 2^-480 times 2^600, of
 * those up to 2^480, and of larger ones times 2^-600. 2^60 numbers have room in each.
 */
enum { AT__SQUARES = 3 };

AT__BOTH double at__two_to(int exponent)
{
    return at__double_of((at__u64)(1023 + exponent) << 52);
}

/* Adds what is finite. */
AT__BOTH void at__squares_add(double sums[AT__SQUARES], double x)
{
    const int which = fabs(x) < at__two_to(-480) ? 0 : fabs(x) <= at__two_to(480) ? 1 : 2;
    const double scaled = which == 1 ? x : x * at__two_to(which ? -600 : 600);
    sums[which] += scaled * scaled;
}

/* The root of all three; its true value is 2^*exponent times that. */
AT__BOTH double at__squares_root(int *exponent, const double sums[AT__SQUARES])
{
    const int top = sums[2] > 0 ? 2 : sums[1] > 0 ? 1 : 0;
    const double below = top ? sums[top - 1] * at__two_to(-600) * at__two_to(-600) : 0;
    *exponent = 600 * (top - 1);
    return sqrt(sums[top] + below);
}

/* How far off the whole is, in units of the whole: of AT__NORM this is at most the norm. */
AT__BOTH double at__norm_of(const double off[AT__SQUARES], const double all[AT__SQUARES])
{
    int of_off, of_all;
    const double numerator = at__squares_root(&of_off, off), denominator = at__squares_root(&of_all, all);
    if (numerator == 0)
        return 0;
    return denominator > 0 ? ldexp(numerator / denominator, of_off - of_all) : at__infinity();
}

/* What an output begins with where nothing is near it: NaN, or where that is right, 0; an integer half of all
 * away. */
AT__BOTH at__u64 at__far_from(at__u64 right, int number)
{
    if (at__number_class(number) <= AT__SIGNED)
        return right ^ 1ull << (8 * at__number_bytes(number) - 1);
    return at__is_nan(at__number_value(right, number)) ? 0 : at__number_mask(number);
}

#endif
