/*
 * session_problem.c - one problem on one device, from its buffers to its stored winner.
 *
 * The steps: buffers and the right answer; plain copies of the same bytes (the ceiling); the op's own
 * configurations; the final.
 */
#include "tune/session_parts.h"

#include "tune/setup.h"
#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOW_S  0.05
#define GRACE_S 1.0

/* ---- what is waited for, and for how long ---- */

/* As long as there is something to wait for: the display shows that the run is alive. */
static void show_phase(at__session *s)
{
    at__progress p = s->now;
    double now_s = at__now_s();
    if (!s->env.events->progress || now_s - s->shown_s < SHOW_S)
        return;
    s->shown_s = now_s;
    s->env.events->progress(s->env.events->context, &p);
}

/* Meanwhile compilers that are done get what waits for them. */
static void tick(void *context)
{
    at__session *s = context;
    at__session_tick(s);
    show_phase(s);
}

/* Nothing is lost when a setup is given up. */
static void begin_setup(at__session *s, double started_s)
{
    double budget_s = s->env.options->budget_s;
    s->env.budget_until_s = budget_s > 0 ? started_s + budget_s : 0;
    s->env.cancel = (at__cancel){
        .flag = s->env.options->cancel, .until_s = s->env.budget_until_s, .tick = tick, .context = s
    };
}

/* A search looks at the budget itself; a device that starts again had better be ready for the final. */
static void begin_search(at__session *s)
{
    s->env.cancel.until_s = 0;
    s->env.cancel.grace_s = GRACE_S;
    s->env.cancel.tick = NULL; /* a contest shows itself */
}

/* What the final needs still gets a second: its trials are all that the user has waited for. */
static void begin_final(at__session *s, const at__contest_count *tally)
{
    s->env.cancel.tick = tick;
    s->env.cancel.grace_s = GRACE_S;
    s->env.cancel.asked_s = 0;
    s->now.phase = AT__PHASE_FINAL;
    s->now.done = tally->decided;
    s->now.failed = tally->failed;
    s->now.total = tally->limit;
}

/* ---- the steps ---- */

/* One that could not be opened has none of everything. */
static at__contest_count tally_of(const at__contest *contest)
{
    return contest ? *at__contest_tally(contest) : (at__contest_count){ 0 };
}

/* What a contest shows begins with what was shown so far. */
static at_status run_contest(at__job *j, at__contest *contest, at__phase phase, double ceiling_s,
                             at_error *err)
{
    at__progress shown = j->s->now;
    shown.phase = phase;
    begin_search(j->s);
    return at__contest_run(contest, &shown, ceiling_s, err);
}

static at_status open_copies(at__job *j, at_error *err)
{
    at__problem problem;
    if (at__contest_problem(j->main)->op->peak ||
        !at__setup_ceiling(&problem, j->env, at__contest_problem(j->main), at__contest_slots(j->main)))
        return AT_OK;
    return at__contest_open(&j->copies, j->env, &problem, true, err);
}

/* *ceiling_s is the fastest plain copy, or the time at the rate that the op declares; 0: it has none of its
 * own. */
static at_status run_copies(double *ceiling_s, at__job *j, at_error *err)
{
    int64_t gflops = 0;
    *ceiling_s = 0;
    if (at__contest_problem(j->main)->op->peak)
        return at__problem_peak(ceiling_s, &gflops, at__contest_problem(j->main)->op,
                                at__contest_slots(j->main), err);
    if (!j->copies)
        return AT_OK;
    at_status status = run_contest(j, j->copies, AT__PHASE_CEILING, 0, err);
    const at__candidate *best = tally_of(j->copies).best;
    if (status == AT_OK && best)
        *ceiling_s = best->m.timing.median_s;
    return status;
}

/*
 * All that the device needs first is compiled side by side, in the order in which it is wanted: the kernels
 * that verify (since the session was opened), the reference, copies, the first candidates.
 */
static at_status set_up(at__job *j, at_error *err)
{
    at__preparation p;
    at__session_tick(j->s);
    at_status status =
        at__setup_begin(&p, j->env, at__contest_problem(j->main), at__contest_slots(j->main), err);
    if (status == AT_OK)
        status = open_copies(j, err);
    if (status == AT_OK && j->copies)
        status = at__contest_compile_ahead(j->copies, err);
    if (status == AT_OK)
        status = at__contest_compile_ahead(j->main, err);
    if (status == AT_OK)
        return at__setup_finish(&p, j->env, err);
    at__setup_drop(&p, j->env);
    return status;
}

