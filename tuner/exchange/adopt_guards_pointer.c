/* adopt_guards_pointer.c - pointers by the tokens around their names: which names are those of pointers, and
 * which pointers are kept where nobody follows them; what guards all that is done with one. */
#include "exchange/adopt_guards.h"

bool atx_guards_points(const atx_tokens *t, size_t begin, size_t name)
{
    static const char *const QUALIFIERS[] = { "const", "__restrict__", "__restrict", "restrict", NULL };
    size_t i = name;
    while (i > begin && atx_token_is_one_of(t->text, &t->items[i - 1], QUALIFIERS))
        i--;
    const bool restricted = i < name && !(i + 1 == name && atx_tokens_is(t, i, "const"));
    return restricted || (i > begin && (atx_tokens_is(t, i - 1, "*") || atx_tokens_is(t, i - 1, "auto")));
}

/* Whether the name at token i is a pointer's: one of an argument, or declared as such; float4 v = p[i] is
 * not. */
static bool is_pointer(const atx_tokens *t, size_t begin, size_t i)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, i);
    const size_t declared = atx_guards_declaration(t, begin, name, i);
    return !atx_tokens_is(t, i + 1, ".") &&
           (declared == SIZE_MAX || (declared > begin && atx_guards_points(t, begin, declared)));
}

bool atx_guards_kept(const atx_tokens *t, size_t begin, size_t i)
{
    static const char *const CHANGES[] = { "=", "+=", "-=", "++", "--", ";", ".", "->", NULL };
    const size_t first = i - atx_tokens_is(t, i - 1, "&"), before = first - 1;
    if (before < begin || !is_pointer(t, begin, i))
        return false;
    if (atx_tokens_is(t, before, "return"))
        return true;
    if (atx_tokens_is(t, before, "="))
        return atx_tokens_is(t, before - 1, "]") ||
               (atx_tokens_is_word(t, before - 1) && atx_guards_member(t, before - 1));
    const size_t open = atx_guards_around(t, begin, i);
    return open != SIZE_MAX && atx_tokens_is(t, open, "{") &&
           (before == open || atx_tokens_is(t, before, ",")) &&
           !atx_token_is_one_of(t->text, &t->items[i + 1], CHANGES);
}

int atx_guards_uses(const atx_tokens *t, size_t name, atx_span in)
{
    int count = 0;
    for (size_t k = in.begin; k < in.end; k++)
        count += atx_code_same(t, name, k);
    return count;
}

/* Whether a name of a span may have another value at token `at` than at token `from`. */
static bool may_change(const atx_tokens *t, atx_span span, size_t from, size_t at)
{
    static const char *const CHANGES[] = { "=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                           "|=", "^=", "<<=", ">>=", "++", "--", NULL };
    static const char *const BEFORE[] = { "++", "--", "&", NULL };
    for (size_t k = span.begin; k < span.end; k++)
        for (size_t i = from; i < at && atx_tokens_is_word(t, k); i++)
            if (atx_code_same(t, k, i) && (atx_token_is_one_of(t->text, &t->items[i + 1], CHANGES) ||
                                           atx_token_is_one_of(t->text, &t->items[i - 1], BEFORE)))
                return true;
    return false;
}

/* How often what the name at token `name` points to is used in a span: NAME += n; moves it alone. */
static int accesses(const atx_tokens *t, size_t name, atx_span in)
{
    static const char *const BEFORE[] = { ";", "{", "}", NULL };
    int count = 0;
    for (size_t k = in.begin; k < in.end; k++)
        count += atx_code_same(t, name, k) &&
                 !(atx_tokens_is(t, k + 1, "+=") && atx_token_is_one_of(t->text, &t->items[k - 1], BEFORE));
    return count;
}

bool atx_guards_of_uses(atx_guards *out, const atx_guards *g, const atx_tokens *t, atx_span body, size_t i)
{
    const size_t end = atx_tokens_find(t, i, body.end, ";");
    size_t name = i;
    if (!atx_tokens_is(t, i + 1, "+="))
        while (name > body.begin && !atx_tokens_is(t, name, ";") && !atx_tokens_is(t, name + 1, "="))
            name--;
    const int uses = accesses(t, name, (atx_span){ i + 1, body.end });
    if (!uses || !atx_tokens_is_word(t, name) || atx_guards_loop(t, body.begin, i) != SIZE_MAX)
        return false;
    bool any = false;
    *out = *g;
    for (int k = 0; k < out->count; k++) {
        atx_guard *guard = &out->items[k];
        if (guard->holds.begin <= end || accesses(t, name, guard->holds) < uses ||
            may_change(t, guard->less, end, guard->holds.begin) ||
            may_change(t, guard->than, end, guard->holds.begin))
            continue;
        guard->holds.begin = i;
        any = true;
    }
    return any;
}
