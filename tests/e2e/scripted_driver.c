/*
 * scripted_driver.c - see scripted_driver.h and script.h. Device memory is host memory; a stream runs what it
 * is given at once, on the CPU; time is what the script says it is.
 *
 * As with a real driver, a kernel that faults is not seen before somebody waits, and then every call that
 * needs the context fails with that code, for as long as the process lives.
 *
 * One thread uses it.
 */
#include "scripted_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

scripted_state scripted;

/* ---- every call ---- */

EXPORT void scripted_start(const char *text)
{
    scripted.started = true;
    scripted.hangs = false;
    scripted.lost = scripted.pending = 0;
    scripted.call_count = 0;
    scripted.capture = NULL;
    memset(scripted.sights, 0, sizeof scripted.sights);
    scripted_l2_begin();
    script_read(&scripted.script, text);
}

EXPORT long scripted_calls(const char *name)
{
    long count = 0;
    for (long i = 0; i < scripted.call_count && i < MAX_CALLS; i++)
        count += !name || strcmp(scripted.calls[i], name) == 0;
    return count;
}

EXPORT const char *scripted_call(long n)
{
    return n >= 1 && n <= scripted.call_count && n <= MAX_CALLS ? scripted.calls[n - 1] : NULL;
}

/* The sight of this name, begun when there is none; NULL: no more room. */
static sight *find_sight(const char *name)
{
    for (int i = 0; i < MAX_SIGHTS; i++) {
        if (!scripted.sights[i].name[0])
            snprintf(scripted.sights[i].name, sizeof scripted.sights[i].name, "%s", name);
        if (strcmp(scripted.sights[i].name, name) == 0)
            return &scripted.sights[i];
    }
    return NULL;
}

static const char DRIVERS_COPY[] = "the driver's copy";

EXPORT long scripted_alignments(const char *name, int buffer)
{
    const sight *s = find_sight(name ? name : DRIVERS_COPY);
    return s ? s->alignments[buffer] : 0;
}

void scripted_remember_sight(const launch *l)
{
    if (l->kernel && strncmp(l->kernel->name, "verify_", 7) == 0)
        return;
    sight *s = find_sight(l->kernel ? l->kernel->name : DRIVERS_COPY);
    for (int i = 0; s && i < 2; i++) {
        uint64_t address = l->params[i] | 256;
        s->alignments[i] |= (long)(address & -address);
    }
}

EXPORT long scripted_bytes(void)
{
    long bytes = 0;
    for (int i = 0; i < scripted.allocations; i++)
        bytes += (long)scripted.memory[i].bytes;
    return bytes;
}

EXPORT long scripted_places(const void *bytes, unsigned long len)
{
    long count = 0;
    for (int i = 0; i < scripted.allocations; i++) {
        const unsigned char *at = scripted.memory[i].at, *end = at + scripted.memory[i].bytes;
        for (; (at = memmem(at, (size_t)(end - at), bytes, len)) != NULL; at++)
            count++;
    }
    return count;
}

EXPORT long scripted_modules(void)
{
    return scripted.modules;
}

