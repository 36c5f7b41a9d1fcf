/*
 * scripted_launches.c - modules, kernels, launches and graphs of the scripted driver.
 *
 * A stream runs what it is given at once; what a script makes a kernel do wrong happens here.
 */
#include "scripted_internal.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Objects of its symbol table, which the compiler wrote. */
static void find_variables(module *m, const unsigned char *image, const Elf64_Ehdr *head)
{
    Elf64_Shdr s, names;
    Elf64_Sym symbol;
    for (int i = 0; i < head->e_shnum; i++) {
        memcpy(&s, image + head->e_shoff + (size_t)i * sizeof s, sizeof s);
        if (s.sh_type != SHT_SYMTAB)
            continue;
        memcpy(&names, image + head->e_shoff + s.sh_link * sizeof names, sizeof names);
        for (size_t k = 0; k < s.sh_size / sizeof symbol && m->variable_count < MAX_VARIABLES; k++) {
            memcpy(&symbol, image + s.sh_offset + k * sizeof symbol, sizeof symbol);
            if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF)
                continue;
            snprintf(m->variables[m->variable_count].name, MAX_WORD, "%s",
                     (const char *)image + names.sh_offset + symbol.st_name);
            m->variables[m->variable_count++].bytes = symbol.st_size;
        }
    }
}

ENTRY(cuModuleLoadData, module **out, const void *image)
{
    Elf64_Ehdr head;
    ENTER(cuModuleLoadData);
    if (scripted.capture)
        return CAPTURE_FORBIDS;
    if (memcmp(image, ELFMAG, SELFMAG) != 0)
        return INVALID_IMAGE;
    memcpy(&head, image, sizeof head);
    module *m = calloc(1, sizeof *m);
    if (!m)
        return OUT_OF_MEMORY;
    m->hash = hash_bytes(0xcbf29ce484222325ull, image, elf_size(&head));
    find_variables(m, image, &head);
    scripted.modules++;
    *out = m;
    return OK;
}

ENTRY(cuModuleUnload, module *m)
{
    int code = scripted_enter("cuModuleUnload", true);
    for (kernel **at = &scripted.kernels; *at;) {
        kernel *k = *at;
        if (k->module == m) {
            *at = k->next;
            free(k);
        } else {
            at = &k->next;
        }
    }
    for (int i = 0; i < m->variable_count; i++)
        scripted_give(m->variables[i].at);
    free(m);
    scripted.modules--;
    return code;
}

static double monotonic_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Less than a trial may take: it is no hang. */
static void hold(const char *name)
{
    const double until_s = monotonic_s() + 1.5;
    const rule *r = script_find(&scripted.script.hold, name, 0);
    if (!r || !script_happens(r))
        return;
    while (access(r->until, F_OK) != 0 && monotonic_s() < until_s)
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

ENTRY(cuModuleGetFunction, kernel **out, module *m, const char *name)
{
    ENTER(cuModuleGetFunction);
    hold(name);
    int params = host_kernel_params(name);
    kernel *k = params ? calloc(1, sizeof *k) : NULL;
    if (!k)
        return NOT_FOUND;
    snprintf(k->name, sizeof k->name, "%s", name);
    k->params = params;
    k->module = m;
    k->next = scripted.kernels;
    scripted.kernels = k;
    *out = k;
    return OK;
}

ENTRY(cuModuleGetGlobal_v2, uint64_t *at, size_t *bytes, module *m, const char *name)
{
    ENTER(cuModuleGetGlobal_v2);
    for (int i = 0; i < m->variable_count; i++) {
        if (strcmp(m->variables[i].name, name) != 0)
            continue;
        if (!m->variables[i].at)
            m->variables[i].at = scripted_take(m->variables[i].bytes);
        *at = m->variables[i].at;
        *bytes = m->variables[i].bytes;
        return *at ? OK : OUT_OF_MEMORY;
    }
    return NOT_FOUND;
}

const void *host_variable(const char *name)
{
    for (int i = 0; i < scripted.running->variable_count; i++)
        if (strcmp(scripted.running->variables[i].name, name) == 0)
            return (const void *)(uintptr_t)scripted.running->variables[i].at;
    return NULL;
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
    const rule *r = script_find(&scripted.script.time, l->kernel->name, (int)l->threads);
    if (r)
        return r->ns;
    if (strncmp(l->kernel->name, "verify_", 7) == 0)
        return 1000;
    return 10000.0 * (1 + (double)((l->kernel->module->hash ^ l->geometry) % 1000) * 1e-3);
}

static double cost_uj(const launch *l)
{
    const rule *r = l->kernel ? script_find(&scripted.script.energy, l->kernel->name, (int)l->threads) : NULL;
    return r ? r->ns : 0;
}

/* For scripted_nvml.c, which is another library. */
EXPORT double scripted_microjoules(void);
EXPORT double scripted_microjoules(void)
{
    return scripted.microjoules;
}

/* The present fault of this kernel. */
static action misdeed(const launch *l, int *code)
{
    const rule *r = l->kernel ? script_find(&scripted.script.kernel, l->kernel->name, (int)l->threads) : NULL;
    if (!r || !script_happens(r))
        return RIGHT;
    *code = r->code;
    return r->action;
}

static void write_far(const host_buffers *b)
{
    for (int i = 0; i < scripted.allocations; i++)
        if (b->out < scripted.memory[i].at || b->out >= scripted.memory[i].at + scripted.memory[i].bytes)
            scripted.memory[i].at[0] ^= 0x55;
}

static bool is_cheat(const launch *l)
{
    return l->kernel && host_is_cheat(l->kernel->name);
}

static int run(const launch *l)
{
    int code = 0;
    host_buffers b;
    action how = misdeed(l, &code);
    scripted.now_ns +=
        cost_ns(l) * (scripted_l2_finds(l) ? scripted.script.warm : 1) *
        (is_cheat(l) ? host_cheat_share(l->kernel->name, l->params, scripted.script.element) : 1);
    scripted.microjoules += cost_uj(l);
    if (how == REFUSED)
        return code > 0 ? code : INVALID_VALUE;
    if (how == HANG)
        scripted.hangs = true;
    if (how == FAULT)
        scripted.pending = code;
    if (scripted.pending)
        return OK;
    scripted_remember_sight(l);
    scripted.running = l->kernel ? l->kernel->module : NULL;
    if (!l->kernel)
        memmove((void *)(uintptr_t)l->params[0], (void *)(uintptr_t)l->params[1], l->params[2]);
    else if (host_kernel_buffers(&b, l->kernel->name, l->params, scripted.script.element) &&
             (!scripted_is_memory(b.out, b.out_bytes) || !scripted_is_memory(b.in, b.in_bytes)))
        scripted.pending = ILLEGAL_ADDRESS;
    else if (is_cheat(l))
        host_cheat_run(l->kernel->name, l->params, scripted.script.element, l->kernel->module->memory);
    else
        host_kernel_run(l->kernel->name, l->params, scripted.script.element, how);
    if (how == FAR && host_kernel_buffers(&b, l->kernel->name, l->params, scripted.script.element))
        write_far(&b);
    return OK;
}

static int submit(const launch *l)
{
    graph *g = scripted.capture;
    if (!g)
        return run(l);
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
    if (stream != &scripted_stream || !scripted_is_memory((unsigned char *)(uintptr_t)to, (int64_t)bytes) ||
        !scripted_is_memory((unsigned char *)(uintptr_t)from, (int64_t)bytes))
        return INVALID_VALUE;
    return submit(&(launch){ .params = { to, from, bytes } });
}

/* As cuda.h has it. */
typedef struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    const void *stream;
    const struct launch_attribute {
        int id, unused;
        unsigned value[16];
    } * attributes;
    unsigned attribute_count;
} launch_config;

