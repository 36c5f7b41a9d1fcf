/*!autotune
template  odd                          # rows of an odd number of elements, while the L2 holds them: as `skew`, in small tiles whose places are constants
use       access convert odd tiles

param     WIDTH   = 24 32 56 64 120 128 # elements of an input row that a tile holds: with the piece in front a power of two, or without
param     RUN     = 64 128             # bytes of an output row that a block writes
param     THREADS = 128 256 512        # threads a block
param     ALIGN   = 4 16 32            # bytes: a tile's part of an output row begins and ends at a multiple
param     AHEAD   = 1 2                # columns that a thread gathers from at a time
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

const     TO      = to
const     BOTH    = both == both_yes
const     AMAX    = amax == amax_yes
const     PIECE   = 16 / sizeof(T)     # elements that are read at a time
const     HALO    = rows * width % ALIGN == 0 ? 0 : ALIGN / width # rows between aligned places of an output row
const     ACROSS  = WIDTH / PIECE + 1  # pieces of a row, which begins within one
const     PITCH   = ACROSS * PIECE + cols % PIECE # elements between rows of the tile, which begin within a piece as their rows in memory do
const     LANES   = min(32, RUN / 4)   # that gather from a column
const     COLS_EACH = WIDTH * LANES / THREADS # columns that a thread gathers from
const     ROWS    = RUN / width        # that a tile writes
const     READ_ROWS = ROWS + HALO
const     LOADS   = ceil_div(READ_ROWS, max(1, THREADS / ACROSS)) # pieces that a thread reads
let       pieces  = ceil_div((READ_ROWS - 1) * PITCH, PIECE) + ACROSS # of the tile
let       shared_bytes = 16 * ceil_div(pieces * PIECE * width, 16) # converted
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       across  = ceil_div(cols, WIDTH)
let       tiles   = down * across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
general   BATCHED=1
fixed     count > 0                    # constants are what it lives on

require   cols % 2 == 1                # a column's elements meet different banks
require   moved <= device.l2_bytes     # larger ones want larger tiles; and a sector that is written in part costs nothing where it stays in the cache
require   WIDTH % PIECE == 0
require   ALIGN == 4 || HALO > 0
require   ALIGN == 16 || (count * width <= 2097152 || rows * width % 32 == 0 ? ALIGN == 4 : ALIGN == 32) # larger ones want whole sectors
require   4 * HALO <= ROWS             # at most a fifth is read twice
require   ROWS < 2 * rows || RUN == 64 # not mostly empty
require   WIDTH < 2 * cols || WIDTH == 24
require   COLS_EACH * THREADS == WIDTH * LANES && COLS_EACH % AHEAD == 0 # all gather as many columns
require   LOADS <= 8                   # registers
require   COLS_EACH * 4 / width <= 256 # instructions
require   shared_bytes <= 40960
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

arg       turned straight largest in scale batch rows cols
grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    shared_bytes
default   WIDTH=32 RUN=128 THREADS=256 ALIGN=16 AHEAD=1 ORDER=in_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned short;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 128, AHEAD = 2, ALIGN = 4, TO = 1, BOTH = 1, AMAX = 1, PIECE = 8, HALO = 4, ROWS = 128, READ_ROWS = 132, WIDTH = 56;
constexpr int ACROSS = 8, PITCH = 71, LANES = 32, COLS_EACH = 14, LOADS = 9, BATCHED = 0, FLAT = 0;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#include "../common/access.cuh"
#include "../common/convert.cuh"
#include "../common/odd.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * The tile, and what is read of it, are those of `skew`, which has a drawing: aligned pieces, converted, at a pitch at which
 * a column is a straight line. A small problem is a single wave of blocks, in which each step is waited for. So tiles are
 * small, and what a thread must know it knows early: all loops have constant ends. Where the rows that are read at once are
 * a multiple of a piece, the next piece of a thread is a constant away; where the columns that are written at once are a
 * multiple of those that begin alike, so is its next column. Words of which only a part exists, at the ends of output rows,
 * are written afterwards, a column a thread.
 */

constexpr int BYTES = converted_bytes(TO);   /* of a converted element */
constexpr int PER   = 4 / BYTES;             /* elements in a word: what a lane writes at a time */
constexpr int DOWN  = THREADS / ACROSS;      /* input rows that the threads read at once */
constexpr int LOG   = PIECE == 8 ? 3 : 2;

using Out = Access<BYTES>::type;

using Piece = Vector<PIECE>;

using Kept = Access<PIECE * BYTES>::type; /* a piece in the other type */

union Converted {
    Kept bits;
    unsigned word[PIECE * BYTES / 4];
};

union Word { /* of an output row */
    unsigned bits;
    Out element[PER];
};

