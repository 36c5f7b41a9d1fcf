/*
 * forest.c - the sum of trees; and the checks of a tree from a file.
 *
 * A batch of rows goes down a tree together: at each node the rows that go below come first, then the others.
 * Similar rows meet few nodes between them. Eight rows are compared at once, as the bytes of a word: 128 +
 * bin - theirs keeps its highest bit if theirs is no more than that, as all are below 128, and that bit puts
 * a row into a set.
 */
#include "model/forest.h"

#include <stdlib.h>
#include <string.h>

#define ONES    UINT64_C(0x0101010101010101)
#define HIGHEST UINT64_C(0x8080808080808080)

_Static_assert(ATX_MAX_EDGES + 1 < 128, "a bin leaves its byte's highest bit free");

static inline int leaf_value(const uint8_t *tree, unsigned leaf)
{
    const uint8_t *l = tree + 1 + ATX_NODE_BYTES * (size_t)(tree[0] - 1) + ATX_LEAF_BYTES * (size_t)leaf;
    return (int16_t)(uint16_t)(l[0] | l[1] << 8);
}

int64_t atx_forest_sum(const atx_forest *forest, int first, int end, const uint8_t *bins)
{
    int64_t sum = 0;
    for (int i = first; i < end; i++) {
        const uint8_t *tree = forest->bytes + forest->begins[i];
        unsigned at = tree[0] > 1 ? 0 : ATX_IS_LEAF;
        while (at < ATX_IS_LEAF) {
            const uint8_t *n = tree + 1 + ATX_NODE_BYTES * (size_t)at;
            at = bins[n[0]] <= n[1] ? n[2] : n[3];
        }
        sum += leaf_value(tree, at - ATX_IS_LEAF);
    }
    return sum;
}

/* ---- batches ---- */

void atx_batch_make(atx_batch *out, const uint8_t *const *rows, int count, int features)
{
    out->words = (count + 7) / 8;
    memset(out->all, 0, sizeof out->all);
    for (int i = 0; i < count; i++)
        ((uint8_t *)out->all)[i] = 128;
    for (int k = 0; k < features; k++) {
        uint8_t *column = (uint8_t *)out->columns[k];
        for (int i = 0; i < count; i++)
            column[i] = rows[i][k];
        memset(column + count, 0, (size_t)(8 * out->words - count));
    }
}

/* Of the rows of a set those that go below; false: none. What is left of the set goes above. */
static inline bool partition(uint64_t *below, uint64_t *set, const uint8_t *node, const atx_batch *batch)
{
    const uint64_t limit = ONES * (node[1] < 127 ? node[1] : 127) | HIGHEST;
    uint64_t any = 0;
    for (int w = 0; w < batch->words; w++) {
        below[w] = set[w] & (limit - batch->columns[node[0]][w]);
        set[w] ^= below[w];
        any |= below[w];
    }
    return any != 0;
}

static bool is_empty(const uint64_t *set, int words)
{
    uint64_t any = 0;
    for (int w = 0; w < words; w++)
        any |= set[w];
    return any == 0;
}

static void add_leaf(int64_t *sums, const uint64_t *set, int words, int value)
{
    for (int w = 0; w < words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1)
            sums[8 * w + __builtin_ctzll(left) / 8] += value;
}

/* `set` is used up. Trees are at most as deep as they have nodes. */
static void go_down(int64_t *sums, const uint8_t *tree, unsigned at, uint64_t *set, const atx_batch *batch)
{
    while (at < ATX_IS_LEAF) {
        uint64_t below[ATX_BATCH / 8];
        const uint8_t *node = tree + 1 + ATX_NODE_BYTES * (size_t)at;
        at = node[3];
        if (!partition(below, set, node, batch))
            continue;
        if (!is_empty(set, batch->words)) {
            go_down(sums, tree, node[2], below, batch);
            continue;
        }
        memcpy(set, below, (size_t)batch->words * sizeof *set);
        at = node[2];
    }
    add_leaf(sums, set, batch->words, leaf_value(tree, at - ATX_IS_LEAF));
}

void atx_forest_add_sums(int64_t *sums, const atx_forest *forest, int first, int end, const atx_batch *batch)
{
    for (int i = first; i < end; i++) {
        const uint8_t *tree = forest->bytes + forest->begins[i];
        uint64_t set[ATX_BATCH / 8];
        memcpy(set, batch->all, sizeof set);
        go_down(sums, tree, tree[0] > 1 ? 0 : ATX_IS_LEAF, set, batch);
    }
}

/* ---- making and keeping ---- */

size_t atx_forest_bytes(const atx_forest *forest)
{
    size_t last = forest->count ? forest->begins[forest->count - 1] : 0;
    return forest->count ? last + atx_tree_bytes(forest->bytes[last]) : 0;
}

static bool add_begin(atx_forest *forest, size_t begin)
{
    if (!atx_grow(&forest->begins, &forest->cap, (size_t)forest->count, sizeof *forest->begins))
        return false;
    forest->begins[forest->count++] = (uint32_t)begin;
    return true;
}

at_status atx_forest_add(atx_forest *forest, const atx_tree *tree, at_error *err)
{
    uint8_t count = (uint8_t)tree->leaf_count;
    size_t begin = forest->own.len;
    atx_str_add_bytes(&forest->own, &count, 1);
    for (int k = 0; k < tree->leaf_count - 1; k++) {
        const atx_node *n = &tree->nodes[k];
        atx_str_add_bytes(&forest->own, (uint8_t[]){ n->feature, n->bin, n->below, n->above },
                          ATX_NODE_BYTES);
    }
    for (int k = 0; k < tree->leaf_count; k++) {
        uint16_t leaf = (uint16_t)tree->leaves[k];
        atx_str_add_bytes(&forest->own, (uint8_t[]){ (uint8_t)leaf, (uint8_t)(leaf >> 8) }, ATX_LEAF_BYTES);
    }
    forest->bytes = (const uint8_t *)forest->own.data;
    if (!add_begin(forest, begin))
        return atx_no_memory(err);
    return atx_str_status(&forest->own, err);
}

at_status atx_forest_copy(atx_forest *out, const atx_forest *from, at_error *err)
{
    *out = (atx_forest){ .count = from->count, .cap = (size_t)from->count + 1 };
    out->begins = malloc(out->cap * sizeof *out->begins);
    if (!out->begins)
        return atx_no_memory(err);
    if (from->count) {
        memcpy(out->begins, from->begins, (size_t)from->count * sizeof *out->begins);
        atx_str_add_bytes(&out->own, from->bytes, atx_forest_bytes(from));
    }
    out->bytes = (const uint8_t *)out->own.data;
    return atx_str_status(&out->own, err);
}

void atx_forest_clear(atx_forest *forest)
{
    free(forest->begins);
    atx_str_clear(&forest->own);
    *forest = (atx_forest){ .count = 0 };
}

/* ---- those of a file ---- */

static bool child_is_sound(int child, int parent, int leaf_count)
{
    return child >= ATX_IS_LEAF ? child - ATX_IS_LEAF < leaf_count : child > parent && child < leaf_count - 1;
}

bool atx_tree_is_sound(const uint8_t *tree, int features)
{
    int leaf_count = tree[0];
    for (int i = 0; i < leaf_count - 1; i++) {
        const uint8_t *n = tree + 1 + ATX_NODE_BYTES * (size_t)i;
        if (n[0] >= features || !child_is_sound(n[2], i, leaf_count) || !child_is_sound(n[3], i, leaf_count))
            return false;
    }
    return true;
}
