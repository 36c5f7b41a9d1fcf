/* test_expr.c - the expression language: values, messages, limits. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"

static const struct {
    const char *name;
    int64_t value;
} NAMES[] = {
    { "TILE", 32 },        { "PAD", 1 },           { "ZERO", 0 },         { "NEG", -7 },
    { "MOST", INT64_MAX }, { "LEAST", INT64_MIN }, { "device.sms", 132 }, { "sizeof(T)", 4 },
};
enum { NAME_COUNT = sizeof NAMES / sizeof *NAMES };

static int find(const void *context, const char *name, size_t len)
{
    (void)context;
    for (int i = 0; i < NAME_COUNT; i++)
        if (strlen(NAMES[i].name) == len && memcmp(NAMES[i].name, name, len) == 0)
            return i;
    return -1;
}

static const char *name_at(const void *context, int i)
{
    (void)context;
    return i < NAME_COUNT ? NAMES[i].name : NULL;
}

static const at__scope SCOPE = { .find = find, .name = name_at };
static const at__where PLACE = { .file = "x.cu", .line = 12, .column = 5 };

static at_status compile(at__expr **out, const char *text, at_error *err)
{
    return at__expr_compile(out, text, strlen(text), &SCOPE, PLACE, err);
}

static at_status evaluate(int64_t *out, const char *text, at_error *err)
{
    int64_t slots[NAME_COUNT];
    at__expr *expr = NULL;
    for (int i = 0; i < NAME_COUNT; i++)
        slots[i] = NAMES[i].value;
    at_status status = compile(&expr, text, err);
    if (status == AT_OK)
        status = at__expr_eval(out, expr, slots, err);
    at__expr_close(expr);
    return status;
}

static const struct {
    const char *text;
    int64_t value;
} VALUES[] = {
    { "2 * (TILE + 1)", 66 },
    { "2 + 3 * 4 - 1", 13 },
    { "10 - 3 - 2", 5 },
    { "100 / 7 / 2", 7 },
    { "7 % 4 * 2", 6 },
    { "-7 / 2", -3 },
    { "-7 % 4", -3 },
    { "1 << 2 + 1", 8 },
    { "1 << 62", (int64_t)1 << 62 },
    { "0 << 63", 0 },
    { "-1 >> 63", -1 },
    { "NEG >> 1", -4 },
    { "5 & 3 == 3", 1 },
    { "6 ^ 3 | 8", 13 },
    { "1 | 2 ^ 3 & 2", 1 | (2 ^ (3 & 2)) },
    { "1 < 2 == 1", 1 },
    { "3 >= 3 && 2 != 2", 0 },
    { "0 || 0 && 1", 0 },
    { "2 && 3", 1 },
    { "0 || 7", 1 },
    { "!0 + !5", 1 },
    { "~0", -1 },
    { "- - 3", 3 },
    { "+TILE", 32 },
    { "!!TILE", 1 },
    { "-TILE * 2", -64 },
    { "0xff", 255 },
    { "0XAb", 171 },
    { "9223372036854775807", INT64_MAX },
    { "0x7fffffffffffffff", INT64_MAX },
    { "-9223372036854775807 - 1", INT64_MIN },
    { "1 ? 2 : 3", 2 },
    { "0 ? 2 : 0 ? 3 : 4", 4 },
    { "1 ? 0 ? 5 : 6 : 7", 6 },
    { "(1 ? 2 : 3) + 1", 3 },
    { "PAD ? TILE : TILE / ZERO", 32 },
    { "ZERO == 0 || TILE % ZERO == 0", 1 },
    { "ZERO != 0 && TILE / ZERO > 1", 0 },
    { "1 || 1 / ZERO || 1 / ZERO", 1 },
    { "0 && 1 / ZERO && 1 / ZERO", 0 },
    { "0 && 1 || 1", 1 },
    { "1 || 0 && 1 / ZERO", 1 },
    { "min(3, 1, 2)", 1 },
    { "max(3, 1, 2, 7)", 7 },
    { "min(-1, 1) + max(2, 3)", 2 },
    { "ceil_div(7, 2)", 4 },
    { "ceil_div(8, 2)", 4 },
    { "ceil_div(-7, 2)", -3 },
    { "ceil_div(-7, -2)", 4 },
    { "ceil_div(7, -2)", -3 },
    { "ceil_div(0, 5)", 0 },
    { "is_pow2(64) + is_pow2(0) + is_pow2(-8) + is_pow2(12) + is_pow2(1)", 2 },
    { "is_pow2(LEAST)", 0 },
    { "log2(1)", 0 },
    { "log2(1023)", 9 },
    { "log2(1024)", 10 },
    { "log2(MOST)", 62 },
    { "gcd(12, 18)", 6 },
    { "gcd(-12, 18)", 6 },
    { "gcd(0, 0)", 0 },
    { "gcd(0, 5)", 5 },
    { "abs(NEG)", 7 },
    { "abs(3)", 3 },
    { "device.sms * 2", 264 },
    { "TILE * (TILE + PAD) * sizeof(T)", 4224 },
    { "sizeof ( T )", 4 },
    { "  TILE\t", 32 },
    { "TILE + \\\n  PAD", 33 },
    { "TILE + \\  \r\n  PAD", 33 },
};

/* In one test, not a parameterized one: a process for each of so many rows would take seconds. */
Test(expr, evaluates)
{
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        at_error err = { 0 };
        int64_t value = 12345;
        cr_expect_eq(evaluate(&value, VALUES[i].text, &err), AT_OK, "%s: %s", VALUES[i].text, err.text);
        cr_expect_eq(value, VALUES[i].value, "%s is %" PRId64, VALUES[i].text, value);
    }
}

