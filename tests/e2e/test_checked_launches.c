/*
 * test_checked_launches.c - kernels that are right when they are verified and save their work when they are
 * timed: none gets a time. host_cheats.h describes them.
 */
#include "copy_problem.h"
#include "scripted_driver.h"
#include "declare/data.h"
#include "runner/bench_internal.h"
#include "runner/measure.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1003 };

/* As cheap as honest ones: what is told is that they are wrong. Launches of 2, 20, 90 and 2000 us: graphs,
 * plain batches, and such of one launch. */
static const long TIMES_NS[] = { 2000, 20000, 90000, 2000000 };
enum { TIMES = sizeof TIMES_NS / sizeof *TIMES_NS };

typedef struct lab {
    atx_gpu *gpu;
    atx_bench *bench;
} lab;

static lab open_lab(atx_setup setup, long ns)
{
    lab l = { 0 };
    at_error err = { 0 };
    char script[300];
    snprintf(script, sizeof script, "l2 10000\nnoise 0.001\ntime copy_slow * 200000\ntime copy_* * %ld\n",
             ns);
    scripted_start(script);
    cr_assert_eq(atx_gpu_open(&l.gpu, 0, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_bench_open(&l.bench, l.gpu, &setup, &err), AT_OK, "%s", err.text);
    return l;
}

/* The third argument of these kernels is scratch memory: one word. */
static atx_setup setup_with_scratch(void)
{
    atx_setup setup = copy_setup(COUNT, 256, 256);
    setup.buffers[2] = (atx_buffer){ ATX_SCRATCH, 4, 256, .element_bytes = 4 };
    setup.buffer_count = 3;
    return setup;
}

static atx_kernel kernel_of(const char *name)
{
    atx_kernel k = copy_kernel(name, COUNT);
    if (strcmp(name, "copy_mark") == 0)
        k.args[2] = (struct atx_kernel_arg){ .buffer = 2 };
    return k;
}

static void close_lab(lab *l)
{
    atx_bench_close(l->bench);
    atx_gpu_close(l->gpu);
}

static atx_measured try_kernel(lab *l, const char *name)
{
    at_error err = { 0 };
    atx_measured m;
    const atx_trial trial = { .kernel = kernel_of(name) };
    cr_assert_eq(atx_measure_trial(&m, l->gpu, l->bench, &trial, NULL, &err), AT_OK, "%s", err.text);
    return m;
}

static void remeasure(atx_remeasure_row *rows, lab *l, const atx_top_candidate *list, int count)
{
    at_error err = { 0 };
    atx_watch watch;
    atx_watch_begin(&watch, NULL);
    const atx_remeasure_means means = { .gpu = l->gpu, .bench = l->bench, .watch = &watch };
    const atx_remeasure_request request = { .list = list, .count = count, .seed = 7 };
    cr_assert_eq(atx_remeasure(rows, &means, &request, &err), AT_OK, "%s", err.text);
}

static const char *const CHEATS[] = { "copy_once",   "copy_few",  "copy_address",
                                      "copy_lowest", "copy_flip", "copy_half" };
enum { CHEAT_COUNT = sizeof CHEATS / sizeof *CHEATS };

/* Of so many trials. The second of them looks at one launch that was timed: for some of these kernels it may
 * be one at which they do work. */
enum { TRIALS = 4 };

static void expect_wrong(const char *cheat, long ns)
{
    int wrong = 0;
    for (int i = 0; i < TRIALS; i++) {
        atx_setup setup = setup_with_scratch();
        setup.chance = (uint64_t)i + 1;
        lab l = open_lab(setup, ns);
        const atx_measured good = try_kernel(&l, "copy_good"), m = try_kernel(&l, cheat);
        cr_expect_eq(good.outcome, ATX_TIMED, "%s", good.log);
        cr_expect(m.outcome == ATX_TIMED || m.timing.median_s <= 0, "%s of %ld ns has a time", cheat, ns);
        cr_expect_eq(try_kernel(&l, "copy_good").outcome, ATX_TIMED, "after %s", cheat);
        wrong += m.outcome == ATX_WRONG_RESULT;
        close_lab(&l);
    }
    cr_expect_geq(wrong, TRIALS / 2, "%s of %ld ns: wrong are %d of %d trials", cheat, ns, wrong, TRIALS);
}

Test(checked_launches, kernels_that_save_their_work_when_they_are_not_verified_are_found_in_trials)
{
    for (int c = 0; c < CHEAT_COUNT; c++)
        for (int t = 0; t < TIMES; t++)
            expect_wrong(CHEATS[c], TIMES_NS[t]);
}

/* Of `alike` sets, whose inputs are all the same, outputs hold an answer to them after each launch. */
Test(checked_launches, nor_where_all_sets_have_the_same_inputs)
{
    atx_setup setup = setup_with_scratch();
    setup.buffers[0].number = setup.buffers[1].number = ATX_FLOAT * 16 + 4;
    setup.buffers[1].how = ATX_ONE_VALUE;
    setup.buffers[1].filling.a = atx_bits_of_double(2);
    for (int c = 0; c < CHEAT_COUNT; c++) {
        lab l = open_lab(setup, 20000);
        cr_expect_eq(try_kernel(&l, CHEATS[c]).outcome, ATX_WRONG_RESULT, "%s is timed", CHEATS[c]);
        cr_expect_eq(try_kernel(&l, "copy_good").outcome, ATX_TIMED);
        close_lab(&l);
    }
}

/* A launch finds the answer to other inputs in its outputs, and nothing in scratch memory: these do all of
 * their work. */
Test(checked_launches, what_launches_find_saves_them_nothing)
{
    static const char *const SAVERS[] = { "copy_difference", "copy_skip", "copy_mark" };
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < TIMES; t++) {
            lab l = open_lab(setup_with_scratch(), TIMES_NS[t]);
            const double good_s = try_kernel(&l, "copy_good").timing.median_s;
            const atx_measured m = try_kernel(&l, SAVERS[k]);
            cr_expect_eq(m.outcome, ATX_TIMED, "%s: %s", SAVERS[k], m.log);
            cr_expect_float_eq(m.timing.median_s / good_s, 1, 0.02, "%s: %g of the time", SAVERS[k],
                               m.timing.median_s / good_s);
            close_lab(&l);
        }
}

