/*
 * nvrtc_internal.h - an NVRTC that was found and opened. Private to nvrtc*.c: nvrtc_open.c finds it,
 * nvrtc_headers.c the headers that belong to it, nvrtc.c compiles.
 */
#pragma once

#include "compile/includes.h"
#include "compile/nvrtc.h"

#include <glob.h>
#include <limits.h>
#include <nvrtc.h>

/* The calls in use; all of them are in 11.8, whatever header this is compiled with. */
#define ATX_NVRTC_CALLS(X)                                                                                   \
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

struct atx_nvrtc_calls {
#define X(name) __typeof__(&name) name;
    ATX_NVRTC_CALLS(X)
#undef X
};

/* Those that came with precompiled headers (12.8), declared here for older headers of CUDA. */
struct atx_nvrtc_heap {
    nvrtcResult (*status)(nvrtcProgram program);
    nvrtcResult (*required)(nvrtcProgram program, size_t *bytes);
    nvrtcResult (*set)(size_t bytes); /* NULL: there are none */
};
#define ATX_NVRTC_HEAP_EXHAUSTED 14

/* Options that a version may refuse, see nvrtc.c. */
enum { ATX_VERBOSE, ATX_NO_CACHE, ATX_KEEP_STACK_LIMIT, ATX_MINIMAL, ATX_OPTIONAL_COUNT };

struct atx_nvrtc {
    void *library;
    struct atx_nvrtc_calls call;
    struct atx_nvrtc_heap heap;
    char version[16], path[PATH_MAX];
    bool no_environment;          /* getenv is not asked */
    char *cuda[ATX_CUDA_FOLDERS]; /* folders of CUDA's headers, in the order of a search; then NULL */
    int headers_number;           /* their version, as version_number; 0: they do not say           */
    atx_headers *own;             /* the user's */
    int archs[64];                /* ascending */
    int arch_count;
    bool refused[ATX_OPTIONAL_COUNT];
    int version_number; /* 1300 for 13.0                                       */
    bool hurries;       /* atx_nvrtc_hurry                                     */
    char ahead[512];    /* folder of headers that are compiled ahead; "": none */
    char whole[512];    /* the file that --minimal failed for last; "": none   */
    bool only_behind;   /* the user's turned out not to come first             */
};

/* Python wheels with the compiler and all of its headers, as pip is told them. */
#define ATX_WHEELS_13 "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt"

/* Environment variables that name a toolkit, or an environment that has its parts; the first counts most. */
enum { ATX_TOOLKIT_VARIABLES = 3 };
extern const char *const atx_toolkit_variables[ATX_TOOLKIT_VARIABLES];

/* What matches a pattern (braces too) below the folder `root`, which is taken as it is. */
void atx_nvrtc_glob(glob_t *found, const char *root, const char *pattern);

/* Sets nvrtc->cuda and headers_number. */
void atx_nvrtc_find_headers(atx_nvrtc *nvrtc);

/* Adds what is missing, and the wheel that has it, to a log that complains of a header of CUDA's. false: it
 * does not. */
bool atx_nvrtc_headers_hint(atx_str *log, const atx_nvrtc *nvrtc);
