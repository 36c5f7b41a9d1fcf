/*
 * lint.h - likely mistakes in a template's declaration, found without compiling: requirements that refuse
 * nothing or exclude each other, empty grids, arguments in another order than the kernel's.
 */
#pragma once

#include "space/space.h"

typedef struct atx_lint_query {
    const atx_template *t;
    const atx_problem *problem; /* it has configurations */
    const atx_limits *limits;
    bool grids, order; /* of arguments: whether to look at these, too */
    atx_cancel *cancel;
    void *context;
    void (*warn)(void *context, const char *text); /* for each */
} atx_lint_query;

/* AT_ERR_CANCELLED. */
at_status atx_lint_find(const atx_lint_query *query, at_error *err) AT_MUST_CHECK;

/*
 * Adds the requirements that leave a template without configurations, each in quotes, as few as do: what is
 * left of them when one is taken away has configurations. It is not found out for longer than a few seconds.
 */
at_status atx_lint_conflict(atx_str *out, const atx_template *t, const int64_t *slots, const atomic_int *flag,
                            at_error *err) AT_MUST_CHECK;
