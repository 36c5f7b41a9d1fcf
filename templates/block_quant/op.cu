/*!autotune
op        block_quant                  # q = in / s in e4m3, straight and turned, with a scale s for each 128 x 128 elements
shape     rows cols
type      T = bf16 f16
use       quant_reference

let       count   = rows * cols
let       across  = ceil_div(cols, 128)
let       blocks  = ceil_div(rows, 128) * across
let       moved   = count * (sizeof(T) + 2) + 4 * blocks
require   count > 0                    # a shape needs at least one element
require   rows < 2147483648 && cols < 2147483648 # they are numbered in 32 bits

arg       q       u8[count] output     # e4m3, as `in`
arg       turned  u8[count] output     # the same with rows for columns
arg       scales  f32[blocks] output
arg       in      T[count] input normal 0 4
arg       rows    i64
arg       cols    i64

reference block_quant_reference
block     256
grid      min(blocks, 1048576)

check     exact                        # the arithmetic is fixed: s = largest / 448, q = in * (1 / s)
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      turned  rows cols cost 10
near      aligned rows cols cost 8
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#include "../common/quant_reference.cuh"
#endif

/* A thread has some rows of a block: slow, and too simple to be wrong. At the edges blocks are smaller. */
extern "C" __global__ void block_quant_reference(unsigned char *q, unsigned char *turned, float *scales, const T *in, long long rows,
    long long cols)
{
    __shared__ float largest[256];
    const long long across = (cols + 127) / 128, blocks = (rows + 127) / 128 * across;
    const Slots is = { 1, blocks, 1 };

    for (long long b = blockIdx.x; b < blocks; b += gridDim.x) {
        const long long row = b / across * 128, col = b % across * 128;
        const long long end_row = min(row + 128, rows), end_col = min(col + 128, cols);
        float most = 0;
        for (long long r = row + threadIdx.x; r < end_row; r += 256)
            for (long long c = col; c < end_col; c++)
                most = fmaxf(most, fabsf((float)in[r * cols + c]));
        __syncthreads();
        largest[threadIdx.x] = most;
        __syncthreads();
        for (int i = 0; i < 256; i++)
            most = fmaxf(most, largest[i]);
        const float s = is.scale_for(most);
        if (threadIdx.x == 0)
            scales[b] = s;
        for (long long r = row + threadIdx.x; r < end_row; r += 256)
            for (long long c = col; c < end_col; c++)
                q[r * cols + c] = turned[c * rows + r] = e4m3_of((float)in[r * cols + c] * (1 / s));
    }
}
