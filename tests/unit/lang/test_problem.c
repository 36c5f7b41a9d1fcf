/* test_problem.c - shapes against dimensions, binding, configurations as text, launch geometry. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "declare_support.h"

#define TEMPLATE                                                                                             \
    MINI_TEMPLATE("param TILE = 16 32 -4\nparam ORDER = fast slow\nparam BIG = 9223372036854775807 1\n"      \
                  "let area = TILE * TILE\nconst WIDE = ORDER == ORDER_slow && count > 10\n"                 \
                  "grid ceil_div(rows, TILE) cols\nblock area\nshared area * sizeof(T)\n")

static at_status init(atx_problem *out, const atx_op *op, const int64_t *sizes, int count, at_error *err)
{
    return atx_problem_init(out, op, ATX_F32, sizes, count, err);
}

static void check_shape(const atx_op *op, const int64_t *sizes, int count, const char *expected)
{
    atx_problem problem;
    at_error err = { 0 };
    atx_str shape = { 0 };
    cr_assert_eq(init(&problem, op, sizes, count, &err), AT_OK, "%s", err.text);
    atx_problem_shape(&shape, &problem);
    cr_assert_str_eq(atx_str_text(&shape), expected);
    atx_str_clear(&shape);
}

Test(problem, writes_a_canonical_shape)
{
    atx_op *op = read_op(MINI_OP);
    check_shape(op, (int64_t[]){ 4096, 128 }, 2, "4096x128");
    check_shape(op, (int64_t[]){ 1, 4096, 128 }, 3, "4096x128");
    check_shape(op, (int64_t[]){ 8, 4096, 128 }, 3, "8x4096x128");
    check_shape(op, (int64_t[]){ 1, 1 }, 2, "1x1");
    atx_op_close(op);
    op = read_op(
        "/*!autotune\nop c\nshape a=1 b=2 c\ntype T = f32\narg y T[c] output\nreference r\ngrid 1\nblock 1\n"
        "traffic c\n*/ r");
    check_shape(op, (int64_t[]){ 7 }, 1, "7");
    check_shape(op, (int64_t[]){ 2, 7 }, 2, "7");
    check_shape(op, (int64_t[]){ 1, 7 }, 2, "1x7");
    check_shape(op, (int64_t[]){ 3, 2, 7 }, 3, "3x2x7");
    atx_op_close(op);
}

#define COUNTED                                                                                              \
    "/*!autotune\nop c\nshape n\ntype T = f32\narg y T[n] output\nreference r\ngrid 1\nblock 1\n"            \
    "traffic n\nops n - 8\n*/ r"

Test(problem, its_key_says_what_counts_as_operations)
{
    atx_op *op = read_op(COUNTED);
    atx_problem p;
    atx_problem_key key;
    at_error err = { 0 };
    atx_str shape = { 0 };
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 1008 }, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_key_of(&key, &shape, &p, &err), AT_OK, "%s", err.text);
    cr_assert_eq(key.ops_count, 1000);
    cr_assert_float_eq(atx_gflop_per_s(key.ops_count, 1e-6), 1, 1e-9);
    cr_assert_eq(atx_gflop_per_s(key.ops_count, 0), 0);
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 5 }, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_key_of(&key, &shape, &p, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, ":10:5: ops 'n - 8' is -3; expected 0 or more"), "%s", err.text);
    atx_str_clear(&shape);
    atx_op_close(op);
}

/* A matrix whose rows may lie apart. */
#define PITCHED                                                                                              \
    "/*!autotune\nop p\nshape rows cols\npitch ld = cols\ntype T = f32\nlet bytes = rows * ld * sizeof(T)\n" \
    "arg y T[rows * ld] output\narg ld i64\nreference r\ngrid 1\nblock 1\ntraffic bytes\n*/ r"

