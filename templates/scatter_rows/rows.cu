/*!autotune
template  rows                         # some threads side by side for a row, some rows for each before the first is written
use       rows                         # with its parameters

grid      blocks cuts
block     THREADS
default   VEC=16 LANES=32 PIECES=1 EACH=4 THREADS=256 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
constexpr int VEC = 16, LANES = 32, PIECES = 1, EACH = 4, THREADS = 256, EDGE = 1;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
#include "../common/rows.cuh"
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
scatter_rows_rows(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, const T *__restrict__ index, long long rows,
    long long row_bytes)
{
    move_rows<false, Access<VEC>::type, THREADS, LANES, EACH, PIECES, EDGE, HINT >= HINT_keep, HINT == HINT_once || HINT == HINT_apart>(out, in, index, rows, rows, row_bytes);
}
