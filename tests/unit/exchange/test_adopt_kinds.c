/* test_adopt_kinds.c - drafts of kinds of kernels that drafts once had wrong: clamps, overloads, nulls, names
 * in several scopes, blocks that are a number. */
#include "adopt_lines.h"

TestSuite(adopt_kinds);

#define I "int i = blockIdx.x * blockDim.x + threadIdx.x;"

Test(adopt_kinds, clamps_bound_an_index)
{
    static const example EXAMPLES[] = {
        { .what = "above and below, with and without braces, what is compared on either side",
          .text = "__global__ void k(float *y, const float *a, const float *b, const float *c, int n) { " I
                  " if (i >= n) return; int r = i + 1; if (r >= n) r = n - 1;\n"
                  "int l = i - 1; if (0 > l) { l = 0; }\n"
                  "int u = i + 7; if (u > n - 1 || u < 0) u = n - 1; y[i] = a[r] + b[l] + c[u]; }",
          .lines = { "arg       a T[n] ", "arg       b T[n] ", "arg       c T[n] " } },
        { .what = "of a number that nobody knows",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I " if (i >= n) return;\n"
                  "int f = (int)floorf(y[i]); if (f < 0) f = 0; else if (f >= m) f = m - 1; y[i] = x[f]; }",
          .lines = { "arg       x T[m] input uniform -1 1\n" } },
        { .what = "by a larger number than it is compared with",
          .text = "__global__ void k(float *y, const float *x, int n) { " I " if (i >= n) return;\n"
                  "int q = i; if (q > 3) q = 7; y[i] = x[q]; }",
          .lines = { "arg       x T[8] " } },
        { .what = "round its ends",
          .text = "__global__ void k(float *y, const float *a, const float *b, const float *c, int n) { " I
                  " if (i >= n) return; int r = i + 1; if (r == n) r = 0; int l = i - 1; if (l < 0) l += n;\n"
                  "int s = i + 5; while (s >= n) s -= n; y[i] = a[r] + b[l] + c[s]; }",
          .lines = { "arg       a T[n] ", "arg       b T[n] ", "arg       c T[n] " } },
        { .what = "at the end of a loop",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I " if (i >= n) return;\n"
                  "int at = 0; for (int j = 0; j < n; j++) { y[i] += x[at]; at++; if (at >= m) at = 0; } }",
          .lines = { "arg       x T[m] " } },
        { .what = "a sum that is compared under another name bounds what it is made of",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I
                  " int k = i + m; if (k < n) y[i] = x[k]; }\n"
                  "void f(float *y, float *x, int n, int m) { k<<<(n + 63) / 64, 64>>>(y, x, n, m); }",
          .lines = { "arg       y T[n] output", "arg       x T[n] input", "!require   n % BLOCK" } },
        { .what = "by more, where a number below 0 is added",
          .text =
              "__global__ void k(float *y, const float *a, const float *b, int n) { " I "\n"
              "for (int r = -4; r < 4; r++) { int k = i + r; if (k < n) y[i] += a[i]; if (i + r < n) y[i] += "
              "b[i]; } }",
          .lines = { "arg       y T[n + 4] ", "arg       a T[n + 4] ", "arg       b T[n + 4] " } },
        { .what = "but not a rest, nor a quotient with its remainder, of which a part is changed",
          .text = "__global__ void k(float *a, float *b, float *c, int e, int s, int w) { " I "\n"
                  "if (i < e - s) { i += 5; a[s + i] = 1; }\n"
                  "int j = blockIdx.x * blockDim.x + threadIdx.x; if (j < e - s) { s += 6; b[s + j] = 1; }\n"
                  "int x = blockIdx.x * blockDim.x + threadIdx.x; if (x >= e) return;\n"
                  "int q = x / w, r = x % w; q++; c[q * w + r] = 1; }",
          .lines = { "!arg       a T[e]", "!arg       b T[e]", "!arg       c T[e]" } },
        { .what = "but not by two conditions, nor where another block has them",
          .text = "__global__ void k(float *y, const float *a, const float *b, int n, int on) { " I
                  " if (i >= n) return; int r = i + 1; if (r >= n && on) r = n - 1;\n"
                  "int l = i + 1; if (on) { if (l >= n) l = n - 1; } y[i] = a[r] + b[l]; }",
          .lines = { "arg       a T[n + 1] ", "arg       b T[n + 1] " } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define TWO                                                                                                  \
    "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"                                    \
    "__global__ void k(double *y, int n) { " I " if (i < n) y[2 * i] = 1; }\n"

#define SCOPES                                                                                               \
    "namespace a { __global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"                      \
    "void run(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); } }\n"                                      \
    "namespace b { __global__ void k(float *y, int n) { " I " if (i < n) y[i] = 2; }\n"                      \
    "void run(float *y, int n) { k<<<(n + 127) / 128, 128>>>(y, n); } }\n"

Test(adopt_kinds, the_launch_of_an_overload_is_its_own)
{
    static const example EXAMPLES[] = {
        { .what = "by the types of names, first",
          .text = TWO "void f(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); }\n"
                      "void g(double *y, int n) { k<<<(n + 511) / 512, 512>>>(y, n); }",
          .kernel = "k#1",
          .lines = { "default   BLOCK=64 " } },
        { .what = "second",
          .text = TWO "void f(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); }\n"
                      "void g(int n) { float *x; double *w, *y; k<<<(n + 511) / 512, 512>>>(y, n); }",
          .kernel = "k#2",
          .lines = { "default   BLOCK=512 " } },
        { .what = "by casts",
          .text = TWO "void f(void *y, int n) { k<<<(n + 63) / 64, 64>>>((float *)y, n);\n"
                      "k<<<(n + 511) / 512, 512>>>((double *)y, n); }",
          .kernel = "k#2",
          .lines = { "default   BLOCK=512 " } },
        { .what = "by arguments of a template",
          .text = "template <int N> __global__ void k(float *y, int n) { " I " if (i < n) y[i] = N; }\n"
                  "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void f(float *y, int n) { k<4><<<(n + 63) / 64, 64>>>(y, n);\n"
                  "k<<<(n + 511) / 512, 512>>>(y, n); }",
          .kernel = "k#2",
          .lines = { "default   BLOCK=512 " } },
        { .what = "by namespaces", .text = SCOPES, .kernel = "k#1", .lines = { "default   BLOCK=64 " } },
        { .what = "of which the second has one, too",
          .text = SCOPES,
          .kernel = "k#2",
          .lines = { "default   BLOCK=128 " } },
        { .what = "none of another one is taken",
          .text = TWO "void f(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); }",
          .kernel = "k#2",
          .lines = { "# ? how many blocks, and threads? the file has no launch of it" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define MAYBE                                                                                                \
    "__global__ void k(float *y, const float *x, const float *bias, int n) { " I                             \
    " if (i < n) y[i] = x[i] + (bias ? bias[i] : 0); }\n"

Test(adopt_kinds, pointers_that_are_null_are_no_buffers)
{
    static const example EXAMPLES[] = {
        { .what = "in the launch",
          .text = MAYBE "void f(float *y, float *x, int n) { k<<<n / 64, 64>>>(y, x, NULL, n); }",
          .lines = { "arg       bias i64 = 0  # a null pointer, as line 2 passes it\n" } },
        { .what = "with a cast, through all calls of the function around it",
          .text = MAYBE "void f(float *y, float *x, float *b, int n) { k<<<n / 64, 64>>>(y, x, b, n); }\n"
                        "void g(float *y, float *x) { f(y, x, (float *)0, 64); f(y, x, nullptr, 128); }",
          .lines = { "arg       bias i64 = 0  # a null" } },
        { .what = "not where one call has a buffer",
          .text = MAYBE "void f(float *y, float *x, float *b, int n) { k<<<n / 64, 64>>>(y, x, b, n); }\n"
                        "void g(float *y, float *x) { f(y, x, x, 64); f(y, x, nullptr, 128); }",
          .lines = { "arg       bias T[n] input" } },
        { .what = "a launch with all buffers says more",
          .text = MAYBE "void f(float *y, float *x, float *b, int n) { k<<<n / 64, 64>>>(y, x, NULL, n);\n"
                        "k<<<n / 64, 64>>>(y, x, b, n); }",
          .lines = { "arg       bias T[n] input" } },
        { .what = "a variable that is given something later is none",
          .text = MAYBE "void f(float *y, float *x, int n) { float *b = NULL, *c = NULL; get(&b);\n"
                        "k<<<n / 64, 64>>>(y, x, b, n); }",
          .lines = { "arg       bias T[n] input" } },
        { .what = "nor one that the next turn of a loop has",
          .text = MAYBE "void f(float *y, float *x, int n) { float *last = nullptr;\n"
                        "for (int i = 0; i < n; i++) { k<<<n / 64, 64>>>(y, x, last, n); last = y; } }",
          .lines = { "arg       bias T[n] input" } },
        { .what = "nor what a function returns that is given 0",
          .text = MAYBE "void f(float *y, float *x, int n) { k<<<n / 64, 64>>>(y, x, at<float>(0), n); }",
          .lines = { "arg       bias T[n] input" } },
        { .what = "nor is one that the kernel reads without a question",
          .text = "__global__ void k(float *y, const float *x, int n) { " I " if (i < n) y[i] = x[i]; }\n"
                  "void f(float *y, int n) { k<<<n / 64, 64>>>(y, NULL, n); }",
          .lines = { "arg       x T[n] input" } },
        { .what = "one that a function is given by a question is as large as it says",
          .text = "__device__ void put(float *to, float v) { if (to) *to = v; }\n"
                  "__global__ void k(float *y, float *z, int n) { " I " if (i >= n) return;\n"
                  "y[i] = 1; put(z == nullptr ? nullptr : z + i, 2); }",
          .lines = { "arg       z T[n] " } },
        { .what = "the one output stays a buffer",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void f(int n) { k<<<n / 64, 64>>>(NULL, n); }",
          .lines = { "arg       y T[n] output" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, a_name_is_that_of_its_scope)
{
    static const example EXAMPLES[] = {
        { .what = "typedef",
          .text = "namespace a { typedef double real; } typedef float real;\n"
                  "__global__ void k(real *y, int n) { " I " if (i < n) y[i] = 1; }",
          .lines = { "type      T = f32" } },
        { .what = "structs, and one that repeats its name",
          .text =
              "namespace a { struct p { double v; }; } typedef struct p { float u; } p; typedef struct p p;\n"
              "__global__ void k(p *y, int n) { " I " if (i < n) y[i].u = 1; }",
          .lines = { "struct    p = f32 u" } },
        { .what = "that of the namespace, where two are visible",
          .text = "struct p { double v; }; namespace a { struct p { float u; };\n"
                  "__global__ void k(p *y, int n) { " I " if (i < n) y[i].u = 1; } }",
          .lines = { "struct    p = f32 u" } },
        { .what = "another one's, where none is",
          .text = "struct box { typedef double real; };\n"
                  "__global__ void k(box::real *y, int n) { " I " if (i < n) y[i] = 1; }",
          .lines = { "type      T = f64" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, launches_are_read_as_they_are)
{
    static const example EXAMPLES[] = {
        { .what = "what a function is given as dim3 says nothing",
          .text = "__global__ void k(float *y, int w, int h) { " I
                  " int j = blockIdx.y * blockDim.y + threadIdx.y; if (i < w && j < h) y[j * w + i] = 1; }\n"
                  "void f(dim3 grid, dim3 block, float *y, int w, int h) { k<<<grid, block>>>(y, w, h); }",
          .lines = { "arg       y T[w * h] output",
                     "grid      ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y)  # ? ",
                     "block     BLOCK_X, BLOCK_Y" } },
        { .what = "nor does one whose parts conditions set, but for a limit of itself",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "__global__ void l(float *y, int n) { " I " if (i < n) y[i] = 2; }\n"
                  "void f(float *y, int n, bool wide) { dim3 a(1), b((n + 63) / 64); int m = 64;\n"
                  "if (wide) { a.x = n / 64; } else a.x = n / 32; if (b.x > 65535) { b.x = 65535; }\n"
                  "k<<<a, m>>>(y, n); l<<<b, 64>>>(y, n); }",
          .kernel = "k",
          .lines = { "grid      ceil_div(n, BLOCK)  # ? how many blocks?" } },
        { .what = "which leaves its first value",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void f(float *y, int n) { dim3 b((n + 63) / 64); if (b.x > 65535) b.x = 65535;\n"
                  "k<<<b, 64>>>(y, n); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK  # line" } },
        { .what = "the last value of a part counts",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[blockIdx.y * n + i] = 1; }\n"
                  "void f(float *y, int n) { dim3 g; g.x = n / 64; g.y = 9; g.y = 4; k<<<g, 64>>>(y, n); }",
          .lines = { "grid      n / BLOCK, 4" } },
        { .what = "four rows of a block by numbers, rounded up",
          .text = "__global__ void k(float *y, int n) { int r = blockIdx.x * blockDim.y + threadIdx.y;\n"
                  "if (r < n) y[r * 32 + threadIdx.x] = 1; }\n"
                  "void f(float *y, int n) { dim3 b(32, 4); dim3 g((n + 4 - 1) / 4); k<<<g, b>>>(y, n); }",
          .lines = { "grid      (n + BLOCK_Y - 1) / BLOCK_Y", "!require   (n" } },
        { .what = "by a quotient that the kernel compares, where there is no launch",
          .text = "__global__ void k(float *y, int n, int w) { " I " int r = i / w; if (r < n) y[i] = 1; }",
          .lines = { "arg       y T[n * w] ", "grid      ceil_div(n * w, BLOCK)" } },
        { .what = "real quotients are rounded up at the end",
          .text = "__global__ void k(float *y, int n, int m) { " I " if (i * m < n) y[i] = 1; }\n"
                  "void f(float *y, int n, int m) {\n"
                  "int b = ceil((double(n) / double(m)) / double(64)); k<<<b, 64>>>(y, n, m); }",
          .lines = { "grid      ceil_div(ceil_div(n, m), BLOCK)" } },
        { .what = "buffers that change places are as large as the larger one",
          .text = "__global__ void k(float *y, const float *x) { " I
                  " float v = x[i]; if (i < 4095) y[i] = v + 1; }\n"
                  "void f(float *y, float *x) { for (int i = 0; i < 9; i++) { k<<<64, 64>>>(y, x);\n"
                  "std::swap(x, y); } }",
          .lines = { "arg       y T[4096] ", "arg       x T[4096] " } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, blocks_and_fragments_are_what_the_kernel_is_made_for)
{
    static const example EXAMPLES[] = {
        { .what = "a kernel for one number of threads has no other",
          .text = "__global__ void k(float *y, const float *x, int n) { " I
                  " float v = x[i]; if (threadIdx.x == 63) v = 0; y[i] = v; }\n"
                  "void f(float *y, float *x, int n) { k<<<n / 64, 64>>>(y, x, n); }",
          .lines = { "block     64\n", "!param" } },
        { .what = "nor has one that a library's reduction is made for",
          .text =
              "__global__ void k(float *y, const float *x, int n) { typedef cub::BlockReduce<float, 256> R;\n"
              "__shared__ typename R::TempStorage s; " I " float v = R(s).Sum(i < n ? x[i] : 0);\n"
              "if (threadIdx.x == 0) y[blockIdx.x] = v; }\n"
              "void f(float *y, float *x, int n) { k<<<(n + 255) / 256, 256>>>(y, x, n); }",
          .lines = { "block     256\n", "!param" } },
        { .what = "what sizes divide may leave a rest",
          .text = "__global__ void k(float *y, const float *x, int n, int w) { " I " if (i >= n) return;\n"
                  "int r = i / w, c = i % w; y[r * w + c] = x[i]; }",
          .lines = { "!require   n % w", "!require   (n" } },
        { .what = "a fragment has the rows and columns of its type",
          .text =
              "__global__ void k(half *c, int n) { wmma::fragment<wmma::accumulator, 32, 8, 16, half> f[2];\n"
              "wmma::store_matrix_sync(c + blockIdx.x * 32 * n, f[0], n, wmma::mem_row_major); }\n"
              "void f(half *c, int m, int n) { k<<<m / 32, 32>>>(c, n); }",
          .lines = { "arg       c T[m * n + 8 - n] output zero" } },
        { .what = "columns of a matrix that is stored by columns",
          .text = "__global__ void k(float *y, const half *x, int n) {\n"
                  "wmma::fragment<wmma::matrix_b, 16, 8, 32, half, wmma::col_major> b;\n"
                  "wmma::load_matrix_sync(b, x, n); y[threadIdx.x] = b.x[0]; }\n"
                  "void f(float *y, half *x, int n) { k<<<1, 32>>>(y, x, n); }",
          .lines = { "arg       x f16[n * 7 + 32] input" } },
        { .what = "rows of a template's integers are offsets",
          .text = "template <class I> __global__ void k(float *y, const I *at, const I *of, I n) { " I
                  " if (i >= n) return; for (I j = at[i]; j < at[i + 1]; j++) y[i] += of[j]; }\n"
                  "void f(float *y, int *at, int *of, int n) { k<int><<<n / 64, 64>>>(y, at, of, n); }",
          .lines = { "input offsets n * 16", "[n * 16] input" } },
        { .what = "pairs of a first and a last index are sorted",
          .text = "__global__ void k(float *y, const float *x, const int *first, int n, int m) {\n"
                  "int b = blockIdx.x; int end = b + 1 < n ? first[b + 1] : m;\n"
                  "for (int j = first[b]; j < end; j++) y[b] += x[j]; }",
          .lines = { "arg       first i32[n] input sorted index " } },
        { .what = "nor is one written that a number of the kernel leaves out",
          .text = "__global__ void k(float *y, float *z, int n, int mode) { " I " if (i >= n) return;\n"
                  "if (mode == 1) y[i] = 1; else z[i] = 2; }",
          .lines = { "arg       y T[n] output zero", "arg       z T[n] output zero" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, launches_may_leave_out_what_the_kernel_needs)
{
    static const example EXAMPLES[] = {
        { .what = "an instance that ends a recursion is none",
          .text =
              "template <int N> __global__ void k(float *y, int n) { " I " if (i / N < n) y[i] = N; }\n"
              "template <int N> void run(float *y, int n, int m) { if (m == N) k<N><<<n / 64, 64>>>(y, n);\n"
              "else run<N / 2>(y, n, m); }\n"
              "template <> void run<0>(float *y, int n, int m) {}\n"
              "void f(float *y, int n, int m) { run<32>(y, n, m); }",
          .lines = { "kernel    k<32>" } },
        { .what = "dynamic shared memory that the launch forgets is what the kernel reaches",
          .text = "__global__ void k(float *y, int n, int m) { extern __shared__ float s[]; " I
                  " if (i >= n) return;\n"
                  "for (int j = 0; j < m; j++) s[j] = 1; y[i] = s[0]; }\n"
                  "void f(float *y, int n, int m) { k<<<n / 64, 64>>>(y, n, m); }",
          .lines = { "shared    m * 4  # ?" } },
        { .what = "an element that is written where no comparison holds, and read where one does",
          .text =
              "__global__ void k(float *y, int n) { " I " float p = 0; if (i < n) p = y[i]; y[i] = p + 1; }\n"
              "void f(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); }",
          .lines = { "arg       y T[n] inout", "require   n % BLOCK == 0" } },
        { .what = "dynamic shared memory by HIP's macro",
          .text = "__global__ void k(float *y, int n) { HIP_DYNAMIC_SHARED(char, s) " I
                  " if (i < n) y[i] = s[0]; }\n"
                  "void f(float *y, int n) { int m = g(); k<<<n / 64, 64, m>>>(y, n); }",
          .lines = { "bytes of its extern __shared__ array?" } },
        { .what = "loops without braces, each counts its own",
          .text = "__global__ void k(float *y, const float *x) { for (int j = 0; j < 64; j++)\n"
                  "for (int i = 0; i < 512; i++) y[j + i * 64] = x[i + j * 512]; }\n"
                  "void f(float *y, float *x) { k<<<1, 1>>>(y, x); }",
          .lines = { "y T[32768]", "x T[32768]" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, shared_arrays_limit_the_block)
{
    static const example EXAMPLES[] = {
        { .what = "a number of elements that is as the block's is no block",
          .text = "template <int BLOCK> __global__ void k(int *y, const int *x) { int s = 0;\n"
                  "for (int i = 0; i < 32; i++) s += x[blockIdx.x * BLOCK + threadIdx.x]; *y = s; }\n"
                  "void f() { int *x, *y; cudaMalloc(&x, (1 << 10) * 128); cudaMalloc(&y, 4);\n"
                  "int n = (1 << 10) * 128 / 4; k<128><<<n / 128, 128>>>(y, x); }",
          .lines = { "* 128 / 4) / BLOCK" } },
        { .what = "a shared array of 16 has room for 16 warps",
          .text = "template <int BLOCK> __global__ void k(float *y, int n) { __shared__ float s[16];\n"
                  "int w = threadIdx.x >> 5, lane = threadIdx.x & 31; if (lane == 0) s[w] = 1;\n"
                  "for (int c = threadIdx.x; c < n; c += BLOCK) y[blockIdx.x * n + c] = s[0]; }\n"
                  "void f(float *y, int n, int m) { k<256><<<m, 256>>>(y, n); }",
          .lines = { "<= 16  # an array of the kernel has no more" } },
        { .what = "a square of threads, where both places index one array",
          .text = "#define BX 32\n#define BY 32\n"
                  "__global__ void k(float *y) { __shared__ float s[BY][BX];\n"
                  "s[threadIdx.y][threadIdx.x] = 1; y[threadIdx.y * BX + threadIdx.x] = "
                  "s[threadIdx.x][threadIdx.y]; }\n"
                  "void f(float *y) { k<<<1, dim3(BX, BY)>>>(y); }",
          .lines = { "BX <= BY  # an array of the kernel has no more", "BY <= BX  # an array" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, what_a_kernel_adds_notes_or_leaves_out_counts)
{
    static const example EXAMPLES[] = {
        { .what = "an instance that a function of the host names stays T",
          .text = "template <typename T, int N> struct pack { T e[N]; };\n"
                  "template <typename T> __global__ void k(T *y, int n) { " I " if (i < n) y[i] = y[0]; }\n"
                  "void f(float *y, int n) { using P = pack<float, 4>; k<P><<<n / 64, 64>>>((P *)y, n); }",
          .lines = { "arg       y T[n] inout", "kernel    k<T>" } },
        { .what = "what is added behind a comparison is added to the bound",
          .text = "__global__ void k(float *y, int n, int d) { " I " if (i < n) { i += d; y[i] = 1; } }",
          .lines = { "y T[n + d]" } },
        { .what = "what each turn of a loop gives anew is not what the last one left",
          .text = "__global__ void k(float *y, const float *x, int n) { " I " int o;\n"
                  "while (i < n) { o = i; float v = y[o]; o = i * 8; y[i] = v + x[o]; i += 64; } }",
          .lines = { "y T[n]", "x T[n * 8]" } },
        { .what = "an output behind a flag of the template, a type by the x of threadIdx.x",
          .text = "template <typename V, bool FLAG> __global__ void k(V *y, V *z, V x, int n) {\n"
                  "__shared__ V s[64]; s[threadIdx.x] = x; " I
                  " if (i < n) { if (FLAG) z[i] = s[0]; else y[i] = x; } }",
          .lines = { "y T[n] output zero", "z T[n] output zero", "x f32" } },
        { .what = "an offset of a template's type is one",
          .text = "template <typename I> __global__ void k(float *y, I n, I row_offset) {\n"
                  "I i = row_offset + blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }",
          .lines = { "row_offset i32 = 0" } },
        { .what = "what a function notes in a local array decides whether an output is written",
          .text = "__global__ void k(int *y, int n) { " I " unsigned a[4]; digest(i, a);\n"
                  "if (a[0] == 7) *y = i; }",
          .lines = { "] output zero" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_kinds, pointers_that_the_host_sets_in_variables_are_refused)
{
    static const char READS[] = "__device__ float *table, *other;\n"
                                "__global__ void k(float *y) { y[threadIdx.x] = other[threadIdx.x]; }";
    static const char SETS[] = "__device__ float *table;\n"
                               "__global__ void k(float *y) { table = y; table[threadIdx.x] = 1; }";
    static const char OWN[] = "__device__ float *table;\n"
                              "__global__ void k(float *table) { table[threadIdx.x] = 1; }";
    static const char OTHER[] = "__device__ float *table;\n"
                                "__device__ float at(const float *table, int i) { return table[i]; }\n"
                                "__global__ void k(float *y) { y[threadIdx.x] = at(y, 0); }";
    atx_adopted out;
    at_error err = { 0 };
    const atx_adopt_input in = { .text = READS, .path = "k.cu", .source = "../k.cu" };
    cr_expect_neq(atx_adopt(&out, &in, &err), AT_OK);
    cr_expect(strstr(err.text, "k.cu:1: found the __device__ pointer 'other' of k"), "%s", err.text);
    out = adopt_one(SETS, NULL);
    atx_adopted_clear(&out);
    out = adopt_one(OWN, NULL);
    atx_adopted_clear(&out);
    out = adopt_one(OTHER, NULL);
    atx_adopted_clear(&out);
}

Test(adopt_kinds, a_constant_that_a_line_fills_is_set_under_any_name)
{
    static const example EXAMPLES[] = {
        { .what = "T is the type of the elements",
          .text = "__constant__ float T[9];\n"
                  "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = T[i % 9]; }",
          .lines = { "into T", "!nothing here sets it" } },
    };
    EXPECT_ALL(EXAMPLES);
}
