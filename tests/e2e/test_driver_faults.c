/*
 * test_driver_faults.c - what a runner does with its device (open, lay out, verify, time, re-measurement),
 * with the driver's n-th call failing, for each n: an error in words or a trial's outcome, and nothing left
 * behind.
 */
#include "copy_problem.h"
#include "runner/gpu.h"
#include "runner/measure.h"
#include "scripted_driver.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each call; under the thread sanitizer, which has nothing to find in one thread, some. */
#ifdef __SANITIZE_THREAD__
enum { STEP = 37 };
#else
enum { STEP = 1 };
#endif

enum { COUNT = 1000 };

typedef struct outcome {
    at_status status; /* of the first call that failed */
    at_error err;
    atx_measured trials[3];
    int trial_count;
    atx_remeasure_row rows[3];
    bool remeasured, lost;
} outcome;

static void try_kernels(outcome *o, atx_gpu *gpu, atx_bench *bench)
{
    static const char *const NAMES[] = { "copy_a", "copy_b", "copy_c" };
    for (int i = 0; i < 3 && !o->lost; i++) {
        atx_trial trial = { .tag = i, .kernel = copy_kernel(NAMES[i], COUNT) };
        at_error err = { 0 };
        at_status status = atx_measure_trial(&o->trials[i], gpu, bench, &trial, NULL, &err);
        o->trial_count = i + 1;
        if (status != AT_OK && o->status == AT_OK) {
            o->status = status;
            o->err = err;
        }
        o->lost = status != AT_OK && atx_gpu_is_lost(gpu);
    }
    atx_watch watch;
    atx_watch_begin(&watch, NULL);
    atx_top_candidate list[3] = { { .kernel = copy_kernel("copy_a", COUNT) },
                                  { .kernel = copy_kernel("copy_b", COUNT), .is_copy = true },
                                  { .is_memcpy = true } };
    if (o->status == AT_OK) {
        o->status =
            atx_remeasure(o->rows, &(atx_remeasure_means){ .gpu = gpu, .bench = bench, .watch = &watch },
                          &(atx_remeasure_request){ .list = list, .count = 3, .seed = 7 }, &o->err);
        o->remeasured = o->status == AT_OK;
    }
}

/* Everything, as far as it goes. */
static outcome session(const char *script)
{
    outcome o = { 0 };
    atx_gpu *gpu = NULL;
    atx_bench *bench = NULL;
    atx_device_info info;
    const atx_setup setup = copy_setup(COUNT, 0, 0);
    scripted_start(script);
    o.status = atx_gpu_open(&gpu, 0, &o.err);
    if (o.status == AT_OK)
        o.status = atx_gpu_info(&info, gpu, &o.err);
    if (o.status == AT_OK)
        o.status = atx_bench_open(&bench, gpu, &setup, &o.err);
    if (o.status == AT_OK)
        try_kernels(&o, gpu, bench);
    atx_bench_close(bench);
    atx_gpu_close(gpu);
    return o;
}

static void expect_clean(const outcome *o, long n, const char *name, const char *how)
{
    cr_assert(scripted_bytes() == 0, "call %ld, %s %s: %ld bytes of the device are left", n, name, how,
              scripted_bytes());
    cr_assert(scripted_modules() == 0, "call %ld, %s %s: %ld modules are left", n, name, how,
              scripted_modules());
    cr_assert(o->status == AT_OK || o->err.text[0], "call %ld, %s %s: no message", n, name, how);
    for (int i = 0; i < o->trial_count; i++)
        cr_assert(o->trials[i].outcome != ATX_TIMED || o->status != AT_OK || o->trials[i].timing.median_s > 0,
                  "call %ld, %s %s: trial %d is timed without a time", n, name, how, i);
}

Test(driver_faults, without_one_all_is_well)
{
    outcome o = session(COPY_SCRIPT);
    cr_assert_eq(o.status, AT_OK, "%s", o.err.text);
    cr_assert_eq(o.trial_count, 3);
    for (int i = 0; i < 3; i++)
        cr_assert(o.trials[i].outcome == ATX_TIMED && o.rows[i].outcome == ATX_TIMED, "%s%s", o.trials[i].log,
                  o.rows[i].log);
    cr_assert_float_eq(o.trials[0].timing.median_s, 90e-6, 1e-6);
    cr_assert(o.remeasured);
    expect_clean(&o, 0, "none", "");
}

enum { MAX_CALLS = 20000 };

/* All calls of a session in which nothing is refused; freed by the caller. */
static char (*list_calls(long *count, const char *script))[64]
{
    char(*names)[64] = calloc(MAX_CALLS, sizeof *names);
    cr_assert_not_null(names);
    session(script);
    *count = scripted_calls(NULL);
    cr_assert(*count > 500 && *count < MAX_CALLS, "%ld calls", *count);
    for (long n = 1; n <= *count; n++)
        snprintf(names[n - 1], sizeof *names, "%s", scripted_call(n));
    return names;
}

