/* learn_rows.c - which trials are learned from, and their features as numbers and as bins. */
#include "model/learn_rows.h"

#include "lang/arch.h"
#include "lang/shapes.h"
#include "util/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* false: the catalog has no such op, or no such shape of it. */
static bool problem_of(atx_problem *out, const atx_problem_key *n, const atx_catalog *catalog)
{
    char line[512];
    atx_shapes shapes = { 0 };
    const atx_op *op = atx_catalog_find_op(catalog, n->op);
    if (!op || op->goal.objective || op->recorded)
        return false;
    int len = snprintf(line, sizeof line, "%s %s %s", n->op, n->shape,
                       atx_dtype_name(atx_dtype_of_key(n->type_key, op->storage)));
    bool known = len > 0 && (size_t)len < sizeof line &&
                 atx_shapes_parse(&shapes, line, (size_t)len, "the store", catalog, NULL, NULL) == AT_OK &&
                 shapes.count == 1;
    if (known)
        *out = shapes.problems[0];
    atx_shapes_clear(&shapes);
    return known;
}

#define LEAST_SAMPLES 16 /* of a problem, however many there are */

typedef struct reading {
    atx_samples *out;
    size_t problems, most; /* of the store; samples of each that are kept */
    atx_store *store;
    const atx_catalog *catalog;
    int problem;
    bool failed;      /* out of memory */
    at_status status; /* of the trials of a problem */
    at_error *err;
} reading;

static int device_of(atx_samples *s, const atx_fingerprint *f)
{
    for (size_t i = 0; i < s->device_count; i++) {
        const atx_sampled_device *d = &s->devices[i];
        if (strcmp(d->name, f->device) == 0 && d->cc == f->cc && d->sms == f->sms &&
            d->memory_mib == f->memory_mib)
            return (int)i;
    }
    if (!atx_grow(&s->devices, &s->device_cap, s->device_count, sizeof *s->devices))
        return -1;
    atx_sampled_device *d = &s->devices[s->device_count];
    *d = (atx_sampled_device){ .cc = f->cc, .sms = f->sms, .memory_mib = f->memory_mib };
    snprintf(d->name, sizeof d->name, "%s", f->device);
    return (int)s->device_count++;
}

static bool keep_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    reading *r = context;
    atx_samples *s = r->out;
    if (row->outcome != ATX_TIMED || !fingerprint->cold || atx_trial_check(row, NULL) != AT_OK)
        return true;
    atx_sample sample = { .problem = r->problem, .seconds = row->timing.median_s };
    const atx_op *op = s->problems[r->problem].op;
    sample.t = atx_catalog_find_template(r->catalog, op, row->template_name);
    if (!sample.t || !atx_template_has_hash(sample.t, row->template_hash) || !(sample.seconds > 0) ||
        atx_config_parse(&sample.config, sample.t, row->config, NULL) != AT_OK)
        return true;
    sample.device = device_of(s, fingerprint);
    r->failed = sample.device < 0 || !atx_grow(&s->items, &s->cap, s->count, sizeof *s->items);
    if (!r->failed)
        s->items[s->count++] = sample;
    return !r->failed;
}

static int number_of(atx_samples *s, const atx_problem *p)
{
    for (size_t i = 0; i < s->problem_count; i++)
        if (s->problems[i].op == p->op && s->problems[i].type == p->type &&
            memcmp(s->problems[i].dims, p->dims, sizeof p->dims) == 0)
            return (int)i;
    if (!atx_grow(&s->problems, &s->problem_cap, s->problem_count, sizeof *s->problems))
        return -1;
    s->problems[s->problem_count] = *p;
    return (int)s->problem_count++;
}

/* Of many trials the faster half of what is kept, which decides, and as many evenly from the others. */
static void thin(atx_samples *s, size_t from, size_t most)
{
    const size_t count = s->count - from, fastest = most / 2, others = most - fastest;
    atx_sample *items = s->items + from;
    if (count <= most)
        return;
    for (size_t i = 0; i < others; i++)
        items[fastest + i] = items[fastest + i * (count - fastest) / others];
    s->count = from + most;
}

