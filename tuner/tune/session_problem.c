/*
 * session_problem.c - one problem on one device, from its buffers to its stored winner; see contest.h.
 *
 * The steps: buffers and the right answer; plain copies of the same bytes (the ceiling); the op's own
 * configurations; the final.
 */
#include "tune/final.h"

#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOW_S  0.05
#define GRACE_S 1.0

/* Everything of one problem. */
typedef struct job {
    at__session *s;
    at__contest copies, main;
    bool has_copies;
    bool stopped; /* in its setup or in its final */
    at__final final;
} job;

/* ---- what is waited for, and for how long ---- */

/* As long as there is something to wait for: the display shows that the run is alive. */
static void show_phase(void *context)
{
    at__session *s = context;
    at__progress p = s->now;
    double now_s = at__now_s();
    if (!s->events->progress || now_s - s->shown_s < SHOW_S)
        return;
    s->shown_s = now_s;
    s->events->progress(s->events->context, &p);
}

/* Nothing is lost when a setup is given up. */
static void begin_setup(at__session *s, double started_s)
{
    double budget_s = s->options->budget_s;
    s->budget_until_s = budget_s > 0 ? started_s + budget_s : 0;
    s->cancel = (at__cancel){
        .flag = s->options->cancel, .until_s = s->budget_until_s, .tick = show_phase, .context = s
    };
}

/* A search looks at the budget itself; a device that starts again had better be ready for the final. */
static void begin_search(at__session *s)
{
    s->cancel.until_s = 0;
    s->cancel.grace_s = GRACE_S;
    s->cancel.tick = NULL; /* a contest shows itself */
}

/* What the final needs still gets a second: its trials are all that the user has waited for. */
static void begin_final(at__session *s, const at__contest *c)
{
    s->cancel.tick = show_phase;
    s->cancel.grace_s = GRACE_S;
    s->cancel.asked_s = 0;
    s->now.phase = AT__PHASE_FINAL;
    s->now.done = c->decided;
    s->now.failed = c->failed;
    s->now.total = c->search.max_trials;
}

/* ---- the steps ---- */

static at_status run_copies(job *j, at_error *err)
{
    at__problem problem;
    if (!at__session_ceiling(&problem, j->s, &j->main))
        return AT_OK;
    at_status status = at__contest_open(&j->copies, j->s, &problem, true, err);
    j->has_copies = true;
    if (status == AT_OK) {
        j->copies.progress = j->main.progress;
        j->copies.progress.phase = AT__PHASE_CEILING;
        begin_search(j->s);
        status = at__contest_run(&j->copies, err);
    }
    if (status == AT_OK && j->copies.best)
        j->main.ceiling_s = j->copies.best->m.timing.median_s;
    return status;
}

static at_status keep_sources(const job *j, const at__template *t, at_error *err)
{
    const at__op *op = j->main.problem.op;
    at_status status = at__store_put_source(j->s->store, t->hash, t->file, t->source, t->source_len, err);
    if (status == AT_OK)
        status = at__store_put_source(j->s->store, op->hash, op->file, op->source, op->source_len, err);
    return status;
}

/* A run over part of the space must not replace what the whole space gave. */
static bool restricted(const at__tune_options *o)
{
    return o->fix_count > 0 || o->templates;
}

static char *owned(const char *text, bool *failed)
{
    char *copy = at__text_copy(text, strlen(text));
    *failed |= !copy;
    return copy;
}

/* An answer as the store would give it, for the report. */
static at_status answer_copy(at__answer *out, const job *j, const at__winner *w, at_error *err)
{
    bool failed = false;
    char now[21];
    at__answer a = { .winner = *w,
                     .fingerprint = j->s->fingerprint,
                     .traffic_bytes = j->main.key.traffic_bytes };
    at__utc_text(now);
    a.winner.template_name = owned(w->template_name, &failed);
    a.winner.template_hash = owned(w->template_hash, &failed);
    a.winner.config = owned(w->config, &failed);
    a.winner.source_hash = owned(w->source_hash, &failed);
    a.winner.op_hash = owned(w->op_hash, &failed);
    a.winner.ceiling_name = owned(w->ceiling_name, &failed);
    a.winner.ties = owned(w->ties, &failed);
    a.op = owned(j->main.key.op, &failed);
    a.shape = owned(j->main.key.shape, &failed);
    a.type_key = owned(j->main.key.type_key, &failed);
    a.measured_at = owned(now, &failed);
    *out = a;
    return failed ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
}

