/* cmd_verify.c - `autotune verify`: stored winners measured again; the exit code has the verdict. */
#include "cli/commands.h"
#include "cli/report.h"
#include "device/device.h"
#include "tune/reverify.h"
#include "util/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const atx_usage USAGE = {
    "autotune verify [[OP] SHAPE [DTYPE]] [options]",
    "Measures stored winners of this device model again: all of them, or that of the given problem. Each is "
    "re-measured side by side with the configurations that it tied with, the runner-ups of its run, its "
    "template's default and the copy. Configurations that fail are stored as such; a winner that is wrong is "
    "no longer an answer, and `autotune tune` finds another. The exit code is that of the worst finding: 0 "
    "all hold, 10 a time has drifted, 11 another configuration is faster now, 12 a result is wrong, 16 a "
    "winner could not be measured; 1: there was nothing to verify.",
};

typedef struct verify_args {
    const char *db, *device, *shapes, *format, *templates_dir;
    double tolerance;
    int64_t tolerance_percent;
    bool warm;
    atx_words words;
    atx_folder_words folders;
} verify_args;

/* A stored winner and its problem. */
typedef struct item {
    atx_problem problem;
    atx_answer answer; /* owned */
} item;

typedef struct work {
    const verify_args *args;
    atx_catalog *catalog;
    atx_shapes shapes;
    atx_tune_options options;
    atx_str keep, cache;
    atx_device *device;
    atx_session *session;
    atx_format format;
    item *items;
    size_t count, cap;
    bool failed; /* out of memory while collecting */
    int found[ATX_NOT_ASKED + 1];
} work;

/* ---- which winners ---- */

static bool of_this_device(const work *w, const atx_answer *a)
{
    return strcmp(a->fingerprint.device, atx_session_env(w->session)->fingerprint.device) == 0 &&
           a->fingerprint.cold == atx_session_env(w->session)->fingerprint.cold;
}

static bool add_item(work *w, const atx_problem *problem, atx_answer *answer)
{
    if (!atx_grow(&w->items, &w->cap, w->count, sizeof *w->items)) {
        w->failed = true;
        return false;
    }
    w->items[w->count++] = (item){ *problem, *answer };
    *answer = (atx_answer){ 0 };
    return true;
}

static bool collect(void *context, atx_answer *answer)
{
    work *w = context;
    atx_problem problem;
    return !of_this_device(w, answer) || !atx_problem_of_answer(&problem, answer, w->catalog) ||
           add_item(w, &problem, answer);
}

static at_status add_problem(work *w, const atx_problem *problem, at_error *err)
{
    atx_problem_key key;
    ATX_LOCAL(atx_str) shape = { 0 };
    ATX_LOCAL(atx_answer) answer = { 0 };
    at_status status = atx_problem_key_of(&key, &shape, problem, err);
    ATX_THEN(status, atx_store_find_winner(&answer, atx_session_env(w->session)->store, &key, NULL,
                                           atx_session_env(w->session)->fingerprint.device, err));
    if (status == AT_ERR_NOT_FOUND)
        status =
            atx_fail(err, status, "%s has no winner of %s %s %s on %s", w->options.db_path, key.op, key.shape,
                     atx_dtype_name(problem->type), atx_session_env(w->session)->fingerprint.device);
    if (status == AT_OK && of_this_device(w, &answer))
        add_item(w, problem, &answer);
    return status;
}

static at_status collect_all(work *w, at_error *err)
{
    const verify_args *a = w->args;
    atx_problem problem;
    at_status status = AT_OK;
    for (size_t i = 0; i < w->shapes.count && status == AT_OK; i++)
        status = add_problem(w, &w->shapes.problems[i], err);
    if (status == AT_OK && a->words.count) {
        status = atx_problem_from_words(&problem, &a->words, w->catalog, err);
        status = status == AT_OK ? add_problem(w, &problem, err) : status;
    }
    if (status == AT_OK && !a->shapes && !a->words.count)
        status = atx_store_each_best(atx_session_env(w->session)->store, collect, w, err);
    if (status == AT_OK && w->failed)
        status = atx_no_memory(err);
    if (status == AT_OK && !w->count)
        status = atx_fail(err, AT_ERR_NOT_FOUND, "%s has no winner on %s to verify", w->options.db_path,
                          atx_session_env(w->session)->fingerprint.device);
    return status;
}

