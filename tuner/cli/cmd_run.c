/*
 * cmd_run.c - `autotune run`: one configuration, compiled, verified and timed; for the hour in which a kernel
 * is written. A tuning of a space of one, with a database of its own that is thrown away.
 */
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "device/verdict.h"
#include "lang/arch.h"
#include "lang/catalog.h"
#include "lang/metric_text.h"
#include "lookup/answer.h"
#include "tune/tune.h"
#include "util/rows.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const atx_usage USAGE = {
    "autotune run [OP] SHAPE [DTYPE] --config \"TEMPLATE PARAM=VALUE ...\" [options]",
    "Compiles, verifies and times one configuration of a template. Prints the time, what the compiler used, "
    "and what is wrong. Nothing is stored.",
};

/* ---- whether files have changed, by their time and size ---- */

enum { MAX_DEPTH = 3 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t mix_file(uint64_t hash, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return mix(hash, "gone", 4);
    hash = mix(hash, &info.st_mtim.tv_sec, sizeof info.st_mtim.tv_sec);
    hash = mix(hash, &info.st_mtim.tv_nsec, sizeof info.st_mtim.tv_nsec);
    hash = mix(hash, &info.st_ino, sizeof info.st_ino);
    return mix(hash, &info.st_size, sizeof info.st_size);
}

/* Entries come in any order, so their numbers are added. */
static uint64_t state_of_folder(const char *dir, int depth)
{
    uint64_t sum = 0;
    struct dirent *entry;
    DIR *open = opendir(dir);
    while (open && (entry = readdir(open)) != NULL) {
        char path[4096];
        struct stat info;
        int n = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        if (entry->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof path || stat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            sum += depth < MAX_DEPTH ? state_of_folder(path, depth + 1) : 0;
        else
            sum += mix_file(mix(1, path, strlen(path)), path);
    }
    if (open)
        closedir(open);
    return sum;
}

/* Everything that a template is made of (NULL: it could not be read), and all files of DIR (NULL: none). It
 * is asked for a few times a second: a handful of files, on any file system. */
static uint64_t watched_state(const atx_template *t, const char *dir)
{
    uint64_t hash = dir ? state_of_folder(dir, 0) : 0;
    for (int i = 0; t && i < t->text.part_count; i++)
        hash = mix_file(hash, t->text.parts[i].file);
    return hash;
}

typedef struct run_args {
    const char *templates_dir, *config, *device;
    atx_words words;
    atx_folder_words folders;
    const char *format;
    bool watch, warm;
} run_args;

/* One run. */
typedef struct attempt {
    const run_args *args;
    atx_catalog *catalog;
    const atx_template *t;
    atx_problem problem;
    atx_fix fixes[ATX_MAX_PARAMS];
    atx_str folder, db; /* "": not made */
    atx_display display;
    atx_format format;
    bool found, failed; /* failed: out of memory */
} attempt;

/* ---- the configuration ---- */

static at_status choose_config(attempt *r, at_error *err)
{
    const atx_op *op = r->problem.op;
    const char *text = r->args->config;
    atx_config config;
    if (atx_catalog_template_count(r->catalog, op) == 1) {
        r->t = atx_catalog_template(r->catalog, op, 0);
        memcpy(config.values, r->t->scope.defaults, sizeof config.values);
    } else if (!text) {
        return atx_fail(err, AT_ERR_USAGE,
                        "%s has %d templates; expected --config \"TEMPLATE PARAM=VALUE ...\"", op->name,
                        atx_catalog_template_count(r->catalog, op));
    }
    ATX_TRY(text ? atx_config_option(&r->t, &config, r->catalog, &r->problem, "--config", text, err) : AT_OK);
    for (int i = 0; i < r->t->scope.param_count; i++) {
        ATX_LOCAL(atx_str) value = { 0 };
        atx_param_add_text(&value, &r->t->scope.params[i], config.values[i]);
        snprintf(r->fixes[i].template_name, ATX_MAX_NAME, "%s", r->t->name);
        snprintf(r->fixes[i].param, ATX_MAX_NAME, "%s", r->t->scope.params[i].name);
        snprintf(r->fixes[i].value, ATX_MAX_NAME, "%s", atx_str_text(&value));
    }
    return AT_OK;
}

/* ---- a database for the moment ---- */

static at_status make_folder(attempt *r, at_error *err)
{
    const char *given = getenv("TMPDIR"), *tmp = given && *given ? given : "/tmp";
    atx_str_addf(&r->folder, "%s/autotune-run-XXXXXX", tmp);
    at_status status = atx_str_status(&r->folder, err);
    if (status == AT_OK && !mkdtemp(r->folder.data)) {
        status = atx_fail(err, AT_ERR_SYSTEM, "no folder for this run can be made in %s (TMPDIR): %s", tmp,
                          strerror(errno));
        atx_str_reset(&r->folder);
    }
    if (status != AT_OK)
        return status;
    atx_str_addf(&r->db, "%s/db", r->folder.data);
    return atx_str_status(&r->db, err);
}

static void remove_folder(attempt *r)
{
    struct dirent *entry;
    DIR *open = r->folder.len ? opendir(r->folder.data) : NULL;
    while (open && (entry = readdir(open)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(open), entry->d_name, 0);
    if (open)
        closedir(open);
    if (r->folder.len)
        rmdir(r->folder.data);
    atx_str_clear(&r->folder);
    atx_str_clear(&r->db);
}

/* ---- the result ---- */

static void on_progress(void *context, const atx_progress *progress)
{
    attempt *r = context;
    atx_display_show(&r->display, progress);
}

/* An answer's members, and the verdict. */
static void print_json(attempt *r, const atx_result *result)
{
    ATX_LOCAL(atx_str) out = { 0 };
    atx_row row = { .out = &out };
    const atx_found f = atx_report_found(result);
    atx_str_add(&out, "{");
    atx_member_text(&out, "schema", "autotune.run/1");
    r->failed = atx_answer_row(&row, &f, result->problem, "", NULL) != AT_OK;
    atx_verdict_member(&out, &result->verdict, result->verdict.outcome);
    atx_str_add(&out, "}\n");
    atx_print(stdout, "%s", atx_whole(&out));
}

static void on_result(void *context, const atx_result *result)
{
    attempt *r = context;
    atx_display_erase(&r->display);
    r->found = result->found;
    if (r->format == ATX_JSON) {
        print_json(r, result);
        return;
    }
    if (!result->found) {
        atx_print(stdout, "%s\n", result->why);
        return;
    }
    const atx_winner *w = &result->answer->winner;
    ATX_LOCAL(atx_str) metrics = { 0 };
    double us = 1e6 * w->timing.median_s;
    atx_print(stdout, "%s %s: %.2f us", w->template_name, w->config, us);
    if (result->answer->traffic_bytes > 0)
        atx_print(stdout, ", %.1f GB/s", 1e-3 * (double)result->answer->traffic_bytes / us);
    if (result->answer->ops_count > 0)
        atx_print(stdout, ", %.1f GFLOP/s", atx_gflop_per_s(result->answer->ops_count, 1e-6 * us));
    if (w->ceiling_s > 0)
        atx_print(stdout, ", %.1f %% of %s", 100 * w->ceiling_s / w->timing.median_s,
                  atx_ceiling_is_rate(w->ceiling_name) ? w->ceiling_name : "a plain copy");
    atx_print(stdout, "\n");
    atx_metrics_lines(&metrics, result->problem, ATX_RECORD_OF(w));
    atx_print(stdout, "%s", atx_whole(&metrics));
}

static void on_warning(void *context, const char *text)
{
    attempt *r = context;
    atx_display_erase(&r->display);
    atx_warn(text);
}

static void print_count(const char *what, int64_t value)
{
    if (value >= 0)
        atx_print(stdout, "  %-22s %" PRId64 "\n", what, value);
}

/* Of one launch; the compiler's figures are the maximum over all launches. */
static void print_occupancy(const attempt *r, const atx_trial_row *row, int64_t cc)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_config config;
    atx_geometry geometry;
    atx_limits limits;
    atx_arch_limits(&limits, cc);
    if (r->t->call.step_count > 1 || row->resources.registers < 0 ||
        atx_problem_bind(slots, &r->problem, &limits, NULL) != AT_OK ||
        atx_config_parse(&config, r->t, row->config, NULL) != AT_OK ||
        atx_config_bind(slots, r->t, &config, NULL) != AT_OK ||
        atx_geometry_of(&geometry, &r->t->call.steps[0].launch, slots, NULL) != AT_OK)
        return;
    atx_occupancy o = atx_arch_occupancy(cc, geometry.block[0] * geometry.block[1] * geometry.block[2],
                                         row->resources.registers, row->resources.shared_bytes);
    atx_print(stdout,
              "  %-22s %.0f %%: %" PRId64 " block%s, %" PRId64 " of %" PRId64 " warps; %s allow%s no more\n",
              "occupancy", 100 * (double)o.warps / (double)o.max_warps, o.blocks, o.blocks == 1 ? "" : "s",
              o.warps, o.max_warps, o.limit, strcmp(o.limit, "shared memory") == 0 ? "s" : "");
}

static bool show_trial(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    const attempt *r = context;
    if (strcmp(row->template_name, r->t->name) != 0)
        return true;
    print_count("registers", row->resources.registers);
    print_count("shared bytes", row->resources.shared_bytes);
    print_count("spilled bytes", row->resources.spill_bytes);
    print_count("stack bytes", row->resources.stack_bytes);
    print_occupancy(r, row, fingerprint->cc);
    if (row->compile_s > 0)
        atx_print(stdout, "  %-22s %.0f ms\n", "compiled in", 1e3 * row->compile_s);
    if (row->log[0] && !r->found)
        atx_print(stdout, "%s\n", row->log);
    return false;
}

/* The configuration's row in the run's database. */
static at_status show_resources(attempt *r, at_error *err)
{
    ATX_CLOSED(atx_store) *store = NULL;
    atx_problem_key key;
    ATX_LOCAL(atx_str) shape = { 0 };
    ATX_TRY(atx_problem_key_of(&key, &shape, &r->problem, err));
    ATX_TRY(atx_store_open(&store, atx_str_text(&r->db), ATX_STORE_READ, err));
    return atx_store_each_trial(store, &key, NULL, show_trial, r, err);
}

static at_status tune(attempt *r, at_error *err)
{
    const char *devices[] = { r->args->device ? r->args->device : "0" };
    const char *templates[] = { r->t->name };
    ATX_LOCAL(atx_str) cache = { 0 };
    atx_tune_options options = { .devices = devices,
                                 .device_count = 1,
                                 .seed = 1,
                                 .max_trials = 1,
                                 .force = true,
                                 .warm = r->args->warm,
                                 .fixes = r->fixes,
                                 .fix_count = r->t->scope.param_count,
                                 .templates = templates,
                                 .template_count = 1,
                                 .jobs = 1,
                                 .db_path = atx_str_text(&r->db),
                                 .command = "autotune run",
                                 .cancel = &atx_cancel_requested };
    const atx_tune_events events = {
        .context = r, .progress = on_progress, .result = on_result, .warning = on_warning
    };
    at_status status = atx_use_cache(&options, NULL, &cache, err);
    atx_display_init(&r->display, false, false);
    ATX_THEN(status, atx_tune(&r->problem, 1, r->catalog, &options, &events, err));
    atx_display_erase(&r->display);
    return status;
}

/* *state: of the files that were read; a change of them is a reason to run again. */
static int run_once(const run_args *a, uint64_t *state)
{
    attempt r = { .args = a };
    at_error err = { 0 };
    at_status status = atx_format_parse(&r.format, a->format, &err);
    if (status == AT_OK && r.format == ATX_CSV)
        status = atx_fail(&err, AT_ERR_USAGE, "--format: found 'csv'; expected text or json");
    ATX_THEN(status, atx_open_catalog(&r.catalog, a->templates_dir, NULL, &err));
    ATX_THEN(status, atx_problem_from_words(&r.problem, &a->words, r.catalog, &err));
    ATX_THEN(status, choose_config(&r, &err));
    *state = watched_state(r.t, a->templates_dir);
    ATX_THEN(status, make_folder(&r, &err));
    ATX_THEN(status, tune(&r, &err));
    if (status == AT_OK && r.format == ATX_TEXT && !atx_cancel_requested)
        status = show_resources(&r, &err);
    if (status == AT_OK && r.failed)
        status = atx_no_memory(&err);
    remove_folder(&r);
    int code = status != AT_OK ? atx_complain(&err) : r.found ? ATX_EXIT_OK : ATX_EXIT_FAILED;
    atx_catalog_close(r.catalog);
    fflush(stdout);
    return atx_cancel_requested ? ATX_EXIT_INTERRUPTED : code;
}

static void ignore(void *context, const char *why)
{
    (void)context;
    (void)why; /* told by the run itself */
}

/* The template as it is now, for its files: it may include others than before. */
static uint64_t state_now(const run_args *a)
{
    attempt r = { .args = a };
    at_error ignored;
    const atx_catalog_options options = { .dir = a->templates_dir,
                                          .headers = getenv(ATX_HEADERS_ENV),
                                          .allow = getenv(ATX_ALLOW_ENV),
                                          .broken = ignore };
    if (atx_catalog_open_with(&r.catalog, &options, &ignored) == AT_OK &&
        atx_problem_of_words(&r.problem, &a->words, r.catalog, &ignored) == AT_OK &&
        choose_config(&r, &ignored) != AT_OK)
        r.t = NULL;
    uint64_t state = watched_state(r.t, a->templates_dir);
    atx_catalog_close(r.catalog);
    return state;
}

static void wait_for_change(const run_args *a, uint64_t state)
{
    const struct timespec moment = { .tv_nsec = 200000000 };
    atx_print(stderr, "waiting for a change; Ctrl-C ends\n");
    while (!atx_cancel_requested && state_now(a) == state)
        nanosleep(&moment, NULL);
}

int atx_cmd_run(int argc, char **argv)
{
    run_args a = { 0 };
    int code = ATX_EXIT_OK;
    uint64_t state = 0;
    const atx_option TABLE[] = {
        { "--config", ATX_OPT_TEXT, "\"TEMPLATE PARAM=VALUE ...\"",
          "the configuration to run; parameters that are not named have the template's defaults; the "
          "template may be left out if the operation has only one",
          &a.config },
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--device", ATX_OPT_TEXT, "0", "CUDA device (default 0)", &a.device },
        { "--warm", ATX_OPT_FLAG, NULL, "leave inputs in the L2 cache", &a.warm },
        { "--format", ATX_OPT_TEXT, "text|json", "json: one object, with a verdict", &a.format },
        { "--watch", ATX_OPT_FLAG, NULL, "run again whenever a file of the template changes, until Ctrl-C",
          &a.watch },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    code = run_once(&a, &state);
    while (a.watch && !atx_cancel_requested) {
        wait_for_change(&a, state);
        if (!atx_cancel_requested)
            code = run_once(&a, &state);
    }
    return code;
}
