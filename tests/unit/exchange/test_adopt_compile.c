/* test_adopt_compile.c - what lets a draft compile: how its template is called, and values that others can
 * have.
 */
#include "adopt_lines.h"

TestSuite(adopt_compile);

#define I "int i = blockIdx.x * blockDim.x + threadIdx.x;"

Test(adopt_compile, arguments_of_a_template_name_its_own_types)
{
    static const example EXAMPLES[] = {
        { .what = "a function, and a functor, of the type that only a macro around the launch says",
          .text = "template <class T> __device__ T twice(const T &x) { return 2 * x; }\n"
                  "template <class T> struct Plus { __device__ T operator()(T x) { return x + 1; } };\n"
                  "template <class real, real (*F)(const real &), class Op>\n"
                  "__global__ void k(real *y, int n) { " I " if (i < n) y[i] = Op()(F(y[i])); }\n"
                  "void run(tensor y, int n) { DISPATCH(y.type(),\n"
                  "k<scalar_t, twice<scalar_t>, Plus<scalar_t>><<<(n + 63) / 64, 64>>>(y.ptr(), n)); }\n",
          .lines = { "kernel    k<T, twice<T>, Plus<T>>" } },
        { .what = "a type of the file keeps its name",
          .text = "struct Pair { float a, b; };\ntemplate <class T> struct Plus { T x; };\n"
                  "template <class T, class Op> __global__ void k(T *y, int n) { " I
                  " if (i < n) y[i].a = sizeof(Op); }\n"
                  "void run(Pair *y, int n) { k<Pair, Plus<Pair>><<<(n + 63) / 64, 64>>>(y, n); }\n",
          .lines = { "kernel    k<Pair, Plus<Pair>>" } },
        { .what = "an enum of a namespace, whose value nothing says",
          .text = "namespace lib { enum class Mode { NEAR, FAR };\n"
                  "template <Mode M> __global__ void k(float *y, int n) { " I
                  " if (i < n) y[i] = M == Mode::FAR; } }\n",
          .lines = { "kernel    lib::k<(lib::Mode)0>" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_compile, values_are_ones_that_the_code_can_have)
{
    static const example EXAMPLES[] = {
        { .what = "a number that other macros are made of is no switch, and never 0",
          .text = "#ifndef EACH\n#define EACH 1\n#endif\n#define WORK EACH\n"
                  "__global__ void k(float *y, int n) { int i = blockIdx.x * 64 + threadIdx.x;\n"
                  "for (int j = 0; j < WORK; j++) if (i * WORK + j < n) y[i * WORK + j] = 1; }\n",
          .lines = { "param     EACH = 1 2 4 8", "!0 1" } },
        { .what = "the size of a thread block by another name",
          .text = "template <int CTA_SIZE> __global__ void k(float *y, int n) {\n"
                  "__shared__ float s[CTA_SIZE]; s[threadIdx.x] = 1;\n"
                  "for (int i = blockIdx.x * (CTA_SIZE / 32) + threadIdx.x / 32; i < n; i += gridDim.x)\n"
                  "y[i] = s[0]; }\n",
          .lines = { "param     CTA_SIZE = 64 128 256 512 1024", "block     CTA_SIZE\n" } },
        { .what = "threads of something smaller than a block",
          .text = "template <int THREADS_PER_ROW> __global__ void k(float *y, int n) {\n"
                  "__shared__ float s[32 / THREADS_PER_ROW]; s[0] = 1; " I " if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, int n) { k<32><<<(n + 63) / 64, 64>>>(y, n); }\n",
          .lines = { "k<THREADS_PER_ROW>", "param     THREADS_PER_ROW = 8 16 32\n", "!block     THREADS" } },
    };
    EXPECT_ALL(EXAMPLES);
}

static void expect_refusal(const char *text, const char *error)
{
    atx_adopted out;
    at_error err = { 0 };
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
    cr_expect_eq(atx_adopt(&out, &in, &err), AT_ERR_INPUT, "%s", text);
    cr_expect(strncmp(err.text, error, strlen(error)) == 0, "%s", err.text);
}

Test(adopt_compile, a_struct_that_is_too_large_is_refused_and_its_parts_are_not_declared)
{
    static const example EXAMPLES[] = {
        { .what = "a part of one whose size is not known",
          .text =
              "struct Part { float f[2000]; };\nstruct All { Part parts[9999999]; Unknown u; };\n"
              "__global__ void k(All *y, int n) { if (threadIdx.x < n) y->parts[0].f[threadIdx.x] = 1; }\n",
          .lines = { "struct    All bytes", "!struct    Part" } },
    };
    EXPECT_ALL(EXAMPLES);
    expect_refusal("struct Part { float f[2000]; };\n__global__ void k(Part *y, int n) { y[n].f[0] = 1; }",
                   "k.cu:2: found the buffer 'y' of k, of structs 'Part' of 8000 bytes each");
}

Test(adopt_compile, a_refusal_names_what_the_kernel_works_on)
{
    expect_refusal("template <class N, class LOAD> __global__ void k(N n, LOAD from) {\n"
                   "for (N i = 0; i < n; i++) from.take(i); }",
                   "k.cu:1: found no pointer among the parameters of k, and 'from' of type LOAD");
    expect_refusal(
        "__device__ int in, out[4];\n__device__ float sum[2];\n"
        "__global__ void k() { sum[1] += in; }",
        "k.cu:3: found no pointer among the parameters of k, and the variable 'sum' of the device");
    expect_refusal("#define FAST 1\n#ifdef FAST\n#else\n__global__ void k(float *y) {}\n#endif\n",
                   "k.cu:4: found the kernel where #if leaves it out; expected one that is compiled: change "
                   "the condition at k.cu:2");
}
