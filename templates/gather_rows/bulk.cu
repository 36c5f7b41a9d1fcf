/*!autotune
template  bulk                         # long rows: the copy engine brings them to shared memory and takes them from there, a thread asks
use       checked policy

param     CUTS    = 1 2 3 4 6 8 16 32  # equal parts of a row that are moved by themselves
param     WARPS   = 1 2 4 8            # parts of a block, each by one thread of a warp
param     TURNS   = 1 2 4 8            # parts of such a thread; all are asked for before the first is awaited
param     HINT    = none keep          # whether the L2 is to keep what is read

let       parts   = rows * CUTS
let       blocks  = ceil_div(parts, WARPS * TURNS)
const     BYTES   = row_bytes / CUTS
let       there   = WARPS * TURNS * BYTES

require   device.cc >= 90              # older devices cannot
require   row_bytes % (16 * CUTS) == 0 # parts are whole pieces of 16 bytes
require   BYTES >= 512 && BYTES <= 32768 # the engine is slow for less
require   there >= 2048 && there <= 65536 # so that several blocks share a multiprocessor
require   parts >= WARPS * TURNS
require   parts < 2147483647
require   HINT == HINT_none || moved >= device.l2_bytes
require   blocks <= device.max_grid_x

grid      blocks
block     32 * WARPS
shared    there
default   CUTS=1 WARPS=2 TURNS=2 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
constexpr int CUTS = 1, WARPS = 2, TURNS = 2, BYTES = 3072;
constexpr int HINT_none = 0, HINT_keep = 1, HINT = HINT_none;
#include "../common/checked.cuh"
#include "../common/policy.cuh"
#endif

#if __CUDA_ARCH__ >= 900
/* Brings bytes to shared memory; `came` knows when all of them are there. */
__device__ __forceinline__ void ask_for(unsigned place, const unsigned char *from, unsigned came)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(came), "n"(BYTES) : "memory");
    if constexpr (HINT == HINT_keep)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(place),
                     "l"(from), "n"(BYTES), "r"(came), "l"(keep_policy())
                     : "memory");
    else
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place), "l"(from),
                     "n"(BYTES), "r"(came)
                     : "memory");
}

__device__ __forceinline__ void await(unsigned came)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(came) : "memory");
}
#endif

/* One thread of a warp moves TURNS parts. Shared memory is free again when the last of them has been read from it. */
extern "C" __global__ void __launch_bounds__(32 * WARPS)
gather_rows_bulk(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, const T *__restrict__ index, long long from,
    long long rows, long long row_bytes)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char places[];
    __shared__ unsigned long long came[WARPS * TURNS];
    const int first = (int)blockIdx.x * (WARPS * TURNS) + (int)threadIdx.x / 32 * TURNS, mine = (int)threadIdx.x / 32 * TURNS;
    const unsigned place = (unsigned)__cvta_generic_to_shared(places) + mine * BYTES, barrier = (unsigned)__cvta_generic_to_shared(came + mine);
    const int parts = (int)(rows * CUTS), turns = min(TURNS, parts - first);

    if (threadIdx.x % 32 != 0)
        return;
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + t * 8) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        if (t < turns)
            ask_for(place + t * BYTES, in + checked(__ldg(index + (first + t) / CUTS), from) * row_bytes + (first + t) % CUTS * BYTES, barrier + t * 8);
#pragma unroll
    for (int t = 0; t < TURNS; t++)
        if (t < turns) {
            await(barrier + t * 8);
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + (long long)(first + t) * BYTES),
                         "r"(place + t * BYTES), "n"(BYTES)
                         : "memory");
        }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}
