/*
 * lookup_predict.c - the configuration that a model expects to be the fastest, for a problem without a
 * winner.
 *
 * Two models may know the op: the user's, beside the database (written by `autotune learn`), and the bundled
 * one. A model that learned on the target device comes first; among the others the one with the most similar
 * device, then the user's before the bundled one. A model of another device answers only if nothing near was
 * tuned on this one. Its times and its expected loss are true of its own device and are left out.
 *
 * The near winner's configuration is estimated, too: if no other is expected to be faster, it stays the
 * answer, since it was measured somewhere.
 *
 * Models are read at their first use (of the bundled one only the op's part), and again when the store has
 * changed. A model that cannot be read is ignored, and the answer's reason says so.
 */
#include "lookup/lookup_internal.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS     2   /* the user's, the program's */
#define PREDICTORS 8   /* ops times models that are kept ready */
#define NEAR_BY    4.0 /* units of distance: so near a winner goes before a model of another device */

typedef struct ready {
    const atx_op *op;
    int model;
    bool own;
    char device[ATX_DEVICE_NAME];
    int64_t cc, sms;          /* of the device as well, which a model may not know */
    atx_predictor *predictor; /* NULL: the model knows nothing of the op */
    atx_model *shipped;       /* what it asks of the program's; NULL: it asks the user's */
} ready;

struct atx_predictors {
    atx_model *users;
    bool with_shipped;
    ready list[PREDICTORS];
    int count;
    char broken[256]; /* why the user's cannot be read; "": nothing is wrong */
    int64_t unseen;   /* trials of the user's that are worth learning from, and were not */
};

static void close_ready(ready *r)
{
    atx_predictor_close(r->predictor);
    atx_model_close(r->shipped);
}

void atx_predictors_close(atx_predictors *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->count; i++)
        close_ready(&f->list[i]);
    atx_model_close(f->users);
    free(f);
}

static at_status read_users(atx_predictors *f, const atx_store *store, at_error *err)
{
    ATX_LOCAL(atx_str) path = { 0 };
    at_error cause = { 0 };
    const char *file = store ? atx_store_file(store) : "";
    if (!*file)
        return AT_OK;
    atx_str_addf(&path, "%s%s", file, ATX_MODEL_SUFFIX);
    at_status status = atx_str_status(&path, err);
    ATX_THEN(status, atx_model_read(&f->users, atx_str_text(&path), &cause));
    if (status != AT_OK && status != AT_ERR_NOT_FOUND && status != AT_ERR_MEMORY)
        snprintf(f->broken, sizeof f->broken, "; its model is left out: %.220s", cause.text);
    return status == AT_ERR_MEMORY ? atx_no_memory(err) : AT_OK;
}

static at_status count_unseen(atx_predictors *f, atx_store *store, at_error *err)
{
    int64_t newest = 0;
    at_status status = atx_store_newest_trial(&newest, store, err);
    f->unseen = atx_model_is_behind(f->users, newest);
    return status;
}

