/*
 * prior.c - is more known of a trial's time when the machine has counted what its kernel does?
 * "bench_prior counts.tsv [SEEDS]", where bench_counts wrote the counts; needs no GPU.
 *
 * Problems are dealt to two hands; a forest is grown of one hand's trials and orders those of the other, and
 * the reverse. Judged is the first in that order, and how many trials it takes to one that is within 1 % of
 * the best. Once with the traits of the declarations alone, as look-ups have them, once with registers and
 * occupancy too, which a compiler knows, and once with what was counted.
 */
#include "prior_rows.h"

#include "model/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR        0.01
#define MOST_JUDGED 20000

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "bench_prior: %s\n", what);
    exit(1);
}

/* ---- what the traits are worth ---- */

typedef struct figure {
    double loss[MOST_JUDGED], trials[MOST_JUDGED];
    int count;
    bool slim; /* those alone */
} figure;

/* In the order that is expected: the first, and how many to one that is within NEAR. */
static void judge(figure *f, const bench_table *x, const float *left, int problem)
{
    int first = -1, good = -1, trials = 1;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < x->count; i++) {
            const bench_row *r = &x->rows[i];
            const float expected = r->slower - left[i];
            if (r->problem != problem)
                continue;
            if (pass) {
                trials += expected < x->rows[good].slower - left[good];
            } else {
                first = first < 0 || expected < x->rows[first].slower - left[first] ? i : first;
                if (r->slower <= NEAR && (good < 0 || expected < x->rows[good].slower - left[good]))
                    good = i;
            }
        }
    if (first < 0 || (f->slim && !x->rows[first].slim) || f->count == MOST_JUDGED)
        return;
    f->loss[f->count] = expm1((double)x->rows[first].slower);
    f->trials[f->count++] = trials;
}

/* Problems change hands with the seed. */
static int hand_of(int problem, int seed)
{
    at__rng rng = { .state = (uint64_t)problem * 1000003u + (uint64_t)seed };
    at__rng_below(&rng, 2);
    return (int)at__rng_below(&rng, 2);
}

static void learn(figure *f, const bench_table *x, int from, int to, int seed, int hand)
{
    static const at__growth GROWTH = {
        .trees = 150, .leaves = 48, .rate = 0.1, .least_weight = 4, .calm = 1, .trait_share = 0.5
    };
    int bin_counts[AT__MAX_SEEN] = { 0 };
    float *weights = malloc(MOST * sizeof *weights), *left = malloc(MOST * sizeof *left);
    uint8_t *used = malloc(MOST);
    at__forest forest = { .count = 0 };
    at__rng rng = { .state = 20 };
    at_error err;
    must(weights && left && used, "out of memory");
    memcpy(bin_counts, x->bin_counts, (size_t)x->declared * sizeof *bin_counts);
    for (int k = AT__MAX_SEEN - EXTRA + from; k < AT__MAX_SEEN - EXTRA + to; k++)
        bin_counts[k] = x->bin_counts[k];
    for (int i = 0; i < x->count; i++) {
        left[i] = fminf(x->rows[i].slower, 1);
        weights[i] = expf(-4 * left[i]) + 0.02f;
        used[i] = hand_of(x->rows[i].problem, seed) != hand;
    }
    const at__lesson lesson = { .bins = x->bins,
                                .rows = x->count,
                                .traits = AT__MAX_SEEN,
                                .bin_counts = bin_counts,
                                .weights = weights,
                                .left = left,
                                .used = used };
    must(at__forest_grow(&forest, &lesson, &GROWTH, &rng, &err) == AT_OK, "out of memory");
    for (int i = 0; i < x->count; i++)
        left[i] += x->rows[i].slower - fminf(x->rows[i].slower, 1);
    for (int p = 0; p < x->problems; p++)
        if (hand_of(p, seed) == hand)
            for (int k = 0; k < 2; k++)
                judge(&f[k], x, left, p);
    at__forest_clear(&forest);
    free(weights);
    free(left);
    free(used);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double share_within(const figure *f, double trials)
{
    int within = 0;
    for (int i = 0; i < f->count; i++)
        within += f->trials[i] <= trials;
    return 100.0 * within / f->count;
}

static void print(figure *f, const char *name)
{
    double sum = 0;
    qsort(f->loss, (size_t)f->count, sizeof *f->loss, by_size);
    qsort(f->trials, (size_t)f->count, sizeof *f->trials, by_size);
    for (int i = 0; i < f->count; i++)
        sum += f->loss[i];
    const int tail = (int)ceil(0.95 * f->count) - 1;
    printf("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.0f %% | %.0f %% | %.0f %% | %.0f |\n", name,
           100 * f->loss[f->count / 2], 100 * sum / f->count, 100 * f->loss[tail],
           100 * f->loss[f->count - 1], share_within(f, 1), share_within(f, 3), share_within(f, 10),
           f->trials[tail]);
}

/* Traits from .. to-1 of those beyond the declarations. */
static void compare(const bench_table *x, const char *name, int from, int to, int seeds)
{
    figure *f = calloc(2, sizeof *f);
    char slim[80];
    must(f, "out of memory");
    f[1].slim = true;
    for (int seed = 1; seed <= seeds; seed++)
        for (int hand = 0; hand < 2; hand++)
            learn(f, x, from, to, seed, hand);
    print(&f[0], name);
    snprintf(slim, sizeof slim, "%s, slim ones alone", name);
    if (f[1].count)
        print(&f[1], slim);
    free(f);
}

int main(int argc, char **argv)
{
    bench_table x = { .count = 0 };
    at__catalog *catalog = NULL;
    at_error err = { 0 };
    const int seeds = argc > 2 ? atoi(argv[2]) : 5;
    must(argc > 1 && seeds > 0, "usage: bench_prior counts.tsv [SEEDS]");
    must(at__catalog_open(&catalog, NULL, &err) == AT_OK, err.text);
    x.catalog = catalog;
    bench_prior_read(&x, argv[1]);
    bench_prior_bin(&x);
    printf("%d trials of %d problems, %d traits of the declarations; %d times dealt to two hands\n\n",
           x.count, x.problems, x.declared, seeds);
    printf("| traits | median loss | mean | 95 of 100 within | worst | within 1 %% after 1 | 3 | 10 trials | "
           "95 of 100 after |\n");
    printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    compare(&x, "of the declarations", 0, 0, seeds);
    compare(&x, "and registers, occupancy", 0, COMPILED, seeds);
    compare(&x, "and counts of the machine", COMPILED, EXTRA, seeds);
    compare(&x, "and both", 0, EXTRA, seeds);
    free(x.names);
    free(x.rows);
    free(x.numbers);
    free(x.bins);
    at__catalog_close(catalog);
    return 0;
}
