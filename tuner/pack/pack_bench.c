/*
 * pack_bench.c - what the kernels of a pack take on one problem. Each kernel is tried once. Where the problem
 * is tuned, or its winner is taken from the store, that is tried beside them; then the winner and the fastest
 * few are timed again by turns, as when a winner is chosen, and a kernel that was timed both ways gives the
 * scale for the times of those that were tried only once.
 */
#include "pack/pack_bench.h"

#include "pack/pack_internal.h"
#include "tune/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERLEAVED = 7 }; /* kernels of a pack beside the winner */

struct atx_pack_bench {
    const atx_catalog *catalog;
    const atx_tune_options *options;
    atx_device *device;
    atx_session *session;
    atx_tune_events events;
    /* The winner of the problem that was tuned last. */
    bool found;
    char template_name[ATX_MAX_NAME];
    atx_str config;
};

static void ignore_progress(void *context, const atx_progress *progress)
{
    (void)context;
    (void)progress;
}

static void ignore_warning(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static void take_result(void *context, const atx_result *result)
{
    atx_pack_bench *b = context;
    b->found = result->found;
    atx_str_clear(&b->config);
    if (!result->found)
        return;
    snprintf(b->template_name, sizeof b->template_name, "%s", result->answer->winner.template_name);
    atx_str_add(&b->config, result->answer->winner.config);
}

at_status atx_pack_bench_start(atx_pack_bench **out, const atx_catalog *catalog,
                               const atx_tune_options *options, const char *device, int workers,
                               at_error *err)
{
    const atx_cancel cancel = { .flag = options->cancel };
    atx_pack_bench *b = calloc(1, sizeof *b);
    *out = b;
    if (!b)
        return atx_no_memory(err);
    b->catalog = catalog;
    b->options = options;
    b->events = (atx_tune_events){
        .context = b, .progress = ignore_progress, .result = take_result, .warning = ignore_warning
    };
    at_status status = atx_device_start_at(&b->device, NULL, device, -1, &cancel, err);
    const atx_session_plan plan = { .catalog = catalog,
                                    .options = options,
                                    .events = &b->events,
                                    .replay = atx_device_is_replay(device),
                                    .workers = workers };
    return status == AT_OK ? atx_session_begin(&b->session, &plan, err) : status;
}

at_status atx_pack_bench_await(atx_pack_bench *b, at_error *err)
{
    atx_cancel cancel = { .flag = b->options->cancel };
    at_status status = atx_device_await(b->device, &cancel, NULL, NULL, err);
    return status == AT_OK ? atx_session_open(b->session, b->device, err) : status;
}

void atx_pack_bench_close(atx_pack_bench *b)
{
    if (!b)
        return;
    atx_session_close(b->session);
    atx_device_close(b->device);
    atx_str_clear(&b->config);
    free(b);
}

const atx_device_info *atx_pack_bench_device(const atx_pack_bench *b)
{
    return atx_device_info_of(b->device);
}

/* ---- code ---- */

static at_status begin(atx_pack_entry *e, atx_env *env, at_error *err)
{
    at_status status =
        atx_pack_render_kernel(&e->build.source, &e->kernel, &atx_device_info_of(env->device)->limits, err);
    return status == AT_OK ? atx_build_begin(&e->build, &env->builder, e->kernel.t->text.file, err) : status;
}

at_status atx_pack_bench_compile(atx_pack_bench *b, atx_pack_entry *entries, int count, at_error *err)
{
    atx_env *env = atx_session_env(b->session);
    const int ahead = 2 * atx_pool_workers(env->builder.pool);
    at_status status = AT_OK;
    env->cancel = (atx_cancel){ .flag = b->options->cancel };
    for (int i = 0, next = 0; i < count && status == AT_OK; i++) {
        for (; next < count && next < i + ahead && status == AT_OK; next++)
            if (!entries[next].build.source.len)
                status = begin(&entries[next], env, err);
        ATX_THEN(status,
                 atx_build_wait(&entries[i].build, &env->builder, entries[i].kernel.t->text.file, err));
        if (!entries[i].build.ok)
            entries[i].wrong = true;
    }
    return status;
}

/* ---- the problem on the device ---- */

/* A problem with what is timed on it: the winner first. */
typedef struct run {
    atx_pack_bench *b;
    atx_env *env;
    const atx_problem *problem;
    int64_t slots[ATX_MAX_SLOTS];
    const atx_template *t; /* the winner's */
    atx_build build;
    atx_kernel *kernels;
    const atx_pack_entry **entries; /* of each kernel; NULL: the winner */
    int count;
    const atx_pack_entry *known; /* one that was timed before, timed again with what is new; NULL: none was */
    double known_s;              /* what it took then */
    double *seconds;             /* of the trials; below zero: wrong */
    double *settled;             /* of the re-measurement; 0: it was not in it */
} run;

static at_status bind_winner(run *r, at_error *err)
{
    atx_config config;
    int64_t slots[ATX_MAX_SLOTS];
    r->t = atx_catalog_find_template(r->b->catalog, r->problem->op, r->b->template_name);
    if (!r->t)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s", r->b->template_name);
    memcpy(slots, r->slots, sizeof slots);
    at_status status = atx_config_parse(&config, r->t, atx_str_text(&r->b->config), err);
    ATX_THEN(status, atx_config_validate(slots, r->t, &config, err));
    ATX_THEN(status,
             atx_build_start(&r->build, &r->env->builder, r->t, r->problem->type, &config, slots, err));
    ATX_THEN(status, atx_build_wait(&r->build, &r->env->builder, r->t->text.file, err));
    if (status == AT_OK && !r->build.ok)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s", atx_str_text(&r->build.log));
    r->entries[0] = NULL;
    r->count = 1;
    return status == AT_OK ? atx_template_bind(&r->kernels[0], &r->build, r->t, slots, err) : status;
}

/* `slots` become the kernel's. */
static bool is_to_measure(const run *r, const atx_pack_entries *e, int i, int64_t *slots)
{
    atx_geometry unused;
    memcpy(slots, r->slots, sizeof r->slots);
    return (!e->wanted || e->wanted[i]) && !e->items[i].wrong &&
           atx_pack_allows(&unused, &e->items[i].kernel, slots);
}

/* The kernels that are for these sizes. The code is everybody's, and only read. */
static at_status bind_entries(run *r, const atx_pack_entries *e, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < e->count && status == AT_OK; i++) {
        int64_t slots[ATX_MAX_SLOTS];
        atx_build build = e->items[i].build;
        if (!is_to_measure(r, e, i, slots))
            continue;
        status = atx_template_bind(&r->kernels[r->count], &build, e->items[i].kernel.t, slots, err);
        r->entries[r->count++] = &e->items[i];
    }
    return status;
}

