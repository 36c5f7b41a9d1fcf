/*!autotune
template  shifted                      # for rows of any alignment: shifted into place in registers, 16-byte accesses on both sides

param     READ_ROWS = 16 32 64 128 256 512 # input rows that a tile reads: more than it writes, where output rows are not aligned
param     TILE_COLS = 16 32 64 128 256 # input columns
param     THREADS   = 128 256 512      # threads a block
param     WARP_COLS = 1 2 4 8 16       # lanes of a warp side by side along an input row; the others stand below
param     UNROLL    = 1 2 4            # blocks that a thread reads before it turns the first
param     ALIGN     = 16 32 64 128     # bytes: a tile's part of an output row begins and ends at a multiple
param     ORDER     = in_fast out_fast # neighbouring tiles follow the input's rows, or the output's

const     SUB_ROWS  = max(1, 4 / sizeof(T)) # rows of 16 bytes that a thread turns at a time: a cell of the turned tile
const     SUB_COLS  = 16 / sizeof(T)
const     ANY_IN    = align_in < 16    # the input does not begin at a multiple of 16 bytes
const     ANY_OUT   = align_out < ALIGN # nor the output at one of ALIGN
const     HALO      = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows read above those that a tile begins with
const     TILE_ROWS = READ_ROWS - HALO
const     SHIFT     = ld_in % SUB_COLS != 0 || ANY_IN # input rows begin anywhere
let       spread    = max(4, 32 / WARP_COLS) # words of a column that a warp writes at once
let       group     = SUB_COLS * (READ_ROWS + HALO) * sizeof(T) / 4 # words of SUB_COLS columns
const     PAD       = WARP_COLS == 1 ? 0 : (3 * spread - group % (2 * spread)) % (2 * spread) # words between such groups: neighbours meet different banks
let       lanes     = TILE_COLS / SUB_COLS
let       blocks    = READ_ROWS / SUB_ROWS * lanes # that the tile's threads turn
let       shared_bytes = 4 * (group + PAD) * lanes
let       tiles     = ceil_div(rows + max(0, HALO - 1), TILE_ROWS) * ceil_div(cols, TILE_COLS) * batch
const     BATCHED   = batch > 1
const     WIDE      = max(READ_ROWS * ld_in, TILE_COLS * ld_out) > 2147483000 # 64-bit offsets inside a tile

require   SHIFT || align_out < 32 || ld_out * sizeof(T) % 32 != 0 || cols % SUB_COLS != 0 || rows % SUB_COLS != 0 # subtile does the same with less
require   ALIGN == 16 || HALO > 0      # already aligned
require   5 * HALO <= READ_ROWS        # at most a quarter is read twice
require   READ_ROWS * sizeof(T) >= 128 # shorter runs waste cache lines
require   READ_ROWS * sizeof(T) <= 1024
require   TILE_COLS % (SUB_COLS * WARP_COLS) == 0
require   TILE_COLS < 2 * max(cols, SUB_COLS) # not mostly empty
require   WARP_COLS >= 8 || lanes == WARP_COLS # narrower warps are for narrow tiles
require   TILE_COLS * sizeof(T) <= 512
require   TILE_COLS * sizeof(T) >= 128 || TILE_COLS >= cols
require   READ_ROWS * WARP_COLS % (32 * SUB_ROWS) == 0 # a warp stands inside the tile
require   blocks % (THREADS * UNROLL) == 0 # every thread turns the same number of blocks
require   UNROLL * SUB_ROWS * (1 + SHIFT) <= 16 # 64 registers hold the blocks
require   blocks <= 8 * THREADS * UNROLL
require   shared_bytes <= min(device.max_shared_bytes, 73728)
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

grid      tiles
block     THREADS
shared    shared_bytes
default   READ_ROWS=128 TILE_COLS=64 THREADS=256 WARP_COLS=8 UNROLL=1 ALIGN=16 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int READ_ROWS = 256, TILE_COLS = 128, THREADS = 256, WARP_COLS = 8, UNROLL = 1, ALIGN = 16;
constexpr int SUB_ROWS = 4, SUB_COLS = 16, HALO = 16, TILE_ROWS = 240, ANY_IN = 1, ANY_OUT = 1, SHIFT = 1, PAD = 4, BATCHED = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#endif

/*
 * A thread reads SUB_ROWS pieces of 16 bytes of one column range. Input rows begin anywhere, so a piece is put together
 * from the two aligned ones that hold it. Turned, SUB_ROWS elements of a column fill a cell of the tile, which keeps
 * every column where it stands in its aligned part of the output row, to the cell; the last step, to the byte, is a
 * shift when the column is read. Where output rows do not begin aligned, the tile's part of a row begins up to HALO
 * elements above the tile: those rows are read twice. What does not fill 16 bytes at the ends of an output row is
 * written element by element. A buffer that does not begin aligned is the rest of one that does: offsets count from
 * there, and the elements before it, which share a piece with its first ones, are read but never used.
 */

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

template <int bytes> struct Access;
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

