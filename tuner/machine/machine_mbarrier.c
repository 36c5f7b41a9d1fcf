/* machine_mbarrier.c - see machine_mbarrier.h. */
#include "machine/machine_mbarrier.h"

#include <stdio.h>

enum { MOST_BYTES = (1 << 20) - 1, SPIN = 64 };

typedef struct word {
    uint32_t left, each;
    bool parity, valid;
    int32_t bytes;
} word;

static word unpack(const unsigned char *at)
{
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return (word){ .left = (uint32_t)(bits & 0xfffff),
                   .each = (uint32_t)(bits >> 20 & 0xfffff),
                   .parity = bits >> 40 & 1,
                   .bytes = (int32_t)(uint32_t)(bits >> 41 << 10) >> 10,
                   .valid = bits >> 63 };
}

static uint64_t packed(word w)
{
    return (uint64_t)(w.left & 0xfffff) | (uint64_t)(w.each & 0xfffff) << 20 | (uint64_t)w.parity << 40 |
           (uint64_t)((uint32_t)w.bytes & 0x3fffff) << 41 | (uint64_t)w.valid << 63;
}

static uint64_t name_of(const atx_request *r, int lane)
{
    return r->address[lane] + ((uint64_t)r->rank[lane] << ATX_MACHINE_RANK_SHIFT);
}

/* A phase ends when no arrival and no bytes are awaited any more. false: the launch ends. */
static bool put(atx_exec *x, const atx_request *r, int lane, word w)
{
    const bool over = w.left == 0 && w.bytes == 0;
    if (over) {
        w.left = w.each;
        w.parity = !w.parity;
    }
    const uint64_t bits = packed(w);
    memcpy(r->at[lane], &bits, sizeof bits);
    return !over || atx_event(x, ATX_EVENT_MBARRIER_PHASE, 1u << lane, (int64_t)name_of(r, lane));
}

static bool reach(atx_request *r, atx_exec *x, const atx_decoded *d, uint32_t mask, int address, int group)
{
    const int space = d->ptx->op == ATX_PTX_MBARRIER ? d->ptx->space : ATX_PTX_SHARED;
    *r = (atx_request){
        .kind = ATX_ACCESS_BARRIER, .space = (atx_ptx_space)space, .bytes = 8, .element_bytes = 8
    };
    atx_addresses(r, x, d, address, group, mask);
    return atx_reach(x, r);
}

static bool is_barrier(atx_exec *x, const atx_request *r, int lane)
{
    return unpack(r->at[lane]).valid ||
           atx_find_fault(
               x, ATX_FINDING_INVALID, lane,
               "the 8 bytes at offset %llu of shared memory are no barrier that mbarrier.init has made",
               (unsigned long long)r->address[lane]);
}

/* One lane: `count` arrivals, `bytes` more to come. false: the launch ends. */
static bool arrive(atx_exec *x, const atx_request *r, int lane, uint32_t count, int32_t bytes, bool drop)
{
    if (!is_barrier(x, r, lane))
        return false;
    word w = unpack(r->at[lane]);
    w.bytes += bytes;
    if (w.bytes > MOST_BYTES || w.bytes < -MOST_BYTES)
        return atx_find_fault(x, ATX_FINDING_INVALID, lane,
                              "a barrier that awaits %d bytes more; expected at most 2^20 - 1", w.bytes);
    if (count > w.left)
        return atx_find_fault(x, ATX_FINDING_INVALID, lane, "%u arrivals at a barrier that expects %u more",
                              count, w.left);
    w.left -= count;
    w.each -= drop ? count : 0;
    if (!put(x, r, lane, w))
        return false;
    return r->rank[lane] != x->block->rank || /* the watch follows the order of warps within a block */
           atx_event(x, ATX_EVENT_MBARRIER_ARRIVE, 1u << lane, (int64_t)r->address[lane]);
}

void atx_mbarrier_arrive(atx_exec *x, const atx_decoded *d, uint32_t mask, int pending)
{
    atx_request r;
    if (!reach(&r, x, d, mask, 0, 0))
        return;
    for (int l = 0; l < ATX_LANES && !x->stop; l++) {
        if (!(mask >> l & 1) || !is_barrier(x, &r, l))
            continue;
        if (!pending) {
            word w = unpack(r.at[l]);
            w.left++;
            const uint64_t bits = packed(w);
            memcpy(r.at[l], &bits, sizeof bits);
        }
        arrive(x, &r, l, 1, 0, false);
    }
}

bool atx_mbarrier_reach(atx_request *r, uint64_t names[ATX_LANES], atx_exec *x, const atx_decoded *d,
                        uint32_t mask, int k, int group)
{
    if (!reach(r, x, d, mask, k, group))
        return false;
    for (int l = 0; l < ATX_LANES; l++) {
        names[l] = mask >> l & 1 ? name_of(r, l) : 0;
        if ((mask >> l & 1) && !is_barrier(x, r, l))
            return false;
    }
    return true;
}

void atx_mbarrier_complete(atx_exec *x, const atx_request *r, int lane, int32_t bytes)
{
    arrive(x, r, lane, 0, -bytes, false);
}

void atx_mbarrier_tell_lack(atx_exec *x)
{
    const uint64_t low = ((uint64_t)1 << ATX_MACHINE_RANK_SHIFT) - 1;
    const atx_warp *w = x->warp;
    char *text = x->result->finding.text;
    const size_t used = strlen(text);
    if (!w->awaited_when || w->executed - w->awaited_when > SPIN)
        return;
    const uint64_t offset = w->awaited & low;
    const word b = unpack(x->blocks[w->awaited >> ATX_MACHINE_RANK_SHIFT].shared + offset);
    x->result->finding.waits = true;
    snprintf(text + used, sizeof x->result->finding.text - used,
             "; the mbarrier at offset %llu of shared memory, which it waits for, lacks %u arrivals and %d "
             "bytes%s",
             (unsigned long long)offset, b.left, b.bytes,
             b.bytes < 0 ? ": more have come than were announced" : "");
}

