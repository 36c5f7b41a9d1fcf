/*
 * layout_text.c - reading a problem of two layouts, from a line of a shapes file or from its stored form.
 *
 * The input's extents, row-major; output dimension i is input dimension p[i]:
 *
 *     permute 8x2048x3x32x128 2,0,3,1,4 bf16
 *
 * With strides: the input's in the input's order, the output's in the output's:
 *
 *     permute 64x100 1,0 in=128,1 out=112,1 f32
 *
 * As one word, in its stored form, here with alignments:
 *
 *     permute 64x100:1.0/in=128x1/out=112x1@16x4 f32
 *
 * A line is read word by word, from left to right; the op and the type may be anywhere.
 */
#include "lang/layout.h"
#include "lang/shape_text.h"

#include <limits.h>
#include <string.h>

typedef struct list {
    int64_t numbers[ATX_MAX_RANK];
    const char *at[ATX_MAX_RANK];
    int count;
    const char *begin; /* NULL: not there */
} list;

typedef struct reader {
    const atx_layout_line *line;
    atx_shape_text t;
    list sizes, permutation, in, out, aligns;
    bool has_op, has_type;
    atx_dtype type;
} reader;

static bool skip(atx_shape_text *t, const char *text)
{
    size_t len = strlen(text);
    bool there = (size_t)(t->end - t->p) >= len && memcmp(t->p, text, len) == 0;
    t->p += there ? len : 0;
    return there;
}

