/*!autotune
template  few                          # for few tokens: some lanes have a group each, in as few instructions as there may be
use       quant words

param     ELEMS   = 8 16               # elements of a thread, side by side
param     THREADS = 64 128 256 512     # threads a block

const     LAYOUT  = layout
const     GROUP   = size
const     GROUPS  = groups
const     LANES   = GROUP / ELEMS      # that have a group
let       each_block = THREADS / LANES
const     EDGE    = slots % each_block != 0
general   EDGE=1

require   2 * count < 2147483648       # indices have 32 bits
require   moved <= device.l2_bytes     # more is the other template's
require   ceil_div(slots, each_block) <= device.max_grid_x

arg       q scales in tokens
grid      ceil_div(slots, each_block)
block     THREADS
default   ELEMS=8 THREADS=128
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
#include <cuda_bf16.h>
using T = __nv_bfloat16;
constexpr int ELEMS = 8, THREADS = 128, LAYOUT = 1, GROUP = 128, GROUPS = 32, LANES = 16, EDGE = 1;
#include "../common/quant.cuh"
#include "../common/words.cuh"
#endif

/* silu(gate) * up: what the other template computes, by instructions that flush what is below 2^-126 to 0. */
__device__ __forceinline__ float gated(float gate, float up)
{
    float power, part;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(gate * -1.4426950408889634f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(part) : "f"(1 + power));
    return gate * up * part;
}

struct Gated { /* elements of a group */
    float value[ELEMS];

    __device__ __forceinline__ float operator[](int i) const { return value[i]; }
};

extern "C" __global__ void __launch_bounds__(THREADS)
silu_mul_quant_few(unsigned char *__restrict__ q, unsigned char *__restrict__ scales, const T *__restrict__ in, long long tokens)
{
    constexpr bool BLOCKS = LAYOUT == SCALES_BLOCKS;
    constexpr int  ACROSS = BLOCKS ? (GROUPS + 3) / 4 * 4 : GROUPS, HIDDEN = GROUPS * GROUP;
    const int slots = (int)(BLOCKS ? (tokens + 127) / 128 * 128 : tokens) * ACROSS, column = (int)threadIdx.x % LANES * ELEMS;
    const int slot = (int)blockIdx.x * (THREADS / LANES) + (int)threadIdx.x / LANES, token = slot / ACROSS, g = slot % ACROSS;
    const bool there = !EDGE || slot < slots, has = there && (!BLOCKS || (g < GROUPS && token < tokens));
    Words<1, ELEMS, 1, ELEMS> gate = {}, up = {};
    Gated y;
    float most[2] = {};

    if (has) {
        gate.read(in + token * (2 * HIDDEN) + g * GROUP + column, 0);
        up.read(in + token * (2 * HIDDEN) + HIDDEN + g * GROUP + column, 0);
    }
#pragma unroll
    for (int k = 0; k < ELEMS / 2; k++) {
        const float2 a = both_of<T>(gate.piece[0].word[k]), b = both_of<T>(up.piece[0].word[k]);
        y.value[2 * k] = gated(a.x, b.x);
        y.value[2 * k + 1] = gated(a.y, b.y);
        most[0] = fmaxf(most[0], fabsf(y.value[2 * k]));
        most[1] = fmaxf(most[1], fabsf(y.value[2 * k + 1]));
    }
    const Scaled is = scaled_for<LAYOUT >= SCALES_E8M0>(largest_of<LANES>(fmaxf(most[0], most[1])), 1);
    if (has)
        write_e4m3<ELEMS, false>(q + token * HIDDEN + g * GROUP + column, y, is.by);
    if (there && column == 0)
        write_scale<LAYOUT>(scales, has ? is.scale : 0, token, g, tokens, GROUPS);
}
