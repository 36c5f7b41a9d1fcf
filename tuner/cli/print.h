/*
 * print.h - what the commands print with. Text of others (names, logs, messages, what a database holds)
 * reaches a terminal as util/printable.h makes it, nothing else does.
 */
#ifndef AUTOTUNE_PRINT_H
#define AUTOTUNE_PRINT_H

#include "util/str.h"

#include <stdio.h>

/* Results on stdout are whole, or the program ends: see atx_whole. */
void atx_put(FILE *to, const char *text);
void atx_print(FILE *to, const char *format, ...) AT_PRINTF(2, 3);

/* The text, when there was the memory for all of it. Else it says so and ends the program: a piece of a row
 * or of an object must not be taken for an answer. */
const char *atx_whole(const atx_str *text);

#endif
