/*!autotune
template  few                          # for few tokens: little is done before the reads of a row, and between the last of them and its writes
use       quant words

param     LANES   = 64 128 256 512 1024 # threads of a block, which has a row
param     ELEMS   = 8 16               # of a thread, side by side
param     TURN    = 0 1                # each block begins at other columns, so that not all ask for the same part of gamma at once

const     LAYOUT  = layout
const     ADD     = add == add_yes
const     HIDDEN  = hidden
const     GROUP   = size
const     WHOLE   = group == group_row # one scale a row
let       down    = layout == layout_blocks ? ceil_div(tokens, 128) * 128 : tokens
const     EACH    = ceil_div(hidden, LANES * ELEMS) # times as many of a thread

require   hidden % 8 == 0 && hidden % ELEMS == 0 # rows are whole pieces, and begin at multiples of 16 bytes
require   2 * hidden > LANES * ELEMS   # at least half of the threads have something
require   EACH * ELEMS <= 64           # they are in registers
require   (EACH * ELEMS * (2 + ADD) / 2 + 40) * LANES <= device.max_registers_per_block # no spills
require   count < 2147483648           # indices have 32 bits
require   moved <= device.l2_bytes     # more is the other templates'
require   down <= device.max_grid_x

arg       q scales sum in residual gamma eps tokens
grid      down
block     LANES
default   LANES=256 ELEMS=8 TURN=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
#include <cuda_bf16.h>
using T = __nv_bfloat16;
constexpr int LANES = 256, ELEMS = 8, TURN = 1, LAYOUT = 1, ADD = 1, HIDDEN = 4096, GROUP = 4096, EACH = 2, WHOLE = 1;
#include "../common/quant.cuh"
#include "../common/words.cuh"
#endif

using Raw = Words<LANES, ELEMS, EACH, HIDDEN>;

struct Products { /* of a piece with gamma */
    float value[ELEMS];

    __device__ __forceinline__ float operator[](int k) const { return value[k]; }
};

/* Of the warps' sums of squares and largest, what all of them are: of few warps each thread for itself, in halves. */
__device__ __forceinline__ float2 joined(const float2 *parts)
{
    constexpr int WARPS = LANES / 32, COUNT = WARPS > 8 ? 1 : WARPS;
    float2 all[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        all[i] = parts[WARPS > 8 ? threadIdx.x % WARPS : i];
    if (WARPS > 8)
        return make_float2(total_of<WARPS>(all[0].x), WHOLE ? largest_magnitude(all[0].y) : 0);
#pragma unroll
    for (int half = COUNT / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            all[i] = make_float2(all[i].x + all[i + half].x, fmaxf(all[i].y, all[i + half].y));
    return all[0];
}

extern "C" __global__ void __launch_bounds__(LANES)
rmsnorm_quant_few(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, T *__restrict__ sum, const T *__restrict__ in,
    const T *__restrict__ residual, const T *__restrict__ gamma, float eps, long long tokens)
{
    constexpr int  GROUPS = HIDDEN / GROUP, ACROSS = LAYOUT == SCALES_BLOCKS ? (GROUPS + 3) / 4 * 4 : GROUPS;
    constexpr int  LANES_OF = WHOLE ? 1 : GROUP / ELEMS; /* that have a group */
    __shared__ float2 parts[LANES / 32];
    const int token = (int)blockIdx.x, first = token * HIDDEN;
    const int lane = TURN ? ((int)threadIdx.x + 32 * token) % LANES : (int)threadIdx.x;
    Raw x, weight;
    Products y[EACH];
    float squares[4] = {}, largest[WHOLE ? 1 : EACH] = {};

    if (LAYOUT == SCALES_BLOCKS) { /* what has no group */
        for (int g = (token < tokens ? GROUPS : 0) + (int)threadIdx.x; g < ACROSS; g += LANES)
            write_scale<LAYOUT>(scales, 0, token, g, tokens, GROUPS);
        if (token >= tokens)
            return;
    }
    x.read(in + first, lane);
    weight.read(gamma, lane);
    if (ADD) {
        Raw other;
        other.read(residual + first, lane);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
#pragma unroll
            for (int k = 0; k < ELEMS / 2; k++) { /* as it is written: rounded to T */
                const float2 a = both_of<T>(x.piece[i].word[k]), b = both_of<T>(other.piece[i].word[k]);
                x.piece[i].word[k] = word_of<T>(a.x + b.x, a.y + b.y);
            }
            x.write(sum + first, i, lane);
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        float most[2] = {};
#pragma unroll
        for (int k = 0; k < ELEMS / 2; k++) {
            const float2 two = both_of<T>(x.piece[i].word[k]), with = both_of<T>(weight.piece[i].word[k]);
            squares[k % 2 * 2] = fmaf(two.x, two.x, squares[k % 2 * 2]);
            squares[k % 2 * 2 + 1] = fmaf(two.y, two.y, squares[k % 2 * 2 + 1]);
            y[i].value[2 * k] = two.x * with.x;
            y[i].value[2 * k + 1] = two.y * with.y;
            most[0] = fmaxf(most[0], fabsf(y[i].value[2 * k]));
            most[1] = fmaxf(most[1], fabsf(y[i].value[2 * k + 1]));
        }
        float &of = largest[WHOLE ? 0 : i];
        of = fmaxf(of, fmaxf(most[0], most[1]));
    }
    const float mine = total_of<32>((squares[0] + squares[1]) + (squares[2] + squares[3]));
    const float most = WHOLE ? largest_magnitude(largest[0]) : 0;
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = make_float2(mine, most);
    if (!WHOLE) /* while other warps wait for their elements */
#pragma unroll
        for (int i = 0; i < EACH; i++)
            largest[WHOLE ? 0 : i] = largest_of<LANES_OF>(largest[WHOLE ? 0 : i]);
    __syncthreads();
    const float2 all = joined(parts);
    const float factor = rsqrtf(fmaf(all.x, 1.0f / HIDDEN, eps));
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int column = Raw::column(i, lane);
        const Scaled is = scaled_for<LAYOUT >= SCALES_E8M0>(WHOLE ? all.y : largest[WHOLE ? 0 : i], factor);
        if (Raw::has(i, lane)) {
            write_e4m3<ELEMS, false>(q + first + column, y[i], is.by);
            if (WHOLE ? i == 0 && lane == 0 : column % GROUP == 0)
                write_scale<LAYOUT>(scales, is.scale, token, column / GROUP, tokens, GROUPS);
        }
    }
}
