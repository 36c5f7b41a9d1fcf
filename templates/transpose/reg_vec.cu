/*!autotune
template  reg_vec                      # each thread turns squares in registers: vector loads and stores, no shared memory

param     SQUARE  = 1 2 4 8 16         # side of a thread's square, in elements: the width of its accesses
param     BLOCK_X = 4 8 16 32          # threads along the input's rows
param     BLOCK_Y = 4 8 16 32 64       # threads along the output's rows
param     SQUARES = 1 2                # squares a thread, all read before the first is written
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       bytes     = SQUARE * sizeof(T)
let       threads   = BLOCK_X * BLOCK_Y
const     TILE_ROWS = BLOCK_Y * SQUARE * SQUARES
const     TILE_COLS = BLOCK_X * SQUARE
let       down      = ceil_div(rows, TILE_ROWS)
let       across    = ceil_div(cols, TILE_COLS)
let       tiles     = down * across * batch
const     FLAT      = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED   = batch > 1
const     EDGE      = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE      = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   bytes >= max(4, min(8, 2 * sizeof(T))) || bytes == 16 # narrower ones are what naive does
require   bytes <= 16                  # the widest access there is
require   cols % SQUARE == 0 && ld_in % SQUARE == 0 # every input row must begin aligned
require   rows % SQUARE == 0 && ld_out % SQUARE == 0 # every output row must begin aligned
require   bytes <= align_in && bytes <= align_out # and so must the buffers
require   SQUARES * SQUARE * bytes <= 256 # 64 registers hold the squares
require   threads >= 64 && threads <= min(512, device.max_threads_per_block)
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     BLOCK_X BLOCK_Y
default   SQUARE=4 BLOCK_X=8 BLOCK_Y=32 SQUARES=1 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int SQUARE = 4, BLOCK_X = 8, BLOCK_Y = 32, SQUARES = 1, TILE_ROWS = 128, TILE_COLS = 32, BATCHED = 0, FLAT = 0, EDGE = 1, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#endif

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

template <int bytes> struct Access;
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

constexpr int ES    = sizeof(T);
constexpr int WORDS = SQUARE * ES / 4;        /* 32-bit words in a side of the square */
constexpr int PACK  = ES < 4 ? 4 / ES : 1;    /* elements in a word                   */
constexpr int CELL  = ES < 4 ? 1 : ES / 4;    /* words in an element                  */

union Side {
    Access<SQUARE * ES>::type bits;
    unsigned word[WORDS];
};

/* Turns PACK rows of PACK packed elements, in place. */
__device__ __forceinline__ void turn_words(unsigned (&w)[PACK])
{
    if (PACK == 2) {
        const unsigned a = w[0], b = w[PACK - 1];
        w[0]        = __byte_perm(a, b, 0x5410);
        w[PACK - 1] = __byte_perm(a, b, 0x7632);
    } else if (PACK == 4) {
        const unsigned a = __byte_perm(w[0], w[PACK / 4], 0x5140), b = __byte_perm(w[0], w[PACK / 4], 0x7362);
        const unsigned c = __byte_perm(w[PACK / 2], w[PACK - 1], 0x5140), d = __byte_perm(w[PACK / 2], w[PACK - 1], 0x7362);
        w[0]        = __byte_perm(a, c, 0x5410);
        w[PACK / 4] = __byte_perm(a, c, 0x7632);
        w[PACK / 2] = __byte_perm(b, d, 0x5410);
        w[PACK - 1] = __byte_perm(b, d, 0x7632);
    }
}

__device__ __forceinline__ void turn(Side (&out)[SQUARE], const Side (&in)[SQUARE])
{
#pragma unroll
    for (int r = 0; r < SQUARE; r += PACK)
#pragma unroll
        for (int c = 0; c < SQUARE; c += PACK) {
#pragma unroll
            for (int part = 0; part < CELL; part++) {
                unsigned w[PACK];
#pragma unroll
                for (int i = 0; i < PACK; i++)
                    w[i] = in[r + i].word[c / PACK * CELL + part];
                turn_words(w);
#pragma unroll
                for (int i = 0; i < PACK; i++)
                    out[c + i].word[r / PACK * CELL + part] = w[i];
            }
        }
}

/* Which tile this block turns. The grid has the tiles' shape where it may: divisions would cost short kernels 5 %. */
__device__ __forceinline__ void locate(unsigned &matrix, unsigned &tile_r, unsigned &tile_c, unsigned down, unsigned across)
{
    unsigned fast = blockIdx.x, slow = blockIdx.y;
    matrix = BATCHED ? blockIdx.z : 0;
    if (FLAT) {
        const unsigned side = ORDER == ORDER_in_fast ? across : down, t = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
        matrix = BATCHED ? blockIdx.x / (down * across) : 0;
        fast   = t % side;
        slow   = t / side;
    }
    tile_r = ORDER == ORDER_in_fast ? slow : fast;
    tile_c = ORDER == ORDER_in_fast ? fast : slow;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
transpose_reg_vec(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    const unsigned down   = (unsigned)((rows + TILE_ROWS - 1) / TILE_ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS);
    unsigned matrix, tile_r, tile_c;
    locate(matrix, tile_r, tile_c, down, across);
    const long long r0    = (long long)tile_r * TILE_ROWS;
    const long long c0    = (long long)tile_c * TILE_COLS;
    const int rows_here   = (int)(rows - r0 < TILE_ROWS ? rows - r0 : TILE_ROWS); /* fewer at the edge */
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);
    const int r = threadIdx.y * SQUARE, c = threadIdx.x * SQUARE;

    /* Accesses are indexed in whole vectors: nvcc splits others when the index is intricate. */
    using Bits = Access<SQUARE * ES>::type;
    const Index in_pitch = (Index)(ld_in / SQUARE), out_pitch = (Index)(ld_out / SQUARE);

    in  += (matrix * rows + r0) * ld_in + c0;
    out += (matrix * cols + c0) * ld_out + r0;

    Side square[SQUARES][SQUARE];

#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        const int y = r + s * BLOCK_Y * SQUARE;
        if (!EDGE || (y < rows_here && c < cols_here))
#pragma unroll
            for (int i = 0; i < SQUARE; i++)
                square[s][i].bits = ((const Bits *)in)[(y + i) * in_pitch + threadIdx.x];
    }
#pragma unroll
    for (int s = 0; s < SQUARES; s++) {
        const int y = r + s * BLOCK_Y * SQUARE;
        Side turned[SQUARE];
        if (!EDGE || (y < rows_here && c < cols_here)) {
            turn(turned, square[s]);
#pragma unroll
            for (int i = 0; i < SQUARE; i++)
                ((Bits *)out)[(c + i) * out_pitch + y / SQUARE] = turned[i].bits;
        }
    }
}
