/* test_adopt_host.c - drafts of what the host does around a kernel: loops, several kernels, structs that it
 * passes.
 */
#include "adopt_lines.h"

#include <stdio.h>

TestSuite(adopt_host);

#define STEP                                                                                                 \
    "__global__ void k(float *y, const float *x, int n, int t) { int i = blockIdx.x * 64 + threadIdx.x;\n"   \
    " if (i < n) y[i] = x[i] + t; }\n"

#define PAIR                                                                                                 \
    "__global__ void sum(float *part, const float *x, int n) { float s = 0;\n"                               \
    " for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i];\n"  \
    " atomicAdd(&part[blockIdx.x], s); }\n"                                                                  \
    "__global__ void by(float *out, const float *in, const float *sums, int count, int parts)\n"             \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) out[i] = in[i] * sums[parts - 1]; }\n"

Test(adopt_host, loops_of_the_host_are_repeated_where_iterations_differ)
{
    static const example EXAMPLES[] = {
        { .what = "the counter, buffers that change places, a count that only the host has",
          .text = STEP "void run(float *y, float *x, int n, int steps) { for (int i = 0; i < steps; ++i) {\n"
                       " k<<<(n + 63) / 64, 64>>>(y, x, n, i); std::swap(x, y); } }",
          .lines = { "shape     steps=4 n ", "repeat    i = 0..steps - 1 swap x y  # line 3\nkernel    k\n",
                     "arg       y T[n] inout", "scalar    t i32 = i\narg       y x n t\n",
                     "!arg       t " } },
        { .what = "by three assignments, of variables that choose the buffers, down to a number",
          .text = STEP "void run(float *b[2], int n) { int src = 0, dst = 1;\n"
                       " for (int i = 7; i >= 1; i--) { int temp = src; src = dst; dst = temp;\n"
                       " k<<<(n + 63) / 64, 64>>>(b[dst], b[src], n, 3); } }",
          .lines = { "repeat    i = 7..1 down swap x y", "arg       t i32 = 3\n" } },
        { .what = "doubled, halved, in steps, with what follows from them",
          .text =
              STEP "void run(float *y, float *x, int n) { for (int a = 2; a <= n; a <<= 1)\n"
                   " for (int b = a >> 1; b > 0; b /= 2) for (int c = 0; c < n; c += 3) { int w = n - c;\n"
                   " k<<<(w + 63) / 64, 64>>>(y, x, n, b + c); } }",
          .lines = { "repeat    a_step = 0..log2(max(n / 2, 1))",
                     "repeat    b_step = 0..log2(max(((2 << a_step) >> 1), 1))",
                     "repeat    c_step = 0..ceil_div(n, 3) - 1", "grid      ((n - (c_step * 3)) + 63) / 64",
                     "scalar    t i32 = (((2 << a_step) >> 1) >> b_step) + (c_step * 3)\n" } },
        { .what = "a loop that only measures is asked about",
          .text = STEP "void run(float *y, float *x, int n) { for (int i = 0; i < 100; i++)\n"
                       " k<<<(n + 63) / 64, 64>>>(y, x, n, 1); }",
          .lines = { "!repeat    ", "kernel    k  # ? the host launches it in a loop" } },
        { .what = "one that goes on until the host sees an end",
          .text = STEP "void run(float *y, float *x, int n) { do { k<<<(n + 63) / 64, 64>>>(y, x, n, 1);\n"
                       " std::swap(x, y); } while (changes()); }",
          .lines = { "repeat    4 swap x y  # ? how often does the host launch it?" } },
        { .what = "whatever the name of the end begins with",
          .text = STEP
          "void run(float *y, float *x, int n, bool found) { do { k<<<(n + 63) / 64, 64>>>(y, x, n, 1);\n"
          " std::swap(x, y); } while (found); }",
          .lines = { "repeat    4 swap x y  # ? how often does the host launch it?" } },
        { .what = "but not one that a macro has to be one statement",
          .text = STEP "void run(float *y, float *x, int n) { do { k<<<(n + 63) / 64, 64>>>(y, x, n, 1);\n"
                       " } while (false); }",
          .lines = { "!repeat    ", "kernel    k\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_host, kernels_that_hand_on_their_results_are_one_candidate)
{
    static const example EXAMPLES[] = {
        { .what = "what the host calls by one name is one argument, a count of blocks none of its sizes",
          .text = PAIR
          "void scale(float *y, const float *x, float *work, int n) { const int blocks = 64;\n"
          " sum<<<blocks, 256>>>(work, x, n); by<<<(n + 127) / 128, 128>>>(y, x, work, n, blocks); }",
          .lines = { "op        scale  # the kernels of scale\nshape     n ", "arg       x T[n] input",
                     "arg       out T[n] output", "arg       parts i32 = 64\n",
                     "launch    sum grid 64 block BLOCK arg part x n  # line 7\n",
                     "block BLOCK_2 arg out x part n parts  # line 7\n",
                     "default   BLOCK=256 BLOCK_2=128  #" } },
        { .what = "in a loop, with its counter and one name for both blocks",
          .text = STEP
          "__global__ void next(float *a, const float *b, int m, int s) { int i = blockIdx.x * blockDim.x + "
          "threadIdx.x;\n if (i < m - s) a[i] += b[i]; }\n"
          "void march(float *p, float *q, int n) { for (int s = 1; s < n; s++) {\n"
          " k<<<(n + 63) / 64, 64>>>(p, q, n, s); next<<<(n - s + 63) / 64, 64>>>(q, p, n, s); } }",
          .lines = { "repeat    s = 1..n - 1  # line 5\nscalar    t i32 = s\n", "arg       y T[n] inout",
                     "arg       x T[n] inout",
                     "launch    k grid (n + 63) / 64 block 64 arg y x n t  # line 6\n",
                     " arg x y n t  # line 6\n" } },
        { .what = "one of them, as it is asked for",
          .text = PAIR
          "void scale(float *y, const float *x, float *work, int n) { const int blocks = 64;\n"
          " sum<<<blocks, 256>>>(work, x, n); by<<<(n + 127) / 128, 128>>>(y, x, work, n, blocks); }",
          .kernel = "by",
          .lines = { "op        by  # the kernel by\n", "!launch    " } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_host, kernels_that_hand_on_nothing_are_asked_for)
{
    static const char *const HOSTS[] = {
        "void run(float *y, float *z, float *x, int n) { k<<<1, 64>>>(y, x, n, 1); again<<<1, 64>>>(z, x, "
        "n); }",
        "void run(float *y, float *x, int n) { if (n > 9) k<<<1, 64>>>(y, x, n, 1); else { again<<<1, "
        "64>>>(x, y, n); } }",
        "void run(float *y, float *x, int n) { k<<<1, 64>>>(y, x, n, 1); }\n"
        "void more(float *y, float *x, int n) { again<<<1, 64>>>(x, y, n); }",
    };
    for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; i++) {
        char text[1000];
        atx_adopted out;
        at_error err = { 0 };
        snprintf(text, sizeof text,
                 "%s__global__ void again(float *b, const float *a, int n) { b[n - 1] = a[0]; }\n%s", STEP,
                 HOSTS[i]);
        const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
        cr_expect_eq(atx_adopt(&out, &in, &err), AT_ERR_INPUT, "%s", text);
        cr_expect_str_eq(err.text, "k.cu: found 2 kernels: k again; expected --kernel NAME");
    }
}

Test(adopt_host, structs_have_the_fields_of_the_file)
{
    static const example EXAMPLES[] = {
        { .what = "by value: pointers are buffers, what an index is compared with is a size",
          .text =
              "struct View { float *y; const double *x; int n; float by; };\n"
              "__global__ void k(View v) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              " if (i >= v.n) return; v.y[i] = v.by * v.x[i]; }\n"
              "void run(float *y, double *x, int count) { View v; v.y = y; v.x = x; v.n = count; v.by = 2;\n"
              " k<<<(v.n + 63) / 64, 64>>>(v); }",
          .lines = { "shape     n ", "arg       y T[n] output", "arg       x f64[n] input uniform -1 1",
                     "struct    View = f32 *y, const f64 *x, i32 n = n, f32 by = 2\narg       v View\n",
                     "grid      (n + (BLOCK - 1)) / BLOCK" } },
        { .what = "in arrays: arrays, vectors, structs, defaults, functions, an alignment",
          .text =
              "#define M 3\nstruct alignas(16) Vec { float x = 0, y{1}; };\n"
              "typedef struct Tag { Vec pos; float4 v; int id[M][2], more; static const int N = 4; bool on;\n"
              " Tag() : id{}, more(2) {} float norm() const { return v.x; } enum { A, B }; } Body;\n"
              "__global__ void k(Body *to, const Body *from) { to[threadIdx.x] = from[threadIdx.x]; }",
          .lines = { "struct    Vec align 16 = f32 x uniform -1 1, f32 y uniform -1 1\n",
                     "struct    Body = Vec pos, f32 v[4] align 16 uniform -1 1, i32 id[6] range 0 99,",
                     "i32 more range 0 99, bool on  # ?", "arg       to Body[256] output\n",
                     "arg       from Body[256] input\n", "check     within", "256 * sizeof(Body)" } },
        { .what = "more than fields: its size",
          .text =
              "union U { double f; int i; }; struct Q { unsigned char q[18]; union { struct { short a, b; }; "
              "int c; }; U u; };\n"
              "__global__ void k(float *y, const Q *q, int n) { int i = threadIdx.x; if (i < n) y[i] = "
              "q[i].c; }",
          .lines = { "struct    U = f64 f uniform -1 1", "struct    Q bytes 32 align 8",
                     "arg       q Q[n] input\n" } },
        { .what = "a struct with pointers in another one",
          .text = "struct Part { float *data; int n; }; struct P { Part part; int m; };\n"
                  "__global__ void k(P p) { p.part.data[threadIdx.x] = p.m; }",
          .lines = { "arg       data T[n] output  # ? how many elements has it?",
                     "\nstruct    Part = f32 *data, i32 n = 1" } },
        { .what = "a part with pointers of what is more than fields",
          .text = "struct Part { float *data; int n; }; struct P { Part part; Strange more; };\n"
                  "__global__ void k(float *y, P p) { y[threadIdx.x] = p.part.data[0]; }",
          .lines = { "struct    P bytes 8 align 8  # ? how many bytes has it?", "!struct    Part",
                     "arg       p P\n" } },
        { .what = "vectors of CUDA's and what nobody can know, by value",
          .text = "__global__ void k(float *y, uint3 a, float4 b, View<3> c, int n) { int i = threadIdx.x;\n"
                  " if (i < n) y[i] = a.x + b.x; }",
          .lines = { "struct    uint3_ = u32 x = 1, u32 y = 1, u32 z = 1",
                     "struct    float4_ align 16 = f32 x",
                     "struct    View bytes 8 align 8  # ? how many bytes has it?", "arg       a uint3_\n",
                     "arg       c View\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_host, structs_of_templates_have_their_arguments_fields)
{
    static const example EXAMPLES[] = {
        { .what = "tensors of PyTorch: one size for all, their data by what is done with x[i][j]",
          .text = "template <typename S> __global__ void k(const at::PackedTensorAccessor64<S, 2, "
                  "at::RestrictPtrTraits> x,\n"
                  " torch::PackedTensorAccessor32<long, 1> y, at::PackedTensorAccessor32<float, 3> z)\n"
                  "{ int i = threadIdx.x; y[i] = x[0][i]; atomicAdd(&z[0][0][i], 1.f); }\n"
                  "void run(at::Tensor x, at::Tensor y) { k<float><<<1, 64>>>(x, y, z); }",
          .lines = { "shape     extent ", "arg       x_data f32[extent * extent] input uniform -1 1",
                     "arg       y_data T[extent] output",
                     "arg       z_data f32[extent * extent * extent] inout",
                     "struct    Tensor2 = f32 *data = x_data, i64 size0 = extent, i64 size1 = extent, i64 "
                     "stride0 = "
                     "extent, i64 stride1 = 1",
                     "struct    Tensor1 = i64 *data = y_data, i32 size0 = extent, i32 stride0 = 1",
                     "arg       x Tensor2\narg       y Tensor1\narg       z Tensor3\n" } },
        { .what = "of templates: types and numbers that their arguments say",
          .text = "template <class E, int N = 2> struct Vec { E at[N]; };\n"
                  "template <typename T, int D> struct View { T *data; Vec<int, D> strides; Vec<T> low; long "
                  "n; };\n"
                  "template <typename S> __global__ void k(View<S, 3> to, View<const float, 2> from, S *y)\n"
                  "{ int i = threadIdx.x; if (i < to.n) y[i] = to.data[i] = from.data[i]; }\n"
                  "void run(View<double, 3> a, View<const float, 2> b, double *y) { k<double><<<1, 64>>>(a, "
                  "b, y); }",
          .lines = { "struct    View = f64 *data, Vec strides, Vec_ low, i64 n = n",
                     "struct    Vec = i32 at[3]", "struct    Vec_ = f64 at[2]", "const f32 *data",
                     "arg       to View\n", "kernel    k<T>\n", "type      T = f64" } },
        { .what = "numbers that the host gives in braces",
          .text = "struct P { int a; float2 b; unsigned c; };\n"
                  "__global__ void k(float *y, P p) { y[threadIdx.x] = p.a + p.c; }\n"
                  "void run(float *y) { P p = { 4, {}, 1 << 3 }; k<<<1, 32>>>(y, p); }",
          .lines = { "struct    P = i32 a = 4, f32 b[2] align 8 uniform -1 1, u32 c = 8\n" } },
        { .what = "the one of another struct, which a template gives its own name",
          .text = "struct Other { template <class T> struct Base { T *ptr; long stride; }; };\n"
                  "template <int C> struct Scan { template <class T> using Base = typename Other::template "
                  "Base<T>;\n"
                  "struct Bases { Base<const float> q; Base<float> out; }; };\n"
                  "template <int C> __global__ void k(typename Scan<C>::Bases b, int n) {\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b.out.ptr[i] = b.q.ptr[i]; }\n"
                  "void run(Scan<64>::Bases b, int n) { k<64><<<(n + 63) / 64, 64>>>(b, n); }",
          .lines = { "struct    Bases = Base q, Base_ out\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_host, overloads_of_the_files_own_names_for_numbers_have_symbols)
{
    static const example EXAMPLES[] = {
        { .what = "a typedef, and the integers of host.cuh",
          .text =
              "typedef float real;\n#define count_t unsigned\n"
              "__global__ void k(real *y, const real *x, count_t n, int64_t m) { y[threadIdx.x] = x[m]; }\n"
              "__global__ void k(real *y, const int *x, count_t n, int64_t m) { y[threadIdx.x] = x[m]; }\n",
          .lines = { "kernel    _Z1kPfPKfjx  # overload 1 of 2\n" } },
        { .what = "an enum is no int",
          .text = "enum Mode { FIRST, SECOND };\n"
                  "__global__ void k(float *y, Mode m) { y[threadIdx.x] = m == SECOND ? 2 : 1; }\n"
                  "__global__ void k(double *y, Mode m) { y[threadIdx.x] = m == SECOND ? 2 : 1; }\n",
          .lines = { "kernel    _Z1kPf4Mode  # overload 1 of 2\n" } },
        { .what = "by another name, which is not read",
          .text = "enum Mode { FIRST, SECOND };\ntypedef Mode mode_t;\n"
                  "__global__ void k(float *y, mode_t m) { y[threadIdx.x] = m == SECOND ? 2 : 1; }\n"
                  "__global__ void k(double *y, mode_t m) { y[threadIdx.x] = m == SECOND ? 2 : 1; }\n",
          .lines = { "kernel    k  # overload 1 of 2\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_host, structs_that_are_no_list_of_fields_have_a_size)
{
    static const example EXAMPLES[] = {
        { .what = "virtual functions: a pointer to their table",
          .text = "template <class T, int N> class Strides { public: virtual ~Strides() = default;\n"
                  "__device__ T at(int i) const { return s[i]; } T s[N]; };\n"
                  "__global__ void k(float *y, Strides<int, 3> s, int n) { if (threadIdx.x < n) "
                  "y[threadIdx.x] = 1; }",
          .lines = { "struct    Strides bytes 24 align 8  # ? more than a list of fields, so all" } },
        { .what = "their pointer is before fields that the text has before them",
          .text = "struct Shape { int a; virtual __device__ int area() { return a; } int b; };\n"
                  "__global__ void k(Shape *y, int n) { if (threadIdx.x < n) y[threadIdx.x].a = 1; }",
          .lines = { "struct    Shape bytes 16 align 8  # more than a list of fields: zeros\n" } },
        { .what = "a union is its largest member, the one that the kernel reads",
          .text =
              "union Word { float f; int i; char c[2]; }; struct P { int n; union { float s; int t; }; };\n"
              "__global__ void k(Word *y, P p) { int i = threadIdx.x; if (i < p.n) y[i].i = p.t; }",
          .lines = { "struct    Word = i32 i", "struct    P = i32 n = n, i32 t" } },
        { .what = "threadIdx.x is no field of an int2 that is compared",
          .text =
              "__global__ void k(float *y, int2 by, int n) { if (threadIdx.x < n) y[threadIdx.x] = by.x; }",
          .lines = { "shape     n ", "struct    int2_ align 8 = i32 x = 1, i32 y = 1" } },
        { .what = "one whose largest member has a smaller alignment is a size",
          .text = "union Odd { char c[12]; int i; };\n"
                  "__global__ void k(float *y, Odd o, int n) { if (threadIdx.x < n) y[threadIdx.x] = o.i; }",
          .lines = { "struct    Odd bytes 12 align 4  # ? more than a list of fields, so all" } },
        { .what = "more fields than a declaration has, by an array of structs",
          .text = "struct One { int a, b, c; }; struct All { One of[16]; };\n"
                  "__global__ void k(float *y, All s, int n) { if (threadIdx.x < n) y[threadIdx.x] = "
                  "s.of[0].a; }",
          .lines = { "struct    All bytes 192 align 4  # ? more than a list of fields, so all" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define COPY                                                                                                 \
    "template <int N> __global__ void k(float *y, const float *x, int n) {\n"                                \
    "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + N; }\n"

Test(adopt_host, a_launch_through_a_pointer_is_one)
{
    static const example EXAMPLES[] = {
        { .what = "a variable",
          .text = COPY "void run(float *y, float *x, int n) { void (*f)(float *, const float *, int);\n"
                       "switch (n) { case 1: f = &other; break; case 2: f = &k<4>; break; }\n"
                       "f<<<(n + 127) / 128, 128>>>(y, x, n); }\n"
                       "void more(float *y) { f<<<1, 1>>>(y, y, 1); }",
          .lines = { "kernel    k<4>", "default   BLOCK=128",
                     "grid      (n + (BLOCK - 1)) / BLOCK  # line 5\n" } },
        { .what = "a variable that is declared with it",
          .text = COPY
          "void run(float *y, float *x, int n) {\nauto f = k<2>;\nf<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "kernel    k<2>", "default   BLOCK=64" } },
        { .what = "a configuration by its members",
          .text = COPY
          "void run(float *y, float *x, int n) { cudaLaunchConfig_t config = { 0 };\n"
          "config.gridDim = (n + 63) / 64; config.blockDim = dim3(64); config.dynamicSmemBytes = 32;\n"
          "cudaLaunchKernelEx(&config, k<3>, y, x, n); }",
          .lines = { "kernel    k<3>", "default   BLOCK=64",
                     "grid      (n + (BLOCK - 1)) / BLOCK  # line 5\n", "shared    32\n" } },
        { .what = "a configuration by parts of a member, which are not read: its zeros are not meant",
          .text = COPY "void run(float *y, float *x, int n) { cudaLaunchConfig_t config = { 0 };\n"
                       "config.gridDim.x = (n + 63) / 64; config.blockDim = 64;\n"
                       "cudaLaunchKernelEx(&config, k<3>, y, x, n); }",
          .lines = { "the file has no launch of it", "!grid      0" } },
        { .what = "a configuration in braces",
          .text = COPY
          "void run(float *y, float *x, int n) { cudaLaunchConfig_t c{ dim3((n + 63) / 64), 64, 0 };\n"
          "cudaLaunchKernelEx(&c, k<3>, y, x, n); }",
          .lines = { "default   BLOCK=64", "grid      (n + (BLOCK - 1)) / BLOCK  # line 4\n" } },
        { .what = "a parameter",
          .text = COPY "template <class F> void time(const char *name, F f, float *y, int n) {\n"
                       "f<<<(n + 63) / 64, 64>>>(y, y, n); }\n"
                       "int main() { time(\"k\", k<8>, 0, 1 << 20); }",
          .lines = { "kernel    k<8>", "default   BLOCK=64", "# line 4\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define ALL "int i = blockIdx.x * blockDim.x + threadIdx.x;"

Test(adopt_host, the_launch_that_is_meant_is_read)
{
    static const example EXAMPLES[] = {
        { .what = "one of numbers warms up",
          .text = "__global__ void k(float *y, int n, int m) { " ALL " if (i < n * m) y[i] = 1; }\n"
                  "void run(float *y, int n, int m) { k<<<(n * m + 63) / 64, 64>>>(y, 1, 1);\n"
                  "k<<<(n * m + 63) / 64, 64>>>(y, n, m); }",
          .lines = { "arg       y T[n * m] output", "# line 3\n" } },
        { .what = "one whose template has the block's size",
          .text = "template <int SIZE> __global__ void k(float *y, int n) { __shared__ float s[SIZE];\n"
                  "int i = blockIdx.x * SIZE + threadIdx.x; s[threadIdx.x] = 1; if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, int n) { int size = 32; dim3 threads(size);\n"
                  "if (size == 16) k<16><<<(n + 15) / 16, threads>>>(y, n);\n"
                  "else k<32><<<(n + 31) / 32, threads>>>(y, n); }",
          .lines = { "default   SIZE=32", "# line 5\n", "block     32\n" } },
        { .what = "a block that is rounded up from itself",
          .text = "__global__ void k(float *y, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                  "y[blockIdx.x * n + i] = 1; }\n"
                  "void run(float *y, int m, int n) { dim3 block(std::min(n, 128));\n"
                  "block.x = 32 * ((block.x + 31) / 32); k<<<m, block>>>(y, n); }",
          .lines = { "param     BLOCK = 32 64 128 256 512 ", "default   BLOCK=128 ",
                     "block     min(n, BLOCK)" } },
        { .what = "blocks by numbers, of which each thread has what the host allocates",
          .text = "__device__ void set(float *y);\n"
                  "__global__ void k(float *y) { " ALL " set(y + i); }\n"
                  "void run() { float *y; cudaMalloc(&y, 30 * 256 * sizeof(float)); k<<<30, 256>>>(y); }",
          .lines = { "arg       y T[7680] ", "block     256\n", "!param" } },
        { .what = "a buffer from its middle, of which the kernel goes back",
          .text =
              "__global__ void k(float *y, const float *x, int n) { " ALL " if (i < n) y[i] = x[i - 4]; }\n"
              "void run(float *y, float *x, int n) { k<<<(n + 63) / 64, 64>>>(y, x + 4, n); }",
          .lines = { "arg       x T[n] input uniform -1 1  # ? the launch passes it from an element on" } },
        { .what = "a kernel that is defined by its whole name",
          .text = "namespace a { namespace b { template <class T> __global__ void k(T *y, int n); } }\n"
                  "template <class T> __global__ void a::b::k(T *y, int n) { " ALL " if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { a::b::k<<<(n + 63) / 64, 64>>>(y, n); }",
          .lines = { "kernel    a::b::k<T>", "default   BLOCK=64", "arg       y T[n] output" } },
        { .what = "a type of the template that nobody knows is T, whatever other buffers are",
          .text =
              "template <class S> __global__ void k(const long *b, const S *x, S *y, int n) { " ALL
              " if (i < n) y[i] = x[i] + b[i]; }\n"
              "void run(long *b, some *x, some *y, int n) { k<some><<<(n + 63) / 64, 64>>>(b, x, y, n); }",
          .lines = { "type      T = f32", "arg       b i64[n] input", "arg       x T[n] input" } },
        { .what = "copies of a grid and a block",
          .text = "__global__ void k(float *y, int n) { " ALL " if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { dim3 g = dim3((n + 63) / 64, 1, 1), b = dim3(64);\n"
                  "hipLaunchKernelGGL(k, dim3(g), dim3(b), 0, 0, y, n); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK, 1, 1  # line", "default   BLOCK=64" } },
        { .what = "dim3 of a number",
          .text = "__global__ void k(float *y, int n) { " ALL " if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { int g = (n + 63) / 64; k<<<dim3(g), dim3(64)>>>(y, n); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK  # line", "default   BLOCK=64" } },
        { .what = "a group of the whole grid that counts its threads, and does not wait, is no cooperative "
                  "launch",
          .text = "__global__ void k(float *y, int n) { auto g = cooperative_groups::this_grid();\n"
                  "for (auto i = g.thread_rank(); i < n; i += g.size()) y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<64, 64>>>(y, n); }",
          .lines = { "grid      64  # line", "block     BLOCK\n", "!cooperative" } },
    };
    EXPECT_ALL(EXAMPLES);
}

/* The 17th would be a number of four bytes. */
Test(adopt_host, more_structs_than_there_is_room_for_are_refused)
{
    char text[4000] = "__global__ void k(int n";
    for (int i = 0; i < 17; i++)
        snprintf(text + strlen(text), 100, ", torch::PackedTensorAccessor32<float, 1> t%d", i);
    snprintf(text + strlen(text), 100, ") { if (threadIdx.x < n) t0[threadIdx.x] = 1; }");
    atx_adopted out;
    at_error err = { 0 };
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu" };
    cr_expect_eq(atx_adopt(&out, &in, &err), AT_ERR_INPUT, "%s", text);
    cr_expect_str_eq(err.text,
                     "k.cu:1: found the argument 't16' of k, behind structs and tensors of 16 kinds; "
                     "expected fewer: pass pointers and numbers");
}
