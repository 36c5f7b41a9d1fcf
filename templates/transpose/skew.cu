/*!autotune
template  skew                          # for rows of any alignment: copied as they are, and kept so far apart that a column is a straight line
use       async columns index tiles

param     WIDTH   = 64 128 192 256 384 512 # bytes of an input row that a tile holds
param     RUN     = 128 256 512 1024   # bytes of an output row that a block writes
param     THREADS = 256 512            # threads a block
param     QUARTERS = 3 4               # of a multiprocessor's threads that registers leave room for
param     BESIDE  = 1 2                # blocks of a cluster: neighbours that share the ends of what they read
param     PREFETCH = 128 256           # bytes around a piece that the second-level cache asks memory for
param     ALIGN   = 32 64 256          # bytes: a tile's part of an output row begins and ends at a multiple
param     AHEAD   = 1 2                # words of a column that a thread gathers at a time
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

let       piece   = 16 / sizeof(T)
const     ANY_IN  = align_in < 16      # the input does not begin at a multiple of 16 bytes
const     ANY_OUT = align_out < ALIGN  # nor the output at one of ALIGN
const     SHIFT   = ld_in % piece != 0 || ANY_IN # input rows begin anywhere
const     HALO    = ld_out * sizeof(T) % ALIGN == 0 && !ANY_OUT ? 0 : ALIGN / sizeof(T) # rows between aligned places of an output row
const     TILE_COLS = WIDTH / sizeof(T)
const     ACROSS  = WIDTH / 16 + SHIFT # pieces of a row
let       slots   = SHIFT || ACROSS % 2 == 1 ? ACROSS : ACROSS + 1
let       pitch   = slots * piece + ld_in % piece # elements between rows of the tile, which begin as their rows in memory do
const     PITCH   = pitch              # 0, of a kernel for all sizes: it is computed
const     ASIDE   = sizeof(T) == 16 ? 1 : min(4, gcd(pitch, 32)) # columns that a warp gathers from: then its lanes meet different banks
let       chunk   = 32 / ASIDE * AHEAD * max(1, 4 / sizeof(T)) # rows that a warp gathers from at a time
const     ROWS    = RUN / sizeof(T)    # that a tile writes
const     READ_ROWS = ROWS + HALO
let       PIECES  = ((READ_ROWS - 1) * pitch * sizeof(T) + 15) / 16 + ACROSS # of the tile; the name is the one that the shipped model knows
const     RESIDENT = max(1, min(233472 / (16 * PIECES + 1024), 512 * QUARTERS / THREADS)) # blocks of a multiprocessor that registers should leave room for
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       blocks_across = ceil_div(ceil_div(cols, TILE_COLS), BESIDE) * BESIDE
let       blocks  = down * blocks_across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? down : blocks_across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
const     WIDE    = max(READ_ROWS * ld_in, TILE_COLS * ld_out) > 2147483000 # 64-bit offsets inside a tile
const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   ASIDE=any ANY_IN=1 ANY_OUT=1 SHIFT=1 PITCH=0 RESIDENT=any BATCHED=1 WIDE=1 KEEP=any
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

prefer    SHIFT || align_out < 32 || ld_out * sizeof(T) % 32 != 0 || cols % piece != 0 || rows % piece != 0 # subtile does the same with less
prefer    gcd(pitch, 32) <= 2 * ASIDE || sizeof(T) == 16 # too many lanes would meet in one bank
prefer    4 * HALO <= ROWS             # at most a fifth is read twice
prefer    ALIGN == 32 || HALO > 0      # already aligned
prefer    ALIGN != 64 || (sizeof(T) == 4 && RUN == 512) # for others it is not worth the rows that are read twice
prefer    ALIGN != 256 || (RUN == 1024 && rows >= 64 * cols) # likewise, but where all tiles write to a few far places
prefer    RUN != 1024 || sizeof(T) >= 8 || ALIGN == 256 # short elements make high tiles
prefer    ROWS < 2 * rows || RUN == 128 # not mostly empty
prefer    TILE_COLS < 2 * cols || WIDTH == 64
require   ROWS % chunk == 0            # a warp stays within the tile
require   TILE_COLS * ROWS * sizeof(T) >= 4 * THREADS * AHEAD # else some threads have nothing to do
prefer    QUARTERS == 3 || 512 * 3 / THREADS < 233472 / (16 * PIECES + 1024) # else shared memory limits the blocks to the same number
prefer    READ_ROWS * ACROSS >= THREADS || THREADS == 256
require   READ_ROWS * ACROSS <= 36 * THREADS
prefer    THREADS == 512 || PIECES <= 2048 # large tiles need them all
prefer    PIECES >= 256                # a multiprocessor needs many bytes in flight
require   16 * PIECES <= min(device.max_shared_bytes, 102400)
require   THREADS <= device.max_threads_per_block
require   BESIDE == 1 || (device.cc >= 90 && SHIFT && !FLAT && cols > TILE_COLS) # a cluster is part of the grid
prefer    PREFETCH == 128 || (BESIDE == 2 && count * sizeof(T) >= 33554432) # else it brings what nobody needs in time
require   blocks <= device.max_grid_x

grid      FLAT ? blocks : ORDER == ORDER_in_fast ? blocks_across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : blocks_across \
          FLAT ? 1 : batch
block     THREADS
shared    16 * PIECES
default   WIDTH=256 RUN=256 THREADS=512 QUARTERS=3 BESIDE=1 PREFETCH=128 ALIGN=32 AHEAD=2 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 512, RESIDENT = 2, BESIDE = 2, PREFETCH = 128, AHEAD = 2, ALIGN = 32, ANY_IN = 1, ANY_OUT = 1, SHIFT = 1, HALO = 32, ROWS = 256;
constexpr int READ_ROWS = 288, TILE_COLS = 256;
constexpr int ACROSS = 17, PITCH = 273, ASIDE = 1, BATCHED = 0, FLAT = 0, WIDE = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast, KEEP = 1;
#include "../common/async.cuh"
#include "../common/columns.cuh"
#include "../common/index.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * The tile holds the aligned 16-byte pieces of every row as they are. Its pitch differs from the input's by whole
 * pieces, so a row's first element stands where the pitch says, whatever its alignment: the elements of a column are
 * PITCH apart, all of them. Here with pieces of four elements, two of them a row, ld_in % 4 = 1, PITCH = 9:
 *
 *      row 0           row 1           row 2           row 3                   row 4
 *     |a b c d|. . . .|. a b c|d . . .|. . a b|c d . .|. . . a|b c d .|       |a b c d|. . . .|
 *      0                 9                  18                  27             36
 *
 * Neighbouring lanes gather neighbouring words of a column and write them to an output row: where PITCH is odd, they
 * meet different banks; where it is even, a warp gathers from several columns a word apart (ASIDE). Where output rows
 * do not begin aligned, a tile's part of one begins up to HALO elements above its rows: those are read twice. That tiles
 * write whole blocks of 256 bytes is worth many such rows if the output has few rows, far from each other.
 *
 *     multiples of ALIGN bytes     |       |       |       |
 *     the tile's part of the row       [--------------]
 *     what it writes               [--------------]              its beginning from the HALO rows
 *
 * Tiles beside each other read the sectors at their common border twice. As a cluster they do so at the same time and
 * from the same side of the chip, so that these sectors cross between the halves of the L2 once.
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int UNITS  = ALIGN / ES;            /* elements between aligned places of a row */
constexpr int DOWN   = THREADS / ACROSS;       /* input rows that the threads read at once */
constexpr int LONG   = 32 / ASIDE;            /* words of a column that a warp writes at once */
constexpr int CHUNK  = LONG * AHEAD;          /* and gathers at a time */
constexpr int CHUNKS = ROWS / (CHUNK * PER);  /* of a column */
constexpr int CHUNKS_ASIDE = THREADS / 32 % CHUNKS == 0 ? CHUNKS : 1; /* that are different warps' */

