/*!autotune
template  strip                        # for rows of any alignment: a block goes along a strip of input rows, the next tile under way

param     READ      = 0 32 64 128 192 256 384 512 # input rows of a strip, with those that its neighbour reads too; 0: all there are
param     WARP_COLS = 4 8 16           # lanes of a warp side by side along an input row; the others stand below
param     UNROLL    = 1 2 4            # blocks that a thread holds
param     STEPS     = 1..12 14 16 18 20 24 28 32 # tiles that a block moves, one after the other along the input rows
param     ALIGN     = 16 32 64 128     # bytes: a strip's part of an output row begins and ends at a multiple
param     REGISTERS = 64 80            # that a thread may have
param     ORDER     = in_fast out_fast # neighbouring blocks follow the input's rows, or the output's

const     SUB_ROWS  = max(1, 4 / sizeof(T)) # rows of 16 bytes that a thread turns at a time: a cell of the turned tile
const     SUB_COLS  = 16 / sizeof(T)
const     HALO      = ld_out * sizeof(T) % ALIGN == 0 ? 0 : ALIGN / sizeof(T) # rows between aligned places of an output row
const     ABOVE     = READ == 0 ? 0 : HALO # rows read above those that a strip begins with
let       warp_rows = 32 / WARP_COLS * SUB_ROWS * UNROLL
const     READ_ROWS = READ == 0 ? ceil_div(rows, warp_rows) * warp_rows : READ
const     STRIP_ROWS = READ_ROWS - ABOVE
const     TILE_COLS = WARP_COLS * SUB_COLS
const     THREADS   = READ_ROWS / SUB_ROWS * WARP_COLS / UNROLL
const     RESIDENT  = max(1, 65536 / (REGISTERS * THREADS)) # blocks on a multiprocessor, as far as registers go
const     RUN       = READ == 0 ? ceil_div(rows + max(0, HALO - 1), SUB_COLS) : STRIP_ROWS / SUB_COLS # pieces of an output row
const     SHIFT     = ld_in % SUB_COLS != 0 # input rows begin anywhere
let       spread    = max(4, 32 / WARP_COLS) # words of a column that a warp writes at once
const     PITCH     = (max(READ_ROWS + HALO, RUN * SUB_COLS) * sizeof(T) + 15) / 16 * 4 # words in a column of the tile
let       group     = SUB_COLS * PITCH
const     PAD       = (3 * spread - group % (2 * spread)) % (2 * spread) # words between groups of SUB_COLS columns: neighbours meet different banks
const     TILE_WORDS = (group + PAD) * WARP_COLS
let       shared_bytes = 4 * TILE_WORDS + (SHIFT ? 16 * READ_ROWS : 0)
let       down      = READ == 0 ? 1 : ceil_div(rows + max(0, HALO - 1), STRIP_ROWS)
let       blocks    = down * ceil_div(cols, TILE_COLS * STEPS) * batch
let       resident  = max(1, min(RESIDENT, 233472 / (shared_bytes + 1024))) * device.sms # blocks on the device at a time
const     BATCHED   = batch > 1
const     WIDE      = max(READ_ROWS * ld_in, STEPS * TILE_COLS * ld_out) > 2147483000 # 64-bit offsets inside a strip

require   ALIGN == 16 || HALO > 0      # already aligned
require   READ > 0 || rows <= 640      # a block holds them
require   5 * ABOVE <= READ_ROWS       # at most a quarter is read twice
require   READ_ROWS * sizeof(T) >= 128 || READ == 0 # shorter runs waste cache lines
require   READ_ROWS * sizeof(T) <= 1024
require   READ < 2 * rows              # not mostly empty
require   READ_ROWS % warp_rows == 0   # a warp stands inside the tile
require   TILE_COLS < 2 * max(cols, SUB_COLS)
require   STEPS == 1 || TILE_COLS * (STEPS - 1) < cols
require   STEPS <= 2 || 8 * blocks >= 7 * ceil_div(blocks, resident) * resident # the last ones would leave much of the device idle
require   TILE_COLS * sizeof(T) >= 128 || STEPS > 1 || TILE_COLS >= cols
require   UNROLL * SUB_ROWS <= 4       # 32 registers hold the blocks and what they begin with
require   UNROLL * SUB_ROWS >= 2       # a multiprocessor needs many bytes in flight
require   RUN <= THREADS
require   THREADS >= 64 && THREADS <= min(640, device.max_threads_per_block)
require   shared_bytes <= min(device.max_shared_bytes, 73728)
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    shared_bytes
default   READ=256 WARP_COLS=4 UNROLL=1 STEPS=4 ALIGN=16 REGISTERS=64 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int READ = 256, SUB_ROWS = 4, SUB_COLS = 16, WARP_COLS = 4, UNROLL = 1, STEPS = 4, HALO = 16, ABOVE = 16, READ_ROWS = 256, STRIP_ROWS = 240;
constexpr int TILE_COLS = 64, THREADS = 256, RESIDENT = 4, RUN = 15, SHIFT = 1, PITCH = 68, PAD = 8, TILE_WORDS = 4384, ALIGN = 16, BATCHED = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#endif

/*
 * A thread reads SUB_ROWS pieces of 16 bytes of one column range. Input rows begin anywhere, so what it needs lies in two
 * aligned pieces: its own and the one that the lane before it read, in the same step or, for the first lane, in the step
 * before. So no piece is read twice along a strip. Turned, SUB_ROWS elements of a column fill a cell of the tile, which
 * keeps every column where it stands in its aligned part of the output row, to the cell; the last step, to the byte, is a
 * shift when the column is read. While a tile is written, the next one's pieces are under way. Where output rows do not
 * begin aligned, a strip's part of a row begins up to HALO elements above the strip: those rows are read twice. What does
 * not fill 16 bytes at the ends of an output row is written element by element.
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

constexpr int WARP_ROWS = 32 / WARP_COLS;             /* blocks of a warp that stand below each other */
constexpr int ACROSS = THREADS / RUN;                 /* columns that the threads write at once */

