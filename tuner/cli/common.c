/*
 * common.c - shared by several commands: exit codes by status, options, names that must exist.
 */
#include "cli/commands.h"

#include "cli/describe.h"
#include "cli/terminal.h"

#include "device/device.h"
#include "db/store.h"
#include "lang/arch.h"
#include "source/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int atx_complain(const at_error *err)
{
    static const int CODES[] = {
        [AT_OK] = ATX_EXIT_SYSTEM,
        [AT_ERR_USAGE] = ATX_EXIT_USAGE,
        [AT_ERR_INPUT] = ATX_EXIT_USAGE,
        [AT_ERR_DEVICE] = ATX_EXIT_DEVICE,
        [AT_ERR_STORE] = ATX_EXIT_STORE,
        [AT_ERR_NOT_FOUND] = ATX_EXIT_NOTHING,
        [AT_ERR_MEMORY] = ATX_EXIT_SYSTEM,
        [AT_ERR_SYSTEM] = ATX_EXIT_SYSTEM,
        [AT_ERR_CANCELLED] = ATX_EXIT_INTERRUPTED,
        [AT_ERR_INTERNAL] = ATX_EXIT_INTERNAL,
    };
    fflush(stdout); /* results first, then the next error */
    atx_say(ATX_RED, err->status == AT_ERR_CANCELLED ? "" : "error: ", err->text);
    return CODES[err->status];
}

void atx_warn(const char *text)
{
    atx_say(ATX_YELLOW, "warning: ", text);
}

void atx_note(const char *lines)
{
    for (size_t len; *lines; lines += len + (lines[len] == '\n')) {
        len = strcspn(lines, "\n");
        atx_print(stderr, "autotune: %.*s\n", (int)len, lines);
    }
}

static void tell_broken(void *context, const char *why)
{
    int *count = context;
    ++*count;
    atx_warn(why);
}

static at_status open_catalog(atx_catalog **out, const char *dir, bool lazily, int *broken, at_error *err)
{
    int count = 0;
    const atx_catalog_options options = { .dir = dir,
                                          .headers = getenv(ATX_HEADERS_ENV),
                                          .allow = getenv(ATX_ALLOW_ENV),
                                          .broken = tell_broken,
                                          .context = &count,
                                          .lazily = lazily };
    at_status status = atx_catalog_open_with(out, &options, err);
    if (broken)
        *broken = count;
    return status;
}

at_status atx_open_catalog(atx_catalog **out, const char *dir, int *broken, at_error *err)
{
    return open_catalog(out, dir, false, broken, err);
}

at_status atx_open_catalog_lazily(atx_catalog **out, const char *dir, at_error *err)
{
    return open_catalog(out, dir, true, NULL, err);
}

/* An option that names folders, and the variable that has them. */
typedef struct folder_option {
    const char *option, *what, *variable;
} folder_option;

/* Absolute from here on: children may run elsewhere. */
static at_status name_folders(const folder_option *o, const atx_option *table, at_error *err)
{
    atx_str given = { 0 };
    ATX_LOCAL(atx_folders) folders = { .count = 0 };
    at_error cause = { .status = AT_OK };
    const char *before = getenv(o->variable);
    while (table->name && strcmp(table->name, o->option) != 0)
        table++;
    const atx_words *words = table->name ? table->target : NULL;
    for (int i = 0; words && i < words->count; i++)
        atx_str_addf(&given, "%s%s", i ? ":" : "", words->items[i]);
    if (!words || (!given.len && !before))
        return AT_OK;
    at_status status = atx_str_status(&given, err);
    ATX_THEN(status, atx_folders_read(&folders, o->what, given.len ? given.data : before, &cause));
    if (cause.status != AT_OK && given.len)
        atx_fail(err, status, "%s", cause.text);
    else if (cause.status != AT_OK)
        atx_fail(err, status, "%s (%s is %s)", cause.text, o->variable, before);
    if (status == AT_OK && setenv(o->variable, atx_str_text(&folders.text), 1) != 0)
        status = atx_no_memory(err);
    atx_str_clear(&given);
    return status;
}

static at_status name_all_folders(const atx_option *table, at_error *err)
{
    static const folder_option HEADERS = { "--headers", "headers", ATX_HEADERS_ENV },
                               ALLOW = { "--allow", "allow", ATX_ALLOW_ENV };
    ATX_TRY(name_folders(&HEADERS, table, err));
    return name_folders(&ALLOW, table, err);
}

