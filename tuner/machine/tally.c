/*
 * tally.c - a counter for each instruction of each function; lines are put together on request.
 * Neighbouring lanes at neighbouring addresses, which most accesses are, are counted without looking at each.
 */
#include "machine/tally.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

typedef struct counter {
    int64_t warps, lanes;
    int traffic; /* of `traffic`, from 1; 0: none */
} counter;

typedef struct entry {
    int function, index;
    atx_traffic_kind kind;
    atx_traffic sum;
} entry;

struct atx_tally {
    const atx_ptx_module *module;
    atx_machine_watch watch;
    counter **counters; /* [function][instruction] */
    entry *entries;
    size_t entry_count, entry_cap;
    atx_tally_line *lines;
    size_t line_count, line_cap;
};

const char *atx_traffic_name(atx_traffic_kind kind)
{
    static const char *const NAMES[ATX_TRAFFIC_KINDS] = { "global loads", "global stores", "global atomics",
                                                          "shared loads", "shared stores", "shared atomics" };
    return NAMES[kind];
}

/* ---- counting ---- */

static bool on_issue(void *context, const atx_machine_at *at)
{
    atx_tally *t = context;
    counter *c = &t->counters[at->function - t->module->functions][at->index];
    c->warps++;
    c->lanes += __builtin_popcount(at->mask);
    return true;
}

/* ATX_TRAFFIC_KINDS: not one that costs. */
static atx_traffic_kind kind_of(const atx_machine_access *a)
{
    const bool global = a->space == ATX_PTX_GLOBAL;
    if (!global && a->space != ATX_PTX_SHARED && a->space != ATX_PTX_SHARED_CLUSTER)
        return ATX_TRAFFIC_KINDS;
    switch (a->kind) {
    case ATX_ACCESS_LOAD:
    case ATX_ACCESS_ASYNC_SOURCE:
    case ATX_ACCESS_BULK_SOURCE:
    case ATX_ACCESS_MATRIX_LOAD:
        return global ? ATX_GLOBAL_LOAD : ATX_SHARED_LOAD;
    case ATX_ACCESS_STORE:
    case ATX_ACCESS_ASYNC_TARGET:
    case ATX_ACCESS_BULK_TARGET:
    case ATX_ACCESS_STORE_ASYNC:
    case ATX_ACCESS_MATRIX_STORE:
        return global ? ATX_GLOBAL_STORE : ATX_SHARED_STORE;
    case ATX_ACCESS_ATOMIC:
    case ATX_ACCESS_REDUCTION:
        return global ? ATX_GLOBAL_ATOMIC : ATX_SHARED_ATOMIC;
    default:
        return ATX_TRAFFIC_KINDS;
    }
}

/* An instruction may have accesses of two kinds: an asynchronous copy reads and writes. NULL: out of memory,
 * which ends the launch. */
static atx_traffic *find(atx_tally *t, const atx_machine_at *at, atx_traffic_kind kind)
{
    const int function = (int)(at->function - t->module->functions);
    counter *c = &t->counters[function][at->index];
    for (size_t i = (size_t)c->traffic; i > 0 && i <= t->entry_count; i++) {
        entry *e = &t->entries[i - 1];
        if (e->function == function && e->index == at->index && e->kind == kind)
            return &e->sum;
    }
    if (!atx_grow(&t->entries, &t->entry_cap, t->entry_count, sizeof *t->entries))
        return NULL;
    t->entries[t->entry_count++] = (entry){ .function = function, .index = at->index, .kind = kind };
    if (!c->traffic)
        c->traffic = (int)t->entry_count;
    return &t->entries[t->entry_count - 1].sum;
}

/* All lanes, one behind the other. */
static bool is_row(const atx_machine_access *a)
{
    if (a->mask != 0xffffffffu || a->lane_bytes)
        return false;
    for (unsigned i = 1; i < ATX_LANES; i++)
        if (a->address[i] != a->address[0] + i * (uint64_t)a->bytes)
            return false;
    return true;
}

/* `bytes` from this address on. */
static atx_cost cost_of_row(uint64_t address, int bytes, bool global)
{
    const int from = (int)(address % ATX_SECTOR_BYTES);
    if (global)
        return (atx_cost){ (from + bytes + ATX_SECTOR_BYTES - 1) / ATX_SECTOR_BYTES,
                           (bytes + ATX_SECTOR_BYTES - 1) / ATX_SECTOR_BYTES };
    return (atx_cost){ (bytes + 127) / 128, (bytes + 127) / 128 };
}

static bool is_bulk(const atx_machine_access *a)
{
    return a->kind == ATX_ACCESS_BULK_SOURCE || a->kind == ATX_ACCESS_BULK_TARGET;
}

/* Of all lanes. */
static int bytes_of(const atx_machine_access *a)
{
    return is_bulk(a) ? a->lane_bytes[__builtin_ctz(a->mask)] : __builtin_popcount(a->mask) * a->bytes;
}

static atx_cost cost_of(const atx_machine_access *a, bool global)
{
    atx_access all = { .active = a->mask, .bytes = a->bytes };
    if (is_row(a) && (global || a->bytes >= 4) && a->address[0] % (unsigned)a->bytes == 0)
        return cost_of_row(a->address[0], ATX_LANES * a->bytes, global);
    if (is_bulk(a))
        return cost_of_row(a->address[__builtin_ctz(a->mask)], bytes_of(a), global);
    memcpy(all.address, a->address, sizeof all.address);
    for (uint32_t left = a->mask; left && a->lane_bytes; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (a->lane_bytes[lane] == 0) /* a copy that brings zeroes reads nothing */
            all.active &= ~(1u << lane);
    }
    if (a->kind == ATX_ACCESS_MATRIX_LOAD || a->kind == ATX_ACCESS_MATRIX_STORE)
        return atx_matrix_cost(&all);
    return global ? atx_global_cost(&all) : atx_shared_cost(&all);
}

