/* cmd_show.c - `autotune show`: what was tried for a problem. Needs no GPU, never writes. */
#include "cli/commands.h"
#include "cli/metrics.h"
#include "cli/report.h"
#include "db/store.h"
#include "lookup/lookup.h"
#include "tune/tune.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune show [OP] SHAPE [DTYPE] [options]",
    "Prints the stored trials of a problem, the fastest first.",
};

/* A trial as stored; texts owned. */
typedef struct trial {
    char *template_name, *config, *log, *device;
    at__outcome outcome;
    at__timing timing;
    at__resources resources;
    double score;        /* what is tuned for, smaller is better; INFINITY: none */
    bool cold, outdated; /* its template is another one now, or is missing */
} trial;

typedef struct trials {
    trial *items;
    size_t count, cap;
    bool failed; /* out of memory */
    const char *device;
    const at__problem *problem;
    size_t in_the_future; /* dated so */
    const at__catalog *catalog;
} trials;

static char *copy(const char *text, trials *t)
{
    char *made = at__text_copy(text, strlen(text));
    t->failed |= !made;
    return made;
}

static bool is_outdated(const trials *t, const at__trial_row *row)
{
    const at__template *now = at__catalog_find_template(t->catalog, t->problem->op, row->template_name);
    return !now || !at__template_has_hash(now, row->template_hash);
}

static bool keep(void *context, const at__trial_row *row, const at__fingerprint *f)
{
    trials *t = context;
    if (*t->device && strcmp(f->device, t->device) != 0)
        return true;
    if (!at__grow(&t->items, &t->cap, t->count, sizeof *t->items)) {
        t->failed = true;
        return false;
    }
    t->in_the_future += at__utc_is_future(row->measured_at);
    t->items[t->count++] = (trial){ .template_name = copy(row->template_name, t),
                                    .config = copy(row->config, t),
                                    .log = copy(row->log, t),
                                    .device = copy(f->device, t),
                                    .outcome = row->outcome,
                                    .timing = row->timing,
                                    .resources = row->resources,
                                    .score = at__score_or_none(t->problem, AT__RECORD_OF(row)),
                                    .cold = f->cold,
                                    .outdated = is_outdated(t, row) };
    return !t->failed;
}

static void trials_clear(trials *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->items[i].template_name);
        free(t->items[i].config);
        free(t->items[i].log);
        free(t->items[i].device);
    }
    free(t->items);
}

/* Timed ones by what is tuned for, the others behind them. */
static int by_score(const void *a, const void *b)
{
    const trial *x = a, *y = b;
    if ((x->outcome == AT__TIMED) != (y->outcome == AT__TIMED))
        return x->outcome == AT__TIMED ? -1 : 1;
    if (x->score < y->score || x->score > y->score)
        return x->score < y->score ? -1 : 1;
    return strcmp(x->config, y->config);
}

typedef struct view {
    at__format format;
    const at__problem *problem;
    double traffic_bytes, best;
    int64_t ops_count;
    bool mixed; /* more than one device, or cold and warm: each row says which */
} view;

static void print_head(const view *v, bool failed)
{
    at__str metrics = { 0 };
    if (v->format == AT__CSV) {
        at__metrics_csv_head(&metrics, v->problem->op);
        at__print(stdout,
                  "template,config,outcome,median_us,gb_per_s,gflop_per_s,share_of_best,spread,samples,"
                  "registers,shared_bytes,stack_bytes,spill_bytes,local_bytes,device,cold,log%s\n",
                  at__whole(&metrics));
    } else if (v->format == AT__TEXT && failed) {
        at__print(stdout, "%-14s %-16s %s\n", "outcome", "template", "configuration");
    } else if (v->format == AT__TEXT) {
        at__metrics_text_head(&metrics, v->problem->op);
        at__print(stdout, "%11s %8s%s%s %7s %7s %5s %7s  %-12s %s\n", "time", "GB/s",
                  v->ops_count > 0 ? "  GFLOP/s" : "", at__whole(&metrics), "of best", "spread", "regs",
                  "shared", "template", "configuration");
    }
    at__str_clear(&metrics);
}

