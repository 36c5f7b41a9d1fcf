/*!autotune
template  stream                       # a row is read twice, by one block: for any length and alignment
use       rmsnorm_row stream_rows     # with its parameters

grid      rows
block     THREADS
default   THREADS=512 BYTES=16 UNROLL=2 KEEP=0 BACK=0
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int THREADS = 512, BYTES = 16, UNROLL = 2, KEEP = 0, BACK = 0, PER = 4;
#include "../common/rmsnorm_row.cuh"
#endif

/* A row is gone through in pieces of UNROLL vectors a thread, each a short row of its own. */
extern "C" __global__ void __launch_bounds__(THREADS)
rmsnorm_stream(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ gamma, float eps,
                long long rows, long long cols)
{
    constexpr int PIECE = THREADS * UNROLL; /* vectors */
    __shared__ float parts[THREADS / 32];
    const int lane = (int)threadIdx.x, vectors = (int)(cols / PER);
    const T *const from = in + blockIdx.x * cols;
    T *const to = out + blockIdx.x * cols;
    float squares = 0;

    for (int v = 0; v < vectors; v += PIECE)
        if (vectors - v >= PIECE) {
            Row<THREADS, UNROLL, PER, false> full;
            full.template read<KEEP != 0, false>(from + (long long)v * PER, lane, PIECE);
            squares += full.squares(lane, PIECE);
        } else {
            for (int i = v + lane; i < vectors; i += THREADS) {
                Row<THREADS, 1, PER, false> one;
                one.template read<KEEP != 0, false>(from + (long long)(i - lane) * PER, lane, THREADS);
                squares += one.squares(lane, THREADS);
            }
        }
    squares = total_of<32>(squares);
    if (lane % 32 == 0)
        parts[lane / 32] = squares;
    __syncthreads();

    const float factor = factor_of(joined<THREADS / 32>(parts), eps, cols);
    for (int w = 0; w < vectors; w += PIECE) {
        const int v = BACK ? (vectors - 1) / PIECE * PIECE - w : w;
        if (vectors - v >= PIECE) {
            Row<THREADS, UNROLL, PER, false> full, with;
            full.template read<false, KEEP != 0>(from + (long long)v * PER, lane, PIECE);
            with.template read<false, false>(gamma + (long long)v * PER, lane, PIECE);
            full.template write<KEEP != 0>(to + (long long)v * PER, with, factor, lane, PIECE);
        } else {
            for (int i = v + lane; i < vectors; i += THREADS) {
                const long long at = (long long)(i - lane) * PER;
                Row<THREADS, 1, PER, false> one, with;
                one.template read<false, KEEP != 0>(from + at, lane, THREADS);
                with.template read<false, false>(gamma + at, lane, THREADS);
                one.template write<KEEP != 0>(to + at, with, factor, lane, THREADS);
            }
        }
    }
}
