/*
 * search_run_open.c - a search run before its first trial: the problem bound, the spaces, the trials of
 * earlier runs, the strategy and its first proposals: the configurations that a model expects to win, and the
 * winners of other problems.
 *
 * Trials of the same problem, fingerprint, template and configuration are not measured again unless the user
 * forces it: they are sorted by template hash and configuration, and found by binary search.
 */
#include "tune/search_run_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    return strcmp(((const atx_known_trial *)a)->key, ((const atx_known_trial *)b)->key);
}

static char *known_key(const char *hash, const char *config)
{
    atx_str key = { 0 };
    atx_str_addf(&key, "%s %s", hash, config);
    if (key.failed)
        atx_str_clear(&key);
    return key.data;
}

/* A row that is no valid measurement (a file from elsewhere may hold anything) is measured again. */
static bool remember(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    atx_search_run *c = context;
    (void)fingerprint;
    if (atx_trial_check(row, NULL) != AT_OK)
        return true;
    if (!atx_grow(&c->known, &c->known_cap, c->known_count, sizeof *c->known))
        return false;
    char *key = known_key(row->template_hash, row->config);
    if (!key)
        return false;
    c->known[c->known_count++] = (atx_known_trial){
        .key = key, .outcome = row->outcome, .timing = row->timing, .resources = row->resources
    };
    return true;
}

static at_status read_known(atx_search_run *c, at_error *err)
{
    if (c->env->options->force && !c->is_copy && !c->aim.front)
        return AT_OK;
    at_status status = atx_store_each_trial(c->env->store, &c->key, &c->env->fingerprint, remember, c, err);
    if (status == AT_OK && c->known_count)
        qsort(c->known, c->known_count, sizeof *c->known, by_key);
    return status;
}

const atx_known_trial *atx_search_run_find_known(const atx_search_run *c, const atx_candidate *a)
{
    atx_known_trial probe = { .key = known_key(a->t->text.hash, a->text) };
    const atx_known_trial *k = probe.key && c->known_count
                                   ? bsearch(&probe, c->known, c->known_count, sizeof *c->known, by_key)
                                   : NULL;
    free(probe.key);
    return k;
}

/* A space of so few is tried altogether unless a strategy is asked for. With a limit, the same command
 * tries the same ones again. */
#define EXHAUSTIVE_LIMIT 40
/* Of a problem of a population: more problems teach more than more trials of each. Without a model the first
 * trials are not among the best yet. */
#define TRIALS_OF_FIRST 20
#define TRIALS_OF_MANY  12
/* A search ends by itself when finding something better by twice this share of the time is unlikely. */
#define WORTH 0.005

static int64_t most_trials(const atx_search_run *c)
{
    const atx_tune_options *o = c->env->options;
    if (o->max_trials > 0)
        return o->max_trials;
    if (o->max_trials != ATX_TRIALS_OF_POPULATION)
        return c->proposals.search.total;
    return c->proposals.expected ? TRIALS_OF_MANY : TRIALS_OF_FIRST;
}

static void choose_strategy(atx_search_run *c)
{
    const atx_tune_options *o = c->env->options;
    const atx_pool *pool = c->env->builder.pool;
    const int64_t total = c->proposals.search.total;
    int64_t limit = most_trials(c);
    if (c->is_copy) {
        c->proposals.strategy = &atx_strategy_exhaustive;
        limit = total;
    } else if (o->strategy) {
        c->proposals.strategy = o->strategy;
    } else {
        const bool all = total <= EXHAUSTIVE_LIMIT && (!o->population || total <= limit);
        c->proposals.strategy = all ? &atx_strategy_exhaustive : &atx_strategy_model;
    }
    c->proposals.search.max_trials = limit < c->proposals.search.total ? limit : c->proposals.search.total;
    c->account.tally.limit = c->proposals.search.max_trials;
    c->proposals.search.seed = c->env->seed;
    c->proposals.search.slots = c->slots;
    c->proposals.search.ahead = pool ? atx_pool_workers(pool) : 1;
    c->proposals.search.worth = WORTH;
}

