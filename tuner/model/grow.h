/*
 * grow.h - growing trees by gradient boosting: each is fitted to the residual of those before it.
 *
 * Squared error, weighted. The leaf whose best split gains most is split next. Splits are found in histograms
 * over bins; of two children the larger's is the parent's less the other's. Deterministic: equal input, equal
 * trees.
 */
#pragma once

#include "model/forest.h"
#include "util/cancel.h"
#include "util/rng.h"

#include "util/fail.h"

/* What trees are fitted to: rows of bins, each with a weight and what is left over of its target. */
typedef struct atx_training_set {
    const uint8_t *bins; /* rows x features                                    */
    int rows, features;
    const int *bin_counts; /* of each feature, absent included                */
    const float *weights;
    float *left;         /* target less what is predicted; each tree lowers it */
    const uint8_t *used; /* rows that trees learn from; the others are predicted only */
    const int *groups;   /* of each row: rows of a group are compared with each other alone; NULL: with all */
    int group_count;
    atx_cancel *cancel; /* checked before each tree; NULL: never cancelled */
} atx_training_set;

typedef struct atx_growth {
    int trees, leaves;
    double rate;          /* of what a leaf would take away, what it takes    */
    double least_weight;  /* of a leaf                                        */
    double calm;          /* weight of an unseen row that says zero           */
    double feature_share; /* of the features, drawn anew for each tree          */
    bool validated;       /* by the unused rows: fewer trees, where more help those no longer */
} atx_growth;

/* Adds trees to the forest. AT_ERR_MEMORY: out of memory. AT_ERR_CANCELLED: `cancel`. */
at_status atx_forest_grow(atx_forest *forest, const atx_training_set *training_set, const atx_growth *growth,
                          atx_rng *rng, at_error *err) AT_MUST_CHECK;
