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
    at__entry best; /* the winner's entry with another configuration; its answer is still the winner's */
    at__geometry geometry;
    at__trial_row row;  /* of the best; its texts are copies, or not to be read */
    bool found, failed; /* failed: out of memory */
} looking;

/* strdup, in the place of what a text was before. */
static bool replace(const char **text, const char *by)
{
    free((char *)(uintptr_t)*text); /* ours */
    *text = strdup(by);
    return *text != NULL;
}

static bool keep(looking *k, const at__trial_row *row)
{
    at__trial_row kept = *row;
    kept.config = k->row.config;
    kept.source_hash = k->row.source_hash;
    kept.measured_at = k->row.measured_at;
    /* Each is replaced, also after one that could not be: none may still be what was freed before. */
    if (!replace(&kept.config, row->config))
        k->failed = true;
    if (!replace(&kept.source_hash, row->source_hash))
        k->failed = true;
    if (!replace(&kept.measured_at, row->measured_at))
        k->failed = true;
    k->row = kept;
    k->found = true;
    return !k->failed;
}

static bool visit(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    looking *k = context;
    at__entry e = k->best;
    at__geometry geometry;
    (void)fingerprint;
    if (row->outcome != AT__TIMED || (k->found && row->median_s >= k->row.median_s))
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

/* What only a final tells of a winner is unknown here. */
static bool make_answer(at__answer *out, const looking *k)
{
    const at__answer *winner = &k->best.answer;
    at__answer a = *winner;
    a.measured_at = (char *)(uintptr_t)k->row.measured_at; /* copied below */
    a.winner = (at__winner){ .template_name = k->best.t->name,
                             .template_hash = k->best.t->hash,
                             .config = k->row.config,
                             .source_hash = k->row.source_hash,
                             .op_hash = winner->winner.op_hash,
                             .median_s = k->row.median_s,
                             .min_s = k->row.min_s,
                             .spread = k->row.spread,
                             .samples = k->row.samples,
                             .ceiling_name = "",
                             .ties = "",
                             .trials = winner->winner.trials,
                             .space_count = winner->winner.space_count,
                             .registers = k->row.registers,
                             .conditions = { -1, -1, -1, -1, -1 } };
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
    free((char *)(uintptr_t)k.row.config);
    free((char *)(uintptr_t)k.row.source_hash);
    free((char *)(uintptr_t)k.row.measured_at);
    return status;
}