static bool count_problem(void *context, const atx_problem_key *key)
{
    (void)key;
    ((reading *)context)->problems++;
    return true;
}

static bool read_problem(void *context, const atx_problem_key *key)
{
    reading *r = context;
    atx_problem p;
    if (!problem_of(&p, key, r->catalog))
        return true;
    const size_t from = r->out->count;
    r->problem = number_of(r->out, &p);
    r->failed = r->problem < 0;
    if (!r->failed)
        r->status = atx_store_each_trial(r->store, key, NULL, keep_trial, r, r->err);
    thin(r->out, from, r->most);
    return !r->failed && r->status == AT_OK;
}

at_status atx_samples_read(atx_samples *out, atx_store *store, const atx_catalog *catalog, size_t most,
                           at_error *err)
{
    reading r = { .out = out, .store = store, .catalog = catalog, .err = err };
    at_status status = atx_store_each_problem(store, count_problem, &r, err);
    r.most = most / (r.problems ? r.problems : 1);
    r.most = r.most > LEAST_SAMPLES ? r.most : LEAST_SAMPLES;
    ATX_THEN(status, atx_store_each_problem(store, read_problem, &r, err));
    if (status == AT_OK && r.status != AT_OK)
        return r.status;
    return status == AT_OK && r.failed ? atx_no_memory(err) : status;
}

void atx_samples_clear(atx_samples *s)
{
    free(s->items);
    free(s->problems);
    free(s->devices);
    *s = (atx_samples){ .items = NULL };
}

#define EDGE_ROWS    6000 /* from which edges of bins are drawn */
#define ROWS_AT_ONCE 1000 /* between two looks at whether to end */
#define MOST_NAMES   1000 /* of all templates of an op together */

/* `names` has ATX_MAX_NAME bytes for each. */
static int16_t find_name(const char *names, int count, const char *name)
{
    for (int i = 0; i < count; i++, names += ATX_MAX_NAME)
        if (strcmp(names, name) == 0)
            return (int16_t)i;
    return -1;
}

void atx_find_names(int16_t *to, const atx_op_model *p, const atx_model_features *v)
{
    char name[ATX_MAX_NAME];
    for (int i = 0; i < v->count; i++) {
        atx_model_features_name(name, v, i);
        to[i] = name[0] ? find_name(p->names[0], p->feature_count, name) : -1;
    }
}

static int16_t add_name(atx_group *g, const char *name)
{
    int16_t found = find_name(g->names[0], g->name_count, name);
    if (found >= 0 || g->name_count == MOST_NAMES)
        return found;
    snprintf(g->names[g->name_count], ATX_MAX_NAME, "%s", name);
    return (int16_t)g->name_count++;
}

static void map_names(int16_t *to, atx_group *g, const atx_model_features *v)
{
    char name[ATX_MAX_NAME];
    for (int i = 0; i < v->count; i++) {
        atx_model_features_name(name, v, i);
        to[i] = name[0] ? add_name(g, name) : -1;
    }
}

at_status atx_name_templates(atx_group *g, at_error *err)
{
    int16_t ignored[ATX_MAX_MODEL_FEATURES];
    atx_op_model *p = g->known;
    g->names = malloc(MOST_NAMES * sizeof *g->names);
    if (!g->names)
        return atx_no_memory(err);
    for (int i = 0; i < p->feature_count; i++)
        add_name(g, p->names[i]);
    for (int i = 0; i < atx_catalog_template_count(g->catalog, g->op); i++) {
        const atx_template *t = atx_catalog_template(g->catalog, g->op, i);
        atx_model_features v = atx_model_features_of(g->op, t);
        if (p->template_count == ATX_MODEL_MAX_TEMPLATES)
            break;
        map_names(ignored, g, &v);
        atx_model_template *m = &p->templates[p->template_count++];
        *m = (atx_model_template){ .param_count = t->scope.param_count };
        snprintf(m->name, sizeof m->name, "%s", t->name);
        snprintf(m->hash, sizeof m->hash, "%s", t->text.hash);
    }
    return AT_OK;
}

