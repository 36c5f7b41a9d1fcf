/*
 * expr_code.h - the byte code between expr_parse.c, which writes it, and expr.c, expr_bounds.c and
 * expr_real.c, which run it. Private to them, and to declare_image.c, which copies it.
 *
 * A stack machine. && || ?: are jumps, everything else takes its operands from the stack and puts its result
 * there. The parser knows the stack's depth at every point, so evaluation needs no checks and a fixed stack.
 */
#pragma once

#include "expr/expr.h"

#define ATX_EXPR_MAX_STACK 256

typedef enum atx_code {
    ATX_PUSH,       /* value                                        */
    ATX_LOAD,       /* slots[value]                                 */
    ATX_JUMP,       /* to instruction `value`                       */
    ATX_JUMP_FALSE, /* takes the top                                */
    ATX_AND_JUMP,   /* top is 0: keep it and jump; else take it     */
    ATX_OR_JUMP,    /* top is not 0: make it 1 and jump; else take it */
    /* one operand */
    ATX_BOOL,
    ATX_NEG,
    ATX_NOT,
    ATX_INVERT,
    ATX_ABS,
    ATX_IS_POW2,
    ATX_LOG2,
    /* two operands */
    ATX_ADD,
    ATX_SUB,
    ATX_MUL,
    ATX_DIV,
    ATX_MOD,
    ATX_SHL,
    ATX_SHR,
    ATX_LT,
    ATX_LE,
    ATX_GT,
    ATX_GE,
    ATX_EQ,
    ATX_NE,
    ATX_BIT_AND,
    ATX_BIT_OR,
    ATX_BIT_XOR,
    ATX_MIN,
    ATX_MAX,
    ATX_CEIL_DIV,
    ATX_GCD
} atx_code;

/* at, begin, end: offsets in the text of the operator and of all that it applies to, for messages. */
typedef struct atx_instruction {
    int64_t value;
    uint16_t at, begin, end, code; /* no byte is left over: images of it are equal */
} atx_instruction;

/* With all that it points to in one piece of memory. */
struct atx_expr {
    atx_where where;
    char *text;  /* as in the file, trimmed: offsets in messages are offsets in it */
    char *shown; /* on one line; where it was on one, that                          */
    atx_instruction *code;
    size_t count;
};

/* *a = a OP b, *a = OP a, of instructions that do not jump; NULL, or the error. */
const char *atx_code_binary(unsigned code, int64_t *a, int64_t b);
const char *atx_code_unary(unsigned code, int64_t *a);

/* The same of all numbers between bounds; false: for some of them there may be an error. */
bool atx_bounds_binary(unsigned code, atx_bounds *out, atx_bounds a, atx_bounds b);
bool atx_bounds_unary(unsigned code, atx_bounds *a);

/* "file:7:12: REASON in 'a / b'" for an instruction of this expression. */
at_status atx_expr_fail(const atx_expr *expr, const atx_instruction *i, const char *reason, at_error *err);
