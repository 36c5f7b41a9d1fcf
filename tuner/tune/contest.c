/* contest.c - see contest.h. */
#include "tune/contest.h"

#include "lookup/lookup.h"

#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compiled kernels that wait for the device, at most: enough that it never waits for a slow compile. */
#define READY_LIMIT 64
/* Rows are written at least this often, so that a kill loses less than a second. */
#define FLUSH_S    0.5
#define FLUSH_ROWS 256
#define REPORT_S   0.05
/* A loser's cubin is dropped; near the top it may be needed for the final. */
#define KEEP_WITHIN 1.10

struct known_trial {
    char *key; /* template hash, blank, configuration */
    at__outcome outcome;
    at__timing timing;
    at__resources resources;
};

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct known_trial *)a)->key, ((const struct known_trial *)b)->key);
}

static char *known_key(const char *hash, const char *config)
{
    at__str key = { 0 };
    at__str_addf(&key, "%s %s", hash, config);
    if (key.failed)
        at__str_clear(&key);
    return key.data;
}

static bool remember(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    at__contest *c = context;
    (void)fingerprint;
    if (!at__grow(&c->known, &c->known_cap, c->known_count, sizeof *c->known))
        return false;
    char *key = known_key(row->template_hash, row->config);
    if (!key)
        return false;
    c->known[c->known_count++] = (struct known_trial){
        .key = key, .outcome = row->outcome, .timing = row->timing, .resources = row->resources
    };
    return true;
}

static at_status read_known(at__contest *c, at_error *err)
{
    if (c->session->options->force && !c->is_copy)
        return AT_OK;
    at_status status =
        at__store_each_trial(c->session->store, &c->key, &c->session->fingerprint, remember, c, err);
    if (status == AT_OK && c->known_count)
        qsort(c->known, c->known_count, sizeof *c->known, by_key);
    return status;
}

/* A space of so few is tried altogether unless a strategy is asked for. */
#define EXHAUSTIVE_LIMIT 40
/* A search that ends by itself does so when this share of the time is not expected to be gained. */
#define WORTH 0.005

static void choose_strategy(at__contest *c)
{
    const at__tune_options *o = c->session->options;
    const at__pool *pool = c->session->builder.pool;
    int64_t limit = o->max_trials > 0 ? o->max_trials : c->search.total;
    if (c->is_copy) {
        c->strategy = &at__strategy_exhaustive;
        limit = c->search.total;
    } else if (o->strategy) {
        c->strategy = o->strategy;
    } else {
        c->strategy = c->search.total > EXHAUSTIVE_LIMIT ? &at__strategy_model : &at__strategy_exhaustive;
    }
    c->search.max_trials = limit < c->search.total ? limit : c->search.total;
    c->search.seed = c->session->seed;
    c->search.slots = c->slots;
    c->search.ahead = pool ? at__pool_workers(pool) : 1;
    c->search.worth = WORTH;
}

/* ---- beginning with what won elsewhere ---- */

/* The index of a configuration in the whole search, -1: it is not there. */
static int64_t find_index(const at__contest *c, const at__template *t, const at__config *config)
{
    int64_t offset = 0;
    for (int i = 0; i < c->space_count; i++) {
        int64_t count = at__space_count(c->spaces[i]);
        if (count > c->search.total - offset)
            break; /* beyond what a number can say: total is saturated */
        int64_t index = at__space_template(c->spaces[i]) == t ? at__space_find(c->spaces[i], config) : -1;
        if (index >= 0)
            return offset + index;
        offset += count;
    }
    return -1;
}

