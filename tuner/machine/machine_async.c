/*
 * machine_async.c - cp.async and cp.async.bulk. Data of cp.async is written when its lane waits for the
 * group, no earlier: a read before that gets the old data. Bulk copies are made when they are issued; a watch
 * checks whether they are read too early.
 */
#include "machine/machine_mbarrier.h"

static bool add_copy(atx_exec *x, atx_async_copy copy)
{
    atx_warp *w = x->warp;
    if (!atx_grow(&w->copies, &w->copy_cap, w->copy_count, sizeof *w->copies)) {
        x->stop = x->no_memory = true;
        return false;
    }
    w->copies[w->copy_count++] = copy;
    return true;
}

/* The bytes that are read, of those that are written: the rest is zeroes. */
static int32_t source_bytes(const atx_exec *x, const atx_decoded *d, int lane, int32_t bytes)
{
    const int last = d->ptx->group_count - 1 - ((d->ptx->flags & ATX_PTX_HINTED) != 0);
    if (last < 3)
        return bytes;
    const atx_ptx_operand *o = atx_ptx_group(x->code->function, d->ptx, last);
    const uint64_t value = atx_group(x, d, last)[lane];
    if (o->kind == ATX_PTX_REGISTER && x->code->function->registers[o->index].type == ATX_PTX_PRED)
        return *atx_group(x, d, last) >> lane & 1 ? 0 : bytes; /* ignore-src */
    return (uint32_t)value < (uint32_t)bytes ? (int32_t)(uint32_t)value : bytes;
}

static void async_copy(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int32_t bytes = (int32_t)atx_group(x, d, 2)[atx_first_lane(mask)];
    int32_t read[ATX_LANES] = { 0 };
    atx_request from = { .kind = ATX_ACCESS_ASYNC_SOURCE,
                         .space = ATX_PTX_GLOBAL,
                         .bytes = bytes,
                         .element_bytes = bytes,
                         .lane_bytes = read };
    atx_request to = {
        .kind = ATX_ACCESS_ASYNC_TARGET, .space = ATX_PTX_SHARED, .bytes = bytes, .element_bytes = bytes
    };
    const bool large = bytes == 16;
    if (!large && (bytes != 4 && bytes != 8)) {
        atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(mask), "cp.async of %d bytes", bytes);
        return;
    }
    for (int l = 0; l < ATX_LANES; l++)
        read[l] = mask >> l & 1 ? source_bytes(x, d, l, bytes) : 0;
    from.group = to.group = x->warp->committed[atx_first_lane(mask)];
    atx_addresses(&to, x, d, 0, 0, mask);
    atx_addresses(&from, x, d, 1, 1, mask);
    if (!atx_reach(x, &from) || !atx_reach(x, &to))
        return;
    for (int l = 0; l < ATX_LANES; l++)
        if ((mask >> l & 1) && !add_copy(x, (atx_async_copy){ .lane = l,
                                                              .bytes = bytes,
                                                              .source_bytes = read[l],
                                                              .group = x->warp->committed[l],
                                                              .to = to.at[l],
                                                              .from = from.at[l] }))
            return;
}

/* Makes the copies of these lanes whose group is below limits[lane]. */
static void finish_copies(atx_exec *x, uint32_t lanes, const int64_t limits[ATX_LANES])
{
    atx_warp *w = x->warp;
    size_t kept = 0;
    for (size_t i = 0; i < w->copy_count; i++) {
        const atx_async_copy c = w->copies[i];
        if (!(lanes >> c.lane & 1) || c.group >= limits[c.lane]) {
            w->copies[kept++] = c;
            continue;
        }
        if (c.source_bytes > 0)
            memcpy(c.to, c.from, (size_t)c.source_bytes);
        memset(c.to + c.source_bytes, 0, (size_t)(c.bytes - c.source_bytes));
    }
    w->copy_count = kept;
    atx_event(x, ATX_EVENT_ASYNC_DONE, lanes, limits[atx_first_lane(lanes)]);
}

static void commit(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    ATX_EACH_LANE(mask, x->warp->committed[l]++);
}

static void wait_group(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int64_t left = (int64_t)atx_group(x, d, 0)[0];
    int64_t limits[ATX_LANES];
    for (int l = 0; l < ATX_LANES; l++)
        limits[l] = x->warp->committed[l] - left;
    finish_copies(x, mask, limits);
}

static void wait_all(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    int64_t limits[ATX_LANES];
    (void)d;
    for (int l = 0; l < ATX_LANES; l++)
        limits[l] = ++x->warp->committed[l];
    finish_copies(x, mask, limits);
}

/* The barrier is arrived at when all copies before are made: here, now. */
static void async_arrive(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    wait_all(x, d, mask);
    if (!x->stop)
        atx_mbarrier_arrive(x, d, mask, d->ptx->flags & ATX_PTX_NO_INCREMENT ? 1 : 0);
}

/* ---- bulk ---- */

static bool is_shared(int space)
{
    return space == ATX_PTX_SHARED || space == ATX_PTX_SHARED_CLUSTER;
}

