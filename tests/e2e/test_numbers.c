/*
 * test_numbers.c - an operation that computes, from its declaration to the verdict: inputs of a distribution,
 * a tolerance, a kernel that is right but for rounding, and kernels that are wrong in one way each and that
 * random bits under `check exact` could not tell from right ones. What a kernel does its name says:
 * host_numbers.h.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(numbers, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

#define UNIFORM "arg A T[m * k] input uniform -1 1\narg B T[k * n] input normal 0 1\n"
#define WITHIN  "check within 1e-4 relative 1e-5 absolute\n"

/* The op with these lines for its inputs and its check, and one template for each way to compute it. */
static void write_op(const char *type, const char *inputs, const char *check)
{
    static const char *const NAMES[] = { "good", "nan", "half", "swapped", "outside", "nothing" };
    char path[200], text[1500];
    snprintf(path, sizeof path, "%s/templates/matmul", e2e_folder());
    mkdir(path, 0777);
    snprintf(text, sizeof text,
             "/*!autotune\nop matmul\nshape m n k\ntype T = %s\narg C T[m * n] output\n%s"
             "arg m i64\narg n i64\narg k i64\n%sreference matmul_reference\ngrid 1\nblock 32\n"
             "traffic (m * n + m * k + k * n) * sizeof(T)\n*/\n"
             "extern \"C\" __global__ void matmul_reference(T *C, const T *A, const T *B, long long m, "
             "long long n, long long k) {}\n",
             type, inputs, check);
    e2e_write("templates/matmul/op.cu", text);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "templates/matmul/%s.cu", NAMES[i]);
        snprintf(text, sizeof text,
                 "/*!autotune\ntemplate %s\nparam THREADS = 32\ngrid 1\nblock THREADS\n*/\n"
                 "extern \"C\" __global__ void matmul_%s(T *C, const T *A, const T *B, long long m, "
                 "long long n, long long k) {}\n",
                 NAMES[i], NAMES[i]);
        e2e_write(path, text);
    }
}

static void tune_shape(const char *shape, const char *template)
{
    char args[200];
    snprintf(args, sizeof args, "tune matmul %s f32 --only %s --templates templates --jobs 1", shape,
             template);
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect_no_process();
}

static void tune(const char *template)
{
    tune_shape("24x16x40", template);
}

static void expect_winner(const char *template)
{
    tune(template);
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 1);
}

/* No winner; the outcome is stored with these words, and shown. */
static void expect_wrong(const char *template, const char *says)
{
    char sql[300];
    tune(template);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, says) || strstr(run.err, says), run);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM trial WHERE outcome = 'wrong_result' AND log LIKE '%%%s%%'", says);
    cr_assert_eq(e2e_count(sql), 1, "%s", run.out);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 0);
}

static void expect_no_winner(const char *says)
{
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, says), run);
}

static void expect_refused(const char *says)
{
    tune("good");
    expect_no_winner(says);
}

/* ---- kernels ---- */

Test(numbers, a_kernel_that_rounds_otherwise_is_right_within_a_tolerance)
{
    write_op("f32", UNIFORM, WITHIN);
    expect_winner("good");
}

Test(numbers, a_kernel_that_rounds_otherwise_is_wrong_bit_for_bit)
{
    write_op("f32", UNIFORM, "check exact\n");
    expect_wrong("good", "differ from the reference");
}

Test(numbers, a_kernel_that_stores_nan_is_wrong)
{
    write_op("f32", UNIFORM, WITHIN);
    expect_wrong("nan",
                 "384 of 384 numbers are not within 0.0001 relative 1e-05 absolute; the worst is element "
                 "0: found nan, expected ");
}

Test(numbers, a_kernel_that_sums_half_is_wrong)
{
    write_op("f32", UNIFORM, WITHIN);
    expect_wrong("half", "the worst is element ");
}

Test(numbers, a_kernel_that_swaps_its_arguments_is_wrong)
{
    write_op("f32", UNIFORM, WITHIN);
    expect_wrong("swapped", "wrong output");
}

Test(numbers, a_kernel_that_does_nothing_is_wrong)
{
    write_op("f32", UNIFORM, WITHIN);
    expect_wrong("nothing", "384 of 384 numbers");
}

