/*
 * adopt_sizes_host.c - what the host does with the buffers of a launch, where that says more than the kernel:
 * how large they are where an index is not understood, that they hold zeros or nothing before, and numbers
 * that functions around the launch pass on.
 */
#include "exchange/adopt_sizes.h"

#include <stdio.h>
#include <string.h>

/* A number above 0, or a size that the kernel is given. */
static bool is_ahead(atx_bounding *b, const atx_frame *f, atx_span span, bool inclusive)
{
    const atx_range value = atx_bounds_value(b, f, span);
    long number;
    if (!value.exact)
        return false;
    if (atx_poly_is_number(&number, &value.most))
        return number > 0 || (number == 0 && !inclusive);
    for (int i = 0; i < b->symbols.count; i++)
        if (value.most.count == 1 && value.most.terms[0].degree == 1 && value.most.terms[0].of[0] == i)
            return b->symbols.items[i].kind == ATX_SYMBOL_NAME && b->symbols.items[i].tag < ATX_TAG_EXTRA;
    return false;
}

/* Whether a name stands between two tokens: j of y[j]. */
static bool names(const atx_tokens *t, atx_span name, size_t begin, size_t end)
{
    for (size_t i = begin; i < end && name.end == name.begin + 1; i++)
        if (atx_guards_same(t, name, (atx_span){ i, i + 1 }))
            return true;
    return false;
}

enum { MOST_LOCALS = 4 }; /* that are made of each other */

/* Whether a name is made of blockIdx or threadIdx: an index of threads. */
static bool is_of_grid(const atx_frame *f, atx_span span, size_t at, int depth)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, f->t, span.begin);
    const size_t declared =
        span.end == span.begin + 1 ? atx_guards_declaration(f->t, f->body.begin, name, at) : SIZE_MAX;
    const size_t end = declared == SIZE_MAX ? 0 : atx_tokens_find(f->t, declared, f->body.end, ";");
    for (size_t i = declared == SIZE_MAX ? end : declared + 1; i < end; i++)
        if (atx_tokens_is(f->t, i, "blockIdx") || atx_tokens_is(f->t, i, "threadIdx") ||
            (depth < MOST_LOCALS && atx_tokens_is_word(f->t, i) &&
             is_of_grid(f, (atx_span){ i, i + 1 }, declared, depth + 1)))
            return true;
    return false;
}

static bool has_data(const atx_frame *f, size_t begin, size_t end, int depth);

/* Whether token k is an argument of a function, which may write to it: get(a, &b). */
static bool is_handed_on(const atx_frame *f, size_t declared, size_t k)
{
    static const char *const NOT[] = { "if", "for", "while", "switch", "return", "sizeof", NULL };
    const atx_tokens *t = f->t;
    const size_t open = atx_guards_around(t, f->body.begin, k);
    return open != SIZE_MAX && open > f->body.begin && atx_tokens_is(t, open, "(") &&
           atx_tokens_is_word(t, open - 1) && !atx_token_is_one_of(t->text, &t->items[open - 1], NOT) &&
           (atx_tokens_is(t, k - 1, "&") ||
            (atx_tokens_is(t, declared + 1, "[") && !atx_tokens_is(t, k + 1, "[")));
}

/* Whether a local without a first value is given data between its declaration and token i: a[k] = p[k]. */
static bool is_given_data(const atx_frame *f, size_t declared, size_t i, int depth)
{
    const atx_tokens *t = f->t;
    for (size_t k = declared + 1; k < i; k++) {
        if (!atx_code_same(t, k, declared) || atx_guards_member(t, k))
            continue;
        if (is_handed_on(f, declared, k))
            return true;
        size_t end = k + 1;
        while (end < i && (atx_tokens_is(t, end, "[") || atx_tokens_is(t, end, ".")))
            end = atx_tokens_is(t, end, "[") ? atx_tokens_match(t, end) + 1 : end + 2;
        if (atx_tokens_is(t, end, "=") && has_data(f, end + 1, atx_tokens_find(t, end, i, ";"), depth + 1))
            return true;
    }
    return false;
}

