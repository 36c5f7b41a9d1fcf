/* test_spot_checks.c - answers that are noted before their problems are tuned, and what they lose. */
#include "model_support.h"

#include "tune/spot_checks.h"

TestSuite(spot_checks, .init = begin, .fini = end);

static atx_problem problem_of(int64_t rows)
{
    at_error err = { 0 };
    atx_problem p;
    cr_assert_eq(atx_problem_init(&p, atx_catalog_find_op(w.catalog, "transpose"), ATX_F32,
                                  (int64_t[]){ rows, 960 }, 2, &err),
                 AT_OK, "%s", err.text);
    return p;
}

/* That TILE=`tile` is the best, and loses so much at most. */
static void note(atx_spot_checks *checks, const atx_problem *problem, int tile, double expected)
{
    at_error err = { 0 };
    char config[128];
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    atx_spot_check check = { .problem = problem, .expected = expected };
    check.t = atx_catalog_find_template(w.catalog, op, "tile_rows");
    snprintf(config, sizeof config, "TILE=%d BLOCK_ROWS=8 PAD=0 UNROLL=yes ORDER=in_fast", tile);
    cr_assert_eq(atx_config_parse(&check.config, check.t, config, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_spot_checks_add(checks, &check, &err), AT_OK, "%s", err.text);
}

/* All tiles from `least` on; each factor of two from 64 on loses 40 %. */
static void tune(int64_t rows, int least)
{
    char shape[64];
    snprintf(shape, sizeof shape, "%lldx960", (long long)rows);
    put_tiles(rows, 960, least, 64);
    put(shape, "tile_rows", "TILE=64 BLOCK_ROWS=8 PAD=0 UNROLL=yes ORDER=in_fast", "NVIDIA H200");
}

static atx_spot_check_figures measured(atx_spot_checks *checks)
{
    at_error err = { 0 };
    atx_spot_check_figures f;
    cr_assert_eq(atx_spot_checks_measure(checks, w.store, "NVIDIA H200", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_spot_checks_figures(&f, checks, &err), AT_OK, "%s", err.text);
    return f;
}

Test(spot_checks, compare_an_answer_with_the_best_trial_of_its_problem)
{
    const atx_problem right = problem_of(1000), wrong = problem_of(2000);
    atx_spot_checks checks = { .items = NULL };
    note(&checks, &right, 64, 0.1);
    note(&checks, &wrong, 32, 0.1);
    cr_assert_eq(measured(&checks).count, 0, "none of them is tuned");
    tune(1000, 16);
    cr_assert_eq(measured(&checks).count, 1, "the other one still waits");
    tune(2000, 16);
    const atx_spot_check_figures f = measured(&checks);
    cr_expect_eq(f.count, 2);
    cr_expect_float_eq(f.mean, 0.2, 1e-6, "%g", f.mean);
    cr_expect_float_eq(f.most, 0.4, 1e-6, "%g", f.most);
    atx_spot_checks_clear(&checks);
}

/* 0.4 where 0.1 was expected: twice as much as the mean of the two, since four checks count as expected. */
Test(spot_checks, say_how_far_expected_losses_are_from_real_ones)
{
    atx_problem problems[4];
    atx_spot_checks checks = { .items = NULL };
    cr_expect_float_eq(measured(&checks).ratio, 1, 1e-9, "nothing is known");
    for (int i = 0; i < 4; i++) {
        problems[i] = problem_of(1000 + i);
        note(&checks, &problems[i], 32, 0.1);
        tune(1000 + i, 16);
    }
    cr_expect_float_eq(measured(&checks).ratio, 2.5, 1e-6, "%g", measured(&checks).ratio);
    atx_spot_checks_clear(&checks);
}

Test(spot_checks, leave_out_an_answer_that_was_not_tried)
{
    const atx_problem problem = problem_of(1000);
    atx_spot_checks checks = { .items = NULL };
    note(&checks, &problem, 16, 0.1);
    tune(1000, 32);
    cr_assert_eq(measured(&checks).count, 0);
    cr_assert_eq(checks.count, 0);
    atx_spot_checks_clear(&checks);
}
