/*
 * python.h - the Python expressions that other tuners' files hold: lists of values, and conditions on
 * parameters. A subset, on integers and words:
 *
 *   literals    3  0x10  2e3  True  False  'word'  [1, 2]  (1, 2)
 *   operators   or and not  in  not in  < <= > >= == !=  | ^ & << >>  + - * / // %  unary + - ~  **
 *               a if c else b; comparisons may chain
 *   lists       list(...) tuple(...) sorted(...) range(...)  [2**i for i in range(6) if i != 3]  +
 *   functions   min max abs int bool pow, math.ceil and math.floor of a quotient
 *
 * What lies outside is refused with its place in the text. Division is exact or refused: see atx_py_division.
 */
#ifndef AUTOTUNE_PYTHON_H
#define AUTOTUNE_PYTHON_H

#include "util/str.h"
#include <stdint.h>

#define ATX_PY_MAX_TEXT   ((size_t)1 << 16)
#define ATX_PY_MAX_DEPTH  64
#define ATX_PY_MAX_VALUES 4096

typedef enum atx_py_kind {
    ATX_PY_NUMBER, /* value                                                            */
    ATX_PY_WORD,   /* a string: its text without quotes                                */
    ATX_PY_NAME,
    ATX_PY_UNARY,      /* op: "+" "-" "~" "not"; one child                             */
    ATX_PY_BINARY,     /* op; two children                                             */
    ATX_PY_LOGIC,      /* op: "and" "or"; two children                                 */
    ATX_PY_COMPARE,    /* two or more children; each but the first has the op before it */
    ATX_PY_CHOICE,     /* a if c else b; children c, a, b                              */
    ATX_PY_LIST,       /* children: its elements                                       */
    ATX_PY_COMPREHEND, /* children: element, name, source, and the conditions after it */
    ATX_PY_CALL        /* the text is the function's name; children: its arguments     */
} atx_py_kind;

typedef struct atx_py_node {
    atx_py_kind kind;
    const char *op;      /* NULL: none; static                                         */
    const char *compare; /* of operands in a chain: "<", "not in" ... before it; NULL  */
    size_t begin, end;   /* offsets of its text; of operations, of the operator        */
    int64_t value;
    int first, next; /* first child, next sibling; 0: none                             */
} atx_py_node;

/* Why something was refused, and where in the text. */
typedef struct atx_py_error {
    size_t offset;
    char text[160];
} atx_py_error;

typedef struct atx_py {
    const char *text; /* borrowed */
    size_t len;
    atx_py_node *nodes; /* nodes[0] is none */
    size_t count, cap;
    int root;
} atx_py;

/* AT_ERR_INPUT (*why is then filled) or AT_ERR_MEMORY. */
at_status atx_py_parse(atx_py *out, const char *text, size_t len, atx_py_error *why) AT_MUST_CHECK;
void atx_py_clear(atx_py *py);

/* A value of a parameter. */
typedef struct atx_py_value {
    bool is_word;
    int64_t number;
    size_t begin, end; /* of a word, in the text */
} atx_py_value;

/* The values of a list. At most ATX_PY_MAX_VALUES of them are written to `out`; more are refused. */
at_status atx_py_values(atx_py_value *out, int *count, const atx_py *py, atx_py_error *why) AT_MUST_CHECK;

/*
 * A division whose translation holds only while its quotient is exact ('/'), or while neither side is
 * negative ('//' and '%', where Python rounds down and C towards zero). Whoever translates must try them.
 */
typedef struct atx_py_division {
    char sign;        /* '/', 'f' for //, '%'            */
    atx_str top, low; /* its sides, as C expressions     */
    size_t offset;    /* of the operator, in Python      */
} atx_py_division;

/* What is known of a name in a condition. */
typedef struct atx_py_scope {
    bool (*known)(const void *context, const char *name, size_t len);
    /* Has the parameter this word among its values? Then the constant NAME_word stands for it. */
    bool (*has_word)(const void *context, const char *name, size_t name_len, const char *word,
                     size_t word_len);
    const void *context;
} atx_py_scope;

#define ATX_PY_MAX_DIVISIONS 32

typedef struct atx_py_condition {
    atx_str text; /* in the expression language of declarations (expr.h) */
    atx_py_division divisions[ATX_PY_MAX_DIVISIONS];
    int division_count;
} atx_py_condition;

/* Translates a condition. AT_ERR_INPUT: outside of the subset. */
at_status atx_py_translate(atx_py_condition *out, const atx_py *py, const atx_py_scope *scope,
                           atx_py_error *why) AT_MUST_CHECK;
void atx_py_condition_clear(atx_py_condition *condition);

/* Fills *why; AT_ERR_INPUT. For python*.c. */
at_status atx_py_refuse(atx_py_error *why, size_t offset, const char *format, ...) AT_PRINTF(3, 4);

/* Is the text of the node this? */
bool atx_py_is(const atx_py *py, int node, const char *text);

/* a / b rounded down, and what is left, as Python does; b is not 0. false: overflow. */
bool atx_py_divide(int64_t *quotient, int64_t *rest, int64_t a, int64_t b);
bool atx_py_power(int64_t *out, int64_t base, int64_t exponent); /* false: no integer, or overflow */

#endif
