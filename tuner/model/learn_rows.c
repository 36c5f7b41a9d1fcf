/* learn_rows.c - which trials are learned from, and their traits as numbers and as bins. */
#include "model/learn_rows.h"

#include "lang/arch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGE_ROWS    6000 /* from which edges of bins are drawn */
#define ROWS_AT_ONCE 1000 /* between two looks at whether to end */

static int add_name(at__part_of_model *p, const char *name)
{
    for (int i = 0; i < p->trait_count; i++)
        if (strcmp(p->names[i], name) == 0)
            return i;
    if (p->trait_count == AT__MAX_SEEN)
        return -1;
    snprintf(p->names[p->trait_count], AT__MAX_NAME, "%s", name);
    return p->trait_count++;
}

void at__map_names(int16_t *to, at__part_of_model *p, const at__traits *v)
{
    char name[AT__MAX_NAME];
    for (int i = 0; i < v->count; i++) {
        at__traits_name(name, v, i);
        to[i] = (int16_t)(name[0] ? add_name(p, name) : -1);
    }
}

void at__name_templates(at__group *g)
{
    int16_t ignored[AT__MAX_TRAITS];
    at__part_of_model *p = g->part;
    for (int i = 0; i < at__catalog_template_count(g->catalog, g->op); i++) {
        const at__template *t = at__catalog_template(g->catalog, g->op, i);
        at__traits v = at__traits_of(g->op, t);
        if (p->template_count == AT__MODEL_MAX_TEMPLATES)
            return;
        at__map_names(ignored, p, &v);
        at__model_template *m = &p->templates[p->template_count++];
        *m = (at__model_template){ .param_count = t->param_count };
        snprintf(m->name, sizeof m->name, "%s", t->name);
        snprintf(m->hash, sizeof m->hash, "%s", t->hash);
    }
}

at_status at__bind_sample(int64_t *slots, const at__group *g, const at__sample *s, at_error *err)
{
    at__limits limits;
    const at__sampled_device *d = &g->samples->devices[s->device];
    at__arch_limits(&limits, d->cc);
    limits.sms = d->sms > 0 ? d->sms : limits.sms;
    if (d->memory_mib > 0)
        limits.memory_bytes = at__memory_bytes(d->memory_mib);
    return at__problem_bind(slots, &g->samples->problems[s->problem], &limits, err);
}

/* One row of numbers; false: it is not valid on what is known of the device. */
static bool number_row(float *out, const at__group *g, const at__sample *s, const at__traits *v,
                       const int16_t *to)
{
    float numbers[AT__MAX_TRAITS];
    int64_t slots[AT__MAX_SLOTS];
    at__geometry geometry;
    const at__problem *p = &g->samples->problems[s->problem];
    if (at__bind_sample(slots, g, s, NULL) != AT_OK ||
        at__config_validate(slots, s->t, &s->config, NULL) != AT_OK ||
        at__geometry_of(&geometry, &s->t->launch, slots, NULL) != AT_OK)
        return false;
    at__traits_problem(numbers, v, p, slots);
    numbers[AT__TRAIT_ELSEWHERE] = s->device != g->device;
    at__traits_config(numbers, v, slots, &geometry);
    for (int i = 0; i < g->part->trait_count; i++)
        out[i] = NAN;
    for (int i = 0; i < v->count; i++)
        if (to[i] >= 0)
            out[to[i]] = numbers[i];
    return true;
}

at_status at__number_rows(at__group *g, at_error *err)
{
    const at__template *t = NULL;
    at__traits v = { .op = NULL };
    int16_t to[AT__MAX_TRAITS];
    size_t traits = (size_t)g->part->trait_count;
    int kept = 0;
    for (int i = 0; i < g->row_count; i++) {
        const at__sample *s = &g->samples->items[g->rows[i]];
        if (i % ROWS_AT_ONCE == 0 && at__cancel_due(g->cancel))
            return at_fail(err, AT_ERR_CANCELLED, "learning was ended");
        if (s->t != t) {
            t = s->t;
            v = at__traits_of(g->op, t);
            at__map_names(to, g->part, &v);
        }
        if (number_row(g->numbers + (size_t)kept * traits, g, s, &v, to)) {
            g->own_count += s->device == g->device;
            g->rows[kept++] = g->rows[i];
        }
    }
    g->row_count = kept;
    return AT_OK;
}

