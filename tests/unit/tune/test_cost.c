/* test_cost.c - which problems are expected to take long: the largest. */
#include "lang/catalog.h"
#include "tune/cost.h"

#include <criterion/criterion.h>

#define COUNT 4

static void expect_order(const char *op_name, const int64_t sizes[COUNT][2], const size_t places[COUNT])
{
    atx_catalog *catalog = NULL;
    atx_problem problems[COUNT];
    atx_cost costs[COUNT];
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(
            atx_problem_init(&problems[i], atx_catalog_find_op(catalog, op_name), ATX_F32, sizes[i], 2, &err),
            AT_OK, "%s", err.text);
    cr_assert_eq(atx_cost_sorted(costs, problems, COUNT, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(costs[i].place, places[i], "number %d is problem %zu, expected %zu", i, costs[i].place,
                     places[i]);
    atx_catalog_close(catalog);
}

Test(cost, the_largest_come_first)
{
    static const int64_t SIZES[COUNT][2] = { { 1024, 1024 }, { 64, 64 }, { 16384, 16384 }, { 256, 256 } };
    expect_order("transpose", SIZES, (size_t[]){ 2, 0, 3, 1 });
}

Test(cost, equals_stay_in_their_order)
{
    static const int64_t SIZES[COUNT][2] = { { 512, 256 }, { 256, 512 }, { 512, 256 }, { 128, 1024 } };
    expect_order("transpose", SIZES, (size_t[]){ 0, 1, 2, 3 });
}
