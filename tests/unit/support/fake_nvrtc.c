/*
 * fake_nvrtc.c - a libnvrtc.so that compiles nothing, for tests of where the real one is looked for. It has
 * the version that the file `version` beside it says ("12.99"), so that one build is many, and fails with
 * what the file `log` says.
 */
#include <dlfcn.h>
#include <limits.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parameters are NVRTC's; an option of the build would stand before -Wextra, and clang takes the last. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define EXPORT __attribute__((visibility("default")))

/* The file of this name beside the library, links followed; NULL: there is none. */
static FILE *open_beside(const char *name)
{
    char path[PATH_MAX + 20];
    Dl_info self;
    if (!dladdr((void *)&nvrtcVersion, &self) || !realpath(self.dli_fname, path))
        return NULL;
    snprintf(strrchr(path, '/'), 20, "/%s", name);
    return fopen(path, "r");
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    FILE *in = open_beside("version");
    int found = in ? fscanf(in, "%d.%d", major, minor) : 0;
    if (in)
        fclose(in);
    return found == 2 ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    *count = 1;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    *archs = 90;
    return NVRTC_SUCCESS;
}

EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
    return result == NVRTC_SUCCESS ? "no error" : "this one compiles nothing";
}

/* What all compilations end with; "": there is no file `log`, and none begins. */
static const char *read_log(void)
{
    static char text[1000];
    FILE *in = open_beside("log");
    size_t len = in ? fread(text, 1, sizeof text - 1, in) : 0;
    text[len] = '\0';
    if (in)
        fclose(in);
    return text;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *p, const char *source, const char *name, int count,
                                      const char *const *headers, const char *const *names)
{
    *p = NULL;
    return read_log()[0] ? NVRTC_SUCCESS : NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options)
{
    return NVRTC_ERROR_COMPILATION;
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *size)
{
    *size = strlen(read_log()) + 1;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
    strcpy(log, read_log());
    return NVRTC_SUCCESS;
}

#define REFUSED(name, ...)                                                                                   \
    EXPORT nvrtcResult name(__VA_ARGS__)                                                                     \
    {                                                                                                        \
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;                                                         \
    }

REFUSED(nvrtcDestroyProgram, nvrtcProgram *p)
REFUSED(nvrtcAddNameExpression, nvrtcProgram p, const char *a)
REFUSED(nvrtcGetCUBINSize, nvrtcProgram p, size_t *n)
REFUSED(nvrtcGetCUBIN, nvrtcProgram p, char *a)
REFUSED(nvrtcGetPTXSize, nvrtcProgram p, size_t *n)
REFUSED(nvrtcGetPTX, nvrtcProgram p, char *a)
