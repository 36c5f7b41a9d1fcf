/*
 * model_parts.h - what a model is made of. Private to model*.c; learn.c fills it.
 */
#ifndef AUTOTUNE_MODEL_PARTS_H
#define AUTOTUNE_MODEL_PARTS_H

#include "model/forest.h"
#include "model/model.h"

#define AT__MODEL_MAX_TEMPLATES  64
#define AT__MODEL_MAX_CANDIDATES 3000
#define AT__MODEL_MAX_TREES      2000

typedef struct at__model_template {
    char name[AT__MAX_NAME], hash[AT__HASH_TEXT];
    int param_count;
} at__model_template;

/* Of the portfolio: places among a template's declared values. */
typedef struct at__candidate {
    int which; /* template */
    uint16_t places[AT__MAX_PARAMS];
} at__candidate;

/* What was learned of one op on one device. */
typedef struct at__part_of_model {
    char op[AT__MAX_NAME], op_hash[AT__HASH_TEXT]; /* the op's proof_hash */
    char device[128], learned_at[24];
    int64_t cc, sms, trials, problems;
    int trait_count;
    char names[AT__MAX_SEEN][AT__MAX_NAME];
    at__edges edges[AT__MAX_SEEN];
    float *edge_room; /* what they point into */
    int template_count;
    at__model_template templates[AT__MODEL_MAX_TEMPLATES];
    int candidate_count;
    at__candidate *candidates;
    at__forest slower[AT__MODEL_MEMBERS]; /* log of time over the problem's best time                     */
    at__forest best;                      /* log of that over traffic, less `usual`; problem's traits     */
    at__forest loss;                      /* of answers there, less `doubt`; problem's traits     */
    double usual;
    double doubt; /* the mean loss of answers for problems that were left out */
} at__part_of_model;

struct at__model {
    at__part_of_model *parts;
    int count;
    int64_t newest_trial; /* of the store that it lies beside, when it learned; 0: of none */
    bool kept;            /* as somebody wanted it: see at__model_keep */
    unsigned char *bytes; /* the file that its trees lie in; NULL: the program's, or their own */
};

/* Room for the edges of all traits. */
at_status at__part_room(at__part_of_model *part, at_error *err) AT_MUST_CHECK;
void at__part_of_model_clear(at__part_of_model *part);

at__lessons at__part_lessons(const at__part_of_model *part);
bool at__part_is_of(const at__part_of_model *part, const at__op *op); /* as it is now */

/* How unlike the device that it was learned on is: 0 only where it is the one of this name, or that has
 * none. */
double at__part_distance(const at__part_of_model *part, const at__gpu_model *device);

/* The logarithm of the traffic of a problem in bytes, as `best` is scaled by. */
double at__log_traffic(const at__problem *problem, const int64_t *slots);

#endif
