/*
 * cost.h - the expected cost of tuning a problem: for parts of a list that take equally long, and for several
 * devices that are to end together.
 *
 * It follows from the problem alone: not from a device, a store or the clock. Only ratios count.
 */
#pragma once

#include "lang/problem.h"

typedef struct atx_cost {
    double seconds;
    size_t place; /* in the list */
} atx_cost;

/*
 * The costs of a list, the most expensive first, equal ones as they are in the list; costs[0 .. count) is the
 * caller's. AT_ERR_INPUT: what a problem moves cannot be computed. AT_ERR_MEMORY.
 */
at_status atx_cost_sorted(atx_cost *costs, const atx_problem *problems, size_t count,
                          at_error *err) AT_MUST_CHECK;
