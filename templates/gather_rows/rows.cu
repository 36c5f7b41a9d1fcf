/*!autotune
template  rows                         # some threads side by side for a row, some rows for each before the first is written
use       access policy rows

param     VEC     = 1 2 4 8 16         # bytes of an access
param     LANES   = 1 2 4 8 16 32 64 128 256 512 # threads side by side
param     PIECES  = 1 2 4 8            # accesses of a thread to each row
param     EACH    = 1 2 4 8            # rows of a thread
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once keep apart # indices and writes say that nobody needs them soon; reads that the L2 should keep them; or both

let       pitch   = row_bytes / VEC    # accesses to a row
let       groups  = THREADS / LANES    # rows of a block, of each of EACH
let       blocks  = ceil_div(rows, groups * EACH)
let       cuts    = ceil_div(pitch, LANES * PIECES) # blocks side by side for long rows
const     EDGE    = rows % (groups * EACH) != 0 || pitch % (LANES * PIECES) != 0

require   row_bytes % VEC == 0         # every row begins aligned
require   2 * VEC >= gcd(row_bytes, 16) # far narrower than the alignment allows is slow
require   LANES <= THREADS
require   LANES * PIECES < 2 * pitch   # else half of the threads have nothing to do
require   VEC * PIECES * EACH <= 256   # 64 registers hold what is read
require   EACH == 1 || rows >= groups * EACH
require   LANES == 1 || LANES >= 32 || LANES * PIECES >= pitch # rows are cut only where they are long
require   PIECES == 1 || 2 * LANES >= min(pitch, 8) # neighbours read what is side by side
require   HINT <= HINT_once || (device.cc >= 80 && VEC >= 4 && moved >= device.l2_bytes)
require   pitch < 2147483647
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x && cuts <= 65535

grid      blocks cuts
block     THREADS
default   VEC=16 LANES=32 PIECES=1 EACH=4 THREADS=256 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
constexpr int VEC = 16, LANES = 32, PIECES = 1, EACH = 4, THREADS = 256, EDGE = 1;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/policy.cuh"
#include "../common/rows.cuh"
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
gather_rows_rows(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, const T *__restrict__ index, long long from,
    long long rows, long long row_bytes)
{
    move_rows<true, Access<VEC>::type, THREADS, LANES, EACH, PIECES, EDGE, HINT >= HINT_keep, HINT == HINT_once || HINT == HINT_apart>(out, in, index, from, rows, row_bytes);
}
