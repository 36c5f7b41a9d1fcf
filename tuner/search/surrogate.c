/*
 * surrogate.c - the factor L of K = L L^T grows by a row with each observation (O(n^2)); for every
 * slot the solution of L x = k(rows, slot) grows by an entry (O(n) each), and its variance is
 * 1 - x.x. So a proposal costs a row, not a factorisation. Means follow from L^-1 (values - mean),
 * which is solved anew for each prediction.
 *
 * When the kernel has learned, everything is rebuilt.
 *
 * Invariant: chol, cross and variance belong to the rows and slots in their present order. Who
 * removes a row takes back what the later rows took of the variance and factors these again.
 */
#include "search/surrogate.h"

#include "search/kernel.h"
#include "util/bug.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 16 /* slots that are placed together: their sums are beside each other in memory */

/* Four lanes: gcc 12 makes shuffles of the same loops without them. */
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

struct atx_surrogate {
    int dims, max_rows, max_slots, rows;
    atx_kernel kernel;
    uint8_t *row_level;  /* max_rows x dims                                 */
    double *value;       /* NAN: unknown                                    */
    double *chol;        /* max_rows x max_rows, lower                      */
    double *half;        /* chol^-1 (value - mean): predictions are made of it */
    uint8_t *slot_level; /* dims x max_slots                                */
    float *cross;        /* max_rows x max_slots: chol^-1 k(rows, slot)     */
    float *variance;
    float *column;                     /* max_rows x BATCH: room for work  */
    double *learned_value;             /* max_rows                         */
    int waiting[BATCH], waiting_count; /* slots that have levels and no cross yet */
    const uint8_t **learned_row;
    int *learned;
};

/* ---- opening ---- */

at_status atx_surrogate_open(atx_surrogate **out, const atx_features *features, int rows, int slots,
                             at_error *err)
{
    atx_surrogate *s = calloc(1, sizeof *s);
    if (!s)
        return atx_no_memory(err);
    size_t r = (size_t)rows, m = (size_t)slots, d = (size_t)atx_features_count(features);
    *s = (atx_surrogate){ .dims = (int)d, .max_rows = rows, .max_slots = slots };
    s->row_level = calloc(r * d + 1, 1);
    s->value = calloc(r, sizeof *s->value);
    s->chol = calloc(r * r, sizeof *s->chol);
    s->half = calloc(r, sizeof *s->half);
    s->slot_level = calloc(m * d + 1, 1);
    s->cross = calloc(r * m, sizeof *s->cross);
    s->variance = calloc(m, sizeof *s->variance);
    s->column = calloc(r * BATCH, sizeof *s->column);
    s->learned = calloc(r, sizeof *s->learned);
    s->learned_row = calloc(r, sizeof *s->learned_row);
    s->learned_value = calloc(r, sizeof *s->learned_value);
    at_status status = atx_kernel_open(&s->kernel, features, err);
    if (status == AT_OK &&
        (!s->row_level || !s->value || !s->chol || !s->half || !s->slot_level || !s->cross || !s->variance ||
         !s->column || !s->learned || !s->learned_row || !s->learned_value))
        status = atx_no_memory(err);
    if (status != AT_OK) {
        atx_surrogate_close(s);
        return status;
    }
    *out = s;
    return AT_OK;
}

void atx_surrogate_close(atx_surrogate *s)
{
    if (!s)
        return;
    atx_kernel_close(&s->kernel);
    free(s->row_level);
    free(s->value);
    free(s->chol);
    free(s->half);
    free(s->slot_level);
    free(s->cross);
    free(s->variance);
    free(s->column);
    free(s->learned);
    free(s->learned_row);
    free(s->learned_value);
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
    s->rows = s->waiting_count = 0;
    for (int m = 0; m < s->max_slots; m++)
        start_slot(s, m);
}

