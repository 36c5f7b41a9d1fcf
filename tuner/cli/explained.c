/* explained.c - see explained.h. A side after the other, then both in one table. */
#include "cli/explained.h"

#include "cli/print.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double each(const at__traffic *t)
{
    return t->requests ? (double)t->cost / (double)t->requests : 0;
}

static double least_each(const at__traffic *t)
{
    return t->requests ? (double)t->least / (double)t->requests : 0;
}

static double times(const at__traffic *t)
{
    return t->least ? (double)t->cost / (double)t->least : 1;
}

static const char *unit(at__traffic_kind kind)
{
    return at__traffic_is_global(kind) ? "sectors" : "wavefronts";
}

/* ---- text ---- */

static void print_launch(const at__explained *x)
{
    const at__figures *f = &x->figures;
    const at__geometry *g = &f->program.kernel.geometry;
    const at__resources *r = &f->program.resources;
    const at__occupancy *o = &f->occupancy;
    const int64_t threads = g->block[0] * g->block[1] * g->block[2];
    at__print(stdout, "  launch      %" PRId64 " block%s of %" PRId64 " threads",
              g->grid[0] * g->grid[1] * g->grid[2], g->grid[0] * g->grid[1] * g->grid[2] == 1 ? "" : "s",
              threads);
    if (r->registers >= 0)
        at__print(stdout, ", %" PRId64 " registers, %" PRId64 " bytes of shared memory", r->registers,
                  r->shared_bytes + g->shared_bytes);
    if (r->spill_bytes > 0)
        at__print(stdout, ", %" PRId64 " bytes spilled", r->spill_bytes);
    at__print(stdout, "\n");
    if (f->program.kernel.more_count)
        at__print(stdout, "              and %d more launch%s\n", f->program.kernel.more_count,
                  f->program.kernel.more_count == 1 ? "" : "es");
    if (o->warps)
        at__print(stdout,
                  "  occupancy   %.0f %%: %" PRId64 " block%s, %" PRId64 " of %" PRId64
                  " warps; %s allow%s no more\n",
                  100 * (double)o->warps / (double)o->max_warps, o->blocks, o->blocks == 1 ? "" : "s",
                  o->warps, o->max_warps, o->limit, strcmp(o->limit, "shared memory") == 0 ? "s" : "");
    if (f->sample.blocks < f->sample.of)
        at__print(stdout, "  counted     %" PRId64 " of %" PRId64 " blocks, and multiplied\n",
                  f->sample.blocks, f->sample.of);
}

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "?";
}

static void print_traffic(const at__tally_line *line, at__traffic_kind kind)
{
    const at__traffic *t = &line->traffic[kind];
    char place[80], inner[80] = "";
    if (t->requests == 0)
        return;
    snprintf(place, sizeof place, "%s:%d", base_name(line->file), line->line);
    if (line->inner_line != line->line || line->inner_file != line->file)
        snprintf(inner, sizeof inner, ", in %s:%d", base_name(line->inner_file), line->inner_line);
    at__print(stdout, "  %-22s %-15s %12" PRId64 " %8.2f %8.2f %7.2f  %s%s\n", place, at__traffic_name(kind),
              t->requests, each(t), least_each(t), times(t), unit(kind), inner);
}

static void print_lines(const at__figures *f)
{
    at__print(stdout, "  %-22s %-15s %12s %8s %8s %7s\n", "line", "", "requests", "of each", "least",
              "times");
    for (size_t i = 0; i < f->line_count; i++)
        for (int k = 0; k < AT__TRAFFIC_KINDS; k++)
            print_traffic(&f->lines[i], (at__traffic_kind)k);
}

static double moved_bytes(const at__figures *f, at__traffic_kind kind)
{
    return (double)f->all.traffic[kind].cost * AT__SECTOR_BYTES;
}

static void add_time(at__str *out, const char *what, double seconds)
{
    char text[32];
    if (seconds <= 0)
        return;
    at__time_text(text, sizeof text, seconds);
    at__str_addf(out, "%s%s %s", out->len ? ", " : "", what, text);
}

static void bytes_text(char *out, size_t size, double bytes)
{
    if (bytes < 1e6)
        snprintf(out, size, "%.3g kB", 1e-3 * bytes);
    else if (bytes < 1e9)
        snprintf(out, size, "%.3g MB", 1e-6 * bytes);
    else
        snprintf(out, size, "%.3g GB", 1e-9 * bytes);
}

