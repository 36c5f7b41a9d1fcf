/* catalog_trusted.c - templates are read after their op, so what it trusts of them is looked for when it is
 * wanted. */
#include "lang/catalog.h"

#include <string.h>

at_status at__catalog_trusted(const at__template **t, at__config *config, const at__catalog *catalog,
                              const at__op *op, at_error *err)
{
    const at__where w = op->trusted_where;
    at_error cause = { 0 };
    *t = at__catalog_find_template(catalog, op, op->trusted);
    if (!*t)
        return at_fail(err, AT_ERR_INPUT, "%s:%d:%d: found '%s'; expected a template of the operation %s",
                       w.file, w.line, w.column, op->trusted, op->name);
    memcpy(config->values, (*t)->defaults, sizeof config->values);
    if (at__config_change(config, *t, op->trusted_config, &cause) != AT_OK)
        return at_fail(err, AT_ERR_INPUT, "%s:%d:%d: %s", w.file, w.line, w.column, cause.text);
    return AT_OK;
}
