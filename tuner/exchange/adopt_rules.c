/*
 * adopt_rules.c - what parameters must be for the kernel's code to compile and run: its assertions, and 48
 * KiB of static shared memory. Only what is made of parameters and numbers alone. And what sizes must be for
 * arrays of the kernel's own to hold as many elements.
 */
#include "exchange/adopt_sizes.h"

#include "util/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_SHARED_BYTES = 49152 };

/* Whether it has a parameter; false of *alone: and something else. */
static bool has_params(const atx_poly_table *s, const atx_poly *p, bool *alone)
{
    bool any = false;
    for (int i = 0; i < s->count; i++)
        if (s->items[i].kind == ATX_SYMBOL_NAME && atx_poly_has(s, p, i)) {
            any = any || s->items[i].tag == ATX_TAG_PARAM;
            *alone = *alone && s->items[i].tag == ATX_TAG_PARAM;
        }
    return any;
}

/* Tokens without brackets around all of them. */
static atx_span bare(const atx_tokens *t, atx_span span)
{
    while (span.begin + 1 < span.end && atx_tokens_is(t, span.begin, "(") &&
           atx_tokens_match(t, span.begin) + 1 == span.end)
        span = (atx_span){ span.begin + 1, span.end - 1 };
    return span;
}

/* Is an operator outside of brackets? */
static bool has_sign(const atx_tokens *t, size_t begin, size_t end, const char *const *signs)
{
    for (size_t i = begin; i < end; i++)
        if (atx_token_is_one_of(t->text, &t->items[i], signs))
            return true;
        else if (atx_tokens_opens(t, i))
            i = atx_tokens_match(t, i);
    return false;
}

/* The text of an expression, which may be A % B; `part`: of such; `host`: the function that it stands in,
 * where that is no kernel. false: not understood. */
static bool write_side(atx_str *out, atx_sizing *z, const atx_host_frame *host, atx_span span, bool part,
                       bool *params)
{
    static const char *const WEAKER[] = { "+", "-", "<<", ">>", "&", "|", "^", "?", NULL }, *const EQUAL[] = {
        "*", "/", NULL
    };
    const atx_tokens *t = z->frame.t;
    span = bare(t, span);
    const size_t rest = atx_tokens_find(t, span.begin, span.end, "%");
    if (rest < span.end) {
        if (has_sign(t, span.begin, span.end, WEAKER) || has_sign(t, rest, span.end, EQUAL))
            return false; /* A + B % C, A % B * C */
        const bool first = write_side(out, z, host, (atx_span){ span.begin, rest }, true, params);
        atx_str_add(out, " % ");
        return first && write_side(out, z, host, (atx_span){ rest + 1, span.end }, true, params);
    }
    const atx_range value =
        host ? atx_host_value(&z->bounds, host, span, 1) : atx_bounds_value(&z->bounds, &z->frame, span);
    bool alone = true;
    *params = has_params(&z->bounds.symbols, &value.most, &alone) || *params;
    if (!value.exact || value.most.bad || value.most.dropped || !alone)
        return false;
    const atx_poly_term *first = &value.most.terms[0];
    const bool product = value.most.count && (first->degree > 1 || (first->degree && first->factor != 1));
    const bool sum = part && (value.most.count > 1 || product);
    atx_str_add(out, sum ? "(" : "");
    atx_poly_write(out, &z->bounds.symbols, &value.most);
    atx_str_add(out, sum ? ")" : "");
    return true;
}

bool atx_draft_add_rule(atx_draft *d, const char *text, const char *why)
{
    for (int i = 0; i < d->rule_count; i++)
        if (strcmp(d->rules[i].text, text) == 0)
            return true;
    if (d->rule_count == ATX_DRAFT_RULES || strlen(text) >= ATX_DRAFT_EXPR)
        return false;
    d->rules[d->rule_count].why = why;
    strcpy(d->rules[d->rule_count++].text, text);
    return true;
}

/* "N == 128" of a parameter of unknown value: that is its value. */
static void take_asserted(atx_draft *d, const char *text)
{
    char name[ATX_MAX_WORD];
    long value = 0;
    int end = 0;
    if (sscanf(text, "%63[A-Za-z0-9_] == %ld%n", name, &value, &end) != 2 || text[end])
        return;
    atx_draft_param *p = atx_draft_find_param(d, name);
    if (p && p->guessed && value > 0) {
        p->value = value;
        p->guessed = false;
    }
}

