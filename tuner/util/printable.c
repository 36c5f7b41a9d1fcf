/*
 * printable.c - one character after the other: kept, or written as an escape. An escape is longer than what
 * it stands for, so that rewriting in place goes through a copy, and only where there is something to
 * rewrite.
 */
#include "util/printable.h"

#include "util/utf8.h"

#include <stdio.h>
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

void atx_str_add_printable(atx_str *out, const char *text)
{
    while (*text) {
        uint32_t character = 0;
        size_t length = keeps(&character, text);
        if (length) {
            atx_str_add_bytes(out, text, length);
        } else if (atx_utf8_read(&character, text) > 1) {
            length = atx_utf8_read(&character, text);
            atx_str_addf(out, "\\u%04x", (unsigned)character);
        } else {
            length = 1;
            atx_str_addf(out, "\\x%02x", (unsigned char)*text);
        }
        text += length;
    }
}

void atx_make_printable(char *text, size_t size)
{
    atx_str made = { 0 };
    if (atx_is_printable(text))
        return;
    atx_str_add_printable(&made, text);
    snprintf(text, size, "%s", atx_str_text(&made));
    atx_str_clear(&made);
}
