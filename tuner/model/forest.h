/*
 * forest.h - trees over binned traits, whose leaves add up to a number.
 *
 * A trait becomes a bin, a byte: 0 where it is absent, else one more than the number of edges below it. So a
 * node is four bytes, and a tree of 64 leaves less than 400.
 */
#ifndef AUTOTUNE_FOREST_H
#define AUTOTUNE_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AT__MAX_LEAVES 64
#define AT__MAX_EDGES  96
#define AT__MAX_SEEN   250  /* traits that a model looks at */
#define AT__LEAF_UNIT  8192 /* leaves are whole multiples of 1 / this */

/* A child of 128 and more is a leaf, numbered from there. */
#define AT__IS_LEAF 128

typedef struct at__node {
    uint8_t trait, bin; /* bins up to this one go below */
    uint8_t below, above;
} at__node;

typedef struct at__tree {
    at__node nodes[AT__MAX_LEAVES - 1];
    int16_t leaves[AT__MAX_LEAVES];
    int leaf_count; /* one more than there are nodes; at least 1 */
} at__tree;

typedef struct at__forest {
    at__tree *trees;
    int count;
} at__forest;

typedef struct at__edges {
    float of[AT__MAX_EDGES]; /* ascending */
    int count;
} at__edges;

static inline uint8_t at__bin_of(const at__edges *edges, float value)
{
    int low = 0, high = edges->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (value > edges->of[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return (uint8_t)(low + 1);
}

static inline int at__tree_leaf(const at__tree *tree, const uint8_t *bins)
{
    int at = tree->leaf_count > 1 ? 0 : AT__IS_LEAF;
    while (at < AT__IS_LEAF) {
        const at__node *n = &tree->nodes[at];
        at = bins[n->trait] <= n->bin ? n->below : n->above;
    }
    return at - AT__IS_LEAF;
}

/* The sum over trees first .. end-1, in units of 1 / AT__LEAF_UNIT. */
int64_t at__forest_sum(const at__forest *forest, int first, int end, const uint8_t *bins);

/* Whether all that a tree from a file names is there, and no child comes before its parent. */
bool at__tree_is_sound(const at__tree *tree, int traits);

#endif
