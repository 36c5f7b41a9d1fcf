/*
 * gpu_cuda.c - the driver, opened at run time: nothing links to libcuda. Its devices and their memory;
 * gpu_cuda_run.c runs kernels.
 *
 * Calls go through a table that is filled with dlsym. TRY() turns a failure into AT_ERR_DEVICE with the
 * driver's words and keeps its first code, which decides whether the same launch may succeed later (memory
 * that others hold) or never will. A context that a fault has poisoned fails every call from then on, and the
 * gpu can only be closed.
 */
#include "runner/gpu_cuda.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} CALLS[] = {
#define ROW(name) { #name, offsetof(driver, name) },
    DRIVER_CALLS(ROW)
#undef ROW
        { "cuEventElapsedTime", offsetof(driver, elapsed) },
};

at_status atx_refused(at_error *err, const driver *api, CUresult code, const char *what)
{
    const char *name = NULL, *text = NULL;
    if (api->cuGetErrorName)
        api->cuGetErrorName(code, &name);
    if (api->cuGetErrorString)
        api->cuGetErrorString(code, &text);
    return atx_fail(err, AT_ERR_DEVICE, "%s: %s (%s)", what, name ? name : "unknown driver error",
                    text ? text : "no text");
}

static at_status driver_open(driver *api, at_error *err)
{
    static const char *const NAMES[] = { "libcuda.so.1", "libcuda.so" };
    *api = (driver){ 0 };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !api->library; i++)
        api->library = dlopen(NAMES[i], RTLD_NOW | RTLD_LOCAL);
    if (!api->library)
        return atx_fail(
            err, AT_ERR_DEVICE,
            "no CUDA driver: libcuda.so.1 could not be opened; install the NVIDIA driver, or work "
            "without a GPU: `autotune query 4096x4096 f32` prints a built-in result, `autotune "
            "export 4096x4096 f32` its kernel, `autotune check` compiles yours");
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        void *symbol = dlsym(api->library, CALLS[i].name);
        if (!symbol)
            return atx_fail(err, AT_ERR_DEVICE,
                            "the CUDA driver has no %s: it is older than CUDA 11.8; update the driver",
                            CALLS[i].name);
        memcpy((char *)api + CALLS[i].offset, &symbol, sizeof symbol);
    }
    void *context_id = dlsym(api->library, "cuCtxGetId");
    memcpy(&api->context_id, &context_id, sizeof context_id);
    void *encode_tiled = dlsym(api->library, "cuTensorMapEncodeTiled");
    memcpy(&api->encode_tiled, &encode_tiled, sizeof encode_tiled);
    CUresult code = api->cuInit(0);
    return code == CUDA_SUCCESS ? AT_OK
                                : atx_refused(err, api, code,
                                              "the CUDA driver does not start (cuInit), and `nvidia-smi` may "
                                              "tell why");
}

at_status atx_gpu_count(int *out, at_error *err)
{
    driver api;
    ATX_TRY(driver_open(&api, err));
    CUresult code = api.cuDeviceGetCount(out);
    return code == CUDA_SUCCESS ? AT_OK : atx_refused(err, &api, code, "cuDeviceGetCount");
}

/* As nvidia-smi writes it. */
static void write_uuid(char *out, size_t size, const CUuuid *uuid)
{
    size_t at = (size_t)snprintf(out, size, "GPU-");
    for (int i = 0; i < 16 && at < size; i++)
        at +=
            (size_t)snprintf(out + at, size - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                             (unsigned)(unsigned char)uuid->bytes[i]);
}

at_status atx_gpu_uuid(char out[ATX_UUID_TEXT], int ordinal, at_error *err)
{
    driver api;
    CUdevice device = 0;
    CUuuid uuid = { 0 };
    ATX_TRY(driver_open(&api, err));
    CUresult code = api.cuDeviceGet(&device, ordinal);
    if (code == CUDA_SUCCESS)
        code = api.cuDeviceGetUuid(&uuid, device);
    if (code != CUDA_SUCCESS)
        return atx_refused(err, &api, code, "cuDeviceGetUuid");
    write_uuid(out, ATX_UUID_TEXT, &uuid);
    return AT_OK;
}

at_status atx_refused_by(atx_gpu *gpu, CUresult code, const char *what, at_error *err)
{
    if (gpu->refusal == CUDA_SUCCESS)
        gpu->refusal = code;
    return atx_refused(err, &gpu->api, code, what);
}

