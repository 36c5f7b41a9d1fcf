/*
 * prior_rows.c - a line is a trial: its problem and configuration give what its template declares, its counts
 * of a sample of blocks are scaled to the launch and put in relation to what the operation must move.
 */
#include "prior_rows.h"

#include "lang/arch.h"
#include "lang/shapes.h"
#include "model/traits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CC     90
#define SMS    132
#define EDGES  64
#define FIELDS 29 /* of a line */

/* What a line says, after its four names. */
enum { SECONDS, REGISTERS, SHARED, BLOCKS, OF, WARPS, LANES, TRAFFIC };
enum { LOADS = TRAFFIC, STORES = LOADS + 3, SHARED_LOADS = STORES + 6, SHARED_STORES = SHARED_LOADS + 3 };

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench_prior: %s\n", what);
    exit(1);
}

static int trait_named(bench_table *x, const char *name)
{
    int i = 0;
    while (i < x->declared && strcmp(x->names[i], name) != 0)
        i++;
    must(i < AT__MAX_SEEN - EXTRA, "too many traits");
    if (i == x->declared)
        snprintf(x->names[x->declared++], AT__MAX_NAME, "%s", name);
    return i;
}

/* ---- rows ---- */

static float log_of(double value)
{
    return (float)log2(value > 0 ? value : 1e-9);
}

static float share(const double *of)
{
    return (float)(of[2] > 0 ? of[1] / of[2] : 1);
}

static void extra_traits(float *out, const double *f, double traffic, const at__geometry *g)
{
    const double threads = (double)(g->block[0] * g->block[1] * g->block[2]);
    const double blocks = (double)g->grid[0] * (double)g->grid[1] * (double)g->grid[2];
    const double byte = f[OF] / f[BLOCKS] / traffic; /* from the sample's count to that of a byte */
    at__occupancy o = at__arch_occupancy(CC, (int64_t)threads, (int64_t)f[REGISTERS], (int64_t)f[SHARED]);
    const double waves = blocks / (SMS * (double)(o.blocks > 0 ? o.blocks : 1));
    out[USED_REGISTERS] = (float)f[REGISTERS];
    out[RESIDENT_WARPS] = (float)o.warps;
    out[TRUE_WAVES] = log_of(waves);
    out[TRUE_LAST_WAVE] = (float)(waves / ceil(waves));
    out[LOAD_SECTORS] = share(f + LOADS);
    out[STORE_SECTORS] = share(f + STORES);
    out[SECTORS_A_BYTE] = log_of((f[LOADS + 1] + f[STORES + 1]) * byte);
    out[REQUESTS_A_BYTE] = log_of((f[LOADS] + f[STORES]) * byte);
    out[LOAD_CONFLICTS] = share(f + SHARED_LOADS);
    out[STORE_CONFLICTS] = share(f + SHARED_STORES);
    out[WAVEFRONTS_A_BYTE] = log_of((f[SHARED_LOADS + 1] + f[SHARED_STORES + 1]) * byte);
    out[INSTRUCTIONS_A_BYTE] = log_of(f[WARPS] * byte);
    out[INSTRUCTIONS_A_WARP] = log_of(f[WARPS] / f[BLOCKS] / ceil(threads / 32));
    out[LANES_BUSY] = (float)(f[LANES] / f[WARPS] / 32);
}

/* Fills a row of numbers; false: it is not valid. */
static bool declared_traits(float *out, at__geometry *g, double *traffic, bench_table *x,
                            const at__template *t, const at__config *config)
{
    float numbers[AT__MAX_TRAITS];
    int64_t slots[AT__MAX_SLOTS], bytes = 0;
    char name[AT__MAX_NAME];
    at__limits limits;
    const at__problem *p = &x->problem;
    at__arch_limits(&limits, CC);
    limits.sms = SMS;
    if (at__problem_bind(slots, p, &limits, NULL) != AT_OK ||
        at__config_validate(slots, t, config, NULL) != AT_OK ||
        at__geometry_of(g, &t->launch, slots, NULL) != AT_OK ||
        at__expr_eval(&bytes, p->op->traffic, slots, NULL) != AT_OK)
        return false;
    at__traits v = at__traits_of(p->op, t);
    at__traits_problem(numbers, &v, p, slots);
    at__traits_config(numbers, &v, slots, g);
    for (int i = 0; i < v.count; i++) {
        at__traits_name(name, &v, i);
        if (name[0])
            out[trait_named(x, name)] = numbers[i];
    }
    *traffic = (double)bytes;
    return true;
}

