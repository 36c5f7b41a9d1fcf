/*
 * launches.h - the arguments of a configuration's launches, for code that launches it itself. The template
 * (`arg`, `launch`) decides which arguments a kernel takes, the operation what an argument is.
 */
#pragma once

#include "lang/problem.h"

/* An argument of the operation, or a template's own (atx_template_arg), for one problem. */
typedef struct atx_arg_value {
    int buffer;       /* its place among the operation's buffers; -1: a scalar                    */
    int64_t elements; /* of the buffer; 1 of a scalar                                             */
    int64_t bytes;    /* of the buffer, or of the scalar: 1, 2, 4 or 8                            */
    int64_t value;    /* of the scalar: an integer, or the bits of a floating-point one; else 0   */
    int64_t align;    /* of the buffer: its address is a multiple of these bytes; of a scalar 0   */
} atx_arg_value;

/* Of an argument that is one, its place among the operation's buffers, whichever of them a kernel takes. */
int atx_arg_buffer(const atx_op *op, int arg);

/* Slots are the problem's, with the configuration where it is the template's own. AT_ERR_INPUT: its
 * expression has no value. */
at_status atx_arg_value_of(atx_arg_value *out, const atx_problem *problem, const atx_template *t, int arg,
                           const int64_t *slots, at_error *err) AT_MUST_CHECK;
