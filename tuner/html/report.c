/*
 * report.c - winners are collected and sorted, templates counted; then, device by device, plots over all
 * problems, a table, and a section for each problem (report_problem.c).
 */
#include "html/markup.h"
#include "html/plot.h"
#include "html/report_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting ---- */

static bool wanted(const at__html_options *o, const at__answer *a)
{
    return (!o->device || strcmp(a->fingerprint.device, o->device) == 0) &&
           (!o->op || strcmp(a->op, o->op) == 0) && (!o->shape || strcmp(a->shape, o->shape) == 0);
}

static bool collect(void *context, at__answer *answer)
{
    at__html_page *p = context;
    if (!wanted(p->options, answer))
        return true;
    if (!at__grow(&p->winners, &p->cap, p->count, sizeof *p->winners)) {
        p->failed = true;
        return false;
    }
    p->winners[p->count++] = *answer;
    *answer = (at__answer){ 0 };
    return true;
}

static int by_device_and_problem(const void *a, const void *b)
{
    const at__answer *x = a, *y = b;
    int order = strcmp(x->fingerprint.device, y->fingerprint.device);
    order = order ? order : strcmp(x->op, y->op);
    order = order ? order : (x->traffic_bytes > y->traffic_bytes) - (x->traffic_bytes < y->traffic_bytes);
    order = order ? order : strcmp(x->shape, y->shape);
    return order ? order : strcmp(x->type_key, y->type_key);
}

static int by_wins(const void *a, const void *b)
{
    const at__html_kind *x = a, *y = b;
    return x->wins != y->wins ? (x->wins < y->wins) - (x->wins > y->wins) : strcmp(x->name, y->name);
}

static void count_win(at__html_page *p, const char *name)
{
    for (size_t i = 0; i < p->kind_count; i++)
        if (strcmp(p->kinds[i].name, name) == 0) {
            p->kinds[i].wins++;
            return;
        }
    if (!at__grow(&p->kinds, &p->kind_cap, p->kind_count, sizeof *p->kinds)) {
        p->failed = true;
        return;
    }
    at__html_kind *made = &p->kinds[p->kind_count++];
    made->wins = 1;
    snprintf(made->name, sizeof made->name, "%s", name);
}

static at_status read_winners(at__html_page *p, at_error *err)
{
    at_status status = at__store_each_best(p->store, collect, p, err);
    for (size_t i = 0; i < p->count; i++)
        count_win(p, p->winners[i].winner.template_name);
    if (status == AT_OK && p->failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK && !p->count)
        status = at_fail(err, AT_ERR_NOT_FOUND, "%s has no winner%s to report on", p->options->source,
                         p->options->device || p->options->op || p->options->shape ? " of that kind" : "");
    if (status != AT_OK)
        return status;
    qsort(p->winners, p->count, sizeof *p->winners, by_device_and_problem);
    qsort(p->kinds, p->kind_count, sizeof *p->kinds, by_wins);
    return AT_OK;
}

/* ---- what sections share ---- */

int at__html_hue(const at__html_page *page, const char *template_name)
{
    for (size_t i = 0; i < page->kind_count; i++)
        if (strcmp(page->kinds[i].name, template_name) == 0)
            return at__hue_of(i);
    return at__hue_of(page->kind_count);
}

/* ---- a device ---- */

typedef struct section {
    size_t first, end; /* of the page's winners */
} section;

static void add_legend(at__html_page *p, section s)
{
    at__str_add(p->out, "<p>Templates and what they won:");
    for (size_t k = 0; k < p->kind_count; k++) {
        size_t wins = 0;
        for (size_t i = s.first; i < s.end; i++)
            wins += strcmp(p->winners[i].winner.template_name, p->kinds[k].name) == 0;
        if (!wins)
            continue;
        at__str_addf(p->out, " <span class=\"key\" style=\"--hue:%d\"></span>", at__hue_of(k));
        at__html_text(p->out, p->kinds[k].name);
        at__str_addf(p->out, "&nbsp;%zu", wins);
    }
    at__str_add(p->out, "</p>\n");
}

