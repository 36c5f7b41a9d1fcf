/* cut_lex.h - CUDA source as tokens. Private to cut*.c. */
#ifndef AUTOTUNE_CUT_LEX_H
#define AUTOTUNE_CUT_LEX_H

#include <stdbool.h>
#include <stddef.h>

typedef enum at__cut_kind {
    AT__CUT_WORD,
    AT__CUT_NUMBER,
    AT__CUT_TEXT, /* a string or character, raw strings too */
    AT__CUT_COMMENT,
    AT__CUT_DIRECTIVE, /* a whole preprocessor line, with those it goes on in; without its line end */
    AT__CUT_SIGN       /* one character, or one of the operators of two */
} at__cut_kind;

typedef struct at__cut_token {
    at__cut_kind kind;
    size_t begin, end;
} at__cut_token;

/* The tokens of a text, which is borrowed. */
typedef struct at__cut_tokens {
    const char *text;
    size_t len;
    at__cut_token *items;
    size_t count, cap;
    bool open; /* a comment or string does not end */
} at__cut_tokens;

/* false: out of memory. `comments`: those become tokens, too. */
bool at__cut_lex(at__cut_tokens *out, const char *text, size_t len, bool comments);
void at__cut_tokens_clear(at__cut_tokens *tokens);

/* Is token i (which may be past the end) this word or sign? */
bool at__cut_is(const at__cut_tokens *t, size_t i, const char *what);
bool at__cut_is_word(const at__cut_tokens *t, size_t i);

/* The first word behind the '#' of a directive, and what follows it. */
bool at__cut_directive_is(const at__cut_tokens *t, size_t i, const char *name);
const char *at__cut_directive_rest(const at__cut_tokens *t, size_t i, size_t *len);

/* From an opening bracket to the closing one that belongs to it; count when there is none. */
size_t at__cut_match(const at__cut_tokens *t, size_t i);

/* The next sign between begin and end that no bracket encloses, or end. */
size_t at__cut_find(const at__cut_tokens *t, size_t begin, size_t end, const char *sign);

/* Does a statement start at i, in a block? What is the body of an `if` or a loop does not. */
bool at__cut_starts_statement(const at__cut_tokens *t, size_t i);

/* Visits the words of a range of tokens, those in directives included. */
void at__cut_each_word(const at__cut_tokens *t, size_t begin, size_t end,
                       void (*visit)(void *context, const char *word, size_t len), void *context);

#endif