/*
 * What the store says of the run of a winner whose search ended by itself. Such a search is complete although
 * it left configurations out, and is not begun again.
 */
static void name_settled(char out[AT__MAX_NAME], const at__contest *c)
{
    snprintf(out, AT__MAX_NAME, "%s, settled", c->strategy->name);
}

/* The run that the winner belongs to. */
static at_status winner_run(int64_t *run_id, const job *j, at_error *err)
{
    char name[AT__MAX_NAME];
    *run_id = j->s->run_id;
    if (!j->main.settled)
        return AT_OK;
    name_settled(name, &j->main);
    at_status status =
        j->s->settled_run_id ? AT_OK : at__session_begin_run(&j->s->settled_run_id, j->s, name, err);
    *run_id = j->s->settled_run_id;
    return status;
}

static at_status keep_winner(job *j, at__answer *answer, at_error *err)
{
    at__str ceiling = { 0 }, ties = { 0 };
    char op_hash[AT__HASH_TEXT];
    const at__candidate *a = j->final.entrants[j->final.winner];
    const at__final_row *row = &j->final.rows[j->final.winner];
    const at__geometry *g = &j->final.list[j->final.winner].kernel.geometry;
    int copy = at__final_fastest_copy(&j->final);
    int64_t run_id = 0;

    at__catalog_op_hash(op_hash, j->s->catalog, j->main.problem.op);
    at__final_name(&ceiling, &j->final, copy);
    at__final_name_ties(&ties, &j->final);
    at__winner w = { .template_name = a->t->name,
                     .template_hash = a->t->hash,
                     .config = a->text,
                     .source_hash = a->build.source_hash,
                     .op_hash = op_hash,
                     .timing.median_s = row->timing.median_s,
                     .timing.min_s = row->timing.min_s,
                     .timing.spread = row->timing.spread,
                     .timing.samples = row->timing.samples,
                     .ceiling_s = copy >= 0 ? j->final.rows[copy].timing.median_s : 0,
                     .ceiling_name = at__str_text(&ceiling),
                     .ties = at__str_text(&ties),
                     .trials = j->main.decided,
                     .space_count = j->main.search.total,
                     .grid = { g->grid[0], g->grid[1], g->grid[2] },
                     .block = { g->block[0], g->block[1], g->block[2] },
                     .shared_bytes = g->shared_bytes,
                     .registers = a->m.resources.registers,
                     .elapsed_s = at__now_s() - j->main.started_s,
                     .conditions = j->final.notes.conditions };
    at_status status = keep_sources(j, a->t, err);
    at__answer before = { 0 };
    if (status == AT_OK && restricted(j->s->options))
        status = at__store_find_winner(&before, j->s->store, &j->main.key, &j->s->fingerprint, NULL, NULL);
    bool keep = !restricted(j->s->options) ? status == AT_OK : status == AT_ERR_NOT_FOUND;
    at__answer_clear(&before);
    status = status == AT_ERR_NOT_FOUND ? AT_OK : status;
    if (status == AT_OK && keep)
        status = winner_run(&run_id, j, err);
    if (status == AT_OK && keep)
        status = at__store_put_winner(j->s->store, run_id, &j->main.key, &j->s->fingerprint, &w, err);
    if (status == AT_OK && keep)
        at__builder_keep(&j->s->builder, w.source_hash);
    if (status == AT_OK)
        status = answer_copy(answer, j, &w, err);
    at__str_clear(&ceiling);
    at__str_clear(&ties);
    return status;
}

