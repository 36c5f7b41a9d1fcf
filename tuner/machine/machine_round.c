/*
 * machine_round.c - see machine_round.h. Small formats are made of the integer significand; for f32 and f64
 * the processor's own rounding mode is switched. Operands are volatile, so that nothing is computed before
 * the switch or after it is undone.
 */
#include "machine/machine_round.h"

#include <fenv.h>
#include <math.h>

typedef struct format {
    int bits;  /* of the significand, with the leading one */
    int least; /* exponent of the smallest number above 0  */
    uint32_t largest, infinity, nan, sign;
} format;

static const format formats[ATX_PTX_TYPE_COUNT] = {
    [ATX_PTX_F16] = { 11, -24, 0x7bff, 0x7c00, 0x7fff, 0x8000 },
    [ATX_PTX_BF16] = { 8, -133, 0x7f7f, 0x7f80, 0x7fff, 0x8000 },
    [ATX_PTX_TF32] = { 11, -136, 0x3fbff, 0x3fc00, 0x3ffff, 0x40000 },
    [ATX_PTX_E4M3X2] = { 4, -9, 0x7e, 0x7f, 0x7f, 0x80 },
    [ATX_PTX_E5M2X2] = { 3, -16, 0x7b, 0x7c, 0x7f, 0x80 },
    [ATX_PTX_F32] = { 24, -149, 0x7f7fffff, 0x7f800000, 0x7fffffff, 0x80000000 },
};

/* Whether a significand with this rest is rounded away from 0. */
static bool goes_up(uint64_t kept, uint64_t rest, uint64_t half, bool negative, int round)
{
    switch (round) {
    case ATX_PTX_RZ:
        return false;
    case ATX_PTX_RM:
        return negative && rest;
    case ATX_PTX_RP:
        return !negative && rest;
    case ATX_PTX_RNA:
        return rest >= half;
    default:
        return rest > half || (rest == half && (kept & 1));
    }
}

static uint32_t too_large(const format *f, bool negative, int round, bool finite)
{
    const bool inward =
        round == ATX_PTX_RZ || (round == ATX_PTX_RM && !negative) || (round == ATX_PTX_RP && negative);
    return (finite || inward ? f->largest : f->infinity) | (negative ? f->sign : 0);
}

static uint32_t pack(double value, double rest, const format *f, int round, bool finite)
{
    int exponent = 0;
    const bool negative = signbit(value);
    uint64_t m = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53) << 8;
    exponent -= 61;
    if (rest != 0) {
        m -= (rest < 0) != negative;
        m |= 1;
    }
    const int top = exponent + 63 - __builtin_clzll(m);
    const int last = top - (f->bits - 1) > f->least ? top - (f->bits - 1) : f->least;
    const int shift = last - exponent;
    uint64_t kept = shift > 63 ? 0 : shift > 0 ? m >> shift : m << -shift;
    if (shift > 0) {
        const uint64_t left = shift > 63 ? (m ? 1 : 0) : m & (((uint64_t)1 << shift) - 1);
        const uint64_t half = shift > 63 ? 2 : (uint64_t)1 << (shift - 1);
        kept += goes_up(kept, left, half, negative, round);
    }
    const uint64_t one = (uint64_t)1 << (f->bits - 1);
    const uint64_t field = (uint64_t)(last - f->least);
    const uint64_t bits = kept < one ? kept : ((field + 1) << (f->bits - 1)) + kept - one;
    return bits > f->largest ? too_large(f, negative, round, finite)
                             : (uint32_t)bits | (negative ? f->sign : 0);
}

uint32_t atx_round_to(double value, double rest, int type, int round, bool finite)
{
    const format *f = &formats[type];
    const uint32_t sign = signbit(value) ? f->sign : 0;
    uint32_t bits;
    if (isnan(value))
        bits = f->nan;
    else if (isinf(value))
        bits = (finite ? f->largest : f->infinity) | sign;
    else if (value == 0)
        bits = sign;
    else
        bits = pack(value, rest, f, round, finite);
    return type == ATX_PTX_TF32 ? bits << 13 : bits;
}

double atx_widen(uint32_t bits, int type)
{
    const format *f = &formats[type];
    if (type == ATX_PTX_TF32)
        bits >>= 13;
    const uint32_t size = bits & (f->sign - 1), low = ((uint32_t)1 << (f->bits - 1)) - 1;
    const int field = (int)(size >> (f->bits - 1));
    double value;
    if (size > f->infinity || (type == ATX_PTX_E4M3X2 && size == f->nan))
        return NAN;
    if (size == f->infinity)
        value = INFINITY;
    else if (field == 0)
        value = ldexp(size, f->least);
    else
        value = ldexp((size & low) | (low + 1), f->least + field - 1);
    return bits & f->sign ? -value : value;
}

/* ---- the processor's modes ---- */

static int mode_of(int round)
{
    switch (round) {
    case ATX_PTX_RZ:
    case ATX_PTX_RZI:
        return FE_TOWARDZERO;
    case ATX_PTX_RM:
    case ATX_PTX_RMI:
        return FE_DOWNWARD;
    case ATX_PTX_RP:
    case ATX_PTX_RPI:
        return FE_UPWARD;
    default:
        return FE_TONEAREST;
    }
}

#define DIRECTED(name, T, FMA, SQRT)                                                                         \
    T name(atx_arith op, int round, T a, T b, T c)                                                           \
    {                                                                                                        \
        volatile T p = a, q = b, r = c, out = 0;                                                             \
        const int before = fegetround();                                                                     \
        fesetround(mode_of(round));                                                                          \
        switch (op) {                                                                                        \
        case ATX_ARITH_ADD:                                                                                  \
            out = p + q;                                                                                     \
            break;                                                                                           \
        case ATX_ARITH_MUL:                                                                                  \
            out = p * q;                                                                                     \
            break;                                                                                           \
        case ATX_ARITH_FMA:                                                                                  \
            out = FMA(p, q, r);                                                                              \
            break;                                                                                           \
        case ATX_ARITH_DIV:                                                                                  \
            out = p / q;                                                                                     \
            break;                                                                                           \
        case ATX_ARITH_SQRT:                                                                                 \
            out = SQRT(p);                                                                                   \
            break;                                                                                           \
        }                                                                                                    \
        fesetround(before);                                                                                  \
        return out;                                                                                          \
    }

DIRECTED(atx_directed_f32, float, fmaf, sqrtf)
DIRECTED(atx_directed_f64, double, fma, sqrt)

#define CONVERTING(name, T, F)                                                                               \
    T name(F value, int round)                                                                               \
    {                                                                                                        \
        volatile F from = value;                                                                             \
        volatile T to;                                                                                       \
        const int before = fegetround();                                                                     \
        fesetround(mode_of(round));                                                                          \
        to = (T)from;                                                                                        \
        fesetround(before);                                                                                  \
        return to;                                                                                           \
    }

CONVERTING(atx_narrow, float, double)
CONVERTING(atx_s64_to_f32, float, int64_t)
CONVERTING(atx_u64_to_f32, float, uint64_t)
CONVERTING(atx_s64_to_f64, double, int64_t)
CONVERTING(atx_u64_to_f64, double, uint64_t)
