/*!autotune
template  late                         # odd rows: pieces are copied past the registers as they are, and converted when a column is gathered
use       async convert kept tiles

param     WIDTH   = 64 128 192 240 256 384 # bytes of an input row that a tile holds
param     RUN     = 128 256 384 512    # bytes of an output row that it writes
param     THREADS = 256 512            # threads a block
param     BESIDE  = 1 2                # blocks of a cluster: neighbours that share the ends of what they read
param     PREFETCH = 0 128 256         # bytes around a piece that the second-level cache asks memory for
param     ALIGN   = 4 32 64            # bytes: a tile's part of an output row begins and ends at a multiple
param     AHEAD   = 1 2                # words of a column that a thread gathers at a time
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

const     TO      = to
const     BOTH    = both == both_yes
const     AMAX    = amax == amax_yes
const     PIECE   = 16 / sizeof(T)     # elements that are copied at a time
const     HALO    = rows * width % ALIGN == 0 ? 0 : ALIGN / width # rows between aligned places of an output row
const     TILE_COLS = WIDTH / sizeof(T)
const     ACROSS  = WIDTH / 16 + 1     # pieces of a row, which begins within one
const     PITCH   = ACROSS * PIECE + cols % PIECE # elements between rows of the tile, which begin within a piece as their rows in memory do
const     ROWS    = RUN / width        # that a tile writes
const     READ_ROWS = ROWS + HALO
const     PIECES  = ceil_div((READ_ROWS - 1) * PITCH, PIECE) + ACROSS # of the tile
const     RESIDENT = max(1, min(233472 / (16 * PIECES + 1024), 1536 / THREADS)) # blocks of a multiprocessor that registers should leave room for
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       across  = ceil_div(ceil_div(cols, TILE_COLS), BESIDE) * BESIDE
let       tiles   = down * across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
const     KEEP    = device.cc >= 80 && moved >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   BATCHED=1 KEEP=any
fixed     count > 0                    # address arithmetic is much of what a thread does

require   cols % 2 == 1                # a column's elements meet different banks
require   READ_ROWS * cols < 2147480000 && TILE_COLS * rows < 2147480000 # 32-bit offsets inside a tile
require   ALIGN == 32 || HALO > 0      # already aligned
require   ALIGN >= 32 || moved <= device.l2_bytes # a sector that is written in part costs nothing where it stays in the cache
require   ALIGN < 64 || width == 2     # for bytes it was never better
require   4 * HALO <= ROWS             # at most a fifth is read twice
require   ROWS < 2 * rows || RUN == 128 # not mostly empty
require   TILE_COLS < 2 * cols || WIDTH == 64
require   ROWS % (128 * AHEAD / width) == 0 # a warp stays within the tile
require   READ_ROWS * ACROSS >= 2 * THREADS || THREADS == 256
require   READ_ROWS * ACROSS <= 36 * THREADS
require   PIECES >= 512 || moved <= 33554432 # a multiprocessor needs many bytes in flight
require   16 * PIECES <= min(device.max_shared_bytes - THREADS / 8, 115000) # and of_warps
require   THREADS <= device.max_threads_per_block
require   BESIDE == 1 || (device.cc >= 90 && !FLAT && cols > TILE_COLS) # a cluster is part of the grid
require   PREFETCH == 0 || moved >= 33554432 # else it brings what nobody needs in time
require   tiles <= device.max_grid_x

arg       turned straight largest in scale batch rows cols
grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    16 * PIECES
default   WIDTH=256 RUN=256 THREADS=512 BESIDE=1 PREFETCH=128 ALIGN=32 AHEAD=2 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 512, RESIDENT = 2, BESIDE = 2, PREFETCH = 128, AHEAD = 2, ALIGN = 32, TO = 1, BOTH = 1, AMAX = 1, PIECE = 4, HALO = 32;
constexpr int TILE_COLS = 64, ACROSS = 17, PITCH = 69, ROWS = 256, READ_ROWS = 288, PIECES = 4968, FLAT = 0, BATCHED = 1, KEEP = 1;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#include "../common/async.cuh"
#include "../common/convert.cuh"
#include "../common/kept.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * The tile holds the aligned 16-byte pieces of every row as they are in memory, at a pitch that differs from the input's by
 * whole pieces: a row's first element stands where the pitch says, and a column is a straight line (`skew` has a drawing).
 * Copies that pass by the registers keep more bytes on their way; elements are converted when they are gathered.
 *
 * Neighbouring lanes gather neighbouring words of an output row. Where a word's elements fill several words of the tile,
 * that many lanes would meet in one bank. So as many groups of lanes (WAYS) gather a word's elements in different orders,
 * and the converted elements change places within the word. From 2 to 1 byte, with an odd pitch:
 *
 *     lanes 0-15    elements 0 1 2 3      even banks, even, odd, odd ...
 *     lanes 16-31   elements 2 3 0 1      odd, odd, even, even
 *
 * Where output rows do not begin aligned, a tile's part of one begins up to HALO elements above its rows: those are read
 * twice. All sizes are constants: a tile is small, and what a thread must know of it was a third of its instructions.
 */

