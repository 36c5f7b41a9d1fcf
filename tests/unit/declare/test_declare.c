/* test_declare.c - reading op and template blocks: what they become, and what is said about bad ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare_support.h"

Test(declare, reads_an_op)
{
    atx_op *op = read_op(MINI_OP);
    cr_assert_str_eq(op->name, "mini");
    cr_assert_str_eq(op->about, "y = x");
    cr_assert_str_eq(op->text.file, "op.cu");
    cr_assert_eq(op->shape.dim_count, 3);
    cr_assert_str_eq(op->shape.dims[0].name, "batch");
    cr_assert(op->shape.dims[0].optional);
    cr_assert_eq(op->shape.dims[0].value, 1);
    cr_assert_not(op->shape.dims[2].optional);
    cr_assert(op->storage);
    cr_assert_eq(op->types, (1u << ATX_BOOLEAN) - 1);
    cr_assert_eq(op->scope.sizeof_slot, 3);
    cr_assert_eq(op->scope.device_slot, 4);
    cr_assert_str_eq(atx_symbol_name(&op->scope.symbols, 5), "device.sms");
    cr_assert_eq(op->scope.lets[0].slot, 4 + ATX_LIMIT_COUNT);
    cr_assert_eq(op->scope.let_count, 1);
    cr_assert_str_eq(op->scope.requires[0].reason, "nothing to do");
    cr_assert_eq(op->scope.requires[0].where.line, 6);
    cr_assert_eq(op->scope.requires[0].where.column, 11);
    cr_assert_eq(op->arg_count, 4);
    cr_assert_eq(op->args[0].role, ATX_OUTPUT);
    cr_assert_eq(op->args[1].role, ATX_INPUT);
    cr_assert_eq(op->args[2].role, ATX_SCALAR);
    cr_assert_eq(op->args[2].scalar_bytes, 8);
    cr_assert_str_eq(atx_expr_text(op->args[2].expr), "rows");
    cr_assert_eq(op->args[3].scalar_bytes, 4);
    cr_assert_str_eq(atx_expr_text(op->args[3].expr), "count / 2");
    cr_assert_str_eq(op->expected.reference, "mini_reference");
    cr_assert_str_eq(atx_expr_text(op->expected.launch.grid[0]), "ceil_div(count, 256)");
    cr_assert_null(op->expected.launch.grid[1]);
    cr_assert_null(op->expected.launch.shared);
    cr_assert_str_eq(op->goal.ceiling_op, "");
    cr_assert_str_eq(op->text.source, MINI_OP);
    cr_assert_eq(strlen(op->text.hash), 64);
    atx_op_close(op);
    atx_op_close(NULL);
}

Test(declare, reads_real_types_and_a_ceiling)
{
    atx_op *op =
        read_op(MINI_OP_HEAD "type T = f16 f64\nceiling copy batch rows * 2 cols\nshared 64\n" MINI_OP_TAIL);
    cr_assert_not(op->storage);
    cr_assert_eq(op->types, 1u << ATX_F16 | 1u << ATX_F64);
    cr_assert_str_eq(op->goal.ceiling_op, "copy");
    cr_assert_eq(op->goal.ceiling_dim_count, 3);
    cr_assert_str_eq(atx_expr_text(op->goal.ceiling_dims[1]), "rows * 2");
    cr_assert_str_eq(atx_expr_text(op->expected.launch.shared), "64");
    atx_op_close(op);
}

/* A choice is a size from 1 on; its words are constants. */
Test(declare, reads_choices)
{
    atx_op *op = read_op("/*!autotune\nop x\nshape to=near|far twice=no|yes n\ntype T = f32\n"
                         "let m = to == to_far && twice == twice_no ? 7 * n : n\narg y T[m] output\n"
                         "reference r\ngrid 1\nblock 1\ntraffic n\n*/ r");
    atx_limits limits = some_limits();
    atx_problem problem;
    at_error err = { 0 };
    int64_t slots[ATX_MAX_SLOTS], bytes = 0;
    cr_assert(op->shape.dims[0].optional && op->shape.dims[0].value == 1 &&
              op->shape.dims[0].word_count == 2);
    cr_assert_str_eq(op->shape.dims[0].words[1], "far");
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 2, 1, 5 }, 3, &err), AT_OK, "%s",
                 err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_arg_bytes(&bytes, op, 0, slots, &err), AT_OK);
    cr_assert_eq(bytes, 140);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 3, 1, 5 }, 3, &err), AT_ERR_INPUT);
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 1, 0, 5 }, 3, &err), AT_ERR_INPUT);
    atx_op_close(op);
}

