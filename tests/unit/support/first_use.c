/*
 * first_use.c - a program that uses <autotune/autotune.h>, has a problem tuned at its first use, and ends.
 *
 *     first_use DATABASE now              waits for that; prints the match and the warning
 *     first_use DATABASE WAY [PROGRAM]    in the background: says "running", waits for the end of its
 * standard input, and ends by WAY: return, exit or _exit
 *
 * 77: there is no NVRTC. The driver is fake_driver.c.
 */
#include "fake_driver.h"

#include <autotune/autotune.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static at_tuner *tuner; /* never closed */

static int fail(at_status status, const at_error *err)
{
    printf("%s: %s\n", at_status_name(status), err->text);
    return status == AT_ERR_DEVICE && strstr(err->text, "NVRTC") ? 77 : 1;
}

static int end_by(const char *way)
{
    while (getchar() != EOF)
        ;
    if (strcmp(way, "exit") == 0)
        exit(0);
    if (strcmp(way, "_exit") == 0)
        _exit(0);
    return 0;
}

int main(int argc, char **argv)
{
    static const at_problem COPY = { .struct_bytes = sizeof(at_problem),
                                     .op = "copy",
                                     .type = AT_TYPE_F32,
                                     .size_count = 1,
                                     .sizes = { 1000 } };
    const at_found *found = NULL;
    at_error err = { 0 };
    at_open_options options = AT_OPEN_OPTIONS_INIT;
    if (argc < 3)
        return 2;
    options.database = argv[1];
    options.no_shipped = 1;
    options.tune_s = 1e6;
    options.tune_in_background = strcmp(argv[2], "now") != 0;
    options.program = argc > 3 ? argv[3] : NULL;
    fake_use_context(1);
    at_status status = at_open(&tuner, &options, &err);
    if (status == AT_OK)
        status = at_prepare(&found, tuner, &COPY, NULL, &err);
    if (status != AT_OK)
        return fail(status, &err);
    printf(options.tune_in_background ? "running\n" : "%s: %s\n", at_match_name(found->match),
           found->warning);
    fflush(stdout);
    return options.tune_in_background ? end_by(argv[2]) : 0;
}
