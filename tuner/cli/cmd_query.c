/*
 * cmd_query.c - `autotune query`: the stored winner of a problem. Needs no GPU, never writes, unless --tune
 * asks for it.
 */
#include "cli/commands.h"
#include "cli/metrics.h"
#include "cli/report.h"
#include "lookup/lookup.h"
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

/* What a question needs besides the problem. */
typedef struct asking {
    const atx_catalog *catalog;
    const char *path, *device; /* of the database; as --device has it, NULL: any      */
    atx_target target;         /* which device that is; its name is empty for any     */
    bool named;                /* the path was given: it must exist                   */
    bool with_shipped, exact;  /* exact: only what was measured for this very problem */
    double tune_s;             /* 0: what is not known stays so */
    const char *templates_dir; /* NULL: none                    */
    atx_format format;
} asking;

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

/* `refused`: what is said of the nearest winner; "": there is none. */
static at_status not_stored(const asking *a, const atx_problem *problem, const char *refused, at_error *err)
{
    atx_str shape = { 0 }, command = { 0 };
    atx_problem_shape(&shape, problem);
    atx_add_tune_command(&command, problem, a->templates_dir, a->path);
    at_fail(err, AT_ERR_NOT_FOUND, "%s has no winner for %s %s %s%s%s; find one with: %s%s%s", a->path,
            problem->op->name, atx_str_text(&shape), atx_dtype_name(problem->type),
            *a->target.name ? " on " : "", a->target.name, atx_str_text(&command), *refused ? "; " : "",
            refused);
    atx_str_clear(&shape);
    atx_str_clear(&command);
    return AT_ERR_NOT_FOUND;
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

/* What the look-up found: near, or exact among those that came with the program. */
static void print_any(const atx_found *found, const atx_problem *problem, atx_format format)
{
    atx_answer launched = *found->answer;
    launched.winner.geometry = found->geometry;
    if (found->match == ATX_MATCH_EXACT)
        print_exact(&launched, problem, found->shipped, NULL, format);
    else
        print_found(found, problem, format);
}

/* Where the store (NULL: there is none) has no winner to use. AT_ERR_NOT_FOUND: there is nothing; *err says
 * why what is nearest does not do, or is empty. */
static at_status query_near(atx_store *store, const asking *a, const atx_problem *problem,
                            const atx_target *target, at_error *err)
{
    atx_lookup *lookup = NULL;
    atx_found found;
    at_status status = atx_lookup_open(&lookup, store, a->catalog, err);
    if (status == AT_OK && a->with_shipped)
        atx_lookup_add_shipped(lookup);
    if (status == AT_OK)
        status = atx_lookup_find(&found, lookup, problem, target, err);
    bool asked_before = status == AT_OK && found.match == ATX_MATCH_EXACT && !found.shipped;
    if (status == AT_OK &&
        (found.match == ATX_MATCH_NONE || asked_before || (a->exact && found.match != ATX_MATCH_EXACT)))
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s", found.refused ? found.why : "");
    if (status == AT_OK)
        print_any(&found, problem, a->format);
    atx_lookup_close(lookup);
    return status;
}

/* A winner that is out of date is still told where there is nothing better: `autotune export` has its text.
 */
static at_status query_winner(atx_answer *winner, atx_store *store, const asking *a,
                              const atx_problem *problem, at_error *err)
{
    at_error why = { 0 };
    const char *outdated = NULL;
    at_status status = AT_ERR_NOT_FOUND;
    atx_geometry geometry;
    if (atx_lookup_stands(&geometry, winner, store, a->catalog, problem, &why) == AT_OK) {
        winner->winner.geometry = geometry;
    } else {
        outdated = why.text;
        atx_target target = { .full = true };
        snprintf(target.name, sizeof target.name, "%s", winner->fingerprint.device);
        status = query_near(store, a, problem, &target, err);
    }
    if (status == AT_ERR_NOT_FOUND) {
        print_exact(winner, problem, false, outdated, a->format);
        status = AT_OK;
    }
    return status;
}

static at_status query_nothing(atx_store *store, const asking *a, const atx_problem *problem, at_error *err)
{
    at_error cause = { 0 };
    at_status status = query_near(store, a, problem, &a->target, &cause);
    if (status == AT_ERR_NOT_FOUND)
        return not_stored(a, problem, cause.text, err);
    return status == AT_OK ? AT_OK : at_fail(err, status, "%s", cause.text);
}

static at_status query_store(atx_store *store, const asking *a, const atx_problem *problem,
                             const atx_problem_key *key, at_error *err)
{
    atx_answer answer = { 0 };
    at_error cause = { 0 };
    at_status status = atx_store_find_winner(&answer, store, key, NULL, a->target.name, err);
    if (status == AT_OK && atx_winner_check(&answer.winner, &cause) != AT_OK)
        status = at_fail(err, AT_ERR_STORE, "%s: the winner of %s %s is damaged: %s; tune the problem again",
                         a->path, key->op, key->shape, cause.text);
    else if (status == AT_OK)
        status = query_winner(&answer, store, a, problem, err);
    else if (status == AT_ERR_NOT_FOUND)
        status = query_nothing(store, a, problem, err);
    atx_answer_clear(&answer);
    return status;
}

/* ---- tuning what is not known ---- */

/* Does the store know it, or, of a device that is named, what came with the program? What cannot be read does
 * not: the query itself will say why. */
static bool is_known(const asking *a, const atx_problem *problem)
{
    atx_store *store = NULL;
    atx_lookup *lookup = NULL;
    atx_found found = { .match = ATX_MATCH_NONE };
    at_status status = atx_store_open(&store, a->path, ATX_STORE_READ, NULL);
    if (status == AT_OK || status == AT_ERR_NOT_FOUND)
        status = atx_lookup_open(&lookup, store, a->catalog, NULL);
    if (status == AT_OK && a->with_shipped && a->device)
        atx_lookup_add_shipped(lookup);
    if (status == AT_OK && atx_lookup_find(&found, lookup, problem, &a->target, NULL) != AT_OK)
        found.match = ATX_MATCH_NONE;
    atx_lookup_close(lookup);
    atx_store_close(store);
    return found.match == ATX_MATCH_EXACT;
}

/* By this very program. That it fails is no reason not to answer. */
static void tune_first(const asking *a, const atx_problem *problem)
{
    at_error err = { 0 };
    atx_str text = { 0 };
    int index;
    const atx_miss miss = { .program = "/proc/self/exe",
                            .database = a->path,
                            .templates = a->templates_dir,
                            .device =
                                atx_device_is_index(&index, a->device ? a->device : "") ? a->device : "0",
                            .budget_s = a->tune_s,
                            .stop = &atx_cancel_requested };
    if (is_known(a, problem) || atx_miss_tune(&miss, problem, &err) == AT_OK)
        return;
    atx_str_addf(&text, "not tuned: %s", err.text);
    atx_warn(atx_whole(&text));
    atx_str_clear(&text);
}

/* Reads what the database records of operations, and leaves it open; one that cannot be opened so is told of
 * later.
 */
static at_status read_recorded(atx_store **store, atx_catalog *catalog, const char *path, at_error *err)
{
    at_error cause = { 0 };
    if (atx_store_open(store, path, ATX_STORE_READ, &cause) == AT_OK)
        return atx_catalog_add_recorded_of(catalog, *store, err);
    *store = NULL;
    return atx_catalog_add_recorded(catalog, path, err);
}

/* Which device --device means, unless that is known already. */
static at_status choose_device(asking *a, atx_store *store, at_error *err)
{
    return a->target.full ? AT_OK : atx_device_option(&a->target, a->device, store, a->with_shipped, err);
}

/* On a machine where nothing was tuned yet there is no default database: what came with the program answers.
 * Takes the store; NULL: it is not open, or was not there.
 */
static at_status query(atx_store *store, asking *a, const atx_problem *problem, at_error *err)
{
    atx_problem_key key;
    atx_str shape = { 0 };
    at_error cause = { 0 };
    at_status status = atx_problem_key_of(&key, &shape, problem, err);
    if (status != AT_OK)
        goto done;
    if (!store)
        status = atx_open_if_any(&store, a->path, &cause);
    bool answers = status == AT_OK || (status == AT_ERR_NOT_FOUND && !a->named && a->with_shipped);
    at_status named = answers ? choose_device(a, store, err) : AT_OK;
    if (named != AT_OK)
        status = named;
    else if (status == AT_OK)
        status = query_store(store, a, problem, &key, err);
    else if (!answers || (status = query_near(NULL, a, problem, &a->target, err)) == AT_ERR_NOT_FOUND)
        at_fail(err, status, "%s", cause.text);
done:
    atx_str_clear(&shape);
    atx_store_close(store);
    return status;
}

/* What could not be read of the catalog says more than that an operation is not known. */
static at_status read_problem(atx_problem *out, const atx_words *words, const atx_catalog *catalog,
                              at_error *err)
{
    at_status status = atx_problem_from_words(out, words, catalog, err);
    at_status failed = atx_catalog_failure(catalog, err);
    return failed == AT_OK ? status : failed;
}

typedef struct query_args {
    const char *db, *device, *templates_dir, *format;
    bool json, without_shipped, exact;
    double tune_s;
    atx_words words;
    atx_folder_words folders;
} query_args;

static int run_query(const query_args *q)
{
    asking a = { .device = q->device,
                 .named = q->db != NULL,
                 .with_shipped = !q->without_shipped && atx_shipped_wanted(),
                 .exact = q->exact,
                 .tune_s = q->tune_s,
                 .templates_dir = q->templates_dir };
    atx_catalog *catalog = NULL;
    atx_store *store = NULL;
    atx_problem problem;
    atx_str keep = { 0 };
    at_error err = { 0 };
    at_status status = atx_format_parse(&a.format, q->json ? "json" : q->format, &err);
    if (status == AT_OK)
        status = atx_check_device_option(q->device, &err);
    if (status == AT_OK)
        status = atx_open_catalog_lazily(&catalog, q->templates_dir, &err);
    if (status == AT_OK)
        status = atx_db_path_if_any(&a.path, q->db, a.with_shipped && q->tune_s <= 0, &keep, &err);
    if (status == AT_OK && a.path)
        status = read_recorded(&store, catalog, a.path, &err);
    if (status == AT_OK)
        status = read_problem(&problem, &q->words, catalog, &err);
    a.catalog = catalog;
    if (status == AT_OK && q->tune_s > 0)
        status = choose_device(&a, store, &err);
    if (status == AT_OK && q->tune_s > 0) {
        atx_store_close(store); /* another process will write to it */
        store = NULL;
        tune_first(&a, &problem);
    }
    if (status == AT_OK)
        status = query(store, &a, &problem, &err);
    else
        atx_store_close(store);
    atx_catalog_close(catalog);
    atx_str_clear(&keep);
    return status == AT_OK ? ATX_EXIT_OK : atx_complain(&err);
}

int atx_cmd_query(int argc, char **argv)
{
    query_args q = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--device", ATX_OPT_TEXT, "N|NAME", ATX_DEVICE_NAME_HELP, &q.device },
        ATX_DB_OPTION(&q.db),
        ATX_TEMPLATES_OPTION(&q.templates_dir),
        ATX_FOLDER_OPTIONS(&q.folders),
        { "--format", ATX_OPT_TEXT, "text|json|csv", "of the answer", &q.format },
        { "--json", ATX_OPT_FLAG, NULL, "the same as --format json", &q.json },
        { "--tune", ATX_OPT_SECONDS, "TIME",
          "where the database has no exact answer, tune on device 0, or the number that --device names, "
          "first, for at most so long: 90s, 500ms, "
          "2m",
          &q.tune_s },
        { "--exact", ATX_OPT_FLAG, NULL, "only what was measured for this very problem", &q.exact },
        { "--no-shipped", ATX_OPT_FLAG, NULL, "without the winners that come with autotune",
          &q.without_shipped },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &q.words, &code))
        return code;
    return run_query(&q);
}
