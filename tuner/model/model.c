/*
 * model.c - asking a model. A predictor ties the model of an op to the catalog once: which number of a
 * template's features each feature of that model is, and the portfolio's configurations. Then a question
 * evaluates expressions and walks trees, and allocates nothing.
 *
 * Candidates meet half of the trees first; the other half decides among the best of them.
 */
#include "model/model_internal.h"

#include "model/plan.h"
#include "model/model_features.h"
#include "space/space.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW      4      /* of a template: with fewer valid candidates all its configurations are */
#define DOUBTFUL 0.07   /* so much slower than the best: worth a look at those */
#define LARGEST  60000  /* raw combinations of a template whose space is opened for that         */
#define MOST     3000   /* candidates                                                            */
#define LEAST_S  0.8e-6 /* what a launch takes itself: no time of db/winners, cold caches, is less */

/* Rounds: so many candidates are asked about trees up to this share of each forest. */
static const struct {
    int candidates;
    double share;
} ROUNDS[] = { { MOST, 0.0375 }, { 64, 0.15 }, { 16, 1.0 } };
enum { ROUND_COUNT = sizeof ROUNDS / sizeof *ROUNDS };

/* Which of the op model's features a number of a template is. */
typedef struct link {
    uint8_t feature;
    int16_t number;
} link;

/* A template of the known, as the catalog has it. */
typedef struct bound {
    const atx_template *t; /* NULL: another one now, or missing */
    atx_model_features features;
    link *links; /* of what is not the problem's */
    int link_count;
    atx_plan plan;
    double combinations; /* of its values */
    bool few;            /* of its candidates fit the problem */
} bound;

typedef struct scored_config {
    int which;
    int64_t sum;     /* of the trees so far */
    int64_t *values; /* of its parameters   */
    uint8_t *bins;
} scored_config;

struct atx_predictor {
    const atx_op_model *known;
    const atx_op *op;
    size_t values_used;
    int scored_count, summed, best_count; /* these are first in `order`, after the last round */
    atx_model_features problem_features;
    int16_t problem_feature_of[ATX_MAX_SEEN];
    float numbers[ATX_MAX_MODEL_FEATURES];
    uint8_t base[ATX_MAX_SEEN]; /* bins of the problem */
    bound bound[ATX_MODEL_MAX_TEMPLATES];
    /* Room for the most that a question can take; a page is there once it is written to. */
    scored_config scored[MOST], *order[MOST];
    int64_t first[MOST],
        sums[MOST]; /* of each scored configuration: the sum of the first trees; of all so far */
    const uint8_t *rows[MOST];
    int64_t values[MOST * ATX_MAX_PARAMS];
    uint8_t bins[MOST * ATX_MAX_SEEN];
};

atx_training_samples atx_predictor_training_samples(const atx_predictor *p)
{
    return atx_op_model_samples(p->known);
}

/* ---- tying ---- */

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

/* An op model's features by their names: chains of those whose hashes end alike. */
typedef struct by_name {
    int16_t first[256], next[ATX_MAX_SEEN];
} by_name;

static void list_names(by_name *out, const atx_op_model *known)
{
    memset(out->first, -1, sizeof out->first);
    for (int k = 0; k < known->feature_count; k++) {
        int16_t *first = &out->first[hash_name(known->names[k]) % 256];
        out->next[k] = *first;
        *first = (int16_t)k;
    }
}

/* The features of the op's model among these, from `first` on. */
static void map_features(int16_t *feature_of, const by_name *names, const atx_op_model *known,
                         const atx_model_features *features, int first)
{
    char name[ATX_MAX_NAME];
    for (int k = 0; k < known->feature_count; k++)
        feature_of[k] = -1;
    for (int i = first; i < features->count; i++) {
        atx_model_features_name(name, features, i);
        for (int k = name[0] ? names->first[hash_name(name) % 256] : -1; k >= 0; k = names->next[k])
            if (strcmp(name, known->names[k]) == 0)
                feature_of[k] = (int16_t)i;
    }
}

