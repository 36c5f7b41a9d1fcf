/*
 * grow.c - leaf by leaf. `order` holds the rows of each leaf side by side; a split parts its range.
 *
 * Invariant: a leaf's histogram is that of its rows, for the features of this tree.
 */
#include "model/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS  (ATX_MAX_EDGES + 2)
#define A_FEW 20   /* trees, after which the unused rows are looked at */
#define WORTH 0.01 /* of what is left over there: a few trees take that away, or are the last */
#define CALM  0.3  /* weight of an unseen row of a group that is as all others */

typedef struct cell {
    double sum, weight; /* of weight * left, of weight */
} cell;

typedef struct leaf {
    int begin, end;     /* in order                               */
    double sum, weight; /* of all its rows                        */
    double gain;        /* of its best split; 0: none             */
    int feature, bin;   /* which is this                          */
    int parent, side;   /* the node above it; -1: none            */
    cell *cells;        /* features x BINS                          */
} leaf;

typedef struct grower {
    const atx_training_set *training_set;
    const atx_growth *growth;
    int *order, *spare;
    int *features, feature_count; /* of this tree */
    cell *cells;
    cell *groups; /* of all rows of each */
    leaf leaves[ATX_MAX_LEAVES];
    int leaf_count;
} grower;

static double score(const grower *g, double sum, double weight)
{
    return sum * sum / (weight + g->growth->calm);
}

static void count_rows(grower *g, leaf *l)
{
    const atx_training_set *k = g->training_set;
    for (int t = 0; t < g->feature_count; t++)
        memset(l->cells + (size_t)g->features[t] * BINS, 0,
               (size_t)k->bin_counts[g->features[t]] * sizeof *l->cells);
    for (int i = l->begin; i < l->end; i++) {
        const uint8_t *bins = k->bins + (size_t)g->order[i] * (size_t)k->features;
        double weight = (double)k->weights[g->order[i]], sum = weight * (double)k->left[g->order[i]];
        for (int t = 0; t < g->feature_count; t++) {
            cell *c = &l->cells[(size_t)g->features[t] * BINS + bins[g->features[t]]];
            c->sum += sum;
            c->weight += weight;
        }
    }
}

static void take_away(const grower *g, leaf *from, const leaf *other)
{
    for (int t = 0; t < g->feature_count; t++) {
        size_t at = (size_t)g->features[t] * BINS;
        for (int b = 0; b < g->training_set->bin_counts[g->features[t]]; b++) {
            from->cells[at + (size_t)b].sum -= other->cells[at + (size_t)b].sum;
            from->cells[at + (size_t)b].weight -= other->cells[at + (size_t)b].weight;
        }
    }
}

static void best_of_feature(const grower *g, leaf *l, int feature)
{
    const cell *cells = l->cells + (size_t)feature * BINS;
    double sum = 0, weight = 0, whole = score(g, l->sum, l->weight), least = g->growth->least_weight;
    for (int b = 0; b < g->training_set->bin_counts[feature] - 1; b++) {
        sum += cells[b].sum;
        weight += cells[b].weight;
        if (weight < least)
            continue;
        if (l->weight - weight < least)
            break;
        double gain = score(g, sum, weight) + score(g, l->sum - sum, l->weight - weight) - whole;
        if (gain > l->gain) {
            l->gain = gain;
            l->feature = feature;
            l->bin = b;
        }
    }
}

static void find_split(const grower *g, leaf *l)
{
    l->gain = 1e-9;
    l->feature = -1;
    for (int t = 0; t < g->feature_count; t++)
        best_of_feature(g, l, g->features[t]);
}

static void add_up(const grower *g, leaf *l)
{
    l->sum = l->weight = 0;
    for (int i = l->begin; i < l->end; i++) {
        double weight = (double)g->training_set->weights[g->order[i]];
        l->sum += weight * (double)g->training_set->left[g->order[i]];
        l->weight += weight;
    }
}

/* Rows that go below come first; both keep their order. Returns where the others begin. */
static int partition(grower *g, const leaf *l)
{
    const atx_training_set *k = g->training_set;
    int below = l->begin, above = 0;
    for (int i = l->begin; i < l->end; i++) {
        int row = g->order[i];
        if (k->bins[(size_t)row * (size_t)k->features + (size_t)l->feature] <= l->bin)
            g->order[below++] = row;
        else
            g->spare[above++] = row;
    }
    memcpy(g->order + below, g->spare, (size_t)above * sizeof *g->order);
    return below;
}

static void point_parent(atx_tree *tree, const leaf *l, int child)
{
    if (l->parent < 0)
        return;
    if (l->side)
        tree->nodes[l->parent].above = (uint8_t)child;
    else
        tree->nodes[l->parent].below = (uint8_t)child;
}

/* The leaf becomes a node; what goes below keeps its place among the leaves, what goes above is new. */
static void split(grower *g, atx_tree *tree, leaf *l)
{
    int node = g->leaf_count - 1;
    leaf *m = &g->leaves[g->leaf_count];
    cell *cells = m->cells;
    point_parent(tree, l, node);
    tree->nodes[node] = (atx_node){ .feature = (uint8_t)l->feature, .bin = (uint8_t)l->bin };
    *m = *l;
    m->cells = cells;
    m->begin = l->end = partition(g, l);
    l->parent = m->parent = node;
    l->side = 0;
    m->side = 1;
    leaf *small = l->end - l->begin < m->end - m->begin ? l : m, *large = small == l ? m : l;
    if (large == m) { /* the parent's histogram goes to the larger */
        cells = l->cells;
        l->cells = m->cells;
        m->cells = cells;
    }
    count_rows(g, small);
    take_away(g, large, small);
    add_up(g, l);
    add_up(g, m);
    find_split(g, l);
    find_split(g, m);
    g->leaf_count++;
}

