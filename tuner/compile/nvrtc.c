/*
 * nvrtc.c - compiles with an NVRTC that nvrtc_open.c has found.
 *
 * A compilation that complains about an option is tried again without it, and the option is not
 * passed again: what versions accept is found out, not listed.
 */
#include "compile/nvrtc_internal.h"

#include "compile/ahead.h"
#include "compile/includes.h"
#include "lang/arch.h"
#include "lang/render_pragmas.h"
#include "source/folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_SINCE   1208
#define HURRIES_SINCE 1300
#define MOST_HEAP     ((size_t)512 << 20) /* bytes; ahead.c sees to so much room on the disk */

/*
 * Options that change no code, and that a version may refuse: 11.8 to 12.8 know no --no-cache. What is
 * refused is not tried again. `--minimal` leaves textures and the runtime's names out of what NVRTC reads
 * before each text: 5 ms of 20 to 100.
 */
static const char *const OPTIONAL[ATX_OPTIONAL_COUNT] = {
    [ATX_VERBOSE] = "--ptxas-options=-v",
    [ATX_NO_CACHE] = "--no-cache",
    [ATX_KEEP_STACK_LIMIT] = "--modify-stack-limit=false",
    [ATX_MINIMAL] = "--minimal",
};

/* ---- facts ---- */

const char *atx_nvrtc_version(const atx_nvrtc *nvrtc)
{
    return nvrtc->version;
}

const char *atx_nvrtc_path(const atx_nvrtc *nvrtc)
{
    return nvrtc->path;
}

int atx_nvrtc_nearest(const atx_nvrtc *nvrtc, int cc)
{
    int best = 0;
    for (int i = 0; i < nvrtc->arch_count; i++)
        if (nvrtc->archs[i] <= cc && nvrtc->archs[i] > best)
            best = nvrtc->archs[i];
    return best;
}

void atx_nvrtc_compile_ahead(atx_nvrtc *nvrtc, const char *folder)
{
    bool can = nvrtc->version_number >= AHEAD_SINCE && strlen(folder) < sizeof nvrtc->ahead;
    snprintf(nvrtc->ahead, sizeof nvrtc->ahead, "%s", can ? folder : "");
}

at_status atx_nvrtc_use_headers(atx_nvrtc *nvrtc, const char *folders, at_error *err)
{
    atx_headers *headers = NULL;
    at_status status = AT_OK;
    if (strcmp(folders, atx_headers_text(nvrtc->own)) == 0)
        return AT_OK;
    if ((status = atx_headers_open(&headers, folders, err)) != AT_OK)
        return status;
    atx_headers_close(nvrtc->own);
    nvrtc->own = headers;
    return AT_OK;
}

void atx_nvrtc_know_headers(atx_nvrtc *nvrtc, const char *list)
{
    atx_headers_know(nvrtc->own, list);
}

bool atx_nvrtc_supports(const atx_nvrtc *nvrtc, int cc)
{
    return cc > 0 && atx_nvrtc_nearest(nvrtc, cc) == cc;
}

void atx_nvrtc_hurry(atx_nvrtc *nvrtc, bool hurry)
{
    nvrtc->hurries = hurry && nvrtc->version_number >= HURRIES_SINCE;
}

/* The options that the code depends on. */
static void code_options(char arch[40], const char **standard, int cc, char variant, atx_code kind)
{
    snprintf(arch, 40, "--gpu-architecture=%s_%d%.1s", kind == ATX_CUBIN ? "sm" : "compute", cc, &variant);
    *standard = "--std=c++17";
}

void atx_nvrtc_key(atx_str *out, const atx_nvrtc *nvrtc, int cc, atx_code kind)
{
    char arch[40];
    const char *standard;
    code_options(arch, &standard, cc, 0, kind); /* the source has its variant */
    atx_str_addf(out, "nvrtc %s %s %s", nvrtc->version, arch, standard);
}

/* ---- the log ---- */

