/*
 * expr_parse.c - from text to byte code: a lexer with one token of look-ahead and a precedence-climbing
 * parser that emits code as it goes. See expr.h for the language.
 */
#include "expr/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr_parse.h"
#include "util/options.h"
#include "util/str.h"

/* ---- messages ---- */

at_status atx_parser_fail(const atx_parser *p, size_t offset, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    atx_where place = atx_where_after(p->where, p->lex.text, offset);
    return atx_fail(p->err, AT_ERR_INPUT, "%s:%d:%d: %s", place.file, place.line, place.column, text);
}

/* The current token, for a message. */
static const char *found(const atx_parser *p, char out[48])
{
    const atx_expr_token *t = &p->lex.token;
    if (t->kind == ATX_EXPR_END)
        return "nothing more";
    unsigned char first = (unsigned char)p->lex.text[t->begin];
    if (t->kind == ATX_EXPR_BAD && (first < 0x20 || first > 0x7e))
        snprintf(out, 48, "byte 0x%02x", first);
    else
        snprintf(out, 48, "'%.*s'", (int)(t->end - t->begin > 40 ? 40 : t->end - t->begin),
                 p->lex.text + t->begin);
    return out;
}

at_status atx_parser_expected(const atx_parser *p, const char *expected)
{
    char what[48];
    return atx_parser_fail(p, p->lex.token.begin, "found %s; expected %s", found(p, what), expected);
}

static at_status fail_unknown(const atx_parser *p, size_t begin, size_t len)
{
    const char *nearest = NULL;
    size_t best = 3; /* further away is another word, not a slip */
    const char *name = p->lex.text + begin;
    const char *known;

    for (int i = 0; p->scope->name && (known = p->scope->name(p->scope->context, i)) != NULL; i++) {
        size_t distance = atx_edit_distance(name, len, known);
        if (distance < best && distance < len) {
            best = distance;
            nearest = known;
        }
    }
    int shown = (int)(len > 80 ? 80 : len);
    if (nearest)
        return atx_parser_fail(p, begin, "unknown name '%.*s'; did you mean '%s'?", shown, name, nearest);
    return atx_parser_fail(p, begin, "unknown name '%.*s'", shown, name);
}

/* ---- code ---- */

/* How an instruction changes the number of values on the stack when it does not jump. */
static int stack_change(unsigned code)
{
    if (code <= ATX_LOAD)
        return 1;
    if (code == ATX_JUMP || (code >= ATX_BOOL && code < ATX_ADD))
        return 0;
    return -1;
}

at_status atx_parser_emit(atx_parser *p, unsigned code, int64_t value, size_t at, size_t begin)
{
    if (p->count == ATX_EXPR_MAX_CODE)
        return atx_parser_fail(p, at, "the expression comes to more than %d steps; expected fewer",
                               ATX_EXPR_MAX_CODE);
    if (!atx_grow(&p->code, &p->code_cap, p->count, sizeof *p->code))
        return atx_no_memory(p->err);
    p->code[p->count++] = (atx_instruction){
        .value = value,
        .at = (uint16_t)at,
        .begin = (uint16_t)begin,
        .end = (uint16_t)p->lex.last_end,
        .code = (uint16_t)code,
    };
    p->stack += stack_change(code);
    if (p->stack > ATX_EXPR_MAX_STACK)
        return atx_parser_fail(p, at, "the expression is nested too deeply");
    return AT_OK;
}

/* The jump emitted as instruction i goes to what comes next. */
void atx_parser_land(atx_parser *p, size_t i)
{
    p->code[i].value = (int64_t)p->count;
}

at_status atx_parser_enter(atx_parser *p)
{
    if (++p->depth > ATX_EXPR_MAX_DEPTH)
        return atx_parser_fail(p, p->lex.token.begin, "the expression is nested deeper than %d levels",
                               ATX_EXPR_MAX_DEPTH);
    return AT_OK;
}

at_status atx_parser_take(atx_parser *p, const char *sign, const char *expected)
{
    if (!atx_expr_lex_is_sign(&p->lex, sign))
        return atx_parser_expected(p, expected);
    atx_expr_lex_next(&p->lex);
    return AT_OK;
}

