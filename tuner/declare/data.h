/*
 * data.h - the numbers of a problem: reading and writing elements, contents of inputs, and comparison of
 * results. One text for the host and for the device: C here, CUDA in front of runner/verify.cu and in
 * exported self-tests.
 *
 * An element is one number, or two numbers of half its size if it is complex or wider than 8 bytes. The class
 * and size of a number are one int: class * 16 + bytes. All results are equal on both sides, bit for bit:
 * only integers, and roundings that IEEE 754 defines, are used.
 */
#ifndef AUTOTUNE_DATA_H
#define AUTOTUNE_DATA_H

#ifdef __CUDACC__
#define ATX_BOTH   [[maybe_unused]] static __device__ __forceinline__
#define ATX_CALLED [[maybe_unused]] static __device__ __noinline__ /* one copy: kernels compile sooner */
#else
#include <math.h>
#include <string.h>
#define ATX_BOTH   static inline __attribute__((unused))
#define ATX_CALLED ATX_BOTH
#endif

typedef unsigned long long atx_u64;

enum { ATX_UNSIGNED, ATX_SIGNED, ATX_FLOAT, ATX_BFLOAT }; /* class of a number             */
enum {
    ATX_BITS,
    ATX_UNIFORM,
    ATX_NORMAL,
    ATX_RANGE,
    ATX_PERMUTATION,
    ATX_ONE_VALUE,
    ATX_FILE,
    ATX_SPREAD,
    ATX_SORTED,         /* integers */
    ATX_SORTED_UNIFORM, /* numbers  */
    ATX_PREFIX,
    ATX_OFFSETS,
    ATX_SEGMENTS,
    ATX_COLUMNS
};                                                         /* of an input */
enum { ATX_EXACT, ATX_WITHIN, ATX_ULP, ATX_NORM, ATX_BY }; /* rule of a check               */

/* ---- bits ---- */

ATX_BOTH int atx_number_bytes(int number)
{
    return number & 15;
}

ATX_BOTH int atx_number_class(int number)
{
    return number >> 4;
}

ATX_BOTH atx_u64 atx_bits_at(const void *at, atx_u64 i, int bytes)
{
#ifdef __CUDACC__
    return bytes == 1   ? ((const unsigned char *)at)[i]
           : bytes == 2 ? ((const unsigned short *)at)[i]
           : bytes == 4 ? ((const unsigned int *)at)[i]
                        : ((const atx_u64 *)at)[i];
#else
    atx_u64 bits = 0;
    memcpy(&bits, (const unsigned char *)at + i * (unsigned)bytes, (size_t)bytes);
    return bits;
#endif
}

ATX_BOTH void atx_set_bits(void *to, atx_u64 i, int bytes, atx_u64 bits)
{
#ifdef __CUDACC__
    if (bytes == 1)
        ((unsigned char *)to)[i] = (unsigned char)bits;
    else if (bytes == 2)
        ((unsigned short *)to)[i] = (unsigned short)bits;
    else if (bytes == 4)
        ((unsigned int *)to)[i] = (unsigned int)bits;
    else
        ((atx_u64 *)to)[i] = bits;
#else
    memcpy((unsigned char *)to + i * (unsigned)bytes, &bits, (size_t)bytes);
#endif
}

