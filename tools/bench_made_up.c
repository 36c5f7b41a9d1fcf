/* bench_made_up.c - see bench_made_up.h. */
#include "bench_made_up.h"

#include "util/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double at__fraction(int64_t index, uint64_t salt)
{
    at__rng rng = { .state = (uint64_t)index * 0x9e3779b97f4a7c15u + salt };
    return (double)(at__rng_next(&rng) >> 11) * 0x1p-53;
}

enum { SHAPED = 3000 };

/* Where a parameter's value lies between its least and its largest, 0 to 1, on a logarithmic scale. */
typedef struct shape {
    double low[AT__MAX_PARAMS], high[AT__MAX_PARAMS];
} shape;

static double scale(int64_t value)
{
    return log(fabs((double)value) + 1);
}

static shape shape_of(const at__space *space, int64_t total, int params)
{
    shape f;
    at__config config;
    for (int64_t i = 0; i < SHAPED; i++) {
        at__space_config(&config, space, (int64_t)(at__fraction(i, 2) * (double)total));
        for (int k = 0; k < params; k++) {
            double x = scale(config.values[k]);
            f.low[k] = i ? fmin(f.low[k], x) : x;
            f.high[k] = i ? fmax(f.high[k], x) : x;
        }
    }
    return f;
}

/*
 * A valley with its bottom somewhere, in which neighbouring parameters depend on each other, some pairs of
 * values being good or bad by chance, with 8 % of roughness; a few pairs do not run at all.
 */
static at__finding make_up(const at__config *config, const shape *f, int params, int64_t index)
{
    double cost = 0, x[AT__MAX_PARAMS];
    bool fails = false;
    for (int k = 0; k < params; k++) {
        double range = f->high[k] - f->low[k];
        int64_t before = k ? config->values[k - 1] : 0;
        x[k] = range > 0 ? (scale(config->values[k]) - f->low[k]) / range - at__fraction(k, 3) : 0;
        cost += (0.1 + 0.7 * at__fraction(k, 4)) * x[k] * x[k];
        if (range > 0 && k > 0)
            cost += 0.35 * at__fraction(1000 * config->values[k] + before, 5 + (uint64_t)k);
        fails |= range > 0 && at__fraction(1000 * config->values[k] + before, 50 + (uint64_t)k) < 0.005;
    }
    double rough = 1 + 0.08 * (at__fraction(index, 100) + at__fraction(index, 101) - 1);
    return (at__finding){ .outcome = fails ? AT__LAUNCH_FAILED : AT__TIMED,
                          .seconds = fails ? 0 : 200e-6 * exp(0.4 * cost) * rough,
                          .resources = AT__RESOURCES_UNKNOWN };
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fill(at__bench_space *s, const at__template *t)
{
    at__config config;
    shape f = shape_of(s->spaces[0], s->search.total, t->param_count);
    for (int64_t i = 0; i < s->search.total; i++) {
        at__space_config(&config, s->spaces[0], i);
        s->findings[i] = make_up(&config, &f, t->param_count, i);
        if (s->findings[i].outcome == AT__TIMED)
            s->sorted_s[s->sorted_count++] = s->findings[i].seconds;
    }
    qsort(s->sorted_s, (size_t)s->sorted_count, sizeof *s->sorted_s, ascending);
}

at_status at__made_up_open(at__bench_space *s, at__catalog **catalog, const char *dir, const char *name,
                           at_error *err)
{
    const int64_t size = 1;
    at__limits limits = { 0 };
    at_status status = at__catalog_open(catalog, dir, err);
    const at__op *op = status == AT_OK ? at__catalog_find_op(*catalog, "spaces") : NULL;
    const at__template *t = op ? at__catalog_find_template(*catalog, op, name) : NULL;
    if (status == AT_OK && !t)
        return at_fail(err, AT_ERR_USAGE, "no space is called %s; --templates tests/data/spaces has some",
                       name);
    if (status == AT_OK)
        status = at__problem_init(&s->problem, op, AT__F32, &size, 1, err);
    if (status == AT_OK)
        status = at__problem_bind(s->slots, &s->problem, &limits, err);
    s->spaces = calloc(1, sizeof(at__space *));
    if (status == AT_OK && s->spaces)
        status = at__space_open(&s->spaces[0], t, s->slots, NULL, 0, err);
    if (status != AT_OK)
        return status;
    s->search.spaces = s->spaces;
    s->search.space_count = 1;
    at__search_count(&s->search);
    s->findings = calloc((size_t)s->search.total + 1, sizeof *s->findings);
    s->sorted_s = calloc((size_t)s->search.total + 1, sizeof *s->sorted_s);
    if (!s->findings || !s->sorted_s)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    fill(s, t);
    printf("%s: %lld configurations, %lld of them right, %.0f us to %.0f us\n\n", name,
           (long long)s->search.total, (long long)s->sorted_count, 1e6 * s->sorted_s[0],
           1e6 * s->sorted_s[s->sorted_count - 1]);
    return AT_OK;
}

void at__made_up_close(at__bench_space *s, at__catalog *catalog)
{
    at__space_close(s->spaces ? s->spaces[0] : NULL);
    free(s->spaces);
    free(s->findings);
    free(s->sorted_s);
    at__catalog_close(catalog);
}