static void write_log(const char *name)
{
    FILE *file = scripted.script.log[0] ? fopen(scripted.script.log, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", name);
    fclose(file);
}

/* The failure that the script wants here; OK: none. */
static int scripted_failure(const char *name)
{
    int code = OK;
    for (int i = 0; i < scripted.script.fail.count; i++) {
        rule *r = &scripted.script.fail.list[i];
        if ((strcmp(r->what, "*") == 0 || strcmp(r->what, name) == 0) && ++r->seen == r->at &&
            script_happens(r)) {
            code = r->code;
            if (r->sticky)
                scripted.lost = code;
        }
    }
    return code;
}

static void nap(double ns)
{
    if (ns >= 1)
        nanosleep(&(struct timespec){ .tv_sec = (time_t)(ns * 1e-9), .tv_nsec = (long)fmod(ns, 1e9) }, NULL);
}

/* One with `while` ends with its file. */
static void take_long(const rule *r)
{
    const double step_ns = 2e6;
    double left_ns = r->ns;
    for (; r->during[0] && left_ns > 0 && access(r->during, F_OK) == 0; left_ns -= step_ns)
        nap(step_ns);
    nap(r->during[0] ? 0 : left_ns);
}

static void dawdle(const char *name)
{
    for (int i = 0; i < scripted.script.slow.count; i++)
        if (strcmp(scripted.script.slow.list[i].what, name) == 0 &&
            script_happens(&scripted.script.slow.list[i]))
            take_long(&scripted.script.slow.list[i]);
}

int scripted_enter(const char *name, bool of_context)
{
    if (!scripted.started) {
        scripted.started = true;
        script_read_file(&scripted.script);
    }
    if (scripted.call_count < MAX_CALLS)
        scripted.calls[scripted.call_count] = name;
    scripted.call_count++;
    write_log(name);
    dawdle(name);
    int code = scripted_failure(name);
    return code == OK && of_context ? scripted.lost : code;
}

/* Somebody waits for the stream. */
static int settle(void)
{
    if (scripted.capture)
        return CAPTURE_FORBIDS;
    while (scripted.hangs)
        pause();
    nap(scripted.script.pace * (scripted.now_ns - scripted.waited_ns));
    scripted.waited_ns = scripted.now_ns;
    if (scripted.pending)
        scripted.lost = scripted.pending;
    return scripted.lost;
}

/* ---- the driver and its devices ---- */

static bool is_gone(void)
{
    return scripted.script.gone[0] && access(scripted.script.gone, F_OK) == 0;
}

ENTRY(cuInit, unsigned flags)
{
    ENTER_DRIVER(cuInit);
    if (is_gone())
        return NO_DEVICE;
    return flags ? INVALID_VALUE : OK;
}

ENTRY(cuDriverGetVersion, int *version)
{
    ENTER_DRIVER(cuDriverGetVersion);
    *version = scripted.script.cuda;
    return OK;
}

/* Not counted: a message must not change what is tested. */
static const struct {
    int code;
    const char *name, *text;
} CODES[] = {
    { INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
    { OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
    { NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
    { INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
    { ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
    { 719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
    { 999, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

static int find_code(int code)
{
    int count = sizeof CODES / sizeof *CODES, i = 0;
    while (i < count && CODES[i].code != code)
        i++;
    return i < count ? i : -1;
}

ENTRY(cuGetErrorName, int code, const char **name)
{
    int i = find_code(code);
    *name = i >= 0 ? CODES[i].name : NULL;
    return i >= 0 ? OK : INVALID_VALUE;
}

ENTRY(cuGetErrorString, int code, const char **text)
{
    int i = find_code(code);
    *text = i >= 0 ? CODES[i].text : NULL;
    return i >= 0 ? OK : INVALID_VALUE;
}

/* Which device is shown at this place of CUDA_VISIBLE_DEVICES, which ends at a device that there is not. */
static int shown(int place)
{
    const char *at = getenv("CUDA_VISIBLE_DEVICES");
    if (!at || !*at)
        return place >= 0 && place < scripted.script.devices ? place : -1;
    int device = -1;
    for (int i = 0; i <= place; i++, at += strcspn(at, ","), at += *at == ',') {
        device = *at ? atoi(at) : -1;
        if (device < 0 || device >= scripted.script.devices)
            return -1;
    }
    return device;
}

ENTRY(cuDeviceGetCount, int *count)
{
    ENTER_DRIVER(cuDeviceGetCount);
    *count = 0;
    if (scripted.script.counted[0] && unlink(scripted.script.counted) != 0)
        return OK;
    while (shown(*count) >= 0)
        ++*count;
    return OK;
}

ENTRY(cuDeviceGet, int *device, int ordinal)
{
    ENTER_DRIVER(cuDeviceGet);
    *device = shown(ordinal);
    script_read_on(&scripted.script, *device);
    if (is_gone())
        return NO_DEVICE;
    return *device >= 0 ? OK : INVALID_VALUE;
}

ENTRY(cuDeviceGetName, char *name, int len, int device)
{
    ENTER_DRIVER(cuDeviceGetName);
    snprintf(name, (size_t)len, H200_NAME);
    return device < 0 ? INVALID_VALUE : OK;
}

ENTRY(cuDeviceGetUuid, unsigned char *uuid, int device)
{
    ENTER_DRIVER(cuDeviceGetUuid);
    memset(uuid, 0x5c, 16);
    uuid[15] = (unsigned char)device;
    return OK;
}

ENTRY(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    ENTER_DRIVER(cuDeviceTotalMem_v2);
    *bytes = (size_t)scripted.script.memory_bytes;
    return device < 0 ? INVALID_VALUE : OK;
}

ENTRY(cuDeviceGetAttribute, int *value, int which, int device)
{
    ENTER_DRIVER(cuDeviceGetAttribute);
    if (device < 0)
        return INVALID_VALUE;
    if (which != H200_L2)
        return h200_attribute(value, which);
    *value = (int)scripted.script.l2_bytes;
    return OK;
}

/* ---- contexts, streams, events ---- */

static char the_context;
char scripted_stream;

ENTRY(cuDevicePrimaryCtxRetain, void **context, int device)
{
    ENTER(cuDevicePrimaryCtxRetain);
    *context = &the_context;
    return device < 0 ? INVALID_VALUE : OK;
}

ENTRY(cuDevicePrimaryCtxRelease_v2, int device)
{
    ENTER(cuDevicePrimaryCtxRelease_v2);
    return device < 0 ? INVALID_VALUE : OK;
}

ENTRY(cuCtxGetCurrent, void **context)
{
    ENTER_DRIVER(cuCtxGetCurrent);
    *context = &the_context;
    return OK;
}

ENTRY(cuCtxSetCurrent, void *context)
{
    ENTER(cuCtxSetCurrent);
    return context == &the_context ? OK : INVALID_VALUE;
}

ENTRY(cuCtxGetDevice, int *device)
{
    ENTER_DRIVER(cuCtxGetDevice);
    *device = 0;
    return OK;
}

ENTRY(cuCtxSynchronize, void)
{
    ENTER(cuCtxSynchronize);
    return settle();
}

ENTRY(cuStreamCreate, void **stream, unsigned flags)
{
    ENTER(cuStreamCreate);
    *stream = &scripted_stream;
    return flags <= 1 ? OK : INVALID_VALUE;
}

ENTRY(cuStreamDestroy_v2, const void *stream)
{
    ENTER(cuStreamDestroy_v2);
    return stream == &scripted_stream ? OK : INVALID_VALUE;
}

ENTRY(cuStreamSynchronize, const void *stream)
{
    ENTER(cuStreamSynchronize);
    return stream == &scripted_stream ? settle() : INVALID_VALUE;
}

ENTRY(cuEventCreate, event **out, unsigned flags)
{
    ENTER(cuEventCreate);
    *out = flags ? NULL : calloc(1, sizeof **out);
    return *out ? OK : INVALID_VALUE;
}

/* Frees also in a lost context, so that no leak is reported. */
ENTRY(cuEventDestroy_v2, event *e)
{
    int code = scripted_enter("cuEventDestroy_v2", true);
    free(e);
    return code;
}

ENTRY(cuEventRecord, event *e, const void *stream)
{
    ENTER(cuEventRecord);
    e->at_ns = scripted.now_ns;
    return stream == &scripted_stream ? OK : INVALID_VALUE;
}

ENTRY(cuEventSynchronize, const event *e)
{
    ENTER(cuEventSynchronize);
    return e ? settle() : INVALID_VALUE;
}

static double next_random(void) /* in [0, 1) */
{
    scripted.random = scripted.random * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(scripted.random >> 11) * 0x1p-53;
}

/* For how long the host was away between the two events that are read now. */
static double lateness_ns(void)
{
    double ns = 0;
    for (int i = 0; i < scripted.script.late.count; i++) {
        rule *r = &scripted.script.late.list[i];
        ns += ++r->seen == r->at ? r->ns : 0;
    }
    return ns;
}

ENTRY(cuEventElapsedTime, float *ms, const event *start, const event *stop)
{
    ENTER(cuEventElapsedTime);
    const char *what = scripted.script.times;
    double ns = (stop->at_ns - start->at_ns) * (1 + scripted.script.noise * next_random()) + lateness_ns();
    *ms = (float)(ns * 1e-6);
    if (strcmp(what, "nan") == 0)
        *ms = NAN;
    else if (strcmp(what, "zero") == 0)
        *ms = 0;
    else if (strcmp(what, "negative") == 0)
        *ms = -*ms;
    else if (strcmp(what, "endless") == 0)
        *ms = INFINITY;
    return OK;
}

/* ---- memory ---- */

ENTRY(cuMemGetInfo_v2, size_t *unused, size_t *total)
{
    ENTER(cuMemGetInfo_v2);
    int64_t left = scripted.script.free_bytes - scripted_bytes();
    *unused = left > 0 ? (size_t)left : 0;
    *total = (size_t)scripted.script.memory_bytes;
    return OK;
}

uint64_t scripted_take(size_t bytes)
{
    void *at = NULL;
    if (scripted_bytes() + (long)bytes > scripted.script.free_bytes ||
        scripted.allocations == MAX_ALLOCATIONS || posix_memalign(&at, 512, bytes) != 0)
        return 0;
    scripted.memory[scripted.allocations++] = (allocation){ at, bytes };
    return (uintptr_t)at;
}

bool scripted_give(uint64_t at)
{
    for (int i = 0; i < scripted.allocations; i++)
        if (scripted.memory[i].at == (unsigned char *)(uintptr_t)at) {
            free(scripted.memory[i].at);
            scripted.memory[i] = scripted.memory[--scripted.allocations];
            return true;
        }
    return false;
}

ENTRY(cuMemAlloc_v2, uint64_t *out, size_t bytes)
{
    ENTER(cuMemAlloc_v2);
    if (bytes == 0)
        return INVALID_VALUE;
    *out = scripted_take(bytes);
    return *out ? OK : OUT_OF_MEMORY;
}

ENTRY(cuMemFree_v2, uint64_t at)
{
    int code = scripted_enter("cuMemFree_v2", true);
    return scripted_give(at) ? code : INVALID_VALUE;
}

bool scripted_is_memory(const unsigned char *at, int64_t bytes)
{
    for (int i = 0; i < scripted.allocations; i++)
        if (at >= scripted.memory[i].at && bytes >= 0 &&
            at + bytes <= scripted.memory[i].at + scripted.memory[i].bytes)
            return true;
    return false;
}

ENTRY(cuMemsetD8Async, uint64_t to, unsigned char value, size_t bytes, const void *stream)
{
    ENTER(cuMemsetD8Async);
    if (stream != &scripted_stream || !scripted_is_memory((unsigned char *)(uintptr_t)to, (int64_t)bytes))
        return INVALID_VALUE;
    memset((void *)(uintptr_t)to, value, bytes);
    return OK;
}

ENTRY(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, const void *stream)
{
    ENTER(cuMemcpyHtoDAsync_v2);
    if (stream != &scripted_stream || !scripted_is_memory((unsigned char *)(uintptr_t)to, (int64_t)bytes))
        return INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return OK;
}

ENTRY(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, const void *stream)
{
    ENTER(cuMemcpyDtoHAsync_v2);
    if (stream != &scripted_stream || !scripted_is_memory((unsigned char *)(uintptr_t)from, (int64_t)bytes))
        return INVALID_VALUE;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return OK;
}
