/*
 * advice.c - sectors and wavefronts above the least possible number are wasted cycles of a multiprocessor: 64
 * bytes from the L2, or one wavefront, is one cycle. Costs that cannot be counted in cycles (occupancy,
 * waves) are ranked by the share of the machine that they leave idle.
 */
#include "explain/advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct list {
    atx_advice *items;
    int count;
} list;

static void add(list *l, const char *kind, double cycles, const char *text)
{
    if (l->count == ATX_MOST_ADVICE || cycles <= 0)
        return;
    l->items[l->count] = (atx_advice){ .kind = kind, .cycles = cycles };
    snprintf(l->items[l->count++].text, sizeof l->items->text, "%s", text);
}

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "?";
}

/* "naive.cu:52", "skew.cu:162, in async.cuh:24": without folders. */
static void place(char *out, size_t size, const atx_tally_line *line)
{
    const int n = snprintf(out, size, "%s:%d", base_name(line->file), line->line);
    if (line->inner_line > 0 && (line->inner_line != line->line || line->inner_file != line->file) &&
        (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", in %s:%d", base_name(line->inner_file), line->inner_line);
}

/* Less than this over the least is not worth a word: edges of a problem, rows that begin anywhere. */
#define WORTH_A_WORD 1.1

static void advise_traffic(list *l, const atx_tally_line *line, atx_traffic_kind kind, int64_t sms)
{
    const atx_traffic *t = &line->traffic[kind];
    char text[400], where[160];
    if (t->requests == 0 || t->least == 0 || (double)t->cost < WORTH_A_WORD * (double)t->least)
        return;
    const double each = (double)t->cost / (double)t->requests, best = (double)t->least / (double)t->requests;
    const double times = each / best, extra = (double)(t->cost - t->least) / (double)sms;
    place(where, sizeof where, line);
    if (atx_traffic_is_global(kind)) {
        snprintf(text, sizeof text,
                 "%s: %.3g sectors a request where %.3g would do: %.1f times the traffic (%s)",
                 atx_traffic_name(kind), each, best, times, where);
        add(l, "sectors", extra * ATX_SECTOR_BYTES / 64, text);
    } else {
        snprintf(text, sizeof text,
                 "%s: %.3g-way bank conflicts: %.3g wavefronts a request where %.3g would do (%s)",
                 atx_traffic_name(kind), times, each, best, where);
        add(l, "conflicts", extra, text);
    }
}

/* The largest costs, in cycles of a multiprocessor. */
static double work(const atx_figures *f, int64_t sms)
{
    double sectors = 0, wavefronts = 0;
    for (int k = 0; k < ATX_TRAFFIC_KINDS; k++)
        *(atx_traffic_is_global((atx_traffic_kind)k) ? &sectors : &wavefronts) +=
            (double)f->all.traffic[k].cost;
    sectors /= 2;
    const double issue = (double)f->all.warp_instructions / 4;
    const double most = sectors > wavefronts ? sectors : wavefronts;
    return (most > issue ? most : issue) / (double)sms;
}

static void advise_occupancy(list *l, const atx_figures *f, double cycles)
{
    char text[240];
    const atx_occupancy *o = &f->occupancy;
    if (o->warps == 0 || 2 * o->warps > o->max_warps)
        return;
    snprintf(text, sizeof text,
             "%.0f %% occupancy, bounded by %s: %" PRId64 " blocks of %" PRId64 " warps on a multiprocessor",
             100 * (double)o->warps / (double)o->max_warps, o->limit, o->blocks, o->warps / o->blocks);
    add(l, "occupancy", cycles * (0.5 - (double)o->warps / (double)o->max_warps) / 2 + 1e-9, text);
}

static void advise_waves(list *l, const atx_figures *f, int64_t sms, double cycles)
{
    char text[240];
    const int64_t at_once = f->occupancy.blocks * sms, blocks = f->sample.of;
    if (f->occupancy.warps == 0 || blocks == 0)
        return;
    if (blocks < sms) {
        snprintf(text, sizeof text,
                 "%" PRId64 " block%s for %" PRId64 " multiprocessors: %" PRId64 " of them idle", blocks,
                 blocks == 1 ? "" : "s", sms, sms - blocks);
        add(l, "waves", cycles * (1 - (double)blocks / (double)sms), text);
        return;
    }
    const int64_t waves = (blocks + at_once - 1) / at_once;
    const double full = (double)blocks / (double)(waves * at_once);
    if (waves == 1 || waves > 8 || full > 0.8)
        return;
    snprintf(text, sizeof text, "%.2f waves of %" PRId64 " blocks: the last one fills %.0f %% of the device",
             (double)blocks / (double)at_once, at_once,
             100 * (double)(blocks - (waves - 1) * at_once) / (double)at_once);
    add(l, "waves", cycles * (1 - full) / 2, text);
}

static void advise_rest(list *l, const atx_figures *f, double cycles)
{
    char text[240];
    const atx_tally_line *a = &f->all;
    const double busy =
        a->warp_instructions ? (double)a->lane_instructions / (double)a->warp_instructions / ATX_LANES : 1;
    if (f->program.resources.spill_bytes > 0) {
        snprintf(text, sizeof text, "%" PRId64 " bytes of registers are spilled to local memory",
                 f->program.resources.spill_bytes);
        add(l, "spills", cycles / 4, text);
    }
    if (busy < 0.8) {
        snprintf(text, sizeof text, "%.0f %% of the lanes take part in an instruction; the others are idle",
                 100 * busy);
        add(l, "idle_lanes", cycles * (1 - busy) / 2, text);
    }
    for (int k = 0; k <= ATX_GLOBAL_STORE; k++) {
        const atx_traffic *t = &a->traffic[k];
        const double each = t->lanes ? (double)t->bytes / (double)t->lanes : 16;
        if (each > 3.5) /* words, fewer at edges */
            continue;
        snprintf(text, sizeof text,
                 "%s: %.3g bytes a lane: wider ones would move as much in %.0f times fewer requests",
                 atx_traffic_name((atx_traffic_kind)k), each, 16 / each);
        add(l, "narrow", cycles / 8, text);
    }
}

static int costliest_first(const void *a, const void *b)
{
    const atx_advice *x = a, *y = b;
    return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

int atx_advise(atx_advice out[ATX_MOST_ADVICE], const atx_figures *f, const atx_device_rates *rates)
{
    list l = { .items = out, .count = 0 };
    const int64_t sms = rates->sms > 0 ? rates->sms : 1;
    const double cycles = work(f, sms);
    for (size_t i = 0; i < f->line_count; i++)
        for (int k = 0; k < ATX_TRAFFIC_KINDS; k++)
            advise_traffic(&l, &f->lines[i], (atx_traffic_kind)k, sms);
    advise_occupancy(&l, f, cycles);
    advise_waves(&l, f, sms, cycles);
    advise_rest(&l, f, cycles);
    qsort(out, (size_t)l.count, sizeof *out, costliest_first);
    return l.count;
}