static at_status read_log(atx_nvrtc *nvrtc, nvrtcProgram program, atx_str *log, atx_resources *resources,
                          at_error *err)
{
    size_t size = 0;
    nvrtcResult result = nvrtc->call.nvrtcGetProgramLogSize(program, &size);
    if (result != NVRTC_SUCCESS)
        return atx_fail(err, AT_ERR_DEVICE, "NVRTC gave no log: %s", nvrtc->call.nvrtcGetErrorString(result));
    ATX_FREED char *raw = calloc(size + 1, 1);
    if (!raw)
        return atx_no_memory(err);
    nvrtc->call.nvrtcGetProgramLog(program, raw);
    atx_nvrtc_errors_first(raw);
    atx_nvrtc_digest(raw, log, resources);
    return atx_str_status(log, err);
}

/* ---- compiling ---- */

/*
 * After a complaint about an option: drops the optional ones it names, or all, unless it may be about one of
 * the source's own. false: there was none left.
 */
static bool refuse_options(atx_nvrtc *nvrtc, const char *log, bool others)
{
    bool any = false, named = false;
    for (int i = 0; i < ATX_OPTIONAL_COUNT; i++)
        named = named || (!nvrtc->refused[i] && strstr(log, OPTIONAL[i]));
    for (int i = 0; i < ATX_OPTIONAL_COUNT; i++)
        if (!nvrtc->refused[i] && ((!named && !others) || strstr(log, OPTIONAL[i])))
            any = nvrtc->refused[i] = true;
    return any;
}

/* What one compilation is made of. */
typedef struct job {
    nvrtcProgram program;
    const atx_nvrtc_source *source;
    const atx_pragmas *pragmas; /* what the source itself asks for */
    bool ahead;                 /* it begins with headers that are compiled ahead */
    bool tried;                 /* that was tried, and failed */
    bool minimal;               /* it may do without textures */
    char variant;               /* of the architecture; 0: none */
} job;

static bool is_standard(const char *option)
{
    option += strspn(option, "-");
    return strncmp(option, "std=", 4) == 0;
}

/* The user's come before CUDA's, as with nvcc -I, and only for a text that has noted them. How many; -1: no
 * memory. */
static int search_folders(char *out[ATX_MAX_FOLDERS + ATX_CUDA_FOLDERS], const atx_nvrtc *nvrtc, const job *j)
{
    int own = j->pragmas->headers ? atx_headers_count(nvrtc->own) : 0, count = own;
    while (count < own + ATX_CUDA_FOLDERS && nvrtc->cuda[count - own])
        count++;
    for (int i = 0; i < count; i++) {
        atx_str option = { 0 };
        atx_str_addf(&option, "--include-path=%s",
                     i < own ? atx_headers_folder(nvrtc->own, i) : nvrtc->cuda[i - own]);
        out[i] = option.data;
        if (option.failed) {
            for (int k = 0; k <= i; k++)
                free(out[k]);
            return -1;
        }
    }
    return count;
}

static nvrtcResult compile_once(const atx_nvrtc *nvrtc, const job *j, bool verbose)
{
    const char *options[8 + ATX_OPTIONAL_COUNT + ATX_MAX_OPTIONS + ATX_MAX_FOLDERS + ATX_CUDA_FOLDERS];
    char *folders[ATX_MAX_FOLDERS + ATX_CUDA_FOLDERS];
    char ahead[sizeof nvrtc->ahead + 20], arch[40];
    int count = 2;

    code_options(arch, &options[1], j->source->cc, j->variant, j->source->kind);
    options[0] = arch;
    const int folder_count = search_folders(folders, nvrtc, j);
    for (int i = 0; i < folder_count; i++)
        options[count++] = folders[i];
    if (j->source->kind == ATX_LINED_PTX)
        options[count++] = "--generate-line-info";
    if (nvrtc->hurries && j->source->kind != ATX_CUBIN)
        options[count++] = "--Ofast-compile=max";
    snprintf(ahead, sizeof ahead, "--pch-dir=%s", nvrtc->ahead);
    if (j->ahead) {
        options[count++] = "--pch";
        options[count++] = "--pch-messages=false";
        options[count++] =
            "--diag-suppress=20283,639"; /* that what follows is not, or the heap is too small */
        options[count++] = ahead;
    }
    for (int i = 0; i < ATX_OPTIONAL_COUNT; i++)
        if (!nvrtc->refused[i] && (verbose || i != ATX_VERBOSE) && (j->minimal || i != ATX_MINIMAL))
            options[count++] = OPTIONAL[i];
    for (int i = 0; i < j->pragmas->option_count; i++)
        options[is_standard(j->pragmas->options[i]) ? 1 : count++] = j->pragmas->options[i];
    nvrtcResult result = folder_count < 0 ? NVRTC_ERROR_OUT_OF_MEMORY
                                          : nvrtc->call.nvrtcCompileProgram(j->program, count, options);
    for (int i = 0; i < folder_count; i++)
        free(folders[i]);
    return result;
}

