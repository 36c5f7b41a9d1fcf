/*
 * render.h - from a template and a configuration to CUDA source. A pure function: same input, same bytes.
 *
 * The source is a prelude (how it was made, `using T`, typed constants for parameters, labels and consts),
 * then the files of common code that the template uses and the template's own, each as it stands behind a
 * #line. It depends on the problem only through the element type and `const` values, so that problems share
 * compiled kernels.
 */
#ifndef AUTOTUNE_RENDER_H
#define AUTOTUNE_RENDER_H

#include "lang/problem.h"

/* `slots` as bound by at__problem_bind; copied inside. */
at_status at__render(at__str *out, const at__template *t, at__dtype type, const at__config *config,
                     const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* The op's file with its reference kernel, for this type; of an op of layouts, whose kernels know theirs, for
 * the problem's. */
at_status at__render_reference(at__str *out, const at__problem *problem, at_error *err) AT_MUST_CHECK;

#endif