/* ---- grammar ---- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static at_status parse_number(atx_parser *p)
{
    size_t begin = p->lex.token.begin, at = begin, end = p->lex.token.end;
    int base = 10;
    int64_t value = 0;

    if (end - at > 2 && p->lex.text[at] == '0' &&
        (p->lex.text[at + 1] == 'x' || p->lex.text[at + 1] == 'X')) {
        base = 16;
        at += 2;
    } else if (end - at > 1 && p->lex.text[at] == '0') {
        return atx_parser_expected(p, "a number without leading zeros (or 0x...)");
    }
    for (; at < end; at++) {
        int digit = digit_value(p->lex.text[at]);
        if (digit >= base)
            return atx_parser_expected(p, "an integer");
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
            return atx_parser_expected(p, "an integer below 2^63");
    }
    atx_expr_lex_next(&p->lex);
    return atx_parser_emit(p, ATX_PUSH, value, begin, begin);
}

at_status atx_parser_load(atx_parser *p, size_t begin, const char *name, size_t len)
{
    int slot = p->scope->find(p->scope->context, name, len);
    if (slot < 0)
        return fail_unknown(p, begin, p->lex.last_end - begin);
    return atx_parser_emit(p, ATX_LOAD, slot, begin, begin);
}

/* After "sizeof": ( T ) with any blanks, looked up as "sizeof(T)". */
static at_status parse_sizeof(atx_parser *p, size_t begin)
{
    char name[ATX_EXPR_MAX_TEXT + 16];
    at_status status = atx_parser_take(p, "(", "'(' after sizeof");
    if (status != AT_OK)
        return status;
    if (p->lex.token.kind != ATX_EXPR_NAME)
        return atx_parser_expected(p, "a type, as in sizeof(T)");
    int n = snprintf(name, sizeof name, "sizeof(%.*s)", (int)(p->lex.token.end - p->lex.token.begin),
                     p->lex.text + p->lex.token.begin);
    atx_expr_lex_next(&p->lex);
    status = atx_parser_take(p, ")", "')'");
    return status == AT_OK ? atx_parser_load(p, begin, name, (size_t)n) : status;
}

typedef struct function {
    const char *name;
    uint8_t code;
    int args; /* exactly; 0: two or more */
} function;

static const function FUNCTIONS[] = {
    { "min", ATX_MIN, 0 }, { "max", ATX_MAX, 0 },         { "ceil_div", ATX_CEIL_DIV, 2 },
    { "gcd", ATX_GCD, 2 }, { "is_pow2", ATX_IS_POW2, 1 }, { "log2", ATX_LOG2, 1 },
    { "abs", ATX_ABS, 1 },
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
    return find_function(name, len) != NULL || (len == 6 && memcmp(name, "sizeof", 6) == 0);
}

/* The arguments of a call, after '(' and up to ')'. min and max fold theirs in pairs as they come. */
static at_status parse_arguments(atx_parser *p, const function *f, size_t begin)
{
    at_status status;
    int count = 0;

    do {
        if (count)
            atx_expr_lex_next(&p->lex);
        if ((status = atx_parse_expression(p)) != AT_OK)
            return status;
        count++;
        if (f->args == 0 && count > 1 && (status = atx_parser_emit(p, f->code, 0, begin, begin)) != AT_OK)
            return status;
    } while (atx_expr_lex_is_sign(&p->lex, ",") && (f->args == 0 || count < f->args));

    if (f->args ? count < f->args : count < 2)
        return atx_parser_expected(p, f->args == 0 || f->args == 2 ? "',' and a second argument"
                                                                   : "an argument");
    if ((status = atx_parser_take(p, ")", f->args ? "')'" : "',' or ')'")) != AT_OK)
        return status;
    return f->args ? atx_parser_emit(p, f->code, 0, begin, begin) : AT_OK;
}

static at_status parse_call(atx_parser *p, const function *f, size_t begin)
{
    at_status status = atx_parser_enter(p);
    if (status != AT_OK)
        return status;
    atx_expr_lex_next(&p->lex); /* '(' */
    status = parse_arguments(p, f, begin);
    p->depth--;
    return status;
}

