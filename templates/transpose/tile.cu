/*!autotune
template  tile                         # shared tile, one element a thread
use       index tiles

param     TILE_ROWS = 8 16 32 64 128   # input rows of the tile, in elements
param     TILE_COLS = 8 16 32 64 128   # input columns
param     PAD       = 0 1 2            # spare elements per tile row, against bank conflicts
param     ORDER     = in_fast out_fast # neighbouring blocks follow the input's rows, or the output's

let       tiles   = ceil_div(rows, TILE_ROWS) * ceil_div(cols, TILE_COLS) * batch
let       threads = TILE_ROWS * TILE_COLS
let       shared_bytes = TILE_ROWS * (TILE_COLS + PAD) * sizeof(T)
const     BATCHED = batch > 1
const     EDGE    = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE    = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
general   BATCHED=1 EDGE=1 WIDE=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

prefer    threads >= 64                # smaller blocks cannot fill a multiprocessor
require   threads <= min(1024, device.max_threads_per_block)
require   shared_bytes <= device.max_static_shared_bytes
require   tiles <= device.max_grid_x
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: elements are moved one by one

grid      tiles
block     TILE_COLS TILE_ROWS
default   TILE_ROWS=32 TILE_COLS=32 PAD=1 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int TILE_ROWS = 32, TILE_COLS = 32, PAD = 1, BATCHED = 0, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/index.cuh"
#include "../common/tiles.cuh"
#endif

using Index = IndexOf<WIDE != 0>::type;

extern "C" __global__ void __launch_bounds__(TILE_ROWS * TILE_COLS)
transpose_tile(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    __shared__ T tile[TILE_ROWS][TILE_COLS + PAD];

    const Tile at = tile_of<TILE_ROWS, TILE_COLS, true, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    /* For the way out the same threads stand along the tile's columns. */
    const int thread = y * TILE_COLS + x;
    const int r = thread % TILE_ROWS, c = thread / TILE_ROWS;

    in  += (at.matrix * rows + at.r0) * ld_in + at.c0;
    out += (at.matrix * cols + at.c0) * ld_out + at.r0;

    if (!EDGE || (y < at.rows && x < at.cols))
        tile[y][x] = in[y * (Index)ld_in + x];

    __syncthreads();

    if (!EDGE || (r < at.rows && c < at.cols))
        out[c * (Index)ld_out + r] = tile[r][c];
}
