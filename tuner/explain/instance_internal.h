/*
 * instance_internal.h - a problem instance and its launches. Private to instance*.c.
 */
#pragma once

#include "device/kernel_args.h"
#include "explain/instance.h"
#include "machine/inspect.h"
#include "tune/setup.h"

#define ATX_MOST_STEPS ((int64_t)1 << 36)

struct atx_instance {
    atx_setup setup;
    unsigned char *begin[ATX_MAX_ARGS];    /* first contents of buffers; NULL: zeroes */
    unsigned char *expected[ATX_MAX_ARGS]; /* of outputs */
    atx_program validators;                /* without a module: none */
    bool has_answer;
    int64_t work;       /* instructions of all threads of the reference, or bytes if these are more */
    int64_t most_steps; /* see atx_instance_options */
};

/* How to run a launch. */
typedef struct atx_run_options {
    atx_inspector *inspector; /* NULL: flaws are not looked for */
    atx_tally *tally;         /* NULL: nothing is counted     */
    atx_sample *sample;
    int64_t most_blocks;
    int64_t most_steps;    /* instructions of all threads of a launch; 0: 2^28 of each warp */
    int64_t of_a_thread;   /* of each that is launched, if that is more: tiles suit larger problems */
    unsigned char swapped; /* see atx_machine_launch */
    bool reversed;         /* the last block first, each with what the one before it left in shared memory */
} atx_run_options;

/* One of a program's launches. */
typedef struct atx_program_launch {
    const atx_program *program;
    int number;
    const atx_geometry *geometry;
    const struct atx_kernel_arg *args; /* the first of its parameters */
    int arg_count;
    void *const *params; /* where each of them is */
    int count;
} atx_program_launch;

/* A machine with the problem's buffers: as they begin, outputs as `outputs` says where that is not NULL. */
at_status atx_instance_set_up(atx_machine **out, int regions[ATX_MAX_ARGS], const atx_instance *s,
                              const atx_program *p, unsigned char *const *outputs,
                              at_error *err) AT_MUST_CHECK;

at_status atx_instance_launch(atx_machine_result *result, atx_machine *machine,
                              const atx_program_launch *what, const atx_run_options *how,
                              at_error *err) AT_MUST_CHECK;

/* The parameters of one of a kernel's launches, which point into *room. */
void atx_instance_params(void **params, atx_params *room, const atx_machine *machine, const int *regions,
                         const atx_kernel *k, const atx_kernel_launch *one);

/* All launches of a program, up to the first that is stopped. Watches stop one where they have no memory. */
at_status atx_instance_run_all(atx_machine_result *result, atx_machine *machine, const int *regions,
                               const atx_program *p, const atx_run_options *how, at_error *err) AT_MUST_CHECK;
