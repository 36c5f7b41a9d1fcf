/*
 * nvrtc.c - the library is opened with dlopen; every entry is looked up by name, and all of them
 * exist since 11.8.
 *
 * A compilation that complains about an option is tried again without it, and the option is not
 * passed again: what versions accept is found out, not listed.
 */
#include "compile/nvrtc.h"

#include "compile/ahead.h"
#include "compile/includes.h"
#include "lang/render_orders.h"

#include <dlfcn.h>
#include <glob.h>
#include <inttypes.h>
#include <nvrtc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OLDEST_MAJOR  11
#define OLDEST_MINOR  8
#define AHEAD_SINCE   1208
#define HURRIES_SINCE 1300

/* The calls in use; all of them are in 11.8, whatever header this is compiled with. */
#define CALLS(X)                                                                                             \
    X(nvrtcVersion)                                                                                          \
    X(nvrtcGetErrorString)                                                                                   \
    X(nvrtcGetNumSupportedArchs)                                                                             \
    X(nvrtcGetSupportedArchs)                                                                                \
    X(nvrtcCreateProgram)                                                                                    \
    X(nvrtcDestroyProgram)                                                                                   \
    X(nvrtcAddNameExpression)                                                                                \
    X(nvrtcCompileProgram)                                                                                   \
    X(nvrtcGetProgramLogSize)                                                                                \
    X(nvrtcGetProgramLog)                                                                                    \
    X(nvrtcGetCUBINSize)                                                                                     \
    X(nvrtcGetCUBIN)                                                                                         \
    X(nvrtcGetPTXSize)                                                                                       \
    X(nvrtcGetPTX)

struct calls {
#define X(name) __typeof__(&name) name;
    CALLS(X)
#undef X
};

static const struct {
    const char *name;
    size_t offset;
} CALL_TABLE[] = {
#define X(name) { #name, offsetof(struct calls, name) },
    CALLS(X)
#undef X
};

/*
 * Options that change no code, and that a version may refuse: 11.8 to 12.8 know no --no-cache. What is
 * refused is not tried again. `-minimal` is left out: it saves 2 to 6 % and takes texture types away from
 * templates.
 */
enum { VERBOSE, NO_CACHE, KEEP_STACK_LIMIT, OPTIONAL_COUNT };
static const char *const OPTIONAL[OPTIONAL_COUNT] = {
    [VERBOSE] = "--ptxas-options=-v",
    [NO_CACHE] = "--no-cache",
    [KEEP_STACK_LIMIT] = "--modify-stack-limit=false",
};

struct at__nvrtc {
    void *library;
    struct calls call;
    char version[16], path[512];
    char headers[1024]; /* folder */
    int archs[64];      /* ascending */
    int arch_count;
    bool refused[OPTIONAL_COUNT];
    int version_number; /* 1300 for 13.0                                       */
    bool hurries;       /* at__nvrtc_hurry                                     */
    char ahead[512];    /* folder of headers that are compiled ahead; "": none */
};

/* ---- opening ---- */

static bool load_calls(struct calls *call, void *library)
{
    for (size_t i = 0; i < sizeof CALL_TABLE / sizeof *CALL_TABLE; i++) {
        void *symbol = dlsym(library, CALL_TABLE[i].name);
        if (!symbol)
            return false;
        memcpy((char *)call + CALL_TABLE[i].offset, &symbol, sizeof symbol);
    }
    return true;
}

static bool is_current(at__nvrtc *nvrtc)
{
    int major = 0, minor = 0;
    if (nvrtc->call.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS)
        return false;
    snprintf(nvrtc->version, sizeof nvrtc->version, "%d.%d", major, minor);
    nvrtc->version_number = 100 * major + minor;
    return major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR);
}

static bool list_archs(at__nvrtc *nvrtc)
{
    int count = 0;
    if (nvrtc->call.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 ||
        (size_t)count > sizeof nvrtc->archs / sizeof *nvrtc->archs ||
        nvrtc->call.nvrtcGetSupportedArchs(nvrtc->archs) != NVRTC_SUCCESS)
        return false;
    nvrtc->arch_count = count;
    return true;
}

