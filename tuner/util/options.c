/*
 * options.c - argv is walked once, and each option is looked up in the table, which is short. The first error
 * ends it; options that were set before stay set, as the caller ends too. --help is looked for first, so that
 * it works beside errors. An unknown option is compared with all names by edit distance. README.md says why
 * no library does this.
 */
#include "util/options.h"

#include "util/number.h"
#include "util/wrap.h"

#include <stdlib.h>
#include <string.h>

/* Letters mean the same for every command that has the option. */
static const struct {
    char letter;
    const char *name;
} LETTERS[] = {
    { 'h', "--help" }, { 'j', "--jobs" }, { 'o', "--output" }, { 'q', "--quiet" }, { 'v', "--verbose" },
};

char atx_option_letter(const char *name)
{
    for (size_t i = 0; i < sizeof LETTERS / sizeof *LETTERS; i++)
        if (strcmp(name, LETTERS[i].name) == 0)
            return LETTERS[i].letter;
    return 0;
}

static const atx_option *find(const atx_option *table, const char *name, size_t len)
{
    for (; table->name; table++)
        if (strlen(table->name) == len && memcmp(table->name, name, len) == 0)
            return table;
    return NULL;
}

/* NULL: of this table none has the letter. */
static const atx_option *find_letter(const atx_option *table, char letter)
{
    for (; table->name; table++)
        if (atx_option_letter(table->name) == letter)
            return table;
    return NULL;
}

/* Levenshtein's, a row of the matrix at a time. */
size_t atx_edit_distance(const char *a, size_t a_len, const char *b)
{
    enum { MOST = 64 };
    size_t row[MOST + 1], b_len = strlen(b);
    if (a_len > MOST || b_len > MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]),
                   best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < best ? change : best;
        }
    }
    return row[b_len];
}

/* Of three letters or more. */
static const char *only_beginning_with(const char *word, const char *const *names)
{
    const char *found = NULL;
    size_t len = strlen(word);
    int count = 0;
    for (; len > 2 && *names; names++)
        if (strncmp(*names, word, len) == 0) {
            found = *names;
            count++;
        }
    return count == 1 ? found : NULL;
}

const char *atx_nearest(const char *word, const char *const *names)
{
    const char *const *all = names;
    const char *best = NULL;
    size_t best_distance = strlen(word) < 5 ? 2 : 4; /* a match is nearer than this */
    for (; *names; names++) {
        size_t d = atx_edit_distance(word, strlen(word), *names);
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best ? best : only_beginning_with(word, all);
}

bool atx_words_choose(const atx_words *words, const char *name)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->items[i], name) == 0)
            return true;
    return words->count == 0;
}

static at_status unknown(const atx_option *table, const char *found, size_t len, at_error *err)
{
    const char *names[ATX_MAX_WORDS] = { "--help" };
    char word[64];
    int count = 1;
    for (const atx_option *o = table; o->name && count < ATX_MAX_WORDS - 1; o++)
        names[count++] = o->name;
    names[count] = NULL;
    if (len >= sizeof word)
        len = sizeof word - 1;
    memcpy(word, found, len);
    word[len] = '\0';
    const char *near = atx_nearest(word, names);
    return atx_fail(err, AT_ERR_USAGE, "unknown option '%s'; %s%s%s--help lists the options", word,
                    near ? "did you mean " : "", near ? near : "", near ? "? " : "");
}

static at_status bad_value(const atx_option *o, const char *found, const char *expected, at_error *err)
{
    return atx_fail(err, AT_ERR_USAGE, "%s: found '%s'; expected %s", o->name, found, expected);
}

static at_status set_count(const atx_option *o, const char *text, at_error *err)
{
    const char *expected = atx_whole_parse(o->target, text);
    if (expected && strstr(expected, "zeros"))
        return bad_value(o, text, expected, err);
    return expected ? bad_value(o, text, "a whole number from 0 to 9223372036854775807", err) : AT_OK;
}

