/*
 * adopt_instance.c - what an argument of the kernel's template is where its launch names a parameter of the
 * function around it: template <int N> void run(...) { k<N><<<...>>>(...); } is followed to where the file
 * names an instance, run<4>, through several such functions.
 */
#include "exchange/adopt_draft.h"

#include <string.h>

enum { MOST_DEPTH = 8 };

/* The innermost function whose body has the token, and begins before `before`. */
static const atx_draft_function *function_around(const atx_draft *d, size_t at, size_t before)
{
    const atx_draft_function *found = NULL;
    for (size_t i = 0; i < d->function_count; i++) {
        const atx_draft_function *f = &d->functions[i];
        if (f->body < at && at < f->end && f->body < before && (!found || f->body > found->body))
            found = f;
    }
    return found;
}

/* The '<' of a function's own template; 0: it is none. */
static size_t template_of(const atx_draft *d, const atx_draft_function *f)
{
    static const char *const ENDS[] = { ";", "{", "}", NULL };
    const atx_tokens *t = &d->code;
    size_t i = f->name, open = 0;
    while (i && !atx_token_is_one_of(t->text, &t->items[i - 1], ENDS))
        i--;
    for (; i < f->name; i++)
        if (atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<"))
            open = i + 1;
    return open && atx_tokens_match(t, open) < f->name ? open : 0;
}

/* Argument `n` of a list; empty: it has fewer. */
static atx_span nth(const atx_tokens *t, size_t open, int n)
{
    const size_t end = atx_tokens_match(t, open);
    size_t at = open + 1;
    for (; n > 0 && at < end; n--)
        at = atx_code_comma(t, at, end) + 1;
    return at < end ? (atx_span){ at, atx_code_comma(t, at, end) } : (atx_span){ 0, 0 };
}

/* The name of a parameter: the last word, or that of a pointer to a function, void (*f)(int). */
static size_t parameter_name(const atx_tokens *t, size_t begin, size_t end)
{
    for (size_t i = begin; i + 2 < end; i++)
        if (atx_tokens_is(t, i, "(") && atx_tokens_is(t, i + 1, "*") && atx_tokens_is_word(t, i + 2))
            return i + 2;
    return end > begin ? end - 1 : begin;
}

/* Which parameter of the template a word is; -1: none. *preset: its default. */
static int parameter(atx_span *preset, const atx_draft *d, size_t open, size_t word)
{
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, word);
    for (int n = 0; name[0]; n++) {
        const atx_span one = nth(t, open, n);
        const size_t equal = atx_tokens_find(t, one.begin, one.end, "=");
        if (one.begin >= one.end)
            return -1;
        if (equal > one.begin && atx_tokens_is(t, parameter_name(t, one.begin, equal), name)) {
            *preset = equal < one.end ? (atx_span){ equal + 1, one.end } : (atx_span){ 0, 0 };
            return n;
        }
    }
    return -1;
}

/* Whether the name at token i is that of a function which is defined for one instance: template <> f<0>. */
static bool is_specialized(const atx_tokens *t, size_t i)
{
    static const char *const ENDS[] = { ";", "{", "}", NULL };
    while (i && !atx_token_is_one_of(t->text, &t->items[i - 1], ENDS))
        i--;
    return atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<") && atx_tokens_is(t, i + 2, ">");
}

static atx_span follow(const atx_draft *d, atx_span span, size_t at, int depth)
{
    const atx_tokens *t = &d->code;
    atx_span preset = { 0, 0 };
    char name[ATX_MAX_WORD];
    int n = -1;
    if (depth == MOST_DEPTH || span.end != span.begin + 1 || !atx_tokens_is_word(t, span.begin))
        return span;
    const atx_draft_function *f = function_around(d, at, at);
    while (f && n < 0) {
        const size_t open = template_of(d, f);
        n = open ? parameter(&preset, d, open, span.begin) : -1;
        f = n < 0 ? function_around(d, at, f->body) : f;
    }
    if (!f)
        return span;
    atx_draft_word(name, t, f->name);
    for (size_t i = 0; name[0] && i + 1 < t->count; i++) {
        if (!atx_tokens_is(t, i, name) || !atx_tokens_is(t, i + 1, "<") ||
            atx_tokens_match(t, i + 1) >= t->count)
            continue;
        const size_t open = atx_tokens_match(t, i + 1) + 1; /* template <> void run<0>(...) { }: no call */
        if (atx_tokens_is(t, open, "(") && atx_tokens_is(t, atx_tokens_match(t, open) + 1, "{"))
            continue;
        const atx_span given = nth(t, i + 1, n);
        if (given.begin < given.end && !(i > f->body && i < f->end) && !is_specialized(t, i))
            return follow(d, given, i, depth + 1);
    }
    return preset.begin < preset.end ? preset : span;
}

atx_span atx_draft_instance(const atx_draft *d, atx_span span, size_t at)
{
    return follow(d, span, at, 0);
}

bool atx_draft_next_mention(atx_span *list, const atx_draft *d, size_t *at)
{
    const atx_tokens *t = &d->code;
    while (*at + 1 < t->count) {
        const size_t i = (*at)++;
        if (!atx_tokens_is(t, i, d->kernel) || !atx_tokens_is(t, i + 1, "<") ||
            (i >= d->kernel_text.head && i <= d->body_end) || atx_tokens_match(t, i + 1) >= t->count)
            continue;
        *list = (atx_span){ i + 2, atx_tokens_match(t, i + 1) };
        return true;
    }
    return false;
}
