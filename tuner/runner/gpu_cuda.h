/*
 * gpu_cuda.h - the driver's calls, and statuses for its failures. Private to gpu_cuda*.c, the only files that
 * include <cuda.h>.
 */
#pragma once

#include "runner/gpu.h"

#include <cuda.h>

/* Every driver entry this program uses, by the name its ABI carries. All exist since CUDA 11.8. */
#define DRIVER_CALLS(X)                                                                                      \
    X(cuInit)                                                                                                \
    X(cuDriverGetVersion)                                                                                    \
    X(cuGetErrorName)                                                                                        \
    X(cuGetErrorString)                                                                                      \
    X(cuDeviceGetCount)                                                                                      \
    X(cuDeviceGet)                                                                                           \
    X(cuDeviceGetName)                                                                                       \
    X(cuDeviceGetAttribute)                                                                                  \
    X(cuDeviceTotalMem_v2)                                                                                   \
    X(cuDeviceGetUuid)                                                                                       \
    X(cuDevicePrimaryCtxRetain)                                                                              \
    X(cuDevicePrimaryCtxRelease_v2)                                                                          \
    X(cuCtxGetCurrent)                                                                                       \
    X(cuCtxGetDevice)                                                                                        \
    X(cuCtxSetCurrent)                                                                                       \
    X(cuCtxSynchronize)                                                                                      \
    X(cuStreamCreate)                                                                                        \
    X(cuStreamDestroy_v2)                                                                                    \
    X(cuStreamSynchronize)                                                                                   \
    X(cuStreamBeginCapture_v2)                                                                               \
    X(cuStreamEndCapture)                                                                                    \
    X(cuStreamIsCapturing)                                                                                   \
    X(cuGraphInstantiateWithFlags)                                                                           \
    X(cuGraphLaunch)                                                                                         \
    X(cuGraphExecDestroy)                                                                                    \
    X(cuGraphDestroy)                                                                                        \
    X(cuEventCreate)                                                                                         \
    X(cuEventDestroy_v2)                                                                                     \
    X(cuEventRecord)                                                                                         \
    X(cuEventSynchronize)                                                                                    \
    X(cuMemGetInfo_v2)                                                                                       \
    X(cuMemAlloc_v2)                                                                                         \
    X(cuMemFree_v2)                                                                                          \
    X(cuMemcpyDtoDAsync_v2)                                                                                  \
    X(cuMemcpyDtoHAsync_v2)                                                                                  \
    X(cuMemcpyHtoDAsync_v2)                                                                                  \
    X(cuMemsetD8Async)                                                                                       \
    X(cuModuleLoadData)                                                                                      \
    X(cuModuleUnload)                                                                                        \
    X(cuModuleGetGlobal_v2)                                                                                  \
    X(cuModuleGetFunction)                                                                                   \
    X(cuFuncGetAttribute)                                                                                    \
    X(cuFuncSetAttribute)                                                                                    \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                           \
    X(cuOccupancyMaxActiveClusters)                                                                          \
    X(cuLaunchKernel)                                                                                        \
    X(cuLaunchKernelEx)

/* CUDA 13's header renames this one; the old entry stays in every driver and has the same meaning. */
typedef CUresult elapsed_call(float *ms, CUevent start, CUevent stop);

/* Since CUDA 12: unlike the address of a context, no number is ever used again. */
typedef CUresult context_id_call(CUcontext context, unsigned long long *id);

/* Since CUDA 12, with its types for those who compile with an older header. */
typedef CUresult encode_tiled_call(void *map, int type, unsigned rank, void *address, const uint64_t *dims,
                                   const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                                   int interleave, int swizzle, int l2, int nan);

typedef struct driver {
    void *library;
#define FIELD(name) __typeof__(&(name)) name;
    DRIVER_CALLS(FIELD)
#undef FIELD
    elapsed_call *elapsed;
    context_id_call *context_id;     /* NULL: an older driver */
    encode_tiled_call *encode_tiled; /* likewise */
} driver;

struct atx_gpu {
    driver api;
    int ordinal, visible; /* of so many */
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUevent start, stop;
    CUresult refusal; /* the first since a kernel was loaded */
};

/* AT_ERR_DEVICE with the driver's words for a code. */
at_status atx_refused(at_error *err, const driver *api, CUresult code, const char *what);

/* The same, and remembers the first: see atx_gpu_may_pass. */
at_status atx_refused_by(atx_gpu *gpu, CUresult code, const char *what, at_error *err);

#define TRY(gpu, call, ...)                                                                                  \
    do {                                                                                                     \
        CUresult code_ = (gpu)->api.call(__VA_ARGS__);                                                       \
        if (code_ != CUDA_SUCCESS)                                                                           \
            return atx_refused_by(gpu, code_, #call, err);                                                   \
    } while (0)

/* The same where several threads may have the atx_gpu: it stays as it is. */
#define TRY_SHARED(gpu, call, ...)                                                                           \
    do {                                                                                                     \
        CUresult code_ = (gpu)->api.call(__VA_ARGS__);                                                       \
        if (code_ != CUDA_SUCCESS)                                                                           \
            return atx_refused(err, &(gpu)->api, code_, #call);                                              \
    } while (0)
