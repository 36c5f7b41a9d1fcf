/*
 * machine_move.c - values from place to place: mov, with vectors packed and taken apart, special registers
 * and addresses of variables; cvta and isspacep, where the windows of machine.h are.
 */
#include "machine/machine_internal.h"

ATX_LANE_OP(mov, uint64_t, (uint64_t), a & d->keep)

static void mov_pred(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    atx_put_predicate(atx_group(x, d, 0), mask, *atx_group(x, d, 1));
}

static void mov_address(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1);
    const uint64_t frame = d->frame[0] == ATX_BASE_FRAME ? (uint64_t)x->node->local : 0;
    ATX_EACH_LANE(mask, to[l] = (a[l] + frame) & d->keep);
}

/* {a, b} to one register: the first is the lowest. */
static void mov_pack(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int count = d->ptx->width[1], bits = 8 * d->bytes / count;
    const uint64_t part = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t packed[ATX_LANES] = { 0 }, *to = atx_group(x, d, 0);
    for (int k = 0; k < count; k++) {
        const uint64_t *a = atx_lanes(x, d->ref[d->at[1] + k]);
        ATX_EACH_LANE(mask, packed[l] |= (a[l] & part) << (k * bits));
    }
    ATX_EACH_LANE(mask, to[l] = packed[l]);
}

static void mov_unpack(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int count = d->ptx->width[0], bits = 8 * d->bytes / count;
    const uint64_t part = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t from[ATX_LANES];
    memcpy(from, atx_group(x, d, 1), sizeof from);
    for (int k = 0; k < count; k++) {
        uint64_t *to = atx_lanes(x, d->ref[d->at[0] + k]);
        ATX_EACH_LANE(mask, to[l] = from[l] >> (k * bits) & part);
    }
}

/* ---- special registers ---- */

static uint32_t cluster_size(const atx_exec *x)
{
    return x->cluster[0] * x->cluster[1] * x->cluster[2];
}

/* A device counts from 1970 on, not from its first launch. */
#define FIRST_NANOSECOND ((uint64_t)1800000000 * 1000000000)

/* Of the whole warp; false: it is one of each lane. */
static bool warp_value(uint64_t *out, const atx_exec *x, int special)
{
    const atx_block *b = x->block;
    const int axis = (special - ATX_PTX_SPECIAL_TID_X) % 3;
    const uint64_t time = (uint64_t)x->result->warp_instructions;
    switch ((atx_ptx_special)special) {
    case ATX_PTX_SPECIAL_NTID_X:
    case ATX_PTX_SPECIAL_NTID_Y:
    case ATX_PTX_SPECIAL_NTID_Z:
        *out = x->size[axis];
        return true;
    case ATX_PTX_SPECIAL_CTAID_X:
    case ATX_PTX_SPECIAL_CTAID_Y:
    case ATX_PTX_SPECIAL_CTAID_Z:
        *out = b->at[axis];
        return true;
    case ATX_PTX_SPECIAL_NCTAID_X:
    case ATX_PTX_SPECIAL_NCTAID_Y:
    case ATX_PTX_SPECIAL_NCTAID_Z:
        *out = x->grid[axis];
        return true;
    case ATX_PTX_SPECIAL_WARPID:
        *out = (uint64_t)x->warp->number;
        return true;
    case ATX_PTX_SPECIAL_NWARPID:
        *out = 64;
        return true;
    case ATX_PTX_SPECIAL_NSMID:
        *out = 1;
        return true;
    case ATX_PTX_SPECIAL_SMID:
    case ATX_PTX_SPECIAL_GRIDID:
    case ATX_PTX_SPECIAL_CLOCK_HI:
        *out = 0;
        return true;
    case ATX_PTX_SPECIAL_CLOCK:
        *out = (uint32_t)time;
        return true;
    case ATX_PTX_SPECIAL_CLOCK64:
        *out = time;
        return true;
    case ATX_PTX_SPECIAL_GLOBALTIMER:
        *out = FIRST_NANOSECOND + time;
        return true;
    case ATX_PTX_SPECIAL_GLOBALTIMER_LO:
        *out = (uint32_t)(FIRST_NANOSECOND + time);
        return true;
    case ATX_PTX_SPECIAL_GLOBALTIMER_HI:
        *out = (FIRST_NANOSECOND + time) >> 32;
        return true;
    case ATX_PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
        *out = (uint64_t)x->launch->shared_bytes;
        return true;
    case ATX_PTX_SPECIAL_RESERVED_SMEM_OFFSET_0:
    case ATX_PTX_SPECIAL_RESERVED_SMEM_OFFSET_1:
        *out = (uint64_t)(ATX_MACHINE_SHARED_BASE + x->shared_bytes - ATX_RESERVED_BYTES);
        return true;
    case ATX_PTX_SPECIAL_TOTAL_SMEM_SIZE:
        *out = (uint64_t)x->shared_bytes;
        return true;
    case ATX_PTX_SPECIAL_CLUSTER_CTARANK:
        *out = (uint64_t)b->rank;
        return true;
    case ATX_PTX_SPECIAL_CLUSTER_NCTARANK:
        *out = cluster_size(x);
        return true;
    case ATX_PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
        *out = cluster_size(x) > 1;
        return true;
    default:
        return false;
    }
}

