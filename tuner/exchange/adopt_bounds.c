/*
 * adopt_bounds.c - see adopt_bounds.h. A name has the smallest of the bounds that hold where it stands;
 * without one, the largest of the values that it is given.
 */
#include "exchange/adopt_bounds_place.h"
#include "exchange/adopt_host.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 24 };

static const atx_range UNKNOWN = { .known = false };

/* ---- bounds ---- */
/* subject + A < B: below B - A; subject * A + B < C. `less` begins with the subject. */
static atx_range solve(place *p, const atx_guard *g, atx_span subject, atx_range below)
{
    const atx_tokens *t = p->f->t;
    const atx_span less = g->less;
    const size_t n = subject.end - subject.begin;
    size_t at = less.begin + n;
    const atx_poly zero = atx_poly_number(0);
    if (at == less.end)
        return below;
    if (atx_tokens_is(t, at, "*")) {
        size_t end = at + 1;
        while (end < less.end && !atx_tokens_is(t, end, "+") && !atx_tokens_is(t, end, "-"))
            end = atx_tokens_opens(t, end) ? atx_tokens_match(t, end) + 1 : end + 1;
        const atx_range by = atx_place_read(p, t, (atx_span){ at + 1, end });
        const atx_range rest =
            end < less.end ? atx_place_read(p, t, (atx_span){ end, less.end }) : atx_range_exactly(zero);
        if (!by.exact)
            return below;
        if (rest.exact)
            below.most = atx_poly_add(&below.most, &rest.most, -1);
        below.most = atx_poly_divide(&p->b->symbols, &below.most, &by.most);
        return below;
    }
    const bool minus = atx_tokens_is(t, at, "-");
    if (!minus && !atx_tokens_is(t, at, "+"))
        return UNKNOWN;
    const atx_range rest = atx_place_read(p, t, (atx_span){ at + 1, less.end });
    if (!minus)
        return atx_range_rest(below, rest);
    if (!rest.known)
        return UNKNOWN;
    below.most = atx_poly_add(&below.most, &rest.most, 1);
    return below;
}

/* The smallest of the bounds of a subject at token `at`: of a name, of threadIdx.x, of a whole index. */
atx_range atx_place_bound(place *p, atx_span subject, size_t at)
{
    const bool builtin = atx_tokens_is(p->f->t, subject.begin + 1, "."); /* threadIdx.x: no part of a sum */
    const atx_frame *f = p->f;
    const size_t n = subject.end - subject.begin;
    atx_range best = UNKNOWN;
    for (int k = 0; f->guards && k < f->guards->count; k++) {
        const atx_guard *g = &f->guards->items[k];
        const atx_span begin = { g->less.begin, g->less.begin + n };
        if (at < g->holds.begin || at >= g->holds.end || begin.end > g->less.end ||
            !atx_guards_same(f->t, begin, subject) || (at >= g->than.begin && at < g->than.end) ||
            (at >= g->less.begin && at < g->less.end) || (builtin && begin.end != g->less.end) ||
            (n == 1 && atx_guards_given(f->t, subject.begin, g->holds.begin, at)) ||
            atx_tokens_is(f->t, begin.end, "::") || atx_tokens_is(f->t, begin.end, ".") ||
            atx_tokens_is(f->t, begin.end, "["))
            continue;
        place there = { p->b, f, SIZE_MAX, p->looked };
        atx_range below = atx_place_read(&there, f->t, g->than);
        if (!below.known)
            continue;
        below = g->inclusive ? below : atx_range_below(below.most);
        below.exact = false;
        below = solve(&there, g, subject, below);
        if (n == 1 && below.known) { /* if (i < n) { i += m; here } */
            const atx_range by = atx_place_moved(&there, subject.begin, g->holds.begin, at);
            below.known = by.known;
            below.most = by.known ? atx_poly_add(&below.most, &by.most, 1) : below.most;
        }
        if (!below.known)
            continue;
        if (!best.known || atx_poly_within(&below.most, &best.most) ||
            !atx_poly_within(&best.most, &below.most)) /* the inner one, where it is unknown */
            best = below;
    }
    return best;
}

/* ---- words ---- */

