/*
 * learn.c - from samples to the model of an op on a device.
 *
 * The target of a trial is its time relative to the best of its problem. Trials near the best have the
 * largest weights, since the model must find the best. Each member of the forests is grown without a quarter
 * of the problems, and the expected loss of answers is measured on those.
 *
 * It also learns from the trials of other devices, with smaller weights: what is fast on one device is mostly
 * fast on another, and a feature marks the difference.
 *
 * Deterministic: the same trials in the same order give the same model.
 */
#include "model/learn_rows.h"
#include "model/grow.h"
#include "model/model_internal.h"
#include "model/learn_portfolio.h"

#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIP         2.0  /* slower than that is slow                                  */
#define SHARPNESS    12.0 /* how fast the weight of trials falls with their slowness   */
#define FAR_WEIGHT   0.01 /* what is left of it                                        */
#define ELSEWHERE    0.1  /* weight of another device's trials                         */
#define MOST_LOSS    1.0  /* an answer that takes longer than twice as long is a bad one */
#define MEMBER_TREES 160
#define BEST_TREES   80
#define LOSS_TREES   40
#define SEED         20

/* ---- forests ---- */

static double predicted(const atx_forest *f, const uint8_t *bins)
{
    return (double)atx_forest_sum(f, 0, f->count, bins) / ATX_LEAF_UNIT;
}

static int fold_of(int problem)
{
    return (int)((unsigned)problem * 2654435761u >> 16) % ATX_MODEL_MEMBERS;
}

/* The first are those of this device. */
static int problem_of_row(const atx_group *g, int row)
{
    const atx_sample *s = &g->samples->items[g->rows[row]];
    return s->device == g->device ? s->problem
                                  : s->problem + (s->device + 1) * (int)g->samples->problem_count;
}

static bool is_own(const atx_group *g, int problem)
{
    return problem < (int)g->samples->problem_count;
}

static void measure_rows(atx_group *g)
{
    for (int i = 0; i < g->problem_count; i++) {
        g->best[i] = INFINITY;
        g->first[i] = -1;
    }
    g->known->problems = 0;
    for (int i = 0; i < g->row_count; i++) {
        int p = g->problem[i] = problem_of_row(g, i);
        g->known->problems += is_own(g, p) && g->first[p] < 0;
        g->first[p] = g->first[p] < 0 ? i : g->first[p];
        g->best[p] = fmin(g->best[p], g->samples->items[g->rows[i]].seconds);
    }
    for (int i = 0; i < g->row_count; i++) {
        int p = g->problem[i];
        double slower = log(g->samples->items[g->rows[i]].seconds / g->best[p]);
        g->slower[i] = (float)fmin(slower, CLIP);
        g->weights[i] = (float)(exp(-SHARPNESS * (double)g->slower[i]) + FAR_WEIGHT);
        g->weights[i] *= is_own(g, p) ? 1 : (float)ELSEWHERE;
    }
}

static atx_training_set training_set_of(const atx_group *g, const int *bin_counts)
{
    return (atx_training_set){ .bins = g->bins,
                               .rows = g->row_count,
                               .features = g->known->feature_count,
                               .bin_counts = bin_counts,
                               .weights = g->weights,
                               .left = g->left,
                               .used = g->used,
                               .cancel = g->cancel };
}

static void count_bins(int *bin_counts, const atx_op_model *p)
{
    for (int k = 0; k < p->feature_count; k++)
        bin_counts[k] = p->edges[k].count + 2;
}

/* The more is known, the more must agree. */
static atx_growth growth_of_members(const atx_group *g)
{
    double weight = 0;
    for (int i = 0; i < g->row_count; i++)
        weight += (double)g->weights[i];
    double least = fmin(fmax(weight / 2000, 1), 4);
    return (atx_growth){ .trees = MEMBER_TREES,
                         .leaves = g->most_leaves,
                         .rate = 0.12,
                         .least_weight = least,
                         .calm = least / 4,
                         .feature_share = 0.4,
                         .validated = true };
}

