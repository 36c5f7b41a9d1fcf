/* test_layout.c - two layouts of one index space: their canonical form, their text, and whose problem it is.
 */
#include "lang/layout.h"

#include "lang/arch.h"
#include "lang/shapes.h"
#include "lookup/fallback.h"
#include "space/space.h"
#include "util/rng.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atx_catalog *catalog;
static const atx_op *op;

static void open_all(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    op = atx_catalog_find_op(catalog, "permute");
}

static void close_all(void)
{
    atx_catalog_close(catalog);
}

TestSuite(layout, .init = open_all, .fini = close_all);

/* The first problem of a text, as "op shape type", or the message. */
static const char *read(const char *text)
{
    static char shown[600];
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    atx_str shape = { 0 };
    if (atx_shapes_parse(&shapes, text, strlen(text), "s.txt", catalog, NULL, &err) != AT_OK) {
        snprintf(shown, sizeof shown, "%.500s", err.text);
        return shown;
    }
    atx_problem_shape(&shape, &shapes.problems[0]);
    snprintf(shown, sizeof shown, "%s %.400s %s", shapes.problems[0].op->name, atx_str_text(&shape),
             atx_dtype_name(shapes.problems[0].type));
    atx_str_clear(&shape);
    atx_shapes_clear(&shapes);
    return shown;
}

static int random_layout(atx_layout_pair *out, int64_t extents[ATX_MAX_RANK], int permutation[ATX_MAX_RANK],
                         atx_rng *rng)
{
    at_error err = { 0 };
    int rank = 1 + (int)atx_rng_below(rng, ATX_MAX_DIMS); /* dimensions that do not fuse have to fit */
    for (int i = 0; i < rank; i++) {
        extents[i] = 1 + (int64_t)atx_rng_below(rng, 3);
        permutation[i] = i;
    }
    for (int i = rank - 1; i > 0; i--) {
        int k = (int)atx_rng_below(rng, (uint64_t)i + 1), swap = permutation[i];
        permutation[i] = permutation[k];
        permutation[k] = swap;
    }
    cr_assert_eq(atx_layout_permuted(out, rank, extents, permutation, NULL, &err), AT_OK, "%s", err.text);
    return rank;
}

/* Which element of the input each of the output is, by the definition: output dimension i is permutation[i].
 */
static int64_t define(int64_t *from, const int64_t *extents, const int *permutation, int rank)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= extents[i];
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, index[ATX_MAX_RANK] = { 0 }, at = 0;
        for (int i = rank - 1; i >= 0; i--) {
            index[permutation[i]] = rest % extents[permutation[i]];
            rest /= extents[permutation[i]];
        }
        for (int i = 0; i < rank; i++)
            at = at * extents[i] + index[i];
        from[k] = at;
    }
    return count;
}

Test(layout, the_canonical_form_moves_the_same_elements)
{
    atx_rng rng = { 7 };
    static int64_t right[6561];
    for (int n = 0; n < 2000; n++) {
        int64_t extents[ATX_MAX_RANK];
        int permutation[ATX_MAX_RANK];
        atx_layout_pair layout;
        atx_problem p;
        at_error err = { 0 };
        int rank = random_layout(&layout, extents, permutation, &rng);
        int64_t count = define(right, extents, permutation, rank);
        cr_assert_eq(atx_layout_problem(&p, op, ATX_F32, &layout, &err), AT_OK, "%s", err.text);
        for (int64_t k = 0; k < count; k++) {
            int64_t rest = k, from = 0, to = 0;
            for (int d = op->shape.dim_count - 1; d >= 0; d--) {
                from += rest % p.dims[d] * p.dims[atx_problem_first_stride(op, 0) + d];
                to += rest % p.dims[d] * p.dims[atx_problem_first_stride(op, 1) + d];
                rest /= p.dims[d];
            }
            cr_assert(rest == 0 && right[to] == from);
        }
    }
}

