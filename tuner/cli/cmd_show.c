/* cmd_show.c - `autotune show`: the stored trials of a problem. Needs no GPU, never writes. */
#include "cli/commands.h"
#include "lang/front.h"
#include "lang/metric_text.h"
#include "cli/report.h"
#include "cli/stored_problem.h"
#include "db/store.h"
#include "lookup/lookup.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune show [OP] SHAPE [DTYPE] [options]",
    "Prints the stored trials of a problem, the fastest first. Templates need not be here: OP and SHAPE are "
    "looked up as they are stored.",
};

/* A trial as stored; texts owned. */
typedef struct trial {
    atx_trial_row row;
    atx_fingerprint fingerprint;
    double score;         /* of the objective, smaller is better; INFINITY: none */
    const char *outdated; /* NULL: its template is still the same                 */
    bool on_front;        /* no other one is better in all figures of the front   */
} trial;

typedef struct trials {
    trial *items;
    size_t count, cap;
    bool failed; /* out of memory */
    const char *device;
    const atx_problem *problem;
    size_t in_the_future; /* dated so */
    const atx_catalog *catalog;
} trials;

static const char *why_outdated(const trials *t, const atx_trial_row *row)
{
    const atx_template *now = atx_catalog_find_template(t->catalog, t->problem->op, row->template_name);
    return !now                                              ? "its template is missing"
           : !atx_template_has_hash(now, row->template_hash) ? "its template has changed"
                                                             : NULL;
}

static bool keep(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    trials *t = context;
    if (*t->device && strcmp(f->device, t->device) != 0)
        return true;
    if (!atx_grow(&t->items, &t->cap, t->count, sizeof *t->items)) {
        t->failed = true;
        return false;
    }
    t->in_the_future += atx_utc_is_future(row->measured_at);
    t->items[t->count] = (trial){ .fingerprint = *f,
                                  .score = atx_score_or_none(t->problem, ATX_RECORD_OF(row)),
                                  .outdated = why_outdated(t, row) };
    t->failed |= !atx_trial_row_copy(&t->items[t->count++].row, row);
    return !t->failed;
}

static void trials_clear(trials *t)
{
    for (size_t i = 0; i < t->count; i++)
        atx_trial_row_clear(&t->items[i].row);
    free(t->items);
}

/* Timed ones by their score, the others behind them. */
static int by_score(const void *a, const void *b)
{
    const trial *x = a, *y = b;
    if ((x->row.outcome == ATX_TIMED) != (y->row.outcome == ATX_TIMED))
        return x->row.outcome == ATX_TIMED ? -1 : 1;
    if (x->score < y->score || x->score > y->score)
        return x->score < y->score ? -1 : 1;
    return strcmp(x->row.config, y->row.config);
}

typedef struct view {
    atx_format format;
    const atx_problem *problem;
    const atx_problem_key *key;
    double traffic_bytes, best;
    int64_t ops_count;
    bool mixed; /* more than one device, or cold and warm: each row says which */
    const atx_front *front;
} view;

/* A trial, and its problem. */
typedef struct shown {
    const view *view;
    const trial *trial;
} shown;

static void walk_trial(atx_row *row, const void *item)
{
    const view *v = ((const shown *)item)->view;
    const trial *t = ((const shown *)item)->trial;
    const bool timed = t->row.outcome == ATX_TIMED;
    const double s = t->row.timing.median_s;
    atx_row_text(row, "dtype", atx_dtype_name(v->problem->type));
    atx_row_text(row, "op", v->key->op);
    atx_row_text(row, "shape", v->key->shape);
    atx_row_text(row, "type_key", v->key->type_key);
    atx_trial_each_figure(&t->row, &t->fingerprint, atx_report_figure, row);
    atx_report_rates(row, timed ? 1e-9 * v->traffic_bytes / s : 0,
                     timed ? atx_gflop_per_s(v->ops_count, s) : 0);
    atx_row_real(row, "share_of_best", 5, timed ? v->best / t->score : NAN);
    atx_row_text(row, "outdated", t->outdated);
    atx_metrics_row(row, v->problem, timed ? ATX_RECORD_OF(&t->row) : NULL);
}

