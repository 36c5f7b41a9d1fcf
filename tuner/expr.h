/*
 * expr.h - the integer expressions of template declarations.
 *
 * C's operators with C's precedence on signed 64-bit integers:
 *   ?: || && | ^ & == != < <= > >= << >> + - * / % unary + - ! ~ ( )
 * and the functions min max (two or more arguments) ceil_div is_pow2 log2 gcd abs, and sizeof(T).
 * Literals are decimal or 0x hexadecimal. && || ?: do not evaluate the side that is not taken.
 *
 * Evaluation is total: division by zero, overflow, a shift outside 0..63, log2 of a value below 1 are
 * AT_ERR_INPUT with file, line and column of the operator. Compiled once, evaluated often, nothing allocated
 * while evaluating; at__expr_eval is thread-safe on a shared expression.
 *
 * Names are resolved while compiling, through a scope, to slots: indices into the array of values that
 * evaluation is given. A dotted name ("device.sms") and "sizeof(T)" are looked up as one name, spelled so.
 */
#ifndef AUTOTUNE_EXPR_H
#define AUTOTUNE_EXPR_H

#include <autotune/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a declaration. Lines and columns count from 1. `file` is borrowed. */
typedef struct at__where {
    const char *file;
    int         line;
    int         column;
} at__where;

/* Finds a name; returns its slot (0 or more), or -1. Must suit a name that is not terminated. */
typedef struct at__scope {
    int (*find)(const void *context, const char *name, size_t len);
    const void *context;
} at__scope;

typedef struct at__expr at__expr;

/* Limits that keep hostile declarations harmless. */
#define AT__EXPR_MAX_TEXT  4096
#define AT__EXPR_MAX_DEPTH 64

/*
 * Compiles text[0..len). `where` is the place of text[0]; it goes into messages, then and at evaluation.
 * An unknown name is AT_ERR_INPUT and says which.
 */
at_status at__expr_compile(at__expr **out, const char *text, size_t len, const at__scope *scope, at__where where,
                           at_error *err) AT_MUST_CHECK;

at_status at__expr_eval(int64_t *out, const at__expr *expr, const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* Does the expression read this slot? */
bool at__expr_reads(const at__expr *expr, int slot);

/* The text it was compiled from, trimmed. Borrowed from the expression. */
const char *at__expr_text(const at__expr *expr);

void at__expr_close(at__expr *expr); /* NULL is allowed */

#endif
