/*
 * report.c - winners are collected and sorted, templates counted; then, device by device, plots over all
 * problems, a table, and a section for each problem (report_problem.c).
 */
#include "html/markup.h"
#include "html/report_internal.h"
#include "html/type_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting ---- */

static bool collect(void *context, atx_answer *answer)
{
    atx_html_page *p = context;
    if (!atx_html_wants(p->options, answer))
        return true;
    if (!atx_grow(&p->winners, &p->cap, p->count, sizeof *p->winners)) {
        p->failed = true;
        return false;
    }
    p->winners[p->count++] = *answer;
    *answer = (atx_answer){ 0 };
    return true;
}

static int by_device_and_problem(const void *a, const void *b)
{
    const atx_answer *x = a, *y = b;
    int order = strcmp(x->fingerprint.device, y->fingerprint.device);
    order = order ? order : strcmp(x->op, y->op);
    order = order ? order : (x->traffic_bytes > y->traffic_bytes) - (x->traffic_bytes < y->traffic_bytes);
    order = order ? order : strcmp(x->shape, y->shape);
    return order ? order : strcmp(x->type_key, y->type_key);
}

static int by_wins(const void *a, const void *b)
{
    const atx_html_kind *x = a, *y = b;
    return x->wins != y->wins ? (x->wins < y->wins) - (x->wins > y->wins) : strcmp(x->name, y->name);
}

static void count_win(atx_html_page *p, const char *name)
{
    for (size_t i = 0; i < p->kind_count; i++)
        if (strcmp(p->kinds[i].name, name) == 0) {
            p->kinds[i].wins++;
            return;
        }
    if (!atx_grow(&p->kinds, &p->kind_cap, p->kind_count, sizeof *p->kinds)) {
        p->failed = true;
        return;
    }
    atx_html_kind *made = &p->kinds[p->kind_count++];
    made->wins = 1;
    snprintf(made->name, sizeof made->name, "%s", name);
}

static at_status read_winners(atx_html_page *p, at_error *err)
{
    at_status status = atx_store_each_best(p->store, collect, p, err);
    for (size_t i = 0; i < p->count; i++)
        count_win(p, p->winners[i].winner.template_name);
    if (status == AT_OK && p->failed)
        status = atx_no_memory(err);
    if (status == AT_OK && !p->count)
        status = atx_fail(err, AT_ERR_NOT_FOUND, "%s has no winner%s to report on", p->options->source,
                          p->options->device || p->options->op || p->options->shape ? " of that kind" : "");
    if (status != AT_OK)
        return status;
    qsort(p->winners, p->count, sizeof *p->winners, by_device_and_problem);
    qsort(p->kinds, p->kind_count, sizeof *p->kinds, by_wins);
    return AT_OK;
}

enum { MOST_SECTIONS = 300 };

static int by_share(const void *a, const void *b)
{
    const atx_answer *const *x = a, *const *y = b;
    const double first = atx_answer_share(*x), second = atx_answer_share(*y);
    const bool known = first > 0, other = second > 0;
    if (known != other)
        return known ? -1 : 1; /* what cannot be said to be slow comes last */
    return first < second ? -1 : first > second ? 1 : (*x > *y) - (*x < *y);
}

/* On a page of many problems those that leave most to be gained have a section. */
static at_status choose_sections(atx_html_page *p, at_error *err)
{
    ATX_FREED const atx_answer **sorted = calloc(p->count + 1, sizeof *sorted);
    p->sections = calloc(p->count + 1, sizeof *p->sections);
    if (!sorted || !p->sections)
        return atx_no_memory(err);
    for (size_t i = 0; i < p->count; i++)
        sorted[i] = &p->winners[i];
    qsort(sorted, p->count, sizeof *sorted, by_share);
    for (size_t i = 0; i < p->count && i < MOST_SECTIONS; i++)
        p->sections[sorted[i] - p->winners] = true;
    return AT_OK;
}

/* ---- a device ---- */

typedef struct section {
    size_t first, end; /* of the page's winners */
} section;

static void add_legend(atx_html_page *p, section s)
{
    atx_str_add(p->out, "<p>Templates and what they won:");
    for (size_t k = 0; k < p->kind_count; k++) {
        size_t wins = 0;
        for (size_t i = s.first; i < s.end; i++)
            wins += strcmp(p->winners[i].winner.template_name, p->kinds[k].name) == 0;
        if (!wins)
            continue;
        atx_str_add(p->out, "\n");
        atx_html_key(p->out, atx_hue_of(k), p->kinds[k].name);
        atx_str_addf(p->out, " %zu", wins);
    }
    atx_str_add(p->out, "</p>\n");
}

/* The last two sizes of "8x4096x128/...": rows and columns, where an op has such. */
static bool two_sizes(const char *shape, double *rows, double *cols)
{
    int64_t sizes[ATX_MAX_DIMS];
    const int count = atx_sizes_read(sizes, ATX_MAX_DIMS, &shape);
    if (count < 2)
        return false;
    *rows = (double)sizes[count - 2];
    *cols = (double)sizes[count - 1];
    return true;
}

