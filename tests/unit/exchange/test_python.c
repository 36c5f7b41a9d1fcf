/* test_python.c - the Python of other tuners' files: values, conditions in our words, what is refused. */
#include "exchange/python.h"

#include "expr/expr.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* ---- values ---- */

static at_status values_of(atx_str *out, const char *text, atx_py_error *why)
{
    static atx_py_value values[ATX_PY_MAX_VALUES];
    int count = 0;
    at_status status = atx_py_values(values, &count, text, strlen(text), why);
    for (int i = 0; status == AT_OK && i < count; i++) {
        atx_str_add(out, i ? " " : "");
        if (values[i].is_word)
            atx_str_add_bytes(out, text + values[i].begin, values[i].end - values[i].begin);
        else
            atx_str_addf(out, "%lld", (long long)values[i].number);
    }
    return status;
}

static const struct {
    const char *text, *values;
} VALUES[] = {
    { "[1, 2, 4]", "1 2 4" },
    { "[1, 2, 4,]", "1 2 4" },
    { "(1, 2)", "1 2" },
    { "(3,)", "3" },
    { "[]", "" },
    { "[-1, +2, ~3, 0x10]", "-1 2 -4 16" },
    { "[True, False]", "1 0" },
    { "['a', \"b_2\"]", "a b_2" },
    { "range(4)", "0 1 2 3" },
    { "range(2, 5)", "2 3 4" },
    { "range(5, 0, -2)", "5 3 1" },
    { "range(5, 0)", "" },
    { "list(range(32, 128+1, 32))", "32 64 96 128" },
    { "[2**i for i in range(0, 6)]", "1 2 4 8 16 32" },
    { "[i*16 for i in range(1, 9) if i % 2 == 0 if i != 4]", "32 96 128" },
    { "list((3, 5)) + [2*i for i in (3, 5)]", "3 5 6 10" },
    { "[x + y for x in [1, 2]] + [9]", NULL }, /* y is not known */
    { "[1] + list(range(2, 4)) + [8]", "1 2 3 8" },
    { "tuple([7])", "7" },
    { "[7 // 2, 7 % 3, 8 / 2]", "3 1 4" },
    { "[1 << 4, 256 >> 3, 6 & 3, 6 | 1, 6 ^ 2]", "16 32 2 7 4" },
    { "[-2**2, 2**2**3, 12*1024]", "-4 256 12288" },
    { "[i for i in range(9) if 2 <= i < 5 or i in (7,)]", "2 3 4 7" },
    { "[i for i in range(4) if not i or i not in [1, 2]]", "0 3" },
    { "[min(3, 2), max(1, 5, 4), abs(-3)]", "2 5 3" },
    { "[min(i, 2) for i in range(4) if i == 1 or i == 3]", "1 2" },
    { "[8 / i for i in [1, 2, 4]]", "8 4 2" },
};

Test(python, evaluates_lists)
{
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        atx_str text = { 0 };
        atx_py_error why = { 0 };
        at_status status = values_of(&text, VALUES[i].text, &why);
        cr_assert_eq(status, VALUES[i].values ? AT_OK : AT_ERR_INPUT, "%s: %s", VALUES[i].text, why.text);
        if (VALUES[i].values)
            cr_assert_str_eq(atx_str_text(&text), VALUES[i].values, "%s: %s", VALUES[i].text,
                             atx_str_text(&text));
        atx_str_clear(&text);
    }
}

