/*
 * cut_lex.c - a tokeniser for cutting CUDA source: it has to find where strings, comments and preprocessor
 * lines end, and nothing in them may be taken for code. Every byte of the text is in at most one token, in
 * order; what is between tokens is blank. An unknown byte is a sign of its own, so any text has tokens.
 */
#include "cut/cut_lex.h"

#include <stdlib.h>
#include <string.h>

#include "util/str.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t find(const atx_cut_tokens *t, size_t at, const char *what, size_t n)
{
    const char *found = at < t->len ? memmem(t->text + at, t->len - at, what, n) : NULL;
    return found ? (size_t)(found - t->text) : t->len;
}

/* Past the line end that ends the line; backslashes before line ends join lines. */
static size_t line_end(const atx_cut_tokens *t, size_t at)
{
    for (; at < t->len && t->text[at] != '\n'; at++)
        if (t->text[at] == '\\' && at + 1 < t->len)
            at += t->text[at + 1] == '\r' && at + 2 < t->len ? 2 : 1;
    return at < t->len ? at : t->len;
}

static size_t comment_end(atx_cut_tokens *t, size_t at)
{
    if (t->text[at + 1] == '/')
        return line_end(t, at);
    size_t end = find(t, at + 2, "*/", 2);
    t->open |= end == t->len;
    return end == t->len ? end : end + 2;
}

static bool starts_comment(const atx_cut_tokens *t, size_t at)
{
    return at + 1 < t->len && t->text[at] == '/' && (t->text[at + 1] == '/' || t->text[at + 1] == '*');
}

/* "..." or '...', which end at the line's end at the latest. */
static size_t string_end(atx_cut_tokens *t, size_t at)
{
    char quote = t->text[at++];
    for (; at < t->len && t->text[at] != quote && t->text[at] != '\n'; at++)
        if (t->text[at] == '\\' && at + 1 < t->len)
            at++;
    if (at < t->len && t->text[at] == quote)
        return at + 1;
    t->open = true;
    return at < t->len ? at : t->len;
}

/* R"mark( ... )mark" from its quote on. */
static size_t raw_end(atx_cut_tokens *t, size_t at)
{
    char mark[20] = ")";
    size_t n = 1;
    for (at++; at < t->len && t->text[at] != '(' && n < 17; at++)
        mark[n++] = t->text[at];
    mark[n++] = '"';
    size_t end = find(t, at, mark, n);
    t->open |= end == t->len;
    return end == t->len ? end : end + n;
}

static bool is_raw_prefix(const char *word, size_t n)
{
    static const char *const PREFIXES[] = { "R", "LR", "uR", "UR", "u8R" };
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (strlen(PREFIXES[i]) == n && memcmp(PREFIXES[i], word, n) == 0)
            return true;
    return false;
}

static size_t directive_end(atx_cut_tokens *t, size_t at)
{
    while (at < t->len && t->text[at] != '\n') {
        if (starts_comment(t, at))
            at = comment_end(t, at);
        else if (t->text[at] == '"')
            at = string_end(t, at);
        else if (t->text[at] == '\\' && at + 1 < t->len)
            at += t->text[at + 1] == '\r' && at + 2 < t->len ? 3 : 2;
        else
            at++;
    }
    return at < t->len ? at : t->len;
}

static bool starts_line(const atx_cut_tokens *t, size_t at)
{
    while (at && t->text[at - 1] != '\n')
        if (!is_blank(t->text[--at]))
            return false;
    return true;
}