/* The features that map_features found. */
static at_status keep_links(bound *b, const int16_t *feature_of, int features, at_error *err)
{
    b->links = malloc(((size_t)features + 1) * sizeof *b->links);
    if (!b->links)
        return atx_no_memory(err);
    for (int k = 0; k < features; k++)
        if (feature_of[k] >= 0)
            b->links[b->link_count++] = (link){ (uint8_t)k, feature_of[k] };
    return AT_OK;
}

static at_status tie_template(bound *b, const by_name *names, const atx_op_model *known,
                              const atx_model_template *m, const atx_catalog *catalog, const atx_op *op,
                              at_error *err)
{
    int16_t feature_of[ATX_MAX_SEEN] = { 0 };
    const atx_template *t = atx_catalog_find_template(catalog, op, m->name);
    if (!t || !atx_template_has_hash(t, m->hash) || t->scope.param_count != m->param_count)
        return AT_OK;
    b->features = atx_model_features_of(op, t);
    b->combinations = 1;
    for (int i = 0; i < t->scope.param_count; i++)
        b->combinations *= t->scope.params[i].count;
    map_features(feature_of, names, known, &b->features, b->features.problem_count);
    at_status status = keep_links(b, feature_of, known->feature_count, err);
    ATX_THEN(status, atx_plan_make(&b->plan, t, err));
    b->t = t;
    return status;
}

/* A candidate of the portfolio; false: the template has no such values. */
static bool read_candidate(atx_config *config, const atx_template *t, const atx_candidate *c)
{
    for (int k = 0; k < t->scope.param_count; k++) {
        if (c->places[k] >= t->scope.params[k].count)
            return false;
        config->values[k] = t->scope.params[k].values[c->places[k]];
    }
    return true;
}

/* Of the op the model on that device, else on the one most like it; of several the first. */
static const atx_op_model *find_op_model(const atx_model *m, const atx_op *op, const atx_gpu_model *device,
                                         bool *own)
{
    const atx_op_model *found = NULL;
    double least = INFINITY;
    for (int i = 0; m && i < m->count; i++) {
        const atx_op_model *p = &m->ops[i];
        double distance = atx_op_model_is_of(p, op) ? atx_op_model_distance(p, device) : INFINITY;
        found = distance < least ? p : found;
        least = fmin(least, distance);
    }
    *own = least <= 0;
    return found;
}

static at_status tie_all(atx_predictor *p, const atx_catalog *catalog, at_error *err)
{
    by_name names;
    at_status status = AT_OK;
    list_names(&names, p->known);
    p->problem_features = atx_model_features_of(p->op, NULL);
    map_features(p->problem_feature_of, &names, p->known, &p->problem_features, 0);
    for (int i = 0; i < p->known->template_count && status == AT_OK; i++)
        status = tie_template(&p->bound[i], &names, p->known, &p->known->templates[i], catalog, p->op, err);
    return status;
}

at_status atx_predictor_open(atx_predictor **out, const atx_model *model, const atx_catalog *catalog,
                             const atx_op *op, const atx_gpu_model *device, bool *own, at_error *err)
{
    const atx_op_model *known = find_op_model(model, op, device, own);
    if (!known || op->goal.objective)
        return atx_fail(err, AT_ERR_NOT_FOUND, "no model has learned operation %s", op->name);
    atx_predictor *p = calloc(1, sizeof *p);
    if (!p)
        return atx_no_memory(err);
    p->known = known;
    p->op = op;
    at_status status = tie_all(p, catalog, err);
    if (status == AT_OK)
        *out = p;
    else
        atx_predictor_close(p);
    return status;
}

void atx_predictor_close(atx_predictor *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->known->template_count; i++) {
        free(p->bound[i].links);
        atx_plan_clear(&p->bound[i].plan);
    }
    free(p);
}

/* ---- a question ---- */

