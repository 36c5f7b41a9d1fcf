/*
 * expr_parse.c - from text to byte code: a precedence-climbing parser that emits code as it goes. See expr.h
 * for the language.
 *
 * Each parsed operand leaves its value on the machine's stack; the current token is not consumed yet. An
 * index is a number during parsing: the body of a fold is parsed once for each value of its index, from the
 * same place, and emits the code that would have been written by hand. So places in messages are those of the
 * text, and evaluation knows no indices. Values that a condition excludes are not parsed; if it excludes all,
 * the body is parsed once and its code dropped, to find its end.
 */
#include "expr/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr_parser.h"
#include "util/options.h"

static void parse_expression(atx_parser *p);

/* ---- numbers and names ---- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static void parse_number(atx_parser *p)
{
    const size_t begin = p->token.begin, end = p->token.end;
    size_t at = begin;
    int base = 10;
    int64_t value = 0;
    if (end - at > 2 && p->text[at] == '0' && (p->text[at + 1] == 'x' || p->text[at + 1] == 'X')) {
        base = 16;
        at += 2;
    } else if (end - at > 1 && p->text[at] == '0') {
        atx_parser_expected(p, "a number without leading zeros (or 0x...)");
    }
    for (; at < end; at++) {
        int digit = digit_value(p->text[at]);
        if (digit >= base)
            atx_parser_expected(p, "an integer");
        else if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
            atx_parser_expected(p, "an integer below 2^63");
    }
    atx_parser_next(p);
    atx_parser_emit(p, ATX_PUSH, value, begin, begin);
}

static void fail_unknown(atx_parser *p, size_t begin, size_t len)
{
    const char *nearest = NULL;
    size_t best = 3; /* further away is another word, not a slip */
    const char *name = p->text + begin;
    const char *known;

    for (int i = 0; p->scope->name && (known = p->scope->name(p->scope->context, i)) != NULL; i++) {
        size_t distance = atx_edit_distance(name, len, known);
        if (distance < best && distance < len) {
            best = distance;
            nearest = known;
        }
    }
    int shown = (int)(len > 80 ? 80 : len);
    atx_parser_fail(p, begin, "unknown name '%.*s'%s%s%s", shown, name, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
}

/* The value of a name; `begin`: where it stands. */
static void load(atx_parser *p, size_t begin, const char *name, size_t len)
{
    int slot = p->scope->find(p->scope->context, name, len);
    if (slot < 0)
        fail_unknown(p, begin, p->last_end - begin);
    atx_parser_emit(p, ATX_LOAD, slot, begin, begin);
}

/* After "sizeof": ( T ) with any blanks, looked up as "sizeof(T)". */
static void parse_sizeof(atx_parser *p, size_t begin)
{
    char name[ATX_EXPR_MAX_TEXT + 16];
    atx_parser_take(p, "(", "'(' after sizeof");
    if (p->token.kind != ATX_EXPR_NAME)
        atx_parser_expected(p, "a type, as in sizeof(T)");
    int n = snprintf(name, sizeof name, "sizeof(%.*s)", (int)(p->token.end - p->token.begin),
                     p->text + p->token.begin);
    atx_parser_next(p);
    atx_parser_take(p, ")", "')'");
    if (p->status == AT_OK)
        load(p, begin, name, (size_t)n);
}

/* ---- indices ---- */

const atx_index *atx_index_find(const atx_indices *indices, const char *name, size_t len)
{
    for (int i = 0; indices && i < indices->count; i++)
        if (strlen(indices->items[i].name) == len && memcmp(indices->items[i].name, name, len) == 0)
            return &indices->items[i];
    return NULL;
}

/* The index that the current token names: its number, or -1. */
static int index_here(const atx_parser *p)
{
    const atx_index *index =
        atx_index_find(&p->indices, p->text + p->token.begin, p->token.end - p->token.begin);
    return p->token.kind == ATX_EXPR_NAME && index ? (int)(index - p->indices.items) : -1;
}

static void need_value(atx_parser *p, const atx_index *index, size_t at)
{
    if (!index->bound)
        atx_parser_fail(p, at, "index '%s' has no value here; expected it within 'sum(%s: ...)' or the like",
                        index->name, index->name);
}

