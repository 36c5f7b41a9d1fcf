/* test_rows.c - members of JSON objects and fields of CSV rows: commas, quotes, and what is no number. */
#include "util/json.h"
#include "util/rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Test(rows, members_have_commas_between_them)
{
    atx_str out = { 0 };
    atx_str_add(&out, "{");
    atx_member_text(&out, "text", "a \"b\"{");
    atx_member_text(&out, "none", NULL);
    atx_member_int(&out, "int", INT64_MIN);
    atx_member_ints(&out, "three", (const int64_t[]){ 1, -2, 3 }, 3);
    atx_member_ints(&out, "empty", NULL, 0);
    atx_member_bool(&out, "yes", true);
    atx_member_name(&out, "inner");
    atx_str_add(&out, "{");
    atx_member_real(&out, "real", 4, 1.0 / 3);
    atx_str_add(&out, "}");
    atx_member_bool(&out, "no", false);
    atx_str_add(&out, "}");
    cr_assert_str_eq(
        atx_str_text(&out),
        "{\"text\":\"a \\\"b\\\"{\",\"none\":null,\"int\":-9223372036854775808,\"three\":[1,-2,3],"
        "\"empty\":[],\"yes\":true,\"inner\":{\"real\":0.3333},\"no\":false}");
    atx_str_clear(&out);
}

/* Our reader takes NaN, since Python writes it; other readers do not, so we write none. */
Test(rows, what_is_not_finite_is_null)
{
    atx_str out = { 0 };
    atx_str_add(&out, "{");
    atx_member_real(&out, "a", 9, NAN);
    atx_member_real(&out, "b", 9, -INFINITY);
    atx_str_add(&out, "}\n");
    cr_assert_str_eq(atx_str_text(&out), "{\"a\":null,\"b\":null}\n");
    atx_str_clear(&out);
}

static void walk(atx_row *row, bool known)
{
    atx_row_text(row, "name", known ? "a,b" : NULL);
    atx_row_int(row, "count", known ? 0 : -1);
    atx_row_bool(row, "yes", known ? 1 : -1);
    atx_row_open(row, "then");
    atx_row_real(row, "time_s", 3, known ? 0.00123456 : NAN);
    atx_row_close(row);
    atx_row_bool(row, "no", known ? 0 : -1);
}

Test(rows, one_walk_makes_an_object_and_a_line_of_a_table_with_every_name)
{
    static const char EXPECTED[] =
        "{\"name\":\"a,b\",\"count\":0,\"yes\":true,\"then\":{\"time_s\":0.00123},\"no\":false}\n"
        "{\"name\":null,\"count\":null,\"yes\":null,\"then\":{\"time_s\":null},\"no\":null}\n"
        "name,count,yes,then_time_s,no\n"
        "\"a,b\",0,1,0.00123,0\n"
        "\"\",,,,\n";
    atx_str out = { 0 };
    for (int known = 1; known >= 0; known--) {
        atx_str_add(&out, "{");
        walk(&(atx_row){ .out = &out }, known);
        atx_str_add(&out, "}\n");
    }
    walk(&(atx_row){ .out = &out, .form = ATX_ROW_HEADS }, true);
    for (int known = 1; known >= 0; known--) {
        atx_str_add(&out, "\n");
        walk(&(atx_row){ .out = &out, .form = ATX_ROW_FIELDS }, known);
    }
    atx_str_add(&out, "\n");
    cr_assert_str_eq(atx_str_text(&out), EXPECTED);
    atx_str_clear(&out);
}

Test(rows, fields_are_quoted_where_they_must_be)
{
    static const struct {
        const char *text, *field;
    } CASES[] = { { "plain text", "plain text" },
                  { "a,b", "\"a,b\"" },
                  { "=1+2", "'=1+2" }, /* a spreadsheet would compute it */
                  { "@SUM(A1,2)", "\"'@SUM(A1,2)\"" },
                  { "a=1", "a=1" },
                  { "say \"x\"", "\"say \"\"x\"\"\"" },
                  { "a\nb", "\"a\nb\"" },
                  { "a\rb", "\"a\rb\"" },
                  { "", "" },
                  { NULL, "" },
                  { "\"", "\"\"\"\"" } };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        atx_str out = { 0 };
        char expected[64];
        atx_field_int(&out, 1);
        atx_field_text(&out, CASES[i].text);
        atx_field_int(&out, 2);
        snprintf(expected, sizeof expected, "1,%s,2", CASES[i].field);
        cr_assert_str_eq(atx_str_text(&out), expected);
        atx_str_clear(&out);
    }
}

Test(rows, a_row_may_begin_with_an_empty_field)
{
    atx_str out = { 0 };
    atx_field_text(&out, "");
    atx_field_text(&out, "");
    atx_str_add(&out, "\n");
    atx_field_text(&out, NULL);
    atx_field_text(&out, "x");
    cr_assert_str_eq(atx_str_text(&out), "\"\",\n\"\",x");
    atx_str_clear(&out);
}

/* The mark of text that a spreadsheet would compute is none of a number's. */
Test(rows, a_negative_number_stays_one)
{
    atx_str out = { 0 };
    atx_row row = { .out = &out, .form = ATX_ROW_FIELDS };
    atx_row_text(&row, "name", "-1");
    atx_row_real(&row, "loss", 3, -0.25);
    atx_row_real(&row, "none", 3, NAN);
    cr_assert_str_eq(atx_str_text(&out), "'-1,-0.25,");
    atx_str_clear(&out);
}
