/*
 * t1.h - a template's space for one problem as a T1 declaration: parameters, values, conditions, the launch
 * and its arguments, for other tuners. Expressions are Python, in which everything of the problem and the
 * device is a number. atx_import_read counts the same configurations.
 */
#pragma once

#include "lang/problem.h"
#include "util/str.h"

/*
 * `slots` as atx_problem_bind fills them. AT_ERR_INPUT: several kernels, what atx_expr_add_python refuses, or
 * no valid configuration; nothing is added then.
 */
at_status atx_t1_add(atx_str *out, const atx_problem *problem, const atx_template *t, const int64_t *slots,
                     at_error *err) AT_MUST_CHECK;
