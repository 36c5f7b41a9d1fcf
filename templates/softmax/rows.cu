/*!autotune
template  rows                         # a row is in the registers of a group of threads; memory is read once
use       softmax_row

param     GROUP  = 4 8 16 32 64 128 256 512 1024 # threads that share a row: those of a warp need no shared memory
param     ROWS   = 1 2 4 8 16 32 64   # groups in a block: short rows by themselves would make small blocks
param     BYTES  = 2 4 8 16 32        # of an access: 16 is best where rows begin at multiples of 16 bytes
param     FLOATS = 0 1                # the row as floats, so that exponentials are computed once: more registers, less work
param     HINT   = none once keep     # what the caches are told: nothing, that all is used once, or to keep what is read

const     PER    = BYTES / sizeof(T)
const     EACH   = ceil_div(cols, GROUP * max(PER, 1)) # vectors of a thread
const     RAGGED = cols % (GROUP * max(PER, 1)) != 0
let       registers = EACH * (!FLOATS || sizeof(T) == 4 ? max(BYTES, 4) / 4 : PER + max(BYTES, 4) / 8)
const     SPARE  = rows % ROWS != 0   # the last block has groups without a row
general   SPARE=1

require   BYTES >= sizeof(T) && cols % max(PER, 1) == 0 # rows are whole vectors
require   BYTES <= 16 || device.cc >= 100 # older devices have no wider ones
require   BYTES >= 16 || cols % (2 * max(PER, 1)) != 0 # no narrower than it must be
require   GROUP == 4 || cols > GROUP * PER / 2 # at least half of the threads have something
require   GROUP * ROWS >= 64 && GROUP * ROWS <= device.max_threads_per_block
require   ROWS == 1 || ROWS <= rows
require   registers <= 128 && (registers + 32) * GROUP * ROWS <= device.max_registers_per_block # no spills
require   HINT != HINT_keep || (device.cc >= 80 && BYTES >= 4) # older devices have no such reads
require   ceil_div(rows, ROWS) <= device.max_grid_x

grid      ceil_div(rows, ROWS)
block     GROUP * ROWS
default   GROUP=128 ROWS=1 BYTES=16 FLOATS=0 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int GROUP = 128, ROWS = 1, BYTES = 16, FLOATS = 0, PER = 4, EACH = 4, RAGGED = 0, SPARE = 0;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/softmax_row.cuh"
#endif

extern "C" __global__ void __launch_bounds__(GROUP * ROWS)
softmax_rows(T *__restrict__ out, const T *__restrict__ in, long long rows, long long cols)
{
    constexpr int  WARPS = (GROUP + 31) / 32, LANES = GROUP < 32 ? GROUP : 32;
    constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_once;
    const int group = (int)threadIdx.x / GROUP, lane = (int)threadIdx.x % GROUP, vectors = (int)(cols / PER);
    const long long wanted = (long long)blockIdx.x * ROWS + group;
    const long long row    = SPARE && wanted >= rows ? rows - 1 : wanted; /* all threads meet at the barrier */
    Row<GROUP, EACH, PER, RAGGED != 0, FLOATS != 0> mine;

    mine.template read<KEEP, ONCE>(in + row * cols, lane, vectors);
    const float scaled = scaled_of(largest_of<LANES>(mine.largest(lane, vectors)));
    Sum all = { scaled, total_of<LANES>(mine.total(scaled, lane, vectors)) };
    if constexpr (WARPS > 1) {
        __shared__ Sum parts[ROWS][WARPS];
        if (lane % 32 == 0)
            parts[group][lane / 32] = all;
        __syncthreads();
        all = joined<WARPS>(parts[group]);
    }
    if (!SPARE || wanted < rows)
        mine.template write<ONCE>(out + row * cols, scaled, all, lane, vectors);
}
