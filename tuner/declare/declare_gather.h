/*
 * declare_gather.h - the files that a template names in its `source` lines, and its own, with the headers
 * that they include, as one text.
 *
 * An #include of a file beside the including one, or in one of the template's `include` folders, is replaced
 * by that file; all others (CUDA's own headers, those of the user's folders) stay. So a template's hash
 * covers all of its code except CUDA, a stored winner compiles without the files, and the compiler opens none
 * of them.
 */
#pragma once

#include "declare/declare.h"
#include "source/allowed.h"
#include "source/headers.h"
#include "util/str.h"

typedef struct atx_gathered {
    atx_str text;
    atx_part
        *parts; /* their `file` is relative to the template's folder, as `source` and #include spell it */
    size_t count, cap;
} atx_gathered;

/* Whose files are gathered. */
typedef struct atx_gather_request {
    const char *file; /* the template's, the op's or that of common code */
    const atx_paths *sources, *includes;
    const atx_headers *headers;     /* the user's folders, whose headers are not inserted; NULL: none */
    const atx_allowed *allowed;     /* which files may be read */
    const char *reached, *replaced; /* of sources for the device: atx_device_request.roots and replaced */
    bool large; /* the text is read, not compiled: it may be as large as the source of a view */
} atx_gather_request;

/*
 * The files of the `source` lines. Of those for the device all that its kernels do not need is blanked
 * (source/device_view.h), and headers that come with the program stand before them. AT_ERR_INPUT, with the
 * place of the line or of the #include: a file that may not or cannot be read, that is no text, too much of
 * it, a circle that no guard ends. Clear *out either way.
 */
at_status atx_gather(atx_gathered *out, const atx_gather_request *request, at_error *err) AT_MUST_CHECK;

/*
 * The same for the text of a template, an op or common code itself, whose pieces have the file's last
 * component as their `file`; but for what stands behind `#ifndef AUTOTUNE_RENDERED`.
 */
at_status atx_gather_own(atx_gathered *out, const atx_gather_request *request, const char *text, size_t len,
                         at_error *err) AT_MUST_CHECK;

/* Adds a piece with this file, line and length, which are copied. */
at_status atx_gathered_add(atx_gathered *out, const atx_part *piece, const char *text,
                           at_error *err) AT_MUST_CHECK;
void atx_gathered_clear(atx_gathered *gathered);
