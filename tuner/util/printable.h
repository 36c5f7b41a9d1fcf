/*
 * printable.h - text of others, as a terminal may get it.
 *
 * A name in a database, a line of a compiler's log, an argument: each can hold what a terminal takes for a
 * command. Newlines and tabs stay; other control characters, those that turn the direction of text, and bytes
 * that are no UTF-8 become visible: \x1b, \u202e, \xff. Text that is printable already stays as it is.
 */
#ifndef AUTOTUNE_UTIL_PRINTABLE_H
#define AUTOTUNE_UTIL_PRINTABLE_H

#include "util/str.h"

bool atx_is_printable(const char *text);
void atx_str_add_printable(atx_str *out, const char *text);

/* In place; what has no room in `size` bytes is cut. */
void atx_make_printable(char *text, size_t size);

#endif