/* A < B, A % B == 0 ... */
static void read_comparison(atx_draft *d, atx_sizing *z, const atx_host_frame *host, atx_span span)
{
    static const char *const SIGNS[] = { "==", "!=", "<=", ">=", "<", ">" };
    const atx_tokens *t = z->frame.t;
    span = bare(t, span);
    for (size_t k = 0; k < sizeof SIGNS / sizeof *SIGNS; k++) {
        const size_t sign = atx_tokens_find(t, span.begin, span.end, SIGNS[k]);
        atx_str text = { 0 };
        bool params = false;
        if (sign >= span.end)
            continue;
        bool good = write_side(&text, z, host, (atx_span){ span.begin, sign }, false, &params);
        const size_t left = text.len;
        atx_str_addf(&text, " %s ", SIGNS[k]);
        const size_t right = text.len;
        good = good && write_side(&text, z, host, (atx_span){ sign + 1, span.end }, false, &params);
        const bool same = !text.failed && text.len - right == left &&
                          memcmp(text.data, text.data + right, left) == 0; /* as the block is made of them */
        if (good && params && !text.failed && !same)
            take_asserted(d, text.data);
        if (good && params && !text.failed && !same)
            atx_draft_add_rule(d, text.data, host ? "the host asserts it" : "the kernel asserts it");
        atx_str_clear(&text);
        return;
    }
}

/* Does it stand in a branch of if constexpr? Then it holds for some parameters alone. */
static bool is_of_branch(const atx_tokens *t, size_t begin, size_t i)
{
    for (size_t at = i; at != SIZE_MAX && at > begin; at = atx_guards_around(t, begin, at)) {
        if (atx_tokens_is(t, at - 1, "else"))
            return true;
        const size_t open = atx_tokens_is(t, at - 1, ")") ? t->items[at - 1].pair : SIZE_MAX;
        if (open < at && atx_tokens_is(t, open - 1, "constexpr"))
            return true;
    }
    return false;
}

/* static_assert(A && B, "text") */
static void read_assertion(atx_draft *d, atx_sizing *z, const atx_host_frame *host, size_t open)
{
    const atx_tokens *t = z->frame.t;
    if (is_of_branch(t, host ? host->f->body : z->frame.body.begin, open - 1))
        return;
    const size_t close = atx_tokens_match(t, open);
    const atx_span all = bare(t, (atx_span){ open + 1, atx_code_comma(t, open + 1, close) });
    if (close >= t->count || atx_tokens_find(t, all.begin, all.end, "||") < all.end ||
        atx_tokens_find(t, all.begin, all.end, "or") < all.end)
        return;
    for (size_t at = all.begin, end; at < all.end; at = end + 1) {
        const size_t word = atx_tokens_find(t, at, all.end, "and");
        end = atx_tokens_find(t, at, all.end, "&&");
        end = word < end ? word : end;
        read_comparison(d, z, host, (atx_span){ at, end });
    }
}

/* Bytes of a[N][M], whose element has `bytes`. false: not understood. */
static bool add_array(atx_poly *sum, atx_sizing *z, atx_poly bytes, size_t open)
{
    const atx_tokens *t = z->frame.t;
    for (; atx_tokens_is(t, open, "["); open = atx_tokens_match(t, open) + 1) {
        const atx_range n =
            atx_bounds_value(&z->bounds, &z->frame, (atx_span){ open + 1, atx_tokens_match(t, open) });
        if (!n.exact)
            return false;
        bytes = atx_poly_multiply(&z->bounds.symbols, &bytes, &n.most);
    }
    *sum = atx_poly_add(sum, &bytes, 1);
    return bytes.count > 0 && !sum->bad;
}

/* Of "__shared__ float a[N][M], b[N];" at token i: of each that is understood. */
static void add_shared(atx_poly *sum, const atx_draft *d, atx_sizing *z, size_t i)
{
    const atx_tokens *t = z->frame.t;
    atx_draft_type type;
    const size_t end = atx_tokens_find(t, i, z->frame.body.end, ";");
    for (size_t at = i + 1, comma; at < end; at = comma + 1) {
        comma = atx_code_comma(t, at, end);
        const size_t open = atx_tokens_find(t, at, comma, "[");
        atx_poly with = *sum;
        if (at == i + 1) /* the first has the type of all */
            atx_draft_type_of(&type, d, at, (open < comma ? open : comma) - 1);
        if (open < comma && add_array(&with, z, atx_poly_number(atx_draft_bytes(d, &type)), open))
            *sum = with;
    }
}

