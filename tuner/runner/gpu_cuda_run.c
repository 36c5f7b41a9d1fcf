/*
 * gpu_cuda_run.c - what a loaded driver does: modules and their kernels, launches, copies, the stopwatch and
 * recordings.
 */
#include "runner/gpu_cuda.h"

#include <math.h>
#include <stdlib.h>

struct atx_module {
    CUmodule module;
    CUfunction functions[ATX_MAX_STEPS];
    int count;
    atx_resources resources;
    int most_threads[ATX_MAX_STEPS]; /* a block, by what its kernel takes; 0: unknown */
};

struct atx_graph {
    CUgraph graph;
    CUgraphExec exec;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

at_status atx_gpu_load_step(atx_module *m, atx_gpu *gpu, const char *kernel, int64_t shared_bytes,
                            at_error *err)
{
    int registers = 0, shared = 0, local = 0, static_limit = 0, threads = 0;
    CUfunction function = NULL;

    TRY(gpu, cuModuleGetFunction, &function, m->module, kernel);
    TRY(gpu, cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    TRY(gpu, cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    TRY(gpu, cuFuncGetAttribute, &local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    TRY(gpu, cuFuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    TRY(gpu, cuDeviceGetAttribute, &static_limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        gpu->device);
    if (shared_bytes + shared > static_limit)
        TRY(gpu, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            (int)shared_bytes);
    m->resources.registers = larger(m->resources.registers, registers);
    m->resources.shared_bytes = larger(m->resources.shared_bytes, shared + shared_bytes);
    m->resources.local_bytes = larger(m->resources.local_bytes, local);
    m->most_threads[m->count] = threads;
    m->functions[m->count++] = function;
    return AT_OK;
}

at_status atx_gpu_check_block(atx_gpu *gpu, const atx_module *m, int step, const atx_geometry *g,
                              at_error *err)
{
    const int64_t threads = g->block[0] * g->block[1] * g->block[2];
    const int most = m->most_threads[step];
    if (most <= 0 || threads <= most)
        return AT_OK;
    gpu->refusal = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return atx_fail(
        err, AT_ERR_DEVICE,
        "found a block of %lld threads; expected at most %d, as the kernel takes so many registers",
        (long long)threads, most);
}

static at_status open_kernel(atx_module *m, atx_gpu *gpu, const void *cubin, const char *kernel,
                             int64_t shared_bytes, at_error *err)
{
    TRY(gpu, cuModuleLoadData, &m->module, cubin);
    return atx_gpu_load_step(m, gpu, kernel, shared_bytes, err);
}

at_status atx_gpu_load(atx_module **out, atx_gpu *gpu, const void *cubin, const char *kernel,
                       int64_t shared_bytes, at_error *err)
{
    atx_module *m = calloc(1, sizeof *m);
    if (!m) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    m->resources = ATX_RESOURCES_UNKNOWN;
    gpu->refusal = CUDA_SUCCESS;
    at_status status = open_kernel(m, gpu, cubin, kernel, shared_bytes, err);
    if (status != AT_OK) {
        atx_gpu_unload(gpu, m);
        return status;
    }
    *out = m;
    return AT_OK;
}

at_status atx_gpu_load_all(atx_module **out, atx_gpu *gpu, const atx_kernel *k, at_error *err)
{
    atx_module *m = NULL;
    at_status status = atx_gpu_load(&m, gpu, k->cubin, k->name, k->geometry.shared_bytes, err);
    for (int i = 0; i < k->more_count && status == AT_OK; i++)
        status = atx_gpu_load_step(m, gpu, k->more[i].name, k->more[i].geometry.shared_bytes, err);
    if (status != AT_OK) {
        atx_gpu_unload(gpu, m);
        return status;
    }
    *out = m;
    return AT_OK;
}

at_status atx_gpu_variable(atx_ptr *out, atx_gpu *gpu, const atx_module *module, const char *name,
                           int64_t bytes, at_error *err)
{
    CUdeviceptr at = 0;
    size_t size = 0;
    TRY(gpu, cuModuleGetGlobal_v2, &at, &size, module->module, name);
    if (size < (size_t)bytes)
        return atx_fail(err, AT_ERR_DEVICE, "found %zu bytes in the variable '%s'; expected at least %lld",
                        size, name, (long long)bytes);
    *out = (atx_ptr)at;
    return AT_OK;
}

void atx_gpu_unload(atx_gpu *gpu, atx_module *module)
{
    if (!module)
        return;
    if (module->module && gpu)
        gpu->api.cuModuleUnload(module->module);
    free(module);
}

atx_resources atx_module_resources(const atx_module *module)
{
    return module->resources;
}

static CUresult launch(const atx_gpu *gpu, void *stream, CUfunction function, const atx_geometry *g,
                       void **params)
{
    return gpu->api.cuLaunchKernel(function, (unsigned)g->grid[0], (unsigned)g->grid[1], (unsigned)g->grid[2],
                                   (unsigned)g->block[0], (unsigned)g->block[1], (unsigned)g->block[2],
                                   (unsigned)g->shared_bytes, (CUstream)stream, params, NULL);
}

at_status atx_gpu_launch_step(atx_gpu *gpu, const atx_module *module, int step, const atx_geometry *g,
                              void **params, at_error *err)
{
    CUresult code = launch(gpu, gpu->stream, module->functions[step], g, params);
    return code == CUDA_SUCCESS ? AT_OK : atx_refused_by(gpu, code, "cuLaunchKernel", err);
}

at_status atx_gpu_launch(atx_gpu *gpu, const atx_module *module, const atx_geometry *g, void **params,
                         at_error *err)
{
    return atx_gpu_launch_step(gpu, module, 0, g, params, err);
}

at_status atx_gpu_launch_on(const atx_gpu *gpu, const atx_module *module, const atx_stream_launch *l,
                            at_error *err)
{
    const atx_geometry *g = l->geometry;
    CUfunction function = module->functions[l->step];
    if (!l->attribute_count) {
        CUresult code = launch(gpu, l->stream, function, g, l->params);
        return code == CUDA_SUCCESS ? AT_OK : atx_refused(err, &gpu->api, code, "cuLaunchKernel");
    }
    const CUlaunchConfig config = { .gridDimX = (unsigned)g->grid[0],
                                    .gridDimY = (unsigned)g->grid[1],
                                    .gridDimZ = (unsigned)g->grid[2],
                                    .blockDimX = (unsigned)g->block[0],
                                    .blockDimY = (unsigned)g->block[1],
                                    .blockDimZ = (unsigned)g->block[2],
                                    .sharedMemBytes = (unsigned)g->shared_bytes,
                                    .hStream = (CUstream)l->stream,
                                    .attrs = (CUlaunchAttribute *)(uintptr_t)l->attributes, /* read only */
                                    .numAttrs = (unsigned)l->attribute_count };
    TRY_SHARED(gpu, cuLaunchKernelEx, &config, function, l->params, NULL);
    return AT_OK;
}

at_status atx_gpu_copy(atx_gpu *gpu, atx_ptr to, atx_ptr from, int64_t bytes, at_error *err)
{
    TRY(gpu, cuMemcpyDtoDAsync_v2, (CUdeviceptr)to, (CUdeviceptr)from, (size_t)bytes, gpu->stream);
    return AT_OK;
}

at_status atx_gpu_copy_on(const atx_gpu *gpu, void *stream, atx_ptr to, atx_ptr from, int64_t bytes,
                          at_error *err)
{
    TRY_SHARED(gpu, cuMemcpyDtoDAsync_v2, (CUdeviceptr)to, (CUdeviceptr)from, (size_t)bytes,
               (CUstream)stream);
    return AT_OK;
}

at_status atx_gpu_zero(atx_gpu *gpu, atx_ptr to, int64_t bytes, at_error *err)
{
    if (bytes > 0)
        TRY(gpu, cuMemsetD8Async, (CUdeviceptr)to, 0, (size_t)bytes, gpu->stream);
    return AT_OK;
}

at_status atx_gpu_read(atx_gpu *gpu, void *to, atx_ptr from, int64_t bytes, at_error *err)
{
    TRY(gpu, cuMemcpyDtoHAsync_v2, to, (CUdeviceptr)from, (size_t)bytes, gpu->stream);
    return atx_gpu_wait(gpu, err);
}

at_status atx_gpu_write(atx_gpu *gpu, atx_ptr to, const void *from, int64_t bytes, at_error *err)
{
    TRY(gpu, cuMemcpyHtoDAsync_v2, (CUdeviceptr)to, from, (size_t)bytes, gpu->stream);
    return atx_gpu_wait(gpu, err);
}

at_status atx_gpu_wait(atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuStreamSynchronize, gpu->stream);
    return AT_OK;
}

at_status atx_gpu_timer_start(atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuEventRecord, gpu->start, gpu->stream);
    return AT_OK;
}

at_status atx_gpu_timer_stop(atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuEventRecord, gpu->stop, gpu->stream);
    return AT_OK;
}

at_status atx_gpu_timer_read(double *seconds, atx_gpu *gpu, at_error *err)
{
    float ms = 0;
    TRY(gpu, cuEventSynchronize, gpu->stop);
    TRY(gpu, elapsed, &ms, gpu->start, gpu->stop);
    if (!(ms > 0) || !isfinite(ms)) /* also NaN */
        return atx_fail(err, AT_ERR_DEVICE, "cuEventElapsedTime: found %g ms; expected a positive time",
                        (double)ms);
    *seconds = 1e-3 * (double)ms;
    return AT_OK;
}

at_status atx_gpu_record_begin(atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuStreamBeginCapture_v2, gpu->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    return AT_OK;
}

static at_status end_recording(atx_graph *graph, atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuStreamEndCapture, gpu->stream, &graph->graph);
    TRY(gpu, cuGraphInstantiateWithFlags, &graph->exec, graph->graph, 0);
    return AT_OK;
}

at_status atx_gpu_record_end(atx_graph **out, atx_gpu *gpu, at_error *err)
{
    atx_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return atx_no_memory(err);
    at_status status = end_recording(graph, gpu, err);
    if (status != AT_OK) {
        atx_gpu_drop(gpu, graph);
        return status;
    }
    *out = graph;
    return AT_OK;
}

at_status atx_gpu_replay(atx_gpu *gpu, const atx_graph *graph, at_error *err)
{
    TRY(gpu, cuGraphLaunch, graph->exec, gpu->stream);
    return AT_OK;
}

void atx_gpu_drop(atx_gpu *gpu, atx_graph *graph)
{
    if (!graph)
        return;
    if (graph->exec)
        gpu->api.cuGraphExecDestroy(graph->exec);
    if (graph->graph)
        gpu->api.cuGraphDestroy(graph->graph);
    free(graph);
}
