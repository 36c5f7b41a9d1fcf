/*
 * search_run.c - the loop of a search run: propose, compile, feed the devices, take their measurements,
 * store.
 *
 * Every round does a little of each and waits only when nothing moved, so that compilers, queue and device
 * are busy at once. Invariant: a candidate is proposed, compiled, ready or with the device, decided, stored,
 * in this order and each once (a deferred one goes back from compiled to proposed); however the loop ends,
 * all decided candidates are stored before it returns.
 */
#include "tune/search_run_internal.h"

#include "util/bug.h"
#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Compiled kernels that wait for the device, at most: enough that it never waits for a slow compile. */
#define READY_LIMIT 64
/* Rows are written at least this often, so that a kill loses less than a second. */
#define FLUSH_S    0.5
#define FLUSH_ROWS 256
#define REPORT_S   0.05
static bool use_known(atx_search_run *c, atx_candidate *a)
{
    const atx_known_trial *k = atx_search_run_find_known(c, a);
    bool weighed = k && (k->outcome != ATX_TIMED || k->timing.joules > 0);
    if (!k || (!c->is_copy && !weighed && atx_env_measures_energy(c->env, c->problem.op)))
        return false; /* a trial without energy is measured again for it */
    a->m = (atx_measured){ .outcome = k->outcome, .timing = k->timing, .resources = k->resources };
    a->known = a->stored = true;
    c->account.tally.known++;
    atx_search_run_decide(c, a);
    return true;
}

at_status atx_search_run_make_ready(atx_search_run *c, size_t tag, at_error *err)
{
    if (c->candidates.ready_first > 256) { /* the front is used up: move the rest down */
        memmove(c->candidates.ready, c->candidates.ready + c->candidates.ready_first,
                c->candidates.ready_count * sizeof *c->candidates.ready);
        c->candidates.ready_first = 0;
    }
    if (!atx_grow(&c->candidates.ready, &c->candidates.ready_cap,
                  c->candidates.ready_first + c->candidates.ready_count, sizeof *c->candidates.ready))
        return atx_no_memory(err);
    c->candidates.ready[c->candidates.ready_first + c->candidates.ready_count++] = tag;
    return AT_OK;
}

/* A deferred candidate is ready at once: it is compiled. False: this is none. */
static bool resume(atx_search_run *c, int64_t index, at_status *status, at_error *err)
{
    for (size_t i = 0; i < c->candidates.candidate_count && c->candidates.deferred; i++)
        if (c->candidates.candidates[i]->deferred && c->candidates.candidates[i]->index == index) {
            c->candidates.candidates[i]->deferred = false;
            c->candidates.deferred--;
            *status = atx_search_run_make_ready(c, i, err);
            return true;
        }
    return false;
}

/* To be compiled, or looked for, later. False: out of memory. */
static bool set_aside(atx_search_run *c, size_t tag)
{
    if (!atx_grow(&c->candidates.again, &c->candidates.again_cap, c->candidates.again_count,
                  sizeof *c->candidates.again))
        return false;
    c->candidates.again[c->candidates.again_count++] = tag;
    return true;
}

static at_status submit(const atx_search_run *c, size_t tag, at_error *err)
{
    const atx_candidate *a = c->candidates.candidates[tag];
    const atx_builder *builder = &c->env->builder;
    return atx_pool_submit(builder->pool, ATX_POOL_TAG(c->owner, tag), atx_str_text(&a->build.source),
                           a->t->text.file, builder->cc, ATX_CUBIN, err);
}

static at_status propose_one(atx_search_run *c, at_error *err)
{
    atx_builder *builder = &c->env->builder;
    int64_t index = c->proposals.strategy->propose(c->proposals.strategy_state), local = 0;
    at_status status = AT_OK;
    int which = 0;

    c->proposals.waiting = index == ATX_NOT_YET;
    if (c->proposals.waiting &&
        c->account.tally.decided + c->candidates.deferred == (int64_t)c->candidates.candidate_count)
        return atx_bug(err, "strategy %s waits for nothing", c->proposals.strategy->name);
    if (index < 0) {
        c->proposals.exhausted = !c->proposals.waiting;
        c->account.tally.converged = index == ATX_BELOW_THRESHOLD;
        return AT_OK;
    }
    if (resume(c, index, &status, err))
        return status;
    const atx_space *space = atx_search_locate(&c->proposals.search, index, &which, &local);
    if (!space)
        return atx_bug(err, "strategy %s proposed configuration %lld of %lld", c->proposals.strategy->name,
                       (long long)index, (long long)c->proposals.search.total);
    atx_candidate *a = atx_search_run_add(c, space, index, local);
    if (!a)
        return atx_no_memory(err);
    if (use_known(c, a))
        return AT_OK;
    size_t tag = c->candidates.candidate_count - 1;
    status = atx_build_start(&a->build, builder, a->t, c->problem.type, &a->config, c->slots, err);
    if (status == AT_OK && a->build.done)
        return atx_search_run_make_ready(c, tag, err);
    if (status == AT_OK && a->build.elsewhere_s > 0)
        return set_aside(c, tag) ? AT_OK : atx_no_memory(err);
    return status == AT_OK ? submit(c, tag, err) : status;
}

