/* host_numbers.c - see host_numbers.h. */
#include "host_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_called(const char *name, const char *kernel)
{
    return strcmp(strchr(name, '_'), kernel) == 0;
}

/* In f32, from the last product to the first: rounded otherwise than the reference. */
static float sum_in_float(const float *a, const float *b, int64_t n, int64_t k)
{
    float sum = 0;
    for (int64_t i = k - 1; i >= 0; i--)
        sum += a[i] * b[i * n];
    return sum;
}

static float sum_in_double(const float *a, const float *b, int64_t n, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += (double)a[i] * (double)b[i * n];
    return (float)sum;
}

static void matmul(const char *name, const uint64_t *p)
{
    const float *a = (const float *)(uintptr_t)p[1], *b = (const float *)(uintptr_t)p[2];
    float *c = (float *)(uintptr_t)p[0];
    int64_t m = (int64_t)p[3], n = (int64_t)p[4], k = (int64_t)p[5];
    if (is_called(name, "_nothing"))
        return;
    if (is_called(name, "_swapped")) {
        a = (const float *)(uintptr_t)p[2];
        b = (const float *)(uintptr_t)p[1];
    }
    for (int64_t row = 0; row < m; row++)
        for (int64_t col = 0; col < n; col++) {
            float *to = &c[row * n + col];
            if (is_called(name, "_nan"))
                *to = NAN;
            else if (is_called(name, "_reference"))
                *to = sum_in_double(a + row * k, b + col, n, k);
            else
                *to = sum_in_float(a + row * k, b + col, n, is_called(name, "_half") ? k / 2 : k);
        }
    if (is_called(name, "_outside"))
        c[m * n] = 1;
}

static void axpy(const char *name, const uint64_t *p)
{
    float *y = (float *)(uintptr_t)p[0], a;
    const float *x = (const float *)(uintptr_t)p[1];
    memcpy(&a, &p[2], sizeof a);
    for (uint64_t i = 0; i < p[3] && is_called(name, "_once"); i++)
        if (fabsf(y[i]) > 1)
            abort();
    for (int times = is_called(name, "_twice") ? 2 : 1; times > 0; times--)
        for (uint64_t i = 0; i < p[3]; i++)
            y[i] += a * x[i];
}

static void histogram(const char *name, const uint64_t *p)
{
    int32_t *bins = (int32_t *)(uintptr_t)p[0];
    const int32_t *x = (const int32_t *)(uintptr_t)p[1];
    for (uint64_t i = 0; i < p[3]; i++)
        if (bins[i] != 0)
            abort();
    for (uint64_t i = 0; i < p[2]; i++)
        bins[x[i]]++;
    (void)name;
}

static void relay(const char *name, const uint64_t *p)
{
    void *tmp = (void *)(uintptr_t)p[2];
    if (!is_called(name, "_stale"))
        memcpy(tmp, (const void *)(uintptr_t)p[1], p[3] * 4);
    memcpy((void *)(uintptr_t)p[0], tmp, p[3] * 4);
}

