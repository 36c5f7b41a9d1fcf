/*
 * adopt_host.c - see adopt_host.h. A buffer is the pointer that the launch passes, without casts: a name, a
 * member, an element of an array. It is looked for in the function that launches, in those that call that
 * one, and where it is a member or a variable of the file, everywhere.
 */
#include "exchange/adopt_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 6, MOST_NUMBERS = 64 };

typedef struct search {
    atx_bounding *b;
    const atx_host_frame *launch;
    long each;
    atx_host_buffer out;
    int depth;
} search;

/* ---- pointers ---- */

/* "p.x[i]" of a span; *rest: behind it. */
static atx_span chain_at(const atx_tokens *t, size_t begin, size_t end, size_t *rest)
{
    size_t i = begin + 1;
    while (i < end) {
        if (atx_tokens_is(t, i, "["))
            i = atx_tokens_match(t, i) + 1;
        else if ((atx_tokens_is(t, i, ".") || atx_tokens_is(t, i, "->") || atx_tokens_is(t, i, "::")) &&
                 atx_tokens_is_word(t, i + 1) && !atx_tokens_is(t, i + 2, "("))
            i += 2;
        else
            break;
    }
    *rest = i;
    return (atx_span){ begin, i };
}

/* The pointer in an expression: (float *)p, static_cast<T *>(p), raw_pointer_cast(v.data()), &v[0], p + n. */
static bool pointer_in(atx_span *chain, atx_span *offset, const atx_tokens *t, atx_span span)
{
    static const char *const CASTS[] = { "static_cast", "reinterpret_cast", "const_cast", "raw_pointer_cast",
                                         NULL };
    size_t i = span.begin;
    *offset = (atx_span){ 0, 0 };
    for (; i < span.end; i++) {
        const size_t close = atx_tokens_is(t, i, "(") ? atx_tokens_match(t, i) : 0;
        if (close && close + 1 < span.end && !atx_tokens_is(t, close + 1, "+") &&
            !atx_tokens_is(t, close + 1, "-") && !atx_tokens_is(t, close + 1, "["))
            i = close; /* a cast */
        else if (atx_token_is_one_of(t->text, &t->items[i], CASTS) && atx_tokens_is(t, i + 1, "<"))
            i = atx_tokens_match(t, i + 1);
        else if (atx_tokens_is_word(t, i) && !atx_token_is_one_of(t->text, &t->items[i], CASTS) &&
                 !atx_tokens_is(t, i, "thrust"))
            break;
    }
    if (i >= span.end)
        return false;
    size_t rest;
    *chain = chain_at(t, i, span.end, &rest);
    if (i > span.begin && atx_tokens_is(t, i - 1, "&") && atx_tokens_is(t, rest - 1, "]")) {
        const size_t open = t->items[rest - 1].pair;
        *chain = (atx_span){ i, open };
        *offset = (atx_span){ open + 1, rest - 1 };
        return true;
    }
    if (atx_tokens_is(t, rest, "+") && rest + 1 < span.end)
        *offset = (atx_span){ rest + 1, span.end };
    return rest >= span.end || atx_tokens_is(t, rest, "+") || atx_tokens_is(t, rest, ")") ||
           atx_tokens_is(t, rest, ".");
}

/* The next token with the text of token i. */
static size_t behind(const atx_draft *d, size_t i)
{
    return d->next_same[i] > i ? d->next_same[i] : d->code.count;
}

/* Whether the same pointer stands at token i; *end: behind it. Elements of an array are alike. */
static bool is_same(const atx_tokens *t, atx_span chain, size_t i, size_t *end)
{
    size_t k = chain.begin;
    if (atx_guards_member(t, i))
        return false;
    while (k < chain.end) {
        const bool open = atx_tokens_is(t, k, "[");
        if (open != atx_tokens_is(t, i, "[") && open)
            return false;
        if (open) {
            k = atx_tokens_match(t, k) + 1;
            i = atx_tokens_match(t, i) + 1;
        } else if (atx_guards_same(t, (atx_span){ k, k + 1 }, (atx_span){ i, i + 1 })) {
            k++;
            i++;
        } else {
            return false;
        }
    }
    *end = i;
    return true;
}

/* ---- allocations ---- */

static bool has_angle_cast(const atx_tokens *t, size_t name)
{
    char word[ATX_MAX_WORD];
    atx_draft_word(word, t, name);
    return strstr(word, "_cast") != NULL;
}

