/*!autotune
template  tile                         # a block of the scale is a block of threads; it is turned in shared memory
use       quant

param     THREADS = 128 256 512        # threads a block
param     HINT    = none once keep apart # writes are marked as not needed soon; reads as to be kept in the L2; or both
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the turned output's

const     READ    = min(16, gcd(cols * sizeof(T), 16)) / sizeof(T) # elements of an access to `in`
const     WRITE   = gcd(rows, 16)      # bytes of an access to `turned`
const     EDGE    = rows % 128 != 0 || cols % 128 != 0
let       down    = ceil_div(rows, 128)
const     ACROSS  = across
const     DOWN    = ORDER == ORDER_out_fast ? down : 1 # the other order is for any number of rows
general   EDGE=1 WRITE=1

require   READ >= 2 || cols % 2 == 1
require   HINT == HINT_none || (device.cc >= 80 && moved >= device.l2_bytes / 4)
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

arg       q turned scales in rows cols
grid      blocks
block     THREADS
default   THREADS=256 HINT=none ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr int THREADS = 256, READ = 4, WRITE = 16, EDGE = 1, ACROSS = 32, DOWN = 32;
constexpr int HINT_none = 0, HINT_once = 1, HINT_keep = 2, HINT_apart = 3, HINT = HINT_none;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/quant.cuh"
#endif

constexpr bool KEEP = HINT >= HINT_keep, ONCE = HINT == HINT_once || HINT == HINT_apart;
constexpr int  SIDE = 128, FOURS = SIDE / 4; /* words of a row of the tile, each four elements of e4m3 */

/*
 * A thread reads 8 elements of a row at a time. They stay in registers until the block knows its largest, go to `q`, and as two
 * words into the tile. Then a thread takes a word of each of 16 rows, which is four columns of 16 rows, and turns them. Eight lanes
 * that have the same columns write 128 bytes of each. Words of a row are exchanged by its number so that they lie in different banks:
 *
 *     word w of row r    at 32 r + (w ^ 4 (r / 16))
 */
__device__ __forceinline__ int place(int row, int word)
{
    return row * FOURS + (word ^ row / 16 * 4);
}

struct Eight { /* elements of a row */
    T element[8];

    __device__ __forceinline__ float operator[](int i) const { return (float)element[i]; }

    /* As many as the row still has; the others are 0. */
    __device__ __forceinline__ void read(const T *from, int left)
    {
#pragma unroll
        for (int i = 0; i < 8; i += READ) {
            Vector<READ> some = {};
            if (!EDGE || i < left)
                some.bits = load<KEEP>((const typename Vector<READ>::Bits *)from + i / READ);
#pragma unroll
            for (int k = 0; k < READ; k++)
                element[i + k] = some.element[k];
        }
    }
};

/* Of four columns and 16 rows, 16 bytes of a column, of which `left` are within the output. */
__device__ __forceinline__ void write_column(unsigned char *to, const unsigned (&rows)[4], int left)
{
    using Bits = typename Access<WRITE>::type;
    union { unsigned word[4]; Bits part[16 / WRITE]; } column;
#pragma unroll
    for (int i = 0; i < 4; i++)
        column.word[i] = rows[i];
#pragma unroll
    for (int i = 0; i < 16 / WRITE; i++)
        if (!EDGE || i * WRITE < left)
            store<ONCE>((Bits *)to + i, column.part[i]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
block_quant_tile(unsigned char *__restrict__ q, unsigned char *__restrict__ turned, float *__restrict__ scales, const T *__restrict__ in,
    long long rows, long long cols)
{
    constexpr int PIECES = SIDE * SIDE / 8 / THREADS; /* of a thread */
    __shared__ unsigned tile[SIDE * FOURS];
    __shared__ float of_warps[THREADS / 32];
    const int n = (int)blockIdx.x, down = ORDER == ORDER_in_fast ? n / ACROSS : n % DOWN, across = ORDER == ORDER_in_fast ? n % ACROSS : n / DOWN;
    const long long corner = down * SIDE * cols + across * SIDE;
    const int rows_here = EDGE ? (int)min((long long)SIDE, rows - down * SIDE) : SIDE, cols_here = EDGE ? (int)min((long long)SIDE, cols - across * SIDE) : SIDE;
    const int column = (int)threadIdx.x % (SIDE / 8) * 8, first = (int)threadIdx.x / (SIDE / 8);
    Eight piece[PIECES];
    float largest = 0;

#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const int row = first + i * (THREADS / (SIDE / 8));
        piece[i].read(in + corner + row * cols + column, !EDGE || row < rows_here ? cols_here - column : 0);
    }
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            largest = fmaxf(largest, fabsf(piece[i][k]));
    keep_largest(of_warps, largest);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < THREADS / 32; i++)
        largest = fmaxf(largest, of_warps[i]);
    const float scale = scale_for<false>(largest), by = 1 / scale;
    if (threadIdx.x == 0)
        scales[(long long)down * ACROSS + across] = scale;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        constexpr int PER = READ; /* elements of an access to `q` */
        const int row = first + i * (THREADS / (SIDE / 8));
        union { uint2 both; unsigned word[2]; typename Access<PER>::type part[8 / PER]; } converted;
#pragma unroll
        for (int w = 0; w < 2; w++)
            converted.word[w] = convert_pair<TO_E4M3>(piece[i][4 * w] * by, piece[i][4 * w + 1] * by) |
                                convert_pair<TO_E4M3>(piece[i][4 * w + 2] * by, piece[i][4 * w + 3] * by) << 16;
        *(uint2 *)&tile[place(row, column / 4)] = converted.both;
#pragma unroll
        for (int k = 0; k < 8 / PER; k++)
            if (!EDGE || (row < rows_here && column + k * PER < cols_here))
                store<ONCE>((typename Access<PER>::type *)(q + corner + row * cols + column) + k, converted.part[k]);
    }
    __syncthreads();
#pragma unroll
    for (int item = (int)threadIdx.x; item < FOURS * 8; item += THREADS) {
        const int four = item / 8, row = item % 8 * 16;
        unsigned word[4][4], turn[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
            for (int k = 0; k < 4; k++)
                turn[k] = tile[place(row + 4 * i + k, four)];
            turn_converted(turn);
#pragma unroll
            for (int k = 0; k < 4; k++)
                word[k][i] = turn[k];
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (!EDGE || four * 4 + k < cols_here)
                write_column(turned + (across * SIDE + four * 4 + k) * rows + down * SIDE + row, word[k], rows_here - row);
    }
}
