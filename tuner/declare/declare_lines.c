/*
 * declare_lines.c - a block is found and read in the source, without a copy. The reader holds one logical
 * line, from its first character to its '#' or its end; backslashes that continue a line are skipped as
 * blanks, so a place in a line is a place in the file, and messages name line and column. Lines are counted
 * from the last block that was entered, so the source is read once.
 */
#include "declare/declare_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/lex.h"
#include "util/chars.h"
#include "util/number.h"
#include "util/str.h"

static const char MARKER[] = "/*!autotune";
#define MARKER_LEN (sizeof MARKER - 1)

/* ---- blocks ---- */

/* Only blanks, or a byte order mark, before it on its line. */
static bool starts_line(const char *source, const char *at)
{
    while (at > source && atx_is_blank(at[-1]))
        at--;
    return at == source || at[-1] == '\n' || (at - source == 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0);
}

/* The next marker; its '!' is the rarest of it. NULL: none. */
static const char *find_marker(const char *from, const char *stop)
{
    for (const char *at = from; (at = memchr(at, '!', (size_t)(stop - at))) != NULL; at++)
        if (at - from >= 2 && (size_t)(stop - at) >= MARKER_LEN - 2 &&
            memcmp(at - 2, MARKER, MARKER_LEN) == 0)
            return at - 2;
    return NULL;
}

static const char *find_close(const char *from, const char *stop)
{
    for (const char *at = from; (at = memchr(at, '*', (size_t)(stop - at))) != NULL; at++)
        if (at + 1 < stop && at[1] == '/')
            return at;
    return NULL;
}

/* The next block from `from`: sets begin and end; end is NULL when it is not closed. false: none. */
static bool find_block(const char **begin, const char **end, const atx_lines *lines, const char *from)
{
    const char *stop = lines->source + lines->len;
    while ((from = find_marker(from, stop)) != NULL) {
        const char *after = from + MARKER_LEN;
        bool whole = after == stop || atx_is_blank(*after) || *after == '\n' || *after == '*';
        if (whole && starts_line(lines->source, from)) {
            *begin = after;
            *end = find_close(after, stop);
            return true;
        }
        from = after;
    }
    return false;
}

/* Blocks are entered in their order, so that counting lines goes through the source once. */
static void enter_block(atx_lines *lines, const char *begin, const char *end)
{
    lines->begin_where = atx_where_after(lines->begin_where, lines->begin, (size_t)(begin - lines->begin));
    lines->begin = lines->next = begin;
    lines->end = end ? end : lines->source + lines->len;
    lines->next_where = lines->begin_where;
}

/* The start of the source, before any block. */
static atx_lines lines_of(const char *source, size_t len, const char *file, at_error *err)
{
    atx_where start = { .file = file, .line = 1, .column = 1 };
    return (atx_lines){
        .source = source,
        .len = len,
        .file = file,
        .err = err,
        .begin = source,
        .begin_where = start,
        .line = source,
        .line_end = source,
        .at = source,
    };
}

/* Does the block's first line start with this word? The reader ends before that line again. */
static bool is_kind(atx_lines *lines, const char *kind)
{
    atx_lines first = *lines;
    first.err = NULL;
    return atx_lines_next(&first) && atx_lines_sees_word(&first, kind);
}

/* No block of that kind: a misspelled one is the likely cause. */
static at_status fail_no_block(const atx_lines *start, const char *kind)
{
    const char *begin, *end = NULL;
    atx_lines lines = *start;

    for (const char *from = lines.source; from && find_block(&begin, &end, &lines, from); from = end) {
        enter_block(&lines, begin, end);
        if (is_kind(&lines, "op") || is_kind(&lines, "template") || is_kind(&lines, "common"))
            continue;
        if (atx_lines_next(&lines))
            atx_lines_expected(&lines, "'op NAME', 'template NAME' or 'common NAME' first in a block");
        if (lines.status != AT_OK)
            return lines.status;
    }
    return atx_fail(lines.err, AT_ERR_INPUT,
                    "%s:1:1: found no declaration; expected a block that starts with %s and '%s NAME'",
                    lines.file, MARKER, kind);
}

