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

static const at__usage USAGE = {
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
    const at__catalog *catalog;
    const char *path, *device; /* of the database; as --device has it, NULL: any      */
    at__target target;         /* which device that is; its name is empty for any     */
    bool named;                /* the path was given: it must exist                   */
    bool with_shipped, exact;  /* exact: only what was measured for this very problem */
    double tune_s;             /* 0: what is not known stays so */
    const char *templates_dir; /* NULL: none                    */
    at__format format;
} asking;

/* How the members and fields say where an answer is from. */
static const char *origin(bool shipped)
{
    return shipped ? AT__SHIPPED : "database";
}

static void print_origin(bool shipped)
{
    if (shipped)
        at__print(stdout, "  from           " AT__SHIPPED "\n");
}

/* What NVML knew; a line only when it knew something. */
static void print_conditions(const at__conditions *c)
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
    at__str line = { 0 };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (PARTS[i].value >= 0) {
            at__str_add(&line, line.len ? ", " : "");
            at__str_addf(&line, PARTS[i].format, PARTS[i].value);
        }
    if (*at__whole(&line))
        at__print(stdout, "  conditions     %s\n", at__whole(&line));
    at__str_clear(&line);
}

/* Of an op that declares what counts. */
static void print_rate(const at__answer *a)
{
    if (a->ops_count > 0)
        at__print(stdout, ", %.0f GFLOP/s", at__answer_gflop_per_s(a));
}

/* What the op makes of it. */
static void print_metrics(const at__answer *a, const at__problem *problem)
{
    at__str lines = { 0 };
    at__metrics_lines(&lines, problem, AT__RECORD_OF(&a->winner));
    at__print(stdout, "%s", at__whole(&lines));
    at__str_clear(&lines);
}

static void print_text(const at__answer *a, const at__problem *problem, bool shipped, const char *outdated)
{
    const at__winner *w = &a->winner;
    const at__fingerprint *f = &a->fingerprint;
    const int64_t *grid = w->geometry.grid, *block = w->geometry.block;
    char time[32], ceiling[32];
    at__time_text(time, sizeof time, w->timing.median_s);
    at__time_text(ceiling, sizeof ceiling, w->ceiling_s);
    at__print(stdout, "%s %s %s on %s (exact match%s%s)\n", a->op, a->shape, at__dtype_name(problem->type),
              f->device, outdated ? ", out of date: " : "", outdated ? outdated : "");
    at__print(stdout, "  template       %s\n  configuration  %s\n", w->template_name, w->config);
    at__print(stdout,
              "  launch         grid %" PRId64 " x %" PRId64 " x %" PRId64 ", block %" PRId64 " x %" PRId64
              " x %" PRId64 ", %" PRId64 " bytes of dynamic shared memory",
              grid[0], grid[1], grid[2], block[0], block[1], block[2], w->geometry.shared_bytes);
    if (outdated)
        at__print(stdout, " (as stored, cannot be computed here)");
    if (w->resources.registers >= 0)
        at__print(stdout, ", %" PRId64 " registers", w->resources.registers);
    if (w->resources.local_bytes > 0)
        at__print(stdout, ", %" PRId64 " bytes of local memory a thread", w->resources.local_bytes);
    at__print(stdout, "\n");
    at__print(stdout, "  time           %s", time);
    if (a->traffic_bytes > 0)
        at__print(stdout, ", %.0f GB/s", at__answer_gb_per_s(a));
    print_rate(a);
    at__print(stdout, ", %s L2, median of %" PRId64 " samples, spread %.1f %%\n", f->cold ? "cold" : "warm",
              w->timing.samples, 100 * w->timing.spread);
    print_metrics(a, problem);
    if (*w->objective)
        at__print(stdout, "  objective      %s\n", w->objective);
    if (w->ceiling_s > 0)
        at__print(stdout, "  %s   %s (%s): %.1f %% of it reached\n",
                  at__ceiling_is_rate(w->ceiling_name) ? "ceiling     " : "copy ceiling", ceiling,
                  w->ceiling_name, 100 * at__answer_share(a));
    for (const char *tie = w->ties; *tie; tie += strcspn(tie, "\n"), tie += *tie == '\n')
        at__print(stdout, "  tied with      %.*s\n", (int)strcspn(tie, "\n"), tie);
    at__print(stdout, "  tried          %" PRId64 " of %" PRId64 " configurations\n", w->trials,
              w->space_count);
    at__print(stdout, "  measured       %s, driver %s, NVRTC %s, autotune %s\n", a->measured_at, f->driver,
              f->nvrtc, f->tool);
    print_origin(shipped);
    print_conditions(&w->conditions);
}

