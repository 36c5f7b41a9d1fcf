/* test_space_found.c - configurations by index, by value and by place; what is outside has no index. */
#include "space_support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

Test(space_found, a_part_of_a_fix_has_room_for_a_name_and_no_more)
{
    char text[256];
    at_error err = { 0 };
    atx_fix fix = { "before", "before", "before" };
    snprintf(text, sizeof text, "t.%0*d=1", ATX_MAX_NAME, 0);
    cr_expect_eq(atx_fix_parse(&fix, text, &err), AT_ERR_INPUT);
    cr_expect_str_eq(fix.param, "before", "a fix that cannot be read writes nothing");
    snprintf(text, sizeof text, "t.%0*d=1", ATX_MAX_NAME - 1, 0);
    cr_expect_eq(atx_fix_parse(&fix, text, &err), AT_OK, "%s", err.text);
    cr_expect_eq(strlen(fix.param), ATX_MAX_NAME - 1);
}

/* A place beyond a list must not run into the bits of another parameter's. */
Test(space_found, places_beyond_the_lists_are_not_valid)
{
    fixture f =
        open_space(MINI_SPACE("param A = 1..4\nparam B = 1..4\nparam C = 1..3\nrequire A * B * C > 1\n"));
    for (int a = 0; a < 20; a++)
        for (int b = 0; b < 20; b++)
            for (int c = 0; c < 20; c++) {
                const atx_places places = { { (uint16_t)a, (uint16_t)b, (uint16_t)c } };
                bool valid = a < 4 && b < 4 && c < 3 && a + b + c > 0;
                cr_assert_eq(atx_space_find_places(f.space, &places) >= 0, valid, "%d %d %d", a, b, c);
            }
    close_space(&f);
}

Test(space_found, values_that_are_not_declared_are_not_valid)
{
    fixture f = open_space(MINI_SPACE("param A = 40 10 30\nparam B = 1 2\n"));
    atx_config config;
    for (int64_t i = 0; i < atx_space_count(f.space); i++) {
        atx_space_config(&config, f.space, i);
        cr_assert_eq(atx_space_find(f.space, &config), i);
    }
    config.values[0] = 20;
    cr_expect_eq(atx_space_find(f.space, &config), -1);
    close_space(&f);
}

Test(space_found, an_empty_space_has_no_configuration)
{
    fixture f = open_space(MINI_SPACE("param A = 1 2\nparam B = 1 2\nrequire A > 2\nrequire A != B\n"));
    cr_assert_eq(atx_space_count(f.space), 0);
    cr_expect_eq(atx_space_find_places(f.space, &(atx_places){ { 0 } }), -1);
    close_space(&f);
}

/* ---- many at once ---- */

Test(space_found, rows_of_any_range_are_its_configurations)
{
    fixture f =
        open_space(MINI_SPACE("param A = 3 1 2\nparam B = 1..3\nparam C = x y\nparam D = 7\nparam E = 5 6\n"
                              "require A < B\nrequire C == C_x || E > 5\n"));
    int64_t count = atx_space_count(f.space), rows[5 * 64];
    atx_config config;
    cr_assert_eq(count, 9);
    for (int64_t first = 0; first <= count; first++)
        for (int64_t many = 0; many <= count - first; many++) {
            memset(rows, 0x55, sizeof rows);
            atx_space_rows(rows, f.space, first, many);
            for (int64_t i = 0; i < many; i++) {
                atx_space_config(&config, f.space, first + i);
                cr_assert_eq(memcmp(rows + 5 * i, config.values, 5 * sizeof *rows), 0);
            }
            cr_assert_eq(rows[5 * many], 0x5555555555555555, "nothing is written behind them");
        }
    close_space(&f);
}

Test(space_found, a_space_of_one_configuration_has_one_row)
{
    fixture f = open_space(MINI_SPACE("param A = 3\nparam B = 4\n"));
    int64_t row[3] = { 0, 0, 9 };
    cr_assert_eq(atx_space_count(f.space), 1);
    cr_assert_eq(atx_space_group_count(f.space), 0);
    atx_space_rows(row, f.space, 0, 0);
    cr_expect_eq(row[0], 0);
    atx_space_rows(row, f.space, 0, 1);
    cr_expect(row[0] == 3 && row[1] == 4 && row[2] == 9);
    close_space(&f);
}

/* ---- more than an index can tell ---- */

/* `count` parameters of eight values, then what else is declared. */
static fixture open_eights(int count, const char *more)
{
    char text[4096];
    int len = snprintf(text, sizeof text, "/*!autotune\ntemplate  t  # about t\n");
    for (int i = 0; i < count; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, "param A%d = 0..7\n", i);
    snprintf(text + len, sizeof text - (size_t)len, "%sgrid 1\nblock 1\n*/\nvoid mini_t() {}\n", more);
    return open_space(text);
}

Test(space_found, of_as_many_configurations_as_numbers_the_last_has_no_index)
{
    fixture f = open_eights(21, ""); /* 2^63 */
    atx_places places = { { 0 } };
    cr_assert_eq(atx_space_count(f.space), INT64_MAX);
    for (int i = 0; i < 21; i++)
        places.of[i] = 7;
    cr_expect_eq(atx_space_find_places(f.space, &places), -1);
    places.of[20] = 6;
    cr_expect_eq(atx_space_find_places(f.space, &places), INT64_MAX - 1);
    close_space(&f);
}