/* int found = 0, int best = -1, bool found = false: what counts data, or notes it. */
static bool counts(const atx_tokens *t, size_t declared, size_t stop)
{
    static const char *const TRUTHS[] = { "true", "false", NULL };
    const size_t value = declared + 2 + atx_tokens_is(t, declared + 2, "-");
    return stop == value + 1 &&
           (t->items[value].kind == ATX_TOKEN_NUMBER ||
            atx_token_is_one_of(t->text, &t->items[value], TRUTHS)) &&
           !atx_tokens_is(t, declared - 2, "const") && !atx_tokens_is(t, declared - 1, "auto");
}

/* Whether elements of a buffer are between two tokens, or in what names there are given. */
static bool has_data(const atx_frame *f, size_t begin, size_t end, int depth)
{
    const atx_tokens *t = f->t;
    for (size_t i = begin; i < end; i++) {
        char name[ATX_MAX_WORD];
        if (!atx_tokens_is_word(t, i) || atx_guards_member(t, i))
            continue;
        const atx_bound_name *p = atx_bounds_name(f, t, i);
        if (p && p->arg >= 0) {
            if (atx_tokens_is(t, i + 1, "[") || (i && atx_tokens_is(t, i - 1, "*")))
                return true;
            continue;
        }
        atx_draft_word(name, t, i);
        const size_t declared =
            depth < MOST_LOCALS && name[0] ? atx_guards_declaration(t, f->body.begin, name, i) : SIZE_MAX;
        if (declared == SIZE_MAX) { /* an element of a tensor, or of a constant */
            if (depth < MOST_LOCALS && atx_tokens_is(t, i + 1, "[") &&
                t->items[i + 2].kind != ATX_TOKEN_NUMBER)
                return true;
            continue;
        }
        if (!atx_tokens_is(t, declared + 1, "=")) {
            if (is_given_data(f, declared, i, depth))
                return true;
            continue;
        }
        const size_t stop = atx_tokens_find(t, declared, i, ";");
        const size_t around = atx_guards_around(t, f->body.begin, declared);
        const bool loop = around != SIZE_MAX && atx_tokens_is(t, around, "("); /* for (int i = 0; */
        if ((declared < begin && !loop && counts(t, declared, stop)) ||
            has_data(f, declared + 2, stop, depth + 1))
            return true;
    }
    return false;
}

/* Whether the statement at token i leaves what it is in: return; { continue; } */
static bool leaves(const atx_tokens *t, size_t i)
{
    static const char *const WORDS[] = { "return", "continue", "break", NULL };
    i += atx_tokens_is(t, i, "{");
    return i < t->count && atx_token_is_one_of(t->text, &t->items[i], WORDS);
}

/* Whether what the access at token i is of is written between two tokens, too: the other branch of an if. */
static bool is_written_in(const atx_frame *f, size_t i, size_t begin, size_t end)
{
    for (size_t k = begin; k < end; k++)
        if (atx_code_same(f->t, k, i) && !atx_guards_member(f->t, k))
            return true;
    return false;
}

/* Whether a condition asks what a number of the kernel is, that is no size: mode == 1, flag, !flag. */
static bool asks_scalar(const atx_draft *d, const atx_frame *f, size_t begin, size_t end)
{
    static const char *const BEFORE[] = { "==", "!=", "&&", "||", "!", "if", NULL };
    static const char *const AFTER[] = { "==", "!=", "&&", "||", ")", NULL };
    const atx_tokens *t = f->t;
    for (size_t i = begin; i < end && t == &d->code; i++)
        for (int k = 0; k < d->arg_count; k++)
            if (!d->args[k].stars && !d->args[k].structure && !d->args[k].dim &&
                atx_code_same(t, d->args[k].token, i) &&
                atx_token_is_one_of(t->text, &t->items[i - 1 - atx_tokens_is(t, i - 1, "(")], BEFORE) &&
                atx_token_is_one_of(t->text, &t->items[i + 1], AFTER))
                return true;
    const size_t flag = begin + atx_tokens_is(t, begin, "!"); /* an argument of its template: FLAG, !FLAG */
    for (int k = 0; k < d->targ_count && flag + 1 == end && t == &d->code; k++)
        if (d->targs[k].name[0] && atx_tokens_is(t, flag, d->targs[k].name))
            return true;
    return false;
}

