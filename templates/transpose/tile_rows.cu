/*!autotune
template  tile_rows                    # shared tile, each thread moves TILE / BLOCK_ROWS elements

param     TILE       = 16 32 64        # side of the square tile, in elements
param     BLOCK_ROWS = 1 2 4 8 16 32   # rows that the block covers in one pass
param     PAD        = 0 1 2           # spare elements per tile row, against bank conflicts
param     ORDER      = in_fast out_fast # neighbouring blocks follow the input's rows, or the output's

let       tiles   = ceil_div(rows, TILE) * ceil_div(cols, TILE) * batch
let       threads = TILE * BLOCK_ROWS
let       shared_bytes = TILE * (TILE + PAD) * sizeof(T)
const     WIDE = rows * cols > 2147483647 # 64-bit indices within a matrix, only where needed

require   TILE % BLOCK_ROWS == 0       # every thread moves the same number of elements
require   threads >= 32                # a block is at least a warp
require   threads <= device.max_threads_per_block
require   shared_bytes <= device.max_static_shared_bytes
require   tiles <= device.max_grid_x

grid      tiles
block     TILE BLOCK_ROWS
default   TILE=32 BLOCK_ROWS=8 PAD=1 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int TILE = 32, BLOCK_ROWS = 8, PAD = 1, ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast, WIDE = 0;
#endif

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

/* One block moves one tile. Both global accesses run along rows; the turn is in shared memory. */
extern "C" __global__ void __launch_bounds__(TILE * BLOCK_ROWS)
transpose_tile_rows(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows_, long long cols_)
{
    __shared__ T tile[TILE][TILE + PAD];

    const Index rows = (Index)rows_, cols = (Index)cols_;
    const unsigned down   = (unsigned)((rows_ + TILE - 1) / TILE);
    const unsigned across = (unsigned)((cols_ + TILE - 1) / TILE);
    const unsigned matrix = blockIdx.x / (down * across);
    const unsigned t      = blockIdx.x % (down * across);
    const Index    r0     = (Index)(ORDER == ORDER_in_fast ? t / across : t % down) * TILE;
    const Index    c0     = (Index)(ORDER == ORDER_in_fast ? t % across : t / down) * TILE;
    const int      x = threadIdx.x, y = threadIdx.y;

    in  += (long long)matrix * rows_ * cols_;
    out += (long long)matrix * rows_ * cols_;

#pragma unroll
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (r0 + y + i < rows && c0 + x < cols)
            tile[y + i][x] = in[(r0 + y + i) * cols + c0 + x];

    __syncthreads();

#pragma unroll
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (c0 + y + i < cols && r0 + x < rows)
            out[(c0 + y + i) * rows + r0 + x] = tile[x][y + i];
}
