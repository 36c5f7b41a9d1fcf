/*
 * python_internal.h - expressions of Python while they are read. Private to python*.c.
 *
 * The first failure stays in the parser; after it every token is the end of the text.
 */
#pragma once

#include "exchange/python.h"

typedef struct atx_py_token {
    enum { ATX_PY_END, ATX_PY_NAME, ATX_PY_NUMBER, ATX_PY_STRING, ATX_PY_SIGN } kind;
    size_t begin, end; /* of a string with its quotes */
} atx_py_token;

typedef struct atx_py_parser {
    const char *text;
    size_t len, at;
    atx_py_token token;        /* the next one                                               */
    const atx_py_scope *scope; /* NULL: of a list, where every name may be a comprehension's */
    atx_py_condition *to;      /* for its guards                                             */
    int depth;
    at_status status;
    atx_py_error *why;
} atx_py_parser;

/* An expression that was read. */
typedef struct atx_py_piece {
    enum { ATX_PY_VALUE, ATX_PY_IS_NAME, ATX_PY_IS_WORD, ATX_PY_TRUTH } kind;
    atx_str text;      /* ours; of a word "": what it is compared with says what stands for it */
    int level;         /* how tightly C binds it                                               */
    size_t begin, end; /* in Python; of a word without quotes, of an operation its sign        */
} atx_py_piece;

enum { ATX_PY_MAX_DEPTH = 64 };

/* Begins; false: the text is too long. */
bool atx_py_begin(atx_py_parser *p);

/* Nothing but the end follows. The status, with *why. */
at_status atx_py_finish(atx_py_parser *p, bool out_of_memory);

void atx_py_stop(atx_py_parser *p, at_status status);

/* "found '...'; expected ...", of a part of the text, and of the next token. */
void atx_py_refuse_at(atx_py_parser *p, size_t begin, size_t end, const char *expected);
void atx_py_refuse_token(atx_py_parser *p, const char *expected);

void atx_py_next(atx_py_parser *p);
bool atx_py_sees(const atx_py_parser *p, const char *text);
bool atx_py_take(atx_py_parser *p, const char *text);
void atx_py_want(atx_py_parser *p, const char *text, const char *expected);

/* An expression. Its text is the caller's. */
atx_py_piece atx_py_expression(atx_py_parser *p);

/* a && b; takes both. */
atx_py_piece atx_py_both(atx_py_parser *p, atx_py_piece *a, atx_py_piece *b);

/* A word, or the truth of and/or, is no number. */
void atx_py_want_number(atx_py_parser *p, const atx_py_piece *x);
