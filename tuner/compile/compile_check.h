/*
 * compile_check.h - compiles configurations with the pool and keeps the results, by op, template,
 * architecture and type, and whether they can be launched as declared. Equal sources (shapes share kernels)
 * are compiled once. Prints nothing.
 */
#pragma once

#include "lang/catalog.h"
#include "util/options.h"
#include "lang/problem.h"
#include <stdatomic.h>

typedef struct atx_compile_check atx_compile_check;

/* The figures of one template, architecture and type; there is one when a configuration was valid. */
typedef struct atx_compile_check_row {
    const atx_op *op;
    const atx_template *t; /* NULL: the op's reference kernel */
    int cc;
    char variant; /* of that architecture, asked for or the template's own: 'a' of sm_90a; 0: none */
    atx_dtype type;
    int64_t configs;    /* valid ones that were looked at, over all shapes                  */
    int64_t kernels;    /* compiled for them, with this row's source the first of its kind */
    int64_t failed;     /* of these: they do not compile, or cannot be launched             */
    int64_t spilling;   /* kernels that spill registers to memory                           */
    int64_t shared_max; /* bytes a block, static and dynamic together                       */
    int64_t *registers; /* of each kernel, where the compiler says                          */
    size_t register_count, register_cap;
} atx_compile_check_row;

/* A fault, reported once for all kernels that have it. */
typedef struct atx_compile_check_fault {
    const atx_compile_check_row *row; /* of the first    */
    const char *config, *log;         /* likewise        */
    int64_t kernels;
    enum atx_fault_kind {
        ATX_FAULT_FAILS,    /* they do not compile, or cannot be launched           */
        ATX_FAULT_LEFT_OUT, /* configurations without a launch: they are no kernels */
        ATX_FAULT_USELESS   /* of the template: a warning, as of a parameter that changes nothing */
    } kind;
} atx_compile_check_fault;

typedef struct atx_compile_check_options {
    const atx_catalog *catalog;
    const atx_words *templates; /* only these; empty: all          */
    bool added_only;            /* only those of a folder of --templates */
    int workers;                /* 0: one a core                   */
    int64_t sample;             /* of each template; 0: all        */
    uint64_t seed;
    const atomic_int *cancel; /* non-zero: end early       */
    void *context;
    void (*fault)(void *context, const atx_compile_check_fault *fault); /* when all is compiled */
    void (*progress)(void *context, const atx_compile_check_row *row, int64_t kernels,
                     int64_t failed); /* often */
} atx_compile_check_options;

/* Borrows the objects of the options. */
at_status atx_compile_check_open(atx_compile_check **out, const atx_compile_check_options *options,
                                 at_error *err) AT_MUST_CHECK;
void atx_compile_check_close(atx_compile_check *check); /* NULL is allowed */

/*
 * Hands the reference and the configurations of one problem to the compiler. A kernel that does not compile
 * is no error. AT_ERR_INPUT: the declarations cannot be evaluated. `slots`: the op's, bound for the problem
 * and the architecture. `variant`: 'a' of sm_90a; 0: the template's own.
 */
at_status atx_compile_check_problem(atx_compile_check *check, const atx_problem *problem,
                                    const int64_t *slots, int cc, char variant, at_error *err) AT_MUST_CHECK;

/* Waits until everything is compiled, then tells faults, row by row. */
at_status atx_compile_check_finish(atx_compile_check *check, at_error *err) AT_MUST_CHECK;

/* Valid until the next call of atx_compile_check_problem. */
size_t atx_compile_check_rows(const atx_compile_check *check, atx_compile_check_row **out);

/*
 * Adds the requirements that left a template without any configuration, for the last such problem, each in
 * quotes; nothing: there was none.
 */
at_status atx_compile_check_refusal(atx_str *out, const atx_compile_check *c, const atx_template *t,
                                    at_error *err) AT_MUST_CHECK;
