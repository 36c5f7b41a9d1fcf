/*
 * stats.c - everything is read off a sorted copy: quantiles by interpolating between neighbours, the interval
 * of a median by the sign test, whose ranks are those of the binomial distribution and so hold for samples of
 * any distribution. a is faster than b only if the whole interval of the ratios' median is below 1.
 */
#include "util/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ON_STACK 512 /* values that need no allocation */

/* NaN, which should not occur, sorts last: the order stays total, so qsort stays safe. */
static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* A sorted copy, in `small` when it fits; NULL when out of memory. Release with drop. */
static double *sorted_copy(double small[ON_STACK], const double *values, size_t count)
{
    double *copy = count <= ON_STACK ? small : calloc(count, sizeof *copy);
    if (copy) {
        memcpy(copy, values, count * sizeof *copy);
        qsort(copy, count, sizeof *copy, by_value);
    }
    return copy;
}

static void drop(double *copy, const double *small)
{
    if (copy != small)
        free(copy);
}

static double quantile_of_sorted(const double *sorted, size_t count, double q)
{
    double clamped = q > 0 ? (q < 1 ? q : 1) : 0;
    double place = clamped * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    double part = place - (double)below;
    /* Written so that equal neighbours give exactly their value. */
    return part > 0 ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[below];
}

double atx_quantile(const double *values, size_t count, double q)
{
    double small[ON_STACK];
    if (count == 0)
        return NAN;
    double *sorted = sorted_copy(small, values, count);
    double result = sorted ? quantile_of_sorted(sorted, count, q) : NAN;
    drop(sorted, small);
    return result;
}

double atx_median(const double *values, size_t count)
{
    return atx_quantile(values, count, 0.5);
}

double atx_spread(const double *values, size_t count)
{
    double small[ON_STACK];
    double result = NAN;
    if (count == 0)
        return NAN;
    double *sorted = sorted_copy(small, values, count);
    if (sorted) {
        double median = quantile_of_sorted(sorted, count, 0.5);
        double width = quantile_of_sorted(sorted, count, 0.9) - quantile_of_sorted(sorted, count, 0.1);
        result = median != 0 ? width / median : 0;
    }
    drop(sorted, small);
    return result;
}

/* Beyond this 2^-n leaves the range of a double; the normal approximation is then exact enough. */
#define EXACT_COUNT 1000

size_t atx_sign_test_rank(size_t count)
{
    if (count > EXACT_COUNT)
        return (size_t)(((double)count - 1.959964 * sqrt((double)count)) / 2);
    double chance = ldexp(1.0, -(int)count); /* of exactly k ratios below the true median */
    double tail = chance;                    /* of at most k */
    size_t k = 0;
    while (k < count && tail <= 0.025) {
        k++;
        chance *= (double)(count - k + 1) / (double)k;
        tail += chance;
    }
    return k;
}

static atx_order order_of(double low, double high)
{
    if (high < 1)
        return ATX_FASTER;
    return low > 1 ? ATX_SLOWER : ATX_TIED;
}

atx_pair atx_compare_pairs(const double *times, size_t rounds, size_t candidates, size_t a, size_t b)
{
    atx_pair pair = { NAN, 0, INFINITY, ATX_TIED };
    double small[ON_STACK];
    double *ratios = rounds <= ON_STACK ? small : calloc(rounds, sizeof *ratios);
    if (ratios && rounds > 0) {
        size_t rank = atx_sign_test_rank(rounds);
        for (size_t r = 0; r < rounds; r++)
            ratios[r] = times[r * candidates + a] / times[r * candidates + b];
        qsort(ratios, rounds, sizeof *ratios, by_value);
        pair.ratio = quantile_of_sorted(ratios, rounds, 0.5);
        if (rank > 0) {
            pair.low = ratios[rank - 1];
            pair.high = ratios[rounds - rank];
            pair.order = order_of(pair.low, pair.high);
        }
    }
    drop(ratios, small);
    return pair;
}
