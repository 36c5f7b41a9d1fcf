/* test_adopt_params.c - drafts: what parameters must be for a kernel to compile, and what follows from them.
 */
#include "adopt_lines.h"

TestSuite(adopt_params);

Test(adopt_params, must_be_as_the_kernel_asserts_and_fit_its_static_shared_memory)
{
    static const example EXAMPLES[] = {
        { .what = "assertions of parameters, also by constants that are made of them",
          .text = "template <int BM, int BN, int WM> __global__ void k(float *y) {\n"
                  "constexpr int WARPS = BM / WM;\n"
                  "static_assert(BM % WM == 0 && (BN >= 2 * WM), \"whole warps\");\n"
                  "static_assert(WARPS * 32 <= 1024); static_assert(sizeof(int) == 4);\n"
                  "y[blockIdx.x * BM + threadIdx.x] = BN; }\n"
                  "void run(float *y) { k<64, 64, 16><<<10, 64>>>(y); }",
          .lines = { "require   BM % WM == 0  # the kernel asserts it\n",
                     "require   BN >= WM * 2  # the kernel asserts it\n",
                     "require   (BM / WM) * 32 <= 1024  # the kernel asserts it\n", "!== 4" } },
        { .what = "but for those of a branch",
          .text = "template <int BM, int BN> __global__ void k(float *y) {\n"
                  "if constexpr (BN == 1) { for (;;) { static_assert(BM % 64 == 0); } }\n"
                  "else static_assert(BM % 16 == 0);\nif constexpr (BN > 2) static_assert(BM > 8);\n"
                  "for (int i = 0; i < 1; i++) { static_assert(BM >= 32); } y[blockIdx.x * BM + threadIdx.x] "
                  "= BN; }\n"
                  "void run(float *y) { k<64, 32><<<10, 64>>>(y); }",
          .lines = { "require   BM >= 32  # the kernel asserts it\n", "!BM %", "!BM > 8" } },
        { .what = "of which % takes what stands beside it, | is no sum, and a / b * b not a",
          .text = "template <int BM, int BN> __global__ void k(float *y) {\n"
                  "static_assert(BM + BN % 2 == 64); static_assert(BM % 3 * 2 == 2); static_assert((BM | BN) "
                  "< 96);\n"
                  "static_assert(BM / 3 * 3 == BM); constexpr int N = BM / BN; static_assert(N * BN == BM);\n"
                  "static_assert(BM * 2 % BN == 0); static_assert(BN % (4 * BM) == 0); y[blockIdx.x * BM + "
                  "threadIdx.x] = BN; }\n"
                  "void run(float *y) { k<64, 32><<<10, 64>>>(y); }",
          .lines = { "require   (BM * 2) % BN == 0  # the kernel asserts it\n",
                     "require   BN % (BM * 4) == 0  # the kernel asserts it\n", "!== 64", "!== 2", "!< 96",
                     "!== BM" } },
        { .what = "assertions of the function that launches, of what it calls them",
          .text =
              "template <int BM, int BK> __global__ void k(float *y) { __shared__ float s[BM][BK];\n"
              "y[blockIdx.x * BM + threadIdx.x] = s[0][0]; }\n"
              "void run(float *y) { constexpr int TILE{64}, DEPTH{8}; static_assert(TILE % DEPTH == 0U);\n"
              "static_assert(sizeof(float) == 4 && TILE / DEPTH > 2); k<TILE, DEPTH><<<10, 64>>>(y); }",
          .lines = { "require   BM % BK == 0  # the host asserts it\n",
                     "require   (BM / BK) > 2  # the host asserts it\n", "!== 4" } },
        { .what = "of its block, in each thread",
          .text = "#define BM 64\n#define BK 8\n__global__ void k(float *y, int n) { __shared__ float s[BM * "
                  "BK];\n"
                  "assert(BM * BK == blockDim.x); if (n > 1) { assert(BM % BK == 0); }\n"
                  "int i = blockIdx.x * BM + threadIdx.x; s[threadIdx.x] = 1; if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, int n) { k<<<(n + BM - 1) / BM, 512>>>(y, n); }",
          .lines = { "require   BM * BK == BLOCK  # the kernel asserts it\n", "!BM %" } },
        { .what = "static shared memory that its larger values do not fit in",
          .text =
              "#define TILE 32\n#define PAD 1\n__global__ void k(float *y, int n) {\n"
              "__shared__ double s[TILE][TILE + PAD]; __shared__ int small[4];\n"
              "int i = blockIdx.x * TILE + threadIdx.x; s[0][threadIdx.x] = 1; if (i < n) y[i] = small[0]; }",
          .lines = { "param     TILE = 16 32 64 128\n", "require   TILE * TILE * 8 + TILE * 8 + 16 <= 49152  "
                                                        "# static shared memory of a block\n" } },
        { .what = "also of several arrays in one declaration",
          .text = "#define TILE 32\n__global__ void k(float *y, int n) {\n"
                  "__shared__ double s[TILE][TILE], t[TILE], one; int i = blockIdx.x * TILE + threadIdx.x;\n"
                  "s[0][threadIdx.x] = t[threadIdx.x] = one = 1; if (i < n) y[i] = s[0][0]; }",
          .lines = { "require   TILE * TILE * 8 + TILE * 8 <= 49152" } },
        { .what = "which is said of no others",
          .text = "#define TILE 16\n__global__ void k(float *y, int n) {\n__shared__ float s[TILE][TILE];\n"
                  "int i = blockIdx.x * TILE + threadIdx.x; s[0][threadIdx.x] = 1; if (i < n) y[i] = 1; }",
          .lines = { "param     TILE = ", "!shared memory" } },
        { .what = "sizes of fragments, of which the library has few, are none",
          .text = "template <int TILE, int FRAG> __global__ void k(float *y) { __shared__ float s[TILE];\n"
                  "wmma::fragment<wmma::accumulator, FRAG, FRAG, 16, float> f; float t[FRAG];\n"
                  "y[threadIdx.x] = s[0]; }\nvoid run(float *y) { k<32, 16><<<1, 32>>>(y); }",
          .lines = { "param     TILE = ", "kernel    k<TILE, 16>", "!param     FRAG" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define TILES                                                                                                \
    "template <int BM, int BN, int TM, int THREADS> __global__ void k(float *y, int n) {\n"                  \
    "__shared__ float s[BM][BN]; float t[TM]; s[0][threadIdx.x] = 1;\n"                                      \
    "int i = blockIdx.x * BM + threadIdx.x; if (i < n) y[i] = s[0][threadIdx.x]; }\n"

Test(adopt_params, that_the_host_computes_of_others_follow_them)
{
    static const example EXAMPLES[] = {
        { .what =
              "threads of a block as an argument of the template; numbers in braces, const behind the type",
          .text = TILES "void run(float *y, int n) { constexpr int BM{64U}, TM{8U}; constexpr int BN{32U};\n"
                        "constexpr unsigned int PER_BLOCK{BM * BN / TM};\n"
                        "dim3 const block{PER_BLOCK, 1U, 1U};\n"
                        "dim3 const grid{(static_cast<unsigned int>(n) + BM - 1U) / BM, 1U};\n"
                        "k<BM, BN, TM, PER_BLOCK><<<grid, block, 0U>>>(y, n); }",
          .lines = { "kernel    k<BM, BN, TM, (BM * BN / TM)>\n", "block     BM * BN / TM\n",
                     "grid      (n + BM - 1) / BM, 1  # line 8\n", "!param     THREADS",
                     "require   BM * BN / TM <= device.max_threads_per_block\n" } },
        { .what = "a block of quotients",
          .text = TILES "void run(float *y, int n) { const int BM = 64, BN = 32, TM = 8;\n"
                        "dim3 block(BN / TM, BM / TM); k<BM, BN, TM, 256><<<n / BM, block>>>(y, n); }",
          .lines = { "block     BN / TM, BM / TM\n", "param     TM = " } },
        { .what = "the number of the case that a launch stands in",
          .text = "template <int SIDE> __global__ void k(float *y, int n) { __shared__ float s[SIDE];\n"
                  "int i = blockIdx.x * SIDE + threadIdx.x; s[threadIdx.x] = 1; if (i < n) y[i] = s[0]; }\n"
                  "void run(float *y, int n, int side) { dim3 block(side);\n"
                  "dim3 grid((n + block.x - 1) / block.x);\n"
                  "switch (side) { case 32: k<32><<<grid, block>>>(y, n); break;\n"
                  "case 64: k<64><<<grid, block>>>(y, n); break; } }",
          .lines = { "param     SIDE = 32 64\n", "block     SIDE\n", "grid      (n + SIDE - 1) / SIDE" } },
        { .what = "a side that is not understood is that of a square",
          .text = "__global__ void k(float *y, int n) {\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x, j = threadIdx.y; if (i < n && j < 9) y[i] "
                  "= 1; }\n"
                  "void run(float *y, int n, int side) { dim3 block = { side, side, 1 };\n"
                  "k<<<n / side, block>>>(y, n); }",
          .lines = { "block     BLOCK_X, BLOCK_X\n", "default   BLOCK_X=16 " } },
        { .what = "a name of the code's own is none that nobody defines",
          .text = "__global__ void k(float *y) { auto *result_ptr = y; result_ptr[threadIdx.x] = 1; }\n"
                  "void run(float *y) { k<<<1, 32>>>(y); }",
          .lines = { "!param     result_ptr" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, that_size_what_a_block_works_on_stay_parameters)
{
    static const example EXAMPLES[] = {
        { .what = "tiles of a product, whose threads load as many rows as they have and reach no further",
          .text =
              "template <int BM, int BN, int BK, int TM> __global__ void gemm(int M, int N, int K, const "
              "float *A,\n"
              "const float *B, float *C) { __shared__ float a[BM * BK], b[BK * BN]; float sum[TM] = { 0 };\n"
              "const int col = threadIdx.x % BN, row = threadIdx.x / BN;\n"
              "A += blockIdx.y * BM * K; B += blockIdx.x * BN; C += blockIdx.y * BM * N + blockIdx.x * BN;\n"
              "const int ac = threadIdx.x % BK, ar = threadIdx.x / BK;\n"
              "for (int k = 0; k < K; k += BK) { a[ar * BK + ac] = A[ar * K + ac];\n"
              "b[row * BN + col] = B[row * N + col]; __syncthreads(); A += BK; B += BK * N;\n"
              "for (int i = 0; i < BK; i++) for (int j = 0; j < TM; j++)\n"
              "sum[j] += a[(row * TM + j) * BK + i] * b[i * BN + col]; __syncthreads(); }\n"
              "for (int j = 0; j < TM; j++) C[(row * TM + j) * N + col] = sum[j]; }\n"
              "void run(int M, int N, int K, float *A, float *B, float *C) {\n"
              "const int BM = 64, BN = 64, BK = 8, TM = 8; dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);\n"
              "gemm<BM, BN, BK, TM><<<grid, BM * BN / TM>>>(M, N, K, A, B, C); }",
          .lines = { "arg       A T[M * K] input", "arg       B T[N * K] input",
                     "arg       C T[M * N] output", "param     BK = 4 8 16 32\n",
                     "require   ceil_div((BM * BN / TM), BK) <= BM  # its buffers",
                     "require   ceil_div((BM * BN / TM), BN) <= BK  # its buffers",
                     "require   TM * ceil_div((BM * BN / TM), BN) <= BM  # its buffers",
                     "require   K % BK == 0  # the kernel does not ask" } },
        { .what = "of the first of equal launches, whose numbers are those before it",
          .text = "template <int BM, int TM> __global__ void k(float *y, int n) { float s[TM];\n"
                  "assert(BM / TM == blockDim.x); int i = blockIdx.x * BM + threadIdx.x; s[0] = 1; if (i < "
                  "n) y[i] = s[0]; }\n"
                  "void run(float *y, int n) { if (n >= 128) { const int BM = 128, TM = 4; k<BM, TM><<<n / "
                  "BM, BM / TM>>>(y, n); }\n"
                  "else { const int BM = 64, TM = 1; k<BM, TM><<<n / BM, BM / TM>>>(y, n); } }",
          .lines = { "default   BM=128 TM=4", "block     BM / TM\n", "!asserts" } },
        { .what = "blockSize is the block's, and the number of the case that the launch stands in",
          .text = "template <class T, unsigned int blockSize> __global__ void k(T *y, int n) {\n"
                  "unsigned i = blockIdx.x * blockSize + threadIdx.x; if (i < n) y[i] = 1; }\n"
                  "template <class T> void run(T *y, int n, int threads) { dim3 block(threads, 1, 1); switch "
                  "(threads) {\n"
                  "case 512: k<T, 512><<<n / threads, block>>>(y, n); break; case 256: k<T, 256><<<n / "
                  "threads, block>>>(y, n); } }",
          .lines = { "param     blockSize = 256 512\n", "block     blockSize\n" } },
        { .what = "and a result for each block is as its author has it",
          .text = "#define BLOCK 256\n__global__ void k(float *y, const float *x, int n) {\n"
                  "__shared__ float s[BLOCK]; s[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];\n"
                  "y[blockIdx.x] = s[0]; }\n"
                  "void run(float *y, float *x, int n) { k<<<n / BLOCK, BLOCK>>>(y, x, n); }",
          .lines = { "block     256", "!param", "!hold no more" } },
        { .what = "elements of a thread whose name says nothing, but which the grid is divided by",
          .text = "constexpr int COUNT = 4;\ntemplate <int U> __global__ void k(float *y, int n) {\n"
                  "for (int u = 0; u < U; u++) { int i = (blockIdx.x * U + u) * blockDim.x + threadIdx.x;\n"
                  "if (i < n) y[i] = 1; } }\nvoid run(float *y, int n) { int per_block = 256 * COUNT;\n"
                  "dim3 grid((n + per_block - 1) / per_block); k<COUNT><<<grid, 256>>>(y, n); }",
          .lines = { "param     U = ", "default   U=4 ", "kernel    k<U>\n",
                     "grid      (n + (BLOCK * U) - 1) / (BLOCK * U)" } },
        { .what = "but no number of blocks, which the data may mean",
          .text = "constexpr int HEADS = 8;\ntemplate <int H> __global__ void k(float *y, int n) {\n"
                  "int i = (blockIdx.x * H + blockIdx.y) * blockDim.x + threadIdx.x; if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { dim3 grid(n / 256, HEADS); k<HEADS><<<grid, 256>>>(y, n); }",
          .lines = { "kernel    k<8>\n", "!param     H " } },
        { .what = "of an index that min() keeps within the data, nothing",
          .text =
              "#define TILE 8\n__global__ void k(float *y, const float *x, int n) {\n"
              "int i = blockIdx.x * TILE + threadIdx.x; float v = x[min(i, n - 1)]; if (i < n) y[i] = v; }\n"
              "void run(float *y, const float *x, int n) { k<<<(n + TILE - 1) / TILE, TILE>>>(y, x, n); }",
          .lines = { "arg       x T[n] input", "!does not ask" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, buffers_reach_as_far_as_a_macro_takes_an_element_for_more)
{
    static const example EXAMPLES[] = {
        { .what = "float4 of a macro that takes the address, in brackets or not",
          .text =
              "#define FLOAT4(value) (reinterpret_cast<float4 *>(&(value))[0])\n#define HALF(x) ((x) / 2)\n"
              "#define LOAD(p) *(float2 *)&p\n"
              "__global__ void k(float *y, const float *x, const float *z, const float *w) {\n"
              "int i = 4 * threadIdx.x; FLOAT4(y[i]) = FLOAT4(x[i]); y[0] = LOAD(z[i]).x + HALF(w[i]); }\n"
              "void run(float *a) { k<<<1, 32>>>(a, a, a, a); }",
          .lines = { "y T[128] output", "x T[128] input", "z T[126] input", "w T[125] input" } },
        { .what = "a cast to a type of unknown size, which is asked, or what the host allocates",
          .text = "template <class T, int N> struct Pack { T all[N]; };\n"
                  "__global__ void k(float *y, const float *x, const float *z, const void *w, int n) {\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n"
                  "auto *p = reinterpret_cast<const Pack<float, 4> *>(x); y[i] = p[i].all[0] + ((Pack<float, "
                  "2> *)z)[i].all[1]\n"
                  "+ ((const float *)w)[i]; }\n"
                  "void run(float *y, float *z, int n) { float *x; cudaMalloc(&x, 4 * n * sizeof(float));\n"
                  "k<<<(n + 63) / 64, 64>>>(y, x, z, z, n); }",
          .lines = { "y T[n] output\n", "x T[n * 4] input uniform -1 1  # as line 6 allocates it\n",
                     "z T[n] input uniform -1 1  # ? how many elements has it?" } },
    };
    EXPECT_ALL(EXAMPLES);
}

/* No require divides by zero, whichever values the parameters have. */
Test(adopt_params, that_leave_a_block_no_elements_are_refused_before_the_size_is_divided)
{
    static const example EXAMPLE = {
        .what = "threads of a head",
        .text = "#define P 64\n__global__ void k(float *y, const float *x) {\n"
                "int i = blockIdx.x * (blockDim.x / P) + threadIdx.x / P; if (threadIdx.x % P == 0) y[i] = "
                "x[i]; }\n"
                "void run(float *y, float *x, int n) { k<<<n / (256 / P), 256>>>(y, x); }",
        .lines = { "require   (256 / 64) > 0  # elements of a block\nrequire   n / (256 / 64) > 0 " },
    };
    expect_lines(&EXAMPLE);
}

Test(adopt_params, a_launch_of_constants_stays_as_large_as_it_is)
{
    static const example EXAMPLES[] = {
        { .what = "as many elements as its blocks have threads",
          .text =
              "__global__ void k(const float *x, float *y, int n) {\n"
              "int i = blockIdx.x * blockDim.x + threadIdx.x; float a = x[i]; if (i + 1 < n) y[i] = a; }\n"
              "void run(float *x, float *y) { const int S = 4096, K = 256; const int N = S * K;\n"
              "dim3 block(K); dim3 grid(S); k<<<grid, block>>>(x, y, N); }",
          .lines = { "arg       x T[1048576] input", "arg       n i32 = 1048576\n",
                     "grid      4096  # line 4" } },
        { .what = "but one block for a few elements is an example of more",
          .text = "__global__ void k(const float *x, float *y, int count) {\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= count) return; y[i] = x[i]; }\n"
                  "void run(float *x, float *y) { int n = 8; k<<<1, 8>>>(x, y, n); }",
          .lines = { "grid      ceil_div(count, BLOCK)", "arg       y T[count] output" } },
        { .what = "a block of a number that is the template's, and a grid of as many",
          .text = "template <int NUM_THREADS = 64> __global__ void k(const float *x, float *y, int n) {\n"
                  "int i = blockIdx.x * NUM_THREADS + threadIdx.x; if (i < n) y[i] = x[i]; }\n"
                  "void run(float *x, float *y, int n) { dim3 block(1024 / (4)), grid((n + 256 - 1) / 256);\n"
                  "k<1024 / (4)><<<grid, block>>>(x, y, n); }",
          .lines = { "kernel    k<NUM_THREADS>", "grid      (n + NUM_THREADS - 1) / NUM_THREADS",
                     "block     NUM_THREADS", "default   NUM_THREADS=256" } },
        { .what = "or of a multiple, which only this block fits",
          .text =
              "template <int NUM_THREADS = 64> __global__ void k(const float *x, float *y, int n) {\n"
              "int i = blockIdx.x * NUM_THREADS + threadIdx.x; if (i < n) atomicAdd(y, x[i]); }\n"
              "void run(float *x, float *y, int n) { dim3 block(1024 / (4)), grid((n + 1024 - 1) / 1024);\n"
              "k<1024 / (4)><<<grid, block>>>(x, y, n); }",
          .lines = { "kernel    k<256>", "grid      (n + 1024 - 1) / 1024", "block     256" } },
        { .what = "but not what a loop steps through",
          .text = "__global__ void k(float *y, int n) {\n"
                  "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
                  "y[i] = 1; }\n"
                  "void run(float *y) { k<<<64, 128>>>(y, 8192); }",
          .lines = { "arg       y T[n] output\n", "shape     n " } },
        { .what = "its last step with one block is not what is meant",
          .text = "__global__ void k(float *to, const float *from, int n) { float sum = 0;\n"
                  "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
                  "sum += from[i];\n"
                  "if (threadIdx.x == 0) to[blockIdx.x] = sum; }\n"
                  "void run(float *y, float *x, int n) { int blocks = (n + 127) / 128; k<<<blocks, 128>>>(y, "
                  "x, n);\n"
                  "k<<<1, 128>>>(y, y, blocks); }",
          .lines = { "grid      (n + (128 - 1)) / 128  # line 4" } },
        { .what = "a number of blocks is no number of threads",
          .text = "#define NUM_BLOCK 64\n__global__ void k(float *y) { __shared__ float s[NUM_BLOCK];\n"
                  "s[threadIdx.x % 4] = 1; y[blockIdx.x * 32 + threadIdx.x] = s[0]; }",
          .lines = { "block     32\n", "!block     NUM_BLOCK" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, each_size_that_tiles_round_is_a_multiple_of_them)
{
    static const example EXAMPLES[] = {
        { .what = "both sides of tiles that are written one behind the other",
          .text =
              "#define TILE_M 8\n#define TILE_N 32\n"
              "__global__ void pack(const float *a, float *p, int M, int N) {\n"
              "int m = blockIdx.y * TILE_M + threadIdx.y, n = blockIdx.x * TILE_N + threadIdx.x;\n"
              "int tile = blockIdx.y * gridDim.x + blockIdx.x;\n"
              "p[tile * TILE_M * TILE_N + threadIdx.y * TILE_N + threadIdx.x] = m < M && n < N ? a[m * N + "
              "n] : 0; }\n"
              "void run(float *a, float *p, int M, int N) { dim3 block(TILE_N, TILE_M);\n"
              "dim3 grid((N + TILE_N - 1) / TILE_N, (M + TILE_M - 1) / TILE_M);\n"
              "pack<<<grid, block>>>(a, p, M, N); }",
          .lines = { "arg       p T[M * N] output", "require   M % TILE_M == 0  # the kernel does not ask",
                     "require   N % TILE_N == 0  # the kernel does not ask" } },
        { .what = "also where another access reaches further",
          .text = "#define TILE 64\n__global__ void k(const float *x, float *y, int n, int m) {\n"
                  "__shared__ float s[TILE]; int i = blockIdx.x * TILE + threadIdx.x;\n"
                  "s[threadIdx.x] = x[i] + x[m - 1]; __syncthreads(); if (i < n) y[i] = s[TILE - 1 - "
                  "threadIdx.x]; }\n"
                  "void run(float *x, float *y, int n, int m) {\n"
                  "k<<<(n + TILE - 1) / TILE, TILE>>>(x, y, n, m); }",
          .lines = { "arg       x T[max(n, m)] input",
                     "require   n % TILE == 0  # the kernel does not ask" } },
        { .what = "four of them",
          .text = "#define TILE_A 2\n#define TILE_B 4\n#define TILE_C 8\n#define TILE_D 16\n"
                  "__global__ void k(float *y, int a, int b, int c, int d) {\n"
                  "for (int i = 0; i < a; i += TILE_A) for (int j = 0; j < b; j += TILE_B)\n"
                  "for (int m = 0; m < c; m += TILE_C) for (int n = 0; n < d; n += TILE_D)\n"
                  "y[(((i + TILE_A - 1) * b + j + TILE_B - 1) * c + m + TILE_C - 1) * d + n + threadIdx.x] = "
                  "1; }\n"
                  "void run(float *y, int a, int b, int c, int d) { k<<<1, TILE_D>>>(y, a, b, c, d); }",
          .lines = { "arg       y T[a * b * c * d] output", "require   a % ", "require   b % ",
                     "require   c % ", "require   d % " } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, a_buffer_has_no_more_than_with_the_authors_numbers)
{
    static const example EXAMPLES[] = {
        { .what = "results of each thread of so many blocks",
          .text = "#define BLOCK 128\n#define ITEMS 4\n__global__ void k(const float *x, float *y) {\n"
                  "int first = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS;\n"
                  "for (int i = 0; i < ITEMS; i++) y[first + i] = x[first + i]; }\n"
                  "void run(float *x, float *y) { k<<<80, BLOCK>>>(x, y); }",
          .lines = { "arg       y T[40960] output", "arg       x T[40960] input", "param     ITEMS = ",
                     "require   BLOCK * ITEMS * 80 == 40960  # as many results as the file's own numbers "
                     "make\n" } },
        { .what = "results of each thread that no other parameter makes as many",
          .text = "#define ITEMS 4\n__global__ void k(const float *x, float *y) {\n"
                  "int first = (blockIdx.x * 128 + threadIdx.x) * ITEMS;\n"
                  "for (int i = 0; i < ITEMS; i++) y[first + i] = x[first + i]; }\n"
                  "void run(float *x, float *y) { k<<<80, 128>>>(x, y); }",
          .lines = { "arg       y T[40960] output", "!param" } },
        { .what = "tiles of warps, of as many threads, each as large as a block's tile together",
          .text = "const int WARP = 32;\ntemplate <int BM, int WM, int THREADS>\n"
                  "__global__ void k(const float *x, float *y, int m) {\n"
                  "int row = blockIdx.x * BM + threadIdx.x / WARP * WM;\n"
                  "for (int i = 0; i < WM; i++) y[row + i] = x[row + i]; }\n"
                  "void run(float *x, float *y, int m) { const int B = 64, W = 32, N = 64;\n"
                  "static_assert(B % W == 0 and B / W == N / WARP and N % (B / W) == 0);\n"
                  "k<B, W, N><<<m / B, N>>>(x, y, m); }",
          .lines = { "param     BM", "param     WM", "param     THREADS", "require   (BM / WM) > 0",
                     "require   (BM / WM) == (THREADS / 32)  # the host asserts it\n",
                     "require   BM % WM == 0 ",
                     "require   ceil_div(THREADS, 32) * WM == BM  # as many results as the file's own "
                     "numbers make\n" } },
        { .what = "nothing is as many as a guess",
          .text = "template <int A, int B> __global__ void k(float *y, int n) {\n"
                  "for (int i = 0; i < A; i++) y[blockIdx.x * 8 + threadIdx.x / B + i] = 1; }",
          .lines = { "param     A", "!as many results" } },
        { .what = "what is only read is read in no larger tiles",
          .text = "#define TILE 2\n__global__ void k(const float *x, float *y, int n) {\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float sum = 0;\n"
                  "for (int j = 0; j < TILE; j++) sum += x[i * TILE + j]; y[i] = sum; }\n"
                  "void run(float *x, float *y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }",
          .lines = { "arg       x T[n * 2] input", "arg       y T[n] output",
                     "require   TILE <= 2  # its buffers hold no more" } },
        { .what = "blocks that overlap write no more than they step by",
          .text = "#define BLOCK_W 32\n#define HALO 3\n__global__ void k(const float *x, float *y) {\n"
                  "__shared__ float s[BLOCK_W]; int i = blockIdx.x * (BLOCK_W - 2 * HALO) + threadIdx.x;\n"
                  "s[threadIdx.x] = x[i]; __syncthreads();\n"
                  "if (threadIdx.x >= HALO && threadIdx.x < BLOCK_W - HALO) y[i - HALO] = s[threadIdx.x]; }\n"
                  "void run(float *x, float *y, int n) { k<<<n / (BLOCK_W - 2 * HALO), BLOCK_W>>>(x, y); }",
          .lines = { "arg       x T[n + 6] input", "arg       y T[n] output" } },
        { .what = "nor is a line written that a quotient below 0 makes false for these numbers",
          .text = "#define TILE 16\n__global__ void k(const float *x, float *y, int n) {\n"
                  "__shared__ float s[TILE]; s[threadIdx.x % TILE] = 1;\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "if (i < n) y[i] = x[i + (31 / TILE - 128 / TILE) / 2 + 8] + s[0]; }\n"
                  "void run(float *x, float *y, int n) { k<<<(n + 255) / 256, 256>>>(x, y, n); }",
          .lines = { "arg       x T[n + ", "!hold no more", "!param     TILE" } },
    };
    EXPECT_ALL(EXAMPLES);
}

#define EACH                                                                                                 \
    "__global__ void k(float *y, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"      \
    "i += gridDim.x * blockDim.x) y[i] = 1; }\n"

Test(adopt_params, a_block_that_names_make_a_number_is_a_parameter)
{
    static const example EXAMPLES[] = {
        { .what = "also with a namespace",
          .text = "namespace cuda { constexpr int kBlock = 256; }\n" EACH
                  "void run(float *y, int n) { k<<<(n + 255) / 256, cuda::kBlock>>>(y, n); }",
          .lines = { "param     BLOCK = ", "default   BLOCK=256", "block     BLOCK\n" } },
        { .what = "the larger of 1024 and something, which no block is beyond",
          .text = EACH "void run(float *y, int n) { k<<<n, max(1024, n)>>>(y, n); }",
          .lines = { "default   BLOCK=1024", "block     BLOCK\n" } },
        { .what = "not where it leaves a number of elements that no block divides",
          .text =
              "__global__ void k(const int *c, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "int n = c[i]; if (i < 5 && n > 0) y[i] = n; }\n"
              "void run(int *c, float *y) { cudaMalloc(&c, 5 * sizeof(int)); k<<<1, 64>>>(c, y); }",
          .lines = { "!% BLOCK", "!param" } },
        { .what = "elements that it makes are a number of them",
          .text = "__global__ void k(float *y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
                  "void run(float *y) { const int block = 256, n = 64 * block; k<<<n / block, block>>>(y); }",
          .lines = { "arg       y T[16384] output", "grid      (64 * 256) / BLOCK", "block     BLOCK\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, the_side_of_a_square_block_is_the_number_that_the_launch_has_for_it)
{
#define SQUARE                                                                                               \
    "template <int TILE> __global__ void k(float *y, int n, int m) {\n"                                      \
    "int row = blockIdx.y * TILE + threadIdx.x / TILE, col = blockIdx.x * TILE + threadIdx.x % TILE;\n"      \
    "if (row < m && col < n) y[row * n + col] = 1; }\n"
    static const example EXAMPLES[] = {
        { .what = "in its block and its grid",
          .text = SQUARE "void run(float *y, int n, int m) {\n"
                         "k<16><<<dim3((n + 15) / 16, m / 16), 16 * 16>>>(y, n, m); }",
          .lines = { "param     TILE = ", "grid      ceil_div(n, TILE), m / TILE",
                     "block     TILE * TILE\n" } },
        { .what = "of a product the last number alone",
          .text = SQUARE "void run(float *y, int n, int m) {\n"
                         "k<16><<<(n + 15) / 16 * ((m + 15) / 16), 16 * 16>>>(y, n, m); }",
          .lines = { "!ceil_div(n + 15) / 16 * ((m, TILE)" } },
        { .what = "not where the grid has another",
          .text = SQUARE "void run(float *y, int n, int m) { k<16><<<dim3(8, 8), 16 * 16>>>(y, n, m); }",
          .lines = { "grid      8, 8", "block     256\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, arrays_of_the_kernel_limit_the_sizes_that_index_them)
{
    static const example EXAMPLES[] = {
        { .what = "by the counter of a loop",
          .text = "__global__ void k(const float *x, float *y, int n, int D) {\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float z[30], s = 0;\n"
                  "for (int d = 0; d < D; d++) z[d] = x[i * D + d];\n"
                  "for (int d = 0; d <= D - 1; d++) s += z[d]; y[i] = s; }",
          .lines = { "require   D <= 30  # an array of the kernel has no more\n", "!require   n" } },
        { .what = "each dimension",
          .text =
              "__global__ void k(const float *x, float *y, int n, int m) { __shared__ float z[16][1 << 5];\n"
              "for (int a = 0; a < n; a++) for (int b = 0; b < m; b++) { z[a][b] = x[a * m + b];\n"
              "y[a * m + b] = z[a][b]; } }",
          .lines = { "require   n <= 16 ", "require   m <= 32 " } },
        { .what = "an index of less is none of them, nor is a number that is no size",
          .text = "__global__ void k(const float *x, float *y, int n, int rounds) { float z[8];\n"
                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;\n"
                  "for (int r = 0; r < rounds; r++) z[r] = r; y[i] = z[i % 8] + z[n & 7]; }",
          .lines = { "!require" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, a_number_whose_type_nothing_defines_is_asked)
{
    static const example EXAMPLES[] = {
        { .what = "its name is in the question",
          .text = "#include \"theirs.h\"\n__global__ void k(float *y, State s, int n) {\n"
                  "int i = threadIdx.x; if (i < n) y[i] = s.at(i); }",
          .lines = { "arg       s f32 = 1  # ? nothing here defines its type 'State': a number (f32, i32, "
                     "...), "
                     "or a struct?\n" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, what_a_size_makes_too_large_to_launch_is_left_out)
{
    static const example EXAMPLES[] = {
        { .what = "rows of a grid in y, and shared memory",
          .text = "__global__ void k(float *y, int n, int m) { extern __shared__ float s[];\n"
                  "s[threadIdx.x] = 1; y[blockIdx.y * n + threadIdx.x] = s[n]; }\n"
                  "void run(float *y, int n, int m) { k<<<dim3(1, m), 64, n * sizeof(float)>>>(y, n, m); }",
          .lines = { "require   m <= 65535  # blocks of a grid in y\n",
                     "require   n * 4 <= device.max_shared_bytes\n" } },
        { .what = "what binds less than the comparison",
          .text =
              "__global__ void k(float *y, int n, int m) { extern __shared__ float s[];\n"
              "s[threadIdx.x] = 1; y[blockIdx.y * n + threadIdx.x] = s[n]; }\n"
              "void run(float *y, int n, int m) { k<<<dim3(1, m), 64, n > 64 ? n * 4 : m * 4>>>(y, n, m); }",
          .lines = { "require   m <= 65535  # blocks of a grid in y\n",
                     "require   (n > 64 ? n * 4 : m * 4) <= device.max_shared_bytes\n" } },
        { .what = "numbers are not that large",
          .text = "__global__ void k(float *y, int n, int m) {\n"
                  "int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;\n"
                  "if (i < n && j < m) y[j * n + i] = 1; }\n"
                  "void run(float *y, int n, int m) {\n"
                  "k<<<dim3((n + 7) / 8, (m + 7) / 8, 3), dim3(8, 8), 256>>>(y, n, m); }",
          .lines = { "require   (m + 7) / 8 <= 65535  # blocks of a grid in y\n", "!in z",
                     "!max_shared_bytes" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, a_template_has_a_value_of_an_enum_that_the_file_does_not_say)
{
    static const example EXAMPLES[] = {
        { .what = "its first",
          .text = "enum Kind { SUM, MEAN };\ntemplate <typename T, Kind KIND, bool WIDE>\n"
                  "__global__ void k(T *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = KIND + WIDE; }\n"
                  "void run(float *y, int n) { ANY(kind, [&] { k<float, KIND, true><<<1, 64>>>(y, n); }); }",
          .lines = { "kernel    k<T, (Kind)0, true>  # ? it is a template: with which arguments?" } },
    };
    EXPECT_ALL(EXAMPLES);
}

Test(adopt_params, a_grid_below_zero_is_none)
{
    static const example EXAMPLES[] = {
        { .what = "it is chosen later",
          .text = "__global__ void k(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "if (i < n) y[i] = 1; }\n"
                  "void run(float *y, int n) { int blocks = -1; choose(&blocks); k<<<blocks, 64>>>(y, n); }",
          .lines = { "grid      ceil_div(n, BLOCK)", "!grid      -" } },
    };
    EXPECT_ALL(EXAMPLES);
}
