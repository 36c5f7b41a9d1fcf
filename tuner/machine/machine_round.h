/*
 * machine_round.h - numbers of few bits, and roundings other than to nearest. Private to machine*.c.
 */
#pragma once

#include "ptx/ptx.h"

#include <math.h>

/*
 * value + rest (exact; |rest| is less than half of value's last place) as a number of `type`: F16, BF16,
 * TF32, E4M3X2 and E5M2X2 (one of the two), F32. `round`: RN, RZ, RM, RP, RNA. `finite`: the largest number
 * instead of infinity.
 */
uint32_t atx_round_to(double value, double rest, int type, int round, bool finite);

/* The number that these bits of `type` are: exact. */
double atx_widen(uint32_t bits, int type);

/* a + b and the rounding error of the sum, exactly. */
static inline double atx_two_sum(double *rest, double a, double b)
{
    const double sum = a + b, c = sum - a;
    *rest = (a - (sum - c)) + (b - c);
    return sum;
}

/* The smaller or larger: of -0 and 0, -0 is the smaller; a NaN loses against a number, or wins where told. */
static inline double atx_extreme(double a, double b, bool largest, bool nan_wins)
{
    if (isnan(a) || isnan(b))
        return nan_wins || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
    const bool first = a == b ? signbit(a) != largest : (a < b) != largest;
    return first ? a : b;
}

/* Do they compare so? `how`: an atx_ptx_compare of numbers with a point. */
static inline bool atx_compare(double a, double b, int how)
{
    const bool unordered = isnan(a) || isnan(b);
    switch (how) {
    case ATX_PTX_EQ:
        return a == b;
    case ATX_PTX_NE:
        return !unordered && a != b;
    case ATX_PTX_LT:
        return a < b;
    case ATX_PTX_LE:
        return a <= b;
    case ATX_PTX_GT:
        return a > b;
    case ATX_PTX_GE:
        return a >= b;
    case ATX_PTX_EQU:
        return unordered || a == b;
    case ATX_PTX_NEU:
        return a != b || unordered;
    case ATX_PTX_LTU:
        return unordered || a < b;
    case ATX_PTX_LEU:
        return unordered || a <= b;
    case ATX_PTX_GTU:
        return unordered || a > b;
    case ATX_PTX_GEU:
        return unordered || a >= b;
    case ATX_PTX_NUM:
        return !unordered;
    default:
        return unordered;
    }
}

/* One of C's operations in this rounding. */
typedef enum atx_arith {
    ATX_ARITH_ADD,
    ATX_ARITH_MUL,
    ATX_ARITH_FMA,
    ATX_ARITH_DIV,
    ATX_ARITH_SQRT
} atx_arith;
float atx_directed_f32(atx_arith op, int round, float a, float b, float c);
double atx_directed_f64(atx_arith op, int round, double a, double b, double c);
float atx_narrow(double value, int round); /* f64 to f32 */
float atx_s64_to_f32(int64_t value, int round);
float atx_u64_to_f32(uint64_t value, int round);
double atx_s64_to_f64(int64_t value, int round);
double atx_u64_to_f64(uint64_t value, int round);