static at_status grow_members(atx_group *g, at_error *err)
{
    const atx_growth growth = growth_of_members(g);
    int bin_counts[ATX_MAX_SEEN];
    at_status status = AT_OK;
    count_bins(bin_counts, g->known);
    for (int m = 0; m < ATX_MODEL_MEMBERS && status == AT_OK; m++) {
        atx_rng rng = { .state = SEED + (uint64_t)m };
        atx_training_set training_set = training_set_of(g, bin_counts);
        training_set.groups = g->problem;
        training_set.group_count = g->problem_count;
        for (int i = 0; i < g->row_count; i++) {
            const uint8_t *bins = g->bins + (size_t)i * (size_t)g->known->feature_count;
            g->left[i] = g->slower[i] - (float)predicted(&g->known->slower[m], bins);
            g->used[i] = fold_of(g->samples->items[g->rows[i]].problem) != m;
        }
        status = atx_forest_grow(&g->known->slower[m], &training_set, &growth, &rng, err);
    }
    return status;
}

static double log_traffic_of(const atx_group *g, int row)
{
    int64_t slots[ATX_MAX_SLOTS];
    const atx_sample *s = &g->samples->items[g->rows[row]];
    const atx_problem *p = &g->samples->problems[s->problem];
    return atx_bind_sample(slots, g, s, NULL) == AT_OK ? atx_log_traffic(p, slots) : 0;
}

/* Bins of the problem's features; none of others, which trees then do not look at. */
static void problem_bins(const atx_group *g, int *bin_counts)
{
    atx_model_features v = atx_model_features_of(g->op, NULL);
    int16_t to[ATX_MAX_MODEL_FEATURES];
    memset(bin_counts, 0, ATX_MAX_SEEN * sizeof *bin_counts);
    atx_find_names(to, g->known, &v);
    for (int i = 0; i < v.count; i++)
        if (to[i] >= 0)
            bin_counts[to[i]] = g->known->edges[to[i]].count + 2;
}

/* How fast the best of a problem is: one row each, by the problem's features alone. */
static at_status grow_best(atx_group *g, bool anew, at_error *err)
{
    static const atx_growth GROWTH = {
        .trees = BEST_TREES, .leaves = 12, .rate = 0.1, .least_weight = 3, .calm = 0.5, .feature_share = 0.6
    };
    int bin_counts[ATX_MAX_SEEN];
    atx_rng rng = { .state = SEED };
    double sum = 0;
    problem_bins(g, bin_counts);
    memset(g->used, 0, (size_t)g->row_count);
    for (size_t p = 0; p < g->samples->problem_count; p++) {
        if (g->first[p] < 0)
            continue;
        int row = g->first[p];
        g->used[row] = 1;
        g->weights[row] = 1;
        g->left[row] = (float)(log(g->best[p]) - log_traffic_of(g, row));
        sum += (double)g->left[row];
    }
    if (anew)
        g->known->usual = sum / (double)g->known->problems;
    for (int i = 0; i < g->row_count; i++) {
        const uint8_t *bins = g->bins + (size_t)i * (size_t)g->known->feature_count;
        g->left[i] -= (float)(g->known->usual + predicted(&g->known->best, bins));
    }
    atx_training_set training_set = training_set_of(g, bin_counts);
    return atx_forest_grow(&g->known->best, &training_set, &GROWTH, &rng, err);
}

/* Of each problem the row that the member which did not see it would have answered, of what was tried; -1:
 * none. */
static void choose_unseen(int *chosen, double *expected, const atx_group *g)
{
    const atx_op_model *known = g->known;
    for (size_t p = 0; p < g->samples->problem_count; p++)
        chosen[p] = -1;
    for (int i = 0; i < g->row_count; i++) {
        int p = g->problem[i];
        const uint8_t *bins = g->bins + (size_t)i * (size_t)known->feature_count;
        if (!is_own(g, p))
            continue;
        double slower = predicted(&known->slower[fold_of(p)], bins);
        if (chosen[p] < 0 || slower < expected[p]) {
            chosen[p] = i;
            expected[p] = slower;
        }
    }
}

/* One trial that was disturbed says little. */
static double loss_of_row(const atx_group *g, int row)
{
    return fmin(expm1((double)g->slower[row]), MOST_LOSS);
}

