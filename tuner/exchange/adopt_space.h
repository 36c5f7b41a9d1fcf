/*
 * adopt_space.h - what a tuning problem in the T1 format says of a kernel that is there, in the words of a
 * declaration: for `autotune adopt`.
 *
 * Sizes and launches are expressions of its parameters, of numbers and of problem_x, problem_y ..., which are
 * its ProblemSize. adopt_space.c reads the configurations and the launch, adopt_space_args.c the arguments.
 */
#pragma once

#include "declare/declare.h"
#include "util/str.h"

#define ATX_SPACE_ARGS 64

typedef enum atx_space_memory {
    ATX_SPACE_SCALAR,
    ATX_SPACE_VECTOR,
    ATX_SPACE_CONSTANT /* a variable in __constant__ memory */
} atx_space_memory;

/* An argument, in the order of the tuning problem. */
typedef struct atx_space_arg {
    char name[ATX_MAX_NAME]; /* "": it has none, or one that is no name of ours */
    atx_space_memory memory;
    atx_dtype type;     /* ATX_DTYPES: it does not say, or another one */
    bool reads, writes; /* neither: it does not say                    */
    char size[256];     /* of a vector, in elements of `type`; "": it does not say                       */
    char value[64];     /* of a scalar: 0.25; of a vector's numbers: uniform 0 20; "": it does not say   */
    char ask[200];      /* what only its author can answer; ""                                           */
    char note[100];     /* the expression that `value` was made of; ""                                   */
} atx_space_arg;

typedef struct atx_adopt_space {
    atx_str lines;               /* `param` and `require` lines, its conditions translated                  */
    atx_str kernel, file;        /* names; "": it does not say. The file's is relative to the problem's     */
    atx_str title;               /* the benchmark's name; ""                                                */
    atx_str options;             /* `option` lines, and a comment for what is left out                      */
    atx_str shared;              /* bytes of dynamic shared memory; ""                                      */
    atx_str grid, block;         /* expressions; "": it does not say                                        */
    atx_str defaults;            /* "A=1 B=2": the valid configuration next to its defaults; "": none found */
    atx_str defines;             /* the same as lines of macros, and those that Kernel Tuner adds    */
    int64_t sizes[ATX_MAX_DIMS]; /* its ProblemSize                                                  */
    int size_count;
    atx_space_arg args[ATX_SPACE_ARGS];
    int arg_count;
} atx_adopt_space;

/* Of dimension i < ATX_MAX_DIMS: problem_x, as `autotune import` names it. */
const char *atx_adopt_space_dim(int i);

/* AT_ERR_INPUT: it is no such file, or a condition that expressions cannot say, with its place. */
at_status atx_adopt_space_read(atx_adopt_space *out, const char *path, at_error *err) AT_MUST_CHECK;
void atx_adopt_space_clear(atx_adopt_space *space);
