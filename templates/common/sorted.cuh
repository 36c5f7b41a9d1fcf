/*!autotune
common    sorted                       # rows of bytes that are moved by an index, a block's in the order of their places
use       access checked policy

# A template says before what `there` is: rows where the index says.
param     VEC     = 4 8 16             # bytes of an access
param     OWN     = 1024 2048 4096 8192 16384 # rows of a block
param     THREADS = 256 512 1024       # threads a block
param     EACH    = 1 2 4 8            # rows that a thread reads before it writes the first
param     HOLD    = no yes             # the rows that follow each other are kept in shared memory, and moved there in whole
param     PERIOD  = 0 8 12 16 20 24 28 32 40 48 64 # microseconds that blocks take, which begin where others are; 0: at the first
param     PACE    = free even            # a block that is ahead of its time waits
param     HINT    = none once

const     BINS    = max(1024, OWN / 4)
const     SCALE   = BINS * 4294967296 / max(there, BINS) # of a place to its bin
const     LANES   = row_bytes / VEC
const     HELD    = HOLD == HOLD_yes ? OWN * row_bytes : 0
let       blocks  = ceil_div(rows, OWN)
let       bytes   = HELD + 6 * OWN + 4 * BINS + 136

require   row_bytes % VEC == 0 && row_bytes <= 64 && row_bytes >= 16 && is_pow2(LANES)
require   2 * VEC >= min(16, row_bytes)
require   rows > OWN && rows < 4294967296 && there < 4294967296
require   PACE == PACE_free || PERIOD > 0
require   OWN % THREADS == 0 && OWN / THREADS <= 16
require   THREADS / LANES * EACH <= OWN
require   bytes <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#include "checked.cuh"
#include "policy.cuh"
#endif

/* What a block knows of its rows: where the index says, and which of the block's they are. */
template <int rows, int bins> struct Order {
    unsigned       far[rows];
    unsigned       first_of[bins]; /* of the list, for each bin */
    unsigned       of_warps[32];
    int            begin;          /* where in the list the block begins */
    unsigned       time;           /* and when, in nanoseconds */
    unsigned short own[rows];
};

__device__ __forceinline__ unsigned bin_of(unsigned far, unsigned scale)
{
    return (unsigned)((unsigned long long)far * scale >> 32);
}

/* Sums of what stands before each element: `mine` counts of a thread, in a row of threads * mine. */
template <int threads, int mine> __device__ __forceinline__ void sum_up(unsigned *counts, unsigned *of_warps)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    unsigned own[mine], sum = 0;
#pragma unroll
    for (int i = 0; i < mine; i++) {
        own[i] = sum;
        sum += counts[threadIdx.x * mine + i];
    }
    unsigned before = sum;
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, before, apart);
        before += lane >= apart ? other : 0;
    }
    if (lane == 31)
        of_warps[warp] = before;
    __syncthreads();
    before -= sum;
    for (int i = 0; i < warp; i++)
        before += of_warps[i];
#pragma unroll
    for (int i = 0; i < mine; i++)
        counts[threadIdx.x * mine + i] = own[i] + before;
}

__device__ __forceinline__ unsigned long long nanoseconds()
{
    unsigned long long now = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
#endif
    return now;
}

/* Waits, where a block is ahead of others, until it is time for row i of its list: `period` microseconds for `rows` rows. */
template <int period, int rows> __device__ __forceinline__ void await_time(unsigned time, int i)
{
#ifdef __CUDA_ARCH__
    while ((unsigned)nanoseconds() - time < (unsigned)i * (period * 1000u) / rows)
        ;
#endif
}

/* The block's list: its rows by the bin of their places. With a period of 0 it begins at the first of them. */
template <int threads, int period, bool once, int rows, int bins>
__device__ __forceinline__ void sort_rows(Order<rows, bins> &order, const T *index, int here, long long other, unsigned scale)
{
    constexpr int OWN = rows / threads;
    unsigned far[OWN], rank[OWN];
#pragma unroll
    for (int i = 0; i < bins / threads; i++)
        order.first_of[threadIdx.x + i * threads] = 0;
#pragma unroll
    for (int k = 0; k < OWN; k++)
        if ((int)threadIdx.x + k * threads < here)
            far[k] = (unsigned)checked(load<false, once>(index + threadIdx.x + k * threads), other);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < OWN; k++)
        if ((int)threadIdx.x + k * threads < here)
            rank[k] = atomicAdd(&order.first_of[bin_of(far[k], scale)], 1u);
    __syncthreads();
    sum_up<threads, bins / threads>(order.first_of, order.of_warps);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < OWN; k++)
        if ((int)threadIdx.x + k * threads < here) {
            const unsigned at = order.first_of[bin_of(far[k], scale)] + rank[k];
            order.far[at] = far[k];
            order.own[at] = (unsigned short)(threadIdx.x + k * threads);
        }
    if (period > 0 && threadIdx.x == 0) { /* where all others are at this time */
        const unsigned long long now = nanoseconds();
        order.begin = (int)((unsigned)(now % (period * 1000ull)) * (unsigned long long)here / (period * 1000ull));
        order.time  = (unsigned)now;
    }
    __syncthreads();
}

/*
 * A block moves its rows in the order of its list, a row by `lanes` threads side by side, `each` of a thread at a time.
 * `gather`: rows are read where the index says, and the block's own follow each other in `out`; otherwise the reverse.
 * With `held` bytes in front of the list, the block's own rows are kept there, and moved from or to memory in whole.
 */
template <bool gather, class Piece, int threads, int lanes, int each, int held, int period, bool even, bool once, int rows_each, int bins>
__device__ __forceinline__ void move_sorted(uint4 *shared, unsigned char *out, const unsigned char *in, const T *index, long long there, long long rows, unsigned scale)
{
    constexpr int GROUPS = threads / lanes;
    Order<rows_each, bins> &order = *(Order<rows_each, bins> *)((unsigned char *)shared + held);
    const long long first = (long long)blockIdx.x * rows_each;
    const int here = (int)(rows - first < rows_each ? rows - first : rows_each), lane = (int)threadIdx.x % lanes;
    Piece *const near = (Piece *)(gather ? out : (unsigned char *)in) + first * lanes; /* the block's own rows */
    Piece *const own  = held > 0 ? (Piece *)shared : near;

    if (held > 0 && !gather)
        for (int i = (int)threadIdx.x; i < here * lanes; i += threads)
            own[i] = near[i];
    sort_rows<threads, period, once>(order, index + first, here, there, scale);
    const int begin = period > 0 ? order.begin : 0;
#pragma unroll 1
    for (int i = (int)threadIdx.x / lanes; i < here; i += GROUPS * each) {
        if (even)
            await_time<period, rows_each>(order.time, i);
        Piece    part[each];
        unsigned to[each];
#pragma unroll
        for (int k = 0; k < each; k++)
            if (i + k * GROUPS < here) {
                int at = i + k * GROUPS + begin;
                at     = at < here ? at : at - here;
                to[k]  = gather ? order.own[at] : order.far[at];
                part[k] = gather ? load<false, once>((const Piece *)in + (unsigned long long)order.far[at] * lanes + lane)
                                 : own[order.own[at] * lanes + lane];
            }
#pragma unroll
        for (int k = 0; k < each; k++)
            if (i + k * GROUPS < here) {
                if (gather)
                    own[to[k] * lanes + lane] = part[k];
                else
                    store<once>((Piece *)out + (unsigned long long)to[k] * lanes + lane, part[k]);
            }
    }
    if (held > 0 && gather) {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < here * lanes; i += threads)
            near[i] = own[i];
    }
}
