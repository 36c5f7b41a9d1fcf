/*
 * launches.h - what the arguments of a configuration's launches are, for those who launch it by themselves.
 * What a kernel takes is the template's to say (`arg`, `launch`), what an argument is, the operation's.
 */
#ifndef AUTOTUNE_LAUNCHES_H
#define AUTOTUNE_LAUNCHES_H

#include "lang/problem.h"

/* An argument of the operation, for one problem. */
typedef struct atx_arg_value {
    int buffer;       /* its place among the operation's buffers; -1: a scalar                    */
    int64_t elements; /* of the buffer; 1 of a scalar                                             */
    int64_t bytes;    /* of the buffer, or of the scalar: 2, 4 or 8                               */
    int64_t value;    /* of the scalar: an integer, or the bits of a floating-point one; else 0   */
    int64_t align;    /* of the buffer: its address is a multiple of these bytes; of a scalar 0   */
} atx_arg_value;

/* Slots are the problem's. AT_ERR_INPUT: its expression has no value. */
at_status atx_arg_value_of(atx_arg_value *out, const atx_problem *problem, int arg, const int64_t *slots,
                           at_error *err) AT_MUST_CHECK;

#endif
