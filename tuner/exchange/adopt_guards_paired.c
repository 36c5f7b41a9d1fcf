/*
 * adopt_guards_paired.c - sums that are no more than something simpler. b * s + r, where b = x / s and r = x
 * % s: it is x again, whatever s divides. Of such a sum b * s is taken for x - s + 1, so that with r it is no
 * more than x.
 */
#include "exchange/adopt_guards.h"

/* "NAME = X SIGN S" of the name at token i: the tokens of X and S, which are one each. */
static bool read_division(size_t *x, size_t *s, const atx_tokens *t, size_t begin, size_t i, const char *sign)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, i);
    const size_t declared = name[0] ? atx_guards_declaration(t, begin, name, i) : SIZE_MAX;
    if (declared == SIZE_MAX || !atx_tokens_is(t, declared + 1, "=") ||
        !atx_tokens_is_word(t, declared + 2) || !atx_tokens_is(t, declared + 3, sign) ||
        !(atx_tokens_is(t, declared + 5, ";") || atx_tokens_is(t, declared + 5, ",")) ||
        atx_guards_changed(t, declared, declared + 1, i))
        return false;
    *x = declared + 2;
    *s = declared + 4;
    return true;
}

/* Whether a factor at tokens i..i + n is added as it is, or with the same factor as `like` has behind it. */
static bool is_addend(const atx_tokens *t, size_t i, size_t n, size_t like, size_t end)
{
    static const char *const BEFORE[] = { "+", "(", "[", "=", ",", "return", NULL }, *const BEHIND[] = {
        "+", ")", "]", ";", ",", NULL
    };
    const size_t behind = i + n;
    if (!atx_token_is_one_of(t->text, &t->items[i - 1], BEFORE))
        return false;
    if (behind >= end || atx_token_is_one_of(t->text, &t->items[behind], BEHIND))
        return !like;
    return like && atx_tokens_is(t, behind, "*") && atx_code_same(t, behind + 1, like) &&
           (behind + 2 >= end || atx_token_is_one_of(t->text, &t->items[behind + 2], BEHIND));
}

/* Whether r = x % s is added on the same level as token i, times the factor at `like`. */
static bool has_rest(const atx_tokens *t, size_t begin, size_t i, size_t x, size_t s, size_t like, size_t end)
{
    size_t first = i, rx, rs;
    while (first > begin && !atx_tokens_opens(t, first - 1) && !atx_tokens_is(t, first - 1, ";") &&
           !atx_tokens_is(t, first - 1, "=") && !atx_tokens_is(t, first - 1, ","))
        first = t->items[first - 1].pair < first - 1 ? t->items[first - 1].pair : first - 1;
    for (size_t k = first; k < end && !atx_tokens_is(t, k, ";");
         k = atx_tokens_opens(t, k) ? atx_tokens_match(t, k) + 1 : k + 1)
        if (atx_tokens_is_word(t, k) && is_addend(t, k, 1, like, end) &&
            read_division(&rx, &rs, t, begin, k, "%") && atx_code_same(t, rx, x) && atx_code_same(t, rs, s) &&
            !atx_guards_changed(t, x, rx < x ? rx : x, rx < x ? x : rx) &&
            !atx_guards_changed(t, s, rs < s ? rs : s, rs < s ? s : rs))
            return true;
    return false;
}

bool atx_guards_paired(size_t *x, size_t *s, const atx_tokens *t, size_t begin, size_t i, size_t end)
{
    if (i <= begin || i + 2 >= end || !atx_tokens_is(t, i + 1, "*"))
        return false;
    const size_t like = i + 4 < end && atx_tokens_is(t, i + 3, "*") ? i + 4 : 0;
    for (size_t turn = 0; turn < 2; turn++) { /* b * s, s * b */
        const size_t quotient = i + 2 * turn, by = i + 2 - 2 * turn;
        if (atx_tokens_is_word(t, quotient) && is_addend(t, i, 3, like, end) &&
            read_division(x, s, t, begin, quotient, "/") && atx_code_same(t, *s, by) &&
            has_rest(t, begin, i, *x, *s, like, end))
            return true;
    }
    return false;
}

/* "NAME = E - A" of the name at a token, or "E - A" itself: the tokens of E. false: it is something else, or
 * A has another value at token `at`. */
static bool read_difference(atx_span *out, const atx_tokens *t, size_t begin, atx_span span, size_t a,
                            size_t at)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, span.begin);
    const size_t declared =
        span.end == span.begin + 1 && name[0] ? atx_guards_declaration(t, begin, name, span.begin) : SIZE_MAX;
    if (declared != SIZE_MAX && atx_tokens_is(t, declared + 1, "="))
        span = (atx_span){ declared + 2, atx_tokens_find(t, declared, t->count, ";") };
    if (span.end < span.begin + 3 || !atx_tokens_is(t, span.end - 2, "-") ||
        !atx_code_same(t, span.end - 1, a) || atx_guards_changed(t, a, span.end, at))
        return false;
    *out = (atx_span){ span.begin, span.end - 2 };
    return true;
}

/* Behind the comparison, and behind the header that it is in: for (; f < e - a; f += n) here. */
static size_t behind_header(const atx_tokens *t, size_t begin, const atx_guard *g)
{
    const size_t open = atx_guards_around(t, begin, g->holds.begin);
    return open != SIZE_MAX && atx_tokens_is(t, open, "(") ? atx_tokens_match(t, open) : g->holds.begin;
}

bool atx_guards_rest(atx_span *than, const atx_guards *g, const atx_tokens *t, size_t begin, size_t i,
                     size_t end)
{
    if (i <= begin || i + 2 >= end || !atx_tokens_is(t, i + 1, "+") || !is_addend(t, i, 3, 0, end))
        return false;
    for (int k = 0; g && k < 2 * g->count; k++) { /* a + f, f + a */
        const atx_guard *one = &g->items[k / 2];
        const size_t a = k % 2 ? i + 2 : i, f = k % 2 ? i : i + 2;
        if (!one->inclusive && i >= one->holds.begin && i < one->holds.end &&
            one->less.end == one->less.begin + 1 && atx_tokens_is_word(t, f) &&
            atx_code_same(t, one->less.begin, f) &&
            !atx_guards_changed(t, f, behind_header(t, begin, one), i) &&
            read_difference(than, t, begin, one->than, a, i))
            return true;
    }
    return false;
}
