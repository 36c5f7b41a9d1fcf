/*
 * machine_reach.c - the only access to memory: atx_reach checks every lane's address, calls the watch, and
 * returns the place of the bytes. It also reports faults and events.
 */
#include "machine/machine_internal.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- findings ---- */

bool atx_find_fault(atx_exec *x, atx_machine_finding_kind kind, int lane, const char *format, ...)
{
    atx_machine_finding *f = &x->result->finding;
    va_list args;
    x->stop = true;
    if (f->kind != ATX_FINDING_NONE)
        return false;
    *f = (atx_machine_finding){ .kind = kind,
                                .function = x->at.function,
                                .index = x->at.index,
                                .block = x->block->number,
                                .warp = x->warp->number,
                                .lane = lane,
                                .region = -1 };
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    const atx_ptx_instruction *i = x->at.instruction;
    if (i) {
        f->text_line = i->text_line;
        f->line = i->line;
        f->file = i->file >= 0 ? x->machine->module->files[i->file] : NULL;
    }
    for (int axis = 0; axis < 3; axis++) {
        f->block_at[axis] = x->block->at[axis];
        f->thread_at[axis] = x->warp->tid[axis][lane];
    }
    return false;
}

bool atx_event(atx_exec *x, atx_machine_event event, uint32_t mask, int64_t number)
{
    if (!x->watch || !x->watch->event)
        return true;
    atx_machine_at at = x->at;
    at.mask = mask;
    at.alive = x->warp->alive;
    if (x->watch->event(x->watch->context, &at, event, number))
        return true;
    return atx_find_fault(x, ATX_FINDING_STOPPED, mask ? atx_first_lane(mask) : 0,
                          "the watch has ended the launch");
}

static const char *verb(const atx_request *r)
{
    static const char *const VERBS[] = {
        [ATX_ACCESS_LOAD] = "read",           [ATX_ACCESS_STORE] = "written",
        [ATX_ACCESS_ATOMIC] = "changed",      [ATX_ACCESS_REDUCTION] = "changed",
        [ATX_ACCESS_ASYNC_SOURCE] = "read",   [ATX_ACCESS_ASYNC_TARGET] = "written",
        [ATX_ACCESS_BULK_SOURCE] = "read",    [ATX_ACCESS_BULK_TARGET] = "written",
        [ATX_ACCESS_MATRIX_LOAD] = "read",    [ATX_ACCESS_MATRIX_STORE] = "written",
        [ATX_ACCESS_BARRIER] = "changed",     [ATX_ACCESS_PREFETCH] = "prefetched",
        [ATX_ACCESS_STORE_ASYNC] = "written",
    };
    return VERBS[r->kind];
}

static bool writes(const atx_request *r)
{
    return r->kind != ATX_ACCESS_LOAD && r->kind != ATX_ACCESS_ASYNC_SOURCE &&
           r->kind != ATX_ACCESS_BULK_SOURCE && r->kind != ATX_ACCESS_MATRIX_LOAD &&
           r->kind != ATX_ACCESS_PREFETCH;
}

static int32_t lane_bytes(const atx_request *r, int lane)
{
    return r->lane_bytes ? r->lane_bytes[lane] : r->bytes;
}

static bool out_of_bounds(atx_exec *x, const atx_request *r, int lane, const char *what, int64_t offset,
                          int64_t bytes, int region)
{
    atx_find_fault(x, ATX_FINDING_BOUNDS, lane, "%d bytes at offset %lld of %s of %lld bytes are %s",
                   lane_bytes(r, lane), (long long)offset, what, (long long)bytes, verb(r));
    x->result->finding.address = r->address[lane];
    x->result->finding.region = region;
    return false;
}

/* ---- spaces ---- */

/* Memory comes in pieces of at least 16 bytes: the one that holds a region's first byte can be read whole. */
static bool reads_front(const atx_request *r, uint64_t address, const atx_machine_region *region)
{
    return address >= (region->address & ~(uint64_t)(ATX_REGION_FRONT - 1)) && !writes(r);
}

