/*!autotune
template  shared                       # the kernel of tile.cu, with common code of a folder and built in
use       middle index

param     TILE    = 8 16 32            # side of the square tile, in elements
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

const     EDGE    = rows % TILE != 0 || cols % TILE != 0
const     WIDE    = TILE * max(ld_in, ld_out) > 2147483647
fixed     count * sizeof(T) < 67108864

require   TILE * (TILE + 1) * sizeof(T) <= device.max_static_shared_bytes
require   align_in >= sizeof(T) && align_out >= sizeof(T) # elements are moved one by one

grid      ceil_div(rows, TILE) * ceil_div(cols, TILE) * batch
block     TILE TILE
default   TILE=32
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int TILE = 32, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/middle.cuh"
#endif

using Index = IndexOf<WIDE != 0>::type;

extern "C" __global__ void __launch_bounds__(TILE * TILE)
transpose_shared(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    __shared__ T tile[TILE][TILE + 1];

    const unsigned down   = (unsigned)((rows + TILE - 1) / TILE);
    const unsigned across = (unsigned)((cols + TILE - 1) / TILE);
    const unsigned matrix = blockIdx.x / (down * across);
    const unsigned t      = blockIdx.x % (down * across);
    const long long r0    = (long long)(ORDER == ORDER_in_fast ? t / across : t % down) * TILE;
    const long long c0    = (long long)(ORDER == ORDER_in_fast ? t % across : t / down) * TILE;
    const int x = threadIdx.x, y = threadIdx.y;

    in  += (matrix * rows + r0) * ld_in + c0;
    out += (matrix * cols + c0) * ld_out + r0;

    if (!EDGE || (r0 + y < rows && c0 + x < cols))
        tile[y][x] = in[offset<WIDE != 0>(y, x, ld_in)];

    __syncthreads();

    if (!EDGE || (r0 + x < rows && c0 + y < cols))
        out[(Index)offset<WIDE != 0>(y, x, ld_out)] = tile[x][y];
}