static bool shows_energy(const view *v)
{
    return atx_front_reads(v->front, ATX_FIGURE_JOULES);
}

static void print_head(const view *v, bool failed)
{
    ATX_LOCAL(atx_str) text = { 0 };
    if (v->format == ATX_TEXT && failed) {
        atx_print(stdout, "%-14s %-16s %s\n", "outcome", "template", "configuration");
    } else if (v->format == ATX_TEXT) {
        atx_metrics_text_head(&text, v->problem->op);
        if (shows_energy(v))
            atx_str_addf(&text, " %11s", "energy");
        atx_print(stdout, "%11s %8s%s%s %7s %7s %5s %7s  %-12s %s\n", "time", "GB/s",
                  v->ops_count > 0 ? "  GFLOP/s" : "", atx_whole(&text), "of best", "spread", "regs",
                  "shared", "template", "configuration");
    } else {
        atx_report_heads(&text, v->format, walk_trial,
                         &(shown){ v, &(trial){ .row = { .outcome = ATX_CRASHED } } });
        atx_print(stdout, "%s", atx_whole(&text));
    }
}

/* A figure that others did not record is a dash. */
static void figure(char out[24], double value)
{
    if (value > 0 || value == 0)
        snprintf(out, 24, "%.0f", value);
    else
        snprintf(out, 24, "-");
}

static void print_text(const view *v, const trial *t)
{
    char time[32], rate[32] = "", gb_per_s[24], registers[24], shared[24];
    ATX_LOCAL(atx_str) metrics = { 0 };
    atx_time_text(time, sizeof time, t->row.timing.median_s);
    if (v->ops_count > 0)
        snprintf(rate, sizeof rate, " %8.0f", atx_gflop_per_s(v->ops_count, t->row.timing.median_s));
    atx_metrics_text_columns(&metrics, v->problem, ATX_RECORD_OF(&t->row));
    if (shows_energy(v))
        atx_str_addf(&metrics, " %8.3g mJ", 1e3 * t->row.timing.joules);
    figure(gb_per_s, v->traffic_bytes > 0 ? 1e-9 * v->traffic_bytes / t->row.timing.median_s : -1);
    figure(registers, (double)t->row.resources.registers);
    figure(shared, (double)t->row.resources.shared_bytes);
    atx_print(stdout, "%11s %8s%s%s %5.1f %% %5.1f %% %5s %7s  %-12s %s", time, gb_per_s, rate,
              atx_whole(&metrics), 100 * v->best / t->score, 100 * t->row.timing.spread, registers, shared,
              t->row.template_name, t->row.config);
    if (v->mixed)
        atx_print(stdout, "  [%s, %s]", t->fingerprint.device, t->fingerprint.cold ? "cold" : "warm");
    if (t->outdated)
        atx_print(stdout, "  [out of date]");
    atx_print(stdout, "\n");
}

static void print_trial(const view *v, const trial *t)
{
    atx_str row = { 0 };
    if (v->format != ATX_TEXT) {
        atx_report_row(&row, v->format, "autotune.show/1", walk_trial, &(shown){ v, t });
        atx_print(stdout, "%s", atx_whole(&row));
        atx_str_clear(&row);
    } else if (t->row.outcome != ATX_TIMED) {
        atx_print(stdout, "%-14s %-16s %s\n  %s\n", atx_outcome_name(t->row.outcome), t->row.template_name,
                  t->row.config, t->row.log);
    } else {
        print_text(v, t);
    }
}

typedef struct outcome_count {
    const char *name;
    int64_t trials;
} outcome_count;

static void walk_outcome(atx_row *row, const void *item)
{
    atx_row_text(row, "outcome", ((const outcome_count *)item)->name);
    atx_row_int(row, "trials", ((const outcome_count *)item)->trials);
}

