/*!autotune
template  mtx                          # narrow elements, aligned rows: matrices of 8x8 pairs are turned by one instruction
use       async index tiles

param     WIDTH   = 128 256            # bytes of an input row that a tile holds
param     RUN     = 64 128 256         # bytes of an output row that a block writes
param     THREADS = 64 128 256 512     # threads a block
param     QUARTERS = 3 4               # of a multiprocessor's threads that registers leave room for
param     PREFETCH = 0 256             # bytes around a piece that the second-level cache asks memory for
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

const     PER       = 16 / sizeof(T)   # elements in a piece of 16 bytes
const     TILE_ROWS = RUN / sizeof(T)
const     TILE_COLS = WIDTH / sizeof(T)
let       tile_bytes = WIDTH * TILE_ROWS
const     PIECES    = tile_bytes / (16 * THREADS) # that a thread moves
let       fit       = min(32, 233472 / (tile_bytes + 1024)) # blocks that shared memory leaves room for
const     RESIDENT  = max(1, min(fit, 512 * QUARTERS / THREADS)) # and registers should
let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)
let       tiles     = down * across * batch
const     FLAT      = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED   = batch > 1
const     EDGE      = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE      = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
const     KEEP      = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   BATCHED=1 EDGE=1 WIDE=1 KEEP=any
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   sizeof(T) <= 2               # wider elements need no turning of words
require   device.cc >= 75              # the instruction
require   cols % PER == 0 && rows % PER == 0 # rows are whole pieces of 16 bytes
require   ld_in % PER == 0 && ld_out % PER == 0 # that follow each other at multiples of 16 bytes
require   align_in >= 16 && align_out >= 16
require   PIECES == 2 || PIECES == 4 || PIECES == 8 # registers, and bytes in flight
prefer    QUARTERS == 3 || (PIECES == 4 && 512 * 3 / THREADS < fit) # few registers are needed anyway, or shared memory is the limit
prefer    PREFETCH == 0 || count * sizeof(T) >= 33554432 # of no use to small problems
prefer    tile_bytes >= 8192 || tiles <= 8 * device.sms # many small tiles keep too few bytes in flight
prefer    TILE_ROWS < 2 * rows && TILE_COLS < 2 * cols # not mostly empty
require   tile_bytes <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    tile_bytes
default   WIDTH=128 RUN=128 THREADS=128 QUARTERS=3 PREFETCH=0 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned short;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 128, PREFETCH = 0, PER = 8, TILE_ROWS = 64, TILE_COLS = 64, PIECES = 4, RESIDENT = 12, FLAT = 0, BATCHED = 0, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast, KEEP = 1;
#include "../common/async.cuh"
#include "../common/index.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * The tile lies in shared memory as it is, the pieces of its rows swapped so that the eight rows of a matrix meet different
 * banks. ldmatrix turns matrices of pairs: lane l gets row l / 4, pairs 2 (l % 4) and the next, of a turned one. Which eight
 * rows a matrix has is up to us: two of each of four runs of PER rows. Where elements have two bytes, a lane's pairs from
 * all matrices are one piece of 16 bytes of an output row:
 *
 *     matrix        0          1          2          3
 *     has rows      8k, 8k+1   8k+2, +3   8k+4, +5   8k+6, +7   for k = 0 .. 3
 *     lane l gets   8k, 8k+1   8k+2, +3   8k+4, +5   8k+6, +7   for k = l % 4, of column l / 4
 *
 * Elements of one byte are turned two by two: a lane gets pairs of neighbours, and permutes sort them, once for each word.
 */

using Index = IndexOf<WIDE != 0, unsigned, unsigned long long>::type;

constexpr unsigned DEEP   = PER / 8;          /* pieces of a lane that are turned together: rows that make pairs */
constexpr unsigned PAIRS  = PER / 2;          /* words in them */
constexpr unsigned IN     = TILE_COLS / PER;  /* pieces in a row of the tile */
constexpr unsigned STEP   = THREADS / IN;     /* rows that all threads copy at once */
constexpr unsigned SQUARE = 4 * PER;          /* rows that make four pieces of an output row */
constexpr unsigned DOWN   = TILE_ROWS / SQUARE;
constexpr unsigned TURNS  = DOWN * IN / (THREADS / 32);               /* of a warp */
constexpr unsigned AHEAD  = TURNS > 4 / DEEP ? 4 / DEEP : TURNS;      /* turned before the first is stored */

