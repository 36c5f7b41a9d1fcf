/*
 * machine_half.c - f16 and bf16, single and packed: computed exactly in double precision, or as a sum and its
 * rounding error, and rounded once.
 */
#include "machine/machine_round.h"
#include "machine/machine_internal.h"

#include <math.h>

static int element_of(int type)
{
    return type == ATX_PTX_F16X2 ? ATX_PTX_F16 : type == ATX_PTX_BF16X2 ? ATX_PTX_BF16 : type;
}

/* Subnormals of f16 as zeroes, where .ftz says so. */
static uint32_t flushed(uint32_t bits)
{
    return (bits & 0x7c00) == 0 ? bits & 0x8000 : bits;
}

/* The exact result is *rest more than the returned one. */
static double compute(const atx_ptx_instruction *i, double a, double b, double c, double *rest)
{
    *rest = 0;
    switch (i->op) {
    case ATX_PTX_ADD:
        return atx_two_sum(rest, a, b);
    case ATX_PTX_SUB:
        return atx_two_sum(rest, a, -b);
    case ATX_PTX_MUL:
        return a * b;
    case ATX_PTX_FMA:
        return atx_two_sum(rest, a * b, c);
    case ATX_PTX_MIN:
        return atx_extreme(a, b, false, i->flags & ATX_PTX_NAN_RESULT);
    case ATX_PTX_MAX:
        return atx_extreme(a, b, true, i->flags & ATX_PTX_NAN_RESULT);
    case ATX_PTX_EX2:
        return exp2(a);
    default:
        return tanh(a);
    }
}

static uint32_t one(const atx_ptx_instruction *i, int type, uint32_t A, uint32_t B, uint32_t C)
{
    const bool ftz = (i->flags & ATX_PTX_FTZ) && type == ATX_PTX_F16;
    if (i->op == ATX_PTX_NEG)
        return (ftz ? flushed(A) : A) ^ 0x8000;
    if (i->op == ATX_PTX_ABS)
        return (ftz ? flushed(A) : A) & 0x7fff;
    const double a = atx_widen(ftz ? flushed(A) : A, type), b = atx_widen(ftz ? flushed(B) : B, type);
    const double c = atx_widen(ftz ? flushed(C) : C, type);
    double rest, value = compute(i, a, b, c, &rest);
    if (!isfinite(value) || !isfinite(rest))
        rest = 0;
    if (i->flags & ATX_PTX_SAT)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (i->flags & ATX_PTX_RELU)
        value = isnan(value) || value > 0 ? value : 0;
    if (value == 0 || value == 1)
        rest = (i->flags & (ATX_PTX_SAT | ATX_PTX_RELU)) ? 0 : rest;
    const uint32_t bits = atx_round_to(value, rest, type, ATX_PTX_RN, false);
    return ftz ? flushed(bits) : bits;
}

static uint64_t one_or_two(const atx_ptx_instruction *i, uint32_t a, uint32_t b, uint32_t c)
{
    const int type = element_of(i->type);
    const uint32_t low = one(i, type, a & 0xffff, b & 0xffff, c & 0xffff);
    return type == i->type ? low : low | one(i, type, a >> 16, b >> 16, c >> 16) << 16;
}
ATX_LANE_OP(half, uint32_t, (uint32_t), one_or_two(d->ptx, a, b, c))

/* ---- comparing ---- */

static uint32_t compared(const atx_ptx_instruction *i, int type, const uint64_t *a, const uint64_t *b,
                         int shift)
{
    const bool ftz = (i->flags & ATX_PTX_FTZ) && type == ATX_PTX_F16;
    uint32_t out = 0;
    for (int l = 0; l < ATX_LANES; l++) {
        const uint32_t A = (uint32_t)(a[l] >> shift) & 0xffff, B = (uint32_t)(b[l] >> shift) & 0xffff;
        const double p = atx_widen(ftz ? flushed(A) : A, type), q = atx_widen(ftz ? flushed(B) : B, type);
        out |= (uint32_t)atx_compare(p, q, i->compare) << l;
    }
    return out;
}

