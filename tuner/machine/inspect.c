/*
 * inspect.c - a shadow for each region and for the shared memory of each block of a cluster. Lanes that the
 * machine is about to complain of are left to it.
 */
#include "machine/inspect_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- accesses ---- */

/* Or ends it. Other uses of an mbarrier are ordered among themselves. */
static bool makes_barrier(const atx_machine_at *at)
{
    return at->instruction->op == ATX_PTX_MBARRIER &&
           (at->instruction->form == ATX_PTX_MBAR_INIT || at->instruction->form == ATX_PTX_MBAR_INVAL);
}

static atx_touch_kind touch_of(const atx_machine_at *at, atx_machine_access_kind kind)
{
    const bool strong = at->instruction->semantics != ATX_PTX_WEAK || at->instruction->guesses;
    switch (kind) {
    case ATX_ACCESS_ATOMIC:
    case ATX_ACCESS_REDUCTION:
        return ATX_TOUCH_ATOMIC;
    case ATX_ACCESS_BARRIER:
        return makes_barrier(at) ? ATX_TOUCH_WRITE : ATX_TOUCH_LOOK;
    case ATX_ACCESS_ASYNC_TARGET:
        return ATX_TOUCH_COPY;
    case ATX_ACCESS_STORE:
    case ATX_ACCESS_MATRIX_STORE:
        return strong ? ATX_TOUCH_ATOMIC : ATX_TOUCH_WRITE;
    case ATX_ACCESS_LOAD:
        if (at->instruction->flags & ATX_PTX_NON_COHERENT)
            return ATX_TOUCH_STEADY_READ;
        return strong ? ATX_TOUCH_STRONG_READ : ATX_TOUCH_READ;
    default:
        return strong ? ATX_TOUCH_STRONG_READ : ATX_TOUCH_READ;
    }
}

/* A store that is volatile or stronger needs nothing written before it. */
static bool only_writes(atx_machine_access_kind kind)
{
    return kind == ATX_ACCESS_STORE || kind == ATX_ACCESS_MATRIX_STORE || kind == ATX_ACCESS_ASYNC_TARGET ||
           kind == ATX_ACCESS_BARRIER;
}

/* The lanes whose bytes are within `bytes`, with their offsets from `from`. */
static atx_access within(const atx_machine_access *a, uint32_t lanes, uint64_t from, int64_t bytes)
{
    atx_access out = { .active = 0, .bytes = a->bytes };
    for (uint32_t left = lanes & a->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint64_t offset = a->address[lane] - from;
        out.address[lane] = offset;
        if (bytes >= a->bytes && offset <= (uint64_t)(bytes - a->bytes))
            out.active |= 1u << lane;
    }
    return out;
}

/* Copies that read fewer bytes than they write: each such lane keeps only the read part. */
static void shorten(atx_access *access, const atx_machine_access *a)
{
    for (uint32_t left = access->active; left && a->lane_bytes; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (a->lane_bytes[lane] < a->bytes)
            access->active &= ~(1u << lane);
    }
}

/* The bytes that a store changes, by lanes; of elements of 1, 2, 4 or 8 bytes. */
typedef struct change {
    unsigned char values[ATX_LANES][16], before[ATX_LANES][16];
} change;

/* false: the stored value is not known. */
static bool read_change(change *c, const atx_machine_access *a)
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

static atx_hazard touch(atx_shadow *shadow, const atx_block_seen *b, const atx_machine_at *at,
                        const atx_machine_access *a, atx_access access, bool local)
{
    change c;
    atx_touch t = { .kind = touch_of(at, a->kind), .at = access, .warp = at->warp };
    if (a->kind == ATX_ACCESS_BARRIER) { /* lanes make the same of it; it is another one than before */
        memset(c.values, 1, sizeof c.values);
        memset(c.before, 0, sizeof c.before);
    }
    if (t.kind == ATX_TOUCH_WRITE && (a->kind == ATX_ACCESS_BARRIER || read_change(&c, a))) {
        t.values = c.values[0];
        t.before = c.before[0];
    }
    atx_hazard h = atx_shadow_touch(shadow, &b->order, &t, local);
    if (h.kind == ATX_HAZARD_UNWRITTEN && only_writes(a->kind))
        h.kind = ATX_HAZARD_NONE;
    return h;
}

