/* cmd_verify.c - `autotune verify`: stored winners measured again; the exit code says what became of them. */
#include "cli/commands.h"
#include "device/device.h"
#include "tune/remeasure.h"
#include "util/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const at__usage USAGE = {
    "autotune verify [[OP] SHAPE [DTYPE]] [options]",
    "Measures stored winners of this device model again, each in one interleaved final with those it was "
    "tied with, the runner-ups of its run, its template's default and the copy. Without a problem: all of "
    "them. Stores which configurations fail: a winner that is wrong is no answer any more, and "
    "`autotune tune` finds another. The exit code is that of the worst finding: 0 all hold, 10 a time has "
    "drifted, 11 "
    "another configuration is faster now, 12 a result is wrong, 1 there was nothing to verify, or a winner "
    "could not be measured.",
};

typedef struct verify_args {
    const char *db, *device, *shapes, *format, *templates_dir;
    double tolerance;
    int64_t tolerance_percent;
    bool warm;
    at__words words;
    at__folder_words folders;
} verify_args;

/* A stored winner and its problem. */
typedef struct item {
    at__problem problem;
    at__answer answer; /* owned */
} item;

typedef struct work {
    const verify_args *args;
    at__catalog *catalog;
    at__shapes shapes;
    at__tune_options options;
    at__str keep;
    at__device *device;
    at__session *session;
    at__format format;
    item *items;
    size_t count, cap;
    bool failed; /* out of memory while collecting */
    int found[AT__NOT_ASKED + 1];
} work;

/* ---- which winners ---- */

static bool of_this_device(const work *w, const at__answer *a)
{
    return strcmp(a->fingerprint.device, at__session_env(w->session)->fingerprint.device) == 0 &&
           a->fingerprint.cold == at__session_env(w->session)->fingerprint.cold;
}

static bool add_item(work *w, const at__problem *problem, at__answer *answer)
{
    if (!at__grow(&w->items, &w->cap, w->count, sizeof *w->items)) {
        w->failed = true;
        return false;
    }
    w->items[w->count++] = (item){ *problem, *answer };
    *answer = (at__answer){ 0 };
    return true;
}

static bool collect(void *context, at__answer *answer)
{
    work *w = context;
    at__problem problem;
    return !of_this_device(w, answer) || !at__problem_of_answer(&problem, answer, w->catalog) ||
           add_item(w, &problem, answer);
}

static at_status add_problem(work *w, const at__problem *problem, at_error *err)
{
    at__problem_key key;
    at__str shape = { 0 };
    at__answer answer = { 0 };
    at_status status = at__problem_key_of(&key, &shape, problem, err);
    if (status == AT_OK)
        status = at__store_find_winner(&answer, at__session_env(w->session)->store, &key, NULL,
                                       at__session_env(w->session)->fingerprint.device, err);
    if (status == AT_ERR_NOT_FOUND)
        status =
            at_fail(err, status, "%s has no winner of %s %s %s on %s", w->options.db_path, key.op, key.shape,
                    at__dtype_name(problem->type), at__session_env(w->session)->fingerprint.device);
    if (status == AT_OK && of_this_device(w, &answer))
        add_item(w, problem, &answer);
    at__answer_clear(&answer);
    at__str_clear(&shape);
    return status;
}

static at_status collect_all(work *w, at_error *err)
{
    const verify_args *a = w->args;
    at__problem problem;
    at_status status = AT_OK;
    for (size_t i = 0; i < w->shapes.count && status == AT_OK; i++)
        status = add_problem(w, &w->shapes.problems[i], err);
    if (status == AT_OK && a->words.count) {
        status = at__problem_from_words(&problem, &a->words, w->catalog, err);
        status = status == AT_OK ? add_problem(w, &problem, err) : status;
    }
    if (status == AT_OK && !a->shapes && !a->words.count)
        status = at__store_each_best(at__session_env(w->session)->store, collect, w, err);
    if (status == AT_OK && w->failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK && !w->count)
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s has no winner on %s to verify", w->options.db_path,
                         at__session_env(w->session)->fingerprint.device);
    return status;
}

