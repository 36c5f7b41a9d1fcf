/*
 * machine_float.c - f32 and f64. To nearest it is C's own arithmetic, other roundings are those of
 * machine_round.h. A result that is no number is the one that the ISA says: 0x7fffffff in f32.
 */
#include "machine/machine_round.h"
#include "machine/machine_internal.h"

#include <math.h>

#define NAN_F32 0x7fffffffu

/* ---- f32 ---- */

static inline uint64_t canonical(float value)
{
    return value != value ? NAN_F32 : atx_bits_f32(value);
}

static inline uint64_t saturate(uint64_t bits)
{
    const float value = atx_f32(bits);
    return value > 0 ? atx_bits_f32(value < 1 ? value : 1) : 0;
}

#define F32_OP(name, expression) ATX_LANE_OP(name, float, atx_f32, canonical(expression))

F32_OP(add_f32, a + b)
F32_OP(sub_f32, a - b)
F32_OP(mul_f32, a *b)
F32_OP(fma_f32, fmaf(a, b, c))
F32_OP(div_f32, a / b)
F32_OP(rcp_f32, 1.0f / a)
F32_OP(sqrt_f32, sqrtf(a))

/*
 * Whether a result that was rounded to the smallest normal number is smaller before that: code that flushes
 * looks at it with all exponents. Larger by 2^64 it is not near any end.
 */
static bool is_tiny(const atx_ptx_instruction *i, float a, float b, float c)
{
    const float up = 0x1p64f, *smaller = fabsf(a) < fabsf(b) ? &a : &b;
    float value;
    switch (i->op) {
    case ATX_PTX_MUL:
        value = atx_directed_f32(ATX_ARITH_MUL, i->round, *smaller * up, smaller == &a ? b : a, 0);
        break;
    case ATX_PTX_FMA:
    case ATX_PTX_MAD:
        value = atx_directed_f32(ATX_ARITH_FMA, i->round, *smaller * up, smaller == &a ? b : a, c * up);
        break;
    case ATX_PTX_DIV:
        value = atx_directed_f32(ATX_ARITH_DIV, i->round, a * up, b, 0);
        break;
    case ATX_PTX_RCP:
        value = atx_directed_f32(ATX_ARITH_DIV, i->round, up, a, 0);
        break;
    default: /* sums of this size are exact, and roots are larger */
        return false;
    }
    return fabsf(value) < 0x1p-62f;
}

/* Any rounding, subnormals as zeroes where told, cut to 0..1 where told. */
static uint64_t one_f32(const atx_ptx_instruction *i, uint64_t A, uint64_t B, uint64_t C)
{
    const bool ftz = i->flags & ATX_PTX_FTZ;
    const float a = atx_f32(atx_flush_f32(A, ftz)), b = atx_f32(atx_flush_f32(B, ftz));
    const float c = atx_f32(atx_flush_f32(C, ftz));
    float value;
    switch (i->op) {
    case ATX_PTX_ADD:
        value = atx_directed_f32(ATX_ARITH_ADD, i->round, a, b, 0);
        break;
    case ATX_PTX_SUB:
        value = atx_directed_f32(ATX_ARITH_ADD, i->round, a, -b, 0);
        break;
    case ATX_PTX_MUL:
        value = atx_directed_f32(ATX_ARITH_MUL, i->round, a, b, 0);
        break;
    case ATX_PTX_DIV:
        value = atx_directed_f32(ATX_ARITH_DIV, i->round, a, b, 0);
        break;
    case ATX_PTX_RCP:
        value = atx_directed_f32(ATX_ARITH_DIV, i->round, 1, a, 0);
        break;
    case ATX_PTX_SQRT:
        value = atx_directed_f32(ATX_ARITH_SQRT, i->round, a, 0, 0);
        break;
    default:
        value = atx_directed_f32(ATX_ARITH_FMA, i->round, a, b, c);
        break;
    }
    if (ftz && fabsf(value) == 0x1p-126f && is_tiny(i, a, b, c))
        value = copysignf(0, value);
    const uint64_t bits = atx_flush_f32(canonical(value), ftz);
    return i->flags & ATX_PTX_SAT ? saturate(bits) : bits;
}

ATX_LANE_OP(any_f32, uint64_t, (uint64_t), one_f32(d->ptx, a, b, c))

/* Two numbers in 64 bits. */
ATX_LANE_OP(any_f32x2, uint64_t, (uint64_t),
            one_f32(d->ptx, a, b, c) | one_f32(d->ptx, a >> 32, b >> 32, c >> 32) << 32)

