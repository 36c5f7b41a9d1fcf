/*!autotune
template  subtile                      # shared tile of turned register blocks: 16-byte accesses to memory on both sides
use       access index policy tiles turn

param     CELL      = 4 8 16           # bytes of a write to the tile: a thread turns CELL / sizeof(T) rows of 16 bytes
param     TILE_ROWS = 8 16 32 64 128 256 # input rows of the tile, in elements
param     TILE_COLS = 8 16 32 64 128 256 # input columns
param     THREADS   = 128 256 512      # threads a block
param     WARP_COLS = 8 16 32          # lanes of a warp side by side along an input row; the others stand below
param     UNROLL    = 1 2 4            # blocks that a thread reads before it turns the first
param     ORDER     = in_fast out_fast across16 across32 # neighbouring blocks follow the input's rows, the output's, or strips of so many tile columns

const     SUB_ROWS  = CELL / sizeof(T)
const     SUB_COLS  = 16 / sizeof(T)
const     RAGGED    = cols % SUB_COLS != 0 || rows % SUB_COLS != 0 || align_in < 16 || align_out < 16 # rows begin or end inside a piece of 16 bytes
const     BEFORE_IN = align_in < 16 ? SUB_COLS - 1 : 0 # elements that a piece may hold before the input's first
const     BEFORE_OUT = align_out < 16 ? SUB_COLS - 1 : 0 # or the output's
let       tile_bytes = TILE_ROWS * TILE_COLS * sizeof(T)
let       blocks    = tile_bytes / (16 * CELL / sizeof(T)) # register blocks in a tile
let       down      = ceil_div(rows + BEFORE_OUT, TILE_ROWS)
let       across    = ceil_div(cols + BEFORE_IN, TILE_COLS)
let       tiles     = down * across * batch
const     STRIP     = ORDER == ORDER_across16 ? 16 : ORDER == ORDER_across32 ? 32 : 0
const     FLAT      = STRIP > 0 || max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED   = batch > 1
const     EDGE      = RAGGED || rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE      = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
const     KEEP      = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   BATCHED=1 EDGE=1 WIDE=1 KEEP=any
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   CELL >= sizeof(T)            # a cell holds whole elements
require   ld_in % SUB_COLS == 0        # input rows follow each other at multiples of 16 bytes
require   ld_out % SUB_COLS == 0       # output rows too
require   TILE_COLS % (WARP_COLS * SUB_COLS) == 0 # a warp stands inside the tile
require   TILE_ROWS * WARP_COLS % (32 * SUB_ROWS) == 0
require   TILE_ROWS * sizeof(T) >= 128 # shorter runs waste cache lines, and the swizzle needs eight 16-byte pieces
prefer    TILE_ROWS <= 2 * TILE_COLS && TILE_COLS <= 2 * TILE_ROWS # long tiles lose on one side what they win on the other
prefer    WARP_COLS == 8 || CELL == 16 # wider ones meet bank conflicts in narrow cells
prefer    tile_bytes >= 8192 || tiles <= 8 * device.sms # many small tiles keep too few bytes in flight
require   tile_bytes <= min(65536, device.max_shared_bytes)
require   tile_bytes <= 256 * THREADS  # 16 writes a thread
require   blocks % (THREADS * UNROLL) == 0 # every thread turns the same number of blocks
require   UNROLL * SUB_ROWS <= 16      # 64 registers hold the blocks
require   THREADS <= device.max_threads_per_block
prefer    STRIP == 0 || (tile_bytes >= 16384 && gcd(ld_in, ld_out) * sizeof(T) % 131072 == 0) # rows that meet the same banks of memory on both sides
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    tile_bytes
default   CELL=4 TILE_ROWS=64 TILE_COLS=64 THREADS=512 WARP_COLS=8 UNROLL=2 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int CELL = 4, TILE_ROWS = 64, TILE_COLS = 64, THREADS = 256, WARP_COLS = 8, UNROLL = 2;
constexpr int SUB_ROWS = CELL / sizeof(T), SUB_COLS = 16 / sizeof(T), RAGGED = 1, BEFORE_IN = 3, BEFORE_OUT = 3, BATCHED = 0, FLAT = 0, STRIP = 0, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast, KEEP = 1;
#include "../common/access.cuh"
#include "../common/index.cuh"
#include "../common/policy.cuh"
#include "../common/tiles.cuh"
#include "../common/turn.cuh"
#endif

/*
 * A thread reads SUB_ROWS rows of 16 bytes, turns that block in registers and writes its columns to the tile as cells of
 * CELL bytes: the tile is kept turned, so that 16 bytes of an output row stand together in it. With four elements in 16
 * bytes, and cells of two:
 *
 *     a thread's block    its cells    the tile: RUN pieces a column       written
 *     a b c d             a e          column 0: |a e . .|. . . .| ...     by neighbouring lanes, |a e i m| to output
 *     e f g h             b f          column 1: |b f . .|. . . .| ...     row 0; i m is a cell of the block below
 *                         c g, d h     ...
 *
 * Where a buffer does not begin at a multiple of 16 bytes, tiles begin that much earlier: every access is aligned all the
 * same, as rows follow each other at such multiples. What a piece holds of the elements before a row or behind it is read
 * but never used; the ends of an output row are written element by element.
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int RUN   = TILE_ROWS * ES / 16; /* 16-byte pieces in a column of the tile: in a row of the output */

