/*
 * printable.c - one character after the other: kept, or written as an escape. An escape is longer than what
 * it stands for, so that rewriting in place goes through a copy, and only where there is something to
 * rewrite.
 */
#include "util/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the first byte; and the bounds of the second, which exclude surrogates and what has a shorter form. */
static const struct kind {
    unsigned char mask, mark, low, high;
    size_t length;
} KINDS[] = {
    { 0x80, 0x00, 0x00, 0x00, 1 }, { 0xff, 0xe0, 0xa0, 0xbf, 3 }, { 0xff, 0xed, 0x80, 0x9f, 3 },
    { 0xff, 0xf0, 0x90, 0xbf, 4 }, { 0xff, 0xf4, 0x80, 0x8f, 4 }, { 0xe0, 0xc0, 0x80, 0xbf, 2 },
    { 0xf0, 0xe0, 0x80, 0xbf, 3 }, { 0xf8, 0xf0, 0x80, 0xbf, 4 },
};

static const struct kind *kind_of(unsigned char first)
{
    if (first == 0xc0 || first == 0xc1 || first > 0xf4)
        return NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if ((first & KINDS[i].mask) == KINDS[i].mark)
            return &KINDS[i];
    return NULL;
}

size_t atx_utf8_read(uint32_t *character, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const struct kind *kind = kind_of(*p);
    if (!kind)
        return 0;
    uint32_t value = *p & (unsigned char)~kind->mask;
    if (kind->mask == 0xff)
        value = *p & (kind->length == 3 ? 0x0f : 0x07);
    for (size_t k = 1; k < kind->length; k++) {
        if (p[k] < (k == 1 ? kind->low : 0x80) || p[k] > (k == 1 ? kind->high : 0xbf))
            return 0;
        value = value << 6 | (p[k] & 0x3f);
    }
    *character = value;
    return kind->length;
}

bool atx_is_control(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } CONTROLS[] = {
        { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },   { 0x200e, 0x200f },
        { 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
    };
    for (size_t i = 0; i < sizeof CONTROLS / sizeof *CONTROLS; i++)
        if (c >= CONTROLS[i].first && c <= CONTROLS[i].last)
            return true;
    return false;
}

/* Bytes at `at` that may stay as they are; 0: the one there may not. */
static size_t keeps(uint32_t *character, const char *at)
{
    size_t length = atx_utf8_read(character, at);
    return length && (*at == '\n' || *at == '\t' || !atx_is_control(*character)) ? length : 0;
}

bool atx_is_printable(const char *text)
{
    uint32_t character = 0;
    while (*text) {
        bool plain = *text >= ' ' && *text < 0x7f; /* most are, and are quickly known */
        size_t length = plain ? 1 : keeps(&character, text);
        if (!length)
            return false;
        text += length;
    }
    return true;
}

size_t atx_printable_next(char out[ATX_PRINTABLE_BYTES], const char *at)
{
    uint32_t character = 0;
    size_t length = keeps(&character, at);
    if (length) {
        memcpy(out, at, length);
        out[length] = '\0';
    } else if ((length = atx_utf8_read(&character, at)) > 1) {
        snprintf(out, ATX_PRINTABLE_BYTES, "\\u%04x", (unsigned)character);
    } else {
        length = 1;
        snprintf(out, ATX_PRINTABLE_BYTES, "\\x%02x", (unsigned char)*at);
    }
    return length;
}

void atx_make_printable(char *text, size_t size)
{
    char piece[ATX_PRINTABLE_BYTES], *from = NULL;
    size_t len = 0;
    if (atx_is_printable(text))
        return;
    from = strdup(text); /* without memory nothing of it stays */
    for (const char *at = from; at && *at;) {
        at += atx_printable_next(piece, at);
        const size_t more = strlen(piece);
        if (len + more >= size)
            break;
        memcpy(text + len, piece, more);
        len += more;
    }
    text[len] = '\0';
    free(from);
}
