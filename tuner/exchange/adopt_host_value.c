/*
 * adopt_host_value.c - expressions of the host as sums of products of the draft's sizes: what the launch
 * passes for an argument is that argument, also in functions that call the one that launches.
 */
#include "exchange/adopt_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 24 };

typedef struct reading {
    atx_bounding *b;
    const atx_host_frame *f;
    long element;
    bool raw; /* what the launch passes is no argument here: its own value is meant */
    int depth;
} reading;

static const atx_range UNKNOWN = { .known = false };

static atx_range value_of(const reading *from, const atx_host_frame *f, const atx_tokens *t, atx_span span);
static atx_range name_of(const reading *r, size_t i);

/* ---- functions ---- */

const atx_draft_function *atx_host_function_around(const atx_draft *d, size_t token)
{
    const atx_draft_function *found = NULL;
    for (size_t i = 0; i < d->function_count; i++) {
        const atx_draft_function *f = &d->functions[i];
        if (f->body < token && token < f->end && (!found || f->body > found->body))
            found = f;
    }
    return found;
}

atx_span atx_host_nth(const atx_tokens *t, size_t open, int n)
{
    const size_t end = atx_tokens_match(t, open);
    size_t at = open + 1;
    for (; n > 0 && at < end; n--)
        at = atx_code_comma(t, at, end) + 1;
    return at < end ? (atx_span){ at, atx_code_comma(t, at, end) } : (atx_span){ 0, 0 };
}

int atx_host_parameter(size_t *token, const atx_draft *d, const atx_draft_function *f, size_t name)
{
    const atx_tokens *t = &d->code;
    for (int n = 0; f; n++) {
        const atx_span one = atx_host_nth(t, f->open, n);
        size_t last = atx_tokens_find(t, one.begin, one.end, "=");
        last = atx_tokens_find(t, one.begin, last, "[");
        if (one.begin >= one.end)
            return -1;
        if (last > one.begin &&
            atx_guards_same(t, (atx_span){ last - 1, last }, (atx_span){ name, name + 1 })) {
            *token = last - 1;
            return n;
        }
    }
    return -1;
}

size_t atx_host_same(const atx_draft *d, size_t token, size_t at)
{
    size_t found = d->code.count, i = token;
    do {
        found = i >= at && i < found ? i : found;
        i = d->next_same[i];
    } while (i != token);
    return found;
}

static int count_of(const atx_tokens *t, size_t open)
{
    int n = 0;
    for (size_t at = open + 1; at < atx_tokens_match(t, open); n++)
        at = atx_code_comma(t, at, atx_tokens_match(t, open)) + 1;
    return n;
}

/* Whether a call has as many arguments as a function: another overload has not. */
static bool fits(const atx_tokens *t, const atx_draft_function *f, size_t open)
{
    const size_t first = f->open + 1, end = atx_tokens_match(t, f->open);
    const bool open_ended =
        atx_tokens_find(t, first, end, "=") < end || atx_tokens_find(t, first, end, "...") < end;
    return open_ended || count_of(t, open) == count_of(t, f->open);
}

bool atx_host_next_call(atx_host_frame *out, const atx_draft *d, const atx_draft_function *f, size_t *at)
{
    const atx_tokens *t = &d->code;
    for (size_t i; (i = atx_host_same(d, f->name, *at)) < t->count;) {
        size_t open = i + 1;
        *at = i + 1;
        if (i == f->name)
            continue;
        if (atx_tokens_is(t, open, "<") && atx_tokens_match(t, open) < t->count)
            open = atx_tokens_match(t, open) + 1;
        const atx_draft_function *around = atx_host_function_around(d, i);
        if (!atx_tokens_is(t, open, "(") || !around || around == f || !fits(t, f, open))
            continue;
        *out = (atx_host_frame){ .f = around, .at = i, .open = open };
        return true;
    }
    *at = t->count;
    return false;
}

/* ---- names ---- */

