/* test_expr.c - the expression language: values, messages, limits. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

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

static const atx_scope SCOPE = { .find = find, .name = name_at };
static const atx_where PLACE = { .file = "x.cu", .line = 12, .column = 5 };

static at_status compile(atx_expr **out, const char *text, at_error *err)
{
    return atx_expr_compile(out, text, strlen(text), &SCOPE, PLACE, err);
}

static at_status evaluate(int64_t *out, const char *text, at_error *err)
{
    int64_t slots[NAME_COUNT];
    atx_expr *expr = NULL;
    for (int i = 0; i < NAME_COUNT; i++)
        slots[i] = NAMES[i].value;
    at_status status = compile(&expr, text, err);
    if (status == AT_OK)
        status = atx_expr_eval(out, expr, slots, err);
    atx_expr_close(expr);
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
    char text[ATX_EXPR_MAX_TEXT + 1] = "";
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
    cr_assert_eq(nest("(", ")", ATX_EXPR_MAX_DEPTH, &err), AT_OK, "%s", err.text);
    cr_assert_eq(nest("(", ")", ATX_EXPR_MAX_DEPTH + 1, &err), AT_ERR_INPUT);
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
    char text[ATX_EXPR_MAX_TEXT + 2];
    atx_expr *expr = NULL;
    memset(text, '1', sizeof text);
    for (size_t i = 1; i < sizeof text; i += 2)
        text[i] = '|';
    cr_assert_eq(atx_expr_compile(&expr, text, ATX_EXPR_MAX_TEXT - 1, &SCOPE, PLACE, &err), AT_OK, "%s",
                 err.text);
    atx_expr_close(expr);
    cr_assert_eq(atx_expr_compile(&expr, text, ATX_EXPR_MAX_TEXT + 1, &SCOPE, PLACE, &err), AT_ERR_INPUT);
    cr_assert_not_null(strstr(err.text, "expected at most 4096"), "%s", err.text);
}

Test(expr, does_not_read_past_its_length)
{
    char *text = malloc(6); /* the sanitizer sees a byte too far */
    atx_expr *expr = NULL;
    int64_t slots[NAME_COUNT] = { 32 }, value = 0;
    memcpy(text, "TILE*2", 6);
    cr_assert_eq(atx_expr_compile(&expr, text, 6, &SCOPE, PLACE, NULL), AT_OK);
    cr_assert_eq(atx_expr_eval(&value, expr, slots, NULL), AT_OK);
    cr_assert_eq(value, 64);
    atx_expr_close(expr);
    cr_assert_eq(atx_expr_compile(&expr, text, 4, &SCOPE, PLACE, NULL), AT_OK);
    cr_assert_str_eq(atx_expr_text(expr), "TILE");
    atx_expr_close(expr);
    free(text);
}

Test(expr, tells_what_it_reads_and_its_text)
{
    atx_expr *expr = NULL;
    cr_assert_eq(compile(&expr, "  TILE *\\\n\t (PAD +  1) ", NULL), AT_OK);
    cr_assert(atx_expr_reads(expr, 0));
    cr_assert(atx_expr_reads(expr, 1));
    cr_assert_not(atx_expr_reads(expr, 2));
    cr_assert_str_eq(atx_expr_text(expr), "TILE * (PAD + 1)");
    cr_assert_eq(atx_expr_where(expr).line, 12);
    cr_assert_eq(atx_expr_where(expr).column, 7);
    atx_expr_close(expr);
}

Test(expr, splits_a_list)
{
    static const char TEXT[] = "TILE * 2 PAD (1 + 1)(2) min(1, 2)TILE ] output";
    static const char *const PARTS[] = { "TILE * 2", "PAD", "(1 + 1)", "(2)", "min(1, 2)", "TILE" };
    size_t at = 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        atx_expr *expr = NULL;
        at_error err = { 0 };
        size_t used = 0;
        cr_assert_eq(atx_expr_compile_first(&expr, &used, TEXT + at, strlen(TEXT) - at, &SCOPE, PLACE, &err),
                     AT_OK, "%s", err.text);
        cr_assert_str_eq(atx_expr_text(expr), PARTS[i]);
        atx_expr_close(expr);
        at += used;
    }
    cr_assert_str_eq(TEXT + at, "] output");
}