#define LEAST_ELSEWHERE 16 /* trials of another problem that a search begins with; fewer tell little */

/* ---- beginning with what is expected to win, and what won elsewhere ---- */

static void add_hints(atx_search_run *c, const atx_hint *hints, int count)
{
    for (int i = 0; i < count; i++) {
        int64_t index = atx_search_find(&c->proposals.search, hints[i].t, &hints[i].config);
        if (index >= 0)
            c->proposals.hints[c->proposals.search.hint_count++] = index;
    }
}

/*
 * Trials of the first winner's problem that has enough of them, if the time is searched for: an objective may
 * be of another scale there. Not where a model of many problems expects something: it knows more than the
 * trials of one.
 */
static at_status find_elsewhere(atx_search_run *c, atx_lookup *lookup, const atx_hint *hints, int count,
                                at_error *err)
{
    atx_search *search = &c->proposals.search;
    at_status status = AT_OK;
    const bool is_time = !c->aim.front && !c->problem.op->goal.objective;
    ATX_FREED atx_elsewhere_trial *trials = malloc(ATX_MAX_ELSEWHERE * sizeof *trials);
    if (!trials)
        return atx_no_memory(err);
    search->elsewhere = c->proposals.elsewhere;
    for (int i = 0; i < count && status == AT_OK && is_time; i++) {
        int found = 0, kept = 0;
        status = atx_lookup_trials(trials, &found, ATX_MAX_ELSEWHERE, lookup, &hints[i], err);
        for (int k = 0; k < found; k++) {
            int64_t index = atx_search_find(search, trials[k].t, &trials[k].config);
            if (index >= 0)
                c->proposals.elsewhere[kept++] = (atx_elsewhere){ index, trials[k].seconds };
        }
        search->elsewhere_count = kept;
        if (kept >= LEAST_ELSEWHERE)
            break;
        search->elsewhere_count = 0;
    }
    return status;
}

void atx_search_run_hint(atx_search_run *c, const atx_template *t, const atx_config *config)
{
    const int64_t index = atx_search_find(&c->proposals.search, t, config);
    if (index >= 0 && c->proposals.strategy->hint)
        c->proposals.strategy->hint(c->proposals.strategy_state, index);
}

static at_status find_hints(atx_search_run *c, at_error *err)
{
    atx_env *s = c->env;
    const atx_device_info *info = atx_device_info_of(s->device);
    atx_lookup *lookup = NULL;
    atx_hint hints[ATX_MAX_WON];
    int count = 0, expected = 0;
    atx_target target = { .cc = info->limits.cc, .sms = info->limits.sms, .full = true };
    snprintf(target.name, sizeof target.name, "%s", info->name);
    at_status status = atx_lookup_open(&lookup, s->store, s->catalog, err);
    if (status == AT_OK && !atx_env_is_replay(s)) /* a recording knows its own past only */
        atx_lookup_add_shipped(lookup);
    ATX_THEN(status,
             atx_lookup_expected(hints, &expected, ATX_MAX_EXPECTED, lookup, &c->problem, &target, err));
    c->proposals.expected = status == AT_OK ? expected : 0;
    add_hints(c, hints, c->proposals.expected);
    if (status == AT_OK) {
        status = atx_lookup_hints(hints, &count, ATX_MAX_WON, lookup, &c->problem, &target, err);
        add_hints(c, hints, status == AT_OK ? count : 0);
    }
    if (status == AT_OK && !expected)
        status = find_elsewhere(c, lookup, hints, count, err);
    c->proposals.search.hints = c->proposals.hints;
    atx_lookup_close(lookup);
    return status;
}

