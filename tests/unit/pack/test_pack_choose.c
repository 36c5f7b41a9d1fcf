/* test_pack_choose.c - the choice of kernels, and the bound of how good one can be, against all choices. */
#include "pack/pack_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { CANDIDATES = 11, PROBLEMS = 14, CASES = 60 };

/* Losses as packs have them: a kernel is good for some problems, bad for others, invalid for some. */
static atx_pack_candidates draw(atx_rng *rng, float *losses)
{
    for (int i = 0; i < CANDIDATES * PROBLEMS; i++) {
        const float loss = (float)atx_rng_below(rng, 1000) / 1000;
        losses[i] = atx_rng_below(rng, 3) == 0 ? ATX_PACK_INVALID : loss * loss;
    }
    return (atx_pack_candidates){ .losses = losses, .count = CANDIDATES, .problems = PROBLEMS };
}

/* The least mean of all choices of so many kernels. */
static double best_of_all(const atx_pack_candidates *c, int count)
{
    double best = 2.0 * (double)ATX_PACK_INVALID;
    for (unsigned set = 0; set < 1u << CANDIDATES; set++) {
        int chosen[CANDIDATES], n = 0;
        for (int k = 0; k < CANDIDATES; k++)
            if (set >> k & 1)
                chosen[n++] = k;
        const double mean = n == count ? atx_pack_mean_of(c, chosen, n) : best;
        best = mean < best ? mean : best;
    }
    return best;
}

Test(pack_choose, small_choices_are_the_best_there_are)
{
    atx_rng rng = { 5 };
    float losses[CANDIDATES * PROBLEMS];
    for (int n = 0; n < CASES; n++)
        for (int most = 1; most <= 5; most++) {
            int chosen[CANDIDATES];
            const atx_pack_candidates c = draw(&rng, losses);
            const int count = atx_pack_choose(chosen, NULL, most, 0, &c);
            cr_assert_eq(count, most);
            cr_assert_float_eq(atx_pack_mean_of(&c, chosen, count), best_of_all(&c, most), 1e-9,
                               "case %d of %d", n, most);
        }
}

Test(pack_choose, no_choice_is_below_the_bound_and_the_bound_is_near)
{
    atx_rng rng = { 6 };
    float losses[CANDIDATES * PROBLEMS];
    double bounds = 0, bests = 0;
    for (int n = 0; n < CASES; n++)
        for (int most = 1; most <= 5; most++) {
            const atx_pack_candidates c = draw(&rng, losses);
            const double best = best_of_all(&c, most), bound = atx_pack_bound(&c, most, best);
            cr_assert_leq(bound, best + 1e-9);
            bounds += bound;
            bests += best;
        }
    cr_assert_geq(bounds, 0.97 * bests, "bounds are %g of %g", bounds, bests);
}

/* A choice that is not the best has a bound below it all the same. */
Test(pack_choose, the_bound_does_not_depend_on_the_choice_that_is_known)
{
    atx_rng rng = { 7 };
    float losses[CANDIDATES * PROBLEMS];
    const atx_pack_candidates c = draw(&rng, losses);
    const double best = best_of_all(&c, 3);
    cr_assert_leq(atx_pack_bound(&c, 3, 2 * best), best + 1e-9);
}

Test(pack_choose, a_choice_that_is_good_enough_ends)
{
    /* Two kernels, each the best of one problem; one of them is enough for 0.2. */
    float losses[] = { 0, 0.4F, 0.4F, 0 };
    const atx_pack_candidates c = { .losses = losses, .count = 2, .problems = 2 };
    int chosen[2];
    cr_assert_eq(atx_pack_choose(chosen, NULL, 2, 0.25, &c), 1);
    cr_assert_eq(atx_pack_choose(chosen, NULL, 2, 0.1, &c), 2);
    cr_assert_float_eq(atx_pack_bound(&c, 1, 0.2), 0.2, 1e-3);
}