static size_t sign_end(const atx_cut_tokens *t, size_t at)
{
    static const char TWO[][3] = { "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "++", "--",
                                   "->", "::", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=" };
    for (size_t i = 0; at + 1 < t->len && i < sizeof TWO / sizeof *TWO; i++)
        if (memcmp(t->text + at, TWO[i], 2) == 0)
            return at + 2;
    return at + 1;
}

/* A number goes on over letters, points, and signs behind an exponent. */
static size_t number_end(const atx_cut_tokens *t, size_t at)
{
    for (; at < t->len; at++) {
        char c = t->text[at], before = at ? t->text[at - 1] : ' ';
        bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
        if (!is_letter(c) && !is_digit(c) && c != '.' && c != '\'' && !((c == '+' || c == '-') && exponent))
            break;
    }
    return at;
}

static atx_cut_token next(atx_cut_tokens *t, size_t at)
{
    atx_cut_token token = { .kind = ATX_CUT_SIGN, .begin = at };
    char c = t->text[at];
    if (starts_comment(t, at)) {
        token.kind = ATX_CUT_COMMENT;
        token.end = comment_end(t, at);
    } else if (c == '#' && starts_line(t, at)) {
        token.kind = ATX_CUT_DIRECTIVE;
        token.end = directive_end(t, at);
    } else if (c == '"' || c == '\'') {
        token.kind = ATX_CUT_TEXT;
        token.end = string_end(t, at);
    } else if (is_digit(c)) {
        token.kind = ATX_CUT_NUMBER;
        token.end = number_end(t, at);
    } else if (is_letter(c)) {
        for (token.end = at; token.end < t->len; token.end++)
            if (!is_letter(t->text[token.end]) && !is_digit(t->text[token.end]))
                break;
        token.kind = ATX_CUT_WORD;
        if (token.end < t->len && t->text[token.end] == '"' && is_raw_prefix(t->text + at, token.end - at)) {
            token.kind = ATX_CUT_TEXT;
            token.end = raw_end(t, token.end);
        }
    } else {
        token.end = sign_end(t, at);
    }
    return token;
}

bool atx_cut_lex(atx_cut_tokens *out, const char *text, size_t len, bool comments)
{
    atx_cut_tokens t = { .text = text, .len = len };
    for (size_t at = 0; at < len;) {
        if (is_blank(text[at])) {
            at++;
            continue;
        }
        atx_cut_token token = next(&t, at);
        at = token.end;
        if (token.kind == ATX_CUT_COMMENT && !comments)
            continue;
        if (!atx_grow(&t.items, &t.cap, t.count, sizeof token)) {
            free(t.items);
            return false;
        }
        t.items[t.count++] = token;
    }
    *out = t;
    return true;
}

void atx_cut_tokens_clear(atx_cut_tokens *tokens)
{
    free(tokens->items);
    *tokens = (atx_cut_tokens){ 0 };
}

bool atx_cut_is(const atx_cut_tokens *t, size_t i, const char *what)
{
    if (i >= t->count || (t->items[i].kind != ATX_CUT_WORD && t->items[i].kind != ATX_CUT_SIGN))
        return false;
    size_t n = t->items[i].end - t->items[i].begin;
    return strlen(what) == n && memcmp(t->text + t->items[i].begin, what, n) == 0;
}

bool atx_cut_is_word(const atx_cut_tokens *t, size_t i)
{
    return i < t->count && t->items[i].kind == ATX_CUT_WORD;
}

static size_t skip_blanks(const atx_cut_tokens *t, size_t at, size_t end)
{
    while (at < end && is_blank(t->text[at]))
        at++;
    return at;
}

static size_t word_end(const atx_cut_tokens *t, size_t at, size_t end)
{
    while (at < end && (is_letter(t->text[at]) || is_digit(t->text[at])))
        at++;
    return at;
}

bool atx_cut_directive_is(const atx_cut_tokens *t, size_t i, const char *name)
{
    if (i >= t->count || t->items[i].kind != ATX_CUT_DIRECTIVE)
        return false;
    size_t at = skip_blanks(t, t->items[i].begin + 1, t->items[i].end),
           end = word_end(t, at, t->items[i].end);
    return strlen(name) == end - at && memcmp(t->text + at, name, end - at) == 0;
}

const char *atx_cut_directive_rest(const atx_cut_tokens *t, size_t i, size_t *len)
{
    size_t end = t->items[i].end;
    size_t at = word_end(t, skip_blanks(t, t->items[i].begin + 1, end), end);
    at = skip_blanks(t, at, end);
    while (end > at && is_blank(t->text[end - 1]))
        end--;
    *len = end - at;
    return t->text + at;
}

size_t atx_cut_match(const atx_cut_tokens *t, size_t i)
{
    size_t depth = 0;
    for (; i < t->count; i++) {
        if (atx_cut_is(t, i, "(") || atx_cut_is(t, i, "[") || atx_cut_is(t, i, "{"))
            depth++;
        else if ((atx_cut_is(t, i, ")") || atx_cut_is(t, i, "]") || atx_cut_is(t, i, "}")) && --depth == 0)
            return i;
    }
    return t->count;
}

static void each_word_of_line(const atx_cut_tokens *t, const atx_cut_token *line,
                              void (*visit)(void *context, const char *word, size_t len), void *context)
{
    for (size_t at = line->begin; at < line->end;) {
        size_t end = word_end(t, at, line->end);
        if (end > at && !is_digit(t->text[at]))
            visit(context, t->text + at, end - at);
        at = end > at ? end : at + 1;
    }
}

void atx_cut_each_word(const atx_cut_tokens *t, size_t begin, size_t end,
                       void (*visit)(void *context, const char *word, size_t len), void *context)
{
    for (size_t i = begin; i < end && i < t->count; i++) {
        const atx_cut_token *token = &t->items[i];
        if (token->kind == ATX_CUT_WORD)
            visit(context, t->text + token->begin, token->end - token->begin);
        else if (token->kind == ATX_CUT_DIRECTIVE)
            each_word_of_line(t, token, visit, context);
    }
}

size_t atx_cut_find(const atx_cut_tokens *t, size_t begin, size_t end, const char *sign)
{
    for (size_t i = begin; i < end; i++) {
        if (atx_cut_is(t, i, sign))
            return i;
        if (atx_cut_is(t, i, "(") || atx_cut_is(t, i, "[") || atx_cut_is(t, i, "{")) {
            i = atx_cut_match(t, i);
            if (i >= end)
                return end;
        }
    }
    return end;
}

bool atx_cut_starts_statement(const atx_cut_tokens *t, size_t i)
{
    while (i && t->items[i - 1].kind == ATX_CUT_DIRECTIVE && !atx_cut_directive_is(t, i - 1, "pragma"))
        i--;
    return atx_cut_is(t, i - 1, "{") || atx_cut_is(t, i - 1, "}") || atx_cut_is(t, i - 1, ";");
}
