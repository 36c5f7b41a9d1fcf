/*
 * session_front.c - the front of a problem: all of its stored trials under these conditions whose templates
 * have not changed, those of earlier runs as well.
 */
#include "tune/session_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const atx_job *job;
    atx_front_points *all;
    bool failed; /* out of memory */
} reading;

void atx_session_clear_front(atx_front_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        free(points->items[i].kernel);
    free(points->items);
    *points = (atx_front_points){ .items = NULL };
}

static bool is_current(const atx_job *j, const atx_trial_row *row)
{
    const atx_op *op = atx_search_run_problem(j->main)->op;
    const atx_template *t = atx_catalog_find_template(j->env->catalog, op, row->template_name);
    return t && atx_template_has_hash(t, row->template_hash);
}

static bool keep(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    reading *r = context;
    atx_front_points *all = r->all;
    atx_front_point point = { .kernel = NULL };
    atx_str text = { 0 };
    (void)fingerprint;
    if (row->outcome != ATX_TIMED || !is_current(r->job, row) ||
        !atx_front_values(point.values, r->job->env->options->front, atx_search_run_problem(r->job->main),
                          ATX_RECORD_OF(row)))
        return true;
    atx_str_addf(&text, "%s %s", row->template_name, row->config);
    r->failed = text.failed || !atx_grow(&all->items, &all->cap, all->count, sizeof *all->items);
    if (r->failed) {
        atx_str_clear(&text);
        return false;
    }
    point.kernel = text.data;
    all->items[all->count++] = point;
    return true;
}

static int by_first_figure(const void *a, const void *b)
{
    const atx_front_point *x = a, *y = b;
    if (x->values[0] < y->values[0] || x->values[0] > y->values[0])
        return x->values[0] < y->values[0] ? -1 : 1;
    return strcmp(x->kernel, y->kernel);
}

/* Leaves those that none other beats. */
static at_status choose(atx_front_points *points, int figures, at_error *err)
{
    const size_t width = (size_t)figures, count = points->count;
    ATX_FREED double *values = calloc(count * width + 1, sizeof *values);
    ATX_FREED bool *on = calloc(count + 1, sizeof *on);
    if (!values || !on) {
        return atx_no_memory(err);
    }
    for (size_t i = 0; i < count; i++)
        memcpy(values + i * width, points->items[i].values, width * sizeof *values);
    atx_front_choose(on, values, count, figures);
    points->count = 0;
    for (size_t i = 0; i < count; i++)
        if (on[i])
            points->items[points->count++] = points->items[i];
        else
            free(points->items[i].kernel);
    return AT_OK;
}

at_status atx_session_read_front(atx_front_points *out, const atx_job *j, at_error *err)
{
    reading r = { .job = j, .all = out };
    at_status status =
        atx_store_each_trial(j->env->store, atx_search_run_key(j->main), &j->env->fingerprint, keep, &r, err);
    if (status == AT_OK && r.failed)
        status = atx_no_memory(err);
    if (status != AT_OK || out->count == 0)
        return status;
    qsort(out->items, out->count, sizeof *out->items, by_first_figure);
    return choose(out, j->env->options->front->count, err);
}
