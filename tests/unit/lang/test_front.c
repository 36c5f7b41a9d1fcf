/* test_front.c - several figures at once: their names, and which measurements no other one beats. */
#include "lang/front.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

TestSuite(front);

static void expect_refused(const char *text, const char *says)
{
    at_error err = { 0 };
    atx_front f;
    cr_assert_eq(atx_front_parse(&f, text, NULL, &err), AT_ERR_USAGE, "%s", text);
    cr_assert(strstr(err.text, says), "%s: %s", text, err.text);
}

static atx_front front_of(const char *text)
{
    at_error err = { 0 };
    atx_front f;
    cr_assert_eq(atx_front_parse(&f, text, NULL, &err), AT_OK, "%s", err.text);
    return f;
}

Test(front, names_two_figures_or_more)
{
    const atx_front f = front_of("time,registers,energy_j");
    cr_assert_eq(f.count, 3);
    cr_assert(atx_front_reads(&f, ATX_FIGURE_JOULES) && !atx_front_reads(&f, ATX_FIGURE_SHARED_BYTES));
    expect_refused("time", "expected at least two");
    expect_refused("time,time", "time is there twice");
    expect_refused("time,", "found ''");
    expect_refused("time,regs", "found 'regs'; expected some of time, energy_j, registers");
    expect_refused("time,energy_j,registers,shared_bytes,spill_bytes", "more than 4");
}

Test(front, keeps_what_no_other_one_beats_and_the_first_of_equals)
{
    const double values[] = { 1, 9, 2, 5, 2, 5, 3, 5, 4, 1, 1, 10 };
    const bool expected[] = { true, true, false, false, true, false };
    bool on[6];
    atx_front_choose(on, values, 6, 2);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(on[i], expected[i], "%d", i);
}

Test(front, is_not_known_of_what_was_not_measured)
{
    const atx_front f = front_of("time,energy_j,registers");
    const atx_timing timing = { .median_s = 2e-6, .joules = 0.5 }, no_energy = { .median_s = 2e-6 };
    const atx_resources takes = { .registers = 0 }, unknown = ATX_RESOURCES_UNKNOWN;
    double values[ATX_MAX_FRONT];
    cr_assert(atx_front_values(values, &f, NULL, &(atx_record){ &timing, &takes, "" }));
    cr_assert(values[0] == 2e-6 && values[1] == 0.5 && values[2] == 0);
    cr_assert_not(atx_front_values(values, &f, NULL, &(atx_record){ &no_energy, &takes, "" }));
    cr_assert_not(atx_front_values(values, &f, NULL, &(atx_record){ &timing, &unknown, "" }));
}

/* So that a search which goes by it moves along the front. */
Test(front, score_is_smaller_for_less_of_either_and_the_weight_says_of_which)
{
    const atx_front f = front_of("time,registers");
    const atx_timing fast = { .median_s = 1e-6 }, slow = { .median_s = 2e-6 };
    const atx_resources many = { .registers = 64 }, few = { .registers = 16 }, none = { .registers = 0 };
    const double of_fast = atx_front_score(&f, 1, 0.5, NULL, &(atx_record){ &fast, &many, "" });
    const double of_slow = atx_front_score(&f, 1, 0.5, NULL, &(atx_record){ &slow, &few, "" });
    cr_assert(of_slow < of_fast, "four times fewer registers are worth twice the time");
    cr_assert_gt(atx_front_score(&f, 1, 0.1, NULL, &(atx_record){ &slow, &few, "" }),
                 atx_front_score(&f, 1, 0.1, NULL, &(atx_record){ &fast, &many, "" }));
    const double of_none = atx_front_score(&f, 1, 0.5, NULL, &(atx_record){ &slow, &none, "" });
    cr_assert(of_none > 0 && of_none < of_slow);
    const atx_resources unknown = ATX_RESOURCES_UNKNOWN;
    cr_assert(isinf(atx_front_score(&f, 1, 0.5, NULL, &(atx_record){ &fast, &unknown, "" })));
}