static bool reach_global(atx_exec *x, atx_request *r, int lane)
{
    const atx_machine *m = x->machine;
    const uint64_t address = r->address[lane];
    const int number = atx_machine_region_of(m, address);
    char what[90];
    if (number < 0) {
        atx_find_fault(x, ATX_FINDING_BOUNDS, lane, "%d bytes at address 0x%llx are %s, where no buffer is",
                       lane_bytes(r, lane), (unsigned long long)address, verb(r));
        x->result->finding.address = address;
        return false;
    }
    const atx_machine_region *region = &m->regions[number];
    const int64_t offset = (int64_t)(address - region->address);
    if ((offset < 0 && !reads_front(r, address, region)) || offset + lane_bytes(r, lane) > region->bytes) {
        snprintf(what, sizeof what, "%s '%.63s'", region->kind == ATX_REGION_BUFFER ? "buffer" : "variable",
                 region->name);
        return out_of_bounds(x, r, lane, what, offset, region->bytes, number);
    }
    if ((region->flags & ATX_REGION_READ_ONLY) && writes(r)) {
        atx_find_fault(x, ATX_FINDING_READ_ONLY, lane, "%d bytes at offset %lld of '%s', an input, are %s",
                       lane_bytes(r, lane), (long long)offset, region->name, verb(r));
        x->result->finding.address = address;
        x->result->finding.region = number;
        return false;
    }
    r->at[lane] = region->data + offset;
    return true;
}

/* How far behind the first byte of a space of 32-bit addresses. Addresses before it are reported as negative
 * numbers. */
static int64_t window_offset(uint64_t address, int64_t base)
{
    return (address > UINT32_MAX ? (int64_t)address : (int32_t)(uint32_t)address) - base;
}

static bool reach_shared(atx_exec *x, atx_request *r, int lane)
{
    const uint64_t low = ((uint64_t)1 << ATX_MACHINE_RANK_SHIFT) - 1, address = r->address[lane];
    const int64_t rank = (int64_t)(address >> ATX_MACHINE_RANK_SHIFT);
    const int64_t offset = (int64_t)(address & low) - ATX_MACHINE_SHARED_BASE;
    if (rank > x->block_count)
        return out_of_bounds(x, r, lane, "shared memory", window_offset(address, ATX_MACHINE_SHARED_BASE),
                             x->shared_bytes, -1);
    if (offset < 0 || offset + lane_bytes(r, lane) > x->shared_bytes)
        return out_of_bounds(x, r, lane, "shared memory", offset, x->shared_bytes, -1);
    r->rank[lane] = rank ? (int32_t)rank - 1 : x->block->rank;
    r->at[lane] = x->blocks[r->rank[lane]].shared + offset;
    r->address[lane] = (uint64_t)offset;
    return true;
}

static bool reach_local(atx_exec *x, atx_request *r, int lane)
{
    const int64_t offset = window_offset(r->address[lane], ATX_MACHINE_LOCAL_BASE);
    if (offset < 0 || offset + lane_bytes(r, lane) > x->warp->local_bytes)
        return out_of_bounds(x, r, lane, "local memory", offset, x->warp->local_bytes, -1);
    r->at[lane] = x->warp->local + (int64_t)lane * x->warp->local_bytes + offset;
    r->address[lane] = (uint64_t)offset;
    return true;
}

static bool reach_param(atx_exec *x, atx_request *r, int lane)
{
    const int64_t offset = (int64_t)r->address[lane], bytes = x->launch->argument_bytes;
    if (offset < 0 || offset > bytes || offset + lane_bytes(r, lane) > bytes)
        return out_of_bounds(x, r, lane, "the parameters", offset, bytes, -1);
    if (writes(r))
        return atx_find_fault(x, ATX_FINDING_READ_ONLY, lane,
                              "%d bytes of the kernel's parameters are written", lane_bytes(r, lane));
    r->at[lane] = (unsigned char *)(uintptr_t)x->launch->arguments + offset;
    return true;
}

static bool reach_lane(atx_exec *x, atx_request *r, int lane)
{
    if (r->address[lane] & (uint64_t)(r->bytes - 1)) {
        atx_find_fault(x, ATX_FINDING_MISALIGNED, lane,
                       "%d bytes at address 0x%llx are %s, no multiple of %d", r->bytes,
                       (unsigned long long)r->address[lane], verb(r), r->bytes);
        x->result->finding.address = r->address[lane];
        x->result->finding.region = atx_machine_region_of(x->machine, r->address[lane]);
        return false;
    }
    switch (r->space) {
    case ATX_PTX_SHARED:
    case ATX_PTX_SHARED_CLUSTER:
        return reach_shared(x, r, lane);
    case ATX_PTX_LOCAL:
        return reach_local(x, r, lane);
    case ATX_PTX_PARAM:
        return reach_param(x, r, lane);
    default:
        return reach_global(x, r, lane);
    }
}

