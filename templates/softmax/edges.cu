/*!autotune
template  edges                        # rows that begin anywhere: whole vectors, but for the two ends of each row
use       softmax_row

param     CLUSTER = 1 2 4 8           # blocks that share a row
param     THREADS = 64 128 256 512 1024 # of each
param     FLOATS  = 0 1               # the row as floats, so that exponentials are computed once
param     HINT    = none once keep

const     PER     = 16 / sizeof(T)
let       GROUP   = CLUSTER * THREADS
const     EACH    = ceil_div(cols + PER - 1, GROUP * PER) # vectors of a thread; the first may begin before the row
let       registers = EACH * (!FLOATS || sizeof(T) == 4 ? 4 : PER + 2)

require   device.cc >= 90              # older devices have no clusters
require   cols % PER != 0              # other rows are whole vectors
require   THREADS == 64 || cols > GROUP * PER / 2 # at least half of the threads have something
require   registers <= 128 && (registers + 40) * THREADS <= device.max_registers_per_block # no spills
require   rows * CLUSTER <= device.max_grid_x

grid      rows * CLUSTER
block     THREADS
cluster   CLUSTER
default   CLUSTER=2 THREADS=512 FLOATS=0 HINT=none
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 2, THREADS = 512, FLOATS = 0, PER = 4, EACH = 4;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT = HINT_none;
#include "../common/softmax_row.cuh"
#endif

/*
 * Input and output begin equally far behind a multiple of 16 bytes, in each row, so the same vectors serve for both. Of the
 * first and the last vector only some elements are the row's; the others count as -inf and are not written.
 */
struct Edged : Row<CLUSTER * THREADS, EACH, PER, false, FLOATS != 0> {
    static constexpr int GROUP = CLUSTER * THREADS;
    int before, lane, cols; /* elements of the first vector that are not the row's */

    __device__ __forceinline__ Edged(long long first, int lane, int cols) : before((int)(first % PER)), lane(lane), cols(cols) {}

    __device__ __forceinline__ int column(int i) const { return (i * GROUP + lane) * PER - before; }
    __device__ __forceinline__ bool has(int column) const { return column >= 0 && column < cols; }

    /* All of a vector is the row's: certain but for a thread's first and last ones. */
    __device__ __forceinline__ bool is_whole(int i) const
    {
        return (i > 0 && i < EACH - 2) || (has(column(i)) && has(column(i) + PER - 1));
    }

    template <bool keep, bool once> __device__ __forceinline__ void read(const T *row)
    {
#pragma unroll
        for (int i = 0; i < EACH; i++)
            if (is_whole(i))
                raw[i].bits = load<keep, once>((const Part::Bits *)(row - before) + i * GROUP + lane);
            else
#pragma unroll
                for (int k = 0; k < PER; k++)
                    raw[i].element[k] = has(column(i) + k) ? row[column(i) + k] : (T)-__int_as_float(0x7f800000);
    }

    template <bool once> __device__ __forceinline__ void write(T *row, float scaled, Sum all)
    {
        const float factor = (FLOATS ? power_of_two(scaled - all.scaled) : 1.0f) / all.sum;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            Part part;
            forget_floats(i, all.sum);
#pragma unroll
            for (int k = 0; k < PER; k++)
                part.element[k] = (T)((FLOATS ? at(i, k) : exponential(at(i, k), all.scaled)) * factor);
            if (is_whole(i))
                store<once>((Part::Bits *)(row - before) + i * GROUP + lane, part.bits);
            else
#pragma unroll
                for (int k = 0; k < PER; k++)
                    if (has(column(i) + k))
                        row[column(i) + k] = part.element[k];
        }
    }
};

/* As in `cluster`: every warp stores its sum into the shared memory of all blocks, which must have begun before. */
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_edges(T *__restrict__ out, const T *__restrict__ in, long long rows, long long cols)
{
    constexpr int WARPS = THREADS / 32;
    __shared__ float2 parts[CLUSTER * WARPS];
    const int rank = (int)__clusterRelativeBlockRank(), warp = (int)threadIdx.x / 32;
    const long long first = blockIdx.x / CLUSTER * cols;
    Edged mine(first, rank * THREADS + (int)threadIdx.x, (int)cols);

    if (CLUSTER > 1)
        __cluster_barrier_arrive();
    mine.read<HINT == HINT_keep, HINT == HINT_once>(in + first);
    const float scaled = scaled_of(largest_of<32>(mine.largest(0, 0)));
    const float sum = total_of<32>(mine.total(scaled, 0, 0));
    if (CLUSTER > 1)
        __cluster_barrier_wait();
    if (threadIdx.x % 32 < CLUSTER)
        *(float2 *)__cluster_map_shared_rank(&parts[rank * WARPS + warp], threadIdx.x % 32) = make_float2(scaled, sum);
    if (CLUSTER > 1) {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    } else
        __syncthreads();
    mine.write<HINT == HINT_once>(out + first, scaled, joined<CLUSTER * WARPS>((const Sum *)parts));
}
