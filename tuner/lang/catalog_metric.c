/* catalog_metric.c - an op is read before its templates, so this waits for all of them. */
#include "lang/catalog_metric.h"

#include <string.h>

static bool has_param(const at__template *t, const char *name)
{
    return at__param_find(t, name, strlen(name)) >= 0;
}

at_status at__check_metrics(const at__catalog *c, const at__op *op, at_error *err)
{
    int count = at__catalog_template_count(c, op);
    at_status status = op->metric_param_count ? at__catalog_read(c, op, err) : AT_OK;
    if (status != AT_OK)
        return status;
    for (int i = 0; i < op->metric_param_count && count; i++) {
        const at__metric_param *p = &op->metric_params[i];
        int k = 0;
        while (k < count && !has_param(at__catalog_template(c, op, k), p->name))
            k++;
        if (k == count)
            return at_fail(err, AT_ERR_INPUT,
                           "%s:%d:%d: found param.%s; expected a parameter that a template of '%s' has",
                           p->where.file, p->where.line, p->where.column, p->name, op->name);
    }
    return AT_OK;
}
