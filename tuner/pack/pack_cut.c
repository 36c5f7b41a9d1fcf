/*
 * pack_cut.c - which candidates are worth being measured: those that packs might have. A model errs, by a
 * factor that is drawn for each configuration; of so many draws the kernels that are chosen by them are
 * taken, first those of what the model says itself. A choice of as many kernels as are measured would be
 * another one: kernels that are the best for few sizes each, without those that few kernels must be.
 */
#include "pack/pack_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWS = 40, USUAL = 12 }; /* USUAL: kernels of a pack */
#define ERROR         0.1             /* standard deviation of the logarithm */
#define ERROR_OF_FORM 0.01            /* of what its forms differ in */

/* Of the normal distribution, roughly. */
static double draw_normal(atx_rng *rng)
{
    enum { SUMMANDS = 12 };
    double sum = 0;
    for (int i = 0; i < SUMMANDS; i++)
        sum += (double)(atx_rng_next(rng) >> 11) * 0x1p-53 - 0.5;
    return sum;
}

static bool is_of_one(const atx_pack_kernel *a, const atx_pack_kernel *b)
{
    return a->t == b->t && memcmp(&a->config, &b->config, sizeof a->config) == 0;
}

/* The forms of a configuration are about as wrong as each other. */
static void draw_factors(double *factors, const atx_pack_candidates *c, atx_rng *rng)
{
    for (int k = 0; k < c->count; k++) {
        int same = 0;
        while (same < k && !is_of_one(&c->kernels[same], &c->kernels[k]))
            same++;
        factors[k] =
            same < k ? factors[same] * exp(ERROR_OF_FORM * draw_normal(rng)) : exp(ERROR * draw_normal(rng));
    }
}

static void draw_losses(float *out, double *factors, const atx_pack_candidates *c, atx_rng *rng)
{
    draw_factors(factors, c, rng);
    for (int p = 0; p < c->problems; p++)
        for (int k = 0; k < c->count; k++) {
            const size_t at = (size_t)p * (size_t)c->count + (size_t)k;
            out[at] = c->losses[at] < ATX_PACK_INVALID ? (float)((1 + (double)c->losses[at]) * factors[k] - 1)
                                                       : ATX_PACK_INVALID;
        }
}

/* Marks what is chosen, up to `most`; returns how many are marked then, -1: out of memory. */
static int mark_chosen(bool *keep, int kept, int most, int kernels, const atx_pack_candidates *c)
{
    int chosen[ATX_PACK_MAX_KERNELS];
    const int count = atx_pack_choose(chosen, NULL, kernels, 0, c);
    for (int i = 0; i < count && kept < most; i++) {
        kept += !keep[chosen[i]];
        keep[chosen[i]] = true;
    }
    return count < 0 ? -1 : kept;
}

bool atx_pack_candidates_cut(atx_pack_candidates *c, int most, int kernels)
{
    atx_rng rng = { 1 };
    const size_t numbers = (size_t)c->problems * (size_t)c->count + 1;
    bool *keep = calloc((size_t)c->count + 1, sizeof *keep);
    float *drawn = malloc(numbers * sizeof *drawn);
    double *factors = malloc(((size_t)c->count + 1) * sizeof *factors);
    const atx_pack_candidates by = { .count = c->count, .losses = drawn, .problems = c->problems };
    const int each = kernels > 0 && kernels <= ATX_PACK_MAX_KERNELS ? kernels : USUAL;
    int kept = keep && drawn && factors ? 0 : -1;
    if (kept == 0) {
        memcpy(drawn, c->losses, (numbers - 1) * sizeof *drawn);
        kept = mark_chosen(keep, kept, most, each, &by);
    }
    for (int n = 0; n < MOST_DRAWS && kept >= 0 && kept < most; n++) {
        draw_losses(drawn, factors, c, &rng);
        kept = mark_chosen(keep, kept, most, each, &by);
    }
    for (int k = 0; kept >= 0 && k < c->count; k++)
        keep[k] = keep[k] || c->kernels[k].t->replace_count > 0; /* of these the model expects the same */
    if (kept >= 0)
        atx_pack_candidates_keep(c, keep);
    free(factors);
    free(drawn);
    free(keep);
    return kept >= 0;
}
