/*
 * cmd_query.c - `autotune query`: the stored winner of a problem. Needs no GPU, never writes, unless --tune
 * asks for it.
 */
#include "cli/ask.h"
#include "cli/metrics.h"
#include "cli/report.h"
#include "lookup/miss.h"
#include "db/store.h"
#include "tune/tune.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune query [OP] SHAPE [DTYPE] [options]",
    "Prints the stored winner of a problem: configuration, launch geometry, time, conditions. For a problem "
    "that was not tuned: what a model of all trials expects to be the fastest (predicted), or the "
    "configuration of another shape (near) or another device (other_device) that fits, and says so.\n"
    "Where a winner is out of date (its template was changed, or is missing): the fastest other trial of the "
    "problem whose template is still the same, a runner-up, unless that was much slower.\n"
    "Below the database lie the winners that come with autotune; an answer from there says so.\n"
    "Works on a machine without a GPU. Exit code 1: nothing that fits is stored.",
};

/* How the members and fields say where an answer is from. */
static const char *origin(bool shipped)
{
    return shipped ? ATX_SHIPPED : "database";
}

static void print_origin(bool shipped)
{
    if (shipped)
        atx_print(stdout, "  from           " ATX_SHIPPED "\n");
}

/* What NVML knew; a line only when it knew something. */
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
        { "throttled (NVML reasons 0x%" PRIx64 ")", c->throttle_reasons ? c->throttle_reasons : -1 },
    };
    atx_str line = { 0 };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (PARTS[i].value >= 0) {
            atx_str_add(&line, line.len ? ", " : "");
            atx_str_addf(&line, PARTS[i].format, PARTS[i].value);
        }
    if (*atx_whole(&line))
        atx_print(stdout, "  conditions     %s\n", atx_whole(&line));
    atx_str_clear(&line);
}

/* Of an op that declares what counts. */
static void print_rate(const atx_answer *a)
{
    if (a->ops_count > 0)
        atx_print(stdout, ", %.0f GFLOP/s", atx_answer_gflop_per_s(a));
}

/* What the op makes of it. */
static void print_metrics(const atx_answer *a, const atx_problem *problem)
{
    atx_str lines = { 0 };
    atx_metrics_lines(&lines, problem, ATX_RECORD_OF(&a->winner));
    atx_print(stdout, "%s", atx_whole(&lines));
    atx_str_clear(&lines);
}

static void print_text(const atx_answer *a, const atx_problem *problem, bool shipped, const char *outdated)
{
    const atx_winner *w = &a->winner;
    const atx_fingerprint *f = &a->fingerprint;
    const int64_t *grid = w->geometry.grid, *block = w->geometry.block;
    char time[32], ceiling[32];
    atx_time_text(time, sizeof time, w->timing.median_s);
    atx_time_text(ceiling, sizeof ceiling, w->ceiling_s);
    atx_print(stdout, "%s %s %s on %s (exact match%s%s)\n", a->op, a->shape, atx_dtype_name(problem->type),
              f->device, outdated ? ", out of date: " : "", outdated ? outdated : "");
    atx_print(stdout, "  template       %s\n  configuration  %s\n", w->template_name, w->config);
    atx_print(stdout,
              "  launch         grid %" PRId64 " x %" PRId64 " x %" PRId64 ", block %" PRId64 " x %" PRId64
              " x %" PRId64 ", %" PRId64 " bytes of dynamic shared memory",
              grid[0], grid[1], grid[2], block[0], block[1], block[2], w->geometry.shared_bytes);
    if (outdated)
        atx_print(stdout, " (as stored, cannot be computed here)");
    if (w->resources.registers >= 0)
        atx_print(stdout, ", %" PRId64 " registers", w->resources.registers);
    if (w->resources.local_bytes > 0)
        atx_print(stdout, ", %" PRId64 " bytes of local memory a thread", w->resources.local_bytes);
    atx_print(stdout, "\n");
    atx_print(stdout, "  time           %s", time);
    if (a->traffic_bytes > 0)
        atx_print(stdout, ", %.0f GB/s", atx_answer_gb_per_s(a));
    print_rate(a);
    atx_print(stdout, ", %s L2, median of %" PRId64 " samples, spread %.1f %%\n", f->cold ? "cold" : "warm",
              w->timing.samples, 100 * w->timing.spread);
    print_metrics(a, problem);
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
    print_origin(shipped);
    print_conditions(&w->conditions);
}

/* It goes behind all others, but may be the only one. */
static void warn_of_date(const atx_answer *a)
{
    atx_str text = { 0 };
    if (!atx_utc_is_future(a->measured_at))
        return;
    atx_str_addf(
        &text,
        "this result is dated in the future, %s: a clock was or is wrong; it counts as older than any "
        "other; tune the problem again",
        a->measured_at);
    atx_warn(atx_str_text(&text));
    atx_str_clear(&text);
}

