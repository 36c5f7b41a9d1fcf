/* test_pack_correct.c - what measurements say of losses that were not measured. */
#include "lang/catalog.h"
#include "pack/pack_parts.h"

#include <criterion/criterion.h>

enum { PROBLEMS = 4, KERNELS = 3 }; /* the first two kernels are of one template */

static atx_catalog *catalog;
static atx_pack_sample samples[PROBLEMS];
static atx_pack_kernel kernels[KERNELS];
static atx_pack_corrections *corrections;

static atx_problem problem_of(int64_t rows, int64_t cols)
{
    atx_problem problem;
    const int64_t sizes[] = { 1, rows, cols };
    cr_assert_eq(
        atx_problem_init(&problem, atx_catalog_find_op(catalog, "transpose"), ATX_F32, sizes, 3, NULL),
        AT_OK);
    return problem;
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
        samples[p].problem = problem_of(SIZES[p][0], SIZES[p][1]);
    const atx_pack_table table = { kernels, samples, losses, measured, KERNELS, PROBLEMS, wanted, false };
    cr_assert_eq(atx_pack_corrections_make(&corrections, &table, expected, &err), AT_OK, "%s", err.text);
}

static void end(void)
{
    atx_pack_corrections_close(corrections);
    atx_catalog_close(catalog);
}

static float correct(int kernel, int64_t rows, int64_t cols, float expected)
{
    const atx_problem problem = problem_of(rows, cols);
    cr_assert(atx_pack_correct(&expected, corrections, &problem, &kernel, 1));
    return expected;
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
