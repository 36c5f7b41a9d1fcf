/* common.c - what several commands need; see commands.h. */
#include "commands.h"

#include "store.h"

#include <stdio.h>
#include <string.h>

int at__complain(const at_error *err)
{
    static const int CODES[] = {
        [AT_OK] = AT__EXIT_SYSTEM,         [AT_ERR_USAGE] = AT__EXIT_USAGE,
        [AT_ERR_INPUT] = AT__EXIT_USAGE,   [AT_ERR_DEVICE] = AT__EXIT_DEVICE,
        [AT_ERR_STORE] = AT__EXIT_STORE,   [AT_ERR_NOT_FOUND] = AT__EXIT_NOTHING,
        [AT_ERR_MEMORY] = AT__EXIT_SYSTEM, [AT_ERR_SYSTEM] = AT__EXIT_SYSTEM,
    };
    fflush(stdout); /* results first, then what is wrong with the next */
    fprintf(stderr, "autotune: error: %s\n", err->text);
    return CODES[err->status];
}

void at__warn(const char *text)
{
    fprintf(stderr, "autotune: warning: %s\n", text);
}

bool at__command_options(const at__usage *usage, const at__option *table, int argc, char **argv,
                         at__words *words, int *exit_code)
{
    at_error err = { 0 };
    bool help = false;
    if (at__options_parse(table, argc, argv, words, &help, &err) != AT_OK) {
        *exit_code = at__complain(&err);
        return false;
    }
    if (help) {
        at__str page = { 0 };
        at__options_help(&page, usage, table);
        fputs(at__str_text(&page), stdout);
        at__str_clear(&page);
        *exit_code = AT__EXIT_OK;
    }
    return !help;
}

at_status at__format_parse(at__format *out, const char *text, at_error *err)
{
    static const char *const NAMES[] = { [AT__TEXT] = "text", [AT__JSON] = "json", [AT__CSV] = "csv" };
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, NAMES[i]) == 0) {
            *out = (at__format)i;
            return AT_OK;
        }
    if (text)
        return at_fail(err, AT_ERR_USAGE, "--format: found '%s'; expected text, json or csv", text);
    *out = AT__TEXT;
    return AT_OK;
}

at_status at__problem_from_words(at__problem *out, const at__words *words, const at__catalog *catalog,
                                 at_error *err)
{
    at__str line = { 0 };
    at__shapes shapes = { 0 };
    at_error cause = { 0 };

    if (words->count == 0)
        return at_fail(err, AT_ERR_USAGE, "a shape is missing; expected for example 4096x4096 f32");
    for (int i = 0; i < words->count; i++)
        at__str_addf(&line, "%s%s", i ? " " : "", words->items[i]);
    at_status status = at__shapes_parse(&shapes, at__str_text(&line), line.len, "command line", catalog,
                                        (at__shape_defaults){ .op = "transpose", .type = AT__F32 }, &cause);
    if (status == AT_OK)
        *out = shapes.problems[0];
    else
        at_fail(err, status, "%s", cause.text);
    at__shapes_clear(&shapes);
    at__str_clear(&line);
    return status;
}

at_status at__db_path(const char **out, const char *given, at__str *keep, at_error *err)
{
    at_status status = AT_OK;
    if (given) {
        *out = given;
        return AT_OK;
    }
    status = at__store_default_path(keep, err);
    if (status == AT_OK)
        *out = at__str_text(keep);
    return status;
}