static at_status open_all(atx_predictors **out, const atx_lookup *l, at_error *err)
{
    atx_predictors *f = calloc(1, sizeof *f);
    if (!f) {
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    at_status status = read_users(f, l->store, err);
    if (status == AT_OK && l->store)
        status = count_unseen(f, l->store, err);
    f->with_shipped = l->with_shipped;
    if (status != AT_OK) {
        atx_predictors_close(f);
        return status;
    }
    *out = f;
    return AT_OK;
}

static atx_gpu_model device_of(const atx_question *q)
{
    return (atx_gpu_model){ .name = q->device, .cc = q->cc, .sms = q->sms };
}

static bool is_for(const ready *r, const atx_question *q)
{
    return strcmp(r->device, q->device) == 0 && r->cc == q->cc && r->sms == q->sms;
}

/* The predictor of a model for the op; NULL with AT_OK: it knows nothing of it. */
static at_status ready_one(ready **out, atx_predictors *f, const atx_lookup *l, const atx_question *q,
                           int model, at_error *err)
{
    const atx_op *op = q->problem->op;
    at_status status = AT_OK;
    *out = NULL;
    for (int i = 0; i < f->count && !*out; i++)
        if (f->list[i].op == op && f->list[i].model == model && is_for(&f->list[i], q))
            *out = &f->list[i];
    if (*out)
        return AT_OK;
    ready r = { .op = op, .model = model, .cc = q->cc, .sms = q->sms };
    snprintf(r.device, sizeof r.device, "%s", q->device);
    const atx_gpu_model device = device_of(q);
    if (model == 1 && f->with_shipped)
        status = atx_model_shipped(&r.shipped, op, &device, err);
    const atx_model *of = model == 1 ? r.shipped : f->users;
    if (!of || status != AT_OK)
        return status;
    status = atx_predictor_open(&r.predictor, of, l->catalog, op, &device, &r.own, err);
    if (status == AT_ERR_MEMORY) {
        close_ready(&r);
        return status;
    }
    *out = &f->list[f->count++];
    **out = r;
    return AT_OK;
}

/* From the device that a model learned on to the one that is asked for; below zero: they are the same. */
static double distance_of(const ready *r, const atx_question *q)
{
    const atx_training_samples learned = atx_predictor_training_samples(r->predictor);
    const atx_gpu_model there = { .name = learned.device, .cc = learned.cc, .sms = learned.sms };
    const atx_gpu_model here = device_of(q);
    return r->own ? -1 : atx_gpu_distance(&there, &here);
}

static at_status choose(ready **out, atx_predictors *f, const atx_lookup *l, const atx_question *q,
                        at_error *err)
{
    ready *each[MODELS] = { NULL };
    *out = NULL;
    while (f->count + MODELS > PREDICTORS) /* before any is pointed to */
        close_ready(&f->list[--f->count]);
    for (int m = 0; m < MODELS; m++)
        ATX_TRY(ready_one(&each[m], f, l, q, m, err));
    for (int m = 0; m < MODELS; m++)
        if (each[m] && each[m]->predictor && (!*out || distance_of(each[m], q) < distance_of(*out, q)))
            *out = each[m];
    return AT_OK;
}

/* Of the device that is asked for, as far as it is known; else of the one that was learned on. */
static void limits_for(atx_limits *out, const atx_question *q, const atx_training_samples *learned)
{
    const atx_fingerprint f = { .cc = learned->cc, .sms = learned->sms };
    atx_limits_on(out, &f, q->cc, q->sms);
}

static at_status keep(atx_entry *out, const atx_guess *g, const atx_question *q,
                      const atx_training_samples *learned, at_error *err)
{
    ATX_LOCAL(atx_str) config = { 0 }, shape = { 0 };
    atx_config_text(&config, g->t, &g->config);
    atx_problem_shape(&shape, q->problem);
    atx_answer a = { .op = (char *)(uintptr_t)g->t->op->name, /* copied below */
                     .shape = (char *)(uintptr_t)atx_str_text(&shape),
                     .type_key = (char *)(uintptr_t)q->type_key,
                     .measured_at = (char *)(uintptr_t)learned->learned_at,
                     .rank_at = (char *)(uintptr_t)learned->learned_at,
                     .fingerprint = { .cc = learned->cc, .sms = learned->sms, .cold = true } };
    a.winner = (atx_winner){ .template_name = g->t->name,
                             .template_hash = g->t->text.hash,
                             .config = atx_str_text(&config),
                             .source_hash = "",
                             .op_hash = "",
                             .objective = g->t->op->goal.objective_text,
                             .ceiling_name = "",
                             .ties = "",
                             .resources = ATX_RESOURCES_UNKNOWN,
                             .conditions = ATX_CONDITIONS_UNKNOWN };
    snprintf(a.fingerprint.device, sizeof a.fingerprint.device, "%s", learned->device);
    *out = (atx_entry){ .op = g->t->op, .t = g->t, .config = g->config };
    ATX_TRY(atx_str_status(&config, err));
    ATX_TRY(atx_str_status(&shape, err));
    if (!atx_answer_copy(&out->answer, &a))
        return atx_no_memory(err);
    return AT_OK;
}

/* Is a near winner's configuration what is expected to be best here? A model of another device knows winners
 * of that device alone. */
static bool near_is_as_good(const atx_guess *best, atx_predictor *p, const atx_question *q,
                            const int64_t *slots, const atx_entry *near)
{
    atx_guess g;
    const atx_training_samples learned = atx_predictor_training_samples(p);
    return near && strcmp(near->answer.fingerprint.device, learned.device) == 0 && near->t &&
           atx_predictor_of(&g, p, q->problem, slots, near->t, &near->config) && g.slower <= best->slower;
}

/* Of fewer problems nothing would be learned. */
static at_status has_training_samples(bool *out, const atx_lookup *l, const atx_op *op, at_error *err)
{
    int64_t count = 0;
    ATX_TRY(l->store ? atx_store_count_best(&count, l->store, op->name, ATX_MIN_TRAINING_SAMPLES, err)
                     : AT_OK);
    *out = count >= ATX_MIN_TRAINING_SAMPLES;
    return AT_OK;
}

/* any_near: something was tuned on the device, but far away. */
static void explain(atx_prediction *out, const ready *r, const atx_training_samples *learned,
                    const atx_question *q, bool any_near, int64_t unseen)
{
    size_t len;
    if (r->own)
        snprintf(out->why, sizeof out->why, "this shape was not tuned%s",
                 q->outdated ? " as its templates are now" : "");
    else
        snprintf(out->why, sizeof out->why, "%s was tuned on %s",
                 any_near ? "nothing near this shape" : "nothing", q->device);
    len = strlen(out->why);
    snprintf(out->why + len, sizeof out->why - len,
             "; the configuration is what a model of %lld trials of %lld problems on %s expects to be the "
             "fastest%s",
             (long long)learned->trials, (long long)learned->problems, learned->device,
             r->own ? "" : " there");
    len = strlen(out->why);
    if (unseen)
        snprintf(out->why + len, sizeof out->why - len,
                 "; `autotune learn` would take up to %lld trials of yours in", (long long)unseen);
    out->shipped = r->model == 1;
}

/* What of a prediction is asked for, and by which model. */
typedef struct asked {
    atx_lookup *l;
    const ready *r;
    const atx_question *q;
} asked;

/* AT_ERR_NOT_FOUND: something is known against it. */
static at_status keep_if_usable(atx_prediction *out, const asked *a, const atx_guess *g, at_error *err)
{
    atx_training_samples learned = atx_predictor_training_samples(a->r->predictor);
    at_status status = keep(&out->entry, g, a->q, &learned, err);
    ATX_THEN(status, atx_entry_usable(NULL, a->l, &out->entry, a->q, err));
    if (status != AT_OK) {
        atx_answer_clear(&out->entry.answer);
        return status;
    }
    out->geometry = g->geometry;
    out->expected_s = a->r->own ? g->time_s : 0;
    out->expected_loss = a->r->own ? g->expected_loss : 0;
    return AT_OK;
}

/* The best guess, or where something is known against it the next of a few. */
static at_status keep_first_usable(atx_prediction *out, const asked *a, const atx_guess *best,
                                   const int64_t *slots, at_error *err)
{
    atx_guess next[ATX_MAX_EXPECTED];
    int count = 0;
    at_status status = keep_if_usable(out, a, best, err);
    if (status != AT_ERR_NOT_FOUND)
        return status;
    at_status top =
        atx_predictor_top(next, &count, ATX_MAX_EXPECTED, a->r->predictor, a->q->problem, slots, err);
    for (int i = 0; i < count && top == AT_OK && status == AT_ERR_NOT_FOUND; i++)
        status = keep_if_usable(out, a, &next[i], err);
    return top == AT_OK ? status : top;
}

static at_status predict(atx_prediction *out, const asked *a, const atx_entry *near, bool any_near,
                         int64_t unseen, at_error *err)
{
    const ready *r = a->r;
    const atx_question *q = a->q;
    int64_t slots[ATX_MAX_SLOTS];
    atx_limits limits;
    atx_guess guess;
    atx_training_samples learned = atx_predictor_training_samples(r->predictor);
    limits_for(&limits, q, &learned);
    if (atx_problem_bind(slots, q->problem, &limits, NULL) != AT_OK)
        return AT_ERR_NOT_FOUND;
    ATX_TRY(atx_predictor_best(&guess, r->predictor, q->problem, slots, err));
    out->geometry = guess.geometry;
    out->own = r->own;
    out->expected_s = r->own ? guess.time_s : 0;
    out->expected_loss = r->own ? guess.expected_loss : 0;
    if (near_is_as_good(&guess, r->predictor, q, slots, near))
        return AT_ERR_NOT_FOUND;
    explain(out, r, &learned, q, any_near, unseen);
    at_status status = keep_first_usable(out, a, &guess, slots, err);
    if (status == AT_ERR_NOT_FOUND)
        out->expected_s = out->expected_loss = 0;
    return status;
}

/* AUTOTUNE_NO_MODEL: near winners answer. */
static bool not_wanted(const atx_lookup *l)
{
    const char *without = l->no_environment ? NULL : getenv("AUTOTUNE_NO_MODEL");
    return without && *without && strcmp(without, "0") != 0;
}

/* Which model is asked; NULL with AT_OK: none can be. */
static at_status choose_model(ready **out, atx_lookup *l, const atx_question *q, at_error *err)
{
    *out = NULL;
    ATX_TRY(l->predictors ? AT_OK : open_all(&l->predictors, l, err));
    return choose(out, l->predictors, l, q, err);
}

at_status atx_lookup_predict(atx_prediction *out, atx_lookup *l, const atx_question *q, const atx_entry *near,
                             double reach, at_error *err)
{
    ready *r = NULL;
    *out = (atx_prediction){ .shipped = false };
    if (not_wanted(l))
        return AT_ERR_NOT_FOUND;
    at_status status = choose_model(&r, l, q, err);
    if (status != AT_OK)
        return status;
    snprintf(out->broken, sizeof out->broken, "%s", l->predictors->broken);
    if (!r || (!r->own && near && reach < NEAR_BY))
        return AT_ERR_NOT_FOUND;
    bool worth_it = false; /* to learn from new trials */
    if (l->predictors->unseen)
        status = has_training_samples(&worth_it, l, q->problem->op, err);
    const asked a = { l, r, q };
    return status == AT_OK
               ? predict(out, &a, near, isfinite(reach), worth_it ? l->predictors->unseen : 0, err)
               : status;
}

/* ---- where a search begins ---- */

static at_status expect(atx_guess *out, int *count, int max, const ready *r, const atx_question *q,
                        at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_limits limits;
    atx_training_samples learned = atx_predictor_training_samples(r->predictor);
    limits_for(&limits, q, &learned);
    if (atx_problem_bind(slots, q->problem, &limits, NULL) != AT_OK)
        return AT_ERR_NOT_FOUND;
    return atx_predictor_top(out, count, max, r->predictor, q->problem, slots, err);
}

at_status atx_lookup_expected(atx_hint *out, int *count, int max, atx_lookup *l, const atx_problem *p,
                              const atx_target *target, at_error *err)
{
    atx_question q = {
        .problem = p, .type_key = atx_dtype_key(p->type, p->op->storage), .cc = target->cc, .sms = target->sms
    };
    atx_guess guesses[ATX_MAX_EXPECTED];
    at_error cause = { 0 };
    ready *r = NULL;
    *count = 0;
    memcpy(q.device, target->name, sizeof q.device);
    if (not_wanted(l))
        return AT_OK;
    at_status status = choose_model(&r, l, &q, &cause);
    if (status == AT_OK && r)
        status = expect(guesses, count, max < ATX_MAX_EXPECTED ? max : ATX_MAX_EXPECTED, r, &q, &cause);
    if (status == AT_ERR_MEMORY)
        return atx_no_memory(err);
    for (int i = 0; i < *count; i++)
        out[i] = (atx_hint){ .t = guesses[i].t, .config = guesses[i].config };
    return AT_OK;
}
