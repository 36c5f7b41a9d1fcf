/*!autotune
template  tile_rows                    # shared tile, each thread moves TILE / BLOCK_ROWS elements
use       index tiles

param     TILE       = 16 32 64        # side of the square tile, in elements
param     BLOCK_ROWS = 1 2 4 8 16 32   # rows that the block covers in one pass
param     PAD        = 0 1 2           # spare elements per tile row, against bank conflicts
param     UNROLL     = no yes          # passes one after the other, or all reads before the first use
param     ORDER      = in_fast out_fast # neighbouring blocks follow the input's rows, or the output's

let       tiles_down = ceil_div(rows, TILE)
let       tiles_across = ceil_div(cols, TILE)
let       tiles   = tiles_down * tiles_across * batch
let       threads = TILE * BLOCK_ROWS
let       shared_bytes = TILE * (TILE + PAD) * sizeof(T)
const     BATCHED = batch > 1
const     EDGE    = rows % TILE != 0 || cols % TILE != 0
const     WIDE    = TILE * max(ld_in, ld_out) > 2147483647 # 64-bit offsets inside a tile
const     COUNTED = 1                  # tiles are counted; 0, of a kernel for all sizes: the grid has their shape, without divisions
general   BATCHED=1 EDGE=1 WIDE=1 COUNTED=0
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   TILE % BLOCK_ROWS == 0       # every thread moves the same number of elements
require   threads >= 32                # a block is at least a warp
require   threads <= device.max_threads_per_block
require   UNROLL == UNROLL_yes || BLOCK_ROWS < TILE # a single pass has nothing to unroll
require   shared_bytes <= device.max_static_shared_bytes
require   tiles <= device.max_grid_x && (COUNTED == 1 || max(ORDER == ORDER_in_fast ? tiles_down : tiles_across, batch) <= 65535)
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: elements are moved one by one

grid      COUNTED ? tiles : ORDER == ORDER_in_fast ? tiles_across : tiles_down \
          COUNTED ? 1 : ORDER == ORDER_in_fast ? tiles_down : tiles_across \
          COUNTED ? 1 : batch
block     TILE BLOCK_ROWS
default   TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int TILE = 32, BLOCK_ROWS = 8, PAD = 1, BATCHED = 0, EDGE = 1, WIDE = 0, COUNTED = 1;
constexpr int UNROLL_no = 0, UNROLL_yes = 1, UNROLL = UNROLL_yes, ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/index.cuh"
#include "../common/tiles.cuh"
#endif

using Index = IndexOf<WIDE != 0>::type;

constexpr int PASSES = UNROLL == UNROLL_yes ? TILE / BLOCK_ROWS : 1;

/* One block moves one tile. Both global accesses run along rows; the turn is in shared memory. */
extern "C" __global__ void __launch_bounds__(TILE * BLOCK_ROWS)
transpose_tile_rows(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    __shared__ T tile[TILE][TILE + PAD];

    const Tile at = tile_of<TILE, TILE, COUNTED != 0, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in  += (at.matrix * rows + at.r0) * ld_in + at.c0;
    out += (at.matrix * cols + at.c0) * ld_out + at.r0;

#pragma unroll PASSES
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (!EDGE || (y + i < at.rows && x < at.cols))
            tile[y + i][x] = in[(y + i) * (Index)ld_in + x];

    __syncthreads();

#pragma unroll PASSES
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (!EDGE || (y + i < at.cols && x < at.rows))
            out[(y + i) * (Index)ld_out + x] = tile[x][y + i];
}
