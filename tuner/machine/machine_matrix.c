/*
 * machine_matrix.c - ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16 bits, spread over a warp so that lane
 * l has elements 2l and 2l+1 of the 64.
 */
#include "machine/machine_internal.h"

/* Where lane l's element k (0, 1) of a matrix is among the 64. */
static int place_of(int lane, int k, bool transposed)
{
    const int row = lane / 4, column = 2 * (lane % 4) + k;
    return transposed ? column * 8 + row : row * 8 + column;
}

/* Addresses of rows: those of matrix m come from lanes 8m to 8m+7. */
static bool reach_rows(atx_request *r, atx_exec *x, const atx_decoded *d, int group, bool store)
{
    const int rows = 8 * d->ptx->vector;
    *r = (atx_request){ .kind = store ? ATX_ACCESS_MATRIX_STORE : ATX_ACCESS_MATRIX_LOAD,
                        .space = ATX_PTX_SHARED,
                        .bytes = 16,
                        .element_bytes = 16 };
    atx_addresses(r, x, d, 0, group, rows == ATX_LANES ? UINT32_MAX : (1u << rows) - 1);
    return atx_reach(x, r);
}

static bool whole_warp(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    return mask == UINT32_MAX ||
           atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(~mask),
                          "%s.sync.aligned without all lanes of the warp", atx_ptx_op_name(d->ptx->op));
}

static void ldmatrix(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const bool transposed = d->ptx->flags & ATX_PTX_TRANSPOSED;
    atx_request r;
    if (!whole_warp(x, d, mask) || !reach_rows(&r, x, d, 1, false))
        return;
    for (int m = 0; m < d->ptx->vector; m++) {
        uint64_t *to = atx_lanes(x, d->ref[d->at[0] + m]);
        for (int l = 0; l < ATX_LANES; l++) {
            uint16_t part[2];
            for (int k = 0; k < 2; k++) {
                const int at = place_of(l, k, transposed);
                memcpy(&part[k], r.at[8 * m + at / 8] + 2 * (at % 8), 2);
            }
            to[l] = part[0] | (uint64_t)part[1] << 16;
        }
    }
}

static void stmatrix(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const bool transposed = d->ptx->flags & ATX_PTX_TRANSPOSED;
    atx_request r;
    if (!whole_warp(x, d, mask) || !reach_rows(&r, x, d, 0, true))
        return;
    for (int m = 0; m < d->ptx->vector; m++) {
        const uint64_t *from = atx_lanes(x, d->ref[d->at[1] + m]);
        for (int l = 0; l < ATX_LANES; l++)
            for (int k = 0; k < 2; k++) {
                const int at = place_of(l, k, transposed);
                const uint16_t part = (uint16_t)(from[l] >> 16 * k);
                memcpy(r.at[8 * m + at / 8] + 2 * (at % 8), &part, 2);
            }
    }
}

static void movmatrix(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint16_t all[64];
    const uint64_t *from = atx_group(x, d, 1);
    uint64_t *to = atx_group(x, d, 0);
    if (!whole_warp(x, d, mask))
        return;
    for (int l = 0; l < ATX_LANES; l++)
        for (int k = 0; k < 2; k++)
            all[place_of(l, k, false)] = (uint16_t)(from[l] >> 16 * k);
    for (int l = 0; l < ATX_LANES; l++)
        to[l] = all[place_of(l, 0, true)] | (uint64_t)all[place_of(l, 1, true)] << 16;
}

atx_handler *atx_select_matrix(const atx_ptx_instruction *i)
{
    const uint32_t known = ATX_PTX_SYNC | ATX_PTX_ALIGNED | ATX_PTX_TRANSPOSED;
    const bool plain = i->type == ATX_PTX_B16 && !i->from && !(i->flags & ~known) && i->group_count == 2;
    const bool in_shared = i->space == ATX_PTX_SHARED;
    if (!plain)
        return NULL;
    if (i->op == ATX_PTX_LDMATRIX)
        return in_shared && i->width[0] == i->vector ? ldmatrix : NULL;
    if (i->op == ATX_PTX_STMATRIX)
        return in_shared && i->width[1] == i->vector ? stmatrix : NULL;
    return i->op == ATX_PTX_MOVMATRIX && (i->flags & ATX_PTX_TRANSPOSED) ? movmatrix : NULL;
}
