/* exclusions.c - a list: there are few. */
#include "lookup/exclusions.h"

#include <stdlib.h>
#include <string.h>

typedef struct exclusion {
    at__problem problem;
    int64_t cc;
    const at__template *t;
    at__config config;
    at_error why;
} exclusion;

struct at__exclusions {
    exclusion *list;
    size_t count, cap;
};

at__exclusions *at__exclusions_open(void)
{
    return calloc(1, sizeof(at__exclusions));
}

void at__exclusions_close(at__exclusions *x)
{
    if (x)
        free(x->list);
    free(x);
}

at_status at__exclude(at__exclusions *x, const at__problem *problem, int64_t cc, const at__template *t,
                      const at__config *config, const at_error *why, at_error *err)
{
    if (!at__grow(&x->list, &x->cap, x->count, sizeof *x->list))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    x->list[x->count++] = (exclusion){ *problem, cc, t, *config, *why };
    return AT_OK;
}

static bool is_of(const exclusion *e, const at__problem *p, int64_t cc)
{
    return e->cc == cc && e->problem.op == p->op && e->problem.type == p->type &&
           memcmp(e->problem.dims, p->dims, (size_t)at__problem_size_count(p->op) * sizeof *p->dims) == 0;
}

static bool is_same(const exclusion *e, const at__template *t, const at__config *config)
{
    return e->t == t &&
           memcmp(e->config.values, config->values, (size_t)t->param_count * sizeof *config->values) == 0;
}

const at_error *at__excluded_itself(const at__exclusions *x, const at__problem *problem, int64_t cc,
                                    const at__template *t, const at__config *config)
{
    for (size_t i = 0; x && i < x->count; i++)
        if (is_of(&x->list[i], problem, cc) && is_same(&x->list[i], t, config))
            return &x->list[i].why;
    return NULL;
}

const at_error *at__excluded(const at__exclusions *x, const at__problem *problem, int64_t cc,
                             const at__template *t, const at__config *config)
{
    int of_template = 0;
    for (size_t i = 0; x && i < x->count; i++)
        if (x->list[i].t == t && is_of(&x->list[i], problem, cc) &&
            (is_same(&x->list[i], t, config) || ++of_template >= AT__EXCLUDED_OF_TEMPLATE))
            return &x->list[i].why;
    return NULL;
}

size_t at__exclusions_count(const at__exclusions *x)
{
    return x ? x->count : 0;
}

int at__exclusions_of(at_error *first, const at__exclusions *x, const at__problem *problem, int64_t cc)
{
    int count = 0;
    for (size_t i = 0; x && i < x->count; i++)
        if (is_of(&x->list[i], problem, cc) && count++ == 0)
            *first = x->list[i].why;
    return count;
}
