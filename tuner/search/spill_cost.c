/*
 * spill_cost.c - weighted least squares of the model's log error over log2(1 + spilled bytes / 16),
 * with a Gaussian prior around a flat line; only sums are kept. A slope or an error at or below
 * zero is taken for none: spilling is never believed to help.
 */
#include "search/spill_cost.h"

#include <math.h>

/* How far twice the spilled bytes are believed to change the logarithm of the time, before anything is known.
 */
#define PRIOR_WIDTH 0.2
/* Errors are at least this uncertain: the noise of a trial. */
#define NOISE 0.02
/* Errors, as they are thought to be, against which what was learned has to count. */
#define DOUBT 4

static double logarithm(const atx_resources *resources)
{
    return log2(1 + (double)atx_local_bytes(resources) / 16);
}

void atx_spill_cost_add(atx_spill_cost *cost, const atx_resources *resources, double error, double deviation)
{
    if (atx_local_bytes(resources) < 0)
        return;
    double weight = 1 / (deviation * deviation + NOISE * NOISE), s = logarithm(resources);
    cost->weight += weight;
    cost->spills += weight * s;
    cost->squares += weight * s * s;
    cost->errors += weight * error;
    cost->products += weight * s * error;
    cost->surprise += weight * error * error;
}

double atx_spill_cost_of(double *left, const atx_spill_cost *cost, const atx_resources *resources)
{
    const double prior = 1 / (PRIOR_WIDTH * PRIOR_WIDTH);
    *left = 1;
    if (atx_local_bytes(resources) <= 0)
        return 0;
    double a = cost->weight + prior, c = cost->squares + prior, det = a * c - cost->spills * cost->spills;
    double base = (c * cost->errors - cost->spills * cost->products) / det;
    double slope = (a * cost->products - cost->spills * cost->errors) / det;
    double error = base + slope * logarithm(resources);
    if (slope <= 0 || error <= 0)
        return 0;
    double explained = base * cost->errors + slope * cost->products;
    *left = sqrt((fmax(cost->surprise - explained, 0) + DOUBT) / (cost->surprise + DOUBT));
    return error;
}