/* Devices without a problem of their own open this one at the same time. */
static at_status ask_for_help(at__job *j, at_error *err)
{
    if (!j->env->crew)
        return AT_OK;
    return at__crew_offer(&j->offer, j->env->crew, j->s->now.problem, err);
}

static at_status run_search(at__job *j, double ceiling_s, at_error *err)
{
    at__contest_hire(j->main, j->offer, j->copies);
    at_status status = run_contest(j, j->main, AT__PHASE_SEARCH, ceiling_s, err);
    at__contest_hire(j->main, NULL, NULL);
    return status;
}

static at_status measure_all(at__job *j, at_error *err)
{
    double start = at__now_s(), ceiling_s = 0;
    const at__problem_key *key = at__contest_key(j->main);
    at_status status = ask_for_help(j, err);
    if (status == AT_OK)
        status = set_up(j, err);
    at__env_trace(j->env, "set up", key->shape, start);
    if (status == AT_OK)
        status = run_copies(&ceiling_s, j, err);
    if (status == AT_OK)
        status = run_search(j, ceiling_s, err);
    at__crew_withdraw(j->offer);
    j->offer = NULL;
    begin_final(j->s, at__contest_tally(j->main));
    if (status == AT_OK)
        status = at__final_run(&j->final, j->env, j->main, j->copies, err);
    return status;
}

/* ---- what is said of it ---- */

static void why_nothing(at__str *out, const at__job *j)
{
    const at__contest_count *tally = at__contest_tally(j->main);
    if (tally->total == 0 && at__env_is_replay(j->env)) {
        at__str_add(out, "the recording has no trials of this problem");
    } else if (tally->total == 0) {
        at__str_add(out, "no template has a valid configuration for this problem");
        at__contest_add_refusals(out, j->main);
    } else if (tally->decided == 0 && at__cancel_asked(&j->env->cancel)) {
        at__str_add(out, "interrupted before the first trial ended");
    } else if (tally->decided == 0) {
        at__str_addf(out, "its --budget of %g s ended before the first trial did", j->env->options->budget_s);
    } else {
        at__str_addf(out, "none of %lld configurations tried gave a right result", (long long)tally->decided);
        at__contest_add_failure(out, j->main);
    }
}

/* A run that was cancelled where no trial is lost: in its setup, or in a final without a result. */
static void why_cancelled(at__str *out, const at__job *j, const char *where)
{
    const at__contest_count tally = tally_of(j->main);
    char time[32];
    if (!tally.best || j->s->now.phase != AT__PHASE_FINAL) {
        if (at__cancel_asked(&j->env->cancel))
            at__str_add(out, "interrupted while the problem was set up");
        else
            at__str_addf(out, "its --budget of %g s ended while the problem was set up",
                         j->env->options->budget_s);
        return;
    }
    at__time_text(time, sizeof time, tally.best->m.timing.median_s);
    at__str_addf(
        out,
        "interrupted in the final (%s); the fastest of %lld trials was %s %s with %s; the same command "
        "goes on with the final",
        where, (long long)tally.decided, tally.best->t->name, tally.best->text, time);
}

static void fill_result(at__result *r, const at__job *j, double started_s)
{
    const at__contest_count main = tally_of(j->main), copies = tally_of(j->copies);
    double first_s = copies.fed_s > 0 ? copies.fed_s : main.fed_s;
    memcpy(r->outcomes, main.outcomes, sizeof r->outcomes);
    r->known = main.known;
    r->race_saved_s = main.saved_s + copies.saved_s;
    r->device_busy_s = main.busy_s + copies.busy_s + j->final.seconds;
    r->device_open_s = first_s > 0 ? at__now_s() - first_s + main.helped_s : 0;
    r->interrupted =
        main.interrupted || j->cancelled || (!r->from_store && at__cancel_asked(&j->env->cancel));
    r->elapsed_s = at__now_s() - started_s;
}

/* A problem that cannot be measured (too large, a broken reference) is an answer too; the rest goes on. Where
 * not even the kernels that verify were compiled, no problem can be. */