static const struct {
    const char *text;
    size_t offset;
    const char *message;
} BAD_VALUES[] = {
    { "", 0, "found the end of the expression; expected a list of values" },
    { "5", 0, "found '5'; expected a list of values" },
    { "[1, 2", 5, "found the end of the expression; expected ',' or ']'" },
    { "[1 2]", 3, "found '2'; expected ',' or ']'" },
    { "[0.5]", 1, "found '0.5'; expected an integer" },
    { "[1, x]", 4, "unknown name 'x'" },
    { "[1 / 2]", 3, "found a quotient that is not whole; expected only exact ones, or //" },
    { "[1 // 0]", 3, "division by zero in '1 / 0'" },
    { "[2 ** 64]", 1, "shift outside 0..63 in '1 << 64'" },
    { "[1 << 64]", 3, "shift outside 0..63 in '1 << 64'" },
    { "[9223372036854775807 + 1]", 21, "overflow in '9223372036854775807 + 1'" },
    { "np.arange(4)", 0, "found 'np.arange'; expected range, list or tuple" },
    { "[a[0]]", 1, "unknown name 'a'" },
    { "lambda x: x", 0, "found 'lambda'; expected range, list or tuple" },
    { "[None]", 1, "unknown name 'None'" },
    { "range(0)[", 8, "found '['; expected an operator or the end" },
    { "range(1, 2, 0)", 0, "found 'range'; expected one to three numbers in it, the third not 0" },
    { "range(1000000)", 0, "found more than 4096 values; expected fewer" },
    { "['a\\n']", 3, "found '\\'; expected a string without escapes" },
    { "['a", 1, "found '''; expected the quote that ends the string" },
    { "[1] + 'a'", 6, "found ''a''; expected a list of values" },
    { "['a' + 1]", 2, "found 'a'; expected a word only where it is compared with a parameter" },
};

Test(python, says_what_lies_outside_of_lists)
{
    for (size_t i = 0; i < sizeof BAD_VALUES / sizeof *BAD_VALUES; i++) {
        atx_str text = { 0 };
        atx_py_error why = { 0 };
        cr_assert_eq(values_of(&text, BAD_VALUES[i].text, &why), AT_ERR_INPUT, "%s", BAD_VALUES[i].text);
        cr_assert_str_eq(why.text, BAD_VALUES[i].message, "%s: %s", BAD_VALUES[i].text, why.text);
        cr_assert_eq(why.offset, BAD_VALUES[i].offset, "%s: %zu", BAD_VALUES[i].text, why.offset);
        atx_str_clear(&text);
    }
}

/* ---- conditions ---- */

static const char *const NAMES[] = { "a", "b", "c", "mode" };

static int find_name(const void *context, const char *name, size_t len)
{
    (void)context;
    for (int i = 0; i < 4; i++)
        if (strlen(NAMES[i]) == len && memcmp(NAMES[i], name, len) == 0)
            return i;
    return len == 9 && memcmp(name, "mode_fast", 9) == 0 ? 4 : -1;
}

static bool is_known(const void *context, const char *name, size_t len)
{
    return find_name(context, name, len) >= 0;
}

/* mode is fast or slow. */
static bool has_word(const void *context, const char *name, size_t name_len, const char *word,
                     size_t word_len)
{
    (void)context;
    return name_len == 4 && memcmp(name, "mode", 4) == 0 && word_len == 4 && memcmp(word, "fast", 4) == 0;
}

static const atx_py_scope SCOPE = { .known = is_known, .has_word = has_word };

static at_status translate(atx_py_condition *out, const char *text, atx_py_error *why)
{
    return atx_py_translate(out, text, strlen(text), &SCOPE, why);
}

