/*
 * adopt_struct.c - the structs of a file that a kernel's arguments are, or buffers are made of: their fields
 * in order, with CUDA's layout. A union is its largest member. What is more than fields of known types (a
 * base, bits) has only a size, or none that is known. A pointer in a struct by value becomes a buffer behind
 * the kernel's arguments, and an integer that the kernel compares with an index a size of the problem.
 */
#include "exchange/adopt_guards.h"
#include "exchange/adopt_struct_internal.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 4 }; /* of structs in structs */

static int read_struct(atx_draft *d, const atx_draft_type *type, const atx_struct_binding *outer, int depth);

/* ---- fields ---- */

typedef struct reading {
    atx_draft *d;
    atx_draft_struct *s;
    const atx_struct_binding *bound; /* NULL: it is no template */
    int depth;
    bool is_union, inner; /* inner: within a union or struct without a name: its fields are not listed */
    long bytes, align;    /* of the member that is listed for a union */
} reading;

/* [3][N] from token i on: how many; 0: not known. */
static long read_count(const reading *r, size_t i, size_t end)
{
    const atx_tokens *t = &r->d->code;
    long count = 1;
    while (i < end && atx_tokens_is(t, i, "[")) {
        long n = 0;
        const size_t close = atx_tokens_match(t, i);
        if (!atx_struct_binding_number(&n, r->d, r->bound, (atx_span){ i + 1, close }) || n < 1 ||
            n > ATX_MAX_STRUCT_BYTES)
            return 0;
        count = count * n > ATX_MAX_STRUCT_BYTES ? ATX_MAX_STRUCT_BYTES + 1 : count * n;
        i = close + 1;
    }
    return count;
}

static bool is_used(const atx_draft *d, const atx_draft_field *f)
{
    for (size_t i = 1; i < d->code.count; i++)
        if (d->reached[i] && atx_tokens_is(&d->code, i, f->name) &&
            (atx_tokens_is(&d->code, i - 1, ".") || atx_tokens_is(&d->code, i - 1, "->")))
            return true;
    return false;
}

/* A union is listed as its largest member, of several as one that the kernel reads. */
static void choose_member(reading *r, const atx_draft_field *f, long bytes, long align)
{
    atx_draft_field *best = &r->s->fields[0];
    if (r->s->field_count && (bytes < r->bytes || (bytes == r->bytes && align < r->align) ||
                              (bytes == r->bytes && align == r->align && !is_used(r->d, f))))
        return;
    *best = *f;
    r->s->field_count = 1;
    r->bytes = bytes;
    r->align = align;
}

static bool is_whole(const reading *r)
{
    return !r->is_union || (r->bytes == r->s->bytes && r->align == r->s->align);
}

static void add_field(reading *r, const atx_draft_field *f)
{
    atx_draft_struct *s = r->s;
    long each = 8, align = 8;
    if (f->structure) {
        const atx_draft_struct *of = &r->d->structs[f->structure - 1];
        each = of->bytes;
        align = of->align;
        s->listed = s->listed && of->listed;
        s->sized = s->sized && of->sized;
        s->pointers = s->pointers || of->pointers;
    } else if (!f->pointer) {
        each = atx_struct_bytes_of(f->type.dtype) * f->type.lanes;
        align = atx_draft_vector_align(&f->type);
        s->sized = s->sized && each > 0;
        align = align ? align : 1;
    }
    s->pointers = s->pointers || f->pointer;
    atx_struct_place(s, each * f->count, align, r->is_union);
    if (r->is_union && !f->pointer)
        choose_member(r, f, each * f->count, align);
    else if (r->is_union || r->inner || s->field_count == ATX_DRAFT_FIELDS || (f->pointer && f->count > 1))
        s->listed = false;
    else
        s->fields[s->field_count++] = *f;
}

/* Of "T *p" where T is const float. */
static bool is_bound_const(const reading *r, size_t type, size_t type_end)
{
    const atx_tokens *t = &r->d->code;
    char name[ATX_MAX_WORD] = "";
    if (type_end == type + 1)
        atx_draft_word(name, t, type);
    const atx_span bound =
        name[0] ? atx_struct_binding_find(r->bound, r->d, name) : (atx_span){ t->count, 0 };
    return bound.begin < bound.end && atx_tokens_is(t, bound.begin, "const");
}

