/*!autotune
template  skew                         # rows of any alignment: converted rows are kept so far apart that a column is a straight line
use       access async convert policy tiles

param     WIDTH   = 32 56 64 120 128 192 248 256 # elements of an input row that a tile holds
param     RUN     = 64 128 256 512     # bytes of an output row that it writes
param     THREADS = 256 512            # threads a block
param     COPY    = by_register async  # what is read waits in registers until it is converted, or in shared memory
param     LOADS   = 2 4 6 8            # pieces that a thread reads before it converts the first
param     ALIGN   = 4 16 32 64         # bytes: a tile's part of an output row begins and ends at a multiple
param     AHEAD   = 1 2                # words of a column that a thread gathers at a time
param     ORDER   = in_fast out_fast   # neighbouring blocks follow the input's rows, or the output's

const     TO      = to
const     BOTH    = both == both_yes
const     AMAX    = amax == amax_yes
const     PIECE   = 16 / sizeof(T)     # elements that are read at a time
const     SHIFT   = cols % PIECE != 0  # input rows begin within such a piece
const     HALO    = rows * width % ALIGN == 0 ? 0 : ALIGN / width # rows between aligned places of an output row
const     ACROSS  = WIDTH / PIECE + SHIFT # pieces of a row
const     PITCH   = (SHIFT || ACROSS % 2 == 1 ? ACROSS : ACROSS + 1) * PIECE + cols % PIECE # elements between rows of the tile, which begin within a piece as their rows in memory do
const     ASIDE   = min(4, gcd(PITCH, 32)) # columns that a warp gathers from: then its lanes meet different banks
let       chunk   = 32 / ASIDE * AHEAD * 4 / width # rows that a warp gathers from at a time
const     ROWS    = RUN / width        # that a tile writes
const     READ_ROWS = ROWS + HALO
const     PIECES  = ceil_div((READ_ROWS - 1) * PITCH, PIECE) + ACROSS # of the tile
const     TILE    = ceil_div(PIECES * PIECE * width, 16) # of 16 bytes each, converted; behind them what waits
let       shared_bytes = 16 * (TILE + (COPY == COPY_async ? LOADS * THREADS : 0))
const     RESIDENT = COPY == COPY_async ? max(1, min(233472 / (shared_bytes + 1024), 1536 / THREADS)) : 0 # blocks of a multiprocessor that registers should leave room for; 0: as the compiler likes
let       down    = ceil_div(rows + max(0, HALO - 1), ROWS)
let       across  = ceil_div(cols, WIDTH)
let       tiles   = down * across * batch
const     FLAT    = max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
const     BATCHED = batch > 1
const     KEEP    = device.cc >= 80 && moved >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   BATCHED=1 KEEP=any
fixed     count > 0                    # address arithmetic is much of what a thread does

require   cols % PIECE != 0 || rows * width % 16 != 0 || cols % 4 != 0 # tile does the same with less
require   READ_ROWS * cols < 2147480000 && WIDTH * rows < 2147480000 # 32-bit offsets inside a tile
require   ALIGN == 32 || HALO > 0      # already aligned
require   ALIGN >= 32 || moved <= device.l2_bytes # a sector that is written in part costs nothing where it stays in the cache
require   4 * HALO <= ROWS             # at most a fifth is read twice
require   (ALIGN < 64 && RUN < 512) || width == 2 # for bytes it was never better
require   ROWS < 2 * rows || RUN <= 128 # not mostly empty
require   WIDTH < 2 * cols || WIDTH <= 64
require   WIDTH * RUN >= 8192 || moved <= 33554432 # small tiles are for small problems
require   ACROSS <= THREADS            # each keeps to its place in a row
require   COPY == COPY_by_register || LOADS <= 6 # enough is on its way, and leaves room for other blocks
require   WIDTH % 64 != 56 || (SHIFT && PIECE == 8) # with the piece in front a power of two
require   ROWS % chunk == 0            # a warp stays within the tile
require   READ_ROWS * ACROSS >= THREADS * LOADS / 2 || THREADS * LOADS == 512 # else some threads have nothing to do
require   READ_ROWS * ACROSS <= 64 * THREADS
require   shared_bytes <= min(device.max_shared_bytes - THREADS / 8, 102400) # and of_warps
require   THREADS <= device.max_threads_per_block
require   tiles <= device.max_grid_x

arg       turned straight largest in scale batch rows cols
grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    shared_bytes
default   WIDTH=128 RUN=256 THREADS=256 COPY=by_register LOADS=4 ALIGN=32 AHEAD=2 ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int COPY_by_register = 0, COPY_async = 1, COPY = COPY_async, TILE = 2400, RESIDENT = 1;
constexpr int THREADS = 256, LOADS = 4, ALIGN = 32, AHEAD = 2, WIDTH = 128, TO = 1, BOTH = 1, AMAX = 1, PIECE = 4, SHIFT = 1, HALO = 32;
constexpr int ACROSS = 33, PITCH = 133, ASIDE = 1, ROWS = 256, READ_ROWS = 288, FLAT = 0, BATCHED = 1, KEEP = 1;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_out_fast;
#include "../common/access.cuh"
#include "../common/async.cuh"
#include "../common/convert.cuh"
#include "../common/policy.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * The tile holds the aligned 16-byte pieces of every row, converted. Its pitch differs from the input's by whole pieces,
 * so a row's first element stands where the pitch says, whatever its alignment: the elements of a column are PITCH
 * apart, all of them. Here with pieces of four elements, two of them a row, cols % 4 = 1, PITCH = 9:
 *
 *      row 0           row 1           row 2           row 3                   row 4
 *     |a b c d|. . . .|. a b c|d . . .|. . a b|c d . .|. . . a|b c d .|       |a b c d|. . . .|
 *      0                 9                  18                  27             36
 *
 * Rows that are not turned are written as these pieces: what is aligned in the input, is aligned there. Each piece is
 * written by the tile that has its first element.
 *
 * Neighbouring lanes gather neighbouring words of a column and write them to an output row: where PITCH is odd, they
 * meet different banks; where it is even, a warp gathers from several columns a word apart (ASIDE). Where output rows
 * do not begin aligned, a tile's part of one begins up to HALO elements above its rows: those are read twice.
 */

