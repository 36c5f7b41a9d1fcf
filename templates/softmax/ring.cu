/*!autotune
template  ring                         # several blocks share rows that the copy engine brings ahead
use       softmax_row ring_rows        # with its parameters

require   (EACH * (4 + PER) + 40) * (GROUPS * THREADS + 32) <= device.max_registers_per_block # no spills

grid      clusters * CLUSTER
block     GROUPS * THREADS + 32
shared    STAGES * SLICE * 16
default   CLUSTER=8 THREADS=256 GROUPS=2 STAGES=4 IDLE=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 8, THREADS = 512, GROUPS = 1, STAGES = 3, PER = 4, SLICE = 512, EACH = 1, RAGGED = 0;
#include "../common/ring_rows.cuh"
#include "../common/softmax_row.cuh"
#endif

struct Softmax {
    using Sum = float2;
    Row<THREADS, EACH, PER, RAGGED != 0, true> mine;
    float scaled;

    __device__ __forceinline__ void begin(int, int, int) {}

    __device__ __forceinline__ float2 add(const T *from, int lane, int vectors)
    {
        mine.template read<false, false>(from, lane, vectors);
        scaled = scaled_of(largest_of<32>(mine.largest(lane, vectors)));
        return make_float2(scaled, total_of<32>(mine.total(scaled, lane, vectors)));
    }

    __device__ __forceinline__ void write(T *to, const float2 *parts, int lane, int vectors)
    {
        mine.template write<true>(to, scaled, joined<CLUSTER * THREADS / 32>((const ::Sum *)parts), lane, vectors);
    }
};

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(GROUPS * THREADS + 32, 1)
softmax_ring(T *__restrict__ out, const T *__restrict__ in, long long rows, long long cols)
{
    go_round<Softmax, CLUSTER, THREADS, GROUPS, STAGES, SLICE>(out, in, rows, cols, Softmax());
}
