/*
 * machine_async.c - cp.async and cp.async.bulk. What cp.async copies is written when its lane waits for the
 * group, no earlier: who reads before that reads what was there. Bulk copies are made when they are issued;
 * whether somebody looks before they must have been is for a watch to say.
 */
#include "machine/machine_mbarrier.h"

#include <stdlib.h>

static bool add_copy(at__exec *x, at__async_copy copy)
{
    at__warp *w = x->warp;
    if (!at__grow(&w->copies, &w->copy_cap, w->copy_count, sizeof *w->copies)) {
        x->stop = x->no_memory = true;
        return false;
    }
    w->copies[w->copy_count++] = copy;
    return true;
}

/* The bytes that are read, of those that are written: the rest is zeroes. */
static int32_t source_bytes(const at__exec *x, const at__decoded *d, int lane, int32_t bytes)
{
    const int last = d->ptx->group_count - 1 - ((d->ptx->flags & AT__PTX_HINTED) != 0);
    if (last < 3)
        return bytes;
    const at__ptx_operand *o = at__ptx_group(x->code->function, d->ptx, last);
    const uint64_t value = at__group(x, d, last)[lane];
    if (o->kind == AT__PTX_REGISTER && x->code->function->registers[o->index].type == AT__PTX_PRED)
        return *at__group(x, d, last) >> lane & 1 ? 0 : bytes; /* ignore-src */
    return (uint32_t)value < (uint32_t)bytes ? (int32_t)(uint32_t)value : bytes;
}

static void async_copy(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int32_t bytes = (int32_t)at__group(x, d, 2)[at__first_lane(mask)];
    int32_t read[AT__LANES] = { 0 };
    at__request from = { .kind = AT__ACCESS_ASYNC_SOURCE,
                         .space = AT__PTX_GLOBAL,
                         .bytes = bytes,
                         .element_bytes = bytes,
                         .lane_bytes = read };
    at__request to = {
        .kind = AT__ACCESS_ASYNC_TARGET, .space = AT__PTX_SHARED, .bytes = bytes, .element_bytes = bytes
    };
    const bool large = bytes == 16;
    if (!large && (bytes != 4 && bytes != 8)) {
        at__find_fault(x, AT__FINDING_INVALID, at__first_lane(mask), "cp.async of %d bytes", bytes);
        return;
    }
    for (int l = 0; l < AT__LANES; l++)
        read[l] = mask >> l & 1 ? source_bytes(x, d, l, bytes) : 0;
    from.group = to.group = x->warp->committed[at__first_lane(mask)];
    at__addresses(&to, x, d, 0, 0, mask);
    at__addresses(&from, x, d, 1, 1, mask);
    if (!at__reach(x, &from) || !at__reach(x, &to))
        return;
    for (int l = 0; l < AT__LANES; l++)
        if ((mask >> l & 1) && !add_copy(x, (at__async_copy){ .lane = l,
                                                              .bytes = bytes,
                                                              .source_bytes = read[l],
                                                              .group = x->warp->committed[l],
                                                              .to = to.at[l],
                                                              .from = from.at[l] }))
            return;
}

void at__finish_copies(at__exec *x, uint32_t lanes, const int64_t limits[AT__LANES])
{
    at__warp *w = x->warp;
    size_t kept = 0;
    for (size_t i = 0; i < w->copy_count; i++) {
        const at__async_copy c = w->copies[i];
        if (!(lanes >> c.lane & 1) || c.group >= limits[c.lane]) {
            w->copies[kept++] = c;
            continue;
        }
        if (c.source_bytes > 0)
            memcpy(c.to, c.from, (size_t)c.source_bytes);
        memset(c.to + c.source_bytes, 0, (size_t)(c.bytes - c.source_bytes));
    }
    w->copy_count = kept;
    at__event(x, AT__EVENT_ASYNC_DONE, lanes, limits[at__first_lane(lanes)]);
}

static void commit(at__exec *x, const at__decoded *d, uint32_t mask)
{
    (void)d;
    AT__EACH_LANE(mask, x->warp->committed[l]++);
}

static void wait_group(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int64_t left = (int64_t)at__group(x, d, 0)[0];
    int64_t limits[AT__LANES];
    for (int l = 0; l < AT__LANES; l++)
        limits[l] = x->warp->committed[l] - left;
    at__finish_copies(x, mask, limits);
}

static void wait_all(at__exec *x, const at__decoded *d, uint32_t mask)
{
    int64_t limits[AT__LANES];
    (void)d;
    for (int l = 0; l < AT__LANES; l++)
        limits[l] = ++x->warp->committed[l];
    at__finish_copies(x, mask, limits);
}

/* The barrier is arrived at when all copies before are made: here, now. */
static void async_arrive(at__exec *x, const at__decoded *d, uint32_t mask)
{
    wait_all(x, d, mask);
    if (!x->stop)
        at__mbarrier_arrive(x, d, mask, 0, d->ptx->flags & AT__PTX_NO_INCREMENT ? 1 : 0);
}

/* ---- bulk ---- */

