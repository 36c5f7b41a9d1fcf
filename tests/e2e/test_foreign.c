/*
 * test_foreign.c - what other people's kernels bring along: data in variables of their code. What a kernel
 * does its name says: host_numbers.h.
 */
#include "e2e_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

TestSuite(foreign, .init = e2e_begin, .fini = e2e_end);

static e2e_run run;

static void make_op(const char *op, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/templates/%s", e2e_folder(), op);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "templates/%s/op.cu", op);
    e2e_write(path, text);
}

/* ---- variables of the kernel's code ---- */

/* y[i] = x[i] * w[i % 8]. The reference has w as a parameter. */
static void write_weigh(const char *w)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "/*!autotune\nop weigh\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform 1 2\n"
        "arg w f32[8] input %s\narg n i64\nreference weigh_reference\ngrid 1\nblock 32\ntraffic 8 * n\n*/\n"
        "extern \"C\" __global__ void weigh_reference(T *y, const T *x, const float *w, long long n) "
        "{ y[n] = x[n] * w[n]; }\n",
        w);
    make_op("weigh", text);
}

/* A template whose kernel finds the weights in this variable. */
static void write_weighted(const char *kernel, const char *declared, const char *used)
{
    char text[1000];
    snprintf(text, sizeof text,
             "/*!autotune\ntemplate mine\nparam THREADS = 32 64\ngrid 1\nblock THREADS\nkernel %s\n*/\n%s\n"
             "extern \"C\" __global__ void %s(T *y, const T *x, long long n) { y[n] = x[n] * %s[n %% 8]; }\n",
             kernel, declared, kernel, used);
    e2e_write("templates/weigh/mine.cu", text);
}

#define TUNE_WEIGH "tune weigh 1000 f32 --only mine --templates templates --jobs 1"

/* Verified, timed, and verified again in the re-measurement, whose modules are others. */
static void expect_right(void)
{
    e2e_tune(&run, E2E_QUICK, TUNE_WEIGH);
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2);
    e2e_expect_no_process();
}

Test(foreign, data_goes_into_a_variable_of_the_kernels_code)
{
    write_weigh("uniform 1 2 into w");
    write_weighted("weighted_plain", "__constant__ float w[8];", "w");
    expect_right();
}

Test(foreign, a_variable_may_be_in_a_namespace_and_larger_than_its_data)
{
    write_weigh("uniform 1 2 into mine::w");
    write_weighted("weighted_nested", "namespace mine { __constant__ float w[100]; }", "mine::w");
    expect_right();
}

/* Copies of data are no launches of the kernel: the same copies, whatever is timed. */
Test(foreign, filling_variables_is_not_timed)
{
    write_weigh("uniform 1 2 into w");
    write_weighted("weighted_plain", "__constant__ float w[8];", "w");
    e2e_script("noise 0\ntime weighted_* * 20000");
    expect_right();
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner WHERE abs(median_s - 20e-6) < 1e-9"), 1);
}