/* Casts before an argument of a call: (int)n, static_cast<int>(n). */
static atx_span without_casts(const atx_draft *d, atx_span span)
{
    const atx_tokens *t = &d->code;
    for (;;) {
        const size_t close = atx_tokens_is(t, span.begin, "(") ? atx_tokens_match(t, span.begin) : t->count;
        bool cast = close < span.end && close > span.begin + 1;
        for (size_t k = span.begin + 1; k < close && cast; k++)
            cast = atx_draft_is_type_word(t, k);
        if (cast && close + 1 < span.end) {
            span.begin = close + 1;
        } else if (close + 1 == span.end) {
            span = (atx_span){ span.begin + 1, close };
        } else if (atx_tokens_is(t, span.begin, "static_cast") && atx_tokens_is(t, span.end - 1, ")") &&
                   t->items[span.end - 1].pair > span.begin && t->items[span.end - 1].pair < span.end) {
            span = (atx_span){ t->items[span.end - 1].pair + 1, span.end - 1 };
        } else {
            return span;
        }
    }
}

/* Whether the tokens of a span stand at token i, before `end`, and are no part of something else there. */
static bool stands_at(const atx_tokens *t, atx_span span, size_t i, size_t end)
{
    const size_t n = span.end - span.begin;
    if (!n || i + n > end || !atx_guards_same(t, span, (atx_span){ i, i + n }))
        return false;
    const bool product = n > 1 && i && (atx_tokens_is(t, i - 1, "/") || atx_tokens_is(t, i - 1, "-"));
    return !product && !atx_tokens_is(t, i + n, ".") && !atx_tokens_is(t, i + n, "->") &&
           !atx_tokens_is(t, i + n, "(") && !atx_tokens_is(t, i + n, "[");
}

static bool is_whole(const atx_draft *d, const atx_draft_arg *a)
{
    const char *type = a->type.targ >= 0 ? d->targs[a->type.targ].dtype : a->type.dtype;
    return !a->stars && !a->structure && a->type.lanes == 1 && type && (type[0] == 'i' || type[0] == 'u');
}

/* What the launch passes, or a call of the function that does, is what that one is given. */
static bool read_given(atx_range *out, const reading *r, size_t *i, size_t end)
{
    const atx_draft *d = r->b->d;
    const atx_tokens *t = &d->code;
    const atx_host_frame *f = r->f;
    for (int k = 0; f->launches && !r->raw && k < d->arg_count && k < d->launch.arg_count; k++) {
        const atx_span given = without_casts(d, (atx_span){ d->launch.args[k][0], d->launch.args[k][1] });
        if (!is_whole(d, &d->args[k]) || !atx_tokens_is_word(t, given.begin) || !stands_at(t, given, *i, end))
            continue;
        *out = d->args[k].own ? atx_bounds_text_range(r->b, d->args[k].value)
                              : atx_range_exactly(atx_poly_symbol(
                                    atx_poly_named(&r->b->symbols, d->args[k].name, ATX_TAG_ARG + k)));
        *i += given.end - given.begin;
        return true;
    }
    for (int n = 0; f->inner && f->inner->f && !r->raw; n++) {
        const atx_span given = without_casts(d, atx_host_nth(t, f->open, n));
        const atx_span parameter = atx_host_nth(t, f->inner->f->open, n);
        const size_t last = atx_tokens_find(t, parameter.begin, parameter.end, "=");
        if (given.begin >= given.end || parameter.begin >= parameter.end)
            return false;
        if (!atx_tokens_is_word(t, given.begin) || !stands_at(t, given, *i, end) || last <= parameter.begin)
            continue;
        const reading inner = { r->b, f->inner, r->element, r->raw, r->depth + 1 };
        *out = name_of(&inner, last - 1);
        *i += given.end - given.begin;
        return out->known;
    }
    return false;
}

