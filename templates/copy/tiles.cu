/*!autotune
template  tiles                        # a copy tile by tile, 16 bytes at a time: blocks reach more rows than those of linear

param     TILE_ROWS = 4 8 16 32 64     # rows of the tile
param     LANES     = 16 32            # threads side by side along a row
param     THREADS   = 128 256          # threads a block

let       pitch     = cols * sizeof(T) / 16 # 16-byte pieces in a row
let       down      = ceil_div(batch * rows, TILE_ROWS)
let       across    = ceil_div(pitch, LANES)
const     EDGE      = batch * rows % TILE_ROWS != 0 || pitch % LANES != 0
general   EDGE=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   cols * sizeof(T) % 16 == 0   # every row must begin at a multiple of 16 bytes
require   pitch > LANES && rows >= 2 * TILE_ROWS # else linear does the same
require   TILE_ROWS * LANES % THREADS == 0 # every thread moves the same number of pieces
require   TILE_ROWS * LANES <= 8 * THREADS # at most 8 reads in flight a thread
require   THREADS <= device.max_threads_per_block
require   down <= 65535 && across <= device.max_grid_x

grid      across down
block     THREADS
default   TILE_ROWS=16 LANES=16 THREADS=128
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int TILE_ROWS = 16, LANES = 16, THREADS = 128, EDGE = 1;
#endif

constexpr int PASS_ROWS = THREADS / LANES, PASSES = TILE_ROWS / PASS_ROWS;

/* Reads and writes say that they are used only once: without that, tiles are never better than linear. */
extern "C" __global__ void __launch_bounds__(THREADS)
copy_tiles(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows), long long AUTOTUNE_ARG(cols))
{
    const long long pitch = cols * (long long)sizeof(T) / 16, height = batch * rows;
    const long long x     = (long long)blockIdx.x * LANES + threadIdx.x % LANES;
    const long long y     = (long long)blockIdx.y * TILE_ROWS + threadIdx.x / LANES;
    const uint4 *const from = (const uint4 *)in + y * pitch + x;
    uint4 *const       to   = (uint4 *)out + y * pitch + x;
    uint4 part[PASSES];

#pragma unroll
    for (int i = 0; i < PASSES; i++)
        if (!EDGE || (x < pitch && y + i * PASS_ROWS < height))
            part[i] = __ldcs(from + i * PASS_ROWS * pitch);
#pragma unroll
    for (int i = 0; i < PASSES; i++)
        if (!EDGE || (x < pitch && y + i * PASS_ROWS < height))
            __stcs(to + i * PASS_ROWS * pitch, part[i]);
}
