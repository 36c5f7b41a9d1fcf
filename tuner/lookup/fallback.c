/*
 * fallback.c - a valid configuration for a problem without any measurement.
 *
 * Two passes over the op's templates, those with most choices first: the first whose declared defaults are
 * valid, else the first valid configuration of the first that has one. The order depends only on the
 * templates, so that all machines choose the same.
 */
#include "lookup/fallback.h"

#include "space/space.h"

#include <stdlib.h>
#include <string.h>

bool atx_config_is_valid(int64_t *slots, const atx_template *t, const atx_config *config)
{
    return atx_config_validate(slots, t, config, NULL) == AT_OK;
}

static double choices(const atx_template *t)
{
    double count = 1;
    for (int i = 0; i < t->scope.param_count; i++)
        count *= t->scope.params[i].count;
    return count;
}

/* More choices first, then by name: the order of the files must not matter. */
static int by_choices(const void *a, const void *b)
{
    const atx_template *x = *(const atx_template *const *)a, *y = *(const atx_template *const *)b;
    double more = choices(y) - choices(x);
    return more > 0 ? 1 : more < 0 ? -1 : strcmp(x->name, y->name);
}

static bool take_defaults(atx_config *config, const atx_template *t, const int64_t *slots)
{
    int64_t bound[ATX_MAX_SLOTS] = { 0 };
    memcpy(bound, slots, (size_t)t->op->scope.symbols.count * sizeof *bound);
    memcpy(config->values, t->scope.defaults, sizeof config->values);
    return atx_config_is_valid(bound, t, config);
}

/* *found stays where the filter has nothing against it. */
static at_status ask_filter(bool *found, const atx_fallback_filter *filter, const atx_template *t,
                            const atx_config *config, at_error *err)
{
    at_status status = *found && filter ? filter->check(filter->context, t, config, err) : AT_OK;
    *found = *found && status == AT_OK;
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

/* The template's first valid configuration; why there is none is added to `refusals`. */
static at_status take_first(bool *found, atx_config *config, const atx_template *t, const int64_t *slots,
                            atx_str *refusals, at_error *err)
{
    ATX_CLOSED(atx_space) *space = NULL;
    at_error cause = { 0 };
    const char *why = cause.text;

    at_status status = atx_space_open(&space, t, slots, NULL, 0, &cause);
    if (status == AT_ERR_MEMORY) /* says nothing of the template */
        return atx_fail(err, status, "%s", cause.text);
    *found = status == AT_OK && atx_space_count(space) > 0;
    if (*found)
        atx_space_config(config, space, 0);
    else if (status == AT_OK)
        why = atx_space_refusal(space);
    if (!*found)
        atx_str_addf(refusals, "; %s: %s", t->name, why ? why : "no configuration");
    return atx_str_status(refusals, err);
}

/* Templates in the order in which they are asked. */
typedef struct asked {
    const atx_template **all;
    int count;
    const atx_fallback_filter *filter;
} asked;

static at_status choose(const atx_template **t, atx_config *config, const asked *a, const int64_t *slots,
                        at_error *err)
{
    const atx_template **all = a->all;
    ATX_LOCAL(atx_str) refusals = { 0 };
    atx_config c = { { 0 } };
    at_status status = AT_OK;
    bool found = false;
    int i = -1;
    for (int k = 0; k < a->count && !found && status == AT_OK; k++) {
        found = take_defaults(&c, all[k], slots);
        status = ask_filter(&found, a->filter, all[k], &c, err);
        i = k;
    }
    for (int k = 0; k < a->count && !found && status == AT_OK; k++) {
        status = take_first(&found, &c, all[k], slots, &refusals, err);
        ATX_THEN(status, ask_filter(&found, a->filter, all[k], &c, err));
        i = k;
    }
    if (status == AT_OK && !found) {
        status = atx_fail(err, AT_ERR_NOT_FOUND, "no template has a valid configuration%s",
                          atx_str_text(&refusals));
    } else if (status == AT_OK) {
        *t = all[i];
        *config = c;
    }
    return status;
}

at_status atx_fallback(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                       const atx_op *op, const int64_t *slots, const atx_fallback_filter *filter,
                       at_error *err)
{
    ATX_TRY(atx_catalog_read(catalog, op, err));
    int count = 0;
    const atx_template **all = calloc((size_t)atx_catalog_template_count(catalog, op) + 1, sizeof *all);
    if (!all)
        return atx_no_memory(err);
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++)
        if (!atx_catalog_template(catalog, op, i)->replace_count)
            all[count++] = atx_catalog_template(catalog, op, i);
    qsort(all, (size_t)count, sizeof *all, by_choices);
    at_status status = choose(t, config, &(asked){ all, count, filter }, slots, err);
    free(all);
    return status;
}
