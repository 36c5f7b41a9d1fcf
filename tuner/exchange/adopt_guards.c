/* adopt_guards.c - see adopt_guards.h. From a comparison outwards to the statement that it is a condition of.
 */
#include "exchange/adopt_guards.h"

size_t atx_guards_around(const atx_tokens *t, size_t begin, size_t i)
{
    while (i-- > begin) {
        if ((atx_tokens_is(t, i, ")") || atx_tokens_is(t, i, "]") || atx_tokens_is(t, i, "}")) &&
            t->items[i].pair < i && t->items[i].pair >= begin) {
            i = t->items[i].pair;
            continue;
        }
        if (atx_tokens_opens(t, i))
            return i;
    }
    return SIZE_MAX;
}

size_t atx_guards_statement(const atx_tokens *t, size_t i, size_t end)
{
    static const char *const HEADS[] = { "if", "for", "while", "switch", "constexpr", NULL };
    for (bool head = true; i < end;) {
        if (atx_tokens_is(t, i, ";"))
            return i + 1;
        if (atx_tokens_is(t, i, "{") && head)
            return atx_tokens_match(t, i) + 1;
        head = atx_token_is_one_of(t->text, &t->items[i], HEADS) || (head && atx_tokens_is(t, i, "("));
        i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1;
    }
    return end;
}

/* The bracket of the header whose body token i is in, without braces: for (...) i; SIZE_MAX: none. */
static size_t header_before(const atx_tokens *t, size_t begin, size_t i)
{
    static const char *const LOOPS[] = { "for", "while", NULL };
    for (size_t k = i; k-- > begin;) {
        if (atx_tokens_is(t, k, ";") || atx_tokens_is(t, k, "{") || atx_tokens_is(t, k, "}"))
            return SIZE_MAX;
        if (atx_tokens_is(t, k, "(") && k > begin && atx_tokens_is(t, k - 1, "for"))
            return k - 1; /* the first part of its own header */
        if (!atx_tokens_is(t, k, ")") || t->items[k].pair >= k)
            continue;
        k = t->items[k].pair;
        if (k > begin && atx_token_is_one_of(t->text, &t->items[k - 1], LOOPS))
            return k - 1;
    }
    return SIZE_MAX;
}

size_t atx_guards_loop(const atx_tokens *t, size_t begin, size_t i)
{
    static const char *const LOOPS[] = { "for", "while", NULL };
    const size_t lone = header_before(t, begin, i);
    if (lone != SIZE_MAX)
        return lone;
    for (size_t open = atx_guards_around(t, begin, i); open != SIZE_MAX;
         open = atx_guards_around(t, begin, open)) {
        if (atx_tokens_is(t, open, "{") && open && atx_tokens_is(t, open - 1, "do"))
            return open - 1;
        if (atx_tokens_is(t, open, "(") && open && atx_tokens_is(t, open - 1, "for"))
            return open - 1;
        if (!atx_tokens_is(t, open, "{") || !open || !atx_tokens_is(t, open - 1, ")"))
            continue;
        const size_t pair = t->items[open - 1].pair;
        if (pair > begin && pair < open && atx_token_is_one_of(t->text, &t->items[pair - 1], LOOPS))
            return pair - 1;
        const size_t outer = header_before(t, begin, open);
        if (outer != SIZE_MAX && !atx_tokens_is(t, open - 1, ")"))
            return outer;
    }
    return SIZE_MAX;
}

bool atx_guards_same(const atx_tokens *t, atx_span a, atx_span b)
{
    if (a.end - a.begin != b.end - b.begin)
        return false;
    for (size_t i = 0; i < a.end - a.begin; i++)
        if (!atx_code_same(t, a.begin + i, b.begin + i))
            return false;
    return true;
}

static const char *const ENDS[] = { "&&", "||", ";",  ",",  "?",  ":",      "=", "{",
                                    "}",  "+=", "-=", "*=", "/=", "return", "!", NULL };

