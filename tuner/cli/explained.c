/* explained.c - see explained.h. A side after the other, then both in one table. */
#include "cli/explained.h"

#include "cli/print.h"
#include "util/clock.h"
#include "util/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double each(const atx_traffic *t)
{
    return t->requests ? (double)t->cost / (double)t->requests : 0;
}

static double least_each(const atx_traffic *t)
{
    return t->requests ? (double)t->least / (double)t->requests : 0;
}

static double times(const atx_traffic *t)
{
    return t->least ? (double)t->cost / (double)t->least : 1;
}

static const char *unit(atx_traffic_kind kind)
{
    return atx_traffic_is_global(kind) ? "sectors" : "wavefronts";
}

/* ---- text ---- */

static void print_launch(const atx_explained *x)
{
    const atx_figures *f = &x->figures;
    const atx_geometry *g = &f->program.kernel.geometry;
    const atx_resources *r = &f->program.resources;
    const atx_occupancy *o = &f->occupancy;
    const int64_t threads = g->block[0] * g->block[1] * g->block[2];
    atx_print(stdout, "  launch      %" PRId64 " block%s of %" PRId64 " threads",
              g->grid[0] * g->grid[1] * g->grid[2], g->grid[0] * g->grid[1] * g->grid[2] == 1 ? "" : "s",
              threads);
    if (r->registers >= 0)
        atx_print(stdout, ", %" PRId64 " registers, %" PRId64 " bytes of shared memory", r->registers,
                  r->shared_bytes + g->shared_bytes);
    if (r->spill_bytes > 0)
        atx_print(stdout, ", %" PRId64 " bytes spilled", r->spill_bytes);
    atx_print(stdout, "\n");
    const int more = atx_kernel_launches(&f->program.kernel) - 1;
    if (more)
        atx_print(stdout, "              and %d more launch%s\n", more, more == 1 ? "" : "es");
    if (o->warps)
        atx_print(stdout,
                  "  occupancy   %.0f %%: %" PRId64 " block%s, %" PRId64 " of %" PRId64
                  " warps; %s allow%s no more\n",
                  100 * (double)o->warps / (double)o->max_warps, o->blocks, o->blocks == 1 ? "" : "s",
                  o->warps, o->max_warps, o->limit, strcmp(o->limit, "shared memory") == 0 ? "s" : "");
    if (f->sample.blocks < f->sample.of)
        atx_print(stdout, "  counted     %" PRId64 " of %" PRId64 " blocks, and multiplied\n",
                  f->sample.blocks, f->sample.of);
}

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "?";
}

static void print_traffic(const atx_tally_line *line, atx_traffic_kind kind)
{
    const atx_traffic *t = &line->traffic[kind];
    char place[80], inner[80] = "";
    if (t->requests == 0)
        return;
    snprintf(place, sizeof place, "%s:%d", base_name(line->file), line->line);
    if (line->inner_line != line->line || line->inner_file != line->file)
        snprintf(inner, sizeof inner, ", in %s:%d", base_name(line->inner_file), line->inner_line);
    atx_print(stdout, "  %-22s %-15s %12" PRId64 " %8.2f %8.2f %7.2f  %s%s\n", place, atx_traffic_name(kind),
              t->requests, each(t), least_each(t), times(t), unit(kind), inner);
}

static void print_lines(const atx_figures *f)
{
    atx_print(stdout, "  %-22s %-15s %12s %8s %8s %7s\n", "line", "", "requests", "of each", "least",
              "times");
    for (size_t i = 0; i < f->line_count; i++)
        for (int k = 0; k < ATX_TRAFFIC_KINDS; k++)
            print_traffic(&f->lines[i], (atx_traffic_kind)k);
}

static double moved_bytes(const atx_figures *f, atx_traffic_kind kind)
{
    return (double)f->all.traffic[kind].cost * ATX_SECTOR_BYTES;
}

