/*
 * machine_move.c - values from place to place: mov, with vectors packed and taken apart, special registers
 * and addresses of variables; cvta and isspacep, where the windows of machine.h are.
 */
#include "machine/machine_parts.h"

static void mov(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1);
    AT__EACH_LANE(mask, to[l] = a[l] & d->keep);
}

static void mov_pred(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t *to = at__group(x, d, 0);
    *to = (*to & ~(uint64_t)mask) | (*at__group(x, d, 1) & mask);
}

static void mov_address(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1);
    const uint64_t frame = d->frame[0] == AT__BASE_FRAME ? (uint64_t)x->node->local : 0;
    AT__EACH_LANE(mask, to[l] = (a[l] + frame) & d->keep);
}

/* {a, b} to one register: the first is the lowest. */
static void mov_pack(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int count = d->ptx->width[1], bits = 8 * d->bytes / count;
    const uint64_t part = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t packed[AT__LANES] = { 0 }, *to = at__group(x, d, 0);
    for (int k = 0; k < count; k++) {
        const uint64_t *a = at__lanes(x, d->ref[d->at[1] + k]);
        AT__EACH_LANE(mask, packed[l] |= (a[l] & part) << (k * bits));
    }
    AT__EACH_LANE(mask, to[l] = packed[l]);
}

static void mov_unpack(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int count = d->ptx->width[0], bits = 8 * d->bytes / count;
    const uint64_t part = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    uint64_t from[AT__LANES];
    memcpy(from, at__group(x, d, 1), sizeof from);
    for (int k = 0; k < count; k++) {
        uint64_t *to = at__lanes(x, d->ref[d->at[0] + k]);
        AT__EACH_LANE(mask, to[l] = from[l] >> (k * bits) & part);
    }
}

/* ---- special registers ---- */

static uint32_t cluster_size(const at__exec *x)
{
    return x->cluster[0] * x->cluster[1] * x->cluster[2];
}

/* Of the whole warp; false: it is one of each lane. */
static bool warp_value(uint64_t *out, const at__exec *x, int special)
{
    const at__block *b = x->block;
    const int axis = (special - AT__PTX_SPECIAL_TID_X) % 3;
    const uint64_t time = (uint64_t)x->result->warp_instructions;
    switch ((at__ptx_special)special) {
    case AT__PTX_SPECIAL_NTID_X:
    case AT__PTX_SPECIAL_NTID_Y:
    case AT__PTX_SPECIAL_NTID_Z:
        *out = x->size[axis];
        return true;
    case AT__PTX_SPECIAL_CTAID_X:
    case AT__PTX_SPECIAL_CTAID_Y:
    case AT__PTX_SPECIAL_CTAID_Z:
        *out = b->at[axis];
        return true;
    case AT__PTX_SPECIAL_NCTAID_X:
    case AT__PTX_SPECIAL_NCTAID_Y:
    case AT__PTX_SPECIAL_NCTAID_Z:
        *out = x->grid[axis];
        return true;
    case AT__PTX_SPECIAL_WARPID:
        *out = (uint64_t)x->warp->number;
        return true;
    case AT__PTX_SPECIAL_NWARPID:
        *out = 64;
        return true;
    case AT__PTX_SPECIAL_NSMID:
        *out = 1;
        return true;
    case AT__PTX_SPECIAL_SMID:
    case AT__PTX_SPECIAL_GRIDID:
    case AT__PTX_SPECIAL_CLOCK_HI:
    case AT__PTX_SPECIAL_GLOBALTIMER_HI:
        *out = 0;
        return true;
    case AT__PTX_SPECIAL_CLOCK:
    case AT__PTX_SPECIAL_GLOBALTIMER_LO:
        *out = (uint32_t)time;
        return true;
    case AT__PTX_SPECIAL_CLOCK64:
    case AT__PTX_SPECIAL_GLOBALTIMER:
        *out = time;
        return true;
    case AT__PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
        *out = (uint64_t)x->launch->shared_bytes;
        return true;
    case AT__PTX_SPECIAL_TOTAL_SMEM_SIZE:
        *out = (uint64_t)x->shared_bytes;
        return true;
    case AT__PTX_SPECIAL_CLUSTER_CTARANK:
        *out = (uint64_t)b->rank;
        return true;
    case AT__PTX_SPECIAL_CLUSTER_NCTARANK:
        *out = cluster_size(x);
        return true;
    case AT__PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
        *out = cluster_size(x) > 1;
        return true;
    default:
        return false;
    }
}

static bool cluster_value(uint64_t *out, const at__exec *x, int special)
{
    const at__block *b = x->block;
    for (int axis = 0; axis < 3; axis++) {
        if (special == AT__PTX_SPECIAL_CLUSTERID_X + axis)
            *out = b->at[axis] / x->cluster[axis];
        else if (special == AT__PTX_SPECIAL_NCLUSTERID_X + axis)
            *out = x->grid[axis] / x->cluster[axis];
        else if (special == AT__PTX_SPECIAL_CLUSTER_CTAID_X + axis)
            *out = b->at[axis] % x->cluster[axis];
        else if (special == AT__PTX_SPECIAL_CLUSTER_NCTAID_X + axis)
            *out = x->cluster[axis];
        else
            continue;
        return true;
    }
    return false;
}