/* Did the search that found the winner end by itself, as this one would? */
static bool was_settled(const at__session *s, const at__contest *c)
{
    at__str strategy = { 0 };
    char name[AT__MAX_NAME];
    name_settled(name, c);
    bool found = at__store_winner_strategy(&strategy, s->store, &c->key, &s->fingerprint, NULL) == AT_OK;
    bool settled = found && strcmp(at__str_text(&strategy), name) == 0;
    at__str_clear(&strategy);
    return settled;
}

/* Whether an earlier run has answered this already, as far as these options ask. */
static bool answered(const at__session *s, const at__contest *c, const at__answer *answer)
{
    const at__tune_options *o = s->options;
    char op_hash[AT__HASH_TEXT];
    int64_t wanted = c->search.max_trials;
    at__catalog_op_hash(op_hash, s->catalog, c->problem.op);
    return !o->force && !restricted(o) && strcmp(answer->winner.op_hash, op_hash) == 0 &&
           (o->budget_s > 0 || answer->winner.trials >= wanted || was_settled(s, c));
}

/* One of the failures of this run, for a reader who has not looked at any. */
static void name_failure(at__str *out, const at__contest *c)
{
    for (size_t i = 0; i < c->candidate_count; i++) {
        const at__candidate *a = c->candidates[i];
        const char *log = a->build.log.len && !a->build.ok ? at__str_text(&a->build.log) : a->m.log;
        if (!a->decided || a->m.outcome == AT__TIMED || !log[0])
            continue;
        at__str_addf(out, "; %s %s, for one: %s: %.*s", a->t->name, a->text, at__outcome_name(a->m.outcome),
                     (int)strcspn(log, "\n"), log);
        return;
    }
}

static void why_nothing(at__str *out, const job *j)
{
    const at__contest *c = &j->main;
    if (c->search.total == 0 && at__device_info_of(j->s->device)->ordinal == AT__REPLAY_ORDINAL) {
        at__str_add(out, "the recording has no trials of this problem");
    } else if (c->search.total == 0) {
        at__str_add(out, "no template has a valid configuration for this problem");
        for (int i = 0; i < c->space_count; i++)
            if (at__space_refusal(c->spaces[i]))
                at__str_addf(out, "; %s: %s", at__space_template(c->spaces[i])->name,
                             at__space_refusal(c->spaces[i]));
    } else if (c->decided == 0 && at__cancel_asked(&j->s->cancel)) {
        at__str_add(out, "interrupted before the first trial ended");
    } else if (c->decided == 0) {
        at__str_addf(out, "its --budget of %g s ended before the first trial did", j->s->options->budget_s);
    } else {
        at__str_addf(out, "none of %lld configurations tried gave a right result", (long long)c->decided);
        name_failure(out, c);
    }
}

/* A run that was told to end where no trial is lost: in its setup, or in a final without a result. */
static void why_stopped(at__str *out, const job *j, const char *where)
{
    const at__candidate *best = j->main.best;
    char time[32];
    if (!best || j->s->now.phase != AT__PHASE_FINAL) {
        if (at__cancel_asked(&j->s->cancel))
            at__str_add(out, "interrupted while the problem was set up");
        else
            at__str_addf(out, "its --budget of %g s ended while the problem was set up",
                         j->s->options->budget_s);
        return;
    }
    at__time_text(time, sizeof time, best->m.timing.median_s);
    at__str_addf(
        out,
        "interrupted in the final (%s); the fastest of %lld trials was %s %s with %s; the same command "
        "goes on with the final",
        where, (long long)j->main.decided, best->t->name, best->text, time);
}

static at_status measure_all(job *j, at_error *err)
{
    double start = at__now_s();
    at_status status = at__session_set_up(j->s, &j->main, err);
    at__session_trace(j->s, "set up", j->main.key.shape, start);
    if (status == AT_OK)
        status = run_copies(j, err);
    begin_search(j->s);
    if (status == AT_OK) {
        j->main.progress.phase = AT__PHASE_SEARCH;
        status = at__contest_run(&j->main, err);
    }
    begin_final(j->s, &j->main);
    if (status == AT_OK)
        status = at__final_run(&j->final, &j->main, j->has_copies ? &j->copies : NULL, err);
    return status;
}

