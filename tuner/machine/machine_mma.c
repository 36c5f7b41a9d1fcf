/*
 * machine_mma.c - mma.sync and wmma.mma: D = A * B + C of one warp. Products and sums of floating point
 * numbers are made in double precision and rounded once an element: the hardware rounds otherwise, in an
 * order that the ISA does not say, so the result is marked as inexact. Those of whole numbers are exact.
 */
#include "machine/machine_fragment.h"
#include "machine/machine_round.h"

#include <math.h>

enum { MOST_A = 4096, MOST_B = 2048 }; /* elements: m16n8k256 */

/* ---- types ---- */

typedef struct types {
    int a, b, c, d;
} types;

/* wmma.mma of f16 names two types only. */
static types types_of(const atx_ptx_instruction *i)
{
    if (i->op == ATX_PTX_WMMA && !i->more_types[0])
        return (types){ ATX_PTX_F16, ATX_PTX_F16, i->from, i->type };
    return (types){ i->from, i->more_types[0], i->more_types[1], i->type };
}

static int bits_of(int type)
{
    switch (type) {
    case ATX_PTX_B1:
        return 1;
    case ATX_PTX_S4:
    case ATX_PTX_U4:
        return 4;
    case ATX_PTX_E4M3:
    case ATX_PTX_E5M2:
        return 8;
    default:
        return 8 * atx_ptx_type_bytes(type);
    }
}

int atx_fragment_each(int type)
{
    const int bits = bits_of(type);
    return bits >= 32 || bits == 0 ? 1 : 32 / bits;
}

/* The k-th number of a register. All are exact in double precision. */
static double element(uint64_t bits, int k, int type)
{
    const uint32_t part = (uint32_t)bits >> (k * (bits_of(type) & 31));
    switch (type) {
    case ATX_PTX_B1:
        return part & 1;
    case ATX_PTX_U4:
        return part & 15;
    case ATX_PTX_S4:
        return (int)((part & 15) ^ 8) - 8;
    case ATX_PTX_U8:
        return part & 0xff;
    case ATX_PTX_S8:
        return (int8_t)part;
    case ATX_PTX_S32:
        return (int32_t)part;
    case ATX_PTX_F32:
        return atx_f32(bits);
    case ATX_PTX_F64:
        return atx_f64(bits);
    case ATX_PTX_TF32:
        return atx_widen((uint32_t)bits, type);
    case ATX_PTX_E4M3:
    case ATX_PTX_E5M2:
        return atx_widen(part & 0xff, type == ATX_PTX_E4M3 ? ATX_PTX_E4M3X2 : ATX_PTX_E5M2X2);
    default:
        return atx_widen(part & 0xffff, type);
    }
}

static uint64_t result_bits(double value, int type, bool saturates)
{
    switch (type) {
    case ATX_PTX_F64:
        return atx_bits_f64(value);
    case ATX_PTX_F32:
        return atx_bits_f32((float)value);
    case ATX_PTX_S32:
        if (saturates)
            value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
        return (uint32_t)(int64_t)value;
    default:
        return atx_round_to(value, 0, type, ATX_PTX_RN, false);
    }
}

/* ---- fragments ---- */

/* Rows and columns in blocks of 8; those of a pair of blocks of rows come first. */
static int pair_of(const uint16_t shape[3])
{
    return shape[0] >= 16 ? 2 : 1;
}

void atx_fragment_a(int at[2], const uint16_t shape[3], int each, int lane, int element)
{
    const int pair = pair_of(shape), chunks = shape[2] / (4 * each), k = element % each;
    const int r = element / each % (shape[0] / 8 * chunks);
    at[0] = lane / 4 + 8 * (r % pair + pair * (r / (pair * chunks)));
    at[1] = lane % 4 * each + k + 4 * each * (r / pair % chunks);
}

void atx_fragment_b(int at[2], const uint16_t shape[3], int each, int lane, int element)
{
    const int chunks = shape[2] / (4 * each), k = element % each;
    const int r = element / each % (shape[1] / 8 * chunks);
    at[0] = lane % 4 * each + k + 4 * each * (r % chunks);
    at[1] = lane / 4 + 8 * (r / chunks);
}

void atx_fragment_c(int at[2], const uint16_t shape[3], int each, int lane, int element)
{
    const int pair = pair_of(shape), columns = shape[1] / 8;
    (void)each;
    at[0] = lane / 4 + 8 * (element / 2 % pair + pair * (element / (2 * pair * columns)));
    at[1] = lane % 4 * 2 + element % 2 + 8 * (element / (2 * pair) % columns);
}

/* Registers that hold each element of A or B once; some fragments of wmma hold them several times. */
static int registers_of(int rows, int depth, int each)
{
    return rows / 8 * (depth / (4 * each));
}

