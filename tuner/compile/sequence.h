/*
 * sequence.h - the loops of the host around launches, taken apart: which launches there are for one problem
 * and configuration, with which sizes, buffers and scalars each.
 */
#pragma once

#include "device/trial.h"

typedef struct atx_sequence {
    const atx_op *op;
    const atx_template *t; /* NULL: the op's reference */
    const atx_loops *loops;
} atx_sequence;

/* One of them: the slots that its expressions are evaluated with, and for each argument of the op the one
 * whose buffer is meant by it. */
typedef struct atx_sequence_launch {
    int step;
    const int64_t *slots;
    const int *holds;
} atx_sequence_launch;

/* What a launch of a template, or of the reference, takes: arguments as their indices say, with those that
 * are swapped in each other's place. Returns how many. */
int atx_sequence_args(int args[ATX_MAX_ARGS], const atx_sequence *sequence, const atx_sequence_launch *one);

/* The scalar among these whose value is another one in each iteration; NULL: argument `index` is none. */
const atx_arg *atx_sequence_scalar(const atx_sequence *sequence, int index);

/* Calls `visit` for each, until it fails. AT_ERR_INPUT, with the place: they are none, or too many. */
typedef at_status atx_launch_visitor(void *context, const atx_sequence_launch *one, at_error *err);
at_status atx_sequence_walk(const atx_sequence *sequence, const int64_t *slots, atx_launch_visitor *visit,
                            void *context, at_error *err) AT_MUST_CHECK;

/*
 * Writes them as atx_kernel_next reads them: each has the arguments of its step in `kernel`, which is bound,
 * but for what the iteration makes of them. AT_ERR_INPUT, with the place: they are none, or more than
 * ATX_MAX_LAUNCHES, or one cannot be made.
 */
at_status atx_sequence_write(atx_str *launches, const atx_sequence *sequence, const atx_kernel *kernel,
                             const int64_t *slots, at_error *err) AT_MUST_CHECK;
