/* utf8.h - one character of a text. */
#ifndef AUTOTUNE_UTIL_UTF8_H
#define AUTOTUNE_UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the character at `text`, which is terminated: how many bytes, 0: it is none; and what it is. */
size_t atx_utf8_read(uint32_t *character, const char *text);

/* What a terminal does not show but obeys, or what turns the direction of text or hides in it. */
bool atx_is_control(uint32_t character);

#endif
