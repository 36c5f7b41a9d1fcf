/*!autotune
template  rows                         # a row is in the registers of a group of threads; memory is read once
use       rmsnorm_row

param     GROUP  = 4 8 16 32 64 128 256 512 1024 # threads that share a row: those of a warp need no shared memory
param     ROWS   = 1 2 4 8 16 32 64   # groups in a block: short rows by themselves would make small blocks
param     TURNS  = 1 2 4 8            # rows of a group, one after the other: gamma is read once for them
param     AHEAD  = 0 1                # the next row is asked for before the barrier of this one
param     BYTES  = 2 4 8 16 32        # of an access: 16 is best where rows begin at multiples of 16 bytes
param     HINT   = none once keep     # what the caches are told: nothing, that all is used once, or to keep what is read

const     PER    = BYTES / sizeof(T)
const     EACH   = ceil_div(cols, GROUP * max(PER, 1)) # vectors of a thread
const     RAGGED = cols % (GROUP * max(PER, 1)) != 0
let       registers = EACH * max(BYTES, 4) / 4 * (2 + AHEAD)
let       blocks = ceil_div(rows, ROWS * TURNS)
const     SPARE  = rows != blocks * ROWS * TURNS # the last groups have fewer rows
general   SPARE=1

require   BYTES >= sizeof(T) && cols % max(PER, 1) == 0 # rows are whole vectors
require   BYTES <= 16 || device.cc >= 100 # older devices have no wider ones
require   BYTES >= 16 || cols % (2 * max(PER, 1)) != 0 # no narrower than it must be
require   GROUP == 4 || cols > GROUP * PER / 2 # at least half of the threads have something
require   GROUP * ROWS >= 64 && GROUP * ROWS <= device.max_threads_per_block
require   ROWS * TURNS == 1 || ROWS * TURNS <= rows
require   AHEAD == 0 || TURNS > 1      # a single row has no next one
require   TURNS == 1 || blocks >= 2 * device.sms # else multiprocessors would idle
require   registers <= 160 && (registers + 32) * GROUP * ROWS <= device.max_registers_per_block # no spills
require   HINT != HINT_keep || (device.cc >= 80 && BYTES >= 4) # older devices have no such reads
require   blocks <= device.max_grid_x

grid      blocks
block     GROUP * ROWS
default   GROUP=128 ROWS=1 TURNS=1 AHEAD=0 BYTES=16 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int GROUP = 128, ROWS = 1, TURNS = 1, AHEAD = 0, BYTES = 16, PER = 4, EACH = 4, RAGGED = 0, SPARE = 0;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/rmsnorm_row.cuh"
#endif

/* Groups of different rows take turns side by side, so that what is read at a time is in one piece. */
extern "C" __global__ void __launch_bounds__(GROUP * ROWS)
rmsnorm_rows(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
              long long rows, long long cols)
{
    constexpr int  WARPS = (GROUP + 31) / 32, LANES = GROUP < 32 ? GROUP : 32;
    constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_once;
    __shared__ float parts[2][ROWS][WARPS];
    const int group = (int)threadIdx.x / GROUP, lane = (int)threadIdx.x % GROUP, vectors = (int)(cols / PER);
    const long long first = (long long)blockIdx.x * (ROWS * TURNS) + group;
    const long long last  = rows - 1;
    Row<GROUP, EACH, PER, RAGGED != 0> mine, next, weight;

    next.template read<KEEP, ONCE>(in + (SPARE && first > last ? last : first) * cols, lane, vectors);
    weight.template read<false, false>(gamma, lane, vectors);
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
        const long long wanted = first + turn * ROWS, following = wanted + ROWS;
        const long long ahead  = SPARE && following > last ? last : following; /* all threads meet at the barrier */

        mine = next;
        if (AHEAD && turn + 1 < TURNS)
            next.template read<KEEP, ONCE>(in + ahead * cols, lane, vectors);
        float squares = total_of<LANES>(mine.squares(lane, vectors));
        if constexpr (WARPS > 1) {
            float *const part = parts[turn % 2][group]; /* two: nobody is more than one barrier ahead */
            if (lane % 32 == 0)
                part[lane / 32] = squares;
            __syncthreads();
            squares = joined<WARPS>(part);
        }
        if (!SPARE || wanted <= last)
            mine.template write<ONCE>(out + wanted * cols, weight, factor_of(squares, eps, cols), lane, vectors);
        if (!AHEAD && turn + 1 < TURNS)
            next.template read<KEEP, ONCE>(in + ahead * cols, lane, vectors);
    }
}
