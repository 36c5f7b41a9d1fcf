/* test_pack_correct.c - what measurements say of losses that were not measured. */
#include "lang/catalog.h"
#include "lang/layout.h"
#include "pack/pack_internal.h"

#include <criterion/criterion.h>

enum { PROBLEMS = 4, KERNELS = 3 }; /* the first two kernels are of one template */

static atx_catalog *catalog;
static atx_pack_sample samples[PROBLEMS];
static atx_pack_kernel kernels[KERNELS];
static atx_pack_corrections *corrections;

static atx_pack_sample sample_of(int64_t rows, int64_t cols)
{
    atx_pack_sample sample;
    const int64_t sizes[] = { 1, rows, cols };
    const atx_limits limits = { .cc = 90,
                                .sms = 132,
                                .l2_bytes = 60 << 20,
                                .max_threads_per_block = 1024,
                                .max_shared_bytes = 227 << 10,
                                .max_grid_x = INT32_MAX,
                                .memory_bytes = (int64_t)80 << 30 };
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    cr_assert_eq(atx_problem_init(&sample.problem, op, ATX_F32, sizes, 3, NULL), AT_OK);
    cr_assert_eq(atx_problem_bind(sample.slots, &sample.problem, &limits, NULL), AT_OK);
    return sample;
}

/* Two small matrices, and two large ones; all are expected to lose nothing. Kernel 0 was measured on all of
 * them, kernel 1 on the small ones, kernel 2 nowhere. */
