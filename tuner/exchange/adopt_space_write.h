/*
 * adopt_space_write.h - the op and the template of a kernel whose tuning problem is there: all that the
 * problem says, and questions where it says nothing, or not what the kernel does.
 */
#pragma once

#include "exchange/adopt.h"

/* A parameter of the kernel, or an array in __constant__ memory. */
typedef struct atx_space_param {
    const char *name;  /* as declarations have it         */
    const char *dtype; /* "f32"; NULL: not known          */
    const char *size;  /* of an array: "3 * 3"; "", NULL: not known */
    bool pointer, constant;
    bool read, written; /* by the kernel's code, as far as that is certain */
} atx_space_param;

typedef struct atx_space_kernel {
    const atx_adopt_space *space;
    const char *op;              /* its name                                               */
    const char *source;          /* as the template's `source` line says it                */
    const char *const *includes; /* folders of its headers, NULL-ended; NULL      */
    const char *text;            /* of the file                                            */
    const char *called;          /* ns::f<T, 4>                                            */
    bool asks_arguments, shared;
    const atx_space_param *params, *constants;
    int param_count, constant_count;
    const char *const *undefined; /* names that the compiler does not know; NULL-ended */
} atx_space_kernel;

/* Fills op, t and questions; a failure is in the texts. */
void atx_space_write(atx_adopted *out, const atx_space_kernel *kernel);
