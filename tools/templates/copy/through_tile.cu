/*!autotune
template  through_tile                 # a copy that takes a shared tile's way: what a transpose pays beside turning
use       index tiles

param     TILE       = 16 32 64        # side of the square tile, in elements
param     BLOCK_ROWS = 2 4 8 16 32     # rows that the block covers in one pass
param     ORDER      = in_fast out_fast # neighbouring blocks follow the matrix's rows, or its columns

let       tiles   = ceil_div(rows, TILE) * ceil_div(cols, TILE) * batch
let       threads = TILE * BLOCK_ROWS
let       shared_bytes = TILE * TILE * sizeof(T)
const     BATCHED = batch > 1
const     EDGE    = rows % TILE != 0 || cols % TILE != 0
const     WIDE    = TILE * cols > 2147483647 # 64-bit offsets inside a tile
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   rows >= 8                    # flat memory has no tiles: linear is for that
require   BLOCK_ROWS <= TILE           # else some threads have no row
require   threads <= device.max_threads_per_block
require   shared_bytes <= device.max_static_shared_bytes
require   tiles <= device.max_grid_x

grid      tiles
block     TILE BLOCK_ROWS
default   TILE=32 BLOCK_ROWS=8 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int TILE = 32, BLOCK_ROWS = 8, BATCHED = 0, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../../../../templates/common/index.cuh"
#include "../../../../templates/common/tiles.cuh"
#endif

using Index = IndexOf<WIDE != 0>::type;

extern "C" __global__ void __launch_bounds__(TILE * BLOCK_ROWS)
copy_through_tile(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows), long long AUTOTUNE_ARG(cols))
{
    __shared__ T tile[TILE][TILE];

    const Tile at = tile_of<TILE, TILE, true, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in  += at.matrix * rows * cols + at.r0 * cols + at.c0;
    out += at.matrix * rows * cols + at.r0 * cols + at.c0;

#pragma unroll
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (!EDGE || (y + i < at.rows && x < at.cols))
            tile[y + i][x] = in[(y + i) * (Index)cols + x];

    __syncthreads();

#pragma unroll
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (!EDGE || (y + i < at.rows && x < at.cols))
            out[(y + i) * (Index)cols + x] = tile[y + i][x];
}