struct Tiling { /* of common/odd.cuh */
    using Element = Out;
    using Unit    = Word;
    enum : int { pitch = PITCH, rows = ROWS, halo = HALO, apart = HALO == 0 ? 1 : ALIGN / BYTES };
    enum : int { threads = THREADS, lanes = LANES, aside = THREADS / LANES, each = COLS_EACH, ahead = AHEAD, deep = 1 };
};

/* A thread's pieces: it keeps to its place in a row and goes down. All are read before the first is converted. */
template <bool whole> __device__ __forceinline__ void read_pieces(Kept *tile, Kept *straight, const T *in, const Corner &at, const float *scale, float &most)
{
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    if (THREADS % ACROSS != 0 && own >= DOWN)
        return;
    const bool steady  = DOWN * at.pitch % PIECE == 0;
    const int  element = at.start + own * at.pitch, piece = (element >> LOG) + n;
    const int  place   = at.phase + own * PITCH, first = (place >> LOG) + n;
    const typename Piece::Bits *const from = (const typename Piece::Bits *)in + piece;
    Piece part[LOADS];
    float by = 0;
#pragma unroll
    for (int pass = 0; pass < 2; pass++) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            const int row  = own + k * DOWN, e = element + k * DOWN * at.pitch;
            const int next = steady ? k * (DOWN * at.pitch / PIECE) : (e >> LOG) + n - piece; /* pieces from the first on */
            const int col  = n * PIECE - ((steady ? element : e) & (PIECE - 1));
            const bool here = whole ? col < WIDTH && row < READ_ROWS
                                    : col < at.cols_here && row >= at.first_row && row < at.end_row && piece + next < at.pieces;
            if (here && pass == 0)
                part[k].bits = from[next];
            else if (here) {
                Converted bits;
                convert<TO, AMAX>(bits.word, part[k].element, by, most);
                tile[first + (steady ? k * (DOWN * PITCH / PIECE) : ((place + k * DOWN * PITCH) >> LOG) + n - first)] = bits.bits;
                if (BOTH && row >= HALO && col >= 0)
                    straight[piece + next] = bits.bits;
            }
        }
        by = *scale;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
cast_transpose_odd(unsigned char *__restrict__ turned, unsigned char *__restrict__ straight, float *__restrict__ largest,
    const T *__restrict__ in, const float *__restrict__ scale, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols))
{
    extern __shared__ uint4 shared_memory[];
    [[maybe_unused]] __shared__ float of_warps[THREADS / 32];
    Kept *const tile = (Kept *)shared_memory;

    const int high = (int)rows, wide = (int)cols, count = (int)(batch * rows * cols);
    const unsigned down = (high + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS, across = (wide + WIDTH - 1) / WIDTH;
    const Spot spot = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast>(down, across);
    const int matrix = (int)matrix_of<FLAT, BATCHED>(down, across), c0 = (int)spot.c * WIDTH, r0 = (int)spot.r * ROWS;

    const int start = (matrix * high + r0 - HALO) * wide + c0;
    const Corner at = { start, start & (PIECE - 1), wide, count >> LOG, max(HALO - r0, 0), min(high - r0, ROWS) + HALO, min(wide - c0, WIDTH) };
    const Target<Tiling> target = { (Out *)turned + ((matrix * wide + c0) * high + r0 - HALO), high,
                  (int)((unsigned)((matrix * wide + c0) * high) % Tiling::apart), high % Tiling::apart };
    /* All of it exists, and a row behind it, so that its last pieces do, too. */
    const bool whole = r0 >= HALO && r0 + ROWS < high && c0 + WIDTH <= wide;
    float most = 0;

    if (whole) {
        read_pieces<true>(tile, (Kept *)straight, in, at, scale, most);
    } else {
        read_pieces<false>(tile, (Kept *)straight, in, at, scale, most);

        /* The buffer's last elements that do not fill a piece may be this tile's. */
        const int i = at.pieces * PIECE + (int)threadIdx.x, row = i / wide - (matrix * high + r0 - HALO), col = i % wide - c0;
        if (threadIdx.x < PIECE && i < count && row >= at.first_row && row < at.end_row && col >= 0 && col < at.cols_here) {
            const float value = (float)in[i];
            const Out   bits  = (Out)convert_pair<TO>(value * *scale, 0);
            ((Out *)tile)[at.phase + row * PITCH + col] = bits;
            if (BOTH)
                ((Out *)straight)[i] = bits;
            most = fmaxf(most, fabsf(value));
        }
    }
    if (AMAX)
        keep_largest(of_warps, most);
    __syncthreads();
    if (AMAX)
        add_largest(largest, of_warps);

    if (whole) {
        write_columns<Tiling, true>((const Out *)tile, at, target);
    } else {
        write_columns<Tiling, false>((const Out *)tile, at, target);
        write_ends<Tiling>((const Out *)tile, at, target);
    }
}
