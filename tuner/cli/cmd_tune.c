/* cmd_tune.c - `autotune [tune]`: options and shapes in, one row a problem out. */
#include "cli/commands.h"
#include "cli/process.h"
#include "device/device.h"
#include "cli/progress.h"
#include "lang/metric_text.h"
#include "lookup/learned.h"
#include "cli/over_ranks.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "tune/shard.h"
#include "tune/tune.h"
#include "util/clock.h"
#include "util/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune [tune] --device 0 --shapes FILE [options]\n       autotune tune [OP] SHAPE [DTYPE] [options]",
    "Compiles, verifies and times the configurations of all templates for each problem, stores every trial "
    "and prints the winner of each. A problem that is already tuned under the same conditions is answered "
    "from the database. Results go to stdout, everything else to stderr.\n"
    "\n"
    "A shapes file has one problem a line: 4096x4096, or 8x4096x128 f16 (batched), or transpose 512 2048 u8. "
    "A comment begins with #.",
};

typedef struct tune_args {
    const char *shapes, *shard, *within, *front, *db, *dtype, *op, *strategy, *format, *templates_dir, *trace,
        *cache_limit;
    atx_words words, devices, fix, templates, ld, align;
    atx_folder_words folders;
    int64_t max_trials, seed, jobs;
    double budget_s, tune_for_s;
    bool force, warm, no_cache, no_learn, quiet, verbose;
} tune_args;

/* The context of the events. */
typedef struct output {
    atx_report_layout layout;
    bool quiet;
    atx_display display;
    atx_totals totals;
    bool head_printed;
} output;

static void on_progress(void *context, const atx_progress *progress)
{
    output *o = context;
    atx_display_show(&o->display, progress);
}

static void print_head(const output *o)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_report_head(&text, &o->layout);
    if (o->layout.format == ATX_TEXT)
        atx_paint(stdout, ATX_BOLD, atx_whole(&text));
    else
        atx_put(stdout, atx_whole(&text));
}

/* Lines below the figures are details. */
static void print_row(const char *row)
{
    const size_t first = strcspn(row, "\n") + 1;
    atx_print(stdout, "%.*s", (int)first, row);
    if (row[first - 1] && row[first])
        atx_paint(stdout, ATX_DIM, row + first);
}

static void on_result(void *context, const atx_result *result)
{
    output *o = context;
    ATX_LOCAL(atx_str) text = { 0 };
    atx_display_erase(&o->display);
    if (!o->head_printed)
        print_head(o);
    o->head_printed = true;
    atx_report_result(&text, &o->layout, result);
    print_row(atx_whole(&text));
    atx_str_reset(&text);
    if (o->layout.format == ATX_TEXT && o->display.verbose && result->found)
        atx_metrics_lines(&text, result->problem, ATX_RECORD_OF(&result->answer->winner));
    atx_print(stdout, "%s", atx_whole(&text));
    fflush(stdout);
    atx_totals_add(&o->totals, result);
    atx_display_finished(&o->display, result->found && !result->from_store, atx_now_s());
}

/* What answers for the problems that were not tuned are worth. */
static void on_population(void *context, const atx_population_loss *loss)
{
    output *o = context;
    ATX_LOCAL(atx_str) text = { 0 };
    atx_display_erase(&o->display);
    if (o->quiet)
        return;
    atx_str_addf(&text, "%zu problems are tuned; `autotune query --shapes` answers for %zu of the %zu others",
                 loss->tuned, loss->answered, loss->others);
    if (loss->mean >= 0)
        atx_str_addf(&text,
                     " by prediction, which is expected to be slower than tuning by %.1f %% in the mean",
                     100 * loss->mean);
    if (loss->checked)
        atx_str_addf(&text,
                     "; of %zu problem%s drawn at random, predictions made before tuning lose %.1f %% in the "
                     "mean, %s %.1f %%",
                     loss->checked, loss->checked == 1 ? "" : "s", 100 * loss->checked_mean,
                     atx_most_of((int64_t)loss->checked), 100 * loss->checked_most);
    atx_print_line(stderr, 0, atx_whole(&text));
}