static void print_outcomes(const trials *t, atx_format format)
{
    int64_t counts[ATX_OUTCOMES] = { 0 };
    ATX_LOCAL(atx_str) out = { 0 };
    for (size_t i = 0; i < t->count; i++)
        counts[t->items[i].row.outcome]++;
    atx_report_heads(&out, format, walk_outcome, &(outcome_count){ "", 0 });
    for (int i = 0; i < ATX_OUTCOMES; i++) {
        const outcome_count c = { atx_outcome_name((atx_outcome)i), counts[i] };
        if (format == ATX_TEXT)
            atx_str_addf(&out, "%-14s %6" PRId64 "\n", c.name, c.trials);
        else
            atx_report_row(&out, format, "autotune.show_outcomes/1", walk_outcome, &c);
    }
    atx_print(stdout, "%s", atx_whole(&out));
}

static bool is_mixed(const trials *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (strcmp(t->items[i].fingerprint.device, t->items[0].fingerprint.device) != 0 ||
            t->items[i].fingerprint.cold != t->items[0].fingerprint.cold)
            return true;
    return false;
}

/* Whether an earlier, faster row already stands for this template, among those that failed or the others. */
static bool template_seen(const trials *t, size_t i)
{
    bool timed = t->items[i].row.outcome == ATX_TIMED;
    for (size_t k = 0; k < i; k++)
        if ((t->items[k].row.outcome == ATX_TIMED) == timed &&
            strcmp(t->items[k].row.template_name, t->items[i].row.template_name) == 0)
            return true;
    return false;
}

static void warn_of_dates(const trials *t)
{
    char text[160];
    snprintf(
        text, sizeof text,
        "%zu of %zu trials are dated in the future: the clock of this machine, or of the one that measured "
        "them, was or is wrong",
        t->in_the_future, t->count);
    if (t->in_the_future)
        atx_warn(text);
}

/* The newest winner: is it of another operation, or of other headers, than those that are here? */
static void warn_of_newest(atx_store *store, const atx_problem_key *key, const atx_op *op,
                           const atx_catalog *catalog, const char *device)
{
    at_error why = { 0 };
    ATX_LOCAL(atx_str) text = { 0 };
    ATX_LOCAL(atx_answer) newest = { 0 };
    const atx_winner *w = &newest.winner;
    if (atx_store_find_winner(&newest, store, key, NULL, device, NULL) != AT_OK)
        return;
    if (atx_is_of_other_op(store, op, w->op_hash))
        atx_str_addf(&text,
                     "out of date: the operation %s has changed since, in %s; `autotune tune` verifies and "
                     "measures again",
                     op->name, op->text.file);
    else if (atx_lookup_check_headers(store, catalog, op, w->template_name, w->template_hash, &why) ==
             AT_ERR_INPUT)
        atx_str_addf(&text, "out of date: template %s: %s", w->template_name, why.text);
    if (text.len)
        atx_warn(atx_str_text(&text));
}

enum { SHOWN = 20 }; /* trials, without --top */

typedef struct show_args {
    const char *db, *device, *templates_dir, *format, *by, *figures;
    atx_front front;
    atx_words words;
    atx_folder_words folders;
    int64_t top;
    bool failed;
    atx_stored_problem stored; /* of an op that is not here */
} show_args;

/* In a file it does not show that a table is short. */
static void tell_of_more(const trials *t, const show_args *a)
{
    int64_t all = 0;
    for (size_t i = 0; i < t->count; i++)
        all += (t->items[i].row.outcome == ATX_TIMED) != a->failed;
    if (all > SHOWN)
        atx_print(stderr, "%d of %" PRId64 " trials; --top 0 shows all\n", SHOWN, all);
}

static void print_trials(const trials *t, const show_args *a, const view *v)
{
    int64_t printed = 0;
    int64_t top = a->top < 0 ? SHOWN : a->top;
    bool by_template = a->by && strcmp(a->by, "template") == 0;
    print_head(v, a->failed);
    for (size_t i = 0; i < t->count && (by_template || top == 0 || printed < top); i++) {
        bool timed = t->items[i].row.outcome == ATX_TIMED;
        if (timed == a->failed || (a->front.count && !t->items[i].on_front) ||
            (by_template && template_seen(t, i)))
            continue;
        print_trial(v, &t->items[i]);
        printed++;
    }
    if (a->top < 0 && !by_template && printed == top)
        tell_of_more(t, a);
    if (!printed && v->format == ATX_TEXT)
        atx_print(stdout, "none\n");
}

