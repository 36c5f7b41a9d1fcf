/*
 * session_problem.c - one problem on one device, from its buffers to its stored winner.
 *
 * The steps: buffers and the right answer; plain copies of the same bytes (the ceiling); the op's own
 * configurations; the re-measurement.
 */
#include "tune/session_internal.h"

#include "tune/setup.h"
#include "util/clock.h"

#define SHOW_S  0.05
#define GRACE_S 1.0

/* ---- what is waited for, and for how long ---- */

/* As long as there is something to wait for: the display shows that the run is alive. */
static void show_phase(atx_session *s)
{
    atx_progress p = s->now;
    double now_s = atx_now_s();
    if (!s->env.events->progress || now_s - s->shown_s < SHOW_S)
        return;
    s->shown_s = now_s;
    s->env.events->progress(s->env.events->context, &p);
}

/* Meanwhile compilers that are done get what waits for them, or the next problem's kernels. */
static void tick(void *context)
{
    atx_session *s = context;
    atx_session_tick(s);
    if (s->env.remeasuring)
        atx_session_look_ahead(s);
    show_phase(s);
}

/* Nothing is lost when a setup is given up. */
static void begin_setup(atx_session *s, double started_s)
{
    double budget_s = s->env.options->budget_s;
    s->env.budget_until_s = budget_s > 0 ? started_s + budget_s : 0;
    s->env.cancel = (atx_cancel){
        .flag = s->env.options->cancel, .until_s = s->env.budget_until_s, .tick = tick, .context = s
    };
}

/* A search looks at the budget itself; a device that starts again had better be ready for the re-measurement.
 */
static void begin_search(atx_session *s)
{
    s->env.cancel.until_s = 0;
    s->env.cancel.grace_s = GRACE_S;
    s->env.cancel.tick = NULL; /* a search run shows itself */
}

/* What the re-measurement needs still gets a second: its trials are all that the user has waited for. */
static void begin_remeasurement(atx_session *s, const atx_search_run_count *tally)
{
    s->env.cancel.tick = tick;
    s->env.cancel.grace_s = GRACE_S;
    s->env.cancel.asked_s = 0;
    s->now.phase = ATX_PHASE_REMEASURE;
    s->now.done = tally->decided;
    s->now.failed = tally->failed;
    s->now.total = tally->limit;
}

/* ---- the steps ---- */

/* One that could not be opened has none of everything. */
static atx_search_run_count tally_of(const atx_search_run *search_run)
{
    return search_run ? *atx_search_run_tally(search_run) : (atx_search_run_count){ 0 };
}

/* What a search run shows begins with what was shown so far. */
static at_status run_search_run(atx_job *j, atx_search_run *search_run, atx_phase phase, double ceiling_s,
                                at_error *err)
{
    atx_progress shown = j->s->now;
    shown.phase = phase;
    shown.elapsed_s = atx_now_s() - j->started_s;
    begin_search(j->s);
    return atx_search_run_run(search_run, &shown, ceiling_s, err);
}

/* *ceiling_s is the fastest plain copy, or the time at the rate that the op declares; 0: it has none of its
 * own. */
static at_status run_copies(double *ceiling_s, atx_job *j, at_error *err)
{
    int64_t gflops = 0;
    *ceiling_s = 0;
    if (atx_search_run_problem(j->main)->op->goal.peak)
        return atx_problem_peak(ceiling_s, &gflops, atx_search_run_problem(j->main)->op,
                                atx_search_run_slots(j->main), err);
    if (!j->copies)
        return AT_OK;
    at_status status = run_search_run(j, j->copies, ATX_PHASE_CEILING, 0, err);
    const atx_candidate *best = tally_of(j->copies).best;
    if (status == AT_OK && best)
        *ceiling_s = best->m.timing.median_s;
    return status;
}

static at_status set_up(atx_job *j, at_error *err)
{
    ATX_TRY(j->begun ? AT_OK : atx_session_begin_set_up(j, err));
    return atx_setup_finish(&j->preparation, j->env, err);
}

