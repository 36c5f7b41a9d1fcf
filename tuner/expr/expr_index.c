/*
 * expr_index.c - indices of expressions: `n[d + 1]`, and what takes all values of one, `sum(k: n[k])`.
 *
 * An index is a number while the parser goes over a text: the body of a fold is parsed once for each of its
 * values, from the same place, and emits what would have been written by hand. So places in messages are
 * those of the text, and evaluation knows nothing of indices. What a condition leaves out is not parsed;
 * where it leaves out all, the body is parsed once and its code dropped, to find its end.
 */
#include <stdio.h>
#include <string.h>

#include "expr/expr_parse.h"

const atx_index *atx_index_find(const atx_indices *indices, const char *name, size_t len)
{
    for (int i = 0; indices && i < indices->count; i++)
        if (strlen(indices->items[i].name) == len && memcmp(indices->items[i].name, name, len) == 0)
            return &indices->items[i];
    return NULL;
}

/* ---- small numbers ---- */

/* The index that the current token names: its number, or -1. */
static int index_here(const atx_parser *p)
{
    const atx_expr_token *t = &p->lex.token;
    const atx_index *index = atx_index_find(&p->indices, p->lex.text + t->begin, t->end - t->begin);
    return t->kind == ATX_EXPR_NAME && index ? (int)(index - p->indices.items) : -1;
}

static at_status fail_unbound(const atx_parser *p, const atx_index *index, size_t at)
{
    return atx_parser_fail(p, at,
                           "index '%s' has no value here; expected it within 'sum(%s: ...)' or the like",
                           index->name, index->name);
}

/* An index or a number below 1000. */
static at_status parse_term(int *out, atx_parser *p)
{
    const atx_expr_token *t = &p->lex.token;
    const int i = index_here(p);
    if (i >= 0) {
        if (!p->indices.items[i].bound)
            return fail_unbound(p, &p->indices.items[i], t->begin);
        *out = p->indices.items[i].value;
    } else {
        *out = 0;
        if (t->kind != ATX_EXPR_NUMBER || t->end - t->begin > 3)
            return atx_parser_expected(p, "an index or a number below 1000");
        for (size_t k = t->begin; k < t->end; k++) {
            if (p->lex.text[k] < '0' || p->lex.text[k] > '9')
                return atx_parser_expected(p, "an index or a number below 1000");
            *out = *out * 10 + (p->lex.text[k] - '0');
        }
    }
    atx_expr_lex_next(&p->lex);
    return AT_OK;
}

/* A term, and what is added to it or taken off it. */
static at_status parse_small(int *out, atx_parser *p)
{
    at_status status = parse_term(out, p);
    while (status == AT_OK && (atx_expr_lex_is_sign(&p->lex, "+") || atx_expr_lex_is_sign(&p->lex, "-"))) {
        const int sign = atx_expr_lex_is_sign(&p->lex, "+") ? 1 : -1;
        int term = 0;
        atx_expr_lex_next(&p->lex);
        status = parse_term(&term, p);
        *out += sign * term;
    }
    return status;
}

at_status atx_parse_index_value(atx_parser *p, const atx_index *index, size_t begin)
{
    return index->bound ? atx_parser_emit(p, ATX_PUSH, index->value, begin, begin)
                        : fail_unbound(p, index, begin);
}

at_status atx_parse_indexed(atx_parser *p, size_t begin, size_t len)
{
    char name[ATX_EXPR_MAX_TEXT + 16];
    int which = 0;
    atx_expr_lex_next(&p->lex); /* '[' */
    at_status status = parse_small(&which, p);
    if (status == AT_OK)
        status = atx_parser_take(p, "]", "']'");
    if (status != AT_OK)
        return status;
    int n = snprintf(name, sizeof name, "%.*s%d", (int)len, p->lex.text + begin, which);
    if (p->skipping)
        return atx_parser_emit(p, ATX_PUSH, 1, begin, begin);
    if (p->scope->find(p->scope->context, name, (size_t)n) < 0)
        return atx_parser_fail(p, begin, "unknown name '%.80s', which '%.*s' is here", name,
                               (int)(p->lex.last_end - begin > 80 ? 80 : p->lex.last_end - begin),
                               p->lex.text + begin);
    return atx_parser_load(p, begin, name, (size_t)n);
}

/* ---- folds ---- */

typedef struct fold {
    const char *name;
    unsigned code;
    bool logical;
    bool has_nothing; /* there is a value of none: */
    int nothing;
} fold;

static const fold FOLDS[] = {
    { "sum", ATX_ADD, false, true, 0 },     { "product", ATX_MUL, false, true, 1 },
    { "all", ATX_AND_JUMP, true, true, 1 }, { "any", ATX_OR_JUMP, true, true, 0 },
    { "gcd", ATX_GCD, false, true, 0 },     { "min", ATX_MIN, false, false, 0 },
    { "max", ATX_MAX, false, false, 0 },
};

static const fold *find_fold(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof FOLDS / sizeof *FOLDS; i++)
        if (strlen(FOLDS[i].name) == len && memcmp(FOLDS[i].name, name, len) == 0)
            return &FOLDS[i];
    return NULL;
}

