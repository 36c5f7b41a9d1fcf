/*!autotune
op        group_quant                  # q = in / s in e4m3, with a scale s for each group of elements of a row
shape     layout=rows|columns|e8m0|blocks group=g128|g64|g32 tokens hidden
type      T = bf16 f16
use       quant_reference

let       size    = 256 >> group       # elements of a group
let       count   = tokens * hidden
let       groups  = hidden / size      # of a row
let       slots   = layout == layout_blocks ? ceil_div(tokens, 128) * 128 * ceil_div(groups, 4) * 4 : tokens * groups # scales
let       scale_bytes = slots * (layout <= layout_columns ? 4 : 1)
let       moved   = count * (sizeof(T) + 1) + scale_bytes
require   count > 0                    # a shape needs at least one element
require   hidden % size == 0           # rows are whole groups
require   slots < 2147480000           # they are numbered in 32 bits

arg       q       u8[count] output     # e4m3
arg       scales  u8[scale_bytes] output # f32 or e8m0
arg       in      T[count] input normal 0 4
arg       layout  i64
arg       group   i64
arg       tokens  i64
arg       hidden  i64

reference group_quant_reference
block     256
grid      min(ceil_div(slots, 256), 1048576)

check     exact                        # the arithmetic is fixed: s = largest / 448, q = in * (1 / s)
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#include "../common/quant_reference.cuh"
#endif

/* Which scales there are, and where, says common/quant_reference.cuh. */
extern "C" __global__ void group_quant_reference(unsigned char *q, unsigned char *scales, const T *in, long long layout, long long group,
    long long tokens, long long hidden)
{
    const long long size = 256 >> group, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const Slots is = { layout, tokens, hidden / size };

    for (long long slot = first; slot < is.down() * is.across(); slot += (long long)gridDim.x * blockDim.x) {
        const long long token = slot / is.across(), g = slot % is.across(), from = token * hidden + g * size;
        float largest = 0;
        if (!is.is_group(token, g)) {
            is.write(scales, token, g, 0);
            continue;
        }
        for (long long i = from; i < from + size; i++)
            largest = fmaxf(largest, fabsf((float)in[i]));
        const float s = is.scale_for(largest);
        for (long long i = from; i < from + size; i++)
            q[i] = e4m3_of((float)in[i] * (1 / s));
        is.write(scales, token, g, s);
    }
}
