/*
 * sensitivity.h - parameters without effect: for all values the machine code and the launch are the same.
 * Mostly the code does not read them, since it has a #define of its own, or tests by #if a name that is no
 * macro; then they are reported also if they change the launch.
 */
#pragma once

#include "compile/pool.h"
#include "space/space.h"

typedef struct atx_sensitivity_query {
    atx_pool *pool; /* without other jobs */
    const atx_template *t;
    atx_dtype type;
    int cc;
    const int64_t *slots; /* of the op, bound */
    uint64_t seed;
    atx_cancel *cancel;
    void *context;
    void (*useless)(void *context, int param, const char *why); /* for each that changes nothing */
} atx_sensitivity_query;

/*
 * Compiles a few pairs of configurations that differ in one parameter. What they do not show is not told: a
 * parameter without such a pair, or one that matters somewhere.
 */
at_status atx_sensitivity_find(const atx_sensitivity_query *query, at_error *err) AT_MUST_CHECK;
