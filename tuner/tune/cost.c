/* cost.c - see cost.h. */
#include "tune/cost.h"

#include <stdlib.h>

/*
 * Fitted to transposes on an NVIDIA H200: two seconds whatever it is (compilers, decisions, the
 * re-measurement), and some 1800 launches, here of a device of 1 TB/s and 10 TFLOP/s.
 */
#define SECONDS_A_PROBLEM  2.0
#define LAUNCHES_A_PROBLEM 1800.0
#define BYTES_A_SECOND     1e12
#define OPS_A_SECOND       1e13

static at_status cost_of(double *seconds, const atx_problem *problem, at_error *err)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_key key = { 0 };
    at_status status = atx_problem_key_of(&key, &shape, problem, err);
    double moving = (double)key.traffic_bytes / BYTES_A_SECOND,
           computing = (double)key.ops_count / OPS_A_SECOND;
    *seconds = SECONDS_A_PROBLEM + LAUNCHES_A_PROBLEM * (moving > computing ? moving : computing);
    return status;
}

/* Equal ones as in the list, so that every process sorts alike. */
static int dearer(const void *a, const void *b)
{
    const atx_cost *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

at_status atx_cost_sorted(atx_cost *costs, const atx_problem *problems, size_t count, at_error *err)
{
    for (size_t i = 0; i < count; i++) {
        costs[i].place = i;
        ATX_TRY(cost_of(&costs[i].seconds, &problems[i], err));
    }
    qsort(costs, count, sizeof *costs, dearer);
    return AT_OK;
}
