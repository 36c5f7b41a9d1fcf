/*
 * e2e_support.h - the program itself, run on the scripted driver, and what it left behind.
 *
 * Each test has a folder of its own with a script, a database, templates and the outputs. The op is `copy`;
 * its template `mine` has the parameter THREADS, 32 to 1024 in steps of 32, which is also its block: a script
 * can say something about each configuration.
 */
#pragma once

#include <stdbool.h>

/* `copy 1000 f32`, all that follows on the command line left out. */
#define E2E_MINE "tune copy 1000 f32 --only mine --templates templates --jobs 1 "

/* Before each test. Skips it where there is no NVRTC. After it: e2e_end, which removes the folder. */
void e2e_begin(void);
void e2e_end(void);

const char *e2e_folder(void);

/* A file of the folder, which is there as a whole at once: a run may be reading it. `e2e_script` is "script",
 * which $AT_SCRIPT names, after a few lines for all tests. */
void e2e_write(const char *name, const char *text);
void e2e_script(const char *text);

/* How many of many: a tenth; all of them where $AUTOTUNE_TEST_ALL is set, as by `tools/test --all`. */
int e2e_few(int count);

typedef enum e2e_program {
    E2E_REAL,
    E2E_QUICK /* its clock runs ten times as fast, so that nobody waits for deadlines */
} e2e_program;

typedef struct e2e_run {
    int pid;
    char name[32];
    int code; /* exit code; below zero: the signal that ended it */
    char out[1 << 16], err[1 << 16];
} e2e_run;

/* `args` are split at blanks. Runs in the folder; stdout and stderr go to files of it. */
void e2e_start(e2e_run *run, e2e_program program, const char *args);

/* The same with one of the descriptors 0 to 2 closed. */
void e2e_start_without(e2e_run *run, int fd, e2e_program program, const char *args);

/* Fails the test when it takes longer than seven minutes, when it died of a signal, or a sanitizer
 * complained.
 */
void e2e_wait(e2e_run *run);

/* For one that was killed: may have died of a signal. */
void e2e_reap(e2e_run *run);
void e2e_tune(e2e_run *run, e2e_program program, const char *args);

/*
 * ---- waiting until a run has come so far ----
 *
 * Each waits for what shows it, for as long as that takes; fails the test when the run ends before.
 */

bool e2e_has_ended(const e2e_run *run);
void e2e_wait_for_file(const e2e_run *run, const char *name);
void e2e_wait_for_said(const e2e_run *run, const char *text);              /* on stderr */
void e2e_wait_for_rows(const e2e_run *run, const char *sql, long count);   /* counted so many */
void e2e_wait_for_work(const e2e_run *run, char role, double processor_s); /* done from now on */

/* Sends a signal and waits until its handler runs. */
void e2e_signal(const e2e_run *run, int signal_number);

/* Processes that this test started, through whatever others; *list, when given, receives up to `max` of them.
 */
int e2e_processes(int *list, int max);

/* The role of one: 's'upervisor, 'w'orker, 'r'unner; '?': it is gone. */
char e2e_role(int pid);

/* Waits a moment for them to end: none may be left. */
void e2e_expect_no_process(void);

/* The database is whole. Must not be called while it does not exist. */
void e2e_expect_whole(void);

/*
 * From now on runs have a cache of their own, a new file of this name in the folder, in the place of the one
 * that all tests share. It begins with what all runs compile, the kernels that fill and compare, which take a
 * compiler thirty times as long as one of E2E_MINE's; also those of another NVRTC, or of the program as it
 * was: what no run has taken since has this date.
 */
#define E2E_UNUSED "2026-01-01T00:00:00Z"
void e2e_own_cache(const char *name);

bool e2e_has_file(const char *name); /* in the folder */
bool e2e_has_table(const char *name);

/* The first column of the first row; -1 for none or NULL. */
long e2e_count(const char *sql);

#define e2e_expect(condition, run)                                                                           \
    cr_assert(condition, "exit %d\n--- stdout\n%s\n--- stderr\n%s", (run).code, (run).out, (run).err)
