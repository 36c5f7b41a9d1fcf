/*
 * ask_sources.c - kernels as other people write them, on the machine and on a GPU:
 *
 *     build/tests/machine/ask_sources [--device] FILE.cu...
 *
 * A file has two kernels that take (unsigned *out, const unsigned *in): `k` uses what the file is about,
 * `expected` computes the same with plain loops; neither has a flaw that the inspector finds. Its first line
 * tells the launch: "// grid 2 block 64 [cluster 2] [shared 1024] [ulps 2]"; with `ulps` words are f32 that
 * may be so far apart, else they are equal. `in` are 4096 words of any bits. With --device both run on a GPU
 * too, and what `k` gives there is what it gives here.
 *
 * Exit code 0: all are the same; 1: they are not; 77: no NVRTC; 3: no GPU.
 */
#include "compile/nvrtc.h"
#include "declare/data.h"
#include "machine/inspect.h"
#include "runner/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, BYTES = 4 * WORDS };

/* A file's launch. */
typedef struct shape {
    int grid, block, shared, ulps;
} shape;

/* A file, compiled. */
typedef struct kernel {
    const char *path;
    shape shape;
    atx_str ptx, cubin;
} kernel;

typedef struct words {
    uint32_t at[WORDS];
} words;

static bool read_shape(shape *s, const char *text)
{
    char line[200], *rest = line, *word;
    int *const places[] = { &s->grid, &s->block, &s->shared, &s->ulps };
    static const char *const NAMES[] = { "grid", "block", "shared", "ulps" };
    *s = (shape){ .grid = 1, .block = 32 };
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, ":\n"), text);
    while ((word = strtok_r(rest, " /", &rest)))
        for (int k = 0; k < 4; k++)
            if (strcmp(word, NAMES[k]) == 0)
                *places[k] = atoi(rest);
    return strncmp(text, "// grid", 7) == 0;
}

static bool read_file(atx_str *to, const char *path)
{
    char part[4096];
    size_t got;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while ((got = fread(part, 1, sizeof part - 1, file)) > 0) {
        part[got] = '\0';
        atx_str_add(to, part);
    }
    fclose(file);
    return true;
}

static void fill(words *in)
{
    for (int i = 0; i < WORDS; i++)
        in->at[i] = (uint32_t)atx_random(5, (atx_u64)i);
}

/* ---- here ---- */

/* Reads of what nobody wrote may be of no use: the output tells. */
static at_status take_flaws(const atx_inspector *inspector, at_error *err)
{
    const atx_flaws *flaws = atx_inspector_flaws(inspector);
    for (int i = 0; i < flaws->count; i++)
        if (!flaws->items[i].may_not_matter)
            return atx_fail(err, AT_ERR_INPUT, "line %d: %s", (int)flaws->items[i].line,
                            flaws->items[i].what);
    return AT_OK;
}

static at_status on_machine(words *out, const atx_ptx_module *module, const shape *s, const char *name,
                            at_error *err)
{
    static words zero, in;
    const atx_machine_buffer buffers[2] = {
        { "out", BYTES, 256, ATX_REGION_OUTPUT | ATX_REGION_INITIALISED, &zero },
        { "in", BYTES, 256, ATX_REGION_INITIALISED | ATX_REGION_READ_ONLY, &in }
    };
    atx_machine *machine = NULL;
    atx_machine_result result = { 0 };
    atx_inspector *inspector = NULL;
    uint64_t arguments[2] = { 0 };
    int region[2] = { 0 };
    fill(&in);
    at_status status = atx_machine_open(&machine, module, err);
    for (int i = 0; i < 2 && status == AT_OK; i++) {
        status = atx_machine_add_buffer(&region[i], machine, &buffers[i], err);
        if (status == AT_OK)
            arguments[i] = atx_machine_region_at(machine, region[i])->address;
    }
    atx_machine_launch launch = { .function = atx_ptx_find_entry(module, name),
                                  .grid = { (uint32_t)s->grid, 1, 1 },
                                  .block = { (uint32_t)s->block, 1, 1 },
                                  .shared_bytes = s->shared,
                                  .arguments = arguments,
                                  .argument_bytes = sizeof arguments };
    if (status == AT_OK)
        status = atx_inspector_open(&inspector, module, machine, err);
    launch.watch = inspector ? atx_inspector_watch(inspector, &launch) : NULL;
    if (status == AT_OK)
        status = atx_machine_run(&result, machine, &launch, err);
    if (status == AT_OK && result.finding.kind != ATX_FINDING_NONE)
        status = atx_fail(err, AT_ERR_INPUT, "line %d: %s", (int)result.finding.line, result.finding.text);
    if (status == AT_OK)
        status = take_flaws(inspector, err);
    if (status == AT_OK)
        memcpy(out, atx_machine_region_at(machine, region[0])->data, sizeof *out);
    atx_inspector_close(inspector);
    atx_machine_close(machine);
    return status;
}

/* ---- there ---- */

static at_status on_device(words *out, atx_gpu *gpu, const kernel *k, const char *name, at_error *err)
{
    static words in;
    atx_module *module = NULL;
    atx_ptr at[2] = { 0 };
    void *params[2] = { &at[0], &at[1] };
    const shape *s = &k->shape;
    const atx_geometry g = { .grid = { s->grid, 1, 1 },
                             .block = { s->block, 1, 1 },
                             .shared_bytes = s->shared };
    fill(&in);
    at_status status = atx_gpu_load(&module, gpu, k->cubin.data, name, &g, err);
    for (int i = 0; i < 2 && status == AT_OK; i++)
        status = atx_gpu_alloc(&at[i], gpu, BYTES, err);
    if (status == AT_OK)
        status = atx_gpu_zero(gpu, at[0], BYTES, err);
    if (status == AT_OK)
        status = atx_gpu_write(gpu, at[1], &in, BYTES, err);
    if (status == AT_OK)
        status = atx_gpu_launch(gpu, module, &g, params, err);
    if (status == AT_OK)
        status = atx_gpu_read(gpu, out, at[0], BYTES, err);
    for (int i = 0; i < 2; i++)
        atx_gpu_free(gpu, at[i]);
    atx_gpu_unload(gpu, module);
    return status;
}

