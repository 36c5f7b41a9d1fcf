/*!autotune
template  probe                        # what a request costs, held against a device's counters by counted.cu
param     BYTES = 1 2 4 8 16           # a lane
param     KIND  = global_load global_store shared_load shared_store matrix
grid      1
block     32
shared    65536
*/
#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

#ifndef PROBE_ONCE
#define PROBE_ONCE
/* One instruction each, which no compiler joins with another one. */
template <int bytes> __device__ unsigned load_global(const char *at)
{
    unsigned x = 0, y, z, w;
    if (bytes == 1) asm volatile("ld.global.u8 %0, [%1];" : "=r"(x) : "l"(at));
    if (bytes == 2) { unsigned short h; asm volatile("ld.global.u16 %0, [%1];" : "=h"(h) : "l"(at)); x = h; }
    if (bytes == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at));
    if (bytes == 8) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(at));
    if (bytes == 16) asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(at));
    return x;
}

template <int bytes> __device__ void store_global(char *at, unsigned x)
{
    if (bytes == 1) asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(x));
    if (bytes == 2) asm volatile("st.global.u16 [%0], %1;" ::"l"(at), "h"((unsigned short)x));
    if (bytes == 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(x));
    if (bytes == 8) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(at), "r"(x));
    if (bytes == 16) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(x));
}

template <int bytes> __device__ unsigned load_shared(unsigned at)
{
    unsigned x = 0, y, z, w;
    if (bytes == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(at));
    if (bytes == 2) { unsigned short h; asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(at)); x = h; }
    if (bytes == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at));
    if (bytes == 8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
    if (bytes == 16) asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(at));
    return x;
}

template <int bytes> __device__ void store_shared(unsigned at, unsigned x)
{
    if (bytes == 1) asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(x));
    if (bytes == 2) asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"((unsigned short)x));
    if (bytes == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x));
    if (bytes == 8) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(x));
    if (bytes == 16) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(x));
}

extern __shared__ __align__(1024) char memory[];

template <int bytes, int kind> __device__ void probe(char *out, const char *in, int every, int far, int near, int from)
{
    const int lane = threadIdx.x;
    const int at = lane / every * (far - 1) + lane % every * (near - 1) + from - 1;
    const unsigned shared = (unsigned)__cvta_generic_to_shared(memory) + at;
    unsigned x = lane, y, z, w;
    if (kind == 0) x = load_global<bytes>(in + at);
    if (kind == 1) store_global<bytes>(out + at, x);
    if (kind == 2) x = load_shared<bytes>(shared);
    if (kind == 3) store_shared<bytes>(shared, x);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
    if (kind == 4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(shared));
#endif
    if (x == 0x12345678) /* so that nothing is left out */
        out[0] = 1;
}
#endif

#ifdef AUTOTUNE_RENDERED
extern "C" __global__ void probe_probe(T *out, const T *in, int every, int far, int near, int from)
{
    probe<BYTES, KIND>((char *)out, (const char *)in, every, far, near, from);
}
#endif
