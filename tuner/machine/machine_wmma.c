/*
 * machine_wmma.c - wmma.load and wmma.store: a matrix in memory, by rows or by columns, from and to the
 * registers of a warp. Each lane accesses its own elements, those side by side in a register at once.
 */
#include "machine/machine_fragment.h"

/* A fragment and its matrix in memory. */
typedef struct transfer {
    atx_fragment_place *place;
    int each, bytes;    /* elements of a register; of an element */
    bool by_columns;    /* in memory */
    bool along_columns; /* elements of one register lie side by side in a row of the matrix */
    int group, count;   /* of the registers */
} transfer;

static transfer transfer_of(const atx_ptx_instruction *i)
{
    const bool store = i->form == ATX_PTX_WMMA_STORE;
    const int type = i->type;
    transfer t = { .each = atx_fragment_each(type), .bytes = atx_ptx_type_bytes(type), .group = store };
    t.place = i->form == ATX_PTX_WMMA_LOAD_A   ? atx_fragment_a
              : i->form == ATX_PTX_WMMA_LOAD_B ? atx_fragment_b
                                               : atx_fragment_c;
    t.by_columns = i->layout[0] == ATX_PTX_BY_COLUMNS;
    t.along_columns = i->form != ATX_PTX_WMMA_LOAD_B;
    t.count = i->width[t.group];
    return t;
}

/* The stride is how many elements a row, or a column, is behind the one before. */
static int64_t stride_at(const atx_exec *x, const atx_decoded *d, int lane)
{
    const atx_ptx_instruction *i = d->ptx;
    const bool of_sums = i->form == ATX_PTX_WMMA_LOAD_C || i->form == ATX_PTX_WMMA_STORE;
    const int rows = i->form == ATX_PTX_WMMA_LOAD_B ? i->shape[2] : i->shape[0];
    const int columns = of_sums || i->form == ATX_PTX_WMMA_LOAD_B ? i->shape[1] : i->shape[2];
    if (i->group_count == 3)
        return (int32_t)atx_group(x, d, 2)[lane];
    return i->layout[0] == ATX_PTX_BY_COLUMNS ? rows : columns;
}

/* The part of a fragment that one request moves: `count` elements from `first` of each lane. */
static bool reach_part(atx_request *r, atx_exec *x, const atx_decoded *d, const transfer *t, int first,
                       int count)
{
    const bool store = d->ptx->form == ATX_PTX_WMMA_STORE;
    *r = (atx_request){ .kind = store ? ATX_ACCESS_STORE : ATX_ACCESS_LOAD,
                        .space = (atx_ptx_space)d->ptx->space,
                        .bytes = t->bytes * count,
                        .element_bytes = t->bytes * count };
    atx_addresses(r, x, d, 0, !store, UINT32_MAX);
    for (int l = 0; l < ATX_LANES; l++) {
        int at[2];
        t->place(at, d->ptx->shape, t->each, l, first);
        const int64_t major = at[t->by_columns], minor = at[!t->by_columns];
        r->address[l] += (uint64_t)((major * stride_at(x, d, l) + minor) * t->bytes);
    }
    return atx_reach(x, r);
}

static void move_part(atx_exec *x, const atx_decoded *d, const transfer *t, int first, int count)
{
    atx_request r;
    const int bits = 8 * t->bytes * (first % t->each);
    const size_t bytes = (size_t)(t->bytes * count);
    const uint64_t part = bytes == 8 ? UINT64_MAX : (((uint64_t)1 << 8 * bytes) - 1) << bits;
    if (!reach_part(&r, x, d, t, first, count))
        return;
    uint64_t *lanes = atx_lanes(x, d->ref[d->at[t->group] + first / t->each]);
    for (int l = 0; l < ATX_LANES; l++) {
        uint64_t value = lanes[l] >> bits;
        if (d->ptx->form == ATX_PTX_WMMA_STORE) {
            memcpy(r.at[l], &value, bytes);
            continue;
        }
        value = 0;
        memcpy(&value, r.at[l], bytes);
        lanes[l] = (lanes[l] & ~part) | value << bits;
    }
}

static void wmma_move(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const transfer t = transfer_of(d->ptx);
    const bool together = t.by_columns != t.along_columns;
    const int step = together ? t.each : 1;
    if (mask != UINT32_MAX) {
        atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(~mask),
                       "wmma.sync.aligned without all lanes of the warp");
        return;
    }
    for (int e = 0; e < t.count * t.each && !x->stop; e += step)
        move_part(x, d, &t, e, step);
}

/* Registers of a fragment of C or D, or of A or B: as many as hold it, or a multiple. */
static bool width_fits(const atx_ptx_instruction *i, const transfer *t)
{
    const bool of_sums = t->place == atx_fragment_c, is_b = t->place == atx_fragment_b;
    const int elements = i->shape[is_b] * (of_sums ? i->shape[1] : i->shape[2]);
    const int registers = elements / ATX_LANES / t->each;
    return t->count > 0 && registers > 0 && (of_sums ? t->count == registers : t->count % registers == 0);
}

static bool type_fits(const atx_ptx_instruction *i, bool of_sums)
{
    if (!of_sums)
        return i->type != ATX_PTX_B1 && i->type != ATX_PTX_S4 && i->type != ATX_PTX_U4 &&
               atx_fragment_is_known(ATX_PTX_WMMA, i->type, i->shape);
    const int factor = i->type == ATX_PTX_S32   ? ATX_PTX_S8
                       : i->type == ATX_PTX_F64 ? ATX_PTX_F64
                       : i->type == ATX_PTX_F16 ? ATX_PTX_F16
                       : i->type != ATX_PTX_F32 ? ATX_PTX_NO_TYPE
                       : i->shape[2] == 8       ? ATX_PTX_TF32
                                                : ATX_PTX_F16;
    return atx_fragment_is_known(ATX_PTX_WMMA, factor, i->shape);
}

atx_handler *atx_select_wmma(const atx_ptx_instruction *i)
{
    const bool store = i->form == ATX_PTX_WMMA_STORE;
    if (i->op != ATX_PTX_WMMA || i->form < ATX_PTX_WMMA_LOAD_A || i->form > ATX_PTX_WMMA_STORE)
        return NULL;
    const transfer t = transfer_of(i);
    return type_fits(i, t.place == atx_fragment_c) && !i->from && !i->round && !i->action && i->layout[0] &&
                   !i->layout[1] && !(i->flags & ~(uint32_t)(ATX_PTX_SYNC | ATX_PTX_ALIGNED)) &&
                   (i->group_count == 2 || (i->group_count == 3 && i->width[2] == 1)) &&
                   i->width[!store] == 1 && width_fits(i, &t)
               ? wmma_move
               : NULL;
}
