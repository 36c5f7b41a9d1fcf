/* test_explain.c - what counts mean in words, and whether an output is right, both without a kernel. */
#include <criterion/criterion.h>

#include "declare/data.h"
#include "explain/advice.h"
#include "explain/validate.h"

#include <math.h>
#include <string.h>

/* ---- advice ---- */

static const atx_device_rates H200 = {
    .name = "NVIDIA H200", .cc = 90, .sms = 132, .clock_hz = 1.98e9, .dram_bytes_per_s = 4.8e12
};

/* A million requests of one kind at one line. */
static atx_figures figures(atx_tally_line *line, atx_traffic_kind kind, int64_t cost, int64_t least)
{
    *line = (atx_tally_line){ .file = "templates/transpose/tile.cu", .line = 52 };
    line->traffic[kind] = (atx_traffic){ .requests = 1000000,
                                         .cost = 1000000 * cost,
                                         .least = 1000000 * least,
                                         .lanes = 32000000,
                                         .bytes = 128000000 };
    atx_figures f = { .lines = line, .line_count = 1, .all = *line, .sample = { 100000, 100000 } };
    f.all.warp_instructions = 1000000;
    f.all.lane_instructions = 32000000;
    f.occupancy = (atx_occupancy){ .blocks = 8, .warps = 64, .max_warps = 64, .limit = "threads" };
    return f;
}

Test(explain_advice, scattered_stores_are_told_with_their_line_and_how_much_is_wasted)
{
    atx_tally_line line;
    atx_advice advice[ATX_MOST_ADVICE];
    const atx_figures f = figures(&line, ATX_GLOBAL_STORE, 32, 4);
    cr_assert_eq(atx_advise(advice, &f, &H200), 1);
    cr_expect_str_eq(advice[0].text, "global stores: 32 sectors a request where 4 would do: 8.0 times the "
                                     "traffic (tile.cu:52)");
}

Test(explain_advice, bank_conflicts_are_told_by_their_ways)
{
    atx_tally_line line;
    atx_advice advice[ATX_MOST_ADVICE];
    const atx_figures f = figures(&line, ATX_SHARED_LOAD, 32, 1);
    cr_assert_eq(atx_advise(advice, &f, &H200), 1);
    cr_expect_str_eq(advice[0].text, "shared loads: 32-way bank conflicts: 32 wavefronts a request where 1 "
                                     "would do (tile.cu:52)");
}

Test(explain_advice, nothing_is_told_of_accesses_that_waste_nothing)
{
    atx_tally_line line;
    atx_advice advice[ATX_MOST_ADVICE];
    const atx_figures f = figures(&line, ATX_GLOBAL_LOAD, 4, 4);
    cr_expect_eq(atx_advise(advice, &f, &H200), 0);
}

Test(explain_advice, low_occupancy_is_told_with_what_bounds_it)
{
    atx_tally_line line;
    atx_advice advice[ATX_MOST_ADVICE];
    atx_figures f = figures(&line, ATX_GLOBAL_LOAD, 4, 4);
    f.occupancy = (atx_occupancy){ .blocks = 2, .warps = 16, .max_warps = 64, .limit = "shared memory" };
    cr_assert_eq(atx_advise(advice, &f, &H200), 1);
    cr_expect_str_eq(advice[0].text, "25 % occupancy, bounded by shared memory: 2 blocks of 8 warps on a "
                                     "multiprocessor");
}

Test(explain_advice, too_few_blocks_leave_multiprocessors_idle)
{
    atx_tally_line line;
    atx_advice advice[ATX_MOST_ADVICE];
    atx_figures f = figures(&line, ATX_GLOBAL_LOAD, 4, 4);
    f.sample = (atx_sample){ 64, 64 };
    cr_assert_eq(atx_advise(advice, &f, &H200), 1);
    cr_expect_str_eq(advice[0].text, "64 blocks for 132 multiprocessors: 68 of them idle");
}