/* The last two sizes of "8x4096x128/...": rows and columns, where an op has such. */
static bool two_sizes(const char *shape, double *rows, double *cols)
{
    double sizes[8];
    int count = 0;
    const char *p = shape;
    while (count < 8) {
        char *end = NULL;
        sizes[count] = strtod(p, &end);
        if (end == p)
            break;
        count++;
        if (*end != 'x')
            break;
        p = end + 1;
    }
    if (count < 2)
        return false;
    *rows = sizes[count - 2];
    *cols = sizes[count - 1];
    return true;
}

/* Points and the texts that they borrow. */
typedef struct cloud {
    at__point *points;
    char (*texts)[160];
    size_t count;
} cloud;

static bool cloud_open(cloud *c, size_t most)
{
    *c = (cloud){ .points = calloc(most, sizeof *c->points), .texts = calloc(most, sizeof *c->texts) };
    return c->points && c->texts;
}

static void cloud_close(cloud *c)
{
    free(c->points);
    free(c->texts);
}

static void cloud_add(cloud *c, const at__html_page *p, const at__answer *a, double x, double y)
{
    char *text = c->texts[c->count];
    snprintf(text, sizeof *c->texts, "%.60s %.12s: %.40s, %.1f %%", a->shape, a->type_key,
             a->winner.template_name, 100 * at__answer_share(a));
    c->points[c->count++] = (at__point){ x, y, at__html_hue(p, a->winner.template_name), NULL, text };
}

static void plot_shares(at__html_page *p, section s, cloud *c)
{
    c->count = 0;
    for (size_t i = s.first; i < s.end; i++) {
        const at__answer *a = &p->winners[i];
        if (at__answer_share(a) > 0)
            cloud_add(c, p, a, (double)a->traffic_bytes / 1048576, 100 * at__answer_share(a));
    }
    at__plot_add(p->out, &(at__plot){ .caption = "Share of the ceiling by bytes moved",
                                      .x = { .label = "MiB moved", .logarithmic = true },
                                      .y = { .label = "% of the ceiling" },
                                      .width = 580,
                                      .height = 320,
                                      .points = c->points,
                                      .count = c->count });
}

static void plot_where(at__html_page *p, section s, cloud *c)
{
    c->count = 0;
    for (size_t i = s.first; i < s.end; i++) {
        double rows = 0, cols = 0;
        if (two_sizes(p->winners[i].shape, &rows, &cols))
            cloud_add(c, p, &p->winners[i], cols, rows);
    }
    at__plot_add(p->out,
                 &(at__plot){ .caption = "Which template wins where: the last two sizes of each problem",
                              .x = { .label = "last size", .logarithmic = true },
                              .y = { .label = "size before it", .logarithmic = true },
                              .width = 580,
                              .height = 320,
                              .points = c->points,
                              .count = c->count });
}

static void table_row(at__html_page *p, size_t index)
{
    const at__answer *a = &p->winners[index];
    const at__winner *w = &a->winner;
    char label[32];
    at__str_addf(p->out, "<tr><td class=\"b\"><a href=\"#p%zu\">", index);
    at__html_text(p->out, a->shape);
    at__str_add(p->out, " ");
    at__html_text(p->out, a->type_key);
    at__str_add(p->out, "</a></td><td class=\"n\">");
    at__html_time(p->out, w->timing.median_s);
    at__str_add(p->out, "</td><td class=\"n\">");
    if (a->traffic_bytes > 0 && w->timing.median_s > 0)
        at__str_addf(p->out, "%.0f", at__answer_gb_per_s(a));
    if (p->rates) {
        at__str_add(p->out, "</td><td class=\"n\">");
        if (a->ops_count > 0)
            at__str_addf(p->out, "%.0f", at__gflop_per_s(a->ops_count, w->timing.median_s));
    }
    at__str_add(p->out, "</td><td class=\"b\">");
    snprintf(label, sizeof label, "%.1f %%", 100 * at__answer_share(a));
    if (at__answer_share(a) > 0)
        at__html_bar(p->out, at__answer_share(a), label);
    at__str_addf(p->out,
                 "</td><td class=\"n\">%" PRId64 " of %" PRId64
                 "</td><td class=\"w\"><span class=\"key\" style=\"--hue:%d\">"
                 "</span><code>",
                 w->trials, w->space_count, at__html_hue(p, w->template_name));
    at__html_text(p->out, w->template_name);
    at__str_add(p->out, " ");
    at__html_text(p->out, w->config);
    at__str_add(p->out, "</code></td></tr>\n");
}

