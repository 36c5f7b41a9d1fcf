/*!autotune
template  tiles
use       bulk
param     TILE   = 256 512
require   device.cc >= 90
grid      ceil_div(n, 4 * TILE)
block     256
*/
#ifndef AUTOTUNE_RENDERED
using T = float;
constexpr int TILE = 512;
#include "../common/bulk.cuh"
#endif

/* Four tiles a block: two come while one is doubled and another one goes. */
extern "C" __global__ void doubled_tiles(T *out, const T *in, int n)
{
    __shared__ __align__(16) T tile[2][TILE], twice[2][TILE];
    __shared__ Barrier full[2];
    const int first = blockIdx.x * 4 * TILE, tiles = min(4, (n - first + TILE - 1) / TILE);
    const bool asks = threadIdx.x == 0;

    if (asks) {
        make_barrier(&full[0], 1), make_barrier(&full[1], 1);
        for (int t = 0; t < min(2, tiles); t++) {
            const int bytes = min(TILE, n - first - t * TILE) * (int)sizeof(T);
            announce(&full[t], bytes);
            fetch(tile[t], in + first + t * TILE, bytes, &full[t]);
        }
    }
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        const int begin = first + t * TILE, count = min(TILE, n - begin);
        wait(&full[t % 2], t / 2 % 2);
        if (asks)
            wait_for_reads<1>();
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += 256)
            twice[t % 2][i] = 2 * tile[t % 2][i];
        show_engine();
        __syncthreads();
        if (!asks)
            continue;
        put(out + begin, twice[t % 2], count * (int)sizeof(T));
        end_group();
        if (t + 2 < tiles) {
            const int next = begin + 2 * TILE, bytes = min(TILE, n - next) * (int)sizeof(T);
            announce(&full[t % 2], bytes);
            fetch(tile[t % 2], in + next, bytes, &full[t % 2]);
        }
    }
    if (asks)
        wait_for_reads<0>();
}