Test(declare, reads_what_look_ups_compare)
{
    atx_op *op = read_op(MINI_OP_HEAD "type T = storage\nnear turned rows cols cost 10\n"
                                      "near turned batch rows cost 3\nnear narrow cols <= 32 cost 24\n"
                                      "near narrow rows <= 8 cost 1000\nnear aligned rows cols cost 7\n"
                                      "default op\n" MINI_OP_TAIL);
    cr_assert_eq(op->shape.exchange_count, 2);
    cr_assert(op->shape.exchanges[0].dims[0] == 1 && op->shape.exchanges[0].dims[1] == 2 &&
              op->shape.exchanges[0].cost == 10);
    cr_assert(op->shape.exchanges[1].dims[0] == 0 && op->shape.exchanges[1].dims[1] == 1 &&
              op->shape.exchanges[1].cost == 3);
    const atx_near batch = op->shape.dims[0].near, rows = op->shape.dims[1].near,
                   cols = op->shape.dims[2].near;
    cr_assert(!batch.narrow && !batch.narrow_cost && !batch.aligned_cost, "it was not named");
    cr_assert(rows.narrow == 8 && rows.narrow_cost == 1000 && rows.aligned_cost == 7);
    cr_assert(cols.narrow == 32 && cols.narrow_cost == 24 && cols.aligned_cost == 7);
    cr_assert(op->by_default);
    atx_op_close(op);
}

Test(declare, an_op_that_says_nothing_of_look_ups_has_nothing_compared)
{
    atx_op *op = read_op(MINI_OP);
    cr_assert_eq(op->shape.exchange_count, 0);
    for (int i = 0; i < op->shape.dim_count; i++)
        cr_assert(!op->shape.dims[i].near.narrow && !op->shape.dims[i].near.narrow_cost &&
                  !op->shape.dims[i].near.aligned_cost);
    cr_assert_not(op->by_default);
    atx_op_close(op);
}

Test(declare, reads_a_template)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, MINI_TEMPLATE("default   PAD=4 ORDER=slow\n"
                                                      "param     TILE  = 16 32   # side\n"
                                                      "param     PAD   = 0 1..3 4..16:6 -5\n"
                                                      "param     ORDER = fast slow\n"
                                                      "let       bytes = TILE * \\\n"
                                                      "                  (TILE + PAD) # with padding\n"
                                                      "const     WIDE  = count > 100 # index type\n"
                                                      "require   bytes < 2000 && \\\n"
                                                      "          ORDER != ORDER_slow # too \\\n"
                                                      "          much\n"
                                                      "grid      ceil_div(rows, TILE) cols\n"
                                                      "block     TILE * 2 (PAD + 6) 1\n"
                                                      "shared    bytes\n"));
    cr_assert_str_eq(t->name, "t");
    cr_assert_str_eq(t->about, "about t");
    cr_assert_str_eq(t->call.steps[0].kernel, "mini_t");
    cr_assert_eq(t->scope.param_count, 3);
    cr_assert_str_eq(t->scope.params[0].meaning, "side");
    cr_assert_eq(t->scope.params[0].slot, op->scope.symbols.count);
    cr_assert_eq(t->scope.params[0].label_slot, -1);
    cr_assert_null(t->scope.params[0].labels);
    static const int64_t PADS[] = { 0, 1, 2, 3, 4, 10, 16, -5 };
    cr_assert_eq(t->scope.params[1].count, 8);
    cr_assert_arr_eq(t->scope.params[1].values, PADS, sizeof PADS);
    cr_assert_str_eq(t->scope.params[2].labels[1], "slow");
    cr_assert_eq(t->scope.params[2].values[1], 1);
    cr_assert_str_eq(atx_symbol_name(&t->scope.symbols, t->scope.params[2].label_slot + 1), "ORDER_slow");
    cr_assert_eq(t->scope.defaults[0], 16);
    cr_assert_eq(t->scope.defaults[1], 4);
    cr_assert_eq(t->scope.defaults[2], 1);
    cr_assert_eq(t->scope.let_count, 2);
    cr_assert_str_eq(atx_expr_text(t->scope.lets[0].expr), "TILE * (TILE + PAD)");
    cr_assert_str_eq(t->scope.lets[0].meaning, "with padding");
    cr_assert_not(t->scope.lets[0].rendered);
    cr_assert(t->scope.lets[1].rendered);
    cr_assert_str_eq(t->scope.requires[0].reason, "too much");
    cr_assert_str_eq(atx_expr_text(t->scope.requires[0].expr), "bytes < 2000 && ORDER != ORDER_slow");
    cr_assert_str_eq(atx_expr_text(t->call.steps[0].launch.block[0]), "TILE * 2");
    cr_assert_str_eq(atx_expr_text(t->call.steps[0].launch.block[1]), "(PAD + 6)");
    cr_assert_str_eq(atx_expr_text(t->call.steps[0].launch.block[2]), "1");
    cr_assert_eq(atx_expr_where(t->call.steps[0].launch.shared).line, 15);
    cr_assert_str_eq(atx_expr_text(t->call.steps[0].launch.shared), "bytes");
    atx_template_close(t);
    atx_template_close(NULL);
    atx_op_close(op);
}

