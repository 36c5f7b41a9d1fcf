/*
 * search_run_leaders.c - chooses the candidates for the re-measurement: the best trials, and configurations
 * by name. Kernels of slow candidates were dropped, so one that returns is built again (from the cache,
 * mostly).
 */
#include "tune/search_run_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_score(const void *a, const void *b)
{
    double x = (*(atx_candidate *const *)a)->score, y = (*(atx_candidate *const *)b)->score;
    return (x > y) - (x < y);
}

/* `anew`: by the compiler, whatever the cache has. What it refuses is not ok. */
static at_status build(atx_search_run *c, atx_candidate *a, bool anew, at_error *err)
{
    atx_build_clear(&a->build);
    at_status status =
        atx_build_start(&a->build, &c->env->builder, a->t, c->problem.type, &a->config, c->slots, err);
    if (anew)
        atx_build_distrust(&a->build);
    ATX_THEN(status, atx_build_wait(&a->build, &c->env->builder, a->t->text.file, err));
    return status;
}

/* *ok: it has a kernel. One that has none any more is no candidate. */
static at_status build_again(bool *ok, atx_search_run *c, atx_candidate *a, at_error *err)
{
    at_status status = a->build.done && a->build.ok ? AT_OK : build(c, a, false, err);
    *ok = status == AT_OK && a->build.ok;
    if (status == AT_OK && !a->build.ok)
        status = atx_search_run_invalidate(c, a, ATX_COMPILE_FAILED, atx_str_text(&a->build.log), err);
    return status;
}

at_status atx_search_run_compile_again(bool *again, atx_search_run *c, atx_candidate *a, at_error *err)
{
    if (!a->build.cached)
        return AT_OK;
    at_status status = build(c, a, true, err);
    if (status == AT_OK && !a->build.ok)
        status = atx_fail(err, AT_ERR_DEVICE, "%s %s compiled before and does not now: %s", a->t->name,
                          a->text, atx_str_text(&a->build.log));
    *again |= status == AT_OK;
    return status;
}

at_status atx_search_run_leaders(atx_search_run *c, atx_candidate **out, int *count, int max, double within,
                                 at_error *err)
{
    at_status status = AT_OK;
    size_t timed = 0;
    *count = 0;
    if (!c->account.tally.best)
        return AT_OK;
    atx_candidate **sorted = malloc(c->candidates.candidate_count * sizeof *sorted);
    if (!sorted)
        return atx_no_memory(err);
    for (size_t i = 0; i < c->candidates.candidate_count; i++)
        if (c->candidates.candidates[i]->decided && isfinite(c->candidates.candidates[i]->score))
            sorted[timed++] = c->candidates.candidates[i];
    qsort(sorted, timed, sizeof *sorted, by_score);
    for (size_t i = 0; i < timed && *count < max && status == AT_OK; i++) {
        bool ok = false;
        if (*count && sorted[i]->score > (1.0 + within) * out[0]->score)
            break;
        status = build_again(&ok, c, sorted[i], err);
        if (ok)
            out[(*count)++] = sorted[i];
    }
    free(sorted);
    return status;
}

/* The candidate of this configuration, NULL: not proposed so far. */
static atx_candidate *find_candidate(const atx_search_run *c, const atx_template *t, const char *text)
{
    for (size_t i = 0; i < c->candidates.candidate_count; i++)
        if (c->candidates.candidates[i]->t == t && strcmp(c->candidates.candidates[i]->text, text) == 0)
            return c->candidates.candidates[i];
    return NULL;
}

/* A configuration that nothing is known of, in this run or before, is worth a try. */
static bool is_known_to_fail(const atx_search_run *c, const atx_candidate *a)
{
    const atx_known_trial *k = a->decided ? NULL : atx_search_run_find_known(c, a);
    return a->decided ? !isfinite(a->score) : k && k->outcome != ATX_TIMED;
}

at_status atx_search_run_entrant(atx_candidate **out, atx_search_run *c, const atx_template *t,
                                 const char *text, at_error *err)
{
    atx_config config;
    bool ok = false;
    atx_candidate *a = find_candidate(c, t, text);
    *out = NULL;
    if (!a) {
        int64_t local = 0, index = -1;
        int which = 0;
        if (atx_config_parse(&config, t, text, NULL) == AT_OK)
            index = atx_search_find(&c->proposals.search, t, &config);
        const atx_space *space = atx_search_locate(&c->proposals.search, index, &which, &local);
        if (!space)
            return AT_OK;
        a = atx_search_run_add(c, space, index, local);
        if (!a)
            return atx_no_memory(err);
    }
    if (is_known_to_fail(c, a))
        return AT_OK;
    at_status status = build_again(&ok, c, a, err);
    if (ok)
        *out = a;
    return status;
}