static uint64_t extreme_f32(const atx_ptx_instruction *i, uint64_t A, uint64_t B)
{
    const bool ftz = i->flags & ATX_PTX_FTZ, nan = i->flags & ATX_PTX_NAN_RESULT;
    float a = atx_f32(atx_flush_f32(A, ftz)), b = atx_f32(atx_flush_f32(B, ftz));
    const uint64_t sign = (A ^ B) & 0x80000000;
    if (i->flags & ATX_PTX_XORSIGN) {
        a = fabsf(a);
        b = fabsf(b);
    }
    const uint64_t bits = canonical((float)atx_extreme(a, b, i->op == ATX_PTX_MAX, nan));
    return i->flags & ATX_PTX_XORSIGN && bits != NAN_F32 ? bits | sign : bits;
}

static uint64_t extreme_of_group(const atx_ptx_instruction *i, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t two = extreme_f32(i, a, b);
    return i->group_count == 4 ? extreme_f32(i, two, c) : two;
}

static bool flushes(const atx_decoded *d)
{
    return d->ptx->flags & ATX_PTX_FTZ;
}

ATX_LANE_OP(minmax_f32, uint64_t, (uint64_t), extreme_of_group(d->ptx, a, b, c))
ATX_LANE_OP(neg_f32, uint64_t, (uint64_t), (uint32_t)(atx_flush_f32(a, flushes(d)) ^ 0x80000000))
ATX_LANE_OP(abs_f32, uint64_t, (uint64_t), atx_flush_f32(a, flushes(d)) & 0x7fffffff)
ATX_LANE_OP(copysign_f32, uint64_t, (uint64_t), (a & 0x80000000) | (b & 0x7fffffff))

/* ---- f64 ---- */

#define F64_OP(name, expression) ATX_LANE_OP(name, double, atx_f64, atx_bits_f64(expression))
#define F64_ARITH(name, ...)     ATX_LANE_OP(name, double, atx_f64, atx_result_f64(__VA_ARGS__))

/* Of two NaNs the second stays. */
static double least_f64(double a, double b)
{
    return isnan(a) || isnan(b) ? (isnan(a) ? b : a) : atx_extreme(a, b, false, false);
}

F64_ARITH(add_f64, a + b, a, b, 0)
F64_ARITH(sub_f64, a - b, a, b, 0)
F64_ARITH(mul_f64, a *b, a, b, 0)
F64_ARITH(fma_f64, fma(a, b, c), a, b, c)
F64_ARITH(div_f64, a / b, a, b, 0)
F64_ARITH(rcp_f64, 1.0 / a, a, 0, 0)
F64_ARITH(sqrt_f64, sqrt(a), a, 0, 0)
F64_OP(min_f64, least_f64(a, b))
F64_OP(max_f64, -least_f64(-a, -b))
F64_OP(neg_f64, -a)
F64_OP(abs_f64, fabs(a))
F64_OP(copysign_f64, copysign(b, a))
F64_ARITH(add_any_f64, atx_directed_f64(ATX_ARITH_ADD, d->ptx->round, a, b, 0), a, b, 0)
F64_ARITH(sub_any_f64, atx_directed_f64(ATX_ARITH_ADD, d->ptx->round, a, -b, 0), a, b, 0)
F64_ARITH(mul_any_f64, atx_directed_f64(ATX_ARITH_MUL, d->ptx->round, a, b, 0), a, b, 0)
F64_ARITH(fma_any_f64, atx_directed_f64(ATX_ARITH_FMA, d->ptx->round, a, b, c), a, b, c)
F64_ARITH(div_any_f64, atx_directed_f64(ATX_ARITH_DIV, d->ptx->round, a, b, 0), a, b, 0)
F64_ARITH(rcp_any_f64, atx_directed_f64(ATX_ARITH_DIV, d->ptx->round, 1, a, 0), a, 0, 0)
F64_ARITH(sqrt_any_f64, atx_directed_f64(ATX_ARITH_SQRT, d->ptx->round, a, 0, 0), a, 0, 0)

/* ---- classes of numbers ---- */

static bool is_of_class(double value, bool subnormal, int form)
{
    switch (form) {
    case ATX_PTX_TEST_FINITE:
        return isfinite(value);
    case ATX_PTX_TEST_INFINITE:
        return isinf(value);
    case ATX_PTX_TEST_NUMBER:
        return !isnan(value);
    case ATX_PTX_TEST_NOT_NUMBER:
        return isnan(value);
    case ATX_PTX_TEST_NORMAL:
        return isfinite(value) && value != 0 && !subnormal;
    default:
        return subnormal;
    }
}

static void testp(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const bool narrow = d->ptx->type == ATX_PTX_F32;
    const uint64_t *a = atx_group(x, d, 1);
    uint32_t bits = 0;
    for (int l = 0; l < ATX_LANES; l++) {
        const bool subnormal =
            narrow ? fpclassify(atx_f32(a[l])) == FP_SUBNORMAL : fpclassify(atx_f64(a[l])) == FP_SUBNORMAL;
        const double value = narrow ? (double)atx_f32(a[l]) : atx_f64(a[l]);
        bits |= (uint32_t)is_of_class(value, subnormal, d->ptx->form) << l;
    }
    atx_put_predicate(atx_group(x, d, 0), mask, bits);
}

