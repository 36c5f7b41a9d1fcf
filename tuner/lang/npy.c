/*
 * npy.c - the header: a magic word, a version, a length, and a Python dictionary of three entries, in any
 * order:
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * It is read strictly: any other form is refused. Nothing of the file is trusted, neither lengths
 * nor sizes.
 */
#include "lang/npy.h"

#include "declare/data.h"
#include "util/regular.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct reader {
    const char *at, *end;
    const char *name;
    at_error *err;
} reader;

static at_status fail(const reader *r, const char *expected)
{
    return atx_fail(r->err, AT_ERR_INPUT, "%s: found a header that is not NumPy's; expected %s", r->name,
                    expected);
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n'))
        r->at++;
}

static bool take(reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* 'text' */
static bool take_string(reader *r, char *out, size_t size)
{
    size_t n = 0;
    if (!take(r, "'"))
        return false;
    while (r->at < r->end && *r->at != '\'' && n + 1 < size)
        out[n++] = *r->at++;
    out[n] = '\0';
    return r->at < r->end && *r->at++ == '\'';
}

static bool take_size(reader *r, int64_t *out)
{
    int64_t value = 0;
    skip_blanks(r);
    const char *begin = r->at;
    for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *r->at - '0', &value))
            return false;
    *out = value;
    return r->at > begin;
}

/* (), (3,), (3, 4) */
static at_status read_shape(atx_npy *out, reader *r)
{
    if (!take(r, "("))
        return fail(r, "a shape, as in (3, 4)");
    out->elements = 1;
    for (out->dims = 0; !take(r, ")"); out->dims++) {
        if (out->dims == ATX_NPY_DIMS)
            return fail(r, "at most 8 dimensions");
        int64_t *size = &out->shape[out->dims];
        if (!take_size(r, size) || __builtin_mul_overflow(out->elements, *size, &out->elements))
            return fail(r, "sizes in its shape");
        if (!take(r, ",") && !(r->at < r->end && *r->at == ')' && out->dims > 0))
            return fail(r, "a shape, as in (3, 4)");
    }
    return AT_OK;
}

/* '<f4': byte order, kind, bytes. */
static at_status read_descr(atx_npy *out, reader *r)
{
    if (!take_string(r, out->descr, sizeof out->descr) || !out->descr[0] || !out->descr[1])
        return fail(r, "one element type, as in '<f4'");
    out->bytes = atoi(out->descr + 2);
    if (out->bytes < 1 || out->bytes > 16 || !strchr("<=|", out->descr[0]) ||
        !strchr("uifcbV", out->descr[1]))
        return atx_fail(r->err, AT_ERR_INPUT,
                        "%s: found elements of '%s'; expected little-endian numbers, as in '<f4'", r->name,
                        out->descr);
    return AT_OK;
}

static at_status read_entries(atx_npy *out, reader *r)
{
    unsigned seen = 0;
    char key[20];
    if (!take(r, "{"))
        return fail(r, "a dictionary");
    while (!take(r, "}")) {
        at_status status = AT_OK;
        unsigned which = 0;
        if (!take_string(r, key, sizeof key) || !take(r, ":"))
            return fail(r, "descr, fortran_order and shape");
        if (strcmp(key, "descr") == 0) {
            which = 1;
            status = read_descr(out, r);
        } else if (strcmp(key, "fortran_order") == 0) {
            which = 2;
            out->fortran = take(r, "True");
            status = out->fortran || take(r, "False") ? AT_OK : fail(r, "True or False");
        } else if (strcmp(key, "shape") == 0) {
            which = 4;
            status = read_shape(out, r);
        }
        if (status != AT_OK)
            return status;
        if (!which || seen & which)
            return fail(r, "descr, fortran_order and shape, each once");
        seen |= which;
        if (!take(r, ",") && !(r->at < r->end && *r->at == '}'))
            return fail(r, "',' or '}' behind an entry");
    }
    return seen == 7 ? AT_OK : fail(r, "descr, fortran_order and shape");
}