/* Every trial's figures; INFINITY, which any other beats, where one of them is not known or its template has
 * changed. Returns how many are known. */
static size_t fill_values(double *values, const trials *t, const atx_front *front)
{
    size_t known = 0;
    for (size_t i = 0; i < t->count; i++) {
        const trial *at = &t->items[i];
        double *row = values + i * (size_t)front->count;
        const bool is_known = at->row.outcome == ATX_TIMED && !at->outdated &&
                              atx_front_values(row, front, t->problem, ATX_RECORD_OF(&at->row));
        for (int k = 0; k < front->count && !is_known; k++)
            row[k] = INFINITY;
        known += is_known;
    }
    return known;
}

static at_status find_front(trials *t, const atx_front *front, at_error *err)
{
    double *values = calloc(t->count * (size_t)front->count + 1, sizeof *values);
    bool *on = calloc(t->count + 1, sizeof *on);
    at_status status = AT_ERR_MEMORY;
    if (!values || !on) {
        atx_no_memory(err);
        goto done;
    }
    if (!fill_values(values, t, front)) {
        status =
            atx_fail(err, AT_ERR_NOT_FOUND, "none of %zu trials has all figures of the front%s", t->count,
                     atx_front_reads(front, ATX_FIGURE_JOULES)
                         ? "; `autotune tune --front time,energy_j` measures energy"
                         : "");
        goto done;
    }
    atx_front_choose(on, values, t->count, front->count);
    for (size_t i = 0; i < t->count; i++)
        t->items[i].on_front = on[i];
    status = AT_OK;
done:
    free(values);
    free(on);
    return status;
}

static at_status no_trials(const show_args *a, const atx_problem *problem, const atx_problem_key *key,
                           const char *path, const char *device, at_error *err)
{
    ATX_LOCAL(atx_str) command = { 0 };
    atx_add_tune_command(&command, problem, a->templates_dir, path);
    atx_fail(err, AT_ERR_NOT_FOUND, "%s has no trials of %s %s %s%s%s; make some with: %s", path, key->op,
             key->shape, atx_dtype_name(problem->type), *device ? " on " : "", device,
             atx_str_text(&command));
    return AT_ERR_NOT_FOUND;
}

static bool see(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    (void)row, (void)f;
    *(bool *)context = true;
    return false;
}

/* A replay's results are in a database of their own unless --db was named: look there, too. */
static void tell_of_replay(const atx_problem_key *key, at_error *err)
{
    const at_error cause = *err;
    atx_store *store = NULL;
    ATX_LOCAL(atx_str) path = { 0 };
    bool found = false;
    if (atx_store_replay_path(&path, NULL) == AT_OK &&
        atx_store_open(&store, atx_str_text(&path), ATX_STORE_READ, NULL) == AT_OK) {
        if (atx_store_each_trial(store, key, NULL, see, &found, NULL) == AT_OK && found)
            atx_fail(err, cause.status, "%s. Trials of replays are in %s: name it with --db", cause.text,
                     atx_str_text(&path));
        atx_store_close(store);
    }
}

