/*
 * pack_tree.c - which kernel is tried first, by comparisons on sizes and alignments: a tree that is grown on
 * the losses themselves. A node takes the comparison after which the sum over both sides of the loss of each
 * side's best kernel is least. Where none gains GAIN of a problem's time on average, two of them may: the
 * node takes the one after which losses spread the least on both sides. It is split no further where fewer
 * than MIN problems would be left on a side, or where it is DEPTH deep; and what gains too little is undone,
 * from the leaves up.
 *
 * A problem that was measured counts as MEASURED others: of those a model says less.
 *
 * A leaf has all kernels in order, so that one that is not valid for the very sizes gives way to the next.
 */
#include "pack/pack_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MIN = 4, DEPTH = 11, MEASURED = 8, MOST_PROBLEMS = ATX_PACK_MAX_PROBLEMS, VALUES = 128 };
#define GAIN   0.0005
#define SEEN   8.0  /* the mean of all counts as much as so many problems */
#define UNSEEN 1.0  /* lost by a kernel that was valid for no problem */
#define MOST   0.3F /* a larger loss is as bad, where spreads are compared */

typedef struct growing {
    atx_pack *pack;
    const atx_pack_sample *samples;
    const float *losses;  /* [problem * kernels + kernel] */
    const bool *measured; /* which of the problems; NULL: none */
    atx_pack_node *nodes; /* with the sum of losses that each would have as a leaf */
    double *weights;      /* of each node's problems */
    int *node_count;
} growing;

/* Of all sizes (which: -1), of all but the first (-2), ...: of what lies side by side. */
static int64_t product_of(const atx_problem *p, int which)
{
    int64_t all = 1;
    for (int i = -1 - which; i < p->op->shape.dim_count; i++)
        if (__builtin_mul_overflow(all, p->dims[i], &all))
            return INT64_MAX;
    return all;
}

static bool holds(const atx_pack_node *node, const atx_problem *p)
{
    switch (node->test) {
    case ATX_PACK_AT_MOST:
        return (node->which < 0 ? product_of(p, node->which) : p->dims[node->which]) <= node->value;
    case ATX_PACK_MULTIPLE:
        return p->dims[node->which] % node->value == 0;
    default:
        return p->dims[atx_problem_first_align(p->op) + node->which] >= node->value;
    }
}

void atx_pack_add_product(atx_str *out, const atx_op *op, int which)
{
    if (which == -1)
        atx_str_add(out, "all");
    for (int i = -1 - which; which < -1 && i < op->shape.dim_count; i++)
        atx_str_addf(out, "%s%s", i > -1 - which ? "*" : "", op->shape.dims[i].name);
}

const atx_pack_node *atx_pack_leaf(const atx_pack *pack, const atx_problem *problem)
{
    const atx_pack_node *node = pack->nodes;
    while (node->test != ATX_PACK_LEAF)
        node = &pack->nodes[holds(node, problem) ? node->yes : node->no];
    return node;
}

bool atx_pack_meets(const atx_pack *pack, const atx_problem *problem, int node)
{
    int at = 0;
    while (at != node && pack->nodes[at].test != ATX_PACK_LEAF)
        at = holds(&pack->nodes[at], problem) ? pack->nodes[at].yes : pack->nodes[at].no;
    return at == node;
}

static double weight_of(const growing *g, int problem)
{
    return g->measured && g->measured[problem] ? MEASURED : 1;
}

static double weight_of_all(const growing *g, const int *problems, int count)
{
    double all = 0;
    for (int i = 0; i < count; i++)
        all += weight_of(g, problems[i]);
    return all;
}

/*
 * What each kernel is expected to lose on problems like these, where it is valid: the mean, with as much
 * weight of what was expected `above` as SEEN problems have.
 */