static at_status grow_loss(atx_group *g, const int *chosen, at_error *err)
{
    static const atx_growth GROWTH = {
        .trees = LOSS_TREES, .leaves = 6, .rate = 0.1, .least_weight = 8, .calm = 8, .feature_share = 0.5
    };
    atx_rng rng = { .state = SEED };
    int bin_counts[ATX_MAX_SEEN];
    double sum = 0;
    problem_bins(g, bin_counts);
    memset(g->used, 0, (size_t)g->row_count);
    memset(g->left, 0, (size_t)g->row_count * sizeof *g->left);
    for (size_t p = 0; p < g->samples->problem_count; p++)
        sum += chosen[p] < 0 ? 0 : loss_of_row(g, chosen[p]);
    g->known->expected_loss = sum / (double)g->known->problems;
    for (size_t p = 0; p < g->samples->problem_count; p++) {
        if (chosen[p] < 0)
            continue;
        int row = chosen[p];
        g->used[row] = 1;
        g->weights[row] = 1;
        g->left[row] = (float)(loss_of_row(g, row) - g->known->expected_loss);
    }
    atx_training_set training_set = training_set_of(g, bin_counts);
    return atx_forest_grow(&g->known->loss, &training_set, &GROWTH, &rng, err);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 95 of 100 answers for problems that were left out lose no more. `losses` is room. */
static double most_loss(double *losses, const atx_group *g, const int *chosen)
{
    size_t count = 0;
    for (size_t p = 0; p < g->samples->problem_count; p++)
        if (chosen[p] >= 0)
            losses[count++] = loss_of_row(g, chosen[p]);
    qsort(losses, count, sizeof *losses, by_size);
    return count ? losses[(95 * count + 99) / 100 - 1] : -1;
}

/* How good answers are for problems that were left out, and for which problems they are worse. */
static at_status calibrate(atx_group *g, at_error *err)
{
    size_t problems = g->samples->problem_count + 1;
    int *chosen = malloc(problems * sizeof *chosen);
    double *expected = malloc(problems * sizeof *expected);
    at_status status = chosen && expected ? AT_OK : atx_no_memory(err);
    if (status == AT_OK) {
        choose_unseen(chosen, expected, g);
        g->known->most_loss = most_loss(expected, g, chosen);
        status = grow_loss(g, chosen, err);
    }
    free(chosen);
    free(expected);
    return status;
}

/* ---- the model of an op ---- */

/* What an older model of the op knows: its features, as they are binned, and its trees. */
static at_status begin_with(atx_op_model *out, const atx_op_model *from, at_error *err)
{
    out->feature_count = from->feature_count;
    out->usual = from->usual;
    memcpy(out->names, from->names, sizeof out->names);
    at_status status = AT_OK;
    for (int k = 0; k < from->feature_count; k++) {
        out->edges[k].count = from->edges[k].count;
        memcpy(out->edges[k].of, from->edges[k].of, (size_t)from->edges[k].count * sizeof(float));
    }
    for (int i = 0; i < ATX_MODEL_MEMBERS && status == AT_OK; i++)
        status = atx_forest_copy(&out->slower[i], &from->slower[i], err);
    return status == AT_OK ? atx_forest_copy(&out->best, &from->best, err) : status;
}

static void head_of(atx_op_model *p, const atx_group *g)
{
    const atx_sampled_device *d = &g->samples->devices[g->device];
    snprintf(p->op, sizeof p->op, "%s", g->op->name);
    snprintf(p->op_hash, sizeof p->op_hash, "%s", g->op->text.proof_hash);
    snprintf(p->device, sizeof p->device, "%s", d->name);
    p->cc = d->cc;
    p->sms = d->sms;
    p->trials = g->own_count;
}

static at_status learn_op(atx_group *g, const atx_op_model *before, at_error *err)
{
    at_status status = atx_op_model_room(g->known, err);
    if (status == AT_OK && before)
        status = begin_with(g->known, before, err);
    int known = g->known->feature_count;
    if (status != AT_OK)
        return status;
    status = atx_name_templates(g, err);
    ATX_THEN(status, atx_allocate_rows(g, err));
    ATX_THEN(status, atx_number_rows(g, err));
    if (status != AT_OK)
        return status;
    atx_choose_features(g);
    measure_rows(g);
    if (g->own_count < ATX_LEAST_TRIALS || g->known->problems < ATX_MIN_TRAINING_SAMPLES)
        return AT_ERR_NOT_FOUND;
    head_of(g->known, g);
    status = atx_bin_rows(g, known, err);
    ATX_THEN(status, atx_learn_portfolio(g->known, g->samples, g->rows, g->slower, g->row_count, err));
    if (status == AT_OK && before)
        status = atx_keep_portfolio(g->known, before, err);
    ATX_THEN(status, grow_members(g, err));
    ATX_THEN(status, calibrate(g, err));
    ATX_THEN(status, grow_best(g, !before, err));
    if (before && strcmp(before->device, g->known->device) == 0) {
        g->known->trials += before->trials;
        g->known->problems += before->problems;
    }
    return status;
}

static const atx_op_model *known_before(const atx_model *before, const atx_op *op, const char *device)
{
    const atx_op_model *found = NULL;
    for (int i = 0; before && i < before->count; i++) {
        const atx_op_model *p = &before->ops[i];
        if (strcmp(p->op, op->name) == 0 && (!found || strcmp(p->device, device) == 0))
            found = p;
    }
    return found;
}

/* What all parts are learned of. */
typedef struct training_samples {
    const atx_samples *samples;
    const atx_catalog *catalog;
    const atx_training_data *from;
    atx_cancel *cancel;
} training_samples;

static at_status learn_group(atx_model *out, const training_samples *of, const atx_op *op, int device,
                             at_error *err)
{
    atx_op_model *known = &out->ops[out->count];
    const atx_sampled_device *d = &of->samples->devices[device];
    atx_group g = { .samples = of->samples,
                    .catalog = of->catalog,
                    .op = op,
                    .device = device,
                    .known = known,
                    .most_leaves = of->from->most_leaves ? of->from->most_leaves : ATX_MAX_LEAVES,
                    .cancel = of->cancel };
    at_status status = atx_take_rows(&g, err);
    ATX_THEN(status, g.row_count < ATX_LEAST_TRIALS
                         ? AT_ERR_NOT_FOUND
                         : learn_op(&g, known_before(of->from->before, op, d->name), err));
    if (status == AT_OK)
        out->count++;
    else
        atx_op_model_clear(known);
    atx_clear_group(&g);
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

static at_status learn_all(atx_model *out, const training_samples *of, at_error *err)
{
    int ops = atx_catalog_op_count(of->catalog);
    at_status status = AT_OK;
    out->ops = calloc((size_t)ops * of->samples->device_count + 1, sizeof *out->ops);
    if (!out->ops)
        return atx_no_memory(err);
    for (int i = 0; i < ops; i++)
        for (size_t d = 0; d < of->samples->device_count && status == AT_OK; d++)
            status = learn_group(out, of, atx_catalog_op(of->catalog, i), (int)d, err);
    for (int i = 0; i < out->count; i++)
        atx_utc_text(out->ops[i].learned_at);
    return status;
}

at_status atx_model_learn(atx_model **out, const atx_catalog *catalog, const atx_training_data *from,
                          atx_cancel *cancel, at_error *err)
{
    atx_samples samples = { 0 };
    const training_samples of = { .samples = &samples, .catalog = catalog, .from = from, .cancel = cancel };
    at_status status = AT_OK;
    *out = NULL;
    atx_model *m = calloc(1, sizeof *m);
    if (!m)
        return atx_no_memory(err);
    if (from->count)
        status = atx_store_newest_trial(&m->newest_trial, from->stores[0], err);
    for (int i = 0; i < from->count && status == AT_OK; i++) {
        atx_store_set_cancel(from->stores[i], cancel);
        status = atx_samples_read(&samples, from->stores[i], catalog, ATX_MOST_SAMPLES, err);
        atx_store_set_cancel(from->stores[i], NULL);
    }
    ATX_THEN(status, learn_all(m, &of, err));
    atx_samples_clear(&samples);
    if (status == AT_OK && m->count) {
        *out = m;
        m = NULL;
    }
    atx_model_close(m);
    return status;
}
