/* test_adopt_accesses.c - drafts by how kernels come to the elements that they touch: lambdas, branches,
 * steps behind a comparison, quotients and their rests, structs that keep a pointer. */
#include "adopt_lines.h"

TestSuite(adopt_accesses);

#define I      "int i = blockIdx.x * blockDim.x + threadIdx.x;"
#define LAUNCH "<<<(n + 255) / 256, 256>>>"

Test(adopt_accesses, reach_as_far_as_what_is_passed_on)
{
    static const example EXAMPLES[] = {
        { .what = "by a lambda whose arguments its calls say",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I "\n"
                  "auto get = [&](int r, int c) { return x[r * n + c]; };\n"
                  "if (i < n) for (int j = 0; j < m; j++) y[i] += get(j, i); }",
          .lines = { "arg       x T[n * m] input uniform -1 1\n" } },
        { .what = "by a lambda whose argument has a name that stands for something else outside",
          .text = "__global__ void k(float *y, const float *x, int n) { " I "\n"
                  "auto get = [=](int i) mutable -> float { int at = i + 1; return x[at]; };\n"
                  "if (i < n) y[i] = get(2 * i) + get(i); }",
          .lines = { "arg       x T[n * 2] input uniform -1 1\n" } },
        { .what = "where a struct, an array or another function keeps the pointer: a question",
          .text = "struct V { float *p; int n; };\n"
                  "__device__ void put(V v, int i) { v.p[i * v.n] = 1; }\n"
                  "__device__ float *at(float *p, int i) { return p + 8 * i; }\n"
                  "__global__ void k(float *a, float *b, float *c, float *d, const float *e, int n) { " I "\n"
                  "V v = { a, 4 }, w; w.p = b; float *all[1]; all[0] = c; if (i >= n) return;\n"
                  "put(v, i); put(w, i); all[0][2 * i] = 1; float *q = at(d, i); *q = e[i];\n"
                  "a[0] += b[0] + c[0] + d[0]; }",
          .lines = { "arg       a T[n] inout uniform -1 1  # ? how many elements has it?",
                     "arg       b T[n] inout uniform -1 1  # (?)\n",
                     "arg       c T[n] inout uniform -1 1  # (?)\n",
                     "arg       d T[n] inout uniform -1 1  # (?)\n",
                     "arg       e T[n] input uniform -1 1\n" } },
        { .what = "but no number or vector that was read of it",
          .text =
              "__global__ void k(float *y, const float *x, const float *w, int n) { " I "\n"
              "if (i < n) { float4 v = reinterpret_cast<const float4 *>(x)[i]; float s; s = w ? w[i] : 1;\n"
              "y[i] = v.x; y[i] = s; } }",
          .lines = { "arg       y T[n] output\n", "arg       x T[n * 4] input uniform -1 1\n",
                     "arg       w T[n] input uniform -1 1\n" } },
        { .what = "by names of pointers that are const, restricted or both",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I " if (i >= n) return;\n"
                  "const float *__restrict__ const p = x + i * m; float *const q = y + i * m;\n"
                  "for (int j = 0; j < m; j++) q[j] = p[j]; }",
          .lines = { "arg       y T[n * m] output\n", "arg       x T[n * m] input uniform -1 1\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_accesses, reach_as_far_as_steps_and_comparisons_say)
{
    static const example EXAMPLES[] = {
        { .what = "of two branches a thread takes one: the larger step of a pointer",
          .text =
              "__global__ void k(float *y, const float *x, int n, bool wide) { " I " if (i >= n) return;\n"
              "if (wide) { x += i * 4; } else { x += i * 2; } y[i] = *x; }",
          .lines = { "arg       x T[n * 4] input" } },
        { .what = "and of a number, in a chain of branches without braces",
          .text = "__global__ void k(float *y, const float *x, int n, int c) { int at = 0; " I
                  " if (i >= n) return;\n"
                  "if (c == 1) at += i; else if (c == 2) at += 3 * i; else at += 2 * i; y[i] = x[at]; }",
          .lines = { "arg       x T[n * 3] input" } },
        { .what = "but two steps of one branch follow each other",
          .text =
              "__global__ void k(float *y, const float *x, int n, bool wide) { " I " if (i >= n) return;\n"
              "if (wide) { x += i; x += n; } y[i] = *x; }",
          .lines = { "arg       x T[n * 2] input" } },
        { .what = "a step behind the comparison leads beyond it",
          .text =
              "__global__ void k(int *y, int w, int x0, int y0, int d) {\n"
              "int x = threadIdx.x + blockIdx.x * blockDim.x, r = threadIdx.y + blockIdx.y * blockDim.y;\n"
              "if (x < d && r < d) { x += x0, r += y0; y[r * w + x] = 1; } }\n"
              "void run(int *y, int w, int x0, int y0, int d) {\n"
              "k<<<dim3(d / 16, d / 16), dim3(16, 16)>>>(y, w, x0, y0, d); }",
          .lines = { "arg       y T[w * d + w * y0 + d + x0 - w] output" } },
        { .what = "which that of a loop's header does not",
          .text = "__global__ void k(float *y, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
                  "float v = 1; y[i] = v; } }",
          .lines = { "arg       y T[n] output\n" } },
        { .what = "what is compared as a sum has that bound as a part of another one",
          .text =
              "__global__ void k(float *y, const float *x, int rows, int size) { int p = threadIdx.x;\n"
              "for (int i = 0; i < size; i += 64) { int at = p + i + size * blockIdx.x;\n"
              "y[blockIdx.x] += p + i < size ? x[at] : 0; } }\n"
              "void run(float *y, const float *x, int rows, int size) { k<<<rows, 64>>>(y, x, rows, size); }",
          .lines = { "arg       x T[rows * size] input" } },
        { .what = "a quotient and its rest are the whole again, whatever divides it",
          .text =
              "__global__ void k(float *y, const float *x, int n, int s, int d) { " I " if (i >= n) return;\n"
              "int q = i / s, r = i % s; y[q * s + r] = x[s * q * d + r * d]; }\n"
              "void run(float *y, const float *x, int n, int s, int d) { k" LAUNCH "(y, x, n, s, d); }",
          .lines = { "arg       y T[n] output", "arg       x T[n * d + 1 - d] input", "!require   n % s" } },
        { .what = "as often as a loop takes the rest anew",
          .text = "__global__ void k(float *y, const float *x, int n, int h, int w) { " I
                  " for (int p = i; p < n * h * w; p += gridDim.x * blockDim.x) { int at = p;\n"
                  "int b = at / (h * w); at %= h * w; int r = at / w; at %= w;\n"
                  "y[b * h * w + r * w + at] = x[b]; } }",
          .lines = { "arg       y T[n * h * w] output\n", "arg       x T[n] input" } },
        { .what = "elements from one that data says on, up to another one",
          .text = "__global__ void k(float *y, const float *x, const int *first, int rows, int n) {\n"
                  "int begin = first[blockIdx.x], end = first[blockIdx.x + 1]; if (end > n) end = n;\n"
                  "int left = n - begin; for (int f = threadIdx.x; f < left; f += blockDim.x)\n"
                  "y[begin + f] = x[f + begin]; }\n"
                  "void run(float *y, const float *x, const int *first, int rows, int n) {\n"
                  "k<<<rows, 64>>>(y, x, first, rows, n); }",
          .lines = { "arg       y T[n] output", "arg       x T[n] input" } },
        { .what = "a sum of a name and a number that is compared bounds that name",
          .text = "__global__ void k(float *y, const float *x, int n, int offset) { " I
                  " int at = i + offset; if (at < n) y[i] = x[at]; }\n"
                  "void run(float *y, const float *x, int n, int offset) { k" LAUNCH "(y, x, n, offset); }",
          .lines = { "arg       y T[n] output", "!require   n % BLOCK" } },
        { .what = "also of a local name that may be below 0",
          .text = "__global__ void k(float *y, const float *x, int n, int offset) { " I
                  " int d = offset - 1; int at = i + d; if (at < n) y[i] = x[at]; }\n"
                  "void run(float *y, const float *x, int n, int offset) { k" LAUNCH "(y, x, n, offset); }",
          .lines = { "arg       y T[n + 1] output" } },
        { .what = "but not with other factors",
          .text =
              "__global__ void k(float *y, const float *x, int n, int s, int d) { " I " if (i >= n) return;\n"
              "int q = i / s, r = i % s; y[i] = x[q * s * d + r]; }\n"
              "void run(float *y, const float *x, int n, int s, int d) { k" LAUNCH "(y, x, n, s, d); }",
          .lines = { "require   n % s" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_accesses, begin_with_zeros_where_what_a_function_fills_decides)
{
    static const example EXAMPLES[] = {
        { .what = "an array that it is given",
          .text = "__device__ void digest(int i, unsigned *out) { out[0] = i * 7; }\n"
                  "__global__ void k(int *found, unsigned want, int n) { " I " unsigned d[4]; digest(i, d);\n"
                  "if (i < n && d[0] == want) *found = i; }",
          .lines = { "arg       found T[1] output zero\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_accesses, have_the_blocks_that_another_file_chooses_by_their_comparisons)
{
    static const example EXAMPLES[] = {
        { .what = "a grid and a block that the function around the launch is given",
          .text =
              "__global__ void k(float *y, const float *x, int cols, int rows) { " I "\n"
              "int j = blockIdx.y * blockDim.y + threadIdx.y; if (i < cols && j < rows) y[j * cols + i] = "
              "x[j * cols + i]; }\n"
              "void run(dim3 g, const dim3 &b, float *y, const float *x, int cols, int rows) {\n"
              "k<<<g, b>>>(y, x, cols, rows); }",
          .lines = { "grid      ceil_div(cols, BLOCK_X), ceil_div(rows, BLOCK_Y)  # ?",
                     "block     BLOCK_X, BLOCK_Y\n", "!require   rows <=" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_accesses, say_what_goes_with_the_author_s_numbers)
{
    static const example EXAMPLES[] = {
        { .what = "a rest that is one less than a named divisor is so for another one, too",
          .text = "__global__ void k(float *y, int n, int m) { " I " int j = blockIdx.y * blockDim.y + "
                  "threadIdx.y; if (i < n && j < m) y[j * n + i] = 1; }\n"
                  "void run(float *y, int n, int m) { const int bx = 32, by = 4;\n"
                  "k<<<dim3((n + 31) / bx, (m + 3) / by), dim3(bx, by)>>>(y, n, m); }",
          .lines = { "grid      (n + (BLOCK_X - 1)) / BLOCK_X, (m + (BLOCK_Y - 1)) / BLOCK_Y",
                     "! % BLOCK_Y" } },
        { .what = "a number of a constant is not the block that has the same one",
          .text = "const int BYTES = (1 << 20) * 128;\n"
                  "template <int BLOCK> __global__ void k(const int *x, int *y) {\n"
                  "int v = x[blockIdx.x * BLOCK + threadIdx.x]; if (v) *y = v; }\n"
                  "void run(int *x, int *y) { int n = BYTES / sizeof(int); k<128><<<n / 128, 128>>>(x, y); }",
          .lines = { "grid      (((1 << 20) * 128) / 4) / BLOCK" } },
        { .what = "a specialization that ends a recursion is no instance",
          .text = "template <int N> __global__ void k(float *y, int n) { " I " if (i < n * N) y[i] = 1; }\n"
                  "template <int N> void run(float *y, int n, int w) { if (w < N) run<N / 2>(y, n, w);\n"
                  "else k<N>" LAUNCH "(y, n); }\n"
                  "template <> void run<0>(float *y, int n, int w) { }\n"
                  "void all(float *y, int n) { run<32>(y, n, 8); }",
          .lines = { "kernel    k<32>" } },
        { .what = "what a block does together is for as many threads as its author has",
          .text = "__global__ void k(float *y, const float *x, int n) { " I "\n"
                  "typedef cub::BlockReduce<float, 256> Sum; __shared__ Sum::TempStorage s;\n"
                  "float v = Sum(s).Sum(i < n ? x[i] : 0); if (threadIdx.x == 0) atomicAdd(y, v); }\n"
                  "void run(float *y, const float *x, int n) { k" LAUNCH "(y, x, n); }",
          .lines = { "block     256\n", "!param     BLOCK" } },
        { .what = "in two directions, too",
          .text = "__global__ void k(float *y, const float *x, int n) { " I "\n"
                  "typedef cub::BlockReduce<float, 32, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 8> Sum;\n"
                  "__shared__ Sum::TempStorage s; int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                  "float v = Sum(s).Sum(i < n && j < n ? x[j * n + i] : 0);\n"
                  "if (threadIdx.x == 0) atomicAdd(y, v); }\n"
                  "void run(float *y, const float *x, int n) {\n"
                  "k<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(y, x, n); }",
          .lines = { "block     32, 8\n", "!param     BLOCK" } },
        { .what = "an element of an array by number, which a smaller one has not",
          .text = "#define SEGM 4\n__global__ void k(int *y, const int *x) { int v[SEGM];\n"
                  "for (int j = 0; j < SEGM; j++) v[j] = x[threadIdx.x * SEGM + j];\n"
                  "for (int j = 0; j < SEGM; j++) y[threadIdx.x * SEGM + j] = v[j] + v[3]; }\n"
                  "void run(int *y, int *x) { k<<<1, 16 / SEGM>>>(y, x); }",
          .lines = { "require   3 < SEGM" } },
        { .what = "an element that all values of a parameter have",
          .text =
              "#define TILE 64\n__global__ void k(int *y, const int *x, int n) { __shared__ int v[TILE];\n"
              "v[threadIdx.x] = x[blockIdx.x * TILE + threadIdx.x]; __syncthreads();\n"
              "y[blockIdx.x * TILE + threadIdx.x] = v[3]; }\n"
              "void run(int *y, int *x, int n) { k<<<n / TILE, TILE>>>(y, x, n); }",
          .lines = { "param     TILE = ", "!require   3 <" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_accesses, limit_the_block_by_arrays_of_the_kernel)
{
    static const example EXAMPLES[] = {
        { .what = "a rest of a parameter is no number of elements",
          .text = "template <int PACK> __global__ void k(float *y, const int *count) {\n"
                  "int n = *count % PACK; for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n;\n"
                  "i += blockDim.x * gridDim.x) y[i] = 0; }",
          .lines = { "!ceil_div(PACK - 1" } },
        { .what = "an array that is a multiple of the block, as it is written",
          .text = "__global__ void k(float *y, const float *x, int n) { __shared__ float s[4 * 128];\n"
                  "const int me = threadIdx.x, all = blockDim.x; " I "\n"
                  "for (int j = 0; j < 4; j++) s[me + j * all] = i < n ? x[i] : 0;\n"
                  "if (i < n) y[i] = s[me + 3 * all]; }\n"
                  "void run(float *y, const float *x, int n) { k<<<(n + 127) / 128, 128>>>(y, x, n); }",
          .lines = { "param     BLOCK = 32 64 128  #" } },
        { .what = "a number whose logarithm is another argument of the template",
          .text = "template <int TILE, int LOG_TILE> __global__ void k(float *y, int n) { " I
                  " __shared__ float s[TILE]; s[threadIdx.x >> LOG_TILE] = 1; if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, int n) { k<16, 4>" LAUNCH "(y, n); }",
          .lines = { "kernel    k<16, 4>\n", "!param     TILE" } },
        { .what = "a dim3 that is cut where it is too large",
          .text = "__global__ void k(float *y, int n) { for (int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
                  "i < n; i += blockDim.x * gridDim.x) y[i] = 0; }\n"
                  "void run(float *y, int n) { dim3 grid((n + 255) / 256); if (grid.x > 65535)\n"
                  "grid.x = 65535; k<<<grid, 256>>>(y, n); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK", "!65535" } },
        { .what = "a thread's number in three sizes, of which none has to divide another",
          .text = "__global__ void k(float *y, const float *x, int n, int w, int h, int c) { " I "\n"
                  "if (i >= n) return; int j = i % w, r = i / w % h, b = i / w / h / c, q = i / w / h % c;\n"
                  "y[i] = x[j + w * (r + h * (q + c * b))]; }\n"
                  "void run(float *y, const float *x, int b, int w, int h, int c) {\n"
                  "const int n = b * w * h * c; k" LAUNCH "(y, x, n, w, h, c); }",
          .lines = { "!require" } },
        { .what = "as many threads as arrays of the kernel have room for",
          .text = "__global__ void k(float *y, const float *x, int n) { __shared__ float s[512], w[4][32];\n"
                  "const int me = threadIdx.x, all = blockDim.x; " I "\n"
                  "for (int j = 0; j < 4; j++) s[me + j * all] = i < n ? x[i] : 0;\n"
                  "w[me / 32][me % 32] = 1; __syncthreads(); if (i < n) y[i] = s[me] + w[0][me % 32]; }\n"
                  "void run(float *y, const float *x, int n) { k<<<(n + 127) / 128, 128>>>(y, x, n); }",
          .lines = { "require   BLOCK * 4 <= 512  #", "require   ceil_div(BLOCK, 32) <= 4  #" } },
        { .what = "no line for an array that is as large as the block",
          .text = "const int TILE = 128; __global__ void k(float *y, const float *x, int n) {\n"
                  "__shared__ float s[TILE]; " I "\n"
                  "s[threadIdx.x] = i < n ? x[i] : 0; __syncthreads(); if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, const float *x, int n) { k<<<(n + 127) / TILE, TILE>>>(y, x, n); }",
          .lines = { "!an array of the kernel has no more" } },
        { .what = "dynamic shared memory that the launch leaves out",
          .text = "__global__ void k(float *y, const float *x, int n) { extern __shared__ float s[]; " I "\n"
                  "s[threadIdx.x] = i < n ? x[i] : 0; __syncthreads(); if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, const float *x, int n) { k" LAUNCH "(y, x, n); }",
          .lines = { "shared    BLOCK * 4  # ?" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_accesses, ask_for_what_nothing_here_says)
{
    static const example EXAMPLES[] = {
        { .what = "but not for dynamic shared memory of another kernel's array of the same name",
          .text =
              "__global__ void other(int *y) { extern __shared__ int tile[]; y[0] = tile[0]; }\n"
              "__global__ void k(int *y) { __shared__ int tile[32]; tile[threadIdx.x] = 1; __syncthreads();\n"
              "y[threadIdx.x] = tile[31 - threadIdx.x]; }\n"
              "void run(int *y) { k<<<1, 32>>>(y); }",
          .kernel = "k",
          .lines = { "!shared " } },
        { .what = "an integer of the project's own, which others have with 4 or 8 bytes",
          .text = "__global__ void k(float *y, const idx_t *x, const int64 *z, int n) { " I
                  " if (i < n) y[i] = x[i] + z[i]; }",
          .lines = { "arg       x i32[n] input index 100  # ? nothing here defines 'idx_t': is it i32?",
                     "!'int64'" } },
        { .what = "what a kernel that only prints has as a result",
          .text = "__global__ void k(float *x, int n) { " I " if (i < n && x[i] != 1) printf(\"%d\", i); }",
          .lines = { "# ? the kernel is not seen to write anything: is this a result of it?" } },
        { .what = "which of two buffers a pointer goes to, whatever it is cast to",
          .text =
              "__global__ void k(float *y, const float *a, const float *b, int n, int swap) { " I "\n"
              "const float2 *p = swap ? (const float2 *)a : (const float2 *)b; if (i < n) y[i] = p[i].x; }",
          .lines = { "arg       a T[n * 2] input uniform -1 1  # ?", "arg       b T[" } },
        { .what = "what each variable of a list in __constant__ memory holds",
          .text = "__constant__ float c_a, c_b[3], c_none;\n__global__ void k(float *y, int n) { " I
                  " if (i < n) y[i] = c_a + c_b[2]; }",
          .lines = { "arg       c_a f32[1] input uniform -1 1 into c_a  # ?",
                     "arg       c_b f32[3] input uniform -1 1 into c_b\n", "!c_none" } },
        { .what = "an index that is not understood in one branch alone",
          .text = "__global__ void k(float *y, const float *x, const int *c, int n) { " I "\n"
                  "if (i >= n) return; int j; if (x[i] > 0) { j = __float_as_int(x[i]); }\n"
                  "else { j = c[i]; } y[j] = 1; }",
          .lines = { "arg       y T[n] output zero  # ?" } },
        { .what = "a pointer that may be null, with an offset",
          .text =
              "__device__ void put(float *p) { *p = 1; }\n"
              "__global__ void k(float *y, int n) { " I " if (i < n) put(y == nullptr ? nullptr : y + i); }",
          .lines = { "arg       y T[n] output" } },
        { .what = "a condition in a variable, whose names an inner block has, too",
          .text = "__global__ void k(float *y, const float *x, int n) { " I " int v, ok = (i < n);\n"
                  "if (ok) { float f = x[i]; int i = (int)f; v = i; } __syncthreads(); if (ok) y[i] = v; }",
          .lines = { "arg       y T[n] output", "!require" } },
        { .what = "what no line fills in __constant__ memory",
          .text = "template <typename U> __constant__ U weights[9];\n"
                  "__global__ void k(float *y, int n) { " I " if (i < n) y[i] = weights<float>[0]; }",
          .lines = { "kernel    k  # ? weights is in __constant__ memory, and nothing here sets it" } },
        { .what = "a functor of the template that reads one",
          .text =
              "struct fetch { __device__ float operator()(int i) const { return tex1Dfetch(all, i); } };\n"
              "template <typename F> __global__ void k(float *y, int n) { " I
              " F f; if (i < n) y[i] = f(i); }\n"
              "void run(float *y, int n) { k<fetch>" LAUNCH "(y, n); }",
          .lines = { "kernel    k<fetch>  # ? fetch reads a texture, which nothing here sets" } },
    };
    EXPECT_ALL(EXAMPLES);
}
