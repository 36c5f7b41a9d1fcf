/* test_pack_bench.c - what is timed on a problem that an earlier run has measured. */
#include "pack/pack_bench.h"
#include "pack/pack_internal.h"

#include <criterion/criterion.h>

enum { KERNELS = 5 };

/* The second and the third are known, the fourth was wrong, and the last one is not wanted. */
static const double KNOWN[KERNELS] = { 0, 3e-6, 2e-6, -1, 0 };
static const bool WANTED[KERNELS] = { true, true, true, true, false };

Test(pack_bench, kernels_that_are_known_are_not_timed_again_but_the_fastest_for_the_scale)
{
    const atx_pack_entries entries = { .wanted = WANTED, .count = KERNELS };
    bool missing[KERNELS];
    cr_assert_eq(atx_pack_missing(missing, KNOWN, &entries), 2);
    const bool expected[KERNELS] = { true, false, true, false, false };
    cr_assert_arr_eq(missing, expected, sizeof expected);
}

Test(pack_bench, beside_a_winner_all_are_timed)
{
    const atx_pack_entries entries = { .wanted = WANTED, .count = KERNELS, .tune = true };
    bool missing[KERNELS];
    cr_assert_eq(atx_pack_missing(missing, KNOWN, &entries), -1);
    cr_assert_arr_eq(missing, WANTED, sizeof WANTED);
}

Test(pack_bench, of_a_new_problem_all_that_are_wanted_are_timed)
{
    const double unknown[KERNELS] = { 0 };
    const atx_pack_entries entries = { .count = KERNELS };
    bool missing[KERNELS];
    cr_assert_eq(atx_pack_missing(missing, unknown, &entries), -1);
    for (int i = 0; i < KERNELS; i++)
        cr_assert(missing[i]);
}

/* The second problem could not be measured; the time was over before the last one. */
Test(pack_bench, when_the_choice_is_made_again_as_many_problems_are_measured_as_before)
{
    bool measured[] = { true, false, true, false };
    cr_assert_eq(atx_pack_forget_measured(measured, 4), 3);
    for (int p = 0; p < 4; p++)
        cr_assert(!measured[p]);
    cr_assert_eq(atx_pack_forget_measured(measured, 4), 0);
}
