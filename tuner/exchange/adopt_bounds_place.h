/*
 * adopt_bounds_place.h - Private to adopt_bounds*.c: an expression is read at a place, where comparisons
 * hold.
 */
#pragma once

#include "exchange/adopt_bounds.h"

/* Where an expression stands. */
typedef struct atx_bounds_place {
    atx_bounding *b;
    const atx_frame *f;
    size_t at; /* the token of the frame for whose bounds its names are looked up; SIZE_MAX: their own */
    const struct looked *looked;
} place;

/* Names whose values are being looked up: none is looked up within itself. */
typedef struct looked {
    const struct looked *outer;
    const atx_frame *f;
    char name[ATX_MAX_WORD];
    atx_range had; /* before the change that is being read: idx = idx / n */
} looked;

/* The largest value of tokens. */
atx_range atx_place_read(place *p, const atx_tokens *t, atx_span span);

/* The smallest of the bounds of a subject at token `at`: of a name, of threadIdx.x, of a whole index. */
atx_range atx_place_bound(place *p, atx_span subject, size_t at);

/* The largest that the name that is declared at a token is given until token `at`; `had`: before the last
 * change. */
atx_range atx_place_given(place *p, atx_range *had, size_t declared, size_t at);

/* for (k = 0; k < n; k += STEP): the last multiple of STEP below n. */
atx_range atx_place_stepped(place *p, atx_range last, size_t declared, size_t at);

/* By how much the name at token `name` is stepped between two tokens, outside of headers of loops: i += n;
 * i++. Not known: it is not understood, or is in a loop of its own. */
atx_range atx_place_moved(place *p, size_t name, size_t from, size_t at);

/* Whether each turn of the loop gives the name a value of its own before token `at`. */
bool atx_place_set(const place *p, size_t declared, size_t loop, size_t at);

/* How often token `at` is come to: all loops around it that begin behind `from`. */
atx_range atx_place_trips(place *p, size_t at, size_t from);
