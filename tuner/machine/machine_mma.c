/*
 * machine_mma.c - mma.sync of f16, bf16 and tf32. Products and sums are made in double precision and rounded
 * once an element: the hardware rounds otherwise, in an order that the ISA does not say, so the result is
 * marked as inexact.
 */
#include "machine/machine_round.h"
#include "machine/machine_parts.h"

enum { ROWS = 16, COLUMNS = 8, MOST_DEEP = 16 };

/* Elements of one register: two of 16 bits, one of 32. */
static int per_register(int type)
{
    return type == ATX_PTX_TF32 || type == ATX_PTX_F32 ? 1 : 2;
}

static int depth_of(int form)
{
    return form == ATX_PTX_MMA_M16N8K4 ? 4 : form == ATX_PTX_MMA_M16N8K8 ? 8 : 16;
}

static double element(uint64_t bits, int k, int type)
{
    if (type == ATX_PTX_F32)
        return atx_f32(bits);
    return atx_widen(type == ATX_PTX_TF32 ? (uint32_t)bits : (uint32_t)(bits >> 16 * k) & 0xffff, type);
}

/*
 * A is 16 rows deep columns: register r of lane l has row l / 4 (plus 8 in odd ones) and columns from
 * (l mod 4) * elements, plus 4 * elements in the upper half of the registers.
 */
static void read_a(double a[ROWS][MOST_DEEP], atx_exec *x, const atx_decoded *d, int type)
{
    const int each = per_register(type);
    for (int r = 0; r < d->ptx->width[1]; r++) {
        const uint64_t *from = atx_lanes(x, d->ref[d->at[1] + r]);
        for (int l = 0; l < ATX_LANES; l++)
            for (int k = 0; k < each; k++)
                a[l / 4 + 8 * (r & 1)][l % 4 * each + k + 4 * each * (r / 2)] = element(from[l], k, type);
    }
}

static void read_b(double b[MOST_DEEP][COLUMNS], atx_exec *x, const atx_decoded *d, int type)
{
    const int each = per_register(type);
    for (int r = 0; r < d->ptx->width[2]; r++) {
        const uint64_t *from = atx_lanes(x, d->ref[d->at[2] + r]);
        for (int l = 0; l < ATX_LANES; l++)
            for (int k = 0; k < each; k++)
                b[l % 4 * each + k + 4 * each * r][l / 4] = element(from[l], k, type);
    }
}

static double sum_of(double a[ROWS][MOST_DEEP], double b[MOST_DEEP][COLUMNS], int row, int column, int depth)
{
    double sum = 0;
    for (int k = 0; k < depth; k++)
        sum += a[row][k] * b[k][column];
    return sum;
}

/* C and D: register r of lane l has row l / 4, plus 8 in the upper half, and columns from (l mod 4) * 2. */
static void mma(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int type = d->ptx->from, to = d->ptx->type, depth = depth_of(d->ptx->form), each = per_register(to);
    double a[ROWS][MOST_DEEP] = { 0 }, b[MOST_DEEP][COLUMNS] = { 0 };
    if (mask != UINT32_MAX) {
        atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(~mask),
                       "mma.sync.aligned without all lanes of the warp");
        return;
    }
    read_a(a, x, d, type);
    read_b(b, x, d, type);
    x->result->inexact = true;
    for (int r = 0; r < d->ptx->width[0]; r++) {
        const uint64_t *c = atx_lanes(x, d->ref[d->at[3] + r]);
        uint64_t *out = atx_lanes(x, d->ref[d->at[0] + r]);
        for (int l = 0; l < ATX_LANES; l++) {
            uint64_t bits = 0;
            for (int k = 0; k < each; k++) {
                const int place = r * each + k;
                const double sum = sum_of(a, b, l / 4 + 8 * (place / 2), l % 4 * 2 + place % 2, depth);
                const double value = sum + element(c[l], k, to);
                bits |= to == ATX_PTX_F32 ? atx_bits_f32((float)value)
                                          : (uint64_t)atx_round_to(value, 0, to, ATX_PTX_RN, false) << 16 * k;
            }
            out[l] = bits;
        }
    }
}

atx_handler *atx_select_mma(const atx_ptx_instruction *i)
{
    const int type = i->from, depth = depth_of(i->form);
    const bool wide = type == ATX_PTX_TF32;
    const bool fits = (i->form == ATX_PTX_MMA_M16N8K4 && wide) || i->form == ATX_PTX_MMA_M16N8K8 ||
                      (i->form == ATX_PTX_MMA_M16N8K16 && !wide);
    const bool types = (type == ATX_PTX_F16 || type == ATX_PTX_BF16 || wide) && i->more_types[0] == type &&
                       i->more_types[1] == i->type &&
                       (i->type == ATX_PTX_F32 || (i->type == ATX_PTX_F16 && type == ATX_PTX_F16));
    if (i->op != ATX_PTX_MMA || !fits || !types || i->group_count != 4 ||
        (i->flags & ~(uint32_t)(ATX_PTX_SYNC | ATX_PTX_ALIGNED)))
        return NULL;
    const int each = per_register(type), out = 4 / per_register(i->type);
    return i->width[0] == out && i->width[3] == out && i->width[1] == depth / 2 / each &&
                   i->width[2] == depth / 4 / each
               ? mma
               : NULL;
}