/* Finds the block; *closed tells whether its comment ends. */
static bool find_kind(atx_lines *lines, const char *kind, bool *closed)
{
    const char *begin, *end = NULL;
    for (const char *from = lines->source; from && find_block(&begin, &end, lines, from); from = end) {
        enter_block(lines, begin, end);
        *closed = end != NULL;
        if (is_kind(lines, kind))
            return true;
    }
    return false;
}

bool atx_lines_declare(const char *source, size_t len, const char *kind)
{
    bool closed;
    atx_lines lines = lines_of(source, len, "", NULL);
    return find_kind(&lines, kind, &closed);
}

const char *atx_lines_unfit(const char **what, const char *source, size_t len)
{
    const char *zero = len ? memchr(source, '\0', len) : NULL;
    const size_t before = zero ? (size_t)(zero - source) : len;
    const char *end = before ? memchr(source, 0xff, before) : NULL;
    *what = end ? "byte 0xff, where NVRTC would take the file to end" : "a NUL byte";
    return end ? end : zero;
}

at_status atx_lines_open(atx_lines *out, const char *source, size_t len, const char *file, const char *kind,
                         at_error *err)
{
    atx_lines start = lines_of(source, len, file, err), lines = start;
    bool closed = true;

    if (len > ATX_MAX_SOURCE)
        return atx_fail(err, AT_ERR_INPUT, "%s: found %zu bytes; expected at most %zu", file, len,
                        ATX_MAX_SOURCE);
    const char *what, *unfit = atx_lines_unfit(&what, source, len);
    if (unfit) {
        atx_where place = atx_where_after(start.begin_where, source, (size_t)(unfit - source));
        return atx_fail(err, AT_ERR_INPUT, "%s:%d:%d: found %s; expected text", file, place.line,
                        place.column, what);
    }
    if (!find_kind(&lines, kind, &closed))
        return fail_no_block(&start, kind);
    if (!closed)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s:%d:%d: found the end of the file in a declaration; expected '*/'", file,
                        lines.next_where.line, lines.next_where.column);
    *out = lines;
    return AT_OK;
}

/* ---- lines ---- */

/* A backslash that only blanks separate from the end of its line; returns what follows that end, or NULL. */
static const char *continuation(const char *at, const char *end)
{
    if (*at != '\\')
        return NULL;
    for (at++; at < end && atx_is_blank(*at); at++)
        ;
    return at < end && *at == '\n' ? at + 1 : NULL;
}

static const char *skip_blanks(const char *at, const char *end)
{
    const char *after;
    for (; at < end; at++) {
        if ((after = continuation(at, end)) != NULL)
            at = after - 1;
        else if (!atx_is_blank(*at))
            break;
    }
    return at;
}

/* Past the end of the logical line that starts at `at`. Finds the '#' on the way, if there is one. */
static const char *find_line_end(const char *at, const char *end, const char **hash)
{
    const char *newline;
    *hash = NULL;
    for (;; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end, *last = stop;
        if (!*hash)
            *hash = memchr(at, '#', (size_t)(stop - at));
        while (last > at && atx_is_blank(last[-1]))
            last--;
        if (!newline || last == at || last[-1] != '\\')
            return stop;
    }
}

static const char *trim_end(const char *begin, const char *end)
{
    while (end > begin && (atx_is_blank(end[-1]) || end[-1] == '\n' || end[-1] == '\\'))
        end--;
    return end;
}

static void read_line(atx_lines *lines)
{
    const char *hash, *begin = lines->next;
    const char *stop = find_line_end(begin, lines->end, &hash);

    lines->line = begin;
    lines->line_where = lines->next_where;
    lines->line_end = hash ? hash : stop;
    lines->comment = hash ? hash + 1 : stop;
    lines->comment_end = stop;
    lines->next = stop < lines->end ? stop + 1 : stop;
    lines->next_where = atx_where_after(lines->line_where, begin, (size_t)(lines->next - begin));
    lines->at = skip_blanks(begin, lines->line_end);
    lines->line_end = trim_end(lines->at, lines->line_end);
    if (stop - begin > ATX_MAX_LINE)
        atx_lines_fail(lines, begin, "found a line of %ld bytes; expected at most %d", (long)(stop - begin),
                       ATX_MAX_LINE);
}

bool atx_lines_next(atx_lines *lines)
{
    while (lines->next < lines->end) {
        read_line(lines);
        if (!atx_lines_at_end(lines))
            return true;
    }
    return false;
}

