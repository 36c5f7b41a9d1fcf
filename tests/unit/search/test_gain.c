/* test_gain.c - the tables against integrals that are summed directly. */
#include "search/gain.h"

#include <criterion/criterion.h>
#include <math.h>

static atx_gain gain;

static double density(double z)
{
    return exp(-0.5 * z * z) / sqrt(2 * M_PI);
}

/* The integral over x < bound of (bound - x)^power times the density. */
static double integral(double bound, double mean, double deviation, int power)
{
    double sum = 0, step = 1e-3;
    for (int i = 0; i < 24000; i++) {
        double z = -12 + step * (i + 0.5);
        double below = bound - (mean + deviation * z);
        if (below > 0)
            sum += step * density(z) * (power ? below : 1);
    }
    return sum;
}

Test(gain, equals_the_integrals)
{
    atx_gain_fill(&gain);
    for (int i = 0; i <= 40; i++) {
        double mean = -7.5 + 0.37 * i;
        double expected = integral(1, 1 + 0.3 * mean, 0.3, 1), chance = integral(1, 1 + 0.3 * mean, 0.3, 0);
        double found = atx_gain_of(&gain, 1, 1 + 0.3 * mean, 0.3);
        double below = atx_gain_chance(&gain, 1, 1 + 0.3 * mean, 0.3);
        cr_assert_float_eq(found, expected, 1e-3 * expected, "%g deviations: %g, %g", mean, found, expected);
        cr_assert_float_eq(below, chance, 1e-3 * chance + 1e-3 * density(mean), "%g deviations: %g, %g", mean,
                           below, chance);
    }
}

Test(gain, ends_at_the_reach)
{
    atx_gain_fill(&gain);
    cr_assert_eq(atx_gain_of(&gain, 0, 9, 1), 0);
    cr_assert_eq(atx_gain_chance(&gain, 0, 9, 1), 0);
    cr_assert_eq(atx_gain_of(&gain, 0, -9, 1), 9);
    cr_assert_eq(atx_gain_chance(&gain, 0, -9, 1), 1);
    cr_assert_eq(atx_gain_of(&gain, 0, NAN, 1), 0);
}
