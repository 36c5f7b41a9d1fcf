/*
 * machine_half.c - f16 and bf16, single and packed: computed exactly in double precision, or as a sum and
 * what it has lost, and rounded once.
 */
#include "machine/machine_round.h"
#include "machine/machine_parts.h"

#include <math.h>

static int element_of(int type)
{
    return type == AT__PTX_F16X2 ? AT__PTX_F16 : type == AT__PTX_BF16X2 ? AT__PTX_BF16 : type;
}

/* Subnormals of f16 as zeroes, where .ftz says so. */
static uint32_t flushed(uint32_t bits)
{
    return (bits & 0x7c00) == 0 ? bits & 0x8000 : bits;
}

static double extreme(double a, double b, bool largest, bool nan_wins)
{
    if (isnan(a) || isnan(b))
        return nan_wins || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
    const bool first = a == b ? signbit(a) != largest : (a < b) != largest;
    return first ? a : b;
}

/* The exact result is *rest more than what is returned. */
static double compute(const at__ptx_instruction *i, double a, double b, double c, double *rest)
{
    *rest = 0;
    switch (i->op) {
    case AT__PTX_ADD:
        return at__two_sum(rest, a, b);
    case AT__PTX_SUB:
        return at__two_sum(rest, a, -b);
    case AT__PTX_MUL:
        return a * b;
    case AT__PTX_FMA:
        return at__two_sum(rest, a * b, c);
    case AT__PTX_MIN:
        return extreme(a, b, false, i->flags & AT__PTX_NAN_RESULT);
    case AT__PTX_MAX:
        return extreme(a, b, true, i->flags & AT__PTX_NAN_RESULT);
    case AT__PTX_EX2:
        return exp2(a);
    default:
        return tanh(a);
    }
}

static uint32_t one(const at__ptx_instruction *i, int type, uint32_t A, uint32_t B, uint32_t C)
{
    const bool ftz = (i->flags & AT__PTX_FTZ) && type == AT__PTX_F16;
    if (i->op == AT__PTX_NEG)
        return (ftz ? flushed(A) : A) ^ 0x8000;
    if (i->op == AT__PTX_ABS)
        return (ftz ? flushed(A) : A) & 0x7fff;
    const double a = at__widen(ftz ? flushed(A) : A, type), b = at__widen(ftz ? flushed(B) : B, type);
    const double c = at__widen(ftz ? flushed(C) : C, type);
    double rest, value = compute(i, a, b, c, &rest);
    if (!isfinite(value) || !isfinite(rest))
        rest = 0;
    if (i->flags & AT__PTX_SAT)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (i->flags & AT__PTX_RELU)
        value = isnan(value) || value > 0 ? value : 0;
    if (value == 0 || value == 1)
        rest = (i->flags & (AT__PTX_SAT | AT__PTX_RELU)) ? 0 : rest;
    const uint32_t bits = at__round_to(value, rest, type, AT__PTX_RN, false);
    return ftz ? flushed(bits) : bits;
}

static void half(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int type = element_of(d->ptx->type);
    const bool packed = type != d->ptx->type;
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1), *b = at__group(x, d, 2), *c = at__group(x, d, 3);
    AT__EACH_LANE(mask, {
        uint64_t bits = one(d->ptx, type, a[l] & 0xffff, b[l] & 0xffff, c[l] & 0xffff);
        if (packed)
            bits |= (uint64_t)one(d->ptx, type, a[l] >> 16 & 0xffff, b[l] >> 16 & 0xffff, c[l] >> 16 & 0xffff)
                    << 16;
        to[l] = bits;
    });
}

/* ---- comparing ---- */

static bool holds(double a, double b, int how)
{
    const bool unordered = isnan(a) || isnan(b);
    switch (how) {
    case AT__PTX_EQ:
        return a == b;
    case AT__PTX_NE:
        return !unordered && a != b;
    case AT__PTX_LT:
        return a < b;
    case AT__PTX_LE:
        return a <= b;
    case AT__PTX_GT:
        return a > b;
    case AT__PTX_GE:
        return a >= b;
    case AT__PTX_EQU:
        return unordered || a == b;
    case AT__PTX_NEU:
        return a != b || unordered;
    case AT__PTX_LTU:
        return unordered || a < b;
    case AT__PTX_LEU:
        return unordered || a <= b;
    case AT__PTX_GTU:
        return unordered || a > b;
    case AT__PTX_GEU:
        return unordered || a >= b;
    case AT__PTX_NUM:
        return !unordered;
    default:
        return unordered;
    }
}