constexpr int WARP_ROWS = 32 / WARP_COLS;
constexpr int WARPS_ACROSS = TILE_COLS / (WARP_COLS * SUB_COLS);
constexpr int PASSES = TILE_ROWS / SUB_ROWS * (TILE_COLS / SUB_COLS) / THREADS;
constexpr int STORES = TILE_COLS * RUN / THREADS;

union Row { /* 16 bytes along an input row */
    uint4    bits;
    unsigned word[4];
};

union Cell { /* SUB_ROWS elements of a column */
    using Bits = Access<CELL>::type;
    Bits     bits;
    unsigned word[CELL / 4];
};

/* The tile is kept turned: RUN pieces for each column, swapped so that neighbouring blocks meet different banks. */
__device__ __forceinline__ int place(int c, int piece)
{
    return c * RUN + (piece ^ (c / SUB_COLS % 8));
}

/* First row and column of the blocks that a lane turns in one pass, in blocks. */
__device__ __forceinline__ void stand(int &r, int &c, int pass)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 + pass * (THREADS / 32);
    r = warp / WARPS_ACROSS * WARP_ROWS + lane / WARP_COLS;
    c = warp % WARPS_ACROSS * WARP_COLS + lane % WARP_COLS;
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_subtile(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];

    const unsigned down   = (unsigned)((rows + BEFORE_OUT + TILE_ROWS - 1) / TILE_ROWS);
    const unsigned across = (unsigned)((cols + BEFORE_IN + TILE_COLS - 1) / TILE_COLS);
    const int in_base = BEFORE_IN > 0 ? (int)elements_behind<16>(in) : 0, out_base = BEFORE_OUT > 0 ? (int)elements_behind<16>(out) : 0;
    const Spot spot       = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast, STRIP>(down, across);
    const unsigned matrix = matrix_of<FLAT, BATCHED>(down, across);
    const long long r0    = (long long)spot.r * TILE_ROWS - out_base;
    const long long c0    = (long long)spot.c * TILE_COLS - in_base;
    const int rows_here   = (int)(rows - r0 < TILE_ROWS ? rows - r0 : TILE_ROWS); /* fewer at the edge */
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);

    const int first_row   = r0 < 0 ? -(int)r0 : 0; /* at the other edge */
    const int first_col   = c0 < 0 ? -(int)c0 : 0;

    /* Accesses are indexed in whole vectors: nvcc splits others when the index is intricate. */
    const uint4 *const from = (const uint4 *)(in + (matrix * rows + r0) * ld_in + c0);
    uint4 *const       to   = (uint4 *)(out + (matrix * cols + c0) * ld_out + r0);
    const Index in_pitch = (Index)(ld_in / SUB_COLS), out_pitch = (Index)(ld_out / SUB_COLS);

    /* The last piece of the last row may end behind the buffer: then its elements come one by one. */
    const long long past = BEFORE_IN > 0 ? (ld_in - in_base - c0) / SUB_COLS : 0;
    const bool cut = in_base > 0 && matrix == (unsigned)batch - 1 && rows - r0 <= TILE_ROWS && past < TILE_COLS / SUB_COLS;

#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass += UNROLL) {
        Row block[UNROLL][SUB_ROWS];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int r, c;
            stand(r, c, pass + u);
            if (!EDGE || (r * SUB_ROWS < rows_here && c * SUB_COLS < cols_here))
#pragma unroll
                for (int i = 0; i < SUB_ROWS; i++)
                    if (!RAGGED || (r * SUB_ROWS + i >= first_row && r * SUB_ROWS + i < rows_here &&
                                    !(cut && r * SUB_ROWS + i == rows_here - 1 && c >= past)))
                        block[u][i].bits = load<KEEP>(from + ((r * SUB_ROWS + i) * in_pitch + c));
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int  r, c;
            Cell column[SUB_COLS];
            stand(r, c, pass + u);
            turn_block(column, block[u]);
#pragma unroll
            for (int i = 0; i < SUB_COLS; i++)
                ((Cell::Bits *)shared_memory)[place(c * SUB_COLS + i, r * CELL / 16) * (16 / CELL) + r % (16 / CELL)] = column[i].bits;
        }
    }

    __syncthreads();

    if (cut) {
        const int row = rows_here - 1, col = (int)(past * SUB_COLS) + (int)threadIdx.x;
        if (row >= 0 && (int)threadIdx.x < in_base && col >= first_col && col < cols_here)
            ((T *)shared_memory)[place(col, row / SUB_COLS) * SUB_COLS + row % SUB_COLS] =
                in[(batch * rows - 1) * ld_in + c0 + col];
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < STORES; i++) {
        const int piece = (threadIdx.x + i * THREADS) % RUN, c = (threadIdx.x + i * THREADS) / RUN;
        const int row = piece * SUB_COLS;
        if (!RAGGED ? !EDGE || (c < cols_here && row < rows_here)
                    : c >= first_col && c < cols_here && row >= first_row && row + SUB_COLS <= rows_here) {
            to[c * out_pitch + piece] = shared_memory[place(c, piece)];
        } else if (RAGGED && c >= first_col && c < cols_here) {
#pragma unroll 1
            for (int e = max(0, first_row - row); e < SUB_COLS && row + e < rows_here; e++)
                ((T *)to)[(c * out_pitch + piece) * SUB_COLS + e] = ((const T *)shared_memory)[place(c, piece) * SUB_COLS + e];
        }
    }
}
