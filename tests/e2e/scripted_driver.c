/*
 * scripted_driver.c - see scripted_driver.h and script.h. Device memory is host memory; a stream runs what it
 * is given at once, on the CPU; time is what the script says it is.
 *
 * As with a real driver, a kernel that faults is not seen before somebody waits, and then every call that
 * needs the context fails with that code, for as long as the process lives.
 *
 * One thread uses it.
 */
#include "scripted_driver.h"

#include "../h200.h"
#include "host_kernels.h"
#include "script.h"

#include <elf.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { MAX_ALLOCATIONS = 4096, MAX_CALLS = 1 << 17, MAX_SIGHTS = 16, CAPTURE_FORBIDS = 900, NOT_FOUND = 500 };

typedef struct module {
    uint64_t hash; /* of its code */
} module;

typedef struct kernel {
    struct kernel *next; /* of all kernels that were looked up */
    const module *module;
    char name[MAX_WORD];
    int params;
} kernel;

typedef struct launch {
    const kernel *kernel; /* NULL: a copy of params[2] bytes from params[1] to params[0] */
    unsigned threads;
    uint64_t geometry; /* a hash */
    uint64_t params[HOST_PARAMS];
} launch;

typedef struct graph {
    launch *list;
    size_t count, cap;
} graph;

typedef struct event {
    double at_ns;
} event;

typedef struct allocation {
    unsigned char *at;
    size_t bytes;
} allocation;

/* Where kernels of one name found their buffers. */
typedef struct sight {
    char name[MAX_WORD];
    long alignments[2];
} sight;

static struct {
    bool started, hangs;
    script script;
    int lost;    /* the code of every call from now on */
    int pending; /* becomes `lost` when somebody waits */
    double now_ns, waited_ns;
    uint64_t random;
    graph *capture; /* NULL: none under way */
    allocation memory[MAX_ALLOCATIONS];
    int allocations, modules;
    kernel *kernels;
    const char *calls[MAX_CALLS];
    long call_count;
    sight sights[MAX_SIGHTS];
} d;

/* ---- every call ---- */

EXPORT void scripted_start(const char *text)
{
    d.started = true;
    d.hangs = false;
    d.lost = d.pending = 0;
    d.call_count = 0;
    d.capture = NULL;
    memset(d.sights, 0, sizeof d.sights);
    script_read(&d.script, text);
}

EXPORT long scripted_calls(const char *name)
{
    long count = 0;
    for (long i = 0; i < d.call_count && i < MAX_CALLS; i++)
        count += !name || strcmp(d.calls[i], name) == 0;
    return count;
}

EXPORT const char *scripted_call(long n)
{
    return n >= 1 && n <= d.call_count && n <= MAX_CALLS ? d.calls[n - 1] : NULL;
}

/* The sight of this name, begun when there is none; NULL: no more room. */
static sight *find_sight(const char *name)
{
    for (int i = 0; i < MAX_SIGHTS; i++) {
        if (!d.sights[i].name[0])
            snprintf(d.sights[i].name, sizeof d.sights[i].name, "%s", name);
        if (strcmp(d.sights[i].name, name) == 0)
            return &d.sights[i];
    }
    return NULL;
}

static const char DRIVERS_COPY[] = "the driver's copy";

EXPORT long scripted_alignments(const char *name, int buffer)
{
    const sight *s = find_sight(name ? name : DRIVERS_COPY);
    return s ? s->alignments[buffer] : 0;
}

static void remember_sight(const launch *l)
{
    if (l->kernel && strncmp(l->kernel->name, "check_", 6) == 0)
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
    for (int i = 0; i < d.allocations; i++)
        bytes += (long)d.memory[i].bytes;
    return bytes;
}

EXPORT long scripted_modules(void)
{
    return d.modules;
}

