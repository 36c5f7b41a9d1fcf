/*!autotune
template  simple                       # a shared tile of each factor, a column of elements a thread: takes every shape

param     TILE = 16 32                 # side of the square tiles
param     ROWS = 1 2 4 8               # elements of c that a thread sums up, TILE / ROWS rows apart

let       blocks = ceil_div(n, TILE) * ceil_div(m, TILE)
require   TILE * TILE / ROWS >= 32     # a warp at least
require   blocks <= device.max_grid_x

grid      blocks
block     TILE * (TILE / ROWS)
default   TILE=32 ROWS=4
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int TILE = 32;
constexpr int ROWS = 4;
#endif

extern "C" __global__ void __launch_bounds__(TILE *TILE / ROWS)
    sgemm_simple(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b, int m, int n, int k)
{
    __shared__ T tile_a[TILE][TILE], tile_b[TILE][TILE];
    constexpr int STEP = TILE / ROWS; /* rows that the block covers at once */
    const int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    const int across = (n + TILE - 1) / TILE;
    const int row = (int)blockIdx.x / across * TILE + y, col = (int)blockIdx.x % across * TILE + x;
    T sum[ROWS] = {};

    for (int first = 0; first < k; first += TILE) {
        for (int i = 0; i < ROWS; i++) {
            const int r = row + i * STEP, p = first + y + i * STEP;
            tile_a[y + i * STEP][x] = r < m && first + x < k ? a[(long long)r * k + first + x] : T(0);
            tile_b[y + i * STEP][x] = p < k && col < n ? b[(long long)p * n + col] : T(0);
        }
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < TILE; p++)
            for (int i = 0; i < ROWS; i++)
                sum[i] += tile_a[y + i * STEP][p] * tile_b[p][x];
        __syncthreads();
    }
    for (int i = 0; i < ROWS; i++)
        if (row + i * STEP < m && col < n)
            c[(long long)(row + i * STEP) * n + col] = sum[i];
}