static size_t left_of(const atx_tokens *t, size_t begin, size_t sign)
{
    size_t i = sign;
    while (i > begin) {
        const size_t k = i - 1;
        if (atx_tokens_is(t, k, ")") || atx_tokens_is(t, k, "]"))
            i = t->items[k].pair < k ? t->items[k].pair : k;
        else if (atx_tokens_opens(t, k) || atx_token_is_one_of(t->text, &t->items[k], ENDS))
            break;
        else
            i = k;
    }
    return i;
}

static size_t right_of(const atx_tokens *t, size_t sign, size_t end)
{
    size_t i = sign + 1;
    while (i < end && !atx_tokens_is(t, i, ")") && !atx_tokens_is(t, i, "]") &&
           !atx_token_is_one_of(t->text, &t->items[i], ENDS))
        i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1;
    return i < end ? i : end;
}

/* Without brackets around all of it. */
static atx_span bare(const atx_tokens *t, size_t begin, size_t end)
{
    while (begin + 1 < end && atx_tokens_is(t, begin, "(") && atx_tokens_match(t, begin) + 1 == end) {
        begin++;
        end--;
    }
    return (atx_span){ begin, end };
}

/* ---- where it holds ---- */

/* Is the statement at token i the end of its block's turn: return, continue, break? */
static bool leaves(const atx_tokens *t, size_t i, size_t end)
{
    static const char *const WORDS[] = { "return", "continue", "break", "goto", NULL };
    if (!atx_tokens_is(t, i, "{"))
        return i < end && atx_token_is_one_of(t->text, &t->items[i], WORDS);
    size_t at = i + 1, last = at;
    while (at < atx_tokens_match(t, i)) {
        last = at;
        at = atx_guards_statement(t, at, end);
    }
    return atx_token_is_one_of(t->text, &t->items[last], WORDS);
}

/* How a bracket joins what is in it: by && alone, || alone, both, or neither. */
typedef struct joined {
    bool and, or ;
} joined;

static joined joins(const atx_tokens *t, size_t begin, size_t end)
{
    joined j = { false, false };
    for (size_t i = begin; i < end; i = atx_tokens_opens(t, i) ? atx_tokens_match(t, i) + 1 : i + 1) {
        j.and = j.and || atx_tokens_is(t, i, "&&");
        j.or = j.or || atx_tokens_is(t, i, "||");
    }
    return j;
}

/* A comparison on its way outwards. */
typedef struct climb {
    const atx_tokens *t;
    atx_span body;
    size_t sign;
    joined all;
    bool not ;      /* an odd number of ! */
    atx_span other; /* "i >= n ? 0 : here", "i >= n || here" */
    atx_span then;  /* "if (i < n) return here;" */
} climb;

static size_t end_of_block(const climb *c, size_t at)
{
    size_t open = atx_guards_around(c->t, c->body.begin, at);
    while (open != SIZE_MAX && !atx_tokens_is(c->t, open, "{"))
        open = atx_guards_around(c->t, c->body.begin, open);
    return open == SIZE_MAX ? c->body.end : atx_tokens_match(c->t, open);
}

/* Of "if (...) A else B": where the comparison holds, or its opposite (*opposite). */
static bool holds_if(atx_span *out, bool *opposite, climb *c, size_t open)
{
    const size_t close = atx_tokens_match(c->t, open), end = c->body.end;
    const size_t then = atx_guards_statement(c->t, close + 1, end);
    const bool other = atx_tokens_is(c->t, then, "else"), quits = leaves(c->t, close + 1, end);
    const bool yes = !c->not &&!c->all.or, no = c->not ? !c->all.or : !c->all.and;
    *opposite = false;
    if (c->all.or &&!c->all.and &&!c->not ) /* i >= n || here */
        c->other = (atx_span){ c->sign, close };
    if ((quits || other) && no && !(yes && !quits)) {
        *opposite = !c->not ;
        if (yes)
            c->then = (atx_span){ c->sign, then };
        *out = (atx_span){ then, other ? atx_guards_statement(c->t, then + 1, end) : end_of_block(c, open) };
        if (quits)
            out->end = end_of_block(c, open);
        return true;
    }
    *out = (atx_span){ c->sign, then };
    return yes;
}

