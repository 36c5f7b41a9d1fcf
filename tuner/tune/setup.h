/*
 * setup.h - a problem on the device: its buffers, its reference kernel, the copy that is its ceiling.
 */
#ifndef AUTOTUNE_SETUP_H
#define AUTOTUNE_SETUP_H

#include "tune/env.h"

/*
 * Whether a problem can be measured here at all, or is known: before anything starts. AT_ERR_DEVICE: it needs
 * more memory than the device has free; says both.
 */
at_status at__setup_fits(const at__env *env, const at__problem *problem, at_error *err) AT_MUST_CHECK;

/*
 * Builds the reference and opens the problem on the device, with `slots` bound. AT_ERR_INPUT: the op is
 * recorded and has no kernels, or its reference does not compile. AT_ERR_DEVICE, AT_ERR_CANCELLED: as
 * at__device_setup. An op that is recorded is ready on a replay without anything.
 */
at_status at__setup_problem(at__env *env, const at__problem *problem, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/* The buffers of a problem, and what is in them. AT_ERR_INPUT: they could prove nothing, or cannot be. */
at_status at__setup_describe(at__setup *setup, const at__problem *problem, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/* The source of the kernels that fill buffers and check results. */
at_status at__setup_checks(at__str *source, at_error *err) AT_MUST_CHECK;

/*
 * The problem that the op's `ceiling` names; false: it has none, is its own ceiling, or names what is no copy
 * of one input to one output of as many bytes.
 */
bool at__setup_ceiling(at__problem *out, const at__env *env, const at__problem *problem,
                       const int64_t *slots);

/* Whether the driver's own copy can be timed beside it. A replay knows which of them were. */
bool at__setup_has_copies(const at__env *env, const at__problem *problem, const int64_t *slots);

/* What its copies move, the driver's own among them; 0: it has none. */
int64_t at__setup_copy_bytes(const at__env *env, const at__problem *problem, const int64_t *slots);

#endif
