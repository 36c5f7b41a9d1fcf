/*
 * model_features.h - the inputs of a model for a problem and a configuration: numbers, each with a name.
 *
 * All of them follow from the declarations, so that every op has them: sizes, their alignment and ratios; for
 * an op of layouts the fastest dimension of either side, and its place on the other; figures of the launch
 * (blocks, waves, bytes of a block); and a template's parameters, lets and consts. A parameter of the same
 * name in several templates is one feature. Sizes and other numbers without an upper limit are logarithms, to
 * the base two.
 */
#pragma once

#include "lang/problem.h"

#define ATX_MAX_MODEL_FEATURES 640

/* The place of one that only learning sets: whether a trial is another device's. */
#define ATX_MODEL_FEATURE_ELSEWHERE 0

typedef struct atx_model_features {
    const atx_op *op;
    const atx_template *t; /* NULL: of the problem alone */
    int problem_count;     /* the first are those of the problem */
    int count;
} atx_model_features;

/* Which features there are. */
atx_model_features atx_model_features_of(const atx_op *op, const atx_template *t);

/* Writes the name of the i-th. A slot that cannot tell anything (a label) has the name "". */
void atx_model_features_name(char out[ATX_MAX_NAME], const atx_model_features *features, int i);

/* Fills out[0 .. problem_count). `slots` is bound for the problem and device. */
void atx_model_features_problem(float *out, const atx_model_features *features, const atx_problem *problem,
                                const int64_t *slots);

/* Fills out[problem_count .. count), where the problem's are. `slots` is bound for the configuration too. */
void atx_model_features_config(float *out, const atx_model_features *features, const int64_t *slots,
                               const atx_geometry *geometry);