/* A condition that no statement is of: i < n ? here : ..., and until the end of the block for the value of a
 * name. */
static bool holds_value(atx_span *out, climb *c, size_t from)
{
    const atx_tokens *t = c->t;
    const size_t open = atx_guards_around(t, c->body.begin, from);
    const size_t end = open == SIZE_MAX ? c->body.end : atx_tokens_match(t, open);
    const size_t stop = atx_tokens_find(t, from, end, ";"), ask = atx_tokens_find(t, from, stop, "?");
    const size_t colon = ask < stop ? atx_tokens_find(t, ask, stop, ":") : stop;
    *out = (atx_span){ c->sign, ask < stop ? colon : end_of_block(c, c->sign) };
    if (colon < stop && !c->not &&!c->all.and)
        c->other = (atx_span){ colon + 1, atx_code_comma(t, colon + 1, stop) };
    return !c->not &&!c->all.or ;
}

/* Whether a bracket is a number of what is added or multiplied: (i >= n) - (i < n) holds nowhere. */
static bool is_counted(const atx_tokens *t, size_t open)
{
    static const char *const SIGNS[] = { "+", "-", "*", "/", "%", "<<", NULL };
    return atx_token_is_one_of(t->text, &t->items[open - 1], SIGNS) ||
           atx_token_is_one_of(t->text, &t->items[atx_tokens_match(t, open) + 1], SIGNS);
}

static bool holds(atx_span *out, bool *opposite, climb *c)
{
    const atx_tokens *t = c->t;
    size_t inner = c->sign;
    *opposite = false;
    for (;;) {
        const size_t open = atx_guards_around(t, c->body.begin, inner);
        const bool bracket = open != SIZE_MAX && atx_tokens_is(t, open, "(") && open > c->body.begin;
        size_t begin = bracket ? open + 1 : left_of(t, c->body.begin, inner);
        size_t end = bracket ? atx_tokens_match(t, open) : right_of(t, inner, c->body.end);
        const bool is_for = bracket && atx_tokens_is(t, open - 1, "for");
        if (is_for) {
            const size_t first = atx_tokens_find(t, begin, end, ";");
            end = atx_tokens_find(t, first + 1, end, ";");
            begin = first;
            if (c->sign < first || c->sign > end)
                return false;
        }
        const joined here = joins(t, begin, end);
        c->all.and = c->all.and || here.and;
        c->all.or = c->all.or || here.or ;
        if (!bracket)
            return holds_value(out, c, inner);
        if (atx_tokens_is(t, open - 1, "if") || atx_tokens_is(t, open - 1, "constexpr"))
            return holds_if(out, opposite, c, open);
        if (is_for || atx_tokens_is(t, open - 1, "while")) {
            *out = (atx_span){ c->sign, atx_guards_statement(t, atx_tokens_match(t, open) + 1, c->body.end) };
            return !c->not &&!c->all.or ;
        }
        if (atx_tokens_find(t, inner, end, "?") < end)
            return holds_value(out, c, inner);
        if (is_counted(t, open))
            return false;
        if (atx_tokens_is(t, open - 1, "!"))
            c->not = !c->not ;
        else if (atx_tokens_is_word(t, open - 1) && !atx_tokens_is(t, open - 1, "return"))
            return false; /* an argument of a call */
        inner = open;
    }
}

/* ---- all of them ---- */

static void add(atx_guards *out, atx_guard guard)
{
    if (out->count < ATX_GUARDS && guard.less.begin < guard.less.end && guard.than.begin < guard.than.end)
        out->items[out->count++] = guard;
}

