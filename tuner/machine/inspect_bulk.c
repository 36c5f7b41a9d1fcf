/*
 * inspect_bulk.c - copies that continue while threads run. Data of a copy that completes on an mbarrier is
 * written by that barrier's engine (see shadow.h): every thread that waits for the barrier may read it, and
 * so may threads that meet one of these at another barrier. Only its own thread can wait for a copy of a
 * group; the copy is in a list until then.
 */
#include "machine/inspect_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- ranges ---- */

static int32_t bytes_of(const atx_machine_access *a, int lane)
{
    return a->lane_bytes ? a->lane_bytes[lane] : a->bytes;
}

static atx_range range_of(const atx_machine_at *at, const atx_machine_access *a, int lane)
{
    return (atx_range){ .thread = at->warp * ATX_LANES + lane,
                        .engine = -1,
                        .at = a->address[lane],
                        .bytes = bytes_of(a, lane) };
}

/* The range within `bytes` from address `from` on; 16 bytes may begin before a buffer that is not aligned. */
static void clamp(atx_range *r, uint64_t from, int64_t bytes)
{
    const int64_t begin = (int64_t)(r->at - from), first = begin < 0 ? 0 : begin;
    const int64_t end = begin + r->bytes < bytes ? begin + r->bytes : bytes;
    r->at = (uint64_t)first;
    r->bytes = end > first ? (int32_t)(end - first) : 0;
    if (r->values)
        r->values += first - begin;
    if (r->before)
        r->before += first - begin;
}

/* Of a barrier of this block; -1: it is another block's, or not followed. */
static int engine_of(atx_inspector *in, int rank, uint64_t name)
{
    atx_block_seen *b = &in->blocks[rank];
    const atx_mbarrier *m =
        name >> ATX_MACHINE_RANK_SHIFT == (uint64_t)rank
            ? atx_inspect_mbarrier(b, name & (((uint64_t)1 << ATX_MACHINE_RANK_SHIFT) - 1))
            : NULL;
    return m ? (int)(m - b->mbarriers) : -1;
}

/* Then blocks that know nothing of each other's engines and fences are at the same buffers. */
static bool is_cluster(const atx_inspector *in)
{
    return in->blocks[1].runs;
}

/* ---- sources ---- */

static void read_source(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a, int lane)
{
    atx_block_seen *b = &in->blocks[at->rank];
    atx_range r = range_of(at, a, lane);
    atx_shadow *shadow = NULL;
    int region = -1;
    in->source_at = a->at[lane];
    in->source_is_own = a->space == ATX_PTX_SHARED;
    if (a->space == ATX_PTX_GLOBAL) {
        region = atx_machine_region_of(in->machine, r.at);
        const atx_machine_region *to = region >= 0 ? atx_machine_region_at(in->machine, region) : NULL;
        shadow = to ? atx_inspect_region(in, region) : NULL;
        if (to)
            clamp(&r, to->address, to->bytes);
    } else if (a->space == ATX_PTX_SHARED) {
        shadow = b->shared;
        clamp(&r, 0, b->shared_bytes);
    }
    in->source = r;
    if (!shadow)
        return;
    atx_hazard h = atx_shadow_read_range(shadow, &b->order, &r, region < 0);
    if (h.kind == ATX_HAZARD_NOT_FENCED && region >= 0 && is_cluster(in))
        h.kind = ATX_HAZARD_NONE;
    atx_inspect_hazard(in, at, &h, region);
    if (a->barrier && !(region >= 0 && is_cluster(in)))
        r.engine = engine_of(in, at->rank, a->barrier[lane]);
    if (r.engine >= 0)
        atx_shadow_note_range(shadow, &b->order, &r);
}

static bool changes(const atx_machine_access *a, int lane)
{
    for (int k = 0; a->values && k < a->bytes / a->element_bytes; k++)
        if (memcmp(a->at[lane] + k * a->element_bytes, &a->values[k][lane], (size_t)a->element_bytes) != 0)
            return true;
    return !a->values;
}

static bool overlap(const atx_range *r, uint64_t at, int32_t bytes)
{
    return at < r->at + (uint64_t)r->bytes && r->at < at + (uint64_t)bytes;
}

