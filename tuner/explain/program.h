/*
 * program.h - a configuration, or an op's own kernels, as a module that the machine runs: rendered, compiled
 * to PTX by NVRTC in this process, parsed, and bound to the problem.
 */
#ifndef AUTOTUNE_EXPLAIN_PROGRAM_H
#define AUTOTUNE_EXPLAIN_PROGRAM_H

#include "compile/builder.h"
#include "compile/nvrtc.h"
#include "ptx/ptx.h"

typedef struct at__program {
    bool compiled; /* NVRTC took the source; what was refused then, the machine does not know */
    at__ptx_module *module;
    at__kernel kernel;              /* launches; their names are those of `entries` */
    int32_t entries[AT__MAX_STEPS]; /* of the module's functions */
    at__build build;                /* source and PTX            */
    at__resources resources;        /* of machine code for the same device, when asked for; else unknown */
} at__program;

/*
 * Zero *out before, close it in any case. AT_ERR_INPUT: the source does not compile, has no such kernel, or
 * has what the machine does not know; the text says which. `slots`: bound for op and template.
 */
at_status at__program_of_template(at__program *out, at__nvrtc *nvrtc, const at__template *t, at__dtype type,
                                  const at__config *config, const int64_t *slots, int cc,
                                  at_error *err) AT_MUST_CHECK;

/* The op's own reference kernel; `slots`: bound for the op. */
at_status at__program_of_reference(at__program *out, at__nvrtc *nvrtc, const at__problem *problem,
                                   const int64_t *slots, int cc, at_error *err) AT_MUST_CHECK;

/* The kernels of the op's file that judge outputs; one step for each, by its own arguments alone. */
at_status at__program_of_referees(at__program *out, at__nvrtc *nvrtc, const at__problem *problem,
                                  const int64_t *slots, int cc, at_error *err) AT_MUST_CHECK;

/* Compiles the same source to machine code, for registers and shared memory. */
at_status at__program_measure(at__program *program, at__nvrtc *nvrtc, const char *name, int cc,
                              at_error *err) AT_MUST_CHECK;

void at__program_close(at__program *program);

#endif
