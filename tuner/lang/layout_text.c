/*
 * layout_text.c - how a problem of two layouts is read, from a line of a shapes file or as it is stored.
 *
 * The input's extents, row-major; output dimension i is input dimension p[i]:
 *
 *     permute 8x2048x3x32x128 2,0,3,1,4 bf16
 *
 * With strides: the input's in the input's order, the output's in the output's:
 *
 *     permute 64x100 1,0 in=128,1 out=112,1 f32
 *
 * As one word, as it is stored, here with alignments:
 *
 *     permute 64x100:1.0/in=128x1/out=112x1@16x4 f32
 *
 * A line is read word by word, from left to right; the op and the type may stand anywhere.
 */
#include "lang/layout.h"
#include "util/chars.h"
#include "util/number.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_SHOWN 40

typedef struct list {
    int64_t numbers[ATX_MAX_RANK];
    const char *at[ATX_MAX_RANK];
    int count;
    const char *begin; /* NULL: not there */
} list;

typedef struct reader {
    atx_layout_line *line;
    const char *p;
    list sizes, permutation, in, out, aligns;
    bool has_op, has_type;
    atx_dtype type;
    at_error *err;
} reader;

typedef struct shown {
    char text[MAX_SHOWN + 4];
} shown;

static bool is_blank(char c)
{
    return strchr(" \t,;\r\v\f", c) != NULL && c;
}

static const char *word_end(const reader *r, const char *p)
{
    while (p < r->line->end && !is_blank(*p))
        p++;
    return p;
}

/* What stands there, up to the next blank. */
static shown show(const reader *r, const char *p)
{
    shown s = { "" };
    size_t len = (size_t)(word_end(r, p) - p), keep = len < MAX_SHOWN ? len : MAX_SHOWN;
    for (size_t i = 0; i < keep; i++)
        s.text[i] = (char)((unsigned char)p[i] < 0x20 || (unsigned char)p[i] > 0x7e ? '?' : p[i]);
    strcpy(s.text + keep, keep < len ? "..." : "");
    return s;
}

static at_status AT_PRINTF(3, 4) fail(reader *r, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->err->text, sizeof r->err->text, format, args);
    va_end(args);
    r->line->guilty = at;
    return r->err->status = AT_ERR_INPUT;
}

static bool sees(const reader *r, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(r->line->end - r->p) >= len && memcmp(r->p, text, len) == 0;
}

static bool sees_digit(const reader *r)
{
    return r->p < r->line->end && atx_is_digit(*r->p);
}

static at_status read_number(int64_t *out, reader *r)
{
    const char *begin = r->p;
    const char *expected = atx_whole_read(out, &r->p, r->line->end);
    return expected ? fail(r, begin, "found '%s'; expected %s", show(r, begin).text, expected) : AT_OK;
}

/* Numbers with one of these characters between them; blanks may follow a comma. */
static at_status read_list(list *out, reader *r, const char *joiners, const char *what, int max)
{
    if (out->begin)
        return fail(r, r->p, "found '%s'; expected %s once", show(r, r->p).text, what);
    out->begin = r->p;
    for (;;) {
        const char *begin = r->p;
        if (out->count == max)
            return fail(r, begin, "found one more of %s, '%s'; expected at most %d", what,
                        show(r, begin).text, max);
        out->at[out->count] = begin;
        at_status status = read_number(&out->numbers[out->count++], r);
        if (status != AT_OK)
            return status;
        if (r->p == r->line->end || !strchr(joiners, *r->p))
            return AT_OK;
        bool comma = *r->p++ == ',';
        while (comma && r->p < r->line->end && (*r->p == ' ' || *r->p == '\t'))
            r->p++;
    }
}

static at_status read_sizes(reader *r)
{
    const char *stop;
    if (atx_looks_like_thousands(&stop, r->line->line, r->p, r->line->end))
        return fail(
            r, r->p,
            "found '%.*s', which looks like one number; expected sizes joined by 'x', and digits grouped "
            "by '_', if at all",
            stop - r->p < 40 ? (int)(stop - r->p) : 40, r->p);
    at_status status = read_list(&r->sizes, r, "xX*", "sizes", ATX_MAX_RANK);
    for (int i = 0; i < r->sizes.count && status == AT_OK; i++)
        if (r->sizes.numbers[i] == 0)
            return fail(r, r->sizes.at[i], "found '0'; expected a positive size");
    return status;
}

static at_status read_word(reader *r)
{
    const char *begin = r->p, *end = word_end(r, begin);
    const atx_op *op = r->line->op;
    size_t len = (size_t)(end - begin);
    r->p = end;
    if (len == strlen(op->name) && memcmp(begin, op->name, len) == 0 && !r->has_op) {
        r->has_op = true;
        return AT_OK;
    }
    if (atx_dtype_parse(&r->type, begin, len, NULL) != AT_OK)
        return fail(r, begin,
                    "found '%s'; expected sizes, a permutation, in= or out= and strides, or a type, such as "
                    "%s 8x64x3 2,0,1 f32",
                    show(r, begin).text, op->name);
    if (r->has_type)
        return fail(r, begin, "found '%s'; expected one type a line", show(r, begin).text);
    r->has_type = true;
    return AT_OK;
}