/* Devices without a problem of their own open this one at the same time. */
static at_status ask_for_help(atx_job *j, at_error *err)
{
    if (!j->env->helper_pool)
        return AT_OK;
    return atx_helper_pool_help_request(&j->help_request, j->env->helper_pool, j->s->now.problem, err);
}

static at_status run_search(atx_job *j, double ceiling_s, at_error *err)
{
    atx_search_run_hire(j->main, j->help_request, j->copies);
    at_status status = run_search_run(j, j->main, ATX_PHASE_SEARCH, ceiling_s, err);
    atx_search_run_hire(j->main, NULL, NULL);
    return status;
}

static void count_for_front(atx_job *j, const atx_search_run_count *t)
{
    for (int i = 0; i < ATX_OUTCOMES; i++)
        j->for_front.outcomes[i] += t->outcomes[i];
    j->for_front.known += t->known;
    j->for_front.busy_s += t->busy_s;
}

/* Searches between the first figure of the front and each other one; they know the trials so far. */
static at_status search_front(atx_job *j, double ceiling_s, at_error *err)
{
    static const double WEIGHTS[] = { 0.5, 0.9 };
    const atx_front *front = j->env->options->front;
    const int steps = front ? (front->count - 1) * 2 : 0;
    at_status status = AT_OK;
    for (int i = 0; i < steps && status == AT_OK && !atx_cancel_asked(&j->env->cancel); i++) {
        const atx_aim aim = { front, 1 + i / 2, WEIGHTS[i % 2] };
        atx_search_run *c = NULL;
        status = atx_search_run_open(&c, j->env, atx_search_run_problem(j->main), false, &aim, err);
        ATX_THEN(status, run_search_run(j, c, ATX_PHASE_SEARCH, ceiling_s, err));
        if (status == AT_OK)
            count_for_front(j, atx_search_run_tally(c));
        atx_search_run_close(c);
    }
    return status;
}

/* It may be right: small problems are bound by more than memory. */
static void warn_of_speed(const atx_job *j)
{
    const atx_remeasurement *f = &j->remeasured;
    const int copy = atx_remeasurement_fastest_copy(f);
    if (f->winner < 0 || copy < 0 || !f->rows[f->winner].verdict.above_ceiling)
        return;
    atx_env_warn(
        j->env,
        "%s %s: %s %s is %.0f %% faster than the fastest plain copy of the same bytes; %lld launches "
        "were checked, and all were right",
        atx_search_run_key(j->main)->op, atx_search_run_key(j->main)->shape, f->entrants[f->winner]->t->name,
        f->entrants[f->winner]->text,
        100 * (f->rows[copy].timing.median_s / f->rows[f->winner].timing.median_s - 1),
        (long long)f->rows[f->winner].verdict.checked);
}

static at_status measure_all(atx_job *j, at_error *err)
{
    double start = atx_now_s(), ceiling_s = 0;
    const atx_problem_key *key = atx_search_run_key(j->main);
    at_status status = ask_for_help(j, err);
    ATX_THEN(status, set_up(j, err));
    atx_env_trace(j->env, "set up", key->shape, start);
    ATX_THEN(status, run_copies(&ceiling_s, j, err));
    ATX_THEN(status, run_search(j, ceiling_s, err));
    ATX_THEN(status, search_front(j, ceiling_s, err));
    atx_helper_pool_withdraw(j->help_request);
    j->help_request = NULL;
    begin_remeasurement(j->s, atx_search_run_tally(j->main));
    ATX_THEN(status, atx_remeasurement_run(&j->remeasured, j->env, j->main, j->copies, err));
    if (status == AT_OK)
        warn_of_speed(j);
    return status == AT_OK && j->env->options->front ? atx_session_read_front(&j->front, j, err) : status;
}

/* ---- what is said of it ---- */

