/*
 * surrogate.c - the factor L of K = L L^T grows by a row with each observation (O(n^2)); for every
 * slot the solution of L x = k(rows, slot) grows by an entry (O(n) each), and its variance is
 * 1 - x.x. So a proposal costs a row, not a factorisation. Means follow from L^-1 (values - mean),
 * which is solved anew for each prediction.
 *
 * The kernel's parameters climb the likelihood of at most LEARN_ROWS observations by Rprop, which
 * needs signs of gradients alone; then everything is rebuilt.
 *
 * Invariant: chol, cross and variance belong to the rows and slots in their present order. Who
 * removes a row takes back what the later rows took of the variance and factors these again.
 */
#include "search/surrogate.h"

#include "util/bug.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's parameters are learned from no more rows than this: it takes the cube of time. */
#define LEARN_ROWS 128

/* A template without the parameter lies so far beside the middle of the line: other templates tell little. */
#define ABSENT_DISTANCE 0.2

/* What is learned, each on a scale on which a step of one is large: some of each feature, one of all. */
enum { RELEVANCE, LENGTH, OF_EACH, ROUGHNESS = OF_EACH, KINDS };

typedef struct theta {
    double of[ATX_MAX_FEATURES][OF_EACH]; /* logit of 1 - r; log of the length              */
    double roughness;                     /* logit of the exponential's share of the kernel */
    double noise;                         /* log of noise over signal variance              */
} theta;

struct atx_surrogate {
    const atx_features *features;
    int dims, max_rows, max_slots, rows;
    theta at;
    double noise;                       /* exp(at.noise)                                           */
    double most_surprise;               /* of a value: see solve_half; INFINITY: nothing was learned */
    float *factor;                      /* each feature's part of the kernel, levels x levels      */
    float *slope[KINDS];                /* its derivatives by what is learned, likewise            */
    size_t table[ATX_MAX_FEATURES + 1]; /* where a feature's part begins            */
    int stride[ATX_MAX_FEATURES];       /* its levels                               */
    uint8_t *row_level;                 /* max_rows x dims                                         */
    double *value;                      /* NAN: unknown                                            */
    double *chol;                       /* max_rows x max_rows, lower                              */
    double *half;                       /* chol^-1 (value - mean): what predictions are made of    */
    uint8_t *slot_level;
    float *cross; /* max_rows x max_slots: chol^-1 k(rows, slot)             */
    float *variance;
    double *work; /* 3 x LEARN_ROWS^2, or max_rows at least                  */
};

/* Where the search of the kernel's parameters starts, and how far from there it is believed to be. */
static const double PRIOR[KINDS] = { 0.0, -0.7, 0.0 }, PRIOR_WIDTH[KINDS] = { 1.5, 0.7, 1.5 };
#define PRIOR_NOISE       (-6.0)
#define PRIOR_NOISE_WIDTH 2.0

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* ---- the kernel ---- */

/* In a plane: no kernel of other distances is sure to be one, which has a matrix that can be factored. */
static double distance(const atx_feature *f, int a, int b)
{
    if (a == b)
        return 0;
    if (!f->ordered)
        return 1;
    if (f->place[a] <= ATX_ABSENT || f->place[b] <= ATX_ABSENT)
        return hypot(ABSENT_DISTANCE, (double)fmaxf(f->place[a], f->place[b]) - 0.5);
    return fabs((double)f->place[a] - (double)f->place[b]);
}

/* One entry of a feature's part of the kernel, and its derivatives by what is learned. */
typedef struct entry {
    double value, slope[KINDS];
} entry;

static entry entry_of(const atx_surrogate *s, int dim, int a, int b)
{
    const double *at = s->at.of[dim];
    const atx_feature *f = atx_features_at(s->features, dim);
    double matter = logistic(at[RELEVANCE]), far = distance(f, a, b) * exp(-at[LENGTH]);
    double rough = f->ordered ? logistic(s->at.roughness) : 1, bend = 1.7320508075688772 * far;
    double sharp = exp(-far), smooth = exp(-bend);
    double near = rough * sharp + (1 - rough) * (1 + bend) * smooth;
    return (entry){ .value = 1 - matter + matter * near,
                    .slope = { matter * (1 - matter) * (near - 1),
                               matter * (rough * far * sharp + (1 - rough) * bend * bend * smooth),
                               matter * rough * (1 - rough) * (sharp - (1 + bend) * smooth) } };
}

