/*
 * terminal.h - the width and the colours of a stream. A pipe or a file has neither a width limit nor colours,
 * so that programs read whole lines.
 */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* stdout or stderr: columns of the terminal, at least 20; 0: it is none. */
size_t atx_terminal_width(FILE *to);

/* Columns of a page of help: those of the terminal, and at most as many as are read with ease. */
size_t atx_help_width(void);

/* A terminal on which a line can be drawn again. */
bool atx_terminal_draws(FILE *to);

/* Of a terminal, unless $NO_COLOR is set and not empty; $CLICOLOR_FORCE, other than 0: in any case. */
bool atx_terminal_has_colors(FILE *to);

/* --color auto|always|never: for this process and those that it starts, in these variables. NULL: auto. */
at_status atx_terminal_color_option(const char *text, at_error *err) AT_MUST_CHECK;

/*
 * Text for people: from now on lines of stdout that are wider than its terminal are wrapped between words,
 * and go on four columns further in. A stdout that is no terminal stays as it is.
 */
void atx_terminal_fit_stdout(void);