/* An op whose two buffers may begin anywhere. */
#define ALIGNED_OP                                                                                           \
    "/*!autotune\nop mini\nshape n\ntype T = f32\narg y T[n] output\narg x T[n] input\n"                     \
    "align align_y = y\nalign align_x = x\nreference r\ngrid 1\nblock 1\ntraffic n\n*/ r"

Test(declare, an_alignment_that_a_template_does_not_mention_must_be_the_full_one)
{
    static const struct {
        const char *lines;
        size_t required;
        const char *first;
    } CASES[] = {
        { "grid 1\nblock 1\n", 2, "align_y == 256" },
        { "require align_x >= 16\ngrid 1\nblock 1\n", 2, "align_x >= 16" },
        { "let a = align_x\ngrid 1\nblock 1\n", 1, "align_y == 256" },
        { "const A = align_x\nconst B = align_y\ngrid 1\nblock 1\n", 0, NULL },
        { "grid align_y\nblock 1 1 align_x\n", 0, NULL },
        { "grid 1\nblock 1\nshared align_x + align_y\n", 0, NULL },
        { "grid 1\nblock 1\nshared 4 # align_x\n", 2, "align_y == 256" },
    };
    atx_op *op = read_op(ALIGNED_OP);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char source[400];
        snprintf(source, sizeof source, "/*!autotune\ntemplate t\n%s*/\nvoid mini_t() {}\n", CASES[i].lines);
        atx_template *t = read_template(op, source);
        cr_assert_eq(t->scope.require_count, CASES[i].required, "%zu", i);
        if (CASES[i].first)
            cr_assert_str_eq(atx_expr_text(t->scope.requires[0].expr), CASES[i].first);
        atx_template_close(t);
    }
    atx_op_close(op);
}

Test(declare, reads_windows_line_ends_and_a_byte_order_mark)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(
        op, "\xef\xbb\xbf/*!autotune\r\n\r\n  # only a comment\r\ntemplate t\r\nparam A = 1 \\\r\n 2\r\n"
            "grid 1\r\nblock 1\r\n*/ void mini_t() {}");
    cr_assert_eq(t->scope.params[0].count, 2);
    cr_assert_str_eq(t->scope.params[0].meaning, "");
    cr_assert_eq(t->scope.params[0].where.line, 5);
    atx_template_close(t);
    atx_op_close(op);
}

Test(declare, finds_two_blocks_in_one_file)
{
    static const char BOTH[] = MINI_OP MINI_TEMPLATE("grid 1\nblock 1\n");
    size_t len = strlen(BOTH);
    cr_assert(atx_declares(BOTH, len, "op"));
    cr_assert(atx_declares(BOTH, len, "template"));
    cr_assert_not(atx_declares(BOTH, len, "temp"));
    atx_op *op = read_op(BOTH);
    atx_template *t = read_template(op, BOTH);
    cr_assert_str_eq(t->name, "t");
    cr_assert_eq(t->scope.param_count, 0);
    atx_template_close(t);
    atx_op_close(op);
}

Test(declare, sees_blocks_only_at_the_start_of_a_line)
{
    static const char *const NONE[] = { "",
                                        "x /*!autotune\nop a\n*/",
                                        "// /*!autotune\nop a\n*/",
                                        "/*!autotuned\nop a\n*/",
                                        "/*!autotune*/ op a",
                                        "/*!autotune\nopp a\n*/",
                                        "/*!autotune" };
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++)
        cr_assert_not(atx_declares(NONE[i], strlen(NONE[i]), "op"), "%s", NONE[i]);
    cr_assert(atx_declares("  /*!autotune\nop a\n*/", 22, "op"));
    cr_assert(atx_declares("/*!autotune\nop", 14, "op"), "malformed blocks count");
    cr_assert(atx_declares("/*!autotune\ntemplate t\n*/\n/*!autotune # x\n\n op a */", 50, "op"));
}

