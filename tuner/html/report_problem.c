/*
 * report_problem.c - one problem, folded away until it is asked for: the course of its search, what each
 * value of each parameter of the winning template reached, ties, the conditions, and failures by kind.
 *
 * A plot has at most MOST_POINTS, and fewer on a page of many problems: every so many trials, and each that
 * was the best so far, so that the line of the best is exact.
 */
#include "html/markup.h"
#include "html/report_internal.h"
#include "html/trials.h"
#include "html/type_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 300, LEAST_POINTS = 20, MOST_POINTS_OF_PAGE = 30000 };

/* Of one problem: a page of many has no more than it can be read with. */
static size_t most_points(const atx_html_page *p)
{
    const size_t share = MOST_POINTS_OF_PAGE / p->count;
    return share > MOST_POINTS ? MOST_POINTS : share < LEAST_POINTS ? LEAST_POINTS : share;
}

static void plot_search(atx_html_page *p, const atx_html_trials *t)
{
    size_t timed = 0, kept = 0, seen = 0;
    for (size_t i = 0; i < t->count; i++)
        timed += t->items[i].outcome == ATX_TIMED;
    atx_point *points = calloc(timed + 1, sizeof *points);
    size_t stride = timed / most_points(p) + 1;
    double best = INFINITY;
    for (size_t i = 0; points && i < t->count; i++) {
        const atx_trial_row *x = &t->items[i];
        if (x->outcome != ATX_TIMED)
            continue;
        bool better = x->timing.median_s < best;
        if (seen++ % stride == 0 || better)
            points[kept++] = (atx_point){ (double)(i + 1), 1e6 * x->timing.median_s,
                                          atx_html_hue(p, x->template_name), x->template_name, x->config };
        best = better ? x->timing.median_s : best;
    }
    p->failed |= !points;
    if (points)
        atx_plot_add(p->out, &(atx_plot){ .caption = "Time of each trial, and the best so far",
                                          .x = { .label = "trial" },
                                          .y = { .label = "us", .logarithmic = true },
                                          .width = 580,
                                          .height = 280,
                                          .points = points,
                                          .count = kept,
                                          .running_best = true });
    free(points);
}

static void add_effects(atx_html_page *p, const atx_html_trials *t, const char *template_name)
{
    size_t count = 0;
    ATX_FREED atx_effect *effects = NULL;
    double best = INFINITY;
    char label[64];
    p->failed |= !atx_html_effects(&effects, &count, t, template_name);
    for (size_t i = 0; i < count; i++)
        best = fmin(best, effects[i].best_s);
    if (count) {
        atx_html_add(p->out,
                     "<h3>Parameters of $</h3>\n" ATX_HTML_TABLE("Parameters") "<tr>" ATX_HTML_TH("parameter")
                         ATX_HTML_THN("value") ATX_HTML_TH("% of the best, best with it")
                             ATX_HTML_THN("median, us") ATX_HTML_THN("trials") "</tr></thead>\n<tbody>\n",
                     template_name);
    }
    for (size_t i = 0; i < count; i++) {
        const atx_effect *e = &effects[i];
        bool first = i == 0 || strcmp(e->param, effects[i - 1].param) != 0;
        atx_html_add(p->out, "<tr><td>$</td><td class=\"n\">$</td><td class=\"b\">", first ? e->param : "",
                     e->value);
        snprintf(label, sizeof label, "%.1f", 100 * best / e->best_s);
        atx_html_bar(p->out, best / e->best_s, label);
        atx_str_add(p->out, "</td><td class=\"n\">");
        atx_str_addf(p->out, "%.2f</td><td class=\"n\">%zu</td></tr>\n", 1e6 * e->median_s, e->count);
    }
    if (count)
        atx_str_add(p->out, ATX_HTML_TABLE_END);
}

static void add_ties(atx_html_page *p, const atx_winner *w)
{
    if (!w->ties || !*w->ties)
        return;
    atx_str_add(p->out, "<h3>Could not be told apart from it</h3>\n<p>");
    for (const char *line = w->ties; *line;) {
        char text[512];
        size_t len = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)len, line);
        atx_html_add(p->out, "<code>$</code><br>\n", text);
        line += len + (line[len] == '\n');
    }
    atx_str_add(p->out, "</p>\n");
}

/* How many failed in which way, with the first words of one of them. */
static void add_failures(atx_html_page *p, const atx_html_trials *t)
{
    size_t counts[ATX_OUTCOMES] = { 0 };
    const atx_trial_row *first[ATX_OUTCOMES] = { NULL };
    size_t all = 0;
    for (size_t i = 0; i < t->count; i++) {
        const atx_trial_row *x = &t->items[i];
        all += x->outcome != ATX_TIMED;
        const atx_trial_row *other = first[x->outcome];
        counts[x->outcome]++;
        if (!other || (!*other->log && *x->log))
            first[x->outcome] = x;
    }
    if (!all)
        return;
    atx_str_add(p->out, "<h3>Failures</h3>\n" ATX_HTML_TABLE("Failures") "<tr>" ATX_HTML_TH("outcome")
                            ATX_HTML_THN("trials") ATX_HTML_TH("one of them") "</tr></thead>\n<tbody>\n");
    for (int o = 0; o < ATX_OUTCOMES; o++) {
        char log[400];
        if (o == ATX_TIMED || !first[o])
            continue;
        snprintf(log, sizeof log, "%.*s", (int)strcspn(first[o]->log, "\n"), first[o]->log);
        atx_str_addf(p->out, "<tr><td class=\"bad\">%s</td><td class=\"n\">%zu</td><td><code>",
                     atx_outcome_name((atx_outcome)o), counts[o]);
        atx_html_add(p->out, "$ $</code><br>$</td></tr>\n", first[o]->template_name, first[o]->config, log);
    }
    atx_str_add(p->out, ATX_HTML_TABLE_END);
}

