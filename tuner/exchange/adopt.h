/*
 * adopt.h - a first draft of declarations for a kernel that is there: an op and a template around its file.
 *
 * Pure text. What can be seen in the file is written down; what only its author knows is guessed, and its
 * line ends in a comment that begins with '?', which `autotune check` asks about.
 */
#pragma once

#include "declare/declare.h"
#include "exchange/adopt_space.h"
#include "util/str.h"

typedef struct atx_adopt_input {
    const char *text;      /* of the file, or of that with its own headers        */
    const atx_part *parts; /* which are pieces of these files; NULL: one file     */
    size_t part_count;
    const char *path;   /* of it, for messages                                 */
    const char *part;   /* the name of the piece that has the kernel; NULL: that of `path` itself */
    const char *source; /* as the template's `source` line shall say it        */
    const char *const
        *includes;      /* folders of headers, as `include` lines shall say them, NULL-ended; NULL: none */
    const char *kernel; /* NULL: the only one of the file                      */
    const char *name;   /* of the op; NULL: after the kernel */
    const atx_adopt_space *space; /* a tuning problem that says more; NULL: none */
    const char *const
        *undefined; /* names that the compiler does not know: parameters, it seems; NULL-ended */
} atx_adopt_input;

typedef struct atx_adopted {
    char name[64];   /* of the op, and of its folder                  */
    char shape[160]; /* of the tuning problem, "4096x4096"; "": none  */
    atx_str op, t;   /* op.cu and the template       */
    int questions;
    bool unknown;     /* the kernel's code has names that nothing in the text defines */
    bool launched;    /* there is a launch of it */
    char kernel[256]; /* in the file */
} atx_adopted;

/* AT_ERR_INPUT: no kernel, several of which none was named, or one that cannot be understood. */
at_status atx_adopt(atx_adopted *out, const atx_adopt_input *in, at_error *err) AT_MUST_CHECK;
void atx_adopted_clear(atx_adopted *adopted);

/* ---- between adopt*.c ---- */

/* The first lines of a template, up to its files; paths that have blanks are in quotes. */
void atx_adopt_add_files(atx_str *out, const char *source, const char *const *includes);
