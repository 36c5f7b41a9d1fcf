/* bench.cuh - what the experiments share: buffers, timing, a check. One device, one stream, exit on any
 * error. */
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUST(call) must(call, #call, __FILE__, __LINE__)

inline void must(cudaError_t status, const char *call, const char *file, int line)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
    exit(1);
}

__global__ void fill_random(uint4 *to, size_t vectors)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < vectors;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u ^ (unsigned)(i >> 32);
        x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
        to[i] = make_uint4(x, x * 3266489917u, x * 668265263u, x * 374761393u);
    }
}

struct Buffers {
    void *in, *out;
    size_t bytes; /* of each */
};

inline Buffers buffers_open(size_t bytes)
{
    Buffers b = { nullptr, nullptr, bytes };
    MUST(cudaMalloc(&b.in, bytes));
    MUST(cudaMalloc(&b.out, bytes));
    fill_random<<<4096, 256>>>((uint4 *)b.in, bytes / 16);
    MUST(cudaDeviceSynchronize());
    return b;
}

/* Median time of one launch in microseconds; problems are far larger than the L2, so every launch finds it
 * cold. */
template <typename Launch> double median_us(Launch launch, int samples = 11)
{
    std::vector<float> times;
    cudaEvent_t start, stop;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    for (int i = 0; i < samples + 2; i++) {
        float ms = 0;
        launch(); /* keeps the device busy while the host submits the timed one */
        MUST(cudaEventRecord(start));
        launch();
        MUST(cudaEventRecord(stop));
        MUST(cudaGetLastError());
        MUST(cudaEventSynchronize(stop));
        MUST(cudaEventElapsedTime(&ms, start, stop));
        if (i >= 2)
            times.push_back(ms * 1000);
    }
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(stop));
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

template <typename T>
__global__ void count_wrong(unsigned long long *wrong, const T *out, const T *in, long long rows,
                            long long cols)
{
    constexpr int words = sizeof(T) < 4 ? 1 : sizeof(T) / 4;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < rows * cols;
         i += (long long)gridDim.x * blockDim.x) {
        const T a = in[i], b = out[i % cols * rows + i / cols];
        bool same = true;
        if constexpr (sizeof(T) < 4)
            same = a == b;
        else
            for (int w = 0; w < words; w++)
                same = same && ((const unsigned *)&a)[w] == ((const unsigned *)&b)[w];
        if (!same)
            atomicAdd(wrong, 1ull);
    }
}

/* Runs a transpose once on a poisoned output; how many elements are wrong. */
template <typename T, typename Launch>
unsigned long long wrong_elements(const Buffers &b, long long rows, long long cols, Launch launch)
{
    unsigned long long *wrong, count = 0;
    MUST(cudaMalloc(&wrong, sizeof *wrong));
    MUST(cudaMemset(wrong, 0, sizeof *wrong));
    MUST(cudaMemset(b.out, 0xa5, b.bytes));
    launch();
    MUST(cudaGetLastError());
    count_wrong<T><<<4096, 256>>>(wrong, (const T *)b.out, (const T *)b.in, rows, cols);
    MUST(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    MUST(cudaFree(wrong));
    return count;
}

/* The same; exits when an element is wrong. */
template <typename T, typename Launch>
void check_transpose(const char *name, const Buffers &b, long long rows, long long cols, Launch launch)
{
    const unsigned long long count = wrong_elements<T>(b, rows, cols, launch);
    if (count) {
        fprintf(stderr, "%s: %lldx%lld of %zu bytes: %llu elements are wrong\n", name, rows, cols, sizeof(T),
                count);
        exit(1);
    }
}

/* The ceiling: 16 bytes a thread, in order. */
__global__ void __launch_bounds__(128)
    copy_linear(uint4 *__restrict__ out, const uint4 *__restrict__ in, size_t vectors)
{
    const size_t i = blockIdx.x * (size_t)128 + threadIdx.x;
    if (i < vectors)
        out[i] = in[i];
}

inline double copy_us(const Buffers &b, size_t bytes)
{
    return median_us([&] {
        copy_linear<<<(unsigned)((bytes / 16 + 127) / 128), 128>>>((uint4 *)b.out, (const uint4 *)b.in,
                                                                   bytes / 16);
    });
}