/* Opens one file or soname. On failure the reason is added to `tried`. */
static bool try_library(at__nvrtc *nvrtc, const char *name, at__str *tried)
{
    Dl_info where = { 0 };
    void *symbol;

    /* Kept loaded after a close: unloading loses what its C++ runtime allocated, and loading again takes
     * long. */
    nvrtc->library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!nvrtc->library) {
        at__str_addf(tried, "\n  %s", dlerror());
        return false;
    }
    if (!load_calls(&nvrtc->call, nvrtc->library))
        at__str_addf(tried, "\n  %s: not NVRTC, or older than %d.%d", name, OLDEST_MAJOR, OLDEST_MINOR);
    else if (!is_current(nvrtc) || !list_archs(nvrtc))
        at__str_addf(tried, "\n  %s: version %s", name, nvrtc->version);
    else {
        symbol = dlsym(nvrtc->library, "nvrtcVersion");
        bool known = dladdr(symbol, &where) != 0 && where.dli_fname;
        snprintf(nvrtc->path, sizeof nvrtc->path, "%s", known ? where.dli_fname : name);
        return true;
    }
    dlclose(nvrtc->library);
    nvrtc->library = NULL;
    return false;
}

/* Every soname in a folder, or on the loader's own path when there is no folder. */
static bool try_folder(at__nvrtc *nvrtc, const char *folder, const char *below, at__str *tried)
{
    static const char *const NAMES[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "libnvrtc.so" };
    char path[1024];

    if (folder && !*folder)
        return false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s%s%s%s", folder ? folder : "", below, folder ? "/" : "", NAMES[i]);
        if (try_library(nvrtc, path, tried))
            return true;
    }
    return false;
}

/* Where the module `autotune` is, as a pattern: libautotune.so is a part of it, a program in bin/ may have
 * come with one below lib/python3.N. */
static bool module_pattern(char *out, size_t size)
{
    static const char here = 0;
    char self[1024];
    Dl_info info;
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    bool shared = dladdr(&here, &info) != 0 && info.dli_fname && strstr(info.dli_fname, ".so");
    const char *file = shared ? info.dli_fname : self;
    const char *slash = strrchr(file, '/');
    int used = !slash ? 0
                      : snprintf(out, size, "%.*s%s", (int)(slash - file), file,
                                 shared ? "" : "/../lib/python3*/*-packages/autotune");
    return used > 0 && (size_t)used < size;
}

/*
 * NVIDIA's Python wheels, of CUDA 13 and of CUDA 12. Where autotune was installed by pip its own environment
 * decides, before what the machine has.
 */
static bool try_wheels(at__nvrtc *nvrtc, at__str *tried)
{
    static const char *const PLACES[] = { "/../nvidia/cu13/lib", "/../nvidia/cuda_nvrtc/lib" };
    char module[1024], pattern[1100];
    bool done = false;
    if (!module_pattern(module, sizeof module))
        return false;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !done; i++) {
        glob_t found = { 0 };
        snprintf(pattern, sizeof pattern, "%s%s", module, PLACES[i]);
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc && !done; k++)
                done = try_folder(nvrtc, found.gl_pathv[k], "", tried);
        globfree(&found);
    }
    return done;
}

static bool find_library(at__nvrtc *nvrtc, at__str *tried)
{
    const char *given = getenv("AUTOTUNE_NVRTC");
    const char *home = getenv("CUDA_HOME");
    if (given && *given)
        return try_library(nvrtc, given, tried);
    return try_wheels(nvrtc, tried) || try_folder(nvrtc, NULL, "", tried) ||
           (home && try_folder(nvrtc, home, "/lib64", tried)) ||
           try_folder(nvrtc, "/usr/local/cuda", "/lib64", tried) ||
           try_folder(nvrtc, AT_NVRTC_FOLDER, "", tried);
}

