/*
 * describe.h - a command's options for shells and for the manual page, from the table that parses them.
 *
 * `autotune completions man` asks each command for its section by the hidden option --help=man. A shell's
 * script asks a command for its options by --help=options: a line for each, with its name, the placeholder of
 * its value (-: none) and its help, separated by tabs.
 */
#pragma once

#include "util/options.h"

/* Adds the text of --help=KIND for the command `name`; false: the word is no such option. */
bool atx_describe(atx_str *out, const char *word, const char *name, const atx_usage *usage,
                  const atx_option *table);

/* Adds a text as roff reads it. */
void atx_describe_text(atx_str *out, const char *text);
