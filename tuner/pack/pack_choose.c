/*
 * pack_choose.c - which kernels: those for which the mean over the problems of the least loss is least. That
 * is the k-median problem. Kernels are added greedily; then one is exchanged for another as long as that
 * gains. What is saved against no kernel is a submodular function of the set, so greedy choice saves at least
 * 1 - 1/e (63 %) of what the best set saves (Nemhauser, Wolsey, Fisher 1978), and exchanges only add to that.
 *
 * Where all choices of as many kernels can be looked at, the best of them is taken; elsewhere pack_bound.c
 * says how good one can be at best.
 *
 * Of each problem the least and the second least loss of the chosen kernels are kept: without a kernel it has
 * the second, if that kernel was the first.
 */
#include "pack/pack_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EXCHANGES = 200 };
#define MOST_WORK 3e6 /* losses that are looked at to find the best choice of all */

typedef struct choice {
    const atx_pack_candidates *c;
    int *chosen;
    int count;
    struct least {
        float first, second;
        int at;   /* whose the first is, among the chosen; -1: none */
    } * least;    /* of each problem */
    double *sums; /* of each candidate, for best_in_place */
} choice;

static double look(choice *ch)
{
    double sum = 0;
    for (int p = 0; p < ch->c->problems; p++) {
        const float *row = ch->c->losses + (size_t)p * (size_t)ch->c->count;
        struct least l = { ATX_PACK_INVALID, ATX_PACK_INVALID, -1 };
        for (int i = 0; i < ch->count; i++) {
            const float loss = row[ch->chosen[i]];
            if (loss < l.first)
                l = (struct least){ loss, l.first, i };
            else if (loss < l.second)
                l.second = loss;
        }
        ch->least[p] = l;
        sum += l.first;
    }
    return sum / ch->c->problems;
}

/* The candidate that is best in place of the chosen one at `without` (-1: beside all); its mean goes to
 * *mean. -1: none is better than that. */
static int best_in_place(double *mean, const choice *ch, int without)
{
    const atx_pack_candidates *c = ch->c;
    int best = -1;
    memset(ch->sums, 0, (size_t)c->count * sizeof *ch->sums);
    for (int p = 0; p < c->problems; p++) {
        const struct least *l = &ch->least[p];
        const float others = l->at == without && without >= 0 ? l->second : l->first;
        const float *row = c->losses + (size_t)p * (size_t)c->count;
        for (int k = 0; k < c->count; k++)
            ch->sums[k] += (double)(row[k] < others ? row[k] : others);
    }
    for (int k = 0; k < c->count; k++)
        if (ch->sums[k] / c->problems < *mean - 1e-9) {
            *mean = ch->sums[k] / c->problems;
            best = k;
        }
    return best;
}

static double exchange(choice *ch, double mean)
{
    for (int n = 0, at = 0, idle = 0; n < MOST_EXCHANGES && idle < ch->count;
         n++, at = (at + 1) % ch->count) {
        const int better = best_in_place(&mean, ch, at);
        idle = better < 0 ? idle + 1 : 0;
        if (better < 0)
            continue;
        ch->chosen[at] = better;
        mean = look(ch);
    }
    return mean;
}

double atx_pack_mean_of(const atx_pack_candidates *c, const int *chosen, int count)
{
    double sum = 0;
    for (int p = 0; p < c->problems; p++) {
        float least = ATX_PACK_INVALID;
        for (int i = 0; i < count; i++) {
            const float loss = c->losses[(size_t)p * (size_t)c->count + (size_t)chosen[i]];
            least = loss < least ? loss : least;
        }
        sum += (double)least;
    }
    return sum / c->problems;
}

/* Whether all choices of so many can be looked at. */
static bool is_small(const atx_pack_candidates *c, int count)
{
    double choices = 1;
    for (int i = 0; i < count; i++)
        choices *= (double)(c->count - i) / (i + 1);
    return choices * c->problems * count <= MOST_WORK;
}

/* The next choice in lexical order: candidates in growing order. */
static bool next_choice(int *at, int count, int candidates)
{
    int i = count - 1;
    while (i >= 0 && at[i] == candidates - count + i)
        i--;
    if (i < 0)
        return false;
    for (at[i]++; i + 1 < count; i++)
        at[i + 1] = at[i] + 1;
    return true;
}

/* The best of all choices of as many. */
static double look_at_all(choice *ch, double mean)
{
    int at[ATX_PACK_MAX_KERNELS] = { 0 };
    if (ch->count > ATX_PACK_MAX_KERNELS || !is_small(ch->c, ch->count))
        return mean;
    for (int i = 0; i < ch->count; i++)
        at[i] = i;
    do {
        const double m = atx_pack_mean_of(ch->c, at, ch->count);
        if (m < mean - 1e-9) {
            mean = m;
            memcpy(ch->chosen, at, (size_t)ch->count * sizeof *at);
        }
    } while (next_choice(at, ch->count, ch->c->count));
    look(ch);
    return mean;
}

int atx_pack_choose(int *chosen, atx_pack_sets *sets, int most, double within, const atx_pack_candidates *c)
{
    choice ch = { .c = c, .chosen = chosen };
    ch.least = malloc(((size_t)c->problems + 1) * sizeof *ch.least);
    ch.sums = malloc(((size_t)c->count + 1) * sizeof *ch.sums);
    if (!ch.least || !ch.sums) {
        free(ch.least);
        free(ch.sums);
        return -1;
    }
    double mean = look(&ch); /* without any: what is valid for no problem does not gain */
    while (ch.count < most && ch.count < c->count && !(within > 0 && mean <= within)) {
        const int next = best_in_place(&mean, &ch, -1);
        if (next < 0)
            break;
        chosen[ch.count++] = next;
        mean = look_at_all(&ch, exchange(&ch, look(&ch)));
        if (sets) {
            memcpy(sets->at[ch.count - 1], chosen, (size_t)ch.count * sizeof *chosen);
            sets->count[ch.count - 1] = ch.count;
        }
    }
    free(ch.least);
    free(ch.sums);
    return ch.count;
}
