/*
 * cut_value.c - evaluates expressions of C++ with the expressions of declarations.
 *
 * Constants are written into the text as numbers, and every other name makes it unknown. Declarations compute
 * in signed 64 bits: so an expression counts as known only when int and unsigned cannot differ from that,
 * because no sum or product of its numbers reaches 2^31 and nothing unsigned meets a minus. A list of || or
 * && loses its known operands; one that decides does so only if nothing before it is evaluated.
 */
#include "cut/cut_value.h"

#include "util/chars.h"

#include <inttypes.h>
#include <string.h>

#include "expr/expr.h"

/* ---- values ---- */

static const atx_cut_constant *find_constant(const atx_cut_constants *known, const char *name, size_t len)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->items[i].len == len && memcmp(known->items[i].name, name, len) == 0)
            return &known->items[i];
    return NULL;
}

/* What the expression needs to be the same in int, unsigned and 64 bits. */
typedef struct reading {
    atx_str text;
    double reach;   /* no product or sum of its numbers is larger */
    bool unsigned_; /* has an unsigned number */
    bool falls;     /* may go below zero */
    bool grows;
} reading;

static void add_number(reading *r, int64_t value)
{
    atx_str_addf(&r->text, "(%" PRId64 ")", value);
    r->reach *= 2 + (value < 0 ? -(double)value : (double)value);
    r->falls |= value < 0;
}

/* Digits, perhaps with L or LL behind them. */
static bool add_literal(reading *r, const char *digits, size_t len)
{
    int64_t value = 0;
    size_t n = 0;
    for (; n < len && atx_is_digit(digits[n]); n++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digits[n] - '0', &value))
            return false;
    if ((n > 1 && digits[0] == '0') || len - n > 2)
        return false;
    for (size_t i = n; i < len; i++)
        if (digits[i] != 'L')
            return false;
    add_number(r, value);
    return true;
}

static void add_sign(reading *r, const char *sign, size_t len)
{
    atx_str_add(&r->text, " ");
    atx_str_add_bytes(&r->text, sign, len);
    r->falls |= *sign == '-' || *sign == '~';
    r->grows |= len == 1 && strchr("+-*~", *sign);
}

/* "sizeof(T)", with "(int)" before it or not; returns how many tokens, 0: none. */
static size_t add_sizeof(reading *r, const atx_tokens *t, size_t i, const atx_cut_constants *known)
{
    size_t cast =
        atx_tokens_is(t, i, "(") && atx_tokens_is(t, i + 1, "int") && atx_tokens_is(t, i + 2, ")") ? 3 : 0;
    size_t at = i + cast;
    if (!known->type_bytes || !atx_tokens_is(t, at, "sizeof") || !atx_tokens_is(t, at + 1, "(") ||
        !atx_tokens_is(t, at + 2, "T") || !atx_tokens_is(t, at + 3, ")"))
        return 0;
    add_number(r, known->type_bytes);
    r->unsigned_ |= !cast;
    return cast + 4;
}

static bool add_token(reading *r, const atx_tokens *t, size_t i, const atx_cut_constants *known)
{
    const char *text = t->text + t->items[i].begin;
    size_t len = t->items[i].end - t->items[i].begin;
    const atx_cut_constant *c;
    switch (t->items[i].kind) {
    case ATX_TOKEN_WORD:
        if (atx_tokens_is(t, i, "true") || atx_tokens_is(t, i, "false"))
            add_number(r, *text == 't');
        else if ((c = find_constant(known, text, len)) != NULL)
            add_number(r, c->value);
        else
            return false;
        return true;
    case ATX_TOKEN_NUMBER:
        return add_literal(r, text, len);
    case ATX_TOKEN_SIGN:
        add_sign(r, text, len);
        return !atx_tokens_is(t, i, "<<");
    default:
        return false;
    }
}

bool atx_cut_value(int64_t *value, bool *failed, const atx_tokens *t, size_t begin, size_t end,
                   const atx_cut_constants *known)
{
    reading r = { .reach = 1 };
    atx_expr *expr = NULL;
    bool good = begin < end;
    at_status status = AT_OK;
    for (size_t i = begin; i < end && good; i++) {
        size_t used = add_sizeof(&r, t, i, known);
        good = used ? i + used <= end : add_token(&r, t, i, known);
        i += used ? used - 1 : 0;
    }
    *failed |= r.text.failed;
    good = good && !r.text.failed && !(r.unsigned_ && r.falls) && !(r.grows && r.reach >= 2147483648.0);
    if (good) {
        status = atx_expr_compile(&expr, atx_str_text(&r.text), r.text.len, &(atx_scope){ 0 },
                                  (atx_where){ .file = "" }, NULL);
        *failed |= status == AT_ERR_MEMORY;
        good = status == AT_OK && atx_expr_eval(value, expr, NULL, NULL) == AT_OK;
    }
    atx_expr_close(expr);
    atx_str_clear(&r.text);
    return good;
}