atx_where atx_lines_where(const atx_lines *lines, const char *at)
{
    return atx_where_after(lines->line_where, lines->line, (size_t)(at - lines->line));
}

/* ---- messages ---- */

void atx_lines_note(atx_lines *lines, at_status status)
{
    if (status == AT_OK || lines->status != AT_OK)
        return;
    lines->status = status;
    lines->at = lines->line_end;
    lines->next = lines->end;
}

bool atx_lines_grow(atx_lines *lines, void *items, size_t *cap, size_t count, size_t bytes)
{
    bool good = atx_grow(items, cap, count, bytes);
    if (!good)
        atx_lines_note(lines, atx_no_memory(lines->status == AT_OK ? lines->err : NULL));
    return good;
}

/* A copy of len bytes. */
static char *copy(atx_lines *lines, const char *text, size_t len)
{
    char *copied = atx_text_copy(text, len);
    if (!copied)
        atx_lines_note(lines, atx_no_memory(lines->err));
    return copied;
}

void atx_lines_fail(atx_lines *lines, const char *at, const char *format, ...)
{
    char text[600];
    va_list args;
    if (lines->status != AT_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    atx_lines_note(lines, atx_fail_at(lines->err, atx_lines_where(lines, at), "%s", text));
}

static bool is_part(char c)
{
    return atx_is_word_part(c) || c == '.';
}

/* The word, number or sign at the reader's place, for a message. */
static void found(const atx_lines *lines, char *out, size_t size)
{
    const char *at = lines->at;
    if (atx_lines_at_end(lines)) {
        snprintf(out, size, "the end of the line");
        return;
    }
    if ((unsigned char)*at < 0x20 || (unsigned char)*at > 0x7e) {
        snprintf(out, size, "byte 0x%02x", (unsigned char)*at);
        return;
    }
    for (at++; at < lines->line_end && is_part(at[-1]) && is_part(*at); at++)
        ;
    snprintf(out, size, "'%.*s'", (int)(at - lines->at > 80 ? 80 : at - lines->at), lines->at);
}

void atx_lines_expected(atx_lines *lines, const char *expected)
{
    char what[100];
    found(lines, what, sizeof what);
    atx_lines_fail(lines, lines->at, "found %s; expected %s", what, expected);
}

/* ---- words ---- */

bool atx_lines_at_end(const atx_lines *lines)
{
    return lines->at >= lines->line_end;
}

bool atx_lines_sees(const atx_lines *lines, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(lines->line_end - lines->at) >= n && strncmp(lines->at, text, n) == 0;
}

bool atx_lines_sees_word(const atx_lines *lines, const char *word)
{
    return atx_lines_word(lines) == strlen(word) && atx_lines_sees(lines, word);
}

void atx_lines_skip(atx_lines *lines, size_t count)
{
    lines->at = skip_blanks(lines->at + count, lines->line_end);
}

bool atx_lines_skip_sign(atx_lines *lines, const char *sign)
{
    bool seen = atx_lines_sees(lines, sign);
    if (seen)
        atx_lines_skip(lines, strlen(sign));
    return seen;
}

bool atx_lines_skip_word(atx_lines *lines, const char *word)
{
    return atx_lines_sees_word(lines, word) && atx_lines_skip_sign(lines, word);
}

void atx_lines_take(atx_lines *lines, const char *text, const char *what)
{
    char quoted[40];
    if (atx_lines_skip_sign(lines, text))
        return;
    snprintf(quoted, sizeof quoted, "'%s'", text);
    atx_lines_expected(lines, what ? what : quoted);
}

size_t atx_lines_word(const atx_lines *lines)
{
    const char *at = lines->at;
    if (at >= lines->line_end || !atx_is_letter(*at))
        return 0;
    while (at < lines->line_end && atx_is_word_part(*at))
        at++;
    return (size_t)(at - lines->at);
}

const char *atx_lines_name(char out[ATX_MAX_NAME], atx_lines *lines, const char *expected)
{
    const char *at = lines->at;
    size_t n = atx_lines_word(lines);
    out[0] = '\0';
    if (n == 0)
        atx_lines_expected(lines, expected);
    else if (n >= ATX_MAX_NAME)
        atx_lines_fail(lines, at, "found a name of %zu characters; expected at most %d", n, ATX_MAX_NAME - 1);
    else
        snprintf(out, ATX_MAX_NAME, "%.*s", (int)n, at);
    if (out[0])
        atx_lines_skip(lines, n);
    return at;
}

char *atx_lines_text(atx_lines *lines, const char *expected)
{
    const char *begin = lines->at, *end = begin;
    while (end < lines->line_end && !atx_is_blank(*end) && *end != '\n' &&
           !continuation(end, lines->line_end))
        end++;
    if (end == begin) {
        atx_lines_expected(lines, expected);
        return NULL;
    }
    atx_lines_skip(lines, (size_t)(end - begin));
    return copy(lines, begin, (size_t)(end - begin));
}

int64_t atx_lines_integer(atx_lines *lines, const char *expected)
{
    const char *at = lines->at, *end = lines->line_end;
    bool negative = at < end && *at == '-', whole = false, fits = true;
    int64_t value = 0;
    for (at += negative; at < end && atx_is_digit(*at) && fits; at++) {
        fits =
            !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, *at - '0', &value);
        whole = true;
    }
    if (!fits || !whole || (at < end && atx_is_letter(*at))) {
        atx_lines_expected(lines, fits ? expected : "an integer below 2^63");
        return 0;
    }
    atx_lines_skip(lines, (size_t)(at - lines->at));
    return negative ? -value : value;
}

