/* test_declare_numbers.c - what an op says of numbers: inputs, scalars, types, checks, scratch; and bad
 * lines. */
#include "declare_support.h"
#include "declare/data.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Every kind of input, scalar and check. */
#define NUMBERS_OP                                                                                           \
    "/*!autotune\nop mini\nshape n\ntype A = f64\ntype T = f32 f16\nlet wide = sizeof(A)\n"                  \
    "arg y T[n] output zero\narg z A[n] inout constant 2.5\narg a T[n] input uniform -1e-1 .5\n"             \
    "arg b i32[n] input range 0 n - 1\narg c u8[n] input index 7\narg d T[n] input normal 0 1\n"             \
    "arg e i64[n] input permutation\narg f T[n] input bits\narg g i16[n] input\narg n i64\n"                 \
    "arg eps A = -1.5e-5\narg h f16 = 2\ncheck within 1e-3 relative 2 absolute\ncheck z within 3 ulp\n"      \
    "reference r\ngrid 1\nblock 1\ntraffic n\n*/ r"

Test(declare_numbers, reads_what_inputs_hold_and_when_outputs_are_right)
{
    static const int HOW[] = { ATX_BITS,   ATX_ONE_VALUE,   ATX_UNIFORM, ATX_RANGE, ATX_RANGE,
                               ATX_NORMAL, ATX_PERMUTATION, ATX_BITS,    ATX_BITS };
    atx_op *op = read_op(NUMBERS_OP);
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++)
        cr_assert_eq(op->args[i].input.how, HOW[i], "%s", op->args[i].name);
    cr_assert(op->args[0].zero && !op->args[1].zero);
    cr_assert(op->args[7].input.stated && !op->args[8].input.stated);
    cr_assert_eq(op->args[1].input.low, 2.5);
    cr_assert(op->args[2].input.low == -0.1 && op->args[2].input.high == 0.5);
    cr_assert_str_eq(atx_expr_text(op->args[3].input.upto), "n - 1");
    cr_assert_null(op->args[4].input.from);
    cr_assert_eq(atx_arg_type(&op->args[1], ATX_F16), ATX_F64);
    cr_assert_eq(atx_arg_type(&op->args[2], ATX_F16), ATX_F16);
    cr_assert_eq(atx_arg_type(&op->args[3], ATX_F16), ATX_I32);
    cr_assert(op->args[10].scalar_bytes == 8 && op->args[10].real == -1.5e-5 && !op->args[10].expr);
    cr_assert(op->args[11].scalar_bytes == 2 && op->args[11].type == ATX_F16);
    const atx_check y = op->args[0].check, z = op->args[1].check;
    cr_assert(y.rule == ATX_WITHIN && y.relative == 1e-3 && y.absolute == 2, "the line for all");
    cr_assert(z.rule == ATX_ULP && z.relative == 3, "a line of its own");
    atx_op_close(op);
}

#define SCALARS_OP                                                                                           \
    "/*!autotune\nop mini\nshape n\ntype T = f32\nlet half = n / 2\narg y T[n] output\narg a bool = n > 5\n" \
    "arg b i8 = -3\narg c u8 = n\narg d u16 = 65535\narg half i16\narg e u64 = n\narg f f32 = 1 / n\n"       \
    "arg g f16 = n\nreference r\ngrid 1\nblock 1\ntraffic n\n*/ r"

/* The value of an argument for n; false: its type does not have it. */
static bool scalar(int64_t *value, const atx_op *op, int arg, int64_t n)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    at_error err = { 0 };
    slots[atx_symbols_find(&op->scope.symbols, "n", 1)] = n;
    slots[atx_symbols_find(&op->scope.symbols, "half", 4)] = n / 2;
    return atx_scalar_check(&op->args[arg], slots, &err) == AT_OK &&
           atx_scalar_value(value, &op->args[arg], slots, &err) == AT_OK;
}

