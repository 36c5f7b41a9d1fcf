/*!autotune
op        rmsnorm_quant                # q = y / s in e4m3, y = gamma * x / sqrt(eps + mean of x^2), row by row; x = in, or in + residual
shape     add=no|yes layout=rows|columns|e8m0|blocks group=row|g128|g64|g32 tokens hidden
type      T = bf16 f16
use       quant_reference

let       size    = group == group_row ? hidden : 512 >> group # elements that have one scale
let       count   = tokens * hidden
let       groups  = hidden / size      # of a row
let       added   = add == add_yes ? count : 0
let       slots   = layout == layout_blocks ? ceil_div(tokens, 128) * 128 * ceil_div(groups, 4) * 4 : tokens * groups # scales
let       scale_bytes = slots * (layout <= layout_columns ? 4 : 1)
let       moved   = count * (sizeof(T) + 1) + 2 * added * sizeof(T) + hidden * sizeof(T) + scale_bytes
require   count > 0                    # a shape needs at least one element
require   hidden % size == 0           # rows are whole groups
require   layout <= layout_columns || group != group_row # e8m0 is for groups
require   slots < 2147480000           # they are numbered in 32 bits

arg       q        u8[count] output    # e4m3
arg       scales   u8[scale_bytes] output # f32 or e8m0
arg       sum      T[added] output     # in + residual
arg       in       T[count] input normal 0 1
arg       residual T[added] input normal 0 2
arg       gamma    T[hidden] input uniform 0.5 1.5 # were they all 1, a kernel that forgets them would be right
arg       eps      f32 = 1e-5
arg       add      i64
arg       layout   i64
arg       group    i64
arg       tokens   i64
arg       hidden   i64

reference rmsnorm_quant_reference
block     256
grid      min(layout == layout_blocks ? ceil_div(tokens, 128) * 128 : tokens, 65536)

check     by rmsnorm_quant_is_right    # sums are not added in one order everywhere
traffic   moved
ceiling   copy ceil_div(moved, 2 * sizeof(T))

near      narrow  tokens <= 256 cost 16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#include "../common/quant_reference.cuh"
#endif

/* A row is a block's. Which scales there are, and where, says common/quant_reference.cuh. */
struct Row {
    const T *in, *residual, *gamma;
    double   factor;

    /* `residual` is added as it is written: rounded to T. */
    __device__ T x(long long c) const { return residual ? (T)((float)in[c] + (float)residual[c]) : in[c]; }
    __device__ double y(long long c) const { return (double)(float)x(c) * factor * (double)(float)gamma[c]; }

    /* The sum, or the largest, of what the block's threads have. */
    static __device__ double all(double mine, bool add)
    {
        __shared__ double of[256];
        __syncthreads();
        of[threadIdx.x] = mine;
        __syncthreads();
        double value = 0;
        for (int i = 0; i < 256; i++)
            value = add ? value + of[i] : fmax(value, of[i]);
        return value;
    }

    __device__ Row(const T *in, const T *residual, const T *gamma, bool add, long long token, long long hidden, float eps)
        : in(in + token * hidden), residual(add ? residual + token * hidden : nullptr), gamma(gamma), factor(0)
    {
        double squares = 0;
        for (long long c = threadIdx.x; c < hidden; c += 256)
            squares += (double)(float)x(c) * (double)(float)x(c);
        factor = 1 / sqrt(all(squares, true) / (double)hidden + (double)eps);
    }

    __device__ double largest(long long g, long long size) const
    {
        double most = 0;
        for (long long c = g * size + threadIdx.x; c < (g + 1) * size; c += 256)
            most = fmax(most, fabs(y(c)));
        return all(most, false);
    }
};

extern "C" __global__ void rmsnorm_quant_reference(unsigned char *q, unsigned char *scales, T *sum, const T *in, const T *residual,
    const T *gamma, float eps, long long add, long long layout, long long group, long long tokens, long long hidden)
{
    const long long size = group == 1 ? hidden : 512 >> group;
    const Slots is = { layout, tokens, hidden / size };

    for (long long token = blockIdx.x; token < is.down(); token += gridDim.x) {
        if (token >= tokens) {
            for (long long g = threadIdx.x; g < is.across(); g += 256)
                is.write(scales, token, g, 0);
            continue;
        }
        const Row row(in, residual, gamma, add == 2, token, hidden, eps);
        for (long long g = 0; g < is.across(); g++) {
            const bool  has = is.is_group(token, g);
            const float s = has ? is.scale_for((float)row.largest(g, size)) : 0;
            if (threadIdx.x == 0)
                is.write(scales, token, g, s);
            for (long long c = g * size + threadIdx.x; has && c < (g + 1) * size; c += 256)
                q[token * hidden + c] = e4m3_of(row.y(c) / (double)s);
        }
        for (long long c = threadIdx.x; add == 2 && c < hidden; c += 256)
            sum[token * hidden + c] = row.x(c);
    }
}

extern "C" __global__ void rmsnorm_quant_is_right(const unsigned char *q, const unsigned char *scales, const T *sum, const T *in,
    const T *residual, const T *gamma, float eps, long long add, long long layout, long long group, long long tokens, long long hidden,
    const unsigned char *, const unsigned char *, const T *, unsigned long long *wrong)
{
    const long long size = group == 1 ? hidden : 512 >> group;
    const Slots is = { layout, tokens, hidden / size };

    for (long long token = blockIdx.x; token < is.down(); token += gridDim.x) {
        for (long long g = threadIdx.x; g < is.across(); g += 256)
            if (!is.is_group(token, g) && is.read(scales, token, g) != 0)
                is_wrong(wrong, tokens * hidden + is.place(token, g));
        if (token >= tokens)
            continue;
        const Row row(in, residual, gamma, add == 2, token, hidden, eps);
        for (long long g = 0; g < is.groups; g++) {
            const double s = is.read(scales, token, g);
            const bool right = is.is_scale(s, row.largest(g, size));
            for (long long c = g * size + threadIdx.x; c < (g + 1) * size; c += 256)
                if (!right || !is_e4m3(q[token * hidden + c], row.y(c) / s))
                    is_wrong(wrong, token * hidden + c);
        }
        for (long long c = threadIdx.x; add == 2 && c < hidden; c += 256)
            if ((float)sum[token * hidden + c] != (float)row.x(c))
                is_wrong(wrong, token * hidden + c);
    }
}
