/*!autotune
template  cluster                      # a row is in the registers of several blocks; memory is read once
use       softmax_row

param     CLUSTER = 2 4 8             # blocks that share a row
param     THREADS = 128 256 512 1024  # of each
param     FLOATS  = 0 1               # the row as floats, so that exponentials are computed once
param     HINT    = none once keep

let       BYTES   = gcd(cols * sizeof(T), 16) # of an access: where rows begin
let       GROUP   = CLUSTER * THREADS
const     PER     = BYTES / sizeof(T)
const     EACH    = ceil_div(cols, GROUP * PER) # vectors of a thread
const     RAGGED  = cols % (GROUP * PER) != 0
let       registers = EACH * (!FLOATS || sizeof(T) == 4 ? max(BYTES, 4) / 4 : PER + max(BYTES, 4) / 8)

require   device.cc >= 90              # older devices have no clusters
require   HINT != HINT_keep || BYTES >= 4 # there are no such reads of fewer bytes
require   cols > GROUP * PER / 2       # at least half of the threads have something
require   registers <= 128 && (registers + 32) * THREADS <= device.max_registers_per_block # no spills
require   rows * CLUSTER <= device.max_grid_x

grid      rows * CLUSTER
block     THREADS
default   CLUSTER=2 THREADS=512 FLOATS=0 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 2, THREADS = 512, FLOATS = 0, PER = 4, EACH = 4, RAGGED = 0;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/softmax_row.cuh"
#endif

/*
 * Every warp stores its sum into the shared memory of all blocks of its cluster, so that one barrier is enough. They
 * must have begun before: the other barrier, which nobody waits for while the row is on its way.
 */
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS)
softmax_cluster(T *__restrict__ out, const T *__restrict__ in, long long rows, long long cols)
{
    constexpr int  WARPS = THREADS / 32, GROUP = CLUSTER * THREADS;
    constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_once;
    __shared__ float2 parts[CLUSTER * WARPS];
    const int rank = (int)__clusterRelativeBlockRank(), lane = rank * THREADS + (int)threadIdx.x, vectors = (int)(cols / PER);
    const long long row = blockIdx.x / CLUSTER;
    Row<GROUP, EACH, PER, RAGGED != 0, FLOATS != 0> mine;

    __cluster_barrier_arrive();
    mine.template read<KEEP, ONCE>(in + row * cols, lane, vectors);
    const float scaled = scaled_of(largest_of<32>(mine.largest(lane, vectors)));
    const float sum = total_of<32>(mine.total(scaled, lane, vectors));
    __cluster_barrier_wait();
    if (threadIdx.x % 32 < CLUSTER)
        *(float2 *)__cluster_map_shared_rank(&parts[rank * WARPS + (int)threadIdx.x / 32], threadIdx.x % 32) =
            make_float2(scaled, sum);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    const Sum all = joined<CLUSTER * WARPS>((const Sum *)parts);
    mine.template write<ONCE>(out + row * cols, scaled, all, lane, vectors);
}
