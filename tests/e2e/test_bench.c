/*
 * test_bench.c - where a problem's buffers lie: aligned as it says and no better, with all that is checked of
 * aligned ones, while the copies that it is compared with run on aligned buffers; and how many there are.
 */
#include "copy_problem.h"
#include "scripted_driver.h"
#include "declare/data.h"
#include "runner/gpu.h"
#include "runner/measure.h"
#include "runner/sample.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1003 };

/* What copies of a problem move whose output is so many floats, and its input COUNT. */
static atx_setup unlike_setup(int64_t out_count)
{
    atx_setup setup = copy_setup(COUNT, 256, 256);
    setup.buffers[0].bytes = 4 * out_count;
    setup.reference = copy_kernel("copy_reference", out_count);
    setup.own_copies = true;
    return setup;
}

typedef struct lab {
    atx_gpu *gpu;
    atx_bench *bench;
} lab;

static lab lab_open_with(const char *script, atx_setup setup)
{
    lab l = { 0 };
    at_error err = { 0 };
    atx_device_info info;
    scripted_start(script);
    cr_assert_eq(atx_gpu_open(&l.gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_gpu_info(&info, l.gpu, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&l.bench, l.gpu, &setup, &err), AT_OK, "%s", err.text);
    return l;
}

static lab lab_open(const char *script, int64_t out_align, int64_t in_align)
{
    return lab_open_with(script, copy_setup(COUNT, out_align, in_align));
}

static void lab_close(lab *l)
{
    atx_bench_close(l->bench);
    atx_gpu_close(l->gpu);
}

/* A kernel that copies so many floats. */
static atx_measured try_some(lab *l, const char *name, int64_t count, bool is_copy)
{
    at_error err = { 0 };
    atx_measured m;
    const atx_trial trial = { .kernel = copy_kernel(name, count), .is_copy = is_copy };
    cr_assert_eq(atx_measure_trial(&m, l->gpu, l->bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    return m;
}

static atx_measured try(lab *l, const char *name, bool is_copy)
{
    return try_some(l, name, COUNT, is_copy);
}

static void play(atx_remeasure_row *rows, lab *l, const atx_top_candidate *list, int count)
{
    at_error err = { 0 };
    atx_watch watch;
    const atx_remeasure_means means = { .gpu = l->gpu, .bench = l->bench, .watch = &watch };
    const atx_remeasure_request request = { .list = list, .count = count, .seed = 7 };
    atx_watch_begin(&watch, NULL);
    cr_assert_eq(atx_remeasure(rows, &means, &request, &err), AT_OK, "%s", err.text);
}

static void expect_timed(lab *l, const char *name, bool is_copy)
{
    atx_measured m = try(l, name, is_copy);
    cr_assert_eq(m.outcome, ATX_TIMED, "%s: %s", name, m.log);
}

static const struct {
    int64_t out, in;
} ALIGNS[] = { { 4, 4 }, { 4, 256 }, { 256, 8 }, { 16, 128 }, { 64, 32 } };

Test(bench, buffers_are_aligned_as_the_problem_says_and_no_better)
{
    for (size_t i = 0; i < sizeof ALIGNS / sizeof *ALIGNS; i++) {
        lab l = lab_open(COPY_SCRIPT, ALIGNS[i].out, ALIGNS[i].in);
        expect_timed(&l, "copy_problem", false);
        long out = scripted_alignments("copy_problem", 0), in = scripted_alignments("copy_problem", 1);
        cr_assert_eq(out, ALIGNS[i].out, "%zu: %ld", i, out);
        cr_assert_eq(in, ALIGNS[i].in, "%zu: %ld", i, in);
        lab_close(&l);
    }
}

static void expect_no_data(const char *path, const char *why)
{
    atx_setup setup = copy_setup(COUNT, 256, 256);
    lab l = { 0 };
    at_error err = { 0 };
    snprintf(setup.buffers[1].data.path, sizeof setup.buffers[1].data.path, "%s", path);
    scripted_start(COPY_SCRIPT);
    cr_assert_eq(atx_gpu_open(&l.gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&l.bench, l.gpu, &setup, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, path) && strstr(err.text, why), "%s", err.text);
    lab_close(&l);
}

Test(bench, what_is_no_file_is_not_called_a_short_one)
{
    char path[64];
    int file = mkstemp(TEMPORARY(path, "bench"));
    cr_assert_geq(file, 0);
    close(file);
    expect_no_data("/tmp", "found a folder; expected a regular file");
    expect_no_data("/dev/null", "expected a regular file");
    expect_no_data(path, "found its end after 0 bytes of data; expected 4012");
    cr_assert_eq(unlink(path), 0);
}

Test(bench, copies_run_on_aligned_buffers_and_leave_no_trace)
{
    for (size_t i = 0; i < sizeof ALIGNS / sizeof *ALIGNS; i++) {
        lab l = lab_open(COPY_SCRIPT, ALIGNS[i].out, ALIGNS[i].in);
        atx_remeasure_row rows[3];
        const atx_top_candidate list[3] = { { .kernel = copy_kernel("copy_problem", COUNT) },
                                            { .kernel = copy_kernel("copy_plain", COUNT), .is_copy = true },
                                            { .is_memcpy = true } };
        expect_timed(&l, "copy_problem", false);
        expect_timed(&l, "copy_plain", true);
        expect_timed(&l, "copy_problem", false);
        play(rows, &l, list, 3);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(rows[k].outcome, ATX_TIMED, "%zu, %d: %s", i, k, rows[k].log);
        for (int buffer = 0; buffer < 2; buffer++) {
            cr_assert_eq(scripted_alignments("copy_plain", buffer), 256);
            cr_assert_eq(scripted_alignments(NULL, buffer), 256);
        }
        lab_close(&l);
    }
}

static void expect_blame(const char *damage, bool is_copy, const char *says)
{
    char script[200];
    snprintf(script, sizeof script, COPY_SCRIPT "kernel copy_bad * %s\n", damage);
    for (size_t i = 0; i < sizeof ALIGNS / sizeof *ALIGNS; i++) {
        lab l = lab_open(script, ALIGNS[i].out, ALIGNS[i].in);
        atx_measured m = try(&l, "copy_bad", is_copy);
        cr_assert_eq(m.outcome, ATX_WRONG_RESULT, "%zu %s: not found", i, damage);
        cr_assert(strstr(m.log, says), "%zu %s: %s", i, damage, m.log);
        expect_timed(&l, "copy_good", false);
        lab_close(&l);
    }
}

/* Launches rotate through 64 caches' worth of buffers, or a quarter of the memory, but three caches at least.
 */
Test(bench, the_l2_cache_is_cold_as_far_as_memory_allows)
{
    enum { L2 = 100000, SET = 2 * COUNT * 4, RESERVE = 256 << 20 };
    static const struct {
        int more; /* bytes free beside the reserve */
        int least, most;
    } MEMORY[] = {
        { 1 << 30, (64 * L2 + SET - 1) / SET, (64 * L2 + SET - 1) / SET },
        { 6000000, (3 * L2 + SET - 1) / SET + 1, 6000000 / 4 / SET },
        { 1000000, (3 * L2 + SET - 1) / SET, (3 * L2 + SET - 1) / SET },
    };
    for (size_t i = 0; i < sizeof MEMORY / sizeof *MEMORY; i++) {
        char script[2000];
        snprintf(script, sizeof script, "%sl2 %d\nfree %d\n", COPY_SCRIPT, L2, RESERVE + MEMORY[i].more);
        lab l = lab_open(script, 256, 256);
        int sets = atx_bench_sets(l.bench);
        cr_assert_geq(sets, MEMORY[i].least, "%zu: %d", i, sets);
        cr_assert_leq(sets, MEMORY[i].most, "%zu: %d", i, sets);
        cr_assert_eq(atx_bench_fewest_sets(l.bench), (3 * L2 + SET - 1) / SET);
        lab_close(&l);
    }
}

Test(bench, damage_is_found_wherever_buffers_begin)
{
    expect_blame("wrong", false, "wrong output: 1 of 4012 bytes");
    expect_blame("unwritten", false, "wrong output: 1 of 4012 bytes");
    expect_blame("behind", false, "writes behind buffer 0: 1 bytes, the first 0 bytes after its end");
    expect_blame("before", false, "writes before buffer 0: 1 bytes, the first 1 bytes in front of it");
    expect_blame("input", false, "writes to its input: 1 of 4012 bytes");
    expect_blame("wrong", true, "wrong output: 1 of 4012 bytes");
    expect_blame("before", true, "writes before buffer 0: 1 bytes");
}

/* Rows with a pitch: of an output that the reference does not write whole, the rest is not a kernel's either.
 */
Test(bench, what_the_reference_leaves_must_stay_and_all_else_be_written)
{
    enum { WRITTEN = COUNT - 7, TOO_FEW = 10 };
    char says[80];
    atx_setup setup = copy_setup(COUNT, 256, 256);
    setup.reference = copy_kernel("copy_reference", WRITTEN);
    setup.gaps = true;
    lab l = lab_open_with(COPY_SCRIPT, setup);
    atx_measured m = try_some(&l, "copy_good", WRITTEN, false);
    cr_assert_eq(m.outcome, ATX_TIMED, "%s", m.log);
    m = try_some(&l, "copy_too_much", WRITTEN + 1, false);
    cr_assert_eq(m.outcome, ATX_WRONG_RESULT);
    cr_assert(strstr(m.log, "the first in element 996"), "%s", m.log);
    m = try_some(&l, "copy_too_few", TOO_FEW, false);
    cr_assert_eq(m.outcome, ATX_WRONG_RESULT);
    snprintf(says, sizeof says, "%d of %d bytes differ", 4 * (WRITTEN - TOO_FEW), 4 * COUNT);
    cr_assert(strstr(m.log, says), "every byte begins wrong: %s", m.log);
    lab_close(&l);
}

/* The last bit of a number from 1 to 2 is 1.2e-7 of 1, and 0.6e-7 to 1.2e-7 of itself. */
Test(bench, a_tolerance_allows_what_it_says_and_no_more)
{
    static const struct {
        int rule;
        double relative, absolute;
        bool right;
    } CHECKS[] = {
        { ATX_WITHIN, 1.3e-7, 0, true },  { ATX_WITHIN, 0.5e-7, 0, false }, { ATX_WITHIN, 0, 1.3e-7, true },
        { ATX_WITHIN, 0, 1.1e-7, false }, { ATX_WITHIN, 0, 0, false },      { ATX_ULP, 1, 0, true },
        { ATX_ULP, 0.1, 0, false },       { ATX_NORM, 1.2e-8, 0, true },    { ATX_NORM, 1e-10, 0, false },
    };
    for (size_t i = 0; i < sizeof CHECKS / sizeof *CHECKS; i++) {
        atx_setup setup = copy_setup(COUNT, 256, 256);
        for (int k = 0; k < 2; k++)
            setup.buffers[k].number = ATX_FLOAT * 16 + 4;
        setup.buffers[1].how = ATX_UNIFORM;
        setup.buffers[1].filling.a = setup.buffers[1].filling.b = atx_bits_of_double(1);
        setup.buffers[0].check.rule = CHECKS[i].rule;
        setup.buffers[0].check.relative = CHECKS[i].relative;
        setup.buffers[0].check.absolute = CHECKS[i].absolute;
        lab l = lab_open_with(COPY_SCRIPT "kernel copy_bad * wrong\n", setup);
        atx_measured m = try(&l, "copy_bad", false);
        cr_expect_eq(m.outcome, CHECKS[i].right ? ATX_TIMED : ATX_WRONG_RESULT, "check %zu: %s", i, m.log);
        expect_timed(&l, "copy_good", false);
        lab_close(&l);
    }
}

/* Doubles whose squares would leave their range: the last bit of one of 502 is 2.5e-18 to 1e-17 of all. */
Test(bench, a_norm_of_tiny_and_of_huge_numbers_is_one_too)
{
    static const double UNITS[] = { 1e-310, 1e-200, 1, 1e200 }, NORMS[] = { 1e-2, 1e-18 };
    for (size_t i = 0; i < 2 * sizeof UNITS / sizeof *UNITS; i++) {
        const double unit = UNITS[i / 2], norm = i % 2 ? NORMS[1] : NORMS[0];
        atx_setup setup = copy_setup(COUNT + 1, 256, 256);
        for (int k = 0; k < 2; k++) {
            setup.buffers[k].number = ATX_FLOAT * 16 + 8;
            setup.buffers[k].element_bytes = 8;
        }
        setup.buffers[1].how = ATX_UNIFORM;
        setup.buffers[1].filling.a = setup.buffers[1].filling.b = atx_bits_of_double(unit);
        setup.buffers[0].check.rule = ATX_NORM;
        setup.buffers[0].check.relative = norm;
        lab l = lab_open_with(COPY_SCRIPT "kernel copy_bad * wrong\n", setup);
        atx_measured m = try_some(&l, "copy_bad", COUNT + 1, false);
        cr_expect_eq(m.outcome, i % 2 ? ATX_WRONG_RESULT : ATX_TIMED, "%g within %g: %s", unit, norm, m.log);
        lab_close(&l);
    }
}

/* A kernel that writes far away while it is timed, where nobody looks, spoils the answer that the next one is
 * compared with; buffers that are filled anew clear it. */
Test(bench, a_right_kernel_behind_one_that_wrote_far_away_is_cleared)
{
    lab l = lab_open(COPY_SCRIPT "kernel copy_bad * far\n", 256, 256);
    at_error err = { 0 };
    atx_module *module = NULL;
    const atx_kernel bad = copy_kernel("copy_bad", COUNT);
    expect_timed(&l, "copy_good", false);
    cr_assert_eq(atx_gpu_load_all(&module, l.gpu, &bad, &err), AT_OK, "%s", err.text);
    const atx_loaded what = { .module = module, .kernel = &bad };
    cr_assert_eq(atx_bench_launch(l.bench, &what, (atx_sets){ 1, 2 }, &err), AT_OK, "%s", err.text);
    atx_gpu_unload(l.gpu, module);
    expect_timed(&l, "copy_good", false);
    lab_close(&l);
}

/* As one may be for what another did. */
Test(bench, a_kernel_that_is_wrong_once_and_right_on_fresh_buffers_is_cleared)
{
    char script[300], at[64];
    close(mkstemp(TEMPORARY(at, "once")));
    snprintf(script, sizeof script, COPY_SCRIPT "kernel copy_bad * wrong once %s\n", at);
    lab l = lab_open(script, 256, 256);
    expect_timed(&l, "copy_bad", false);
    cr_assert_neq(access(at, F_OK), 0, "it was wrong once, and right three times on fresh buffers");
    lab_close(&l);
}

/* The scripted driver refuses attributes that no launch here has, and a grid that it does not hold at once.
 */
Test(bench, a_cooperative_kernel_is_tried_where_all_its_blocks_are_resident)
{
    static const int64_t GRIDS[] = { 1056,
                                     1057 }; /* 8 blocks of 256 threads on each of 132 multiprocessors */
    lab l = lab_open(COPY_SCRIPT, 256, 256);
    for (int i = 0; i < 2; i++) {
        atx_trial trial = { .kernel = copy_kernel("copy_good", COUNT) };
        atx_measured m = { 0 };
        at_error err = { 0 };
        trial.kernel.geometry.cooperative = 1;
        trial.kernel.geometry.grid[0] = GRIDS[i];
        cr_assert_eq(atx_measure_trial(&m, l.gpu, l.bench, &trial, NULL, &err), AT_OK, "%s", err.text);
        cr_expect_eq(m.outcome, i ? ATX_LAUNCH_FAILED : ATX_TIMED, "%s", m.log);
        cr_expect_not(m.doubtful, "it is refused today and tomorrow");
        if (i)
            cr_expect_str_eq(m.log,
                             "found a cooperative grid of 1057 blocks; expected at most 1056, as many as "
                             "this device holds at once");
    }
    lab_close(&l);
}

/* ---- re-measurements ---- */

static atx_top_candidate top_candidate(const char *name)
{
    return (atx_top_candidate){ .kernel = copy_kernel(name, COUNT) };
}

/* Whoever leads, those that are as fast as the best are tied with it, and the best itself with nobody. */
Test(bench, as_fast_as_the_best_is_tied)
{
    static const struct {
        const char *names[3];
        bool tied[3];
    } CASES[] = {
        { { "copy_even_1", "copy_even_2", "copy_slow" }, { false, true, false } },
        { { "copy_slow", "copy_even_1", "copy_even_2" }, { false, false, true } },
        { { "copy_even_1", "copy_slow", "copy_even_2" }, { false, false, true } },
    };
    lab l = lab_open("l2 20000\nnoise 0\ntime copy_even_* * 50000\ntime copy_* * 90000\n", 256, 256);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_remeasure_row rows[3];
        const atx_top_candidate list[3] = { top_candidate(CASES[i].names[0]),
                                            top_candidate(CASES[i].names[1]),
                                            top_candidate(CASES[i].names[2]) };
        play(rows, &l, list, 3);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(rows[k].tied, CASES[i].tied[k], "case %zu, %s", i, CASES[i].names[k]);
    }
    lab_close(&l);
}

Test(bench, nobody_is_tied_with_one_that_is_wrong)
{
    atx_remeasure_row rows[4];
    const atx_top_candidate list[4] = { top_candidate("copy_even_1"), top_candidate("copy_even_2"),
                                        top_candidate("copy_even_3"), top_candidate("copy_slow") };
    lab l = lab_open(
        "l2 20000\nnoise 0\ntime copy_even_* * 50000\ntime copy_* * 90000\nkernel copy_even_1 * wrong\n", 256,
        256);
    play(rows, &l, list, 4);
    cr_assert_eq(rows[0].outcome, ATX_WRONG_RESULT);
    cr_assert(!rows[0].tied && !rows[1].tied && rows[2].tied && !rows[3].tied, "%d %d %d %d", rows[0].tied,
              rows[1].tied, rows[2].tied, rows[3].tied);
    lab_close(&l);
}

/* More rounds are played while they could tell two apart. */
Test(bench, a_final_goes_on_until_it_is_converged)
{
    static const struct {
        const char *script;
        int least, most; /* rounds */
    } CASES[] = {
        { "noise 0\ntime copy_even_1 * 50000\ntime copy_even_2 * 90000\n", 15, 15 },
        { "noise 0.05\ntime copy_even_1 * 50000\ntime copy_even_2 * 90000\n", 15, 15 },
        { "noise 0.05\ntime copy_even_* * 50000\n", 20, 45 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char script[200];
        atx_remeasure_row rows[2];
        const atx_top_candidate list[2] = { top_candidate("copy_even_1"), top_candidate("copy_even_2") };
        snprintf(script, sizeof script, "l2 20000\n%s", CASES[i].script);
        lab l = lab_open(script, 256, 256);
        play(rows, &l, list, 2);
        cr_expect(rows[0].timing.samples >= CASES[i].least && rows[0].timing.samples <= CASES[i].most,
                  "case %zu: %d rounds", i, (int)rows[0].timing.samples);
        lab_close(&l);
    }
}

/* However fast, and wherever it stands in the list. */
Test(bench, a_top_candidate_that_is_wrong_after_its_timing_is_told_so)
{
    static const char *const NAMES[] = { "copy_even_1", "copy_even_2", "copy_slow" };
    for (int bad = 0; bad < 3; bad++) {
        char script[300];
        atx_remeasure_row rows[3];
        const atx_top_candidate list[3] = { top_candidate(NAMES[0]), top_candidate(NAMES[1]),
                                            top_candidate(NAMES[2]) };
        snprintf(script, sizeof script, COPY_SCRIPT "kernel %s * wrong\n", NAMES[bad]);
        lab l = lab_open(script, 256, 256);
        play(rows, &l, list, 3);
        for (int k = 0; k < 3; k++)
            cr_expect_eq(rows[k].outcome, k == bad ? ATX_WRONG_RESULT : ATX_TIMED, "%s of %s: %s", NAMES[k],
                         NAMES[bad], rows[k].log);
        lab_close(&l);
    }
}

/* Without inputs memcpy has nothing to copy: an error says so, and no invalid memory is read. */
Test(bench, a_problem_without_inputs_has_no_memcpy)
{
    lab l = { 0 };
    at_error err = { 0 };
    atx_setup setup = copy_setup(COUNT, 256, 256);
    setup.buffers[1].role = ATX_SCRATCH;
    scripted_start(COPY_SCRIPT);
    cr_assert_eq(atx_gpu_open(&l.gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&l.bench, l.gpu, &setup, &err), AT_OK, "%s", err.text);
    const atx_loaded copy = { .is_copy = true };
    cr_assert_eq(atx_bench_launch(l.bench, &copy, (atx_sets){ 0, 0 }, &err), AT_ERR_DEVICE);
    cr_assert(strstr(err.text, "no input and output to copy between"), "%s", err.text);
    lab_close(&l);
}

/* A copy of COUNT floats fits neither an output of 10 nor one beside which there is another. */
Test(bench, copies_have_buffers_of_their_own_where_those_of_the_problem_do_not_suit)
{
    lab l = lab_open_with(COPY_SCRIPT, unlike_setup(10));
    at_error err = { 0 };
    atx_remeasure_row rows[3];
    const atx_trial ten = { .kernel = copy_kernel("copy_ten", 10) };
    const atx_top_candidate list[3] = { { .kernel = copy_kernel("copy_ten", 10) },
                                        { .kernel = copy_kernel("copy_plain", COUNT), .is_copy = true },
                                        { .is_memcpy = true } };
    atx_measured m;
    expect_timed(&l, "copy_plain", true);
    cr_assert_eq(atx_measure_trial(&m, l.gpu, l.bench, &ten, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(m.outcome, ATX_TIMED, "%s", m.log);
    play(rows, &l, list, 3);
    for (int k = 0; k < 3; k++)
        cr_assert_eq(rows[k].outcome, ATX_TIMED, "%d: %s", k, rows[k].log);
    lab_close(&l);
    cr_assert_eq(scripted_bytes(), 0);
}

Test(bench, a_bad_copy_is_found_in_its_own_buffers)
{
    lab l = lab_open_with(COPY_SCRIPT "kernel copy_bad * behind\n", unlike_setup(10));
    atx_measured m = try(&l, "copy_bad", true);
    cr_assert_eq(m.outcome, ATX_WRONG_RESULT);
    cr_assert(strstr(m.log, "writes behind buffer 0: 1 bytes"), "%s", m.log);
    expect_timed(&l, "copy_good", true);
    lab_close(&l);
}

/* ---- how much time a candidate gets ---- */

/* The samples of a kernel that takes so long, beside a best one of 4 ms. */
static int samples_of(const char *script)
{
    char text[300];
    at_error err = { 0 };
    atx_measured m;
    snprintf(text, sizeof text, "l2 20000\nnoise 0.0005\n%s\n", script);
    lab l = lab_open(text, 256, 256);
    const atx_trial trial = { .kernel = copy_kernel("copy_problem", COUNT), .best_s = 4e-3 };
    cr_assert_eq(atx_measure_trial(&m, l.gpu, l.bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(m.outcome, ATX_TIMED, "%s", m.log);
    lab_close(&l);
    return (int)m.timing.samples;
}

static long launches_for(const char *script, int *samples)
{
    *samples = samples_of(script);
    return scripted_calls("cuLaunchKernel");
}

Test(bench, the_slower_a_candidate_is_the_fewer_samples_it_gets)
{
    cr_expect_eq(samples_of("time copy_problem * 3900000"), 3); /* they agree: more would say the same */
    cr_expect_eq(samples_of("time copy_problem * 4600000"), 2);
    cr_expect_eq(samples_of("time copy_problem * 5800000"), 2);
    cr_expect_eq(samples_of("time copy_problem * 40000000"), 1);
}

Test(bench, samples_that_do_not_agree_are_more)
{
    int samples = samples_of("time copy_problem * 3900000\nnoise 0.05");
    cr_assert_gt(samples, 3);
}

/* Beyond the launch that is verified, and its check, each costs just its samples: none goes ahead of them. */
Test(bench, a_launch_of_milliseconds_is_launched_as_often_as_it_is_counted)
{
    int too_slow = 0, good = 0;
    long base = launches_for("time copy_problem * 6500000", &too_slow);
    long more = launches_for("time copy_problem * 3900000", &good);
    cr_assert(too_slow == 1 && good == 3, "%d, %d samples", too_slow, good);
    cr_assert_eq(more - base, good - too_slow, "%ld launches more", more - base);
}

/* A clock that is up does not rise, so nothing is to be waited for: here, for hours. */
Test(bench, warming_up_ends_when_it_becomes_no_faster)
{
    at_error err = { 0 };
    lab l = lab_open(COPY_SCRIPT, 256, 256);
    cr_assert_eq(atx_warm_up(l.gpu, l.bench, 10000, &err), AT_OK, "%s", err.text);
    lab_close(&l);
}

/* ---- launches in a loop ---- */

/* A copy of so many launches, from the input by way of `tmp` back to the output. */
static atx_measured try_chain(int launches)
{
    at_error err = { 0 };
    atx_measured m;
    atx_str all = { 0 };
    atx_setup setup = copy_setup(COUNT, 256, 256);
    setup.buffers[setup.buffer_count++] = (atx_buffer){ ATX_SCRATCH, 4 * COUNT, 256, .element_bytes = 4 };
    lab l = lab_open_with(COPY_SCRIPT, setup);
    atx_trial trial = { .kernel = copy_kernel("copy_problem", COUNT) };
    atx_kernel_launch one = { .arg_count = trial.kernel.arg_count, .geometry = trial.kernel.geometry };
    memcpy(one.args, trial.kernel.args, sizeof one.args);
    for (int i = 0; i < launches; i++) {
        one.args[1].buffer = i == 0 ? 1 : i % 2 ? 2 : 0;
        one.args[0].buffer = i % 2 ? 0 : 2;
        atx_launches_add(&all, &one);
    }
    trial.kernel.launches = all.data;
    trial.kernel.launches_len = all.len;
    trial.kernel.launch_count = launches;
    cr_assert_eq(atx_measure_trial(&m, l.gpu, l.bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    lab_close(&l);
    atx_str_clear(&all);
    return m;
}

Test(bench, a_loop_of_launches_is_one_candidate)
{
    const atx_measured two = try_chain(2), ten = try_chain(10);
    cr_assert_eq(two.outcome, ATX_TIMED, "%s", two.log);
    cr_assert_eq(ten.outcome, ATX_TIMED, "%s", ten.log);
    cr_assert_float_eq(ten.timing.median_s / two.timing.median_s, 5, 0.1);
    cr_assert_float_eq(two.timing.median_s, 180e-6, 10e-6);
    cr_assert_eq(try_chain(1).outcome, ATX_WRONG_RESULT, "its output is in the other buffer");
}
