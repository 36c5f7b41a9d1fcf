/*!autotune
template  registers                    # TM x TN elements of c a thread in registers; tiles of a and b ahead by async copies

param     BM     = 64 128 256          # rows of c that a block computes
param     BN     = 64 128 256          # columns
param     BK     = 8 16 32             # of k that is in shared memory at once
param     TM     = 8 16                # rows that a thread computes: more of them, fewer loads for each product
param     TN     = 8 16                # columns
param     SLICES = 1 2 4               # of BK, each for warps of its own: where there are fewer tiles than multiprocessors
param     LANES  = 4 8                 # of the warp's 32 lanes so many along the rows, the others along the columns
param     WEAVE  = 1 2                 # rows of lanes in eight neighbours: which lanes load the same 16 bytes
param     STAGES = 2 3 4               # tiles in shared memory: one is used, the others arrive
param     GROUP  = 1 4 8               # rows of blocks that run side by side, so that the L2 has what they share
param     BLOCKS = 1 2 3 4             # on a multiprocessor: what the compiler may spend of registers

let       warps_m = BM / (LANES * TM)
let       warps_n = BN / (32 / LANES * TN)
let       warps   = warps_m * warps_n * SLICES
let       threads = warps * 32
let       shared_bytes = max(STAGES * BK * (BM + 4 + BN), SLICES / 2 * BM * BN) * sizeof(T)
let       sums    = TM * TN
let       registers = sums <= 64 ? 128 : 255         # what it takes, as seen
let       blocks  = ceil_div(m, BM) * ceil_div(n, BN)
const     EDGE_M  = m % BM != 0        # some tile is not full: of rows of c, ...
const     EDGE_N  = n % BN != 0
const     EDGE_K  = k % BK != 0
const     ALIGNED = n % 4 == 0         # rows of b and c begin at multiples of 16 bytes

fixed     k > 0                        # the sizes are constants: offsets need no arithmetic then

require   BM % (LANES * TM) == 0 && BN % (32 / LANES * TN) == 0 # the tile is made of whole warps' tiles
require   threads >= 64 && threads <= 512
require   BK / SLICES >= 4             # fewer are barriers
require   sums <= 128                  # more do not fit into 255 registers
require   registers * threads * BLOCKS <= device.max_registers_per_block
require   2 * registers * threads * BLOCKS >= device.max_registers_per_block # half of them are used at least
require   threads * BLOCKS >= 256      # two warps for each scheduler
require   SLICES == 1 || blocks < 2 * device.sms # enough tiles are better
require   shared_bytes <= device.max_shared_bytes && shared_bytes * BLOCKS <= 220000
require   warps % (BK / 8) == 0 && BK / 8 * (BM / 4) % warps == 0 # each thread copies equally much of a ...
require   threads % (BN / 4) == 0 && BK % (threads / (BN / 4)) == 0 # ... and of b
require   GROUP == 1 || GROUP <= ceil_div(m, BM)
require   blocks <= device.max_grid_x

grid      blocks
block     threads
shared    shared_bytes
default   BM=128 BN=128 BK=16 TM=8 TN=8 SLICES=1 LANES=4 WEAVE=2 STAGES=3 GROUP=8 BLOCKS=2
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int BM = 128, BN = 128, BK = 16, TM = 8, TN = 8, SLICES = 1, LANES = 4, WEAVE = 2, STAGES = 3, GROUP = 8, BLOCKS = 2;
constexpr int EDGE_M = 1, EDGE_N = 1, EDGE_K = 1, ALIGNED = 1;
#define AUTOTUNE_ARG(name) name
#endif

/*
 * What is a tile. A warp computes (LANES * TM) x (32 / LANES * TN) elements; a thread's are groups of 4 x 4, LANES * 4
 * rows and 32 / LANES * 4 columns apart, so that neighbouring lanes load neighbouring 16 bytes.
 *
 * a lies transposed in shared memory, so that a thread's rows are vectors; it is copied in pieces of 4 bytes, 8 along k
 * (a sector of 32 bytes) by 4 rows in a warp, which the 4 spare elements a row put into 32 different banks.
 *
 * Where eight neighbouring lanes are two rows of four (WEAVE = 2), each of them has a neighbour that loads the same 16 bytes
 * of a, and one of b: half as many accesses to shared memory as with one row of eight.
 *
 * A thread multiplies the vectors of one k while those of the next are on their way: `from_a`, `from_b` have two of each.
 * The one barrier a tile stands before its last k: what the next k loads has arrived, and what the tile had is free.
 */
