/* cmd_compare.c - `autotune compare`: the winners of two databases. Needs no GPU, never writes. */
#include "cli/commands.h"
#include "cli/report.h"
#include "lookup/compare.h"
#include "util/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const atx_usage USAGE = {
    "autotune compare BEFORE AFTER [options]",
    "Compares the winners of two databases or dumps: a driver before and after its update, two GPUs, two "
    "versions of the templates. A problem is slower or faster if the 95 % confidence interval of the ratio "
    "of its times lies outside of the tolerance, the same if it lies inside, and unclear otherwise. The exit "
    "code is for CI: 13 if a problem is slower, 1 if the databases have no problem in common, else 0.",
};

typedef struct compare_args {
    const char *format;
    atx_words devices, words;
    double tolerance;
    int64_t tolerance_percent;
    bool all;
} compare_args;

static void add_text(atx_str *out, const atx_compared *c)
{
    const atx_winner *b = &c->before.winner, *a = &c->after.winner;
    char interval[48] = "-";
    bool same_config = strcmp(b->config, a->config) == 0 && strcmp(b->template_name, a->template_name) == 0;
    if (c->high > 0)
        snprintf(interval, sizeof interval, "%.3f to %.3f", c->low, c->high);
    atx_str_addf(out, "%-9s %6.3f  %-16s %10.2f %10.2f  %s %s %s: ", atx_difference_name(c->difference),
                 c->ratio, interval, 1e6 * b->timing.median_s, 1e6 * a->timing.median_s, c->before.op,
                 c->before.shape, c->before.type_key);
    if (same_config)
        atx_str_addf(out, "%s %s\n", b->template_name, b->config);
    else
        atx_str_addf(out, "%s %s -> %s %s\n", b->template_name, b->config, a->template_name, a->config);
}

static void walk_side(atx_row *row, const char *name, const atx_answer *a)
{
    atx_row_open(row, name);
    atx_row_text(row, "device", a->fingerprint.device);
    atx_row_text(row, "driver", a->fingerprint.driver);
    atx_row_text(row, "nvrtc", a->fingerprint.nvrtc);
    atx_row_text(row, "tool", a->fingerprint.tool);
    atx_row_text(row, "template", a->winner.template_name);
    atx_row_text(row, "config", a->winner.config);
    atx_row_real(row, "median_s", 9, a->winner.timing.median_s);
    atx_report_rates(row, atx_answer_gb_per_s(a), atx_answer_gflop_per_s(a));
    atx_row_text(row, "measured_at", a->measured_at);
    atx_row_close(row);
}

static void walk(atx_row *row, const void *item)
{
    const atx_compared *c = item;
    const bool known = c->high > 0;
    atx_row_text(row, "op", c->before.op);
    atx_row_text(row, "shape", c->before.shape);
    atx_row_text(row, "type_key", c->before.type_key);
    atx_row_text(row, "difference", atx_difference_name(c->difference));
    atx_row_real(row, "ratio", 6, c->ratio);
    atx_row_real(row, "ratio_low", 6, known ? c->low : NAN);
    atx_row_real(row, "ratio_high", 6, known ? c->high : NAN);
    walk_side(row, "before", &c->before);
    walk_side(row, "after", &c->after);
}

static void print_rows(const atx_comparison *c, atx_format format, bool all)
{
    ATX_LOCAL(atx_str) out = { 0 };
    atx_report_heads(&out, format, walk, &(atx_compared){ .ratio = NAN });
    if (format == ATX_TEXT)
        atx_str_addf(&out, "%-9s %6s  %-16s %10s %10s  %s\n", "finding", "ratio", "95 % interval",
                     "before us", "after us", "problem: winner");
    for (size_t i = 0; i < c->count; i++) {
        const atx_compared *item = &c->items[i];
        if (format != ATX_TEXT)
            atx_report_row(&out, format, "autotune.compare/1", walk, item);
        else if (all || item->difference != ATX_DIFF_SAME)
            add_text(&out, item);
    }
    atx_put(stdout, atx_whole(&out));
}