static void on_warning(void *context, const char *text)
{
    output *o = context;
    atx_display_erase(&o->display);
    if (!o->quiet)
        atx_warn(text);
}

/* Everything that a run needs, checked before anything is started. */
typedef struct plan {
    atx_catalog *catalog;
    atx_shapes shapes;
    atx_tune_options options;
    atx_population_plan population;
    atx_front front;
    atx_fix fixes[ATX_MAX_WORDS];
    const char *devices[ATX_MAX_WORDS];
    atx_str db, cache, command;
    atx_format format;
    atx_over_ranks over; /* several ranks of MPI */
} plan;

static void plan_clear(plan *p)
{
    atx_shapes_clear(&p->shapes);
    atx_catalog_close(p->catalog);
    atx_str_clear(&p->db);
    atx_str_clear(&p->cache);
    atx_str_clear(&p->command);
    atx_over_ranks_clear(&p->over);
}

static at_status add_device(plan *p, const char *spec, at_error *err)
{
    const char **devices = p->devices;
    at_status status = atx_device_spec_parse(spec, err);
    for (int i = 0; i < p->options.device_count && status == AT_OK; i++) {
        bool replay = atx_device_is_replay(spec);
        if ((replay || atx_device_is_replay(devices[i])) && strcmp(spec, devices[i]) != 0)
            status = atx_fail(err, AT_ERR_USAGE,
                              "--device: found %s and %s; expected one recording, which may be there several "
                              "times: as many devices",
                              devices[i], spec);
        else if (!replay && strtol(devices[i], NULL, 10) == strtol(spec, NULL, 10))
            status = atx_fail(err, AT_ERR_USAGE, "--device: %s is there twice", spec);
    }
    devices[p->options.device_count++] = spec;
    return status;
}

static at_status plan_devices(plan *p, const atx_words *words, at_error *err)
{
    p->options.devices = p->devices;
    if (words->count == 0)
        return add_device(p, "0", err);
    if (words->count == 1 && strcmp(words->items[0], "all") == 0)
        return AT_OK; /* no list: every device */
    for (int i = 0; i < words->count; i++)
        ATX_TRY(add_device(p, words->items[i], err));
    return AT_OK;
}

/* The results of a replay have a database of their own, unless the user names one. */
static at_status plan_db(plan *p, const char *given, at_error *err)
{
    if (given || p->options.device_count == 0 || !atx_device_is_replay(p->options.devices[0]))
        return atx_db_path(&p->options.db_path, given, &p->db, err);
    at_status status = atx_store_replay_path(&p->db, err);
    p->options.db_path = atx_str_text(&p->db);
    return status;
}

static at_status plan_strategy(plan *p, const char *name, at_error *err)
{
    ATX_LOCAL(atx_str) known = { 0 };
    if (!name || (p->options.strategy = atx_strategy_find(name)))
        return AT_OK;
    for (int i = 0; atx_strategies[i]; i++)
        atx_str_addf(&known, " %s", atx_strategies[i]->name);
    atx_fail(err, AT_ERR_USAGE, "--strategy: found '%s'; expected one of:%s", name, atx_str_text(&known));
    return AT_ERR_USAGE;
}

/* "3%" or "3". */
static at_status read_within(double *out, const char *text, at_error *err)
{
    char *end = NULL;
    *out = strtod(text, &end) / 100;
    if (end == text || (*end && strcmp(end, "%") != 0) || !(*out > 0) || *out > 10)
        return atx_fail(err, AT_ERR_USAGE, "--within: found '%s'; expected a loss such as 3%%", text);
    return AT_OK;
}

#define UNSAID (-1)

static at_status plan_population(plan *p, const tune_args *a, at_error *err)
{
    if (!a->within && !(a->tune_for_s > 0))
        return AT_OK;
    if (a->no_learn)
        return atx_fail(err, AT_ERR_USAGE,
                        "found %s and --no-learn; expected one of them, since a model answers "
                        "for the problems that are not tuned",
                        a->within ? "--within" : "--tune-for");
    p->options.population = &p->population;
    if (a->max_trials == UNSAID)
        p->options.max_trials = ATX_TRIALS_OF_POPULATION;
    p->population.until_s = a->tune_for_s > 0 ? atx_now_s() + a->tune_for_s : 0;
    return a->within ? read_within(&p->population.within, a->within, err) : AT_OK;
}

