/*
 * adopt_draft.h - what `autotune adopt` sees in a file before it writes: the kernel, its arguments, and what
 * may become parameters. adopt_read.c fills it, adopt_write.c writes; it borrows the
 * input. Private to adopt*.c.
 */
#ifndef AUTOTUNE_ADOPT_DRAFT_H
#define AUTOTUNE_ADOPT_DRAFT_H

#include "declare/declare.h"
#include "exchange/adopt.h"
#include "source/declarator.h"

#define ATX_DRAFT_ARGS   16
#define ATX_DRAFT_PARAMS 32

/* An array in __constant__ memory, of a known type. */
typedef struct atx_draft_variable {
    atx_kernel_arg arg;
    char size[ATX_MAX_WORD]; /* "3 * 3"; "": not made of numbers */
} atx_draft_variable;

typedef struct atx_draft_param {
    char name[ATX_MAX_WORD];
    long value;
    int axis; /* of the block that it is the size of; -1: of none */
    bool undefined;
    bool argument; /* of a template, not a macro */
    bool boolean;
} atx_draft_param;

typedef struct atx_draft {
    const atx_adopt_input *in;
    atx_tokens code;             /* of the text: no directives                          */
    char kernel[ATX_MAX_WORD];   /* its name alone                                      */
    char called[ATX_MAX_KERNEL]; /* ns::f<T, TILE>                                      */
    bool asks_arguments;         /* a template whose arguments are not understood       */
    bool shared;                 /* there is an array of dynamic shared memory          */
    atx_kernel_arg args[ATX_DRAFT_ARGS];
    int arg_count;
    atx_draft_variable variables[ATX_DRAFT_ARGS];
    int variable_count;
    atx_draft_param params[ATX_DRAFT_PARAMS];
    int param_count;
    atx_adopted *out;
    at_error *err;
} atx_draft;

/* AT_ERR_INPUT: no kernel, several of which none was named, or one that cannot be understood. */
at_status atx_draft_read(atx_draft *d) AT_MUST_CHECK;

/* Writes by the tuning problem in->space. adopt_space_draft.c */
void atx_draft_write_space(atx_draft *d);

#endif