static at_status parse_name(atx_parser *p)
{
    size_t begin = p->lex.token.begin, len = p->lex.token.end - begin;
    const char *name = p->lex.text + begin;

    atx_expr_lex_next(&p->lex);
    if (len == 6 && memcmp(name, "sizeof", 6) == 0)
        return parse_sizeof(p, begin);
    if (p->indices.count && atx_expr_lex_is_sign(&p->lex, "["))
        return atx_parse_indexed(p, begin, len);
    const atx_index *index = atx_index_find(&p->indices, name, len);
    if (index)
        return atx_parse_index_value(p, index, begin);
    if (!atx_expr_lex_is_sign(&p->lex, "("))
        return atx_parser_load(p, begin, name, len);
    bool is_fold;
    at_status status = atx_parse_fold(&is_fold, p, begin, len);
    if (is_fold || status != AT_OK)
        return status;
    const function *f = find_function(name, len);
    if (f)
        return parse_call(p, f, begin);
    if (p->scope->find(p->scope->context, name, len) < 0)
        return atx_parser_fail(
            p, begin,
            "unknown function '%.*s'; expected one of min max ceil_div gcd is_pow2 log2 abs sizeof%s",
            (int)(len > 80 ? 80 : len), name, p->indices.count ? ", or sum product all any of an index" : "");
    return atx_parser_load(p, begin, name, len); /* in a list the '(' starts the next expression */
}

static at_status parse_parentheses(atx_parser *p)
{
    at_status status = atx_parser_enter(p);
    if (status != AT_OK)
        return status;
    atx_expr_lex_next(&p->lex);
    if ((status = atx_parse_expression(p)) == AT_OK)
        status = atx_parser_take(p, ")", "an operator or ')'");
    p->depth--;
    return status;
}