Test(declare_numbers, scalars_are_of_every_type_and_have_values_that_it_has)
{
    static const struct {
        int64_t n;
        int64_t values[8]; /* of the arguments, from the first scalar on */
    } GOOD[] = {
        { 8, { 1, -3, 8, 65535, 4, 8, 0x3e000000, 0x4800 } },
        { 4, { 0, -3, 4, 65535, 2, 4, 0x3e800000, 0x4400 } },
    };
    static const struct {
        int arg;
        int64_t n;
    } BAD[] = { { 3, 256 }, { 3, -1 }, { 5, 65536 }, { 6, -1 }, { 8, 65520 }, { 7, 0 } };
    static const int BYTES[] = { 1, 1, 1, 2, 2, 8, 4, 2 };
    atx_op *op = read_op(SCALARS_OP);
    int64_t value = 0;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++)
        for (int k = 0; k < 8; k++) {
            cr_assert_eq(op->args[k + 1].scalar_bytes, BYTES[k], "%s", op->args[k + 1].name);
            cr_expect(scalar(&value, op, k + 1, GOOD[i].n), "%s", op->args[k + 1].name);
            cr_expect_eq(value, GOOD[i].values[k], "%s: %lld", op->args[k + 1].name, (long long)value);
        }
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        cr_expect(!scalar(&value, op, BAD[i].arg, BAD[i].n), "%s of %lld", op->args[BAD[i].arg].name,
                  (long long)BAD[i].n);
    atx_op_close(op);
}

#define DATA(lines) "/*!autotune\nop x\nshape n\n" lines "\n*/"
#define NUMBERS(type, arg)                                                                                   \
    DATA("type T = " type "\narg y T[n] output\narg x " arg "\nreference r\ngrid 1\nblock 1\ntraffic n")     \
    " "                                                                                                      \
    "r"

#define ROWS_OP                                                                                              \
    "/*!autotune\nop mini\nshape n m\ntype T = f32\narg y T[n] output\n"                                     \
    "arg a i32[m] input columns 9 of d\narg b i32[m] input segments of d\n"                                  \
    "arg c T[m] input sorted uniform 0 1\narg d i32[n + 1] input offsets m skew 2.5\n"                       \
    "arg e u8[m] input sorted index 7\narg f i64[m] input sorted range -5 -1\n"                              \
    "arg g i64[n + 1] input prefix 1 9\narg h i64[n + 1] input offsets m\n"                                  \
    "reference r\ngrid 1\nblock 1\ntraffic n\n*/ r"

/* An argument may go with offsets below it. */
Test(declare_numbers, reads_what_is_in_rows)
{
    static const int HOW[] = { ATX_BITS,   ATX_COLUMNS, ATX_SEGMENTS, ATX_SORTED_UNIFORM, ATX_OFFSETS,
                               ATX_SORTED, ATX_SORTED,  ATX_PREFIX,   ATX_OFFSETS };
    atx_op *op = read_op(ROWS_OP);
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++)
        cr_assert_eq(op->args[i].input.how, HOW[i], "%s", op->args[i].name);
    cr_assert_str_eq(atx_expr_text(op->args[1].input.upto), "9");
    cr_assert(op->args[1].input.of_arg == 4 && op->args[2].input.of_arg == 4);
    cr_assert(op->args[4].input.low == 2.5 && op->args[8].input.low == 1);
    cr_assert_str_eq(atx_expr_text(op->args[6].input.from), "-5");
    cr_assert_str_eq(atx_expr_text(op->args[7].input.from), "1");
    atx_op_close(op);
}

#define INTO_OP                                                                                              \
    "/*!autotune\nop mini\nshape n\ntype T = f32\narg y T[n] output\narg a T[n] input range 0 n - 1 into "   \
    "c_a\n"                                                                                                  \
    "arg b T[4] input into ns::c_b\narg n i64\nreference r\ngrid 1\nblock 1\ntraffic n\n*/ r"

/* What goes into variables is no parameter, but of a kernel that takes it by its name. */
Test(declare_numbers, reads_what_goes_into_variables)
{
    atx_op *op = read_op(INTO_OP);
    atx_template *t = read_template(op, MINI_SPACE(""));
    cr_assert_str_eq(op->args[1].variable, "c_a");
    cr_assert_str_eq(op->args[2].variable, "ns::c_b");
    cr_assert_str_eq(atx_expr_text(op->args[1].input.upto), "n - 1");
    cr_assert(t->call.steps[0].arg_count == 2 && t->call.steps[0].args[0] == 0 &&
              t->call.steps[0].args[1] == 3);
    cr_assert(!atx_template_fills(t, 0) && atx_template_fills(t, 1) && atx_template_fills(t, 2));
    atx_template_close(t);
    t = read_template(op, MINI_SPACE("arg n b y\n"));
    cr_assert(t->call.steps[0].arg_count == 3 && t->call.steps[0].args[1] == 2);
    cr_assert(atx_template_fills(t, 1) && !atx_template_fills(t, 2));
    atx_template_close(t);
    atx_op_close(op);
}