static atx_poly largest(void *context, int id)
{
    const atx_sizing *z = context;
    const atx_poly_entry *symbol = &z->bounds.symbols.items[id];
    long value = 1;
    return atx_draft_param_value(&value, z->bounds.d, symbol->name)
               ? atx_poly_number(atx_draft_largest(z->bounds.d, symbol->name, value))
               : atx_poly_symbol(id);
}

/* Those of the host's function that launches it. */
static void read_host(atx_draft *d, atx_sizing *z)
{
    const atx_draft_function *f = d->launched ? atx_host_function_around(d, d->launch.at) : NULL;
    const atx_host_frame frame = { .f = f, .at = d->launch.at, .launches = true, .params = true };
    for (size_t i = f ? f->body : SIZE_MAX; f && i < f->end; i++)
        if (atx_tokens_is(&d->code, i, "static_assert") && atx_tokens_is(&d->code, i + 1, "("))
            read_assertion(d, z, &frame, i + 1);
}

/* What is understood of it must fit. */
static void read_shared(atx_draft *d, atx_sizing *z)
{
    atx_poly sum = atx_poly_number(0);
    bool alone = true;
    long most;
    for (size_t i = z->frame.body.begin; i < z->frame.body.end; i++)
        if (atx_tokens_is(z->frame.t, i, "__shared__"))
            add_shared(&sum, d, z, i);
    if (!has_params(&z->bounds.symbols, &sum, &alone) || !alone)
        return;
    const atx_poly all = atx_poly_replace(&z->bounds.symbols, &sum, largest, z);
    if (atx_poly_is_number(&most, &all) && most <= STATIC_SHARED_BYTES)
        return;
    atx_str text = { 0 };
    atx_poly_write(&text, &z->bounds.symbols, &sum);
    atx_str_addf(&text, " <= %d", STATIC_SHARED_BYTES);
    if (!text.failed)
        atx_draft_add_rule(d, text.data, "static shared memory of a block");
    atx_str_clear(&text);
}

/* assert(BM * BK == blockDim.x) of all threads, which NDEBUG does not make less true. */
static bool is_always(const atx_tokens *t, size_t begin, size_t i)
{
    const size_t around = atx_guards_around(t, begin, i);
    return atx_tokens_is(t, i, "assert") && (around == SIZE_MAX || around <= begin) &&
           (atx_tokens_is(t, i - 1, ";") || atx_tokens_is(t, i - 1, "{") || atx_tokens_is(t, i - 1, "}"));
}

void atx_draft_read_rules(atx_draft *d, atx_sizing *z)
{
    const atx_tokens *t = z->frame.t;
    for (size_t i = z->frame.body.begin; i < z->frame.body.end; i++)
        if ((atx_tokens_is(t, i, "static_assert") || is_always(t, z->frame.body.begin, i)) &&
            atx_tokens_is(t, i + 1, "("))
            read_assertion(d, z, NULL, i + 1);
    read_host(d, z);
    read_shared(d, z);
}

/* ---- arrays of the kernel's own ---- */

/* Whether the word at token i is the counter of a loop around it. */
static bool is_counter(const atx_tokens *t, size_t begin, size_t i)
{
    atx_for_header header;
    for (size_t loop = atx_guards_loop(t, begin, i); loop != SIZE_MAX; loop = atx_guards_loop(t, begin, loop))
        if (atx_guards_for(&header, t, loop) && atx_code_same(t, header.name, i))
            return true;
    return false;
}

bool atx_draft_has_sizes(const atx_sizing *z, const atx_poly *p)
{
    const atx_poly_table *s = &z->bounds.symbols;
    const atx_draft *d = z->bounds.d;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->terms[i].degree; k++) {
            const atx_poly_entry *e = &s->items[p->terms[i].of[k]];
            const int extra = e->tag - ATX_TAG_EXTRA;
            if (e->kind != ATX_SYMBOL_NAME || e->tag >= ATX_TAG_PARAM ||
                (extra >= 0 ? extra >= d->extra_count || d->extra_unused[extra] : !d->args[e->tag].dim))
                return false;
        }
    return !p->bad;
}

