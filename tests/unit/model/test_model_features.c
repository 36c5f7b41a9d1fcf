/* test_model_features.c - what a model sees of a problem. */
#include "model/model_features.h"

#include "lang/arch.h"
#include "lang/catalog.h"
#include "lang/layout.h"
#include "model/forest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static atx_catalog *catalog;

static void open_all(void)
{
    at_error err = { 0 };
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
}

static void close_all(void)
{
    atx_catalog_close(catalog);
}

TestSuite(features, .init = open_all, .fini = close_all);

/* Fills the numbers of a permutation of floats; returns its features. */
static atx_model_features numbers_of(float *out, const char *shape, int64_t align)
{
    at_error err = { 0 };
    atx_problem p;
    atx_limits limits;
    int64_t slots[ATX_MAX_SLOTS];
    const atx_op *op = atx_catalog_find_op(catalog, "permute");
    atx_model_features v = atx_model_features_of(op, NULL);
    atx_arch_limits(&limits, 90);
    cr_assert(atx_layout_read_shape(&p, op, ATX_F32, shape), "%s", shape);
    cr_assert_eq(atx_problem_set_aligns(&p, &align, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &p, &limits, &err), AT_OK, "%s", err.text);
    atx_model_features_problem(out, &v, &p, slots);
    return v;
}

static float number(const atx_model_features *v, const float *numbers, const char *wanted)
{
    char name[ATX_MAX_NAME];
    for (int i = 0; i < v->problem_count; i++) {
        atx_model_features_name(name, v, i);
        if (strcmp(name, wanted) == 0)
            return numbers[i];
    }
    cr_assert_fail("no feature is called %s", wanted);
    return 0;
}

Test(features, tell_permutations_apart_that_differ_in_their_order_alone)
{
    float reversed[ATX_MAX_MODEL_FEATURES], swapped[ATX_MAX_MODEL_FEATURES];
    atx_model_features v = numbers_of(reversed, "20x32x40:2.1.0", 256); /* both write 40x32x20 */
    numbers_of(swapped, "40x20x32:0.2.1", 256);
    cr_expect_eq(number(&v, reversed, "n6"), number(&v, swapped, "n6"));
    cr_expect_eq(number(&v, reversed, "in bytes 0"), log2f(40 * 4));
    cr_expect_eq(number(&v, reversed, "in extent 1"), 5, "rows of the input are 32 apart");
    cr_expect_eq(number(&v, swapped, "in extent 1"), log2f(20));
    cr_expect_eq(number(&v, reversed, "out place 0"), 2, "the output's fastest is the input's slowest");
    cr_expect_eq(number(&v, swapped, "out place 0"), 1);
    cr_expect_eq(number(&v, swapped, "step in"), log2f(32 * 4));
    cr_expect_eq(number(&v, swapped, "rank"), 3);
}

/* Its output is 32x6x40x20, whose strides in the input are 40, 25600, 1, 1280. */
Test(features, of_a_permutation_say_where_the_fastest_of_each_side_stand_on_the_other)
{
    static const struct {
        const char *name;
        double value;
    } LOGARITHMS[] = {
        { "in extent 0", 40 },  { "in extent 1", 32 },  { "in extent 2", 20 }, { "in extent 3", 6 },
        { "out extent 0", 20 }, { "out extent 1", 40 }, { "out extent 2", 6 }, { "out extent 3", 32 },
        { "in bytes 1", 5120 }, { "in bytes 3", 614400 }, { "out bytes 0", 80 }, { "out bytes 1", 3200 },
        { "step in", 5120 },    { "step out", 80 },
    }, WHOLE[] = {
        { "in place 0", 1 },  { "in place 1", 3 },  { "in place 2", 0 },  { "in place 3", 2 },
        { "out place 0", 2 }, { "out place 1", 0 }, { "out place 2", 3 }, { "out place 3", 1 },
        { "in twos 0", 5 },   { "in twos 1", 8 },   { "out twos 0", 4 },  { "out twos 1", 7 },
        { "twos step in", 8 }, { "twos step out", 4 }, { "rank", 4 },
    };
    float numbers[ATX_MAX_MODEL_FEATURES];
    atx_model_features v = numbers_of(numbers, "6x20x32x40:2.0.3.1", 256);
    for (size_t i = 0; i < sizeof LOGARITHMS / sizeof *LOGARITHMS; i++)
        cr_expect_float_eq(number(&v, numbers, LOGARITHMS[i].name), log2(LOGARITHMS[i].value), 1e-5, "%s",
                           LOGARITHMS[i].name);
    for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++)
        cr_expect_eq(number(&v, numbers, WHOLE[i].name), WHOLE[i].value, "%s", WHOLE[i].name);
}

Test(features, of_a_permutation_with_few_dimensions_say_that_others_are_nowhere)
{
    float numbers[ATX_MAX_MODEL_FEATURES];
    atx_model_features v = numbers_of(numbers, "40x20x32:0.2.1", 256);
    cr_expect_eq(number(&v, numbers, "in place 3"), -1);
    cr_expect_eq(number(&v, numbers, "out place 3"), -1);
    cr_expect_eq(number(&v, numbers, "in extent 3"), 0);
    cr_expect_eq(number(&v, numbers, "out bytes 3"), number(&v, numbers, "out bytes 2"));
}

Test(features, of_alignments_are_those_and_no_strides)
{
    float numbers[ATX_MAX_MODEL_FEATURES];
    atx_model_features v = numbers_of(numbers, "3x5x7x9x2x3x2x4:7.6.5.4.3.2.1.0", 16);
    cr_expect_eq(number(&v, numbers, "align_in"), 16);
    cr_expect_eq(number(&v, numbers, "align_out"), 16);
}

static int add_names(char (*names)[ATX_MAX_NAME], int count, const atx_model_features *v)
{
    char name[ATX_MAX_NAME];
    for (int i = 0; i < v->count; i++) {
        int k = 0;
        atx_model_features_name(name, v, i);
        for (; k < count && strcmp(names[k], name) != 0; k++) {
        }
        if (k == count && name[0])
            memcpy(names[count++], name, sizeof name);
    }
    return count;
}

/* Of a template's a model keeps those that differ between trials, as far as it has room. */
Test(features, of_a_problem_leave_room_for_those_of_all_templates)
{
    static char names[4 * ATX_MAX_MODEL_FEATURES][ATX_MAX_NAME];
    for (int i = 0; i < atx_catalog_op_count(catalog); i++) {
        const atx_op *op = atx_catalog_op(catalog, i);
        atx_model_features own = atx_model_features_of(op, NULL);
        int count = add_names(names, 0, &own);
        cr_expect_eq(count, own.count, "%s: two features of a problem have one name", op->name);
        cr_expect_leq(count, ATX_MAX_SEEN / 2, "%s: a problem has %d features", op->name, count);
        for (int k = 0; k < atx_catalog_template_count(catalog, op); k++) {
            const atx_template *t = atx_catalog_template(catalog, op, k);
            atx_model_features v = atx_model_features_of(op, t);
            count = add_names(names, count, &v);
            cr_expect_leq(count, 1000, "%s: learning has no room for the names of %s", op->name, t->name);
        }
    }
}
