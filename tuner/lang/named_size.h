/*
 * named_size.h - a size that a user names: "batch=8", or of a choice "to=e5m2".
 */
#pragma once

#include "declare/declare.h"
#include "util/str.h"

/*
 * NAME=SIZE or NAME=WORD, of a dimension that may be left out of a shape; which and how much. AT_ERR_INPUT
 * says what the op has by name.
 */
at_status atx_named_size_parse(int *dim, int64_t *size, const atx_op *op, const char *text, size_t len,
                               at_error *err) AT_MUST_CHECK;

/* "batch=1", "to=e4m3|e5m2", or of one without default "rows". */
void atx_dim_add_text(atx_str *out, const atx_dim *dim);

/* Whether the dimension has such a size: a choice has as many as words. */
bool atx_dim_has_size(const atx_dim *dim, int64_t size);
