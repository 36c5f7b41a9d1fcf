/* test_shard.c - parts of a list for job arrays: complete, without overlap, of equal cost, the same each
 * time. */
#include "tune/shard.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atx_catalog *catalog;

static void open_catalog(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
}

static void close_catalog(void)
{
    atx_catalog_close(catalog);
}

TestSuite(shard, .init = open_catalog, .fini = close_catalog);

static atx_shapes problems_of(const char *text)
{
    atx_shapes shapes = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_shapes_parse(&shapes, text, strlen(text), "s.txt", catalog, NULL, &err), AT_OK, "%s",
                 err.text);
    return shapes;
}

/* Part `index` of `count` of the list, as "32x32 64x64". */
static char *part(const char *text, int index, int count)
{
    atx_shapes shapes = problems_of(text);
    atx_shard shard = { index, count };
    atx_str out = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_shard_take(&shapes, &shard, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < shapes.count; i++) {
        atx_str shape = { 0 };
        atx_problem_shape(&shape, &shapes.problems[i]);
        atx_str_addf(&out, "%s%s", i ? " " : "", atx_str_text(&shape));
        atx_str_clear(&shape);
    }
    atx_shapes_clear(&shapes);
    return out.data ? out.data : strdup("");
}

static void expect_part(const char *text, int index, int count, const char *expected)
{
    char *found = part(text, index, count);
    cr_expect_str_eq(found, expected, "part %d of %d: found '%s', expected '%s'", index, count, found,
                     expected);
    free(found);
}

#define SMALL "32x32\n33x33\n34x34\n35x35\n36x36\n37x37\n"

Test(shard, a_problem_is_in_exactly_one_part)
{
    for (int count = 1; count <= 8; count++) {
        int seen[6] = { 0 };
        for (int index = 1; index <= count; index++) {
            char *found = part(SMALL, index, count);
            for (int side = 32; side < 38; side++) {
                char shape[16];
                snprintf(shape, sizeof shape, "%dx%d", side, side);
                seen[side - 32] += strstr(found, shape) != NULL;
            }
            free(found);
        }
        for (int i = 0; i < 6; i++)
            cr_expect_eq(seen[i], 1, "%dx%d is in %d of %d parts", 32 + i, 32 + i, seen[i], count);
    }
}

Test(shard, problems_keep_their_order)
{
    /* The most expensive goes first, and 37x37 is the most expensive: what a part has is as in the list all
     * the same. */
    expect_part(SMALL, 1, 2, "32x32 34x34 37x37");
    expect_part(SMALL, 2, 2, "33x33 35x35 36x36");
}

Test(shard, a_dear_problem_weighs_as_much_as_many_cheap_ones)
{
    /* 40000x40000 f64 moves 26 GB: by itself more than two seconds for each of the others. */
    expect_part("32x32\n40000x40000 f64\n33x33\n34x34\n", 1, 2, "40000x40000");
    expect_part("32x32\n40000x40000 f64\n33x33\n34x34\n", 2, 2, "32x32 33x33 34x34");
}

Test(shard, more_parts_than_problems_leave_some_empty)
{
    expect_part("32x32\n33x33\n", 3, 3, "");
}

Test(shard, one_part_of_one_is_everything)
{
    expect_part("33x33\n32x32\n", 1, 1, "33x33 32x32");
}

static const char *const BAD[] = { "",     "2",  "0/4", "5/4", "1/0",     "-1/4",
                                   "1/4x", "1/", "/4",  "a/b", "1/65537", "1/99999999999999999999" };

Test(shard, what_is_no_part_is_told)
{
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_shard shard = { 0 };
        at_error err = { 0 };
        cr_expect_eq(atx_shard_parse(&shard, BAD[i], &err), AT_ERR_USAGE, "'%s' was taken", BAD[i]);
        cr_expect(strstr(err.text, "expected I/N"), "'%s': %s", BAD[i], err.text);
    }
}
