/* lookup_trials.c - trials of the problem for which a hint won. */
#include "lookup/lookup_internal.h"

/* Two walks over the same rows: the first counts, the second takes. */
typedef struct taking {
    const atx_lookup *lookup;
    const atx_op *op;
    atx_elsewhere_trial *out; /* NULL: count */
    int max, taken;
    int64_t rows, place; /* that count; the one the walk is at */
} taking;

/* The fastest half, and an even choice of the others. */
static bool is_wanted(const taking *k)
{
    int64_t half = k->max / 2, others = k->max - half;
    if (k->rows <= k->max || k->place < half)
        return true;
    return k->place == half + (k->taken - half) * (k->rows - half) / others;
}

static bool visit(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    taking *k = context;
    atx_elsewhere_trial trial = { .seconds = row->timing.median_s };
    (void)fingerprint;
    if (row->outcome != ATX_TIMED || atx_trial_check(row, NULL) != AT_OK)
        return true;
    trial.t = atx_catalog_find_template(k->lookup->catalog, k->op, row->template_name);
    if (!trial.t || atx_config_parse(&trial.config, trial.t, row->config, NULL) != AT_OK)
        return true;
    if (!k->out)
        k->rows++;
    else if (is_wanted(k))
        k->out[k->taken++] = trial;
    k->place += k->out != NULL;
    return !k->out || k->taken < k->max;
}

at_status atx_lookup_trials(atx_elsewhere_trial *out, int *count, int max, atx_lookup *l,
                            const atx_hint *hint, at_error *err)
{
    const atx_answer *won = hint->answer;
    taking k = { .lookup = l, .max = max };
    *count = 0;
    if (!won || !l->store)
        return AT_OK;
    k.op = atx_catalog_find_op(l->catalog, won->op);
    const atx_problem_key key = { .op = won->op, .shape = won->shape, .type_key = won->type_key };
    at_status status = atx_store_each_trial(l->store, &key, &won->fingerprint, visit, &k, err);
    k.out = out;
    if (status == AT_OK && k.rows)
        status = atx_store_each_trial(l->store, &key, &won->fingerprint, visit, &k, err);
    *count = status == AT_OK ? k.taken : 0;
    return status;
}
