/*
 * expr_code.h - the byte code between expr_parse.c, which writes it, and expr.c, expr_bounds.c and
 * expr_residue.c, which run it. Private to them, and to declare_image.c, which copies it.
 *
 * A stack machine. && || ?: are jumps, everything else takes its operands from the stack and puts its result
 * there. The parser knows the stack's depth at every point, so evaluation needs no checks and a fixed stack.
 */
#ifndef AUTOTUNE_EXPR_CODE_H
#define AUTOTUNE_EXPR_CODE_H

#include "expr/expr.h"

#define AT__EXPR_MAX_STACK 256

typedef enum at__code {
    AT__PUSH,       /* value                                        */
    AT__LOAD,       /* slots[value]                                 */
    AT__JUMP,       /* to instruction `value`                       */
    AT__JUMP_FALSE, /* takes the top                                */
    AT__AND_JUMP,   /* top is 0: keep it and jump; else take it     */
    AT__OR_JUMP,    /* top is not 0: make it 1 and jump; else take it */
    /* one operand */
    AT__BOOL,
    AT__NEG,
    AT__NOT,
    AT__INVERT,
    AT__ABS,
    AT__IS_POW2,
    AT__LOG2,
    /* two operands */
    AT__ADD,
    AT__SUB,
    AT__MUL,
    AT__DIV,
    AT__MOD,
    AT__SHL,
    AT__SHR,
    AT__LT,
    AT__LE,
    AT__GT,
    AT__GE,
    AT__EQ,
    AT__NE,
    AT__BIT_AND,
    AT__BIT_OR,
    AT__BIT_XOR,
    AT__MIN,
    AT__MAX,
    AT__CEIL_DIV,
    AT__GCD
} at__code;

/* at, begin, end: offsets in the text of the operator and of all that it applies to, for messages. */
typedef struct at__instruction {
    int64_t value;
    uint16_t at, begin, end, code; /* no byte is left over: images of it are equal */
} at__instruction;

/* With all that it points to in one piece of memory. */
struct at__expr {
    at__where where;
    char *text;  /* as in the file, trimmed: offsets in messages are offsets in it */
    char *shown; /* on one line; where it was on one, that                          */
    at__instruction *code;
    size_t count;
};

/* *a = a OP b, *a = OP a, of instructions that do not jump; NULL, or what is wrong. */
const char *at__code_binary(unsigned code, int64_t *a, int64_t b);
const char *at__code_unary(unsigned code, int64_t *a);

/* "file:7:12: REASON in 'a / b'" for an instruction of this expression. */
at_status at__expr_fail(const at__expr *expr, const at__instruction *i, const char *reason, at_error *err);

#endif