/* ---- comparing ---- */

/* Places of f32 in their order. */
static int64_t place_of(uint32_t bits)
{
    return bits & 0x80000000 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static double apart(uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    return a == b || (isnan(x) && isnan(y)) ? 0 : fabs((double)(place_of(a) - place_of(b)));
}

static bool same(const words *got, const words *wanted, const kernel *k, const char *what)
{
    const int ulps = k->shape.ulps;
    int64_t different = 0, first = -1;
    double most = 0;
    for (int i = 0; i < WORDS; i++) {
        const double by = ulps ? apart(got->at[i], wanted->at[i]) : got->at[i] != wanted->at[i];
        most = by > most ? by : most;
        if (by > ulps && different++ == 0)
            first = i;
    }
    if (different)
        printf("DIFFERENT %s: %s: %lld words, the first %lld: 0x%08x, not 0x%08x; at most %g apart\n",
               k->path, what, (long long)different, (long long)first, got->at[first], wanted->at[first],
               most);
    else
        printf("same %s: %s%s\n", k->path, what, most > 0 ? ", nearly" : "");
    return different == 0;
}

/* ---- a file ---- */

static bool refused(const char *path, const char *what, const at_error *err)
{
    printf("REFUSED %s: %s: %s\n", path, what, err->text);
    return false;
}

static bool ask_device(const kernel *k, const words *here, atx_gpu *gpu)
{
    static words got, plain;
    at_error err = { 0 };
    if (on_device(&got, gpu, k, "k", &err) != AT_OK)
        return refused(k->path, "k on the device", &err);
    if (on_device(&plain, gpu, k, "expected", &err) != AT_OK)
        return refused(k->path, "expected on the device", &err);
    const bool good = same(&got, &plain, k, "k on the device, and plainly");
    return same(here, &got, k, "the machine, and the device") && good;
}

static bool ask(const kernel *k, atx_gpu *gpu)
{
    static words got, plain, zero;
    at_error err = { 0 };
    atx_ptx_module *module = NULL;
    if (atx_ptx_parse(&module, k->ptx.data, k->ptx.len, &err) != AT_OK)
        return refused(k->path, "PTX", &err);
    bool good = on_machine(&got, module, &k->shape, "k", &err) == AT_OK || refused(k->path, "k", &err);
    good = good && (on_machine(&plain, module, &k->shape, "expected", &err) == AT_OK ||
                    refused(k->path, "expected", &err));
    good = good && same(&got, &plain, k, "the machine, and plainly");
    if (good && memcmp(&got, &zero, sizeof got) == 0) {
        printf("EMPTY %s: all of its output is 0\n", k->path);
        good = false;
    }
    if (gpu)
        good = ask_device(k, &got, gpu) && good;
    atx_ptx_close(module);
    return good;
}

/* *headers: those that it includes are there. */
static bool compile(bool *headers, atx_str *code, const atx_nvrtc_source *what, atx_nvrtc *nvrtc)
{
    atx_str log = { 0 };
    atx_resources unused;
    at_error err = { 0 };
    bool ok = false;
    if (atx_nvrtc_compile(nvrtc, &ok, code, &log, &unused, what, &err) != AT_OK)
        refused(what->name, "NVRTC", &err);
    *headers = ok || !strstr(atx_str_text(&log), "cannot open source file");
    if (!*headers)
        printf("skipped %s: CUDA's headers are not installed\n", what->name);
    else if (!ok)
        printf("REFUSED %s: %s\n", what->name, atx_str_text(&log));
    atx_str_clear(&log);
    return ok;
}

static bool compile_and_ask(const char *path, atx_nvrtc *nvrtc, atx_gpu *gpu)
{
    atx_str text = { 0 };
    kernel k = { .path = path };
    bool good = false, headers = true;
    if (!read_file(&text, path) || !read_shape(&k.shape, atx_str_text(&text)))
        printf("UNREADABLE %s: its first line tells no launch\n", path);
    else {
        atx_nvrtc_source what = { atx_str_text(&text), path, 90, ATX_LINED_PTX };
        good = compile(&headers, &k.ptx, &what, nvrtc);
        what.kind = ATX_CUBIN;
        good = good && (!gpu || compile(&headers, &k.cubin, &what, nvrtc)) && ask(&k, gpu);
    }
    fflush(stdout);
    atx_str_clear(&text);
    atx_str_clear(&k.ptx);
    atx_str_clear(&k.cubin);
    return good || !headers;
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    atx_nvrtc *nvrtc = NULL;
    atx_gpu *gpu = NULL;
    int wrong = 0;
    const bool device = argc > 1 && strcmp(argv[1], "--device") == 0;
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    if (device && atx_gpu_open(&gpu, 0, &err) != AT_OK) {
        printf("skipped: %s\n", err.text);
        atx_nvrtc_close(nvrtc);
        return 3;
    }
    for (int i = device ? 2 : 1; i < argc; i++)
        wrong += !compile_and_ask(argv[i], nvrtc, gpu);
    printf("%d files, %d not as they must be\n", argc - 1 - device, wrong);
    atx_gpu_close(gpu);
    atx_nvrtc_close(nvrtc);
    return wrong ? 1 : 0;
}
