/*
 * machine_compare.c - setp, set, selp, slct, and moving values: mov with its vectors and special registers,
 * cvta between spaces that share addresses.
 */
#include "machine/machine_round.h"
#include "machine/machine_internal.h"

/* ---- comparing ---- */

/* Bits of the lanes whose numbers compare so. */
typedef uint32_t comparer(const uint64_t *a, const uint64_t *b, uint32_t mask, int how);

#define COMPARE_LANES(T, read, expression)                                                                   \
    do {                                                                                                     \
        uint32_t out = 0;                                                                                    \
        for (int l = 0; l < ATX_LANES; l++) {                                                                \
            const T p = read(A[l]), q = read(B[l]);                                                          \
            out |= (uint32_t)(expression) << l;                                                              \
        }                                                                                                    \
        return out & mask;                                                                                   \
    } while (0)

#define INT_COMPARER(name, T, U)                                                                             \
    static uint32_t name(const uint64_t *A, const uint64_t *B, uint32_t mask, int how)                       \
    {                                                                                                        \
        switch (how) {                                                                                       \
        case ATX_PTX_EQ:                                                                                     \
            COMPARE_LANES(T, (T), p == q);                                                                   \
        case ATX_PTX_NE:                                                                                     \
            COMPARE_LANES(T, (T), p != q);                                                                   \
        case ATX_PTX_LT:                                                                                     \
            COMPARE_LANES(T, (T), p < q);                                                                    \
        case ATX_PTX_LE:                                                                                     \
            COMPARE_LANES(T, (T), p <= q);                                                                   \
        case ATX_PTX_GT:                                                                                     \
            COMPARE_LANES(T, (T), p > q);                                                                    \
        case ATX_PTX_GE:                                                                                     \
            COMPARE_LANES(T, (T), p >= q);                                                                   \
        case ATX_PTX_LO:                                                                                     \
            COMPARE_LANES(U, (U), p < q);                                                                    \
        case ATX_PTX_LS:                                                                                     \
            COMPARE_LANES(U, (U), p <= q);                                                                   \
        case ATX_PTX_HI:                                                                                     \
            COMPARE_LANES(U, (U), p > q);                                                                    \
        default:                                                                                             \
            COMPARE_LANES(U, (U), p >= q);                                                                   \
        }                                                                                                    \
    }

INT_COMPARER(compare_u16, uint16_t, uint16_t)
INT_COMPARER(compare_s16, int16_t, uint16_t)
INT_COMPARER(compare_u32, uint32_t, uint32_t)
INT_COMPARER(compare_s32, int32_t, uint32_t)
INT_COMPARER(compare_u64, uint64_t, uint64_t)
INT_COMPARER(compare_s64, int64_t, uint64_t)

/* A loop for each comparison: none chooses for each lane. */
#define COMPARE_CASE(read, how)                                                                              \
    case how:                                                                                                \
        COMPARE_LANES(double, read, atx_compare(p, q, how))

#define FLOAT_COMPARER(name, read)                                                                           \
    static uint32_t name(const uint64_t *A, const uint64_t *B, uint32_t mask, int how)                       \
    {                                                                                                        \
        switch (how) {                                                                                       \
            COMPARE_CASE(read, ATX_PTX_EQ);                                                                  \
            COMPARE_CASE(read, ATX_PTX_NE);                                                                  \
            COMPARE_CASE(read, ATX_PTX_LT);                                                                  \
            COMPARE_CASE(read, ATX_PTX_LE);                                                                  \
            COMPARE_CASE(read, ATX_PTX_GT);                                                                  \
            COMPARE_CASE(read, ATX_PTX_GE);                                                                  \
            COMPARE_CASE(read, ATX_PTX_EQU);                                                                 \
            COMPARE_CASE(read, ATX_PTX_NEU);                                                                 \
            COMPARE_CASE(read, ATX_PTX_LTU);                                                                 \
            COMPARE_CASE(read, ATX_PTX_LEU);                                                                 \
            COMPARE_CASE(read, ATX_PTX_GTU);                                                                 \
            COMPARE_CASE(read, ATX_PTX_GEU);                                                                 \
            COMPARE_CASE(read, ATX_PTX_NUM);                                                                 \
        default:                                                                                             \
            COMPARE_LANES(double, read, atx_compare(p, q, ATX_PTX_NAN));                                     \
        }                                                                                                    \
    }

static double flushed_f32(uint64_t bits)
{
    return atx_f32(atx_flush_f32(bits, true));
}
FLOAT_COMPARER(compare_f32, atx_f32)
FLOAT_COMPARER(compare_f32_ftz, flushed_f32)
FLOAT_COMPARER(compare_f64, atx_f64)

