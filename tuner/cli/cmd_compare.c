/* cmd_compare.c - `autotune compare`: the winners of two databases. Needs no GPU, never writes. */
#include "cli/commands.h"
#include "cli/report.h"
#include "lookup/compare.h"
#include "util/rows.h"

#include <stdio.h>
#include <string.h>

static const at__usage USAGE = {
    "autotune compare BEFORE AFTER [options]",
    "Compares the winners of two databases or dumps: a driver before and after its update, two GPUs, two "
    "versions of the templates. A problem is slower or faster when the 95 % interval of the ratio of its "
    "times lies beyond the tolerance, the same when it lies within, and unclear otherwise. The exit code is "
    "for CI: 13 when a problem is slower, 1 when the databases have no problem in common, else 0.",
};

typedef struct compare_args {
    const char *format;
    at__words devices, words;
    double tolerance;
    int64_t tolerance_percent;
    bool all;
} compare_args;

static void add_text(at__str *out, const at__compared *c)
{
    const at__winner *b = &c->before.winner, *a = &c->after.winner;
    char interval[48] = "-";
    bool same_config = strcmp(b->config, a->config) == 0 && strcmp(b->template_name, a->template_name) == 0;
    if (c->high > 0)
        snprintf(interval, sizeof interval, "%.3f to %.3f", c->low, c->high);
    at__str_addf(out, "%-9s %6.3f  %-16s %10.2f %10.2f  %s %s %s: ", at__difference_name(c->difference),
                 c->ratio, interval, 1e6 * b->timing.median_s, 1e6 * a->timing.median_s, c->before.op,
                 c->before.shape, c->before.type_key);
    if (same_config)
        at__str_addf(out, "%s %s\n", b->template_name, b->config);
    else
        at__str_addf(out, "%s %s -> %s %s\n", b->template_name, b->config, a->template_name, a->config);
}

static void add_csv(at__str *out, const at__compared *c)
{
    at__str row = { 0 };
    at__field_text(&row, c->before.op);
    at__field_text(&row, c->before.shape);
    at__field_text(&row, c->before.type_key);
    at__field_text(&row, at__difference_name(c->difference));
    at__field_real(&row, 5, c->ratio);
    at__field_real(&row, 5, c->low);
    at__field_real(&row, 5, c->high);
    at__field_real(&row, 4, 1e6 * c->before.winner.timing.median_s);
    at__field_real(&row, 4, 1e6 * c->after.winner.timing.median_s);
    at__field_text(&row, c->before.fingerprint.device);
    at__field_text(&row, c->after.fingerprint.device);
    at__field_text(&row, c->before.winner.template_name);
    at__field_text(&row, c->before.winner.config);
    at__field_text(&row, c->after.winner.template_name);
    at__field_text(&row, c->after.winner.config);
    at__str_addf(out, "%s\n", at__str_text(&row));
    at__str_clear(&row);
}

static void json_side(at__str *out, const char *name, const at__answer *a)
{
    at__member_name(out, name);
    at__str_add(out, "{");
    at__member_text(out, "device", a->fingerprint.device);
    at__member_text(out, "driver", a->fingerprint.driver);
    at__member_text(out, "nvrtc", a->fingerprint.nvrtc);
    at__member_text(out, "tool", a->fingerprint.tool);
    at__member_text(out, "template", a->winner.template_name);
    at__member_text(out, "config", a->winner.config);
    at__member_real(out, "median_s", 9, a->winner.timing.median_s);
    at__member_real(out, "gb_per_s", 5, at__answer_gb_per_s(a));
    at__report_gflop_member(out, at__answer_gflop_per_s(a));
    at__member_text(out, "measured_at", a->measured_at);
    at__str_add(out, "}");
}

static void add_json(at__str *out, const at__compared *c)
{
    at__str row = { 0 };
    at__str_add(&row, "{");
    at__member_text(&row, "op", c->before.op);
    at__member_text(&row, "shape", c->before.shape);
    at__member_text(&row, "type_key", c->before.type_key);
    at__member_text(&row, "difference", at__difference_name(c->difference));
    at__member_real(&row, "ratio", 6, c->ratio);
    at__member_real(&row, "low", 6, c->low);
    at__member_real(&row, "high", 6, c->high);
    json_side(&row, "before", &c->before);
    json_side(&row, "after", &c->after);
    at__str_addf(out, "%s}\n", at__str_text(&row));
    at__str_clear(&row);
}

static void add_head(at__str *out, at__format format)
{
    if (format == AT__CSV)
        at__str_add(out, "op,shape,type_key,difference,ratio,low,high,before_us,after_us,before_device,"
                         "after_device,before_template,before_config,after_template,after_config\n");
    if (format == AT__TEXT)
        at__str_addf(out, "%-9s %6s  %-16s %10s %10s  %s\n", "finding", "ratio", "95 % interval", "before us",
                     "after us", "problem: winner");
}

