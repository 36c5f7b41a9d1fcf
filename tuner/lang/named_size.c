/* named_size.c - see named_size.h. */
#include "lang/named_size.h"

#include "util/whole_number.h"

#include <inttypes.h>
#include <string.h>

void at__dim_add_text(at__str *out, const at__dim *dim)
{
    at__str_add(out, dim->name);
    if (dim->optional && !dim->word_count)
        at__str_addf(out, "=%" PRId64, dim->value);
    for (int k = 0; k < dim->word_count; k++)
        at__str_addf(out, "%s%s", k ? "|" : "=", dim->words[k]);
}

bool at__dim_has_size(const at__dim *dim, int64_t size)
{
    return dim->word_count ? size >= 1 && size <= dim->word_count : size >= 0;
}

static at_status fail_unknown(const at__op *op, at_error *err)
{
    at__str known = { 0 };
    for (int i = 0; i < op->dim_count && op->dims[i].optional; i++) {
        at__str_add(&known, i ? " " : "");
        at__dim_add_text(&known, &op->dims[i]);
    }
    if (known.len)
        at_fail(err, AT_ERR_INPUT, "%s has by name %s", op->name, at__str_text(&known));
    else
        at_fail(err, AT_ERR_INPUT, "%s has no sizes that are named", op->name);
    at__str_clear(&known);
    return AT_ERR_INPUT;
}

static bool is(const char *word, const char *text, size_t len)
{
    return strlen(word) == len && memcmp(word, text, len) == 0;
}

/* 0: the dimension has no such size; *expected then may say what a number should have been. */
static int64_t size_of(const char **expected, const at__dim *dim, const char *text, size_t len)
{
    int64_t value = 0;
    const char *at = text;
    for (int k = 0; k < dim->word_count; k++)
        if (is(dim->words[k], text, len))
            return k + 1;
    if (dim->word_count || !len || *text < '0' || *text > '9')
        return 0;
    *expected = at__whole_read(&value, &at, text + len);
    return *expected || at < text + len ? 0 : value;
}

at_status at__named_size_parse(int *dim, int64_t *size, const at__op *op, const char *text, size_t len,
                               at_error *err)
{
    const char *equals = memchr(text, '=', len);
    size_t name = equals ? (size_t)(equals - text) : len;
    for (int i = 0; equals && i < op->dim_count; i++)
        if (op->dims[i].optional && is(op->dims[i].name, text, name)) {
            *dim = i;
            const char *expected = NULL;
            *size = size_of(&expected, &op->dims[i], equals + 1, len - name - 1);
            if (expected)
                return at_fail(err, AT_ERR_INPUT, "expected %s", expected);
            return *size > 0 ? AT_OK : fail_unknown(op, err);
        }
    return fail_unknown(op, err);
}
