/* test_traits.c - what a model sees of a problem. */
#include "model/traits.h"

#include "lang/arch.h"
#include "lang/catalog.h"
#include "lang/layout.h"
#include "model/forest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static at__catalog *catalog;

static void open_all(void)
{
    at_error err = { 0 };
    cr_assert_eq(at__catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
}

static void close_all(void)
{
    at__catalog_close(catalog);
}

TestSuite(traits, .init = open_all, .fini = close_all);

/* Fills the numbers of a permutation of floats; returns its traits. */
static at__traits numbers_of(float *out, const char *shape, int64_t align)
{
    at_error err = { 0 };
    at__problem p;
    at__limits limits;
    int64_t slots[AT__MAX_SLOTS];
    const at__op *op = at__catalog_find_op(catalog, "permute");
    at__traits v = at__traits_of(op, NULL);
    at__arch_limits(&limits, 90);
    cr_assert(at__layout_read_shape(&p, op, AT__F32, shape), "%s", shape);
    cr_assert_eq(at__problem_set_aligns(&p, &align, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at__problem_bind(slots, &p, &limits, &err), AT_OK, "%s", err.text);
    at__traits_problem(out, &v, &p, slots);
    return v;
}

static float number(const at__traits *v, const float *numbers, const char *wanted)
{
    char name[AT__MAX_NAME];
    for (int i = 0; i < v->problem_count; i++) {
        at__traits_name(name, v, i);
        if (strcmp(name, wanted) == 0)
            return numbers[i];
    }
    cr_assert_fail("no trait is called %s", wanted);
    return 0;
}

Test(traits, tell_permutations_apart_that_differ_in_their_order_alone)
{
    float reversed[AT__MAX_TRAITS], turned[AT__MAX_TRAITS];
    at__traits v = numbers_of(reversed, "20x32x40:2.1.0", 256); /* both write 40x32x20 */
    numbers_of(turned, "40x20x32:0.2.1", 256);
    cr_expect_eq(number(&v, reversed, "n6"), number(&v, turned, "n6"));
    cr_expect_eq(number(&v, reversed, "in bytes 0"), log2f(40 * 4));
    cr_expect_eq(number(&v, reversed, "in extent 1"), 5, "rows of the input are 32 apart");
    cr_expect_eq(number(&v, turned, "in extent 1"), log2f(20));
    cr_expect_eq(number(&v, reversed, "out place 0"), 2, "the output's fastest is the input's slowest");
    cr_expect_eq(number(&v, turned, "out place 0"), 1);
    cr_expect_eq(number(&v, turned, "step in"), log2f(32 * 4));
    cr_expect_eq(number(&v, turned, "rank"), 3);
}

Test(traits, of_alignments_are_those_and_no_strides)
{
    float numbers[AT__MAX_TRAITS];
    at__traits v = numbers_of(numbers, "3x5x7x9x2x3x2x4:7.6.5.4.3.2.1.0", 16);
    cr_expect_eq(number(&v, numbers, "align_in"), 16);
    cr_expect_eq(number(&v, numbers, "align_out"), 16);
}

static int add_names(char (*names)[AT__MAX_NAME], int count, const at__traits *v)
{
    char name[AT__MAX_NAME];
    for (int i = 0; i < v->count; i++) {
        int k = 0;
        at__traits_name(name, v, i);
        for (; k < count && strcmp(names[k], name) != 0; k++) {
        }
        if (k == count && name[0])
            memcpy(names[count++], name, sizeof name);
    }
    return count;
}

/* Of a template's a model keeps those that differ between trials, as far as it has room. */
Test(traits, of_a_problem_leave_room_for_those_of_all_templates)
{
    static char names[4 * AT__MAX_TRAITS][AT__MAX_NAME];
    for (int i = 0; i < at__catalog_op_count(catalog); i++) {
        const at__op *op = at__catalog_op(catalog, i);
        at__traits own = at__traits_of(op, NULL);
        int count = add_names(names, 0, &own);
        cr_expect_eq(count, own.count, "%s: two traits of a problem have one name", op->name);
        cr_expect_leq(count, AT__MAX_SEEN / 2, "%s: a problem has %d traits", op->name, count);
        for (int k = 0; k < at__catalog_template_count(catalog, op); k++) {
            const at__template *t = at__catalog_template(catalog, op, k);
            at__traits v = at__traits_of(op, t);
            count = add_names(names, count, &v);
            cr_expect_leq(count, 1000, "%s: learning has no room for the names of %s", op->name, t->name);
        }
    }
}