Test(explain_advice, what_costs_most_comes_first)
{
    atx_tally_line lines[2];
    atx_advice advice[ATX_MOST_ADVICE];
    atx_figures f = figures(&lines[1], ATX_SHARED_LOAD, 32, 1);
    (void)figures(&lines[0], ATX_GLOBAL_STORE, 5, 4);
    f.lines = lines;
    f.line_count = 2;
    cr_assert_eq(atx_advise(advice, &f, &H200), 2);
    cr_expect_str_eq(advice[0].kind, "conflicts");
    cr_expect_str_eq(advice[1].kind, "sectors");
}

Test(explain_advice, least_times_follow_from_counts_and_rates)
{
    atx_tally_line line;
    const atx_figures f = figures(&line, ATX_GLOBAL_STORE, 32, 4);
    const atx_least_times t = atx_least_times_of(&f, 134217728, &H200);
    cr_expect_float_eq(t.dram_s, 134217728 / 4.8e12, 1e-12);
    cr_expect_float_eq(t.l2_s, 32e6 * 32 / 64 / 132 / 1.98e9, 1e-12);
    cr_expect_float_eq(t.shared_s, 0, 1e-15);
    cr_expect_float_eq(atx_least_times_of(&f, 134217728, &(atx_device_rates){ .sms = 132 }).l2_s, 0, 1e-15,
                       "without a clock no time is known");
}

/* ---- results ---- */

enum { COUNT = 4 };

static atx_buffer floats(int rule, double relative, double absolute)
{
    return (atx_buffer){ .role = ATX_OUTPUT,
                         .bytes = COUNT * 4,
                         .name = "out",
                         .element_bytes = 4,
                         .number = ATX_FLOAT * 16 + 4,
                         .check = { .rule = rule, .relative = relative, .absolute = absolute } };
}

static bool validate_bytes(char text[240], atx_buffer b, const void *got, const void *right)
{
    const uint64_t said[2] = { 0, UINT64_MAX };
    atx_flaw f = { .line = 0 };
    const bool right_one = atx_validate(&f, &b, got, right, said);
    snprintf(text, 240, "%.239s", f.what);
    return right_one;
}

static bool validate(char text[240], atx_buffer b, const float got[COUNT], const float right[COUNT])
{
    return validate_bytes(text, b, got, right);
}

Test(explain_validate, an_exact_output_is_wrong_by_one_bit)
{
    char text[240] = "";
    const float right[COUNT] = { 1, 2, 3, 4 }, got[COUNT] = { 1, 2, 3.0000002F, 4 };
    cr_expect(validate(text, floats(ATX_EXACT, 0, 0), right, right));
    cr_expect_not(validate(text, floats(ATX_EXACT, 0, 0), got, right));
    cr_expect_str_eq(text,
                     "wrong output 'out': 1 of 4 numbers differ from the reference, the first in element "
                     "2: found 3.00000024, expected 3");
}

Test(explain_validate, a_tolerance_names_the_worst_element)
{
    char text[240] = "";
    const float right[COUNT] = { 1, 2, 3, 4 }, got[COUNT] = { 1.00001F, 2.1F, 3, 4.5F };
    cr_expect(validate(text, floats(ATX_WITHIN, 0.2, 0), got, right));
    cr_expect_not(validate(text, floats(ATX_WITHIN, 0.01, 0), got, right));
    cr_expect(strstr(text, "2 of 4 numbers are not within 0.01 relative; the worst is element 3"), "%s",
              text);
}

/* At zero only the absolute part allows something. */
Test(explain_validate, each_part_of_a_tolerance_allows_what_it_says_and_no_more)
{
    char text[240] = "";
    const float right[COUNT] = { 0, 0, 0, 0 }, near[COUNT] = { 0, 0, 0, 0.5F }, far[COUNT] = { 0, 0, 0, 2 };
    cr_expect(validate(text, floats(ATX_WITHIN, 0.5, 1), near, right));
    cr_expect_not(validate(text, floats(ATX_WITHIN, 0.5, 1), far, right));
    cr_expect_not(validate(text, floats(ATX_WITHIN, 0.5, 0), near, right));
    cr_expect_not(validate(text, floats(ATX_NORM, 0.5, 0), near, right), "of nothing everything is too much");
}