static bool read_builtin(atx_range *out, place *p, const atx_tokens *t, size_t i)
{
    bool symbolic;
    if (!atx_bounds_builtin(out, &symbolic, p->b, t, i))
        return false;
    if (t == p->f->t && !symbolic)
        *out = atx_bounds_limited(
            p->b, atx_place_bound(p, (atx_span){ i, i + 3 }, p->at == SIZE_MAX ? i : p->at), *out);
    return true;
}

/* The body of a macro or of a function that only returns, with what its parameters are given. */
static atx_range read_body(place *p, const atx_tokens *from, size_t open, const atx_tokens *t, size_t params,
                           atx_span body)
{
    atx_bound_name names[8];
    const bool macro = t != &p->b->d->code;
    atx_frame inner = { .t = t, .body = body, .names = names, .depth = p->f->depth + 1 };
    const size_t end = params ? atx_tokens_match(t, params) : 0,
                 stop = open ? atx_tokens_match(from, open) : 0;
    for (size_t at = params + 1, given = open + 1; params && at < end && given < stop && inner.count < 8;) {
        const size_t comma = atx_code_comma(t, at, end), next = atx_code_comma(from, given, stop);
        const size_t word = atx_tokens_find(t, at, comma, "=") - 1;
        char name[ATX_MAX_WORD];
        atx_draft_word(name, t, word);
        atx_bound_name *one = atx_bounds_add(&inner, name);
        if (one)
            one->value = atx_place_read(p, from, (atx_span){ given, next });
        at = comma + 1;
        given = next + 1;
    }
    if (macro) {
        inner.outer = p->f;
        inner.outer_at = p->at == SIZE_MAX && from == p->f->t ? open : p->at;
    }
    place there = { p->b, &inner, SIZE_MAX, p->looked };
    return atx_place_read(&there, t, body);
}

static atx_range read_call(place *p, const char *name, const atx_tokens *t, size_t open)
{
    const atx_draft *d = p->b->d;
    const size_t close = atx_tokens_match(t, open), comma = atx_code_comma(t, open + 1, close);
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    const atx_draft_function *f = atx_draft_find_function(d, name);
    const bool least = strstr(name, "min") || strstr(name, "MIN");
    if (comma < close && (least || strstr(name, "max") || strstr(name, "MAX"))) {
        const atx_range x = atx_place_read(p, t, (atx_span){ open + 1, comma });
        const atx_range y = atx_place_read(p, t, (atx_span){ comma + 1, close });
        return least ? atx_bounds_smaller(p->b, x, y) : atx_range_larger(&p->b->symbols, x, y);
    }
    if (macro && macro->open)
        return read_body(p, t, open, &d->all, macro->open, macro->body);
    if (comma < close && (strcmp(name, "__mul24") == 0 || strcmp(name, "__umul24") == 0)) {
        const atx_range x = atx_place_read(p, t, (atx_span){ open + 1, comma });
        return atx_range_product(&p->b->symbols, x, atx_place_read(p, t, (atx_span){ comma + 1, close }));
    }
    const bool plain = f && atx_tokens_find(&d->code, f->body + 1, f->end, "?") == f->end;
    if (!plain && comma < close &&
        atx_host_divides_up(name)) { /* not at hand, or a % b ? a / b + 1 : a / b */
        atx_range x = atx_place_read(p, t, (atx_span){ open + 1, comma });
        const atx_range y = atx_place_read(p, t, (atx_span){ comma + 1, close });
        x.most = atx_poly_divide_up(&p->b->symbols, &x.most, &y.most);
        x.exact = x.exact && !x.most.bad;
        x.known = x.known && y.exact && !x.most.bad;
        return x;
    }
    if (strcmp(name, "sizeof") == 0)
        return atx_bounds_sizeof(p->b, t, open + 1, close);
    if (strstr(name, "ldg") || strncmp(name, "atomic", 6) == 0 || strncmp(name, "__shfl", 6) == 0 ||
        strcmp(name, "ldcs") == 0 || atx_bounds_type(p->b, t, open - 1) || strcmp(name, "abs") == 0)
        return atx_place_read(p, t, (atx_span){ open + 1, comma });
    if (f && atx_tokens_is(&d->code, f->body + 1, "return")) {
        const size_t end = atx_tokens_find(&d->code, f->body + 2, f->end, ";");
        if (end + 1 == f->end)
            return read_body(p, t, open, &d->code, f->open, (atx_span){ f->body + 2, end });
    }
    return UNKNOWN;
}