Test(layout, the_text_reads_back_to_the_same_problem)
{
    atx_rng rng = { 11 };
    for (int n = 0; n < 500; n++) {
        int64_t extents[ATX_MAX_RANK];
        int permutation[ATX_MAX_RANK];
        atx_layout_pair layout;
        atx_problem p, again;
        atx_str text = { 0 };
        at_error err = { 0 };
        int rank = random_layout(&layout, extents, permutation, &rng);
        for (int i = 0; i < rank; i++) { /* gaps on either side */
            layout.in[i] *= n % 2 ? 2 : 1;
            layout.out[i] *= n % 3 ? 3 : 1;
        }
        cr_assert_eq(atx_layout_problem(&p, op, ATX_U16, &layout, &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_problem_set_aligns(&p, (int64_t[]){ 4, n % 5 ? 4 : 16 }, 2, &err), AT_OK);
        atx_problem_shape(&text, &p);
        cr_assert(atx_layout_read_shape(&again, op, ATX_U16, atx_str_text(&text)), "%s", atx_str_text(&text));
        cr_assert_arr_eq(again.dims, p.dims, sizeof p.dims, "%s", atx_str_text(&text));
        atx_str_clear(&text);
    }
}

static const struct {
    const char *text, *expect;
} GOOD[] = {
    /* One key for equal problems, whatever they are called. */
    { "permute 8x2048x3x32x128 2,0,3,1,4 bf16", "permute 8x2048x3x32x128:2.0.3.1.4 bf16" },
    { "permute 75x96x75x96 3,0,2,1", "permute 75x96x75x96:3.0.2.1 f32" },
    { "permute 75x1x96x75x96 4,1,0,3,2", "permute 75x96x75x96:3.0.2.1 f32" },
    { "permute 5x3x96x75x96 4,0,1,3,2", "permute 15x96x75x96:3.0.2.1 f32" },
    { "f32 permute 6x7x8:2.0.1 ", "transpose 42x8 f32" },
    { "permute 64x8x7x8x7x96 0,1,3,2,4,5 f16", "permute 512x7x8x672:0.2.1.3 f16" },
    /* Transposes, copies. */
    { "permute 7264x7264 1,0", "transpose 7264x7264 f32" },
    { "permute 355x384x384 0,2,1", "transpose 355x384x384 f32" },
    { "permute 256x3x224x224 0,2,3,1", "transpose 256x3x50176 f32" },
    { "permute 19x160x160x160 1,2,3,0 f64", "transpose 19x4096000 f64" },
    { "permute 64x100 1,0 in=128,1 out=112,1 @16x4", "transpose 64x100/128x112@16x4 f32" },
    { "permute 3x64x100 0,2,1 in=8192,128,1 out=6400,64,1", "transpose 3x64x100/128x64 f32" },
    { "permute 3x64x100 0,2,1 in=12801,128,1", "permute 3x64x100:0.2.1/in=12801x128x1 f32" },
    { "permute 4x5x6 0,1,2 u8", "copy 120 u8" },
    { "permute 1x1 1,0", "copy 1 f32" },
    { "permute 4x5x6@4 0,1,2", "permute 120:0@4 f32" },
    { "permute 100 0 in=2", "permute 100:0/in=2 f32" },
    { "permute 2x3x2x3x2x3x2x3 7, 6, 5, 4, 3, 2, 1, 0", "permute 2x3x2x3x2x3x2x3:7.6.5.4.3.2.1.0 f32" },
    { "permute 2x2x2x2x2x2x3x3x3x3x3x3 6,7,8,9,10,11,0,1,2,3,4,5", "transpose 64x729 f32" },
    { "permute 70_000x70_000x2 1,0,2 f32 # 2^31 and more", "permute 70000x70000x2:1.0.2 f32" },
};

Test(layout, equal_problems_have_one_name)
{
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        cr_expect_str_eq(read(GOOD[i].text), GOOD[i].expect, "%s: %s", GOOD[i].text, read(GOOD[i].text));
}

static const struct {
    const char *text, *expect;
} BAD[] = {
    { "permute 3x4", "s.txt:1:12: found no permutation" },
    { "\npermute", "s.txt:2:8: found no sizes" },
    { "permute 3x4 0,0", "s.txt:1:15: found index 0 a second time; expected each of 0 to 1 once" },
    { "permute 3x4 0,2", "s.txt:1:15: found index 2; expected a permutation of 0 to 1" },
    { "permute 3x4 0,77", "s.txt:1:15: found index 77; expected a permutation of 0 to 1" },
    { "permute 3x4 0", "s.txt:1:13: found 1 index; expected 2, one for each" },
    { "permute 3x4x5 0,1", "s.txt:1:15: found 2 indices; expected 3" },
    { "permute 3x04 1,0", "s.txt:1:11: found '04'; expected a number without leading zeros" },
    { "permute 3x4 01,0", "s.txt:1:13: found '01'; expected a number without leading zeros" },
    { "permute 3x4 1,0 in=08,1", "s.txt:1:20: found '08'; expected a number without leading zeros" },
    { "permute 1,024x4 1,0", "s.txt:1:9: found '1,024', which looks like one number; expected sizes joined" },
    { "permute 3x0 1,0", "s.txt:1:11: found '0'; expected a positive size" },
    { "permute 3x4 1,0 in=4", "s.txt:1:20: found 1 stride of the input; expected 2" },
    { "permute 3x4 1,0 in=0,1", "s.txt:1:20: found a stride of 0; expected 1 or more" },
    { "permute 3x4 1,0 out=2,1",
      "s.txt:1:21: found an output stride of 2 where faster dimensions reach over 3" },
    { "permute 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x9 0",
      "s.txt:1:41: found one more of sizes, '9'; expected at most 16" },
    { "permute 2x2x2x2x2x2x2x2x2 8,7,6,5,4,3,2,1,0",
      "s.txt:1:9: found 9 dimensions of which no two are one in both layouts; permute takes 8" },
    { "permute 3x4 1,0 f99", "s.txt:1:17: found 'f99'; expected sizes, a permutation" },
    { "permute 3x4 1,0 f32 u8", "s.txt:1:21: found 'u8'; expected one type a line" },
    { "permute 3x4 1,0 2", "s.txt:1:17: found '2'; expected the permutation once" },
    { "permute 3x4 1,", "s.txt:1:15: found ''; expected a number" },
    { "permute 3x4 1,0/4", "s.txt:1:17: found '4' after '/'" },
    { "permute 3x4 1,0@3", "s.txt:1:17: found align_in = 3" },
    { "permute 4000000000x4000000000 1,0", "s.txt:1:9: found more than 9223372036854775807 elements" },
};

Test(layout, says_what_is_wrong_and_where)
{
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        const char *got = read(BAD[i].text);
        cr_expect(strncmp(got, BAD[i].expect, strlen(BAD[i].expect)) == 0, "%s: %s", BAD[i].text, got);
    }
}

