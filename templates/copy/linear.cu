/*!autotune
template  linear                       # flat memory in order: the ceiling for everything that moves bytes
use       policy

param     THREADS  = 64 128 256        # threads a block
param     UNROLL   = 1 2 4 8           # 16-byte accesses a thread, all read before the first is written
param     HINT     = none both keep    # both reads and writes say that they are used only once, or reads that the L2 should keep them

let       bytes    = count * sizeof(T)
let       vectors  = bytes / 16
let       pieces   = max(1, ceil_div(vectors, THREADS * UNROLL))
const     EDGE     = vectors != pieces * THREADS * UNROLL # the last piece is not full
const     TAIL     = bytes % 16 != 0  # nor the last vector
general   EDGE=1 TAIL=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   UNROLL == 1 || (THREADS * UNROLL == 512 && HINT == HINT_keep) # others were faster by 0.2 % on average, in 403 copies on an H200 and an H100
require   HINT != HINT_keep || device.cc >= 80 # older devices have no such reads
require   THREADS <= device.max_threads_per_block
require   pieces <= device.max_grid_x

grid      pieces
block     THREADS
default   THREADS=256 UNROLL=1 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 256, UNROLL = 1, EDGE = 1, TAIL = 1;
constexpr int HINT_none = 0, HINT_both = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/policy.cuh"
#endif

constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_both;

/* As little as possible around the accesses: of two microseconds, address arithmetic and a loop would be six per cent. */
extern "C" __global__ void __launch_bounds__(THREADS)
copy_linear(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows), long long AUTOTUNE_ARG(cols))
{
    constexpr int PER = 16 / (int)sizeof(T);
    const long long count   = batch * rows * cols;
    const long long vectors = count / PER;
    const long long first   = (long long)blockIdx.x * (THREADS * UNROLL) + threadIdx.x;
    uint4 *const to = (uint4 *)out;
    const uint4 *const from = (const uint4 *)in;
    uint4 part[UNROLL];

#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (!EDGE || first + i * THREADS < vectors)
            part[i] = load<KEEP, ONCE>(from + first + i * THREADS);
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (!EDGE || first + i * THREADS < vectors)
            store<ONCE>(to + first + i * THREADS, part[i]);

    /* The last block moves what does not fill a vector. */
    if (TAIL && blockIdx.x == gridDim.x - 1 && vectors * PER + threadIdx.x < count)
        out[vectors * PER + threadIdx.x] = in[vectors * PER + threadIdx.x];
}