static void touch_global(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a)
{
    for (uint32_t left = a->mask; left;) {
        const int region = atx_machine_region_of(in->machine, a->address[__builtin_ctz(left)]);
        uint32_t same = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (atx_machine_region_of(in->machine, a->address[__builtin_ctz(rest)]) == region)
                same |= rest & -rest;
        left &= ~same;
        atx_shadow *shadow = region >= 0 ? atx_inspect_region(in, region) : NULL;
        if (!shadow)
            continue;
        const atx_machine_region *r = atx_machine_region_at(in->machine, region);
        atx_access access = within(a, same, r->address, r->bytes);
        shorten(&access, a);
        const atx_hazard h = touch(shadow, &in->blocks[at->rank], at, a, access, false);
        atx_inspect_hazard(in, at, &h, region);
    }
}

static void remember_copy(atx_inspector *in, atx_block_seen *b, const atx_machine_at *at,
                          const atx_access *access, int64_t group)
{
    if (!atx_grow(&b->copies, &b->copy_cap, b->copy_count, sizeof *b->copies)) {
        in->failed = true;
        return;
    }
    b->copies[b->copy_count++] = (atx_copy){ *access, at->warp, group };
}

static void touch_shared(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a)
{
    atx_block_seen *b = &in->blocks[at->rank];
    if (!b->shared)
        return;
    const atx_access access = within(a, ~0u, 0, b->shared_bytes);
    const atx_hazard h = touch(b->shared, b, at, a, access, true);
    if (a->kind == ATX_ACCESS_ASYNC_TARGET)
        remember_copy(in, b, at, &access, a->group);
    if (b->reading.count > 0)
        atx_inspect_sources(in, at, a);
    atx_inspect_hazard(in, at, &h, -1);
}

/* Memory of another block: a write there counts as written, no more. */
static void touch_cluster(atx_inspector *in, const atx_machine_access *a)
{
    for (uint32_t left = a->mask; left && a->kind != ATX_ACCESS_LOAD; left &= left - 1) {
        const int lane = __builtin_ctz(left), rank = a->rank[lane];
        atx_block_seen *b = rank >= 0 && rank < ATX_MOST_RANKS ? &in->blocks[rank] : NULL;
        if (b && b->shared && a->address[lane] + (uint64_t)a->bytes <= (uint64_t)b->shared_bytes)
            atx_shadow_set(b->shared, &b->order, a->address[lane], a->bytes);
    }
}

/* The flag at an address; those beyond the last share one, which orders more than it should. */
static atx_flag *flag_at(atx_block_seen *b, const atx_machine_access *a, int lane)
{
    for (int i = 0; i < b->flag_count; i++)
        if (b->flags[i].address == a->address[lane] && b->flags[i].space == a->space)
            return &b->flags[i];
    if (b->flag_count == ATX_MOST_FLAGS)
        return &b->flags[ATX_MOST_FLAGS - 1];
    atx_flag *f = &b->flags[b->flag_count++];
    *f = (atx_flag){ .address = a->address[lane], .space = (uint8_t)a->space };
    return f;
}

/* An acquire of a release is ordered behind everything that came before the release. */
static void order_by_flags(atx_block_seen *b, const atx_machine_at *at, const atx_machine_access *a)
{
    const int how = at->instruction->semantics;
    const bool both = how == ATX_PTX_ACQ_REL || how == ATX_PTX_SC, changes = a->kind == ATX_ACCESS_ATOMIC;
    const bool acquires = (both || how == ATX_PTX_ACQUIRE) && (changes || a->kind == ATX_ACCESS_LOAD);
    const bool releases = (both || how == ATX_PTX_RELEASE) &&
                          (changes || a->kind == ATX_ACCESS_REDUCTION || a->kind == ATX_ACCESS_STORE);
    for (uint32_t left = acquires || releases ? a->mask : 0; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        atx_flag *f = flag_at(b, a, lane);
        if (acquires)
            atx_shadow_order_learn(&b->order, &f->released, at->warp, at->alive);
        if (releases)
            atx_shadow_order_arrive(&b->order, &f->released, at->warp, 1u << lane);
    }
}

