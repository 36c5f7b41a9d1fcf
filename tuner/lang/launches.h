/*
 * launches.h - what a configuration launches, for those who launch it by themselves: kernels in their order,
 * each with its own arguments; and the variables of the code that are filled before.
 *
 * What a kernel takes is the template's to say (`arg`, `launch`), what an argument is, the operation's.
 */
#ifndef AUTOTUNE_LAUNCHES_H
#define AUTOTUNE_LAUNCHES_H

#include "lang/problem.h"

/* One launch of a template. Borrowed from it. */
typedef struct atx_template_launch {
    const char *kernel;       /* as the declaration names it: f, ns::f<T, TILE> */
    const atx_launch *launch; /* its geometry, in expressions                   */
    const int *args;          /* of the operation, by their index, in the kernel's order */
    int arg_count;
} atx_template_launch;

int atx_template_launch_count(const atx_template *t); /* 1 or more */
atx_template_launch atx_template_launch_at(const atx_template *t, int index);

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