static void print_json(const view *v, const trial *t)
{
    const at__resources *r = &t->resources;
    at__str o = { 0 };
    at__str_add(&o, "{");
    at__member_text(&o, "template", t->template_name);
    at__member_text(&o, "config", t->config);
    at__member_text(&o, "outcome", at__outcome_name(t->outcome));
    if (t->outcome == AT__TIMED) {
        at__member_real(&o, "median_s", 9, t->timing.median_s);
        at__member_real(&o, "gb_per_s", 5, 1e-9 * v->traffic_bytes / t->timing.median_s);
        at__report_gflop_member(&o, at__gflop_per_s(v->ops_count, t->timing.median_s));
        at__metrics_member(&o, v->problem, AT__RECORD_OF(t));
        at__member_real(&o, "share_of_best", 5, v->best / t->score);
        at__member_real(&o, "spread", 4, t->timing.spread);
        at__member_int(&o, "samples", t->timing.samples);
    }
    at__member_int(&o, "shared_bytes", r->shared_bytes);
    at__report_resources(&o, r);
    at__member_text(&o, "device", t->device);
    at__member_bool(&o, "cold", t->cold);
    if (t->outdated)
        at__member_bool(&o, "outdated", true);
    at__member_text(&o, "log", t->log);
    at__print(stdout, "%s}\n", at__whole(&o));
    at__str_clear(&o);
}

static void print_csv(const view *v, const trial *t)
{
    bool timed = t->outcome == AT__TIMED;
    const at__resources *r = &t->resources;
    at__str o = { 0 };
    at__field_text(&o, t->template_name);
    at__field_text(&o, t->config);
    at__field_text(&o, at__outcome_name(t->outcome));
    at__field_real(&o, 4, 1e6 * t->timing.median_s);
    at__field_real(&o, 1, timed ? 1e-9 * v->traffic_bytes / t->timing.median_s : 0);
    at__report_gflop_field(&o, at__gflop_per_s(v->ops_count, t->timing.median_s));
    at__field_real(&o, 4, timed ? v->best / t->score : 0);
    at__field_real(&o, 4, t->timing.spread);
    at__field_int(&o, t->timing.samples);
    at__field_int(&o, r->registers);
    at__field_int(&o, r->shared_bytes);
    at__field_int(&o, r->stack_bytes);
    at__field_int(&o, r->spill_bytes);
    at__field_int(&o, r->local_bytes);
    at__field_text(&o, t->device);
    at__field_int(&o, t->cold);
    at__field_text(&o, t->log);
    at__metrics_csv_fields(&o, v->problem, AT__RECORD_OF(t));
    at__print(stdout, "%s\n", at__whole(&o));
    at__str_clear(&o);
}

static void print_text(const view *v, const trial *t)
{
    char time[32], rate[32] = "";
    at__str metrics = { 0 };
    at__time_text(time, sizeof time, t->timing.median_s);
    if (v->ops_count > 0)
        snprintf(rate, sizeof rate, " %8.0f", at__gflop_per_s(v->ops_count, t->timing.median_s));
    at__metrics_text_columns(&metrics, v->problem, AT__RECORD_OF(t));
    at__print(stdout, "%11s %8.0f%s%s %5.1f %% %5.1f %% %5" PRId64 " %7" PRId64 "  %-12s %s", time,
              1e-9 * v->traffic_bytes / t->timing.median_s, rate, at__whole(&metrics),
              100 * v->best / t->score, 100 * t->timing.spread, t->resources.registers,
              t->resources.shared_bytes, t->template_name, t->config);
    if (v->mixed)
        at__print(stdout, "  [%s, %s]", t->device, t->cold ? "cold" : "warm");
    if (t->outdated)
        at__print(stdout, "  [out of date]");
    at__print(stdout, "\n");
    at__str_clear(&metrics);
}

static void print_trial(const view *v, const trial *t)
{
    if (v->format == AT__JSON)
        print_json(v, t);
    else if (v->format == AT__CSV)
        print_csv(v, t);
    else if (t->outcome != AT__TIMED)
        at__print(stdout, "%-14s %-16s %s\n  %s\n", at__outcome_name(t->outcome), t->template_name, t->config,
                  t->log);
    else
        print_text(v, t);
}

static void print_outcomes(const trials *t, at__format format)
{
    static const char *const FORMATS[] = {
        [AT__TEXT] = "%-14s %6" PRId64 "\n",
        [AT__JSON] = "{\"outcome\":\"%s\",\"trials\":%" PRId64 "}\n",
        [AT__CSV] = "%s,%" PRId64 "\n",
    };
    int64_t counts[AT__OUTCOMES] = { 0 };
    for (size_t i = 0; i < t->count; i++)
        counts[t->items[i].outcome]++;
    if (format == AT__CSV)
        at__print(stdout, "outcome,trials\n");
    for (int i = 0; i < AT__OUTCOMES; i++)
        at__print(stdout, FORMATS[format], at__outcome_name((at__outcome)i), counts[i]);
}

