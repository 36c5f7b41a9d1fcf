/*
 * shapes.c - lists of problems, as users write them.
 *
 * A line is read left to right: numbers that follow each other, joined or not, are the shape; any other word
 * is an op or a type. Problems are kept in the order of the file, each once (problem_set.h).
 */
#include "lang/shapes.h"
#include "util/chars.h"

#include "lang/layout.h"
#include "lang/named_size.h"
#include "lang/problem_set.h"
#include "util/options.h"
#include "util/str.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE       4096
#define MAX_FILE_BYTES ((size_t)16 << 20)
#define MAX_FOUND      40 /* bytes of a word that a message shows */

typedef struct reader {
    const char *file;
    const atx_catalog *catalog;
    atx_shape_defaults defaults;
    atx_problem_set set;
    int line_number;
    const char *line, *end; /* the line that is being read, without its comment */
    at_error *err;
} reader;

/* Numbers behind the sizes. */
typedef struct extra {
    int64_t numbers[ATX_MAX_ALIGNS > ATX_MAX_PITCHES ? ATX_MAX_ALIGNS : ATX_MAX_PITCHES];
    int count, column;
} extra;

/* What was found on one line so far. Columns count bytes from 1; 0: not there. */
typedef struct entry {
    int64_t sizes[ATX_MAX_DIMS];
    int size_columns[ATX_MAX_DIMS];
    int size_count;
    const char *named[ATX_MAX_DIMS][2]; /* words NAME=SIZE, and their ends */
    int named_count;
    extra pitches, aligns;
    const atx_op *op;
    atx_dtype type;
    int op_column, type_column;
    bool sizes_closed; /* a word came after them */
} entry;