/* What Python says of a = 6, b = 4, c = 0, mode = 'fast' stands in `holds`. */
static const struct {
    const char *python, *ours;
    bool holds;
} CONDITIONS[] = {
    { "a < b", "a < b", false },
    { "32 <= a * b <= 1024", "32 <= a * b && a * b <= 1024", false },
    { "2 <= b < a != 7", "2 <= b && b < a && a != 7", true },
    { "a and b or c", "a && b || c", true },
    { "a and (b or c)", "a && (b || c)", true },
    { "not a == 6", "!(a == 6)", false },
    { "not (a and c)", "!(a && c)", true },
    { "not c", "!c", true },
    { "a in [1, 6]", "a == 1 || a == 6", true },
    { "a not in (1, 6) or c == 0", "a != 1 && a != 6 || c == 0", true },
    { "c == 0 and a in (1, 2)", "c == 0 && (a == 1 || a == 2)", false },
    { "a in []", "0", false },
    { "a % b == 0", "a % b == 0", false },
    { "a // b == 1", "a / b == 1", true },
    { "a * b / 8 == 3", "a * b / 8 == 3", true },
    { "a / (b / 2) == 3", "a / (b / 2) == 3", true },
    { "a - (b - c) == 2", "a - (b - c) == 2", true },
    { "-a < ~b", "-a < ~b", true },
    { "2 ** b == 16", "1 << b == 16", true },
    { "a | 1 == 7", "(a | 1) == 7", true },
    { "(a & 2) == 2", "(a & 2) == 2", true },
    { "a & 2 == 2", "(a & 2) == 2", true }, /* in Python & goes first */
    { "min(a, b) == 4 and max(a, b, c) == 6", "min(a, b) == 4 && max(a, b, c) == 6", true },
    { "abs(c - a) == 6", "abs(c - a) == 6", true },
    { "mode == 'fast'", "mode == mode_fast", true },
    { "'fast' != mode", "mode_fast != mode", false },
    { "mode in ['fast', 'none']", "mode == mode_fast || mode == -1", true },
    { "a == 6 and b == 0x4", "a == 6 && b == 4", true },
    { "(a < b) + 1 == 1", "(a < b) + 1 == 1", true },
    { "a if b else c", "((b) ? (a) : (c))", true },
    { "(a if c else b) == 4 and a", "((c) ? (a) : (b)) == 4 && a", true },
    { "2 * (1 if a and c else 3 if a else 5) == 6", "2 * ((a && c) ? (1) : (((a) ? (3) : (5)))) == 6", true },
    { "True", "1", true },
};