/* Of numbers like these the complement of all bits is as near. */
Test(numbers, a_kernel_that_does_nothing_is_wrong_however_much_is_allowed)
{
    write_op("f32", UNIFORM, "check within 0 relative 1000000 absolute\n");
    expect_wrong("nothing", "384 of 384 numbers");
}

Test(numbers, an_index_out_of_range_is_seen_beside_right_numbers)
{
    write_op("f32", UNIFORM, WITHIN);
    expect_wrong("outside", "writes behind buffer 0: 4 bytes, the first 0 bytes after its end");
}

Test(numbers, a_norm_and_ulps_tell_right_from_wrong_too)
{
    write_op("f32", UNIFORM, "check within 1e-5 norm\n");
    expect_wrong("half", "of its norm, not within 1e-05 norm; the worst is element ");
    expect_wrong("nan", "found nan, expected ");
    expect_winner("good");
}

Test(numbers, ulps_tell_right_from_wrong_too)
{
    write_op("f32", UNIFORM, "check C within 100000 ulp\n");
    expect_wrong("half", "are not within 100000 ulp");
    expect_winner("good");
}

Test(numbers, integers_in_floats_are_exact)
{
    write_op("f32", "arg A T[m * k] input range -8 8\narg B T[k * n] input range 0 n - 1\n", "check exact\n");
    expect_wrong("half", "differ from the reference");
    expect_winner("good");
}

/* ---- ops of other kinds ---- */

/* An op of this name with one template `plain`, whose kernels have these parameters. */
static void write_plain(const char *op, const char *lines, const char *params)
{
    char path[200], text[1500];
    snprintf(path, sizeof path, "%s/templates/%s", e2e_folder(), op);
    mkdir(path, 0777);
    snprintf(
        text, sizeof text,
        "/*!autotune\nop %s\nshape n\n%sreference %s_reference\ngrid 1\nblock 32\ntraffic n\n*/\n"
        "/*!autotune\ntemplate plain\nparam THREADS = 32 64\ngrid 1\nblock THREADS\n*/\n"
        "extern \"C\" __global__ void %s_reference(%s) {}\nextern \"C\" __global__ void %s_plain(%s) {}\n",
        op, lines, op, op, params, op, params);
    snprintf(path, sizeof path, "templates/%s/op.cu", op);
    e2e_write(path, text);
}

#define AXPY_LINES                                                                                           \
    "type A = f32\ntype T = f32\narg y T[n] inout uniform -1 1\narg x A[n] input normal 0 1\n"               \
    "arg a A = -2.5\narg n i64\ncheck within 2 ulp\n"

/* y would go on growing, and be wrong, if it were not what it was before each launch. */
Test(numbers, a_float_scalar_arrives_and_what_is_updated_is_restored)
{
    write_plain("axpy", AXPY_LINES, "T *y, const A *x, float a, long long n");
    e2e_tune(&run, E2E_QUICK, "tune axpy 1000 f32 --templates templates --jobs 1");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
}

/* Its kernels end the process where they find y beyond 1, as most of it is when it has been updated:
 * verified, timed alone and in a re-measurement. */
Test(numbers, what_is_updated_is_what_it_was_before_every_launch)
{
    write_plain("axpy", AXPY_LINES, "T *y, const A *x, float a, long long n");
    e2e_write("templates/axpy/once.cu",
              "/*!autotune\ntemplate once\nparam THREADS = 32 64\ngrid 1\nblock THREADS\n*/\n"
              "extern \"C\" __global__ void axpy_once(T *y, const A *x, float a, long long n) {}\n");
    e2e_script("time axpy_* * 90000");
    e2e_tune(&run, E2E_QUICK, "tune axpy 1000 f32 --only once --templates templates --jobs 1");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
    e2e_tune(&run, E2E_QUICK, "tune axpy 1000 f32 --only once --templates templates --jobs 1 --warm");
    e2e_expect(run.code == 0, run);
}

/* A workspace that is zero before and after, say. */
Test(numbers, what_is_read_and_written_may_be_left_as_it_was)
{
    write_plain("axpy",
                "type A = f32\ntype T = f32\narg y T[n] inout uniform -1 1\narg x A[n] inout normal 0 1\n"
                "arg a A = -2.5\narg n i64\ncheck y within 2 ulp\ncheck x exact\n",
                "T *y, A *x, float a, long long n");
    e2e_tune(&run, E2E_QUICK, "tune axpy 1000 f32 --templates templates --jobs 1");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
}

