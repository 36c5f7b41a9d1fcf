/*
 * fake_nvrtc.c - a libnvrtc.so that compiles nothing, for tests of where the real one is looked for. It has
 * the version that the file `version` beside it says ("12.99"), so that one build is many.
 */
#include <dlfcn.h>
#include <limits.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    char path[PATH_MAX];
    Dl_info self;
    FILE *in = NULL;
    int found = 0;
    if (dladdr((void *)&nvrtcVersion, &self) && realpath(self.dli_fname, path)) {
        snprintf(strrchr(path, '/'), sizeof "/version", "/version");
        in = fopen(path, "r");
    }
    if (in) {
        found = fscanf(in, "%d.%d", major, minor);
        fclose(in);
    }
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

#define REFUSED(name, ...)                                                                                   \
    EXPORT nvrtcResult name(__VA_ARGS__)                                                                     \
    {                                                                                                        \
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;                                                         \
    }

REFUSED(nvrtcCreateProgram, nvrtcProgram *p, const char *a, const char *b, int n, const char *const *c,
        const char *const *d)
REFUSED(nvrtcDestroyProgram, nvrtcProgram *p)
REFUSED(nvrtcAddNameExpression, nvrtcProgram p, const char *a)
REFUSED(nvrtcCompileProgram, nvrtcProgram p, int n, const char *const *a)
REFUSED(nvrtcGetProgramLogSize, nvrtcProgram p, size_t *n)
REFUSED(nvrtcGetProgramLog, nvrtcProgram p, char *a)
REFUSED(nvrtcGetCUBINSize, nvrtcProgram p, size_t *n)
REFUSED(nvrtcGetCUBIN, nvrtcProgram p, char *a)
REFUSED(nvrtcGetPTXSize, nvrtcProgram p, size_t *n)
REFUSED(nvrtcGetPTX, nvrtcProgram p, char *a)
