/* test_suite.c - tests/data/suite.txt, the realistic problems, views.txt, cast_transpose.txt, rows.txt,
 * reductions.txt and serving.txt: that they are read, their coverage, that none is left without a kernel. */
#include "lang/arch.h"
#include "lang/shapes.h"
#include "space/space.h"

#include <criterion/criterion.h>
#include <stdio.h>

static atx_catalog *catalog;
static atx_shapes suite, views, converting, rows, reductions, serving;

static void read(atx_shapes *out, const char *file)
{
    at_error err = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/%s", AT_SOURCE_DIR, file);
    cr_assert_eq(atx_shapes_read(out, path, catalog, NULL, &err), AT_OK, "%s", err.text);
}

static void begin(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    read(&suite, "suite.txt");
    read(&views, "views.txt");
    read(&converting, "cast_transpose.txt");
    read(&rows, "rows.txt");
    read(&reductions, "reductions.txt");
    read(&serving, "serving.txt");
}

static void end(void)
{
    atx_shapes_clear(&suite);
    atx_shapes_clear(&views);
    atx_shapes_clear(&converting);
    atx_shapes_clear(&rows);
    atx_shapes_clear(&reductions);
    atx_shapes_clear(&serving);
    atx_catalog_close(catalog);
}

TestSuite(suite, .init = begin, .fini = end);

Test(suite, has_a_problem_a_line)
{
    FILE *file = fopen(AT_SOURCE_DIR "/tests/data/suite.txt", "r");
    char line[256];
    size_t lines = 0;
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file))
        lines += line[0] != '#' && line[0] != '\n';
    fclose(file);
    cr_expect_eq(suite.count, lines, "%zu problems in %zu lines: is one there twice?", suite.count, lines);
    cr_expect_geq(suite.count, 60);
}

/* dims of transpose: batch, rows, cols. */
Test(suite, covers_every_element_size_alone_and_batched_aligned_and_not)
{
    int single[17] = { 0 }, batched[17] = { 0 }, unaligned[17] = { 0 };
    for (size_t i = 0; i < suite.count; i++) {
        const atx_problem *p = &suite.problems[i];
        const int64_t size = atx_dtype_bytes(p->type);
        *(p->dims[0] > 1 ? &batched[size] : &single[size]) += 1;
        unaligned[size] += p->dims[1] * size % 16 != 0 || p->dims[2] * size % 16 != 0;
    }
    for (int size = 1; size <= 16; size *= 2) {
        cr_expect_geq(single[size], 3, "%d bytes an element, one matrix", size);
        cr_expect_geq(batched[size], 1, "%d bytes an element, many matrices", size);
        cr_expect(size == 16 || unaligned[size] >= 1, "%d bytes an element, rows that are not aligned", size);
    }
}

Test(suite, views_begin_where_aligned_buffers_do_not)
{
    cr_expect_eq(views.count, 16);
    for (size_t i = 0; i < views.count; i++) {
        const atx_problem *p = &views.problems[i];
        cr_expect_lt(atx_problem_align_of(p, 0) + atx_problem_align_of(p, 1), 2 * ATX_FULL_ALIGN, "%zu",
                     i + 1);
    }
}

static int64_t configurations_of(const atx_template *t, const atx_problem *problem, const atx_limits *limits)
{
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    atx_space *space = NULL;
    cr_assert_eq(atx_problem_bind(slots, problem, limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_space_open(&space, t, slots, NULL, 0, &err), AT_OK, "%s", err.text);
    int64_t count = atx_space_count(space);
    atx_space_close(space);
    return count;
}

static int64_t configurations(const atx_problem *problem, const atx_limits *limits)
{
    int64_t count = 0;
    for (int i = 0; i < atx_catalog_template_count(catalog, problem->op); i++)
        count += configurations_of(atx_catalog_template(catalog, problem->op, i), problem, limits);
    return count;
}

static void expect_configurations(const atx_shapes *shapes, const char *what, const atx_limits *limits,
                                  int64_t least)
{
    for (size_t i = 0; i < shapes->count; i++)
        cr_expect_geq(configurations(&shapes->problems[i], limits), least, "%s %zu on sm_%d", what, i + 1,
                      (int)limits->cc);
}

/* Templates leave out what wastes most of a tile: something has to remain. */
Test(suite, no_small_matrix_is_left_without_a_conversion)
{
    static const int64_t SIDES[] = { 1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 100, 2333 };
    enum { COUNT = sizeof SIDES / sizeof *SIDES };
    const atx_op *op = atx_catalog_find_op(catalog, "cast_transpose");
    atx_limits limits;
    at_error err = { 0 };
    atx_arch_limits(&limits, 90);
    for (int i = 0; i < COUNT * COUNT * 4; i++) {
        atx_problem problem;
        const int64_t sizes[] = { i % 2 ? 1 : 4, 1, 1, 1, SIDES[i / 4 / COUNT], SIDES[i / 4 % COUNT] };
        cr_assert_eq(atx_problem_init(&problem, op, i % 4 < 2 ? ATX_BF16 : ATX_F32, sizes, 6, &err), AT_OK);
        cr_expect_geq(configurations(&problem, &limits), 4, "%dx%d to %d", (int)sizes[4], (int)sizes[5],
                      (int)sizes[0]);
    }
}

static int64_t configurations_for(const atx_template *t, const atx_shapes *shapes, const atx_limits *limits)
{
    int64_t count = 0;
    for (size_t i = 0; i < shapes->count; i++)
        count += shapes->problems[i].op == t->op ? configurations_of(t, &shapes->problems[i], limits) : 0;
    return count;
}

/* Of an op that computes each template is for some of its problems. */
Test(suite, every_template_has_problems)
{
    atx_limits limits;
    atx_arch_limits(&limits, 90);
    for (int o = 0; o < atx_catalog_op_count(catalog); o++) {
        const atx_op *op = atx_catalog_op(catalog, o);
        for (int k = 0; k < atx_catalog_template_count(catalog, op) && !op->storage; k++) {
            const atx_template *t = atx_catalog_template(catalog, op, k);
            const int64_t count =
                configurations_for(t, &converting, &limits) + configurations_for(t, &rows, &limits) +
                configurations_for(t, &reductions, &limits) + configurations_for(t, &serving, &limits);
            cr_expect_gt(count, 0, "%s", t->text.file);
        }
    }
}

Test(suite, every_problem_has_configurations_on_old_and_new_devices)
{
    static const int64_t ARCHES[] = { 75, 80, 90, 120 };
    for (size_t a = 0; a < sizeof ARCHES / sizeof *ARCHES; a++) {
        atx_limits limits;
        atx_arch_limits(&limits, ARCHES[a]);
        expect_configurations(&suite, "problem", &limits, 10);
        expect_configurations(&views, "view", &limits, 10);
        expect_configurations(&converting, "conversion", &limits, 10);
        expect_configurations(&rows, "rows", &limits, 10);
        expect_configurations(&reductions, "reduction", &limits, 2);
        expect_configurations(&serving, "serving", &limits, 6);
    }
}

/* Their winners ship with the program. */
Test(suite, every_size_of_serving_that_is_tuned_has_configurations)
{
    atx_shapes tuned = { 0 };
    atx_limits limits;
    atx_arch_limits(&limits, 90);
    read(&tuned, "serving_sizes.txt");
    expect_configurations(&tuned, "size", &limits, 6);
    atx_shapes_clear(&tuned);
}
