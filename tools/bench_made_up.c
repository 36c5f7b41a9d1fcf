/* bench_made_up.c - see bench_made_up.h. */
#include "bench_made_up.h"

#include "util/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double atx_fraction(int64_t index, uint64_t salt)
{
    atx_rng rng = { .state = (uint64_t)index * 0x9e3779b97f4a7c15u + salt };
    return (double)(atx_rng_next(&rng) >> 11) * 0x1p-53;
}

enum { SHAPED = 3000 };

/* Where a parameter's value lies between its least and its largest, 0 to 1, on a logarithmic scale. */
typedef struct shape {
    double low[ATX_MAX_PARAMS], high[ATX_MAX_PARAMS];
} shape;

static double scale(int64_t value)
{
    return log(fabs((double)value) + 1);
}

static shape shape_of(const atx_space *space, int64_t total, int params)
{
    shape f;
    atx_config config;
    for (int64_t i = 0; i < SHAPED; i++) {
        atx_space_config(&config, space, (int64_t)(atx_fraction(i, 2) * (double)total));
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
static atx_finding make_up(const atx_config *config, const shape *f, int params, int64_t index)
{
    double cost = 0, x[ATX_MAX_PARAMS];
    bool fails = false;
    for (int k = 0; k < params; k++) {
        double range = f->high[k] - f->low[k];
        int64_t before = k ? config->values[k - 1] : 0;
        x[k] = range > 0 ? (scale(config->values[k]) - f->low[k]) / range - atx_fraction(k, 3) : 0;
        cost += (0.1 + 0.7 * atx_fraction(k, 4)) * x[k] * x[k];
        if (range > 0 && k > 0)
            cost += 0.35 * atx_fraction(1000 * config->values[k] + before, 5 + (uint64_t)k);
        fails |= range > 0 && atx_fraction(1000 * config->values[k] + before, 50 + (uint64_t)k) < 0.005;
    }
    double rough = 1 + 0.08 * (atx_fraction(index, 100) + atx_fraction(index, 101) - 1);
    return (atx_finding){ .outcome = fails ? ATX_LAUNCH_FAILED : ATX_TIMED,
                          .seconds = fails ? 0 : 200e-6 * exp(0.4 * cost) * rough,
                          .resources = ATX_RESOURCES_UNKNOWN };
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fill(atx_bench_space *s, const atx_template *t)
{
    atx_config config;
    shape f = shape_of(s->spaces[0], s->search.total, t->scope.param_count);
    for (int64_t i = 0; i < s->search.total; i++) {
        atx_space_config(&config, s->spaces[0], i);
        s->findings[i] = make_up(&config, &f, t->scope.param_count, i);
        if (s->findings[i].outcome == ATX_TIMED)
            s->sorted_s[s->sorted_count++] = s->findings[i].seconds;
    }
    qsort(s->sorted_s, (size_t)s->sorted_count, sizeof *s->sorted_s, ascending);
}

at_status atx_made_up_open(atx_bench_space *s, atx_catalog **catalog, const char *dir, const char *name,
                           at_error *err)
{
    const int64_t size = 1;
    atx_limits limits = { 0 };
    at_status status = atx_catalog_open(catalog, dir, err);
    const atx_op *op = status == AT_OK ? atx_catalog_find_op(*catalog, "spaces") : NULL;
    const atx_template *t = op ? atx_catalog_find_template(*catalog, op, name) : NULL;
    if (status == AT_OK && !t)
        return atx_fail(err, AT_ERR_USAGE, "no space is called %s; --templates tests/data/spaces has some",
                        name);
    if (status == AT_OK)
        status = atx_problem_init(&s->problem, op, ATX_F32, &size, 1, err);
    if (status == AT_OK)
        status = atx_problem_bind(s->slots, &s->problem, &limits, err);
    s->spaces = calloc(1, sizeof(atx_space *));
    if (status == AT_OK && s->spaces)
        status = atx_space_open(&s->spaces[0], t, s->slots, NULL, 0, err);
    if (status != AT_OK)
        return status;
    s->search.spaces = s->spaces;
    s->search.space_count = 1;
    atx_search_count(&s->search);
    s->findings = calloc((size_t)s->search.total + 1, sizeof *s->findings);
    s->sorted_s = calloc((size_t)s->search.total + 1, sizeof *s->sorted_s);
    if (!s->findings || !s->sorted_s)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    fill(s, t);
    printf("%s: %lld configurations, %lld of them right, %.0f us to %.0f us\n\n", name,
           (long long)s->search.total, (long long)s->sorted_count, 1e6 * s->sorted_s[0],
           1e6 * s->sorted_s[s->sorted_count - 1]);
    return AT_OK;
}

void atx_made_up_close(atx_bench_space *s, atx_catalog *catalog)
{
    atx_space_close(s->spaces ? s->spaces[0] : NULL);
    free(s->spaces);
    free(s->findings);
    free(s->sorted_s);
    atx_catalog_close(catalog);
}
