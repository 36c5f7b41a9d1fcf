/* exclusions.c - a list: there are few. */
#include "lookup/exclusions.h"

#include <stdlib.h>
#include <string.h>

typedef struct exclusion {
    atx_problem problem;
    int64_t cc;
    const atx_template *t;
    atx_config config;
    at_error why;
} exclusion;

struct atx_exclusions {
    exclusion *list;
    size_t count, cap;
};

atx_exclusions *atx_exclusions_open(void)
{
    return calloc(1, sizeof(atx_exclusions));
}

void atx_exclusions_close(atx_exclusions *x)
{
    if (x)
        free(x->list);
    free(x);
}

at_status atx_exclude(atx_exclusions *x, const atx_problem *problem, int64_t cc, const atx_template *t,
                      const atx_config *config, const at_error *why, at_error *err)
{
    if (!atx_grow(&x->list, &x->cap, x->count, sizeof *x->list))
        return atx_no_memory(err);
    x->list[x->count++] = (exclusion){ *problem, cc, t, *config, *why };
    return AT_OK;
}

static bool is_of(const exclusion *e, const atx_problem *p, int64_t cc)
{
    return e->cc == cc && e->problem.op == p->op && e->problem.type == p->type &&
           memcmp(e->problem.dims, p->dims, (size_t)atx_problem_size_count(p->op) * sizeof *p->dims) == 0;
}

static bool is_same(const exclusion *e, const atx_template *t, const atx_config *config)
{
    return e->t == t && memcmp(e->config.values, config->values,
                               (size_t)t->scope.param_count * sizeof *config->values) == 0;
}

const at_error *atx_excluded_itself(const atx_exclusions *x, const atx_problem *problem, int64_t cc,
                                    const atx_template *t, const atx_config *config)
{
    for (size_t i = 0; x && i < x->count; i++)
        if (is_of(&x->list[i], problem, cc) && is_same(&x->list[i], t, config))
            return &x->list[i].why;
    return NULL;
}

const at_error *atx_excluded(const atx_exclusions *x, const atx_problem *problem, int64_t cc,
                             const atx_template *t, const atx_config *config)
{
    int of_template = 0;
    for (size_t i = 0; x && i < x->count; i++)
        if (x->list[i].t == t && is_of(&x->list[i], problem, cc) &&
            (is_same(&x->list[i], t, config) || ++of_template >= ATX_EXCLUDED_OF_TEMPLATE))
            return &x->list[i].why;
    return NULL;
}

size_t atx_exclusions_count(const atx_exclusions *x)
{
    return x ? x->count : 0;
}

int atx_exclusions_of(at_error *first, const atx_exclusions *x, const atx_problem *problem, int64_t cc)
{
    int count = 0;
    for (size_t i = 0; x && i < x->count; i++)
        if (is_of(&x->list[i], problem, cc) && count++ == 0)
            *first = x->list[i].why;
    return count;
}
