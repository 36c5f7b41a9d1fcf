/*
 * report.c - pure text: the caller prints. A result is a row in each format: CSV has the figures of
 * the text, JSON also the conditions under which they were measured.
 */
#include "cli/report.h"

#include "util/clock.h"

#include <stdio.h>
#include <string.h>

static void problem_text(at__str *out, const at__problem *p)
{
    if (!p->op->by_default)
        at__str_addf(out, "%s ", p->op->name);
    at__problem_shape(out, p);
    at__str_addf(out, " %s", at__dtype_name(p->type));
}

static double gb_per_s(const at__answer *a)
{
    return 1e-9 * (double)a->traffic_bytes / a->winner.timing.median_s;
}

static double share(const at__answer *a)
{
    return a->winner.ceiling_s > 0 ? a->winner.ceiling_s / a->winner.timing.median_s : 0;
}

void at__report_head(at__str *out, at__format format)
{
    if (format == AT__TEXT)
        at__str_addf(out, "%-22s %11s %8s %6s  %s\n", "problem", "time", "GB/s", "copy", "winner");
    else if (format == AT__CSV)
        at__str_add(out,
                    "op,shape,dtype,device,found,from_store,template,config,median_us,min_us,spread,samples,"
                    "gb_per_s,ceiling_us,share_of_ceiling,ceiling,trials,space,elapsed_s,interrupted,why\n");
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
            snprintf(part, sizeof part, "%.1f %%", 100 * share(r->answer));
        if (r->answer->traffic_bytes > 0)
            snprintf(speed, sizeof speed, "%.0f", gb_per_s(r->answer));
        at__str_addf(out, "%-22s %11s %8s %6s  %s %s", at__str_text(&problem), time, speed, part,
                     w->template_name, w->config);
        notes(out, r);
        at__str_add(out, "\n");
    }
    at__str_clear(&problem);
}

/* A CSV field: quoted when it needs to be. */
static void csv(at__str *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        at__str_addf(out, "%s,", text);
        return;
    }
    at__str_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            at__str_add(out, "\"");
        at__str_add_bytes(out, text, 1);
    }
    at__str_add(out, "\",");
}

static void csv_row(at__str *out, const at__result *r)
{
    at__str shape = { 0 };
    at__problem_shape(&shape, r->problem);
    at__str_addf(out, "%s,%s,%s,%d,%d,%d,", r->problem->op->name, at__str_text(&shape),
                 at__dtype_name(r->problem->type), r->device, r->found, r->from_store);
    if (r->found) {
        const at__winner *w = &r->answer->winner;
        csv(out, w->template_name);
        csv(out, w->config);
        at__str_addf(out, "%.4f,%.4f,%.4f,%lld,%.1f,%.4f,%.4f,", 1e6 * w->timing.median_s,
                     1e6 * w->timing.min_s, w->timing.spread, (long long)w->timing.samples,
                     gb_per_s(r->answer), 1e6 * w->ceiling_s, share(r->answer));
        csv(out, w->ceiling_name);
        at__str_addf(out, "%lld,%lld,%.3f,%d,\n", (long long)w->trials, (long long)w->space_count,
                     r->elapsed_s, r->interrupted);
    } else {
        at__str_addf(out, ",,,,,,,,,,,,%.3f,%d,", r->elapsed_s, r->interrupted);
        csv(out, r->why);
        out->data[out->len - 1] = '\n'; /* the last field has no comma behind it */
    }
    at__str_clear(&shape);
}