static void why_nothing(atx_str *out, const atx_job *j)
{
    const atx_search_run_count *tally = atx_search_run_tally(j->main);
    if (tally->total == 0 && atx_env_is_replay(j->env)) {
        atx_str_add(out, "the recording has no trials of this problem");
    } else if (tally->total == 0) {
        atx_str_add(out, "no template has a valid configuration for this problem");
        atx_search_run_add_refusals(out, j->main);
    } else if (tally->decided == 0 && atx_cancel_asked(&j->env->cancel)) {
        atx_str_add(out, "interrupted before the first trial ended");
    } else if (tally->decided == 0) {
        atx_str_addf(out, "its --budget of %g s ended before the first trial did", j->env->options->budget_s);
    } else {
        atx_str_addf(out, "none of %lld configurations tried gave a right result", (long long)tally->decided);
        atx_search_run_add_failure(out, j->main);
    }
}

/* A run that was cancelled where no trial is lost: in its setup, or in a re-measurement without a result. */
static void why_cancelled(atx_str *out, const atx_job *j, const char *where)
{
    const atx_search_run_count tally = tally_of(j->main);
    char time[32];
    if (!tally.best || j->s->now.phase != ATX_PHASE_REMEASURE) {
        if (atx_cancel_asked(&j->env->cancel))
            atx_str_add(out, "interrupted while the problem was set up");
        else
            atx_str_addf(out, "its --budget of %g s ended while the problem was set up",
                         j->env->options->budget_s);
        return;
    }
    atx_time_text(time, sizeof time, tally.best->m.timing.median_s);
    atx_str_addf(out,
                 "interrupted in the re-measurement (%s); the fastest of %lld trials was %s %s with %s; the "
                 "same command goes on with the re-measurement",
                 where, (long long)tally.decided, tally.best->t->name, tally.best->text, time);
}

/* Of the winner, or of what there is in its place. */
static atx_verdict verdict_of(const atx_result *r, const atx_job *j)
{
    atx_verdict v = ATX_NO_VERDICT;
    const atx_candidate *failure = r->found || !j->main ? NULL : atx_search_run_failure(j->main);
    if (r->found && !r->from_store)
        v = j->remeasured.rows[j->remeasured.winner].verdict;
    else if (failure)
        v = failure->m.verdict;
    v.outcome = failure ? failure->m.outcome : ATX_TIMED;
    return v;
}

static void fill_result(atx_result *r, const atx_job *j)
{
    const atx_search_run_count main = tally_of(j->main), copies = tally_of(j->copies);
    double first_s = copies.fed_s > 0 ? copies.fed_s : main.fed_s;
    for (int i = 0; i < ATX_OUTCOMES; i++)
        r->outcomes[i] = main.outcomes[i] + j->for_front.outcomes[i];
    r->front = j->front.items;
    r->front_count = j->front.count;
    r->verdict = verdict_of(r, j);
    r->known = main.known + j->for_front.known;
    r->race_saved_s = main.saved_s + copies.saved_s;
    r->device_busy_s = main.busy_s + j->for_front.busy_s + copies.busy_s + j->remeasured.seconds;
    r->device_open_s = first_s > 0 ? atx_now_s() - first_s + main.helped_s : 0;
    r->interrupted =
        main.interrupted || j->cancelled || (!r->from_store && atx_cancel_asked(&j->env->cancel));
    r->elapsed_s = atx_now_s() - j->started_s;
}

/* A problem that cannot be measured (too large, a broken reference) is an answer too; the rest goes on. Where
 * not even the kernels that verify were compiled, no problem can be. */
static bool only_this_problem(const atx_session *s, at_status status)
{
    return (status == AT_ERR_INPUT || (status == AT_ERR_DEVICE && s->env.checked)) &&
           !atx_device_is_lost(s->env.device);
}

/* A worker that met a header which is another one by now may not know which: here it is known what they were.
 */
static void name_changed_header(at_error *cause, const atx_job *j)
{
    const atx_catalog *catalog = j->env->catalog;
    const atx_op *op = atx_search_run_problem(j->main)->op;
    at_error named = { 0 };
    at_status status =
        op->text.headers ? atx_catalog_check_headers(catalog, op->text.headers, NULL, &named) : AT_OK;
    for (int i = 0; i < atx_catalog_template_count(catalog, op) && status == AT_OK; i++) {
        const atx_template *t = atx_catalog_template(catalog, op, i);
        if (t && t->text.headers)
            status = atx_catalog_check_headers(catalog, t->text.headers, NULL, &named);
    }
    if (status == AT_ERR_INPUT)
        *cause = named;
}

