/*
 * plan.h - whether a configuration is valid, for many of one template and one problem: values that no
 * parameter changes are evaluated once, and each requirement as soon as its lets are known, so that most
 * wrong configurations are refused early. The answer is that of atx_config_validate.
 */
#pragma once

#include "lang/problem.h"

typedef struct atx_plan_step {
    const atx_expr *expr;
    int slot; /* a let's; -1: a requirement */
} atx_plan_step;

typedef struct atx_plan {
    const atx_template *t; /* borrowed */
    atx_plan_step *steps;
    int once, count; /* those up to `once` are for all configurations */
} atx_plan;

at_status atx_plan_make(atx_plan *out, const atx_template *t, at_error *err) AT_MUST_CHECK;
void atx_plan_clear(atx_plan *plan);

/* `slots` has the op's slots, bound for the problem; what no parameter changes is added. false: no
 * configuration is valid. */
bool atx_plan_begin(const atx_plan *plan, int64_t *slots);

/* After that: is this one valid? Where it is, `slots` has all that the template binds. */
bool atx_plan_allows(const atx_plan *plan, int64_t *slots, const atx_config *config);