/* The call around token i, through casts: its name's token, its bracket, which argument that is. 0: none. */
static size_t call_around(const atx_tokens *t, size_t begin, size_t i, size_t *open, int *position)
{
    for (int level = 0; level < 5; level++) {
        *open = atx_guards_around(t, begin, i);
        if (*open == SIZE_MAX || !atx_tokens_is(t, *open, "("))
            return 0;
        size_t name = *open - 1;
        if (atx_tokens_is(t, name, ">") && t->items[name].pair < name)
            name = t->items[name].pair - 1;
        if (atx_tokens_is_word(t, name) && !has_angle_cast(t, name)) {
            *position = 0;
            for (size_t at = atx_code_comma(t, *open + 1, i); at < i; at = atx_code_comma(t, at + 1, i))
                ++*position;
            return name;
        }
        i = *open;
    }
    return 0;
}

static void take(search *s, const atx_host_frame *f, atx_range bytes, size_t token, bool elements)
{
    s->out.allocated = token;
    if (!bytes.exact)
        return;
    const atx_poly each = atx_poly_number(s->each ? labs(s->each) : 1);
    s->out.elements = elements ? bytes.most : atx_poly_divide(&s->b->symbols, &bytes.most, &each);
    s->out.sized = atx_host_express(&s->out.elements, s->b, f);
}

/* cudaMalloc(&p, bytes) and its kin: the bracket of the call. */
static bool take_call(search *s, const atx_host_frame *f, size_t name, size_t open)
{
    const atx_tokens *t = &s->b->d->code;
    char word[ATX_MAX_WORD];
    atx_draft_word(word, t, name);
    if (atx_host_contains(word, "pitch") || atx_host_contains(word, "3d") || atx_host_contains(word, "array"))
        return false;
    if (!atx_host_contains(word, "malloc") && !atx_host_contains(word, "hostalloc"))
        return false;
    take(s, f, atx_host_value(s->b, f, atx_host_nth(t, open, 1), s->each), name, false);
    return true;
}

static bool find(search *s, const atx_host_frame *f, atx_span chain);

/* What a function of the file allocates and returns. */
static bool take_function(search *s, const atx_host_frame *f, size_t name, size_t open)
{
    const atx_tokens *t = &s->b->d->code;
    char word[ATX_MAX_WORD];
    atx_draft_word(word, t, name);
    const atx_draft_function *called = atx_draft_find_function(s->b->d, word);
    if (!called || called == f->f)
        return false;
    const atx_host_frame inside = { .f = called, .at = called->end, .outer = f, .outer_open = open };
    for (size_t i = called->body; i < called->end; i++) {
        atx_draft_word(word, t, i);
        if (atx_host_contains(word, "malloc") && atx_tokens_is(t, i + 1, "(") &&
            !atx_tokens_is(t, i + 1 + 1, ")") && take_call(s, &inside, i, i + 1)) {
            s->out.allocated = name;
            return true;
        }
    }
    return false;
}

/* p = VALUE: malloc(bytes), new T[n], another pointer, a function of the file. */
static bool take_value(search *s, const atx_host_frame *f, atx_span value)
{
    const atx_tokens *t = &s->b->d->code;
    atx_span chain, offset;
    size_t i = value.begin;
    while (atx_tokens_is(t, i, "(") && atx_tokens_match(t, i) + 1 < value.end)
        i = atx_tokens_match(t, i) + 1;
    if (atx_tokens_is(t, i, "new")) {
        const size_t open = atx_tokens_find(t, i, value.end, "[");
        if (open >= value.end)
            return false;
        take(s, f, atx_host_value(s->b, f, (atx_span){ open + 1, atx_tokens_match(t, open) }, s->each), i,
             true);
        return true;
    }
    size_t open = i + 1;
    if (atx_tokens_is(t, open, "<") && atx_tokens_match(t, open) < value.end)
        open = atx_tokens_match(t, open) + 1;
    if (!has_angle_cast(t, i) && atx_tokens_is_word(t, i) && atx_tokens_is(t, open, "(")) {
        if (!atx_tokens_is(t, i, "malloc"))
            return take_function(s, f, i, open);
        take(s, f, atx_host_value(s->b, f, atx_host_nth(t, open, 0), s->each), i, false);
        return true;
    }
    return pointer_in(&chain, &offset, t, value) && !atx_tokens_is(t, chain.begin, "NULL") &&
           !atx_tokens_is(t, chain.begin, "nullptr") && find(s, f, chain);
}

