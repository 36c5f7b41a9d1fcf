/* cmd_space.c - `autotune space`: counts and lists a problem's configurations, without a GPU. */
#include "lang/arch.h"
#include "cli/commands.h"
#include "device/device.h"
#include "space/space_bench.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune space [OP] SHAPE [DTYPE] [options]",
    "Counts the valid configurations of every template for a problem; --list or --sample print them, --bench "
    "measures what building and using the spaces takes.",
};

typedef struct space_args {
    const char *arch, *device, *templates_dir, *format;
    at__words words, templates, fix;
    at__folder_words folders;
    int64_t sample, seed;
    bool list, bench;
} space_args;

static bool listing(const space_args *a)
{
    return a->list || a->sample > 0;
}

/* {"template":"tile","config":{"TILE":32,"ORDER":"in_fast"}} */
static void add_config_json(at__str *out, const at__template *t, const at__config *config)
{
    at__str_addf(out, "{\"template\":\"%s\",\"config\":{", t->name);
    for (int i = 0; i < t->param_count; i++) {
        const char *quote = t->params[i].labels ? "\"" : "";
        at__str_addf(out, "%s\"%s\":%s", i ? "," : "", t->params[i].name, quote);
        at__param_add_text(out, &t->params[i], config->values[i]);
        at__str_add(out, quote);
    }
    at__str_add(out, "}}");
}

static void print_config(const at__template *t, const at__config *config, at__format format, at__str *line)
{
    at__str_reset(line);
    if (format == AT__JSON) {
        add_config_json(line, t, config);
    } else {
        at__str_addf(line, "%s%s", t->name, format == AT__CSV ? "," : t->param_count ? " " : "");
        at__config_text(line, t, config);
    }
    at__print(stdout, "%s\n", at__whole(line));
}

/* A template's configurations, one a line; ends early on Ctrl-C or when nobody reads them any more. */
static void print_configs(const at__space *space, const space_args *a, at__format format)
{
    const at__template *t = at__space_template(space);
    int64_t count = at__space_count(space), wanted = a->list ? count : a->sample;
    at__rng rng = { (uint64_t)a->seed };
    at__str line = { 0 };
    for (int64_t i = 0; i < wanted && count > 0 && !at__cancel_requested && !ferror(stdout); i++) {
        at__config config;
        at__space_config(&config, space, a->list ? i : at__space_sample(space, &rng));
        print_config(t, &config, format, &line);
    }
    if (count == 0) {
        at__str_addf(&line, "%s has no configuration here; none satisfies: %s", t->name,
                     at__space_refusal(space));
        at__warn(at__str_text(&line));
    }
    at__str_clear(&line);
}

static void print_count(const at__space *space, at__format format, double seconds)
{
    const char *name = at__space_template(space)->name, *refusal = at__space_refusal(space);
    if (format == AT__JSON) {
        at__str line = { 0 };
        at__str_add(&line, "{");
        at__member_text(&line, "template", name);
        at__member_real(&line, "raw", 17, at__space_raw_count(space));
        at__member_int(&line, "valid", at__space_count(space));
        at__member_real(&line, "seconds", 3, seconds);
        at__member_text(&line, "refusal", refusal);
        at__print(stdout, "%s}\n", at__whole(&line));
        at__str_clear(&line);
    } else if (format == AT__CSV) {
        at__print(stdout, "%s,%.17g,%" PRId64 ",%.3g\n", name, at__space_raw_count(space),
                  at__space_count(space), seconds);
    } else {
        at__print(stdout, "%-16s %12.0f %12" PRId64 "%s%s\n", name, at__space_raw_count(space),
                  at__space_count(space), refusal ? "  none satisfies: " : "", refusal ? refusal : "");
    }
}

/* ---- --bench ---- */

static void print_times(const char *name, const at__space_times *s, at__format format)
{
    static const char *const FORMS[] = {
        [AT__TEXT] = "%-16s %20.0f %10" PRId64 " %6d %9.1f %9.3f %9.1f %9.1f %9.1f %9.1f %10.3f\n",
        [AT__CSV] = "%s,%.17g,%" PRId64 ",%d,%.1f,%.4f,%.1f,%.1f,%.1f,%.1f,%.4f\n",
        [AT__JSON] = "{\"template\":\"%s\",\"raw\":%.17g,\"valid\":%" PRId64
                     ",\"groups\":%d,\"kib\":%.1f,\"open_ms\":%.4f,\"sample_ns\":%.1f,\"config_ns\":%.1f,"
                     "\"find_ns\":%.1f,\"neighbour_ns\":%.1f,\"rows_ms\":%.4f}\n",
    };
    at__print(stdout, FORMS[format], name, s->raw_count, s->count, s->groups, (double)s->bytes / 1024,
              1e3 * s->open_s, 1e9 * s->sample_s, 1e9 * s->config_s, 1e9 * s->find_s, 1e9 * s->neighbour_s,
              1e3 * s->rows_s);
}

