/*
 * print.h - printing functions of the commands. Text from outside (names, logs, messages, contents of a
 * database) is made printable (util/printable.h) before it reaches a terminal.
 */
#pragma once

#include "util/str.h"

#include <stdio.h>

/* Results on stdout are whole, or the program ends: see atx_whole. */
void atx_put(FILE *to, const char *text);
void atx_print(FILE *to, const char *format, ...) AT_PRINTF(2, 3);

/* The text, when there was the memory for all of it. Else it says so and ends the program: a piece of a row
 * or of an object must not be taken for an answer. */
const char *atx_whole(const atx_str *text);

/* A line of results, without its newline: on a terminal it is wrapped between words, and goes on at `indent`;
 * elsewhere it stays one line. */
void atx_print_line(FILE *to, size_t indent, const char *text);

/* Of a bound that 95 of 100 of `count` keep to, which all do where there are few: "95 of 100 at most". */
const char *atx_most_of(int64_t count);

typedef enum atx_color { ATX_BOLD, ATX_DIM, ATX_RED, ATX_YELLOW } atx_color;

/* "autotune: error: TEXT" on stderr, in one piece; `kind` is coloured. */
void atx_say(atx_color color, const char *kind, const char *text);

/* Text in a colour, where the stream shows colours (cli/terminal.h). */
void atx_paint(FILE *to, atx_color color, const char *text);
