/* tensor_map.h - the contents of a line `tensormap`: see declare_tensor_map.c. */
#pragma once

#include "expr/expr.h"

/*
 * How the copy engine sees a buffer: sizes from the innermost dimension on, `rank` of each; strides in bytes,
 * of those behind the innermost. NULL: strides of dense data, steps of 1, else 0.
 */
#define ATX_MAX_TENSOR_DIMS  5
#define ATX_TENSOR_MAP_BYTES 128
typedef struct atx_tensor_map {
    int arg, rank; /* of the op's arguments */
    atx_expr *dims[ATX_MAX_TENSOR_DIMS], *strides[ATX_MAX_TENSOR_DIMS], *box[ATX_MAX_TENSOR_DIMS],
        *steps[ATX_MAX_TENSOR_DIMS];
    atx_expr *swizzle, *interleave, *l2; /* bytes */
    bool nan;                            /* elements outside are NaN; else zero */
    atx_where where;
} atx_tensor_map;

/* All of its expressions. */
#define ATX_TENSOR_MAP_EXPRS (4 * ATX_MAX_TENSOR_DIMS + 3)
void atx_tensor_map_exprs(atx_expr **out[ATX_TENSOR_MAP_EXPRS], atx_tensor_map *map);
void atx_tensor_map_clear(atx_tensor_map *map);