static void print_bench_head(at__format format)
{
    if (format == AT__CSV)
        at__print(stdout,
                  "template,raw,valid,groups,kib,open_ms,sample_ns,config_ns,find_ns,neighbour_ns,rows_ms\n");
    else if (format == AT__TEXT)
        at__print(stdout, "%-16s %20s %10s %6s %9s %9s %9s %9s %9s %9s %10s\n", "template", "raw", "valid",
                  "groups", "KiB", "open ms", "sample ns", "config ns", "find ns", "neigh ns", "rows ms");
}

static at_status bench_spaces(const space_args *a, const at__catalog *catalog, const at__problem *problem,
                              const int64_t *slots, at__format format, at_error *err)
{
    double open_s = 0, rows_s = 0;
    at__cancel cancel = { .flag = &at__cancel_requested };
    at_status status = AT_OK;
    print_bench_head(format);
    for (int i = 0; i < at__catalog_template_count(catalog, problem->op) && status == AT_OK; i++) {
        const at__template *t = at__catalog_template(catalog, problem->op, i);
        at__space_times times;
        if (!at__words_choose(&a->templates, t->name) || at__cancel_requested)
            continue;
        status = at__space_bench(&times, t, slots, &cancel, err);
        if (status != AT_OK)
            break;
        print_times(t->name, &times, format);
        fflush(stdout);
        open_s += times.open_s;
        rows_s += times.rows_s > 0 ? times.rows_s : 0;
    }
    if (status == AT_OK && format == AT__TEXT)
        at__print(stdout, "%-65s %9.3f %50.3f\n", "all", 1e3 * open_s, 1e3 * rows_s);
    return status;
}

static void print_head(const space_args *a, at__format format)
{
    if (format == AT__CSV)
        at__print(stdout, "%s\n", listing(a) ? "template,config" : "template,raw,valid,seconds");
    else if (format == AT__TEXT && !listing(a))
        at__print(stdout, "%-16s %12s %12s\n", "template", "raw", "valid");
}

/* ---- patience ---- */

#define PATIENCE_S 3.0

/* What a user waits for who has waited for long, said once a template. */
typedef struct wait_note {
    const at__template *t;
    double started_s;
    bool warned;
} wait_note;

static void tell_of_wait(void *context)
{
    wait_note *n = context;
    double raw = 1;
    if (n->warned || at__now_s() - n->started_s < PATIENCE_S)
        return;
    n->warned = true;
    for (int i = 0; i < n->t->param_count; i++)
        raw *= n->t->params[i].count;
    at__print(stderr,
              "autotune: counting the configurations of %s, %.3g before its requirements; Ctrl-C ends it\n",
              n->t->name, raw);
}

static at_status open_space(at__space **out, const space_args *a, const at__template *t, const int64_t *slots,
                            const at__fix *fixes, at_error *err)
{
    wait_note note = { .t = t, .started_s = at__now_s() };
    at__cancel cancel = { .flag = &at__cancel_requested, .tick = tell_of_wait, .context = &note };
    return at__space_open_until(out, t, slots, fixes, a->fix.count, &cancel, err);
}

