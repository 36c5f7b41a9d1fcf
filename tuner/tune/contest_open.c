/*
 * contest_open.c - a contest before its first trial: the problem bound, the spaces, what earlier runs know,
 * the strategy and what it begins with: what a model expects to win, and the winners of other problems.
 *
 * Trials of the same problem, fingerprint, template and configuration are not measured again unless the
 * user forces it: they are kept in order of template hash and configuration, and found by halving.
 */
#include "tune/contest_parts.h"

#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    return strcmp(((const at__known_trial *)a)->key, ((const at__known_trial *)b)->key);
}

static char *known_key(const char *hash, const char *config)
{
    at__str key = { 0 };
    at__str_addf(&key, "%s %s", hash, config);
    if (key.failed)
        at__str_clear(&key);
    return key.data;
}

/* What is no measurement (a file that somebody else filled may hold anything) is measured anew. */
static bool remember(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    at__contest *c = context;
    (void)fingerprint;
    if (at__trial_check(row, NULL) != AT_OK)
        return true;
    if (!at__grow(&c->known, &c->known_cap, c->known_count, sizeof *c->known))
        return false;
    char *key = known_key(row->template_hash, row->config);
    if (!key)
        return false;
    c->known[c->known_count++] = (at__known_trial){
        .key = key, .outcome = row->outcome, .timing = row->timing, .resources = row->resources
    };
    return true;
}

static at_status read_known(at__contest *c, at_error *err)
{
    if (c->env->options->force && !c->is_copy)
        return AT_OK;
    at_status status = at__store_each_trial(c->env->store, &c->key, &c->env->fingerprint, remember, c, err);
    if (status == AT_OK && c->known_count)
        qsort(c->known, c->known_count, sizeof *c->known, by_key);
    return status;
}

const at__known_trial *at__contest_find_known(const at__contest *c, const at__candidate *a)
{
    at__known_trial probe = { .key = known_key(a->t->hash, a->text) };
    const at__known_trial *k = probe.key && c->known_count
                                   ? bsearch(&probe, c->known, c->known_count, sizeof *c->known, by_key)
                                   : NULL;
    free(probe.key);
    return k;
}

/* A space of so few is tried altogether unless a strategy is asked for. */
#define EXHAUSTIVE_LIMIT 40
/* A search that ends by itself does so when this share of the time is not expected to be gained. */
#define WORTH 0.005

static void choose_strategy(at__contest *c)
{
    const at__tune_options *o = c->env->options;
    const at__pool *pool = c->env->builder.pool;
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
    c->tally.limit = c->search.max_trials;
    c->search.seed = c->env->seed;
    c->search.slots = c->slots;
    c->search.ahead = pool ? at__pool_workers(pool) : 1;
    c->search.worth = WORTH;
}

/* ---- beginning with what is expected to win, and what won elsewhere ---- */

static void add_hints(at__contest *c, const at__hint *hints, int count)
{
    for (int i = 0; i < count; i++) {
        int64_t index = at__search_find(&c->search, hints[i].t, &hints[i].config);
        if (index >= 0)
            c->hints[c->search.hint_count++] = index;
    }
}

static at_status find_hints(at__contest *c, at_error *err)
{
    at__env *s = c->env;
    const at__device_info *info = at__device_info_of(s->device);
    at__lookup *lookup = NULL;
    at__hint hints[AT__MAX_WON];
    int count = 0;
    at__target target = { .cc = info->limits.cc, .sms = info->limits.sms, .full = true };
    snprintf(target.name, sizeof target.name, "%s", info->name);
    at_status status = at__lookup_open(&lookup, s->store, s->catalog, err);
    if (status == AT_OK && !at__env_is_replay(s)) { /* a recording knows its own past only */
        at__lookup_add_shipped(lookup);
        status = at__lookup_expected(hints, &count, AT__MAX_EXPECTED, lookup, &c->problem, &target, err);
        add_hints(c, hints, count);
    }
    if (status == AT_OK) {
        status = at__lookup_hints(hints, &count, AT__MAX_WON, lookup, &c->problem, &target, err);
        add_hints(c, hints, status == AT_OK ? count : 0);
    }
    c->search.hints = c->hints;
    at__lookup_close(lookup);
    return status;
}

static at_status open_contest(at__contest *c, at_error *err)
{
    at_status status = at__problem_key_of(&c->key, &c->shape, &c->problem, err);
    if (status == AT_OK)
        status = at__problem_bind(c->slots, &c->problem, &at__device_info_of(c->env->device)->limits, err);
    if (status == AT_OK)
        status = at__contest_open_spaces(c, err);
    if (status == AT_OK)
        status = read_known(c, err);
    if (status == AT_OK && !c->is_copy)
        status = find_hints(c, err);
    if (status != AT_OK)
        return status;
    choose_strategy(c);
    return c->strategy->open(&c->strategy_state, &c->search, err);
}

at_status at__contest_open(at__contest **out, at__env *env, const at__problem *problem, bool is_copy,
                           at_error *err)
{
    *out = NULL;
    at__contest *c = calloc(1, sizeof *c);
    if (!c)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    c->env = env;
    c->owner = ++env->builder.owners;
    c->problem = *problem;
    c->is_copy = is_copy;
    c->tally.started_s = at__now_s();
    at_status status = at__contest_seat_own(c, err);
    if (status == AT_OK)
        status = open_contest(c, err);
    if (status == AT_OK)
        *out = c;
    else
        at__contest_close(c);
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
    if (!c)
        return;
    if (c->env->builder.pool && at__pool_busy_of(c->env->builder.pool, c->owner)) /* its setup failed */
        at__pool_drop_of(c->env->builder.pool, c->owner);
    if (c->strategy_state)
        c->strategy->close(c->strategy_state);
    for (size_t i = 0; i < c->candidate_count; i++)
        candidate_close(c->candidates[i]);
    for (size_t i = 0; i < c->known_count; i++)
        free(c->known[i].key);
    for (int i = 0; i < c->space_count; i++)
        at__space_close(c->spaces[i]);
    free(c->seats);
    free(c->candidates);
    free(c->known);
    free(c->spaces);
    free(c->ready);
    free(c->again);
    at__str_clear(&c->shape);
    free(c);
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

const at__contest_count *at__contest_tally(const at__contest *c)
{
    return &c->tally;
}

const at__problem *at__contest_problem(const at__contest *c)
{
    return &c->problem;
}

const at__problem_key *at__contest_key(const at__contest *c)
{
    return &c->key;
}

const int64_t *at__contest_slots(const at__contest *c)
{
    return c->slots;
}

const char *at__contest_strategy(const at__contest *c)
{
    return c->strategy->name;
}

bool at__contest_is_copy(const at__contest *c)
{
    return c->is_copy;
}
