/* test_adopt_macros.c - drafts of kernels whose loops, code or conditions are made by macros. */
#include "adopt_lines.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(adopt_macros);

/* As in Caffe: the sizes, the roles and the grid follow from the loop. */
Test(adopt_macros, a_loop_whose_head_is_a_macro_is_that_loop)
{
    static const example EXAMPLES[] = {
        { .what = "over all elements",
          .text = "#define LOOP(i, n) \\\n    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); "
                  "\\\n         i += blockDim.x * gridDim.x)\n"
                  "__global__ void k(const float *x, float *y, int other, int count) {\n"
                  "    LOOP(at, count) { y[at] = x[at] * other; }\n}\n",
          .lines = { "shape     count ", "arg       x T[count] input uniform -1 1\n",
                     "arg       y T[count] output\n", "arg       other i32 = 1",
                     "grid      ceil_div(count, BLOCK)" } },
        { .what = "by a macro in it, and behind it are the lines of the file",
          .text = "#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); "
                  "i += blockDim.x * gridDim.x)\n#define LOOP(i) EACH(i, count)\n"
                  "__global__ void k(float *y, int count) { LOOP(at) y[at] = 1; }\n"
                  "void run(float *y, int m) {\n    k<<<(m + 63) / 64, 64>>>(y, m);\n}\n",
          .lines = { "arg       y T[count] output\n", "# line 5\n" } },
        { .what = "an argument is no token with what stands before or behind it",
          .text =
              "#define RUN(n, x) k<<<(n + 255) / 256, 256>>>(y, n, 3-x, -x-x)\n"
              "__global__ void k(float *y, int n, int a, int b) {\n"
              "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = a + b;\n}\n"
              "void run(float *y, int n) { RUN(n, -1); }\n",
          .lines = { "arg       a i32 = 4\n", "arg       b i32 = 2\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_macros, what_the_hardware_has_is_no_parameter)
{
    static const example EXAMPLES[] = {
        { .what = "the size of a warp, though the file lets one set it",
          .text = "#ifndef WARP_SIZE\n#define WARP_SIZE 32\n#endif\n#ifndef ROWS\n#define ROWS 4\n#endif\n"
                  "__global__ void k(float *y, int n) { int i = blockIdx.x * 128 + threadIdx.x / WARP_SIZE;\n"
                  "for (int r = 0; r < ROWS; r++) if (i + r < n) y[i + r] = 1; }\n",
          .lines = { "param     ROWS", "!WARP_SIZE" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_macros, hip_on_a_gpu_of_nvidia)
{
    static const example EXAMPLES[] = {
        { .what = "its macro, and its launches",
          .text =
              "#include \"hip/hip_runtime.h\"\n#ifdef __HIPCC__\ntypedef double real;\n#else\n"
              "typedef float real;\n#endif\n"
              "template <int N> __global__ void k(real *y, int n, int m) {\n"
              "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = m; }\n"
              "void run(real *y, int n) {\nhipLaunchKernelGGL(HIP_KERNEL_NAME(k<4>), dim3((n + 63) / 64), "
              "dim3(64), 128, 0, y, n, 3); }\n",
          .lines = { "type      T = f64", "kernel    k<4>", "default   BLOCK=64", "shared    128\n",
                     "arg       m i32 = 3\n", "# line 10\n" } },
        { .what = "no macro without a header of it",
          .text = "#ifdef __HIPCC__\n#include <hip/hip_runtime.h>\ntypedef double real;\n#else\n"
                  "typedef float real;\n#endif\n"
                  "__global__ void k(real *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n",
          .lines = { "type      T = f32" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define TEN(text) text text text text text text text text text text

/*
 * A file of some kilobytes that would stand for gigabytes: the call stays as it is. It is followed up to a
 * limit, which takes sanitizers twelve seconds: at night.
 */
Test(adopt_macros, macros_that_multiply_are_not_followed_without_end, .timeout = 200)
{
#ifdef AT_SANITIZED
    if (!getenv("AUTOTUNE_TEST_ALL"))
        cr_skip_test("with a sanitizer: at night");
#endif
    static const char TEXT[] = "#define A(x) for (;;) { " TEN(TEN("B(x) ")) "}\n#define B(x) for (;;) { " TEN(
        TEN("C(x) ")) "}\n"
                      "#define C(x) for (;;) { " TEN(TEN("D(x) ")) "}\n#define D(x) for (;;) { " TEN(
                          TEN("x; ")) "}\n"
                                      "__global__ void k(float *y, int n) { int i = threadIdx.x; if (i < n) "
                                      "A(y[i] = 1) }\n";
    atx_adopted out = adopt_one(TEXT, "k");
    cr_expect_neq(strstr(atx_str_text(&out.op), "arg       n i32"), NULL, "%s", atx_str_text(&out.op));
    atx_adopted_clear(&out);
}

/* Its build does, as it seems: a value with which there is a kernel, and no #error. */
Test(adopt_macros, an_expression_that_nests_too_deeply_is_not_followed)
{
    enum { DEPTH = 2000 };
    atx_str text = { 0 };
    atx_str_add(&text, "__global__ void k(float *y, int n) { int i = ");
    for (int k = 0; k < DEPTH; k++)
        atx_str_add(&text, "(");
    atx_str_add(&text, "threadIdx.x");
    for (int k = 0; k < DEPTH; k++)
        atx_str_add(&text, ")");
    atx_str_add(&text, "; if (i < n) y[i] = 1; }");
    const example all = { .what = "", .text = text.data, .lines = { "arg       y T[n] output" } };
    expect_lines(&all);
    atx_str_clear(&text);
}

Test(adopt_macros, macros_that_the_file_asks_for_and_does_not_define_are_defined)
{
    static const example EXAMPLES[] = {
        { .what = "a kernel that is there only with one",
          .text = "#if defined(USE_MPI) && LEVEL >= 3\n"
                  "__global__ void k(float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n#endif\n",
          .lines = { "define    USE_MPI = 3  # ? nothing in the file defines it", "define    LEVEL = 3" } },
        { .what = "a chain of conditions that ends in an error",
          .text = "#if BITS == 32\ntypedef float real;\n#elif BITS == 64\ntypedef double real;\n#else\n"
                  "#error BITS must be 32 or 64\n#endif\n#ifdef DEBUG\nint debug;\n#endif\n"
                  "__global__ void k(real *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n",
          .lines = { "type      T = f32", "define    BITS = 32  # ?", "!DEBUG" } },
        { .what = "one of a build with CUDA is known",
          .text = "#if !defined(LIB_WITH_CUDA)\ntypedef float real;\n#else\ntypedef double real;\n#endif\n"
                  "__global__ void k(real *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n",
          .lines = { "type      T = f64", "!define" } },
        { .what = "one that the file has without it is that",
          .text = "#ifdef FAST\n__global__ void k(double *y, int n) { y[threadIdx.x] = 1; }\n#else\n"
                  "__global__ void k(float *y, int n) { y[threadIdx.x] = 1; }\n#endif\n",
          .lines = { "type      T = f32", "!define" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_macros, what_two_branches_define_is_one_parameter)
{
    atx_adopted out = adopt_one("#ifdef FAST\n#ifndef WORK\n#define WORK 8\n#endif\n#else\n"
                                "#ifndef WORK\n#define WORK 2\n#endif\n#endif\n"
                                "__global__ void k(float *p, int n) { p[WORK] = n; }\n",
                                NULL);
    cr_expect_eq(count(atx_str_text(&out.t), "param     WORK = 1 2 4 8"), 1, "%s", atx_str_text(&out.t));
    cr_expect_eq(count(atx_str_text(&out.t), "param "), 1, "%s", atx_str_text(&out.t));
    atx_adopted_clear(&out);
}