static at_status try_all(run *r, at_error *err)
{
    double best_s = 0;
    int next = 0, done = 0;
    at_status status = AT_OK;
    while (done < r->count && status == AT_OK) {
        atx_measured m;
        bool got = false;
        if (atx_cancel_asked(&r->env->cancel)) /* a device that has ended by it answers no more */
            return atx_fail(err, AT_ERR_CANCELLED, "interrupted");
        for (; next < r->count && status == AT_OK && atx_device_queued(r->env->device) < ATX_DEVICE_QUEUE;
             next++)
            status = atx_device_submit(
                r->env->device, &(atx_trial){ .tag = next, .kernel = r->kernels[next], .best_s = best_s },
                err);
        ATX_THEN(status, atx_device_pump(r->env->device, &m, &got, err));
        if (status == AT_OK && got) {
            r->seconds[m.tag] = m.outcome == ATX_TIMED ? m.timing.median_s : -1;
            best_s = m.outcome == ATX_TIMED && (best_s <= 0 || m.timing.median_s < best_s) ? m.timing.median_s
                                                                                           : best_s;
            done++;
        } else if (status == AT_OK) {
            struct pollfd fd = atx_device_fd(r->env->device);
            atx_pool_wait(NULL, &fd, 50);
        }
    }
    return status;
}

