/*
 * lookup_fits.c - whether a configuration is valid for a problem on a device: its template and operation are
 * those that it won with, the requirements hold there, and nothing is known against it.
 *
 * A configuration is no answer if it was found wrong after it had won, if it was found wrong for this
 * problem, or if it does not work on the device where it is to run (exclusions.h). A row of a winner of the
 * store's own says so. For bundled winners, near ones and predictions, the store is asked for failed trials
 * on that device model.
 *
 * The answer says why a winner cannot be used. A template's hash covers the headers that it includes from the
 * user's folders (source/headers.h) and the files of its op (declare/declare_files.h). Where only these
 * differ, the reason names them: the stored text has notes of what was measured, the store the list of
 * headers. That reads files, so it is done only where the answer is not exact.
 */
#include "lookup/lookup_internal.h"

#include "declare/declare_common.h"
#include "lang/arch.h"
#include "source/headers.h"
#include "source/part_line.h"
#include "util/clock.h"

#include <stdio.h>
#include <string.h>

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
        return atx_fail(err, AT_ERR_NOT_FOUND, "its template %s is another one now, or is missing",
                        e->answer.winner.template_name);
    if (strcmp(e->answer.winner.objective, p->op->goal.objective_text) != 0)
        return atx_fail(err, AT_ERR_NOT_FOUND, "it was chosen by %s, and now %s counts",
                        objective_name(e->answer.winner.objective),
                        objective_name(p->op->goal.objective_text));
    if (e->other_op)
        return atx_fail(err, AT_ERR_NOT_FOUND, "its operation %s was changed since, in %s", e->op->name,
                        e->op->text.file);
    atx_limits_on(&limits, f, cc, sms);
    if (!cc && f->memory_mib > 0)
        limits.memory_bytes = atx_memory_bytes(f->memory_mib);
    ATX_TRY(atx_problem_bind(slots, p, &limits, err));
    ATX_TRY(atx_config_validate(slots, e->t, &e->config, err));
    return atx_geometry_of(geometry, &e->t->call.steps[0].launch, slots, err);
}

/* Has the store a failure of this configuration, which is newer than `since`, for the problem of `key`? */
static at_status find_failure(atx_str *why, const atx_lookup *l, const atx_entry *e,
                              const atx_problem_key *key, const char *since, at_error *err)
{
    ATX_LOCAL(atx_str) ignored = { 0 };
    atx_answer asked = e->answer; /* these are read, not written */
    asked.op = (char *)(uintptr_t)key->op;
    asked.shape = (char *)(uintptr_t)key->shape;
    asked.type_key = (char *)(uintptr_t)key->type_key;
    asked.rank_at = (char *)(uintptr_t)since;
    if (e->t)
        asked.winner.template_hash = e->t->text.hash;
    at_status status = atx_store_find_failure(why ? why : &ignored, l->store, &asked, true, err);
    return status == AT_ERR_NOT_FOUND ? AT_OK : status == AT_OK ? AT_ERR_NOT_FOUND : status;
}

/* For the problem that it won. */
static at_status check_own(atx_str *why, const atx_lookup *l, atx_entry *e, at_error *err)
{
    const atx_problem_key key = { .op = e->answer.op,
                                  .shape = e->answer.shape,
                                  .type_key = e->answer.type_key };
    at_status status = AT_OK;
    if (e->shipped && l->store && (!e->failure_known || (e->answer.invalid && why))) {
        status = find_failure(why, l, e, &key, e->answer.rank_at, err);
        e->answer.invalid = status == AT_ERR_NOT_FOUND;
        e->failure_known = true;
    } else if (e->damaged && why) {
        at_error cause = { 0 };
        if (atx_winner_check(&e->answer.winner, &cause) != AT_OK)
            atx_str_addf(why, "its stored figures are damaged: %s", cause.text);
    } else if (e->answer.invalid && why) {
        status = atx_store_find_failure(why, l->store, &e->answer, false, err);
    }
    if (status != AT_OK && status != AT_ERR_NOT_FOUND)
        return status;
    return e->answer.invalid ? AT_ERR_NOT_FOUND : AT_OK;
}