static leaf *most_to_gain(grower *g)
{
    leaf *most = NULL;
    for (int i = 0; i < g->leaf_count; i++)
        if (g->leaves[i].feature >= 0 && (!most || g->leaves[i].gain > most->gain))
            most = &g->leaves[i];
    return most;
}

static void draw_features(grower *g, atx_rng *rng)
{
    const atx_training_set *k = g->training_set;
    uint64_t share = (uint64_t)(g->growth->feature_share * 1000);
    g->feature_count = 0;
    for (int t = 0; t < k->features; t++)
        if (k->bin_counts[t] > 1 && atx_rng_below(rng, 1000) < share)
            g->features[g->feature_count++] = t;
}

static void take_rows(grower *g)
{
    leaf *root = &g->leaves[0];
    cell *cells = g->cells;
    for (int i = 0; i < ATX_MAX_LEAVES; i++, cells += (size_t)g->training_set->features * BINS)
        g->leaves[i] = (leaf){ .parent = -1, .cells = cells, .feature = -1 };
    for (int i = 0; i < g->training_set->rows; i++)
        if (g->training_set->used[i])
            g->order[root->end++] = i;
    g->leaf_count = 1;
}

static int16_t leaf_value(const grower *g, const leaf *l)
{
    double value = g->growth->rate * l->sum / (l->weight + g->growth->calm) * ATX_LEAF_UNIT;
    return (int16_t)fmin(fmax(nearbyint(value), -32000), 32000);
}

static void grow_tree(grower *g, atx_tree *tree, atx_rng *rng)
{
    draw_features(g, rng);
    take_rows(g);
    count_rows(g, &g->leaves[0]);
    add_up(g, &g->leaves[0]);
    find_split(g, &g->leaves[0]);
    *tree = (atx_tree){ .leaf_count = 1 };
    for (leaf *l; g->leaf_count < g->growth->leaves && (l = most_to_gain(g));)
        split(g, tree, l);
    tree->leaf_count = g->leaf_count;
    for (int i = 0; i < g->leaf_count; i++) {
        point_parent(tree, &g->leaves[i], ATX_IS_LEAF + i);
        tree->leaves[i] = leaf_value(g, &g->leaves[i]);
    }
}

static void lower(const atx_training_set *k, const atx_tree *tree)
{
    for (int i = 0; i < k->rows; i++) {
        int end = atx_tree_leaf(tree, k->bins + (size_t)i * (size_t)k->features);
        k->left[i] -= (float)tree->leaves[end] / ATX_LEAF_UNIT;
    }
}

/*
 * What all rows of a group have left over is taken from them, but for what the rows of all groups have. It is
 * no matter of their features: the best row, which the targets of a group are relative to, may be missing.
 */
static void centre_groups(grower *g)
{
    const atx_training_set *k = g->training_set;
    cell all = { 0 };
    memset(g->groups, 0, (size_t)k->group_count * sizeof *g->groups);
    for (int i = 0; i < k->rows; i++) {
        cell *c = &g->groups[k->groups[i]];
        c->sum += (double)k->weights[i] * (double)k->left[i];
        c->weight += (double)k->weights[i];
        all.sum += k->used[i] ? (double)k->weights[i] * (double)k->left[i] : 0;
        all.weight += k->used[i] ? (double)k->weights[i] : 0;
    }
    const double usual = all.weight > 0 ? all.sum / all.weight : 0;
    for (int i = 0; i < k->rows; i++) {
        const cell *c = &g->groups[k->groups[i]];
        k->left[i] -= (float)((c->sum - usual * c->weight) / (c->weight + CALM));
    }
}

/* What is left over of the rows that trees do not learn from. */
static double left_unseen(const atx_training_set *k)
{
    double sum = 0;
    for (int i = 0; i < k->rows; i++)
        if (!k->used[i])
            sum += (double)k->weights[i] * (double)k->left[i] * (double)k->left[i];
    return sum;
}

at_status atx_forest_grow(atx_forest *forest, const atx_training_set *k, const atx_growth *growth,
                          atx_rng *rng, at_error *err)
{
    grower g = { .training_set = k, .growth = growth };
    at_status status = AT_OK;
    size_t rows = (size_t)k->rows + 1, features = (size_t)k->features + 1;
    g.order = malloc(rows * sizeof *g.order);
    g.spare = malloc(rows * sizeof *g.spare);
    g.features = malloc(features * sizeof *g.features);
    g.cells = malloc(features * BINS * ATX_MAX_LEAVES * sizeof *g.cells);
    g.groups = malloc(((size_t)k->group_count + 1) * sizeof *g.groups);
    if (!g.order || !g.spare || !g.features || !g.cells || !g.groups) {
        status = AT_ERR_MEMORY;
        atx_no_memory(err);
        goto done;
    }
    double unseen = growth->validated ? left_unseen(k) : 0;
    for (int i = 0; i < growth->trees; i++) {
        if (atx_cancel_due(k->cancel)) {
            status = AT_ERR_CANCELLED;
            atx_fail(err, AT_ERR_CANCELLED, "learning was ended");
            goto done;
        }
        atx_tree tree;
        grow_tree(&g, &tree, rng);
        lower(k, &tree);
        if (k->groups)
            centre_groups(&g);
        if ((status = atx_forest_add(forest, &tree, err)) != AT_OK)
            goto done;
        if (growth->validated && (i + 1) % A_FEW == 0) {
            double before = unseen;
            unseen = left_unseen(k);
            if (unseen > (1 - WORTH) * before)
                break;
        }
    }
done:
    free(g.order);
    free(g.spare);
    free(g.features);
    free(g.cells);
    free(g.groups);
    return status;
}
