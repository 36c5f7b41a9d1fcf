/*
 * pack_correct.c - what measurements say of losses that were not measured. The residual of a measured loss is
 * the logarithm of what was measured over what was expected. A loss that was not measured is corrected by the
 * mean of its kernel's residuals, each with a weight that falls with the distance of the problems; a share of
 * it is the mean of the residuals of the kernel's template, found in the same way, and of that a share is the
 * template's median: the fewer measurements there are near to the problem the larger the shares. A kernel
 * that its template prefers for the sizes says next to nothing of one that it does not, and the other way
 * round.
 *
 * Problems are near to each other whose sizes have about the same logarithms, and whose sizes and addresses
 * are multiples of about the same powers of two; of an op of layouts also the strides of the input, which
 * tell one order of dimensions from another.
 */
#include "pack/pack_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FEATURES = 2 * ATX_MAX_DIMS + ATX_MAX_ARGS, MOST_POWER = 4 };
#define SIZE_SCALE  1.5  /* powers of two that are one unit of distance, of a size */
#define POWER_SCALE 1.5  /* and of the power that it is a multiple of */
#define SHARE       0.3  /* weight of what is known of all, in measurements at the very problem */
#define OTHER       0.05 /* and where the template prefers other kernels, or does so here alone */
#define MOST        1.5  /* a residual is no larger: it would be of another cause */

typedef struct features {
    float at[MOST_FEATURES];
    int count;
} features;

struct atx_pack_corrections {
    const atx_pack_kernel *kernels;
    int kernel_count, count; /* problems that were measured */
    features *problems;
    float *residuals; /* [problem * kernels + kernel]; NAN: not measured */
    bool *preferred;  /* the same: does the kernel's template prefer it there? */
    float *medians;   /* of each kernel's template, [2 * kernel + preferred] */
};

static float power_of(int64_t size)
{
    int power = 0;
    while (power < MOST_POWER && size % 2 == 0) {
        size /= 2;
        power++;
    }
    return (float)power;
}

static features features_of(const atx_problem *p)
{
    const int first = atx_problem_first_align(p->op);
    features f = { .count = 0 };
    for (int i = 0; i < p->op->shape.dim_count; i++) {
        f.at[f.count++] = (float)(log2((double)p->dims[i] + 1) / SIZE_SCALE);
        f.at[f.count++] = power_of(p->dims[i] + (p->dims[i] == 0)) / (float)POWER_SCALE;
    }
    for (int i = p->op->shape.dim_count; i < atx_pack_number_count(p->op); i++)
        f.at[f.count++] = (float)(log2((double)p->dims[i] + 1) / SIZE_SCALE);
    for (int i = 0; i < p->op->shape.align_count; i++)
        f.at[f.count++] = power_of(p->dims[first + i]) / (float)POWER_SCALE;
    return f;
}

static double weight_of(const features *a, const features *b)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += (double)(a->at[i] - b->at[i]) * (double)(a->at[i] - b->at[i]);
    return exp(-sum / 2);
}