static int failed_trials(const outcome *o)
{
    int count = 0;
    for (int i = 0; i < o->trial_count; i++)
        count += o->trials[i].outcome != ATX_TIMED || (i == o->trial_count - 1 && o->lost);
    return count;
}

static int failed_rows(const outcome *o)
{
    int count = 0;
    for (int i = 0; i < 3 && o->remeasured; i++)
        count += o->rows[i].outcome != ATX_TIMED;
    return count;
}

Test(driver_faults, each_call_refused_once_costs_one_trial_or_one_top_candidate)
{
    char script[300];
    long count, told = 0;
    char(*names)[64] = list_calls(&count, COPY_SCRIPT);
    for (long n = 1; n <= count; n += STEP) {
        snprintf(script, sizeof script, COPY_SCRIPT "fail * %ld 1", n);
        outcome o = session(script);
        expect_clean(&o, n, names[n - 1], "refused");
        cr_assert_leq(failed_trials(&o) + failed_rows(&o), 1, "call %ld, %s", n, names[n - 1]);
        told += o.status != AT_OK || failed_trials(&o) || failed_rows(&o);
    }
    cr_assert_gt(told, count / STEP * 8 / 10, "%ld of %ld", told,
                 count / STEP); /* all but the calls of closing */
    free(names);
}

Test(driver_faults, each_call_may_end_the_context)
{
    char script[300];
    long count, told = 0;
    char(*names)[64] = list_calls(&count, COPY_SCRIPT);
    for (long n = 1; n <= count; n += STEP) {
        snprintf(script, sizeof script, COPY_SCRIPT "fail * %ld 700 sticky", n);
        outcome o = session(script);
        expect_clean(&o, n, names[n - 1], "sticky");
        told += o.status != AT_OK;
    }
    cr_assert_gt(told, count / STEP * 8 / 10, "%ld of %ld", told, count / STEP);
    free(names);
}

/* The verdict of a verification; AT_OK always comes with one. */
static at_status verify(atx_seen *out, atx_gpu *gpu, atx_bench *bench, const char *name)
{
    atx_module *module = NULL;
    at_error err = { 0 };
    const atx_kernel kernel = copy_kernel(name, COUNT);
    at_status status = atx_gpu_load_all(&module, gpu, &kernel, &err);
    atx_loaded what = { .module = module, .kernel = &kernel };
    if (status == AT_OK)
        status = atx_bench_verify(out, bench, &what, &err);
    atx_gpu_unload(gpu, module);
    return status;
}

/* Is copy_c right at once, after copy_b, which is not? 1: yes; 0: no; -1: the driver let it come to no
 * verdict. */
static int next_is_right(const char *script)
{
    atx_gpu *gpu = NULL;
    atx_bench *bench = NULL;
    atx_seen bad = { 0 }, good = { 0 };
    at_error err = { 0 };
    const atx_setup setup = copy_setup(COUNT, 0, 0);
    scripted_start(script);
    at_status status = atx_gpu_open(&gpu, 0, &err);
    if (status == AT_OK)
        status = atx_bench_open(&bench, gpu, &setup, &err);
    if (status == AT_OK && verify(&bad, gpu, bench, "copy_b") == AT_OK)
        cr_assert_not(bad.right, "nothing was damaged");
    if (status == AT_OK)
        status = verify(&good, gpu, bench, "copy_c");
    atx_bench_close(bench);
    atx_gpu_close(gpu);
    cr_assert(scripted_bytes() == 0 && scripted_modules() == 0, "%s: something is left on the device",
              script);
    return status == AT_OK ? good.right : -1;
}

static void expect_repair(const char *damage)
{
    char script[300], bad[200];
    long validated = 0;
    snprintf(bad, sizeof bad, COPY_SCRIPT "kernel copy_b * %s\n", damage);
    cr_assert_eq(next_is_right(bad), 1, "%s: nothing was refused", damage);
    const long count = scripted_calls(NULL);
    for (long n = 1; n <= count; n += STEP) {
        snprintf(script, sizeof script, "%sfail * %ld 1", bad, n);
        int right = next_is_right(script);
        cr_assert_neq(right, 0, "%s: call %ld, %s", damage, n, scripted_call(n));
        validated += right > 0;
    }
    cr_assert_geq(validated, 30 / STEP, "%ld of %ld", validated, count);
}

/* copy_b does damage: whatever is refused around it, copy_c finds everything as it was, and needs no second
 * chance. */
Test(driver_faults, a_damaged_input_is_repaired_whatever_fails)
{
    expect_repair("input");
}

Test(driver_faults, damaged_guards_are_repaired_whatever_fails)
{
    expect_repair("before");
    expect_repair("behind");
}

Test(driver_faults, a_damaged_answer_is_repaired_whatever_fails)
{
    expect_repair("far");
}
