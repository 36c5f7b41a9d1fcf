/*
 * contest_space.c - the spaces of a contest: those of the op's templates, as far as the user wants them; on a
 * replay only what was recorded of them. Their order is the catalog's, and with it a strategy's numbering.
 */
#include "tune/contest_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const at__contest *c, const at__template *t)
{
    const at__tune_options *o = c->env->options;
    if (c->is_copy || !o->templates)
        return true;
    for (int i = 0; i < o->template_count; i++)
        if (strcmp(o->templates[i], t->name) == 0)
            return true;
    return false;
}

/* ---- a replay ---- */

/* Recorded configurations of one template. */
typedef struct recorded {
    const at__template *t;
    at__config *configs;
    size_t count, cap;
    bool failed, old;
} recorded;

/* A configuration that the present template does not know is not in the space. */
static void add_recorded(void *context, const char *name, const char *hash, const char *config)
{
    recorded *r = context;
    if (strcmp(name, r->t->name) != 0)
        return;
    if (!at__grow(&r->configs, &r->cap, r->count, sizeof *r->configs))
        r->failed = true;
    else if (at__config_parse(&r->configs[r->count], r->t, config, NULL) == AT_OK)
        r->count++;
    r->old |= !at__template_has_hash(r->t, hash);
}

static void warn_of_old(at__env *env, const char *name)
{
    if (!env->old_templates)
        at__env_warn(env,
                     "the recording was made with another version of template %s (and perhaps of others): "
                     "configurations that both know are replayed, with the recorded times",
                     name);
    env->old_templates = true;
}

static at_status keep_recorded(at__contest *c, at__space *space, at_error *err)
{
    at__env *env = c->env;
    recorded r = { .t = at__space_template(space) };
    at_status status = at__device_recorded(
        env->device, &c->key, env->options->warm || c->problem.op->recorded, add_recorded, &r, err);
    if (status == AT_OK && r.failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        status = at__space_keep(space, r.configs, r.count, err);
    if (status == AT_OK && r.old)
        warn_of_old(env, r.t->name);
    free(r.configs);
    return status;
}

/* ---- all of them ---- */

static at_status open_space(at__contest *c, const at__template *t, at_error *err)
{
    const at__tune_options *o = c->env->options;
    at__space **space = &c->spaces[c->space_count];
    at__env *env = c->env;
    snprintf(env->doing, sizeof env->doing, "counting the configurations of %s", t->name);
    at_status status = at__space_open_until(space, t, c->slots, c->is_copy ? NULL : o->fixes,
                                            c->is_copy ? 0 : o->fix_count, &env->cancel, err);
    env->doing[0] = '\0';
    if (status != AT_OK)
        return status;
    c->space_count++;
    if (at__env_is_replay(c->env))
        status = keep_recorded(c, *space, err);
    return status;
}

at_status at__contest_open_spaces(at__contest *c, at_error *err)
{
    int count = at__catalog_template_count(c->env->catalog, c->problem.op);
    at_status status = AT_OK;

    c->spaces = calloc((size_t)count + 1, sizeof *c->spaces);
    if (!c->spaces)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < count && status == AT_OK; i++) {
        const at__template *t = at__catalog_template(c->env->catalog, c->problem.op, i);
        if (wanted(c, t))
            status = open_space(c, t, err);
    }
    c->search.spaces = c->spaces;
    c->search.space_count = c->space_count;
    at__search_count(&c->search);
    c->tally.total = c->search.total;
    return status;
}

void at__contest_add_refusals(at__str *out, const at__contest *c)
{
    for (int i = 0; i < c->space_count; i++)
        if (at__space_refusal(c->spaces[i]))
            at__str_addf(out, "; %s: %s", at__space_template(c->spaces[i])->name,
                         at__space_refusal(c->spaces[i]));
}
