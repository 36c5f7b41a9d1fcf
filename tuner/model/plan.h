/*
 * plan.h - is a configuration valid? Found out for many of one template and one problem: what no parameter
 * changes is evaluated once, and of the rest a requirement as soon as the lets that it reads are known, so
 * that most of what a wrong configuration would cost is spared. The answer is that of at__config_validate.
 */
#ifndef AUTOTUNE_PLAN_H
#define AUTOTUNE_PLAN_H

#include "lang/problem.h"

typedef struct at__plan_step {
    const at__expr *expr;
    int slot; /* a let's; -1: a requirement */
} at__plan_step;

typedef struct at__plan {
    const at__template *t; /* borrowed */
    at__plan_step *steps;
    int once, count; /* those up to `once` are for all configurations */
} at__plan;

at_status at__plan_make(at__plan *out, const at__template *t, at_error *err) AT_MUST_CHECK;
void at__plan_clear(at__plan *plan);

/* `slots` has the op's slots, bound for the problem; what no parameter changes is added. false: no
 * configuration is valid. */
bool at__plan_begin(const at__plan *plan, int64_t *slots);

/* After that: is this one valid? Where it is, `slots` has all that the template binds. */
bool at__plan_allows(const at__plan *plan, int64_t *slots, const at__config *config);

#endif
