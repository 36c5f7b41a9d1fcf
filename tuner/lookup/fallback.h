/*
 * fallback.h - a valid configuration for a problem without any measurement.
 *
 * Templates with more choices come first: the plain ones are for shapes that no other template accepts. The
 * result is the declared defaults of the first template whose requirements they satisfy, else the first valid
 * configuration of the first template that has one.
 */
#pragma once

#include "lang/catalog.h"
#include "lang/problem.h"

/*
 * Whether the template's requirements hold. `slots` has the op's slots, bound; the template's are filled. A
 * requirement that cannot be evaluated does not hold.
 */
bool atx_config_is_valid(int64_t *slots, const atx_template *t, const atx_config *config);

/* What must not be chosen although it is valid: AT_ERR_NOT_FOUND. AT_OK: it may. */
typedef at_status atx_fallback_check(void *context, const atx_template *t, const atx_config *config,
                                     at_error *err);
typedef struct atx_fallback_filter {
    atx_fallback_check *check;
    void *context;
} atx_fallback_filter;

/* `slots` as above; filter NULL: all may be chosen. AT_ERR_NOT_FOUND: no template has a valid configuration;
 * the text tells why of each. */
at_status atx_fallback(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                       const atx_op *op, const int64_t *slots, const atx_fallback_filter *filter,
                       at_error *err) AT_MUST_CHECK;