static bool skip(reader *r, const char *text)
{
    bool there = sees(r, text);
    r->p += there ? strlen(text) : 0;
    return there;
}

/* A piece of the line: of one word, or a word of its own. */
static at_status read_piece(reader *r)
{
    bool glued = skip(r, "/"); /* a stride's */
    if (skip(r, "in="))
        return read_list(&r->in, r, ",xX*", "the input's strides", ATX_MAX_RANK);
    if (skip(r, "out="))
        return read_list(&r->out, r, ",xX*", "the output's strides", ATX_MAX_RANK);
    if (glued)
        return fail(r, r->p, "found '%s' after '/'; expected in= or out= and strides", show(r, r->p).text);
    if (skip(r, "@"))
        return read_list(&r->aligns, r, "xX*", "alignments", ATX_MAX_ALIGNS);
    if (sees_digit(r) && !r->sizes.begin)
        return read_sizes(r);
    if (sees_digit(r) || skip(r, ":"))
        return read_list(&r->permutation, r, ",.", "the permutation", ATX_MAX_RANK);
    return read_word(r);
}

static at_status check_count(reader *r, const list *l, const char *one, const char *many)
{
    if (l->begin && l->count != r->sizes.count)
        return fail(r, l->begin, "found %d %s; expected %d, one for each of the sizes", l->count,
                    l->count == 1 ? one : many, r->sizes.count);
    return AT_OK;
}

static at_status check_lists(reader *r)
{
    if (!r->sizes.begin)
        return fail(r, r->line->end,
                    "found no sizes; expected some and a permutation, such as %s 8x64x3 2,0,1",
                    r->line->op->name);
    if (!r->permutation.begin)
        return fail(
            r, r->line->end,
            "found no permutation behind the sizes; expected which of them comes where, such as 2,0,1");
    at_status status = check_count(r, &r->permutation, "index", "indices");
    if (status == AT_OK)
        status = check_count(r, &r->in, "stride of the input", "strides of the input");
    return status == AT_OK ? check_count(r, &r->out, "stride of the output", "strides of the output")
                           : status;
}

static at_status make_layout(atx_layout_pair *out, reader *r)
{
    int permutation[ATX_MAX_RANK], guilty = 0, rank = r->sizes.count;
    for (int i = 0; i < rank; i++)
        permutation[i] = r->permutation.numbers[i] < INT_MAX ? (int)r->permutation.numbers[i] : INT_MAX;
    at_status status = atx_layout_permuted(out, rank, r->sizes.numbers, permutation, &guilty, r->err);
    r->line->guilty = guilty < 0 ? r->sizes.begin : r->permutation.at[guilty];
    for (int i = 0; i < rank && status == AT_OK; i++) {
        if (r->in.begin)
            out->in[i] = r->in.numbers[i];
        if (r->out.begin)
            out->out[permutation[i]] = r->out.numbers[i];
    }
    return status;
}

static at_status make_problem(atx_problem *out, reader *r)
{
    atx_layout_pair layout = { 0 };
    atx_problem problem;
    at_status status = check_lists(r);
    if (status == AT_OK)
        status = make_layout(&layout, r);
    if (status != AT_OK)
        return status;
    r->line->guilty = r->out.begin ? r->out.begin : r->in.begin ? r->in.begin : r->sizes.begin;
    atx_dtype type = r->has_type ? r->type : r->line->type;
    if ((status = atx_layout_problem(&problem, r->line->op, type, &layout, r->err)) != AT_OK)
        return status;
    r->line->guilty = r->aligns.begin ? r->aligns.begin : r->sizes.begin;
    status = r->aligns.begin
                 ? atx_problem_set_aligns(&problem, r->aligns.numbers, r->aligns.count, r->err)
                 : atx_problem_set_aligns(&problem, r->line->aligns, r->line->align_count, r->err);
    if (status == AT_OK)
        *out = problem;
    return status;
}

at_status atx_layout_read(atx_problem *out, atx_layout_line *line, at_error *err)
{
    at_error unused;
    reader r = { .line = line, .p = line->line, .err = err ? err : &unused };
    at_status status = AT_OK;
    line->guilty = line->line;
    while (status == AT_OK) {
        while (r.p < line->end && is_blank(*r.p))
            r.p++;
        if (r.p == line->end)
            return make_problem(out, &r);
        status = read_piece(&r);
    }
    return status;
}

bool atx_layout_read_shape(atx_problem *out, const atx_op *op, atx_dtype type, const char *shape)
{
    atx_layout_line line = { .op = op, .type = type, .line = shape, .end = shape + strlen(shape) };
    at_error unused;
    return atx_layout_read(out, &line, &unused) == AT_OK;
}
