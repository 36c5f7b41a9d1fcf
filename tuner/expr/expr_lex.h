/*
 * expr_lex.h - the words, numbers and signs of an expression, one ahead of the parser. Private to expr*.c.
 */
#ifndef AUTOTUNE_EXPR_LEX_H
#define AUTOTUNE_EXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* BAD: a byte that starts no token; an error only where the parser cannot stop before it. */
typedef enum atx_token_kind {
    ATX_TOKEN_END,
    ATX_TOKEN_NAME,
    ATX_TOKEN_NUMBER,
    ATX_TOKEN_SIGN,
    ATX_TOKEN_BAD
} atx_token_kind;

typedef struct atx_token {
    atx_token_kind kind;
    unsigned sign;     /* ATX_SIGN of its characters; 0: it is none */
    size_t begin, end; /* offsets in the text                       */
} atx_token;

/* A sign of one character, with 0 behind it, or of two. */
#define ATX_SIGN(a, b) ((unsigned)(unsigned char)(a) << 8 | (unsigned char)(b))

/* Starts with `text` and `len` set and the rest zero. */
typedef struct atx_lexer {
    const char *text;
    size_t len;
    atx_token token; /* not consumed yet                */
    size_t last_end; /* where the token before it ended */
} atx_lexer;

void atx_lex_next(atx_lexer *lex);
bool atx_lex_is_blank(char c);

static inline bool atx_lex_is_sign(const atx_lexer *lex, const char *sign)
{
    return lex->token.sign == ATX_SIGN(sign[0], sign[1]);
}

#endif
