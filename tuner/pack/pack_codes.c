/*
 * pack_codes.c - kernels that differ in their launch alone have one code, and a pack counts codes. Codes are
 * chosen by the least loss of their kernels for each problem. Then kernels of the chosen codes are: as few as
 * lose GAIN more on average than all of them.
 */
#include "pack/pack_internal.h"

#include <stdlib.h>
#include <string.h>

#define GAIN 0.0005

/* Candidates, and which code each has. */
typedef struct coded {
    const atx_pack_candidates *c;
    int *code;              /* of each candidate */
    atx_pack_candidates by; /* codes in the place of kernels: losses alone */
    atx_pack_sets *chosen;  /* codes */
    atx_pack_sets *few;     /* kernels, among `list` */
    int *list;              /* candidates of the chosen codes ... */
    float *losses;          /* ... and their columns */
} coded;

static void number_codes(coded *d)
{
    d->by.count = 0;
    for (int k = 0; k < d->c->count; k++) {
        int same = 0;
        while (same < k && !(d->c->kernels && atx_pack_same_code(&d->c->kernels[same], &d->c->kernels[k])))
            same++;
        d->code[k] = same < k ? d->code[same] : d->by.count++;
    }
}

static void fill_losses(coded *d)
{
    const size_t codes = (size_t)d->by.count;
    for (int p = 0; p < d->c->problems; p++) {
        const float *row = d->c->losses + (size_t)p * (size_t)d->c->count;
        float *least = d->by.losses + (size_t)p * codes;
        for (size_t i = 0; i < codes; i++)
            least[i] = ATX_PACK_INVALID;
        for (int k = 0; k < d->c->count; k++)
            least[d->code[k]] = row[k] < least[d->code[k]] ? row[k] : least[d->code[k]];
    }
}

static bool open_coded(coded *d, const atx_pack_candidates *c)
{
    const size_t count = (size_t)c->count + 1, numbers = (size_t)c->problems * count + 1;
    *d = (coded){ .c = c,
                  .code = malloc(count * sizeof *d->code),
                  .by = { .losses = malloc(numbers * sizeof(float)), .problems = c->problems },
                  .chosen = malloc(sizeof *d->chosen),
                  .few = malloc(sizeof *d->few),
                  .list = malloc(count * sizeof *d->list),
                  .losses = malloc(numbers * sizeof *d->losses) };
    if (!d->code || !d->by.losses || !d->chosen || !d->few || !d->list || !d->losses)
        return false;
    number_codes(d);
    fill_losses(d);
    return true;
}

static void close_coded(coded *d)
{
    free(d->code);
    free(d->by.losses);
    free(d->chosen);
    free(d->few);
    free(d->list);
    free(d->losses);
}

/* The candidates of so many codes; returns how many. */
static int list_kernels(coded *d, const int *codes, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < d->c->count; k++)
            if (d->code[k] == codes[i])
                d->list[n++] = k;
    for (int p = 0; p < d->c->problems; p++)
        for (int i = 0; i < n; i++)
            d->losses[(size_t)p * (size_t)n + (size_t)i] =
                d->c->losses[(size_t)p * (size_t)d->c->count + (size_t)d->list[i]];
    return n;
}

/* The kernels of a pack of `n` codes. false: out of memory. */
static bool take_kernels(atx_pack_sets *sets, coded *d, int n)
{
    int unused[ATX_PACK_MAX_KERNELS], *out = sets->at[n - 1];
    const int count = list_kernels(d, d->chosen->at[n - 1], n);
    const atx_pack_candidates few = { .losses = d->losses, .count = count, .problems = d->c->problems };
    int most = count, least = count;
    if (count > n) { /* some code has several launches */
        most = least = atx_pack_choose(unused, d->few, ATX_PACK_MAX_KERNELS, 0, &few);
        if (most < 1)
            return false;
        const double all = atx_pack_mean_of(&few, d->few->at[most - 1], most);
        while (least > 1 && atx_pack_mean_of(&few, d->few->at[least - 2], least - 1) <= all + GAIN)
            least--;
    }
    for (int i = 0; i < least; i++)
        out[i] = d->list[count > n ? d->few->at[least - 1][i] : i];
    sets->count[n - 1] = least;
    return true;
}

int atx_pack_choose_codes(atx_pack_sets *sets, atx_pack *pack, int most, double within,
                          const atx_pack_candidates *c)
{
    int chosen[ATX_PACK_MAX_KERNELS];
    coded d;
    int count = open_coded(&d, c) ? atx_pack_choose(chosen, d.chosen, most, within, &d.by) : -1;
    for (int n = 1; n <= count; n++)
        if (!take_kernels(sets, &d, n))
            count = -1;
    if (count > 0) {
        pack->mean = atx_pack_mean_of(&d.by, chosen, count);
        pack->bound = atx_pack_bound(&d.by, count, pack->mean);
    }
    close_coded(&d);
    return count;
}