/* Nothing is printed before everything that was asked for is known to exist. */
static at_status show_spaces(const space_args *a, const at__catalog *catalog, const at__problem *problem,
                             const int64_t *slots, at__format format, at_error *err)
{
    at__fix fixes[AT__MAX_WORDS];
    int64_t total = 0;
    double raw = 0, started_s = at__now_s();
    at_status status = at__fixes_read(fixes, &a->fix, catalog, problem, 1, err);

    for (int i = 0; i < a->templates.count && status == AT_OK; i++)
        status = at__known_template(catalog, problem, 1, "--template", a->templates.items[i], err);
    if (status == AT_OK && a->bench)
        return bench_spaces(a, catalog, problem, slots, format, err);
    if (status == AT_OK)
        print_head(a, format);
    for (int i = 0; i < at__catalog_template_count(catalog, problem->op) && status == AT_OK; i++) {
        const at__template *t = at__catalog_template(catalog, problem->op, i);
        at__space *space = NULL;
        double start_s = at__now_s();
        if (!at__words_choose(&a->templates, t->name))
            continue;
        status = open_space(&space, a, t, slots, fixes, err);
        if (status != AT_OK)
            break;
        int64_t count = at__space_count(space);
        total = count > INT64_MAX - total ? INT64_MAX : total + count;
        raw += at__space_raw_count(space);
        if (listing(a))
            print_configs(space, a, format);
        else
            print_count(space, format, at__now_s() - start_s);
        at__space_close(space);
    }
    if (status == AT_OK && format == AT__TEXT && !listing(a))
        at__print(stdout, "%-16s %12.0f %12" PRId64 "  in %.1f ms\n", "all", raw, total,
                  1e3 * (at__now_s() - started_s));
    return status;
}

/* The limits of --arch (sm_90 when nothing is said), or of a device that is here. */
static at_status find_limits(at__limits *out, const space_args *a, at_error *err)
{
    at__device *device = NULL;
    at__cancel cancel = { .flag = &at__cancel_requested };
    if (!a->device)
        return at__arch_option(out, "--arch", a->arch ? a->arch : "sm_90", err);
    if (a->arch)
        return at_fail(err, AT_ERR_USAGE, "found both --arch and --device; expected one of them");
    at_status status = at__device_open(&device, a->device, &cancel, err);
    if (status == AT_OK)
        *out = at__device_info_of(device)->limits;
    at__device_close(device);
    return status;
}

int at__cmd_space(int argc, char **argv)
{
    space_args a = { .seed = 1 };
    at__catalog *catalog = NULL;
    at__problem problem;
    at__limits limits;
    at__format format = AT__TEXT;
    int64_t slots[AT__MAX_SLOTS];
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--arch", AT__OPT_TEXT, "sm_90", "architecture whose limits hold (default sm_90)", &a.arch },
        { "--device", AT__OPT_TEXT, "N", "the limits of this CUDA device instead", &a.device },
        { "--list", AT__OPT_FLAG, NULL, "print every valid configuration", &a.list },
        { "--bench", AT__OPT_FLAG, NULL,
          "measure: open counts and factors a space, from its declaration; rows writes all of them",
          &a.bench },
        { "--sample", AT__OPT_COUNT, "N",
          "print N of each template, each drawn from all its valid ones: one may come twice", &a.sample },
        { "--seed", AT__OPT_COUNT, "N", "of the sample (default 1)", &a.seed },
        { "--template", AT__OPT_LIST, "NAME[,NAME]", "only these templates", &a.templates },
        { "--fix", AT__OPT_LIST, "TEMPLATE.PARAM=VALUE", "only configurations with this value; repeatable",
          &a.fix },
        AT__TEMPLATES_OPTION(&a.templates_dir),
        AT__FOLDER_OPTIONS(&a.folders),
        { "--format", AT__OPT_TEXT, "text|json|csv", "of the counts and configurations", &a.format },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    at_status status = at__format_parse(&format, a.format, &err);
    if (status == AT_OK && a.bench && (a.list || a.sample || a.fix.count))
        status =
            at_fail(&err, AT_ERR_USAGE, "found --bench with --list, --sample or --fix; expected it alone");
    if (status == AT_OK && a.list && a.sample)
        status = at_fail(&err, AT_ERR_USAGE, "found both --list and --sample; expected one of them");
    if (status == AT_OK)
        status = at__open_catalog(&catalog, a.templates_dir, NULL, &err);
    if (status == AT_OK)
        status = at__catalog_add_replayed(catalog, a.device, &err);
    if (status == AT_OK)
        status = at__problem_from_words(&problem, &a.words, catalog, &err);
    if (status == AT_OK)
        status = find_limits(&limits, &a, &err);
    if (status == AT_OK)
        status = at__problem_bind(slots, &problem, &limits, &err);
    if (status == AT_OK)
        status = show_spaces(&a, catalog, &problem, slots, format, &err);
    if (status != AT_OK)
        code = at__complain(&err);
    at__catalog_close(catalog);
    return at__cancel_requested ? AT__EXIT_INTERRUPTED : code;
}