static bool is_mixed(const trials *t)
{
    for (size_t i = 1; i < t->count; i++)
        if (strcmp(t->items[i].device, t->items[0].device) != 0 || t->items[i].cold != t->items[0].cold)
            return true;
    return false;
}

/* Whether an earlier, faster row already stands for this template, among those that failed or the others. */
static bool template_seen(const trials *t, size_t i)
{
    bool timed = t->items[i].outcome == AT__TIMED;
    for (size_t k = 0; k < i; k++)
        if ((t->items[k].outcome == AT__TIMED) == timed &&
            strcmp(t->items[k].template_name, t->items[i].template_name) == 0)
            return true;
    return false;
}

static void warn_of_dates(const trials *t)
{
    char text[160];
    snprintf(text, sizeof text,
             "%zu of %zu trials are dated in the future: a clock was or is wrong, here or where they were "
             "measured",
             t->in_the_future, t->count);
    if (t->in_the_future)
        at__warn(text);
}

/* Whether a kernel is right is what the op says. */
static void warn_of_other_op(at__store *store, const at__problem_key *key, const at__op *op,
                             const char *device)
{
    char text[400];
    at__answer newest = { 0 };
    if (at__store_find_winner(&newest, store, key, NULL, device, NULL) == AT_OK &&
        at__is_of_other_op(store, op, newest.winner.op_hash)) {
        snprintf(text, sizeof text,
                 "out of date: the operation %s was changed since, in %.150s; `autotune tune` proves and "
                 "measures again",
                 op->name, op->file);
        at__warn(text);
    }
    at__answer_clear(&newest);
}

/* Of the newest winner's: which of them is another one now, or where it was looked for. */
static void warn_of_headers(at__store *store, const at__problem_key *key, const at__op *op,
                            const at__catalog *catalog, const char *device)
{
    at_error why = { 0 };
    at__str text = { 0 };
    at__answer newest = { 0 };
    const at__winner *w = &newest.winner;
    if (at__store_find_winner(&newest, store, key, NULL, device, NULL) == AT_OK &&
        at__lookup_check_headers(store, catalog, op, w->template_name, w->template_hash, &why) ==
            AT_ERR_INPUT) {
        at__str_addf(&text, "out of date: template %s: %s", w->template_name, why.text);
        at__warn(at__str_text(&text));
    }
    at__str_clear(&text);
    at__answer_clear(&newest);
}

typedef struct show_args {
    const char *db, *device, *templates_dir, *format, *by;
    at__words words;
    at__folder_words folders;
    int64_t top;
    bool failed;
} show_args;

static void print_trials(const trials *t, const show_args *a, const view *v)
{
    int64_t printed = 0;
    bool by_template = a->by && strcmp(a->by, "template") == 0;
    print_head(v, a->failed);
    for (size_t i = 0; i < t->count && (by_template || a->top == 0 || printed < a->top); i++) {
        bool timed = t->items[i].outcome == AT__TIMED;
        if (timed == a->failed || (by_template && template_seen(t, i)))
            continue;
        print_trial(v, &t->items[i]);
        printed++;
    }
    if (!printed && v->format == AT__TEXT)
        at__print(stdout, "none\n");
}

static at_status no_trials(const show_args *a, const at__problem *problem, const at__problem_key *key,
                           const char *path, const char *device, at_error *err)
{
    at__str command = { 0 };
    at__add_tune_command(&command, problem, a->templates_dir, path);
    at_fail(err, AT_ERR_NOT_FOUND, "%s has no trials of %s %s %s%s%s; make some with: %s", path, key->op,
            key->shape, at__dtype_name(problem->type), *device ? " on " : "", device, at__str_text(&command));
    at__str_clear(&command);
    return AT_ERR_NOT_FOUND;
}

static bool see(void *context, const at__trial_row *row, const at__fingerprint *f)
{
    (void)row, (void)f;
    *(bool *)context = true;
    return false;
}

