/*
 * expr.h - the integer expressions of template declarations.
 *
 * C's operators with C's precedence on signed 64-bit integers:
 *   ?: || && | ^ & == != < <= > >= << >> + - * / % unary + - ! ~ ( )
 * and the functions min max (two or more arguments) ceil_div is_pow2 log2 gcd abs, and sizeof(T).
 * Literals are decimal or 0x hexadecimal. && || ?: do not evaluate the side that is not taken.
 * Comparisons do not chain: `8 <= x <= 64` is refused, because C would not mean what was meant.
 *
 * log2 rounds down, ceil_div rounds up (also below zero), / and % are C's, >> keeps the sign.
 *
 * Evaluation is total: division by zero, overflow, a shift outside 0..63, log2 of a value below 1 are
 * AT_ERR_INPUT with file, line and column of the operator. Compiled once, evaluated often, nothing allocated
 * while evaluating; atx_expr_eval is thread-safe on a shared expression.
 *
 * An index stands for a small number while an expression is compiled, which makes families of names: where d
 * is 6, `n[d]` is the name n6, `n[d + 1]` is n7, and `d` is 6. In
 *   sum product all any gcd min max (k: EXPRESSION)
 * the index k takes all its values, one after the other; in `product(k > d: n[k])` only those that the
 * condition admits. Where none is, the sum is 0, the product 1, all is true, any false, gcd 0; min and max
 * are refused. It compiles to what is meant, n7 * n6 ..., and costs as much.
 *
 * Names are resolved while compiling, through a scope, to slots: indices into the array of values that
 * evaluation is given. A dotted name ("device.sms") and "sizeof(T)" are looked up as one name, spelled so.
 *
 * A backslash at the end of a line counts as a blank, so that an expression may span lines.
 */
#pragma once

#include "util/fail.h"
#include "util/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a declaration. Lines and columns (in bytes) count from 1. `file` is borrowed. */
typedef struct atx_where {
    const char *file;
    int line;
    int column;
} atx_where;

/* The place of text[offset], when `start` is that of text[0]. */
atx_where atx_where_after(atx_where start, const char *text, size_t offset);

/* "file:line:column: ..." with AT_ERR_INPUT, which it returns. */
at_status atx_fail_at(at_error *err, atx_where where, const char *format, ...) AT_PRINTF(3, 4);

/* An index: it goes from `first` to `last`, up or down. Bound: an expression may read its value. */
#define ATX_MAX_INDICES    4
#define ATX_MAX_INDEX_NAME 16
typedef struct atx_index {
    char name[ATX_MAX_INDEX_NAME];
    int first, last;
    int value;
    bool bound;
} atx_index;

typedef struct atx_indices {
    atx_index items[ATX_MAX_INDICES];
    int count;
} atx_indices;

/* NULL: no index is called that. */
const atx_index *atx_index_find(const atx_indices *indices, const char *name, size_t len);

/* Finds a name; returns its slot (0 or more), or -1. Must suit a name that is not terminated. */
typedef struct atx_scope {
    int (*find)(const void *context, const char *name, size_t len);
    const void *context;
    const char *(*name)(const void *context, int i); /* the i-th known name, NULL after the last; for
                                                        suggestions; may be NULL */
    const atx_indices *indices;                      /* NULL: none */
} atx_scope;

typedef struct atx_expr atx_expr;

/* Limits that keep hostile declarations harmless. */
#define ATX_EXPR_MAX_TEXT  4096
#define ATX_EXPR_MAX_DEPTH 64
#define ATX_EXPR_MAX_CODE  16384 /* instructions: what indices make of a text */

/*
 * Compiles text[0..len). `where` is the place of text[0]; it goes into messages, then and at evaluation.
 * An unknown name is AT_ERR_INPUT and says which.
 */
at_status atx_expr_compile(atx_expr **out, const char *text, size_t len, const atx_scope *scope,
                           atx_where where, at_error *err) AT_MUST_CHECK;

/*
 * Compiles the longest expression that text starts with, and tells in *used where the next thing starts
 * (blanks are skipped): for lists such as "TILE * 2 ROWS", and for "T[count] output".
 */
at_status atx_expr_compile_first(atx_expr **out, size_t *used, const char *text, size_t len,
                                 const atx_scope *scope, atx_where where, at_error *err) AT_MUST_CHECK;

