/* directives.c - a question is a word anywhere in a directive, but for one that asks whether it is defined.
 */
#include "source/directives.h"

#include <string.h>

/* The next token: "name", <name>, which may be several ones, or a word. */
static void read_name(atx_directive *d, atx_lexer *l)
{
    atx_token first, t;
    *d = (atx_directive){ .name = NULL };
    if (!atx_lexer_next(&first, l))
        return;
    t = first;
    if (atx_token_is(l->text, &first, "<")) /* of a #define, where it is no token */
        while (!atx_token_is(l->text, &t, ">") && atx_lexer_next(&t, l) && t.directive)
            ;
    const char *name = l->text + first.begin, *close = l->text + t.end - 1;
    const bool closed = close > name && ((*name == '"' && *close == '"') || (*name == '<' && *close == '>'));
    d->macro = first.kind == ATX_TOKEN_WORD ? name : NULL;
    d->macro_len = d->macro ? first.end - first.begin : 0;
    d->name = closed ? name + 1 : NULL;
    d->len = closed ? (size_t)(close - d->name) : 0;
    d->quoted = closed && *name == '"';
}

static bool is_asked_for(const atx_lexer *l, const atx_token *before, const atx_token *last)
{
    static const char *const WORDS[] = { "defined", "ifdef", "ifndef", "elifdef", "elifndef", NULL };
    return atx_token_is_one_of(l->text, last, WORDS) ||
           (atx_token_is(l->text, last, "(") && atx_token_is_one_of(l->text, before, WORDS));
}

bool atx_directive_next(atx_directive *out, atx_lexer *l)
{
    static const char *const FILES[] = { "include", "include_next", "import", "embed", NULL },
                             *const QUESTIONS[] = { "__has_include", "__has_include_next", "__has_embed",
                                                    NULL };
    atx_token before = { 0 }, last = { 0 };
    for (atx_token t; atx_lexer_next(&t, l); before = last, last = t) {
        if (l->words == 1 && atx_token_is_one_of(l->text, &t, FILES)) {
            read_name(out, l);
            return true;
        }
        if (!atx_token_is_one_of(l->text, &t, QUESTIONS) || is_asked_for(l, &before, &last))
            continue;
        *out = (atx_directive){ .name = NULL };
        if (atx_lexer_next(&t, l) && atx_token_is(l->text, &t, "("))
            read_name(out, l);
        return true;
    }
    return false;
}

bool atx_directive_defines(atx_directive *out, atx_lexer l, const char *macro, size_t macro_len)
{
    atx_token t;
    if (!atx_lexer_next(&t, &l) || !atx_token_is(l.text, &t, "define") || !atx_lexer_next(&t, &l) ||
        t.end - t.begin != macro_len || memcmp(l.text + t.begin, macro, macro_len) != 0)
        return false;
    read_name(out, &l);
    return out->name != NULL;
}
