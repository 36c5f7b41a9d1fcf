/*
 * declare_struct.c - the `struct` lines of an operation: types of several fields.
 *
 *     struct NAME [align N] = FIELD, FIELD...
 *     struct NAME bytes N [align A]
 *
 *     FIELD:  TYPE NAME[N]... [align N] [= VALUE | DATA]
 *             [const] ANY *NAME [= BUFFER]
 *
 * Fields lie as C and CUDA lay them out: each at the next multiple of its alignment, the whole a multiple of
 * the largest. A field of another struct becomes that one's fields, `pos.x`. DATA is what the field holds in
 * a buffer of such elements, VALUE what it is where the struct is passed by value; there a pointer is that of
 * the buffer of its name.
 */
#include "declare/declare.h"

#include <stdlib.h>
#include <string.h>

#include "declare/declare_internal.h"

/* The words of a field before its name. */
typedef struct kind {
    const atx_struct *of; /* NULL: a number */
    atx_dtype type;
    bool pointer;
} kind;

const atx_struct *atx_struct_find(const atx_op *op, const char *name, size_t len)
{
    for (int i = 0; i < op->scope.struct_count; i++)
        if (strlen(op->scope.structs[i].name) == len && memcmp(op->scope.structs[i].name, name, len) == 0)
            return &op->scope.structs[i];
    return NULL;
}

/* ---- layout ---- */

static int64_t next_multiple(int64_t at, int64_t of)
{
    return (at + of - 1) / of * of;
}

/* Adds room for so many bytes at the end; returns where. */
static int64_t place(atx_lines *lines, atx_struct *s, int64_t bytes, int64_t align)
{
    const int64_t at = next_multiple(s->bytes, align);
    s->align = align > s->align ? align : s->align;
    s->bytes = at + bytes;
    if (s->bytes > ATX_MAX_STRUCT_BYTES)
        atx_lines_fail(lines, lines->line, "found a struct of more than %d bytes; expected fewer",
                       ATX_MAX_STRUCT_BYTES);
    return at;
}

static int64_t read_alignment(atx_lines *lines)
{
    const char *at = lines->at;
    const int64_t align = atx_lines_integer(lines, "an alignment in bytes, as in align 16");
    if (lines->status == AT_OK && (align < 1 || align > ATX_FULL_ALIGN || (align & (align - 1)) != 0))
        atx_lines_fail(lines, at, "found an alignment of %lld bytes; expected a power of two up to %d",
                       (long long)align, ATX_FULL_ALIGN);
    return lines->status == AT_OK ? align : 1;
}

/* ---- fields ---- */

/* The end of this field's text: the next comma outside of brackets, or the line's end. */
static const char *field_end(const atx_lines *lines)
{
    int depth = 0;
    const char *at = lines->at;
    for (bool quoted = false; at < lines->line_end && (depth > 0 || quoted || *at != ','); at++) {
        quoted = quoted != (*at == '"');
        depth += !quoted && strchr("([{", *at) ? 1 : !quoted && strchr(")]}", *at) ? -1 : 0;
    }
    return at;
}

/* Behind the `*` of a pointer, if there is one before a value. */
static const char *behind_pointer(const atx_lines *lines)
{
    const char *behind = NULL;
    for (const char *at = lines->at; at < lines->line_end && *at != '='; at++)
        behind = *at == '*' ? at + 1 : behind;
    return behind;
}

static kind read_kind(atx_lines *lines, const atx_op *op)
{
    kind k = { 0 };
    const char *behind = behind_pointer(lines);
    if (behind) {
        k.pointer = true;
        atx_lines_skip(lines, (size_t)(behind - lines->at));
        return k;
    }
    k.of = atx_struct_find(op, lines->at, atx_lines_word(lines));
    if (!k.of && !atx_find_type(&k.type, lines, op))
        atx_lines_expected(lines, "an element type, a struct of a line above, or TYPE *NAME");
    atx_lines_skip(lines, atx_lines_word(lines));
    return k;
}

/* [3][3]: how many. */
static int64_t read_count(atx_lines *lines)
{
    int64_t count = 1;
    while (atx_lines_skip_sign(lines, "[")) {
        const char *at = lines->at;
        const int64_t n = atx_lines_integer(lines, "a number of elements");
        if (lines->status == AT_OK && (n < 1 || n > ATX_MAX_STRUCT_BYTES))
            atx_lines_fail(lines, at, "found %lld elements; expected 1 to %d", (long long)n,
                           ATX_MAX_STRUCT_BYTES);
        atx_lines_take(lines, "]", NULL);
        count = lines->status == AT_OK && count <= ATX_MAX_STRUCT_BYTES ? count * n : 1;
    }
    return count;
}

