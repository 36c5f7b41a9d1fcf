/* test_stats.c - order statistics, and the comparison of two candidates. */
#include "util/stats.h"
#include "util/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

Test(stats, median_of_odd_and_even_counts)
{
    cr_assert_eq(atx_median((double[]){ 5 }, 1), 5);
    cr_assert_eq(atx_median((double[]){ 9, 1, 5 }, 3), 5);
    cr_assert_eq(atx_median((double[]){ 9, 1, 5, 7 }, 4), 6);
    cr_assert_eq(atx_median((double[]){ 2, 2, 2, 2 }, 4), 2);
}

Test(stats, no_values_give_nan)
{
    cr_assert(isnan(atx_median(NULL, 0)));
    cr_assert(isnan(atx_quantile(NULL, 0, 0.5)));
    cr_assert(isnan(atx_spread(NULL, 0)));
    cr_assert(isnan(atx_compare_pairs(NULL, 0, 2, 0, 1).ratio));
}

/* numpy.quantile([10, 30, 20, 50, 40, 80], q) */
Test(stats, quantiles_are_numpys)
{
    static const double VALUES[] = { 10, 30, 20, 50, 40, 80 };
    static const double EXPECT[][2] = { { 0, 10 },   { 0.1, 15 }, { 0.25, 22.5 },
                                        { 0.5, 35 }, { 0.9, 65 }, { 1, 80 } };
    for (size_t i = 0; i < sizeof EXPECT / sizeof *EXPECT; i++)
        cr_assert(close_to(atx_quantile(VALUES, 6, EXPECT[i][0]), EXPECT[i][1]), "q = %g", EXPECT[i][0]);
    cr_assert_eq(atx_quantile(VALUES, 6, -3), 10);
    cr_assert_eq(atx_quantile(VALUES, 6, 3), 80);
    cr_assert_eq(atx_quantile(VALUES, 6, NAN), 10);
}

Test(stats, the_input_is_left_alone)
{
    double values[] = { 3, 1, 2 };
    atx_median(values, 3);
    atx_spread(values, 3);
    cr_assert(values[0] == 3 && values[1] == 1 && values[2] == 2);
}

Test(stats, spread_is_the_middle_four_fifths_over_the_median)
{
    double values[11];
    for (int i = 0; i < 11; i++)
        values[i] = 100 + i;
    cr_assert(close_to(atx_spread(values, 11), 8.0 / 105));
    cr_assert_eq(atx_spread((double[]){ 7, 7, 7 }, 3), 0);
    cr_assert_eq(atx_spread((double[]){ 0, 0, 0 }, 3), 0);
    cr_assert_eq(atx_spread((double[]){ 4 }, 1), 0);
}

Test(stats, many_values_work_as_few)
{
    enum { COUNT = 100001 };
    double *values = malloc(COUNT * sizeof *values);
    atx_rng rng = { 1 };
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    for (int i = COUNT - 1; i > 0; i--) {
        int j = (int)atx_rng_below(&rng, (uint64_t)i + 1);
        double keep = values[i];
        values[i] = values[j];
        values[j] = keep;
    }
    cr_assert_eq(atx_median(values, COUNT), 50000);
    cr_assert(close_to(atx_quantile(values, COUNT, 0.9), 90000));
    free(values);
}

Test(stats, nan_and_infinity_do_no_harm)
{
    double values[] = { NAN, 1, INFINITY, NAN, 2, 3, NAN };
    cr_assert_eq(atx_quantile(values, 7, 0), 1);
    cr_assert_eq(atx_median(values, 7), INFINITY);
}

/* Ranks of 95 % sign-test intervals as tabulated: Conover, Practical Nonparametric Statistics, table A3. */
Test(stats, sign_test_ranks_are_the_tabulated_ones)
{
    static const size_t TABLE[][2] = { { 0, 0 },   { 1, 0 },   { 5, 0 },   { 6, 1 },   { 8, 1 },
                                       { 9, 2 },   { 12, 3 },  { 15, 4 },  { 20, 6 },  { 25, 8 },
                                       { 30, 10 }, { 40, 14 }, { 50, 18 }, { 100, 40 } };
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
        cr_assert_eq(atx_sign_test_rank(TABLE[i][0]), TABLE[i][1], "n = %zu: %zu", TABLE[i][0],
                     atx_sign_test_rank(TABLE[i][0]));
}

