/*!autotune
template  few                          # for few rows: little is done before the reads of a row, and between the last of them and its writes
use       reduce words

param     LANES   = 64 128 256 512 1024 # threads of a block, which has a row
param     ELEMS   = 8 16               # of a thread, side by side
param     TURN    = 0 1                # each block begins at other columns, so that not all ask for the same part of gamma at once

const     COLS    = cols
const     EACH    = ceil_div(cols, LANES * ELEMS) # times as many of a thread

require   sizeof(T) == 2               # words have two elements
require   cols % ELEMS == 0            # rows are whole pieces, and begin at multiples of 16 bytes
require   2 * cols > LANES * ELEMS     # at least half of the threads have something
require   EACH * ELEMS <= 64           # they are in registers
require   (EACH * ELEMS + 40) * LANES <= device.max_registers_per_block # no spills
require   count < 2147483648           # indices have 32 bits
require   4 * count <= device.l2_bytes # more is the other templates'
require   rows <= device.max_grid_x

arg       out in gamma eps
grid      rows
block     LANES
default   LANES=256 ELEMS=8 TURN=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
#include <cuda_bf16.h>
using T = __nv_bfloat16;
constexpr int LANES = 256, ELEMS = 8, TURN = 1, COLS = 4096, EACH = 2;
#include "../common/reduce.cuh"
#include "../common/words.cuh"
#endif

using Raw = Words<LANES, ELEMS, EACH, COLS>;

extern "C" __global__ void __launch_bounds__(LANES)
rmsnorm_few(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps)
{
    constexpr int WARPS = LANES / 32;
    __shared__ float parts[WARPS];
    const int first = (int)blockIdx.x * COLS;
    const int lane = TURN ? (int)((threadIdx.x + 32 * blockIdx.x) % LANES) : (int)threadIdx.x;
    Raw x, weight;
    float squares[4] = {};

    x.read(in + first, lane);
    weight.read(gamma, lane);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int k = 0; k < ELEMS / 2; k++) {
            const float2 two = both_of<T>(x.piece[i].word[k]);
            squares[k % 2 * 2] = fmaf(two.x, two.x, squares[k % 2 * 2]);
            squares[k % 2 * 2 + 1] = fmaf(two.y, two.y, squares[k % 2 * 2 + 1]);
        }
    const float mine = total_of<32>((squares[0] + squares[1]) + (squares[2] + squares[3]));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = mine;
    __syncthreads();
    const float factor = rsqrtf(fmaf(total_of<WARPS>(parts[threadIdx.x % WARPS]), 1.0f / COLS, eps));
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int k = 0; k < ELEMS / 2; k++) {
            const float2 two = both_of<T>(x.piece[i].word[k]), with = both_of<T>(weight.piece[i].word[k]);
            x.piece[i].word[k] = word_of<T>(two.x * factor * with.x, two.y * factor * with.y);
        }
        x.write(out + first, i, lane);
    }
}