/* Something of the host's alone: its text. */
static atx_range opaque(const reading *r, size_t begin, size_t end)
{
    const atx_tokens *t = &r->b->d->code;
    char text[ATX_POLY_NAME], word[ATX_MAX_WORD];
    atx_draft_word(word, t, begin);
    const atx_draft_function *f = r->f->f;
    size_t ignored;
    const bool local = f && (atx_host_parameter(&ignored, r->b->d, f, begin) >= 0 ||
                             atx_guards_declaration(t, f->body + 1, word, begin) != SIZE_MAX);
    const size_t from = t->items[begin].begin, len = t->items[end - 1].end - from;
    const int n = snprintf(text, sizeof text, "%zu.%.*s", local ? f->name : 0, (int)(len < 90 ? len : 90),
                           t->text + from);
    if (n < 0 || (size_t)n >= sizeof text)
        return UNKNOWN;
    return atx_range_exactly(atx_poly_symbol(atx_poly_named(&r->b->symbols, text, ATX_TAG_HOST)));
}

/* "size = VALUE;" of a name that is declared without one: the only assignment. */
static bool assigned(atx_span *out, const reading *r, const char *name)
{
    const atx_tokens *t = &r->b->d->code;
    const atx_draft_function *f = r->f->f;
    int count = 0;
    for (size_t i = f ? f->body + 1 : 0; f && i < f->end; i++)
        if (atx_tokens_is(t, i, name) && atx_tokens_is(t, i + 1, "=") && !atx_tokens_is(t, i - 1, ".") &&
            !atx_tokens_is(t, i - 1, "->")) {
            *out = (atx_span){ i + 2, atx_code_comma(t, i + 2, atx_tokens_find(t, i + 2, f->end, ";")) };
            count++;
        }
    return count == 1;
}

static bool read_param(atx_range *out, const reading *r, const char *name)
{
    const atx_draft_param *p = atx_draft_given_param(r->b->d, name);
    if (!p || p->boolean)
        return false;
    *out = atx_range_exactly(
        atx_poly_symbol(atx_poly_named(&r->b->symbols, atx_draft_param_line(p), ATX_TAG_PARAM)));
    return true;
}

/* A parameter of the draft's, a macro, a number of the file. */
static bool read_global(atx_range *out, const reading *r, const char *name, const atx_tokens *t, size_t i)
{
    const atx_draft *d = r->b->d;
    long value;
    if (read_param(out, r, name))
        return true;
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    if (macro && !macro->open) {
        *out = value_of(r, r->f, &d->all, macro->body);
        return true;
    }
    if (!atx_bounds_number(&value, r->b, name, t, i))
        return false;
    *out = atx_range_exactly(atx_poly_number(value));
    return true;
}

/* The name at token i of the code, as the frame sees it. */
static atx_range name_of(const reading *r, size_t i)
{
    const atx_draft *d = r->b->d;
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    size_t at = i, token;
    atx_range value;
    atx_span span;
    atx_draft_word(name, t, i);
    if (r->depth > MOST_DEPTH || read_given(&value, r, &at, i + 1))
        return r->depth > MOST_DEPTH ? UNKNOWN : value;
    if (r->f->params && read_param(&value, r, name))
        return value;
    for (int k = 0; k < d->extra_count && r->f->launches; k++)
        if (strcmp(d->extra[k], name) == 0)
            return atx_range_exactly(
                atx_poly_symbol(atx_poly_named(&r->b->symbols, d->extra_name[k], ATX_TAG_EXTRA + k)));
    const int n = atx_host_parameter(&token, d, r->f->f, i);
    if (n >= 0 && r->f->outer)
        return value_of(r, r->f->outer, t, atx_host_nth(t, r->f->outer_open, n));
    if (n >= 0)
        return opaque(r, i, i + 1);
    if (atx_draft_definition(&span, d, name, i) && !(span.begin <= i && i < span.end)) {
        const bool inside = r->f->f && span.begin > r->f->f->body && span.end < r->f->f->end;
        const atx_host_frame file = { .f = NULL };
        value = value_of(r, inside ? r->f : &file, t, span);
    } else if (assigned(&span, r, name) && !(span.begin <= i && i < span.end)) {
        value = value_of(r, r->f, t, span);
    } else if (read_global(&value, r, name, t, i)) {
        return value;
    } else {
        return opaque(r, i, i + 1);
    }
    long number;
    if (!value.exact || !atx_poly_is_number(&number, &value.most) || r->f->params)
        return value.exact ? value : opaque(r, i, i + 1);
    const atx_range named = opaque(r, i, i + 1); /* which the launch may pass on */
    if (named.exact && named.most.count == 1 && !named.most.bad)
        r->b->symbols.items[named.most.terms[0].of[0]].a = value.most;
    return named.exact && !named.most.bad ? named : value;
}