static bool on_access(void *context, const atx_machine_at *at, const atx_machine_access *a)
{
    atx_inspector *in = context;
    if (a->kind == ATX_ACCESS_PREFETCH || at->rank >= ATX_MOST_RANKS || at->warp >= ATX_MAX_WARPS)
        return true;
    if (a->kind == ATX_ACCESS_BULK_SOURCE || a->kind == ATX_ACCESS_BULK_TARGET ||
        a->kind == ATX_ACCESS_STORE_ASYNC)
        atx_inspect_bulk(in, at, a);
    else if (a->space == ATX_PTX_GLOBAL)
        touch_global(in, at, a);
    else if (a->space == ATX_PTX_SHARED)
        touch_shared(in, at, a);
    else if (a->space == ATX_PTX_SHARED_CLUSTER)
        touch_cluster(in, a);
    order_by_flags(&in->blocks[at->rank], at, a);
    return !in->failed;
}

/* ---- events ---- */

static uint32_t all_warps(const atx_machine_at *at)
{
    return at->warp_count >= 32 ? ~0u : (1u << at->warp_count) - 1;
}

static void await(atx_block_seen *b, const atx_machine_at *at, int64_t below)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->copy_count; i++) {
        atx_copy *c = &b->copies[i];
        if (c->warp == at->warp && c->group < below) {
            atx_access done = c->at;
            done.active &= at->mask;
            c->at.active &= ~at->mask;
            atx_shadow_await(b->shared, &b->order, &done, c->warp);
        }
        if (c->at.active)
            b->copies[kept++] = *c;
    }
    b->copy_count = kept;
}

/* Who arrives at a barrier that is not followed may have been any that did so. */
static atx_shadow_arrivals *arrivals_of(atx_block_seen *b, atx_mbarrier *m)
{
    return m ? &m->arrived : &b->elsewhere;
}

static void pass(atx_block_seen *b, const atx_machine_at *at, atx_mbarrier *m)
{
    atx_shadow_order_learn(&b->order, arrivals_of(b, m), at->warp, at->alive);
    if (m)
        atx_shadow_order_see(&b->order, (int)(m - b->mbarriers), at->warp, at->mask);
}

static void end_phase(atx_inspector *in, uint64_t name)
{
    const uint64_t rank = name >> ATX_MACHINE_RANK_SHIFT;
    atx_block_seen *b = rank < ATX_MOST_RANKS ? &in->blocks[rank] : NULL;
    atx_mbarrier *m =
        b ? atx_inspect_mbarrier(b, name & (((uint64_t)1 << ATX_MACHINE_RANK_SHIFT) - 1)) : NULL;
    if (m)
        atx_shadow_order_phase(&b->order, (int)(m - b->mbarriers));
}

static void release_cluster(atx_inspector *in, const atx_machine_at *at)
{
    for (int r = 0; r < ATX_MOST_RANKS; r++)
        if (in->blocks[r].runs)
            atx_shadow_order_barrier(&in->blocks[r].order, all_warps(at));
}

