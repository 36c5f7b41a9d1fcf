/* test_space.c - large and empty spaces, errors, fixes; samples and neighbours. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "space_support.h"

/* ---- large spaces ---- */

Test(space, independent_parameters_cost_nothing)
{
    fixture f =
        open_space(MINI_SPACE("param A = 1..4096\nparam B = 1..4096\nparam C = 1..4096\nparam D = 1..1000\n"
                              "param E = 1..1000\nrequire D + E == 1000\n"));
    atx_config config;
    atx_rng rng = { 7 };
    cr_assert_eq(atx_space_count(f.space), (int64_t)4096 * 4096 * 4096 * 999);
    for (int i = 0; i < 1000; i++) {
        int64_t index = atx_space_sample(f.space, &rng);
        atx_space_config(&config, f.space, index);
        cr_assert_eq(atx_space_find(f.space, &config), index);
    }
    close_space(&f);
}

Test(space, saturates)
{
    char source[4096] = "/*!autotune\ntemplate t\n";
    for (int i = 0; i < 20; i++)
        snprintf(source + strlen(source), 64, "param P%d = 1..1000\n", i);
    strcat(source, "grid 1\nblock 1\n*/ mini_t");
    fixture f = open_space(source);
    int64_t neighbours[10];
    atx_config config;
    cr_assert_eq(atx_space_count(f.space), INT64_MAX);
    cr_assert_float_eq(atx_space_raw_count(f.space) / 1e60, 1, 1e-9);
    atx_space_config(&config, f.space, INT64_MAX - 1);
    cr_assert_eq(atx_space_find(f.space, &config), INT64_MAX - 1);
    for (int i = 0; i < 20; i++)
        config.values[i] = 1000;
    cr_assert_eq(atx_space_find(f.space, &config), -1, "beyond what has an index");
    cr_assert_gt(atx_space_neighbours(neighbours, 10, f.space, 0, ATX_HAMMING), 10);
    close_space(&f);
}

/* ---- empty spaces, errors, fixes ---- */

static void check_refusal(const char *source, const char *expected)
{
    fixture f = open_space(source);
    cr_assert_eq(atx_space_count(f.space), 0);
    cr_assert_str_eq(atx_space_refusal(f.space), expected);
    atx_config config = { { 0 } };
    cr_assert_eq(atx_space_find(f.space, &config), -1);
    close_space(&f);
}

Test(space, tells_what_made_it_empty)
{
    check_refusal(MINI_SPACE("param A = 1 2\nrequire rows > 100 # too small\n"), "rows > 100 (too small)");
    check_refusal(MINI_SPACE("param A = 1 2\nrequire A > 2\n"), "A > 2");
    check_refusal(
        MINI_SPACE(
            "param A = 1..10\nparam B = 1..10\nrequire A > 9 # a\nrequire B > 9 # b\nrequire A != B # c\n"),
        "A > 9 (a)");
    check_refusal(MINI_SPACE("param A = 5\nparam B = 1 2\nrequire A > B * 5 # single\n"),
                  "A > B * 5 (single)");
    fixture f = open_space(MINI_SPACE("param A = 1 2\n"));
    cr_assert_null(atx_space_refusal(f.space));
    close_space(&f);
}