static at_status set_seconds(const atx_option *o, const char *text, at_error *err)
{
    static const struct {
        const char *unit;
        double factor;
    } UNITS[] = { { "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "m", 60 }, { "min", 60 }, { "h", 3600 } };
    char *end = NULL;
    double value = strtod(text, &end);
    for (size_t i = 0; end != text && value > 0 && value < 1e9 && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(end, UNITS[i].unit) == 0) {
            *(double *)o->target = value * UNITS[i].factor;
            return AT_OK;
        }
    return bad_value(o, text, "a time, such as 90s, 500ms, 2m or 1h", err);
}

static at_status add_word(atx_words *words, const char *word, at_error *err)
{
    if (words->count == ATX_MAX_WORDS)
        return atx_fail(err, AT_ERR_USAGE, "too many values: at most %d", ATX_MAX_WORDS);
    words->items[words->count++] = word;
    return AT_OK;
}

static at_status add_list(const atx_option *o, const char *text, at_error *err)
{
    atx_words *words = o->target;
    at_status status = AT_OK;
    while (status == AT_OK) {
        size_t len = strcspn(text, ",");
        char *copy = words->text + words->used;
        if (len == 0)
            return bad_value(o, text, "a value, or several separated by commas", err);
        if (words->used + len + 1 > sizeof words->text)
            return atx_fail(err, AT_ERR_USAGE, "%s: the list is too long", o->name);
        memcpy(copy, text, len);
        copy[len] = '\0';
        words->used += len + 1;
        status = add_word(words, copy, err);
        if (!text[len])
            break;
        text += len + 1;
    }
    return status;
}

static at_status set(const atx_option *o, const char *value, at_error *err)
{
    switch (o->kind) {
    case ATX_OPT_FLAG:
        *(bool *)o->target = true;
        return AT_OK;
    case ATX_OPT_TEXT:
        *(const char **)o->target = value;
        return AT_OK;
    case ATX_OPT_COUNT:
        return set_count(o, value, err);
    case ATX_OPT_SECONDS:
        return set_seconds(o, value, err);
    case ATX_OPT_LIST:
        return add_list(o, value, err);
    }
    return AT_OK;
}

/* The option that --json is short for, or NULL. */
static const atx_option *json_format(const atx_option *table)
{
    const atx_option *o = find(table, "--format", strlen("--format"));
    return o && strstr(o->value, "json") && !strstr(o->value, "jsonl") ? o : NULL;
}

/* Its value: `joined` to it, or else the next word. */
static at_status set_value(const atx_option *o, const char *joined, int argc, char **argv, int *i,
                           at_error *err)
{
    if (!joined && *i + 1 >= argc)
        return atx_fail(err, AT_ERR_USAGE, "%s: a value is missing; expected %s", o->name, o->value);
    return set(o, joined ? joined : argv[++*i], err);
}

/* "-q", "-j8", "-j 8", "-o=FILE", "-qv": letters of flags, and at the end one of an option with a value. */
static at_status parse_letters(const atx_option *table, int argc, char **argv, int *i, at_error *err)
{
    const char *arg = argv[*i];
    for (const char *letter = arg + 1; *letter; letter++) {
        const atx_option *o = find_letter(table, *letter);
        const char *joined = letter[1] ? letter + 1 + (letter[1] == '=') : NULL;
        if (!o)
            return unknown(table, arg, strlen(arg), err);
        if (o->kind != ATX_OPT_FLAG)
            return set_value(o, joined, argc, argv, i, err);
        ATX_TRY(set(o, NULL, err));
    }
    return AT_OK;
}

/* One option at argv[*i]. */
static at_status parse_one(const atx_option *table, int argc, char **argv, int *i, at_error *err)
{
    const char *arg = argv[*i], *value = strchr(arg, '=');
    size_t len = value ? (size_t)(value - arg) : strlen(arg);
    const atx_option *o = find(table, arg, len);
    if (strcmp(arg, "--json") == 0 && json_format(table))
        return set(json_format(table), "json", err);
    if (!o && arg[1] != '-')
        return parse_letters(table, argc, argv, i, err);
    if (!o)
        return unknown(table, arg, len, err);
    if (o->kind == ATX_OPT_FLAG && value)
        return atx_fail(err, AT_ERR_USAGE, "%s takes no value; found '%s'", o->name, value + 1);
    return o->kind == ATX_OPT_FLAG ? set(o, NULL, err)
                                   : set_value(o, value ? value + 1 : NULL, argc, argv, i, err);
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9');
}

at_status atx_options_parse(const atx_option *table, int argc, char **argv, atx_words *words, bool *help,
                            at_error *err)
{
    bool only_words = false;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        *help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    for (int i = 1; i < argc && !*help; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && is_option(argv[i]))
            ATX_TRY(parse_one(table, argc, argv, &i, err));
        else
            ATX_TRY(add_word(words, argv[i], err));
    }
    return AT_OK;
}

#define HELP_COLUMN 30
#define HELP_INDENT 6  /* of the lines under an option, where two columns do not fit */
#define TWO_COLUMNS 72 /* they do from this width on                               */

static bool is_given(const atx_option *o)
{
    return (o->kind == ATX_OPT_FLAG && *(const bool *)o->target) ||
           (o->kind == ATX_OPT_TEXT && *(const char *const *)o->target) ||
           (o->kind == ATX_OPT_LIST && ((const atx_words *)o->target)->count);
}

at_status atx_options_only_with(const atx_option *table, const char *option, const char *const *with,
                                at_error *err)
{
    for (; table->name; table++) {
        const char *const *allowed = with;
        while (*allowed && strcmp(*allowed, table->name) != 0)
            allowed++;
        if (!*allowed && strcmp(table->name, option) != 0 && is_given(table))
            return atx_fail(err, AT_ERR_USAGE, "found both %s and %s; expected one of them", option,
                            table->name);
    }
    return AT_OK;
}

static void add_paragraphs(atx_str *out, const char *text, size_t width)
{
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        atx_wrap(out, text, len, (atx_wrap_box){ .width = width });
        atx_str_add(out, "\n");
    }
}