/* A by rows, B by columns: depth numbers side by side. */
static void read_factor(double *to, atx_exec *x, const atx_decoded *d, bool is_b, int type)
{
    const uint16_t *shape = d->ptx->shape;
    const int each = atx_fragment_each(type), g = is_b ? 2 : 1;
    const int count = registers_of(shape[is_b], shape[2], each);
    for (int r = 0; r < count; r++) {
        const uint64_t *from = atx_lanes(x, d->ref[d->at[g] + r]);
        for (int l = 0; l < ATX_LANES; l++)
            for (int k = 0; k < each; k++) {
                int at[2];
                (is_b ? atx_fragment_b : atx_fragment_a)(at, shape, each, l, r * each + k);
                to[at[is_b] * shape[2] + at[!is_b]] = element(from[l], k, type);
            }
    }
}

/* ---- the product ---- */

static double sum_of(const double *a, const double *b, double c, const atx_ptx_instruction *i, types t)
{
    const int depth = i->shape[2];
    double sum = 0;
    if (t.a == ATX_PTX_F64) {
        for (int k = 0; k < depth; k++)
            c = fma(a[k], b[k], c);
        return c;
    }
    if (i->action == ATX_PTX_DO_XOR) {
        for (int k = 0; k < depth; k++)
            sum += a[k] != b[k];
        return sum + c;
    }
    for (int k = 0; k < depth; k++)
        sum += a[k] * b[k];
    return sum + c;
}

static void mma(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_instruction *i = d->ptx;
    const types t = types_of(i);
    const int each = atx_fragment_each(t.c), depth = i->shape[2];
    double a[MOST_A] = { 0 }, b[MOST_B] = { 0 };
    if (mask != UINT32_MAX) {
        atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(~mask),
                       "%s.sync.aligned without all lanes of the warp", atx_ptx_op_name(i->op));
        return;
    }
    read_factor(a, x, d, false, t.a);
    read_factor(b, x, d, true, t.b);
    x->result->inexact = x->result->inexact || t.d != ATX_PTX_S32;
    for (int l = 0; l < ATX_LANES; l++) {
        double value[8]; /* C may lie in D's registers, and two elements in one */
        const int count = d->ptx->width[3] * each;
        for (int e = 0; e < count; e++) {
            int at[2];
            atx_fragment_c(at, i->shape, 1, l, e);
            const double c = element(atx_lanes(x, d->ref[d->at[3] + e / each])[l], e % each, t.c);
            value[e] = sum_of(a + at[0] * depth, b + at[1] * depth, c, i, t);
        }
        const int out = atx_fragment_each(t.d);
        for (int r = 0; r < d->ptx->width[0]; r++) {
            uint64_t bits = 0;
            for (int k = 0; k < out; k++)
                bits |= result_bits(value[r * out + k], t.d, i->flags & ATX_PTX_SAT) << (32 / out * k);
            atx_lanes(x, d->ref[d->at[0] + r])[l] = bits;
        }
    }
}

/* ---- choosing ---- */

/* A shape that an op has of a type; f16 stands for bf16, s8, s4 for the unsigned ones, e4m3 for e5m2. */
static const struct known {
    uint8_t op, type;
    uint16_t shape[3];
} KNOWN[] = {
    { ATX_PTX_MMA, ATX_PTX_F16, { 16, 8, 8 } },   { ATX_PTX_MMA, ATX_PTX_F16, { 16, 8, 16 } },
    { ATX_PTX_MMA, ATX_PTX_TF32, { 16, 8, 4 } },  { ATX_PTX_MMA, ATX_PTX_TF32, { 16, 8, 8 } },
    { ATX_PTX_MMA, ATX_PTX_F64, { 8, 8, 4 } },    { ATX_PTX_MMA, ATX_PTX_F64, { 16, 8, 4 } },
    { ATX_PTX_MMA, ATX_PTX_F64, { 16, 8, 8 } },   { ATX_PTX_MMA, ATX_PTX_F64, { 16, 8, 16 } },
    { ATX_PTX_MMA, ATX_PTX_S8, { 8, 8, 16 } },    { ATX_PTX_MMA, ATX_PTX_S8, { 16, 8, 16 } },
    { ATX_PTX_MMA, ATX_PTX_S8, { 16, 8, 32 } },   { ATX_PTX_MMA, ATX_PTX_S4, { 8, 8, 32 } },
    { ATX_PTX_MMA, ATX_PTX_S4, { 16, 8, 32 } },   { ATX_PTX_MMA, ATX_PTX_S4, { 16, 8, 64 } },
    { ATX_PTX_MMA, ATX_PTX_B1, { 8, 8, 128 } },   { ATX_PTX_MMA, ATX_PTX_B1, { 16, 8, 128 } },
    { ATX_PTX_MMA, ATX_PTX_B1, { 16, 8, 256 } },  { ATX_PTX_MMA, ATX_PTX_E4M3, { 16, 8, 16 } },
    { ATX_PTX_MMA, ATX_PTX_E4M3, { 16, 8, 32 } }, { ATX_PTX_WMMA, ATX_PTX_F16, { 16, 16, 16 } },
    { ATX_PTX_WMMA, ATX_PTX_F16, { 32, 8, 16 } }, { ATX_PTX_WMMA, ATX_PTX_F16, { 8, 32, 16 } },
    { ATX_PTX_WMMA, ATX_PTX_S8, { 16, 16, 16 } }, { ATX_PTX_WMMA, ATX_PTX_S8, { 32, 8, 16 } },
    { ATX_PTX_WMMA, ATX_PTX_S8, { 8, 32, 16 } },  { ATX_PTX_WMMA, ATX_PTX_TF32, { 16, 16, 8 } },
    { ATX_PTX_WMMA, ATX_PTX_F64, { 8, 8, 4 } },   { ATX_PTX_WMMA, ATX_PTX_S4, { 8, 8, 32 } },
    { ATX_PTX_WMMA, ATX_PTX_B1, { 8, 8, 128 } },
};

