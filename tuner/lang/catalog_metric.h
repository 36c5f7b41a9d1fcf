/* catalog_metric.h - whether the parameters that metrics read are there. Private to catalog*.c. */
#ifndef AUTOTUNE_CATALOG_METRIC_H
#define AUTOTUNE_CATALOG_METRIC_H

#include "lang/catalog.h"

/* AT_ERR_INPUT, with the place: none of the op's templates, of which there is one, has such a parameter. */
at_status atx_check_metrics(const atx_catalog *catalog, const atx_op *op, at_error *err) AT_MUST_CHECK;

#endif
