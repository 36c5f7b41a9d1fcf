/*
 * policies.cu - what should the L2 keep? A copy, 16 bytes a thread, whose loads or stores name a priority:
 * evict_first (used once, may go), evict_last (keep), or none.
 *
 * What is kept could be found by the next launch on the same buffers, which would be no gain but an error of
 * measurement. So every policy runs on one pair of buffers, on many in rotation, and, launch by launch, on an
 * L2 that was emptied before: priorities reset, then four times its size read from elsewhere.
 */
#include "bench.cuh"

#include <random>

enum Policy { PLAIN, FIRST, LAST };
static const char *const NAMES[] = { "-", "evict_first", "evict_last" };

constexpr int THREADS = 128, ROUNDS = 9;

template <Policy policy> __device__ unsigned long long priority()
{
    unsigned long long bits;
    if (policy == LAST)
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(bits));
    else
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(bits));
    return bits;
}

template <Policy loads, Policy stores>
__global__ void __launch_bounds__(THREADS)
    copy(uint4 *__restrict__ out, const uint4 *__restrict__ in, size_t vectors)
{
    const size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    uint4 v;
    if (i >= vectors)
        return;
    if (loads == PLAIN)
        v = in[i];
    else
        asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(in + i), "l"(priority<loads>()));
    if (stores == PLAIN)
        out[i] = v;
    else
        asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(out + i), "r"(v.x),
                     "r"(v.y), "r"(v.z), "r"(v.w), "l"(priority<stores>())
                     : "memory");
}

__global__ void read_all(const uint4 *from, size_t vectors, unsigned *never)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < vectors;
         i += (size_t)gridDim.x * blockDim.x)
        sum += from[i].x;
    if (sum == 0x12345678)
        *never = sum;
}

struct Way {
    Policy loads, stores;
    void (*kernel)(uint4 *, const uint4 *, size_t);
    std::vector<float> times;
};

static float median(std::vector<float> &times)
{
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

/* So many pairs of buffers of `bytes`; `emptied`: the L2 is, before each launch. All ways by turns. */
static void measure(size_t bytes, int sets, bool emptied)
{
    Way ways[] = { { PLAIN, PLAIN, copy<PLAIN, PLAIN>, {} }, { PLAIN, FIRST, copy<PLAIN, FIRST>, {} },
                   { FIRST, PLAIN, copy<FIRST, PLAIN>, {} }, { FIRST, FIRST, copy<FIRST, FIRST>, {} },
                   { LAST, PLAIN, copy<LAST, PLAIN>, {} },   { LAST, FIRST, copy<LAST, FIRST>, {} } };
    const Buffers b = buffers_open(bytes * sets), other = buffers_open(emptied ? 240u << 20 : 16);
    const size_t vectors = bytes / 16;
    const int launches = emptied ? 1 : std::max(sets, (int)(((size_t)4 << 30) / bytes) / sets * sets);
    std::mt19937 random(1);
    cudaEvent_t start, stop;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    int set = 0;
    for (int round = 0; round < ROUNDS; round++) {
        std::vector<Way *> turns;
        for (Way &way : ways)
            turns.push_back(&way);
        std::shuffle(turns.begin(), turns.end(), random);
        for (Way *way : turns) {
            float ms = 0;
            if (emptied) {
                MUST(cudaDeviceSynchronize());
                MUST(cudaCtxResetPersistingL2Cache());
                read_all<<<1024, 256>>>((const uint4 *)other.in, other.bytes / 16, (unsigned *)other.out);
            }
            MUST(cudaEventRecord(start));
            for (int i = 0; i < launches; i++, set = (set + 1) % sets)
                way->kernel<<<(unsigned)((vectors + THREADS - 1) / THREADS), THREADS>>>(
                    (uint4 *)b.out + set * vectors, (const uint4 *)b.in + set * vectors, vectors);
            MUST(cudaEventRecord(stop));
            MUST(cudaGetLastError());
            MUST(cudaEventSynchronize(stop));
            MUST(cudaEventElapsedTime(&ms, start, stop));
            if (round > 0)
                way->times.push_back(ms * 1000 / launches);
        }
    }
    const float plain = median(ways[0].times);
    printf("policies  %5zu MiB, %2d pairs of buffers%s: %.2f us;", bytes >> 20, sets,
           emptied ? ", L2 emptied" : "", plain);
    for (Way &way : ways)
        if (&way != ways)
            printf("  %s/%s %.3f", NAMES[way.loads], NAMES[way.stores], median(way.times) / plain);
    printf("\n");
    for (void *p : { b.in, b.out, other.in, other.out })
        MUST(cudaFree(p));
}

int main()
{
    printf("policies  time of a copy by the priority of its loads/stores, against none\n");
    for (size_t mib : { 64, 256, 1024 }) {
        measure(mib << 20, 1, false);
        measure(mib << 20, 16, false);
        measure(mib << 20, 4, true);
    }
    return 0;
}