constexpr int LANES_N = 32 / LANES, WARP_M = LANES * TM, WARP_N = LANES_N * TN;
constexpr int WARPS_N = BN / WARP_N, SLICE_WARPS = BM / WARP_M * WARPS_N, WARPS = SLICE_WARPS * SLICES, THREADS = WARPS * 32;
constexpr int DEPTH = BK / SLICES;               /* of a slice of the tile */
constexpr int PITCH_A = BM + 4;                  /* elements from one k to the next */
constexpr int STAGE_A = BK * PITCH_A, STAGE = STAGE_A + BK * BN;
constexpr int DEEP_A = BK / 8;                   /* pieces of a along k */
constexpr int STEP_A = WARPS / DEEP_A * 4;       /* rows of a that the block copies at once */
constexpr int STEP_B = THREADS / (BN / 4);       /* of b */

extern __shared__ uint4 shared_memory[];

/* 4 or 16 bytes to shared memory; those that are not `inside` are not read, and become 0. */
template <int size, int edges> __device__ __forceinline__ void copy_async(T *to, const T *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    if constexpr (size == 16 && edges)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(inside ? 16 : 0));
    else if constexpr (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from));
    else if constexpr (edges)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(inside ? 4 : 0));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from));
#else
    for (int i = 0; i < size / 4; i++)
        to[i] = inside ? from[i] : T(0);
#endif
}

__device__ __forceinline__ void end_of_tile()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until all but the last STAGES - 2 tiles have arrived. */
__device__ __forceinline__ void await_tile()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
    __syncthreads();
}

/* The sums of all slices, in the first one. */
__device__ __forceinline__ void add_slices(T (&sum)[TM][TN], T *shared, int slice, int thread)
{
#pragma unroll
    for (int half = SLICES / 2; half > 0; half /= 2) {
        T *const place = shared + slice % half * BM * BN + thread;
        __syncthreads();
        if (slice >= half && slice < 2 * half) {
#pragma unroll
            for (int i = 0; i < TM * TN; i++)
                place[i * SLICE_WARPS * 32] = sum[i / TN][i % TN];
        }
        __syncthreads();
        if (slice < half) {
#pragma unroll
            for (int i = 0; i < TM * TN; i++)
                sum[i / TN][i % TN] += place[i * SLICE_WARPS * 32];
        }
    }
}

