/*!autotune
template  tile_any                     # small problems of any size: short offsets, and all reads of a thread before its writes
replaces  tile_rows tile_vec naive reg_vec # in packs: with the sizes as constants those are faster

param     TILE_ROWS = 4 8 16 32 64     # input rows of the tile, in elements
param     TILE_COLS = 4 8 16 32 64     # input columns
param     EACH      = 1 2 4            # elements of a thread
param     VIA       = tile load store  # a shared tile; or elements go straight, and neighbouring threads read a row, or write one

const     PAD       = VIA == VIA_tile ? max(1, 4 / sizeof(T)) : 0 # an odd number of words between rows: columns meet all banks
let       threads   = TILE_ROWS * TILE_COLS / EACH
let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)
general   TILE_ROWS=any TILE_COLS=any  # arguments of the launch

scalar    height u32 = rows
scalar    width  u32 = cols
scalar    rows_log u32 = log2(TILE_ROWS)
scalar    cols_log u32 = log2(TILE_COLS)
scalar    read_rows u32 = max(1, threads / TILE_COLS) # in one pass
scalar    write_cols u32 = max(1, threads / TILE_ROWS)
arg       out in height width rows_log cols_log read_rows write_cols

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   count <= 2147483647          # 32-bit offsets, also of what a tile has beyond the edge
require   VIA == VIA_tile ? EACH > 1 && min(TILE_ROWS, TILE_COLS) >= 8 : EACH == 1
require   threads == 256 ? EACH != 2 && (EACH == 1 || TILE_ROWS == TILE_COLS) : threads == 128 && EACH > 1
require   max(down, batch) <= 65535    # a grid is not higher or deeper
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: elements are moved one by one
prefer    count * sizeof(T) <= 4194304 # more want larger tiles

grid      across down batch
block     threads
shared    VIA == VIA_tile ? TILE_ROWS * (TILE_COLS + PAD) * sizeof(T) : 0
default   TILE_ROWS=16 TILE_COLS=16 EACH=2 VIA=tile
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int EACH = 2, PAD = 1, VIA_tile = 0, VIA_load = 1, VIA_store = 2, VIA = VIA_tile;
#endif

/*
 * A short kernel takes as long as what waits for each other in it: offsets have 32 bits, the elements of a thread are read one
 * right after another, from memory and from the tile alike, and only accesses to memory ask for the edge. The shape of the tile
 * is an argument, so one kernel has all of them.
 */

extern "C" __global__ void __launch_bounds__(256)
transpose_tile_any(T *__restrict__ out, const T *__restrict__ in, unsigned height, unsigned width, unsigned rows_log,
    unsigned cols_log, unsigned read_rows, unsigned write_cols)
{
    const unsigned r0 = blockIdx.y << rows_log, c0 = blockIdx.x << cols_log;
    const unsigned x = threadIdx.x & ((1u << cols_log) - 1), y = threadIdx.x >> cols_log; /* along the input's rows */
    const unsigned r = threadIdx.x & ((1u << rows_log) - 1), c = threadIdx.x >> rows_log; /* along the output's */

    if constexpr (VIA != VIA_tile) {
        const unsigned row = r0 + (VIA == VIA_load ? y : r), col = c0 + (VIA == VIA_load ? x : c);
        if (col < width && row < height)
            out[(blockIdx.z * width + col) * height + row] = in[(blockIdx.z * height + row) * width + col];
    } else {
        extern __shared__ uint4 shared_memory[];
        T *const tile = (T *)shared_memory;
        const unsigned pitch = (1u << cols_log) + PAD;
        T part[EACH];

        const unsigned from = (blockIdx.z * height + r0 + y) * width + c0 + x;
#pragma unroll
        for (unsigned i = 0; i < EACH; i++)
            if (c0 + x < width && r0 + y + i * read_rows < height)
                part[i] = in[from + i * read_rows * width];
#pragma unroll
        for (unsigned i = 0; i < EACH; i++)
            tile[(y + i * read_rows) * pitch + x] = part[i];

        __syncthreads();

        const unsigned to = (blockIdx.z * width + c0 + c) * height + r0 + r;
#pragma unroll
        for (unsigned i = 0; i < EACH; i++)
            part[i] = tile[r * pitch + c + i * write_cols];
#pragma unroll
        for (unsigned i = 0; i < EACH; i++)
            if (r0 + r < height && c0 + c + i * write_cols < width)
                out[to + i * write_cols * height] = part[i];
    }
}