static void add_device_head(at__html_page *p, section s)
{
    const at__fingerprint *f = &p->winners[s.first].fingerprint;
    at__str_add(p->out, "<h2>");
    at__html_text(p->out, f->device);
    at__str_addf(p->out,
                 "</h2>\n<p class=\"soft\">compute capability %" PRId64 ".%" PRId64 ", %" PRId64
                 " multiprocessors, %" PRId64 " MiB; driver ",
                 f->cc / 10, f->cc % 10, f->sms, f->memory_mib);
    at__html_text(p->out, f->driver);
    at__str_add(p->out, ", NVRTC ");
    at__html_text(p->out, f->nvrtc);
    at__str_addf(p->out, "; %zu problems</p>\n", s.end - s.first);
}

static at_status add_device(at__html_page *p, section s, at_error *err)
{
    cloud c;
    at_status status = AT_OK;
    if (!cloud_open(&c, s.end - s.first)) {
        cloud_close(&c);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    p->rates = false;
    for (size_t i = s.first; i < s.end; i++)
        p->rates |= p->winners[i].ops_count > 0;
    add_device_head(p, s);
    add_legend(p, s);
    at__str_add(p->out, "<div>\n");
    plot_shares(p, s, &c);
    plot_where(p, s, &c);
    at__str_add(p->out, "</div>\n<div class=\"wide\"><table>\n<tr><th>problem</th><th class=\"n\">time</th>"
                        "<th class=\"n\">GB/s</th>");
    at__str_addf(p->out, "%s<th>of the ceiling</th><th class=\"n\">tried</th><th>winner</th></tr>\n",
                 p->rates ? "<th class=\"n\">GFLOP/s</th>" : "");
    for (size_t i = s.first; i < s.end; i++)
        table_row(p, i);
    at__str_add(p->out, "</table></div>\n<h3>Problem by problem</h3>\n");
    for (size_t i = s.first; i < s.end && status == AT_OK; i++)
        status = at__html_problem(p, i, err);
    cloud_close(&c);
    return status;
}

static void page_clear(at__html_page *p)
{
    for (size_t i = 0; i < p->count; i++)
        at__answer_clear(&p->winners[i]);
    free(p->winners);
    free(p->kinds);
}

at_status at__html_report(at__str *out, at__store *store, const at__html_options *options, at_error *err)
{
    at__html_page p = { .out = out, .store = store, .options = options };
    at_status status = read_winners(&p, err);
    if (status == AT_OK) {
        at__html_begin(out, "autotune report");
        at__str_addf(out, "<p>%zu winners of <code>", p.count);
        at__html_text(out, options->source);
        at__str_add(
            out, "</code>. Times are medians of the interleaved final; the ceiling is the fastest plain copy "
                 "of the same bytes in the same final, unless the operation names another.</p>\n");
    }
    for (size_t i = 0, end = 0; i < p.count && status == AT_OK; i = end) {
        for (end = i;
             end < p.count && !strcmp(p.winners[i].fingerprint.device, p.winners[end].fingerprint.device);
             end++)
            ;
        status = add_device(&p, (section){ i, end }, err);
    }
    if (status == AT_OK) {
        at__html_end(out);
        status = p.failed ? at_fail(err, AT_ERR_MEMORY, "out of memory") : at__str_status(out, err);
    }
    page_clear(&p);
    return status;
}
