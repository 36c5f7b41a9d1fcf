/*
 * machine_convert.c - cvt. A value is read in its own type, rounded or cut, and written in the new one;
 * results that are narrower than their register are extended as their type requires.
 */
#include "machine/machine_round.h"
#include "machine/machine_internal.h"

#include <math.h>

typedef __int128 s128;

static bool is_integer(int type)
{
    return type >= ATX_PTX_U8 && type <= ATX_PTX_S64;
}

static bool is_signed(int type)
{
    return type >= ATX_PTX_S8 && type <= ATX_PTX_S64;
}

/* A register's bits as a whole number. */
static s128 integer_of(uint64_t bits, int type)
{
    const int unused = 64 - 8 * atx_ptx_type_bytes(type);
    return is_signed(type) ? (s128)((int64_t)(bits << unused) >> unused) : (s128)(bits << unused >> unused);
}

static s128 lowest(int type)
{
    return is_signed(type) ? -((s128)1 << (8 * atx_ptx_type_bytes(type) - 1)) : 0;
}

static s128 highest(int type)
{
    return ((s128)1 << (8 * atx_ptx_type_bytes(type) - is_signed(type))) - 1;
}

static uint64_t integer_bits(s128 value, int type)
{
    return (uint64_t)integer_of((uint64_t)value, type);
}

static uint64_t clamped(s128 value, int type)
{
    return (uint64_t)(value < lowest(type) ? lowest(type) : value > highest(type) ? highest(type) : value);
}

/* ---- numbers with a point ---- */

static double number_of(uint64_t bits, int type, bool flush)
{
    if (type == ATX_PTX_F64)
        return atx_f64(bits);
    if (type == ATX_PTX_F32)
        return atx_f32(atx_flush_f32(bits, flush));
    return atx_widen((uint32_t)bits & 0xffff, type);
}

static uint64_t number_bits(double value, const atx_ptx_instruction *i)
{
    const bool finite = i->flags & ATX_PTX_SAT && i->type != ATX_PTX_F16;
    const int round = i->round >= ATX_PTX_RNI ? ATX_PTX_RN : i->round;
    if (i->type == ATX_PTX_F64)
        return atx_bits_f64(value);
    if (i->type != ATX_PTX_F32)
        return atx_round_to(value, 0, i->type, round, finite);
    const float narrow = round == ATX_PTX_RN || !round ? (float)value : atx_narrow(value, round);
    const uint64_t bits = isnan(narrow) ? 0x7fffffff : atx_bits_f32(narrow);
    return atx_flush_f32(bits, i->flags & ATX_PTX_FTZ);
}

static double to_whole(double value, int round)
{
    switch (round) {
    case ATX_PTX_RNI:
        return nearbyint(value);
    case ATX_PTX_RZI:
        return trunc(value);
    case ATX_PTX_RMI:
        return floor(value);
    case ATX_PTX_RPI:
        return ceil(value);
    default:
        return value;
    }
}

/* Beyond the type's range it is the end of that; no number is 0, or the sign alone in 64 bits, and in 32 from
 * f64. */
static uint64_t integer_from(double value, const atx_ptx_instruction *i)
{
    const int type = i->type;
    if (isnan(value))
        return atx_ptx_type_bytes(type) == 8                             ? (uint64_t)1 << 63
               : atx_ptx_type_bytes(type) == 4 && i->from == ATX_PTX_F64 ? (uint64_t)1 << 31
                                                                         : 0;
    value = to_whole(value, i->round);
    if (value <= (double)lowest(type))
        return (uint64_t)lowest(type);
    if (value >= (double)highest(type))
        return (uint64_t)highest(type);
    return (uint64_t)(s128)value;
}

static uint64_t number_from(s128 value, const atx_ptx_instruction *i)
{
    const bool sign = value < 0;
    if (i->type == ATX_PTX_F64)
        return atx_bits_f64(sign ? atx_s64_to_f64((int64_t)value, i->round)
                                 : atx_u64_to_f64((uint64_t)value, i->round));
    if (i->type == ATX_PTX_F32)
        return atx_bits_f32(sign ? atx_s64_to_f32((int64_t)value, i->round)
                                 : atx_u64_to_f32((uint64_t)value, i->round));
    double rest = 0;
    const s128 low = value & 0x7ff;
    const double sum = atx_two_sum(&rest, (double)(value - low), (double)low);
    return atx_round_to(sum, rest, i->type, i->round, false);
}

static double limited(double value, const atx_ptx_instruction *i)
{
    const bool unit = i->flags & ATX_PTX_SAT &&
                      (i->type == ATX_PTX_F32 || i->type == ATX_PTX_F64 || i->type == ATX_PTX_F16);
    if (i->flags & ATX_PTX_RELU)
        value = isnan(value) ? value : value > 0 ? value : 0;
    if (unit)
        value = value > 0 ? (value < 1 ? value : 1) : 0;
    return value;
}

static uint64_t convert(const atx_ptx_instruction *i, uint64_t from)
{
    if (is_integer(i->from)) {
        const s128 value = integer_of(from, i->from);
        if (!is_integer(i->type))
            return number_from(value, i);
        return i->flags & ATX_PTX_SAT ? clamped(value, i->type) : integer_bits(value, i->type);
    }
    const double value = number_of(from, i->from, i->flags & ATX_PTX_FTZ);
    if (is_integer(i->type))
        return integer_from(value, i);
    if (i->type == ATX_PTX_TF32 && i->round == ATX_PTX_RNA && isnan(value))
        return from & 0xffffe000; /* an H200 cuts them off, even where infinity is left */
    return number_bits(limited(to_whole(value, i->round), i), i);
}

