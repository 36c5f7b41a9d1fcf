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

const char *atx_match_name(atx_match match)
{
    static const char *const NAMES[] = {
        [ATX_MATCH_EXACT] = "exact",
        [ATX_MATCH_NEAR] = "near",
        [ATX_MATCH_OTHER_DEVICE] = "other_device",
        [ATX_MATCH_NONE] = "none",
        [ATX_MATCH_PREDICTED] = "predicted",
    };
    return (unsigned)match < sizeof NAMES / sizeof *NAMES ? NAMES[match] : "unknown";
}

at_status atx_lookup_open(atx_lookup **out, atx_store *store, const atx_catalog *catalog, at_error *err)
{
    atx_lookup *l = calloc(1, sizeof *l);
    if (!l)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    l->store = store;
    l->catalog = catalog;
    at_status status = atx_index_open(l, err);
    if (status != AT_OK) {
        atx_lookup_close(l);
        return status;
    }
    *out = l;
    return AT_OK;
}

void atx_lookup_add_shipped(atx_lookup *lookup)
{
    lookup->with_shipped = atx_shipped_wanted();
    atx_installed_model(lookup->here, sizeof lookup->here, ATX_INSTALLED_FOLDER);
}

void atx_lookup_exclude(atx_lookup *lookup, const atx_exclusions *exclusions)
{
    lookup->exclusions = exclusions;
}

void atx_lookup_restrict(atx_lookup *lookup, bool exact, atx_outdated_use outdated)
{
    lookup->exact = exact;
    lookup->outdated = outdated;
}

void atx_lookup_look_again(atx_lookup *lookup)
{
    lookup->checked_s = 0;
}

void atx_lookup_close(atx_lookup *lookup)
{
    if (!lookup)
        return;
    atx_index_clear(lookup);
    atx_store_close(lookup->shipped);
    atx_template_close(lookup->measured);
    free(lookup->entries);
    free(lookup);
}

static const char *objective_name(const char *text)
{
    return *text ? text : "time";
}

void atx_limits_on(atx_limits *out, const atx_fingerprint *known, int64_t cc, int64_t sms)
{
    atx_arch_limits(out, cc ? cc : known->cc);
    if (sms)
        out->sms = sms;
    else if (known->sms && (!cc || cc == known->cc))
        out->sms = known->sms;
}

at_status atx_entry_fits(atx_geometry *geometry, const atx_entry *e, const atx_problem *p, int64_t cc,
                         int64_t sms, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    const atx_fingerprint *f = &e->answer.fingerprint;
    atx_limits limits;
    if (!e->t)
        return at_fail(err, AT_ERR_NOT_FOUND, "its template %s is another one now, or is missing",
                       e->answer.winner.template_name);
    if (strcmp(e->answer.winner.objective, p->op->objective_text) != 0)
        return at_fail(err, AT_ERR_NOT_FOUND, "it was chosen by %s, and now %s counts",
                       objective_name(e->answer.winner.objective), objective_name(p->op->objective_text));
    if (e->other_op)
        return at_fail(err, AT_ERR_NOT_FOUND, "its operation %s was changed since, in %s", e->op->name,
                       e->op->file);
    atx_limits_on(&limits, f, cc, sms);
    if (!cc && f->memory_mib > 0)
        limits.memory_bytes = atx_memory_bytes(f->memory_mib);
    at_status status = atx_problem_bind(slots, p, &limits, err);
    if (status == AT_OK)
        status = atx_config_validate(slots, e->t, &e->config, err);
    return status == AT_OK ? atx_geometry_of(geometry, &e->t->launch, slots, err) : status;
}

/* Of the problem's own winner: looked at when it is first asked for. */
static bool stands(atx_entry *e, const atx_lookup *l, const atx_problem *p)
{
    atx_entry_settle(e, l->catalog);
    if (e->standing == ATX_UNCHECKED)
        e->standing = atx_entry_fits(&e->geometry, e, p, 0, 0, NULL) == AT_OK ? ATX_STANDS : ATX_OUTDATED;
    return e->standing == ATX_STANDS;
}

at_status atx_lookup_stands(atx_geometry *geometry, const atx_answer *winner, atx_store *store,
                            const atx_catalog *catalog, const atx_problem *problem, at_error *err)
{
    at_error cause = { 0 };
    atx_entry e = { .answer = *winner, .op = problem->op };
    atx_entry_find_template(&e, catalog, &winner->winner);
    e.other_op = atx_is_of_other_op(store, e.op, winner->winner.op_hash);
    at_status status = atx_entry_fits(geometry, &e, problem, 0, 0, NULL);
    if (status != AT_OK)
        status = atx_entry_refusal(&e, store, catalog, problem, 0, 0, &cause);
    return status == AT_OK ? AT_OK : at_fail(err, AT_ERR_NOT_FOUND, "%s", cause.text);
}

/* The device that is asked for; if none is named, the store's newest, or where it has none the program's. */
static at_status name_device(atx_question *q, atx_lookup *l, const atx_target *target, at_error *err)
{
    const char *device = target && target->name[0] ? target->name : NULL;
    at_status status = device ? AT_OK : atx_index_find_newest(l, err);
    if (status == AT_OK && !device)
        device = l->newest[0]
                     ? l->newest
                     : atx_shipped_device(atx_shipped_groups, l->with_shipped ? atx_shipped_group_count : 0,
                                          q->problem->op->name, l->here);
    if (status == AT_OK)
        snprintf(q->device, sizeof q->device, "%s", device);
    q->cc = target ? target->cc : 0;
    q->sms = target ? target->sms : 0;
    return status;
}

