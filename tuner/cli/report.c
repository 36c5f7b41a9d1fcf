/*
 * report.c - pure text: the caller prints. A result is a row in each format: CSV has the figures of
 * the text, JSON also the conditions under which they were measured.
 */
#include "cli/report.h"

#include "lang/metric_text.h"
#include "lookup/answer.h"
#include "util/clock.h"
#include "util/rows.h"
#include "util/wrap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PROBLEM_COLUMNS 22 /* at least */
#define FIGURE_COLUMNS  28 /* of time, GB/s and share, with the blanks before them */
#define DETAIL_INDENT   4  /* of lines below a row */

static void problem_text(atx_str *out, const atx_problem *p)
{
    if (!p->op->by_default)
        atx_str_addf(out, "%s ", p->op->name);
    atx_problem_show(out, p);
    atx_str_addf(out, " %s", atx_dtype_name(p->type));
}

double atx_answer_gflop_per_s(const atx_answer *a)
{
    return atx_gflop_per_s(a->ops_count, a->winner.timing.median_s);
}

void atx_report_figure(void *row, const atx_stored_figure *f)
{
    if (f->kind == ATX_A_TEXT)
        atx_row_text(row, f->name, f->text);
    else if (f->kind == ATX_AN_INT)
        atx_row_int(row, f->name, f->integer);
    else if (f->kind == ATX_A_REAL)
        atx_row_real(row, f->name, 9, f->real);
    else
        atx_row_bool(row, f->name, (int)f->integer);
}

void atx_report_rates(atx_row *row, double gb_per_s, double gflop_per_s)
{
    atx_row_real(row, "gb_per_s", 5, gb_per_s > 0 ? gb_per_s : NAN);
    atx_row_real(row, "gflop_per_s", 5, gflop_per_s > 0 ? gflop_per_s : NAN);
}

void atx_report_row(atx_str *out, atx_format format, const char *schema, atx_row_walk *walk, const void *item)
{
    const bool json = format == ATX_JSON;
    atx_str_add(out, json ? "{" : "");
    if (json)
        atx_member_text(out, "schema", schema);
    walk(&(atx_row){ .out = out, .form = json ? ATX_ROW_MEMBERS : ATX_ROW_FIELDS }, item);
    atx_str_add(out, json ? "}\n" : "\n");
}

void atx_report_heads(atx_str *out, atx_format format, atx_row_walk *walk, const void *nothing)
{
    if (format != ATX_CSV)
        return;
    walk(&(atx_row){ .out = out, .form = ATX_ROW_HEADS }, nothing);
    atx_str_add(out, "\n");
}

