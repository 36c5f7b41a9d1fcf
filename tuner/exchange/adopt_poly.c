/* adopt_poly.c - see adopt_poly.h. Products of a / b and b are simplified where they are made. */
#include "exchange/adopt_poly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTOR = 1 << 30, MOST_DEPTH = 8 };

static const atx_poly BAD = { .bad = true };

/* ---- symbols ---- */

static bool is_same_term(const atx_poly_term *a, const atx_poly_term *b)
{
    return a->degree == b->degree && memcmp(a->of, b->of, (size_t)a->degree * sizeof *a->of) == 0;
}

static bool is_same(const atx_poly *a, const atx_poly *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++) {
        bool found = false;
        for (int k = 0; k < b->count; k++)
            found = found ||
                    (is_same_term(&a->terms[i], &b->terms[k]) && a->terms[i].factor == b->terms[k].factor);
        if (!found)
            return false;
    }
    return true;
}

int atx_poly_named(atx_poly_table *s, const char *name, int tag)
{
    for (int i = 0; i < s->count; i++)
        if (s->items[i].kind == ATX_SYMBOL_NAME && strcmp(s->items[i].name, name) == 0)
            return i;
    if (s->count == ATX_POLY_SYMBOLS || strlen(name) >= ATX_POLY_NAME)
        return -1;
    atx_poly_entry *new = &s->items[s->count];
    *new = (atx_poly_entry){ .kind = ATX_SYMBOL_NAME, .tag = tag };
    strcpy(new->name, name);
    return s->count++;
}

static atx_poly made_of(atx_poly_table *s, atx_poly_kind kind, const atx_poly *a, const atx_poly *b)
{
    if (a->bad || b->bad)
        return BAD;
    int i = 0;
    while (i < s->count &&
           !(s->items[i].kind == kind && is_same(&s->items[i].a, a) && is_same(&s->items[i].b, b)))
        i++;
    if (i == ATX_POLY_SYMBOLS)
        return BAD;
    if (i == s->count) {
        s->items[i] = (atx_poly_entry){ .kind = kind, .a = *a, .b = *b };
        s->count++;
    }
    return atx_poly_symbol(i);
}

/* ---- sums ---- */

/* What was rounded for `p`, and for another one of which it is made. */
static void join_rounded(atx_poly *p, const atx_poly *with)
{
    for (int i = 0; i < ATX_POLY_ROUNDED && with->rounded[i]; i++) {
        int k = 0;
        while (k < ATX_POLY_ROUNDED && p->rounded[k] && p->rounded[k] != with->rounded[i])
            k++;
        if (k < ATX_POLY_ROUNDED)
            p->rounded[k] = with->rounded[i];
    }
}

atx_poly atx_poly_number(long value)
{
    atx_poly p = { .count = value != 0 };
    p.terms[0].factor = value;
    return p;
}

atx_poly atx_poly_symbol(int symbol)
{
    atx_poly p = { .count = 1, .bad = symbol < 0 };
    p.terms[0] = (atx_poly_term){ .factor = 1, .degree = 1, .of = { (short)symbol } };
    return p;
}

static void add_term(atx_poly *p, const atx_poly_term *term)
{
    int i = 0;
    while (i < p->count && !is_same_term(&p->terms[i], term))
        i++;
    if (i == ATX_POLY_TERMS) {
        p->bad = true;
    } else if (i == p->count) {
        p->terms[p->count++] = *term;
    } else {
        p->terms[i].factor += term->factor;
        p->bad = p->bad || labs(p->terms[i].factor) > MOST_FACTOR;
        if (p->terms[i].factor == 0) {
            memmove(&p->terms[i], &p->terms[i + 1], (size_t)(p->count - i - 1) * sizeof *p->terms);
            p->count--;
        }
    }
}

atx_poly atx_poly_add(const atx_poly *a, const atx_poly *b, long times)
{
    atx_poly p = *a;
    p.bad = a->bad || b->bad || labs(times) > MOST_FACTOR;
    join_rounded(&p, b);
    p.dropped = a->dropped || b->dropped;
    for (int i = 0; i < b->count && !p.bad && times; i++) {
        atx_poly_term term = b->terms[i];
        p.bad = labs(term.factor) > MOST_FACTOR / labs(times);
        term.factor *= times;
        add_term(&p, &term);
    }
    return p;
}