static bool is_shared(int space)
{
    return space == AT__PTX_SHARED || space == AT__PTX_SHARED_CLUSTER;
}

/* One lane's: the machine does it now; a watch is told what it may still do. */
static bool bulk_lane(at__exec *x, const at__decoded *d, int lane, const at__request *barrier,
                      const uint64_t *names)
{
    int32_t bytes[AT__LANES] = { 0 };
    at__request from = { .kind = AT__ACCESS_BULK_SOURCE,
                         .space = (at__ptx_space)d->ptx->space,
                         .bytes = 16,
                         .element_bytes = 16,
                         .lane_bytes = bytes,
                         .barrier = names,
                         .group = x->warp->bulk_committed[lane] };
    at__request to = from;
    to.kind = AT__ACCESS_BULK_TARGET;
    to.space = (at__ptx_space)d->ptx->to_space;
    bytes[lane] = (int32_t)at__group(x, d, 2)[lane];
    if (bytes[lane] & 15 || bytes[lane] < 0)
        return at__find_fault(x, AT__FINDING_INVALID, lane,
                              "cp.async.bulk of %d bytes; expected a multiple of 16", bytes[lane]);
    at__addresses(&to, x, d, 0, 0, 1u << lane);
    at__addresses(&from, x, d, 1, 1, 1u << lane);
    if (!at__reach(x, &from) || !at__reach(x, &to))
        return false;
    if (barrier && bytes[lane] > 0 && barrier->rank[lane] != to.rank[lane])
        return at__find_fault(
            x, AT__FINDING_INVALID, lane,
            "cp.async.bulk into shared memory of block %d of the cluster tells a barrier of "
            "block %d; expected the same block",
            to.rank[lane], barrier->rank[lane]);
    if (bytes[lane] > 0)
        memmove(to.at[lane], from.at[lane], (size_t)bytes[lane]);
    if (barrier)
        at__mbarrier_complete(x, barrier, lane, bytes[lane]);
    return !x->stop;
}

/* [to], [from], bytes, [barrier] */
static void bulk_copy(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t names[AT__LANES];
    at__request barrier;
    const bool tells = is_shared(d->ptx->to_space);
    if (tells && !at__mbarrier_reach(&barrier, names, x, d, mask, 2, 3))
        return;
    for (int l = 0; l < AT__LANES; l++)
        if ((mask >> l & 1) && !bulk_lane(x, d, l, tells ? &barrier : NULL, tells ? names : NULL))
            return;
}

static void bulk_commit(at__exec *x, const at__decoded *d, uint32_t mask)
{
    (void)d;
    AT__EACH_LANE(mask, x->warp->bulk_committed[l]++);
}

static void bulk_wait(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int64_t left = (int64_t)at__group(x, d, 0)[0];
    const at__machine_event event =
        d->ptx->form == AT__PTX_BULK_WAIT_READ ? AT__EVENT_BULK_READ : AT__EVENT_BULK_DONE;
    for (int l = 0; l < AT__LANES && !x->stop; l++)
        if (mask >> l & 1)
            at__event(x, event, 1u << l, x->warp->bulk_committed[l] - left);
}

static at__handler *select_bulk(const at__ptx_instruction *i)
{
    const int hint = (i->flags & AT__PTX_HINTED) != 0;
    if (i->space == AT__PTX_GLOBAL && is_shared(i->to_space) && i->group_count == 4 + hint)
        return bulk_copy;
    if (is_shared(i->space) && i->to_space == AT__PTX_GLOBAL && i->group_count == 3 + hint)
        return bulk_copy;
    return i->space == AT__PTX_SHARED && i->to_space == AT__PTX_SHARED_CLUSTER && i->group_count == 4
               ? bulk_copy
               : NULL;
}

at__handler *at__select_async(const at__ptx_instruction *i)
{
    const uint32_t known = AT__PTX_HINTED | AT__PTX_CACHED_GLOBAL | AT__PTX_NO_INCREMENT;
    if (i->op != AT__PTX_CP || (i->flags & ~known))
        return NULL;
    switch (i->form) {
    case AT__PTX_ASYNC_COPY:
        return i->group_count >= 3 && i->group_count <= 5 && is_shared(i->to_space) ? async_copy : NULL;
    case AT__PTX_ASYNC_COMMIT:
        return i->group_count == 0 ? commit : NULL;
    case AT__PTX_ASYNC_WAIT:
        return i->group_count == 1 ? wait_group : NULL;
    case AT__PTX_ASYNC_WAIT_ALL:
        return i->group_count == 0 ? wait_all : NULL;
    case AT__PTX_ASYNC_ARRIVE:
        return i->group_count == 1 ? async_arrive : NULL;
    case AT__PTX_BULK_COPY:
        return select_bulk(i);
    case AT__PTX_BULK_COMMIT:
        return i->group_count == 0 ? bulk_commit : NULL;
    case AT__PTX_BULK_WAIT:
    case AT__PTX_BULK_WAIT_READ:
        return i->group_count == 1 ? bulk_wait : NULL;
    default:
        return NULL;
    }
}