/* The rows of a command, and those that all commands have. */
static void add_common_rows(atx_option rows[ATX_MAX_WORDS], const atx_option *table, const char **color)
{
    int count = 0;
    while (table[count].name && count < ATX_MAX_WORDS - 2) {
        rows[count] = table[count];
        count++;
    }
    rows[count++] =
        (atx_option){ "--color", ATX_OPT_TEXT, "auto|always|never",
                      "colours of text: auto (default) on terminals, unless $NO_COLOR is set", color };
    rows[count] = (atx_option){ .name = NULL };
}

/* A command whose --format has text, and was asked for nothing else. */
static bool prints_text(const atx_option *table)
{
    while (table->name && strcmp(table->name, "--format") != 0)
        table++;
    const char *format =
        table->name && strncmp(table->value, "text", 4) == 0 ? *(const char *const *)table->target : "none";
    return !format || strcmp(format, "text") == 0;
}

bool atx_command_options(const atx_usage *usage, const atx_option *table, int argc, char **argv,
                         atx_words *words, int *exit_code)
{
    at_error err = { 0 };
    bool help = false;
    ATX_LOCAL(atx_str) page = { 0 };
    const char *color = NULL;
    atx_option rows[ATX_MAX_WORDS];
    add_common_rows(rows, table, &color);
    *exit_code = ATX_EXIT_OK;
    if (argc == 2 && atx_describe(&page, argv[1], argv[0], usage, rows)) {
        fputs(atx_whole(&page), stdout);
        return false;
    }
    at_status status = atx_options_parse(rows, argc, argv, words, &help, &err);
    ATX_THEN(status, atx_terminal_color_option(color, &err));
    if (status == AT_OK && !help)
        status = name_all_folders(table, &err);
    if (status != AT_OK) {
        *exit_code = atx_complain(&err);
        return false;
    }
    if (help) {
        atx_options_help(&page, usage, rows, atx_help_width());
        atx_print(stdout, "%s", atx_whole(&page));
    } else if (prints_text(table)) {
        atx_terminal_fit_stdout();
    }
    return !help;
}

at_status atx_format_parse(atx_format *out, const char *text, at_error *err)
{
    static const char *const NAMES[] = { [ATX_TEXT] = "text", [ATX_JSON] = "json", [ATX_CSV] = "csv" };
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, NAMES[i]) == 0) {
            *out = (atx_format)i;
            return AT_OK;
        }
    if (text)
        return atx_fail(err, AT_ERR_USAGE, "--format: found '%s'; expected text, json or csv", text);
    *out = ATX_TEXT;
    return AT_OK;
}

at_status atx_format_text_or_json(bool *json, const char *text, const char *what, at_error *err)
{
    atx_format format = ATX_TEXT;
    if (text && strcmp(text, "csv") == 0)
        return atx_fail(err, AT_ERR_USAGE, "--format: found 'csv'; %s is text or json", what);
    at_status status = atx_format_parse(&format, text, err);
    *json = format == ATX_JSON;
    return status;
}

static at_status read_problem(atx_problem *out, const atx_words *words, const atx_catalog *catalog,
                              bool of_user, at_error *err)
{
    ATX_LOCAL(atx_str) line = { 0 };
    ATX_LOCAL(atx_shapes) shapes = { 0 };
    at_error cause = { 0 };

    if (words->count == 0)
        return atx_fail(err, AT_ERR_USAGE, "a shape is missing; expected for example 4096x4096 f32");
    for (int i = 0; i < words->count; i++)
        atx_str_addf(&line, "%s%s", i ? " " : "", words->items[i]);
    at_status status =
        atx_shapes_parse(&shapes, atx_str_text(&line), line.len, "command line", catalog, NULL, &cause);
    if (status != AT_OK)
        atx_fail(err, status, "%s", cause.text);
    else if (shapes.count > 1)
        status = atx_fail(err, AT_ERR_USAGE, "found %zu problems, '%s'; expected one", shapes.count,
                          atx_str_text(&line));
    else
        *out = shapes.problems[0];
    if (status == AT_OK && of_user)
        atx_note(atx_str_text(&shapes.notes));
    return status;
}

at_status atx_problem_from_words(atx_problem *out, const atx_words *words, const atx_catalog *catalog,
                                 at_error *err)
{
    return read_problem(out, words, catalog, true, err);
}

at_status atx_problem_of_words(atx_problem *out, const atx_words *words, const atx_catalog *catalog,
                               at_error *err)
{
    return read_problem(out, words, catalog, false, err);
}

/* One of each size. */
static const atx_dtype SIZES[] = { ATX_U8, ATX_F16, ATX_F32, ATX_F64, ATX_C128 };
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

