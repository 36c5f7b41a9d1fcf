/*
 * expr_parse.h - the parser of expressions, as expr_parse.c and expr_index.c share it. Private to them.
 *
 * The current token is not consumed yet. Whatever parses leaves its value on the machine's stack.
 */
#ifndef AUTOTUNE_EXPR_PARSE_H
#define AUTOTUNE_EXPR_PARSE_H

#include "expr/expr_code.h"
#include "expr/expr_lex.h"

typedef struct atx_parser {
    atx_where where;
    atx_instruction *code;
    size_t count, code_cap;
    atx_expr_lexer lex;
    const atx_scope *scope;
    atx_indices indices; /* of the scope, with the values that they have here */
    bool skipping;       /* what is parsed is not kept: names need not be known */
    at_error *err;
    int depth; /* nesting of parentheses, calls, prefix operators and ?: */
    int stack; /* values on the machine's stack at this point            */
} atx_parser;

at_status atx_parser_fail(const atx_parser *p, size_t offset, const char *format, ...) AT_PRINTF(3, 4);

/* "found ...; expected ..." at the current token. */
at_status atx_parser_expected(const atx_parser *p, const char *expected);
at_status atx_parser_take(atx_parser *p, const char *sign, const char *expected) AT_MUST_CHECK;

at_status atx_parser_emit(atx_parser *p, unsigned code, int64_t value, size_t at, size_t begin) AT_MUST_CHECK;

/* The jump emitted as instruction i goes to what comes next. */
void atx_parser_land(atx_parser *p, size_t i);

/* A level deeper; `depth` is the caller's to lower. */
at_status atx_parser_enter(atx_parser *p) AT_MUST_CHECK;

/* The value of a name; `begin`: where it stands. */
at_status atx_parser_load(atx_parser *p, size_t begin, const char *name, size_t len) AT_MUST_CHECK;

at_status atx_parse_expression(atx_parser *p) AT_MUST_CHECK;

/* ---- indices: expr_index.c ---- */

/* After a name: `[`, of which index, `]`. The name that is meant is loaded. */
at_status atx_parse_indexed(atx_parser *p, size_t begin, size_t len) AT_MUST_CHECK;

/* The value of an index whose name was consumed. */
at_status atx_parse_index_value(atx_parser *p, const atx_index *index, size_t begin) AT_MUST_CHECK;

/*
 * sum(k: ...), of which the name was consumed and '(' is the current token. *is_fold false: it is something
 * else, and nothing was consumed.
 */
at_status atx_parse_fold(bool *is_fold, atx_parser *p, size_t begin, size_t len) AT_MUST_CHECK;

#endif