ATX_BOTH float atx_float_of(unsigned bits)
{
#ifdef __CUDACC__
    return __uint_as_float(bits);
#else
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

ATX_BOTH unsigned atx_bits_of_float(float value)
{
#ifdef __CUDACC__
    return __float_as_uint(value);
#else
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

ATX_BOTH double atx_double_of(atx_u64 bits)
{
#ifdef __CUDACC__
    return __longlong_as_double((long long)bits);
#else
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}

ATX_BOTH atx_u64 atx_bits_of_double(double value)
{
#ifdef __CUDACC__
    return (atx_u64)__double_as_longlong(value);
#else
    atx_u64 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
#endif
}

/* ---- numbers ---- */

ATX_CALLED double atx_half_value(unsigned bits)
{
    const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 0) { /* fraction * 2^-24 */
        const double value = (double)fraction * 5.9604644775390625e-8;
        return sign ? -value : value;
    }
    if (exponent == 31)
        return (double)atx_float_of(sign | 0x7f800000u | fraction << 13);
    return (double)atx_float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

/* To nearest, ties to even. */
ATX_CALLED unsigned atx_half_bits(float value)
{
    const unsigned bits = atx_bits_of_float(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return sign | 0x7e00u;
    if (size >= 0x47800000u) /* 65536 */
        return sign | 0x7c00u;
    if (size < 0x38800000u) /* 2^-14: a unit of 0.5 is 2^-24 */
        return sign | (atx_bits_of_float(atx_float_of(size) + 0.5f) - 0x3f000000u);
    return sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13;
}

ATX_BOTH unsigned atx_bfloat_bits(float value)
{
    const unsigned bits = atx_bits_of_float(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return bits >> 16 | 0x40u;
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

ATX_CALLED double atx_number_value(atx_u64 bits, int number)
{
    const int bytes = atx_number_bytes(number), spare = 64 - 8 * bytes;
    switch (atx_number_class(number)) {
    case ATX_UNSIGNED:
        return (double)bits;
    case ATX_SIGNED:
        return (double)((long long)(bits << spare) >> spare);
    case ATX_BFLOAT:
        return (double)atx_float_of((unsigned)bits << 16);
    default:
        return bytes == 2   ? atx_half_value((unsigned)bits)
               : bytes == 4 ? (double)atx_float_of((unsigned)bits)
                            : atx_double_of(bits);
    }
}

/* The number nearest to a value; of integers whatever whole number it is, without its upper bits. */
ATX_CALLED atx_u64 atx_number_bits(double value, int number)
{
    const int bytes = atx_number_bytes(number);
    switch (atx_number_class(number)) {
    case ATX_UNSIGNED:
    case ATX_SIGNED:
        return (atx_u64)(long long)value;
    case ATX_BFLOAT:
        return atx_bfloat_bits((float)value);
    default:
        return bytes == 2   ? atx_half_bits((float)value)
               : bytes == 4 ? atx_bits_of_float((float)value)
                            : atx_bits_of_double(value);
    }
}

ATX_BOTH atx_u64 atx_integer_bits(long long value, int number)
{
    return atx_number_class(number) <= ATX_SIGNED ? (atx_u64)value : atx_number_bits((double)value, number);
}

ATX_BOTH atx_u64 atx_number_mask(int number)
{
    return ~0ull >> (64 - 8 * atx_number_bytes(number));
}

/* Not a number; largest finite and infinity are told apart by atx_is_finite. */
ATX_BOTH int atx_is_nan(double value)
{
    return value != value;
}

ATX_BOTH int atx_is_finite(double value)
{
    return value - value == 0;
}

/* ---- contents of inputs ---- */

ATX_BOTH atx_u64 atx_mix(atx_u64 z) /* splitmix64's finaliser */
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

ATX_BOTH atx_u64 atx_random(atx_u64 seed, atx_u64 index)
{
    return atx_mix(seed + (index + 1) * 0x9e3779b97f4a7c15ull);
}

/* The same, of which nobody gets the seed who sees some: whoever knows a word knows the seed else. lock 0:
 * plain. */
ATX_BOTH atx_u64 atx_random_locked(atx_u64 seed, atx_u64 index, atx_u64 lock)
{
    const atx_u64 word = atx_random(seed, index);
    return lock ? atx_mix(word ^ lock) : word;
}

/* From 0 to 1, without 1. */
ATX_BOTH double atx_unit_of(atx_u64 word)
{
    return (double)(long long)(word >> 11) * 1.1102230246251565e-16; /* 2^-53 */
}

/* Of mean 0 and deviation 1: the sum of twelve numbers of 16 bits, which no library rounds its own way. */
ATX_CALLED double atx_random_normal(atx_u64 seed, atx_u64 index, atx_u64 lock)
{
    atx_u64 sum = 0;
    for (atx_u64 k = 0; k < 3; k++) {
        const atx_u64 word = atx_random_locked(seed, 4 * index + k, lock);
        sum += (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
    }
    const double fraction = atx_unit_of(atx_random_locked(seed, 4 * index + 3, lock)) - 0.5;
    return ((double)(long long)sum - 393210.0 + fraction) * 1.52587890625e-5; /* 2^-16 */
}

/* Where i goes in a permutation of 0 to count - 1: rounds that can be undone, of the next power of two; what
 * is beyond the end goes on. */
ATX_CALLED atx_u64 atx_permuted(atx_u64 i, atx_u64 count, atx_u64 seed)
{
    int bits = 1;
    while (bits < 63 && count > 1ull << bits)
        bits++;
    const atx_u64 mask = (1ull << bits) - 1;
    do {
        for (atx_u64 round = 0; round < 4; round++) {
            i = (i + atx_random(seed, round)) & mask;
            i = i * (atx_random(seed, 4 + round) | 1) & mask;
            i ^= i >> (bits + 1) / 2;
        }
    } while (i >= count);
    return i;
}

/* ---- a total, parted among rows ---- */

/*
 * Every row gets a share of the total, at random. A tree over the rows halves them down to single rows; at
 * each node the left half gets about as much as it has rows, more or less at random. So the shares of the
 * first rows, together, are known after as many steps as the tree has levels, on whatever thread asks.
 *
 * `variance` is that of a share in units of the mean share, squared: 0, all alike but for rounding; 1, as
 * of exponentially distributed shares, which are what lies between sorted random numbers. It is that of
 * shares with a gamma distribution. `most`, if not 0, bounds every share instead: then all shares up to it
 * are as likely.
 */
typedef struct atx_parting {
    atx_u64 rows, total, most;
    float variance;
} atx_parting;

/* x times a fraction of 2^32 */
ATX_BOTH atx_u64 atx_share_of(atx_u64 x, atx_u64 fraction)
{
    return (x >> 32) * fraction + ((x & 0xffffffffull) * fraction >> 32);
}

/* How far the share of the left half may be from its mean, to both sides. */
ATX_BOTH atx_u64 atx_parting_reach(const atx_parting *p, atx_u64 half)
{
    const float rows = (float)p->rows, left = (float)half;
    if (p->most) { /* root of 3 times the variance of so many numbers from 0 to `most`, of which the sum is
                      known */
        const float most = (float)p->most;
        return (atx_u64)sqrtf(left * (rows - left) / rows * 0.25f * (most * (most + 2.0f)));
    }
    const float widest = left / rows, reach = sqrtf(0.75f * p->variance / (rows + p->variance));
    return atx_share_of(p->total, (atx_u64)((reach < widest ? reach : widest) * 4294967296.0f));
}

/* All for one half, which is left where the variance is more than an even choice can have. */
ATX_BOTH int atx_parting_is_all(const atx_parting *p, atx_u64 random)
{
    const float rows = (float)p->rows,
                even = (float)(unsigned)(random >> 40) * 5.9604644775390625e-8f; /* 2^-24 */
    return !p->most && 2.0f * p->variance > rows &&
           even * 2.0f * (rows + p->variance) < 2.0f * p->variance - rows;
}

ATX_BOTH atx_u64 atx_parting_left(const atx_parting *p, atx_u64 half, atx_u64 random)
{
    const atx_u64 each = p->total / p->rows, rest = p->total % p->rows;
    if (atx_parting_is_all(p, random))
        return ((random & 0xffffff) * p->rows >> 24) < half ? p->total : 0;
    random = atx_mix(random);
    const atx_u64 others = (p->rows - half) * p->most, mine = half * p->most;
    const atx_u64 least = p->most && p->total > others ? p->total - others : 0;
    const atx_u64 most = p->most && p->total > mine ? mine : p->total;
    if (p->most && p->rows == 2)
        return least + atx_share_of(most - least + 1, random >> 32);
    const atx_u64 reach = 2 * atx_parting_reach(p, half), back = (reach + (random & 1)) / 2;
    const atx_u64 to = each * half + (rest + (random >> 1 & 1)) / 2 + atx_share_of(reach + 1, random >> 32);
    return to < least + back ? least : to - back > most ? most : to - back;
}

/* What a place in the parted total is: its row, and where this begins and how much it has. */
typedef struct atx_parted {
    atx_u64 row, begin, length;
} atx_parted;

/* Of row `row`, or, of a place in the total (by_place), of the row that has it. */
ATX_CALLED atx_parted atx_part_at(const atx_parting *whole, atx_u64 at, int by_place, atx_u64 seed)
{
    atx_parting p = *whole;
    atx_parted to = { 0, 0, 0 };
    for (atx_u64 node = 1; p.rows > 1;) {
        const atx_u64 half = p.rows / 2, left = atx_parting_left(&p, half, atx_random(seed, node));
        const int is_left = by_place ? at < left : at < half;
        at -= is_left ? 0 : by_place ? left : half;
        to.row += is_left ? 0 : half;
        to.begin += is_left ? 0 : left;
        p.total = is_left ? left : p.total - left;
        p.rows = is_left ? half : p.rows - half;
        node = 2 * node + !is_left;
    }
    to.length = p.total;
    return to;
}

/* The shares of the first so many rows, together. */
ATX_BOTH atx_u64 atx_parts_before(const atx_parting *p, atx_u64 rows, atx_u64 seed)
{
    if (!rows)
        return 0;
    const atx_parted last = atx_part_at(p, rows - 1, 0, seed);
    return last.begin + last.length;
}

/* The sum of so many numbers from 0 to `most`. */
ATX_BOTH atx_u64 atx_total_of(atx_u64 rows, atx_u64 most, atx_u64 seed)
{
    const atx_u64 mean = rows * most / 2, random = atx_random(seed, 0);
    const atx_u64 reach = (atx_u64)sqrtf((float)rows * 0.25f * ((float)most * ((float)most + 2.0f)));
    const atx_u64 back = reach < mean ? reach : mean;
    return mean - back + atx_share_of(2 * back + 1, random >> 32);
}

/* ---- the value of an element ---- */

/*
 * a and b are the bits of two doubles (uniform, sorted or not: width and low end; normal: deviation and mean;
 * constant: the value), or of integers (range, sorted: low end and how many there are, 0: all of 64 bits;
 * spread, columns: how many there are; prefix: least and most). Offsets begin so many rows, which share the
 * total. So do those that columns and segments go with, and `other` is the seed of these.
 */
typedef struct atx_filling {
    atx_u64 a, b, rows, total, variance, other; /* variance: the bits of a double */
    atx_u64 lock;                               /* of uniform, normal, range; 0: none */
} atx_filling;

ATX_BOTH atx_u64 atx_sorted(atx_u64 i, atx_u64 count, atx_u64 last, atx_u64 seed)
{
    const atx_parting gaps = { count + 1, last, 0, 1.0f };
    return atx_parts_before(&gaps, i + 1, seed);
}

ATX_BOTH atx_u64 atx_prefix(atx_u64 i, atx_u64 count, const atx_filling *f, atx_u64 seed)
{
    const atx_u64 rows = count - 1, most = f->b - f->a;
    const atx_parting lengths = { rows, most ? atx_total_of(rows, most, seed) : 0, most, 0.0f };
    return i * f->a + atx_parts_before(&lengths, i, seed);
}

ATX_BOTH atx_parting atx_parting_of(const atx_filling *f)
{
    const atx_parting lengths = { f->rows, f->total, 0, (float)atx_double_of(f->variance) };
    return lengths;
}

/* Floor of part * all / of, where part < of. */
ATX_BOTH atx_u64 atx_even_share(atx_u64 part, atx_u64 all, atx_u64 of)
{
    return of ? part * (all / of) + part * (all % of) / of : 0;
}

/* Columns of a row ascend, and none comes twice where there are enough. */
ATX_BOTH atx_u64 atx_row_column(atx_u64 i, const atx_filling *f, const atx_parted *in, atx_u64 seed)
{
    const atx_u64 at = i - in->begin, from = atx_even_share(at, f->a, in->length);
    const atx_u64 upto = at + 1 < in->length ? atx_even_share(at + 1, f->a, in->length) : f->a;
    return from + (upto > from ? atx_share_of(upto - from, atx_random(seed, i) >> 32) : 0);
}

ATX_BOTH atx_u64 atx_of_a_row(atx_u64 i, int how, const atx_filling *f, atx_u64 seed)
{
    const atx_parting lengths = atx_parting_of(f);
    const atx_parted in = atx_part_at(&lengths, i, 1, f->other);
    return how == ATX_SEGMENTS ? in.row : atx_row_column(i, f, &in, seed);
}

ATX_BOTH atx_u64 atx_offset(atx_u64 i, const atx_filling *f, atx_u64 seed)
{
    const atx_parting lengths = atx_parting_of(f);
    return atx_parts_before(&lengths, i, seed);
}

/* Made by parting a total, which takes a compiler longer than all else: see ATX_WITHOUT_ROWS. */
ATX_BOTH int atx_is_of_rows(int how)
{
    return how == ATX_SORTED || how == ATX_SORTED_UNIFORM || how == ATX_PREFIX || how == ATX_OFFSETS ||
           how == ATX_SEGMENTS || how == ATX_COLUMNS;
}

/* Number i of `count`. */
ATX_CALLED atx_u64 atx_generate(atx_u64 i, atx_u64 count, int number, int how, const atx_filling *f,
                                atx_u64 seed)
{
    const atx_u64 a = f->a, b = f->b;
    const double x = atx_double_of(a), y = atx_double_of(b);
    atx_u64 bits = 0;
    switch (how) {
    case ATX_BITS:
        bits = atx_random(seed, i);
        break;
    case ATX_UNIFORM:
        bits = atx_number_bits(fma(x, atx_unit_of(atx_random_locked(seed, i, f->lock)), y), number);
        break;
    case ATX_NORMAL:
        bits = atx_number_bits(fma(x, atx_random_normal(seed, i, f->lock), y), number);
        break;
    case ATX_RANGE:
        bits = atx_random_locked(seed, i, f->lock);
        bits = atx_integer_bits((long long)(a + (b ? bits % b : bits)), number);
        break;
    case ATX_PERMUTATION:
        bits = atx_integer_bits((long long)atx_permuted(i, count, seed), number);
        break;
    case ATX_SPREAD:
        bits =
            atx_integer_bits((long long)(atx_permuted(i, count > a ? count : a, seed) % (a ? a : 1)), number);
        break;
#ifndef ATX_WITHOUT_ROWS
    case ATX_SORTED:
        bits = atx_integer_bits((long long)(a + atx_sorted(i, count, b - 1, seed)), number);
        break;
    case ATX_SORTED_UNIFORM:
        bits = atx_number_bits(
            fma(x, (double)(long long)atx_sorted(i, count, (1ull << 53) - 1, seed) * 1.1102230246251565e-16,
                y),
            number);
        break;
    case ATX_PREFIX:
        bits = atx_integer_bits((long long)atx_prefix(i, count, f, seed), number);
        break;
    case ATX_OFFSETS:
        bits = atx_integer_bits((long long)atx_offset(i, f, seed), number);
        break;
    case ATX_SEGMENTS:
    case ATX_COLUMNS:
        bits = atx_integer_bits((long long)atx_of_a_row(i, how, f, seed), number);
        break;
#endif
    default:
        bits = atx_number_bits(x, number);
        break;
    }
    return bits & atx_number_mask(number);
}

/* ---- tolerances ---- */

/* Neighbouring numbers of a type have neighbouring places. */
ATX_BOTH long long atx_place(atx_u64 bits, int number)
{
    const int spare = 64 - 8 * atx_number_bytes(number);
    const atx_u64 sign = 1ull << (63 - spare);
    if (atx_number_class(number) == ATX_UNSIGNED)
        return (long long)(bits ^ 1ull << 63);
    if (atx_number_class(number) == ATX_SIGNED)
        return (long long)(bits << spare) >> spare;
    return bits & sign ? -(long long)(bits & ~sign) : (long long)bits;
}

ATX_BOTH double atx_infinity(void)
{
    return atx_double_of(0x7ff0000000000000ull);
}

/*
 * 0: this number is right. Otherwise how wrong it is: by which factor it is farther away than allowed, or how
 * far; infinity where only one of the two is finite. Of ATX_NORM always how far: the sum of squares decides.
 * a: relative, ulps, or the norm; b: absolute.
 */
ATX_CALLED double atx_wrong_by(atx_u64 got, atx_u64 right, int number, int check, double a, double b)
{
    const double x = atx_number_value(got, number), y = atx_number_value(right, number);
    if (got == right)
        return 0;
    if (check == ATX_EXACT)
        return atx_infinity();
    if (!atx_is_finite(x) || !atx_is_finite(y))
        return x == y || (atx_is_nan(x) && atx_is_nan(y)) ? 0 : atx_infinity();
    if (check == ATX_ULP) {
        const long long p = atx_place(got, number), q = atx_place(right, number);
        const double ulps = (double)(p > q ? (atx_u64)p - (atx_u64)q : (atx_u64)q - (atx_u64)p);
        return ulps <= a ? 0 : ulps;
    }
    const double off = fabs(x - y), allowed = check == ATX_NORM ? 0 : a * fabs(y) + b;
    if (check == ATX_NORM)
        return off;
    return off <= allowed ? 0 : allowed > 0 ? off / allowed : atx_infinity();
}

/* ---- sums of squares ---- */

/*
 * Squares of doubles leave their range: so there are three sums, of numbers below 2^-480 times 2^600, of
 * those up to 2^480, and of larger ones times 2^-600. 2^60 numbers have room in each.
 */
enum { ATX_SQUARES = 3 };

ATX_BOTH double atx_two_to(int exponent)
{
    return atx_double_of((atx_u64)(1023 + exponent) << 52);
}

/* Adds finite numbers only. */
ATX_BOTH void atx_squares_add(double sums[ATX_SQUARES], double x)
{
    const int which = fabs(x) < atx_two_to(-480) ? 0 : fabs(x) <= atx_two_to(480) ? 1 : 2;
    const double scaled = which == 1 ? x : x * atx_two_to(which ? -600 : 600);
    sums[which] += scaled * scaled;
}

/* The root of all three; its true value is 2^*exponent times that. */
ATX_BOTH double atx_squares_root(int *exponent, const double sums[ATX_SQUARES])
{
    const int top = sums[2] > 0 ? 2 : sums[1] > 0 ? 1 : 0;
    const double below = top ? sums[top - 1] * atx_two_to(-600) * atx_two_to(-600) : 0;
    *exponent = 600 * (top - 1);
    return sqrt(sums[top] + below);
}

/* How far off the whole is, in units of the whole: of ATX_NORM this is at most the norm. */
ATX_BOTH double atx_norm_of(const double off[ATX_SQUARES], const double all[ATX_SQUARES])
{
    int of_off, of_all;
    const double numerator = atx_squares_root(&of_off, off), denominator = atx_squares_root(&of_all, all);
    if (numerator == 0)
        return 0;
    return denominator > 0 ? ldexp(numerator / denominator, of_off - of_all) : atx_infinity();
}

/* What an output begins with where nothing is near it: NaN, or where that is right, 0; an integer half of all
 * away. */
ATX_BOTH atx_u64 atx_far_from(atx_u64 right, int number)
{
    if (atx_number_class(number) <= ATX_SIGNED)
        return right ^ 1ull << (8 * atx_number_bytes(number) - 1);
    return atx_is_nan(atx_number_value(right, number)) ? 0 : atx_number_mask(number);
}

#endif
