/*
 * search_run_space.c - the spaces of a search run: those of the op's templates that the user wants; on a
 * replay only the recorded configurations. Their order is the catalog's, and with it a strategy's numbering.
 */
#include "tune/search_run_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is only for packs is searched where the user names it. */
static bool wanted(const atx_search_run *c, const atx_template *t)
{
    const atx_tune_options *o = c->env->options;
    if (c->is_copy || !o->templates)
        return t->replace_count == 0;
    for (int i = 0; i < o->template_count; i++)
        if (strcmp(o->templates[i], t->name) == 0)
            return true;
    return false;
}

/* ---- a replay ---- */

/* Recorded configurations of one template. */
typedef struct recorded {
    const atx_template *t;
    atx_config *configs;
    size_t count, cap;
    bool failed, old;
} recorded;

/* A configuration that the present template does not know is not in the space. */
static void add_recorded(void *context, const char *name, const char *hash, const char *config)
{
    recorded *r = context;
    if (strcmp(name, r->t->name) != 0)
        return;
    if (!atx_grow(&r->configs, &r->cap, r->count, sizeof *r->configs))
        r->failed = true;
    else if (atx_config_parse(&r->configs[r->count], r->t, config, NULL) == AT_OK)
        r->count++;
    r->old |= !atx_template_has_hash(r->t, hash);
}

static void warn_of_old(atx_env *env, const char *name)
{
    if (!env->old_templates)
        atx_env_warn(env,
                     "the recording was made with another version of template %s (and perhaps of others): "
                     "configurations that both know are replayed, with the recorded times",
                     name);
    env->old_templates = true;
}

static at_status keep_recorded(atx_search_run *c, atx_space *space, at_error *err)
{
    atx_env *env = c->env;
    recorded r = { .t = atx_space_template(space) };
    at_status status = atx_device_recorded(
        env->device, &c->key, env->options->warm || c->problem.op->recorded, add_recorded, &r, err);
    if (status == AT_OK && r.failed)
        status = atx_no_memory(err);
    ATX_THEN(status, atx_space_keep(space, r.configs, r.count, err));
    if (status == AT_OK && r.old)
        warn_of_old(env, r.t->name);
    free(r.configs);
    return status;
}

/* ---- all of them ---- */

static at_status open_space(atx_search_run *c, const atx_template *t, at_error *err)
{
    const atx_tune_options *o = c->env->options;
    atx_space **space = &c->proposals.spaces[c->proposals.space_count];
    atx_env *env = c->env;
    snprintf(env->doing, sizeof env->doing, "counting the configurations of %s", t->name);
    at_status status = atx_space_open_until(space, t, c->slots, c->is_copy ? NULL : o->fixes,
                                            c->is_copy ? 0 : o->fix_count, &env->cancel, err);
    env->doing[0] = '\0';
    if (status != AT_OK)
        return status;
    c->proposals.space_count++;
    if (atx_env_is_replay(c->env))
        status = keep_recorded(c, *space, err);
    return status;
}

at_status atx_search_run_open_spaces(atx_search_run *c, at_error *err)
{
    int count = atx_catalog_template_count(c->env->catalog, c->problem.op);
    at_status status = AT_OK;

    c->proposals.spaces = calloc((size_t)count + 1, sizeof *c->proposals.spaces);
    if (!c->proposals.spaces)
        return atx_no_memory(err);
    for (int i = 0; i < count && status == AT_OK; i++) {
        const atx_template *t = atx_catalog_template(c->env->catalog, c->problem.op, i);
        if (wanted(c, t))
            status = open_space(c, t, err);
    }
    c->proposals.search.spaces = c->proposals.spaces;
    c->proposals.search.space_count = c->proposals.space_count;
    atx_search_count(&c->proposals.search);
    c->account.tally.total = c->proposals.search.total;
    return status;
}

void atx_search_run_add_refusals(atx_str *out, const atx_search_run *c)
{
    for (int i = 0; i < c->proposals.space_count; i++)
        if (atx_space_refusal(c->proposals.spaces[i]))
            atx_str_addf(out, "; %s: %s", atx_space_template(c->proposals.spaces[i])->name,
                         atx_space_refusal(c->proposals.spaces[i]));
}