constexpr int ES    = sizeof(T);
constexpr int LOG   = ES == 1 ? 4 : ES == 2 ? 3 : ES == 4 ? 2 : ES == 8 ? 1 : 0; /* of SUB_COLS */
constexpr int PACK  = ES < 4 ? 4 / ES : 1;            /* elements in a 32-bit word: rows in a cell  */
constexpr int PARTS = ES < 4 ? 1 : ES / 4;            /* 32-bit words in an element: in a cell      */
constexpr int UNITS = ALIGN / ES;                     /* elements between aligned places of a row   */
constexpr int PITCH = (READ_ROWS + HALO) * ES / 4;    /* words in a column of the tile              */
constexpr int RUN   = READ_ROWS * ES / 16;            /* lanes for a column: some have no piece     */
constexpr int PIECES = TILE_ROWS * ES / 16;           /* pieces of a column                         */

constexpr int WARP_ROWS = 32 / WARP_COLS;
constexpr int WARPS_ACROSS = TILE_COLS / (WARP_COLS * SUB_COLS);
constexpr int PASSES = READ_ROWS / SUB_ROWS * (TILE_COLS / SUB_COLS) / THREADS;
constexpr int STORES = TILE_COLS * RUN / THREADS;

union Piece {
    uint4    bits;
    unsigned word[4];
};

union Cell { /* elements of a column */
    using Bits = Access<4 * PARTS>::type;
    Bits     bits;
    unsigned word[PARTS];
};

/* Elements between the last multiple of so many bytes and an address. */
template <int bytes> __device__ __forceinline__ unsigned elements_behind(const T *address)
{
    return (unsigned)((unsigned long long)address % bytes / ES);
}

/* The 16 bytes that begin at an element of `low`. */
__device__ __forceinline__ void shift(Piece &low, const Piece &high, unsigned element)
{
    const unsigned bytes = element * ES;
    unsigned w[8];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        w[i]     = low.word[i];
        w[i + 4] = high.word[i];
    }
#pragma unroll
    for (int i = 0; i < 6; i++)
        w[i] = bytes & 8 ? w[i + 2] : w[i];
    if (ES <= 4)
#pragma unroll
        for (int i = 0; i < 5; i++)
            w[i] = bytes & 4 ? w[i + 1] : w[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        low.word[i] = ES < 4 ? __funnelshift_r(w[i], w[i + 1], bytes * 8 % 32) : w[i];
}

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

/* Turns a register block of SUB_ROWS x SUB_COLS elements. */
__device__ __forceinline__ void turn(Cell (&out)[SUB_COLS], const Piece (&in)[SUB_ROWS])
{
#pragma unroll
    for (int c = 0; c < SUB_COLS; c += PACK)
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            unsigned w[PACK];
#pragma unroll
            for (int i = 0; i < PACK; i++)
                w[i] = in[i].word[c / PACK * PARTS + part];
            turn_words(w);
#pragma unroll
            for (int i = 0; i < PACK; i++)
                out[c + i].word[part] = w[i];
        }
}

/* Where a column of the tile begins, in words. */
__device__ __forceinline__ int column(int c)
{
    return c * PITCH + c / SUB_COLS * PAD;
}

/* First row and column of the block that a lane turns in one pass, in blocks. */
__device__ __forceinline__ void stand(int &r, int &c, int pass)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 + pass * (THREADS / 32);
    r = warp / WARPS_ACROSS * WARP_ROWS + lane / WARP_COLS;
    c = warp % WARPS_ACROSS * WARP_COLS + lane % WARP_COLS;
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_shifted(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];

    const unsigned down   = (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + TILE_ROWS - 1) / TILE_ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS);
    const unsigned matrix = BATCHED ? blockIdx.x / (down * across) : 0;
    const unsigned t      = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
    const long long r0    = (long long)(ORDER == ORDER_in_fast ? t / across : t % down) * TILE_ROWS;
    const long long c0    = (long long)(ORDER == ORDER_in_fast ? t % across : t / down) * TILE_COLS;
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);

    const unsigned in_base = ANY_IN ? elements_behind<16>(in) : 0, out_base = ANY_OUT ? elements_behind<ALIGN>(out) : 0;

    /* Of the rows that the tile reads, [first_row, end_row) exist. */
    const int first_row = r0 < HALO ? HALO - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < TILE_ROWS ? rows - r0 : TILE_ROWS) + HALO;

    /* The piece with the first element that the tile reads, and its place there; whole pieces from there on. */
    const long long in_start = (matrix * rows + r0 - HALO) * ld_in + c0 + in_base;
    const long long in_piece = in_start >= 0 ? in_start / SUB_COLS : -((SUB_COLS - 1 - in_start) / SUB_COLS);
    const int       in_phase = (int)(in_start - in_piece * SUB_COLS);
    const long long count    = batch * rows * ld_in + in_base, room_left = count / SUB_COLS - in_piece;
    const Index     room     = WIDE || room_left < 2147483647 ? (Index)room_left : 2147483647;
    const uint4 *const from  = (const uint4 *)(in - in_base) + in_piece;

    /* How far behind an aligned place output rows begin. */
    const unsigned out_phase = HALO == 0 ? 0 : ((unsigned)((matrix * cols + c0) * ld_out) + out_base) % UNITS;
    const unsigned out_step  = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;

