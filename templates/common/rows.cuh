/*!autotune
common    rows                         # rows of bytes that are moved by an index
use       policy
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "policy.cuh"
#endif

/* With AUTOTUNE_CHECK defined, an index that is out of range ends the kernel with an error. Without, nobody looks. */
__device__ __forceinline__ long long checked(T index, long long rows)
{
#ifdef AUTOTUNE_CHECK
    if (index < 0 || index >= rows)
        __trap();
#endif
    return index;
}

/*
 * `lanes` threads side by side move a row, `pieces` pieces each; longer rows are cut over blockIdx.y. A thread reads its
 * pieces of `each` rows before it writes the first, as that is what hides how long memory takes:
 *
 *     threads of a block, two lanes    0 1  2 3  4 5 ...      rows 0, 1, 2, ... and then `each` - 1 times as many further on
 *
 * `gather`: rows are read where the index says and written one after the other; otherwise the reverse. `other`: rows that
 * there are where the index says.
 */
template <bool gather, class Piece, int threads, int lanes, int each, int pieces, bool edge, bool keep, bool once>
__device__ __forceinline__ void move_rows(unsigned char *out, const unsigned char *in, const T *index, long long other, long long rows, long long row_bytes)
{
    constexpr int GROUPS = threads / lanes;
    const int group = (int)threadIdx.x / lanes;
    const long long first = (long long)blockIdx.x * (GROUPS * each) + group;
    const int pitch = (int)(row_bytes / (long long)sizeof(Piece)), place = (int)blockIdx.y * (lanes * pieces) + (int)threadIdx.x % lanes;
    long long far[each];
    Piece part[each][pieces];

#pragma unroll
    for (int k = 0; k < each; k++)
        if (!edge || first + k * GROUPS < rows)
            far[k] = checked(load<false, once>(index + first + k * GROUPS), other);
#pragma unroll
    for (int k = 0; k < each; k++)
#pragma unroll
        for (int p = 0; p < pieces; p++)
            if (!edge || (first + k * GROUPS < rows && place + p * lanes < pitch))
                part[k][p] = load<keep>((const Piece *)in + (gather ? far[k] : first + k * GROUPS) * pitch + place + p * lanes);
#pragma unroll
    for (int k = 0; k < each; k++)
#pragma unroll
        for (int p = 0; p < pieces; p++)
            if (!edge || (first + k * GROUPS < rows && place + p * lanes < pitch))
                store<once>((Piece *)out + (gather ? first + k * GROUPS : far[k]) * pitch + place + p * lanes, part[k][p]);
}
