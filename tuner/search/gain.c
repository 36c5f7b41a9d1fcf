/* gain.c - see gain.h. Between two entries a line: an error of at most 0.1 % of the expected gain. */
#include "search/gain.h"

#include <math.h>

void atx_gain_fill(atx_gain *gain)
{
    for (int i = 0; i < ATX_GAIN_COUNT; i++) {
        double z = (double)i / ATX_GAIN_STEPS - ATX_GAIN_REACH, below = 0.5 * erfc(-z * M_SQRT1_2);
        gain->below[i] = below;
        gain->expected[i] = z * below + 0.3989422804014327 * exp(-0.5 * z * z);
    }
}

static double look_up(const double *table, double z)
{
    double at = (z + ATX_GAIN_REACH) * ATX_GAIN_STEPS;
    int i = (int)at;
    return table[i] + (at - i) * (table[i + 1] - table[i]);
}

double atx_gain_of(const atx_gain *gain, double best, double mean, double deviation)
{
    double z = (best - mean) / deviation;
    if (!(z > -ATX_GAIN_REACH))
        return 0;
    return deviation * (z < ATX_GAIN_REACH ? look_up(gain->expected, z) : z);
}

double atx_gain_chance(const atx_gain *gain, double bound, double mean, double deviation)
{
    double z = (bound - mean) / deviation;
    if (!(z > -ATX_GAIN_REACH))
        return 0;
    return z < ATX_GAIN_REACH ? look_up(gain->below, z) : 1;
}