at_status atx_bind_sample(int64_t *slots, const atx_group *g, const atx_sample *s, at_error *err)
{
    atx_limits limits;
    const atx_sampled_device *d = &g->samples->devices[s->device];
    atx_arch_limits(&limits, d->cc);
    limits.sms = d->sms > 0 ? d->sms : limits.sms;
    if (d->memory_mib > 0)
        limits.memory_bytes = atx_memory_bytes(d->memory_mib);
    return atx_problem_bind(slots, &g->samples->problems[s->problem], &limits, err);
}

/* One row of numbers; false: it is not valid on what is known of the device. */
static bool number_row(float *out, const atx_group *g, const atx_sample *s, const atx_model_features *v,
                       const int16_t *to)
{
    float numbers[ATX_MAX_MODEL_FEATURES];
    int64_t slots[ATX_MAX_SLOTS];
    atx_geometry geometry;
    const atx_problem *p = &g->samples->problems[s->problem];
    if (atx_bind_sample(slots, g, s, NULL) != AT_OK ||
        atx_config_validate(slots, s->t, &s->config, NULL) != AT_OK ||
        atx_geometry_of(&geometry, &s->t->call.steps[0].launch, slots, NULL) != AT_OK)
        return false;
    atx_model_features_problem(numbers, v, p, slots);
    numbers[ATX_MODEL_FEATURE_ELSEWHERE] = s->device != g->device;
    atx_model_features_config(numbers, v, slots, &geometry);
    for (int i = 0; i < g->name_count; i++)
        out[i] = NAN;
    for (int i = 0; i < v->count; i++)
        if (to[i] >= 0)
            out[to[i]] = numbers[i];
    return true;
}

at_status atx_number_rows(atx_group *g, at_error *err)
{
    const atx_template *t = NULL;
    atx_model_features v = { .op = NULL };
    int16_t to[ATX_MAX_MODEL_FEATURES];
    size_t names = (size_t)g->name_count;
    int kept = 0;
    for (int i = 0; i < g->row_count; i++) {
        const atx_sample *s = &g->samples->items[g->rows[i]];
        if (i % ROWS_AT_ONCE == 0 && atx_cancel_due(g->cancel))
            return atx_fail(err, AT_ERR_CANCELLED, "learning was ended");
        if (s->t != t) {
            t = s->t;
            v = atx_model_features_of(g->op, t);
            map_names(to, g, &v);
        }
        if (number_row(g->numbers + (size_t)kept * names, g, s, &v, to)) {
            g->own_count += s->device == g->device;
            g->rows[kept++] = g->rows[i];
        }
    }
    g->row_count = kept;
    return AT_OK;
}

/* What a feature tells of rows. */
typedef enum worth {
    NOTHING,
    WHETHER, /* some have it, with one value  */
    HOW_MUCH /* it differs between those      */
} worth;

static worth worth_of(const atx_group *g, int name)
{
    float first = NAN;
    bool absent = false;
    for (int i = 0; i < g->row_count; i++) {
        float x = g->numbers[(size_t)i * (size_t)g->name_count + (size_t)name];
        if (!isnan(x) && !isnan(first) && x != first)
            return HOW_MUCH;
        absent |= isnan(x);
        first = isnan(first) ? x : first;
    }
    return absent && !isnan(first) ? WHETHER : NOTHING;
}

/* Rows keep these columns: each goes down or stays, so that none is overwritten before it is read. */
static void keep_columns(atx_group *g, const int *columns, int count)
{
    for (size_t i = 0; i < (size_t)g->row_count; i++) {
        const float *from = g->numbers + i * (size_t)g->name_count;
        float *to = g->numbers + i * (size_t)count;
        for (int k = 0; k < count; k++)
            to[k] = from[columns[k]];
    }
}

void atx_choose_features(atx_group *g)
{
    atx_op_model *p = g->known;
    worth worths[MOST_NAMES];
    int columns[ATX_MAX_SEEN], known = p->feature_count, room = ATX_MAX_SEEN - known;
    for (int k = 0; k < known; k++)
        columns[k] = k;
    for (int k = known; k < g->name_count; k++) {
        worths[k] = worth_of(g, k);
        room -= worths[k] == HOW_MUCH;
    }
    for (int k = known; k < g->name_count && p->feature_count < ATX_MAX_SEEN; k++) {
        if (worths[k] == NOTHING || (worths[k] == WHETHER && room-- <= 0))
            continue;
        columns[p->feature_count] = k;
        memcpy(p->names[p->feature_count++], g->names[k], ATX_MAX_NAME);
    }
    keep_columns(g, columns, p->feature_count);
}

