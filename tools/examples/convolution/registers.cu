/*!autotune
template  registers                    # TX x TY outputs a thread in registers, each row of the input loaded once for all of them

param     BX     = 8 16 32             # threads along a row
param     BY     = 2 4 8 16 32         # rows of threads
param     TX     = 4 8 16              # outputs of a thread along a row: of TX + 16 inputs in registers
param     TY     = 1 2 3 4 5 6 8       # ... and rows of them: each needs its own row of the filter
param     BLOCKS = 1 2 3 4 6           # on a multiprocessor: what the compiler may spend of registers

let       threads = BX * BY
let       tile_x = BX * TX + 16
let       groups = ceil_div(tile_x / 4, 8) * 8      # of 4 elements in a row of the tile
let       tile_y = BY * TY + 16
let       shared_bytes = (groups * 4 * tile_y + 17 * 20) * sizeof(T)
let       registers = TX * TY + TX + 16 + 20 + 16
let       blocks = ceil_div(cols, BX * TX) * ceil_div(rows, BY * TY)
const     EDGES = cols % (BX * TX) != 0 || rows % (BY * TY) != 0
const     ALIGNED = cols % 4 == 0      # rows begin at multiples of 16 bytes

fixed     rows > 0                     # the sizes are constants

require   threads >= 64 && threads <= 512
require   TX * TY >= 16 && TX * TY <= 96 # fewer are loads, more do not fit into registers
require   registers * threads * BLOCKS <= device.max_registers_per_block && registers <= 240
require   threads * BLOCKS >= 256      # two warps for each scheduler
require   shared_bytes <= device.max_shared_bytes && shared_bytes * BLOCKS <= 220000
require   blocks <= device.max_grid_x

grid      blocks
block     BX BY
shared    shared_bytes
default   BX=16 BY=8 TX=8 TY=4 BLOCKS=4
*/

#ifndef AUTOTUNE_RENDERED /* for editors; autotune puts the real values here */
using T = float;
constexpr int BX = 16, BY = 8, TX = 8, TY = 4, BLOCKS = 4, EDGES = 1, ALIGNED = 1;
#define AUTOTUNE_ARG(name) name
#endif

/*
 * A thread goes down TY + 16 rows of the input. Each is loaded once, TX + 16 elements, and counts for those of the TY output
 * rows that it is a part of: output row t takes filter row i from input row t + i. In the middle these are all TY, before and
 * after fewer, hence three loops.
 *
 * Neighbouring threads load vectors that are TX elements apart, which would all be in the same banks where TX > 4. So
 * group g of a row lies in place g ^ (g / 8 % (TX / 4)): eight threads then load from eight different places.
 */
constexpr int THREADS = BX * BY;
constexpr int GROUPS = (BX * TX + 16) / 4, PLACES = (GROUPS + 7) / 8 * 8; /* of a row of the tile */
constexpr int TILE_Y = BY * TY + 16, PITCH = PLACES * 4;
constexpr int WINDOW = TX + 16;
constexpr int WEIGHTS = 20; /* a row of the filter, and three spare elements, so that rows are vectors */

extern __shared__ uint4 shared_memory[];

__device__ __forceinline__ int place_of(int group)
{
    return group ^ (group / 8 % (TX / 4));
}

/* 4 or 16 bytes, or zeros. */
template <int size> __device__ __forceinline__ void copy_async(T *to, const T *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = (unsigned)__cvta_generic_to_shared(to);
    if constexpr (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(inside ? 16 : 0) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(inside ? 4 : 0) : "memory");
#else
    for (int i = 0; i < size / 4; i++)
        to[i] = inside ? from[i] : T(0);
#endif
}

__device__ __forceinline__ void await_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

