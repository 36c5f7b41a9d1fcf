/*
 * kernel_learn.c - what the kernel is learned by: its parameters climb the marginal likelihood by Rprop,
 * which needs signs of gradients alone.
 */
#include "search/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the search of the kernel's parameters starts, and how far from there it is believed to be. */
static const double PRIOR[ATX_KINDS] = { 0.0, -0.7, 0.0 }, PRIOR_WIDTH[ATX_KINDS] = { 1.5, 0.7, 1.5 };
#define PRIOR_NOISE       (-6.0)
#define PRIOR_NOISE_WIDTH 2.0

#define MATRIX ((size_t)ATX_KERNEL_ROWS * ATX_KERNEL_ROWS)
#define PAIRS  ((size_t)ATX_MAX_LEVELS * ATX_MAX_LEVELS)

at_status atx_kernel_open(atx_kernel *k, const atx_features *features, at_error *err)
{
    *k =
        (atx_kernel){ .features = features, .dims = atx_features_count(features), .most_surprise = INFINITY };
    for (int i = 0; i < k->dims; i++) {
        k->stride[i] = atx_features_at(features, i)->levels;
        k->table[i + 1] = k->table[i] + (size_t)k->stride[i] * (size_t)k->stride[i];
        memcpy(k->at.of[i], PRIOR, sizeof k->at.of[i]);
    }
    k->at.roughness = PRIOR[ATX_ROUGHNESS];
    k->at.noise = PRIOR_NOISE;
    size_t entries = k->table[k->dims] + 1;
    bool full = (k->factor = calloc(entries, sizeof *k->factor)) != NULL;
    for (int i = 0; i < ATX_KINDS; i++)
        full &= (k->slope[i] = calloc(entries, sizeof *k->slope[i])) != NULL;
    full &= (k->work = calloc(3 * MATRIX + 2 * ATX_KERNEL_ROWS + PAIRS, sizeof *k->work)) != NULL;
    if (!full) {
        atx_kernel_close(k);
        return atx_no_memory(err);
    }
    atx_kernel_update(k);
    return AT_OK;
}

/* Rows to learn from and their matrices, n x n each. */
typedef struct ascent {
    int n;
    const uint8_t *const *rows;
    double *k, *inverse, *gradient_k;
    double *weight; /* gradient_k times k, in the place of inverse */
    double *value, *alpha;
    double *pair; /* weights by pairs of levels */
    double scale, most_surprise;
} ascent;

/* In place: a lower factor; false when the matrix is not positive definite. */
static bool cholesky(double *a, int n)
{
    for (int p = 0; p < n; p++) {
        for (int i = 0; i <= p; i++) {
            double sum = a[p * n + i];
            for (int k = 0; k < i; k++)
                sum -= a[p * n + k] * a[i * n + k];
            if (i < p)
                a[p * n + i] = sum / a[i * n + i];
            else if (sum <= 1e-12)
                return false;
            else
                a[p * n + p] = sqrt(sum);
        }
    }
    return true;
}

/* l = l^-1, which is lower too; `row` holds n. By whole rows, which are beside each other in memory. */
static void invert_factor(double *l, double *row, int n)
{
    for (int i = 0; i < n; i++) {
        double *to = l + (size_t)i * (size_t)n, scale = 1 / to[i];
        memset(row, 0, (size_t)n * sizeof *row);
        for (int k = 0; k < i; k++) {
            const double *from = l + (size_t)k * (size_t)n;
            double weight = -to[k] * scale;
            for (int j = 0; j <= k; j++)
                row[j] += weight * from[j];
        }
        row[i] = scale;
        memcpy(to, row, (size_t)(i + 1) * sizeof *row);
    }
}

/* inverse = (L L^T)^-1, its lower half; `l` is overwritten by L^-1. */
static void invert(double *inverse, double *l, int n)
{
    invert_factor(l, inverse, n);
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int k = 0; k < n; k++)
        for (int i = 0; i <= k; i++) {
            double weight = l[k * n + i];
            for (int j = 0; j <= i; j++)
                inverse[i * n + j] += weight * l[k * n + j];
        }
}

/* Of chol^-1 value, with chol^-1 in gradient_k, where invert leaves it. */
static double most_surprise(const ascent *l)
{
    double most = 0;
    for (int i = 0; i < l->n; i++) {
        double surprise = 0;
        for (int j = 0; j <= i; j++)
            surprise += l->gradient_k[i * l->n + j] * l->value[j];
        most = fmax(most, fabs(surprise));
    }
    return most;
}

/*
 * gradient_k = d log likelihood / d K, lower half, for the variance that fits best: the likelihood is
 * -n/2 log(y' K^-1 y) - 1/2 log det K. False: K has no factor.
 */
static bool derive(ascent *l, const atx_kernel *kernel)
{
    int n = l->n;
    double fit = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            l->k[i * n + j] =
                atx_kernel_of(kernel, l->rows[i], l->rows[j]) + (i == j ? kernel->noise + 1e-9 : 0);
    memcpy(l->gradient_k, l->k, (size_t)(n * n) * sizeof *l->k);
    if (!cholesky(l->gradient_k, n))
        return false;
    invert(l->inverse, l->gradient_k, n);
    l->most_surprise = most_surprise(l);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += (j <= i ? l->inverse[i * n + j] : l->inverse[j * n + i]) * l->value[j];
        l->alpha[i] = sum;
        fit += sum * l->value[i];
    }
    l->scale = (fit + 1e-9) / n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            l->gradient_k[i * n + j] =
                0.5 * (l->alpha[i] * l->alpha[j] / l->scale - l->inverse[i * n + j]) * (i == j ? 1 : 2);
    l->weight = l->inverse;
    for (int i = 0; i < n * n; i++)
        l->weight[i] = l->gradient_k[i] * l->k[i];
    return true;
}