union Piece {
    uint4    bits;
    unsigned word[4];
};

union Cell { /* elements of a column */
    using Bits = Access<4 * PARTS>::type;
    Bits     bits;
    unsigned word[PARTS];
};

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

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
transpose_strip(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];

    const unsigned down   = READ == 0 ? 1 : (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + STRIP_ROWS - 1) / STRIP_ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS * STEPS - 1) / (TILE_COLS * STEPS));
    const unsigned matrix = BATCHED ? blockIdx.x / (down * across) : 0;
    const unsigned t      = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
    const long long r0    = (long long)(ORDER == ORDER_in_fast ? t / across : t % down) * STRIP_ROWS;
    const long long c0    = (long long)(ORDER == ORDER_in_fast ? t % across : t / down) * (TILE_COLS * STEPS);
    int cols_here         = (int)(cols - c0 < TILE_COLS * STEPS ? cols - c0 : TILE_COLS * STEPS); /* still to move */

    /* Of the rows that the strip reads, [first_row, end_row) exist. */
    const int first_row = r0 < ABOVE ? ABOVE - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < STRIP_ROWS ? rows - r0 : STRIP_ROWS) + ABOVE;

    /* The piece with the first element that the strip reads, and its place there; whole pieces from there on. */
    const long long in_start = (matrix * rows + r0 - ABOVE) * ld_in + c0;
    const long long in_piece = in_start >= 0 ? in_start / SUB_COLS : -((SUB_COLS - 1 - in_start) / SUB_COLS);
    const int       in_phase = (int)(in_start - in_piece * SUB_COLS);
    const long long count    = batch * rows * ld_in, room_left = count / SUB_COLS - in_piece;
    Index           room     = WIDE || room_left < 2147483647 ? (Index)room_left : 2147483647;
    const uint4    *from     = (const uint4 *)in + in_piece;

    /* How far behind an aligned place output rows begin. */
    unsigned       out_phase = HALO == 0 ? 0 : (unsigned)((matrix * cols + c0) * ld_out) % UNITS;
    const unsigned out_step  = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;

    const long long out_start = (matrix * cols + c0) * ld_out + r0;
    uint4 *const    to        = (uint4 *)out + out_start / SUB_COLS;
    Index           to_phase  = (Index)(out_start % SUB_COLS);

    /* Where a lane stands: its column range, and the first row of block u. */
    const int lane_c = threadIdx.x % WARP_COLS;
    const int lane_r = (threadIdx.x / 32 * (WARP_ROWS * UNROLL) + threadIdx.x % 32 / WARP_COLS) * SUB_ROWS;

    const int k = (int)threadIdx.x % RUN, cb = (int)threadIdx.x / RUN; /* piece and first column that it writes */

    Piece block[UNROLL][SUB_ROWS];

    /* What the first lane has before its first piece. */
    uint4 *const before = shared_memory + (TILE_WORDS / 4 + lane_r);
    if (SHIFT && lane_c == 0)
#pragma unroll
        for (int i = 0; i < UNROLL * SUB_ROWS; i++) {
            const int   row = i / SUB_ROWS * (WARP_ROWS * SUB_ROWS) + i % SUB_ROWS;
            const Index at  = (in_phase + (lane_r + row) * (Index)ld_in) >> LOG;
            if (lane_r + row >= first_row && lane_r + row < end_row && at < room)
                before[row] = from[at];
        }

    auto read = [&]() {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
#pragma unroll
            for (int i = 0; i < SUB_ROWS; i++) {
                const int   row   = lane_r + u * (WARP_ROWS * SUB_ROWS) + i;
                const Index start = in_phase + row * (Index)ld_in, at = (start >> LOG) + (lane_c + SHIFT);
                const int   first = (lane_c + SHIFT) * SUB_COLS - (SHIFT ? (int)(start & (SUB_COLS - 1)) : 0); /* column */
                if (row >= first_row && row < end_row && first < cols_here && at < room)
                    block[u][i].bits = from[at];
            }
    };
    read();

