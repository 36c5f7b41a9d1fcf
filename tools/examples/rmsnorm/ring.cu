/*!autotune
template  ring                         # several blocks share rows that the copy engine brings ahead; gamma is read once
use       rmsnorm_row ring

param     CLUSTER = 2 4 8             # blocks that share a row; memcheck refuses st.async in a cluster of one
param     THREADS = 256 512           # of each, and a warp that asks for rows
param     STAGES  = 3 4 6             # rows that shared memory has place for
param     LAG     = 0 1               # rows that are added up before the one that is written
param     TURNS   = 4 8 16 32 36 64 72 # rows of a cluster, one after the other
param     HINT    = none keep         # whether the L2 is to keep what is read

const     PER     = 16 / sizeof(T)
let       vectors = cols / PER
const     SLICE   = ceil_div(vectors, CLUSTER) # vectors of a block; the last one may have fewer
const     EACH    = ceil_div(SLICE, THREADS) # of a thread
const     RAGGED  = SLICE % THREADS != 0 || vectors % CLUSTER != 0
let       fewest  = vectors - (CLUSTER - 1) * SLICE
let       clusters = ceil_div(rows, TURNS)

require   device.cc >= 90              # older devices have no clusters
require   cols % PER == 0              # rows are whole vectors
require   cols * sizeof(T) >= 32000    # shorter ones are as fast as a copy anyhow
require   fewest > (EACH - 1) * THREADS && fewest > 0 # only a thread's last vector may be missing
require   2 * SLICE > THREADS          # at least half of the threads have something
require   EACH * PER <= 32             # elements of a thread: two rows and gamma are in registers
require   STAGES * SLICE * 16 <= device.max_shared_bytes - 4096
require   STAGES <= 3 || STAGES * SLICE >= 1024 # more of what is small helps no more
require   TURNS == 4 || (TURNS <= rows && 2 * clusters * CLUSTER > device.sms) # else multiprocessors would idle
require   clusters * CLUSTER <= device.max_grid_x

grid      clusters * CLUSTER
block     THREADS + 32
shared    STAGES * SLICE * 16
default   CLUSTER=4 THREADS=512 STAGES=4 LAG=1 TURNS=16 HINT=keep
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 2, THREADS = 512, STAGES = 3, LAG = 0, PER = 4, SLICE = 512, EACH = 1, RAGGED = 0;
constexpr int HINT_none = 0, HINT_keep = 1, HINT = HINT_none;
#include "../common/ring.cuh"
#include "../common/rmsnorm_row.cuh"
#endif

/*
 * The one warp behind the others asks for rows, into whichever place the others have left, so that memory is busy while
 * they add up, wait and store. Every warp sends its sum to all blocks of its cluster. A block that sends the sum of row
 * t + DEPTH has had all sums of row t + DEPTH - 1 - LAG; who sent those has read the sums of all rows until t: nothing is
 * overwritten that somebody needs, and no block ends before what the others send it has come.
 */
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS + 32, 1)
rmsnorm_ring(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
              long long rows, long long cols)
{
    using Slice = Row<THREADS, EACH, PER, RAGGED != 0>;
    constexpr int WARPS = THREADS / 32, SUMS = CLUSTER * WARPS, DEPTH = 2 * LAG + 2;
    extern __shared__ __align__(128) uint4 places[];
    __shared__ float   parts[DEPTH][SUMS];
    __shared__ Barrier full[STAGES], left[STAGES], known[DEPTH];
    const int rank = (int)__clusterRelativeBlockRank(), lane = (int)threadIdx.x, warp = lane / 32;
    const int begin = rank * SLICE, vectors = min(SLICE, (int)(cols / PER) - begin);
    const long long first = blockIdx.x / CLUSTER, clusters = gridDim.x / CLUSTER;
    const int turns = (int)((rows - first + clusters - 1) / clusters);

    if (warp == WARPS) {
        Place<STAGES> to;
        if (lane % 32 == 0) {
            for (int i = 0; i < STAGES; i++)
                make_barrier(&full[i], 1), make_barrier(&left[i], WARPS);
            for (int i = 0; i < DEPTH; i++)
                make_barrier(&known[i], 1);
            barriers_are_made();
        }
        __syncwarp();
        __cluster_barrier_arrive();
        if (lane % 32 == 0)
            for (int t = 0; t < turns; t++, to.step()) {
                if (t >= STAGES)
                    wait(&left[to.at], to.parity ^ 1);
                arrive_announcing(&full[to.at], vectors * 16);
                fetch<HINT == HINT_keep>(places + to.at * SLICE, in + (first + t * clusters) * cols + begin * PER, vectors * 16, &full[to.at]);
            }
        __syncwarp();
        __cluster_barrier_wait();
        return;
    }

    Slice mine, weight;
    Place<STAGES> from, back;
    Place<DEPTH>  sent, heard;
    weight.template read<false, false>(gamma + begin * PER, lane, vectors);
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#pragma unroll 1
    for (int t = 0; t < turns + LAG; t++) {
        if (LAG == 0 || t < turns) {
            wait(&full[from.at], from.parity);
            mine.template read<false, false>((const T *)(places + from.at * SLICE), lane, vectors);
            const float squares = total_of<32>(mine.squares(lane, vectors));
            if (lane == 0)
                arrive_announcing(&known[sent.at], sizeof parts[0]);
            if (lane % 32 < CLUSTER)
                send(&parts[sent.at][rank * WARPS + warp], squares, &known[sent.at], lane % 32);
            from.step(), sent.step();
        }
        if (LAG == 0 || t >= LAG) {
            if (LAG > 0)
                mine.template read<false, false>((const T *)(places + back.at * SLICE), lane, vectors);
            __syncwarp();
            if (lane % 32 == 0)
                arrive(&left[back.at]);
            wait<true>(&known[heard.at], heard.parity);
            const float factor = factor_of(joined<SUMS>(parts[heard.at]), eps, cols);
            mine.template write<false>(out + (first + (t - LAG) * clusters) * cols + begin * PER, weight, factor, lane, vectors);
            back.step(), heard.step();
        }
    }
}