/* A '<' that is a bracket of a template's arguments. */
static bool is_angle(const atx_tokens *t, size_t i)
{
    const size_t pair = t->items[i].pair;
    if (pair == SIZE_MAX)
        return false;
    const size_t begin = pair > i ? i : pair, end = pair > i ? pair : i;
    for (size_t k = begin; k < end; k++)
        if (atx_tokens_is(t, k, "&&") || atx_tokens_is(t, k, "||") || atx_tokens_is(t, k, ";"))
            return false;
    return true;
}

/* Whether a name begins at 0, and otherwise is only stepped by one: what it is not equal to it is below. */
static bool counts_up(const atx_tokens *t, atx_span body, atx_span name)
{
    static const char *const OTHER[] = { "-=", "*=", "/=", "%=", "--", NULL };
    static const char *const BEHIND[] = { ";", ",", ")", NULL };
    bool steps = false;
    for (size_t i = body.begin; i < body.end && name.end == name.begin + 1; i++) {
        if (!atx_tokens_is_word(t, i) || !atx_code_same(t, i, name.begin) || atx_guards_member(t, i))
            continue;
        const bool sets = atx_tokens_is(t, i + 1, "="), adds = atx_tokens_is(t, i + 1, "+=");
        long by = adds;
        if (atx_token_is_one_of(t->text, &t->items[i + 1], OTHER) || atx_tokens_is(t, i - 1, "--") ||
            ((sets || adds) && (!atx_draft_plain_number(&by, t, i + 2) || by != adds ||
                                !atx_token_is_one_of(t->text, &t->items[i + 3], BEHIND))))
            return false;
        steps = steps || adds || atx_tokens_is(t, i + 1, "++") || atx_tokens_is(t, i - 1, "++");
    }
    return steps;
}

static void read_one(atx_guards *out, const atx_tokens *t, atx_span body, size_t sign)
{
    const bool less = atx_tokens_is(t, sign, "<") || atx_tokens_is(t, sign, "<=");
    const bool inclusive = atx_tokens_is(t, sign, "<=") || atx_tokens_is(t, sign, ">=");
    const bool equal = atx_tokens_is(t, sign, "=="), unequal = atx_tokens_is(t, sign, "!=");
    climb c = { .t = t, .body = body, .sign = sign };
    const atx_span left = bare(t, left_of(t, body.begin, sign), sign);
    const atx_span right = bare(t, sign + 1, right_of(t, sign, body.end));
    atx_guard guard = { .less = left, .than = right };
    bool opposite;
    const bool any = holds(&guard.holds, &opposite, &c);
    if (c.other.begin < c.other.end && !equal && !unequal)
        add(out, (atx_guard){ .less = less ? right : left,
                              .than = less ? left : right,
                              .inclusive = !inclusive,
                              .holds = c.other });
    if (c.then.begin < c.then.end && !equal && !unequal)
        add(out, (atx_guard){ .less = less ? left : right,
                              .than = less ? right : left,
                              .inclusive = inclusive,
                              .holds = c.then });
    if (!any)
        return;
    if (equal || unequal) { /* i != n of a loop, i != 0 that returns: i is 0, i == n that leaves: below n */
        guard.inclusive = equal ? !opposite : opposite;
        if (equal && opposite && !counts_up(t, body, left))
            return;
        if (unequal && !opposite && !atx_tokens_is(t, atx_guards_around(t, body.begin, sign) - 1, "for"))
            return;
        add(out, guard);
        return;
    }
    if (less == opposite) { /* a > b, or not a < b: b < a, or b <= a */
        guard.less = right;
        guard.than = left;
    }
    guard.inclusive = inclusive != opposite;
    add(out, guard);
}

void atx_guards_read(atx_guards *out, const atx_tokens *t, atx_span body)
{
    static const char *const SIGNS[] = { "<", ">", "<=", ">=", "==", "!=", NULL };
    out->count = 0;
    for (size_t i = body.begin; i < body.end; i++)
        if (atx_token_is_one_of(t->text, &t->items[i], SIGNS) && !is_angle(t, i))
            read_one(out, t, body, i);
}

