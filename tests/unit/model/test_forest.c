/* test_forest.c - a batch of rows gets from each tree what each row would get alone. */
#include "model/forest.h"
#include "util/rng.h"

#include <criterion/criterion.h>

enum { FEATURES = 9, TREES = 40, BINS = ATX_MAX_EDGES + 2 };

/* A tree that was split at random leaves; some have one leaf only. */
static atx_tree draw_tree(atx_rng *rng)
{
    atx_tree t = { .leaf_count = 1 };
    int leaves = (int)atx_rng_below(rng, ATX_MAX_LEAVES) + 1;
    for (int node = 0; node + 1 < leaves; node++) {
        int leaf = (int)atx_rng_below(rng, (uint64_t)t.leaf_count);
        for (int i = 0; i < node; i++) {
            if (t.nodes[i].below == ATX_IS_LEAF + leaf)
                t.nodes[i].below = (uint8_t)node;
            else if (t.nodes[i].above == ATX_IS_LEAF + leaf)
                t.nodes[i].above = (uint8_t)node;
        }
        t.nodes[node] =
            (atx_node){ (uint8_t)atx_rng_below(rng, FEATURES), (uint8_t)atx_rng_below(rng, BINS + 30),
                        (uint8_t)(ATX_IS_LEAF + leaf), (uint8_t)(ATX_IS_LEAF + t.leaf_count++) };
    }
    for (int i = 0; i < t.leaf_count; i++)
        t.leaves[i] = (int16_t)((int)atx_rng_below(rng, 64000) - 32000);
    return t;
}

static void compare(const atx_forest *forest, int count, atx_rng *rng)
{
    static atx_batch batch;
    uint8_t bins[ATX_BATCH][FEATURES];
    const uint8_t *rows[ATX_BATCH];
    int64_t sums[ATX_BATCH];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < FEATURES; k++)
            bins[i][k] = (uint8_t)atx_rng_below(rng, k % 3 ? BINS : 2);
        rows[i] = bins[i];
        sums[i] = i;
    }
    atx_batch_make(&batch, rows, count, FEATURES);
    atx_forest_add_sums(sums, forest, 3, TREES, &batch);
    for (int i = 0; i < count; i++)
        cr_assert_eq(sums[i], i + atx_forest_sum(forest, 3, TREES, bins[i]), "row %d of %d", i, count);
}

Test(forest, adds_to_a_batch_what_it_adds_to_each_row)
{
    atx_forest forest = { .count = 0 }, copy;
    atx_rng rng = { .state = 11 };
    at_error err = { 0 };
    for (int i = 0; i < TREES; i++) {
        atx_tree t = draw_tree(&rng);
        cr_assert_eq(atx_forest_add(&forest, &t, &err), AT_OK, "%s", err.text);
        cr_assert(atx_tree_is_sound(forest.bytes + forest.begins[i], FEATURES), "tree %d", i);
    }
    cr_assert_eq(atx_forest_copy(&copy, &forest, &err), AT_OK, "%s", err.text);
    atx_forest_clear(&forest);
    for (int count = 1; count <= ATX_BATCH; count++)
        compare(&copy, count, &rng);
    atx_forest_clear(&copy);
}
