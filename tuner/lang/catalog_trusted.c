/* catalog_trusted.c - templates are read after their op, so what it trusts of them is looked for when it is
 * wanted. */
#include "lang/catalog.h"

#include <string.h>

at_status atx_catalog_trusted(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                              const atx_op *op, at_error *err)
{
    const atx_where w = op->expected.trusted_where;
    at_error cause = { 0 };
    *t = atx_catalog_find_template(catalog, op, op->expected.trusted);
    if (!*t)
        return atx_fail(err, AT_ERR_INPUT, "%s:%d:%d: found '%s'; expected a template of the operation %s",
                        w.file, w.line, w.column, op->expected.trusted, op->name);
    memcpy(config->values, (*t)->scope.defaults, sizeof config->values);
    if (atx_config_change(config, *t, op->expected.trusted_config, &cause) != AT_OK)
        return atx_fail(err, AT_ERR_INPUT, "%s:%d:%d: %s", w.file, w.line, w.column, cause.text);
    return AT_OK;
}