static bool only_this_problem(const at__session *s, at_status status)
{
    return (status == AT_ERR_INPUT || (status == AT_ERR_DEVICE && s->env.checked)) &&
           !at__device_is_lost(s->env.device);
}

/* A worker that met a header which is another one by now may not know which: here it is known what they were.
 */
static void name_changed_header(at_error *cause, const at__job *j)
{
    const at__catalog *catalog = j->env->catalog;
    const at__op *op = at__contest_problem(j->main)->op;
    at_error named = { 0 };
    at_status status = op->headers ? at__catalog_check_headers(catalog, op->headers, NULL, &named) : AT_OK;
    for (int i = 0; i < at__catalog_template_count(catalog, op) && status == AT_OK; i++) {
        const at__template *t = at__catalog_template(catalog, op, i);
        if (t && t->headers)
            status = at__catalog_check_headers(catalog, t->headers, NULL, &named);
    }
    if (status == AT_ERR_INPUT)
        *cause = named;
}

static at_status tune_open(at__job *j, at__result *r, at__answer *answer, at__str *why, at_error *err)
{
    at_error cause = { 0 };
    at_status status = at__store_find_winner(answer, j->env->store, at__contest_key(j->main),
                                             &j->env->fingerprint, NULL, err);
    if (status == AT_OK && at__session_is_answered(j, answer)) {
        at__builder_keep(&j->env->builder, answer->winner.source_hash);
        r->found = r->from_store = true;
        return AT_OK;
    }
    at__answer_clear(answer);
    *answer = (at__answer){ 0 };
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        return status;
    status = at__contest_tally(j->main)->total ? measure_all(j, &cause) : AT_OK;
    if (status == AT_ERR_INPUT)
        name_changed_header(&cause, j);
    if (status != AT_OK && only_this_problem(j->s, status)) {
        at__str_add(why, cause.text);
        return AT_OK;
    }
    if (status != AT_OK)
        return at_fail(err, status, "%s", cause.text);
    if (!at__contest_tally(j->main)->total || j->final.winner < 0) {
        why_nothing(why, j);
        return AT_OK;
    }
    r->found = true;
    return at__session_keep_winner(j, answer, err);
}

/* Once: the cache only saves time. */
static void warn_of_lost_cache(at__session *s)
{
    const at__builder *builder = &s->env.builder;
    if (builder->cache || !builder->pool || !s->env.options->cache_path || s->cache_lost)
        return;
    s->cache_lost = true;
    at__env_warn(&s->env, "compiled kernels are not kept: %s", builder->cache_error.text);
}

static void report(at__job *j, at__result *r, const at__answer *answer, const char *why, double started_s)
{
    fill_result(r, j, started_s);
    r->answer = answer;
    r->why = why;
    j->env->events->result(j->env->events->context, r);
}

at_status at__session_tune(at__session *s, const at__problem *problem, int index, int count, at_error *err)
{
    at__job job = { .s = s, .env = &s->env, .final.winner = -1 };
    at__answer answer = { 0 };
    at__str why = { 0 };
    at_error cause = { 0 };
    int device = at__device_info_of(s->env.device)->ordinal;
    at__result r = { .device = device, .problem = problem };
    double started_s = at__now_s();
    int64_t compiled = s->env.builder.compiled;

    s->now = (at__progress){ .device = device,
                             .problem = problem,
                             .problem_index = index,
                             .problem_count = count,
                             .best = "",
                             .doing = s->env.doing,
                             .left_s = -1 };
    begin_setup(s, started_s);
    at_status status = at__contest_open(&job.main, &s->env, problem, false, &cause);
    if (status == AT_OK)
        status = tune_open(&job, &r, &answer, &why, &cause);
    job.cancelled = status == AT_ERR_CANCELLED;
    if (job.cancelled)
        why_cancelled(&why, &job, cause.text);
    status = job.cancelled || status == AT_OK ? AT_OK : at_fail(err, status, "%s", cause.text);
    r.compiled = s->env.builder.compiled - compiled;
    if (status == AT_OK)
        report(&job, &r, &answer, at__str_text(&why), started_s);
    warn_of_lost_cache(s);
    at__answer_clear(&answer);
    at__str_clear(&why);
    at__contest_close(job.copies);
    at__contest_close(job.main);
    return status;
}
