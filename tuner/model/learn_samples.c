/* learn_samples.c - reads the trials of a store: each problem's, the fastest first. */
#include "model/learn_samples.h"

#include "lang/shapes.h"
#include "util/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A problem as the store names it. */
typedef struct named {
    char *op, *shape, *type_key;
} named;

typedef struct names {
    named *items;
    size_t count, cap;
    bool failed;
} names;

static bool keep_name(void *context, const atx_problem_key *key)
{
    names *n = context;
    n->failed = !atx_grow(&n->items, &n->cap, n->count, sizeof *n->items);
    if (n->failed)
        return false;
    named *k = &n->items[n->count++];
    *k = (named){ .op = atx_text_copy(key->op, strlen(key->op)),
                  .shape = atx_text_copy(key->shape, strlen(key->shape)),
                  .type_key = atx_text_copy(key->type_key, strlen(key->type_key)) };
    n->failed = !k->op || !k->shape || !k->type_key;
    return !n->failed;
}

static void clear_names(names *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->items[i].op);
        free(n->items[i].shape);
        free(n->items[i].type_key);
    }
    free(n->items);
}

/* false: the catalog has no such op, or no such shape of it. */
static bool problem_of(atx_problem *out, const named *n, const atx_catalog *catalog)
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

typedef struct reading {
    atx_samples *out;
    const atx_catalog *catalog;
    int problem;
    bool failed;
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

at_status atx_samples_read(atx_samples *out, atx_store *store, const atx_catalog *catalog, at_error *err)
{
    names n = { 0 };
    reading r = { .out = out, .catalog = catalog };
    at_status status = atx_store_each_problem(store, keep_name, &n, err);
    for (size_t i = 0; i < n.count && status == AT_OK && !n.failed && !r.failed; i++) {
        atx_problem p;
        if (!problem_of(&p, &n.items[i], catalog))
            continue;
        atx_problem_key key = { .op = n.items[i].op,
                                .shape = n.items[i].shape,
                                .type_key = n.items[i].type_key };
        r.problem = number_of(out, &p);
        r.failed = r.problem < 0;
        if (!r.failed)
            status = atx_store_each_trial(store, &key, NULL, keep_trial, &r, err);
    }
    if (status == AT_OK && (n.failed || r.failed))
        status = atx_no_memory(err);
    clear_names(&n);
    return status;
}

void atx_samples_clear(atx_samples *s)
{
    free(s->items);
    free(s->problems);
    free(s->devices);
    *s = (atx_samples){ .items = NULL };
}
