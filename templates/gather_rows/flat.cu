/*!autotune
template  flat                         # goes over all bytes of `out`, whatever row they are in: no thread is idle where rows are no power of two
use       access checked index policy

param     VEC     = 8 16               # bytes that are written at once
param     PIECES  = 1 2 4              # such pieces of a thread, all read before the first is written
param     THREADS = 64 128 256 512 1024 # threads a block
param     HINT    = none keep apart    # whether the L2 is to keep what is read; and that nobody needs soon what is written

let       bytes   = rows * row_bytes
let       pieces  = bytes / VEC
let       blocks  = ceil_div(pieces, THREADS * PIECES)
const     READ    = gcd(row_bytes, VEC) # bytes that are read at once
const     PITCH   = row_bytes / READ
const     EDGE    = pieces % (THREADS * PIECES) != 0
const     WIDE    = bytes > 2147483647 # 64-bit counts of what is read
general   EDGE=1 WIDE=1

require   bytes % VEC == 0             # the last piece is whole
require   row_bytes >= VEC             # a piece has parts of two rows at most
require   pieces >= THREADS * PIECES
require   HINT == HINT_none || (device.cc >= 80 && READ >= 4 && moved >= device.l2_bytes)
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
default   VEC=16 PIECES=2 THREADS=256 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
constexpr int VEC = 16, PIECES = 2, THREADS = 256, READ = 16, PITCH = 192, EDGE = 1, WIDE = 0;
constexpr int HINT_none = 0, HINT_keep = 1, HINT_apart = 2, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/checked.cuh"
#include "../common/index.cuh"
#include "../common/policy.cuh"
#endif

constexpr bool KEEP = HINT != HINT_none, ONCE = HINT == HINT_apart;
constexpr int  WORDS = VEC / READ; /* reads to a piece */

using Word  = Access<READ>::type;
using Count = IndexOf<(WIDE != 0), unsigned, unsigned long long>::type;

union Piece {
    Access<VEC>::type bits;
    Word word[WORDS];
};

/* Where `in` would begin if its rows lay as those of `out` do: word i of `out` is then word i from there. */
__device__ __forceinline__ const Word *shifted(const unsigned char *in, const T *index, long long from, Count row)
{
    return (const Word *)in + (checked(__ldg(index + row), from) - (long long)row) * PITCH;
}

/*
 * A block writes bytes that follow each other, and each of its threads pieces that are THREADS apart. Where rows end
 * within a piece, it is read in words, and has an index for its first and one for its last.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
gather_rows_flat(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, const T *__restrict__ index, long long from,
    long long rows, long long row_bytes)
{
    const Count first = (Count)blockIdx.x * (THREADS * PIECES) + threadIdx.x, pieces = (Count)(rows * row_bytes / VEC);
    const Word *begin[PIECES], *next[PIECES];
    Piece part[PIECES];

#pragma unroll
    for (int p = 0; p < PIECES; p++)
        if (!EDGE || first + p * THREADS < pieces) {
            const Count word = (first + p * THREADS) * WORDS;
            begin[p] = shifted(in, index, from, word / PITCH);
            next[p]  = WORDS == 1 ? begin[p] : shifted(in, index, from, (word + WORDS - 1) / PITCH);
        }
#pragma unroll
    for (int p = 0; p < PIECES; p++)
        if (!EDGE || first + p * THREADS < pieces) {
            const Count word = (first + p * THREADS) * WORDS, turn = WORDS == 1 ? 0 : (word + WORDS - 1) / PITCH * PITCH;
#pragma unroll
            for (int j = 0; j < WORDS; j++)
                part[p].word[j] = load<KEEP>((word + j < turn ? begin[p] : next[p]) + word + j);
        }
#pragma unroll
    for (int p = 0; p < PIECES; p++)
        if (!EDGE || first + p * THREADS < pieces)
            store<ONCE>((Access<VEC>::type *)out + first + p * THREADS, part[p].bits);
}
