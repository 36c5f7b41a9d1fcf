/*
 * process.h - the program as a process: descriptors 0 to 2 that exist, signals that end a command soon and in
 * order, and an exit code for results that could not be written.
 */
#pragma once

/*
 * Before anything else is opened, in every role of the program. A standard descriptor that was closed gets a
 * stand-in that can be neither read nor written: nothing that is opened later takes its number, and results
 * that are written to it fail as on a full disk. SIGPIPE and SIGXFSZ become errors of the call that raises
 * them.
 */
void atx_process_begin(void);

/*
 * SIGINT, SIGTERM, and SIGHUP where it is not ignored: the first one sets atx_cancel_requested; a command
 * that has not ended in order soon after is ended, within a second, and calls that wait are broken off with
 * EINTR. The second signal ends it at once.
 */
void atx_process_catch_signals(void);

/*
 * Where $AUTOTUNE_TIED is set (library/miss.h): when the other end of standard input is closed, because the
 * parent has ended, this process gets a SIGTERM, and after two seconds another one. Its own children do not
 * inherit the variable. Inherited descriptors are closed, except the standard ones.
 */
void atx_process_tie(void);

/* From now on the first signal leaves all the time that it takes: measuring comes to an end of its own. */
void atx_process_take_time(void);

/*
 * Checks that all output was written and that no signal came. Returns the exit code: `code`, or another one
 * where `code` is success, or a signal other than SIGINT interrupted the program. A reader that has read
 * enough (`autotune list | head -1`) is not reported as an error.
 */
int atx_process_finish_output(int code);
