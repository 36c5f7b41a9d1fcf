/* bench_noise.c - see bench_noise.h. */
#include "bench_noise.h"

#include "util/rng.h"

#include <math.h>
#include <stdlib.h>

#define DISTURBED       0.025 /* share of trials */
#define DISTURBED_BY    10    /* in units of the noise, in the mean */
#define INTERRUPTED     0.002 /* share of trials */
#define INTERRUPTED_FOR 5     /* times as long, in the mean */

static double uniform(atx_rng *rng)
{
    return ((double)(atx_rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

/* By Box and Muller. */
static double normal(atx_rng *rng)
{
    double radius = sqrt(-2 * log(uniform(rng)));
    return radius * cos(2 * M_PI * uniform(rng));
}

double atx_bench_noise(double noise, uint64_t seed, int64_t index)
{
    atx_rng rng = { .state = seed * 0x9e3779b97f4a7c15u ^ (uint64_t)index };
    double log_of = noise * normal(&rng), kind = uniform(&rng), much = -log(uniform(&rng));
    if (noise <= 0)
        return 1;
    if (kind < INTERRUPTED)
        return exp(log_of) * (1 + INTERRUPTED_FOR * much);
    return kind < INTERRUPTED + DISTURBED ? exp(log_of + DISTURBED_BY * noise * much) : exp(log_of);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void flatten(atx_bench_space *s, double plateau)
{
    double fastest = s->sorted_s[0];
    s->sorted_count = 0;
    for (int64_t i = 0; i < s->search.total; i++) {
        atx_finding *f = &s->findings[i];
        if (f->outcome != ATX_TIMED)
            continue;
        f->seconds = fmax(f->seconds / (1 + plateau), fastest);
        s->sorted_s[s->sorted_count++] = f->seconds;
    }
    qsort(s->sorted_s, (size_t)s->sorted_count, sizeof *s->sorted_s, ascending);
}

void atx_bench_flatten(atx_bench_spaces *spaces, double plateau)
{
    for (size_t i = 0; i < spaces->count && plateau > 0; i++)
        flatten(&spaces->items[i], plateau);
}
