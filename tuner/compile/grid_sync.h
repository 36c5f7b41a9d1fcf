/*
 * grid_sync.h - whether a kernel waits for all blocks of its grid: then its launch must be cooperative, or it
 * traps. Machine code does not show this; PTX reads the registers in which such a launch passes its barrier.
 */
#pragma once

#include "compile/sensitivity.h"

/*
 * Of one configuration of a template whose text mentions cooperative groups: the first launch that is not
 * cooperative although its kernel waits for the grid; -1: there is none. Of the query `useless` is not used.
 */
at_status atx_grid_sync_find(int *step, const atx_sensitivity_query *query, at_error *err) AT_MUST_CHECK;