/* An index or a number below 1000. */
static int parse_term(atx_parser *p)
{
    const int i = index_here(p);
    int value = 0;
    if (i >= 0) {
        need_value(p, &p->indices.items[i], p->token.begin);
        value = p->indices.items[i].value;
    } else {
        bool number = p->token.kind == ATX_EXPR_NUMBER && p->token.end - p->token.begin <= 3;
        for (size_t k = p->token.begin; k < p->token.end && number; k++) {
            number = p->text[k] >= '0' && p->text[k] <= '9';
            value = value * 10 + (p->text[k] - '0');
        }
        if (!number)
            atx_parser_expected(p, "an index or a number below 1000");
    }
    atx_parser_next(p);
    return value;
}

/* Terms, added and subtracted. */
static int parse_small(atx_parser *p)
{
    int value = parse_term(p);
    while (atx_parser_sees(p, "+") || atx_parser_sees(p, "-")) {
        const int sign = atx_parser_sees(p, "+") ? 1 : -1;
        atx_parser_next(p);
        value += sign * parse_term(p);
    }
    return value;
}

/* After a name and its `[`: of which index, `]`. The name that is meant is loaded. */
static void parse_indexed(atx_parser *p, size_t begin, size_t len)
{
    char name[ATX_EXPR_MAX_TEXT + 16];
    const int which = parse_small(p);
    atx_parser_take(p, "]", "']'");
    int n = snprintf(name, sizeof name, "%.*s%d", (int)len, p->text + begin, which);
    if (p->skipping) {
        atx_parser_emit(p, ATX_PUSH, 1, begin, begin);
        return;
    }
    if (p->scope->find(p->scope->context, name, (size_t)n) < 0)
        atx_parser_fail(p, begin, "unknown name '%.80s', which '%.*s' is here", name,
                        (int)(p->last_end - begin > 80 ? 80 : p->last_end - begin), p->text + begin);
    if (p->status == AT_OK)
        load(p, begin, name, (size_t)n);
}

/* ---- folds ---- */

/* What a name before '(' is: a function of so many arguments, what takes all values of an index, or both. */
typedef struct function {
    const char *name;
    uint8_t code;
    int8_t args;                              /* exactly; 0: two or more; -1: it is no function */
    enum { NO_FOLD, FOLDS, FOLDS_NONE } fold; /* FOLDS_NONE: also no value, which gives ... */
    int8_t none;
} function;

static const function FUNCTIONS[] = {
    { "sum", ATX_ADD, -1, FOLDS_NONE, 0 },
    { "product", ATX_MUL, -1, FOLDS_NONE, 1 },
    { "all", ATX_AND_JUMP, -1, FOLDS_NONE, 1 },
    { "any", ATX_OR_JUMP, -1, FOLDS_NONE, 0 },
    { "gcd", ATX_GCD, 2, FOLDS_NONE, 0 },
    { "min", ATX_MIN, 0, FOLDS, 0 },
    { "max", ATX_MAX, 0, FOLDS, 0 },
    { "ceil_div", ATX_CEIL_DIV, 2, NO_FOLD, 0 },
    { "is_pow2", ATX_IS_POW2, 1, NO_FOLD, 0 },
    { "log2", ATX_LOG2, 1, NO_FOLD, 0 },
    { "abs", ATX_ABS, 1, NO_FOLD, 0 },
};

static const function *find_function(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (strlen(FUNCTIONS[i].name) == len && memcmp(FUNCTIONS[i].name, name, len) == 0)
            return &FUNCTIONS[i];
    return NULL;
}

bool atx_expr_is_function(const char *name, size_t len)
{
    const function *f = find_function(name, len);
    return (f && f->args >= 0) || (len == 6 && memcmp(name, "sizeof", 6) == 0);
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
static choice parse_choice(atx_parser *p)
{
    static const struct {
        const char *sign;
        unsigned code;
    } SIGNS[] = { { "<", ATX_LT },  { "<=", ATX_LE }, { ">", ATX_GT },
                  { ">=", ATX_GE }, { "==", ATX_EQ }, { "!=", ATX_NE } };
    choice taken = { 0 };
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS && !taken.code; i++)
        if (atx_parser_skip(p, SIGNS[i].sign)) {
            taken.code = SIGNS[i].code;
            taken.with = parse_small(p);
        }
    atx_parser_take(p, ":", taken.code ? "':'" : "a comparison or ':'");
    return taken;
}

