/* adopt_guards_clamp.c - see adopt_guards.h. What a name is by conditions of others: behind the statement
 * that changes it, "if (x >= n) x = n - 1;", and where a sum of it is compared, "int k = x + m; if (k < n)".
 */
#include "exchange/adopt_guards.h"

/* The bracket of the condition that decides whether the statement at token i runs; 0: there is none. */
static size_t condition_of(const atx_tokens *t, size_t begin, size_t i)
{
    static const char *const HEADS[] = { "if", "while", NULL };
    size_t at = i;
    if (!atx_tokens_is(t, at - 1, ")")) {
        at = atx_guards_around(t, begin, i);
        if (at == SIZE_MAX || !atx_tokens_is(t, at, "{"))
            return 0;
    }
    const size_t open = at > begin && atx_tokens_is(t, at - 1, ")") ? t->items[at - 1].pair : 0;
    return open > begin && open < at && atx_token_is_one_of(t->text, &t->items[open - 1], HEADS) ? open : 0;
}

/* "x >= n" or "n <= x" between tokens begin and end, of the name at token i. */
static bool read_part(atx_clamp *out, const atx_tokens *t, size_t i, size_t begin, size_t end)
{
    static const char *const MORE[] = { ">", ">=", NULL }, *const LESS[] = { "<", "<=", NULL };
    while (atx_tokens_is(t, begin, "(") && atx_tokens_match(t, begin) + 1 == end) {
        begin++;
        end--;
    }
    const bool first = end > begin + 2 && atx_code_same(t, begin, i);
    const size_t sign = first ? begin + 1 : end - 2;
    if (end < begin + 3 || (!first && !atx_code_same(t, end - 1, i)))
        return false;
    const bool more = atx_token_is_one_of(t->text, &t->items[sign], first ? MORE : LESS);
    const bool less = atx_token_is_one_of(t->text, &t->items[sign], first ? LESS : MORE);
    out->than = first ? (atx_span){ sign + 1, end } : (atx_span){ begin, sign };
    out->above = more;
    out->equal = atx_tokens_is(t, sign, "==");
    out->inclusive = atx_tokens_is(t, sign, ">=") || atx_tokens_is(t, sign, "<=");
    return more || less || out->equal;
}

bool atx_guards_clamp(atx_clamp *out, const atx_tokens *t, size_t begin, size_t i)
{
    const size_t open = i > begin ? condition_of(t, begin, i) : 0;
    const size_t close = open ? atx_tokens_match(t, open) : 0;
    if (!open || atx_tokens_find(t, open + 1, close, "&&") < close)
        return false;
    *out = (atx_clamp){ .head = open - 1 };
    for (size_t at = open + 1; at < close;) {
        const size_t stop = atx_tokens_find(t, at, close, "||");
        if (read_part(out, t, i, at, stop))
            return true;
        at = stop + 1;
    }
    return false;
}

/* What is added to the name at token x in "int k = x + rest" of the name at token k. false: it is no such. */
static bool read_sum(atx_span *rest, const atx_tokens *t, size_t k, size_t x)
{
    const size_t stop = atx_tokens_find(t, k, t->count, ";"), end = atx_code_comma(t, k + 2, stop);
    if (!atx_tokens_is(t, k + 1, "=") || end < k + 5)
        return false;
    if (atx_code_same(t, k + 2, x) && atx_tokens_is(t, k + 3, "+")) {
        *rest = (atx_span){ k + 4, end };
        return true;
    }
    *rest = (atx_span){ k + 2, end - 2 };
    return atx_code_same(t, end - 1, x) && atx_tokens_is(t, end - 2, "+");
}

bool atx_guards_sum(atx_guard_sum *out, const atx_guards *g, const atx_tokens *t, size_t begin, size_t x,
                    size_t at)
{
    for (int i = 0; g && i < g->count; i++) {
        const atx_guard *one = &g->items[i];
        char name[ATX_MAX_WORD];
        if (at < one->holds.begin || at >= one->holds.end || one->less.end != one->less.begin + 1)
            continue;
        atx_draft_word(name, t, one->less.begin);
        const size_t k = name[0] ? atx_guards_declaration(t, begin, name, at) : SIZE_MAX;
        if (k == SIZE_MAX || k <= x || !read_sum(&out->rest, t, k, x) || atx_guards_given(t, x, x + 1, at) ||
            atx_guards_given(t, k, k + 1, at))
            continue;
        out->than = one->than;
        out->inclusive = one->inclusive;
        return true;
    }
    return false;
}
