/*
 * test_race.c - how many samples a trial takes, and that no single one decides it: where the host comes late
 * with a launch, the device waits, and the stopwatch counts that.
 */
#include "copy_problem.h"
#include "scripted_driver.h"
#include "runner/measure.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { COUNT = 1003 };

/* A trial of a kernel that takes so long, against a best that is `slower` times as fast. */
static atx_measured try(double ns, double slower, const char *lines)
{
    at_error err = { 0 };
    atx_gpu *gpu = NULL;
    atx_bench *bench = NULL;
    atx_measured m;
    char script[300];
    const atx_setup setup = copy_setup(COUNT, 256, 256);
    const atx_trial trial = { .kernel = copy_kernel("copy_problem", COUNT), .best_s = ns * 1e-9 / slower };
    snprintf(script, sizeof script, "l2 10000\nnoise 0.001\ntime copy_* * %.0f\n%s", ns, lines);
    scripted_start(script);
    cr_assert_eq(atx_gpu_open(&gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&bench, gpu, &setup, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_measure_trial(&m, gpu, bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(m.outcome, ATX_TIMED, "%s", m.log);
    atx_bench_close(bench);
    atx_gpu_close(gpu);
    return m;
}

static const double TIMES_NS[] = { 2000, 20000, 90000, 2000000 };
enum { TIMES = sizeof TIMES_NS / sizeof *TIMES_NS };

static void expect_samples(double slower, int64_t least, int64_t most)
{
    for (int t = 0; t < TIMES; t++) {
        const int64_t samples = try(TIMES_NS[t], slower, "").timing.samples;
        cr_expect(samples >= least && samples <= most, "%g ns, %g times slower: %lld samples", TIMES_NS[t],
                  slower, (long long)samples);
    }
}

Test(race, a_candidate_that_is_as_fast_as_the_best_gets_three_samples_that_agree)
{
    expect_samples(1.0, 3, 3);
}

Test(race, one_that_is_slower_gets_one_or_two)
{
    expect_samples(1.1, 2, 2);
    expect_samples(1.4, 2, 2);
    expect_samples(3.0, 1, 2);
}

/* The first readings are of the kernel when it is verified, then of its samples. */
Test(race, a_host_that_is_late_once_makes_no_candidate_slow)
{
    static const double LATE_NS[] = { 30e3, 500e3, 5e6 };
    for (int t = 0; t < TIMES; t++)
        for (int l = 0; l < 3; l++)
            for (int nth = 1; nth <= 6; nth++) {
                char line[60];
                snprintf(line, sizeof line, "late %d %.0f\n", nth, LATE_NS[l]);
                const atx_measured m = try(TIMES_NS[t], 1.0, line);
                cr_expect(fabs(m.timing.median_s / TIMES_NS[t] * 1e9 - 1) < 0.05,
                          "%g ns, late for %g ns at reading %d: %g ns", TIMES_NS[t], LATE_NS[l], nth,
                          m.timing.median_s * 1e9);
            }
}

Test(race, nor_does_it_make_a_slow_one_slower)
{
    for (int t = 0; t < TIMES; t++)
        for (int nth = 1; nth <= 4; nth++) {
            char line[60];
            snprintf(line, sizeof line, "late %d 500000\n", nth);
            const atx_measured m = try(TIMES_NS[t], 1.4, line);
            cr_expect(fabs(m.timing.median_s / TIMES_NS[t] * 1e9 - 1) < 0.05,
                      "%g ns, late at reading %d: %g ns", TIMES_NS[t], nth, m.timing.median_s * 1e9);
        }
}