Test(pack_choose, a_kernel_that_is_valid_for_no_problem_is_not_chosen)
{
    float losses[] = { ATX_PACK_INVALID, 0.1F, ATX_PACK_INVALID, 0.2F };
    const atx_pack_candidates one = { .losses = losses, .count = 2, .problems = 2 };
    int chosen[2];
    cr_assert_eq(atx_pack_choose(chosen, NULL, 2, 0, &one), 1);
    cr_assert_eq(chosen[0], 1);
    losses[1] = losses[3] = ATX_PACK_INVALID;
    cr_assert_eq(atx_pack_choose(chosen, NULL, 2, 0, &one), 0, "all were wrong");
}

/* All have one configuration, and other constants; the last one's template stands in for others. */
Test(pack_choose, as_many_kernels_are_measured_as_there_may_be_and_those_that_stand_in_for_others)
{
    static atx_template plain, standing_in = { .replace_count = 1 };
    atx_rng rng = { 8 };
    float losses[CANDIDATES * PROBLEMS], worst[PROBLEMS];
    atx_pack_kernel kernels[CANDIDATES];
    atx_pack_candidates c = draw(&rng, losses);
    c.kernels = kernels;
    for (int k = 0; k < CANDIDATES; k++)
        kernels[k] = (atx_pack_kernel){ .t = k < CANDIDATES - 1 ? &plain : &standing_in, .consts = { k } };
    for (int p = 0; p < PROBLEMS; p++)
        worst[p] = losses[p * CANDIDATES + CANDIDATES - 1] = 50;
    cr_assert(atx_pack_candidates_cut(&c, 3, 2));
    cr_assert_eq(c.count, 4, "%d", c.count);
    cr_assert_eq(kernels[3].consts[0], CANDIDATES - 1);
    for (int p = 0; p < PROBLEMS; p++)
        cr_assert_eq(losses[p * 4 + 3], worst[p]);
}

/* Each of three kernels is the best of its own problem; two of them differ in their launch alone. */
Test(pack_choose, kernels_that_differ_in_their_launch_count_as_one)
{
    static const atx_template t = { .scope = { .params = { { .general = true }, { .general = false } },
                                               .param_count = 2 } };
    float losses[] = { 0, 0.4F, 0.4F, 0.4F, 0, 0.4F, 0.4F, 0.4F, 0 };
    atx_pack_kernel kernels[] = { { .t = &t, .config.values = { 128, 1 } },
                                  { .t = &t, .config.values = { 128, 2 } },
                                  { .t = &t, .config.values = { 256, 1 } } };
    const atx_pack_candidates c = { .kernels = kernels, .losses = losses, .count = 3, .problems = 3 };
    atx_pack_sets sets;
    atx_pack *pack = calloc(1, sizeof *pack);
    cr_assert(atx_pack_same_code(&kernels[0], &kernels[2]) && !atx_pack_same_code(&kernels[0], &kernels[1]));
    cr_assert_eq(atx_pack_choose_codes(&sets, pack, 2, 0, &c), 2);
    cr_assert_eq(sets.count[0], 2, "%d kernels of one code", sets.count[0]);
    cr_assert(sets.at[0][0] != 1 && sets.at[0][1] != 1);
    cr_assert_eq(sets.count[1], 3, "%d kernels of two codes", sets.count[1]);
    cr_assert_float_eq(pack->mean, 0, 1e-9);
    free(pack);
}

/* A kernel for all problems, somewhat slower than two that are for half of them each: a pack of one kernel
 * has it, and one of two has not. */
Test(pack_choose, a_kernel_that_a_small_pack_needs_is_measured)
{
    static atx_template t;
    float losses[] = { 0.01F, 0, ATX_PACK_INVALID, 0.01F, ATX_PACK_INVALID, 0 };
    atx_pack_kernel kernels[] = { { .t = &t, .config.values = { 0 } },
                                  { .t = &t, .config.values = { 1 } },
                                  { .t = &t, .config.values = { 2 } } };
    atx_pack_candidates c = { .kernels = kernels, .losses = losses, .count = 3, .problems = 2 };
    cr_assert(atx_pack_candidates_cut(&c, 2, 1));
    cr_assert_eq(kernels[0].config.values[0], 0);
}
