/*
 * forest.h - trees over binned features, whose leaves add up to a number.
 *
 * A feature becomes a bin, a byte: 0 where it is absent, else one more than the number of edges below it. So
 * a node is four bytes, and a tree of 64 leaves less than 400.
 */
#pragma once

#include "util/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATX_MAX_LEAVES 64
#define ATX_MAX_EDGES  96
#define ATX_MAX_SEEN   250  /* features that a model looks at */
#define ATX_LEAF_UNIT  8192 /* leaves are whole multiples of 1 / this */

/* A child of 128 and more is a leaf, numbered from there. */
#define ATX_IS_LEAF 128

typedef struct atx_node {
    uint8_t feature, bin; /* bins up to this one go below */
    uint8_t below, above;
} atx_node;

typedef struct atx_tree {
    atx_node nodes[ATX_MAX_LEAVES - 1];
    int16_t leaves[ATX_MAX_LEAVES];
    int leaf_count; /* one more than there are nodes; at least 1 */
} atx_tree;

/*
 * Trees as a file has them, one behind the other: how many leaves, the nodes, the leaves. So one that was
 * read is asked where it lies.
 */
typedef struct atx_forest {
    const uint8_t *bytes; /* of all of them; borrowed unless they are `own`  */
    uint32_t *begins;     /* of each tree, among these                       */
    int count;
    size_t cap; /* of begins */
    atx_str own;
} atx_forest;

typedef struct atx_edges {
    float *of; /* ascending; room for ATX_MAX_EDGES where they are found */
    int count;
} atx_edges;

static inline uint8_t atx_bin_of(const atx_edges *edges, float value)
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

static inline int atx_tree_leaf(const atx_tree *tree, const uint8_t *bins)
{
    int at = tree->leaf_count > 1 ? 0 : ATX_IS_LEAF;
    while (at < ATX_IS_LEAF) {
        const atx_node *n = &tree->nodes[at];
        at = bins[n->feature] <= n->bin ? n->below : n->above;
    }
    return at - ATX_IS_LEAF;
}

/* A tree as bytes: how many they are, and its parts. */
#define ATX_NODE_BYTES 4
#define ATX_LEAF_BYTES 2
static inline size_t atx_tree_bytes(int leaf_count)
{
    return 1 + (size_t)(leaf_count - 1) * ATX_NODE_BYTES + (size_t)leaf_count * ATX_LEAF_BYTES;
}

/* The sum over trees first .. end-1, in units of 1 / ATX_LEAF_UNIT. */
int64_t atx_forest_sum(const atx_forest *forest, int first, int end, const uint8_t *bins);

/* Some rows of bins, turned: of each feature those of all rows. */
#define ATX_BATCH 64
typedef struct atx_batch {
    uint64_t columns[ATX_MAX_SEEN][ATX_BATCH / 8];
    uint64_t all[ATX_BATCH / 8]; /* the set of all rows */
    int words;
} atx_batch;

void atx_batch_make(atx_batch *out, const uint8_t *const *rows, int count, int features);

/* Adds to the sum of each row: in a fraction of the time that it takes to ask for one after the other. */
void atx_forest_add_sums(int64_t *sums, const atx_forest *forest, int first, int end, const atx_batch *batch);

/* AT_ERR_MEMORY: out of memory. */
at_status atx_forest_add(atx_forest *forest, const atx_tree *tree, at_error *err) AT_MUST_CHECK;
at_status atx_forest_copy(atx_forest *out, const atx_forest *from, at_error *err) AT_MUST_CHECK;

void atx_forest_clear(atx_forest *forest);

/* Where the trees end. */
size_t atx_forest_bytes(const atx_forest *forest);

/* Whether all that a tree names is there, and no child comes before its parent. */
bool atx_tree_is_sound(const uint8_t *tree, int features);
