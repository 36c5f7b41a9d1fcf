/* test_forest.c - a batch of rows gets from each tree what each row would get alone. */
#include "model/forest.h"
#include "util/rng.h"

#include <criterion/criterion.h>

enum { TRAITS = 9, TREES = 40, BINS = AT__MAX_EDGES + 2 };

/* A tree that was split at random leaves; some have one leaf only. */
static at__tree draw_tree(at__rng *rng)
{
    at__tree t = { .leaf_count = 1 };
    int leaves = (int)at__rng_below(rng, AT__MAX_LEAVES) + 1;
    for (int node = 0; node + 1 < leaves; node++) {
        int leaf = (int)at__rng_below(rng, (uint64_t)t.leaf_count);
        for (int i = 0; i < node; i++) {
            if (t.nodes[i].below == AT__IS_LEAF + leaf)
                t.nodes[i].below = (uint8_t)node;
            else if (t.nodes[i].above == AT__IS_LEAF + leaf)
                t.nodes[i].above = (uint8_t)node;
        }
        t.nodes[node] =
            (at__node){ (uint8_t)at__rng_below(rng, TRAITS), (uint8_t)at__rng_below(rng, BINS + 30),
                        (uint8_t)(AT__IS_LEAF + leaf), (uint8_t)(AT__IS_LEAF + t.leaf_count++) };
    }
    for (int i = 0; i < t.leaf_count; i++)
        t.leaves[i] = (int16_t)((int)at__rng_below(rng, 64000) - 32000);
    return t;
}

static void compare(const at__forest *forest, int count, at__rng *rng)
{
    static at__batch batch;
    uint8_t bins[AT__BATCH][TRAITS];
    const uint8_t *rows[AT__BATCH];
    int64_t sums[AT__BATCH];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < TRAITS; k++)
            bins[i][k] = (uint8_t)at__rng_below(rng, k % 3 ? BINS : 2);
        rows[i] = bins[i];
        sums[i] = i;
    }
    at__batch_make(&batch, rows, count, TRAITS);
    at__forest_add_sums(sums, forest, 3, TREES, &batch);
    for (int i = 0; i < count; i++)
        cr_assert_eq(sums[i], i + at__forest_sum(forest, 3, TREES, bins[i]), "row %d of %d", i, count);
}

Test(forest, adds_to_a_batch_what_it_adds_to_each_row)
{
    at__forest forest = { .count = 0 }, copy;
    at__rng rng = { .state = 11 };
    at_error err = { 0 };
    for (int i = 0; i < TREES; i++) {
        at__tree t = draw_tree(&rng);
        cr_assert_eq(at__forest_add(&forest, &t, &err), AT_OK, "%s", err.text);
        cr_assert(at__tree_is_sound(forest.bytes + forest.begins[i], TRAITS), "tree %d", i);
    }
    cr_assert_eq(at__forest_copy(&copy, &forest, &err), AT_OK, "%s", err.text);
    at__forest_clear(&forest);
    for (int count = 1; count <= AT__BATCH; count++)
        compare(&copy, count, &rng);
    at__forest_clear(&copy);
}