/* Recompiles cubins of the cache that failed to load, before new ones are compiled; looks again for kernels
 * that another search is compiling. */
static at_status compile_again(atx_search_run *c, at_error *err)
{
    atx_builder *builder = &c->env->builder;
    at_status status = AT_OK;
    for (size_t i = c->candidates.again_count; i-- > 0 && status == AT_OK;) {
        const size_t tag = c->candidates.again[i];
        atx_build *build = &c->candidates.candidates[tag]->build;
        if (build->elsewhere_s > 0)
            status = atx_build_look_up(build, builder, err);
        if (status != AT_OK || build->elsewhere_s > 0 || (!build->done && !atx_pool_has_room(builder->pool)))
            continue;
        c->candidates.again[i] = c->candidates.again[--c->candidates.again_count];
        status = build->done ? atx_search_run_make_ready(c, tag, err) : submit(c, tag, err);
    }
    return status;
}

static bool should_end(atx_search_run *c)
{
    const atx_env *env = c->env;
    if (atx_cancel_asked(&env->cancel) || (env->budget_until_s > 0 && atx_now_s() > env->budget_until_s))
        c->account.tally.interrupted = true;
    return c->account.tally.interrupted;
}

/* Its compilations under way. Without a pool there are none: nothing is compiled for a replay. */
static int compiling(const atx_search_run *c)
{
    return c->env->builder.pool ? atx_pool_busy_of(c->env->builder.pool, c->owner) : 0;
}

static bool has_room(const atx_search_run *c)
{
    return c->candidates.ready_count < READY_LIMIT &&
           (!c->env->builder.pool || atx_pool_has_room(c->env->builder.pool));
}

static at_status propose_ahead(atx_search_run *c, at_error *err)
{
    /* Asked also when all is proposed: what waits for the device is left out then. */
    bool more =
        !c->proposals.exhausted || c->candidates.ready_count || c->candidates.again_count || compiling(c);
    bool cancel = more && should_end(c);
    at_status status = cancel ? AT_OK : compile_again(c, err);
    c->proposals.waiting = false;
    while (status == AT_OK && !c->proposals.exhausted && !c->proposals.waiting && !cancel && has_room(c)) {
        status = propose_one(c, err);
        cancel = should_end(c);
    }
    return status;
}

static void trace_queues(const atx_search_run *c)
{
    atx_trace *trace = c->env->options->trace;
    atx_trace_count(trace, atx_env_trace_id(c->env), "compiled, waiting for the device",
                    (int64_t)c->candidates.ready_count + atx_search_run_queued(c));
}

static at_status take_compiled(atx_search_run *c, at_error *err)
{
    atx_compiled done = { 0 };
    if (!c->env->builder.pool)
        return AT_OK;
    at_status status = atx_pool_pump(c->env->builder.pool, err);
    while (status == AT_OK && atx_pool_take_of(c->env->builder.pool, c->owner, &done)) {
        size_t tag = (size_t)(done.tag & UINT32_MAX);
        atx_candidate *a = c->candidates.candidates[tag];
        atx_trace_span(c->env->options->trace,
                       (atx_trace_row){ ATX_TRACK_COMPILER, atx_env_trace_id(c->env), done.worker },
                       a->t->name, a->text, done.started_s, done.ended_s);
        atx_build_finish(&a->build, &c->env->builder, &done);
        atx_compiled_clear(&done);
        if (status == AT_OK && a->build.ok && !c->account.tally.interrupted) {
            status = atx_search_run_make_ready(c, tag, err);
        } else if (status == AT_OK && !a->build.ok) {
            a->m = (atx_measured){ .outcome = ATX_COMPILE_FAILED, .resources = ATX_RESOURCES_UNKNOWN };
            atx_search_run_decide(c, a);
        }
    }
    return status;
}