/* Compiles, without the options that this NVRTC turns out not to know. */
static at_status compile_so(atx_nvrtc *nvrtc, const job *j, nvrtcResult *result, atx_str *log,
                            atx_resources *resources, at_error *err)
{
    at_status status;
    do {
        *result = compile_once(nvrtc, j, true);
        atx_str_reset(log);
        status = read_log(nvrtc, j->program, log, resources, err);
    } while (status == AT_OK && *result == NVRTC_ERROR_INVALID_OPTION &&
             refuse_options(nvrtc, atx_str_text(log), j->pragmas->option_count > 0));
    /* "uses too much shared data" is not in the log when ptxas was told to be verbose (11.8 to 13.5). */
    if (status == AT_OK && *result == NVRTC_ERROR_COMPILATION && log->len == 0) {
        atx_resources none = ATX_RESOURCES_UNKNOWN;
        *result = compile_once(nvrtc, j, false);
        status = read_log(nvrtc, j->program, log, &none, err);
    }
    return status;
}

/* The log of a plain architecture complains of what its variant has? */
static bool wants_variant(const job *j, const char *log)
{
    char target[40];
    snprintf(target, sizeof target, "not supported on .target 'sm_%d'", j->source->cc);
    return j->source->kind == ATX_CUBIN && !j->variant &&
           atx_arch_variant(ATX_TARGET_SPECIFIC, j->source->cc) && strstr(log, target);
}

/* Does it look as if the text names nothing that --minimal leaves out? A text that does is compiled twice:
 * CUB and Thrust would take a second more, and the other configurations of its template do, too. */
static bool may_be_minimal(const atx_nvrtc *nvrtc, const job *j, const char *text)
{
    return !j->pragmas->headers && strcmp(nvrtc->whole, j->source->name) != 0 && !strstr(text, "cub/") &&
           !strstr(text, "thrust/");
}

/* What NVRTC says of a name that it does not have: identifier "x" is undefined, the global scope has no "x";
 * of struct x: incomplete type "x"; of a base: not a class or struct name. */
static bool lacks_name(const char *log)
{
    return strstr(log, "\" is undefined") || strstr(log, " has no \"") || strstr(log, "incomplete type \"") ||
           strstr(log, "not a class or struct name");
}

/* --minimal leaves out names, and changes nothing else: only an error about a name may be due to it. Its
 * template is compiled without from then on, also if it was the text's own: the next may have it, too. */
static at_status compile_minimal(atx_nvrtc *nvrtc, job *j, nvrtcResult *result, atx_str *log,
                                 atx_resources *resources, at_error *err)
{
    at_status status = compile_so(nvrtc, j, result, log, resources, err);
    if (status != AT_OK || *result == NVRTC_SUCCESS || !j->minimal || !lacks_name(atx_str_text(log)))
        return status;
    j->minimal = false;
    snprintf(nvrtc->whole, sizeof nvrtc->whole, "%s", j->source->name);
    return compile_so(nvrtc, j, result, log, resources, err);
}