/* "  -q, --quiet" or "  --db FILE", and its description beside or below it. */
static void add_row(atx_str *out, const char *name, const char *value, const char *help, size_t width)
{
    const bool beside = !width || width >= TWO_COLUMNS;
    const size_t indent = beside ? HELP_COLUMN : HELP_INDENT, begin = out->len;
    const char letter = atx_option_letter(name);
    atx_str_add(out, "  ");
    if (letter)
        atx_str_addf(out, "-%c, ", letter);
    atx_str_addf(out, "%s%s%s", name, value ? " " : "", value ? value : "");
    if (!beside || out->len - begin >= HELP_COLUMN)
        atx_str_addf(out, "\n%*s", (int)indent, "");
    else
        atx_str_addf(out, "%*s", (int)(HELP_COLUMN - (out->len - begin)), "");
    atx_wrap(out, help, strlen(help), (atx_wrap_box){ indent, indent, width });
    atx_str_add(out, "\n");
}

/* Its lines behind the first begin below the first. */
static void add_synopsis(atx_str *out, const char *synopsis, size_t width)
{
    static const char FIRST[] = "usage: ";
    const size_t begin = sizeof FIRST - 1;
    for (size_t len, line = 0; *synopsis; synopsis += len + (synopsis[len] == '\n'), line++) {
        synopsis += line ? strspn(synopsis, " ") : 0;
        len = strcspn(synopsis, "\n");
        atx_str_addf(out, "%*s", (int)begin, line ? "" : FIRST);
        atx_wrap(out, synopsis, len, (atx_wrap_box){ begin, begin + 4, width });
        atx_str_add(out, "\n");
    }
    atx_str_add(out, "\n");
}

void atx_options_help(atx_str *out, const atx_usage *usage, const atx_option *table, size_t width)
{
    const bool json = json_format(table) != NULL;
    add_synopsis(out, usage->synopsis, width);
    add_paragraphs(out, usage->about, width);
    atx_str_add(out, "\noptions:\n");
    for (; table->name; table++)
        add_row(out, table->name, table->value, table->help, width);
    if (json)
        add_row(out, "--json", NULL, "short for --format json", width);
    add_row(out, "--help", NULL, "this page", width);
}