static int kind_of(int type)
{
    switch (type) {
    case ATX_PTX_BF16:
        return ATX_PTX_F16;
    case ATX_PTX_U8:
        return ATX_PTX_S8;
    case ATX_PTX_U4:
        return ATX_PTX_S4;
    case ATX_PTX_E5M2:
        return ATX_PTX_E4M3;
    default:
        return type;
    }
}

bool atx_fragment_is_known(int op, int type, const uint16_t shape[3])
{
    for (size_t k = 0; k < sizeof KNOWN / sizeof *KNOWN; k++)
        if (KNOWN[k].op == op && KNOWN[k].type == kind_of(type) &&
            memcmp(KNOWN[k].shape, shape, sizeof KNOWN[k].shape) == 0)
            return true;
    return false;
}

/* A sum of f16 is f16 or f32, of bf16 and 8 bits f32, of whole numbers s32, of f64 f64. */
static bool sums_fit(types t)
{
    switch (kind_of(t.a)) {
    case ATX_PTX_F16:
    case ATX_PTX_E4M3: {
        const bool narrow = t.a != ATX_PTX_BF16;
        return (t.c == ATX_PTX_F32 || (narrow && t.c == ATX_PTX_F16)) &&
               (t.d == ATX_PTX_F32 || (narrow && t.d == ATX_PTX_F16));
    }
    case ATX_PTX_TF32:
        return t.c == ATX_PTX_F32 && t.d == ATX_PTX_F32;
    case ATX_PTX_F64:
        return t.c == ATX_PTX_F64 && t.d == ATX_PTX_F64;
    default:
        return t.c == ATX_PTX_S32 && t.d == ATX_PTX_S32;
    }
}

static bool factors_fit(const atx_ptx_instruction *i, types t)
{
    const bool mixes =
        kind_of(t.a) == ATX_PTX_E4M3 || kind_of(t.a) == ATX_PTX_S8 || kind_of(t.a) == ATX_PTX_S4;
    return t.a == t.b || (i->op == ATX_PTX_MMA && mixes && kind_of(t.a) == kind_of(t.b));
}

static bool words_fit(const atx_ptx_instruction *i, types t)
{
    const uint32_t known = ATX_PTX_SYNC | ATX_PTX_ALIGNED | (t.d == ATX_PTX_S32 ? ATX_PTX_SAT : 0);
    const bool bits = t.a == ATX_PTX_B1;
    const bool layouts = i->op == ATX_PTX_WMMA && !bits && t.a != ATX_PTX_S4 && t.a != ATX_PTX_U4;
    return !(i->flags & ~known) &&
           (bits ? i->action == ATX_PTX_DO_XOR || i->action == ATX_PTX_DO_AND : !i->action) &&
           (!i->round || (t.a == ATX_PTX_F64 && i->round == ATX_PTX_RN)) && i->layout[0] && i->layout[1] &&
           (layouts || (i->layout[0] == ATX_PTX_BY_ROWS && i->layout[1] == ATX_PTX_BY_COLUMNS));
}

static bool widths_fit(const atx_ptx_instruction *i, types t)
{
    const int a = registers_of(i->shape[0], i->shape[2], atx_fragment_each(t.a));
    const int b = registers_of(i->shape[1], i->shape[2], atx_fragment_each(t.b));
    const int sums = i->shape[0] * i->shape[1] / ATX_LANES;
    const bool repeats = i->op == ATX_PTX_WMMA;
    return i->width[0] == sums / atx_fragment_each(t.d) && i->width[3] == sums / atx_fragment_each(t.c) &&
           (i->width[1] == a || (repeats && i->width[1] && i->width[1] % a == 0)) &&
           (i->width[2] == b || (repeats && i->width[2] && i->width[2] % b == 0));
}

atx_handler *atx_select_mma(const atx_ptx_instruction *i)
{
    const types t = types_of(i);
    const bool is_product =
        i->op == ATX_PTX_MMA ? !i->form : i->op == ATX_PTX_WMMA && i->form == ATX_PTX_WMMA_MMA;
    return is_product && i->group_count == 4 && atx_fragment_is_known(i->op, t.a, i->shape) &&
                   factors_fit(i, t) && sums_fit(t) && words_fit(i, t) && widths_fit(i, t)
               ? mma
               : NULL;
}
