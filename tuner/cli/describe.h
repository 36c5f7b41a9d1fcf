/*
 * describe.h - a command's options for shells and for the manual page, from the table that parses them.
 *
 * `autotune completions KIND` writes the frame and asks each command for its part by the hidden option
 * --help=KIND; the command's own table answers, so an option is listed wherever it exists.
 */
#ifndef AUTOTUNE_DESCRIBE_H
#define AUTOTUNE_DESCRIBE_H

#include "util/options.h"

typedef enum at__description { AT__BASH, AT__ZSH, AT__FISH, AT__MAN, AT__DESCRIPTIONS } at__description;

/* "bash", "zsh", "fish", "man". */
const char *at__description_name(at__description kind);

/* true, and the kind, when the word is --help=KIND. */
bool at__description_asked(at__description *out, const char *word);

/* Adds the part of the command `name`. */
void at__describe(at__str *out, at__description kind, const char *name, const at__usage *usage,
                  const at__option *table);

/* Adds a text as the kind quotes it: within single quotes for shells, as roff for the manual. */
void at__describe_text(at__str *out, at__description kind, const char *text);

#endif