/* The row of the Cholesky factor that row `p` adds. */
static void factor_row(atx_surrogate *s, int p)
{
    double *row = s->chol + (size_t)p * (size_t)s->max_rows;
    double rest = 1 + s->kernel.noise + 1e-9;
    for (int i = 0; i < p; i++) {
        const double *other = s->chol + (size_t)i * (size_t)s->max_rows;
        double sum = atx_kernel_of(&s->kernel, levels_of(s, p), levels_of(s, i));
        for (int k = 0; k < i; k++)
            sum -= row[k] * other[k];
        row[i] = sum / other[i];
        rest -= row[i] * row[i];
    }
    row[p] = sqrt(rest > 1e-9 ? rest : 1e-9);
}

/* The kernel of a row and every slot, one feature after the other. */
static void correlate_slots(float *to, const atx_surrogate *s, const uint8_t *levels)
{
    for (int m = 0; m < s->max_slots; m++)
        to[m] = 1;
    for (int d = 0; d < s->dims; d++) {
        const float *factor = atx_kernel_row(&s->kernel, d, levels[d]);
        const uint8_t *slot = s->slot_level + (size_t)d * (size_t)s->max_slots;
        for (int m = 0; m < s->max_slots; m++)
            to[m] *= factor[slot[m]];
    }
}

static void subtract_rows(float *restrict to, const float *restrict from, const double *weights, int slots)
{
    const float a = (float)weights[0], b = (float)weights[1], c = (float)weights[2], d = (float)weights[3];
    const float *second = from + slots, *third = second + slots, *fourth = third + slots;
    for (int m = 0; m < slots; m++)
        to[m] -= a * from[m] + b * second[m] + c * third[m] + d * fourth[m];
}

