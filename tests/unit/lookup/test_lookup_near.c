/* test_lookup_near.c - what near means: dimensions that an op declares, alignments, leading dimensions. */
#include "lookup_support.h"

TestSuite(lookup_near, .init = begin, .fini = end);

/* An op of three sizes, with these lines, and one template, that fits every problem: a thread for each
 * element, so that none is idle. */
static void declare_cube(const char *near_lines)
{
    at_error err = { 0 };
    atx_str text = { 0 };
    atx_str_addf(&text,
                 "/*!autotune\nop cube\nshape a=1 b c\ntype T = storage\nrecorded\n%s*/\n"
                 "/*!autotune\ntemplate any\nparam P = 1\ngrid a * b * c\n*/\n",
                 near_lines);
    cr_assert_eq(atx_catalog_add(w.catalog, "cube.cu", text.data, text.len, &err), AT_OK, "%s", err.text);
    atx_str_clear(&text);
}

static void put_cube(const char *shape)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "cube");
    const atx_problem_key key = { "cube", shape, "b4", 1, 8, 0 };
    const atx_fingerprint f = { .device = "NVIDIA H200", .cc = 90, .sms = 132, .cold = true };
    const atx_winner winner = { .template_name = "any",
                                .template_hash = atx_catalog_find_template(w.catalog, op, "any")->text.hash,
                                .config = "P=1",
                                .timing.median_s = 1e-5 };
    cr_assert_eq(atx_store_put_winner(w.store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
}

/* The shape whose winner answers, of these two and those that were put before. */
static const char *nearer_cube(const char *one, const char *other, int64_t a, int64_t b, int64_t c)
{
    const atx_target any = { .name = "" };
    put_cube(one);
    put_cube(other);
    atx_lookup_close(w.lookup); /* it does not see what its own connection writes */
    w.lookup = NULL;
    atx_found f = ask_as("cube", ATX_F32, (int64_t[]){ a, b, c }, 3, &any);
    cr_assert_eq(f.match, ATX_MATCH_NEAR, "%s", f.why);
    return f.answer->shape;
}

/* 4096x1024 turned is the same, but 4 factors of two away as it stands; 2048x2048 is 2. */
Test(lookup_near, an_op_that_declares_nothing_is_not_swapped)
{
    declare_cube("");
    cr_assert_str_eq(nearer_cube("4096x1024", "2048x2048", 1, 1024, 4096), "2048x2048");
}

Test(lookup_near, an_op_is_swapped_where_it_says_so_at_its_cost)
{
    declare_cube("near turned b c cost 1\n");
    cr_assert_str_eq(nearer_cube("4096x1024", "2048x2048", 1, 1024, 4096), "4096x1024");
}

Test(lookup_near, an_op_is_not_swapped_where_that_costs_more)
{
    declare_cube("near turned b c cost 3\n");
    cr_assert_str_eq(nearer_cube("4096x1024", "2048x2048", 1, 1024, 4096), "2048x2048");
}

/* Each line is one way more to compare; ways do not combine. */
Test(lookup_near, of_several_ways_to_turn_the_nearest_counts)
{
    declare_cube("near turned a b cost 1\nnear turned b c cost 1\n");
    cr_assert_str_eq(nearer_cube("512x4096x64", "128x512x512", 4096, 512, 64), "512x4096x64", "a and b");
    cr_assert_str_eq(nearer_cube("512x4096x64", "128x512x512", 512, 64, 4096), "512x4096x64", "b and c");
    cr_assert_str_eq(nearer_cube("512x4096x64", "128x512x512", 64, 512, 4096), "128x512x512", "a and c");
}

/* 40 is nearer to 20, by one factor of two against 1.7. */
Test(lookup_near, a_size_is_narrow_only_where_the_op_says_so)
{
    declare_cube("near narrow b <= 32 cost 5\n");
    cr_assert_str_eq(nearer_cube("20x4096", "128x4096", 1, 40, 4096), "128x4096");
    cr_assert_str_eq(nearer_cube("8192x20", "8192x128", 1, 8192, 40), "8192x20", "c is not named");
}

/* Rows of 1025 elements begin anywhere, as those of 4097 do. */
Test(lookup_near, the_alignment_of_rows_counts_only_where_the_op_says_so)
{
    declare_cube("near aligned c cost 8\n");
    cr_assert_str_eq(nearer_cube("512x1024", "512x4097", 1, 512, 1025), "512x4097");
    cr_assert_str_eq(nearer_cube("1024x64", "4097x64", 1, 1025, 64), "1024x64", "b is not named");
}

Test(lookup_near, sizes_of_an_op_that_declares_nothing_count_alone)
{
    declare_cube("");
    cr_assert_str_eq(nearer_cube("20x4096", "128x4096", 1, 40, 4096), "20x4096");
    cr_assert_str_eq(nearer_cube("512x1024", "512x4097", 1, 512, 1025), "512x1024");
}

/*
 * Less than 16 MiB of traffic cannot fill the device, less than 512 KiB is a matter of latency: what is on
 * this side of such a limit is nearer, though its sizes differ by twice as much. The limit itself is on the
 * upper side.
 */
Test(lookup_near, a_problem_at_a_limit_of_traffic_is_above_it)
{
    declare_cube("traffic 2 * a * b * c * sizeof(T)\n");
    cr_assert_str_eq(nearer_cube("1024x1024", "1024x8192", 1, 1024, 2048), "1024x8192", "16 MiB");
    cr_assert_str_eq(nearer_cube("1024x1024", "1024x8192", 1, 1024, 2047), "1024x1024");
    cr_assert_str_eq(nearer_cube("256x128", "256x1024", 1, 256, 256), "256x1024", "512 KiB");
    cr_assert_str_eq(nearer_cube("256x128", "256x1024", 1, 256, 255), "256x128");
}

Test(lookup_near, a_winner_at_a_limit_of_traffic_is_above_it)
{
    declare_cube("traffic 2 * a * b * c * sizeof(T)\n");
    cr_assert_str_eq(nearer_cube("1024x2048", "1024x16384", 1, 1024, 4096), "1024x2048", "16 MiB");
}

static atx_found ask_aligned(int64_t rows, int64_t cols, int64_t in, int64_t out)
{
    const atx_target any = { .name = "" };
    atx_problem problem;
    atx_found f = { 0 };
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ rows, cols }, 2, &err), AT_OK);
    cr_assert_eq(atx_problem_set_aligns(&problem, (int64_t[]){ in, out }, 2, &err), AT_OK, "%s", err.text);
    if (!w.lookup)
        cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_lookup_find(&f, w.lookup, &problem, &any, &err), AT_OK, "%s", err.text);
    return f;
}