/* Sums weights by the pair of levels that two rows have of a feature. False: all have the same level. */
static bool sum_pairs(ascent *l, const atx_kernel *kernel, int dim)
{
    int n = l->n, levels = kernel->stride[dim];
    uint8_t level[ATX_KERNEL_ROWS];
    bool varies = false;
    for (int i = 0; i < n; i++) {
        level[i] = l->rows[i][dim];
        varies |= level[i] != level[0];
    }
    if (!varies)
        return false;
    memset(l->pair, 0, (size_t)(levels * levels) * sizeof *l->pair);
    for (int i = 0; i < n; i++) {
        double *pair = l->pair + level[i] * levels;
        const double *weight = l->weight + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            pair[level[j]] += weight[j];
    }
    return true;
}

/* The gradient that one feature contributes. */
static void derive_feature(double *out, ascent *l, const atx_kernel *kernel, int dim)
{
    int levels = kernel->stride[dim];
    for (int k = 0; k < ATX_KINDS; k++)
        out[k] = 0;
    if (!sum_pairs(l, kernel, dim))
        return;
    for (int i = 0; i < levels * levels; i++) {
        size_t at = kernel->table[dim] + (size_t)i;
        if (l->pair[i] == 0)
            continue;
        double weight = l->pair[i] / (double)kernel->factor[at];
        for (int k = 0; k < ATX_KINDS; k++)
            out[k] += weight * (double)kernel->slope[k][at];
    }
}

/* The gradient of the logarithm of a normal prior. */
static double pull(double x, double middle, double width)
{
    return (middle - x) / (width * width);
}

static void derive_all(atx_theta *out, ascent *l, const atx_kernel *kernel)
{
    int n = l->n;
    const atx_theta *at = &kernel->at;
    double noise = 0;
    out->roughness = pull(at->roughness, PRIOR[ATX_ROUGHNESS], PRIOR_WIDTH[ATX_ROUGHNESS]);
    for (int d = 0; d < kernel->dims; d++) {
        double of[ATX_KINDS];
        derive_feature(of, l, kernel, d);
        for (int k = 0; k < ATX_OF_EACH; k++)
            out->of[d][k] = of[k] + pull(at->of[d][k], PRIOR[k], PRIOR_WIDTH[k]);
        out->roughness += of[ATX_ROUGHNESS];
    }
    for (int i = 0; i < n; i++)
        noise += l->gradient_k[i * n + i];
    out->noise = noise * kernel->noise + pull(at->noise, PRIOR_NOISE, PRIOR_NOISE_WIDTH);
}

/* One step of Rprop: the size of a step grows while its sign stays. */
static void step_one(double *x, double *step, double *before, double gradient, double low, double high)
{
    double sign = gradient * *before;
    *step = sign > 0 ? fmin(*step * 1.3, 1.0) : sign < 0 ? *step * 0.5 : *step;
    *before = sign < 0 ? 0 : gradient;
    if (sign >= 0)
        *x += gradient > 0 ? *step : gradient < 0 ? -*step : 0;
    *x = fmax(low, fmin(high, *x));
}

static void start(ascent *l, atx_kernel *kernel, const uint8_t *const *rows, const double *values, int count)
{
    double mean = 0;
    *l = (ascent){ .n = count,
                   .rows = rows,
                   .k = kernel->work,
                   .inverse = kernel->work + MATRIX,
                   .gradient_k = kernel->work + 2 * MATRIX,
                   .value = kernel->work + 3 * MATRIX,
                   .alpha = kernel->work + 3 * MATRIX + ATX_KERNEL_ROWS,
                   .pair = kernel->work + 3 * MATRIX + 2 * (size_t)ATX_KERNEL_ROWS,
                   .most_surprise = kernel->most_surprise };
    for (int i = 0; i < count; i++)
        mean += values[i] / count;
    for (int i = 0; i < count; i++)
        l->value[i] = values[i] - mean;
}

void atx_kernel_learn(atx_kernel *kernel, const uint8_t *const *rows, const double *values, int count,
                      int steps)
{
    atx_theta step = { .roughness = 0.3, .noise = 0.3 }, before = { .noise = 0 }, gradient = { .noise = 0 };
    atx_theta *at = &kernel->at;
    ascent l;
    if (count < 3)
        return;
    start(&l, kernel, rows, values, count);
    for (int d = 0; d < kernel->dims; d++)
        step.of[d][ATX_RELEVANCE] = step.of[d][ATX_LENGTH] = 0.3;
    for (int i = 0; i < steps; i++) {
        if (!derive(&l, kernel))
            break;
        derive_all(&gradient, &l, kernel);
        for (int d = 0; d < kernel->dims; d++)
            for (int k = 0; k < ATX_OF_EACH; k++)
                step_one(&at->of[d][k], &step.of[d][k], &before.of[d][k], gradient.of[d][k], -6, 6);
        step_one(&at->roughness, &step.roughness, &before.roughness, gradient.roughness, -6, 6);
        step_one(&at->noise, &step.noise, &before.noise, gradient.noise, -12, 0);
        atx_kernel_update(kernel);
    }
    kernel->most_surprise = l.most_surprise;
}
