/*
 * tally.c - a counter for each instruction of each function; lines are put together when somebody asks.
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
    at__traffic_kind kind;
    at__traffic sum;
} entry;

struct at__tally {
    const at__ptx_module *module;
    at__machine_watch watch;
    counter **counters; /* [function][instruction] */
    entry *entries;
    size_t entry_count, entry_cap;
    at__tally_line *lines;
    size_t line_count, line_cap;
};

const char *at__traffic_name(at__traffic_kind kind)
{
    static const char *const NAMES[AT__TRAFFIC_KINDS] = { "global loads", "global stores", "global atomics",
                                                          "shared loads", "shared stores", "shared atomics" };
    return NAMES[kind];
}

/* ---- counting ---- */

static bool on_issue(void *context, const at__machine_at *at)
{
    at__tally *t = context;
    counter *c = &t->counters[at->function - t->module->functions][at->index];
    c->warps++;
    c->lanes += __builtin_popcount(at->mask);
    return true;
}

/* AT__TRAFFIC_KINDS: not one that costs. */
static at__traffic_kind kind_of(const at__machine_access *a)
{
    const bool global = a->space == AT__PTX_GLOBAL;
    if (!global && a->space != AT__PTX_SHARED && a->space != AT__PTX_SHARED_CLUSTER)
        return AT__TRAFFIC_KINDS;
    switch (a->kind) {
    case AT__ACCESS_LOAD:
    case AT__ACCESS_ASYNC_SOURCE:
    case AT__ACCESS_BULK_SOURCE:
    case AT__ACCESS_MATRIX_LOAD:
        return global ? AT__GLOBAL_LOAD : AT__SHARED_LOAD;
    case AT__ACCESS_STORE:
    case AT__ACCESS_ASYNC_TARGET:
    case AT__ACCESS_BULK_TARGET:
    case AT__ACCESS_STORE_ASYNC:
    case AT__ACCESS_MATRIX_STORE:
        return global ? AT__GLOBAL_STORE : AT__SHARED_STORE;
    case AT__ACCESS_ATOMIC:
    case AT__ACCESS_REDUCTION:
        return global ? AT__GLOBAL_ATOMIC : AT__SHARED_ATOMIC;
    default:
        return AT__TRAFFIC_KINDS;
    }
}

/* An instruction may have accesses of two kinds: an asynchronous copy reads and writes. NULL: out of memory,
 * which ends the launch. */
static at__traffic *find(at__tally *t, const at__machine_at *at, at__traffic_kind kind)
{
    const int function = (int)(at->function - t->module->functions);
    counter *c = &t->counters[function][at->index];
    for (size_t i = (size_t)c->traffic; i > 0 && i <= t->entry_count; i++) {
        entry *e = &t->entries[i - 1];
        if (e->function == function && e->index == at->index && e->kind == kind)
            return &e->sum;
    }
    if (!at__grow(&t->entries, &t->entry_cap, t->entry_count, sizeof *t->entries))
        return NULL;
    t->entries[t->entry_count++] = (entry){ .function = function, .index = at->index, .kind = kind };
    if (!c->traffic)
        c->traffic = (int)t->entry_count;
    return &t->entries[t->entry_count - 1].sum;
}

/* All lanes, one behind the other. */
static bool is_row(const at__machine_access *a)
{
    if (a->mask != 0xffffffffu || a->lane_bytes)
        return false;
    for (unsigned i = 1; i < AT__LANES; i++)
        if (a->address[i] != a->address[0] + i * (uint64_t)a->bytes)
            return false;
    return true;
}

/* `bytes` from this address on. */
static at__cost cost_of_row(uint64_t address, int bytes, bool global)
{
    const int from = (int)(address % AT__SECTOR_BYTES);
    if (global)
        return (at__cost){ (from + bytes + AT__SECTOR_BYTES - 1) / AT__SECTOR_BYTES,
                           (bytes + AT__SECTOR_BYTES - 1) / AT__SECTOR_BYTES };
    return (at__cost){ (bytes + 127) / 128, (bytes + 127) / 128 };
}

static bool is_bulk(const at__machine_access *a)
{
    return a->kind == AT__ACCESS_BULK_SOURCE || a->kind == AT__ACCESS_BULK_TARGET;
}

/* Of all lanes. */
static int bytes_of(const at__machine_access *a)
{
    return is_bulk(a) ? a->lane_bytes[__builtin_ctz(a->mask)] : __builtin_popcount(a->mask) * a->bytes;
}