Test(numbers, a_reference_that_leaves_all_of_it_is_refused)
{
    write_plain("axpy",
                "type T = f32\narg y T[n] inout uniform -1 1\narg x T[n] inout normal 0 1\n"
                "arg a f32 = 0\narg n i64\n",
                "T *y, T *x, float a, long long n");
    e2e_tune(&run, E2E_QUICK, "tune axpy 1000 f32 --templates templates --jobs 1");
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "of 'y' the reference changes nothing"), run);
}

/* ---- data in files ---- */

enum { FILED = 1000 };

/* numpy.save of so many floats: i times `factor`, and `more` at the end. */
static void write_npy(const char *name, const char *descr, int count, float factor, float more)
{
    char path[200], head[128];
    snprintf(path, sizeof path, "%s/templates/axpy/%s", e2e_folder(), name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    int len = snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n",
                       descr, count);
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(len & 255, file);
    fputc(len >> 8, file);
    fputs(head, file);
    for (int i = 0; i < count; i++) {
        float value = (float)i * factor + (i == count - 1 ? more : 0);
        fwrite(&value, sizeof value, 1, file);
    }
    fclose(file);
}

/* y += -2.5 x, all of it from files. */
static void write_filed(float more)
{
    write_plain("axpy",
                "type T = f32\narg y T[n] inout file \"y.npy\"\narg x T[n] input file \"x.npy\"\narg a f32 = "
                "-2.5\narg n i64\nreference file \"answer.npy\"\n#",
                "T *y, const T *x, float a, long long n");
    write_npy("y.npy", "<f4", FILED, 3, 0);
    write_npy("x.npy", "<f4", FILED, 2, 0);
    write_npy("answer.npy", "<f4", FILED, -2, more);
}

#define TUNE_AXPY "tune axpy 1000 f32 --only plain --templates templates --jobs 1"

Test(numbers, inputs_and_the_right_answer_come_from_files)
{
    write_filed(0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(run.code == 0, run);
}

Test(numbers, what_differs_from_the_answer_in_the_file_is_wrong)
{
    write_filed(0.5);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "the first in element 999: found -1998, expected -1997.5"), run);
}

static bool is_exact(const char *options)
{
    char command[300];
    snprintf(command, sizeof command, "query axpy 1000 f32 --templates templates %s", options);
    e2e_tune(&run, E2E_QUICK, command);
    return strstr(run.out, "(exact match)") != NULL;
}

static void expect_other_data(const char *file)
{
    char text[100];
    cr_expect_not(is_exact(""), "%s: %s", file, run.out);
    snprintf(text, sizeof text, "%s has other contents now", file);
    e2e_expect(strstr(run.out, text), run);
}

Test(numbers, a_winner_is_of_the_data_that_it_was_measured_with)
{
    char path[200];
    write_filed(0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    cr_assert(is_exact(""), "%s", run.out);

    write_npy("x.npy", "<f4", FILED, 2, 1);
    expect_other_data("x.npy");
    write_filed(0.5);
    expect_other_data("answer.npy");
    snprintf(path, sizeof path, "%s/templates/axpy/y.npy", e2e_folder());
    write_filed(0);
    remove(path);
    cr_expect_not(is_exact(""));
    e2e_expect(strstr(run.out, "y.npy is missing"), run);

    write_filed(0);
    cr_expect(is_exact(""), "written again, and the same: %s", run.out);
}

/* A result that was wrong by one answer says nothing of another. */
Test(numbers, trials_are_of_the_data_that_they_were_measured_with)
{
    write_filed(0.5);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(run.code == 1, run);
    write_filed(0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(run.code == 0, run);
    cr_expect(is_exact(""), "%s", run.out);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'wrong_result'"), 2);
    cr_assert_eq(e2e_count("SELECT count(DISTINCT hash) FROM template WHERE name = 'plain'"), 2);
}

Test(numbers, a_dump_and_a_merge_carry_which_data_it_was)
{
    write_filed(0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_tune(&run, E2E_QUICK, "dump -o all.ndjson");
    e2e_expect(run.code == 0, run);
    e2e_tune(&run, E2E_QUICK, "merge other.db all.ndjson");
    e2e_expect(run.code == 0, run);
    cr_expect(is_exact("--db other.db"), "%s", run.out);
    write_npy("x.npy", "<f4", FILED, 2, 1);
    cr_expect_not(is_exact("--db other.db"), "%s", run.out);
}

/* Of its last number, however that came to be there. */
Test(numbers, a_write_into_an_input_is_seen_whatever_it_holds)
{
    e2e_script("kernel axpy_plain * input");
    write_plain("axpy", AXPY_LINES, "T *y, const A *x, float a, long long n");
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "writes to its input: 1 of 1000 numbers changed, the first in element 999"),
               run);
    write_filed(0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "writes to its input: 1 of 4000 bytes changed, the first in element 999"),
               run);
}

