/*
 * test_outdated.c - what becomes of results when files change that they were measured with: an op's check,
 * reference or type, a template. They are kept, marked as out of date, and the next run measures anew.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static e2e_run run;

#define TYPES  "type T = f32\n"
#define CHECK  "check within 1e-4 relative 1e-5 absolute\n"
#define RIGHT  "matmul_reference"
#define TUNE   "tune matmul 24x16x40 f32 --only good --templates templates --jobs 2"
#define ASK(x) x " matmul 24x16x40 f32 --templates templates"

static void write_op(const char *types, const char *check, const char *reference)
{
    char text[1200];
    snprintf(text, sizeof text,
             "/*!autotune\nop matmul\nshape m n k\n%sarg C T[m * n] output\n"
             "arg A T[m * k] input uniform -1 1\narg B T[k * n] input normal 0 1\n"
             "arg m i64\narg n i64\narg k i64\n%sreference %s\ngrid 1\nblock 32\n"
             "traffic (m * n + m * k + k * n) * sizeof(T)\n*/\n"
             "extern \"C\" __global__ void %s(T *C, const T *A, const T *B, long long m, long long n, long "
             "long k) {}\n",
             types, check, reference, reference);
    e2e_write("templates/matmul/op.cu", text);
}

static void write_template(const char *threads)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "/*!autotune\ntemplate good\nparam THREADS = %s\ngrid 1\nblock THREADS\n*/\n"
        "extern \"C\" __global__ void matmul_good(T *C, const T *A, const T *B, long long m, long long n, "
        "long long k) {}\n",
        threads);
    e2e_write("templates/matmul/good.cu", text);
}

static void ask(const char *args, int code)
{
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == code, run);
}

/* Tuned once, as it stands. */
static void begin(void)
{
    char path[200];
    e2e_begin();
    snprintf(path, sizeof path, "%s/templates/matmul", e2e_folder());
    mkdir(path, 0777);
    write_op(TYPES, CHECK, RIGHT);
    write_template("32 64");
    ask(TUNE, 0);
    ask(ASK("query"), 0);
    e2e_expect(strstr(run.out, "exact match)"), run);
    ask(ASK("show"), 0);
    e2e_expect(!strstr(run.out, "out of date") && !strstr(run.err, "out of date"), run);
}

TestSuite(outdated, .init = begin, .fini = e2e_end);

/* Every command says so, and a new run proves anew; earlier measurements are still there. */
static void expect_another_op(void)
{
    ask(ASK("query"), 0);
    e2e_expect(
        strstr(run.out, "out of date: its operation matmul was changed since, in templates/matmul/op.cu"),
        run);
    ask(ASK("query") " --format json", 0);
    e2e_expect(strstr(run.out, "\"outdated\":\"its operation matmul was changed since"), run);
    ask(ASK("show"), 0);
    e2e_expect(strstr(run.err, "out of date: the operation matmul has changed since") &&
                   strstr(run.out, "good") && strstr(run.out, "THREADS=64"),
               run);
    ask(TUNE, 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 2);
    ask(ASK("query"), 0);
    e2e_expect(strstr(run.out, "exact match)"), run);
    e2e_expect_whole();
}

Test(outdated, another_check_puts_winners_out_of_date)
{
    write_op(TYPES, "check within 1e-3 relative 1e-4 absolute\n", RIGHT);
    expect_another_op();
}

Test(outdated, another_reference_puts_winners_out_of_date)
{
    write_op(TYPES, CHECK, "matmul_good_too");
    expect_another_op();
}

Test(outdated, another_type_puts_winners_out_of_date)
{
    write_op("type T = f32\ntype A = i32\n", CHECK, RIGHT);
    expect_another_op();
}

/* As it was before: its measurements count again. */
Test(outdated, an_op_that_is_put_back_has_its_winner_again)
{
    write_op(TYPES, "check within 1e-3 relative 1e-4 absolute\n", RIGHT);
    ask(ASK("query"), 0);
    e2e_expect(strstr(run.out, "out of date"), run);
    write_op(TYPES, CHECK, RIGHT);
    ask(ASK("query"), 0);
    e2e_expect(strstr(run.out, "exact match)"), run);
}

/* One template more is a reason to search again, not to doubt earlier results. */
Test(outdated, a_template_more_leaves_winners_as_they_are)
{
    e2e_write("templates/matmul/half.cu",
              "/*!autotune\ntemplate half\ngrid 1\nblock 32\n*/\nextern \"C\" __global__ void matmul_half(T "
              "*C, const T *A, const T *B, long long m, long long n, long long k) {}\n");
    ask(ASK("query"), 0);
    e2e_expect(strstr(run.out, "exact match)"), run);
}

Test(outdated, another_template_is_marked_row_by_row)
{
    write_template("32 64 128");
    ask(ASK("query"), 0);
    e2e_expect(strstr(run.out, "out of date: its template good is another one now"), run);
    ask(TUNE, 0);
    ask(ASK("show"), 0);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trials_all WHERE template = 'good'"), 5);
    e2e_expect(strstr(run.out, "THREADS=64  [out of date]\n") && strstr(run.out, "THREADS=64\n") &&
                   strstr(run.out, "THREADS=128\n"),
               run);
    ask(ASK("show") " --format json", 0);
    e2e_expect(strstr(run.out, "\"outdated\":\"its template has changed\""), run);
}

/* A winner is moved together with the note of its proof. */
Test(outdated, a_merged_winner_knows_its_op)
{
    ask("merge all.db db", 0);
    ask(ASK("query") " --db all.db", 0);
    e2e_expect(strstr(run.out, "exact match)"), run);
    write_op(TYPES, "check within 1e-3 relative 1e-4 absolute\n", RIGHT);
    ask(ASK("query") " --db all.db", 0);
    e2e_expect(strstr(run.out, "out of date: its operation matmul was changed since"), run);
}