/* ---- choosing ---- */

typedef struct choice {
    uint8_t op, type;
    atx_handler *nearest, *any; /* to nearest without flags; `any` may be NULL */
} choice;

static const choice choices[] = {
    { ATX_PTX_ADD, ATX_PTX_F32, add_f32, any_f32 },
    { ATX_PTX_SUB, ATX_PTX_F32, sub_f32, any_f32 },
    { ATX_PTX_MUL, ATX_PTX_F32, mul_f32, any_f32 },
    { ATX_PTX_FMA, ATX_PTX_F32, fma_f32, any_f32 },
    { ATX_PTX_MAD, ATX_PTX_F32, fma_f32, any_f32 },
    { ATX_PTX_DIV, ATX_PTX_F32, div_f32, any_f32 },
    { ATX_PTX_RCP, ATX_PTX_F32, rcp_f32, any_f32 },
    { ATX_PTX_SQRT, ATX_PTX_F32, sqrt_f32, any_f32 },
    { ATX_PTX_ADD, ATX_PTX_F32X2, any_f32x2, any_f32x2 },
    { ATX_PTX_SUB, ATX_PTX_F32X2, any_f32x2, any_f32x2 },
    { ATX_PTX_MUL, ATX_PTX_F32X2, any_f32x2, any_f32x2 },
    { ATX_PTX_FMA, ATX_PTX_F32X2, any_f32x2, any_f32x2 },
    { ATX_PTX_ADD, ATX_PTX_F64, add_f64, add_any_f64 },
    { ATX_PTX_SUB, ATX_PTX_F64, sub_f64, sub_any_f64 },
    { ATX_PTX_MUL, ATX_PTX_F64, mul_f64, mul_any_f64 },
    { ATX_PTX_FMA, ATX_PTX_F64, fma_f64, fma_any_f64 },
    { ATX_PTX_MAD, ATX_PTX_F64, fma_f64, fma_any_f64 },
    { ATX_PTX_DIV, ATX_PTX_F64, div_f64, div_any_f64 },
    { ATX_PTX_RCP, ATX_PTX_F64, rcp_f64, rcp_any_f64 },
    { ATX_PTX_SQRT, ATX_PTX_F64, sqrt_f64, sqrt_any_f64 },
    { ATX_PTX_MIN, ATX_PTX_F64, min_f64, NULL },
    { ATX_PTX_MAX, ATX_PTX_F64, max_f64, NULL },
    { ATX_PTX_NEG, ATX_PTX_F64, neg_f64, NULL },
    { ATX_PTX_ABS, ATX_PTX_F64, abs_f64, NULL },
    { ATX_PTX_COPYSIGN, ATX_PTX_F64, copysign_f64, NULL },
};

static atx_handler *select_sign(const atx_ptx_instruction *i)
{
    const uint32_t extreme = ATX_PTX_FTZ | ATX_PTX_NAN_RESULT | ATX_PTX_XORSIGN | ATX_PTX_ABS_RESULT;
    const bool abs_too = !(i->flags & ATX_PTX_XORSIGN) == !(i->flags & ATX_PTX_ABS_RESULT);
    if (i->type != ATX_PTX_F32 || i->from || i->round)
        return NULL;
    if ((i->op == ATX_PTX_MIN || i->op == ATX_PTX_MAX) && !(i->flags & ~extreme) && abs_too)
        return minmax_f32;
    if (i->op == ATX_PTX_NEG && !(i->flags & ~(uint32_t)ATX_PTX_FTZ))
        return neg_f32;
    if (i->op == ATX_PTX_ABS && !(i->flags & ~(uint32_t)ATX_PTX_FTZ))
        return abs_f32;
    return i->op == ATX_PTX_COPYSIGN && !i->flags ? copysign_f32 : NULL;
}

atx_handler *atx_select_float(const atx_ptx_instruction *i)
{
    const uint32_t known = i->type == ATX_PTX_F32     ? ATX_PTX_FTZ | ATX_PTX_SAT
                           : i->type == ATX_PTX_F32X2 ? ATX_PTX_FTZ
                                                      : 0;
    if (i->op == ATX_PTX_TESTP && i->form && !i->flags && (i->type == ATX_PTX_F32 || i->type == ATX_PTX_F64))
        return testp;
    atx_handler *sign = select_sign(i);
    if (sign)
        return sign;
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        const choice *c = &choices[k];
        if (c->op != i->op || c->type != i->type || i->from)
            continue;
        if (!i->flags && (i->round == ATX_PTX_ROUND_NONE || i->round == ATX_PTX_RN))
            return c->nearest;
        return !(i->flags & ~known) && i->round <= ATX_PTX_RP ? c->any : NULL;
    }
    return NULL;
}
