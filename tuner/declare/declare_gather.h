/*
 * declare_gather.h - the files that a template names in its `source` lines, and its own, with the headers
 * that they include, as one text.
 *
 * An #include of a file that lies beside the including one, or in one of the template's `include` folders, is
 * replaced by that file; every other one (CUDA's own headers, those of the user's folders) stays. So a
 * template's hash covers all that it is made of but CUDA, a stored winner compiles without the files, and the
 * compiler opens none of them.
 */
#ifndef AUTOTUNE_DECLARE_GATHER_H
#define AUTOTUNE_DECLARE_GATHER_H

#include "declare/declare.h"
#include "source/allowed.h"
#include "source/headers.h"
#include "util/str.h"

typedef struct at__gathered {
    at__str text;
    at__part
        *parts; /* their `file` is relative to the template's folder, as `source` and #include spell it */
    size_t count, cap;
} at__gathered;

/* Whose files are gathered. */
typedef struct at__gather_request {
    const char *file; /* the template's, the op's or that of common code */
    const at__paths *sources, *includes;
    const at__headers *headers; /* the user's folders, where what lies in them stays; NULL: none */
    const at__allowed *allowed; /* which files may be read */
} at__gather_request;

/*
 * The files of the `source` lines. AT_ERR_INPUT, with the place of the line or of the #include: a file that
 * may not or cannot be read, that is no text, too much of it, a circle that no guard ends. Clear *out either
 * way.
 */
at_status at__gather(at__gathered *out, const at__gather_request *request, at_error *err) AT_MUST_CHECK;

/*
 * The same for the text of a template, an op or common code itself, whose pieces have the file's last
 * component as their `file`; but for what stands behind `#ifndef AUTOTUNE_RENDERED`.
 */
at_status at__gather_own(at__gathered *out, const at__gather_request *request, const char *text, size_t len,
                         at_error *err) AT_MUST_CHECK;
void at__gathered_clear(at__gathered *gathered);

#endif