/* Bad ops: the message for each. */
static const struct {
    const char *source, *message;
} OPS[] = {
    { "", "op.cu:1:1: found no declaration; expected a block that starts with /*!autotune and 'op NAME'" },
    { "/*!autotune\noperation x\n*/",
      "op.cu:2:1: found 'operation'; expected 'op NAME', 'template NAME' or 'common NAME'" },
    { "/*!autotune\nop x\n", "op.cu:1:12: found the end of the file in a declaration; expected '*/'" },
    { "/*!autotune\nop x\n*/",
      "op.cu:3:1: found the end of the declaration; expected a line 'shape DIM...' in it" },
    { "/*!autotune\nop\n*/", "op.cu:2:3: found the end of the line; expected a name of a-z" },
    { "/*!autotune\nop Upper\n*/", "op.cu:2:4: found 'Upper'; expected a name of a-z" },
    { "/*!autotune\nop _x\n*/", "found '_x'" },
    { "/*!autotune\nop 9\n*/", "found '9'" },
    { "/*!autotune\nop x y\n*/", "op.cu:2:6: found 'y'; expected the end of the line" },
    { "/*!autotune\nop x\nop y\n*/", "op.cu:3:1: found a second 'op' line; expected one" },
    { "/*!autotune\nop x\nlet a = 1\n*/", "op.cu:3:1: found 'let'; expected 'shape' before it" },
    { "/*!autotune\nop x\nfoo\n*/",
      "op.cu:3:1: found 'foo'; expected one of op shape type struct pitch each let" },
    { "/*!autotune\nop x\n= 3\n*/", "found '='; expected one of op" },
    { "/*!autotune\nop x\nshape\n*/", "found the end of the line; expected the name of a dimension" },
    { "/*!autotune\nop x\nshape a a\n*/", "op.cu:3:9: found 'a' a second time; expected a new name" },
    { "/*!autotune\nop x\nshape a b=1\n*/", "found a default for 'b' after 'a' without one" },
    { "/*!autotune\nop x\nshape a=1\n*/", "found only dimensions with a default" },
    { "/*!autotune\nop x\nshape a=0 b\n*/", "op.cu:3:9: found a default below 1" },
    { "/*!autotune\nop x\nshape a=| b\n*/", "found '|'; expected a size" },
    { "/*!autotune\nop x\nshape a=near| b\n*/", "found only dimensions with a default" },
    { "/*!autotune\nop x\nshape a=near|3 b\n*/",
      "op.cu:3:14: found '3'; expected a word, as in to=near|far" },
    { "/*!autotune\nop x\nshape a=near|near b\n*/", "op.cu:3:14: found 'near' a second time" },
    { "/*!autotune\nop x\nshape a=b|c|d|e|f|g|h|i|j n\n*/", "found more than 8 words" },
    { "/*!autotune\nop x\nshape a=b a_b\n*/", "found 'a_b' a second time" },
    { "/*!autotune\nop x\nshape a=99999999999999999999 b\n*/", "expected an integer below 2^63" },
    { "/*!autotune\nop x\nshape a b c d e f g h i\n*/", "found more than 8 dimensions" },
    { "/*!autotune\nop x\nshape threadIdx\n*/",
      "found 'threadIdx'; expected a name that C++, CUDA and autotune leave free" },
    { "/*!autotune\nop x\nshape T\n*/", "found 'T'" },
    { "/*!autotune\nop x\nshape __a\n*/", "found '__a'" },
    { "/*!autotune\nop x\nshape AUTOTUNE_X\n*/", "found 'AUTOTUNE_X'" },
    { "/*!autotune\nop x\nshape min\n*/", "found 'min'" },
    { "/*!autotune\nop x\nshape n\ntype T = \n*/", "expected 'storage' or element types" },
    { "/*!autotune\nop x\nshape n\ntype f32\n*/", "found 'f32'; expected 'T'" },
    { "/*!autotune\nop x\nshape n\ntype T = f33\n*/", "'f33' is not an element type; expected one of u8" },
    { "/*!autotune\nop x\nshape n\ntype T = f32 float\n*/", "found 'float' a second time" },
    { "/*!autotune\nop x\nshape n\ntype T = storage f32\n*/", "found 'f32'; expected the end of the line" },
    { "/*!autotune\nop x\nshape n\nlet n = 1\n*/", "op.cu:4:5: found 'n' a second time" },
    { "/*!autotune\nop x\nshape n\nlet m\n*/", "found the end of the line; expected '='" },
    { "/*!autotune\nop x\nshape n\nlet m = m\n*/", "op.cu:4:9: unknown name 'm'" },
    { "/*!autotune\nop x\nshape rows\nrequire row > 1\n*/",
      "op.cu:4:9: unknown name 'row'; did you mean 'rows'?" },
    { "/*!autotune\nop x\nshape n\nrequire\n*/", "found nothing more; expected a number" },
    { "/*!autotune\nop x\nshape n\nrequire n = 1\n*/", "op.cu:4:11: found '='; expected '==' to compare" },
    { "/*!autotune\nop x\nshape n\nalign a = b\n*/", "op.cu:4:1: found 'align'; expected 'arg' before it" },
    { "/*!autotune\nop x\nshape n\ntype T = f32\narg b T[n] output\nalign a = c\n*/",
      "op.cu:6:11: found 'c'; expected an input, output or inout without alignment" },
    { "/*!autotune\nop x\nshape n\ntype T = f32\narg n i64\nalign a = n\n*/",
      "found 'n'; expected an input, output or inout without alignment" },
    { "/*!autotune\nop x\nshape n\ntype T = f32\narg b T[n] output\nalign a = b\nalign c = b\n*/",
      "op.cu:7:11: found 'b'; expected an input, output or inout without alignment" },
    { "/*!autotune\nop x\nshape n\ntype T = f32\narg b T[n] output\nalign n = b\n*/",
      "op.cu:6:7: found 'n' a second time" },
    { "/*!autotune\nop x\nshape n\ntype T = f32\narg b T[n] output\nalign a b\n*/",
      "found 'b'; expected '='" },
    { "/*!autotune\nop x\nshape n\narg a\n*/", "found the end of the line; expected T[EXPR], another type" },
    { "/*!autotune\nop x\nshape n\narg a c64\n*/", "found 'c64'; expected T[EXPR], another type" },
    { "/*!autotune\nop x\nshape n\narg a i16\n*/", "found no dimension or let called 'a'" },
    { "/*!autotune\nop x\nshape n\narg a T[n output\n*/", "expected an operator or ']'" },
    { "/*!autotune\nop x\nshape n\narg a T n\n*/", "found 'n'; expected '['" },
    { "/*!autotune\nop x\nshape n\narg a T[n]\n*/", "expected output, input or inout" },
    { "/*!autotune\nop x\nshape n\narg a T[n] out\n*/", "found 'out'; expected output, input or inout" },
    { "/*!autotune\nop x\nshape n\narg a i32\n*/",
      "found no dimension or let called 'a'; expected '= EXPR'" },
    { "/*!autotune\nop x\nshape n\narg n i32\narg n i64\n*/", "found argument 'n' a second time" },
    { "/*!autotune\nop x\nshape n\narg int i32 = 1\n*/", "found 'int'" },
    { "/*!autotune\nop x\nshape n\nreference ref\n*/", "op.cu:4:11: found no kernel 'ref' in this file" },
    { "/*!autotune\nop x\nshape n\nreference ref\n*/ void reference(); int ref2, aref;",
      "found no kernel 'ref'" },
    { "/*!autotune\nop x\nshape n\ngrid 1 2 3 4\n*/", "op.cu:4:12: found '4'; expected the end of the line" },
#define NEAR(line) "/*!autotune\nop x\nshape rows cols\n" line "\n*/"
    { "/*!autotune\nop x\nnear turned n m cost 1\n*/",
      "op.cu:3:1: found 'near'; expected 'shape' before it" },
    { NEAR("near"), "op.cu:4:5: found the end of the line; expected turned, narrow or aligned" },
    { NEAR("near turnd rows cols cost 1"),
      "op.cu:4:6: found 'turnd'; expected turned, narrow or aligned; did you mean 'turned'?" },
    { NEAR("near far rows"), "op.cu:4:6: found 'far'; expected turned, narrow or aligned" },
    { NEAR("near turned rows"), "op.cu:4:17: found the end of the line; expected a dimension" },
    { NEAR("near turned rows rows cost 1"),
      "op.cu:4:18: found 'rows' a second time; expected another dimension" },
    { NEAR("near turned row cols cost 1"),
      "op.cu:4:13: found 'row'; expected a dimension of the shape; did you mean 'rows'?" },
    { NEAR("near turned rows cols"), "op.cu:4:22: found the end of the line; expected 'cost'" },
    { NEAR("near turned rows cols 10"), "op.cu:4:23: found '10'; expected 'cost'" },
    { NEAR("near turned rows cols cost"), "op.cu:4:27: found the end of the line; expected a cost" },
    { NEAR("near turned rows cols cost 0"), "op.cu:4:28: found 0; expected a cost from 1 to 1000" },
    { NEAR("near turned rows cols cost -1"), "op.cu:4:28: found -1; expected a cost from 1 to 1000" },
    { NEAR("near turned rows cols cost 1001"), "found 1001; expected a cost from 1 to 1000" },
    { NEAR("near turned rows cols cost 1 2"), "op.cu:4:30: found '2'; expected the end of the line" },
    { NEAR("near narrow rows cols cost 24"), "op.cu:4:23: found 'cost'; expected '<='" },
    { NEAR("near narrow rows <= 0 cost 24"), "op.cu:4:21: found 0; expected a size from 1 to 2147483647" },
    { NEAR("near narrow rows <= cost 24"), "op.cu:4:21: found 'cost'; expected a size" },
    { NEAR("near narrow rows cols rows <= 32 cost 24"),
      "op.cu:4:23: found 'rows' a second time; expected each dimension once" },
    { NEAR("near narrow rows <= 32 cost 24\nnear narrow cols rows <= 8 cost 2"),
      "op.cu:5:18: found 'rows' a second time; expected each dimension once" },
    { NEAR("near aligned rows <= 32 cost 24"), "op.cu:4:19: found '<'; expected 'cost'" },
    { NEAR("near aligned depth cost 8"), "op.cu:4:14: found 'depth'; expected a dimension of the shape" },
    { NEAR("near aligned rows cost 8\nnear aligned rows cost 8"), "op.cu:5:14: found 'rows' a second time" },
    { NEAR("default"), "op.cu:4:8: found the end of the line; expected 'op'" },
    { NEAR("default f32"), "op.cu:4:9: found 'f32'; expected 'op'" },
    { NEAR("default op\ndefault op"), "op.cu:5:1: found a second 'default' line; expected one" },
    { "/*!autotune\nop x\nshape n\ncheck close\n*/",
      "op.cu:4:7: found 'close'; expected 'exact', 'within', 'by' or an output above" },
    { "/*!autotune\nop x\nshape n\nceiling copy\n*/", "found nothing more; expected a number" },
    { "/*!autotune\nop x\nshape n\ntype T = storage\narg n i64\nreference r\ngrid 1\nblock 1\ntraffic n\n*/ "
      "r",
      "found no argument that is output or inout" },
    { "/*!autotune\nop x\nshape n\ntype T = storage\narg y T[n] output\nreference r\nblock 1\ntraffic n\n*/ "
      "r",
      "expected a line 'grid EXPR...' in it" },
    { "/*!autotune\nop x\nshape \xff\n*/", "found byte 0xff" },
};