at_status atx_search_run_compile_ahead(atx_search_run *c, at_error *err)
{
    if (!c->env->builder.pool)
        return AT_OK;
    ATX_TRY(take_compiled(c, err));
    return propose_ahead(c, err);
}

at_status atx_search_run_kernel(atx_kernel *out, const atx_search_run *c, atx_candidate *a, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    memcpy(slots, c->slots, sizeof slots);
    ATX_TRY(atx_config_bind(slots, a->t, &a->config, err));
    ATX_TRY(atx_template_bind(out, &a->build, a->t, slots, err));
    out->identity = a->identity;
    return AT_OK;
}

atx_resources atx_search_run_resources(const atx_search_run *c, const atx_candidate *a,
                                       const atx_kernel *kernel)
{
    if (a->decided)
        return a->m.resources;
    atx_resources r = a->build.resources;
    if (!c->env->builder.nvrtc)
        return atx_device_recorded_resources(c->env->device, a->identity);
    if (r.registers < 0)
        return ATX_RESOURCES_UNKNOWN;
    r.shared_bytes += kernel->geometry.shared_bytes;
    return r;
}

/* Now that it is compiled: is it still wanted? */
static bool wanted(atx_search_run *c, atx_candidate *a, const atx_kernel *kernel)
{
    atx_resources resources = atx_search_run_resources(c, a, kernel);
    a->deferred = c->proposals.strategy->consider &&
                  !c->proposals.strategy->consider(c->proposals.strategy_state, a->index, &resources);
    c->candidates.deferred += a->deferred;
    if (a->deferred) /* it makes room for another, also where the limit was reached */
        c->proposals.exhausted = c->account.tally.converged = false;
    return !a->deferred;
}

/* No launch can be made of it: a grid of 0, a kernel that its code does not have. */
static void refuse(atx_search_run *c, atx_candidate *a, const at_error *why)
{
    a->m = (atx_measured){ .outcome = ATX_LAUNCH_FAILED, .resources = a->build.resources };
    snprintf(a->m.log, sizeof a->m.log, "%.*s", (int)sizeof a->m.log - 1, why->text);
    atx_search_run_decide(c, a);
}

/* What a trial races against: where something else than time counts, a slow one may be the best. */
static double to_beat(const atx_search_run *c)
{
    bool by_time = c->is_copy || !c->problem.op->goal.objective;
    return c->account.tally.best && by_time ? c->account.tally.best->m.timing.median_s : 0;
}

static at_status feed_devices(atx_search_run *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    int device_slot = 0;
    if (c->candidates.ready_count && c->account.tally.fed_s <= 0)
        c->account.tally.fed_s = atx_now_s();
    while (status == AT_OK && c->candidates.ready_count && !c->account.tally.interrupted &&
           (device_slot = atx_search_run_free_device_slot(c)) >= 0) {
        size_t tag = c->candidates.ready[c->candidates.ready_first++];
        atx_trial trial = { .tag = (int64_t)tag, .is_copy = c->is_copy, .best_s = to_beat(c) };
        c->candidates.ready_count--;
        *progressed = true;
        at_error cause = { 0 };
        status = atx_search_run_kernel(&trial.kernel, c, c->candidates.candidates[tag], &cause);
        if (status == AT_ERR_INPUT) {
            refuse(c, c->candidates.candidates[tag], &cause);
            status = AT_OK;
            continue;
        }
        if (status != AT_OK)
            return atx_fail(err, status, "%s", cause.text);
        if (!wanted(c, c->candidates.candidates[tag], &trial.kernel))
            continue;
        c->candidates.candidates[tag]->device_slot = device_slot;
        c->candidates.candidates[tag]->away = true;
        status = atx_device_submit(c->devices.device_slots[device_slot].device, &trial, err);
    }
    return status;
}

/* A kernel of the cache that the device does not load is compiled again, once; it is not decided yet. */
static bool is_to_compile_again(atx_search_run *c, atx_candidate *a, const atx_measured *m)
{
    bool loaded = m->resources.registers >= 0;
    return m->outcome == ATX_LAUNCH_FAILED && !loaded && a->build.cached && set_aside(c, (size_t)m->tag) &&
           atx_build_distrust(&a->build);
}

