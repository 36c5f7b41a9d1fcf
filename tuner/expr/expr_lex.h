/*
 * expr_lex.h - the words, numbers and signs of an expression, one ahead of the parser. Private to expr*.c.
 */
#ifndef AUTOTUNE_EXPR_LEX_H
#define AUTOTUNE_EXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* BAD: a byte that starts no token; an error only where the parser cannot stop before it. */
typedef enum at__token_kind {
    AT__TOKEN_END,
    AT__TOKEN_NAME,
    AT__TOKEN_NUMBER,
    AT__TOKEN_SIGN,
    AT__TOKEN_BAD
} at__token_kind;

typedef struct at__token {
    at__token_kind kind;
    unsigned sign;     /* AT__SIGN of its characters; 0: it is none */
    size_t begin, end; /* offsets in the text                       */
} at__token;

/* A sign of one character, with 0 behind it, or of two. */
#define AT__SIGN(a, b) ((unsigned)(unsigned char)(a) << 8 | (unsigned char)(b))

/* Starts with `text` and `len` set and the rest zero. */
typedef struct at__lexer {
    const char *text;
    size_t len;
    at__token token; /* not consumed yet                */
    size_t last_end; /* where the token before it ended */
} at__lexer;

void at__lex_next(at__lexer *lex);
bool at__lex_is_blank(char c);

static inline bool at__lex_is_sign(const at__lexer *lex, const char *sign)
{
    return lex->token.sign == AT__SIGN(sign[0], sign[1]);
}

#endif