at_status atx_expr_eval(int64_t *out, const atx_expr *expr, const int64_t *slots,
                        at_error *err) AT_MUST_CHECK;

/*
 * The same of real numbers, for metrics: + - * / min max abs, comparisons and truth are of doubles, so that
 * 1 / 2 is 0.5; all else is of integers and wants whole numbers. A slot that is NaN is not known:
 * AT_ERR_INPUT where it is read. The result is finite.
 */
at_status atx_expr_eval_real(double *out, const atx_expr *expr, const double *slots,
                             at_error *err) AT_MUST_CHECK;

/* All numbers from low to high. */
typedef struct atx_bounds {
    int64_t low, high;
} atx_bounds;

/*
 * Where the value lies when each slot lies anywhere between its bounds. false: it may not be possible to
 * evaluate it for all of them (or that cannot be told). Wider than need be, never too narrow: each operator
 * is looked at by itself (interval arithmetic).
 */
bool atx_expr_bounds(atx_bounds *out, const atx_expr *expr, const atx_bounds *slots);

/* The state of a slot while slots are bound one after the other. */
typedef enum atx_binding {
    ATX_UNBOUND,  /* nothing yet                                    */
    ATX_BOUND,    /* a value, until another one is tried            */
    ATX_CONSTANT, /* a value that stays                             */
} atx_binding;

/*
 * Writes what of the bound values the expression's value still depends on, at most `max` numbers; returns how
 * many. Where they are equal for two ways to bind the same slots, the value is the same, or its evaluation
 * fails alike, whatever the other slots are bound to: of "(A + 2 * B + C) % 7" with A and B bound it is their
 * sum, "A + 2 * B". -1: they are more than `max`, or a part that is bound may not be possible to evaluate.
 */
int atx_expr_residue(int64_t *out, int max, const atx_expr *expr, const int64_t *slots,
                     const atx_binding *bindings);

/* Does the expression read this slot? One of those that are marked? */
bool atx_expr_reads(const atx_expr *expr, int slot);
bool atx_expr_reads_any(const atx_expr *expr, const bool *marked);
void atx_expr_mark_reads(bool *marks, const atx_expr *expr); /* marks those that it reads, besides others */

/* The text it was compiled from, trimmed and on one line. Borrowed from the expression. */
const char *atx_expr_text(const atx_expr *expr);

/* The place of its first character. */
atx_where atx_expr_where(const atx_expr *expr);

/* Is it the name of a function ("min")? Such a name is no good for a parameter. */
bool atx_expr_is_function(const char *name, size_t len);

/* How an expression is written in another language: names by their slots, functions by a prefix. */
typedef struct atx_expr_names {
    void (*add)(atx_str *out, void *context, int slot); /* a name, or a number */
    void *context;
    const char *prefix; /* of C's functions, "pk_" */
    /* Writes a == b, or a != b, of two names; false: it leaves that to `add`. NULL: always. */
    bool (*pair)(atx_str *out, void *context, int a, int b, bool differ);
    /* For Python: where a name's value lies. NULL: any is 0 or more. */
    atx_bounds (*bounds)(void *context, int slot);
} atx_expr_names;

/*
 * As C: signs of comparison and bits, ?: && || as they are; add sub mul div mod shl shr min max ceil_div gcd
 * neg abs is_pow2 log2 are calls "PREFIXadd(bad, a, b)", which set *bad where evaluation would fail.
 */
at_status atx_expr_add_c(atx_str *out, const atx_expr *expr, const atx_expr_names *names,
                         at_error *err) AT_MUST_CHECK;

/*
 * As Python, where names that are numbers are counted with. The same value where nothing overflows; where an
 * operand of / or % may be below zero, by way of abs. AT_ERR_INPUT: log2 or gcd of something that is not a
 * number then, or a longer text than ATX_PYTHON_MOST.
 */
#define ATX_PYTHON_MOST 65536
at_status atx_expr_add_python(atx_str *out, const atx_expr *expr, const atx_expr_names *names,
                              at_error *err) AT_MUST_CHECK;

/* Is all of it a && b, or a || b? Where Python counts with that, it wants (1 if ... else 0). */
bool atx_expr_is_logic(const atx_expr *expr);

void atx_expr_close(atx_expr *expr); /* NULL is allowed */
ATX_CLOSES(atx_expr)
