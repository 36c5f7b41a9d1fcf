/*
 * lookup.c - what becomes of a question: an exact answer, or a search for a near one.
 *
 * The problem's own winners are asked in the order of their chain in the index, the store's before those that
 * came with the program; the first on the device that stands is the answer, and costs no search and no
 * memory. Where none stands the first of them is out of date, and lookup_near.c weighs its runner-up against
 * near winners.
 *
 * Invariant: a winner stands when its template is in the catalog with the hash that it had and its
 * requirements hold on the winner's own device; that is found out once for an entry, and so is its launch.
 */
#include "lookup/lookup_index.h"

#include "lang/arch.h"
#include "util/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *at__match_name(at__match match)
{
    static const char *const NAMES[] = {
        [AT__MATCH_EXACT] = "exact",
        [AT__MATCH_NEAR] = "near",
        [AT__MATCH_OTHER_DEVICE] = "other_device",
        [AT__MATCH_NONE] = "none",
        [AT__MATCH_PREDICTED] = "predicted",
    };
    return (unsigned)match < sizeof NAMES / sizeof *NAMES ? NAMES[match] : "unknown";
}

at_status at__lookup_open(at__lookup **out, at__store *store, const at__catalog *catalog, at_error *err)
{
    at__lookup *l = calloc(1, sizeof *l);
    if (!l)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    l->store = store;
    l->catalog = catalog;
    at_status status = at__index_open(l, err);
    if (status != AT_OK) {
        at__lookup_close(l);
        return status;
    }
    *out = l;
    return AT_OK;
}

void at__lookup_add_shipped(at__lookup *lookup)
{
    lookup->with_shipped = at__shipped_wanted();
    at__installed_model(lookup->here, sizeof lookup->here, AT__INSTALLED_FOLDER);
}

void at__lookup_exclude(at__lookup *lookup, const at__exclusions *exclusions)
{
    lookup->exclusions = exclusions;
}

void at__lookup_look_again(at__lookup *lookup)
{
    lookup->checked_s = 0;
}

void at__lookup_close(at__lookup *lookup)
{
    if (!lookup)
        return;
    at__index_clear(lookup);
    at__store_close(lookup->shipped);
    free(lookup->entries);
    free(lookup);
}

static const char *objective_name(const char *text)
{
    return *text ? text : "time";
}

void at__limits_on(at__limits *out, const at__fingerprint *known, int64_t cc, int64_t sms)
{
    at__arch_limits(out, cc ? cc : known->cc);
    if (sms)
        out->sms = sms;
    else if (known->sms && (!cc || cc == known->cc))
        out->sms = known->sms;
}

at_status at__entry_fits(at__geometry *geometry, const at__entry *e, const at__problem *p, int64_t cc,
                         int64_t sms, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS];
    const at__fingerprint *f = &e->answer.fingerprint;
    at__limits limits;
    if (!e->t)
        return at_fail(err, AT_ERR_NOT_FOUND, "its template %s is another one now, or is missing",
                       e->answer.winner.template_name);
    if (strcmp(e->answer.winner.objective, p->op->objective_text) != 0)
        return at_fail(err, AT_ERR_NOT_FOUND, "it was chosen by %s, and now %s counts",
                       objective_name(e->answer.winner.objective), objective_name(p->op->objective_text));
    if (e->other_op)
        return at_fail(err, AT_ERR_NOT_FOUND, "its operation %s was changed since, in %s", e->op->name,
                       e->op->file);
    at__limits_on(&limits, f, cc, sms);
    if (!cc && f->memory_mib > 0)
        limits.memory_bytes = at__memory_bytes(f->memory_mib);
    at_status status = at__problem_bind(slots, p, &limits, err);
    if (status == AT_OK)
        status = at__config_validate(slots, e->t, &e->config, err);
    return status == AT_OK ? at__geometry_of(geometry, &e->t->launch, slots, err) : status;
}

/* Of the problem's own winner: looked at when it is first asked for. */
static bool stands(at__entry *e, const at__lookup *l, const at__problem *p)
{
    at__entry_settle(e, l->catalog);
    if (e->standing == AT__UNCHECKED)
        e->standing = at__entry_fits(&e->geometry, e, p, 0, 0, NULL) == AT_OK ? AT__STANDS : AT__OUTDATED;
    return e->standing == AT__STANDS;
}

at_status at__lookup_stands(at__geometry *geometry, const at__answer *winner, at__store *store,
                            const at__catalog *catalog, const at__problem *problem, at_error *err)
{
    at_error cause = { 0 };
    at__entry e = { .answer = *winner, .op = problem->op };
    at__entry_find_template(&e, catalog, &winner->winner);
    e.other_op = at__is_of_other_op(store, e.op, winner->winner.op_hash);
    at_status status = at__entry_fits(geometry, &e, problem, 0, 0, NULL);
    if (status != AT_OK)
        status = at__entry_refusal(&e, store, catalog, problem, 0, 0, &cause);
    return status == AT_OK ? AT_OK : at_fail(err, AT_ERR_NOT_FOUND, "%s", cause.text);
}

