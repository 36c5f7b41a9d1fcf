/* test_adopt_found.c - what readers of random drafts found wrong, one example of each kind. */
#include "adopt_lines.h"

TestSuite(adopt_found);

#define I "int i = blockIdx.x * blockDim.x + threadIdx.x;"
#define ROWS                                                                                                 \
    "__global__ void k(float *y, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x)\n"               \
    "y[blockIdx.x * n + i] = 1; }\n"

Test(adopt_found, blocks_are_those_of_the_launch)
{
    static const example EXAMPLES[] = {
        { .what = "as large as a row, up to a limit: the limit is the parameter",
          .text = ROWS "void run(float *y, int m, int n) { k<<<m, std::min(n, 1024)>>>(y, n); }",
          .lines = { "param     BLOCK = 256 512 1024 ", "default   BLOCK=1024",
                     "block     min(n, BLOCK)\n" } },
        { .what = "the same, the limit first; the grid is made of it, too",
          .text = "__global__ void k(float *y, int m, int n) { " I " if (i < m) y[i] = n; }\n"
                  "void run(float *y, int m, int n) { dim3 block(min(32, n));\n"
                  "k<<<m / block.x, block>>>(y, m, n); }",
          .lines = { "block     min(BLOCK, n)\n", "grid      m / (min(BLOCK, n))" } },
        { .what = "an argument of the template, whatever its name is",
          .text = "template <int CTA> __global__ void k(float *y, int n) {\n"
                  "int i = blockIdx.x * CTA + threadIdx.x; if (i < n) y[i] = blockDim.x; }\n"
                  "void run(float *y, int n) { const int size = 256;\n"
                  "k<size><<<(n + size - 1) / size, size>>>(y, n); }",
          .lines = { "param     CTA = 64 128 256 512 1024", "kernel    k<CTA>", "block     CTA\n",
                     "!BLOCK" } },
        { .what = "what the kernel multiplies blockIdx.x by, where nobody understands the launch",
          .text = "#define STEP 512\n"
                  "__global__ void k(float *y, int n) { int i = STEP * blockIdx.x + threadIdx.x;\n"
                  "if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { dim3 g, b; choose(&g, &b); k<<<g, b>>>(y, n); }",
          .lines = { "block     512\n", "# ? how many threads has a block? the launch" } },
        { .what = "the number that the launch has for the template's block, too",
          .text = "template <int block_size> __global__ void k(float *y, int n) { __shared__ float "
                  "s[block_size];\n"
                  "s[threadIdx.x] = blockDim.x; " I " if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, int n, int b) { if (b == 64) k<64><<<(n + 63) / 64, 64>>>(y, n); }",
          .lines = { "kernel    k<block_size>", "block     block_size\n", "!BLOCK" } },
        { .what = "not those of what a variable is given later",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "__global__ void other(float *y, int n) { " I " if (i < n) y[i] = 2; }\n"
                  "void run(float *y, int n) { auto f = k; f<<<(n + 63) / 64, 64>>>(y, n); f = other;\n"
                  "f<<<256, 1024>>>(y, n); }",
          .kernel = "k",
          .lines = { "default   BLOCK=64", "grid      (n + (BLOCK - 1)) / BLOCK" } },
        { .what = "the case of a switch by its size",
          .text = "template <int SIZE> __global__ void k(float *y, int n) { __shared__ float s[SIZE];\n"
                  "s[threadIdx.x] = 1; if (threadIdx.x < n) y[blockIdx.x * n + threadIdx.x] = s[0]; }\n"
                  "void run(float *y, int m, int n) { dim3 block((n + 31) / 32 * 32); switch (block.x) {\n"
                  "case 32: k<32><<<m, block>>>(y, n); break; case 64: k<64><<<m, block>>>(y, n); } }",
          .lines = { "param     SIZE = 32 64", "block     SIZE\n" } },
        { .what = "bits of a word",
          .text = "const int THREADS = sizeof(unsigned long long) * 8;\n"
                  "__global__ void k(float *y, int n) { int i = blockIdx.x * THREADS + threadIdx.x;\n"
                  "if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<(n + THREADS - 1) / THREADS, THREADS>>>(y, n); }",
          .lines = { "block     64\n", "!# ? how many threads" } },
        { .what = "by a constant of a namespace that has no name",
          .text = "namespace { constexpr int kWarps = 8; constexpr int kThreads = 32 * kWarps;\n"
                  "__global__ void k(float *y, int n) { __shared__ float s[kWarps];\n"
                  "int i = blockIdx.x * kWarps + threadIdx.x / 32; if (i < n) y[i] = s[0]; } }\n"
                  "void run(float *y, int n) { k<<<(n + kWarps - 1) / kWarps, kThreads>>>(y, n); }",
          .lines = { "param     kWarps = 4 8 16 32", "block     32 * kWarps\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_found, grids_and_shared_memory_are_those_of_the_launch_or_asked)
{
    static const example EXAMPLES[] = {
        { .what = "multiples of multiprocessors stay, where no size depends on them",
          .text = "__global__ void k(float *y, int n) { for (" I
                  " i < n; i += blockDim.x * gridDim.x) y[i] = 1; }\n"
                  "void run(float *y, int n) { cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0);\n"
                  "int blocks = prop.multiProcessorCount; k<<<blocks * 2, 256>>>(y, n); }",
          .lines = { "grid      (device.sms) * 2  # line 3" } },
        { .what = "one that is not understood is asked, where a size depends on it",
          .text = "template <class S> __global__ void k(S *y, int s) { " I " y[i * s] = 1; }\n"
                  "template <class S> void run(S *y, int n, int s) {\n"
                  "k<S><<<n / sizeof(S) / 64, 64>>>(y, s); }",
          .lines = { "# ? how many blocks? the launch in the file was not understood" } },
        { .what = "a number that is the block's of another direction is that",
          .text =
              "__global__ void k(float *y, int n, int m) { int r = blockIdx.x * blockDim.y + threadIdx.y;\n"
              "int c = blockIdx.y * blockDim.x + threadIdx.x; if (r < n && c < m) y[r * m + c] = 1; }\n"
              "void run(float *y, int n, int m) {\n"
              "k<<<dim3((n + 7) / 8, (m + 31) / 32), dim3(32, 8)>>>(y, n, m); }",
          .lines = { "/ BLOCK_Y, (m + (BLOCK_X - 1)) / BLOCK_X" } },
        { .what = "a direction that is given twice is asked",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[blockIdx.y * n + i] = 1; }\n"
                  "void run(float *y, int n, int m, bool half) { dim3 g; g.x = (n + 255) / 256; g.y = m;\n"
                  "if (half) g.y = m / 2; k<<<g, 256>>>(y, n); }",
          .lines = { "# ? how many blocks? the launch in the file was not understood" } },
        { .what = "what a function may have changed is asked",
          .text = "__global__ void k(float *y, int n) { extern __shared__ float s[]; " I
                  " s[hash(i)] = 1; if (i < n) y[i] = s[hash(n)]; }\n"
                  "void run(float *y, int n) { int bytes = 0; cudaDeviceGetAttribute(&bytes, 8, 0);\n"
                  "k<<<(n + 255) / 256, 256, bytes>>>(y, n); }",
          .lines = { "# ? bytes of its extern __shared__ array?" } },
        { .what = "shared memory that the file declares outside of its kernels",
          .text = "extern __shared__ char memory[];\n"
                  "__global__ void k(float *y, int n) { float *s = (float *)memory; " I
                  " s[hash(i)] = 1; if (i < n) y[i] = s[hash(n)]; }\n"
                  "void run(float *y, int n, int b) { k<<<(n + 255) / 256, 256, size_of(b)>>>(y, n); }",
          .lines = { "# ? bytes of its extern __shared__ array?" } },
        { .what = "that another kernel uses it is nothing to this one",
          .text = "extern __shared__ char memory[];\n"
                  "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<(n + 255) / 256, 256>>>(y, n); }",
          .lines = { "!shared " } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_found, arguments_are_what_their_types_say)
{
    static const example EXAMPLES[] = {
        { .what = "pointers by a typedef, and by using",
          .text = "typedef float *__restrict__ Floats; using Inputs = const float *;\n"
                  "__global__ void k(Floats y, Inputs x, int n) { " I " if (i < n) y[i] = x[i]; }\n"
                  "void run(float *y, float *x, int n) { k<<<(n + 255) / 256, 256>>>(y, x, n); }",
          .lines = { "arg       y T[n] output", "arg       x T[n] input" } },
        { .what = "what a pointer goes to that is declared before it points there",
          .text = "__global__ void k(float *y, const float *x, int n) { " I
                  " float *p; if (i >= n) return; p = y + i; p[0] = p[0] + x[i]; }",
          .lines = { "arg       y T[n] inout" } },
        { .what = "what a condition reads, though an assignment follows it",
          .text = "__global__ void k(float *y, int *z, int n) { " I " if (i >= n) return;\n"
                  "if (y[i] < 1) { z[i] = 1; } int a = 2; y[i] = a; }\n"
                  "void run(int n) { float *y; int *z; cudaMalloc(&y, n * 4); cudaMalloc(&z, n * 4);\n"
                  "k<<<(n + 63) / 64, 64>>>(y, z, n); }",
          .lines = { "arg       y T[n] inout" } },
        { .what = "a pointer as an argument of the template",
          .text =
              "template <class S, bool rows> __global__ void k(S scale, float *y, int n) { " I
              " if (i < n) { if constexpr (rows) scale[i] = 2; y[i] = 1; } }\n"
              "void run(half *s, float *y, int n) { k<half *, true><<<(n + 255) / 256, 256>>>(s, y, n); }",
          .lines = { "type      T = f16", "arg       scale T[n] output", "kernel    k<T *, true>" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_found, results_that_data_decides_begin_as_zeros)
{
    static const example EXAMPLES[] = {
        { .what = "by a number that is made of elements",
          .text = "__global__ void k(int *y, const float *x, int n) { " I
                  " if (i >= n) return; const float a = x[i]; const float d = a * a; if (d < 1) y[i] = 1; }",
          .lines = { "arg       y T[n] output zero" } },
        { .what = "behind a return",
          .text = "__global__ void k(int *y, const int *x, int n) { " I
                  " if (i >= n) return; if (x[i] > 0) return; y[i] = 1; }",
          .lines = { "arg       y T[n] output zero" } },
        { .what = "by a number that is counted up",
          .text = "__device__ void find(int &found, int i);\n"
                  "__global__ void k(int *y, int n) { " I
                  " if (i >= n) return; int found = 0; find(found, i); if (found) y[i] = 1; }",
          .lines = { "arg       y T[n] output zero" } },
        { .what = "where data chooses the element",
          .text = "__global__ void k(int *y, const int *x, int n) { " I " if (i < n) y[x[i]] = i; }",
          .lines = { "] output zero" } },
        { .what = "not by the counter of a loop",
          .text = "__global__ void k(int *y, int n) { " I
                  " for (int r = 0; r < 4; r++) if (i * 4 + r < n) y[i * 4 + r] = 1; }",
          .lines = { "!zero" } },
        { .what = "all that the sizes decide is written",
          .text = "__global__ void k(int *y, const int *x, int n) { " I " if (i >= n) return; y[i] = x[i]; }",
          .lines = { "arg       y T[n] output\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_found, sizes_are_those_that_comparisons_leave)
{
    static const example EXAMPLES[] = {
        { .what = "an index that is made before its parts are compared",
          .text =
              "__global__ void k(float *y, int w, int h) {\n"
              "int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;\n"
              "int i = b * w + a; if (a < w && b < h) y[i] = 1; }\n"
              "void run(float *y, int w, int h) { dim3 t(32, 8);\n"
              "k<<<dim3((w + 31) / 32, (h + 7) / 8), t>>>(y, w, h); }",
          .lines = { "arg       y T[w * h] output\n", "!the kernel does not ask" } },
        { .what = "what is read where the comparison returns it",
          .text =
              "__device__ float get(const float *x, int i, int n) { if (i < n) { return x[i]; } return 0; }\n"
              "__global__ void k(float *y, const float *x, int n) { " I " float a = get(x, i, n);\n"
              "if (threadIdx.x == 0) y[blockIdx.x] = a; }\n"
              "void run(float *y, float *x, int n) { k<<<n / 256 + 1, 256>>>(y, x, n); }",
          .lines = { "arg       x T[n] input", "!the kernel does not ask" } },
        { .what = "what stands behind the comparison that returns",
          .text = "__global__ void k(float *y, const float *x, int n) { " I
                  " if (i >= n || x[i] > 0) return; y[i] = 1; }\n"
                  "void run(float *y, float *x, int n) { k<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "arg       x T[n] input", "!the kernel does not ask" } },
        { .what = "an index whose parts stand in another order in the comparison",
          .text = "__global__ void k(float *y, int n, int t) {\n"
                  "if (threadIdx.x + blockIdx.x * blockDim.x >= n - t) return;\n"
                  "y[n * (blockDim.x * blockIdx.x + threadIdx.x + t) + t] = 1; }\n"
                  "void run(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n, 0); }",
          .lines = { "!the kernel does not ask" } },
        { .what = "a pointer into one of two buffers",
          .text =
              "__global__ void k(float *y, const float *a, const float *b, int n, int m) { " I
              " if (i >= n) return; const float *x = a; if (i < m) { x = a + i; } else { x = b + i * 2; }\n"
              "y[i] = *x; }",
          .lines = { "arg       a T[", "# ? how many elements has it?" } },
        { .what = "what a quotient is compared with",
          .text = "__global__ void k(float *y, int h, int w) { " I " int row = i / w; if (row >= h) return;\n"
                  "y[i] = row; }\n"
                  "void run(float *y, int h, int w) { k<<<(h * w + 63) / 64, 64>>>(y, h, w); }",
          .lines = { "arg       y T[h * w] output\n", "!the kernel does not ask" } },
        { .what = "a local of an argument's name is another one",
          .text = "__global__ void k(float *y, const float *x, int count) { " I
                  " if (i < count) { int count = 0; for (int a = 0; a < 8; a++) count++; y[i] = count; } }\n"
                  "void run(float *y, float *x, int n) { k<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "arg       y T[count] output", "grid      (count + (BLOCK - 1)) / BLOCK" } },
        { .what = "integers choose elements of a row",
          .text = "__global__ void k(float *y, const float *x, const int *c, int b, int n) { " I
                  " if (i >= b) return; for (int a = 0; a < b; a++) y[i] += x[a * n + c[i]]; }",
          .lines = { "arg       x T[b * n] input", "arg       c i32[b] input index n " } },
        { .what = "a seed is none",
          .text = "__global__ void k(long *y, long seed) { " I " y[i] = seed + i; }",
          .lines = { "shape     count", "arg       seed i64 = 1" } },
        { .what = "a function of a parameter's name is not called by it",
          .text =
              "__global__ void k(const float *x, int n, float *cost) { " I
              " if (i < n) atomicAdd(cost, x[i] / n); }\n"
              "float Loss::cost(float *x, float *y, int n) { k<<<(n + 63) / 64, 64>>>(x, n, y); return 0; }",
          .lines = { "arg       cost T[1] output zero", "param     BLOCK" } },
        { .what = "nor by a member of that name",
          .text = "struct pair { float a, b; };\n__global__ void k(float *y, const pair *x, int n) { " I
                  " if (i < n) y[i] = x[i].b; }\n"
                  "void b(float *y, pair *x, int n) { k<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "arg       y T[n] output", "param     BLOCK" } },
        { .what = "an array as large as a parameter",
          .text = "template <int MAX_UNROLL> __global__ void k(float *y, int n, int m) {\n"
                  "float a[MAX_UNROLL]; for (int j = 0; j < m; j++) a[j] = j;\n" I
                  " if (i < n) for (int j = 0; j < m; j++) y[i * m + j] = a[j]; }\n"
                  "void run(float *y, int n, int m) { k<64><<<(n + 63) / 64, 64>>>(y, n, m); }",
          .lines = { "require   m <= MAX_UNROLL  # an array of the kernel has no more" } },
    };
    EXPECT_ALL(EXAMPLES);
}