/* Over its parameters; a configuration with a value that the type does not have is none. */
Test(declare_numbers, a_template_has_scalars_of_its_own)
{
    atx_op *op = read_op(INTO_OP);
    atx_template *t = read_template(
        op, MINI_SPACE("param TILE = 4 8\nlet tiles = n / TILE\nscalar tiles u8\nscalar part f32 = 1 / TILE\n"
                       "arg y part n tiles\n"));
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    int64_t value = 0;
    const atx_step *s = &t->call.steps[0];
    cr_assert_eq(s->arg_count, 4);
    cr_assert_str_eq(atx_template_arg(t, s->args[0])->name, "y");
    cr_assert_str_eq(atx_template_arg(t, s->args[1])->name, "part");
    cr_assert_str_eq(atx_template_arg(t, s->args[3])->name, "tiles");
    slots[atx_symbols_find(&op->scope.symbols, "n", 1)] = 100;
    const atx_config config = { { 8 } };
    cr_assert_eq(atx_config_validate(slots, t, &config, NULL), AT_OK);
    cr_assert_eq(atx_scalar_value(&value, atx_template_arg(t, s->args[3]), slots, NULL), AT_OK);
    cr_expect_eq(value, 12);
    cr_assert_eq(atx_scalar_value(&value, atx_template_arg(t, s->args[1]), slots, NULL), AT_OK);
    cr_expect_eq(value, 0x3e000000, "1 / 8 with real numbers: %llx", (unsigned long long)value);
    slots[atx_symbols_find(&op->scope.symbols, "n", 1)] = 8 * 256;
    at_error err = { 0 };
    cr_expect_eq(atx_config_validate(slots, t, &config, &err), AT_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "'tiles' is of u8"), "%s", err.text);
    atx_template_close(t);
    atx_op_close(op);
}