static atx_field *add_field(atx_lines *lines, atx_struct *s, const char *at)
{
    if (s->field_count == ATX_MAX_FIELDS)
        atx_lines_fail(lines, at, "found more than %d fields; expected fewer", ATX_MAX_FIELDS);
    if (!atx_lines_grow(lines, &s->fields, &s->field_cap, (size_t)s->field_count, sizeof *s->fields) ||
        lines->status != AT_OK)
        return NULL;
    atx_field *f = &s->fields[s->field_count++];
    *f = (atx_field){ .arg = -1, .where = atx_lines_where(lines, at) };
    return f;
}

/* The fields of another struct, `count` times. Their contents stay that struct's. */
static void add_nested(atx_lines *lines, atx_struct *s, const atx_struct *of, const char *name, int64_t count)
{
    const char *line = lines->line;
    for (int64_t i = 0; i < count && lines->status == AT_OK; i++) {
        const int64_t base = place(lines, s, of->bytes, of->align);
        for (int k = 0; k < of->field_count; k++) {
            atx_field *f = add_field(lines, s, line);
            if (!f)
                return;
            *f = of->fields[k];
            f->borrowed = true;
            f->offset += base;
            const int n =
                count > 1
                    ? snprintf(f->name, sizeof f->name, "%.24s[%d].%.24s", name, (int)i, of->fields[k].name)
                    : snprintf(f->name, sizeof f->name, "%.30s.%.30s", name, of->fields[k].name);
            (void)n;
        }
    }
}

static int find_buffer(const atx_op *op, const char *name)
{
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role != ATX_SCALAR && strcmp(op->args[i].name, name) == 0)
            return i;
    return -1;
}

/* = BUFFER, or the one of the field's name. */
static void read_buffer_name(atx_lines *lines, const atx_op *op, atx_field *f)
{
    char name[ATX_MAX_NAME];
    memcpy(name, f->name, sizeof name);
    const char *at = lines->at;
    if (atx_lines_skip_sign(lines, "="))
        at = atx_lines_name(name, lines, "a buffer argument of a line above");
    f->arg = find_buffer(op, name);
    if (f->arg < 0)
        atx_lines_fail(lines, at,
                       "found no buffer '%s' for the pointer '%s'; expected '= BUFFER', an argument of a "
                       "line above",
                       name, f->name);
}

/* { 1, 0.5, n } */
static void read_values(atx_lines *lines, atx_field *f)
{
    const char *begin = lines->at;
    const bool list = atx_lines_skip_sign(lines, "{");
    f->values = calloc((size_t)f->count, sizeof *f->values);
    if (!f->values)
        atx_lines_note(lines, atx_no_memory(lines->err));
    do {
        if (lines->status != AT_OK)
            return;
        if (f->value_count == f->count) {
            atx_lines_fail(lines, begin, "found more than %lld values; expected as many as '%s' has",
                           (long long)f->count, f->name);
            return;
        }
        atx_read_value(lines, f->type, &f->values[f->value_count++]);
    } while (list && atx_lines_skip_sign(lines, ","));
    if (list)
        atx_lines_take(lines, "}", NULL);
    if (list && lines->status == AT_OK && f->value_count != f->count)
        atx_lines_fail(lines, begin, "found %lld values; expected %lld, as many as '%s' has",
                       (long long)f->value_count, (long long)f->count, f->name);
}

