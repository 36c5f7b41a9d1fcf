/*
 * inspect.c - a shadow for each region and for the shared memory of each block of a cluster. Lanes that the
 * machine is about to complain of are left to it.
 */
#include "machine/inspect_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- telling ---- */

static void thread_at(int64_t out[3], const at__inspector *in, int thread)
{
    out[0] = thread % (int64_t)in->dims[0];
    out[1] = thread / (int64_t)in->dims[0] % (int64_t)in->dims[1];
    out[2] = thread / ((int64_t)in->dims[0] * in->dims[1]);
}

/* In the kernel's own text, where a function was inlined. */
static void name_place(at__flaw *f, const at__inspector *in, const at__ptx_instruction *i)
{
    if (i->outer_file >= 0 && i->outer_file < in->module->file_count)
        snprintf(f->file, sizeof f->file, "%s", in->module->files[i->outer_file]);
    f->line = i->outer_line;
}

at__issued at__inspect_issued(const at__machine_at *at, int lane)
{
    return (at__issued){ .instruction = at->instruction,
                         .index = at->index,
                         .thread = at->warp * AT__LANES + lane,
                         .block_at = { at->block_at[0], at->block_at[1], at->block_at[2] } };
}

void at__inspect_place(at__flaw *f, const at__inspector *in, const at__issued *issued)
{
    f->instruction = issued->index;
    name_place(f, in, issued->instruction);
    for (int d = 0; d < 3; d++)
        f->block[d] = issued->block_at[d];
    thread_at(f->thread, in, issued->thread);
}

/* As it is written in the source: of "_ZZ6kernelE4tile" tile. */
static const char *plain(const char *name)
{
    const char *best = name;
    for (const char *at = strncmp(name, "_Z", 2) == 0 ? name : ""; *at; at++) {
        char *end = NULL;
        const long len = *at >= '1' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (len > 0 && strlen(end) == (size_t)len)
            best = end;
    }
    return best;
}

void at__inspect_shared_place(char *out, size_t size, const at__inspector *in, uint64_t offset)
{
    for (int v = 0; v < in->module->variable_count; v++) {
        const at__ptx_variable *var = &in->module->variables[v];
        if (var->space == AT__PTX_SHARED && !var->external && offset >= (uint64_t)var->offset &&
            offset < (uint64_t)(var->offset + var->bytes)) {
            snprintf(out, size, "byte %" PRIu64 " of shared '%.60s'", offset - (uint64_t)var->offset,
                     plain(var->name));
            return;
        }
    }
    snprintf(out, size, "byte %" PRIu64 " of shared memory", offset);
}

/* Bytes that come by themselves: which barrier tells of them. */
static void tell_barrier(at__flaw *f, const at__inspector *in, const at__block_seen *b, int barrier,
                         const char *where)
{
    char which[100];
    at__inspect_shared_place(which, sizeof which, in, b->mbarriers[barrier].offset);
    snprintf(f->what, sizeof f->what,
             "%s is used by a thread that has not waited for the mbarrier at %s, which tells when a copy is "
             "done with it",
             where, which);
}

