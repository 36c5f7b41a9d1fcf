/*
 * options.h - a command's options: one table that parses, checks and prints the help.
 *
 * Accepted: --name value, --name=value, flags alone, `--` before words that start with a dash. Everything
 * that is not an option is a word. Texts are borrowed from argv.
 */
#ifndef AUTOTUNE_OPTIONS_H
#define AUTOTUNE_OPTIONS_H

#include <autotune/status.h>
#include "util/str.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum at__option_kind {
    AT__OPT_FLAG,    /* bool                                                     */
    AT__OPT_TEXT,    /* const char *                                             */
    AT__OPT_COUNT,   /* int64_t, 0 or more                                       */
    AT__OPT_SECONDS, /* double: "90", "90s", "500ms", "2m", "1h"                 */
    AT__OPT_LIST     /* at__words: repeatable; each value may be a list a,b,c    */
} at__option_kind;

#define AT__MAX_WORDS 64

/* Words of a list option, or those that are no option. Texts point into `text` or into argv. */
typedef struct at__words {
    const char *items[AT__MAX_WORDS];
    int count;
    char text[2048]; /* where split lists are kept */
    size_t used;
} at__words;

/* Is it one of them? Without words everything is chosen. */
bool at__words_choose(const at__words *words, const char *name);

typedef struct at__option {
    const char *name; /* "--db"; NULL ends a table */
    at__option_kind kind;
    const char *value; /* placeholder in the help: "FILE"; NULL for a flag */
    const char *help;
    void *target;
} at__option;

/* A command's page of help. */
typedef struct at__usage {
    const char *synopsis; /* "autotune query [OP] SHAPE [DTYPE] [options]" */
    const char *about;    /* a paragraph or more                            */
} at__usage;

/*
 * Parses argv[1..argc). *help is set when --help or -h is there (nothing else is checked then). AT_ERR_USAGE:
 * what was found, what was expected, the nearest option.
 */
at_status at__options_parse(const at__option *table, int argc, char **argv, at__words *words, bool *help,
                            at_error *err) AT_MUST_CHECK;

/* The page that --help prints. */
void at__options_help(at__str *out, const at__usage *usage, const at__option *table);

/* Characters to be added, left out or changed on the way from `a` to `b`; SIZE_MAX: one has more than 64. */
size_t at__edit_distance(const char *a, size_t a_len, const char *b);

/* The nearest of the names to a mistyped word; where none is near the only one that begins with it; or NULL.
 * The list ends with NULL. */
const char *at__nearest(const char *word, const char *const *names);

#endif
