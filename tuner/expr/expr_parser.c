/*
 * expr_parser.c - one token ahead, found where the last one ended. A token is the longest that fits;
 * "device.sms" is one name. A byte that starts no token is one of its own (BAD): only the grammar knows
 * whether the expression has ended before it.
 */
#include "expr/expr_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/chars.h"
#include "util/str.h"

/* ---- tokens ---- */

bool atx_expr_is_blank(char c)
{
    return atx_is_blank(c) || c == '\n';
}

/* A backslash that only blanks separate from the end of its line continues the line. */
static bool continues_line(const atx_parser *p, size_t at)
{
    if (p->text[at] != '\\')
        return false;
    while (++at < p->len && atx_expr_is_blank(p->text[at]))
        if (p->text[at] == '\n')
            return true;
    return false;
}

static size_t skip_word(const atx_parser *p, size_t at)
{
    while (at < p->len && atx_is_word_part(p->text[at]))
        at++;
    return at;
}

/* "device.sms" is one word. */
static size_t skip_name(const atx_parser *p, size_t at)
{
    at = skip_word(p, at);
    while (at + 1 < p->len && p->text[at] == '.' && atx_is_letter(p->text[at + 1]))
        at = skip_word(p, at + 1);
    return at;
}

static size_t skip_sign(const atx_parser *p, size_t at)
{
    char a = p->text[at], b = at + 1 < p->len ? p->text[at + 1] : 0;
    bool doubled = a == b && (a == '|' || a == '&' || a == '=' || a == '<' || a == '>');
    bool with_equals = b == '=' && (a == '!' || a == '<' || a == '>');
    return at + 1 + (doubled || with_equals);
}

void atx_parser_next(atx_parser *p)
{
    size_t at = p->token.end;

    p->last_end = at;
    while (at < p->len && (atx_expr_is_blank(p->text[at]) || continues_line(p, at)))
        at++;
    p->token.begin = at;
    p->token.end = at;
    p->token.kind = ATX_EXPR_END;
    p->token.sign = 0;
    if (at == p->len)
        return;
    if (atx_is_letter(p->text[at])) {
        p->token.kind = ATX_EXPR_NAME;
        p->token.end = skip_name(p, at);
    } else if (atx_is_digit(p->text[at])) {
        p->token.kind = ATX_EXPR_NUMBER;
        p->token.end = skip_word(p, at);
    } else {
        p->token.kind =
            p->text[at] && strchr("|&^=!<>+-*/%~()[]?:,", p->text[at]) ? ATX_EXPR_SIGN : ATX_EXPR_BAD;
        p->token.end = skip_sign(p, at);
        if (p->token.kind == ATX_EXPR_SIGN)
            p->token.sign = ATX_SIGN(p->text[at], p->token.end - at == 2 ? p->text[at + 1] : 0);
    }
}

bool atx_parser_skip(atx_parser *p, const char *sign)
{
    bool sees = atx_parser_sees(p, sign);
    if (sees)
        atx_parser_next(p);
    return sees;
}

void atx_parser_take(atx_parser *p, const char *sign, const char *expected)
{
    if (!atx_parser_skip(p, sign))
        atx_parser_expected(p, expected);
}

/* ---- messages ---- */

void atx_parser_stop(atx_parser *p, at_status status)
{
    if (status == AT_OK || p->status != AT_OK)
        return;
    p->status = status;
    p->len = p->token.begin;
    p->token = (atx_expr_token){ .begin = p->len, .end = p->len };
}

void atx_parser_fail(atx_parser *p, size_t offset, const char *format, ...)
{
    char text[400];
    va_list args;
    if (p->status != AT_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    atx_parser_stop(p, atx_fail_at(p->err, atx_where_after(p->where, p->text, offset), "%s", text));
}

/* The current token, for a message. */
static const char *found(const atx_parser *p, char out[48])
{
    const atx_expr_token *t = &p->token;
    if (t->kind == ATX_EXPR_END)
        return "nothing more";
    unsigned char first = (unsigned char)p->text[t->begin];
    if (t->kind == ATX_EXPR_BAD && (first < 0x20 || first > 0x7e))
        snprintf(out, 48, "byte 0x%02x", first);
    else
        snprintf(out, 48, "'%.*s'", (int)(t->end - t->begin > 40 ? 40 : t->end - t->begin),
                 p->text + t->begin);
    return out;
}

void atx_parser_expected(atx_parser *p, const char *expected)
{
    char what[48];
    atx_parser_fail(p, p->token.begin, "found %s; expected %s", found(p, what), expected);
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

void atx_parser_emit(atx_parser *p, unsigned code, int64_t value, size_t at, size_t begin)
{
    if (p->status != AT_OK)
        return;
    if (p->count == ATX_EXPR_MAX_CODE) {
        atx_parser_fail(p, at, "the expression comes to more than %d steps; expected fewer",
                        ATX_EXPR_MAX_CODE);
        return;
    }
    if (!atx_grow(&p->code, &p->code_cap, p->count, sizeof *p->code)) {
        atx_parser_stop(p, atx_no_memory(p->err));
        return;
    }
    p->code[p->count++] = (atx_instruction){
        .value = value,
        .at = (uint16_t)at,
        .begin = (uint16_t)begin,
        .end = (uint16_t)p->last_end,
        .code = (uint16_t)code,
    };
    p->stack += stack_change(code);
    if (p->stack > ATX_EXPR_MAX_STACK)
        atx_parser_fail(p, at, "the expression is nested too deeply");
}

void atx_parser_land(atx_parser *p, size_t i)
{
    if (p->status == AT_OK)
        p->code[i].value = (int64_t)p->count;
}

void atx_parser_enter(atx_parser *p)
{
    if (++p->depth > ATX_EXPR_MAX_DEPTH)
        atx_parser_fail(p, p->token.begin, "the expression is nested deeper than %d levels",
                        ATX_EXPR_MAX_DEPTH);
}