void at__inspect_tell(at__inspector *in, const at__machine_at *at, const at__hazard *h, const char *where,
                      bool shared)
{
    static const struct {
        at__flaw_kind kind;
        const char *text; /* NULL: the other thread does not matter */
    } KINDS[] = {
        [AT__HAZARD_UNWRITTEN] = { AT__FLAW_UNWRITTEN, NULL },
        [AT__HAZARD_STALE] = { AT__FLAW_STALE_READ, NULL },
        [AT__HAZARD_NOT_AWAITED] = { AT__FLAW_COPY_NOT_AWAITED,
                                     "is used while an asynchronous copy by thread" },
        [AT__HAZARD_WRITE_WRITE] = { AT__FLAW_RACE_WRITES,
                                     "is written, and was given another value by thread" },
        [AT__HAZARD_READ_WRITE] = { AT__FLAW_RACE_READ_WRITE, "is written, and was read by thread" },
        [AT__HAZARD_NOT_FENCED] = { AT__FLAW_RACE_READ_WRITE,
                                    "is read by a bulk copy, and was written by thread" },
        [AT__HAZARD_WRITE_READ] = { AT__FLAW_RACE_READ_WRITE, "is read, and was written by thread" },
    };
    const at__issued issued = at__inspect_issued(at, h->lane);
    at__flaw f = { .kind = KINDS[h->kind].kind,
                   .address = h->offset,
                   .may_not_matter = shared && h->kind == AT__HAZARD_UNWRITTEN };
    int64_t other[3];
    at__inspect_place(&f, in, &issued);
    thread_at(other, in, h->other);
    if (h->kind == AT__HAZARD_STALE)
        snprintf(f.what, sizeof f.what,
                 "%s is read by ld.global.nc, which may give what lay there before this launch wrote it",
                 where);
    else if (!KINDS[h->kind].text)
        snprintf(f.what, sizeof f.what, "%s is read, and nobody wrote it", where);
    else if (h->other < 0)
        tell_barrier(&f, in, &in->blocks[at->rank], ~h->other, where);
    else
        snprintf(f.what, sizeof f.what, "%s %s %" PRId64 ",%" PRId64 ",%" PRId64 "%s", where,
                 KINDS[h->kind].text, other[0], other[1], other[2],
                 h->kind == AT__HAZARD_NOT_AWAITED  ? " may not have brought it"
                 : h->kind == AT__HAZARD_NOT_FENCED ? " with no fence.proxy.async between"
                                                    : " with no barrier between");
    at__flaws_add(&in->flaws, &f);
}

/* ---- accesses ---- */

/* Or ends it. What others do with an mbarrier is ordered among themselves. */
static bool makes_barrier(const at__machine_at *at)
{
    return at->instruction->op == AT__PTX_MBARRIER &&
           (at->instruction->form == AT__PTX_MBAR_INIT || at->instruction->form == AT__PTX_MBAR_INVAL);
}

static at__touch_kind touch_of(const at__machine_at *at, at__machine_access_kind kind)
{
    const bool strong = at->instruction->semantics != AT__PTX_WEAK;
    switch (kind) {
    case AT__ACCESS_ATOMIC:
    case AT__ACCESS_REDUCTION:
        return AT__TOUCH_ATOMIC;
    case AT__ACCESS_BARRIER:
        return makes_barrier(at) ? AT__TOUCH_WRITE : AT__TOUCH_LOOK;
    case AT__ACCESS_ASYNC_TARGET:
        return AT__TOUCH_COPY;
    case AT__ACCESS_STORE:
    case AT__ACCESS_MATRIX_STORE:
        return strong ? AT__TOUCH_ATOMIC : AT__TOUCH_WRITE;
    case AT__ACCESS_LOAD:
        if (at->instruction->flags & AT__PTX_NON_COHERENT)
            return AT__TOUCH_STEADY_READ;
        return strong ? AT__TOUCH_STRONG_READ : AT__TOUCH_READ;
    default:
        return strong ? AT__TOUCH_STRONG_READ : AT__TOUCH_READ;
    }
}

/* A store that is volatile or stronger needs nothing written before it. */
static bool only_writes(at__machine_access_kind kind)
{
    return kind == AT__ACCESS_STORE || kind == AT__ACCESS_MATRIX_STORE || kind == AT__ACCESS_ASYNC_TARGET ||
           kind == AT__ACCESS_BARRIER;
}

/* The lanes whose bytes are within `bytes`, with their offsets from `from`. */
static at__access within(const at__machine_access *a, uint32_t lanes, uint64_t from, int64_t bytes)
{
    at__access out = { .active = 0, .bytes = a->bytes };
    for (uint32_t left = lanes & a->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t offset = a->address[lane] - from;
        out.address[lane] = offset;
        if (bytes >= a->bytes && offset <= (uint64_t)(bytes - a->bytes))
            out.active |= 1u << lane;
    }
    return out;
}

/* Copies of less than they write: each such lane is left with what it reads. */
static void shorten(at__access *access, const at__machine_access *a)
{
    for (uint32_t left = access->active; left && a->lane_bytes; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (a->lane_bytes[lane] < a->bytes)
            access->active &= ~(1u << lane);
    }
}

