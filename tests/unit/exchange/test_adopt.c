/* test_adopt.c - a draft of declarations for a kernel that is there: what is seen in a file, and what is not.
 */
#include "adopt_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(adopt);

static atx_adopted adopt(const char *text)
{
    return adopt_one(text, NULL);
}

Test(adopt, what_is_no_code_is_no_kernel_and_no_block)
{
    atx_adopted out = adopt(
        "namespace ns {\n__device__ bool open(char c) { return c == '{' || c == '\"'; } // \\\n"
        "__global__ void no(int *p) {}\n"
        "const char *text = R\"x(\n__global__ void neither(float *p) {}\n)x\";\n"
        "#if 0\n__global__ void old(int *p) { don't }\n#endif\n"
        "__global__ void __cluster_dims__(2) f(float *p, const float w[WIDTH], int n = 1 << 3) {}\n}\n");
    cr_expect_str_eq(out.name, "f");
    cr_expect(strstr(atx_str_text(&out.t), "kernel    ns::f\n"), "%s", atx_str_text(&out.t));
    cr_expect(strstr(atx_str_text(&out.op), "arg       w T[n] input"), "%s", atx_str_text(&out.op));
    cr_expect(strstr(atx_str_text(&out.op), "shape     n "), "%s", atx_str_text(&out.op));
    atx_adopted_clear(&out);
}

Test(adopt, dynamic_shared_memory_may_have_an_alignment)
{
    static const char *const DECLARATIONS[] = { "extern __shared__ float s[];",
                                                "extern __align__(16) __shared__ float s[];",
                                                "extern __shared__ __align__(16) float s[];",
                                                "extern int other; extern alignas(16) __shared__ int s[];" };
    char text[200];
    for (size_t i = 0; i < sizeof DECLARATIONS / sizeof *DECLARATIONS; i++) {
        snprintf(text, sizeof text, "__global__ void k(float *p) { %s p[0] = s[0]; }", DECLARATIONS[i]);
        atx_adopted out = adopt(text);
        cr_expect_eq(count(atx_str_text(&out.t), "shared    "), 1, "%s", DECLARATIONS[i]);
        atx_adopted_clear(&out);
    }
    atx_adopted out =
        adopt("extern int other; __global__ void k(float *p) { __shared__ float s[1]; p[0] = s[0]; }");
    cr_expect_eq(count(atx_str_text(&out.t), "shared    "), 0, "%s", atx_str_text(&out.t));
    atx_adopted_clear(&out);
}

#define ADD                                                                                                  \
    "__global__ void add(float *c, const float *a, int n)\n"                                                 \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] += a[i]; }\n"