/* Whether it is made of numbers and parameters alone. */
static bool is_of_params(const atx_sizing *z, const atx_poly *p)
{
    for (int i = 0; i < z->bounds.symbols.count; i++)
        if ((z->bounds.symbols.items[i].kind != ATX_SYMBOL_NAME ||
             z->bounds.symbols.items[i].tag != ATX_TAG_PARAM) &&
            atx_poly_has(&z->bounds.symbols, p, i))
            return false;
    return !p->bad && p->count > 0;
}

/* Whether a parameter has a value that is no more than a number. */
static bool reaches_down(const atx_draft *d, const atx_poly_entry *e, long number)
{
    for (int k = 0; k < d->param_count; k++)
        if (strcmp(atx_draft_param_line(&d->params[k]), e->name) == 0) {
            ATX_LOCAL(atx_str) values = { 0 };
            atx_draft_values(&values, d, &d->params[k]);
            return strtol(atx_str_text(&values), NULL, 10) <= number;
        }
    return true;
}

/* z[3] of float z[N]: 3 < N. Not in a branch, which N may decide. */
static void limit_number(atx_draft *d, atx_sizing *z, const atx_poly *elements, atx_span index)
{
    atx_str text = { 0 };
    long number = 0;
    if (index.end != index.begin + 1 || !atx_draft_plain_number(&number, z->frame.t, index.begin) ||
        number < 1 || !elements->terms[0].degree ||
        !reaches_down(d, &z->bounds.symbols.items[elements->terms[0].of[0]], number) ||
        atx_guards_arm(z->frame.t, z->frame.body, index.begin).of)
        return;
    atx_str_addf(&text, "%ld < ", number);
    atx_poly_write(&text, &z->bounds.symbols, elements);
    if (!text.failed)
        atx_draft_add_rule(d, text.data, "an array of the kernel has an element of that number");
    atx_str_clear(&text);
}

/* z[i] of for (int i = 0; i < D; i++), where z has `elements`: D <= 30. */
static void limit_index(atx_draft *d, atx_sizing *z, const atx_poly *elements, atx_span index)
{
    const atx_poly one = atx_poly_number(1);
    atx_str text = { 0 };
    if (index.end != index.begin + 1 || !is_counter(z->frame.t, z->frame.body.begin, index.begin))
        return;
    const atx_range value = atx_bounds_of(&z->bounds, &z->frame, index);
    const atx_poly most = atx_poly_add(&value.most, &one, 1);
    if (!value.known || !most.count || !most.terms[0].degree || !atx_draft_has_sizes(z, &most))
        return;
    atx_poly_write(&text, &z->bounds.symbols, &most);
    atx_str_add(&text, " <= ");
    atx_poly_write(&text, &z->bounds.symbols, elements);
    if (!text.failed)
        atx_draft_add_rule(d, text.data, "an array of the kernel has no more");
    atx_str_clear(&text);
}

typedef struct threads {
    const atx_sizing *z;
    long room; /* elements of an array: a block of an array's number of elements becomes no larger anyway */
} threads;

/* The largest number of threads that it stands for in trials. */
static atx_poly as_large(void *context, int id)
{
    const threads *of = context;
    const atx_draft *d = of->z->bounds.d;
    const long bound = d->bound > 0 ? d->bound : 1024;
    long value = 1, most;
    if (!atx_draft_param_value(&value, of->z->bounds.d, of->z->bounds.symbols.items[id].name))
        return atx_poly_symbol(id);
    most = 4 * value < bound ? 4 * value : bound;
    most = value == of->room ? value : most;
    return atx_poly_number(most > value ? most : value);
}

static atx_poly as_authored(void *context, int id)
{
    const atx_sizing *z = context;
    const atx_poly_entry *symbol = &z->bounds.symbols.items[id];
    long value = 1;
    return atx_draft_param_value(&value, z->bounds.d, symbol->name) ? atx_poly_number(value)
                                                                    : atx_poly_symbol(id);
}

/* How many parameters both have together, where each is the number of threads in a direction; else 0. */
static int count_of_block(const atx_draft *d, const atx_poly_table *s, const atx_poly *p,
                          const atx_poly *other)
{
    int count = 0, named = 0;
    for (int i = 0; i < s->count; i++)
        if (s->items[i].kind == ATX_SYMBOL_NAME && (atx_poly_has(s, p, i) || atx_poly_has(s, other, i))) {
            count++;
            for (int k = 0; k < 3; k++)
                named += strcmp(d->block[k], s->items[i].name) == 0;
        }
    return named >= count ? count : 0;
}

