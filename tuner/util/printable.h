/*
 * printable.h - text of others, as a terminal may get it.
 *
 * A name in a database, a line of a compiler's log, an argument: each can hold what a terminal takes for a
 * command. Newlines and tabs stay; other control characters, those that turn the direction of text, and bytes
 * that are no UTF-8 become visible: \x1b, \u202e, \xff. Text that is printable already stays as it is.
 */
#ifndef AUTOTUNE_UTIL_PRINTABLE_H
#define AUTOTUNE_UTIL_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

bool atx_is_printable(const char *text);

/* The character at `at`, which is not the end, as it may be printed; returns how many bytes it has there. */
enum { ATX_PRINTABLE_BYTES = 12 };
size_t atx_printable_next(char out[ATX_PRINTABLE_BYTES], const char *at);

/* In place; what has no room in `size` bytes is cut. */
void atx_make_printable(char *text, size_t size);

#endif
