/* cmd_space.c - `autotune space`: counts and lists a problem's configurations, without a GPU. */
#include "cli/commands.h"
#include "cli/report.h"
#include "device/device.h"
#include "exchange/t1.h"
#include "space/space_bench.h"
#include "util/clock.h"

#include <inttypes.h>
#include <stdio.h>

static const atx_usage USAGE = {
    "autotune space [OP] SHAPE [DTYPE] [options]",
    "Counts the valid configurations of every template for a problem. --list and --sample print them; "
    "--bench measures how long building and using the spaces takes.",
};

typedef struct space_args {
    const char *arch, *device, *templates_dir, *format;
    atx_words words, templates, fix;
    atx_folder_words folders;
    int64_t sample, seed;
    bool list, bench, t1;
} space_args;

static bool is_wanted(const space_args *a, const atx_template *t)
{
    return atx_words_choose(&a->templates, t->name) && (a->templates.count || !t->replace_count);
}

static bool listing(const space_args *a)
{
    return a->list || a->sample > 0;
}

/* {"schema":"...","template":"tile","parameters":{"TILE":32,"ORDER":"in_fast"}} */
static void add_config_json(atx_str *out, const atx_template *t, const atx_config *config)
{
    atx_str_addf(out, "{\"schema\":\"autotune.space_config/1\",\"template\":\"%s\",\"parameters\":{",
                 t->name);
    for (int i = 0; i < t->scope.param_count; i++) {
        const char *quote = t->scope.params[i].labels ? "\"" : "";
        atx_str_addf(out, "%s\"%s\":%s", i ? "," : "", t->scope.params[i].name, quote);
        atx_param_add_text(out, &t->scope.params[i], config->values[i]);
        atx_str_add(out, quote);
    }
    atx_str_add(out, "}}");
}

static void print_config(const atx_template *t, const atx_config *config, atx_format format, atx_str *line)
{
    atx_str_reset(line);
    if (format == ATX_JSON) {
        add_config_json(line, t, config);
    } else {
        atx_str_addf(line, "%s%s", t->name, format == ATX_CSV ? "," : t->scope.param_count ? " " : "");
        atx_config_text(line, t, config);
    }
    atx_print(stdout, "%s\n", atx_whole(line));
}

/* A template's configurations, one a line; ends early on Ctrl-C or when the reader has gone. */
static void print_configs(const atx_space *space, const space_args *a, atx_format format)
{
    const atx_template *t = atx_space_template(space);
    int64_t count = atx_space_count(space), wanted = a->list ? count : a->sample;
    atx_rng rng = { (uint64_t)a->seed };
    ATX_LOCAL(atx_str) line = { 0 };
    for (int64_t i = 0; i < wanted && count > 0 && !atx_cancel_requested && !ferror(stdout); i++) {
        atx_config config;
        atx_space_config(&config, space, a->list ? i : atx_space_sample(space, &rng));
        print_config(t, &config, format, &line);
    }
    if (count == 0) {
        atx_str_addf(&line, "%s has no configuration here; none satisfies: %s", t->name,
                     atx_space_refusal(space));
        atx_warn(atx_str_text(&line));
    }
}

/* How many configurations a template has. */
typedef struct counted {
    const char *template_name, *refusal;
    double raw, seconds;
    int64_t valid;
} counted;

static void walk_count(atx_row *row, const void *item)
{
    const counted *c = item;
    atx_row_text(row, "template", c->template_name);
    atx_row_real(row, "raw_count", 17, c->raw);
    atx_row_int(row, "space_count", c->valid);
    atx_row_real(row, "elapsed_s", 3, c->seconds);
    atx_row_text(row, "refusal", c->refusal);
}