static bool on_event(void *context, const atx_machine_at *at, atx_machine_event event, int64_t number)
{
    atx_inspector *in = context;
    if (at->rank >= ATX_MOST_RANKS || at->warp >= ATX_MAX_WARPS)
        return true;
    atx_block_seen *b = &in->blocks[at->rank];
    const uint32_t own = 1u << at->warp;
    switch (event) {
    case ATX_EVENT_BARRIER_ARRIVE:
        b->arrived[number % ATX_NAMED_BARRIERS] |= own;
        break;
    case ATX_EVENT_BARRIER_RELEASE:
        atx_shadow_order_barrier(&b->order, b->arrived[number % ATX_NAMED_BARRIERS] | b->ended);
        b->arrived[number % ATX_NAMED_BARRIERS] = 0;
        break;
    case ATX_EVENT_EXIT:
        b->ended |= own;
        atx_inspect_bulk_exit(in, at);
        break;
    case ATX_EVENT_CLUSTER_RELEASE:
        release_cluster(in, at);
        break;
    case ATX_EVENT_FENCE:
        if (at->instruction->form == ATX_PTX_FENCE_PROXY)
            atx_shadow_order_fence(&b->order, at->warp);
        break;
    case ATX_EVENT_WARP_SYNC:
        atx_shadow_order_warp(&b->order, at->warp);
        break;
    case ATX_EVENT_ASYNC_DONE:
        if (b->shared)
            await(b, at, number);
        break;
    case ATX_EVENT_MBARRIER_ARRIVE:
        atx_shadow_order_arrive(&b->order, arrivals_of(b, atx_inspect_mbarrier(b, (uint64_t)number)),
                                at->warp, at->mask);
        break;
    case ATX_EVENT_MBARRIER_PASS:
        pass(b, at, atx_inspect_mbarrier(b, (uint64_t)number));
        break;
    case ATX_EVENT_MBARRIER_PHASE:
        end_phase(in, (uint64_t)number);
        break;
    case ATX_EVENT_BULK_READ:
    case ATX_EVENT_BULK_DONE:
        atx_inspect_bulk_done(in, at, number, event == ATX_EVENT_BULK_DONE);
        break;
    default:
        break;
    }
    return true;
}

/* Clocks are full after a million blocks with barriers: all begins anew, and what was written stays so. */
static void begin_anew(atx_inspector *in)
{
    in->latest = in->before_launch = 0;
    for (int r = 0; r < ATX_MOST_RANKS; r++) {
        const bool fences = in->blocks[r].order.fences;
        memset(&in->blocks[r].order, 0, sizeof in->blocks[r].order);
        in->blocks[r].order.fences = fences;
        if (in->blocks[r].shared)
            atx_shadow_forget(in->blocks[r].shared);
    }
    for (int i = 0; i < ATX_MOST_REGIONS; i++)
        if (in->regions[i])
            atx_shadow_forget(in->regions[i]);
}

static bool on_begin(void *context, const atx_machine_at *at)
{
    atx_inspector *in = context;
    if (at->rank >= ATX_MOST_RANKS)
        return true;
    atx_block_seen *b = &in->blocks[at->rank];
    if (at->shared_bytes > b->shared_bytes) {
        atx_shadow_close(b->shared);
        b->shared = atx_shadow_open((size_t)at->shared_bytes, false);
        b->shared_bytes = b->shared ? at->shared_bytes : 0;
        in->failed = in->failed || !b->shared;
    }
    if (!atx_shadow_order_begin(&b->order, in->latest)) {
        begin_anew(in);
        (void)atx_shadow_order_begin(&b->order, 0);
    }
    b->order.before_launch = in->before_launch;
    memset(b->arrived, 0, sizeof b->arrived);
    b->ended = 0;
    b->mbarrier_count = b->flag_count = 0;
    b->copy_count = b->reading.count = b->writing.count = 0;
    b->elsewhere = (atx_shadow_arrivals){ .warps = 0 };
    b->runs = true;
    return !in->failed;
}

static bool on_end(void *context, const atx_machine_at *at)
{
    atx_inspector *in = context;
    if (at->rank >= ATX_MOST_RANKS)
        return true;
    atx_inspect_bulk_end(in, at);
    const uint32_t latest = atx_shadow_order_latest(&in->blocks[at->rank].order);
    in->latest = latest > in->latest ? latest : in->latest;
    in->blocks[at->rank].runs = false;
    return true;
}

/* ---- the machine's own ---- */

