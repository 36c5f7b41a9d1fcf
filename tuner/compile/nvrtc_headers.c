/*
 * nvrtc_headers.c - the headers of CUDA that belong to an NVRTC: those beside the library, by the layouts of
 * toolkits, of NVIDIA's Python wheels, of conda and of Debian. Headers elsewhere are taken only if they are
 * of NVRTC's own version, and before those beside it if these are not.
 */
#include "compile/nvrtc_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the library's folder: toolkits and wheels of CUDA 13, conda, wheels of CUDA 12, Debian. */
#define BESIDE     "/{../include,../targets/*/include,../../cuda_runtime/include,../../include}"
#define IN_TOOLKIT "/{include,targets/*/include}"

const char *const atx_toolkit_variables[ATX_TOOLKIT_VARIABLES] = { "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX" };

void atx_nvrtc_glob(glob_t *found, const char *root, const char *pattern)
{
    ATX_LOCAL(atx_str) whole = { 0 };
    for (const char *at = root; *at; at++)
        atx_str_addf(&whole, "%s%c", strchr("\\*?[]{},~", *at) ? "\\" : "", *at);
    atx_str_add(&whole, pattern);
    if (!whole.failed)
        glob(atx_str_text(&whole), GLOB_BRACE, NULL, found);
}

/* ---- which headers ---- */

/* The value of a macro that a header #defines as a number; 0: it does not. */
static int read_macro(const char *folder, const char *file, const char *macro)
{
    ATX_FREED char *line = NULL;
    size_t size = 0;
    int value = 0;
    ATX_LOCAL(atx_str) path = { 0 }, wanted = { 0 };
    atx_str_addf(&path, "%s/%s", folder, file);
    atx_str_addf(&wanted, "#define %s ", macro);
    FILE *in = path.failed || wanted.failed ? NULL : fopen(path.data, "re");
    while (in && !value && getline(&line, &size, in) > 0)
        if (strncmp(line, wanted.data, wanted.len) == 0)
            value = (int)strtol(line + wanted.len, NULL, 10);
    if (in)
        fclose(in);
    return value;
}

/* As version_number: 1300 for 13.0. */
static int version_of(const char *folder)
{
    int value = read_macro(folder, "cuda_runtime_api.h", "CUDART_VERSION");
    return (value ? value : read_macro(folder, "cuda.h", "CUDA_VERSION")) / 10;
}

/* The best folder so far: `beside` NVRTC any of the same major version will do. */
static void consider(atx_nvrtc *nvrtc, const char *folder, bool beside)
{
    ATX_LOCAL(atx_str) file = { 0 };
    atx_str_addf(&file, "%s/cuda_fp16.h", folder);
    bool there = !file.failed && access(file.data, R_OK) == 0;
    int version = there ? version_of(folder) : 0;
    bool exact = version == nvrtc->version_number;
    bool fits = beside && (version == 0 || version / 100 == nvrtc->version_number / 100);
    if (there && (exact || (fits && !nvrtc->cuda[0]))) {
        free(nvrtc->cuda[0]);
        nvrtc->cuda[0] = realpath(folder, NULL);
        nvrtc->headers_number = version;
    }
}

static void consider_below(atx_nvrtc *nvrtc, const char *root, const char *pattern, bool beside)
{
    glob_t found = { 0 };
    if (nvrtc->cuda[0] && nvrtc->headers_number == nvrtc->version_number)
        return;
    atx_nvrtc_glob(&found, root, pattern);
    for (size_t i = 0; i < found.gl_pathc; i++)
        consider(nvrtc, found.gl_pathv[i], beside);
    globfree(&found);
}

static void consider_beside(atx_nvrtc *nvrtc, char *library)
{
    char *slash = library ? strrchr(library, '/') : NULL;
    if (slash) {
        *slash = '\0';
        consider_below(nvrtc, library, BESIDE, true);
    }
    free(library);
}

/* What lies in folders of its own: CCCL since CUDA 13, and in wheels of CUDA 12; there crt, too. */
static void add_parts(atx_nvrtc *nvrtc)
{
    static const char WHEEL[] = "/cuda_runtime/include";
    const char *main = nvrtc->cuda[0];
    size_t len = strlen(main);
    bool wheel = len > sizeof WHEEL && strcmp(main + len - (sizeof WHEEL - 1), WHEEL) == 0;
    glob_t found = { 0 };
    atx_nvrtc_glob(&found, main, wheel ? "/../../{cuda_cccl,cuda_nvcc}/include" : "/cccl");
    for (size_t i = 0; i < found.gl_pathc && i + 1 < ATX_CUDA_FOLDERS; i++)
        nvrtc->cuda[i + 1] = realpath(found.gl_pathv[i], NULL);
    globfree(&found);
}