Test(expr, works_without_suggestions)
{
    atx_scope scope = { .find = find };
    atx_expr *expr = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_expr_compile(&expr, "TIEL", 4, &scope, PLACE, &err), AT_ERR_INPUT);
    cr_assert_str_eq(err.text, "x.cu:12:5: unknown name 'TIEL'");
    atx_expr_close(NULL);
}

/* ---- bounds ---- */

static const struct {
    const char *text;
    bool known;
    int64_t low, high; /* with TILE from 1 to 8, PAD from 0 to 3, NEG from -4 to -2 */
} BOUNDS[] = {
    { "TILE * (PAD + 2)", true, 2, 40 },
    { "TILE - PAD", true, -2, 8 },
    { "TILE * NEG", true, -32, -2 },
    { "TILE * 2 <= 16", true, 1, 1 },
    { "TILE * 2 > 16", true, 0, 0 },
    { "TILE == 9", true, 0, 0 },
    { "TILE != PAD", true, 0, 1 },
    { "100 / TILE", true, 12, 100 },
    { "ceil_div(9, TILE)", true, 2, 9 },
    { "100 % TILE", true, 0, 7 },
    { "PAD % 8", true, 0, 3 },
    { "NEG % 3", true, -2, 0 },
    { "TILE / PAD", false, 0, 0 },
    { "MOST + TILE", false, 0, 0 },
    { "log2(PAD)", false, 0, 0 },
    { "log2(TILE)", true, 0, 3 },
    { "PAD && TILE > 9", true, 0, 0 },
    { "PAD || TILE < 9", true, 1, 1 },
    { "TILE > 0 && PAD < 9", true, 1, 1 },
    { "PAD == 0 || TILE % PAD == 0", false, 0, 0 }, /* each operator by itself: PAD may be 0 */
    { "PAD ? TILE : 20", true, 1, 20 },
    { "TILE ? PAD : 20", true, 0, 3 },
    { "PAD > 3 ? TILE / 0 : PAD", true, 0, 3 },
    { "PAD ? PAD > 1 ? 5 : 6 : 7", true, 5, 7 },
    { "min(TILE, 5) + max(PAD, 2)", true, 3, 8 },
    { "abs(NEG) << PAD", true, 2, 32 },
    { "TILE >> 1", true, 0, 4 },
    { "TILE & 3", true, 0, 3 },
    { "TILE | 1", true, 1, 15 },
    { "!NEG", true, 0, 0 },
    { "-NEG", true, 2, 4 },
    { "~PAD", true, -4, -1 },
    { "is_pow2(TILE)", true, 0, 1 },
};

static atx_bounds bounds_of(int i)
{
    static const struct {
        const char *name;
        atx_bounds bounds;
    } RANGES[] = { { "TILE", { 1, 8 } }, { "PAD", { 0, 3 } }, { "NEG", { -4, -2 } } };
    for (int k = 0; k < 3; k++)
        if (strcmp(NAMES[i].name, RANGES[k].name) == 0)
            return RANGES[k].bounds;
    return (atx_bounds){ NAMES[i].value, NAMES[i].value };
}

Test(expr, tells_bounds)
{
    atx_bounds slots[NAME_COUNT];
    for (int i = 0; i < NAME_COUNT; i++)
        slots[i] = bounds_of(i);
    for (size_t i = 0; i < sizeof BOUNDS / sizeof *BOUNDS; i++) {
        atx_expr *expr = NULL;
        atx_bounds found = { 0, 0 };
        at_error err = { 0 };
        cr_assert_eq(compile(&expr, BOUNDS[i].text, &err), AT_OK, "%s", err.text);
        cr_assert_eq(atx_expr_bounds(&found, expr, slots), BOUNDS[i].known, "%s", BOUNDS[i].text);
        if (BOUNDS[i].known)
            cr_assert(found.low == BOUNDS[i].low && found.high == BOUNDS[i].high,
                      "%s: %" PRId64 " to %" PRId64, BOUNDS[i].text, found.low, found.high);
        atx_expr_close(expr);
    }
}

