/* test_adopt_draws.c - drafts of what kernels drawn at random from others' files had, and drafts had wrong.
 */
#include "adopt_lines.h"

TestSuite(adopt_draws);

#define I "int i = blockIdx.x * blockDim.x + threadIdx.x;"

Test(adopt_draws, zero_what_is_written_in_part)
{
    static const example EXAMPLES[] = {
        { .what = "in one branch of what data decides, and in the other one",
          .text =
              "__global__ void k(int *a, int *b, int *c, const int *on, int n) { " I " if (i >= n) return;\n"
              "int count = 0; for (int j = 0; j < n; j++) if (on[j]) count++;\n"
              "if (count == 0) { a[i] = 1; c[i] = 1; } else { b[i] = 1; c[i] = 2; } }",
          .lines = { "arg       a T[n] output zero\n", "arg       b T[n] output zero\n",
                     "arg       c T[n] output\n" } },
        { .what = "where local arrays of data say so",
          .text = "__global__ void k(char *bad, const float *x, int n) { float a[8], b[8];\n"
                  "for (int j = 0; j < 8; j++) { a[j] = x[j * 64]; b[j] = x[n + j * 64]; }\n"
                  "for (int j = 0; j < 8; j++) if (a[j] != b[j]) *bad = 1; }",
          .lines = { "arg       bad T[1] output zero\n" } },
        { .what = "as often as numbers in shared memory say",
          .text = "__global__ void k(int *y, int *total, const int *x, int n) { extern __shared__ int s[];\n"
                  "s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
                  "for (int i = s[threadIdx.x]; i < s[threadIdx.x + 1]; i++) y[i] = 1; total[0] = s[n]; }",
          .lines = { "] output zero", "arg       total T[1] output\n" } },
        { .what = "behind a border, by names that are made of threadIdx",
          .text =
              "__global__ void k(int *y, const int *x, int w, int h) { const int half = 9 / 2;\n"
              "const int x0 = blockIdx.x * blockDim.x; const int col = x0 + threadIdx.x, row = blockIdx.y;\n"
              "if (half <= col && col < w - half && row < h) y[row * w + col] = x[row * w + col]; }",
          .lines = { "arg       y T[w * h] output zero\n" } },
        { .what = "states that an earlier kernel made are read",
          .text = "__global__ void init(curandState *s, int n) { " I
                  " if (i < n) curand_init(1, i, 0, &s[i]); }\n"
                  "__global__ void k(curandState *s, float *y, int n) { " I
                  " if (i < n) y[i] = curand_uniform(&s[i]); }\n"
                  "void run(float *y, int n) { curandState *s; cudaMalloc(&s, n * sizeof(curandState));\n"
                  "init<<<(n + 255) / 256, 256>>>(s, n); k<<<(n + 255) / 256, 256>>>(s, y, n); }",
          .kernel = "k",
          .lines = { "arg       s curandState[n] inout" } },
        { .what = "bytes of a state that nothing writes are the same in every buffer",
          .text =
              "__global__ void k(curandState *s, int n) { " I " if (i < n) curand_init(1, i, 0, &s[i]); }\n"
              "void run(int n) { curandState *s; cudaMalloc(&s, n * sizeof(curandState));\n"
              "k<<<(n + 255) / 256, 256>>>(s, n); }",
          .lines = { "arg       s curandState[n] output zero" } },
        { .what = "an index that may be null is no pointer",
          .text =
              "__global__ void k(unsigned n, unsigned *g, unsigned *v) { " I
              " if (i < n) { unsigned m = (v != NULL) ? v[i] : i; unsigned *h = &g[8 * m]; h[0] += 1; } }",
          .lines = { "arg       v T[n] input " } },
        { .what = "zeros are written where others were",
          .text = "__global__ void k(float *y, const int *x, int n) { " I
                  " if (i < n) if (x[i] == 1) y[i] = 0.f; }",
          .lines = { "arg       y T[n] inout uniform -1 1\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, know_by_indices_and_values_what_is_written)
{
    static const example EXAMPLES[] = {
        { .what = "from an element on that names of threadIdx say",
          .text =
              "__global__ void k(char *y, const char *x, int rows, int cols) { const int dx = threadIdx.x + "
              "1;\n"
              "const int c = blockIdx.x * blockDim.x + dx, r = blockIdx.y + 1; const int at = r * cols + c;\n"
              "y[at] = x[at - 1]; }\n"
              "void run(char *y, char *x, int rows, int cols) {\n"
              "k<<<dim3((cols - 2) / 64, rows - 2), 64>>>(y, x, rows, cols); }",
          .lines = { "] output zero\n" } },
        { .what = "in a column that sums in brackets say",
          .text = "__global__ void k(float *y, const float *x, int2 size) { " I
                  " if (i >= size.y) return; int at = (i + 1) * (size.x + 2); y[at] = x[i]; }",
          .lines = { "] output zero " } },
        { .what = "where one was found, which is noted from -1 on",
          .text =
              "__global__ void k(int *y, const float *x, int n, int m) { " I
              " if (i >= n) return; int best = -1;\n"
              "for (int j = 0; j < m; j++) if (x[i * m + j] > 0) best = j; if (best != -1) y[i] = best; }",
          .lines = { "arg       y T[n] output zero" } },
        { .what = "but not by names that change, or that begin at the first one",
          .text = "__global__ void k(float *y, int n) { int at = threadIdx.x + 1; at = at - 1;\n"
                  "const int i = blockIdx.x * blockDim.x + at; y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<n / 64, 64>>>(y, n); }",
          .lines = { "] output\n" } },
        { .what = "where an element of a tensor says so",
          .text = "__global__ void k(const torch::PackedTensorAccessor32<int, 1> on, bool *y) { " I
                  " if (i >= on.size(0)) return; if (on[i] > 0) y[i] = true; }",
          .lines = { "arg       y T[extent] output zero" } },
        { .what = "an element that a function takes to write to, or a statement that is nothing else",
          .text = "__device__ void put(float &to, float from) { to = from; }\n"
                  "__global__ void k(float *a, float *b, float *c, const float *x, int n) { " I
                  " if (i >= n) return; put(*(a + i), x[i]); from_float(b[i], x[i]); x = get(c[i]); }",
          .lines = { "arg       a T[n] inout", "arg       b T[n] inout", "arg       c T[n] input" } },
        { .what = "truth values are 0 and 1",
          .text =
              "__global__ void k(float *y, const bool *on, int n) { " I " if (i < n && on[i]) y[i] = 1; }",
          .lines = { "arg       on u8[n] input index 2" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, have_sizes_of_what_the_launch_reaches)
{
    static const example EXAMPLES[] = {
        { .what = "of a vector that the launch gives for a type",
          .text = "template <class V> __global__ void k(V *y, int n) { " I " if (i < n) y[i].x = 0; }\n"
                  "void run(void *p, int n) { k<double2><<<(n + 63) / 64, 64>>>((double2 *)p, n); }",
          .lines = { "type      T = f64\n", "arg       y T[n * 2] ", "kernel    k<double2>\n" } },
        { .what = "of a truth value of its template",
          .text = "template <bool WIDE> __global__ void k(float *y, int n) {\n"
                  "int b = (int)WIDE * blockIdx.z * gridDim.x + blockIdx.x; if (b < n) y[b * 64 + "
                  "threadIdx.x] = 1; }\n"
                  "void run(float *y, int n) { k<true><<<dim3(n, 1, 1), 64>>>(y, n); }",
          .lines = { "arg       y T[n * 64] output" } },
        { .what = "of four numbers of a struct at a time",
          .text = "struct two { half r, i; };\n"
                  "__global__ void k(two *y, const two *x, int n) { " I
                  " float4 v = reinterpret_cast<const float4 *>(x)[i]; if (i < n) y[i] = f(v); }\n"
                  "void run(two *y, two *x, int n) { k<<<n / 64, 64>>>(y, x, n); }",
          .lines = { "arg       x two[n * 4] input" } },
        { .what = "of half of a number of tiles, rounded",
          .text = "#define B 256\nconst int N = 33554432;\n"
                  "__global__ void k(float *x, float *y) { __shared__ float s[B];\n"
                  "int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;\n"
                  "s[threadIdx.x] = x[i] + x[i + blockDim.x]; if (threadIdx.x == 0) y[blockIdx.x] = s[0]; }\n"
                  "void run(float *x, float *y) { int m = (N + B - 1) / B / 2; k<<<m, B>>>(x, y); }",
          .lines = { "arg       x T[33554432] input", "arg       y T[65536] output" } },
        { .what = "under a name for the number of elements",
          .text = "__global__ void k(float *y, int b, int w, int h) { int all = b * w * h; " I
                  " if (i >= all) return; y[i] = 1; }",
          .lines = { "arg       y T[b * w * h] output", "grid      ceil_div(b * w * h, BLOCK)" } },
        { .what = "by an index that is divided as it is used up",
          .text = "__global__ void k(float *y, const float *r, int b, int w, int h) { " I
                  " if (i >= b * w * h) return;\n"
                  "int x = i % w; i /= w; int z = i % h; i /= h; y[(i * h + z) * w + x] = r[i]; }",
          .lines = { "arg       y T[b * w * h] ", "arg       r T[b] input" } },
        { .what = "by names that are declared first and given later; a remainder by hand",
          .text = "__global__ void k(float *y, float *z, int w, int h) { register int at, i, j;\n"
                  "at = blockIdx.x * blockDim.x + threadIdx.x; if (at >= w * h) return;\n"
                  "i = at / w; j = at - (at / w) * w; y[i] = 1; z[j] = 1; }",
          .lines = { "arg       y T[h] output", "arg       z T[w] output" } },
        { .what = "of a pointer that is moved by its own element",
          .text = "__global__ void k(float *y, float *a, int m, int n) { a = &a[blockIdx.x * 128 * n];\n"
                  "for (int t = threadIdx.x; t < n; t += blockDim.x) y[t] = a[127 * n + t]; }\n"
                  "void run(float *y, float *a, int m, int n) { k<<<m / 128, 64>>>(y, a, m, n); }",
          .lines = { "arg       a T[m * n] input" } },
        { .what = "by what is left of an index that sizes of its own divide",
          .text =
              "__global__ void k(float *y, const float *r, int n, int w, int c) { " I " if (i >= n) return;\n"
              "int at = i; i /= w; int k = i % c; i /= c; int b = i; y[at] = r[8 * b + 7] + k; }",
          .lines = { "arg       r T[ceil_div(ceil_div(n, w), c) * 8] input" } },
        { .what = "of a pointer that a loop makes of one that it steps at its end",
          .text = "__global__ void k(float *y, const float *x, int n) { const float *p = x + threadIdx.x;\n"
                  "float sum = 0; for (int i = threadIdx.x; i < n; i += 64) {\n"
                  "const float *q = p + 64; sum += *q; p += 64; } y[threadIdx.x] = sum; }\n"
                  "void run(float *y, float *x, int n) { k<<<1, 64>>>(y, x, n); }",
          .lines = { "arg       x T[64 + n] input" } },
        { .what = "of which one index is not understood: no less than the others",
          .text = "__device__ int hash(float a);\n"
                  "__global__ void k(float *y, const float *x, int n) { " I
                  " if (i < n) y[i] = x[hash(y[i])] + x[3 * i + 2]; }",
          .lines = { "arg       x T[n * 3] input uniform -1 1  # ? how many elements has it?" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, are_bounded_by_what_comparisons_say)
{
    static const example EXAMPLES[] = {
        { .what = "as the author's numbers have it: what others read is outside",
          .text = "#ifndef SKIP\n#define SKIP 0\n#endif\n"
                  "__global__ void k(float *y, const float *x, const float *b, int n) { " I
                  " if (i >= n) return;\n"
                  "y[i] = SKIP ? x[n + i % 64 + 32] : x[i]; if (SKIP && i < 9) y[i] += b[i]; }",
          .lines = { "param     SKIP = 0 1", "arg       x T[n] input", "arg       b T[9] input" } },
        { .what = "with what a number of the author's leaves open, or says nothing of",
          .text =
              "#define OFF 0\n#define ON 1\nint flag = 0;\n"
              "__global__ void k(float *y, const float *a, const float *b, const float *c, const float *e,\n"
              "const float *f, int flag, int n) { " I " if (i >= n) return;\n"
              "y[i] = a[i] + b[i] + c[i] + e[i] + f[i];\n"
              "if (OFF && i < 9 || y[i] > 0) y[i] += a[2 * i]; if (flag) y[i] += b[2 * i];\n"
              "y[ON ? i : 0] += c[2 * i]; y[i] += fmaxf(ON ? 1 : 2, e[2 * i]);\n"
              "y[i] += ON ? y[i] > 3 ? 1 : f[2 * i] : 0; }",
          .lines = { "arg       a T[n * 2] ", "arg       b T[n * 2] ", "arg       c T[n * 2] ",
                     "arg       e T[n * 2] ", "arg       f T[n * 2] " } },
        { .what = "by sizes that tensors say",
          .text = "__global__ void k(torch::PackedTensorAccessor32<float, 2> y, float *z) {\n"
                  "const int n = y.size(0) * y.size(1);" I
                  " if (i < n) z[i] = y[i / y.size(1)][i % y.size(1)]; }",
          .lines = { "arg       z T[extent * extent] output",
                     "grid      ceil_div(extent * extent, BLOCK)" } },
        { .what = "a static function of a template is no comparison",
          .text = "__global__ void k(float *y, const int *x, int n) { " I
                  " if (i < n) y[i] = x[Offset<int, 2>::get(i, n)]; }",
          .lines = { "arg       x i32[n] input index 100  # ? how many elements has it?" } },
        { .what = "a number that indices begin at is none of them",
          .text = "__global__ void k(int *y, const int *at, int n, int startNonce) { " I
                  " if (i < n) y[at[i] - startNonce] = 1; }",
          .lines = { "shape     n  #", "arg       startNonce i32 = 0  #" } },
        { .what = "comparisons that are counted bound nothing",
          .text = "__global__ void k(float *y, int low, int n) { " I
                  " if (i >= n) return; int sign = (i >= low) - (i < low); y[i] = sign; }",
          .lines = { "arg       y T[n] output", "arg       low i32 = 1" } },
        { .what = "a count that leaves its loop where it is equal is below that",
          .text = "__global__ void k(int *y, const float *x, int n, int m, int most) {\n"
                  "for (int j = threadIdx.x; j < m; j += blockDim.x) { int count = 0;\n"
                  "for (int k = 0; k < n; k++) { if (count == most) break;\n"
                  "if (x[k] < 1.f) { y[j * most + count] = k; count += 1; } } } }",
          .lines = { "arg       y T[m * most] output" } },
        { .what = "not one that goes down",
          .text = "__global__ void k(int *y, int n, int last) { int at = n;\n"
                  "for (int j = 0; j < n; j++) { if (at == last) break; at--; y[at] = j; } }",
          .lines = { "arg       last i32 = 1" } },
        { .what = "divided by a number of tiles, rounded up by a header's function",
          .text =
              "__global__ void k(float *y, int n, int c) { int ch = blockIdx.y / DIVUP(n, 4);\n"
              "int p = 4 * (blockIdx.y % DIVUP(n, 4)) + threadIdx.y; if (p < n) y[ch * n + p] = 1; }\n"
              "void run(float *y, int n, int c) { k<<<dim3(1, c * DIVUP(n, 4)), dim3(1, 4)>>>(y, n, c); }",
          .lines = { "arg       y T[n * c] output" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, guard_a_pointer_by_what_guards_all_its_uses)
{
    static const example EXAMPLES[] = {
        { .what = "one that is declared, or stepped, before the comparison",
          .text = "__global__ void k(float *x, float *y, int n, int h) { " I
                  " int j = blockIdx.y * blockDim.y + threadIdx.y;\n"
                  "const float *q = x + j * n + i; y += j * n + i; if (i < n && j < h) y[0] = *q; }",
          .lines = { "arg       x T[n * h] input", "arg       y T[n * h] output\n", "!where a block ends" } },
        { .what = "one that is stepped by one of two ways",
          .text = "__global__ void k(float *x, float *y, int n, bool up) { " I
                  " if (up) { x += i; } else { x += i; y += n; } if (i < n) x[0] = y[i]; }",
          .lines = { "!where a block ends" } },
        { .what = "but not where one use is elsewhere",
          .text = "__global__ void k(float *x, float *y, int n) { " I
                  " const float *q = x + i; float z = *q; if (i < n) y[i] = z + *q; }",
          .lines = { "require   n % BLOCK == 0" } },
        { .what = "nor where another pointer is made of it elsewhere",
          .text = "__global__ void k(float *x, float *y, int n) { " I
                  " const float *q = x + i, *r = q; if (i < n) y[i] = *q; y[0] = *r; }",
          .lines = { "require   n % BLOCK == 0" } },
        { .what = "nor where what is compared has changed",
          .text = "__global__ void k(float *x, float *y, int n, int m) { " I
                  " if (i < m) y[i] = 1; const float *q = x + i; i -= 5; if (i < m) y[i] = *q; }",
          .lines = { "require   m % BLOCK == 0" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, ask_for_types_of_elements_that_nothing_defines)
{
    static const example EXAMPLES[] = {
        { .what = "a type of a header that was not found, but not void",
          .text = "__global__ void k(float *y, const label_t *x, const void *z, int n) { " I
                  " if (i < n) y[i] = x[i] + ((const float *)z)[i]; }",
          .lines = { "arg       x T[n] input uniform -1 1  # ? how many elements has it? nothing here "
                     "defines its type 'label_t': its size and T are guesses",
                     "!'void'" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, know_constants_and_types_by_name)
{
    static const example EXAMPLES[] = {
        { .what = "of constants that are aligned",
          .text =
              "static __constant__ uint32_t __align__(8) a[20]; __constant__ static uint2 ALIGN(16) b[8];\n"
              "__global__ void k(uint32_t *y, int n) { " I " if (i < n) y[i] = a[i % 20] + b[i % 8].x; }",
          .lines = { "arg       a u32[20] input index 100 into a", "arg       b u32[2 * 8] " } },
        { .what = "of tiles that a function with a remainder counts",
          .text = "__device__ int div_ceil(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }\n"
                  "__global__ void k(float *y, const float *x, int m) { float sum = 0;\n"
                  "for (int t = 0; t < div_ceil(m, 16); t++) sum += x[t * 16 + threadIdx.x]; y[threadIdx.x] "
                  "= sum; }\n"
                  "void run(float *y, float *x, int m) { k<<<1, 16>>>(y, x, m); }",
          .lines = { "arg       x T[m] input", "require   m % 16 == 0" } },
        { .what = "types that headers usually have, and the file's own before them",
          .text = "typedef long idx_t;\n"
                  "__global__ void k(float *y, idx_t n, int32 m) { " I " if (i < n + m) y[i] = 1; }",
          .lines = { "arg       n i64\n", "arg       m i32\n" } },
        { .what = "records that the device reads tensor maps from",
          .text = "__global__ void k(CUtensorMap *maps, float *y, int n) { " I
                  " if (i < n) y[i] = use(&maps[i]); }",
          .lines = { "struct    CUtensorMap bytes 128 align 64", "arg       maps CUtensorMap[n] inout" } },
        { .what = "tensors have a thread or block for each index, and integers that may be one",
          .text = "__global__ void k(torch::PackedTensorAccessor32<float, 2> y,\n"
                  "const torch::PackedTensorAccessor32<int, 2> at) {" I
                  " if (i >= at.size(1)) return; y[blockIdx.y][at[blockIdx.y][i]] = 1; }",
          .lines = { "shape     extent  #", "arg       at_data i32[extent * extent] input index extent",
                     "grid      ceil_div(extent, BLOCK), extent  #" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define OVERLOAD  "void go(half *y, int c, int n) { go((float *)y, c, n); }\n"
#define OVERLOADS OVERLOAD OVERLOAD OVERLOAD OVERLOAD OVERLOAD

Test(adopt_draws, have_launches_as_the_host_means_them)
{
    static const example EXAMPLES[] = {
        { .what = "angles with blanks between them",
          .text = "__global__ void k(int *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void run(int *y, int n) { k << <(n + 127) / 128, 128 >> > (y, n); }",
          .lines = { "default   BLOCK=128", "grid      (n + (BLOCK - 1)) / BLOCK  # line 2\n" } },
        { .what = "a loop that tries sizes is none of the work",
          .text = "__global__ void k(int *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void run(int *y) { for (int n = 1024; n <= 65536; n = n * 2) {\n"
                  "cudaHostAlloc((void **)&y, n * sizeof(int), 0); dim3 block(256);\n"
                  "dim3 grid((unsigned int)ceil(n / (float)block.x)); k<<<grid, block>>>(y, n); } }",
          .lines = { "shape     n ", "grid      ceil_div(n, BLOCK)  # line 4\n", "!repeat    " } },
        { .what = "a number that is rounded up and divided",
          .text = "#define M 2048\n"
                  "__global__ void k(float *y) { " I " if (i < M) y[i] = 1; }\n"
                  "void run(float *y) { k<<<(size_t)(ceil((float)(M)) / ((float)64)), 64>>>(y); }",
          .lines = { "grid      (2048) / BLOCK  # line 3\n" } },
        { .what = "two elements of each thread",
          .text = "__global__ void k(int *y, int n) { int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;\n"
                  "if (i < n) y[i] = 1; if (i + blockDim.x < n) y[i + blockDim.x] = 1; }\n"
                  "void run(int *y, int n) { k<<<(n + 511) / 512, 256>>>(y, n); }",
          .lines = { "grid      (n + (BLOCK * 2 - 1)) / (BLOCK * 2)  # line 3\n" } },
        { .what = "as many elements of each block, whatever its threads",
          .text = "__global__ void k(int *y, int n) {\n"
                  "for (int i = blockIdx.x * 512 + threadIdx.x; i < min(n, blockIdx.x * 512 + 512);\n"
                  "i += blockDim.x) y[i] = 1; }\n"
                  "void run(int *y, int n) { k<<<(n + 511) / 512, 256>>>(y, n); }",
          .lines = { "grid      (n + 511) / 512  # line 4\n" } },
        { .what = "a number of another direction that is the block's by chance, and by the kernel",
          .text =
              "__global__ void k(int *y, int w, int h) { " I
              " int j = blockIdx.y * 64 + threadIdx.y; if (i < w)\n"
              "for (int r = j; r < min(h, (int)blockIdx.y * 64 + 64); r += blockDim.y) y[r * w + i] = 1; }\n"
              "__global__ void t(int *y, int w, int h) { " I
              " int j = blockIdx.y * blockDim.x + threadIdx.y; if (i < w)\n"
              "for (int r = j; r < min(h, j + (int)blockDim.x); r += blockDim.y) y[r * w + i] = 1; }\n"
              "void run(int *y, int w, int h) { dim3 block(64, 4);\n"
              "k<<<dim3((w + 63) / 64, (h + 63) / 64), block>>>(y, w, h); }",
          .kernel = "k",
          .lines = { "grid      (w + (BLOCK_X - 1)) / BLOCK_X, (h + 63) / 64  #" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, have_blocks_by_arguments_and_asserts)
{
    static const example EXAMPLES[] = {
        { .what = "one block's elements: there are no more",
          .text = "#define SECTION 2048\n"
                  "__global__ void k(float *y, int n) { int start = blockIdx.x * SECTION;\n"
                  "for (int j = threadIdx.x; j < SECTION; j += blockDim.x)\n"
                  "if (start + j < n) y[start + j] = 1; }\n"
                  "void run(float *y, int n) { k<<<1, 512>>>(y, n); }",
          .lines = { "require   n <= 2048  # what its blocks cover" } },
        { .what = "a number for each block: another block would take others",
          .text = "__global__ void k(float *y, const float *add, int n) { " I
                  " if (i < n) y[i] += add[blockIdx.x]; }\n"
                  "void run(float *y, float *add, int n) { k<<<(n + 255) / 256, 256>>>(y, add, n); }",
          .lines = { "arg       add T[ceil_div(n, 256)] input", "block     256\n", "!param" } },
        { .what = "an argument of the template by what is asked for is none to tune",
          .text = "template <int D> __global__ void k(float *y, int n) { " I
                  " float p[D]; for (int d = 0; d < D; d++) p[d] = d; if (i < n) y[i] = p[D - 1]; }\n"
                  "void run(float *y, int n, int dim) { switch (dim) {\n"
                  "case 2: k<2><<<(n + 255) / 256, 256>>>(y, n); break;\n"
                  "case 3: k<3><<<(n + 255) / 256, 256>>>(y, n); break; } }",
          .lines = { "kernel    k<2>\n", "!param     D" } },
        { .what = "an argument of the template that the host makes of a size is the number that it is",
          .text = "template <int B, int EACH> __global__ void k(float *y, const float *x, unsigned n) {\n"
                  "int i = blockIdx.x * B * EACH + threadIdx.x; float s = 0;\n"
                  "for (int j = 0; j < EACH; j++) s += x[i + j * B]; if (s > n) y[blockIdx.x] = s; }\n"
                  "int main() { float *x, *y; const int N = 1 << 20, m = 1024;\n"
                  "const int each = N / m / 256; k<256, each><<<m, 256>>>(y, x, N); }",
          .lines = { "!n / ", "!(n " } },
        { .what = "a number of threads that its template knows, where the launch is not understood",
          .text = "template <const int NUM_THREADS = 256> __global__ void k(half *y, int n) { " I
                  " if (i < n) y[i] = sum<NUM_THREADS>(y[i]); }\n"
                  "#define RUN(H) k<(H) / 8><<<grid, block>>>(y, n);\n"
                  "void run(half *y, int n, dim3 grid, dim3 block) { RUN(1024) }",
          .lines = { "block     NUM_THREADS\n" } },
        { .what = "what it asserts is the value that nobody says",
          .text =
              "template <int N> __global__ void k(float *y, int n) { static_assert(N == 128, \"only\"); " I
              " __shared__ float s[N]; s[threadIdx.x % N] = 1; if (i < n) y[i] = s[0]; }\n"
              "void run(float *y, int n) { k<_N_><<<n / 64, 64>>>(y, n); }",
          .lines = { "default   N=128" } },
        { .what = "blocks as the file counts them, of threads by a number: no other number",
          .text = "__global__ void k(float *y, const float *x, int n) {\n"
                  "int i = (blockIdx.x + 1) * blockDim.x + threadIdx.x; if (i < n) y[i] += x[blockIdx.x]; }\n"
                  "void run(float *y, float *x, int n) { k<<<(n + 255) / 256 - 1, 512>>>(y, x, n); }",
          .lines = { "grid      (n + 255) / 256 - 1  #", "block     512\n", "!param" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, find_the_function_that_a_call_means)
{
    static const example EXAMPLES[] = {
        { .what = "the value that a call of the function passes, and not one of its overload",
          .text = "__global__ void k(float *y, int c, int n) { " I " if (i < n) y[i] = c; }\n"
                  "void run(float *y, int c, int n) { k<<<(n + 63) / 64, 64>>>(y, c, n); }\n"
                  "void run(float *y, int n) { } void go(float *y, int n) { run(y, 3); run(y, 7, n); }",
          .lines = { "arg       c i32 = 7\n" } },
        { .what = "overloads that all call each other",
          .text =
              "__global__ void k(float *y, int c, int n) { " I " if (i < n) y[i] = c; }\n"
              "void go(float *y, int c, int n) { k<<<(n + 63) / 64, 64>>>(y, c, n); }\n" OVERLOADS OVERLOADS
                  OVERLOADS,
          .lines = { "arg       y T[n] output", "arg       c i32 = 1  # ?" } },
        { .what = "a host's method that has the name of the device's",
          .text = "struct work { __device__ void run(float *y, int i) { y[i] = 1; } };\n"
                  "__global__ void k(float *y, int n) { " I " work w; if (i < n) w.run(y, i); }\n"
                  "void run(float *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n); }",
          .lines = { "arg       n i32\n" } },
        { .what = "a function of the host with the kernel's name",
          .text = "__global__ void sum(float *y, int n) { " I " if (i < n) y[i] = 1; }\n"
                  "void sum(float *y) { sum<<<4, 64>>>(y, 256); }",
          .lines = { "kernel    sum" } },
        { .what = "blocks of rows that do not divide them",
          .text = "__global__ void k(int *y, int rows) { int r = blockIdx.x * 8 + threadIdx.x; y[r] = 1; }\n"
                  "void run(int *y, int rows) { k<<<rows / 8, 8>>>(y, rows); }",
          .lines = { "require   rows % 8 == 0  # " } },
        { .what = "an argument of its template that is a macro, and that a parameter",
          .text = "#define BLOCK_SIZE 256\n"
                  "template <unsigned B> __global__ void k(float *x, float *y) {\n"
                  "__shared__ float s[BLOCK_SIZE]; unsigned tid = threadIdx.x;\n"
                  "s[tid] = x[blockIdx.x * blockDim.x + threadIdx.x]; __syncthreads();\n"
                  "if (B >= 512) { if (tid < 256) s[tid] += s[tid + 256]; __syncthreads(); }\n"
                  "if (tid == 0) y[blockIdx.x] = s[0]; }\n"
                  "void run(float *x, float *y) { dim3 grid(64, 1); dim3 block(BLOCK_SIZE, 1);\n"
                  "k<BLOCK_SIZE><<<grid, block>>>(x, y); }",
          .lines = { "kernel    k<BLOCK_SIZE>", "param     BLOCK_SIZE = ", "!param     B = " } },
        { .what = "as many rows of blocks as the kernel asks for, where the host's size is another's",
          .text = "#define TILE 32\n"
                  "__global__ void k(const int *x, int *y, int rows, int cols) {\n"
                  "int r = blockIdx.x * TILE + threadIdx.x, c = blockIdx.y * TILE + threadIdx.y;\n"
                  "if (c < cols && r < rows) y[r * cols + c] = x[r * cols + c]; }\n"
                  "void run(int *x, int *y, int rows, int cols, int most) { dim3 b(TILE, TILE);\n"
                  "dim3 g((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);\n"
                  "k<<<g, b>>>(x, y, rows, most); }",
          .lines = { "grid      (rows + TILE - 1) / TILE, ceil_div(cols, TILE)  # ? ", "!# what its" } },
        { .what = "no value of a variable of the whole file that is set later",
          .text = "size_t total = 0; const int none = 0;\n"
                  "__global__ void k(int *y, int n, int m, int c) { " I " if (i < n) y[i] = i % m + c; }\n"
                  "void run(int *y, int n) { k<<<(n + 63) / 64, 64>>>(y, n, (int)(total >> 2), none); }",
          .lines = { "arg       m i32 = 1  # ? ", "arg       c i32 = 0\n" } },
        { .what = "blocks of a number of elements that their threads divide",
          .text = "__global__ void k(int *y) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "atomicAdd(&y[i % 100], 1); }\n"
                  "void run(int *y) { k<<<1000000 / 1000, 1000>>>(y); }",
          .lines = { "require   1000000 % BLOCK == 0  # ", "grid      1000000 / BLOCK  #" } },
        { .what = "blocks of twice as many elements as threads, rounded up in one way or the other",
          .text = "__global__ void k(half *y, int N) { int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
                  "if (i < N) reinterpret_cast<half2 *>(y + i)[0] = f(y); }\n"
                  "void run(half *y, int N) { dim3 b(256 / 2); dim3 g((N + 256 - 1) / 256);\n"
                  "k<<<g, b>>>(y, N); }",
          .lines = { "grid      (N + (BLOCK * 2) - 1) / (BLOCK * 2)  #", "!require   (N" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_draws, ask_of_the_block_what_the_kernel_takes_for_granted)
{
    static const example EXAMPLES[] = {
        { .what = "as many threads in both directions of a transpose",
          .text =
              "__global__ void k(float *y, const float *x, int w, int h) { __shared__ float s[32][33];\n"
              "int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n"
              "if (c < w && r < h) s[threadIdx.y][threadIdx.x] = x[r * w + c]; __syncthreads();\n"
              "int a = blockIdx.y * blockDim.y + threadIdx.x, b = threadIdx.y + blockIdx.x * blockDim.x;\n"
              "if (a < h && b < w) y[b * h + a] = s[threadIdx.x][threadIdx.y]; }\n"
              "void run(float *y, float *x, int w, int h) { dim3 b(32, 32);\n"
              "k<<<dim3((w + 31) / 32, (h + 31) / 32), b>>>(y, x, w, h); }",
          .lines = { "require   BLOCK_X == BLOCK_Y  # " } },
        { .what = "threads of a direction that it does not ask about are its author's",
          .text = "__global__ void k(float *y, const float *x, int m, int n) { int bx = blockIdx.x;\n"
                  "int row = blockDim.y * bx + threadIdx.y; if (row < m && threadIdx.x % 32 == 0)\n"
                  "y[row] = x[row * n]; }\n"
                  "void run(float *y, float *x, int m, int n) { k<<<m / 4, dim3(32, 4)>>>(y, x, m, n); }",
          .lines = { "grid      m / BLOCK_Y  #", "block     32, BLOCK_Y\n", "!BLOCK_X" } },
        { .what = "nor does a macro that it does not call",
          .text = "#define FIRST blockDim.x * blockIdx.x\n"
                  "__global__ void k(float *y, int n) { int r = blockDim.y * blockIdx.x + threadIdx.y;\n"
                  "if (r < n) y[r * 32 + threadIdx.x] = 1; }\n"
                  "void run(float *y, int n) { k<<<(n + 3) / 4, dim3(32, 4)>>>(y, n); }",
          .lines = { "block     32, BLOCK_Y\n", "!BLOCK_X" } },
        { .what = "a thread for each element of a row",
          .text = "__global__ void k(float *y, int n) { int t = threadIdx.x;\n"
                  "float v = t < n ? y[blockIdx.x * n + t] : 0; v = sum(v, blockDim.x);\n"
                  "if (t < n) y[blockIdx.x * n + t] = v; }",
          .lines = { "require   n <= BLOCK  # a thread for each\n" } },
        { .what = "but not where a thread goes on to further elements",
          .text = "__global__ void k(float *y, int m, int n) { int t = threadIdx.x; int b = blockIdx.x;\n"
                  "if (t >= n || b >= m) return; for (int j = t; j < n; j += blockDim.x) y[b * n + j] = 1; }",
          .lines = { "arg       y T[m * n] output", "!a thread for each" } },
        { .what = "not where a loop comes back to those that have none",
          .text = "__global__ void k(float *y, int n) { for (int t = threadIdx.x; t < n; t += blockDim.x)\n"
                  "y[blockIdx.x * n + t] = 1; }",
          .lines = { "param     BLOCK = ", "!require   n <= " } },
        { .what = "as many elements as a number of blocks has to do",
          .text = "__global__ void k(float *y, const float *x, int n) { " I
                  " float v = x[i]; if (i < n) y[i] = v; }\n"
                  "void run(float *y, float *x) { k<<<4096, 512>>>(y, x, 2097152); }",
          .lines = { "arg       n i32 = 2097152",
                     "require   2097152 <= BLOCK * 4096  # what its blocks cover" } },
        { .what = "not where the author has fewer",
          .text = "__global__ void k(float *y, const float *x, int n) { " I
                  " float v = x[i]; if (i < n) y[i] = v; }\n"
                  "void run(float *y, float *x) { k<<<2048, 512>>>(y, x, 2097152); }",
          .lines = { "!require   2097152" } },
        { .what = "by one name, where a constant has that of an argument of the template",
          .text = "const int BLOCK = 128;\n"
                  "template <int BLOCK> __global__ void k(float *y, const float *x) {\n"
                  "int i = blockIdx.x * BLOCK + threadIdx.x; y[i] = x[i]; }\n"
                  "void run(float *y, float *x, int n) { k<BLOCK><<<n / BLOCK, BLOCK>>>(y, x); }",
          .lines = { "param     BLOCK = ", "kernel    k<BLOCK>\n", "block     BLOCK\n", "!BLOCK_" } },
        { .what = "but not what is true of each value of a parameter",
          .text = "template <int BN, int TN> __global__ void k(float *y, int n) { float r[TN];\n"
                  "int first = blockIdx.x * BN + threadIdx.x * TN;\n"
                  "for (int j = 0; j < TN; j += 2) { y[first + j] = 1; y[first + j + 1] = 2; } }\n"
                  "void run(float *y, int n) { const int BN = 128, TN = 8; dim3 b(BN / TN);\n"
                  "dim3 g((n + BN - 1) / BN); k<BN, TN><<<g, b>>>(y, n); }",
          .lines = { "param     TN = 4 8 16 32\n", "require   BN % TN == 0", "!require   TN %" } },
        { .what = "as one of them is odd",
          .text = "template <int BN, int TN> __global__ void k(float *y, int n) { float r[TN];\n"
                  "int first = blockIdx.x * BN + threadIdx.x * TN;\n"
                  "for (int j = 0; j < TN; j += 2) { y[first + j] = 1; y[first + j + 1] = 2; } }\n"
                  "void run(float *y, int n) { const int BN = 96, TN = 2; dim3 b(BN / TN);\n"
                  "dim3 g((n + BN - 1) / BN); k<BN, TN><<<g, b>>>(y, n); }",
          .lines = { "param     TN = 1 2", "require   TN % 2 == 0" } },
    };
    EXPECT_ALL(EXAMPLES);
}

static void expect_refused(const char *text, const char *why)
{
    atx_adopted out;
    at_error err = { 0 };
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu", .kernel = "k" };
    cr_assert_neq(atx_adopt(&out, &in, &err), AT_OK);
    cr_expect(strstr(err.text, why), "%s", err.text);
}

Test(adopt_draws, refuse_pointers_in_constants)
{
    expect_refused("__constant__ float *rows[4];\n"
                   "__global__ void k(float *y) { y[threadIdx.x] = rows[0][1]; }",
                   "k.cu:1: found the __constant__ pointer 'rows' of k");
}

Test(adopt_draws, refuse_arguments_of_any_number_that_the_launch_passes_on)
{
    expect_refused("template <class T, class... Args> __global__ void k(T *y, const Args *...x, int n) { " I
                   " if (i < n) y[i] = sum<Args...>(x[i]...); }\n"
                   "template <class T, class... Args> void run(T *y, const Args *...x, int n) {\n"
                   "k<T, Args...><<<(n + 255) / 256, 256>>>(y, x..., n); }",
                   "k.cu:1: found k, a template of any number of arguments (Args...)");
}
