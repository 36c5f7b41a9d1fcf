/* test_options.c - a command's options: one table that parses, checks and prints the help. */
#include "util/options.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

typedef struct values {
    bool flag;
    const char *text;
    int64_t count;
    double seconds;
    atx_words list, words;
} values;

static at_status parse(values *v, const char *const *args, at_error *err)
{
    const atx_option table[] = {
        { "--flag", ATX_OPT_FLAG, NULL, "a flag", &v->flag },
        { "--text", ATX_OPT_TEXT, "WORD", "a text", &v->text },
        { "--count", ATX_OPT_COUNT, "N", "a count", &v->count },
        { "--time", ATX_OPT_SECONDS, "TIME", "a time", &v->seconds },
        { "--list", ATX_OPT_LIST, "A[,B]", "a list", &v->list },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    char *argv[32] = { "command" };
    int argc = 1;
    bool help = false;
    for (; *args; args++)
        argv[argc++] = (char *)(uintptr_t)*args;
    at_status status = atx_options_parse(table, argc, argv, &v->words, &help, err);
    return help ? AT_ERR_NOT_FOUND : status; /* stands for "help was asked for" */
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

Test(options, values_follow_or_are_joined_by_an_equals_sign)
{
    values v = { 0 };
    at_error err = { 0 };
    cr_assert_eq(parse(&v, ARGS("--flag", "--text", "a", "--count=7", "word", "--time", "2m"), &err), AT_OK,
                 "%s", err.text);
    cr_assert(v.flag && v.count == 7 && v.seconds > 119 && v.seconds < 121);
    cr_assert_str_eq(v.text, "a");
    cr_assert_eq(v.words.count, 1);
    cr_assert_str_eq(v.words.items[0], "word");
}

Test(options, a_list_is_repeated_or_separated_by_commas)
{
    values v = { 0 };
    at_error err = { 0 };
    cr_assert_eq(parse(&v, ARGS("--list", "a,b", "--list=c"), &err), AT_OK, "%s", err.text);
    cr_assert_eq(v.list.count, 3);
    cr_assert_str_eq(v.list.items[0], "a");
    cr_assert_str_eq(v.list.items[2], "c");
}

Test(options, two_dashes_end_the_options)
{
    values v = { 0 };
    at_error err = { 0 };
    cr_assert_eq(parse(&v, ARGS("--", "--flag"), &err), AT_OK, "%s", err.text);
    cr_assert(!v.flag);
    cr_assert_str_eq(v.words.items[0], "--flag");
}

Test(options, json_is_short_for_the_format_of_a_command_that_has_it)
{
    const char *format = NULL;
    bool help = false;
    atx_words words = { 0 };
    at_error err = { 0 };
    const atx_option with[] = { { "--format", ATX_OPT_TEXT, "text|json", "", &format },
                                { NULL, ATX_OPT_FLAG, NULL, NULL, NULL } };
    const atx_option without[] = { { "--format", ATX_OPT_TEXT, "jsonl|t4", "", &format },
                                   { NULL, ATX_OPT_FLAG, NULL, NULL, NULL } };
    char *argv[] = { "command", "--json" };
    cr_assert_eq(atx_options_parse(without, 2, argv, &words, &help, &err), AT_ERR_USAGE);
    cr_assert_null(format);
    cr_assert_eq(atx_options_parse(with, 2, argv, &words, &help, &err), AT_OK, "%s", err.text);
    cr_assert_str_eq(format, "json");
}

Test(options, help_wins_over_everything_else)
{
    values v = { 0 };
    cr_assert_eq(parse(&v, ARGS("--nonesuch", "--help"), NULL), AT_ERR_NOT_FOUND);
}

Test(options, a_help_is_wrapped_between_words_and_keeps_its_paragraphs)
{
    static const atx_usage USAGE = {
        "autotune x",
        "These words, a line in the source or several, are wrapped where a reader's screen would wrap them, "
        "which is here.\n  autotune x --flag\nA paragraph.",
    };
    static const atx_option TABLE[] = {
        { "--flag", ATX_OPT_FLAG, NULL,
          "stands in a column of its own, and goes on in that column where the line would be too wide",
          NULL },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    atx_str help = { 0 };
    atx_options_help(&help, &USAGE, TABLE, 110);
    cr_assert_str_eq(atx_str_text(&help), "usage: autotune x\n\n"
                                          "These words, a line in the source or several, are wrapped where a "
                                          "reader's screen would wrap them, which is\n"
                                          "here.\n  autotune x --flag\nA paragraph.\n\noptions:\n"
                                          "  --flag                      stands in a column of its own, and "
                                          "goes on in that column where the line would\n"
                                          "                              be too wide\n"
                                          "  -h, --help                  this page\n");
    atx_str_clear(&help);
}

Test(options, a_narrow_help_has_what_an_option_does_below_it)
{
    static const atx_usage USAGE = { "autotune x", "These words are wrapped." };
    static const atx_option TABLE[] = {
        { "--jobs", ATX_OPT_COUNT, "N", "number of compile workers, which is one for every core", NULL },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    atx_str help = { 0 };
    atx_options_help(&help, &USAGE, TABLE, 40);
    cr_assert_str_eq(atx_str_text(&help), "usage: autotune x\n\nThese words are wrapped.\n\noptions:\n"
                                          "  -j, --jobs N\n      number of compile workers, which\n"
                                          "      is one for every core\n  -h, --help\n      this page\n");
    atx_str_clear(&help);
}

Test(options, letters_are_short_for_names_that_the_command_has)
{
    bool quiet = false, verbose = false, help = false;
    int64_t jobs = 0;
    const char *output = NULL;
    const atx_option table[] = { { "--quiet", ATX_OPT_FLAG, NULL, "", &quiet },
                                 { "--verbose", ATX_OPT_FLAG, NULL, "", &verbose },
                                 { "--jobs", ATX_OPT_COUNT, "N", "", &jobs },
                                 { "--output", ATX_OPT_TEXT, "FILE", "", &output },
                                 { NULL, ATX_OPT_FLAG, NULL, NULL, NULL } };
    static const struct {
        const char *args[3];
        int64_t jobs;
        const char *output, *error;
    } TRIES[] = {
        { { "-j8", "-o", "x" }, 8, "x", NULL },
        { { "-j", "8", "-ox" }, 8, "x", NULL },
        { { "-qvj=8", "-o=x" }, 8, "x", NULL },
        { { "-q", "-j" }, 0, NULL, "--jobs: a value is missing; expected N" },
        { { "-j", "x" },
          0,
          NULL,
          "--jobs: found 'x'; expected a whole number from 0 to 9223372036854775807" },
        { { "-qx" }, 0, NULL, "unknown option '-qx'; --help lists the options" },
    };
    for (size_t i = 0; i < sizeof TRIES / sizeof *TRIES; i++) {
        char *argv[5] = { "command" };
        atx_words words = { .count = 0 };
        at_error err = { 0 };
        int argc = 1;
        jobs = 0, output = NULL;
        for (int k = 0; k < 3 && TRIES[i].args[k]; k++)
            argv[argc++] = (char *)(uintptr_t)TRIES[i].args[k];
        at_status status = atx_options_parse(table, argc, argv, &words, &help, &err);
        cr_assert_eq(status == AT_OK, !TRIES[i].error, "%zu: %s", i, err.text);
        cr_assert(!TRIES[i].error || strcmp(err.text, TRIES[i].error) == 0, "%zu: %s", i, err.text);
        cr_assert(TRIES[i].error || (jobs == TRIES[i].jobs && strcmp(output, TRIES[i].output) == 0), "%zu",
                  i);
    }
    cr_assert(quiet && verbose);
}

static const struct {
    const char *args[3];
    const char *says;
} WRONG[] = {
    { { "--flga" }, "did you mean --flag?" },
    { { "--count", "x" }, "found 'x'; expected a whole number" },
    { { "--count", "-1" }, "found '-1'" },
    { { "--count", "99999999999999999999" }, "expected a whole number from 0 to 9223372036854775807" },
    { { "--time", "0s" }, "expected a time" },
    { { "--time", "3 days" }, "expected a time" },
    { { "--time", "inf" }, "expected a time" },
    { { "--time", "nan" }, "expected a time" },
    { { "--text" }, "a value is missing" },
    { { "--flag=1" }, "takes no value" },
    { { "--list", "a,,b" }, "--list: found" },
};

ParameterizedTestParameters(options, wrong_ones_say_what_was_found)
{
    static size_t index[sizeof WRONG / sizeof *WRONG];
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        index[i] = i;
    return cr_make_param_array(size_t, index, sizeof WRONG / sizeof *WRONG);
}

ParameterizedTest(size_t *i, options, wrong_ones_say_what_was_found)
{
    values v = { 0 };
    at_error err = { 0 };
    cr_assert_eq(parse(&v, WRONG[*i].args, &err), AT_ERR_USAGE);
    cr_assert(strstr(err.text, WRONG[*i].says), "'%s' is not in: %s", WRONG[*i].says, err.text);
}

Test(options, the_name_that_was_meant_is_near_or_the_only_one_that_begins_so)
{
    static const char *const NAMES[] = { "saxpy", "softmax", "transpose", "transpose_add", NULL };
    static const struct {
        const char *word, *meant;
    } ROWS[] = {
        { "saxpi", "saxpy" },        { "sax", "saxpy" }, { "soft", "softmax" }, { "tran", NULL }, /* of two */
        { "transpos", "transpose" }, { "sa", NULL },     { "xpy", NULL },       { "", NULL },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const char *near = atx_nearest(ROWS[i].word, NAMES);
        cr_expect(ROWS[i].meant ? near && strcmp(near, ROWS[i].meant) == 0 : !near, "%s: %s", ROWS[i].word,
                  near ? near : "none");
    }
}
