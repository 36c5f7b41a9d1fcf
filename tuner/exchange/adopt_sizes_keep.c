/*
 * adopt_sizes_keep.c - parameters that the size of a buffer depends on. A buffer is as large for each
 * configuration, so that all work on the same problem: as the author's numbers make it. A parameter stays one
 * where the kernel then reaches no further: a `require` line says so of what is only read. Where results are
 * written each value must reach as far as the author's, or another one means fewer or other results. Any
 * other parameter becomes a number.
 */
#include "exchange/adopt_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 7 };

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
    int other;       /* but for this one, which is `value` */
    long value;
} numbers;

static atx_poly as_number(void *context, int id)
{
    const numbers *n = context;
    const atx_poly_entry *symbol = &n->symbols->items[id];
    long value = 1;
    if (id == n->other)
        return atx_poly_number(n->value);
    if (symbol->tag != ATX_TAG_PARAM || !atx_draft_param_value(&value, n->d, symbol->name))
        return atx_poly_symbol(id);
    return atx_poly_number(n->own[id] ? value : atx_draft_largest(n->d, symbol->name, value));
}

/* Whether each value of a parameter, the others as their author has them, reaches as far as the author's. */
static bool reaches_alike(const atx_draft *d, atx_poly_table *symbols, const atx_poly *size, const bool *own,
                          int param)
{
    numbers n = { d, symbols, own, -1, 0 };
    const atx_poly author = atx_poly_replace(symbols, size, as_number, &n);
    bool alike = !author.bad;
    for (int k = 0; k < d->param_count && alike; k++) {
        atx_str text = { 0 };
        if (strcmp(atx_draft_param_line(&d->params[k]), symbols->items[param].name) != 0)
            continue;
        atx_draft_values(&text, d, &d->params[k]);
        char *at = text.data;
        n.other = param;
        for (char *end = at; at && alike; at = end) {
            n.value = strtol(at, &end, 10);
            if (end == at)
                break;
            const atx_poly other = atx_poly_replace(symbols, size, as_number, &n);
            for (int trial = 0; trial < TRIALS && alike; trial++)
                alike =
                    !other.bad && atx_poly_at(symbols, &other, trial) == atx_poly_at(symbols, &author, trial);
        }
        atx_str_clear(&text);
        return alike;
    }
    return false; /* of the block alone: blockDim */
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

/* REACH <= SIZE as what is added <= what is taken away, without sizes that both have; false: it cannot be
 * written. */
static bool require_within(atx_draft *d, atx_poly_table *symbols, const atx_poly *size, const bool *own)
{
    numbers n = { d, symbols, own, -1, 0 };
    const atx_poly author = atx_poly_replace(symbols, size, as_number, &n);
    atx_poly more = atx_poly_add(size, &author, -1), side[2] = { { .count = 0 }, { .count = 0 } };
    atx_str text = { 0 };
    for (int id; (id = common_size(symbols, &more)) >= 0;)
        divide_by(&more, id);
    for (int i = 0; i < more.count; i++) {
        atx_poly *to = &side[more.terms[i].factor < 0];
        to->terms[to->count] = more.terms[i];
        to->terms[to->count++].factor *= more.terms[i].factor < 0 ? -1 : 1;
    }
    atx_poly_write(&text, symbols, &side[0]);
    atx_str_add(&text, " <= ");
    atx_poly_write(&text, symbols, &side[1]);
    const bool good = !size->bad && !author.bad && !more.bad && !divides_below_zero(symbols, &n, &more) &&
                      !text.failed && !strchr(text.data, '.') &&
                      atx_draft_add_rule(d, text.data, ATX_WHY_WITHIN);
    atx_str_clear(&text);
    return good;
}

void atx_draft_drop_rules(atx_draft *d)
{
    for (int k = d->rule_count; k-- > 0;) {
        bool names =
            strcmp(d->rules[k].why, ATX_WHY_WITHIN) != 0 || atx_draft_names_param(d, d->rules[k].text);
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
    for (int i = 0; i < symbols->count; i++)
        fixed[i] = fixed[i] || (own[i] && written && !reaches_alike(d, symbols, size, own, i));
    if (!written)
        fix_quotients(fixed, symbols, size);
    if (require_within(d, symbols, size, own)) /* several may reach further than each alone */
        return;
    for (int i = 0; i < symbols->count; i++)
        fixed[i] = fixed[i] || own[i];
}