/* It goes behind all others, but may be the only one. */
static void warn_of_date(const at__answer *a)
{
    at__str text = { 0 };
    if (!at__utc_is_future(a->measured_at))
        return;
    at__str_addf(
        &text,
        "this result is dated in the future, %s: a clock was or is wrong; it counts as older than any "
        "other; tune the problem again",
        a->measured_at);
    at__warn(at__str_text(&text));
    at__str_clear(&text);
}

/* The winner as in tune's results. */
static void print_json(const at__answer *a, const at__problem *problem, bool shipped, const char *outdated)
{
    at__str o = { 0 };
    at__str_add(&o, "{");
    at__member_text(&o, "match", "exact");
    if (outdated)
        at__member_text(&o, "outdated", outdated);
    at__member_text(&o, "op", a->op);
    at__member_text(&o, "shape", a->shape);
    at__member_text(&o, "dtype", at__dtype_name(problem->type));
    at__member_text(&o, "device", a->fingerprint.device);
    at__member_text(&o, "origin", origin(shipped));
    at__report_answer(&o, a, problem);
    at__str_add(&o, "}");
    at__print(stdout, "%s\n", at__whole(&o));
    at__str_clear(&o);
}

/* The head and the first fields of the row. */
static void csv_row(at__str *out, const at__problem *problem, const char *shape, const at__answer *a)
{
    at__str_add(out, "op,shape,dtype,device,template,config,median_us,gb_per_s,gflop_per_s,"
                     "share_of_ceiling,match,origin");
    at__metrics_csv_head(out, problem->op);
    at__str_add(out, "\n");
    at__field_text(out, problem->op->name);
    at__field_text(out, shape);
    at__field_text(out, at__dtype_name(problem->type));
    at__field_text(out, a->fingerprint.device);
    at__field_text(out, a->winner.template_name);
    at__field_text(out, a->winner.config);
}

static void print_csv(const at__answer *a, const at__problem *problem, bool shipped)
{
    at__str o = { 0 };
    csv_row(&o, problem, a->shape, a);
    at__field_real(&o, 4, 1e6 * a->winner.timing.median_s);
    at__field_real(&o, 1, at__answer_gb_per_s(a));
    at__report_gflop_field(&o, at__answer_gflop_per_s(a));
    at__field_real(&o, 4, at__answer_share(a));
    at__field_text(&o, "exact");
    at__field_text(&o, origin(shipped));
    at__metrics_csv_fields(&o, problem, AT__RECORD_OF(&a->winner));
    at__print(stdout, "%s\n", at__whole(&o));
    at__str_clear(&o);
}

/* `refused`: what is said of the nearest winner; "": there is none. */
static at_status not_stored(const asking *a, const at__problem *problem, const char *refused, at_error *err)
{
    at__str shape = { 0 }, command = { 0 };
    at__problem_shape(&shape, problem);
    at__add_tune_command(&command, problem, a->templates_dir, a->path);
    at_fail(err, AT_ERR_NOT_FOUND, "%s has no winner for %s %s %s%s%s; find one with: %s%s%s", a->path,
            problem->op->name, at__str_text(&shape), at__dtype_name(problem->type),
            *a->target.name ? " on " : "", a->target.name, at__str_text(&command), *refused ? "; " : "",
            refused);
    at__str_clear(&shape);
    at__str_clear(&command);
    return AT_ERR_NOT_FOUND;
}

