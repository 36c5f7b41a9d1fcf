/*
 * lookup_runner_up.c - where a problem's winner cannot be used: the fastest of its other trials that can.
 *
 * A trial stands as a winner does: its template is in the catalog with the hash that it had, and its
 * requirements hold. The hash of the rendered source is not asked, it changes with every version of the
 * program. A store that only holds winners has no runners-up.
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
    at__answer answer;  /* made of the trial    */
    bool found, failed; /* failed: out of memory */
} looking;

/* Times of another driver are compared as if they were of this one: they differ less than configurations do.
 */
static bool same_device(const at__fingerprint *a, const at__fingerprint *b)
{
    return strcmp(a->device, b->device) == 0 && a->cc == b->cc && a->sms == b->sms &&
           a->memory_mib == b->memory_mib && a->cold == b->cold;
}

/* What only a final tells of a winner is unknown here. */
static bool make_answer(at__answer *out, const looking *k, const at__trial_row *row,
                        const at__fingerprint *fingerprint)
{
    const at__answer *winner = &k->best.answer;
    at__answer a = *winner;
    a.fingerprint = *fingerprint;
    a.measured_at = (char *)(uintptr_t)row->measured_at; /* copied below */
    a.winner = (at__winner){ .template_name = row->template_name,
                             .template_hash = row->template_hash,
                             .config = row->config,
                             .source_hash = row->source_hash,
                             .op_hash = winner->winner.op_hash,
                             .median_s = row->median_s,
                             .min_s = row->min_s,
                             .spread = row->spread,
                             .samples = row->samples,
                             .ceiling_name = "",
                             .ties = "",
                             .trials = winner->winner.trials,
                             .space_count = winner->winner.space_count,
                             .registers = row->registers,
                             .conditions = { -1, -1, -1, -1, -1 } };
    return at__answer_copy(out, &a);
}

/* The fastest come first: the first that stands ends it. */
static bool visit(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    looking *k = context;
    at__entry e = k->best;
    if (row->outcome != AT__TIMED || !same_device(fingerprint, &e.answer.fingerprint))
        return true;
    e.t = at__catalog_find_template(k->l->catalog, e.op, row->template_name);
    if (!e.t || strcmp(e.t->hash, row->template_hash) != 0 ||
        at__config_parse(&e.config, e.t, row->config, NULL) != AT_OK ||
        at__entry_fits(&k->geometry, &e, k->problem, k->cc, k->sms, NULL) != AT_OK)
        return true;
    k->failed = !make_answer(&k->answer, k, row, fingerprint);
    k->best = e;
    k->found = true;
    return false;
}

at_status at__lookup_runner_up(at__entry *out, at__geometry *geometry, const at__lookup *l,
                               const at__entry *e, const at__problem *p, int64_t cc, int64_t sms,
                               at_error *err)
{
    looking k = { .l = l, .problem = p, .cc = cc, .sms = sms, .best = *e };
    at__problem_key key = { .op = e->answer.op, .shape = e->answer.shape, .type_key = e->answer.type_key };
    at_status status = at__store_each_trial(l->store, &key, NULL, visit, &k, err);
    if (status == AT_OK && !k.found)
        status = AT_ERR_NOT_FOUND;
    if (status == AT_OK && k.failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK) {
        k.best.answer = k.answer;
        *out = k.best;
        *geometry = k.geometry;
    } else if (k.found && !k.failed) {
        at__answer_clear(&k.answer);
    }
    return status;
}

static void add_line(at__str *out, const char *template_name, const char *hash, const char *config)
{
    at__str_addf(out, "\n%s %s %s\n", template_name, hash, config);
}

typedef struct listing {
    at__str *out;
    const at__fingerprint *device;
} listing;

static bool list_trial(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    listing *k = context;
    if (same_device(fingerprint, k->device))
        add_line(k->out, row->template_name, row->template_hash, row->config);
    return !k->out->failed;
}

at_status at__lookup_list_tried(at__str *out, const at__lookup *l, const at__entry *e, at_error *err)
{
    listing k = { out, &e->answer.fingerprint };
    at__problem_key key = { .op = e->answer.op, .shape = e->answer.shape, .type_key = e->answer.type_key };
    at_status status = at__store_each_trial(l->store, &key, NULL, list_trial, &k, err);
    return status == AT_OK ? at__str_check(out, err) : status;
}

bool at__lookup_was_tried(const at__str *tried, const at__entry *e)
{
    at__str line = { 0 };
    const at__winner *w = &e->answer.winner;
    add_line(&line, w->template_name, w->template_hash, w->config);
    bool found = tried->len && !line.failed && strstr(at__str_text(tried), at__str_text(&line));
    at__str_clear(&line);
    return found;
}
