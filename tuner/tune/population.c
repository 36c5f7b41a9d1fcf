/*
 * population.c - see population.h.
 *
 * A problem's claim to be tuned is its expected loss times its novelty. Each problem that was chosen lowers
 * the novelty of all others: by half where it is the same, by less with each factor of two between their
 * sizes. So problems are spread over the list while nothing is known, and later are dense where answers are
 * bad.
 *
 * Once there is a model the best of only eight is taken, drawn at random: the largest claims of a whole list
 * are at its edges, and what is typical would not be tuned. Look-ups of all problems of a long list would
 * take seconds, so a sample of them is asked each time. Each fourth problem is simply the next one: a spot
 * check (spot_checks.h), whose loss is what the losses that the model expects are corrected by.
 */
#include "tune/population.h"

#include "tune/spot_checks.h"

#include "lookup/learned.h"
#include "model/model.h"
#include "util/clock.h"
#include "util/rng.h"

#include <math.h>
#include <stdlib.h>

#define UNKNOWN_LOSS 0.5  /* of an answer that no model gives                            */
#define NEIGHBOURS   2.0  /* factors of two apart: what a problem tells of others halves */
#define SAMPLE       512  /* problems that are asked at a time                           */
#define FEW          8    /* of them, from which the next problem is chosen, once there is a model */
#define CHECK_EACH   4    /* problems one is drawn at random, once there is a model       */
#define STATED       2000 /* in the end                                                  */
#define FEWEST       4    /* problems between two trainings                              */
#define MORE         0.2  /* and so large a share more trials                            */

struct atx_population {
    atx_population_of of;
    atx_population_plan plan;
    int sizes;      /* numbers of a problem */
    float *logs;    /* problems x sizes     */
    float *novelty; /* of each problem, as its binary logarithm: hundreds of neighbours may be tuned */
    float *loss;    /* that is expected     */
    bool *chosen;
    size_t *order; /* a shuffle; candidates are its first ones that are not chosen */
    size_t drawn, ask_again_at;
    size_t candidates, cursor, few; /* of the order; the next one to be looked at; how many at a time */
    bool enough;
    atx_spot_check answers[SAMPLE]; /* by a model, beside the order; t NULL: none */
    atx_spot_checks checks;
    atx_rng rng;
};

/* ---- problems ---- */

static void take_logs(atx_population *p)
{
    for (size_t i = 0; i < p->of.count; i++)
        for (int k = 0; k < p->sizes; k++) {
            int64_t size = k < atx_problem_size_count(p->of.problems[i].op) ? p->of.problems[i].dims[k] : 0;
            p->logs[i * (size_t)p->sizes + (size_t)k] = (float)log2(size > 0 ? (double)size : 1);
        }
}

/* Factors of two between their sizes. */
static double distance(const atx_population *p, size_t a, size_t b)
{
    const atx_problem *x = &p->of.problems[a], *y = &p->of.problems[b];
    const float *of_a = p->logs + a * (size_t)p->sizes, *of_b = p->logs + b * (size_t)p->sizes;
    double d = 0;
    if (x->op != y->op || x->type != y->type)
        return INFINITY;
    for (int k = 0; k < p->sizes; k++)
        d += fabs((double)of_a[k] - (double)of_b[k]);
    return d;
}

static void choose(atx_population *p, size_t place)
{
    p->chosen[place] = true;
    p->drawn++;
    for (size_t i = 0; i < p->of.count; i++)
        p->novelty[i] += (float)log2(1 - exp2(-(1 + distance(p, i, place) / NEIGHBOURS)));
}

static size_t left_of(const atx_population *p)
{
    return p->of.count - p->drawn;
}

/* ---- what is expected of answers ---- */

typedef struct asked {
    size_t open, answered, by_model; /* problems that are not tuned; those of them that have an answer */
    double sum;                      /* of the losses that a model expects */
} asked;

static void note_answer(atx_population *p, size_t candidate, const atx_found *found)
{
    if (candidate >= SAMPLE)
        return;
    p->answers[candidate] = (atx_spot_check){ .problem = &p->of.problems[p->order[candidate]] };
    if (found->expected_s > 0) {
        p->answers[candidate].t = found->t;
        p->answers[candidate].config = found->config;
        p->answers[candidate].expected = found->expected_loss;
    }
}