bool atx_poly_is_number(long *out, const atx_poly *p)
{
    *out = p->count ? p->terms[0].factor : 0;
    return !p->bad && (p->count == 0 || (p->count == 1 && p->terms[0].degree == 0));
}

/* ---- products ---- */

/* term / by; false: it is not contained in it. */
static bool take_out(atx_poly_term *out, const atx_poly_term *term, const atx_poly_term *by)
{
    *out = (atx_poly_term){ .factor = term->factor / by->factor };
    if (term->factor % by->factor)
        return false;
    int k = 0;
    for (int i = 0; i < term->degree; i++)
        if (k < by->degree && by->of[k] == term->of[i])
            k++;
        else
            out->of[out->degree++] = term->of[i];
    return k == by->degree;
}

/* 1000 / tile: what that rounds off is known once `tile` is, and asks nothing of the problem's sizes. */
static bool is_quotient_of_number(const atx_poly_table *s, const atx_poly *p)
{
    long number;
    if (p->count != 1 || p->terms[0].degree != 1)
        return false;
    const atx_poly_entry *symbol = &s->items[p->terms[0].of[0]];
    return (symbol->kind == ATX_SYMBOL_FLOOR || symbol->kind == ATX_SYMBOL_CEIL) &&
           atx_poly_is_number(&number, &symbol->a);
}

/* (a / b) * b as a. */
static bool simplify(atx_poly *out, atx_poly_table *s, const atx_poly_term *term)
{
    for (int i = 0; i < term->degree; i++) {
        const int id = term->of[i];
        const atx_poly_entry *symbol = &s->items[id];
        atx_poly_term over, rest, by = { .factor = 1, .degree = 1, .of = { (short)id } };
        if ((symbol->kind != ATX_SYMBOL_FLOOR && symbol->kind != ATX_SYMBOL_CEIL) || symbol->b.count != 1)
            continue;
        const bool up =
            symbol->kind == ATX_SYMBOL_CEIL || symbol->b.terms[0].degree; /* by a number of 1 more or less */
        const atx_poly a = symbol->a, b = symbol->b;
        if (is_quotient_of_number(s, &a) || !take_out(&over, term, &by) ||
            !take_out(&rest, &over, &b.terms[0]))
            continue;
        atx_poly one = { .count = 1, .terms = { rest } };
        *out = atx_poly_multiply(s, &one, &a);
        const atx_poly own = { .rounded = { (short)(up ? id + 1 : 0) } };
        join_rounded(out, &own);
        out->dropped = true;
        return true;
    }
    return false;
}

static bool multiply_terms(atx_poly_term *out, const atx_poly_term *a, const atx_poly_term *b)
{
    if (a->degree + b->degree > ATX_POLY_DEGREE || labs(a->factor) > MOST_FACTOR / labs(b->factor))
        return false;
    *out = (atx_poly_term){ .factor = a->factor * b->factor };
    for (int i = 0, k = 0; i < a->degree || k < b->degree;)
        out->of[out->degree++] =
            k == b->degree || (i < a->degree && a->of[i] <= b->of[k]) ? a->of[i++] : b->of[k++];
    return true;
}

atx_poly atx_poly_multiply(atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    atx_poly p = { .bad = a->bad || b->bad, .dropped = a->dropped || b->dropped };
    join_rounded(&p, a);
    join_rounded(&p, b);
    for (int i = 0; i < a->count && !p.bad; i++)
        for (int k = 0; k < b->count && !p.bad; k++) {
            atx_poly_term term;
            atx_poly part;
            if (!multiply_terms(&term, &a->terms[i], &b->terms[k]))
                p.bad = true;
            else if (simplify(&part, s, &term))
                p = atx_poly_add(&p, &part, 1);
            else
                add_term(&p, &term);
        }
    return p;
}

void atx_poly_take_for(atx_poly *p, const atx_poly_term *product, int symbol)
{
    const atx_poly_term one = { .factor = 1, .degree = 1, .of = { (short)symbol } };
    for (int i = 0; i < p->count; i++) {
        atx_poly_term rest, with;
        if (take_out(&rest, &p->terms[i], product) && multiply_terms(&with, &rest, &one))
            p->terms[i] = with;
    }
}

/* ---- quotients ---- */

/* A number over a number, so that what remains is -1, or less than `by`. */
static long whole_part(long value, long by)
{
    if (by > 1 && (value + 1) % by == 0)
        return (value + 1) / by;
    return value >= 0 ? value / by : -((-value + by - 1) / by);
}