Test(numbers, a_file_that_does_not_fit_the_declaration_is_refused)
{
    write_filed(0);
    write_npy("x.npy", "<f4", FILED - 1, 2, 0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(strstr(run.out, "templates/axpy/x.npy: found 999 elements; expected 1000"), run);
    write_npy("x.npy", "<i4", FILED, 2, 0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(strstr(run.out, "templates/axpy/x.npy: found elements of '<i4'; expected f32"), run);
    write_npy("answer.npy", "<f8", FILED, 2, 0);
    write_npy("x.npy", "<f4", FILED, 2, 0);
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(strstr(run.out, "templates/axpy/answer.npy: found elements of '<f8'; expected f32"), run);
    write_npy("answer.npy", "<f4", FILED, 2, 0);
    e2e_write("templates/axpy/x.npy", "1 2 3");
    e2e_tune(&run, E2E_QUICK, TUNE_AXPY);
    e2e_expect(strstr(run.out, "x.npy: found no NumPy array; expected a file that numpy.save wrote"), run);
}

Test(numbers, what_is_updated_twice_is_wrong)
{
    write_plain("axpy", AXPY_LINES, "T *y, const A *x, float a, long long n");
    e2e_write("templates/axpy/twice.cu",
              "/*!autotune\ntemplate twice\ngrid 1\nblock 32\n*/\nextern \"C\" __global__ void "
              "axpy_twice(T *y, const A *x, A a, long long n) {}\n");
    e2e_tune(&run, E2E_QUICK, "tune axpy 1000 f32 --only twice --templates templates --jobs 1");
    e2e_expect(run.code == 1, run);
    e2e_expect(strstr(run.out, "numbers are not within 2 ulp; the worst is element "), run);
}

/* Its kernels end the process where they find a bin that is not zero: verified, timed alone and in a
 * re-measurement.
 */
Test(numbers, zeroed_outputs_are_zero_before_every_launch)
{
    write_plain("histogram",
                "type T = i32\narg bins T[16] output zero\narg x T[n] input index 16\narg n i64\n"
                "arg count i64 = 16\n",
                "T *bins, const T *x, long long n, long long count");
    e2e_script("time histogram_* * 90000");
    e2e_tune(&run, E2E_QUICK, "tune histogram 1000 i32 --templates templates --jobs 1");
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
    e2e_tune(&run, E2E_QUICK, "tune histogram 1000 i32 --templates templates --jobs 1 --warm");
    e2e_expect(run.code == 0, run);
}

#define RELAY_LINES                                                                                          \
    "type T = f32\narg y T[n] output\narg x T[n] input uniform 0 1\nscratch tmp T[n]\narg n i64\n"           \
    "ceiling none\n"

Test(numbers, scratch_is_passed_and_holds_nothing_of_earlier_launches)
{
    write_plain("relay", RELAY_LINES, "T *y, const T *x, T *tmp, long long n");
    e2e_write("templates/relay/stale.cu",
              "/*!autotune\ntemplate stale\ngrid 1\nblock 32\n*/\nextern \"C\" __global__ void "
              "relay_stale(T *y, const T *x, T *tmp, long long n) {}\n");
    e2e_tune(&run, E2E_QUICK, "tune relay 1000 f32 --only plain --templates templates --jobs 1");
    e2e_expect(run.code == 0, run);
    e2e_tune(&run, E2E_QUICK, "tune relay 1000 f32 --only stale --force --templates templates --jobs 1");
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'wrong_result'"), 1, "%s", run.out);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
}

Test(numbers, a_ceiling_has_a_size_of_its_own)
{
    write_op("f32", UNIFORM, WITHIN "ceiling copy 100 * m n\n");
    expect_winner("good");
    e2e_expect(!strstr(run.out, "GFLOP/s"), run);
    cr_assert_eq(e2e_count("SELECT ceiling_s > 0 FROM winner"), 1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome <> 'timed'"), 0);
}

/* 30720 operations in 20 us are 1.536 GFLOP/s, of the 132 multiprocessors' 3. */
Test(numbers, a_ceiling_may_be_a_rate)
{
    write_op("f32", UNIFORM, WITHIN "ops 2 * m * n * k\nceiling gflops device.sms / 44\n");
    e2e_script("noise 0\ntime matmul_* * 20000");
    expect_winner("good");
    cr_assert_eq(
        e2e_count(
            "SELECT count(*) FROM winner WHERE ceiling_name = '3 GFLOP/s' AND abs(ceiling_s - 10.24e-6) < "
            "1e-12"),
        1);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 1, "no copy is timed");
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, "  ceiling        10.24 us (3 GFLOP/s): 51.2 % of it reached\n"), run);
    e2e_tune(&run, E2E_QUICK, "export matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, "51.2 % of 3 GFLOP/s\n"), run);
    e2e_tune(&run, E2E_QUICK, "verify matmul 24x16x40 f32 --templates templates");
    e2e_expect(run.code == 0, run);
}

Test(numbers, a_rate_of_nothing_is_refused)
{
    write_op("f32", UNIFORM, WITHIN "ops 2 * m * n * k\nceiling gflops m / 25\n");
    expect_refused(
        "op.cu:13:16: found a ceiling of 0 GFLOP/s for 30720 operations; expected 1 or more of both");
}

/* 2 * 24 * 16 * 40 operations in 20 us. */
Test(numbers, operations_a_second_are_shown_beside_bytes)
{
    write_op("f32", UNIFORM, WITHIN "ops 2 * m * n * k\n");
    e2e_script("noise 0\ntime matmul_* * 20000");
    expect_winner("good");
    e2e_expect(strstr(run.out, "[2 GFLOP/s]"), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, " GB/s, 2 GFLOP/s, "), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --format json --templates templates");
    e2e_expect(strstr(run.out, "\"gflop_per_s\":1.536,"), run);
    e2e_tune(&run, E2E_QUICK, "export matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, "2 GFLOP/s\n"), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --format csv --templates templates");
    e2e_expect(strstr(run.out, ",gb_per_s,gflop_per_s,") && strstr(run.out, ",1.536,"), run);
    e2e_tune(&run, E2E_QUICK, "show matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, "     GB/s  GFLOP/s "), run);
    e2e_tune(&run, E2E_QUICK, "show matmul 24x16x40 f32 --format csv --templates templates");
    e2e_expect(strstr(run.out, ",gb_per_s,gflop_per_s,") && strstr(run.out, ",1.536,"), run);
    e2e_tune(&run, E2E_QUICK, "tune matmul 24x16x40 f32 --format csv --templates templates");
    e2e_expect(strstr(run.out, ",gb_per_s,gflop_per_s,") && strstr(run.out, ",1.536,"), run);
    e2e_tune(&run, E2E_QUICK, "report");
    e2e_expect(strstr(run.out, ">GFLOP/s</th>") && strstr(run.out, "<td class=\"n\">2</td>"), run);
    cr_assert_eq(e2e_count("SELECT ops_count FROM winners_all"), 2 * 24 * 16 * 40);
}

/* 30720 operations in 20 us, a fourth of them a register. */
Test(numbers, metrics_stand_beside_results)
{
    write_op("f32", UNIFORM,
             WITHIN "ops 2 * m * n * k\nmetric mops = ops / median_s / 1000000\nmetric half = m / 48\n");
    e2e_script("noise 0\ntime matmul_* * 20000");
    expect_winner("good");
    e2e_expect(!strstr(run.out, "mops"), run);
    e2e_tune(&run, E2E_QUICK, "tune matmul 24x16x40 f32 --verbose --templates templates");
    e2e_expect(strstr(run.out, "\n  mops           1536\n  half           0.5\n"), run);
    e2e_tune(&run, E2E_QUICK, "tune matmul 24x16x40 f32 --format csv --templates templates");
    e2e_expect(strstr(run.out, ",share_of_ceiling,metrics,ordinal,") &&
                   strstr(run.out, ",mops=1536 half=0.5,"),
               run);
    e2e_tune(&run, E2E_QUICK, "tune matmul 24x16x40 f32 --format json --templates templates");
    e2e_expect(strstr(run.out, "\"metrics\":{\"mops\":1536,\"half\":0.5}"), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, "\n  mops           1536\n  half           0.5\n"), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --format json --templates templates");
    e2e_expect(strstr(run.out, "\"metrics\":{\"mops\":1536,\"half\":0.5}"), run);
    e2e_tune(&run, E2E_QUICK, "query matmul 24x16x40 f32 --format csv --templates templates");
    e2e_expect(strstr(run.out, ",share_of_ceiling,metrics\n") && strstr(run.out, ",mops=1536 half=0.5\n"),
               run);
    e2e_tune(&run, E2E_QUICK, "show matmul 24x16x40 f32 --templates templates");
    e2e_expect(strstr(run.out, "        mops        half of best") &&
                   strstr(run.out, "        1536         0.5 100.0 %"),
               run);
    e2e_tune(&run, E2E_QUICK, "show matmul 24x16x40 f32 --format csv --templates templates");
    e2e_expect(strstr(run.out, ",outdated,metrics\n") && strstr(run.out, ",mops=1536 half=0.5\n"), run);
    e2e_tune(&run, E2E_QUICK, "show matmul 24x16x40 f32 --format json --templates templates");
    e2e_expect(strstr(run.out, "\"metrics\":{\"mops\":1536,\"half\":0.5}"), run);
    e2e_tune(&run, E2E_QUICK, "report --templates templates");
    e2e_expect(strstr(run.out, ">mops 1536; half 0.5</p>"), run);
}

/* ---- what proves nothing ---- */

Test(numbers, inputs_of_floats_must_say_what_they_hold)
{
    write_op("f32", "arg A T[m * k] input\narg B T[k * n] input normal 0 1\n", "check exact\n");
    expect_refused("templates/matmul/op.cu:6:21: 'A' is of f32: random bits are NaN, infinite or huge");
}

Test(numbers, random_bits_under_a_tolerance_are_refused)
{
    write_op("f32", "arg A T[m * k] input bits\narg B T[k * n] input normal 0 1\n", WITHIN);
    expect_refused("no tolerance suits them; expected what it holds, as in 'input uniform -1 1'");
}

/* One random number in 256 is NaN; each sum has 800 of them, so that all but 4 % are. */
Test(numbers, an_answer_that_is_largely_nan_is_refused)
{
    write_op("f32", "arg A T[m * k] input bits\narg B T[k * n] input bits\n", "check exact\n");
    tune_shape("24x16x400", "good");
    expect_no_winner("NaN; expected inputs that are numbers, as in 'input uniform -1 1'");
}

Test(numbers, an_answer_that_is_infinite_is_refused)
{
    write_op("f32", "arg A T[m * k] input uniform 1e25 1e30\narg B T[k * n] input uniform 1e25 1e30\n",
             WITHIN);
    expect_refused("100 % infinite or NaN; expected smaller inputs");
}

Test(numbers, an_answer_that_is_the_same_everywhere_is_refused)
{
    write_op("f32", "arg A T[m * k] input uniform -1 1\narg B T[k * n] input constant 0\n", WITHIN);
    expect_refused("of 'C' the reference makes all numbers the same; expected inputs for which they differ");
}

Test(numbers, a_reference_that_writes_nothing_is_refused)
{
    write_op("f32", UNIFORM, WITHIN);
    e2e_write("templates/matmul/op.cu",
              "/*!autotune\nop matmul\nshape m n k\ntype T = f32\narg C T[m * n] output\n" UNIFORM
              "arg m i64\narg n i64\narg k i64\n" WITHIN "reference matmul_nothing\ngrid 1\nblock 32\n"
              "traffic m\n*/\nextern \"C\" __global__ void matmul_nothing(T *C, const T *A, const T *B, "
              "long long m, long long n, long long k) {}\n");
    expect_refused("of 'C' the reference changes nothing; expected a reference that writes all of it");
}
