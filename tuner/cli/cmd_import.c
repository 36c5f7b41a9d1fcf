/* cmd_import.c - `autotune import`: what other tuners recorded, into a database. */
#include "cli/commands.h"
#include "exchange/import.h"
#include "util/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune import FILE... [--db FILE] [options]",
    "Reads spaces that other tuners recorded into a database: Kernel Tuner cache files and T4 results, plain "
    "or gzip'ed. Each becomes an operation named after its kernel, with the time of every configuration, or "
    "why it failed; what `dump --format t4` wrote comes back as it was. T1 declarations among the files add "
    "their conditions. Without a GPU,\n"
    "  autotune tune --device replay:FILE --op OP SHAPE\n"
    "then searches there; replay:FILE@NAME chooses one of several devices in a database.\n"
    "A file has at most 256 MiB, decompressed, 33554432 values and names in each other at most 64 deep, and "
    "2000000 trials; a list or condition in Python 64 KiB and 4096 values. Up to 64 files at once take at "
    "most 2 GiB of memory together.",
};
static_assert(AT__JSON_MAX_TEXT == 256 << 20 && AT__JSON_MAX_NODES == 33554432 && AT__JSON_MAX_DEPTH == 64 &&
                  AT__IMPORT_MAX_TRIALS == 2000000 && AT__IMPORT_MAX_FILES == 64 &&
                  AT__IMPORT_MAX_BYTES >> 30 == 2,
              "as the help says");

typedef struct import_args {
    const char *db, *name, *device;
    bool print, quiet;
    at__catalog *own; /* operations that come with autotune */
} import_args;

static bool is_taken(void *context, const char *name)
{
    const import_args *a = context;
    return at__catalog_find_op(a->own, name) != NULL;
}

static void on_warning(void *context, const char *text)
{
    const import_args *a = context;
    if (!a->quiet)
        at__warn(text);
}

/* An operation of our own would be hidden, or hide it. */
static at_status check_name(const at__imported *item, const at__catalog *own, at_error *err)
{
    if (!at__catalog_find_op(own, item->op->name))
        return AT_OK;
    return at_fail(err, AT_ERR_INPUT,
                   "%s: found operation %s, which autotune has itself; expected --name NAME", item->path,
                   item->op->name);
}

static at_status check_items(const at__import *import, const at__catalog *own, at_error *err)
{
    at_status status = AT_OK;
    for (size_t i = 0; i < import->count && status == AT_OK; i++) {
        if (import->items[i].count == 0)
            status = at_fail(
                err, AT_ERR_INPUT,
                "%s: declares a space that none of the files recorded; expected its recording too, or "
                "--print",
                import->items[i].path);
        else
            status = check_name(&import->items[i], own, err);
    }
    return status;
}

/* Of a file, which is an item for each of its templates. */
static void tell(const at__imported *item, int templates, const char *db)
{
    int64_t trials = 0, timed = 0;
    for (int i = 0; i < templates; i++) {
        trials += (int64_t)item[i].count;
        timed += item[i].outcomes[AT__TIMED];
    }
    const char *type = at__dtype_name(item->problem.type);
    at__str shape = { 0 };
    at__problem_shape(&shape, &item->problem);
    at__print(stderr, "%s: %" PRId64 " trials of %s %s %s on %s, %" PRId64 " of them failed%s\n", item->path,
              trials, item->op->name, at__str_text(&shape), type, item->fingerprint.device, trials - timed,
              item->torn ? " (the file ends early)" : "");
    at__print(stderr, "  autotune tune --device replay:%s --op %s '%s %s'\n", db, item->op->name,
              at__str_text(&shape), type);
    at__str_clear(&shape);
}

static at_status store_items(const at__import *import, const char *db, const import_args *a, at_error *err)
{
    at__store *store = NULL;
    const at__cancel cancel = { .flag = &at__cancel_requested };
    at_status status = at__store_open(&store, db, AT__STORE_WRITE, err);
    if (status == AT_OK)
        at__store_set_cancel(store, &cancel);
    for (size_t i = 0; i < import->count && status == AT_OK; i++) {
        const at__imported *item = &import->items[i];
        bool last = i + 1 == import->count || item[1].number == 0;
        status = at__import_store(item, store, err);
        if (status == AT_OK && last && !a->quiet)
            tell(item - item->number, item->number + 1, db);
    }
    at__store_close(store);
    return status;
}

static at_status run(const at__words *files, import_args *a, at_error *err)
{
    at__import import = { 0 };
    at__str keep = { 0 };
    const char *db = NULL;
    const at__import_options options = {
        .name = a->name, .device = a->device, .context = a, .warning = on_warning, .is_taken = is_taken
    };
    at_status status = at__catalog_open(&a->own, NULL, err);
    if (status == AT_OK)
        status = at__import_read(&import, files->items, files->count, &options, err);
    for (size_t i = 0; a->print && i < import.count; i++)
        at__print(stdout, "%s", at__str_text(&import.items[i].declaration));
    if (status == AT_OK && !a->print) {
        status = check_items(&import, a->own, err);
        if (status == AT_OK)
            status = at__db_path(&db, a->db, &keep, err);
        if (status == AT_OK)
            status = store_items(&import, db, a, err);
    }
    at__import_clear(&import);
    at__catalog_close(a->own);
    at__str_clear(&keep);
    return status;
}

int at__cmd_import(int argc, char **argv)
{
    import_args a = { 0 };
    at__words words = { 0 };
    at_error err = { 0 };
    int code = AT__EXIT_OK, index;
    const at__option TABLE[] = {
        AT__DB_OPTION(&a.db),
        { "--name", AT__OPT_TEXT, "OP", "name of the operation (default: the kernel's)", &a.name },
        { "--device", AT__OPT_TEXT, "NAME", "name of the device (default: as recorded, else the file's name)",
          &a.device },
        { "--print", AT__OPT_FLAG, NULL, "print the declarations (templates/README.md) and store nothing",
          &a.print },
        { "--quiet", AT__OPT_FLAG, NULL, "no summary, no warnings", &a.quiet },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = AT_OK;
    if (a.device && at__device_is_index(&index, a.device))
        status = at_fail(
            &err, AT_ERR_USAGE,
            "--device: found '%s', which means a GPU of this machine everywhere; expected the name of "
            "the device that was measured",
            a.device);
    else if (words.count == 0)
        status = at_fail(&err, AT_ERR_USAGE,
                         "no file was given; expected cache files, T4 results, T1 declarations");
    if (status == AT_OK)
        status = run(&words, &a, &err);
    return status == AT_OK ? code : at__complain(&err);
}
