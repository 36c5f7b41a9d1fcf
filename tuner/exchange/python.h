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
 * What lies outside is refused with its place in the text. Division is exact or refused: see at__py_division.
 */
#ifndef AUTOTUNE_PYTHON_H
#define AUTOTUNE_PYTHON_H

#include "util/str.h"
#include <stdint.h>

#define AT__PY_MAX_TEXT   ((size_t)1 << 16)
#define AT__PY_MAX_DEPTH  64
#define AT__PY_MAX_VALUES 4096

typedef enum at__py_kind {
    AT__PY_NUMBER, /* value                                                            */
    AT__PY_WORD,   /* a string: its text without quotes                                */
    AT__PY_NAME,
    AT__PY_UNARY,      /* op: "+" "-" "~" "not"; one child                             */
    AT__PY_BINARY,     /* op; two children                                             */
    AT__PY_LOGIC,      /* op: "and" "or"; two children                                 */
    AT__PY_COMPARE,    /* two or more children; each but the first has the op before it */
    AT__PY_CHOICE,     /* a if c else b; children c, a, b                              */
    AT__PY_LIST,       /* children: its elements                                       */
    AT__PY_COMPREHEND, /* children: element, name, source, and the conditions after it */
    AT__PY_CALL        /* the text is the function's name; children: its arguments     */
} at__py_kind;

typedef struct at__py_node {
    at__py_kind kind;
    const char *op;      /* NULL: none; static                                         */
    const char *compare; /* of operands in a chain: "<", "not in" ... before it; NULL  */
    size_t begin, end;   /* offsets of its text; of operations, of the operator        */
    int64_t value;
    int first, next; /* first child, next sibling; 0: none                             */
} at__py_node;

/* Why something was refused, and where in the text. */
typedef struct at__py_error {
    size_t offset;
    char text[160];
} at__py_error;

typedef struct at__py {
    const char *text; /* borrowed */
    size_t len;
    at__py_node *nodes; /* nodes[0] is none */
    size_t count, cap;
    int root;
} at__py;

/* AT_ERR_INPUT (*why is then filled) or AT_ERR_MEMORY. */
at_status at__py_parse(at__py *out, const char *text, size_t len, at__py_error *why) AT_MUST_CHECK;
void at__py_clear(at__py *py);

/* A value of a parameter. */
typedef struct at__py_value {
    bool is_word;
    int64_t number;
    size_t begin, end; /* of a word, in the text */
} at__py_value;

/* The values of a list. At most AT__PY_MAX_VALUES of them are written to `out`; more are refused. */
at_status at__py_values(at__py_value *out, int *count, const at__py *py, at__py_error *why) AT_MUST_CHECK;

/*
 * A division whose translation holds only while its quotient is exact ('/'), or while neither side is
 * negative ('//' and '%', where Python rounds down and C towards zero). Whoever translates must try them.
 */
typedef struct at__py_division {
    char sign;        /* '/', 'f' for //, '%'            */
    at__str top, low; /* its sides, as C expressions     */
    size_t offset;    /* of the operator, in Python      */
} at__py_division;

/* What is known of a name in a condition. */
typedef struct at__py_scope {
    bool (*known)(const void *context, const char *name, size_t len);
    /* Has the parameter this word among its values? Then the constant NAME_word stands for it. */
    bool (*has_word)(const void *context, const char *name, size_t name_len, const char *word,
                     size_t word_len);
    const void *context;
} at__py_scope;

#define AT__PY_MAX_DIVISIONS 32

typedef struct at__py_condition {
    at__str text; /* in the expression language of declarations (expr.h) */
    at__py_division divisions[AT__PY_MAX_DIVISIONS];
    int division_count;
} at__py_condition;

/* Translates a condition. AT_ERR_INPUT: outside of the subset. */
at_status at__py_translate(at__py_condition *out, const at__py *py, const at__py_scope *scope,
                           at__py_error *why) AT_MUST_CHECK;
void at__py_condition_clear(at__py_condition *condition);

/* Fills *why; AT_ERR_INPUT. For python*.c. */
at_status at__py_refuse(at__py_error *why, size_t offset, const char *format, ...) AT_PRINTF(3, 4);

/* Is the text of the node this? */
bool at__py_is(const at__py *py, int node, const char *text);

/* a / b rounded down, and what is left, as Python does; b is not 0. false: overflow. */
bool at__py_divide(int64_t *quotient, int64_t *rest, int64_t a, int64_t b);
bool at__py_power(int64_t *out, int64_t base, int64_t exponent); /* false: no integer, or overflow */

#endif