/* A name that the whole file knows: an argument of the kernel, a parameter, a macro, a constant. */
static atx_range read_global(place *p, const char *name, const atx_tokens *t, size_t i)
{
    atx_bounding *b = p->b;
    atx_draft *d = b->d;
    long value;
    const atx_draft_param *param = atx_draft_find_param(d, name);
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    if (param) {
        const char *line = atx_draft_param_line(param);
        if (param->boolean)
            return atx_range_up_to(atx_poly_number(1));
        return atx_range_exactly(atx_poly_symbol(atx_poly_named(&b->symbols, line, ATX_TAG_PARAM)));
    }
    for (int k = 0; k < d->targ_count; k++)
        if (strcmp(d->targs[k].name, name) == 0) {
            atx_poly number;
            const char *text = strcmp(d->targs[k].text, "true") == 0    ? "1"
                               : strcmp(d->targs[k].text, "false") == 0 ? "0"
                                                                        : d->targs[k].text;
            return text[0] && atx_bounds_text(&number, b, text) ? atx_range_exactly(number) : UNKNOWN;
        }
    if (macro && !macro->open)
        return read_body(p, t, 0, &d->all, 0, macro->body);
    const atx_tokens *code = &d->code;
    if (t == code && b->seen && (b->seen[i] & ATX_SEEN_UNKNOWN))
        return UNKNOWN;
    if (atx_bounds_number(&value, b, name, t, i))
        return atx_range_exactly(atx_poly_number(value));
    atx_span definition;
    if (t == code && atx_draft_definition(&definition, d, name, i)) {
        const atx_frame file = { .t = code, .body = { 0, code->count }, .depth = p->f->depth + 1 };
        place there = { b, &file, SIZE_MAX, p->looked };
        return definition.begin <= i && i < definition.end ? UNKNOWN
                                                           : atx_place_read(&there, code, definition);
    }
    if (t == code && b->seen)
        b->seen[i] |= ATX_SEEN_UNKNOWN;
    return UNKNOWN;
}

static const looked *find_looked(const place *p, const char *name)
{
    for (const looked *l = p->looked; l; l = l->outer)
        if (l->f == p->f && strcmp(l->name, name) == 0)
            return l;
    return NULL;
}

/* "int i = blockIdx.x * blockDim.x + threadIdx.x" behind a comparison of that sum, in whatever order. */
static atx_range bound_of_value(place *p, size_t declared, size_t at)
{
    const atx_frame *f = p->f;
    const size_t end = atx_tokens_find(f->t, declared, f->body.end, ";");
    const atx_span value = { declared + 2, atx_code_comma(f->t, declared + 2, end) };
    for (int k = 0; f->guards && k < f->guards->count && atx_tokens_is(f->t, declared + 1, "="); k++) {
        const atx_guard *g = &f->guards->items[k];
        if (value.end >= value.begin + 3 && at >= g->holds.begin && at < g->holds.end &&
            atx_guards_same_sum(f->t, value, g->less))
            return atx_place_bound(p, g->less, at);
    }
    return UNKNOWN;
}

static atx_range bound_of_sum(place *p, size_t declared, size_t at)
{
    atx_guard_sum sum;
    if (!atx_guards_sum(&sum, p->f->guards, p->f->t, p->f->body.begin, declared, at))
        return UNKNOWN;
    atx_range than = atx_place_read(p, p->f->t, sum.than);
    const atx_range rest = atx_place_read(p, p->f->t, sum.rest);
    if (than.known && !sum.inclusive)
        than = atx_range_below(than.most);
    return than.known ? atx_range_up_to(atx_range_rest(than, rest).most) : UNKNOWN;
}

