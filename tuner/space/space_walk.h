/*
 * space_walk.h - the valid combinations of parameters that depend on each other. Private to space*.c.
 *
 * Depth first: parameters are bound in an order that prunes early, each requirement is tested as soon as its
 * last parameter is bound, each let evaluated as soon as it can be. The continuations of a few bound
 * parameters are found once for each of their values and copied from then on, if the other parameters do not
 * matter for them; in a long walk also if different values have the same effect on the requirements, such as
 * one sum of many.
 */
#pragma once

#include "space/space_rows.h"
#include "space/space_rules.h"

/* Steps (a value bound) after which a walk gives up: some minutes. */
#define ATX_SPACE_MAX_STEPS ((int64_t)2000000000)

/*
 * Finds the rows of the parameters in `params`. A requirement or let that cannot be evaluated is
 * AT_ERR_INPUT, unless another requirement refuses the row: what is found does not depend on the order of the
 * walk. AT_ERR_CANCELLED: `cancel` said so (NULL: never).
 */
at_status atx_rows_find(atx_rows *out, const atx_rules *rules, atx_param_set params, atx_cancel *cancel,
                        at_error *err) AT_MUST_CHECK;
