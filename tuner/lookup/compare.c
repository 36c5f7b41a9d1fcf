/*
 * compare.c - both stores' winners are collected and sorted by problem (and by device, if both know the same
 * ones); one walk over the two sorted lists then finds the common problems and those of one store alone.
 */
#include "lookup/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SAMPLES = 6 }; /* below that a spread says nothing */

const char *atx_difference_name(atx_difference difference)
{
    static const char *const NAMES[] = { [ATX_DIFF_SLOWER] = "slower",
                                         [ATX_DIFF_FASTER] = "faster",
                                         [ATX_DIFF_UNCLEAR] = "unclear",
                                         [ATX_DIFF_SAME] = "same" };
    return NAMES[difference];
}

/* Relative standard error of the median. */
static double median_error(const atx_timing *t)
{
    return 1.2533 * t->spread / 2.563 / sqrt((double)t->samples);
}

bool atx_ratio_interval(double *low, double *high, const atx_timing *before, const atx_timing *after)
{
    *low = *high = 0;
    if (before->samples < LEAST_SAMPLES || after->samples < LEAST_SAMPLES || !(before->median_s > 0) ||
        !(after->median_s > 0))
        return false;
    double ratio = after->median_s / before->median_s;
    double margin = 1.96 * hypot(median_error(before), median_error(after));
    *low = ratio * exp(-margin);
    *high = ratio * exp(margin);
    return true;
}

atx_difference atx_difference_of(double ratio, double low, double high, double tolerance)
{
    double least = 1 / (1 + tolerance), most = 1 + tolerance;
    if (!(low > 0) || !(high < INFINITY) || !(ratio > 0))
        return ATX_DIFF_UNCLEAR;
    if (low > most)
        return ATX_DIFF_SLOWER;
    if (high < least)
        return ATX_DIFF_FASTER;
    return low >= least && high <= most ? ATX_DIFF_SAME : ATX_DIFF_UNCLEAR;
}

/* ---- collecting ---- */

typedef struct side {
    atx_answer *items;
    size_t count, cap;
    const char *device; /* only these; NULL: all */
    bool failed;        /* out of memory */
} side;

static bool collect(void *context, atx_answer *answer)
{
    side *s = context;
    if (s->device && strcmp(answer->fingerprint.device, s->device) != 0)
        return true;
    if (!atx_grow(&s->items, &s->cap, s->count, sizeof *s->items)) {
        s->failed = true;
        return false;
    }
    s->items[s->count++] = *answer;
    *answer = (atx_answer){ 0 };
    return true;
}

static at_status read_side(side *s, atx_store *store, const char *device, at_error *err)
{
    s->device = device;
    at_status status = atx_store_each_best(store, collect, s, err);
    if (status == AT_OK && s->failed) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    return status;
}

static void side_clear(side *s)
{
    for (size_t i = 0; i < s->count; i++)
        atx_answer_clear(&s->items[i]);
    free(s->items);
}

/* The one device model that a side has; NULL: several, or none. */
static const char *only_device(const side *s)
{
    for (size_t i = 1; i < s->count; i++)
        if (strcmp(s->items[0].fingerprint.device, s->items[i].fingerprint.device) != 0)
            return NULL;
    return s->count ? s->items[0].fingerprint.device : NULL;
}

static bool has_device(const side *s, const char *device)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].fingerprint.device, device) == 0)
            return true;
    return false;
}

static bool share_a_device(const side *a, const side *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (has_device(b, a->items[i].fingerprint.device))
            return true;
    return false;
}

/* ---- pairing ---- */

static int by_problem(const atx_answer *a, const atx_answer *b)
{
    int order = strcmp(a->op, b->op);
    order = order ? order : strcmp(a->shape, b->shape);
    return order ? order : strcmp(a->type_key, b->type_key);
}

static int by_problem_and_device(const void *a, const void *b)
{
    const atx_answer *x = a, *y = b;
    int order = by_problem(x, y);
    return order ? order : strcmp(x->fingerprint.device, y->fingerprint.device);
}