/* The body for one value of the index: the `n`th that counts. */
static void parse_one(atx_parser *p, const function *f, int n, size_t begin)
{
    const bool logical = f->code == ATX_AND_JUMP || f->code == ATX_OR_JUMP;
    const size_t jump = p->count;
    if (logical && n > 0)
        atx_parser_emit(p, f->code, 0, begin, begin);
    parse_expression(p);
    if (logical || n > 0)
        atx_parser_emit(p, logical ? ATX_BOOL : f->code, 0, begin, begin);
    if (logical && n > 0)
        atx_parser_land(p, jump);
}

/* None counts: the body is gone over for its end, then its code taken back. */
static void parse_none(atx_parser *p, const function *f, atx_index *index, size_t begin)
{
    const size_t count = p->count;
    const int stack = p->stack;
    const bool skipping = p->skipping;
    if (f->fold != FOLDS_NONE && !skipping)
        atx_parser_fail(p, begin, "found no value of '%s' to take the %s of; expected one at least",
                        index->name, f->name);
    p->skipping = true;
    index->value = index->first;
    parse_expression(p);
    p->skipping = skipping;
    p->count = count;
    p->stack = stack;
    atx_parser_emit(p, ATX_PUSH, f->none, begin, begin);
}

static void parse_body(atx_parser *p, const function *f, atx_index *index, const choice *taken, size_t begin)
{
    const atx_expr_token body = p->token;
    const size_t body_last_end = p->last_end;
    const int step = index->first <= index->last ? 1 : -1, end = index->last + step;
    int n = 0;
    for (int value = index->first; value != end && !(p->skipping && n) && p->status == AT_OK; value += step) {
        if (!admits(taken, value))
            continue;
        p->token = body;
        p->last_end = body_last_end;
        index->value = value;
        parse_one(p, f, n++, begin);
    }
    if (n == 1 && f->code == ATX_GCD) /* of one number it has no sign either */
        atx_parser_emit(p, ATX_ABS, 0, begin, begin);
    else if (n == 0)
        parse_none(p, f, index, begin);
}

/* Does "(k" follow, with an index that has no value yet, or "(k:"? min(k, 3) with a value of k is a function.
 */
static bool starts_fold(const atx_parser *p)
{
    atx_parser ahead = *p;
    atx_parser_next(&ahead); /* '(' */
    const int i = index_here(&ahead);
    atx_parser_next(&ahead);
    return i >= 0 && (!p->indices.items[i].bound || atx_parser_sees(&ahead, ":"));
}

/* sum(k: ...), of which the name was consumed. */
static void parse_fold(atx_parser *p, const function *f, size_t begin)
{
    atx_parser_enter(p);
    atx_parser_next(p); /* '(' */
    const int i = index_here(p);
    if (i < 0) /* nested too deeply */
        return;
    atx_index *index = &p->indices.items[i];
    if (index->bound) {
        atx_parser_fail(p, p->token.begin, "index '%s' has a value here; expected another one", index->name);
        return;
    }
    atx_parser_next(p);
    const choice taken = parse_choice(p);
    index->bound = true;
    parse_body(p, f, index, &taken, begin);
    index->bound = false;
    p->depth--;
    atx_parser_take(p, ")", "an operator or ')'");
}

/* ---- grammar ---- */

/* A call, after its name. min and max fold their arguments in pairs as they come. */
static void parse_call(atx_parser *p, const function *f, size_t begin)
{
    int count = 0;
    atx_parser_enter(p);
    do {
        atx_parser_next(p); /* '(' or ',' */
        parse_expression(p);
        count++;
        if (f->args == 0 && count > 1)
            atx_parser_emit(p, f->code, 0, begin, begin);
    } while (atx_parser_sees(p, ",") && (f->args == 0 || count < f->args));
    if (f->args ? count < f->args : count < 2)
        atx_parser_expected(p, f->args == 0 || f->args == 2 ? "',' and a second argument" : "an argument");
    atx_parser_take(p, ")", f->args ? "')'" : "',' or ')'");
    if (f->args)
        atx_parser_emit(p, f->code, 0, begin, begin);
    p->depth--;
}