/* One declarator, "*name[3] = 4", of a type that begins at `type`. */
static void read_declarator(reading *r, size_t type, size_t type_end, size_t begin, size_t end)
{
    const atx_tokens *t = &r->d->code;
    atx_draft_field f = { .buffer = -1 };
    size_t stop = begin;
    while (stop < end && !atx_tokens_is(t, stop, "=") && !atx_tokens_is(t, stop, "[") &&
           !atx_tokens_is(t, stop, ":") && !atx_tokens_is(t, stop, "{"))
        stop++;
    if (stop == begin || !atx_tokens_is_word(t, stop - 1) || atx_tokens_is(t, stop, ":")) {
        r->s->listed = r->s->sized = false;
        return;
    }
    int stars = 0;
    for (size_t i = type; i < stop; i++) {
        stars += (i < type_end || i >= begin) && (atx_tokens_is(t, i, "*") || atx_tokens_is(t, i, "&"));
        f.constant = f.constant || (!stars && atx_tokens_is(t, i, "const"));
    }
    atx_draft_word(f.name, t, stop - 1);
    atx_struct_binding_type(&f.type, r->d, r->bound, (atx_span){ type, type_end });
    f.pointer = stars > 0;
    f.count = read_count(r, stop, end);
    f.constant = f.constant || (stars == 1 && is_bound_const(r, type, type_end));
    if (f.type.targ >= 0) { /* of the kernel's template */
        const char *dtype = r->d->targs[f.type.targ].dtype;
        f.type.dtype = dtype ? dtype : "f32";
        f.type.targ = f.pointer ? f.type.targ : -1;
    }
    if (stars > 1 || !f.name[0])
        r->s->listed = false;
    if (!stars && f.type.structure)
        f.structure = read_struct(r->d, &f.type, r->bound, r->depth + 1);
    if (!f.count || (!stars && f.type.structure && !f.structure) ||
        (!stars && !f.structure && !f.type.dtype)) {
        r->s->listed = r->s->sized = false;
        return;
    }
    add_field(r, &f);
}

/* "float x, *y[3];" of begin..end. */
static void read_declaration(reading *r, size_t begin, size_t end)
{
    const atx_tokens *t = &r->d->code;
    size_t comma = atx_code_comma(t, begin, end), type_end = begin;
    for (size_t i = begin; i < comma && !atx_tokens_is(t, i, "=") && !atx_tokens_is(t, i, "[") &&
                           !atx_tokens_is(t, i, ":") && !atx_tokens_is(t, i, "{");
         i++)
        if (atx_tokens_is_word(t, i))
            type_end = i; /* the last word is the name */
    while (type_end > begin && (atx_tokens_is(t, type_end - 1, "*") || atx_tokens_is(t, type_end - 1, "&")))
        type_end--;
    for (size_t at = type_end; at < end; at = comma + 1, comma = atx_code_comma(t, at, end))
        read_declarator(r, begin, type_end, at, comma);
}

static void read_members(reading *r, size_t begin, size_t end);

/* struct { ... } name; within another: its layout, and no names. */
static void read_nested(reading *r, size_t begin, size_t open, size_t end)
{
    const atx_tokens *t = &r->d->code;
    atx_draft_struct part = { .align = 1, .listed = true, .sized = true };
    reading inner = { r->d, &part, r->bound, r->depth + 1, atx_tokens_is(t, begin, "union"), true, 0, 0 };
    const size_t close = atx_tokens_match(t, open);
    if (open > begin + 1 && close + 1 == end)
        return; /* a type with a name, and nothing of it */
    if (r->depth < MOST_DEPTH)
        read_members(&inner, open + 1, close);
    if (inner.is_union && close + 1 == end && part.listed && part.sized && is_whole(&inner)) {
        add_field(r, &part.fields[0]);
        return;
    }
    const long count = close + 2 < end ? read_count(r, close + 2, end) : 1;
    r->s->listed = false;
    r->s->pointers = r->s->pointers || part.pointers;
    r->s->sized = r->s->sized && part.sized && r->depth < MOST_DEPTH && count > 0;
    atx_struct_place(r->s, atx_struct_next_multiple(part.bytes, part.align) * count, part.align, r->is_union);
}

