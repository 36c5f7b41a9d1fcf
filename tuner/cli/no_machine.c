/*
 * no_machine.c - in the place of cmd_explain.c and executed.c where autotune was built with -DAT_MACHINE=OFF:
 * says that they are not in this build.
 */
#include "cli/executed.h"

#include <string.h>

static at_status refuse(const char *what, at_error *err)
{
    return atx_fail(
        err, AT_ERR_USAGE,
        "%s runs kernels on the CPU, which is not in this build of autotune; expected one that was "
        "built with -DAT_MACHINE=ON, the default",
        what);
}

at_status atx_execute_and_print(atx_executed_total *total, const atx_executing *what, at_error *err)
{
    (void)total;
    (void)what;
    return refuse("check --execute", err);
}

int atx_executed_code(const atx_executed_total *total)
{
    (void)total;
    return ATX_EXIT_USAGE;
}

int atx_cmd_explain(int argc, char **argv)
{
    static const atx_usage USAGE = { "autotune explain",
                                     "Not in this build of autotune, which was made with -DAT_MACHINE=OFF." };
    const atx_option TABLE[] = { { NULL, ATX_OPT_FLAG, NULL, NULL, NULL } };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    if (argc > 1 && strncmp(argv[1], "--help", 6) == 0) {
        atx_words words = { .count = 0 };
        (void)atx_command_options(&USAGE, TABLE, argc, argv, &words, &code);
        return code;
    }
    refuse("explain", &err);
    return atx_complain(&err);
}