/* In use it would be wrong: what begins with the answer need not be the answer. */
Test(checked_launches, one_that_looks_at_the_beginning_of_its_output_is_wrong_in_a_re_measurement)
{
    int wrong = 0;
    for (int i = 0; i < 10; i++) {
        atx_setup setup = copy_setup(COUNT, 256, 256);
        setup.chance = (uint64_t)i + 1;
        lab l = open_lab(setup, 90000);
        atx_remeasure_row rows[2];
        const atx_top_candidate list[2] = { { .kernel = kernel_of("copy_good") },
                                            { .kernel = kernel_of("copy_skip") } };
        remeasure(rows, &l, list, 2);
        cr_expect_eq(rows[0].outcome, ATX_TIMED, "%s", rows[0].log);
        wrong += rows[1].outcome == ATX_WRONG_RESULT;
        close_lab(&l);
    }
    cr_assert_geq(wrong, 3, "half of all outputs begin right; wrong were %d of 10", wrong);
}

/* Checks see launches of any number: a few of them are enough. */
Test(checked_launches, every_other_launch_is_no_place_to_hide)
{
    for (int t = 0; t < TIMES; t++)
        for (int i = 0; i < 5; i++) {
            atx_setup setup = copy_setup(COUNT, 256, 256);
            setup.chance = (uint64_t)i + 1;
            lab l = open_lab(setup, TIMES_NS[t]);
            atx_remeasure_row rows[2];
            const atx_top_candidate list[2] = { { .kernel = kernel_of("copy_good") },
                                                { .kernel = kernel_of("copy_every_other") } };
            remeasure(rows, &l, list, 2);
            cr_expect_eq(rows[0].outcome, ATX_TIMED, "%s", rows[0].log);
            cr_expect_eq(rows[1].outcome, ATX_WRONG_RESULT, "%ld ns, %d", TIMES_NS[t], i);
            close_lab(&l);
        }
}

