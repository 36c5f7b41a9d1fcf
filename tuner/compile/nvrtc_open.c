/*
 * nvrtc_open.c - finds NVRTC and its builtins (README.md has the order); CUDA's headers: nvrtc_headers.c. It
 * is opened with dlopen; every entry is looked up by name, and all of them exist since 11.8.
 */
#include "compile/nvrtc_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
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
#define X(name) { #name, offsetof(struct atx_nvrtc_calls, name) },
    ATX_NVRTC_CALLS(X)
#undef X
};

/* ---- the library ---- */

static bool load_calls(struct atx_nvrtc_calls *call, void *library)
{
    for (size_t i = 0; i < sizeof CALL_TABLE / sizeof *CALL_TABLE; i++) {
        void *symbol = dlsym(library, CALL_TABLE[i].name);
        if (!symbol)
            return false;
        memcpy((char *)call + CALL_TABLE[i].offset, &symbol, sizeof symbol);
    }
    return true;
}

static void load_heap(struct atx_nvrtc_heap *heap, void *library)
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

static bool is_current(atx_nvrtc *nvrtc)
{
    int major = 0, minor = 0;
    if (nvrtc->call.nvrtcVersion(&major, &minor) != NVRTC_SUCCESS)
        return false;
    snprintf(nvrtc->version, sizeof nvrtc->version, "%d.%d", major, minor);
    nvrtc->version_number = 100 * major + minor;
    return major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR);
}

static bool list_archs(atx_nvrtc *nvrtc)
{
    int count = 0;
    if (nvrtc->call.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 ||
        (size_t)count > sizeof nvrtc->archs / sizeof *nvrtc->archs ||
        nvrtc->call.nvrtcGetSupportedArchs(nvrtc->archs) != NVRTC_SUCCESS)
        return false;
    nvrtc->arch_count = count;
    return true;
}

/* The places that a search has tried, a line each, for the message when nothing was found. */
typedef struct search {
    atx_nvrtc *nvrtc;
    atx_str tried;
    int left_out;   /* lines that found no room                             */
    int most_major; /* of CUDA; what AUTOTUNE_NVRTC says is left out. 0: any */
} search;

enum { TRIED_ROOM = 500 }; /* bytes of an error's text that are left for such lines */

static void note(search *s, const char *format, ...) AT_PRINTF(2, 3);

static void note(search *s, const char *format, ...)
{
    ATX_LOCAL(atx_str) line = { 0 };
    va_list args;
    va_start(args, format);
    atx_str_addv(&line, format, args);
    va_end(args);
    if (!s->tried.len || s->tried.len + line.len < TRIED_ROOM)
        atx_str_addf(&s->tried, "\n  %s", atx_str_text(&line));
    else
        s->left_out++;
}

/* Says the loader that there is no file of this name? It says the same of a library that this one needs. */
static bool is_absent(const char *name, const char *reason)
{
    size_t len = strlen(name);
    return strncmp(reason, name, len) == 0 && reason[len] == ':' && strstr(reason, strerror(ENOENT));
}

/* Opens one file or soname. On failure the reason is noted; that there is no such file only if `named`. */
static bool try_library(search *s, const char *name, bool named)
{
    atx_nvrtc *nvrtc = s->nvrtc;
    Dl_info where = { 0 };

    /* Kept loaded after a close: unloading loses what its C++ runtime allocated, and loading again takes
     * long. */
    nvrtc->library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!nvrtc->library) {
        const char *reason = dlerror();
        if (named || !is_absent(name, reason))
            note(s, "%s", reason);
        return false;
    }
    if (!load_calls(&nvrtc->call, nvrtc->library))
        note(s, "%s: not NVRTC, or older than %d.%d", name, OLDEST_MAJOR, OLDEST_MINOR);
    else if (!is_current(nvrtc) || !list_archs(nvrtc) ||
             (s->most_major && nvrtc->version_number / 100 > s->most_major))
        note(s, "%s: version %s", name, nvrtc->version[0] ? nvrtc->version : "unknown");
    else {
        load_heap(&nvrtc->heap, nvrtc->library);
        void *symbol = dlsym(nvrtc->library, "nvrtcVersion");
        bool known = dladdr(symbol, &where) != 0 && where.dli_fname;
        snprintf(nvrtc->path, sizeof nvrtc->path, "%s", known ? where.dli_fname : name);
        return true;
    }
    dlclose(nvrtc->library);
    nvrtc->library = NULL;
    return false;
}

