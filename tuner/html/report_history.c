/* report_history.c - what a problem's winners took from run to run: drivers, compilers and templates change.
 */
#include "html/markup.h"
#include "html/report_internal.h"

#include <stdlib.h>

typedef struct history {
    atx_answer *items; /* in the order of measurement */
    size_t count, cap;
    bool failed; /* out of memory */
} history;

static bool collect(void *context, atx_answer *answer)
{
    history *h = context;
    if (!atx_grow(&h->items, &h->cap, h->count, sizeof *h->items)) {
        h->failed = true;
        return false;
    }
    h->items[h->count++] = *answer;
    *answer = (atx_answer){ 0 };
    return true;
}

static void add_plot(atx_html_page *p, const history *h)
{
    atx_html_cloud c;
    if (atx_html_cloud_open(&c, h->count)) {
        for (size_t i = 0; i < h->count; i++) {
            const atx_winner *w = &h->items[i].winner;
            atx_html_cloud_add(&c,
                               (atx_point){ (double)(i + 1), 1e6 * w->timing.median_s,
                                            atx_html_hue(p, w->template_name), w->template_name, NULL },
                               &h->items[i], h->items[i].measured_at);
        }
        atx_plot_add(p->out, &(atx_plot){ .caption = "Time of the winner of each run",
                                          .x = { .label = "run", .low = 0.5, .high = (double)h->count + 0.5 },
                                          .y = { .label = "us" },
                                          .width = 580,
                                          .height = 220,
                                          .points = c.points,
                                          .count = c.count });
    } else {
        p->failed = true;
    }
    atx_html_cloud_close(&c);
}

static void add_row(atx_html_page *p, const atx_answer *a)
{
    const atx_fingerprint *f = &a->fingerprint;
    atx_html_add(p->out, "<tr><td class=\"b\">$</td><td>$</td><td>$</td><td>$</td><td>$</td>", a->measured_at,
                 f->driver, f->nvrtc, f->tool, f->cold ? "cold" : "warm");
    atx_str_addf(p->out, "<td class=\"n\">%.2f</td><td>", 1e6 * a->winner.timing.median_s);
    atx_html_add(p->out, "<code>$ $</code></td></tr>\n", a->winner.template_name, a->winner.config);
}

static void add_history(atx_html_page *p, const history *h)
{
    atx_str_add(p->out, "<h3>Runs</h3>\n");
    add_plot(p, h);
    atx_str_add(p->out, ATX_HTML_TABLE("Runs") "<tr>" ATX_HTML_TH("measured") ATX_HTML_TH("driver")
                            ATX_HTML_TH("NVRTC") ATX_HTML_TH("autotune") ATX_HTML_TH("L2")
                                ATX_HTML_THN("time, us") ATX_HTML_TH("winner") "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < h->count; i++)
        add_row(p, &h->items[i]);
    atx_str_add(p->out, ATX_HTML_TABLE_END);
}

at_status atx_html_history(atx_html_page *p, const atx_answer *winner, at_error *err)
{
    const atx_problem_key key = { .op = winner->op, .shape = winner->shape, .type_key = winner->type_key };
    history h = { 0 };
    at_status status = atx_store_each_of_device(p->store, &key, winner->fingerprint.device, collect, &h, err);
    p->failed |= h.failed;
    if (status == AT_OK && h.count > 1)
        add_history(p, &h);
    for (size_t i = 0; i < h.count; i++)
        atx_answer_clear(&h.items[i]);
    free(h.items);
    return status;
}