/* The winner and the fastest of the others, in `list`; returns how many. */
static int take_fastest(int *list, const run *r)
{
    int count = 1;
    list[0] = 0;
    for (int i = 1; i < r->count; i++) {
        int at = count;
        if (r->seconds[i] <= 0)
            continue;
        for (; at > 1 && r->seconds[list[at - 1]] > r->seconds[i]; at--)
            if (at <= INTERLEAVED)
                list[at] = list[at - 1];
        if (at <= INTERLEAVED)
            list[at] = i;
        count += count <= INTERLEAVED;
    }
    return count;
}

static at_status settle(run *r, at_error *err)
{
    int list[INTERLEAVED + 1];
    const int count = take_fastest(list, r);
    atx_top_candidate tops[INTERLEAVED + 1] = { 0 };
    atx_remeasure_row rows[INTERLEAVED + 1] = { 0 };
    atx_remeasure_notes notes;
    for (int i = 0; i < count; i++)
        tops[i].kernel = r->kernels[list[i]];
    const atx_remeasure_request request = { .list = tops, .count = count, .seed = r->env->seed };
    at_status status = atx_device_remeasure(r->env->device, &request, rows, &notes, err);
    for (int i = 0; i < count && status == AT_OK; i++)
        r->settled[list[i]] = rows[i].outcome == ATX_TIMED ? rows[i].timing.median_s : -1;
    return status;
}

/* What trials say, in the scale of the re-measurement. */
static void scale(run *r)
{
    double factor = 1;
    for (int i = 0, best = -1; i < r->count; i++)
        if (r->settled[i] > 0 && r->seconds[i] > 0 && (best < 0 || r->settled[i] < r->settled[best])) {
            best = i;
            factor = r->settled[i] / r->seconds[i];
        }
    for (int i = 0; i < r->count; i++)
        if (r->seconds[i] > 0)
            r->seconds[i] = r->settled[i] > 0   ? r->settled[i]
                            : r->settled[i] < 0 ? -1
                                                : r->seconds[i] * factor;
}

/* New times beside stored ones, in the scale of these: clocks differ from run to run. */
static void scale_to_known(run *r)
{
    double factor = 1;
    for (int i = 0; i < r->count; i++)
        if (r->known && r->entries[i] == r->known && r->seconds[i] > 0)
            factor = r->known_s / r->seconds[i];
    for (int i = 0; i < r->count; i++)
        if (r->seconds[i] > 0)
            r->seconds[i] *= factor;
}

/* ---- the store ---- */

/* "WIDTH=112 ... general PITCH=0 HALO=32" */
static void add_config(atx_str *out, const atx_pack_kernel *k)
{
    int n = 0;
    atx_config_text(out, k->t, &k->config);
    atx_str_add(out, " general");
    for (size_t i = 0; i < k->t->scope.let_count; i++)
        if (k->t->scope.lets[i].rendered)
            atx_str_addf(out, " %s=%lld", k->t->scope.lets[i].name, (long long)k->consts[n++]);
}

typedef struct general_key {
    atx_problem_key key;
    atx_str shape;
    char op[ATX_MAX_NAME + 16];
} general_key;

static at_status make_key(general_key *out, const atx_problem *problem, at_error *err)
{
    at_status status = atx_problem_key_of(&out->key, &out->shape, problem, err);
    snprintf(out->op, sizeof out->op, "%s general", out->key.op);
    out->key.op = out->op;
    return status;
}

static at_status store_one(run *r, const general_key *key, const atx_template *t, const char *config,
                           const atx_build *build, double seconds, at_error *err)
{
    const bool timed = seconds > 0;
    const atx_trial_row row = {
        .template_name = t->name,
        .template_hash = t->text.hash,
        .config = config,
        .outcome = timed ? ATX_TIMED : ATX_WRONG_RESULT,
        .timing = { .median_s = timed ? seconds : 0, .min_s = timed ? seconds : 0, .samples = timed },
        .resources = build->resources,
        .log = "",
        .source_hash = build->source_hash
    };
    return atx_store_put_trials(r->env->store, r->env->run_id, &key->key, &r->env->fingerprint, &row, 1, err);
}

