/*
 * directives.h - what a text includes, or asks for: #include and its kin, __has_include and its own.
 */
#ifndef AUTOTUNE_DIRECTIVES_H
#define AUTOTUNE_DIRECTIVES_H

#include "util/str.h"

/* #include and the like with what it names, or a question. */
typedef struct atx_directive {
    const char *begin, *end;
    const char *name; /* what it names; NULL: it is not written out */
    size_t len;
    const char *macro; /* where no name is: the word that stands for it; NULL: there is none either */
    size_t macro_len;
    bool asks;
} atx_directive;

/* Joins the lines that a backslash continues; their ends come after the line, so that numbers stay. Blanks
 * behind the backslash: NVRTC joins no such lines. */
void atx_join_lines(atx_str *out, const char *text);

/* The same as a compiler may do it that takes blanks behind the backslash, or ??/ for one. */
void atx_join_lines_widely(atx_str *out, const char *text);

/* The next one of a text whose lines are joined, at `from` or behind. false: there is none. */
bool atx_directive_next(atx_directive *out, const char *text, const char *from);

/* The next name that a #define of the text gives to a macro, at `from` or behind; other values are passed
 * over. false: there is none. */
bool atx_directive_defined(atx_directive *out, const char *text, const char *from, const char *macro,
                           size_t macro_len);

#endif
