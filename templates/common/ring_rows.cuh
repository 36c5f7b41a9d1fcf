/*!autotune
common    ring_rows                    # rows that several blocks share, and that the copy engine brings ahead
use       ring

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
require   EACH * PER <= 40             # elements of a thread, in registers
require   STAGES * SLICE * 16 <= device.max_shared_bytes - 6144
require   IDLE == 0 || device.sms / CLUSTER > IDLE
require   clusters * CLUSTER <= device.max_grid_x
*/

#ifndef AUTOTUNE_RENDERED /* included by a template in an editor, or by nvcc alone */
#pragma once
#include "ring.cuh"
#endif

/*
 * The one warp behind the others asks for rows, into whichever place the others have left, so that memory is busy while
 * they add up, wait and store. Every warp sends its sum to all blocks of its cluster. Each group of threads has sums of its
 * own, and every `groups`-th row. A block that sends the sum of its row t + 2 has had all sums of row t + 1; the senders of
 * those have read the sums of row t. So no sum is overwritten before it is read, and no block ends before all that the
 * others send it has come.
 *
 * `Work` is what an operation does with the `slice` vectors of a block: `Sum` of a warp; `begin(first, lane, vectors)`, once;
 * `add(from, lane, vectors)`, the sum of this warp, with the row in registers; `write(to, sums, lane, vectors)`.
 */
template <class Work, int cluster, int threads, int groups, int stages, int slice>
__device__ __forceinline__ void go_round(T *out, const T *in, long long rows, long long cols, Work work)
{
    constexpr int WARPS_OF = threads / 32, SUMS_OF = cluster * WARPS_OF, PER_OF = 16 / (int)sizeof(T);
    extern __shared__ __align__(128) uint4 places[];
    __shared__ typename Work::Sum parts_of[groups][2][SUMS_OF];
    __shared__ Barrier full[stages], left[stages], known_of[groups][2];
    const int rank = (int)__clusterRelativeBlockRank(), group = (int)threadIdx.x / threads;
    const int lane = (int)threadIdx.x % threads, warp = lane / 32;
    const int begin = rank * slice, vectors = min(slice, (int)(cols / PER_OF) - begin);
    const long long first = blockIdx.x / cluster, clusters = gridDim.x / cluster;
    const int turns = (int)((rows - first + clusters - 1) / clusters);

    if (group == groups) {
        Place<stages> to;
        if (lane % 32 == 0) {
            for (int i = 0; i < stages; i++)
                make_barrier(&full[i], 1), make_barrier(&left[i], WARPS_OF);
            for (int i = 0; i < groups * 2; i++)
                make_barrier(&known_of[0][0] + i, 1);
            barriers_are_made();
        }
        __syncwarp();
        __cluster_barrier_arrive();
        if (lane % 32 == 0)
            for (int t = 0; t < turns; t++, to.step()) {
                if (t >= stages)
                    wait(&left[to.at], to.parity ^ 1);
                arrive_announcing(&full[to.at], vectors * 16);
                fetch(places + to.at * slice, in + (first + t * clusters) * cols + begin * PER_OF, vectors * 16, &full[to.at]);
            }
        __syncwarp();
        __cluster_barrier_wait();
        return;
    }

    Place<stages> from;
    Place<2>      sums;
    work.begin(begin * PER_OF, lane, vectors);
    auto *const parts = parts_of[group];
    Barrier *const known = known_of[group];
    for (int i = 0; i < group; i++)
        from.step();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
#pragma unroll 1
    for (int t = group; t < turns; t += groups, sums.step()) {
        wait(&full[from.at], from.parity);
        const typename Work::Sum sum = work.add((const T *)(places + from.at * slice), lane, vectors);
        if (lane == 0)
            arrive_announcing(&known[sums.at], sizeof parts[0]);
        if (lane % 32 < cluster)
            send(&parts[sums.at][rank * WARPS_OF + warp], sum, &known[sums.at], lane % 32);
        __syncwarp();
        if (lane % 32 == 0)
            arrive(&left[from.at]);
        for (int i = 0; i < groups; i++)
            from.step();
        wait<true>(&known[sums.at], sums.parity);
        work.write(out + (first + t * clusters) * cols + begin * PER_OF, parts[sums.at], lane, vectors);
    }
}
