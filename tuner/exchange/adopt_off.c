/*
 * adopt_off.c - code that the author's numbers leave out: if (CHECKED && i < n) here, SKIP ? here : there.
 * What only other values of a parameter read is no part of the problem.
 */
#include "exchange/adopt_guards.h"

typedef enum truth { NO, YES, UNKNOWN } truth;

/* Whether a word is a parameter of the function around it: nothing of the file's that has its name. */
static bool is_parameter(const atx_tokens *t, atx_span body, size_t word)
{
    size_t close = body.begin - 1;
    close -= atx_tokens_is(t, close, "{");
    bool is = false;
    for (size_t i = atx_tokens_is(t, close, ")") ? t->items[close].pair : close; i < close && !is; i++)
        is = atx_code_same(t, i, word) && !atx_tokens_is(t, i + 1, "::");
    return is;
}

/* Of one of the things that && joins: by the numbers of the file. */
static truth of_one(const atx_draft *d, const atx_tokens *t, atx_span body, atx_span span)
{
    long value = 0;
    bool not = false;
    while (span.begin + 1 < span.end && atx_tokens_is(t, span.begin, "(") &&
           atx_tokens_match(t, span.begin) + 1 == span.end)
        span = (atx_span){ span.begin + 1, span.end - 1 };
    if (span.begin < span.end && atx_tokens_is(t, span.begin, "!")) {
        not = true;
        span.begin++;
    }
    if (span.end != span.begin + 1 || is_parameter(t, body, span.begin) ||
        !atx_draft_number(&value, d, t, span))
        return UNKNOWN;
    return (value != 0) != not ? YES : NO;
}

static truth of(const atx_draft *d, const atx_tokens *t, atx_span body, atx_span span)
{
    static const char *const LOOSER[] = { "||", "or", "?", NULL }; /* than && is */
    truth all = YES;
    for (size_t at = span.begin; at < span.end;
         at = atx_tokens_opens(t, at) ? atx_tokens_match(t, at) : at + 1)
        if (atx_token_is_one_of(t->text, &t->items[at], LOOSER))
            return UNKNOWN;
    for (size_t at = span.begin, end; at < span.end; at = end + 1) {
        end = at;
        while (end < span.end && !atx_tokens_is(t, end, "&&"))
            end = atx_tokens_opens(t, end) ? atx_tokens_match(t, end) + 1 : end + 1;
        const truth one = of_one(d, t, body, (atx_span){ at, end });
        if (one == NO)
            return NO;
        all = one == UNKNOWN ? UNKNOWN : all;
    }
    return all;
}

/* if (CONDITION) A else B around token i. */
static bool is_off_branch(const atx_draft *d, const atx_tokens *t, atx_span body, size_t i)
{
    for (size_t k = body.begin; k + 1 < i; k++) {
        if (!atx_tokens_is(t, k, "if"))
            continue;
        const size_t open = k + 1 + atx_tokens_is(t, k + 1, "constexpr"), close = atx_tokens_match(t, open);
        if (!atx_tokens_is(t, open, "(") || close >= i)
            continue;
        const size_t then = atx_guards_statement(t, close + 1, body.end);
        const size_t other =
            atx_tokens_is(t, then, "else") ? atx_guards_statement(t, then + 1, body.end) : then;
        if (i >= other)
            continue;
        const truth is = of(d, t, body, (atx_span){ open + 1, close });
        if (is == (i < then ? NO : YES))
            return true;
    }
    return false;
}

/* The colon of the question mark at token `ask`; SIZE_MAX: there is none. */
static size_t colon_of(const atx_tokens *t, atx_span body, size_t ask)
{
    int inner = 0;
    for (size_t i = ask + 1; i < body.end && !atx_tokens_is(t, i, ";");
         i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1) {
        if (atx_tokens_is(t, i, ":") && inner-- == 0)
            return i;
        inner += atx_tokens_is(t, i, "?");
    }
    return SIZE_MAX;
}

/* CONDITION ? A : B of a statement, where token i is in A or B. */
static bool is_off_value(const atx_draft *d, const atx_tokens *t, atx_span body, size_t i)
{
    static const char *const BEFORE[] = { "=", "return", "(", "[", ",", ";", "{", "}", "+=", "?", ":", NULL };
    static const char *const ENDS[] = { ";", "{", "}", NULL };
    bool beside = false; /* another argument than the one that token i is in */
    for (size_t ask = i; ask-- > body.begin && !atx_token_is_one_of(t->text, &t->items[ask], ENDS);) {
        if ((atx_tokens_is(t, ask, ")") || atx_tokens_is(t, ask, "]")) && t->items[ask].pair < ask)
            ask = t->items[ask].pair;
        else if (atx_tokens_opens(t, ask) || atx_tokens_is(t, ask, ","))
            beside = atx_tokens_is(t, ask, ",");
        if (!atx_tokens_is(t, ask, "?") || beside)
            continue;
        size_t begin = ask;
        while (begin > body.begin && !atx_token_is_one_of(t->text, &t->items[begin - 1], BEFORE))
            begin = atx_tokens_is(t, begin - 1, ")") ? t->items[begin - 1].pair : begin - 1;
        const size_t colon = colon_of(t, body, ask);
        const truth is = of(d, t, body, (atx_span){ begin, ask });
        if (colon != SIZE_MAX && is == (i < colon ? NO : YES))
            return true;
    }
    return false;
}

bool atx_draft_is_off(const atx_draft *d, const atx_tokens *t, atx_span body, size_t i)
{
    return is_off_branch(d, t, body, i) || is_off_value(d, t, body, i);
}