/* ---- instructions ---- */

static void init(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const uint64_t *counts = atx_group(x, d, 1);
    atx_request r;
    if (!reach(&r, x, d, mask, 0, 0))
        return;
    for (int l = 0; l < ATX_LANES; l++) {
        const uint32_t count = (uint32_t)counts[l];
        if (!(mask >> l & 1))
            continue;
        if (count < 1 || count > 0xfffff) {
            atx_find_fault(x, ATX_FINDING_INVALID, l, "mbarrier.init of %u arrivals", count);
            return;
        }
        const uint64_t bits = packed((word){ .left = count, .each = count, .valid = true });
        memcpy(r.at[l], &bits, sizeof bits);
    }
}

static void inval(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    atx_request r;
    if (!reach(&r, x, d, mask, 0, 0))
        return;
    for (int l = 0; l < ATX_LANES; l++)
        if ((mask >> l & 1) && is_barrier(x, &r, l))
            memset(r.at[l], 0, 8);
}

/* state, [barrier]{, count or bytes} */
static void arrive_any(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_instruction *i = d->ptx;
    const bool expects = i->form == ATX_PTX_MBAR_ARRIVE_EXPECT_TX, drop = i->form == ATX_PTX_MBAR_ARRIVE_DROP;
    const bool more = i->group_count == 3;
    uint64_t *state = atx_group(x, d, 0);
    atx_request r;
    if (!reach(&r, x, d, mask, 0, 1))
        return;
    for (int l = 0; l < ATX_LANES && !x->stop; l++) {
        if (!(mask >> l & 1))
            continue;
        const uint32_t given = more ? (uint32_t)atx_group(x, d, 2)[l] : 1;
        uint64_t before;
        memcpy(&before, r.at[l], sizeof before);
        if (arrive(x, &r, l, expects ? 1 : given, expects ? (int32_t)given : 0, drop))
            state[l] = before;
    }
}

static void expect_tx(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    atx_request r;
    if (!reach(&r, x, d, mask, 0, 0))
        return;
    for (int l = 0; l < ATX_LANES && !x->stop; l++)
        if (mask >> l & 1)
            arrive(x, &r, l, 0, (int32_t)atx_group(x, d, 1)[l], false);
}

/* Once for lanes that look at the same barrier. */
static bool tell_passed(atx_exec *x, const atx_request *r, uint32_t lanes)
{
    while (lanes) {
        const int first = atx_first_lane(lanes);
        uint32_t same = 0;
        for (int l = first; l < ATX_LANES; l++)
            same |= (uint32_t)((lanes >> l & 1) && r->address[l] == r->address[first]) << l;
        lanes &= ~same;
        if (!atx_event(x, ATX_EVENT_MBARRIER_PASS, same, (int64_t)r->address[first]))
            return false;
    }
    return true;
}

/* done, [barrier], state or parity: whether that phase is over. One that waits gives others their turn. */
static void look(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int form = d->ptx->form;
    const bool by_parity = form == ATX_PTX_MBAR_TEST_WAIT_PARITY || form == ATX_PTX_MBAR_TRY_WAIT_PARITY;
    const uint64_t *given = atx_group(x, d, 2);
    uint64_t *to = atx_group(x, d, 0);
    uint32_t done = 0;
    atx_request r;
    if (!reach(&r, x, d, mask, 0, 1))
        return;
    for (int l = 0; l < ATX_LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        if (!is_barrier(x, &r, l))
            return;
        const bool parity = by_parity ? given[l] & 1 : given[l] >> 40 & 1;
        const bool over = unpack(r.at[l]).parity != parity;
        done |= (uint32_t)over << l;
        if (over)
            continue;
        x->warp->awaited = name_of(&r, l);
        x->warp->awaited_when = x->warp->executed;
    }
    if (!tell_passed(x, &r, done))
        return;
    atx_put_predicate(to, mask, done);
    x->yield = x->yield || done != mask;
}

atx_handler *atx_select_mbarrier(const atx_ptx_instruction *i)
{
    if (i->op != ATX_PTX_MBARRIER || i->type != ATX_PTX_B64)
        return NULL;
    switch (i->form) {
    case ATX_PTX_MBAR_INIT:
        return i->group_count == 2 ? init : NULL;
    case ATX_PTX_MBAR_INVAL:
        return i->group_count == 1 ? inval : NULL;
    case ATX_PTX_MBAR_ARRIVE:
    case ATX_PTX_MBAR_ARRIVE_DROP:
        return i->group_count == 2 || i->group_count == 3 ? arrive_any : NULL;
    case ATX_PTX_MBAR_ARRIVE_EXPECT_TX:
        return i->group_count == 3 ? arrive_any : NULL;
    case ATX_PTX_MBAR_EXPECT_TX:
        return i->group_count == 2 ? expect_tx : NULL;
    case ATX_PTX_MBAR_TEST_WAIT:
    case ATX_PTX_MBAR_TRY_WAIT:
    case ATX_PTX_MBAR_TEST_WAIT_PARITY:
    case ATX_PTX_MBAR_TRY_WAIT_PARITY:
        return i->group_count == 3 || i->group_count == 4 ? look : NULL;
    default:
        return NULL;
    }
}