Test(declare, explains_bad_ops)
{
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
        at_error err = { 0 };
        atx_op *op = NULL;
        at_status status = atx_op_read(&op, OPS[i].source, strlen(OPS[i].source), "op.cu", &err);
        cr_expect_eq(status, AT_ERR_INPUT, "%s", OPS[i].source);
        cr_expect_null(op);
        cr_expect_not_null(strstr(err.text, OPS[i].message), "%s\n%s\n%s", OPS[i].source, OPS[i].message,
                           err.text);
        atx_op_close(op);
    }
}

/* Bad lines in a template (from its line 3 on). */
static const struct {
    const char *lines, *message;
} LINES[] = {
    { "", "t.cu:3:1: found the end of the declaration; expected a line 'grid EXPR...' in it" },
    { "grid 1\n", "expected a line 'block EXPR...' in it" },
    { "template u\n", "t.cu:3:1: found a second 'template' line" },
    { "param\n", "found the end of the line; expected a name" },
    { "param A\n", "expected '='" },
    { "param A =\n", "t.cu:3:10: found the end of the line; expected the parameter's values" },
    { "param A = # 1 2\n", "expected the parameter's values" },
    { "param A = 1 x\n", "found 'x'; expected another integer or range" },
    { "param A = x 1\n", "found '1'; expected another word" },
    { "param A = 1 2 1\n", "t.cu:3:11: found value 1 of 'A' twice; expected each once" },
    { "param A = 1..3 2\n", "found value 2 of 'A' twice" },
    { "param A = x y x\n", "found 'A_x' a second time" },
    { "param A = 3..1\n", "found a range that is empty or without end" },
    { "param A = 1..3:0\n", "found a range that is empty or without end" },
    { "param A = 1..\n", "expected the last value of the range" },
    { "param A = 1..3:\n", "expected the step of the range" },
    { "param A = 1.5\n", "found '.5'; expected an integer" },
    { "param A = 1x\n", "found '1x'; expected an integer" },
    { "param A = 0..5000\n", "found more than 4096 values of 'A'" },
    { "param A = 9223372036854775808\n", "expected an integer below 2^63" },
    { "param A = 1, 2\n", "found ','; expected an integer" },
    { "param int = 1\n", "found 'int'; expected a name that C++, CUDA and autotune leave free" },
    { "param rows = 1\n", "t.cu:3:7: found 'rows' a second time" },
    { "param A = 1\nparam A = 2\n", "t.cu:4:7: found 'A' a second time" },
    { "param A = b\nlet A_b = 1\n", "found 'A_b' a second time" },
    { "param wchar = t u\n", "found 'wchar_t'; expected a name" },
    { "param A234567890123456789012345678901234567890123456789012345678901234 = 1\n",
      "a name of 64 characters" },
    { "param A23456789012345678901234567890123456789012345678901234567890123 = x\n",
      "a name of 65 characters" },
    { "param A-B = 1\n", "found '-'; expected '='" },
    { "let a = 1\nconst a = 2\n", "found 'a' a second time" },
    { "const x = y\n", "unknown name 'y'" },
    { "require B > 1\nparam B = 1\n", "t.cu:3:9: unknown name 'B'" },
    { "require 1 <\\\n 2 *\n", "t.cu:4:5: found nothing more" },
    { "kernel\n", "expected the name of a kernel" },
    { "kernel nope\ngrid 1\nblock 1\n", "t.cu:3:8: found no kernel 'nope' in this file" },
    { "shape n\n", "found 'shape'; expected one of template use source include define" },
    { "fixed # rows\n", "found nothing more; expected a number" },
    { "param N = 1 2\ngeneral N=1\n",
      "t.cu:4:11: found '1'; expected any: the parameter is not the kernel's" },
    { "general N=any\n", "t.cu:3:9: found 'N'; expected the name of a const or a parameter above" },
    { "fixed 1\nfixed 0\n", "t.cu:4:1: found a second 'fixed' line; expected one" },
    { "grid 1\nblock 1\ndefault A=1\n", "t.cu:5:9: found 'A'; expected the name of a parameter" },
    { "grid 1\nblock 1\nparam A = 1\ndefault A=2\n",
      "t.cu:6:11: found a value that 'A' does not have; expected one of line 5" },
    { "grid 1\nblock 1\nparam A = x y\ndefault A=1\n", "expected one of the parameter's words" },
    { "grid 1\nblock 1\nparam A = x y\ndefault A=z\n", "found a value that 'A' does not have" },
    { "grid 1\nblock 1\nparam A = 1\ndefault A=1 A=1\n", "found 'A' a second time" },
    { "grid 1\nblock 1\nparam A = 1\ndefault A\n", "expected '='" },
};

