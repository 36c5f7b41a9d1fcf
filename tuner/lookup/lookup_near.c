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
#include "lookup/lookup_index.h"

#include "util/clock.h"
#include "util/printable.h"
#include "util/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_SHAPE 32.0 /* on another device the same shape goes before all others          */
#define RUNNERS_UP  4    /* problems whose trials are looked at: each is read from the store */
#define OTHER_TYPE  8.0  /* as a start for a search: elements of another size, on any device */

typedef struct ranked {
    size_t entry;
    double distance;
    uint64_t order;
} ranked;

static int by_distance(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* What a search through the winners of the device, or of all others, came to. */
typedef struct search {
    size_t count;         /* winners of the op and element type there      */
    size_t closest;       /* AT__NO_ENTRY when there are none              */
    size_t entry;         /* the closest that fits, or AT__NO_ENTRY        */
    at__entry *runner_up; /* of a closer one, which does not; NULL: none   */
    bool own;             /* of the problem that is asked for              */
    double reach;         /* its distance, and what it costs besides       */
    at__str tried;        /* of the problem that is asked for, where its winner is out of date */
    at__geometry geometry;
} search;

static void drop_runner_up(search *s)
{
    if (s->runner_up)
        at__answer_clear(&s->runner_up->answer);
    free(s->runner_up);
    s->runner_up = NULL;
    s->own = false;
}

/* The winner of `r` does not fit: does another trial of its problem, and is that nearer than what is known?
 */
static at_status try_runner_up(search *out, at__lookup *l, const at__question *q, const ranked *r,
                               at_error *err)
{
    const at__entry *winner = &l->entries[r->entry];
    at__runner_up found;
    at_status status = at__lookup_runner_up(&found, l, winner, q, err);
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    double reach = r->distance + found.cost;
    bool own = winner == q->outdated;
    bool better = reach < out->reach && (own || !at__lookup_was_tried(&out->tried, &found.entry));
    at_status usable = better ? at__entry_usable(NULL, l, &found.entry, q, err) : AT_ERR_NOT_FOUND;
    if (usable != AT_OK && usable != AT_ERR_NOT_FOUND) {
        at__answer_clear(&found.entry.answer);
        return usable;
    }
    better = usable == AT_OK;
    at__entry *kept = better ? malloc(sizeof *kept) : NULL;
    if (!kept) {
        at__answer_clear(&found.entry.answer);
        return better ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
    }
    drop_runner_up(out);
    *kept = found.entry;
    out->runner_up = kept;
    out->own = own;
    out->geometry = found.geometry;
    out->reach = reach;
    return AT_OK;
}

/* The nearest of the list that fits, all told, unless a runner-up is nearer. */
static at_status first_that_fits(search *out, const ranked *list, at__lookup *l, const at__question *q,
                                 at_error *err)
{
    at_status status = AT_OK;
    at__geometry geometry;
    int tried = 0;
    for (size_t i = 0; i < out->count && list[i].distance < out->reach && status == AT_OK; i++) {
        at__entry *e = &l->entries[list[i].entry];
        if (e == q->outdated)
            continue;
        at__entry_settle(e, l->catalog);
        bool fits = at__entry_fits(&geometry, e, q->problem, q->cc, q->sms, NULL) == AT_OK;
        at_status usable = fits ? at__entry_usable(NULL, l, e, q, err) : AT_ERR_NOT_FOUND;
        if (usable != AT_OK && usable != AT_ERR_NOT_FOUND)
            return usable;
        if (usable == AT_OK) {
            double reach = list[i].distance + at__entry_idle_cost(e, &geometry, q->problem);
            if (reach < out->reach && !at__lookup_was_tried(&out->tried, e)) {
                drop_runner_up(out);
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
static at_status begin_with_own(search *out, at__lookup *l, const at__question *q, at_error *err)
{
    at_status status = try_runner_up(out, l, q, &(ranked){ (size_t)(q->outdated - l->entries), 0, 0 }, err);
    return status == AT_OK ? at__lookup_list_tried(&out->tried, l, q->outdated, err) : status;
}

static at_status nearest(search *out, at__lookup *l, const at__question *q, bool on_device, at_error *err)
{
    const at__problem *p = q->problem;
    const double traffic = at__traffic_of(p);
    const at__gpu_model device = { .name = q->device, .cc = q->cc, .sms = q->sms };
    *out = (search){ .closest = AT__NO_ENTRY, .entry = AT__NO_ENTRY, .reach = INFINITY };
    at_status status = at__index_add_shipped(l, p->op, q->type_key, q->device, on_device, err);
    if (status != AT_OK)
        return status;
    ranked *list = malloc((l->count + 1) * sizeof *list);
    if (!list)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->count; i++) {
        const at__entry *e = &l->entries[i];
        if (e->hidden || e->op != p->op || strcmp(e->answer.type_key, q->type_key) != 0 ||
            !at__entry_may_answer(e, q->device) || at__entry_is_on(e, q->device) != on_device)
            continue;
        double d = e == q->outdated ? INFINITY : at__shape_distance(e, p, traffic);
        d += on_device ? 0 : at__device_distance(e, &device) + (d > 0 ? OTHER_SHAPE : 0);
        list[out->count++] = (ranked){ i, d, e->order };
    }
    qsort(list, out->count, sizeof *list, by_distance);
    out->closest = out->count ? list[0].entry : AT__NO_ENTRY;
    status = q->outdated && on_device ? begin_with_own(out, l, q, err) : AT_OK;
    if (status == AT_OK)
        status = first_that_fits(out, list, l, q, err);
    at__str_clear(&out->tried);
    free(list);
    return status;
}

/* ---- the sentence ---- */

static void add_type(at__str *out, const at__problem *p)
{
    if (p->op->storage)
        at__str_addf(out, "%d-byte elements", at__dtype_bytes(p->type));
    else
        at__str_addf(out, "%s elements", at__dtype_name(p->type));
}

/* Why the winner `e` is not used for this problem. `cc` and `sms` as in at__entry_fits. */
static void add_refusal(at__str *out, at__lookup *l, at__entry *e, const at__question *q, int64_t cc,
                        int64_t sms)
{
    at_error cause = { 0 };
    at__str why = { 0 };
    if (at__entry_usable(&why, l, e, q, &cause) == AT_ERR_NOT_FOUND)
        at__str_add(out, at__str_text(&why));
    else if (at__entry_refusal(e, e->shipped ? NULL : l->store, l->catalog, q->problem, cc, sms, &cause) !=
             AT_OK)
        at__str_add(out, cause.text);
    at__str_clear(&why);
}

/* Why the answer is not exact, to stand before a semicolon. */
static void add_reason(at__str *out, at__lookup *l, const at__question *q, const search *here,
                       at__match match)
{
    if (q->outdated) {
        at__str_add(out, "this shape's winner is out of date: ");
        add_refusal(out, l, q->outdated, q, 0, 0);
    } else if (match == AT__MATCH_NEAR) {
        at__str_add(out, "this shape was not tuned");
    } else if (here->count) {
        at__str_addf(out, "nothing that was tuned on %s fits this shape", q->device);
    } else {
        at__str_addf(out, "nothing was tuned on %s", q->device);
    }
}

static void explain_none(at__str *out, at__lookup *l, const at__question *q, const search *here,
                         const search *there)
{
    at__str shape = { 0 };
    size_t count = here->count + there->count;
    size_t closest = here->count ? here->closest : there->closest;
    at__problem_shape(&shape, q->problem);
    if (count) {
        at__str_addf(out, "none of the %zu stored winners of %s for ", count, q->problem->op->name);
        add_type(out, q->problem);
        at__str_addf(out, " fits this shape; the nearest, %s, does not because ",
                     l->entries[closest].answer.shape);
        add_refusal(out, l, &l->entries[closest], q, q->cc, q->sms);
    } else {
        at__str_addf(out, "the store has no winner of %s for ", q->problem->op->name);
        add_type(out, q->problem);
        at__str_addf(out, "; find one with: autotune tune %s %s %s --device 0", q->problem->op->name,
                     at__str_text(&shape), at__dtype_name(q->problem->type));
    }
    out->failed |= shape.failed;
    at__str_clear(&shape);
}

static void add_own(at__str *out, const at__answer *trial, const at__entry *winner)
{
    char here[32], there[32];
    at__time_text(here, sizeof here, trial->winner.timing.median_s);
    if (winner->answer.invalid) {
        at__str_addf(out, "; the configuration is its runner-up, the %s trial that is left: %s",
                     winner->op->objective ? "best" : "fastest", here);
        return;
    }
    at__time_text(there, sizeof there, winner->answer.winner.timing.median_s);
    at__str_addf(out,
                 "; the configuration is its runner-up, the %s trial whose template is the same: %s, "
                 "the winner took %s",
                 winner->op->objective ? "best" : "fastest", here, there);
}

static void explain(at__str *out, at__lookup *l, const at__question *q, at__match match, const search *here,
                    const search *there)
{
    const search *from = match == AT__MATCH_NEAR ? here : there;
    if (match == AT__MATCH_NONE || (!from->runner_up && !l->entries)) {
        explain_none(out, l, q, here, there);
        return;
    }
    const at__answer *a = from->runner_up ? &from->runner_up->answer : &l->entries[from->entry].answer;
    add_reason(out, l, q, here, match);
    if (from->own) {
        add_own(out, a, q->outdated);
        return;
    }
    at__str_addf(out,
                 from->runner_up ? "; the configuration is the best trial of %s that fits"
                                 : "; the configuration is that of %s",
                 a->shape);
    if (match == AT__MATCH_OTHER_DEVICE)
        at__str_addf(out, " on %s", a->fingerprint.device);
}

/* ---- remembered answers ---- */

static bool is_of(const at__memo *m, const at__lookup *l, const at__question *q)
{
    const at__problem *p = q->problem;
    return p->op && m->excluded == at__exclusions_count(l->exclusions) && m->hash == q->hash &&
           m->op == p->op && m->type == p->type && m->cc == q->cc && m->sms == q->sms &&
           memcmp(m->dims, p->dims, (size_t)at__problem_size_count(p->op) * sizeof *p->dims) == 0 &&
           strcmp(m->device, q->device) == 0;
}

void at__memo_clear(at__memo *m)
{
    if (m->runner_up)
        at__answer_clear(&m->runner_up->answer);
    free(m->runner_up);
    *m = (at__memo){ .op = NULL };
}

static void remember(at__memo *m, const at__lookup *l, const at__question *q)
{
    at__memo_clear(m);
    *m = (at__memo){ .op = q->problem->op,
                     .type = q->problem->type,
                     .hash = q->hash,
                     .cc = q->cc,
                     .sms = q->sms,
                     .entry = AT__NO_ENTRY,
                     .excluded = at__exclusions_count(l->exclusions),
                     .match = AT__MATCH_NONE };
    memcpy(m->dims, q->problem->dims, sizeof m->dims);
    snprintf(m->device, sizeof m->device, "%s", q->device);
}

/* What was found, as an entry; NULL: nothing. */
static const at__entry *entry_of(const search *s, const at__lookup *l)
{
    return s->runner_up ? s->runner_up : s->entry != AT__NO_ENTRY ? &l->entries[s->entry] : NULL;
}

/* A model's answer instead, unless the problem's own trials have one, here or on another device: their times
 * are known. */
static at_status ask_model(at__memo *m, at__lookup *l, const at__question *q, const search *here,
                           const search *there, at_error *err)
{
    at__prediction p;
    const at__entry *near = entry_of(here, l), *far = near ? NULL : entry_of(there, l);
    if (here->own || (far && at__entry_is_of(far, q->problem->op, q->type_key, q->problem->dims)))
        return AT_OK;
    at_status status = at__lookup_predict(&p, l, q, near ? near : far, near ? here->reach : INFINITY, err);
    size_t len = strlen(m->why);
    snprintf(m->why + len, sizeof m->why - len, "%s", p.broken);
    m->expected_s = p.expected_s; /* of a near winner that nothing is expected to beat, too */
    m->doubt = p.doubt;
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    at__entry *kept = malloc(sizeof *kept);
    if (!kept) {
        at__answer_clear(&p.entry.answer);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    *kept = p.entry;
    kept->shipped = p.shipped;
    if (m->runner_up) { /* that of `here`, or of another device */
        at__answer_clear(&m->runner_up->answer);
        free(m->runner_up);
    }
    m->runner_up = kept;
    m->entry = AT__NO_ENTRY;
    m->by_model = true;
    m->match = p.own ? AT__MATCH_PREDICTED : AT__MATCH_OTHER_DEVICE;
    m->geometry = p.geometry;
    snprintf(m->why, sizeof m->why, "%s%s", p.why, p.broken);
    return AT_OK;
}

static at_status search_all(at__memo *m, at__lookup *l, const at__question *q, at_error *err)
{
    search here, there = { .entry = AT__NO_ENTRY };
    at__str why = { 0 };
    at_status status = nearest(&here, l, q, true, err);
    bool is_here = here.entry != AT__NO_ENTRY || here.runner_up;
    if (status == AT_OK && !is_here)
        status = nearest(&there, l, q, false, err);
    const search *found = is_here ? &here : &there;
    if (status != AT_OK) {
        drop_runner_up(&here);
        drop_runner_up(&there);
        return status;
    }
    remember(m, l, q);
    m->entry = found->entry;
    m->runner_up = found->runner_up;
    m->own = found->runner_up && found->own;
    m->refused = !entry_of(found, l) && here.count + there.count;
    m->geometry = found->geometry;
    m->match = found->entry == AT__NO_ENTRY && !found->runner_up ? AT__MATCH_NONE
               : is_here                                         ? AT__MATCH_NEAR
                                                                 : AT__MATCH_OTHER_DEVICE;
    explain(&why, l, q, m->match, &here, &there);
    snprintf(m->why, sizeof m->why, "%s", at__str_text(&why));
    status = at__str_status(&why, err);
    if (status == AT_OK)
        status = ask_model(m, l, q, &here, &there, err);
    at__make_printable(m->why, sizeof m->why); /* it names devices and shapes of the store */
    at__str_clear(&why);
    if (status != AT_OK)
        at__memo_clear(m); /* an answer with half a reason must not be remembered */
    return status;
}

/* Where the answer to such a question is kept. */
static at__memo *memo_of(at__lookup *l, const at__question *q)
{
    if (!l->memo && !(l->memo = calloc(AT__MEMO_COUNT, sizeof(void *))))
        return NULL;
    at__memo **m = &l->memo[(q->hash ^ q->hash >> 32) & (AT__MEMO_COUNT - 1)];
    return *m ? *m : (*m = calloc(1, sizeof **m));
}

at_status at__lookup_near(at__found *out, at__lookup *l, const at__question *q, at_error *err)
{
    at__limits limits;
    at__memo *m = memo_of(l, q);
    if (!m)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    at_status status = is_of(m, l, q) ? AT_OK : search_all(m, l, q, err);
    if (status != AT_OK)
        return status;
    *out = (at__found){ .match = m->match, .why = m->why, .device = m->device, .own = m->own };
    out->refused = m->match == AT__MATCH_NONE && m->refused;
    out->by_model = m->by_model;
    out->runner_up = m->runner_up && !m->by_model;
    out->expected_s = m->expected_s;
    out->doubt = m->doubt;
    if (m->runner_up || m->entry != AT__NO_ENTRY) {
        const at__entry *e = m->runner_up ? m->runner_up : &l->entries[m->entry];
        out->t = e->t;
        out->config = e->config;
        out->geometry = m->geometry;
        out->answer = &e->answer;
        out->shipped = e->shipped;
        at__limits_on(&limits, &e->answer.fingerprint, q->cc, q->sms);
        out->cc = m->match != AT__MATCH_OTHER_DEVICE || q->cc ? limits.cc : 0;
        out->sms = m->match != AT__MATCH_OTHER_DEVICE || q->cc ? limits.sms : 0;
    }
    return AT_OK;
}

/* ---- where a search begins ---- */

static bool is_there(const at__hint *list, int count, const at__entry *e)
{
    for (int i = 0; i < count; i++)
        if (list[i].t == e->t && memcmp(&list[i].config, &e->config, sizeof e->config) == 0)
            return true;
    return false;
}

/* The winner as the present template reads it: for a start, another version of the template or the op will
 * do. */
static bool read_again(at__entry *e, const at__lookup *l)
{
    const at__winner *w = &e->answer.winner;
    if (!e->t)
        e->t = at__catalog_find_template(l->catalog, e->op, w->template_name);
    e->other_op = false;
    return e->t && at__config_parse(&e->config, e->t, w->config, NULL) == AT_OK;
}

at_status at__lookup_hints(at__hint *out, int *count, int max, at__lookup *l, const at__problem *p,
                           const at__target *target, at_error *err)
{
    const char *type_key = at__dtype_key(p->type, p->op->storage);
    const double traffic = at__traffic_of(p);
    const at__gpu_model device = { .name = target->name, .cc = target->cc, .sms = target->sms };
    at_status status = at__index_refresh(l, err);
    if (status == AT_OK)
        status = at__index_add_own(l, p->op, NULL, err);
    if (status == AT_OK)
        status = at__index_add_shipped(l, p->op, NULL, NULL, true, err); /* of all devices and types */
    if (status != AT_OK)
        return status;
    ranked *list = malloc((l->count + 1) * sizeof *list);
    size_t found = 0;
    at__geometry ignored;
    *count = 0;
    if (!list)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->count; i++) {
        const at__entry *e = &l->entries[i];
        if (e->hidden || e->answer.invalid || e->op != p->op || !at__entry_may_answer(e, target->name))
            continue;
        double d =
            at__shape_distance(e, p, traffic) + (strcmp(e->answer.type_key, type_key) == 0 ? 0 : OTHER_TYPE);
        d += at__entry_is_on(e, target->name) ? 0 : 1 + at__device_distance(e, &device);
        list[found++] = (ranked){ i, d, e->order };
    }
    qsort(list, found, sizeof *list, by_distance);
    for (size_t i = 0; i < found && *count < max; i++) {
        at__entry e = l->entries[list[i].entry];
        if (read_again(&e, l) && !is_there(out, *count, &e) &&
            at__entry_fits(&ignored, &e, p, target->cc, target->sms, NULL) == AT_OK)
            out[(*count)++] = (at__hint){ e.t, e.config, &l->entries[list[i].entry].answer };
    }
    free(list);
    return AT_OK;
}
