/* executed.h - `autotune check --execute`: runs configurations on the CPU, and prints what is wrong. */
#ifndef AUTOTUNE_CLI_EXECUTED_H
#define AUTOTUNE_CLI_EXECUTED_H

#include "cli/commands.h"
#include "compile/nvrtc.h"

typedef struct at__executing {
    const at__catalog *catalog;
    at__nvrtc *nvrtc;
    const at__words *ops, *templates, *shapes,
        *types; /* none: all; shapes of the op's own, by default types */
    int cc;
    int64_t configs, seed;
    at__format format;
} at__executing;

/* Executes, prints. *wrong: templates that have a flaw. */
at_status at__execute_and_print(int64_t *wrong, const at__executing *what, at_error *err) AT_MUST_CHECK;

#endif
