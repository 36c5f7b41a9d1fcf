/*
 * compile_check.h - compiles configurations with the pool and keeps what the compiler says of them, by op,
 * template, architecture and type, and whether they can be launched as declared. Equal sources (shapes share
 * kernels) are compiled once. Prints nothing.
 */
#ifndef AUTOTUNE_COMPILE_CHECK_H
#define AUTOTUNE_COMPILE_CHECK_H

#include "lang/catalog.h"
#include "util/options.h"
#include "lang/problem.h"
#include <stdatomic.h>

typedef struct at__compile_check at__compile_check;

/* What is known of one template, architecture and type; there is one when a configuration was valid. */
typedef struct at__compile_check_row {
    const at__op *op;
    const at__template *t; /* NULL: the op's reference kernel */
    int cc;
    at__dtype type;
    int64_t configs;    /* valid ones that were looked at, over all shapes                  */
    int64_t kernels;    /* compiled for them, with this row's source the first of its kind */
    int64_t failed;     /* of these: they do not compile, or cannot be launched             */
    int64_t spilling;   /* kernels that spill registers to memory                           */
    int64_t shared_max; /* bytes a block, static and dynamic together                       */
    int64_t *registers; /* of each kernel, where the compiler told                          */
    size_t register_count, register_cap;
} at__compile_check_row;

/* What is wrong, told once for all kernels that it hits. */
typedef struct at__compile_check_fault {
    const at__compile_check_row *row; /* of the first    */
    const char *config, *log;         /* likewise        */
    int64_t kernels;
    enum at__fault_kind {
        AT__FAULT_FAILS,    /* they do not compile, or cannot be launched           */
        AT__FAULT_LEFT_OUT, /* configurations without a launch: they are no kernels */
        AT__FAULT_USELESS   /* of the template: a doubt, as of a parameter that changes nothing */
    } kind;
} at__compile_check_fault;

typedef struct at__compile_check_options {
    const at__catalog *catalog;
    const at__words *templates; /* only these; empty: all          */
    bool added_only;            /* only those of a folder of --templates */
    int workers;                /* 0: one a core                   */
    int64_t sample;             /* of each template; 0: all        */
    uint64_t seed;
    const atomic_int *cancel; /* non-zero: end early       */
    void *context;
    void (*fault)(void *context, const at__compile_check_fault *fault); /* when all is compiled */
    void (*progress)(void *context, const at__compile_check_row *row, int64_t kernels,
                     int64_t failed); /* often */
} at__compile_check_options;

/* Borrows what the options point to. */
at_status at__compile_check_open(at__compile_check **out, const at__compile_check_options *options,
                                 at_error *err) AT_MUST_CHECK;
void at__compile_check_close(at__compile_check *check); /* NULL is allowed */

/*
 * Hands the reference and the configurations of one problem to the compiler. A kernel that does not compile
 * is no error. AT_ERR_INPUT: the declarations cannot be evaluated. `slots`: the op's, bound for the problem
 * and the architecture.
 */
at_status at__compile_check_problem(at__compile_check *check, const at__problem *problem,
                                    const int64_t *slots, int cc, at_error *err) AT_MUST_CHECK;

/* Waits until everything is compiled, then tells faults, row by row. */
at_status at__compile_check_finish(at__compile_check *check, at_error *err) AT_MUST_CHECK;

/* Valid until the next call of at__compile_check_problem. */
size_t at__compile_check_rows(const at__compile_check *check, at__compile_check_row **out);

/*
 * Adds the requirements that left a template without any configuration, for the last such problem, each in
 * quotes; nothing: there was none.
 */
at_status at__compile_check_refusal(at__str *out, const at__compile_check *c, const at__template *t,
                                    at_error *err) AT_MUST_CHECK;

#endif
