/*
 * exit_codes.h - what a command ends with; README.md and --help say the same.
 */
#ifndef AUTOTUNE_EXIT_CODES_H
#define AUTOTUNE_EXIT_CODES_H

enum {
    AT__EXIT_OK = 0,
    AT__EXIT_NOTHING = 1,   /* a problem has no winner; nothing was found; a check failed or was not run */
    AT__EXIT_USAGE = 2,     /* the command line or a file from the user is wrong          */
    AT__EXIT_DEVICE = 3,    /* no GPU, no driver, no NVRTC, or one of them failed         */
    AT__EXIT_STORE = 4,     /* the database                                               */
    AT__EXIT_SYSTEM = 5,    /* memory, files, processes, output                           */
    AT__EXIT_DRIFT = 10,    /* verify: a time is another one now                          */
    AT__EXIT_LOST = 11,     /* verify: another configuration is faster now                */
    AT__EXIT_WRONG = 12,    /* verify: a stored winner does not give the right result     */
    AT__EXIT_SLOWER = 13,   /* compare: a problem takes longer                            */
    AT__EXIT_UNSOUND = 14,  /* check --execute: a kernel does what it must not            */
    AT__EXIT_INTERNAL = 70, /* a bug of ours: EX_SOFTWARE of sysexits.h               */
    AT__EXIT_INTERRUPTED = 130,
    AT__EXIT_UNREAD = 141 /* as shells show the end by SIGPIPE */
};

#endif