/* Whether an allocation of the pointer is at tokens i..end. */
static bool take_at(search *s, const atx_host_frame *f, size_t i, size_t end)
{
    const atx_tokens *t = &s->b->d->code;
    size_t open;
    int position;
    const size_t name = call_around(t, f->f->body, i, &open, &position);
    if (name && position == 0 && take_call(s, f, name, open))
        return true;
    if (name && position == 0 && i && atx_tokens_is(t, i - 1, "&") && take_function(s, f, name, open))
        return true;
    if (atx_tokens_is(t, end, "="))
        return take_value(s, f, (atx_span){ end + 1, atx_tokens_find(t, end, f->f->end, ";") });
    char word[ATX_MAX_WORD];
    const size_t angle = i && atx_tokens_is(t, i - 1, ">") ? t->items[i - 1].pair : t->count;
    atx_draft_word(word, t, angle - 1);
    if (angle < i && strstr(word, "vector") && atx_tokens_is(t, end, "(")) {
        const atx_span first = atx_host_nth(t, end, 0);
        size_t rest;
        if (first.end == first.begin + 1 && atx_tokens_is_word(t, first.begin)) {
            search copied = *s;
            if (find(&copied, f, chain_at(t, first.begin, first.end, &rest)) && copied.out.sized) {
                s->out = copied.out;
                return true;
            }
        }
        take(s, f, atx_host_value(s->b, f, first, s->each), i, true);
        return true;
    }
    return false;
}

/* ---- what the host does with it ---- */

static bool is_zero(const atx_draft *d, atx_span value)
{
    long number;
    return atx_draft_number(&number, d, &d->code, value) && number == 0;
}

/* Whether a kernel is given it: init<<<grid, block>>>(p, n). */
static bool is_launched(const atx_tokens *t, size_t begin, size_t i)
{
    const size_t open = atx_guards_around(t, begin, i);
    return open != SIZE_MAX && atx_tokens_is(t, open, "(") && open > begin + 1 &&
           ((atx_tokens_is(t, open - 1, ">") && atx_tokens_is(t, open - 2, ">>")) ||
            (atx_tokens_is(t, open - 1, ">>") && atx_tokens_is(t, open - 2, ">")));
}

static void note_use(atx_host_buffer *out, const atx_draft *d, const atx_host_frame *f, size_t i, size_t end)
{
    const atx_tokens *t = &d->code;
    static const char *const QUIET[] = {
        "free", "print", "assert", "check", "sizeof", "malloc", "alloc", NULL
    };
    size_t open;
    int position;
    char word[ATX_MAX_WORD];
    const size_t name = call_around(t, f->f->body, i, &open, &position);
    atx_draft_word(word, t, name);
    if (!name) {
        const bool element = atx_tokens_is(t, end, "["), launch = is_launched(t, f->f->body, i);
        const size_t behind = element ? atx_tokens_match(t, end) + 1 : end;
        if (launch || (element && atx_tokens_is(t, behind, "=")))
            out->filled = true;
        else if (element || (i && (atx_tokens_is(t, i - 1, "=") || atx_tokens_is(t, i - 1, "return"))))
            out->complete = false;
        return;
    }
    const bool fills = atx_host_contains(word, "memcpy") || atx_host_contains(word, "memset");
    bool quiet = strcmp(word, "if") == 0 || strcmp(word, "while") == 0 || (fills && position > 0);
    for (int k = 0; QUIET[k] && !fills; k++)
        quiet = quiet || atx_host_contains(word, QUIET[k]);
    if (quiet)
        return;
    out->zeroed = atx_host_contains(word, "memset") && is_zero(d, atx_host_nth(t, open, 1));
    out->filled = !out->zeroed;
    out->complete = out->complete && fills;
}

/* Whether what stands at token i leads to token `at`, behind it: not from another case or branch. */
static bool leads_to(const atx_tokens *t, size_t begin, size_t i, size_t at)
{
    const size_t open = atx_guards_around(t, begin, i);
    size_t k = i;
    if (open != SIZE_MAX && atx_tokens_is(t, open, "(") && atx_tokens_match(t, open) < at)
        return leads_to(t, begin, open, at);
    if (open != SIZE_MAX && atx_tokens_match(t, open) < at) {
        const size_t behind = atx_tokens_match(t, open) + 1;
        const size_t brace = atx_tokens_find(t, behind, at, "{");
        const bool branch = atx_tokens_is(t, behind, "else");
        if (branch && (atx_guards_statement(t, behind + 1, t->count) > at ||
                       (brace < at && atx_tokens_match(t, brace) > at)))
            return false;
        k = behind;
    }
    for (; k < at; k++) {
        if (atx_tokens_is(t, k, "break") || atx_tokens_is(t, k, "return"))
            return false;
        if (atx_tokens_opens(t, k) && atx_tokens_match(t, k) < at)
            k = atx_tokens_match(t, k);
    }
    return true;
}

