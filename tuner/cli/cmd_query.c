/*
 * cmd_query.c - `autotune query`: the stored winner of a problem. Needs no GPU, never writes, unless --budget
 * asks for it.
 */
#include "cli/ask.h"
#include "cli/report.h"
#include "lang/metric_text.h"
#include "lookup/answer.h"
#include "library/miss.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune query [OP] SHAPE [DTYPE] [options]\n       autotune query --shapes FILE [options]",
    "Prints the stored winner of a problem: configuration, launch geometry, time and conditions. For a "
    "problem that was not tuned it prints the configuration that a model of all trials predicts to be the "
    "fastest (predicted), or a valid one of another shape (near) or another device (other_device), and says "
    "which.\n"
    "If the winner is out of date because its template has changed or is missing, the answer is the "
    "runner-up: the fastest trial of the problem whose template is unchanged, unless it was much slower.\n"
    "Problems that the database does not have are looked up in the shipped results; the answer says so.\n"
    "Needs no GPU. Exit code 1: no stored result fits.",
};

static void print_origin(bool shipped)
{
    if (shipped)
        atx_print(stdout, "  from           " ATX_SHIPPED "\n");
}

/* The figures of NVML; no line if it had none. */
static void print_conditions(const atx_conditions *c)
{
    const struct {
        const char *format;
        int64_t value;
    } PARTS[] = {
        { "SM clock %" PRId64 " MHz", c->sm_clock_mhz },
        { "memory clock %" PRId64 " MHz", c->memory_clock_mhz },
        { "%" PRId64 " C", c->temperature_c },
        { "%" PRId64 " W", c->power_w },
        { "power limit %" PRId64 " W", c->power_limit_w },
        { "throttled (NVML reasons 0x%" PRIx64 ")", c->throttle_reasons ? c->throttle_reasons : -1 },
    };
    ATX_LOCAL(atx_str) line = { 0 };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (PARTS[i].value >= 0) {
            atx_str_add(&line, line.len ? ", " : "");
            atx_str_addf(&line, PARTS[i].format, PARTS[i].value);
        }
    if (*atx_whole(&line))
        atx_print(stdout, "  conditions     %s\n", atx_whole(&line));
}

/* The op's own metrics. */
static void print_metrics(const atx_answer *a, const atx_problem *problem)
{
    ATX_LOCAL(atx_str) lines = { 0 };
    atx_metrics_lines(&lines, problem, ATX_RECORD_OF(&a->winner));
    atx_print(stdout, "%s", atx_whole(&lines));
}

static void print_head(const atx_found *f, const atx_problem *problem)
{
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_show(&shape, problem);
    atx_print(stdout, "%s %s %s", problem->op->name, atx_whole(&shape), atx_dtype_name(problem->type));
    if (f->match != ATX_MATCH_EXACT)
        atx_print(stdout, " (%s match: %s)\n", atx_match_name(f->match), f->why);
    else
        atx_print(stdout, " on %s (exact match%s%s)\n", f->device, f->outdated ? ", out of date: " : "",
                  f->outdated ? f->outdated : "");
}

static void print_attributes(const atx_geometry *g)
{
    if (atx_geometry_cluster(g) > 1)
        atx_print(stdout, ", clusters of %" PRId64 " x %" PRId64 " x %" PRId64, g->cluster[0], g->cluster[1],
                  g->cluster[2]);
    if (g->cooperative)
        atx_print(stdout, ", cooperative");
    if (g->carveout)
        atx_print(stdout, ", %" PRId64 " %% of the L1 as shared memory", g->carveout - 1);
}

/* The launch. */
static void print_launch(const atx_found *f)
{
    const atx_winner *w = &f->answer->winner;
    const int64_t *grid = f->geometry.grid, *block = f->geometry.block;
    atx_print(stdout, "  template       %s\n  configuration  %s\n", w->template_name, w->config);
    atx_print(stdout,
              "  launch         grid %" PRId64 " x %" PRId64 " x %" PRId64 ", block %" PRId64 " x %" PRId64
              " x %" PRId64 ", %" PRId64 " bytes of dynamic shared memory",
              grid[0], grid[1], grid[2], block[0], block[1], block[2], f->geometry.shared_bytes);
    print_attributes(&f->geometry);
    if (f->outdated)
        atx_print(stdout, " (as stored, cannot be computed here)");
    if (f->match == ATX_MATCH_EXACT && w->resources.registers >= 0)
        atx_print(stdout, ", %" PRId64 " registers", w->resources.registers);
    if (f->match == ATX_MATCH_EXACT && w->resources.local_bytes > 0)
        atx_print(stdout, ", %" PRId64 " bytes of local memory a thread", w->resources.local_bytes);
    atx_print(stdout, "\n");
}

