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

/* Whether an index is a thread's place alone. */
static bool is_thread(const atx_tokens *t, atx_span index)
{
    return index.end == index.begin + 3 && atx_tokens_is(t, index.begin, "threadIdx");
}

/* What a branch for some parameters alone reads, if (BLOCK >= 512) s[tid + 256], says nothing: either the
 * room is a number, or the index a thread's place. */
static void limit(atx_draft *d, atx_sizing *z, const atx_poly *all, atx_span index)
{
    const atx_poly one = atx_poly_number(1);
    const atx_range value = atx_bounds_of(&z->bounds, &z->frame, index);
    const atx_poly most = atx_poly_add(&value.most, &one, 1);
    const atx_poly author = atx_poly_replace(&z->bounds.symbols, &most, as_author, z);
    const atx_poly largest = atx_poly_replace(&z->bounds.symbols, &most, as_largest, z);
    const atx_poly room = atx_poly_replace(&z->bounds.symbols, all, as_author, z);
    long had, has, elements;
    if (!value.known || most.bad || all->bad || atx_poly_within(&most, all) ||
        !atx_poly_is_number(&had, &author) || !atx_poly_is_number(&elements, &room) || had > elements ||
        !atx_poly_is_number(&has, &largest) ||
        (atx_poly_is_number(&elements, all) ? has <= elements || atx_poly_is_number(&has, &most)
                                            : !is_thread(z->frame.t, index)))
        return;
    atx_str text = { 0 };
    atx_poly_write(&text, &z->bounds.symbols, &most);
    atx_str_add(&text, " <= ");
    atx_poly_write(&text, &z->bounds.symbols, all);
    if (!text.failed && !strchr(text.data, '.'))
        atx_draft_add_rule(d, text.data, "a shared array has no more");
    atx_str_clear(&text);
}

/* Each index behind token i of an array whose first bracket is there. */
static void limit_array(atx_draft *d, atx_sizing *z, size_t i)
{
    const atx_tokens *t = z->frame.t;
    const bool one = !atx_tokens_is(t, atx_tokens_match(t, i) + 1, "[");
    for (size_t at = atx_tokens_match(t, i); at < z->frame.body.end; at++) {
        size_t size = i, index = at + 1;
        for (; atx_code_same(t, at, i - 1) && !atx_guards_member(t, at) && atx_tokens_is(t, size, "[") &&
               atx_tokens_is(t, index, "[");
             size = atx_tokens_match(t, size) + 1, index = atx_tokens_match(t, index) + 1) {
            const atx_span within = { index + 1, atx_tokens_match(t, index) };
            const atx_range n =
                atx_bounds_value(&z->bounds, &z->frame, (atx_span){ size + 1, atx_tokens_match(t, size) });
            if (n.exact && (one || is_thread(t, within)))
                limit(d, z, &n.most, within);
        }
    }
}

void atx_draft_read_shared_limits(atx_draft *d, atx_sizing *z)
{
    const atx_tokens *t = z->frame.t;
    for (size_t i = z->frame.body.begin; i < z->frame.body.end; i++) {
        const size_t end = atx_tokens_find(t, i, z->frame.body.end, ";");
        const size_t open = atx_tokens_is(t, i, "__shared__") ? atx_tokens_find(t, i, end, "[") : end;
        if (open < end)
            limit_array(d, z, open);
    }
}