static const struct {
    const char *text, *message;
} FAULTS[] = {
    { "TILE / ZERO", "x.cu:12:10: division by zero in 'TILE / ZERO'" },
    { "PAD + TILE % ZERO", "x.cu:12:16: division by zero in 'TILE % ZERO'" },
    { "ceil_div(1, ZERO) + 1", "x.cu:12:5: division by zero in 'ceil_div(1, ZERO)'" },
    { "MOST + 1", "x.cu:12:10: overflow in 'MOST + 1'" },
    { "LEAST - 1", "x.cu:12:11: overflow in 'LEAST - 1'" },
    { "MOST * 2", "x.cu:12:10: overflow in 'MOST * 2'" },
    { "-LEAST", "x.cu:12:5: overflow in '-LEAST'" },
    { "abs(LEAST)", "overflow" },
    { "LEAST / -1", "overflow" },
    { "LEAST % -1", "overflow" },
    { "ceil_div(LEAST, -1)", "overflow" },
    { "gcd(LEAST, LEAST)", "overflow" },
    { "gcd(LEAST, 0)", "overflow" },
    { "1 << 63", "overflow" },
    { "2 << 62", "overflow" },
    { "-1 << 63", "overflow" },
    { "1 << 64", "shift outside 0..63 in '1 << 64'" },
    { "1 >> -1", "shift outside 0..63" },
    { "log2(0)", "log2 of a value below 1 in 'log2(0)'" },
    { "log2(NEG)", "log2 of a value below 1" },
    { "1 + \\\n   2 / ZERO", "x.cu:13:6: division by zero in '2 / ZERO'" },
    { "", "x.cu:12:5: found nothing more; expected a number, a name or '('" },
    { "  ", "found nothing more" },
    { "1 +", "x.cu:12:8: found nothing more; expected a number, a name or '('" },
    { "1 2", "x.cu:12:7: found '2'; expected an operator or the end of the expression" },
    { "(1", "found nothing more; expected an operator or ')'" },
    { "1)", "found ')'" },
    { "()", "found ')'" },
    { "1 ? 2", "expected an operator or ':'" },
    { "1 ? : 2", "found ':'" },
    { "TILE = 32", "found '='; expected '=='" },
    { "TIEL + 1", "x.cu:12:5: unknown name 'TIEL'; did you mean 'TILE'?" },
    { "device.sm", "unknown name 'device.sm'; did you mean 'device.sms'?" },
    { "device", "unknown name 'device'" },
    { "something_else", "unknown name 'something_else'" },
    { "min", "unknown name 'min'" },
    { "sizeof(U)", "unknown name 'sizeof(U)'; did you mean 'sizeof(T)'?" },
    { "sizeof", "expected '(' after sizeof" },
    { "sizeof(4)", "found '4'; expected a type" },
    { "ceil(1, 2)", "unknown function 'ceil'" },
    { "min(1)", "found ')'; expected ',' and a second argument" },
    { "min()", "found ')'" },
    { "gcd(1, 2, 3)", "found ','; expected ')'" },
    { "abs(1, 2)", "found ','; expected ')'" },
    { "TILE(1)", "found '('; expected an operator" },
    { "8 <= TILE <= 64", "comparisons do not chain; write 'a <= b && b <= c'" },
    { "1 == 1 == 1", "comparisons do not chain" },
    { "012", "found '012'; expected a number without leading zeros" },
    { "12ab", "found '12ab'; expected an integer" },
    { "0x", "found '0x'" },
    { "0xg", "expected an integer" },
    { "1.5", "found '.'" },
    { "9223372036854775808", "expected an integer below 2^63" },
    { "0x8000000000000000", "expected an integer below 2^63" },
    { "1 @ 2", "found '@'" },
    { "1 \x80 2", "found byte 0x80" },
    { "\\ 1", "found '\\'" },
    { "1 +* 2", "found '*'" },
    { "a.b.", "unknown name 'a.b'" },
};

Test(expr, explains_faults)
{
    for (size_t i = 0; i < sizeof FAULTS / sizeof *FAULTS; i++) {
        at_error err = { 0 };
        int64_t value = 12345;
        const char *text = FAULTS[i].text;
        cr_expect_eq(evaluate(&value, text, &err), AT_ERR_INPUT, "%s is %" PRId64, text, value);
        cr_expect_not_null(strstr(err.text, FAULTS[i].message), "%s: %s", text, err.text);
        cr_expect_eq(strncmp(err.text, "x.cu:1", 6), 0, "%s: %s", text, err.text);
        cr_expect_eq(value, 12345, "outputs stay as they were");
        cr_expect_eq(evaluate(&value, text, NULL), AT_ERR_INPUT, "an error may be NULL");
    }
}