Test(space, reports_what_cannot_be_evaluated)
{
    at_error err = { 0 };
    cr_assert_eq(open_error(MINI_SPACE("param A = 0 1\nparam B = 4 8\nrequire B / A > 1\n"), &err),
                 AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:5:11: division by zero in 'B / A' with A=0 B=4");
    cr_assert_eq(open_error(MINI_SPACE("param A = x y\nlet b = 1 / A\nrequire b > 0\n"), &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:4:11: division by zero in '1 / A' with A=x");
    cr_assert_eq(open_error(MINI_SPACE("param A = 1 2\nrequire 1 / (rows - 64)\n"), &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:4:11: division by zero in '1 / (rows - 64)'");
}

/* Whatever the order of the walk, a row that another requirement refuses needs no value. */
Test(space, a_refused_row_needs_no_value)
{
    fixture f = open_space(MINI_SPACE("param A = 0 1 2\nparam B = 4 8\nrequire B / A > 1\nrequire A > 0\n"));
    cr_assert_eq(atx_space_count(f.space), 4);
    close_space(&f);
    f = open_space(
        MINI_SPACE("param A = 0 1 2\nparam B = 1..30\nlet q = B / A\nrequire q > 1\nrequire A * B > 50\n"));
    cr_assert_eq(atx_space_count(f.space), 5);
    close_space(&f);
    check_refusal(MINI_SPACE("require 1 / (rows - 64)\nrequire rows > 64\n"), "rows > 64");
}

Test(space, reads_fixes)
{
    atx_fix fix;
    at_error err = { 0 };
    cr_assert_eq(atx_fix_parse(&fix, "tile_rows.PAD=-1", &err), AT_OK);
    cr_assert_str_eq(fix.template_name, "tile_rows");
    cr_assert_str_eq(fix.param, "PAD");
    cr_assert_str_eq(fix.value, "-1");
    static const char *const BAD[] = { "", "a", "a.b", "a=1", "a.=1", ".b=1", "a.b=", "=a.b" };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        cr_assert_eq(atx_fix_parse(&fix, BAD[i], &err), AT_ERR_INPUT, "%s", BAD[i]);
        cr_assert_not_null(strstr(err.text, "expected TEMPLATE.PARAMETER=VALUE"));
    }
    char text[200] = "a.b=";
    memset(text + 4, '1', 100);
    cr_assert_eq(atx_fix_parse(&fix, text, &err), AT_ERR_INPUT);
}

#define FIXABLE MINI_SPACE("param A = 1..4\nparam B = 1..4\nparam C = x y\nrequire A * B > 3\n")

Test(space, obeys_fixes)
{
    static const atx_fix FIXES[] = { { "t", "A", "2" }, { "other", "A", "9" }, { "t", "C", "y" } };
    fixture f;
    atx_config config;
    cr_assert_eq(try_open(&f, FIXABLE, FIXES, 3, NULL), AT_OK);
    cr_assert_eq(atx_space_count(f.space), 3);
    cr_assert_float_eq(atx_space_raw_count(f.space), 4, 1e-9);
    for (int64_t i = 0; i < 3; i++) {
        atx_space_config(&config, f.space, i);
        cr_assert_eq(config.values[0], 2);
        cr_assert_eq(config.values[2], 1);
        cr_assert_eq(atx_space_find(f.space, &config), i);
        config.values[0] = 3;
        cr_assert_eq(atx_space_find(f.space, &config), -1);
    }
    close_space(&f);
}

Test(space, refuses_bad_fixes)
{
    static const struct {
        atx_fix fixes[2];
        const char *message;
    } BAD[] = {
        { { { "t", "D", "2" } }, "found 't.D'; template t has the parameters A B C" },
        { { { "t", "A", "5" } }, "found 't.A=5'; expected one of 1 2 3 4" },
        { { { "t", "C", "1" } }, "found 't.C=1'; expected one of x y" },
        { { { "t", "A", "1" }, { "t", "A", "2" } }, "found 't.A' fixed to different values" },
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        fixture f;
        at_error err = { 0 };
        int count = BAD[i].fixes[1].param[0] ? 2 : 1;
        cr_assert_eq(try_open(&f, FIXABLE, BAD[i].fixes, count, &err), AT_ERR_INPUT);
        cr_assert_not_null(strstr(err.text, BAD[i].message), "%s", err.text);
        close_space(&f);
    }
}

/* ---- sampling and neighbours ---- */

Test(space, samples_every_configuration_about_equally)
{
    fixture f = open_space(MINI_SPACE("param A = 1..5\nparam B = 1..5\nparam C = x y\nrequire A < B\n"));
    int hits[20] = { 0 };
    atx_rng rng = { 42 };
    cr_assert_eq(atx_space_count(f.space), 20);
    for (int i = 0; i < 20000; i++)
        hits[atx_space_sample(f.space, &rng)]++;
    for (int i = 0; i < 20; i++)
        cr_assert(hits[i] > 850 && hits[i] < 1150, "%d", hits[i]);
    close_space(&f);
}

static bool are_adjacent(const atx_template *t, const atx_config *a, const atx_config *b)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        int x = 0, y = 0;
        while (t->scope.params[i].values[x] != a->values[i])
            x++;
        while (t->scope.params[i].values[y] != b->values[i])
            y++;
        if (abs(x - y) > 1)
            return false;
    }
    return differing(t, a, b) == 1;
}

/* Do they differ in one parameter, with no configuration between them that differs in it alone? */
static bool are_nearest(const fixture *f, int64_t a, int64_t b)
{
    atx_places x, y;
    atx_space_places(&x, f->space, a);
    atx_space_places(&y, f->space, b);
    int differing = 0, param = 0;
    for (int i = 0; i < f->t->scope.param_count; i++)
        if (x.of[i] != y.of[i]) {
            differing++;
            param = i;
        }
    int from = x.of[param], to = y.of[param], step = from < to ? 1 : -1;
    for (int place = from + step; differing == 1 && place != to; place += step) {
        x.of[param] = (uint16_t)place;
        if (atx_space_find_places(f->space, &x) >= 0)
            return false;
    }
    return differing == 1;
}

static void check_neighbours(const fixture *f, int64_t index, atx_neighbourhood kind)
{
    int64_t found[512], expected = 0, n = atx_space_neighbours(found, 512, f->space, index, kind);
    atx_config here, other;
    atx_space_config(&here, f->space, index);
    for (int64_t i = 0; i < atx_space_count(f->space); i++) {
        atx_space_config(&other, f->space, i);
        bool near = kind == ATX_HAMMING    ? differing(f->t, &here, &other) == 1
                    : kind == ATX_ADJACENT ? are_adjacent(f->t, &here, &other)
                                           : are_nearest(f, index, i);
        bool listed = false;
        for (int64_t k = 0; k < n; k++)
            listed |= found[k] == i;
        cr_assert_eq(listed, near);
        expected += near;
    }
    cr_assert_eq(n, expected);
    cr_assert_eq(atx_space_neighbours(NULL, 0, f->space, index, kind), n);
}

Test(space, finds_neighbours)
{
    fixture f = open_space(
        MINI_SPACE("param A = 4 1 3 2 5\nparam B = 1..5\nparam C = x y z\nparam D = 7\nparam E = 1..3\n"
                   "require A < B\nrequire C == C_x || E > 1\n"));
    for (int64_t i = 0; i < atx_space_count(f.space); i++) {
        check_neighbours(&f, i, ATX_HAMMING);
        check_neighbours(&f, i, ATX_ADJACENT);
        check_neighbours(&f, i, ATX_NEAREST);
    }
    close_space(&f);
}

Test(space, knows_configurations_by_the_places_of_their_values)
{
    fixture f = open_space(MINI_SPACE("param A = 40 10 30\nparam B = x y\nparam C = 7\nparam D = 1 2\n"
                                      "require B == B_y || A < 20\n"));
    atx_places places = { { 2, 1, 0, 0 } };
    atx_config config;
    int64_t index = atx_space_find_places(f.space, &places);
    cr_assert_geq(index, 0);
    atx_space_config(&config, f.space, index);
    cr_assert_eq(config.values[0], 30);
    cr_assert_eq(config.values[1], 1, "y");
    cr_assert_eq(config.values[2], 7);
    for (int64_t i = 0; i < atx_space_count(f.space); i++) {
        atx_space_places(&places, f.space, i);
        cr_assert_eq(atx_space_find_places(f.space, &places), i);
    }
    static const atx_places NOT_VALID[] = {
        { { 0, 0, 0, 0 } }, /* the requirement        */
        { { 0, 1, 1, 0 } }, /* C has one value        */
        { { 3, 1, 0, 0 } }, /* A has three            */
    };
    for (size_t i = 0; i < sizeof NOT_VALID / sizeof *NOT_VALID; i++)
        cr_assert_eq(atx_space_find_places(f.space, &NOT_VALID[i]), -1);
    close_space(&f);
}

Test(space, tells_which_values_are_allowed)
{
    fixture f;
    const atx_fix fix = { "t", "A", "30" };
    int first = -1;
    at_error err = { 0 };
    cr_assert_eq(try_open(&f, MINI_SPACE("param A = 40 10 30\nparam B = 1..4\n"), &fix, 1, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_space_allowed(&first, f.space, 0), 1);
    cr_assert_eq(first, 2);
    cr_assert_eq(atx_space_allowed(&first, f.space, 1), 4);
    cr_assert_eq(first, 0);
    close_space(&f);
}
