/*
 * machine_int.c - whole numbers: wrapping arithmetic, in lanes of unsigned 64 bits that are cut to the type.
 */
#include "machine/machine_internal.h"

typedef __int128 s128;
typedef unsigned __int128 u128;

/* name: operands a, b, c of type T; the expression's value is cut to `as`, an unsigned type. */
#define INT_OP(name, T, as, expression) ATX_LANE_OP(name, T, (T), (uint64_t)(as)(expression))

/* Wrapping: the same for signed and unsigned numbers. */
#define WRAPPING(bits, T)                                                                                    \
    INT_OP(add_##bits, T, T, a + b)                                                                          \
    INT_OP(sub_##bits, T, T, a - b)                                                                          \
    INT_OP(mul_lo_##bits, T, T, (uint64_t)a *(uint64_t)b)                                                    \
    INT_OP(mad_lo_##bits, T, T, (uint64_t)a *(uint64_t)b + (uint64_t)c)                                      \
    INT_OP(neg_##bits, T, T, (T)0 - (uint64_t)a)

WRAPPING(16, uint16_t)
WRAPPING(32, uint32_t)
WRAPPING(64, uint64_t)

#define ORDERED(name, T, U)                                                                                  \
    INT_OP(min_##name, T, U, a < b ? a : b)                                                                  \
    INT_OP(max_##name, T, U, a > b ? a : b)                                                                  \
    INT_OP(sad_##name, T, U, (U)c + (a < b ? (U)b - (U)a : (U)a - (U)b))                                     \
    INT_OP(rem_##name, T, U, b == 0 ? a : rem_of_##name(a, b))                                               \
    INT_OP(div_##name, T, U, b == 0 ? (T)-1 : div_of_##name(a, b))

#define UNSIGNED_DIVISION(name, T)                                                                           \
    static inline T div_of_##name(T a, T b)                                                                  \
    {                                                                                                        \
        return (T)(a / b);                                                                                   \
    }                                                                                                        \
    static inline T rem_of_##name(T a, T b)                                                                  \
    {                                                                                                        \
        return (T)(a % b);                                                                                   \
    }

/* -2^31 / -1 is -2^31. */
#define SIGNED_DIVISION(name, T, U)                                                                          \
    static inline T div_of_##name(T a, T b)                                                                  \
    {                                                                                                        \
        return b == -1 ? (T)((U)0 - (U)a) : (T)(a / b);                                                      \
    }                                                                                                        \
    static inline T rem_of_##name(T a, T b)                                                                  \
    {                                                                                                        \
        return b == -1 ? (T)0 : (T)(a % b);                                                                  \
    }

UNSIGNED_DIVISION(u16, uint16_t)
UNSIGNED_DIVISION(u32, uint32_t)
UNSIGNED_DIVISION(u64, uint64_t)
SIGNED_DIVISION(s16, int16_t, uint16_t)
SIGNED_DIVISION(s32, int32_t, uint32_t)
SIGNED_DIVISION(s64, int64_t, uint64_t)
ORDERED(u16, uint16_t, uint16_t)
ORDERED(u32, uint32_t, uint32_t)
ORDERED(u64, uint64_t, uint64_t)
ORDERED(s16, int16_t, uint16_t)
ORDERED(s32, int32_t, uint32_t)
ORDERED(s64, int64_t, uint64_t)

INT_OP(mul_hi_u16, uint16_t, uint16_t, (uint32_t)a *(uint32_t)b >> 16)
INT_OP(mul_hi_s16, int16_t, uint16_t, (uint32_t)(a *b) >> 16)
INT_OP(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
INT_OP(mul_hi_s32, int32_t, uint32_t, (uint64_t)((int64_t)a *b) >> 32)
INT_OP(mul_hi_u64, uint64_t, uint64_t, (uint64_t)((u128)a *b >> 64))
INT_OP(mul_hi_s64, int64_t, uint64_t, (uint64_t)((u128)((s128)a *b) >> 64))
INT_OP(mad_hi_u32, uint32_t, uint32_t, ((uint64_t)a * b >> 32) + c)
INT_OP(mad_hi_s32, int32_t, uint32_t, ((uint64_t)((int64_t)a * b) >> 32) + (uint64_t)(int64_t)c)
INT_OP(mad_hi_u64, uint64_t, uint64_t, (uint64_t)((u128)a *b >> 64) + c)
INT_OP(mad_hi_s64, int64_t, uint64_t, (uint64_t)((u128)((s128)a *b) >> 64) + (uint64_t)c)
INT_OP(mul_wide_u16, uint16_t, uint32_t, (uint32_t)a *(uint32_t)b)
INT_OP(mul_wide_s16, int16_t, uint32_t, a *b)
INT_OP(mul_wide_u32, uint32_t, uint64_t, (uint64_t)a *b)
INT_OP(mul_wide_s32, int32_t, uint64_t, (int64_t)a *b)
INT_OP(abs_s16, int16_t, uint16_t, a < 0 ? -a : a)
INT_OP(abs_s32, int32_t, uint32_t, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
INT_OP(abs_s64, int64_t, uint64_t, a < 0 ? 0u - (uint64_t)a : (uint64_t)a)
INT_OP(mul24_u32, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff))
INT_OP(mad24_u32, uint32_t, uint32_t, (uint64_t)(a & 0xffffff) * (b & 0xffffff) + c)

static inline int64_t clamp_s32(int64_t value)
{
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}
INT_OP(add_sat_s32, int32_t, uint32_t, clamp_s32((int64_t)a + b))
INT_OP(sub_sat_s32, int32_t, uint32_t, clamp_s32((int64_t)a - b))

/* The addend is as wide as the product. */
#define MAD_WIDE(name, T, W, U)                                                                              \
    static void mad_wide_##name(atx_exec *x, const atx_decoded *d, uint32_t mask)                            \
    {                                                                                                        \
        uint64_t *to = atx_group(x, d, 0);                                                                   \
        const uint64_t *a = atx_group(x, d, 1), *b = atx_group(x, d, 2), *c = atx_group(x, d, 3);            \
        ATX_EACH_LANE(mask, to[l] = (uint64_t)(U)((uint64_t)((W)(T)a[l] * (W)(T)b[l]) + c[l]));              \
    }
MAD_WIDE(u16, uint16_t, uint32_t, uint32_t)
MAD_WIDE(s16, int16_t, int32_t, uint32_t)
MAD_WIDE(u32, uint32_t, uint64_t, uint64_t)
MAD_WIDE(s32, int32_t, int64_t, uint64_t)

/* ---- carries: one bit a lane ---- */

static void add_carry(atx_exec *x, const atx_decoded *d, uint32_t mask, bool wide, bool product)
{
    const uint32_t flags = d->ptx->flags;
    const bool subtract = d->ptx->op == ATX_PTX_SUB || d->ptx->op == ATX_PTX_SUBC;
    const bool takes = d->ptx->op == ATX_PTX_ADDC || d->ptx->op == ATX_PTX_SUBC || d->ptx->op == ATX_PTX_MADC;
    const u128 limit = wide ? (u128)1 << 64 : (u128)1 << 32;
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *A = atx_group(x, d, 1), *B = atx_group(x, d, 2), *C = atx_group(x, d, 3);
    for (int l = 0; l < ATX_LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        u128 a = wide ? A[l] : (uint32_t)A[l], b = wide ? B[l] : (uint32_t)B[l];
        if (product) {
            const bool is_signed = d->ptx->type == ATX_PTX_S32 || d->ptx->type == ATX_PTX_S64;
            const u128 p = is_signed ? (u128)((s128)(wide ? (int64_t)A[l] : (int32_t)A[l]) *
                                              (wide ? (int64_t)B[l] : (int32_t)B[l]))
                                     : a * b;
            a = (flags & ATX_PTX_HI_HALF ? p >> (wide ? 64 : 32) : p) & (limit - 1);
            b = wide ? C[l] : (uint32_t)C[l];
        }
        const uint32_t in = takes ? x->warp->carry >> l & 1 : 0;
        const u128 sum = subtract ? a - b - in : a + b + in;
        to[l] = (uint64_t)(sum & (limit - 1));
        if (flags & ATX_PTX_CC)
            x->warp->carry = (x->warp->carry & ~(1u << l)) | (uint32_t)(sum >= limit) << l;
    }
}

static void carry_32(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    add_carry(x, d, mask, false, d->ptx->op == ATX_PTX_MAD || d->ptx->op == ATX_PTX_MADC);
}

static void carry_64(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    add_carry(x, d, mask, true, d->ptx->op == ATX_PTX_MAD || d->ptx->op == ATX_PTX_MADC);
}

/* ---- two of 16 bits ---- */

static uint32_t packed_part(const atx_ptx_instruction *i, uint32_t a, uint32_t b)
{
    const bool is_signed = i->type == ATX_PTX_S16X2;
    const int32_t p = is_signed ? (int16_t)a : (uint16_t)a, q = is_signed ? (int16_t)b : (uint16_t)b;
    int32_t value = i->op == ATX_PTX_ADD ? p + q : (i->op == ATX_PTX_MIN) == (p < q) ? p : q;
    if ((i->flags & ATX_PTX_RELU) && value < 0)
        value = 0;
    return (uint16_t)value;
}

ATX_LANE_OP(packed_16x2, uint32_t, (uint32_t),
            packed_part(d->ptx, a, b) | (uint64_t)packed_part(d->ptx, a >> 16, b >> 16) << 16)

static atx_handler *select_packed(const atx_ptx_instruction *i)
{
    const bool extreme = i->op == ATX_PTX_MIN || i->op == ATX_PTX_MAX;
    const uint32_t known = extreme && i->type == ATX_PTX_S16X2 ? ATX_PTX_RELU : 0;
    return (extreme || i->op == ATX_PTX_ADD) && !(i->flags & ~known) && !i->from && !i->round ? packed_16x2
                                                                                              : NULL;
}

/* ---- choosing ---- */

#define ALL_SIZES(OP, stem, flags)                                                                           \
    { ATX_PTX_##OP, ATX_PTX_U16, flags, stem##_16 }, { ATX_PTX_##OP, ATX_PTX_S16, flags, stem##_16 },        \
        { ATX_PTX_##OP, ATX_PTX_U32, flags, stem##_32 }, { ATX_PTX_##OP, ATX_PTX_S32, flags, stem##_32 },    \
        { ATX_PTX_##OP, ATX_PTX_U64, flags, stem##_64 },                                                     \
    {                                                                                                        \
        ATX_PTX_##OP, ATX_PTX_S64, flags, stem##_64                                                          \
    }
#define ALL_TYPES(OP, stem, flags)                                                                           \
    { ATX_PTX_##OP, ATX_PTX_U16, flags, stem##_u16 }, { ATX_PTX_##OP, ATX_PTX_S16, flags, stem##_s16 },      \
        { ATX_PTX_##OP, ATX_PTX_U32, flags, stem##_u32 }, { ATX_PTX_##OP, ATX_PTX_S32, flags, stem##_s32 },  \
        { ATX_PTX_##OP, ATX_PTX_U64, flags, stem##_u64 },                                                    \
    {                                                                                                        \
        ATX_PTX_##OP, ATX_PTX_S64, flags, stem##_s64                                                         \
    }

static const atx_choice CHOICES[] = {
    ALL_SIZES(ADD, add, 0),
    ALL_SIZES(SUB, sub, 0),
    ALL_SIZES(MUL, mul_lo, ATX_PTX_LO_HALF),
    ALL_SIZES(MAD, mad_lo, ATX_PTX_LO_HALF),
    ALL_SIZES(NEG, neg, 0),
    ALL_TYPES(MIN, min, 0),
    ALL_TYPES(MAX, max, 0),
    ALL_TYPES(SAD, sad, 0),
    ALL_TYPES(DIV, div, 0),
    ALL_TYPES(REM, rem, 0),
    ALL_TYPES(MUL, mul_hi, ATX_PTX_HI_HALF),
    { ATX_PTX_MAD, ATX_PTX_U32, ATX_PTX_HI_HALF, mad_hi_u32 },
    { ATX_PTX_MAD, ATX_PTX_S32, ATX_PTX_HI_HALF, mad_hi_s32 },
    { ATX_PTX_MAD, ATX_PTX_U64, ATX_PTX_HI_HALF, mad_hi_u64 },
    { ATX_PTX_MAD, ATX_PTX_S64, ATX_PTX_HI_HALF, mad_hi_s64 },
    { ATX_PTX_MUL, ATX_PTX_U16, ATX_PTX_WIDE, mul_wide_u16 },
    { ATX_PTX_MUL, ATX_PTX_S16, ATX_PTX_WIDE, mul_wide_s16 },
    { ATX_PTX_MUL, ATX_PTX_U32, ATX_PTX_WIDE, mul_wide_u32 },
    { ATX_PTX_MUL, ATX_PTX_S32, ATX_PTX_WIDE, mul_wide_s32 },
    { ATX_PTX_MAD, ATX_PTX_U16, ATX_PTX_WIDE, mad_wide_u16 },
    { ATX_PTX_MAD, ATX_PTX_S16, ATX_PTX_WIDE, mad_wide_s16 },
    { ATX_PTX_MAD, ATX_PTX_U32, ATX_PTX_WIDE, mad_wide_u32 },
    { ATX_PTX_MAD, ATX_PTX_S32, ATX_PTX_WIDE, mad_wide_s32 },
    { ATX_PTX_ABS, ATX_PTX_S16, 0, abs_s16 },
    { ATX_PTX_ABS, ATX_PTX_S32, 0, abs_s32 },
    { ATX_PTX_ABS, ATX_PTX_S64, 0, abs_s64 },
    { ATX_PTX_ADD, ATX_PTX_S32, ATX_PTX_SAT, add_sat_s32 },
    { ATX_PTX_SUB, ATX_PTX_S32, ATX_PTX_SAT, sub_sat_s32 },
    { ATX_PTX_MUL24, ATX_PTX_U32, ATX_PTX_LO_HALF, mul24_u32 },
    { ATX_PTX_MAD24, ATX_PTX_U32, ATX_PTX_LO_HALF, mad24_u32 },
};

static atx_handler *select_carry(const atx_ptx_instruction *i)
{
    const bool small = i->type == ATX_PTX_U32 || i->type == ATX_PTX_S32 || i->type == ATX_PTX_B32;
    const bool large = i->type == ATX_PTX_U64 || i->type == ATX_PTX_S64 || i->type == ATX_PTX_B64;
    const uint32_t halves = i->flags & (ATX_PTX_LO_HALF | ATX_PTX_HI_HALF);
    const bool product = i->op == ATX_PTX_MAD || i->op == ATX_PTX_MADC;
    if ((i->flags & ~(uint32_t)(ATX_PTX_CC | ATX_PTX_LO_HALF | ATX_PTX_HI_HALF)) ||
        product != (halves != 0) || i->group_count != (product ? 4 : 3))
        return NULL;
    return small ? carry_32 : large ? carry_64 : NULL;
}

atx_handler *atx_select_int(const atx_ptx_instruction *i)
{
    const bool in_chain = i->op == ATX_PTX_ADDC || i->op == ATX_PTX_SUBC || i->op == ATX_PTX_MADC;
    const bool starts =
        (i->flags & ATX_PTX_CC) && (i->op == ATX_PTX_ADD || i->op == ATX_PTX_SUB || i->op == ATX_PTX_MAD);
    if (in_chain || starts)
        return select_carry(i);
    if (i->type == ATX_PTX_U16X2 || i->type == ATX_PTX_S16X2)
        return select_packed(i);
    return i->round || i->from ? NULL : atx_choose(i, CHOICES, sizeof CHOICES / sizeof *CHOICES);
}