static at_status ask_one(asked *sum, atx_population *p, atx_lookup *lookup, size_t candidate, at_error *err)
{
    atx_found found;
    const size_t i = p->order[candidate];
    ATX_TRY(atx_lookup_find(&found, lookup, &p->of.problems[i], &p->of.target, err));
    if (found.match == ATX_MATCH_EXACT && !found.outdated && !p->of.force) { /* tuned by an earlier run */
        choose(p, i);
        return AT_OK;
    }
    note_answer(p, candidate, &found);
    p->loss[i] = UNKNOWN_LOSS;
    sum->open++;
    sum->answered += found.match != ATX_MATCH_NONE;
    if (found.expected_s > 0) {
        p->loss[i] = (float)found.expected_loss;
        sum->sum += found.expected_loss;
        sum->by_model++;
    }
    return AT_OK;
}

/* Problems drawn at random among those that are not chosen become the first in the order. */
static void draw_sample(atx_population *p, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < p->of.count && count < most; i++) {
        const size_t other = i + (size_t)atx_rng_below(&p->rng, p->of.count - i), kept = p->order[other];
        p->order[other] = p->order[i];
        p->order[i] = kept;
        if (!p->chosen[kept]) {
            p->order[i] = p->order[count];
            p->order[count++] = kept;
        }
    }
    p->candidates = count;
    p->cursor = 0;
}

static at_status ask_all(asked *sum, atx_population *p, atx_store *store, at_error *err)
{
    atx_lookup *lookup = NULL;
    at_status status = atx_lookup_open(&lookup, store, p->of.catalog, err);
    if (status == AT_OK && !p->of.alone)
        atx_lookup_add_shipped(lookup);
    for (size_t i = 0; i < p->candidates && status == AT_OK; i++)
        status = ask_one(sum, p, lookup, i, err);
    atx_lookup_close(lookup);
    return status;
}

/* And of the spot checks, what was measured meanwhile. */
static at_status ask(asked *sum, atx_population *p, size_t most, at_error *err)
{
    const atx_cancel cancel = { .flag = p->of.cancel };
    atx_store *store = NULL;
    *sum = (asked){ .answered = 0 };
    draw_sample(p, most);
    at_status status = atx_store_open_unless(&store, p->of.db, ATX_STORE_READ, &cancel, err);
    ATX_THEN(status, atx_spot_checks_measure(&p->checks, store, p->of.target.name, err));
    ATX_THEN(status, ask_all(sum, p, store, err));
    atx_store_close(store);
    return status;
}

static at_status learn(atx_population *p, double more, at_error *err)
{
    const atx_learning learning = {
        .db = p->of.db, .catalog = p->of.catalog, .alone = p->of.alone, .more = more, .cancel = p->of.cancel
    };
    atx_model *model = NULL;
    at_status status = atx_learned_renew(&model, &learning, err);
    atx_model_close(model);
    return status;
}

/* The mean of the losses that the model expects, as far as spot checks bear it out; below 0: no model says.
 */
static at_status corrected_mean(double *mean, const asked *sum, const atx_population *p, at_error *err)
{
    atx_spot_check_figures checked;
    at_status status = atx_spot_checks_figures(&checked, &p->checks, err);
    if (status == AT_OK)
        *mean = sum->by_model ? checked.ratio * sum->sum / (double)sum->by_model : -1;
    return status;
}

static at_status ask_again(atx_population *p, at_error *err)
{
    asked sum;
    double mean = 0;
    at_status status = p->drawn ? learn(p, MORE, err) : AT_OK;
    ATX_THEN(status, ask(&sum, p, SAMPLE, err));
    ATX_THEN(status, corrected_mean(&mean, &sum, p, err));
    if (status != AT_OK)
        return status;
    p->few = sum.by_model ? FEW : p->candidates;
    p->ask_again_at = p->drawn + (p->drawn / 4 > FEWEST ? p->drawn / 4 : FEWEST);
    p->enough = p->plan.within > 0 && sum.open && sum.by_model == sum.open && mean <= p->plan.within;
    return AT_OK;
}

