/*!autotune
common    sorted                       # rows of bytes that are moved by an index, a block's in the order of their places
use       policy rows
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "policy.cuh"
#include "rows.cuh"
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
