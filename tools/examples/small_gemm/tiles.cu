/*!autotune
template  tiles                        # TM x TN elements of c a thread, GROUP products a block

param     TM     = 1 2 4               # rows of c that a thread computes
param     TN     = 1 2 4               # columns
param     GROUP  = 1 2 4 8 16          # products that a block computes
param     STAGED = 0 1                 # a and b pass through shared memory
param     DEEP   = 0 1                 # the loop over k is unrolled as a whole, else by four

const     M      = m                   # sizes are constants of the kernel
const     N      = n
const     K      = k
let       across = ceil_div(n, TN)
let       down   = ceil_div(m, TM)
let       used   = GROUP * across * down
let       threads = ceil_div(used, 32) * 32
let       idle   = 100 * threads / used # for predictions alone: threads without elements, in per cent
let       edge   = 100 * (down * TM * across * TN) / (m * n) # and elements outside of c
let       shared_bytes = STAGED * GROUP * (m * k + k * n) * sizeof(T)

require   used >= 24 && threads <= 512
require   4 * used >= 3 * threads      # at most a quarter of the threads has nothing to do
require   TM <= m && TN <= n
require   shared_bytes <= 65536 && shared_bytes <= device.max_shared_bytes

grid      ceil_div(batch, GROUP)
block     threads
shared    shared_bytes
default   TM=1 TN=1 GROUP=1 STAGED=0 DEEP=0
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int TM = 2, TN = 2, GROUP = 1, STAGED = 1, DEEP = 0, M = 24, N = 24, K = 24;
#endif

constexpr int ACROSS = (N + TN - 1) / TN, DOWN = (M + TM - 1) / TM, USED = GROUP * ACROSS * DOWN;
constexpr int THREADS = (USED + 31) / 32 * 32, UNROLLED = DEEP ? K : 4;

extern __shared__ uint4 shared_memory[];

/* A thread's elements lie DOWN rows and ACROSS columns apart: neighbours read and write neighbours. */
__device__ __forceinline__ void multiply(T *c, const T *a, const T *b, int y, int x)
{
    T sum[TM][TN] = {};
#pragma unroll UNROLLED
    for (int p = 0; p < K; p++) {
        T left[TM], right[TN];
        for (int i = 0; i < TM; i++)
            left[i] = y + i * DOWN < M ? a[(y + i * DOWN) * K + p] : T(0);
        for (int j = 0; j < TN; j++)
            right[j] = x + j * ACROSS < N ? b[p * N + x + j * ACROSS] : T(0);
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j++)
                sum[i][j] += left[i] * right[j];
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            if (y + i * DOWN < M && x + j * ACROSS < N)
                c[(y + i * DOWN) * N + x + j * ACROSS] = sum[i][j];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    small_gemm_tiles(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int batch, int, int, int)
{
    const int first = (int)blockIdx.x * GROUP, count = batch - first < GROUP ? batch - first : GROUP;
    const T *from_a = a + (long long)first * (M * K), *from_b = b + (long long)first * (K * N);
    if constexpr (STAGED) {
        T *to_a = (T *)shared_memory, *to_b = to_a + GROUP * (M * K);
        for (int i = (int)threadIdx.x; i < count * (M * K); i += THREADS)
            to_a[i] = from_a[i];
        for (int i = (int)threadIdx.x; i < count * (K * N); i += THREADS)
            to_b[i] = from_b[i];
        __syncthreads();
        from_a = to_a;
        from_b = to_b;
    }
    const int which = (int)threadIdx.x / (ACROSS * DOWN), at = (int)threadIdx.x % (ACROSS * DOWN);
    if (which < count)
        multiply(c + (long long)(first + which) * (M * N), from_a + which * (M * K), from_b + which * (K * N), at / ACROSS,
                 at % ACROSS);
}