Test(adopt, a_buffer_ends_where_the_kernel_reaches)
{
#define I "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    static const example EXAMPLES[] = {
        { .what = "one number a row, and rows",
          .text =
              "__global__ void norm(float *y, float *mean, const float *x, const float *w, int N, int C) { " I
              " if (i < N) { const float *row = x + i * C; float m = 0;\n"
              "for (int c = 0; c < C; c++) m += row[c]; mean[i] = m;\n"
              "for (int c = 0; c < C; c++) y[i * C + c] = (row[c] - m) * w[c]; } }",
          .lines = { "arg       mean T[N] output", "arg       w T[C] input", "arg       x T[N * C] input",
                     "arg       y T[N * C] output" } },
        { .what = "products of indices, divided and their remainders",
          .text = "__global__ void k(float *y, const float *x, int B, int T, int NH, int HS) { " I
                  " if (i >= B * NH * T) return; int t = i % T, h = i / T % NH, b = i / (T * NH);\n"
                  "for (int s = 0; s < HS; s++) y[i * HS + s] = x[(b * T + t) * 3 * NH * HS + h * HS + s]; }",
          .lines = { "arg       y T[B * T_ * NH * HS] output",
                     "arg       x T[B * T_ * NH * HS * 3] input" } },
        { .what = "sums, single numbers, and what atomics add to",
          .text = "__global__ void k(float *sum, const float *x, const float *w, int a, int b) { " I
                  " if (i < b) atomicAdd(sum, x[a + i] * w[3 * 2]); }",
          .lines = { "arg       sum T[1] output zero", "arg       x T[a + b] input",
                     "arg       w T[7] input" } },
        { .what = "elements of another type, a pointer that moves, a macro that indexes",
          .text = "#define AT(i, j) x[(i) * n + (j)]\n"
                  "__global__ void k(float *y, const float *x, int m, int n) { " I " if (i < m) {\n"
                  "float4 v = reinterpret_cast<const float4 *>(x)[i]; const float *p = x;\n"
                  "for (int j = 0; j < n; j++, p += m) y[i] += p[i] + AT(i, j) + v.x; } }",
          .lines = { "arg       y T[m] inout", "arg       x T[max(m * 4, m * n)] input" } },
        { .what = "a function of the file, where it ends",
          .text = "__device__ void put(float *p, int k, int n) { for (int j = 0; j < n; j++) p[j * 8 + k] = "
                  "k; }\n"
                  "__global__ void k(float *y, int n) { put(y, threadIdx.x & 7, n); }",
          .lines = { "arg       y T[n * 8] output" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, a_buffer_without_a_comparison_ends_where_blocks_and_tiles_do)
{
    static const example EXAMPLES[] = {
        { .what = "no comparison: whole blocks",
          .text = "__global__ void k(float *y) { " I " y[i] = i; }\n"
                  "void run(float *y, int n) { k<<<(n + 255) / 256, 256>>>(y); }",
          .lines = { "shape     n ", "arg       y T[n] output", "require   n % BLOCK == 0" } },
        { .what = "one number for each block: its size is no parameter",
          .text = "__global__ void k(float *sums, const float *x, int n) { " I " float s = 0;\n"
                  "if (i < n) s = x[i]; if (threadIdx.x == 0) sums[blockIdx.x] = s; }\n"
                  "void run(float *s, float *x, int n) { k<<<(n + 127) / 128, 128>>>(s, x, n); }",
          .lines = { "arg       sums T[ceil_div(n, 128)] output", "block     128\n", "!param" } },
        { .what = "tiles, whose loop begins where the block is; a macro that the launch writes as a number",
          .text =
              "#define BLOCK_SIZE 16\n__global__ void mm(float *C, const float *A, const float *B, int n) {\n"
              "int first = n * BLOCK_SIZE * blockIdx.y, last = first + n - 1; float s = 0;\n"
              "for (int a = first, b = BLOCK_SIZE * blockIdx.x; a <= last; a += BLOCK_SIZE, b += BLOCK_SIZE "
              "* n)\n"
              "  s += A[a + n * threadIdx.y + threadIdx.x] * B[b + n * threadIdx.y + threadIdx.x];\n"
              "C[n * BLOCK_SIZE * blockIdx.y + BLOCK_SIZE * blockIdx.x + n * threadIdx.y + threadIdx.x] = s; "
              "}\n"
              "void run(float *c, float *a, float *b, int n) { dim3 grid(n / 16, n / 16); dim3 block(16, "
              "16);\n"
              "  mm<<<grid, block>>>(c, a, b, n); }",
          .lines = { "arg       C T[n * n] output", "arg       A T[n * n] input",
                     "arg       B T[n * n] input", "block     BLOCK_SIZE, BLOCK_SIZE",
                     "grid      n / BLOCK_SIZE, n / BLOCK_SIZE" } },
        { .what = "a name that is given anew is not bounded any more; a step",
          .text = "__global__ void k(float *y, const float *x, int n, int m) { " I
                  " if (i >= n) return; i = i * 30;\n"
                  "for (int j = 0; j < 30; j++) y[i + j] = 0; for (int j = 0; j < 64; j += 16) x[j + 15]; }",
          .lines = { "arg       y T[n * 30] output", "arg       x T[64] input" } },
        { .what = "dynamic shared memory; one block, where no block is read",
          .text = "__global__ void k(float *y, int n) { extern __shared__ float s[];\n"
                  "s[threadIdx.x] = n; s[threadIdx.x + blockDim.x] = 1; y[threadIdx.x % 8] = s[0]; }",
          .lines = { "shared    BLOCK * 2 * 4\n", "grid      1  #", "arg       y T[8] output" } },
        { .what = "a function that is a template",
          .text =
              "template <int N, typename I> __device__ void put(float *p, I k) { p[k * N + N - 1] = 0; }\n"
              "__global__ void k(float *y, int n) { for (int j = 0; j < n; j++) put<8, int>(y, j); }",
          .lines = { "arg       y T[n * 8] output" } },
        { .what = "blocks that leave no rest, in both directions; a remainder without %",
          .text =
              "__global__ void k(float *y, float *z, int w, int h, int d) {\n"
              "int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
              "const int q = i / d; y[j * w + i] = 1; z[i - q * d] = 2; }\n"
              "void run(float *y, float *z, int w, int h, int d) { dim3 block(16, 8);\n"
              " dim3 grid(w / block.x, h / block.y); k<<<grid, block>>>(y, z, w, h, d); }",
          .lines = { "arg       y T[w * h] output", "arg       z T[d] output", "require   w % BLOCK_X == 0",
                     "require   h % BLOCK_Y == 0" } },
        { .what = "the host's own sizes, where the kernel's comparison says more; the sum in another order",
          .text = "__global__ void k(float *y, int n, int m) {\n"
                  "if (threadIdx.x + blockIdx.x * blockDim.x >= n * m) return;\n" I " y[i] = 1; }\n"
                  "void run(float *y, int b, int c) { k<<<(b * c + 63) / 64, 64>>>(y, b, c / 2); }",
          .lines = { "arg       y T[n * m] output", "shape     n m ", "grid      ceil_div(n * m, BLOCK)",
                     "!require" } },
        { .what = "indices are below what they choose from",
          .text = "__global__ void k(float *y, const float *rows, const int *at, int n, int C) { " I
                  " if (i < n) for (int c = 0; c < C; c++) y[i * C + c] = rows[at[i] * C + c]; }",
          .lines = { "arg       at i32[n] input index n", "arg       rows T[n * C] input" } },
    };
#undef I
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, grid_block_and_shared_memory_are_those_of_the_files_launch)
{
    static const example EXAMPLES[] = {
        { .what = "names and numbers",
          .text = ADD
          "void run(float *c, float *a, int count) {\n  int threads = 128;\n"
          "  int blocks = (count + threads - 1) / threads;\n  add<<<blocks, threads>>>(c, a, count); }\n",
          .lines = { "param     BLOCK = 32 64 128 256 512  # blockDim", "default   BLOCK=128",
                     "grid      (n + BLOCK - 1) / BLOCK  # line 6", "block     BLOCK\n" } },
        { .what = "literals",
          .text = ADD "int main() { add<<<(1000 + 255) / 256, 256>>>(0, 0, 1000); }",
          .lines = { "grid      (1000 + (BLOCK - 1)) / BLOCK", "default   BLOCK=256" } },
        { .what = "a macro that divides, a macro for the block",
          .text = "#define DIV_UP(a, b) (((a) + (b) - 1) / (b))\n#define THREADS 64\n" ADD
                  "void run(float *c, float *a, int n) { add<<<DIV_UP(n, THREADS), THREADS>>>(c, a, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)", "default   BLOCK=64" } },
        { .what = "a function that divides, an argument with a cast",
          .text = ADD "static int up(int x, int y) { return (x + y - 1) / y; }\n"
                      "void run(float *c, float *a, size_t size) {\n"
                      "  add<<<up((int)size, 512), 512, 2 * sizeof(double)>>>(c, a, size); }",
          .lines = { "grid      (n + BLOCK - 1) / BLOCK  # line 5", "shared    2 * 8" } },
        { .what = "ceil",
          .text = ADD "void run(float *c, float *a, int n) { int g = (int)ceil((float)n / 192); "
                      "add<<<g, 192>>>(c, a, n); }",
          .lines = { "ceil_div(n, BLOCK)", "param     BLOCK = 64 128 192 256 512" } },
        { .what = "a grid that cannot be known is asked for",
          .text = ADD "void run(float *c, float *a, int n) { add<<<best_grid(), 256>>>(c, a, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)  # ? how many blocks?" } },
        { .what = "two dimensions",
          .text =
              "__global__ void t(float *y, const float *x, int w, int h) {\n"
              " int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
              " if (i < w && j < h) y[j * w + i] = x[j * w + i]; }\n"
              "void run(float *y, float *x, int w, int h) { dim3 block(32, 8);\n"
              " dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);\n"
              " t<<<grid, block>>>(y, x, w, h); }",
          .lines = { "param     BLOCK_X = 8 16 32 64 128  # blockDim.x", "param     BLOCK_Y = 2 4 8 16 32",
                     "require   BLOCK_X * BLOCK_Y <= device.max_threads_per_block",
                     "grid      (w + BLOCK_X - 1) / BLOCK_X, (h + BLOCK_Y - 1) / BLOCK_Y",
                     "arg       y T[w * h] output" } },
        { .what = "block and grid in one statement",
          .text = ADD "void run(float *c, float *a, int n) { const dim3 block(64), grid((n + 63) / 64);\n"
                      " add<<<grid, block>>>(c, a, n); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK", "default   BLOCK=64" } },
        { .what = "cudaLaunchKernel",
          .text = ADD "void run(float *c, float *a, int n) { void *args[] = { &c, &a, &n };\n"
                      " cudaLaunchKernel((void *)add, dim3((n + 127) / 128), dim3(128), args, 0, 0); }",
          .lines = { "grid      (n + (BLOCK - 1)) / BLOCK", "default   BLOCK=128" } },
        { .what = "a grid that waits for itself",
          .text = "#include <cooperative_groups.h>\n__global__ void k(float *y, int n) { auto g = "
                  "cooperative_groups::this_grid();\n"
                  " int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = 1; g.sync(); }\n",
          .lines = { "block     64\n", "cooperative\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

/* What a function's template has for its argument where the file calls it. */
Test(adopt, a_launch_by_a_template_has_the_numbers_of_its_instance)
{
    static const example EXAMPLES[] = {
        { .what = "grid and block by the template's argument",
          .text = "template <int S> __launch_bounds__(S) __global__ void k(float *y, int n)\n"
                  "{ int i = blockIdx.x * S + threadIdx.x; if (i < n) y[i] = S; }\n"
                  "template <int W> void run(float *y, int n) { k<W><<<(n + W - 1) / W, W>>>(y, n); }\n"
                  "void all(float *y, int n) { run<192>(y, n); }\n",
          .lines = { "kernel    k<192>\n", "grid      (n + 192 - 1) / 192  # line", "block     192\n" } },
        { .what = "a macro that launches what it is given",
          .text = "#define LAUNCH(kernel, blocks, threads, shared, ...) do { \\\n"
                  "    (kernel)<<<(blocks), (threads), shared>>>(__VA_ARGS__); \\\n    check(); } while (0)\n"
                  "template <int N> __global__ void k(float *y, int n, float by)\n"
                  "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = N * by; }\n"
                  "void run(float *y, int n) {\n    const int threads = 96;\n"
                  "    LAUNCH((k<3>), (n + threads - 1) / threads, threads, 0,\n        y, n, 2.5f);\n}\n",
          .lines = { "kernel    k<3>\n", "block     BLOCK\n", "default   BLOCK=96", "# line 8",
                     "arg       by f32 = 2.5\n" } },
        { .what = "a macro that has the kernel and more, in a macro of its own",
          .text = "#define RUN(bits, type) \\\n    const int threads = 32 * bits; \\\n"
                  "    k_##bits<type, bits><<<(n + threads - 1) / threads, threads>>>(y, n);\n"
                  "#define EITHER(bits) if (bits > 0) { RUN(bits, float) }\n"
                  "template <class T, int N> __global__ void k_4(T *y, int n)\n"
                  "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = N; }\n"
                  "void run(float *y, int n) {\n    EITHER(4)\n}\n",
          .kernel = "k_4",
          .lines = { "kernel    k_4<T, 4>\n", "block     BLOCK\n", "default   BLOCK=128", "# line 8" } },
    };
    EXPECT_ALL(EXAMPLES);
}

/* Files that are being written, or that no compiler takes. */
Test(adopt, a_launch_that_has_no_expression_is_asked_about)
{
    static const example EXAMPLES[] = {
        { .what = "an empty bracket",
          .text = ADD "void run(float *c, float *a, int n) { add<<<(n + () - 1) / 64, 64>>>(c, a, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)  # ? how many blocks? the launch in the file was not "
                     "understood" } },
        { .what = "nothing behind an operator",
          .text = ADD "void run(float *c, float *a, int n) { add<<<(n + 63) /, 64>>>(c, a, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)  # ? " } },
        { .what = "nothing before one, and an empty block",
          .text = ADD "void run(float *c, float *a, int n) { add<<</ n, ()>>>(c, a, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)  # ? ", "block     BLOCK" } },
        { .what = "two numbers side by side",
          .text = ADD "void run(float *c, float *a, int n) { add<<<n 64, 64>>>(c, a, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)  # ? " } },
    };
    EXPECT_ALL(EXAMPLES);
}