/* On all multiprocessors. */
static int resident_blocks(const unsigned block[3])
{
    enum { SMS = 132, THREADS = 2048 };
    return SMS * (THREADS / (int)(block[0] * block[1] * block[2]));
}

ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const kernel *k, int threads, size_t shared)
{
    ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    *blocks = 2048 / threads;
    return k && shared < (size_t)1 << 20 ? OK : INVALID_VALUE;
}

ENTRY(cuOccupancyMaxActiveClusters, int *clusters, const kernel *k, const launch_config *c)
{
    ENTER(cuOccupancyMaxActiveClusters);
    *clusters = 1;
    return k && c->attribute_count ? OK : INVALID_VALUE;
}

ENTRY(cuLaunchKernel, const kernel *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared_bytes, const void *stream, void **params, void **extra)
{
    const unsigned sizes[] = { gx, gy, gz, bx, by, bz, shared_bytes };
    uint64_t threads = (uint64_t)bx * by * bz;
    int most = 0;
    ENTER(cuLaunchKernel);
    h200_attribute(&most, H200_MAX_THREADS);
    if (!k || extra || stream != &scripted_stream || threads == 0 || threads > (uint64_t)most || gx == 0 ||
        gy == 0 || gz == 0 || gy > 65535 || gz > 65535)
        return INVALID_VALUE;
    launch l = { .kernel = k, .threads = (unsigned)threads };
    l.geometry = hash_bytes(1, sizes, sizeof sizes);
    for (int i = 0; i < k->params; i++)
        memcpy(&l.params[i], params[i], sizeof l.params[i]);
    return submit(&l);
}

/* A cooperative launch is one as any other here, if its blocks are resident at once: one thread runs all. */
ENTRY(cuLaunchKernelEx, const launch_config *c, const kernel *k, void **params, void **extra)
{
    enum { COOPERATIVE = 2 };
    for (unsigned i = 0; i < c->attribute_count; i++)
        if (c->attributes[i].id != COOPERATIVE ||
            c->grid[0] * c->grid[1] * c->grid[2] > (unsigned)resident_blocks(c->block))
            return COOPERATIVE_TOO_LARGE;
    return cuLaunchKernel(k, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                          c->shared_bytes, c->stream, params, extra);
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
    if (stream != &scripted_stream || mode < 0 || scripted.capture)
        return INVALID_VALUE;
    scripted.capture = calloc(1, sizeof *scripted.capture);
    return scripted.capture ? OK : OUT_OF_MEMORY;
}

ENTRY(cuStreamIsCapturing, const void *stream, int *status)
{
    ENTER(cuStreamIsCapturing);
    *status = stream == &scripted_stream && scripted.capture;
    return OK;
}

/* Also ends a capture that it then has nothing to show for. */
ENTRY(cuStreamEndCapture, const void *stream, graph **out)
{
    graph *g = scripted.capture;
    int code = scripted_enter("cuStreamEndCapture", true);
    scripted.capture = NULL;
    if (code == OK && (!g || stream != &scripted_stream))
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

ENTRY(cuGraphLaunch, const graph *g, const void *stream)
{
    int code = OK;
    ENTER(cuGraphLaunch);
    if (stream != &scripted_stream)
        return INVALID_VALUE;
    for (size_t i = 0; i < g->count && code == OK; i++)
        code = run(&g->list[i]);
    return code;
}

ENTRY(cuGraphExecDestroy, graph *g)
{
    int code = scripted_enter("cuGraphExecDestroy", true);
    graph_free(g);
    return code;
}

ENTRY(cuGraphDestroy, graph *g)
{
    int code = scripted_enter("cuGraphDestroy", true);
    graph_free(g);
    return code;
}