Test(problem, leading_dimensions_are_sizes_of_the_problem)
{
    static const atx_limits NO_DEVICE = { 0 };
    int64_t slots[ATX_MAX_SLOTS], traffic = 0;
    atx_op *op = read_op(PITCHED);
    atx_problem p;
    at_error err = { 0 };
    atx_str shape = { 0 };
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 6, 5 }, 2, &err), AT_OK, "%s", err.text);
    cr_assert(atx_problem_is_dense(&p));
    cr_assert_eq(atx_problem_set_pitches(&p, (int64_t[]){ 8 }, 1, &err), AT_OK, "%s", err.text);
    cr_assert_not(atx_problem_is_dense(&p));
    atx_problem_shape(&shape, &p);
    cr_assert_str_eq(atx_str_text(&shape), "6x5/8");
    cr_assert_eq(atx_problem_bind(slots, &p, &NO_DEVICE, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_expr_eval(&traffic, op->goal.traffic, slots, &err), AT_OK);
    cr_assert_eq(traffic, 6 * 8 * 4);
    cr_assert_eq(atx_problem_set_pitches(&p, (int64_t[]){ 4 }, 1, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "found ld = 4; expected at least cols = 5");
    cr_assert_eq(atx_problem_set_pitches(&p, (int64_t[]){ 8, 8 }, 2, &err), AT_ERR_INPUT);
    cr_assert_eq(p.dims[2], 8, "a refusal changes nothing");
    cr_assert_eq(atx_problem_set_pitches(&p, (int64_t[]){ 0 }, 1, &err), AT_OK);
    cr_assert(atx_problem_is_dense(&p), "0 is dense");
    atx_str_clear(&shape);
    atx_op_close(op);
}

/* A matrix and a vector that may begin anywhere, and a result that may not. */
#define ALIGNED                                                                                              \
    "/*!autotune\nop a\nshape rows cols\npitch ld = cols\ntype T = storage\narg y T[rows] output\n"          \
    "arg a T[rows * ld] input\narg x T[cols] input\narg ld i64\nalign align_a = a\nalign align_x = x\n"      \
    "reference r\ngrid 1\nblock 1\ntraffic rows * cols\n*/ r"

static void check_aligns(atx_problem *p, const int64_t *aligns, int count, const char *expected)
{
    atx_str shape = { 0 };
    at_error err = { 0 };
    cr_assert_eq(atx_problem_set_aligns(p, aligns, count, &err), AT_OK, "%s", err.text);
    atx_problem_shape(&shape, p);
    cr_assert_str_eq(atx_str_text(&shape), expected);
    atx_str_clear(&shape);
}

Test(problem, alignments_are_sizes_of_the_problem)
{
    static const atx_limits NO_DEVICE = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_op *op = read_op(ALIGNED);
    atx_problem p;
    at_error err = { 0 };
    cr_assert_eq(op->shape.aligns[0].pitch, 0, "rows of a begin where ld says");
    cr_assert_eq(op->shape.aligns[1].pitch, -1);
    cr_assert_eq(atx_problem_init(&p, op, ATX_F32, (int64_t[]){ 6, 5 }, 2, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_size_count(op), 5);
    check_aligns(&p, NULL, 0, "6x5");
    check_aligns(&p, (int64_t[]){ 256, 0 }, 2, "6x5");
    check_aligns(&p, (int64_t[]){ 4 }, 1, "6x5@4");
    check_aligns(&p, (int64_t[]){ 8, 8 }, 2, "6x5@8");
    check_aligns(&p, (int64_t[]){ 16, 0 }, 2, "6x5@16x256");
    cr_assert(atx_problem_is_dense(&p), "alignment says nothing of rows");
    cr_assert_eq(atx_problem_align_of(&p, 1), 16);
    cr_assert_eq(atx_problem_align_of(&p, 2), 256);
    cr_assert_eq(atx_problem_align_of(&p, 0), 256, "declared without");
    cr_assert_eq(atx_problem_bind(slots, &p, &NO_DEVICE, &err), AT_OK, "%s", err.text);
    cr_assert_eq(slots[op->shape.aligns[0].slot], 16);
    cr_assert_eq(atx_problem_set_pitches(&p, (int64_t[]){ 8 }, 1, &err), AT_OK);
    check_aligns(&p, (int64_t[]){ 16, 4 }, 2, "6x5/8@16x4");
    cr_assert_eq(atx_problem_set_aligns(&p, (int64_t[]){ 4, 24 }, 2, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text,
                     "found align_x = 24; expected a power of two from 4 (an element of f32) to 256 "
                     "bytes");
    cr_assert_eq(atx_problem_align_of(&p, 1), 16, "a refusal changes nothing");
    atx_op_close(op);
}

#define NARROW                                                                                               \
    "/*!autotune\nop a\nshape rows cols\npitch ld = cols\ntype T = storage\narg y T[rows] output\n"          \
    "arg a T[rows * ld] input\narg rows i32\narg last i32 = rows - 1 - cols\narg ld i32\narg wide i64 = 4 "  \
    "* rows\n"                                                                                               \
    "arg per_sm i32 = rows * device.sms\nreference r\ngrid 1\nblock 1\ntraffic rows * cols\n*/ r"

/* Every way to a kernel begins with a problem, or binds one. */
Test(problem, an_i32_argument_has_its_value_or_there_is_no_problem)
{
    const atx_limits one = { .sms = 1 }, two = { .sms = 2 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_op *op = read_op(NARROW);
    atx_problem p;
    at_error err = { 0 };
    cr_assert_eq(init(&p, op, (int64_t[]){ INT32_MAX, 5 }, 2, &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_problem_bind(slots, &p, &one, &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_problem_bind(slots, &p, &two, &err), AT_ERR_INPUT, "rows * device.sms is 2^32 - 2");
    cr_expect(strstr(err.text, "found per_sm = 4294967294; expected -2147483648 to 2147483647"), "%s",
              err.text);
    cr_expect_eq(init(&p, op, (int64_t[]){ INT32_MAX + 1LL, 5 }, 2, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "a 2147483648x5 f32: found rows = 2147483648; expected "), "%s", err.text);
    cr_expect_eq(init(&p, op, (int64_t[]){ 2, INT32_MAX + 3LL }, 2, &err), AT_ERR_INPUT, "below the range");
    cr_expect(strstr(err.text, "found last = -2147483649; expected "), "%s", err.text);
    cr_assert_eq(init(&p, op, (int64_t[]){ 2, 5 }, 2, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_set_pitches(&p, (int64_t[]){ 3000000000 }, 1, &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_problem_bind(slots, &p, &one, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "a 2x5/3000000000 f32: found ld = 3000000000; expected "), "%s", err.text);
    atx_op_close(op);
}

Test(problem, says_what_shape_is_expected)
{
    atx_op *op = read_op(MINI_OP);
    atx_problem problem = { .dims = { 77 } };
    at_error err = { 0 };
    int64_t sizes[4] = { 1, 2, 3, 4 };
    cr_assert_eq(init(&problem, op, sizes, 1, &err), AT_ERR_INPUT);
    cr_assert_str_eq(
        err.text, "found 1 size; mini expects batch=1 x rows x cols (those with a default may be left out)");
    cr_assert_eq(init(&problem, op, sizes, 4, &err), AT_ERR_INPUT);
    cr_assert_eq(init(&problem, op, sizes, 0, &err), AT_ERR_INPUT);
    sizes[1] = -2;
    cr_assert_eq(init(&problem, op, sizes, 3, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "found rows = -2; expected 0 or more");
    sizes[1] = 0;
    cr_assert_eq(init(&problem, op, sizes, 3, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "mini 0x3 f32: it must satisfy count > 0 (nothing to do)");
    sizes[1] = INT64_MAX;
    cr_assert_eq(init(&problem, op, sizes, 3, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text,
                     "mini 9223372036854775807x3 f32: op.cu:5:32: overflow in 'batch * rows * cols'");
    cr_assert_eq(problem.dims[0], 77, "outputs stay as they were");
    atx_op_close(op);
}

Test(problem, says_what_types_are_expected)
{
    atx_op *op = read_op(MINI_OP_HEAD "type T = f16 f64\n" MINI_OP_TAIL);
    atx_problem problem;
    at_error err = { 0 };
    int64_t sizes[2] = { 2, 3 };
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, sizes, 2, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "found type f32; mini expects one of f16 f64");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F64, sizes, 2, &err), AT_OK);
    atx_op_close(op);
}

Test(problem, binds_dimensions_limits_and_lets)
{
    atx_op *op = read_op(MINI_OP);
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    bind_problem(slots, op, 64, 32);
    cr_assert_eq(slots[atx_symbols_find(&op->scope.symbols, "batch", 5)], 1);
    cr_assert_eq(slots[atx_symbols_find(&op->scope.symbols, "cols", 4)], 32);
    cr_assert_eq(slots[atx_symbols_find(&op->scope.symbols, "sizeof(T)", 9)], 4);
    cr_assert_eq(slots[atx_symbols_find(&op->scope.symbols, "device.cc", 9)], 90);
    cr_assert_eq(slots[atx_symbols_find(&op->scope.symbols, "device.memory_bytes", 19)], 150000000000);
    cr_assert_eq(slots[atx_symbols_find(&op->scope.symbols, "count", 5)], 2048);
    atx_op_close(op);
}

/* What depends on the device is looked at only once there is one. */
Test(problem, leaves_the_device_to_binding)
{
    atx_op *op =
        read_op(MINI_OP_HEAD "type T = storage\nlet fits = device.memory_bytes / 100\nlet half = fits / 2\n"
                             "require rows < half # too large\nrequire device.sms > 1\n" MINI_OP_TAIL);
    atx_limits limits = some_limits();
    atx_problem problem;
    at_error err = { 0 };
    int64_t sizes[2] = { 1000000000, 1 }, slots[ATX_MAX_SLOTS];
    cr_assert_eq(init(&problem, op, sizes, 2, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "mini 1000000000x1 f32: it must satisfy rows < half (too large)");
    limits.memory_bytes = INT64_MAX;
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    atx_op_close(op);
}

/* ---- configurations ---- */

Test(problem, reads_a_configuration_back)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, TEMPLATE);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            atx_config config = { { t->scope.params[0].values[i], k, t->scope.params[2].values[k] } },
                       back = { { 0 } };
            atx_str text = { 0 };
            atx_config_text(&text, t, &config);
            cr_assert_eq(atx_config_parse(&back, t, atx_str_text(&text), NULL), AT_OK);
            cr_assert_arr_eq(back.values, config.values, sizeof back.values);
            atx_str_clear(&text);
        }
    }
    atx_str text = { 0 };
    atx_config_text(&text, t, &(atx_config){ { 32, 1, 1 } });
    cr_assert_str_eq(atx_str_text(&text), "TILE=32 ORDER=slow BIG=1");
    atx_str_clear(&text);
    atx_template_close(t);
    atx_op_close(op);
}

static const struct {
    const char *text, *message;
} CONFIGS[] = {
    { "", "found no value for TILE; expected every parameter of template t" },
    { "TILE=16 ORDER=fast", "found no value for BIG" },
    { "TILE=16 ORDER=fast BIG=1 TILE=16", "found 'TILE=16'; expected parameter TILE once" },
    { "TILE=17 ORDER=fast BIG=1",
      "found 'TILE=17'; parameter TILE of template t has no such value, it has: " },
    { "TILE=16 ORDER=0 BIG=1", "found 'ORDER=0'; parameter ORDER" },
    { "TILE=fast", "has no such value" },
    { "TILE=", "has no such value" },
    { "TILE=+16", "has no such value" },
    { "TILE=16x", "has no such value" },
    { "TILE=9223372036854775808", "has no such value" },
    { "BIG=9223372036854775808", "has no such value" },
    { "BIG=99999999999999999999999999999", "has no such value" },
    { "tile=16", "template t has no such parameter, it has: TILE ORDER BIG" },
    { "=16", "template t has no such parameter" },
    { "TILE 16", "found 'TILE'; expected PARAMETER=VALUE" },
};

Test(problem, explains_bad_configurations)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, TEMPLATE);
    for (size_t i = 0; i < sizeof CONFIGS / sizeof *CONFIGS; i++) {
        atx_config config = { { 5 } };
        at_error err = { 0 };
        cr_expect_eq(atx_config_parse(&config, t, CONFIGS[i].text, &err), AT_ERR_INPUT, "%s",
                     CONFIGS[i].text);
        cr_expect_not_null(strstr(err.text, CONFIGS[i].message), "%s: %s", CONFIGS[i].text, err.text);
        cr_expect_eq(config.values[0], 5);
    }
    atx_config config;
    cr_assert_eq(atx_config_parse(&config, t, " BIG=9223372036854775807\tTILE=-4\nORDER=slow ", NULL), AT_OK);
    cr_assert_eq(config.values[2], INT64_MAX);
    atx_template_close(t);
    atx_op_close(op);
}

Test(problem, binds_a_configuration_and_its_launch)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, TEMPLATE);
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_geometry g = { 0 };
    at_error err = { 0 };
    bind_problem(slots, op, 100, 7);
    cr_assert_eq(atx_config_bind(slots, t, &(atx_config){ { 16, 1, 1 } }, &err), AT_OK, "%s", err.text);
    cr_assert_eq(slots[atx_symbols_find(&t->scope.symbols, "area", 4)], 256);
    cr_assert_eq(slots[atx_symbols_find(&t->scope.symbols, "WIDE", 4)], 1);
    cr_assert_eq(slots[atx_symbols_find(&t->scope.symbols, "ORDER_slow", 10)], 1);
    cr_assert_eq(atx_geometry_of(&g, &t->call.steps[0].launch, slots, &err), AT_OK, "%s", err.text);
    cr_assert_eq(g.grid[0], 7);
    cr_assert_eq(g.grid[1], 7);
    cr_assert_eq(g.grid[2], 1);
    cr_assert_eq(g.block[0], 256);
    cr_assert_eq(g.block[2], 1);
    cr_assert_eq(g.shared_bytes, 1024);

    cr_assert_eq(atx_config_bind(slots, t, &(atx_config){ { -4, 0, 1 } }, &err), AT_OK);
    cr_assert_eq(atx_geometry_of(&g, &t->call.steps[0].launch, slots, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:8:6: grid 'ceil_div(rows, TILE)' is -25; expected 1 to 2147483647");
    cr_assert_eq(atx_config_bind(slots, t, &(atx_config){ { INT64_MAX, 0, 1 } }, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:6:17: overflow in 'TILE * TILE'");
    atx_template_close(t);
    atx_op_close(op);
}
