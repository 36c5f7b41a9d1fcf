/* test_verdict.c - a verdict as JSON: what a program that acts on it relies on. */
#include "device/verdict.h"

#include <criterion/criterion.h>

static void expect(const atx_verdict *v, atx_outcome outcome, const char *json)
{
    atx_str out = { 0 };
    atx_str_add(&out, "{");
    atx_verdict_member(&out, v, outcome);
    cr_assert_str_eq(atx_str_text(&out), json);
    atx_str_clear(&out);
}

Test(verdict, of_a_right_kernel_it_says_how_often_that_was_seen)
{
    atx_verdict v = ATX_NO_VERDICT;
    v.checked = 7;
    expect(&v, ATX_TIMED,
           "{\"verdict\":{\"outcome\":\"right\",\"launches_checked\":7,\"buffer\":null,\"element\":null,"
           "\"found\":null,\"expected\":null,\"set\":null,\"launch\":null,\"timed\":false,"
           "\"above_ceiling\":false}");
}

Test(verdict, of_a_wrong_one_which_element_of_which_launch)
{
    const atx_verdict v = { .checked = 2,
                            .buffer = "y",
                            .element = 0,
                            .found = "1.5",
                            .expected = "2",
                            .set = 0,
                            .launch = 14,
                            .timed = true };
    expect(&v, ATX_WRONG_RESULT,
           "{\"verdict\":{\"outcome\":\"wrong_result\",\"launches_checked\":2,\"buffer\":\"y\",\"element\":0,"
           "\"found\":\"1.5\",\"expected\":\"2\",\"set\":0,\"launch\":14,\"timed\":true,"
           "\"above_ceiling\":false}");
}

/* A recording's, or of a kernel that faulted: zeros mean nothing. */
Test(verdict, where_nothing_was_checked_nothing_is_called_right)
{
    const atx_verdict v = { .checked = 0 };
    expect(&v, ATX_TIMED,
           "{\"verdict\":{\"outcome\":null,\"launches_checked\":0,\"buffer\":null,\"element\":null,"
           "\"found\":null,\"expected\":null,\"set\":null,\"launch\":null,\"timed\":false,"
           "\"above_ceiling\":false}");
    expect(&v, ATX_CRASHED,
           "{\"verdict\":{\"outcome\":\"crashed\",\"launches_checked\":0,\"buffer\":null,\"element\":null,"
           "\"found\":null,\"expected\":null,\"set\":null,\"launch\":null,\"timed\":false,"
           "\"above_ceiling\":false}");
}