/* ---- output ---- */

static double known(double seconds)
{
    return seconds > 0 ? seconds : NAN;
}

/* Seven characters, or more. */
static void share(char out[16], double ceiling_s, double median_s)
{
    if (ceiling_s > 0 && median_s > 0)
        snprintf(out, 16, "%5.1f %%", 100 * ceiling_s / median_s);
    else
        snprintf(out, 16, "%7s", "-");
}

/* A winner and its verdict. */
typedef struct checked {
    const item *item;
    const atx_reverified *found;
} checked;

static void walk(atx_row *row, const void *context)
{
    const item *it = ((const checked *)context)->item;
    const atx_reverified *v = ((const checked *)context)->found;
    const atx_winner *then = &it->answer.winner;
    atx_row_text(row, "op", it->answer.op);
    atx_row_text(row, "shape", it->answer.shape);
    atx_row_text(row, "dtype", atx_dtype_name(it->problem.type));
    atx_row_text(row, "verdict", atx_reverify_verdict_name(v->verdict));
    atx_row_real(row, "stored_s", 9, known(then->timing.median_s));
    atx_row_real(row, "now_s", 9, known(v->median_s));
    atx_row_real(row, "stored_ceiling_s", 9, known(then->ceiling_s));
    atx_row_real(row, "ceiling_s", 9, known(v->ceiling_s));
    atx_row_real(row, "rival_s", 9, known(v->rival_s));
    atx_row_text(row, "rival", v->rival.len ? v->rival.data : NULL);
    atx_row_text(row, "why", *v->why ? v->why : NULL);
}

static void print_head(const work *w)
{
    const item nothing = { .problem = { .op = NULL } };
    ATX_LOCAL(atx_str) head = { 0 };
    if (w->format == ATX_TEXT)
        atx_str_addf(&head, "%-24s %10s %10s  %6s %6s  %s\n", "problem", "stored us", "now us", "copy",
                     "copy", "finding");
    atx_report_heads(&head, w->format, walk, &(checked){ &nothing, &(atx_reverified){ .why = "" } });
    atx_print(stdout, "%s", atx_whole(&head));
}

static void add_text(atx_str *o, const item *it, const atx_reverified *v)
{
    const atx_winner *then = &it->answer.winner;
    char problem[160], stored[16], now[16];
    share(stored, then->ceiling_s, then->timing.median_s);
    share(now, v->ceiling_s, v->median_s);
    snprintf(problem, sizeof problem, "%s %s", it->answer.shape, atx_dtype_name(it->problem.type));
    atx_str_addf(o, "%-24s %10.2f %10.2f %s %s  %s%s%s\n", problem, 1e6 * then->timing.median_s,
                 1e6 * v->median_s, stored, now, atx_reverify_verdict_name(v->verdict), *v->why ? ": " : "",
                 v->why);
}

static void print_row(const work *w, const item *it, const atx_reverified *v)
{
    ATX_LOCAL(atx_str) row = { 0 };
    if (w->format == ATX_TEXT)
        add_text(&row, it, v);
    else
        atx_report_row(&row, w->format, "autotune.verify/1", walk, &(checked){ it, v });
    atx_print(stdout, "%s", atx_whole(&row));
    fflush(stdout);
}

/* ---- the run ---- */

static void on_warning(void *context, const char *text)
{
    (void)context;
    atx_warn(text);
}

/* Before anything is started, and before the database is open: it may be named here by mistake. */
static at_status read_shapes(work *w, at_error *err)
{
    const verify_args *a = w->args;
    if (a->shapes && a->words.count)
        return atx_fail(err, AT_ERR_USAGE, "found both --shapes and '%s'; expected one of them",
                        a->words.items[0]);
    return a->shapes ? atx_shapes_read(&w->shapes, a->shapes, w->catalog, NULL, err) : AT_OK;
}

