/*
 * report.c - pure text: the caller prints. A result is a row in each format: CSV has the figures of
 * the text, JSON also the conditions under which they were measured.
 */
#include "cli/report.h"

#include "cli/metrics.h"
#include "util/clock.h"
#include "util/rows.h"

#include <stdio.h>
#include <string.h>

static void problem_text(at__str *out, const at__problem *p)
{
    if (!p->op->by_default)
        at__str_addf(out, "%s ", p->op->name);
    at__problem_shape(out, p);
    at__str_addf(out, " %s", at__dtype_name(p->type));
}

double at__answer_gflop_per_s(const at__answer *a)
{
    return at__gflop_per_s(a->ops_count, a->winner.timing.median_s);
}

void at__report_gflop_member(at__str *out, double gflop_per_s)
{
    if (gflop_per_s > 0)
        at__member_real(out, "gflop_per_s", 5, gflop_per_s);
}

void at__report_gflop_field(at__str *out, double gflop_per_s)
{
    if (gflop_per_s > 0)
        at__field_real(out, 1, gflop_per_s);
    else
        at__field_text(out, "");
}

void at__report_head(at__str *out, at__format format)
{
    if (format == AT__TEXT)
        at__str_addf(out, "%-22s %11s %8s %6s  %s\n", "problem", "time", "GB/s", "copy", "winner");
    else if (format == AT__CSV)
        at__str_add(out,
                    "op,shape,dtype,device,found,from_store,template,config,median_us,min_us,spread,samples,"
                    "gb_per_s,gflop_per_s,ceiling_us,share_of_ceiling,ceiling,trials,space,elapsed_s,"
                    "interrupted,why,metrics\n");
}