/* Every soname in a folder, or on the loader's own path when there is no folder. */
static bool try_folder(search *s, const char *folder)
{
    static const char *const NAMES[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "libnvrtc.so" };
    bool done = false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !done; i++) {
        ATX_LOCAL(atx_str) path = { 0 };
        atx_str_addf(&path, "%s%s%s", folder ? folder : "", folder ? "/" : "", NAMES[i]);
        done = !path.failed && try_library(s, path.data, false);
    }
    return done;
}

/* Every folder below `root` that the pattern matches. */
static bool try_below(search *s, const char *root, const char *pattern)
{
    glob_t found = { 0 };
    bool done = false;
    atx_nvrtc_glob(&found, root, pattern);
    for (size_t i = 0; i < found.gl_pathc && !done; i++)
        done = try_folder(s, found.gl_pathv[i]);
    globfree(&found);
    if (!done)
        note(s, "%s%s/libnvrtc.so*", root, pattern);
    return done;
}

/*
 * The environment that autotune was installed into, before what the machine has: NVIDIA's Python wheels of
 * CUDA 13 and of CUDA 12 beside the module `autotune`, and conda's lib. The library is a part of that module
 * or lies in lib; a program in bin may have come with a module below lib/python3.N.
 */
static bool try_environment(search *s)
{
#define WHEELS "{nvidia/cu13/lib,nvidia/cuda_nvrtc/lib}"
    static const char here = 0;
    char self[PATH_MAX];
    Dl_info info;
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    bool shared = dladdr(&here, &info) != 0 && info.dli_fname && strstr(info.dli_fname, ".so");
    if (shared)
        snprintf(self, sizeof self, "%s", info.dli_fname);
    char *slash = self[0] == '/' ? strrchr(self, '/') : NULL; /* another name may lead elsewhere by now */
    if (!slash)
        return false;
    *slash = '\0';
    if (!shared)
        return try_below(s, self, "/../lib/python3*/*-packages/autotune/../" WHEELS) ||
               try_below(s, self, "/../lib");
    slash = strrchr(self, '/');
    bool module = slash && strcmp(slash, "/autotune") == 0;
    return (module && (try_below(s, self, "/../" WHEELS) || try_below(s, self, "/../../../../lib"))) ||
           try_below(s, self, "");
#undef WHEELS
}

static bool try_variables(search *s)
{
    bool done = false;
    for (size_t i = 0; i < ATX_TOOLKIT_VARIABLES && !done; i++) {
        const char *root = s->nvrtc->no_environment ? NULL : getenv(atx_toolkit_variables[i]);
        done = root && *root && try_below(s, root, "/{lib64,lib,targets/*/lib}");
    }
    return done;
}

static bool try_loader(search *s)
{
    if (try_folder(s, NULL))
        return true;
    note(s, "libnvrtc.so* of the loader (LD_LIBRARY_PATH, ldconfig)");
    return false;
}

static bool find_library(search *s)
{
    const char *given = s->most_major || s->nvrtc->no_environment ? NULL : getenv("AUTOTUNE_NVRTC");
    if (given && *given)
        return try_library(s, given, true);
    return try_environment(s) || try_variables(s) || try_loader(s) ||
           try_below(s, "/usr/local/cuda", "/{lib64,lib,targets/*/lib}") ||
           (AT_NVRTC_FOLDER[0] && try_below(s, AT_NVRTC_FOLDER, ""));
}

/* ---- what belongs to it ---- */

/*
 * NVRTC opens its builtins by name, at the first compilation, and finds them beside itself by its own run
 * path. That path is lost where dlopen is intercepted (the address sanitizer does); a library that is loaded
 * already is found.
 */
