/* report_compare.c - this store beside an earlier one: what `autotune compare` says, as a plot and a table.
 */
#include "html/markup.h"
#include "html/report_internal.h"
#include "html/type_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int hue;
} KINDS[ATX_DIFFERENCES] = {
    [ATX_DIFF_SLOWER] = { "slower", 0 },
    [ATX_DIFF_FASTER] = { "faster", 150 },
    [ATX_DIFF_UNCLEAR] = { "unclear", 45 },
    [ATX_DIFF_SAME] = { "same", 210 },
};

static void add_plot(atx_html_page *p, const atx_comparison *c)
{
    atx_html_cloud cloud;
    if (atx_html_cloud_open(&cloud, c->count + 1)) {
        for (size_t i = 0; i < c->count; i++) {
            const atx_compared *x = &c->items[i];
            char figure[32];
            if (!atx_html_wants(p->options, &x->after))
                continue;
            snprintf(figure, sizeof figure, "%.3f", x->ratio);
            atx_html_cloud_add(&cloud,
                               (atx_point){ (double)x->after.traffic_bytes / 1048576, x->ratio,
                                            KINDS[x->difference].hue, KINDS[x->difference].name, NULL },
                               &x->after, figure);
        }
        atx_plot_add(p->out, &(atx_plot){ .caption = "Time after / time before: below 1 is faster",
                                          .x = { .label = "MiB moved", .logarithmic = true },
                                          .y = { .label = "after / before" },
                                          .width = 580,
                                          .height = 280,
                                          .points = cloud.points,
                                          .count = cloud.count });
    } else {
        p->failed = true;
    }
    atx_html_cloud_close(&cloud);
}

static void add_row(atx_html_page *p, const atx_compared *x)
{
    atx_str_addf(p->out, "<tr><td%s>%s</td>", x->difference == ATX_DIFF_SLOWER ? " class=\"bad\"" : "",
                 atx_difference_name(x->difference));
    atx_html_add(p->out, "<td class=\"b\">$ $</td><td class=\"b\">$</td><td>$</td>", x->after.op,
                 x->after.shape, atx_html_type(x->after.type_key), x->after.fingerprint.device);
    atx_str_addf(
        p->out, "<td class=\"n\">%.2f</td><td class=\"n\">%.2f</td><td class=\"n\">%.3f</td><td class=\"b\">",
        1e6 * x->before.winner.timing.median_s, 1e6 * x->after.winner.timing.median_s, x->ratio);
    if (x->high > 0)
        atx_str_addf(p->out, "%.3f to %.3f", x->low, x->high);
    const atx_winner *before = &x->before.winner, *after = &x->after.winner;
    bool other = strcmp(before->template_name, after->template_name) != 0 ||
                 strcmp(before->config, after->config) != 0;
    atx_html_add(p->out, "</td><td class=\"w\"><code>$ $</code></td><td>", after->template_name,
                 after->config);
    if (other)
        atx_html_add(p->out, "<code>$ $</code>", before->template_name, before->config);
    atx_str_add(p->out, other ? "</td></tr>\n" : "the same</td></tr>\n");
}

/* What the table below it counts to; problems of one store alone are not in the table. */
static void add_summary(atx_html_page *p, const atx_comparison *c)
{
    size_t count = 0, differences[ATX_DIFFERENCES] = { 0 };
    double logs = 0;
    for (size_t i = 0; i < c->count; i++) {
        const atx_compared *x = &c->items[i];
        if (!atx_html_wants(p->options, &x->after))
            continue;
        count++;
        differences[x->difference]++;
        logs += log(x->ratio);
    }
    atx_str_addf(p->out, "%zu problem%s in common", count, count == 1 ? "" : "s");
    for (int i = 0; i < ATX_DIFFERENCES; i++)
        atx_str_addf(p->out, "%s %zu %s", i ? "," : ":", differences[i],
                     atx_difference_name((atx_difference)i));
    if (count)
        atx_str_addf(p->out, "; geometric mean of time after / time before %.3f", exp(logs / (double)count));
    atx_str_add(p->out, ".");
    if (!p->options->op && !p->options->shape)
        atx_str_addf(p->out, " Only before: %zu, only after: %zu.", c->only_before, c->only_after);
    atx_str_add(p->out, "</p>\n");
}

void atx_html_before_and_after(atx_html_page *p)
{
    const atx_comparison *c = p->options->before;
    atx_html_add(p->out,
                 "<section>\n<h2>Before and after</h2>\n<p>Before: <code>$</code>; after: <code>$</code>. ",
                 p->options->before_source, p->options->source);
    add_summary(p, c);
    add_plot(p, c);
    atx_str_add(
        p->out,
        "<p class=\"filter\"><label>Show rows with <input type=\"search\"></label></p>\n" ATX_HTML_TABLE(
            "Before and after") "<tr>" ATX_HTML_TH("finding") ATX_HTML_TH("problem") ATX_HTML_TH("type")
            ATX_HTML_TH("device") ATX_HTML_THN("before, us") ATX_HTML_THN("after, us")
                ATX_HTML_THN("after / before") ATX_HTML_TH("95 % interval") ATX_HTML_TH("winner")
                    ATX_HTML_TH("winner before") "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < c->count; i++)
        if (atx_html_wants(p->options, &c->items[i].after))
            add_row(p, &c->items[i]);
    atx_str_add(p->out, ATX_HTML_TABLE_END "</section>\n");
}