Test(checked_launches, a_verdict_says_which_launch_and_what_it_found)
{
    lab l = open_lab(copy_setup(COUNT, 256, 256), 90000);
    const atx_measured good = try_kernel(&l, "copy_good"), m = try_kernel(&l, "copy_once");
    cr_assert_geq(good.verdict.checked, 2, "one to verify, one that was timed");
    cr_assert(good.verdict.set == -1 && good.verdict.element == -1 && !good.verdict.buffer[0]);
    cr_assert(m.verdict.timed && m.verdict.launch > 1, "launch %lld", (long long)m.verdict.launch);
    cr_assert(m.verdict.set >= 0 && m.verdict.set < atx_bench_sets(l.bench));
    cr_assert_eq(m.verdict.element, 0);
    cr_assert(strstr(m.log, ", one that was timed, inputs "), "%s", m.log);
    close_lab(&l);
}

/* ---- re-measurements ---- */

Test(checked_launches, no_cheat_survives_a_re_measurement_and_no_honest_kernel_suffers)
{
    for (int c = 0; c < CHEAT_COUNT; c++)
        for (int t = 0; t < TIMES; t++) {
            lab l = open_lab(setup_with_scratch(), TIMES_NS[t]);
            atx_remeasure_row rows[3];
            const atx_top_candidate list[3] = { { .kernel = kernel_of("copy_good") },
                                                { .kernel = kernel_of(CHEATS[c]) },
                                                { .is_memcpy = true } };
            remeasure(rows, &l, list, 3);
            cr_expect_eq(rows[0].outcome, ATX_TIMED, "beside %s: %s", CHEATS[c], rows[0].log);
            cr_expect_eq(rows[1].outcome, ATX_WRONG_RESULT, "%s of %ld ns", CHEATS[c], TIMES_NS[t]);
            cr_expect_geq(rows[0].verdict.checked, 2);
            close_lab(&l);
        }
}

/* Twice as fast as a copy is, and right: believed after many more launches, and said. */
Test(checked_launches, what_is_faster_than_a_copy_is_checked_more_often)
{
    static const char *const COPIES[] = { "copy_plain", "copy_slow" };
    int64_t checked[2] = { 0 };
    for (int i = 0; i < 2; i++) {
        lab l = open_lab(copy_setup(COUNT, 256, 256), 90000);
        atx_remeasure_row rows[2];
        const atx_top_candidate list[2] = { { .kernel = kernel_of("copy_other") },
                                            { .kernel = kernel_of(COPIES[i]), .is_copy = true } };
        remeasure(rows, &l, list, 2);
        cr_expect_eq(rows[0].verdict.above_ceiling, i == 1, "beside %s", COPIES[i]);
        checked[i] = rows[0].verdict.checked;
        close_lab(&l);
    }
    cr_assert_geq(checked[1], checked[0] + 5);
}

/* Its inputs and addresses are others than those of trials. */
Test(checked_launches, a_re_measurement_has_fresh_inputs_at_fresh_addresses)
{
    lab l = open_lab(copy_setup(COUNT, 256, 256), 90000);
    unsigned char before[COUNT * 4], after[COUNT * 4];
    at_error err = { 0 };
    const atx_ptr at = atx_bench_buffer(l.bench, 0, 1);
    cr_assert_eq(atx_gpu_read(l.gpu, before, at, sizeof before, &err), AT_OK);
    cr_assert_eq(atx_bench_move(l.bench, &err), AT_OK, "%s", err.text);
    cr_assert_neq(atx_bench_buffer(l.bench, 0, 1), at);
    cr_assert_eq(atx_gpu_read(l.gpu, after, atx_bench_buffer(l.bench, 0, 1), sizeof after, &err), AT_OK);
    cr_assert(memcmp(before, after, sizeof before) != 0);
    cr_assert_eq(scripted_places(before, 32), 0, "what was seen is gone");
    close_lab(&l);
}

/* ---- where answers are ---- */

