/*
 * setup.h - a problem on the device: its buffers, its reference kernel, the copy that is its ceiling.
 */
#pragma once

#include "tune/env.h"

/*
 * Whether a problem can be measured here at all, or is known: before anything starts. AT_ERR_DEVICE: it needs
 * more memory than the device has free; says both.
 */
at_status atx_setup_fits(const atx_env *env, const atx_problem *problem, at_error *err) AT_MUST_CHECK;

/* A problem on its way to the device: its buffers, and the kernels that make the right answer and validate by
 * it.
 */
typedef struct atx_preparation {
    const atx_problem *problem;
    atx_setup setup;
    atx_build reference, validators; /* of the op's own kernel: `reference` has both */
    const atx_template *t;           /* whose kernel the reference is; NULL: the op's own */
    int64_t slots[ATX_MAX_SLOTS];
} atx_preparation;

/*
 * Describes the buffers of a problem, with `slots` bound, and has its reference compiled, without waiting for
 * it: what is begun meanwhile is compiled beside it. Borrows the problem until atx_setup_finish or
 * atx_setup_drop, which must follow, also after a failure. AT_ERR_INPUT: the op is recorded and has no
 * kernels. One that is recorded is ready on a replay without anything.
 */
at_status atx_setup_begin(atx_preparation *out, atx_env *env, const atx_problem *problem,
                          const int64_t *slots, at_error *err) AT_MUST_CHECK;

/*
 * Waits for what was begun, and opens the problem on the device. AT_ERR_INPUT: the reference does not
 * compile. AT_ERR_DEVICE, AT_ERR_CANCELLED: as atx_device_setup; or NVRTC does not work (env->checked is
 * false then).
 */
at_status atx_setup_finish(atx_preparation *preparation, atx_env *env, at_error *err) AT_MUST_CHECK;
void atx_setup_drop(atx_preparation *preparation, atx_env *env);

/* Between the two: takes over what is compiled, without waiting. Other sessions find it in the cache then. */
void atx_setup_take(atx_preparation *preparation, atx_env *env);

/* Both at once. */
at_status atx_setup_problem(atx_env *env, const atx_problem *problem, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/* The buffers of a problem and their contents. AT_ERR_INPUT: they could prove nothing, or do not fit. */
at_status atx_setup_describe(atx_setup *setup, const atx_problem *problem, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/* The source of a part of the kernels that fill buffers and check results. */
at_status atx_setup_checks(atx_str *source, atx_check_kind part, at_error *err) AT_MUST_CHECK;

/* Has all parts but the rare ones compiled for the env's device, without waiting: nothing depends on the
 * problem. */
at_status atx_setup_begin_checks(atx_env *env, at_error *err) AT_MUST_CHECK;

/*
 * The problem that the op's `ceiling` names; false: it has none, is its own ceiling, or names what is no copy
 * of one input to one output of as many bytes.
 */
bool atx_setup_ceiling(atx_problem *out, const atx_env *env, const atx_problem *problem,
                       const int64_t *slots);

/* Whether the driver's own copy can be timed beside it. A replay knows which of them were. */
bool atx_setup_has_copies(const atx_env *env, const atx_problem *problem, const int64_t *slots);

/* What its copies move, the driver's own among them; 0: it has none. */
int64_t atx_setup_copy_bytes(const atx_env *env, const atx_problem *problem, const int64_t *slots);