static void fill_factors(atx_surrogate *s)
{
    for (int d = 0; d < s->dims; d++) {
        size_t levels = (size_t)atx_features_at(s->features, d)->levels;
        for (size_t a = 0; a < levels; a++)
            for (size_t b = 0; b <= a; b++) {
                size_t at = s->table[d] + a * levels + b, mirrored = s->table[d] + b * levels + a;
                entry e = entry_of(s, d, (int)a, (int)b);
                s->factor[at] = s->factor[mirrored] = (float)e.value;
                for (int k = 0; k < KINDS; k++)
                    s->slope[k][at] = s->slope[k][mirrored] = (float)e.slope[k];
            }
    }
    s->noise = exp(s->at.noise);
}

static double kernel(const atx_surrogate *s, const uint8_t *a, const uint8_t *b)
{
    float product = 1;
    for (int d = 0; d < s->dims; d++)
        product *= s->factor[s->table[d] + (size_t)(a[d] * s->stride[d] + b[d])];
    return (double)product;
}

/* ---- opening ---- */

at_status atx_surrogate_open(atx_surrogate **out, const atx_features *features, int rows, int slots,
                             at_error *err)
{
    atx_surrogate *s = calloc(1, sizeof *s);
    if (!s)
        return atx_no_memory(err);
    size_t r = (size_t)rows, m = (size_t)slots, d = (size_t)atx_features_count(features);
    size_t work = (size_t)LEARN_ROWS * LEARN_ROWS * 3 + 4 * LEARN_ROWS;
    *s = (atx_surrogate){ .features = features, .dims = (int)d, .max_rows = rows, .max_slots = slots };
    for (int i = 0; i < s->dims; i++) {
        s->stride[i] = atx_features_at(features, i)->levels;
        s->table[i + 1] = s->table[i] + (size_t)s->stride[i] * (size_t)s->stride[i];
    }
    s->factor = calloc(s->table[d] + 1, sizeof *s->factor);
    for (int k = 0; k < KINDS; k++)
        s->slope[k] = calloc(s->table[d] + 1, sizeof *s->slope[k]);
    s->row_level = calloc(r * d + 1, 1);
    s->value = calloc(r, sizeof *s->value);
    s->chol = calloc(r * r, sizeof *s->chol);
    s->half = calloc(r, sizeof *s->half);
    s->slot_level = calloc(m * d + 1, 1);
    s->cross = calloc(r * m, sizeof *s->cross);
    s->variance = calloc(m, sizeof *s->variance);
    s->work = calloc(work > 2 * r ? work : 2 * r, sizeof *s->work);
    if (!s->factor || !s->slope[RELEVANCE] || !s->slope[LENGTH] || !s->slope[ROUGHNESS] || !s->row_level ||
        !s->value || !s->chol || !s->half || !s->slot_level || !s->cross || !s->variance || !s->work) {
        atx_surrogate_close(s);
        return atx_no_memory(err);
    }
    for (int i = 0; i < s->dims; i++)
        memcpy(s->at.of[i], PRIOR, sizeof s->at.of[i]);
    s->at.roughness = PRIOR[ROUGHNESS];
    s->at.noise = PRIOR_NOISE;
    s->most_surprise = INFINITY;
    fill_factors(s);
    *out = s;
    return AT_OK;
}

void atx_surrogate_close(atx_surrogate *s)
{
    if (!s)
        return;
    free(s->factor);
    for (int k = 0; k < KINDS; k++)
        free(s->slope[k]);
    free(s->row_level);
    free(s->value);
    free(s->chol);
    free(s->half);
    free(s->slot_level);
    free(s->cross);
    free(s->variance);
    free(s->work);
    free(s);
}

int atx_surrogate_rows(const atx_surrogate *s)
{
    return s->rows;
}

/* ---- observations and candidates ---- */

static const uint8_t *levels_of(const atx_surrogate *s, int row)
{
    return s->row_level + (size_t)row * (size_t)s->dims;
}

static void start_slot(atx_surrogate *s, int slot)
{
    s->variance[slot] = 1;
}

