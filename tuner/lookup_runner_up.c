/*
 * lookup_runner_up.c - where a near problem's winner does not fit: the fastest of its other trials that does.
 *
 * A store that only holds winners has none.
 */
#include "lookup_index.h"

#include <stdlib.h>
#include <string.h>

typedef struct looking {
    const at__lookup *l;
    const at__problem *problem;
    int64_t cc, sms;
    at__entry best; /* the winner's entry, with another configuration; its texts are the winner's */
    at__geometry geometry;
    double median_s;
    at__trial_row row; /* of the best; its texts are NULL      */
    char *config, *source_hash;
    bool found, failed; /* failed: out of memory               */
} looking;

static bool keep(looking *k, const at__trial_row *row)
{
    char *config = strdup(row->config), *source_hash = strdup(row->source_hash);
    free(k->config);
    free(k->source_hash);
    k->config = config;
    k->source_hash = source_hash;
    k->median_s = row->median_s;
    k->row = *row;
    k->found = true;
    k->failed = !config || !source_hash;
    return !k->failed;
}

static bool visit(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    looking *k = context;
    at__entry e = k->best;
    at__geometry geometry;
    (void)fingerprint;
    if (row->outcome != AT__TIMED || (k->found && row->median_s >= k->median_s))
        return true;
    e.t = at__catalog_find_template(k->l->catalog, e.op, row->template_name);
    if (!e.t || strcmp(e.t->hash, row->template_hash) != 0 ||
        at__config_parse(&e.config, e.t, row->config, NULL) != AT_OK ||
        at__entry_fits(&geometry, &e, k->problem, k->cc, k->sms, NULL) != AT_OK)
        return true;
    k->best = e;
    k->geometry = geometry;
    return keep(k, row);
}

/* The winner's answer with the trial's figures. What only a final tells is not there. */
static bool make_answer(at__answer *out, const looking *k)
{
    at__answer a = k->best.answer;
    at__winner *w = &a.winner;
    w->template_name = k->best.t->name;
    w->template_hash = k->best.t->hash;
    w->config = k->config;
    w->source_hash = k->source_hash;
    w->median_s = k->row.median_s;
    w->min_s = k->row.min_s;
    w->spread = k->row.spread;
    w->samples = k->row.samples;
    w->registers = k->row.registers;
    w->ties = "";
    return at__answer_copy(out, &a);
}

at_status at__lookup_runner_up(at__entry *out, at__geometry *geometry, const at__lookup *l,
                               const at__entry *e, const at__problem *p, int64_t cc, int64_t sms,
                               at_error *err)
{
    looking k = { .l = l, .problem = p, .cc = cc, .sms = sms, .best = *e };
    at__problem_key key = { .op = e->answer.op, .shape = e->answer.shape, .type_key = e->answer.type_key };
    at_status status = at__store_each_trial(l->store, &key, &e->answer.fingerprint, visit, &k, err);
    if (status == AT_OK && !k.found)
        status = AT_ERR_NOT_FOUND;
    if (status == AT_OK && (k.failed || !make_answer(&k.best.answer, &k)))
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK) {
        *out = k.best;
        *geometry = k.geometry;
    }
    free(k.config);
    free(k.source_hash);
    return status;
}
