/* cmd_report.c - `autotune report`: a database as one HTML page. Needs no GPU, never writes the database. */
#include "cli/commands.h"
#include "lang/metric_text.h"
#include "html/pack_page.h"
#include "html/report.h"
#include "lookup/compare.h"
#include "util/out_file.h"

static const atx_usage USAGE = {
    "autotune report [-o FILE] [options]\n       autotune report --pack NAME.json [-o FILE] [--templates "
    "DIR]",
    "Writes one self-contained HTML page that loads nothing, light or dark as the reader's system is: "
    "problems with their share of the ceiling, which template wins where, and for each problem the course of "
    "its search, the effect of each parameter, ties, its winners from run to run, conditions and failures. "
    "With --before what has changed since an earlier database. With --pack a pack: its kernels, which of "
    "them takes which sizes, what it is expected to lose and where.",
};

typedef struct report_args {
    const char *db, *before, *output, *templates_dir, *pack, *figures;
    atx_front front;
    atx_html_options options;
    atx_words words;
    atx_folder_words folders;
} report_args;

/* Where the winner's op is known here. */
static void add_metrics(void *context, atx_str *out, const atx_answer *a)
{
    atx_problem problem;
    if (atx_problem_of_answer(&problem, a, context))
        atx_metrics_phrase(out, &problem, ATX_RECORD_OF(&a->winner));
}

/* The earlier database beside the one that is reported on, as `autotune compare` does. */
static at_status compare_with(atx_comparison *out, const char *before, atx_store *after, const char *device,
                              at_error *err)
{
    static const double TOLERANCE = 0.01;
    ATX_CLOSED(atx_store) *store = NULL;
    ATX_TRY(atx_store_open_recording(&store, before, NULL, err));
    return atx_compare_stores(out, store, device, after, device, TOLERANCE, err);
}

static at_status report(atx_str *page, const report_args *a, at_error *err)
{
    ATX_LOCAL(atx_comparison) comparison = { 0 };
    ATX_LOCAL(atx_str) keep = { 0 };
    atx_html_options options = a->options;
    ATX_CLOSED(atx_store) *store = NULL;
    atx_catalog *catalog = NULL;
    atx_target device;
    at_status status = atx_db_to_read(&options.source, a->db, &keep, err);
    const atx_in_use uses[] = { { "the database", options.source, true },
                                { "the database", a->before, true },
                                { NULL, NULL, false } };
    ATX_THEN(status, atx_check_output("-o", a->output, uses, a->templates_dir, err));
    ATX_THEN(status, atx_open_catalog(&catalog, a->templates_dir, NULL, err));
    ATX_THEN(status, atx_store_open_recording(&store, options.source, NULL, err));
    ATX_THEN(status, atx_stored_device_option(&device, a->options.device, store, err));
    options.device = a->options.device ? device.name : NULL;
    options.add_metrics = add_metrics;
    options.context = catalog;
    options.before = a->before ? &comparison : NULL;
    options.before_source = a->before;
    if (status == AT_OK && a->before)
        status = compare_with(&comparison, a->before, store, options.device, err);
    ATX_THEN(status, atx_html_report(page, store, &options, err));
    atx_catalog_close(catalog);
    return status;
}

static at_status report_pack(atx_str *page, const report_args *a, at_error *err)
{
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    ATX_CLOSED(atx_pack_set) *set = NULL;
    const atx_in_use uses[] = { { "the pack", a->pack, true }, { NULL, NULL, false } };
    ATX_TRY(atx_check_output("-o", a->output, uses, a->templates_dir, err));
    ATX_TRY(atx_open_catalog(&catalog, a->templates_dir, NULL, err));
    ATX_TRY(atx_pack_read(&set, a->pack, catalog, err));
    return atx_html_pack(page, set, err);
}

int atx_cmd_report(int argc, char **argv)
{
    report_args a = { 0 };
    ATX_LOCAL(atx_str) page = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--output", ATX_OPT_TEXT, "FILE", "where to write (default and -: stdout)", &a.output },
        { "--pack", ATX_OPT_TEXT, "NAME.json",
          "a pack that `autotune pack` wrote, in the place of a database", &a.pack },
        { "--op", ATX_OPT_TEXT, "OP", "only this operation", &a.options.op },
        { "--shape", ATX_OPT_TEXT, "SHAPE", "only this shape, as `query` prints it", &a.options.shape },
        { "--device", ATX_OPT_TEXT, "N|NAME",
          "number of a GPU of this machine, or whole words of one device's name", &a.options.device },
        { "--db", ATX_OPT_TEXT, "FILE",
          "database or dump (default $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db)", &a.db },
        { "--before", ATX_OPT_TEXT, "FILE",
          "an earlier database or dump: what became slower or faster since, as `autotune compare` says",
          &a.before },
        { "--templates", ATX_OPT_TEXT, "DIR",
          "folder of further operations, for their metrics, DIR/<op>/op.cu", &a.templates_dir },
        { "--front", ATX_OPT_TEXT, "FIGURE,FIGURE",
          "show of each problem the trials that no other one beats in all of these: time, energy_j, "
          "registers, shared_bytes, spill_bytes",
          &a.figures },
        ATX_FOLDER_OPTIONS(&a.folders),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    at_status status = AT_OK;
    if (a.words.count)
        status = atx_fail(&err, AT_ERR_USAGE, "report: found '%s'; expected only options", a.words.items[0]);
    if (status == AT_OK && a.pack)
        status = atx_options_only_with(TABLE, "--pack", ATX_WITH_PACK, &err);
    if (status == AT_OK && a.figures)
        status = atx_front_parse(&a.front, a.figures, NULL, &err);
    a.options.front = a.figures ? &a.front : NULL;
    ATX_THEN(status, a.pack ? report_pack(&page, &a, &err) : report(&page, &a, &err));
    ATX_THEN(status, atx_out_write_all(a.output, atx_str_text(&page), page.len, &err));
    return status == AT_OK ? code : atx_complain(&err);
}
