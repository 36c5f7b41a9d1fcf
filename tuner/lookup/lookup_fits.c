/*
 * lookup_fits.c - whether a configuration is valid for a problem on a device: its template and operation are
 * those that it won with, the requirements hold there, and nothing is known against it.
 *
 * What has failed is no answer: a winner whose configuration was found wrong after it had won, a
 * configuration that was found wrong for the problem that is asked about, wherever it won, and one that does
 * not work where it is to run (exclusions.h). Of the store's own winners the store says so with the row. Of
 * those that came with the program, and of what is near or predicted, it is asked for failed trials on that
 * device model.
 */
#include "lookup/lookup_parts.h"

#include "lang/arch.h"

#include <stdio.h>
#include <string.h>

bool atx_is_of_other_op(atx_store *store, const atx_op *op, const char *op_hash)
{
    char proof_hash[ATX_HASH_TEXT];
    return store && op_hash && op_hash[0] && atx_store_get_space(proof_hash, store, op_hash, NULL) == AT_OK &&
           strcmp(op->text.proof_hash, proof_hash) != 0;
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
    at_status status = atx_problem_bind(slots, p, &limits, err);
    if (status == AT_OK)
        status = atx_config_validate(slots, e->t, &e->config, err);
    return status == AT_OK ? atx_geometry_of(geometry, &e->t->call.launch, slots, err) : status;
}

/* Has the store a failure of this configuration, which is newer than `since`, for the problem of `key`? */
static at_status find_failure(atx_str *why, const atx_lookup *l, const atx_entry *e,
                              const atx_problem_key *key, const char *since, at_error *err)
{
    atx_str ignored = { 0 };
    atx_answer asked = e->answer; /* these are read, not written */
    asked.op = (char *)(uintptr_t)key->op;
    asked.shape = (char *)(uintptr_t)key->shape;
    asked.type_key = (char *)(uintptr_t)key->type_key;
    asked.rank_at = (char *)(uintptr_t)since;
    if (e->t)
        asked.winner.template_hash = e->t->text.hash;
    at_status status = atx_store_find_failure(why ? why : &ignored, l->store, &asked, true, err);
    atx_str_clear(&ignored);
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
    atx_str shape = { 0 };
    atx_problem_key key;
    atx_entry here = *e;
    if (!atx_entry_is_on(e, q->device))
        snprintf(here.answer.fingerprint.device, sizeof here.answer.fingerprint.device, "%s", q->device);
    at_status status = atx_problem_key_of(&key, &shape, q->problem, err);
    if (status == AT_OK)
        status = find_failure(why, l, &here, &key, "", err);
    atx_str_clear(&shape);
    return status;
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
    atx_str text = { 0 };
    atx_question q = { .problem = problem,
                       .type_key = atx_dtype_key(problem->type, problem->op->storage),
                       .cc = target->cc };
    memcpy(q.device, target->name, sizeof q.device);
    atx_entry e = { .t = t, .config = *config }; /* of no op: it won nothing */
    atx_config_text(&text, t, config);
    e.answer.winner = (atx_winner){ .template_name = t->name, .config = atx_str_text(&text) };
    snprintf(e.answer.fingerprint.device, sizeof e.answer.fingerprint.device, "%s", target->name);
    at_status status = atx_str_status(&text, err);
    if (status == AT_OK)
        status = atx_entry_usable(NULL, l, &e, &q, err);
    atx_str_clear(&text);
    return status;
}
