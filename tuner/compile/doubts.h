/*
 * doubts.h - what is likely not meant in a template's declaration, found without compiling: requirements that
 * refuse nothing or exclude each other, grids that come to nothing, arguments in another order than the
 * kernel's.
 */
#ifndef AUTOTUNE_DOUBTS_H
#define AUTOTUNE_DOUBTS_H

#include "space/space.h"

typedef void at__doubt(void *context, const char *text);

/*
 * Tells of each, of grids and of the order of arguments only if asked to, for this problem, which has
 * configurations. `limits` are those that it was bound with, `slots` the op's. AT_ERR_CANCELLED.
 */
at_status at__doubts_find(const at__template *t, const at__problem *problem, const at__limits *limits,
                          bool grids, bool order, at__cancel *cancel, at__doubt *doubt, void *context,
                          at_error *err) AT_MUST_CHECK;

/*
 * Adds the requirements that leave a template without configurations, each in quotes, as few as do: what is
 * left of them when one is taken away has configurations. It is not found out for longer than a few seconds.
 */
at_status at__doubts_conflict(at__str *out, const at__template *t, const int64_t *slots,
                              const atomic_int *flag, at_error *err) AT_MUST_CHECK;

#endif
