/*
 * common.c - what several commands need: exit codes by status, options that several of them have,
 * names that must exist.
 */
#include "cli/commands.h"
#include "cli/describe.h"

#include "device/device.h"
#include "db/store.h"
#include "lang/arch.h"
#include "source/folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int at__complain(const at_error *err)
{
    static const int CODES[] = {
        [AT_OK] = AT__EXIT_SYSTEM,
        [AT_ERR_USAGE] = AT__EXIT_USAGE,
        [AT_ERR_INPUT] = AT__EXIT_USAGE,
        [AT_ERR_DEVICE] = AT__EXIT_DEVICE,
        [AT_ERR_STORE] = AT__EXIT_STORE,
        [AT_ERR_NOT_FOUND] = AT__EXIT_NOTHING,
        [AT_ERR_MEMORY] = AT__EXIT_SYSTEM,
        [AT_ERR_SYSTEM] = AT__EXIT_SYSTEM,
        [AT_ERR_CANCELLED] = AT__EXIT_INTERRUPTED,
        [AT_ERR_INTERNAL] = AT__EXIT_INTERNAL,
    };
    fflush(stdout); /* results first, then what is wrong with the next */
    at__print(stderr, "autotune: %s%s\n", err->status == AT_ERR_CANCELLED ? "" : "error: ", err->text);
    return CODES[err->status];
}

void at__warn(const char *text)
{
    at__print(stderr, "autotune: warning: %s\n", text);
}

static void tell_broken(void *context, const char *why)
{
    int *count = context;
    ++*count;
    at__warn(why);
}

at_status at__open_catalog_lazily(at__catalog **out, const char *dir, at_error *err)
{
    int count = 0;
    const at__catalog_options options = { .dir = dir,
                                          .headers = getenv(AT__HEADERS_ENV),
                                          .allow = getenv(AT__ALLOW_ENV),
                                          .broken = tell_broken,
                                          .context = &count,
                                          .lazily = true };
    return at__catalog_open_with(out, &options, err);
}

at_status at__open_catalog(at__catalog **out, const char *dir, int *broken, at_error *err)
{
    int count = 0;
    const at__catalog_options options = { .dir = dir,
                                          .headers = getenv(AT__HEADERS_ENV),
                                          .allow = getenv(AT__ALLOW_ENV),
                                          .broken = tell_broken,
                                          .context = &count };
    at_status status = at__catalog_open_with(out, &options, err);
    if (broken)
        *broken = count;
    return status;
}

/* An option that names folders, and the variable that has them. */
typedef struct folder_option {
    const char *option, *what, *variable;
} folder_option;

/* Absolute from here on: children may run elsewhere. */
static at_status name_folders(const folder_option *o, const at__option *table, at_error *err)
{
    at__str given = { 0 };
    at__folders folders = { .count = 0 };
    at_error cause = { .status = AT_OK };
    const char *before = getenv(o->variable);
    while (table->name && strcmp(table->name, o->option) != 0)
        table++;
    const at__words *words = table->name ? table->target : NULL;
    for (int i = 0; words && i < words->count; i++)
        at__str_addf(&given, "%s%s", i ? ":" : "", words->items[i]);
    if (!words || (!given.len && !before))
        return AT_OK;
    at_status status = at__str_status(&given, err);
    if (status == AT_OK)
        status = at__folders_read(&folders, o->what, given.len ? given.data : before, &cause);
    if (cause.status != AT_OK && given.len)
        at_fail(err, status, "%s", cause.text);
    else if (cause.status != AT_OK)
        at_fail(err, status, "%s (%s is %s)", cause.text, o->variable, before);
    if (status == AT_OK && setenv(o->variable, at__str_text(&folders.text), 1) != 0)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    at__folders_clear(&folders);
    at__str_clear(&given);
    return status;
}

static at_status name_all_folders(const at__option *table, at_error *err)
{
    static const folder_option HEADERS = { "--headers", "headers", AT__HEADERS_ENV },
                               ALLOW = { "--allow", "allow", AT__ALLOW_ENV };
    at_status status = name_folders(&HEADERS, table, err);
    return status == AT_OK ? name_folders(&ALLOW, table, err) : status;
}

static void describe(at__description kind, const char *name, const at__usage *usage, const at__option *table)
{
    at__str part = { 0 };
    at__describe(&part, kind, name, usage, table);
    fputs(at__whole(&part), stdout);
    at__str_clear(&part);
}

