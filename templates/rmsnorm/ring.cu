/*!autotune
template  ring                         # several blocks share rows that the copy engine brings ahead; gamma is read once
use       rmsnorm_row ring_rows        # with its parameters

require   (EACH * 8 + 40) * (GROUPS * THREADS + 32) <= device.max_registers_per_block # no spills: a row and gamma are in them

grid      clusters * CLUSTER
block     GROUPS * THREADS + 32
shared    STAGES * SLICE * 16
default   CLUSTER=8 THREADS=256 GROUPS=2 STAGES=4 IDLE=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int CLUSTER = 8, THREADS = 512, GROUPS = 1, STAGES = 3, PER = 4, SLICE = 512, EACH = 1, RAGGED = 0;
#include "../common/ring_rows.cuh"
#include "../common/rmsnorm_row.cuh"
#endif

struct Norm {
    using Sum = float;
    using Slice = Row<THREADS, EACH, PER, RAGGED != 0>;
    const T  *gamma;
    float     eps;
    long long cols;
    Slice     mine, weight;

    __device__ __forceinline__ void begin(int first, int lane, int vectors)
    {
        weight.template read<false, false>(gamma + first, lane, vectors);
    }

    __device__ __forceinline__ float add(const T *from, int lane, int vectors)
    {
        mine.template read<false, false>(from, lane, vectors);
        return total_of<32>(mine.squares(lane, vectors));
    }

    __device__ __forceinline__ void write(T *to, const float *parts, int lane, int vectors) const
    {
        const float factor = factor_of(joined<CLUSTER * THREADS / 32>(parts), eps, cols);
        mine.template write<true>(to, weight, factor, lane, vectors);
    }
};

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(GROUPS * THREADS + 32, 1)
rmsnorm_ring(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
              long long rows, long long cols)
{
    Norm work;
    work.gamma = gamma, work.eps = eps, work.cols = cols;
    go_round<Norm, CLUSTER, THREADS, GROUPS, STAGES, SLICE>(out, in, rows, cols, work);
}
