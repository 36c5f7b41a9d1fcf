/*!autotune
template  strips                       # few rows, or batches of small matrices, whatever the sizes: whole columns by the tile
use       access async kept
replaces  band stream records          # in packs: with the sizes as constants those are faster

param     THREADS = 128 256 512        # threads a block
param     COPY    = 4 8 16             # bytes that a thread copies into the tile at a time

const     PER     = max(1, 4 / sizeof(T)) # elements of a word: what a lane writes at a time
const     PIECE   = max(1, COPY / sizeof(T)) # elements of a copy
const     TILE    = 128 * THREADS      # bytes that a block moves, at most, where a column is not longer
const     SHARES  = 4 * device.sms     # blocks that a problem has at least, where it can
const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   KEEP=any
fixed     0                            # packs: sizes have 32 bits
let       matrix_bytes = rows * cols * sizeof(T)
let       grouped = batch > 1 && 4 * matrix_bytes <= TILE # a block moves whole matrices: contiguous memory on both sides
let       matrices = max(1, min(TILE / matrix_bytes, ceil_div(batch, SHARES))) # so many
let       wanted  = max(min(TILE / (rows * sizeof(T)), batch * cols / SHARES + 1), 64 / sizeof(T)) # else columns of one matrix
let       grain   = wanted * sizeof(T) >= 256 ? 128 / sizeof(T) : 32 / sizeof(T) # that begin where a line or a sector does, if the matrix does
let       width   = min(cols, wanted / grain * grain)
let       pieces  = ceil_div(width + PIECE - 1, PIECE) # copies of a row, at most
let       across  = PER == 1 && cols % PIECE == 0 ? pieces + 1 - pieces % 2 : pieces # an odd number: the lanes of a column meet more banks
let       pitch   = across * PIECE + cols % PIECE # elements between rows of the tile, which begin in a copy as their rows in memory do
let       skew    = PER > 1 && cols % min(PIECE, 8) == 0 ? PIECE : 0 # elements by which the rows of a word are further on than those before
let       shared_bytes = ceil_div((grouped ? matrices * rows * cols + 2 * PIECE \
                                           : (rows - 1) * pitch + (rows - 1) / PER * skew + (across + 1) * PIECE) * sizeof(T), 16) * 16
let       blocks  = grouped ? ceil_div(batch, matrices) : ceil_div(cols, width) * batch

require   device.cc >= 80              # asynchronous copies
require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   rows > 1 && cols > 1         # nothing to turn
require   cols <= 4294967295           # 32-bit columns
require   COPY == 16 || COPY == max(4, sizeof(T)) # narrow copies meet no bank twice
require   COPY >= sizeof(T)
require   shared_bytes <= min(device.max_shared_bytes, 115000) # while a block reads, another writes
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: both sides may begin anywhere
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    shared_bytes
default   THREADS=128 COPY=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 128, COPY = 16, PER = 4, PIECE = 16, TILE = 16384, SHARES = 528, KEEP = 1;
#include "../common/access.cuh"
#include "../common/async.cuh"
#include "../common/kept.cuh"
#endif

/*
 * A block moves some neighbouring columns of a matrix, or some small matrices: contiguous memory in the output. The
 * tile has them as `band` has, or as they lie in memory; neighbouring lanes write neighbouring words, gathered from
 * elements that stand a row apart in the tile. How many columns, or matrices, follows from the sizes, here and in the
 * declaration alike. With three rows, and words of two elements:
 *
 *     columns       tile                  matrices of 3 x 2    tile
 *     . . a d g j   a d g j               a d, b e, c f        a d b e c f g j h k i l
 *     . . b e h k   b e h k               g j, h k, i l
 *     . . c f i l   c f i l
 *                                         output, of both      [a b][c d][e f][g h][i j][k l]
 *
 * Nothing about a word's elements is known to the compiler, as it is in `band` and `stream`. A multiplication tells
 * where those of a thread's first word stand; all its words have their elements at the same distances.
 */

constexpr int LINE  = 128 / ES;                  /* elements of a cache line */
constexpr int BATCH = 4;                         /* words that a thread gathers before it writes them */

using Word = Vector<PER>;

/* i / by, of i * by below 2^32 and `by` of at least 2. */
struct Divisor {
    int      by;
    unsigned inverse; /* in 2^32 */

    __device__ __forceinline__ explicit Divisor(int n) : by(n), inverse((unsigned)kept((int)(0xffffffffu / (unsigned)n + 1)))
    {
    }

    __device__ __forceinline__ int quotient(int i) const
    {
        return (int)__umulhi((unsigned)i, inverse);
    }
};