constexpr int BYTES  = converted_bytes(TO);    /* of a converted element */
constexpr int PER    = 4 / BYTES;              /* elements in a word: what a lane writes at a time */
constexpr int WAYS   = PER * ES / 4 > 1 ? PER * ES / 4 : 1; /* groups of lanes */
constexpr int TURN   = PER / WAYS;             /* elements that change places together */
constexpr int UNITS  = ALIGN / BYTES;          /* elements between aligned places of an output row */
constexpr int DOWN   = THREADS / ACROSS;       /* input rows that the threads copy at once */
constexpr int CHUNK  = 32 * PER * AHEAD;       /* rows that a warp gathers from at a time */
constexpr int CHUNKS = ROWS / CHUNK;           /* of a column */
constexpr int CHUNKS_ASIDE = THREADS / 32 % CHUNKS == 0 ? CHUNKS : 1; /* that are different warps' */

#if __CUDA_ARCH__ >= 900
#define CLUSTERED __cluster_dims__(ORDER == ORDER_in_fast ? BESIDE : 1, ORDER == ORDER_in_fast ? 1 : BESIDE, 1)
#else
#define CLUSTERED
#endif

using Out = Access<BYTES>::type;

/* Of a word whose elements were gathered in the order of this group of lanes, the bytes in their own order. */
__device__ __forceinline__ unsigned order_of(int group)
{
    if (BYTES == 2)
        return group == 0 ? 0x3210 : 0x1032;
    const int turn = group * TURN;
    return turn == 0 ? 0x3210 : turn == 1 ? 0x2301 : turn == 2 ? 0x1032 : 0x0123;
}

/* Four numbers to the bytes of a word, the first to the lowest. */
__device__ __forceinline__ unsigned convert_four(float a, float b, float c, float d)
{
#if __CUDA_ARCH__ >= 890
    unsigned word;
    if (TO == TO_E4M3)
        asm("{.reg .b16 low, high; cvt.rn.satfinite.e4m3x2.f32 low, %2, %1; cvt.rn.satfinite.e4m3x2.f32 high, %4, %3; mov.b32 %0, {low, high};}"
            : "=r"(word) : "f"(a), "f"(b), "f"(c), "f"(d));
    else
        asm("{.reg .b16 low, high; cvt.rn.satfinite.e5m2x2.f32 low, %2, %1; cvt.rn.satfinite.e5m2x2.f32 high, %4, %3; mov.b32 %0, {low, high};}"
            : "=r"(word) : "f"(a), "f"(b), "f"(c), "f"(d));
    return word;
#else
    return convert_pair<TO>(a, b) | convert_pair<TO>(c, d) << 16;
#endif
}

/* The elements that a lane gathered, converted. */
template <bool track> __device__ __forceinline__ unsigned word_of(const float (&value)[PER], unsigned order, float by, float &most)
{
    if (track)
#pragma unroll
        for (int e = 0; e < PER; e++)
            most = fmaxf(most, fabsf(value[e])); /* of a number and NaN the number */
    if (BYTES == 2) {
        const unsigned pair = convert_pair<TO>(value[0] * by, value[1] * by);
        return WAYS == 1 ? pair : __byte_perm(pair, pair, order);
    }
    const unsigned four = convert_four(value[0] * by, value[1] * by, value[PER / 2] * by, value[PER - 1] * by);
    return WAYS == 1 ? four : __byte_perm(four, four, order);
}

struct Lane { /* what it keeps while it goes over the columns */
    int      from[WAYS];           /* of a word, the elements that its group gathers first, then those that others gather first */
    unsigned order;
    float    by, most;
};