static void print_traffic_bytes(const at__explained_problem *p, const at__figures *f)
{
    char must[32], asked[32], given[32];
    bytes_text(must, sizeof must, (double)p->traffic_bytes);
    bytes_text(asked, sizeof asked, moved_bytes(f, AT__GLOBAL_LOAD) + moved_bytes(f, AT__GLOBAL_ATOMIC));
    bytes_text(given, sizeof given, moved_bytes(f, AT__GLOBAL_STORE));
    at__print(stdout, "  traffic     %s by the operation; the kernel asks the L2 for %s and gives it %s\n",
              must, asked, given);
}

static void print_times(const at__explained_problem *p, const at__explained *x)
{
    const at__figures *f = &x->figures;
    char text[32];
    at__str line = { 0 };
    print_traffic_bytes(p, f);
    add_time(&line, "DRAM", x->least.dram_s);
    add_time(&line, "L2", x->least.l2_s);
    add_time(&line, "shared memory", x->least.shared_s);
    add_time(&line, "instructions", x->least.issue_s);
    if (line.len)
        at__print(stdout, "  at least    %s\n", at__whole(&line));
    at__str_clear(&line);
    if (f->stored_s > 0) {
        at__time_text(text, sizeof text, f->stored_s);
        at__print(stdout, "  measured    %s", text);
        if (x->least.dram_s > 0)
            at__print(stdout, ": DRAM at %.0f %% of its %.2f TB/s", 100 * x->least.dram_s / f->stored_s,
                      1e-12 * p->rates->dram_bytes_per_s);
        if (p->rates->copy_bytes_per_s > 0)
            at__print(stdout, ", a plain copy %.0f %%",
                      100 * (double)p->traffic_bytes / p->rates->copy_bytes_per_s / f->stored_s);
        at__print(stdout, "\n");
    }
}

static void print_side(const at__explained_problem *p, const at__explained *x)
{
    at__print(stdout, "%s %s", x->figures.t->name, at__str_text(&x->figures.config));
    if (x->origin)
        at__print(stdout, " (%s)", x->origin);
    at__print(stdout, "\n");
    print_launch(x);
    print_lines(&x->figures);
    print_times(p, x);
    for (int i = 0; i < x->advice_count; i++)
        at__print(stdout, "  %d. %s\n", i + 1, x->advice[i].text);
    if (x->advice_count == 0)
        at__print(stdout, "  Nothing is wasted that can be counted.\n");
}

static void compare_row(const char *what, const char *format, double a, double b)
{
    char left[32], right[32];
    if (a <= 0 && b <= 0)
        return;
    snprintf(left, sizeof left, "%s", "-");
    snprintf(right, sizeof right, "%s", "-");
    if (a > 0)
        snprintf(left, sizeof left, format, a); // NOLINT(clang-diagnostic-format-nonliteral)
    if (b > 0)
        snprintf(right, sizeof right, format, b); // NOLINT(clang-diagnostic-format-nonliteral)
    at__print(stdout, "  %-34s %14s %14s\n", what, left, right);
}

static void print_both(const at__figures *a, const at__figures *b)
{
    char what[80];
    at__print(stdout, "side by side\n  %-34s %14s %14s\n", "", a->t->name,
              strcmp(a->t->name, b->t->name) ? b->t->name : "the other");
    compare_row("time, us", "%.2f", 1e6 * a->stored_s, 1e6 * b->stored_s);
    for (int k = 0; k < AT__TRAFFIC_KINDS; k++) {
        const at__traffic *x = &a->all.traffic[k], *y = &b->all.traffic[k];
        snprintf(what, sizeof what, "%s: %s", at__traffic_name((at__traffic_kind)k),
                 unit((at__traffic_kind)k));
        compare_row(what, "%.0f", (double)x->cost, (double)y->cost);
        snprintf(what, sizeof what, "%s: of each request", at__traffic_name((at__traffic_kind)k));
        compare_row(what, "%.2f", each(x), each(y));
    }
    compare_row("instructions of warps", "%.0f", (double)a->all.warp_instructions,
                (double)b->all.warp_instructions);
    compare_row("occupancy, %", "%.0f",
                a->occupancy.warps ? 100 * (double)a->occupancy.warps / (double)a->occupancy.max_warps : 0,
                b->occupancy.warps ? 100 * (double)b->occupancy.warps / (double)b->occupancy.max_warps : 0);
}

void at__explained_text(const at__explained_problem *p, const at__explained *sides, int count)
{
    at__print(stdout, "%s %s %s, PTX of sm_%" PRId64 " run on the CPU", p->problem->op->name, p->shape,
              at__dtype_name(p->problem->type), p->rates->cc);
    if (p->rates->name[0])
        at__print(stdout, ", times of %s", p->rates->name);
    at__print(stdout, "\n");
    for (int i = 0; i < count; i++)
        print_side(p, &sides[i]);
    if (count == 2)
        print_both(&sides[0].figures, &sides[1].figures);
}

/* ---- JSON ---- */