/* For the problem that is asked about, on the device that is, as far as it is known. */
static at_status check_here(atx_str *why, const atx_lookup *l, const atx_entry *e, const atx_question *q,
                            at_error *err)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_key key;
    atx_entry here = *e;
    if (!atx_entry_is_on(e, q->device))
        snprintf(here.answer.fingerprint.device, sizeof here.answer.fingerprint.device, "%s", q->device);
    ATX_TRY(atx_problem_key_of(&key, &shape, q->problem, err));
    return find_failure(why, l, &here, &key, "", err);
}

at_status atx_entry_usable(atx_str *why, atx_lookup *l, atx_entry *e, const atx_question *q, at_error *err)
{
    const int64_t cc = q->cc ? q->cc : e->answer.fingerprint.cc;
    const at_error *excluded = e->t ? atx_excluded(l->exclusions, q->problem, cc, e->t, &e->config) : NULL;
    if (excluded && why)
        atx_str_addf(why, "it does not work here: %.*s", (int)strcspn(excluded->text, "\n"), excluded->text);
    if (excluded)
        return AT_ERR_NOT_FOUND;
    at_status status = check_own(why, l, e, err);
    bool elsewhere =
        !atx_entry_is_of(e, q->problem->op, q->type_key, q->problem->dims) || !atx_entry_is_on(e, q->device);
    return status == AT_OK && elsewhere && l->store ? check_here(why, l, e, q, err) : status;
}

at_status atx_lookup_usable(atx_lookup *l, const atx_problem *problem, const atx_target *target,
                            const atx_template *t, const atx_config *config, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_question q = { .problem = problem,
                       .type_key = atx_dtype_key(problem->type, problem->op->storage),
                       .cc = target->cc };
    memcpy(q.device, target->name, sizeof q.device);
    atx_entry e = { .t = t, .config = *config }; /* of no op: it won nothing */
    atx_config_text(&text, t, config);
    e.answer.winner = (atx_winner){ .template_name = t->name, .config = atx_str_text(&text) };
    snprintf(e.answer.fingerprint.device, sizeof e.answer.fingerprint.device, "%s", target->name);
    ATX_TRY(atx_str_status(&text, err));
    return atx_entry_usable(NULL, l, &e, &q, err);
}

/* ---- why it is not ---- */

typedef struct data_notes {
    const char *lines;
    size_t len;
} data_notes;

/* A bundle's notes of files' contents, and what follows all notes. */
static data_notes notes_of(const char *source, const char **text)
{
    data_notes notes;
    size_t len;
    const char *rest;
    atx_bundle_note(&len, &rest, source);
    notes.lines = atx_bundle_data(&notes.len, text, rest);
    return notes;
}

/* Do two bundles differ by their notes alone? */
static bool is_same_text(const char *a, const char *b)
{
    const char *text_a, *text_b;
    notes_of(a, &text_a);
    notes_of(b, &text_b);
    return strcmp(text_a, text_b) == 0;
}

/* A template, or an op, as the catalog has it; source NULL: it has none. */
typedef struct known {
    const char *source, *headers, *hash;
} known;

/* A stored text, which may differ from the present one by its notes. False: it is not there, or another one.
 */
static bool get_text(atx_str *source, const char *hash, const known *present, atx_store *store)
{
    return store && atx_store_get_source(source, store, hash, NULL) == AT_OK &&
           (!present->source || is_same_text(atx_str_text(source), present->source));
}

