/*
 * space_walk.h - the valid combinations of parameters that hang together. Private to space*.c.
 *
 * Depth first: parameters are bound in an order that prunes early, each requirement is tested as soon as its
 * last parameter is bound, each let evaluated as soon as it can be.
 */
#ifndef AUTOTUNE_SPACE_WALK_H
#define AUTOTUNE_SPACE_WALK_H

#include "space_rules.h"

/* Steps (a value bound) after which a walk gives up: about a minute. */
#define AT__SPACE_MAX_STEPS ((int64_t)2000000000)

/* A group of parameters and its valid rows: the indices of values (among the declared), sorted. */
typedef struct at__rows {
    int params[AT__MAX_PARAMS]; /* in the order of their declaration: the columns */
    int columns;
    uint16_t *data;
    int64_t count;
    const at__require *refused; /* the requirement that refused most combinations, NULL: none did */
} at__rows;

/*
 * Finds the rows of the parameters in `params`. A requirement or let that cannot be evaluated is
 * AT_ERR_INPUT, unless another requirement refuses the row: what is found does not depend on the order of the
 * walk.
 */
at_status at__rows_find(at__rows *out, const at__rules *rules, at__param_set params,
                        at_error *err) AT_MUST_CHECK;
void at__rows_clear(at__rows *rows);

/* Brings the rows into the order that at__rows_search needs: by the first column, then the second ... */
at_status at__rows_sort(at__rows *rows, at_error *err) AT_MUST_CHECK;

/* The place of a row (its columns' value indices), or -1. */
int64_t at__rows_search(const at__rows *rows, const uint16_t *row);

#endif