/* From the beginning of the function to the launch. */
static void note_uses(atx_host_buffer *out, const search *s, const atx_host_frame *f, atx_span chain)
{
    const atx_tokens *t = &s->b->d->code;
    size_t end;
    for (size_t i = atx_host_same(s->b->d, chain.begin, f->f->body); i < f->at; i = behind(s->b->d, i))
        if (is_same(t, chain, i, &end) && leads_to(t, f->f->body + 1, i, f->at))
            note_use(out, s->b->d, f, i, end);
}

/* ---- where it is ---- */

/* In the function of the frame: the last allocation before the launch, else any. */
static bool find_here(search *s, const atx_host_frame *f, atx_span chain)
{
    const atx_tokens *t = &s->b->d->code;
    search best = *s;
    bool found = false;
    size_t end;
    for (size_t i = atx_host_same(s->b->d, chain.begin, f->f->body); i < f->f->end && !(found && i > f->at);
         i = behind(s->b->d, i))
        if (!(i >= chain.begin && i < chain.end) && is_same(t, chain, i, &end)) {
            search one = *s;
            one.depth++;
            if (take_at(&one, f, i, end)) {
                best.out = one.out;
                found = true;
            }
        }
    s->out = best.out;
    return found;
}

/* In functions that call this one, which is given it. */
static bool find_outside(search *s, const atx_host_frame *f, atx_span chain)
{
    const atx_draft *d = s->b->d;
    size_t token, at = 0;
    bool any = false;
    const int n = chain.end == chain.begin + 1 ? atx_host_parameter(&token, d, f->f, chain.begin) : -1;
    atx_host_frame outside;
    const atx_host_buffer before = s->out;
    for (; n >= 0 && !s->out.sized && atx_host_next_call(&outside, d, f->f, &at);) {
        atx_span given, offset;
        search one = *s;
        one.out = before;
        one.depth++;
        outside.inner = f;
        if (!pointer_in(&given, &offset, &d->code, atx_host_nth(&d->code, outside.open, n)) ||
            !find(&one, &outside, given))
            continue;
        s->out = one.out;
        any = true;
    }
    return any;
}

/* A variable of the file, or a member: in any function. */
static bool find_anywhere(search *s, const atx_host_frame *f, atx_span chain)
{
    const atx_draft *d = s->b->d;
    char word[ATX_MAX_WORD];
    size_t token;
    atx_draft_word(word, &d->code, chain.begin);
    if (atx_host_parameter(&token, d, f->f, chain.begin) >= 0 ||
        atx_guards_declaration(&d->code, f->f->body + 1, word, f->at) != SIZE_MAX)
        return false;
    s->out.complete = false;
    for (size_t k = 0; k < d->function_count; k++) {
        const atx_host_frame other = { .f = &d->functions[k], .at = d->functions[k].end };
        if (&d->functions[k] != f->f && find_here(s, &other, chain))
            return true;
    }
    return false;
}

static bool find(search *s, const atx_host_frame *f, atx_span chain)
{
    if (s->depth > MOST_DEPTH || !f->f || s->b->budget-- <= 0) /* overloads may call each other */
        return false;
    note_uses(&s->out, s, f, chain);
    const bool complete = s->out.complete, filled = s->out.filled, zeroed = s->out.zeroed;
    bool found = find_here(s, f, chain);
    s->out.complete = complete && s->out.complete;
    s->out.filled = s->out.filled || filled;
    s->out.zeroed = s->out.zeroed || zeroed;
    found = found || find_outside(s, f, chain);
    return found || find_anywhere(s, f, chain);
}

