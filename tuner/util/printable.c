/*
 * printable.c - one character after the other: kept, or written as an escape. An escape is longer than what
 * it stands for, so that rewriting in place goes through a copy, and only where there is something to
 * rewrite.
 */
#include "util/printable.h"

#include "util/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
