/* directives.h - the names in a text's directives: #include and its kin, __has_include and our own. */
#pragma once

#include "source/lex.h"

/* What an #include or the like names, or a question. */
typedef struct atx_directive {
    const char *name; /* what it names; NULL: it is not written out */
    size_t len;
    bool quoted;
    const char *macro; /* where no name is: the word that stands for it; NULL: there is none either */
    size_t macro_len;
} atx_directive;

/* The next one that a directive of the code has, of which `inside` is the rest (atx_lexer_inside). false:
 * none. */
bool atx_directive_next(atx_directive *out, atx_lexer *inside);

/* Whether this directive of the code defines the macro as a name. */
bool atx_directive_defines(atx_directive *out, atx_lexer inside, const char *macro, size_t macro_len);
