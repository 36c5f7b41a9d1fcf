/*
 * describe.h - a command's options for shells and for the manual page, from the table that parses them.
 *
 * `autotune completions KIND` writes the frame and asks each command for its part by the hidden option
 * --help=KIND; the command's own table answers, so an option is listed wherever it exists.
 */
#ifndef AUTOTUNE_DESCRIBE_H
#define AUTOTUNE_DESCRIBE_H

#include "util/options.h"

typedef enum atx_description { ATX_BASH, ATX_ZSH, ATX_FISH, ATX_MAN, ATX_DESCRIPTIONS } atx_description;

/* "bash", "zsh", "fish", "man". */
const char *atx_description_name(atx_description kind);

/* true, and the kind, when the word is --help=KIND. */
bool atx_description_asked(atx_description *out, const char *word);

/* Adds the part of the command `name`. */
void atx_describe(atx_str *out, atx_description kind, const char *name, const atx_usage *usage,
                  const atx_option *table);

/* Adds a text as the kind quotes it: within single quotes for shells, as roff for the manual. */
void atx_describe_text(atx_str *out, atx_description kind, const char *text);

#endif