static atx_range bound_of_quotient(place *p, size_t declared, size_t at)
{
    const atx_tokens *t = p->f->t;
    atx_quotient q;
    if (!atx_guards_quotient(&q, p->f->guards, t, p->f->body.begin, declared, at))
        return bound_of_sum(p, declared, at);
    const atx_range than = atx_place_read(p, t, q.than);
    const atx_range by = q.number ? atx_range_exactly(atx_poly_number(q.number)) : atx_place_read(p, t, q.by);
    return than.exact && by.exact ? atx_range_below(atx_poly_multiply(&p->b->symbols, &than.most, &by.most))
                                  : UNKNOWN;
}

/* A variable of the frame. */
static bool read_local(atx_range *out, place *p, const char *name, size_t at)
{
    const size_t declared = atx_guards_declaration(p->f->t, p->f->body.begin, name, at);
    if (declared == SIZE_MAX)
        return false;
    const looked *before = find_looked(p, name);
    if (before) {
        place there = { p->b, p->f, SIZE_MAX, p->looked };
        *out = atx_bounds_limited(p->b, atx_place_bound(&there, (atx_span){ declared, declared + 1 }, at),
                                  before->had);
        return true;
    }
    looked now = { .outer = p->looked, .f = p->f };
    snprintf(now.name, sizeof now.name, "%s", name);
    place there = { p->b, p->f, SIZE_MAX, &now };
    atx_range bound = atx_place_stepped(
        &there, atx_place_bound(&there, (atx_span){ declared, declared + 1 }, at), declared, at);
    if (!bound.known)
        bound = bound_of_value(&there, declared, at);
    if (!bound.known)
        bound = bound_of_quotient(&there, declared, at);
    atx_range value = atx_place_given(&there, &now.had, declared, at);
    if (!value.exact && atx_guards_later(p->f->guards, p->f->t, declared, at)) {
        there.at = at;
        value = atx_bounds_limited(p->b, atx_place_given(&there, &now.had, declared, at), value);
    }
    *out = value.exact && !bound.known ? value : atx_bounds_limited(p->b, bound, value);
    if (!out->known && declared >= 2 && p->f->t == &p->b->d->code)
        *out = atx_bounds_byte(p->b, p->f->t, declared);
    return true;
}

/* A whole number that the kernel is given, and changes: ++index. */
static bool read_changed(atx_range *out, place *p, const char *name, size_t at)
{
    const atx_draft *d = p->b->d;
    int k = 0;
    while (k < d->arg_count && strcmp(d->args[k].arg.name, name) != 0)
        k++;
    if (k == d->arg_count || d->args[k].token >= p->f->body.begin || p->f->depth || find_looked(p, name))
        return false;
    looked now = { .outer = p->looked, .f = p->f };
    snprintf(now.name, sizeof now.name, "%s", name);
    place there = { p->b, p->f, SIZE_MAX, &now };
    *out = atx_place_given(&there, &now.had, d->args[k].token, at);
    return !out->exact;
}

/* A parameter of the lambda that token i is in: the largest that a call behind it gives. */
static bool read_lambda(atx_range *out, place *p, const char *name, size_t i)
{
    const atx_tokens *t = p->f->t;
    atx_lambda lambda;
    bool any = false;
    if (!atx_guards_lambda(&lambda, t, p->f->body.begin, name, i))
        return false;
    *out = UNKNOWN;
    for (size_t k = lambda.end; k + 1 < p->f->body.end; k++) {
        if (!atx_code_same(t, k, lambda.name) || !atx_tokens_is(t, k + 1, "("))
            continue;
        place there = { p->b, p->f, SIZE_MAX, p->looked };
        const atx_range one = atx_place_read(&there, t, atx_host_nth(t, k + 1, lambda.param));
        *out = any ? atx_range_larger(&p->b->symbols, *out, one) : one;
        any = true;
    }
    out->exact = false;
    *out = atx_bounds_limited(p->b, atx_place_bound(p, (atx_span){ i, i + 1 }, i), *out);
    return true;
}