static at_status find_device(atx_gpu *gpu, at_error *err)
{
    int count = 0;
    TRY(gpu, cuDeviceGetCount, &count);
    gpu->visible = count;
    if (count <= 0)
        return atx_fail(
            err, AT_ERR_DEVICE,
            "the CUDA driver shows no device; `nvidia-smi` should list one, and CUDA_VISIBLE_DEVICES "
            "may hide it");
    if (gpu->ordinal < 0 || gpu->ordinal >= count)
        return atx_fail(err, AT_ERR_DEVICE,
                        "there is no CUDA device %d; this machine shows %d device%s (0 to %d)", gpu->ordinal,
                        count, count == 1 ? "" : "s", count - 1);
    TRY(gpu, cuDeviceGet, &gpu->device, gpu->ordinal);
    return AT_OK;
}

at_status atx_gpu_enter(atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuDevicePrimaryCtxRetain, &gpu->context, gpu->device);
    TRY(gpu, cuCtxSetCurrent, gpu->context);
    TRY(gpu, cuStreamCreate, &gpu->stream, CU_STREAM_NON_BLOCKING);
    TRY(gpu, cuEventCreate, &gpu->start, CU_EVENT_DEFAULT);
    TRY(gpu, cuEventCreate, &gpu->stop, CU_EVENT_DEFAULT);
    return AT_OK;
}

at_status atx_gpu_find(atx_gpu **out, int ordinal, at_error *err)
{
    atx_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    gpu->ordinal = ordinal;
    at_status status = driver_open(&gpu->api, err);
    ATX_THEN(status, find_device(gpu, err));
    if (status != AT_OK) {
        atx_gpu_close(gpu);
        return status;
    }
    *out = gpu;
    return AT_OK;
}

at_status atx_gpu_open(atx_gpu **out, int ordinal, at_error *err)
{
    atx_gpu *gpu = NULL;
    at_status status = atx_gpu_find(&gpu, ordinal, err);
    ATX_THEN(status, atx_gpu_enter(gpu, err));
    if (status != AT_OK) {
        atx_gpu_close(gpu);
        return status;
    }
    *out = gpu;
    return AT_OK;
}

at_status atx_gpu_attach(atx_gpu **out, at_error *err)
{
    atx_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return atx_no_memory(err);
    at_status status = driver_open(&gpu->api, err);
    if (status != AT_OK) {
        free(gpu);
        return status;
    }
    *out = gpu;
    return AT_OK;
}

at_status atx_gpu_context(void **out, const atx_gpu *gpu, at_error *err)
{
    CUcontext context = NULL;
    TRY_SHARED(gpu, cuCtxGetCurrent, &context);
    if (!context)
        return atx_fail(
            err, AT_ERR_USAGE,
            "no CUDA context is current in this thread; allocate memory with cudaMalloc first, or "
            "call cuCtxSetCurrent");
    *out = context;
    return AT_OK;
}

at_status atx_gpu_set_context(const atx_gpu *gpu, void *context, at_error *err)
{
    TRY_SHARED(gpu, cuCtxSetCurrent, context);
    return AT_OK;
}

at_status atx_gpu_current(uint64_t *id, const atx_gpu *gpu, at_error *err)
{
    void *context = NULL;
    unsigned long long number = 0;
    ATX_TRY(atx_gpu_context(&context, gpu, err));
    if (!gpu->api.context_id)
        number = (uintptr_t)context;
    else
        TRY_SHARED(gpu, context_id, context, &number);
    *id = number;
    return AT_OK;
}

at_status atx_gpu_current_device(atx_gpu *gpu, at_error *err)
{
    TRY(gpu, cuCtxGetDevice, &gpu->device);
    gpu->ordinal = (int)gpu->device;
    return AT_OK;
}

int atx_gpu_ordinal(const atx_gpu *gpu)
{
    return gpu->ordinal;
}

