/*
 * adopt_range.h - Private to adopt*.c: the largest value that an expression of C++ can have, as a sum of
 * products of sizes. All that is no number or size is taken to be at least 0.
 */
#pragma once

#include "exchange/adopt_poly.h"
#include "source/lex.h"

typedef struct atx_range {
    bool known, exact; /* exact: it is always `most`            */
    long least;        /* where that is a number below 0; else 0 */
    atx_poly most;
} atx_range;

/* What stands for words: the value at token *i, behind whose last token *i is afterwards. */
typedef struct atx_range_words {
    atx_poly_table *symbols;
    atx_range (*word)(void *context, const atx_tokens *t, size_t *i, size_t end);
    atx_range (*element)(void *context, const atx_tokens *t, size_t begin,
                         size_t end); /* *( ... ); or NULL */
    /* A sum that is known as a whole, at token *i; or NULL. */
    bool (*sum)(atx_range *out, void *context, const atx_tokens *t, size_t *i, size_t end);
    void *context;
} atx_range_words;

atx_range atx_range_read(const atx_range_words *words, const atx_tokens *t, size_t begin, size_t end);

atx_range atx_range_exactly(atx_poly value);
atx_range atx_range_up_to(atx_poly most);
atx_range atx_range_below(atx_poly p);    /* up to p - 1 */
atx_range atx_range_and_one(atx_range r); /* + 1 */

/* Up to what x is, where x + other is up to `sum`; an unknown `other` is at least 0. */
atx_range atx_range_rest(atx_range sum, atx_range other);
atx_range atx_range_product(atx_poly_table *s, atx_range a, atx_range b);
atx_range atx_range_larger(atx_poly_table *s, atx_range a, atx_range b);
atx_range atx_range_smaller(atx_poly_table *s, atx_range a, atx_range b);