Test(declare, explains_bad_templates)
{
    atx_op *op = read_op(MINI_OP);
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        char source[600];
        at_error err = { 0 };
        atx_template *t = NULL;
        snprintf(source, sizeof source, "/*!autotune\ntemplate t\n%s*/\nvoid mini_t() {}\n", LINES[i].lines);
        at_status status = atx_template_read(&t, op, source, strlen(source), "t.cu", &err);
        cr_expect_eq(status, AT_ERR_INPUT, "%s", LINES[i].lines);
        cr_expect_null(t);
        cr_expect_not_null(strstr(err.text, LINES[i].message), "%s\n%s\n%s", LINES[i].lines, LINES[i].message,
                           err.text);
        atx_template_close(t);
    }
    atx_op_close(op);
}

static at_status read_bytes(const char *source, size_t len, at_error *err)
{
    atx_op *op = NULL;
    at_status status = atx_op_read(&op, source, len, "op.cu", err);
    atx_op_close(op);
    return status;
}

Test(declare, refuses_nul_bytes)
{
    static const char SOURCE[] = MINI_OP "\n\n a\0b";
    at_error err = { 0 };
    cr_assert_eq(read_bytes(SOURCE, sizeof SOURCE - 1, &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "found a NUL byte; expected text"), "%s", err.text);
}