/* Times only when they are of this problem. */
static void found_text(const at__found *f, const at__problem *problem, const char *shape)
{
    char time[32];
    const at__answer *a = f->answer;
    const int64_t *g = f->geometry.grid, *b = f->geometry.block;
    at__print(stdout, "%s %s %s (%s match: %s)\n", problem->op->name, shape, at__dtype_name(problem->type),
              at__match_name(f->match), f->why);
    at__print(stdout, "  template       %s\n  configuration  %s\n", f->t->name, a->winner.config);
    at__print(stdout,
              "  launch         grid %" PRId64 " x %" PRId64 " x %" PRId64 ", block %" PRId64 " x %" PRId64
              " x %" PRId64 ", %" PRId64 " bytes of dynamic shared memory\n",
              g[0], g[1], g[2], b[0], b[1], b[2], f->geometry.shared_bytes);
    if (f->own) {
        at__time_text(time, sizeof time, a->winner.timing.median_s);
        at__print(stdout, "  time           %s, %.0f GB/s", time, at__answer_gb_per_s(a));
        print_rate(a);
        at__print(stdout, ", %s L2, median of %" PRId64 " samples of a search, not of a final, %s on %s\n",
                  a->fingerprint.cold ? "cold" : "warm", a->winner.timing.samples, a->measured_at,
                  a->fingerprint.device);
        print_metrics(a, problem);
    } else if (f->expected_s > 0) {
        at__time_text(time, sizeof time, f->expected_s);
        at__print(
            stdout,
            "  time           about %s expected, not measured; such answers are %.1f %% slower than tuned "
            "ones in the mean\n",
            time, 100 * f->doubt);
    } else {
        at__print(stdout, "  time           not measured for this problem; `autotune tune` does\n");
    }
    print_origin(f->shipped);
}

static void found_json(const at__found *f, const at__problem *problem, const char *shape)
{
    const at__answer *a = f->answer;
    at__str o = { 0 };
    at__str_add(&o, "{");
    at__member_text(&o, "match", at__match_name(f->match));
    at__member_text(&o, "why", f->why);
    at__member_text(&o, "op", problem->op->name);
    at__member_text(&o, "shape", shape);
    at__member_text(&o, "dtype", at__dtype_name(problem->type));
    at__member_text(&o, "from_shape", f->by_model ? NULL : a->shape); /* of many */
    at__member_text(&o, "from_device", a->fingerprint.device);
    at__member_text(&o, "origin", origin(f->shipped));
    at__member_bool(&o, "runner_up", f->runner_up);
    at__member_text(&o, "template", f->t->name);
    at__member_text(&o, "config", a->winner.config);
    at__member_ints(&o, "grid", f->geometry.grid, 3);
    at__member_ints(&o, "block", f->geometry.block, 3);
    at__member_int(&o, "shared_bytes", f->geometry.shared_bytes);
    at__member_real(&o, "median_s", 9, f->own ? a->winner.timing.median_s : NAN); /* NaN: null */
    if (f->own) {
        at__member_int(&o, "samples", a->winner.timing.samples);
        at__member_text(&o, "measured_at", a->measured_at);
        at__metrics_member(&o, problem, AT__RECORD_OF(&a->winner));
    }
    if (f->expected_s > 0) {
        at__member_real(&o, "expected_s", 4, f->expected_s);
        at__member_real(&o, "doubt", 3, f->doubt);
    }
    at__str_add(&o, "}");
    at__print(stdout, "%s\n", at__whole(&o));
    at__str_clear(&o);
}

