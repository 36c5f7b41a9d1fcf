/*
 * machine_atomic.c - atom and red: lanes one after the other, from the lowest, as one of the orders that the
 * hardware may take.
 */
#include "machine/machine_round.h"
#include "machine/machine_internal.h"

#include <math.h>

static uint64_t integer_result(const atx_ptx_instruction *i, uint64_t old, uint64_t b)
{
    const bool wide = atx_ptx_type_bytes(i->type) == 8,
               is_signed = i->type == ATX_PTX_S32 || i->type == ATX_PTX_S64;
    const int64_t p = wide ? (int64_t)old : is_signed ? (int32_t)old : (int64_t)(uint32_t)old;
    const int64_t q = wide ? (int64_t)b : is_signed ? (int32_t)b : (int64_t)(uint32_t)b;
    const bool less = wide && !is_signed ? (uint64_t)p < (uint64_t)q : p < q;
    switch (i->action) {
    case ATX_PTX_DO_ADD:
        return old + b;
    case ATX_PTX_DO_AND:
        return old & b;
    case ATX_PTX_DO_OR:
        return old | b;
    case ATX_PTX_DO_XOR:
        return old ^ b;
    case ATX_PTX_DO_EXCH:
        return b;
    case ATX_PTX_DO_MIN:
        return less ? old : b;
    case ATX_PTX_DO_MAX:
        return less ? b : old;
    case ATX_PTX_DO_INC:
        return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    default: /* DEC */
        return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)b ? b : old - 1;
    }
}

static uint64_t half_sum(uint64_t a, uint64_t b, int type)
{
    const double sum = atx_widen((uint32_t)a & 0xffff, type) + atx_widen((uint32_t)b & 0xffff, type);
    return atx_round_to(sum, 0, type, ATX_PTX_RN, false);
}

/* Sums of f32 in global memory make zeroes of subnormals, as the ISA says of atom.add.f32. */
static uint64_t float_sum(const atx_ptx_instruction *i, atx_ptx_space space, uint64_t old, uint64_t b)
{
    switch (i->type) {
    case ATX_PTX_F32: {
        const bool flush = space == ATX_PTX_GLOBAL;
        const float sum = atx_f32(atx_flush_f32(old, flush)) + atx_f32(atx_flush_f32(b, flush));
        return isnan(sum) ? 0x7fffffff : atx_flush_f32(atx_bits_f32(sum), flush);
    }
    case ATX_PTX_F64:
        return atx_result_f64(atx_f64(old) + atx_f64(b), atx_f64(old), atx_f64(b), 0);
    case ATX_PTX_F16X2:
        return half_sum(old, b, ATX_PTX_F16) | half_sum(old >> 16, b >> 16, ATX_PTX_F16) << 16;
    case ATX_PTX_BF16X2:
        return half_sum(old, b, ATX_PTX_BF16) | half_sum(old >> 16, b >> 16, ATX_PTX_BF16) << 16;
    default:
        return half_sum(old, b, i->type);
    }
}

static bool is_float(int type)
{
    return type == ATX_PTX_F16 || type == ATX_PTX_F16X2 || type == ATX_PTX_BF16 || type == ATX_PTX_BF16X2 ||
           type == ATX_PTX_F32 || type == ATX_PTX_F64;
}

/* Values stand in groups from `first`, each element of a vector in its own register. */
static void change(atx_exec *x, const atx_decoded *d, uint32_t mask, int address_group, int first)
{
    const atx_ptx_instruction *i = d->ptx;
    const int bytes = d->bytes, count = i->vector;
    atx_request r = { .kind = i->op == ATX_PTX_RED ? ATX_ACCESS_REDUCTION : ATX_ACCESS_ATOMIC,
                      .space = (atx_ptx_space)i->space,
                      .bytes = bytes * count,
                      .element_bytes = bytes };
    atx_addresses(&r, x, d, 0, address_group, mask);
    if (!atx_reach(x, &r))
        return;
    for (int l = 0; l < ATX_LANES; l++)
        for (int k = 0; k < count && (mask >> l & 1); k++) {
            unsigned char *at = r.at[l] + k * bytes;
            const uint64_t b = atx_lanes(x, d->ref[d->at[first] + k])[l];
            uint64_t old = 0, value;
            memcpy(&old, at, (size_t)bytes);
            const uint64_t all = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
            if (i->action == ATX_PTX_DO_CAS)
                value = old == (b & all) ? atx_group(x, d, first + 1)[l] : old;
            else if (is_float(i->type) && i->action == ATX_PTX_DO_ADD)
                value = float_sum(i, r.space, old, b);
            else
                value = integer_result(i, old, b);
            memcpy(at, &value, (size_t)bytes);
            if (i->op == ATX_PTX_ATOM)
                atx_lanes(x, d->ref[d->at[0] + k])[l] = old;
        }
}

static void atom(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    change(x, d, mask, 1, 2);
}

static void red(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    change(x, d, mask, 0, 1);
}

static bool is_known(const atx_ptx_instruction *i)
{
    const int bytes = atx_ptx_type_bytes(i->type);
    const bool whole =
        i->type == ATX_PTX_U32 || i->type == ATX_PTX_S32 || i->type == ATX_PTX_U64 || i->type == ATX_PTX_S64;
    const bool bits = i->type == ATX_PTX_B32 || i->type == ATX_PTX_B64 || i->type == ATX_PTX_B16;
    if (i->from || i->vector * bytes > 16)
        return false;
    switch (i->action) {
    case ATX_PTX_DO_ADD:
        return whole || is_float(i->type);
    case ATX_PTX_DO_MIN:
    case ATX_PTX_DO_MAX:
        return whole && i->vector == 1;
    case ATX_PTX_DO_INC:
    case ATX_PTX_DO_DEC:
        return i->type == ATX_PTX_U32 && i->vector == 1;
    case ATX_PTX_DO_AND:
    case ATX_PTX_DO_OR:
    case ATX_PTX_DO_XOR:
        return bits && bytes >= 4 && i->vector == 1;
    case ATX_PTX_DO_EXCH:
    case ATX_PTX_DO_CAS:
        return bits && i->vector == 1;
    default:
        return false;
    }
}

atx_handler *atx_select_atomic(const atx_ptx_instruction *i)
{
    const bool is_atom = i->op == ATX_PTX_ATOM;
    if ((!is_atom && i->op != ATX_PTX_RED) || !is_known(i) || (i->flags & ~(uint32_t)ATX_PTX_HINTED))
        return NULL;
    const int values = i->action == ATX_PTX_DO_CAS ? 2 : 1;
    const int groups = is_atom + 1 + values + ((i->flags & ATX_PTX_HINTED) != 0);
    if (i->group_count != groups || i->width[is_atom + 1] != i->vector ||
        (is_atom && i->width[0] != i->vector))
        return NULL;
    return is_atom ? atom : red;
}
