/*!autotune
common    async                        # copies to shared memory that pass by the registers
use       policy
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "policy.cuh"
#endif

/*
 * A thread asks for all of its pieces at once, and as they need no registers, more threads are resident: odd transposes
 * are up to 8 % faster than with loads. The copies go by the first-level cache (.ca): those that pass it by (.cg) cost the
 * L2 a third more. Where nothing is to be kept they have no policy at all: with evict_normal they were 4 % slower. Older
 * devices and the CPU's test copy at once.
 */

/* 16 bytes. `prefetch`: bytes around them that the L2 asks memory for, 0, 128 or 256. */
template <bool keep, int prefetch = 0> __device__ __forceinline__ void copy_async(uint4 *to, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    if constexpr (prefetch == 256 && keep)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "l"(keep_policy()) : "memory");
    else if constexpr (prefetch == 256)
        asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
    else if constexpr (prefetch == 128 && keep)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "l"(keep_policy()) : "memory");
    else if constexpr (prefetch == 128)
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
    else if constexpr (keep)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "l"(keep_policy()) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
    *to = *from;
#endif
}

/*
 * Where shared memory begins, for copies to places in it that the compiler knows. Where such a copy finds this beginning
 * in a uniform register, NVRTC 13.0 takes another one for the policy, which is an illegal instruction; hence a choice that
 * no compiler can make.
 */
template <bool keep> __device__ __forceinline__ unsigned begin_of(const unsigned char *memory)
{
#if __CUDA_ARCH__ >= 800
    const unsigned begin = (unsigned)__cvta_generic_to_shared(memory);
    return keep && threadIdx.x >= blockDim.x ? 0 : begin;
#else
    return 0;
#endif
}

/* The first `bytes` of `size` bytes to a place in shared memory, which has its `begin`; the others become 0. */
template <bool keep, int size>
__device__ __forceinline__ void copy_part_async(unsigned char *memory, unsigned begin, int place, const unsigned char *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = begin + place;
    if constexpr (keep)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3, %4;" ::"r"(address), "l"(from), "n"(size), "r"(bytes), "l"(keep_policy()) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(size), "r"(bytes) : "memory");
#else
    for (int i = 0; i < size; i++)
        memory[place + i] = i < bytes ? from[i] : 0;
#endif
}

/* Waits for all copies of the thread. */
__device__ __forceinline__ void await_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* What a thread has started since the last call becomes one set. */
__device__ __forceinline__ void end_of_set()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most so many of the thread's sets are on their way. */
template <int sets> __device__ __forceinline__ void wait_for_sets()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(sets) : "memory");
#endif
}