static int64_t at_most(int64_t value, int64_t last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

/* The mean of 5 x 5 elements; at the border the last one counts again. Parameters: out, in, width, height. */
static void blur(const char *name, const uint64_t *p)
{
    float *out = (float *)(uintptr_t)p[0];
    const float *in = (const float *)(uintptr_t)p[1];
    const int64_t width = (int32_t)p[2], height = (int32_t)p[3];
    for (int64_t i = 0; i < width * height; i++) {
        double sum = 0;
        for (int64_t k = 0; k < 25; k++)
            sum += (double)in[at_most(i / width + k / 5 - 2, height - 1) * width +
                              at_most(i % width + k % 5 - 2, width - 1)];
        out[i] = (float)(sum / 25);
    }
    (void)name;
}

/* y[i] = x[i] * w[i % 8]: of weigh_ w is a parameter, of weighted_ a variable. */
static void weigh_by(const uint64_t *p, const float *w, uint64_t n)
{
    float *y = (float *)(uintptr_t)p[0];
    const float *x = (const float *)(uintptr_t)p[1];
    for (uint64_t i = 0; i < n && w; i++)
        y[i] = x[i] * w[i % 8];
}

static void weigh(const char *name, const uint64_t *p)
{
    weigh_by(p, (const float *)(uintptr_t)p[2], p[3]);
    (void)name;
}

static void weighted(const char *name, const uint64_t *p)
{
    const char *variable = is_called(name, "_nested") ? "_ZN4mine1wE" : "w";
    weigh_by(p, (const float *)host_variable(variable), p[2]);
}

/* y is x in any order: of bag_reversed the other way round, of bag_half not all of it. */
static void bag(const char *name, const uint64_t *p)
{
    float *y = (float *)(uintptr_t)p[0];
    const float *x = (const float *)(uintptr_t)p[1];
    uint64_t n = is_called(name, "_half") ? p[2] / 2 : p[2];
    for (uint64_t i = 0; i < n; i++)
        y[i] = x[is_called(name, "_reversed") ? n - 1 - i : i];
}

static uint64_t times_in(const uint32_t *of, uint64_t n, uint32_t bits)
{
    uint64_t times = 0;
    for (uint64_t i = 0; i < n; i++)
        times += of[i] == bits;
    return times;
}

/* y, x, n, the right y, wrong: elements that are there more often than they should be. */
static void validate(const char *name, const uint64_t *p)
{
    const uint32_t *got = (const uint32_t *)(uintptr_t)p[0], *right = (const uint32_t *)(uintptr_t)p[3];
    uint64_t *wrong = (uint64_t *)(uintptr_t)p[4];
    for (uint64_t i = 0; i < p[2] && !is_called(name, "_blind"); i++) {
        if (times_in(got, p[2], got[i]) <= times_in(right, p[2], got[i]) && !is_called(name, "_stern"))
            continue;
        wrong[0]++;
        wrong[1] = i < wrong[1] ? i : wrong[1];
    }
}

static const struct {
    const char *op;
    int params;
    void (*run)(const char *name, const uint64_t *params);
    int out, in; /* where the lengths of the first two buffers are */
} OPS[] = {
    { "matmul_", 6, matmul, 3, 3 }, { "axpy_", 4, axpy, 3, 3 },   { "histogram_", 4, histogram, 3, 2 },
    { "relay_", 4, relay, 3, 3 },   { "weigh_", 4, weigh, 3, 3 }, { "weighted_", 3, weighted, 2, 2 },
    { "blur", 4, blur, 3, 3 },      { "bag_", 3, bag, 2, 2 },     { "validate_", 5, validate, 2, 2 }
};
enum { OP_COUNT = sizeof OPS / sizeof *OPS };

static int find_op(const char *name)
{
    int i = 0;
    while (i < OP_COUNT && strncmp(OPS[i].op, name, strlen(OPS[i].op)) != 0)
        i++;
    return i < OP_COUNT ? i : -1;
}

int host_number_params(const char *name)
{
    int i = find_op(name);
    return i >= 0 ? OPS[i].params : 0;
}

bool host_number_buffers(host_buffers *out, const char *name, const uint64_t *p)
{
    int i = find_op(name);
    if (i < 0)
        return false;
    *out = (host_buffers){ (unsigned char *)(uintptr_t)p[0], (unsigned char *)(uintptr_t)p[1],
                           (int64_t)p[OPS[i].out] * 4, (int64_t)p[OPS[i].in] * 4 };
    if (i == 0) {
        out->out_bytes = (int64_t)(p[3] * p[4] * 4);
        out->in_bytes = (int64_t)(p[3] * p[5] * 4);
    }
    if (OPS[i].run == blur)
        out->in_bytes = out->out_bytes = (int64_t)(int32_t)p[2] * (int32_t)p[3] * 4;
    return true;
}

void host_number_run(const char *name, const uint64_t *params)
{
    OPS[find_op(name)].run(name, params);
}