/* `open` and `close` repeated around 1. */
static at_status nest(const char *open, const char *close, int times, at_error *err)
{
    char text[AT__EXPR_MAX_TEXT + 1] = "";
    int64_t value;
    for (int i = 0; i < times; i++)
        strcat(text, open);
    strcat(text, "1");
    for (int i = 0; i < times; i++)
        strcat(text, close);
    return evaluate(&value, text, err);
}

Test(expr, limits_nesting)
{
    at_error err = { 0 };
    cr_assert_eq(nest("(", ")", AT__EXPR_MAX_DEPTH, &err), AT_OK, "%s", err.text);
    cr_assert_eq(nest("(", ")", AT__EXPR_MAX_DEPTH + 1, &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "nested deeper than 64 levels"), "%s", err.text);
    cr_assert_eq(nest("!", "", 2000, &err), AT_ERR_INPUT);
    cr_assert_eq(nest("1 ? 1 : ", "", 400, &err), AT_ERR_INPUT);
    cr_assert_eq(nest("1 ? ", " : 1", 400, &err), AT_ERR_INPUT);
    cr_assert_eq(nest("abs(", ")", 400, &err), AT_ERR_INPUT);
    cr_assert_eq(nest("1|1^1&1==1<1<<1+1*(", ")", 60, &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "nested too deeply"), "%s", err.text);
    cr_assert_eq(nest("1 + ", "", 1000, &err), AT_OK, "long is not deep: %s", err.text);
    cr_assert_eq(nest("0 || ", "", 800, &err), AT_OK, "%s", err.text);
}

Test(expr, limits_length)
{
    at_error err = { 0 };
    char text[AT__EXPR_MAX_TEXT + 2];
    at__expr *expr = NULL;
    memset(text, '1', sizeof text);
    for (size_t i = 1; i < sizeof text; i += 2)
        text[i] = '|';
    cr_assert_eq(at__expr_compile(&expr, text, AT__EXPR_MAX_TEXT - 1, &SCOPE, PLACE, &err), AT_OK, "%s",
                 err.text);
    at__expr_close(expr);
    cr_assert_eq(at__expr_compile(&expr, text, AT__EXPR_MAX_TEXT + 1, &SCOPE, PLACE, &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "expected at most 4096"), "%s", err.text);
}

Test(expr, does_not_read_past_its_length)
{
    char *text = malloc(6); /* the sanitizer sees a byte too far */
    at__expr *expr = NULL;
    int64_t slots[NAME_COUNT] = { 32 }, value = 0;
    memcpy(text, "TILE*2", 6);
    cr_assert_eq(at__expr_compile(&expr, text, 6, &SCOPE, PLACE, NULL), AT_OK);
    cr_assert_eq(at__expr_eval(&value, expr, slots, NULL), AT_OK);
    cr_assert_eq(value, 64);
    at__expr_close(expr);
    cr_assert_eq(at__expr_compile(&expr, text, 4, &SCOPE, PLACE, NULL), AT_OK);
    cr_assert_str_eq(at__expr_text(expr), "TILE");
    at__expr_close(expr);
    free(text);
}

Test(expr, tells_what_it_reads_and_its_text)
{
    at__expr *expr = NULL;
    cr_assert_eq(compile(&expr, "  TILE *\\\n\t (PAD +  1) ", NULL), AT_OK);
    cr_assert(at__expr_reads(expr, 0));
    cr_assert(at__expr_reads(expr, 1));
    cr_assert_not(at__expr_reads(expr, 2));
    cr_assert_str_eq(at__expr_text(expr), "TILE * (PAD + 1)");
    cr_assert_eq(at__expr_where(expr).line, 12);
    cr_assert_eq(at__expr_where(expr).column, 7);
    at__expr_close(expr);
}

Test(expr, splits_a_list)
{
    static const char TEXT[] = "TILE * 2 PAD (1 + 1)(2) min(1, 2)TILE ] output";
    static const char *const PARTS[] = { "TILE * 2", "PAD", "(1 + 1)", "(2)", "min(1, 2)", "TILE" };
    size_t at = 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        at__expr *expr = NULL;
        at_error err = { 0 };
        size_t used = 0;
        cr_assert_eq(at__expr_compile_first(&expr, &used, TEXT + at, strlen(TEXT) - at, &SCOPE, PLACE, &err),
                     AT_OK, "%s", err.text);
        cr_assert_str_eq(at__expr_text(expr), PARTS[i]);
        at__expr_close(expr);
        at += used;
    }
    cr_assert_str_eq(TEXT + at, "] output");
}

Test(expr, works_without_suggestions)
{
    at__scope scope = { .find = find };
    at__expr *expr = NULL;
    at_error err = { 0 };
    cr_assert_eq(at__expr_compile(&expr, "TIEL", 4, &scope, PLACE, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "x.cu:12:5: unknown name 'TIEL'");
    at__expr_close(NULL);
}
