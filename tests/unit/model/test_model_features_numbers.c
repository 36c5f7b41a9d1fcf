/*
 * test_model_features_numbers.c - what each number says that a model sees of a problem and of a launch, by
 * its name. Winners are predicted from models that were learned long before: a number must go on to mean the
 * same.
 */
#include "declare_support.h"
#include "model/model_features.h"

#include <math.h>
#include <stdio.h>

/* A small op, by its lines of sizes, type and traffic. */
#define OP_OF(sizes, type, aligns, traffic)                                                                  \
    "/*!autotune\nop mini\nshape " sizes "\ntype T = " type "\narg y T[rows * cols] output\n"                \
    "arg x T[rows * cols] input\n" aligns "reference r\ngrid 1\nblock 1\ntraffic " traffic "\n*/ r"
#define DENSE "rows * cols * sizeof(T)"
#define OP    OP_OF("rows cols", "f32", "", DENSE)

/* One problem of it, on a device, with all that is seen. */
typedef struct seen {
    atx_op *op;
    atx_template *t;
    atx_model_features features;
    atx_problem problem;
    atx_limits limits;
    int64_t slots[ATX_MAX_SLOTS];
    float numbers[ATX_MAX_MODEL_FEATURES];
} seen;

static void look_on(seen *s, atx_dtype type, const int64_t *sizes, int count)
{
    at_error err = { 0 };
    cr_assert_eq(atx_problem_init(&s->problem, s->op, type, sizes, count, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(s->slots, &s->problem, &s->limits, &err), AT_OK, "%s", err.text);
    atx_model_features_problem(s->numbers, &s->features, &s->problem, s->slots);
}

static seen look(const char *op, atx_dtype type, int64_t rows, int64_t cols)
{
    seen s = { .op = read_op(op), .limits = some_limits() };
    s.features = atx_model_features_of(s.op, NULL);
    look_on(&s, type, (int64_t[]){ rows, cols }, 2);
    return s;
}

static void close_seen(seen *s)
{
    atx_template_close(s->t);
    atx_op_close(s->op);
}

/* The place of a feature; -1: there is none of this name. */
static int place_of(const seen *s, const char *wanted)
{
    char name[ATX_MAX_NAME];
    for (int i = 0; i < s->features.count; i++) {
        atx_model_features_name(name, &s->features, i);
        if (strcmp(name, wanted) == 0)
            return i;
    }
    return -1;
}

static void expect(const seen *s, const char *name, double value)
{
    int place = place_of(s, name);
    cr_assert_geq(place, 0, "no feature is called %s", name);
    cr_expect_float_eq(s->numbers[place], value, 1e-4, "%s is %g, not %g", name, s->numbers[place], value);
}

/* ---- of the problem ---- */

Test(features_numbers, a_problem_has_its_elements_its_traffic_and_its_device)
{
    seen s = look(OP_OF("rows cols", "f32", "", "3 * rows * cols * sizeof(T)"), ATX_F32, 1000, 96);
    s.numbers[ATX_MODEL_FEATURE_ELSEWHERE] = 7;
    s.limits.l2_bytes = 1 << 20;
    look_on(&s, ATX_F32, (int64_t[]){ 1000, 96 }, 2);
    expect(&s, "elsewhere", 0);
    expect(&s, "element bytes", 4);
    expect(&s, "cc", 90);
    expect(&s, "sms", 132);
    expect(&s, "elements", log2(96e3));
    expect(&s, "traffic", log2(12 * 96e3));
    expect(&s, "traffic in L2", log2(12 * 96e3) - 20);
    close_seen(&s);
}

Test(features_numbers, traffic_in_an_l2_of_unknown_size_is_traffic)
{
    seen s = look(OP, ATX_F32, 64, 64);
    s.limits.l2_bytes = 0;
    look_on(&s, ATX_F32, (int64_t[]){ 64, 64 }, 2);
    expect(&s, "traffic in L2", 14);
    close_seen(&s);
}

Test(features_numbers, where_traffic_is_no_number_above_zero_it_is_that_of_the_elements)
{
    static const char *const OPS[] = {
        OP_OF("rows cols", "f32", "", "rows - 64"),
        OP_OF("rows cols", "f32", "", "rows * 9000000000000000000"),
        OP_OF("rows cols", "f32", "", "100 + rows / (cols - 32)"),
        "/*!autotune\nop mini\nrecorded\nshape rows cols\ntype T = f32\n*/",
    };
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
        seen s = look(OPS[i], ATX_F32, 64, 32);
        expect(&s, "traffic", log2(64 * 32 * 4));
        close_seen(&s);
    }
}

/* Where types of one size are stored alike, they have the same kernels. */
Test(features_numbers, a_type_counts_where_the_operation_computes_with_it)
{
    seen stored = look(OP_OF("rows cols", "storage", "", DENSE), ATX_I32, 64, 64);
    seen computed = look(OP_OF("rows cols", "f32 i32", "", DENSE), ATX_I32, 64, 64);
    expect(&stored, "type", 0);
    expect(&computed, "type", ATX_I32);
    close_seen(&stored);
    close_seen(&computed);
}

