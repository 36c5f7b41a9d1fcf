/*!autotune
common    policy                       # what the caches are told about reads and writes
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#endif

/*
 * `keep`: the L2 keeps the lines that are read while it can. Nobody reads them again, but what is written leaves it
 * sooner then: where problems are far larger than the L2, DRAM does 1 to 3 % more.
 */
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned long long keep_policy()
{
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

__device__ __forceinline__ uint4 load_keeping(const uint4 *from)
{
    uint4 bits;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w) : "l"(from), "l"(keep_policy()));
    return bits;
}

__device__ __forceinline__ uint2 load_keeping(const uint2 *from)
{
    uint2 bits;
    asm volatile("ld.global.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
                 : "=r"(bits.x), "=r"(bits.y) : "l"(from), "l"(keep_policy()));
    return bits;
}

__device__ __forceinline__ unsigned load_keeping(const unsigned *from)
{
    unsigned bits;
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(bits) : "l"(from), "l"(keep_policy()));
    return bits;
}
#endif

/* `once`: what is read or written is not used again. Accesses narrower than 4 bytes are not kept: not worth the words. */
template <bool keep, bool once = false, class Bits> __device__ __forceinline__ Bits load(const Bits *from)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (keep && sizeof(Bits) >= 4)
        return load_keeping(from);
#endif
    return once ? __ldcs(from) : *from;
}

template <bool once, class Bits> __device__ __forceinline__ void store(Bits *to, Bits bits)
{
    if (once)
        __stcs(to, bits);
    else
        *to = bits;
}