double atx_log_traffic(const atx_problem *p, const int64_t *slots)
{
    int64_t bytes = 0;
    if (p->op->goal.traffic && atx_expr_eval(&bytes, p->op->goal.traffic, slots, NULL) == AT_OK && bytes > 0)
        return log((double)bytes);
    return 0;
}

static void begin(atx_predictor *p, const atx_problem *problem, const int64_t *slots)
{
    const atx_op_model *known = p->known;
    atx_model_features_problem(p->numbers, &p->problem_features, problem, slots);
    for (int k = 0; k < known->feature_count; k++) {
        int i = p->problem_feature_of[k];
        p->base[k] = i < 0 ? 0 : atx_bin_of(&known->edges[k], p->numbers[i]);
    }
}

/* The configuration whose slots these are. false: it has no launch. */
static bool fill_bins(uint8_t *bins, atx_geometry *geometry, atx_predictor *p, const bound *b,
                      const int64_t *slots)
{
    if (atx_geometry_of(geometry, &b->t->call.steps[0].launch, slots, NULL) != AT_OK)
        return false;
    atx_model_features_config(p->numbers, &b->features, slots, geometry);
    memcpy(bins, p->base, (size_t)p->known->feature_count);
    for (const link *l = b->links; l < b->links + b->link_count; l++)
        bins[l->feature] = atx_bin_of(&p->known->edges[l->feature], p->numbers[l->number]);
    return true;
}

/* What atx_plan_begin has begun. false: it is not valid. `slots` gets the configuration. */
static bool take_bins(uint8_t *bins, atx_geometry *geometry, atx_predictor *p, const bound *b, int64_t *slots,
                      const atx_config *config)
{
    return atx_plan_allows(&b->plan, slots, config) && fill_bins(bins, geometry, p, b, slots);
}

/* Adds to the sums of `count` rows those of the members' trees, from one share of them to another. */
static void add_between(atx_predictor *p, double from, double to, int count)
{
    atx_batch batch;
    for (int done = 0; done < count; done += ATX_BATCH) {
        int rows = count - done < ATX_BATCH ? count - done : ATX_BATCH;
        atx_batch_make(&batch, p->rows + done, rows, p->known->feature_count);
        for (int i = 0; i < ATX_MODEL_MEMBERS; i++) {
            const atx_forest *f = &p->known->slower[i];
            atx_forest_add_sums(p->sums + done, f, (int)(from * f->count), (int)(to * f->count), &batch);
        }
    }
}

/* The mean of the members. */
static double all_of(const atx_op_model *known, const uint8_t *bins)
{
    int64_t sum = 0;
    for (int i = 0; i < ATX_MODEL_MEMBERS; i++)
        sum += atx_forest_sum(&known->slower[i], 0, known->slower[i].count, bins);
    return (double)sum / ATX_LEAF_UNIT / ATX_MODEL_MEMBERS;
}

/* Of equals that which came first: they lie in their order. */
static int by_sum(const void *a, const void *b)
{
    const scored_config *x = *(scored_config *const *)a, *y = *(scored_config *const *)b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? -1 : 1;
    return (x > y) - (x < y);
}

static void take_one(atx_predictor *p, int which, int64_t *slots, const atx_config *config)
{
    atx_geometry ignored;
    const bound *b = &p->bound[which];
    scored_config *r = &p->scored[p->scored_count];
    if (p->scored_count == MOST)
        return;
    *r = (scored_config){ .which = which,
                          .values = p->values + p->values_used,
                          .bins = p->bins + (size_t)p->scored_count * (size_t)p->known->feature_count };
    if (!take_bins(r->bins, &ignored, p, b, slots, config))
        return;
    memcpy(r->values, config->values, (size_t)b->t->scope.param_count * sizeof *r->values);
    p->values_used += (size_t)b->t->scope.param_count;
    p->scored_count++;
}

