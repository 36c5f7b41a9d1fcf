/*!autotune
template  tile_rows                    # shared tile, each thread moves TILE / BLOCK_ROWS elements

param     TILE       = 16 32 64        # side of the square tile, in elements
param     BLOCK_ROWS = 1 2 4 8 16 32   # rows that the block covers in one pass
param     PAD        = 0 1 2           # spare elements per tile row, against bank conflicts
param     UNROLL     = no yes          # passes one after the other, or all reads before the first use
param     ORDER      = in_fast out_fast # neighbouring blocks follow the input's rows, or the output's

let       tiles   = ceil_div(rows, TILE) * ceil_div(cols, TILE) * batch
let       threads = TILE * BLOCK_ROWS
let       shared_bytes = TILE * (TILE + PAD) * sizeof(T)
const     BATCHED = batch > 1
const     EDGE    = rows % TILE != 0 || cols % TILE != 0
const     WIDE    = TILE * max(rows, cols) > 2147483647 # 64-bit offsets inside a tile

require   TILE % BLOCK_ROWS == 0       # every thread moves the same number of elements
prefer    threads >= 32                # a block is at least a warp
require   threads <= device.max_threads_per_block
require   UNROLL == UNROLL_yes || BLOCK_ROWS < TILE # a single pass has nothing to unroll
require   shared_bytes <= device.max_static_shared_bytes
require   tiles <= device.max_grid_x

grid      tiles
block     TILE BLOCK_ROWS
default   TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int TILE = 32, BLOCK_ROWS = 8, PAD = 1, BATCHED = 0, EDGE = 1, WIDE = 0;
constexpr int UNROLL_no = 0, UNROLL_yes = 1, UNROLL = UNROLL_yes, ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#endif

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

constexpr int PASSES = UNROLL == UNROLL_yes ? TILE / BLOCK_ROWS : 1;

/* One block moves one tile. Both global accesses run along rows; the turn is in shared memory. */
extern "C" __global__ void __launch_bounds__(TILE * BLOCK_ROWS)
transpose_tile_rows(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols)
{
    __shared__ T tile[TILE][TILE + PAD];

    const unsigned down   = (unsigned)((rows + TILE - 1) / TILE);
    const unsigned across = (unsigned)((cols + TILE - 1) / TILE);
    const unsigned matrix = BATCHED ? blockIdx.x / (down * across) : 0;
    const unsigned t      = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
    const long long r0    = (long long)(ORDER == ORDER_in_fast ? t / across : t % down) * TILE;
    const long long c0    = (long long)(ORDER == ORDER_in_fast ? t % across : t / down) * TILE;
    const int rows_here   = (int)(rows - r0 < TILE ? rows - r0 : TILE);
    const int cols_here   = (int)(cols - c0 < TILE ? cols - c0 : TILE);
    const int x = threadIdx.x, y = threadIdx.y;

    in  += matrix * rows * cols + r0 * cols + c0;
    out += matrix * rows * cols + c0 * rows + r0;

#pragma unroll PASSES
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (!EDGE || (y + i < rows_here && x < cols_here))
            tile[y + i][x] = in[(y + i) * (Index)cols + x];

    __syncthreads();

#pragma unroll PASSES
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (!EDGE || (y + i < cols_here && x < rows_here))
            out[(y + i) * (Index)rows + x] = tile[x][y + i];
}