static at_status plan_restrictions(plan *p, const tune_args *a, at_error *err)
{
    const atx_problem *problems = p->shapes.problems;
    size_t count = p->shapes.count;
    at_status status = atx_fixes_read(p->fixes, &a->fix, p->catalog, problems, count, err);
    for (int i = 0; i < a->templates.count && status == AT_OK; i++)
        status = atx_known_template(p->catalog, problems, count, "--only", a->templates.items[i], err);
    p->options.fixes = p->fixes;
    p->options.fix_count = a->fix.count;
    p->options.templates = a->templates.count ? a->templates.items : NULL;
    p->options.template_count = a->templates.count;
    return status;
}

static at_status add_words(plan *p, const atx_words *words, const atx_shape_defaults *defaults, at_error *err)
{
    ATX_LOCAL(atx_str) line = { 0 };
    for (int i = 0; i < words->count; i++)
        atx_str_addf(&line, "%s%s", i ? " " : "", words->items[i]);
    return atx_shapes_parse(&p->shapes, atx_str_text(&line), line.len, "command line", p->catalog, defaults,
                            err);
}

/* Of an option that replaces words of a shape: "--ld 4160,4352", "--align 16,4". */
typedef struct numbers_option {
    const char *name, *expected;
    int max;
} numbers_option;

static const numbers_option LD = { "--ld", "elements from row to row, as in --ld 4160,4352",
                                   ATX_MAX_PITCHES };
static const numbers_option ALIGN = { "--align", "bytes, as in --align 4 or --align 16,4", ATX_MAX_ALIGNS };

static at_status read_numbers(int64_t *out, int *count, const atx_words *words, const numbers_option *o,
                              at_error *err)
{
    if (words->count > o->max)
        return atx_fail(err, AT_ERR_USAGE, "%s: found %d numbers; expected at most %d", o->name, words->count,
                        o->max);
    for (int i = 0; i < words->count; i++) {
        if (atx_whole_parse(&out[i], words->items[i]) || out[i] < 1)
            return atx_fail(err, AT_ERR_USAGE, "%s: found '%s'; expected %s", o->name, words->items[i],
                            o->expected);
    }
    *count = words->count;
    return AT_OK;
}

static at_status plan_shapes(plan *p, const tune_args *a, at_error *err)
{
    int64_t pitches[ATX_MAX_PITCHES] = { 0 }, aligns[ATX_MAX_ALIGNS] = { 0 };
    atx_dtype type = ATX_DEFAULT_TYPE;
    atx_shape_defaults defaults = {
        .op = a->op, .type = a->dtype ? &type : NULL, .pitches = pitches, .aligns = aligns
    };
    at_error cause = { 0 };
    at_status status = atx_open_catalog(&p->catalog, a->templates_dir, NULL, err);
    if (status == AT_OK && p->options.device_count)
        status = atx_catalog_add_replayed(p->catalog, p->devices[0], err);
    if (status == AT_OK && a->op && !atx_catalog_find_op(p->catalog, a->op))
        status = atx_unknown_op(p->catalog, "--op: ", a->op, err);
    if (status == AT_OK && a->dtype && atx_dtype_parse(&type, a->dtype, strlen(a->dtype), &cause))
        status = atx_fail(err, AT_ERR_USAGE, "--dtype: %s", cause.text);
    ATX_THEN(status, read_numbers(pitches, &defaults.pitch_count, &a->ld, &LD, err));
    ATX_THEN(status, read_numbers(aligns, &defaults.align_count, &a->align, &ALIGN, err));
    if (status != AT_OK)
        return status;
    if (a->shapes && a->words.count)
        return atx_fail(err, AT_ERR_USAGE, "found both --shapes and '%s'; expected one of them",
                        a->words.items[0]);
    if (a->shapes)
        return atx_shapes_read(&p->shapes, a->shapes, p->catalog, &defaults, err);
    if (a->words.count)
        return add_words(p, &a->words, &defaults, err);
    return atx_fail(err, AT_ERR_USAGE,
                    "no problem was given; expected --shapes FILE, or a shape such as 4096x4096 f32");
}

