/* test_render.c - the text that goes to the compiler. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declare_support.h"
#include "lang/render.h"
#include "lang/render_narrow.h"

#define TEMPLATE                                                                                             \
    MINI_TEMPLATE("param TILE = 16 32\nparam ORDER = fast slow\nparam BIG = 5000000000 -2147483648 "         \
                  "-9223372036854775807\n"                                                                   \
                  "let hidden = TILE * 2\nconst WIDE = count > 10\nconst LOW = BIG < 0 ? -BIG / BIG * BIG "  \
                  "- (BIG < -5000000000) : 0\n"                                                              \
                  "grid 1\nblock 1\n")

static char *render(const atx_template *t, atx_dtype type, const char *config_text, int64_t rows)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_config config = { { 0 } };
    atx_str out = { 0 };
    at_error err = { 0 };
    bind_problem(slots, t->op, rows, 64);
    cr_assert_eq(atx_config_parse(&config, t, config_text, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_render(&out, t, type, &config, slots, &err), AT_OK, "%s", err.text);
    return out.data;
}

Test(render, puts_typed_constants_in_front)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, TEMPLATE);
    char *text = render(t, ATX_F32, "TILE=32 ORDER=slow BIG=5000000000", 64);
    char expected[4096];
    snprintf(expected, sizeof expected,
             "// autotune " AT_VERSION ": t.cu, hash %.12s\n"
             "// TILE=32 ORDER=slow BIG=5000000000 T=b4\n"
             "#define AUTOTUNE_RENDERED 1\n"
             "using T = unsigned int;\n"
             "constexpr int TILE = 32;\n"
             "enum { ORDER_fast = 0, ORDER_slow = 1 };\n"
             "constexpr int ORDER = ORDER_slow;\n"
             "constexpr long long BIG = 5000000000LL;\n"
             "constexpr int WIDE = 1;\n"
             "constexpr int LOW = 0;\n"
             "#line 1 \"t.cu\"\n"
             "%s",
             t->text.hash, TEMPLATE);
    cr_assert_str_eq(text, expected);
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

Test(render, writes_extreme_values)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, TEMPLATE);
    char *text = render(t, ATX_F32, "TILE=32 ORDER=slow BIG=-9223372036854775807", 64);
    cr_assert_not_null(strstr(text, "constexpr long long BIG = -9223372036854775807LL;\n"));
    free(text);
    text = render(t, ATX_F32, "TILE=32 ORDER=slow BIG=-2147483648", 64);
    cr_assert_not_null(strstr(text, "constexpr int BIG = -2147483648;\n"));
    free(text);
    atx_template_close(t);

    t = read_template(
        op, MINI_TEMPLATE("param A = 1\nconst LEAST = -9223372036854775807 - A\ngrid 1\nblock 1\n"));
    text = render(t, ATX_F32, "A=1", 64);
    cr_assert_not_null(strstr(text, "constexpr long long LEAST = -9223372036854775807LL - 1;\n"));
    free(text);
    atx_template_close(t);
    atx_op_close(op);
}

/* Kernels are cached by the hash of their text: problems that need the same code must get the same bytes. */
Test(render, shares_a_text_among_problems)
{
    static const char CONFIG[] = "TILE=16 ORDER=fast BIG=5000000000";
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, TEMPLATE);
    char *a = render(t, ATX_F32, CONFIG, 64), *b = render(t, ATX_I32, CONFIG, 4096),
         *c = render(t, ATX_F64, CONFIG, 64);
    cr_assert_str_eq(a, b);
    cr_assert_str_neq(a, c);
    free(a);
    free(b);
    free(c);
    atx_template_close(t);
    atx_op_close(op);
}

/* Of the types that the kernel would get, so that products of them overflow no sooner. */
Test(render, makes_arguments_constants_where_they_are_fixed)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, MINI_TEMPLATE("fixed rows < 100\ngrid 1\nblock 1\n"));
    char *small = render(t, ATX_F32, "", 64), *large = render(t, ATX_F32, "", 128),
         *larger = render(t, ATX_F32, "", 256);
    cr_assert_not_null(strstr(small, "\n#define AUTOTUNE_ARG(name)\nconstexpr long long rows = 64LL;\n"
                                     "constexpr int half = 2048;\n#line"),
                       "%s", small);
    cr_assert_not_null(strstr(large, "\n#define AUTOTUNE_ARG(name) name\n#line"), "%s", large);
    cr_assert_str_eq(large, larger, "problems share a kernel where nothing is fixed");
    free(small);
    free(large);
    free(larger);
    atx_template_close(t);
    atx_op_close(op);
}

