/*
 * report_front.c - of one problem the trials that no other one beats in all figures of --front: a plot of
 * each figure against the first one, with these trials marked, and a table of them.
 */
#include "html/markup.h"
#include "html/report_internal.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct front_rows {
    const atx_front *front;
    const atx_trial_row **trials; /* of which all figures are known */
    double *values;               /* front->count of each           */
    bool *on;
    size_t count;
} front_rows;

static bool open_rows(front_rows *out, const atx_front *front, const atx_html_trials *t)
{
    *out = (front_rows){ .front = front,
                         .trials = calloc(t->count + 1, sizeof *out->trials),
                         .values = calloc((t->count + 1) * (size_t)front->count, sizeof *out->values),
                         .on = calloc(t->count + 1, sizeof *out->on) };
    if (!out->trials || !out->values || !out->on)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        const atx_trial_row *x = &t->items[i];
        const atx_record record = { &x->timing, &x->resources, x->config };
        if (x->outcome == ATX_TIMED &&
            atx_front_values(out->values + out->count * (size_t)front->count, front, NULL, &record))
            out->trials[out->count++] = x;
    }
    atx_front_choose(out->on, out->values, out->count, front->count);
    return true;
}

static void close_rows(front_rows *rows)
{
    free(rows->trials);
    free(rows->values);
    free(rows->on);
}

/* As people read it: microseconds, millijoules. */
static struct shown {
    const char *label;
    double factor;
    int digits;
} shown_as(const struct atx_front_figure *f)
{
    return f->figure == ATX_FIGURE_SECONDS  ? (struct shown){ "time, us", 1e6, 2 }
           : f->figure == ATX_FIGURE_JOULES ? (struct shown){ "energy, mJ", 1e3, 3 }
                                            : (struct shown){ f->name, 1, 0 };
}

typedef struct placed {
    atx_point point;
    bool on;
} placed;

static int by_place(const void *a, const void *b)
{
    const atx_point *p = &((const placed *)a)->point, *q = &((const placed *)b)->point;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

/* A kernel may have no shared memory and spill nothing: no logarithm. */
static bool is_above_zero(const struct atx_front_figure *f)
{
    return f->figure == ATX_FIGURE_SECONDS || f->figure == ATX_FIGURE_JOULES;
}

/* room, points, ringed: for as many as there are rows. */
static void plot(atx_html_page *p, const front_rows *r, int figure, size_t most, placed *room,
                 atx_point *points, bool *ringed)
{
    char caption[160];
    const struct shown x = shown_as(&r->front->of[figure]), y = shown_as(&r->front->of[0]);
    const size_t stride = r->count / most + 1;
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        const double *values = r->values + i * (size_t)r->front->count;
        const atx_trial_row *t = r->trials[i];
        if (r->on[i] || i % stride == 0)
            room[kept++] = (placed){ { x.factor * values[figure], y.factor * values[0],
                                       atx_html_hue(p, t->template_name), t->template_name, t->config },
                                     r->on[i] };
    }
    qsort(room, kept, sizeof *room, by_place);
    for (size_t i = 0; i < kept; i++) {
        points[i] = room[i].point;
        ringed[i] = room[i].on;
    }
    snprintf(caption, sizeof caption, "Trials: %.40s by %.40s; rings are the front", y.label, x.label);
    atx_plot_add(p->out,
                 &(atx_plot){ .caption = caption,
                              .x = { .label = x.label },
                              .y = { .label = y.label, .logarithmic = is_above_zero(&r->front->of[0]) },
                              .width = 580,
                              .height = 280,
                              .points = points,
                              .count = kept,
                              .ringed = ringed,
                              .running_best = r->front->count == 2 });
}

static void plot_all(atx_html_page *p, const front_rows *r, size_t most)
{
    ATX_FREED placed *room = calloc(r->count, sizeof *room);
    ATX_FREED atx_point *points = calloc(r->count, sizeof *points);
    ATX_FREED bool *ringed = calloc(r->count, sizeof *ringed);
    p->failed |= !room || !points || !ringed;
    for (int k = 1; k < r->front->count && !p->failed; k++)
        plot(p, r, k, most, room, points, ringed);
}

static void add_row(atx_html_page *p, const front_rows *r, size_t i)
{
    atx_str_add(p->out, "<tr>");
    for (int k = 0; k < r->front->count; k++) {
        const struct shown s = shown_as(&r->front->of[k]);
        atx_str_addf(p->out, "<td class=\"n\">%.*f</td>", s.digits,
                     s.factor * r->values[i * (size_t)r->front->count + (size_t)k]);
    }
    atx_html_add(p->out, "<td><code>$ $</code></td></tr>\n", r->trials[i]->template_name,
                 r->trials[i]->config);
}

/* Ascending by the first figure, which is the time in the most cases. */
static void add_table(atx_html_page *p, const front_rows *r)
{
    atx_str_add(p->out, ATX_HTML_TABLE("Front") "<tr>");
    for (int k = 0; k < r->front->count; k++)
        atx_html_add(p->out, ATX_HTML_THN("$"), shown_as(&r->front->of[k]).label);
    atx_str_add(p->out, ATX_HTML_TH("configuration") "</tr></thead>\n<tbody>\n");
    for (;;) {
        size_t next = r->count;
        for (size_t i = 0; i < r->count; i++)
            if (r->on[i] && (next == r->count || r->values[i * (size_t)r->front->count] <
                                                     r->values[next * (size_t)r->front->count]))
                next = i;
        if (next == r->count)
            break;
        add_row(p, r, next);
        r->on[next] = false; /* it is written */
    }
    atx_str_add(p->out, ATX_HTML_TABLE_END);
}

void atx_html_front(atx_html_page *p, const atx_html_trials *t, size_t most_points)
{
    front_rows rows = { 0 };
    const atx_front *front = p->options->front;
    if (!front)
        return;
    if (!open_rows(&rows, front, t)) {
        p->failed = true;
    } else if (!rows.count) {
        atx_str_add(p->out, "<p class=\"soft\">No trial has all figures of the front.</p>\n");
    } else {
        atx_str_add(p->out, "<h3>Front</h3>\n");
        plot_all(p, &rows, most_points);
        add_table(p, &rows);
    }
    close_rows(&rows);
}