/* ... and the row of `cross`, for all slots. */
static void cross_row(atx_surrogate *s, int p)
{
    const double *row = s->chol + (size_t)p * (size_t)s->max_rows;
    float *to = s->cross + (size_t)p * (size_t)s->max_slots;
    float scale = (float)(1 / row[p]);
    int slots = s->max_slots;
    correlate_slots(to, s, levels_of(s, p));
    int i = 0;
    for (; i + 4 <= p; i += 4) /* four at once: less to load and store */
        subtract_rows(to, s->cross + (size_t)i * (size_t)slots, row + i, slots);
    for (; i < p; i++) {
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

/* The kernel of a row and some slots. */
static void correlate(float *to, const atx_surrogate *s, const uint8_t *levels, const int *slots, int count)
{
    for (int b = 0; b < count; b++)
        to[b] = 1;
    for (int d = 0; d < s->dims; d++) {
        const float *factor = atx_kernel_row(&s->kernel, d, levels[d]);
        const uint8_t *slot = s->slot_level + (size_t)d * (size_t)s->max_slots;
        for (int b = 0; b < count; b++)
            to[b] *= factor[slot[slots[b]]];
    }
}

/* `sum` -= the first `count` columns, weighted. */
static void subtract_columns(float *restrict sum, const float *restrict columns, const double *weights,
                             int count)
{
    four *rest = (four *)sum, a = rest[0], b = rest[1], c = rest[2], d = rest[3];
    for (int i = 0; i < count; i++) {
        const four *column = (const four *)(columns + i * BATCH);
        float weight = (float)weights[i];
        a -= weight * column[0];
        b -= weight * column[1];
        c -= weight * column[2];
        d -= weight * column[3];
    }
    rest[0] = a, rest[1] = b, rest[2] = c, rest[3] = d;
}

/* The columns of `cross` and the variances of the slots that wait for them. */
static void settle(atx_surrogate *s)
{
    float variance[BATCH], sum[BATCH] = { 0 };
    int count = s->waiting_count;
    s->waiting_count = 0;
    for (int b = 0; b < BATCH; b++)
        variance[b] = 1;
    for (int p = 0; p < s->rows && count; p++) {
        const double *row = s->chol + (size_t)p * (size_t)s->max_rows;
        float *column = s->column + (size_t)p * BATCH, *to = s->cross + (size_t)p * (size_t)s->max_slots;
        correlate(sum, s, levels_of(s, p), s->waiting, count);
        subtract_columns(sum, s->column, row, p);
        for (int b = 0; b < BATCH; b++) {
            column[b] = sum[b] * (float)(1 / row[p]);
            variance[b] -= column[b] * column[b];
        }
        for (int b = 0; b < count; b++)
            to[s->waiting[b]] = column[b];
    }
    for (int b = 0; b < count; b++)
        s->variance[s->waiting[b]] = variance[b];
}

int atx_surrogate_add(atx_surrogate *s, const uint8_t *levels)
{
    assert(s->rows < s->max_rows);
    settle(s);
    int p = s->rows++;
    atx_kernel_see(&s->kernel, levels);
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
    settle(s);
    give_back(s, row);
    memmove(level, level + dims, later * dims);
    memmove(s->value + row, s->value + row + 1, later * sizeof *s->value);
    s->rows--;
    factor_from(s, row);
}

void atx_surrogate_place(atx_surrogate *s, int slot, const uint8_t *levels)
{
    assert(slot >= 0 && slot < s->max_slots);
    if (s->waiting_count == BATCH)
        settle(s);
    s->waiting[s->waiting_count++] = slot;
    atx_kernel_see(&s->kernel, levels);
    for (int d = 0; d < s->dims; d++)
        s->slot_level[(size_t)d * (size_t)s->max_slots + (size_t)slot] = levels[d];
}

static void rebuild(atx_surrogate *s)
{
    s->waiting_count = 0;
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
    double scale = solve_half(s, s->value, middle, s->kernel.most_surprise);
    settle(s);
    add_rows(mean, s, middle, count);
    for (int m = 0; m < count; m++)
        deviation[m] = sqrt(scale * fmax((double)s->variance[m], 1e-9));
}

void atx_surrogate_predict_row(atx_surrogate *s, double *mean, double *deviation, int row)
{
    const double *weight = s->chol + (size_t)row * (size_t)s->max_rows;
    double scale = solve_half(s, s->value, mean_value(s->value, s->rows), s->kernel.most_surprise);
    *mean = mean_value(s->value, s->rows);
    for (int p = 0; p < row; p++)
        *mean += s->half[p] * weight[p];
    *deviation = sqrt(scale * fmax(weight[row] * weight[row] - s->kernel.noise, 1e-9));
}

void atx_surrogate_predict_other(atx_surrogate *s, double *mean, const double *values, int count)
{
    double middle = mean_value(values, s->rows);
    solve_half(s, values, middle, INFINITY);
    settle(s);
    add_rows(mean, s, middle, count);
}

/* ---- learning ---- */

/*
 * The rows to learn from: the fastest half, and the newest of the others, since what matters is near the
 * best. Returns how many.
 */
static int choose_rows(atx_surrogate *s)
{
    int count = 0, half = ATX_KERNEL_ROWS / 2, *known = s->learned;
    for (int p = 0; p < s->rows; p++)
        if (!isnan(s->value[p]))
            known[count++] = p;
    if (count <= ATX_KERNEL_ROWS)
        return count;
    for (int i = 0; i < half; i++) { /* partial selection sort: the fastest to the front */
        int best = i;
        for (int k = i + 1; k < count; k++)
            if (s->value[known[k]] < s->value[known[best]])
                best = k;
        int keep = known[best];
        memmove(known + i + 1, known + i, (size_t)(best - i) * sizeof *known);
        known[i] = keep;
    }
    memmove(known + half, known + count - half, (size_t)half * sizeof *known);
    return ATX_KERNEL_ROWS;
}

void atx_surrogate_learn(atx_surrogate *s, int steps)
{
    int count = choose_rows(s);
    for (int i = 0; i < count; i++) {
        s->learned_row[i] = levels_of(s, s->learned[i]);
        s->learned_value[i] = s->value[s->learned[i]];
    }
    atx_kernel_learn(&s->kernel, s->learned_row, s->learned_value, count, steps);
    rebuild(s);
}