static void print_count(const atx_space *space, atx_format format, double seconds)
{
    const counted c = { .template_name = atx_space_template(space)->name,
                        .refusal = atx_space_refusal(space),
                        .raw = atx_space_raw_count(space),
                        .valid = atx_space_count(space),
                        .seconds = seconds };
    ATX_LOCAL(atx_str) line = { 0 };
    if (format == ATX_TEXT)
        atx_str_addf(&line, "%-16s %12.0f %12" PRId64 "%s%s\n", c.template_name, c.raw, c.valid,
                     c.refusal ? "  none satisfies: " : "", c.refusal ? c.refusal : "");
    else
        atx_report_row(&line, format, "autotune.space/1", walk_count, &c);
    atx_print(stdout, "%s", atx_whole(&line));
}

/* ---- --format t1 ---- */

/* Of the one template that --only leaves. */
static at_status print_t1(const space_args *a, const atx_catalog *catalog, const atx_problem *problem,
                          const int64_t *slots, at_error *err)
{
    ATX_LOCAL(atx_str) out = { 0 };
    const atx_template *chosen = NULL;
    for (int i = 0; i < atx_catalog_template_count(catalog, problem->op); i++) {
        const atx_template *t = atx_catalog_template(catalog, problem->op, i);
        if (!is_wanted(a, t))
            continue;
        if (chosen)
            return atx_fail(
                err, AT_ERR_USAGE,
                "--format t1: found several templates, %s and %s among them; expected --only NAME",
                chosen->name, t->name);
        chosen = t;
    }
    if (!chosen)
        return atx_fail(err, AT_ERR_INPUT, "--format t1: %s has no template here; expected one",
                        problem->op->name);
    ATX_TRY(atx_t1_add(&out, problem, chosen, slots, err));
    atx_print(stdout, "%s", atx_str_text(&out));
    return AT_OK;
}

/* ---- --bench ---- */

/* The time that a template's space takes. */
typedef struct timed {
    const char *template_name;
    atx_space_times times;
} timed;

static void walk_times(atx_row *row, const void *item)
{
    const atx_space_times *s = &((const timed *)item)->times;
    atx_row_text(row, "template", ((const timed *)item)->template_name);
    atx_row_real(row, "raw_count", 17, s->raw_count);
    atx_row_int(row, "space_count", s->count);
    atx_row_int(row, "groups", s->groups);
    atx_row_int(row, "space_bytes", (int64_t)s->bytes);
    atx_row_real(row, "open_s", 4, s->open_s);
    atx_row_real(row, "sample_s", 4, s->sample_s);
    atx_row_real(row, "config_s", 4, s->config_s);
    atx_row_real(row, "find_s", 4, s->find_s);
    atx_row_real(row, "neighbour_s", 4, s->neighbour_s);
    atx_row_real(row, "rows_s", 4, s->rows_s);
}

static void print_times(const timed *item, atx_format format)
{
    const atx_space_times *s = &item->times;
    ATX_LOCAL(atx_str) line = { 0 };
    if (format == ATX_TEXT)
        atx_str_addf(&line, "%-16s %20.0f %10" PRId64 " %6d %9.1f %9.3f %9.1f %9.1f %9.1f %9.1f %10.3f\n",
                     item->template_name, s->raw_count, s->count, s->groups, (double)s->bytes / 1024,
                     1e3 * s->open_s, 1e9 * s->sample_s, 1e9 * s->config_s, 1e9 * s->find_s,
                     1e9 * s->neighbour_s, 1e3 * s->rows_s);
    else
        atx_report_row(&line, format, "autotune.space_bench/1", walk_times, item);
    atx_print(stdout, "%s", atx_whole(&line));
}

static void print_bench_head(atx_format format)
{
    ATX_LOCAL(atx_str) head = { 0 };
    if (format == ATX_TEXT)
        atx_str_addf(&head, "%-16s %20s %10s %6s %9s %9s %9s %9s %9s %9s %10s\n", "template", "raw", "valid",
                     "groups", "KiB", "open ms", "sample ns", "config ns", "find ns", "neigh ns", "rows ms");
    atx_report_heads(&head, format, walk_times, &(timed){ .template_name = "" });
    atx_print(stdout, "%s", atx_whole(&head));
}

