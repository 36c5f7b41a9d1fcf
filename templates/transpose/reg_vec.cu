/*!autotune
template  reg_vec                      # each thread turns squares in registers: vector loads and stores, no shared memory
use       access index tiles turn

param     SQUARE  = 1 2 4 8 16         # side of a thread's square, in elements: the width of its accesses
param     BLOCK_X = 4 8 16 32          # threads along the input's rows
param     BLOCK_Y = 4 8 16 32 64       # threads along the output's rows
param     SQUARES = 1 2                # squares a thread, all read before the first is written
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       bytes     = SQUARE * sizeof(T)
let       threads   = BLOCK_X * BLOCK_Y
const     TILE_ROWS = BLOCK_Y * SQUARE * SQUARES
const     TILE_COLS = BLOCK_X * SQUARE
let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)
let       tiles     = down * across * batch
const     FLAT      = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED   = batch > 1
const     EDGE      = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE      = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
general   BATCHED=1 EDGE=1 WIDE=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

prefer    bytes >= max(4, min(8, 2 * sizeof(T))) || bytes == 16 # narrower ones are what naive does
require   bytes <= 16                  # the widest access there is
require   cols % SQUARE == 0 && ld_in % SQUARE == 0 # every input row must begin aligned
require   rows % SQUARE == 0 && ld_out % SQUARE == 0 # every output row must begin aligned
require   bytes <= align_in && bytes <= align_out # and so must the buffers
require   SQUARES * SQUARE * bytes <= 256 # 64 registers hold the squares
require   threads >= 64 && threads <= min(512, device.max_threads_per_block)
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     BLOCK_X BLOCK_Y
default   SQUARE=4 BLOCK_X=8 BLOCK_Y=32 SQUARES=1 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int SQUARE = 4, BLOCK_X = 8, BLOCK_Y = 32, SQUARES = 1, TILE_ROWS = 128, TILE_COLS = 32, BATCHED = 0, FLAT = 0, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/access.cuh"
#include "../common/index.cuh"
#include "../common/tiles.cuh"
#include "../common/turn.cuh"
#endif

using Index = IndexOf<WIDE != 0>::type;

constexpr int WORDS = SQUARE * ES / 4; /* 32-bit words in a side of the square */

union Side {
    Access<SQUARE * ES>::type bits;
    unsigned word[WORDS];
};

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
transpose_reg_vec(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    const Tile at = tile_of<TILE_ROWS, TILE_COLS, FLAT, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const int r = threadIdx.y * SQUARE, c = threadIdx.x * SQUARE;

    /* Accesses are indexed in whole vectors: nvcc splits others when the index is intricate. */
    using Bits = Access<SQUARE * ES>::type;
    const Index in_pitch = (Index)(ld_in / SQUARE), out_pitch = (Index)(ld_out / SQUARE);

    in  += (at.matrix * rows + at.r0) * ld_in + at.c0;
    out += (at.matrix * cols + at.c0) * ld_out + at.r0;

    Side square[SQUARES][SQUARE];

#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        const int y = r + s * BLOCK_Y * SQUARE;
        if (!EDGE || (y < at.rows && c < at.cols))
#pragma unroll
            for (int i = 0; i < SQUARE; i++)
                square[s][i].bits = ((const Bits *)in)[(y + i) * in_pitch + threadIdx.x];
    }
#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        const int y = r + s * BLOCK_Y * SQUARE;
        Side turned[SQUARE];
        if (!EDGE || (y < at.rows && c < at.cols)) {
            turn_block(turned, square[s]);
#pragma unroll
            for (int i = 0; i < SQUARE; i++)
                ((Bits *)out)[(c + i) * out_pitch + y / SQUARE] = turned[i].bits;
        }
    }
}
