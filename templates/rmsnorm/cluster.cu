/*!autotune
template  cluster                      # a row is in the registers of several blocks; memory is read once
use       rmsnorm_row

param     CLUSTER = 2 4 8             # blocks that share a row
param     THREADS = 128 256 512 1024  # of each
param     EARLY   = 0 1               # gamma is asked for with the row, or when the row's sum is known
param     HINT    = none once keep

let       BYTES   = 16
let       GROUP   = CLUSTER * THREADS
const     PER     = BYTES / sizeof(T)
const     EACH    = ceil_div(cols, GROUP * PER) # vectors of a thread
const     RAGGED  = cols % (GROUP * PER) != 0
let       registers = EACH * BYTES / 4 * 2 # late, too, all of gamma is asked for at once

require   device.cc >= 90              # older devices have no clusters
require   cols % PER == 0              # rows are whole vectors
require   cols > GROUP * PER / 2       # at least half of the threads have something
require   registers <= 128 && (registers + 32) * THREADS <= device.max_registers_per_block # no spills
require   rows * CLUSTER <= device.max_grid_x

grid      rows * CLUSTER
block     THREADS
default   CLUSTER=2 THREADS=512 EARLY=0 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 2, THREADS = 512, EARLY = 0, PER = 4, EACH = 4, RAGGED = 0;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/rmsnorm_row.cuh"
#endif

/*
 * Every warp stores its sum into the shared memory of all blocks of its cluster, so that one barrier is enough. They
 * must have begun before: the other barrier, which nobody waits for while the row is on its way.
 */
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS)
rmsnorm_cluster(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
                 long long rows, long long cols)
{
    constexpr int  WARPS = THREADS / 32, GROUP = CLUSTER * THREADS;
    constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_once;
    __shared__ float parts[CLUSTER * WARPS];
    const int rank = (int)__clusterRelativeBlockRank(), lane = rank * THREADS + (int)threadIdx.x, vectors = (int)(cols / PER);
    const long long row = blockIdx.x / CLUSTER;
    Row<GROUP, EACH, PER, RAGGED != 0> mine, weight;

    __cluster_barrier_arrive();
    mine.template read<KEEP, ONCE>(in + row * cols, lane, vectors);
    if (EARLY)
        weight.template read<false, false>(gamma, lane, vectors);
    const float squares = total_of<32>(mine.squares(lane, vectors));
    __cluster_barrier_wait();
    if (threadIdx.x % 32 < CLUSTER)
        *(float *)__cluster_map_shared_rank(&parts[rank * WARPS + (int)threadIdx.x / 32], threadIdx.x % 32) = squares;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (!EARLY)
        weight.template read<false, false>(gamma, lane, vectors);
    mine.template write<ONCE>(out + row * cols, weight, factor_of(joined<CLUSTER * WARPS>(parts), eps, cols), lane, vectors);
}
