/*!autotune
template  odd                          # rows of an odd number of elements, while the L2 holds them: as `skew`, in small tiles whose places are constants
use       async columns kept odd tiles

param     WIDTH   = 32 48 64 112 128 240 256 # bytes of an input row that a tile holds: with the piece in front a power of two, or without
param     RUN     = 128 256            # bytes of an output row that a block writes
param     THREADS = 128 256 512        # threads a block
param     COPY    = by_register async  # what is read passes by the registers, or not
param     ALIGN   = 4 16 32            # bytes: a tile's part of an output row begins and ends at a multiple
param     AHEAD   = 1 2 4              # columns that a warp gathers at a time
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       piece   = 16 / sizeof(T)
let       bytes   = count * sizeof(T)
const     ANY_IN  = align_in < 16      # the input does not begin at a multiple of 16 bytes
const     ANY_OUT = align_out < ALIGN  # nor the output at one of ALIGN
const     HALO    = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows between aligned places of an output row
const     TILE_COLS = WIDTH / sizeof(T)
const     ACROSS  = WIDTH / 16 + 1     # pieces of a row, which begins within one
let       pitch   = ACROSS * piece + ld_in % piece # elements between rows of the tile, which begin as their rows in memory do
const     PITCH   = pitch              # 0, of a kernel for all sizes: it is computed
const     DEEP    = RUN / (32 * max(4, sizeof(T))) # words of a column that a lane gathers
const     COLS_EACH = TILE_COLS * 32 / THREADS # columns that a warp gathers
const     ROWS    = RUN / sizeof(T)    # that a tile writes
const     READ_ROWS = ROWS + HALO
const     LOADS   = ceil_div(READ_ROWS, max(1, THREADS / ACROSS)) # pieces that a thread reads
let       pieces  = ceil_div((READ_ROWS - 1) * pitch, piece) + ACROSS # of the tile
const     RESIDENT = max(1, min(min(233472 / (16 * pieces + 1024), 1536 / THREADS), 32)) # blocks of a multiprocessor that registers should leave room for
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       across  = ceil_div(cols, TILE_COLS)
let       tiles   = down * across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
general   ANY_IN=1 ANY_OUT=1 PITCH=0 RESIDENT=any BATCHED=1
fixed     count > 0                    # constants are what it lives on

prefer    sizeof(T) <= 8 && ld_in % 2 == 1 # a column's elements meet different banks
prefer    2 * bytes <= device.l2_bytes # larger ones want larger tiles; and a sector that is written in part costs nothing where it stays in the cache
require   batch * rows * ld_in < 1000000000 && batch * cols * ld_out < 1000000000 # 32-bit offsets
require   ALIGN >= sizeof(T) && (ALIGN == 4 || HALO > 0)
prefer    ALIGN == 32 || bytes <= 2097152 || (ALIGN == 4 && align_out >= 32 && ld_out * sizeof(T) % 32 == 0) # larger ones want whole sectors
prefer    COPY == COPY_async || sizeof(T) >= 4 # 3 to 5 % slower
prefer    bytes > 2097152 || (WIDTH <= max(64, 16 * sizeof(T)) && RUN <= max(128, 32 * sizeof(T))) # enough tiles for all multiprocessors
prefer    4 * HALO <= ROWS             # at most a fifth is read twice
prefer    ROWS < 2 * rows || RUN <= max(128, 32 * sizeof(T)) # not mostly empty
prefer    TILE_COLS < 2 * cols || WIDTH == 32
require   COLS_EACH * THREADS == TILE_COLS * 32 && COLS_EACH % AHEAD == 0 # all warps gather as many columns
require   DEEP > 0 && DEEP * AHEAD <= 4 # registers
require   LOADS <= (COPY == COPY_async ? 24 : 8)
require   COLS_EACH * DEEP * max(1, 4 / sizeof(T)) <= 256 # instructions
require   16 * pieces <= min(device.max_shared_bytes, 40960)
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    16 * pieces
default   WIDTH=112 RUN=256 THREADS=256 COPY=async ALIGN=32 AHEAD=1 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned short;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 128, RESIDENT = 2, AHEAD = 2, ALIGN = 4, ANY_IN = 1, ANY_OUT = 1, HALO = 2, ROWS = 64, READ_ROWS = 66, TILE_COLS = 56;
constexpr int ACROSS = 8, PITCH = 71, DEEP = 1, COLS_EACH = 14, LOADS = 5, BATCHED = 0, FLAT = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
constexpr int COPY_by_register = 0, COPY_async = 1, COPY = COPY_async;
#include "../common/async.cuh"
#include "../common/columns.cuh"
#include "../common/kept.cuh"
#include "../common/odd.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * The tile, and what is read of it, are those of `skew`, which has a drawing: aligned pieces at a pitch at which a column is
 * a straight line. A small problem is a single wave of blocks, in which each step is waited for. So tiles are small, and
 * what a thread must know it knows early: all loops have constant ends. Where the rows that are read at once are a multiple
 * of a piece, the next piece of a thread is a constant away; where the warps are a multiple of the columns that begin
 * alike, so is its next column. A word of an output row then costs what gathers and writes it. Words of which only a part
 * exists, at the ends of output rows, are written afterwards, a column a thread. Blocks of a single warp are no choice:
 * where every other column begins alike, ptxas of CUDA 12.9 and 13.0 gets their places in the tile wrong.
 */