/* ---- declarations ---- */

/* Whether "TYPE *" or "TYPE<...>" that ends at token i begins a statement: a * b is none. */
static bool begins_statement(const atx_tokens *t, size_t i, size_t begin)
{
    size_t at = i;
    while (at > begin && (atx_tokens_is(t, at, "*") || atx_tokens_is(t, at, "&")))
        at--;
    if (atx_tokens_is(t, at, ">") && t->items[at].pair < at)
        at = t->items[at].pair - 1;
    if (!atx_tokens_is_word(t, at))
        return false;
    while (at > begin && (atx_tokens_is_word(t, at - 1) || atx_tokens_is(t, at - 1, "::")))
        at--;
    const bool value = atx_tokens_is(t, i + 2, "=") || atx_tokens_is(t, i + 2, ":");
    return at == begin || atx_tokens_is(t, at - 1, ";") || atx_tokens_is(t, at - 1, "{") ||
           atx_tokens_is(t, at - 1, "}") || (atx_tokens_is(t, at - 1, "(") && value);
}

/* Whether the name at token i is declared there. */
bool atx_guards_declares(const atx_tokens *t, size_t i, size_t begin)
{
    static const char *const NOT[] = { "return", "else", "case", "goto", "do", NULL };
    static const char *const BEHIND[] = { "=", ";", ",", "(", "{", "[", ":", ")", NULL };
    if (i <= begin || !atx_token_is_one_of(t->text, &t->items[i + 1], BEHIND))
        return false;
    if (atx_tokens_is_word(t, i - 1))
        return !atx_token_is_one_of(t->text, &t->items[i - 1], NOT);
    if (atx_tokens_is(t, i - 1, "*") || atx_tokens_is(t, i - 1, "&") || atx_tokens_is(t, i - 1, ">"))
        return begins_statement(t, i - 1, begin);
    if (!atx_tokens_is(t, i - 1, ","))
        return false;
    size_t at = i - 1; /* int a = 1, b */
    while (at > begin && !atx_tokens_is(t, at - 1, ";") && !atx_tokens_is(t, at - 1, "{") &&
           !atx_tokens_is(t, at - 1, "}")) {
        at--;
        if (atx_tokens_is(t, at, ")") || atx_tokens_is(t, at, "]"))
            at = t->items[at].pair < at ? t->items[at].pair : at;
        else if (atx_tokens_is(t, at, "("))
            break;
    }
    at += atx_tokens_is(t, at, "(");
    return atx_draft_is_type_word(t, at);
}

size_t atx_guards_declaration(const atx_tokens *t, size_t begin, const char *name, size_t at)
{
    for (size_t i = at + 1; i-- > begin;)
        if (atx_tokens_is(t, i, name) &&
            !(i && (atx_tokens_is(t, i - 1, ".") || atx_tokens_is(t, i - 1, "->"))) &&
            atx_guards_declares(t, i, begin) && atx_code_open(t, i, at))
            return i;
    return SIZE_MAX;
}

bool atx_guards_for(atx_for_header *out, const atx_tokens *t, size_t loop)
{
    const size_t open = loop + 1;
    if (!atx_tokens_is(t, loop, "for") || !atx_tokens_is(t, open, "("))
        return false;
    const size_t close = atx_tokens_match(t, open), one = atx_tokens_find(t, open + 1, close, ";");
    const size_t two = atx_tokens_find(t, one + 1, close, ";"),
                 equal = atx_tokens_find(t, open + 1, one, "=");
    if (two >= close || equal >= one || !atx_tokens_is_word(t, equal - 1))
        return false;
    *out = (atx_for_header){ .name = equal - 1,
                             .close = close,
                             .first = { equal + 1, atx_code_comma(t, equal + 1, one) } };
    for (size_t at = two + 1; at < close; at = atx_code_comma(t, at, close) + 1)
        if (atx_tokens_is(t, at + 1, "+=") &&
            atx_guards_same(t, (atx_span){ at, at + 1 }, (atx_span){ equal - 1, equal }))
            out->step = (atx_span){ at + 2, atx_code_comma(t, at + 2, close) };
    return true;
}

