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
#include "lang/shape_plain.h"
#include "lang/shape_text.h"
#include "util/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE       4096
#define MAX_FILE_BYTES ((size_t)16 << 20)
#define MAX_OF_LINE    4096 /* problems that the ranges of a line stand for          */
#define FAULTS_BYTES   850  /* of an error's text; further faults are only counted    */

typedef struct reader {
    const char *file;
    const atx_catalog *catalog;
    atx_shape_defaults defaults;
    atx_problem_set set;
    int line_number, read; /* read: problems of this line, which may have ranges */
    atx_shape_text text;   /* the line that is being read */
    int64_t calls;         /* that it names */
    atx_str notes, faults; /* faults: of all lines that are wrong, a line each */
    int fault_count, faults_left_out;
    at_error *err;
} reader;

/* Numbers behind the sizes. */
typedef struct extra {
    int64_t numbers[ATX_MAX_ALIGNS > ATX_MAX_PITCHES ? ATX_MAX_ALIGNS : ATX_MAX_PITCHES];
    int count;
    const char *at; /* NULL: not there */
} extra;

/* The words found on one line so far; places are NULL for missing ones. */
typedef struct entry {
    int64_t sizes[ATX_MAX_DIMS];
    const char *places[ATX_MAX_DIMS]; /* of the sizes */
    int size_count;
    const char *named[ATX_MAX_DIMS][2]; /* words NAME=SIZE, and their ends */
    int named_count;
    extra pitches, aligns;
    const atx_op *op;
    atx_dtype type;
    bool has_op, has_type;
    const char *type_at;
    bool sizes_closed; /* a word came after them */
} entry;

