/*
 * ptx_lex.c - text to tokens. Names may have %, $ and _; a point and the word behind it are one token, so
 * that `ld.global.u32` is a word and two of those.
 */
#include "ptx/ptx_internal.h"
#include "util/chars.h"

#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return atx_is_letter(c) || c == '$' || c == '%';
}

static int hex_digit(char c)
{
    if (atx_is_digit(c))
        return c - '0';
    const char low = (char)(c | 32);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static void skip_line(atx_ptx_lexer *x)
{
    while (x->at < x->end && *x->at != '\n')
        x->at++;
}

static void new_line(atx_ptx_lexer *x)
{
    x->line++;
    x->line_start = x->at + 1;
}

/* false: a comment that does not end. */
static bool skip_comment(atx_ptx_lexer *x)
{
    for (x->at += 2; x->at + 1 < x->end; x->at++) {
        if (x->at[0] == '*' && x->at[1] == '/') {
            x->at += 2;
            return true;
        }
        if (*x->at == '\n')
            new_line(x);
    }
    x->at = x->end;
    return false;
}

static bool skip_blanks(atx_ptx_lexer *x)
{
    while (x->at < x->end) {
        const char c = *x->at;
        const char next = x->at + 1 < x->end ? x->at[1] : '\0';
        if (c == '\n')
            new_line(x);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f')
            x->at++;
        else if (c == '/' && next == '/')
            skip_line(x);
        else if (c == '/' && next == '*') {
            if (!skip_comment(x))
                return false;
        } else
            break;
    }
    return true;
}

/* So many hexadecimal digits from `at`; false: fewer. */
static bool read_hex(uint64_t *out, const atx_ptx_lexer *x, int digits)
{
    if (x->end - x->at < digits)
        return false;
    *out = 0;
    for (int i = 0; i < digits; i++) {
        const int digit = hex_digit(x->at[i]);
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return true;
}

/* 0f3F800000, 0d3FF0000000000000 */
static bool read_bits(atx_ptx_token *t, atx_ptx_lexer *x)
{
    uint64_t bits = 0;
    const bool half = (x->at[1] | 32) == 'f';
    x->at += 2;
    if (!read_hex(&bits, x, half ? 8 : 16))
        return false;
    x->at += half ? 8 : 16;
    t->real_bits = half ? 32 : 64;
    t->value = (int64_t)bits;
    return true;
}

static bool read_based(atx_ptx_token *t, atx_ptx_lexer *x, int base)
{
    uint64_t value = 0;
    int digits = 0;
    for (; x->at < x->end; x->at++, digits++) {
        const int digit = hex_digit(*x->at);
        if (digit < 0 || digit >= base)
            break;
        if (value > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return false;
        value = value * (uint64_t)base + (uint64_t)digit;
    }
    t->value = (int64_t)value;
    return digits > 0;
}

/* 1.5, 1e-3: a number of strtod's, from a terminated copy. */
static bool read_decimal_real(atx_ptx_token *t, atx_ptx_lexer *x)
{
    char copy[64], *end = NULL;
    size_t len = 0;
    while (len < sizeof copy - 1 && x->at + len < x->end &&
           (atx_is_digit(x->at[len]) || strchr(".eE+-", x->at[len])) && x->at[len])
        copy[len] = x->at[len], len++;
    copy[len] = '\0';
    const double value = strtod(copy, &end);
    if (end == copy)
        return false;
    x->at += end - copy;
    t->real_bits = 64;
    memcpy(&t->value, &value, sizeof value);
    return true;
}

static bool is_real(const atx_ptx_lexer *x)
{
    const char *at = x->at;
    while (at < x->end && atx_is_digit(*at))
        at++;
    return at + 1 < x->end && ((*at == '.' && atx_is_digit(at[1])) || ((*at | 32) == 'e' && at > x->at));
}

static bool read_number(atx_ptx_token *t, atx_ptx_lexer *x)
{
    const char next = x->at + 1 < x->end ? (char)(x->at[1] | 32) : '\0';
    const bool zero = *x->at == '0';
    bool good;
    if (zero && (next == 'f' || next == 'd'))
        return read_bits(t, x);
    if (is_real(x))
        return read_decimal_real(t, x);
    if (zero && (next == 'x' || next == 'b')) {
        x->at += 2;
        good = read_based(t, x, next == 'x' ? 16 : 2);
    } else
        good = read_based(t, x, zero ? 8 : 10);
    if (x->at < x->end && *x->at == 'U')
        x->at++;
    return good && (x->at == x->end || !is_letter(*x->at));
}

static bool read_string(atx_ptx_token *t, atx_ptx_lexer *x)
{
    t->text = ++x->at;
    while (x->at < x->end && *x->at != '"' && *x->at != '\n')
        x->at++;
    if (x->at == x->end || *x->at != '"')
        return false;
    t->len = (int)(x->at - t->text);
    x->at++;
    return true;
}

static void read_word(atx_ptx_token *t, atx_ptx_lexer *x, bool colons)
{
    t->text = x->at;
    while (x->at < x->end && (is_letter(*x->at) || atx_is_digit(*x->at) ||
                              (colons && *x->at == ':' && x->at + 1 < x->end && x->at[1] == ':') ||
                              (colons && *x->at == ':' && x->at > t->text && x->at[-1] == ':')))
        x->at++;
    t->len = (int)(x->at - t->text);
}

void atx_ptx_next_token(atx_ptx_token *out, atx_ptx_lexer *x)
{
    bool good = skip_blanks(x);
    *out = (atx_ptx_token){ .text = x->at, .line = x->line, .column = (int)(x->at - x->line_start) + 1 };
    if (good && x->at == x->end) {
        out->kind = ATX_TOKEN_END;
        return;
    }
    if (!good || x->at == x->end) {
        out->kind = ATX_TOKEN_BAD;
        return;
    }
    const char c = *x->at;
    if (atx_is_digit(c)) {
        out->kind = ATX_TOKEN_NUMBER;
        good = read_number(out, x);
        out->len = (int)(x->at - out->text);
    } else if (is_letter(c)) {
        out->kind = ATX_TOKEN_WORD;
        read_word(out, x, false);
    } else if (c == '.' && x->at + 1 < x->end && (is_letter(x->at[1]) || atx_is_digit(x->at[1]))) {
        out->kind = ATX_TOKEN_DOT;
        x->at++;
        read_word(out, x, true);
    } else if (c == '"') {
        out->kind = ATX_TOKEN_STRING;
        good = read_string(out, x);
    } else {
        out->kind = strchr(",;:()[]{}<>=+-!|@", c) && c ? ATX_TOKEN_SIGN : ATX_TOKEN_BAD;
        out->len = 1;
        x->at++;
    }
    if (!good)
        out->kind = ATX_TOKEN_BAD;
}