/* y[i] = x[i] * w[i % 8]: no input is an answer. */
static atx_setup weigh_setup(void)
{
    atx_setup setup = copy_setup(COUNT, 256, 256);
    setup.buffers[2] = (atx_buffer){ ATX_INPUT, 32, 256, .element_bytes = 4 };
    setup.buffer_count = 3;
    for (int i = 0; i < 3; i++)
        setup.buffers[i].number = ATX_FLOAT * 16 + 4;
    for (int i = 1; i < 3; i++) {
        setup.buffers[i].how = ATX_UNIFORM;
        setup.buffers[i].filling.a = setup.buffers[i].filling.b = atx_bits_of_double(1);
    }
    setup.reference.name = "weigh_reference";
    setup.reference.arg_count = 4;
    setup.reference.args[2] = (struct atx_kernel_arg){ .buffer = 2 };
    setup.reference.args[3] = (struct atx_kernel_arg){ .buffer = -1, .bytes = 8, .value = COUNT };
    return setup;
}

Test(checked_launches, no_scan_of_memory_finds_an_answer)
{
    enum { BYTES = 64 };
    const atx_setup setup = weigh_setup();
    lab l = open_lab(setup, 90000);
    at_error err = { 0 };
    static unsigned char answers[ATX_MAX_SETS][BYTES];
    atx_module *module = NULL;
    cr_assert_eq(atx_gpu_load_all(&module, l.gpu, &setup.reference, &err), AT_OK);
    const atx_loaded what = { .module = module, .kernel = &setup.reference };
    const int sets = atx_bench_sets(l.bench);
    for (int s = 0; s < sets; s++) {
        cr_assert_eq(atx_bench_launch(l.bench, &what, (atx_sets){ s, s }, &err), AT_OK);
        cr_assert_eq(atx_gpu_read(l.gpu, answers[s], atx_bench_buffer(l.bench, s, 0), BYTES, &err), AT_OK);
        cr_assert_geq(scripted_places(answers[s], BYTES), 1);
    }
    cr_assert_eq(atx_bench_fill(l.bench, &err), AT_OK);
    for (int s = 0; s < sets; s++)
        cr_expect_eq(scripted_places(answers[s], BYTES), 0, "the answer of set %d lies about", s);
    atx_gpu_unload(l.gpu, module);
    close_lab(&l);
}

/* ---- borrowed by a request ---- */

/* The head of a cubin whose code has a variable `w` of 32 bytes. */
typedef struct image_of_w {
    Elf64_Ehdr head;
    Elf64_Shdr sections[2];
    Elf64_Sym symbol;
    char names[8];
} image_of_w;

static image_of_w make_image_of_w(void)
{
    image_of_w image = { .head = { .e_ident = ELFMAG,
                                   .e_shoff = offsetof(image_of_w, sections),
                                   .e_shentsize = sizeof(Elf64_Shdr),
                                   .e_shnum = 2 },
                         .sections = { { .sh_type = SHT_SYMTAB,
                                         .sh_offset = offsetof(image_of_w, symbol),
                                         .sh_size = sizeof(Elf64_Sym),
                                         .sh_link = 1 },
                                       { .sh_type = SHT_STRTAB, .sh_offset = offsetof(image_of_w, names) } },
                         .symbol = { .st_name = 1,
                                     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                                     .st_shndx = 1,
                                     .st_size = 32 },
                         .names = { '\0', 'w' } };
    return image;
}

/* The message that a setup came in is overwritten by the next one. Answers are made anew for a
 * re-measurement. */
Test(checked_launches, answers_of_a_reference_with_a_variable_are_made_when_the_setup_is_gone)
{
    char name[] = "w";
    at_error err = { 0 };
    const image_of_w image = make_image_of_w();
    atx_setup setup = weigh_setup();
    setup.reference.cubin = &image;
    setup.reference.cubin_len = sizeof image;
    setup.reference.name = "weighted_plain";
    setup.reference.args[2] = setup.reference.args[3];
    setup.reference.arg_count = 3;
    setup.reference.variables[0] = (struct atx_kernel_variable){ name, 2 };
    setup.reference.variable_count = 1;
    lab l = open_lab(setup, 90000);
    memset(name, '?', 1);
    cr_assert_eq(atx_bench_move(l.bench, &err), AT_OK, "%s", err.text);
    close_lab(&l);
}
