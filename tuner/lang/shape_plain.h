/*
 * shape_plain.h - what lines of problems say in other words, in the plain ones: characters that documents and
 * keyboards put for "x" and blanks, and ranges of sizes. Private to shapes.c.
 */
#pragma once

#include "util/str.h"

/* The text with 'x' for a multiplication sign and a blank for each kind of blank that does not break, a
 * character for a character; without a byte order mark. */
void atx_shape_plain(atx_str *out, const char *text, size_t len);

/* A word NAME=FIRST..LAST. */
typedef struct atx_shape_range {
    const char *numbers, *end; /* behind the '=', and behind the word */
    int64_t first, last;
} atx_shape_range;

/* The first such word of a line; false: there is none. */
bool atx_shape_find_range(atx_shape_range *out, const char *line, const char *end);

/* The sizes that a range stands for, one after the other: both ends, and powers of two between them. 0: that
 * was the last. */
int64_t atx_shape_range_next(const atx_shape_range *range, int64_t size);