#define CVT(name, expression) ATX_LANE_OP(name, uint64_t, (uint64_t), (uint64_t)(expression)&d->keep)

CVT(cvt, convert(d->ptx, a))

/* The usual ones, without a choice in each lane. */
CVT(cvt_from_u8, (uint8_t)a)
CVT(cvt_from_u16, (uint16_t)a)
CVT(cvt_from_u32, (uint32_t)a)
CVT(cvt_s64_s32, (int64_t)(int32_t)a)
CVT(cvt_f64_f32, atx_bits_f64((double)atx_f32(a)))
CVT(cvt_f32_s32, atx_bits_f32((float)(int32_t)a))

/* Two numbers into one register: the first operand is the upper. */
static uint64_t pair(const atx_ptx_instruction *i, float upper, float lower)
{
    const bool small = i->type == ATX_PTX_E4M3X2 || i->type == ATX_PTX_E5M2X2,
               finite = i->flags & ATX_PTX_SAT;
    const int element = small ? i->type : i->type == ATX_PTX_F16X2 ? ATX_PTX_F16 : ATX_PTX_BF16;
    return atx_round_to(limited(lower, i), 0, element, i->round, finite) |
           (uint64_t)atx_round_to(limited(upper, i), 0, element, i->round, finite) << (small ? 8 : 16);
}
ATX_LANE_OP(cvt_pair, float, atx_f32, pair(d->ptx, a, b))

/* Both numbers of a register become the two of another. */
static void cvt_both(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_instruction *i = d->ptx;
    const bool widens = i->type == ATX_PTX_F16X2;
    const int to_type = widens ? ATX_PTX_F16 : i->type, from_type = widens ? i->from : ATX_PTX_F16;
    const int to_shift = widens ? 16 : 8, from_shift = widens ? 8 : 16;
    const uint32_t part = widens ? 0xff : 0xffff;
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1);
    ATX_EACH_LANE(mask, {
        const double low = limited(atx_widen((uint32_t)a[l] & part, from_type), i);
        const double high = limited(atx_widen((uint32_t)(a[l] >> from_shift) & part, from_type), i);
        to[l] = atx_round_to(low, 0, to_type, i->round, !widens) |
                (uint64_t)atx_round_to(high, 0, to_type, i->round, !widens) << to_shift;
    });
}

/* ---- choosing ---- */

static bool is_scalar_number(int type)
{
    return type == ATX_PTX_F16 || type == ATX_PTX_BF16 || type == ATX_PTX_F32 || type == ATX_PTX_F64;
}

static atx_handler *select_plain(const atx_ptx_instruction *i)
{
    const int to = i->type, from = i->from;
    const bool widens = is_integer(to) && atx_ptx_type_bytes(to) >= atx_ptx_type_bytes(from);
    if (i->flags)
        return NULL;
    if (widens && from == ATX_PTX_U8)
        return cvt_from_u8;
    if (widens && from == ATX_PTX_U16 && !is_signed(to))
        return cvt_from_u16;
    if (to == ATX_PTX_U32 && (from == ATX_PTX_U64 || from == ATX_PTX_S64))
        return cvt_from_u32;
    if (from == ATX_PTX_U32 && (to == ATX_PTX_U64 || to == ATX_PTX_S64))
        return cvt_from_u32;
    if (from == ATX_PTX_S32 && to == ATX_PTX_S64)
        return cvt_s64_s32;
    if (from == ATX_PTX_F32 && to == ATX_PTX_F64 && !i->round)
        return cvt_f64_f32;
    return from == ATX_PTX_S32 && to == ATX_PTX_F32 && i->round == ATX_PTX_RN ? cvt_f32_s32 : NULL;
}

atx_handler *atx_select_convert(const atx_ptx_instruction *i)
{
    const uint32_t known = ATX_PTX_FTZ | ATX_PTX_SAT | ATX_PTX_RELU;
    const bool to_small = i->type == ATX_PTX_E4M3X2 || i->type == ATX_PTX_E5M2X2;
    const bool from_small = i->from == ATX_PTX_E4M3X2 || i->from == ATX_PTX_E5M2X2;
    if (i->op != ATX_PTX_CVT || (i->flags & ~known) || i->more_types[0] || i->round == ATX_PTX_RS)
        return NULL;
    if (i->group_count == 3 && i->from == ATX_PTX_F32 &&
        (i->type == ATX_PTX_F16X2 || i->type == ATX_PTX_BF16X2 || to_small))
        return cvt_pair;
    if (i->group_count != 2)
        return NULL;
    if ((i->type == ATX_PTX_F16X2 && from_small) || (to_small && i->from == ATX_PTX_F16X2))
        return cvt_both;
    if (i->type == ATX_PTX_TF32 && i->from == ATX_PTX_F32)
        return cvt;
    const bool known_from = is_integer(i->from) || is_scalar_number(i->from);
    const bool known_to = is_integer(i->type) || is_scalar_number(i->type);
    if (!known_from || !known_to)
        return NULL;
    atx_handler *plain = select_plain(i);
    return plain ? plain : cvt;
}
