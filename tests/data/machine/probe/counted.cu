/*
 * counted.cu - the accesses of cases.txt, a launch each, for a profiler of the device:
 *     nvcc -std=c++17 -arch=native -o counted counted.cu
 *     ncu --csv --metrics ... ./counted <cases.txt
 */
#include <cstdio>
#include <cstring>

#include "probe.cu"

template <int bytes, int kind> __global__ void run(char *out, const char *in, int every, int far, int near, int from)
{
    probe<bytes, kind>(out, in, every, far, near, from);
}

template <int kind> static auto of_bytes(int bytes)
{
    return bytes == 1 ? run<1, kind> : bytes == 2 ? run<2, kind> : bytes == 4 ? run<4, kind> : bytes == 8 ? run<8, kind> : run<16, kind>;
}

int main()
{
    static const char *const KINDS[] = { "global_load", "global_store", "shared_load", "shared_store", "matrix" };
    char kind[32], *out, *in;
    int  bytes, every, far, near, from;
    cudaMalloc(&out, 65536);
    cudaMalloc(&in, 65536);
    cudaMemset(in, 0, 65536);
    while (scanf("%31s %d %dx%dx%dx%d", kind, &bytes, &every, &far, &near, &from) == 6) {
        auto kernel = !strcmp(kind, KINDS[0]) ? of_bytes<0>(bytes) : !strcmp(kind, KINDS[1]) ? of_bytes<1>(bytes)
                    : !strcmp(kind, KINDS[2]) ? of_bytes<2>(bytes) : !strcmp(kind, KINDS[3]) ? of_bytes<3>(bytes) : of_bytes<4>(bytes);
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
        kernel<<<1, 32, 65536>>>(out, in, every, far, near, from);
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s %d %dx%dx%dx%d %s\n", kind, bytes, every, far, near, from, cudaGetErrorString(e));
    }
}
