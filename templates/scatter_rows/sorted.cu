/*!autotune
template  sorted                       # short rows: a block moves its rows in the order of their places, so that blocks go over memory together
use       access policy rows sorted

param     VEC     = 4 8 16             # bytes of an access
param     OWN     = 1024 2048 4096 8192 16384 # rows of a block
param     THREADS = 256 512 1024       # threads a block
param     EACH    = 1 2 4 8            # rows that a thread reads before it writes the first
param     HOLD    = no yes             # the rows that follow each other are kept in shared memory, and moved there in whole
param     PERIOD  = 0 8 12 16 20 24 28 32 40 48 64 # microseconds that blocks take, which begin where others are; 0: at the first
param     PACE    = free even            # a block that is ahead of its time waits
param     HINT    = none once

const     BINS    = max(1024, OWN / 4)
const     SCALE   = BINS * 4294967296 / max(rows, BINS) # of a place to its bin
const     LANES   = row_bytes / VEC
const     HELD    = HOLD == HOLD_yes ? OWN * row_bytes : 0
let       blocks  = ceil_div(rows, OWN)
let       bytes   = HELD + 6 * OWN + 4 * BINS + 136

require   row_bytes % VEC == 0 && row_bytes <= 64 && row_bytes >= 16 && is_pow2(LANES)
require   2 * VEC >= min(16, row_bytes)
require   rows > OWN && rows < 4294967296 && rows < 4294967296
require   PACE == PACE_free || PERIOD > 0
require   OWN % THREADS == 0 && OWN / THREADS <= 16
require   THREADS / LANES * EACH <= OWN
require   bytes <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    bytes
default   VEC=16 OWN=2048 THREADS=512 EACH=4 HOLD=no PERIOD=0 PACE=free HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = long long;
constexpr int VEC = 16, OWN = 2048, THREADS = 512, EACH = 4, PERIOD = 0, BINS = 1024, LANES = 4, HELD = 0;
constexpr unsigned SCALE = 524288;
constexpr int PACE_free = 0, PACE_even = 1, PACE = PACE_free;
constexpr int HINT_none = 0, HINT_once = 1, HINT = HINT_none;
#include "../common/access.cuh"
#include "../common/policy.cuh"
#include "../common/rows.cuh"
#include "../common/sorted.cuh"
#endif

using Piece = Access<VEC>::type;

extern "C" __global__ void __launch_bounds__(THREADS)
scatter_rows_sorted(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, const T *__restrict__ index, long long rows,
    long long row_bytes)
{
    extern __shared__ uint4 shared_memory[];
    Piece *const held = (Piece *)shared_memory;
    Order<OWN, BINS> &order = *(Order<OWN, BINS> *)((unsigned char *)shared_memory + HELD);
    const long long first = (long long)blockIdx.x * OWN;
    const int here = (int)(rows - first < OWN ? rows - first : OWN);
    constexpr int GROUPS = THREADS / LANES;
    const int lane = (int)threadIdx.x % LANES;
    const Piece *const own = HELD > 0 ? held : (const Piece *)in + first * LANES;

    if (HELD > 0)
        for (int i = (int)threadIdx.x; i < here * LANES; i += THREADS)
            held[i] = ((const Piece *)in)[first * LANES + i];
    sort_rows<THREADS, PERIOD, HINT == HINT_once>(order, index + first, here, rows, (unsigned)SCALE);
    const int begin = PERIOD > 0 ? order.begin : 0;
#pragma unroll 1
    for (int i = (int)threadIdx.x / LANES; i < here; i += GROUPS * EACH) {
        if (PACE == PACE_even)
            await_time<PERIOD, OWN>(order.time, i);
        Piece part[EACH];
        unsigned to[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (i + k * GROUPS < here) {
                int at = i + k * GROUPS + begin;
                at     = at < here ? at : at - here;
                to[k]  = order.far[at];
                part[k] = own[order.own[at] * LANES + lane];
            }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (i + k * GROUPS < here)
                store<HINT == HINT_once>((Piece *)out + (unsigned long long)to[k] * LANES + lane, part[k]);
    }
}