/* The problem of a line; lines of one stand together. */
static void take_problem(bench_table *x, const char *shape, const char *type)
{
    char line[512];
    at__shapes shapes = { 0 };
    int len = snprintf(line, sizeof line, "%s %s", shape, type);
    if (strcmp(line, x->last) == 0)
        return;
    snprintf(x->last, sizeof x->last, "%s", line);
    must(at__shapes_parse(&shapes, line, (size_t)len, "the counts", x->catalog, NULL, NULL) == AT_OK &&
             shapes.count == 1,
         line);
    x->problem = shapes.problems[0];
    x->problems++;
    at__shapes_clear(&shapes);
}

static bool is_slim(const at__problem *p)
{
    for (int i = 0; i < p->op->dim_count; i++)
        if (p->dims[i] > 1 && p->dims[i] <= SLIM)
            return true;
    return false;
}

static void take_line(bench_table *x, char *line)
{
    const char *fields[FIELDS];
    double figures[FIELDS];
    at__geometry geometry;
    at__config config;
    double traffic = 0;
    int count = 0;
    for (char *rest = line, *field; count < FIELDS && (field = strsep(&rest, "\t\n")); count++)
        fields[count] = field;
    if (count < FIELDS)
        return;
    take_problem(x, fields[0], fields[1]);
    const at__template *t = at__catalog_find_template(x->catalog, x->problem.op, fields[2]);
    float *out = x->numbers + (size_t)x->count * AT__MAX_SEEN;
    for (int i = 0; i < AT__MAX_SEEN; i++)
        out[i] = NAN;
    if (!t || at__config_parse(&config, t, fields[3], NULL) != AT_OK ||
        !declared_traits(out, &geometry, &traffic, x, t, &config))
        return;
    for (int i = 4; i < FIELDS; i++)
        figures[i - 4] = strtod(fields[i], NULL);
    extra_traits(out + AT__MAX_SEEN - EXTRA, figures, traffic, &geometry);
    x->rows[x->count++] = (bench_row){ .problem = x->problems - 1,
                                       .slim = is_slim(&x->problem),
                                       .slower = (float)figures[SECONDS] };
}

/* Seconds become logarithms over the best. */
static void compare_rows(bench_table *x)
{
    for (int p = 0; p < x->problems; p++) {
        float best = INFINITY;
        for (int i = 0; i < x->count; i++)
            best = x->rows[i].problem == p ? fminf(best, x->rows[i].slower) : best;
        for (int i = 0; i < x->count; i++)
            if (x->rows[i].problem == p)
                x->rows[i].slower = logf(x->rows[i].slower / best);
    }
}

void bench_prior_read(bench_table *x, const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    must(file, "the counts cannot be read");
    x->names = calloc(AT__MAX_SEEN, sizeof *x->names);
    x->rows = calloc(MOST, sizeof *x->rows);
    x->numbers = malloc(MOST * AT__MAX_SEEN * sizeof *x->numbers);
    x->bins = malloc(MOST * AT__MAX_SEEN);
    must(x->names && x->rows && x->numbers && x->bins, "out of memory");
    while (x->count < MOST && fgets(line, sizeof line, file))
        take_line(x, line);
    fclose(file);
    compare_rows(x);
}

/* ---- bins ---- */

static int by_value(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Edges between values that differ, at quantiles. */
static void bin_trait(bench_table *x, int k, float *values)
{
    float of[AT__MAX_EDGES];
    at__edges edges = { .of = of, .count = 0 };
    int count = 0, step;
    for (int i = 0; i < x->count; i++)
        if (!isnan(x->numbers[(size_t)i * AT__MAX_SEEN + (size_t)k]))
            values[count++] = x->numbers[(size_t)i * AT__MAX_SEEN + (size_t)k];
    qsort(values, (size_t)count, sizeof *values, by_value);
    step = count / EDGES + 1;
    for (int i = 1, next = 1; i < count; i++)
        if (i >= next && values[i] > values[i - 1] && edges.count < AT__MAX_EDGES) {
            edges.of[edges.count++] = (values[i - 1] + values[i]) / 2;
            next = i + step;
        }
    for (int i = 0; i < x->count; i++) {
        float value = x->numbers[(size_t)i * AT__MAX_SEEN + (size_t)k];
        x->bins[(size_t)i * AT__MAX_SEEN + (size_t)k] = isnan(value) ? 0 : at__bin_of(&edges, value);
    }
    x->bin_counts[k] = edges.count + 2;
}

void bench_prior_bin(bench_table *x)
{
    float *values = malloc(MOST * sizeof *values);
    must(values, "out of memory");
    for (int k = 0; k < AT__MAX_SEEN; k++)
        bin_trait(x, k, values);
    free(values);
}