static void print_rows(const at__comparison *c, at__format format, bool all)
{
    at__str out = { 0 };
    add_head(&out, format);
    for (size_t i = 0; i < c->count; i++) {
        const at__compared *item = &c->items[i];
        if (format == AT__JSON)
            add_json(&out, item);
        else if (format == AT__CSV)
            add_csv(&out, item);
        else if (all || item->difference != AT__DIFF_SAME)
            add_text(&out, item);
    }
    at__put(stdout, at__whole(&out));
    at__str_clear(&out);
}

static void print_summary(const at__comparison *c)
{
    fflush(stdout); /* the rows come first */
    at__print(stderr, "%zu problem%s in common:", c->count, c->count == 1 ? "" : "s");
    for (int i = 0; i < AT__DIFFERENCES; i++)
        at__print(stderr, " %zu %s%s", c->differences[i], at__difference_name((at__difference)i),
                  i + 1 < AT__DIFFERENCES ? "," : "");
    at__print(stderr, "; after takes %.3f of the time before (geometric mean)", c->mean_ratio);
    if (c->only_before || c->only_after)
        at__print(stderr, "; only before: %zu, only after: %zu", c->only_before, c->only_after);
    at__print(stderr, "\n");
}

static at_status check_args(const compare_args *a, at_error *err)
{
    if (a->words.count != 2)
        return at_fail(err, AT_ERR_USAGE, "found %d file%s; expected two: BEFORE AFTER", a->words.count,
                       a->words.count == 1 ? "" : "s");
    if (a->devices.count > 2)
        return at_fail(err, AT_ERR_USAGE, "--device: found %d names; expected one, or BEFORE,AFTER",
                       a->devices.count);
    return AT_OK;
}

static at_status open_one(at__store **out, const char *path, at_error *err)
{
    at_status status = at__store_open_recording(out, path, err);
    if (status == AT_ERR_NOT_FOUND)
        status =
            at_fail(err, AT_ERR_NOT_FOUND,
                    "%s: no such file; expected a database, or what `autotune dump -o FILE` writes", path);
    return status;
}

static at_status compare(at__comparison *out, const compare_args *a, at_error *err)
{
    const int count = a->devices.count;
    at__target of_before, of_after;
    at__store *before = NULL, *after = NULL;
    at_status status = open_one(&before, a->words.items[0], err);
    if (status == AT_OK)
        status = open_one(&after, a->words.items[1], err);
    if (status == AT_OK)
        status = at__stored_device_option(&of_before, count ? a->devices.items[0] : NULL, before, err);
    if (status == AT_OK)
        status = at__stored_device_option(&of_after, count ? a->devices.items[count - 1] : NULL, after, err);
    if (status == AT_OK)
        status = at__compare_stores(out, before, count ? of_before.name : NULL, after,
                                    count ? of_after.name : NULL, a->tolerance, err);
    if (status == AT_OK && out->count == 0)
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s and %s have no problem in common", a->words.items[0],
                         a->words.items[1]);
    at__store_close(before);
    at__store_close(after);
    return status;
}

int at__cmd_compare(int argc, char **argv)
{
    compare_args a = { .tolerance_percent = 1 };
    at__comparison c = { 0 };
    at__format format = AT__TEXT;
    at_error err = { 0 };
    int code = AT__EXIT_OK;
    const at__option TABLE[] = {
        { "--device", AT__OPT_LIST, "N|NAME[,N|NAME]",
          "a GPU of this machine by its number, or the only device whose name has these words, the same for "
          "both or one for each (default: the devices that both have, or the one that each has)",
          &a.devices },
        { "--tolerance", AT__OPT_COUNT, "PERCENT", "a change that does not count (default 1)",
          &a.tolerance_percent },
        { "--all", AT__OPT_FLAG, NULL, "also list what is the same", &a.all },
        { "--format", AT__OPT_TEXT, "text|json|csv",
          "of the rows on stdout (default text); json: one object a line; the last two have all rows",
          &a.format },
        { NULL, AT__OPT_FLAG, NULL, NULL, NULL },
    };
    if (!at__command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.tolerance = 0.01 * (double)a.tolerance_percent;
    at_status status = at__format_parse(&format, a.format, &err);
    if (status == AT_OK)
        status = check_args(&a, &err);
    if (status == AT_OK)
        status = compare(&c, &a, &err);
    if (status == AT_OK) {
        print_rows(&c, format, a.all);
        print_summary(&c);
    }
    code = status != AT_OK                  ? at__complain(&err)
           : c.differences[AT__DIFF_SLOWER] ? AT__EXIT_SLOWER
                                            : AT__EXIT_OK;
    at__comparison_clear(&c);
    return code;
}
