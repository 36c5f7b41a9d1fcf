/*
 * machine_round.h - numbers of few bits, and roundings other than to nearest. Private to machine*.c.
 */
#ifndef AUTOTUNE_MACHINE_ROUND_H
#define AUTOTUNE_MACHINE_ROUND_H

#include "ptx/ptx.h"

/*
 * value + rest (exact; |rest| is less than half of value's last place) as a number of `type`: F16, BF16,
 * TF32, E4M3X2 and E5M2X2 (one of the two), F32. `round`: RN, RZ, RM, RP, RNA. `finite`: the largest number
 * instead of infinity.
 */
uint32_t at__round_to(double value, double rest, int type, int round, bool finite);

/* The number that these bits of `type` are: exact. */
double at__widen(uint32_t bits, int type);

/* a + b and what the sum has lost, exactly. */
static inline double at__two_sum(double *rest, double a, double b)
{
    const double sum = a + b, c = sum - a;
    *rest = (a - (sum - c)) + (b - c);
    return sum;
}

/* One of C's operations in this rounding. */
typedef enum at__arith {
    AT__ARITH_ADD,
    AT__ARITH_MUL,
    AT__ARITH_FMA,
    AT__ARITH_DIV,
    AT__ARITH_SQRT
} at__arith;
float at__directed_f32(at__arith op, int round, float a, float b, float c);
double at__directed_f64(at__arith op, int round, double a, double b, double c);
float at__narrow(double value, int round); /* f64 to f32 */
float at__s64_to_f32(int64_t value, int round);
float at__u64_to_f32(uint64_t value, int round);
double at__s64_to_f64(int64_t value, int round);
double at__u64_to_f64(uint64_t value, int round);

#endif