/* Four matrices; of matrix m, lane 8 m + j knows which piece of the tile is row j. */
__device__ __forceinline__ void load_turned(unsigned *pair, const uint4 *tile, unsigned row)
{
#if __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(pair[0]), "=r"(pair[1]), "=r"(pair[2]), "=r"(pair[3]) : "r"((unsigned)__cvta_generic_to_shared(tile + row)) : "memory");
#else
    const unsigned lane = threadIdx.x % 32;
    for (unsigned m = 0; m < 4; m++) {
        const unsigned a = __shfl_sync(0xffffffffu, row, 8 * m + lane % 4 * 2), b = __shfl_sync(0xffffffffu, row, 8 * m + lane % 4 * 2 + 1);
        pair[m] = ((const unsigned short *)(tile + a))[lane / 4] | (unsigned)((const unsigned short *)(tile + b))[lane / 4] << 16;
    }
#endif
}

/* Takes bits of the row's number: parts of it may be swapped one after the other. */
__device__ __forceinline__ unsigned swap(unsigned row)
{
    return row / PER % 4 * 2 + row % 2;
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
transpose_mtx(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];

    const Tile tile = tile_of<TILE_ROWS, TILE_COLS, FLAT, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const unsigned rows_here = (unsigned)tile.rows, cols_here = (unsigned)tile.cols;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    /* Rows are counted in pieces from here on. */
    const Index in_pitch = (Index)(ld_in / PER), out_pitch = (Index)(ld_out / PER);
    const unsigned first = threadIdx.x / IN, piece = threadIdx.x % IN, swapped = piece ^ swap(first);
    const uint4 *const from = (const uint4 *)(in + (tile.matrix * rows + tile.r0) * ld_in + tile.c0) + (first * in_pitch + piece);
    uint4 *const       to   = (uint4 *)(out + (tile.matrix * cols + tile.c0) * ld_out + tile.r0);

#pragma unroll
    for (unsigned i = 0; i < PIECES; i++)
        if (!EDGE || (first + i * STEP < rows_here && piece * PER < cols_here))
            copy_async<KEEP, PREFETCH>(shared_memory + ((first + i * STEP) * IN + (swapped ^ swap(i * STEP))), from + i * STEP * in_pitch);
    await_copies();
    __syncthreads();

    const unsigned own = lane % 8 / 2 * PER + lane / 8 * 2 + lane % 2; /* row that the lane points to */
#pragma unroll
    for (unsigned i = 0; i < TURNS; i += AHEAD) {
        unsigned pair[AHEAD][PAIRS];
#pragma unroll
        for (unsigned k = 0; k < AHEAD * DEEP; k++) {
            const unsigned n = warp * TURNS + i + k / DEEP, row = n % DOWN * SQUARE + own + k % DEEP * 8;
            load_turned(pair[k / DEEP] + k % DEEP * 4, shared_memory, row * IN + (n / DOWN ^ swap(own)));
        }
#pragma unroll
        for (unsigned k = 0; k < AHEAD * DEEP; k++) {
            const unsigned n = warp * TURNS + i + k / DEEP, *const p = pair[k / DEEP];
            const unsigned col = n / DOWN * PER + lane / 4 * DEEP + k % DEEP, at = n % DOWN * 4 + lane % 4;
            const unsigned pick = k % DEEP == 0 ? 0x6420 : 0x7531;
            const uint4 bits = DEEP == 1 ? make_uint4(p[0], p[1], p[2], p[3])
                                         : make_uint4(__byte_perm(p[0], p[1], pick), __byte_perm(p[2], p[3], pick),
                                               __byte_perm(p[PAIRS - 4], p[PAIRS - 3], pick), __byte_perm(p[PAIRS - 2], p[PAIRS - 1], pick));
            if (!EDGE || (col < cols_here && at * PER < rows_here))
                to[col * out_pitch + at] = bits;
        }
    }
}
