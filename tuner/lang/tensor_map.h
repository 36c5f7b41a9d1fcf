/*
 * tensor_map.h - a tensor map (declare.h) for one problem and configuration: the driver's arguments for a
 * CUtensorMap, except the address of the buffer. Dimensions begin with the innermost.
 */
#pragma once

#include "lang/problem.h"

/* Numbers are those of the enumerations in cuda.h. */
typedef struct atx_tensor_layout {
    int32_t buffer; /* its place among the operation's */
    int32_t element_bytes;
    int32_t type, rank;
    int32_t swizzle, interleave, l2, nan;
    uint32_t box[ATX_MAX_TENSOR_DIMS], steps[ATX_MAX_TENSOR_DIMS];
    uint64_t dims[ATX_MAX_TENSOR_DIMS];
    uint64_t strides[ATX_MAX_TENSOR_DIMS]; /* in bytes, of the dimensions behind the innermost: from 0 on */
} atx_tensor_layout;

/*
 * The template's map number `map`, with its slots bound. AT_ERR_INPUT, with the place: a size has no value,
 * or one that no tensor map has.
 */
at_status atx_tensor_layout_of(atx_tensor_layout *out, const atx_template *t, int map, const int64_t *slots,
                               at_error *err) AT_MUST_CHECK;

/* Its words in cuda.h, behind their common beginnings: "FLOAT16", "128B". */
const char *atx_tensor_type_word(int type);
const char *atx_tensor_swizzle_word(int swizzle);
const char *atx_tensor_interleave_word(int interleave);
const char *atx_tensor_l2_word(int l2);
