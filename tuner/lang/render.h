/*
 * render.h - from a template and a configuration to CUDA source. A pure function: same input, same bytes.
 *
 * The source is a prelude (how it was made, `using T`, typed constants for parameters, labels and consts),
 * then the files of common code that the template uses and the template's own, each as it stands behind a
 * #line. It depends on the problem only through the element type and `const` values, so that problems share
 * compiled kernels.
 */
#pragma once

#include "lang/problem.h"

/* `slots` as bound by atx_problem_bind; copied inside. */
at_status atx_render(atx_str *out, const atx_template *t, atx_dtype type, const atx_config *config,
                     const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* The op's file with its reference kernel, for this type; of an op of layouts, whose kernels know theirs, for
 * the problem's. */
at_status atx_render_reference(atx_str *out, const atx_problem *problem, at_error *err) AT_MUST_CHECK;
