/*
 * cuda_words.h - as much CUDA C++ as the kernels that fill and compare use, for a host compiler (checks.cpp).
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct uint3 {
    unsigned x, y, z;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

/* Threads run one after the other. */
template <class V> static inline V atomicAdd(V *to, V value)
{
    const V old = *to;
    *to += value;
    return old;
}
template <class V> static inline V atomicMax(V *to, V value)
{
    const V old = *to;
    *to = old > value ? old : value;
    return old;
}

extern uint3 threadIdx, blockIdx, blockDim, gridDim;