bool atx_problem_of_answer(atx_problem *out, const atx_answer *a, const atx_catalog *catalog)
{
    atx_words line = { .items = { a->op, a->shape, a->type_key }, .count = 3 };
    for (int i = 0; i < SIZE_COUNT; i++)
        if (strcmp(atx_dtype_key(SIZES[i], true), a->type_key) == 0)
            line.items[2] = atx_dtype_name(SIZES[i]);
    return atx_problem_of_words(out, &line, catalog, NULL) == AT_OK;
}

void atx_add_tune_command(atx_str *out, const atx_problem *problem, const char *templates_dir, const char *db)
{
    atx_str_addf(out, "autotune tune %s ", problem->op->name);
    atx_problem_show(out, problem);
    atx_str_addf(out, " %s --device 0", atx_dtype_name(problem->type));
    if (templates_dir) {
        atx_str_add(out, " --templates ");
        atx_str_add_word(out, templates_dir);
    }
    atx_str_add(out, " --db ");
    atx_str_add_word(out, db);
}

at_status atx_arch_option(atx_limits *out, char *variant, const char *option, const char *text, at_error *err)
{
    at_error cause = { 0 };
    at_status status =
        variant ? atx_arch_parse_variant(out, variant, text, &cause) : atx_arch_parse(out, text, &cause);
    return status == AT_OK ? AT_OK : atx_fail(err, status, "%s: %s", option, cause.text);
}

int atx_types_to_check(const char *out[ATX_MAX_WORDS], const atx_words *named, const atx_op *op)
{
    int count = 0;
    if (named->count && strcmp(named->items[0], "all") != 0) {
        memcpy(out, named->items, sizeof named->items);
        return named->count;
    }
    for (int i = 0; op->storage && i < SIZE_COUNT; i++)
        out[count++] = atx_dtype_name(SIZES[i]);
    for (int i = 0; !op->storage && i < ATX_DTYPES; i++)
        if (op->types & (1u << i))
            out[count++] = atx_dtype_name((atx_dtype)i);
    return count;
}