/* As the re-measurement, or a search, measured it for this problem. */
static void print_measured(const atx_found *f, const atx_problem *problem)
{
    char time[32];
    const atx_answer *a = f->answer;
    const atx_winner *w = &a->winner;
    atx_time_text(time, sizeof time, w->timing.median_s);
    atx_print(stdout, "  time           %s", time);
    if (a->traffic_bytes > 0)
        atx_print(stdout, ", %.0f GB/s", atx_answer_gb_per_s(a));
    if (a->ops_count > 0)
        atx_print(stdout, ", %.0f GFLOP/s", atx_gflop_per_s(a->ops_count, w->timing.median_s));
    atx_print(stdout, ", %s L2, median of %" PRId64 " samples", a->fingerprint.cold ? "cold" : "warm",
              w->timing.samples);
    if (f->match == ATX_MATCH_EXACT)
        atx_print(stdout, ", spread %.1f %%\n", 100 * w->timing.spread);
    else
        atx_print(stdout, " of a search, not re-measured, %s on %s\n", a->measured_at, a->fingerprint.device);
    print_metrics(a, problem);
}

static void print_time(const atx_found *f, const atx_problem *problem)
{
    char time[32];
    atx_time_text(time, sizeof time, f->expected_s);
    if (f->own)
        print_measured(f, problem);
    else if (f->expected_s > 0)
        atx_print(stdout,
                  "  time           about %s expected, not measured; such answers are %.1f %% slower than "
                  "tuned ones in the mean\n",
                  time, 100 * f->expected_loss);
    else
        atx_print(stdout, "  time           not measured for this problem; `autotune tune` does\n");
}

/* Figures that only the re-measurement has. */
static void print_final(const atx_answer *a)
{
    char ceiling[32];
    const atx_winner *w = &a->winner;
    const atx_fingerprint *f = &a->fingerprint;
    atx_time_text(ceiling, sizeof ceiling, w->ceiling_s);
    if (*w->objective)
        atx_print(stdout, "  objective      %s\n", w->objective);
    if (w->ceiling_s > 0)
        atx_print(stdout, "  %s   %s (%s): %.1f %% of it reached\n",
                  atx_ceiling_is_rate(w->ceiling_name) ? "ceiling     " : "copy ceiling", ceiling,
                  w->ceiling_name, 100 * atx_answer_share(a));
    for (const char *tie = w->ties; *tie; tie += strcspn(tie, "\n"), tie += *tie == '\n')
        atx_print(stdout, "  tied with      %.*s\n", (int)strcspn(tie, "\n"), tie);
    atx_print(stdout, "  tried          %" PRId64 " of %" PRId64 " configurations\n", w->trials,
              w->space_count);
    atx_print(stdout, "  measured       %s, driver %s, NVRTC %s, autotune %s\n", a->measured_at, f->driver,
              f->nvrtc, f->tool);
}

static void print_text(const atx_found *f, const atx_problem *problem)
{
    const bool exact = f->match == ATX_MATCH_EXACT;
    print_head(f, problem);
    print_launch(f);
    print_time(f, problem);
    if (exact)
        print_final(f->answer);
    print_origin(f->shipped);
    if (exact)
        print_conditions(&f->answer->winner.conditions);
}

/* It goes behind all others, but may be the only one. */
static void warn_of_date(const atx_answer *a)
{
    ATX_LOCAL(atx_str) text = { 0 };
    if (!atx_utc_is_future(a->measured_at))
        return;
    atx_str_addf(
        &text,
        "this result is dated in the future, %s: a clock was or is wrong; it counts as older than any "
        "other; tune the problem again",
        a->measured_at);
    atx_warn(atx_str_text(&text));
}

/* An answer and its question. */
typedef struct answered {
    const atx_found *found;
    const atx_problem *problem;
    const char *device;
} answered;

static void walk_answer(atx_row *row, const void *item)
{
    const answered *a = item;
    row->out->failed |= atx_answer_row(row, a->found, a->problem, a->device, NULL) != AT_OK;
}

/* For programs also that there is none. */
static void print_answer(const atx_found *f, const atx_question_asked *q, atx_format format, bool head)
{
    const answered a = { f, &q->problem, q->target.name };
    ATX_LOCAL(atx_str) text = { 0 };
    if (f->match != ATX_MATCH_NONE)
        warn_of_date(f->answer);
    if (format != ATX_TEXT) {
        if (head)
            atx_report_heads(&text, format, walk_answer,
                             &(answered){ .found = &(atx_found){ .match = ATX_MATCH_NONE } });
        atx_report_row(&text, format, "autotune.query/1", walk_answer, &a);
        atx_print(stdout, "%s", atx_whole(&text));
    } else if (f->match != ATX_MATCH_NONE) {
        print_text(f, &q->problem);
    }
}