Test(features_numbers, a_size_is_itself_its_logarithm_and_its_bytes_with_their_powers_of_two)
{
    seen s = look(OP, ATX_F32, 1000, 4096);
    expect(&s, "rows", 1000);
    expect(&s, "log rows", log2(1000));
    expect(&s, "bytes rows", log2(4000));
    expect(&s, "twos rows", 5);
    expect(&s, "twos cols", 8); /* no access is as wide */
    close_seen(&s);
}

Test(features_numbers, two_sizes_have_a_ratio_an_area_and_a_lesser_one)
{
    seen s = look(OP, ATX_F32, 24, 18), swapped = look(OP, ATX_F32, 18, 24);
    expect(&s, "ratio rows cols", log2(24.0 / 18));
    expect(&s, "area rows cols", log2(24 * 18 * 4));
    expect(&s, "area twos rows cols", 6);
    expect(&s, "lesser rows cols", 18);
    expect(&swapped, "ratio rows cols", log2(18.0 / 24));
    expect(&swapped, "lesser rows cols", 18);
    close_seen(&s);
    close_seen(&swapped);
}

Test(features_numbers, a_problem_without_elements_has_numbers_too)
{
    seen s = look(OP, ATX_F32, 64, 64);
    s.problem.dims[0] = 0;
    atx_model_features_problem(s.numbers, &s.features, &s.problem, s.slots);
    expect(&s, "log rows", -1);
    expect(&s, "twos rows", 8);
    close_seen(&s);
}

Test(features_numbers, an_area_that_no_number_of_64_bits_holds_has_no_powers_of_two)
{
    seen s = look(OP, ATX_F32, 64, 64);
    s.problem.dims[0] = s.problem.dims[1] = (int64_t)1 << 40;
    atx_model_features_problem(s.numbers, &s.features, &s.problem, s.slots);
    expect(&s, "area rows cols", 82);
    expect(&s, "area twos rows cols", 0);
    close_seen(&s);
}

Test(features_numbers, pitches_and_alignments_stand_by_their_names)
{
    static const char SPARSE[] = OP_OF("rows cols\npitch ld_x = cols\npitch ld_y = rows", "f32",
                                       "align at_x = x\nalign at_y = y\n", DENSE);
    seen s = look(SPARSE, ATX_F32, 10, 20);
    s.problem.dims[2] = 30;
    s.problem.dims[3] = 40;
    at_error err = { 0 };
    cr_assert_eq(atx_problem_set_aligns(&s.problem, (int64_t[]){ 16, 64 }, 2, &err), AT_OK, "%s", err.text);
    atx_model_features_problem(s.numbers, &s.features, &s.problem, s.slots);
    expect(&s, "ld_x", 30);
    expect(&s, "ld_y", 40);
    expect(&s, "at_x", 16);
    expect(&s, "at_y", 64);
    close_seen(&s);
}

/* A model has room for 250 features. */
Test(features_numbers, each_two_of_four_dimensions_are_compared_and_of_more_neighbours)
{
    seen four = { .op = read_op(OP_OF("a b rows cols", "f32", "", DENSE)), .limits = some_limits() };
    seen five = { .op = read_op(OP_OF("a b c rows cols", "f32", "", DENSE)), .limits = some_limits() };
    four.features = atx_model_features_of(four.op, NULL);
    five.features = atx_model_features_of(five.op, NULL);
    look_on(&four, ATX_F32, (int64_t[]){ 1, 2, 4, 8 }, 4);
    look_on(&five, ATX_F32, (int64_t[]){ 1, 2, 4, 8, 16 }, 5);
    expect(&four, "ratio a cols", -3);
    expect(&four, "ratio b rows", -1);
    expect(&four, "lesser rows cols", 4);
    expect(&five, "ratio a b", -1);
    expect(&five, "area c rows", log2(4 * 8 * 4));
    expect(&five, "lesser rows cols", 8);
    cr_expect_eq(place_of(&five, "ratio a c"), -1);
    cr_expect_eq(place_of(&five, "ratio b cols"), -1);
    close_seen(&four);
    close_seen(&five);
}

/* ---- of a launch ---- */

/* A launch of 528 floats' problem of 2^20 bytes of traffic. */
static seen launch(const char *lines, atx_geometry g, int64_t sms)
{
    char text[512];
    seen s = { .op = read_op(OP_OF("rows cols", "f32", "", "1048576")), .limits = some_limits() };
    at_error err = { 0 };
    atx_config first = { { 0 } };
    snprintf(text, sizeof text, MINI_SPACE("%s"), lines);
    s.t = read_template(s.op, text);
    s.features = atx_model_features_of(s.op, s.t);
    s.limits.sms = sms;
    look_on(&s, ATX_F32, (int64_t[]){ 16, 33 }, 2);
    for (int i = 0; i < s.t->scope.param_count; i++)
        first.values[i] = s.t->scope.params[i].values[1];
    cr_assert_eq(atx_config_bind(s.slots, s.t, &first, &err), AT_OK, "%s", err.text);
    atx_model_features_config(s.numbers, &s.features, s.slots, &g);
    return s;
}

