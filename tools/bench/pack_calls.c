/*
 * pack_calls.c - what a call of a pack costs the CPU, by itself and through the library; needs a GPU.
 *
 *     autotune pack transpose f32 --sizes 'rows=1..4096 cols=1..4096' -o made
 *     cc -O2 -Imade -Iinclude tools/bench/pack_calls.c -lautotune -lcuda -o pack_calls
 *     ./pack_calls made/transpose_f32.json
 *
 * Random sizes, each met once. "before the launch": cuLaunchKernel does nothing. "in all": how long the call
 * takes that enqueues the kernel, in turns that the device keeps up with. No NVRTC can be loaded, so nothing
 * compiles.
 */
#define _GNU_SOURCE
#include <cuda.h>

static int launches_are_left_out;
static long launched;

static CUresult launch_or_not(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, CUstream stream, void **arguments, void **extra)
{
    launched++;
    return launches_are_left_out
               ? CUDA_SUCCESS
               : cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}

#define cuLaunchKernel launch_or_not
#include "transpose_f32.c"
#undef cuLaunchKernel

#include <autotune/autotune.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 10000, MOST = 4096, TURN = 50 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int failed, const char *what)
{
    if (failed) {
        fprintf(stderr, "pack_calls: %s: failed with %d\n", what, failed);
        exit(1);
    }
}

static int64_t sizes[CALLS][2];
static double took[CALLS];

static void draw_sizes(void)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < CALLS; i++)
        for (int k = 0; k < 2; k++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            sizes[i][k] = 1 + (int64_t)(state % MOST);
        }
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print(const char *what)
{
    double sum = 0;
    for (int i = 0; i < CALLS; i++)
        sum += took[i];
    qsort(took, CALLS, sizeof *took, ascending);
    printf("%-42s mean %7.3f us, median %7.3f, 99 of 100 within %7.3f, worst %8.3f\n", what,
           1e6 * sum / CALLS, 1e6 * took[CALLS / 2], 1e6 * took[CALLS * 99 / 100], 1e6 * took[CALLS - 1]);
}

typedef void caller(void *context, int i);

static CUdeviceptr out, in;

static void call_pack(void *stream, int i)
{
    must(transpose_f32((void *)(uintptr_t)out, (const void *)(uintptr_t)in, 1, sizes[i][0], sizes[i][1],
                       stream),
         "transpose_f32");
}

static void call_library(void *tuner, int i)
{
    at_error err;
    at_problem problem = AT_PROBLEM_INIT;
    const at_buffer buffers[] = { { (void *)(uintptr_t)out, 0 }, { (void *)(uintptr_t)in, 0 } };
    problem.op = "transpose";
    problem.type = AT_TYPE_F32;
    problem.size_count = 2;
    problem.sizes[0] = sizes[i][0];
    problem.sizes[1] = sizes[i][1];
    if (at_run(tuner, &problem, buffers, 2, NULL, NULL, &err) != AT_OK) {
        fprintf(stderr, "pack_calls: %s\n", err.text);
        exit(1);
    }
}

static void time_calls(caller *call, void *context, const char *what)
{
    for (int i = 0; i < CALLS; i++) {
        const double start = now_s();
        call(context, i);
        took[i] = now_s() - start;
        if (i % TURN == 0)
            must(cuCtxSynchronize(), "kernels");
    }
    must(cuCtxSynchronize(), "kernels");
    print(what);
}

/* Many calls by one clock, which costs as much as a call. */
static void time_before_launch(void)
{
    launches_are_left_out = 1;
    const double start = now_s();
    for (int i = 0; i < CALLS; i++)
        call_pack(NULL, i);
    printf("%-42s mean %7.3f us\n", "the pack's function, before the launch",
           1e6 * (now_s() - start) / CALLS);
    launches_are_left_out = 0;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    at_tuner *tuner = NULL;
    at_error err;
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    draw_sizes();
    setenv("AUTOTUNE_NVRTC", "/nowhere/libnvrtc.so", 1);
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&context, device), "context");
    must(cuCtxPushCurrent(context), "context");
    must(cuMemAlloc(&out, (size_t)MOST * MOST * 4), "memory");
    must(cuMemAlloc(&in, (size_t)MOST * MOST * 4), "memory");
    double start = now_s();
    must(transpose_f32_load(), "transpose_f32_load");
    printf("%-42s      %7.3f ms\n", "loading the pack's kernels", 1e3 * (now_s() - start));
    time_before_launch();
    time_calls(call_pack, NULL, "the pack's function, in all");
    if (argc < 2)
        return 0;
    options.packs = argv[1];
    options.no_compile = 1;
    options.no_shipped = 1;
    start = now_s();
    if (at_open(&tuner, &options, &err) != AT_OK) {
        fprintf(stderr, "pack_calls: %s\n", err.text);
        return 1;
    }
    printf("%-42s      %7.3f ms\n", "at_open with the pack", 1e3 * (now_s() - start));
    time_calls(call_library, tuner, "at_run from the pack, sizes first met");
    time_calls(call_library, tuner, "at_run from the pack, again");
    at_close(tuner);
    printf("%ld launches by the pack's function, none compiled: no NVRTC was there to do it\n", launched);
    return 0;
}
