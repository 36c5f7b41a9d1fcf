/*
 * contest.c - the loop of a contest: propose, compile, feed the devices, take what they measured, store.
 *
 * Every round does a little of each and waits only when nothing moved, so that compilers, queue and device
 * are busy at once. Invariant: a candidate is proposed, compiled, ready or with the device, decided, stored,
 * in this order and each once (a deferred one goes back from compiled to proposed); whatever ends the loop,
 * what is decided is stored before it returns.
 */
#include "tune/contest_parts.h"

#include "lang/metric.h"
#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiled kernels that wait for the device, at most: enough that it never waits for a slow compile. */
#define READY_LIMIT 64
/* Rows are written at least this often, so that a kill loses less than a second. */
#define FLUSH_S    0.5
#define FLUSH_ROWS 256
#define REPORT_S   0.05
static bool use_known(at__contest *c, at__candidate *a)
{
    const at__known_trial *k = at__contest_find_known(c, a);
    bool weighed = k && (k->outcome != AT__TIMED || k->timing.joules > 0);
    if (!k || (!c->is_copy && !weighed && at__reads_figure(c->problem.op, AT__FIGURE_JOULES)))
        return false; /* what was measured before somebody asked for energy is measured again */
    a->m = (at__measured){ .outcome = k->outcome, .timing = k->timing, .resources = k->resources };
    a->known = a->stored = true;
    c->tally.known++;
    at__contest_decide(c, a);
    return true;
}

at_status at__contest_make_ready(at__contest *c, size_t tag, at_error *err)
{
    if (c->ready_first > 256) { /* the front is used up: move the rest down */
        memmove(c->ready, c->ready + c->ready_first, c->ready_count * sizeof *c->ready);
        c->ready_first = 0;
    }
    if (!at__grow(&c->ready, &c->ready_cap, c->ready_first + c->ready_count, sizeof *c->ready))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    c->ready[c->ready_first + c->ready_count++] = tag;
    return AT_OK;
}

/* A deferred candidate is ready at once: it is compiled. False: this is none. */
static bool resume(at__contest *c, int64_t index, at_status *status, at_error *err)
{
    for (size_t i = 0; i < c->candidate_count && c->deferred; i++)
        if (c->candidates[i]->deferred && c->candidates[i]->index == index) {
            c->candidates[i]->deferred = false;
            c->deferred--;
            *status = at__contest_make_ready(c, i, err);
            return true;
        }
    return false;
}

static at_status propose_one(at__contest *c, at_error *err)
{
    at__builder *builder = &c->env->builder;
    int64_t index = c->strategy->propose(c->strategy_state), local = 0;
    at_status status = AT_OK;
    int which = 0;

    c->waiting = index == AT__NOT_YET;
    if (c->waiting && c->tally.decided + c->deferred == (int64_t)c->candidate_count)
        return at__bug(err, "strategy %s waits for nothing", c->strategy->name);
    if (index < 0) {
        c->exhausted = !c->waiting;
        c->tally.settled = index == AT__WORTHLESS;
        return AT_OK;
    }
    if (resume(c, index, &status, err))
        return status;
    const at__space *space = at__search_locate(&c->search, index, &which, &local);
    if (!space)
        return at__bug(err, "strategy %s proposed configuration %lld of %lld", c->strategy->name,
                       (long long)index, (long long)c->search.total);
    at__candidate *a = at__contest_add(c, space, index, local);
    if (!a)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (use_known(c, a))
        return AT_OK;
    size_t tag = c->candidate_count - 1;
    status = at__build_start(&a->build, builder, a->t, c->problem.type, &a->config, c->slots, err);
    if (status == AT_OK && a->build.done)
        return at__contest_make_ready(c, tag, err);
    if (status == AT_OK)
        status = at__pool_submit(builder->pool, AT__POOL_TAG(c->owner, tag), at__str_text(&a->build.source),
                                 a->t->file, builder->cc, AT__CUBIN, err);
    return status;
}

/* What did not load, of the cache, goes before what is new. */
static at_status compile_again(at__contest *c, at_error *err)
{
    at__builder *builder = &c->env->builder;
    at_status status = AT_OK;
    while (status == AT_OK && c->again_count && at__pool_has_room(builder->pool)) {
        size_t tag = c->again[--c->again_count];
        const at__candidate *a = c->candidates[tag];
        status = at__pool_submit(builder->pool, AT__POOL_TAG(c->owner, tag), at__str_text(&a->build.source),
                                 a->t->file, builder->cc, AT__CUBIN, err);
    }
    return status;
}

