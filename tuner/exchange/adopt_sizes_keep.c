/*
 * adopt_sizes_keep.c - parameters that the size of a buffer depends on. A buffer is as large for each
 * configuration, so that all work on the same problem: as the author's numbers make it. A parameter stays one
 * where the kernel then reaches no further: a `require` line says so of what is only read. Where results are
 * written each value must reach as far as the author's, or another one means fewer or other results. Any
 * other parameter becomes a number.
 */
#include "exchange/adopt_sizes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 7, MOST_VALUES = 16, MOST_TRIED = 1 << 14 };

/* Parameters for whose values no largest one is the furthest: they divide, or are subtracted, or are of the
 * block. Elements are written for each thread of a block, too. And those of which all of it is a multiple,
 * such as ITEMS for each of 80 * 128 threads: the largest one would be as many times what the author has. */
static bool find_uneven(bool uneven[ATX_POLY_SYMBOLS], const atx_draft *d, const atx_poly_table *symbols,
                        const atx_poly *p, bool written)
{
    bool any = false;
    for (int i = 0; i < symbols->count; i++) {
        const atx_poly_entry *e = &symbols->items[i];
        if (e->kind != ATX_SYMBOL_NAME || e->tag != ATX_TAG_PARAM || !atx_poly_has(symbols, p, i))
            continue;
        bool plain = true;
        for (int k = 0; k < symbols->count; k++)
            plain = plain && (symbols->items[k].kind == ATX_SYMBOL_NAME || !atx_poly_has(symbols, p, k) ||
                              !(atx_poly_has(symbols, &symbols->items[k].a, i) ||
                                atx_poly_has(symbols, &symbols->items[k].b, i)));
        for (int k = 0; k < 3; k++)
            plain = plain && strcmp(d->block_param[k], e->name) != 0 &&
                    !(written && atx_draft_names_word(d->block[k], e->name));
        bool all = !atx_draft_guesses_param(d, e->name);
        for (int k = 0; k < p->count; k++) { /* n - BLOCK: less for a larger one */
            const atx_poly one = { .count = 1, .terms = { p->terms[k] } };
            const bool has = atx_poly_has(symbols, &one, i);
            plain = plain && !(p->terms[k].factor < 0 && has);
            all = all && has;
        }
        uneven[i] = !plain || all;
        any = any || uneven[i];
    }
    return any;
}

typedef struct numbers {
    const atx_draft *d;
    const atx_poly_table *symbols;
    const bool *own; /* of these the author's numbers, of others the largest */
} numbers;

static long number_of(const numbers *n, int id)
{
    const atx_poly_entry *symbol = &n->symbols->items[id];
    long value = 0;
    if (symbol->kind != ATX_SYMBOL_NAME || symbol->tag != ATX_TAG_PARAM ||
        !atx_draft_param_value(&value, n->d, symbol->name))
        return 0;
    return n->own[id] ? value : atx_draft_largest(n->d, symbol->name, value);
}

static atx_poly as_number(void *context, int id)
{
    const long value = number_of(context, id);
    return value ? atx_poly_number(value) : atx_poly_symbol(id);
}

typedef struct varied {
    int symbol, count;
    long author, values[MOST_VALUES];
} varied;

/* How far a kernel reaches where parameters have the numbers `given`, beside what it does as its author has
 * them. */
typedef struct reaching {
    const atx_poly_table *symbols;
    const atx_poly *size;
    long given[ATX_POLY_SYMBOLS];
    double author[TRIALS];
    varied own[ATX_DRAFT_PARAMS];
    int count;
} reaching;

static bool reaches_alike(const reaching *r)
{
    for (int trial = 0; trial < TRIALS; trial++)
        if (atx_poly_given(r->symbols, r->size, r->given, trial) != r->author[trial])
            return false; /* NAN, too */
    return true;
}

static void add_varied(reaching *r, const atx_draft *d, int symbol)
{
    varied *v = &r->own[r->count];
    if (r->count == ATX_DRAFT_PARAMS)
        return;
    *v = (varied){ .symbol = symbol, .author = r->given[symbol] };
    for (int k = 0; k < d->param_count; k++) {
        atx_str text = { 0 };
        if (strcmp(atx_draft_param_line(&d->params[k]), r->symbols->items[symbol].name) != 0)
            continue;
        atx_draft_values(&text, d, &d->params[k]);
        char *at = text.data;
        for (char *end = at; at && v->count < MOST_VALUES; at = end, v->count++) {
            v->values[v->count] = strtol(at, &end, 10);
            if (end == at)
                break;
        }
        atx_str_clear(&text);
        r->count += v->count > 0;
        return;
    }
}

static void begin_reaching(reaching *r, const numbers *n, const atx_poly *size)
{
    *r = (reaching){ .symbols = n->symbols, .size = size };
    for (int i = 0; i < n->symbols->count; i++)
        r->given[i] = number_of(n, i);
    for (int trial = 0; trial < TRIALS; trial++)
        r->author[trial] = atx_poly_given(r->symbols, size, r->given, trial);
    for (int i = 0; i < n->symbols->count; i++)
        if (n->own[i])
            add_varied(r, n->d, i);
}

