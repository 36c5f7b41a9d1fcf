/*
 * gpu_cuda_run.c - what a loaded driver does: modules and their kernels, launches, copies, the stopwatch and
 * recordings.
 */
#include "runner/gpu_cuda.h"

#include <math.h>
#include <stdlib.h>

struct at__module {
    CUmodule module;
    CUfunction functions[AT__MAX_STEPS];
    int count;
    at__resources resources;
    int most_threads[AT__MAX_STEPS]; /* a block, by what its kernel takes; 0: unknown */
};

struct at__graph {
    CUgraph graph;
    CUgraphExec exec;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

at_status at__gpu_load_step(at__module *m, at__gpu *gpu, const char *kernel, int64_t shared_bytes,
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

at_status at__gpu_check_block(at__gpu *gpu, const at__module *m, int step, const at__geometry *g,
                              at_error *err)
{
    const int64_t threads = g->block[0] * g->block[1] * g->block[2];
    const int most = m->most_threads[step];
    if (most <= 0 || threads <= most)
        return AT_OK;
    gpu->refusal = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return at_fail(
        err, AT_ERR_DEVICE,
        "found a block of %lld threads; expected at most %d, as the kernel takes so many registers",
        (long long)threads, most);
}

static at_status open_kernel(at__module *m, at__gpu *gpu, const void *cubin, const char *kernel,
                             int64_t shared_bytes, at_error *err)
{
    TRY(gpu, cuModuleLoadData, &m->module, cubin);
    return at__gpu_load_step(m, gpu, kernel, shared_bytes, err);
}

at_status at__gpu_load(at__module **out, at__gpu *gpu, const void *cubin, const char *kernel,
                       int64_t shared_bytes, at_error *err)
{
    at__module *m = calloc(1, sizeof *m);
    if (!m) {
        at_fail(err, AT_ERR_MEMORY, "out of memory");
        return AT_ERR_MEMORY;
    }
    m->resources = AT__RESOURCES_UNKNOWN;
    gpu->refusal = CUDA_SUCCESS;
    at_status status = open_kernel(m, gpu, cubin, kernel, shared_bytes, err);
    if (status != AT_OK) {
        at__gpu_unload(gpu, m);
        return status;
    }
    *out = m;
    return AT_OK;
}

at_status at__gpu_load_all(at__module **out, at__gpu *gpu, const at__kernel *k, at_error *err)
{
    at__module *m = NULL;
    at_status status = at__gpu_load(&m, gpu, k->cubin, k->name, k->geometry.shared_bytes, err);
    for (int i = 0; i < k->more_count && status == AT_OK; i++)
        status = at__gpu_load_step(m, gpu, k->more[i].name, k->more[i].geometry.shared_bytes, err);
    if (status != AT_OK) {
        at__gpu_unload(gpu, m);
        return status;
    }
    *out = m;
    return AT_OK;
}

at_status at__gpu_variable(at__ptr *out, at__gpu *gpu, const at__module *module, const char *name,
                           int64_t bytes, at_error *err)
{
    CUdeviceptr at = 0;
    size_t size = 0;
    TRY(gpu, cuModuleGetGlobal_v2, &at, &size, module->module, name);
    if (size < (size_t)bytes)
        return at_fail(err, AT_ERR_DEVICE, "found %zu bytes in the variable '%s'; expected at least %lld",
                       size, name, (long long)bytes);
    *out = (at__ptr)at;
    return AT_OK;
}

void at__gpu_unload(at__gpu *gpu, at__module *module)
{
    if (!module)
        return;
    if (module->module && gpu)
        gpu->api.cuModuleUnload(module->module);
    free(module);
}

at__resources at__module_resources(const at__module *module)
{
    return module->resources;
}

static CUresult launch(const at__gpu *gpu, void *stream, CUfunction function, const at__geometry *g,
                       void **params)
{
    return gpu->api.cuLaunchKernel(function, (unsigned)g->grid[0], (unsigned)g->grid[1], (unsigned)g->grid[2],
                                   (unsigned)g->block[0], (unsigned)g->block[1], (unsigned)g->block[2],
                                   (unsigned)g->shared_bytes, (CUstream)stream, params, NULL);
}

at_status at__gpu_launch_step(at__gpu *gpu, const at__module *module, int step, const at__geometry *g,
                              void **params, at_error *err)
{
    CUresult code = launch(gpu, gpu->stream, module->functions[step], g, params);
    return code == CUDA_SUCCESS ? AT_OK : at__refused_by(gpu, code, "cuLaunchKernel", err);
}

at_status at__gpu_launch(at__gpu *gpu, const at__module *module, const at__geometry *g, void **params,
                         at_error *err)
{
    return at__gpu_launch_step(gpu, module, 0, g, params, err);
}

at_status at__gpu_launch_step_on(const at__gpu *gpu, void *stream, const at__module *module, int step,
                                 const at__geometry *g, void **params, at_error *err)
{
    CUresult code = launch(gpu, stream, module->functions[step], g, params);
    return code == CUDA_SUCCESS ? AT_OK : at__refused(err, &gpu->api, code, "cuLaunchKernel");
}

at_status at__gpu_launch_on(const at__gpu *gpu, void *stream, const at__module *module, const at__geometry *g,
                            void **params, at_error *err)
{
    return at__gpu_launch_step_on(gpu, stream, module, 0, g, params, err);
}

at_status at__gpu_copy(at__gpu *gpu, at__ptr to, at__ptr from, int64_t bytes, at_error *err)
{
    TRY(gpu, cuMemcpyDtoDAsync_v2, (CUdeviceptr)to, (CUdeviceptr)from, (size_t)bytes, gpu->stream);
    return AT_OK;
}

at_status at__gpu_copy_on(const at__gpu *gpu, void *stream, at__ptr to, at__ptr from, int64_t bytes,
                          at_error *err)
{
    TRY_SHARED(gpu, cuMemcpyDtoDAsync_v2, (CUdeviceptr)to, (CUdeviceptr)from, (size_t)bytes,
               (CUstream)stream);
    return AT_OK;
}

at_status at__gpu_zero(at__gpu *gpu, at__ptr to, int64_t bytes, at_error *err)
{
    if (bytes > 0)
        TRY(gpu, cuMemsetD8Async, (CUdeviceptr)to, 0, (size_t)bytes, gpu->stream);
    return AT_OK;
}

at_status at__gpu_read(at__gpu *gpu, void *to, at__ptr from, int64_t bytes, at_error *err)
{
    TRY(gpu, cuMemcpyDtoHAsync_v2, to, (CUdeviceptr)from, (size_t)bytes, gpu->stream);
    return at__gpu_wait(gpu, err);
}

at_status at__gpu_write(at__gpu *gpu, at__ptr to, const void *from, int64_t bytes, at_error *err)
{
    TRY(gpu, cuMemcpyHtoDAsync_v2, (CUdeviceptr)to, from, (size_t)bytes, gpu->stream);
    return at__gpu_wait(gpu, err);
}

at_status at__gpu_wait(at__gpu *gpu, at_error *err)
{
    TRY(gpu, cuStreamSynchronize, gpu->stream);
    return AT_OK;
}

at_status at__gpu_timer_start(at__gpu *gpu, at_error *err)
{
    TRY(gpu, cuEventRecord, gpu->start, gpu->stream);
    return AT_OK;
}

at_status at__gpu_timer_stop(at__gpu *gpu, at_error *err)
{
    TRY(gpu, cuEventRecord, gpu->stop, gpu->stream);
    return AT_OK;
}

at_status at__gpu_timer_read(double *seconds, at__gpu *gpu, at_error *err)
{
    float ms = 0;
    TRY(gpu, cuEventSynchronize, gpu->stop);
    TRY(gpu, elapsed, &ms, gpu->start, gpu->stop);
    if (!(ms > 0) || !isfinite(ms)) /* also NaN */
        return at_fail(err, AT_ERR_DEVICE, "cuEventElapsedTime: found %g ms; expected a positive time",
                       (double)ms);
    *seconds = 1e-3 * (double)ms;
    return AT_OK;
}

at_status at__gpu_record_begin(at__gpu *gpu, at_error *err)
{
    TRY(gpu, cuStreamBeginCapture_v2, gpu->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    return AT_OK;
}

static at_status end_recording(at__graph *graph, at__gpu *gpu, at_error *err)
{
    TRY(gpu, cuStreamEndCapture, gpu->stream, &graph->graph);
    TRY(gpu, cuGraphInstantiateWithFlags, &graph->exec, graph->graph, 0);
    return AT_OK;
}

at_status at__gpu_record_end(at__graph **out, at__gpu *gpu, at_error *err)
{
    at__graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    at_status status = end_recording(graph, gpu, err);
    if (status != AT_OK) {
        at__gpu_drop(gpu, graph);
        return status;
    }
    *out = graph;
    return AT_OK;
}

at_status at__gpu_replay(at__gpu *gpu, const at__graph *graph, at_error *err)
{
    TRY(gpu, cuGraphLaunch, graph->exec, gpu->stream);
    return AT_OK;
}

void at__gpu_drop(at__gpu *gpu, at__graph *graph)
{
    if (!graph)
        return;
    if (graph->exec)
        gpu->api.cuGraphExecDestroy(graph->exec);
    if (graph->graph)
        gpu->api.cuGraphDestroy(graph->graph);
    free(graph);
}
