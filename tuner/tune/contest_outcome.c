/*
 * contest_outcome.c - what becomes of a candidate. A measurement decides it, once; afterwards it can only
 * turn out to fail, in the re-measurement at the end of the search or in `autotune verify`. That is stored
 * before anything else happens, so that whatever reads trials, here or in the store, sees it.
 */
#include "tune/contest_parts.h"

#include "lang/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A loser's cubin is dropped; near the top it may be needed for the final. */
#define KEEP_WITHIN 1.10

double at__contest_score(const at__contest *c, const at__record *record)
{
    return c->is_copy ? record->timing->median_s : at__score_or_none(&c->problem, record);
}

/* A kernel that is right, but has no value of what is tuned for, is no candidate; its log says why. */
static bool rate(const at__contest *c, at__candidate *a)
{
    at_error why = { 0 };
    const at__record record = { &a->m.timing, &a->m.resources, a->text };
    a->score = INFINITY;
    if (a->m.outcome != AT__TIMED)
        return false;
    a->score = at__contest_score(c, &record);
    if (isfinite(a->score))
        return true;
    if (at__score(&a->score, &c->problem, &record, &why) != AT_OK)
        snprintf(a->m.log, sizeof a->m.log, "%.*s", (int)sizeof a->m.log - 1, why.text);
    a->score = INFINITY;
    return false;
}

/* What the compilers' time was in relation to the device's. */
static void tell_pace(at__contest *c, const at__candidate *a)
{
    if (!(a->build.compile_s > 0 && a->m.busy_s > 0))
        return;
    c->compile_s += a->build.compile_s;
    c->measure_s += a->m.busy_s;
    if (c->strategy->pace)
        c->strategy->pace(c->strategy_state, at__contest_ready_seats(c) * (c->compile_s / c->measure_s));
}

void at__contest_decide(at__contest *c, at__candidate *a)
{
    bool rated = rate(c, a);
    a->decided = true;
    c->tally.decided++;
    c->tally.failed += !rated;
    c->tally.outcomes[a->m.outcome]++;
    c->tally.busy_s += a->m.busy_s;
    c->tally.saved_s += a->m.saved_s;
    at__finding finding = { .outcome = a->m.outcome == AT__TIMED && !rated ? AT__LAUNCH_FAILED : a->m.outcome,
                            .seconds = rated ? a->score : 0,
                            .resources = a->m.resources };
    c->strategy->report(c->strategy_state, a->index, &finding);
    tell_pace(c, a);
    if (rated && (!c->tally.best || a->score < c->tally.best->score))
        c->tally.best = a;
    if (!rated || a->score > KEEP_WITHIN * c->tally.best->score) {
        at__str_clear(&a->build.cubin);
        a->build.done = false;
    }
    at__str_clear(&a->build.source);
}

at__trial_row at__contest_row(const at__candidate *a)
{
    const at__measured *m = &a->m;
    return (at__trial_row){ .template_name = a->t->name,
                            .template_hash = a->t->hash,
                            .config = a->text,
                            .outcome = m->outcome,
                            .timing = m->timing,
                            .resources = m->resources,
                            .compile_s = a->build.compile_s,
                            .log = a->build.log.len && !a->build.ok ? at__str_text(&a->build.log) : m->log,
                            .source_hash = a->build.source_hash };
}

static const at__candidate *find_best(const at__contest *c)
{
    const at__candidate *best = NULL;
    for (size_t i = 0; i < c->candidate_count; i++) {
        const at__candidate *a = c->candidates[i];
        if (a->decided && isfinite(a->score) && (!best || a->score < best->score))
            best = a;
    }
    return best;
}

/* A candidate that no search proposed has not been counted. */
static void count_failure(at__contest *c, const at__candidate *a, at__outcome outcome)
{
    if (a->decided)
        c->tally.outcomes[a->m.outcome]--;
    else
        c->tally.decided++;
    c->tally.failed += !a->decided || isfinite(a->score);
    c->tally.outcomes[outcome]++;
}

at_status at__contest_invalidate(at__contest *c, at__candidate *a, at__outcome outcome, const char *log,
                                 at_error *err)
{
    at__measured m = a->m;
    if (!a->decided)
        m = (at__measured){ .resources = a->build.resources };
    count_failure(c, a, outcome);
    m.outcome = outcome;
    m.timing = (at__timing){ .samples = m.timing.samples };
    snprintf(m.log, sizeof m.log, "%.*s", (int)sizeof m.log - 1, log);
    a->m = m;
    a->score = INFINITY;
    a->decided = true;
    a->seat = 0; /* the contest's own device found it out */
    c->tally.best = find_best(c);
    c->tally.settled = false; /* the search compared others with this one */
    const at__trial_row row = at__contest_row(a);
    at_status status =
        at__store_put_verdict(c->env->store, c->env->run_id, &c->key, &c->env->fingerprint, &row, err);
    a->stored = status == AT_OK;
    return status;
}