static at_status find_hints(at__contest *c, at_error *err)
{
    at__session *s = c->session;
    const at__device_info *info = at__device_info_of(s->device);
    at__lookup *lookup = NULL;
    at__hint hints[AT__MAX_HINTS];
    int count = 0;
    at__target target = { .cc = info->limits.cc, .sms = info->limits.sms };
    snprintf(target.name, sizeof target.name, "%s", info->name);
    at_status status = at__lookup_open(&lookup, s->store, s->catalog, err);
    if (status == AT_OK)
        status = at__lookup_hints(hints, &count, AT__MAX_HINTS, lookup, &c->problem, &target, err);
    for (int i = 0; i < count && status == AT_OK; i++) {
        int64_t index = find_index(c, hints[i].t, &hints[i].config);
        if (index >= 0)
            c->hints[c->search.hint_count++] = index;
    }
    c->search.hints = c->hints;
    at__lookup_close(lookup);
    return status;
}

at_status at__contest_open(at__contest *out, at__session *session, const at__problem *problem, bool is_copy,
                           at_error *err)
{
    *out = (at__contest){
        .session = session, .problem = *problem, .is_copy = is_copy, .started_s = at__now_s()
    };
    at_status status = at__problem_key_of(&out->key, &out->shape, &out->problem, err);
    if (status == AT_OK)
        status =
            at__problem_bind(out->slots, &out->problem, &at__device_info_of(session->device)->limits, err);
    if (status == AT_OK)
        status = at__contest_open_spaces(out, err);
    if (status == AT_OK)
        status = read_known(out, err);
    if (status == AT_OK && !is_copy)
        status = find_hints(out, err);
    if (status == AT_OK) {
        choose_strategy(out);
        status = out->strategy->open(&out->strategy_state, &out->search, err);
    }
    return status;
}

static void candidate_close(at__candidate *a)
{
    if (!a)
        return;
    at__build_clear(&a->build);
    free(a->identity);
    free(a);
}

void at__contest_close(at__contest *c)
{
    if (c->strategy_state)
        c->strategy->close(c->strategy_state);
    for (size_t i = 0; i < c->candidate_count; i++)
        candidate_close(c->candidates[i]);
    for (size_t i = 0; i < c->known_count; i++)
        free(c->known[i].key);
    for (int i = 0; i < c->space_count; i++)
        at__space_close(c->spaces[i]);
    free(c->candidates);
    free(c->known);
    free(c->spaces);
    free(c->ready);
    at__str_clear(&c->shape);
    *c = (at__contest){ 0 };
}

/* The space and the index in it that a strategy's number means. */
static const at__space *locate(const at__contest *c, int64_t *index)
{
    for (int i = 0; i < c->space_count; i++) {
        int64_t count = at__space_count(c->spaces[i]);
        if (*index < count)
            return c->spaces[i];
        *index -= count;
    }
    return NULL;
}

/* The candidate, owned by the contest; NULL when out of memory. */
at__candidate *at__contest_add(at__contest *c, const at__space *space, int64_t index, int64_t local)
{
    at__str text = { 0 };
    size_t begin;
    at__candidate *a = calloc(1, sizeof *a);
    if (!a || !at__grow(&c->candidates, &c->candidate_cap, c->candidate_count, sizeof *c->candidates)) {
        free(a);
        return NULL;
    }
    c->candidates[c->candidate_count++] = a;
    a->t = at__space_template(space);
    a->index = index;
    at__space_config(&a->config, space, local);
    at__str_addf(&text, "%s %s %s %s ", c->key.op, c->key.shape, c->key.type_key, a->t->name);
    begin = text.len;
    at__config_text(&text, a->t, &a->config);
    if (text.failed)
        at__str_clear(&text);
    a->identity = text.data;
    a->text = text.data ? text.data + begin : NULL;
    return a->text ? a : NULL;
}

/* An outcome is known: count it, tell the strategy, remember the best. */
static void decide(at__contest *c, at__candidate *a)
{
    bool timed = a->m.outcome == AT__TIMED;
    a->decided = true;
    c->decided++;
    c->failed += !timed;
    c->outcomes[a->m.outcome]++;
    c->busy_s += a->m.busy_s;
    c->saved_s += a->m.saved_s;
    at__finding finding = { .outcome = a->m.outcome,
                            .seconds = a->m.timing.median_s,
                            .resources = a->m.resources };
    c->strategy->report(c->strategy_state, a->index, &finding);
    if (timed && (!c->best || a->m.timing.median_s < c->best->m.timing.median_s))
        c->best = a;
    if (!timed || a->m.timing.median_s > KEEP_WITHIN * c->best->m.timing.median_s) {
        at__str_clear(&a->build.cubin);
        a->build.done = false;
    }
    at__str_clear(&a->build.source);
}