/* Elements of the output that are one after the other, and where they stand in the tile. After `part`
 * words of the output all is as before, but `stride` elements further on. */
struct Columns {
    Divisor rows;
    int     pitch, skew, part, stride;

    __device__ __forceinline__ Columns(int r, int p, int s) : rows(r), pitch(p), skew(s)
    {
        const int alike = r % PER == 0 ? 1 : r % 2 == 0 ? PER / 2 : PER, column = r * alike / PER; /* words of so many */
        const int times = max(1, (int)(4 * THREADS / (unsigned)column)); /* so that few threads have a word less */
        part   = column * times;
        stride = alike * times;
    }

    /* Of a word whose first element is the i-th; that of the tile's first may be before it. */
    __device__ __forceinline__ void find(int (&place)[PER], int i) const
    {
        const int before = rows.by < LINE ? LINE : 1, from = i + before * rows.by;
        int column = rows.quotient(from), row = from - column * rows.by;
        column -= before;
#pragma unroll
        for (int e = 0; e < PER; e++) {
            place[e] = column + row * pitch + (PER > 1 ? row / PER * skew : 0);
            if (++row == rows.by) {
                row = 0;
                column++;
            }
        }
    }
};

struct Matrices {
    Divisor rows, cols;
    int     part, stride;

    __device__ __forceinline__ Matrices(int r, int c) : rows(r), cols(c)
    {
        const int all = r * c, alike = all % PER == 0 ? 1 : all % 2 == 0 ? PER / 2 : PER, words = all * alike / PER;
        const int times = max(1, (int)(4 * THREADS / (unsigned)words));
        part   = words * times;
        stride = all * alike * times;
    }

    __device__ __forceinline__ void find(int (&place)[PER], int i) const
    {
        const int matrix_elems = rows.by * cols.by, before = matrix_elems < LINE ? LINE : 1, from = i + before * matrix_elems;
        const int all = rows.quotient(from);
        int row = from - all * rows.by, matrix = cols.quotient(all), column = all - matrix * cols.by;
        matrix -= before;
#pragma unroll
        for (int e = 0; e < PER; e++) {
            place[e] = (matrix * rows.by + row) * cols.by + column;
            if (++row == rows.by) {
                row = 0;
                if (++column == cols.by) {
                    column = 0;
                    matrix++;
                }
            }
        }
    }
};

__device__ __forceinline__ void move_on(int (&place)[PER], int by)
{
#pragma unroll
    for (int e = 0; e < PER; e++)
        place[e] += by;
}

/* Words, `part` from each other, of elements that are `stride` from each other in the tile. */
template <int count>
__device__ __forceinline__ void move_words(Word::Bits *to, int part, const T *tile, const int (&place)[PER], int stride)
{
    Word word[count];
#pragma unroll
    for (int k = 0; k < count; k++)
#pragma unroll
        for (int e = 0; e < PER; e++)
            word[k].element[e] = tile[place[e] + k * stride];
#pragma unroll
    for (int k = 0; k < count; k++)
        to[k * part] = word[k].bits;
}

/* Writes `total` elements of the tile to the output, from `out` on. */
template <class Places> __device__ __forceinline__ void write(T *out, const T *tile, int total, const Places &places)
{
    const int own = (int)threadIdx.x, lead = (int)(bytes_behind<128>(out) / ES); /* words begin where lines do */
    const int words = (total + lead) / PER;
    Word::Bits *const to = (Word::Bits *)(out - lead);
    int place[PER];

#pragma unroll 1
    for (int first = own; first < min(places.part, words); first += THREADS) {
        places.find(place, first * PER - lead);
        int w = first;
        if (w * PER < lead) { /* another block's */
            w += places.part;
            move_on(place, places.stride);
        }
#pragma unroll 1
        for (; w + (BATCH - 1) * places.part < words; w += BATCH * places.part) {
            move_words<BATCH>(to + w, places.part, tile, place, places.stride);
            move_on(place, BATCH * places.stride);
        }
#pragma unroll 1
        for (; w < words; w += places.part) {
            move_words<1>(to + w, places.part, tile, place, places.stride);
            move_on(place, places.stride);
        }
    }

    /* The ends that do not fill a word. */
    const int end = (own < PER ? lead / PER * PER + own : words * PER + own - PER) - lead;
    if (PER > 1 && own < 2 * PER && end >= 0 && end < total && (own >= PER || lead % PER > 0)) {
        places.find(place, end);
        out[end] = tile[place[0]];
    }
}

