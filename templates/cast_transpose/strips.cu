/*!autotune
template  strips                       # small problems of aligned rows: each thread turns a block in registers, and nobody waits for others
use       access convert tiles

param     LOAD    = 2 4 8              # elements of a row that a thread reads at a time
param     STORE   = 4 8 16             # bytes of an output row that it writes
param     BLOCK_X = 4 8 16             # threads along an input row
param     BLOCK_Y = 2 4 8 32           # threads along an output row
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       threads   = BLOCK_X * BLOCK_Y
const     TO        = to
const     AMAX      = amax == amax_yes
const     DEEP      = STORE / width    # rows of a thread's block
const     TILE_ROWS = BLOCK_Y * DEEP
const     TILE_COLS = BLOCK_X * LOAD
let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)
let       tiles     = down * across * batch
const     FLAT      = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED   = batch > 1
const     EDGE      = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
general   BATCHED=1 EDGE=1
fixed     count > 0                    # address arithmetic is much of what a thread does

require   both == both_no              # one conversion pairs elements of a column
require   moved <= min(device.l2_bytes, 16777216) # larger ones want longer runs
require   cols % LOAD == 0 && LOAD * sizeof(T) <= 16 # every input row begins aligned
require   rows % DEEP == 0             # every output row too
require   LOAD * DEEP * sizeof(T) <= 128 # registers
require   TILE_COLS * sizeof(T) >= 32
require   threads >= 32 && threads <= 256
require   tiles <= device.max_grid_x

arg       turned straight largest in scale batch rows cols
grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     BLOCK_X BLOCK_Y
default   LOAD=2 STORE=4 BLOCK_X=16 BLOCK_Y=4 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int LOAD = 2, STORE = 8, BLOCK_X = 8, BLOCK_Y = 16, TO = 1, AMAX = 1, DEEP = 8, TILE_ROWS = 128, TILE_COLS = 16, FLAT = 0, BATCHED = 1, EDGE = 1;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/access.cuh"
#include "../common/convert.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * A thread's block is DEEP rows of LOAD elements. Two elements of a column are converted at once, so that conversion
 * itself turns them. Threads stand so that a warp reads whole sectors of some rows and writes whole sectors of some
 * columns: there is no shared memory, no barrier, nothing between a read and its write but the conversion. Reads and
 * writes say that nobody needs them soon: that is worth up to 10 %.
 */

constexpr int BYTES = converted_bytes(TO); /* of a converted element */
constexpr int PER   = 4 / BYTES;           /* elements in a word */

using Row = Vector<LOAD>;

union Column { /* DEEP converted elements */
    Access<STORE>::type bits;
    unsigned word[STORE / 4];
};

__device__ __forceinline__ Column column_of(const Row (&row)[DEEP], int c, float by, float &most)
{
    Column column;
#pragma unroll
    for (int w = 0; w < STORE / 4; w++) {
        column.word[w] = 0;
#pragma unroll
        for (int e = 0; e < PER; e += 2) {
            const float low = (float)row[w * PER + e].element[c], high = (float)row[w * PER + e + 1].element[c];
            column.word[w] |= convert_pair<TO>(low * by, high * by) << 8 * e * BYTES;
            if (AMAX)
                most = fmaxf(most, fmaxf(fabsf(low), fabsf(high))); /* of a number and NaN the number */
        }
    }
    return column;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
cast_transpose_strips(unsigned char *__restrict__ turned, unsigned char *__restrict__, float *__restrict__ largest,
    const T *__restrict__ in, const float *__restrict__ scale, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols))
{
    [[maybe_unused]] __shared__ float of_warps[BLOCK_X * BLOCK_Y / 32];

    const Tile at = tile_of<TILE_ROWS, TILE_COLS, FLAT, BATCHED, ORDER == ORDER_out_fast>(rows, cols);
    const int  r = threadIdx.y * DEEP, c = threadIdx.x * LOAD;
    const bool here = !EDGE || (r < at.rows && c < at.cols);
    const float by = *scale;
    float most = 0;

    if (here) {
        const typename Row::Bits *const from = (const typename Row::Bits *)(in + ((at.matrix * rows + at.r0) * cols + at.c0));
        const int pitch = (int)(cols / LOAD);
        Row row[DEEP];
#pragma unroll
        for (int i = 0; i < DEEP; i++)
            row[i].bits = __ldcs(from + ((r + i) * pitch + (int)threadIdx.x));

        Access<STORE>::type *const target = (Access<STORE>::type *)(turned + ((at.matrix * cols + at.c0) * rows + at.r0) * BYTES);
        const int height = (int)(rows / DEEP);
#pragma unroll
        for (int k = 0; k < LOAD; k++)
            __stcs(target + ((c + k) * height + (int)threadIdx.y), column_of(row, k, by, most).bits);
    }
    if (AMAX) {
        const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
        most = largest_of_warp(most);
        if (thread % 32 == 0)
            of_warps[thread / 32] = most;
        __syncthreads();
        if (threadIdx.y == 0)
            add_largest(largest, of_warps);
    }
}
