/*
 * sanitized.cu - the same kernels for compute-sanitizer: nvcc -std=c++17 -lineinfo -arch=native, then a run of
 * each tool with a kernel's name.
 */
#include <cstdio>
#include <cstring>

#include "diverges.cu"
#include "forever.cu"
#include "good.cu"
#include "incomplete.cu"
#include "misaligned.cu"
#include "no_barrier.cu"
#include "no_pointer.cu"
#include "no_second_barrier.cu"
#include "not_awaited.cu"
#include "race_of_writes.cu"
#include "reads_behind.cu"
#include "reads_output.cu"
#include "stale.cu"
#include "traps.cu"
#include "unused.cu"
#include "unwritten.cu"
#include "waits.cu"
#include "within_warp.cu"
#include "writes_before.cu"
#include "writes_input.cu"
#include "wrong.cu"

struct Named { const char *name; void (*kernel)(T *, T *, int); };
static const Named ALL[] = {
    { "diverges", flawed_diverges },
    { "forever", flawed_forever },
    { "good", flawed_good },
    { "incomplete", flawed_incomplete },
    { "misaligned", flawed_misaligned },
    { "no_barrier", flawed_no_barrier },
    { "no_pointer", flawed_no_pointer },
    { "no_second_barrier", flawed_no_second_barrier },
    { "not_awaited", flawed_not_awaited },
    { "race_of_writes", flawed_race_of_writes },
    { "reads_behind", flawed_reads_behind },
    { "reads_output", flawed_reads_output },
    { "stale", flawed_stale },
    { "traps", flawed_traps },
    { "unused", flawed_unused },
    { "unwritten", flawed_unwritten },
    { "waits", flawed_waits },
    { "within_warp", flawed_within_warp },
    { "writes_before", flawed_writes_before },
    { "writes_input", flawed_writes_input },
    { "wrong", flawed_wrong },
};

int main(int argc, char **argv)
{
    const int n = 512;
    T *in, *out;
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemset(in, 0, n * sizeof(T));
    for (const Named &k : ALL)
        if (argc > 1 && !strcmp(k.name, argv[1]))
            k.kernel<<<n / 256, 256>>>(out, in, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