/* The first winner of the problem that stands. NULL: none does; q->outdated is then the first that does not.
 */
static at_status find_exact(atx_entry **out, atx_question *q, atx_lookup *l, at_error *err)
{
    const atx_problem *problem = q->problem;
    q->outdated = NULL;
    *out = NULL;
    for (size_t i = l->buckets[q->hash & (l->bucket_count - 1)]; i != ATX_NO_ENTRY; i = l->entries[i].next) {
        atx_entry *e = &l->entries[i];
        if (e->hidden || e->hash != q->hash || !atx_entry_is_of(e, problem->op, q->type_key, problem->dims) ||
            !atx_entry_may_answer(e, q->device) || !atx_entry_is_on(e, q->device))
            continue;
        at_status usable = stands(e, l, problem) ? atx_entry_usable(NULL, l, e, q, err) : AT_ERR_NOT_FOUND;
        if (usable == AT_OK)
            *out = e;
        if (usable != AT_ERR_NOT_FOUND)
            return usable;
        q->outdated = q->outdated ? q->outdated : e;
    }
    return AT_OK;
}

static at_status begin_question(atx_question *q, atx_lookup *l, const atx_problem *problem,
                                const atx_target *target, at_error *err)
{
    at_status status = atx_index_refresh(l, err);
    if (status != AT_OK)
        return status;
    *q = (atx_question){ .problem = problem };
    q->type_key = atx_dtype_key(problem->type, problem->op->storage);
    q->hash = atx_problem_hash(problem->op, q->type_key, problem->dims);
    status = name_device(q, l, target, err);
    return status == AT_OK ? atx_index_add_asked(l, q, err) : status;
}

/* All that may be near, and this problem's where its shape is written in another way. There is room for the
 * program's again, so that entries stay where they are. */
static at_status add_all_own(atx_lookup *l, const atx_question *q, at_error *err)
{
    at_status status = atx_index_add_own(l, q->problem->op, q->type_key, err);
    return status == AT_OK ? atx_index_add_shipped(l, q->problem->op, q->type_key, q->device, true, err)
                           : status;
}

void atx_found_take_exact(atx_found *out, const atx_entry *e, const atx_question *q)
{
    *out = (atx_found){ .match = ATX_MATCH_EXACT,
                        .why = "",
                        .t = e->t,
                        .config = e->config,
                        .geometry = e->geometry,
                        .answer = &e->answer,
                        .device = e->answer.fingerprint.device,
                        .cc = q->cc ? q->cc : e->answer.fingerprint.cc,
                        .sms = q->sms ? q->sms : e->answer.fingerprint.sms,
                        .shipped = e->shipped,
                        .own = true };
}

/* No winner of the problem is valid. */
static at_status find_other(atx_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    const bool outdated = l->outdated != ATX_OUTDATED_NEVER && atx_outdated_may_answer(q);
    at_status status = outdated && l->outdated == ATX_OUTDATED_FIRST
                           ? atx_lookup_outdated(out, l, q, true, err)
                           : AT_ERR_NOT_FOUND;
    if (status != AT_ERR_NOT_FOUND)
        return status;
    status = atx_lookup_near(out, l, q, err);
    if (status == AT_OK && l->exact && out->match != ATX_MATCH_NONE)
        *out = (atx_found){ .match = ATX_MATCH_NONE, .why = out->why, .device = out->device };
    if (status == AT_OK && out->match == ATX_MATCH_NONE && outdated && l->outdated == ATX_OUTDATED_LAST)
        status = atx_lookup_outdated(out, l, q, false, err);
    return status;
}

static at_status find(atx_found *out, atx_lookup *l, const atx_problem *problem, const atx_target *target,
                      at_error *err)
{
    atx_question q;
    at_status status = begin_question(&q, l, problem, target, err);
    if (status != AT_OK)
        return status;
    atx_entry *e = NULL;
    status = find_exact(&e, &q, l, err);
    if (!e && status == AT_OK) {
        status = atx_index_add_shipped(l, problem->op, q.type_key, q.device, true, err);
        if (status == AT_OK) /* again where none came: entries may lie elsewhere */
            status = find_exact(&e, &q, l, err);
    }
    if (!e && status == AT_OK && !atx_index_has_own(l, problem->op, q.type_key)) {
        status = add_all_own(l, &q, err);
        if (status == AT_OK)
            status = find_exact(&e, &q, l, err);
    }
    if (status != AT_OK)
        return status;
    if (!e)
        return find_other(out, l, &q, err);
    atx_found_take_exact(out, e, &q);
    return AT_OK;
}

/* What the catalog could not read is as if it were not there: nothing of that may stay. */
at_status atx_lookup_find(atx_found *out, atx_lookup *l, const atx_problem *problem, const atx_target *target,
                          at_error *err)
{
    atx_found found;
    atx_target meant;
    at_status status = target ? atx_lookup_meant(&meant, l, target, err) : AT_OK;
    if (status == AT_OK)
        status = find(&found, l, problem, target ? &meant : NULL, err);
    at_status failed = atx_catalog_failure(l->catalog, err);
    if (failed != AT_OK) {
        atx_index_clear(l);
        return failed;
    }
    if (status == AT_OK)
        *out = found;
    return status;
}
