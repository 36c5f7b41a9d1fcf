/*!autotune
template  naive                        # one element a thread, no shared memory: one side is scattered
use       index tiles

param     BLOCK_X = 4 8 16 32 64 128 256 # threads along SIDE
param     BLOCK_Y = 1 2 4 8 16 32      # threads across it
param     SIDE    = load store         # neighbouring threads read an input row, or write an output row
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       threads   = BLOCK_X * BLOCK_Y
const     TILE_ROWS = SIDE == SIDE_load ? BLOCK_Y : BLOCK_X
const     TILE_COLS = SIDE == SIDE_load ? BLOCK_X : BLOCK_Y
let       tiles_down = ceil_div(rows, TILE_ROWS)
let       tiles_across = ceil_div(cols, TILE_COLS)
let       tiles     = tiles_down * tiles_across * batch
const     BATCHED   = batch > 1
const     EDGE      = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE      = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
const     COUNTED   = 1                # tiles are counted; 0, of a kernel for all sizes: the grid has their shape, without divisions
general   BATCHED=1 EDGE=1 WIDE=1 COUNTED=0
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

prefer    threads >= 128 && threads <= 512 # smaller blocks cannot fill a multiprocessor
require   threads <= device.max_threads_per_block
require   tiles <= device.max_grid_x && (COUNTED == 1 || max(ORDER == ORDER_in_fast ? tiles_down : tiles_across, batch) <= 65535)
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: elements are moved one by one

grid      COUNTED ? tiles : ORDER == ORDER_in_fast ? tiles_across : tiles_down \
          COUNTED ? 1 : ORDER == ORDER_in_fast ? tiles_down : tiles_across \
          COUNTED ? 1 : batch
block     BLOCK_X BLOCK_Y
default   BLOCK_X=32 BLOCK_Y=8 SIDE=load ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int BLOCK_X = 32, BLOCK_Y = 8, TILE_ROWS = 8, TILE_COLS = 32, BATCHED = 0, EDGE = 1, WIDE = 0, COUNTED = 1;
constexpr int SIDE_load = 0, SIDE_store = 1, SIDE = SIDE_load, ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/index.cuh"
#include "../common/tiles.cuh"
#endif

using Index = IndexOf<WIDE != 0>::type;

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
transpose_naive(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    const Tile at = tile_of<TILE_ROWS, TILE_COLS, COUNTED != 0, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const int r = SIDE == SIDE_load ? threadIdx.y : threadIdx.x;
    const int c = SIDE == SIDE_load ? threadIdx.x : threadIdx.y;

    in  += (at.matrix * rows + at.r0) * ld_in + at.c0;
    out += (at.matrix * cols + at.c0) * ld_out + at.r0;

    if (!EDGE || (r < rows - at.r0 && c < cols - at.c0))
        out[c * (Index)ld_out + r] = in[r * (Index)ld_in + c];
}
