/*
 * nvrtc_open.c - finds NVRTC and what belongs to it: its builtins, the headers of CUDA. It is opened with
 * dlopen; every entry is looked up by name, and all of them exist since 11.8.
 */
#include "compile/nvrtc_parts.h"

#include <dlfcn.h>
#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OLDEST_MAJOR 11
#define OLDEST_MINOR 8

static const struct {
    const char *name;
    size_t offset;
} CALL_TABLE[] = {
#define X(name) { #name, offsetof(struct at__nvrtc_calls, name) },
    AT__NVRTC_CALLS(X)
#undef X
};

/* ---- the library ---- */

static bool load_calls(struct at__nvrtc_calls *call, void *library)
{
    for (size_t i = 0; i < sizeof CALL_TABLE / sizeof *CALL_TABLE; i++) {
        void *symbol = dlsym(library, CALL_TABLE[i].name);
        if (!symbol)
            return false;
        memcpy((char *)call + CALL_TABLE[i].offset, &symbol, sizeof symbol);
    }
    return true;
}

static void load_heap(struct at__nvrtc_heap *heap, void *library)
{
    void *status = dlsym(library, "nvrtcGetPCHCreateStatus"),
         *required = dlsym(library, "nvrtcGetPCHHeapSizeRequired"),
         *set = dlsym(library, "nvrtcSetPCHHeapSize");
    if (!status || !required || !set)
        return;
    memcpy(&heap->status, &status, sizeof status);
    memcpy(&heap->required, &required, sizeof required);
    memcpy(&heap->set, &set, sizeof set);
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
        load_heap(&nvrtc->heap, nvrtc->library);
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
    char path[PATH_MAX];

    if (folder && !*folder)
        return false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        int len =
            snprintf(path, sizeof path, "%s%s%s%s", folder ? folder : "", below, folder ? "/" : "", NAMES[i]);
        if ((size_t)len < sizeof path && try_library(nvrtc, path, tried))
            return true;
    }
    return false;
}

/* Where the module `autotune` is, as a pattern: libautotune.so is a part of it, a program in bin/ may have
 * come with one below lib/python3.N. */
static bool module_pattern(char *out, size_t size)
{
    static const char here = 0;
    char self[PATH_MAX];
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
    char module[PATH_MAX], pattern[PATH_MAX + 40];
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

/* ---- what belongs to it ---- */

/* Takes `folder` followed by `below` for CUDA's headers when they are there. */
static bool try_headers(at__nvrtc *nvrtc, const char *folder, const char *below)
{
    char path[sizeof nvrtc->headers + 16];
    int len = snprintf(nvrtc->headers, sizeof nvrtc->headers, "%s%s", folder, below);
    snprintf(path, sizeof path, "%s/cuda_fp16.h", nvrtc->headers);
    if ((size_t)len < sizeof nvrtc->headers && access(path, R_OK) == 0)
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
    char path[PATH_MAX + 64];
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

/* ---- opening ---- */

at_status at__nvrtc_open(at__nvrtc **out, at_error *err)
{
    return at__nvrtc_open_with(out, getenv(AT__HEADERS_ENV), err);
}

at_status at__nvrtc_open_with(at__nvrtc **out, const char *headers, at_error *err)
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
    if ((status = at__headers_open(&nvrtc->own, headers, err)) != AT_OK)
        goto done;
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
    at__headers_close(nvrtc->own);
    if (nvrtc->library)
        dlclose(nvrtc->library);
    free(nvrtc);
}
