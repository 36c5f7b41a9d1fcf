/*
 * sequence.h - the loops of the host around launches, taken apart: which launches there are for one problem
 * and configuration, with which sizes, buffers and scalars each.
 */
#ifndef AUTOTUNE_SEQUENCE_H
#define AUTOTUNE_SEQUENCE_H

#include "device/trial.h"

typedef struct atx_sequence {
    const atx_op *op;
    const atx_template *t; /* NULL: the op's reference */
    const atx_loops *loops;
} atx_sequence;

/*
 * Writes them as atx_kernel_next reads them. AT_ERR_INPUT, with the place: they are none, or more than
 * ATX_MAX_TURNS, or one cannot be made.
 */
at_status atx_sequence_write(atx_str *turns, const atx_sequence *sequence, const int64_t *slots,
                             at_error *err) AT_MUST_CHECK;

/* builder.c: an argument of a launch, by its index. */
at_status atx_bind_arg(struct atx_kernel_arg *out, const atx_op *op, int index, const int64_t *slots,
                       at_error *err) AT_MUST_CHECK;

#endif