/* Shapes that leave a template few configurations have others each time: all of them, then. */
static void take_space(atx_predictor *p, int which, int64_t *slots)
{
    atx_space *space = NULL;
    atx_config config;
    if (!atx_plan_begin(&p->bound[which].plan, slots) ||
        atx_space_open(&space, p->bound[which].t, slots, NULL, 0, NULL) != AT_OK)
        return;
    for (int64_t i = 0; i < atx_space_count(space) && p->scored_count < MOST; i++) {
        atx_space_config(&config, space, i);
        take_one(p, which, slots, &config);
    }
    atx_space_close(space);
}

/* The candidates of a template stand side by side. Returns where the next one's begin. */
static int take_template(atx_predictor *p, int first, int64_t *slots)
{
    atx_config config = { { 0 } };
    const atx_op_model *known = p->known;
    int i = first, which = known->candidates[first].which, before = p->scored_count;
    bound *b = &p->bound[which];
    bool refused = b->t && !atx_plan_begin(&b->plan, slots);
    for (; i < known->candidate_count && known->candidates[i].which == which; i++)
        if (b->t && !refused && read_candidate(&config, b->t, &known->candidates[i]))
            take_one(p, which, slots, &config);
    b->few = b->t && !refused && p->scored_count - before < FEW;
    return i;
}

/* All configurations of the templates that had few candidates. */
static void take_more(atx_predictor *p, int64_t *slots)
{
    for (int i = 0; i < p->known->template_count; i++)
        if (p->bound[i].t && p->bound[i].few && p->bound[i].combinations <= LARGEST)
            take_space(p, i, slots);
}

/* Of one that was in the last round: all trees were asked. */
static double slower_of(const scored_config *r)
{
    return (double)r->sum / ATX_LEAF_UNIT / ATX_MODEL_MEMBERS;
}

/* The first trees of all, of those that were not asked before. */
static void score_first(atx_predictor *p)
{
    int count = p->scored_count - p->summed;
    for (int i = 0; i < count; i++) {
        p->rows[i] = p->scored[p->summed + i].bins;
        p->sums[i] = 0;
    }
    add_between(p, 0, ROUNDS[0].share, count);
    memcpy(p->first + p->summed, p->sums, (size_t)count * sizeof *p->sums);
    p->summed = p->scored_count;
}

static void score_round(atx_predictor *p, int count, double from, double to)
{
    for (int i = 0; i < count; i++) {
        p->rows[i] = p->order[i]->bins;
        p->sums[i] = p->order[i]->sum;
    }
    add_between(p, from, to, count);
    for (int i = 0; i < count; i++)
        p->order[i]->sum = p->sums[i];
}

/* Leaves those of the last round in order. Returns what is expected of the first; INFINITY: there is none. */
static double score_rounds(atx_predictor *p)
{
    int count = p->scored_count;
    score_first(p);
    for (int i = 0; i < count; i++) {
        p->order[i] = &p->scored[i];
        p->order[i]->sum = p->first[i];
    }
    for (int k = 1; k < ROUND_COUNT; k++) {
        qsort(p->order, (size_t)count, sizeof *p->order, by_sum);
        count = count < ROUNDS[k].candidates ? count : ROUNDS[k].candidates;
        score_round(p, count, ROUNDS[k - 1].share, ROUNDS[k].share);
    }
    qsort(p->order, (size_t)count, sizeof *p->order, by_sum);
    p->best_count = count;
    return count ? slower_of(p->order[0]) : INFINITY;
}

static void fill_guess(atx_guess *out, const atx_predictor *p, const atx_problem *problem,
                       const int64_t *slots, double slower)
{
    const atx_op_model *known = p->known;
    double best = (double)atx_forest_sum(&known->best, 0, known->best.count, p->base) / ATX_LEAF_UNIT;
    out->slower = expm1(slower);
    out->time_s = fmax(exp(best + known->usual + atx_log_traffic(problem, slots) + slower), LEAST_S);
    double more = (double)atx_forest_sum(&known->loss, 0, known->loss.count, p->base) / ATX_LEAF_UNIT;
    out->expected_loss = fmax(known->expected_loss + more, 0);
}