/* Input row `row` of the thread for its output rows FIRST .. LAST - 1. */
template <int FIRST, int LAST>
__device__ __forceinline__ void add_row(T (&sum)[TY][TX], const T *tile, const T *weights, const int (&place)[WINDOW / 4], int row)
{
    alignas(16) T in[WINDOW], w[WEIGHTS];
#pragma unroll
    for (int g = 0; g < WINDOW / 4; g++)
        *(float4 *)&in[4 * g] = *(const float4 *)(tile + row * PITCH + place[g]);
#pragma unroll
    for (int t = FIRST; t < LAST; t++) {
#pragma unroll
        for (int j = 0; j < 16; j += 4)
            *(float4 *)&w[j] = *(const float4 *)(weights + (row - t) * WEIGHTS + j);
        w[16] = weights[(row - t) * WEIGHTS + 16];
#pragma unroll
        for (int j = 0; j < 17; j++)
#pragma unroll
            for (int x = 0; x < TX; x++)
                sum[t][x] += in[x + j] * w[j];
    }
}

/* Rows of which only the first output rows have a part, then those of which only the last have one. */
template <int ROW = 0>
__device__ __forceinline__ void add_first_rows(T (&sum)[TY][TX], const T *tile, const T *weights, const int (&place)[WINDOW / 4])
{
    if constexpr (ROW < TY - 1) {
        add_row<0, ROW + 1>(sum, tile, weights, place, ROW);
        add_first_rows<ROW + 1>(sum, tile, weights, place);
    }
}
template <int ROW = 1>
__device__ __forceinline__ void add_last_rows(T (&sum)[TY][TX], const T *tile, const T *weights, const int (&place)[WINDOW / 4])
{
    if constexpr (ROW < TY) {
        add_row<ROW, TY>(sum, tile, weights, place, 16 + ROW);
        add_last_rows<ROW + 1>(sum, tile, weights, place);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    convolution_registers(T *__restrict__ out, const T *__restrict__ in, const T *__restrict__ filter, int AUTOTUNE_ARG(rows),
                          int AUTOTUNE_ARG(cols))
{
    T *const tile = (T *)shared_memory, *const weights = tile + PITCH * TILE_Y;
    const int x = (int)threadIdx.x, y = (int)threadIdx.y, thread = y * BX + x;
    const int across = (cols + BX * TX - 1) / (BX * TX), wide = cols + 16;
    const int col = (int)blockIdx.x % across * BX * TX, row = (int)blockIdx.x / across * BY * TY;

    for (int i = thread; i < GROUPS * TILE_Y; i += THREADS) {
        const int r = i / GROUPS, g = i % GROUPS;
        const bool inside = !EDGES || row + r < rows + 16;
        const T *const from = in + (long long)(row + r) * wide + col + 4 * g;
        T *const to = tile + r * PITCH + 4 * place_of(g);
        if constexpr (ALIGNED)
            copy_async<16>(to, from, inside && (!EDGES || col + 4 * g < wide));
        else
#pragma unroll
            for (int j = 0; j < 4; j++)
                copy_async<4>(to + j, from + j, inside && (!EDGES || col + 4 * g + j < wide));
    }
    for (int i = thread; i < 17 * WEIGHTS; i += THREADS)
        weights[i] = i % WEIGHTS < 17 ? filter[i / WEIGHTS * 17 + i % WEIGHTS] : T(0);
    await_copies();

    T sum[TY][TX] = {};
    int place[WINDOW / 4];
    const T *const mine = tile + y * TY * PITCH;
#pragma unroll
    for (int g = 0; g < WINDOW / 4; g++)
        place[g] = 4 * place_of(x * (TX / 4) + g);
    add_first_rows(sum, mine, weights, place);
#pragma unroll 1
    for (int r = TY - 1; r < 17; r++)
        add_row<0, TY>(sum, mine, weights, place, r);
    add_last_rows(sum, mine, weights, place);

#pragma unroll
    for (int t = 0; t < TY; t++) {
        const int r = row + y * TY + t;
#pragma unroll
        for (int i = 0; i < TX; i += 4) {
            const int c = col + x * TX + i;
            if (EDGES && r >= rows)
                continue;
            if (ALIGNED && (!EDGES || c < cols))
                *(float4 *)(out + (long long)r * cols + c) = make_float4(sum[t][i], sum[t][i + 1], sum[t][i + 2], sum[t][i + 3]);
#pragma unroll
            for (int l = 0; !ALIGNED && l < 4; l++)
                if (!EDGES || c + l < cols)
                    out[(long long)r * cols + c + l] = sum[t][i + l];
        }
    }
}