/* A small generator: enough for trees that differ. */
static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void add_random(char *out, unsigned *state, int depth)
{
    static const char *const BINARY[] = { "+", "-",  "*",  "/",  "%", "<<", ">>", "<",  "<=",
                                          ">", ">=", "==", "!=", "&", "|",  "^",  "&&", "||" };
    static const char *const CALLS[] = { "min", "max", "ceil_div", "gcd" };
    static const char *const UNARY[] = { "-", "!", "~", "abs", "log2", "is_pow2" };
    unsigned kind = depth ? next_random(state) % 10 : 0;
    strcat(out, "(");
    if (kind < 2) {
        static const char *const LEAVES[] = { "TILE", "PAD", "NEG", "TILE", "2", "5" };
        strcat(out, LEAVES[next_random(state) % 6]);
    } else if (kind < 3) {
        strcat(out, UNARY[next_random(state) % 6]);
        add_random(out, state, depth - 1);
    } else {
        bool call = kind == 3, choice = kind == 4;
        strcat(out, call ? CALLS[next_random(state) % 4] : "");
        strcat(out, call ? "(" : "");
        add_random(out, state, depth - 1);
        strcat(out, call ? "," : choice ? "?" : BINARY[next_random(state) % 18]);
        add_random(out, state, depth - 1);
        if (choice) {
            strcat(out, ":");
            add_random(out, state, depth - 1);
        }
        strcat(out, call ? ")" : "");
    }
    strcat(out, ")");
}

/* Every value that there is must lie within. */
static void check_bounds(const char *text, int *known)
{
    atx_expr *expr = NULL;
    atx_bounds slots[NAME_COUNT], found;
    int64_t values[NAME_COUNT], value;
    at_error err = { 0 };
    for (int i = 0; i < NAME_COUNT; i++) {
        slots[i] = bounds_of(i);
        values[i] = NAMES[i].value;
    }
    cr_assert_eq(compile(&expr, text, &err), AT_OK, "%s: %s", text, err.text);
    if (atx_expr_bounds(&found, expr, slots)) {
        ++*known;
        for (values[0] = 1; values[0] <= 8; values[0]++)
            for (values[1] = 0; values[1] <= 3; values[1]++)
                for (values[3] = -4; values[3] <= -2; values[3]++) {
                    cr_assert_eq(atx_expr_eval(&value, expr, values, &err), AT_OK, "%s: %s", text, err.text);
                    cr_assert(found.low <= value && value <= found.high,
                              "%s is %" PRId64 ", not within %" PRId64 " and %" PRId64, text, value,
                              found.low, found.high);
                }
    }
    atx_expr_close(expr);
}

Test(expr, bounds_hold_for_all_values)
{
    unsigned state = 1;
    int known = 0;
    for (int i = 0; i < 4000; i++) {
        char text[4096] = "";
        add_random(text, &state, 1 + i % 4);
        check_bounds(text, &known);
    }
    cr_assert_gt(known, 1500, "%d", known);
}

Test(expr, bounds_hold_where_64_bits_end)
{
    static const atx_bounds EDGES[] = { { INT64_MIN, INT64_MIN + 2 },
                                        { INT64_MAX - 2, INT64_MAX },
                                        { -2, 2 },
                                        { INT64_MIN, INT64_MAX },
                                        { 61, 65 },
                                        { -1, -1 } };
    unsigned state = 7;
    int known = 0;
    for (int i = 0; i < 6000; i++) {
        char text[4096] = "";
        atx_expr *expr;
        atx_bounds slots[NAME_COUNT] = { 0 }, found;
        for (int k = 0; k < 4; k++)
            slots[k] = EDGES[next_random(&state) % 6];
        add_random(text, &state, 1 + i % 3);
        cr_assert_eq(compile(&expr, text, NULL), AT_OK, "%s", text);
        const bool is_known = atx_expr_bounds(&found, expr, slots);
        known += is_known;
        for (int way = 0; way < 256 && is_known; way++) {
            int64_t values[NAME_COUNT] = { 0 }, value = 0;
            for (int k = 0, rest = way; k < 4; k++, rest /= 4) { /* the lowest two, the highest two */
                const int inner = slots[k].low < slots[k].high && rest & 1;
                values[k] = rest & 2 ? slots[k].high - inner : slots[k].low + inner;
            }
            cr_assert_eq(atx_expr_eval(&value, expr, values, NULL), AT_OK, "%s", text);
            cr_assert(found.low <= value && value <= found.high, "%s is %" PRId64, text, value);
        }
        atx_expr_close(expr);
    }
    cr_assert_gt(known, 2000, "%d", known);
}

/* ---- residues ---- */

enum { TILES = 8, PADS = 4, NEGS = 3, ALL_BOUND = 7 };

/* The n-th of all ways to bind the three names. */
static void bind_names(int64_t *values, int n)
{
    for (int i = 0; i < NAME_COUNT; i++)
        values[i] = NAMES[i].value;
    values[0] = 1 + n % TILES;
    values[1] = n / TILES % PADS;
    values[3] = -4 + n / (TILES * PADS);
}