/* Whether data decides whether token i is come to: if (mask[i]) here, and not in the other branch; if
 * (mask[i]) return; here; for (k = 0; k < counts[i]; k++) here. */
static bool is_by_data(const atx_draft *d, const atx_frame *f, size_t i)
{
    static const char *const HEADS[] = { "if", "for", "while", NULL };
    const atx_tokens *t = f->t;
    for (size_t k = f->body.begin; k + 1 < i; k++) {
        const size_t open = k + 1 + atx_tokens_is(t, k + 1, "constexpr");
        if (!atx_token_is_one_of(t->text, &t->items[k], HEADS) || !atx_tokens_is(t, open, "("))
            continue;
        const size_t close = atx_tokens_match(t, open);
        const size_t end = close < i ? atx_guards_statement(t, close + 1, f->body.end) : 0;
        const size_t other =
            end && atx_tokens_is(t, end, "else") ? atx_guards_statement(t, end + 1, f->body.end) : end;
        const bool within = end > i && !is_written_in(f, i, end, other);
        const bool beside = end && end <= i && other > i && !is_written_in(f, i, close, end);
        const bool before = end && other <= i && leaves(t, close + 1) && atx_code_open(t, k, i);
        if ((within || beside || before) &&
            (has_data(f, open + 1, close, 0) || asks_scalar(d, f, open + 1, close)))
            return true;
    }
    return false;
}

/* Whether a name is given nothing but its first value. */
static bool is_fixed(const atx_frame *f, size_t declared)
{
    static const char *const SIGNS[] = { "=", "+=", "-=", "*=", "/=", "%=", "++", "--", "<<=", ">>=", NULL };
    const atx_tokens *t = f->t;
    for (size_t i = f->body.begin; i < f->body.end; i++)
        if (i != declared && atx_code_same(t, i, declared) &&
            (atx_token_is_one_of(t->text, &t->items[i + 1], SIGNS) || atx_tokens_is(t, i - 1, "++") ||
             atx_tokens_is(t, i - 1, "--")))
            return false;
    return true;
}

static atx_span within(const atx_tokens *t, atx_span span)
{
    const bool bracket = atx_tokens_is(t, span.begin, "(") && atx_tokens_match(t, span.begin) + 1 == span.end;
    return (atx_span){ span.begin + bracket, span.end - bracket };
}

/* Whether a sum is never 0, as one of what is added is not: x + 1, row * n + col of col = x + 1. */
static bool begins_ahead(atx_bounding *b, const atx_frame *f, atx_span sum, int depth)
{
    static const char *const OTHER[] = { "-", "?", "%", "/", ">>", "&", "|", "^", "<", ">", "!", "~", NULL };
    const atx_tokens *t = f->t;
    char name[ATX_MAX_WORD];
    for (size_t i = sum.begin; i < sum.end; i++)
        if (depth && atx_token_is_one_of(t->text, &t->items[i], OTHER))
            return false;
    for (size_t at = sum.begin; at < sum.end;) {
        const size_t plus = atx_tokens_find(t, at, sum.end, "+");
        const atx_span one = { at, plus };
        at = plus + 1;
        const size_t times = atx_tokens_find(t, one.begin, one.end, "*");
        if (times < one.end && begins_ahead(b, f, within(t, (atx_span){ one.begin, times }), depth + 1) &&
            begins_ahead(b, f, within(t, (atx_span){ times + 1, one.end }), depth + 1))
            return true;
        if (one.end != one.begin + 1)
            continue;
        const bool number = t->items[one.begin].kind == ATX_TOKEN_NUMBER; /* y[i + 1]: another lane of y[i] */
        if (sum.end > sum.begin + 1 && (depth || !number) && is_ahead(b, f, one, true))
            return true;
        atx_draft_word(name, t, one.begin);
        const size_t declared = depth < MOST_LOCALS && name[0]
                                    ? atx_guards_declaration(t, f->body.begin, name, one.begin)
                                    : SIZE_MAX;
        if (declared != SIZE_MAX && atx_tokens_is(t, declared + 1, "=") && is_fixed(f, declared) &&
            begins_ahead(
                b, f,
                (atx_span){ declared + 2,
                            atx_code_comma(t, declared + 2, atx_tokens_find(t, declared, f->body.end, ";")) },
                depth + 1))
            return true;
    }
    return false;
}