/* The winner as in tune's results. */
static void print_json(const atx_answer *a, const atx_problem *problem, bool shipped, const char *outdated)
{
    atx_str o = { 0 };
    atx_str_add(&o, "{");
    atx_member_text(&o, "match", "exact");
    if (outdated)
        atx_member_text(&o, "outdated", outdated);
    atx_member_text(&o, "op", a->op);
    atx_member_text(&o, "shape", a->shape);
    atx_member_text(&o, "dtype", atx_dtype_name(problem->type));
    atx_member_text(&o, "device", a->fingerprint.device);
    atx_member_text(&o, "origin", origin(shipped));
    atx_report_answer(&o, a, problem);
    atx_str_add(&o, "}");
    atx_print(stdout, "%s\n", atx_whole(&o));
    atx_str_clear(&o);
}

/* The head and the first fields of the row. */
static void csv_row(atx_str *out, const atx_problem *problem, const char *shape, const atx_answer *a)
{
    atx_str_add(out, "op,shape,dtype,device,template,config,median_us,gb_per_s,gflop_per_s,"
                     "share_of_ceiling,match,origin");
    atx_metrics_csv_head(out, problem->op);
    atx_str_add(out, "\n");
    atx_field_text(out, problem->op->name);
    atx_field_text(out, shape);
    atx_field_text(out, atx_dtype_name(problem->type));
    atx_field_text(out, a->fingerprint.device);
    atx_field_text(out, a->winner.template_name);
    atx_field_text(out, a->winner.config);
}

static void print_csv(const atx_answer *a, const atx_problem *problem, bool shipped)
{
    atx_str o = { 0 };
    csv_row(&o, problem, a->shape, a);
    atx_field_real(&o, 4, 1e6 * a->winner.timing.median_s);
    atx_field_real(&o, 1, atx_answer_gb_per_s(a));
    atx_report_gflop_field(&o, atx_answer_gflop_per_s(a));
    atx_field_real(&o, 4, atx_answer_share(a));
    atx_field_text(&o, "exact");
    atx_field_text(&o, origin(shipped));
    atx_metrics_csv_fields(&o, problem, ATX_RECORD_OF(&a->winner));
    atx_print(stdout, "%s\n", atx_whole(&o));
    atx_str_clear(&o);
}

/* Times only when they are of this problem. */
static void found_text(const atx_found *f, const atx_problem *problem, const char *shape)
{
    char time[32];
    const atx_answer *a = f->answer;
    const int64_t *g = f->geometry.grid, *b = f->geometry.block;
    atx_print(stdout, "%s %s %s (%s match: %s)\n", problem->op->name, shape, atx_dtype_name(problem->type),
              atx_match_name(f->match), f->why);
    atx_print(stdout, "  template       %s\n  configuration  %s\n", f->t->name, a->winner.config);
    atx_print(stdout,
              "  launch         grid %" PRId64 " x %" PRId64 " x %" PRId64 ", block %" PRId64 " x %" PRId64
              " x %" PRId64 ", %" PRId64 " bytes of dynamic shared memory\n",
              g[0], g[1], g[2], b[0], b[1], b[2], f->geometry.shared_bytes);
    if (f->own) {
        atx_time_text(time, sizeof time, a->winner.timing.median_s);
        atx_print(stdout, "  time           %s, %.0f GB/s", time, atx_answer_gb_per_s(a));
        print_rate(a);
        atx_print(stdout, ", %s L2, median of %" PRId64 " samples of a search, not of a final, %s on %s\n",
                  a->fingerprint.cold ? "cold" : "warm", a->winner.timing.samples, a->measured_at,
                  a->fingerprint.device);
        print_metrics(a, problem);
    } else if (f->expected_s > 0) {
        atx_time_text(time, sizeof time, f->expected_s);
        atx_print(
            stdout,
            "  time           about %s expected, not measured; such answers are %.1f %% slower than tuned "
            "ones in the mean\n",
            time, 100 * f->doubt);
    } else {
        atx_print(stdout, "  time           not measured for this problem; `autotune tune` does\n");
    }
    print_origin(f->shipped);
}

static void found_json(const atx_found *f, const atx_problem *problem, const char *shape)
{
    const atx_answer *a = f->answer;
    atx_str o = { 0 };
    atx_str_add(&o, "{");
    atx_member_text(&o, "match", atx_match_name(f->match));
    atx_member_text(&o, "why", f->why);
    atx_member_text(&o, "op", problem->op->name);
    atx_member_text(&o, "shape", shape);
    atx_member_text(&o, "dtype", atx_dtype_name(problem->type));
    atx_member_text(&o, "from_shape", f->by_model ? NULL : a->shape); /* of many */
    atx_member_text(&o, "from_device", a->fingerprint.device);
    atx_member_text(&o, "origin", origin(f->shipped));
    atx_member_bool(&o, "runner_up", f->runner_up);
    atx_member_text(&o, "template", f->t->name);
    atx_member_text(&o, "config", a->winner.config);
    atx_member_ints(&o, "grid", f->geometry.grid, 3);
    atx_member_ints(&o, "block", f->geometry.block, 3);
    atx_member_int(&o, "shared_bytes", f->geometry.shared_bytes);
    atx_member_real(&o, "median_s", 9, f->own ? a->winner.timing.median_s : NAN); /* NaN: null */
    if (f->own) {
        atx_member_int(&o, "samples", a->winner.timing.samples);
        atx_member_text(&o, "measured_at", a->measured_at);
        atx_metrics_member(&o, problem, ATX_RECORD_OF(&a->winner));
    }
    if (f->expected_s > 0) {
        atx_member_real(&o, "expected_s", 4, f->expected_s);
        atx_member_real(&o, "doubt", 3, f->doubt);
    }
    atx_str_add(&o, "}");
    atx_print(stdout, "%s\n", atx_whole(&o));
    atx_str_clear(&o);
}

