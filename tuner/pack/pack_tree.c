/*
 * pack_tree.c - which kernel is tried first, by comparisons on sizes and alignments: a tree that is grown on
 * the losses themselves. A node takes the comparison after which the sum over both sides of the loss of each
 * side's best kernel is least. It is split no further where fewer than MIN problems would be left on a side,
 * where that gains less than GAIN of a problem's time on average, or where it is DEPTH deep.
 *
 * A leaf has all kernels in order, so that one that is not valid for the very sizes gives way to the next.
 */
#include "pack/pack_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MIN = 4, DEPTH = 9, MOST_PROBLEMS = ATX_PACK_MAX_PROBLEMS, VALUES = 24 };
#define GAIN 0.0005
#define GIVES_WAY                                                                                            \
    0.1f /* lost beyond the best valid kernel where one is not valid: another one takes its place */

typedef struct growing {
    atx_pack *pack;
    const atx_pack_sample *samples;
    float *losses; /* [problem * kernels + kernel] */
    int count;     /* problems in all */
} growing;

static int64_t product_of(const atx_problem *p)
{
    int64_t all = 1;
    for (int i = 0; i < p->op->shape.dim_count; i++)
        if (__builtin_mul_overflow(all, p->dims[i], &all))
            return INT64_MAX;
    return all;
}

static bool holds(const atx_pack_node *node, const atx_problem *p)
{
    switch (node->test) {
    case ATX_PACK_AT_MOST:
        return (node->which < 0 ? product_of(p) : p->dims[node->which]) <= node->value;
    case ATX_PACK_MULTIPLE:
        return p->dims[node->which] % node->value == 0;
    default:
        return p->dims[atx_problem_first_align(p->op) + node->which] >= node->value;
    }
}

const atx_pack_node *atx_pack_leaf(const atx_pack *pack, const atx_problem *problem)
{
    const atx_pack_node *node = pack->nodes;
    while (node->test != ATX_PACK_LEAF)
        node = &pack->nodes[holds(node, problem) ? node->yes : node->no];
    return node;
}

/* Sums of the losses of each kernel over some problems; returns the least of them. */
static double sum_losses(double *sums, const growing *g, const int *problems, int count)
{
    const int kernels = g->pack->kernel_count;
    double least = 0;
    memset(sums, 0, (size_t)kernels * sizeof *sums);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < kernels; k++)
            sums[k] += g->losses[(size_t)problems[i] * (size_t)kernels + (size_t)k];
    for (int k = 0; k < kernels; k++)
        least = k == 0 || sums[k] < least ? sums[k] : least;
    return least;
}

/* Puts the problems for which it holds first; returns how many. */
static int divide(const atx_pack_node *node, const growing *g, int *problems, int count)
{
    int yes = 0;
    for (int i = 0; i < count; i++)
        if (holds(node, &g->samples[problems[i]].problem)) {
            const int other = problems[yes];
            problems[yes++] = problems[i];
            problems[i] = other;
        }
    return yes;
}

typedef struct split {
    atx_pack_node node;
    double loss; /* the sum of both sides */
} split;

