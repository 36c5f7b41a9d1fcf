/*
 * undefined.h - undefined names in a CUDA file, found in the compiler's log: most likely parameters that a
 * tuner sets.
 */
#pragma once

#include "declare/declare_gather.h"
#include "util/str.h"

#define ATX_MAX_UNDEFINED 32

typedef struct atx_undefined {
    char names[ATX_MAX_UNDEFINED][64];
    const char *list[ATX_MAX_UNDEFINED + 1]; /* of them, NULL-ended */
    int count;
} atx_undefined;

/* A file, or the code of one kernel in it. */
typedef struct atx_undefined_file {
    const char *path;
    const char *kernel;        /* only the code that it reaches; NULL: all                         */
    const atx_paths *includes; /* folders of its headers, relative to its own                      */
    const char *allow;         /* folders that may be read besides its own, with ':' between them  */
    const char *defines;       /* lines of macros that stand before it; NULL: none                 */
} atx_undefined_file;

/* None where there is no NVRTC, or the file is wrong in other ways too. Functions and types are no
 * parameters. */
void atx_undefined_find(atx_undefined *out, const atx_undefined_file *file);

/* The file with the headers of its own in place of their #include lines. AT_ERR_INPUT: one of them cannot be
 * read. Clear *out either way. */
at_status atx_undefined_gather(atx_gathered *out, const atx_undefined_file *file,
                               at_error *err) AT_MUST_CHECK;
