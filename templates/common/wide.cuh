/*!autotune
common    wide                         # accesses of 32 bytes, which devices have since compute capability 10.0
use       access policy
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#include "policy.cuh"
#endif

struct alignas(32) Wide {
    unsigned word[8];
};
template <> struct Access<32> { using type = Wide; };

/* What common/policy.cuh has of shorter ones. A plain copy of a Wide is one access, on older devices two. */
#if __CUDA_ARCH__ >= 1000
#define WIDE_RESULTS(b)                                                                                                        \
    "=r"(b.word[0]), "=r"(b.word[1]), "=r"(b.word[2]), "=r"(b.word[3]), "=r"(b.word[4]), "=r"(b.word[5]), "=r"(b.word[6]),     \
        "=r"(b.word[7])
#define WIDE_VALUES(b)                                                                                                         \
    "r"(b.word[0]), "r"(b.word[1]), "r"(b.word[2]), "r"(b.word[3]), "r"(b.word[4]), "r"(b.word[5]), "r"(b.word[6]), "r"(b.word[7])

__device__ __forceinline__ Wide load_keeping(const Wide *from)
{
    Wide bits;
    asm volatile("ld.global.L2::cache_hint.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
                 : WIDE_RESULTS(bits) : "l"(from), "l"(keep_policy()));
    return bits;
}

__device__ __forceinline__ Wide __ldcs(const Wide *from)
{
    Wide bits;
    asm volatile("ld.global.cs.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];" : WIDE_RESULTS(bits) : "l"(from));
    return bits;
}

__device__ __forceinline__ void __stcs(Wide *to, Wide bits)
{
    asm volatile("st.global.cs.v8.b32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7};" ::WIDE_VALUES(bits), "l"(to) : "memory");
}
#else
__device__ __forceinline__ Wide load_keeping(const Wide *from)
{
    return *from;
}

__device__ __forceinline__ Wide __ldcs(const Wide *from)
{
    return *from;
}

__device__ __forceinline__ void __stcs(Wide *to, Wide bits)
{
    *to = bits;
}
#endif