static float residual_of(float measured, float expected)
{
    const double residual = log((1 + (double)measured) / (1 + (double)expected));
    return (float)fmax(-MOST, fmin(MOST, residual));
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median_of(const atx_pack_corrections *c, const atx_template *t, bool preferred, float *room)
{
    int count = 0;
    for (int p = 0; p < c->count; p++)
        for (int k = 0; k < c->kernel_count; k++) {
            const size_t at = (size_t)p * (size_t)c->kernel_count + (size_t)k;
            if (c->kernels[k].t == t && c->preferred[at] == preferred && !isnan(c->residuals[at]))
                room[count++] = c->residuals[at];
        }
    qsort(room, (size_t)count, sizeof *room, by_value);
    return count ? room[count / 2] : 0;
}

/* `expected`: the losses of the table before they were measured. */
static void take_residuals(atx_pack_corrections *c, const atx_pack_table *t, const float *expected)
{
    for (int p = 0; p < t->problems; p++) {
        if (!t->measured[p])
            continue;
        c->problems[c->count] = features_of(&t->samples[p].problem);
        for (int k = 0; k < t->count; k++) {
            const size_t at = (size_t)p * (size_t)t->count + (size_t)k;
            c->preferred[(size_t)c->count * (size_t)t->count + (size_t)k] =
                atx_pack_prefers(&t->kernels[k], t->samples[p].slots);
            c->residuals[(size_t)c->count * (size_t)t->count + (size_t)k] =
                (!t->wanted || t->wanted[at]) && t->losses[at] < ATX_PACK_INVALID &&
                        expected[at] < ATX_PACK_INVALID
                    ? residual_of(t->losses[at], expected[at])
                    : NAN;
        }
        c->count++;
    }
}

at_status atx_pack_corrections_make(atx_pack_corrections **out, const atx_pack_table *t,
                                    const float *expected, at_error *err)
{
    const size_t numbers = (size_t)t->problems * (size_t)t->count + 1;
    atx_pack_corrections *c = calloc(1, sizeof *c);
    float *room = malloc(numbers * sizeof *room);
    *out = c;
    if (c) {
        c->problems = malloc(((size_t)t->problems + 1) * sizeof *c->problems);
        c->residuals = malloc(numbers * sizeof *c->residuals);
        c->preferred = malloc(numbers * sizeof *c->preferred);
        c->medians = malloc(2 * ((size_t)t->count + 1) * sizeof *c->medians);
    }
    if (!c || !room || !c->problems || !c->residuals || !c->preferred || !c->medians) {
        free(room);
        return atx_no_memory(err);
    }
    c->kernels = t->kernels;
    c->kernel_count = t->count;
    take_residuals(c, t, expected);
    for (int i = 0; i < 2 * t->count; i++)
        c->medians[i] = median_of(c, t->kernels[i / 2].t, i % 2, room);
    free(room);
    return AT_OK;
}

void atx_pack_corrections_close(atx_pack_corrections *c)
{
    if (!c)
        return;
    free(c->problems);
    free(c->residuals);
    free(c->preferred);
    free(c->medians);
    free(c);
}

/* Sums over the measured problems: weights, and weighted residuals, of each kernel. */
typedef struct sums {
    double *weights, *residuals;
} sums;

static void sum_up(const sums *s, const atx_pack_corrections *c, const features *f, const bool *preferred)
{
    memset(s->weights, 0, 2 * (size_t)c->kernel_count * sizeof *s->weights);
    for (int p = 0; p < c->count; p++) {
        const double near = weight_of(f, &c->problems[p]);
        for (int k = 0; k < c->kernel_count; k++) {
            const size_t at = (size_t)p * (size_t)c->kernel_count + (size_t)k;
            const float residual = c->residuals[at];
            const double weight = c->preferred[at] == preferred[k] ? near : OTHER * near;
            if (isnan(residual))
                continue;
            s->weights[k] += weight;
            s->residuals[k] += weight * (double)residual;
        }
    }
}

static double shrink(double residuals, double weights, double all)
{
    return (residuals + SHARE * all) / (weights + SHARE);
}

static double factor_of(const sums *s, const atx_pack_corrections *c, const bool *preferred, int kernel)
{
    double weights = 0, residuals = 0;
    for (int k = 0; k < c->kernel_count; k++)
        if (c->kernels[k].t == c->kernels[kernel].t && preferred[k] == preferred[kernel]) {
            weights += s->weights[k];
            residuals += s->residuals[k];
        }
    const double of_template = shrink(residuals, weights, (double)c->medians[2 * kernel + preferred[kernel]]);
    return exp(shrink(s->residuals[kernel], s->weights[kernel], of_template));
}

bool atx_pack_correct(float *row, const atx_pack_corrections *c, const atx_pack_sample *sample)
{
    const size_t count = (size_t)c->kernel_count;
    const features f = features_of(&sample->problem);
    double *room = malloc((2 * count + 1) * sizeof *room);
    bool *preferred = malloc(count + 1);
    const sums s = { room, room + count };
    for (int k = 0; room && preferred && k < c->kernel_count; k++)
        preferred[k] = atx_pack_prefers(&c->kernels[k], sample->slots);
    if (room && preferred)
        sum_up(&s, c, &f, preferred);
    for (int k = 0; room && preferred && k < c->kernel_count; k++)
        if (row[k] < ATX_PACK_INVALID)
            row[k] = (float)((1 + (double)row[k]) * factor_of(&s, c, preferred, k) - 1);
    const bool good = room && preferred;
    free(room);
    free(preferred);
    return good;
}
