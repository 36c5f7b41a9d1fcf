/*
 * lookup.c - answers a look-up: an exact answer, or a search for a near one.
 *
 * The problem's own winners are tried in the order of their chain in the index, the store's before the
 * bundled ones; the first valid one on the device is the answer, without a search or an allocation. If none
 * is valid, the first of them is out of date, and lookup_near.c compares its runner-up with near winners; the
 * result is remembered.
 *
 * Invariant: a winner is valid if its template is in the catalog with the hash that it had and its
 * requirements hold on the winner's own device; this is checked once for an entry, and so is its launch.
 */
#include "lookup/lookup_internal.h"

#include "util/clock.h"
#include "util/printable.h"

#include <math.h>
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

/* ---- the winners in memory ---- */

static bool is_of(const atx_cached *m, const atx_lookup *l, const atx_question *q)
{
    const atx_problem *p = q->problem;
    return p->op && m->excluded == atx_exclusions_count(l->exclusions) && m->hash == q->hash &&
           m->op == p->op && m->type == p->type && m->cc == q->cc && m->sms == q->sms &&
           memcmp(m->dims, p->dims, (size_t)atx_problem_size_count(p->op) * sizeof *p->dims) == 0 &&
           strcmp(m->device, q->device) == 0;
}

static void clear_cached(atx_cached *m)
{
    if (m->runner_up)
        atx_answer_clear(&m->runner_up->answer);
    free(m->runner_up);
    *m = (atx_cached){ .op = NULL };
}

/* All of it is of one version of the file. */
static void forget(atx_lookup *l)
{
    atx_index_clear(&l->index);
    for (int i = 0; l->cached && i < ATX_CACHED_COUNT; i++)
        if (l->cached[i]) {
            clear_cached(l->cached[i]);
            free(l->cached[i]);
        }
    free(l->cached);
    free(l->groups_read);
    free(l->ranges);
    atx_index_set_clear(&l->asked);
    atx_predictors_close(l->predictors);
    l->predictors = NULL;
    l->cached = NULL;
    l->groups_read = NULL;
    l->ranges = NULL;
    l->newest_known = false;
    l->named.name[0] = '\0';
    l->space_op = NULL;
    l->range_count = l->range_cap = 0;
}

/* Whether the file has changed is asked this often at most: it costs a microsecond, an exact answer less. */
#define REFRESH_S 0.1

static at_status read_anew(atx_lookup *l, at_error *err)
{
    forget(l);
    at_status status = l->store ? atx_store_data_version(&l->version, l->store, err) : AT_OK;
    ATX_THEN(status, atx_own_begin(l, err));
    if (status != AT_OK)
        forget(l);
    l->checked_s = atx_now_s();
    return status;
}

/* Drops the winners in memory if the file has changed since. */
static at_status refresh(atx_lookup *l, at_error *err)
{
    int64_t version = 0;
    double now = atx_now_s();
    if (!l->index.buckets) /* reading them has failed */
        return read_anew(l, err);
    if (!l->store || now - l->checked_s < REFRESH_S)
        return AT_OK;
    ATX_TRY(atx_store_data_version(&version, l->store, err));
    if (version != l->version)
        return read_anew(l, err);
    l->checked_s = now;
    return AT_OK;
}

at_status atx_lookup_open(atx_lookup **out, atx_store *store, const atx_catalog *catalog, at_error *err)
{
    atx_lookup *l = calloc(1, sizeof *l);
    if (!l)
        return atx_no_memory(err);
    l->store = store;
    l->catalog = l->index.catalog = catalog;
    at_status status = read_anew(l, err);
    if (status != AT_OK) {
        atx_lookup_close(l);
        return status;
    }
    *out = l;
    return AT_OK;
}

void atx_lookup_add_shipped(atx_lookup *lookup)
{
    lookup->with_shipped = atx_shipped_wanted(lookup->no_environment);
    atx_installed_model(lookup->here, sizeof lookup->here, ATX_INSTALLED_FOLDER);
}

void atx_lookup_no_environment(atx_lookup *lookup)
{
    lookup->no_environment = true;
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
    forget(lookup);
    atx_store_close(lookup->shipped);
    atx_template_close(lookup->measured);
    free(lookup->index.entries);
    free(lookup);
}