/* Groups of GROUP rows of blocks, column by column within a group. */
__device__ __forceinline__ void place_of(int &row, int &col, int down, int across)
{
    const int block = (int)blockIdx.x;
    if (GROUP == 1) {
        row = block / across;
        col = block % across;
        return;
    }
    const int first = block / (GROUP * across) * GROUP, left = block % (GROUP * across);
    const int high = min(GROUP, down - first);
    row = first + left % high;
    col = left / high;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    sgemm_registers(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int AUTOTUNE_ARG(m),
                    int AUTOTUNE_ARG(n), int AUTOTUNE_ARG(k))
{
    T *const shared = (T *)shared_memory;
    const int thread = (int)threadIdx.x, lane = thread % 32, warp = thread / 32;
    int row, col;
    place_of(row, col, (m + BM - 1) / BM, (n + BN - 1) / BN);
    row *= BM;
    col *= BN;

    /* What this thread copies. */
    const int deep_a = warp % DEEP_A * 8 + lane % 8, row_a = warp / DEEP_A * 4 + lane / 8;
    const int deep_b = thread / (BN / 4), col_b = thread % (BN / 4) * 4;
    const T *source_a = a + (long long)(row + row_a) * k + deep_a, *source_b = b + (long long)deep_b * n + col + col_b;

    /* The next tile, which begins at `first` of k. */
    const auto copy_tile = [&](int stage, int first) {
        T *const to_a = shared + stage * STAGE + deep_a * PITCH_A + row_a;
        T *const to_b = shared + stage * STAGE + STAGE_A + deep_b * BN + col_b;
#pragma unroll
        for (int i = 0; i < BM / STEP_A; i++) {
            const bool inside = (!EDGE_M || row + row_a + i * STEP_A < m) && (!EDGE_K || first + deep_a < k);
            copy_async<4, EDGE_M || EDGE_K>(to_a + i * STEP_A, source_a + (long long)i * STEP_A * k, inside);
        }
#pragma unroll
        for (int i = 0; i < BK / STEP_B; i++) {
            const bool deep = !EDGE_K || first + deep_b + i * STEP_B < k;
            T *const to = to_b + i * STEP_B * BN;
            const T *const from = source_b + (long long)i * STEP_B * n;
            if constexpr (ALIGNED)
                copy_async<16, EDGE_N || EDGE_K>(to, from, deep && (!EDGE_N || col + col_b < n));
            else
#pragma unroll
                for (int j = 0; j < 4; j++)
                    copy_async<4, EDGE_N || EDGE_K>(to + j, from + j, deep && (!EDGE_N || col + col_b + j < n));
        }
        source_a += BK;
        source_b += (long long)BK * n;
    };

    /* What it multiplies. Eight neighbouring lanes are WEAVE rows of lanes by 8 / WEAVE columns. */
    const int lane_n = WEAVE == 1 ? lane % LANES_N : lane / 2 % LANES_N;
    const int lane_m = WEAVE == 1 ? lane / LANES_N : lane / 2 / LANES_N * 2 + lane % 2;
    const int slice = warp / SLICE_WARPS, slice_warp = warp % SLICE_WARPS;
    const int my_row = slice_warp / WARPS_N * WARP_M + lane_m * 4, my_col = slice_warp % WARPS_N * WARP_N + lane_n * 4;
    alignas(16) T from_a[2][TM], from_b[2][TN];
    T sum[TM][TN] = {};

    const auto load = [&](int slot, const T *tile, int deep) {
        const T *const row_of_a = tile + (slice * DEPTH + deep) * PITCH_A + my_row;
        const T *const row_of_b = tile + STAGE_A + (slice * DEPTH + deep) * BN + my_col;
#pragma unroll
        for (int i = 0; i < TM; i += 4)
            *(float4 *)&from_a[slot][i] = *(const float4 *)(row_of_a + i * LANES);
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *(float4 *)&from_b[slot][j] = *(const float4 *)(row_of_b + j * LANES_N);
    };

    const int tiles = (k + BK - 1) / BK;
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        if (stage < tiles)
            copy_tile(stage, stage * BK);
        end_of_tile();
    }
    await_tile();
    load(0, shared, 0);

    int used = 0, filled = STAGES - 1;
    for (int tile = 0; tile < tiles; tile++) {
        const T *now = shared + used * STAGE;
#pragma unroll
        for (int deep = 0; deep < DEPTH; deep++) {
            if (deep == DEPTH - 1) {
                await_tile();
                used = used + 1 == STAGES ? 0 : used + 1;
                now = shared + used * STAGE;
            }
            load((deep + 1) % 2, now, (deep + 1) % DEPTH);
            if (deep == 0) {
                if (tile + STAGES - 1 < tiles)
                    copy_tile(filled, (tile + STAGES - 1) * BK);
                end_of_tile();
                filled = filled + 1 == STAGES ? 0 : filled + 1;
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += from_a[deep % 2][i] * from_b[deep % 2][j];
        }
    }

    add_slices(sum, shared, slice, thread % (SLICE_WARPS * 32));
    if (slice > 0)
        return;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int r = row + my_row + i / 4 * 4 * LANES + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            const int to = col + my_col + j * LANES_N;
            if (EDGE_M && r >= m)
                continue;
            if (ALIGNED && (!EDGE_N || to < n))
                *(float4 *)(c + (long long)r * n + to) = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
#pragma unroll
            for (int l = 0; !ALIGNED && l < 4; l++)
                if (!EDGE_N || to + l < n)
                    c[(long long)r * n + to + l] = sum[i][j + l];
        }
    }
}