void atx_inspector_take(atx_inspector *in, const atx_machine_result *result)
{
    static const atx_flaw_kind KINDS[] = {
        [ATX_FINDING_NONE] = ATX_FLAW_KINDS,
        [ATX_FINDING_BOUNDS] = ATX_FLAW_OUT_OF_BOUNDS,
        [ATX_FINDING_MISALIGNED] = ATX_FLAW_MISALIGNED,
        [ATX_FINDING_READ_ONLY] = ATX_FLAW_INPUT_WRITTEN,
        [ATX_FINDING_BARRIER] = ATX_FLAW_BARRIER_DIVERGES,
        [ATX_FINDING_ENDLESS] = ATX_FLAW_ENDLESS,
        [ATX_FINDING_TRAP] = ATX_FLAW_TRAPPED,
        [ATX_FINDING_INVALID] = ATX_FLAW_UNDEFINED,
        [ATX_FINDING_STOPPED] = ATX_FLAW_KINDS,
    };
    const atx_machine_finding *from = &result->finding;
    atx_flaw f = {
        .kind = KINDS[from->kind], .instruction = from->index, .line = from->line, .address = from->address
    };
    if (from->kind == ATX_FINDING_NONE)
        atx_inspect_state_tell(in);
    if (f.kind == ATX_FLAW_KINDS)
        return;
    for (int d = 0; d < 3; d++) {
        f.block[d] = from->block_at[d];
        f.thread[d] = from->thread_at[d];
    }
    snprintf(f.file, sizeof f.file, "%s", from->file ? from->file : "");
    if (from->function)
        atx_inspect_line(&f, in, &from->function->instructions[from->index]);
    const atx_machine_region *r = from->kind == ATX_FINDING_MISALIGNED && from->region >= 0
                                      ? atx_machine_region_at(in->machine, from->region)
                                      : NULL;
    if (r)
        snprintf(f.what, sizeof f.what, "%.160s: byte %" PRId64 " of '%.50s'", from->text,
                 (int64_t)(from->address - r->address), r->name);
    else
        snprintf(f.what, sizeof f.what, "%.239s", from->text);
    atx_flaws_add(&in->flaws, &f);
}

/* ---- opening ---- */

static bool has_bulk_copies(const atx_ptx_module *m)
{
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f].instruction_count; i++)
            if (m->functions[f].instructions[i].op == ATX_PTX_CP &&
                m->functions[f].instructions[i].form == ATX_PTX_BULK_COPY)
                return true;
    return false;
}

at_status atx_inspector_open(atx_inspector **out, const atx_ptx_module *module, atx_machine *machine,
                             at_error *err)
{
    atx_inspector *in = calloc(1, sizeof *in);
    if (!in)
        return atx_no_memory(err);
    in->module = module;
    in->machine = machine;
    in->watch = (atx_machine_watch){
        .context = in, .block_begin = on_begin, .block_end = on_end, .access = on_access, .event = on_event
    };
    for (int r = 0; r < ATX_MOST_RANKS; r++)
        in->blocks[r].order.fences = has_bulk_copies(module);
    *out = in;
    return AT_OK;
}

void atx_inspector_close(atx_inspector *in)
{
    if (!in)
        return;
    for (int r = 0; r < ATX_MOST_RANKS; r++) {
        atx_shadow_close(in->blocks[r].shared);
        free(in->blocks[r].copies);
        free(in->blocks[r].reading.items);
        free(in->blocks[r].writing.items);
    }
    for (int i = 0; i < ATX_MOST_REGIONS; i++)
        atx_shadow_close(in->regions[i]);
    atx_inspect_state_close(in);
    free(in);
}

const atx_machine_watch *atx_inspector_watch(atx_inspector *in, const atx_machine_launch *launch)
{
    memcpy(in->dims, launch->block, sizeof in->dims);
    in->before_launch = in->latest;
    return &in->watch;
}

const atx_flaws *atx_inspector_flaws(const atx_inspector *in)
{
    return &in->flaws;
}
