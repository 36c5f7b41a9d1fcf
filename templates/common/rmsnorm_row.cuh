/*!autotune
common    rmsnorm_row          # one row in the registers of a group of threads
use       row reduce
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "reduce.cuh"
#include "row.cuh"
#endif

/* `count` sums of parts of a row into one, by each warp for itself. */
template <int count> __device__ __forceinline__ float joined(const float *parts)
{
    constexpr int LANES = count < 32 ? count : 32;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < (count + 31) / 32; i++)
        sum += parts[i * 32 + (int)(threadIdx.x % LANES)];
    return total_of<LANES>(sum);
}

/* What each element is multiplied with. */
__device__ __forceinline__ float factor_of(float squares, float eps, long long cols)
{
    return rsqrtf(squares / (float)cols + eps);
}

template <int threads, int each, int per, bool ragged> struct Row : RawRow<threads, each, per, ragged> {
    using Raw = RawRow<threads, each, per, ragged>;
    using Part = typename Raw::Part;
    using Raw::has;
    using Raw::raw;

    __device__ __forceinline__ float squares(int lane, int vectors) const
    {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < each; i++)
            if (has(i, lane, vectors))
#pragma unroll
                for (int k = 0; k < per; k++)
                    sum = fmaf((float)raw[i].element[k], (float)raw[i].element[k], sum);
        return sum;
    }

    template <bool once>
    __device__ __forceinline__ void write(T *to, const Row &gamma, float factor, int lane, int vectors) const
    {
#pragma unroll
        for (int i = 0; i < each; i++)
            if (has(i, lane, vectors)) {
                Part part;
#pragma unroll
                for (int k = 0; k < per; k++)
                    part.element[k] = (T)((float)raw[i].element[k] * factor * (float)gamma.raw[i].element[k]);
                store<once>((typename Part::Bits *)to + i * threads + lane, part.bits);
            }
    }
};
