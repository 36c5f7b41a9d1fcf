/* cut_lex.h - the tokens of a source that is cut, in which a directive is one token. Private to cut*.c. */
#pragma once

#include "source/lex.h"

/* false: out of memory. `comments`: those become tokens, too. */
bool atx_cut_lex(atx_tokens *out, const char *text, size_t len, bool comments);

/* The first word behind the '#' of a directive, and what follows it. */
bool atx_cut_directive_is(const atx_tokens *t, size_t i, const char *name);
const char *atx_cut_directive_rest(const atx_tokens *t, size_t i, size_t *len);

/* Visits the words of a range of tokens, those in directives included. */
void atx_cut_each_word(const atx_tokens *t, size_t begin, size_t end,
                       void (*visit)(void *context, const char *word, size_t len), void *context);
