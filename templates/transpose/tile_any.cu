/*!autotune
template  tile_any                     # small problems of any size: short offsets, and all reads of a thread before its writes
replaces  tile_rows tile_vec naive reg_vec # in packs: with the sizes as constants those are faster

param     TILE_ROWS = 8 16 32          # input rows of the tile, in elements
param     TILE_COLS = 8 16 32          # input columns
param     THREADS   = 128 256
param     VIA       = tile load store  # a shared tile; or one element a thread, neighbours of which read a row, or write one

let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)

scalar    height u32 = rows
scalar    width  u32 = cols
arg       out in height width

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   count <= 2147483647          # 32-bit offsets, also of what a tile has beyond the edge
require   VIA == VIA_tile ? TILE_ROWS * TILE_COLS >= 2 * THREADS && TILE_ROWS * TILE_COLS <= 4 * THREADS : TILE_ROWS * TILE_COLS == THREADS # its elements
require   VIA == VIA_tile || THREADS == 256
require   max(down, batch) <= 65535    # a grid is not higher or deeper
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: elements are moved one by one
prefer    count * sizeof(T) <= 4194304 # more want larger tiles

grid      across down batch
block     THREADS
default   TILE_ROWS=16 TILE_COLS=16 THREADS=128 VIA=tile
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int TILE_ROWS = 16, TILE_COLS = 16, THREADS = 128, VIA_tile = 0, VIA_load = 1, VIA_store = 2, VIA = VIA_tile;
#endif

/*
 * A short kernel takes as long as what waits for each other in it: offsets have 32 bits, the elements of a thread are read one
 * right after another, from memory and from the tile alike, and only accesses to memory ask for the edge.
 */

constexpr int PAD = sizeof(T) < 4 ? 4 / sizeof(T) : 1; /* an odd number of words between rows: columns meet all banks */
constexpr int EACH = TILE_ROWS * TILE_COLS / THREADS;
constexpr int READ_ROWS = THREADS / TILE_COLS, WRITE_COLS = THREADS / TILE_ROWS; /* in one pass */

/* One element from its place to its place. */
__device__ __forceinline__ void move_one(T *__restrict__ out, const T *__restrict__ in, unsigned height, unsigned width)
{
    const unsigned fast = threadIdx.x % (VIA == VIA_load ? TILE_COLS : TILE_ROWS);
    const unsigned slow = threadIdx.x / (VIA == VIA_load ? TILE_COLS : TILE_ROWS);
    const unsigned row = blockIdx.y * TILE_ROWS + (VIA == VIA_load ? slow : fast);
    const unsigned col = blockIdx.x * TILE_COLS + (VIA == VIA_load ? fast : slow);

    if (col < width && row < height)
        out[(blockIdx.z * width + col) * height + row] = in[(blockIdx.z * height + row) * width + col];
}

__device__ __forceinline__ void move_tile(T *__restrict__ out, const T *__restrict__ in, unsigned height, unsigned width)
{
    __shared__ T tile[TILE_ROWS][TILE_COLS + PAD];
    T part[EACH];

    const unsigned x = threadIdx.x % TILE_COLS, y = threadIdx.x / TILE_COLS;
    const unsigned row = blockIdx.y * TILE_ROWS + y, col = blockIdx.x * TILE_COLS + x;
    const unsigned from = (blockIdx.z * height + row) * width + col;
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        if (col < width && row + i * READ_ROWS < height)
            part[i] = in[from + i * READ_ROWS * width];
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        tile[y + i * READ_ROWS][x] = part[i];

    __syncthreads();

    const unsigned r = threadIdx.x % TILE_ROWS, c = threadIdx.x / TILE_ROWS;
    const unsigned out_col = blockIdx.y * TILE_ROWS + r, out_row = blockIdx.x * TILE_COLS + c;
    const unsigned to = (blockIdx.z * width + out_row) * height + out_col;
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        part[i] = tile[r][c + i * WRITE_COLS];
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        if (out_col < height && out_row + i * WRITE_COLS < width)
            out[to + i * WRITE_COLS * height] = part[i];
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_tile_any(T *__restrict__ out, const T *__restrict__ in, unsigned height, unsigned width)
{
    if constexpr (VIA == VIA_tile)
        move_tile(out, in, height, width);
    else
        move_one(out, in, height, width);
}