/* What a store changes, by lanes; of elements of 1, 2, 4 or 8 bytes. */
typedef struct change {
    unsigned char values[AT__LANES][16], before[AT__LANES][16];
} change;

/* false: it is not known what is stored. */
static bool read_change(change *c, const at__machine_access *a)
{
    const int each = a->element_bytes;
    if (!a->values || !a->at || a->bytes > 16)
        return false;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        memcpy(c->before[lane], a->at[lane], (size_t)a->bytes);
        for (int k = 0; k < a->bytes / each; k++)
            memcpy(c->values[lane] + k * each, &a->values[k][lane], (size_t)each);
    }
    return true;
}

static at__hazard touch(at__shadow *shadow, const at__block_seen *b, const at__machine_at *at,
                        const at__machine_access *a, at__access access, bool local)
{
    change c;
    at__touch t = { .kind = touch_of(at, a->kind), .at = access, .warp = at->warp };
    if (a->kind == AT__ACCESS_BARRIER) { /* lanes make the same of it; it is another one than before */
        memset(c.values, 1, sizeof c.values);
        memset(c.before, 0, sizeof c.before);
    }
    if (t.kind == AT__TOUCH_WRITE && (a->kind == AT__ACCESS_BARRIER || read_change(&c, a))) {
        t.values = c.values[0];
        t.before = c.before[0];
    }
    at__hazard h = at__shadow_touch(shadow, &b->order, &t, local);
    if (h.kind == AT__HAZARD_UNWRITTEN && only_writes(a->kind))
        h.kind = AT__HAZARD_NONE;
    return h;
}

at__shadow *at__inspect_region(at__inspector *in, int region)
{
    if (region >= AT__MOST_REGIONS)
        return NULL;
    if (!in->regions[region]) {
        const at__machine_region *r = at__machine_region_at(in->machine, region);
        in->regions[region] = at__shadow_open((size_t)r->bytes, r->kind != AT__REGION_BUFFER ||
                                                                    (r->flags & AT__REGION_INITIALISED));
        in->failed = in->failed || !in->regions[region];
    }
    return in->regions[region];
}

static void touch_global(at__inspector *in, const at__machine_at *at, const at__machine_access *a)
{
    char where[160];
    for (uint32_t left = a->mask; left;) {
        const int region = at__machine_region_of(in->machine, a->address[__builtin_ctz(left)]);
        uint32_t same = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (at__machine_region_of(in->machine, a->address[__builtin_ctz(rest)]) == region)
                same |= rest & -rest;
        left &= ~same;
        at__shadow *shadow = region >= 0 ? at__inspect_region(in, region) : NULL;
        if (!shadow)
            continue;
        const at__machine_region *r = at__machine_region_at(in->machine, region);
        at__access access = within(a, same, r->address, r->bytes);
        shorten(&access, a);
        const at__hazard h = touch(shadow, &in->blocks[at->rank], at, a, access, false);
        snprintf(where, sizeof where, "byte %" PRIu64 " of '%.60s'", h.offset, r->name);
        if (h.kind != AT__HAZARD_NONE)
            at__inspect_tell(in, at, &h, where, false);
    }
}

static void remember_copy(at__inspector *in, at__block_seen *b, const at__machine_at *at,
                          const at__access *access, int64_t group)
{
    if (!at__grow(&b->copies, &b->copy_cap, b->copy_count, sizeof *b->copies)) {
        in->failed = true;
        return;
    }
    b->copies[b->copy_count++] = (at__copy){ *access, at->warp, group };
}

static void touch_shared(at__inspector *in, const at__machine_at *at, const at__machine_access *a)
{
    char where[160];
    at__block_seen *b = &in->blocks[at->rank];
    if (!b->shared)
        return;
    const at__access access = within(a, ~0u, 0, b->shared_bytes);
    const at__hazard h = touch(b->shared, b, at, a, access, true);
    if (a->kind == AT__ACCESS_ASYNC_TARGET)
        remember_copy(in, b, at, &access, a->group);
    if (b->reading.count > 0)
        at__inspect_sources(in, at, a);
    at__inspect_shared_place(where, sizeof where, in, h.offset);
    if (h.kind != AT__HAZARD_NONE)
        at__inspect_tell(in, at, &h, where, true);
}