/* Takes `folder` followed by `below` for CUDA's headers when they are there. */
static bool try_headers(at__nvrtc *nvrtc, const char *folder, const char *below)
{
    char path[sizeof nvrtc->headers + 16];
    snprintf(nvrtc->headers, sizeof nvrtc->headers, "%s%s", folder, below);
    snprintf(path, sizeof path, "%s/cuda_fp16.h", nvrtc->headers);
    if (access(path, R_OK) == 0)
        return true;
    nvrtc->headers[0] = '\0';
    return false;
}

/*
 * NVRTC opens its builtins by name, at the first compilation, and finds them beside itself by its own run
 * path. That path is lost where dlopen is intercepted (the address sanitizer does); a library that is loaded
 * already is found.
 */
static void load_builtins(const at__nvrtc *nvrtc, const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/libnvrtc-builtins.so.%s", folder, nvrtc->version);
    if (!dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE))
        dlerror(); /* it may be elsewhere: NVRTC itself tells when it is nowhere */
}

/* Where the library lies lie its builtins and, mostly, the headers that fit it. */
static void find_companions(at__nvrtc *nvrtc)
{
    const char *home = getenv("CUDA_HOME");
    char *real = realpath(nvrtc->path, NULL); /* the loader's folders hold links into the toolkit */
    char *slash = real ? strrchr(real, '/') : NULL;
    if (slash)
        *slash = '\0';
    if (slash)
        load_builtins(nvrtc, real);
    bool found = slash && (try_headers(nvrtc, real, "/../include") || /* toolkit, wheels of CUDA 13 */
                           try_headers(nvrtc, real, "/../../cuda_runtime/include")); /* wheels of CUDA 12 */
    if (!found && home)
        found = try_headers(nvrtc, home, "/include");
    if (!found && !try_headers(nvrtc, "/usr/local/cuda", "/include"))
        try_headers(nvrtc, "/usr", "/include");
    free(real);
}

at_status at__nvrtc_open(at__nvrtc **out, at_error *err)
{
    at_status status = AT_OK;
    at__str tried = { 0 };
    const char *given = getenv("AUTOTUNE_NVRTC");
    at__nvrtc *nvrtc = calloc(1, sizeof *nvrtc);

    if (!nvrtc)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (!find_library(nvrtc, &tried)) {
        status = at_fail(
            err, AT_ERR_DEVICE,
            "NVRTC %d.%d or newer, CUDA's compiler library, was not found%s. Install the CUDA toolkit, or "
            "its Python wheels where autotune is one (`pip install nvidia-cuda-nvrtc nvidia-cuda-runtime`); "
            "set AUTOTUNE_NVRTC to its libnvrtc.so.* when it is in an unusual place. Tried:%s",
            OLDEST_MAJOR, OLDEST_MINOR,
            given && *given ? " where AUTOTUNE_NVRTC says (unset it: it is searched for)" : "",
            at__str_text(&tried));
        goto done;
    }
    find_companions(nvrtc);
    *out = nvrtc;
    nvrtc = NULL;
done:
    at__str_clear(&tried);
    at__nvrtc_close(nvrtc);
    return status;
}

void at__nvrtc_close(at__nvrtc *nvrtc)
{
    if (!nvrtc)
        return;
    if (nvrtc->library)
        dlclose(nvrtc->library);
    free(nvrtc);
}

/* ---- facts ---- */

const char *at__nvrtc_version(const at__nvrtc *nvrtc)
{
    return nvrtc->version;
}

const char *at__nvrtc_path(const at__nvrtc *nvrtc)
{
    return nvrtc->path;
}

int at__nvrtc_nearest(const at__nvrtc *nvrtc, int cc)
{
    int best = 0;
    for (int i = 0; i < nvrtc->arch_count; i++)
        if (nvrtc->archs[i] <= cc && nvrtc->archs[i] > best)
            best = nvrtc->archs[i];
    return best;
}