static int by_value(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Between neighbouring values; where there are many, between quantiles. */
static void find_edges(at__edges *out, float *values, int count)
{
    out->count = 0;
    qsort(values, (size_t)count, sizeof *values, by_value);
    int different = 0;
    for (int i = 1; i < count; i++)
        different += values[i] > values[i - 1];
    double step = different > AT__MAX_EDGES ? (double)count / (AT__MAX_EDGES + 1) : 0, next = step;
    for (int i = 1; i < count && out->count < AT__MAX_EDGES; i++) {
        if (!(values[i] > values[i - 1]) || (double)i < next)
            continue;
        out->of[out->count++] = values[i - 1] + (values[i] - values[i - 1]) / 2;
        next = fmax(next + step, (double)i);
    }
}

at_status at__bin_rows(at__group *g, int known, at_error *err)
{
    at__part_of_model *p = g->part;
    size_t traits = (size_t)p->trait_count;
    int step = g->row_count / EDGE_ROWS + 1;
    float *values = malloc(((size_t)g->row_count / (size_t)step + 1) * sizeof *values);
    if (!values)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int k = 0; k < p->trait_count; k++) {
        int count = 0;
        for (int i = 0; i < g->row_count; i += step)
            if (!isnan(g->numbers[(size_t)i * traits + (size_t)k]))
                values[count++] = g->numbers[(size_t)i * traits + (size_t)k];
        if (k >= known) /* those that trees know already stay as they are */
            find_edges(&p->edges[k], values, count);
        for (int i = 0; i < g->row_count; i++) {
            float x = g->numbers[(size_t)i * traits + (size_t)k];
            g->bins[(size_t)i * traits + (size_t)k] = isnan(x) ? 0 : at__bin_of(&p->edges[k], x);
        }
    }
    free(values);
    return AT_OK;
}

void at__clear_group(at__group *g)
{
    free(g->rows);
    free(g->numbers);
    free(g->bins);
    free(g->slower);
    free(g->weights);
    free(g->left);
    free(g->used);
    free(g->best);
    free(g->first);
}

at_status at__allocate_rows(at__group *g, at_error *err)
{
    g->problem_count = (int)(g->samples->problem_count * (g->samples->device_count + 1));
    size_t rows = (size_t)g->row_count + 1, problems = (size_t)g->problem_count + 1;
    size_t traits = (size_t)g->part->trait_count;
    g->numbers = malloc(rows * traits * sizeof *g->numbers);
    g->bins = malloc(rows * traits);
    g->slower = malloc(rows * sizeof *g->slower);
    g->weights = malloc(rows * sizeof *g->weights);
    g->left = calloc(rows, sizeof *g->left);
    g->used = malloc(rows);
    g->best = malloc(problems * sizeof *g->best);
    g->first = malloc(problems * sizeof *g->first);
    bool all = g->numbers && g->bins && g->slower && g->weights && g->left && g->used && g->best && g->first;
    return all ? AT_OK : at_fail(err, AT_ERR_MEMORY, "out of memory");
}

/* Trials of the op on each device. */
static at_status count_trials(int **counts, const at__group *g, at_error *err)
{
    const at__samples *s = g->samples;
    *counts = calloc(s->device_count + 1, sizeof **counts);
    for (size_t i = 0; *counts && i < s->count; i++)
        (*counts)[s->items[i].device] += s->items[i].t->op == g->op;
    return *counts ? AT_OK : at_fail(err, AT_ERR_MEMORY, "out of memory");
}

at_status at__take_rows(at__group *g, at_error *err)
{
    const at__samples *s = g->samples;
    int *counts = NULL;
    at_status status = count_trials(&counts, g, err);
    if (status != AT_OK)
        return status;
    int own = counts[g->device];
    g->rows = malloc((s->count + 1) * sizeof *g->rows);
    for (size_t i = 0; g->rows && own >= AT__LEAST_TRIALS && i < s->count; i++) {
        int device = s->items[i].device;
        if (s->items[i].t->op == g->op && (device == g->device || counts[device] > own))
            g->rows[g->row_count++] = (int)i;
    }
    free(counts);
    return g->rows ? AT_OK : at_fail(err, AT_ERR_MEMORY, "out of memory");
}