/* The lane's next words of a column to an output row, of which rows [first_row, end_row) exist. */
template <bool whole> __device__ __forceinline__ void move_words(Out *out, const T *column, int row, int first_row, int end_row, Lane &lane)
{
    float value[AHEAD][PER];
#pragma unroll
    for (int way = 0; way < WAYS; way++) {
        const T *const from = column + lane.from[way];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (whole || (row + k * 32 * PER >= first_row && row + k * 32 * PER + PER <= end_row))
#pragma unroll
                for (int e = 0; e < TURN; e++)
                    value[k][way * TURN + e] = (float)from[(k * 32 * PER + e) * PITCH];
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        const int i = k * 32 * PER;
        if (whole || (row + i >= first_row && row + i + PER <= end_row))
            ((unsigned *)out)[k * 32] = word_of<AMAX>(value[k], lane.order, lane.by, lane.most);
        else /* the ends of an output row */
#pragma unroll 1
            for (int e = max(0, first_row - row - i); e < PER && row + i + e < end_row; e++) {
                const float last = (float)column[(i + e) * PITCH];
                lane.most = fmaxf(lane.most, fabsf(last));
                out[i + e] = (Out)convert_pair<TO>(last * lane.by, 0);
            }
    }
}

struct Kept { /* what is the same for all pieces of a thread: to find it again would take as long as the copy */
    unsigned           begin;      /* of shared memory */
    unsigned long long policy;

    __device__ __forceinline__ Kept(const uint4 *tile)
    {
#if __CUDA_ARCH__ >= 800
        begin  = (unsigned)kept((int)__cvta_generic_to_shared(tile));
        policy = KEEP ? (unsigned long long)kept((long long)keep_policy()) : 0;
#endif
    }
};

/* A piece to its place in the tile, past the registers: as copy_async() does. */
__device__ __forceinline__ void copy_piece(uint4 *tile, const Kept &is, unsigned place, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned to = is.begin + place * 16;
    if constexpr (KEEP && PREFETCH == 256)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "l"(is.policy) : "memory");
    else if constexpr (KEEP && PREFETCH == 128)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "l"(is.policy) : "memory");
    else if constexpr (KEEP)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "l"(is.policy) : "memory");
    else if constexpr (PREFETCH == 256)
        asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else if constexpr (PREFETCH == 128)
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    tile[place] = *from;
#endif
}

struct Corner { /* where a tile's rows are */
    const uint4 *from;             /* the piece with its first element */
    int whole, phase;              /* pieces from there on; the element's place in the first */
    int cols, cols_here;
    int first_row, end_row;        /* which of the tile's rows exist */
};

/* What is not turned: pieces are converted one by one, each by the tile that has its first element. */
__device__ __forceinline__ void write_straight(unsigned char *straight, const uint4 *tile, const Corner &at, float by)
{
    using Part = Access<PIECE * BYTES>::type;
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    float unused = 0;
    if (THREADS % ACROSS == 0 || own < DOWN)
#pragma unroll 2
        for (int row = max(HALO, at.first_row) + own; row < at.end_row; row += DOWN) {
            const unsigned element = (unsigned)(at.phase + row * at.cols);
            const int piece = (int)(element / PIECE) + n, col = n * PIECE - (int)(element % PIECE);
            if (col >= 0 && col < at.cols_here && piece < at.whole) {
                union { Part bits; unsigned word[PIECE * BYTES / 4]; } converted;
                Vector<PIECE> part;
                part.bits = tile[(unsigned)(at.phase + row * PITCH) / PIECE + n];
                convert<TO, false>(converted.word, part.element, by, unused);
                ((Part *)straight)[piece] = converted.bits;
            }
        }
}