/* Past a function: its parameters, then its body or ';'. */
static size_t skip_function(const atx_tokens *t, size_t open, size_t end)
{
    size_t i = atx_tokens_match(t, open) + 1;
    while (i < end && !atx_tokens_is(t, i, "{") && !atx_tokens_is(t, i, ";"))
        if (atx_tokens_is_word(t, i) && (atx_tokens_is(t, i + 1, "(") || atx_tokens_is(t, i + 1, "{")) &&
            (atx_tokens_is(t, i - 1, ":") || atx_tokens_is(t, i - 1, ",")))
            i = atx_tokens_match(t, i + 1) + 1; /* : x(1), y{2} */
        else
            i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1;
    if (atx_tokens_is(t, i, "{"))
        i = atx_tokens_match(t, i);
    return i + 1;
}

/* The member at token i: where the next one begins. */
static size_t read_member(reading *r, size_t i, size_t end)
{
    static const char *const NONE[] = {
        "static", "using", "typedef", "enum", "friend", "static_assert", NULL
    };
    static const char *const ACCESS[] = { "public", "private", "protected", NULL };
    static const char *const NESTED[] = { "struct", "union", "class", NULL };
    static const char *const ALIGNS[] = { "alignas", "__align__", "__attribute__", NULL };
    const atx_tokens *t = &r->d->code;
    size_t stop = i;
    if (atx_tokens_is(t, i, ";"))
        return i + 1;
    if (atx_token_is_one_of(t->text, &t->items[i], ACCESS) && atx_tokens_is(t, i + 1, ":"))
        return i + 2;
    if (atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<"))
        return read_member(
            &(reading){ r->d, &(atx_draft_struct){ .align = 1 }, NULL, MOST_DEPTH, false, true, 0, 0 },
            atx_tokens_match(t, i + 1) + 1, end);
    const bool is_function_like = !atx_token_is_one_of(t->text, &t->items[i], NONE) ||
                                  atx_tokens_is(t, i, "static") || atx_tokens_is(t, i, "friend");
    const bool nested = atx_token_is_one_of(t->text, &t->items[i], NESTED);
    for (; stop < end && !atx_tokens_is(t, stop, ";"); stop++) {
        const bool aligns = stop > i && atx_token_is_one_of(t->text, &t->items[stop - 1], ALIGNS);
        const bool points = atx_tokens_is(t, stop + 1, "*"); /* to a function */
        if (atx_tokens_is(t, stop, "(") && (aligns || points))
            r->s->listed = r->s->sized = false;
        else if (atx_tokens_is(t, stop, "(") && is_function_like)
            return skip_function(t, stop, end);
        if (nested && atx_tokens_is(t, stop, "{")) {
            const size_t behind = atx_tokens_find(t, stop, end, ";");
            read_nested(r, i, stop, behind);
            return behind + 1;
        }
        if (atx_tokens_opens(t, stop) || (atx_tokens_is(t, stop, "<") && atx_tokens_match(t, stop) < end))
            stop = atx_tokens_match(t, stop);
        else if (atx_tokens_is(t, stop, "="))
            stop = atx_tokens_find(t, stop, end, ";") - 1;
    }
    if (!atx_token_is_one_of(t->text, &t->items[i], NONE))
        read_declaration(r, i, stop);
    return stop + 1;
}

static bool has_virtual(const atx_tokens *t, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1)
        if (atx_tokens_is(t, i, "virtual"))
            return true;
    return false;
}

/* Before all fields stands a pointer to the table of virtual functions. */
static void read_members(reading *r, size_t begin, size_t end)
{
    if (has_virtual(&r->d->code, begin, end)) {
        r->s->listed = false;
        atx_struct_place(r->s, 8, 8, false);
    }
    for (size_t i = begin; i < end;)
        i = read_member(r, i, end);
}

/* ---- a struct ---- */

static int find_struct(const atx_draft *d, const atx_draft_type *type)
{
    for (int i = 0; i < d->struct_count; i++)
        if (type->body ? d->structs[i].body == type->body && d->structs[i].list == type->list
                       : !d->structs[i].body && strcmp(d->structs[i].vector, type->name) == 0)
            return i + 1;
    return 0;
}

/* Fields, with those of the structs in it, of each element of an array: one each in a declaration. */
static long count_fields(const atx_draft *d, const atx_draft_struct *s)
{
    long n = 0;
    for (int i = 0; i < s->field_count; i++)
        n += s->fields[i].structure
                 ? s->fields[i].count * count_fields(d, &d->structs[s->fields[i].structure - 1])
                 : 1;
    return n;
}

