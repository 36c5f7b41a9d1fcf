/*
 * session_ahead.c - the next problem, while compilers would be idle: its search run is opened, and the
 * kernels that it needs first are compiled.
 *
 * Nothing begins before the search has proposed its last candidate, or the re-measurement has all of its own
 * kernels: they would wait behind others. What fails here is dropped; it fails again, and is told, when the
 * problem is tuned.
 */
#include "tune/session_internal.h"

static void spare(void *context)
{
    atx_session_look_ahead(context);
}

void atx_session_set_upcoming(atx_session *s, atx_upcoming *upcoming, void *context)
{
    s->env.spare = spare;
    s->env.spare_context = s;
    atx_session_close_job(s->next);
    s->next = NULL;
    s->upcoming = upcoming;
    s->upcoming_context = context;
}

/* Not where an earlier run has answered it. */
static at_status begin_unless_answered(atx_job *j, at_error *err)
{
    ATX_LOCAL(atx_answer) answer = { 0 };
    at_status status = atx_store_find_winner(&answer, j->env->store, atx_search_run_key(j->main),
                                             &j->env->fingerprint, NULL, err);
    const bool answered = status == AT_OK && atx_session_is_answered(j, &answer);
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        return status;
    return answered || !atx_search_run_tally(j->main)->total ? AT_OK : atx_session_begin_set_up(j, err);
}

static void keep_unless_failed(atx_session *s, atx_job *j, at_status status)
{
    s->next = status == AT_OK ? j : NULL;
    if (status != AT_OK)
        atx_session_close_job(j);
}

static void begin_next(atx_session *s)
{
    at_error ignored;
    atx_job *j = NULL;
    const atx_problem *problem = s->upcoming ? s->upcoming(s->upcoming_context) : NULL;
    if (!problem)
        return;
    at_status status = atx_session_open_job(&j, s, problem, &ignored);
    ATX_THEN(status, begin_unless_answered(j, &ignored));
    keep_unless_failed(s, j, status);
}

static void go_on(atx_session *s)
{
    at_error ignored;
    if (s->looked_ahead) {
        if (s->next && s->next->begun)
            keep_unless_failed(s, s->next, atx_session_compile_ahead(s->next, &ignored));
        return;
    }
    s->looked_ahead = true; /* what is called here may wait, and call this */
    begin_next(s);
}

/* The budget that runs is that of the problem before: the next one's begins when it is tuned. */
void atx_session_look_ahead(atx_session *s)
{
    const double budget_until_s = s->env.budget_until_s;
    const int64_t compiled = s->env.builder.compiled;
    if (!s->env.builder.pool || atx_cancel_asked(&s->env.cancel))
        return;
    s->env.budget_until_s = 0;
    s->env.builder.ahead = true; /* its results wait here until the device is free */
    go_on(s);
    s->env.builder.ahead = false;
    s->env.budget_until_s = budget_until_s;
    s->compiled_ahead += s->env.builder.compiled - compiled;
}

void atx_session_hint_next(const atx_job *j)
{
    const atx_job *next = j->s->next;
    if (!next || j->remeasured.winner < 0 ||
        atx_search_run_problem(next->main)->op != atx_search_run_problem(j->main)->op)
        return;
    const atx_candidate *won = j->remeasured.entrants[j->remeasured.winner];
    atx_search_run_hint(next->main, won->t, &won->config);
}

atx_job *atx_session_take_next(atx_session *s, const atx_problem *problem)
{
    atx_job *j = s->next;
    s->looked_ahead = false;
    s->next = NULL;
    if (!j || j->problem == problem)
        return j;
    atx_session_close_job(j);
    return NULL;
}