/* A name that stands alone, at token i of `t`. */
static atx_range read_name(place *p, const char *name, const atx_tokens *t, size_t i)
{
    atx_range value;
    const atx_bound_name *known = atx_bounds_name(p->f, t, i);
    const size_t at = p->at == SIZE_MAX && t == p->f->t ? i : p->at;
    if (t == p->f->t && i == at && read_lambda(&value, p, name, i))
        return value;
    if (t == p->f->t && read_local(&value, p, name, at))
        return value;
    if (known && known->arg < 0) {
        if (t != p->f->t || known->value.exact)
            return known->value;
        return atx_bounds_limited(p->b, atx_place_bound(p, (atx_span){ i, i + 1 }, at), known->value);
    }
    if (p->f->outer) {
        place outer = { p->b, p->f->outer, p->f->outer_at, p->looked };
        char word[ATX_MAX_WORD];
        atx_draft_word(word, t, i);
        if (p->f->outer_at != SIZE_MAX && read_local(&value, &outer, word, p->f->outer_at))
            return value;
        return read_name(&outer, name, t, i);
    }
    if (p->f->depth == 0 || p->f->t != &p->b->d->code) {
        atx_range after;
        value = atx_bounds_argument(p->b, name);
        if (value.known && t == &p->b->d->code && read_changed(&after, p, name, at))
            return atx_bounds_limited(p->b, atx_place_bound(p, (atx_span){ i, i + 1 }, at), after);
        if (value.known)
            return value;
    }
    return read_global(p, name, t, i);
}

static atx_range read_word(void *context, const atx_tokens *t, size_t *i, size_t end)
{
    place *p = context;
    atx_range value;
    char name[ATX_MAX_WORD];
    const size_t at = *i;
    if (p->b->budget-- <= 0 || p->b->depth > MOST_DEPTH) {
        *i = end;
        return UNKNOWN;
    }
    if (read_builtin(&value, p, t, at) || atx_bounds_field(&value, p->b, t, at)) {
        *i += 3;
        return value;
    }
    if (atx_bounds_group(&value, p->b, p->f, t, at) || atx_bounds_extent(&value, p->b, t, at)) {
        *i = atx_tokens_match(t, at + 3) + 1;
        return value;
    }
    (*i)++;
    for (;;) /* a::b<c>::d */
        if (atx_tokens_is(t, *i, "::") && atx_tokens_is_word(t, *i + 1))
            *i += 2;
        else if (atx_tokens_is(t, *i, "<") && atx_tokens_match(t, *i) < end &&
                 atx_tokens_is(t, atx_tokens_match(t, *i) + 1, "::"))
            *i = atx_tokens_match(t, *i) + 1;
        else
            break;
    const size_t last = *i - 1;
    atx_draft_word(name, t, last);
    if (atx_tokens_is(t, *i, "<") && atx_tokens_match(t, *i) < end &&
        atx_tokens_is(t, atx_tokens_match(t, *i) + 1, "("))
        *i = atx_tokens_match(t, *i) + 1;
    if (atx_tokens_is(t, *i, "(")) {
        const size_t open = *i;
        *i = atx_tokens_match(t, open) + 1;
        if (strstr(name, "_cast"))
            return atx_place_read(p, t, (atx_span){ open + 1, *i - 1 });
        return read_call(p, name, t, open);
    }
    const atx_bound_name *known = atx_bounds_name(p->f, t, last);
    bool element = false;
    for (; atx_tokens_is(t, *i, "["); *i = atx_tokens_match(t, *i) + 1)
        element = true;
    const bool member = atx_tokens_is(t, *i, ".") || atx_tokens_is(t, *i, "->");
    while (atx_tokens_is(t, *i, ".") || atx_tokens_is(t, *i, "->"))
        *i += 2;
    if (known && known->arg >= 0 && (element || (at && atx_tokens_is(t, at - 1, "*"))))
        return atx_bounds_element(p->b, known);
    if (strcmp(name, "warpSize") == 0)
        return atx_range_exactly(atx_poly_number(32));
    return element || member ? UNKNOWN : read_name(p, name, t, last);
}

/* *p, *(p + i), *(const int *)((const char *)p + i) */
static atx_range read_element(void *context, const atx_tokens *t, size_t begin, size_t end)
{
    const place *p = context;
    const atx_bound_name *name = NULL;
    for (size_t i = begin; i < end && !(name && name->arg >= 0); i++)
        name = atx_tokens_is_word(t, i) ? atx_bounds_name(p->f, t, i) : NULL;
    return name && name->arg >= 0 ? atx_bounds_element(p->b, name) : UNKNOWN;
}

