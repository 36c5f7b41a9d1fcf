/*
 * lookup_near.c - the winner of another problem for one that was never tuned.
 *
 * Candidates are ranked by a distance and the nearest whose requirements hold for this problem is the answer,
 * unless a nearer problem has a trial whose do and that was not much slower than its winner (a runner-up).
 * To that distance comes what its launch tells, whatever the kernel does: threads that stand idle here.
 * A problem whose own winner is out of date is the nearest of all, at no distance: one rule weighs its own
 * next best trial, whose loss is known, against what is near, whose loss is not. What is near and was tried
 * here is known to be slower, or to fail: it is passed over.
 *
 * Invariant: what is answered fits the problem, and nothing that fits and is nearer was passed over, but for
 * what was tried here and for trials of more than RUNNERS_UP problems.
 */
#include "lookup/lookup_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_SHAPE 32.0 /* on another device the same shape goes before all others          */
#define RUNNERS_UP  4    /* problems whose trials are looked at: each is read from the store */

void atx_near_drop(atx_near_found *s)
{
    if (s->runner_up)
        atx_answer_clear(&s->runner_up->answer);
    free(s->runner_up);
    s->runner_up = NULL;
    s->own = false;
}

/* The winner of `r` does not fit: does another trial of its problem, and is that nearer than what is known?
 */
static at_status try_runner_up(atx_near_found *out, atx_lookup *l, const atx_question *q, const atx_ranked *r,
                               at_error *err)
{
    const atx_entry *winner = &l->index.entries[r->entry];
    atx_runner_up found;
    at_status status = atx_lookup_runner_up(&found, l, winner, q, err);
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    double reach = r->distance + found.cost;
    bool own = winner == q->outdated;
    bool better = reach < out->reach && (own || !atx_lookup_was_tried(&out->tried, &found.entry));
    at_status usable = better ? atx_entry_usable(NULL, l, &found.entry, q, err) : AT_ERR_NOT_FOUND;
    if (usable != AT_OK && usable != AT_ERR_NOT_FOUND) {
        atx_answer_clear(&found.entry.answer);
        return usable;
    }
    better = usable == AT_OK;
    atx_entry *kept = better ? malloc(sizeof *kept) : NULL;
    if (!kept) {
        atx_answer_clear(&found.entry.answer);
        return better ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
    }
    atx_near_drop(out);
    *kept = found.entry;
    out->runner_up = kept;
    out->own = own;
    out->geometry = found.geometry;
    out->reach = reach;
    return AT_OK;
}

/* The nearest of the list that fits, all told, unless a runner-up is nearer. */
static at_status first_that_fits(atx_near_found *out, const atx_ranked *list, atx_lookup *l,
                                 const atx_question *q, at_error *err)
{
    at_status status = AT_OK;
    atx_geometry geometry;
    int tried = 0;
    for (size_t i = 0; i < out->count && list[i].distance < out->reach && status == AT_OK; i++) {
        atx_entry *e = &l->index.entries[list[i].entry];
        if (e == q->outdated)
            continue;
        atx_entry_settle(e, l->catalog);
        bool fits = atx_entry_fits(&geometry, e, q->problem, q->cc, q->sms, NULL) == AT_OK;
        at_status usable = fits ? atx_entry_usable(NULL, l, e, q, err) : AT_ERR_NOT_FOUND;
        if (usable != AT_OK && usable != AT_ERR_NOT_FOUND)
            return usable;
        if (usable == AT_OK) {
            double reach = list[i].distance + atx_entry_idle_cost(e, &geometry, q->problem);
            if (reach < out->reach && !atx_lookup_was_tried(&out->tried, e)) {
                atx_near_drop(out);
                out->entry = list[i].entry;
                out->geometry = geometry;
                out->reach = reach;
            }
        } else if (tried++ < RUNNERS_UP) {
            status = try_runner_up(out, l, q, &list[i], err);
        }
    }
    return status;
}

/* The problem's winner is out of date: its own runner-up, at no distance. */
static at_status begin_with_own(atx_near_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    at_status status =
        try_runner_up(out, l, q, &(atx_ranked){ (size_t)(q->outdated - l->index.entries), 0, 0 }, err);
    return status == AT_OK ? atx_lookup_list_tried(&out->tried, l, q->outdated, err) : status;
}

at_status atx_near_search(atx_near_found *out, atx_lookup *l, const atx_question *q, bool on_device,
                          at_error *err)
{
    const atx_problem *p = q->problem;
    const double traffic = atx_traffic_of(p);
    const atx_gpu_model device = { .name = q->device, .cc = q->cc, .sms = q->sms };
    *out = (atx_near_found){ .closest = ATX_NO_ENTRY, .entry = ATX_NO_ENTRY, .reach = INFINITY };
    at_status status = atx_shipped_add(l, p->op, q->type_key, q->device, on_device, err);
    if (status != AT_OK)
        return status;
    atx_ranked *list = malloc((l->index.count + 1) * sizeof *list);
    if (!list)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->index.count; i++) {
        const atx_entry *e = &l->index.entries[i];
        if (e->hidden || e->op != p->op || strcmp(e->answer.type_key, q->type_key) != 0 ||
            !atx_entry_may_answer(e, q->device) || atx_entry_is_on(e, q->device) != on_device)
            continue;
        double d = e == q->outdated ? INFINITY : atx_shape_distance(e, p, traffic);
        d += on_device ? 0 : atx_device_distance(e, &device) + (d > 0 ? OTHER_SHAPE : 0);
        list[out->count++] = (atx_ranked){ i, d, e->order };
    }
    atx_rank(list, out->count);
    out->closest = out->count ? list[0].entry : ATX_NO_ENTRY;
    status = q->outdated && on_device ? begin_with_own(out, l, q, err) : AT_OK;
    if (status == AT_OK)
        status = first_that_fits(out, list, l, q, err);
    atx_str_clear(&out->tried);
    free(list);
    return status;
}

const atx_entry *atx_near_entry(const atx_near_found *s, const atx_lookup *l)
{
    return s->runner_up ? s->runner_up : s->entry != ATX_NO_ENTRY ? &l->index.entries[s->entry] : NULL;
}