static void print_summary(const atx_comparison *c)
{
    ATX_LOCAL(atx_str) line = { 0 };
    fflush(stdout); /* the rows come first */
    atx_str_addf(&line, "%zu problem%s in common:", c->count, c->count == 1 ? "" : "s");
    for (int i = 0; i < ATX_DIFFERENCES; i++)
        atx_str_addf(&line, " %zu %s%s", c->differences[i], atx_difference_name((atx_difference)i),
                     i + 1 < ATX_DIFFERENCES ? "," : "");
    atx_str_addf(&line, "; after takes %.3f of the time before (geometric mean)", c->mean_ratio);
    if (c->only_before || c->only_after)
        atx_str_addf(&line, "; only before: %zu, only after: %zu", c->only_before, c->only_after);
    atx_print_line(stderr, 0, atx_str_text(&line));
}

static at_status check_args(const compare_args *a, at_error *err)
{
    if (a->words.count != 2)
        return atx_fail(err, AT_ERR_USAGE, "found %d file%s; expected two: BEFORE AFTER", a->words.count,
                        a->words.count == 1 ? "" : "s");
    if (a->devices.count > 2)
        return atx_fail(err, AT_ERR_USAGE, "--device: found %d names; expected one, or BEFORE,AFTER",
                        a->devices.count);
    return AT_OK;
}

static at_status open_one(atx_store **out, const char *path, at_error *err)
{
    ATX_TRY(atx_named_store(path, err));
    return atx_store_open_recording(out, path, NULL, err);
}

static at_status compare(atx_comparison *out, const compare_args *a, at_error *err)
{
    const int count = a->devices.count;
    atx_target of_before, of_after;
    ATX_CLOSED(atx_store) *before = NULL, *after = NULL;
    ATX_TRY(open_one(&before, a->words.items[0], err));
    ATX_TRY(open_one(&after, a->words.items[1], err));
    ATX_TRY(atx_stored_device_option(&of_before, count ? a->devices.items[0] : NULL, before, err));
    ATX_TRY(atx_stored_device_option(&of_after, count ? a->devices.items[count - 1] : NULL, after, err));
    ATX_TRY(atx_compare_stores(out, before, count ? of_before.name : NULL, after,
                               count ? of_after.name : NULL, a->tolerance, err));
    if (out->count == 0)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s and %s have no problem in common", a->words.items[0],
                        a->words.items[1]);
    return AT_OK;
}

int atx_cmd_compare(int argc, char **argv)
{
    compare_args a = { .tolerance_percent = 1 };
    ATX_LOCAL(atx_comparison) c = { 0 };
    atx_format format = ATX_TEXT;
    at_error err = { 0 };
    int code = ATX_EXIT_OK;
    const atx_option TABLE[] = {
        { "--device", ATX_OPT_LIST, "N|NAME[,N|NAME]",
          "number of a GPU of this machine, or whole words of one device's name; one for both databases, or "
          "one for each (default: the devices that both have, or the only one of each)",
          &a.devices },
        { "--tolerance", ATX_OPT_COUNT, "PERCENT",
          "largest change of a time that counts as the same (default 1)", &a.tolerance_percent },
        { "--all", ATX_OPT_FLAG, NULL, "also list problems whose times are the same", &a.all },
        { "--format", ATX_OPT_TEXT, "text|json|csv",
          "output format (default text); json: one object a line; json and csv list all problems",
          &a.format },
        { NULL, ATX_OPT_FLAG, NULL, NULL, NULL },
    };
    if (!atx_command_options(&USAGE, TABLE, argc, argv, &a.words, &code))
        return code;
    a.tolerance = 0.01 * (double)a.tolerance_percent;
    at_status status = atx_format_parse(&format, a.format, &err);
    ATX_THEN(status, check_args(&a, &err));
    ATX_THEN(status, compare(&c, &a, &err));
    if (status == AT_OK) {
        print_rows(&c, format, a.all);
        print_summary(&c);
    }
    code = status != AT_OK                  ? atx_complain(&err)
           : c.differences[ATX_DIFF_SLOWER] ? ATX_EXIT_SLOWER
                                            : ATX_EXIT_OK;
    return code;
}
