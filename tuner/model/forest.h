/*
 * forest.h - trees over binned traits, whose leaves add up to a number.
 *
 * A trait becomes a bin, a byte: 0 where it is absent, else one more than the number of edges below it. So a
 * node is four bytes, and a tree of 64 leaves less than 400.
 */
#ifndef AUTOTUNE_FOREST_H
#define AUTOTUNE_FOREST_H

#include "util/str.h"

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

/*
 * Trees as a file has them, one behind the other: how many leaves, the nodes, the leaves. So one that was
 * read is asked where it lies.
 */
typedef struct at__forest {
    const uint8_t *bytes; /* of all of them; borrowed unless they are `own`  */
    uint32_t *begins;     /* of each tree, among these                       */
    int count;
    size_t cap; /* of begins */
    at__str own;
} at__forest;

typedef struct at__edges {
    float *of; /* ascending; room for AT__MAX_EDGES where they are found */
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

/* A tree as bytes: how many they are, and its parts. */
#define AT__NODE_BYTES 4
#define AT__LEAF_BYTES 2
static inline size_t at__tree_bytes(int leaf_count)
{
    return 1 + (size_t)(leaf_count - 1) * AT__NODE_BYTES + (size_t)leaf_count * AT__LEAF_BYTES;
}

/* The sum over trees first .. end-1, in units of 1 / AT__LEAF_UNIT. */
int64_t at__forest_sum(const at__forest *forest, int first, int end, const uint8_t *bins);

/* Some rows of bins, turned: of each trait those of all rows. */
#define AT__BATCH 64
typedef struct at__batch {
    uint64_t columns[AT__MAX_SEEN][AT__BATCH / 8];
    uint64_t all[AT__BATCH / 8]; /* the set of all rows */
    int words;
} at__batch;

void at__batch_make(at__batch *out, const uint8_t *const *rows, int count, int traits);

/* Adds to the sum of each row: in a fraction of the time that it takes to ask for one after the other. */
void at__forest_add_sums(int64_t *sums, const at__forest *forest, int first, int end, const at__batch *batch);

/* AT_ERR_MEMORY: out of memory. */
at_status at__forest_add(at__forest *forest, const at__tree *tree, at_error *err) AT_MUST_CHECK;
at_status at__forest_copy(at__forest *out, const at__forest *from, at_error *err) AT_MUST_CHECK;

void at__forest_clear(at__forest *forest);

/* Where the trees end. */
size_t at__forest_bytes(const at__forest *forest);

/* Whether all that a tree names is there, and no child comes before its parent. */
bool at__tree_is_sound(const uint8_t *tree, int traits);

#endif