static void write_log(const char *name)
{
    FILE *file = d.script.log[0] ? fopen(d.script.log, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", name);
    fclose(file);
}

/* The failure that the script wants here; OK: none. */
static int scripted_failure(const char *name)
{
    int code = OK;
    for (int i = 0; i < d.script.fail.count; i++) {
        rule *r = &d.script.fail.list[i];
        if ((strcmp(r->what, "*") == 0 || strcmp(r->what, name) == 0) && ++r->seen == r->at &&
            script_happens(r)) {
            code = r->code;
            if (r->sticky)
                d.lost = code;
        }
    }
    return code;
}

static void nap(double ns)
{
    if (ns >= 1)
        nanosleep(&(struct timespec){ .tv_sec = (time_t)(ns * 1e-9), .tv_nsec = (long)fmod(ns, 1e9) }, NULL);
}

static void dawdle(const char *name)
{
    for (int i = 0; i < d.script.slow.count; i++)
        if (strcmp(d.script.slow.list[i].what, name) == 0 && script_happens(&d.script.slow.list[i]))
            nap(d.script.slow.list[i].ns);
}

static int enter(const char *name, bool of_context)
{
    if (!d.started) {
        d.started = true;
        script_read_file(&d.script);
    }
    if (d.call_count < MAX_CALLS)
        d.calls[d.call_count] = name;
    d.call_count++;
    write_log(name);
    dawdle(name);
    int code = scripted_failure(name);
    return code == OK && of_context ? d.lost : code;
}

#define ENTRY(name, ...)                                                                                     \
    EXPORT int name(__VA_ARGS__);                                                                            \
    EXPORT int name(__VA_ARGS__)

/* First in each entry: of the driver as such, and of the context. */
#define ENTER_DRIVER(name)                                                                                   \
    do {                                                                                                     \
        int code_ = enter(#name, false);                                                                     \
        if (code_ != OK)                                                                                     \
            return code_;                                                                                    \
    } while (0)
#define ENTER(name)                                                                                          \
    do {                                                                                                     \
        int code_ = enter(#name, true);                                                                      \
        if (code_ != OK)                                                                                     \
            return code_;                                                                                    \
    } while (0)

/* Somebody waits for the stream. */
static int settle(void)
{
    if (d.capture)
        return CAPTURE_FORBIDS;
    while (d.hangs)
        pause();
    nap(d.script.pace * (d.now_ns - d.waited_ns));
    d.waited_ns = d.now_ns;
    if (d.pending)
        d.lost = d.pending;
    return d.lost;
}

/* ---- the driver and its devices ---- */

ENTRY(cuInit, unsigned flags)
{
    ENTER_DRIVER(cuInit);
    if (d.script.gone[0] && access(d.script.gone, F_OK) == 0)
        return NO_DEVICE;
    return flags ? INVALID_VALUE : OK;
}

ENTRY(cuDriverGetVersion, int *version)
{
    ENTER_DRIVER(cuDriverGetVersion);
    *version = H200_CUDA;
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

ENTRY(cuDeviceGetCount, int *count)
{
    ENTER_DRIVER(cuDeviceGetCount);
    *count = d.script.counted[0] && unlink(d.script.counted) != 0 ? 0 : d.script.devices;
    return OK;
}

ENTRY(cuDeviceGet, int *device, int ordinal)
{
    ENTER_DRIVER(cuDeviceGet);
    *device = ordinal;
    return ordinal >= 0 && ordinal < d.script.devices ? OK : INVALID_VALUE;
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
    *bytes = (size_t)d.script.memory_bytes;
    return device < 0 ? INVALID_VALUE : OK;
}

ENTRY(cuDeviceGetAttribute, int *value, int which, int device)
{
    ENTER_DRIVER(cuDeviceGetAttribute);
    if (device < 0)
        return INVALID_VALUE;
    if (which != H200_L2)
        return h200_attribute(value, which);
    *value = (int)d.script.l2_bytes;
    return OK;
}

/* ---- contexts, streams, events ---- */

static char the_context, the_stream;

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
    *stream = &the_stream;
    return flags <= 1 ? OK : INVALID_VALUE;
}

ENTRY(cuStreamDestroy_v2, const void *stream)
{
    ENTER(cuStreamDestroy_v2);
    return stream == &the_stream ? OK : INVALID_VALUE;
}

ENTRY(cuStreamSynchronize, const void *stream)
{
    ENTER(cuStreamSynchronize);
    return stream == &the_stream ? settle() : INVALID_VALUE;
}

ENTRY(cuEventCreate, event **out, unsigned flags)
{
    ENTER(cuEventCreate);
    *out = flags ? NULL : calloc(1, sizeof **out);
    return *out ? OK : INVALID_VALUE;
}

/* Frees also in a lost context: what it fails to do then is nobody's leak. */
ENTRY(cuEventDestroy_v2, event *e)
{
    int code = enter("cuEventDestroy_v2", true);
    free(e);
    return code;
}

ENTRY(cuEventRecord, event *e, const void *stream)
{
    ENTER(cuEventRecord);
    e->at_ns = d.now_ns;
    return stream == &the_stream ? OK : INVALID_VALUE;
}

ENTRY(cuEventSynchronize, const event *e)
{
    ENTER(cuEventSynchronize);
    return e ? settle() : INVALID_VALUE;
}

static double next_random(void) /* in [0, 1) */
{
    d.random = d.random * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(d.random >> 11) * 0x1p-53;
}

ENTRY(cuEventElapsedTime, float *ms, const event *start, const event *stop)
{
    ENTER(cuEventElapsedTime);
    const char *what = d.script.times;
    double ns = (stop->at_ns - start->at_ns) * (1 + d.script.noise * next_random());
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
    int64_t left = d.script.free_bytes - scripted_bytes();
    *unused = left > 0 ? (size_t)left : 0;
    *total = (size_t)d.script.memory_bytes;
    return OK;
}

ENTRY(cuMemAlloc_v2, uint64_t *out, size_t bytes)
{
    ENTER(cuMemAlloc_v2);
    if (bytes == 0)
        return INVALID_VALUE;
    void *at = NULL;
    if (scripted_bytes() + (long)bytes > d.script.free_bytes || d.allocations == MAX_ALLOCATIONS ||
        posix_memalign(&at, 512, bytes) != 0)
        return OUT_OF_MEMORY;
    d.memory[d.allocations++] = (allocation){ at, bytes };
    *out = (uintptr_t)at;
    return OK;
}

ENTRY(cuMemFree_v2, uint64_t at)
{
    int code = enter("cuMemFree_v2", true);
    for (int i = 0; i < d.allocations; i++)
        if (d.memory[i].at == (unsigned char *)(uintptr_t)at) {
            free(d.memory[i].at);
            d.memory[i] = d.memory[--d.allocations];
            return code;
        }
    return INVALID_VALUE;
}

static bool is_memory(const unsigned char *at, int64_t bytes)
{
    for (int i = 0; i < d.allocations; i++)
        if (at >= d.memory[i].at && bytes >= 0 && at + bytes <= d.memory[i].at + d.memory[i].bytes)
            return true;
    return false;
}

ENTRY(cuMemsetD8Async, uint64_t to, unsigned char value, size_t bytes, const void *stream)
{
    ENTER(cuMemsetD8Async);
    if (stream != &the_stream || !is_memory((unsigned char *)(uintptr_t)to, (int64_t)bytes))
        return INVALID_VALUE;
    memset((void *)(uintptr_t)to, value, bytes);
    return OK;
}

ENTRY(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, const void *stream)
{
    ENTER(cuMemcpyDtoHAsync_v2);
    if (stream != &the_stream || !is_memory((unsigned char *)(uintptr_t)from, (int64_t)bytes))
        return INVALID_VALUE;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return OK;
}

/* ---- modules ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ull;
    return hash;
}

/* The size of an ELF file, from its head: a driver is not told how long its image is. */
static size_t elf_size(const Elf64_Ehdr *head)
{
    size_t sections = head->e_shoff + (size_t)head->e_shentsize * head->e_shnum;
    size_t segments = head->e_phoff + (size_t)head->e_phentsize * head->e_phnum;
    return sections > segments ? sections : segments;
}

ENTRY(cuModuleLoadData, module **out, const void *image)
{
    Elf64_Ehdr head;
    ENTER(cuModuleLoadData);
    if (d.capture)
        return CAPTURE_FORBIDS;
    if (memcmp(image, ELFMAG, SELFMAG) != 0)
        return INVALID_IMAGE;
    memcpy(&head, image, sizeof head);
    module *m = calloc(1, sizeof *m);
    if (!m)
        return OUT_OF_MEMORY;
    m->hash = hash_bytes(0xcbf29ce484222325ull, image, elf_size(&head));
    d.modules++;
    *out = m;
    return OK;
}

ENTRY(cuModuleUnload, module *m)
{
    int code = enter("cuModuleUnload", true);
    for (kernel **at = &d.kernels; *at;) {
        kernel *k = *at;
        if (k->module == m) {
            *at = k->next;
            free(k);
        } else {
            at = &k->next;
        }
    }
    free(m);
    d.modules--;
    return code;
}

ENTRY(cuModuleGetFunction, kernel **out, const module *m, const char *name)
{
    ENTER(cuModuleGetFunction);
    int params = host_kernel_params(name);
    kernel *k = params ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return NOT_FOUND;
    snprintf(k->name, sizeof k->name, "%s", name);
    k->params = params;
    k->module = m;
    k->next = d.kernels;
    d.kernels = k;
    *out = k;
    return OK;
}

ENTRY(cuFuncGetAttribute, int *value, int which, const kernel *k)
{
    enum { REGISTERS = 4 };
    ENTER(cuFuncGetAttribute);
    *value = which == REGISTERS ? 16 + (int)(k->module->hash % 16) : 0;
    return OK;
}

ENTRY(cuFuncSetAttribute, const kernel *k, int which, int value)
{
    int most = 0;
    ENTER(cuFuncSetAttribute);
    h200_attribute(&most, H200_MAX_SHARED);
    return k && which >= 0 && value >= 0 && value <= most ? OK : INVALID_VALUE;
}

/* ---- launches ---- */

static double cost_ns(const launch *l)
{
    if (!l->kernel)
        return 500 + (double)l->params[2] / 1000; /* 1 TB/s */
    const rule *r = script_find(&d.script.time, l->kernel->name, (int)l->threads);
    if (r)
        return r->ns;
    if (strncmp(l->kernel->name, "check_", 6) == 0)
        return 1000;
    return 10000.0 * (1 + (double)((l->kernel->module->hash ^ l->geometry) % 1000) * 1e-3);
}

/* What this kernel does wrong now. */
static action misdeed(const launch *l, int *code)
{
    const rule *r = l->kernel ? script_find(&d.script.kernel, l->kernel->name, (int)l->threads) : NULL;
    if (!r || !script_happens(r))
        return RIGHT;
    *code = r->code;
    return r->action;
}

static void write_far(const host_buffers *b)
{
    for (int i = 0; i < d.allocations; i++)
        if (b->out < d.memory[i].at || b->out >= d.memory[i].at + d.memory[i].bytes)
            d.memory[i].at[0] ^= 0x55;
}

static int run(const launch *l, bool compute)
{
    int code = 0;
    host_buffers b;
    action how = misdeed(l, &code);
    d.now_ns += cost_ns(l);
    if (how == REFUSED)
        return code > 0 ? code : INVALID_VALUE;
    if (how == HANG)
        d.hangs = true;
    if (how == FAULT)
        d.pending = code;
    if (d.pending || !compute)
        return OK;
    remember_sight(l);
    if (!l->kernel)
        memmove((void *)(uintptr_t)l->params[0], (void *)(uintptr_t)l->params[1], l->params[2]);
    else if (host_kernel_buffers(&b, l->kernel->name, l->params, d.script.element) &&
             (!is_memory(b.out, b.out_bytes) || !is_memory(b.in, b.in_bytes)))
        d.pending = ILLEGAL_ADDRESS;
    else
        host_kernel_run(l->kernel->name, l->params, d.script.element, how);
    if (how == FAR && host_kernel_buffers(&b, l->kernel->name, l->params, d.script.element))
        write_far(&b);
    return OK;
}

static int submit(const launch *l)
{
    graph *g = d.capture;
    if (!g)
        return run(l, true);
    if (g->count == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 64;
        launch *list = realloc(g->list, cap * sizeof *list);
        if (!list)
            return OUT_OF_MEMORY;
        g->list = list;
        g->cap = cap;
    }
    g->list[g->count++] = *l;
    return OK;
}

ENTRY(cuMemcpyDtoDAsync_v2, uint64_t to, uint64_t from, size_t bytes, const void *stream)
{
    ENTER(cuMemcpyDtoDAsync_v2);
    if (stream != &the_stream || !is_memory((unsigned char *)(uintptr_t)to, (int64_t)bytes) ||
        !is_memory((unsigned char *)(uintptr_t)from, (int64_t)bytes))
        return INVALID_VALUE;
    return submit(&(launch){ .params = { to, from, bytes } });
}

ENTRY(cuLaunchKernel, const kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared_bytes, const void *stream, void **params, void **extra)
{
    const unsigned sizes[] = { gx, gy, gz, bx, by, bz, shared_bytes };
    uint64_t threads = (uint64_t)bx * by * bz;
    int most = 0;
    ENTER(cuLaunchKernel);
    h200_attribute(&most, H200_MAX_THREADS);
    if (!k || extra || stream != &the_stream || threads == 0 || threads > (uint64_t)most || gx == 0 ||
        gy == 0 || gz == 0 || gy > 65535 || gz > 65535)
        return INVALID_VALUE;
    launch l = { .kernel = k, .threads = (unsigned)threads };
    l.geometry = hash_bytes(1, sizes, sizeof sizes);
    for (int i = 0; i < k->params; i++)
        memcpy(&l.params[i], params[i], sizeof l.params[i]);
    return submit(&l);
}

/* ---- graphs ---- */

static void graph_free(graph *g)
{
    if (g)
        free(g->list);
    free(g);
}

ENTRY(cuStreamBeginCapture_v2, const void *stream, int mode)
{
    ENTER(cuStreamBeginCapture_v2);
    if (stream != &the_stream || mode < 0 || d.capture)
        return INVALID_VALUE;
    d.capture = calloc(1, sizeof *d.capture);
    return d.capture ? OK : OUT_OF_MEMORY;
}

/* Also ends a capture that it then has nothing to show for. */
ENTRY(cuStreamEndCapture, const void *stream, graph **out)
{
    graph *g = d.capture;
    int code = enter("cuStreamEndCapture", true);
    d.capture = NULL;
    if (code == OK && (!g || stream != &the_stream))
        code = INVALID_VALUE;
    if (code == OK)
        *out = g;
    else
        graph_free(g);
    return code;
}

ENTRY(cuGraphInstantiateWithFlags, graph **out, const graph *from, uint64_t flags)
{
    ENTER(cuGraphInstantiateWithFlags);
    graph *g = flags ? NULL : calloc(1, sizeof *g);
    if (!g)
        return INVALID_VALUE;
    g->list = malloc((from->count + 1) * sizeof *g->list);
    g->count = g->list ? from->count : 0;
    if (g->count)
        memcpy(g->list, from->list, from->count * sizeof *g->list);
    *out = g;
    return OK;
}

/* The launches of a graph all do the same to buffers of their own: the first two stand for them. */
ENTRY(cuGraphLaunch, const graph *g, const void *stream)
{
    enum { COMPUTED = 2 };
    int code = OK;
    ENTER(cuGraphLaunch);
    if (stream != &the_stream)
        return INVALID_VALUE;
    for (size_t i = 0; i < g->count && code == OK; i++)
        code = run(&g->list[i], i < COMPUTED);
    return code;
}

ENTRY(cuGraphExecDestroy, graph *g)
{
    int code = enter("cuGraphExecDestroy", true);
    graph_free(g);
    return code;
}

ENTRY(cuGraphDestroy, graph *g)
{
    int code = enter("cuGraphDestroy", true);
    graph_free(g);
    return code;
}
