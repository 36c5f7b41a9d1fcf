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

bool at__is_printable(const char *text);
void at__str_add_printable(at__str *out, const char *text);

/* In place; what has no room in `size` bytes is cut. */
void at__make_printable(char *text, size_t size);

#endif
