/* adopt_struct_layout.c - how many bytes the fields of a struct take, and where they begin: CUDA's layout,
 * vectors, alignments that the file asks for. */
#include "exchange/adopt_struct_internal.h"

#include <stdio.h>
#include <string.h>

long atx_struct_next_multiple(long at, long of)
{
    return of > 1 ? (at + of - 1) / of * of : at;
}

void atx_struct_place(atx_draft_struct *s, long bytes, long align, bool is_union)
{
    s->align = align > s->align ? align : s->align;
    if (is_union)
        s->bytes = bytes > s->bytes ? bytes : s->bytes;
    else
        s->bytes = atx_struct_next_multiple(s->bytes, align) + bytes;
}

int atx_struct_bytes_of(const char *dtype)
{
    atx_dtype type;
    at_error ignored;
    return dtype && atx_dtype_parse(&type, dtype, strlen(dtype), &ignored) == AT_OK ? atx_dtype_bytes(type)
                                                                                    : 0;
}

/* float4 begins at a multiple of 16 bytes, float3 at one of 4. */
long atx_draft_vector_align(const atx_draft_type *type)
{
    const long each = atx_struct_bytes_of(type->dtype), all = each * type->lanes;
    return type->lanes == 2 || type->lanes == 4 ? all > 16 ? 16 : all : each;
}

void atx_struct_read_vector(atx_draft_struct *s, const atx_draft_type *type)
{
    memcpy(s->vector, type->name, sizeof s->vector);
    for (int i = 0; i < type->lanes; i++) {
        atx_draft_field *f = &s->fields[s->field_count++];
        *f = (atx_draft_field){ .type = { .dtype = type->dtype, .lanes = 1, .targ = -1 },
                                .count = 1,
                                .buffer = -1 };
        snprintf(f->name, sizeof f->name, "%c", "xyzw"[i]);
    }
    s->align = atx_draft_vector_align(type);
    s->asked = s->align > atx_struct_bytes_of(type->dtype) ? s->align : 0;
    s->bytes = (long)atx_struct_bytes_of(type->dtype) * type->lanes;
}

void atx_struct_read_alignment(const atx_draft *d, atx_draft_struct *s)
{
    static const char *const WORDS[] = { "__align__", "alignas", "__builtin_align__", NULL };
    const atx_tokens *t = &d->code;
    for (size_t i = s->body; i > 0 && !atx_tokens_is(t, i - 1, ";") && !atx_tokens_is(t, i - 1, "}"); i--) {
        long align = 0;
        if (atx_tokens_is(t, i - 1, "__attribute__"))
            s->listed = s->sized = false;
        if (!atx_token_is_one_of(t->text, &t->items[i - 1], WORDS) || !atx_tokens_is(t, i, "("))
            continue;
        if (!atx_draft_number(&align, d, t, (atx_span){ i + 1, atx_tokens_match(t, i) }) || align < 1 ||
            (align & (align - 1)) != 0)
            s->listed = s->sized = false;
        else
            s->asked = align;
        s->align = align > s->align ? align : s->align;
    }
}
