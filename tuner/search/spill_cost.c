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

void at__spill_cost_add(at__spill_cost *l, const at__resources *resources, double error, double deviation)
{
    if (at__local_bytes(resources) < 0)
        return;
    double weight = 1 / (deviation * deviation + NOISE * NOISE), s = logarithm(resources);
    l->weight += weight;
    l->spills += weight * s;
    l->squares += weight * s * s;
    l->errors += weight * error;
    l->products += weight * s * error;
    l->surprise += weight * error * error;
}

double at__spill_cost_of(double *left, const at__spill_cost *l, const at__resources *resources)
{
    const double prior = 1 / (PRIOR_WIDTH * PRIOR_WIDTH);
    *left = 1;
    if (at__local_bytes(resources) <= 0)
        return 0;
    double a = l->weight + prior, c = l->squares + prior, det = a * c - l->spills * l->spills;
    double base = (c * l->errors - l->spills * l->products) / det;
    double slope = (a * l->products - l->spills * l->errors) / det;
    double error = base + slope * logarithm(resources);
    if (slope <= 0 || error <= 0)
        return 0;
    double explained = base * l->errors + slope * l->products;
    *left = sqrt((fmax(l->surprise - explained, 0) + DOUBT) / (l->surprise + DOUBT));
    return error;
}
