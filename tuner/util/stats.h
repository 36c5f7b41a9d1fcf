/*
 * stats.h - statistics of times: medians, quantiles, spread, and which of two candidates is faster.
 *
 * Pure functions on arrays; nothing here knows a device. Times of kernels are skewed and have outliers, so
 * everything rests on order statistics: no means, no assumption of a normal distribution. Inputs are not
 * changed. No values, or no memory for the copy of more than 512 of them: NaN.
 */
#pragma once

#include <stddef.h>

/* The middle value, or the mean of the two in the middle. */
double atx_median(const double *values, size_t count);

/*
 * The q-quantile, 0 <= q <= 1 (clamped), interpolated between order statistics: R's and NumPy's default, type
 * 7 of Hyndman and Fan, Sample Quantiles in Statistical Packages, The American Statistician 50 (1996). q = 0
 * is the minimum, 1 the maximum.
 */
double atx_quantile(const double *values, size_t count, double q);

/* (p90 - p10) / median, without unit: the width of the middle four fifths. 0 when the median is 0. */
double atx_spread(const double *values, size_t count);

typedef enum atx_order { ATX_TIED, ATX_FASTER, ATX_SLOWER } atx_order;

/* How much time `a` takes per time of `b`: 0.98 is 2 % less. */
typedef struct atx_pair {
    double ratio;     /* median over the rounds of a's time / b's time               */
    double low, high; /* it lies between these with a confidence of at least 95 %    */
    atx_order order;  /* of a against b: ATX_TIED while low <= 1 <= high             */
} atx_pair;

/*
 * Compares candidates `a` and `b` of an interleaved re-measurement: times[round * candidates + candidate].
 * Both times of one round were taken under the same clocks and temperature, which their ratio cancels.
 *
 * The interval is the sign test's, turned round: if the true median ratio is m, each round's ratio falls
 * below m with probability 1/2, so the number that do is Binomial(rounds, 1/2); [x(k), x(n+1-k)] of the
 * sorted ratios misses m with probability 2 P(Binomial(n, 1/2) < k), whatever the distribution (W. R.
 * Thompson, Annals of Mathematical Statistics 7, 1936; David and Nagaraja, Order Statistics, section 7.1). k
 * is the largest that keeps this below 5 %. Fewer than 6 rounds allow no such k: then low is 0, high is
 * infinite, order is ATX_TIED. One comparison at a time: the 5 % are not corrected for many candidates or for
 * looking again after each round.
 */
atx_pair atx_compare_pairs(const double *times, size_t rounds, size_t candidates, size_t a, size_t b);

/* The k above, 1-based; 0 when there is none. */
size_t atx_sign_test_rank(size_t count);
