/*!autotune
template  blocks                       # blocks search shares of the input and join what they found by an atomic maximum
use       policy

param     THREADS = 128 256 512 1024
param     UNROLL  = 1 2 4 8           # 16-byte accesses that a thread has on their way
param     BLOCKS  = 1 2 3 4 6 8 16    # blocks for each multiprocessor, at most
param     HINT    = none once         # what the caches are told: nothing, or that all is used once

let       vectors = n * sizeof(T) / 16
let       pieces  = max(1, ceil_div(vectors, THREADS * UNROLL)) # of which a block has one at a time
let       blocks  = min(pieces, BLOCKS * device.sms)
let       fewer   = BLOCKS == 1 ? 0 : BLOCKS == 6 ? 4 : BLOCKS == 8 ? 6 : BLOCKS == 16 ? 8 : BLOCKS - 1 # the value before
const     SINGLE  = blocks == 1       # needs nobody else
general   SINGLE=0

require   THREADS <= device.max_threads_per_block
require   BLOCKS == 1 || pieces > fewer * device.sms # else as with fewer
require   UNROLL == 1 || vectors > THREADS * UNROLL / 2 # else as with fewer

grid      blocks
block     THREADS
default   THREADS=256 UNROLL=4 BLOCKS=4 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int THREADS = 256, UNROLL = 4, SINGLE = 0, HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/policy.cuh"
#endif

constexpr int PER = 4, PIECE = THREADS * UNROLL;

union Part {
    uint4 bits;
    T     element[PER];
};

/* Of a larger value larger, and of equal values of the smaller index. It is never 0. */
__device__ __forceinline__ unsigned long long word_of(T value, unsigned index)
{
    const unsigned bits = __float_as_uint(value + 0.0f); /* -0 and 0 are equal */
    const unsigned sorted = bits >> 31 ? ~bits : bits | 0x80000000u;
    return (unsigned long long)sorted << 32 | ~index;
}

__device__ __forceinline__ unsigned long long larger(unsigned long long a, unsigned long long b)
{
    return a < b ? b : a;
}

/* The largest of the block, in its first warp. */
__device__ __forceinline__ unsigned long long largest_of_block(unsigned long long word)
{
    constexpr int WARPS = THREADS / 32;
    __shared__ unsigned long long words[WARPS];

#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        word = larger(word, __shfl_xor_sync(0xffffffffu, word, i));
    if (threadIdx.x % 32 == 0)
        words[threadIdx.x / 32] = word;
    __syncthreads();
    word = words[threadIdx.x % WARPS];
#pragma unroll
    for (int i = WARPS / 2; i > 0; i /= 2)
        word = larger(word, __shfl_xor_sync(0xffffffffu, word, i));
    return word;
}

/*
 * A thread goes through the input from front to back, so that it keeps what it has where values are equal. Indices
 * below n are less than 2^32.
 */
__device__ __forceinline__ unsigned long long largest_of_share(const T *in, long long n)
{
    const unsigned vectors = (unsigned)(n / PER), pieces = (unsigned)((n / PER + PIECE - 1) / PIECE);
    const uint4 *const from = (const uint4 *)in;
    unsigned first = n > (long long)(blockIdx.x * PIECE + threadIdx.x) * PER ? (blockIdx.x * PIECE + threadIdx.x) * PER : 0;
    T value = in[first];
    Part part[UNROLL];

    for (unsigned piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        const unsigned v = piece * PIECE + threadIdx.x;
        const bool full = v + (PIECE - THREADS) < vectors;
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            if (full || v + i * THREADS < vectors)
                part[i].bits = load<false, HINT == HINT_once>(from + v + i * THREADS);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            if (full || v + i * THREADS < vectors)
#pragma unroll
                for (int k = 0; k < PER; k++)
                    if (part[i].element[k] > value) {
                        value = part[i].element[k];
                        first = (v + i * THREADS) * PER + k;
                    }
    }
    unsigned long long word = word_of(value, first);
    if (blockIdx.x == gridDim.x - 1 && (long long)vectors * PER + threadIdx.x < n) /* what fills no vector */
        word = larger(word, word_of(in[(long long)vectors * PER + threadIdx.x], vectors * PER + threadIdx.x));
    return word;
}

extern "C" __global__ void __launch_bounds__(THREADS)
argmax_blocks(long long *__restrict__ out, const T *__restrict__ in, unsigned long long *best, long long n)
{
    const unsigned long long word = largest_of_block(largest_of_share(in, n));

    if (threadIdx.x > 0)
        return;
    if (SINGLE) {
        out[0] = ~(unsigned)word;
        return;
    }
    atomicMax(&best[0], word);
    __threadfence(); /* whoever sees the counter sees the word */
    if (atomicAdd(&best[1], 1ull) != gridDim.x - 1)
        return;
    __threadfence();
    out[0]  = ~(unsigned)atomicExch(&best[0], 0ull);
    best[1] = 0;
}