static void tell_source(atx_inspector *in, const atx_machine_at *at, int lane, const atx_bulk *of,
                        uint64_t offset)
{
    const atx_issued here = atx_inspect_issued(at, lane);
    atx_flaw f = { .kind = ATX_FLAW_COPY_NOT_AWAITED, .address = offset };
    char where[110];
    atx_inspect_place(&f, in, &here);
    atx_inspect_shared_place(where, sizeof where, in, offset);
    snprintf(f.what, sizeof f.what,
             "%s is written while a bulk copy of line %d may still read it: its thread has not waited "
             "(cp.async.bulk.wait_group.read)",
             where, (int)of->issued.instruction->outer_line);
    atx_flaws_add(&in->flaws, &f);
}

void atx_inspect_sources(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a)
{
    const atx_block_seen *b = &in->blocks[at->rank];
    if (a->kind == ATX_ACCESS_LOAD || a->kind == ATX_ACCESS_MATRIX_LOAD || a->kind == ATX_ACCESS_BARRIER ||
        a->kind == ATX_ACCESS_BULK_SOURCE)
        return;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        for (size_t i = 0; i < b->reading.count; i++) {
            const atx_bulk *k = &b->reading.items[i];
            if (!overlap(&k->source, a->address[lane], bytes_of(a, lane)) || !changes(a, lane))
                continue;
            tell_source(in, at, lane, k, a->address[lane] > k->source.at ? a->address[lane] : k->source.at);
            return;
        }
    }
}

/* ---- targets ---- */

static void add(atx_inspector *in, atx_bulks *to, const atx_bulk *bulk)
{
    if (!atx_grow(&to->items, &to->cap, to->count, sizeof *to->items)) {
        in->failed = true;
        return;
    }
    to->items[to->count++] = *bulk;
}

/* A group's copy, to be awaited by its thread. */
static void write_global(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a, int lane)
{
    atx_block_seen *b = &in->blocks[at->rank];
    atx_range r = range_of(at, a, lane);
    const int region = atx_machine_region_of(in->machine, r.at);
    const atx_machine_region *to = region >= 0 ? atx_machine_region_at(in->machine, region) : NULL;
    atx_shadow *shadow = to ? atx_inspect_region(in, region) : NULL;
    r.values = in->source_at;
    r.before = a->at[lane];
    if (shadow) {
        clamp(&r, to->address, to->bytes);
        const atx_hazard h = atx_shadow_write_range(shadow, &b->order, &r);
        atx_inspect_hazard(in, at, &h, region);
    }
    add(in, in->source_is_own && b->shared ? &b->reading : &b->writing,
        &(atx_bulk){ .source = in->source,
                     .target = r,
                     .region = shadow ? region : -1,
                     .group = a->group,
                     .issued = atx_inspect_issued(at, lane) });
}

/* Copies that signal a barrier: into the own block's memory, or another's. */
static void write_shared(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a, int lane,
                         const unsigned char *values)
{
    const int rank = (int)(a->barrier[lane] >> ATX_MACHINE_RANK_SHIFT);
    atx_block_seen *b = rank < ATX_MOST_RANKS ? &in->blocks[rank] : NULL;
    atx_range r = range_of(at, a, lane);
    if (!b || !b->shared || (a->space == ATX_PTX_SHARED_CLUSTER && a->rank[lane] != rank))
        return;
    r.engine = engine_of(in, rank, a->barrier[lane]);
    r.values = values;
    r.before = a->at[lane];
    clamp(&r, 0, b->shared_bytes);
    if (r.engine < 0) {
        atx_shadow_set(b->shared, &b->order, r.at, r.bytes);
        return;
    }
    b->mbarriers[r.engine].last = b->order.engines[r.engine];
    b->mbarriers[r.engine].issued = atx_inspect_issued(at, lane);
    if (rank != at->rank) {
        atx_shadow_set_range(b->shared, &b->order, &r);
        return;
    }
    const atx_hazard h = atx_shadow_write_range(b->shared, &b->order, &r);
    atx_inspect_hazard(in, at, &h, -1);
}