/* A figure below zero is not known. */
static void add_known(atx_str *out, const char *name, int64_t value, const char *unit)
{
    if (value >= 0)
        atx_str_addf(out, "%s %" PRId64 "%s; ", name, value, unit);
}

static void add_conditions(atx_html_page *p, const atx_answer *a)
{
    const atx_conditions *c = &a->winner.conditions;
    const atx_resources *r = &a->winner.resources;
    const atx_geometry *g = &a->winner.geometry;
    atx_str_add(p->out, "<p class=\"soft\">");
    atx_str_addf(p->out,
                 "launch as stored: grid %" PRId64 "x%" PRId64 "x%" PRId64 ", block %" PRId64 "x%" PRId64
                 "x%" PRId64 "; ",
                 (int64_t)g->grid[0], (int64_t)g->grid[1], (int64_t)g->grid[2], (int64_t)g->block[0],
                 (int64_t)g->block[1], (int64_t)g->block[2]);
    add_known(p->out, "registers", r->registers, "");
    add_known(p->out, "shared memory", r->shared_bytes, " bytes");
    add_known(p->out, "spills", r->spill_bytes, " bytes");
    add_known(p->out, "SM clock", c->sm_clock_mhz, " MHz");
    add_known(p->out, "memory clock", c->memory_clock_mhz, " MHz");
    add_known(p->out, "temperature", c->temperature_c, " C");
    add_known(p->out, "power", c->power_w, " W");
    add_known(p->out, "power limit", c->power_limit_w, " W");
    if (c->throttle_reasons > 0)
        atx_str_addf(p->out, "<span class=\"bad\">throttled (NVML's reasons 0x%" PRIx64 ")</span>; ",
                     (uint64_t)c->throttle_reasons);
    atx_str_addf(p->out, "%" PRId64 " samples, spread %.2f %%; L2 %s; tuned in %.1f s; measured ",
                 a->winner.timing.samples, 100 * a->winner.timing.spread,
                 a->fingerprint.cold ? "cold" : "warm", a->winner.elapsed_s);
    atx_html_add(p->out, "$; ceiling: $", a->measured_at,
                 *a->winner.ceiling_name ? a->winner.ceiling_name : "none");
    atx_html_add(p->out, *a->winner.objective ? "; chosen by $</p>\n" : "</p>\n", a->winner.objective);
}

/* What makes a file of it, says why it is fast, and shows its trials. */
static void add_commands(atx_html_page *p, const atx_answer *a)
{
    static const char *const COMMANDS[] = { "export", "explain", "show" };
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        ATX_LOCAL(atx_str) line = { 0 };
        atx_str_addf(&line, "autotune %s %s %s %s --db ", COMMANDS[i], a->op, a->shape,
                     atx_html_plain_type(a->type_key));
        atx_str_add_word(&line, p->options->source);
        atx_str_add(&line, " --device ");
        atx_str_add_word(&line, a->fingerprint.device);
        atx_html_add(p->out, i ? "<br>\n<code>$</code>" : "<p><code>$</code>", atx_str_text(&line));
        p->failed |= line.failed;
    }
    atx_str_add(p->out, "</p>\n");
}

/* As a page has it, whatever a declaration calls them. */
static void add_metrics(atx_html_page *p, const atx_answer *a)
{
    ATX_LOCAL(atx_str) text = { 0 };
    if (p->options->add_metrics)
        p->options->add_metrics(p->options->context, &text, a);
    if (text.len)
        atx_html_add(p->out, "<p class=\"soft\">$</p>\n", atx_str_text(&text));
    p->failed |= text.failed;
}

at_status atx_html_problem(atx_html_page *p, size_t index, at_error *err)
{
    const atx_answer *a = &p->winners[index];
    ATX_LOCAL(atx_html_trials) t = { 0 };
    at_status status = atx_html_trials_read(&t, p->store, a, err);
    if (status == AT_OK) {
        atx_str_addf(p->out, "<details%s><summary>", p->count == 1 ? " open" : "");
        atx_html_add(p->out, "$ $ $: ", a->op, a->shape, atx_html_type(a->type_key));
        atx_html_time(p->out, a->winner.timing.median_s);
        atx_str_addf(p->out, ", %zu trials stored</summary>\n", t.count);
        atx_str_addf(p->out, "<div id=\"p%zu\"></div>\n", index); /* a link to what is inside opens it */
        atx_html_add(p->out, "<p><code>$ $</code></p>\n", a->winner.template_name, a->winner.config);
        add_metrics(p, a);
        add_commands(p, a);
        add_conditions(p, a);
        plot_search(p, &t);
        atx_html_front(p, &t, most_points(p));
        add_effects(p, &t, a->winner.template_name);
        add_ties(p, &a->winner);
        status = atx_html_history(p, a, err);
        add_failures(p, &t);
        atx_str_add(p->out, "</details>\n");
    }
    return status;
}