static int by_value(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Between neighbouring values; where there are many, between quantiles. */
static void find_edges(atx_edges *out, float *values, int count)
{
    out->count = 0;
    qsort(values, (size_t)count, sizeof *values, by_value);
    int different = 0;
    for (int i = 1; i < count; i++)
        different += values[i] > values[i - 1];
    double step = different > ATX_MAX_EDGES ? (double)count / (ATX_MAX_EDGES + 1) : 0, next = step;
    for (int i = 1; i < count && out->count < ATX_MAX_EDGES; i++) {
        if (!(values[i] > values[i - 1]) || (double)i < next)
            continue;
        out->of[out->count++] = values[i - 1] + (values[i] - values[i - 1]) / 2;
        next = fmax(next + step, (double)i);
    }
}

at_status atx_bin_rows(atx_group *g, int known, at_error *err)
{
    atx_op_model *p = g->known;
    size_t features = (size_t)p->feature_count;
    int step = g->row_count / EDGE_ROWS + 1;
    float *values = malloc(((size_t)g->row_count / (size_t)step + 1) * sizeof *values);
    if (!values)
        return atx_no_memory(err);
    for (int k = 0; k < p->feature_count; k++) {
        int count = 0;
        for (int i = 0; i < g->row_count; i += step)
            if (!isnan(g->numbers[(size_t)i * features + (size_t)k]))
                values[count++] = g->numbers[(size_t)i * features + (size_t)k];
        if (k >= known) /* those that trees know already stay as they are */
            find_edges(&p->edges[k], values, count);
        for (int i = 0; i < g->row_count; i++) {
            float x = g->numbers[(size_t)i * features + (size_t)k];
            g->bins[(size_t)i * features + (size_t)k] = isnan(x) ? 0 : atx_bin_of(&p->edges[k], x);
        }
    }
    free(values);
    return AT_OK;
}

void atx_clear_group(atx_group *g)
{
    free(g->rows);
    free(g->names);
    free(g->numbers);
    free(g->bins);
    free(g->slower);
    free(g->weights);
    free(g->left);
    free(g->used);
    free(g->best);
    free(g->first);
    free(g->problem);
}

at_status atx_allocate_rows(atx_group *g, at_error *err)
{
    g->problem_count = (int)(g->samples->problem_count * (g->samples->device_count + 1));
    size_t rows = (size_t)g->row_count + 1, problems = (size_t)g->problem_count + 1;
    size_t names = (size_t)g->name_count;
    g->numbers = malloc(rows * names * sizeof *g->numbers);
    g->bins = malloc(rows * names);
    g->slower = malloc(rows * sizeof *g->slower);
    g->weights = malloc(rows * sizeof *g->weights);
    g->left = calloc(rows, sizeof *g->left);
    g->used = malloc(rows);
    g->best = malloc(problems * sizeof *g->best);
    g->first = malloc(problems * sizeof *g->first);
    g->problem = malloc(rows * sizeof *g->problem);
    bool of_rows = g->numbers && g->bins && g->slower && g->weights && g->left && g->used && g->problem;
    return of_rows && g->best && g->first ? AT_OK : atx_no_memory(err);
}

at_status atx_take_rows(atx_group *g, at_error *err)
{
    const atx_samples *s = g->samples;
    int own = 0;
    g->rows = malloc((s->count + 1) * sizeof *g->rows);
    for (size_t i = 0; g->rows && i < s->count; i++) {
        bool of_op = s->items[i].t->op == g->op;
        own += of_op && s->items[i].device == g->device;
        if (of_op)
            g->rows[g->row_count++] = (int)i;
    }
    g->row_count = own >= ATX_LEAST_TRIALS ? g->row_count : 0;
    return g->rows ? AT_OK : atx_no_memory(err);
}
