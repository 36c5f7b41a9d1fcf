/*!autotune
template  simple                       # the filter in shared memory, the input from the caches: takes every shape

param     BX     = 16 32 64 128        # threads along a row
param     BY     = 1 2 4 8 16          # rows of threads
param     TX     = 1 2 4               # outputs of a thread, BX columns apart

let       blocks = ceil_div(cols, BX * TX) * ceil_div(rows, BY)
require   BX * BY >= 64 && BX * BY <= 512
require   blocks <= device.max_grid_x

grid      blocks
block     BX BY
default   BX=32 BY=8 TX=2
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int BX = 32, BY = 8, TX = 2;
#endif

extern "C" __global__ void __launch_bounds__(BX *BY)
    convolution_simple(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ filter, int rows, int cols)
{
    __shared__ T weights[17 * 17];
    const int across = (cols + BX * TX - 1) / (BX * TX);
    const int x = (int)blockIdx.x % across * BX * TX + (int)threadIdx.x, y = (int)blockIdx.x / across * BY + (int)threadIdx.y;
    const int wide = cols + 16;
    T sum[TX] = {};

    for (int i = (int)(threadIdx.y * BX + threadIdx.x); i < 17 * 17; i += BX * BY)
        weights[i] = filter[i];
    __syncthreads();
    if (y >= rows)
        return;
    for (int i = 0; i < 17; i++) {
        const T *from = in + (long long)(y + i) * wide;
#pragma unroll
        for (int j = 0; j < 17; j++)
#pragma unroll
            for (int t = 0; t < TX; t++)
                sum[t] += from[min(x + t * BX, cols - 1) + j] * weights[i * 17 + j];
    }
    for (int t = 0; t < TX; t++)
        if (x + t * BX < cols)
            out[(long long)y * cols + x + t * BX] = sum[t];
}
