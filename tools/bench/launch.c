/*
 * launch.c - what at_run costs the CPU before the launch itself; needs a GPU.
 *
 *     bench_launch [ROWS COLS]       default 256 256, f32
 *
 * Enqueues the same kernel with at_run and straight through the driver, in turns of so few launches that
 * none waits for the device, and prints the medians and their difference.
 */
#include "runner/gpu.h"
#include "util/clock.h"

#include <autotune/autotune.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 401, LAUNCHES = 100 };

static void must(at_status status, const at_error *err)
{
    if (status != AT_OK) {
        fprintf(stderr, "bench_launch: %s\n", err->text);
        exit(1);
    }
}

typedef struct kernel {
    atx_gpu *gpu;
    atx_module *module;
    atx_geometry geometry;
    atx_ptr buffers[ATX_MAX_ARGS];
    int buffer_count;
    void *params[ATX_MAX_ARGS];
} kernel;

static void load(kernel *k, at_tuner *tuner, const at_found *found)
{
    at_error err = { 0 };
    at_code *code = NULL;
    const at_launch *launch = found->launches[0];
    must(at_compile(&code, tuner, found, AT_CODE_CUBIN, NULL, &err), &err);
    k->geometry.shared_bytes = launch->dynamic_shared_bytes;
    must(atx_gpu_load(&k->module, k->gpu, code->data, code->kernels[0], &k->geometry, &err), &err);
    at_code_close(code);
    for (int i = 0; i < 3; i++) {
        k->geometry.grid[i] = launch->grid[i];
        k->geometry.block[i] = launch->block[i];
    }
    for (int i = 0; i < launch->arg_count; i++) {
        const at_arg *arg = launch->args[i];
        k->params[i] = (void *)&arg->value;
        if (arg->role == AT_ROLE_SCALAR)
            continue;
        atx_ptr *buffer = &k->buffers[k->buffer_count++];
        must(atx_gpu_alloc(buffer, k->gpu, arg->bytes, &err), &err);
        k->params[i] = buffer;
    }
}

static double straight(kernel *k)
{
    at_error err = { 0 };
    double start = atx_now_s();
    for (int i = 0; i < LAUNCHES; i++)
        must(atx_gpu_launch_on(k->gpu, k->module,
                               &(atx_stream_launch){ .geometry = &k->geometry, .params = k->params }, &err),
             &err);
    double took = atx_now_s() - start;
    must(atx_gpu_wait(k->gpu, &err), &err);
    return took / LAUNCHES;
}

static double by_library(kernel *k, at_tuner *tuner, const at_problem *problem)
{
    at_error err = { 0 };
    at_buffer buffers[ATX_MAX_ARGS];
    for (int i = 0; i < k->buffer_count; i++)
        buffers[i] =
            (at_buffer){ .address =
                             (void *)(uintptr_t)k->buffers[i] }; /* NOLINT(performance-no-int-to-ptr) */
    double start = atx_now_s();
    for (int i = 0; i < LAUNCHES; i++)
        must(at_run(tuner, problem, buffers, k->buffer_count, NULL, NULL, &err), &err);
    double took = atx_now_s() - start;
    must(atx_gpu_wait(k->gpu, &err), &err);
    return took / LAUNCHES;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    const at_found *found = NULL;
    kernel k = { 0 };
    double library[ROUNDS], driver[ROUNDS], more[ROUNDS];
    at_problem problem = { .struct_bytes = sizeof(at_problem),
                           .op = "transpose",
                           .type = AT_TYPE_F32,
                           .size_count = 2,
                           .sizes = { 256, 256 } };
    for (int i = 0; i < 2 && argc == 3; i++)
        problem.sizes[i] = strtoll(argv[1 + i], NULL, 10);
    must(atx_gpu_open(&k.gpu, 0, &err), &err);
    must(at_open(&tuner, NULL, &err), &err);
    must(at_prepare(&found, tuner, &problem, NULL, &err), &err);
    load(&k, tuner, found);
    for (int i = 0; i < ROUNDS; i++) {
        library[i] = by_library(&k, tuner, &problem);
        driver[i] = straight(&k);
        more[i] = library[i] - driver[i];
    }
    printf("at_run %.3f us, cuLaunchKernel alone %.3f us, before the launch %.3f us (medians of %d turns of "
           "%d)\n",
           1e6 * median(library), 1e6 * median(driver), 1e6 * median(more), ROUNDS, LAUNCHES);
    at_close(tuner);
    atx_gpu_unload(k.gpu, k.module);
    for (int i = 0; i < k.buffer_count; i++)
        atx_gpu_free(k.gpu, k.buffers[i]);
    atx_gpu_close(k.gpu);
    return 0;
}
