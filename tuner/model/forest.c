/* forest.c - the sum of trees; and what a tree of a file must be. */
#include "model/forest.h"

int64_t at__forest_sum(const at__forest *forest, int first, int end, const uint8_t *bins)
{
    int64_t sum = 0;
    for (int i = first; i < end; i++)
        sum += forest->trees[i].leaves[at__tree_leaf(&forest->trees[i], bins)];
    return sum;
}

static bool child_is_sound(int child, int parent, int leaf_count)
{
    return child >= AT__IS_LEAF ? child - AT__IS_LEAF < leaf_count : child > parent && child < leaf_count - 1;
}

bool at__tree_is_sound(const at__tree *tree, int traits)
{
    if (tree->leaf_count < 1 || tree->leaf_count > AT__MAX_LEAVES)
        return false;
    for (int i = 0; i < tree->leaf_count - 1; i++) {
        const at__node *n = &tree->nodes[i];
        if (n->trait >= traits || !child_is_sound(n->below, i, tree->leaf_count) ||
            !child_is_sound(n->above, i, tree->leaf_count))
            return false;
    }
    return true;
}
