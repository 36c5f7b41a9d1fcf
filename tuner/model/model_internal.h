/* model_internal.h - the parts of a model. Private to model*.c; learn.c fills it. */
#pragma once

#include "model/forest.h"
#include "model/model.h"

#define ATX_MODEL_MAX_TEMPLATES  64
#define ATX_MODEL_MAX_CANDIDATES 3000
#define ATX_MODEL_MAX_TREES      2000

typedef struct atx_model_template {
    char name[ATX_MAX_NAME], hash[ATX_HASH_TEXT];
    int param_count;
} atx_model_template;

/* Of the portfolio: places among a template's declared values. */
typedef struct atx_candidate {
    int which; /* template */
    uint16_t places[ATX_MAX_PARAMS];
} atx_candidate;

/* What was learned of one op on one device. */
typedef struct atx_op_model {
    char op[ATX_MAX_NAME], op_hash[ATX_HASH_TEXT]; /* the op's proof_hash */
    char device[128], learned_at[24];
    int64_t cc, sms, trials, problems;
    int feature_count;
    char names[ATX_MAX_SEEN][ATX_MAX_NAME];
    atx_edges edges[ATX_MAX_SEEN];
    float *edge_room; /* what they point into */
    int template_count;
    atx_model_template templates[ATX_MODEL_MAX_TEMPLATES];
    int candidate_count;
    atx_candidate *candidates;
    atx_forest slower[ATX_MODEL_MEMBERS]; /* log of time over the problem's best time                     */
    atx_forest best;                      /* log of that over traffic, less `usual`; problem's features     */
    atx_forest loss;                      /* of answers there, less `expected_loss`; problem's features     */
    double usual;
    double expected_loss; /* the mean loss of answers for problems that were left out */
    double most_loss;     /* as of atx_training_samples; no file has it */
} atx_op_model;

struct atx_model {
    atx_op_model *ops;
    int count;
    int64_t newest_trial; /* of the store that it lies beside, when it learned; 0: of none */
    bool kept;            /* made with options that a user chose: see atx_model_keep */
    unsigned char *bytes; /* the file that its trees lie in; NULL: the program's, or their own */
};

/* Room for the edges of all features. */
at_status atx_op_model_room(atx_op_model *known, at_error *err) AT_MUST_CHECK;
void atx_op_model_clear(atx_op_model *known);

atx_training_samples atx_op_model_samples(const atx_op_model *known);
bool atx_op_model_is_of(const atx_op_model *known, const atx_op *op); /* as it is now */

/* How unlike the device that it was learned on is: 0 only where it is the one of this name, or that has
 * none. */
double atx_op_model_distance(const atx_op_model *known, const atx_gpu_model *device);

/* The logarithm of the traffic of a problem in bytes, as `best` is scaled by. */
double atx_log_traffic(const atx_problem *problem, const int64_t *slots);
