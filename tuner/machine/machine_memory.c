/* machine_memory.c - ld, st and their kind. */
#include "machine/machine_mbarrier.h"

/* Of .param only the kernel's arguments lie apart; in calls parameters are part of the frame. */
static atx_ptx_space memory_space(const atx_decoded *d)
{
    if (d->ptx->space == ATX_PTX_PARAM && d->frame[0] == ATX_BASE_FRAME)
        return ATX_PTX_LOCAL;
    return (atx_ptx_space)d->ptx->space;
}

static bool is_signed(int type)
{
    return type >= ATX_PTX_S8 && type <= ATX_PTX_S64;
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

static void ld(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int count = d->ptx->vector, bytes = d->bytes;
    atx_request r = {
        .kind = ATX_ACCESS_LOAD, .space = memory_space(d), .bytes = bytes * count, .element_bytes = bytes
    };
    atx_addresses(&r, x, d, 0, 1, mask);
    if (!atx_reach(x, &r))
        return;
    const bool with_sign = is_signed(d->ptx->type);
    for (int k = 0; k < count; k++) {
        uint64_t *to = atx_lanes(x, d->ref[d->at[0] + k]);
        for (int l = 0; l < ATX_LANES; l++)
            if (mask >> l & 1)
                to[l] = load(r.at[l] + k * bytes, bytes, with_sign) & d->keep;
    }
}

/* `barrier`: of st.async, the one that each lane tells; else NULL. */
static void store(atx_exec *x, const atx_decoded *d, uint32_t mask, const uint64_t *barrier)
{
    const int count = d->ptx->vector, bytes = d->bytes;
    atx_request r = { .kind = barrier ? ATX_ACCESS_STORE_ASYNC : ATX_ACCESS_STORE,
                      .space = memory_space(d),
                      .bytes = bytes * count,
                      .element_bytes = bytes,
                      .barrier = barrier };
    const uint64_t *values[ATX_PTX_MAX_VECTOR];
    for (int k = 0; k < count; k++)
        values[k] = atx_lanes(x, d->ref[d->at[1] + k]);
    r.values = values;
    atx_addresses(&r, x, d, 0, 0, mask);
    if (!atx_reach(x, &r))
        return;
    for (int k = 0; k < count; k++) {
        const uint64_t *from = values[k];
        for (int l = 0; l < ATX_LANES; l++)
            if (mask >> l & 1)
                memcpy(r.at[l] + k * bytes, &from[l], (size_t)bytes);
    }
}

static void st(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    store(x, d, mask, NULL);
}

/* [to], value, [barrier]: the barrier of the block that is written to hears of the bytes, here at once. */
static void st_async(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t names[ATX_LANES];
    atx_request barrier;
    if (!atx_mbarrier_reach(&barrier, names, x, d, mask, 1, 2))
        return;
    store(x, d, mask, names);
    for (int l = 0; l < ATX_LANES && !x->stop; l++)
        if (mask >> l & 1)
            atx_mbarrier_complete(x, &barrier, l, d->bytes * d->ptx->vector);
}

static bool is_async_store(const atx_ptx_instruction *i)
{
    const int bytes = atx_ptx_type_bytes(i->type);
    return i->space == ATX_PTX_SHARED_CLUSTER && (bytes == 4 || bytes == 8) && i->from == ATX_PTX_NO_TYPE &&
           i->group_count == 3 && i->width[1] == i->vector && !i->flags;
}

/* Hints: told, without effect. */
static void prefetch(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    atx_request r = { .kind = ATX_ACCESS_PREFETCH, .space = ATX_PTX_GLOBAL, .bytes = 1, .element_bytes = 1 };
    atx_addresses(&r, x, d, 0, 0, mask);
    atx_tell_access(x, &r, ATX_PTX_GLOBAL, mask);
}

static bool is_element(const atx_ptx_instruction *i)
{
    const int bytes = atx_ptx_type_bytes(i->type);
    return bytes > 0 && bytes <= 8 && i->from == ATX_PTX_NO_TYPE && bytes * i->vector <= 32;
}

atx_handler *atx_select_memory(const atx_ptx_instruction *i)
{
    const uint32_t hints = ATX_PTX_HINTED | ATX_PTX_NON_COHERENT;
    const int groups = i->flags & ATX_PTX_HINTED ? 3 : 2;
    if (i->op == ATX_PTX_LD || i->op == ATX_PTX_LDU)
        return is_element(i) && !(i->flags & ~hints) && i->group_count == groups && i->width[0] == i->vector
                   ? ld
                   : NULL;
    if (i->op == ATX_PTX_ST && i->form == ATX_PTX_STORE_ASYNC)
        return is_async_store(i) ? st_async : NULL;
    if (i->op == ATX_PTX_ST)
        return is_element(i) && !(i->flags & ~hints) && i->group_count == groups && i->width[1] == i->vector
                   ? st
                   : NULL;
    if (i->op == ATX_PTX_PREFETCH || i->op == ATX_PTX_PREFETCHU || i->op == ATX_PTX_APPLYPRIORITY ||
        i->op == ATX_PTX_DISCARD)
        return prefetch;
    return NULL;
}
