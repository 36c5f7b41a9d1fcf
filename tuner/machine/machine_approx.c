/*
 * machine_approx.c - functions that the hardware computes by tables. The ISA bounds their error but not their
 * bits: they are computed in double precision and rounded here, and so are more exact than the hardware. The
 * instruction is marked as inexact.
 */
#include "machine/machine_internal.h"

#include <math.h>

static double flushed(uint64_t bits, bool flush)
{
    return flush && (bits & 0x7f800000) == 0 ? (bits & 0x80000000 ? -0.0 : 0.0) : (double)atx_f32(bits);
}

static double function_of(int op, double a, double b)
{
    switch (op) {
    case ATX_PTX_DIV:
        return a / b;
    case ATX_PTX_RCP:
        return 1 / a;
    case ATX_PTX_SQRT:
        return sqrt(a);
    case ATX_PTX_RSQRT:
        return 1 / sqrt(a);
    case ATX_PTX_EX2:
        return exp2(a);
    case ATX_PTX_LG2:
        return log2(a);
    case ATX_PTX_SIN:
        return sin(a);
    case ATX_PTX_COS:
        return cos(a);
    default:
        return tanh(a);
    }
}

static void approx_f32(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const bool flush = d->ptx->flags & ATX_PTX_FTZ;
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1), *b = atx_group(x, d, 2);
    ATX_EACH_LANE(mask, {
        const float value = (float)function_of(d->ptx->op, flushed(a[l], flush), flushed(b[l], flush));
        const uint64_t bits = isnan(value) ? 0x7fffffff : atx_bits_f32(value);
        to[l] = flush && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
    });
}

/* A result too small for a normal number is 0 of its sign. */
static uint64_t flushed_f64(uint64_t bits)
{
    return bits & 0x7ff0000000000000 ? bits : bits & (uint64_t)1 << 63;
}

/* rcp.approx.ftz.f64 gives the upper half alone. */
static void approx_f64(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1);
    const bool half = d->ptx->op == ATX_PTX_RCP;
    ATX_EACH_LANE(mask, {
        const uint64_t from = half ? flushed_f64(a[l]) : a[l];
        const uint64_t bits = atx_result_f64(function_of(d->ptx->op, atx_f64(from), 0), atx_f64(from), 0, 0);
        to[l] = half ? flushed_f64(bits & ~(uint64_t)UINT32_MAX) : bits;
    });
}

atx_handler *atx_select_approx(const atx_ptx_instruction *i)
{
    const bool narrow = i->type == ATX_PTX_F32, wide = i->type == ATX_PTX_F64;
    const bool approx = i->flags & (ATX_PTX_APPROX | ATX_PTX_FULL);
    if (!approx || i->from || i->round ||
        (i->flags & ~(uint32_t)(ATX_PTX_APPROX | ATX_PTX_FULL | ATX_PTX_FTZ | ATX_PTX_INEXACT)))
        return NULL;
    switch (i->op) {
    case ATX_PTX_RCP:
    case ATX_PTX_RSQRT:
        return narrow ? approx_f32 : wide ? approx_f64 : NULL;
    case ATX_PTX_DIV:
    case ATX_PTX_SQRT:
    case ATX_PTX_EX2:
    case ATX_PTX_LG2:
    case ATX_PTX_SIN:
    case ATX_PTX_COS:
    case ATX_PTX_TANH:
        return narrow ? approx_f32 : NULL;
    default:
        return NULL;
    }
}
