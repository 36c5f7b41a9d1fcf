/*
 * adopt_draft.h - what `autotune adopt` sees in a file before it writes: the kernel, its arguments, and what
 * may become parameters. adopt_read.c and adopt_template.c fill it, adopt_write.c writes; it borrows the
 * input.
 */
#ifndef AUTOTUNE_ADOPT_DRAFT_H
#define AUTOTUNE_ADOPT_DRAFT_H

#include "declare/declare.h"
#include "exchange/adopt.h"
#include "source/signature.h"

#define AT__DRAFT_ARGS   16
#define AT__DRAFT_PARAMS 32

/* An array in __constant__ memory, of a known type. */
typedef struct at__draft_variable {
    at__kernel_arg arg;
    char size[AT__MAX_WORD]; /* "3 * 3"; "": not made of numbers */
} at__draft_variable;

typedef struct at__draft_param {
    char name[AT__MAX_WORD];
    long value;
    int axis; /* of the block that it is the size of; -1: of none */
    bool undefined;
    bool argument; /* of a template, not a macro */
    bool boolean;
} at__draft_param;

typedef struct at__draft {
    const at__adopt_input *in;
    at__str code;                /* without comments and strings                       */
    char kernel[AT__MAX_WORD];   /* its name alone                                      */
    char called[AT__MAX_KERNEL]; /* ns::f<T, TILE>                                      */
    bool asks_arguments;         /* a template whose arguments are not understood       */
    bool shared;                 /* there is an array of dynamic shared memory          */
    at__kernel_arg args[AT__DRAFT_ARGS];
    int arg_count;
    at__draft_variable variables[AT__DRAFT_ARGS];
    int variable_count;
    at__draft_param params[AT__DRAFT_PARAMS];
    int param_count;
    at__adopted *out;
    at_error *err;
} at__draft;

/* AT_ERR_INPUT: no kernel, several of which none was named, or one that cannot be understood. */
at_status at__draft_read(at__draft *d) AT_MUST_CHECK;

/*
 * Sets `called`, from the namespaces and the template of the kernel whose parameters begin at `open`, adds
 * the template's numbers to the parameters, and gives scalars of its types one that an op can pass.
 */
void at__draft_read_template(at__draft *d, const char *open);

/* 0, 1 or 2 for what people call the sizes of a block; -1: something else. */
int at__draft_block_axis(const char *name);

#endif
