/*
 * fake_driver.c - see fake_driver.h. Has every entry that tuner/runner/gpu_cuda*.c ask for; those that only
 * the runner needs refuse to work.
 */
#include "fake_driver.h"

#include "../../e2e/h200.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum {
    OK = 0,
    INVALID_VALUE = 1,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    NOT_SUPPORTED = 801
};

static _Thread_local void *current, *waited;
static atomic_int loads, unloads, launches;
static _Thread_local fake_record last;

EXPORT int fake_use_context(uintptr_t context)
{
    current = (void *)context;
    return OK;
}

EXPORT fake_record fake_read(void)
{
    fake_record r = last;
    r.loads = loads;
    r.unloads = unloads;
    r.launches = launches;
    r.waited = waited;
    r.current = current;
    return r;
}

EXPORT size_t fake_record_bytes(void)
{
    return sizeof(fake_record);
}

#define REFUSED(name)                                                                                        \
    EXPORT int name(void);                                                                                   \
    EXPORT int name(void)                                                                                    \
    {                                                                                                        \
        return NOT_SUPPORTED;                                                                                \
    }
REFUSED(cuDevicePrimaryCtxRelease_v2)
REFUSED(cuCtxSynchronize)
REFUSED(cuStreamCreate)
REFUSED(cuStreamDestroy_v2)
REFUSED(cuStreamBeginCapture_v2)
REFUSED(cuStreamEndCapture)
REFUSED(cuGraphInstantiateWithFlags)
REFUSED(cuGraphLaunch)
REFUSED(cuGraphExecDestroy)
REFUSED(cuGraphDestroy)
REFUSED(cuEventCreate)
REFUSED(cuEventDestroy_v2)
REFUSED(cuEventRecord)
REFUSED(cuEventSynchronize)
REFUSED(cuEventElapsedTime)
REFUSED(cuMemAlloc_v2)
REFUSED(cuMemFree_v2)
REFUSED(cuMemcpyDtoHAsync_v2)
REFUSED(cuMemcpyHtoDAsync_v2)
REFUSED(cuMemsetD8Async)
REFUSED(cuGetErrorName)
REFUSED(cuGetErrorString)

#define ENTRY(name, ...)                                                                                     \
    EXPORT int name(__VA_ARGS__);                                                                            \
    EXPORT int name(__VA_ARGS__)

static _Thread_local int capturing;

EXPORT void fake_capture(int on)
{
    capturing = on;
}

/* Loading within a capture is no concern here. */
ENTRY(cuThreadExchangeStreamCaptureMode, int *mode)
{
    return mode ? OK : INVALID_VALUE;
}

ENTRY(cuStreamIsCapturing, const void *stream, int *status)
{
    (void)stream;
    *status = capturing;
    return OK;
}

ENTRY(cuInit, unsigned flags)
{
    return flags ? INVALID_VALUE : OK;
}

static int cuda_version = H200_CUDA;

EXPORT void fake_use_cuda(int version)
{
    cuda_version = version;
}

ENTRY(cuDriverGetVersion, int *version)
{
    *version = cuda_version;
    return OK;
}

ENTRY(cuCtxGetCurrent, void **context)
{
    *context = current;
    return OK;
}

ENTRY(cuCtxSetCurrent, void *context)
{
    current = context;
    return OK;
}

ENTRY(cuCtxGetId, void *context, unsigned long long *id)
{
    *id = (uintptr_t)context;
    return OK;
}

ENTRY(cuCtxGetDevice, int *device)
{
    *device = 0;
    return current ? OK : INVALID_CONTEXT;
}

ENTRY(cuDevicePrimaryCtxRetain, void **context, int device)
{
    *context = (void *)(uintptr_t)FAKE_PRIMARY;
    return device;
}

/* One below the current one is enough for the tests. */
static _Thread_local void *below;

ENTRY(cuCtxPushCurrent_v2, void *context)
{
    below = current;
    current = context;
    return OK;
}

ENTRY(cuCtxPopCurrent_v2, void **context)
{
    *context = current;
    current = below;
    return OK;
}

/* Memory of the device begins where the first test's buffers do. */
ENTRY(cuPointerGetAttribute, void *value, int which, uint64_t address)
{
    enum { DEVICE_ORDINAL = 9 };
    if (which != DEVICE_ORDINAL || address < FAKE_MEMORY)
        return INVALID_VALUE;
    *(int *)value = 0;
    return OK;
}

ENTRY(cuStreamSynchronize, void *stream)
{
    waited = stream;
    return OK;
}

ENTRY(cuDeviceGetCount, int *count)
{
    *count = 2;
    return OK;
}

ENTRY(cuDeviceGet, int *device, int ordinal)
{
    *device = ordinal;
    return ordinal < 0 || ordinal > 1 ? INVALID_VALUE : OK;
}

ENTRY(cuDeviceGetName, char *name, int len, int device)
{
    snprintf(name, (size_t)len, device ? "NVIDIA H100 80GB HBM3" : H200_NAME);
    return OK;
}

ENTRY(cuDeviceGetUuid, void *uuid, int device)
{
    memset(uuid, 7 + device, 16);
    return OK;
}

ENTRY(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    *bytes = H200_MEMORY_BYTES;
    return device < 0 ? INVALID_VALUE : OK;
}

ENTRY(cuMemGetInfo_v2, size_t *unused, size_t *total)
{
    *unused = *total = H200_MEMORY_BYTES;
    return OK;
}