/* The kernel then works with zeros. */
Test(foreign, a_kernel_whose_variable_is_not_filled_is_wrong)
{
    write_weigh("uniform 1 2");
    e2e_write(
        "templates/weigh/mine.cu",
        "/*!autotune\ntemplate mine\nparam THREADS = 32\ngrid 1\nblock THREADS\nkernel weighted_plain\n"
        "arg y x n\n*/\n__constant__ float w[8];\n"
        "extern \"C\" __global__ void weighted_plain(T *y, const T *x, long long n) { y[n] = w[n]; }\n");
    e2e_tune(&run, E2E_QUICK, TUNE_WEIGH);
    e2e_expect(run.code == 1, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'wrong_result'"), 1);
}

Test(foreign, a_template_may_take_as_a_parameter_what_others_have_in_a_variable)
{
    write_weigh("uniform 1 2 into w");
    e2e_write(
        "templates/weigh/mine.cu",
        "/*!autotune\ntemplate mine\nparam THREADS = 32 64\ngrid 1\nblock THREADS\nkernel weigh_mine\n"
        "arg y x w n\n*/\nextern \"C\" __global__ void weigh_mine(T *y, const T *x, const float *w, long "
        "long n) { y[n] = x[n] * w[n]; }\n");
    expect_right();
}

static void expect_unfit(const char *declared, const char *used, const char *says)
{
    write_weigh("uniform 1 2 into w");
    write_weighted("weighted_plain", declared, used);
    e2e_tune(&run, E2E_QUICK,
             "check weigh --shape 1000 --dtype f32 --only mine --templates templates --arch sm_90 --jobs 2");
    e2e_expect(run.code == 15 && (strstr(run.out, says) || strstr(run.err, says)), run);
    e2e_tune(&run, E2E_QUICK, TUNE_WEIGH);
    e2e_expect(run.code == 1, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM winner"), 0);
}

Test(foreign, check_says_that_the_code_has_no_such_variable)
{
    expect_unfit("__constant__ float weights[8];", "weights",
                 "found no variable 'w' in the compiled code; it has ");
}

Test(foreign, check_says_that_the_variable_is_too_small)
{
    expect_unfit("__constant__ float w[7];", "w", "variable 'w' has 28 bytes; expected at least 32, of 'w'");
}

Test(foreign, an_exported_launcher_fills_the_variable)
{
    write_weigh("uniform 1 2 into w");
    write_weighted("weighted_plain", "__constant__ float w[8];", "w");
    expect_right();
    e2e_tune(&run, E2E_QUICK, "export weigh 1000 f32 --templates templates --main");
    e2e_expect(run.code == 0, run);
    e2e_expect(
        strstr(run.out, "cudaError_t weigh_1000_f32(T *y, const T *x, const float *w, cudaStream_t stream)"),
        run);
    e2e_expect(strstr(run.out, "cudaMemcpyToSymbolAsync(::w, w, 32"), run);
    e2e_tune(&run, E2E_QUICK, "export weigh 1000 f32 --templates templates --format json");
    e2e_expect(
        strstr(
            run.out,
            "\"variables\":[{\"variable\":\"w\",\"from\":{\"name\":\"w\",\"role\":\"input\",\"type\":\"f32\","
            "\"bytes\":32,\"buffer\":2,\"elements\":8,"),
        run);
}

/* ---- a template that is trusted ---- */

/* C = A B, with this line for its reference; templates `good` and `half`, which sums half of it. */
static void write_matmul(const char *reference)
{
    static const char *const NAMES[] = { "good", "half" };
    char path[200], text[1500];
    snprintf(text, sizeof text,
             "/*!autotune\nop matmul\nshape m n k\ntype T = f32\narg C T[m * n] output\n"
             "arg A T[m * k] input uniform -1 1\narg B T[k * n] input normal 0 1\narg m i64\narg n i64\n"
             "arg k i64\ncheck within 1e-4 relative 1e-5 absolute\n%s\ntraffic m * n\n*/\n",
             reference);
    make_op("matmul", text);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "templates/matmul/%s.cu", NAMES[i]);
        snprintf(
            text, sizeof text,
            "/*!autotune\ntemplate %s\nparam THREADS = 32 64\nparam ROUND = up down\n"
            "require THREADS * k < 64 * 1000 # it holds no more\ngrid 1\nblock THREADS\n*/\n"
            "extern \"C\" __global__ void matmul_%s(T *C, const T *A, const T *B, long long m, long long n, "
            "long long k) { C[m] = A[n] * B[k]; }\n",
            NAMES[i], NAMES[i]);
        e2e_write(path, text);
    }
}

#define TUNE_MATMUL(shape, template)                                                                         \
    "tune matmul " shape " f32 --only " template " --templates templates --jobs 1"

Test(foreign, a_configuration_of_a_template_may_be_the_right_answer)
{
    write_matmul("reference template good THREADS=64 \\\n  ROUND=down");
    e2e_tune(&run, E2E_QUICK, TUNE_MATMUL("24x16x40", "good,half"));
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 4);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'wrong_result'"), 4);
    e2e_expect_no_process();
}

Test(foreign, a_trusted_template_finds_its_data_in_variables)
{
    write_weigh("uniform 1 2 into w");
    write_weighted("weighted_plain", "__constant__ float w[8];", "w");
    make_op("weigh",
            "/*!autotune\nop weigh\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform 1 2\n"
            "arg w f32[8] input uniform 1 2 into w\narg n i64\nreference template mine\ntraffic 8 * n\n*/\n");
    expect_right();
}

/* By tune, and by check, which needs no device. */
static void expect_untrusted(const char *reference, const char *shape, const char *says, bool check)
{
    char args[200];
    write_matmul(reference);
    snprintf(args, sizeof args, "tune matmul %s f32 --templates templates --jobs 1", shape);
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(run.code == 1 && strstr(run.out, says), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 0);
    snprintf(args, sizeof args,
             "check matmul --shape %s --dtype f32 --sample 1 --templates templates --jobs 1", shape);
    e2e_tune(&run, E2E_QUICK, args);
    e2e_expect(!check || (run.code == 15 && strstr(run.err, says)), run);
}

Test(foreign, what_is_trusted_must_be_there)
{
    expect_untrusted(
        "reference template best", "24x16x40",
        "templates/matmul/op.cu:12:20: found 'best'; expected a template of the operation matmul", true);
    expect_untrusted("reference template good WIDTH=3", "24x16x40",
                     "templates/matmul/op.cu:12:20: found 'WIDTH=3'; template good has no such parameter",
                     true);
    expect_untrusted("reference template good ROUND=off", "24x16x40", "has no such value", true);
    expect_untrusted("reference template good ROUND", "24x16x40", "found 'ROUND'; expected PARAMETER=VALUE",
                     true);
    expect_untrusted(
        "reference template good THREADS=64", "24x16x1000",
        "templates/matmul/op.cu:12:20: the trusted configuration does not suit this problem: good needs "
        "THREADS * k < 64 * 1000 (it holds no more)",
        false);
}