/* ---- the interface ---- */

at_status atx_population_open(atx_population **out, const atx_population_of *of,
                              const atx_population_plan *plan, at_error *err)
{
    atx_population *p = calloc(1, sizeof *p);
    if (!p)
        return atx_no_memory(err);
    *p = (atx_population){ .of = *of, .plan = *plan, .rng = { .state = 1 } };
    for (size_t i = 0; i < of->count; i++) {
        const int sizes = atx_problem_size_count(of->problems[i].op);
        p->sizes = sizes > p->sizes ? sizes : p->sizes;
    }
    p->logs = calloc(of->count * (size_t)p->sizes + 1, sizeof *p->logs);
    p->novelty = calloc(of->count + 1, sizeof *p->novelty);
    p->loss = calloc(of->count + 1, sizeof *p->loss);
    p->chosen = calloc(of->count + 1, sizeof *p->chosen);
    p->order = calloc(of->count + 1, sizeof *p->order);
    if (!p->logs || !p->novelty || !p->loss || !p->chosen || !p->order) {
        atx_population_close(p);
        return atx_no_memory(err);
    }
    for (size_t i = 0; i < of->count; i++)
        p->order[i] = i;
    take_logs(p);
    *out = p;
    return AT_OK;
}

void atx_population_close(atx_population *p)
{
    if (!p)
        return;
    free(p->logs);
    free(p->novelty);
    free(p->loss);
    free(p->chosen);
    free(p->order);
    atx_spot_checks_clear(&p->checks);
    free(p);
}

/* Of the next few candidates that are left, the one with the largest claim; the sample's length: none is
 * left.
 */
static size_t best_candidate(atx_population *p, size_t few)
{
    size_t best = p->candidates, looked_at = 0, i = 0;
    double most = 0;
    for (; i < p->candidates && looked_at < few; i++) {
        const size_t candidate = (p->cursor + i) % p->candidates, at = p->order[candidate];
        const double claim = log2((double)p->loss[at]) + (double)p->novelty[at];
        if (p->chosen[at])
            continue;
        if (!looked_at++ || claim > most) {
            most = claim;
            best = candidate;
        }
    }
    p->cursor += i;
    return best;
}

/* *place stays as it is where none is left of the sample. */
static at_status choose_next(size_t *place, atx_population *p, at_error *err)
{
    const bool by_chance = p->few == FEW && p->drawn % CHECK_EACH == 0;
    const size_t candidate = best_candidate(p, by_chance ? 1 : p->few);
    if (candidate == p->candidates) {
        p->ask_again_at = 0;
        return AT_OK;
    }
    *place = p->order[candidate];
    choose(p, *place);
    return by_chance && p->answers[candidate].t ? atx_spot_checks_add(&p->checks, &p->answers[candidate], err)
                                                : AT_OK;
}

at_status atx_population_next(size_t *place, atx_population *p, at_error *err)
{
    const bool late = p->plan.until_s > 0 && atx_now_s() >= p->plan.until_s;
    at_status status = AT_OK;
    *place = p->of.count;
    while (!late && !p->enough && left_of(p) && *place == p->of.count && status == AT_OK) {
        if (p->drawn >= p->ask_again_at)
            status = ask_again(p, err);
        if (status == AT_OK && !p->enough)
            status = choose_next(place, p, err);
    }
    return status;
}

at_status atx_population_state(atx_population_loss *out, atx_population *p, at_error *err)
{
    asked sum;
    atx_spot_check_figures checked;
    double mean = -1;
    at_status status = p->drawn ? learn(p, 0, err) : AT_OK;
    ATX_THEN(status, ask(&sum, p, STATED, err));
    ATX_THEN(status, corrected_mean(&mean, &sum, p, err));
    ATX_THEN(status, atx_spot_checks_figures(&checked, &p->checks, err));
    if (status != AT_OK)
        return status;
    *out = (atx_population_loss){ .tuned = p->drawn,
                                  .others = left_of(p),
                                  .answered = sum.open ? sum.answered * left_of(p) / sum.open : 0,
                                  .mean = mean,
                                  .checked = checked.count,
                                  .checked_mean = checked.mean,
                                  .checked_most = checked.most };
    return AT_OK;
}