/* After all checks of all problems: an error then ends every task of an array. */
static at_status plan_shard(plan *p, const char *text, at_error *err)
{
    atx_shard shard = { 0 };
    ATX_TRY(atx_shard_parse(&shard, text, err));
    return atx_shard_take(&p->shapes, &shard, err);
}

static at_status check_trace(const plan *p, const tune_args *a, at_error *err)
{
    atx_replay_spec recording = { .pace = 0 };
    bool replay = p->options.device_count && atx_device_is_replay(p->options.devices[0]);
    at_status status =
        a->trace && replay ? atx_device_replay_parse(&recording, p->options.devices[0], err) : AT_OK;
    const atx_in_use uses[] = { { "the database", p->options.db_path, true },
                                { "the cache of compiled kernels", p->options.cache_path, true },
                                { "the recording", atx_str_text(&recording.file), true },
                                { "the shapes file", a->shapes, false },
                                { NULL, NULL, false } };
    if (status == AT_OK && a->trace)
        status = atx_check_output("--trace", a->trace, uses, a->templates_dir, err);
    atx_str_clear(&recording.file);
    return status;
}

static at_status make_plan(plan *p, const tune_args *a, at_error *err)
{
    atx_tune_options *o = &p->options;
    *o = (atx_tune_options){ .seed = (uint64_t)a->seed,
                             .max_trials = a->max_trials == UNSAID ? 0 : a->max_trials,
                             .budget_s = a->budget_s,
                             .jobs = (int)(a->jobs < 1024 ? a->jobs : 1024),
                             .force = a->force,
                             .warm = a->warm,
                             .command = atx_str_text(&p->command),
                             .cancel = &atx_cancel_requested };
    at_status status = atx_format_parse(&p->format, a->format, err);
    ATX_THEN(status, plan_devices(p, &a->devices, err));
    ATX_THEN(status, plan_strategy(p, a->strategy, err));
    ATX_THEN(status, plan_shapes(p, a, err));
    ATX_THEN(status, plan_restrictions(p, a, err));
    ATX_THEN(status, plan_population(p, a, err));
    if (status == AT_OK && a->front) {
        status = atx_front_parse(&p->front, a->front, NULL, err);
        p->options.front = &p->front;
    }
    if (status == AT_OK && a->shard)
        status = plan_shard(p, a->shard, err);
    ATX_THEN(status, plan_db(p, a->db, err));
    if (status == AT_OK && !a->no_cache)
        status = atx_use_cache(o, a->cache_limit, &p->cache, err);
    return status == AT_OK ? check_trace(p, a, err) : status;
}

/* Trains the model with the new measurements. A failure here is no failure of tuning. */
static void learn(const plan *p, const tune_args *a)
{
    at_error err = { 0 };
    ATX_LOCAL(atx_str) text = { 0 };
    int64_t trials = 0;
    atx_model *model = NULL;
    atx_training_samples part;
    double began_s = atx_now_s();
    const atx_learning learning = { .db = p->options.db_path,
                                    .catalog = p->catalog,
                                    .more = ATX_MORE_TO_LEARN,
                                    .cancel = &atx_cancel_requested };
    at_status status = atx_learned_renew(&model, &learning, &err);
    for (int i = 0; atx_model_of_op(&part, model, i); i++)
        trials += part.trials;
    atx_model_close(model);
    if (status == AT_ERR_CANCELLED || a->quiet)
        return;
    if (status != AT_OK) {
        atx_str_addf(&text, "the model has not learned from what was measured: %s", err.text);
        atx_warn(atx_whole(&text));
    } else if (trials) {
        atx_print(stderr, "learned from %" PRId64 " trials, in %.1f s\n", trials, atx_now_s() - began_s);
    }
}

/* The other tasks of a job have more results, and a recording has its own past only. */
static bool may_learn(const plan *p, const tune_args *a)
{
    bool replay = p->options.device_count && atx_device_is_replay(p->options.devices[0]);
    return !a->no_learn && !a->shard && !replay && !atx_cancel_requested && !p->options.population;
}