static void take_one(atx_search_run *c, size_t device_slot, const atx_measured *m)
{
    atx_candidate *a = c->candidates.candidates[m->tag];
    int ordinal = atx_device_info_of(c->devices.device_slots[device_slot].device)->ordinal;
    a->away = false;
    if (is_to_compile_again(c, a, m))
        return;
    a->m = *m;
    if (c->env->builder.nvrtc) { /* a replay has them from the recording */
        a->m.resources.stack_bytes = a->build.resources.stack_bytes;
        a->m.resources.spill_bytes = a->build.resources.spill_bytes;
    }
    atx_trace_span(c->env->options->trace, (atx_trace_row){ ATX_TRACK_DEVICE, ordinal < 0 ? 0 : ordinal, 0 },
                   a->t->name, a->identity, atx_now_s() - m->busy_s, atx_now_s());
    trace_queues(c);
    atx_search_run_decide(c, a);
}

/* Of one device, which may be gone afterwards. */
static at_status take_of(atx_search_run *c, size_t device_slot, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    bool got = true;
    while (status == AT_OK && got && c->devices.device_slots[device_slot].device) {
        atx_measured m;
        at_error why = { 0 };
        status = atx_device_pump(c->devices.device_slots[device_slot].device, &m, &got, &why);
        *progressed |= got;
        if (status != AT_OK)
            return atx_search_run_lose(c, device_slot, status, &why, err);
        if (got && atx_search_run_is_calibration(&m))
            atx_search_run_calibrated(c, device_slot, &m);
        else if (got)
            take_one(c, device_slot, &m);
    }
    return AT_OK;
}

static at_status take_measured(atx_search_run *c, bool *progressed, at_error *err)
{
    for (size_t i = 0; i < c->devices.device_slot_count; i++)
        ATX_TRY(take_of(c, i, progressed, err));
    return AT_OK;
}

/* Stores what is decided and not yet stored, up to FLUSH_ROWS, in one transaction; *wrote says how many more.
 */
static at_status flush_of(atx_search_run *c, size_t device_slot, size_t *wrote, at_error *err)
{
    atx_trial_row rows[FLUSH_ROWS];
    atx_candidate *from[FLUSH_ROWS];
    size_t count = 0;

    for (size_t i = c->candidates.unstored; i < c->candidates.candidate_count && count < FLUSH_ROWS; i++) {
        atx_candidate *a = c->candidates.candidates[i];
        if (a->decided && !a->stored && a->device_slot == (int)device_slot) {
            from[count] = a;
            rows[count++] = atx_search_run_row(a);
        }
    }
    if (!count)
        return AT_OK;
    double start = atx_now_s();
    at_status status = atx_store_put_trials(c->env->store, c->devices.device_slots[device_slot].run_id,
                                            &c->key, &c->env->fingerprint, rows, count, err);
    atx_trace_span(c->env->options->trace, (atx_trace_row){ ATX_TRACK_STORE, atx_env_trace_id(c->env), 0 },
                   "store trials", "", start, atx_now_s());
    for (size_t i = 0; i < count && status == AT_OK; i++)
        from[i]->stored = true;
    while (c->candidates.unstored < c->candidates.candidate_count &&
           c->candidates.candidates[c->candidates.unstored]->stored)
        c->candidates.unstored++;
    *wrote += status == AT_OK ? count : 0;
    return status;
}

/* Of each device, as its own run. */
static at_status flush(atx_search_run *c, size_t *wrote, at_error *err)
{
    at_status status = AT_OK;
    *wrote = 0;
    for (size_t i = 0; i < c->devices.device_slot_count && status == AT_OK; i++)
        status = flush_of(c, i, wrote, err);
    c->account.flushed_s = atx_now_s();
    return status;
}

/* Trials in all: those proposed, and as many more as the strategy expects. */
static void expect_trials(atx_progress *p, const atx_search_run *c)
{
    const struct atx_search_run_proposals *r = &c->proposals;
    const int64_t proposed = (int64_t)c->candidates.candidate_count;
    const int64_t left = r->exhausted                 ? 0
                         : r->strategy->expected_left ? r->strategy->expected_left(r->strategy_state)
                                                      : r->search.max_trials - proposed;
    p->total = proposed + left < r->search.max_trials ? proposed + left : r->search.max_trials;
    p->total_is_estimate = !r->exhausted && r->strategy->expected_left;
}

static void report_progress(atx_search_run *c)
{
    double now = atx_now_s();
    atx_progress p = c->account.progress; /* which has the time before this search run */
    char best[256] = "";

    if (now - c->account.reported_s < REPORT_S)
        return;
    c->account.reported_s = now;
    p.done = c->account.tally.decided;
    expect_trials(&p, c);
    p.failed = c->account.tally.failed;
    p.helping = atx_search_run_ready_device_slots(c) - 1;
    p.elapsed_s += now - c->account.run_s;
    p.left_s = c->account.tally.decided ? p.elapsed_s / (double)c->account.tally.decided *
                                              (double)(p.total - c->account.tally.decided)
                                        : -1;
    if (c->account.tally.best) {
        snprintf(best, sizeof best, "%s %s", c->account.tally.best->t->name, c->account.tally.best->text);
        p.best_s = c->account.tally.best->m.timing.median_s;
        p.best_share = c->account.ceiling_s / p.best_s;
    }
    p.best = best;
    c->env->events->progress(c->env->events->context, &p);
}

