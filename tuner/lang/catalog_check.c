/*
 * catalog_check.c - checks the names that an op uses before they are declared: the op that it is compared
 * with, the parameters of its templates that metrics read, and the templates that one replaces.
 */
#include "lang/catalog_internal.h"

#include <string.h>

at_status atx_check_ceiling(const atx_catalog *c, const atx_op *op, at_error *err)
{
    if (!op->goal.ceiling_op[0])
        return AT_OK;
    const atx_op *goal = NULL;
    ATX_TRY(atx_catalog_get_op(&goal, c, op->goal.ceiling_op, err));
    if (!goal)
        return atx_fail(err, AT_ERR_INPUT, "%s: found ceiling '%s'; expected the name of an op",
                        op->text.file, op->goal.ceiling_op);
    int missing = goal->shape.dim_count - op->goal.ceiling_dim_count;
    if (missing < 0 || (missing > 0 && !goal->shape.dims[missing - 1].optional))
        return atx_fail(err, AT_ERR_INPUT, "%s: found %d sizes for ceiling '%s'; expected %d", op->text.file,
                        op->goal.ceiling_dim_count, goal->name, goal->shape.dim_count);
    return AT_OK;
}

static bool has_param(const atx_template *t, const char *name)
{
    return atx_param_find(t, name, strlen(name)) >= 0;
}

at_status atx_check_metrics(const atx_catalog *c, const atx_op *op, at_error *err)
{
    int count = atx_catalog_template_count(c, op);
    ATX_TRY(op->goal.metric_param_count ? atx_catalog_read(c, op, err) : AT_OK);
    for (int i = 0; i < op->goal.metric_param_count && count; i++) {
        const atx_metric_param *p = &op->goal.metric_params[i];
        int k = 0;
        while (k < count && !has_param(atx_catalog_template(c, op, k), p->name))
            k++;
        if (k == count)
            return atx_fail_at(err, p->where,
                               "found param.%s; expected a parameter that a template of '%s' has", p->name,
                               op->name);
    }
    return AT_OK;
}

at_status atx_catalog_trusted(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                              const atx_op *op, at_error *err)
{
    const atx_where w = op->expected.trusted_where;
    at_error cause = { 0 };
    *t = atx_catalog_find_template(catalog, op, op->expected.trusted);
    if (!*t)
        return atx_fail_at(err, w, "found '%s'; expected a template of the operation %s",
                           op->expected.trusted, op->name);
    memcpy(config->values, (*t)->scope.defaults, sizeof config->values);
    if (atx_config_change(config, *t, op->expected.trusted_config, &cause) != AT_OK)
        return atx_fail_at(err, w, "%s", cause.text);
    return AT_OK;
}

at_status atx_check_replaces(const atx_catalog *c, const atx_op *op, at_error *err)
{
    const size_t of = atx_catalog_op_index(c, op);
    for (size_t i = 0; i < c->template_count; i++) {
        const atx_template *t = c->templates[i].of == of ? atomic_load(&c->templates[i].t) : NULL;
        for (int k = 0; t && k < t->replace_count; k++)
            if (atx_catalog_index(c, op, t->replaces[k]) == c->template_count)
                return atx_fail(err, AT_ERR_INPUT,
                                "%s: found replaces '%s'; expected the name of a template of '%s'",
                                t->text.file, t->replaces[k], op->name);
    }
    return AT_OK;
}