static at_status store_all(run *r, at_error *err)
{
    general_key key = { .shape = { 0 } };
    at_status status = make_key(&key, r->problem, err);
    for (int i = 0; i < r->count && status == AT_OK; i++) {
        atx_str config = { 0 };
        const atx_pack_entry *e = r->entries[i];
        if (e)
            add_config(&config, &e->kernel);
        else
            atx_str_addf(&config, "%s tuned", atx_str_text(&r->b->config));
        status = atx_str_status(&config, err);
        if (status == AT_OK && r->seconds[i] != 0)
            status = store_one(r, &key, e ? e->kernel.t : r->t, atx_str_text(&config),
                               e ? &e->build : &r->build, r->seconds[i], err);
        atx_str_clear(&config);
    }
    atx_str_clear(&key.shape);
    return status;
}

/* What the store has of the problem. */
typedef struct known {
    const atx_pack_entry *entries;
    const char *const *configs;
    double *tuned_s, *kernel_s;
    int count;
} known;

static bool see_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    known *k = context;
    const size_t len = strlen(row->config);
    const double seconds = row->outcome == ATX_TIMED ? row->timing.median_s : -1;
    (void)fingerprint;
    if (len > 6 && strcmp(row->config + len - 6, " tuned") == 0)
        *k->tuned_s = *k->tuned_s > 0 && *k->tuned_s < seconds ? *k->tuned_s : seconds;
    for (int i = 0; i < k->count; i++)
        if (strcmp(row->template_name, k->entries[i].kernel.t->name) == 0 &&
            strcmp(row->config, k->configs[i]) == 0 &&
            atx_template_has_hash(k->entries[i].kernel.t, row->template_hash))
            k->kernel_s[i] = seconds;
    return true;
}

static at_status read_trials(known *k, run *r, const atx_str *texts, const char **configs, at_error *err)
{
    general_key key = { .shape = { 0 } };
    at_status status = make_key(&key, r->problem, err);
    for (int i = 0; i < k->count && status == AT_OK; i++) {
        configs[i] = atx_str_text(&texts[i]);
        status = atx_str_status(&texts[i], err);
    }
    k->configs = configs;
    ATX_THEN(status, atx_store_each_trial(r->env->store, &key.key, &r->env->fingerprint, see_trial, k, err));
    atx_str_clear(&key.shape);
    return status;
}

static at_status read_known(run *r, double *tuned_s, double *kernel_s, const atx_pack_entry *entries,
                            int count, at_error *err)
{
    known k = { entries, NULL, tuned_s, kernel_s, count };
    atx_str *texts = calloc((size_t)count + 1, sizeof *texts);
    const char **configs = calloc((size_t)count + 1, sizeof *configs);
    if (!texts || !configs) {
        free(texts);
        free(configs);
        return atx_no_memory(err);
    }
    for (int i = 0; i < count; i++)
        add_config(&texts[i], &entries[i].kernel);
    const at_status status = read_trials(&k, r, texts, configs, err);
    for (int i = 0; i < count; i++)
        atx_str_clear(&texts[i]);
    free(texts);
    free(configs);
    return status;
}

/* All of those that are for these sizes. */
static bool knows_all(const run *r, double tuned_s, const double *kernel_s, const atx_pack_entries *e)
{
    bool all = tuned_s > 0 || !e->tune;
    for (int i = 0; i < e->count && all; i++) {
        int64_t slots[ATX_MAX_SLOTS];
        all = kernel_s[i] != 0 || !is_to_measure(r, e, i, slots);
    }
    return all;
}

/* ---- together ---- */

/* A problem that cannot be measured (too large, no winner), or the user's wish to end, is no failure. */
static at_status forgive(const run *r, at_status status, const at_error *cause, at_error *err)
{
    if (status == AT_OK ||
        (status != AT_ERR_STORE && status != AT_ERR_MEMORY && !atx_device_is_lost(r->b->device)))
        return AT_OK;
    return atx_fail(err, status, "%s", cause->text);
}

