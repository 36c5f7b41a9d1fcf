/*
 * python.h - the Python of other tuners' files: lists of values, and conditions on parameters, as published
 * T1 files have them. Expressions become those of declarations (expr.h), which compile and evaluate them:
 *
 *   literals    3  0x10  True  False  'word'
 *   operators   or and not  in  not in  < <= > >= == !=  | ^ & << >>  + - * / // %  unary + - ~  2 **
 *               comparisons may chain; `in` wants a list;  a if c else b
 *   functions   min max abs
 *   lists       [1, 2]  (1, 2)  range(...)  list(...)  tuple(...)  [2**i for i in range(6) if i != 3]  +
 *
 * What lies outside is refused with its place in the text. Python's division differs from ours where a
 * quotient is not exact ('/') or a side is below zero ('//' and '%'): see atx_py_guard.
 */
#pragma once

#include "util/str.h"
#include <stdint.h>

#define ATX_PY_MAX_TEXT   ((size_t)1 << 16)
#define ATX_PY_MAX_VALUES 4096
#define ATX_PY_MAX_GUARDS 32

/* Why something was refused, and where in the text. */
typedef struct atx_py_error {
    size_t offset;
    char text[160];
} atx_py_error;

/* A value of a parameter. */
typedef struct atx_py_value {
    bool is_word;
    int64_t number;
    size_t begin, end; /* of a word, in the text */
} atx_py_value;

/* The values of a list, at most ATX_PY_MAX_VALUES. AT_ERR_INPUT (*why is then filled) or AT_ERR_MEMORY. */
at_status atx_py_values(atx_py_value *out, int *count, const char *text, size_t len,
                        atx_py_error *why) AT_MUST_CHECK;

/* Where this is not true, a division means another thing in Python. The translator must try it. */
typedef struct atx_py_guard {
    atx_str text;    /* an expression of declarations */
    const char *why; /* what is then to be said       */
    size_t offset;   /* of the operator, in Python    */
} atx_py_guard;

/* What is known of a name in a condition. */
typedef struct atx_py_scope {
    bool (*known)(const void *context, const char *name, size_t len);
    /* Has the parameter this word among its values? Then the constant NAME_word stands for it. */
    bool (*has_word)(const void *context, const char *name, size_t name_len, const char *word,
                     size_t word_len);
    const void *context;
} atx_py_scope;

typedef struct atx_py_condition {
    atx_str text; /* an expression of declarations */
    atx_py_guard guards[ATX_PY_MAX_GUARDS];
    int guard_count;
} atx_py_condition;

/* Translates a condition. Errors as above. */
at_status atx_py_translate(atx_py_condition *out, const char *text, size_t len, const atx_py_scope *scope,
                           atx_py_error *why) AT_MUST_CHECK;
void atx_py_condition_clear(atx_py_condition *condition);

/* Fills *why; AT_ERR_INPUT. */
at_status atx_py_refuse(atx_py_error *why, size_t offset, const char *format, ...) AT_PRINTF(3, 4);
