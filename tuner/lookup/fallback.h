/*
 * fallback.h - a valid configuration for a problem of which nothing was measured.
 *
 * Templates with more to choose from are asked first: the plain ones are for shapes that nothing else fits.
 * The declared defaults of the first whose requirements they satisfy; when no template's do, the first valid
 * configuration of the first that has one.
 */
#ifndef AUTOTUNE_FALLBACK_H
#define AUTOTUNE_FALLBACK_H

#include "lang/catalog.h"
#include "lang/problem.h"

/*
 * Whether the template's requirements hold. `slots` has the op's slots, bound; the template's are filled. A
 * requirement that cannot be evaluated does not hold.
 */
bool at__config_is_valid(int64_t *slots, const at__template *t, const at__config *config);

/* What must not be chosen although it is valid: AT_ERR_NOT_FOUND. AT_OK: it may. */
typedef at_status at__fallback_check(void *context, const at__template *t, const at__config *config,
                                     at_error *err);
typedef struct at__fallback_filter {
    at__fallback_check *check;
    void *context;
} at__fallback_filter;

/* `slots` as above; filter NULL: all may be chosen. AT_ERR_NOT_FOUND: no template has a valid configuration;
 * the text tells why of each. */
at_status at__fallback(const at__template **t, at__config *config, const at__catalog *catalog,
                       const at__op *op, const int64_t *slots, const at__fallback_filter *filter,
                       at_error *err) AT_MUST_CHECK;

#endif
