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

#define TUNE_WEIGH "tune weigh 1000 f32 --template mine --templates templates --jobs 2"

/* Verified, timed, and verified again in the final, whose modules are others. */
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
    e2e_tune(
        &run, E2E_QUICK,
        "check weigh --shape 1000 --dtype f32 --template mine --templates templates --arch sm_90 --jobs 2");
    e2e_expect(run.code == 1 && (strstr(run.out, says) || strstr(run.err, says)), run);
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
        strstr(run.out, "{\"name\": \"w\", \"variable\": \"w\", \"elements\": 8, \"element_bytes\": 4}"),
        run);
}
