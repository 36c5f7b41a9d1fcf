/*
 * machine_memory.c - one door to memory: at__reach checks every lane's address, tells the watch, and says
 * where the bytes are. Then ld and st.
 */
#include "machine/machine_mbarrier.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- findings ---- */

bool at__find_fault(at__exec *x, at__machine_finding_kind kind, int lane, const char *format, ...)
{
    at__machine_finding *f = &x->result->finding;
    va_list args;
    x->stop = true;
    if (f->kind != AT__FINDING_NONE)
        return false;
    *f = (at__machine_finding){ .kind = kind,
                                .function = x->at.function,
                                .index = x->at.index,
                                .block = x->block->number,
                                .warp = x->warp->number,
                                .lane = lane,
                                .region = -1 };
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    const at__ptx_instruction *i = x->at.instruction;
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

static const char *verb(const at__request *r)
{
    static const char *const VERBS[] = {
        [AT__ACCESS_LOAD] = "read",           [AT__ACCESS_STORE] = "written",
        [AT__ACCESS_ATOMIC] = "changed",      [AT__ACCESS_REDUCTION] = "changed",
        [AT__ACCESS_ASYNC_SOURCE] = "read",   [AT__ACCESS_ASYNC_TARGET] = "written",
        [AT__ACCESS_BULK_SOURCE] = "read",    [AT__ACCESS_BULK_TARGET] = "written",
        [AT__ACCESS_MATRIX_LOAD] = "read",    [AT__ACCESS_MATRIX_STORE] = "written",
        [AT__ACCESS_BARRIER] = "changed",     [AT__ACCESS_PREFETCH] = "prefetched",
        [AT__ACCESS_STORE_ASYNC] = "written",
    };
    return VERBS[r->kind];
}

static bool writes(const at__request *r)
{
    return r->kind != AT__ACCESS_LOAD && r->kind != AT__ACCESS_ASYNC_SOURCE &&
           r->kind != AT__ACCESS_BULK_SOURCE && r->kind != AT__ACCESS_MATRIX_LOAD &&
           r->kind != AT__ACCESS_PREFETCH;
}

static int32_t lane_bytes(const at__request *r, int lane)
{
    return r->lane_bytes ? r->lane_bytes[lane] : r->bytes;
}

static bool out_of_bounds(at__exec *x, const at__request *r, int lane, const char *what, int64_t offset,
                          int64_t bytes, int region)
{
    at__find_fault(x, AT__FINDING_BOUNDS, lane, "%d bytes at offset %lld of %s of %lld bytes are %s",
                   lane_bytes(r, lane), (long long)offset, what, (long long)bytes, verb(r));
    x->result->finding.address = r->address[lane];
    x->result->finding.region = region;
    return false;
}

/* ---- spaces ---- */

/* Memory comes in pieces of at least 16 bytes: the one that holds a region's first byte can be read whole. */
static bool reads_front(const at__request *r, uint64_t address, const at__machine_region *region)
{
    return address >= (region->address & ~(uint64_t)(AT__REGION_FRONT - 1)) && !writes(r);
}

static bool reach_global(at__exec *x, at__request *r, int lane)
{
    const at__machine *m = x->machine;
    const uint64_t address = r->address[lane];
    const int number = at__machine_region_of(m, address);
    char what[90];
    if (number < 0) {
        at__find_fault(x, AT__FINDING_BOUNDS, lane, "%d bytes at address 0x%llx are %s, where no buffer is",
                       lane_bytes(r, lane), (unsigned long long)address, verb(r));
        x->result->finding.address = address;
        return false;
    }
    const at__machine_region *region = &m->regions[number];
    const int64_t offset = (int64_t)(address - region->address);
    if ((offset < 0 && !reads_front(r, address, region)) || offset + lane_bytes(r, lane) > region->bytes) {
        snprintf(what, sizeof what, "%s '%s'", region->kind == AT__REGION_BUFFER ? "buffer" : "variable",
                 region->name);
        return out_of_bounds(x, r, lane, what, offset, region->bytes, number);
    }
    if ((region->flags & AT__REGION_READ_ONLY) && writes(r)) {
        at__find_fault(x, AT__FINDING_READ_ONLY, lane, "%d bytes at offset %lld of '%s', an input, are %s",
                       lane_bytes(r, lane), (long long)offset, region->name, verb(r));
        x->result->finding.address = address;
        x->result->finding.region = number;
        return false;
    }
    r->at[lane] = region->data + offset;
    return true;
}

/* How far behind the first byte of a space of 32-bit addresses. What lies before it is told as a negative
 * number. */
static int64_t window_offset(uint64_t address, int64_t base)
{
    return (address > UINT32_MAX ? (int64_t)address : (int32_t)(uint32_t)address) - base;
}

static bool reach_shared(at__exec *x, at__request *r, int lane)
{
    const uint64_t low = ((uint64_t)1 << AT__MACHINE_RANK_SHIFT) - 1, address = r->address[lane];
    const int64_t rank = (int64_t)(address >> AT__MACHINE_RANK_SHIFT);
    const int64_t offset = (int64_t)(address & low) - AT__MACHINE_SHARED_BASE;
    if (rank > x->block_count)
        return out_of_bounds(x, r, lane, "shared memory", window_offset(address, AT__MACHINE_SHARED_BASE),
                             x->shared_bytes, -1);
    if (offset < 0 || offset + lane_bytes(r, lane) > x->shared_bytes)
        return out_of_bounds(x, r, lane, "shared memory", offset, x->shared_bytes, -1);
    r->rank[lane] = rank ? (int32_t)rank - 1 : x->block->rank;
    r->at[lane] = x->blocks[r->rank[lane]].shared + offset;
    r->address[lane] = (uint64_t)offset;
    return true;
}

static bool reach_local(at__exec *x, at__request *r, int lane)
{
    const int64_t offset = window_offset(r->address[lane], AT__MACHINE_LOCAL_BASE);
    if (offset < 0 || offset + lane_bytes(r, lane) > x->warp->local_bytes)
        return out_of_bounds(x, r, lane, "local memory", offset, x->warp->local_bytes, -1);
    r->at[lane] = x->warp->local + (int64_t)lane * x->warp->local_bytes + offset;
    r->address[lane] = (uint64_t)offset;
    return true;
}

static bool reach_param(at__exec *x, at__request *r, int lane)
{
    const int64_t offset = (int64_t)r->address[lane], bytes = x->launch->argument_bytes;
    if (offset < 0 || offset > bytes || offset + lane_bytes(r, lane) > bytes)
        return out_of_bounds(x, r, lane, "the parameters", offset, bytes, -1);
    if (writes(r))
        return at__find_fault(x, AT__FINDING_READ_ONLY, lane,
                              "%d bytes of the kernel's parameters are written", lane_bytes(r, lane));
    r->at[lane] = (unsigned char *)(uintptr_t)x->launch->arguments + offset;
    return true;
}

static bool reach_lane(at__exec *x, at__request *r, int lane)
{
    if (r->address[lane] & (uint64_t)(r->bytes - 1)) {
        at__find_fault(x, AT__FINDING_MISALIGNED, lane,
                       "%d bytes at address 0x%llx are %s, no multiple of %d", r->bytes,
                       (unsigned long long)r->address[lane], verb(r), r->bytes);
        x->result->finding.address = r->address[lane];
        x->result->finding.region = at__machine_region_of(x->machine, r->address[lane]);
        return false;
    }
    switch (r->space) {
    case AT__PTX_SHARED:
    case AT__PTX_SHARED_CLUSTER:
        return reach_shared(x, r, lane);
    case AT__PTX_LOCAL:
        return reach_local(x, r, lane);
    case AT__PTX_PARAM:
        return reach_param(x, r, lane);
    default:
        return reach_global(x, r, lane);
    }
}

/* ---- requests ---- */

static bool tell(at__exec *x, const at__request *r, at__ptx_space space, uint32_t mask, bool generic)
{
    if (!x->watch || !x->watch->access || space == AT__PTX_PARAM)
        return true;
    const at__machine_access access = { .kind = r->kind,
                                        .space = space,
                                        .mask = mask,
                                        .generic = generic,
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
    return at__find_fault(x, AT__FINDING_STOPPED, at__first_lane(mask), "the watch has ended the launch");
}

/* Shared memory of the own block, and of others, apart. */
static bool tell_shared(at__exec *x, const at__request *r, uint32_t mask, bool generic)
{
    uint32_t own = 0;
    for (int l = 0; l < AT__LANES; l++)
        own |= (uint32_t)(mask >> l & 1 && r->rank[l] == x->block->rank) << l;
    return (!own || tell(x, r, AT__PTX_SHARED, own, generic)) &&
           (own == mask || tell(x, r, AT__PTX_SHARED_CLUSTER, mask & ~own, generic));
}

/* Lanes of one space. */
static bool reach_space(at__exec *x, at__request *r, at__ptx_space space, uint32_t mask, bool generic)
{
    r->space = space;
    for (int l = 0; l < AT__LANES; l++)
        if ((mask >> l & 1) && lane_bytes(r, l) > 0 && !reach_lane(x, r, l))
            return false;
    if (space == AT__PTX_SHARED || space == AT__PTX_SHARED_CLUSTER)
        return tell_shared(x, r, mask, generic);
    return tell(x, r, space, mask, generic);
}

static at__ptx_space space_of(uint64_t *address)
{
    const uint64_t region = *address >> AT__MACHINE_REGION_SHIFT;
    if (region == AT__MACHINE_SHARED_WINDOW >> AT__MACHINE_REGION_SHIFT) {
        *address -= AT__MACHINE_SHARED_WINDOW;
        return AT__PTX_SHARED;
    }
    if (region == AT__MACHINE_LOCAL_WINDOW >> AT__MACHINE_REGION_SHIFT) {
        *address -= AT__MACHINE_LOCAL_WINDOW;
        return AT__PTX_LOCAL;
    }
    if (region == AT__PARAM_WINDOW_REGION) {
        *address -= (uint64_t)AT__PARAM_WINDOW_REGION << AT__MACHINE_REGION_SHIFT;
        return AT__PTX_PARAM;
    }
    return AT__PTX_GLOBAL;
}

uint64_t at__address_bits(at__ptx_space space)
{
    const bool narrow = space == AT__PTX_SHARED || space == AT__PTX_SHARED_CLUSTER || space == AT__PTX_LOCAL;
    return narrow ? UINT32_MAX : UINT64_MAX;
}

bool at__reach(at__exec *x, at__request *r)
{
    uint32_t masks[AT__PTX_PARAM + 1] = { 0 };
    if (r->space != AT__PTX_GENERIC)
        return reach_space(x, r, r->space, r->mask, false);
    for (int l = 0; l < AT__LANES; l++)
        if (r->mask >> l & 1)
            masks[space_of(&r->address[l])] |= 1u << l;
    for (int space = AT__PTX_GLOBAL; space <= AT__PTX_PARAM; space++)
        if (masks[space] && !reach_space(x, r, (at__ptx_space)space, masks[space], true))
            return false;
    return true;
}

void at__addresses(at__request *r, const at__exec *x, const at__decoded *d, int k, int group, uint32_t mask)
{
    const uint64_t *base = at__group(x, d, group);
    const uint64_t add =
        (uint64_t)d->offset[k] + (d->frame[k] == AT__BASE_FRAME ? (uint64_t)x->node->local : 0);
    const uint64_t bits = at__address_bits(r->space);
    r->mask = mask;
    for (int l = 0; l < AT__LANES; l++)
        r->address[l] = (base[l] + add) & bits;
}

/* ---- ld, st ---- */

/* Of .param only what a kernel is passed lies apart; in calls parameters are part of the frame. */
static at__ptx_space memory_space(const at__decoded *d)
{
    if (d->ptx->space == AT__PTX_PARAM && d->frame[0] == AT__BASE_FRAME)
        return AT__PTX_LOCAL;
    return (at__ptx_space)d->ptx->space;
}

static bool is_signed(int type)
{
    return type >= AT__PTX_S8 && type <= AT__PTX_S64;
}

/* By sizes: a copy of so many bytes into a wider number would have the next instruction wait for it. */
static uint64_t read_number(const unsigned char *from, int bytes)
{
    uint64_t value;
    uint32_t word;
    uint16_t half;
    switch (bytes) {
    case 1:
        return *from;
    case 2:
        memcpy(&half, from, sizeof half);
        return half;
    case 4:
        memcpy(&word, from, sizeof word);
        return word;
    default:
        memcpy(&value, from, sizeof value);
        return value;
    }
}

static uint64_t load(const unsigned char *from, int bytes, bool with_sign)
{
    const uint64_t value = read_number(from, bytes);
    if (with_sign && bytes < 8)
        return (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    return value;
}

static void ld(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int count = d->ptx->vector, bytes = d->bytes;
    at__request r = {
        .kind = AT__ACCESS_LOAD, .space = memory_space(d), .bytes = bytes * count, .element_bytes = bytes
    };
    at__addresses(&r, x, d, 0, 1, mask);
    if (!at__reach(x, &r))
        return;
    const bool with_sign = is_signed(d->ptx->type);
    for (int k = 0; k < count; k++) {
        uint64_t *to = at__lanes(x, d->ref[d->at[0] + k]);
        for (int l = 0; l < AT__LANES; l++)
            if (mask >> l & 1)
                to[l] = load(r.at[l] + k * bytes, bytes, with_sign) & d->keep;
    }
}

/* `barrier`: of st.async, the one that each lane tells; else NULL. */
static void store(at__exec *x, const at__decoded *d, uint32_t mask, const uint64_t *barrier)
{
    const int count = d->ptx->vector, bytes = d->bytes;
    at__request r = { .kind = barrier ? AT__ACCESS_STORE_ASYNC : AT__ACCESS_STORE,
                      .space = memory_space(d),
                      .bytes = bytes * count,
                      .element_bytes = bytes,
                      .barrier = barrier };
    const uint64_t *values[AT__PTX_MAX_VECTOR];
    for (int k = 0; k < count; k++)
        values[k] = at__lanes(x, d->ref[d->at[1] + k]);
    r.values = values;
    at__addresses(&r, x, d, 0, 0, mask);
    if (!at__reach(x, &r))
        return;
    for (int k = 0; k < count; k++) {
        const uint64_t *from = values[k];
        for (int l = 0; l < AT__LANES; l++)
            if (mask >> l & 1)
                memcpy(r.at[l] + k * bytes, &from[l], (size_t)bytes);
    }
}

static void st(at__exec *x, const at__decoded *d, uint32_t mask)
{
    store(x, d, mask, NULL);
}

/* [to], value, [barrier]: the barrier of the block that is written to hears of the bytes, here at once. */
static void st_async(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t names[AT__LANES];
    at__request barrier;
    if (!at__mbarrier_reach(&barrier, names, x, d, mask, 1, 2))
        return;
    store(x, d, mask, names);
    for (int l = 0; l < AT__LANES && !x->stop; l++)
        if (mask >> l & 1)
            at__mbarrier_complete(x, &barrier, l, d->bytes * d->ptx->vector);
}

static bool is_async_store(const at__ptx_instruction *i)
{
    const int bytes = at__ptx_type_bytes(i->type);
    return i->space == AT__PTX_SHARED_CLUSTER && (bytes == 4 || bytes == 8) && i->from == AT__PTX_NO_TYPE &&
           i->group_count == 3 && i->width[1] == i->vector && !i->flags;
}

/* Hints: told, without effect. */
static void prefetch(at__exec *x, const at__decoded *d, uint32_t mask)
{
    at__request r = { .kind = AT__ACCESS_PREFETCH, .space = AT__PTX_GLOBAL, .bytes = 1, .element_bytes = 1 };
    at__addresses(&r, x, d, 0, 0, mask);
    tell(x, &r, AT__PTX_GLOBAL, mask, d->ptx->space == AT__PTX_GENERIC);
}

static bool is_element(const at__ptx_instruction *i)
{
    const int bytes = at__ptx_type_bytes(i->type);
    return bytes > 0 && bytes <= 8 && i->from == AT__PTX_NO_TYPE && bytes * i->vector <= 32;
}

at__handler *at__select_memory(const at__ptx_instruction *i)
{
    const uint32_t hints = AT__PTX_HINTED | AT__PTX_NON_COHERENT;
    const int groups = i->flags & AT__PTX_HINTED ? 3 : 2;
    if (i->op == AT__PTX_LD || i->op == AT__PTX_LDU)
        return is_element(i) && !(i->flags & ~hints) && i->group_count == groups && i->width[0] == i->vector
                   ? ld
                   : NULL;
    if (i->op == AT__PTX_ST && i->form == AT__PTX_STORE_ASYNC)
        return is_async_store(i) ? st_async : NULL;
    if (i->op == AT__PTX_ST)
        return is_element(i) && !(i->flags & ~hints) && i->group_count == groups && i->width[1] == i->vector
                   ? st
                   : NULL;
    if (i->op == AT__PTX_PREFETCH || i->op == AT__PTX_PREFETCHU || i->op == AT__PTX_APPLYPRIORITY ||
        i->op == AT__PTX_DISCARD)
        return prefetch;
    return NULL;
}