static bool use_known(at__contest *c, at__candidate *a)
{
    struct known_trial probe = { .key = known_key(a->t->hash, a->text) };
    const struct known_trial *k = probe.key && c->known_count
                                      ? bsearch(&probe, c->known, c->known_count, sizeof *c->known, by_key)
                                      : NULL;
    free(probe.key);
    if (!k)
        return false;
    a->m = (at__measured){ .outcome = k->outcome, .timing = k->timing, .resources = k->resources };
    a->known = a->stored = true;
    c->taken_from_store++;
    decide(c, a);
    return true;
}

static at_status make_ready(at__contest *c, size_t tag, at_error *err)
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

/* A candidate that was put off is ready at once: it is compiled. False: this is none. */
static bool resume(at__contest *c, int64_t index, at_status *status, at_error *err)
{
    for (size_t i = 0; i < c->candidate_count && c->deferred; i++)
        if (c->candidates[i]->deferred && c->candidates[i]->index == index) {
            c->candidates[i]->deferred = false;
            c->deferred--;
            *status = make_ready(c, i, err);
            return true;
        }
    return false;
}

static at_status propose_one(at__contest *c, at_error *err)
{
    at__builder *builder = &c->session->builder;
    int64_t index = c->strategy->propose(c->strategy_state), local = index;
    at_status status = AT_OK;

    c->waiting = index == AT__NOT_YET;
    if (c->waiting && c->decided + c->deferred == (int64_t)c->candidate_count)
        return at_fail(err, AT_ERR_USAGE, "strategy %s waits for nothing", c->strategy->name);
    if (index < 0) {
        c->exhausted = !c->waiting;
        c->settled = index == AT__WORTHLESS;
        return AT_OK;
    }
    if (resume(c, index, &status, err))
        return status;
    const at__space *space = locate(c, &local);
    if (!space)
        return at_fail(err, AT_ERR_USAGE, "strategy %s proposed configuration %lld of %lld",
                       c->strategy->name, (long long)index, (long long)c->search.total);
    at__candidate *a = at__contest_add(c, space, index, local);
    if (!a)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (use_known(c, a))
        return AT_OK;
    size_t tag = c->candidate_count - 1;
    status = at__build_start(&a->build, builder, a->t, c->problem.type, &a->config, c->slots, err);
    if (status == AT_OK && a->build.done)
        return make_ready(c, tag, err);
    if (status == AT_OK)
        status = at__pool_submit(builder->pool, (int64_t)tag, at__str_text(&a->build.source), a->t->file,
                                 builder->cc, AT__CUBIN, err);
    return status;
}

static bool should_end(at__contest *c)
{
    const at__session *s = c->session;
    if (at__cancel_asked(&s->cancel) || (s->budget_until_s > 0 && at__now_s() > s->budget_until_s))
        c->interrupted = true;
    return c->interrupted;
}

/* Compilations under way. Without a pool there are none: nothing is compiled for a replay. */
static int compiling(const at__contest *c)
{
    return c->session->builder.pool ? at__pool_busy(c->session->builder.pool) : 0;
}

static bool has_room(const at__contest *c)
{
    return c->ready_count < READY_LIMIT &&
           (!c->session->builder.pool || at__pool_has_room(c->session->builder.pool));
}

static at_status propose_ahead(at__contest *c, at_error *err)
{
    at_status status = AT_OK;
    /* Asked also when all is proposed: what waits for the device is left out then. */
    bool more = !c->exhausted || c->ready_count || compiling(c);
    bool cancel = more && should_end(c);
    c->waiting = false;
    while (status == AT_OK && !c->exhausted && !c->waiting && !cancel && has_room(c)) {
        status = propose_one(c, err);
        cancel = should_end(c);
    }
    return status;
}

