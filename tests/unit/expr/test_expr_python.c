/* test_expr_python.c - expressions as Python. */
#include <criterion/criterion.h>
#include <string.h>

#include "expr/expr.h"

static const struct {
    const char *name;
    int64_t value;
} NAMES[] = {
    { "TILE", 32 }, { "PAD", 1 }, { "ZERO", 0 }, { "NEG", -7 }, { "device.sms", 132 }, { "sizeof(T)", 4 },
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

static at_status compile(atx_expr **out, const char *text, at_error *err)
{
    const atx_scope scope = { .find = find };
    const atx_where place = { .file = "x.cu", .line = 1, .column = 1 };
    return atx_expr_compile(out, text, strlen(text), &scope, place, err);
}

/* TILE and PAD are names, all others numbers. */
static void add_python_name(atx_str *out, void *context, int slot)
{
    (void)context;
    if (slot < 2)
        atx_str_add(out, NAMES[slot].name);
    else
        atx_str_add_int(out, NAMES[slot].value);
}

static const struct {
    const char *ours, *python;
} PYTHON[] = {
    { "TILE * (3 + device.sms) <= 49152", "((TILE * 135) <= 49152)" },
    { "TILE && !PAD", "((TILE != 0) and (not PAD))" },
    { "(TILE || PAD) + 1", "((1 if ((TILE != 0) or (PAD != 0)) else 0) + 1)" },
    { "(TILE > 8 && ZERO) == 0", "1" },
    { "ZERO || PAD > 1", "(PAD > 1)" },
    { "ZERO ? 1 / ZERO : TILE", "TILE" },
    { "PAD ? TILE : 2 * sizeof(T)", "(TILE if PAD else 8)" },
    { "TILE / 2 % 3", "((TILE // 2) % 3)" },
    { "ceil_div(100, TILE)", "((100 + TILE - 1) // TILE)" },
    { "is_pow2(TILE)", "(TILE > 0 and (TILE & (TILE - 1)) == 0)" },
    { "gcd(TILE, 4)", "max(4 * (TILE % 4 == 0), 2 * (TILE % 2 == 0), 1)" },
    { "min(TILE, log2(64), NEG)", "min(min(TILE, 6), -7)" },
    { "gcd(TILE, PAD)", NULL },
    { "log2(TILE)", NULL },
};

/* TILE is -8 to 32, PAD 1 to 4. */
static atx_bounds bounds_of(void *context, int slot)
{
    (void)context;
    return slot ? (atx_bounds){ 1, 4 } : (atx_bounds){ -8, 32 };
}

/* Ours round to zero, Python's // and % down. */
static const struct {
    const char *ours, *python;
} SIGNED[] = {
    { "TILE / 3", "(abs(TILE) // abs(3) * (1 if (TILE < 0) == (3 < 0) else -1))" },
    { "TILE % 3", "(abs(TILE) % abs(3) * (1 if TILE >= 0 else -1))" },
    { "max(TILE, 0) / PAD % 3", "((max(TILE, 0) // PAD) % 3)" },
    { "(PAD + 31) / 32", "((PAD + 31) // 32)" },
    { "(PAD - 1) / 2", "((PAD - 1) // 2)" },
    { "(PAD > 2 ? PAD : TILE) / 2", "(abs((PAD if (PAD > 2) else TILE)) // abs(2) * (1 if ((PAD if (PAD > 2) "
                                    "else TILE) < 0) == (2 < 0) else "
                                    "-1))" },
    { "ceil_div(TILE, PAD)", "((TILE + PAD - 1) // PAD)" },
    { "ceil_div(PAD, TILE)", "(-(-PAD // TILE))" },
};

static void write_as(atx_str *out, const char *ours, const atx_expr_names *names)
{
    at_error err = { 0 };
    atx_expr *expr = NULL;
    cr_assert_eq(compile(&expr, ours, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_expr_add_python(out, expr, names, &err), AT_OK, "%s", err.text);
    atx_expr_close(expr);
}

Test(expr_python, divides_what_may_be_below_zero_as_c_does)
{
    const atx_expr_names names = { .add = add_python_name, .bounds = bounds_of };
    for (size_t i = 0; i < sizeof SIGNED / sizeof *SIGNED; i++) {
        atx_str text = { 0 };
        write_as(&text, SIGNED[i].ours, &names);
        cr_expect_str_eq(atx_str_text(&text), SIGNED[i].python, "%s: %s", SIGNED[i].ours, text.data);
        atx_str_clear(&text);
    }
}

static void add_long_name(atx_str *out, void *context, int slot)
{
    (void)context;
    (void)slot;
    for (int i = 0; i < 40000; i++)
        atx_str_add(out, "x");
}

Test(expr_python, refuses_a_text_that_is_too_long)
{
    const atx_expr_names names = { .add = add_long_name };
    at_error err = { 0 };
    atx_expr *expr = NULL;
    atx_str text = { 0 };
    cr_assert_eq(compile(&expr, "TILE * TILE", &err), AT_OK, "%s", err.text);
    cr_expect_eq(atx_expr_add_python(&text, expr, &names, &err), AT_ERR_INPUT);
    cr_expect(strstr(err.text, "x.cu:1:6: ") && strstr(err.text, "65536"), "%s", err.text);
    cr_expect_eq(text.len, 0);
    atx_str_clear(&text);
    atx_expr_close(expr);
}

Test(expr_python, writes_python_in_which_numbers_are_counted_with)
{
    const atx_expr_names names = { .add = add_python_name };
    for (size_t i = 0; i < sizeof PYTHON / sizeof *PYTHON; i++) {
        at_error err = { 0 };
        atx_expr *expr = NULL;
        atx_str text = { 0 };
        cr_assert_eq(compile(&expr, PYTHON[i].ours, &err), AT_OK, "%s", err.text);
        const at_status status = atx_expr_add_python(&text, expr, &names, &err);
        cr_assert_eq(status, PYTHON[i].python ? AT_OK : AT_ERR_INPUT, "%s", PYTHON[i].ours);
        if (PYTHON[i].python)
            cr_assert_str_eq(atx_str_text(&text), PYTHON[i].python, "%s: %s", PYTHON[i].ours, text.data);
        atx_str_clear(&text);
        atx_expr_close(expr);
    }
}
