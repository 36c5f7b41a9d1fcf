/*
 * includes_hidden.h - the directives of a text, also those inside comments, strings or #if.
 * Private to includes*.c.
 */
#pragma once

#include "util/str.h"

/* #include and the like with its file, or a question. */
typedef struct atx_hidden {
    const char *begin, *end;
    const char *name; /* its file; NULL: it is not written out */
    size_t len;
    bool asks;
} atx_hidden;

/* Joins the lines that a backslash continues; their ends come after the line, so that numbers stay. Blanks
 * behind the backslash: NVRTC joins no such lines. */
void atx_hidden_join(atx_str *out, const char *text);

/* The same as a compiler may do it that takes blanks behind the backslash, or ??/ for one. */
void atx_hidden_join_widely(atx_str *out, const char *text);

/* The next one of a text whose lines are joined, at `from` or behind. false: there is none. */
bool atx_hidden_next(atx_hidden *out, const char *text, const char *from);