bool atx_draft_leaves_some(atx_bounding *b, const atx_frame *f, size_t i)
{
    const atx_tokens *t = f->t;
    const size_t end = atx_tokens_is(t, i + 1, "[") ? atx_tokens_match(t, i + 1) : i;
    if (is_by_data(b->d, f, i) || has_data(f, i + 2, end, 0)) /* y[order[i]] */
        return true;
    if (begins_ahead(b, f, (atx_span){ i + 2, end }, 0))
        return true;
    for (int k = 0; f->guards && k < f->guards->count; k++) {
        const atx_guard *g = &f->guards->items[k];
        if (i >= g->holds.begin && i < g->holds.end && is_of_grid(f, g->than, i, 0) &&
            (is_ahead(b, f, g->less, g->inclusive) || names(t, g->less, i + 2, end)))
            return true;
    }
    return false;
}

/* Buffers that the kernel writes: zeros before each launch, or nothing that it could read. */
static void set_role(atx_draft *d, int k, const atx_host_buffer *host)
{
    atx_draft_arg *a = &d->args[k];
    if (!a->written || !host->allocated || !host->complete || d->loop_count)
        return;
    a->zeroed = host->zeroed;
    if (a->read && (a->fresh || a->lost) && !a->atomic && !host->filled && !host->zeroed)
        a->read = false;
}

void atx_draft_read_host(atx_draft *d, atx_sizing *z)
{
    atx_bounding *b = &z->bounds;
    for (int k = 0; k < d->arg_count; k++) {
        atx_reach *reach = &z->reach[k];
        atx_host_buffer *host = &z->hosts[k];
        if (!d->args[k].stars || d->args[k].field || d->several)
            continue;
        b->budget = 2000;
        const long each = atx_draft_bytes(d, &d->args[k].type);
        *host = atx_host_buffer_of(b, k, d->args[k].type.targ >= 0 ? -each : each);
        set_role(d, k, host);
        if (reach->nulls && reach->nulls == reach->writes && reach->partial && !d->args[k].atomic)
            d->args[k].read = true; /* zeros into zeros would show nothing */
        d->args[k].zeroed = d->args[k].zeroed || (reach->writes && reach->partial == reach->writes &&
                                                  !d->args[k].read && !d->args[k].atomic);
        if ((reach->any && !reach->unknown && !reach->doubtful) || !host->sized)
            continue;
        *reach = (atx_reach){ .most = host->elements, .any = true };
        d->args[k].allocated = host->allocated;
    }
}

void atx_draft_host_values(atx_draft *d)
{
    for (int k = 0; k < d->arg_count && !d->several; k++) {
        atx_draft_arg *a = &d->args[k];
        char number[ATX_MAX_WORD];
        if (a->stars || a->structure || a->dim || a->value[0] || a->own || !a->type.dtype)
            continue;
        atx_host_scalar(number, d, k);
        if (atx_draft_is_real(a->type.dtype) || !strpbrk(number, ".e"))
            snprintf(a->value, sizeof a->value, "%s", number);
    }
}
