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
    size_t closest;       /* ATX_NO_ENTRY when there are none              */
    size_t entry;         /* the closest that fits, or ATX_NO_ENTRY        */
    atx_entry *runner_up; /* of a closer one, which does not; NULL: none   */
    bool own;             /* of the problem that is asked for              */
    double reach;         /* its distance, and what it costs besides       */
    atx_str tried;        /* of the problem that is asked for, where its winner is out of date */
    atx_geometry geometry;
} search;

static void drop_runner_up(search *s)
{
    if (s->runner_up)
        atx_answer_clear(&s->runner_up->answer);
    free(s->runner_up);
    s->runner_up = NULL;
    s->own = false;
}

/* The winner of `r` does not fit: does another trial of its problem, and is that nearer than what is known?
 */
static at_status try_runner_up(search *out, atx_lookup *l, const atx_question *q, const ranked *r,
                               at_error *err)
{
    const atx_entry *winner = &l->entries[r->entry];
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
    drop_runner_up(out);
    *kept = found.entry;
    out->runner_up = kept;
    out->own = own;
    out->geometry = found.geometry;
    out->reach = reach;
    return AT_OK;
}

/* The nearest of the list that fits, all told, unless a runner-up is nearer. */
static at_status first_that_fits(search *out, const ranked *list, atx_lookup *l, const atx_question *q,
                                 at_error *err)
{
    at_status status = AT_OK;
    atx_geometry geometry;
    int tried = 0;
    for (size_t i = 0; i < out->count && list[i].distance < out->reach && status == AT_OK; i++) {
        atx_entry *e = &l->entries[list[i].entry];
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
static at_status begin_with_own(search *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    at_status status = try_runner_up(out, l, q, &(ranked){ (size_t)(q->outdated - l->entries), 0, 0 }, err);
    return status == AT_OK ? atx_lookup_list_tried(&out->tried, l, q->outdated, err) : status;
}

static at_status nearest(search *out, atx_lookup *l, const atx_question *q, bool on_device, at_error *err)
{
    const atx_problem *p = q->problem;
    const double traffic = atx_traffic_of(p);
    const atx_gpu_model device = { .name = q->device, .cc = q->cc, .sms = q->sms };
    *out = (search){ .closest = ATX_NO_ENTRY, .entry = ATX_NO_ENTRY, .reach = INFINITY };
    at_status status = atx_index_add_shipped(l, p->op, q->type_key, q->device, on_device, err);
    if (status != AT_OK)
        return status;
    ranked *list = malloc((l->count + 1) * sizeof *list);
    if (!list)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->count; i++) {
        const atx_entry *e = &l->entries[i];
        if (e->hidden || e->op != p->op || strcmp(e->answer.type_key, q->type_key) != 0 ||
            !atx_entry_may_answer(e, q->device) || atx_entry_is_on(e, q->device) != on_device)
            continue;
        double d = e == q->outdated ? INFINITY : atx_shape_distance(e, p, traffic);
        d += on_device ? 0 : atx_device_distance(e, &device) + (d > 0 ? OTHER_SHAPE : 0);
        list[out->count++] = (ranked){ i, d, e->order };
    }
    qsort(list, out->count, sizeof *list, by_distance);
    out->closest = out->count ? list[0].entry : ATX_NO_ENTRY;
    status = q->outdated && on_device ? begin_with_own(out, l, q, err) : AT_OK;
    if (status == AT_OK)
        status = first_that_fits(out, list, l, q, err);
    atx_str_clear(&out->tried);
    free(list);
    return status;
}

/* ---- the sentence ---- */

static void add_type(atx_str *out, const atx_problem *p)
{
    if (p->op->storage)
        atx_str_addf(out, "%d-byte elements", atx_dtype_bytes(p->type));
    else
        atx_str_addf(out, "%s elements", atx_dtype_name(p->type));
}

/* Why the winner `e` is not used for this problem. `cc` and `sms` as in atx_entry_fits. */
static void add_refusal(atx_str *out, atx_lookup *l, atx_entry *e, const atx_question *q, int64_t cc,
                        int64_t sms)
{
    at_error cause = { 0 };
    atx_str why = { 0 };
    if (atx_entry_usable(&why, l, e, q, &cause) == AT_ERR_NOT_FOUND)
        atx_str_add(out, atx_str_text(&why));
    else if (atx_entry_refusal(e, e->shipped ? NULL : l->store, l->catalog, q->problem, cc, sms, &cause) !=
             AT_OK)
        atx_str_add(out, cause.text);
    atx_str_clear(&why);
}

/* Why the answer is not exact, to stand before a semicolon. */
static void add_reason(atx_str *out, atx_lookup *l, const atx_question *q, const search *here,
                       atx_match match)
{
    if (q->outdated) {
        atx_str_add(out, "this shape's winner is out of date: ");
        add_refusal(out, l, q->outdated, q, 0, 0);
    } else if (match == ATX_MATCH_NEAR) {
        atx_str_add(out, "this shape was not tuned");
    } else if (here->count) {
        atx_str_addf(out, "nothing that was tuned on %s fits this shape", q->device);
    } else {
        atx_str_addf(out, "nothing was tuned on %s", q->device);
    }
}

static void explain_none(atx_str *out, atx_lookup *l, const atx_question *q, const search *here,
                         const search *there)
{
    atx_str shape = { 0 };
    size_t count = here->count + there->count;
    size_t closest = here->count ? here->closest : there->closest;
    atx_problem_shape(&shape, q->problem);
    if (count) {
        atx_str_addf(out, "none of the %zu stored winners of %s for ", count, q->problem->op->name);
        add_type(out, q->problem);
        atx_str_addf(out, " fits this shape; the nearest, %s, does not because ",
                     l->entries[closest].answer.shape);
        add_refusal(out, l, &l->entries[closest], q, q->cc, q->sms);
    } else {
        atx_str_addf(out, "the store has no winner of %s for ", q->problem->op->name);
        add_type(out, q->problem);
        atx_str_addf(out, "; find one with: autotune tune %s %s %s --device 0", q->problem->op->name,
                     atx_str_text(&shape), atx_dtype_name(q->problem->type));
    }
    out->failed |= shape.failed;
    atx_str_clear(&shape);
}

static void add_own(atx_str *out, const atx_answer *trial, const atx_entry *winner)
{
    char here[32], there[32];
    atx_time_text(here, sizeof here, trial->winner.timing.median_s);
    if (winner->answer.invalid) {
        atx_str_addf(out, "; the configuration is its runner-up, the %s trial that is left: %s",
                     winner->op->objective ? "best" : "fastest", here);
        return;
    }
    atx_time_text(there, sizeof there, winner->answer.winner.timing.median_s);
    atx_str_addf(out,
                 "; the configuration is its runner-up, the %s trial whose template is the same: %s, "
                 "the winner took %s",
                 winner->op->objective ? "best" : "fastest", here, there);
}

static void explain(atx_str *out, atx_lookup *l, const atx_question *q, atx_match match, const search *here,
                    const search *there)
{
    const search *from = match == ATX_MATCH_NEAR ? here : there;
    if (match == ATX_MATCH_NONE || (!from->runner_up && !l->entries)) {
        explain_none(out, l, q, here, there);
        return;
    }
    const atx_answer *a = from->runner_up ? &from->runner_up->answer : &l->entries[from->entry].answer;
    add_reason(out, l, q, here, match);
    if (from->own) {
        add_own(out, a, q->outdated);
        return;
    }
    atx_str_addf(out,
                 from->runner_up ? "; the configuration is the best trial of %s that fits"
                                 : "; the configuration is that of %s",
                 a->shape);
    if (match == ATX_MATCH_OTHER_DEVICE)
        atx_str_addf(out, " on %s", a->fingerprint.device);
}

/* ---- remembered answers ---- */

static bool is_of(const atx_memo *m, const atx_lookup *l, const atx_question *q)
{
    const atx_problem *p = q->problem;
    return p->op && m->excluded == atx_exclusions_count(l->exclusions) && m->hash == q->hash &&
           m->op == p->op && m->type == p->type && m->cc == q->cc && m->sms == q->sms &&
           memcmp(m->dims, p->dims, (size_t)atx_problem_size_count(p->op) * sizeof *p->dims) == 0 &&
           strcmp(m->device, q->device) == 0;
}

void atx_memo_clear(atx_memo *m)
{
    if (m->runner_up)
        atx_answer_clear(&m->runner_up->answer);
    free(m->runner_up);
    *m = (atx_memo){ .op = NULL };
}

static void remember(atx_memo *m, const atx_lookup *l, const atx_question *q)
{
    atx_memo_clear(m);
    *m = (atx_memo){ .op = q->problem->op,
                     .type = q->problem->type,
                     .hash = q->hash,
                     .cc = q->cc,
                     .sms = q->sms,
                     .entry = ATX_NO_ENTRY,
                     .excluded = atx_exclusions_count(l->exclusions),
                     .match = ATX_MATCH_NONE };
    memcpy(m->dims, q->problem->dims, sizeof m->dims);
    snprintf(m->device, sizeof m->device, "%s", q->device);
}

/* What was found, as an entry; NULL: nothing. */
static const atx_entry *entry_of(const search *s, const atx_lookup *l)
{
    return s->runner_up ? s->runner_up : s->entry != ATX_NO_ENTRY ? &l->entries[s->entry] : NULL;
}

/* A model's answer instead, unless the problem's own trials have one, here or on another device: their times
 * are known. */
static at_status ask_model(atx_memo *m, atx_lookup *l, const atx_question *q, const search *here,
                           const search *there, at_error *err)
{
    atx_prediction p;
    const atx_entry *near = entry_of(here, l), *far = near ? NULL : entry_of(there, l);
    if (here->own || (far && atx_entry_is_of(far, q->problem->op, q->type_key, q->problem->dims)))
        return AT_OK;
    at_status status = atx_lookup_predict(&p, l, q, near ? near : far, near ? here->reach : INFINITY, err);
    size_t len = strlen(m->why);
    snprintf(m->why + len, sizeof m->why - len, "%s", p.broken);
    m->expected_s = p.expected_s; /* of a near winner that nothing is expected to beat, too */
    m->doubt = p.doubt;
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    atx_entry *kept = malloc(sizeof *kept);
    if (!kept) {
        atx_answer_clear(&p.entry.answer);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    *kept = p.entry;
    kept->shipped = p.shipped;
    if (m->runner_up) { /* that of `here`, or of another device */
        atx_answer_clear(&m->runner_up->answer);
        free(m->runner_up);
    }
    m->runner_up = kept;
    m->entry = ATX_NO_ENTRY;
    m->by_model = true;
    m->match = p.own ? ATX_MATCH_PREDICTED : ATX_MATCH_OTHER_DEVICE;
    m->geometry = p.geometry;
    snprintf(m->why, sizeof m->why, "%s%s", p.why, p.broken);
    return AT_OK;
}

static at_status search_all(atx_memo *m, atx_lookup *l, const atx_question *q, at_error *err)
{
    search here, there = { .entry = ATX_NO_ENTRY };
    atx_str why = { 0 };
    at_status status = nearest(&here, l, q, true, err);
    bool is_here = here.entry != ATX_NO_ENTRY || here.runner_up;
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
    m->match = found->entry == ATX_NO_ENTRY && !found->runner_up ? ATX_MATCH_NONE
               : is_here                                         ? ATX_MATCH_NEAR
                                                                 : ATX_MATCH_OTHER_DEVICE;
    explain(&why, l, q, m->match, &here, &there);
    snprintf(m->why, sizeof m->why, "%s", atx_str_text(&why));
    status = atx_str_status(&why, err);
    if (status == AT_OK)
        status = ask_model(m, l, q, &here, &there, err);
    atx_make_printable(m->why, sizeof m->why); /* it names devices and shapes of the store */
    atx_str_clear(&why);
    if (status != AT_OK)
        atx_memo_clear(m); /* an answer with half a reason must not be remembered */
    return status;
}

/* Where the answer to such a question is kept. */
static atx_memo *memo_of(atx_lookup *l, const atx_question *q)
{
    if (!l->memo && !(l->memo = calloc(ATX_MEMO_COUNT, sizeof(void *))))
        return NULL;
    atx_memo **m = &l->memo[(q->hash ^ q->hash >> 32) & (ATX_MEMO_COUNT - 1)];
    return *m ? *m : (*m = calloc(1, sizeof **m));
}

at_status atx_lookup_near(atx_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    atx_limits limits;
    atx_memo *m = memo_of(l, q);
    if (!m)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    at_status status = is_of(m, l, q) ? AT_OK : search_all(m, l, q, err);
    if (status != AT_OK)
        return status;
    *out = (atx_found){ .match = m->match, .why = m->why, .device = m->device, .own = m->own };
    out->refused = m->match == ATX_MATCH_NONE && m->refused;
    out->by_model = m->by_model;
    out->runner_up = m->runner_up && !m->by_model;
    out->expected_s = m->expected_s;
    out->doubt = m->doubt;
    if (m->runner_up || m->entry != ATX_NO_ENTRY) {
        const atx_entry *e = m->runner_up ? m->runner_up : &l->entries[m->entry];
        out->t = e->t;
        out->config = e->config;
        out->geometry = m->geometry;
        out->answer = &e->answer;
        out->shipped = e->shipped;
        atx_limits_on(&limits, &e->answer.fingerprint, q->cc, q->sms);
        out->cc = m->match != ATX_MATCH_OTHER_DEVICE || q->cc ? limits.cc : 0;
        out->sms = m->match != ATX_MATCH_OTHER_DEVICE || q->cc ? limits.sms : 0;
    }
    return AT_OK;
}

/* ---- where a search begins ---- */

static bool is_there(const atx_hint *list, int count, const atx_entry *e)
{
    for (int i = 0; i < count; i++)
        if (list[i].t == e->t && memcmp(&list[i].config, &e->config, sizeof e->config) == 0)
            return true;
    return false;
}

/* The winner as the present template reads it: for a start, another version of the template or the op will
 * do. */
static bool read_again(atx_entry *e, const atx_lookup *l)
{
    const atx_winner *w = &e->answer.winner;
    if (!e->t)
        e->t = atx_catalog_find_template(l->catalog, e->op, w->template_name);
    e->other_op = false;
    return e->t && atx_config_parse(&e->config, e->t, w->config, NULL) == AT_OK;
}

at_status atx_lookup_hints(atx_hint *out, int *count, int max, atx_lookup *l, const atx_problem *p,
                           const atx_target *target, at_error *err)
{
    const char *type_key = atx_dtype_key(p->type, p->op->storage);
    const double traffic = atx_traffic_of(p);
    const atx_gpu_model device = { .name = target->name, .cc = target->cc, .sms = target->sms };
    at_status status = atx_index_refresh(l, err);
    if (status == AT_OK)
        status = atx_index_add_own(l, p->op, NULL, err);
    if (status == AT_OK)
        status = atx_index_add_shipped(l, p->op, NULL, NULL, true, err); /* of all devices and types */
    if (status != AT_OK)
        return status;
    ranked *list = malloc((l->count + 1) * sizeof *list);
    size_t found = 0;
    atx_geometry ignored;
    *count = 0;
    if (!list)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->count; i++) {
        const atx_entry *e = &l->entries[i];
        if (e->hidden || e->answer.invalid || e->op != p->op || !atx_entry_may_answer(e, target->name))
            continue;
        double d =
            atx_shape_distance(e, p, traffic) + (strcmp(e->answer.type_key, type_key) == 0 ? 0 : OTHER_TYPE);
        d += atx_entry_is_on(e, target->name) ? 0 : 1 + atx_device_distance(e, &device);
        list[found++] = (ranked){ i, d, e->order };
    }
    qsort(list, found, sizeof *list, by_distance);
    for (size_t i = 0; i < found && *count < max; i++) {
        atx_entry e = l->entries[list[i].entry];
        if (read_again(&e, l) && !is_there(out, *count, &e) &&
            atx_entry_fits(&ignored, &e, p, target->cc, target->sms, NULL) == AT_OK)
            out[(*count)++] = (atx_hint){ e.t, e.config, &l->entries[list[i].entry].answer };
    }
    free(list);
    return AT_OK;
}