static void score(double *out, const growing *g, const int *problems, int count, const double *above)
{
    const int kernels = g->pack->kernel_count;
    for (int k = 0; k < kernels; k++) {
        double sum = SEEN * above[k], weight = SEEN;
        for (int i = 0; i < count; i++) {
            const float loss = g->losses[(size_t)problems[i] * (size_t)kernels + (size_t)k];
            const double mine = loss < ATX_PACK_INVALID ? weight_of(g, problems[i]) : 0;
            sum += mine * (double)loss;
            weight += mine;
        }
        out[k] = sum / weight;
    }
}

static void sort(unsigned char *order, const double *scores, int kernels)
{
    for (int n = 0; n < kernels; n++) { /* stable: insertion */
        int at = n;
        for (; at > 0 && scores[order[at - 1]] > scores[n]; at--)
            order[at] = order[at - 1];
        order[at] = (unsigned char)n;
    }
}

/* The sum of what the problems lose by the first kernel in this order that is valid. */
static double lose(const growing *g, const int *problems, int count, const double *scores)
{
    const int kernels = g->pack->kernel_count;
    unsigned char order[ATX_PACK_MAX_KERNELS];
    double sum = 0;
    sort(order, scores, kernels);
    for (int i = 0; i < count; i++) {
        const float *row = g->losses + (size_t)problems[i] * (size_t)kernels;
        int n = 0;
        while (n < kernels && row[order[n]] >= ATX_PACK_INVALID)
            n++;
        sum += weight_of(g, problems[i]) * (double)(n < kernels ? row[order[n]] : ATX_PACK_INVALID);
    }
    return sum;
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

/* The sum over the kernels of the squares of what their losses differ from their mean. */
static double spread(const growing *g, const int *problems, int count)
{
    const int kernels = g->pack->kernel_count;
    const double weights = weight_of_all(g, problems, count);
    double all = 0;
    for (int k = 0; k < kernels; k++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < count; i++) {
            const float loss = g->losses[(size_t)problems[i] * (size_t)kernels + (size_t)k];
            const double x = (double)(loss < MOST ? loss : MOST), weight = weight_of(g, problems[i]);
            sum += weight * x;
            squares += weight * x * x;
        }
        all += squares - sum * sum / weights;
    }
    return all;
}

typedef struct split {
    atx_pack_node node;
    double cost; /* the sum of both sides: of losses, or of their spread */
    bool spreads;
    const double *above; /* scores of the node */
} split;

static double cost_of(const split *s, const growing *g, const int *problems, int count)
{
    double scores[ATX_PACK_MAX_KERNELS];
    if (s->spreads)
        return spread(g, problems, count);
    score(scores, g, problems, count, s->above);
    return lose(g, problems, count, scores);
}

static void try_split(split *best, const atx_pack_node *node, const growing *g, int *problems, int count)
{
    const int yes = divide(node, g, problems, count);
    if (yes < MIN || count - yes < MIN)
        return;
    const double cost = cost_of(best, g, problems, yes) + cost_of(best, g, problems + yes, count - yes);
    if (cost < best->cost - 1e-9) {
        best->node = *node;
        best->cost = cost;
    }
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
        values[i] = which < 0 ? product_of(p, which) : p->dims[which];
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
    for (int d = -(op->shape.dim_count - 1); d < atx_pack_number_count(op); d++)
        try_thresholds(best, d, g, problems, count);
    for (int d = 0; d < atx_pack_number_count(op); d++)
        for (int64_t m = 2; m <= 128; m *= 2)
            try_split(best, &(atx_pack_node){ .test = ATX_PACK_MULTIPLE, .which = d, .value = m }, g,
                      problems, count);
    for (int a = 0; a < op->shape.align_count; a++)
        for (int64_t bytes = 2; bytes <= 256; bytes *= 2)
            try_split(best, &(atx_pack_node){ .test = ATX_PACK_ALIGNED, .which = a, .value = bytes }, g,
                      problems, count);
}

/* The comparison of a node; a leaf: there is none. */
static atx_pack_node find_split(const growing *g, int *problems, int count, double loss, const double *scores)
{
    split best = { .cost = loss - GAIN * weight_of_all(g, problems, count), .above = scores };
    if (count < 2 * MIN || best.cost <= 0)
        return best.node;
    try_all(&best, g, problems, count);
    if (best.node.test != ATX_PACK_LEAF)
        return best.node;
    best.spreads = true;
    best.cost = spread(g, problems, count);
    try_all(&best, g, problems, count);
    return best.node;
}