static void parse_name(atx_parser *p)
{
    const size_t begin = p->token.begin, len = p->token.end - begin;
    const char *name = p->text + begin;
    atx_parser_next(p);
    if (len == 6 && memcmp(name, "sizeof", 6) == 0) {
        parse_sizeof(p, begin);
        return;
    }
    if (p->indices.count && atx_parser_skip(p, "[")) {
        parse_indexed(p, begin, len);
        return;
    }
    const atx_index *index = atx_index_find(&p->indices, name, len);
    const bool call = !index && atx_parser_sees(p, "(");
    const function *f = call ? find_function(name, len) : NULL;
    if (index) {
        need_value(p, index, begin);
        atx_parser_emit(p, ATX_PUSH, index->value, begin, begin);
    } else if (f && f->fold && starts_fold(p)) {
        parse_fold(p, f, begin);
    } else if (f && f->args >= 0) {
        parse_call(p, f, begin);
    } else {
        if (call && p->scope->find(p->scope->context, name, len) < 0)
            atx_parser_fail(
                p, begin,
                "unknown function '%.*s'; expected one of min max ceil_div gcd is_pow2 log2 abs sizeof%s",
                (int)(len > 80 ? 80 : len), name,
                p->indices.count ? ", or sum product all any of an index" : "");
        load(p, begin, name, len); /* in a list the '(' starts the next expression */
    }
}

static void parse_unary(atx_parser *p)
{
    static const struct {
        const char *sign;
        uint8_t code;
    } PREFIX[] = { { "-", ATX_NEG }, { "!", ATX_NOT }, { "~", ATX_INVERT }, { "+", ATX_PUSH /* nothing */ } };
    const size_t begin = p->token.begin;
    if (p->token.kind == ATX_EXPR_NUMBER) {
        parse_number(p);
        return;
    }
    if (p->token.kind == ATX_EXPR_NAME) {
        parse_name(p);
        return;
    }
    size_t i = 0;
    while (i < sizeof PREFIX / sizeof *PREFIX && !atx_parser_sees(p, PREFIX[i].sign))
        i++;
    const bool prefix = i < sizeof PREFIX / sizeof *PREFIX;
    if (!prefix && !atx_parser_sees(p, "(")) {
        atx_parser_expected(p, "a number, a name or '('");
        return;
    }
    atx_parser_enter(p);
    atx_parser_next(p);
    if (prefix) {
        parse_unary(p);
    } else {
        parse_expression(p);
        atx_parser_take(p, ")", "an operator or ')'");
    }
    p->depth--;
    if (prefix && PREFIX[i].code != ATX_PUSH)
        atx_parser_emit(p, PREFIX[i].code, 0, begin, begin);
}

typedef struct operator_row {
    const char *sign;
    uint8_t precedence; /* higher binds tighter */
    uint8_t code;
} operator_row;

enum { LOWEST = 1, EQUALITY = 6, RELATION = 7 };

static const operator_row OPERATORS[] = {
    { "||", 1, ATX_OR_JUMP },   { "&&", 2, ATX_AND_JUMP },  { "|", 3, ATX_BIT_OR },
    { "^", 4, ATX_BIT_XOR },    { "&", 5, ATX_BIT_AND },    { "==", EQUALITY, ATX_EQ },
    { "!=", EQUALITY, ATX_NE }, { "<", RELATION, ATX_LT },  { "<=", RELATION, ATX_LE },
    { ">", RELATION, ATX_GT },  { ">=", RELATION, ATX_GE }, { "<<", 8, ATX_SHL },
    { ">>", 8, ATX_SHR },       { "+", 9, ATX_ADD },        { "-", 9, ATX_SUB },
    { "*", 10, ATX_MUL },       { "/", 10, ATX_DIV },       { "%", 10, ATX_MOD },
};

