/* adopt_namespace.c - the namespaces that are open at a place: by the braces before it, and by macros that
 * open and close some (NS_BEGIN, NS_END). */
#include "exchange/adopt_draft.h"

enum { MOST_OPEN = 16, MOST_DEPTH = 3 };

/* How long the text was before each namespace that a macro opened. */
typedef struct opened {
    size_t lengths[MOST_OPEN];
    int count;
} opened;

/* Adds "name::" of what follows the word `namespace`: `unnamed` without a name; a::b is two. A macro of one
 * word stands for that. */
static void add_namespace(atx_str *out, const atx_draft *d, const atx_tokens *t, size_t i,
                          const char *unnamed)
{
    const size_t before = out->len;
    for (; atx_tokens_is_word(t, i) || atx_tokens_is(t, i, "::"); i++) {
        char name[ATX_MAX_WORD];
        atx_draft_word(name, t, i);
        const atx_draft_macro *m = atx_tokens_is_word(t, i) ? atx_draft_find_macro(d, name) : NULL;
        const bool one = m && !m->open && m->body.end == m->body.begin + 1;
        const atx_token *word = one ? &d->all.items[m->body.begin] : &t->items[i];
        atx_str_add_bytes(out, (one ? d->all.text : t->text) + word->begin, word->end - word->begin);
    }
    if (out->len > before)
        atx_str_add(out, "::");
    else if (atx_tokens_is(t, i - 1, "namespace"))
        atx_str_add(out, unnamed);
}

/* A macro whose text opens namespaces, or closes what such a one opened; macros in it, too. */
static void pass_macro(atx_str *out, opened *o, const atx_draft *d, const atx_tokens *t, size_t word,
                       int depth)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, word);
    const atx_draft_macro *m = name[0] ? atx_draft_find_macro(d, name) : NULL;
    size_t pending = 0;
    for (size_t i = m && !m->open ? m->body.begin : 0; m && !m->open && i < m->body.end; i++) {
        if (atx_tokens_is(&d->all, i, "namespace"))
            pending = i + 1;
        else if (atx_tokens_is_word(&d->all, i) && !pending && depth < MOST_DEPTH)
            pass_macro(out, o, d, &d->all, i, depth + 1);
        if (atx_tokens_is(&d->all, i, "{") && pending && o->count < MOST_OPEN) {
            o->lengths[o->count++] = out->len;
            add_namespace(out, d, &d->all, pending, "");
            pending = 0;
        } else if (atx_tokens_is(&d->all, i, "}") && o->count && o->lengths[o->count - 1] <= out->len) {
            out->len = o->lengths[--o->count];
            if (out->data)
                out->data[out->len] = '\0';
        }
    }
}

/* Whether a struct of another file seems to be open: one in whose code macros have the braces. */
static bool has_open_struct(const atx_draft *d, size_t end)
{
    const atx_tokens *t = &d->code;
    size_t pending = 0;
    for (size_t i = 0; i < end; i++) {
        if (atx_tokens_is(t, i, "{") && atx_tokens_match(t, i) < end)
            i = atx_tokens_match(t, i);
        else if (atx_tokens_is(t, i, "{") && pending && !atx_draft_same_part(d, i, end))
            return true;
        if (atx_tokens_is(t, i, "struct"))
            pending = i;
        else if (atx_tokens_is(t, i, "{") || atx_tokens_is(t, i, "}") || atx_tokens_is(t, i, ";"))
            pending = 0;
    }
    return false;
}

void atx_draft_namespaces(atx_str *out, const atx_draft *d, size_t end, const char *unnamed)
{
    const atx_tokens *t = &d->code;
    const bool others = has_open_struct(d, end); /* then only the braces of this file count */
    size_t pending = 0;                          /* behind `namespace` or `struct`; 0: none */
    bool begins = true;                          /* a declaration */
    opened o = { .count = 0 };
    for (size_t i = 0; i < end; i++) {
        if (begins && atx_tokens_is_word(t, i))
            pass_macro(out, &o, d, t, i, 0);
        if (atx_tokens_is(t, i, "namespace") || atx_tokens_is(t, i, "struct"))
            pending = i + 1;
        if (atx_tokens_is(t, i, "{") && atx_tokens_match(t, i) < end)
            i = atx_tokens_match(t, i);
        else if (atx_tokens_is(t, i, "{") && pending && (!others || atx_draft_same_part(d, i, end)))
            add_namespace(out, d, t, pending, unnamed);
        begins = atx_tokens_is(t, i, "{") || atx_tokens_is(t, i, "}") || atx_tokens_is(t, i, ";") ||
                 (begins && atx_tokens_is_word(t, i) && !pending);
        if (atx_tokens_is(t, i, "{") || atx_tokens_is(t, i, "}") || atx_tokens_is(t, i, ";"))
            pending = 0;
    }
    size_t name = end; /* void a::b::k( */
    while (atx_tokens_is(t, end, "(") && name > 2 && atx_tokens_is(t, name - 2, "::") &&
           atx_tokens_is_word(t, name - 3))
        name -= 2;
    for (; name < end; name += 2)
        atx_str_addf(out, "%.*s::", (int)(t->items[name - 1].end - t->items[name - 1].begin),
                     t->text + t->items[name - 1].begin);
}