/* Whether an index is a thread's place alone: s[threadIdx.x][threadIdx.y] of s[BY][BX]. */
static bool is_thread(const atx_tokens *t, atx_span index)
{
    return index.end == index.begin + 3 && atx_tokens_is(t, index.begin, "threadIdx");
}

/* s[threadIdx.x + 3 * blockDim.x] of __shared__ float s[512]: 4 * BLOCK <= 512, where the author's block is
 * no larger, so that what is not understood limits nothing. */
static void limit_reach(atx_draft *d, atx_sizing *z, const atx_poly *elements, atx_span index)
{
    atx_poly_table *symbols = &z->bounds.symbols;
    const atx_poly one = atx_poly_number(1);
    const atx_range value = atx_bounds_of(&z->bounds, &z->frame, index);
    const atx_poly most = atx_poly_add(&value.most, &one, 1);
    const atx_poly less = atx_poly_add(elements, &most, -1);
    const atx_poly authored = atx_poly_replace(symbols, &less, as_authored, z);
    threads of = { .z = z, .room = -1 };
    atx_poly_is_number(&of.room, elements);
    const atx_poly fits = atx_poly_replace(symbols, &less, as_large, &of);
    atx_str text = { 0 };
    bool alone = true;
    long left = 0;
    const int count = count_of_block(d, symbols, &most, elements);
    if (!count || (count > 1 && !is_thread(z->frame.t, index)))
        return;
    if (count == 1 && atx_poly_is_number(&left, &fits) && left >= 0)
        return; /* whatever it is */
    if (!value.known || less.bad || !has_params(symbols, &most, &alone) || !alone ||
        !atx_poly_is_number(&left, &authored) || left < 0)
        return;
    atx_poly_write(&text, symbols, &most);
    atx_str_add(&text, " <= ");
    atx_poly_write(&text, symbols, elements);
    if (!text.failed)
        atx_draft_add_rule(d, text.data, "an array of the kernel has no more");
    atx_str_clear(&text);
}

/* Of "float z[30][4]" whose first bracket is at token i, each index behind it. */
static void limit_array(atx_draft *d, atx_sizing *z, size_t i)
{
    const atx_tokens *t = z->frame.t;
    for (size_t at = i + 1; at < z->frame.body.end; at++) {
        size_t size = i, index = at + 1;
        for (; atx_code_same(t, at, i - 1) && !atx_guards_member(t, at) && atx_tokens_is(t, size, "[") &&
               atx_tokens_is(t, index, "[");
             size = atx_tokens_match(t, size) + 1, index = atx_tokens_match(t, index) + 1) {
            const atx_range n =
                atx_bounds_value(&z->bounds, &z->frame, (atx_span){ size + 1, atx_tokens_match(t, size) });
            const atx_span inside = { index + 1, atx_tokens_match(t, index) };
            if (n.exact && is_of_params(z, &n.most)) {
                limit_index(d, z, &n.most, inside);
                limit_number(d, z, &n.most, inside);
            }
            if (n.exact)
                limit_reach(d, z, &n.most, inside);
        }
    }
}

/* b[4] of __shared__ float a[2][2], b[4]: its name at token i. */
static bool is_listed_shared(const atx_tokens *t, size_t begin, size_t i)
{
    if (!atx_tokens_is(t, i - 1, ",") || !atx_tokens_is_word(t, i))
        return false;
    while (i > begin && !atx_tokens_is(t, i, ";") && !atx_tokens_is(t, i, "{") && !atx_tokens_is(t, i, "}") &&
           !atx_tokens_is(t, i, "(") && !atx_tokens_is(t, i, "="))
        i--;
    return atx_tokens_is(t, i + 1, "__shared__");
}

void atx_draft_read_limits(atx_draft *d, atx_sizing *z)
{
    const atx_tokens *t = z->frame.t;
    for (size_t i = z->frame.body.begin + 2; i < z->frame.body.end; i++)
        if (atx_tokens_is(t, i, "[") && (atx_guards_declares(t, i - 1, z->frame.body.begin) ||
                                         is_listed_shared(t, z->frame.body.begin, i - 1)))
            limit_array(d, z, i);
}