/* The device that is asked for; if none is named, the store's newest, or where it has none the program's. */
static at_status name_device(at__question *q, at__lookup *l, const at__target *target, at_error *err)
{
    bool named = target && target->name[0];
    at_status status = named ? AT_OK : at__index_find_newest(l, err);
    if (named)
        q->device = target->name;
    else if (l->newest[0])
        q->device = l->newest;
    else
        q->device = at__shipped_device(at__shipped_groups, l->with_shipped ? at__shipped_group_count : 0,
                                       q->problem->op->name, l->here);
    q->cc = target ? target->cc : 0;
    q->sms = target ? target->sms : 0;
    return status;
}

/* The first winner of the problem that stands. NULL: none does; q->outdated is then the first that does not.
 */
static at_status find_exact(at__entry **out, at__question *q, at__lookup *l, at_error *err)
{
    const at__problem *problem = q->problem;
    q->outdated = NULL;
    *out = NULL;
    for (size_t i = l->buckets[q->hash & (l->bucket_count - 1)]; i != AT__NO_ENTRY; i = l->entries[i].next) {
        at__entry *e = &l->entries[i];
        if (e->hidden || e->hash != q->hash || !at__entry_is_of(e, problem->op, q->type_key, problem->dims) ||
            !at__entry_may_answer(e, q->device) || !at__entry_is_on(e, q->device))
            continue;
        at_status usable = stands(e, l, problem) ? at__entry_usable(NULL, l, e, q, err) : AT_ERR_NOT_FOUND;
        if (usable == AT_OK)
            *out = e;
        if (usable != AT_ERR_NOT_FOUND)
            return usable;
        q->outdated = q->outdated ? q->outdated : e;
    }
    return AT_OK;
}

static at_status begin_question(at__question *q, at__lookup *l, const at__problem *problem,
                                const at__target *target, at_error *err)
{
    at_status status = at__index_refresh(l, err);
    if (status != AT_OK)
        return status;
    *q = (at__question){ .problem = problem };
    q->type_key = at__dtype_key(problem->type, problem->op->storage);
    q->hash = at__problem_hash(problem->op, q->type_key, problem->dims);
    status = name_device(q, l, target, err);
    return status == AT_OK ? at__index_add_asked(l, q, err) : status;
}

/* All that may be near, and this problem's where its shape is written in another way. There is room for the
 * program's again, so that entries stay where they are. */
static at_status add_all_own(at__lookup *l, const at__question *q, at_error *err)
{
    at_status status = at__index_add_own(l, q->problem->op, q->type_key, err);
    return status == AT_OK ? at__index_add_shipped(l, q->problem->op, q->type_key, q->device, true, err)
                           : status;
}

static at_status find(at__found *out, at__lookup *l, const at__problem *problem, const at__target *target,
                      at_error *err)
{
    at__question q;
    at_status status = begin_question(&q, l, problem, target, err);
    if (status != AT_OK)
        return status;
    at__entry *e = NULL;
    status = find_exact(&e, &q, l, err);
    if (!e && status == AT_OK) {
        status = at__index_add_shipped(l, problem->op, q.type_key, q.device, true, err);
        if (status == AT_OK) /* again where none came: entries may lie elsewhere */
            status = find_exact(&e, &q, l, err);
    }
    if (!e && status == AT_OK && !at__index_has_own(l, problem->op, q.type_key)) {
        status = add_all_own(l, &q, err);
        if (status == AT_OK)
            status = find_exact(&e, &q, l, err);
    }
    if (status != AT_OK)
        return status;
    if (!e)
        return at__lookup_near(out, l, &q, err);
    *out = (at__found){ .match = AT__MATCH_EXACT,
                        .why = "",
                        .t = e->t,
                        .config = e->config,
                        .geometry = e->geometry,
                        .answer = &e->answer,
                        .device = e->answer.fingerprint.device,
                        .cc = q.cc ? q.cc : e->answer.fingerprint.cc,
                        .sms = q.sms ? q.sms : e->answer.fingerprint.sms,
                        .shipped = e->shipped };
    return AT_OK;
}

/* What the catalog could not read is as if it were not there: nothing of that may stay. */
at_status at__lookup_find(at__found *out, at__lookup *l, const at__problem *problem, const at__target *target,
                          at_error *err)
{
    at__found found;
    at__target meant;
    at_status status = target ? at__lookup_meant(&meant, l, target, err) : AT_OK;
    if (status == AT_OK)
        status = find(&found, l, problem, target ? &meant : NULL, err);
    at_status failed = at__catalog_failure(l->catalog, err);
    if (failed != AT_OK) {
        at__index_clear(l);
        return failed;
    }
    if (status == AT_OK)
        *out = found;
    return status;
}
