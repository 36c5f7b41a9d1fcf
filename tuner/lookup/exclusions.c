/* exclusions.c - a list: there are few. */
#include "lookup/exclusions.h"

#include <stdlib.h>
#include <string.h>

typedef struct exclusion {
    atx_problem problem;
    int64_t cc;
    const atx_template *t;
    atx_config config;
    bool tried; /* it did not compile, or load; else it is not valid */
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

static at_status add(atx_exclusions *x, const exclusion *e, at_error *err)
{
    if (!atx_grow(&x->list, &x->cap, x->count, sizeof *x->list))
        return atx_no_memory(err);
    x->list[x->count++] = *e;
    return AT_OK;
}

at_status atx_exclude(atx_exclusions *x, const atx_problem *problem, int64_t cc, const atx_template *t,
                      const atx_config *config, const at_error *why, at_error *err)
{
    return add(x, &(exclusion){ *problem, cc, t, *config, true, *why }, err);
}

at_status atx_exclude_invalid(atx_exclusions *x, const atx_problem *problem, int64_t cc,
                              const atx_template *t, const atx_config *config, at_error *err)
{
    exclusion e = { *problem, cc, t, *config, false, { 0 } };
    atx_fail(&e.why, AT_ERR_INPUT, "%s is not valid on this device", t->name);
    return add(x, &e, err);
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
            (is_same(&x->list[i], t, config) ||
             (x->list[i].tried && ++of_template >= ATX_EXCLUDED_OF_TEMPLATE)))
            return &x->list[i].why;
    return NULL;
}

size_t atx_exclusions_count(const atx_exclusions *x)
{
    return x ? x->count : 0;
}

atx_excluded_count atx_exclusions_of(at_error *first, const atx_exclusions *x, const atx_problem *problem,
                                     int64_t cc)
{
    atx_excluded_count count = { 0 };
    for (size_t i = 0; x && i < x->count; i++) {
        if (!is_of(&x->list[i], problem, cc))
            continue;
        if (count.tried + count.invalid == 0)
            *first = x->list[i].why;
        count.tried += x->list[i].tried;
        count.invalid += !x->list[i].tried;
    }
    return count;
}