/* ---- a kernel that validates ---- */

/* y holds what x does, in any order. */
static void write_bag(const char *check, const char *reference)
{
    static const char *const NAMES[] = { "same", "reversed", "half" };
    static const char *const VALIDATES[] = { "bag", "blind", "stern" };
    char path[200], text[2000];
    int n = snprintf(
        text, sizeof text,
        "/*!autotune\nop bag\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input uniform 1 2\n"
        "arg n i64\n%s\n%s\ngrid 1\nblock 32\ntraffic 8 * n\n*/\n"
        "extern \"C\" __global__ void bag_reference(T *y, const T *x, long long n) { y[n] = x[n]; }\n"
        "extern \"C\" __global__ void validate_few(const T *y, const T *x, long long n) {}\n",
        check, reference);
    for (size_t i = 0; i < sizeof VALIDATES / sizeof *VALIDATES; i++)
        n += snprintf(
            text + n, sizeof text - (size_t)n,
            "extern \"C\" __global__ void validate_%s(const T *y, const T *x, long long n, const T *right, "
            "unsigned long long *wrong) { wrong[0] = y[n] != right[n]; }\n",
            VALIDATES[i]);
    make_op("bag", text);
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "templates/bag/%s.cu", NAMES[i]);
        snprintf(text, sizeof text,
                 "/*!autotune\ntemplate %s\nparam THREADS = 32\ngrid 1\nblock THREADS\n*/\n"
                 "extern \"C\" __global__ void bag_%s(T *y, const T *x, long long n) { y[n] = x[n]; }\n",
                 NAMES[i], NAMES[i]);
        e2e_write(path, text);
    }
}

#define TUNE_BAG "tune bag 200 f32 --only same,reversed,half --templates templates --jobs 1"

static void expect_validated(void)
{
    e2e_tune(&run, E2E_QUICK, TUNE_BAG);
    e2e_expect(run.code == 0, run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 2, "same, reversed");
    cr_assert_eq(
        e2e_count("SELECT count(*) FROM trial WHERE outcome = 'wrong_result' AND log LIKE '%wrong output "
                  "''y'': by validate_bag 100 elements are wrong, the first is element 100%'"),
        1, "half");
    e2e_expect_no_process();
}

Test(foreign, a_kernel_of_the_op_says_what_is_right)
{
    write_bag("check by validate_bag", "reference bag_reference");
    expect_validated();
}

Test(foreign, a_kernel_validates_by_a_trusted_template_too)
{
    write_bag("check y by validate_bag", "reference template same");
    expect_validated();
}

Test(foreign, without_it_another_order_is_wrong)
{
    write_bag("", "reference bag_reference");
    e2e_tune(&run, E2E_QUICK, TUNE_BAG);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial WHERE outcome = 'timed'"), 1);
}

static void expect_bag_refused(const char *check, const char *says)
{
    write_bag(check, "reference bag_reference");
    e2e_tune(&run, E2E_QUICK, TUNE_BAG);
    e2e_expect(run.code == 1 && strstr(run.out, says), run);
    cr_assert_eq(e2e_count("SELECT count(*) FROM trial"), 0);
}

Test(foreign, a_kernel_that_cannot_say_no_is_refused)
{
    expect_bag_refused("check by validate_blind",
                       "check of 'y' by validate_blind: it calls right what is right with all bits flipped");
}

Test(foreign, a_kernel_that_calls_the_right_answer_wrong_is_refused)
{
    expect_bag_refused(
        "check y by validate_stern",
        "check of 'y' by validate_stern: it calls 200 elements of the reference's own answer wrong");
}

Test(foreign, a_kernel_that_validates_takes_the_right_answer_and_where_to_count)
{
    static const char SAYS[] = "kernel 'validate_few', which validates, takes 3 parameters; expected 5";
    expect_bag_refused("check by validate_few", SAYS);
    e2e_tune(&run, E2E_QUICK, "check bag --shape 200 --dtype f32 --templates templates --only same --jobs 2");
    e2e_expect(run.code == 15 && strstr(run.err, SAYS), run);
}

Test(foreign, an_exported_self_test_cannot_validate)
{
    write_bag("check by validate_bag", "reference bag_reference");
    expect_validated();
    e2e_tune(&run, E2E_QUICK, "export bag 200 f32 --templates templates");
    e2e_expect(run.code == 0, run);
    e2e_tune(&run, E2E_QUICK, "export bag 200 f32 --templates templates --main");
    e2e_expect(run.code != 0 && strstr(run.err, "found outputs that a kernel validates"), run);
}