static at_status show(const atx_problem *problem, const atx_catalog *catalog, const char *path,
                      const show_args *a, atx_format format, at_error *err)
{
    atx_store *store = NULL;
    atx_problem_key key;
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_target device = { 0 };
    ATX_LOCAL(trials) t = { .device = device.name, .problem = problem, .catalog = catalog };

    const bool here = problem->op != &a->stored.op;
    at_status status = here ? atx_problem_key_of(&key, &shape, problem, err) : AT_OK;
    if (!here)
        key = a->stored.key;
    ATX_THEN(status, atx_store_open_recording(&store, path, NULL, err));
    ATX_THEN(status, atx_stored_device_option(&device, a->device, store, err));
    ATX_THEN(status, atx_store_each_trial(store, &key, NULL, keep, &t, err));
    if (status == AT_OK && t.failed)
        status = atx_no_memory(err);
    if (status == AT_OK && t.count == 0)
        status = no_trials(a, problem, &key, path, device.name, err);
    bool may_be_replay = a->device ? strncasecmp(a->device, "replay", 6) == 0 : status == AT_ERR_NOT_FOUND;
    if (status != AT_OK && !a->db && may_be_replay)
        tell_of_replay(&key, err);
    if (status == AT_OK)
        qsort(t.items, t.count, sizeof *t.items, by_score);
    if (status == AT_OK && a->front.count)
        status = find_front(&t, &a->front, err);
    if (status == AT_OK) {
        view v = { .format = format,
                   .problem = problem,
                   .key = &key,
                   .traffic_bytes = (double)key.traffic_bytes,
                   .ops_count = key.ops_count,
                   .best = t.items[0].score,
                   .mixed = is_mixed(&t),
                   .front = &a->front };
        warn_of_dates(&t);
        if (here)
            warn_of_newest(store, &key, problem->op, catalog, device.name);
        if (a->by && strcmp(a->by, "outcome") == 0)
            print_outcomes(&t, format);
        else
            print_trials(&t, a, &v);
    }
    if (store)
        atx_store_close(store);
    return status;
}

/* Of an op that is not here, whatever is stored; *err stays what was wrong with the words where nothing is.
 */
static at_status find_stored(atx_problem *problem, show_args *a, const char *path, at_error *err)
{
    atx_store *store = NULL;
    const at_status before = err->status;
    at_error why = { 0 };
    at_status status = atx_store_open_recording(&store, path, NULL, NULL);
    ATX_THEN(status, atx_stored_problem_find(&a->stored, &a->words, store, &why));
    atx_store_close(store);
    *problem = a->stored.problem;
    if (status == AT_OK || *why.text == '\0')
        return status == AT_OK ? AT_OK : before;
    *err = why;
    return status;
}

int atx_cmd_show(int argc, char **argv)
{
    show_args a = { .top = -1 };
    const char *path = NULL;
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    atx_problem problem;
    atx_format format = ATX_TEXT;
    ATX_LOCAL(atx_str) keep_path = { 0 };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--by", ATX_OPT_TEXT, "template|outcome",
          "print the best trial of each template, or the number of trials of each outcome", &a.by },
        { "--front", ATX_OPT_TEXT, "FIGURE,FIGURE",
          "print only the trials that no other one beats in all of these: time, energy_j, registers, "
          "shared_bytes, spill_bytes, metrics of the operation",
          &a.figures },
        { "--top", ATX_OPT_COUNT, "N", "print at most N (default 20; 0: all)", &a.top },
        { "--failed", ATX_OPT_FLAG, NULL, "print the trials that failed, and why", &a.failed },
        { "--device", ATX_OPT_TEXT, "N|NAME",
          "number of a GPU of this machine, or whole words of one device's name (default: any device)",
          &a.device },
        ATX_DB_OPTION(&a.db),
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--format", ATX_OPT_TEXT, "text|json|csv", "output format (default text)", &a.format },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    at_status status = atx_format_parse(&format, a.format, &err);
    if (status == AT_OK && a.by && strcmp(a.by, "template") != 0 && strcmp(a.by, "outcome") != 0)
        status = atx_fail(&err, AT_ERR_USAGE, "--by: found '%s'; expected template or outcome", a.by);
    ATX_THEN(status, atx_open_catalog(&catalog, a.templates_dir, NULL, &err));
    ATX_THEN(status, atx_db_to_read(&path, a.db, &keep_path, &err));
    ATX_THEN(status, atx_catalog_add_recorded(catalog, path, &err));
    if (status == AT_OK) {
        status = atx_problem_from_words(&problem, &a.words, catalog, &err);
        if (status != AT_OK && a.words.count)
            status = find_stored(&problem, &a, path, &err);
    }
    if (status == AT_OK && a.figures)
        status = atx_front_parse(&a.front, a.figures, problem.op, &err);
    ATX_THEN(status, show(&problem, catalog, path, &a, format, &err));
    if (status != AT_OK)
        code = atx_complain(&err);
    atx_stored_problem_clear(&a.stored);
    return code;
}
