/* machine_warp.c - data exchange between the lanes of a warp: shfl, vote, match, redux, elect, activemask. */
#include "machine/machine_internal.h"

/* ---- shfl ---- */

/* The lane that lane `l` reads from; *in: it lies within the segment that the last operand gives. */
static int source_lane(bool *in, int form, int l, uint32_t b, uint32_t c)
{
    const int segment = (int)(c >> 8 & 31), limit = (int)(c & 31);
    const int most = (l & segment) | (limit & ~segment), least = l & segment, by = (int)(b & 31);
    int from;
    switch (form) {
    case ATX_PTX_SHFL_UP:
        from = l - by;
        *in = from >= most;
        break;
    case ATX_PTX_SHFL_DOWN:
        from = l + by;
        *in = from <= most;
        break;
    case ATX_PTX_SHFL_BFLY:
        from = l ^ by;
        *in = from <= most;
        break;
    default:
        from = least | (by & ~segment);
        *in = from <= most;
        break;
    }
    return *in ? from : l;
}

/* d|p, a, b, c, mask: group 1 is p where it is there. */
static void shfl(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int first = d->ptx->group_count == 6 ? 2 : 1;
    uint64_t from[ATX_LANES], *to = atx_group(x, d, 0);
    const uint64_t *b = atx_group(x, d, first + 1), *c = atx_group(x, d, first + 2);
    uint32_t within = 0;
    memcpy(from, atx_group(x, d, first), sizeof from);
    if (!atx_event(x, ATX_EVENT_WARP_SYNC, mask, 0))
        return;
    for (int l = 0; l < ATX_LANES; l++) {
        bool in = false;
        if (!(mask >> l & 1))
            continue;
        const int lane = source_lane(&in, d->ptx->form, l, (uint32_t)b[l], (uint32_t)c[l]);
        within |= (uint32_t)in << l;
        if (!(mask >> lane & 1)) {
            atx_find_fault(x, ATX_FINDING_INVALID, l,
                           "shfl.sync reads from lane %d, which does not take part", lane);
            return;
        }
        to[l] = (uint32_t)from[lane];
    }
    if (first == 2)
        atx_put_predicate(atx_group(x, d, 1), mask, within);
}

/* ---- vote, match, redux ---- */

static uint32_t voters(const atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const uint32_t p = (uint32_t)*atx_group(x, d, 1);
    return (atx_ptx_group(x->code->function, d->ptx, 1)->negated ? ~p : p) & mask;
}

static void vote(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const uint32_t yes = voters(x, d, mask);
    uint64_t *to = atx_group(x, d, 0);
    if (!atx_event(x, ATX_EVENT_WARP_SYNC, mask, 0))
        return;
    if (d->ptx->action == ATX_PTX_DO_BALLOT) {
        ATX_EACH_LANE(mask, to[l] = yes);
        return;
    }
    const bool all = yes == mask;
    const bool result = d->ptx->action == ATX_PTX_DO_ALL   ? all
                        : d->ptx->action == ATX_PTX_DO_ANY ? yes != 0
                                                           : all || yes == 0;
    atx_put_predicate(to, mask, result ? mask : 0);
}

static uint32_t lanes_like(const uint64_t *a, int lane, uint32_t mask, uint64_t bits)
{
    uint32_t same = 0;
    for (int l = 0; l < ATX_LANES; l++)
        same |= (uint32_t)((mask >> l & 1) && ((a[l] ^ a[lane]) & bits) == 0) << l;
    return same;
}

/* d, a, mask; match.all also d|p */
static void match(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int first = d->ptx->group_count == 4 ? 2 : 1;
    const bool all = d->ptx->form == ATX_PTX_MATCH_ALL;
    const uint64_t bits = d->bytes == 8 ? UINT64_MAX : UINT32_MAX;
    uint64_t a[ATX_LANES], *to = atx_group(x, d, 0);
    memcpy(a, atx_group(x, d, first), sizeof a);
    if (!atx_event(x, ATX_EVENT_WARP_SYNC, mask, 0))
        return;
    const bool equal = lanes_like(a, atx_first_lane(mask), mask, bits) == mask;
    for (int l = 0; l < ATX_LANES; l++)
        if (mask >> l & 1)
            to[l] = !all ? lanes_like(a, l, mask, bits) : equal ? mask : 0;
    if (first == 2)
        atx_put_predicate(atx_group(x, d, 1), mask, equal ? mask : 0);
}

static uint32_t reduced(uint32_t a, uint32_t b, int action, bool is_signed)
{
    switch (action) {
    case ATX_PTX_DO_ADD:
        return a + b;
    case ATX_PTX_DO_AND:
        return a & b;
    case ATX_PTX_DO_OR:
        return a | b;
    case ATX_PTX_DO_XOR:
        return a ^ b;
    case ATX_PTX_DO_MIN:
        return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? a : b;
    default:
        return (is_signed ? (int32_t)a > (int32_t)b : a > b) ? a : b;
    }
}

static void redux(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1);
    const int first = atx_first_lane(mask);
    uint32_t value = (uint32_t)a[first];
    if (!atx_event(x, ATX_EVENT_WARP_SYNC, mask, 0))
        return;
    for (int l = first + 1; l < ATX_LANES; l++)
        if (mask >> l & 1)
            value = reduced(value, (uint32_t)a[l], d->ptx->action, d->ptx->type == ATX_PTX_S32);
    ATX_EACH_LANE(mask, to[l] = value);
}

ATX_LANE_OP(activemask, uint64_t, (uint64_t), mask)

/* d|p, mask: the lowest lane is chosen. */
static void elect(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t *to = atx_group(x, d, 0);
    ATX_EACH_LANE(mask, to[l] = (uint64_t)atx_first_lane(mask));
    atx_put_predicate(atx_group(x, d, 1), mask, mask & (0 - mask));
}

atx_handler *atx_select_warp(const atx_ptx_instruction *i)
{
    const uint32_t aligned = ATX_PTX_SYNC | ATX_PTX_ALIGNED;
    const bool sync = (i->flags & ATX_PTX_SYNC) && !(i->flags & ~aligned);
    const bool ordered = i->type == ATX_PTX_U32 || i->type == ATX_PTX_S32;
    switch (i->op) {
    case ATX_PTX_SHFL:
        return sync && i->form && i->type == ATX_PTX_B32 && (i->group_count == 5 || i->group_count == 6)
                   ? shfl
                   : NULL;
    case ATX_PTX_VOTE:
        return sync && i->group_count == 3 &&
                       i->type == (i->action == ATX_PTX_DO_BALLOT ? ATX_PTX_B32 : ATX_PTX_PRED)
                   ? vote
                   : NULL;
    case ATX_PTX_MATCH:
        return sync && i->form && (i->type == ATX_PTX_B32 || i->type == ATX_PTX_B64) &&
                       (i->group_count == 3 || (i->group_count == 4 && i->form == ATX_PTX_MATCH_ALL))
                   ? match
                   : NULL;
    case ATX_PTX_REDUX:
        return sync && i->group_count == 3 && (ordered || i->type == ATX_PTX_B32) &&
                       i->action >= ATX_PTX_DO_ADD && i->action <= ATX_PTX_DO_XOR &&
                       i->action != ATX_PTX_DO_INC && i->action != ATX_PTX_DO_DEC
                   ? redux
                   : NULL;
    case ATX_PTX_ACTIVEMASK:
        return i->group_count == 1 && !i->flags ? activemask : NULL;
    case ATX_PTX_ELECT:
        return sync && i->group_count == 3 ? elect : NULL;
    default:
        return NULL;
    }
}
