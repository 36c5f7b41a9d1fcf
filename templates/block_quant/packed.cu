/*!autotune
template  packed                       # as `tile`, for whole vectors: elements stay as they were read, so that more blocks are resident
use       quant words

param     THREADS = 128 256 512        # threads a block
param     BLOCKS  = 2 3 4 6 8          # of a multiprocessor, at least: what registers are left for
param     HINT    = none once keep apart # writes are marked as not needed soon; reads as to be kept in the L2; or both
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the turned output's

const     EDGE    = rows % 128 != 0 || cols % 128 != 0
let       down    = ceil_div(rows, 128)
const     ACROSS  = across
const     DOWN    = ORDER == ORDER_out_fast ? down : 1 # the other order is for any number of rows

require   device.cc >= 80              # older devices have no maximum of two elements
require   cols % 8 == 0 && rows % 16 == 0 # rows of both are whole vectors
require   THREADS * BLOCKS >= 512 && THREADS * BLOCKS <= 1536
require   (16384 / THREADS / 2 + 24) * THREADS * BLOCKS <= device.max_registers_per_block # no spills
require   HINT == HINT_none || moved >= device.l2_bytes / 4
require   blocks <= device.max_grid_x

arg       q turned scales in rows cols
grid      blocks
block     THREADS
default   THREADS=256 BLOCKS=4 HINT=none ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
#include <cuda_bf16.h>
using T = __nv_bfloat16;
constexpr int THREADS = 256, BLOCKS = 4, EDGE = 1, ACROSS = 32, DOWN = 32;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/quant.cuh"
#include "../common/words.cuh"
#endif

constexpr bool KEEP = HINT >= HINT_keep, ONCE = HINT == HINT_once || HINT == HINT_apart;
constexpr int  SIDE = 128, FOURS = SIDE / 4; /* words of a row of the tile, each four elements of e4m3 */
constexpr int  ROWS_AT_ONCE = THREADS / (SIDE / 8), PIECES = SIDE / ROWS_AT_ONCE; /* rows that threads read at once; pieces of a thread */

/* As in `tile`: words that are needed together lie in different banks. */
__device__ __forceinline__ int place(int row, int word)
{
    return row * FOURS + (word ^ row / 16 * 4);
}

/* The larger magnitudes of two pairs of elements, of a number and NaN the number. `most` has no signs. */
template <class Number> __device__ __forceinline__ unsigned larger_of(unsigned most, unsigned word)
{
    asm("max.f16x2 %0, %0, %1;" : "+r"(most) : "r"(word & 0x7fff7fffu));
    return most;
}

template <> __device__ __forceinline__ unsigned larger_of<__nv_bfloat16>(unsigned most, unsigned word)
{
    asm("max.bf16x2 %0, %0, %1;" : "+r"(most) : "r"(word & 0x7fff7fffu));
    return most;
}

union Eight { /* elements of a row, as they were read */
    uint4    bits;
    unsigned word[4];
};

/* Four elements of e4m3. */
__device__ __forceinline__ unsigned converted(unsigned low, unsigned high, float by)
{
    const float2 a = both_of<T>(low), b = both_of<T>(high);
    return convert_pair<TO_E4M3>(a.x * by, a.y * by) | convert_pair<TO_E4M3>(b.x * by, b.y * by) << 16;
}

/* Of four columns and 16 rows, from the tile to the turned output: a word of each row, turned. */
__device__ __forceinline__ void write_columns(unsigned char *to, const unsigned *tile, int row, int four, int left, long long rows)
{
    unsigned column[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned turn[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            turn[k] = tile[place(row + 4 * i + k, four)];
        turn_converted(turn);
#pragma unroll
        for (int k = 0; k < 4; k++)
            column[k][i] = turn[k];
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (!EDGE || four * 4 + k < left)
            store<ONCE>((uint4 *)(to + (four * 4 + k) * rows + row), make_uint4(column[k][0], column[k][1], column[k][2], column[k][3]));
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
block_quant_packed(unsigned char *__restrict__ q, unsigned char *__restrict__ turned, float *__restrict__ scales, const T *__restrict__ in,
    long long rows, long long cols)
{
    __shared__ unsigned tile[SIDE * FOURS];
    __shared__ float of_warps[THREADS / 32];
    const int n = (int)blockIdx.x, down = ORDER == ORDER_in_fast ? n / ACROSS : n % DOWN, across = ORDER == ORDER_in_fast ? n % ACROSS : n / DOWN;
    const long long corner = down * SIDE * cols + across * SIDE;
    const int rows_here = EDGE ? (int)min((long long)SIDE, rows - down * SIDE) : SIDE, cols_here = EDGE ? (int)min((long long)SIDE, cols - across * SIDE) : SIDE;
    const int column = (int)threadIdx.x % (SIDE / 8) * 8, first = (int)threadIdx.x / (SIDE / 8);
    Eight piece[PIECES];
    unsigned most = 0;

#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const int row = first + i * ROWS_AT_ONCE;
        piece[i].bits = make_uint4(0, 0, 0, 0);
        if (!EDGE || (row < rows_here && column < cols_here))
            piece[i].bits = load<KEEP>((const uint4 *)(in + corner + row * cols + column));
    }
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            most = larger_of<T>(most, piece[i].word[k]);
    const float2 two = both_of<T>(most);
    const float of_warp = largest_magnitude(fmaxf(two.x, two.y));
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    const Scaled is = exactly_scaled_for<false>(largest_magnitude(of_warps[threadIdx.x % (THREADS / 32)]));
    if (threadIdx.x == 0)
        scales[(long long)down * ACROSS + across] = is.scale;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const int row = first + i * ROWS_AT_ONCE;
        const uint2 eight = make_uint2(converted(piece[i].word[0], piece[i].word[1], is.by), converted(piece[i].word[2], piece[i].word[3], is.by));
        *(uint2 *)&tile[place(row, column / 4)] = eight;
        if (!EDGE || (row < rows_here && column < cols_here))
            store<ONCE>((uint2 *)(q + corner + row * cols + column), eight);
    }
    __syncthreads();
    for (int item = (int)threadIdx.x; item < FOURS * 8; item += THREADS) {
        const int four = item / 8, row = item % 8 * 16;
        if (!EDGE || row < rows_here)
            write_columns(turned + across * SIDE * rows + down * SIDE, tile, row, four, cols_here, rows);
    }
}
