/*
 * adopt_space_generate.c - generators of a T1 file: an expression of Python that gives element i of a vector.
 * It is evaluated in floating point while it is read, once for each i.
 */
#include "exchange/adopt_space_internal.h"
#include "exchange/python_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIED = 4096 };

typedef struct evaluation {
    atx_py_parser p;
    double i;
    int depth;
} evaluation;

/* By how tightly they bind; the longer one of two first. */
typedef struct sign {
    const char *text;
    int level;
} sign;

enum { CHOICE, OR, AND, COMPARE, SUM, PRODUCT };

static const sign SIGNS[] = { { "or", OR },      { "and", AND },    { "==", COMPARE }, { "!=", COMPARE },
                              { "<=", COMPARE }, { ">=", COMPARE }, { "<", COMPARE },  { ">", COMPARE },
                              { "+", SUM },      { "-", SUM },      { "*", PRODUCT },  { "//", PRODUCT },
                              { "/", PRODUCT },  { "%", PRODUCT } };

static double apply(const char *text, double a, double b)
{
    switch (text[0]) {
    case 'o':
        return a != 0 ? a : b;
    case 'a':
        return a != 0 ? b : a;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return text[1] ? a <= b : a < b;
    case '>':
        return text[1] ? a >= b : a > b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return text[1] ? floor(a / b) : a / b;
    default:
        return a - floor(a / b) * b; /* Python's % */
    }
}

static double evaluate(evaluation *e, int level);

static double read_number(evaluation *e)
{
    char text[40], *end = text;
    const size_t len = e->p.token.end - e->p.token.begin;
    if (len >= sizeof text) {
        atx_py_refuse_token(&e->p, "a number");
        return 0;
    }
    memcpy(text, e->p.text + e->p.token.begin, len);
    text[len] = '\0';
    const double value = strtod(text, &end);
    if (*end || end == text)
        atx_py_refuse_token(&e->p, "a number");
    atx_py_next(&e->p);
    return value;
}

static double read_power(evaluation *e)
{
    double value = 0;
    if (e->p.token.kind == ATX_PY_NUMBER) {
        value = read_number(e);
    } else if (atx_py_take(&e->p, "i")) {
        value = e->i;
    } else if (atx_py_take(&e->p, "(")) {
        value = evaluate(e, CHOICE);
        atx_py_want(&e->p, ")", "')'");
    } else {
        atx_py_refuse_token(&e->p, "a number, i or '('");
    }
    return value;
}

static double read_factor(evaluation *e)
{
    const bool minus = atx_py_take(&e->p, "-");
    if (minus || atx_py_take(&e->p, "+"))
        return minus ? -evaluate(e, PRODUCT + 1) : evaluate(e, PRODUCT + 1);
    const double base = read_power(e);
    return atx_py_take(&e->p, "**") ? pow(base, evaluate(e, PRODUCT + 1)) : base;
}

/* a if c else b, of which all three are evaluated. */
static double read_choice(evaluation *e)
{
    const double value = evaluate(e, OR);
    if (!atx_py_take(&e->p, "if"))
        return value;
    const double condition = evaluate(e, OR);
    atx_py_want(&e->p, "else", "'else'");
    const double other = evaluate(e, CHOICE);
    return condition != 0 ? value : other;
}

static double evaluate(evaluation *e, int level)
{
    if (++e->depth > ATX_PY_MAX_DEPTH)
        atx_py_refuse_token(&e->p, "a simpler expression");
    double value = level == CHOICE   ? read_choice(e)
                   : level > PRODUCT ? read_factor(e)
                                     : evaluate(e, level + 1);
    for (size_t k = 0; level >= OR && level <= PRODUCT && k < sizeof SIGNS / sizeof *SIGNS;)
        if (SIGNS[k].level == level && atx_py_take(&e->p, SIGNS[k].text)) {
            value = apply(SIGNS[k].text, value, evaluate(e, level + 1));
            k = 0;
        } else {
            k++;
        }
    e->depth--;
    return value;
}

static bool value_of(double *out, const char *text, double i)
{
    atx_py_error why;
    evaluation e = { .p = { .text = text, .len = strlen(text), .why = &why }, .i = i };
    if (!atx_py_begin(&e.p))
        return false;
    *out = evaluate(&e, CHOICE);
    return e.p.status == AT_OK && e.p.token.kind == ATX_PY_END && isfinite(*out);
}

bool atx_space_generate(atx_generated *out, const char *text, int64_t count)
{
    const int64_t step = count / MOST_TRIED + 1;
    double before = -INFINITY, value;
    *out = (atx_generated){ INFINITY, -INFINITY, true };
    for (int64_t i = 0; i < count; i = i + step < count || i == count - 1 ? i + step : count - 1) {
        if (!value_of(&value, text, (double)i))
            return false;
        out->least = fmin(out->least, value);
        out->most = fmax(out->most, value);
        out->ascends = out->ascends && value >= before;
        before = value;
    }
    return true;
}
