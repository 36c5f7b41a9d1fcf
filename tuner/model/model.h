/*
 * model.h - predictions for problems that were never tuned.
 *
 * A model has a part for each op and device it has learned: forests that estimate how much slower than the
 * best of its problem a configuration is, one forest that estimates the time of that best, and a portfolio:
 * configurations that were among the best of some problem. For a problem, the portfolio's valid
 * configurations are estimated, and the best is returned with its expected loss against tuning.
 *
 * Parts of an op or a template that have changed since are ignored. A model is read-only once it is made; a
 * predictor is used by one thread at a time.
 */
#pragma once

#include "db/store.h"
#include "lang/catalog.h"
#include "lang/gpu_model.h"
#include "util/cancel.h"

#define ATX_MODEL_MEMBERS        4
#define ATX_MIN_TRAINING_SAMPLES 8 /* problems of an op and device: with fewer a neighbour tells as much */

typedef struct atx_model atx_model;

/* A file of a model holds no more. */
#define ATX_MODEL_MAX_BYTES ((size_t)128 << 20)

/* AT_ERR_INPUT: it is no model, or damaged. Nothing of `bytes` is kept. */
at_status atx_model_unpack(atx_model **out, const void *bytes, size_t size, at_error *err) AT_MUST_CHECK;

/* AT_ERR_INPUT: it has more parts, or bytes, than can be read again. */
at_status atx_model_pack(atx_str *out, const atx_model *model, at_error *err) AT_MUST_CHECK;

/* AT_ERR_NOT_FOUND: there is no such file. */
at_status atx_model_read(atx_model **out, const char *path, at_error *err) AT_MUST_CHECK;
at_status atx_model_write(const atx_model *model, const char *path, at_error *err) AT_MUST_CHECK;

/* With the parts of `rest` (NULL: none) whose op and device the model has not. */
at_status atx_model_write_with(const atx_model *model, const atx_model *rest, const char *path,
                               at_error *err) AT_MUST_CHECK;
void atx_model_close(atx_model *model); /* harmless on NULL */
ATX_CLOSES(atx_model)

/* The model that comes with the program; NULL: none. Made from db/models at build time. */
extern const unsigned char atx_shipped_model[];
extern const size_t atx_shipped_model_bytes;

/* Of it what is known of one op (NULL: of all), on that device which atx_predictor_open would choose for
 * `device`; *out is NULL where there is none. That it is whole and sound is the affair of the
 * build and its tests: no time is spent on it. */
at_status atx_model_shipped(atx_model **out, const atx_op *op, const atx_gpu_model *device,
                            at_error *err) AT_MUST_CHECK;

/* The training data of an op's model. Borrowed. */
typedef struct atx_training_samples {
    const char *op, *device, *learned_at;
    int64_t cc, sms, trials, problems, candidates, trees;
    double expected_loss; /* the mean loss of its answers for problems that were left out */
    double most_loss;     /* 95 of 100 of them lose no more; below zero: not known, it was read from a file */
} atx_training_samples;

/* The i-th model of an op; false: there are no more. */
bool atx_model_of_op(atx_training_samples *out, const atx_model *model, int i);

/* What a model learns from. Borrowed. */
typedef struct atx_training_data {
    atx_store *const *stores;
    int count;
    const atx_model *before; /* its trees come first; NULL: none */
    int most_leaves;         /* of a new tree; 0: as many as one can have */
} atx_training_data;

/*
 * Learns from all trials of the stores, of every op and device that have enough of them. *out is NULL when
 * there is nothing to learn from. The model remembers how far it has read stores[0], the one that it lies
 * beside. AT_ERR_CANCELLED: by `cancel` (NULL: never), within some hundredths of a second.
 */
at_status atx_model_learn(atx_model **out, const atx_catalog *catalog, const atx_training_data *from,
                          atx_cancel *cancel, at_error *err) AT_MUST_CHECK;

/*
 * How many trials of the store that it lies beside the model (NULL: there is none) has not seen, where they
 * are worth learning anew: half as many as it has seen, and 100. 0: they are not. So all that learning costs,
 * 0.1 ms a trial, is three times what the last one costs. `newest_trial` is atx_store_newest_trial's.
 */
int64_t atx_model_is_behind(const atx_model *model, int64_t newest_trial);
int64_t atx_model_newest(const atx_model *model); /* the newest it has seen; 0: none, or no model */

/* Should the model beside the store, at `path`, be trained again without being asked: there are `more` trials
 * than it has seen (a share of these, and at least 100), there are problems enough, its user did not make it
 * with other options (atx_model_keep), and training would not take long? One that cannot be read is none. */
#define ATX_MORE_TO_LEARN 0.5
at_status atx_model_is_due(bool *due, atx_store *store, const char *path, double more,
                           at_error *err) AT_MUST_CHECK;

/* It was made of more than its store, or of that alone, because a user said so: it is not renewed by itself.
 */
void atx_model_keep(atx_model *model);
bool atx_model_is_kept(const atx_model *model);

/* ---- asking ---- */

typedef struct atx_predictor atx_predictor;

/* Of what was learned of this op on the device of this name, else on the one that is most like it
 * (atx_gpu_distance); *own tells which. An empty name: of the first. AT_ERR_NOT_FOUND: there is none, or
 * the op was changed since. Borrows model and catalog. */
at_status atx_predictor_open(atx_predictor **out, const atx_model *model, const atx_catalog *catalog,
                             const atx_op *op, const atx_gpu_model *device, bool *own,
                             at_error *err) AT_MUST_CHECK;
void atx_predictor_close(atx_predictor *p);
atx_training_samples atx_predictor_training_samples(const atx_predictor *p);

/* The prediction for a configuration. */
typedef struct atx_guess {
    const atx_template *t;
    atx_config config;
    atx_geometry geometry;
    double slower;        /* than the best of the problem: 0.02, also below zero */
    double time_s;        /* expected                                             */
    double expected_loss; /* how much slower than tuned answers are in the mean, for problems like this one */
} atx_guess;

/* The best of the portfolio; `slots` is bound for problem and device. AT_ERR_NOT_FOUND: none is valid. */
at_status atx_predictor_best(atx_guess *out, atx_predictor *p, const atx_problem *problem,
                             const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* The best few of it, at most `max`, the best first: where another template may be as good, by the expected
 * loss, one of each such template before more of the same. AT_ERR_NOT_FOUND: none is valid. */
at_status atx_predictor_top(atx_guess *out, int *count, int max, atx_predictor *p, const atx_problem *problem,
                            const int64_t *slots, at_error *err) AT_MUST_CHECK;

/* Of one configuration, whether or not the template's requirements hold; false: its template is unknown to
 * the model, or it has no launch. */
bool atx_predictor_of(atx_guess *out, atx_predictor *p, const atx_problem *problem, const int64_t *slots,
                      const atx_template *t, const atx_config *config);
