/*
 * program.h - a configuration, or an op's own kernels, as a module that the machine runs: rendered, compiled
 * to PTX by NVRTC in this process, parsed, and bound to the problem.
 */
#pragma once

#include "compile/builder.h"
#include "compile/nvrtc.h"
#include "ptx/ptx.h"

typedef struct atx_program {
    bool compiled; /* NVRTC took the source: code that is refused later is unknown to the machine */
    atx_ptx_module *module;
    atx_kernel kernel;              /* launches; their names are those of `entries` */
    int32_t entries[ATX_MAX_STEPS]; /* of the module's functions */
    atx_build build;                /* source and PTX            */
    atx_resources resources;        /* of machine code for the same device, when asked for; else unknown */
} atx_program;

typedef struct atx_program_request {
    const atx_template *t;
    atx_dtype type;
    const atx_config *config;
    const int64_t *slots; /* bound for op and template */
    int cc;
} atx_program_request;

/*
 * Zero *out before, close it in any case. AT_ERR_INPUT: the source does not compile, has no such kernel, or
 * has what the machine does not know; the text says which.
 */
at_status atx_program_of_template(atx_program *out, atx_nvrtc *nvrtc, const atx_program_request *request,
                                  at_error *err) AT_MUST_CHECK;

/* The op's own reference kernel; `slots`: bound for the op. */
at_status atx_program_of_reference(atx_program *out, atx_nvrtc *nvrtc, const atx_problem *problem,
                                   const int64_t *slots, int cc, at_error *err) AT_MUST_CHECK;

/* The kernels of the op's file that validate outputs; one step for each, by its own arguments alone. */
at_status atx_program_of_validators(atx_program *out, atx_nvrtc *nvrtc, const atx_problem *problem,
                                    const int64_t *slots, int cc, at_error *err) AT_MUST_CHECK;

/* Compiles the same source to machine code, for registers and shared memory. */
at_status atx_program_measure(atx_program *program, atx_nvrtc *nvrtc, const char *name, int cc,
                              at_error *err) AT_MUST_CHECK;

void atx_program_close(atx_program *program);