static at_status measure(run *r, const atx_pack_entries *e, at_error *err)
{
    at_status status = e->tune ? atx_session_tune(r->b->session, r->problem, 0, 1, err) : AT_OK;
    r->env->cancel = (atx_cancel){ .flag = r->b->options->cancel };
    if (status == AT_OK && ((e->tune && !r->b->found) || atx_cancel_asked(&r->env->cancel)))
        return atx_fail(err, AT_ERR_NOT_FOUND, "no winner");
    ATX_THEN(status, atx_setup_problem(r->env, r->problem, r->slots, err));
    if (status == AT_OK && e->tune)
        status = bind_winner(r, err);
    ATX_THEN(status, bind_entries(r, e, err));
    ATX_THEN(status, try_all(r, err));
    if (status == AT_OK && e->tune)
        status = settle(r, err);
    if (status == AT_OK && e->tune)
        scale(r);
    else if (status == AT_OK)
        scale_to_known(r);
    return status;
}

static void free_run(run *r)
{
    free(r->kernels);
    free(r->entries);
    free(r->seconds);
    atx_build_clear(&r->build);
}

/* -1: none is known. */
static int find_fastest(const double *kernel_s, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (kernel_s[i] > 0 && (best < 0 || kernel_s[i] < kernel_s[best]))
            best = i;
    return best;
}

static at_status measure_new(run *r, double *tuned_s, double *kernel_s, const atx_pack_entries *e,
                             at_error *err)
{
    const size_t most = (size_t)e->count + 1;
    r->kernels = calloc(most, sizeof *r->kernels);
    r->entries = calloc(most, sizeof *r->entries);
    r->seconds = calloc(2 * most, sizeof *r->seconds);
    if (!r->kernels || !r->entries || !r->seconds)
        return atx_no_memory(err);
    r->settled = r->seconds + most;
    at_status status = measure(r, e, err);
    ATX_THEN(status, store_all(r, err));
    if (status != AT_OK)
        return status;
    *tuned_s = e->tune ? r->seconds[0] : 0;
    for (int i = e->tune ? 1 : 0; i < r->count; i++)
        kernel_s[r->entries[i] - e->items] = r->seconds[i];
    return AT_OK;
}

int atx_pack_missing(bool *missing, const double *kernel_s, const atx_pack_entries *e)
{
    const int fastest = e->tune ? -1 : find_fastest(kernel_s, e->count);
    for (int i = 0; i < e->count; i++)
        missing[i] = i == fastest || ((e->tune || kernel_s[i] == 0) && (!e->wanted || e->wanted[i]));
    return fastest;
}

static at_status measure_missing(run *r, double *tuned_s, double *kernel_s, const atx_pack_entries *e,
                                 at_error *err)
{
    bool *missing = malloc((size_t)e->count + 1);
    if (!missing)
        return atx_no_memory(err);
    const int fastest = atx_pack_missing(missing, kernel_s, e);
    if (fastest >= 0) {
        r->known = &e->items[fastest];
        r->known_s = kernel_s[fastest];
    }
    if (e->tune) {
        *tuned_s = 0;
        memset(kernel_s, 0, (size_t)e->count * sizeof *kernel_s);
    }
    const atx_pack_entries those = { e->items, missing, e->count, e->tune };
    const at_status status = measure_new(r, tuned_s, kernel_s, &those, err);
    free(missing);
    return status;
}

at_status atx_pack_bench_run(atx_pack_bench *b, double *best_s, double *kernel_s, const atx_problem *problem,
                             const atx_pack_entries *e, at_error *err)
{
    run r = { .b = b, .env = atx_session_env(b->session), .problem = problem };
    at_error cause = { 0 };
    *best_s = 0;
    memset(kernel_s, 0, (size_t)e->count * sizeof *kernel_s);
    at_status status = atx_problem_bind(r.slots, problem, &atx_device_info_of(b->device)->limits, err);
    ATX_THEN(status, read_known(&r, best_s, kernel_s, e->items, e->count, err));
    if (status == AT_OK && !knows_all(&r, *best_s, kernel_s, e)) {
        status = measure_missing(&r, best_s, kernel_s, e, &cause);
        free_run(&r);
        if (status != AT_OK)
            return forgive(&r, status, &cause, err);
    }
    const int fastest = e->tune ? -1 : find_fastest(kernel_s, e->count);
    if (fastest >= 0)
        *best_s = kernel_s[fastest];
    return status;
}