static int run_plan(plan *p, const tune_args *a)
{
    at_error err = { 0 }, cause = { 0 };
    int traced = ATX_EXIT_OK;
    output out = {
        .layout = { .format = p->format, .width = atx_terminal_width(stdout), .front = p->options.front },
        .quiet = a->quiet,
        .totals.listed = (int64_t)p->shapes.count
    };
    atx_tune_events events = { .context = &out,
                               .progress = on_progress,
                               .result = on_result,
                               .warning = on_warning,
                               .population = on_population };
    double started_s = atx_now_s();

    atx_display_init(&out.display, a->quiet, a->verbose);
    atx_report_fit(&out.layout, p->shapes.problems, p->shapes.count);
    if (!a->quiet) {
        atx_warn_of_network(p->options.db_path);
        atx_note(atx_str_text(&p->shapes.notes));
    }
    at_status status = a->trace ? atx_trace_open(&p->options.trace, a->trace, &err) : AT_OK;
    atx_process_take_time();
    if (status == AT_OK && p->over.ranks)
        status = atx_over_ranks_plan(&p->over, &p->options, &a->devices, a->quiet, &err);
    ATX_THEN(status, atx_tune(p->shapes.problems, p->shapes.count, p->catalog, &p->options, &events, &err));
    atx_display_erase(&out.display);
    if (atx_trace_close(p->options.trace, &cause) != AT_OK)
        traced = atx_complain(&cause);
    if (!a->quiet && out.totals.problems) {
        ATX_LOCAL(atx_str) text = { 0 };
        atx_report_totals(&text, &out.totals, atx_now_s() - started_s);
        atx_print_line(stderr, 0, atx_str_text(&text));
    }
    if (status != AT_OK)
        return atx_complain(&err);
    if (may_learn(p, a))
        learn(p, a);
    if (atx_cancel_requested)
        return ATX_EXIT_INTERRUPTED;
    return out.totals.found == out.totals.problems ? traced : ATX_EXIT_NOTHING;
}

static void remember_command(atx_str *out, int argc, char **argv)
{
    atx_str_add(out, "autotune");
    for (int i = 0; i < argc; i++)
        atx_str_addf(out, " %s", argv[i]);
}

/* The help of --op and --dtype: the defaults are declared elsewhere. */
typedef struct default_help {
    char op[128], type[64];
} default_help;

static default_help say_defaults(void)
{
    default_help h;
    char op[ATX_MAX_NAME];
    atx_catalog_default_name(op);
    snprintf(h.op, sizeof h.op, "operation of problems that name none (default %s)", op);
    snprintf(h.type, sizeof h.type, "type of problems that name none (default %s)",
             atx_dtype_name(ATX_DEFAULT_TYPE));
    return h;
}

static int carry_out(plan *p, tune_args *a)
{
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    if (make_plan(p, a, &err) != AT_OK)
        code = atx_complain(&err);
    else if (p->shapes.count)
        code = run_plan(p, a);
    else if (!a->quiet) /* an array may have more tasks than problems: that is no failure */
        atx_print(stderr, "--shard %s: no problem is left for this share\n", a->shard);
    return code;
}

