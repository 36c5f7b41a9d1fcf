/*!autotune
template  stream                       # a row is read twice, by one block: for any length and alignment
use       softmax_row stream_rows     # with its parameters

grid      rows
block     THREADS
default   THREADS=512 BYTES=16 UNROLL=2 KEEP=0 BACK=0
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int THREADS = 512, BYTES = 16, UNROLL = 2, KEEP = 0, BACK = 0, PER = 4;
#include "../common/softmax_row.cuh"
#endif

/* UNROLL vectors at a time; what is behind the row's end keeps its `fill`. */
using Part = Vector<PER>;

template <bool keep, bool once> __device__ __forceinline__ void read(Part *part, const T *from, int first, int vectors)
{
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        if (first + i * THREADS < vectors)
            part[i].bits = load<keep, once>((const Part::Bits *)from + first + i * THREADS);
}

__device__ __forceinline__ Sum raised(Sum sum, float scaled)
{
    return { scaled, sum.below(scaled) };
}

/*
 * The largest so far and the sum of exponentials below it go on together: where a larger element comes, the sum is
 * scaled down to it.
 */
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_stream(T *__restrict__ out, const T *__restrict__ in, long long rows, long long cols)
{
    constexpr int PIECE = UNROLL * THREADS; /* vectors */
    __shared__ Sum parts[THREADS / 32];
    const int vectors = (int)(cols / PER);
    const T *const from = in + blockIdx.x * cols;
    T *const to = out + blockIdx.x * cols;
    Sum mine = { LEAST, 0 };
    Part part[UNROLL];

    for (int v = (int)threadIdx.x; v < vectors; v += UNROLL * THREADS) {
        float top = LEAST;
        read<KEEP != 0, false>(part, from, v, vectors);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            for (int k = 0; k < PER; k++)
                if (v + i * THREADS < vectors)
                    top = fmaxf(top, (float)part[i].element[k]);
        mine = raised(mine, fmaxf(mine.scaled, scaled_of(top)));
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            for (int k = 0; k < PER; k++)
                if (v + i * THREADS < vectors)
                    mine.sum += exponential((float)part[i].element[k], mine.scaled);
    }
    mine = raised(mine, largest_of<32>(mine.scaled));
    mine.sum = total_of<32>(mine.sum);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = mine;
    __syncthreads();

    const Sum all = joined<THREADS / 32>(parts);
    const float factor = 1.0f / all.sum;
    for (int w = 0; w < vectors; w += PIECE) {
        const int v = (BACK ? (vectors - 1) / PIECE * PIECE - w : w) + (int)threadIdx.x;
        read<false, KEEP != 0>(part, from, v, vectors);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            if (v + i * THREADS < vectors) {
#pragma unroll
                for (int k = 0; k < PER; k++)
                    part[i].element[k] = (T)(exponential((float)part[i].element[k], all.scaled) * factor);
                store<KEEP != 0>((Part::Bits *)to + v + i * THREADS, part[i].bits);
            }
    }
}
