/*
 * includes.h - the files that a template may #include: those of its own folder, of the folder `common` beside
 * or in it, of folders that are named here, CUDA's headers and those in folders of the user's
 * (source/headers.h). A compiler quotes lines that it does not understand, and would so print any file that a
 * template names.
 *
 * Links and `..` are followed before a file is checked. The template's own files are read, and their includes
 * are checked too; CUDA's and the user's are accepted unread. Names that are made by macros are refused.
 */
#pragma once

#include "source/headers.h"
#include "util/str.h"

enum { ATX_CUDA_FOLDERS = 4 };

typedef struct atx_include_folders {
    const char *const *own; /* besides the template's; those that the compiler searches, in any order */
    int own_count;
    char *cuda[ATX_CUDA_FOLDERS]; /* of CUDA's headers; NULL: no more of them */
    const atx_headers *headers;   /* NULL: none */
} atx_include_folders;

/*
 * `source` will be compiled under `name`, the template's file. *safe stays empty when it may be compiled as
 * it is; else it is what to compile instead: directives that reach outside have become #error, which only
 * those that are alive make; questions (__has_include) have become 0. A file that cannot be checked counts
 * as outside.
 */
at_status atx_includes_check(atx_str *safe, const char *source, const char *name,
                             const atx_include_folders *folders, at_error *err) AT_MUST_CHECK;

/*
 * The same afterwards, for what a header of CUDA's was made to include: a log that speaks of a file outside
 * is replaced by one that only names it. Files whose text is in `source`, behind a #line that names them, are
 * not outside.
 */
void atx_includes_hide(atx_str *log, const char *source, const char *name,
                       const atx_include_folders *folders);

/* Adds what to do to a log that complains of headers that NVRTC cannot take, or of names that those may
 * declare which the source lacks (source/device_view.h). */
void atx_includes_hint(atx_str *log, const char *source);