static at_status AT_PRINTF(3, 4) fail_at(const reader *r, const char *place, const char *format, ...)
{
    char text[AT_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return atx_fail(r->err, AT_ERR_INPUT, "%s:%d:%td: %s", r->file, r->line_number, place - r->line + 1,
                    text);
}

static bool is_joiner(char c)
{
    return c == 'x' || c == 'X' || c == '*';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static const char *word_end(const char *p, const char *end)
{
    while (p < end && !is_blank(*p))
        p++;
    return p;
}

/* A word as a message can show it: not too long, nothing that a terminal would obey. */
typedef struct found {
    char text[MAX_FOUND + 4];
} found;

static found show(const char *word, const char *end)
{
    found f;
    size_t len = (size_t)(end - word), keep = len < MAX_FOUND ? len : MAX_FOUND;
    if (keep < len)
        while (keep > 0 && ((unsigned char)word[keep] & 0xc0) == 0x80) /* not inside a UTF-8 character */
            keep--;
    for (size_t i = 0; i < keep; i++) {
        unsigned char c = (unsigned char)word[i];
        f.text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    snprintf(f.text + keep, 4, "%s", keep < len ? "..." : "");
    return f;
}

/* The operation or type that is meant, most likely; NULL: none is near. */
static const char *nearest_word(const reader *r, const char *word)
{
    enum { MOST = 128 };
    const char *names[MOST + ATX_DTYPES + 1];
    int count = 0;
    for (int i = 0; i < atx_catalog_op_count(r->catalog) && count < MOST; i++)
        names[count++] = atx_catalog_op_name(r->catalog, i);
    for (int i = 0; i < ATX_DTYPES && strlen(word) > 3; i++) /* f99 is near to all of them */
        names[count++] = atx_dtype_name((atx_dtype)i);
    names[count] = NULL;
    return atx_nearest(word, names);
}

/* "u8 i8 f16 ..."; "transpose, copy" */
static at_status fail_word(const reader *r, const char *word, const char *end)
{
    atx_str expected = { 0 };
    atx_str_add(&expected, "a type (");
    for (int i = 0; i < ATX_DTYPES; i++)
        atx_str_addf(&expected, "%s%s", i ? " " : "", atx_dtype_name((atx_dtype)i));
    atx_str_add(&expected, ") or an operation (");
    for (int i = 0; i < atx_catalog_op_count(r->catalog); i++)
        atx_str_addf(&expected, "%s%s", i ? ", " : "", atx_catalog_op_name(r->catalog, i));
    atx_str_add(&expected, ")");
    const found f = show(word, end);
    const char *near = nearest_word(r, f.text);
    at_status status = fail_at(r, word, "found '%s'; expected %s%s%s%s", f.text, atx_str_text(&expected),
                               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    atx_str_clear(&expected);
    return status;
}

/* ---- sizes ---- */

/* *p is moved behind the number. */
static at_status read_number(int64_t *out, const char **p, const reader *r)
{
    const char *begin = *p, *stop;
    int64_t value = 0;
    if (atx_looks_like_thousands(&stop, r->line, begin, r->end))
        return fail_at(r, begin,
                       "found '%s', which looks like one number; expected sizes joined by 'x' or with blanks "
                       "between them, and digits grouped by '_', if at all",
                       show(begin, stop).text);
    const char *expected = atx_whole_read(&value, p, r->end);
    if (expected)
        return fail_at(r, begin, "found '%s'; expected %s", show(begin, *p).text, expected);
    if (value == 0)
        return fail_at(r, begin, "found '%s'; expected a positive size", show(begin, *p).text);
    *out = value;
    return AT_OK;
}

static at_status add_size(entry *e, const char **p, const reader *r)
{
    const char *begin = *p;
    int64_t value = 0;
    at_status status = read_number(&value, p, r);
    if (status != AT_OK)
        return status;
    if (e->size_count == ATX_MAX_DIMS)
        return fail_at(r, begin, "found one more size, '%s'; expected at most %d", show(begin, *p).text,
                       ATX_MAX_DIMS);
    e->sizes[e->size_count] = value;
    e->size_columns[e->size_count++] = (int)(begin - r->line) + 1;
    return AT_OK;
}

/* What may follow the sizes without a blank: numbers behind a character of their own. */
typedef struct suffix {
    char mark;
    const char *what, *example;
    int max;
} suffix;

static const suffix PITCHES = { '/', "leading dimension", "4096x4096/4160x4352", ATX_MAX_PITCHES };
static const suffix ALIGNS = { '@', "alignment", "4096x4096@4 or 4096x4096@16x4", ATX_MAX_ALIGNS };

/* Behind a number: a joiner and its size, joined or with blanks around, or nothing. *more tells which. */
static at_status skip_joiner(bool *more, const char **p, const char *word, const reader *r)
{
    const char *joiner = skip_blanks(*p, r->end);
    *more = false;
    if (joiner < r->end && is_joiner(*joiner)) {
        const char *next = skip_blanks(joiner + 1, r->end);
        if (next < r->end && atx_is_digit(*next)) {
            *p = next;
            *more = true;
            return AT_OK;
        }
        if (next < r->end && *next == '-')
            return fail_at(r, next, "found '%s'; expected a positive size",
                           show(next, word_end(next, r->end)).text);
        if (joiner == *p)
            return fail_at(r, word, "found '%s'; expected a size after '%c'",
                           show(word, word_end(word, r->end)).text, *joiner);
    }
    if (*p < r->end && !is_blank(**p) && **p != PITCHES.mark && **p != ALIGNS.mark)
        return fail_at(r, word, "found '%s'; expected sizes such as 4096x4096 (whole numbers joined by 'x')",
                       show(word, word_end(word, r->end)).text);
    return AT_OK;
}

static at_status fail_suffix(const suffix *s, const char *word, const reader *r)
{
    return fail_at(r, word, "found '%s'; expected %ss, such as %s", show(word, word_end(word, r->end)).text,
                   s->what, s->example);
}

static at_status read_suffix(extra *out, const suffix *s, const char **p, const reader *r)
{
    const char *word = *p;
    out->column = (int)(word - r->line) + 1;
    do {
        const char *begin = ++*p;
        if (begin == r->end || !atx_is_digit(*begin))
            return fail_suffix(s, word, r);
        if (out->count == s->max)
            return fail_at(r, begin, "found one more %s; expected at most %d", s->what, s->max);
        at_status status = read_number(&out->numbers[out->count++], p, r);
        if (status != AT_OK)
            return status;
    } while (*p < r->end && is_joiner(**p));
    if (*p < r->end && !is_blank(**p) && (s == &ALIGNS || **p != ALIGNS.mark))
        return fail_suffix(s, word, r);
    return AT_OK;
}

/* "/4160x4352", "@16x4", or the one behind the other. */
static at_status read_suffixes(entry *e, const char **p, const reader *r)
{
    at_status status = AT_OK;
    if (*p < r->end && **p == PITCHES.mark)
        status = read_suffix(&e->pitches, &PITCHES, p, r);
    if (status == AT_OK && *p < r->end && **p == ALIGNS.mark)
        status = read_suffix(&e->aligns, &ALIGNS, p, r);
    e->sizes_closed = e->pitches.count || e->aligns.count;
    return status;
}

static at_status read_sizes(entry *e, const char **p, const reader *r)
{
    const char *word = *p;
    bool more = true;
    if (e->sizes_closed)
        return fail_at(r, word, "found '%s'; expected all sizes of a line side by side",
                       show(word, word_end(word, r->end)).text);
    while (more) {
        at_status status = add_size(e, p, r);
        if (status == AT_OK)
            status = skip_joiner(&more, p, word, r);
        if (status != AT_OK)
            return status;
    }
    return read_suffixes(e, p, r);
}

/* ---- words ---- */

static const atx_op *find_op(const reader *r, const char *word, const char *end)
{
    char name[ATX_MAX_NAME];
    size_t len = (size_t)(end - word);
    if (len >= sizeof name)
        return NULL;
    memcpy(name, word, len);
    name[len] = '\0';
    return atx_catalog_find_op(r->catalog, name);
}

static at_status fail_second(const reader *r, const char *word, const char *end, const char *what,
                             const char *first)
{
    return fail_at(r, word, "found '%s'; expected one %s a line, and there is %s", show(word, end).text, what,
                   first);
}

/* Which dimension it is, and of what size, is known when the operation is. */
static at_status add_named(entry *e, const char *word, const char *end, const reader *r)
{
    if (e->named_count == ATX_MAX_DIMS)
        return fail_at(r, word, "found one more size, '%s'; expected at most %d by their names",
                       show(word, end).text, ATX_MAX_DIMS);
    e->named[e->named_count][0] = word;
    e->named[e->named_count++][1] = end;
    return AT_OK;
}

static at_status read_word(entry *e, const char **p, const reader *r)
{
    const char *word = *p, *end = word_end(word, r->end);
    int column = (int)(word - r->line) + 1;
    atx_dtype type;
    const atx_op *op = find_op(r, word, end);

    *p = end;
    e->sizes_closed = e->size_count > 0;
    if (op) {
        if (e->op_column)
            return fail_second(r, word, end, "operation", e->op->name);
        e->op = op;
        e->op_column = column;
        return AT_OK;
    }
    if (atx_dtype_parse(&type, word, (size_t)(end - word), NULL) == AT_OK) {
        if (e->type_column)
            return fail_second(r, word, end, "type", atx_dtype_name(e->type));
        e->type = type;
        e->type_column = column;
        return AT_OK;
    }
    if (memchr(word, '=', (size_t)(end - word)))
        return add_named(e, word, end, r);
    if (end - word > 1 && *word == '-' && atx_is_digit(word[1]))
        return fail_at(r, word, "found '%s'; expected a positive size", show(word, end).text);
    return fail_word(r, word, end);
}

/* ---- problems ---- */

/* Where some are named, all of them become sizes. The last ones are those of the shape. */
static at_status set_named(entry *e, const reader *r)
{
    const atx_op *op = e->op;
    int64_t sizes[ATX_MAX_DIMS];
    bool given[ATX_MAX_DIMS] = { false };
    int missing = op->shape.dim_count - e->size_count;
    if (e->named_count == 0 || missing < 0)
        return AT_OK;
    for (int i = op->shape.dim_count - 1; i >= 0; i--) {
        sizes[i] = i < missing ? op->shape.dims[i].value : e->sizes[i - missing];
        e->size_columns[i] = e->size_columns[i < missing ? 0 : i - missing];
    }
    for (int i = 0; i < e->named_count; i++) {
        const char *word = e->named[i][0], *end = e->named[i][1];
        at_error cause = { 0 };
        int64_t size = 0;
        int dim = 0;
        if (atx_named_size_parse(&dim, &size, op, word, (size_t)(end - word), &cause) != AT_OK)
            return fail_at(r, word, "found '%s'; %s", show(word, end).text, cause.text);
        if (dim >= missing || given[dim])
            return fail_at(r, word, "found '%s'; expected %s once", show(word, end).text,
                           op->shape.dims[dim].name);
        sizes[dim] = size;
        given[dim] = true;
    }
    for (int i = 0; i < missing; i++)
        if (!op->shape.dims[i].optional)
            return AT_OK; /* too few of the others: refused as such */
    memcpy(e->sizes, sizes, sizeof sizes);
    e->size_count = op->shape.dim_count;
    return AT_OK;
}

static bool refuses_type(const entry *e)
{
    return !(e->op->types & 1u << e->type);
}

/* The place on the line that a refusal of the op is about. */
static int guilty_column(const entry *e)
{
    if (refuses_type(e))
        return e->type_column ? e->type_column : e->size_columns[0];
    return e->size_columns[e->size_count > e->op->shape.dim_count ? e->op->shape.dim_count : 0];
}

static bool too_large(const entry *e)
{
    int64_t bytes = atx_dtype_bytes(e->type);
    for (int i = 0; i < e->size_count; i++)
        if (__builtin_mul_overflow(bytes, e->sizes[i], &bytes))
            return true;
    return false;
}

/* What was asked for holds where it can: an op with one type has that. */
static atx_dtype default_type(const reader *r, const atx_op *op)
{
    if (__builtin_popcount(op->types) == 1)
        return (atx_dtype)__builtin_ctz(op->types);
    if (r->defaults.type)
        return *r->defaults.type;
    return op->types & 1u << ATX_DEFAULT_TYPE ? ATX_DEFAULT_TYPE : (atx_dtype)__builtin_ctz(op->types);
}

/* NULL: an op that is not known is the default, or none is. */
static const atx_op *default_op(const reader *r)
{
    return r->defaults.op ? atx_catalog_find_op(r->catalog, r->defaults.op)
                          : atx_catalog_default_op(r->catalog);
}

static at_status set_pitches(atx_problem *problem, const entry *e, const atx_shape_defaults *d, at_error *err)
{
    bool none = e->pitches.count == 0 && problem->op->shape.pitch_count;
    return none && d->pitch_count
               ? atx_problem_set_pitches(problem, d->pitches, d->pitch_count, err)
               : atx_problem_set_pitches(problem, e->pitches.numbers, e->pitches.count, err);
}

static at_status set_aligns(atx_problem *problem, const entry *e, const atx_shape_defaults *d, at_error *err)
{
    bool none = e->aligns.count == 0 && problem->op->shape.align_count;
    return none && d->align_count ? atx_problem_set_aligns(problem, d->aligns, d->align_count, err)
                                  : atx_problem_set_aligns(problem, e->aligns.numbers, e->aligns.count, err);
}

/* What there is a size of, where the operation is named. */
static at_status fail_no_size(const reader *r, const entry *e)
{
    atx_str dims = { 0 };
    for (int i = 0; e->op && i < e->op->shape.dim_count; i++)
        atx_str_addf(&dims, "%s%s", i ? " x " : "", e->op->shape.dims[i].name);
    at_status status =
        fail_at(r, r->end, "found no size; expected a shape such as 4096x4096%s%s%s%s", e->op ? ", of " : "",
                e->op ? e->op->name : "", e->op ? ": " : "", atx_str_text(&dims));
    atx_str_clear(&dims);
    return status;
}

static at_status finish_line(reader *r, entry *e)
{
    atx_problem problem;
    at_status status;
    at_error cause = { 0 };

    if (e->size_count == 0 && !e->op_column && !e->type_column && !e->named_count)
        return AT_OK; /* nothing but blanks */
    if (e->size_count == 0)
        return fail_no_size(r, e);
    if (!e->op_column)
        e->op = default_op(r);
    if (!e->op)
        return fail_at(r, r->line, "found no operation%s%s%s; expected one on the line",
                       r->defaults.op ? " '" : "", r->defaults.op ? r->defaults.op : "",
                       r->defaults.op ? "'" : "");
    if (!e->type_column)
        e->type = default_type(r, e->op);
    if ((status = set_named(e, r)) != AT_OK)
        return status;
    if (too_large(e))
        return fail_at(r, r->line + e->size_columns[0] - 1,
                       "found a shape of more than %" PRId64 " bytes; expected a smaller one", INT64_MAX);
    if (atx_problem_init(&problem, e->op, e->type, e->sizes, e->size_count, &cause) != AT_OK)
        return fail_at(r, r->line + guilty_column(e) - 1, "%s%s", cause.text,
                       !e->type_column && refuses_type(e) ? " (the line names none, so it has the default)"
                                                          : "");
    const extra *guilty = &e->pitches;
    status = set_pitches(&problem, e, &r->defaults, &cause);
    if (status == AT_OK) {
        guilty = &e->aligns;
        status = set_aligns(&problem, e, &r->defaults, &cause);
    }
    if (status != AT_OK)
        return fail_at(r, r->line + (guilty->column ? guilty->column : e->size_columns[0]) - 1, "%s",
                       cause.text);
    return atx_problem_set_add(&r->set, &problem, r->err);
}

/* The op of a line whose shape is a layout; NULL: of another. */
static const atx_op *layout_op(const reader *r)
{
    const atx_op *named = NULL;
    bool empty = true;
    for (const char *p = skip_blanks(r->line, r->end); p < r->end; p = skip_blanks(p, r->end)) {
        const char *end = word_end(p, r->end);
        named = named ? named : find_op(r, p, end);
        empty = false;
        p = end;
    }
    const atx_op *op = named || empty ? named : default_op(r);
    return op && op->shape.layout_count ? op : NULL;
}

static at_status read_layout(reader *r, const atx_op *op)
{
    atx_layout_line line = { .op = op,
                             .type = default_type(r, op),
                             .aligns = r->defaults.aligns,
                             .align_count = r->defaults.align_count,
                             .line = r->line,
                             .end = r->end };
    atx_problem problem;
    at_error cause = { 0 };
    at_status status = atx_layout_read(&problem, &line, &cause);
    if (status == AT_OK)
        status = atx_layout_reduce(&problem, r->catalog, &cause);
    return status == AT_OK ? atx_problem_set_add(&r->set, &problem, r->err)
                           : fail_at(r, line.guilty, "%s", cause.text);
}

/* r->line .. r->end is the whole line. */
static at_status read_line(reader *r)
{
    entry e = { 0 };
    at_status status = AT_OK;
    const char *nul = memchr(r->line, '\0', (size_t)(r->end - r->line));
    if (nul)
        return fail_at(r, nul, "found a zero byte; expected text in UTF-8 (is this UTF-16?)");
    if (r->end - r->line > MAX_LINE)
        return fail_at(r, r->line + MAX_LINE, "found a line of %td bytes; expected at most %d",
                       r->end - r->line, MAX_LINE);
    const char *comment = memchr(r->line, '#', (size_t)(r->end - r->line));
    if (comment)
        r->end = comment;
    const atx_op *op = layout_op(r);
    if (op)
        return read_layout(r, op);
    const char *p = skip_blanks(r->line, r->end);
    while (p < r->end && status == AT_OK) {
        status = atx_is_digit(*p) ? read_sizes(&e, &p, r) : read_word(&e, &p, r);
        p = skip_blanks(p, r->end);
    }
    return status == AT_OK ? finish_line(r, &e) : status;
}

at_status atx_shapes_parse(atx_shapes *out, const char *text, size_t len, const char *file,
                           const atx_catalog *catalog, const atx_shape_defaults *defaults, at_error *err)
{
    static const char MARK[] = "\xef\xbb\xbf";
    reader r = { .file = file, .catalog = catalog, .err = err };
    const char *end = text + len, *p = text;
    at_status status = AT_OK;

    if (defaults)
        r.defaults = *defaults;
    if (len >= 3 && memcmp(text, MARK, 3) == 0)
        p += 3;
    while (p < end && status == AT_OK) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        r.line = p;
        r.end = newline ? newline : end;
        p = newline ? newline + 1 : end;
        r.line_number++;
        status = read_line(&r);
    }
    if (status == AT_OK && r.set.count == 0)
        status =
            atx_fail(err, AT_ERR_INPUT, "%s: found no problem; expected lines such as '4096x4096 f32'", file);
    if (status == AT_OK) {
        *out = (atx_shapes){ .problems = r.set.problems, .count = r.set.count, .cap = r.set.cap };
        r.set.problems = NULL;
    }
    atx_problem_set_clear(&r.set);
    return status;
}

at_status atx_shapes_read(atx_shapes *out, const char *path, const atx_catalog *catalog,
                          const atx_shape_defaults *defaults, at_error *err)
{
    atx_str text = { 0 };
    path = strcmp(path, "-") ? path : "/dev/stdin";
    at_status status = atx_str_read_file(&text, path, MAX_FILE_BYTES, err);
    if (status == AT_OK)
        status = atx_shapes_parse(out, atx_str_text(&text), text.len, path, catalog, defaults, err);
    atx_str_clear(&text);
    return status;
}

void atx_shapes_clear(atx_shapes *shapes)
{
    free(shapes->problems);
    *shapes = (atx_shapes){ 0 };
}
