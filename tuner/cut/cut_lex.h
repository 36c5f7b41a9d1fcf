/* cut_lex.h - CUDA source as tokens. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_LEX_H
#define AUTOTUNE_CUT_LEX_H

#include <stdbool.h>
#include <stddef.h>

typedef enum atx_cut_kind {
    ATX_CUT_WORD,
    ATX_CUT_NUMBER,
    ATX_CUT_TEXT, /* a string or character, raw strings too */
    ATX_CUT_COMMENT,
    ATX_CUT_DIRECTIVE, /* a whole preprocessor line, with those it goes on in; without its line end */
    ATX_CUT_SIGN       /* one character, or one of the operators of two */
} atx_cut_kind;

typedef struct atx_cut_token {
    atx_cut_kind kind;
    size_t begin, end;
} atx_cut_token;

/* The tokens of a text, which is borrowed. */
typedef struct atx_cut_tokens {
    const char *text;
    size_t len;
    atx_cut_token *items;
    size_t count, cap;
    bool open; /* a comment or string does not end */
} atx_cut_tokens;

/* false: out of memory. `comments`: those become tokens, too. */
bool atx_cut_lex(atx_cut_tokens *out, const char *text, size_t len, bool comments);
void atx_cut_tokens_clear(atx_cut_tokens *tokens);

/* Is token i (which may be past the end) this word or sign? */
bool atx_cut_is(const atx_cut_tokens *t, size_t i, const char *what);
bool atx_cut_is_word(const atx_cut_tokens *t, size_t i);

/* The first word behind the '#' of a directive, and what follows it. */
bool atx_cut_directive_is(const atx_cut_tokens *t, size_t i, const char *name);
const char *atx_cut_directive_rest(const atx_cut_tokens *t, size_t i, size_t *len);

/* From an opening bracket to the closing one that belongs to it; count when there is none. */
size_t atx_cut_match(const atx_cut_tokens *t, size_t i);

/* The next sign between begin and end that no bracket encloses, or end. */
size_t atx_cut_find(const atx_cut_tokens *t, size_t begin, size_t end, const char *sign);

/* Does a statement start at i, in a block? What is the body of an `if` or a loop does not. */
bool atx_cut_starts_statement(const atx_cut_tokens *t, size_t i);

/* Visits the words of a range of tokens, those in directives included. */
void atx_cut_each_word(const atx_cut_tokens *t, size_t begin, size_t end,
                       void (*visit)(void *context, const char *word, size_t len), void *context);

#endif