static bool should_end(at__contest *c)
{
    const at__env *env = c->env;
    if (at__cancel_asked(&env->cancel) || (env->budget_until_s > 0 && at__now_s() > env->budget_until_s))
        c->tally.interrupted = true;
    return c->tally.interrupted;
}

/* Its compilations under way. Without a pool there are none: nothing is compiled for a replay. */
static int compiling(const at__contest *c)
{
    return c->env->builder.pool ? at__pool_busy_of(c->env->builder.pool, c->owner) : 0;
}

static bool has_room(const at__contest *c)
{
    return c->ready_count < READY_LIMIT && (!c->env->builder.pool || at__pool_has_room(c->env->builder.pool));
}

static at_status propose_ahead(at__contest *c, at_error *err)
{
    /* Asked also when all is proposed: what waits for the device is left out then. */
    bool more = !c->exhausted || c->ready_count || c->again_count || compiling(c);
    bool cancel = more && should_end(c);
    at_status status = cancel ? AT_OK : compile_again(c, err);
    c->waiting = false;
    while (status == AT_OK && !c->exhausted && !c->waiting && !cancel && has_room(c)) {
        status = propose_one(c, err);
        cancel = should_end(c);
    }
    return status;
}

at_status at__contest_compile_ahead(at__contest *c, at_error *err)
{
    return c->env->builder.pool ? propose_ahead(c, err) : AT_OK;
}

static void trace_queues(const at__contest *c)
{
    at__trace *trace = c->env->options->trace;
    at__trace_count(trace, at__env_trace_id(c->env), "compiled, waiting for the device",
                    (int64_t)c->ready_count + at__contest_queued(c));
}

static at_status take_compiled(at__contest *c, at_error *err)
{
    at__compiled done = { 0 };
    if (!c->env->builder.pool)
        return AT_OK;
    at_status status = at__pool_pump(c->env->builder.pool, err);
    while (status == AT_OK && at__pool_take_of(c->env->builder.pool, c->owner, &done)) {
        size_t tag = (size_t)(done.tag & UINT32_MAX);
        at__candidate *a = c->candidates[tag];
        at__trace_span(c->env->options->trace, AT__TRACK_COMPILER, at__env_trace_id(c->env), done.worker,
                       a->t->name, a->text, done.started_s, done.ended_s);
        at__build_finish(&a->build, &c->env->builder, &done);
        at__compiled_clear(&done);
        if (status == AT_OK && a->build.ok && !c->tally.interrupted) {
            status = at__contest_make_ready(c, tag, err);
        } else if (status == AT_OK && !a->build.ok) {
            a->m = (at__measured){ .outcome = AT__COMPILE_FAILED, .resources = AT__RESOURCES_UNKNOWN };
            at__contest_decide(c, a);
        }
    }
    return status;
}

at_status at__contest_kernel(at__kernel *out, const at__contest *c, const at__candidate *a, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS];
    memcpy(slots, c->slots, sizeof slots);
    at_status status = at__config_bind(slots, a->t, &a->config, err);
    if (status == AT_OK)
        status = at__template_bind(out, &a->build, a->t, slots, err);
    if (status == AT_OK)
        out->identity = a->identity;
    return status;
}

at__resources at__contest_resources(const at__contest *c, const at__candidate *a, const at__kernel *kernel)
{
    if (a->decided)
        return a->m.resources;
    at__resources r = a->build.resources;
    if (!c->env->builder.nvrtc)
        return at__device_recorded_resources(c->env->device, a->identity);
    if (r.registers < 0)
        return AT__RESOURCES_UNKNOWN;
    r.shared_bytes += kernel->geometry.shared_bytes;
    return r;
}

/* Now that it is compiled: is it still wanted? */
static bool wanted(at__contest *c, at__candidate *a, const at__kernel *kernel)
{
    at__resources resources = at__contest_resources(c, a, kernel);
    a->deferred = c->strategy->consider && !c->strategy->consider(c->strategy_state, a->index, &resources);
    c->deferred += a->deferred;
    if (a->deferred) /* it makes room for another, also where the limit was reached */
        c->exhausted = c->tally.settled = false;
    return !a->deferred;
}

/* No launch can be made of it: a grid of 0, a kernel that its code does not have. */
static void refuse(at__contest *c, at__candidate *a, const at_error *why)
{
    a->m = (at__measured){ .outcome = AT__LAUNCH_FAILED, .resources = a->build.resources };
    snprintf(a->m.log, sizeof a->m.log, "%.*s", (int)sizeof a->m.log - 1, why->text);
    at__contest_decide(c, a);
}