at_status atx_npy_read(atx_npy *out, const void *bytes, size_t len, const char *name, at_error *err)
{
    static const char MAGIC[] = "\x93NUMPY";
    const unsigned char *b = bytes;
    reader r = { .name = name, .err = err };
    atx_npy npy = { .dims = 0 };
    if (len < 12 || memcmp(b, MAGIC, 6) != 0)
        return atx_fail(err, AT_ERR_INPUT, "%s: found no NumPy array; expected a file that numpy.save wrote",
                        name);
    if (b[6] < 1 || b[6] > 3)
        return atx_fail(err, AT_ERR_INPUT, "%s: found version %d of NumPy's format; expected 1 to 3", name,
                        b[6]);
    size_t head = b[6] == 1 ? 10 : 12;
    size_t text = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1)
        text |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (text > len - head)
        return fail(&r, "one that ends in the first 65536 bytes of the file");
    r.at = (const char *)b + head;
    r.end = r.at + text;
    npy.data_at = (int64_t)(head + text);
    at_status status = read_entries(&npy, &r);
    skip_blanks(&r);
    if (status == AT_OK && r.at != r.end)
        status = fail(&r, "nothing behind its dictionary");
    if (status == AT_OK)
        *out = npy;
    return status;
}

/* ---- files ---- */

static bool is_type(const atx_npy *npy, atx_dtype type, bool storage)
{
    static const char KINDS[] = {
        [ATX_UNSIGNED] = 'u', [ATX_SIGNED] = 'i', [ATX_FLOAT] = 'f', [ATX_BFLOAT] = 'u'
    };
    char kind = npy->descr[1];
    if (npy->bytes != atx_dtype_bytes(type))
        return false;
    if (storage)
        return true;
    if (type == ATX_C64 || type == ATX_C128)
        return kind == 'c';
    if (type == ATX_BF16 && kind == 'V')
        return true;
    return kind == KINDS[atx_number_class(atx_dtype_number(type, 0))] || (type == ATX_U8 && kind == 'b');
}

static at_status check(const atx_npy *npy, const char *path, atx_dtype type, bool storage, int64_t elements,
                       int64_t file_bytes, at_error *err)
{
    if (!is_type(npy, type, storage))
        return atx_fail(err, AT_ERR_INPUT, "%s: found elements of '%s'; expected %s%s", path, npy->descr,
                        storage ? "any of the size of " : "", atx_dtype_name(type));
    if (npy->fortran && npy->dims > 1)
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s: found an array in Fortran's order; expected C's, as numpy.ascontiguousarray makes it", path);
    if (npy->elements != elements)
        return atx_fail(err, AT_ERR_INPUT, "%s: found %lld elements; expected %lld", path,
                        (long long)npy->elements, (long long)elements);
    int64_t bytes;
    if (__builtin_mul_overflow(npy->elements, npy->bytes, &bytes) || bytes > file_bytes - npy->data_at)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found a file of %lld bytes; expected %lld elements of %d in it", path,
                        (long long)file_bytes, (long long)npy->elements, npy->bytes);
    return AT_OK;
}

at_status atx_npy_open(atx_npy *out, const char *path, atx_dtype type, bool storage, int64_t elements,
                       at_error *err)
{
    struct stat info;
    ATX_FREED char *head = malloc(ATX_NPY_HEAD);
    FILE *file = NULL;
    at_status status = head ? AT_OK : atx_no_memory(err);
    ATX_THEN(status, atx_regular_open(&file, &info, path, err));
    ATX_THEN(status, atx_npy_read(out, head, fread(head, 1, ATX_NPY_HEAD, file), path, err));
    ATX_THEN(status, check(out, path, type, storage, elements, info.st_size, err));
    if (file)
        fclose(file);
    return status;
}
