/* test_compare_stores.c - two stores held against each other: which change counts, and which problems are
 * paired. */
#include "lookup/compare.h"
#include "store_support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static atx_timing timing(double median_s, double spread, int64_t samples)
{
    return (atx_timing){ .median_s = median_s, .min_s = median_s, .spread = spread, .samples = samples };
}

static atx_difference validate(atx_timing before, atx_timing after, double tolerance)
{
    double low = 0, high = 0;
    atx_ratio_interval(&low, &high, &before, &after);
    return atx_difference_of(after.median_s / before.median_s, low, high, tolerance);
}

Test(compare_stores, a_change_beyond_the_tolerance_and_the_noise_is_slower_or_faster)
{
    cr_assert_eq(validate(timing(1e-5, 0.01, 45), timing(1.03e-5, 0.01, 45), 0.01), ATX_DIFF_SLOWER);
    cr_assert_eq(validate(timing(1.03e-5, 0.01, 45), timing(1e-5, 0.01, 45), 0.01), ATX_DIFF_FASTER);
}

Test(compare_stores, a_change_within_the_tolerance_is_the_same)
{
    cr_assert_eq(validate(timing(1e-5, 0.01, 45), timing(1.002e-5, 0.01, 45), 0.01), ATX_DIFF_SAME);
}

Test(compare_stores, noise_that_reaches_over_the_tolerance_is_unclear)
{
    cr_assert_eq(validate(timing(1e-5, 0.3, 9), timing(1.03e-5, 0.3, 9), 0.01), ATX_DIFF_UNCLEAR);
    cr_assert_eq(validate(timing(1e-5, 0.01, 45), timing(1.01e-5, 0.01, 45), 0.01), ATX_DIFF_UNCLEAR);
}

Test(compare_stores, too_few_samples_say_nothing_however_far_apart)
{
    cr_assert_eq(validate(timing(1e-5, 0, 2), timing(2e-5, 0, 2), 0.01), ATX_DIFF_UNCLEAR);
}

Test(compare_stores, the_interval_is_that_of_simulated_medians)
{
    /* 45 normal samples a side, spread 5 %: the true ratio, 1, must be within in about 95 of 100 tries. */
    enum { N = 45, TRIES = 400 };
    int within = 0;
    srand(7);
    for (int t = 0; t < TRIES; t++) {
        double median[2];
        for (int s = 0; s < 2; s++) {
            double x[N];
            for (int i = 0; i < N; i++) {
                double u = (rand() + 1.0) / (RAND_MAX + 2.0), v = (rand() + 1.0) / (RAND_MAX + 2.0);
                x[i] = 1 + 0.05 / 2.563 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
            }
            for (int i = 1; i < N; i++) /* sorted by insertion */
                for (int k = i; k > 0 && x[k] < x[k - 1]; k--) {
                    double swap = x[k];
                    x[k] = x[k - 1];
                    x[k - 1] = swap;
                }
            median[s] = x[N / 2];
        }
        atx_timing a = timing(median[0], 0.05, N), b = timing(median[1], 0.05, N);
        double low, high;
        cr_assert(atx_ratio_interval(&low, &high, &a, &b));
        within += low <= 1 && 1 <= high;
    }
    cr_assert_geq(within, TRIES * 91 / 100, "%d of %d", within, TRIES);
    cr_assert_leq(within, TRIES * 99 / 100, "%d of %d", within, TRIES);
}

static void put(atx_store *store, const char *shape, const char *device, double median_s)
{
    const atx_problem_key key = { "transpose", shape, "b4", 100, 800, 0 };
    atx_fingerprint f = { .cc = 90, .sms = 132, .driver = "1", .nvrtc = "13.0", .tool = "t", .cold = true };
    snprintf(f.device, sizeof f.device, "%s", device);
    const atx_winner winner = { .template_name = "tile",
                                .template_hash = "h",
                                .config = "A=1",
                                .source_hash = "",
                                .op_hash = "",
                                .timing = timing(median_s, 0.01, 45),
                                .ceiling_name = "",
                                .ties = "",
                                .geometry = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 } },
                                .resources = ATX_RESOURCES_UNKNOWN,
                                .conditions = ATX_CONDITIONS_UNKNOWN };
    at_error err = { 0 };
    int64_t run = 0;
    const atx_run_info info = { .command = "", .strategy = "", .device_uuid = "", .host = "" };
    cr_assert_eq(atx_store_begin_run(&run, store, &info, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_put_winner(store, run, &key, &f, &winner, &err), AT_OK, "%s", err.text);
}

Test(compare_stores, pairs_problems_of_the_same_device_and_counts_those_that_one_has_alone)
{
    folder f = folder_make(), g = folder_make();
    atx_store *before = open_ok(f.db, ATX_STORE_WRITE), *after = open_ok(g.db, ATX_STORE_WRITE);
    put(before, "1x1", "H100", 1e-5);
    put(before, "1x1", "H200", 2e-5);
    put(before, "2x2", "H200", 2e-5);
    put(after, "1x1", "H200", 3e-5);
    put(after, "3x3", "H200", 3e-5);
    atx_comparison c;
    at_error err = { 0 };
    cr_assert_eq(atx_compare_stores(&c, before, NULL, after, NULL, 0.01, &err), AT_OK, "%s", err.text);
    cr_assert_eq(c.count, 1);
    cr_assert_float_eq(c.items[0].ratio, 1.5, 1e-9);
    cr_assert_eq(c.items[0].difference, ATX_DIFF_SLOWER);
    cr_assert_eq(c.only_before, 2);
    cr_assert_eq(c.only_after, 1);
    atx_comparison_clear(&c);
    atx_store_close(before);
    atx_store_close(after);
    folder_remove(&f);
    folder_remove(&g);
}

Test(compare_stores, two_gpus_are_compared_when_each_store_has_one)
{
    folder f = folder_make(), g = folder_make();
    atx_store *before = open_ok(f.db, ATX_STORE_WRITE), *after = open_ok(g.db, ATX_STORE_WRITE);
    put(before, "1x1", "H100", 1e-5);
    put(after, "1x1", "H200", 5e-6);
    atx_comparison c;
    at_error err = { 0 };
    cr_assert_eq(atx_compare_stores(&c, before, NULL, after, NULL, 0.01, &err), AT_OK, "%s", err.text);
    cr_assert_eq(c.count, 1);
    cr_assert_eq(c.items[0].difference, ATX_DIFF_FASTER);
    atx_comparison_clear(&c);
    put(before, "1x1", "A100", 1e-5);
    cr_assert_eq(atx_compare_stores(&c, before, NULL, after, NULL, 0.01, &err), AT_ERR_USAGE);
    cr_assert_not_null(strstr(err.text, "the first has several"), "%s", err.text);
    cr_assert_eq(atx_compare_stores(&c, before, "H100", after, NULL, 0.01, &err), AT_OK, "%s", err.text);
    cr_assert_eq(c.count, 1);
    atx_comparison_clear(&c);
    atx_store_close(before);
    atx_store_close(after);
    folder_remove(&f);
    folder_remove(&g);
}
