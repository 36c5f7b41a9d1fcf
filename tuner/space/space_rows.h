/*
 * space_rows.h - a table of rows, each a choice of values, packed into a few bits a column.
 * Private to space*.c.
 *
 * A row is a key: the places of its values, the first column in the highest bits, in one or more 64-bit
 * words, the most significant word first. So rows are in order when their keys are, and are found by halving.
 */
#pragma once

#include "declare/declare.h"

/* Where a column lies in a key. */
typedef struct atx_key_column {
    int param;
    uint8_t word, shift;
    uint16_t mask; /* before shifting */
} atx_key_column;

typedef struct atx_rows {
    atx_key_column columns[ATX_MAX_PARAMS]; /* in the order of their declaration */
    int column_count;
    int words;                /* of a key                                   */
    int bits[ATX_MAX_PARAMS]; /* used of each word, the lowest ones         */
    uint64_t *keys;
    int64_t count;
    size_t cap;                 /* rows that there is room for */
    const atx_require *refused; /* what refused most combinations, NULL: nothing did */
} atx_rows;

/* An empty table for these parameters of the template, `count` of them, ascending. */
void atx_rows_init(atx_rows *out, const atx_template *t, const int *params, int count);
void atx_rows_clear(atx_rows *rows);

/* Makes room for `more` rows behind the last. */
at_status atx_rows_reserve(atx_rows *rows, int64_t more, at_error *err) AT_MUST_CHECK;

/* Brings the rows into ascending order. */
at_status atx_rows_sort(atx_rows *rows, at_error *err) AT_MUST_CHECK;

static inline const uint64_t *atx_rows_key(const atx_rows *rows, int64_t row)
{
    return rows->keys + row * rows->words;
}

static inline int atx_key_place(const uint64_t *key, const atx_key_column *c)
{
    return (int)(key[c->word] >> c->shift & c->mask);
}

static inline void atx_key_set(uint64_t *key, const atx_key_column *c, int place)
{
    key[c->word] = (key[c->word] & ~((uint64_t)c->mask << c->shift)) | (uint64_t)place << c->shift;
}

/* The number of the row with this key, or -1. */
int64_t atx_rows_search(const atx_rows *rows, const uint64_t *key);