/* NVRTC takes it for the end of the file: what stands behind it would be missing without a word. */
Test(declare, refuses_a_byte_that_ends_the_file_for_the_compiler)
{
    static const char SOURCE[] = MINI_OP "\n/* \xff */";
    at_error err = { 0 };
    cr_assert_eq(read_bytes(SOURCE, sizeof SOURCE - 1, &err), AT_ERR_INPUT);
    cr_assert(strstr(err.text, ":4: found byte 0xff, where NVRTC would take the file to end; expected text"),
              "%s", err.text);
}

Test(declare, refuses_long_lines_and_large_files)
{
    size_t len = ((size_t)1 << 20) + 1;
    char *source = malloc(len);
    at_error err = { 0 };
    memset(source, ' ', len);
    memcpy(source, MINI_OP, strlen(MINI_OP));
    cr_assert_eq(read_bytes(source, len, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "op.cu: found 1048577 bytes; expected at most 1048576");
    cr_assert_eq(read_bytes(source, len - 1, &err), AT_OK, "%s", err.text);

    memcpy(source, "/*!autotune\nop a #", 18);
    memset(source + 18, 'x', 5000);
    cr_assert_eq(read_bytes(source, 5018, &err), AT_ERR_INPUT);
    free(source);
}

Test(declare, refuses_a_line_that_goes_on_too_long)
{
    char source[6000] = "/*!autotune\nop mini\nshape n\n";
    at_error err = { 0 };
    strcat(source, "require 1");
    while (strlen(source) < 5000)
        strcat(source, " && 1 \\\n");
    strcat(source, "\n*/");
    cr_assert_eq(read_bytes(source, strlen(source), &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "op.cu:4:1: found a line of"), "%s", err.text);
}

Test(declare, limits_counts)
{
    char source[30000] = "/*!autotune\ntemplate t\n", line[64];
    atx_op *op = read_op(MINI_OP);
    atx_template *t = NULL;
    at_error err = { 0 };

    for (int i = 0; i <= ATX_MAX_PARAMS; i++) {
        snprintf(line, sizeof line, "param P%d = 1\n", i);
        strcat(source, line);
    }
    strcat(source, "*/");
    cr_assert_eq(atx_template_read(&t, op, source, strlen(source), "t.cu", &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "t.cu:35:7: found more than 32 parameters"), "%s", err.text);

    strcpy(source, "/*!autotune\ntemplate t\n");
    for (int i = 0; i < ATX_MAX_SLOTS; i++) {
        snprintf(line, sizeof line, "let l%d = 1\n", i);
        strcat(source, line);
    }
    strcat(source, "*/");
    cr_assert_eq(atx_template_read(&t, op, source, strlen(source), "t.cu", &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "found more than 256 names"), "%s", err.text);
    atx_op_close(op);

    strcpy(source, "/*!autotune\nop x\nshape rows cols\n");
    for (int i = 0; i <= ATX_MAX_SWAPS; i++)
        strcat(source, "near turned rows cols cost 1\n");
    strcat(source, "*/");
    cr_assert_eq(atx_op_read(&op, source, strlen(source), "op.cu", &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "op.cu:12:13: found more than 8 lines 'near turned'"), "%s",
                       err.text);
}

/* Every way to cut a good file short must fail cleanly or read cleanly. */
Test(declare, survives_truncation)
{
    static const char BOTH[] =
        MINI_OP MINI_TEMPLATE("param A = x y # m\nlet b = A + 1\nrequire b > A # r\ngrid b\nblock 1\n");
    atx_op *op = read_op(MINI_OP);
    const size_t end = (size_t)(strstr(BOTH, "mini_t") + strlen("mini_t") - BOTH); /* of its kernel's name */
    for (size_t len = 0; len < strlen(BOTH); len++) {
        char *part = malloc(len + 1); /* of its own, so that the sanitizer sees reads past the end */
        atx_template *t = NULL;
        memcpy(part, BOTH, len);
        const bool well = atx_template_read(&t, op, part, len, "t.cu", NULL) == AT_OK;
        cr_expect_eq(well, len >= end, "%zu bytes of %zu", len, end);
        atx_template_close(t);
        (void)!read_bytes(part, len, NULL);
        atx_declares(part, len, "op");
        free(part);
    }
    atx_op_close(op);
}

Test(declare, equal_sources_have_equal_hashes)
{
    atx_op *a = read_op(MINI_OP), *b = read_op(MINI_OP), *c = read_op(MINI_OP ";\n");
    cr_assert_str_eq(a->text.hash, b->text.hash);
    cr_assert_str_neq(a->text.hash, c->text.hash);
    atx_op_close(a);
    atx_op_close(b);
    atx_op_close(c);
}

/* Words of the list from its beginning, its end, and where capitals stand among small letters. */
Test(declare, refuses_names_that_mean_something_in_cuda)
{
    static const char *const NAMES[] = { "NULL",      "T",    "alignas", "blockIdx",     "cudaError_t",
                                         "requires",  "std",  "this",    "thread_local", "threadIdx",
                                         "cudaError", "true", "xor_eq",  "uint8_t",      "float4" };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        atx_op *op = NULL;
        char text[300];
        bool is_free = strcmp(NAMES[i], "cudaError") == 0;
        snprintf(text, sizeof text, "/*!autotune\nop x\nshape %s\ntype T = storage\n*/", NAMES[i]);
        at_error err = { 0 };
        cr_expect_eq(atx_op_read(&op, text, strlen(text), "op.cu", &err), AT_ERR_INPUT);
        cr_expect_eq(strstr(err.text, "leave free") == NULL, is_free, "%s: %s", NAMES[i], err.text);
        atx_op_close(op);
    }
}