/* Whether each value of a parameter, the others as their author has them, reaches as far as the author's. */
static bool is_alike_alone(reaching *r, const varied *v)
{
    bool alike = true;
    for (int i = 0; i < v->count && alike; i++) {
        r->given[v->symbol] = v->values[i];
        alike = reaches_alike(r);
    }
    r->given[v->symbol] = v->author;
    return alike;
}

/* Of all combinations of values, or of MOST_TRIED of them: which parameters have another value than the
 * author's in one that reaches as far. Tiles that are larger together with the block are such. */
static void find_joint(bool useful[ATX_POLY_SYMBOLS], reaching *r)
{
    long all = 1;
    for (int i = 0; i < r->count; i++)
        all *= r->own[i].count <= LONG_MAX / MOST_VALUES / all ? r->own[i].count : 1;
    const long step = all > MOST_TRIED ? all / MOST_TRIED | 1 : 1;
    for (long at = 0; at < all; at += step) {
        long rest = at;
        for (int i = 0; i < r->count; rest /= r->own[i++].count)
            r->given[r->own[i].symbol] = r->own[i].values[rest % r->own[i].count];
        const bool alike = reaches_alike(r);
        for (int i = 0; i < r->count && alike; i++)
            useful[r->own[i].symbol] |= r->given[r->own[i].symbol] != r->own[i].author;
    }
}

/* The first size of the problem that each term has as a factor; -1: none. */
static int common_size(const atx_poly_table *symbols, const atx_poly *p)
{
    for (int at = 0; p->count && at < p->terms[0].degree; at++) {
        const int id = p->terms[0].of[at];
        bool all = symbols->items[id].kind == ATX_SYMBOL_NAME && symbols->items[id].tag != ATX_TAG_PARAM;
        for (int i = 1; i < p->count && all; i++) {
            bool has = false;
            for (int k = 0; k < p->terms[i].degree; k++)
                has = has || p->terms[i].of[k] == id;
            all = has;
        }
        if (all)
            return id;
    }
    return -1;
}

static void divide_by(atx_poly *p, int id)
{
    for (int i = 0; i < p->count; i++) {
        atx_poly_term *t = &p->terms[i];
        int at = 0;
        while (t->of[at] != id)
            at++;
        memmove(&t->of[at], &t->of[at + 1], (size_t)(t->degree - at - 1) * sizeof t->of[0]);
        t->degree--;
    }
}

/* Whether a quotient of a number below 0 is in it, which a declaration rounds the other way. */
static bool divides_below_zero(atx_poly_table *symbols, numbers *n, const atx_poly *p)
{
    bool below = false;
    for (int i = symbols->count; i-- > 0 && !below;) {
        const atx_poly_entry e = symbols->items[i];
        long value;
        if ((e.kind != ATX_SYMBOL_FLOOR && e.kind != ATX_SYMBOL_CEIL) || !atx_poly_has(symbols, p, i))
            continue;
        const atx_poly divided = atx_poly_replace(symbols, &e.a, as_number, n);
        below = atx_poly_is_number(&value, &divided) && value < 0;
    }
    return below;
}

/* REACH <= SIZE, or ==, as what is added beside what is taken away, without sizes that both have; false: it
 * cannot be written. */
static bool require_one(atx_draft *d, atx_poly_table *symbols, const atx_poly *reach, const atx_poly *size,
                        numbers *n, bool equal)
{
    atx_poly more = atx_poly_add(reach, size, -1), side[2] = { { .count = 0 }, { .count = 0 } };
    atx_str text = { 0 };
    for (int id; (id = common_size(symbols, &more)) >= 0;)
        divide_by(&more, id);
    for (int i = 0; i < more.count; i++) {
        atx_poly *to = &side[more.terms[i].factor < 0];
        to->terms[to->count] = more.terms[i];
        to->terms[to->count++].factor *= more.terms[i].factor < 0 ? -1 : 1;
    }
    atx_poly_write(&text, symbols, &side[0]);
    atx_str_add(&text, equal ? " == " : " <= ");
    atx_poly_write(&text, symbols, &side[1]);
    const bool good = !reach->bad && !size->bad && !more.bad && !divides_below_zero(symbols, n, &more) &&
                      !text.failed && !strchr(text.data, '.') &&
                      atx_draft_add_rule(d, text.data, equal ? ATX_WHY_EQUAL : ATX_WHY_WITHIN);
    atx_str_clear(&text);
    return good;
}