static bool is_joiner(char c)
{
    return c == 'x' || c == 'X' || c == '*';
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

static void fail_word(reader *r, const char *word, const char *end)
{
    ATX_LOCAL(atx_str) expected = { 0 };
    atx_str_add(&expected, "a type (");
    for (int i = 0; i < ATX_DTYPES; i++)
        atx_str_addf(&expected, "%s%s", i ? " " : "", atx_dtype_name((atx_dtype)i));
    atx_str_add(&expected, ") or an operation (`autotune list` shows them)");
    const atx_shape_word f = atx_shape_show(word, end);
    const char *near = nearest_word(r, f.text);
    atx_shape_fail(&r->text, word, "found '%s'; expected %s%s%s%s", f.text, atx_str_text(&expected),
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- sizes ---- */

static void add_size(entry *e, atx_shape_text *t)
{
    const char *begin = t->p;
    const int64_t value = atx_shape_number(t, true);
    if (e->size_count == ATX_MAX_DIMS) {
        atx_shape_fail(t, begin, "found one more size, '%s'; expected at most %d",
                       atx_shape_show(begin, t->p).text, ATX_MAX_DIMS);
        return;
    }
    e->places[e->size_count] = begin;
    e->sizes[e->size_count++] = value;
}

/* What may follow the sizes without a blank: numbers behind a character of their own. */
typedef struct suffix {
    char mark;
    const char *what, *example;
    int max;
} suffix;

static const suffix PITCHES = { '/', "leading dimension", "4096x4096/4160x4352", ATX_MAX_PITCHES };
static const suffix ALIGNS = { '@', "alignment", "4096x4096@4 or 4096x4096@16x4", ATX_MAX_ALIGNS };

/* Behind a number: a joiner and its size, joined or with blanks around. false: something else, or nothing. */
static bool skip_joiner(atx_shape_text *t, const char *word)
{
    const char *behind = t->p;
    atx_shape_text next = *t;
    atx_shape_skip_blanks(&next);
    if (next.p < t->end && is_joiner(*next.p)) {
        const char *joiner = next.p++;
        atx_shape_skip_blanks(&next);
        if (atx_shape_sees_digit(&next)) {
            t->p = next.p;
            return true;
        }
        if (next.p < t->end && *next.p == '-')
            atx_shape_fail(t, next.p, "found '%s'; expected a positive size",
                           atx_shape_show_word(t, next.p).text);
        if (joiner == behind)
            atx_shape_fail(t, word, "found '%s'; expected a size after '%c'",
                           atx_shape_show_word(t, word).text, *joiner);
    }
    if (t->p < t->end && !atx_shape_is_blank(*t->p) && *t->p != PITCHES.mark && *t->p != ALIGNS.mark)
        atx_shape_fail(t, word, "found '%s'; expected sizes such as 4096x4096 (whole numbers joined by 'x')",
                       atx_shape_show_word(t, word).text);
    return false;
}

/* "/4160x4352" or "@16x4", if it is there. */
static void read_suffix(extra *out, const suffix *s, atx_shape_text *t)
{
    const char *word = t->p;
    if (t->p == t->end || *t->p != s->mark)
        return;
    bool good = false;
    out->at = word;
    do {
        t->p++;
        good = atx_shape_sees_digit(t);
        if (good && out->count == s->max)
            atx_shape_fail(t, t->p, "found one more %s; expected at most %d", s->what, s->max);
        else if (good)
            out->numbers[out->count++] = atx_shape_number(t, true);
    } while (good && t->p < t->end && is_joiner(*t->p));
    good = good && (t->p == t->end || atx_shape_is_blank(*t->p) || (s == &PITCHES && *t->p == ALIGNS.mark));
    if (!good)
        atx_shape_fail(t, word, "found '%s'; expected %ss, such as %s", atx_shape_show_word(t, word).text,
                       s->what, s->example);
}

static void read_sizes(entry *e, atx_shape_text *t)
{
    const char *word = t->p;
    if (e->sizes_closed) {
        atx_shape_fail(t, word, "found '%s'; expected all sizes of a line side by side",
                       atx_shape_show_word(t, word).text);
        return;
    }
    do
        add_size(e, t);
    while (skip_joiner(t, word));
    read_suffix(&e->pitches, &PITCHES, t);
    read_suffix(&e->aligns, &ALIGNS, t);
    e->sizes_closed = e->pitches.count || e->aligns.count;
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

static void fail_second(reader *r, const char *word, const char *end, const char *what, const char *first)
{
    atx_shape_fail(&r->text, word, "found '%s'; expected one %s a line, and there is %s",
                   atx_shape_show(word, end).text, what, first);
}

/* Of a size by its name it is known which dimension it is, and of what size, when the operation is. */
static void read_word(entry *e, reader *r)
{
    atx_shape_text *t = &r->text;
    const char *word = t->p, *end = atx_shape_word_end(t, word);
    atx_dtype type;
    const atx_op *op = find_op(r, word, end);

    t->p = end;
    e->sizes_closed = e->size_count > 0;
    if (op && e->has_op) {
        fail_second(r, word, end, "operation", e->op->name);
    } else if (op) {
        e->op = op;
        e->has_op = true;
    } else if (atx_dtype_parse(&type, word, (size_t)(end - word), NULL) == AT_OK) {
        if (e->has_type)
            fail_second(r, word, end, "type", atx_dtype_name(e->type));
        e->type = type;
        e->has_type = true;
        e->type_at = word;
    } else if (memchr(word, '=', (size_t)(end - word))) {
        if (e->named_count == ATX_MAX_DIMS) {
            atx_shape_fail(t, word, "found one more size, '%s'; expected at most %d by their names",
                           atx_shape_show(word, end).text, ATX_MAX_DIMS);
            return;
        }
        e->named[e->named_count][0] = word;
        e->named[e->named_count++][1] = end;
    } else if (end - word > 1 && *word == '-' && atx_is_digit(word[1])) {
        atx_shape_fail(t, word, "found '%s'; expected a positive size", atx_shape_show(word, end).text);
    } else {
        fail_word(r, word, end);
    }
}

/* ---- problems ---- */

/* Sizes by name: values of the dimensions that have one, 0 for the others. false: a word is wrong. */
static bool read_named(int64_t sizes[ATX_MAX_DIMS], const char *places[ATX_MAX_DIMS], const entry *e,
                       reader *r)
{
    for (int i = 0; i < e->named_count; i++) {
        const char *word = e->named[i][0], *end = e->named[i][1];
        at_error cause = { 0 };
        int64_t size = 0;
        int dim = 0;
        if (atx_named_size_parse(&dim, &size, e->op, word, (size_t)(end - word), &cause) != AT_OK)
            atx_shape_fail(&r->text, word, "found '%s'; %s", atx_shape_show(word, end).text, cause.text);
        else if (sizes[dim])
            atx_shape_fail(&r->text, word, "found '%s'; expected %s once", atx_shape_show(word, end).text,
                           e->op->shape.dims[dim].name);
        sizes[dim] = size;
        places[dim] = word;
    }
    return atx_shape_good(&r->text);
}

/*
 * Where some are named, all of them become sizes: the others are those of the shape, in their order. The
 * first ones of them may be left out where they have a default; all that have one are, where one is named
 * that has none.
 */
static void set_named(entry *e, reader *r)
{
    const atx_op *op = e->op;
    int64_t sizes[ATX_MAX_DIMS] = { 0 };
    const char *places[ATX_MAX_DIMS] = { NULL };
    bool strict = false;
    int missing = -e->size_count, next = 0;
    if (e->named_count == 0 || !read_named(sizes, places, e, r))
        return;
    for (int i = 0; i < op->shape.dim_count; i++)
        strict |= sizes[i] && !op->shape.dims[i].optional;
    for (int i = 0; i < op->shape.dim_count; i++)
        missing += !sizes[i] && !(strict && op->shape.dims[i].optional);
    if (missing < 0)
        atx_shape_fail(&r->text, e->named[0][0], "found %d sizes and %d by name, which are too many for %s",
                       e->size_count, e->named_count, op->name);
    for (int i = 0; i < op->shape.dim_count; i++) {
        const atx_dim *dim = &op->shape.dims[i];
        const bool left_out = !sizes[i] && dim->optional && (strict || missing > 0);
        if (missing < 0 || (missing > 0 && !sizes[i] && !dim->optional))
            return; /* too few: refused as such */
        missing -= left_out && !strict;
        if (!sizes[i])
            places[i] = left_out ? e->named[0][0] : e->places[next];
        if (!sizes[i])
            sizes[i] = left_out ? dim->value : e->sizes[next++];
    }
    memcpy(e->sizes, sizes, sizeof sizes);
    memcpy(e->places, places, sizeof places);
    e->size_count = op->shape.dim_count;
}

static bool refuses_type(const entry *e)
{
    return !(e->op->types & 1u << e->type);
}

/* The place on the line that a refusal of the op is about. */
static const char *guilty_place(const entry *e)
{
    if (refuses_type(e) && e->has_type)
        return e->type_at;
    return e->places[!refuses_type(e) && e->size_count > e->op->shape.dim_count ? e->op->shape.dim_count : 0];
}

static bool too_large(const entry *e)
{
    int64_t bytes = atx_dtype_bytes(e->type);
    for (int i = 0; i < e->size_count; i++)
        if (__builtin_mul_overflow(bytes, e->sizes[i], &bytes))
            return true;
    return false;
}

/* The wanted type, where the op has it: an op with one type has that. */
static atx_dtype default_type(const reader *r, const atx_op *op)
{
    if (__builtin_popcount(op->types) == 1)
        return (atx_dtype)__builtin_ctz(op->types);
    if (r->defaults.type)
        return *r->defaults.type;
    return op->types & 1u << ATX_DEFAULT_TYPE ? ATX_DEFAULT_TYPE : (atx_dtype)__builtin_ctz(op->types);
}

/* NULL: the default is not known, or there is none. */
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
static void fail_no_size(reader *r, const entry *e)
{
    ATX_LOCAL(atx_str) dims = { 0 };
    for (int i = 0; e->op && i < e->op->shape.dim_count; i++)
        atx_str_addf(&dims, "%s%s", i ? " x " : "", e->op->shape.dims[i].name);
    atx_shape_fail(&r->text, r->text.end, "found no size; expected a shape such as 4096x4096%s%s%s%s",
                   e->op ? ", of " : "", e->op ? e->op->name : "", e->op ? ": " : "", atx_str_text(&dims));
}

/* Adds the defaults; false: the line lacks something, or says too much. */
static bool complete(reader *r, entry *e)
{
    atx_shape_text *t = &r->text;
    if (e->size_count == 0 && !e->named_count) {
        fail_no_size(r, e);
        return false;
    }
    if (!e->has_op)
        e->op = default_op(r);
    if (!e->op) {
        const char *given = r->defaults.op, *quote = given ? "'" : "";
        atx_shape_fail(t, t->line, "found no operation%s%s%s%s; expected one on the line", given ? " " : "",
                       quote, given ? given : "", quote);
        return false;
    }
    if (!e->has_type)
        e->type = default_type(r, e->op);
    set_named(e, r);
    if (atx_shape_good(t) && e->size_count == 0)
        fail_no_size(r, e);
    else if (atx_shape_good(t) && too_large(e))
        atx_shape_fail(t, e->places[0],
                       "found a shape of more than %" PRId64 " bytes; expected a smaller one", INT64_MAX);
    return atx_shape_good(t);
}

static at_status finish_line(reader *r, entry *e)
{
    atx_problem problem;
    at_error cause = { 0 };
    atx_shape_text *t = &r->text;
    if (e->size_count == 0 && !e->has_op && !e->has_type && !e->named_count)
        return AT_OK; /* nothing but blanks */
    if (!complete(r, e))
        return AT_ERR_INPUT;
    if (atx_problem_init(&problem, e->op, e->type, e->sizes, e->size_count, &cause) != AT_OK)
        atx_shape_fail(t, guilty_place(e), "%s%s", cause.text,
                       !e->has_type && refuses_type(e) ? " (the line names none, so it has the default)"
                                                       : "");
    else if (set_pitches(&problem, e, &r->defaults, &cause) != AT_OK)
        atx_shape_fail(t, e->pitches.at ? e->pitches.at : e->places[0], "%s", cause.text);
    else if (set_aligns(&problem, e, &r->defaults, &cause) != AT_OK)
        atx_shape_fail(t, e->aligns.at ? e->aligns.at : e->places[0], "%s", cause.text);
    return atx_shape_good(t) ? atx_problem_set_add(&r->set, &problem, r->calls, r->err) : AT_ERR_INPUT;
}

/* The op of a line whose shape is a layout, or NULL. */
static const atx_op *layout_op(const reader *r)
{
    const atx_op *named = NULL;
    bool empty = true;
    atx_shape_text t = r->text;
    for (atx_shape_skip_blanks(&t); t.p < t.end; atx_shape_skip_blanks(&t)) {
        const char *end = atx_shape_word_end(&t, t.p);
        named = named ? named : find_op(r, t.p, end);
        empty = false;
        t.p = end;
    }
    const atx_op *op = named || empty ? named : default_op(r);
    return op && op->shape.layout_count ? op : NULL;
}

/* Results are found, and shown, under the name that it has from now on. */
static void note_reduced(reader *r, const atx_problem *problem)
{
    const char *begin = r->text.line, *end = r->text.end;
    while (end > begin && atx_shape_is_blank(end[-1]))
        end--;
    atx_str_addf(&r->notes, "%s%.*s is %s ", r->notes.len ? "\n" : "", (int)(end - begin), begin,
                 problem->op->name);
    atx_problem_show(&r->notes, problem);
}

static at_status read_layout(reader *r, const atx_op *op)
{
    atx_layout_line line = { .op = op,
                             .type = default_type(r, op),
                             .aligns = r->defaults.aligns,
                             .align_count = r->defaults.align_count,
                             .line = r->text.line,
                             .end = r->text.end };
    atx_problem problem;
    at_error cause = { 0 };
    at_status status = atx_layout_read(&problem, &line, &cause);
    ATX_THEN(status, atx_layout_reduce(&problem, r->catalog, &cause));
    if (status == AT_OK && problem.op != op)
        note_reduced(r, &problem);
    if (status == AT_OK)
        return atx_problem_set_add(&r->set, &problem, r->calls, r->err);
    atx_shape_fail(&r->text, line.guilty, "%s", cause.text);
    return AT_ERR_INPUT;
}

/* r->text is the whole line. */
static at_status read_problem(reader *r)
{
    entry e = { 0 };
    atx_shape_text *t = &r->text;
    const char *nul = memchr(t->line, '\0', (size_t)(t->end - t->line));
    if (nul)
        atx_shape_fail(t, nul, "found a zero byte; expected text in UTF-8 (is this UTF-16?)");
    if (t->end - t->line > MAX_LINE)
        atx_shape_fail(t, t->line + MAX_LINE, "found a line of %td bytes; expected at most %d",
                       t->end - t->line, MAX_LINE);
    if (!atx_shape_good(t))
        return AT_ERR_INPUT;
    const char *comment = memchr(t->line, '#', (size_t)(t->end - t->line));
    if (comment)
        t->end = comment;
    r->calls = atx_shape_read_calls(t);
    if (!atx_shape_good(t))
        return AT_ERR_INPUT;
    const atx_op *op = layout_op(r);
    if (op)
        return read_layout(r, op);
    for (atx_shape_skip_blanks(t); t->p < t->end; atx_shape_skip_blanks(t))
        if (atx_shape_sees_digit(t))
            read_sizes(&e, t);
        else
            read_word(&e, r);
    return atx_shape_good(t) ? finish_line(r, &e) : AT_ERR_INPUT;
}

/* Records a fault of the line; the others are read nevertheless, so that all faults are reported at once. */
static void note_fault(reader *r)
{
    const atx_shape_text *t = &r->text;
    if (r->faults.len < FAULTS_BYTES)
        atx_str_addf(&r->faults, "%s%s:%d:%td: %s", r->fault_count ? "\n" : "", r->file, r->line_number,
                     t->guilty - t->line + 1, t->cause.text);
    else
        r->faults_left_out++;
    r->fault_count++;
}

static at_status read_line(reader *r, const char *line, const char *end);

/* A problem for each size of a range, and so on: the line may have more of them. */
static at_status read_range(reader *r, const atx_shape_range *range, const char *line, const char *end)
{
    const int faults = r->fault_count;
    ATX_LOCAL(atx_str) one = { 0 };
    for (int64_t size = range->first; size && r->fault_count == faults;
         size = atx_shape_range_next(range, size)) {
        atx_str_reset(&one);
        atx_str_add_bytes(&one, line, (size_t)(range->numbers - line));
        atx_str_add_int(&one, size);
        atx_str_add_bytes(&one, range->end, (size_t)(end - range->end));
        ATX_TRY(atx_str_status(&one, r->err));
        ATX_TRY(read_line(r, one.data, one.data + one.len));
    }
    return AT_OK;
}

static at_status read_line(reader *r, const char *line, const char *end)
{
    atx_shape_range range;
    if (atx_shape_find_range(&range, line, end))
        return read_range(r, &range, line, end);
    r->text = (atx_shape_text){ .line = line, .p = line, .end = end };
    if (++r->read > MAX_OF_LINE)
        atx_shape_fail(&r->text, line, "found ranges of more than %d problems; expected smaller ones",
                       MAX_OF_LINE);
    at_status status = atx_shape_good(&r->text) ? read_problem(r) : AT_ERR_INPUT;
    if (status != AT_ERR_INPUT || atx_shape_good(&r->text))
        return status;
    note_fault(r);
    return AT_OK;
}

static at_status read_lines(reader *r, const char *text, size_t len)
{
    const char *end = text + len, *p = text;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        r->line_number++;
        r->read = 0;
        ATX_TRY(read_line(r, p, newline ? newline : end));
        p = newline ? newline + 1 : end;
    }
    if (r->faults_left_out)
        atx_str_addf(&r->faults, "\nand %d more line%s", r->faults_left_out,
                     r->faults_left_out == 1 ? "" : "s");
    return AT_OK;
}

at_status atx_shapes_parse(atx_shapes *out, const char *text, size_t len, const char *file,
                           const atx_catalog *catalog, const atx_shape_defaults *defaults, at_error *err)
{
    reader r = { .file = file, .catalog = catalog, .err = err };
    ATX_LOCAL(atx_str) plain = { 0 };
    if (defaults)
        r.defaults = *defaults;
    atx_shape_plain(&plain, text, len);
    at_status status = atx_str_status(&plain, err);
    ATX_THEN(status, read_lines(&r, atx_str_text(&plain), plain.len));
    if (status == AT_OK && r.fault_count)
        status = atx_fail(err, AT_ERR_INPUT, "%s", atx_str_text(&r.faults));
    if (status == AT_OK && r.set.count == 0)
        status =
            atx_fail(err, AT_ERR_INPUT, "%s: found no problem; expected lines such as '4096x4096 f32'", file);
    if (status == AT_OK) {
        *out = (atx_shapes){ r.set.problems, r.set.calls, r.set.count, r.set.cap, r.notes };
        r.set = (atx_problem_set){ .seen = r.set.seen };
        r.notes = (atx_str){ 0 };
    }
    atx_problem_set_clear(&r.set);
    atx_str_clear(&r.notes);
    atx_str_clear(&r.faults);
    return status;
}

at_status atx_shapes_read(atx_shapes *out, const char *path, const atx_catalog *catalog,
                          const atx_shape_defaults *defaults, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    path = strcmp(path, "-") ? path : "/dev/stdin";
    ATX_TRY(atx_str_read_file(&text, path, MAX_FILE_BYTES, err));
    return atx_shapes_parse(out, atx_str_text(&text), text.len, path, catalog, defaults, err);
}

void atx_shapes_clear(atx_shapes *shapes)
{
    free(shapes->problems);
    free(shapes->calls);
    atx_str_clear(&shapes->notes);
    *shapes = (atx_shapes){ 0 };
}