static bool cluster_value(uint64_t *out, const atx_exec *x, int special)
{
    const atx_block *b = x->block;
    for (int axis = 0; axis < 3; axis++) {
        if (special == ATX_PTX_SPECIAL_CLUSTERID_X + axis)
            *out = b->at[axis] / x->cluster[axis];
        else if (special == ATX_PTX_SPECIAL_NCLUSTERID_X + axis)
            *out = x->grid[axis] / x->cluster[axis];
        else if (special == ATX_PTX_SPECIAL_CLUSTER_CTAID_X + axis)
            *out = b->at[axis] % x->cluster[axis];
        else if (special == ATX_PTX_SPECIAL_CLUSTER_NCTAID_X + axis)
            *out = x->cluster[axis];
        else
            continue;
        return true;
    }
    return false;
}

static uint64_t lane_value(const atx_exec *x, int special, int lane)
{
    const uint32_t below = (1u << lane) - 1, own = 1u << lane;
    switch ((atx_ptx_special)special) {
    case ATX_PTX_SPECIAL_TID_X:
    case ATX_PTX_SPECIAL_TID_Y:
    case ATX_PTX_SPECIAL_TID_Z:
        return x->warp->tid[special - ATX_PTX_SPECIAL_TID_X][lane];
    case ATX_PTX_SPECIAL_LANEID:
        return (uint64_t)lane;
    case ATX_PTX_SPECIAL_LANEMASK_EQ:
        return own;
    case ATX_PTX_SPECIAL_LANEMASK_LT:
        return below;
    case ATX_PTX_SPECIAL_LANEMASK_LE:
        return below | own;
    case ATX_PTX_SPECIAL_LANEMASK_GT:
        return ~(below | own);
    default: /* GE */
        return ~below;
    }
}

static void mov_special(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int special = atx_ptx_group(x->code->function, d->ptx, 1)->index;
    uint64_t value = 0, *to = atx_group(x, d, 0);
    if (warp_value(&value, x, special) || cluster_value(&value, x, special))
        ATX_EACH_LANE(mask, to[l] = value & d->keep);
    else
        ATX_EACH_LANE(mask, to[l] = lane_value(x, special, l) & d->keep);
}

/* ---- spaces ---- */

static uint64_t window_of(int space)
{
    switch (space) {
    case ATX_PTX_SHARED:
    case ATX_PTX_SHARED_CLUSTER:
        return ATX_MACHINE_SHARED_WINDOW;
    case ATX_PTX_LOCAL:
        return ATX_MACHINE_LOCAL_WINDOW;
    case ATX_PTX_PARAM:
        return (uint64_t)ATX_PARAM_WINDOW_REGION << ATX_MACHINE_REGION_SHIFT;
    default:
        return 0;
    }
}

