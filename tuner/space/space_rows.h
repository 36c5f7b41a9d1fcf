/*
 * space_rows.h - a table of rows, each a choice of values, packed into a few bits a column. Private to
 * space*.c.
 *
 * A row is a key: the places of its values, the first column in the highest bits, in one or more 64-bit
 * words, the most significant word first. So rows are in order when their keys are, and are found by halving.
 */
#ifndef AUTOTUNE_SPACE_ROWS_H
#define AUTOTUNE_SPACE_ROWS_H

#include "declare/declare.h"

/* Where a column lies in a key. */
typedef struct at__key_column {
    int param;
    uint8_t word, shift;
    uint16_t mask; /* before shifting */
} at__key_column;

typedef struct at__rows {
    at__key_column columns[AT__MAX_PARAMS]; /* in the order of their declaration */
    int column_count;
    int words;                /* of a key                                   */
    int bits[AT__MAX_PARAMS]; /* used of each word, the lowest ones         */
    uint64_t *keys;
    int64_t count;
    size_t cap;                 /* rows that there is room for */
    const at__require *refused; /* what refused most combinations, NULL: nothing did */
} at__rows;

/* An empty table for these parameters of the template, `count` of them, ascending. */
void at__rows_init(at__rows *out, const at__template *t, const int *params, int count);
void at__rows_clear(at__rows *rows);

/* Makes room for `more` rows behind the last. */
at_status at__rows_reserve(at__rows *rows, int64_t more, at_error *err) AT_MUST_CHECK;

/* Brings the rows into ascending order. */
at_status at__rows_sort(at__rows *rows, at_error *err) AT_MUST_CHECK;

static inline const uint64_t *at__rows_key(const at__rows *rows, int64_t row)
{
    return rows->keys + row * rows->words;
}

static inline int at__key_place(const uint64_t *key, const at__key_column *c)
{
    return (int)(key[c->word] >> c->shift & c->mask);
}

static inline void at__key_set(uint64_t *key, const at__key_column *c, int place)
{
    key[c->word] = (key[c->word] & ~((uint64_t)c->mask << c->shift)) | (uint64_t)place << c->shift;
}

/* The number of the row with this key, or -1. */
int64_t at__rows_search(const at__rows *rows, const uint64_t *key);

#endif