/* Its number from 1; 0: there is no room for it. Those that it has are before it. */
static int read_struct(atx_draft *d, const atx_draft_type *type, const atx_struct_binding *outer, int depth)
{
    const int known = find_struct(d, type);
    if (known || depth > MOST_DEPTH)
        return known;
    atx_draft_struct s = {
        .body = type->body, .list = type->list, .align = 1, .listed = true, .sized = true
    };
    atx_draft_free_name(s.name, d, type->name);
    if (type->lanes > 1) {
        atx_struct_read_vector(&s, type);
    } else if (!type->body) {
        memcpy(s.vector, type->name, sizeof s.vector);
        s.listed = false;
        s.sized = atx_draft_opaque(&s.bytes, &s.align, type->name);
    } else {
        const atx_tokens *t = &d->code;
        size_t head = type->body;
        while (head > 0 && !atx_tokens_is(t, head - 1, ";") && !atx_tokens_is(t, head - 1, "}") &&
               !atx_tokens_is(t, head - 1, "{") && !atx_tokens_is(t, head, "union"))
            head--;
        const atx_struct_binding bound = { atx_struct_binding_params(t, type->body), type->list, outer };
        reading r = {
            d, &s, bound.params && bound.args ? &bound : NULL, depth, atx_tokens_is(t, head, "union"), false,
            0, 0
        };
        read_members(&r, type->body + 1, atx_tokens_match(t, type->body));
        s.listed = s.listed && is_whole(&r);
        atx_struct_read_alignment(d, &s);
    }
    s.bytes = atx_struct_next_multiple(s.bytes, s.align);
    s.listed = s.listed && s.sized && s.field_count > 0 && s.bytes <= ATX_MAX_STRUCT_BYTES &&
               count_fields(d, &s) <= ATX_DRAFT_FIELDS;
    if (d->struct_count == ATX_DRAFT_STRUCTS)
        return 0;
    d->structs[d->struct_count] = s;
    return ++d->struct_count;
}

bool atx_draft_has_reals(const atx_draft *d, int structure)
{
    const atx_draft_struct *s = &d->structs[structure - 1];
    for (int i = 0; s->listed && i < s->field_count; i++) {
        const atx_draft_field *f = &s->fields[i];
        if (f->structure ? atx_draft_has_reals(d, f->structure)
                         : !f->pointer && atx_draft_is_real(f->type.dtype))
            return true;
    }
    return false;
}

/* ---- pointers and sizes in a struct by value ---- */

/* What a pointer goes to, as an argument of the operation. */
static at_status add_buffer(atx_draft *d, atx_draft_field *f)
{
    if (d->arg_count == ATX_MAX_ARGS)
        return atx_fail(
            d->err, AT_ERR_INPUT, "%s: found more than %d buffers in what %s takes; expected fewer",
            atx_draft_place(d, &d->code.items[d->kernel_text.name]).text, ATX_MAX_ARGS, d->kernel);
    f->buffer = d->arg_count;
    atx_draft_arg *a = &d->args[d->arg_count];
    *a = (atx_draft_arg){ .type = f->type, .stars = 1, .field = true };
    a->arg =
        (atx_kernel_arg){ .text = f->name, .len = strlen(f->name), .pointer = true, .constant = f->constant };
    atx_draft_role_of(a, d, &(atx_draft_named){ f->name, 1, true });
    a->read = a->read || !a->written || a->arg.constant;
    a->written = a->written && !a->arg.constant;
    atx_draft_free_name(a->name, d, f->name);
    d->arg_count++;
    return AT_OK;
}

/* Whether an argument has the name at token i. */
static bool is_argument(const atx_draft *d, size_t i)
{
    for (int k = 0; k < d->arg_count; k++)
        if (atx_tokens_is(&d->code, i, d->args[k].arg.name))
            return true;
    return false;
}

/* n of "i < p.n" or "p.n <= i": a size of the problem. Everything has an x. */
static bool is_bound(const atx_draft *d, const char *name)
{
    static const char *const SIGNS[] = { "<", "<=", ">", ">=", NULL };
    const bool vector = name[0] && !name[1] && strchr("xyzw", name[0]);
    const atx_tokens *t = &d->code;
    for (size_t i = 2; i < t->count; i++) {
        if (!d->reached[i] || !atx_tokens_is(t, i, name) || !atx_guards_member(t, i) ||
            (vector && !is_argument(d, i - 2)))
            continue;
        const size_t sides[] = { atx_draft_base(t, i) - 1, i + 1 };
        for (int k = 0; k < 2; k++)
            if (sides[k] < t->count && atx_token_is_one_of(t->text, &t->items[sides[k]], SIGNS) &&
                t->items[sides[k]].pair == SIZE_MAX)
                return true;
    }
    return false;
}

