/*
 * adopt_poly.h - Private to adopt*.c: sums of products of sizes with whole coefficients, such as m * n - n
 * + 1. What no such sum can say is a symbol of its own: a / b rounded down or up, min(a, b), max(a, b).
 */
#pragma once

#include "util/str.h"

#define ATX_POLY_TERMS   20
#define ATX_POLY_DEGREE  6
#define ATX_POLY_SYMBOLS 200
#define ATX_POLY_NAME    64
#define ATX_POLY_ROUNDED 12

typedef struct atx_poly_term {
    long factor;
    int degree;
    short of[ATX_POLY_DEGREE]; /* symbols, ascending */
} atx_poly_term;

typedef struct atx_poly {
    atx_poly_term terms[ATX_POLY_TERMS]; /* in the order in which they came; no two of the same symbols */
    int count;
    bool bad;                        /* it became too large: nothing is known */
    short rounded[ATX_POLY_ROUNDED]; /* 1 + symbols a / b that times b were taken for a, as of no rest; 0: no
                                        more of them */
    bool dropped;                    /* a rest was: (a / b) * b as a, also where b is a number */
} atx_poly;

typedef enum atx_poly_kind {
    ATX_SYMBOL_NAME,
    ATX_SYMBOL_FLOOR,
    ATX_SYMBOL_CEIL,
    ATX_SYMBOL_MIN,
    ATX_SYMBOL_MAX
} atx_poly_kind;

typedef struct atx_poly_entry {
    atx_poly_kind kind;
    int tag; /* of a name: what its owner says */
    char name[ATX_POLY_NAME];
    atx_poly a, b; /* of all others */
} atx_poly_entry;

typedef struct atx_poly_table {
    atx_poly_entry items[ATX_POLY_SYMBOLS];
    int count;
} atx_poly_table;

int atx_poly_named(atx_poly_table *s, const char *name, int tag); /* -1: there is no room */

atx_poly atx_poly_number(long value);
atx_poly atx_poly_symbol(int symbol);
atx_poly atx_poly_add(const atx_poly *a, const atx_poly *b, long times); /* a + times * b */
atx_poly atx_poly_multiply(atx_poly_table *s, const atx_poly *a, const atx_poly *b);
atx_poly atx_poly_divide(atx_poly_table *s, const atx_poly *a, const atx_poly *b); /* rounded down */
atx_poly atx_poly_divide_up(atx_poly_table *s, const atx_poly *a, const atx_poly *b);
atx_poly atx_poly_least(atx_poly_table *s, const atx_poly *a, const atx_poly *b);
atx_poly atx_poly_most(atx_poly_table *s, const atx_poly *a, const atx_poly *b);

/* A sum without max(a, b), by the larger number of each product: not less than p. */
atx_poly atx_poly_over(const atx_poly_table *s, const atx_poly *p);

bool atx_poly_is_number(long *out, const atx_poly *p);

/* Whether a <= b for all sizes of at least 1; false: it is not known. */
bool atx_poly_within(const atx_poly *a, const atx_poly *b);

/* What it is where each name is some number: another one for each `trial`. */
double atx_poly_at(const atx_poly_table *s, const atx_poly *p, int trial);
/* Where the names of symbols have the numbers `given`, and a division by less than 1 is NAN; 0: some number.
 */
double atx_poly_given(const atx_poly_table *s, const atx_poly *p, const long *given, int trial);

/* Whether the symbol of that name is in it, anywhere. */
bool atx_poly_has(const atx_poly_table *s, const atx_poly *p, int symbol);

/* With other things for its names. */
typedef atx_poly atx_poly_of_name(void *context, int symbol);
atx_poly atx_poly_replace(atx_poly_table *s, const atx_poly *p, atx_poly_of_name *name, void *context);

/* The symbol in place of a product, in each term that has it. */
void atx_poly_take_for(atx_poly *p, const atx_poly_term *product, int symbol);

/* An expression of declarations. */
void atx_poly_write(atx_str *out, const atx_poly_table *s, const atx_poly *p);
