/*
 * machine_logic.c - bits: logic, shifts, fields, permutations, small dot products; and predicates, which are
 * masks.
 */
#include "machine/machine_internal.h"

#define BIT_OP(name, expression) ATX_LANE_OP(name, uint64_t, (uint64_t), (expression)&d->keep)

/* The whole mask at once; other lanes keep their bit. */
#define PREDICATE_OP(name, expression)                                                                       \
    static void name(atx_exec *x, const atx_decoded *d, uint32_t mask)                                       \
    {                                                                                                        \
        uint64_t *to = atx_group(x, d, 0);                                                                   \
        const uint64_t a = *atx_group(x, d, 1), b = *atx_group(x, d, 2);                                     \
        (void)b;                                                                                             \
        atx_put_predicate(to, mask, expression);                                                             \
    }

BIT_OP(and_bits, a &b)
BIT_OP(or_bits, a | b)
BIT_OP(xor_bits, a ^ b)
BIT_OP(not_bits, ~a)
PREDICATE_OP(and_pred, a &b)
PREDICATE_OP(or_pred, a | b)
PREDICATE_OP(xor_pred, a ^ b)
PREDICATE_OP(not_pred, ~a)
BIT_OP(cnot_16, (uint16_t)a == 0)
BIT_OP(cnot_32, (uint32_t)a == 0)
BIT_OP(cnot_64, a == 0)

/* Shifts by the width and more give zeroes, or the sign. */
BIT_OP(shl_16, (uint32_t)b > 15 ? 0 : (uint64_t)(uint16_t)a << (b & 15))
BIT_OP(shl_32, (uint32_t)b > 31 ? 0 : (uint64_t)(uint32_t)a << (b & 31))
BIT_OP(shl_64, (uint32_t)b > 63 ? 0 : a << (b & 63))
BIT_OP(shr_u16, (uint32_t)b > 15 ? 0 : (uint64_t)(uint16_t)a >> (b & 15))
BIT_OP(shr_u32, (uint32_t)b > 31 ? 0 : (uint64_t)(uint32_t)a >> (b & 31))
BIT_OP(shr_u64, (uint32_t)b > 63 ? 0 : a >> (b & 63))
BIT_OP(shr_s16, (uint16_t)((int16_t)a >> ((uint32_t)b > 15 ? 15 : (b & 15))))
BIT_OP(shr_s32, (uint32_t)((int32_t)a >> ((uint32_t)b > 31 ? 31 : (b & 31))))
BIT_OP(shr_s64, (uint64_t)((int64_t)a >> ((uint32_t)b > 63 ? 63 : (b & 63))))

static inline uint32_t funnel(uint64_t low, uint64_t high, uint32_t by, bool left, bool clamp)
{
    const uint64_t both = high << 32 | (uint32_t)low;
    const uint32_t n = clamp ? (by > 32 ? 32 : by) : (by & 31);
    return left ? (uint32_t)(both << n >> 32) : (uint32_t)(both >> n);
}
BIT_OP(shf_l_wrap, funnel(a, b, (uint32_t)c, true, false))
BIT_OP(shf_l_clamp, funnel(a, b, (uint32_t)c, true, true))
BIT_OP(shf_r_wrap, funnel(a, b, (uint32_t)c, false, false))
BIT_OP(shf_r_clamp, funnel(a, b, (uint32_t)c, false, true))

/* ---- counting ---- */

BIT_OP(popc_32, (uint64_t)__builtin_popcount((uint32_t)a))
BIT_OP(popc_64, (uint64_t)__builtin_popcountll(a))
BIT_OP(clz_32, (uint32_t)a ? (uint64_t)__builtin_clz((uint32_t)a) : 32)
BIT_OP(clz_64, a ? (uint64_t)__builtin_clzll(a) : 64)

static uint64_t reverse(uint64_t value, int bits)
{
    uint64_t out = 0;
    for (int i = 0; i < bits; i++)
        out |= (value >> i & 1) << (bits - 1 - i);
    return out;
}
BIT_OP(brev_32, reverse(a, 32))
BIT_OP(brev_64, reverse(a, 64))

