/* exit_codes.h - the exit codes of all commands; README.md and --help list them too. */
#pragma once

enum {
    ATX_EXIT_OK = 0,

    /* 1: there is no answer. */
    ATX_EXIT_NOTHING = 1,

    /* 2 to 5: it could not be done. */
    ATX_EXIT_USAGE = 2,  /* the command line or a file from the user is wrong  */
    ATX_EXIT_DEVICE = 3, /* no GPU, no driver, no NVRTC, or one of them failed */
    ATX_EXIT_STORE = 4,  /* the database                                       */
    ATX_EXIT_SYSTEM = 5, /* memory, files, processes, output                   */

    /* 10 to 19: the verdict of a check. */
    ATX_EXIT_DRIFT = 10,     /* verify: a time is another one now                             */
    ATX_EXIT_LOST = 11,      /* verify: another configuration is faster now                   */
    ATX_EXIT_WRONG = 12,     /* verify: a stored winner does not give the right result        */
    ATX_EXIT_SLOWER = 13,    /* compare: a problem takes longer                               */
    ATX_EXIT_UNSOUND = 14,   /* check --execute: a kernel does what it must not               */
    ATX_EXIT_FAILED = 15,    /* check, run: a configuration does not compile, run or is wrong */
    ATX_EXIT_UNCHECKED = 16, /* check, verify: not all of it could be checked                 */

    ATX_EXIT_INTERNAL = 70, /* a bug of ours: EX_SOFTWARE of sysexits.h */

    /* 128 and more: ended from outside, as shells show signals. */
    ATX_EXIT_INTERRUPTED = 130, /* by SIGINT; the program ends with 128 and the number of another signal */
    ATX_EXIT_UNREAD = 141
};