static void load_builtins(const atx_nvrtc *nvrtc)
{
    ATX_LOCAL(atx_str) path = { 0 };
    ATX_FREED char *real = realpath(nvrtc->path, NULL); /* the loader's folders hold links into the toolkit */
    if (real)
        atx_str_addf(&path, "%.*s/libnvrtc-builtins.so.%s", (int)(strrchr(real, '/') - real), real,
                     nvrtc->version);
    if (path.len && !path.failed && !dlopen(path.data, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE))
        dlerror(); /* it may be elsewhere: NVRTC itself tells when it is nowhere */
}

/* ---- opening ---- */

at_status atx_nvrtc_open(atx_nvrtc **out, at_error *err)
{
    return atx_nvrtc_open_with(out, getenv(ATX_HEADERS_ENV), false, err);
}

static at_status not_found(search *s, at_error *err)
{
    const char *given = s->nvrtc->no_environment ? NULL : getenv("AUTOTUNE_NVRTC");
    if (s->left_out)
        atx_str_addf(&s->tried, "\n  and %d more", s->left_out);
    return atx_fail(
        err, AT_ERR_DEVICE,
        "NVRTC %d.%d or newer, CUDA's compiler library, was not found%s. Install the CUDA toolkit, or its "
        "Python wheels where autotune is one (`pip install " ATX_WHEELS_13
        "`); set CUDA_HOME to a toolkit, or AUTOTUNE_NVRTC to its libnvrtc.so.*, when it is in an unusual "
        "place. Tried:%s",
        OLDEST_MAJOR, OLDEST_MINOR,
        given && *given ? " where AUTOTUNE_NVRTC says (unset it: it is searched for)" : "",
        atx_str_text(&s->tried));
}

at_status atx_nvrtc_open_with(atx_nvrtc **out, const char *headers, bool no_environment, at_error *err)
{
    at_status status = AT_OK;
    search s = { .nvrtc = calloc(1, sizeof *s.nvrtc) };

    if (!s.nvrtc)
        return atx_no_memory(err);
    s.nvrtc->no_environment = no_environment;
    if (!find_library(&s)) {
        status = not_found(&s, err);
        goto done;
    }
    load_builtins(s.nvrtc);
    atx_nvrtc_find_headers(s.nvrtc);
    if ((status = atx_headers_open(&s.nvrtc->own, headers, err)) != AT_OK)
        goto done;
    *out = s.nvrtc;
    s.nvrtc = NULL;
done:
    atx_str_clear(&s.tried);
    atx_nvrtc_close(s.nvrtc);
    return status;
}

at_status atx_nvrtc_check_driver(const atx_nvrtc *nvrtc, int cuda, at_error *err)
{
    const int major = cuda / 1000;
    if (!cuda || nvrtc->version_number / 100 <= major)
        return AT_OK;
    search s = { .nvrtc = calloc(1, sizeof *s.nvrtc), .most_major = major };
    ATX_LOCAL(atx_str) advice = { 0 };
    if (s.nvrtc)
        s.nvrtc->no_environment = nvrtc->no_environment;
    if (s.nvrtc && find_library(&s))
        atx_str_addf(&advice, "set AUTOTUNE_NVRTC=%s, which is %s", s.nvrtc->path, s.nvrtc->version);
    else
        atx_str_addf(
            &advice,
            "`pip install nvidia-cuda-nvrtc-cu%d nvidia-cuda-runtime-cu%d nvidia-cuda-cccl-cu%d`, or "
            "a toolkit of CUDA %d that CUDA_HOME names; or a newer driver",
            major, major, major, major);
    atx_fail(err, AT_ERR_DEVICE,
             "found NVRTC %s (%s) and a driver for CUDA %d.%d, which loads no kernel that a compiler of CUDA "
             "%d made; expected NVRTC of CUDA %d: %s",
             nvrtc->version, nvrtc->path, major, cuda % 1000 / 10, nvrtc->version_number / 100, major,
             atx_str_text(&advice));
    atx_str_clear(&s.tried);
    atx_nvrtc_close(s.nvrtc);
    return AT_ERR_DEVICE;
}

void atx_nvrtc_close(atx_nvrtc *nvrtc)
{
    if (!nvrtc)
        return;
    atx_headers_close(nvrtc->own);
    for (int i = 0; i < ATX_CUDA_FOLDERS; i++)
        free(nvrtc->cuda[i]);
    if (nvrtc->library)
        dlclose(nvrtc->library);
    free(nvrtc);
}