void at__nvrtc_compile_ahead(at__nvrtc *nvrtc, const char *folder)
{
    bool can = nvrtc->version_number >= AHEAD_SINCE && strlen(folder) < sizeof nvrtc->ahead;
    snprintf(nvrtc->ahead, sizeof nvrtc->ahead, "%s", can ? folder : "");
}

bool at__nvrtc_supports(const at__nvrtc *nvrtc, int cc)
{
    return cc > 0 && at__nvrtc_nearest(nvrtc, cc) == cc;
}

void at__nvrtc_hurry(at__nvrtc *nvrtc, bool hurry)
{
    nvrtc->hurries = hurry && nvrtc->version_number >= HURRIES_SINCE;
}

/* The options that the code depends on. */
static void code_options(char arch[40], const char **standard, int cc, at__code kind)
{
    snprintf(arch, 40, "--gpu-architecture=%s_%d", kind == AT__CUBIN ? "sm" : "compute", cc);
    *standard = "--std=c++17";
}

void at__nvrtc_key(at__str *out, const at__nvrtc *nvrtc, int cc, at__code kind)
{
    char arch[40];
    const char *standard;
    code_options(arch, &standard, cc, kind);
    at__str_addf(out, "nvrtc %s %s %s", nvrtc->version, arch, standard);
}

/* ---- the log ---- */

static at_status read_log(at__nvrtc *nvrtc, nvrtcProgram program, at__str *log, at__resources *resources,
                          at_error *err)
{
    size_t size = 0;
    nvrtcResult result = nvrtc->call.nvrtcGetProgramLogSize(program, &size);
    if (result != NVRTC_SUCCESS)
        return at_fail(err, AT_ERR_DEVICE, "NVRTC gave no log: %s", nvrtc->call.nvrtcGetErrorString(result));
    char *raw = calloc(size + 1, 1);
    if (!raw)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    nvrtc->call.nvrtcGetProgramLog(program, raw);
    at__nvrtc_digest(raw, log, resources);
    free(raw);
    if (!nvrtc->headers[0] && strstr(at__str_text(log), "could not open source file"))
        at__str_add(log,
                    "\nautotune found no headers of CUDA: they come with the CUDA toolkit, or with a Python "
                    "wheel (`pip install nvidia-cuda-runtime`)");
    return at__str_status(log, err);
}

/* ---- compiling ---- */

/*
 * After a complaint about an option: drops the optional ones it names, or all, unless it may be about one of
 * the source's own. false: there was none left.
 */
static bool refuse_options(at__nvrtc *nvrtc, const char *log, bool others)
{
    bool any = false, named = false;
    for (int i = 0; i < OPTIONAL_COUNT; i++)
        named = named || (!nvrtc->refused[i] && strstr(log, OPTIONAL[i]));
    for (int i = 0; i < OPTIONAL_COUNT; i++)
        if (!nvrtc->refused[i] && ((!named && !others) || strstr(log, OPTIONAL[i])))
            any = nvrtc->refused[i] = true;
    return any;
}

/* What one compilation is made of. */
typedef struct job {
    nvrtcProgram program;
    const at__orders *orders; /* what the source itself asks for */
    int cc;
    at__code kind;
    bool ahead; /* it begins with headers that are compiled ahead */
} job;

static bool is_standard(const char *option)
{
    option += strspn(option, "-");
    return strncmp(option, "std=", 4) == 0;
}