/* Under which conditions the winner was measured; numbers below zero are unknown. */
static void json_conditions(at__str *out, const at__answer *a)
{
    const at__conditions *c = &a->winner.conditions;
    at__str_add(out, ",\"gpu\":");
    at__str_add_json(out, a->fingerprint.device);
    at__str_add(out, ",\"driver\":");
    at__str_add_json(out, a->fingerprint.driver);
    at__str_add(out, ",\"nvrtc\":");
    at__str_add_json(out, a->fingerprint.nvrtc);
    at__str_add(out, ",\"autotune\":");
    at__str_add_json(out, a->fingerprint.tool);
    at__str_addf(out, ",\"cc\":%lld,\"cold\":%s,\"measured_at\":", (long long)a->fingerprint.cc,
                 a->fingerprint.cold ? "true" : "false");
    at__str_add_json(out, a->measured_at);
    at__str_addf(out,
                 ",\"sm_clock_mhz\":%lld,\"memory_clock_mhz\":%lld,\"temperature_c\":%lld,\"power_w\":%lld,"
                 "\"throttle_reasons\":%lld",
                 (long long)c->sm_clock_mhz, (long long)c->memory_clock_mhz, (long long)c->temperature_c,
                 (long long)c->power_w, (long long)c->throttle_reasons);
}

static void json_winner(at__str *out, const at__result *r)
{
    const at__answer *a = r->answer;
    const at__winner *w = &a->winner;
    at__str_add(out, ",\"template\":");
    at__str_add_json(out, w->template_name);
    at__str_add(out, ",\"template_hash\":");
    at__str_add_json(out, w->template_hash);
    at__str_add(out, ",\"config\":");
    at__str_add_json(out, w->config);
    at__str_addf(out,
                 ",\"median_s\":%.9g,\"min_s\":%.9g,\"spread\":%.4g,\"samples\":%lld,\"gb_per_s\":%.5g,"
                 "\"ceiling_s\":%.9g,\"share_of_ceiling\":%.5g,\"ceiling\":",
                 w->timing.median_s, w->timing.min_s, w->timing.spread, (long long)w->timing.samples,
                 gb_per_s(a), w->ceiling_s, share(a));
    at__str_add_json(out, w->ceiling_name);
    at__str_addf(
        out, ",\"grid\":[%lld,%lld,%lld],\"block\":[%lld,%lld,%lld],\"shared_bytes\":%lld,\"registers\":%lld",
        (long long)w->grid[0], (long long)w->grid[1], (long long)w->grid[2], (long long)w->block[0],
        (long long)w->block[1], (long long)w->block[2], (long long)w->shared_bytes, (long long)w->registers);
    at__str_addf(out, ",\"trials\":%lld,\"space\":%lld,\"ties\":", (long long)w->trials,
                 (long long)w->space_count);
    at__str_add_json(out, w->ties);
    json_conditions(out, a);
}

static void json_row(at__str *out, const at__result *r)
{
    at__str shape = { 0 };
    at__problem_shape(&shape, r->problem);
    at__str_addf(
        out, "{\"op\":\"%s\",\"shape\":\"%s\",\"dtype\":\"%s\",\"device\":%d,\"found\":%s,\"from_store\":%s",
        r->problem->op->name, at__str_text(&shape), at__dtype_name(r->problem->type), r->device,
        r->found ? "true" : "false", r->from_store ? "true" : "false");
    if (r->found) {
        json_winner(out, r);
    } else {
        at__str_add(out, ",\"why\":");
        at__str_add_json(out, r->why);
    }
    at__str_add(out, ",\"outcomes\":{");
    for (int i = 0; i < AT__OUTCOMES; i++)
        at__str_addf(out, "%s\"%s\":%lld", i ? "," : "", at__outcome_name((at__outcome)i),
                     (long long)r->outcomes[i]);
    at__str_addf(out,
                 "},\"known\":%lld,\"compiled\":%lld,\"elapsed_s\":%.4g,\"device_busy_s\":%.4g,\"device_open_"
                 "s\":%.4g,\"race_saved_s\":%.4g,\"interrupted\":%s}\n",
                 (long long)r->known, (long long)r->compiled, r->elapsed_s, r->device_busy_s,
                 r->device_open_s, r->race_saved_s, r->interrupted ? "true" : "false");
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
