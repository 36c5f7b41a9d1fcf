/*
 * shape_text.h - a line of problems as users write them: its words, its numbers, its errors.
 * Private to shapes.c and layout_text.c.
 *
 * The first failure stays: after it the line counts as read.
 */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct atx_shape_text {
    const char *line, *end; /* without its comment              */
    const char *p;          /* the rest to read                 */
    at_error cause;         /* of the failure, without its place */
    const char *guilty;     /* its place in the line            */
} atx_shape_text;

static inline bool atx_shape_good(const atx_shape_text *t)
{
    return t->cause.status == AT_OK;
}

bool atx_shape_is_blank(char c);
void atx_shape_skip_blanks(atx_shape_text *t);
const char *atx_shape_word_end(const atx_shape_text *t, const char *word); /* the next blank */
bool atx_shape_sees_digit(const atx_shape_text *t);

/* A word as a message can show it: not too long, nothing that a terminal would obey. */
typedef struct atx_shape_word {
    char text[44];
} atx_shape_word;
atx_shape_word atx_shape_show(const char *word, const char *end);
atx_shape_word atx_shape_show_word(const atx_shape_text *t, const char *word); /* up to the next blank */

void atx_shape_fail(atx_shape_text *t, const char *at, const char *format, ...) AT_PRINTF(3, 4);

/* Reads a number; digits may be grouped by '_'. `size`: a positive one, which does not look like two; 4K and
 * 1M are. */
int64_t atx_shape_number(atx_shape_text *t, bool size);

/* "calls=12" at the end of the line, which ends before it then; 1: the line has none. */
int64_t atx_shape_read_calls(atx_shape_text *t);
