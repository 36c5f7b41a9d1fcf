/*!autotune
common    rows                         # rows of bytes that are moved by an index
use       access checked policy

param     VEC     = 1 2 4 8 16         # bytes of an access
param     LANES   = 1 2 4 8 16 32 64 128 256 512 # threads side by side
param     PIECES  = 1 2 4 8            # accesses of a thread to each row
param     EACH    = 1 2 4 8            # rows of a thread
param     THREADS = 64 128 256 512     # threads a block
param     HINT    = none once keep apart # indices and writes say that nobody needs them soon; reads that the L2 should keep them; or both

let       pitch   = row_bytes / VEC    # accesses to a row
let       groups  = THREADS / LANES    # rows of a block, of each of EACH
let       blocks  = ceil_div(rows, groups * EACH)
let       cuts    = ceil_div(pitch, LANES * PIECES) # blocks side by side for long rows
const     EDGE    = rows % (groups * EACH) != 0 || pitch % (LANES * PIECES) != 0

require   row_bytes % VEC == 0         # every row begins aligned
require   2 * VEC >= gcd(row_bytes, 16) # far narrower than the alignment allows is slow
require   LANES <= THREADS
require   LANES * PIECES < 2 * pitch   # else half of the threads have nothing to do
require   VEC * PIECES * EACH <= 256   # 64 registers hold what is read
require   EACH == 1 || rows >= groups * EACH
require   LANES == 1 || LANES >= 32 || LANES * PIECES >= pitch # rows are cut only where they are long
require   PIECES == 1 || 2 * LANES >= min(pitch, 8) # neighbours read what is side by side
require   HINT <= HINT_once || (device.cc >= 80 && VEC >= 4 && moved >= device.l2_bytes)
require   pitch < 2147483647
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x && cuts <= 65535
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "access.cuh"
#include "checked.cuh"
#include "policy.cuh"
#endif

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
