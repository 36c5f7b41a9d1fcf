/*
 * independent.cu - times exported kernels with nothing of autotune but the kernels: a plain loop between two CUDA
 * events. tools/repeatability builds and runs it.
 *
 *     independent ROWS COLS ELEMENT_BYTES LAUNCHER.so...
 *
 * Each LAUNCHER.so has extern "C" int run(void *out, const void *in, cudaStream_t). For each: result right or not,
 * median time of a launch with buffers that rotate through 64 times the L2 cache, and with the same buffers
 * every time. All are timed in turns. One line a launcher: NAME RIGHT COLD_US WARM_US.
 */
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef int (*launcher)(void *out, const void *in, cudaStream_t stream);

static void must(cudaError_t status, const char *what)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "independent: %s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

__global__ void fill(unsigned *data, size_t words, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u + seed;
        x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu, x ^= x >> 16;
        data[i] = x;
    }
}

__global__ void check(const unsigned char *out, const unsigned char *in, size_t rows, size_t cols, int element, int *wrong)
{
    const size_t bytes = rows * cols * element;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < bytes; i += (size_t)gridDim.x * blockDim.x) {
        const size_t e = i / element, r = e / cols, c = e % cols;
        if (out[(c * rows + r) * element + i % element] != in[i])
            *wrong = 1;
    }
}

struct Buffers {
    std::vector<void *> in, out;
};

/* Enough launches for half a millisecond; one ahead of the first event, so that the device is never idle there. */
static float time_us(launcher run, const Buffers &b, size_t sets, int launches, size_t &next)
{
    static cudaEvent_t start, stop;
    float ms = 0;
    if (!start) {
        must(cudaEventCreate(&start), "event");
        must(cudaEventCreate(&stop), "event");
    }
    run(b.out[next % sets], b.in[next % sets], 0);
    next++;
    must(cudaEventRecord(start), "record");
    for (int i = 0; i < launches; i++, next++)
        run(b.out[next % sets], b.in[next % sets], 0);
    must(cudaEventRecord(stop), "record");
    must(cudaEventSynchronize(stop), "launch");
    must(cudaEventElapsedTime(&ms, start, stop), "time");
    return 1e3f * ms / (float)launches;
}

static float median(std::vector<float> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const size_t rows = strtoull(argv[1], nullptr, 10), cols = strtoull(argv[2], nullptr, 10);
    const int    element = atoi(argv[3]), count = argc - 4;
    const size_t bytes = rows * cols * element;
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0), "device");
    const size_t sets = std::max<size_t>(2, (64 * (size_t)device.l2CacheSize + 2 * bytes - 1) / (2 * bytes) + 1);
    const int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 31;

    Buffers b;
    for (size_t s = 0; s < sets; s++) {
        void *in, *out;
        must(cudaMalloc(&in, bytes + 16), "memory");
        must(cudaMalloc(&out, bytes + 16), "memory");
        fill<<<1024, 256>>>((unsigned *)in, (bytes + 3) / 4, (unsigned)s * 77777u + 1u);
        b.in.push_back(in);
        b.out.push_back(out);
    }
    int *wrong;
    must(cudaMallocManaged(&wrong, sizeof *wrong), "memory");

    std::vector<launcher> run(count);
    std::vector<std::vector<float>> cold(count), warm(count);
    std::vector<int> right(count), launches(count);
    for (int k = 0; k < count; k++) {
        void *library = dlopen(argv[4 + k], RTLD_NOW | RTLD_LOCAL);
        run[k] = library ? (launcher)dlsym(library, "run") : nullptr;
        if (!run[k]) {
            fprintf(stderr, "independent: %s\n", dlerror());
            return 1;
        }
        must(cudaMemset(b.out[0], 0xee, bytes), "memset");
        *wrong = run[k](b.out[0], b.in[0], 0) != 0;
        check<<<4096, 256>>>((const unsigned char *)b.out[0], (const unsigned char *)b.in[0], rows, cols, element, wrong);
        must(cudaDeviceSynchronize(), argv[4 + k]);
        right[k] = !*wrong;
        size_t next = 0;
        launches[k] = std::max(4, (int)(500.0f / time_us(run[k], b, sets, 8, next)) + 1);
    }
    size_t next = 0;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            const int k = (i + round) % count; /* begun with another one each round */
            cold[k].push_back(time_us(run[k], b, sets, launches[k], next));
            size_t same = 0;
            warm[k].push_back(time_us(run[k], b, 1, launches[k], same));
        }
    for (int k = 0; k < count; k++)
        printf("%s %s %.3f %.3f\n", argv[4 + k], right[k] ? "right" : "WRONG", rounds ? median(cold[k]) : 0.0f,
               rounds ? median(warm[k]) : 0.0f);
    return 0;
}