static at_status parse_unary(atx_parser *p)
{
    static const struct {
        const char *sign;
        uint8_t code;
    } PREFIX[] = { { "-", ATX_NEG }, { "!", ATX_NOT }, { "~", ATX_INVERT }, { "+", ATX_PUSH /* nothing */ } };
    size_t begin = p->lex.token.begin;

    if (p->lex.token.kind == ATX_EXPR_NUMBER)
        return parse_number(p);
    if (p->lex.token.kind == ATX_EXPR_NAME)
        return parse_name(p);
    if (atx_expr_lex_is_sign(&p->lex, "("))
        return parse_parentheses(p);
    for (size_t i = 0; i < sizeof PREFIX / sizeof *PREFIX; i++) {
        if (!atx_expr_lex_is_sign(&p->lex, PREFIX[i].sign))
            continue;
        at_status status = atx_parser_enter(p);
        if (status != AT_OK)
            return status;
        atx_expr_lex_next(&p->lex);
        status = parse_unary(p);
        p->depth--;
        return status != AT_OK || PREFIX[i].code == ATX_PUSH
                   ? status
                   : atx_parser_emit(p, PREFIX[i].code, 0, begin, begin);
    }
    return atx_parser_expected(p, "a number, a name or '('");
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
    for (size_t i = 0; p->lex.token.sign && i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (atx_expr_lex_is_sign(&p->lex, OPERATORS[i].sign))
            return &OPERATORS[i];
    return NULL;
}

static bool is_comparison(const operator_row *o)
{
    return o && (o->precedence == EQUALITY || o->precedence == RELATION);
}

static at_status parse_binary(atx_parser *p, int lowest);

/* The operator is the current token, its left side (from `begin`) is on the stack. */
static at_status parse_right_side(atx_parser *p, const operator_row *o, size_t begin)
{
    bool logical = o->code == ATX_AND_JUMP || o->code == ATX_OR_JUMP;
    size_t at = p->lex.token.begin, jump = p->count;
    at_status status;

    if (logical && (status = atx_parser_emit(p, o->code, 0, at, begin)) != AT_OK)
        return status;
    atx_expr_lex_next(&p->lex);
    if ((status = parse_binary(p, o->precedence + 1)) != AT_OK)
        return status;
    if ((status = atx_parser_emit(p, logical ? ATX_BOOL : o->code, 0, at, begin)) != AT_OK)
        return status;
    if (logical)
        atx_parser_land(p, jump);
    const operator_row *next = find_operator(p);
    if (is_comparison(o) && is_comparison(next) && next->precedence == o->precedence)
        return atx_parser_fail(p, p->lex.token.begin, "comparisons do not chain; write 'a %s b && b %s c'",
                               o->sign, next->sign);
    return AT_OK;
}

static at_status parse_binary(atx_parser *p, int lowest)
{
    size_t begin = p->lex.token.begin;
    at_status status = parse_unary(p);

    while (status == AT_OK) {
        const operator_row *o = find_operator(p);
        if (!o || o->precedence < lowest)
            break;
        status = parse_right_side(p, o, begin);
    }
    return status;
}

/* After the condition: ? a : b */
static at_status parse_branches(atx_parser *p)
{
    size_t test = p->count;
    at_status status = atx_parser_emit(p, ATX_JUMP_FALSE, 0, p->lex.token.begin, p->lex.token.begin);
    if (status != AT_OK)
        return status;
    atx_expr_lex_next(&p->lex);
    if ((status = atx_parse_expression(p)) != AT_OK)
        return status;
    size_t skip = p->count;
    if ((status = atx_parser_emit(p, ATX_JUMP, 0, p->lex.token.begin, p->lex.token.begin)) != AT_OK)
        return status;
    if ((status = atx_parser_take(p, ":", "an operator or ':'")) != AT_OK)
        return status;
    atx_parser_land(p, test);
    p->stack--; /* only one of the branches leaves its value */
    if ((status = atx_parse_expression(p)) != AT_OK)
        return status;
    atx_parser_land(p, skip);
    return AT_OK;
}

at_status atx_parse_expression(atx_parser *p)
{
    at_status status = parse_binary(p, LOWEST);
    if (status != AT_OK || !atx_expr_lex_is_sign(&p->lex, "?"))
        return status;
    if ((status = atx_parser_enter(p)) != AT_OK)
        return status;
    status = parse_branches(p);
    p->depth--;
    return status;
}

/* ---- the whole ---- */

/* On one line: continuations and runs of blanks become one blank. */
static void write_line(char *line, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        bool blank = text[i] == '\\' || atx_expr_lex_is_blank(text[i]);
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
        if (text[i] != ' ' ? text[i] == '\\' || atx_expr_lex_is_blank(text[i]) : i > 0 && text[i - 1] == ' ')
            return false;
    return true;
}

/* The parser looked at a borrowed text, from one place to another; from now on offsets refer to a copy that
 * starts at its first token. */
static atx_expr *keep(const atx_parser *p, size_t begin, size_t end)
{
    const char *text = p->lex.text + begin;
    size_t len = end - begin, code = p->count * sizeof *p->code;
    bool one_line = is_one_line(text, len);
    atx_expr *e = malloc(sizeof *e + code + (one_line ? 1 : 2) * (len + 1));
    if (!e)
        return NULL;
    *e = (atx_expr){ .where = atx_where_after(p->where, p->lex.text, begin),
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

static at_status compile(atx_expr **out, size_t *used, const char *text, size_t len, const atx_scope *scope,
                         atx_where where, at_error *err)
{
    atx_parser p = { .where = where, .lex = { .text = text, .len = len }, .scope = scope, .err = err };
    at_status status = AT_OK;
    if (scope->indices)
        p.indices = *scope->indices;
    if (len > ATX_EXPR_MAX_TEXT)
        return atx_parser_fail(&p, 0, "an expression of %zu characters; expected at most %d", len,
                               ATX_EXPR_MAX_TEXT);
    atx_expr_lex_next(&p.lex);
    size_t begin = p.lex.token.begin;
    if ((status = atx_parse_expression(&p)) != AT_OK)
        goto done;
    if (!used && p.lex.token.kind != ATX_EXPR_END) {
        status = atx_parser_expected(
            &p, atx_expr_lex_is_sign(&p.lex, "=") ? "'=='" : "an operator or the end of the expression");
        goto done;
    }
    atx_expr *expr = keep(&p, begin, p.lex.last_end);
    if (!expr) {
        status = atx_no_memory(err);
        goto done;
    }
    if (used)
        *used = p.lex.token.begin;
    *out = expr;
done:
    free(p.code);
    return status;
}

at_status atx_expr_compile(atx_expr **out, const char *text, size_t len, const atx_scope *scope,
                           atx_where where, at_error *err)
{
    return compile(out, NULL, text, len, scope, where, err);
}

at_status atx_expr_compile_first(atx_expr **out, size_t *used, const char *text, size_t len,
                                 const atx_scope *scope, atx_where where, at_error *err)
{
    return compile(out, used, text, len, scope, where, err);
}