static at_status tune_open(atx_job *j, atx_result *r, atx_answer *answer, atx_str *why, at_error *err)
{
    at_error cause = { 0 };
    at_status status = atx_store_find_winner(answer, j->env->store, atx_search_run_key(j->main),
                                             &j->env->fingerprint, NULL, err);
    if (status == AT_OK && atx_session_is_answered(j, answer)) {
        atx_builder_keep(&j->env->builder, answer->winner.source_hash);
        r->found = r->from_store = true;
        return AT_OK;
    }
    atx_answer_clear(answer);
    *answer = (atx_answer){ 0 };
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        return status;
    status = atx_search_run_tally(j->main)->total ? measure_all(j, &cause) : AT_OK;
    if (status == AT_ERR_INPUT)
        name_changed_header(&cause, j);
    if (status != AT_OK && only_this_problem(j->s, status)) {
        atx_str_add(why, cause.text);
        return AT_OK;
    }
    if (status != AT_OK)
        return atx_fail(err, status, "%s", cause.text);
    if (!atx_search_run_tally(j->main)->total || j->remeasured.winner < 0) {
        why_nothing(why, j);
        return AT_OK;
    }
    r->found = true;
    return atx_session_keep_winner(j, answer, err);
}

/* Once: the cache only saves time. */
static void warn_of_lost_cache(atx_session *s)
{
    const atx_builder *builder = &s->env.builder;
    if (builder->cache || !builder->pool || !s->env.options->cache_path || s->cache_lost)
        return;
    s->cache_lost = true;
    atx_env_warn(&s->env, "compiled kernels are not kept: %s", builder->cache_error.text);
}

static void report(atx_job *j, atx_result *r, const atx_answer *answer, const char *why)
{
    fill_result(r, j);
    r->answer = answer;
    r->why = why;
    j->env->events->result(j->env->events->context, r);
}

/* What became of a job that was opened. */
static at_status tune_job(atx_job *j, atx_result *r, at_status opened, at_error *cause, at_error *err)
{
    ATX_LOCAL(atx_answer) answer = { 0 };
    ATX_LOCAL(atx_str) why = { 0 };
    int64_t compiled = j->env->builder.compiled;
    at_status status = opened == AT_OK ? tune_open(j, r, &answer, &why, cause) : opened;
    j->cancelled = status == AT_ERR_CANCELLED;
    if (j->cancelled)
        why_cancelled(&why, j, cause->text);
    status = j->cancelled || status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause->text);
    r->compiled += j->env->builder.compiled - compiled - j->s->compiled_ahead;
    if (status == AT_OK)
        report(j, r, &answer, atx_str_text(&why));
    warn_of_lost_cache(j->s);
    return status;
}

at_status atx_session_tune(atx_session *s, const atx_problem *problem, int index, int count, at_error *err)
{
    at_error cause = { 0 };
    int device = atx_device_info_of(s->env.device)->ordinal;
    atx_result r = { .device = device, .problem = problem, .compiled = s->compiled_ahead };
    double started_s = atx_now_s();
    at_status status = AT_OK;

    s->now = (atx_progress){ .device = device,
                             .problem = problem,
                             .problem_index = index,
                             .problem_count = count,
                             .best = "",
                             .doing = s->env.doing,
                             .left_s = -1 };
    s->compiled_ahead = 0;
    begin_setup(s, started_s);
    atx_job *job = atx_session_take_next(s, problem);
    if (!job)
        status = atx_session_open_job(&job, s, problem, &cause);
    if (!job)
        return atx_no_memory(err);
    job->started_s = started_s;
    status = tune_job(job, &r, status, &cause, err);
    atx_session_hint_next(job);
    atx_session_close_job(job);
    return status;
}