/* By difference, then by how much. */
static int by_change(const void *a, const void *b)
{
    const atx_compared *x = a, *y = b;
    if (x->difference != y->difference)
        return x->difference < y->difference ? -1 : 1;
    double change_x = fabs(log(x->ratio)), change_y = fabs(log(y->ratio));
    if (change_x > change_y || change_x < change_y)
        return change_x > change_y ? -1 : 1;
    return by_problem(&x->before, &y->before);
}

static void sort_side(side *s)
{
    if (s->items)
        qsort(s->items, s->count, sizeof *s->items, by_problem_and_device);
}

static void add_pair(atx_comparison *out, atx_answer *before, atx_answer *after, double tolerance)
{
    atx_compared *c = &out->items[out->count++];
    const atx_timing *b = &before->winner.timing, *a = &after->winner.timing;
    *c = (atx_compared){ .before = *before, .after = *after };
    c->ratio = b->median_s > 0 ? a->median_s / b->median_s : 0;
    atx_ratio_interval(&c->low, &c->high, b, a);
    c->difference = atx_difference_of(c->ratio, c->low, c->high, tolerance);
    out->differences[c->difference]++;
    *before = *after = (atx_answer){ 0 };
}

static void summarise(atx_comparison *out)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].ratio > 0) {
            sum += log(out->items[i].ratio);
            known++;
        }
    out->mean_ratio = known ? exp(sum / (double)known) : 0;
    if (out->items)
        qsort(out->items, out->count, sizeof *out->items, by_change);
}

static at_status pair_up(atx_comparison *out, side *before, side *after, bool by_device, double tolerance,
                         at_error *err)
{
    size_t i = 0, k = 0, most = before->count < after->count ? before->count : after->count;
    out->items = calloc(most + 1, sizeof *out->items);
    if (!out->items)
        return atx_no_memory(err);
    sort_side(before);
    sort_side(after);
    bool both = before->items && after->items; /* an empty side has none */
    while (both && i < before->count && k < after->count) {
        int order = by_device ? by_problem_and_device(&before->items[i], &after->items[k])
                              : by_problem(&before->items[i], &after->items[k]);
        if (order == 0)
            add_pair(out, &before->items[i++], &after->items[k++], tolerance);
        else if (order < 0)
            i++;
        else
            k++;
    }
    out->only_before = before->count - out->count;
    out->only_after = after->count - out->count;
    summarise(out);
    return AT_OK;
}

static at_status choose_one(const side *before, const side *after, at_error *err)
{
    if (!before->count || !after->count)
        return atx_fail(err, AT_ERR_NOT_FOUND, "the %s database has no winners%s",
                        before->count ? "second" : "first",
                        (before->count ? after : before)->device ? " of that device" : "");
    const side *many = only_device(before) ? after : before;
    return atx_fail(
        err, AT_ERR_USAGE,
        "the databases have no device in common, and the %s has several, '%s' among them; expected "
        "--device BEFORE,AFTER",
        many == before ? "first" : "second", many->items[0].fingerprint.device);
}

at_status atx_compare_stores(atx_comparison *out, atx_store *before, const char *before_device,
                             atx_store *after, const char *after_device, double tolerance, at_error *err)
{
    ATX_LOCAL(side) b = { 0 }, a = { 0 };
    *out = (atx_comparison){ 0 };
    at_status status = read_side(&b, before, before_device, err);
    ATX_THEN(status, read_side(&a, after, after_device, err));
    bool by_device = status == AT_OK && share_a_device(&b, &a);
    if (status == AT_OK && !by_device && !(only_device(&b) && only_device(&a)))
        status = choose_one(&b, &a, err);
    ATX_THEN(status, pair_up(out, &b, &a, by_device, tolerance, err));
    return status;
}

void atx_comparison_clear(atx_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        atx_answer_clear(&comparison->items[i].before);
        atx_answer_clear(&comparison->items[i].after);
    }
    free(comparison->items);
    *comparison = (atx_comparison){ 0 };
}