static void store_async(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a, int lane)
{
    unsigned char values[8 * ATX_PTX_MAX_VECTOR];
    for (int k = 0; k < a->bytes / a->element_bytes; k++)
        memcpy(values + k * a->element_bytes, &a->values[k][lane], (size_t)a->element_bytes);
    write_shared(in, at, a, lane, values);
}

void atx_inspect_bulk(atx_inspector *in, const atx_machine_at *at, const atx_machine_access *a)
{
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (bytes_of(a, lane) <= 0)
            continue;
        if (a->kind == ATX_ACCESS_BULK_SOURCE)
            read_source(in, at, a, lane);
        else if (a->kind == ATX_ACCESS_STORE_ASYNC)
            store_async(in, at, a, lane);
        else if (a->barrier)
            write_shared(in, at, a, lane, in->source_at);
        else
            write_global(in, at, a, lane);
    }
    if (a->space == ATX_PTX_SHARED && in->blocks[at->rank].reading.count > 0)
        atx_inspect_sources(in, at, a);
}

/* ---- completion ---- */

static void end_reading(atx_inspector *in, atx_block_seen *b, int thread, int64_t below)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->reading.count; i++) {
        const atx_bulk k = b->reading.items[i];
        if (k.issued.thread != thread || k.group >= below) {
            b->reading.items[kept++] = k;
            continue;
        }
        atx_shadow_note_range(b->shared, &b->order, &k.source);
        if (k.region >= 0)
            add(in, &b->writing, &k);
    }
    b->reading.count = kept;
}

static void end_writing(atx_inspector *in, atx_block_seen *b, int thread, int64_t below)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->writing.count; i++) {
        const atx_bulk k = b->writing.items[i];
        if (k.issued.thread != thread || k.group >= below)
            b->writing.items[kept++] = k;
        else if (k.region >= 0)
            atx_shadow_await_range(in->regions[k.region], &b->order, &k.target);
    }
    b->writing.count = kept;
}

void atx_inspect_bulk_done(atx_inspector *in, const atx_machine_at *at, int64_t below, bool written)
{
    atx_block_seen *b = &in->blocks[at->rank];
    const int thread = at->warp * ATX_LANES + __builtin_ctz(at->mask);
    end_reading(in, b, thread, below);
    if (written)
        end_writing(in, b, thread, below);
}

void atx_inspect_bulk_exit(atx_inspector *in, const atx_machine_at *at)
{
    atx_block_seen *b = &in->blocks[at->rank];
    size_t kept = 0;
    for (size_t i = 0; i < b->reading.count; i++) {
        const atx_bulk k = b->reading.items[i];
        char where[110];
        if (k.issued.thread / ATX_LANES != at->warp || !(at->mask >> k.issued.thread % ATX_LANES & 1)) {
            b->reading.items[kept++] = k;
            continue;
        }
        atx_flaw f = { .kind = ATX_FLAW_COPY_NOT_AWAITED, .address = k.source.at };
        atx_inspect_place(&f, in, &k.issued);
        atx_inspect_shared_place(where, sizeof where, in, k.source.at);
        snprintf(f.what, sizeof f.what,
                 "a thread ends while a bulk copy of it may still read %s: it has not waited "
                 "(cp.async.bulk.commit_group, wait_group.read)",
                 where);
        atx_flaws_add(&in->flaws, &f);
    }
    b->reading.count = kept;
}

void atx_inspect_bulk_end(atx_inspector *in, const atx_machine_at *at)
{
    const atx_block_seen *b = &in->blocks[at->rank];
    for (int e = 0; e < b->mbarrier_count; e++) {
        const atx_mbarrier *m = &b->mbarriers[e];
        char which[100];
        if (!m->last || atx_shadow_order_is_seen(&b->order, e, m->last))
            continue;
        atx_flaw f = { .kind = ATX_FLAW_COPY_NOT_AWAITED, .address = m->offset };
        atx_inspect_place(&f, in, &m->issued);
        atx_inspect_shared_place(which, sizeof which, in, m->offset);
        snprintf(f.what, sizeof f.what,
                 "a block ends while this may still write its shared memory: no thread has waited for the "
                 "mbarrier at %s",
                 which);
        atx_flaws_add(&in->flaws, &f);
    }
}
