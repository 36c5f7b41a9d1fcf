/* catalog_ceiling.h - whether what an op is compared with is there. Private to catalog*.c. */
#ifndef AUTOTUNE_CATALOG_CEILING_H
#define AUTOTUNE_CATALOG_CEILING_H

#include "lang/catalog.h"

/* An op that compares itself with another must name one that exists, with as many sizes as that one has. */
at_status atx_check_ceiling(const atx_catalog *catalog, const atx_op *op, at_error *err) AT_MUST_CHECK;

#endif