/* A winner in the colour of its template. */
static void add_point(atx_html_cloud *c, atx_html_page *p, const atx_answer *a, double x, double y)
{
    char figure[32];
    if (atx_answer_share(a) > 0)
        snprintf(figure, sizeof figure, "%.1f %%", 100 * atx_answer_share(a));
    else
        snprintf(figure, sizeof figure, "share unknown");
    atx_html_cloud_add(
        c, (atx_point){ x, y, atx_html_hue(p, a->winner.template_name), a->winner.template_name, NULL }, a,
        figure);
}

static const atx_axis LAST_SIZE = { .label = "last size", .logarithmic = true };
static const atx_axis SIZE_BEFORE = { .label = "size before it", .logarithmic = true };

static void add_plot(atx_html_page *p, const atx_html_cloud *c, const char *caption, atx_axis x, atx_axis y)
{
    atx_plot_add(p->out, &(atx_plot){ .caption = caption,
                                      .x = x,
                                      .y = y,
                                      .width = 580,
                                      .height = 320,
                                      .points = c->points,
                                      .count = c->count });
}

static void plot_shares(atx_html_page *p, section s, atx_html_cloud *c)
{
    c->count = 0;
    for (size_t i = s.first; i < s.end; i++) {
        const atx_answer *a = &p->winners[i];
        if (atx_answer_share(a) > 0)
            add_point(c, p, a, (double)a->traffic_bytes / 1048576, 100 * atx_answer_share(a));
    }
    add_plot(p, c, "Share of the ceiling by bytes moved",
             (atx_axis){ .label = "MiB moved", .logarithmic = true },
             (atx_axis){ .label = "% of the ceiling" });
}

static void plot_where(atx_html_page *p, section s, atx_html_cloud *c)
{
    c->count = 0;
    for (size_t i = s.first; i < s.end; i++) {
        double rows = 0, cols = 0;
        if (two_sizes(p->winners[i].shape, &rows, &cols))
            add_point(c, p, &p->winners[i], cols, rows);
    }
    add_plot(p, c, "Which template wins where: the last two sizes of each problem", LAST_SIZE, SIZE_BEFORE);
}

/* Shows which sizes have most to gain. Classes of shares are easier to tell apart than shades. */
static void plot_map(atx_html_page *p, section s, atx_html_cloud *c)
{
    static const struct {
        double least;
        int hue;
        const char *name;
    } CLASSES[] = { { 0.97, 210, "97 % and more" },
                    { 0.9, 150, "90 to 97 %" },
                    { 0.75, 45, "75 to 90 %" },
                    { 0, 0, "below 75 %" } };
    c->count = 0;
    for (size_t i = s.first; i < s.end; i++) {
        const atx_answer *a = &p->winners[i];
        double rows = 0, cols = 0, share = atx_answer_share(a);
        size_t k = 0;
        char figure[32];
        if (!(share > 0) || !two_sizes(a->shape, &rows, &cols))
            continue;
        while (share < CLASSES[k].least)
            k++;
        snprintf(figure, sizeof figure, "%.1f %%", 100 * share);
        atx_html_cloud_add(c, (atx_point){ cols, rows, CLASSES[k].hue, CLASSES[k].name, NULL }, a, figure);
    }
    add_plot(p, c, "Map of sizes: share of the ceiling", LAST_SIZE, SIZE_BEFORE);
}

static void table_row(atx_html_page *p, size_t index)
{
    const atx_answer *a = &p->winners[index];
    const atx_winner *w = &a->winner;
    char label[32];
    if (p->ops)
        atx_html_add(p->out, "<tr><td>$</td>", a->op);
    else
        atx_str_add(p->out, "<tr>");
    atx_str_add(p->out, "<td class=\"b\">");
    if (p->sections[index]) {
        atx_str_addf(p->out, "<a href=\"#p%zu\">", index);
        atx_html_add(p->out, "$</a>", a->shape);
    } else {
        atx_html_text(p->out, a->shape);
    }
    atx_html_add(p->out, "</td><td class=\"b\">$", atx_html_type(a->type_key));
    atx_str_addf(p->out, "</td><td class=\"n\">%.2f</td><td class=\"n\">", 1e6 * w->timing.median_s);
    if (a->traffic_bytes > 0 && w->timing.median_s > 0)
        atx_str_addf(p->out, "%.0f", atx_answer_gb_per_s(a));
    if (p->rates) {
        atx_str_add(p->out, "</td><td class=\"n\">");
        if (a->ops_count > 0)
            atx_str_addf(p->out, "%.0f", atx_gflop_per_s(a->ops_count, w->timing.median_s));
    }
    atx_str_add(p->out, "</td><td class=\"b\">");
    snprintf(label, sizeof label, "%.1f", 100 * atx_answer_share(a));
    if (atx_answer_share(a) > 0)
        atx_html_bar(p->out, atx_answer_share(a), label);
    atx_str_addf(p->out,
                 "</td><td class=\"n\">%" PRId64 "</td><td class=\"n\">%" PRId64
                 "</td><td class=\"w\"><span class=\"key\" style=\"--hue:%d\"></span><code>",
                 w->trials, w->space_count, atx_html_hue(p, w->template_name));
    atx_html_add(p->out, "$ $</code></td></tr>\n", w->template_name, w->config);
}

