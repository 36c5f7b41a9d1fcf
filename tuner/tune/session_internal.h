/*
 * session_internal.h - the insides of a session. Private to session*.c: session.c opens and closes it,
 * session_problem.c tunes a problem, session_winner.c stores what came of it, session_help.c takes part in
 * another device's problem.
 */
#ifndef AUTOTUNE_SESSION_INTERNAL_H
#define AUTOTUNE_SESSION_INTERNAL_H

#include "tune/remeasure.h"
#include "tune/session.h"

struct atx_session {
    atx_env env;
    int64_t converged_run_id; /* of winners whose search ended by itself; 0: none yet */
    atx_progress now;         /* of the problem, as long as no search run runs           */
    double shown_s;           /* when that was shown last                             */
    atx_store *cache;         /* the builder's, to be closed                          */
    bool cache_lost;          /* and the user was warned                              */
    bool prepared;            /* what verifies is being compiled                      */
};

/* Everything of one problem. */
typedef struct atx_job {
    atx_session *s;
    atx_env *env;
    atx_search_run *copies, *main;  /* copies NULL: none, or not yet     */
    atx_help_request *help_request; /* NULL: no help is requested        */
    bool cancelled;                 /* in its setup or in its re-measurement      */
    atx_remeasurement remeasured;
} atx_job;

/* A row for a run of this session under a strategy's name. */
at_status atx_session_begin_run(int64_t *run_id, atx_session *session, const char *strategy, at_error *err);

/* Stores the winner of the re-measurement, unless the run saw only part of the space and a winner of all of
 * it is stored; *answer is what a look-up would give. */
at_status atx_session_keep_winner(atx_job *job, atx_answer *answer, at_error *err);

/* Whether an earlier run has answered this already, as far as these options ask. */
bool atx_session_is_answered(const atx_job *job, atx_answer *answer);

/* Lends the session's device to the session that made the help request, with its compile workers but for one:
 * they are back when it ends, also where the device has failed and the session goes on. */
at_status atx_session_lend(atx_session *session, atx_helper_pool *helper_pool, int64_t help_request,
                           at_error *err) AT_MUST_CHECK;

#endif
