/* executed.h - `autotune check --execute`: runs configurations on the CPU and prints their faults. */
#pragma once

#include "cli/commands.h"
#include "compile/nvrtc.h"

typedef struct atx_executing {
    const atx_catalog *catalog;
    atx_nvrtc *nvrtc;
    const atx_words *ops, *templates, *shapes,
        *types;      /* none: all; shapes of the op's own, by default types */
    bool added_only; /* templates of --templates only */
    int cc;
    int64_t configs, seed;
    atx_format format;
} atx_executing;

typedef struct atx_executed_total {
    int64_t wrong;        /* templates that have a flaw                                                   */
    int64_t run, not_run; /* configurations; of the latter nothing is known, and the exit code has to say */
    int64_t left_out;     /* problems that were not named and take too much */
} atx_executed_total;

/* Executes, prints; warns of configurations that were not run. */
at_status atx_execute_and_print(atx_executed_total *total, const atx_executing *what,
                                at_error *err) AT_MUST_CHECK;

/* ATX_EXIT_UNSOUND: something is wrong; ATX_EXIT_UNCHECKED: not all that was asked for has run. */
int atx_executed_code(const atx_executed_total *total);