static void found_csv(const at__found *f, const at__problem *problem, const char *shape)
{
    const at__answer *a = f->answer;
    at__str o = { 0 };
    csv_row(&o, problem, shape, a);
    at__field_real(&o, 4, f->own ? 1e6 * a->winner.timing.median_s : NAN);
    at__field_real(&o, 1, f->own ? at__answer_gb_per_s(a) : NAN);
    at__report_gflop_field(&o, f->own ? at__answer_gflop_per_s(a) : 0);
    at__field_text(&o, ""); /* a share of the copy ceiling is known of finals only */
    at__field_text(&o, at__match_name(f->match));
    at__field_text(&o, origin(f->shipped));
    const at__record elsewhere = { &(at__timing){ 0 }, &a->winner.resources, a->winner.config };
    at__metrics_csv_fields(&o, problem, f->own ? AT__RECORD_OF(&a->winner) : &elsewhere);
    at__print(stdout, "%s\n", at__whole(&o));
    at__str_clear(&o);
}

/* A configuration of another shape or device, or a runner-up: what to launch. */
static void print_found(const at__found *f, const at__problem *problem, at__format format)
{
    at__str shape = { 0 };
    at__problem_shape(&shape, problem);
    warn_of_date(f->answer);
    if (format == AT__CSV)
        found_csv(f, problem, at__whole(&shape));
    else if (format == AT__TEXT)
        found_text(f, problem, at__whole(&shape));
    else
        found_json(f, problem, at__whole(&shape));
    at__str_clear(&shape);
}

/* `outdated`: why it is; NULL: it is not. */
static void print_exact(const at__answer *answer, const at__problem *problem, bool shipped,
                        const char *outdated, at__format format)
{
    warn_of_date(answer);
    if (format == AT__JSON)
        print_json(answer, problem, shipped, outdated);
    else if (format == AT__CSV)
        print_csv(answer, problem, shipped);
    else
        print_text(answer, problem, shipped, outdated);
}

/* What the look-up found: near, or exact among those that came with the program. */
static void print_any(const at__found *found, const at__problem *problem, at__format format)
{
    at__answer launched = *found->answer;
    launched.winner.geometry = found->geometry;
    if (found->match == AT__MATCH_EXACT)
        print_exact(&launched, problem, found->shipped, NULL, format);
    else
        print_found(found, problem, format);
}

/* Where the store (NULL: there is none) has no winner to use. AT_ERR_NOT_FOUND: there is nothing; *err says
 * why what is nearest does not do, or is empty. */
static at_status query_near(at__store *store, const asking *a, const at__problem *problem,
                            const at__target *target, at_error *err)
{
    at__lookup *lookup = NULL;
    at__found found;
    at_status status = at__lookup_open(&lookup, store, a->catalog, err);
    if (status == AT_OK && a->with_shipped)
        at__lookup_add_shipped(lookup);
    if (status == AT_OK)
        status = at__lookup_find(&found, lookup, problem, target, err);
    bool asked_before = status == AT_OK && found.match == AT__MATCH_EXACT && !found.shipped;
    if (status == AT_OK &&
        (found.match == AT__MATCH_NONE || asked_before || (a->exact && found.match != AT__MATCH_EXACT)))
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s", found.refused ? found.why : "");
    if (status == AT_OK)
        print_any(&found, problem, a->format);
    at__lookup_close(lookup);
    return status;
}

/* A winner that is out of date is still told where there is nothing better: `autotune export` has its text.
 */
static at_status query_winner(at__answer *winner, at__store *store, const asking *a,
                              const at__problem *problem, at_error *err)
{
    at_error why = { 0 };
    const char *outdated = NULL;
    at_status status = AT_ERR_NOT_FOUND;
    at__geometry geometry;
    if (at__lookup_stands(&geometry, winner, store, a->catalog, problem, &why) == AT_OK) {
        winner->winner.geometry = geometry;
    } else {
        outdated = why.text;
        at__target target = { .full = true };
        snprintf(target.name, sizeof target.name, "%s", winner->fingerprint.device);
        status = query_near(store, a, problem, &target, err);
    }
    if (status == AT_ERR_NOT_FOUND) {
        print_exact(winner, problem, false, outdated, a->format);
        status = AT_OK;
    }
    return status;
}