static bool read_remainder(atx_range *out, place *p, const atx_tokens *t, size_t *i, size_t end)
{
    const size_t last = t == p->f->t ? atx_guards_remainder(t, p->f->body.begin, *i, end) : 0;
    if (!last)
        return false;
    const atx_range divisor = atx_place_read(p, t, (atx_span){ last, last + 1 });
    *out = divisor.known ? atx_range_below(divisor.most) : UNKNOWN;
    *i = divisor.known ? last + 1 : *i;
    return divisor.known;
}

/* b * s of b * s + r: x - (s - 1). a + f under f < e - a: below e. */
static bool read_paired(atx_range *out, place *p, const atx_tokens *t, size_t *i, size_t end)
{
    size_t x, s;
    atx_span than;
    const atx_poly one = atx_poly_number(1);
    if (t == p->f->t && atx_guards_rest(&than, p->f->guards, t, p->f->body.begin, *i, end)) {
        *out = atx_range_below(atx_place_read(p, t, than).most);
        *i += 3;
        return true;
    }
    if (t != p->f->t || !atx_guards_paired(&x, &s, t, p->f->body.begin, *i, end))
        return false;
    place there = { p->b, p->f, p->at == SIZE_MAX ? *i : p->at, p->looked };
    const atx_range whole = atx_place_read(&there, t, (atx_span){ x, x + 1 });
    const atx_range by = atx_place_read(&there, t, (atx_span){ s, s + 1 });
    if (!whole.known || !by.exact)
        return false;
    const atx_poly last = atx_poly_add(&by.most, &one, -1);
    *out = atx_range_up_to(atx_poly_add(&whole.most, &last, -1));
    *i += 3;
    return true;
}

/* k + threadIdx.x of row * n + k + threadIdx.x, under k + threadIdx.x < n. */
static bool read_sum(atx_range *out, void *context, const atx_tokens *t, size_t *i, size_t end)
{
    place *p = context;
    if (read_remainder(out, p, t, i, end) || read_paired(out, p, t, i, end))
        return true;
    for (int k = 0; t == p->f->t && p->f->guards && k < p->f->guards->count; k++) {
        const atx_span less = p->f->guards->items[k].less;
        const atx_span here = { *i, *i + less.end - less.begin };
        if (less.end < less.begin + 3 || here.end > end ||
            atx_tokens_find(t, less.begin, less.end, "+") >= less.end ||
            !atx_guards_same_sum(t, less, here) ||
            (here.end < end && !atx_tokens_is(t, here.end, "+") && !atx_tokens_is(t, here.end, "-")))
            continue;
        *out = atx_place_bound(p, less, p->at == SIZE_MAX ? *i : p->at);
        if (out->known) {
            *i = here.end;
            return true;
        }
    }
    return false;
}

atx_range atx_place_read(place *p, const atx_tokens *t, atx_span span)
{
    const atx_range_words words = { &p->b->symbols, read_word, read_element, read_sum, p };
    if (p->b->depth > MOST_DEPTH)
        return UNKNOWN;
    p->b->depth++;
    const atx_range value = atx_range_read(&words, t, span.begin, span.end);
    p->b->depth--;
    return value;
}

/* ---- what others ask ---- */

atx_range atx_bounds_value(atx_bounding *b, const atx_frame *f, atx_span span)
{
    place p = { b, f, SIZE_MAX, NULL };
    return atx_place_read(&p, f->t, span);
}

atx_range atx_bounds_of(atx_bounding *b, const atx_frame *f, atx_span span)
{
    place p = { b, f, SIZE_MAX, NULL };
    const atx_range bound =
        f->guards && span.begin < span.end ? atx_place_bound(&p, span, span.begin) : UNKNOWN;
    return atx_bounds_limited(b, bound, atx_place_read(&p, f->t, span));
}

atx_range atx_bounds_trips(atx_bounding *b, const atx_frame *f, size_t at, size_t from)
{
    place p = { b, f, SIZE_MAX, NULL };
    return atx_place_trips(&p, at, from);
}
