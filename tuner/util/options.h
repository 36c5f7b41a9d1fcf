/*
 * options.h - a command's options: one table that parses, checks and prints the help.
 *
 * Accepted: --name value, --name=value, flags alone, `--` before words that start with a dash. Everything
 * that is not an option is a word. Some names have a letter: -q, -j8, -j 8, -qv. A table whose --format takes
 * json takes --json, too. Texts are borrowed from argv.
 */
#pragma once

#include "util/fail.h"
#include "util/str.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum atx_option_kind {
    ATX_OPT_FLAG,    /* bool                                                     */
    ATX_OPT_TEXT,    /* const char *                                             */
    ATX_OPT_COUNT,   /* int64_t, 0 or more                                       */
    ATX_OPT_SECONDS, /* double: "90", "90s", "500ms", "2m", "1h"                 */
    ATX_OPT_LIST     /* atx_words: repeatable; each value may be a list a,b,c    */
} atx_option_kind;

#define ATX_MAX_WORDS 64

/* Words of a list option, or those that are no option. Texts point into `text` or into argv. */
typedef struct atx_words {
    const char *items[ATX_MAX_WORDS];
    int count;
    char text[2048]; /* where split lists are kept */
    size_t used;
} atx_words;

/* Is it one of them? Without words everything is chosen. */
bool atx_words_choose(const atx_words *words, const char *name);

typedef struct atx_option {
    const char *name; /* "--db"; NULL ends a table */
    atx_option_kind kind;
    const char *value; /* placeholder in the help: "FILE"; NULL for a flag */
    const char *help;
    void *target;
} atx_option;

/* A command's page of help. */
typedef struct atx_usage {
    const char *synopsis; /* "autotune query [OP] SHAPE [DTYPE] [options]" */
    const char *about;    /* a paragraph or more                            */
} atx_usage;

/*
 * Parses argv[1..argc). *help is set when --help or -h is there (nothing else is checked then). AT_ERR_USAGE:
 * the found and the expected text, and the nearest option.
 */
at_status atx_options_parse(const atx_option *table, int argc, char **argv, atx_words *words, bool *help,
                            at_error *err) AT_MUST_CHECK;

/* AT_ERR_USAGE: beside `option` another flag, text or list was given, which `with`, that ends with NULL, does
 * not name. */
at_status atx_options_only_with(const atx_option *table, const char *option, const char *const *with,
                                at_error *err) AT_MUST_CHECK;

/* The page that --help prints, for so many columns; 0: no line is wrapped. */
void atx_options_help(atx_str *out, const atx_usage *usage, const atx_option *table, size_t width);

/* The letter that is short for an option, 'q' for "--quiet"; 0: none is. */
char atx_option_letter(const char *name);

/* Characters to be added, left out or changed on the way from `a` to `b`; SIZE_MAX: one has more than 64. */
size_t atx_edit_distance(const char *a, size_t a_len, const char *b);

/* The nearest of the names to a mistyped word; where none is near the only one that begins with it; or NULL.
 * The list ends with NULL. */
const char *atx_nearest(const char *word, const char *const *names);