/* What a trial races against: where something else than time counts, a slow one may be the best. */
static double to_beat(const at__contest *c)
{
    bool by_time = c->is_copy || !c->problem.op->objective;
    return c->tally.best && by_time ? c->tally.best->m.timing.median_s : 0;
}

static at_status feed_devices(at__contest *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    int seat = 0;
    if (c->ready_count && c->tally.fed_s <= 0)
        c->tally.fed_s = at__now_s();
    while (status == AT_OK && c->ready_count && !c->tally.interrupted &&
           (seat = at__contest_free_seat(c)) >= 0) {
        size_t tag = c->ready[c->ready_first++];
        at__trial trial = { .tag = (int64_t)tag, .is_copy = c->is_copy, .best_s = to_beat(c) };
        c->ready_count--;
        *progressed = true;
        at_error cause = { 0 };
        status = at__contest_kernel(&trial.kernel, c, c->candidates[tag], &cause);
        if (status == AT_ERR_INPUT) {
            refuse(c, c->candidates[tag], &cause);
            status = AT_OK;
            continue;
        }
        if (status != AT_OK)
            return at_fail(err, status, "%s", cause.text);
        if (!wanted(c, c->candidates[tag], &trial.kernel))
            continue;
        c->candidates[tag]->seat = seat;
        c->candidates[tag]->away = true;
        status = at__device_submit(c->seats[seat].device, &trial, err);
    }
    return status;
}

/* A kernel of the cache that the device does not load is compiled again, once; it is not decided yet. */
static bool is_to_compile_again(at__contest *c, at__candidate *a, const at__measured *m)
{
    bool loaded = m->resources.registers >= 0;
    if (m->outcome != AT__LAUNCH_FAILED || loaded || !a->build.cached ||
        !at__grow(&c->again, &c->again_cap, c->again_count, sizeof *c->again))
        return false;
    c->again[c->again_count++] = (size_t)m->tag;
    return at__build_distrust(&a->build);
}

static void take_one(at__contest *c, size_t seat, const at__measured *m)
{
    at__candidate *a = c->candidates[m->tag];
    int ordinal = at__device_info_of(c->seats[seat].device)->ordinal;
    a->away = false;
    if (is_to_compile_again(c, a, m))
        return;
    a->m = *m;
    if (c->env->builder.nvrtc) { /* a replay has them from the recording */
        a->m.resources.stack_bytes = a->build.resources.stack_bytes;
        a->m.resources.spill_bytes = a->build.resources.spill_bytes;
    }
    at__trace_span(c->env->options->trace, AT__TRACK_DEVICE, ordinal < 0 ? 0 : ordinal, 0, a->t->name,
                   a->identity, at__now_s() - m->busy_s, at__now_s());
    trace_queues(c);
    at__contest_decide(c, a);
}

/* Of one device, which may be gone afterwards. */
static at_status take_of(at__contest *c, size_t seat, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    bool got = true;
    while (status == AT_OK && got && c->seats[seat].device) {
        at__measured m;
        at_error why = { 0 };
        status = at__device_pump(c->seats[seat].device, &m, &got, &why);
        *progressed |= got;
        if (status != AT_OK)
            return at__contest_lose(c, seat, status, &why, err);
        if (got && at__contest_is_gauge(&m))
            at__contest_gauged(c, seat, &m);
        else if (got)
            take_one(c, seat, &m);
    }
    return AT_OK;
}

static at_status take_measured(at__contest *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    for (size_t i = 0; i < c->seat_count && status == AT_OK; i++)
        status = take_of(c, i, progressed, err);
    return status;
}

/* Stores what is decided and not yet stored, up to FLUSH_ROWS, in one transaction; *wrote says how many more.
 */
static at_status flush_of(at__contest *c, size_t seat, size_t *wrote, at_error *err)
{
    at__trial_row rows[FLUSH_ROWS];
    at__candidate *from[FLUSH_ROWS];
    size_t count = 0;

    for (size_t i = c->unstored; i < c->candidate_count && count < FLUSH_ROWS; i++) {
        at__candidate *a = c->candidates[i];
        if (a->decided && !a->stored && a->seat == (int)seat) {
            from[count] = a;
            rows[count++] = at__contest_row(a);
        }
    }
    if (!count)
        return AT_OK;
    double start = at__now_s();
    at_status status = at__store_put_trials(c->env->store, c->seats[seat].run_id, &c->key,
                                            &c->env->fingerprint, rows, count, err);
    at__trace_span(c->env->options->trace, AT__TRACK_STORE, at__env_trace_id(c->env), 0, "store trials", "",
                   start, at__now_s());
    for (size_t i = 0; i < count && status == AT_OK; i++)
        from[i]->stored = true;
    while (c->unstored < c->candidate_count && c->candidates[c->unstored]->stored)
        c->unstored++;
    *wrote += status == AT_OK ? count : 0;
    return status;
}