static void wait_for_something(atx_search_run *c)
{
    struct pollfd fds[ATX_POOL_ALSO] = { atx_device_fd(c->env->device) };
    int count = 1;
    if (c->devices.help_request)
        fds[count++] = atx_helper_pool_fd(c->devices.help_request);
    for (size_t i = 1; i < c->devices.device_slot_count && count < ATX_POOL_ALSO; i++)
        if (c->devices.device_slots[i].device)
            fds[count++] = atx_device_fd(c->devices.device_slots[i].device);
    atx_pool_wait_all(c->env->builder.pool, fds, count, 50);
}

/* All is proposed: compilers are free, while the last candidates are compiled and measured. */
static void lend_compilers(const atx_search_run *c)
{
    if (c->proposals.exhausted && !c->candidates.again_count && !c->account.tally.interrupted &&
        !c->is_copy && c->env->spare)
        c->env->spare(c->env->spare_context);
}

/* A kernel may take a minute to compile. Other searches wait for those that this one has claimed. */
static void drop_compilations(atx_search_run *c)
{
    atx_pool_drop_of(c->env->builder.pool, c->owner);
    for (size_t i = 0; i < c->candidates.candidate_count; i++)
        atx_build_give_back(&c->candidates.candidates[i]->build);
}

static bool finished(const atx_search_run *c)
{
    bool nothing_more = c->proposals.exhausted || c->account.tally.interrupted;
    bool waiting = (c->candidates.ready_count || c->candidates.again_count) && !c->account.tally.interrupted;
    return nothing_more && !waiting && compiling(c) == 0 && atx_search_run_queued(c) == 0;
}

at_status atx_search_run_run(atx_search_run *c, const atx_progress *shown, double ceiling_s, at_error *err)
{
    at_status status = AT_OK;
    at_error later = { 0 };
    size_t wrote = 0;
    c->account.progress = *shown;
    c->account.run_s = atx_now_s();
    c->account.ceiling_s = ceiling_s;
    while (status == AT_OK && !finished(c)) {
        bool progressed = false;
        status = propose_ahead(c, err);
        if (c->account.tally.interrupted && compiling(c))
            drop_compilations(c);
        ATX_THEN(status, take_compiled(c, err));
        ATX_THEN(status, atx_search_run_admit(c, &progressed, err));
        ATX_THEN(status, feed_devices(c, &progressed, err));
        ATX_THEN(status, take_measured(c, &progressed, err));
        if (status == AT_OK && atx_now_s() - c->account.flushed_s > FLUSH_S)
            status = flush(c, &wrote, err);
        report_progress(c);
        if (status == AT_OK && !finished(c))
            lend_compilers(c);
        if (status == AT_OK && !progressed && !finished(c))
            wait_for_something(c);
    }
    if (status == AT_ERR_CANCELLED) { /* while the device started again */
        c->account.tally.interrupted = true;
        status = AT_OK;
    }
    atx_search_run_dismiss(c);
    /* Whatever ended the run, what was measured is kept. */
    at_status kept = AT_OK;
    do {
        kept = flush(c, &wrote, status == AT_OK ? err : &later);
    } while (kept == AT_OK && wrote);
    return status != AT_OK ? status : kept;
}

static const char *log_of(const atx_candidate *a)
{
    return a->build.log.len && !a->build.ok ? atx_str_text(&a->build.log) : a->m.log;
}

const atx_candidate *atx_search_run_failure(const atx_search_run *c)
{
    for (size_t i = 0; i < c->candidates.candidate_count; i++) {
        const atx_candidate *a = c->candidates.candidates[i];
        if (a->decided && (a->m.outcome != ATX_TIMED || !isfinite(a->score)) && log_of(a)[0])
            return a;
    }
    return NULL;
}

void atx_search_run_add_failure(atx_str *out, const atx_search_run *c)
{
    const atx_candidate *a = atx_search_run_failure(c);
    if (a)
        atx_str_addf(out, "; %s %s, for one: %s: %.*s", a->t->name, a->text, atx_outcome_name(a->m.outcome),
                     (int)strcspn(log_of(a), "\n"), log_of(a));
}
