/*
 * test_pack_tune.c - `autotune pack --tune`: what is measured decides which kernels a pack has, is kept
 * whatever happens, and changes no answer for exact shapes.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static e2e_run run;

/* The model that comes with the program tells which kernels are worth it. */
static void begin(void)
{
    e2e_begin();
    unsetenv("AUTOTUNE_NO_SHIPPED");
}

TestSuite(pack_tune, .init = begin, .fini = e2e_end);

/* It ends when all problems are measured. */
#define PACK                                                                                                 \
    "pack copy f32 --shapes problems.txt --try problems.txt --tune 10m --problems 8 --trials 2 --kernels 1 " \
    "-o out"
#define GENERAL                                                                                              \
    "SELECT count(*) FROM trial t JOIN problem p ON p.id = t.problem_id WHERE p.op = 'copy general'"

static void make_pack(void)
{
    e2e_write("problems.txt", "copy 20x30 f32\ncopy 100x30 f32\ncopy 64x64 f32\n");
    e2e_tune(&run, E2E_REAL, PACK);
}

static void read_description(char *text, size_t size, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/out/%s.json", e2e_folder(), name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void read_pack(char *text, size_t size)
{
    read_description(text, size, "copy_f32");
}

static char json[1 << 20];

Test(pack_tune, measured_losses_decide_and_the_description_says_which_are_measured)
{
    e2e_write("problems.txt", "copy 20x30 f32\ncopy 100x30 f32\ncopy 64x64 f32\n");
    e2e_tune(&run, E2E_REAL,
             "pack copy f32 --shapes problems.txt --device H200 --kernels 1 --problems 8 -o out");
    e2e_expect(run.code == 0, run);
    read_pack(json, sizeof json);
    cr_assert(strstr(json, "\"measured\": 0, ") && strstr(json, "THREADS=256 "), "the model's: %.3000s",
              json);
    e2e_script("time copy_* 256 50000\ntime copy_* * 5000\n");
    make_pack();
    e2e_expect(run.code == 0, run);
    read_pack(json, sizeof json);
    cr_assert(strstr(json, "\"loss\": {\"problems\": 3, \"measured\": 3, "), "%.2000s", json);
    cr_assert(strstr(json, "\"loss_of_the_choice\": {\"problems\": 8, \"measured\": 8, "), "%.2000s", json);
    cr_assert(!strstr(json, "THREADS=256 "), "kernels with 256 threads are slow here: %.3000s", json);
}

/* y[i] = x[i] * w[i % 8], with the block as the only parameter. */
static void write_weigh(void)
{
    char folder[300], text[1000];
    snprintf(folder, sizeof folder, "%s/templates/weigh", e2e_folder());
    mkdir(folder, 0777);
    e2e_write(
        "templates/weigh/op.cu",
        "/*!autotune\nop weigh\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform 1 2\n"
        "arg w f32[8] input uniform 1 2\narg n i64\nreference weigh_reference\ngrid 1\nblock 32\n"
        "ceiling copy 1 1 n\ntraffic 8 * n\n*/\nextern \"C\" __global__ void weigh_reference(T *y, const T "
        "*x, const float *w, "
        "long long n) { y[n] = x[n] * w[n]; }\n");
    int at = snprintf(text, sizeof text, "/*!autotune\ntemplate mine\nparam THREADS =");
    for (int threads = 32; threads <= 512; threads += 32)
        at += snprintf(text + at, sizeof text - (size_t)at, " %d", threads);
    snprintf(
        text + at, sizeof text - (size_t)at,
        "\ngrid ceil_div(n, THREADS)\nblock THREADS\ndefault THREADS=256\n*/\nextern \"C\" __global__ void "
        "weigh_mine(T *y, const T *x, const float *w, long long n) { y[n] = x[n] * w[n]; }\n");
    e2e_write("templates/weigh/mine.cu", text);
}

/* As many problems as a model needs. */
static void write_weighs(void)
{
    char problems[512] = "";
    for (int i = 1; i <= 12; i++)
        sprintf(problems + strlen(problems), "weigh %d f32\n", 1000 * i);
    e2e_write("problems.txt", problems);
    write_weigh();
}

#define WEIGH "pack weigh --templates templates --shapes problems.txt --problems 40 --kernels 1 -o out "

/* They are tuned first, then kernels are measured as always. */
Test(pack_tune, an_operation_that_no_model_knows_is_tuned_first)
{
    write_weighs();
    e2e_tune(&run, E2E_REAL, WEIGH "--device H200");
    e2e_expect(run.code == 0 && strstr(run.out, "declared defaults"), run);
    read_description(json, sizeof json, "weigh_f32");
    cr_assert(strstr(json, "\"loss\": {\"problems\": 0, "), "nothing is known: %.2000s", json);
    cr_assert(strstr(json, "THREADS=256"), "it is the default: %.2000s", json);
    e2e_script("time weigh_* 256 50000\ntime weigh_* 96 5000\ntime weigh_* * 9000\n");
    e2e_tune(&run, E2E_REAL, WEIGH "--try problems.txt --tune 10m --trials 16");
    e2e_expect(run.code == 0, run);
    read_description(json, sizeof json, "weigh_f32");
    cr_assert(strstr(json, "\"loss\": {\"problems\": 12, \"measured\": 12, "), "%.2000s", json);
    cr_assert(strstr(json, "THREADS=96"), "kernels with 96 threads are the fastest here: %.2000s", json);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial t JOIN problem p ON p.id = t.problem_id WHERE p.op = "
                           "'copy'"),
                 0, "a pack depends on no ceiling");
}

