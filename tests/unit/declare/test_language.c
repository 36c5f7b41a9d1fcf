/* test_language.c - the version of the language, and how lists of expressions are separated. */
#include "declare_support.h"
#include "declare/declare_common.h"

#include <criterion/criterion.h>
#include <string.h>

#define OP(lines)                                                                                            \
    "/*!autotune\nop mini\n" lines "shape rows cols\ntype T = f32\narg out T[rows] output\n"                 \
    "reference mini_reference\ngrid 1\nblock 1\ntraffic 1\n*/ void mini_reference() {}"
#define TEMPLATE(lines) "/*!autotune\ntemplate t\n" lines "*/ void mini_t() {}"

Test(language, a_declaration_may_say_the_version_that_it_is_written_in)
{
    atx_op *op = read_op(OP("language 1\n"));
    atx_template *t = read_template(op, TEMPLATE("language 1\ngrid 1\nblock 1\n"));
    atx_template_close(t);
    atx_op_close(op);
}

/* A newer program may read it: the file is not bad, and so is not left out like a bad one. */
Test(language, a_later_version_is_refused_with_what_is_needed)
{
    static const char LATER[] = "/*!autotune\ncommon c\nlanguage 2\n*/";
    atx_op *op = NULL;
    atx_commons commons = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_op_read(&op, OP("language 2\n"), strlen(OP("language 2\n")), "op.cu", &err),
                 AT_ERR_USAGE);
    cr_assert_str_eq(
        err.text, "op.cu:3:10: found language 2, which needs a newer autotune; this is autotune " AT_VERSION
                  " and reads language 1");
    cr_assert_eq(atx_commons_add(&commons, LATER, strlen(LATER), "c.cuh", &err), AT_ERR_USAGE);
    cr_assert_not_null(strstr(err.text, "c.cuh:3:10: found language 2"), "%s", err.text);
    cr_assert_eq(atx_op_read(&op, OP("language 0\n"), strlen(OP("language 0\n")), "op.cu", &err),
                 AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "found language 0; expected language 1"), "%s", err.text);
    atx_commons_clear(&commons);
}

static void expect_grid(const char *line, const char *x, const char *y, const char *z)
{
    char source[400];
    const char *const expected[] = { x, y, z };
    snprintf(source, sizeof source, TEMPLATE("%s\nblock 1\n"), line);
    atx_op *op = read_op(OP(""));
    atx_template *t = read_template(op, source);
    for (int i = 0; i < 3; i++)
        if (expected[i])
            cr_expect_str_eq(atx_expr_text(t->call.steps[0].launch.grid[i]), expected[i], "%s", line);
        else
            cr_expect_null(t->call.steps[0].launch.grid[i], "%s", line);
    atx_template_close(t);
    atx_op_close(op);
}

Test(language, commas_may_separate_expressions)
{
    expect_grid("grid rows cols 2", "rows", "cols", "2");
    expect_grid("grid rows, cols, 2", "rows", "cols", "2");
    expect_grid("grid rows cols -1", "rows", "cols -1", NULL);
    expect_grid("grid rows, min(cols, 3), +1", "rows", "min(cols, 3)", "+1");
    expect_grid("grid rows,cols - 1", "rows", "cols - 1", NULL);
}

Test(language, commas_are_between_all_of_a_list_or_none)
{
    static const struct {
        const char *line, *message;
    } BAD[] = {
        { "grid rows, cols 2", "t.cu:3:17: found '2'; expected ',' as between the first two" },
        { "grid rows cols, 2", "t.cu:3:15: found ','; expected" },
        { "grid rows,", "found nothing more; expected a number" },
        { "grid rows, cols, 1, 1", "found ','; expected the end of the line" },
    };
    atx_op *op = read_op(OP(""));
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        char source[200];
        atx_template *t = NULL;
        at_error err = { 0 };
        snprintf(source, sizeof source, TEMPLATE("%s\nblock 1\n"), BAD[i].line);
        cr_expect_eq(atx_template_read(&t, op, source, strlen(source), "t.cu", &err), AT_ERR_INPUT);
        cr_expect_not_null(strstr(err.text, BAD[i].message), "%s: %s", BAD[i].line, err.text);
    }
    atx_op_close(op);
}

Test(language, the_ends_of_a_range_may_be_below_zero)
{
    static const struct {
        const char *line, *from, *upto;
    } RANGES[] = {
        { "range -5 -1", "-5", "-1" },
        { "range -5, -1", "-5", "-1" },
        { "range -rows -1", "-rows", "-1" },
        { "range 0 rows - 1", "0", "rows - 1" },
        { "range 0 -1 + rows", "0", "-1 + rows" },
        { "range 2 - 1, rows -1", "2 - 1", "rows -1" },
    };
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++) {
        char source[600];
        snprintf(
            source, sizeof source,
            "/*!autotune\nop mini\nshape rows\ntype T = f32\narg out T[rows] output\narg in i32[rows] input "
            "%s\nreference r\ngrid 1\nblock 1\ntraffic 1\n*/ r",
            RANGES[i].line);
        atx_op *op = read_op(source);
        cr_expect_str_eq(atx_expr_text(op->args[1].input.from), RANGES[i].from, "%s", RANGES[i].line);
        cr_expect_str_eq(atx_expr_text(op->args[1].input.upto), RANGES[i].upto, "%s", RANGES[i].line);
        atx_op_close(op);
    }
}
