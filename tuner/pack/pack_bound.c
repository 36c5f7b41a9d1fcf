/*
 * pack_bound.c - how good a choice of kernels can be at best: a bound by Lagrangian relaxation. That each
 * problem has one kernel is no longer required; it has a price v instead. Then a kernel is worth, over all
 * problems, the sum of max(0, v - loss), the best set is that of the kernels that are worth most, and
 *
 *     sum of v - sum of what these are worth
 *
 * is at most the loss of every set, whatever the prices are. They are raised where a problem is in no
 * kernel's worth and lowered where it is in several (subgradients), as long as that helps.
 */
#include "pack/pack_internal.h"

#include <float.h>
#include <stdlib.h>

enum { ROUNDS = 400, MOST_IDLE = 12 };

typedef struct relaxed {
    const atx_pack_candidates *c;
    double *prices; /* of each problem */
    double *worth;  /* of each candidate */
    bool *taken;
    int most;
} relaxed;

static void find_worth(const relaxed *r)
{
    for (int k = 0; k < r->c->count; k++)
        r->worth[k] = 0;
    for (int p = 0; p < r->c->problems; p++)
        for (int k = 0; k < r->c->count; k++) {
            const double gain =
                r->prices[p] - (double)r->c->losses[(size_t)p * (size_t)r->c->count + (size_t)k];
            r->worth[k] += gain > 0 ? gain : 0;
        }
}

/* Takes the kernels that are worth most; returns what they are worth. */
static double take_most(const relaxed *r)
{
    double sum = 0;
    for (int k = 0; k < r->c->count; k++)
        r->taken[k] = false;
    for (int n = 0; n < r->most && n < r->c->count; n++) {
        int best = -1;
        for (int k = 0; k < r->c->count; k++)
            if (!r->taken[k] && (best < 0 || r->worth[k] > r->worth[best]))
                best = k;
        r->taken[best] = true;
        sum += r->worth[best];
    }
    return sum;
}

static double value_of(const relaxed *r)
{
    double sum = 0;
    find_worth(r);
    for (int p = 0; p < r->c->problems; p++)
        sum += r->prices[p];
    return sum - take_most(r);
}

/* How many of the taken kernels a problem is in the worth of. */
static int count_in(const relaxed *r, int problem)
{
    const float *row = r->c->losses + (size_t)problem * (size_t)r->c->count;
    int count = 0;
    for (int k = 0; k < r->c->count; k++)
        count += r->taken[k] && (double)row[k] < r->prices[problem];
    return count;
}

/* A step against what the problems are too many times in; false: each is in one, so the bound is reached. */
static bool step(const relaxed *r, double size)
{
    double norm = 0;
    for (int p = 0; p < r->c->problems; p++) {
        const double off = 1 - count_in(r, p);
        norm += off * off;
    }
    for (int p = 0; p < r->c->problems && norm > 0; p++)
        r->prices[p] += size / norm * (1 - count_in(r, p));
    return norm > 0;
}

static double search(const relaxed *r, double known)
{
    double best = -DBL_MAX, scale = 1;
    for (int n = 0, idle = 0; n < ROUNDS; n++) {
        const double value = value_of(r);
        idle = value > best + 1e-9 ? 0 : idle + 1;
        best = value > best ? value : best;
        if (idle == MOST_IDLE) {
            scale /= 2;
            idle = 0;
        }
        if (known - best < 1e-6 || !step(r, scale * (known - value)))
            break;
    }
    return best < known ? best : known;
}

double atx_pack_bound(const atx_pack_candidates *c, int most, double mean)
{
    relaxed r = { .c = c, .most = most };
    double bound = -1;
    r.prices = malloc(((size_t)c->problems + 1) * sizeof *r.prices);
    r.worth = malloc(((size_t)c->count + 1) * sizeof *r.worth);
    r.taken = malloc(((size_t)c->count + 1) * sizeof *r.taken);
    for (int p = 0; r.prices && p < c->problems; p++)
        r.prices[p] = mean;
    if (r.prices && r.worth && r.taken)
        bound = search(&r, mean * c->problems) / c->problems;
    free(r.prices);
    free(r.worth);
    free(r.taken);
    return bound;
}