#define WINNERS "SELECT count(*) FROM winner WHERE trials = 16"

/* Nor is memcpy one, which is timed all the same, to know a kernel that is too fast. */
Test(pack_tune, a_pack_keeps_the_ceilings_that_are_known_and_tune_measures_the_others)
{
    write_weighs();
    e2e_script("time weigh_* * 9000\n");
    e2e_tune(&run, E2E_REAL, "tune weigh 1000 f32 --templates templates --max-trials 3");
    e2e_expect(run.code == 0, run);
    e2e_tune(&run, E2E_REAL, WEIGH "--try problems.txt --tune 10m --trials 16");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count(WINNERS), 12);
    cr_assert_eq(e2e_count(WINNERS " AND ceiling_s > 0"), 1);
    e2e_tune(&run, E2E_REAL, "verify weigh 3000 f32 --templates templates");
    e2e_expect(run.code == 0 && !strchr(strstr(run.out, "3000 f32"), '%'), run);
    for (int again = 0; again < 2; again++) {
        e2e_tune(&run, E2E_REAL, "tune weigh 2000 f32 --templates templates --max-trials 16");
        e2e_expect(run.code == 0 && (strstr(run.out, "from the store") != NULL) == again, run);
        cr_assert_eq(e2e_count(WINNERS " AND ceiling_s > 0"), 2);
    }
}

Test(pack_tune, what_was_measured_is_not_measured_again_and_is_no_answer)
{
    make_pack();
    e2e_expect(run.code == 0, run);
    const long trials = e2e_count("SELECT count(*) FROM trial"), general = e2e_count(GENERAL);
    cr_assert_gt(general, 6);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner w JOIN problem p ON p.id = w.problem_id WHERE p.op = "
                           "'copy general'"),
                 0);
    make_pack();
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), trials);
    e2e_tune(&run, E2E_REAL, "query copy 20x30 f32 --json");
    e2e_expect(run.code == 0 && strstr(run.out, "exact"), run);
    e2e_tune(&run, E2E_REAL, "show copy 20x30 f32");
    e2e_expect(run.code == 0 && !strstr(run.out, "general"), run);
}

Test(pack_tune, a_kernel_that_is_wrong_on_one_problem_is_in_no_pack)
{
    e2e_script("time copy_* 256 5000\ntime copy_* * 50000\nkernel copy_linear 256 wrong\n");
    make_pack();
    e2e_expect(run.code == 0, run);
    read_pack(json, sizeof json);
    cr_assert(!strstr(json, "THREADS=256 "), "%.3000s", json);
}

Test(pack_tune, where_all_kernels_are_wrong_there_is_no_pack)
{
    e2e_script("kernel copy_linear * wrong\n");
    make_pack();
    e2e_expect(run.code != 0 && strstr(run.err, "found no kernel that is valid, and right,"), run);
}

Test(pack_tune, an_interrupted_run_keeps_what_it_measured)
{
    e2e_write("problems.txt", "copy 20x30 f32\ncopy 100x30 f32\ncopy 64x64 f32\n");
    e2e_start(&run, E2E_REAL, PACK);
    e2e_wait_for_rows(&run, GENERAL, 1);
    e2e_signal(&run, SIGINT);
    e2e_wait(&run);
    e2e_expect(run.code == 130 || strstr(run.err, "is kept in"), run);
    e2e_expect_no_process();
    e2e_expect_whole();
    const long known = e2e_count(GENERAL);
    cr_assert_gt(known, 0);
    make_pack();
    e2e_expect(run.code == 0, run);
    cr_assert_geq(e2e_count(GENERAL), known);
}

Test(pack_tune, what_cannot_be_measured_is_refused_in_words)
{
    e2e_tune(&run, E2E_REAL, "pack copy f32 --sizes 'rows=1..9 cols=1..9' --tune 1s --device H200");
    e2e_expect(run.code == 2 && strstr(run.err, "expected --gpus"), run);
    e2e_script("count 0");
    e2e_tune(&run, E2E_REAL, "pack copy f32 --sizes 'rows=1..9 cols=1..9' --tune 1s");
    e2e_expect(run.code != 0 && strstr(run.err, "error"), run);
    e2e_expect_no_process();
}