/* 256 threads: a multiprocessor of 2048 has room for eight such blocks. */
static seen launch_of(int64_t blocks)
{
    return launch("", (atx_geometry){ .grid = { blocks, 1, 1 }, .block = { 256, 1, 1 } }, 10);
}

Test(features_numbers, a_launch_has_its_blocks_in_all_their_dimensions)
{
    seen s =
        launch("", (atx_geometry){ .grid = { 5, 3, 2 }, .block = { 8, 4, 2 }, .shared_bytes = 2047 }, 10);
    expect(&s, "blocks", log2(30));
    expect(&s, "threads of a block", 64);
    expect(&s, "shared bytes", 11);
    expect(&s, "threads an element", log2(30 * 64 / 528.0));
    expect(&s, "bytes a block", 20 - log2(30));
    expect(&s, "shared bytes a byte", log2(30) + 11 - 20);
    close_seen(&s);
}

Test(features_numbers, a_launch_that_fills_one_and_a_half_times_all_multiprocessors_has_two_waves)
{
    seen s = launch_of(120);
    expect(&s, "resident blocks", 8);
    expect(&s, "resident threads", 2048);
    expect(&s, "waves", log2(1.5));
    expect(&s, "whole waves", 2);
    expect(&s, "share of waves used", 0.75);
    expect(&s, "busy threads", 1);
    expect(&s, "bytes under way", log2(80) + 20 - log2(120));
    expect(&s, "blocks of the fullest", 1);
    close_seen(&s);
}

Test(features_numbers, a_launch_that_leaves_multiprocessors_idle_says_how_many)
{
    seen s = launch_of(15);
    expect(&s, "busy threads", 15.0 / 80);
    expect(&s, "bytes under way", 20);
    expect(&s, "blocks of the fullest", 2 * 10 / 15.0);
    close_seen(&s);
}

/* From then on one more or less says nothing. */
Test(features_numbers, from_64_on_waves_and_blocks_of_the_fullest_are_many)
{
    seen below = launch_of(63 * 80), few = launch_of(631), many = launch_of(100 * 80 + 1);
    expect(&below, "whole waves", 63);
    expect(&few, "blocks of the fullest", 64 * 10 / 631.0);
    expect(&many, "whole waves", 64);
    expect(&many, "blocks of the fullest", 1);
    close_seen(&below);
    close_seen(&few);
    close_seen(&many);
}

Test(features_numbers, shared_memory_bounds_what_is_resident)
{
    atx_geometry g = { .grid = { 20, 1, 1 }, .block = { 256, 1, 1 }, .shared_bytes = 100 << 10 };
    seen s = launch("", g, 10);
    expect(&s, "resident blocks", 2);
    g.shared_bytes = 1 << 20; /* does not fit at all */
    seen none = launch("", g, 10);
    expect(&none, "resident blocks", 1);
    close_seen(&s);
    close_seen(&none);
}

Test(features_numbers, a_device_of_unknown_size_has_one_multiprocessor)
{
    seen s = launch("", (atx_geometry){ .grid = { 24, 1, 1 }, .block = { 256, 1, 1 } }, 0);
    expect(&s, "waves", log2(3));
    close_seen(&s);
}

Test(features_numbers, a_template_has_its_parameters_and_lets)
{
    seen s = launch("param A = 1 2 4\nparam B = fast slow slower\nlet c = 3 * A\nconst D = A + 5\n",
                    (atx_geometry){ .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } }, 10);
    expect(&s, ".A", 2);
    expect(&s, ".B", 1);
    expect(&s, ".c", 6);
    expect(&s, ".D", 7);
    close_seen(&s);
}

/* It is the same number everywhere. */
Test(features_numbers, what_a_label_stands_for_is_no_feature)
{
    seen s = launch("param A = 1..200\nparam B = fast slow slower\nparam C = 1 2\n",
                    (atx_geometry){ .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } }, 10);
    char name[ATX_MAX_NAME];
    int nameless = 0;
    for (int i = 0; i < s.features.count; i++) {
        atx_model_features_name(name, &s.features, i);
        nameless += !name[0];
    }
    cr_expect_eq(nameless, 3);
    expect(&s, ".A", 2);
    expect(&s, ".B", 1);
    expect(&s, ".C", 2);
    cr_expect_eq(place_of(&s, ".B_slower"), -1);
    close_seen(&s);
}

Test(features_numbers, long_names_are_cut)
{
    char name[ATX_MAX_NAME], line[2 * ATX_MAX_NAME] = "param ";
    for (int i = 0; i < ATX_MAX_NAME - 1; i++)
        strcat(line, "A");
    strcat(line, " = 1 2\n");
    seen s = launch(line, (atx_geometry){ .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } }, 10);
    atx_model_features_name(name, &s.features, s.features.count - 1);
    cr_expect_eq(strspn(name, ".A"), 61, "%s", name);
    cr_expect_eq(strlen(name), 61, "%s", name);
    close_seen(&s);
}