static int count_lines(const char *text)
{
    int lines = *text ? 1 : 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void notes(at__str *out, const at__result *r)
{
    const at__winner *w = &r->answer->winner;
    int ties = count_lines(w->ties);
    double rate = at__answer_gflop_per_s(r->answer);
    if (rate > 0)
        at__str_addf(out, "  [%.0f GFLOP/s]", rate);
    at__metrics_note(out, r->problem, AT__RECORD_OF(w));
    if (r->device < 0)
        at__str_add(out, "  [replay]");
    if (ties)
        at__str_addf(out, "  [tied with %d other%s]", ties, ties == 1 ? "" : "s");
    if (r->from_store)
        at__str_add(out, "  [from the store]");
    if (r->interrupted)
        at__str_add(out, "  [interrupted]");
    if (w->trials < w->space_count)
        at__str_addf(out, "  [%lld of %lld configurations]", (long long)w->trials, (long long)w->space_count);
    if (w->timing.spread > 0.05)
        at__str_addf(out, "  [noisy: samples spread over %.0f %%]", 100 * w->timing.spread);
}

static void text_row(at__str *out, const at__result *r)
{
    at__str problem = { 0 };
    char time[32], part[16] = "-", speed[24] = "-";
    problem_text(&problem, r->problem);
    if (!r->found) {
        at__str_addf(out, "%-22s no winner: %s\n", at__str_text(&problem), r->why);
    } else {
        const at__winner *w = &r->answer->winner;
        at__time_text(time, sizeof time, w->timing.median_s);
        if (w->ceiling_s > 0)
            snprintf(part, sizeof part, "%.1f %%", 100 * at__answer_share(r->answer));
        if (r->answer->traffic_bytes > 0)
            snprintf(speed, sizeof speed, "%.0f", at__answer_gb_per_s(r->answer));
        at__str_addf(out, "%-22s %11s %8s %6s  %s %s", at__str_text(&problem), time, speed, part,
                     w->template_name, w->config);
        notes(out, r);
        at__str_add(out, "\n");
    }
    out->failed |= problem.failed;
    at__str_clear(&problem);
}

static void csv_winner(at__str *out, const at__answer *a)
{
    const at__winner *w = &a->winner;
    at__field_text(out, w->template_name);
    at__field_text(out, w->config);
    at__field_real(out, 4, 1e6 * w->timing.median_s);
    at__field_real(out, 4, 1e6 * w->timing.min_s);
    at__field_real(out, 4, w->timing.spread);
    at__field_int(out, w->timing.samples);
    at__field_real(out, 1, at__answer_gb_per_s(a));
    at__report_gflop_field(out, at__answer_gflop_per_s(a));
    at__field_real(out, 4, 1e6 * w->ceiling_s);
    at__field_real(out, 4, at__answer_share(a));
    at__field_text(out, w->ceiling_name);
    at__field_int(out, w->trials);
    at__field_int(out, w->space_count);
}

static void csv_row(at__str *out, const at__result *r)
{
    at__str shape = { 0 }, metrics = { 0 };
    at__problem_shape(&shape, r->problem);
    at__field_text(out, r->problem->op->name);
    at__field_text(out, at__str_text(&shape));
    at__field_text(out, at__dtype_name(r->problem->type));
    at__field_int(out, r->device);
    at__field_int(out, r->found);
    at__field_int(out, r->from_store);
    if (r->found)
        csv_winner(out, r->answer);
    else
        at__str_add(out, ",,,,,,,,,,,,,"); /* as many as csv_winner() has */
    at__field_real(out, 3, r->elapsed_s);
    at__field_int(out, r->interrupted);
    at__field_text(out, r->found ? "" : r->why);
    if (r->found)
        at__metrics_words(&metrics, r->problem, AT__RECORD_OF(&r->answer->winner));
    at__field_text(out, at__str_text(&metrics));
    at__str_add(out, "\n");
    out->failed |= shape.failed || metrics.failed;
    at__str_clear(&shape);
    at__str_clear(&metrics);
}

/* Under which conditions the winner was measured. */
static void json_conditions(at__str *out, const at__answer *a)
{
    const at__conditions *c = &a->winner.conditions;
    const at__fingerprint *f = &a->fingerprint;
    at__member_text(out, "driver", f->driver);
    at__member_text(out, "nvrtc", f->nvrtc);
    at__member_text(out, "autotune", f->tool);
    at__member_int(out, "cc", f->cc);
    at__member_bool(out, "cold", f->cold);
    at__member_text(out, "measured_at", a->measured_at);
    at__member_int(out, "sm_clock_mhz", c->sm_clock_mhz);
    at__member_int(out, "memory_clock_mhz", c->memory_clock_mhz);
    at__member_int(out, "temperature_c", c->temperature_c);
    at__member_int(out, "power_w", c->power_w);
    at__member_int(out, "throttle_reasons", c->throttle_reasons);
}

/* Without shared memory: what a trial calls so has another name where the launch's own stands beside it. */
void at__report_resources(at__str *out, const at__resources *r)
{
    at__member_int(out, "registers", r->registers);
    at__member_int(out, "stack_bytes", r->stack_bytes);
    at__member_int(out, "spill_bytes", r->spill_bytes);
    at__member_int(out, "local_bytes", r->local_bytes);
}

void at__report_answer(at__str *out, const at__answer *a, const at__problem *problem)
{
    const at__winner *w = &a->winner;
    at__member_text(out, "template", w->template_name);
    at__member_text(out, "template_hash", w->template_hash);
    at__member_text(out, "config", w->config);
    at__member_real(out, "median_s", 9, w->timing.median_s);
    at__member_real(out, "min_s", 9, w->timing.min_s);
    at__member_real(out, "spread", 4, w->timing.spread);
    at__member_int(out, "samples", w->timing.samples);
    at__member_real(out, "gb_per_s", 5, at__answer_gb_per_s(a));
    at__report_gflop_member(out, at__answer_gflop_per_s(a));
    at__metrics_member(out, problem, AT__RECORD_OF(w));
    if (*w->objective)
        at__member_text(out, "objective", w->objective);
    at__member_real(out, "ceiling_s", 9, w->ceiling_s);
    at__member_real(out, "share_of_ceiling", 5, at__answer_share(a));
    at__member_text(out, "ceiling", w->ceiling_name);
    at__member_ints(out, "grid", w->geometry.grid, 3);
    at__member_ints(out, "block", w->geometry.block, 3);
    at__member_int(out, "shared_bytes", w->geometry.shared_bytes);
    at__member_int(out, "total_shared_bytes", w->resources.shared_bytes);
    at__report_resources(out, &w->resources);
    at__member_int(out, "trials", w->trials);
    at__member_int(out, "space", w->space_count);
    at__member_text(out, "ties", w->ties);
    json_conditions(out, a);
}

static void json_counts(at__str *out, const at__result *r)
{
    at__member_name(out, "outcomes");
    at__str_add(out, "{");
    for (int i = 0; i < AT__OUTCOMES; i++)
        at__member_int(out, at__outcome_name((at__outcome)i), r->outcomes[i]);
    at__str_add(out, "}");
    at__member_int(out, "known", r->known);
    at__member_int(out, "compiled", r->compiled);
    at__member_real(out, "elapsed_s", 4, r->elapsed_s);
    at__member_real(out, "device_busy_s", 4, r->device_busy_s);
    at__member_real(out, "device_open_s", 4, r->device_open_s);
    at__member_real(out, "race_saved_s", 4, r->race_saved_s);
    at__member_bool(out, "interrupted", r->interrupted);
}

static void json_row(at__str *out, const at__result *r)
{
    at__str shape = { 0 };
    at__problem_shape(&shape, r->problem);
    at__str_add(out, "{");
    at__member_text(out, "op", r->problem->op->name);
    at__member_text(out, "shape", at__str_text(&shape));
    at__member_text(out, "dtype", at__dtype_name(r->problem->type));
    at__member_int(out, "device", r->device);
    at__member_bool(out, "found", r->found);
    at__member_bool(out, "from_store", r->from_store);
    if (r->found) {
        at__member_text(out, "gpu", r->answer->fingerprint.device);
        at__report_answer(out, r->answer, r->problem);
    } else {
        at__member_text(out, "why", r->why);
    }
    json_counts(out, r);
    at__str_add(out, "}\n");
    out->failed |= shape.failed;
    at__str_clear(&shape);
}

void at__report_result(at__str *out, at__format format, const at__result *result)
{
    if (format == AT__JSON)
        json_row(out, result);
    else if (format == AT__CSV)
        csv_row(out, result);
    else
        text_row(out, result);
}

void at__totals_add(at__totals *t, const at__result *r)
{
    t->problems++;
    t->found += r->found;
    t->from_store += r->from_store;
    t->compiled += r->compiled;
    t->busy_s += r->device_busy_s;
    t->open_s += r->device_open_s;
    t->saved_s += r->race_saved_s;
    t->interrupted |= r->interrupted;
    for (int i = 0; i < AT__OUTCOMES; i++)
        t->outcomes[i] += r->outcomes[i];
}

void at__report_totals(at__str *out, const at__totals *t, double elapsed_s)
{
    int64_t trials = 0;
    for (int i = 0; i < AT__OUTCOMES; i++)
        trials += t->outcomes[i];
    at__str_addf(out, "%lld of %lld problems have a winner", (long long)t->found, (long long)t->problems);
    if (t->from_store)
        at__str_addf(out, " (%lld from the store)", (long long)t->from_store);
    at__str_addf(out, "; %lld trials", (long long)trials);
    for (int i = 1; i < AT__OUTCOMES; i++)
        if (t->outcomes[i])
            at__str_addf(out, ", %lld %s", (long long)t->outcomes[i], at__outcome_name((at__outcome)i));
    at__str_addf(out, "; %lld kernels compiled; %.1f s", (long long)t->compiled, elapsed_s);
    if (trials && elapsed_s > 0)
        at__str_addf(out, ", %.0f configurations a second", (double)trials / elapsed_s);
    if (t->busy_s > 0 && t->open_s > 0)
        at__str_addf(out, "; device busy %.0f %%", 100 * t->busy_s / t->open_s);
    if (t->saved_s >= 0.05)
        at__str_addf(out, ", races spared it %.1f s", t->saved_s);
    at__str_add(out, t->interrupted ? "; interrupted, the same command goes on from here\n" : "\n");
}