static at_status bench_spaces(const space_args *a, const atx_catalog *catalog, const atx_problem *problem,
                              const int64_t *slots, atx_format format, at_error *err)
{
    double open_s = 0, rows_s = 0;
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    print_bench_head(format);
    for (int i = 0; i < atx_catalog_template_count(catalog, problem->op); i++) {
        const atx_template *t = atx_catalog_template(catalog, problem->op, i);
        timed item = { .template_name = t->name };
        if (!is_wanted(a, t) || atx_cancel_requested)
            continue;
        ATX_TRY(atx_space_bench(&item.times, t, slots, &cancel, err));
        print_times(&item, format);
        fflush(stdout);
        open_s += item.times.open_s;
        rows_s += item.times.rows_s > 0 ? item.times.rows_s : 0;
    }
    if (format == ATX_TEXT)
        atx_print(stdout, "%-65s %9.3f %50.3f\n", "all", 1e3 * open_s, 1e3 * rows_s);
    return AT_OK;
}

static void print_head(const space_args *a, atx_format format)
{
    ATX_LOCAL(atx_str) head = { 0 };
    if (format == ATX_TEXT && !listing(a))
        atx_str_addf(&head, "%-16s %12s %12s\n", "template", "raw", "valid");
    else if (format == ATX_CSV && listing(a))
        atx_str_add(&head, "template,config\n");
    else if (!listing(a))
        atx_report_heads(&head, format, walk_count, &(counted){ .template_name = "" });
    atx_print(stdout, "%s", atx_whole(&head));
}

/* ---- wait time ---- */

#define WAIT_TIME_S 3.0

/* Tells a user who has waited for long which template is counted, once for each. */
typedef struct wait_note {
    const atx_template *t;
    double started_s;
    bool warned;
} wait_note;

static void tell_of_wait(void *context)
{
    wait_note *n = context;
    double raw = 1;
    if (n->warned || atx_now_s() - n->started_s < WAIT_TIME_S)
        return;
    n->warned = true;
    for (int i = 0; i < n->t->scope.param_count; i++)
        raw *= n->t->scope.params[i].count;
    atx_print(stderr,
              "autotune: counting the configurations of %s, %.3g before its requirements; Ctrl-C ends it\n",
              n->t->name, raw);
}

static at_status open_space(atx_space **out, const space_args *a, const atx_template *t, const int64_t *slots,
                            const atx_fix *fixes, at_error *err)
{
    wait_note note = { .t = t, .started_s = atx_now_s() };
    atx_cancel cancel = { .flag = &atx_cancel_requested, .tick = tell_of_wait, .context = &note };
    return atx_space_open_until(out, t, slots, fixes, a->fix.count, &cancel, err);
}

/* Nothing is printed before everything that was asked for is known to exist. */
static at_status show_spaces(const space_args *a, const atx_catalog *catalog, const atx_problem *problem,
                             const int64_t *slots, atx_format format, at_error *err)
{
    atx_fix fixes[ATX_MAX_WORDS];
    int64_t total = 0;
    double raw = 0, started_s = atx_now_s();
    ATX_TRY(atx_fixes_read(fixes, &a->fix, catalog, problem, 1, err));

    for (int i = 0; i < a->templates.count; i++)
        ATX_TRY(atx_known_template(catalog, problem, 1, "--only", a->templates.items[i], err));
    if (a->t1)
        return print_t1(a, catalog, problem, slots, err);
    if (a->bench)
        return bench_spaces(a, catalog, problem, slots, format, err);
    print_head(a, format);
    for (int i = 0; i < atx_catalog_template_count(catalog, problem->op); i++) {
        const atx_template *t = atx_catalog_template(catalog, problem->op, i);
        ATX_CLOSED(atx_space) *space = NULL;
        double start_s = atx_now_s();
        if (!is_wanted(a, t))
            continue;
        ATX_TRY(open_space(&space, a, t, slots, fixes, err));
        int64_t count = atx_space_count(space);
        total = count > INT64_MAX - total ? INT64_MAX : total + count;
        raw += atx_space_raw_count(space);
        if (listing(a))
            print_configs(space, a, format);
        else
            print_count(space, format, atx_now_s() - start_s);
    }
    if (format == ATX_TEXT && !listing(a))
        atx_print(stdout, "%-16s %12.0f %12" PRId64 "  in %.1f ms\n", "all", raw, total,
                  1e3 * (atx_now_s() - started_s));
    return AT_OK;
}

