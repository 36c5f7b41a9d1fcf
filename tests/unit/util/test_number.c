/* test_number.c - which digits are a number, and which could be meant in two ways. */
#include "util/number.h"

#include <criterion/criterion.h>
#include <string.h>

Test(number, is_digits_that_underscores_may_group)
{
    static const struct {
        const char *text;
        int64_t number;
    } CASES[] = { { "0", 0 }, { "7", 7 }, { "16_384", 16384 }, { "9223372036854775807", INT64_MAX } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t number = -1;
        cr_expect_null(atx_whole_parse(&number, CASES[i].text), "%s", CASES[i].text);
        cr_expect_eq(number, CASES[i].number, "%s", CASES[i].text);
    }
}

Test(number, says_what_was_expected_instead)
{
    static const struct {
        const char *text, *expected;
    } CASES[] = { { "", "a number" },
                  { "x", "a number" },
                  { "-1", "a number" },
                  { "+1", "a number" },
                  { " 1", "a number" },
                  { "_1", "a number" },
                  { "1_", "digits" },
                  { "1__0", "digits" },
                  { "1x", "digits" },
                  { "00", "a number without leading zeros" },
                  { "010", "a number without leading zeros" },
                  { "0_1", "a number without leading zeros" },
                  { "9223372036854775808", "a number of at most 9223372036854775807" } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t number;
        const char *expected = atx_whole_parse(&number, CASES[i].text);
        cr_expect(expected && strcmp(expected, CASES[i].expected) == 0, "'%s': %s", CASES[i].text,
                  expected ? expected : "taken");
    }
}

static int looked_like(const char *line, int at)
{
    const char *stop = NULL;
    bool one = atx_looks_like_thousands(&stop, line, line + at, line + strlen(line));
    return one ? (int)(stop - line) - at : 0;
}

Test(number, commas_between_groups_of_three_digits_look_like_thousands)
{
    cr_expect_eq(looked_like("1,024", 0), 5);
    cr_expect_eq(looked_like("12,345,678x9", 0), 10);
    cr_expect_eq(looked_like("9x1,024 f32", 2), 5);
    cr_expect_eq(looked_like("1,024, f32", 0), 5);
    cr_expect_eq(looked_like("1024,024", 0), 0);
    cr_expect_eq(looked_like("1,02", 0), 0);
    cr_expect_eq(looked_like("1,0245", 0), 0);
    cr_expect_eq(looked_like("1, 024", 0), 0);
    cr_expect_eq(looked_like("1,024,f32", 0), 0, "a line of CSV");
    cr_expect_eq(looked_like("f32,1,024", 4), 0, "likewise");
}