/* What no word of the text told may be within headers: instructions of one architecture alone. */
static at_status compile_program(atx_nvrtc *nvrtc, job *j, nvrtcResult *result, atx_str *log,
                                 atx_resources *resources, at_error *err)
{
    at_status status = compile_minimal(nvrtc, j, result, log, resources, err);
    if (status != AT_OK || *result == NVRTC_SUCCESS || !wants_variant(j, atx_str_text(log)))
        return status;
    j->variant = atx_arch_variant(ATX_TARGET_SPECIFIC, j->source->cc);
    return compile_so(nvrtc, j, result, log, resources, err);
}

static at_status read_code(atx_nvrtc *nvrtc, nvrtcProgram program, atx_str *code, atx_code kind,
                           at_error *err)
{
    size_t size = 0;
    nvrtcResult result = kind == ATX_CUBIN ? nvrtc->call.nvrtcGetCUBINSize(program, &size)
                                           : nvrtc->call.nvrtcGetPTXSize(program, &size);
    if (result != NVRTC_SUCCESS || size == 0)
        return atx_fail(err, AT_ERR_DEVICE, "NVRTC gave no code: %s",
                        nvrtc->call.nvrtcGetErrorString(result));
    ATX_FREED char *bytes = malloc(size);
    if (!bytes)
        return atx_no_memory(err);
    result = kind == ATX_CUBIN ? nvrtc->call.nvrtcGetCUBIN(program, bytes)
                               : nvrtc->call.nvrtcGetPTX(program, bytes);
    atx_str_reset(code);
    atx_str_add_bytes(code, bytes, kind == ATX_CUBIN ? size : size - 1); /* PTX counts its final zero */
    if (result != NVRTC_SUCCESS)
        return atx_fail(err, AT_ERR_DEVICE, "NVRTC gave no code: %s",
                        nvrtc->call.nvrtcGetErrorString(result));
    return atx_str_status(code, err);
}

/* Whether a result speaks of the source (it is refused) or of NVRTC itself. */
static bool blames_source(nvrtcResult result)
{
    return result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_OUT_OF_MEMORY ||
           result == NVRTC_ERROR_INTERNAL_ERROR;
}

static at_status unknown_arch(const atx_nvrtc *nvrtc, int cc, at_error *err)
{
    ATX_LOCAL(atx_str) list = { 0 };
    for (int i = 0; i < nvrtc->arch_count; i++)
        atx_str_addf(&list, " %d", nvrtc->archs[i]);
    atx_fail(err, AT_ERR_DEVICE, "NVRTC %s (%s) does not compile for compute capability %d; it knows%s",
             nvrtc->version, nvrtc->path, cc, atx_str_text(&list));
    return AT_ERR_DEVICE;
}

/* The program with the names that its source asks for. */
static nvrtcResult create(const atx_nvrtc *nvrtc, job *j, const char *text)
{
    nvrtcResult result = nvrtc->call.nvrtcCreateProgram(&j->program, text, j->source->name, 0, NULL, NULL);
    for (int i = 0; i < j->pragmas->kernel_count && result == NVRTC_SUCCESS; i++)
        result = nvrtc->call.nvrtcAddNameExpression(j->program, j->pragmas->kernels[i]);
    return result;
}