at_status atx_unknown_op(const atx_catalog *catalog, const char *before, const char *word, at_error *err)
{
    const char *names[ATX_MAX_WORDS] = { NULL };
    for (int i = 0; i < atx_catalog_op_count(catalog) && i < ATX_MAX_WORDS - 1; i++)
        names[i] = atx_catalog_op_name(catalog, i);
    const char *near = atx_nearest(word, names);
    atx_fail(err, AT_ERR_USAGE,
             "%sno operation '%s'; %s%s%s`autotune list ops` shows them, --templates DIR "
             "adds those of a folder",
             before, word, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    return AT_ERR_USAGE;
}

at_status atx_known_template(const atx_catalog *catalog, const atx_problem *problems, size_t count,
                             const char *option, const char *name, at_error *err)
{
    ATX_LOCAL(atx_str) known = { 0 };
    const atx_op *op = problems[0].op;
    for (size_t i = 0; i < count; i++)
        if (atx_catalog_find_template(catalog, problems[i].op, name))
            return AT_OK;
    for (int i = 0; i < atx_catalog_template_count(catalog, op); i++)
        atx_str_addf(&known, " %s", atx_catalog_template(catalog, op, i)->name);
    atx_fail(err, AT_ERR_USAGE, "%s: no template '%s'; %s has:%s", option, name, op->name,
             atx_str_text(&known));
    return AT_ERR_USAGE;
}

at_status atx_config_option(const atx_template **t, atx_config *config, const atx_catalog *catalog,
                            const atx_problem *problem, const char *option, const char *text, at_error *err)
{
    char name[ATX_MAX_NAME];
    const size_t len = strcspn(text, " ");
    at_error cause = { 0 };
    if (!*t || !memchr(text, '=', len)) {
        if (len >= sizeof name)
            return atx_fail(err, AT_ERR_USAGE,
                            "%s: found a template's name of %zu characters; expected at most %zu", option,
                            len, sizeof name - 1);
        snprintf(name, sizeof name, "%.*s", (int)len, text);
        ATX_TRY(atx_known_template(catalog, problem, 1, option, name, err));
        *t = atx_catalog_find_template(catalog, problem->op, name);
        memcpy(config->values, (*t)->scope.defaults, sizeof config->values);
        text += len;
    }
    return atx_config_change(config, *t, text, &cause) == AT_OK
               ? AT_OK
               : atx_fail(err, AT_ERR_USAGE, "%s: %s", option, cause.text);
}

static at_status known_value(const atx_template *t, const atx_fix *fix, at_error *err)
{
    ATX_LOCAL(atx_str) known = { 0 };
    int i = atx_param_find(t, fix->param, strlen(fix->param));
    if (i >= 0 && atx_param_find_text(&t->scope.params[i], fix->value, strlen(fix->value)) >= 0)
        return AT_OK;
    for (int k = 0; i < 0 && k < t->scope.param_count; k++)
        atx_str_addf(&known, " %s", t->scope.params[k].name);
    for (int k = 0; i >= 0 && k < t->scope.params[i].count && k < 40; k++) {
        atx_str_add(&known, " ");
        atx_param_add_text(&known, &t->scope.params[i], t->scope.params[i].values[k]);
    }
    atx_fail(err, AT_ERR_USAGE, "--fix: found '%s.%s=%s'; expected %s%s", t->name, fix->param, fix->value,
             i < 0 ? "a parameter of this template:" : "one of", atx_str_text(&known));
    return AT_ERR_USAGE;
}

at_status atx_fixes_read(atx_fix *out, const atx_words *words, const atx_catalog *catalog,
                         const atx_problem *problems, size_t count, at_error *err)
{
    at_error cause = { 0 };
    for (int i = 0; i < words->count; i++) {
        if (atx_fix_parse(&out[i], words->items[i], &cause) != AT_OK)
            return atx_fail(err, AT_ERR_USAGE, "--fix: %s", cause.text);
        ATX_TRY(atx_known_template(catalog, problems, count, "--fix", out[i].template_name, err));
        for (size_t k = 0; k < count; k++) {
            const atx_template *t = atx_catalog_find_template(catalog, problems[k].op, out[i].template_name);
            if (t)
                ATX_TRY(known_value(t, &out[i], err));
        }
    }
    return AT_OK;
}

typedef struct adding {
    atx_catalog *catalog;
    at_status status;
    at_error *err;
} adding;

static bool add_recorded(void *context, const char *path, const char *text, size_t len)
{
    adding *a = context;
    a->status = atx_catalog_add(a->catalog, path, text, len, a->err);
    return a->status == AT_OK;
}

at_status atx_catalog_add_recorded_of(atx_catalog *catalog, atx_store *store, at_error *err)
{
    adding a = { .catalog = catalog, .err = err };
    at_status status = atx_store_each_recorded(store, add_recorded, &a, err);
    return status == AT_OK ? a.status : status;
}

at_status atx_catalog_add_recorded(atx_catalog *catalog, const char *path, at_error *err)
{
    ATX_CLOSED(atx_store) *store = NULL;
    if (access(path, F_OK) != 0)
        return AT_OK;
    ATX_TRY(atx_store_open_recording(&store, path, NULL, err));
    return atx_catalog_add_recorded_of(catalog, store, err);
}

at_status atx_catalog_add_replayed(atx_catalog *catalog, const char *device, at_error *err)
{
    atx_replay_spec replay;
    if (!device || !atx_device_is_replay(device))
        return AT_OK;
    at_status status = atx_device_replay_parse(&replay, device, err);
    ATX_THEN(status, atx_catalog_add_recorded(catalog, atx_str_text(&replay.file), err));
    atx_str_clear(&replay.file);
    return status;
}

void atx_warn_of_network(const char *path)
{
    char text[1400];
    const char *network = atx_store_network(path);
    if (!network)
        return;
    snprintf(
        text, sizeof text,
        "the database %.900s is on %s, a network file system, where SQLite's locks cannot be trusted: it may "
        "be damaged. Expected a local disk: --db /tmp/NAME.db, then `autotune dump --db /tmp/NAME.db -o "
        "FILE` to take it along and `autotune merge` to join several",
        path, network);
    atx_warn(text);
}

at_status atx_db_path(const char **out, const char *given, atx_str *keep, at_error *err)
{
    if (given) {
        *out = given;
        return AT_OK;
    }
    ATX_TRY(atx_store_default_path(keep, err));
    *out = atx_str_text(keep);
    return AT_OK;
}

at_status atx_named_store(const char *path, at_error *err)
{
    return access(path, F_OK) == 0 || errno != ENOENT || !*path || strncmp(path, "file:", 5) == 0 ||
                   strcmp(path, ":memory:") == 0
               ? AT_OK
               : atx_fail(err, AT_ERR_INPUT,
                          "%s: no such file; expected a database, or what `autotune dump -o FILE` writes",
                          path);
}

at_status atx_db_to_read(const char **out, const char *given, atx_str *keep, at_error *err)
{
    ATX_TRY(given ? atx_named_store(given, err) : AT_OK);
    return atx_db_path(out, given, keep, err);
}

at_status atx_use_cache(atx_tune_options *options, const char *limit, atx_str *keep, at_error *err)
{
    at_status status = atx_store_cache_path(keep, err);
    ATX_THEN(status, atx_store_cubin_limit(&options->cache_bytes, limit, err));
    options->cache_path = keep->len ? atx_str_text(keep) : NULL;
    return status;
}