/* Replays count below zero; processes of a trace from 0. */
static int trace_id(const at__contest *c)
{
    int ordinal = at__device_info_of(c->session->device)->ordinal;
    return ordinal < 0 ? 0 : ordinal;
}

static void trace_queues(const at__contest *c)
{
    at__trace *trace = c->session->options->trace;
    at__trace_count(trace, trace_id(c), "compiled, waiting for the device",
                    (int64_t)c->ready_count + at__device_queued(c->session->device));
}

static at_status take_compiled(at__contest *c, at_error *err)
{
    at__compiled done = { 0 };
    if (!c->session->builder.pool)
        return AT_OK;
    at_status status = at__pool_pump(c->session->builder.pool, err);
    while (status == AT_OK && at__pool_take(c->session->builder.pool, &done)) {
        size_t tag = (size_t)done.tag;
        at__candidate *a = c->candidates[tag];
        at__trace_span(c->session->options->trace, AT__TRACK_COMPILER, trace_id(c), done.worker, a->t->name,
                       a->text, done.started_s, done.ended_s);
        at__build_finish(&a->build, &c->session->builder, &done);
        at__compiled_clear(&done);
        if (status == AT_OK && a->build.ok && !c->interrupted) {
            status = make_ready(c, tag, err);
        } else if (status == AT_OK && !a->build.ok) {
            a->m = (at__measured){ .outcome = AT__COMPILE_FAILED, .resources = AT__RESOURCES_UNKNOWN };
            decide(c, a);
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
        status = at__kernel_bind(out, &a->build, a->t->kernel, &a->t->launch, c->problem.op, slots, err);
    if (status == AT_OK)
        out->identity = a->identity;
    return status;
}

static at__resources resources_of(const at__contest *c, const at__candidate *a, const at__kernel *kernel)
{
    at__resources r = a->build.resources;
    if (!c->session->builder.nvrtc)
        return at__device_recorded_resources(c->session->device, a->identity);
    if (r.registers < 0)
        return AT__RESOURCES_UNKNOWN;
    r.shared_bytes += kernel->geometry.shared_bytes;
    return r;
}

/* Now that it is compiled: is it still wanted? */
static bool wanted(at__contest *c, at__candidate *a, const at__kernel *kernel)
{
    at__resources resources = resources_of(c, a, kernel);
    a->deferred = c->strategy->consider && !c->strategy->consider(c->strategy_state, a->index, &resources);
    c->deferred += a->deferred;
    if (a->deferred) /* it makes room for another, also where the limit was reached */
        c->exhausted = c->settled = false;
    return !a->deferred;
}

static at_status feed_device(at__contest *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    at__device *device = c->session->device;
    if (c->ready_count && c->fed_s <= 0)
        c->fed_s = at__now_s();
    while (status == AT_OK && c->ready_count && at__device_queued(device) < AT__DEVICE_QUEUE &&
           !c->interrupted) {
        size_t tag = c->ready[c->ready_first++];
        at__trial trial = { .tag = (int64_t)tag,
                            .is_copy = c->is_copy,
                            .best_s = c->best ? c->best->m.timing.median_s : 0 };
        c->ready_count--;
        *progressed = true;
        status = at__contest_kernel(&trial.kernel, c, c->candidates[tag], err);
        if (status == AT_OK && wanted(c, c->candidates[tag], &trial.kernel))
            status = at__device_submit(device, &trial, err);
    }
    return status;
}

static at_status take_measured(at__contest *c, bool *progressed, at_error *err)
{
    at_status status = AT_OK;
    bool got = true;
    while (status == AT_OK && got) {
        at__measured m;
        status = at__device_pump(c->session->device, &m, &got, err);
        if (got) {
            at__candidate *a = c->candidates[m.tag];
            a->m = m;
            a->m.resources.stack_bytes = a->build.resources.stack_bytes;
            a->m.resources.spill_bytes = a->build.resources.spill_bytes;
            at__trace_span(c->session->options->trace, AT__TRACK_DEVICE, trace_id(c), 0, a->t->name,
                           a->identity, at__now_s() - m.busy_s, at__now_s());
            trace_queues(c);
            decide(c, a);
            *progressed = true;
        }
    }
    return status;
}

static at__trial_row row_of(const at__candidate *a)
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

/* Stores what is decided and not yet stored, up to FLUSH_ROWS, in one transaction; *wrote says how many. */
static at_status flush(at__contest *c, size_t *wrote, at_error *err)
{
    at__trial_row rows[FLUSH_ROWS];
    at__candidate *from[FLUSH_ROWS];
    size_t count = 0;

    *wrote = 0;
    for (size_t i = c->unstored; i < c->candidate_count && count < FLUSH_ROWS; i++) {
        at__candidate *a = c->candidates[i];
        if (a->decided && !a->stored) {
            from[count] = a;
            rows[count++] = row_of(a);
        }
    }
    c->flushed_s = at__now_s();
    if (!count)
        return AT_OK;
    double start = at__now_s();
    at_status status = at__store_put_trials(c->session->store, c->session->run_id, &c->key,
                                            &c->session->fingerprint, rows, count, err);
    at__trace_span(c->session->options->trace, AT__TRACK_STORE, trace_id(c), 0, "store trials", "", start,
                   at__now_s());
    for (size_t i = 0; i < count && status == AT_OK; i++)
        from[i]->stored = true;
    while (c->unstored < c->candidate_count && c->candidates[c->unstored]->stored)
        c->unstored++;
    *wrote = status == AT_OK ? count : 0;
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
    p.done = c->decided;
    p.total = c->search.max_trials;
    p.failed = c->failed;
    p.elapsed_s = now - c->started_s;
    p.left_s = c->decided ? p.elapsed_s / (double)c->decided * (double)(p.total - c->decided) : -1;
    if (c->best) {
        snprintf(best, sizeof best, "%s %s", c->best->t->name, c->best->text);
        p.best_s = c->best->m.timing.median_s;
        p.best_share = c->ceiling_s / p.best_s;
    }
    p.best = best;
    c->session->events->progress(c->session->events->context, &p);
}

static void wait_for_something(at__contest *c)
{
    struct pollfd fds[129];
    int count = c->session->builder.pool ? at__pool_fds(c->session->builder.pool, fds, 128) : 0;
    fds[count++] = at__device_fd(c->session->device);
    poll(fds, (nfds_t)count, 50);
}

static bool finished(const at__contest *c)
{
    bool nothing_more = c->exhausted || c->interrupted;
    bool waiting = c->ready_count && !c->interrupted;
    return nothing_more && !waiting && compiling(c) == 0 && at__device_queued(c->session->device) == 0;
}

at_status at__contest_run(at__contest *c, at_error *err)
{
    at_status status = AT_OK;
    at_error later = { 0 };
    size_t wrote = 0;
    while (status == AT_OK && !finished(c)) {
        bool progressed = false;
        status = propose_ahead(c, err);
        if (c->interrupted && compiling(c)) /* nobody waits for a kernel that compiles for a minute */
            at__pool_drop(c->session->builder.pool);
        if (status == AT_OK)
            status = take_compiled(c, err);
        if (status == AT_OK)
            status = feed_device(c, &progressed, err);
        if (status == AT_OK)
            status = take_measured(c, &progressed, err);
        if (status == AT_OK && at__now_s() - c->flushed_s > FLUSH_S)
            status = flush(c, &wrote, err);
        report_progress(c);
        if (status == AT_OK && !progressed && !finished(c))
            wait_for_something(c);
    }
    if (status == AT_ERR_CANCELLED) { /* while the device started again */
        c->interrupted = true;
        status = AT_OK;
    }
    /* Whatever ended the run, what was measured is kept. */
    at_status kept = AT_OK;
    do {
        kept = flush(c, &wrote, status == AT_OK ? err : &later);
    } while (kept == AT_OK && wrote);
    return status != AT_OK ? status : kept;
}
