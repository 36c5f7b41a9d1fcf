/* test_pack_tree.c - in which order a leaf has its kernels, and which comparisons lead to it. */
#include "lang/catalog.h"
#include "pack/pack_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 16, KERNELS = 3 };

static atx_catalog *catalog;
static atx_pack_sample samples[PROBLEMS];
static bool measured[PROBLEMS]; /* none, but where a test says so */

typedef int64_t sizes_of[PROBLEMS][3];

/* Of problems with these sizes. */
static atx_pack *grow_on(sizes_of sizes, const float losses[PROBLEMS * KERNELS])
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack *pack = calloc(1, sizeof *pack);
    cr_assert(pack);
    pack->domain.op = atx_catalog_find_op(catalog, "transpose");
    pack->domain.type = ATX_F32;
    pack->kernel_count = KERNELS;
    for (int i = 0; i < PROBLEMS; i++)
        cr_assert_eq(atx_problem_init(&samples[i].problem, pack->domain.op, ATX_F32, sizes[i], 3, NULL),
                     AT_OK);
    cr_assert(atx_pack_grow(pack, samples, losses, measured, PROBLEMS));
    return pack;
}

/* Half of the problems have few rows, the others many. */
static atx_pack *grow(const float losses[PROBLEMS * KERNELS])
{
    sizes_of sizes;
    for (int i = 0; i < PROBLEMS; i++) {
        sizes[i][0] = 1;
        sizes[i][1] = i < PROBLEMS / 2 ? 32 : 4096;
        sizes[i][2] = 100;
    }
    return grow_on(sizes, losses);
}

static void done(atx_pack *pack)
{
    atx_pack_close(pack);
    atx_catalog_close(catalog);
}

/* Kernel 0 is the best everywhere; 1 loses more than 2 where it is valid, which is for few rows only. */
Test(pack_tree, a_kernel_that_is_rarely_valid_goes_by_what_it_loses_where_it_is)
{
    float losses[PROBLEMS * KERNELS];
    for (int i = 0; i < PROBLEMS; i++) {
        losses[i * KERNELS] = 0.5F;
        losses[i * KERNELS + 1] = i < PROBLEMS / 2 ? 3.0F : ATX_PACK_INVALID;
        losses[i * KERNELS + 2] = 2.0F;
    }
    atx_pack *pack = grow(losses);
    const atx_pack_node *leaf = atx_pack_leaf(pack, &samples[0].problem);
    cr_assert_eq(leaf->order[0], 0);
    cr_assert_eq(leaf->order[1], 2);
    cr_assert_eq(leaf->order[2], 1);
    cr_assert_float_eq(leaf->loss, 0.5, 1e-6);
    done(pack);
}

/* Kernel 0 is not valid in half of the cases, and what comes second is another one for few rows and many. */
Test(pack_tree, a_leaf_loses_what_its_first_valid_kernel_does)
{
    float losses[PROBLEMS * KERNELS];
    for (int i = 0; i < PROBLEMS; i++) {
        const bool few = i < PROBLEMS / 2;
        losses[i * KERNELS] = i % 2 ? ATX_PACK_INVALID : 0.0F;
        losses[i * KERNELS + 1] = few ? 0.1F : 4.0F;
        losses[i * KERNELS + 2] = few ? 5.0F : 0.2F;
    }
    atx_pack *pack = grow(losses);
    const atx_pack_node *few = atx_pack_leaf(pack, &samples[0].problem);
    const atx_pack_node *many = atx_pack_leaf(pack, &samples[PROBLEMS - 1].problem);
    cr_assert_neq(few, many);
    cr_assert_eq(few->order[0], 0);
    cr_assert_eq(few->order[1], 1);
    cr_assert_float_eq(few->loss, 0.05, 1e-6);
    cr_assert_eq(many->order[0], 0);
    cr_assert_eq(many->order[1], 2);
    cr_assert_float_eq(many->loss, 0.1, 1e-6);
    done(pack);
}

/* Matrices of 128 and of 32768 elements, in all forms, alone and in batches: no size tells them apart, nor
 * does the product of all. */
