/*!autotune
common    exponents                    # sums of exponentials: of a thread, a warp, a block, a cluster
use       reduce
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "reduce.cuh"
#endif

constexpr float LOG2E = 1.4426950408889634f;
constexpr float LEAST = -3.402823466e38f; /* -inf would not do: -inf - -inf is NaN */

/* 2^x by the one instruction that there is; below 2^-126 it is 0, as no quotient of a row can tell. */
__device__ __forceinline__ float power_of_two(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return exp2f(x);
#endif
}

/*
 * exp(x - top), its factor of base 2 folded into one multiplication and addition: 2^(x LOG2E - scaled). What is lost where
 * `scaled` is rounded is the same for all elements, and so divides out, as long as nothing but `scaled` stands for top.
 */
__device__ __forceinline__ float scaled_of(float top)
{
    return fmaxf(top * LOG2E, LEAST);
}

__device__ __forceinline__ float exponential(float x, float scaled)
{
    return power_of_two(fmaf(x, LOG2E, -scaled));
}

/* The sum of exp(x - top) over some elements of a row, of which top is the largest. */
struct Sum {
    float scaled, sum;

    __device__ __forceinline__ float below(float other) const
    {
        return sum * power_of_two(scaled - other);
    }
};

/* `count` sums of parts of a row into one, by each warp for itself. */
template <int count> __device__ __forceinline__ Sum joined(const Sum *parts)
{
    constexpr int LANES = count < 32 ? count : 32, EACH = (count + 31) / 32;
    Sum part[EACH], all = { LEAST, 0 };

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        part[i] = parts[i * 32 + (int)(threadIdx.x % LANES)];
        all.scaled = fmaxf(all.scaled, part[i].scaled);
    }
    all.scaled = largest_of<LANES>(all.scaled); /* the largest first: exponentials are dear */
#pragma unroll
    for (int i = 0; i < EACH; i++)
        all.sum += part[i].below(all.scaled);
    all.sum = total_of<LANES>(all.sum);
    return all;
}
