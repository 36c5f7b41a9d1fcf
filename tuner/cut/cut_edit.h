/* cut_edit.h - replacing parts of a text, with the lines and comments that go with them. Private to cut*.c.
 */
#ifndef AUTOTUNE_CUT_EDIT_H
#define AUTOTUNE_CUT_EDIT_H

#include "util/str.h"

typedef struct atx_cut_span {
    size_t begin, end; /* of the text */
} atx_cut_span;

/* Blanks at the beginning of the line that the place is on. */
size_t atx_cut_indent(const char *text, size_t at);

/* Adds text with up to `by` blanks less at the beginning of each line but the first. */
void atx_cut_add_dedented(atx_str *out, const char *text, size_t len, size_t by);

/* Replaces a span. Without a replacement its whole lines go, if nothing else is on them. */
void atx_cut_splice(atx_str *text, atx_cut_span s, const char *by);

/* From the comments right above a place, on lines of their own; to the one behind it on its line. */
size_t atx_cut_comments_above(const atx_str *text, size_t begin);
size_t atx_cut_comment_behind(const atx_str *text, size_t end);

#endif