/* ---- requests ---- */

bool atx_tell_access(atx_exec *x, const atx_request *r, atx_ptx_space space, uint32_t mask)
{
    if (!x->watch || !x->watch->access || space == ATX_PTX_PARAM)
        return true;
    const atx_machine_access access = { .kind = r->kind,
                                        .space = space,
                                        .mask = mask,
                                        .bytes = r->bytes,
                                        .element_bytes = r->element_bytes,
                                        .address = r->address,
                                        .rank = r->rank,
                                        .lane_bytes = r->lane_bytes,
                                        .at = r->at,
                                        .values = r->values,
                                        .group = r->group,
                                        .barrier = r->barrier };
    if (x->watch->access(x->watch->context, &x->at, &access))
        return true;
    return atx_find_fault(x, ATX_FINDING_STOPPED, atx_first_lane(mask), "the watch has ended the launch");
}

/* Shared memory of the own block, and of others, apart. */
static bool tell_shared(atx_exec *x, const atx_request *r, uint32_t mask)
{
    uint32_t own = 0;
    for (int l = 0; l < ATX_LANES; l++)
        own |= (uint32_t)(mask >> l & 1 && r->rank[l] == x->block->rank) << l;
    return (!own || atx_tell_access(x, r, ATX_PTX_SHARED, own)) &&
           (own == mask || atx_tell_access(x, r, ATX_PTX_SHARED_CLUSTER, mask & ~own));
}

/* Lanes of one space. */
static bool reach_space(atx_exec *x, atx_request *r, atx_ptx_space space, uint32_t mask)
{
    r->space = space;
    for (int l = 0; l < ATX_LANES; l++)
        if ((mask >> l & 1) && lane_bytes(r, l) > 0 && !reach_lane(x, r, l))
            return false;
    if (space == ATX_PTX_SHARED || space == ATX_PTX_SHARED_CLUSTER)
        return tell_shared(x, r, mask);
    return atx_tell_access(x, r, space, mask);
}

static atx_ptx_space space_of(uint64_t *address)
{
    const uint64_t region = *address >> ATX_MACHINE_REGION_SHIFT;
    if (region == ATX_MACHINE_SHARED_WINDOW >> ATX_MACHINE_REGION_SHIFT) {
        *address -= ATX_MACHINE_SHARED_WINDOW;
        return ATX_PTX_SHARED;
    }
    if (region == ATX_MACHINE_LOCAL_WINDOW >> ATX_MACHINE_REGION_SHIFT) {
        *address -= ATX_MACHINE_LOCAL_WINDOW;
        return ATX_PTX_LOCAL;
    }
    if (region == ATX_PARAM_WINDOW_REGION) {
        *address -= (uint64_t)ATX_PARAM_WINDOW_REGION << ATX_MACHINE_REGION_SHIFT;
        return ATX_PTX_PARAM;
    }
    return ATX_PTX_GLOBAL;
}

uint64_t atx_address_bits(atx_ptx_space space)
{
    const bool narrow = space == ATX_PTX_SHARED || space == ATX_PTX_SHARED_CLUSTER || space == ATX_PTX_LOCAL;
    return narrow ? UINT32_MAX : UINT64_MAX;
}

bool atx_reach(atx_exec *x, atx_request *r)
{
    uint32_t masks[ATX_PTX_PARAM + 1] = { 0 };
    if (r->space != ATX_PTX_GENERIC)
        return reach_space(x, r, r->space, r->mask);
    for (int l = 0; l < ATX_LANES; l++)
        if (r->mask >> l & 1)
            masks[space_of(&r->address[l])] |= 1u << l;
    for (int space = ATX_PTX_GLOBAL; space <= ATX_PTX_PARAM; space++)
        if (masks[space] && !reach_space(x, r, (atx_ptx_space)space, masks[space]))
            return false;
    return true;
}

void atx_addresses(atx_request *r, const atx_exec *x, const atx_decoded *d, int k, int group, uint32_t mask)
{
    const uint64_t *base = atx_group(x, d, group);
    const uint64_t add =
        (uint64_t)d->offset[k] + (d->frame[k] == ATX_BASE_FRAME ? (uint64_t)x->node->local : 0);
    const uint64_t bits = atx_address_bits(r->space);
    r->mask = mask;
    for (int l = 0; l < ATX_LANES; l++)
        r->address[l] = (base[l] + add) & bits;
}
