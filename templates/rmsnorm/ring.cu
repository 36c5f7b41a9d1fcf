/*!autotune
template  ring                         # several blocks share rows that the copy engine brings ahead; gamma is read once
use       rmsnorm_row ring

param     CLUSTER = 4 8               # blocks that share a row
param     THREADS = 256 512           # of a group
param     GROUPS  = 1 2               # of threads, which take rows by turns: one stores while the other waits for sums
param     STAGES  = 3 4               # rows that shared memory has place for
param     IDLE    = 0 1 2 3           # clusters that are left out: one that does not fit beside the others would double the time

const     PER     = 16 / sizeof(T)
let       vectors = cols / PER
const     SLICE   = ceil_div(vectors, CLUSTER) # vectors of a block; the last one may have fewer
const     EACH    = ceil_div(SLICE, THREADS) # of a thread
const     RAGGED  = SLICE % THREADS != 0 || vectors % CLUSTER != 0
let       fewest  = vectors - (CLUSTER - 1) * SLICE
let       clusters = min(rows, max(1, device.sms / CLUSTER - IDLE))

require   device.cc >= 90              # older devices have no clusters
require   cols % PER == 0              # rows are whole vectors
require   cols * sizeof(T) >= 32000    # shorter ones are as fast as a copy anyhow
require   fewest > (EACH - 1) * THREADS && fewest > 0 # only a thread's last vector may be missing
require   2 * SLICE > THREADS          # at least half of the threads have something
require   STAGES % GROUPS == 0 && GROUPS * THREADS <= 992 # who awaits a place has awaited it each time before
require   EACH * PER <= 40             # elements of a thread: a row and gamma are in registers
require   STAGES * SLICE * 16 <= device.max_shared_bytes - 6144
require   (EACH * 8 + 40) * (GROUPS * THREADS + 32) <= device.max_registers_per_block # no spills
require   IDLE == 0 || device.sms / CLUSTER > IDLE
require   clusters * CLUSTER <= device.max_grid_x

grid      clusters * CLUSTER
block     GROUPS * THREADS + 32
shared    STAGES * SLICE * 16
default   CLUSTER=8 THREADS=256 GROUPS=2 STAGES=4 IDLE=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 8, THREADS = 512, GROUPS = 1, STAGES = 3, PER = 4, SLICE = 512, EACH = 1, RAGGED = 0;
#include "../common/ring.cuh"
#include "../common/rmsnorm_row.cuh"
#endif

/*
 * The one warp behind the others asks for rows, into whichever place the others have left, so that memory is busy while
 * they add up, wait and store. Every warp sends its sum to all blocks of its cluster. Each group of threads has sums of its
 * own, and every GROUPS-th row. A block that sends the sum of its row t + 2 has had all sums of row t + 1; who sent those
 * has read the sums of row t: nothing is overwritten that somebody needs, and no block ends before what the others send it
 * has come.
 */
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(GROUPS * THREADS + 32, 1)
rmsnorm_ring(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
              long long rows, long long cols)
{
    using Slice = Row<THREADS, EACH, PER, RAGGED != 0>;
    constexpr int WARPS = THREADS / 32, SUMS = CLUSTER * WARPS;
    extern __shared__ __align__(128) uint4 places[];
    __shared__ float   parts_of[GROUPS][2][SUMS];
    __shared__ Barrier full[STAGES], left[STAGES], known_of[GROUPS][2];
    const int rank = (int)__clusterRelativeBlockRank(), group = (int)threadIdx.x / THREADS;
    const int lane = (int)threadIdx.x % THREADS, warp = lane / 32;
    const int begin = rank * SLICE, vectors = min(SLICE, (int)(cols / PER) - begin);
    const long long first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
    const int turns = (int)((rows - first + clusters - 1) / clusters);

    if (group == GROUPS) {
        Place<STAGES> to;
        if (lane % 32 == 0) {
            for (int i = 0; i < STAGES; i++)
                make_barrier(&full[i], 1), make_barrier(&left[i], WARPS);
            for (int i = 0; i < GROUPS * 2; i++)
                make_barrier(&known_of[0][0] + i, 1);
            barriers_are_made();
        }
        __syncwarp();
        __cluster_barrier_arrive();
        if (lane % 32 == 0)
            for (int t = 0; t < turns; t++, to.step()) {
                if (t >= STAGES)
                    wait(&left[to.at], to.parity ^ 1);
                arrive_announcing(&full[to.at], vectors * 16);
                fetch(places + to.at * SLICE, in + (first + t * clusters) * cols + begin * PER, vectors * 16, &full[to.at]);
            }
        __syncwarp();
        __cluster_barrier_wait();
        return;
    }

    Slice mine, weight;
    Place<STAGES> from;
    Place<2>      sums;
    weight.template read<false, false>(gamma + begin * PER, lane, vectors);
    auto *const parts = parts_of[group];
    Barrier *const known = known_of[group];
    for (int i = 0; i < group; i++)
        from.step();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#pragma unroll 1
    for (int t = group; t < turns; t += GROUPS, sums.step()) {
        wait(&full[from.at], from.parity);
        mine.template read<false, false>((const T *)(places + from.at * SLICE), lane, vectors);
        const float squares = total_of<32>(mine.squares(lane, vectors));
        if (lane == 0)
            arrive_announcing(&known[sums.at], sizeof parts[0]);
        if (lane % 32 < CLUSTER)
            send(&parts[sums.at][rank * WARPS + warp], squares, &known[sums.at], lane % 32);
        __syncwarp();
        if (lane % 32 == 0)
            arrive(&left[from.at]);
        for (int i = 0; i < GROUPS; i++)
            from.step();
        wait<true>(&known[sums.at], sums.parity);
        const float factor = factor_of(joined<SUMS>(parts[sums.at]), eps, cols);
        mine.template write<true>(out + (first + t * clusters) * cols + begin * PER, weight, factor, lane, vectors);
    }
}