static void read_field(atx_lines *lines, const atx_op *op, atx_struct *s)
{
    char name[ATX_MAX_NAME];
    const char *begin = lines->at;
    const kind k = read_kind(lines, op);
    const char *at = atx_lines_name(name, lines, "the name of a field");
    for (int i = 0; i < s->field_count; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            atx_lines_fail(lines, at, "found field '%s' a second time; expected a new name", name);
    const int64_t count = read_count(lines);
    const int64_t asked = atx_lines_skip_word(lines, "align") ? read_alignment(lines) : 1;
    if (lines->status != AT_OK)
        return;
    if (k.of) {
        s->bytes = next_multiple(s->bytes, asked);
        s->align = asked > s->align ? asked : s->align;
        if (k.of->field_count == 0)
            atx_lines_fail(lines, begin,
                           "found a field of '%s', whose fields are not known; expected one that has fields",
                           k.of->name);
        add_nested(lines, s, k.of, name, count);
        return;
    }
    const int64_t each = k.pointer ? 8 : atx_dtype_bytes(k.type), align = asked > each ? asked : each;
    if (k.pointer && count > 1)
        atx_lines_fail(lines, begin, "found an array of pointers; expected a field for each");
    const int64_t offset = place(lines, s, each * count, align);
    atx_field *f = lines->status == AT_OK ? add_field(lines, s, at) : NULL;
    if (!f)
        return;
    memcpy(f->name, name, sizeof name);
    f->type = k.pointer ? ATX_U64 : k.type;
    f->pointer = k.pointer;
    f->count = count;
    f->offset = offset;
    if (k.pointer)
        read_buffer_name(lines, op, f);
    else if (atx_lines_skip_sign(lines, "="))
        read_values(lines, f);
    else
        atx_read_input(lines, &f->input);
}

static void read_fields(atx_lines *lines, const atx_op *op, atx_struct *s)
{
    const char *line_end = lines->line_end;
    do {
        lines->line_end = field_end(lines);
        read_field(lines, op, s);
        if (!atx_lines_at_end(lines))
            atx_lines_expected(lines, "',' before the next field, or the end of the line");
        if (lines->status != AT_OK)
            return;
        lines->line_end = line_end;
    } while (atx_lines_skip_sign(lines, ","));
    s->bytes = next_multiple(s->bytes, s->align);
}

void atx_read_struct(atx_lines *lines, void *target)
{
    atx_op *op = target;
    char symbol[ATX_MAX_NAME + 8];
    if (op->scope.struct_count == ATX_MAX_STRUCTS) {
        atx_lines_fail(lines, lines->at, "found more than %d structs; expected fewer", ATX_MAX_STRUCTS);
        return;
    }
    atx_struct *s = &op->scope.structs[op->scope.struct_count];
    const char *at = atx_read_free_name(s->name, lines, "a name for the struct");
    if (atx_struct_find(op, s->name, strlen(s->name)))
        atx_lines_fail(lines, at, "found struct '%s' a second time; expected a new name", s->name);
    snprintf(symbol, sizeof symbol, "sizeof(%s)", s->name);
    s->slot = atx_add_symbol(lines, symbol, at);
    s->align = 1;
    op->scope.struct_count++; /* atx_structs_clear frees it from here on */
    if (atx_lines_skip_word(lines, "bytes")) {
        const char *number = lines->at;
        s->bytes = atx_lines_integer(lines, "a number of bytes");
        s->align = atx_lines_skip_word(lines, "align") ? read_alignment(lines) : 1;
        if (lines->status == AT_OK &&
            (s->bytes < 1 || s->bytes > ATX_MAX_STRUCT_BYTES || s->bytes % s->align != 0))
            atx_lines_fail(lines, number, "found %lld bytes; expected 1 to %d, a multiple of the alignment",
                           (long long)s->bytes, ATX_MAX_STRUCT_BYTES);
        return;
    }
    if (atx_lines_skip_word(lines, "align"))
        s->align = read_alignment(lines);
    atx_lines_take(lines, "=", "'= FIELD, FIELD...' or 'bytes N'");
    if (lines->status == AT_OK)
        read_fields(lines, op, s);
}

/* ---- passed by value ---- */

/* A field that says nothing has the value of its name. */
static void complete_field(atx_lines *lines, atx_field *f)
{
    const atx_symbols *symbols = lines->in.symbols;
    const bool known = atx_symbols_find(symbols, f->name, strlen(f->name)) >= 0;
    if (f->pointer || f->value_count || f->input.stated || f->borrowed)
        return;
    if (!known) {
        atx_lines_fail(
            lines, lines->at,
            "found no dimension or let called '%s', which a field without a value has; expected '%s = EXPR' "
            "or what it holds, as in '%s range 0 9', on line %d",
            f->name, f->name, f->name, f->where.line);
        return;
    }
    const atx_scope scope = { .find = atx_symbols_find, .context = symbols };
    f->values = calloc(1, sizeof *f->values);
    if (!f->values) {
        atx_lines_note(lines, atx_no_memory(lines->err));
        return;
    }
    f->value_count = 1;
    atx_lines_note(
        lines, atx_expr_compile(&f->values[0].expr, f->name, strlen(f->name), &scope, f->where, lines->err));
}

void atx_read_struct_value(atx_lines *lines, atx_op *op, atx_arg *arg)
{
    atx_struct *s = &op->scope.structs[arg->structure - 1];
    arg->role = ATX_SCALAR;
    arg->scalar_bytes = (int)s->bytes;
    for (int i = 0; i < s->field_count && lines->status == AT_OK; i++)
        complete_field(lines, &s->fields[i]);
}

bool atx_arg_is_pointed_at(const atx_op *op, int arg)
{
    for (int i = 0; i < op->arg_count; i++) {
        const atx_struct *s = op->args[i].role == ATX_SCALAR ? atx_arg_struct(op, &op->args[i]) : NULL;
        for (int k = 0; s && k < s->field_count; k++)
            if (s->fields[k].pointer && s->fields[k].arg == arg)
                return true;
    }
    return false;
}

void atx_structs_clear(atx_op *op)
{
    for (int i = 0; i < op->scope.struct_count; i++) {
        atx_struct *s = &op->scope.structs[i];
        for (int k = 0; k < s->field_count; k++) {
            if (s->fields[k].borrowed)
                continue;
            for (int64_t v = 0; v < s->fields[k].value_count; v++)
                atx_expr_close(s->fields[k].values[v].expr);
            free(s->fields[k].values);
            atx_input_clear(&s->fields[k].input);
        }
        free(s->fields);
    }
}
