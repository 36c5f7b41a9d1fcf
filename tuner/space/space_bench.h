/* space_bench.h - how long it takes to build a space and to use it; `autotune space --bench`. */
#pragma once

#include "space/space.h"

/* Seconds of one call, the best of several rounds, as on an idle machine. */
typedef struct atx_space_times {
    int64_t count;
    double raw_count;
    int groups;
    size_t bytes;
    double open_s;      /* from the declaration to the factored form: order, groups, rows, count */
    double sample_s;    /* a configuration drawn uniformly: its index and its values            */
    double config_s;    /* the values of a given index                                          */
    double find_s;      /* the index of given values: membership                                */
    double neighbour_s; /* one neighbour that differs in one value                              */
    double rows_s;      /* all rows, from the declaration on; -1: more than ATX_BENCH_MAX_ROWS    */
} atx_space_times;

#define ATX_BENCH_MAX_ROWS 50000000

/* `slots` and `cancel` as in atx_space_open_until. */
at_status atx_space_bench(atx_space_times *out, const atx_template *t, const int64_t *slots,
                          atx_cancel *cancel, at_error *err) AT_MUST_CHECK;
