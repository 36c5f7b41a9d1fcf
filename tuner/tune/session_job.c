/*
 * session_job.c - a problem on a session, from its search run to the kernels that it needs first; whether it
 * is tuned now, or comes next.
 */
#include "tune/session_internal.h"

#include <stdlib.h>

at_status atx_session_open_job(atx_job **out, atx_session *s, const atx_problem *problem, at_error *err)
{
    atx_job *j = *out = calloc(1, sizeof *j);
    if (!j)
        return atx_no_memory(err);
    *j = (atx_job){ .s = s, .env = &s->env, .problem = problem, .remeasured.winner = -1 };
    return atx_search_run_open(&j->main, &s->env, problem, false, NULL, err);
}

void atx_session_close_job(atx_job *j)
{
    if (!j)
        return;
    if (j->begun)
        atx_setup_drop(&j->preparation, j->env);
    atx_search_run_close(j->copies);
    atx_search_run_close(j->main);
    atx_session_clear_front(&j->front);
    free(j);
}

static at_status open_copies(atx_job *j, at_error *err)
{
    atx_problem problem;
    if (j->env->options->no_copies || atx_search_run_problem(j->main)->op->goal.peak ||
        !atx_setup_ceiling(&problem, j->env, atx_search_run_problem(j->main), atx_search_run_slots(j->main)))
        return AT_OK;
    return atx_search_run_open(&j->copies, j->env, &problem, true, NULL, err);
}

at_status atx_session_compile_ahead(atx_job *j, at_error *err)
{
    at_status status = j->copies ? atx_search_run_compile_ahead(j->copies, err) : AT_OK;
    ATX_THEN(status, atx_search_run_compile_ahead(j->main, err));
    atx_setup_take(&j->preparation, j->env); /* another device may wait for it */
    return status;
}

/*
 * All that the device needs first is compiled side by side, in the order in which it is wanted: the kernels
 * that verify (since the session was opened), the reference, copies, the first candidates.
 */
at_status atx_session_begin_set_up(atx_job *j, at_error *err)
{
    atx_session_tick(j->s);
    at_status status = atx_setup_begin(&j->preparation, j->env, atx_search_run_problem(j->main),
                                       atx_search_run_slots(j->main), err);
    j->begun = true;
    ATX_THEN(status, open_copies(j, err));
    return status == AT_OK ? atx_session_compile_ahead(j, err) : status;
}