/* How far ahead an argument of the launch is, if it is the same buffer. */
static bool ahead_of(atx_poly *out, const search *s, atx_span chain, int arg)
{
    const atx_draft *d = s->b->d;
    atx_span other, offset;
    size_t end;
    if (!d->args[arg].stars || arg >= d->launch.arg_count ||
        !pointer_in(&other, &offset, &d->code,
                    (atx_span){ d->launch.args[arg][0], d->launch.args[arg][1] }) ||
        !is_same(&d->code, chain, other.begin, &end) || end != other.end)
        return false;
    *out = atx_poly_number(0);
    if (offset.begin >= offset.end)
        return true;
    const atx_range value = atx_host_value(s->b, s->launch, offset, s->each);
    *out = value.most;
    return value.exact && atx_host_express(out, s->b, s->launch);
}

/* A part of what is allocated: from where the argument begins to where the next one of the same begins. */
static void take_part(search *s, atx_span chain, int arg)
{
    const atx_draft *d = s->b->d;
    const atx_poly zero = atx_poly_number(0);
    atx_poly begin, next;
    s->out.sized = ahead_of(&begin, s, chain, arg);
    s->out.elements = atx_poly_add(&s->out.elements, &begin, -1);
    for (int k = 0; k < d->arg_count && s->out.sized; k++) {
        if (k == arg || !ahead_of(&next, s, chain, k))
            continue;
        next = atx_poly_add(&next, &begin, -1);
        if (next.count && atx_poly_within(&zero, &next) && atx_poly_within(&next, &s->out.elements))
            s->out.elements = next;
    }
}

atx_host_buffer atx_host_buffer_of(atx_bounding *b, int arg, long each)
{
    const atx_draft *d = b->d;
    const atx_host_frame launch = { .f = atx_host_function_around(d, d->launch.at),
                                    .at = d->launch.at,
                                    .launches = true };
    search s = { .b = b, .launch = &launch, .each = each, .out = { .complete = true } };
    atx_span chain, offset;
    if (!d->launched || arg >= d->launch.arg_count || !launch.f)
        return (atx_host_buffer){ 0 };
    const atx_span given = { d->launch.args[arg][0], d->launch.args[arg][1] };
    if (!pointer_in(&chain, &offset, &d->code, given) || !find(&s, &launch, chain))
        return (atx_host_buffer){ 0 };
    if (s.out.sized)
        take_part(&s, chain, arg);
    return s.out;
}

/* ---- numbers ---- */

static void number_in(char out[ATX_MAX_WORD], const atx_draft *d, const atx_draft_function *f, size_t name,
                      atx_span span, int depth, int *budget)
{
    const atx_tokens *t = &d->code;
    long value;
    size_t token, at = 0;
    atx_span definition;
    atx_host_frame outside;
    char word[ATX_MAX_WORD];
    const bool minus = atx_tokens_is(t, span.begin, "-");
    if (depth > MOST_DEPTH || span.begin >= span.end || (*budget)-- <= 0)
        return;
    if (atx_draft_number(&value, d, t, span)) {
        snprintf(out, ATX_MAX_WORD, "%ld", value);
    } else if (span.end == span.begin + 1 + minus && t->items[span.end - 1].kind == ATX_TOKEN_NUMBER) {
        atx_draft_word(word, t, span.end - 1);
        const size_t n = strspn(word, "0123456789.eE+-");
        snprintf(out, ATX_MAX_WORD, "%s%s%.*s%s", minus ? "-" : "", word[0] == '.' ? "0" : "",
                 (int)(n < 30 ? n : 30), word, n && word[n - 1] == '.' ? "0" : "");
    } else if (span.end == span.begin + 1 && atx_tokens_is_word(t, span.begin)) {
        atx_draft_word(word, t, span.begin);
        const int n = f ? atx_host_parameter(&token, d, f, span.begin) : -1;
        if (n < 0 && atx_draft_definition(&definition, d, word, name))
            number_in(out, d, f, name, definition, depth + 1, budget);
        while (n >= 0 && !out[0] && atx_host_next_call(&outside, d, f, &at))
            number_in(out, d, outside.f, outside.at, atx_host_nth(t, outside.open, n), depth + 1, budget);
    }
}

void atx_host_scalar(char out[ATX_MAX_WORD], const atx_draft *d, int arg)
{
    int budget = MOST_NUMBERS;
    out[0] = '\0';
    if (d->launched && arg < d->launch.arg_count &&
        atx_draft_is_set_later(d, (atx_span){ d->launch.args[arg][0], d->launch.args[arg][1] }))
        return;
    if (d->launched && arg < d->launch.arg_count)
        number_in(out, d, atx_host_function_around(d, d->launch.at), d->launch.at,
                  (atx_span){ d->launch.args[arg][0], d->launch.args[arg][1] }, 0, &budget);
}
