/* test_adopt_buffers.c - drafts of buffers by what the host allocates, copies and passes. */
#include "adopt_lines.h"

TestSuite(adopt_buffers);

#define I "int i = blockIdx.x * blockDim.x + threadIdx.x;"

/* An index that nobody understands, under a comparison of its own. */
#define HASH                                                                                                 \
    "__device__ int hash(float a);\n"                                                                        \
    "__global__ void k(float *y, const float *x, int n) { " I " if (i < n) y[i] = x[hash(x[i])]; }\n"

Test(adopt_buffers, are_as_large_as_the_host_allocates_where_an_index_is_not_understood)
{
    static const example EXAMPLES[] = {
        { .what = "a variable of bytes, in a macro that checks",
          .text = HASH "int main(int argc, char **argv) { int count = atoi(argv[1]); float *a, *b;\n"
                       "size_t bytes = 4 * count * sizeof(float);\n"
                       "CHECK(cudaMalloc((void **)&a, count * sizeof(float)));\n"
                       "CHECK(cudaMalloc((void **)&b, bytes)); k<<<(count + 63) / 64, 64>>>(a, b, count); }",
          .lines = { "arg       y T[n] output\n",
                     "arg       x T[n * 4] input uniform -1 1  # as line 6 allocates it\n",
                     "shape     n " } },
        { .what = "in the function that calls the one that launches; a size that is made of others there",
          .text = HASH "void run(float *to, float *from, int count) {\n"
                       "k<<<(count + 63) / 64, 64>>>(to, (const float *)from, count); }\n"
                       "int main() { float *a, *b; int w = read(), h = read(); int size = w * h;\n"
                       "cudaMallocManaged(&b, w * h * 8 * sizeof(float)); run(a, b, size); }",
          .lines = { "arg       x T[n * 8] input uniform -1 1  # as line 6 allocates it\n" } },
        { .what = "by a function of the file, and as a vector",
          .text = HASH
          "template <typename T> T *alloc(int N) { T *t; cudaMalloc(&t, sizeof(T) * N); return t; }\n"
          "void run(int m) { thrust::device_vector<float> v(m * 2); float *b = alloc<float>(m * 3);\n"
          "k<<<(m + 63) / 64, 64>>>(thrust::raw_pointer_cast(v.data()), b, m); }",
          .lines = { "arg       x T[n * 3] input uniform -1 1  # as line 4 allocates it\n",
                     "arg       y T[n] output\n" } },
        { .what = "by numbers that the launch passes for its arguments; or not, where they may be",
          .text = "__device__ int hash(float a);\n"
                  "__global__ void k(float *y, const float *x, const float *z, int n, int w) { " I
                  " if (i < n) y[i] = x[hash(y[i]) + w] + z[hash(y[i])]; }\n"
                  "void run(float *y, int m) { const int width = 128; float *a, *b;\n"
                  "cudaMalloc(&a, m * width * sizeof(float)); cudaMalloc(&b, m * 128 * sizeof(float));\n"
                  "k<<<(m + 63) / 64, 64>>>(y, a, b, m, width); }",
          .lines = { "arg       x T[n * w] input uniform -1 1  # as line 4 allocates it",
                     "uniform -1 1  # ? how many elements has it?" } },
        { .what = "parts of one: each ends where the next one begins",
          .text = "__device__ int hash(float a);\n"
                  "__global__ void k(float *y, const float *x, const float *z, int n) { " I
                  " if (i < n) y[i] = x[hash(y[i])] + z[hash(y[i])]; }\n"
                  "void run(float *y, int n) { float *all; cudaMalloc(&all, 5 * n * sizeof(float));\n"
                  "k<<<(n + 63) / 64, 64>>>(y, all, all + 2 * n, n); }",
          .lines = { "arg       x T[n * 2] input", "arg       z T[n * 3] input" } },
        { .what = "by a number that is data, it is asked",
          .text = "__global__ void k(float *y, const int *rows, int w) {\n"
                  "for (int r = blockIdx.x; r < *rows; r += gridDim.x) y[r * w + threadIdx.x % w] = 1; }",
          .lines = { "] output zero  # ? how many elements has it?" } },
        { .what = "of a type that the file does not have, it is asked",
          .text = "__global__ void k(float *y, const State *s, int n) { " I " if (i < n) y[i] = get(s[i]); }",
          .lines = { "arg       s T[n] input uniform -1 1  # ? how many elements has it?" } },
        { .what = "of states of cuRAND's generators, which are no numbers",
          .text =
              "__global__ void k(curandState *s, curandStatePhilox4_32_10_t *p, float *y, int n) {" I
              " if (i < n) { curandState own = s[i]; y[i] = curand(&own) + curand(&p[i]); s[i] = own; } }",
          .lines = { "struct    curandState bytes 48 align 8 ",
                     "struct    curandStatePhilox4_32_10_t bytes 64 align 16 ",
                     "arg       s curandState[n] inout",
                     "arg       p curandStatePhilox4_32_10_t[n] inout" } },
        { .what = "where nobody says it, it is asked",
          .text = HASH "void run(float *y, float *x, int n) { k<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "arg       x T[n] input uniform -1 1  # ? how many elements has it?" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_buffers, are_asked_about_where_the_host_allocates_less)
{
    static const example EXAMPLES[] = {
        { .what = "less than the kernel may reach",
          .text = "__global__ void k(float *y, int n, int m) { " I " if (i < n) y[i * m] = 1; }\n"
                  "void run(int a, int b) { float *d; cudaMalloc(&d, a * sizeof(float));\n"
                  "k<<<(a + 63) / 64, 64>>>(d, a, b); }",
          .lines = { "arg       y T[n * m + 1 - m] output zero  # ? is it as large? line 2 allocates n\n" } },
        { .what = "more than it reaches is the host's affair",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void run(int a) { float *d; cudaMalloc(&d, (a + 9) * sizeof(float));\n"
                  "k<<<(a + 63) / 64, 64>>>(d, a); }",
          .lines = { "arg       y T[n] output\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define BLUR                                                                                                 \
    "__global__ void k(float *y, const float *x, int n) { " I " if (i >= n) return;\n"                       \
    "y[i] = x[i]; __syncthreads(); if (i > 0) y[i] = y[i] + y[i - 1]; }\n"

Test(adopt_buffers, hold_what_the_host_gives_them)
{
    static const example EXAMPLES[] = {
        { .what = "nothing: what the kernel reads it has written",
          .text = BLUR "void run(float *x, int n) { float *y; cudaMalloc(&y, n * sizeof(float));\n"
                       "k<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "arg       y T[n] output\n" } },
        { .what = "nothing in this case of several",
          .text = BLUR "void run(float *y, float *x, int n) { k<<<(n + 63) / 64, 64>>>(y, x, n); }\n"
                       "void other(float *y);\n"
                       "void any(int which, float *y, float *x, int n) { switch (which) {\n"
                       "case 1: other(y); break; case 2: run(y, x, n); break; } }\n"
                       "int main() { int n = 1 << 20; float *y, *x; cudaMalloc(&y, n * sizeof(float));\n"
                       "any(2, y, x, n); }",
          .lines = { "arg       y T[n] output\n" } },
        { .what = "numbers",
          .text = BLUR "void run(float *x, float *h, int n) { float *y; cudaMalloc(&y, n * sizeof(float));\n"
                       "cudaMemcpy(y, h, n * sizeof(float), cudaMemcpyHostToDevice);\n"
                       "k<<<(n + 63) / 64, 64>>>(y, x, n); }",
          .lines = { "arg       y T[n] inout uniform -1 1\n" } },
        { .what = "what the kernel leaves: it writes the inner part, or behind an offset",
          .text = "__global__ void k(float *y, float *z, const float *x, int n, int first) { " I
                  " if (i > 0 && i < n - 1) { y[i] = x[i - 1] + x[i + 1]; z[first + i] = x[i]; } }",
          .lines = { "arg       y T[n] output zero", "arg       z T[first + n - 1] output zero" } },
        { .what = "what a star, a function and an atomic that keeps the smaller one do",
          .text = "__device__ void put(float v, bool on, float *to) { if (on) *to = v; else *to = 0; }\n"
                  "__global__ void k(float *y, int *least, const int *count, float *x, int n) { " I
                  " int last = *(count + n - 1);\n"
                  "if (i < n) { put(1, true, &y[i]); *(x + i + last) = 1; atomicMin(least, i); } }",
          .lines = { "arg       y T[n] output\n", "arg       count i32[n] input", "least i32[1] inout" } },
        { .what = "rows with gaps",
          .text = "__global__ void k(float *y, int n, int pitch) { int x = threadIdx.x, r = blockIdx.x;\n"
                  " if (x < n) y[r * pitch + x] = 1; }\n"
                  "void run(float *y, int rows, int n, int p) { k<<<rows, 256>>>(y, n, p); }",
          .lines = { "arg       y T[rows * pitch + n - pitch] output zero\n" } },
        { .what = "zeros",
          .text = "__global__ void k(int *lock, float *y, int n) { " I
                  " while (atomicCAS(lock, 0, 1)); if (i < n) y[i] += 1; }\n"
                  "void run(int n) { float *y; int *l; cudaMalloc(&y, n * sizeof(float));\n"
                  "cudaMalloc(&l, 4); cudaMemset(l, 0, 4); cudaMemset(y, 0, n * sizeof(float));\n"
                  "k<<<(n + 63) / 64, 64>>>(l, y, n); }",
          .lines = { "arg       lock T[1] output zero\n", "arg       y f32[n] output zero\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_buffers, scalars_are_what_functions_around_the_launch_are_given)
{
    static const example EXAMPLES[] = {
        { .what = "numbers of the file, through two functions; a size stays one",
          .text = "__global__ void k(float *y, float by, int radius, int n) { " I
                  " if (i < n) y[i] *= by + radius; }\n"
                  "void run(float *y, float a, int r, int n) { k<<<(n + 63) / 64, 64>>>(y, a, r, n); }\n"
                  "void step(float *y, int r, int n) { const float rate = -.5f; run(y, rate, r, n); }\n"
                  "int main() { int n = 1 << 20; step(0, 3, n); }",
          .lines = { "arg       by f32 = -0.5\n", "arg       radius i32 = 3\n", "shape     n " } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_buffers, loops_that_try_blocks_or_give_each_launch_its_buffers_only_measure)
{
    static const example EXAMPLES[] = {
        { .what = "the counter is the block's size",
          .text = "__global__ void k(float *y, int n) { " I " y[i] = i; }\n"
                  "void run(float *y, int n) { for (int b = 64; b <= 1024; b *= 2) { dim3 grid(n / b);\n"
                  "dim3 block(b); k<<<grid, block>>>(y, n); } }",
          .lines = { "arg       y T[n] output\n", "grid      n / BLOCK ", "!repeat    ", "shape     n " } },
        { .what = "each iteration allocates, or does nothing that the draft has",
          .text = "__global__ void k(float *y, int n, int m) { " I " if (i < n) y[i] = m; }\n"
                  "void run(int n) { for (int h = 1; h < 9; h++) { float *y; cudaMalloc(&y, n * h * 4);\n"
                  "k<<<(n * h + 63) / 64, 64>>>(y, n * h, 3); cudaFree(y); } }",
          .lines = { "arg       y T[n] output\n", "!repeat    " } },
        { .what = "the counter chooses a record of the host's",
          .text = "struct Plan { float *d; int n; };\n"
                  "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = i; }\n"
                  "void run(Plan *plan, int gpus) { for (int g = 0; g < gpus; g++)\n"
                  "k<<<32, 256>>>(plan[g].d, plan[g].n); }",
          .lines = { "arg       y T[n] output\n", "!repeat    ", "shape     n " } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_buffers, end_where_bounds_and_changes_say)
{
    static const example EXAMPLES[] = {
        { .what = "an argument that a loop changes",
          .text = "__global__ void k(float *y, const float *x, int at, int n) { " I " if (i >= n) return;\n"
                  "for (int j = 0; j < n; j++) for (int m = 0; m < 6; m++) { y[i] += x[at]; ++at; } }",
          .lines = { "arg       x T[at + n * 6] input" } },
        { .what = "a change behind the use",
          .text = "__global__ void k(float *y, int n) { " I " int at = i * 8; if (i < n)\n"
                  "for (int j = 0; j < 8; j++) { y[at] = j; at += 1; } }",
          .lines = { "arg       y T[n * 8] output" } },
        { .what = "a bound by data is none where the grid is one",
          .text = "__global__ void k(float *y, const int *count) { if (blockIdx.x < *count) y[blockIdx.x] = "
                  "1; }\n"
                  "void run(float *y, int *c, int n) { k<<<min(4096, n), 64>>>(y, c); }",
          .lines = { "arg       y T[min(4096, n)] output" } },
        { .what = "a number below 0 times an index; the other side of a choice",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I " if (i >= n) return;\n"
                  "y[i] = x[-3 * i + m]; int j = i + 1; y[i] += (j >= m) ? 0 : x[j]; }",
          .lines = { "arg       x T[m + 1] input" } },
        { .what = "blocks of 128 threads, by the kernel's own index; one number each, under data",
          .text = "#define THREADS 128\n__global__ void k(float *y, int *over, const bool *on, int n) {\n"
                  "int b = blockIdx.x; int t = threadIdx.x; int i = b * THREADS + t;\n"
                  "if (i < n && on[i]) { y[i] = 1; *over = 1; } }\n"
                  "void run(float *y, int *o, bool *m, int n, int some) { if (n > 9) some = 2;\n"
                  "k<<<n, some>>>(y, o, m, n); }",
          .lines = { "block     THREADS\n", "arg       y T[n] output zero", "over i32[1] output zero" } },
        { .what = "a grid for a loop without a beginning",
          .text = "__global__ void k(float *y, int n) { " I
                  " for (; i < n; i += blockDim.x * gridDim.x) y[i] = 1; }",
          .lines = { "grid      ceil_div(n, BLOCK)", "shape     n ", "arg       y T[n] output" } },
        { .what = "a number of the launch's own for the block's",
          .text = "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { const int block = 256; k<<<(n + 255) / 256, block>>>(y, n); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK ", "block     BLOCK\n" } },
        { .what = "a dim3 whose members are set",
          .text =
              "__global__ void k(float *y, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) y[i] "
              "= 1; }\n"
              "void run(float *y, int n) { dim3 b, g; b.x = 128; g.x = (n + 127) / 128; k<<<g, b>>>(y, n); }",
          .lines = { "block     128\n", "grid      (n + 127) / 128 " } },
        { .what = "blocks for a number of elements, by ceil: as many as that is",
          .text = "#define N 4096\n__global__ void k(float *y) { " I " y[i] = 1; }\n"
                  "void run(float *y) { k<<<(int)ceil(N / (float)32), 32>>>(y); }",
          .lines = { "arg       y T[4096] output", "grid      ceil_div(4096, BLOCK) " } },
        { .what = "and no more than that is done",
          .text = "#define N 4096\n__global__ void k(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<(int)ceil(N / (float)32), 32>>>(y, n); }",
          .lines = { "arg       y T[n] output", "!require   n <= BLOCK" } },
        { .what =
              "where an element is given to a function that returns it: that is no pointer, which is lost",
          .text =
              "__device__ float same(float v) { return v; }\n"
              "__global__ void k(float *y, const float *x, const float *by, int n) { " I "\n"
              "if (i < n) y[i] = same(2 * *(x + i)) * same(*by); }\n"
              "void run(float *y, float *x, float *b, int n) { k<<<(n + 255) / 256, 256>>>(y, x, b, n); }",
          .lines = { "arg       x T[n] input uniform -1 1\n", "arg       by T[1] input uniform -1 1\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}