extern "C" __global__ void CLUSTERED __launch_bounds__(THREADS, RESIDENT)
cast_transpose_late(unsigned char *__restrict__ turned, unsigned char *__restrict__ straight, float *__restrict__ largest,
    const T *__restrict__ in, const float *__restrict__ scale, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols))
{
    extern __shared__ uint4 shared_memory[];
    [[maybe_unused]] __shared__ float of_warps[THREADS / 32];

    const unsigned down   = (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS), blocks_across = (across + BESIDE - 1) / BESIDE * BESIDE;
    const unsigned matrix = matrix_of<FLAT, BATCHED>(down, blocks_across);
    const Spot     spot   = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast>(down, blocks_across);
    if (BESIDE > 1 && spot.c >= across)
        return; /* the grid is whole clusters */
    const long long c0 = (long long)spot.c * TILE_COLS, r0 = (long long)spot.r * ROWS, count = batch * rows * cols;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    const long long start = (matrix * rows + r0 - HALO) * cols + c0;
    const long long first = start >= 0 ? start / PIECE : -((PIECE - 1 - start) / PIECE), left = count / PIECE - first;
    const Corner at = { (const uint4 *)in + first, (int)(left < 2147483647 ? left : 2147483647), (int)(start - first * PIECE), (int)cols,
                  (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS), r0 < HALO ? HALO - (int)r0 : 0,
                  (int)(rows - r0 < ROWS ? rows - r0 : ROWS) + HALO };
    const unsigned out_phase = HALO == 0 ? 0 : (unsigned)((matrix * cols + c0) * rows) % UNITS, out_step = HALO == 0 ? 0 : (unsigned)rows % UNITS;

    /* Every thread keeps to its place in a row and goes down. */
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    const Kept is(shared_memory);
    const unsigned first_element = (unsigned)(at.phase + own * at.cols), first_place = (unsigned)(at.phase + own * PITCH);
    if (THREADS % ACROSS == 0 || own < DOWN)
#pragma unroll 8
        for (int k = 0; k < (READ_ROWS + DOWN - 1) / DOWN; k++) {
            const int row = own + k * DOWN;
            const unsigned element = first_element + (unsigned)(k * DOWN) * (unsigned)at.cols;
            const int piece = (int)(element / PIECE) + n, col = n * PIECE - (int)(element % PIECE);
            if (row >= at.first_row && row < at.end_row && col < at.cols_here && piece < at.whole)
                copy_piece(shared_memory, is, (first_place + (unsigned)(k * DOWN * PITCH)) / PIECE + n, at.from + piece);
        }

    /* The buffer's last elements that do not fill a piece may be this tile's. */
    const float by = *scale;
    if (at.whole <= (at.phase + (at.end_row - 1) * at.cols) / PIECE + ACROSS && threadIdx.x < PIECE) {
        const long long i = count / PIECE * PIECE + threadIdx.x;
        const long long row = i / cols - (matrix * rows + r0 - HALO), col = i % cols - c0;
        if (i < count && row >= at.first_row && row < at.end_row && col >= 0 && col < at.cols_here) {
            ((T *)shared_memory)[at.phase + (int)row * PITCH + (int)col] = in[i];
            if (BOTH)
                ((Out *)straight)[i] = (Out)convert_pair<TO>((float)in[i] * by, 0);
        }
    }
    await_copies();
    __syncthreads();

    if (BOTH)
        write_straight(straight + first * PIECE * BYTES, shared_memory, at, by);

    /* A warp goes over columns, and down each as far as it is not another warp's. */
    const int group   = WAYS == 1 ? 0 : lane / (32 / WAYS);
    const int own_row = HALO + (CHUNKS_ASIDE > 1 ? warp % CHUNKS_ASIDE * CHUNK : 0) + lane * PER;
    const T *const place  = (const T *)shared_memory + at.phase + own_row * PITCH;
    const long long begin = kept((matrix * cols + c0) * rows + r0 - HALO + own_row);
    const int whole_tile  = kept(at.first_row == 0 && at.end_row == ROWS + HALO), end = kept(at.cols_here);
    Lane mine = { {}, (unsigned)kept((int)order_of(group)), by, 0 };
#pragma unroll
    for (int way = 0; way < WAYS; way++)
        mine.from[way] = kept((way ^ group) * (TURN * PITCH));

#pragma unroll 1
    for (int c = warp / CHUNKS_ASIDE; c < end; c += THREADS / 32 / CHUNKS_ASIDE) {
        const int up  = HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS); /* to an aligned place */
        int offset    = c - up * PITCH, row = own_row - up;
        Out *out      = (Out *)turned + (begin + (c * (int)rows - up));

#pragma unroll 1
        for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
            if (whole_tile)
                move_words<true>(out, place + offset, row, at.first_row, at.end_row, mine);
            else
                move_words<false>(out, place + offset, row, at.first_row, at.end_row, mine);
            row += CHUNK;
            offset += CHUNK * PITCH;
            out += CHUNK;
        }
    }
    if (AMAX) {
        keep_largest(of_warps, mine.most);
        __syncthreads();
        add_largest(largest, of_warps);
    }
}