/* Of the op's arrays in files: the first that is another one. */
static at_status check_data(const char *before, const char *now, at_error *err)
{
    const char *text;
    const data_notes a = notes_of(before, &text), b = notes_of(now, &text);
    for (const char *line = b.lines, *end = line + b.len; line < end; line = strchr(line, '\n') + 1) {
        size_t len = strcspn(line, "\n") + 1;
        if (memmem(a.lines, a.len, line, len))
            continue;
        const char *hash = line + sizeof ATX_PART_DATA - 1, *name = strchr(hash, ' ');
        if (name && name < line + len)
            return atx_fail(err, AT_ERR_INPUT, "%.*s %s; expected what it was measured with, or a new run",
                            (int)(line + len - 1 - (name + 1)), name + 1,
                            strncmp(hash, "absent ", 7) == 0 ? "is missing" : "has other contents now");
    }
    return AT_OK;
}

/* A name of `note` that `before` has not: "<NAME>". NULL: there is none. */
static const char *new_name(size_t *len, const char *note, const char *before)
{
    const char *at = atx_headers_name(len, note);
    while (at && memmem(before, strlen(before), at, *len))
        at = atx_headers_name(len, at + *len);
    return at;
}

/* The note that was stored holds, and the text is another one nevertheless. */
static at_status explain_present(const known *present, const char *before, at_error *err)
{
    size_t len;
    const char *name = present->headers ? new_name(&len, present->headers, before) : NULL;
    if (name)
        return atx_fail(err, AT_ERR_INPUT,
                        "found %.*s in a folder that --headers or " ATX_HEADERS_ENV
                        " names, and the kernel was "
                        "measured without that folder; expected none that has it, or a new run",
                        (int)len, name);
    if (!before[0])
        return AT_OK;
    return atx_fail(
        err, AT_ERR_INPUT,
        "found the headers that it was measured with, but they were others when this program read "
        "its templates; expected that it opens them again");
}

/* The present state of a text that was stored under this hash. */
static at_status check_headers(atx_store *store, const atx_catalog *catalog, const known *present,
                               const char *stored, at_error *err)
{
    ATX_LOCAL(atx_str) source = { 0 }, note = { 0 }, list = { 0 };
    char hash[ATX_HASH_TEXT] = "";
    size_t len;
    const char *rest;
    const bool same = get_text(&source, stored, present, store);
    if (same) {
        const char *found = atx_bundle_note(&len, &rest, atx_str_text(&source));
        atx_str_add_bytes(&note, found, len);
    }
    at_status status = atx_str_status(&note, err);
    if (status == AT_OK && note.len >= ATX_HASH_TEXT) {
        memcpy(hash, note.data, ATX_HASH_TEXT - 1);
        bool listed = atx_store_get_source(&list, store, hash, NULL) == AT_OK;
        status = atx_catalog_check_headers(catalog, note.data, listed ? atx_str_text(&list) : NULL, err);
    }
    if (status == AT_OK && same && present->source)
        status = check_data(atx_str_text(&source), present->source, err);
    if (status == AT_OK && same && present->source && strcmp(present->hash, stored) != 0)
        status = explain_present(present, atx_str_text(&note), err);
    return status;
}

at_status atx_lookup_check_headers(atx_store *store, const atx_catalog *catalog, const atx_op *op,
                                   const char *template_name, const char *template_hash, at_error *err)
{
    const atx_template *t = atx_catalog_find_template(catalog, op, template_name);
    const known present = { t ? t->text.source : NULL, t ? t->text.headers : NULL, t ? t->text.hash : NULL };
    return check_headers(store, catalog, &present, template_hash, err);
}

/* Of the op, where its text is stored under the hash that its proof has: with `metric` lines it is not. */
static at_status check_op(atx_store *store, const atx_catalog *catalog, const atx_entry *e, at_error *err)
{
    char proof_hash[ATX_HASH_TEXT];
    const known present = { e->op->text.source, e->op->text.headers, e->op->text.hash };
    if (!store || atx_store_get_space(proof_hash, store, e->answer.winner.op_hash, NULL) != AT_OK)
        return AT_OK;
    return check_headers(store, catalog, &present, proof_hash, err);
}