/* ---- calls ---- */

bool atx_host_contains(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (; *text; text++) {
        size_t k = 0;
        while (k < n && (text[k] | 32) == word[k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

bool atx_host_divides_up(const char *name)
{
    return atx_host_contains(name, "div") &&
           (atx_host_contains(name, "up") || atx_host_contains(name, "ceil") ||
            atx_host_contains(name, "cdiv") || atx_host_contains(name, "round"));
}

static atx_range read_call(const reading *r, const char *name, const atx_tokens *t, size_t open)
{
    atx_bounding *b = r->b;
    const atx_draft *d = b->d;
    const size_t close = atx_tokens_match(t, open), comma = atx_code_comma(t, open + 1, close);
    const atx_draft_function *f = atx_draft_find_function(d, name);
    if (strcmp(name, "sizeof") == 0) {
        const bool any =
            r->element < 0 || (r->f->outer && close == open + 2); /* sizeof(T) of a function's T */
        const atx_range bytes = any ? UNKNOWN : atx_bounds_sizeof(b, t, open + 1, close);
        return bytes.known ? bytes : atx_range_exactly(atx_poly_number(r->element ? labs(r->element) : 1));
    }
    if (strstr(name, "_cast") || atx_bounds_type(b, t, open - 1))
        return value_of(r, r->f, t, (atx_span){ open + 1, close });
    const bool least = strcmp(name, "min") == 0 || strcmp(name, "MIN") == 0;
    if (comma < close &&
        (least || atx_host_divides_up(name) || strcmp(name, "max") == 0 || strcmp(name, "MAX") == 0)) {
        const atx_range x = value_of(r, r->f, t, (atx_span){ open + 1, comma });
        const atx_range y = value_of(r, r->f, t, (atx_span){ comma + 1, close });
        if (!x.exact || !y.exact)
            return UNKNOWN;
        return atx_range_exactly(least ? atx_poly_least(&b->symbols, &x.most, &y.most)
                                 : atx_host_divides_up(name)
                                     ? atx_poly_divide_up(&b->symbols, &x.most, &y.most)
                                     : atx_poly_most(&b->symbols, &x.most, &y.most));
    }
    if (t == &d->code && f && atx_tokens_is(&d->code, f->body + 1, "return")) {
        const atx_host_frame inside = { .f = f, .at = f->end, .outer = r->f, .outer_open = open };
        const size_t end = atx_tokens_find(&d->code, f->body + 2, f->end, ";");
        return end + 1 == f->end ? value_of(r, &inside, t, (atx_span){ f->body + 2, end }) : UNKNOWN;
    }
    return UNKNOWN;
}

static atx_range read_word(void *context, const atx_tokens *t, size_t *i, size_t end)
{
    reading *r = context;
    const atx_tokens *code = &r->b->d->code;
    const size_t at = *i;
    char name[ATX_MAX_WORD];
    atx_range value;
    if (r->b->budget-- <= 0 || r->depth > MOST_DEPTH) {
        *i = end;
        return UNKNOWN;
    }
    if (t == code && read_given(&value, r, i, end))
        return value;
    (*i)++;
    while (atx_tokens_is(t, *i, "::") && atx_tokens_is_word(t, *i + 1))
        *i += 2;
    const size_t last = *i - 1;
    atx_draft_word(name, t, last);
    if (atx_tokens_is(t, *i, "<") && atx_tokens_match(t, *i) < end &&
        atx_tokens_is(t, atx_tokens_match(t, *i) + 1, "("))
        *i = atx_tokens_match(t, *i) + 1;
    if (atx_tokens_is(t, *i, "(")) {
        const size_t open = *i;
        *i = atx_tokens_match(t, open) + 1;
        return read_call(r, name, t, open);
    }
    while (*i < end &&
           (atx_tokens_is(t, *i, "[") || atx_tokens_is(t, *i, ".") || atx_tokens_is(t, *i, "->"))) {
        *i = atx_tokens_is(t, *i, "[") ? atx_tokens_match(t, *i) + 1 : *i + 2;
        if (atx_tokens_is(t, *i, "("))
            *i = atx_tokens_match(t, *i) + 1; /* v.size() */
    }
    if (*i > last + 1 || t != code)
        return t == code && *i <= end                                    ? opaque(r, at, *i)
               : *i == last + 1 && read_global(&value, r, name, t, last) ? value
                                                                         : UNKNOWN;
    return name_of(r, last);
}

static atx_range value_of(const reading *from, const atx_host_frame *f, const atx_tokens *t, atx_span span)
{
    reading r = { from->b, f, from->element, from->raw, from->depth + 1 };
    const atx_range_words words = { &r.b->symbols, read_word, NULL, NULL, &r };
    if (r.depth > MOST_DEPTH || span.begin >= span.end)
        return UNKNOWN;
    return atx_range_read(&words, t, span.begin, span.end);
}

atx_range atx_host_value(atx_bounding *b, const atx_host_frame *f, atx_span span, long element)
{
    const reading r = { .b = b, .element = element };
    return value_of(&r, f, &b->d->code, span);
}

/* ---- names of the host's in terms of the launch ---- */

static bool has_host(const atx_bounding *b, const atx_poly *p)
{
    for (int i = 0; i < b->symbols.count; i++)
        if (b->symbols.items[i].tag == ATX_TAG_HOST && atx_poly_has(&b->symbols, p, i))
            return true;
    return false;
}

/* Whether an argument of the launch is made of a name of the host's. */
static bool is_passed(atx_bounding *b, int symbol)
{
    const atx_draft *d = b->d;
    const atx_host_frame f = { .f = atx_host_function_around(d, d->launch.at),
                               .at = d->launch.at,
                               .launches = true };
    const reading raw = { .b = b, .raw = true };
    for (int k = 0; k < d->arg_count && k < d->launch.arg_count; k++) {
        if (!is_whole(d, &d->args[k]))
            continue;
        const atx_range value =
            value_of(&raw, &f, &d->code, (atx_span){ d->launch.args[k][0], d->launch.args[k][1] });
        if (value.known && atx_poly_has(&b->symbols, &value.most, symbol))
            return true;
    }
    return false;
}

/* Whether a number in it may be an argument that the launch passes as that number: 128 * m, of k(..., m,
 * 128).
 */
static bool has_passed_number(atx_bounding *b, const atx_poly *p)
{
    const atx_draft *d = b->d;
    for (int k = 0; k < d->arg_count && k < d->launch.arg_count; k++) {
        const atx_host_frame f = { .f = atx_host_function_around(d, d->launch.at),
                                   .at = d->launch.at,
                                   .launches = true };
        const reading raw = { .b = b, .raw = true };
        long number = 0;
        if (!is_whole(d, &d->args[k]) || d->args[k].own)
            continue;
        const atx_range value =
            value_of(&raw, &f, &d->code, (atx_span){ d->launch.args[k][0], d->launch.args[k][1] });
        const bool one = value.exact && value.most.count == 1 && value.most.terms[0].degree == 1 &&
                         value.most.terms[0].factor == 1;
        const atx_poly *named = one ? &b->symbols.items[value.most.terms[0].of[0]].a : &value.most;
        if (!value.exact || !atx_poly_is_number(&number, named) || number < 2 ||
            atx_poly_has(&b->symbols, p, atx_poly_named(&b->symbols, d->args[k].name, ATX_TAG_ARG + k)))
            continue;
        for (int i = 0; i < p->count; i++)
            if (p->terms[i].degree && p->terms[i].factor % number == 0)
                return true;
    }
    return false;
}

/* What is left of the host's names, where that is a number and no argument is made of it. */
static atx_poly as_number(void *context, int id)
{
    atx_bounding *b = context;
    const atx_poly_entry *e = &b->symbols.items[id];
    const bool number = e->tag == ATX_TAG_HOST && e->a.count && !is_passed(b, id);
    return number ? b->symbols.items[id].a : atx_poly_symbol(id);
}

/* A product of the host's names, which is what an argument is given, as that argument. */
static void take_for(atx_poly *p, const atx_bounding *b, atx_range given, atx_range argument)
{
    const atx_poly *to = &argument.most;
    if (given.exact && given.most.count == 1 && has_host(b, &given.most) && argument.exact &&
        to->count == 1 && to->terms[0].degree == 1 && to->terms[0].factor == 1)
        atx_poly_take_for(p, &given.most.terms[0], to->terms[0].of[0]);
}

bool atx_host_express(atx_poly *p, atx_bounding *b, const atx_host_frame *f)
{
    const atx_draft *d = b->d;
    const atx_tokens *t = &d->code;
    const reading raw = { .b = b, .raw = true };
    while (f->outer)
        f = f->outer;
    for (; f && f->f; f = f->inner) {
        for (int k = 0; f->launches && k < d->arg_count && k < d->launch.arg_count && has_host(b, p); k++) {
            const int symbol = atx_poly_named(&b->symbols, d->args[k].name, ATX_TAG_ARG + k);
            if (is_whole(d, &d->args[k]) && !d->args[k].own)
                take_for(p, b, value_of(&raw, f, t, (atx_span){ d->launch.args[k][0], d->launch.args[k][1] }),
                         atx_range_exactly(atx_poly_symbol(symbol)));
        }
        for (int n = 0; f->inner && f->inner->f && has_host(b, p); n++) {
            const reading inner = { .b = b, .f = f->inner };
            const atx_span given = atx_host_nth(t, f->open, n),
                           parameter = atx_host_nth(t, f->inner->f->open, n);
            const size_t last = atx_tokens_find(t, parameter.begin, parameter.end, "=");
            if (given.begin >= given.end || last <= parameter.begin)
                break;
            take_for(p, b, value_of(&raw, f, t, given), name_of(&inner, last - 1));
        }
    }
    *p = atx_poly_replace(&b->symbols, p, as_number, b);
    return !p->bad && !has_host(b, p) && !has_passed_number(b, p);
}

/* uint64_t size = 0; of the whole file, and no constant: it is set later. */
bool atx_draft_is_set_later(const atx_draft *d, atx_span span)
{
    const atx_tokens *t = &d->code;
    long value = 1;
    for (size_t i = span.begin; i < span.end; i++)
        for (size_t k = 1; k + 3 < t->count && atx_tokens_is_word(t, i); k++)
            if (atx_code_same(t, k, i) && atx_tokens_is(t, k + 1, "=") && atx_tokens_is(t, k + 3, ";") &&
                atx_draft_plain_number(&value, t, k + 2) && !value &&
                atx_guards_around(t, 0, k) == SIZE_MAX &&
                !(k > 1 && (atx_tokens_is(t, k - 2, "const") || atx_tokens_is(t, k - 2, "constexpr"))))
                return true;
    return false;
}