constexpr int BYTES  = converted_bytes(TO);    /* of a converted element */
constexpr int PER    = 4 / BYTES;              /* elements in a word: what a lane writes at a time */
constexpr int UNITS  = ALIGN / BYTES;          /* elements between aligned places of an output row */
constexpr int DOWN   = THREADS / ACROSS;       /* input rows that the threads read at once */
constexpr int LONG   = 32 / ASIDE;             /* words of a column that a warp writes at once */
constexpr int CHUNK  = LONG * AHEAD;           /* and gathers at a time */
constexpr int CHUNKS = ROWS / (CHUNK * PER);   /* of a column */
constexpr int CHUNKS_ASIDE = THREADS / 32 % CHUNKS == 0 ? CHUNKS : 1; /* that are different warps' */

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

/* The lane's next words of a column to an output row, of which rows [first_row, end_row) exist. */
template <bool whole> __device__ __forceinline__ void move_words(Out *out, const Out *column, int row, int first_row, int end_row)
{
    Word word[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        if (whole || (row + k * LONG * PER >= first_row && row + k * LONG * PER + PER <= end_row))
#pragma unroll
            for (int e = 0; e < PER; e++)
                word[k].element[e] = column[(k * LONG * PER + e) * PITCH];
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        const int i = k * LONG * PER;
        if (whole || (row + i >= first_row && row + i + PER <= end_row))
            ((unsigned *)out)[k * LONG] = word[k].bits;
        else /* the ends of an output row */
#pragma unroll 1
            for (int e = max(0, first_row - row - i); e < PER && row + i + e < end_row; e++)
                out[i + e] = column[(i + e) * PITCH];
    }
}