/* The limits of --arch (sm_90 when nothing is said), or of a device that is here. */
static at_status find_limits(atx_limits *out, const space_args *a, at_error *err)
{
    ATX_CLOSED(atx_device) *device = NULL;
    atx_cancel cancel = { .flag = &atx_cancel_requested };
    if (!a->device)
        return atx_arch_option(out, NULL, "--arch", a->arch ? a->arch : "sm_90", err);
    if (a->arch)
        return atx_fail(err, AT_ERR_USAGE, "found both --arch and --device; expected one of them");
    ATX_TRY(atx_device_open(&device, a->device, &cancel, err));
    *out = atx_device_info_of(device)->limits;
    return AT_OK;
}

int atx_cmd_space(int argc, char **argv)
{
    space_args a = { .seed = 1 };
    ATX_CLOSED(atx_catalog) *catalog = NULL;
    atx_problem problem;
    atx_limits limits;
    atx_format format = ATX_TEXT;
    int64_t slots[ATX_MAX_SLOTS];
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--arch", ATX_OPT_TEXT, "sm_90", "architecture whose limits apply (default sm_90)", &a.arch },
        { "--device", ATX_OPT_TEXT, "N", "apply the limits of this CUDA device instead", &a.device },
        { "--list", ATX_OPT_FLAG, NULL, "print every valid configuration", &a.list },
        { "--bench", ATX_OPT_FLAG, NULL,
          "measure times: open counts and factors a space, rows writes all configurations", &a.bench },
        { "--sample", ATX_OPT_COUNT, "N",
          "print N random valid configurations of each template; one may appear twice", &a.sample },
        { "--seed", ATX_OPT_COUNT, "N", "seed of the sample (default 1)", &a.seed },
        { "--only", ATX_OPT_LIST, "NAME[,NAME]", "only these templates", &a.templates },
        { "--fix", ATX_OPT_LIST, "TEMPLATE.PARAM=VALUE", "only configurations with this value; repeatable",
          &a.fix },
        ATX_TEMPLATES_OPTION(&a.templates_dir),
        ATX_FOLDER_OPTIONS(&a.folders),
        { "--format", ATX_OPT_TEXT, "text|json|csv|t1",
          "output format (default text); t1: one template's parameters, conditions and launch as a T1 "
          "declaration, for other tuners",
          &a.format },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.t1 = a.format && strcmp(a.format, "t1") == 0;
    at_status status = a.t1 ? AT_OK : atx_format_parse(&format, a.format, &err);
    if (a.t1 && (a.bench || a.list || a.sample || a.fix.count))
        status = atx_fail(&err, AT_ERR_USAGE,
                          "found --format t1 with --bench, --list, --sample or --fix; expected it alone");
    if (status == AT_OK && a.bench && (a.list || a.sample || a.fix.count))
        status =
            atx_fail(&err, AT_ERR_USAGE, "found --bench with --list, --sample or --fix; expected it alone");
    if (status == AT_OK && a.list && a.sample)
        status = atx_fail(&err, AT_ERR_USAGE, "found both --list and --sample; expected one of them");
    ATX_THEN(status, atx_open_catalog(&catalog, a.templates_dir, NULL, &err));
    ATX_THEN(status, atx_catalog_add_replayed(catalog, a.device, &err));
    ATX_THEN(status, atx_problem_from_words(&problem, &a.words, catalog, &err));
    ATX_THEN(status, find_limits(&limits, &a, &err));
    ATX_THEN(status, atx_problem_bind(slots, &problem, &limits, &err));
    ATX_THEN(status, show_spaces(&a, catalog, &problem, slots, format, &err));
    if (status != AT_OK)
        code = atx_complain(&err);
    return atx_cancel_requested ? ATX_EXIT_INTERRUPTED : code;
}
