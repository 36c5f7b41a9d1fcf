/*
 * fuzz_python.c - any bytes as Python of other tuners' files: a list of values, and a condition. What is
 * translated must be an expression of ours.
 */
#include "exchange/python.h"

#include "expr/expr.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Every name is a parameter with every word, except those that are no names in our expressions. */
static int find(const void *context, const char *name, size_t len)
{
    (void)context, (void)name;
    return len < 40 && !at__expr_is_function(name, len) && !memchr(name, '.', len) ? 0 : -1;
}

static bool is_known(const void *context, const char *name, size_t len)
{
    return find(context, name, len) >= 0 && !(len == 6 && memcmp(name, "sizeof", 6) == 0);
}

static bool has_word(const void *context, const char *name, size_t name_len, const char *word,
                     size_t word_len)
{
    (void)context, (void)name;
    for (size_t i = 0; i < word_len; i++)
        if (!((word[i] >= 'a' && word[i] <= 'z') || word[i] == '_'))
            return false;
    return name_len < 20 && word_len && word_len < 18;
}

static void check_values(const at__py *py, size_t size)
{
    static at__py_value values[AT__PY_MAX_VALUES];
    at__py_error why = { 0 };
    int count = -1;
    at_status status = at__py_values(values, &count, py, &why);
    require(status == AT_OK || (status == AT_ERR_INPUT && why.text[0] && why.offset <= size));
    for (int i = 0; status == AT_OK && i < count; i++)
        require(!values[i].is_word || (values[i].begin <= values[i].end && values[i].end <= size));
}

static void check_expression(const at__str *text, const at__scope *scope)
{
    at__where where = { .file = "fuzz", .line = 1, .column = 1 };
    at__expr *expr = NULL;
    at_error err = { 0 };
    if (text->len > AT__EXPR_MAX_TEXT)
        return;
    at_status status = at__expr_compile(&expr, at__str_text(text), text->len, scope, where, &err);
    /* Our language has limits of its own: nesting, and the same depth of the stack. */
    require(status == AT_OK || strstr(err.text, "nest") || strstr(err.text, "deep") ||
            strstr(err.text, "large") || strstr(err.text, "fit"));
    at__expr_close(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const at__py_scope scope = { .known = is_known, .has_word = has_word };
    const at__scope ours = { .find = find };
    at__py py;
    at__py_condition condition = { .division_count = 0 };
    at__py_error why = { 0 };
    if (at__py_parse(&py, (const char *)data, size, &why) != AT_OK) {
        require(why.text[0] && why.offset <= size);
        return 0;
    }
    check_values(&py, size);
    if (at__py_translate(&condition, &py, &scope, &why) == AT_OK) {
        check_expression(&condition.text, &ours);
        for (int i = 0; i < condition.division_count; i++)
            check_expression(&condition.divisions[i].low, &ours);
    }
    at__py_condition_clear(&condition);
    at__py_clear(&py);
    return 0;
}