static uint32_t compared(const at__ptx_instruction *i, int type, const uint64_t *a, const uint64_t *b,
                         int shift)
{
    const bool ftz = (i->flags & AT__PTX_FTZ) && type == AT__PTX_F16;
    uint32_t out = 0;
    for (int l = 0; l < AT__LANES; l++) {
        const uint32_t A = (uint32_t)(a[l] >> shift) & 0xffff, B = (uint32_t)(b[l] >> shift) & 0xffff;
        const double p = at__widen(ftz ? flushed(A) : A, type), q = at__widen(ftz ? flushed(B) : B, type);
        out |= (uint32_t)holds(p, q, i->compare) << l;
    }
    return out;
}

static void put(uint64_t *to, uint32_t mask, uint32_t bits)
{
    *to = (*to & ~(uint64_t)mask) | (bits & mask);
}

/* p{|q}, a, b: of packed numbers p is of the lower ones, q of the upper. */
static void setp_half(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int type = element_of(d->ptx->type), first = d->ptx->group_count == 4 ? 2 : 1;
    const uint64_t *a = at__group(x, d, first), *b = at__group(x, d, first + 1);
    const uint32_t low = compared(d->ptx, type, a, b, 0);
    const uint32_t high = type != d->ptx->type ? compared(d->ptx, type, a, b, 16) : ~low;
    put(at__group(x, d, 0), mask, low);
    if (first == 2)
        put(at__group(x, d, 1), mask, high);
}

/* Of two numbers at once: all ones, or 1 where the result is a number, where they compare so. */
static void set_half(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const at__ptx_instruction *i = d->ptx;
    const int type = element_of(i->from);
    const bool packed = type != i->from;
    const uint64_t *a = at__group(x, d, 1), *b = at__group(x, d, 2);
    const uint32_t low = compared(i, type, a, b, 0), high = packed ? compared(i, type, a, b, 16) : 0;
    const int result = element_of(i->type);
    const uint64_t yes = result == AT__PTX_F16                                        ? 0x3c00
                         : result == AT__PTX_BF16                                     ? 0x3f80
                         : packed || i->type == AT__PTX_U16 || i->type == AT__PTX_S16 ? 0xffff
                                                                                      : UINT32_MAX;
    uint64_t *to = at__group(x, d, 0);
    AT__EACH_LANE(mask, to[l] = (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0));
}

/* ---- choosing ---- */

static bool is_half(int type)
{
    return type == AT__PTX_F16 || type == AT__PTX_F16X2 || type == AT__PTX_BF16 || type == AT__PTX_BF16X2;
}

static at__handler *select_arithmetic(const at__ptx_instruction *i, int groups, uint32_t known)
{
    return i->group_count == groups && !(i->flags & ~known) && !i->from &&
                   (i->round == AT__PTX_ROUND_NONE || i->round == AT__PTX_RN)
               ? half
               : NULL;
}

at__handler *at__select_half(const at__ptx_instruction *i)
{
    const uint32_t ftz = AT__PTX_FTZ;
    if (i->op == AT__PTX_SET && is_half(i->from) && i->compare && !i->action && !(i->flags & ~ftz) &&
        i->group_count == 3)
        return set_half;
    if (!is_half(i->type))
        return NULL;
    switch (i->op) {
    case AT__PTX_ADD:
    case AT__PTX_SUB:
    case AT__PTX_MUL:
        return select_arithmetic(i, 3, ftz | AT__PTX_SAT);
    case AT__PTX_FMA:
        return select_arithmetic(i, 4, ftz | AT__PTX_SAT | AT__PTX_RELU);
    case AT__PTX_MIN:
    case AT__PTX_MAX:
        return select_arithmetic(i, 3, ftz | AT__PTX_NAN_RESULT);
    case AT__PTX_NEG:
    case AT__PTX_ABS:
        return select_arithmetic(i, 2, ftz);
    case AT__PTX_EX2:
    case AT__PTX_TANH:
        return i->flags & AT__PTX_APPROX ? select_arithmetic(i, 2, ftz | AT__PTX_APPROX | AT__PTX_INEXACT)
                                         : NULL;
    case AT__PTX_SETP:
        return i->compare && !i->action && !i->from && !(i->flags & ~ftz) &&
                       (i->compare < AT__PTX_LO || i->compare > AT__PTX_HS)
                   ? setp_half
                   : NULL;
    default:
        return NULL;
    }
}
