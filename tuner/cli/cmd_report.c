/* cmd_report.c - `autotune report`: a database as one HTML page. Needs no GPU, never writes the database. */
#include "cli/commands.h"
#include "cli/metrics.h"
#include "html/report.h"
#include "util/out_file.h"

static const at__usage USAGE = {
    "autotune report [-o FILE] [options]",
    "Writes one HTML page, light or dark as the reader's system is, without scripts and with nothing from "
    "elsewhere: problems with their shares of the ceiling, where which template wins, and for each problem "
    "the course of its search, the effect of each parameter, ties, conditions and failures.",
};

typedef struct report_args {
    const char *db, *output, *templates_dir;
    at__html_options options;
    at__words words;
    at__folder_words folders;
} report_args;

/* Where the winner's op is known here. */
static void add_metrics(void *context, at__str *out, const at__answer *a)
{
    at__problem problem;
    if (at__problem_of_answer(&problem, a, context))
        at__metrics_phrase(out, &problem, AT__RECORD_OF(&a->winner));
}

static at_status report(at__str *page, const report_args *a, at_error *err)
{
    at__str keep = { 0 };
    at__html_options options = a->options;
    at__store *store = NULL;
    at__catalog *catalog = NULL;
    at__target device;
    at_status status = at__db_path(&options.source, a->db, &keep, err);
    const at__in_use uses[] = { { "the database", options.source, true }, { NULL, NULL, false } };
    if (status == AT_OK)
        status = at__check_output("-o", a->output, uses, a->templates_dir, err);
    if (status == AT_OK)
        status = at__open_catalog(&catalog, a->templates_dir, NULL, err);
    if (status == AT_OK)
        status = at__store_open_recording(&store, options.source, err);
    if (status == AT_OK)
        status = at__stored_device_option(&device, a->options.device, store, err);
    options.device = a->options.device ? device.name : NULL;
    options.add_metrics = add_metrics;
    options.context = catalog;
    if (status == AT_OK)
        status = at__html_report(page, store, &options, err);
    at__store_close(store);
    at__catalog_close(catalog);
    at__str_clear(&keep);
    return status;
}

int at__cmd_report(int argc, char **argv)
{
    report_args a = { 0 };
    at__str page = { 0 };
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "-o", AT__OPT_TEXT, "FILE", "where to write (default and -: stdout)", &a.output },
        { "--output", AT__OPT_TEXT, "FILE", "the same", &a.output },
        { "--op", AT__OPT_TEXT, "OP", "this operation only", &a.options.op },
        { "--shape", AT__OPT_TEXT, "SHAPE", "this shape only, as `query` prints it", &a.options.shape },
        { "--device", AT__OPT_TEXT, "N|NAME",
          "a GPU of this machine by its number, or the only device whose name has these words",
          &a.options.device },
        { "--db", AT__OPT_TEXT, "FILE",
          "database or dump (default $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db)", &a.db },
        { "--templates", AT__OPT_TEXT, "DIR", "more operations, for their metrics: DIR/<op>/op.cu",
          &a.templates_dir },
        AT__FOLDER_OPTIONS(&a.folders),
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    at_status status = AT_OK;
    if (a.words.count)
        status = at_fail(&err, AT_ERR_USAGE, "report: found '%s'; expected options alone", a.words.items[0]);
    if (status == AT_OK)
        status = report(&page, &a, &err);
    if (status == AT_OK)
        status = at__out_write_all(a.output, at__str_text(&page), page.len, &err);
    at__str_clear(&page);
    return status == AT_OK ? code : at__complain(&err);
}