static void fill_result(at__result *r, const job *j, double started_s)
{
    memcpy(r->outcomes, j->main.outcomes, sizeof r->outcomes);
    r->known = j->main.taken_from_store;
    r->race_saved_s = j->main.saved_s + j->copies.saved_s;
    r->device_busy_s = j->main.busy_s + j->copies.busy_s + j->final.seconds;
    double first_s = j->copies.fed_s > 0 ? j->copies.fed_s : j->main.fed_s;
    r->device_open_s = first_s > 0 ? at__now_s() - first_s : 0;
    r->interrupted = j->main.interrupted || j->stopped || (!r->from_store && at__cancel_asked(&j->s->cancel));
    r->elapsed_s = at__now_s() - started_s;
}

/* A problem that cannot be measured (too large, a broken reference) is an answer too; the rest goes on. */
static bool only_this_problem(const at__session *s, at_status status)
{
    return (status == AT_ERR_INPUT || status == AT_ERR_DEVICE) && !at__device_is_lost(s->device);
}

static at_status tune_open(job *j, at__result *r, at__answer *answer, at__str *why, at_error *err)
{
    at_error cause = { 0 };
    at_status status =
        at__store_find_winner(answer, j->s->store, &j->main.key, &j->s->fingerprint, NULL, err);
    if (status == AT_OK && answered(j->s, &j->main, answer)) {
        at__builder_keep(&j->s->builder, answer->winner.source_hash);
        r->found = r->from_store = true;
        return AT_OK;
    }
    at__answer_clear(answer);
    *answer = (at__answer){ 0 };
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        return status;
    status = j->main.search.total ? measure_all(j, &cause) : AT_OK;
    if (status != AT_OK && only_this_problem(j->s, status)) {
        at__str_add(why, cause.text);
        return AT_OK;
    }
    if (status != AT_OK)
        return at_fail(err, status, "%s", cause.text);
    if (!j->main.search.total || j->final.winner < 0) {
        why_nothing(why, j);
        return AT_OK;
    }
    r->found = true;
    return keep_winner(j, answer, err);
}

/* Once: the cache only saves time. */
static void tell_of_lost_cache(at__session *s)
{
    char text[AT_ERROR_TEXT + 80];
    if (s->builder.cache || !s->builder.pool || !s->options->cache_path || s->cache_lost)
        return;
    s->cache_lost = true;
    snprintf(text, sizeof text, "compiled kernels are not kept: %s", s->builder.cache_error.text);
    s->events->warning(s->events->context, text);
}

at_status at__session_tune(at__session *s, const at__problem *problem, int index, int count, at_error *err)
{
    job *j = calloc(1, sizeof *j);
    at__answer answer = { 0 };
    at__str why = { 0 };
    at_error cause = { 0 };
    int device = at__device_info_of(s->device)->ordinal;
    at__result r = { .device = device, .problem = problem };
    double started_s = at__now_s();
    int64_t compiled = s->builder.compiled;

    if (!j)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    j->s = s;
    j->final.winner = -1;
    s->now = (at__progress){ .device = device,
                             .problem = problem,
                             .problem_index = index,
                             .problem_count = count,
                             .best = "",
                             .doing = s->doing,
                             .left_s = -1 };
    begin_setup(s, started_s);
    at_status status = at__contest_open(&j->main, s, problem, false, &cause);
    j->main.progress = s->now;
    if (status == AT_OK)
        status = tune_open(j, &r, &answer, &why, &cause);
    j->stopped = status == AT_ERR_CANCELLED;
    if (j->stopped)
        why_stopped(&why, j, cause.text);
    status = j->stopped || status == AT_OK ? AT_OK : at_fail(err, status, "%s", cause.text);
    if (status == AT_OK) {
        fill_result(&r, j, started_s);
        r.compiled = s->builder.compiled - compiled;
        r.answer = &answer;
        r.why = at__str_text(&why);
        s->events->result(s->events->context, &r);
    }
    tell_of_lost_cache(s);
    at__answer_clear(&answer);
    at__str_clear(&why);
    if (j->has_copies)
        at__contest_close(&j->copies);
    at__contest_close(&j->main);
    free(j);
    return status;
}
