/*
 * shim.h - as much CUDA C++ as the templates use, for a host compiler: a rendered template between
 * `namespace x {` and `}` is plain C++17 that runs on the CPU, one fiber a thread.
 *
 * Not emulated: atomics, inline PTX; shuffles in blocks of several dimensions. A template that uses them
 * needs them here first.
 */
#ifndef CPU_SHIM_H
#define CPU_SHIM_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __shared__    thread_local /* one for all fibers, since all run on one system thread */
#define __syncthreads cpu_barrier
#define __syncwarp    cpu_warp_barrier

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct uint3 {
    unsigned x, y, z;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

extern uint3 threadIdx, blockIdx, blockDim, gridDim;

void cpu_barrier();
void cpu_warp_barrier(unsigned mask = 0xffffffffu);

static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return { x, y };
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return { x, y, z, w };
}

static inline float2 make_float2(float x, float y)
{
    return { x, y };
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return { x, y, z, w };
}

template <class A, class B> static inline std::common_type_t<A, B> min(A a, B b)
{
    return a < b ? a : b;
}
template <class A, class B> static inline std::common_type_t<A, B> max(A a, B b)
{
    return a < b ? b : a;
}

/* Cache hints change no values. */
template <class V> static inline V __ldg(const V *p)
{
    return *p;
}
template <class V> static inline V __ldca(const V *p)
{
    return *p;
}
template <class V> static inline V __ldcg(const V *p)
{
    return *p;
}
template <class V> static inline V __ldcs(const V *p)
{
    return *p;
}
template <class V> static inline V __ldlu(const V *p)
{
    return *p;
}
template <class V> static inline void __stwb(V *p, V v)
{
    *p = v;
}
template <class V> static inline void __stcg(V *p, V v)
{
    *p = v;
}
template <class V> static inline void __stcs(V *p, V v)
{
    *p = v;
}
template <class V> static inline void __stwt(V *p, V v)
{
    *p = v;
}

static inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
    const uint64_t bytes = (uint64_t)high << 32 | low;
    unsigned result = 0;

    for (unsigned i = 0; i < 4; i++)
        result |= (unsigned)(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}

/* All lanes of the warp take part. Beyond the warp's ends a lane keeps its own value. */
unsigned cpu_shuffle(unsigned value, int lane);

/* Of any type of 4 bytes. */
template <class V> static inline V cpu_shuffle_as(V value, int lane)
{
    unsigned bits;
    static_assert(sizeof(V) == sizeof bits, "shuffles of 4 bytes");
    memcpy(&bits, &value, sizeof bits);
    bits = cpu_shuffle(bits, lane);
    memcpy(&value, &bits, sizeof bits);
    return value;
}
template <class V> static inline V __shfl_up_sync(unsigned, V value, unsigned delta)
{
    const int lane = (int)(threadIdx.x % 32);
    return cpu_shuffle_as(value, lane < (int)delta ? lane : lane - (int)delta);
}
template <class V> static inline V __shfl_down_sync(unsigned, V value, unsigned delta)
{
    const int lane = (int)(threadIdx.x % 32);
    return cpu_shuffle_as(value, lane + (int)delta > 31 ? lane : lane + (int)delta);
}
template <class V> static inline V __shfl_sync(unsigned, V value, int lane, int width = 32)
{
    return cpu_shuffle_as(value, (int)(threadIdx.x % 32) / width * width + lane % width);
}

/* One rendered template with one configuration, on one problem. */
struct cpu_case {
    const char *op, *name, *config, *shape, *type;
    int element_bytes;
    long long dims[3];    /* batch, rows, cols                              */
    long long pitches[2]; /* elements from row to row: of the input, the output */
    int aligns[2];        /* bytes: where the input begins, the output          */
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    void (*kernel)(void *out, const void *in);
    unsigned char *(*shared)(); /* the dynamic shared memory: shared_bytes and cpu_guard_bytes more */
};

enum { cpu_guard_bytes = 4096 };

/* Every generated file has one. */
struct cpu_cases {
    const cpu_case *rows;
    size_t count;
    const cpu_cases *next;
};
extern const cpu_cases *cpu_all;

/* ---- ops that compute: see gen_numbers.c ---- */

/* What a buffer holds and how it is compared, in the words of lang/declare.h and lang/data.h. */
struct cpu_buffer {
    const char *name;
    int role;
    long long numbers;
    int number; /* class and bytes of one */
    int how;    /* what an input holds    */
    unsigned long long a, b;
    int zero; /* an output begins as zeros */
    int rule;
    double relative, absolute;
};

struct cpu_launch {
    unsigned grid[3], block[3], shared_bytes;
    void (*kernel)(void *const *buffers); /* a thread of it; the op's buffers in their order */
};

/* One rendered template with one configuration. */
struct cpu_candidate {
    const char *name, *config;
    const cpu_launch *launches;
    int launch_count;
    unsigned char *(*shared)();
    unsigned cluster; /* blocks in each, of all launches */
};

/* Every generated file has one; the first candidate is the op's reference. */
struct cpu_problem {
    const char *op, *shape, *type;
    const cpu_buffer *buffers;
    int buffer_count;
    const cpu_candidate *candidates;
    size_t count;
    const cpu_problem *next;
};
extern const cpu_problem *cpu_problems;

#include "shim_numbers.h"

#endif