double atx_lines_real(atx_lines *lines, const char *expected)
{
    char text[48];
    size_t n = 0, left = (size_t)(lines->line_end - lines->at);
    bool exponent = false;
    for (; n < left && n < sizeof text - 1; n++) {
        char c = lines->at[n];
        bool sign = (c == '-' || c == '+') && (n == 0 || exponent);
        if (!atx_is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign)
            break;
        exponent = c == 'e' || c == 'E';
        text[n] = c;
    }
    text[n] = '\0';
    char *end = text;
    double value = n ? atx_real_read(text, &end) : 0;
    bool ends = n == left || !atx_is_word_part(lines->at[n]);
    if (end == text || *end || !ends || !isfinite(value)) {
        atx_lines_expected(lines, expected);
        return 0;
    }
    atx_lines_skip(lines, n);
    return value;
}

char *atx_lines_string(atx_lines *lines, const char *expected)
{
    const char *begin = lines->at + 1;
    size_t left = (size_t)(lines->line_end - lines->at);
    const char *end = left > 1 && *lines->at == '"' ? memchr(begin, '"', left - 1) : NULL;
    if (!end || end == begin)
        atx_lines_expected(lines, expected);
    for (const char *c = begin; end && c < end; c++)
        if ((unsigned char)*c < ' ')
            atx_lines_fail(lines, c, "found byte 0x%02x in a string; expected text", (unsigned char)*c);
    if (lines->status != AT_OK)
        return NULL;
    atx_lines_skip(lines, (size_t)(end + 1 - lines->at));
    return copy(lines, begin, (size_t)(end - begin));
}

char *atx_lines_comment(atx_lines *lines)
{
    const char *begin = skip_blanks(lines->comment, lines->comment_end);
    const char *end = trim_end(begin, lines->comment_end);
    char *text = lines->status == AT_OK ? copy(lines, begin, (size_t)(end - begin)) : NULL;
    size_t n = 0;
    if (!text)
        return NULL;
    for (const char *at = begin; at < end; at++) {
        bool joins = continuation(at, end) != NULL;
        if (joins)
            at = skip_blanks(at, end) - 1;
        if (!joins)
            text[n++] = (unsigned char)*at < ' ' ? ' ' : *at;
        else if (n && text[n - 1] != ' ')
            text[n++] = ' ';
    }
    text[n] = '\0';
    return text;
}

static bool has_word(const char *text, const char *end, const char *word)
{
    atx_lexer lexer = { .text = text, .len = (size_t)(end - text) };
    bool has = false;
    for (atx_token t; !has && atx_lexer_next(&t, &lexer);)
        has = atx_token_is(text, &t, word);
    return has;
}

/* Looks behind the declaration first: most stand right before their kernel. */
bool atx_lines_source_has(const atx_lines *lines, const char *word)
{
    const char *stop = lines->source + lines->len, *behind = lines->end + (lines->end + 2 <= stop ? 2 : 0);
    return has_word(behind, stop, word) || has_word(lines->source, lines->begin, word);
}