#if __CUDA_ARCH__ >= 900
#define CLUSTERED __cluster_dims__(ORDER == ORDER_in_fast ? BESIDE : 1, ORDER == ORDER_in_fast ? 1 : BESIDE, 1)
#else
#define CLUSTERED
#endif

extern "C" __global__ void CLUSTERED __launch_bounds__(THREADS, RESIDENT)
transpose_skew(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];

    const unsigned down   = (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS), blocks_across = (across + BESIDE - 1) / BESIDE * BESIDE;
    const unsigned matrix = matrix_of<FLAT, BATCHED>(down, blocks_across);
    const Spot     spot   = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast>(down, blocks_across);
    if (BESIDE > 1 && spot.c >= across)
        return; /* the grid is whole clusters */
    const long long c0    = (long long)spot.c * TILE_COLS, r0 = (long long)spot.r * ROWS;
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);
    const int lane        = threadIdx.x % 32, warp = threadIdx.x / 32;

    /* A buffer that does not begin aligned is the rest of one that does. */
    const unsigned in_base = ANY_IN ? elements_behind<16>(in) : 0, out_base = ANY_OUT ? elements_behind<ALIGN>(out) : 0;
    const long long count  = batch * rows * ld_in + in_base;

    const unsigned out_phase = HALO == 0 ? 0 : ((unsigned)((matrix * cols + c0) * ld_out) + out_base) % UNITS;
    const unsigned out_step  = HALO == 0 ? 0 : (unsigned)ld_out % UNITS;

    /* Of the rows that the tile holds, [first_row, end_row) exist. */
    const int first_row = r0 < HALO ? HALO - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < ROWS ? rows - r0 : ROWS) + HALO;

    /* The piece with the tile's first element, and that element's place there; whole pieces of the buffer from there on. */
    const long long start = (matrix * rows + r0 - HALO) * ld_in + c0 + in_base;
    const long long piece = start >= 0 ? start / PIECE : -((PIECE - 1 - start) / PIECE);
    const int       phase = (int)(start - piece * PIECE);
    const long long left  = count / PIECE - piece;
    const Index     whole = WIDE || left < 2147483647 ? (Index)left : 2147483647;
    const uint4 *const from = (const uint4 *)(in - in_base) + piece;

    /* Every thread keeps to its place in a row and goes down. */
    const int pitch = PITCH > 0 ? PITCH : (SHIFT || ACROSS % 2 == 1 ? ACROSS : ACROSS + 1) * PIECE + (int)ld_in % PIECE;
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    if (THREADS % ACROSS == 0 || own < DOWN)
#pragma unroll 4
        for (int row = first_row + own; row < end_row; row += DOWN) {
            const Index element = phase + row * (Index)ld_in, at = (element >> LOG) + n;
            const int   col = n * PIECE - (SHIFT ? (int)(element & (PIECE - 1)) : 0);
            if (col < cols_here && at < whole)
                copy_async<KEEP, PREFETCH>(shared_memory + ((phase + row * pitch) >> LOG) + n, from + at);
        }
    await_copies();
    __syncthreads();

    /* The buffer's last elements that do not fill a piece may be this tile's. */
    if (SHIFT && whole <= ((phase + (end_row - 1) * (Index)ld_in) >> LOG) + ACROSS) {
        const long long i = (piece + left) * PIECE + threadIdx.x - in_base;
        if (i >= 0 && i < count - in_base) {
            const long long row = i / ld_in - (matrix * rows + r0 - HALO), col = i % ld_in - c0;
            if (row >= first_row && row < end_row && col >= 0 && col < cols_here)
                ((T *)shared_memory)[phase + (int)row * pitch + (int)col] = in[i];
        }
        __syncthreads();
    }

    /* A warp goes over columns, and down each as far as it is not another warp's. */
    const T *const place   = (const T *)shared_memory + phase;
    T *const       to_tile = out + ((matrix * cols + c0) * ld_out + r0 - HALO);
    const int      groups  = (cols_here + PER * ASIDE - 1) / (PER * ASIDE) * PER;
    const int      own_row = HALO + (CHUNKS_ASIDE > 1 ? warp % CHUNKS_ASIDE * (CHUNK * PER) : 0) + lane / ASIDE * PER;
    const bool     whole_tile = first_row == 0 && end_row == ROWS + HALO && cols_here == TILE_COLS;

#pragma unroll 1
    for (int group = warp / CHUNKS_ASIDE; group < (ASIDE == 1 ? cols_here : groups); group += THREADS / 32 / CHUNKS_ASIDE) {
        const int c = ASIDE == 1 ? group : group / PER * (PER * ASIDE) + group % PER + lane % ASIDE * PER;
        const int ahead = HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS); /* of an aligned place */
        int       row   = own_row - ahead;
        const T  *column = place + row * pitch + c;
        T        *to     = to_tile + (c * (Index)ld_out + row);

        if (whole_tile)
#pragma unroll 1
            for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
                move_words<AHEAD, LONG>(to, column, pitch);
                column += CHUNK * PER * pitch;
                to += CHUNK * PER;
            }
        else if (c < cols_here)
#pragma unroll 1
            for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
                move_words_between<AHEAD, LONG>(to, column, pitch, row, first_row, end_row);
                row += CHUNK * PER;
                column += CHUNK * PER * pitch;
                to += CHUNK * PER;
            }
    }
}