void atx_surrogate_clear(atx_surrogate *s)
{
    s->rows = 0;
    for (int m = 0; m < s->max_slots; m++)
        start_slot(s, m);
}

/* The row of the Cholesky factor that row `p` adds. */
static void factor_row(atx_surrogate *s, int p)
{
    double *row = s->chol + (size_t)p * (size_t)s->max_rows;
    double rest = 1 + s->noise + 1e-9;
    for (int i = 0; i < p; i++) {
        const double *other = s->chol + (size_t)i * (size_t)s->max_rows;
        double sum = kernel(s, levels_of(s, p), levels_of(s, i));
        for (int k = 0; k < i; k++)
            sum -= row[k] * other[k];
        row[i] = sum / other[i];
        rest -= row[i] * row[i];
    }
    row[p] = sqrt(rest > 1e-9 ? rest : 1e-9);
}

/* ... and the row of `cross`, for all slots. */
static void cross_row(atx_surrogate *s, int p)
{
    const double *row = s->chol + (size_t)p * (size_t)s->max_rows;
    float *to = s->cross + (size_t)p * (size_t)s->max_slots;
    float scale = (float)(1 / row[p]);
    int slots = s->max_slots;
    for (int m = 0; m < slots; m++)
        to[m] = (float)kernel(s, levels_of(s, p), s->slot_level + (size_t)m * (size_t)s->dims);
    for (int i = 0; i < p; i++) {
        const float *from = s->cross + (size_t)i * (size_t)slots;
        float weight = (float)row[i];
        for (int m = 0; m < slots; m++)
            to[m] -= weight * from[m];
    }
    for (int m = 0; m < slots; m++) {
        to[m] *= scale;
        s->variance[m] -= to[m] * to[m];
    }
}

int atx_surrogate_add(atx_surrogate *s, const uint8_t *levels)
{
    assert(s->rows < s->max_rows);
    int p = s->rows++;
    memcpy(s->row_level + (size_t)p * (size_t)s->dims, levels, (size_t)s->dims);
    s->value[p] = NAN;
    factor_row(s, p);
    cross_row(s, p);
    return p;
}

void atx_surrogate_set(atx_surrogate *s, int row, double value)
{
    s->value[row] = value;
}

/* Rows from `first` on are to be factored again: takes back what they took of the slots' variance. */
static void give_back(atx_surrogate *s, int first)
{
    for (int p = first; p < s->rows; p++) {
        const float *from = s->cross + (size_t)p * (size_t)s->max_slots;
        for (int m = 0; m < s->max_slots; m++)
            s->variance[m] += from[m] * from[m];
    }
}

static void factor_from(atx_surrogate *s, int first)
{
    for (int p = first; p < s->rows; p++) {
        factor_row(s, p);
        cross_row(s, p);
    }
}

void atx_surrogate_remove(atx_surrogate *s, int row)
{
    size_t later = (size_t)(s->rows - row - 1), dims = (size_t)s->dims;
    uint8_t *level = s->row_level + (size_t)row * dims;
    give_back(s, row);
    memmove(level, level + dims, later * dims);
    memmove(s->value + row, s->value + row + 1, later * sizeof *s->value);
    s->rows--;
    factor_from(s, row);
}

void atx_surrogate_place(atx_surrogate *s, int slot, const uint8_t *levels)
{
    double *column = s->work, variance = 1;
    assert(slot >= 0 && slot < s->max_slots);
    memcpy(s->slot_level + (size_t)slot * (size_t)s->dims, levels, (size_t)s->dims);
    for (int p = 0; p < s->rows; p++) {
        const double *row = s->chol + (size_t)p * (size_t)s->max_rows;
        double sum = kernel(s, levels_of(s, p), levels);
        for (int i = 0; i < p; i++)
            sum -= row[i] * column[i];
        column[p] = sum / row[p];
        s->cross[(size_t)p * (size_t)s->max_slots + (size_t)slot] = (float)column[p];
        variance -= column[p] * column[p];
    }
    s->variance[slot] = (float)variance;
}

static void rebuild(atx_surrogate *s)
{
    for (int m = 0; m < s->max_slots; m++)
        start_slot(s, m);
    factor_from(s, 0);
}

/* ---- predicting ---- */

static double mean_value(const double *values, int count)
{
    double sum = 0;
    int known = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            known++;
        }
    return known ? sum / known : 0;
}