static comparer *comparer_of(const atx_ptx_instruction *i, int type)
{
    const bool number = i->compare <= ATX_PTX_GE;
    const bool unsigned_word = i->compare >= ATX_PTX_LO && i->compare <= ATX_PTX_HS;
    const bool equality = i->compare == ATX_PTX_EQ || i->compare == ATX_PTX_NE;
    const bool flush = i->flags & ATX_PTX_FTZ;
    switch (type) {
    case ATX_PTX_F32:
        return unsigned_word ? NULL : flush ? compare_f32_ftz : compare_f32;
    case ATX_PTX_F64:
        return unsigned_word || flush ? NULL : compare_f64;
    case ATX_PTX_S16:
        return number && !flush ? compare_s16 : NULL;
    case ATX_PTX_S32:
        return number && !flush ? compare_s32 : NULL;
    case ATX_PTX_S64:
        return number && !flush ? compare_s64 : NULL;
    case ATX_PTX_U16:
        return (number || unsigned_word) && !flush ? compare_u16 : NULL;
    case ATX_PTX_U32:
        return (number || unsigned_word) && !flush ? compare_u32 : NULL;
    case ATX_PTX_U64:
        return (number || unsigned_word) && !flush ? compare_u64 : NULL;
    case ATX_PTX_B16:
        return equality && !flush ? compare_u16 : NULL;
    case ATX_PTX_B32:
        return equality && !flush ? compare_u32 : NULL;
    case ATX_PTX_B64:
        return equality && !flush ? compare_u64 : NULL;
    default:
        return NULL;
    }
}

static uint32_t combine(uint32_t a, uint32_t b, int action)
{
    return action == ATX_PTX_DO_AND   ? a & b
           : action == ATX_PTX_DO_OR  ? a | b
           : action == ATX_PTX_DO_XOR ? a ^ b
                                      : a;
}

/* p|q, a, b, {!}c: group 1 is q where there are two results. */
static bool has_two_results(const atx_decoded *d)
{
    return d->ptx->group_count == (d->ptx->action ? 5 : 4);
}

static void setp(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_instruction *i = d->ptx;
    const int first = has_two_results(d) ? 2 : 1;
    const uint32_t bits =
        comparer_of(i, i->type)(atx_group(x, d, first), atx_group(x, d, first + 1), mask, i->compare);
    uint32_t other = UINT32_MAX;
    if (i->action) {
        other = (uint32_t)*atx_group(x, d, first + 2);
        if (atx_ptx_group(x->code->function, i, first + 2)->negated)
            other = ~other;
    }
    atx_put_predicate(atx_group(x, d, 0), mask, combine(bits, other, i->action));
    if (first == 2)
        atx_put_predicate(atx_group(x, d, 1), mask, combine(~bits, other, i->action));
}

/* All ones, or 1.0 where the result is a number with a point. */
static void set(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_instruction *i = d->ptx;
    uint32_t bits = comparer_of(i, i->from)(atx_group(x, d, 1), atx_group(x, d, 2), mask, i->compare);
    if (i->action) {
        const uint32_t other = (uint32_t)*atx_group(x, d, 3);
        bits = combine(bits, atx_ptx_group(x->code->function, i, 3)->negated ? ~other : other, i->action);
    }
    const uint64_t yes = i->type == ATX_PTX_F32 ? 0x3f800000 : UINT32_MAX;
    uint64_t *to = atx_group(x, d, 0);
    ATX_EACH_LANE(mask, to[l] = bits >> l & 1 ? yes : 0);
}

static void selp(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t *to = atx_group(x, d, 0);
    const uint64_t *a = atx_group(x, d, 1), *b = atx_group(x, d, 2);
    const uint32_t p = (uint32_t)*atx_group(x, d, 3);
    ATX_EACH_LANE(mask, to[l] = (p >> l & 1 ? a[l] : b[l]) & d->keep);
}

static bool is_not_negative(uint64_t bits, bool flush)
{
    return atx_f32(atx_flush_f32(bits, flush)) >= 0;
}
ATX_LANE_OP(slct_s32, uint64_t, (uint64_t), ((int32_t)c >= 0 ? a : b) & d->keep)
ATX_LANE_OP(slct_f32, uint64_t, (uint64_t),
            (is_not_negative(c, d->ptx->flags &ATX_PTX_FTZ) ? a : b) & d->keep)

atx_handler *atx_select_compare(const atx_ptx_instruction *i)
{
    const bool known_action = i->action == ATX_PTX_NO_ACTION || i->action == ATX_PTX_DO_AND ||
                              i->action == ATX_PTX_DO_OR || i->action == ATX_PTX_DO_XOR;
    if (i->op == ATX_PTX_SETP && i->compare && known_action && !(i->flags & ~(uint32_t)ATX_PTX_FTZ))
        return comparer_of(i, i->type) && !i->from ? setp : NULL;
    if (i->op == ATX_PTX_SET && i->compare && known_action && !(i->flags & ~(uint32_t)ATX_PTX_FTZ))
        return comparer_of(i, i->from) &&
                       (i->type == ATX_PTX_F32 || i->type == ATX_PTX_U32 || i->type == ATX_PTX_S32)
                   ? set
                   : NULL;
    if (i->op == ATX_PTX_SELP && !i->flags && atx_ptx_type_bytes(i->type) > 0)
        return selp;
    if (i->op == ATX_PTX_SLCT && i->from == ATX_PTX_S32 && !i->flags)
        return slct_s32;
    if (i->op == ATX_PTX_SLCT && i->from == ATX_PTX_F32 && !(i->flags & ~(uint32_t)ATX_PTX_FTZ))
        return slct_f32;
    return NULL;
}
