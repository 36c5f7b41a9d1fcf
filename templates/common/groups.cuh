/*!autotune
common    groups                       # groups of a row to e4m3, each with its scale: some lanes have a group in registers
use       quant

param     ELEMS   = 8 16 32            # elements of a thread, side by side
param     EACH    = 1 2 4 8            # groups of a thread, all read before the first is written
param     THREADS = 64 128 256 512     # threads a block
param     BYTES   = 16 32              # of an access, at most
param     HINT    = none once keep apart # writes are marked as not needed soon; reads as to be kept in the L2; or both

const     LAYOUT  = layout
const     GROUP   = size
const     GROUPS  = groups
const     LANES   = GROUP / ELEMS      # that have a group
let       each_block = THREADS / LANES * EACH
let       blocks  = ceil_div(slots, each_block)
const     EDGE    = slots % each_block != 0

require   ELEMS <= GROUP
require   BYTES == 16 || (device.cc >= 100 && ELEMS * sizeof(T) >= 32) # older devices have no wider ones
require   EACH == 1 || blocks >= device.sms # else fewer threads have more to do
require   HINT == HINT_none || (device.cc >= 80 && moved >= device.l2_bytes / 4)
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "quant.cuh"
#endif

/*
 * All scales of an operation are numbered, with those that a layout has beyond its groups; LANES lanes have the group of one.
 * `Mine` is what a thread reads and computes of its elements: `read(token, column)`, `[i]`, `largest()`. `exact`: as the
 * reference divides, bit for bit.
 */
template <class Mine, bool exact, int threads, int elems, int each, int bytes, int layout, int group, int groups, bool edge, bool once>
__device__ __forceinline__ void quantize_groups(unsigned char *q, void *scales, long long tokens, const Mine &from)
{
    constexpr bool BLOCKS = layout == SCALES_BLOCKS;
    constexpr int  LANES_OF = group / elems, ACROSS = BLOCKS ? (groups + 3) / 4 * 4 : groups, APART = threads / LANES_OF;
    const int column = (int)threadIdx.x % LANES_OF * elems, first = (int)blockIdx.x * (APART * each) + (int)threadIdx.x / LANES_OF;
    const int slots = (int)(BLOCKS ? (tokens + 127) / 128 * 128 : tokens) * ACROSS;
    Mine mine[each];

#pragma unroll
    for (int k = 0; k < each; k++) {
        const int slot = first + k * APART, token = slot / ACROSS, g = slot % ACROSS;
        mine[k] = from;
        if ((!edge || slot < slots) && (!BLOCKS || (g < groups && token < tokens)))
            mine[k].read(token, g * group + column);
    }
#pragma unroll
    for (int k = 0; k < each; k++) {
        const int slot = first + k * APART, token = slot / ACROSS, g = slot % ACROSS;
        const bool has = !BLOCKS || (g < groups && token < tokens);
        const float largest = largest_of<LANES_OF>(mine[k].largest());
        const Scaled is = exact ? exactly_scaled_for<layout >= SCALES_E8M0>(largest) : scaled_for<layout >= SCALES_E8M0>(largest, 1);
        if (edge && slot >= slots)
            continue;
        if (has)
            write_e4m3<elems, once, bytes>(q + (long long)token * (groups * group) + g * group + column, mine[k], is.by);
        if (column == 0)
            write_scale<layout>(scales, has ? is.scale : 0, token, g, tokens, groups);
    }
}