static at_status open_search_run(atx_search_run *c, at_error *err)
{
    at_status status = atx_problem_key_of(&c->key, &c->shape, &c->problem, err);
    ATX_THEN(status,
             atx_problem_bind(c->slots, &c->problem, &atx_device_info_of(c->env->device)->limits, err));
    ATX_THEN(status, atx_search_run_open_spaces(c, err));
    ATX_THEN(status, read_known(c, err));
    if (status == AT_OK && !c->is_copy)
        status = find_hints(c, err);
    if (status != AT_OK)
        return status;
    choose_strategy(c);
    return c->proposals.strategy->open(&c->proposals.strategy_state, &c->proposals.search, err);
}

at_status atx_search_run_open(atx_search_run **out, atx_env *env, const atx_problem *problem, bool is_copy,
                              const atx_aim *aim, at_error *err)
{
    *out = NULL;
    atx_search_run *c = calloc(1, sizeof *c);
    if (!c)
        return atx_no_memory(err);
    c->env = env;
    c->owner = ++env->builder.owners;
    c->problem = *problem;
    c->is_copy = is_copy;
    c->aim = aim ? *aim : (atx_aim){ .front = NULL };
    at_status status = atx_search_run_device_slot_own(c, err);
    ATX_THEN(status, open_search_run(c, err));
    if (status == AT_OK)
        *out = c;
    else
        atx_search_run_close(c);
    return status;
}

static void candidate_close(atx_candidate *a, atx_builder *builder)
{
    if (!a)
        return;
    atx_build_drop(&a->build, builder);
    free(a->identity);
    free(a);
}

void atx_search_run_close(atx_search_run *c)
{
    if (!c)
        return;
    if (c->env->builder.pool && atx_pool_busy_of(c->env->builder.pool, c->owner)) /* its setup failed */
        atx_pool_drop_of(c->env->builder.pool, c->owner);
    if (c->proposals.strategy_state)
        c->proposals.strategy->close(c->proposals.strategy_state);
    for (size_t i = 0; i < c->candidates.candidate_count; i++)
        candidate_close(c->candidates.candidates[i], &c->env->builder);
    for (size_t i = 0; i < c->known_count; i++)
        free(c->known[i].key);
    for (int i = 0; i < c->proposals.space_count; i++)
        atx_space_close(c->proposals.spaces[i]);
    free(c->devices.device_slots);
    free(c->candidates.candidates);
    free(c->known);
    free(c->proposals.spaces);
    free(c->candidates.ready);
    free(c->candidates.again);
    atx_str_clear(&c->shape);
    free(c);
}

/* The candidate, owned by the search run; NULL when out of memory. */
atx_candidate *atx_search_run_add(atx_search_run *c, const atx_space *space, int64_t index, int64_t local)
{
    atx_str text = { 0 };
    size_t begin;
    atx_candidate *a = calloc(1, sizeof *a);
    if (!a || !atx_grow(&c->candidates.candidates, &c->candidates.candidate_cap,
                        c->candidates.candidate_count, sizeof *c->candidates.candidates)) {
        free(a);
        return NULL;
    }
    c->candidates.candidates[c->candidates.candidate_count++] = a;
    a->t = atx_space_template(space);
    a->index = index;
    atx_space_config(&a->config, space, local);
    atx_str_addf(&text, "%s %s %s %s ", c->key.op, c->key.shape, c->key.type_key, a->t->name);
    begin = text.len;
    atx_config_text(&text, a->t, &a->config);
    if (text.failed)
        atx_str_clear(&text);
    a->identity = text.data;
    a->text = text.data ? text.data + begin : NULL;
    return a->text ? a : NULL;
}

const atx_search_run_count *atx_search_run_tally(const atx_search_run *c)
{
    return &c->account.tally;
}

const atx_problem *atx_search_run_problem(const atx_search_run *c)
{
    return &c->problem;
}

const atx_problem_key *atx_search_run_key(const atx_search_run *c)
{
    return &c->key;
}

const int64_t *atx_search_run_slots(const atx_search_run *c)
{
    return c->slots;
}

const char *atx_search_run_strategy(const atx_search_run *c)
{
    return c->proposals.strategy->name;
}

bool atx_search_run_is_copy(const atx_search_run *c)
{
    return c->is_copy;
}
