/*
 * report.c - pure text: the caller prints. A result is a row in each format: CSV has the figures of
 * the text, JSON also the conditions under which they were measured.
 */
#include "cli/report.h"

#include "lang/metric_text.h"
#include "lookup/answer.h"
#include "util/clock.h"
#include "util/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void text_row(atx_str *out, const atx_result *r)
{
    atx_str problem = { 0 };
    char time[32], part[16] = "-", speed[24] = "-";
    problem_text(&problem, r->problem);
    if (!r->found) {
        atx_str_addf(out, "%-22s no winner: %s\n", atx_str_text(&problem), r->why);
    } else {
        const atx_winner *w = &r->answer->winner;
        atx_time_text(time, sizeof time, w->timing.median_s);
        if (w->ceiling_s > 0)
            snprintf(part, sizeof part, "%.1f %%", 100 * atx_answer_share(r->answer));
        if (r->answer->traffic_bytes > 0)
            snprintf(speed, sizeof speed, "%.0f", atx_answer_gb_per_s(r->answer));
        atx_str_addf(out, "%-22s %11s %8s %6s  %s %s", atx_str_text(&problem), time, speed, part,
                     w->template_name, w->config);
        notes(out, r);
        atx_str_add(out, "\n");
    }
    out->failed |= problem.failed;
    atx_str_clear(&problem);
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

/* The answer, and what the run says. */
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

void atx_report_head(atx_str *out, atx_format format)
{
    if (format == ATX_TEXT)
        atx_str_addf(out, "%-22s %11s %8s %6s  %s\n", "problem", "time", "GB/s", "copy", "winner");
    atx_report_heads(out, format, walk_result, &(atx_result){ .found = false });
}

void atx_report_result(atx_str *out, atx_format format, const atx_result *result)
{
    if (format == ATX_TEXT)
        text_row(out, result);
    else
        atx_report_row(out, format, "autotune.tune/1", walk_result, result);
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
    atx_str_addf(out, "%lld of %lld problems have a winner", (long long)t->found, (long long)t->problems);
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
    atx_str_add(out, t->interrupted ? "; interrupted, the same command goes on from here\n" : "\n");
}