/* A replay's results are in a database of their own unless --db was named: they may be what is looked for. */
static void tell_of_replay(const at__problem_key *key, at_error *err)
{
    const at_error cause = *err;
    at__store *store = NULL;
    at__str path = { 0 };
    bool found = false;
    if (at__store_replay_path(&path, NULL) == AT_OK &&
        at__store_open(&store, at__str_text(&path), AT__STORE_READ, NULL) == AT_OK) {
        if (at__store_each_trial(store, key, NULL, see, &found, NULL) == AT_OK && found)
            at_fail(err, cause.status, "%s. What a replay tried is in %s: name it with --db", cause.text,
                    at__str_text(&path));
        at__store_close(store);
    }
    at__str_clear(&path);
}

static at_status show(const at__problem *problem, const at__catalog *catalog, const char *path,
                      const show_args *a, at__format format, at_error *err)
{
    at__store *store = NULL;
    at__problem_key key;
    at__str shape = { 0 };
    at__target device = { 0 };
    trials t = { .device = device.name, .problem = problem, .catalog = catalog };

    at_status status = at__problem_key_of(&key, &shape, problem, err);
    if (status == AT_OK)
        status = at__store_open(&store, path, AT__STORE_READ, err);
    if (status == AT_OK)
        status = at__stored_device_option(&device, a->device, store, err);
    if (status == AT_OK)
        status = at__store_each_trial(store, &key, NULL, keep, &t, err);
    if (status == AT_OK && t.failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK && t.count == 0)
        status = no_trials(a, problem, &key, path, device.name, err);
    bool may_be_replay = a->device ? strncasecmp(a->device, "replay", 6) == 0 : status == AT_ERR_NOT_FOUND;
    if (status != AT_OK && !a->db && may_be_replay)
        tell_of_replay(&key, err);
    if (status == AT_OK) {
        qsort(t.items, t.count, sizeof *t.items, by_score);
        view v = { .format = format,
                   .problem = problem,
                   .traffic_bytes = (double)key.traffic_bytes,
                   .ops_count = key.ops_count,
                   .best = t.items[0].score,
                   .mixed = is_mixed(&t) };
        warn_of_dates(&t);
        warn_of_other_op(store, &key, problem->op, device.name);
        warn_of_headers(store, &key, problem->op, catalog, device.name);
        if (a->by && strcmp(a->by, "outcome") == 0)
            print_outcomes(&t, format);
        else
            print_trials(&t, a, &v);
    }
    trials_clear(&t);
    at__str_clear(&shape);
    if (store)
        at__store_close(store);
    return status;
}

int at__cmd_show(int argc, char **argv)
{
    show_args a = { .top = 20 };
    const char *path = NULL;
    at__catalog *catalog = NULL;
    at__problem problem;
    at__format format = AT__TEXT;
    at__str keep_path = { 0 };
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--by", AT__OPT_TEXT, "template|outcome", "the best of each template; or how many had each outcome",
          &a.by },
        { "--top", AT__OPT_COUNT, "N", "print at most N (default 20; 0: all)", &a.top },
        { "--failed", AT__OPT_FLAG, NULL, "those that were not timed, and why", &a.failed },
        { "--device", AT__OPT_TEXT, "N|NAME",
          "a GPU of this machine by its number, or the only device whose name has these words (default: any)",
          &a.device },
        AT__DB_OPTION(&a.db),
        AT__TEMPLATES_OPTION(&a.templates_dir),
        AT__FOLDER_OPTIONS(&a.folders),
        { "--format", AT__OPT_TEXT, "text|json|csv", "of the rows", &a.format },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    at_status status = at__format_parse(&format, a.format, &err);
    if (status == AT_OK && a.by && strcmp(a.by, "template") != 0 && strcmp(a.by, "outcome") != 0)
        status = at_fail(&err, AT_ERR_USAGE, "--by: found '%s'; expected template or outcome", a.by);
    if (status == AT_OK)
        status = at__open_catalog(&catalog, a.templates_dir, NULL, &err);
    if (status == AT_OK)
        status = at__db_path(&path, a.db, &keep_path, &err);
    if (status == AT_OK)
        status = at__catalog_add_recorded(catalog, path, &err);
    if (status == AT_OK)
        status = at__problem_from_words(&problem, &a.words, catalog, &err);
    if (status == AT_OK)
        status = show(&problem, catalog, path, &a, format, &err);
    if (status != AT_OK)
        code = at__complain(&err);
    at__catalog_close(catalog);
    at__str_clear(&keep_path);
    return code;
}