/* Which values of its index a fold takes: all, or those that compare so with a number. */
typedef struct choice {
    unsigned code; /* 0: all */
    int with;
} choice;

static bool admits(const choice *c, int value)
{
    int64_t a = value;
    return !c->code || (atx_code_binary(c->code, &a, c->with) == NULL && a);
}

/* After the index: a comparison or nothing, then ':'. */
static at_status parse_choice(choice *out, atx_parser *p)
{
    static const struct {
        const char *sign;
        unsigned code;
    } SIGNS[] = { { "<", ATX_LT },  { "<=", ATX_LE }, { ">", ATX_GT },
                  { ">=", ATX_GE }, { "==", ATX_EQ }, { "!=", ATX_NE } };
    *out = (choice){ 0 };
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS && !out->code; i++)
        if (atx_expr_lex_is_sign(&p->lex, SIGNS[i].sign))
            out->code = SIGNS[i].code;
    if (out->code) {
        atx_expr_lex_next(&p->lex);
        at_status status = parse_small(&out->with, p);
        if (status != AT_OK)
            return status;
    }
    return atx_parser_take(p, ":", out->code ? "':'" : "a comparison or ':'");
}

/* The body for one value of the index: the `n`th that counts. */
static at_status parse_one(atx_parser *p, const fold *f, int n, size_t begin)
{
    const size_t jump = p->count;
    at_status status = AT_OK;
    if (f->logical && n > 0 && (status = atx_parser_emit(p, f->code, 0, begin, begin)) != AT_OK)
        return status;
    if ((status = atx_parse_expression(p)) != AT_OK)
        return status;
    if (f->logical)
        status = atx_parser_emit(p, ATX_BOOL, 0, begin, begin);
    else if (n > 0)
        status = atx_parser_emit(p, f->code, 0, begin, begin);
    if (f->logical && n > 0)
        atx_parser_land(p, jump);
    return status;
}

/* None counts: the body is gone over for its end, then its code taken back. */
static at_status parse_none(atx_parser *p, const fold *f, atx_index *index, size_t begin)
{
    const size_t count = p->count;
    const int stack = p->stack;
    const bool skipping = p->skipping;
    if (!f->has_nothing && !skipping)
        return atx_parser_fail(p, begin, "found no value of '%s' to take the %s of; expected one at least",
                               index->name, f->name);
    p->skipping = true;
    index->value = index->first;
    at_status status = atx_parse_expression(p);
    p->skipping = skipping;
    p->count = count;
    p->stack = stack;
    return status == AT_OK ? atx_parser_emit(p, ATX_PUSH, f->nothing, begin, begin) : status;
}

static at_status parse_body(atx_parser *p, const fold *f, atx_index *index, const choice *taken, size_t begin)
{
    const atx_expr_lexer body = p->lex;
    const int step = index->first <= index->last ? 1 : -1, end = index->last + step;
    int n = 0;
    for (int value = index->first; value != end && !(p->skipping && n); value += step) {
        if (!admits(taken, value))
            continue;
        p->lex = body;
        index->value = value;
        at_status status = parse_one(p, f, n++, begin);
        if (status != AT_OK)
            return status;
    }
    if (n == 1 && f->code == ATX_GCD) /* of one number it has no sign either */
        return atx_parser_emit(p, ATX_ABS, 0, begin, begin);
    return n ? AT_OK : parse_none(p, f, index, begin);
}

/* Does "(k" follow, with an index that has no value yet, or "(k:"? min(k, 3) with a value of k is a function.
 */
static bool starts_fold(const atx_parser *p)
{
    atx_expr_lexer ahead = p->lex;
    atx_parser there = *p;
    atx_expr_lex_next(&ahead); /* '(' */
    there.lex = ahead;
    const int i = index_here(&there);
    atx_expr_lex_next(&ahead);
    return i >= 0 && (!p->indices.items[i].bound || atx_expr_lex_is_sign(&ahead, ":"));
}

static at_status parse_fold(atx_parser *p, const fold *f, size_t begin)
{
    choice taken;
    at_status status = atx_parser_enter(p);
    if (status != AT_OK)
        return status;
    atx_expr_lex_next(&p->lex); /* '(' */
    atx_index *index = &p->indices.items[index_here(p)];
    if (index->bound)
        return atx_parser_fail(p, p->lex.token.begin, "index '%s' has a value here; expected another one",
                               index->name);
    atx_expr_lex_next(&p->lex);
    if ((status = parse_choice(&taken, p)) != AT_OK)
        return status;
    index->bound = true;
    status = parse_body(p, f, index, &taken, begin);
    index->bound = false;
    p->depth--;
    return status == AT_OK ? atx_parser_take(p, ")", "an operator or ')'") : status;
}

at_status atx_parse_fold(bool *is_fold, atx_parser *p, size_t begin, size_t len)
{
    const fold *f = find_fold(p->lex.text + begin, len);
    *is_fold = f && starts_fold(p);
    return *is_fold ? parse_fold(p, f, begin) : AT_OK;
}