static void found_csv(const atx_found *f, const atx_problem *problem, const char *shape)
{
    const atx_answer *a = f->answer;
    atx_str o = { 0 };
    csv_row(&o, problem, shape, a);
    atx_field_real(&o, 4, f->own ? 1e6 * a->winner.timing.median_s : NAN);
    atx_field_real(&o, 1, f->own ? atx_answer_gb_per_s(a) : NAN);
    atx_report_gflop_field(&o, f->own ? atx_answer_gflop_per_s(a) : 0);
    atx_field_text(&o, ""); /* a share of the copy ceiling is known of finals only */
    atx_field_text(&o, atx_match_name(f->match));
    atx_field_text(&o, origin(f->shipped));
    const atx_record elsewhere = { &(atx_timing){ 0 }, &a->winner.resources, a->winner.config };
    atx_metrics_csv_fields(&o, problem, f->own ? ATX_RECORD_OF(&a->winner) : &elsewhere);
    atx_print(stdout, "%s\n", atx_whole(&o));
    atx_str_clear(&o);
}

/* A configuration of another shape or device, or a runner-up: what to launch. */
static void print_found(const atx_found *f, const atx_problem *problem, atx_format format)
{
    atx_str shape = { 0 };
    atx_problem_shape(&shape, problem);
    warn_of_date(f->answer);
    if (format == ATX_CSV)
        found_csv(f, problem, atx_whole(&shape));
    else if (format == ATX_TEXT)
        found_text(f, problem, atx_whole(&shape));
    else
        found_json(f, problem, atx_whole(&shape));
    atx_str_clear(&shape);
}

/* `outdated`: why it is; NULL: it is not. */
static void print_exact(const atx_answer *answer, const atx_problem *problem, bool shipped,
                        const char *outdated, atx_format format)
{
    warn_of_date(answer);
    if (format == ATX_JSON)
        print_json(answer, problem, shipped, outdated);
    else if (format == ATX_CSV)
        print_csv(answer, problem, shipped);
    else
        print_text(answer, problem, shipped, outdated);
}

static void print_any(const atx_found *found, const atx_problem *problem, atx_format format)
{
    atx_answer launched = *found->answer;
    launched.winner.geometry = found->geometry;
    if (found->match != ATX_MATCH_EXACT)
        print_found(found, problem, format);
    else
        print_exact(&launched, problem, found->shipped, found->outdated, format);
}

/* ---- tuning what is not known ---- */

typedef struct query_args {
    atx_ask_options ask;
    const char *format;
    bool json;
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
    atx_str text = { 0 };
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
    atx_str_clear(&text);
    return AT_OK;
}

static int run_query(const query_args *args)
{
    atx_question_asked q = { 0 };
    atx_format format = ATX_TEXT;
    atx_found found;
    at_error err = { 0 };
    at_status status = atx_format_parse(&format, args->json ? "json" : args->format, &err);
    if (status == AT_OK)
        status = atx_ask_open(&q, &args->ask, args->tune_s > 0, &err);
    if (status == AT_OK && args->tune_s > 0)
        status = tune_first(&q, args->tune_s, &err);
    if (status == AT_OK)
        status = atx_ask(&found, &q, ATX_OUTDATED_LAST, NULL, &err);
    if (status == AT_OK && found.match == ATX_MATCH_NONE)
        status = atx_ask_none(&q, &found, &err);
    if (status == AT_OK)
        print_any(&found, &q.problem, format);
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
        { "--format", ATX_OPT_TEXT, "text|json|csv", "of the answer", &q.format },
        { "--json", ATX_OPT_FLAG, NULL, "the same as --format json", &q.json },
        { "--tune", ATX_OPT_SECONDS, "TIME",
          "where the database has no exact answer, tune on device 0, or the number that --device names, "
          "first, for at most so long: 90s, 500ms, "
          "2m",
          &q.tune_s },
        ATX_EXACT_OPTION(&q.ask),
        ATX_NO_SHIPPED_OPTION(&q.ask),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &q.ask.words, &code))
        return code;
    return run_query(&q);
}