/* The same way, as far as it concerns the names in `mask`? */
static bool is_alike(const int64_t *a, const int64_t *b, unsigned mask)
{
    return (!(mask & 1) || a[0] == b[0]) && (!(mask & 2) || a[1] == b[1]) && (!(mask & 4) || a[3] == b[3]);
}

static int residue(int64_t *out, const atx_expr *expr, const int64_t *values, unsigned bound)
{
    atx_binding bindings[NAME_COUNT];
    for (int i = 0; i < NAME_COUNT; i++)
        bindings[i] = ATX_CONSTANT;
    bindings[0] = bound & 1 ? ATX_BOUND : ATX_UNBOUND;
    bindings[1] = bound & 2 ? ATX_BOUND : ATX_UNBOUND;
    bindings[3] = bound & 4 ? ATX_BOUND : ATX_UNBOUND;
    return atx_expr_residue(out, 24, expr, values, bindings);
}

/* Two ways that leave the same, completed alike, give the same. Returns how many ways differed before. */
static int check_residue(const atx_expr *expr, const char *text, unsigned bound)
{
    enum { WAYS = TILES * PADS * NEGS };
    int64_t values[WAYS][NAME_COUNT], left[WAYS][24], results[WAYS];
    int counts[WAYS], merged = 0;
    at_status status[WAYS];
    for (int i = 0; i < WAYS; i++) {
        bind_names(values[i], i);
        counts[i] = residue(left[i], expr, values[i], bound);
        status[i] = atx_expr_eval(&results[i], expr, values[i], NULL);
    }
    for (int i = 0; i < WAYS; i++)
        for (int k = 0; k < i; k++) {
            if (counts[i] < 0 || counts[i] != counts[k] ||
                memcmp(left[i], left[k], (size_t)counts[i] * sizeof **left) != 0 ||
                !is_alike(values[i], values[k], ALL_BOUND & ~bound))
                continue;
            merged++;
            cr_assert(status[i] == status[k] && (status[i] != AT_OK || results[i] == results[k]),
                      "%s: ways %d and %d leave the same of it, bound %u", text, k, i, bound);
        }
    return merged;
}

Test(expr, what_leaves_the_same_gives_the_same)
{
    unsigned state = 5;
    int merged = 0;
    for (int i = 0; i < 3000; i++) {
        char text[4000] = "";
        atx_expr *expr = NULL;
        add_random(text, &state, 4);
        cr_assert_eq(compile(&expr, text, NULL), AT_OK, "%s", text);
        for (unsigned bound = 1; bound <= ALL_BOUND; bound++)
            merged += check_residue(expr, text, bound);
        atx_expr_close(expr);
    }
    cr_assert_gt(merged, 100000, "%d", merged);
}

static const struct {
    const char *text;
    unsigned bound;
    int count; /* of numbers that are left */
} RESIDUES[] = {
    { "(TILE + 2 * PAD + NEG) % 7", 3, 1 }, /* their sum                       */
    { "TILE * 2 + 1", 1, 1 },               /* all of it                       */
    { "TILE * 2 + 1", 6, 0 },               /* nothing                         */
    { "NEG * TILE + NEG * PAD", 3, 2 },     /* each for itself                 */
    { "TILE > 0 && NEG * PAD < 0", 3, 2 },  /* that it goes on, and PAD        */
    { "TILE == 0 && NEG * PAD < 0", 3, 2 }, /* that it does not, and the value */
    { "NEG < 0 ? TILE : PAD", 3, 2 },       /* either may be taken             */
    { "log2(PAD - PAD) + NEG", 3, -1 },     /* it fails, perhaps not alone     */
};

Test(expr, tells_what_is_left)
{
    for (size_t i = 0; i < sizeof RESIDUES / sizeof *RESIDUES; i++) {
        atx_expr *expr = NULL;
        int64_t values[NAME_COUNT], left[24];
        cr_assert_eq(compile(&expr, RESIDUES[i].text, NULL), AT_OK);
        bind_names(values, 11);
        cr_expect_eq(residue(left, expr, values, RESIDUES[i].bound), RESIDUES[i].count, "%s: %d",
                     RESIDUES[i].text, residue(left, expr, values, RESIDUES[i].bound));
        atx_expr_close(expr);
    }
}