/* Returns what the problems lose; the node's place goes to *at. */
static double grow(int *at, const growing *g, int *problems, int count, int depth,
                   const double *above) // NOLINT(misc-no-recursion): DEPTH
{
    double scores[ATX_PACK_MAX_KERNELS];
    const int here = (*g->node_count)++;
    score(scores, g, problems, count, above);
    const double loss = lose(g, problems, count, scores);
    double lost = loss;
    atx_pack_node node = { .test = ATX_PACK_LEAF };
    if (depth < DEPTH)
        node = find_split(g, problems, count, loss, scores);
    if (node.test != ATX_PACK_LEAF) {
        const int yes = divide(&node, g, problems, count);
        lost = grow(&node.yes, g, problems, yes, depth + 1, scores);
        lost += grow(&node.no, g, problems + yes, count - yes, depth + 1, scores);
    }
    const double weights = weight_of_all(g, problems, count);
    if (loss - lost < GAIN * weights) {
        node.test = ATX_PACK_LEAF;
        lost = loss;
        *g->node_count = here + 1;
    }
    node.loss = loss;
    g->weights[here] = weights;
    node.problems = count;
    sort(node.order, scores, g->pack->kernel_count);
    g->nodes[here] = node;
    *at = here;
    return lost;
}

/* Undoes splits that gain less than this for each node below; returns what the problems lose then. */
static double prune(int *size, const growing *g, int at, double least) // NOLINT(misc-no-recursion): DEPTH
{
    atx_pack_node *node = &g->nodes[at];
    int yes, no;
    *size = 1;
    if (node->test == ATX_PACK_LEAF)
        return node->loss;
    double lost = prune(&yes, g, node->yes, least);
    lost += prune(&no, g, node->no, least);
    if (node->loss - lost < least * (yes + no)) {
        node->test = ATX_PACK_LEAF;
        return node->loss;
    }
    *size += yes + no;
    return lost;
}

static int take(atx_pack *pack, const growing *g, int at) // NOLINT(misc-no-recursion): DEPTH
{
    const int to = pack->node_count++;
    const atx_pack_node *from = &g->nodes[at];
    atx_pack_node node = { .test = from->test };
    if (from->test == ATX_PACK_LEAF) {
        memcpy(node.order, from->order, sizeof node.order);
        node.loss = from->loss / g->weights[at];
        node.problems = from->problems;
    } else {
        node.which = from->which;
        node.value = from->value;
        node.yes = take(pack, g, from->yes);
        node.no = take(pack, g, from->no);
    }
    pack->nodes[to] = node;
    return to;
}

bool atx_pack_grow(atx_pack *pack, const atx_pack_sample *samples, const float *losses, const bool *measured,
                   int count)
{
    int problems[MOST_PROBLEMS], node_count = 0, root, size = 0;
    double above[ATX_PACK_MAX_KERNELS], least = 1e-3;
    atx_pack_node *nodes = malloc(((size_t)2 << DEPTH) * sizeof *nodes);
    double *weights = malloc(((size_t)2 << DEPTH) * sizeof *weights);
    const growing g = { pack, samples, losses, measured, nodes, weights, &node_count };
    if (!nodes || !weights) {
        free(nodes);
        free(weights);
        return false;
    }
    for (int i = 0; i < count; i++)
        problems[i] = i;
    for (int k = 0; k < pack->kernel_count; k++)
        above[k] = UNSEEN;
    grow(&root, &g, problems, count, 0, above);
    for (prune(&size, &g, root, 0); size > ATX_PACK_MAX_NODES; least *= 1.5)
        prune(&size, &g, root, least);
    pack->node_count = 0;
    take(pack, &g, root);
    free(nodes);
    free(weights);
    return true;
}