static const operator_row *find_operator(const atx_parser *p)
{
    for (size_t i = 0; p->token.sign && i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (atx_parser_sees(p, OPERATORS[i].sign))
            return &OPERATORS[i];
    return NULL;
}

static bool is_comparison(const operator_row *o)
{
    return o && (o->precedence == EQUALITY || o->precedence == RELATION);
}

static void parse_binary(atx_parser *p, int lowest);

/* The operator is the current token, its left side (from `begin`) is on the stack. */
static void parse_right_side(atx_parser *p, const operator_row *o, size_t begin)
{
    const bool logical = o->code == ATX_AND_JUMP || o->code == ATX_OR_JUMP;
    const size_t at = p->token.begin, jump = p->count;
    if (logical)
        atx_parser_emit(p, o->code, 0, at, begin);
    atx_parser_next(p);
    parse_binary(p, o->precedence + 1);
    atx_parser_emit(p, logical ? ATX_BOOL : o->code, 0, at, begin);
    if (logical)
        atx_parser_land(p, jump);
    const operator_row *next = find_operator(p);
    if (is_comparison(o) && is_comparison(next) && next->precedence == o->precedence)
        atx_parser_fail(p, p->token.begin, "comparisons do not chain; write 'a %s b && b %s c'", o->sign,
                        next->sign);
}

static void parse_binary(atx_parser *p, int lowest)
{
    const size_t begin = p->token.begin;
    const operator_row *o;
    parse_unary(p);
    while ((o = find_operator(p)) != NULL && o->precedence >= lowest)
        parse_right_side(p, o, begin);
}

/* CONDITION, or CONDITION ? a : b */
static void parse_expression(atx_parser *p)
{
    parse_binary(p, LOWEST);
    if (!atx_parser_sees(p, "?"))
        return;
    atx_parser_enter(p);
    const size_t test = p->count;
    atx_parser_emit(p, ATX_JUMP_FALSE, 0, p->token.begin, p->token.begin);
    atx_parser_next(p);
    parse_expression(p);
    const size_t skip = p->count;
    atx_parser_emit(p, ATX_JUMP, 0, p->token.begin, p->token.begin);
    atx_parser_take(p, ":", "an operator or ':'");
    atx_parser_land(p, test);
    p->stack--; /* only one of the branches leaves its value */
    parse_expression(p);
    atx_parser_land(p, skip);
    p->depth--;
}

/* ---- the whole ---- */

/* On one line: continuations and runs of blanks become one blank. */
static void write_line(char *line, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        bool blank = text[i] == '\\' || atx_expr_is_blank(text[i]);
        if (!blank)
            line[n++] = text[i];
        else if (n && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    line[n] = '\0';
}

static bool is_one_line(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != ' ' ? text[i] == '\\' || atx_expr_is_blank(text[i]) : i > 0 && text[i - 1] == ' ')
            return false;
    return true;
}

/* The parser looked at a borrowed text, from one place to another; from now on offsets refer to a copy that
 * starts at its first token. */
static atx_expr *keep(const atx_parser *p, size_t begin, size_t end)
{
    const char *text = p->text + begin;
    size_t len = end - begin, code = p->count * sizeof *p->code;
    bool one_line = is_one_line(text, len);
    atx_expr *e = malloc(sizeof *e + code + (one_line ? 1 : 2) * (len + 1));
    if (!e)
        return NULL;
    *e = (atx_expr){ .where = atx_where_after(p->where, p->text, begin),
                     .code = (atx_instruction *)(e + 1),
                     .count = p->count };
    memcpy(e->code, p->code, code);
    for (size_t i = 0; i < e->count; i++) {
        e->code[i].at = (uint16_t)(e->code[i].at - begin);
        e->code[i].begin = (uint16_t)(e->code[i].begin - begin);
        e->code[i].end = (uint16_t)(e->code[i].end - begin);
    }
    e->text = e->shown = (char *)e->code + code;
    memcpy(e->text, text, len);
    e->text[len] = '\0';
    if (!one_line) {
        e->shown = e->text + len + 1;
        write_line(e->shown, text, len);
    }
    return e;
}

static at_status compile(atx_expr **out, size_t *used, atx_parser *p)
{
    if (p->scope->indices)
        p->indices = *p->scope->indices;
    if (p->len > ATX_EXPR_MAX_TEXT)
        atx_parser_fail(p, 0, "an expression of %zu characters; expected at most %d", p->len,
                        ATX_EXPR_MAX_TEXT);
    atx_parser_next(p);
    const size_t begin = p->token.begin;
    parse_expression(p);
    if (!used && p->token.kind != ATX_EXPR_END)
        atx_parser_expected(p, atx_parser_sees(p, "=") ? "'=='" : "an operator or the end of the expression");
    atx_expr *expr = p->status == AT_OK ? keep(p, begin, p->last_end) : NULL;
    if (!expr && p->status == AT_OK)
        atx_parser_stop(p, atx_no_memory(p->err));
    if (used)
        *used = p->token.begin;
    if (expr)
        *out = expr;
    free(p->code);
    return p->status;
}

at_status atx_expr_compile(atx_expr **out, const char *text, size_t len, const atx_scope *scope,
                           atx_where where, at_error *err)
{
    atx_parser p = { .where = where, .text = text, .len = len, .scope = scope, .err = err };
    return compile(out, NULL, &p);
}

at_status atx_expr_compile_first(atx_expr **out, size_t *used, const char *text, size_t len,
                                 const atx_scope *scope, atx_where where, at_error *err)
{
    atx_parser p = { .where = where, .text = text, .len = len, .scope = scope, .err = err };
    return compile(out, used, &p);
}
