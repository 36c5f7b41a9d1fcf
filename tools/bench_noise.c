/* bench_noise.c - see bench_noise.h. */
#include "bench_noise.h"

#include "util/rng.h"

#include <math.h>
#include <stdlib.h>

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

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void blur(atx_bench_space *s, double plateau, double noise)
{
    atx_rng rng = { .state = 0x626c7572u };
    double fastest = s->sorted_s[0];
    s->sorted_count = 0;
    for (int64_t i = 0; i < s->search.total; i++) {
        atx_finding *f = &s->findings[i];
        if (f->outcome != ATX_TIMED)
            continue;
        f->seconds = fmax(f->seconds / (1 + plateau), fastest) * exp(noise * normal(&rng));
        s->sorted_s[s->sorted_count++] = f->seconds;
    }
    qsort(s->sorted_s, (size_t)s->sorted_count, sizeof *s->sorted_s, ascending);
}

void atx_bench_blur(atx_bench_spaces *spaces, double plateau, double noise)
{
    for (size_t i = 0; i < spaces->count && (plateau > 0 || noise > 0); i++)
        blur(&spaces->items[i], plateau, noise);
}
