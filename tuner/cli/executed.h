/* executed.h - `autotune check --execute`: runs configurations on the CPU, and prints what is wrong. */
#ifndef AUTOTUNE_CLI_EXECUTED_H
#define AUTOTUNE_CLI_EXECUTED_H

#include "cli/commands.h"
#include "compile/nvrtc.h"

typedef struct at__executing {
    const at__catalog *catalog;
    at__nvrtc *nvrtc;
    const at__words *ops, *templates, *shapes,
        *types;      /* none: all; shapes of the op's own, by default types */
    bool added_only; /* what --templates added */
    int cc;
    int64_t configs, seed;
    at__format format;
} at__executing;

typedef struct at__executed_total {
    int64_t wrong;        /* templates that have a flaw                                                   */
    int64_t run, not_run; /* configurations; of the latter nothing is known, and the exit code has to say */
} at__executed_total;

/* Executes, prints; warns of what is not proven, be it a part or all. */
at_status at__execute_and_print(at__executed_total *total, const at__executing *what,
                                at_error *err) AT_MUST_CHECK;

/* AT__EXIT_UNSOUND: something is wrong; AT__EXIT_NOTHING: not all that was asked for has run. */
int at__executed_code(const at__executed_total *total);

#endif