static at_status query_nothing(at__store *store, const asking *a, const at__problem *problem, at_error *err)
{
    at_error cause = { 0 };
    at_status status = query_near(store, a, problem, &a->target, &cause);
    if (status == AT_ERR_NOT_FOUND)
        return not_stored(a, problem, cause.text, err);
    return status == AT_OK ? AT_OK : at_fail(err, status, "%s", cause.text);
}

static at_status query_store(at__store *store, const asking *a, const at__problem *problem,
                             const at__problem_key *key, at_error *err)
{
    at__answer answer = { 0 };
    at_error cause = { 0 };
    at_status status = at__store_find_winner(&answer, store, key, NULL, a->target.name, err);
    if (status == AT_OK && at__winner_check(&answer.winner, &cause) != AT_OK)
        status = at_fail(err, AT_ERR_STORE, "%s: the winner of %s %s is damaged: %s; tune the problem again",
                         a->path, key->op, key->shape, cause.text);
    else if (status == AT_OK)
        status = query_winner(&answer, store, a, problem, err);
    else if (status == AT_ERR_NOT_FOUND)
        status = query_nothing(store, a, problem, err);
    at__answer_clear(&answer);
    return status;
}

/* ---- tuning what is not known ---- */

/* Does the store know it, or, of a device that is named, what came with the program? What cannot be read does
 * not: the query itself will say why. */
static bool is_known(const asking *a, const at__problem *problem)
{
    at__store *store = NULL;
    at__lookup *lookup = NULL;
    at__found found = { .match = AT__MATCH_NONE };
    at_status status = at__store_open(&store, a->path, AT__STORE_READ, NULL);
    if (status == AT_OK || status == AT_ERR_NOT_FOUND)
        status = at__lookup_open(&lookup, store, a->catalog, NULL);
    if (status == AT_OK && a->with_shipped && a->device)
        at__lookup_add_shipped(lookup);
    if (status == AT_OK && at__lookup_find(&found, lookup, problem, &a->target, NULL) != AT_OK)
        found.match = AT__MATCH_NONE;
    at__lookup_close(lookup);
    at__store_close(store);
    return found.match == AT__MATCH_EXACT;
}

/* By this very program. That it fails is no reason not to answer. */
static void tune_first(const asking *a, const at__problem *problem)
{
    at_error err = { 0 };
    at__str text = { 0 };
    int index;
    const at__miss miss = { .program = "/proc/self/exe",
                            .database = a->path,
                            .templates = a->templates_dir,
                            .device =
                                at__device_is_index(&index, a->device ? a->device : "") ? a->device : "0",
                            .budget_s = a->tune_s,
                            .stop = &at__cancel_requested };
    if (is_known(a, problem) || at__miss_tune(&miss, problem, &err) == AT_OK)
        return;
    at__str_addf(&text, "not tuned: %s", err.text);
    at__warn(at__whole(&text));
    at__str_clear(&text);
}

/* Reads what the database records of operations, and leaves it open; one that cannot be opened so is told of
 * later.
 */
static at_status read_recorded(at__store **store, at__catalog *catalog, const char *path, at_error *err)
{
    at_error cause = { 0 };
    if (at__store_open(store, path, AT__STORE_READ, &cause) == AT_OK)
        return at__catalog_add_recorded_of(catalog, *store, err);
    *store = NULL;
    return at__catalog_add_recorded(catalog, path, err);
}

/* Which device --device means, unless that is known already. */
static at_status choose_device(asking *a, at__store *store, at_error *err)
{
    return a->target.full ? AT_OK : at__device_option(&a->target, a->device, store, a->with_shipped, err);
}

/* On a machine where nothing was tuned yet there is no default database: what came with the program answers.
 * Takes the store; NULL: it is not open, or was not there.
 */
