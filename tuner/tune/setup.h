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

/* A problem on its way to the device: its buffers, and the kernels that make the right answer and judge by
 * it.
 */
typedef struct at__preparation {
    const at__problem *problem;
    at__setup setup;
    at__build reference, referees; /* of the op's own kernel: `reference` has both */
    const at__template *t;         /* whose kernel the reference is; NULL: the op's own */
    int64_t slots[AT__MAX_SLOTS];
} at__preparation;

/*
 * Describes the buffers of a problem, with `slots` bound, and has its reference compiled, without waiting for
 * it: what is begun meanwhile is compiled beside it. Borrows the problem until at__setup_finish or
 * at__setup_drop, which must follow, also after a failure. AT_ERR_INPUT: the op is recorded and has no
 * kernels. One that is recorded is ready on a replay without anything.
 */
at_status at__setup_begin(at__preparation *out, at__env *env, const at__problem *problem,
                          const int64_t *slots, at_error *err) AT_MUST_CHECK;

/*
 * Waits for what was begun, and opens the problem on the device. AT_ERR_INPUT: the reference does not
 * compile. AT_ERR_DEVICE, AT_ERR_CANCELLED: as at__device_setup; or NVRTC does not work (env->checked is
 * false then).
 */
at_status at__setup_finish(at__preparation *preparation, at__env *env, at_error *err) AT_MUST_CHECK;
void at__setup_drop(at__preparation *preparation, at__env *env);

/* Both at once. */
at_status at__setup_problem(at__env *env, const at__problem *problem, const int64_t *slots,
                            at_error *err) AT_MUST_CHECK;

/* The buffers of a problem, and what is in them. AT_ERR_INPUT: they could prove nothing, or cannot be. */
at_status at__setup_describe(at__setup *setup, const at__problem *problem, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/* The source of a part of the kernels that fill buffers and check results. */
at_status at__setup_checks(at__str *source, int part, at_error *err) AT_MUST_CHECK;

/* Has all parts compiled for the env's device, without waiting: nothing depends on the problem. */
at_status at__setup_begin_checks(at__env *env, at_error *err) AT_MUST_CHECK;

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