static atx_span addend(const atx_tokens *t, size_t *at, size_t end)
{
    const size_t stop = atx_tokens_find(t, *at, end, "+");
    const atx_span one = { *at, stop };
    *at = stop < end ? stop + 1 : end;
    return one;
}

/* The same token by token, or two factors in the other order. */
static bool is_same_product(const atx_tokens *t, atx_span a, atx_span b)
{
    const size_t x = atx_tokens_find(t, a.begin, a.end, "*"), y = atx_tokens_find(t, b.begin, b.end, "*");
    return atx_guards_same(t, a, b) ||
           (x < a.end && y < b.end &&
            atx_guards_same(t, (atx_span){ a.begin, x }, (atx_span){ y + 1, b.end }) &&
            atx_guards_same(t, (atx_span){ x + 1, a.end }, (atx_span){ b.begin, y }));
}

bool atx_guards_same_sum(const atx_tokens *t, atx_span a, atx_span b)
{
    if (a.end - a.begin != b.end - b.begin || a.begin >= a.end)
        return false;
    for (size_t i = a.begin; i < a.end;) {
        const atx_span one = addend(t, &i, a.end);
        bool found = false;
        for (size_t k = b.begin; k < b.end && !found;)
            found = is_same_product(t, one, addend(t, &k, b.end));
        if (!found)
            return false;
    }
    return true;
}

bool atx_guards_another(const atx_tokens *t, size_t begin, size_t declared, size_t i)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, i);
    const size_t last = atx_guards_declaration(t, begin, name, i + 1);
    return atx_guards_declares(t, i, begin) || (last != SIZE_MAX && last > declared && last < i);
}

bool atx_guards_given(const atx_tokens *t, size_t name, size_t from, size_t at)
{
    for (size_t i = from; i < at; i++)
        if ((atx_tokens_is(t, i + 1, "=") || atx_tokens_is(t, i + 1, "/=")) &&
            atx_guards_same(t, (atx_span){ name, name + 1 }, (atx_span){ i, i + 1 }) &&
            (atx_tokens_is(t, i - 1, ";") || atx_tokens_is(t, i - 1, "{") || atx_tokens_is(t, i - 1, "}")) &&
            atx_tokens_find(t, i, at, ";") < at)
            return true;
    return false;
}

/* The end of the block that token i is in, where it declares a name that an outer block has, too. */
static size_t behind_inner(const atx_tokens *t, size_t i, size_t to)
{
    if (!atx_tokens_is_word(t, i - 1) || atx_tokens_is(t, i - 1, "else"))
        return i;
    for (size_t at = i; at < to; at++) {
        if (atx_tokens_is(t, at, "}"))
            return at;
        at = atx_tokens_opens(t, at) && atx_tokens_match(t, at) < to ? atx_tokens_match(t, at) : at;
    }
    return i;
}

bool atx_guards_changed(const atx_tokens *t, size_t name, size_t from, size_t to)
{
    static const char *const SIGNS[] = { "=", "+=", "-=", "*=", "/=", "%=", "++", "--", NULL };
    for (size_t i = from; i < to; i++)
        if (atx_guards_same(t, (atx_span){ name, name + 1 }, (atx_span){ i, i + 1 }) &&
            (atx_token_is_one_of(t->text, &t->items[i + 1], SIGNS) ||
             atx_token_is_one_of(t->text, &t->items[i - 1], SIGNS + 6))) {
            const size_t behind = behind_inner(t, i, to);
            if (behind == i)
                return true;
            i = behind;
        }
    return false;
}

