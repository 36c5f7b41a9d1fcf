/* named_size.c - see named_size.h. */
#include "lang/named_size.h"

#include "util/number.h"

#include <inttypes.h>
#include <string.h>

void atx_dim_add_text(atx_str *out, const atx_dim *dim)
{
    atx_str_add(out, dim->name);
    if (dim->optional && !dim->word_count)
        atx_str_addf(out, "=%" PRId64, dim->value);
    for (int k = 0; k < dim->word_count; k++)
        atx_str_addf(out, "%s%s", k ? "|" : "=", dim->words[k]);
}

bool atx_dim_has_size(const atx_dim *dim, int64_t size)
{
    return dim->word_count ? size >= 1 && size <= dim->word_count : size >= 0;
}

static at_status fail_unknown(const atx_op *op, at_error *err)
{
    ATX_LOCAL(atx_str) known = { 0 };
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_str_add(&known, i ? " " : "");
        atx_dim_add_text(&known, &op->shape.dims[i]);
    }
    atx_fail(err, AT_ERR_INPUT, "%s has by name %s", op->name, atx_str_text(&known));
    return AT_ERR_INPUT;
}

static bool is(const char *word, const char *text, size_t len)
{
    return strlen(word) == len && memcmp(word, text, len) == 0;
}

/* 0: the dimension has no such size; *expected then may say what a number should have been. */
static int64_t size_of(const char **expected, const atx_dim *dim, const char *text, size_t len)
{
    int64_t value = 0;
    const char *at = text;
    for (int k = 0; k < dim->word_count; k++)
        if (is(dim->words[k], text, len))
            return k + 1;
    if (dim->word_count || !len || *text < '0' || *text > '9')
        return 0;
    *expected = atx_size_read(&value, &at, text + len);
    return *expected || at < text + len ? 0 : value;
}

at_status atx_named_size_parse(int *dim, int64_t *size, const atx_op *op, const char *text, size_t len,
                               at_error *err)
{
    const char *equals = memchr(text, '=', len);
    size_t name = equals ? (size_t)(equals - text) : len;
    for (int i = 0; equals && i < op->shape.dim_count; i++)
        if (is(op->shape.dims[i].name, text, name)) {
            *dim = i;
            const char *expected = NULL;
            *size = size_of(&expected, &op->shape.dims[i], equals + 1, len - name - 1);
            if (expected)
                return atx_fail(err, AT_ERR_INPUT, "expected %s", expected);
            return *size > 0 ? AT_OK : fail_unknown(op, err);
        }
    return fail_unknown(op, err);
}
