/*
 * machine_approx.c - functions that the hardware computes by tables. The ISA bounds their error but not their
 * bits: they are computed in double precision and rounded here, and so are more exact than the hardware. The
 * instruction is marked as inexact.
 */
#include "machine/machine_internal.h"

#include <math.h>

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

static inline uint64_t one_f32(const atx_ptx_instruction *i, uint64_t a, uint64_t b)
{
    const bool flush = i->flags & ATX_PTX_FTZ;
    const float value =
        (float)function_of(i->op, atx_f32(atx_flush_f32(a, flush)), atx_f32(atx_flush_f32(b, flush)));
    return isnan(value) ? 0x7fffffff : atx_flush_f32(atx_bits_f32(value), flush);
}
ATX_LANE_OP(approx_f32, uint64_t, (uint64_t), one_f32(d->ptx, a, b))

/* A result too small for a normal number is 0 of its sign. */
static uint64_t flushed_f64(uint64_t bits)
{
    return bits & 0x7ff0000000000000 ? bits : bits & (uint64_t)1 << 63;
}

/* rcp.approx.ftz.f64 gives the upper half alone. */
static uint64_t one_f64(int op, uint64_t a)
{
    const bool half = op == ATX_PTX_RCP;
    const double from = atx_f64(half ? flushed_f64(a) : a);
    const uint64_t bits = atx_result_f64(function_of(op, from, 0), from, 0, 0);
    return half ? flushed_f64(bits & ~(uint64_t)UINT32_MAX) : bits;
}
ATX_LANE_OP(approx_f64, uint64_t, (uint64_t), one_f64(d->ptx->op, a))

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