Test(lookup_near, alignment_is_part_of_the_problem)
{
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put("4096x4096@4", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("4096x4096@16x4", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask_aligned(4096, 4096, 256, 256).answer->shape, "4096x4096");
    cr_assert_eq(ask_aligned(4096, 4096, 4, 4).match, ATX_MATCH_EXACT);
    cr_assert_str_eq(ask_aligned(4096, 4096, 4, 4).answer->shape, "4096x4096@4");
    cr_assert_eq(ask_aligned(4096, 4096, 16, 4).match, ATX_MATCH_EXACT);
    cr_assert_str_eq(ask_aligned(4096, 4096, 16, 4).answer->shape, "4096x4096@16x4");
    cr_assert_eq(ask_aligned(4096, 4096, 4, 16).match, ATX_MATCH_NEAR);
}

Test(lookup_near, a_near_answer_takes_the_alignment_that_is_there)
{
    put("4096x4096", "reg_vec", REG_VEC, "NVIDIA H200");
    put("1024x1024", "tile_rows", TILE_ROWS, "NVIDIA H200");
    atx_found f = ask_aligned(4096, 4096, 16, 16);
    cr_assert_str_eq(f.t->name, "reg_vec", "accesses of 16 bytes");
    f = ask_aligned(4096, 4096, 16, 4);
    cr_assert_eq(f.match, ATX_MATCH_NEAR);
    cr_assert_str_eq(f.t->name, "tile_rows", "one by one");
}

Test(lookup_near, a_near_answer_has_the_same_alignment_if_there_is_one)
{
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("2048x2048@4", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("4095x4095", "tile_rows", TILE_ROWS, "NVIDIA H200");
    cr_assert_str_eq(ask_aligned(4096, 4096, 4, 4).answer->shape, "4095x4095", "no row begins aligned there");
    cr_assert_str_eq(ask_aligned(2048, 4096, 4, 4).answer->shape, "2048x2048@4");
    cr_assert_str_eq(ask_aligned(4096, 4096, 64, 256).answer->shape, "4096x4096",
                     "wide accesses all the same");
}

Test(lookup_near, a_shape_with_leading_dimensions_is_found_again_and_aligned_rows_go_before)
{
    const atx_target any = { .name = "" };
    atx_problem problem;
    at_error err = { 0 };
    put("4096x4096/4160x4352", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("4096x4095", "reg_vec", REG_VEC, "NVIDIA H200");
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 4096, 4096 }, 2, &err), AT_OK);
    cr_assert_eq(atx_problem_set_pitches(&problem, (int64_t[]){ 4160, 4352 }, 2, &err), AT_OK);
    atx_found f = ask(4096, 4096, "");
    cr_assert_eq(f.match, ATX_MATCH_NEAR);
    cr_assert_str_eq(f.answer->shape, "4096x4096/4160x4352");
    cr_assert_eq(atx_lookup_find(&f, w.lookup, &problem, &any, &err), AT_OK, "%s", err.text);
    cr_assert_eq(f.match, ATX_MATCH_EXACT);
}
