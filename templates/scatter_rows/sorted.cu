/*!autotune
template  sorted                       # short rows: a block moves its rows in the order of their places, so that blocks go over memory together
let       there   = rows                 # rows where the index says
use       sorted                       # with its parameters

grid      blocks
block     THREADS
shared    bytes
default   VEC=16 OWN=2048 THREADS=512 EACH=4 HOLD=no PERIOD=0 PACE=free HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
constexpr int VEC = 16, OWN = 2048, THREADS = 512, EACH = 4, PERIOD = 0, BINS = 1024, LANES = 4, HELD = 0;
constexpr unsigned SCALE = 524288;
constexpr int PACE_free = 0, PACE_even = 1, PACE = PACE_free;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/sorted.cuh"
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
scatter_rows_sorted(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, const T *__restrict__ index, long long rows,
    long long row_bytes)
{
    extern __shared__ uint4 shared_memory[];
    move_sorted<false, Access<VEC>::type, THREADS, LANES, EACH, HELD, PERIOD, PACE == PACE_even, HINT == HINT_once, OWN, BINS>(
        shared_memory, out, in, index, rows, rows, (unsigned)SCALE);
}
