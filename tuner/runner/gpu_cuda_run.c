/*
 * gpu_cuda_run.c - the functions of a loaded driver: modules and their kernels, launches, copies, the
 * stopwatch and recordings.
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

/* The attributes that a kernel gets before it is launched so. */
static at_status prepare_function(atx_gpu *gpu, CUfunction function, const atx_geometry *g, int64_t shared,
                                  at_error *err)
{
    int static_limit = 0;
    TRY(gpu, cuDeviceGetAttribute, &static_limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        gpu->device);
    if (g->shared_bytes + shared > static_limit)
        TRY(gpu, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            (int)g->shared_bytes);
    if (atx_geometry_cluster(g) > ATX_PORTABLE_CLUSTER)
        TRY(gpu, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (g->carveout)
        TRY(gpu, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
            (int)g->carveout - 1);
    return AT_OK;
}

at_status atx_gpu_load_step(atx_module *m, atx_gpu *gpu, const char *kernel, const atx_geometry *g,
                            at_error *err)
{
    int registers = 0, shared = 0, local = 0, threads = 0;
    CUfunction function = NULL;

    TRY(gpu, cuModuleGetFunction, &function, m->module, kernel);
    TRY(gpu, cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    TRY(gpu, cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    TRY(gpu, cuFuncGetAttribute, &local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
    TRY(gpu, cuFuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    ATX_TRY(prepare_function(gpu, function, g, shared, err));
    m->resources.registers = larger(m->resources.registers, registers);
    m->resources.shared_bytes = larger(m->resources.shared_bytes, shared + g->shared_bytes);
    m->resources.local_bytes = larger(m->resources.local_bytes, local);
    m->most_threads[m->count] = threads;
    m->functions[m->count++] = function;
    return AT_OK;
}

/* ---- may it be launched so? ---- */

static int64_t product(const int64_t v[3])
{
    return v[0] * v[1] * v[2];
}

/* The attributes of a launch, as the driver takes them. Returns how many. */
enum { MOST_ATTRIBUTES = 3 };
static int attributes_of(CUlaunchAttribute out[MOST_ATTRIBUTES], const atx_geometry *g)
{
    int count = 0;
    if (atx_geometry_cluster(g) > 1)
        out[count++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                            .value.clusterDim = { .x = (unsigned)g->cluster[0],
                                                                  .y = (unsigned)g->cluster[1],
                                                                  .z = (unsigned)g->cluster[2] } };
    if (g->cooperative)
        out[count++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1 };
    if (g->programmatic)
        out[count++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                            .value.programmaticStreamSerializationAllowed = 1 };
    return count;
}

static CUlaunchConfig config_of(const atx_geometry *g, void *stream, CUlaunchAttribute *attributes, int count)
{
    return (CUlaunchConfig){ .gridDimX = (unsigned)g->grid[0],
                             .gridDimY = (unsigned)g->grid[1],
                             .gridDimZ = (unsigned)g->grid[2],
                             .blockDimX = (unsigned)g->block[0],
                             .blockDimY = (unsigned)g->block[1],
                             .blockDimZ = (unsigned)g->block[2],
                             .sharedMemBytes = (unsigned)g->shared_bytes,
                             .hStream = (CUstream)stream,
                             .attrs = attributes,
                             .numAttrs = (unsigned)count };
}

static at_status refuse_threads(atx_gpu *gpu, int64_t threads, int most, at_error *err)
{
    gpu->refusal = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return atx_fail(err, AT_ERR_DEVICE, "found a block of %lld threads; expected at most %d%s",
                    (long long)threads, most, most < 1024 ? ", as the kernel takes so many registers" : "");
}

/* Clusters, and launches that do not wait, came with compute capability 9.0. */
static at_status check_new(atx_gpu *gpu, const atx_geometry *g, at_error *err)
{
    enum { FIRST_CC = 90 };
    int64_t cc = 0;
    const bool cluster = atx_geometry_cluster(g) > 1;
    at_status status = cluster || g->programmatic ? atx_gpu_cc(&cc, gpu, err) : AT_OK;
    if (status != AT_OK || (!cluster && !g->programmatic) || cc >= FIRST_CC)
        return status;
    gpu->refusal = CUDA_ERROR_NOT_SUPPORTED;
    return atx_fail(err, AT_ERR_DEVICE, "found %s; expected a device of compute capability 9.0 or newer",
                    cluster ? "a launch in clusters" : "a programmatic launch");
}

/* Is there room for one cluster? *resident: for so many blocks at once. */
static at_status check_cluster(int64_t *resident, atx_gpu *gpu, CUfunction function, const atx_geometry *g,
                               at_error *err)
{
    int clusters = 0;
    CUlaunchAttribute attributes[MOST_ATTRIBUTES];
    const CUlaunchConfig config = config_of(g, NULL, attributes, attributes_of(attributes, g));
    CUresult code = gpu->api.cuOccupancyMaxActiveClusters(&clusters, function, &config);
    *resident = clusters * atx_geometry_cluster(g);
    if (code == CUDA_SUCCESS && clusters > 0)
        return AT_OK;
    gpu->refusal = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return atx_fail(
        err, AT_ERR_DEVICE,
        "found clusters of %lld blocks; expected such as the device has room for: of fewer blocks, "
        "or of blocks with fewer threads, fewer registers or less shared memory",
        (long long)atx_geometry_cluster(g));
}

static at_status count_resident(int64_t *resident, atx_gpu *gpu, CUfunction function, const atx_geometry *g,
                                at_error *err)
{
    int each = 0, sms = 0;
    TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor, &each, function, (int)product(g->block),
        (size_t)g->shared_bytes);
    TRY(gpu, cuDeviceGetAttribute, &sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu->device);
    *resident = (int64_t)each * sms;
    return AT_OK;
}

at_status atx_gpu_check_launch(atx_gpu *gpu, const atx_module *m, int step, const atx_geometry *g,
                               at_error *err)
{
    int64_t resident = 0;
    const int most = m->most_threads[step];
    if (most > 0 && product(g->block) > most)
        return refuse_threads(gpu, product(g->block), most, err);
    at_status status = check_new(gpu, g, err);
    if (status == AT_OK && atx_geometry_cluster(g) > 1)
        status = check_cluster(&resident, gpu, m->functions[step], g, err);
    else if (status == AT_OK && g->cooperative)
        status = count_resident(&resident, gpu, m->functions[step], g, err);
    if (status != AT_OK || !g->cooperative || product(g->grid) <= resident)
        return status;
    gpu->refusal = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    return atx_fail(err, AT_ERR_DEVICE,
                    "found a cooperative grid of %lld blocks; expected at most %lld, as many as this device "
                    "holds at once",
                    (long long)product(g->grid), (long long)resident);
}

/* ---- modules ---- */

static at_status open_kernel(atx_module *m, atx_gpu *gpu, const void *cubin, const char *kernel,
                             const atx_geometry *g, at_error *err)
{
    static const atx_geometry PLAIN = { .shared_bytes = 0 };
    TRY(gpu, cuModuleLoadData, &m->module, cubin);
    return atx_gpu_load_step(m, gpu, kernel, g ? g : &PLAIN, err);
}

at_status atx_gpu_load(atx_module **out, atx_gpu *gpu, const void *cubin, const char *kernel,
                       const atx_geometry *geometry, at_error *err)
{
    atx_module *m = calloc(1, sizeof *m);
    if (!m) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    m->resources = ATX_RESOURCES_UNKNOWN;
    gpu->refusal = CUDA_SUCCESS;
    at_status status = open_kernel(m, gpu, cubin, kernel, geometry, err);
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
    at_status status = atx_gpu_load(&m, gpu, k->cubin, k->name, &k->geometry, err);
    ATX_THEN(status, atx_gpu_check_launch(gpu, m, 0, &k->geometry, err));
    for (int i = 0; i < k->more_count && status == AT_OK; i++) {
        status = atx_gpu_load_step(m, gpu, k->more[i].name, &k->more[i].geometry, err);
        ATX_THEN(status, atx_gpu_check_launch(gpu, m, i + 1, &k->more[i].geometry, err));
    }
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

/* Makes the ATX_TENSOR_MAP_BYTES at `map`, a multiple of 64, a tensor map of this buffer: a parameter as it
 * is. Thread-safe. */
static at_status encode(void *map, const atx_gpu *gpu, const atx_tensor_layout *l, atx_ptr address,
                        at_error *err)
{
    if (!gpu->api.encode_tiled)
        return atx_fail(
            err, AT_ERR_DEVICE,
            "the CUDA driver has no cuTensorMapEncodeTiled: it is older than CUDA 12.0; update the driver");
    CUresult code =
        gpu->api.encode_tiled(map, l->type, (unsigned)l->rank, (void *)(uintptr_t)address, l->dims,
                              l->strides, l->box, l->steps, l->interleave, l->swizzle, l->l2, l->nan);
    return code == CUDA_SUCCESS ? AT_OK : atx_refused(err, &gpu->api, code, "cuTensorMapEncodeTiled");
}

at_status atx_gpu_encode_maps(void **params, atx_encoded_maps *maps, const atx_gpu *gpu,
                              const atx_kernel *kernel, const atx_kernel_launch *one, const uint64_t *buffers,
                              at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < one->arg_count && status == AT_OK; i++) {
        const int map = one->args[i].map - 1;
        if (map < 0)
            continue;
        params[i] = maps->bytes[map];
        status = encode(params[i], gpu, &kernel->maps[map], buffers[one->args[i].buffer], err);
    }
    return status;
}

/* As cuLaunchKernelEx has it: the caller's own attributes, and those that the geometry asks for. */
static CUresult launch_with(const atx_gpu *gpu, CUfunction function, const atx_stream_launch *l)
{
    enum { MOST = 32 };
    CUlaunchAttribute all[MOST_ATTRIBUTES + MOST];
    CUlaunchAttribute *own = (CUlaunchAttribute *)(uintptr_t)l->attributes; /* read only */
    const int count = attributes_of(all, l->geometry);
    if (count > 0 && l->attribute_count > MOST)
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < l->attribute_count && count > 0; i++)
        all[count + i] = own[i];
    const CUlaunchConfig config =
        config_of(l->geometry, l->stream, count > 0 ? all : own, count + l->attribute_count);
    return gpu->api.cuLaunchKernelEx(&config, function, l->params, NULL);
}

static CUresult launch(const char **call, const atx_gpu *gpu, CUfunction function, const atx_stream_launch *l)
{
    const atx_geometry *g = l->geometry;
    const bool plain = !l->attribute_count && atx_geometry_is_plain(g);
    *call = plain ? "cuLaunchKernel" : "cuLaunchKernelEx";
    if (!plain)
        return launch_with(gpu, function, l);
    return gpu->api.cuLaunchKernel(function, (unsigned)g->grid[0], (unsigned)g->grid[1], (unsigned)g->grid[2],
                                   (unsigned)g->block[0], (unsigned)g->block[1], (unsigned)g->block[2],
                                   (unsigned)g->shared_bytes, (CUstream)l->stream, l->params, NULL);
}

at_status atx_gpu_launch_step(atx_gpu *gpu, const atx_module *module, int step, const atx_geometry *g,
                              void **params, at_error *err)
{
    const char *call;
    const atx_stream_launch l = { .stream = gpu->stream, .step = step, .geometry = g, .params = params };
    CUresult code = launch(&call, gpu, module->functions[step], &l);
    return code == CUDA_SUCCESS ? AT_OK : atx_refused_by(gpu, code, call, err);
}

at_status atx_gpu_launch(atx_gpu *gpu, const atx_module *module, const atx_geometry *g, void **params,
                         at_error *err)
{
    return atx_gpu_launch_step(gpu, module, 0, g, params, err);
}

at_status atx_gpu_launch_on(const atx_gpu *gpu, const atx_module *module, const atx_stream_launch *l,
                            at_error *err)
{
    const char *call;
    CUresult code = launch(&call, gpu, module->functions[l->step], l);
    return code == CUDA_SUCCESS ? AT_OK : atx_refused(err, &gpu->api, code, call);
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
