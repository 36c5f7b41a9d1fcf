/*
 * session_internal.h - the insides of a session. Private to session*.c: session.c opens and closes it,
 * session_job.c opens a problem, session_problem.c tunes it, session_ahead.c begins the next one,
 * session_winner.c stores what came of it, session_front.c reads the front of its trials, session_help.c
 * takes part in another device's problem.
 */
#pragma once

#include "tune/remeasure.h"
#include "tune/session.h"
#include "tune/setup.h"

typedef struct atx_job atx_job;

typedef struct atx_front_points {
    atx_front_point *items;
    size_t count, cap;
} atx_front_points;

struct atx_session {
    atx_env env;
    int64_t converged_run_id; /* of winners whose search ended by itself; 0: none yet */
    atx_progress now;         /* of the problem, as long as no search run runs           */
    double shown_s;           /* when that was shown last                             */
    atx_store *cache;         /* the builder's, to be closed                          */
    bool cache_lost;          /* and the user was warned                              */
    bool prepared;            /* what verifies is being compiled                      */
    atx_upcoming *upcoming;   /* which problem comes next; NULL: that is not known    */
    void *upcoming_context;
    bool looked_ahead;      /* since a problem was begun, or does so now              */
    atx_job *next;          /* the next problem; NULL: not begun                      */
    int64_t compiled_ahead; /* kernels for it, while this one is tuned                */
};

/* Everything of one problem. */
struct atx_job {
    atx_session *s;
    atx_env *env;
    const atx_problem *problem;
    double started_s; /* on atx_now_s()                                            */
    atx_preparation preparation;
    bool begun;                     /* its preparation and its copies       */
    atx_search_run *copies, *main;  /* copies NULL: none, or not yet     */
    atx_help_request *help_request; /* NULL: no help is requested        */
    bool cancelled;                 /* in its setup or in its re-measurement      */
    atx_remeasurement remeasured;
    atx_search_run_count for_front; /* searches for the front, together */
    atx_front_points front;
};

/* A problem on this session, before anything is compiled or measured. *out is to be closed also after a
 * failure; it is NULL when there is no memory for it. */
at_status atx_session_open_job(atx_job **out, atx_session *session, const atx_problem *problem,
                               at_error *err) AT_MUST_CHECK;
void atx_session_close_job(atx_job *job); /* NULL is allowed */

/* Has what a job needs first compiled, without waiting; then, as compilers get free, more candidates. */
at_status atx_session_begin_set_up(atx_job *job, at_error *err) AT_MUST_CHECK;
at_status atx_session_compile_ahead(atx_job *job, at_error *err) AT_MUST_CHECK;

/* While compilers are free: begins the next problem, or goes on with it. To be called again and again. */
void atx_session_look_ahead(atx_session *session);

/* The winner of a job is a hint for the job that was begun while it was re-measured. */
void atx_session_hint_next(const atx_job *job);

/* The job of this problem, if it was begun ahead; else NULL. It is the caller's to close. */
atx_job *atx_session_take_next(atx_session *session, const atx_problem *problem);

/* A row for a run of this session under a strategy's name. */
at_status atx_session_begin_run(int64_t *run_id, atx_session *session, const char *strategy, at_error *err);

/* Stores the winner of the re-measurement, unless the run saw only part of the space and a winner of all of
 * it is stored; *answer is what a look-up would give. */
at_status atx_session_keep_winner(atx_job *job, atx_answer *answer, at_error *err);

/* The front of all trials that are stored of the problem under these conditions. */
at_status atx_session_read_front(atx_front_points *out, const atx_job *job, at_error *err) AT_MUST_CHECK;
void atx_session_clear_front(atx_front_points *points);

/* Whether an earlier run has answered this already, as far as these options ask. */
bool atx_session_is_answered(const atx_job *job, atx_answer *answer);

/* Lends the session's device to the session that made the help request, with its compile workers but for one:
 * they are back when it ends, also where the device has failed and the session goes on. */
at_status atx_session_lend(atx_session *session, atx_helper_pool *helper_pool, int64_t help_request,
                           at_error *err) AT_MUST_CHECK;
