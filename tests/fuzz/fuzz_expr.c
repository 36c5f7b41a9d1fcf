/*
 * fuzz_expr.c - any text as an expression, then evaluated with values from the text. What compiles must
 * evaluate or explain itself, and its own text must compile to the same value.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const NAMES[] = { "A", "B", "TILE", "device.sms", "sizeof(T)", "n0", "n1", "n2" };
enum { COUNT = sizeof NAMES / sizeof *NAMES };

static int find(const void *context, const char *name, size_t len)
{
    (void)context;
    for (int i = 0; i < COUNT; i++)
        if (strlen(NAMES[i]) == len && memcmp(NAMES[i], name, len) == 0)
            return i;
    return -1;
}

static const char *name_at(const void *context, int i)
{
    (void)context;
    return i < COUNT ? NAMES[i] : NULL;
}

/* n[k], k going over all of them; j is 1. */
static const atx_indices INDICES = {
    .items = { { "j", 0, 2, 1, true }, { "k", 0, 2, 0, false }, { "l", 2, 0, 0, false } }, .count = 3
};
static const atx_scope SCOPE = { .find = find, .name = name_at, .indices = &INDICES };
static const atx_where PLACE = { .file = "fuzz", .line = 1, .column = 1 };

static void check_text(const atx_expr *expr, const int64_t *slots, at_status expected, int64_t value)
{
    const char *text = atx_expr_text(expr);
    atx_expr *again = NULL;
    int64_t other = 0;
    if (atx_expr_compile(&again, text, strlen(text), &SCOPE, PLACE, NULL) != AT_OK)
        abort();
    if (atx_expr_eval(&other, again, slots, NULL) != expected || (expected == AT_OK && other != value))
        abort();
    atx_expr_close(again);
}

/* Bounds that are known hold: of these values alone, and of all from 0 to them. */
static void check_bounds(const atx_expr *expr, const int64_t *slots, at_status status, int64_t value)
{
    atx_bounds one[COUNT], wide[COUNT], found;
    for (int i = 0; i < COUNT; i++) {
        one[i] = (atx_bounds){ slots[i], slots[i] };
        wide[i] = slots[i] < 0 ? (atx_bounds){ slots[i], 0 } : (atx_bounds){ 0, slots[i] };
    }
    if (atx_expr_bounds(&found, expr, one) && (status != AT_OK || value < found.low || value > found.high))
        abort();
    if (atx_expr_bounds(&found, expr, wide) && (status != AT_OK || value < found.low || value > found.high))
        abort();
}

static void check_list(const char *text, size_t size)
{
    for (int i = 0; i < 8; i++) {
        atx_expr *expr = NULL;
        size_t used = 0;
        if (atx_expr_compile_first(&expr, &used, text, size, &SCOPE, PLACE, NULL) != AT_OK)
            return;
        if (used == 0 || used > size)
            abort();
        atx_expr_close(expr);
        text += used;
        size -= used;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    int64_t slots[COUNT] = { 0, INT64_MIN, 32, INT64_MAX, 4, 2, 3, -1 }, value = 0;
    atx_expr *expr = NULL;
    at_error err;

    if (size >= 8)
        memcpy(slots, data, 8);
    check_list(text, size);
    if (atx_expr_compile(&expr, text, size, &SCOPE, PLACE, &err) != AT_OK)
        return 0;
    at_status status = atx_expr_eval(&value, expr, slots, &err);
    check_text(expr, slots, status, value);
    check_bounds(expr, slots, status, value);
    atx_expr_close(expr);
    return 0;
}