/* Memory of another block: what is written there counts as written, no more. */
static void touch_cluster(at__inspector *in, const at__machine_access *a)
{
    for (uint32_t left = a->mask; left && a->kind != AT__ACCESS_LOAD; left &= left - 1) {
        const int lane = __builtin_ctz(left), rank = a->rank[lane];
        at__block_seen *b = rank >= 0 && rank < AT__MOST_RANKS ? &in->blocks[rank] : NULL;
        if (b && b->shared && a->address[lane] + (uint64_t)a->bytes <= (uint64_t)b->shared_bytes)
            at__shadow_set(b->shared, &b->order, a->address[lane], a->bytes);
    }
}

static bool on_access(void *context, const at__machine_at *at, const at__machine_access *a)
{
    at__inspector *in = context;
    if (a->kind == AT__ACCESS_PREFETCH || at->rank >= AT__MOST_RANKS || at->warp >= AT__MAX_WARPS)
        return true;
    if (a->kind == AT__ACCESS_BULK_SOURCE || a->kind == AT__ACCESS_BULK_TARGET ||
        a->kind == AT__ACCESS_STORE_ASYNC)
        at__inspect_bulk(in, at, a);
    else if (a->space == AT__PTX_GLOBAL)
        touch_global(in, at, a);
    else if (a->space == AT__PTX_SHARED)
        touch_shared(in, at, a);
    else if (a->space == AT__PTX_SHARED_CLUSTER)
        touch_cluster(in, a);
    return !in->failed;
}

/* ---- events ---- */

static uint32_t all_warps(const at__machine_at *at)
{
    return at->warp_count >= 32 ? ~0u : (1u << at->warp_count) - 1;
}

static void await(at__block_seen *b, const at__machine_at *at, int64_t below)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->copy_count; i++) {
        at__copy *c = &b->copies[i];
        if (c->warp == at->warp && c->group < below) {
            at__access done = c->at;
            done.active &= at->mask;
            c->at.active &= ~at->mask;
            at__shadow_await(b->shared, &b->order, &done, c->warp);
        }
        if (c->at.active)
            b->copies[kept++] = *c;
    }
    b->copy_count = kept;
}

at__mbarrier *at__inspect_mbarrier(at__block_seen *b, uint64_t offset)
{
    for (int i = 0; i < b->mbarrier_count; i++)
        if (b->mbarriers[i].offset == offset)
            return &b->mbarriers[i];
    const int engine = at__shadow_order_engine(&b->order);
    if (engine < 0)
        return NULL;
    b->mbarriers[engine] = (at__mbarrier){ .offset = offset };
    b->mbarrier_count = engine + 1;
    return &b->mbarriers[engine];
}

/* Who arrives at a barrier that is not followed may have been any that did so. */
static at__shadow_arrivals *arrivals_of(at__block_seen *b, at__mbarrier *m)
{
    return m ? &m->arrived : &b->elsewhere;
}

static void pass(at__block_seen *b, const at__machine_at *at, at__mbarrier *m)
{
    at__shadow_order_learn(&b->order, arrivals_of(b, m), at->warp, at->alive);
    if (m)
        at__shadow_order_see(&b->order, (int)(m - b->mbarriers), at->warp, at->mask);
}

static void end_phase(at__inspector *in, uint64_t name)
{
    const uint64_t rank = name >> AT__MACHINE_RANK_SHIFT;
    at__block_seen *b = rank < AT__MOST_RANKS ? &in->blocks[rank] : NULL;
    at__mbarrier *m =
        b ? at__inspect_mbarrier(b, name & (((uint64_t)1 << AT__MACHINE_RANK_SHIFT) - 1)) : NULL;
    if (m)
        at__shadow_order_phase(&b->order, (int)(m - b->mbarriers));
}

