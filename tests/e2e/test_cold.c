/*
 * test_cold.c - launches that are timed find their inputs outside the L2: the scripted driver has one, and a
 * launch that finds its input there takes half as long.
 */
#include "copy_problem.h"
#include "scripted_driver.h"
#include "device/layout.h"
#include "runner/sample.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

/* Buffers of 4 KB: to leave the largest of these takes more launches than a trial has time for. */
static const int L2_SIZES[] = { 20000, 100000, 5000000 };
enum { COUNT = 1003, SIZES = sizeof L2_SIZES / sizeof *L2_SIZES };

typedef struct lab {
    atx_gpu *gpu;
    atx_bench *bench;
} lab;

static lab lab_open_with(const char *more, int l2, int ns, int64_t count, int64_t moved_bytes)
{
    lab l = { 0 };
    at_error err = { 0 };
    char script[200];
    atx_setup setup = copy_setup(count, 256, 256);
    setup.moved_bytes = moved_bytes;
    snprintf(script, sizeof script, "l2 %d\nwarm 0.5\nnoise 0\ntime copy_* * %d\n%s", l2, ns, more);
    scripted_start(script);
    cr_assert_eq(atx_gpu_open(&l.gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&l.bench, l.gpu, &setup, &err), AT_OK, "%s", err.text);
    return l;
}

static lab lab_open(const char *more, int l2, int ns)
{
    return lab_open_with(more, l2, ns, COUNT, 0);
}

static void lab_close(const lab *l)
{
    atx_bench_close(l->bench);
    atx_gpu_close(l->gpu);
}

/* The time of a copy of so many floats; *launches: how many the driver was asked for. */
static double try_some(const lab *l, int64_t count, long *launches)
{
    at_error err = { 0 };
    atx_measured m;
    const atx_trial trial = { .kernel = copy_kernel("copy_a", count) };
    *launches = -scripted_calls("cuLaunchKernel");
    cr_assert_eq(atx_measure_trial(&m, l->gpu, l->bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(m.outcome, ATX_TIMED, "%s", m.log);
    *launches += scripted_calls("cuLaunchKernel");
    return m.timing.median_s;
}

static double try(const lab *l, long *launches)
{
    return try_some(l, COUNT, launches);
}

Test(cold, launches_of_a_trial_are_few_and_find_their_inputs_outside_the_l2)
{
    for (int i = 0; i < SIZES; i++) {
        long launches = 0;
        lab l = lab_open("", L2_SIZES[i], 2000);
        const double seconds = try(&l, &launches);
        cr_expect_float_eq(seconds, 2e-6, 1e-12, "L2 of %d bytes: %g", L2_SIZES[i], seconds);
        cr_expect_lt(launches, 1200, "L2 of %d bytes: %ld launches", L2_SIZES[i], launches);
        lab_close(&l);
    }
}

Test(cold, without_memory_for_a_sweep_a_graph_has_a_launch_for_each_set)
{
    long launches = 0;
    lab l = lab_open("memory 300000000\nfree 290000000\n", 5000000, 2000);
    try(&l, &launches);
    cr_expect_gt(launches, 2 * (atx_bench_fewest_sets(l.bench) - 1));
    lab_close(&l);
}

/* Of each buffer a few bytes, as kernels do that gather: all that sets have of them fits into the L2. There
 * is memory for many sets, for some, of which half is left to others, and for one. */
Test(cold, launches_that_touch_little_of_large_buffers_find_it_outside_the_l2)
{
    static const struct {
        int64_t count;
        int touched; /* of a buffer */
        const char *memory;
        int least, most; /* sets */
    } CASES[] = { { COUNT, 32, "", 1024, 1024 },
                  { COUNT, 32, "free 284000000\n", 16, 160 },
                  { COUNT, 32, "free 270000000\n", 16, 16 },
                  { 400000, 32, "free 396000000\n", 10, 10 },
                  { 400000, 32, "free 278000000\n", 1, 1 },
                  { 400000, 3000, "free 290000000\n", 1, 1 } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char script[80];
        long launches = 0;
        snprintf(script, sizeof script, "touch %d\n%s", CASES[i].touched, CASES[i].memory);
        lab l = lab_open_with(script, 20000, 2000, CASES[i].count, 2 * CASES[i].touched);
        const double seconds = try_some(&l, CASES[i].count, &launches);
        cr_expect_float_eq(seconds, 2e-6, 1e-12, "%zu: %g", i, seconds);
        cr_expect_geq(atx_bench_sets(l.bench), CASES[i].least, "%zu: %d sets", i, atx_bench_sets(l.bench));
        cr_expect_leq(atx_bench_sets(l.bench), CASES[i].most, "%zu: %d sets", i, atx_bench_sets(l.bench));
        lab_close(&l);
    }
}

/* Graphs, and batches of one launch. */
Test(cold, launches_of_a_re_measurement_find_their_inputs_outside_the_l2)
{
    static const int TIMES_NS[] = { 2000, 90000, 900000 };
    for (int i = 0; i < SIZES * 3; i++) {
        at_error err = { 0 };
        atx_watch watch;
        atx_remeasure_row rows[2];
        const int l2 = L2_SIZES[i / 3], ns = TIMES_NS[i % 3];
        const atx_top_candidate list[2] = { { .kernel = copy_kernel("copy_a", COUNT) },
                                            { .kernel = copy_kernel("copy_b", COUNT) } };
        const atx_remeasure_request request = { .list = list, .count = 2, .seed = 7 };
        lab l = lab_open("", l2, ns);
        const atx_remeasure_means means = { .gpu = l.gpu, .bench = l.bench, .watch = &watch };
        atx_watch_begin(&watch, NULL);
        cr_assert_eq(atx_remeasure(rows, &means, &request, &err), AT_OK, "%s", err.text);
        cr_expect_eq(rows[0].outcome, ATX_TIMED, "%s", rows[0].log);
        cr_expect_float_eq(rows[0].timing.median_s, 1e-9 * ns, 1e-13 * ns, "L2 of %d bytes, %d ns: %g", l2,
                           ns, rows[0].timing.median_s);
        lab_close(&l);
    }
}

/* A large input and a small output, and no memory for a sweep beside them. */
Test(cold, a_sweep_leaves_room_for_the_buffers_and_the_answer)
{
    enum { LARGE = 16 << 20, L2 = 400000 };
    at_error err = { 0 };
    atx_gpu *gpu = NULL;
    atx_bench *bench = NULL;
    atx_layout layout;
    atx_measured m;
    char script[200];
    atx_setup setup = copy_setup(COUNT, 256, 256);
    const atx_trial trial = { .kernel = copy_kernel("copy_wrong", COUNT) };
    setup.buffers[1].bytes = LARGE;
    setup.moved_bytes = 64;
    atx_layout_of(&layout, &setup);
    snprintf(script, sizeof script, "l2 %d\nnoise 0\nkernel copy_wrong * wrong\nfree %" PRId64 "\n", L2,
             ATX_RESERVE_BYTES + layout.expected_bytes + layout.set_bytes + L2);
    scripted_start(script);
    cr_assert_eq(atx_gpu_open(&gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&bench, gpu, &setup, &err), AT_OK, "%s", err.text);
    cr_expect_not(atx_bench_can_sweep(bench));
    cr_assert_eq(atx_measure_trial(&m, gpu, bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    cr_expect_eq(m.outcome, ATX_WRONG_RESULT, "%d", (int)m.outcome);
    atx_bench_close(bench);
    atx_gpu_close(gpu);
}