/* Of max(A, B) both. */
static bool require_within(atx_draft *d, atx_poly_table *symbols, const atx_poly *reach, const atx_poly *size,
                           numbers *n)
{
    const atx_poly_entry *e = &symbols->items[reach->terms[0].of[0]];
    const bool one = reach->count == 1 && reach->terms[0].degree == 1 && reach->terms[0].factor == 1;
    if (one && e->kind == ATX_SYMBOL_MAX) {
        const atx_poly a = e->a, b = e->b;
        return require_within(d, symbols, &a, size, n) && require_within(d, symbols, &b, size, n);
    }
    return atx_poly_within(reach, size) || require_one(d, symbols, reach, size, n, false);
}

void atx_draft_drop_rules(atx_draft *d)
{
    for (int k = d->rule_count; k-- > 0;) {
        bool names =
            (strcmp(d->rules[k].why, ATX_WHY_WITHIN) != 0 && strcmp(d->rules[k].why, ATX_WHY_EQUAL) != 0) ||
            atx_draft_names_param(d, d->rules[k].text);
        for (int i = 0; i < 3; i++)
            names =
                names || (d->block_param[i][0] && atx_draft_names_word(d->rules[k].text, d->block_param[i]));
        if (!names)
            memmove(&d->rules[k], &d->rules[k + 1], (size_t)(--d->rule_count - k) * sizeof d->rules[0]);
    }
}

/* What is read of a block each, uniforms[blockIdx.x] of n / BLOCK blocks: with other blocks it means
 * something else. */
static bool has_name(const atx_poly_table *symbols, const atx_poly *p, bool param)
{
    bool has = false;
    for (int i = 0; i < symbols->count && !has; i++)
        has = symbols->items[i].kind == ATX_SYMBOL_NAME &&
              (symbols->items[i].tag == ATX_TAG_PARAM) == param && atx_poly_has(symbols, p, i);
    return has;
}

bool atx_draft_may_round(const atx_poly_table *symbols, const atx_poly *size, int id)
{
    const atx_poly_entry *e = &symbols->items[id];
    bool only_added = true;
    for (int i = 0; i < size->count; i++)
        only_added = only_added && (size->terms[i].degree == 0 || size->terms[i].factor > 0);
    return only_added && e->kind == ATX_SYMBOL_FLOOR && has_name(symbols, &e->b, false) &&
           !has_name(symbols, &e->b, true);
}

static void fix_quotients(bool fixed[ATX_POLY_SYMBOLS], const atx_poly_table *symbols, const atx_poly *size)
{
    for (int n = 0; n < size->count; n++) {
        const atx_poly one = { .count = 1, .terms = { size->terms[n] } };
        bool divided = false;
        for (int k = 0; k < one.terms[0].degree; k++) {
            const atx_poly_entry *e = &symbols->items[one.terms[0].of[k]];
            divided = divided || ((e->kind == ATX_SYMBOL_FLOOR || e->kind == ATX_SYMBOL_CEIL) &&
                                  has_name(symbols, &e->a, false) && has_name(symbols, &e->b, true));
        }
        for (int i = 0; i < symbols->count && divided; i++)
            fixed[i] = fixed[i] || (symbols->items[i].kind == ATX_SYMBOL_NAME &&
                                    symbols->items[i].tag == ATX_TAG_PARAM && atx_poly_has(symbols, &one, i));
    }
}

void atx_draft_keep_params(bool own[ATX_POLY_SYMBOLS], bool fixed[ATX_POLY_SYMBOLS], atx_draft *d,
                           atx_poly_table *symbols, const atx_poly *size, bool written)
{
    if (!find_uneven(own, d, symbols, size, written))
        return;
    numbers n = { d, symbols, own };
    bool equal = false, kept[ATX_POLY_SYMBOLS] = { false };
    reaching r;
    begin_reaching(&r, &n, size);
    for (int i = 0; i < r.count; i++)
        kept[r.own[i].symbol] = !written || is_alike_alone(&r, &r.own[i]);
    for (int i = 0; i < r.count; i++)
        equal = equal || !kept[r.own[i].symbol];
    for (int i = 0; i < symbols->count; i++) /* a guess is no number to be equal to */
        equal = equal && !(number_of(&n, i) && atx_draft_guesses_param(d, symbols->items[i].name) &&
                           atx_poly_has(symbols, size, i));
    if (equal) { /* each of them is the author's in the size that they all make */
        for (int i = 0; i < symbols->count; i++)
            own[i] = own[i] || (number_of(&n, i) && atx_poly_has(symbols, size, i));
        begin_reaching(&r, &n, size);
        memset(kept, 0, sizeof kept);
        find_joint(kept, &r);
    }
    for (int i = 0; i < symbols->count; i++)
        fixed[i] = fixed[i] || (own[i] && written && !kept[i]);
    if (!written)
        fix_quotients(fixed, symbols, size);
    const atx_poly author = atx_poly_replace(symbols, size, as_number, &n);
    if (equal ? require_one(d, symbols, size, &author, &n, true)
              : require_within(d, symbols, size, &author, &n)) /* several may reach further than each alone */
        return;
    for (int i = 0; i < symbols->count; i++)
        fixed[i] = fixed[i] || own[i];
}