/* `own` gets the slots, for evaluations. */
static at_status rank_all(atx_predictor *p, const atx_problem *problem, int64_t *own, const int64_t *slots,
                          at_error *err)
{
    memcpy(own, slots, (size_t)p->op->scope.symbols.count * sizeof *own);
    begin(p, problem, own);
    p->scored_count = p->summed = 0;
    p->values_used = 0;
    for (int i = 0; i < p->known->candidate_count;)
        i = take_template(p, i, own);
    if (score_rounds(p) > DOUBTFUL) {
        take_more(p, own);
        score_rounds(p);
    }
    if (!p->best_count)
        return atx_fail(err, AT_ERR_NOT_FOUND, "no configuration of the model is valid");
    return AT_OK;
}

/* `slots` are written. */
static void guess_of(atx_guess *out, const atx_predictor *p, const atx_problem *problem, int64_t *slots,
                     const scored_config *r)
{
    const atx_template *t = p->bound[r->which].t;
    *out = (atx_guess){ .t = t };
    memcpy(out->config.values, r->values, (size_t)t->scope.param_count * sizeof *r->values);
    bool valid = atx_config_bind(slots, t, &out->config, NULL) == AT_OK &&
                 atx_geometry_of(&out->geometry, &t->call.steps[0].launch, slots, NULL) == AT_OK;
    assert(valid); /* it was when it became a scored_config */
    fill_guess(out, p, problem, slots, slower_of(r));
}

at_status atx_predictor_best(atx_guess *out, atx_predictor *p, const atx_problem *problem,
                             const int64_t *slots, at_error *err)
{
    int64_t own[ATX_MAX_SLOTS];
    at_status status = rank_all(p, problem, own, slots, err);
    if (status == AT_OK)
        guess_of(out, p, problem, own, p->order[0]);
    return status;
}

/* The next of those that are not taken; one of a template that is not there goes first, where it may be as
 * good as the best. */
static int next_top_candidate(const atx_predictor *p, const bool *taken, const bool *there, double loss)
{
    int next = -1;
    double limit = slower_of(p->order[0]) + log1p(loss);
    for (int i = 0; i < p->best_count; i++) {
        if (taken[i])
            continue;
        if (!there[p->order[i]->which] && slower_of(p->order[i]) <= limit)
            return i;
        next = next < 0 ? i : next;
    }
    return next;
}

at_status atx_predictor_top(atx_guess *out, int *count, int max, atx_predictor *p, const atx_problem *problem,
                            const int64_t *slots, at_error *err)
{
    int64_t own[ATX_MAX_SLOTS];
    bool taken[MOST] = { false }, there[ATX_MODEL_MAX_TEMPLATES] = { false };
    at_status status = rank_all(p, problem, own, slots, err);
    *count = 0;
    for (int next = 0; status == AT_OK && next >= 0 && *count < max;) {
        guess_of(&out[(*count)++], p, problem, own, p->order[next]);
        taken[next] = there[p->order[next]->which] = true;
        next = next_top_candidate(p, taken, there, out[0].expected_loss);
    }
    return status;
}

bool atx_predictor_of(atx_guess *out, atx_predictor *p, const atx_problem *problem, const int64_t *slots,
                      const atx_template *t, const atx_config *config)
{
    int64_t own[ATX_MAX_SLOTS];
    uint8_t bins[ATX_MAX_SEEN];
    memcpy(own, slots, (size_t)p->op->scope.symbols.count * sizeof *own);
    begin(p, problem, own);
    for (int i = 0; i < p->known->template_count; i++) {
        *out = (atx_guess){ .t = t, .config = *config };
        if (p->bound[i].t != t || atx_config_bind(own, t, config, NULL) != AT_OK ||
            !fill_bins(bins, &out->geometry, p, &p->bound[i], own))
            continue;
        double slower = all_of(p->known, bins);
        fill_guess(out, p, problem, own, slower);
        return true;
    }
    return false;
}
