/*!autotune
template  tiny                         # very many matrices of at most 32 bytes: each thread turns whole ones in registers
use       access turn

param     BYTES   = 16 32              # of whole matrices that a thread holds; 64 scatter a warp's accesses
param     THREADS = 64 128 256 512     # threads a block

const     ROWS    = rows
const     COLS    = cols
const     PIECE   = min(16, min(align_in, align_out)) # bytes of an access
let       matrix_bytes = rows * cols * sizeof(T)
let       threads = ceil_div(count * sizeof(T), BYTES)
let       blocks  = ceil_div(threads, THREADS)
const     EDGE    = count * sizeof(T) % (BYTES * THREADS) != 0 # the last block is not full
const     TAIL    = count * sizeof(T) % BYTES != 0 # nor the last thread
general   EDGE=1 TAIL=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
prefer    batch > 1                    # a single matrix is cut into tiles
require   BYTES % matrix_bytes == 0    # a thread holds whole matrices
prefer    PIECE >= 4                   # narrower accesses waste a warp's requests
require   THREADS <= min(device.max_threads_per_block, max(64, threads))
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
default   BYTES=32 THREADS=128
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int BYTES = 16, THREADS = 128, ROWS = 2, COLS = 2, PIECE = 16, EDGE = 1, TAIL = 1;
#include "../common/access.cuh"
#include "../common/turn.cuh"
#endif

using Bits = Access<PIECE>::type;

constexpr int WORDS  = BYTES / 4;
constexpr int PIECES = BYTES / PIECE;
constexpr int AREA   = ROWS * COLS;         /* elements of a matrix       */

union Held {
    Bits     piece[PIECES];
    unsigned word[WORDS];
};

/* Which element of the input an element of the output is, matrices one after the other. */
__device__ __forceinline__ constexpr int source(int e)
{
    return e / AREA * AREA + e % AREA % ROWS * COLS + e % AREA / ROWS;
}

__device__ __forceinline__ void turn(unsigned (&out)[WORDS], const unsigned (&in)[WORDS])
{
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        int at[PACK];
#pragma unroll
        for (int i = 0; i < PACK; i++)
            at[i] = source(w / PARTS * PACK + i);
        out[w] = gathered(in, at, w % PARTS);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_tiny(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    const long long count = batch * AREA, thread = (long long)blockIdx.x * THREADS + threadIdx.x;
    const long long first = thread * (BYTES / ES); /* of its elements */

    if (!EDGE || first + BYTES / ES <= count) {
        Held held, turned;
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            held.piece[i] = ((const Bits *)in)[thread * PIECES + i];
        turn(turned.word, held.word);
#pragma unroll
        for (int i = 0; i < PIECES; i++)
            ((Bits *)out)[thread * PIECES + i] = turned.piece[i];
    } else if (TAIL) { /* whole matrices, fewer than a thread holds */
        for (long long e = first; e < count; e++)
            out[e] = in[first + source((int)(e - first))];
    }
}