static void release_cluster(at__inspector *in, const at__machine_at *at)
{
    for (int r = 0; r < AT__MOST_RANKS; r++)
        if (in->blocks[r].runs)
            at__shadow_order_barrier(&in->blocks[r].order, all_warps(at));
}

static bool on_event(void *context, const at__machine_at *at, at__machine_event event, int64_t number)
{
    at__inspector *in = context;
    if (at->rank >= AT__MOST_RANKS || at->warp >= AT__MAX_WARPS)
        return true;
    at__block_seen *b = &in->blocks[at->rank];
    const uint32_t own = 1u << at->warp;
    switch (event) {
    case AT__EVENT_BARRIER_ARRIVE:
        b->arrived[number % AT__NAMED_BARRIERS] |= own;
        break;
    case AT__EVENT_BARRIER_RELEASE:
        at__shadow_order_barrier(&b->order, b->arrived[number % AT__NAMED_BARRIERS] | b->ended);
        b->arrived[number % AT__NAMED_BARRIERS] = 0;
        break;
    case AT__EVENT_EXIT:
        b->ended |= own;
        at__inspect_bulk_exit(in, at);
        break;
    case AT__EVENT_CLUSTER_RELEASE:
        release_cluster(in, at);
        break;
    case AT__EVENT_FENCE:
        if (at->instruction->form == AT__PTX_FENCE_PROXY)
            at__shadow_order_fence(&b->order, at->warp);
        break;
    case AT__EVENT_WARP_SYNC:
        at__shadow_order_warp(&b->order, at->warp);
        break;
    case AT__EVENT_ASYNC_DONE:
        if (b->shared)
            await(b, at, number);
        break;
    case AT__EVENT_MBARRIER_ARRIVE:
        at__shadow_order_arrive(&b->order, arrivals_of(b, at__inspect_mbarrier(b, (uint64_t)number)),
                                at->warp, at->mask);
        break;
    case AT__EVENT_MBARRIER_PASS:
        pass(b, at, at__inspect_mbarrier(b, (uint64_t)number));
        break;
    case AT__EVENT_MBARRIER_PHASE:
        end_phase(in, (uint64_t)number);
        break;
    case AT__EVENT_BULK_READ:
    case AT__EVENT_BULK_DONE:
        at__inspect_bulk_done(in, at, number, event == AT__EVENT_BULK_DONE);
        break;
    default:
        break;
    }
    return true;
}

/* Clocks are full after a million blocks with barriers: all begins anew, and what was written stays so. */
static void begin_anew(at__inspector *in)
{
    in->latest = in->before_launch = 0;
    for (int r = 0; r < AT__MOST_RANKS; r++) {
        const bool fences = in->blocks[r].order.fences;
        memset(&in->blocks[r].order, 0, sizeof in->blocks[r].order);
        in->blocks[r].order.fences = fences;
        if (in->blocks[r].shared)
            at__shadow_forget(in->blocks[r].shared);
    }
    for (int i = 0; i < AT__MOST_REGIONS; i++)
        if (in->regions[i])
            at__shadow_forget(in->regions[i]);
}

static bool on_begin(void *context, const at__machine_at *at)
{
    at__inspector *in = context;
    if (at->rank >= AT__MOST_RANKS)
        return true;
    at__block_seen *b = &in->blocks[at->rank];
    if (at->shared_bytes > b->shared_bytes) {
        at__shadow_close(b->shared);
        b->shared = at__shadow_open((size_t)at->shared_bytes, false);
        b->shared_bytes = b->shared ? at->shared_bytes : 0;
        in->failed = in->failed || !b->shared;
    }
    if (!at__shadow_order_begin(&b->order, in->latest)) {
        begin_anew(in);
        (void)at__shadow_order_begin(&b->order, 0);
    }
    b->order.before_launch = in->before_launch;
    memset(b->arrived, 0, sizeof b->arrived);
    b->ended = 0;
    b->mbarrier_count = 0;
    b->copy_count = b->reading.count = b->writing.count = 0;
    b->elsewhere = (at__shadow_arrivals){ .warps = 0 };
    b->runs = true;
    return !in->failed;
}

