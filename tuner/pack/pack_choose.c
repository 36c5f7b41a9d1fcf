/*
 * pack_choose.c - which kernels: those for which the mean over the problems of the least loss is least. That
 * is the k-median problem. Kernels are added greedily; then one is exchanged for another as long as that
 * gains. What is saved against no kernel is a submodular function of the set, so greedy choice saves at least
 * 1 - 1/e (63 %) of what the best set saves (Nemhauser, Wolsey, Fisher 1978), and exchanges only add to that.
 */
#include "pack/pack_parts.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_EXCHANGES = 200 };

/* The mean with kernel `with`, and without kernel `without` (-1: none) of the chosen ones. */
static double mean_with(const atx_pack_candidates *c, const int *chosen, int count, int without, int with)
{
    double sum = 0;
    for (int p = 0; p < c->problems; p++) {
        const float *row = c->losses + (size_t)p * (size_t)c->count;
        float least = with >= 0 ? row[with] : ATX_PACK_INVALID;
        for (int i = 0; i < count; i++)
            if (i != without && row[chosen[i]] < least)
                least = row[chosen[i]];
        sum += least;
    }
    return sum / c->problems;
}

/* The candidate that is best in place of `without`; its mean goes to *mean. */
static int best_in_place(double *mean, const atx_pack_candidates *c, const int *chosen, int count,
                         int without)
{
    int best = -1;
    for (int k = 0; k < c->count; k++) {
        const double m = mean_with(c, chosen, count, without, k);
        if (m < *mean - 1e-9) {
            *mean = m;
            best = k;
        }
    }
    return best;
}

static double exchange(int *chosen, int count, double mean, const atx_pack_candidates *c)
{
    for (int n = 0, at = 0, idle = 0; n < MOST_EXCHANGES && idle < count; n++, at = (at + 1) % count) {
        const int better = best_in_place(&mean, c, chosen, count, at);
        idle = better < 0 ? idle + 1 : 0;
        if (better >= 0)
            chosen[at] = better;
    }
    return mean;
}

int atx_pack_choose(int *chosen, int most, double within, const atx_pack_candidates *c)
{
    double mean = HUGE_VAL;
    int count = 0;
    while (count < most && count < c->count && !(within > 0 && mean <= within)) {
        const int next = best_in_place(&mean, c, chosen, count, -1);
        if (next < 0)
            break;
        chosen[count++] = next;
        mean = exchange(chosen, count, mean, c);
    }
    return count;
}