static void add_size(atx_draft *d, atx_draft_field *f)
{
    char *const name = d->extra_name[d->extra_count];
    if (d->extra_count == ATX_DRAFT_EXTRA || f->count > 1 || !strchr("iu", f->type.dtype[0]) ||
        atx_struct_bytes_of(f->type.dtype) < 4 || !is_bound(d, f->name))
        return;
    atx_draft_free_name(name, d, f->name);
    snprintf(f->value, sizeof f->value, "%s", name);
    d->extra_count++;
}

/* "p.n = 4;" or "p = { 4, ... }" of the host, before the launch that passes p: what field `n` is given. */
static void find_given(const atx_draft *d, size_t variable, int n, atx_draft_field *f)
{
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, variable);
    f->given = (atx_span){ 0, 0 };
    for (size_t i = d->launch.at; i-- > 0 && name[0] && f->given.begin == f->given.end;) {
        if (!atx_tokens_is(t, i, name))
            continue;
        size_t at = i + 1 + atx_tokens_is(t, i + 1, "=");
        if (atx_tokens_is(t, i + 1, ".") && atx_tokens_is(t, i + 2, f->name) &&
            atx_tokens_is(t, i + 3, "=")) {
            f->given = (atx_span){ i + 4, atx_tokens_find(t, i + 4, t->count, ";") };
        } else if (atx_tokens_is(t, at, "{")) {
            const size_t end = atx_tokens_match(t, at++);
            for (int k = 0; k < n && at < end; k++)
                at = atx_code_comma(t, at, end) + 1;
            f->given = (atx_span){ at, at < end ? atx_code_comma(t, at, end) : at };
        }
    }
}

static bool is_same(const atx_tokens *t, atx_span a, atx_span b)
{
    bool same = a.begin < a.end && a.end - a.begin == b.end - b.begin;
    for (size_t i = 0; same && i < a.end - a.begin; i++)
        same = atx_code_same(t, a.begin + i, b.begin + i);
    return same;
}

/* A number; or the size that the host gives another field as well: { nx, ny, nx }. */
static void take_value(const atx_draft *d, const atx_draft_struct *s, atx_draft_field *f)
{
    long value = 0;
    if (f->given.begin < f->given.end && atx_draft_number(&value, d, &d->code, f->given))
        snprintf(f->value, sizeof f->value, "%ld", value);
    for (int i = 0; i < s->field_count && !f->value[0] && f->count == 1 && strchr("iu", f->type.dtype[0]);
         i++)
        if (s->fields[i].value[0] && is_same(&d->code, s->fields[i].given, f->given))
            snprintf(f->value, sizeof f->value, "%s", s->fields[i].value);
}

static at_status add_buffers(atx_draft *d, atx_draft_struct *s)
{
    at_status status = AT_OK;
    s->by_value = true;
    for (int i = 0; s->listed && i < s->field_count && status == AT_OK; i++) {
        atx_draft_field *f = &s->fields[i];
        if (f->structure)
            status = add_buffers(d, &d->structs[f->structure - 1]);
        else if (f->pointer && f->buffer < 0)
            status = add_buffer(d, f);
        else if (!f->pointer && !f->value[0])
            add_size(d, f);
    }
    return status;
}

static at_status take_by_value(atx_draft *d, int arg)
{
    atx_draft_struct *s = &d->structs[d->args[arg].structure - 1];
    if (s->sized && s->bytes > ATX_MAX_STRUCT_BYTES)
        return atx_fail(
            d->err, AT_ERR_INPUT,
            "%s: found the argument '%s' of %s, a struct of %ld bytes; expected at most %d by value: "
            "pass a pointer to it",
            atx_draft_place(d, &d->code.items[d->args[arg].token]).text, d->args[arg].name, d->kernel,
            s->bytes, ATX_MAX_STRUCT_BYTES);
    at_status status = add_buffers(d, s);
    const bool named =
        d->launched && arg < d->launch.arg_count && d->launch.args[arg][1] == d->launch.args[arg][0] + 1;
    for (int i = 0; named && s->listed && i < s->field_count; i++)
        if (!s->fields[i].pointer && !s->fields[i].structure)
            find_given(d, d->launch.args[arg][0], i, &s->fields[i]);
    for (int i = 0; named && s->listed && i < s->field_count; i++)
        if (!s->fields[i].pointer && !s->fields[i].structure && !s->fields[i].value[0])
            take_value(d, s, &s->fields[i]);
    return status;
}

