/*
 * trials.c - trials are read once and sorted by when they were measured. A parameter's effect is
 * found by walking over "NAME=VALUE ..." of each configuration and sorting the pairs: all times of one value
 * then stand together.
 */
#include "html/trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    atx_html_trials *t = context;
    (void)fingerprint;
    if (!atx_grow(&t->items, &t->cap, t->count, sizeof *t->items)) {
        t->failed = true;
        return false;
    }
    t->failed = !atx_trial_row_copy(&t->items[t->count++], row);
    return !t->failed;
}

/* By the second; within one, and where a dump left times out, as they were stored. */
static int by_time(const void *a, const void *b)
{
    const atx_trial_row *x = a, *y = b;
    int order = strcmp(x->measured_at, y->measured_at);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

at_status atx_html_trials_read(atx_html_trials *out, atx_store *store, const atx_answer *winner,
                               at_error *err)
{
    const atx_problem_key key = { winner->op,       winner->shape,         winner->type_key,
                                  winner->elements, winner->traffic_bytes, winner->ops_count };
    *out = (atx_html_trials){ 0 };
    at_status status = atx_store_each_trial(store, &key, &winner->fingerprint, keep, out, err);
    if (status == AT_OK && out->failed)
        status = atx_no_memory(err);
    if (status == AT_OK && out->count)
        qsort(out->items, out->count, sizeof *out->items, by_time);
    return status;
}

void atx_html_trials_clear(atx_html_trials *t)
{
    for (size_t i = 0; i < t->count; i++)
        atx_trial_row_clear(&t->items[i]);
    free(t->items);
    *t = (atx_html_trials){ 0 };
}

/* ---- effects ---- */

/* One parameter of one timed trial. */
typedef struct pair {
    char param[64], value[64];
    int place; /* of the parameter in its configuration */
    double median_s;
} pair;

typedef struct pairs {
    pair *items;
    size_t count, cap;
} pairs;

/* The pairs of "TILE=32 PAD=1"; false: out of memory. */
static bool add_pairs(pairs *out, const atx_trial_row *trial)
{
    int place = 0;
    for (const char *p = trial->config; *p; place++) {
        size_t len = strcspn(p, " ");
        const char *equals = memchr(p, '=', len);
        if (equals) {
            if (!atx_grow(&out->items, &out->cap, out->count, sizeof *out->items))
                return false;
            pair *made = &out->items[out->count++];
            *made = (pair){ .place = place, .median_s = trial->timing.median_s };
            snprintf(made->param, sizeof made->param, "%.*s", (int)(equals - p), p);
            snprintf(made->value, sizeof made->value, "%.*s", (int)(p + len - equals - 1), equals + 1);
        }
        p += len + (p[len] == ' ');
    }
    return true;
}

/* Numbers by size, words by letters. */
static int by_value(const char *a, const char *b)
{
    char *end_a = NULL, *end_b = NULL;
    double x = strtod(a, &end_a), y = strtod(b, &end_b);
    if (end_a != a && !*end_a && end_b != b && !*end_b && (x < y || x > y))
        return x < y ? -1 : 1;
    return strcmp(a, b);
}

static int by_pair(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    int order = (x->place > y->place) - (x->place < y->place);
    order = order ? order : strcmp(x->param, y->param);
    order = order ? order : by_value(x->value, y->value);
    return order ? order : (x->median_s > y->median_s) - (x->median_s < y->median_s);
}

static bool same_value(const pair *a, const pair *b)
{
    return strcmp(a->param, b->param) == 0 && strcmp(a->value, b->value) == 0;
}

/* Groups of sorted pairs; times within one are sorted too. */
static size_t group(atx_effect *out, const pairs *p)
{
    size_t count = 0;
    for (size_t i = 0, end = 0; i < p->count; i = end) {
        for (end = i; end < p->count && same_value(&p->items[i], &p->items[end]); end++)
            ;
        atx_effect *e = &out[count++];
        *e = (atx_effect){ .best_s = p->items[i].median_s,
                           .median_s = p->items[i + (end - i) / 2].median_s,
                           .count = end - i };
        memcpy(e->param, p->items[i].param, sizeof e->param);
        memcpy(e->value, p->items[i].value, sizeof e->value);
    }
    return count;
}

bool atx_html_effects(atx_effect **out, size_t *count, const atx_html_trials *trials,
                      const char *template_name)
{
    pairs p = { 0 };
    bool whole = true;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < trials->count && whole; i++)
        if (trials->items[i].outcome == ATX_TIMED &&
            strcmp(trials->items[i].template_name, template_name) == 0)
            whole = add_pairs(&p, &trials->items[i]);
    if (whole && p.count) {
        qsort(p.items, p.count, sizeof *p.items, by_pair);
        *out = calloc(p.count, sizeof **out);
        *count = *out ? group(*out, &p) : 0;
        whole = *out;
    }
    free(p.items);
    return whole;
}