/* A copy; `left` elements are left from there to the buffer's end, where that may be near. */
template <bool ends> __device__ __forceinline__ void copy(T *tile, int place, const T *from, long long left)
{
    unsigned char *const memory = (unsigned char *)tile;
    copy_part_async<KEEP, COPY>(memory, begin_of<KEEP>(memory), place * ES, (const unsigned char *)from, ends && left < PIECE ? (int)left * ES : COPY);
}

__device__ __forceinline__ void arrive()
{
    await_copies();
    __syncthreads();
}

/* Some matrices. */
__device__ __forceinline__ void move_matrices(T *out, const T *in, T *tile, long long batch, int rows, int cols)
{
    const int matrices = max(1, min((int)(TILE / (unsigned)(rows * cols * ES)), ((int)min(batch, 0x70000000LL) + SHARES - 1) / SHARES));
    const long long first = (long long)blockIdx.x * matrices, start = first * (rows * cols);
    const int total = (int)min((long long)matrices, batch - first) * (rows * cols);
    const int phase = (int)(bytes_behind<COPY>(in + start) / ES);
    const T *const from = in + start - phase;
    const long long left = (batch - first) * (rows * cols) + phase;

#pragma unroll 4
    for (int at = (int)threadIdx.x * PIECE; at < phase + total; at += THREADS * PIECE)
        copy<true>(tile, at, from + at, left - at);
    const Matrices places(rows, cols); /* while the copies are on their way */
    arrive();
    write(out + start, tile + phase, total, places);
}

/* Where a block's columns of the input are, and their places in the tile. */
struct Rows {
    const T *from; /* where the copy with the first element begins */
    int rows, phase, width, across, pitch, skew;
    unsigned cols;
    long long left; /* elements from there to the end of the buffer */
};

template <bool ends> __device__ __forceinline__ void read(T *tile, const Rows &r)
{
    const int own = (int)(threadIdx.x / (unsigned)r.across), n = (int)threadIdx.x - own * r.across;
    const int down = max(1, (int)(THREADS / (unsigned)r.across));
    if (own >= down)
        return;
#pragma unroll 1
    for (int row = own; row < r.rows; row += down) {
        const long long at = r.phase + (long long)row * r.cols;
        const int within = (int)((unsigned)at % PIECE);
        const int place  = r.phase + row * r.pitch - within + (PER > 1 ? row / PER * r.skew : 0);
#pragma unroll 1
        for (int i = n * PIECE; i < within + r.width; i += THREADS * PIECE)
            copy<ends>(tile, place + i, r.from + (at - within) + i, r.left - (at - within) - i);
    }
}

/* Some columns of a matrix. */
__device__ __forceinline__ void move_columns(T *out, const T *in, T *tile, long long batch, int rows, unsigned cols)
{
    const int shares = (int)min(batch * cols, 0x7fffffffLL) / SHARES + 1;
    const int wanted = max(min((int)(TILE / (unsigned)(rows * ES)), shares), 64 / ES), grain = wanted * ES >= 256 ? 128 / ES : 32 / ES;
    const int usual  = (int)min(cols, (unsigned)(wanted / grain * grain)); /* columns of a block */
    const int pieces = (usual + 2 * PIECE - 2) / PIECE, across = PER == 1 && cols % PIECE == 0 ? pieces | 1 : pieces;

    unsigned matrix = 0, strip = blockIdx.x;
    if (batch > 1) {
        const unsigned strips = (cols - 1) / usual + 1;
        matrix = blockIdx.x / strips;
        strip  = blockIdx.x % strips;
    }
    const unsigned  column = strip * usual;
    const long long begin = (long long)matrix * cols, start = begin * rows + column;
    Rows r;
    r.rows   = rows;
    r.cols   = cols;
    r.width  = (int)min((unsigned)usual, cols - column);
    r.phase  = (int)(bytes_behind<COPY>(in + start) / ES);
    r.from   = in + start - r.phase;
    r.across = across;
    r.pitch  = across * PIECE + (int)(cols % PIECE);
    r.skew   = PER > 1 && cols % min(PIECE, 8) == 0 ? PIECE : 0;
    r.left   = batch * cols * rows - start + r.phase;
    if (r.left < (long long)(rows - 1) * cols + (across + 1) * PIECE)
        read<true>(tile, r);
    else
        read<false>(tile, r);
    const Columns places(rows, r.pitch, r.skew); /* while the copies are on their way */
    arrive();
    write(out + (begin + column) * rows, tile + r.phase, r.width * rows, places);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1280 / THREADS)
transpose_strips(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    if (batch > 1 && 4 * rows * cols * ES <= TILE)
        move_matrices(out, in, tile, batch, (int)rows, (int)cols);
    else
        move_columns(out, in, tile, batch, (int)rows, (unsigned)cols);
}