/* An option of the source's own that this NVRTC does not know is the source's fault. */
static bool refuses_source(nvrtcResult result, const job *j)
{
    return blames_source(result) || (result == NVRTC_ERROR_INVALID_OPTION && j->pragmas->option_count) ||
           result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/*
 * Precompiled headers are made in a heap of 256 MB, which CUTLASS's are too large for: the next kernel has
 * one that they fit in.
 */
static void grow_heap(const atx_nvrtc *nvrtc, const job *j)
{
    size_t bytes = 0;
    if (nvrtc->heap.set && (int)nvrtc->heap.status(j->program) == ATX_NVRTC_HEAP_EXHAUSTED &&
        nvrtc->heap.required(j->program, &bytes) == NVRTC_SUCCESS && bytes + bytes / 8 < MOST_HEAP)
        nvrtc->heap.set(bytes + bytes / 8);
}

/*
 * With headers that are compiled ahead, where there is a folder for them and the text has such. false: it was
 * not compiled so. Whatever went wrong is none of the kernel's: it is compiled as it is after that.
 */
static bool compile_ahead(atx_nvrtc *nvrtc, job *j, atx_str *log, atx_resources *resources,
                          const char *source, size_t reached)
{
    ATX_LOCAL(atx_str) text = { 0 };
    bool done = false;
    if (nvrtc->ahead[0] && !(j->pragmas->headers && nvrtc->only_behind))
        atx_ahead_lines(&text, source, nvrtc->own, reached);
    if (!text.len)
        return false;
    atx_str_addf(&text, "#pragma nv_hdrstop\n#line 1\n%s", source);
    j->ahead = true;
    if (!text.failed && create(nvrtc, j, atx_str_text(&text)) == NVRTC_SUCCESS) {
        done = compile_once(nvrtc, j, true) == NVRTC_SUCCESS;
        grow_heap(nvrtc, j);
        atx_str_reset(log);
        done = done && read_log(nvrtc, j->program, log, resources, NULL) == AT_OK;
    }
    j->ahead = false;
    j->tried = !done;
    if (!done && j->program)
        nvrtc->call.nvrtcDestroyProgram(&j->program);
    return done;
}

at_status atx_nvrtc_compile(atx_nvrtc *nvrtc, bool *ok, atx_str *code, atx_str *log, atx_resources *resources,
                            const atx_nvrtc_source *source, at_error *err)
{
    atx_pragmas pragmas = { 0 };
    job j = { .pragmas = &pragmas, .source = source };
    nvrtcResult result = NVRTC_SUCCESS;
    atx_include_folders folders = { 0 };
    size_t reached = 0;
    atx_str safe = { 0 };

    atx_str_reset(code);
    atx_str_reset(log);
    memcpy(folders.cuda, nvrtc->cuda, sizeof folders.cuda);
    if (!atx_nvrtc_supports(nvrtc, source->cc))
        return unknown_arch(nvrtc, source->cc, err);
    at_status status = atx_pragmas_read(&pragmas, source->text, err);
    if (status == AT_OK && source->kind != ATX_PORTABLE_PTX)
        j.variant = atx_arch_variant(pragmas.target, source->cc);
    if (status == AT_OK && pragmas.headers) {
        folders.headers = nvrtc->own;
        status = atx_headers_check(&reached, nvrtc->own, pragmas.headers, err);
    }
    ATX_THEN(status, atx_includes_check(&safe, source->text, source->name, &folders, err));
    if (status != AT_OK)
        goto done;
    const char *text = safe.len ? safe.data : source->text;
    if (!compile_ahead(nvrtc, &j, log, resources, text, reached)) {
        j.minimal = may_be_minimal(nvrtc, &j, text);
        result = create(nvrtc, &j, text);
        if (result == NVRTC_SUCCESS)
            status = compile_program(nvrtc, &j, &result, log, resources, err);
        if (status != AT_OK)
            goto done;
    }
    atx_includes_hide(log, source->text, source->name, &folders);
    if (result != NVRTC_SUCCESS && !atx_nvrtc_headers_hint(log, nvrtc))
        atx_includes_hint(log, source->text);
    *ok = result == NVRTC_SUCCESS;
    nvrtc->only_behind = nvrtc->only_behind || (*ok && j.tried && pragmas.headers);
    if (*ok)
        status = read_code(nvrtc, j.program, code, source->kind, err);
    else if (!refuses_source(result, &j))
        status = atx_fail(err, AT_ERR_DEVICE, "%s: NVRTC %s (%s) failed: %s %s", source->name, nvrtc->version,
                          nvrtc->path, nvrtc->call.nvrtcGetErrorString(result), atx_str_text(log));
    else if (log->len == 0)
        atx_str_add(log, nvrtc->call.nvrtcGetErrorString(result));
done:
    atx_str_clear(&safe);
    if (j.program)
        nvrtc->call.nvrtcDestroyProgram(&j.program);
    atx_pragmas_clear(&pragmas);
    return status;
}
