/* adopt_range.c - see adopt_range.h. Operators by their precedence; what is not understood is not known. */
#include "exchange/adopt_range.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const atx_range_words *words;
    atx_poly_table *s;
    const atx_tokens *t;
    size_t at, end;
} reading;

static const atx_range UNKNOWN = { .known = false };

atx_range atx_range_exactly(atx_poly value)
{
    long number;
    const bool negative = atx_poly_is_number(&number, &value) && number < 0;
    return (
        atx_range){ .known = !value.bad, .exact = !value.bad, .least = negative ? number : 0, .most = value };
}

atx_range atx_range_up_to(atx_poly most)
{
    return (atx_range){ .known = !most.bad, .most = most };
}

atx_range atx_range_below(atx_poly p)
{
    const atx_poly one = atx_poly_number(1);
    return atx_range_up_to(atx_poly_add(&p, &one, -1));
}

atx_range atx_range_and_one(atx_range r)
{
    const atx_poly one = atx_poly_number(1);
    r.most = atx_poly_add(&r.most, &one, 1);
    return r;
}

atx_range atx_range_rest(atx_range sum, atx_range other)
{
    const atx_poly least = other.exact ? other.most : atx_poly_number(other.least);
    sum.most = atx_poly_add(&sum.most, &least, -1);
    return sum;
}

atx_range atx_range_larger(atx_poly_table *s, atx_range a, atx_range b)
{
    return a.known && b.known ? atx_range_up_to(atx_poly_most(s, &a.most, &b.most)) : UNKNOWN;
}

atx_range atx_range_smaller(atx_poly_table *s, atx_range a, atx_range b)
{
    if (!a.known || !b.known)
        return a.known ? atx_range_up_to(a.most) : b.known ? atx_range_up_to(b.most) : UNKNOWN;
    return (
        atx_range){ .known = true, .exact = a.exact && b.exact, .most = atx_poly_least(s, &a.most, &b.most) };
}

/* A number below 0 times something of at least 0. */
static bool is_below(atx_range a, atx_range b)
{
    return a.exact && a.least < 0 && b.known && !b.exact && b.least >= 0;
}

atx_range atx_range_product(atx_poly_table *s, atx_range a, atx_range b)
{
    if (!a.known || !b.known)
        return UNKNOWN;
    if (is_below(a, b) || is_below(b, a))
        return atx_range_up_to(atx_poly_number(0));
    const atx_poly value = atx_poly_multiply(s, &a.most, &b.most);
    return a.exact && b.exact ? atx_range_exactly(value) : atx_range_up_to(value);
}

/* ---- operators ---- */