/* Whatever is allowed, and wherever it is. */
Test(explain_validate, one_number_that_is_none_is_wrong_under_every_rule)
{
    static const int RULES[] = { ATX_EXACT, ATX_WITHIN, ATX_ULP, ATX_NORM };
    const float right[COUNT] = { 1, 2, 3, 4 };
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < COUNT; i++)
            for (int infinite = 0; infinite < 2; infinite++) {
                char text[240] = "";
                float got[COUNT] = { 1, 2, 3, 4 };
                got[i] = infinite ? INFINITY : NAN;
                cr_expect_not(validate(text, floats(RULES[r], 1e9, 1e9), got, right), "rule %d, element %d",
                              RULES[r], i);
                cr_expect_not(validate(text, floats(RULES[r], 1e9, 1e9), right, got), "rule %d, element %d",
                              RULES[r], i);
                cr_expect(validate(text, floats(RULES[r], 1e-9, 0), got, got),
                          "rule %d: it is as expected: %s", RULES[r], text);
            }
}

Test(explain_validate, a_norm_is_of_the_whole)
{
    char text[240] = "";
    const float right[COUNT] = { 100, 100, 100, 100 }, got[COUNT] = { 100, 100, 100, 101 };
    cr_expect(validate(text, floats(ATX_NORM, 0.01, 0), got, right));
    cr_expect_not(validate(text, floats(ATX_NORM, 0.001, 0), got, right));
    const float endless[COUNT] = { 100, 100, 100, INFINITY }, off[COUNT] = { 100, 100, 200, INFINITY };
    cr_expect_not(validate(text, floats(ATX_NORM, 0.001, 0), off, endless),
                  "an infinity makes nothing small");
}

/* Whose squares would leave the range of a double. */
Test(explain_validate, a_norm_of_tiny_and_of_huge_numbers_is_right_too)
{
    static const double UNITS[] = { 1e-310, 1e-200, 1e-163, 1, 1e160, 1e300 };
    for (size_t u = 0; u < sizeof UNITS / sizeof *UNITS; u++) {
        char text[240] = "";
        const double unit = UNITS[u];
        const double right[COUNT] = { 3 * unit, unit, 2 * unit, unit };
        const double near[COUNT] = { 3 * unit, 1.01 * unit, 2 * unit, unit };
        const double none[COUNT] = { 0, 0, 0, 0 };
        atx_buffer b = floats(ATX_NORM, 1e-2, 0);
        b.bytes = sizeof right;
        b.element_bytes = 8;
        b.number = ATX_FLOAT * 16 + 8;
        cr_expect(validate_bytes(text, b, near, right), "%g: %s", unit, text);
        cr_expect_not(validate_bytes(text, b, none, right), "%g", unit);
        cr_expect(strstr(text, "off by 1 of its norm"), "%g: %s", unit, text);
        b.check.relative = 1e-3;
        cr_expect_not(validate_bytes(text, b, near, right), "%g", unit);
    }
}

Test(explain_validate, what_a_kernel_of_the_op_counts_is_believed)
{
    atx_flaw f = { .line = 0 };
    atx_buffer b = floats(ATX_BY, 0, 0);
    const unsigned char any[16] = { 0 };
    const uint64_t right[2] = { 0, UINT64_MAX }, wrong[2] = { 3, 7 }, one[2] = { 1, 0 };
    strcpy(b.check.by, "validator");
    cr_expect(atx_validate(&f, &b, any, any, right));
    cr_expect_not(atx_validate(&f, &b, any, any, one));
    cr_expect_not(atx_validate(&f, &b, any, any, wrong));
    cr_expect_str_eq(f.what, "wrong output 'out': by validator 3 elements are wrong, the first is element 7");
}
