/* adopt_guards_arm.c - branches of an if, of which a thread takes one. */
#include "exchange/adopt_guards.h"

/* The `if` whose `else` is at token `other`; 0: none. */
static size_t if_of(const atx_tokens *t, size_t begin, size_t other)
{
    for (size_t i = other; i-- > begin;) {
        if (atx_tokens_is(t, i, "}") && t->items[i].pair < i && i + 1 < other)
            i = t->items[i].pair;
        if (!atx_tokens_is(t, i, "if"))
            continue;
        const size_t open = i + 1 + atx_tokens_is(t, i + 1, "constexpr");
        if (atx_tokens_is(t, open, "(") &&
            atx_guards_statement(t, atx_tokens_match(t, open) + 1, other + 1) == other)
            return i;
    }
    return 0;
}

/* The branch that the statement at token `begin` is: behind `if (...)`, or behind `else`. */
static atx_arm arm_at(const atx_tokens *t, size_t first, size_t begin)
{
    atx_arm arm = { 0, begin };
    if (begin <= first)
        return arm;
    const size_t open = atx_tokens_is(t, begin - 1, ")") ? t->items[begin - 1].pair : begin;
    if (atx_tokens_is(t, begin - 1, "else"))
        arm.of = if_of(t, first, begin - 1);
    else if (open > first && open < begin)
        arm.of = open - 1 - atx_tokens_is(t, open - 1, "constexpr");
    if (!arm.of || !atx_tokens_is(t, arm.of, "if"))
        return (atx_arm){ 0, begin };
    while (arm.of > first && atx_tokens_is(t, arm.of - 1, "else")) {
        const size_t before = if_of(t, first, arm.of - 1);
        if (!before)
            break;
        arm.of = before;
    }
    return arm;
}

atx_arm atx_guards_arm(const atx_tokens *t, atx_span body, size_t i)
{
    size_t begin = i;
    while (begin > body.begin && !atx_tokens_is(t, begin - 1, ";") && !atx_tokens_is(t, begin - 1, "{") &&
           !atx_tokens_is(t, begin - 1, "}") && !atx_tokens_is(t, begin - 1, ")") &&
           !atx_tokens_is(t, begin - 1, "else"))
        begin--;
    atx_arm arm = arm_at(t, body.begin, begin);
    for (size_t open = atx_guards_around(t, body.begin, i); !arm.of && open != SIZE_MAX;
         open = atx_guards_around(t, body.begin, open))
        arm = arm_at(t, body.begin, open);
    return arm;
}

atx_span atx_guards_beside_null(const atx_tokens *t, atx_span span)
{
    const size_t ask = atx_tokens_find(t, span.begin, span.end, "?");
    const size_t other = atx_tokens_find(t, ask, span.end, ":");
    if (ask >= span.end || other >= span.end)
        return span;
    if (other == ask + 2 && (atx_tokens_is(t, ask + 1, "nullptr") || atx_tokens_is(t, ask + 1, "NULL")))
        return (atx_span){ other + 1, span.end };
    if (span.end == other + 2 &&
        (atx_tokens_is(t, other + 1, "nullptr") || atx_tokens_is(t, other + 1, "NULL")))
        return (atx_span){ ask + 1, other };
    return span;
}
