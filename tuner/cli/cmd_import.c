/* cmd_import.c - `autotune import`: recordings of other tuners, into a database. */
#include "cli/commands.h"
#include "exchange/import.h"
#include "util/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static const atx_usage USAGE = {
    "autotune import FILE... [--db FILE] [options]",
    "Imports what other programs measured into a database: cache files of Kernel Tuner and of Triton's "
    "autotuner, "
    "T4 results, JSON of KTT and CLBlast, and tables (CSV, JSON lines) with the columns of a configuration "
    "and "
    "then a time, such as time_us; plain or compressed by gzip. Each becomes an operation named after its "
    "kernel, "
    "with the time of every configuration or the reason of its failure; files of `dump --format t4` are "
    "restored "
    "unchanged. T1 declarations among the files add their conditions. To search an imported space without a "
    "GPU:\n"
    "  autotune tune --device replay:FILE --op OP SHAPE\n"
    "replay:FILE@NAME selects one of several devices in a database.\n"
    "Limits of a file: 256 MiB decompressed, 33554432 values and names, nested 64 deep, 2000000 trials; of a "
    "list or condition in Python: 64 KiB and 4096 values. At most 64 files at once, which take at most 2 GiB "
    "of memory.",
};
static_assert(ATX_JSON_MAX_TEXT == 256 << 20 && ATX_JSON_MAX_NODES == 33554432 && ATX_JSON_MAX_DEPTH == 64 &&
                  ATX_IMPORT_MAX_TRIALS == 2000000 && ATX_IMPORT_MAX_FILES == 64 &&
                  ATX_IMPORT_MAX_BYTES >> 30 == 2,
              "as the help says");

typedef struct import_args {
    const char *db, *name, *device;
    bool print, quiet;
    atx_catalog *own; /* built-in operations */
} import_args;

static bool is_taken(void *context, const char *name)
{
    const import_args *a = context;
    return atx_catalog_find_op(a->own, name) != NULL;
}

static void on_warning(void *context, const char *text)
{
    const import_args *a = context;
    if (!a->quiet)
        atx_warn(text);
}

/* An operation of our own would be hidden, or hide it. */
static at_status check_name(const atx_imported *item, const atx_catalog *own, at_error *err)
{
    if (!atx_catalog_find_op(own, item->op->name))
        return AT_OK;
    return atx_fail(err, AT_ERR_INPUT,
                    "%s: found operation %s, which autotune has itself; expected --name NAME", item->path,
                    item->op->name);
}

static at_status check_items(const atx_import *import, const atx_catalog *own, at_error *err)
{
    for (size_t i = 0; i < import->count; i++) {
        if (import->items[i].count == 0)
            return atx_fail(
                err, AT_ERR_INPUT,
                "%s: declares a space that none of the files recorded; expected its recording too, or "
                "--print",
                import->items[i].path);
        else
            ATX_TRY(check_name(&import->items[i], own, err));
    }
    return AT_OK;
}

/* Of a file, which is an item for each of its templates. */
static void tell(const atx_imported *item, int templates, const char *db)
{
    int64_t trials = 0, timed = 0;
    for (int i = 0; i < templates; i++) {
        trials += (int64_t)item[i].count;
        timed += item[i].outcomes[ATX_TIMED];
    }
    const char *type = atx_dtype_name(item->problem.type);
    ATX_LOCAL(atx_str) shape = { 0 }, replay = { 0 }, word = { 0 };
    atx_problem_shape(&shape, &item->problem);
    atx_str_addf(&replay, "replay:%s@%s", db, item->fingerprint.device); /* the file may say anything */
    atx_str_add_word(&word, atx_str_text(&replay));
    atx_print(stderr, "%s: %" PRId64 " trials of %s %s %s on %s, %" PRId64 " of them failed%s\n", item->path,
              trials, item->op->name, atx_str_text(&shape), type, item->fingerprint.device, trials - timed,
              item->torn ? " (the file ends early)" : "");
    atx_print(stderr, "  autotune tune --device %s --op %s '%s %s'\n", atx_str_text(&word), item->op->name,
              atx_str_text(&shape), type);
}

static at_status store_items(const atx_import *import, const char *db, const import_args *a, at_error *err)
{
    ATX_CLOSED(atx_store) *store = NULL;
    const atx_cancel cancel = { .flag = &atx_cancel_requested };
    ATX_TRY(atx_store_open(&store, db, ATX_STORE_WRITE, err));
    atx_store_set_cancel(store, &cancel);
    for (size_t i = 0; i < import->count; i++) {
        const atx_imported *item = &import->items[i];
        bool last = i + 1 == import->count || item[1].number == 0;
        ATX_TRY(atx_import_store(item, store, err));
        if (last && !a->quiet)
            tell(item - item->number, item->number + 1, db);
    }
    return AT_OK;
}

static at_status run(const atx_words *files, import_args *a, at_error *err)
{
    ATX_LOCAL(atx_import) import = { 0 };
    ATX_LOCAL(atx_str) keep = { 0 };
    const char *db = NULL;
    const atx_import_options options = {
        .name = a->name, .device = a->device, .context = a, .warning = on_warning, .is_taken = is_taken
    };
    at_status status = atx_catalog_open(&a->own, NULL, err);
    ATX_THEN(status, atx_import_read(&import, files->items, files->count, &options, err));
    for (size_t i = 0; a->print && i < import.count; i++)
        atx_print(stdout, "%s", atx_str_text(&import.items[i].declaration));
    if (status == AT_OK && !a->print) {
        status = check_items(&import, a->own, err);
        ATX_THEN(status, atx_db_path(&db, a->db, &keep, err));
        ATX_THEN(status, store_items(&import, db, a, err));
    }
    atx_catalog_close(a->own);
    return status;
}

int atx_cmd_import(int argc, char **argv)
{
    import_args a = { 0 };
    atx_words words = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK, index;
    const atx_option TABLE[] = {
        ATX_DB_OPTION(&a.db),
        { "--name", ATX_OPT_TEXT, "OP", "name of the operation (default: the kernel's)", &a.name },
        { "--device", ATX_OPT_TEXT, "NAME", "name of the device (default: as recorded, else the file's name)",
          &a.device },
        { "--print", ATX_OPT_FLAG, NULL, "print the declarations (templates/README.md) and store nothing",
          &a.print },
        { "--quiet", ATX_OPT_FLAG, NULL, "no summary, no warnings", &a.quiet },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = AT_OK;
    if (a.device && atx_device_is_index(&index, a.device))
        status = atx_fail(
            &err, AT_ERR_USAGE,
            "--device: found '%s', which means a GPU of this machine everywhere; expected the name of "
            "the device that was measured",
            a.device);
    else if (words.count == 0)
        status = atx_fail(&err, AT_ERR_USAGE,
                          "no file was given; expected recordings, such as cache files, T4 results or CSV");
    ATX_THEN(status, run(&words, &a, &err));
    return status == AT_OK ? code : atx_complain(&err);
}
