/*
 * lookup_outdated.c - a winner of the store's that is out of date, as an answer: the stored row alone, or
 * with its template as it was measured, of which the store keeps the text.
 */
#include "lookup/lookup_parts.h"

/* The template under the hash that the winner has: kept until another one is read, or close. */
static at_status read_measured(const atx_template **out, atx_lookup *l, const atx_entry *e, at_error *err)
{
    const atx_winner *w = &e->answer.winner;
    const atx_template *present = atx_catalog_find_template(l->catalog, e->op, w->template_name);
    atx_str source = { 0 };
    *out = present && atx_template_has_hash(present, w->template_hash) ? present : l->measured;
    if (*out && atx_template_has_hash(*out, w->template_hash))
        return AT_OK;
    atx_template_close(l->measured);
    l->measured = NULL;
    at_status status = atx_store_get_source(&source, l->store, w->template_hash, err);
    if (status == AT_OK)
        status = atx_template_read(&l->measured, e->op, atx_str_text(&source), source.len,
                                   present ? present->text.file : w->template_name, err);
    if (status == AT_OK && !atx_template_has_hash(l->measured, w->template_hash))
        status =
            atx_fail(err, AT_ERR_STORE,
                     "the text that is stored for template %s is not the one that was measured: its hash "
                     "is %.12s, not %.12s; tune the problem again",
                     w->template_name, l->measured->text.hash, w->template_hash);
    *out = l->measured;
    atx_str_clear(&source);
    return status;
}

/* The winner with that template, if it is valid there and nothing is known against it. */
static at_status take_measured(atx_found *out, atx_lookup *l, const atx_question *q, at_error *err)
{
    atx_entry e = *q->outdated;
    const int64_t cc = q->cc ? q->cc : e.answer.fingerprint.cc;
    at_status status = read_measured(&e.t, l, &e, err);
    if (status != AT_OK)
        return status;
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
    if (atx_entry_refusal(q->outdated, l->store, l->catalog, q->problem, 0, 0, &l->outdated_why) == AT_OK)
        atx_fail(&l->outdated_why, AT_ERR_NOT_FOUND, "it does not work here");
    out->t = found.t;
    out->config = found.config;
    out->geometry = found.geometry;
    out->outdated = l->outdated_why.text;
    return AT_OK;
}