void atx_nvrtc_find_headers(atx_nvrtc *nvrtc)
{
    consider_beside(nvrtc,
                    realpath(nvrtc->path, NULL)); /* the loader's folders hold links into the toolkit */
    consider_beside(nvrtc, atx_text_copy(nvrtc->path, strlen(nvrtc->path)));
    for (int i = 0; i < ATX_TOOLKIT_VARIABLES; i++) {
        const char *root = nvrtc->no_environment ? NULL : getenv(atx_toolkit_variables[i]);
        if (root && *root)
            consider_below(nvrtc, root, IN_TOOLKIT, false);
    }
    consider_below(nvrtc, "/usr/local/cuda", IN_TOOLKIT, false);
    consider_below(nvrtc, "/usr/include", "", false);
    if (nvrtc->cuda[0])
        add_parts(nvrtc);
}

/* ---- missing headers ---- */

/* How names of headers begin, and which Python wheels have them; before CUDA 13 a wheel's name ends in -cu12.
 */
static const struct {
    const char *begin, *wheel, *before_13;
} PARTS[] = {
    { "nv/", "nvidia-cuda-cccl", "nvidia-cuda-cccl" },
    { "cuda/", "nvidia-cuda-cccl", "nvidia-cuda-cccl" },
    { "cub/", "nvidia-cuda-cccl", "nvidia-cuda-cccl" },
    { "thrust/", "nvidia-cuda-cccl", "nvidia-cuda-cccl" },
    { "crt/", "nvidia-cuda-crt", "nvidia-cuda-nvcc" },
    { "cuda_", "nvidia-cuda-runtime", "nvidia-cuda-runtime" },
    { "mma.h", "nvidia-cuda-runtime", "nvidia-cuda-runtime" },
    { "cooperative_groups", "nvidia-cuda-runtime", "nvidia-cuda-runtime" },
};

/* The header that a log complains of; NULL: it complains of none. */
static const char *missing_header(const char *log)
{
    static const char SIGN[] = "open source file \"";
    const char *found = strstr(log, SIGN); /* "cannot open", "could not open" */
    return found ? found + sizeof SIGN - 1 : NULL;
}

/* Headers that lie beside NVRTC may be of another minor version: then that may be what went wrong in them. */
static bool hint_at_versions(atx_str *log, const atx_nvrtc *nvrtc)
{
    const int headers = nvrtc->headers_number;
    if (!headers || headers == nvrtc->version_number || !strstr(atx_str_text(log), nvrtc->cuda[0]))
        return false;
    atx_str_addf(log,
                 "\nhint: the headers at %s are of CUDA %d.%d, and NVRTC is %s; expected one version of both",
                 nvrtc->cuda[0], headers / 100, headers % 100, nvrtc->version);
    return true;
}

bool atx_nvrtc_headers_hint(atx_str *log, const atx_nvrtc *nvrtc)
{
    const char *missing = missing_header(atx_str_text(log)), *wheel = NULL;
    const int major = nvrtc->version_number / 100;
    for (size_t i = 0; missing && i < sizeof PARTS / sizeof *PARTS && !wheel; i++)
        if (strncmp(missing, PARTS[i].begin, strlen(PARTS[i].begin)) == 0)
            wheel = major < 13 ? PARTS[i].before_13 : PARTS[i].wheel;
    if (!wheel)
        return hint_at_versions(log, nvrtc);
    if (nvrtc->cuda[0])
        atx_str_addf(log, "\nhint: it is not in CUDA's headers at %s", nvrtc->cuda[0]);
    else
        atx_str_addf(log, "\nhint: found no headers of CUDA %s beside NVRTC (%s)", nvrtc->version,
                     nvrtc->path);
    /* Versions of CCCL are counted otherwise since 13.3. */
    const bool counts = major < 13 || strcmp(wheel, "nvidia-cuda-cccl") != 0;
    const char *quote = counts ? "'" : "";
    atx_str_addf(log, "; expected those of a toolkit, or of the Python wheel: `pip install %s%s", quote,
                 wheel);
    if (major < 13)
        atx_str_addf(log, "-cu%d", major);
    if (counts)
        atx_str_addf(log, "==%s.*", nvrtc->version);
    atx_str_addf(log, "%s`", quote);
    return true;
}

const char *atx_nvrtc_headers(const atx_nvrtc *nvrtc, int i)
{
    return i < ATX_CUDA_FOLDERS ? nvrtc->cuda[i] : NULL;
}