static void begin(float small, float large)
{
    static const int64_t SIZES[PROBLEMS][2] = { { 60, 61 }, { 75, 79 }, { 4095, 4097 }, { 5001, 4001 } };
    const float expected[PROBLEMS * KERNELS] = { 0 };
    float losses[PROBLEMS * KERNELS] = { small, small, 0, small, small, 0, large, 0, 0, large, 0, 0 };
    bool measured[PROBLEMS] = { true, true, true, true };
    bool wanted[PROBLEMS * KERNELS] = { 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    for (int k = 0; k < KERNELS; k++)
        kernels[k].t = atx_catalog_find_template(catalog, op, k < 2 ? "naive" : "tile_vec");
    for (int p = 0; p < PROBLEMS; p++)
        samples[p] = sample_of(SIZES[p][0], SIZES[p][1]);
    const atx_pack_table table = { .kernels = kernels,
                                   .samples = samples,
                                   .losses = losses,
                                   .measured = measured,
                                   .count = KERNELS,
                                   .problems = PROBLEMS,
                                   .wanted = wanted };
    cr_assert_eq(atx_pack_corrections_make(&corrections, &table, expected, &err), AT_OK, "%s", err.text);
}

static void end(void)
{
    atx_pack_corrections_close(corrections);
    atx_catalog_close(catalog);
}

static float correct(int kernel, int64_t rows, int64_t cols, float expected)
{
    const atx_pack_sample sample = sample_of(rows, cols);
    float row[KERNELS] = { expected, expected, expected };
    cr_assert(atx_pack_correct(row, corrections, &sample));
    return row[kernel];
}

Test(pack_correct, a_kernel_loses_near_to_a_measured_problem_what_it_lost_there)
{
    begin(1.0F, 0.0F);
    const float near = correct(0, 65, 67, 0), far = correct(0, 4501, 4303, 0);
    cr_assert(near > 0.7F && near <= 1.01F, "%g", (double)near);
    cr_assert(far < 0.2F, "%g", (double)far);
    end();
}

Test(pack_correct, a_kernel_that_was_not_measured_there_loses_what_others_of_its_template_did)
{
    begin(0.0F, 1.0F);
    const float same_template = correct(1, 4501, 4303, 0), other = correct(2, 4501, 4303, 0);
    cr_assert(same_template > 0.3F, "%g", (double)same_template);
    cr_assert_float_eq(other, 0.0F, 1e-6F, "nothing is known of it: %g", (double)other);
    end();
}

Test(pack_correct, what_is_expected_is_multiplied_and_what_is_invalid_stays_so)
{
    begin(1.0F, 1.0F);
    cr_assert(correct(0, 65, 67, 0.5F) > 1.7F);
    cr_assert_eq(correct(0, 65, 67, ATX_PACK_INVALID), ATX_PACK_INVALID);
    end();
}

/* `odd` prefers odd rows: others meet bank conflicts. Measured on two problems each; nothing was near to the
 * one asked for. */
Test(pack_correct, where_a_template_prefers_no_kernel_they_lose_what_they_did_in_such_places)
{
    static const int64_t SIZES[PROBLEMS][2] = { { 161, 181 }, { 175, 179 }, { 160, 192 }, { 176, 160 } };
    const float expected[PROBLEMS] = { 0 };
    float losses[PROBLEMS] = { 0, 0, 3.0F, 3.0F };
    bool measured[PROBLEMS] = { true, true, true, true };
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    atx_pack_kernel *k = &kernels[0];
    k->t = atx_catalog_find_template(catalog, atx_catalog_find_op(catalog, "transpose"), "odd");
    cr_assert_eq(atx_config_parse(&k->config, k->t,
                                  "WIDTH=64 RUN=128 THREADS=256 COPY=async ALIGN=4 AHEAD=2 ORDER=in_fast",
                                  &err),
                 AT_OK, "%s", err.text);
    for (int p = 0; p < PROBLEMS; p++)
        samples[p] = sample_of(SIZES[p][0], SIZES[p][1]);
    const atx_pack_table table = { .kernels = kernels,
                                   .samples = samples,
                                   .losses = losses,
                                   .measured = measured,
                                   .count = 1,
                                   .problems = PROBLEMS };
    cr_assert_eq(atx_pack_corrections_make(&corrections, &table, expected, &err), AT_OK, "%s", err.text);
    float odd = 0, even = 0;
    const atx_pack_sample odd_rows = sample_of(20, 10001), even_rows = sample_of(20, 10000);
    cr_assert(atx_pack_correct(&odd, corrections, &odd_rows));
    cr_assert(atx_pack_correct(&even, corrections, &even_rows));
    cr_assert_lt(odd, 0.1F, "%g", (double)odd);
    cr_assert_gt(even, 2.0F, "%g", (double)even);
    end();
}

/* The output is 32x48x64 of both, and the input's fastest dimension the slowest of it or the fastest. */
static atx_pack_sample permutation_of(const int64_t *extents, const int *order)
{
    atx_pack_sample sample = { .slots = { 0 } };
    atx_layout_pair layout;
    const atx_limits limits = { .cc = 90, .sms = 132, .l2_bytes = 60 << 20 };
    const atx_op *op = atx_catalog_find_op(catalog, "permute");
    cr_assert_eq(atx_layout_permuted(&layout, 3, extents, order, NULL, NULL), AT_OK);
    cr_assert_eq(atx_layout_problem(&sample.problem, op, ATX_F32, &layout, NULL), AT_OK);
    cr_assert_eq(atx_problem_bind(sample.slots, &sample.problem, &limits, NULL), AT_OK);
    return sample;
}

Test(pack_correct, permutations_of_the_same_sizes_in_another_order_are_not_near)
{
    const float expected[2] = { 0 };
    float losses[2] = { 3.0F, 0 }, of_turned = 0, of_rows = 0;
    bool measured[2] = { true, true };
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    samples[0] = permutation_of((int64_t[]){ 64, 48, 32 }, (int[]){ 2, 1, 0 });
    samples[1] = permutation_of((int64_t[]){ 48, 32, 64 }, (int[]){ 1, 0, 2 });
    cr_assert_arr_eq(samples[0].problem.dims, samples[1].problem.dims, 8 * sizeof(int64_t));
    kernels[0] = (atx_pack_kernel){ .t = atx_catalog_find_template(
                                        catalog, atx_catalog_find_op(catalog, "permute"), "gather") };
    const atx_pack_table table = { .kernels = kernels,
                                   .samples = samples,
                                   .losses = losses,
                                   .measured = measured,
                                   .count = 1,
                                   .problems = 2 };
    cr_assert_eq(atx_pack_corrections_make(&corrections, &table, expected, &err), AT_OK, "%s", err.text);
    cr_assert(atx_pack_correct(&of_turned, corrections, &samples[0]));
    cr_assert(atx_pack_correct(&of_rows, corrections, &samples[1]));
    cr_assert_gt(of_turned, 2.0F, "%g", (double)of_turned);
    cr_assert_lt(of_rows, 0.5F, "%g", (double)of_rows);
    end();
}