constexpr int DOWN  = THREADS / ACROSS;      /* input rows that the threads read at once */

struct Tiling { /* of common/odd.cuh */
    using Element = T;
    using Unit    = Word;
    enum : int { pitch = PITCH, rows = ROWS, halo = HALO, apart = HALO == 0 ? 1 : ALIGN / ES };
    enum : int { threads = THREADS, lanes = 32, aside = THREADS / 32, each = COLS_EACH, ahead = AHEAD, deep = DEEP };
};

/* A piece to shared memory, `begin` for the device, past the registers. */
__device__ __forceinline__ void copy_piece(uint4 *to, unsigned begin, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 16;" ::"r"(begin), "l"(from) : "memory");
#else
    *to = *from;
#endif
}

/* A thread's pieces: it keeps to its place in a row and goes down. */
template <bool whole> __device__ __forceinline__ void read_pieces(uint4 *tile, const uint4 *in, const Corner &at)
{
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    if (THREADS % ACROSS != 0 && own >= DOWN)
        return;
    const int  pitch  = PITCH > 0 ? PITCH : at.tile_pitch;
    const bool steady = DOWN % PIECE == 0; /* rows are odd */
    const int  element = at.start + own * at.pitch, piece = (element >> LOG) + n;
    const int  place   = at.phase + own * pitch, first = (place >> LOG) + n;
    const uint4 *const from = COPY == COPY_async ? (const uint4 *)kept((long long)(in + piece)) : in + piece;
    const unsigned begin = COPY == COPY_async ? (unsigned)kept((int)begin_of<false>((const unsigned char *)(tile + first))) : 0;
    uint4 part[LOADS];
#pragma unroll
    for (int pass = 0; pass < (COPY == COPY_async ? 1 : 2); pass++)
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            const int row  = own + k * DOWN, e = element + k * DOWN * at.pitch;
            const int next = steady ? k * (DOWN / PIECE * at.pitch) : (e >> LOG) + n - piece; /* pieces from the first on */
            const int to   = steady ? k * (DOWN / PIECE * pitch) : ((place + k * DOWN * pitch) >> LOG) + n - first;
            const int col  = n * PIECE - ((steady ? element : e) & (PIECE - 1));
            const bool here = whole ? col < TILE_COLS && row < READ_ROWS
                                    : col < at.cols_here && row >= at.first_row && row < at.end_row && piece + next < at.pieces;
            if (here && COPY == COPY_async)
                copy_piece(tile + first + to, begin + to * 16, from + next);
            else if (here && pass == 0)
                part[k] = from[next];
            else if (here)
                tile[first + to] = part[k];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
transpose_odd(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 tile[];

    const int high = (int)rows, wide = (int)cols, in_pitch = (int)ld_in, out_pitch = (int)ld_out;
    const unsigned down = (high + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS, across = (wide + TILE_COLS - 1) / TILE_COLS;
    const Spot spot = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast>(down, across);
    const int matrix = (int)matrix_of<FLAT, BATCHED>(down, across), c0 = (int)spot.c * TILE_COLS, r0 = (int)spot.r * ROWS;

    const int tile_pitch = PITCH > 0 ? PITCH : ACROSS * PIECE + in_pitch % PIECE;

    /* A buffer that does not begin aligned is the rest of one that does. */
    const int in_base = ANY_IN ? (int)elements_behind<16>(in) : 0, out_base = ANY_OUT ? (int)elements_behind<ALIGN>(out) : 0;
    const int start = (matrix * high + r0 - HALO) * in_pitch + c0 + in_base, count = (int)batch * high * in_pitch + in_base;
    const uint4 *const pieces = (const uint4 *)(in - in_base);
    const Corner at = { start, start & (PIECE - 1), in_pitch, count >> LOG, max(HALO - r0, 0), min(high - r0, ROWS) + HALO, min(wide - c0, TILE_COLS), tile_pitch };
    const Target<Tiling> target = { out + ((matrix * wide + c0) * out_pitch + r0 - HALO), out_pitch,
                  (int)((unsigned)((matrix * wide + c0) * out_pitch + out_base) % Tiling::apart), out_pitch % Tiling::apart };

    /* All of it exists, and a row behind it, so that its last pieces do, too. */
    if (r0 >= HALO && r0 + ROWS < high && c0 + TILE_COLS <= wide) {
        read_pieces<true>(tile, pieces, at);
        if (COPY == COPY_async)
            await_copies();
        __syncthreads();
        write_columns<Tiling, true>((const T *)tile, at, target);
        return;
    }
    read_pieces<false>(tile, pieces, at);

    /* The buffer's last elements that do not fill a piece may be this tile's. */
    const int i = at.pieces * PIECE + (int)threadIdx.x - in_base;
    if (threadIdx.x < PIECE && i >= 0 && i < count - in_base) {
        const int row = i / in_pitch - (matrix * high + r0 - HALO), col = i % in_pitch - c0;
        if (row >= at.first_row && row < at.end_row && col >= 0 && col < at.cols_here)
            ((T *)tile)[at.phase + row * tile_pitch + col] = in[i];
    }
    if (COPY == COPY_async)
        await_copies();
    __syncthreads();
    write_columns<Tiling, false>((const T *)tile, at, target);
    if (PER > 1)
        write_ends<Tiling>((const T *)tile, at, target);
}
