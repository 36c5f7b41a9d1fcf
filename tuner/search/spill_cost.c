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

static double logarithm(const at__resources *resources)
{
    return log2(1 + (double)at__local_bytes(resources) / 16);
}

void at__spill_cost_add(at__spill_cost *cost, const at__resources *resources, double error, double deviation)
{
    if (at__local_bytes(resources) < 0)
        return;
    double weight = 1 / (deviation * deviation + NOISE * NOISE), s = logarithm(resources);
    cost->weight += weight;
    cost->spills += weight * s;
    cost->squares += weight * s * s;
    cost->errors += weight * error;
    cost->products += weight * s * error;
    cost->surprise += weight * error * error;
}

double at__spill_cost_of(double *left, const at__spill_cost *cost, const at__resources *resources)
{
    const double prior = 1 / (PRIOR_WIDTH * PRIOR_WIDTH);
    *left = 1;
    if (at__local_bytes(resources) <= 0)
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
