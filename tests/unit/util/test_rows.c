/* test_rows.c - members of JSON objects and fields of CSV rows: commas, quotes, and what is no number. */
#include "util/json.h"
#include "util/rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Test(rows, members_have_commas_between_them)
{
    at__str out = { 0 };
    at__str_add(&out, "{");
    at__member_text(&out, "text", "a \"b\"{");
    at__member_text(&out, "none", NULL);
    at__member_int(&out, "int", INT64_MIN);
    at__member_ints(&out, "three", (const int64_t[]){ 1, -2, 3 }, 3);
    at__member_ints(&out, "empty", NULL, 0);
    at__member_bool(&out, "yes", true);
    at__member_name(&out, "inner");
    at__str_add(&out, "{");
    at__member_real(&out, "real", 4, 1.0 / 3);
    at__str_add(&out, "}");
    at__member_bool(&out, "no", false);
    at__str_add(&out, "}");
    cr_assert_str_eq(
        at__str_text(&out),
        "{\"text\":\"a \\\"b\\\"{\",\"none\":null,\"int\":-9223372036854775808,\"three\":[1,-2,3],"
        "\"empty\":[],\"yes\":true,\"inner\":{\"real\":0.3333},\"no\":false}");
    at__str_clear(&out);
}

/* Our reader takes NaN, since Python writes it; other readers do not, so we write none. */
Test(rows, what_is_not_finite_is_null)
{
    at__str out = { 0 };
    at__str_add(&out, "{");
    at__member_real(&out, "a", 9, NAN);
    at__member_real(&out, "b", 9, -INFINITY);
    at__str_add(&out, "}\n");
    at__field_int(&out, 7);
    at__field_real(&out, 2, NAN);
    at__field_real(&out, 2, 1.005e3);
    cr_assert_str_eq(at__str_text(&out), "{\"a\":null,\"b\":null}\n7,,1005.00");
    at__str_clear(&out);
}

Test(rows, fields_are_quoted_where_they_must_be)
{
    static const struct {
        const char *text, *field;
    } CASES[] = { { "plain text", "plain text" },
                  { "a,b", "\"a,b\"" },
                  { "say \"x\"", "\"say \"\"x\"\"\"" },
                  { "a\nb", "\"a\nb\"" },
                  { "a\rb", "\"a\rb\"" },
                  { "", "" },
                  { NULL, "" },
                  { "\"", "\"\"\"\"" } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        at__str out = { 0 };
        char expected[64];
        at__field_int(&out, 1);
        at__field_text(&out, CASES[i].text);
        at__field_int(&out, 2);
        snprintf(expected, sizeof expected, "1,%s,2", CASES[i].field);
        cr_assert_str_eq(at__str_text(&out), expected);
        at__str_clear(&out);
    }
}

Test(rows, a_row_may_begin_with_an_empty_field)
{
    at__str out = { 0 };
    at__field_text(&out, "");
    at__field_text(&out, "");
    at__str_add(&out, "\n");
    at__field_text(&out, NULL);
    at__field_text(&out, "x");
    cr_assert_str_eq(at__str_text(&out), "\"\",\n\"\",x");
    at__str_clear(&out);
}