/* p{|q}, a, b: of packed numbers p is of the lower ones, q of the upper. */
static void setp_half(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int type = element_of(d->ptx->type), first = d->ptx->group_count == 4 ? 2 : 1;
    const uint64_t *a = atx_group(x, d, first), *b = atx_group(x, d, first + 1);
    const uint32_t low = compared(d->ptx, type, a, b, 0);
    const uint32_t high = type != d->ptx->type ? compared(d->ptx, type, a, b, 16) : ~low;
    atx_put_predicate(atx_group(x, d, 0), mask, low);
    if (first == 2)
        atx_put_predicate(atx_group(x, d, 1), mask, high);
}

/* Of two numbers at once: all ones, or 1 where the result is a number, where they compare so. */
static void set_half(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_instruction *i = d->ptx;
    const int type = element_of(i->from);
    const bool packed = type != i->from;
    const uint64_t *a = atx_group(x, d, 1), *b = atx_group(x, d, 2);
    const uint32_t low = compared(i, type, a, b, 0), high = packed ? compared(i, type, a, b, 16) : 0;
    const int result = element_of(i->type);
    const uint64_t yes = result == ATX_PTX_F16                                        ? 0x3c00
                         : result == ATX_PTX_BF16                                     ? 0x3f80
                         : packed || i->type == ATX_PTX_U16 || i->type == ATX_PTX_S16 ? 0xffff
                                                                                      : UINT32_MAX;
    uint64_t *to = atx_group(x, d, 0);
    ATX_EACH_LANE(mask, to[l] = (low >> l & 1 ? yes : 0) | (high >> l & 1 ? yes << 16 : 0));
}

/* ---- choosing ---- */

static bool is_half(int type)
{
    return type == ATX_PTX_F16 || type == ATX_PTX_F16X2 || type == ATX_PTX_BF16 || type == ATX_PTX_BF16X2;
}

static atx_handler *select_arithmetic(const atx_ptx_instruction *i, int groups, uint32_t known)
{
    return i->group_count == groups && !(i->flags & ~known) && !i->from &&
                   (i->round == ATX_PTX_ROUND_NONE || i->round == ATX_PTX_RN)
               ? half
               : NULL;
}

atx_handler *atx_select_half(const atx_ptx_instruction *i)
{
    const uint32_t ftz = ATX_PTX_FTZ;
    if (i->op == ATX_PTX_SET && is_half(i->from) && i->compare && !i->action && !(i->flags & ~ftz) &&
        i->group_count == 3)
        return set_half;
    if (!is_half(i->type))
        return NULL;
    switch (i->op) {
    case ATX_PTX_ADD:
    case ATX_PTX_SUB:
    case ATX_PTX_MUL:
        return select_arithmetic(i, 3, ftz | ATX_PTX_SAT);
    case ATX_PTX_FMA:
        return select_arithmetic(i, 4, ftz | ATX_PTX_SAT | ATX_PTX_RELU);
    case ATX_PTX_MIN:
    case ATX_PTX_MAX:
        return select_arithmetic(i, 3, ftz | ATX_PTX_NAN_RESULT);
    case ATX_PTX_NEG:
    case ATX_PTX_ABS:
        return select_arithmetic(i, 2, ftz);
    case ATX_PTX_EX2:
    case ATX_PTX_TANH:
        return i->flags & ATX_PTX_APPROX ? select_arithmetic(i, 2, ftz | ATX_PTX_APPROX | ATX_PTX_INEXACT)
                                         : NULL;
    case ATX_PTX_SETP:
        return i->compare && !i->action && !i->from && !(i->flags & ~ftz) &&
                       (i->compare < ATX_PTX_LO || i->compare > ATX_PTX_HS)
                   ? setp_half
                   : NULL;
    default:
        return NULL;
    }
}
