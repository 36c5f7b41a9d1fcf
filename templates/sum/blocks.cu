/*!autotune
template  blocks                       # blocks sum shares of the input, the last one their sums
use       policy reduce

param     THREADS = 128 256 512 1024
param     UNROLL  = 1 2 4 8 16        # 16-byte accesses that a thread has on their way
param     BLOCKS  = 1 2 3 4 6 8 16    # blocks for each multiprocessor, at most
param     ORDER   = strided chunks    # all blocks side by side through the input, or each through a part of its own
param     HINT    = none once         # what the caches are told: nothing, or that all is used once
param     JOIN    = counted awaited   # who sums the blocks' sums: whoever comes last, or the block with the last number

let       vectors = n * sizeof(T) / 16
let       pieces  = max(1, ceil_div(vectors, THREADS * UNROLL)) # of which a block has one at a time
let       blocks  = min(pieces, BLOCKS * device.sms)
let       fewer   = BLOCKS == 1 ? 0 : BLOCKS == 6 ? 4 : BLOCKS == 8 ? 6 : BLOCKS == 16 ? 8 : BLOCKS - 1 # the value before
const     SINGLE  = blocks == 1       # needs nobody else
general   SINGLE=0

require   THREADS <= device.max_threads_per_block
require   blocks <= 8192               # room in `words`
require   BLOCKS == 1 || pieces > fewer * device.sms # else as with fewer
require   UNROLL == 1 || vectors > THREADS * UNROLL / 2 # else as with fewer
require   JOIN == JOIN_counted || blocks > 1 # a single block has nobody to wait for
require   ORDER == ORDER_strided || pieces > blocks # where blocks have one piece, orders are the same

grid      blocks
block     THREADS
default   THREADS=256 UNROLL=4 BLOCKS=4 ORDER=strided HINT=none JOIN=counted
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int THREADS = 256, UNROLL = 4, SINGLE = 0;
constexpr int ORDER_strided = 0, ORDER_chunks = 1, ORDER = ORDER_strided, HINT_none = 0, HINT_once = 1, HINT = HINT_none;
constexpr int JOIN_counted = 0, JOIN_awaited = 1, JOIN = JOIN_counted;
#include "../common/policy.cuh"
#include "../common/reduce.cuh"
#endif

constexpr int PER = 16 / (int)sizeof(T), PIECE = THREADS * UNROLL;

union Part {
    uint4 bits;
    T     element[PER];
};

/* The sum over the block, in its first thread. */
__device__ __forceinline__ T total_of_block(T sum)
{
    __shared__ T parts[THREADS / 32];
    constexpr int WARPS = THREADS / 32;

    sum = total_of<32>(sum);
    __syncthreads(); /* it is called twice */
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    return total_of<WARPS>(parts[threadIdx.x % WARPS]);
}

/*
 * Accesses of a piece are all asked for before the first is added: the more there are, the more of memory's latency is
 * hidden. `left`: vectors from here to the end, of which the last piece may have fewer than all.
 */
template <bool full> __device__ __forceinline__ T sum_of_piece(const uint4 *from, long long left)
{
    Part part[UNROLL];
    T sum = 0;
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        part[i].bits = full || i * THREADS < left ? load<false, HINT == HINT_once>(from + i * THREADS) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < UNROLL; i++) /* short ways: an addition takes four cycles */
        sum += (part[i].element[0] + part[i].element[1]) + (part[i].element[2] + part[i].element[3]);
    return sum;
}

/* What this thread has of the input. */
__device__ __forceinline__ T sum_of_share(const T *in, long long n)
{
    const long long vectors = n / PER, pieces = (vectors + PIECE - 1) / PIECE, blocks = gridDim.x, block = blockIdx.x;
    const long long first = ORDER == ORDER_chunks ? pieces * block / blocks : block;
    const long long end   = ORDER == ORDER_chunks ? pieces * (block + 1) / blocks : pieces;
    const long long step  = ORDER == ORDER_chunks ? 1 : blocks;
    const uint4 *const from = (const uint4 *)in + threadIdx.x;
    T sum = 0;

    for (long long piece = first; piece < end; piece += step) {
        const long long left = vectors - piece * PIECE - threadIdx.x;
        const bool full = left > PIECE - THREADS;
        sum += full ? sum_of_piece<true>(from + piece * PIECE, left) : sum_of_piece<false>(from + piece * PIECE, left);
    }
    if (block == blocks - 1 && vectors * PER + threadIdx.x < n) /* what fills no vector */
        sum += in[vectors * PER + threadIdx.x];
    return sum;
}

/* A sum, and that it is one: both in a word, so that nothing needs to be waited for between them. */
union Word {
    unsigned long long bits;
    struct {
        T        sum;
        unsigned is_there;
    } is;
};

/* The other blocks' sums, each as soon as it is there; a zero is left in its place. */
__device__ __forceinline__ T sum_of_words(unsigned long long *words)
{
    T sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x - 1; i += THREADS) {
        Word word;
        do
            word.bits = *(volatile unsigned long long *)(words + i);
        while (!word.is.is_there);
        sum += word.is.sum;
        words[i] = 0;
    }
    return sum;
}

/* The block with the last number is started last, and nobody waits for it. */
__device__ __forceinline__ void join_awaited(T *out, unsigned long long *words, T sum)
{
    if (blockIdx.x < gridDim.x - 1) {
        Word word;
        word.is = { sum, 1 };
        if (threadIdx.x == 0)
            *(volatile unsigned long long *)(words + blockIdx.x) = word.bits;
        return;
    }
    const T others = total_of_block(sum_of_words(words));
    if (threadIdx.x == 0)
        out[0] = sum + others;
}

extern "C" __global__ void __launch_bounds__(THREADS)
sum_blocks(T *__restrict__ out, const T *__restrict__ in, unsigned long long *words, long long n)
{
    __shared__ bool is_last;
    unsigned *const done = (unsigned *)words;
    T sum = total_of_block(sum_of_share(in, n));

    if (SINGLE) {
        if (threadIdx.x == 0)
            out[0] = sum;
        return;
    }
    if (JOIN == JOIN_awaited) {
        join_awaited(out, words, sum);
        return;
    }
    if (threadIdx.x == 0) {
        *(T *)(words + 1 + blockIdx.x) = sum;
        __threadfence(); /* whoever sees the counter sees the sum */
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1; /* which makes it 0 again */
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS) {
        sum += __ldcg((const T *)(words + 1 + i));
        words[1 + i] = 0;
    }
    sum = total_of_block(sum);
    if (threadIdx.x == 0)
        out[0] = sum;
}
