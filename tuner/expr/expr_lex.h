/*
 * expr_lex.h - the words, numbers and signs of an expression, one ahead of the parser. Private to expr*.c.
 */
#ifndef AUTOTUNE_EXPR_LEX_H
#define AUTOTUNE_EXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* BAD: a byte that starts no token; an error only where the parser cannot stop before it. */
typedef enum atx_expr_token_kind {
    ATX_EXPR_END,
    ATX_EXPR_NAME,
    ATX_EXPR_NUMBER,
    ATX_EXPR_SIGN,
    ATX_EXPR_BAD
} atx_expr_token_kind;

typedef struct atx_expr_token {
    atx_expr_token_kind kind;
    unsigned sign;     /* ATX_SIGN of its characters; 0: it is none */
    size_t begin, end; /* offsets in the text                       */
} atx_expr_token;

/* A sign of one character, with 0 behind it, or of two. */
#define ATX_SIGN(a, b) ((unsigned)(unsigned char)(a) << 8 | (unsigned char)(b))

/* Starts with `text` and `len` set and the rest zero. */
typedef struct atx_expr_lexer {
    const char *text;
    size_t len;
    atx_expr_token token; /* not consumed yet                */
    size_t last_end;      /* where the token before it ended */
} atx_expr_lexer;

void atx_expr_lex_next(atx_expr_lexer *lex);
bool atx_expr_lex_is_blank(char c);

static inline bool atx_expr_lex_is_sign(const atx_expr_lexer *lex, const char *sign)
{
    return lex->token.sign == ATX_SIGN(sign[0], sign[1]);
}

#endif