/* One lane's: the machine does it now; a watch gets the range that it may still use. */
static bool bulk_lane(atx_exec *x, const atx_decoded *d, int lane, const atx_request *barrier,
                      const uint64_t *names)
{
    int32_t bytes[ATX_LANES] = { 0 };
    atx_request from = { .kind = ATX_ACCESS_BULK_SOURCE,
                         .space = (atx_ptx_space)d->ptx->space,
                         .bytes = 16,
                         .element_bytes = 16,
                         .lane_bytes = bytes,
                         .barrier = names,
                         .group = x->warp->bulk_committed[lane] };
    atx_request to = from;
    to.kind = ATX_ACCESS_BULK_TARGET;
    to.space = (atx_ptx_space)d->ptx->to_space;
    bytes[lane] = (int32_t)atx_group(x, d, 2)[lane];
    if (bytes[lane] & 15 || bytes[lane] < 0)
        return atx_find_fault(x, ATX_FINDING_INVALID, lane,
                              "cp.async.bulk of %d bytes; expected a multiple of 16", bytes[lane]);
    atx_addresses(&to, x, d, 0, 0, 1u << lane);
    atx_addresses(&from, x, d, 1, 1, 1u << lane);
    if (!atx_reach(x, &from) || !atx_reach(x, &to))
        return false;
    if (barrier && bytes[lane] > 0 && barrier->rank[lane] != to.rank[lane])
        return atx_find_fault(
            x, ATX_FINDING_INVALID, lane,
            "cp.async.bulk into shared memory of block %d of the cluster tells a barrier of "
            "block %d; expected the same block",
            to.rank[lane], barrier->rank[lane]);
    if (bytes[lane] > 0)
        memmove(to.at[lane], from.at[lane], (size_t)bytes[lane]);
    if (barrier)
        atx_mbarrier_complete(x, barrier, lane, bytes[lane]);
    return !x->stop;
}

/* [to], [from], bytes, [barrier] */
static void bulk_copy(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t names[ATX_LANES];
    atx_request barrier;
    const bool tells = is_shared(d->ptx->to_space);
    if (tells && !atx_mbarrier_reach(&barrier, names, x, d, mask, 2, 3))
        return;
    for (int l = 0; l < ATX_LANES; l++)
        if ((mask >> l & 1) && !bulk_lane(x, d, l, tells ? &barrier : NULL, tells ? names : NULL))
            return;
}

static void bulk_commit(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    ATX_EACH_LANE(mask, x->warp->bulk_committed[l]++);
}

static void bulk_wait(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int64_t left = (int64_t)atx_group(x, d, 0)[0];
    const atx_machine_event event =
        d->ptx->form == ATX_PTX_BULK_WAIT_READ ? ATX_EVENT_BULK_READ : ATX_EVENT_BULK_DONE;
    for (int l = 0; l < ATX_LANES && !x->stop; l++)
        if (mask >> l & 1)
            atx_event(x, event, 1u << l, x->warp->bulk_committed[l] - left);
}

static atx_handler *select_bulk(const atx_ptx_instruction *i)
{
    const int hint = (i->flags & ATX_PTX_HINTED) != 0;
    if (i->space == ATX_PTX_GLOBAL && is_shared(i->to_space) && i->group_count == 4 + hint)
        return bulk_copy;
    if (is_shared(i->space) && i->to_space == ATX_PTX_GLOBAL && i->group_count == 3 + hint)
        return bulk_copy;
    return i->space == ATX_PTX_SHARED && i->to_space == ATX_PTX_SHARED_CLUSTER && i->group_count == 4
               ? bulk_copy
               : NULL;
}

atx_handler *atx_select_async(const atx_ptx_instruction *i)
{
    const uint32_t known = ATX_PTX_HINTED | ATX_PTX_CACHED_GLOBAL | ATX_PTX_NO_INCREMENT;
    if (i->op != ATX_PTX_CP || (i->flags & ~known))
        return NULL;
    switch (i->form) {
    case ATX_PTX_ASYNC_COPY:
        return i->group_count >= 3 && i->group_count <= 5 && is_shared(i->to_space) ? async_copy : NULL;
    case ATX_PTX_ASYNC_COMMIT:
        return i->group_count == 0 ? commit : NULL;
    case ATX_PTX_ASYNC_WAIT:
        return i->group_count == 1 ? wait_group : NULL;
    case ATX_PTX_ASYNC_WAIT_ALL:
        return i->group_count == 0 ? wait_all : NULL;
    case ATX_PTX_ASYNC_ARRIVE:
        return i->group_count == 1 ? async_arrive : NULL;
    case ATX_PTX_BULK_COPY:
        return select_bulk(i);
    case ATX_PTX_BULK_COMMIT:
        return i->group_count == 0 ? bulk_commit : NULL;
    case ATX_PTX_BULK_WAIT:
    case ATX_PTX_BULK_WAIT_READ:
        return i->group_count == 1 ? bulk_wait : NULL;
    default:
        return NULL;
    }
}
