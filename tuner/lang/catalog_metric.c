/* catalog_metric.c - an op is read before its templates, so this waits for all of them. */
#include "lang/catalog_metric.h"

#include <string.h>

static bool has_param(const atx_template *t, const char *name)
{
    return atx_param_find(t, name, strlen(name)) >= 0;
}

at_status atx_check_metrics(const atx_catalog *c, const atx_op *op, at_error *err)
{
    int count = atx_catalog_template_count(c, op);
    at_status status = op->goal.metric_param_count ? atx_catalog_read(c, op, err) : AT_OK;
    if (status != AT_OK)
        return status;
    for (int i = 0; i < op->goal.metric_param_count && count; i++) {
        const atx_metric_param *p = &op->goal.metric_params[i];
        int k = 0;
        while (k < count && !has_param(atx_catalog_template(c, op, k), p->name))
            k++;
        if (k == count)
            return atx_fail(err, AT_ERR_INPUT,
                            "%s:%d:%d: found param.%s; expected a parameter that a template of '%s' has",
                            p->where.file, p->where.line, p->where.column, p->name, op->name);
    }
    return AT_OK;
}