/*
 * half = chol^-1 (value - mean): how much each value surprises after those before it. No value counts as more
 * surprising than the most surprising of those that the kernel was learned from (`most`): one disturbed
 * trial, or a row that learning left out, would else make all others uncertain. A row without a value gets
 * what the rows before it let expect, which makes its entry zero: it changes no mean. Returns the variance
 * that the values have on the kernel's scale.
 */
static double solve_half(atx_surrogate *s, const double *values, double mean, double most)
{
    double sum = 0;
    int known = 0;
    for (int p = 0; p < s->rows; p++) {
        const double *row = s->chol + (size_t)p * (size_t)s->max_rows;
        double rest = values[p] - mean;
        s->half[p] = 0;
        if (isnan(rest))
            continue;
        for (int i = 0; i < p; i++)
            rest -= row[i] * s->half[i];
        s->half[p] = fmax(-most, fmin(most, rest / row[p]));
        sum += s->half[p] * s->half[p];
        known++;
    }
    return (sum + 1e-4) / (known + 1); /* a little prior: few rows must not look certain */
}

static void add_rows(double *mean, const atx_surrogate *s, double middle, int count)
{
    for (int m = 0; m < count; m++)
        mean[m] = middle;
    for (int p = 0; p < s->rows; p++) {
        const float *row = s->cross + (size_t)p * (size_t)s->max_slots;
        double weight = s->half[p];
        for (int m = 0; m < count && weight != 0; m++)
            mean[m] += weight * (double)row[m];
    }
}

void atx_surrogate_predict(atx_surrogate *s, double *mean, double *deviation, int count)
{
    double middle = mean_value(s->value, s->rows);
    double scale = solve_half(s, s->value, middle, s->most_surprise);
    add_rows(mean, s, middle, count);
    for (int m = 0; m < count; m++)
        deviation[m] = sqrt(scale * fmax((double)s->variance[m], 1e-9));
}

void atx_surrogate_predict_row(atx_surrogate *s, double *mean, double *deviation, int row)
{
    const double *weight = s->chol + (size_t)row * (size_t)s->max_rows;
    double scale = solve_half(s, s->value, mean_value(s->value, s->rows), s->most_surprise);
    *mean = mean_value(s->value, s->rows);
    for (int p = 0; p < row; p++)
        *mean += s->half[p] * weight[p];
    *deviation = sqrt(scale * fmax(weight[row] * weight[row] - s->noise, 1e-9));
}

void atx_surrogate_predict_other(atx_surrogate *s, double *mean, const double *values, int count)
{
    double middle = mean_value(values, s->rows);
    solve_half(s, values, middle, INFINITY);
    add_rows(mean, s, middle, count);
}

/* ---- learning ---- */

/* Rows to learn from and their matrices, n x n each. */
typedef struct ascent {
    int n, rows[LEARN_ROWS];
    double *k, *inverse, *gradient_k;
    double *weight; /* gradient_k times k, in the place of inverse */
    double *value, *alpha;
    double mean, scale, most_surprise;
} ascent;

/* The fastest half, and the newest of the others: what matters is near the best. */
static void choose_rows(ascent *l, const atx_surrogate *s)
{
    int known[4096], count = 0;
    for (int p = 0; p < s->rows && count < 4096; p++)
        if (!isnan(s->value[p]))
            known[count++] = p;
    if (count > LEARN_ROWS) { /* partial selection sort: the fastest to the front */
        for (int i = 0; i < LEARN_ROWS / 2; i++) {
            int best = i;
            for (int k = i + 1; k < count; k++)
                if (s->value[known[k]] < s->value[known[best]])
                    best = k;
            int keep = known[best];
            memmove(known + i + 1, known + i, (size_t)(best - i) * sizeof *known);
            known[i] = keep;
        }
        int others = LEARN_ROWS - LEARN_ROWS / 2;
        memmove(known + LEARN_ROWS / 2, known + count - others, (size_t)others * sizeof *known);
        count = LEARN_ROWS;
    }
    l->n = count;
    memcpy(l->rows, known, (size_t)count * sizeof *known);
    l->mean = 0;
    for (int i = 0; i < count; i++)
        l->mean += s->value[known[i]] / count;
    for (int i = 0; i < count; i++)
        l->value[i] = s->value[known[i]] - l->mean;
}

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