/* a = quotient * by + rest */
static void split(atx_poly *quotient, atx_poly *rest, const atx_poly *a, const atx_poly_term *by)
{
    *quotient = *rest = atx_poly_number(0);
    for (int i = 0; i < a->count; i++) {
        atx_poly_term part;
        if (a->terms[i].degree == 0 && by->degree == 0) {
            const long whole = whole_part(a->terms[i].factor, by->factor);
            const atx_poly_term one = { .factor = whole };
            const atx_poly_term left = { .factor = a->terms[i].factor - whole * by->factor };
            if (one.factor)
                add_term(quotient, &one);
            if (left.factor)
                add_term(rest, &left);
        } else if (take_out(&part, &a->terms[i], by)) {
            add_term(quotient, &part);
        } else {
            add_term(rest, &a->terms[i]);
        }
    }
}

/* By a sum: (n * (c + d) - 1) / (c + d). false: what remains is no -1 and no 0. */
static bool divide_by_sum(atx_poly *out, atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    atx_poly rest = *a;
    long left;
    *out = atx_poly_number(0);
    for (int pass = 0; pass < ATX_POLY_TERMS && !atx_poly_is_number(&left, &rest) && !rest.bad; pass++) {
        atx_poly part = { .count = 1 }, product;
        int i = 0;
        while (i < rest.count && !take_out(&part.terms[0], &rest.terms[i], &b->terms[0]))
            i++;
        if (i == rest.count)
            return false;
        *out = atx_poly_add(out, &part, 1);
        product = atx_poly_multiply(s, &part, b);
        rest = atx_poly_add(&rest, &product, -1);
    }
    if (!atx_poly_is_number(&left, &rest) || left > 0)
        return false;
    const atx_poly one = atx_poly_number(left < 0);
    *out = atx_poly_add(out, &one, -1);
    return true;
}

atx_poly atx_poly_divide(atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    atx_poly quotient, rest, part;
    long left = 0;
    if (a->bad || b->bad || b->count == 0 || b->terms[0].factor <= 0)
        return BAD;
    if (b->count > 1)
        return divide_by_sum(&quotient, s, a, b) ? quotient : made_of(s, ATX_SYMBOL_FLOOR, a, b);
    split(&quotient, &rest, a, &b->terms[0]);
    join_rounded(&quotient, a);
    join_rounded(&quotient, b);
    quotient.dropped = a->dropped || b->dropped;
    const bool number = atx_poly_is_number(&left, &rest);
    if (number && (left <= 0 || b->terms[0].degree == 0)) /* -1 / n is -1 */
        return left < 0 ? part = atx_poly_number(1), atx_poly_add(&quotient, &part, -1) : quotient;
    bool minus_one = false;
    for (int i = 0; i < rest.count; i++)
        minus_one = minus_one || (rest.terms[i].degree == 0 && rest.terms[i].factor == -1);
    const atx_poly one = atx_poly_number(1);
    if (minus_one) { /* (n - 1) / b is n / b, rounded up, less 1 */
        rest = atx_poly_add(&rest, &one, 1);
        part = made_of(s, ATX_SYMBOL_CEIL, &rest, b);
        part = atx_poly_add(&part, &one, -1);
    } else {
        part = made_of(s, ATX_SYMBOL_FLOOR, &rest, b);
    }
    return atx_poly_add(&quotient, &part, 1);
}

atx_poly atx_poly_divide_up(atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    atx_poly quotient, rest;
    long left = 0;
    if (a->bad || b->bad || b->count != 1 || b->terms[0].factor <= 0)
        return BAD;
    split(&quotient, &rest, a, &b->terms[0]);
    join_rounded(&quotient, a);
    join_rounded(&quotient, b);
    quotient.dropped = a->dropped || b->dropped;
    if (atx_poly_is_number(&left, &rest) && (left <= 1 || b->terms[0].degree == 0)) { /* 1 / n is 1 */
        const atx_poly one = atx_poly_number(left > 0);
        return atx_poly_add(&quotient, &one, 1);
    }
    rest = made_of(s, ATX_SYMBOL_CEIL, &rest, b);
    return atx_poly_add(&quotient, &rest, 1);
}

/* ---- order ---- */

/* Whether the symbols of `a` are all in `b`. */
static bool is_part(const atx_poly_term *a, const atx_poly_term *b)
{
    int i = 0;
    for (int k = 0; k < b->degree && i < a->degree; k++)
        i += b->of[k] == a->of[i];
    return i == a->degree;
}