Test(pack_tree, small_matrices_are_told_from_large_ones_in_whatever_batches)
{
    float losses[PROBLEMS * KERNELS];
    sizes_of sizes;
    for (int i = 0; i < PROBLEMS; i++) {
        const bool small = i < PROBLEMS / 2;
        const int k = i % (PROBLEMS / 2);
        sizes[i][0] = (k % 2 == 0) == small ? 256 : 1;
        sizes[i][1] = small ? 1 << k : 16 << k;
        sizes[i][2] = small ? 128 >> k : 2048 >> k;
        losses[i * KERNELS] = small ? 0.0F : 2.0F;
        losses[i * KERNELS + 1] = small ? 2.0F : 0.0F;
        losses[i * KERNELS + 2] = 3.0F;
    }
    atx_pack *pack = grow_on(sizes, losses);
    cr_assert_eq(pack->node_count, 3);
    cr_assert_eq(pack->nodes[0].which, -2);
    for (int i = 0; i < PROBLEMS; i++)
        cr_assert_eq(atx_pack_leaf(pack, &samples[i].problem)->order[0], i >= PROBLEMS / 2);
    atx_str name = { 0 };
    atx_pack_add_product(&name, pack->domain.op, -2);
    cr_assert_str_eq(atx_str_text(&name), "rows*cols");
    atx_str_clear(&name);
    done(pack);
}

/* Kernel 0 is for square matrices, 1 for others; each comparison alone leaves as many of both on either side.
 */
Test(pack_tree, two_comparisons_may_gain_where_one_does_not)
{
    float losses[PROBLEMS * KERNELS];
    sizes_of sizes;
    for (int i = 0; i < PROBLEMS; i++) {
        const bool tall = i % 4 / 2, wide = i % 2;
        sizes[i][0] = 1;
        sizes[i][1] = tall ? 4099 : 33;
        sizes[i][2] = wide ? 4099 : 33;
        losses[i * KERNELS] = tall == wide ? 0.0F : 0.2F;
        losses[i * KERNELS + 1] = tall == wide ? 0.2F : 0.0F;
        losses[i * KERNELS + 2] = 0.3F;
    }
    atx_pack *pack = grow_on(sizes, losses);
    for (int i = 0; i < PROBLEMS; i++)
        cr_assert_eq(atx_pack_leaf(pack, &samples[i].problem)->order[0], i % 4 / 2 != i % 2, "problem %d", i);
    done(pack);
}

/* No kernel is for the sizes of another one, and the splits that gain the least are undone. */
Test(pack_tree, a_tree_has_no_more_nodes_than_a_pack_may_have)
{
    enum { MANY = 4096 };
    static atx_pack_sample many[MANY];
    static float lost[MANY * KERNELS];
    sizes_of sizes = { 0 };
    for (int i = 0; i < PROBLEMS; i++)
        sizes[i][0] = sizes[i][1] = sizes[i][2] = 2;
    float none[PROBLEMS * KERNELS] = { 0 };
    atx_pack *pack = grow_on(sizes, none);
    for (int i = 0; i < MANY; i++) {
        const int64_t one[] = { 1, 1 + i / 4, 7 };
        cr_assert_eq(atx_problem_init(&many[i].problem, pack->domain.op, ATX_F32, one, 3, NULL), AT_OK);
        for (int k = 0; k < KERNELS; k++)
            lost[i * KERNELS + k] = i / 4 % KERNELS == k ? 0.0F : 0.5F;
    }
    cr_assert(atx_pack_grow(pack, many, lost, NULL, MANY));
    cr_assert_leq(pack->node_count, ATX_PACK_MAX_NODES);
    cr_assert_gt(pack->node_count, ATX_PACK_MAX_NODES / 2, "%d", pack->node_count);
    done(pack);
}

/* Kernel 0 is expected to be the best everywhere, and was measured to be slow, in two of the problems. */
Test(pack_tree, what_was_measured_counts_more_than_what_is_expected)
{
    float losses[PROBLEMS * KERNELS];
    for (int i = 0; i < PROBLEMS; i++) {
        measured[i] = i % (PROBLEMS / 2) == 0;
        losses[i * KERNELS] = measured[i] ? 0.5F : 0;
        losses[i * KERNELS + 1] = 0.1F;
        losses[i * KERNELS + 2] = 0.2F;
    }
    atx_pack *pack = grow(losses);
    cr_assert_eq(atx_pack_leaf(pack, &samples[0].problem)->order[0], 1);
    memset(measured, 0, sizeof measured);
    cr_assert(atx_pack_grow(pack, samples, losses, measured, PROBLEMS));
    cr_assert_eq(atx_pack_leaf(pack, &samples[0].problem)->order[0], 0);
    done(pack);
}