#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass += UNROLL) {
        Piece block[UNROLL][SUB_ROWS], next[UNROLL][SUB_ROWS];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int r, c;
            stand(r, c, pass + u);
#pragma unroll
            for (int i = 0; i < SUB_ROWS; i++) {
                const int   row = r * SUB_ROWS + i;
                const Index at  = ((in_phase + row * (Index)ld_in) >> LOG) + c;
                const bool  inside = row >= first_row && row < end_row && c * SUB_COLS < cols_here;
                if (inside && at < room)
                    block[u][i].bits = from[at];
                if (SHIFT && inside && at + 1 < room)
                    next[u][i].bits = from[at + 1];
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            int  r, c;
            Cell turned[SUB_COLS];
            stand(r, c, pass + u);
            if (SHIFT)
#pragma unroll
                for (int i = 0; i < SUB_ROWS; i++)
                    shift(block[u][i], next[u][i], (in_phase + (r * SUB_ROWS + i) * (unsigned)ld_in) % SUB_COLS);
            turn(turned, block[u]);
            Cell::Bits *const to = (Cell::Bits *)shared_memory + (column(c * SUB_COLS) / PARTS + r);
            const unsigned phase = out_phase + (ALIGN > 16 ? c * SUB_COLS * out_step : 0);
#pragma unroll
            for (int i = 0; i < SUB_COLS; i++)
                to[i * (PITCH / PARTS) + (phase + i * out_step) % UNITS / PACK] = turned[i].bits;
        }
    }

    __syncthreads();

    /* The buffer's last elements that do not fill a piece, where this tile has some of them. */
    if (SHIFT && room_left * SUB_COLS < in_phase + (READ_ROWS - 1) * ld_in + TILE_COLS) {
        const long long at = count / SUB_COLS * SUB_COLS - in_base + threadIdx.x;
        if ((!ANY_IN || at >= 0) && at < count - in_base) {
            const long long row = at / ld_in - (matrix * rows + r0 - HALO), col = at % ld_in - c0;
            if (row >= first_row && row < end_row && col >= 0 && col < cols_here) {
                const unsigned cells = (out_phase + (unsigned)col * out_step) % UNITS / PACK;
                ((T *)shared_memory)[(column((int)col) + (int)cells * PARTS) * 4 / ES + (int)row] = in[at];
            }
        }
        __syncthreads();
    }

    const long long out_start = (matrix * cols + c0) * ld_out + r0 + out_base;
    uint4 *const    to        = (uint4 *)(out - out_base) + out_start / SUB_COLS;
    const int       to_phase  = (int)(out_start % SUB_COLS);

    constexpr int AHEAD = STORES < 4 ? STORES : 4; /* pieces that a thread reads before it writes the first */

#pragma unroll 1
    for (int first = 0; first < STORES; first += AHEAD) {
        Piece piece[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int k = (int)(threadIdx.x + (first + i) * THREADS) % RUN, c = (int)(threadIdx.x + (first + i) * THREADS) / RUN;
            const int word = column(c) + (HALO * ES / 4 + 4 * k);
            if (PIECES == RUN || k < PIECES)
                piece[i].bits = shared_memory[word / 4];
            if (ES < 4 && HALO > 0) {
                const unsigned bits = (out_phase + (unsigned)c * out_step) % UNITS * (8 * ES) % 32;
                unsigned before = 0;
                if (PIECES == RUN || k < PIECES)
                    before = ((const unsigned *)shared_memory)[word - 1];
#pragma unroll
                for (int n = 0; n < 4; n++) {
                    const unsigned w = piece[i].word[n];
                    piece[i].word[n] = __funnelshift_l(before, w, bits);
                    before = w;
                }
            }
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int k = (int)(threadIdx.x + (first + i) * THREADS) % RUN, c = (int)(threadIdx.x + (first + i) * THREADS) / RUN;
            const int phase = HALO == 0 ? 0 : (int)((out_phase + (unsigned)c * out_step) % UNITS);
            const int row   = k * SUB_COLS + HALO - phase;
            const Index at  = to_phase + c * (Index)ld_out - phase;
            if (c >= cols_here || (PIECES < RUN && k >= PIECES))
                continue;
            if (row >= first_row && row + SUB_COLS <= end_row) {
                to[(at >> LOG) + k] = piece[i].bits;
            } else { /* the ends of an output row */
                const T *const kept = (const T *)shared_memory + (column(c) * 4 / ES + row + phase / PACK * PACK);
#pragma unroll 1
                for (int e = max(0, first_row - row); e < SUB_COLS && row + e < end_row; e++)
                    ((T *)to)[at + k * SUB_COLS + e] = kept[e];
            }
        }
    }
}