/* Of the problem's own winner: looked at when it is first asked for. */
static bool is_valid(atx_entry *e, const atx_lookup *l, const atx_problem *p)
{
    atx_entry_resolve(e, l->catalog);
    if (e->validity == ATX_UNCHECKED)
        e->validity = atx_entry_fits(&e->geometry, e, p, 0, 0, NULL) == AT_OK ? ATX_VALID : ATX_OUTDATED;
    return e->validity == ATX_VALID;
}

/* The device that is asked for; if none is named, the store's newest, or where it has none the program's. */
static at_status name_device(atx_question *q, atx_lookup *l, const atx_target *target, at_error *err)
{
    const char *device = target && target->name[0] ? target->name : NULL;
    at_status status = device ? AT_OK : atx_own_find_newest(l, err);
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

/* The first valid winner of the problem. NULL: there is none; q->outdated is then the first.
 */
static at_status find_exact(atx_entry **out, atx_question *q, atx_lookup *l, at_error *err)
{
    const atx_problem *problem = q->problem;
    q->outdated = NULL;
    *out = NULL;
    for (size_t i = l->index.buckets[q->hash & (l->index.bucket_count - 1)]; i != ATX_NO_ENTRY;
         i = l->index.entries[i].next) {
        atx_entry *e = &l->index.entries[i];
        if (e->hidden || e->hash != q->hash || !atx_entry_is_of(e, problem->op, q->type_key, problem->dims) ||
            !atx_entry_may_answer(e, q->device) || !atx_entry_is_on(e, q->device))
            continue;
        at_status usable = is_valid(e, l, problem) ? atx_entry_usable(NULL, l, e, q, err) : AT_ERR_NOT_FOUND;
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
    ATX_TRY(refresh(l, err));
    *q = (atx_question){ .problem = problem };
    q->type_key = atx_dtype_key(problem->type, problem->op->storage);
    q->hash = atx_problem_hash(problem->op, q->type_key, problem->dims);
    ATX_TRY(name_device(q, l, target, err));
    return atx_own_add_asked(l, q, err);
}

/* All that may be near, and this problem's where its shape is written in another way. There is room for the
 * program's again, so that entries stay where they are. */
static at_status add_all_own(atx_lookup *l, const atx_question *q, at_error *err)
{
    ATX_TRY(atx_own_add(l, q->problem->op, q->type_key, err));
    return atx_shipped_add(l, q->problem->op, q->type_key, q->device, true, err);
}

static void take_exact(atx_found *out, const atx_entry *e, const atx_question *q)
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

/* ---- no winner of the problem is valid ---- */

static void remember(atx_cached *m, const atx_lookup *l, const atx_question *q)
{
    clear_cached(m);
    *m = (atx_cached){ .op = q->problem->op,
                       .type = q->problem->type,
                       .hash = q->hash,
                       .cc = q->cc,
                       .sms = q->sms,
                       .entry = ATX_NO_ENTRY,
                       .excluded = atx_exclusions_count(l->exclusions) };
    memcpy(m->dims, q->problem->dims, sizeof m->dims);
    snprintf(m->device, sizeof m->device, "%s", q->device);
}

/* A model's answer instead, unless the problem's own trials have one, here or on another device: their times
 * are known. */
static at_status ask_model(atx_cached *m, atx_lookup *l, const atx_question *q, const atx_near_found *here,
                           const atx_near_found *there, at_error *err)
{
    atx_prediction p;
    const atx_entry *near = atx_near_entry(here, l), *far = near ? NULL : atx_near_entry(there, l);
    if (here->own || (far && atx_entry_is_of(far, q->problem->op, q->type_key, q->problem->dims)))
        return AT_OK;
    at_status status = atx_lookup_predict(&p, l, q, near ? near : far, near ? here->reach : INFINITY, err);
    size_t len = strlen(m->why);
    snprintf(m->why + len, sizeof m->why - len, "%s", p.broken);
    m->found.expected_s = p.expected_s; /* of a near winner that nothing is expected to beat, too */
    m->found.expected_loss = p.expected_loss;
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? AT_OK : status;
    atx_entry *kept = malloc(sizeof *kept);
    if (!kept) {
        atx_answer_clear(&p.entry.answer);
        return atx_no_memory(err);
    }
    *kept = p.entry;
    kept->shipped = p.shipped;
    if (m->runner_up) { /* that of `here`, or of another device */
        atx_answer_clear(&m->runner_up->answer);
        free(m->runner_up);
    }
    m->runner_up = kept;
    m->entry = ATX_NO_ENTRY;
    m->found.by_model = true;
    m->found.match = p.own ? ATX_MATCH_PREDICTED : ATX_MATCH_OTHER_DEVICE;
    m->found.geometry = p.geometry;
    snprintf(m->why, sizeof m->why, "%s%s", p.why, p.broken);
    return AT_OK;
}

static at_status search_all(atx_cached *m, atx_lookup *l, const atx_question *q, at_error *err)
{
    atx_near_found here, there = { .entry = ATX_NO_ENTRY };
    ATX_LOCAL(atx_str) why = { 0 };
    at_status status = atx_near_search(&here, l, q, true, err);
    bool is_here = here.entry != ATX_NO_ENTRY || here.runner_up;
    if (status == AT_OK && !is_here)
        status = atx_near_search(&there, l, q, false, err);
    const atx_near_found *found = is_here ? &here : &there;
    if (status != AT_OK) {
        atx_near_drop(&here);
        atx_near_drop(&there);
        return status;
    }
    remember(m, l, q);
    m->entry = found->entry;
    m->runner_up = found->runner_up;
    m->found = (atx_found){ .match = is_here                    ? ATX_MATCH_NEAR
                                     : atx_near_entry(found, l) ? ATX_MATCH_OTHER_DEVICE
                                                                : ATX_MATCH_NONE,
                            .own = found->runner_up && found->own,
                            .geometry = found->geometry };
    m->found.refused = m->found.match == ATX_MATCH_NONE && here.count + there.count;
    atx_lookup_reason(&why, l, q, m->found.match, &here, &there);
    snprintf(m->why, sizeof m->why, "%s", atx_str_text(&why));
    status = atx_str_status(&why, err);
    ATX_THEN(status, ask_model(m, l, q, &here, &there, err));
    atx_make_printable(m->why, sizeof m->why); /* it names devices and shapes of the store */
    if (status != AT_OK)
        clear_cached(m); /* an answer with half a reason must not be remembered */
    return status;
}

/* Where the answer to such a question is kept. */
static atx_cached *cached_of(atx_lookup *l, const atx_question *q)
{
    if (!l->cached && !(l->cached = calloc(ATX_CACHED_COUNT, sizeof(void *))))
        return NULL;
    atx_cached **m = &l->cached[(q->hash ^ q->hash >> 32) & (ATX_CACHED_COUNT - 1)];
    return *m ? *m : (*m = calloc(1, sizeof **m));
}

static at_status find_near(atx_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    atx_limits limits;
    atx_cached *m = cached_of(l, q);
    if (!m)
        return atx_no_memory(err);
    ATX_TRY(is_of(m, l, q) ? AT_OK : search_all(m, l, q, err));
    *out = m->found;
    out->why = m->why;
    out->device = m->device;
    if (m->runner_up || m->entry != ATX_NO_ENTRY) {
        const atx_entry *e = m->runner_up ? m->runner_up : &l->index.entries[m->entry];
        const bool is_known =
            m->found.match != ATX_MATCH_OTHER_DEVICE || q->cc; /* what is known of its own */
        out->runner_up = m->runner_up && !m->found.by_model;
        out->t = e->t;
        out->config = e->config;
        out->answer = &e->answer;
        out->shipped = e->shipped;
        atx_limits_on(&limits, &e->answer.fingerprint, q->cc, q->sms);
        out->cc = is_known ? limits.cc : 0;
        out->sms = is_known ? limits.sms : 0;
    }
    return AT_OK;
}

static at_status take_outdated(atx_found *out, atx_lookup *l, const atx_question *q, bool as_measured,
                               at_error *err)
{
    take_exact(out, q->outdated, q);
    return atx_lookup_outdated(out, l, q, as_measured, err);
}

/* What answers instead. */
static at_status find_other(atx_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    const bool outdated = q->outdated && !q->outdated->shipped && !q->outdated->answer.invalid;
    at_status status = AT_ERR_NOT_FOUND;
    if (outdated && l->outdated == ATX_OUTDATED_FIRST)
        status = take_outdated(out, l, q, true, err);
    if (status != AT_ERR_NOT_FOUND)
        return status;
    status = find_near(out, l, q, err);
    if (status == AT_OK && l->exact && out->match != ATX_MATCH_NONE)
        *out = (atx_found){ .match = ATX_MATCH_NONE, .why = out->why, .device = out->device };
    if (status == AT_OK && out->match == ATX_MATCH_NONE && outdated && l->outdated == ATX_OUTDATED_LAST)
        status = take_outdated(out, l, q, false, err);
    return status;
}

static at_status find(atx_found *out, atx_lookup *l, const atx_problem *problem, const atx_target *target,
                      at_error *err)
{
    atx_question q;
    ATX_TRY(begin_question(&q, l, problem, target, err));
    atx_entry *e = NULL;
    ATX_TRY(find_exact(&e, &q, l, err));
    if (!e) {
        ATX_TRY(atx_shipped_add(l, problem->op, q.type_key, q.device, true, err));
        /* again where none came: entries may lie elsewhere */
        ATX_TRY(find_exact(&e, &q, l, err));
    }
    if (!e && !atx_own_has(l, problem->op, q.type_key)) {
        ATX_TRY(add_all_own(l, &q, err));
        ATX_TRY(find_exact(&e, &q, l, err));
    }
    if (!e)
        return find_other(out, l, &q, err);
    take_exact(out, e, &q);
    return AT_OK;
}

static bool is_same_target(const atx_target *a, const atx_target *b)
{
    return strcmp(a->name, b->name) == 0 && a->cc == b->cc && a->sms == b->sms;
}

at_status atx_lookup_meant(atx_target *out, atx_lookup *l, const atx_target *asked, at_error *err)
{
    atx_target meant;
    at_status status = asked->full || !asked->name[0] ? AT_OK : refresh(l, err);
    if (status != AT_OK || asked->full || !asked->name[0]) {
        *out = *asked;
        return status;
    }
    if (l->named.name[0] && is_same_target(&l->named, asked)) {
        *out = l->meant;
        return AT_OK;
    }
    status = atx_lookup_device(&meant, asked, l->store, l->with_shipped, err);
    if (status == AT_OK) {
        l->named = *asked;
        *out = l->meant = meant;
    }
    return status;
}

/* What the catalog could not read is as if it were not there: nothing of that may stay, nor half of what was
 * to be read of winners. */
at_status atx_lookup_find(atx_found *out, atx_lookup *l, const atx_problem *problem, const atx_target *target,
                          at_error *err)
{
    atx_found found = { .match = ATX_MATCH_NONE };
    atx_target meant;
    ATX_TRY(target ? atx_lookup_meant(&meant, l, target, err) : AT_OK);
    at_status status = find(&found, l, problem, target ? &meant : NULL, err);
    at_status failed = atx_catalog_failure(l->catalog, err);
    status = failed != AT_OK ? failed : status;
    if (status != AT_OK) {
        forget(l);
        return status;
    }
    *out = found;
    return AT_OK;
}

/* ---- where a search begins ---- */

#define OTHER_TYPE 8.0 /* elements of another size, on any device */

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
    at_status status = refresh(l, err);
    ATX_THEN(status, atx_own_add(l, p->op, NULL, err));
    if (status == AT_OK)
        status = atx_shipped_add(l, p->op, NULL, NULL, true, err); /* of all devices and types */
    if (status != AT_OK) {
        forget(l);
        return status;
    }
    ATX_FREED atx_ranked *list = malloc((l->index.count + 1) * sizeof *list);
    size_t found = 0;
    atx_geometry ignored;
    *count = 0;
    if (!list)
        return atx_no_memory(err);
    for (size_t i = 0; i < l->index.count; i++) {
        const atx_entry *e = &l->index.entries[i];
        if (e->hidden || e->answer.invalid || e->op != p->op || !atx_entry_may_answer(e, target->name))
            continue;
        double d =
            atx_shape_distance(e, p, traffic) + (strcmp(e->answer.type_key, type_key) == 0 ? 0 : OTHER_TYPE);
        d += atx_entry_is_on(e, target->name) ? 0 : 1 + atx_device_distance(e, &device);
        list[found++] = (atx_ranked){ i, d, e->order };
    }
    atx_rank(list, found);
    for (size_t i = 0; i < found && *count < max; i++) {
        atx_entry e = l->index.entries[list[i].entry];
        if (read_again(&e, l) && !is_there(out, *count, &e) &&
            atx_entry_fits(&ignored, &e, p, target->cc, target->sms, NULL) == AT_OK)
            out[(*count)++] = (atx_hint){ e.t, e.config, &l->index.entries[list[i].entry].answer };
    }
    return AT_OK;
}
