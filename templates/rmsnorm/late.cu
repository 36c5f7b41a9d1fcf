/*!autotune
template  late                         # a row in the registers of one block; gamma is read as the row is written
use       rmsnorm_row

param     THREADS = 256 512
param     BLOCKS  = 1 2               # of a multiprocessor, at least

const     PER     = 16 / sizeof(T)
const     EACH    = ceil_div(cols, THREADS * PER) # vectors of a thread
const     RAGGED  = cols % (THREADS * PER) != 0

require   device.cc >= 80              # older devices have no reads that the L2 keeps
require   cols % PER == 0              # rows are whole vectors
require   cols > THREADS * PER / 2     # at least half of the threads have something
require   EACH * PER <= 64             # elements of a thread, in registers
require   (EACH * PER + 28) * THREADS * BLOCKS <= device.max_registers_per_block # no spills
require   rows <= device.max_grid_x

grid      rows
block     THREADS
default   THREADS=512 BLOCKS=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int THREADS = 512, BLOCKS = 2, PER = 4, EACH = 4, RAGGED = 0;
#include "../common/rmsnorm_row.cuh"
#endif

/* The L1 drops it last: the next block has the same columns of it. */
__device__ __forceinline__ uint4 load_gamma(const uint4 *from)
{
    uint4 b;
    asm volatile("ld.global.nc.L1::evict_last.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(b.x), "=r"(b.y), "=r"(b.z), "=r"(b.w) : "l"(from));
    return b;
}

/*
 * In `rows` a thread has its part of gamma in registers, as many as of the row, and one block is all that fits into a
 * multiprocessor; here gamma comes when the row is written.
 */
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
rmsnorm_late(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
              long long rows, long long cols)
{
    constexpr int WARPS = THREADS / 32;
    __shared__ float parts[WARPS];
    const int lane = (int)threadIdx.x, vectors = (int)(cols / PER);
    const long long first = blockIdx.x * cols;
    using R = Row<THREADS, EACH, PER, RAGGED != 0>;
    R mine;

    mine.template read<true, false>(in + first, lane, vectors);
    const float squares = total_of<32>(mine.squares(lane, vectors));
    if (lane % 32 == 0)
        parts[lane / 32] = squares;
    __syncthreads();
    const float factor = factor_of(joined<WARPS>(parts), eps, cols);
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (R::has(i, lane, vectors)) {
            Vector<PER> weight, part;
            weight.bits = load_gamma((const uint4 *)gamma + i * THREADS + lane);
#pragma unroll
            for (int k = 0; k < PER; k++)
                part.element[k] = (T)((float)mine.raw[i].element[k] * factor * (float)weight.element[k]);
            store<false>((uint4 *)(out + first) + i * THREADS + lane, part.bits);
        }
}
