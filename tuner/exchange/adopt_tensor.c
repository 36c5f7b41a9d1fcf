/* adopt_tensor.c - tensors that kernels of PyTorch's extensions take by value: see adopt_struct_internal.h.
 * Their layout is that of PyTorch's accessors, which templates/host/torch.cuh has as well. */
#include "exchange/adopt_struct_internal.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DIMS = 8 };

static const char EXTENT[] = "extent";

/* typedef PackedTensorAccessor32<float, 2> NAME; using NAME = ...: the tokens of that. */
static atx_span aliased(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = 0; i + 2 < t->count && name[0]; i++) {
        const bool alias =
            atx_tokens_is(t, i, "using") && atx_tokens_is(t, i + 1, name) && atx_tokens_is(t, i + 2, "=");
        if (!alias && !atx_tokens_is(t, i, "typedef"))
            continue;
        const size_t end = atx_tokens_find(t, i, t->count, ";");
        if (alias || (end < t->count && atx_tokens_is(t, end - 1, name)))
            return (atx_span){ i, end };
    }
    return (atx_span){ 0, 0 };
}

/* The '<' of its template's arguments; 0: it is no tensor. */
static size_t find_list_in(const atx_draft *d, atx_span span)
{
    static const char *const NAMES[] = { "PackedTensorAccessor", "PackedTensorAccessor32",
                                         "PackedTensorAccessor64", "GenericPackedTensorAccessor", NULL };
    const atx_tokens *t = &d->code;
    for (size_t i = span.begin; i + 1 < span.end; i++)
        if (atx_token_is_one_of(t->text, &t->items[i], NAMES) && atx_tokens_is(t, i + 1, "<") &&
            atx_tokens_match(t, i + 1) < span.end)
            return i + 1;
    return 0;
}

static size_t find_list(const atx_draft *d, const atx_draft_arg *a)
{
    const size_t list = find_list_in(d, (atx_span){ a->span.begin, a->token });
    return list || a->type.dtype || a->type.structure ? list : find_list_in(d, aliased(d, a->type.name));
}

static atx_span nth(const atx_tokens *t, size_t list, int n)
{
    const size_t end = atx_tokens_match(t, list);
    size_t at = list + 1;
    for (; n > 0 && at < end; n--)
        at = atx_code_comma(t, at, end) + 1;
    return at < end ? (atx_span){ at, atx_code_comma(t, at, end) } : (atx_span){ 0, 0 };
}

/* The type of its sizes and strides. */
static const char *index_type(const atx_draft *d, size_t list)
{
    const atx_tokens *t = &d->code;
    const atx_span given = nth(t, list, 3);
    for (size_t i = given.begin; i < given.end; i++)
        if (atx_tokens_is(t, i, "int32_t") || atx_tokens_is(t, i, "int"))
            return "i32";
    return atx_tokens_is(t, list - 1, "PackedTensorAccessor32") ? "i32" : "i64";
}

/* The size of the problem that all tensors have. */
static const char *extent(atx_draft *d)
{
    int k = 0;
    while (k < d->extra_count && !d->extra_extent[k])
        k++;
    if (k == ATX_DRAFT_EXTRA)
        return "64";
    if (k == d->extra_count) {
        atx_draft_free_name(d->extra_name[k], d, EXTENT);
        d->extra_extent[k] = true;
        d->extra_count++;
    }
    return d->extra_name[k];
}

/* "n * n" of `count` sizes; "1" of none. */
static void product(char out[ATX_DRAFT_EXPR], const char *size, long count)
{
    size_t n = (size_t)snprintf(out, ATX_DRAFT_EXPR, "%s", count ? size : "1");
    for (long i = 1; i < count && n + ATX_MAX_WORD + 4 < ATX_DRAFT_EXPR; i++)
        n += (size_t)snprintf(out + n, ATX_DRAFT_EXPR - n, " * %s", size);
}

static int add_data(atx_draft *d, int arg, atx_draft_field *f, long dims)
{
    char name[2 * ATX_MAX_WORD];
    atx_draft_arg *a = &d->args[d->arg_count];
    *a = (atx_draft_arg){ .type = f->type, .stars = 1, .field = true };
    a->arg = (atx_kernel_arg){ .text = f->name, .len = strlen(f->name), .pointer = true };
    atx_draft_role_of(a, d, &(atx_draft_named){ d->args[arg].arg.name, dims, false });
    a->read = a->read || !a->written;
    a->zeroed = !a->read; /* whether all of it is written is unknown */
    snprintf(name, sizeof name, "%.40s_data", d->args[arg].name);
    atx_draft_free_name(a->name, d, name);
    product(a->size, extent(d), dims);
    if (f->type.dtype && !atx_draft_is_real(f->type.dtype) && strcmp(f->type.dtype, "bool") != 0)
        snprintf(a->holds, sizeof a->holds, "index %s", extent(d)); /* they may choose elements of another */
    return d->arg_count++;
}

static void add_index(atx_draft_struct *s, const char *what, long at, const char *type)
{
    atx_draft_field *f = &s->fields[s->field_count++];
    *f = (atx_draft_field){ .type = { .dtype = type, .lanes = 1, .targ = -1 }, .count = 1, .buffer = -1 };
    snprintf(f->name, sizeof f->name, "%s%ld", what, at);
}

int atx_draft_tensor(atx_draft *d, int arg)
{
    const size_t list = find_list(d, &d->args[arg]);
    atx_draft_struct *s = &d->structs[d->struct_count];
    long dims = 0;
    if (!list || d->struct_count == ATX_DRAFT_STRUCTS || d->arg_count == ATX_MAX_ARGS ||
        !atx_draft_number(&dims, d, &d->code, nth(&d->code, list, 1)) || dims < 1 || dims > MOST_DIMS)
        return 0;
    const char *type = index_type(d, list);
    *s = (atx_draft_struct){ .list = list, .align = 8, .listed = true, .sized = true, .pointers = true };
    s->by_value = true;
    s->bytes = 8 + 2 * dims * (strcmp(type, "i32") == 0 ? 4 : 8);
    snprintf(d->args[arg].type.name, sizeof d->args[arg].type.name, "Tensor%ld", dims);
    atx_draft_free_name(s->name, d, d->args[arg].type.name);
    atx_draft_field *data = &s->fields[s->field_count++];
    *data = (atx_draft_field){ .name = "data", .pointer = true, .count = 1 };
    const atx_span element = nth(&d->code, list, 0);
    atx_draft_type_of(&data->type, d, element.begin, element.end);
    if (!data->type.dtype)
        data->type.dtype =
            data->type.targ >= 0 && d->targs[data->type.targ].dtype ? d->targs[data->type.targ].dtype : "f32";
    data->buffer = add_data(d, arg, data, dims);
    for (long i = 0; i < dims; i++) {
        add_index(s, "size", i, type);
        snprintf(s->fields[s->field_count - 1].value, ATX_DRAFT_EXPR, "%s", extent(d));
    }
    for (long i = 0; i < dims; i++) {
        add_index(s, "stride", i, type);
        product(s->fields[s->field_count - 1].value, extent(d), dims - 1 - i);
    }
    return ++d->struct_count;
}