static int tune(atx_ranks *ranks, int argc, char **argv)
{
    const default_help defaults = say_defaults();
    tune_args a = { .max_trials = UNSAID, .seed = 1 };
    ATX_LOCAL(plan) p = { .over.ranks = ranks };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--device", ATX_OPT_LIST, "0[,1...]|all|replay:FILE",
          "CUDA devices (default 0); devices of one model share the problems, and in the end the "
          "configurations of the last problems. replay:FILE needs no GPU: it answers with the trials of a "
          "database or dump (replay:FILE@NAME if that has several devices)",
          &a.devices },
        { "--shapes", ATX_OPT_TEXT, "FILE", "problems, one a line; - reads stdin", &a.shapes },
        { "--shard", ATX_OPT_TEXT, "I/N",
          "tune the I-th of N shares of the problems, which have equal expected cost; for job arrays in "
          "which every task has its own database (tools/slurm), merged by `autotune merge`",
          &a.shard },
        { "--dtype", ATX_OPT_TEXT, "TYPE", defaults.type, &a.dtype },
        { "--trace", ATX_OPT_TEXT, "FILE",
          "write when compilers, queue, device and database were busy, for chrome://tracing or "
          "ui.perfetto.dev",
          &a.trace },
        { "--ld", ATX_OPT_LIST, "IN,OUT",
          "leading dimensions, in elements, of problems without their own (4096x4096/4160x4352 has its own)",
          &a.ld },
        { "--align", ATX_OPT_LIST, "IN,OUT",
          "alignments of the buffers, in bytes, of problems without their own (4096x4096@16x4 has its own); "
          "one number applies to all buffers",
          &a.align },
        { "--op", ATX_OPT_TEXT, "OP", defaults.op, &a.op },
        { "--db", ATX_OPT_TEXT, "FILE",
          "database (default $AUTOTUNE_DB, else $XDG_DATA_HOME/autotune/autotune.db; for a replay "
          "$XDG_DATA_HOME/autotune/replay.db)",
          &a.db },
        { "--budget", ATX_OPT_SECONDS, "TIME",
          "stop searching a problem after this wall time: 90s, 500ms, 2m", &a.budget_s },
        { "--within", ATX_OPT_TEXT, "PERCENT",
          "tune some of the problems, until predictions for all others should lose at most 3% in the mean",
          &a.within },
        { "--tune-for", ATX_OPT_SECONDS, "TIME", "tune some of the problems, for at most so long: 5m",
          &a.tune_for_s },
        { "--front", ATX_OPT_TEXT, "time,FIGURE",
          "search for energy_j, registers, shared_bytes or spill_bytes too; print what none beats in all",
          &a.front },
        { "--max-trials", ATX_OPT_COUNT, "N",
          "try at most N configurations (default 0: all; --within: 12, without a model 20)", &a.max_trials },
        { "--strategy", ATX_OPT_TEXT, "NAME",
          "search strategy, see `autotune list strategies` (default: model, which stops when "
          "something faster by 1 % is unlikely)",
          &a.strategy },
        { "--seed", ATX_OPT_COUNT, "N", "seed of the random order and of the data (default 1)", &a.seed },
        { "--jobs", ATX_OPT_COUNT, "N", "number of compile workers (default: one per core)", &a.jobs },
        { "--only", ATX_OPT_LIST, "NAME[,NAME]", "only these templates", &a.templates },
        { "--fix", ATX_OPT_LIST, "TEMPLATE.PARAM=VALUE", "only configurations with this value; repeatable",
          &a.fix },
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--force", ATX_OPT_FLAG, NULL, "measure again even if the result is known", &a.force },
        { "--warm", ATX_OPT_FLAG, NULL, "leave inputs in the L2 cache (default: cold cache)", &a.warm },
        { "--no-cache", ATX_OPT_FLAG, NULL, "do not use the cache of compiled kernels", &a.no_cache },
        { "--no-learn", ATX_OPT_FLAG, NULL,
          "do not renew the model (default: it is trained again when there are half as many trials more)",
          &a.no_learn },
        { "--cache-limit", ATX_OPT_TEXT, "MIB",
          "size of the cache of compiled kernels: when it is larger, the least recently used kernels are "
          "removed, those of winners last (default $AUTOTUNE_CACHE_LIMIT, else 1024; 0: no limit)",
          &a.cache_limit },
        { "--format", ATX_OPT_TEXT, "text|json|csv", "output format (default text); json: one object a line",
          &a.format },
        { "--quiet", ATX_OPT_FLAG, NULL, "no progress, no summary, no warnings", &a.quiet },
        { "--verbose", ATX_OPT_FLAG, NULL, "more progress", &a.verbose },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    remember_command(&p.command, argc, argv);
    code = carry_out(&p, &a);
    return code;
}

/* One of several processes that mpirun or srun has started is a rank of one run. */
int atx_cmd_tune(int argc, char **argv)
{
    atx_ranks *ranks = NULL;
    bool served = false;
    int code = atx_over_ranks_begin(&ranks, &served, argc, argv);
    if (served || code != ATX_EXIT_OK)
        return code;
    code = tune(ranks, argc, argv);
    if (ranks)
        code = atx_process_finish_output(code); /* the end may be an abort */
    atx_ranks_end(ranks, code);
    return code;
}
