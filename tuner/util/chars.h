/* chars.h - kinds of characters, whatever the locale. */
#pragma once

#include <stdbool.h>

static inline bool atx_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* A letter or '_', as names begin. */
static inline bool atx_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Of a name. */
static inline bool atx_is_word_part(int c)
{
    return atx_is_letter(c) || atx_is_digit(c);
}

/* White space within a line. */
static inline bool atx_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