static void cvta(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const bool to_space = d->ptx->flags & ATX_PTX_TO_SPACE;
    const uint64_t window = window_of(d->ptx->space), add = to_space ? 0 - window : window;
    const uint64_t frame = d->frame[0] == ATX_BASE_FRAME ? (uint64_t)x->node->local : 0;
    const uint64_t bits = to_space ? UINT64_MAX : atx_address_bits((atx_ptx_space)d->ptx->space);
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1);
    ATX_EACH_LANE(mask, to[l] = (((a[l] + frame) & bits) + add) & d->keep);
}

static bool is_in(uint64_t address, int space)
{
    const uint64_t region = address >> ATX_MACHINE_REGION_SHIFT;
    return window_of(space) ? region == window_of(space) >> ATX_MACHINE_REGION_SHIFT
                            : region >= ATX_MACHINE_FIRST_REGION;
}

static void isspacep(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1);
    for (int l = 0; l < ATX_LANES; l++)
        if (mask >> l & 1)
            *to = (*to & ~((uint64_t)1 << l)) | (uint64_t)is_in(a[l], d->ptx->space) << l;
}

/* The address of the same place in the block of another rank. */
static void mapa(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const uint64_t low = ((uint64_t)1 << ATX_MACHINE_RANK_SHIFT) - 1;
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1), *rank = atx_group(x, d, 2);
    const uint64_t window = d->ptx->space == ATX_PTX_GENERIC ? ATX_MACHINE_SHARED_WINDOW : 0;
    ATX_EACH_LANE(mask, to[l] = (((a[l] & low) | ((rank[l] & 31) + 1) << ATX_MACHINE_RANK_SHIFT) + window) &
                                d->keep);
}

static uint64_t rank_of(uint64_t address, const atx_block *own)
{
    const uint64_t rank = (address & UINT32_MAX) >> ATX_MACHINE_RANK_SHIFT;
    return rank ? rank - 1 : (uint64_t)own->rank;
}
ATX_LANE_OP(getctarank, uint64_t, (uint64_t), rank_of(a, x->block))

/* A cache policy is a number that is not looked at. */
ATX_LANE_OP(createpolicy, uint64_t, (uint64_t), 0)

static atx_handler *select_mov(const atx_ptx_instruction *i)
{
    const int bytes = atx_ptx_type_bytes(i->type);
    if (i->flags || i->group_count != 2 || i->from || i->type == ATX_PTX_B128)
        return NULL;
    if (i->type == ATX_PTX_PRED)
        return mov_pred;
    if (i->width[0] == 1 && i->width[1] == 1)
        return mov;
    if (i->width[0] == 1 && (i->width[1] == 2 || i->width[1] == 4) && bytes >= i->width[1])
        return mov_pack;
    if (i->width[1] == 1 && (i->width[0] == 2 || i->width[0] == 4) && bytes >= i->width[0])
        return mov_unpack;
    return NULL;
}

atx_handler *atx_select_move(const atx_ptx_instruction *i)
{
    switch (i->op) {
    case ATX_PTX_MOV:
        return select_mov(i);
    case ATX_PTX_CVTA:
        return i->space != ATX_PTX_GENERIC && !(i->flags & ~(uint32_t)ATX_PTX_TO_SPACE) ? cvta : NULL;
    case ATX_PTX_ISSPACEP:
        return i->space != ATX_PTX_GENERIC && !i->flags ? isspacep : NULL;
    case ATX_PTX_MAPA:
        return !i->flags ? mapa : NULL;
    case ATX_PTX_GETCTARANK:
        return !i->flags ? getctarank : NULL;
    case ATX_PTX_CREATEPOLICY:
        return createpolicy;
    default:
        return NULL;
    }
}

atx_handler *atx_special_mov(int operand_kind)
{
    return operand_kind == ATX_PTX_SPECIAL_OF ? mov_special
           : operand_kind == ATX_PTX_VARIABLE ? mov_address
                                              : mov;
}
