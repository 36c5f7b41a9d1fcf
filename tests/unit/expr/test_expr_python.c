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