static at__cost cost_of(const at__machine_access *a, bool global)
{
    at__access all = { .active = a->mask, .bytes = a->bytes };
    if (is_row(a) && (global || a->bytes >= 4) && a->address[0] % (unsigned)a->bytes == 0)
        return cost_of_row(a->address[0], AT__LANES * a->bytes, global);
    if (is_bulk(a))
        return cost_of_row(a->address[__builtin_ctz(a->mask)], bytes_of(a), global);
    memcpy(all.address, a->address, sizeof all.address);
    for (uint32_t left = a->mask; left && a->lane_bytes; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (a->lane_bytes[lane] == 0) /* a copy that brings zeroes reads nothing */
            all.active &= ~(1u << lane);
    }
    if (a->kind == AT__ACCESS_MATRIX_LOAD || a->kind == AT__ACCESS_MATRIX_STORE)
        return at__matrix_cost(&all);
    return global ? at__global_cost(&all) : at__shared_cost(&all);
}

static bool on_access(void *context, const at__machine_at *at, const at__machine_access *a)
{
    at__tally *t = context;
    const at__traffic_kind kind = kind_of(a);
    if (kind == AT__TRAFFIC_KINDS || !a->mask)
        return true;
    at__traffic *sum = find(t, at, kind);
    if (!sum)
        return false;
    const at__cost c = cost_of(a, at__traffic_is_global(kind));
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

static void add(at__traffic *to, const at__traffic *from)
{
    to->requests += from->requests;
    to->cost += from->cost;
    to->least += from->least;
    to->lanes += from->lanes;
    to->bytes += from->bytes;
    to->worst = from->worst > to->worst ? from->worst : to->worst;
}

static const char *file_name(const at__ptx_module *m, int32_t file)
{
    return file >= 0 && file < m->file_count ? m->files[file] : NULL;
}

static at__tally_line *line_of(at__tally *t, const at__ptx_instruction *i)
{
    const at__tally_line wanted = { .file = file_name(t->module, i->outer_file),
                                    .line = i->outer_line,
                                    .inner_file = file_name(t->module, i->file),
                                    .inner_line = i->line };
    for (size_t k = 0; k < t->line_count; k++) {
        at__tally_line *l = &t->lines[k];
        if (l->line == wanted.line && l->file == wanted.file && l->inner_line == wanted.inner_line &&
            l->inner_file == wanted.inner_file)
            return l;
    }
    if (!at__grow(&t->lines, &t->line_cap, t->line_count, sizeof *t->lines))
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
    const at__tally_line *x = a, *y = b;
    int order = by_text(x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = by_text(x->inner_file, y->inner_file);
    return order ? order : (x->inner_line > y->inner_line) - (x->inner_line < y->inner_line);
}

at_status at__tally_lines(const at__tally_line **out, size_t *count, at__tally *t, at_error *err)
{
    t->line_count = 0;
    for (int f = 0; f < t->module->function_count; f++)
        for (int i = 0; i < t->module->functions[f].instruction_count; i++) {
            const counter *c = &t->counters[f][i];
            at__tally_line *line = c->warps ? line_of(t, &t->module->functions[f].instructions[i]) : NULL;
            if (c->warps && !line)
                return at_fail(err, AT_ERR_MEMORY, "out of memory");
            if (!line)
                continue;
            line->warp_instructions += c->warps;
            line->lane_instructions += c->lanes;
        }
    for (size_t e = 0; e < t->entry_count; e++) {
        const entry *from = &t->entries[e];
        at__tally_line *line = line_of(t, &t->module->functions[from->function].instructions[from->index]);
        if (!line)
            return at_fail(err, AT_ERR_MEMORY, "out of memory");
        add(&line->traffic[from->kind], &from->sum);
    }
    qsort(t->lines, t->line_count, sizeof *t->lines, by_place);
    *out = t->lines;
    *count = t->line_count;
    return AT_OK;
}

at__tally_line at__tally_all(const at__tally *t)
{
    at__tally_line all = { .line = 0 };
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

at_status at__tally_open(at__tally **out, const at__ptx_module *module, at_error *err)
{
    at__tally *t = calloc(1, sizeof *t);
    bool good = t && (t->counters = calloc((size_t)module->function_count + 1, sizeof *t->counters)) != NULL;
    for (int f = 0; good && f < module->function_count; f++) {
        t->counters[f] = calloc((size_t)module->functions[f].instruction_count + 1, sizeof **t->counters);
        good = t->counters[f] != NULL;
    }
    if (t)
        t->module = module;
    if (!good) {
        at__tally_close(t);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    t->watch = (at__machine_watch){ .context = t, .issue = on_issue, .access = on_access };
    *out = t;
    return AT_OK;
}

void at__tally_close(at__tally *t)
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

const at__machine_watch *at__tally_watch(at__tally *t)
{
    return &t->watch;
}
