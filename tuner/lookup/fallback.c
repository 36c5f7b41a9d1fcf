/*
 * fallback.c - a configuration that is valid, for a problem of which nothing was measured.
 *
 * Two passes over the op's templates, those with most choices first: the first whose declared defaults are
 * valid, else the first valid configuration of the first that has one. The order depends on nothing but the
 * templates, so that every machine falls back to the same.
 */
#include "lookup/fallback.h"

#include "space/space.h"

#include <stdlib.h>
#include <string.h>

bool at__config_is_valid(int64_t *slots, const at__template *t, const at__config *config)
{
    return at__config_validate(slots, t, config, NULL) == AT_OK;
}

static double choices(const at__template *t)
{
    double count = 1;
    for (int i = 0; i < t->param_count; i++)
        count *= t->params[i].count;
    return count;
}

/* More choices first, then by name: the order of the files must not matter. */
static int by_choices(const void *a, const void *b)
{
    const at__template *x = *(const at__template *const *)a, *y = *(const at__template *const *)b;
    double more = choices(y) - choices(x);
    return more > 0 ? 1 : more < 0 ? -1 : strcmp(x->name, y->name);
}

static bool take_defaults(at__config *config, const at__template *t, const int64_t *slots)
{
    int64_t bound[AT__MAX_SLOTS] = { 0 };
    memcpy(bound, slots, (size_t)t->op->symbols.count * sizeof *bound);
    memcpy(config->values, t->defaults, sizeof config->values);
    return at__config_is_valid(bound, t, config);
}

/* *found stays where the filter has nothing against it. */
static at_status ask_filter(bool *found, const at__fallback_filter *filter, const at__template *t,
                            const at__config *config, at_error *err)
{
    at_status status = *found && filter ? filter->check(filter->context, t, config, err) : AT_OK;
    *found = *found && status == AT_OK;
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

/* The template's first valid configuration; why there is none is added to `refusals`. */
static at_status take_first(bool *found, at__config *config, const at__template *t, const int64_t *slots,
                            at__str *refusals, at_error *err)
{
    at__space *space = NULL;
    at_error cause = { 0 };
    const char *why = cause.text;

    at_status status = at__space_open(&space, t, slots, NULL, 0, &cause);
    if (status == AT_ERR_MEMORY) /* says nothing of the template */
        return at_fail(err, status, "%s", cause.text);
    *found = status == AT_OK && at__space_count(space) > 0;
    if (*found)
        at__space_config(config, space, 0);
    else if (status == AT_OK)
        why = at__space_refusal(space);
    if (!*found)
        at__str_addf(refusals, "; %s: %s", t->name, why ? why : "no configuration");
    at__space_close(space);
    return at__str_status(refusals, err);
}

/* Templates in the order in which they are asked. */
typedef struct asked {
    const at__template **all;
    int count;
    const at__fallback_filter *filter;
} asked;

static at_status choose(const at__template **t, at__config *config, const asked *a, const int64_t *slots,
                        at_error *err)
{
    const at__template **all = a->all;
    at__str refusals = { 0 };
    at__config c = { { 0 } };
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
        if (status == AT_OK)
            status = ask_filter(&found, a->filter, all[k], &c, err);
        i = k;
    }
    if (status == AT_OK && !found) {
        status = at_fail(err, AT_ERR_NOT_FOUND, "no template has a valid configuration%s",
                         at__str_text(&refusals));
    } else if (status == AT_OK) {
        *t = all[i];
        *config = c;
    }
    at__str_clear(&refusals);
    return status;
}

at_status at__fallback(const at__template **t, at__config *config, const at__catalog *catalog,
                       const at__op *op, const int64_t *slots, const at__fallback_filter *filter,
                       at_error *err)
{
    at_status status = at__catalog_read(catalog, op, err);
    if (status != AT_OK)
        return status;
    int count = at__catalog_template_count(catalog, op);
    const at__template **all = calloc((size_t)count + 1, sizeof *all);
    if (!all)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < count; i++)
        all[i] = at__catalog_template(catalog, op, i);
    qsort(all, (size_t)count, sizeof *all, by_choices);
    status = choose(t, config, &(asked){ all, count, filter }, slots, err);
    free(all);
    return status;
}