static void add_time(atx_str *out, const char *what, double seconds)
{
    char text[32];
    if (seconds <= 0)
        return;
    atx_time_text(text, sizeof text, seconds);
    atx_str_addf(out, "%s%s %s", out->len ? ", " : "", what, text);
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

static void print_traffic_bytes(const atx_explained_problem *p, const atx_figures *f)
{
    char must[32], reads[32], writes[32];
    bytes_text(must, sizeof must, (double)p->traffic_bytes);
    bytes_text(reads, sizeof reads, moved_bytes(f, ATX_GLOBAL_LOAD) + moved_bytes(f, ATX_GLOBAL_ATOMIC));
    bytes_text(writes, sizeof writes, moved_bytes(f, ATX_GLOBAL_STORE));
    atx_print(stdout,
              "  traffic     %s by the operation; the kernel reads %s from the L2 and writes %s to it\n",
              must, reads, writes);
}

static void print_times(const atx_explained_problem *p, const atx_explained *x)
{
    const atx_figures *f = &x->figures;
    char text[32];
    ATX_LOCAL(atx_str) line = { 0 };
    print_traffic_bytes(p, f);
    add_time(&line, "DRAM", x->least.dram_s);
    add_time(&line, "L2", x->least.l2_s);
    add_time(&line, "shared memory", x->least.shared_s);
    add_time(&line, "instructions", x->least.issue_s);
    if (line.len)
        atx_print(stdout, "  at least    %s\n", atx_whole(&line));
    if (f->stored_s > 0) {
        atx_time_text(text, sizeof text, f->stored_s);
        atx_print(stdout, "  measured    %s", text);
        if (x->least.dram_s > 0)
            atx_print(stdout, ": DRAM at %.0f %% of its %.2f TB/s", 100 * x->least.dram_s / f->stored_s,
                      1e-12 * p->rates->dram_bytes_per_s);
        if (p->rates->copy_bytes_per_s > 0)
            atx_print(stdout, ", a plain copy %.0f %%",
                      100 * (double)p->traffic_bytes / p->rates->copy_bytes_per_s / f->stored_s);
        atx_print(stdout, "\n");
    }
}

static void print_side(const atx_explained_problem *p, const atx_explained *x)
{
    atx_print(stdout, "%s %s", x->figures.t->name, atx_str_text(&x->figures.config));
    if (x->origin)
        atx_print(stdout, " (%s)", x->origin);
    atx_print(stdout, "\n");
    print_launch(x);
    print_lines(&x->figures);
    print_times(p, x);
    for (int i = 0; i < x->advice_count; i++)
        atx_print(stdout, "  %d. %s\n", i + 1, x->advice[i].text);
    if (x->advice_count == 0)
        atx_print(stdout, "  Nothing is wasted that can be counted.\n");
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
    atx_print(stdout, "  %-34s %14s %14s\n", what, left, right);
}

static void print_both(const atx_figures *a, const atx_figures *b)
{
    char what[80];
    atx_print(stdout, "side by side\n  %-34s %14s %14s\n", "", a->t->name,
              strcmp(a->t->name, b->t->name) ? b->t->name : "the other");
    compare_row("time, us", "%.2f", 1e6 * a->stored_s, 1e6 * b->stored_s);
    for (int k = 0; k < ATX_TRAFFIC_KINDS; k++) {
        const atx_traffic *x = &a->all.traffic[k], *y = &b->all.traffic[k];
        snprintf(what, sizeof what, "%s: %s", atx_traffic_name((atx_traffic_kind)k),
                 unit((atx_traffic_kind)k));
        compare_row(what, "%.0f", (double)x->cost, (double)y->cost);
        snprintf(what, sizeof what, "%s: of each request", atx_traffic_name((atx_traffic_kind)k));
        compare_row(what, "%.2f", each(x), each(y));
    }
    compare_row("instructions of warps", "%.0f", (double)a->all.warp_instructions,
                (double)b->all.warp_instructions);
    compare_row("occupancy, %", "%.0f",
                a->occupancy.warps ? 100 * (double)a->occupancy.warps / (double)a->occupancy.max_warps : 0,
                b->occupancy.warps ? 100 * (double)b->occupancy.warps / (double)b->occupancy.max_warps : 0);
}

void atx_explained_text(const atx_explained_problem *p, const atx_explained *sides, int count)
{
    atx_print(stdout, "%s %s %s, PTX of sm_%" PRId64 " run on the CPU", p->problem->op->name, p->shape,
              atx_dtype_name(p->problem->type), p->rates->cc);
    if (p->rates->name[0])
        atx_print(stdout, ", times of %s", p->rates->name);
    atx_print(stdout, "\n");
    for (int i = 0; i < count; i++)
        print_side(p, &sides[i]);
    if (count == 2)
        print_both(&sides[0].figures, &sides[1].figures);
}

/* ---- JSON ---- */

static void add_traffic(atx_str *out, const atx_traffic *t, atx_traffic_kind kind)
{
    char name[32];
    snprintf(name, sizeof name, "%s", atx_traffic_name(kind));
    name[strcspn(name, " ")] = '_';
    atx_member_name(out, name);
    atx_str_add(out, "{");
    atx_member_int(out, "requests", t->requests);
    atx_member_int(out, unit(kind), t->cost);
    atx_member_int(out, "least", t->least);
    atx_member_int(out, "lanes", t->lanes);
    atx_member_int(out, "bytes", t->bytes);
    atx_member_int(out, "worst", t->worst);
    atx_str_add(out, "}");
}

static void add_counts(atx_str *out, const atx_tally_line *line)
{
    atx_member_int(out, "warp_instructions", line->warp_instructions);
    atx_member_int(out, "lane_instructions", line->lane_instructions);
    for (int k = 0; k < ATX_TRAFFIC_KINDS; k++)
        add_traffic(out, &line->traffic[k], (atx_traffic_kind)k);
}

static void add_lines(atx_str *out, const atx_figures *f)
{
    atx_member_name(out, "lines");
    atx_str_add(out, "[");
    for (size_t i = 0; i < f->line_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "file", f->lines[i].file);
        atx_member_int(out, "line", f->lines[i].line);
        atx_member_text(out, "inner_file", f->lines[i].inner_file);
        atx_member_int(out, "inner_line", f->lines[i].inner_line);
        add_counts(out, &f->lines[i]);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "]");
}