/* Only an index that ends where a buffer does would have another one. */
Test(adopt, an_offset_that_the_file_does_not_say_is_none)
{
    static const example EXAMPLES[] = {
        { .what = "into a buffer",
          .text = "__global__ void k(const float *x, float *y, int n, int row_offset, float y_offset) {\n"
                  " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i + row_offset] + "
                  "y_offset; }",
          .lines = { "shape     n ", "arg       x T[n] input uniform -1 1\n", "arg       y T[n] output\n",
                     "arg       row_offset i32 = 0  # ? the file does not say it: is it 0?",
                     "arg       y_offset f32 = 1  # ? values of numbers" } },
        { .what = "one that it says",
          .text = "__global__ void k(const float *x, float *y, int n, int offset) {\n"
                  " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i + offset]; }\n"
                  "void run(float *x, float *y, int n) { k<<<(n + 63) / 64, 64>>>(x, y, n, 8); }",
          .lines = { "arg       x T[n + 8] input", "arg       offset i32 = 8\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, a_missing_grid_follows_from_comparisons_and_blocks_from_their_bounds)
{
    static const example EXAMPLES[] = {
        { .what = "no launch has the grid: what the index is compared with, and multiplied",
          .text = "#ifndef ROWS\n#define ROWS 4\n#endif\n__global__ void k(float *y, int w, int h) {\n"
                  " int x = blockIdx.x * blockDim.x + threadIdx.x, r = (blockIdx.y * blockDim.y + "
                  "threadIdx.y) * ROWS;\n"
                  " for (int i = 0; i < ROWS; i++) if (x < w && r + i < h) y[(r + i) * w + x] = 1; }",
          .lines = { "grid      ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y * ROWS)" } },
        { .what = "rows that only the host counts",
          .text =
              "__global__ void k(float *y, const float *x, int cols) { for (int i = threadIdx.x; i < cols; i "
              "+= 32)\n"
              " y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i]; }\n"
              "void run(float *y, const float *x, int rows, const int cols) { k<<<rows, 32>>>(y, x, cols); }",
          .lines = { "shape     rows cols", "grid      rows  # line 3",
                     "arg       x T[rows * cols] input" } },
        { .what = "a block that the kernel does not read stays",
          .text = "__global__ void k(float *y, int n) { int i = blockIdx.x * 96 + threadIdx.x; if (i < n) "
                  "y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<(n + 95) / 96, 96>>>(y, n); }",
          .lines = { "!param", "block     96\n", "grid      (n + 95) / 96" } },
        { .what = "__launch_bounds__ by a macro",
          .text = "#define MOST 256\n__global__ void __launch_bounds__(MOST) k(float *y, int n)\n"
                  "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { k<<<(n + 127) / 128, 128>>>(y, n); }",
          .lines = { "param     BLOCK = 32 64 128 256  # blockDim" } },
        { .what = "__launch_bounds__ by a function",
          .text = "constexpr int warp() { return 32; }\n__global__ void __launch_bounds__(2 * warp()) "
                  "k(float *y, int n)\n"
                  "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }\n",
          .lines = { "param     BLOCK = 32 64  # blockDim" } },
        { .what = "a bound that is an argument of the template",
          .text = "template <int N> __global__ void __launch_bounds__(N * 7) k(float *y) { y[threadIdx.x] = "
                  "N; }\n",
          .lines = { "block     128\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, buffers_are_what_the_code_does_with_them)
{
    static const example EXAMPLES[] = {
        { .what = "read, written, both, added to, through pointers and functions",
          .text = "__device__ void put(float *to, int i, float v) { to[i] = v; }\n"
                  "__global__ void k(float *in, float *out, float *both, int *hist, float *far, float *by, "
                  "int n) {\n"
                  " int i = blockIdx.x * 256 + threadIdx.x; if (i >= n) return;\n"
                  " float *p = far + i; *p = in[i]; out[i] = in[i]; both[i] *= 2; atomicAdd(&hist[i], 1); "
                  "put(by, i, 1); }",
          .lines = { "arg       in T[n] input", "arg       out T[n] output", "arg       both T[n] inout",
                     "arg       hist i32[n] output zero", "arg       far T[n] output",
                     "arg       by T[n] output" } },
        { .what = "a matrix product",
          .text = "__global__ void mm(float *c, const float *a, const float *b, int m, int n, int k) {\n"
                  " int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;\n"
                  " if (row < m && col < n) { float s = 0; for (int i = 0; i < k; i++) s += a[row * k + i] * "
                  "b[i * n + col];\n"
                  "  c[row * n + col] = s; } }",
          .lines = { "shape     m n k", "arg       c T[m * n] output", "arg       a T[m * k] input",
                     "arg       b T[n * k] input" } },
        { .what = "rows of blocks, by the launch",
          .text =
              "__global__ void rows(float *y, const float *x, int c) { const float *r = x + blockIdx.x * c;\n"
              " float s = 0; for (int i = threadIdx.x; i < c; i += 32) s += r[i]; y[blockIdx.x] = s; }\n"
              "__global__ void other(float *y, int r) {}\n",
          .kernel = "rows",
          .lines = { "shape     blocks c", "grid      blocks  #", "arg       y T[blocks] output",
                     "arg       x T[c * blocks] input" } },
        { .what = "indices, groups of four, numbers of the launch",
          .text = "__global__ void g(float4 *y, const float *x, const int *at, float by, int mode, int n) {\n"
                  " int i = blockIdx.x * 64 + threadIdx.x; if (i < n) { int j = at[i]; y[i].x = x[j] * by + "
                  "mode; } }\n"
                  "void run() { g<<<1, 64>>>(0, 0, 0, -0.5f, 3, 64); }",
          .lines = { "arg       y T[n * 4] output", "arg       at i32[n] input index n",
                     "arg       by f32 = -0.5\n", "arg       mode i32 = 3\n" } },
        { .what = "a float output beside the template's type",
          .text = "template <class E> __global__ void mix(float *sum, const E *x, int n)\n"
                  "{ int i = blockIdx.x * 256 + threadIdx.x; if (i < n) sum[i] = (float)x[i]; }\n"
                  "void run(float *s, half *x, int n) { mix<half><<<n / 256, 256>>>(s, x, n); }",
          .lines = { "type      T = f16", "arg       sum f32[n] output", "arg       x T[n] input",
                     "kernel    mix<T>\n", "require   n / 256 > 0" } },
        { .what = "columns of rows, and what is searched by halves",
          .text = "__global__ void k(float *y, const float *v, const int *rows, const int *cols, const float "
                  "*x, int n) {\n"
                  " int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return; float s = 0;\n"
                  " for (int j = rows[i]; j < rows[i + 1]; j++) s += v[j] * x[cols[j]]; y[i] = s; }\n",
          .lines = { "arg       rows i32[n + 1] input offsets n * 16",
                     "arg       cols i32[n * 16] input columns n of rows" } },
        { .what = "what is searched by halves",
          .text = "__global__ void find(int *at, const float *key, const int *list, int n) { int i = "
                  "threadIdx.x, low = 0, "
                  "high = n;\n while (low < high) { int mid = (low + high) / 2; if (key[mid] < 0 || "
                  "list[mid] < i) low = mid + 1; else high "
                  "= mid; }\n at[i] = low; }",
          .lines = { "input sorted uniform -1 1", "input sorted index " } },
        { .what = "types of the file",
          .text = "typedef float real;\nusing index_t = unsigned;\n#define KEY short\n"
                  "__global__ void k(real *y, const index_t *x, const KEY *z, uchar *w, int n)\n"
                  "{ int i = threadIdx.x; if (i < n) { y[i] = x[i] + z[i]; w[i] = 1; } }",
          .lines = { "type      T = f32", "arg       x u32[n]", "arg       z i16[n]",
                     "arg       w u8[n] output" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, names_that_declarations_cannot_have_become_others)
{
    static const example EXAMPLES[] = {
        { .what = "T, a function, a dimension of CUDA's",
          .text =
              "__global__ void k(float *y, float min, int T, int dim3, int n, int C) { int i = threadIdx.x;\n"
              " if (i < T * dim3 * C * n) y[i] = min; }",
          .lines = { "shape     T_ dim3_ n C", "arg       T_ i32  # the kernel's T", "arg       min_ f32 = 1",
                     "arg       dim3_ i32  # the kernel's dim3" } },
        { .what = "an argument of the template and a size of one name",
          .text = "template <int n> __global__ void k(float *y, const float *x) { if (threadIdx.x < n) y[n] "
                  "= x[n]; }\n"
                  "void run(float *y, float *x) { k<64><<<1, 64>>>(y, x); k<32><<<1, 64>>>(y, x); }",
          .lines = { "kernel    k<64>", "shape     n " } },
        { .what = "a number of the template's type",
          .text = "template <class A> __global__ void k(unsigned *y, A a) { y[0] = a; }",
          .lines = { "arg       a " } },
        { .what = "__names",
          .text = "__global__ void k(float *__y, int __n) { if (threadIdx.x < __n) __y[0] = 1; }",
          .lines = { "arg       y T", "arg       n i32" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, parameters_are_what_shapes_the_code)
{
    static const example EXAMPLES[] = {
        { .what = "what a condition around the kernel's code asks for, and no other one",
          .text = "#ifndef LOGS\n#define LOGS 1\n#endif\n#ifndef WIDE\n#define WIDE 1\n#endif\n"
                  "#if LOGS\nvoid log(const char *);\n#endif\n"
                  "__global__ void k(float *y) {\n#if WIDE\n y[threadIdx.x] = 1;\n#endif\n}\n",
          .lines = { "param     WIDE = 0 1", "!LOGS" } },
        { .what = "a tile's size without #ifndef, and nothing else",
          .text = "#define TILE_DIM 32\n#define RADIUS 3\n#define MODE_FAST 1\nconstexpr int kUnroll = 4;\n"
                  "const int kVersion = 7;\n"
                  "__global__ void k(float *y, int n) { __shared__ float s[TILE_DIM]; s[threadIdx.x] = "
                  "kVersion;\n"
                  "#pragma unroll kUnroll\n for (int i = 0; i < RADIUS; i++) if (i < n && MODE_FAST) y[i] = "
                  "s[i]; }",
          .lines = { "param     TILE_DIM = 16 32 64 128", "param     kUnroll = 2 4 8 16",
                     "define    TILE_DIM\n", "default   TILE_DIM=32 kUnroll=4", "!RADIUS", "!MODE_FAST",
                     "!kVersion" } },
        { .what = "arguments of a template by the file's launches",
          .text = "enum Kind { SUM, MOST };\ntemplate <class E, int TILE, bool CHECK, Kind K> __global__ "
                  "void k(E *y, int n)\n"
                  "{ E s[TILE]; for (int i = 0; i < TILE; i++) if (!CHECK || i < n) y[n] = s[i] + K; }\n"
                  "void run(double *y, int n) { if (n < 9) k<double, 4, true, MOST><<<1, 32>>>(y, n);\n"
                  " else k<double, 16, true, MOST><<<1, 32>>>(y, n); }",
          .lines = { "type      T = f64", "param     TILE = 4 16\n", "kernel    k<T, TILE, true, MOST>\n",
                     "default   TILE=4 " } },
        { .what = "a block that is larger than any",
          .text = "#define BLOCK_SIZE 2048\n__global__ void k(int *y) { y[threadIdx.x / BLOCK_SIZE] = 1; }",
          .lines = { "param     BLOCK_SIZE = 512 1024 2048\n", "default   BLOCK_SIZE=2048" } },
        { .what = "types of a template that launches are nobody's yet",
          .text = "template <class A, class B, int N> __global__ void k(A *y, const B *x) { y[0] = x[N]; }\n"
                  "template <class A, class B, int N> void run(A *y, B *x) { k<A, B, 4><<<1, 32>>>(y, x); }",
          .lines = { "kernel    k<T, T, 4>" } },
        { .what = "parameters of the functions around the launch, to where an instance is named",
          .text = "float twice(float x) { return x + x; }\n"
                  "template <float (*F)(float), int N, class E> __global__ void k(E *y) { E s[N]; y[0] = "
                  "F(s[0]); }\n"
                  "template <float (*F)(float), int M = 8> void run(float *y) { if constexpr (M > 1) {\n"
                  " k<F, M, float><<<1, 32>>>(y); } }\n"
                  "template <float (*G)(float)> void outer(float *y) { run<G>(y); }\n"
                  "void most(float *y) { outer<twice>(y); }",
          .lines = { "kernel    k<twice, N, T>\n", "default   N=8 " } },
        { .what = "instances that are passed to a function which launches them",
          .text = "template <int N> __global__ void k(float *y) { float s[N]; y[0] = s[0]; }\n"
                  "void run(float *y) { launch(k<64>, 1, 32, y); launch(k<128>, 1, 32, y); }",
          .lines = { "kernel    k<N>\n", "param     N = 64 128\n", "default   N=64" } },
        { .what = "an explicit instance",
          .text = "template <typename E, int N> __global__ void k(E *y) { E s[N]; y[0] = s[0]; }\n"
                  "template __global__ void k<float, 8>(float *);\n",
          .lines = { "kernel    k<T, N>\n", "param     N = 4 8 16 32" } },
        { .what = "the threads of a block, whose number the file does not say",
          .text = "template <int THREADS_PER_BLOCK> __global__ void k(float *y) { __shared__ float "
                  "s[THREADS_PER_BLOCK];\n"
                  " s[threadIdx.x] = 1; y[threadIdx.x + blockIdx.x * THREADS_PER_BLOCK] = s[0]; }\n",
          .lines = { "param     THREADS_PER_BLOCK = 64 128 256 512 1024", "block     THREADS_PER_BLOCK\n" } },
        { .what = "a type of a namespace that the launch stands in",
          .text = "namespace a { namespace ops { struct Add {}; } namespace {\n"
                  "template <class E, class Op> __global__ void k(E *y) { y[0] = Op::of(y[1]); } }\n"
                  "void run(float *y) { k<float, ops::Add><<<1, 64>>>(y); } }\n",
          .lines = { "kernel    a::k<T, a::ops::Add>\n" } },
        { .what = "a type of integers, by its name",
          .text = "template <class IdType, class E> __global__ void k(E *y, const IdType *at, int n)\n"
                  "{ int i = threadIdx.x; if (i < n) y[i] = at[i]; }\n",
          .lines = { "type      T = f32", "kernel    k<int, T>  # ?", "arg       at i32[n]" } },
        { .what = "a type of integers, as what it declares chooses elements",
          .text = "template <class A, class E> __global__ void k(E *y, const A *at, int n)\n"
                  "{ int i = threadIdx.x; if (i < n) { const A to = at[i]; y[to] = 1; } }\n",
          .lines = { "type      T = f32", "kernel    k<int, T>  # ?", "arg       at i32[n]" } },
        { .what = "the only type of the buffers",
          .text = "template <class E> __global__ void k(E *y, const E *at, int n)\n"
                  "{ int i = threadIdx.x; if (i < n) y[at[i]] = i; }\n",
          .lines = { "type      T = i32", "kernel    k<T>  # ?", "arg       at T[n]" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, of_several_kernels_of_one_name_one_is_taken)
{
    static const char TEXT[] = "__global__ void k(float *y, int n);\n"
                               "__global__ void k(float *y, int n) { if (threadIdx.x < n) y[0] = 1; }\n"
                               "__global__ void k(double *y, int n) { if (threadIdx.x < n) y[0] = 1; }\n";
    static const example EXAMPLES[] = {
        { .what = "the first",
          .text = TEXT,
          .lines = { "type      T = f32", "kernel    _Z1kPfi  # overload 1 of 2\n" } },
        { .what = "by its types",
          .text = TEXT,
          .kernel = "k(double *, int)",
          .lines = { "type      T = f64" } },
        { .what = "by its number", .text = TEXT, .kernel = "k#2", .lines = { "type      T = f64" } },
        { .what = "by a symbol that says which",
          .text =
              "struct S { float v; };\n__global__ void k(double *y, const S *s, const half *h, const double "
              "*__restrict__ const z, const half x[], const S by, unsigned long long n) { y[0] = n; }\n"
              "__global__ void k(float *y) { y[0] = 1; }\n",
          .lines = { "kernel    _Z1kPdPK1SPK6__halfPKdS5_S0_y  # overload 1 of 2" } },
        { .what = "in namespaces, with types of CUDA's that have other names",
          .text = "namespace a { namespace b {\n"
                  "__global__ void k(half2 *y, const half2 *x, char4 *z) { y[0] = x[0]; }\n"
                  "__global__ void k(float *y) { y[0] = 1; } } }\n",
          .lines = { "kernel    _ZN1a1b1kEP7__half2PKS1_P5char4  # overload 1 of 2" } },
        { .what = "a symbol that is longer than names are",
          .text = "namespace fast { __global__ void a_kernel_of_a_long_name(double *y, const float *x, const "
                  "short *z, "
                  "const half *h) { y[0] = 1; }\n"
                  "__global__ void a_kernel_of_a_long_name(float *y) { y[0] = 1; } }\n",
          .kernel = "a_kernel_of_a_long_name#1",
          .lines = { "kernel    _ZN4fast23a_kernel_of_a_long_nameEPdPKfPKsPK6__half  # overload 1 of 2" } },
        { .what = "in a namespace without a name, which a type behind it counts as seen",
          .text = "namespace a { namespace {\n"
                  "__global__ void k(float *y, const float *x, const float *z) { y[0] = x[0] + z[0]; }\n"
                  "__global__ void k(float *y) { y[0] = 1; } } }\n",
          .lines = { "kernel    _ZN1a12_GLOBAL__N_11kEPfPKfS3_  # overload 1 of 2" } },
        { .what = "namespaces that a macro opens and another one closes",
          .text = "#define V1 inline namespace v1 {\n#define OPEN namespace a { V1\n#define CLOSE } "
                  "}\nOPEN\nint other; CLOSE\n"
                  "OPEN namespace b { __global__ void k(float *y) { y[0] = 1; } } CLOSE\n",
          .lines = { "kernel    a::v1::b::k\n" } },
        { .what = "a namespace whose name is a macro's",
          .text = "#define VERSION _v1\nnamespace a { inline namespace VERSION {\n"
                  "__global__ void k(float *y) { y[0] = 1; } } }\n",
          .lines = { "kernel    a::_v1::k\n" } },
        { .what = "one name in two namespaces is no overload",
          .text = "namespace a { __global__ void k(float *y) { y[0] = 1; } }\n"
                  "namespace b { __global__ void k(double *y) { y[0] = 1; } }\n",
          .kernel = "k#2",
          .lines = { "kernel    b::k  # " } },
        { .what = "a list of parameters with #ifdef",
          .text = "__global__ void k(float *y,\n#ifdef EXTRA\n int extra,\n#endif\n int n) { if (threadIdx.x "
                  "< n) y[0] = 1; }",
          .lines = { "!extra", "arg       n i32" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt, what_cannot_be_adopted_is_refused_with_its_place)
{
    static const struct {
        const char *text, *kernel, *error;
    } EXAMPLES[] = {
        { "\n__global__ void k(float *y, cudaTextureObject_t t, int n) {}", NULL,
          "k.cu:2: found the texture or surface 't' of k" },
        { "__global__ void k(float *y, int n) {\n y[0] = tex2D<float>(t, 1, 1); }", NULL,
          "k.cu:2: found the texture access 'tex2D'" },
        { "__global__ void k(float *y, const float *const *rows) {}", NULL,
          "k.cu:1: found the pointer to pointers 'rows'" },
        { "__device__ float s;\n__global__ void k(const float *y) {}", NULL,
          "k.cu:2: found only pointers to const among the parameters of k" },
        { "__device__ float s;\n__global__ void k(const float *y) { atomicAdd(&s, y[0]); }", NULL,
          "k.cu:2: found only pointers to const among the parameters of k, and the variable 's' of the "
          "device "
          "(k.cu:1); expected a buffer that it writes" },
        { "template <class LOAD> __global__ void k(LOAD load, int n) { load(n); }", NULL,
          "k.cu:1: found no pointer among the parameters of k, and 'load' of type LOAD, whose fields are not "
          "understood" },
        { "struct B { float *x; };\nstruct V : B { int n; };\n__global__ void k(V v) { v.x[0] = 1; }", NULL,
          "k.cu:3: found no pointer among the parameters of k, and 'v' of type V, whose fields are not "
          "understood" },
        { "#if 0\n__global__ void k(float *y) {}\n#endif", "k",
          "k.cu:2: found the kernel k where #if leaves it out" },
        { "__global__ void k(float *y);", "k", "k.cu:1: found the declaration of a kernel without its code" },
        { "struct L { int v; L *next; };\n__global__ void k(L *list) { list[0].v = 1; }", NULL,
          "k.cu:2: found the buffer 'list' of k, of structs 'L' that have pointers" },
        { "struct L { float f[2000]; };\n__global__ void k(float *y, L l) { y[0] = l.f[0]; }", NULL,
          "k.cu:2: found the argument 'l' of k, a struct of 8000 bytes" },
        { "struct B { __device__ int operator[](int i) { return i; } };\n__global__ void k(int n) { B b; "
          "b[n]; }",
          NULL, "k.cu:2: found no pointer among the parameters of k; expected a buffer that it writes" },
        { "__global__ void k(float *y) { k<<<1, 2>>>(y); }", NULL,
          "k.cu:1: found a launch of 'k' of k; expected" },
        { "template <class... A> __global__ void k(float *y, A... a) { y[0] = 1; }", NULL,
          "k.cu:1: found k, a template of any number of arguments" },
    };
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++) {
        atx_adopted out;
        at_error err = { 0 };
        const atx_adopt_input in = {
            .text = EXAMPLES[i].text, .path = "k.cu", .source = "../k.cu", .kernel = EXAMPLES[i].kernel
        };
        cr_expect_eq(atx_adopt(&out, &in, &err), AT_ERR_INPUT, "%s", EXAMPLES[i].text);
        cr_expect(strncmp(err.text, EXAMPLES[i].error, strlen(EXAMPLES[i].error)) == 0, "%s", err.text);
    }
}
