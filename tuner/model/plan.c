/*
 * plan.c - a template's lets and requirements in another order.
 *
 * Invariant: a let comes after those that it reads, a requirement after the lets that it reads; each is there
 * once. All must be evaluated, and all requirements hold, in any order: so the result is the same.
 */
#include "model/plan.h"

#include <stdlib.h>

typedef struct planning {
    atx_plan *out;
    bool varies[ATX_MAX_SLOTS]; /* with the parameters */
    bool placed[ATX_MAX_SLOTS]; /* lets that are there already */
} planning;

static void add_let(planning *p, const atx_let *let)
{
    if (!p->placed[let->slot])
        p->out->steps[p->out->count++] = (atx_plan_step){ let->expr, let->slot };
    p->placed[let->slot] = true;
}

/* What varies, and what does not: first. */
static void place_constant(planning *p)
{
    const atx_template *t = p->out->t;
    for (int i = 0; i < t->scope.param_count; i++)
        p->varies[t->scope.params[i].slot] = true;
    for (size_t i = 0; i < t->scope.let_count; i++) {
        p->varies[t->scope.lets[i].slot] = atx_expr_reads_any(t->scope.lets[i].expr, p->varies);
        if (!p->varies[t->scope.lets[i].slot])
            add_let(p, &t->scope.lets[i]);
    }
    for (size_t i = 0; i < t->scope.require_count; i++)
        if (!atx_expr_reads_any(t->scope.requires[i].expr, p->varies))
            p->out->steps[p->out->count++] = (atx_plan_step){ t->scope.requires[i].expr, -1 };
    p->out->once = p->out->count;
}

/* A requirement behind the lets that it needs: lets read only what is above them. */
static void place_varying(planning *p, const atx_require *require)
{
    const atx_template *t = p->out->t;
    bool needs[ATX_MAX_SLOTS] = { false };
    atx_expr_mark_reads(needs, require->expr);
    for (size_t i = t->scope.let_count; i-- > 0;)
        if (needs[t->scope.lets[i].slot])
            atx_expr_mark_reads(needs, t->scope.lets[i].expr);
    for (size_t i = 0; i < t->scope.let_count; i++)
        if (needs[t->scope.lets[i].slot])
            add_let(p, &t->scope.lets[i]);
    p->out->steps[p->out->count++] = (atx_plan_step){ require->expr, -1 };
}

at_status atx_plan_make(atx_plan *out, const atx_template *t, at_error *err)
{
    planning p = { .out = out };
    *out =
        (atx_plan){ .t = t,
                    .steps = malloc((t->scope.let_count + t->scope.require_count + 1) * sizeof *out->steps) };
    if (!out->steps)
        return atx_no_memory(err);
    place_constant(&p);
    for (size_t i = 0; i < t->scope.require_count; i++)
        if (atx_expr_reads_any(t->scope.requires[i].expr, p.varies))
            place_varying(&p, &t->scope.requires[i]);
    for (size_t i = 0; i < t->scope.let_count; i++)
        add_let(&p, &t->scope.lets[i]);
    return AT_OK;
}

void atx_plan_clear(atx_plan *plan)
{
    free(plan->steps);
    plan->steps = NULL;
}

static bool take_steps(const atx_plan *plan, int first, int end, int64_t *slots)
{
    int64_t value = 0;
    for (int i = first; i < end; i++) {
        const atx_plan_step *s = &plan->steps[i];
        if (atx_expr_eval(&value, s->expr, slots, NULL) != AT_OK || (s->slot < 0 && !value))
            return false;
        if (s->slot >= 0)
            slots[s->slot] = value;
    }
    return true;
}

bool atx_plan_begin(const atx_plan *plan, int64_t *slots)
{
    for (int i = 0; i < plan->t->scope.param_count; i++) {
        const atx_param *param = &plan->t->scope.params[i];
        for (int k = 0; param->labels && k < param->count; k++)
            slots[param->label_slot + k] = param->values[k];
    }
    return take_steps(plan, 0, plan->once, slots);
}

bool atx_plan_allows(const atx_plan *plan, int64_t *slots, const atx_config *config)
{
    for (int i = 0; i < plan->t->scope.param_count; i++)
        slots[plan->t->scope.params[i].slot] = config->values[i];
    return take_steps(plan, plan->once, plan->count, slots);
}