/* ---- output ---- */

static double share(double ceiling_s, double median_s)
{
    return ceiling_s > 0 && median_s > 0 ? ceiling_s / median_s : 0;
}

static void print_head(const work *w)
{
    if (w->format == AT__TEXT)
        at__print(stdout, "%-24s %10s %10s  %6s %6s  %s\n", "problem", "stored us", "now us", "copy", "copy",
                  "finding");
    if (w->format == AT__CSV)
        at__print(stdout, "op,shape,dtype,standing,stored_us,now_us,stored_share,now_share,rival,rival_us\n");
}

static void add_json(at__str *o, const item *it, const at__remeasured *v)
{
    const at__winner *then = &it->answer.winner;
    at__str_add(o, "{");
    at__member_text(o, "op", it->answer.op);
    at__member_text(o, "shape", it->answer.shape);
    at__member_text(o, "dtype", at__dtype_name(it->problem.type));
    at__member_text(o, "standing", at__remeasure_verdict_name(v->standing));
    at__member_real(o, "stored_s", 9, then->timing.median_s);
    at__member_real(o, "now_s", 9, v->median_s);
    at__member_real(o, "stored_ceiling_s", 9, then->ceiling_s);
    at__member_real(o, "ceiling_s", 9, v->ceiling_s);
    at__member_real(o, "rival_s", 9, v->rival_s);
    at__member_text(o, "rival", at__str_text(&v->rival));
    at__member_text(o, "why", v->why);
    at__str_add(o, "}");
}

static void add_csv(at__str *o, const item *it, const at__remeasured *v)
{
    const at__winner *then = &it->answer.winner;
    at__field_text(o, it->answer.op);
    at__field_text(o, it->answer.shape);
    at__field_text(o, at__dtype_name(it->problem.type));
    at__field_text(o, at__remeasure_verdict_name(v->standing));
    at__field_real(o, 4, 1e6 * then->timing.median_s);
    at__field_real(o, 4, 1e6 * v->median_s);
    at__field_real(o, 4, share(then->ceiling_s, then->timing.median_s));
    at__field_real(o, 4, share(v->ceiling_s, v->median_s));
    at__field_text(o, at__str_text(&v->rival));
    at__field_real(o, 4, 1e6 * v->rival_s);
}

static void add_text(at__str *o, const item *it, const at__remeasured *v)
{
    const at__winner *then = &it->answer.winner;
    char problem[160];
    snprintf(problem, sizeof problem, "%s %s", it->answer.shape, at__dtype_name(it->problem.type));
    at__str_addf(o, "%-24s %10.2f %10.2f %5.1f %% %5.1f %%  %s%s%s", problem, 1e6 * then->timing.median_s,
                 1e6 * v->median_s, 100 * share(then->ceiling_s, then->timing.median_s),
                 100 * share(v->ceiling_s, v->median_s), at__remeasure_verdict_name(v->standing),
                 *v->why ? ": " : "", v->why);
}

static void print_row(const work *w, const item *it, const at__remeasured *v)
{
    at__str row = { 0 };
    if (w->format == AT__JSON)
        add_json(&row, it, v);
    else if (w->format == AT__CSV)
        add_csv(&row, it, v);
    else
        add_text(&row, it, v);
    at__print(stdout, "%s\n", at__whole(&row));
    fflush(stdout);
    at__str_clear(&row);
}

/* ---- the run ---- */

static void on_warning(void *context, const char *text)
{
    (void)context;
    at__warn(text);
}

/* Before anything is started, and before the database is open: it may be named here by mistake. */
static at_status read_shapes(work *w, at_error *err)
{
    const verify_args *a = w->args;
    if (a->shapes && a->words.count)
        return at_fail(err, AT_ERR_USAGE, "found both --shapes and '%s'; expected one of them",
                       a->words.items[0]);
    return a->shapes ? at__shapes_read(&w->shapes, a->shapes, w->catalog, NULL, err) : AT_OK;
}