struct Corner { /* where a tile's rows are */
    const typename Piece::Bits *from;                  /* the piece with its first element */
    Kept *along;                                       /* the same of `straight` */
    int left;                                          /* whole pieces of the input from there on */
    int phase, cols, cols_here;                        /* the first element's place in its piece */
    int end_row;                                       /* of the tile's rows, those up to here exist */
};

/* Every thread keeps to its place in a row and goes down. */
struct Mine {
    bool here;                     /* there is such a piece */
    int  piece, col;               /* from the corner on; where it begins in the row, below 0 if in front of the tile */

    __device__ __forceinline__ Mine(const Corner &at, int row)
    {
        const int n = (int)threadIdx.x % ACROSS;
        const unsigned element = (unsigned)(at.phase + row * at.cols);
        piece = (int)(element / PIECE) + n;
        col   = n * PIECE - (int)(element % PIECE);
        here  = row < at.end_row && (THREADS % ACROSS == 0 || (int)threadIdx.x < DOWN * ACROSS) && col < at.cols_here && piece < at.left;
    }
};

/* A piece to the tile, and to what is not turned. */
__device__ __forceinline__ void keep(Kept *tile, const Piece &part, const Corner &at, int row, float by, float &most)
{
    Converted bits;
    convert<TO, AMAX>(bits.word, part.element, by, most);
    tile[(unsigned)(at.phase + row * PITCH) / PIECE + threadIdx.x % ACROSS] = bits.bits;
    if (BOTH) {
        const Mine mine(at, row);
        if (row >= HALO && mine.col >= 0)
            at.along[mine.piece] = bits.bits;
    }
}