static nvrtcResult compile_once(const at__nvrtc *nvrtc, const job *j, bool verbose)
{
    const char *options[10 + OPTIONAL_COUNT + AT__MAX_OPTIONS];
    char ahead[sizeof nvrtc->ahead + 20], arch[40], headers[sizeof nvrtc->headers + 20],
        cccl[sizeof nvrtc->headers + 30];
    int count = 2;

    code_options(arch, &options[1], j->cc, j->kind);
    options[0] = arch;
    snprintf(headers, sizeof headers, "--include-path=%s", nvrtc->headers);
    snprintf(cccl, sizeof cccl, "--include-path=%s/cccl", nvrtc->headers);
    if (nvrtc->headers[0]) {
        options[count++] = headers;
        options[count++] = cccl;
    }
    if (j->kind == AT__LINED_PTX)
        options[count++] = "--generate-line-info";
    if (nvrtc->hurries && j->kind != AT__CUBIN)
        options[count++] = "--Ofast-compile=max";
    snprintf(ahead, sizeof ahead, "--pch-dir=%s", nvrtc->ahead);
    if (j->ahead) {
        options[count++] = "--pch";
        options[count++] = "--pch-messages=false";
        options[count++] = "--diag-suppress=20283"; /* that what follows them is not compiled ahead */
        options[count++] = ahead;
    }
    for (int i = 0; i < OPTIONAL_COUNT; i++)
        if (!nvrtc->refused[i] && (verbose || i != VERBOSE))
            options[count++] = OPTIONAL[i];
    for (int i = 0; i < j->orders->option_count; i++)
        options[is_standard(j->orders->options[i]) ? 1 : count++] = j->orders->options[i];
    return nvrtc->call.nvrtcCompileProgram(j->program, count, options);
}

/* Compiles, without the options that this NVRTC turns out not to know. */
static at_status compile_program(at__nvrtc *nvrtc, const job *j, nvrtcResult *result, at__str *log,
                                 at__resources *resources, at_error *err)
{
    at_status status;
    do {
        *result = compile_once(nvrtc, j, true);
        at__str_reset(log);
        status = read_log(nvrtc, j->program, log, resources, err);
    } while (status == AT_OK && *result == NVRTC_ERROR_INVALID_OPTION &&
             refuse_options(nvrtc, at__str_text(log), j->orders->option_count > 0));
    /* "uses too much shared data" is not in the log when ptxas was told to be verbose (11.8 to 13.5). */
    if (status == AT_OK && *result == NVRTC_ERROR_COMPILATION && log->len == 0) {
        at__resources none = AT__RESOURCES_UNKNOWN;
        *result = compile_once(nvrtc, j, false);
        status = read_log(nvrtc, j->program, log, &none, err);
    }
    return status;
}

static at_status read_code(at__nvrtc *nvrtc, nvrtcProgram program, at__str *code, at__code kind,
                           at_error *err)
{
    size_t size = 0;
    nvrtcResult result = kind == AT__CUBIN ? nvrtc->call.nvrtcGetCUBINSize(program, &size)
                                           : nvrtc->call.nvrtcGetPTXSize(program, &size);
    char *bytes = result == NVRTC_SUCCESS && size > 0 ? malloc(size) : NULL;
    if (!bytes)
        return at_fail(err, AT_ERR_DEVICE, "NVRTC gave no code: %s", nvrtc->call.nvrtcGetErrorString(result));
    result = kind == AT__CUBIN ? nvrtc->call.nvrtcGetCUBIN(program, bytes)
                               : nvrtc->call.nvrtcGetPTX(program, bytes);
    at__str_reset(code);
    at__str_add_bytes(code, bytes, kind == AT__CUBIN ? size : size - 1); /* PTX counts its final zero */
    free(bytes);
    if (result != NVRTC_SUCCESS)
        return at_fail(err, AT_ERR_DEVICE, "NVRTC gave no code: %s", nvrtc->call.nvrtcGetErrorString(result));
    return at__str_status(code, err);
}

/* Whether a result speaks of the source (it is refused) or of NVRTC itself. */
static bool blames_source(nvrtcResult result)
{
    return result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_OUT_OF_MEMORY ||
           result == NVRTC_ERROR_INTERNAL_ERROR;
}

static at_status unknown_arch(const at__nvrtc *nvrtc, int cc, at_error *err)
{
    at__str list = { 0 };
    for (int i = 0; i < nvrtc->arch_count; i++)
        at__str_addf(&list, " %d", nvrtc->archs[i]);
    at_fail(err, AT_ERR_DEVICE, "NVRTC %s (%s) does not compile for compute capability %d; it knows%s",
            nvrtc->version, nvrtc->path, cc, at__str_text(&list));
    at__str_clear(&list);
    return AT_ERR_DEVICE;
}