static at_status open_all(work *w, const at__tune_events *events, at_error *err)
{
    const verify_args *a = w->args;
    at__cancel cancel = { .flag = &at__cancel_requested };
    at_status status = at__open_catalog(&w->catalog, a->templates_dir, NULL, err);
    if (status == AT_OK)
        status = at__db_path(&w->options.db_path, a->db, &w->keep, err);
    if (status == AT_OK && access(w->options.db_path, F_OK) != 0) /* a session would make it */
        status =
            at_fail(err, AT_ERR_NOT_FOUND,
                    "%s: no such database, so nothing to verify; `autotune SHAPE` makes it on a machine with "
                    "a GPU, or name another with --db",
                    w->options.db_path);
    if (status == AT_OK)
        status = read_shapes(w, err);
    if (status == AT_OK)
        status = at__device_open(&w->device, a->device ? a->device : "0", &cancel, err);
    bool replay = a->device && at__device_is_replay(a->device);
    w->options.warm = a->warm;
    w->options.force = true; /* whatever was known to fail here before */
    w->options.command = "verify";
    w->options.cancel = &at__cancel_requested;
    if (status == AT_OK)
        status = at__session_begin(&w->session, w->catalog, &w->options, replay, 0, NULL, events, err);
    if (status == AT_OK)
        status = at__session_open(w->session, w->device, err);
    return status == AT_OK ? collect_all(w, err) : status;
}

static at_status verify_all(work *w, at_error *err)
{
    at_status status = AT_OK;
    print_head(w);
    for (size_t i = 0; i < w->count && status == AT_OK && !at__cancel_requested; i++) {
        at__remeasured v = { 0 };
        status =
            at__remeasure(&v, w->session, &w->items[i].problem, &w->items[i].answer, w->args->tolerance, err);
        if (status == AT_OK) {
            w->found[v.standing]++;
            print_row(w, &w->items[i], &v);
            at__remeasured_clear(&v);
        }
    }
    return status;
}

static int exit_code(const work *w)
{
    if (at__cancel_requested)
        return AT__EXIT_INTERRUPTED;
    if (w->found[AT__NOT_RIGHT])
        return AT__EXIT_WRONG;
    if (w->found[AT__LOST_TITLE])
        return AT__EXIT_LOST;
    if (w->found[AT__DRIFTED])
        return AT__EXIT_DRIFT;
    return w->found[AT__NOT_ASKED] ? AT__EXIT_NOTHING : AT__EXIT_OK;
}

static void work_close(work *w)
{
    for (size_t i = 0; i < w->count; i++)
        at__answer_clear(&w->items[i].answer);
    free(w->items);
    at__session_close(w->session);
    at__device_close(w->device);
    at__shapes_clear(&w->shapes);
    at__catalog_close(w->catalog);
    at__str_clear(&w->keep);
}

int at__cmd_verify(int argc, char **argv)
{
    verify_args a = { .tolerance_percent = 5 };
    work w = { .args = &a };
    at__tune_events events = { .context = &w, .warning = on_warning };
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--device", AT__OPT_TEXT, "N|replay:FILE", "the CUDA device to measure on (default 0)", &a.device },
        { "--shapes", AT__OPT_TEXT, "FILE", "only these problems, one a line; - reads stdin", &a.shapes },
        AT__DB_OPTION(&a.db),
        { "--tolerance", AT__OPT_COUNT, "PERCENT", "a time that differs by more has drifted (default 5)",
          &a.tolerance_percent },
        { "--warm", AT__OPT_FLAG, NULL, "winners that were measured with a warm L2 cache", &a.warm },
        { "--format", AT__OPT_TEXT, "text|json|csv", "default text; json: one object a line", &a.format },
        AT__TEMPLATES_OPTION(&a.templates_dir),
        AT__FOLDER_OPTIONS(&a.folders),
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.tolerance = 0.01 * (double)a.tolerance_percent;
    at_status status = at__format_parse(&w.format, a.format, &err);
    if (status == AT_OK)
        status = open_all(&w, &events, &err);
    if (status == AT_OK)
        status = verify_all(&w, &err);
    code = status == AT_OK ? exit_code(&w) : at__complain(&err);
    work_close(&w);
    return code;
}