ENTRY(cuDeviceGetAttribute, int *value, int which, int device)
{
    return device < 0 || h200_attribute(value, which) ? INVALID_VALUE : OK;
}

static char refused[64];
static int most_shared, most_threads;

EXPORT void fake_refuse_code(const char *text)
{
    snprintf(refused, sizeof refused, "%s", text ? text : "");
}

EXPORT void fake_limit_shared(int bytes)
{
    most_shared = bytes;
}

EXPORT void fake_limit_threads(int count)
{
    most_threads = count;
}

/* The end of its last table is the end of the file. */
static size_t elf_bytes(const char *image)
{
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    size_t sections = head.e_shoff + (size_t)head.e_shentsize * head.e_shnum;
    size_t segments = head.e_phoff + (size_t)head.e_phentsize * head.e_phnum;
    return sections > segments ? sections : segments;
}

ENTRY(cuModuleLoadData, void **module, const char *image)
{
    if (memcmp(image, "\177ELF", 4) != 0)
        return INVALID_IMAGE;
    if (refused[0] && memmem(image, elf_bytes(image), refused, strlen(refused)))
        return NO_BINARY_FOR_GPU;
    *module = (void *)(uintptr_t)(1 + atomic_fetch_add(&loads, 1));
    return OK;
}

ENTRY(cuModuleUnload, void *module)
{
    atomic_fetch_add(&unloads, 1);
    return module ? OK : INVALID_VALUE;
}

static atomic_size_t name_len;

EXPORT size_t fake_name_len(void)
{
    return name_len;
}

ENTRY(cuModuleGetFunction, void **function, void *module, const char *name)
{
    name_len = strlen(name);
    *function = module;
    return name[0] ? OK : INVALID_VALUE;
}

/* Of a module every variable is one, of 4096 bytes. */
ENTRY(cuModuleGetGlobal_v2, uint64_t *at, size_t *bytes, void *module, const char *name)
{
    *at = FAKE_VARIABLE;
    *bytes = 4096;
    return module && name[0] ? OK : INVALID_VALUE;
}

static _Thread_local fake_copy last_copy;

EXPORT fake_copy fake_copied(void)
{
    return last_copy;
}

ENTRY(cuMemcpyDtoDAsync_v2, uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    last_copy = (fake_copy){ to, from, bytes, stream, launches };
    return OK;
}

ENTRY(cuFuncGetAttribute, int *value, int which, void *function)
{
    enum { MAX_THREADS_PER_BLOCK = 0 };
    *value = which == MAX_THREADS_PER_BLOCK ? most_threads : 0;
    return function && which >= 0 ? OK : INVALID_VALUE;
}

ENTRY(cuFuncSetAttribute, void *function, int which, int value)
{
    if (most_shared && value > most_shared)
        return INVALID_VALUE;
    return function && which >= 0 && value >= 0 ? OK : INVALID_VALUE;
}

static int resident;

EXPORT void fake_limit_resident(int blocks)
{
    resident = blocks;
}

/* Of any kernel so many blocks fit; 0: one for each multiprocessor. */
ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *function, int threads,
      size_t shared)
{
    *blocks = resident ? resident : 1;
    return function && threads > 0 && shared < (size_t)1 << 20 ? OK : INVALID_VALUE;
}

ENTRY(cuOccupancyMaxActiveClusters, int *clusters, const void *function, const void *config)
{
    *clusters = resident ? resident : 1;
    return function && config ? OK : INVALID_VALUE;
}

/* A map begins with the address of its buffer, then the sizes of its first dimension and box. */
ENTRY(cuTensorMapEncodeTiled, uint64_t *map, int type, unsigned rank, uint64_t address, const uint64_t *dims,
      const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle,
      int l2, int fill)
{
    memset(map, 0, 128);
    map[0] = address;
    map[1] = dims[0] << 32 | box[0];
    return (uintptr_t)map % 64 == 0 && type >= 0 && rank > 0 && strides && steps && interleave >= 0 &&
                   swizzle >= 0 && l2 >= 0 && fill >= 0
               ? OK
               : INVALID_VALUE;
}

ENTRY(cuLaunchKernel, void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **params, void **extra)
{
    if (!function || extra)
        return INVALID_VALUE;
    last = (fake_record){ .grid = { grid_x, grid_y, grid_z },
                          .block = { block_x, block_y, block_z },
                          .shared_bytes = shared_bytes,
                          .stream = stream };
    for (int i = 0; i < FAKE_PARAMS && params[i]; i++) /* the library and packs end them with NULL */
        memcpy(i < 5 ? &last.params[i] : &last.later[i - 5], params[i], sizeof *last.params);
    atomic_fetch_add(&launches, 1);
    return OK;
}

/* As cuda.h has it. */
typedef struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const void *attributes;
    unsigned attribute_count;
} launch_config;

typedef struct launch_attribute {
    int id, unused;
    unsigned value[16];
} launch_attribute;

ENTRY(cuLaunchKernelEx, const launch_config *c, void *function, void **params, void **extra)
{
    const launch_attribute *given = c->attributes;
    int code = cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                              c->block[2], c->shared_bytes, c->stream, params, extra);
    for (unsigned i = 0; i < c->attribute_count && i < FAKE_ATTRIBUTES; i++) {
        last.attribute_ids[i] = given[i].id;
        memcpy(last.attribute_values[i], given[i].value, sizeof last.attribute_values[i]);
    }
    last.attributes = c->attributes;
    last.attribute_count = c->attribute_count;
    return code;
}
