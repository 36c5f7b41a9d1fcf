/*!autotune
op        silu_mul_quant               # q = y / s in e4m3, y = silu(gate) * up, with a scale s for each group of elements of a row
shape     layout=rows|columns|e8m0|blocks group=g128|g64|g32 tokens hidden
type      T = bf16 f16
use       quant_reference

let       size    = 256 >> group       # elements of a group
let       count   = tokens * hidden    # of the result; a row of `in` is twice as long: gate, then up
let       groups  = hidden / size      # of a row
let       slots   = layout == layout_blocks ? ceil_div(tokens, 128) * 128 * ceil_div(groups, 4) * 4 : tokens * groups # scales
let       scale_bytes = slots * (layout <= layout_columns ? 4 : 1)
let       moved   = count * (2 * sizeof(T) + 1) + scale_bytes
require   count > 0                    # a shape needs at least one element
require   hidden % size == 0           # rows are whole groups
require   slots < 2147480000           # they are numbered in 32 bits

arg       q       u8[count] output     # e4m3
arg       scales  u8[scale_bytes] output # f32 or e8m0
arg       in      T[2 * count] input normal 0 4
arg       layout  i64
arg       group   i64
arg       tokens  i64
arg       hidden  i64

reference silu_mul_quant_reference
block     256
grid      min(ceil_div(slots, 256), 1048576)

check     by silu_mul_quant_is_right   # exp is not the same to the bit everywhere
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#include "../common/quant_reference.cuh"
#endif

struct Groups { /* of y = gate / (1 + exp(-gate)) * up */
    const T *in;
    long long hidden, size;

    __device__ double value(long long token, long long column) const
    {
        const double gate = (double)(float)in[token * 2 * hidden + column], up = (double)(float)in[(token * 2 + 1) * hidden + column];
        return gate / (1 + exp(-gate)) * up;
    }

    __device__ double largest(long long token, long long g) const
    {
        double most = 0;
        for (long long c = g * size; c < (g + 1) * size; c++)
            most = fmax(most, fabs(value(token, c)));
        return most;
    }
};

extern "C" __global__ void silu_mul_quant_reference(unsigned char *q, unsigned char *scales, const T *in, long long layout,
    long long group, long long tokens, long long hidden)
{
    const long long size = 256 >> group, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const Slots  is = { layout, tokens, hidden / size };
    const Groups y = { in, hidden, size };

    for (long long slot = first; slot < is.down() * is.across(); slot += (long long)gridDim.x * blockDim.x) {
        const long long token = slot / is.across(), g = slot % is.across();
        const bool  has = is.is_group(token, g);
        const float s = has ? is.scale_for((float)y.largest(token, g)) : 0;
        is.write(scales, token, g, s);
        for (long long c = g * size; has && c < (g + 1) * size; c++)
            q[token * hidden + c] = e4m3_of(y.value(token, c) / (double)s);
    }
}

extern "C" __global__ void silu_mul_quant_is_right(const unsigned char *q, const unsigned char *scales, const T *in, long long layout,
    long long group, long long tokens, long long hidden, const unsigned char *, const unsigned char *, unsigned long long *wrong)
{
    const long long size = 256 >> group, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const Slots  is = { layout, tokens, hidden / size };
    const Groups y = { in, hidden, size };

    for (long long slot = first; slot < is.down() * is.across(); slot += (long long)gridDim.x * blockDim.x) {
        const long long token = slot / is.across(), g = slot % is.across();
        const double s = is.read(scales, token, g);
        if (!is.is_group(token, g)) {
            if (s != 0)
                is_wrong(wrong, tokens * hidden + is.place(token, g));
            continue;
        }
        const bool right = is.is_scale(s, y.largest(token, g));
        for (long long c = g * size; c < (g + 1) * size; c++)
            if (!right || !is_e4m3(q[token * hidden + c], y.value(token, c) / s))
                is_wrong(wrong, token * hidden + c);
    }
}