/* ---- tuning unknown problems ---- */

typedef struct query_args {
    atx_ask_options ask;
    const char *format;
    double tune_s;
} query_args;

/* Does the database know it, or, of a device that is named, what came with the program? What cannot be read
 * does not: the query itself will say why. */
static bool is_known(atx_question_asked *q)
{
    atx_found found;
    const bool with_shipped = q->with_shipped;
    q->with_shipped = with_shipped && q->options->device;
    bool known =
        atx_ask(&found, q, ATX_OUTDATED_NEVER, NULL, NULL) == AT_OK && found.match == ATX_MATCH_EXACT;
    atx_ask_let_go(q);
    q->with_shipped = with_shipped;
    return known;
}

/* By this very program. That it fails is no reason not to answer. */
static at_status tune_first(atx_question_asked *q, double tune_s, at_error *err)
{
    at_error cause = { 0 };
    ATX_LOCAL(atx_str) text = { 0 };
    int index;
    const char *device = q->options->device;
    const atx_miss miss = { .program = "/proc/self/exe",
                            .database = q->path,
                            .templates = q->options->templates_dir,
                            .device = atx_device_is_index(&index, device ? device : "") ? device : "0",
                            .budget_s = tune_s,
                            .stop = &atx_cancel_requested };
    at_status status = atx_ask_device(q, err);
    if (status != AT_OK || is_known(q) || atx_miss_tune(&miss, &q->problem, &cause) == AT_OK)
        return status;
    atx_str_addf(&text, "not tuned: %s", cause.text);
    atx_warn(atx_whole(&text));
    return AT_OK;
}

/* One problem; where it has no answer *err says so. */
static at_status answer(atx_question_asked *q, const query_args *args, atx_format format, bool first,
                        at_error *err)
{
    atx_found found;
    at_status status = args->tune_s > 0 ? tune_first(q, args->tune_s, err) : AT_OK;
    ATX_THEN(status, atx_ask(&found, q, ATX_OUTDATED_LAST, NULL, err));
    if (status == AT_OK)
        print_answer(&found, q, format, first);
    return status == AT_OK && found.match == ATX_MATCH_NONE ? atx_ask_none(q, &found, err) : status;
}

/* Reports problems without an answer, and answers the others. */
static at_status answer_all(atx_question_asked *q, const query_args *args, atx_format format, at_error *err)
{
    at_status status = AT_OK;
    size_t without = 0;
    for (size_t i = 0; i < q->shapes.count && status == AT_OK && !atx_cancel_requested; i++) {
        q->problem = q->shapes.problems[i];
        status = answer(q, args, format, i == 0, err);
        if (status != AT_ERR_NOT_FOUND)
            continue;
        fflush(stdout);
        atx_note(err->text);
        status = AT_OK;
        without++;
    }
    return status == AT_OK && without ? atx_fail(err, AT_ERR_NOT_FOUND, "%zu of %zu problems have no answer",
                                                 without, q->shapes.count)
                                      : status;
}

static int run_query(const query_args *args)
{
    atx_question_asked q = { 0 };
    atx_format format = ATX_TEXT;
    at_error err = { 0 };
    at_status status = atx_format_parse(&format, args->format, &err);
    ATX_THEN(status, atx_ask_open(&q, &args->ask, args->tune_s > 0, &err));
    if (status == AT_OK)
        atx_note(atx_str_text(&q.shapes.notes));
    ATX_THEN(status,
             args->ask.shapes ? answer_all(&q, args, format, &err) : answer(&q, args, format, true, &err));
    atx_ask_close(&q);
    return status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
}

int atx_cmd_query(int argc, char **argv)
{
    query_args q = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--device", ATX_OPT_TEXT, "N|NAME", ATX_DEVICE_NAME_HELP, &q.ask.device },
        ATX_ASK_OPTIONS(&q.ask),
        { "--shapes", ATX_OPT_TEXT, "FILE", "answer all problems of this file, one a line; - reads stdin",
          &q.ask.shapes },
        { "--format", ATX_OPT_TEXT, "text|json|csv", "output format (default text)", &q.format },
        { "--budget", ATX_OPT_SECONDS, "TIME",
          "if the database has no exact answer, first tune for at most this long (90s, 500ms, 2m), on the "
          "device number that --device names, else on device 0",
          &q.tune_s },
        ATX_EXACT_OPTION(&q.ask),
        ATX_NO_SHIPPED_OPTION(&q.ask),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &q.ask.words, &code))
        return code;
    return run_query(&q);
}