/* Of each device, as its own run. */
static at_status flush(at__contest *c, size_t *wrote, at_error *err)
{
    at_status status = AT_OK;
    *wrote = 0;
    for (size_t i = 0; i < c->seat_count && status == AT_OK; i++)
        status = flush_of(c, i, wrote, err);
    c->flushed_s = at__now_s();
    return status;
}

static void report_progress(at__contest *c)
{
    double now = at__now_s();
    at__progress p = c->progress;
    char best[256] = "";

    if (now - c->reported_s < REPORT_S)
        return;
    c->reported_s = now;
    p.done = c->tally.decided;
    p.total = c->search.max_trials;
    p.failed = c->tally.failed;
    p.helping = at__contest_ready_seats(c) - 1;
    p.elapsed_s = now - c->tally.started_s;
    p.left_s =
        c->tally.decided ? p.elapsed_s / (double)c->tally.decided * (double)(p.total - c->tally.decided) : -1;
    if (c->tally.best) {
        snprintf(best, sizeof best, "%s %s", c->tally.best->t->name, c->tally.best->text);
        p.best_s = c->tally.best->m.timing.median_s;
        p.best_share = c->ceiling_s / p.best_s;
    }
    p.best = best;
    c->env->events->progress(c->env->events->context, &p);
}

static void wait_for_something(at__contest *c)
{
    struct pollfd fds[AT__POOL_ALSO] = { at__device_fd(c->env->device) };
    int count = 1;
    if (c->offer)
        fds[count++] = at__crew_fd(c->offer);
    for (size_t i = 1; i < c->seat_count && count < AT__POOL_ALSO; i++)
        if (c->seats[i].device)
            fds[count++] = at__device_fd(c->seats[i].device);
    at__pool_wait_all(c->env->builder.pool, fds, count, 50);
}

static bool finished(const at__contest *c)
{
    bool nothing_more = c->exhausted || c->tally.interrupted;
    bool waiting = (c->ready_count || c->again_count) && !c->tally.interrupted;
    return nothing_more && !waiting && compiling(c) == 0 && at__contest_queued(c) == 0;
}

at_status at__contest_run(at__contest *c, const at__progress *shown, double ceiling_s, at_error *err)
{
    at_status status = AT_OK;
    at_error later = { 0 };
    size_t wrote = 0;
    c->progress = *shown;
    c->ceiling_s = ceiling_s;
    while (status == AT_OK && !finished(c)) {
        bool progressed = false;
        status = propose_ahead(c, err);
        if (c->tally.interrupted && compiling(c)) /* nobody waits for a kernel that compiles for a minute */
            at__pool_drop_of(c->env->builder.pool, c->owner);
        if (status == AT_OK)
            status = take_compiled(c, err);
        if (status == AT_OK)
            status = at__contest_admit(c, &progressed, err);
        if (status == AT_OK)
            status = feed_devices(c, &progressed, err);
        if (status == AT_OK)
            status = take_measured(c, &progressed, err);
        if (status == AT_OK && at__now_s() - c->flushed_s > FLUSH_S)
            status = flush(c, &wrote, err);
        report_progress(c);
        if (status == AT_OK && !progressed && !finished(c))
            wait_for_something(c);
    }
    if (status == AT_ERR_CANCELLED) { /* while the device started again */
        c->tally.interrupted = true;
        status = AT_OK;
    }
    at__contest_dismiss(c);
    /* Whatever ended the run, what was measured is kept. */
    at_status kept = AT_OK;
    do {
        kept = flush(c, &wrote, status == AT_OK ? err : &later);
    } while (kept == AT_OK && wrote);
    return status != AT_OK ? status : kept;
}

void at__contest_add_failure(at__str *out, const at__contest *c)
{
    for (size_t i = 0; i < c->candidate_count; i++) {
        const at__candidate *a = c->candidates[i];
        const char *log = a->build.log.len && !a->build.ok ? at__str_text(&a->build.log) : a->m.log;
        if (!a->decided || (a->m.outcome == AT__TIMED && isfinite(a->score)) || !log[0])
            continue;
        at__str_addf(out, "; %s %s, for one: %s: %.*s", a->t->name, a->text, at__outcome_name(a->m.outcome),
                     (int)strcspn(log, "\n"), log);
        return;
    }
}