/* As atx_entry_fits. Where the template is another one because its headers are, or are missing, *err says
 * which. */
static at_status check_entry(const atx_entry *e, atx_store *store, const atx_catalog *catalog,
                             const atx_problem *p, int64_t cc, int64_t sms, at_error *err)
{
    at_error cause = { 0 };
    atx_geometry ignored;
    const atx_winner *w = &e->answer.winner;
    at_status status = atx_entry_fits(&ignored, e, p, cc, sms, err);
    if (status == AT_OK)
        return AT_OK;
    if (!e->t && atx_lookup_check_headers(store, catalog, e->op, w->template_name, w->template_hash,
                                          &cause) == AT_ERR_INPUT)
        return atx_fail(err, status, "its template %s is another one now: %s", w->template_name, cause.text);
    if (e->t && e->other_op && check_op(store, catalog, e, &cause) == AT_ERR_INPUT)
        return atx_fail(err, status, "its operation %s is another one now: %s", e->op->name, cause.text);
    return status;
}

at_status atx_lookup_check_winner(atx_geometry *geometry, const atx_answer *winner, atx_store *store,
                                  const atx_catalog *catalog, const atx_problem *problem, at_error *err)
{
    at_error cause = { 0 };
    atx_entry e = { .answer = *winner, .op = problem->op };
    atx_entry_find_template(&e, catalog, &winner->winner);
    e.other_op = atx_is_of_other_op(store, e.op, winner->winner.op_hash);
    at_status status = atx_entry_fits(geometry, &e, problem, 0, 0, NULL);
    if (status != AT_OK)
        status = check_entry(&e, store, catalog, problem, 0, 0, &cause);
    return status == AT_OK ? AT_OK : atx_fail(err, AT_ERR_NOT_FOUND, "%s", cause.text);
}

/* ---- why an answer is not exact ---- */

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
    ATX_LOCAL(atx_str) why = { 0 };
    if (atx_entry_usable(&why, l, e, q, &cause) == AT_ERR_NOT_FOUND)
        atx_str_add(out, atx_str_text(&why));
    else if (check_entry(e, e->shipped ? NULL : l->store, l->catalog, q->problem, cc, sms, &cause) != AT_OK)
        atx_str_add(out, cause.text);
}

/* Why the answer is not exact, to stand before a semicolon. */
static void add_reason(atx_str *out, atx_lookup *l, const atx_question *q, const atx_near_found *here,
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

static void explain_none(atx_str *out, atx_lookup *l, const atx_question *q, const atx_near_found *here,
                         const atx_near_found *there)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    size_t count = here->count + there->count;
    size_t closest = here->count ? here->closest : there->closest;
    atx_problem_shape(&shape, q->problem);
    if (count && l->index.entries) {
        atx_str_addf(out, "none of the %zu stored winners of %s for ", count, q->problem->op->name);
        add_type(out, q->problem);
        atx_str_addf(out, " fits this shape; the nearest, %s, does not because ",
                     l->index.entries[closest].answer.shape);
        add_refusal(out, l, &l->index.entries[closest], q, q->cc, q->sms);
    } else {
        atx_str_addf(out, "the store has no winner of %s for ", q->problem->op->name);
        add_type(out, q->problem);
        atx_str_addf(out, "; find one with: autotune tune %s %s %s --device 0", q->problem->op->name,
                     atx_str_text(&shape), atx_dtype_name(q->problem->type));
    }
    out->failed |= shape.failed;
}

static void add_own(atx_str *out, const atx_answer *trial, const atx_entry *winner)
{
    char here[32], there[32];
    atx_time_text(here, sizeof here, trial->winner.timing.median_s);
    if (winner->answer.invalid) {
        atx_str_addf(out, "; the configuration is its runner-up, the %s trial that is left: %s",
                     winner->op->goal.objective ? "best" : "fastest", here);
        return;
    }
    atx_time_text(there, sizeof there, winner->answer.winner.timing.median_s);
    atx_str_addf(out,
                 "; the configuration is its runner-up, the %s trial whose template is the same: %s, "
                 "the winner took %s",
                 winner->op->goal.objective ? "best" : "fastest", here, there);
}