/* The program with the names that its source asks for. */
static nvrtcResult create(const at__nvrtc *nvrtc, job *j, const char *source, const char *name)
{
    nvrtcResult result = nvrtc->call.nvrtcCreateProgram(&j->program, source, name, 0, NULL, NULL);
    for (int i = 0; i < j->orders->kernel_count && result == NVRTC_SUCCESS; i++)
        result = nvrtc->call.nvrtcAddNameExpression(j->program, j->orders->kernels[i]);
    return result;
}

/* An option of the source's own that this NVRTC does not know is the source's fault. */
static bool refuses_source(nvrtcResult result, const job *j)
{
    return blames_source(result) || (result == NVRTC_ERROR_INVALID_OPTION && j->orders->option_count) ||
           result == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/*
 * With headers that are compiled ahead, where there is a folder for them and the text has such. false: it was
 * not compiled so. Whatever went wrong is none of the kernel's: it is compiled as it is after that.
 */
static bool compile_ahead(at__nvrtc *nvrtc, job *j, at__str *log, at__resources *resources,
                          const char *source, const char *name)
{
    at__str text = { 0 };
    bool done = false;
    if (nvrtc->ahead[0])
        at__ahead_lines(&text, source);
    if (!text.len)
        return false;
    at__str_addf(&text, "#pragma nv_hdrstop\n#line 1\n%s", source);
    j->ahead = true;
    if (!text.failed && create(nvrtc, j, at__str_text(&text), name) == NVRTC_SUCCESS) {
        done = compile_once(nvrtc, j, true) == NVRTC_SUCCESS;
        at__str_reset(log);
        done = done && read_log(nvrtc, j->program, log, resources, NULL) == AT_OK;
    }
    j->ahead = false;
    if (!done && j->program)
        nvrtc->call.nvrtcDestroyProgram(&j->program);
    at__str_clear(&text);
    return done;
}

at_status at__nvrtc_compile(at__nvrtc *nvrtc, bool *ok, at__str *code, at__str *log, at__resources *resources,
                            const char *source, const char *name, int cc, at__code kind, at_error *err)
{
    at__orders orders = { 0 };
    job j = { .orders = &orders, .cc = cc, .kind = kind };
    nvrtcResult result = NVRTC_SUCCESS;
    const at__include_folders folders = { .cuda = nvrtc->headers };
    at__str safe = { 0 };

    at__str_reset(code);
    at__str_reset(log);
    if (!at__nvrtc_supports(nvrtc, cc))
        return unknown_arch(nvrtc, cc, err);
    at_status status = at__orders_read(&orders, source, err);
    if (status == AT_OK)
        status = at__includes_check(&safe, source, name, &folders, err);
    if (status != AT_OK)
        goto done;
    const char *text = safe.len ? safe.data : source;
    if (!compile_ahead(nvrtc, &j, log, resources, text, name)) {
        result = create(nvrtc, &j, text, name);
        if (result == NVRTC_SUCCESS)
            status = compile_program(nvrtc, &j, &result, log, resources, err);
        if (status != AT_OK)
            goto done;
    }
    at__includes_hide(log, source, name, &folders);
    if (result != NVRTC_SUCCESS)
        at__includes_hint(log);
    *ok = result == NVRTC_SUCCESS;
    if (*ok)
        status = read_code(nvrtc, j.program, code, kind, err);
    else if (!refuses_source(result, &j))
        status = at_fail(err, AT_ERR_DEVICE, "%s: NVRTC %s (%s) failed: %s %s", name, nvrtc->version,
                         nvrtc->path, nvrtc->call.nvrtcGetErrorString(result), at__str_text(log));
    else if (log->len == 0)
        at__str_add(log, nvrtc->call.nvrtcGetErrorString(result));
done:
    at__str_clear(&safe);
    if (j.program)
        nvrtc->call.nvrtcDestroyProgram(&j.program);
    at__orders_clear(&orders);
    return status;
}
