/* catalog_ceiling.h - whether what an op is compared with is there. Private to catalog*.c. */
#ifndef AUTOTUNE_CATALOG_CEILING_H
#define AUTOTUNE_CATALOG_CEILING_H

#include "lang/catalog.h"

/* An op that compares itself with another must name one that exists, with as many sizes as that one has. */
at_status at__check_ceiling(const at__catalog *catalog, const at__op *op, at_error *err) AT_MUST_CHECK;

#endif