void atx_lookup_reason(atx_str *out, atx_lookup *l, const atx_question *q, atx_match match,
                       const atx_near_found *here, const atx_near_found *there)
{
    const atx_near_found *from = match == ATX_MATCH_NEAR ? here : there;
    if (match == ATX_MATCH_NONE || (!from->runner_up && !l->index.entries)) {
        explain_none(out, l, q, here, there);
        return;
    }
    const atx_answer *a = from->runner_up ? &from->runner_up->answer : &l->index.entries[from->entry].answer;
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

/* ---- a winner that is out of date ---- */

/* The template under the hash that the winner has: kept until another one is read, or close. */
static at_status read_measured(const atx_template **out, atx_lookup *l, const atx_entry *e, at_error *err)
{
    const atx_winner *w = &e->answer.winner;
    const atx_template *present = atx_catalog_find_template(l->catalog, e->op, w->template_name);
    ATX_LOCAL(atx_str) source = { 0 };
    *out = present && atx_template_has_hash(present, w->template_hash) ? present : l->measured;
    if (*out && atx_template_has_hash(*out, w->template_hash))
        return AT_OK;
    atx_template_close(l->measured);
    l->measured = NULL;
    ATX_TRY(atx_store_get_source(&source, l->store, w->template_hash, err));
    ATX_TRY(atx_template_read(&l->measured, e->op, atx_str_text(&source), source.len,
                              present ? present->text.file : w->template_name, err));
    if (!atx_template_has_hash(l->measured, w->template_hash))
        return atx_fail(err, AT_ERR_STORE,
                        "the text that is stored for template %s is not the one that was measured: its hash "
                        "is %.12s, not %.12s; tune the problem again",
                        w->template_name, l->measured->text.hash, w->template_hash);
    *out = l->measured;
    return AT_OK;
}

/* The winner with that template, if it is valid there and nothing is known against it. */
static at_status take_measured(atx_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    atx_entry e = *q->outdated;
    const int64_t cc = q->cc ? q->cc : e.answer.fingerprint.cc;
    ATX_TRY(read_measured(&e.t, l, &e, err));
    e.other_op = false;
    e.answer.winner.objective = e.op->goal.objective_text; /* it counted when it was measured */
    if (atx_config_parse(&e.config, e.t, e.answer.winner.config, NULL) != AT_OK ||
        atx_entry_fits(&out->geometry, &e, q->problem, 0, 0, NULL) != AT_OK ||
        atx_excluded(l->exclusions, q->problem, cc, e.t, &e.config))
        return AT_ERR_NOT_FOUND;
    out->t = e.t;
    out->config = e.config;
    return AT_OK;
}

at_status atx_lookup_outdated(atx_found *out, atx_lookup *l, const atx_question *q, bool as_measured,
                              at_error *err)
{
    atx_found found = { .geometry = q->outdated->answer.winner.geometry };
    at_error cause = { 0 };
    at_status status = as_measured ? take_measured(&found, l, q, &cause) : AT_OK;
    if (status != AT_OK)
        return status == AT_ERR_NOT_FOUND ? status : atx_fail(err, status, "%s", cause.text);
    l->outdated_why = (at_error){ 0 };
    if (check_entry(q->outdated, l->store, l->catalog, q->problem, 0, 0, &l->outdated_why) == AT_OK)
        atx_fail(&l->outdated_why, AT_ERR_NOT_FOUND, "it does not work here");
    out->t = found.t;
    out->config = found.config;
    out->geometry = found.geometry;
    out->outdated = l->outdated_why.text;
    return AT_OK;
}