static at_status refuse_pointers(const atx_draft *d, const atx_draft_arg *a)
{
    const atx_draft_struct *s = &d->structs[a->structure - 1];
    return atx_fail(
        d->err, AT_ERR_INPUT,
        "%s: found the buffer '%s' of %s, of structs '%s' that have pointers; expected a buffer of "
        "data: keep offsets into another one in place of pointers",
        atx_draft_place(d, &d->code.items[a->field ? d->kernel_text.name : a->token]).text, a->name,
        d->kernel, s->name);
}

static at_status refuse_large(const atx_draft *d, const atx_draft_arg *a)
{
    const atx_draft_struct *s = &d->structs[a->structure - 1];
    return atx_fail(
        d->err, AT_ERR_INPUT,
        "%s: found the buffer '%s' of %s, of structs '%s' of %ld bytes each; expected at most %d: pass the "
        "arrays that it has as buffers of their own",
        atx_draft_place(d, &d->code.items[a->field ? d->kernel_text.name : a->token]).text, a->name,
        d->kernel, s->name, s->bytes, ATX_MAX_STRUCT_BYTES);
}

/* Types with more than a name that say nothing of themselves: View<float>. */
static bool is_unknown_struct(const atx_draft *d, const atx_draft_arg *a)
{
    const atx_tokens *t = &d->code;
    for (size_t i = a->span.begin; i < a->token && !a->stars; i++)
        if (atx_tokens_is(t, i, "<"))
            return !a->type.dtype && a->type.targ < 0;
    return false;
}

/* Of an argument that is one, and for which there is no room left. */
static at_status refuse_more(const atx_draft *d, const atx_draft_arg *a)
{
    return atx_fail(
        d->err, AT_ERR_INPUT,
        "%s: found the argument '%s' of %s, behind structs and tensors of %d kinds; expected fewer: "
        "pass pointers and numbers",
        atx_draft_place(d, &d->code.items[a->token]).text, a->name, d->kernel, ATX_DRAFT_STRUCTS);
}

at_status atx_draft_structs(atx_draft *d)
{
    at_status status = AT_OK;
    const int count = d->arg_count;
    for (int i = 0; i < d->arg_count && status == AT_OK; i++) {
        atx_draft_arg *a = &d->args[i];
        const bool vector = !a->stars && a->type.lanes > 1;
        if (i < count && !a->stars && (a->structure = atx_draft_tensor(d, i)) != 0)
            continue;
        if (a->type.structure || vector || (i < count && is_unknown_struct(d, a)))
            a->structure = read_struct(d, &a->type, NULL, 0);
        if (a->structure && !a->stars)
            status = take_by_value(d, i);
        else if (a->structure && d->structs[a->structure - 1].pointers)
            status = refuse_pointers(d, a);
        else if (a->structure && d->structs[a->structure - 1].sized &&
                 d->structs[a->structure - 1].bytes > ATX_MAX_STRUCT_BYTES)
            status = refuse_large(d, a);
        else if (i < count && !a->structure && d->struct_count == ATX_DRAFT_STRUCTS &&
                 (a->type.structure || (!a->stars && !a->type.dtype && a->type.targ < 0)))
            status = refuse_more(d, a);
    }
    for (int i = count; i < d->arg_count; i++) /* as large as all sizes make them */
        for (int k = 0; k < d->extra_count; k++)
            d->args[i].dims |= (uint64_t)1 << (63 - k);
    return status;
}

/* ---- what others ask ---- */

const atx_draft_field *atx_draft_find_field(const atx_draft *d, const atx_tokens *t, size_t i)
{
    char name[ATX_MAX_WORD];
    if (!atx_tokens_is_word(t, i) || atx_guards_member(t, i) ||
        !(atx_tokens_is(t, i + 1, ".") || atx_tokens_is(t, i + 1, "->")))
        return NULL;
    atx_draft_word(name, t, i);
    for (int k = 0; k < d->arg_count && name[0]; k++) {
        const atx_draft_arg *a = &d->args[k];
        if (!a->structure || a->stars || strcmp(a->arg.name, name) != 0)
            continue;
        const atx_draft_struct *s = &d->structs[a->structure - 1];
        for (int f = 0; f < s->field_count; f++)
            if (atx_tokens_is(t, i + 2, s->fields[f].name))
                return &s->fields[f];
    }
    return NULL;
}
