/* adopt_guards_lambda.c - lambdas of a kernel: where they are, and which of their parameters a name is. */
#include "exchange/adopt_guards.h"

/* auto NAME = [&](int a, int b) { ... }: the token of NAME, and the bracket of the parameters; `body`: the
 * brace. false: it is another brace. */
static bool is_lambda(size_t *name, size_t *params, const atx_tokens *t, size_t body)
{
    size_t close = body - 1;
    while (close && !atx_tokens_is(t, close, ")") && /* mutable, -> float */
           (atx_tokens_is_word(t, close) || atx_tokens_is(t, close, "->") || atx_tokens_is(t, close, "*")))
        close--;
    const size_t open = atx_tokens_is(t, close, ")") ? t->items[close].pair : 0;
    const size_t captures =
        open && open < close && atx_tokens_is(t, open - 1, "]") ? t->items[open - 1].pair : 0;
    if (!captures || captures >= open || !atx_tokens_is(t, captures - 1, "=") ||
        !atx_tokens_is_word(t, captures - 2))
        return false;
    *name = captures - 2;
    *params = open;
    return true;
}

/* Which parameter of a list the name is; -1: none. */
static int position(const atx_tokens *t, size_t params, const char *name)
{
    const size_t end = atx_tokens_match(t, params);
    int n = 0;
    for (size_t at = params + 1, comma; at < end; at = comma + 1, n++) {
        comma = atx_code_comma(t, at, end);
        if (atx_tokens_is(t, atx_tokens_find(t, at, comma, "=") - 1, name))
            return n;
    }
    return -1;
}

bool atx_guards_lambda(atx_lambda *out, const atx_tokens *t, size_t begin, const char *name, size_t at)
{
    size_t params;
    for (size_t open = atx_guards_around(t, begin, at); open != SIZE_MAX;
         open = atx_guards_around(t, begin, open)) {
        if (!atx_tokens_is(t, open, "{") || !is_lambda(&out->name, &params, t, open))
            continue;
        out->end = atx_tokens_match(t, open);
        out->param = position(t, params, name);
        if (out->param >= 0)
            return atx_guards_declaration(t, open + 1, name, at) == SIZE_MAX;
    }
    return false;
}
