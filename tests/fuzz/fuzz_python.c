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
    return len < 40 && !atx_expr_is_function(name, len) && !memchr(name, '.', len) ? 0 : -1;
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

static void check_values(const char *text, size_t size)
{
    static atx_py_value values[ATX_PY_MAX_VALUES];
    atx_py_error why = { 0 };
    int count = -1;
    at_status status = atx_py_values(values, &count, text, size, &why);
    require(status == AT_OK || (status == AT_ERR_INPUT && why.text[0] && why.offset <= size));
    for (int i = 0; status == AT_OK && i < count; i++)
        require(!values[i].is_word || (values[i].begin <= values[i].end && values[i].end <= size));
}

static void check_expression(const atx_str *text, const atx_scope *scope)
{
    atx_where where = { .file = "fuzz", .line = 1, .column = 1 };
    atx_expr *expr = NULL;
    at_error err = { 0 };
    if (text->len > ATX_EXPR_MAX_TEXT)
        return;
    at_status status = atx_expr_compile(&expr, atx_str_text(text), text->len, scope, where, &err);
    /* Our language has limits of its own: nesting, and the same depth of the stack. */
    require(status == AT_OK || strstr(err.text, "nest") || strstr(err.text, "deep") ||
            strstr(err.text, "large") || strstr(err.text, "fit"));
    atx_expr_close(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const atx_py_scope scope = { .known = is_known, .has_word = has_word };
    const atx_scope ours = { .find = find };
    atx_py_condition condition = { .guard_count = 0 };
    atx_py_error why = { 0 };
    check_values((const char *)data, size);
    if (atx_py_translate(&condition, (const char *)data, size, &scope, &why) != AT_OK) {
        require(why.text[0] && why.offset <= size);
        return 0;
    }
    check_expression(&condition.text, &ours);
    for (int i = 0; i < condition.guard_count; i++)
        check_expression(&condition.guards[i].text, &ours);
    atx_py_condition_clear(&condition);
    return 0;
}