static void add_traffic(at__str *out, const at__traffic *t, at__traffic_kind kind)
{
    char name[32];
    snprintf(name, sizeof name, "%s", at__traffic_name(kind));
    name[strcspn(name, " ")] = '_';
    if (t->requests == 0)
        return;
    at__member_name(out, name);
    at__str_add(out, "{");
    at__member_int(out, "requests", t->requests);
    at__member_int(out, unit(kind), t->cost);
    at__member_int(out, "least", t->least);
    at__member_int(out, "lanes", t->lanes);
    at__member_int(out, "bytes", t->bytes);
    at__member_int(out, "worst", t->worst);
    at__str_add(out, "}");
}

static void add_counts(at__str *out, const at__tally_line *line)
{
    at__member_int(out, "warp_instructions", line->warp_instructions);
    at__member_int(out, "lane_instructions", line->lane_instructions);
    for (int k = 0; k < AT__TRAFFIC_KINDS; k++)
        add_traffic(out, &line->traffic[k], (at__traffic_kind)k);
}

static void add_lines(at__str *out, const at__figures *f)
{
    at__member_name(out, "lines");
    at__str_add(out, "[");
    for (size_t i = 0; i < f->line_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "file", f->lines[i].file);
        at__member_int(out, "line", f->lines[i].line);
        at__member_text(out, "inner_file", f->lines[i].inner_file);
        at__member_int(out, "inner_line", f->lines[i].inner_line);
        add_counts(out, &f->lines[i]);
        at__str_add(out, "}");
    }
    at__str_add(out, "]");
}

static void add_findings(at__str *out, const at__explained *x)
{
    at__member_name(out, "findings");
    at__str_add(out, "[");
    for (int i = 0; i < x->advice_count; i++) {
        at__str_add(out, i ? ",{" : "{");
        at__member_text(out, "kind", x->advice[i].kind);
        at__member_text(out, "text", x->advice[i].text);
        at__member_real(out, "cycles", 6, x->advice[i].cycles);
        at__str_add(out, "}");
    }
    at__str_add(out, "]");
}

static double or_nan(double value)
{
    return value > 0 ? value : NAN;
}

static void add_side(at__str *out, const at__explained *x)
{
    const at__figures *f = &x->figures;
    const at__geometry *g = &f->program.kernel.geometry;
    at__str_add(out, "{");
    at__member_text(out, "template", f->t->name);
    at__member_text(out, "config", at__str_text(&f->config));
    at__member_text(out, "origin", x->origin);
    at__member_ints(out, "grid", g->grid, 3);
    at__member_ints(out, "block", g->block, 3);
    at__member_int(out, "registers", f->program.resources.registers);
    at__member_int(out, "shared_bytes", f->program.resources.shared_bytes + g->shared_bytes);
    at__member_int(out, "spilled_bytes", f->program.resources.spill_bytes);
    at__member_int(out, "blocks_run", f->sample.blocks);
    at__member_int(out, "blocks", f->sample.of);
    at__member_real(out, "occupancy", 4,
                    f->occupancy.warps ? (double)f->occupancy.warps / (double)f->occupancy.max_warps : NAN);
    at__member_text(out, "occupancy_limit", f->occupancy.warps ? f->occupancy.limit : NULL);
    at__member_real(out, "measured_s", 9, or_nan(f->stored_s));
    at__member_real(out, "least_dram_s", 6, or_nan(x->least.dram_s));
    at__member_real(out, "least_l2_s", 6, or_nan(x->least.l2_s));
    at__member_real(out, "least_shared_s", 6, or_nan(x->least.shared_s));
    at__member_real(out, "least_issue_s", 6, or_nan(x->least.issue_s));
    add_counts(out, &f->all);
    add_findings(out, x);
    add_lines(out, f);
    at__str_add(out, "}");
}

void at__explained_json(const at__explained_problem *p, const at__explained *sides, int count)
{
    at__str o = { 0 };
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", (int)p->rates->cc);
    at__str_add(&o, "{");
    at__member_text(&o, "op", p->problem->op->name);
    at__member_text(&o, "shape", p->shape);
    at__member_text(&o, "dtype", at__dtype_name(p->problem->type));
    at__member_text(&o, "arch", arch);
    at__member_text(&o, "device", p->rates->name[0] ? p->rates->name : NULL);
    at__member_int(&o, "traffic_bytes", p->traffic_bytes);
    at__member_name(&o, "sides");
    at__str_add(&o, "[");
    for (int i = 0; i < count; i++) {
        at__str_add(&o, i ? "," : "");
        add_side(&o, &sides[i]);
    }
    at__str_add(&o, "]}");
    at__print(stdout, "%s\n", at__whole(&o));
    at__str_clear(&o);
}
