/*
 * miss.h - a problem that nothing is known of is tuned when it is first needed: by `autotune tune`, in a
 * process of its own, within a budget.
 *
 * However many processes and threads need one problem, one tunes it, and the others wait for it. Nothing here
 * opens a GPU. Any number of threads at once. The program ends soon after this process, however that ends.
 */
#pragma once

#include "lang/problem.h"
#include "util/str.h"
#include <stdatomic.h>

/* All borrowed for the call. */
typedef struct atx_miss {
    const char *program;        /* `autotune`; NULL: the one that belongs to this code; see miss.c */
    const char *database;       /* where the result goes; made when it is missing        */
    const char *templates;      /* --templates; NULL: none                               */
    const char *headers;        /* its $AUTOTUNE_HEADERS, "": none; NULL: that of this process */
    const char *allow;          /* its $AUTOTUNE_ALLOW, the same */
    const char *device;         /* --device: "0"                                         */
    double budget_s;            /* wall time of the call, above 0; a second more at most */
    bool no_environment;        /* the program sees no variable AUTOTUNE_..., and none is asked here */
    const atomic_int *stop;     /* not 0: end early; may be NULL                         */
    const volatile int *cancel; /* the same, of the caller's */
} atx_miss;

/*
 * AT_OK: it was tuned, or an attempt was made: look it up again. Otherwise *err says why it was not, and the
 * database is as it was but for trials: no program, it ended with an error, the budget was over (and the
 * program was ended), the database's folder cannot be written; AT_ERR_CANCELLED: `stop`.
 */
at_status atx_miss_tune(const atx_miss *miss, const atx_problem *problem, at_error *err) AT_MUST_CHECK;

/*
 * Has the model beside the database learn from the tuned problems, by `autotune learn`, where that pays
 * (atx_model_is_due) and no other process is training just now. Takes seconds on one core, whatever the
 * budget; `stop` ends it soon. AT_OK also where nothing was done.
 */
at_status atx_miss_learn(const atx_miss *miss, at_error *err) AT_MUST_CHECK;

/* In the environment of the program that is started: end when standard input ends (cli/process.h). */
#define ATX_TIED_VARIABLE "AUTOTUNE_TIED"

/* The shared library that this code is a part of, by its whole name; "": it is none, or was loaded by a
 * relative name. */
const char *atx_own_library(void);