bool atx_guards_later(const atx_guards *g, const atx_tokens *t, size_t declared, size_t at)
{
    const size_t end = atx_tokens_find(t, declared, at, ";");
    bool later = false;
    for (int k = 0; g && k < g->count && !later; k++)
        later = g->items[k].holds.begin >= end && at >= g->items[k].holds.begin && at < g->items[k].holds.end;
    for (size_t i = declared + 2; i < end && later; i++)
        later = !atx_tokens_is_word(t, i) || atx_guards_member(t, i) || !atx_guards_changed(t, i, end, at);
    return later;
}

/* QUOTIENT = NAME / by, QUOTIENT = NAME >> 5 at token `quotient`. */
static bool read_quotient(atx_quotient *out, const atx_tokens *t, size_t quotient, size_t name)
{
    const size_t end = atx_tokens_find(t, quotient, t->count, ";");
    const bool shifts = atx_tokens_is(t, quotient + 3, ">>");
    long bits = 0;
    if (!atx_tokens_is(t, quotient + 1, "=") || !atx_code_same(t, quotient + 2, name))
        return false;
    out->by = (atx_span){ quotient + 4, atx_code_comma(t, quotient + 2, end) };
    out->number = 0;
    if (shifts && atx_draft_plain_number(&bits, t, quotient + 4) && bits > 0 && bits < 16)
        out->number = 1L << bits;
    return out->number || atx_tokens_is(t, quotient + 3, "/");
}

bool atx_guards_quotient(atx_quotient *out, const atx_guards *g, const atx_tokens *t, size_t begin,
                         size_t declared, size_t at)
{
    for (int k = 0; g && k < g->count; k++) {
        const atx_guard *one = &g->items[k];
        char name[ATX_MAX_WORD];
        if (at < one->holds.begin || at >= one->holds.end || one->less.end != one->less.begin + 1 ||
            one->inclusive)
            continue;
        atx_draft_word(name, t, one->less.begin);
        const size_t quotient = name[0] ? atx_guards_declaration(t, begin, name, at) : SIZE_MAX;
        if (quotient == SIZE_MAX || quotient <= declared || !read_quotient(out, t, quotient, declared) ||
            atx_guards_given(t, declared, declared + 1, at))
            continue;
        out->than = one->than;
        return true;
    }
    return false;
}

/* x - (x / d) * d */
static bool is_whole_remainder(const atx_tokens *t, size_t x, size_t end)
{
    return x + 8 < end && atx_tokens_is_word(t, x) && atx_tokens_is(t, x + 1, "-") &&
           atx_tokens_is(t, x + 2, "(") && atx_code_same(t, x + 3, x) && atx_tokens_is(t, x + 4, "/") &&
           atx_tokens_is(t, x + 6, ")") && atx_tokens_is(t, x + 7, "*") && atx_code_same(t, x + 5, x + 8);
}

size_t atx_guards_remainder(const atx_tokens *t, size_t begin, size_t x, size_t end)
{
    if (is_whole_remainder(t, x, end))
        return x + 8;
    char name[ATX_MAX_WORD];
    const size_t q = x + 2, d = x + 4;
    if (d >= end || !atx_tokens_is(t, x + 1, "-") || !atx_tokens_is(t, x + 3, "*") ||
        !atx_tokens_is_word(t, x) || !atx_tokens_is_word(t, q) || !atx_tokens_is_word(t, d))
        return 0;
    atx_draft_word(name, t, q);
    const size_t from = atx_guards_declaration(t, begin, name, x);
    if (from == SIZE_MAX || !atx_tokens_is(t, from + 1, "=") || !atx_tokens_is(t, from + 3, "/"))
        return 0;
    const size_t by = from + 4 + atx_tokens_is(t, from + 4, "(");
    return atx_code_same(t, from + 2, x) && atx_code_same(t, by, d) ? d : 0;
}