static at_status query(at__store *store, asking *a, const at__problem *problem, at_error *err)
{
    at__problem_key key;
    at__str shape = { 0 };
    at_error cause = { 0 };
    at_status status = at__problem_key_of(&key, &shape, problem, err);
    if (status != AT_OK)
        goto done;
    if (!store)
        status = at__open_if_any(&store, a->path, &cause);
    bool answers = status == AT_OK || (status == AT_ERR_NOT_FOUND && !a->named && a->with_shipped);
    at_status named = answers ? choose_device(a, store, err) : AT_OK;
    if (named != AT_OK)
        status = named;
    else if (status == AT_OK)
        status = query_store(store, a, problem, &key, err);
    else if (!answers || (status = query_near(NULL, a, problem, &a->target, err)) == AT_ERR_NOT_FOUND)
        at_fail(err, status, "%s", cause.text);
done:
    at__str_clear(&shape);
    at__store_close(store);
    return status;
}

/* What could not be read of the catalog says more than that an operation is not known. */
static at_status read_problem(at__problem *out, const at__words *words, const at__catalog *catalog,
                              at_error *err)
{
    at_status status = at__problem_from_words(out, words, catalog, err);
    at_status failed = at__catalog_failure(catalog, err);
    return failed == AT_OK ? status : failed;
}

typedef struct query_args {
    const char *db, *device, *templates_dir, *format;
    bool json, without_shipped, exact;
    double tune_s;
    at__words words;
    at__folder_words folders;
} query_args;

static int run_query(const query_args *q)
{
    asking a = { .device = q->device,
                 .named = q->db != NULL,
                 .with_shipped = !q->without_shipped && at__shipped_wanted(),
                 .exact = q->exact,
                 .tune_s = q->tune_s,
                 .templates_dir = q->templates_dir };
    at__catalog *catalog = NULL;
    at__store *store = NULL;
    at__problem problem;
    at__str keep = { 0 };
    at_error err = { 0 };
    at_status status = at__format_parse(&a.format, q->json ? "json" : q->format, &err);
    if (status == AT_OK)
        status = at__check_device_option(q->device, &err);
    if (status == AT_OK)
        status = at__open_catalog_lazily(&catalog, q->templates_dir, &err);
    if (status == AT_OK)
        status = at__db_path_if_any(&a.path, q->db, a.with_shipped && q->tune_s <= 0, &keep, &err);
    if (status == AT_OK && a.path)
        status = read_recorded(&store, catalog, a.path, &err);
    if (status == AT_OK)
        status = read_problem(&problem, &q->words, catalog, &err);
    a.catalog = catalog;
    if (status == AT_OK && q->tune_s > 0)
        status = choose_device(&a, store, &err);
    if (status == AT_OK && q->tune_s > 0) {
        at__store_close(store); /* another process will write to it */
        store = NULL;
        tune_first(&a, &problem);
    }
    if (status == AT_OK)
        status = query(store, &a, &problem, &err);
    else
        at__store_close(store);
    at__catalog_close(catalog);
    at__str_clear(&keep);
    return status == AT_OK ? AT__EXIT_OK : at__complain(&err);
}

int at__cmd_query(int argc, char **argv)
{
    query_args q = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--device", AT__OPT_TEXT, "N|NAME", AT__DEVICE_NAME_HELP, &q.device },
        AT__DB_OPTION(&q.db),
        AT__TEMPLATES_OPTION(&q.templates_dir),
        AT__FOLDER_OPTIONS(&q.folders),
        { "--format", AT__OPT_TEXT, "text|json|csv", "of the answer", &q.format },
        { "--json", AT__OPT_FLAG, NULL, "the same as --format json", &q.json },
        { "--tune", AT__OPT_SECONDS, "TIME",
          "where the database has no exact answer, tune on device 0, or the number that --device names, "
          "first, for at most so long: 90s, 500ms, "
          "2m",
          &q.tune_s },
        { "--exact", AT__OPT_FLAG, NULL, "only what was measured for this very problem", &q.exact },
        { "--no-shipped", AT__OPT_FLAG, NULL, "without the winners that come with autotune",
          &q.without_shipped },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &q.words, &code))
        return code;
    return run_query(&q);
}