static void add_table(atx_html_page *p, section s)
{
    atx_str_add(
        p->out,
        "<p class=\"filter\"><label>Show rows with <input type=\"search\"></label></p>\n" ATX_HTML_TABLE(
            "Winners") "<tr>");
    atx_str_add(p->out, p->ops ? ATX_HTML_TH("operation") : "");
    atx_str_add(p->out,
                ATX_HTML_TH("problem") ATX_HTML_TH("type") ATX_HTML_THN("time, us") ATX_HTML_THN("GB/s"));
    atx_str_add(p->out, p->rates ? ATX_HTML_THN("GFLOP/s") : "");
    atx_str_add(p->out, ATX_HTML_TH("% of the ceiling") ATX_HTML_THN("tried") ATX_HTML_THN("of")
                            ATX_HTML_TH("winner") "</tr></thead>\n<tbody>\n");
    for (size_t i = s.first; i < s.end; i++)
        table_row(p, i);
    atx_str_add(p->out, ATX_HTML_TABLE_END);
}

static void add_device_head(atx_html_page *p, section s)
{
    const atx_fingerprint *f = &p->winners[s.first].fingerprint;
    atx_html_add(p->out, "<section>\n<h2>$</h2>\n", f->device);
    atx_str_addf(p->out,
                 "<p class=\"soft\">compute capability %" PRId64 ".%" PRId64 ", %" PRId64
                 " multiprocessors, %" PRId64 " MiB; driver ",
                 f->cc / 10, f->cc % 10, f->sms, f->memory_mib);
    atx_html_add(p->out, "$, NVRTC $", f->driver, f->nvrtc);
    atx_str_addf(p->out, "; %zu problems</p>\n", s.end - s.first);
}

static at_status add_device(atx_html_page *p, section s, at_error *err)
{
    atx_html_cloud c;
    at_status status = AT_OK;
    if (!atx_html_cloud_open(&c, s.end - s.first)) {
        atx_html_cloud_close(&c);
        return atx_no_memory(err);
    }
    p->rates = p->ops = false;
    for (size_t i = s.first; i < s.end; i++) {
        p->rates |= p->winners[i].ops_count > 0;
        p->ops |= strcmp(p->winners[i].op, p->winners[s.first].op) != 0;
    }
    add_device_head(p, s);
    add_legend(p, s);
    atx_str_add(p->out, "<div>\n");
    plot_shares(p, s, &c);
    plot_where(p, s, &c);
    plot_map(p, s, &c);
    atx_str_add(p->out, "</div>\n");
    add_table(p, s);
    atx_str_add(p->out, "<h3>Problem by problem</h3>\n");
    if (p->count > MOST_SECTIONS)
        atx_str_addf(p->out,
                     "<p class=\"soft\">Of %zu problems on this page, the %d with the least share of their "
                     "ceiling; <code>--op</code> and <code>--shape</code> choose others.</p>\n",
                     p->count, MOST_SECTIONS);
    for (size_t i = s.first; i < s.end && status == AT_OK; i++)
        if (p->sections[i])
            status = atx_html_problem(p, i, err);
    atx_str_add(p->out, "</section>\n");
    atx_html_cloud_close(&c);
    return status;
}

static void page_clear(atx_html_page *p)
{
    for (size_t i = 0; i < p->count; i++)
        atx_answer_clear(&p->winners[i]);
    free(p->winners);
    free(p->kinds);
    free(p->sections);
}

at_status atx_html_report(atx_str *out, atx_store *store, const atx_html_options *options, at_error *err)
{
    atx_html_page p = { .out = out, .store = store, .options = options };
    at_status status = read_winners(&p, err);
    if (status == AT_OK)
        status = choose_sections(&p, err);
    if (status == AT_OK) {
        atx_html_begin(out, "autotune report");
        atx_str_addf(out, "<p>%zu winners of ", p.count);
        atx_html_add(
            out,
            "<code>$</code>. Times are medians of the interleaved re-measurement; the ceiling is the fastest "
            "plain copy of the same bytes in it, unless the operation names another.</p>\n",
            options->source);
    }
    if (status == AT_OK && options->before)
        atx_html_before_and_after(&p);
    for (size_t i = 0, end = 0; i < p.count && status == AT_OK; i = end) {
        for (end = i;
             end < p.count && !strcmp(p.winners[i].fingerprint.device, p.winners[end].fingerprint.device);
             end++)
            ;
        status = add_device(&p, (section){ i, end }, err);
    }
    if (status == AT_OK) {
        atx_html_end(out);
        status = p.failed ? atx_no_memory(err) : atx_str_status(out, err);
    }
    page_clear(&p);
    return status;
}