/* b - a is not below 0: each term that is subtracted is less than what is left of another one. */
bool atx_poly_within(const atx_poly *a, const atx_poly *b)
{
    atx_poly left = atx_poly_add(b, a, -1);
    for (int i = 0; i < left.count && !left.bad; i++)
        for (int k = 0; k < left.count && left.terms[i].factor < 0; k++) {
            atx_poly_term *less = &left.terms[i], *more = &left.terms[k];
            if (more->factor <= 0 || !is_part(less, more))
                continue;
            const long both = more->factor < -less->factor ? more->factor : -less->factor;
            more->factor -= both;
            less->factor += both;
        }
    for (int i = 0; i < left.count; i++)
        if (left.terms[i].factor < 0)
            return false;
    return !left.bad;
}

static double symbol_at(const atx_poly_table *s, int id, const long *given, int trial)
{
    static const int NUMBERS[] = { 4096, 640, 96, 12288, 1792, 224, 3 };
    const atx_poly_entry *e = &s->items[id];
    if (e->kind == ATX_SYMBOL_NAME)
        return given && given[id]
                   ? (double)given[id]
                   : NUMBERS[(size_t)(id * 3 + trial * 5) % (sizeof NUMBERS / sizeof *NUMBERS)];
    const double a = atx_poly_given(s, &e->a, given, trial), b = atx_poly_given(s, &e->b, given, trial);
    if (isnan(a) || isnan(b))
        return NAN;
    if (e->kind == ATX_SYMBOL_MIN || e->kind == ATX_SYMBOL_MAX)
        return (e->kind == ATX_SYMBOL_MIN) == (a < b) ? a : b;
    const double up = e->kind == ATX_SYMBOL_CEIL ? b - 1 : 0;
    return b >= 1 ? (double)(long long)((a + up) / b) : given ? NAN : a;
}

double atx_poly_given(const atx_poly_table *s, const atx_poly *p, const long *given, int trial)
{
    double all = 0;
    for (int i = 0; i < p->count; i++) {
        double term = (double)p->terms[i].factor;
        for (int k = 0; k < p->terms[i].degree; k++)
            term *= symbol_at(s, p->terms[i].of[k], given, trial);
        all += term;
    }
    return all;
}

double atx_poly_at(const atx_poly_table *s, const atx_poly *p, int trial)
{
    return atx_poly_given(s, p, NULL, trial);
}

atx_poly atx_poly_least(atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    const bool exact = a->rounded[0] && !b->rounded[0] && atx_poly_within(b, a); /* min(y, n - 1) */
    if (atx_poly_within(a, b) && !exact)
        return *a;
    return atx_poly_within(b, a) ? *b : made_of(s, ATX_SYMBOL_MIN, a, b);
}

/* Whether `a` is the larger one of things of which one is not less than `b`. */
static bool covers(const atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    if (atx_poly_within(b, a))
        return true;
    if (a->count != 1 || a->terms[0].degree != 1 || a->terms[0].factor != 1)
        return false;
    const atx_poly_entry *entry = &s->items[a->terms[0].of[0]];
    return entry->kind == ATX_SYMBOL_MAX && (covers(s, &entry->a, b) || covers(s, &entry->b, b));
}

atx_poly atx_poly_most(atx_poly_table *s, const atx_poly *a, const atx_poly *b)
{
    const bool equal = atx_poly_within(a, b) && atx_poly_within(b, a);
    if (!equal && (covers(s, a, b) || covers(s, b, a)))
        return covers(s, a, b) ? *a : *b;
    atx_poly most = equal ? *a : made_of(s, ATX_SYMBOL_MAX, a, b);
    join_rounded(&most, a);
    join_rounded(&most, b);
    return most;
}

atx_poly atx_poly_over(const atx_poly_table *s, const atx_poly *p)
{
    if (p->count != 1 || p->terms[0].degree != 1 || p->terms[0].factor != 1 ||
        s->items[p->terms[0].of[0]].kind != ATX_SYMBOL_MAX)
        return *p;
    const atx_poly a = atx_poly_over(s, &s->items[p->terms[0].of[0]].a);
    const atx_poly b = atx_poly_over(s, &s->items[p->terms[0].of[0]].b);
    atx_poly all = { .bad = a.bad || b.bad, .dropped = p->dropped };
    join_rounded(&all, p);
    const atx_poly *const both[] = { &a, &b };
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < both[n]->count && !all.bad; i++) {
            const atx_poly_term *term = &both[n]->terms[i];
            int k = 0;
            while (k < all.count && !is_same_term(&all.terms[k], term))
                k++;
            if (term->factor > 0 && k < all.count)
                all.terms[k].factor = all.terms[k].factor > term->factor ? all.terms[k].factor : term->factor;
            else if (term->factor > 0)
                add_term(&all, term);
        }
    return all;
}