/* ---- conditions ---- */

static void add_range(atx_str *out, const atx_tokens *t, size_t begin, size_t end)
{
    if (begin < end)
        atx_str_add_bytes(out, t->text + t->items[begin].begin,
                          t->items[end - 1].end - t->items[begin].begin);
}

/* A list of operands, joined by `sign`; `rules` is what one operand decides alone. */
static atx_truth simplify_list(atx_str *out, bool *changed, int *left, const atx_tokens *t, size_t begin,
                               size_t end, const char *sign, atx_truth rules, const atx_cut_constants *known,
                               int depth)
{
    bool dropped = false;
    *left = 0;
    for (size_t at = begin; at <= end;) {
        size_t stop = atx_tokens_find(t, at, end, sign);
        atx_str one = { 0 };
        atx_truth value = atx_cut_simplify(&one, changed, t, at, stop, known, depth);
        if (value == ATX_UNKNOWN) {
            if (*left)
                atx_str_addf(out, " %s ", sign);
            atx_str_add(out, atx_str_text(&one));
            ++*left;
        }
        out->failed |= one.failed;
        atx_str_clear(&one);
        if (value == rules && *left == 0) /* before it nothing is evaluated that matters */
            return rules;
        if (value == rules) { /* what is before it is evaluated first */
            atx_str_addf(out, " %s %s", sign, rules == ATX_TRUE ? "true" : "false");
            ++*left;
            return ATX_UNKNOWN;
        }
        dropped |= value != ATX_UNKNOWN;
        at = stop + 1;
    }
    *changed |= dropped;
    return *left ? ATX_UNKNOWN : rules == ATX_TRUE ? ATX_FALSE : ATX_TRUE;
}

atx_truth atx_cut_simplify(atx_str *out, bool *changed, const atx_tokens *t, size_t begin, size_t end,
                           const atx_cut_constants *known, int depth)
{
    int64_t value;
    int left = 0;
    bool inner = false;
    if (begin >= end || depth > ATX_CUT_NESTING || atx_tokens_find(t, begin, end, "?") < end ||
        atx_tokens_find(t, begin, end, ",") < end) {
        add_range(out, t, begin, end);
        return ATX_UNKNOWN;
    }
    if (atx_cut_value(&value, &out->failed, t, begin, end, known))
        return value ? ATX_TRUE : ATX_FALSE;
    const bool either = atx_tokens_find(t, begin, end, "||") < end;
    if (either || atx_tokens_find(t, begin, end, "&&") < end) {
        atx_str list = { 0 };
        atx_truth found = simplify_list(&list, &inner, &left, t, begin, end, either ? "||" : "&&",
                                        either ? ATX_TRUE : ATX_FALSE, known, depth + 1);
        out->failed |= list.failed;
        if (found == ATX_UNKNOWN && inner)
            atx_str_add(out, atx_str_text(&list));
        else if (found == ATX_UNKNOWN) /* with its own line ends */
            add_range(out, t, begin, end);
        atx_str_clear(&list);
        *changed |= inner;
        return found;
    }
    if (atx_tokens_is(t, begin, "(") && atx_tokens_match(t, begin) == end - 1) {
        atx_str within = { 0 };
        atx_truth found = atx_cut_simplify(&within, &inner, t, begin + 1, end - 1, known, depth + 1);
        out->failed |= within.failed;
        if (found == ATX_UNKNOWN && inner && !strstr(atx_str_text(&within), "||") &&
            !strstr(atx_str_text(&within), "&&"))
            atx_str_add(out, atx_str_text(&within)); /* one operand is left */
        else if (found == ATX_UNKNOWN)
            atx_str_addf(out, "(%s)", atx_str_text(&within));
        atx_str_clear(&within);
        *changed |= inner;
        return found;
    }
    add_range(out, t, begin, end);
    return ATX_UNKNOWN;
}
