/*
 * search_run_outcome.c - what becomes of a candidate. A measurement decides it, once; afterwards it can only
 * turn out to fail, in the re-measurement at the end of the search or in `autotune verify`. That is stored
 * before anything else happens, so that whatever reads trials, here or in the store, sees it.
 */
#include "tune/search_run_internal.h"

#include "lang/metric.h"

#include <math.h>
#include <stdio.h>

/* A loser's cubin is dropped; near the top it may be needed for the re-measurement. */
#define KEEP_WITHIN 1.10

double atx_search_run_score(const atx_search_run *c, const atx_record *record)
{
    if (c->aim.front)
        return atx_front_score(c->aim.front, c->aim.other, c->aim.weight, &c->problem, record);
    return c->is_copy ? record->timing->median_s : atx_score_or_none(&c->problem, record);
}

/* A kernel that is right, but has no value of what is tuned for, is no candidate; its log says why. */
static bool rate(const atx_search_run *c, atx_candidate *a)
{
    at_error why = { 0 };
    const atx_record record = { &a->m.timing, &a->m.resources, a->text };
    a->score = INFINITY;
    if (a->m.outcome != ATX_TIMED)
        return false;
    a->score = atx_search_run_score(c, &record);
    if (isfinite(a->score))
        return true;
    if (atx_score(&a->score, &c->problem, &record, &why) != AT_OK)
        snprintf(a->m.log, sizeof a->m.log, "%.*s", (int)sizeof a->m.log - 1, why.text);
    a->score = INFINITY;
    return false;
}

/* What the compilers' time was in relation to the device's. Kernels of the cache say nothing of compilers. */
static void tell_pace(atx_search_run *c, const atx_candidate *a)
{
    double pace = 0; /* until one is compiled */
    if (!(a->m.busy_s > 0) || !c->proposals.strategy->pace)
        return;
    if (a->build.compile_s > 0) {
        c->account.compile_s += a->build.compile_s;
        c->account.measure_s += a->m.busy_s;
    }
    if (c->account.measure_s > 0)
        pace = atx_search_run_ready_device_slots(c) * (c->account.compile_s / c->account.measure_s);
    c->proposals.strategy->pace(c->proposals.strategy_state, pace);
}

void atx_search_run_decide(atx_search_run *c, atx_candidate *a)
{
    bool rated = rate(c, a);
    a->decided = true;
    c->account.tally.decided++;
    c->account.tally.failed += !rated;
    c->account.tally.outcomes[a->m.outcome]++;
    c->account.tally.busy_s += a->m.busy_s;
    c->account.tally.saved_s += a->m.saved_s;
    atx_finding finding = { .outcome = a->m.outcome == ATX_TIMED && !rated ? ATX_LAUNCH_FAILED : a->m.outcome,
                            .seconds = rated ? a->score : 0,
                            .resources = a->m.resources };
    c->proposals.strategy->report(c->proposals.strategy_state, a->index, &finding);
    tell_pace(c, a);
    if (rated && (!c->account.tally.best || a->score < c->account.tally.best->score))
        c->account.tally.best = a;
    if (!rated || a->score > KEEP_WITHIN * c->account.tally.best->score) {
        atx_str_clear(&a->build.cubin);
        a->build.done = false;
    }
    atx_str_clear(&a->build.source);
}

atx_trial_row atx_search_run_row(const atx_candidate *a)
{
    const atx_measured *m = &a->m;
    return (atx_trial_row){ .template_name = a->t->name,
                            .template_hash = a->t->text.hash,
                            .config = a->text,
                            .outcome = m->outcome,
                            .timing = m->timing,
                            .resources = m->resources,
                            .compile_s = a->build.compile_s,
                            .log = a->build.log.len && !a->build.ok ? atx_str_text(&a->build.log) : m->log,
                            .source_hash = a->build.source_hash };
}

static atx_candidate *find_best(const atx_search_run *c)
{
    atx_candidate *best = NULL;
    for (size_t i = 0; i < c->candidates.candidate_count; i++) {
        atx_candidate *a = c->candidates.candidates[i];
        if (a->decided && isfinite(a->score) && (!best || a->score < best->score))
            best = a;
    }
    return best;
}

/* A candidate that no search proposed has not been counted. */
static void count_failure(atx_search_run *c, const atx_candidate *a, atx_outcome outcome)
{
    if (a->decided)
        c->account.tally.outcomes[a->m.outcome]--;
    else
        c->account.tally.decided++;
    c->account.tally.failed += !a->decided || isfinite(a->score);
    c->account.tally.outcomes[outcome]++;
}

at_status atx_search_run_invalidate(atx_search_run *c, atx_candidate *a, atx_outcome outcome, const char *log,
                                    at_error *err)
{
    atx_measured m = a->m;
    if (!a->decided)
        m = (atx_measured){ .resources = a->build.resources, .verdict = a->m.verdict };
    count_failure(c, a, outcome);
    m.outcome = outcome;
    m.timing = (atx_timing){ .samples = m.timing.samples };
    snprintf(m.log, sizeof m.log, "%.*s", (int)sizeof m.log - 1, log);
    a->m = m;
    a->score = INFINITY;
    a->decided = true;
    a->device_slot = 0; /* the search run's own device found it out */
    c->account.tally.best = find_best(c);
    c->account.tally.converged = false; /* the search compared others with this one */
    const atx_trial_row row = atx_search_run_row(a);
    at_status status =
        atx_store_put_verdict(c->env->store, c->env->run_id, &c->key, &c->env->fingerprint, &row, err);
    a->stored = status == AT_OK;
    return status;
}