static bool on_end(void *context, const at__machine_at *at)
{
    at__inspector *in = context;
    if (at->rank >= AT__MOST_RANKS)
        return true;
    at__inspect_bulk_end(in, at);
    const uint32_t latest = at__shadow_order_latest(&in->blocks[at->rank].order);
    in->latest = latest > in->latest ? latest : in->latest;
    in->blocks[at->rank].runs = false;
    return true;
}

/* ---- the machine's own ---- */

void at__inspector_take(at__inspector *in, const at__machine_result *result)
{
    static const at__flaw_kind KINDS[] = {
        [AT__FINDING_NONE] = AT__FLAW_KINDS,
        [AT__FINDING_BOUNDS] = AT__FLAW_OUT_OF_BOUNDS,
        [AT__FINDING_MISALIGNED] = AT__FLAW_MISALIGNED,
        [AT__FINDING_READ_ONLY] = AT__FLAW_INPUT_WRITTEN,
        [AT__FINDING_BARRIER] = AT__FLAW_BARRIER_DIVERGES,
        [AT__FINDING_ENDLESS] = AT__FLAW_ENDLESS,
        [AT__FINDING_TRAP] = AT__FLAW_TRAPPED,
        [AT__FINDING_INVALID] = AT__FLAW_UNDEFINED,
        [AT__FINDING_STOPPED] = AT__FLAW_KINDS,
    };
    const at__machine_finding *from = &result->finding;
    at__flaw f = {
        .kind = KINDS[from->kind], .instruction = from->index, .line = from->line, .address = from->address
    };
    if (f.kind == AT__FLAW_KINDS)
        return;
    for (int d = 0; d < 3; d++) {
        f.block[d] = from->block_at[d];
        f.thread[d] = from->thread_at[d];
    }
    snprintf(f.file, sizeof f.file, "%s", from->file ? from->file : "");
    if (from->function)
        name_place(&f, in, &from->function->instructions[from->index]);
    const at__machine_region *r = from->kind == AT__FINDING_MISALIGNED && from->region >= 0
                                      ? at__machine_region_at(in->machine, from->region)
                                      : NULL;
    if (r)
        snprintf(f.what, sizeof f.what, "%.160s: byte %" PRId64 " of '%.50s'", from->text,
                 (int64_t)(from->address - r->address), r->name);
    else
        snprintf(f.what, sizeof f.what, "%.239s", from->text);
    at__flaws_add(&in->flaws, &f);
}

/* ---- opening ---- */

static bool has_bulk_copies(const at__ptx_module *m)
{
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f].instruction_count; i++)
            if (m->functions[f].instructions[i].op == AT__PTX_CP &&
                m->functions[f].instructions[i].form == AT__PTX_BULK_COPY)
                return true;
    return false;
}

at_status at__inspector_open(at__inspector **out, const at__ptx_module *module, at__machine *machine,
                             at_error *err)
{
    at__inspector *in = calloc(1, sizeof *in);
    if (!in)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    in->module = module;
    in->machine = machine;
    in->watch = (at__machine_watch){
        .context = in, .block_begin = on_begin, .block_end = on_end, .access = on_access, .event = on_event
    };
    for (int r = 0; r < AT__MOST_RANKS; r++)
        in->blocks[r].order.fences = has_bulk_copies(module);
    *out = in;
    return AT_OK;
}

void at__inspector_close(at__inspector *in)
{
    if (!in)
        return;
    for (int r = 0; r < AT__MOST_RANKS; r++) {
        at__shadow_close(in->blocks[r].shared);
        free(in->blocks[r].copies);
        free(in->blocks[r].reading.items);
        free(in->blocks[r].writing.items);
    }
    for (int i = 0; i < AT__MOST_REGIONS; i++)
        at__shadow_close(in->regions[i]);
    free(in);
}

const at__machine_watch *at__inspector_watch(at__inspector *in, const at__machine_launch *launch)
{
    memcpy(in->dims, launch->block, sizeof in->dims);
    in->before_launch = in->latest;
    return &in->watch;
}

const at__flaws *at__inspector_flaws(const at__inspector *in)
{
    return &in->flaws;
}
