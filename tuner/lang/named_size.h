/*
 * named_size.h - a size that a user names: "batch=8", or of a choice "to=e5m2".
 */
#ifndef AUTOTUNE_NAMED_SIZE_H
#define AUTOTUNE_NAMED_SIZE_H

#include "declare/declare.h"
#include "util/str.h"

/*
 * NAME=SIZE or NAME=WORD, of a dimension that may be left out of a shape; which and how much. AT_ERR_INPUT
 * says what the op has by name.
 */
at_status at__named_size_parse(int *dim, int64_t *size, const at__op *op, const char *text, size_t len,
                               at_error *err) AT_MUST_CHECK;

/* "batch=1", "to=e4m3|e5m2", or of one without default "rows". */
void at__dim_add_text(at__str *out, const at__dim *dim);

/* Whether the dimension has such a size: a choice has as many as words. */
bool at__dim_has_size(const at__dim *dim, int64_t size);

#endif