static void try_split(split *best, const atx_pack_node *node, const growing *g, int *problems, int count)
{
    double sums[ATX_PACK_MAX_KERNELS];
    const int yes = divide(node, g, problems, count);
    if (yes < MIN || count - yes < MIN)
        return;
    const double loss = sum_losses(sums, g, problems, yes) + sum_losses(sums, g, problems + yes, count - yes);
    if (loss < best->loss - 1e-9)
        *best = (split){ *node, loss };
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Thresholds of a size, or of the product: quantiles of what the problems have. */
static void try_thresholds(split *best, int which, const growing *g, int *problems, int count)
{
    int64_t values[MOST_PROBLEMS];
    for (int i = 0; i < count; i++) {
        const atx_problem *p = &g->samples[problems[i]].problem;
        values[i] = which < 0 ? product_of(p) : p->dims[which];
    }
    qsort(values, (size_t)count, sizeof *values, by_value);
    const int step = count / VALUES > 0 ? count / VALUES : 1;
    for (int i = step; i < count; i += step)
        if (values[i - 1] < values[i])
            try_split(best,
                      &(atx_pack_node){ .test = ATX_PACK_AT_MOST, .which = which, .value = values[i - 1] }, g,
                      problems, count);
}

static void try_all(split *best, const growing *g, int *problems, int count)
{
    const atx_op *op = g->pack->domain.op;
    for (int d = op->shape.dim_count > 1 ? -1 : 0; d < op->shape.dim_count; d++)
        try_thresholds(best, d, g, problems, count);
    for (int d = 0; d < op->shape.dim_count; d++)
        for (int64_t m = 2; m <= 128; m *= 2)
            try_split(best, &(atx_pack_node){ .test = ATX_PACK_MULTIPLE, .which = d, .value = m }, g,
                      problems, count);
    for (int a = 0; a < op->shape.align_count; a++)
        for (int64_t bytes = 2; bytes <= 256; bytes *= 2)
            try_split(best, &(atx_pack_node){ .test = ATX_PACK_ALIGNED, .which = a, .value = bytes }, g,
                      problems, count);
}

static void make_leaf(atx_pack_node *node, const growing *g, const int *problems, int count)
{
    double sums[ATX_PACK_MAX_KERNELS];
    const int kernels = g->pack->kernel_count;
    const double least = sum_losses(sums, g, problems, count);
    *node = (atx_pack_node){ .test = ATX_PACK_LEAF, .loss = least / count, .problems = count };
    for (int n = 0; n < kernels; n++) { /* stable: insertion */
        int at = n;
        for (; at > 0 && sums[node->order[at - 1]] > sums[n]; at--)
            node->order[at] = node->order[at - 1];
        node->order[at] = (unsigned char)n;
    }
}

static int grow(const growing *g, int *problems, int count, int depth) // NOLINT(misc-no-recursion): DEPTH
{
    double sums[ATX_PACK_MAX_KERNELS];
    const int at = g->pack->node_count++;
    split best = { .loss = sum_losses(sums, g, problems, count) - GAIN * count };
    if (depth < DEPTH && g->pack->node_count + 2 <= ATX_PACK_MAX_NODES - 2 * DEPTH && best.loss > 0)
        try_all(&best, g, problems, count);
    if (best.node.test == ATX_PACK_LEAF) {
        make_leaf(&g->pack->nodes[at], g, problems, count);
        return at;
    }
    const int yes = divide(&best.node, g, problems, count);
    best.node.yes = grow(g, problems, yes, depth + 1);
    best.node.no = grow(g, problems + yes, count - yes, depth + 1);
    g->pack->nodes[at] = best.node;
    return at;
}

/* Of a problem: what a kernel that is not valid costs a leaf that has it first. */
static void give_way(float *row, int kernels)
{
    float best = ATX_PACK_INVALID;
    for (int k = 0; k < kernels; k++)
        best = row[k] < best ? row[k] : best;
    for (int k = 0; k < kernels; k++)
        row[k] = row[k] < ATX_PACK_INVALID ? row[k] : best + GIVES_WAY;
}

bool atx_pack_grow(atx_pack *pack, const atx_pack_sample *samples, const float *losses, int count)
{
    int problems[MOST_PROBLEMS];
    const size_t kernels = (size_t)pack->kernel_count, numbers = (size_t)count * kernels;
    growing g = { pack, samples, malloc((numbers + 1) * sizeof *losses), count };
    if (!g.losses)
        return false;
    memcpy(g.losses, losses, numbers * sizeof *losses);
    for (int i = 0; i < count; i++) {
        give_way(g.losses + (size_t)i * kernels, pack->kernel_count);
        problems[i] = i;
    }
    pack->node_count = 0;
    grow(&g, problems, count, 0);
    free(g.losses);
    return true;
}
