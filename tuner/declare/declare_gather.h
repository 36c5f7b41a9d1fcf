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
#include "source/headers.h"
#include "util/str.h"

typedef struct at__gathered {
    at__str text;
    at__part
        *parts; /* their `file` is relative to the template's folder, as `source` and #include spell it */
    size_t count, cap;
} at__gathered;

/*
 * `headers` (NULL: none) are the user's folders: what lies in them stays where it is.
 *
 * `file` is the template's. AT_ERR_INPUT, with the place of the `source` line or of the #include: a file that
 * cannot be read, that is no text, too much of it, a circle that no guard ends. Clear *out either way.
 */
at_status at__gather(at__gathered *out, const char *file, const at__paths *sources, const at__paths *includes,
                     const at__headers *headers, at_error *err) AT_MUST_CHECK;

/*
 * The same for the text of a template, an op or common code itself, whose pieces have the file's last
 * component as their `file`. Only files of its own folder and of common/ beside it, and those in `includes`,
 * are taken; none that stands behind `#ifndef AUTOTUNE_RENDERED`.
 */
at_status at__gather_own(at__gathered *out, const char *file, const char *text, size_t len,
                         const at__paths *includes, const at__headers *headers, at_error *err) AT_MUST_CHECK;
void at__gathered_clear(at__gathered *gathered);

#endif
