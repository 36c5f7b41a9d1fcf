/*
 * expr_parser.h - the base of the grammar in expr_parse.c: tokens, one ahead, the emitted code, and messages.
 * Private to expr*.c.
 *
 * The first failure stays in `status`. After it there are no more tokens and nothing is emitted, so the
 * grammar checks it once, at the end.
 */
#pragma once

#include "expr/expr_code.h"

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

typedef struct atx_parser {
    atx_where where;
    const char *text;
    size_t len;
    atx_expr_token token; /* not consumed yet                */
    size_t last_end;      /* where the token before it ended */
    atx_instruction *code;
    size_t count, code_cap;
    const atx_scope *scope;
    atx_indices indices; /* of the scope, with the values that they have here */
    bool skipping;       /* parsed code is not kept: names need not be known */
    at_error *err;
    at_status status;
    int depth; /* nesting of parentheses, calls, prefix operators and ?: */
    int stack; /* values on the machine's stack at this point            */
} atx_parser;

void atx_parser_next(atx_parser *p);
bool atx_expr_is_blank(char c);

static inline bool atx_parser_sees(const atx_parser *p, const char *sign)
{
    return p->token.sign == ATX_SIGN(sign[0], sign[1]);
}

/* Skips the sign if it is there. */
bool atx_parser_skip(atx_parser *p, const char *sign);

/* Skips the sign, or fails: "found ...; expected `expected`". */
void atx_parser_take(atx_parser *p, const char *sign, const char *expected);

void atx_parser_fail(atx_parser *p, size_t offset, const char *format, ...) AT_PRINTF(3, 4);
void atx_parser_expected(atx_parser *p, const char *expected); /* at the current token */
void atx_parser_stop(atx_parser *p, at_status status);         /* what others returned */

void atx_parser_emit(atx_parser *p, unsigned code, int64_t value, size_t at, size_t begin);

/* The jump emitted as instruction i goes to the next instruction. */
void atx_parser_land(atx_parser *p, size_t i);

/* A level deeper; `depth` is the caller's to lower. */
void atx_parser_enter(atx_parser *p);