/* Pieces wait in registers: those of some rows are read before the first is converted. */
__device__ __forceinline__ void read_by_register(Kept *tile, const Corner &at, int first_row, float by, float &most)
{
#pragma unroll 1
    for (int above = first_row; above < at.end_row; above += DOWN * LOADS) {
        Piece part[LOADS];
        bool  here[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            const Mine mine(at, above + k * DOWN);
            here[k] = mine.here;
            if (mine.here)
                part[k].bits = load<KEEP>(at.from + mine.piece);
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            if (here[k])
                keep(tile, part[k], at, above + k * DOWN, by, most);
    }
}

/* The thread's piece of a row is on its way to shared memory. Was there one? */
__device__ __forceinline__ bool ask(uint4 *to, const Corner &at, int row)
{
    const Mine mine(at, row);
    if (mine.here)
        copy_async<KEEP>(to, (const uint4 *)at.from + mine.piece);
    end_of_set();
    return mine.here;
}

/* Pieces wait in shared memory, where only the thread that asked for them looks: so many are always on their way. */
__device__ __forceinline__ void read_async(Kept *tile, uint4 *waiting, const Corner &at, int first_row, float by, float &most)
{
    bool here[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        here[k] = ask(waiting + k * THREADS, at, first_row + k * DOWN);
#pragma unroll 1
    for (int above = first_row; above < at.end_row; above += DOWN * LOADS)
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            wait_for_sets<LOADS - 1>();
            if (here[k]) {
                Piece part;
                part.bits = waiting[k * THREADS];
                keep(tile, part, at, above + k * DOWN, by, most);
            }
            here[k] = ask(waiting + k * THREADS, at, above + (k + LOADS) * DOWN);
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
cast_transpose_skew(unsigned char *__restrict__ turned, unsigned char *__restrict__ straight, float *__restrict__ largest,
    const T *__restrict__ in, const float *__restrict__ scale, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols))
{
    extern __shared__ uint4 shared_memory[];
    [[maybe_unused]] __shared__ float of_warps[THREADS / 32];
    Kept *const tile = (Kept *)shared_memory;

    const unsigned down = (unsigned)((rows + (HALO > 0 ? HALO - 1 : 0) + ROWS - 1) / ROWS), across = (unsigned)((cols + WIDTH - 1) / WIDTH);
    const unsigned matrix = matrix_of<FLAT, BATCHED>(down, across);
    const Spot     spot   = spot_of<FLAT, BATCHED, ORDER == ORDER_out_fast>(down, across);
    const long long c0 = (long long)spot.c * WIDTH, r0 = (long long)spot.r * ROWS, count = batch * rows * cols;
    const int cols_here = (int)(cols - c0 < WIDTH ? cols - c0 : WIDTH);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = (int)threadIdx.x / ACROSS;
    const float by = *scale;
    float most = 0;

    const long long start = (matrix * rows + r0 - HALO) * cols + c0;
    const long long first = start >= 0 ? start / PIECE : -((PIECE - 1 - start) / PIECE);
    const long long left  = count / PIECE - first;

    /* Of the rows that the tile holds, [first_row, end_row) exist. */
    const int first_row = r0 < HALO ? HALO - (int)r0 : 0;
    const int end_row   = (int)(rows - r0 < ROWS ? rows - r0 : ROWS) + HALO;
    const Corner at = { (const typename Piece::Bits *)in + first, (Kept *)straight + first, (int)(left < 2147483647 ? left : 2147483647),
                  (int)(start - first * PIECE), (int)cols, cols_here, end_row };

    if (COPY == COPY_async)
        read_async(tile, shared_memory + TILE + threadIdx.x, at, first_row + own, by, most);
    else
        read_by_register(tile, at, first_row + own, by, most);

    /* The buffer's last elements that do not fill a piece may be this tile's. */
    if (SHIFT && at.left <= (at.phase + (end_row - 1) * (int)cols) / PIECE + ACROSS && threadIdx.x < PIECE) {
        const long long i = count / PIECE * PIECE + threadIdx.x;
        const long long row = i / cols - (matrix * rows + r0 - HALO), col = i % cols - c0;
        if (i < count && row >= first_row && row < end_row && col >= 0 && col < cols_here) {
            const float value = (float)in[i];
            const Out   bits  = (Out)convert_pair<TO>(value * by, 0);
            ((Out *)shared_memory)[at.phase + (int)row * PITCH + (int)col] = bits;
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

    /* A warp goes over columns, and down each as far as it is not another warp's. */
    const unsigned out_phase = HALO == 0 ? 0 : (unsigned)((matrix * cols + c0) * rows) % UNITS, out_step = HALO == 0 ? 0 : (unsigned)rows % UNITS;
    const Out *const place   = (const Out *)shared_memory + at.phase;
    Out *const to_tile       = (Out *)turned + ((matrix * cols + c0) * rows + r0 - HALO);
    const int  groups        = (cols_here + PER * ASIDE - 1) / (PER * ASIDE) * PER;
    const int  own_row       = HALO + (CHUNKS_ASIDE > 1 ? warp % CHUNKS_ASIDE * (CHUNK * PER) : 0) + lane / ASIDE * PER;
    const bool whole_tile    = first_row == 0 && end_row == ROWS + HALO && cols_here == WIDTH;

#pragma unroll 1
    for (int group = warp / CHUNKS_ASIDE; group < (ASIDE == 1 ? cols_here : groups); group += THREADS / 32 / CHUNKS_ASIDE) {
        const int c = ASIDE == 1 ? group : group / PER * (PER * ASIDE) + group % PER + lane % ASIDE * PER;
        int       row = own_row - (HALO == 0 ? 0 : (int)((out_phase + c * out_step) % UNITS));
        const Out *column = place + row * PITCH + c;
        Out       *out    = to_tile + (c * (int)rows + row);

#pragma unroll 1
        for (int chunk = 0; chunk < CHUNKS / CHUNKS_ASIDE; chunk++) {
            if (whole_tile)
                move_words<true>(out, column, row, first_row, end_row);
            else if (c < cols_here)
                move_words<false>(out, column, row, first_row, end_row);
            row += CHUNK * PER;
            column += CHUNK * PER * PITCH;
            out += CHUNK * PER;
        }
    }
}