Test(stats, sign_test_ranks_grow_evenly_across_the_approximation)
{
    for (size_t n = 1; n < 3000; n++) {
        size_t now = atx_sign_test_rank(n), next = atx_sign_test_rank(n + 1);
        cr_assert(next == now || next == now + 1, "n = %zu: %zu, then %zu", n, now, next);
    }
}

Test(stats, five_rounds_decide_nothing)
{
    double times[5][2];
    for (int r = 0; r < 5; r++) {
        times[r][0] = 1;
        times[r][1] = 2;
    }
    atx_pair pair = atx_compare_pairs(&times[0][0], 5, 2, 0, 1);
    cr_assert_eq(pair.ratio, 0.5);
    cr_assert_eq(pair.order, ATX_TIED);
    cr_assert_eq(pair.low, 0);
    cr_assert(isinf(pair.high));
}

/* Three candidates drift together by 30 %; the second is always 2 % slower than the first, the third equal to
 * it. */
static void drifting(double *times, int rounds)
{
    atx_rng rng = { 8 };
    for (int r = 0; r < rounds; r++) {
        double clock = 1 + 0.3 * r / rounds;
        for (int i = 0; i < 3; i++) {
            double noise = 1 + 0.004 * ((double)atx_rng_below(&rng, 1001) / 1000 - 0.5);
            times[r * 3 + i] = clock * noise * (i == 1 ? 1.02 : 1.0);
        }
    }
}

Test(stats, a_drift_that_both_share_does_not_hide_two_percent)
{
    double times[20 * 3];
    drifting(times, 20);
    atx_pair pair = atx_compare_pairs(times, 20, 3, 0, 1);
    cr_assert_eq(pair.order, ATX_FASTER);
    cr_assert(pair.low <= pair.ratio && pair.ratio <= pair.high);
    cr_assert(fabs(pair.ratio - 1 / 1.02) < 0.003);
    cr_assert_eq(atx_compare_pairs(times, 20, 3, 1, 0).order, ATX_SLOWER);
    cr_assert_eq(atx_compare_pairs(times, 20, 3, 2, 0).order, ATX_TIED);
}

Test(stats, a_candidate_ties_with_itself)
{
    double times[20 * 3];
    drifting(times, 20);
    atx_pair pair = atx_compare_pairs(times, 20, 3, 1, 1);
    cr_assert(pair.ratio == 1 && pair.low == 1 && pair.high == 1 && pair.order == ATX_TIED);
}

/* By chance, in at most 5 % of the re-measurements; the interval of 25 rounds has 95.7 %. */
Test(stats, equal_candidates_are_rarely_told_apart)
{
    enum { REMEASUREMENTS = 2000, ROUNDS = 25 };
    atx_rng rng = { 42 };
    int wrong = 0;
    for (int f = 0; f < REMEASUREMENTS; f++) {
        double times[ROUNDS * 2];
        for (int i = 0; i < ROUNDS * 2; i++) {
            double u = ((double)atx_rng_below(&rng, 1000000) + 0.5) / 1000000;
            times[i] = 1 - 0.1 * log(u); /* skewed: a floor with an exponential tail */
        }
        wrong += atx_compare_pairs(times, ROUNDS, 2, 0, 1).order != ATX_TIED;
    }
    cr_assert_lt(wrong, REMEASUREMENTS * 63 / 1000, "%d of %d", wrong, REMEASUREMENTS);
}

Test(stats, more_rounds_than_fit_on_the_stack)
{
    enum { ROUNDS = 2000 };
    double *times = malloc(ROUNDS * 3 * sizeof *times);
    drifting(times, ROUNDS);
    cr_assert_eq(atx_compare_pairs(times, ROUNDS, 3, 0, 1).order, ATX_FASTER);
    free(times);
}