static int64_t evaluate(const char *text)
{
    atx_scope scope = { .find = find_name };
    atx_where where = { .file = "ours", .line = 1, .column = 1 };
    const int64_t slots[] = { 6, 4, 0, 0, 0 };
    atx_expr *expr = NULL;
    int64_t value = -1;
    at_error err = { 0 };
    cr_assert_eq(atx_expr_compile(&expr, text, strlen(text), &scope, where, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_expr_eval(&value, expr, slots, &err), AT_OK, "%s", err.text);
    atx_expr_close(expr);
    return value;
}

Test(python, translates_conditions)
{
    for (size_t i = 0; i < sizeof CONDITIONS / sizeof *CONDITIONS; i++) {
        atx_py_condition condition = { .guard_count = 0 };
        atx_py_error why = { 0 };
        at_status status = translate(&condition, CONDITIONS[i].python, &why);
        cr_assert_eq(status, CONDITIONS[i].ours ? AT_OK : AT_ERR_INPUT, "%s: %s", CONDITIONS[i].python,
                     why.text);
        if (CONDITIONS[i].ours) {
            cr_assert_str_eq(atx_str_text(&condition.text), CONDITIONS[i].ours, "%s", CONDITIONS[i].python);
            cr_assert_eq(evaluate(condition.text.data) != 0, CONDITIONS[i].holds, "%s", CONDITIONS[i].python);
        }
        atx_py_condition_clear(&condition);
    }
}

/* Python's / is exact, // and % round down: where ours does not say the same, the guard is 0. */
Test(python, guards_divisions)
{
    static const struct {
        const char *text;
        size_t offset;
    } EXPECTED[] = { { "(b + 1) == 0 || (a) >= 0 && (b + 1) > 0", 2 },
                     { "(4) == 0 || (a / (b + 1)) >= 0 && (4) > 0", 13 },
                     { "(b) == 0 || (a * 2) % (b) == 0", 32 } };
    atx_py_condition condition = { .guard_count = 0 };
    atx_py_error why = { 0 };
    cr_assert_eq(translate(&condition, "a // (b + 1) % 4 == 0 and a * 2 / b > 1", &why), AT_OK, "%s",
                 why.text);
    cr_assert_eq(condition.guard_count, 3);
    for (int i = 0; i < 3; i++) {
        cr_assert_str_eq(atx_str_text(&condition.guards[i].text), EXPECTED[i].text);
        cr_assert_eq(condition.guards[i].offset, EXPECTED[i].offset);
        cr_assert_eq(evaluate(condition.guards[i].text.data), 1);
    }
    atx_py_condition_clear(&condition);
    cr_assert_eq(translate(&condition, "a / b == 1 or -a % b == 0", &why), AT_OK, "%s", why.text);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(evaluate(condition.guards[i].text.data), 0, "6 / 4 and -6 %% 4");
    atx_py_condition_clear(&condition);
}

static const struct {
    const char *python;
    size_t offset;
    const char *message;
} BAD_CONDITIONS[] = {
    { "a < d", 4, "found 'd'; expected the name of a parameter" },
    { "a <", 3, "found the end of the expression; expected a value, a name or '('" },
    { "a = 1", 2, "found '='; expected an operator or the end" },
    { "(a or b) * 2 == 2", 3, "found 'or'; expected a number; and/or give one of their sides here" },
    { "a == 'fast'", 6, NULL }, /* a has no words: it equals none */
    { "'fast'", 1, "found 'fast'; expected a word only where it is compared with a parameter" },
    { "a + 'x' == 1", 5, "found 'x'; expected a word only where it is compared with a parameter" },
    { "a in b", 5, "found 'b'; expected a list of values" },
    { "a in [1] == b", 9, "found '=='; expected and, or, or the end" },
    { "[a, b] == 1", 0, "found '['; expected a value, a name or '('" },
    { "a ** b == 1", 0, "found 'a'; expected a power of 2" },
    { "sum([a, b]) == 1", 0, "found 'sum'; expected min, max or abs" },
    { "a is b", 2, "found 'is'; expected an operator or the end" },
    { "not", 3, "found the end of the expression; expected a value, a name or '('" },
    { "a not b", 6, "found 'b'; expected 'in'" },
    { "a ? b", 2, "found '?'; expected an operator or the end" },
    { "int(a / b) == 1", 0, "found 'int'; expected min, max or abs" },
    { "max(a) == 6", 0, "found 'max'; expected one value in abs, two or more in min and max" },
    { "a if b", 6, "found the end of the expression; expected 'else'" },
    { "a < b if a and b else 'fast'", 23,
      "found 'fast'; expected a word only where it is compared with a parameter" },
    { "min() == 1", 4, "found ')'; expected a value, a name or '('" },
};

Test(python, says_what_lies_outside_of_conditions)
{
    for (size_t i = 0; i < sizeof BAD_CONDITIONS / sizeof *BAD_CONDITIONS; i++) {
        atx_py_condition condition = { .guard_count = 0 };
        atx_py_error why = { 0 };
        at_status status = translate(&condition, BAD_CONDITIONS[i].python, &why);
        if (BAD_CONDITIONS[i].message) {
            cr_assert_eq(status, AT_ERR_INPUT, "%s", BAD_CONDITIONS[i].python);
            cr_assert_str_eq(why.text, BAD_CONDITIONS[i].message, "%s: %s", BAD_CONDITIONS[i].python,
                             why.text);
            cr_assert_eq(why.offset, BAD_CONDITIONS[i].offset, "%s: %zu", BAD_CONDITIONS[i].python,
                         why.offset);
        }
        atx_py_condition_clear(&condition);
    }
}

Test(python, deep_nesting_is_refused)
{
    static const char *const PARTS[] = { "(", "-", "not ", "2**", "min(", "a and not (", "1 if 1 else " };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        atx_str text = { 0 };
        atx_py_condition condition;
        atx_py_error why = { 0 };
        for (int k = 0; k < 5000; k++)
            atx_str_add(&text, PARTS[i]);
        cr_assert_eq(translate(&condition, text.data, &why), AT_ERR_INPUT);
        cr_assert(strstr(why.text, "nesting"), "%s: %s", PARTS[i], why.text);
        atx_str_clear(&text);
    }
}