bool at__command_options(const at__usage *usage, const at__option *table, int argc, char **argv,
                         at__words *words, int *exit_code)
{
    at_error err = { 0 };
    bool help = false;
    at__description kind = AT__MAN;
    if (argc == 2 && at__description_asked(&kind, argv[1])) {
        describe(kind, argv[0], usage, table);
        *exit_code = AT__EXIT_OK;
        return false;
    }
    if (at__options_parse(table, argc, argv, words, &help, &err) != AT_OK ||
        (!help && name_all_folders(table, &err) != AT_OK)) {
        *exit_code = at__complain(&err);
        return false;
    }
    if (help) {
        at__str page = { 0 };
        at__options_help(&page, usage, table);
        at__print(stdout, "%s", at__whole(&page));
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

at_status at__format_text_or_json(bool *json, const char *text, const char *what, at_error *err)
{
    at__format format = AT__TEXT;
    if (text && strcmp(text, "csv") == 0)
        return at_fail(err, AT_ERR_USAGE, "--format: found 'csv'; %s is text or json", what);
    at_status status = at__format_parse(&format, text, err);
    *json = format == AT__JSON;
    return status;
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
    at_status status =
        at__shapes_parse(&shapes, at__str_text(&line), line.len, "command line", catalog, NULL, &cause);
    if (status == AT_OK)
        *out = shapes.problems[0];
    else
        at_fail(err, status, "%s", cause.text);
    at__shapes_clear(&shapes);
    at__str_clear(&line);
    return status;
}

/* One of each size. */
static const at__dtype SIZES[] = { AT__U8, AT__F16, AT__F32, AT__F64, AT__C128 };
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

bool at__problem_of_answer(at__problem *out, const at__answer *a, const at__catalog *catalog)
{
    at__words line = { .items = { a->op, a->shape, a->type_key }, .count = 3 };
    for (int i = 0; i < SIZE_COUNT; i++)
        if (strcmp(at__dtype_key(SIZES[i], true), a->type_key) == 0)
            line.items[2] = at__dtype_name(SIZES[i]);
    return at__problem_from_words(out, &line, catalog, NULL) == AT_OK;
}

void at__add_tune_command(at__str *out, const at__problem *problem, const char *templates_dir, const char *db)
{
    at__str_addf(out, "autotune tune %s ", problem->op->name);
    at__problem_shape(out, problem);
    at__str_addf(out, " %s --device 0", at__dtype_name(problem->type));
    if (templates_dir) {
        at__str_add(out, " --templates ");
        at__str_add_word(out, templates_dir);
    }
    at__str_add(out, " --db ");
    at__str_add_word(out, db);
}

at_status at__arch_option(at__limits *out, const char *option, const char *text, at_error *err)
{
    at_error cause = { 0 };
    at_status status = at__arch_parse(out, text, &cause);
    return status == AT_OK ? AT_OK : at_fail(err, status, "%s: %s", option, cause.text);
}

int at__types_to_check(const char *out[AT__MAX_WORDS], const at__words *named, const at__op *op)
{
    int count = 0;
    if (named->count && strcmp(named->items[0], "all") != 0) {
        memcpy(out, named->items, sizeof named->items);
        return named->count;
    }
    for (int i = 0; op->storage && i < SIZE_COUNT; i++)
        out[count++] = at__dtype_name(SIZES[i]);
    for (int i = 0; !op->storage && i < AT__DTYPES; i++)
        if (op->types & (1u << i))
            out[count++] = at__dtype_name((at__dtype)i);
    return count;
}

at_status at__unknown_op(const at__catalog *catalog, const char *before, const char *word, at_error *err)
{
    const char *names[AT__MAX_WORDS] = { NULL };
    for (int i = 0; i < at__catalog_op_count(catalog) && i < AT__MAX_WORDS - 1; i++)
        names[i] = at__catalog_op_name(catalog, i);
    const char *near = at__nearest(word, names);
    at_fail(err, AT_ERR_USAGE,
            "%sno operation '%s'%s%s%s; `autotune list ops` shows them, --templates DIR "
            "adds those of a folder",
            before, word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return AT_ERR_USAGE;
}

at_status at__known_template(const at__catalog *catalog, const at__problem *problems, size_t count,
                             const char *option, const char *name, at_error *err)
{
    at__str known = { 0 };
    const at__op *op = problems[0].op;
    for (size_t i = 0; i < count; i++)
        if (at__catalog_find_template(catalog, problems[i].op, name))
            return AT_OK;
    for (int i = 0; i < at__catalog_template_count(catalog, op); i++)
        at__str_addf(&known, " %s", at__catalog_template(catalog, op, i)->name);
    at_fail(err, AT_ERR_USAGE, "%s: no template '%s'; %s has:%s", option, name, op->name,
            at__str_text(&known));
    at__str_clear(&known);
    return AT_ERR_USAGE;
}

static at_status known_value(const at__template *t, const at__fix *fix, at_error *err)
{
    at__str known = { 0 };
    int i = at__param_find(t, fix->param, strlen(fix->param));
    if (i >= 0 && at__param_find_text(&t->params[i], fix->value, strlen(fix->value)) >= 0)
        return AT_OK;
    for (int k = 0; i < 0 && k < t->param_count; k++)
        at__str_addf(&known, " %s", t->params[k].name);
    for (int k = 0; i >= 0 && k < t->params[i].count && k < 40; k++) {
        at__str_add(&known, " ");
        at__param_add_text(&known, &t->params[i], t->params[i].values[k]);
    }
    at_fail(err, AT_ERR_USAGE, "--fix: found '%s.%s=%s'; expected %s%s", t->name, fix->param, fix->value,
            i < 0 ? "a parameter of this template:" : "one of", at__str_text(&known));
    at__str_clear(&known);
    return AT_ERR_USAGE;
}

at_status at__fixes_read(at__fix *out, const at__words *words, const at__catalog *catalog,
                         const at__problem *problems, size_t count, at_error *err)
{
    at_status status = AT_OK;
    at_error cause = { 0 };
    for (int i = 0; i < words->count && status == AT_OK; i++) {
        if (at__fix_parse(&out[i], words->items[i], &cause) != AT_OK)
            return at_fail(err, AT_ERR_USAGE, "--fix: %s", cause.text);
        status = at__known_template(catalog, problems, count, "--fix", out[i].template_name, err);
        for (size_t k = 0; k < count && status == AT_OK; k++) {
            const at__template *t = at__catalog_find_template(catalog, problems[k].op, out[i].template_name);
            if (t)
                status = known_value(t, &out[i], err);
        }
    }
    return status;
}

typedef struct adding {
    at__catalog *catalog;
    at_status status;
    at_error *err;
} adding;

static bool add_recorded(void *context, const char *path, const char *text, size_t len)
{
    adding *a = context;
    a->status = at__catalog_add(a->catalog, path, text, len, a->err);
    return a->status == AT_OK;
}

at_status at__catalog_add_recorded_of(at__catalog *catalog, at__store *store, at_error *err)
{
    adding a = { .catalog = catalog, .err = err };
    at_status status = at__store_each_recorded(store, add_recorded, &a, err);
    return status == AT_OK ? a.status : status;
}

at_status at__catalog_add_recorded(at__catalog *catalog, const char *path, at_error *err)
{
    at__store *store = NULL;
    if (access(path, F_OK) != 0)
        return AT_OK;
    at_status status = at__store_open_recording(&store, path, err);
    if (status == AT_OK)
        status = at__catalog_add_recorded_of(catalog, store, err);
    at__store_close(store);
    return status;
}

at_status at__catalog_add_replayed(at__catalog *catalog, const char *device, at_error *err)
{
    at__replay_spec replay;
    if (!device || !at__device_is_replay(device))
        return AT_OK;
    at_status status = at__device_replay_parse(&replay, device, err);
    if (status == AT_OK)
        status = at__catalog_add_recorded(catalog, at__str_text(&replay.file), err);
    at__str_clear(&replay.file);
    return status;
}

void at__warn_of_network(const char *path)
{
    char text[1400];
    const char *network = at__store_network(path);
    if (!network)
        return;
    snprintf(
        text, sizeof text,
        "the database %.900s is on %s, a network file system, where SQLite's locks cannot be trusted: it may "
        "be "
        "damaged. Expected a local disk: --db /tmp/NAME.db, then `autotune dump --db /tmp/NAME.db -o FILE` "
        "to take it along and `autotune merge` to join several",
        path, network);
    at__warn(text);
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

at_status at__db_path_if_any(const char **out, const char *given, bool shipped, at__str *keep, at_error *err)
{
    at_status status = at__db_path(out, given, keep, err);
    if (status != AT_ERR_USAGE || !shipped)
        return status;
    *out = NULL;
    return AT_OK;
}

at_status at__open_if_any(at__store **out, const char *path, at_error *err)
{
    if (path)
        return at__store_open(out, path, AT__STORE_READ, err);
    return at_fail(
        err, AT_ERR_NOT_FOUND,
        "what comes with autotune has no answer, and there is no place for a database: set HOME, or "
        "AUTOTUNE_DB, or name one with --db");
}
