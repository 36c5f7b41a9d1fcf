/*
 * kernel.h - how much the times of two configurations have in common, from their features; learned from
 * trials.
 *
 * A product over features of r + (1 - r) k(distance / length): with r near one a feature does not matter, and
 * so all orders of interaction are in it. k is a mixture of a rough kernel, the exponential, and a smooth
 * one, Matern 3/2, in one proportion for all ordered features; of an unordered feature it is the exponential.
 * Features have few levels, so each feature's part is a table over pairs of levels.
 */
#pragma once

#include "search/features.h"

#define ATX_KERNEL_ROWS 128 /* it is learned from no more: the work grows with the cube */

/* What is learned, each on a scale on which a step of one is large: some of each feature, one of all. */
enum { ATX_RELEVANCE, ATX_LENGTH, ATX_OF_EACH, ATX_ROUGHNESS = ATX_OF_EACH, ATX_KINDS };

typedef struct atx_theta {
    double of[ATX_MAX_FEATURES][ATX_OF_EACH]; /* logit of 1 - r; log of the length              */
    double roughness;                         /* logit of the exponential's share of the kernel */
    double noise;                             /* log of noise over signal variance              */
} atx_theta;

typedef struct atx_kernel {
    const atx_features *features;
    int dims;
    atx_theta at;
    double noise;                       /* exp(at.noise)                              */
    double most_surprise;               /* of the values it was learned from, each after those before it */
    float *factor;                      /* each feature's part, levels x levels       */
    float *slope[ATX_KINDS];            /* its derivatives by what is learned         */
    size_t table[ATX_MAX_FEATURES + 1]; /* where a feature's part begins              */
    int stride[ATX_MAX_FEATURES];       /* its levels                                 */
    struct atx_levels_seen {            /* the tables hold only these                 */
        uint8_t list[ATX_MAX_LEVELS];
        bool has[ATX_MAX_LEVELS];
        int count;
    } seen[ATX_MAX_FEATURES];
    double *work; /* for learning */
} atx_kernel;

/* Borrows the features. */
at_status atx_kernel_open(atx_kernel *kernel, const atx_features *features, at_error *err) AT_MUST_CHECK;
void atx_kernel_close(atx_kernel *kernel);

/* To be called for each configuration before atx_kernel_of. */
void atx_kernel_see(atx_kernel *kernel, const uint8_t *levels);

/* Climbs the likelihood of up to ATX_KERNEL_ROWS rows; changes nothing with fewer than three. */
void atx_kernel_learn(atx_kernel *kernel, const uint8_t *const *rows, const double *values, int count,
                      int steps);

/* Computes the tables after `at` was changed. */
void atx_kernel_update(atx_kernel *kernel);

/* The part of one feature, by the level of the other configuration. */
static inline const float *atx_kernel_row(const atx_kernel *kernel, int feature, uint8_t level)
{
    return kernel->factor + kernel->table[feature] + (size_t)(level * kernel->stride[feature]);
}

static inline double atx_kernel_of(const atx_kernel *kernel, const uint8_t *a, const uint8_t *b)
{
    float product = 1;
    for (int d = 0; d < kernel->dims; d++)
        product *= kernel->factor[kernel->table[d] + (size_t)(a[d] * kernel->stride[d] + b[d])];
    return (double)product;
}