static uint64_t lane_value(const at__exec *x, int special, int lane)
{
    const uint32_t below = (1u << lane) - 1, own = 1u << lane;
    switch ((at__ptx_special)special) {
    case AT__PTX_SPECIAL_TID_X:
    case AT__PTX_SPECIAL_TID_Y:
    case AT__PTX_SPECIAL_TID_Z:
        return x->warp->tid[special - AT__PTX_SPECIAL_TID_X][lane];
    case AT__PTX_SPECIAL_LANEID:
        return (uint64_t)lane;
    case AT__PTX_SPECIAL_LANEMASK_EQ:
        return own;
    case AT__PTX_SPECIAL_LANEMASK_LT:
        return below;
    case AT__PTX_SPECIAL_LANEMASK_LE:
        return below | own;
    case AT__PTX_SPECIAL_LANEMASK_GT:
        return ~(below | own);
    default: /* GE */
        return ~below;
    }
}

static void mov_special(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const int special = at__ptx_group(x->code->function, d->ptx, 1)->index;
    uint64_t value = 0, *to = at__group(x, d, 0);
    if (warp_value(&value, x, special) || cluster_value(&value, x, special))
        AT__EACH_LANE(mask, to[l] = value & d->keep);
    else
        AT__EACH_LANE(mask, to[l] = lane_value(x, special, l) & d->keep);
}

/* ---- spaces ---- */

static uint64_t window_of(int space)
{
    switch (space) {
    case AT__PTX_SHARED:
    case AT__PTX_SHARED_CLUSTER:
        return AT__MACHINE_SHARED_WINDOW;
    case AT__PTX_LOCAL:
        return AT__MACHINE_LOCAL_WINDOW;
    case AT__PTX_PARAM:
        return (uint64_t)AT__PARAM_WINDOW_REGION << AT__MACHINE_REGION_SHIFT;
    default:
        return 0;
    }
}

static void cvta(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const bool to_space = d->ptx->flags & AT__PTX_TO_SPACE;
    const uint64_t window = window_of(d->ptx->space), add = to_space ? 0 - window : window;
    const uint64_t frame = d->frame[0] == AT__BASE_FRAME ? (uint64_t)x->node->local : 0;
    const uint64_t bits = to_space ? UINT64_MAX : at__address_bits((at__ptx_space)d->ptx->space);
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1);
    AT__EACH_LANE(mask, to[l] = (((a[l] + frame) & bits) + add) & d->keep);
}

static bool is_in(uint64_t address, int space)
{
    const uint64_t region = address >> AT__MACHINE_REGION_SHIFT;
    return window_of(space) ? region == window_of(space) >> AT__MACHINE_REGION_SHIFT
                            : region >= AT__MACHINE_FIRST_REGION;
}

static void isspacep(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1);
    for (int l = 0; l < AT__LANES; l++)
        if (mask >> l & 1)
            *to = (*to & ~((uint64_t)1 << l)) | (uint64_t)is_in(a[l], d->ptx->space) << l;
}

/* The address of the same place in the block of another rank. */
static void mapa(at__exec *x, const at__decoded *d, uint32_t mask)
{
    const uint64_t low = ((uint64_t)1 << AT__MACHINE_RANK_SHIFT) - 1;
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1), *rank = at__group(x, d, 2);
    const uint64_t window = d->ptx->space == AT__PTX_GENERIC ? AT__MACHINE_SHARED_WINDOW : 0;
    AT__EACH_LANE(mask, to[l] = (((a[l] & low) | ((rank[l] & 31) + 1) << AT__MACHINE_RANK_SHIFT) + window) &
                                d->keep);
}

static void getctarank(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t *to = at__group(x, d, 0);
    const uint64_t *a = at__group(x, d, 1);
    AT__EACH_LANE(mask, {
        const uint64_t rank = (a[l] & UINT32_MAX) >> AT__MACHINE_RANK_SHIFT;
        to[l] = rank ? rank - 1 : (uint64_t)x->block->rank;
    });
}

/* A cache policy is a number that nobody looks at. */
static void createpolicy(at__exec *x, const at__decoded *d, uint32_t mask)
{
    uint64_t *to = at__group(x, d, 0);
    AT__EACH_LANE(mask, to[l] = 0);
}

static at__handler *select_mov(const at__ptx_instruction *i)
{
    const int bytes = at__ptx_type_bytes(i->type);
    if (i->flags || i->group_count != 2 || i->from || i->type == AT__PTX_B128)
        return NULL;
    if (i->type == AT__PTX_PRED)
        return mov_pred;
    if (i->width[0] == 1 && i->width[1] == 1)
        return mov;
    if (i->width[0] == 1 && (i->width[1] == 2 || i->width[1] == 4) && bytes >= i->width[1])
        return mov_pack;
    if (i->width[1] == 1 && (i->width[0] == 2 || i->width[0] == 4) && bytes >= i->width[0])
        return mov_unpack;
    return NULL;
}

at__handler *at__select_move(const at__ptx_instruction *i)
{
    switch (i->op) {
    case AT__PTX_MOV:
        return select_mov(i);
    case AT__PTX_CVTA:
        return i->space != AT__PTX_GENERIC && !(i->flags & ~(uint32_t)AT__PTX_TO_SPACE) ? cvta : NULL;
    case AT__PTX_ISSPACEP:
        return i->space != AT__PTX_GENERIC && !i->flags ? isspacep : NULL;
    case AT__PTX_MAPA:
        return !i->flags ? mapa : NULL;
    case AT__PTX_GETCTARANK:
        return !i->flags ? getctarank : NULL;
    case AT__PTX_CREATEPOLICY:
        return createpolicy;
    default:
        return NULL;
    }
}

at__handler *at__special_mov(int operand_kind)
{
    return operand_kind == AT__PTX_SPECIAL_OF ? mov_special
           : operand_kind == AT__PTX_VARIABLE ? mov_address
                                              : mov;
}
