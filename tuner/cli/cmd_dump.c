/* cmd_dump.c - `autotune dump`: a database as text. */
#include "cli/commands.h"
#include "db/store.h"
#include "exchange/kernel_tuner.h"
#include "exchange/t4.h"
#include "util/out_file.h"

#include <stdlib.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune dump [--db FILE] [-o FILE] [options]",
    "Writes a database as JSON lines, one object for each trial, winner and template text; db/files.md "
    "describes them, and `autotune merge` reads them. Equal databases have equal dumps. With --compact the "
    "dump is a recording for --device replay:FILE.",
};

typedef at_status dump_format(atx_store *store, const atx_dump_options *options, atx_line_sink *sink,
                              void *context, at_error *err);

static const struct {
    const char *name;
    dump_format *write;
    bool one_problem; /* all trials of one; --template chooses among them */
} FORMATS[] = { { "jsonl", atx_store_dump, false },
                { "t4", atx_t4_write, true },
                { "kernel-tuner", atx_kernel_tuner_write, true } };
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

typedef struct dump_args {
    const char *db, *output, *op, *device, *shapes, *templates_dir, *format, *template_name;
    int number; /* of the format */
    int64_t best;
    atx_folder_words folders;
    bool compact;
} dump_args;

/* The problems of --shapes as the store names them. */
typedef struct keys {
    atx_problem_key *items;
    atx_str *shapes;
    size_t count;
} keys;

static void keys_clear(keys *k)
{
    for (size_t i = 0; i < k->count; i++)
        atx_str_clear(&k->shapes[i]);
    free(k->items);
    free(k->shapes);
}

static at_status keys_of(keys *out, const atx_shapes *shapes, at_error *err)
{
    at_status status = AT_OK;
    out->items = calloc(shapes->count + 1, sizeof *out->items);
    out->shapes = calloc(shapes->count + 1, sizeof *out->shapes);
    if (!out->items || !out->shapes)
        return atx_no_memory(err);
    for (size_t i = 0; i < shapes->count && status == AT_OK; i++) {
        status = atx_problem_key_of(&out->items[i], &out->shapes[i], &shapes->problems[i], err);
        out->count++;
    }
    return status;
}

static at_status read_keys(keys *out, const dump_args *a, at_error *err)
{
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    ATX_LOCAL(atx_shapes) shapes = { 0 };
    if (!a->shapes)
        return AT_OK;
    ATX_TRY(atx_open_catalog(&catalog, a->templates_dir, NULL, err));
    ATX_TRY(atx_shapes_read(&shapes, a->shapes, catalog, NULL, err));
    return keys_of(out, &shapes, err);
}

static bool write_line(void *context, const char *line)
{
    return !atx_cancel_requested && atx_out_write(context, line, strlen(line)) &&
           atx_out_write(context, "\n", 1);
}

static at_status write_dump(const char *path, const dump_args *a, const keys *k, at_error *err)
{
    ATX_CLOSED(atx_store) *store = NULL;
    atx_out_file *file = NULL;
    atx_target device;
    atx_dump_options options = { .compact = a->compact,
                                 .best = a->best,
                                 .op = a->op,
                                 .device = a->device ? device.name : NULL,
                                 .problems = k->items,
                                 .problem_count = k->count,
                                 .template_name = a->template_name };
    const atx_in_use uses[] = { { "the database", path, true },
                                { "the shapes file", a->shapes, false },
                                { NULL, NULL, false } };
    at_status status = atx_check_output("-o", a->output, uses, a->templates_dir, err);
    ATX_THEN(status, atx_store_open_recording(&store, path, NULL, err));
    ATX_THEN(status, atx_stored_device_option(&device, a->device, store, err));
    ATX_THEN(status, atx_out_open(&file, a->output, err));
    ATX_THEN(status, FORMATS[a->number].write(store, &options, write_line, file, err));
    if (status == AT_OK && atx_cancel_requested)
        status = atx_fail(err, AT_ERR_CANCELLED, "interrupted; the dump is not complete");
    if (status == AT_OK)
        status = atx_out_commit(file, err);
    else
        atx_out_discard(file);
    return status;
}

static at_status check_format(dump_args *a, at_error *err)
{
    while (a->number < FORMAT_COUNT && a->format && strcmp(a->format, FORMATS[a->number].name) != 0)
        a->number++;
    if (a->number == FORMAT_COUNT)
        return atx_fail(err, AT_ERR_USAGE, "--format: found '%s'; expected jsonl, t4 or kernel-tuner",
                        a->format);
    if (a->best && FORMATS[a->number].one_problem)
        return atx_fail(err, AT_ERR_USAGE, "--best: found --format %s, which has all trials", a->format);
    if (a->template_name && !FORMATS[a->number].one_problem)
        return atx_fail(err, AT_ERR_USAGE,
                        "--template: expected --format t4 or kernel-tuner; a dump has all templates");
    return AT_OK;
}

int atx_cmd_dump(int argc, char **argv)
{
    dump_args a = { 0 };
    atx_words words = { 0 };
    ATX_LOCAL(atx_str) keep = { 0 };
    ATX_LOCAL(keys) k = { 0 };
    const char *path = NULL;
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--output", ATX_OPT_TEXT, "FILE", "where to write (default and -: stdout)", &a.output },
        ATX_DB_OPTION(&a.db),
        { "--op", ATX_OPT_TEXT, "OP", "only this operation", &a.op },
        { "--device", ATX_OPT_TEXT, "N|NAME",
          "only this device: number of a GPU of this machine, or whole words of one device's name",
          &a.device },
        { "--shapes", ATX_OPT_TEXT, "FILE",
          "only the problems of this shapes file, and other operations (such as copy) on the same shapes",
          &a.shapes },
        { "--templates", ATX_OPT_TEXT, "DIR",
          "folder of further operations for the shapes file, DIR/<op>/*.cu", &a.templates_dir },
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--compact", ATX_OPT_FLAG, NULL,
          "only what a replay needs: each line has the differences to the line before, numbers have five "
          "digits, and there are no template texts",
          &a.compact },
        { "--best", ATX_OPT_COUNT, "N",
          "only the N fastest trials of each template and problem, which suffice for near answers (default "
          "0: all)",
          &a.best },
        { "--format", ATX_OPT_TEXT, "jsonl|t4|kernel-tuner",
          "jsonl (default): for merge and replays; t4: the newest trials of one problem on one device as T4 "
          "results, for other tools; kernel-tuner: those of one template as a cache file of Kernel Tuner",
          &a.format },
        { "--template", ATX_OPT_TEXT, "NAME", "with t4 and kernel-tuner: only this template",
          &a.template_name },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &words, &code))
        return code;
    at_status status = AT_OK;
    if (words.count)
        status = atx_fail(&err, AT_ERR_USAGE, "found '%s'; expected only options", words.items[0]);
    ATX_THEN(status, check_format(&a, &err));
    ATX_THEN(status, read_keys(&k, &a, &err));
    ATX_THEN(status, atx_db_to_read(&path, a.db, &keep, &err));
    ATX_THEN(status, write_dump(path, &a, &k, &err));
    if (status != AT_OK)
        code = atx_complain(&err);
    return code;
}
