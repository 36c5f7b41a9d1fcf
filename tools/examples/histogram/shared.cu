/*!autotune
template  shared                       # a block counts in shared memory, and adds what it counted to global memory
use       policy

param     THREADS = 128 256 512 1024
param     UNROLL  = 1 2 4             # 16-byte accesses that a thread has on their way
param     BLOCKS  = 1 2 3 4 6 8       # blocks for each multiprocessor, at most
param     COPIES  = 1 2 4 8 16 32     # of each counter, for lanes that would meet in it or in its bank
param     ADD     = inc add           # the instruction: one that joins lanes of a warp that meet in a counter, or a plain addition
param     HINT    = none once         # what the caches are told: nothing, or that all is used once
param     JOIN    = last early        # who hands over: the last block; or all, once one has zeroed `counts`, while the others counted

let       vectors = n * sizeof(T) / 16
let       pieces  = max(1, ceil_div(vectors, THREADS * UNROLL)) # of which a block has one at a time
let       blocks  = min(pieces, BLOCKS * device.sms)
let       shared_bytes = bins * COPIES * 4
const     BINS    = bins
let       fewer   = BLOCKS == 1 ? 0 : BLOCKS == 6 ? 4 : BLOCKS == 8 ? 6 : BLOCKS - 1 # the value before
const     SINGLE  = blocks == 1       # needs nobody else

require   THREADS <= device.max_threads_per_block
require   shared_bytes <= device.max_shared_bytes
require   BLOCKS * (shared_bytes + 1024) <= device.max_shared_bytes + 1024 # all of them are resident
require   BLOCKS * THREADS <= 2048     # likewise
require   JOIN == JOIN_last || blocks > 1 # a single block has nobody to wait for
require   BLOCKS == 1 || pieces > fewer * device.sms # else as with fewer
require   UNROLL == 1 || vectors > THREADS * UNROLL / 2 # else as with fewer

grid      blocks + (JOIN == JOIN_early) # one more, which zeroes
block     THREADS
shared    shared_bytes
default   THREADS=512 UNROLL=2 BLOCKS=2 COPIES=8 ADD=inc HINT=none JOIN=last
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = int;
constexpr int THREADS = 512, UNROLL = 2, COPIES = 8, BINS = 256, SINGLE = 0, ADD_inc = 0, ADD_add = 1, ADD = ADD_inc;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none, JOIN_last = 0, JOIN_early = 1, JOIN = JOIN_last;
#include "../../../templates/common/policy.cuh"
#endif

constexpr int PER = 16 / (int)sizeof(T), PIECE = THREADS * UNROLL;

union Part {
    uint4 bits;
    T     element[PER];
};

/* The counters of a block, and those of them that this lane takes: offsets in bytes, so that a shift and a mask make one. */
struct Counters {
    char    *memory;
    unsigned mine;
    int      one; /* 1, which the compiler knows or does not: it chooses the instruction by that */

    __device__ __forceinline__ void count(T value) const
    {
        if ((sizeof(T) == 1 && BINS == 256) || (unsigned)value < BINS)
            atomicAdd((int *)(memory + ((unsigned)value * (COPIES * 4) | mine)), ADD == ADD_inc ? 1 : one);
    }
};

__device__ __forceinline__ void count_share(const Counters &to, const T *in, long long n, int block, int blocks)
{
    const long long vectors = n / PER, pieces = (vectors + PIECE - 1) / PIECE;
    const uint4 *const from = (const uint4 *)in;
    Part part[UNROLL];

    for (long long piece = block; piece < pieces; piece += blocks) {
        const long long v = piece * PIECE + threadIdx.x;
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            if (v + i * THREADS < vectors)
                part[i].bits = load<false, HINT == HINT_once>(from + v + i * THREADS);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            if (v + i * THREADS < vectors)
#pragma unroll
                for (int k = 0; k < PER; k++)
                    to.count(part[i].element[k]);
    }
    if (block == blocks - 1 && vectors * PER + threadIdx.x < n) /* what fills no vector */
        to.count(in[vectors * PER + threadIdx.x]);
}

/* Copies in an order that differs from thread to thread: side by side they would all be of one bank. */
__device__ __forceinline__ int sum_of_copies(const int *counters, int bin)
{
    int sum = 0;
#pragma unroll
    for (int i = 0; i < COPIES; i++)
        sum += counters[bin * COPIES + (i + (int)threadIdx.x) % COPIES];
    return sum;
}

/* One block does nothing else: it zeroes what all add to, and says so in work[0]. It is the first to be started. */
__device__ __forceinline__ void begin_early(int *counts, int *work)
{
    for (int b = (int)threadIdx.x; b < BINS; b += THREADS)
        counts[b] = 0;
    __threadfence(); /* whoever sees the word sees the zeros */
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(work, 1);
}

/* Of one thread: whether this block is the last that saw the word, and so leaves zeros in `work`. */
__device__ __forceinline__ bool await_zeros(int *work, int blocks)
{
    while (*(volatile int *)work == 0)
        continue;
    __threadfence();
    return atomicAdd(work + 1, 1) == blocks - 1;
}

extern "C" __global__ void __launch_bounds__(THREADS)
histogram_shared(int *__restrict__ counts, const T *__restrict__ in, int *work, long long bins, long long n)
{
    extern __shared__ uint4 shared_memory[];
    int *const counters = (int *)shared_memory;
    constexpr bool EARLY = JOIN == JOIN_early && !SINGLE;
    const int blocks = (int)gridDim.x - EARLY, block = (int)blockIdx.x - EARLY;
    __shared__ bool is_last;
    bool cleans = false;

    if (EARLY && block < 0) {
        begin_early(counts, work);
        return;
    }
    for (int i = (int)threadIdx.x; i < BINS * COPIES; i += THREADS)
        counters[i] = 0;
    __syncthreads();
    count_share({ (char *)counters, threadIdx.x % COPIES * 4, (int)gridDim.y }, in, n, block, blocks);
    if (EARLY && threadIdx.x == 0)
        cleans = await_zeros(work, blocks);
    __syncthreads();
    for (int b = (int)threadIdx.x; b < BINS; b += THREADS) {
        const int sum = sum_of_copies(counters, b);
        if (SINGLE)
            counts[b] = sum;
        else if (sum != 0)
            atomicAdd((EARLY ? counts : work) + b, sum);
    }
    if (cleans)
        work[0] = work[1] = 0;
    if (SINGLE || EARLY)
        return;
    __threadfence(); /* whoever sees the counter sees the counts */
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(work + BINS, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    for (int b = (int)threadIdx.x; b < BINS; b += THREADS) {
        counts[b] = __ldcg(work + b);
        work[b]   = 0;
    }
    if (threadIdx.x == 0)
        work[BINS] = 0;
}