static bool on_access(void *context, const atx_machine_at *at, const atx_machine_access *a)
{
    atx_tally *t = context;
    const atx_traffic_kind kind = kind_of(a);
    if (kind == ATX_TRAFFIC_KINDS || !a->mask)
        return true;
    atx_traffic *sum = find(t, at, kind);
    if (!sum)
        return false;
    const atx_cost c = cost_of(a, atx_traffic_is_global(kind));
    const int lanes = __builtin_popcount(a->mask);
    sum->requests++;
    sum->cost += c.is;
    sum->least += c.least;
    sum->lanes += lanes;
    sum->bytes += bytes_of(a);
    sum->worst = c.is > sum->worst ? c.is : sum->worst;
    return true;
}

/* ---- summing up ---- */

static void add(atx_traffic *to, const atx_traffic *from)
{
    to->requests += from->requests;
    to->cost += from->cost;
    to->least += from->least;
    to->lanes += from->lanes;
    to->bytes += from->bytes;
    to->worst = from->worst > to->worst ? from->worst : to->worst;
}

static const char *file_name(const atx_ptx_module *m, int32_t file)
{
    return file >= 0 && file < m->file_count ? m->files[file] : NULL;
}

static atx_tally_line *line_of(atx_tally *t, const atx_ptx_instruction *i)
{
    const atx_tally_line wanted = { .file = file_name(t->module, i->outer_file),
                                    .line = i->outer_line,
                                    .inner_file = file_name(t->module, i->file),
                                    .inner_line = i->line };
    for (size_t k = 0; k < t->line_count; k++) {
        atx_tally_line *l = &t->lines[k];
        if (l->line == wanted.line && l->file == wanted.file && l->inner_line == wanted.inner_line &&
            l->inner_file == wanted.inner_file)
            return l;
    }
    if (!atx_grow(&t->lines, &t->line_cap, t->line_count, sizeof *t->lines))
        return NULL;
    t->lines[t->line_count++] = wanted;
    return &t->lines[t->line_count - 1];
}

static int by_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int by_place(const void *a, const void *b)
{
    const atx_tally_line *x = a, *y = b;
    int order = by_text(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = by_text(x->inner_file, y->inner_file);
    return order ? order : (x->inner_line > y->inner_line) - (x->inner_line < y->inner_line);
}

at_status atx_tally_lines(const atx_tally_line **out, size_t *count, atx_tally *t, at_error *err)
{
    t->line_count = 0;
    for (int f = 0; f < t->module->function_count; f++)
        for (int i = 0; i < t->module->functions[f].instruction_count; i++) {
            const counter *c = &t->counters[f][i];
            atx_tally_line *line = c->warps ? line_of(t, &t->module->functions[f].instructions[i]) : NULL;
            if (c->warps && !line)
                return atx_no_memory(err);
            if (!line)
                continue;
            line->warp_instructions += c->warps;
            line->lane_instructions += c->lanes;
        }
    for (size_t e = 0; e < t->entry_count; e++) {
        const entry *from = &t->entries[e];
        atx_tally_line *line = line_of(t, &t->module->functions[from->function].instructions[from->index]);
        if (!line)
            return atx_no_memory(err);
        add(&line->traffic[from->kind], &from->sum);
    }
    qsort(t->lines, t->line_count, sizeof *t->lines, by_place);
    *out = t->lines;
    *count = t->line_count;
    return AT_OK;
}

atx_tally_line atx_tally_all(const atx_tally *t)
{
    atx_tally_line all = { .line = 0 };
    for (int f = 0; f < t->module->function_count; f++)
        for (int i = 0; i < t->module->functions[f].instruction_count; i++) {
            all.warp_instructions += t->counters[f][i].warps;
            all.lane_instructions += t->counters[f][i].lanes;
        }
    for (size_t e = 0; e < t->entry_count; e++)
        add(&all.traffic[t->entries[e].kind], &t->entries[e].sum);
    return all;
}

/* ---- opening ---- */

at_status atx_tally_open(atx_tally **out, const atx_ptx_module *module, at_error *err)
{
    atx_tally *t = calloc(1, sizeof *t);
    bool good = t && (t->counters = calloc((size_t)module->function_count + 1, sizeof *t->counters)) != NULL;
    for (int f = 0; good && f < module->function_count; f++) {
        t->counters[f] = calloc((size_t)module->functions[f].instruction_count + 1, sizeof **t->counters);
        good = t->counters[f] != NULL;
    }
    if (t)
        t->module = module;
    if (!good) {
        atx_tally_close(t);
        return atx_no_memory(err);
    }
    t->watch = (atx_machine_watch){ .context = t, .issue = on_issue, .access = on_access };
    *out = t;
    return AT_OK;
}

void atx_tally_close(atx_tally *t)
{
    if (!t)
        return;
    for (int f = 0; t->counters && f < t->module->function_count; f++)
        free(t->counters[f]);
    free(t->counters);
    free(t->entries);
    free(t->lines);
    free(t);
}

const atx_machine_watch *atx_tally_watch(atx_tally *t)
{
    return &t->watch;
}