/* The place of the highest bit that differs from the sign; -1: there is none. */
static uint32_t highest(uint64_t value, int bits, bool is_signed, bool as_shift)
{
    const uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    value &= all;
    if (is_signed && value >> (bits - 1))
        value = ~value & all;
    if (value == 0)
        return UINT32_MAX;
    const int place = 63 - __builtin_clzll(value);
    return (uint32_t)(as_shift ? bits - 1 - place : place);
}
#define BFIND(stem, bits, is_signed)                                                                         \
    BIT_OP(bfind_##stem, highest(a, bits, is_signed, false))                                                 \
    BIT_OP(bfind_shift_##stem, highest(a, bits, is_signed, true))
BFIND(u32, 32, false)
BFIND(s32, 32, true)
BFIND(u64, 64, false)
BFIND(s64, 64, true)

/* ---- fields ---- */

static uint64_t extract(uint64_t value, uint32_t from, uint32_t len, int bits, bool is_signed)
{
    const uint32_t last = (uint32_t)bits - 1;
    from &= 255;
    len &= 255;
    const uint32_t top = from + len == 0 ? 0 : from + len - 1;
    const uint64_t sign =
        is_signed && len > 0 && (from <= last || len > 0) ? value >> (top < last ? top : last) & 1 : 0;
    uint64_t out = 0;
    for (uint32_t i = 0; i <= last; i++)
        out |= (i < len && from + i <= last ? value >> (from + i) & 1 : sign) << i;
    return out;
}
BIT_OP(bfe_u32, extract((uint32_t)a, (uint32_t)b, (uint32_t)c, 32, false))
BIT_OP(bfe_s32, extract((uint32_t)a, (uint32_t)b, (uint32_t)c, 32, true))
BIT_OP(bfe_u64, extract(a, (uint32_t)b, (uint32_t)c, 64, false))
BIT_OP(bfe_s64, extract(a, (uint32_t)b, (uint32_t)c, 64, true))

static uint64_t insert(uint64_t field, uint64_t into, uint32_t from, uint32_t len, uint32_t bits)
{
    from &= 255;
    len &= 255;
    if (len == 0 || from >= bits)
        return into;
    const uint64_t ones = len >= 64 ? UINT64_MAX : ((uint64_t)1 << len) - 1;
    return (into & ~(ones << from)) | (field & ones) << from;
}

#define BFI(bits)                                                                                            \
    static void bfi_##bits(atx_exec *x, const atx_decoded *d, uint32_t mask)                                 \
    {                                                                                                        \
        uint64_t *to = atx_group(x, d, 0);                                                                   \
        const uint64_t *a = atx_group(x, d, 1), *b = atx_group(x, d, 2), *c = atx_group(x, d, 3),            \
                       *n = atx_group(x, d, 4);                                                              \
        ATX_EACH_LANE(mask, to[l] = insert(a[l], b[l], (uint32_t)c[l], (uint32_t)n[l], bits) & d->keep);     \
    }
BFI(32)
BFI(64)

static uint64_t ones_at(uint32_t from, uint32_t len)
{
    return (uint32_t)insert(UINT64_MAX, 0, from > 255 ? 255 : from, len > 255 ? 255 : len, 32);
}
BIT_OP(bmsk_wrap, ones_at((uint32_t)a & 31, (uint32_t)b & 31))
BIT_OP(bmsk_clamp, ones_at((uint32_t)a, (uint32_t)b))

static uint32_t table_of(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t out = 0;
    for (uint32_t k = 0; k < 8; k++)
        if (table >> k & 1)
            out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return out;
}

BIT_OP(lop3_b32, table_of((uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)*atx_group(x, d, 4)))

/* ---- bytes ---- */

/* A byte of eight, or its sign alone where the selector's high bit says so. */
static uint32_t pick_byte(uint64_t bytes, uint32_t selector)
{
    const uint32_t byte = (uint32_t)(bytes >> 8 * (selector & 7)) & 255;
    return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector, int form)
{
    static const uint16_t FIXED[][4] = {
        [ATX_PTX_PRMT_F4E - ATX_PTX_PRMT_F4E] = { 0x3210, 0x4321, 0x5432, 0x6543 },
        [ATX_PTX_PRMT_B4E - ATX_PTX_PRMT_F4E] = { 0x5670, 0x6701, 0x7012, 0x0123 },
        [ATX_PTX_PRMT_RC8 - ATX_PTX_PRMT_F4E] = { 0x0000, 0x1111, 0x2222, 0x3333 },
        [ATX_PTX_PRMT_ECL - ATX_PTX_PRMT_F4E] = { 0x3210, 0x3211, 0x3222, 0x3333 },
        [ATX_PTX_PRMT_ECR - ATX_PTX_PRMT_F4E] = { 0x0000, 0x1110, 0x2210, 0x3210 },
        [ATX_PTX_PRMT_RC16 - ATX_PTX_PRMT_F4E] = { 0x1010, 0x3232, 0x1010, 0x3232 },
    };
    const uint64_t bytes = (uint64_t)b << 32 | a;
    const uint32_t s = form ? FIXED[form - ATX_PTX_PRMT_F4E][selector & 3] : selector;
    uint32_t out = 0;
    for (uint32_t k = 0; k < 4; k++)
        out |= pick_byte(bytes, s >> 4 * k & 15) << 8 * k;
    return out;
}
BIT_OP(prmt_b32, permute((uint32_t)a, (uint32_t)b, (uint32_t)c, d->ptx->form))

static uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t c, const atx_ptx_instruction *i)
{
    const bool a_signed = i->type == ATX_PTX_S32, b_signed = i->from == ATX_PTX_S32;
    for (int k = 0; k < 32; k += 8) {
        const int32_t p = a_signed ? (int8_t)(a >> k) : (uint8_t)(a >> k);
        const int32_t q = b_signed ? (int8_t)(b >> k) : (uint8_t)(b >> k);
        c += (uint32_t)(p * q);
    }
    return c;
}

BIT_OP(dp4a, dot_bytes((uint32_t)a, (uint32_t)b, (uint32_t)c, d->ptx))

static uint32_t dot_halves(uint32_t a, uint32_t b, uint32_t c, const atx_ptx_instruction *i)
{
    const bool a_signed = i->type == ATX_PTX_S32, b_signed = i->from == ATX_PTX_S32;
    b >>= i->flags & ATX_PTX_HI_HALF ? 16 : 0;
    for (int k = 0; k < 2; k++) {
        const int32_t p = a_signed ? (int16_t)(a >> 16 * k) : (uint16_t)(a >> 16 * k);
        const int32_t q = b_signed ? (int8_t)(b >> 8 * k) : (uint8_t)(b >> 8 * k);
        c += (uint32_t)(p * q);
    }
    return c;
}

BIT_OP(dp2a, dot_halves((uint32_t)a, (uint32_t)b, (uint32_t)c, d->ptx))

/* ---- differences within a word, and set bits ---- */

static int64_t field(uint64_t word, int k, int bits, bool with_sign)
{
    const int64_t value = (int64_t)(word >> k * bits & (((uint64_t)1 << bits) - 1));
    return with_sign && value >> (bits - 1) ? value - ((int64_t)1 << bits) : value;
}

/* |a - b| of each byte or half, or c plus the sum of all. */
static uint64_t differences(uint64_t a, uint64_t b, uint64_t c, const atx_ptx_instruction *i)
{
    const int count = i->op == ATX_PTX_VABSDIFF4 ? 4 : 2, bits = 32 / count;
    const bool s = i->from == ATX_PTX_S32, t = i->more_types[0] == ATX_PTX_S32;
    uint64_t fields = 0, sum = c;
    for (int k = 0; k < count; k++) {
        const int64_t difference = field(a, k, bits, s) - field(b, k, bits, t);
        const uint64_t size = (uint64_t)(difference < 0 ? -difference : difference);
        fields |= (size & (((uint64_t)1 << bits) - 1)) << k * bits;
        sum += size;
    }
    return i->action ? (uint32_t)sum : fields;
}
BIT_OP(vabsdiff, differences(a, b, c, d->ptx))

/* The bit of the |offset|-th set one from `base`, upwards or downwards; all ones: there is none. */
static uint32_t find_nth(uint32_t word, uint32_t base, int32_t offset)
{
    int32_t left = offset < 0 ? -(offset + 1) : offset - 1;
    if (offset == 0)
        return base < 32 && word >> base & 1 ? base : UINT32_MAX;
    for (int64_t at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
        if ((word >> at & 1) && left-- == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}
BIT_OP(fns, find_nth((uint32_t)a, (uint32_t)b, (int32_t)c))

/* ---- choosing ---- */

#define BITS(OP, run_16, run_32, run_64)                                                                     \
    { ATX_PTX_##OP, ATX_PTX_B16, 0, run_16 }, { ATX_PTX_##OP, ATX_PTX_B32, 0, run_32 },                      \
    {                                                                                                        \
        ATX_PTX_##OP, ATX_PTX_B64, 0, run_64                                                                 \
    }

static const atx_choice CHOICES[] = {
    BITS(AND, and_bits, and_bits, and_bits),
    BITS(OR, or_bits, or_bits, or_bits),
    BITS(XOR, xor_bits, xor_bits, xor_bits),
    BITS(NOT, not_bits, not_bits, not_bits),
    BITS(CNOT, cnot_16, cnot_32, cnot_64),
    BITS(SHL, shl_16, shl_32, shl_64),
    BITS(SHR, shr_u16, shr_u32, shr_u64),
    { ATX_PTX_AND, ATX_PTX_PRED, 0, and_pred },
    { ATX_PTX_OR, ATX_PTX_PRED, 0, or_pred },
    { ATX_PTX_XOR, ATX_PTX_PRED, 0, xor_pred },
    { ATX_PTX_NOT, ATX_PTX_PRED, 0, not_pred },
    { ATX_PTX_SHR, ATX_PTX_U16, 0, shr_u16 },
    { ATX_PTX_SHR, ATX_PTX_U32, 0, shr_u32 },
    { ATX_PTX_SHR, ATX_PTX_U64, 0, shr_u64 },
    { ATX_PTX_SHR, ATX_PTX_S16, 0, shr_s16 },
    { ATX_PTX_SHR, ATX_PTX_S32, 0, shr_s32 },
    { ATX_PTX_SHR, ATX_PTX_S64, 0, shr_s64 },
    { ATX_PTX_SHF, ATX_PTX_B32, ATX_PTX_LEFT | ATX_PTX_WRAP, shf_l_wrap },
    { ATX_PTX_SHF, ATX_PTX_B32, ATX_PTX_LEFT | ATX_PTX_CLAMP, shf_l_clamp },
    { ATX_PTX_SHF, ATX_PTX_B32, ATX_PTX_WRAP, shf_r_wrap },
    { ATX_PTX_SHF, ATX_PTX_B32, ATX_PTX_CLAMP, shf_r_clamp },
    { ATX_PTX_POPC, ATX_PTX_B32, 0, popc_32 },
    { ATX_PTX_POPC, ATX_PTX_B64, 0, popc_64 },
    { ATX_PTX_CLZ, ATX_PTX_B32, 0, clz_32 },
    { ATX_PTX_CLZ, ATX_PTX_B64, 0, clz_64 },
    { ATX_PTX_BREV, ATX_PTX_B32, 0, brev_32 },
    { ATX_PTX_BREV, ATX_PTX_B64, 0, brev_64 },
    { ATX_PTX_BFIND, ATX_PTX_U32, 0, bfind_u32 },
    { ATX_PTX_BFIND, ATX_PTX_S32, 0, bfind_s32 },
    { ATX_PTX_BFIND, ATX_PTX_U64, 0, bfind_u64 },
    { ATX_PTX_BFIND, ATX_PTX_S64, 0, bfind_s64 },
    { ATX_PTX_BFIND, ATX_PTX_U32, ATX_PTX_SHIFT_AMOUNT, bfind_shift_u32 },
    { ATX_PTX_BFIND, ATX_PTX_S32, ATX_PTX_SHIFT_AMOUNT, bfind_shift_s32 },
    { ATX_PTX_BFIND, ATX_PTX_U64, ATX_PTX_SHIFT_AMOUNT, bfind_shift_u64 },
    { ATX_PTX_BFIND, ATX_PTX_S64, ATX_PTX_SHIFT_AMOUNT, bfind_shift_s64 },
    { ATX_PTX_BFE, ATX_PTX_U32, 0, bfe_u32 },
    { ATX_PTX_BFE, ATX_PTX_S32, 0, bfe_s32 },
    { ATX_PTX_BFE, ATX_PTX_U64, 0, bfe_u64 },
    { ATX_PTX_BFE, ATX_PTX_S64, 0, bfe_s64 },
    { ATX_PTX_BFI, ATX_PTX_B32, 0, bfi_32 },
    { ATX_PTX_BFI, ATX_PTX_B64, 0, bfi_64 },
    { ATX_PTX_BMSK, ATX_PTX_B32, ATX_PTX_WRAP, bmsk_wrap },
    { ATX_PTX_BMSK, ATX_PTX_B32, ATX_PTX_CLAMP, bmsk_clamp },
    { ATX_PTX_LOP3, ATX_PTX_B32, 0, lop3_b32 },
    { ATX_PTX_PRMT, ATX_PTX_B32, 0, prmt_b32 },
};

static bool is_word(int type)
{
    return type == ATX_PTX_U32 || type == ATX_PTX_S32;
}

atx_handler *atx_select_logic(const atx_ptx_instruction *i)
{
    const uint32_t halves = i->flags & (ATX_PTX_LO_HALF | ATX_PTX_HI_HALF);
    if (i->op == ATX_PTX_DP4A && !i->flags && i->from)
        return dp4a;
    if (i->op == ATX_PTX_DP2A && halves && halves == i->flags && i->from)
        return dp2a;
    const bool of_words = is_word(i->type) && is_word(i->from) && is_word(i->more_types[0]);
    if ((i->op == ATX_PTX_VABSDIFF2 || i->op == ATX_PTX_VABSDIFF4) && !i->flags && of_words &&
        (!i->action || i->action == ATX_PTX_DO_ADD))
        return vabsdiff;
    if (i->op == ATX_PTX_FNS)
        return i->type == ATX_PTX_B32 && !i->from && !i->flags ? fns : NULL;
    return i->from ? NULL : atx_choose(i, CHOICES, sizeof CHOICES / sizeof *CHOICES);
}