#pragma unroll 1
    for (int step = 0;; step++) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const int r = lane_r + u * (WARP_ROWS * SUB_ROWS);
            if (SHIFT)
#pragma unroll
                for (int i = 0; i < SUB_ROWS; i++) {
                    uint4 *const kept = before + (u * (WARP_ROWS * SUB_ROWS) + i);
                    Piece low;
#pragma unroll
                    for (int n = 0; n < 4; n++)
                        low.word[n] = __shfl_up_sync(0xffffffffu, block[u][i].word[n], 1);
                    if (lane_c == 0)
                        low.bits = *kept;
                    if (STEPS > 1) {
                        __syncwarp();
                        if (lane_c == WARP_COLS - 1)
                            *kept = block[u][i].bits;
                    }
                    shift(low, block[u][i], (in_phase + (r + i) * (unsigned)ld_in) % SUB_COLS);
                    block[u][i] = low;
                }
            Cell turned[SUB_COLS];
            turn(turned, block[u]);
            Cell::Bits *const cells = (Cell::Bits *)shared_memory + (column(lane_c * SUB_COLS) / PARTS + r / SUB_ROWS);
            const unsigned    phase = out_phase + (ALIGN > 16 ? lane_c * SUB_COLS * out_step : 0);
#pragma unroll
            for (int i = 0; i < SUB_COLS; i++)
                cells[i * (PITCH / PARTS) + (phase + i * out_step) % UNITS / PACK] = turned[i].bits;
        }

        const int  tile_cols = cols_here < TILE_COLS ? cols_here : TILE_COLS;
        const bool last = STEPS == 1 || step == STEPS - 1 || cols_here <= TILE_COLS;

        /* The buffer's last elements that do not fill a piece may be this tile's. */
        const bool ragged = SHIFT && room < ((in_phase + (end_row - 1) * (Index)ld_in) >> LOG) + (WARP_COLS + 1);

        if (!last) {
            from += WARP_COLS;
            room -= WARP_COLS;
            cols_here -= TILE_COLS;
            read();
        }
        __syncthreads();

        if (ragged) {
            const long long at = count / SUB_COLS * SUB_COLS + threadIdx.x;
            if (at < count) {
                const long long row = at / ld_in - (matrix * rows + r0 - ABOVE), col = at % ld_in - (c0 + step * TILE_COLS);
                if (row >= first_row && row < end_row && col >= 0 && col < tile_cols) {
                    const unsigned ahead = (out_phase + (unsigned)col * out_step) % UNITS / PACK;
                    ((T *)shared_memory)[(column((int)col) + (int)ahead * PARTS) * 4 / ES + (int)row] = in[at];
                }
            }
            __syncthreads();
        }

        if (THREADS % RUN == 0 || cb < ACROSS)
#pragma unroll
        for (int i = 0; i < (TILE_COLS + ACROSS - 1) / ACROSS; i++) {
            const int c = cb + i * ACROSS;
            if (c >= tile_cols)
                break;
            const int phase = HALO == 0 ? 0 : (int)((out_phase + (unsigned)c * out_step) % UNITS);
            const int row   = k * SUB_COLS + ABOVE - phase;
            const int word  = column(c) + (ABOVE * ES / 4 + 4 * k);
            const Index at  = to_phase + c * (Index)ld_out - phase;
            if (row >= first_row && row + SUB_COLS <= end_row) {
                Piece piece;
                piece.bits = shared_memory[word / 4];
                if (ES < 4 && HALO > 0) {
                    unsigned previous = ((const unsigned *)shared_memory)[ABOVE > 0 || word > 0 ? word - 1 : 0];
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        const unsigned w = piece.word[j];
                        piece.word[j] = __funnelshift_l(previous, w, phase * (8 * ES) % 32);
                        previous = w;
                    }
                }
                to[(at >> LOG) + k] = piece.bits;
            } else { /* the ends of an output row */
                const T *const kept = (const T *)shared_memory + (column(c) * 4 / ES + row + phase / PACK * PACK);
#pragma unroll 1
                for (int e = max(0, first_row - row); e < SUB_COLS && row + e < end_row; e++)
                    ((T *)to)[at + k * SUB_COLS + e] = kept[e];
            }
        }
        if (last)
            break;
        __syncthreads();
        out_phase += TILE_COLS * out_step;
        to_phase += TILE_COLS * (Index)ld_out;
    }
}
