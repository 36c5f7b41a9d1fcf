/* adopt_guards_pointer.c - pointers by the tokens around their names: which names are those of pointers, and
 * which pointers are kept where nobody follows them. */
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