Test(layout, other_ops_are_read_as_before)
{
    cr_expect_str_eq(read("transpose 64x32 u8"), "transpose 64x32 u8");
    cr_expect_str_eq(read("64x32"), "transpose 64x32 f32");
}

static int64_t count_of(const atx_template *t, const atx_problem *p)
{
    at_error err = { 0 };
    atx_limits limits;
    atx_space *space = NULL;
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    cr_assert_eq(atx_arch_parse(&limits, "sm_90", &err), AT_OK);
    cr_assert_eq(atx_problem_bind(slots, p, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_open(&space, t, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    const int64_t count = atx_space_count(space);
    atx_space_close(space);
    return count;
}

static int64_t configurations(const atx_problem *p, const char *but)
{
    int64_t count = 0;
    for (int i = 0; i < atx_catalog_template_count(catalog, p->op); i++) {
        const atx_template *t = atx_catalog_template(catalog, p->op, i);
        count += strcmp(t->name, but) == 0 ? 0 : count_of(t, p);
    }
    return count;
}

/*
 * A block of `direct` divides its number by a count as a product with 2^31 / count, rounded up. That is right
 * up to 46341, for as many blocks as a grid has; the last of 46410 would be one too far.
 */
Test(layout, direct_has_no_more_blocks_than_its_division_is_right_for)
{
    const char text[] = "permute 2x46341x2400 1,0,2\npermute 2x46410x2400 1,0,2\n";
    const atx_template *t = atx_catalog_find_template(catalog, op, "direct");
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    int wrong = 0;
    for (uint64_t count = 1; count <= 46341; count++)
        for (uint64_t last = count - 1; last < 65535; last += count) /* the quotient is the largest there */
            wrong += 2 * last * (2147483647 / count + 1) >> 32 != last / count;
    cr_expect_eq(wrong, 0, "%d", wrong);
    cr_expect_eq(UINT64_C(2) * 46409 * (2147483647 / 46410 + 1) >> 32, 1);
    cr_assert_eq(atx_shapes_parse(&shapes, text, strlen(text), "s.txt", catalog, NULL, &err), AT_OK, "%s",
                 err.text);
    /* Those that follow the output count 46341, or 46410; those that follow the input count 2. */
    cr_expect_lt(count_of(t, &shapes.problems[1]), count_of(t, &shapes.problems[0]));
    atx_shapes_clear(&shapes);
}

/* tests/data/permutations.txt: the 57 of the benchmarks, and layouts of programs. */
Test(layout, each_published_permutation_has_kernels_to_choose_from)
{
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_shapes_read(&shapes, AT_SOURCE_DIR "/tests/data/permutations.txt", catalog, NULL, &err),
                 AT_OK, "%s", err.text);
    cr_expect_eq(shapes.count, 65);
    for (size_t i = 0; i < shapes.count; i++)
        cr_expect_gt(configurations(&shapes.problems[i], "naive"), 100, "problem %zu", i);
    atx_shapes_clear(&shapes);
}

/* Whatever the layout, one template takes it. */
Test(layout, every_layout_has_a_kernel)
{
    atx_rng rng = { 5 };
    for (int n = 0; n < 200; n++) {
        int64_t extents[ATX_MAX_RANK];
        int permutation[ATX_MAX_RANK];
        atx_layout_pair layout;
        atx_problem p;
        at_error err = { 0 };
        int rank = random_layout(&layout, extents, permutation, &rng);
        for (int i = 0; i < rank; i++)
            layout.in[i] *= 1 + n % 3;
        cr_assert_eq(atx_layout_problem(&p, op, ATX_U8, &layout, &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_problem_set_aligns(&p, (int64_t[]){ 1 }, 1, &err), AT_OK);
        cr_assert_gt(configurations(&p, ""), 0);
    }
}

/* Widths of accesses follow from the layout: what is good for one is valid for others, aligned or not. */
Test(layout, where_nothing_was_measured_a_tile_stands_in_for_any_type_and_alignment)
{
    static const atx_dtype TYPES[] = { ATX_U8, ATX_BF16, ATX_F32, ATX_F64 };
    static const int64_t EXTENTS[][4] = { { 96, 75, 75, 96 }, { 97, 75, 75, 99 } };
    for (size_t i = 0; i < 2 * sizeof TYPES / sizeof *TYPES; i++) {
        atx_layout_pair layout;
        atx_problem p;
        atx_limits limits;
        atx_config config;
        at_error err = { 0 };
        const atx_template *t = NULL;
        int64_t slots[ATX_MAX_SLOTS] = { 0 };
        cr_assert_eq(atx_layout_permuted(&layout, 4, EXTENTS[i % 2], (int[]){ 3, 2, 1, 0 }, NULL, &err),
                     AT_OK);
        cr_assert_eq(atx_layout_problem(&p, op, TYPES[i / 2], &layout, &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_arch_parse(&limits, "sm_90", &err), AT_OK);
        cr_assert_eq(atx_problem_bind(slots, &p, &limits, &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_fallback(&t, &config, catalog, op, slots, NULL, &err), AT_OK, "%s", err.text);
        cr_expect_str_eq(t->name, "tile", "%s, %s", atx_dtype_name(TYPES[i / 2]), t->name);
    }
}