/* ---- what it is made of ---- */

bool atx_poly_has(const atx_poly_table *s, const atx_poly *p, int symbol)
{
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->terms[i].degree; k++) {
            const int id = p->terms[i].of[k];
            if (id == symbol ||
                (s->items[id].kind != ATX_SYMBOL_NAME &&
                 (atx_poly_has(s, &s->items[id].a, symbol) || atx_poly_has(s, &s->items[id].b, symbol))))
                return true;
        }
    return false;
}

static atx_poly replace_symbol(atx_poly_table *s, int id, atx_poly_of_name *name, void *context)
{
    const atx_poly_entry symbol = s->items[id];
    if (symbol.kind == ATX_SYMBOL_NAME)
        return name(context, id);
    const atx_poly a = atx_poly_replace(s, &symbol.a, name, context);
    const atx_poly b = atx_poly_replace(s, &symbol.b, name, context);
    if (symbol.kind == ATX_SYMBOL_MIN)
        return atx_poly_least(s, &a, &b);
    if (symbol.kind == ATX_SYMBOL_MAX)
        return atx_poly_most(s, &a, &b);
    if (symbol.kind == ATX_SYMBOL_FLOOR)
        return atx_poly_divide(s, &a, &b);
    return atx_poly_divide_up(s, &a, &b);
}

atx_poly atx_poly_replace(atx_poly_table *s, const atx_poly *p, atx_poly_of_name *name, void *context)
{
    atx_poly sum = { .bad = p->bad, .dropped = p->dropped };
    join_rounded(&sum, p);
    for (int i = 0; i < p->count && !sum.bad; i++) {
        atx_poly product = atx_poly_number(p->terms[i].factor);
        for (int k = 0; k < p->terms[i].degree; k++) {
            const atx_poly one = replace_symbol(s, p->terms[i].of[k], name, context);
            product = atx_poly_multiply(s, &product, &one);
        }
        sum = atx_poly_add(&sum, &product, 1);
    }
    return sum;
}

static void write_symbol(atx_str *out, const atx_poly_table *s, int id)
{
    static const char *const CALLS[] = {
        [ATX_SYMBOL_CEIL] = "ceil_div", [ATX_SYMBOL_MIN] = "min", [ATX_SYMBOL_MAX] = "max"
    };
    const atx_poly_entry *symbol = &s->items[id];
    if (symbol->kind == ATX_SYMBOL_NAME) {
        atx_str_add(out, symbol->name);
        return;
    }
    const bool floor = symbol->kind == ATX_SYMBOL_FLOOR;
    const bool lone_a = symbol->a.count == 1, lone_b = symbol->b.count == 1 && symbol->b.terms[0].degree < 2;
    atx_str_addf(out, floor ? lone_a ? "(" : "((" : "%s(", floor ? "" : CALLS[symbol->kind]);
    atx_poly_write(out, s, &symbol->a);
    atx_str_add(out, floor ? lone_a ? " / " : ") / " : ", ");
    atx_str_add(out, floor && !lone_b ? "(" : "");
    atx_poly_write(out, s, &symbol->b);
    atx_str_add(out, floor && !lone_b ? "))" : ")");
}

void atx_poly_write(atx_str *out, const atx_poly_table *s, const atx_poly *p)
{
    if (!p->count)
        atx_str_add(out, "0");
    for (int pass = 0, any = 0; pass < 2; pass++) /* what is subtracted comes last */
        for (int i = 0; i < p->count; i++) {
            const atx_poly_term *term = &p->terms[i];
            const long size = labs(term->factor);
            if ((term->factor < 0) != pass)
                continue;
            atx_str_add(out, !any ? pass ? "-" : "" : pass ? " - " : " + ");
            any = 1;
            for (int k = 0; k < term->degree; k++) {
                atx_str_add(out, k ? " * " : "");
                write_symbol(out, s, term->of[k]);
            }
            if (size != 1 || !term->degree)
                atx_str_addf(out, "%s%ld", term->degree ? " * " : "", size);
        }
}