static void add_findings(atx_str *out, const atx_explained *x)
{
    atx_member_name(out, "findings");
    atx_str_add(out, "[");
    for (int i = 0; i < x->advice_count; i++) {
        atx_str_add(out, i ? ",{" : "{");
        atx_member_text(out, "kind", x->advice[i].kind);
        atx_member_text(out, "text", x->advice[i].text);
        atx_member_real(out, "cycles", 6, x->advice[i].cycles);
        atx_str_add(out, "}");
    }
    atx_str_add(out, "]");
}

static double or_nan(double value)
{
    return value > 0 ? value : NAN;
}

static void add_side(atx_str *out, const atx_explained *x)
{
    static const char *const SIDES[] = { "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z" };
    const atx_figures *f = &x->figures;
    const atx_geometry *g = &f->program.kernel.geometry;
    atx_str_add(out, "{");
    atx_member_text(out, "template", f->t->name);
    atx_member_text(out, "config", atx_str_text(&f->config));
    atx_member_text(out, "origin", x->origin);
    for (int i = 0; i < 6; i++)
        atx_member_int(out, SIDES[i], i < 3 ? g->grid[i] : g->block[i - 3]);
    atx_member_int(out, "shared_bytes", g->shared_bytes);
    atx_member_int(out, "registers", f->program.resources.registers);
    atx_member_int(out, "total_shared_bytes", f->program.resources.shared_bytes + g->shared_bytes);
    atx_member_int(out, "spill_bytes", f->program.resources.spill_bytes);
    atx_member_int(out, "blocks_run", f->sample.blocks);
    atx_member_int(out, "blocks", f->sample.of);
    atx_member_real(out, "occupancy", 4,
                    f->occupancy.warps ? (double)f->occupancy.warps / (double)f->occupancy.max_warps : NAN);
    atx_member_text(out, "occupancy_limit", f->occupancy.warps ? f->occupancy.limit : NULL);
    atx_member_real(out, "median_s", 9, or_nan(f->stored_s));
    atx_member_real(out, "least_dram_s", 6, or_nan(x->least.dram_s));
    atx_member_real(out, "least_l2_s", 6, or_nan(x->least.l2_s));
    atx_member_real(out, "least_shared_s", 6, or_nan(x->least.shared_s));
    atx_member_real(out, "least_issue_s", 6, or_nan(x->least.issue_s));
    add_counts(out, &f->all);
    add_findings(out, x);
    add_lines(out, f);
    atx_str_add(out, "}");
}

void atx_explained_json(const atx_explained_problem *p, const atx_explained *sides, int count)
{
    ATX_LOCAL(atx_str) o = { 0 };
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%d", (int)p->rates->cc);
    atx_str_add(&o, "{");
    atx_member_text(&o, "schema", "autotune.explain/1");
    atx_member_text(&o, "op", p->problem->op->name);
    atx_member_text(&o, "shape", p->shape);
    atx_member_text(&o, "dtype", atx_dtype_name(p->problem->type));
    atx_member_text(&o, "arch", arch);
    atx_member_text(&o, "device", p->rates->name[0] ? p->rates->name : NULL);
    atx_member_int(&o, "traffic_bytes", p->traffic_bytes);
    atx_member_name(&o, "sides");
    atx_str_add(&o, "[");
    for (int i = 0; i < count; i++) {
        atx_str_add(&o, i ? "," : "");
        add_side(&o, &sides[i]);
    }
    atx_str_add(&o, "]}");
    atx_print(stdout, "%s\n", atx_whole(&o));
}
