/*
 * expr_lex.c - one token ahead, found where the last one ended. A token is the longest that fits;
 * "device.sms" is one name. A byte that starts no token is one of its own (BAD): only the parser
 * knows whether the expression has ended before it.
 */
#include "expr/expr_lex.h"

#include "util/chars.h"

#include <string.h>

bool atx_expr_lex_is_blank(char c)
{
    return atx_is_blank(c) || c == '\n';
}

/* A backslash that only blanks separate from the end of its line continues the line. */
static bool continues_line(const atx_expr_lexer *lex, size_t at)
{
    if (lex->text[at] != '\\')
        return false;
    while (++at < lex->len && atx_expr_lex_is_blank(lex->text[at]))
        if (lex->text[at] == '\n')
            return true;
    return false;
}

static size_t skip_word(const atx_expr_lexer *lex, size_t at)
{
    while (at < lex->len && atx_is_word_part(lex->text[at]))
        at++;
    return at;
}

/* "device.sms" is one word. */
static size_t skip_name(const atx_expr_lexer *lex, size_t at)
{
    at = skip_word(lex, at);
    while (at + 1 < lex->len && lex->text[at] == '.' && atx_is_letter(lex->text[at + 1]))
        at = skip_word(lex, at + 1);
    return at;
}

static size_t skip_sign(const atx_expr_lexer *lex, size_t at)
{
    char a = lex->text[at], b = at + 1 < lex->len ? lex->text[at + 1] : 0;
    bool doubled = a == b && (a == '|' || a == '&' || a == '=' || a == '<' || a == '>');
    bool with_equals = b == '=' && (a == '!' || a == '<' || a == '>');
    return at + 1 + (doubled || with_equals);
}

void atx_expr_lex_next(atx_expr_lexer *lex)
{
    size_t at = lex->token.end;

    lex->last_end = at;
    while (at < lex->len && (atx_expr_lex_is_blank(lex->text[at]) || continues_line(lex, at)))
        at++;
    lex->token.begin = at;
    lex->token.end = at;
    lex->token.kind = ATX_EXPR_END;
    lex->token.sign = 0;
    if (at == lex->len)
        return;
    if (atx_is_letter(lex->text[at])) {
        lex->token.kind = ATX_EXPR_NAME;
        lex->token.end = skip_name(lex, at);
    } else if (atx_is_digit(lex->text[at])) {
        lex->token.kind = ATX_EXPR_NUMBER;
        lex->token.end = skip_word(lex, at);
    } else {
        lex->token.kind =
            lex->text[at] && strchr("|&^=!<>+-*/%~()[]?:,", lex->text[at]) ? ATX_EXPR_SIGN : ATX_EXPR_BAD;
        lex->token.end = skip_sign(lex, at);
        if (lex->token.kind == ATX_EXPR_SIGN)
            lex->token.sign = ATX_SIGN(lex->text[at], lex->token.end - at == 2 ? lex->text[at + 1] : 0);
    }
}
