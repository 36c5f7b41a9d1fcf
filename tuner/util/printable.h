/*
 * printable.h - text from outside, made safe for a terminal.
 *
 * A name in a database, a line of a compiler's log, an argument: each can hold bytes that a terminal takes
 * for a command. Newlines and tabs stay; other control characters, those that turn the direction of text, and
 * invalid UTF-8 become visible: \x1b, \u202e, \xff. Text that is printable stays unchanged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool atx_is_printable(const char *text);

/* The character at `at`, which is not the end, as it may be printed; returns how many bytes it has there. */
enum { ATX_PRINTABLE_BYTES = 12 };
size_t atx_printable_next(char out[ATX_PRINTABLE_BYTES], const char *at);

/* In place; a text longer than `size` bytes is cut. */
void atx_make_printable(char *text, size_t size);

/* Of the character at `text`, which is terminated: how many bytes, 0: it is none; and its code point. */
size_t atx_utf8_read(uint32_t *character, const char *text);

/* Characters that a terminal obeys, that turn the direction of text, or that are invisible. */
bool atx_is_control(uint32_t character);