static at_status open_all(work *w, const atx_tune_events *events, at_error *err)
{
    const verify_args *a = w->args;
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    at_status status = atx_open_catalog(&w->catalog, a->templates_dir, NULL, err);
    ATX_THEN(status, atx_db_to_read(&w->options.db_path, a->db, &w->keep, err));
    if (status == AT_OK && access(w->options.db_path, F_OK) != 0) /* a session would make it */
        status = atx_fail(
            err, AT_ERR_NOT_FOUND,
            "%s: no such database, so nothing to verify; `autotune SHAPE` makes it on a machine with "
            "a GPU, or name another with --db",
            w->options.db_path);
    ATX_THEN(status, atx_use_cache(&w->options, NULL, &w->cache, err));
    ATX_THEN(status, read_shapes(w, err));
    ATX_THEN(status, atx_device_open(&w->device, a->device ? a->device : "0", &cancel, err));
    bool replay = a->device && atx_device_is_replay(a->device);
    w->options.warm = a->warm;
    w->options.force = true; /* whatever was known to fail here before */
    w->options.command = "verify";
    w->options.cancel = &atx_cancel_requested;
    const atx_session_plan plan = {
        .catalog = w->catalog, .options = &w->options, .events = events, .replay = replay
    };
    ATX_THEN(status, atx_session_begin(&w->session, &plan, err));
    ATX_THEN(status, atx_session_open(w->session, w->device, err));
    return status == AT_OK ? collect_all(w, err) : status;
}

static at_status verify_all(work *w, at_error *err)
{
    print_head(w);
    for (size_t i = 0; i < w->count && !atx_cancel_requested; i++) {
        ATX_LOCAL(atx_reverified) v = { 0 };
        ATX_TRY(
            atx_reverify(&v, w->session, &w->items[i].problem, &w->items[i].answer, w->args->tolerance, err));
        w->found[v.verdict]++;
        print_row(w, &w->items[i], &v);
    }
    return AT_OK;
}

static int exit_code(const work *w)
{
    if (atx_cancel_requested)
        return ATX_EXIT_INTERRUPTED;
    if (w->found[ATX_NOT_RIGHT])
        return ATX_EXIT_WRONG;
    if (w->found[ATX_LOST_TITLE])
        return ATX_EXIT_LOST;
    if (w->found[ATX_DRIFTED])
        return ATX_EXIT_DRIFT;
    return w->found[ATX_NOT_ASKED] ? ATX_EXIT_UNCHECKED : ATX_EXIT_OK;
}

static void work_close(work *w)
{
    for (size_t i = 0; i < w->count; i++)
        atx_answer_clear(&w->items[i].answer);
    free(w->items);
    atx_session_close(w->session);
    atx_device_close(w->device);
    atx_shapes_clear(&w->shapes);
    atx_catalog_close(w->catalog);
    atx_str_clear(&w->keep);
    atx_str_clear(&w->cache);
}

int atx_cmd_verify(int argc, char **argv)
{
    verify_args a = { .tolerance_percent = 5 };
    work w = { .args = &a };
    atx_tune_events events = { .context = &w, .warning = on_warning };
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--device", ATX_OPT_TEXT, "N|replay:FILE", "CUDA device to measure on (default 0)", &a.device },
        { "--shapes", ATX_OPT_TEXT, "FILE", "only these problems, one a line; - reads stdin", &a.shapes },
        ATX_DB_OPTION(&a.db),
        { "--tolerance", ATX_OPT_COUNT, "PERCENT", "largest change of a time that is no drift (default 5)",
          &a.tolerance_percent },
        { "--warm", ATX_OPT_FLAG, NULL, "verify winners that were measured with a warm L2 cache", &a.warm },
        { "--format", ATX_OPT_TEXT, "text|json|csv", "output format (default text); json: one object a line",
          &a.format },
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.tolerance = 0.01 * (double)a.tolerance_percent;
    at_status status = atx_format_parse(&w.format, a.format, &err);
    ATX_THEN(status, open_all(&w, &events, &err));
    ATX_THEN(status, verify_all(&w, &err));
    code = status == AT_OK ? exit_code(&w) : atx_complain(&err);
    work_close(&w);
    return code;
}