/* The default stream cannot tell while another is captured: that it may not be asked says enough. */
bool atx_gpu_is_capturing(const atx_gpu *gpu, void *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return gpu->api.cuStreamIsCapturing((CUstream)stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void atx_gpu_close(atx_gpu *gpu)
{
    if (!gpu)
        return;
    if (gpu->start)
        gpu->api.cuEventDestroy_v2(gpu->start);
    if (gpu->stop)
        gpu->api.cuEventDestroy_v2(gpu->stop);
    if (gpu->stream)
        gpu->api.cuStreamDestroy_v2(gpu->stream);
    if (gpu->context)
        gpu->api.cuDevicePrimaryCtxRelease_v2(gpu->device);
    free(gpu); /* the driver library stays: unloading it is not supported */
}

static at_status attribute(int64_t *out, atx_gpu *gpu, CUdevice_attribute which, at_error *err)
{
    int value = 0;
    TRY(gpu, cuDeviceGetAttribute, &value, which, gpu->device);
    *out = value;
    return AT_OK;
}

at_status atx_gpu_cc(int64_t *cc, atx_gpu *gpu, at_error *err)
{
    int64_t major = 0, minor = 0;
    at_status status = attribute(&major, gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, err);
    ATX_THEN(status, attribute(&minor, gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, err));
    *cc = 10 * major + minor;
    return status;
}

static at_status read_limits(atx_limits *out, atx_gpu *gpu, at_error *err)
{
    const struct {
        int64_t *to;
        CUdevice_attribute which;
    } WANTED[] = {
        { &out->sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT },
        { &out->warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE },
        { &out->max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
        { &out->max_shared_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN },
        { &out->max_static_shared_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK },
        { &out->max_registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK },
        { &out->max_grid_x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X },
        { &out->l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE },
    };
    for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        ATX_TRY(attribute(WANTED[i].to, gpu, WANTED[i].which, err));
    }
    return atx_gpu_cc(&out->cc, gpu, err);
}

at_status atx_gpu_memory(int64_t *free_bytes, atx_gpu *gpu, at_error *err)
{
    size_t unused = 0, total = 0;
    TRY(gpu, cuMemGetInfo_v2, &unused, &total);
    *free_bytes = (int64_t)unused;
    return AT_OK;
}

at_status atx_gpu_describe(atx_device_info *out, atx_gpu *gpu, at_error *err)
{
    atx_device_info info = { .ordinal = gpu->ordinal, .visible = gpu->visible };
    CUuuid uuid = { 0 };
    size_t total = 0;
    int version = 0;

    TRY(gpu, cuDeviceGetName, info.name, (int)sizeof info.name - 1, gpu->device);
    TRY(gpu, cuDeviceGetUuid, &uuid, gpu->device);
    TRY(gpu, cuDeviceTotalMem_v2, &total, gpu->device);
    TRY(gpu, cuDriverGetVersion, &version);
    ATX_TRY(read_limits(&info.limits, gpu, err));
    info.limits.memory_bytes = (int64_t)total;
    info.cuda = version;
    snprintf(info.driver, sizeof info.driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    write_uuid(info.uuid, sizeof info.uuid, &uuid);
    *out = info;
    return AT_OK;
}

at_status atx_gpu_info(atx_device_info *out, atx_gpu *gpu, at_error *err)
{
    atx_device_info info;
    ATX_TRY(atx_gpu_describe(&info, gpu, err));
    ATX_TRY(atx_gpu_memory(&info.free_bytes, gpu, err));
    *out = info;
    return AT_OK;
}

bool atx_gpu_is_lost(atx_gpu *gpu)
{
    return gpu->api.cuCtxSynchronize() != CUDA_SUCCESS;
}

/* A request that is refused once is always refused. */
static const CUresult LASTING[] = {
    CUDA_ERROR_INVALID_VALUE,           /* a grid or block beyond the device's limits        */
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, /* more registers or shared memory than there are    */
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_INVALID_IMAGE, /* the code, and what is looked for in it  */
    CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    CUDA_ERROR_NOT_FOUND,
};

bool atx_gpu_may_pass(const atx_gpu *gpu)
{
    for (size_t i = 0; i < sizeof LASTING / sizeof *LASTING; i++)
        if (gpu->refusal == LASTING[i])
            return false;
    return true;
}

at_status atx_gpu_alloc(atx_ptr *out, atx_gpu *gpu, int64_t bytes, at_error *err)
{
    CUdeviceptr ptr = 0;
    TRY(gpu, cuMemAlloc_v2, &ptr, bytes > 0 ? (size_t)bytes : 1); /* a buffer may be empty */
    *out = (atx_ptr)ptr;
    return AT_OK;
}

void atx_gpu_free(atx_gpu *gpu, atx_ptr ptr)
{
    if (ptr)
        gpu->api.cuMemFree_v2((CUdeviceptr)ptr);
}