static const struct {
    const char *source, *message;
} BAD[] = {
    { DATA("arg a T[n] input even"), "op.cu:4:18: found 'even'; expected bits, uniform LOW HIGH" },
    { DATA("arg a T[n] input uniform 1"), "op.cu:4:27: found the end of the line; expected the upper end" },
    { DATA("arg a T[n] input uniform 1 1"), "op.cu:4:26: found an interval without numbers" },
    { DATA("arg a T[n] input uniform 1 1e999"), "op.cu:4:28: found '1e999'; expected the upper end" },
    { DATA("arg a T[n] input uniform n 1"), "op.cu:4:26: found 'n'; expected two numbers" },
    { DATA("arg a T[n] input normal 0 0"), "op.cu:4:27: found a standard deviation that is not positive" },
    { DATA("arg a T[n] input range 0"), "op.cu:4:25: found the end of the line; expected the upper end" },
    { DATA("arg a T[n] input range 0 m"), "op.cu:4:26: unknown name 'm'" },
    { DATA("arg a T[n] input index"), "found nothing more; expected a number" },
    { DATA("arg a T[n] input spread"), "found nothing more; expected a number" },
    { DATA("arg a T[n] input sorted"),
      "op.cu:4:24: found the end of the line; expected range LOW HIGH, index N" },
    { DATA("arg a T[n] input sorted normal 0 1"), "op.cu:4:25: found 'normal'; expected range LOW HIGH" },
    { DATA("arg a T[n] input prefix 0"), "op.cu:4:26: found the end of the line; expected the upper end" },
    { DATA("arg a T[n] input offsets"), "found nothing more; expected a number" },
    { DATA("arg a T[n] input offsets n skew -1"), "op.cu:4:33: found a skew that is not from 0 to 100" },
    { DATA("arg a T[n] input segments"), "op.cu:4:26: found the end of the line; expected of ARG" },
    { DATA("arg a T[n] input segments of"),
      "op.cu:4:29: found the end of the line; expected an argument that" },
    { DATA("arg a T[n] input columns 7"), "op.cu:4:27: found the end of the line; expected of ARG" },
    { NUMBERS("i32", "T[n] input segments of z"),
      "op.cu:6:18: found 'z'; expected an argument that holds offsets" },
    { NUMBERS("i32", "T[n] input segments of y"),
      "op.cu:6:18: found 'y'; expected an argument that holds offsets" },
    { NUMBERS("f32", "T[n] input offsets n"), "'x' is of f32: expected a type of integers, as i32" },
    { NUMBERS("c64", "T[n] input sorted uniform 0 1"),
      "'x' is of c64: expected bits, uniform, normal or constant" },
    { NUMBERS("i32", "T[n] input sorted uniform 0 1"), "'x' is of i32: expected range LOW HIGH" },
    { DATA("arg a T[n] input constant"), "op.cu:4:26: found the end of the line; expected a number" },
    { DATA("arg a T[n] input constant x"), "op.cu:4:27: found 'x'; expected a number" },
    { DATA("arg a T[n] input constant c_a"),
      "op.cu:4:27: found 'c_a'; expected a number; data for a __constant__ variable goes 'into' it" },
    { DATA("arg a T[n] input into"),
      "op.cu:4:22: found the end of the line; expected a variable of the kernels'" },
    { DATA("arg a T[n] input bits into 3"),
      "op.cu:4:28: found '3'; expected a variable of the kernels' code" },
    { DATA("arg a T[n] input into ns::"), "op.cu:4:27: found the end of the line; expected a variable" },
    { DATA("arg a T[n] input into ns ::c"), "op.cu:4:23: found a blank within a name; expected a variable" },
    { DATA("arg a T[n] input into c bits"), "op.cu:4:25: found 'bits'; expected the end of the line" },
    { DATA("arg a T[n] inout into c"), "op.cu:4:18: found 'into'; expected the end of the line" },
    { DATA("arg a T[n] output into c"), "op.cu:4:19: found 'into'; expected the end of the line" },
    { DATA("arg a T[n] input into c\narg b T[n] input range 0 n - 1 into c"),
      "op.cu:5:37: found 'c' a second time; expected a variable for each argument" },
    { DATA("arg a T[n] input file"), "op.cu:4:22: found the end of the line; expected a file, as in file" },
    { DATA("arg a T[n] input file x.npy"), "op.cu:4:23: found 'x.npy'; expected a file, as in file" },
    { DATA("arg a T[n] input file \"x.npy"), "expected a file, as in file" },
    { DATA("reference template"),
      "op.cu:4:19: found the end of the line; expected a name of a-z, 0-9 and _ that starts" },
    { DATA("reference template Tile"), "op.cu:4:20: found 'Tile'; expected a name of a-z" },
    { DATA("reference template tile A=1\nreference r"), "op.cu:5:1: found a second 'reference' line" },
    { DATA("reference file answer"), "op.cu:4:16: found 'answer'; expected a file, as in file" },
    { DATA("type T = f32\narg a T[n] output\narg b T[n] inout\nreference file \"a.npy\"\ntraffic n"),
      "found 2 outputs and an answer in a file; expected one output" },
    { DATA("arg a T[n] input bits 3"), "op.cu:4:23: found '3'; expected the end of the line" },
    { DATA("arg a T[n] output one"), "op.cu:4:19: found 'one'; expected the end of the line" },
    { DATA("ops"), "op.cu:4:4: found nothing more; expected a number" },
    { DATA("ops n\nops n"), "op.cu:5:1: found a second 'ops' line; expected one" },
    { DATA("ceiling gflops"), "op.cu:4:15: found nothing more; expected a number" },
    { DATA("ceiling gflops 10 n"), "op.cu:4:19: found 'n'; expected the end of the line" },
    { DATA("ceiling gflops fast"), "op.cu:4:16: unknown name 'fast'" },
    { NUMBERS("i32", "T[n] input\nceiling gflops device.sms * 10"),
      "op.cu:7:16: found a ceiling in GFLOP/s and no 'ops' line; expected one" },
    { DATA("scratch"), "op.cu:4:8: found the end of the line; expected the name of an argument" },
    { DATA("scratch t"), "op.cu:4:10: found the end of the line; expected T[EXPR], or another type" },
    { DATA("scratch t T"), "op.cu:4:12: found the end of the line; expected '['" },
    { DATA("scratch t T[n] output"), "op.cu:4:16: found 'output'; expected the end of the line" },
    { DATA("arg t i64 = 1\nscratch t T[n]"), "op.cu:5:9: found argument 't' a second time" },
    { DATA("arg y T[n] output\nscratch t T[n]\nalign a = t"),
      "found 't'; expected an input, output or inout" },
    { DATA("arg a f32"),
      "op.cu:4:10: found no dimension or let called 'a'; expected '= EXPR' or '= NUMBER'" },
    { DATA("arg a f16 = 1e5"),
      "op.cu:4:13: found 100000, which f16 does not have; expected a smaller number" },
    { DATA("arg a f32 = m"), "op.cu:4:13: unknown name 'm'" },
    { DATA("arg a f32 = 1e"), "op.cu:4:13: found '1e'; expected an integer" },
    { DATA("arg a f32 = 1f"), "op.cu:4:13: found '1f'; expected an integer" },
    { DATA("type A = f32 f64"),
      "op.cu:4:14: found another type for 'A'; expected one: only T may be a list" },
    { DATA("type A = f33"), "op.cu:4:10: found 'f33' is not an element type" },
    { DATA("type n = f32"), "op.cu:4:6: found 'n' a second time" },
    { DATA("type float = f32"), "op.cu:4:6: found 'float'; expected a name that C++, CUDA" },
    { DATA("type A = f32\ntype A = f64"), "op.cu:5:6: found 'sizeof(A)' a second time" },
    { "/*!autotune\nop x\ntype A = f32\n*/", "op.cu:3:1: found a named type; expected 'shape' before it" },
    { DATA("type T = f32\ntype T = f64"), "op.cu:5:6: found type T a second time; expected it once" },
    { DATA("check exact\ncheck exact"), "op.cu:5:1: found a second 'check' line; expected one" },
    { DATA("arg y T[n] output\ncheck y exact\ncheck y exact"),
      "op.cu:6:1: found a second 'check' line for y; expected one" },
    { DATA("arg y T[n] input\ncheck y exact"),
      "op.cu:5:7: found 'y'; expected 'exact', 'within', 'by' or an output" },
    { DATA("check by"), "op.cu:4:9: found the end of the line; expected the name of a kernel" },
    { DATA("check by validator"), "op.cu:4:10: found no kernel 'validator' in this file; expected it below" },
    { DATA("arg y T[n] output\ncheck y validator"),
      "op.cu:5:9: found 'validator'; expected 'exact', 'within' or 'by'" },
    { DATA("check by x 3") " x", "op.cu:4:12: found '3'; expected the end of the line" },
    { DATA("type T = f32\narg y T[n] output\ncheck by j\nreference file \"a.npy\"\ntraffic n") " j",
      "found the end of the declaration; expected a line 'grid EXPR...' in it" },
    { DATA("check within"), "op.cu:4:13: found the end of the line; expected a number, as in within" },
    { DATA("check within 1"),
      "op.cu:4:15: found the end of the line; expected relative, absolute, ulp or norm" },
    { DATA("check within -1 relative"), "op.cu:4:14: found a tolerance below 0" },
    { DATA("check within 1 relative 2"), "op.cu:4:26: found the end of the line; expected absolute" },
    { DATA("check within 1 absolute 2 absolute"), "op.cu:4:27: found 'absolute'; expected relative" },
    { DATA("check within 1 ulp 2 absolute"), "op.cu:4:20: found '2'; expected the end of the line" },
    { NUMBERS("i32 f32", "T[n] input uniform 0 1"), "op.cu:6:18: 'x' is of i32: expected range LOW "
                                                    "HIGH" },
    { NUMBERS("f32", "i8[n] input normal 0 1"), "op.cu:6:19: 'x' is of i8: expected range LOW HIGH" },
    { NUMBERS("u16", "T[n] input constant 1.5"), "'x' is of u16: expected a constant that is an integer" },
    { NUMBERS("c64", "T[n] input spread n"), "'x' is of c64: expected bits, uniform, normal or constant" },
    { NUMBERS("c64", "T[n] input permutation"), "'x' is of c64: expected bits, uniform, normal or constant" },
    { NUMBERS("storage", "T[n] input uniform 0 1"), "'x' is of storage: its elements are opaque bits" },
    { NUMBERS("storage", "T[n] input\ncheck within 1 ulp"),
      "'y' is of storage: its elements are opaque bits" },
};

Test(declare_numbers, explains_bad_lines)
{
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        atx_op *op = NULL;
        at_error err = { 0 };
        cr_assert_eq(atx_op_read(&op, BAD[i].source, strlen(BAD[i].source), "op.cu", &err), AT_ERR_INPUT,
                     "%zu: %s", i, BAD[i].source);
        cr_assert(strstr(err.text, BAD[i].message), "found: %s\nexpected: %s", err.text, BAD[i].message);
    }
}