static int count_lines(const char *text)
{
    int lines = *text ? 1 : 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void notes(atx_str *out, const atx_result *r)
{
    const atx_winner *w = &r->answer->winner;
    int ties = count_lines(w->ties);
    double rate = atx_answer_gflop_per_s(r->answer);
    if (rate > 0)
        atx_str_addf(out, "  [%.0f GFLOP/s]", rate);
    atx_metrics_note(out, r->problem, ATX_RECORD_OF(w));
    if (r->device < 0)
        atx_str_add(out, "  [replay]");
    if (ties)
        atx_str_addf(out, "  [tied with %d other%s]", ties, ties == 1 ? "" : "s");
    if (r->from_store)
        atx_str_add(out, "  [from the store]");
    if (r->interrupted)
        atx_str_add(out, "  [interrupted]");
    if (w->trials < w->space_count)
        atx_str_addf(out, "  [%lld of %lld configurations]", (long long)w->trials, (long long)w->space_count);
    if (w->timing.spread > 0.05)
        atx_str_addf(out, "  [noisy: samples spread over %.0f %%]", 100 * w->timing.spread);
}

void atx_report_fit(atx_report_layout *layout, const atx_problem *problems, size_t count)
{
    ATX_LOCAL(atx_str) text = { 0 };
    const size_t most = layout->width > PROBLEM_COLUMNS + FIGURE_COLUMNS ? layout->width - FIGURE_COLUMNS : 0;
    for (size_t i = 0; i < count; i++) {
        atx_str_reset(&text);
        problem_text(&text, &problems[i]);
        if (text.len > layout->problem_columns)
            layout->problem_columns = text.len;
    }
    if (layout->width && layout->problem_columns > most)
        layout->problem_columns = most;
}

static int problem_columns(const atx_report_layout *layout)
{
    return layout->problem_columns > PROBLEM_COLUMNS ? (int)layout->problem_columns : PROBLEM_COLUMNS;
}

/* Behind the text of a row: on the same line if it fits, else on lines below. */
static void add_details(atx_str *out, size_t begin, const char *details, const atx_report_layout *layout)
{
    const size_t columns = atx_columns(out->data + begin, out->len - begin), len = strlen(details);
    const bool fits = !layout->width || columns + 2 + atx_columns(details, len) <= layout->width;
    atx_str_addf(out, fits ? "  " : "\n%*s", DETAIL_INDENT, "");
    atx_wrap(out, details, len, (atx_wrap_box){ DETAIL_INDENT, DETAIL_INDENT, fits ? 0 : layout->width });
    atx_str_add(out, "\n");
}

static void add_figure(atx_str *out, const char *name, double value)
{
    char time[32];
    atx_time_text(time, sizeof time, value);
    if (strcmp(name, "time") == 0)
        atx_str_add(out, time);
    else if (strcmp(name, "energy_j") == 0)
        atx_str_addf(out, "%.4g mJ", 1e3 * value);
    else
        atx_str_addf(out, "%.6g %s", value, name);
}

/* A line for each configuration of the front. */
static void add_front(atx_str *out, const atx_report_layout *layout, const atx_result *r)
{
    for (size_t i = 0; layout->front && i < r->front_count; i++) {
        const atx_front_point *p = &r->front[i];
        atx_str_addf(out, "%*sfront: ", DETAIL_INDENT, "");
        for (int k = 0; k < layout->front->count; k++) {
            atx_str_add(out, k ? ", " : "");
            add_figure(out, layout->front->of[k].name, p->values[k]);
        }
        atx_str_addf(out, "  %s\n", p->kernel);
    }
}

static void text_row(atx_str *out, const atx_report_layout *layout, const atx_result *r)
{
    ATX_LOCAL(atx_str) details = { 0 };
    const size_t begin = out->len;
    char time[32], part[16] = "-", speed[24] = "-";
    problem_text(out, r->problem);
    const int pad = problem_columns(layout) - (int)(out->len - begin);
    if (!r->found) {
        atx_str_addf(out, "%*s no winner: %s\n", pad > 0 ? pad : 0, "", r->why);
    } else {
        const atx_winner *w = &r->answer->winner;
        atx_time_text(time, sizeof time, w->timing.median_s);
        if (w->ceiling_s > 0)
            snprintf(part, sizeof part, "%.1f %%", 100 * atx_answer_share(r->answer));
        if (r->answer->traffic_bytes > 0)
            snprintf(speed, sizeof speed, "%.0f", atx_answer_gb_per_s(r->answer));
        atx_str_addf(out, "%*s %11s %8s %6s", pad > 0 ? pad : 0, "", time, speed, part);
        atx_str_addf(&details, "%s %s", w->template_name, w->config);
        notes(&details, r);
        if (!out->failed)
            add_details(out, begin, atx_str_text(&details), layout);
        add_front(out, layout, r);
    }
    out->failed |= details.failed;
}

/* The winner, as an exact answer. */
atx_found atx_report_found(const atx_result *r)
{
    if (!r->found)
        return (atx_found){ .match = ATX_MATCH_NONE, .why = r->why };
    return (atx_found){
        .match = ATX_MATCH_EXACT, .own = true, .answer = r->answer, .geometry = r->answer->winner.geometry
    };
}

/* The answer, and the run's own members. */
static void walk_result(atx_row *row, const void *item)
{
    const atx_result *r = item;
    const atx_found f = atx_report_found(r);
    row->out->failed |= atx_answer_row(row, &f, r->problem, "", NULL) != AT_OK;
    atx_row_int(row, "ordinal", r->device);
    atx_row_bool(row, "found", r->found);
    atx_row_bool(row, "from_store", r->from_store);
    atx_row_open(row, "outcomes");
    for (int i = 0; i < ATX_OUTCOMES; i++)
        atx_row_int(row, atx_outcome_name((atx_outcome)i), r->outcomes[i]);
    atx_row_close(row);
    atx_row_int(row, "known", r->known);
    atx_row_int(row, "compiled", r->compiled);
    atx_row_real(row, "run_elapsed_s", 4, r->elapsed_s);
    atx_row_real(row, "device_busy_s", 4, r->device_busy_s);
    atx_row_real(row, "device_open_s", 4, r->device_open_s);
    atx_row_real(row, "race_saved_s", 4, r->race_saved_s);
    atx_row_bool(row, "interrupted", r->interrupted);
}

void atx_report_head(atx_str *out, const atx_report_layout *layout)
{
    if (layout->format == ATX_TEXT)
        atx_str_addf(out, "%-*s %11s %8s %6s  %s\n", problem_columns(layout), "problem", "time", "GB/s",
                     "copy", "winner");
    atx_report_heads(out, layout->format, walk_result, &(atx_result){ .found = false });
}

void atx_report_result(atx_str *out, const atx_report_layout *layout, const atx_result *result)
{
    if (layout->format == ATX_TEXT)
        text_row(out, layout, result);
    else
        atx_report_row(out, layout->format, "autotune.tune/1", walk_result, result);
}

void atx_totals_add(atx_totals *t, const atx_result *r)
{
    t->problems++;
    t->found += r->found;
    t->from_store += r->from_store;
    t->compiled += r->compiled;
    t->busy_s += r->device_busy_s;
    t->open_s += r->device_open_s;
    t->saved_s += r->race_saved_s;
    t->interrupted |= r->interrupted;
    for (int i = 0; i < ATX_OUTCOMES; i++)
        t->outcomes[i] += r->outcomes[i];
}

void atx_report_totals(atx_str *out, const atx_totals *t, double elapsed_s)
{
    int64_t trials = 0;
    for (int i = 0; i < ATX_OUTCOMES; i++)
        trials += t->outcomes[i];
    atx_str_addf(out, "%lld of %lld problems have a winner", (long long)t->found,
                 (long long)(t->listed > t->problems ? t->listed : t->problems));
    if (t->from_store)
        atx_str_addf(out, " (%lld from the store)", (long long)t->from_store);
    atx_str_addf(out, "; %lld trials", (long long)trials);
    for (int i = 1; i < ATX_OUTCOMES; i++)
        if (t->outcomes[i])
            atx_str_addf(out, ", %lld %s", (long long)t->outcomes[i], atx_outcome_name((atx_outcome)i));
    atx_str_addf(out, "; %lld kernels compiled; %.1f s", (long long)t->compiled, elapsed_s);
    if (trials && elapsed_s > 0)
        atx_str_addf(out, ", %.0f configurations a second", (double)trials / elapsed_s);
    if (t->busy_s > 0 && t->open_s > 0)
        atx_str_addf(out, "; device busy %.0f %%", 100 * t->busy_s / t->open_s);
    if (t->saved_s >= 0.05)
        atx_str_addf(out, ", races spared it %.1f s", t->saved_s);
    if (t->interrupted)
        atx_str_add(out, "; interrupted, the same command goes on from here");
}
