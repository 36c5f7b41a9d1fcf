/*
 * adopt_rules_shared.c - a block that a shared array of a number of elements has room for: of s[16], where
 * warp w writes s[w], (BLOCK - 1) / 32 + 1 <= 16. The author's block has room, or the index is not what it
 * seems.
 */
#include "exchange/adopt_guards.h"
#include "exchange/adopt_sizes.h"

#include <string.h>

static atx_poly as_author(void *context, int id)
{
    const atx_sizing *z = context;
    const atx_poly_entry *symbol = &z->bounds.symbols.items[id];
    long value = 1;
    return symbol->kind == ATX_SYMBOL_NAME && symbol->tag == ATX_TAG_PARAM &&
                   atx_draft_param_value(&value, z->bounds.d, symbol->name)
               ? atx_poly_number(value)
               : atx_poly_symbol(id);
}

static atx_poly as_largest(void *context, int id)
{
    const atx_sizing *z = context;
    const atx_poly_entry *symbol = &z->bounds.symbols.items[id];
    long value = 1;
    return symbol->kind == ATX_SYMBOL_NAME && symbol->tag == ATX_TAG_PARAM &&
                   atx_draft_param_value(&value, z->bounds.d, symbol->name)
               ? atx_poly_number(atx_draft_largest(z->bounds.d, symbol->name, value))
               : atx_poly_symbol(id);
}

static void limit(atx_draft *d, atx_sizing *z, const atx_poly *all, atx_span index)
{
    const atx_poly one = atx_poly_number(1);
    const atx_range value = atx_bounds_of(&z->bounds, &z->frame, index);
    const atx_poly most = atx_poly_add(&value.most, &one, 1);
    const atx_poly author = atx_poly_replace(&z->bounds.symbols, &most, as_author, z);
    const atx_poly largest = atx_poly_replace(&z->bounds.symbols, &most, as_largest, z);
    const atx_poly room = atx_poly_replace(&z->bounds.symbols, all, as_author, z);
    long had, has, elements;
    if (!value.known || most.bad || all->bad || !atx_poly_is_number(&had, &author) ||
        !atx_poly_is_number(&elements, &room) || had > elements ||
        !atx_poly_is_number(&has, &largest) || /* one of both is a number */
        (atx_poly_is_number(&elements, all) ? has <= elements : !atx_poly_is_number(&has, &most)))
        return;
    atx_str text = { 0 };
    atx_poly_write(&text, &z->bounds.symbols, &most);
    atx_str_add(&text, " <= ");
    atx_poly_write(&text, &z->bounds.symbols, all);
    if (!text.failed && !strchr(text.data, '.'))
        atx_draft_add_rule(d, text.data, "a shared array has no more");
    atx_str_clear(&text);
}

void atx_draft_read_shared_limits(atx_draft *d, atx_sizing *z)
{
    const atx_tokens *t = z->frame.t;
    for (size_t i = z->frame.body.begin; i < z->frame.body.end; i++) {
        const size_t end = atx_tokens_find(t, i, z->frame.body.end, ";");
        const size_t open = atx_tokens_is(t, i, "__shared__") ? atx_tokens_find(t, i, end, "[") : end;
        const size_t close = open < end ? atx_tokens_match(t, open) : end;
        if (close >= end || atx_tokens_is(t, close + 1, "["))
            continue;
        const atx_range n = atx_bounds_value(&z->bounds, &z->frame, (atx_span){ open + 1, close });
        if (!n.exact)
            continue;
        for (size_t at = end; at < z->frame.body.end; at++)
            if (atx_code_same(t, at, open - 1) && !atx_guards_member(t, at) && atx_tokens_is(t, at + 1, "["))
                limit(d, z, &n.most, (atx_span){ at + 2, atx_tokens_match(t, at + 1) });
    }
}