/* Numbers with one of these characters between them; blanks may follow a comma. */
static void read_list(list *out, reader *r, const char *joiners, const char *what, int max)
{
    atx_shape_text *t = &r->t;
    bool more = true;
    if (out->begin)
        atx_shape_fail(t, t->p, "found '%s'; expected %s once", atx_shape_show_word(t, t->p).text, what);
    out->begin = t->p;
    while (more) {
        const char *begin = t->p;
        if (out->count == max) {
            atx_shape_fail(t, begin, "found one more of %s, '%s'; expected at most %d", what,
                           atx_shape_show_word(t, begin).text, max);
            return;
        }
        out->at[out->count] = begin;
        out->numbers[out->count++] = atx_shape_number(t, out == &r->sizes);
        more = t->p < t->end && strchr(joiners, *t->p);
        bool comma = more && *t->p++ == ',';
        while (comma && t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
            t->p++;
    }
}

static void read_word(reader *r)
{
    atx_shape_text *t = &r->t;
    const char *begin = t->p, *end = atx_shape_word_end(t, begin);
    const atx_op *op = r->line->op;
    size_t len = (size_t)(end - begin);
    t->p = end;
    if (len == strlen(op->name) && memcmp(begin, op->name, len) == 0 && !r->has_op) {
        r->has_op = true;
        return;
    }
    if (atx_dtype_parse(&r->type, begin, len, NULL) != AT_OK)
        atx_shape_fail(t, begin,
                       "found '%s'; expected sizes, a permutation, in= or out= and strides, or a type, such "
                       "as %s 8x64x3 2,0,1 f32",
                       atx_shape_show(begin, end).text, op->name);
    else if (r->has_type)
        atx_shape_fail(t, begin, "found '%s'; expected one type a line", atx_shape_show(begin, end).text);
    r->has_type = true;
}

/* A piece of the line: of one word, or a word of its own. */
static void read_piece(reader *r)
{
    atx_shape_text *t = &r->t;
    bool glued = skip(t, "/"); /* a stride's */
    if (skip(t, "in="))
        read_list(&r->in, r, ",xX*", "the input's strides", ATX_MAX_RANK);
    else if (skip(t, "out="))
        read_list(&r->out, r, ",xX*", "the output's strides", ATX_MAX_RANK);
    else if (glued)
        atx_shape_fail(t, t->p, "found '%s' after '/'; expected in= or out= and strides",
                       atx_shape_show_word(t, t->p).text);
    else if (skip(t, "@"))
        read_list(&r->aligns, r, "xX*", "alignments", ATX_MAX_ALIGNS);
    else if (atx_shape_sees_digit(t) && !r->sizes.begin)
        read_list(&r->sizes, r, "xX*", "sizes", ATX_MAX_RANK);
    else if (atx_shape_sees_digit(t) || skip(t, ":"))
        read_list(&r->permutation, r, ",.", "the permutation", ATX_MAX_RANK);
    else
        read_word(r);
}

static void check_count(reader *r, const list *l, const char *one, const char *many)
{
    if (l->begin && l->count != r->sizes.count)
        atx_shape_fail(&r->t, l->begin, "found %d %s; expected %d, one for each of the sizes", l->count,
                       l->count == 1 ? one : many, r->sizes.count);
}

static void check_lists(reader *r)
{
    if (!r->sizes.begin)
        atx_shape_fail(&r->t, r->t.end,
                       "found no sizes; expected some and a permutation, such as %s 8x64x3 2,0,1",
                       r->line->op->name);
    if (!r->permutation.begin)
        atx_shape_fail(
            &r->t, r->t.end,
            "found no permutation behind the sizes; expected which of them comes where, such as 2,0,1");
    check_count(r, &r->permutation, "index", "indices");
    check_count(r, &r->in, "stride of the input", "strides of the input");
    check_count(r, &r->out, "stride of the output", "strides of the output");
}

static void make_layout(atx_layout_pair *out, reader *r)
{
    int permutation[ATX_MAX_RANK], guilty = 0, rank = r->sizes.count;
    at_error cause;
    for (int i = 0; i < rank; i++)
        permutation[i] = r->permutation.numbers[i] < INT_MAX ? (int)r->permutation.numbers[i] : INT_MAX;
    if (atx_layout_permuted(out, rank, r->sizes.numbers, permutation, &guilty, &cause) != AT_OK) {
        atx_shape_fail(&r->t, guilty < 0 ? r->sizes.begin : r->permutation.at[guilty], "%s", cause.text);
        return;
    }
    for (int i = 0; i < rank; i++) {
        if (r->in.begin)
            out->in[i] = r->in.numbers[i];
        if (r->out.begin)
            out->out[permutation[i]] = r->out.numbers[i];
    }
}

static void make_problem(atx_problem *out, reader *r)
{
    atx_layout_pair layout = { 0 };
    at_error cause;
    const atx_layout_line *line = r->line;
    check_lists(r);
    if (atx_shape_good(&r->t))
        make_layout(&layout, r);
    if (!atx_shape_good(&r->t))
        return;
    if (atx_layout_problem(out, line->op, r->has_type ? r->type : line->type, &layout, &cause) != AT_OK)
        atx_shape_fail(&r->t,
                       r->out.begin  ? r->out.begin
                       : r->in.begin ? r->in.begin
                                     : r->sizes.begin,
                       "%s", cause.text);
    else if ((r->aligns.begin
                  ? atx_problem_set_aligns(out, r->aligns.numbers, r->aligns.count, &cause)
                  : atx_problem_set_aligns(out, line->aligns, line->align_count, &cause)) != AT_OK)
        atx_shape_fail(&r->t, r->aligns.begin ? r->aligns.begin : r->sizes.begin, "%s", cause.text);
}

at_status atx_layout_read(atx_problem *out, atx_layout_line *line, at_error *err)
{
    reader r = { .line = line, .t = { .line = line->line, .p = line->line, .end = line->end } };
    atx_problem problem;
    for (atx_shape_skip_blanks(&r.t); r.t.p < r.t.end; atx_shape_skip_blanks(&r.t))
        read_piece(&r);
    if (atx_shape_good(&r.t))
        make_problem(&problem, &r);
    line->guilty = atx_shape_good(&r.t) ? line->line : r.t.guilty;
    if (atx_shape_good(&r.t))
        *out = problem;
    else if (err)
        *err = r.t.cause;
    return r.t.cause.status;
}

bool atx_layout_read_shape(atx_problem *out, const atx_op *op, atx_dtype type, const char *shape)
{
    atx_layout_line line = { .op = op, .type = type, .line = shape, .end = shape + strlen(shape) };
    return atx_layout_read(out, &line, NULL) == AT_OK;
}