static const struct {
    const char *sign;
    int level;
} OPERATORS[] = { { "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 },  { "&", 5 },  { "==", 6 },
                  { "!=", 6 }, { "<", 7 },  { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "<<", 8 },
                  { ">>", 8 }, { "+", 9 },  { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 } };

enum { LEVEL_SUM = 9, MOST_TOKENS = 800 }; /* a longer expression may need more stack than there is */

static int level_of(const reading *r)
{
    for (size_t k = 0; k < sizeof OPERATORS / sizeof *OPERATORS && r->at < r->end; k++)
        if (atx_tokens_is(r->t, r->at, OPERATORS[k].sign))
            return OPERATORS[k].level;
    return 0;
}

static atx_range sum(atx_range a, atx_range b, bool minus)
{
    const atx_poly least = atx_poly_number(b.least);
    if (!a.known || (!b.known && !minus))
        return UNKNOWN;
    if (minus && !b.exact) /* something of at least `least` */
        return atx_range_up_to(atx_poly_add(&a.most, &least, -1));
    const atx_poly value = atx_poly_add(&a.most, &b.most, minus ? -1 : 1);
    if (a.exact && b.exact)
        return atx_range_exactly(value);
    atx_range all = atx_range_up_to(value);
    all.least = minus ? 0 : a.least + b.least;
    return all;
}

static atx_range quotient(reading *r, atx_range a, atx_range b)
{
    if (!a.known)
        return UNKNOWN;
    if (!b.exact)
        return atx_range_up_to(a.most);
    const atx_poly value = atx_poly_divide(r->s, &a.most, &b.most);
    return a.exact ? atx_range_exactly(value) : atx_range_up_to(value);
}

static atx_range remainder_of(atx_range a, atx_range b)
{
    const atx_poly one = atx_poly_number(1);
    long x, y;
    if (!b.known)
        return a.known ? atx_range_up_to(a.most) : UNKNOWN;
    if (a.exact && b.exact && atx_poly_is_number(&x, &a.most) && atx_poly_is_number(&y, &b.most) && y)
        return atx_range_exactly(atx_poly_number(x % y));
    const atx_range last = atx_range_up_to(atx_poly_add(&b.most, &one, -1));
    return a.known && atx_poly_within(&a.most, &last.most) ? atx_range_up_to(a.most) : last;
}

static atx_range shift(reading *r, atx_range a, atx_range b, bool left)
{
    long by;
    if (!a.known || !b.exact || !atx_poly_is_number(&by, &b.most) || by < 0 || by > 30)
        return left || !a.known ? UNKNOWN : atx_range_up_to(a.most);
    const atx_range times = atx_range_exactly(atx_poly_number(1L << by));
    return left ? atx_range_product(r->s, a, times) : quotient(r, a, times);
}

/* | and ^: at most the sum. */
static atx_range joined(atx_range a, atx_range b, bool both)
{
    long x, y;
    if (a.exact && b.exact && atx_poly_is_number(&x, &a.most) && atx_poly_is_number(&y, &b.most))
        return atx_range_exactly(atx_poly_number(both ? x | y : x ^ y));
    return a.known && b.known ? atx_range_up_to(atx_poly_add(&a.most, &b.most, 1)) : UNKNOWN;
}

/* & of a mask: at most the smaller one; n & ~31: n. */
static atx_range masked(reading *r, atx_range a, atx_range b)
{
    atx_range least = atx_range_smaller(r->s, a, b);
    least.exact = false;
    return least;
}

static atx_range read_ternary(reading *r);

static atx_range combine(reading *r, size_t sign, atx_range a, atx_range b)
{
    const atx_tokens *t = r->t;
    if (atx_tokens_is(t, sign, "+") || atx_tokens_is(t, sign, "-"))
        return sum(a, b, atx_tokens_is(t, sign, "-"));
    if (atx_tokens_is(t, sign, "*"))
        return atx_range_product(r->s, a, b);
    if (atx_tokens_is(t, sign, "/"))
        return quotient(r, a, b);
    if (atx_tokens_is(t, sign, "%"))
        return remainder_of(a, b);
    if (atx_tokens_is(t, sign, "<<") || atx_tokens_is(t, sign, ">>"))
        return shift(r, a, b, atx_tokens_is(t, sign, "<<"));
    if (atx_tokens_is(t, sign, "&"))
        return masked(r, a, b);
    if (atx_tokens_is(t, sign, "|") || atx_tokens_is(t, sign, "^"))
        return joined(a, b, atx_tokens_is(t, sign, "|"));
    return atx_range_up_to(atx_poly_number(1)); /* a comparison */
}

/* (int)x, (const float *)p: all words between the brackets are of a type. */
static bool is_cast(const reading *r, size_t open)
{
    static const char *const WORDS[] = { "int",     "unsigned", "long",     "size_t",   "short",  "uint",
                                         "int64_t", "uint32_t", "uint64_t", "int32_t",  "const",  "char",
                                         "float",   "double",   "uint8_t",  "uint16_t", "signed", NULL };
    const size_t close = atx_tokens_match(r->t, open);
    for (size_t k = open + 1; k < close; k++)
        if (!atx_token_is_one_of(r->t->text, &r->t->items[k], WORDS) && !atx_tokens_is(r->t, k, "*"))
            return false;
    return close > open + 1 && close < r->end;
}

static atx_range read_number(reading *r)
{
    char text[40], *end = text;
    const size_t i = r->at++;
    if (atx_token_copy(text, sizeof text, r->t->text, &r->t->items[i]) >= sizeof text)
        return UNKNOWN;
    const long value = strtol(text, &end, 0);
    if (end == text || end[strspn(end, "uUlLzZ")] || value > 1L << 30)
        return UNKNOWN;
    return atx_range_exactly(atx_poly_number(value));
}

static atx_range read_operand(reading *r)
{
    const atx_tokens *t = r->t;
    const atx_range zero = atx_range_exactly(atx_poly_number(0));
    if (r->at >= r->end)
        return UNKNOWN;
    if (t->items[r->at].kind == ATX_TOKEN_NUMBER)
        return read_number(r);
    if (atx_tokens_is_word(t, r->at)) {
        const size_t before = r->at;
        const atx_range value = r->words->word(r->words->context, t, &r->at, r->end);
        r->at = r->at == before ? before + 1 : r->at;
        return value;
    }
    if (atx_tokens_is(t, r->at, "(")) {
        const size_t open = r->at, close = atx_tokens_match(t, open);
        if (close >= r->end) {
            r->at = r->end;
            return UNKNOWN;
        }
        if (is_cast(r, open)) {
            r->at = close + 1;
            return read_operand(r);
        }
        r->at = close + 1;
        return atx_range_read(r->words, t, open + 1, close);
    }
    const size_t sign = r->at++;
    const atx_range value = read_operand(r);
    if (atx_tokens_is(t, sign, "*") && r->words->element)
        return r->words->element(r->words->context, t, sign + 1, r->at);
    if (atx_tokens_is(t, sign, "-"))
        return sum(zero, value, true);
    if (atx_tokens_is(t, sign, "!"))
        return atx_range_up_to(atx_poly_number(1));
    return atx_tokens_is(t, sign, "+") || atx_tokens_is(t, sign, "++") || atx_tokens_is(t, sign, "--")
               ? value
               : UNKNOWN; /* ~31 in a mask */
}

static atx_range read_level(reading *r, int least)
{
    atx_range value;
    if (least > LEVEL_SUM + 1 || !r->words->sum ||
        !r->words->sum(&value, r->words->context, r->t, &r->at, r->end))
        value = read_operand(r);
    while (r->at < r->end) {
        const int level = level_of(r);
        if (!level || level < least)
            break;
        const size_t sign = r->at++;
        const atx_range right = read_level(r, level + 1);
        value = combine(r, sign, value, right);
    }
    return value;
}

static atx_range read_ternary(reading *r)
{
    const atx_range value = read_level(r, 1);
    if (!atx_tokens_is(r->t, r->at, "?") || r->at >= r->end)
        return value;
    r->at++;
    const atx_range yes = read_ternary(r);
    if (!atx_tokens_is(r->t, r->at, ":"))
        return UNKNOWN;
    r->at++;
    return atx_range_larger(r->s, yes, read_ternary(r));
}

atx_range atx_range_read(const atx_range_words *words, const atx_tokens *t, size_t begin, size_t end)
{
    reading r = { words, words->symbols, t, begin, end };
    if (begin >= end || end - begin > MOST_TOKENS)
        return UNKNOWN;
    const atx_range value = read_ternary(&r);
    return r.at >= end || atx_tokens_is(t, r.at, ",") ? value : UNKNOWN;
}