/* inverse = (L L^T)^-1, its lower half; `l` is overwritten by L^-1. */
static void invert(double *inverse, double *l, int n)
{
    for (int j = 0; j < n; j++) {
        l[j * n + j] = 1 / l[j * n + j];
        for (int i = j + 1; i < n; i++) {
            double sum = 0;
            for (int k = j; k < i; k++)
                sum -= l[i * n + k] * l[k * n + j];
            l[i * n + j] = sum / l[i * n + i];
        }
    }
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int k = 0; k < n; k++)
        for (int i = 0; i <= k; i++)
            for (int j = 0; j <= i; j++)
                inverse[i * n + j] += l[k * n + i] * l[k * n + j];
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
static bool derive(ascent *l, const atx_surrogate *s)
{
    int n = l->n;
    double fit = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            l->k[i * n + j] = kernel(s, levels_of(s, l->rows[i]), levels_of(s, l->rows[j])) +
                              (i == j ? s->noise + 1e-9 : 0);
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

/* The gradient that one feature contributes. */
static void derive_feature(double *out, const ascent *l, const atx_surrogate *s, int dim)
{
    double sum[KINDS] = { 0 };
    int n = l->n;
    for (int i = 0; i < n; i++) {
        size_t row = s->table[dim] + (size_t)(levels_of(s, l->rows[i])[dim] * s->stride[dim]);
        for (int j = 0; j < i; j++) {
            size_t at = row + levels_of(s, l->rows[j])[dim];
            double weight = l->weight[i * n + j] / (double)s->factor[at];
            for (int k = 0; k < KINDS; k++)
                sum[k] += weight * (double)s->slope[k][at];
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* The gradient of the logarithm of a normal prior. */
static double pull(double x, double middle, double width)
{
    return (middle - x) / (width * width);
}

static void derive_all(theta *out, const ascent *l, const atx_surrogate *s)
{
    int n = l->n;
    double noise = 0;
    out->roughness = pull(s->at.roughness, PRIOR[ROUGHNESS], PRIOR_WIDTH[ROUGHNESS]);
    for (int d = 0; d < s->dims; d++) {
        double of[KINDS];
        derive_feature(of, l, s, d);
        for (int k = 0; k < OF_EACH; k++)
            out->of[d][k] = of[k] + pull(s->at.of[d][k], PRIOR[k], PRIOR_WIDTH[k]);
        out->roughness += of[ROUGHNESS];
    }
    for (int i = 0; i < n; i++)
        noise += l->gradient_k[i * n + i];
    out->noise = noise * s->noise + pull(s->at.noise, PRIOR_NOISE, PRIOR_NOISE_WIDTH);
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

void atx_surrogate_learn(atx_surrogate *s, int steps)
{
    theta step = { .roughness = 0.3, .noise = 0.3 }, before = { .noise = 0 }, gradient = { .noise = 0 };
    ascent l = { .k = s->work,
                 .inverse = s->work + LEARN_ROWS * LEARN_ROWS,
                 .gradient_k = s->work + 2 * LEARN_ROWS * LEARN_ROWS,
                 .value = s->work + 3 * LEARN_ROWS * LEARN_ROWS,
                 .alpha = s->work + 3 * LEARN_ROWS * LEARN_ROWS + LEARN_ROWS,
                 .most_surprise = s->most_surprise };
    choose_rows(&l, s);
    if (l.n < 3)
        return;
    for (int d = 0; d < s->dims; d++)
        step.of[d][RELEVANCE] = step.of[d][LENGTH] = 0.3;
    for (int i = 0; i < steps; i++) {
        if (!derive(&l, s))
            break;
        derive_all(&gradient, &l, s);
        for (int d = 0; d < s->dims; d++)
            for (int k = 0; k < OF_EACH; k++)
                step_one(&s->at.of[d][k], &step.of[d][k], &before.of[d][k], gradient.of[d][k], -6, 6);
        step_one(&s->at.roughness, &step.roughness, &before.roughness, gradient.roughness, -6, 6);
        step_one(&s->at.noise, &step.noise, &before.noise, gradient.noise, -12, 0);
        fill_factors(s);
    }
    s->most_surprise = l.most_surprise;
    rebuild(s);
}