Test(space_found, an_index_ends_in_the_midst_of_a_parameters_values)
{
    fixture f = open_eights(20, "param B = 0..9\n");
    atx_places places = { { 0 } };
    int64_t before = INT64_MAX / 10; /* INT64_MAX ends with a 7 */
    for (int i = 19; i >= 0; i--, before /= 8)
        places.of[i] = (uint16_t)(before % 8);
    for (int last = 0; last < 10; last++) {
        places.of[20] = (uint16_t)last;
        cr_expect_eq(atx_space_find_places(f.space, &places), last < 7 ? INT64_MAX - 7 + last : -1, "%d",
                     last);
    }
    close_space(&f);
}

/* ---- groups ---- */

Test(space_found, parameters_that_nothing_ties_are_groups_of_their_own)
{
    static const struct {
        const char *source;
        int groups;
    } SPACES[] = {
        { MINI_SPACE("param A = 1..4\nparam B = 1..4\nrequire A + B > 2\n"), 1 },
        { MINI_SPACE("param A = 1..4\nparam B = 1..4\nrequire A + B < 100\n"), 2 }, /* refuses nothing */
        { MINI_SPACE("param A = 1..4\nparam B = 1..4\nlet c = A + B\n"), 2 },
        { MINI_SPACE("param A = 1..4\nparam B = 1..4\nparam C = 1..4\nrequire A < C\nrequire B < C\n"), 1 },
    };
    for (size_t i = 0; i < sizeof SPACES / sizeof *SPACES; i++) {
        fixture f = open_space(SPACES[i].source);
        cr_expect_eq(atx_space_group_count(f.space), SPACES[i].groups, "%s", SPACES[i].source);
        close_space(&f);
    }
}

Test(space_found, requirements_that_refuse_nothing_are_listed)
{
    fixture f = open_space(MINI_SPACE("param A = 1..4\nparam B = 1..4\nparam C = 7\nlet c = A + B\n"
                                      "require A < 100\nrequire C == 7\nrequire A < B\nrequire c > 1\n"));
    const atx_require *first = atx_space_idle(f.space, 0), *second = atx_space_idle(f.space, 1);
    cr_assert(first && second);
    cr_expect_str_eq(atx_expr_text(first->expr), "A < 100");
    cr_expect_str_eq(atx_expr_text(second->expr), "c > 1");
    cr_expect_null(atx_space_idle(f.space, 2));
    close_space(&f);
}

/* A row's key, and a value with its place. */
Test(space_found, a_space_takes_24_bytes_for_each_value_of_a_parameter)
{
    fixture few = open_space(MINI_SPACE("param A = 1..100\n")),
            many = open_space(MINI_SPACE("param A = 1..200\n"));
    cr_expect_eq(atx_space_bytes(many.space) - atx_space_bytes(few.space), 100 * 24);
    close_space(&few);
    close_space(&many);
}

/* ---- those of a recording ---- */

#define KEPT "param A = 1..3\nparam B = x y\nparam C = 7\nparam D = 1..3\nrequire A != 2 || D > 1\n"

Test(space_found, of_a_recording_only_what_it_has_and_is_valid_is_left)
{
    static const atx_config LISTED[] = {
        { { 3, 1, 7, 2 } }, { { 2, 0, 7, 1 } },                     /* the requirement */
        { { 1, 0, 7, 1 } }, { { 2, 1, 7, 3 } }, { { 1, 0, 8, 1 } }, /* C is 7 */
        { { 1, 0, 7, 3 } },
    };
    fixture f = open_space(MINI_SPACE(KEPT));
    at_error err = { 0 };
    atx_config config;
    int64_t near[4];
    cr_assert_eq(atx_space_keep(f.space, LISTED, 6, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_count(f.space), 4);
    static const int LEFT[] = { 2, 5, 3, 0 }; /* in the order of the space */
    for (int i = 0; i < 4; i++) {
        atx_space_config(&config, f.space, i);
        cr_expect_eq(memcmp(config.values, LISTED[LEFT[i]].values, 4 * sizeof *config.values), 0, "%d", i);
        cr_expect_eq(atx_space_find(f.space, &LISTED[LEFT[i]]), i);
    }
    cr_expect_eq(atx_space_find(f.space, &(atx_config){ { 1, 1, 7, 1 } }), -1, "valid, and not listed");
    cr_expect_eq(atx_space_neighbours(near, 4, f.space, 0, ATX_HAMMING), 1);
    cr_expect_eq(near[0], 1);
    close_space(&f);
}

Test(space_found, of_a_recording_of_nothing_nothing_is_left)
{
    fixture f = open_space(MINI_SPACE(KEPT));
    at_error err = { 0 };
    cr_assert_eq(atx_space_keep(f.space, NULL, 0, &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_space_count(f.space), 0);
    cr_expect_eq(atx_space_find(f.space, &(atx_config){ { 1, 0, 7, 1 } }), -1);
    cr_expect_str_eq(atx_space_refusal(f.space), "");
    close_space(&f);
}

Test(space_found, a_recording_of_the_only_configuration_leaves_it)
{
    static const atx_config ONLY = { { 3 } };
    fixture f = open_space(MINI_SPACE("param A = 3\n"));
    at_error err = { 0 };
    cr_assert_eq(atx_space_keep(f.space, &ONLY, 1, &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_space_count(f.space), 1);
    cr_expect_eq(atx_space_group_count(f.space), 0);
    cr_expect_eq(atx_space_find(f.space, &ONLY), 0);
    close_space(&f);
}