Test(render, includes_what_a_real_type_needs)
{
    atx_op *op = read_op(MINI_OP_HEAD "type T = f16 bf16 f32\n" MINI_OP_TAIL);
    static const struct {
        atx_dtype type;
        const char *text;
    } TYPES[] = {
        { ATX_F16, "#include <cuda_fp16.h>\nusing T = __half;\n" },
        { ATX_BF16, "#include <cuda_bf16.h>\nusing T = __nv_bfloat16;\n" },
        { ATX_F32, "#define AUTOTUNE_RENDERED 1\nusing T = float;\n" },
    };
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        atx_str out = { 0 };
        cr_assert_eq(atx_render_reference(&out, &(atx_problem){ .op = op, .type = TYPES[i].type }, NULL),
                     AT_OK);
        cr_assert_not_null(strstr(atx_str_text(&out), TYPES[i].text), "%s", atx_str_text(&out));
        atx_str_clear(&out);
    }
    atx_op_close(op);
}

Test(render, reference_has_no_constants)
{
    atx_op *op = read_op(MINI_OP);
    atx_str out = { 0 };
    char expected[4096];
    cr_assert_eq(atx_render_reference(&out, &(atx_problem){ .op = op, .type = ATX_U8 }, NULL), AT_OK);
    snprintf(expected, sizeof expected,
             "// autotune " AT_VERSION ": op.cu, hash %.12s\n// T=b1\n#define AUTOTUNE_RENDERED 1\n"
             "using T = unsigned char;\n#line 1 \"op.cu\"\n%s",
             op->text.hash, MINI_OP);
    cr_assert_str_eq(atx_str_text(&out), expected);
    atx_str_clear(&out);
    atx_op_close(op);
}

/* No file name may end the comment or the #line that it is written into, nor, by byte 0xff, the text itself:
 * NVRTC takes that for its end. */
Test(render, keeps_file_names_harmless)
{
    static const char FILE_NAME[] = "a\nint evil;\r\"; int b; //\\\x01\x7f\xff?? \xc3\xa9.cu";
    atx_op *op = NULL;
    atx_str out = { 0 };
    cr_assert_eq(atx_op_read(&op, MINI_OP, strlen(MINI_OP), FILE_NAME, NULL), AT_OK);
    cr_assert_eq(atx_render_reference(&out, &(atx_problem){ .op = op, .type = ATX_U8 }, NULL), AT_OK);
    cr_assert_not_null(strstr(out.data, "#line 1 \"a_int evil;__; int b; //______ \xc3\xa9.cu\"\n"), "%s",
                       out.data);
    cr_assert_eq(strncmp(out.data,
                         "// autotune " AT_VERSION ": a_int evil;__; int b; //______ \xc3\xa9.cu, hash ", 51),
                 0);
    atx_str_clear(&out);
    atx_op_close(op);
}

Test(render, drops_a_byte_order_mark)
{
    atx_op *op = read_op("\xef\xbb\xbf" MINI_OP);
    atx_str out = { 0 };
    cr_assert_eq(atx_render_reference(&out, &(atx_problem){ .op = op, .type = ATX_U8 }, NULL), AT_OK);
    cr_assert_not_null(strstr(out.data, "\"\n/*!autotune"));
    atx_str_clear(&out);
    atx_op_close(op);
}

Test(render, appends_nothing_when_it_fails)
{
    atx_op *op = read_op(MINI_OP);
    atx_template *t = read_template(op, MINI_TEMPLATE("param A = 0\nlet b = 1 / A\ngrid 1\nblock 1\n"));
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_config config = { { 0 } };
    atx_str out = { 0 };
    at_error err = { 0 };
    atx_str_add(&out, "before");
    bind_problem(slots, op, 4, 4);
    cr_assert_eq(atx_render(&out, t, ATX_F32, &config, slots, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "t.cu:4:11: division by zero in '1 / A'");
    cr_assert_str_eq(out.data, "before");
    atx_str_clear(&out);
    atx_template_close(t);
    atx_op_close(op);
}

/* It is copied by itself: nothing lies behind its end, not even for a moment. */
static void expect_narrow(const atx_op *op, const char *source, const char *expected)
{
    atx_str out = { 0 };
    char *text = strdup(source);
    cr_assert_not_null(text);
    atx_render_narrow(&out, op, text);
    cr_assert_str_eq(atx_str_text(&out), expected);
    atx_str_clear(&out);
    free(text);
}

Test(render, a_narrow_argument_that_is_not_closed_stays_as_it_is)
{
    atx_op *op = read_op(MINI_OP);
    expect_narrow(op, "void f(T *AUTOTUNE_ARG(p)) {}",
                  "void f(T *autotune_p) { [[maybe_unused]] const auto p = autotune_p;}");
    expect_narrow(op, "void f(T *AUTOTUNE_ARG(p", "void f(T *AUTOTUNE_ARG(p");
    expect_narrow(op, "{ AUTOTUNE_ARG(", "{ AUTOTUNE_ARG(");
    atx_op_close(op);
}
