/* adopt_struct_template.c - what the names in a struct's template stand for, where an argument is an instance
 * of it. */
#include "exchange/adopt_struct_internal.h"

/* What stands for a name; count: it is none of the template's. */
atx_span atx_struct_binding_find(const atx_struct_binding *b, const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    const size_t end = b ? atx_tokens_match(t, b->params) : 0,
                 args_end = b ? atx_tokens_match(t, b->args) : 0;
    size_t arg = b ? b->args + 1 : 0;
    for (size_t at = b ? b->params + 1 : 0, comma; at < end; at = comma + 1) {
        comma = atx_code_comma(t, at, end);
        const size_t equal = atx_tokens_find(t, at, comma, "=");
        const size_t arg_end = arg < args_end ? atx_code_comma(t, arg, args_end) : arg;
        if (equal > at && atx_tokens_is(t, equal - 1, name))
            return arg < arg_end ? (atx_span){ arg, arg_end } : (atx_span){ equal + 1, comma };
        arg = arg_end + (arg < args_end);
    }
    return (atx_span){ t->count, t->count };
}

void atx_struct_binding_type(atx_draft_type *out, const atx_draft *d, const atx_struct_binding *b,
                             atx_span span)
{
    atx_draft_type_of(out, d, span.begin, span.end);
    const atx_span bound =
        out->name[0] ? atx_struct_binding_find(b, d, out->name) : (atx_span){ d->code.count, 0 };
    if (bound.begin < bound.end)
        atx_struct_binding_type(out, d, b->outer, bound);
}

bool atx_struct_binding_number(long *out, const atx_draft *d, const atx_struct_binding *b, atx_span span)
{
    char name[ATX_MAX_WORD] = "";
    if (span.end == span.begin + 1)
        atx_draft_word(name, &d->code, span.begin);
    const atx_span bound = name[0] ? atx_struct_binding_find(b, d, name) : (atx_span){ d->code.count, 0 };
    return bound.begin < bound.end ? atx_struct_binding_number(out, d, b->outer, bound)
                                   : atx_draft_number(out, d, &d->code, span);
}

/* The '<' of the template that a struct with this '{' is of; 0: none. */
size_t atx_struct_binding_params(const atx_tokens *t, size_t body)
{
    size_t i = body, found = 0;
    while (i > 0 && !atx_tokens_is(t, i - 1, ";") && !atx_tokens_is(t, i - 1, "}") &&
           !atx_tokens_is(t, i - 1, "{"))
        i--;
    for (; i < body; i++)
        if (atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<"))
            found = i + 1;
    return found;
}
