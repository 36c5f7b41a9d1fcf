/*
 * nvrtc_parts.h - an NVRTC that was found and opened. Private to nvrtc*.c: nvrtc_open.c finds it, nvrtc.c
 * compiles.
 */
#ifndef AUTOTUNE_NVRTC_PARTS_H
#define AUTOTUNE_NVRTC_PARTS_H

#include "compile/nvrtc.h"

#include <limits.h>
#include <nvrtc.h>

/* The calls in use; all of them are in 11.8, whatever header this is compiled with. */
#define AT__NVRTC_CALLS(X)                                                                                   \
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

struct at__nvrtc_calls {
#define X(name) __typeof__(&name) name;
    AT__NVRTC_CALLS(X)
#undef X
};

/* Those that came with precompiled headers (12.8), declared here for older headers of CUDA. */
struct at__nvrtc_heap {
    nvrtcResult (*status)(nvrtcProgram program);
    nvrtcResult (*required)(nvrtcProgram program, size_t *bytes);
    nvrtcResult (*set)(size_t bytes); /* NULL: there are none */
};
#define AT__NVRTC_HEAP_EXHAUSTED 14

/* Options that a version may refuse, see nvrtc.c. */
enum { AT__VERBOSE, AT__NO_CACHE, AT__KEEP_STACK_LIMIT, AT__OPTIONAL_COUNT };

struct at__nvrtc {
    void *library;
    struct at__nvrtc_calls call;
    struct at__nvrtc_heap heap;
    char version[16], path[PATH_MAX];
    char headers[PATH_MAX]; /* folder of CUDA's */
    at__headers *own;       /* the user's       */
    int archs[64];          /* ascending */
    int arch_count;
    bool refused[AT__OPTIONAL_COUNT];
    int version_number; /* 1300 for 13.0                                       */
    bool hurries;       /* at__nvrtc_hurry                                     */
    char ahead[512];    /* folder of headers that are compiled ahead; "": none */
    bool only_behind;   /* the user's turned out not to come first             */
};

#endif
