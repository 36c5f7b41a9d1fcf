/*!autotune
template  strips                       # few rows, or batches of small matrices, whatever the sizes: whole columns by the tile
use       access async kept
replaces  band stream records          # in packs: with the sizes as constants those are faster

param     THREADS = 128 256 512        # threads a block
param     COPY    = 4 8 16             # bytes that a thread copies into the tile at a time

const     PER     = max(1, 4 / sizeof(T)) # elements of a word: what a lane writes at a time
const     PIECE   = max(1, COPY / sizeof(T)) # elements of a copy
const     TILE    = 128 * THREADS      # bytes that a block moves, at most, where a column is not longer
const     LEAST   = max(1, 512 / THREADS) * device.sms # blocks, where the problem has as many
const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   KEEP=any
fixed     0                            # packs: sizes have 32 bits
let       matrix_bytes = rows * cols * sizeof(T)
let       grouped = batch > 1 && 4 * matrix_bytes <= TILE # a block moves whole matrices: contiguous memory on both sides
let       matrices = max(1, min(TILE / matrix_bytes, ceil_div(batch, LEAST))) # so many
let       wanted  = max(min(TILE / (rows * sizeof(T)), batch * cols / LEAST + 1), 64 / sizeof(T)) # else columns of one matrix
let       grain   = wanted * sizeof(T) >= 256 ? 128 / sizeof(T) : 32 / sizeof(T) # that begin where a line or a sector does, if the matrix does
let       width   = min(cols, wanted / grain * grain)
let       pieces  = ceil_div(width + PIECE - 1, PIECE) # copies of a row, at most
let       across  = cols % PIECE == 0 ? pieces + 1 - pieces % 2 : pieces # an odd number: the lanes of a column meet more banks
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
constexpr int THREADS = 128, COPY = 16, PER = 4, PIECE = 16, TILE = 16384, LEAST = 528, KEEP = 1;
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
 * Where a word's elements stand a multiplication tells. The same then holds some columns, or matrices, further on, so that
 * a thread looks for places once or a few times. Where a block has few matrices it goes on from word to word: a row, a
 * column and a place are added to, and a column or a matrix that ends adds once more.
 */

constexpr int LINE  = 128 / ES;                  /* elements of a cache line */
constexpr int BATCH = 4;                         /* words that a thread gathers before it writes them */

using Word = Vector<PER>;

/* i / by, of i below 2^20. */
__device__ __forceinline__ int quotient_of(int i, int by)
{
    return (int)__fdividef((float)i + 0.5f, (float)by);
}

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

/* Of shared memory. */
__device__ __forceinline__ T element_at(int address)
{
    return *(const T *)__cvta_shared_to_generic((unsigned)address);
}

__device__ __forceinline__ int address_of(const T *tile)
{
    return (int)__cvta_generic_to_shared(tile);
}

__device__ __forceinline__ void arrive()
{
    await_copies();
    __syncthreads();
}

/* What a block writes: elements, and words that begin where lines do, `lead` elements before the first of them. */
struct Output {
    T          *out;
    Word::Bits *to;
    int         total, lead, words;

    __device__ __forceinline__ Output(T *o, int n) : out(o), total(n), lead((int)(bytes_behind<128>(o) / ES))
    {
        words = (total + lead) / PER;
        to    = (Word::Bits *)(out - lead);
    }

    /* The thread's element of the ends that do not fill a word; below 0: it has none. */
    __device__ __forceinline__ int end() const
    {
        const int own = (int)threadIdx.x, i = (own < PER ? lead / PER * PER + own : words * PER + own - PER) - lead;
        return PER > 1 && own < 2 * PER && i < total && (own >= PER || lead % PER > 0) ? i : -1;
    }
};

/* ---- places that come again ---- */

/* So many times `words` are a part that few threads have a word less of than others. */
__device__ __forceinline__ int times_of(int words)
{
    int best = 0, turns = 1;
#pragma unroll
    for (int n = 1; n <= 4; n++) {
        const int times = quotient_of(n * THREADS, words);
        if (times * turns * 15 > best * n * 16) {
            best  = times;
            turns = n;
        }
    }
    return max(best, 1);
}

/* Columns that are so many elements: after so many of them words begin in the same row. */
__device__ __forceinline__ int alike_of(int elements)
{
    return elements % PER == 0 ? 1 : elements % 2 == 0 ? PER / 2 : PER;
}

/* After `part` words of the output all is as before, but `stride` bytes further on. */
struct Columns {
    Divisor rows;
    int     tile, pitch, skew, part, stride; /* bytes, but `part` */

    __device__ __forceinline__ Columns(const T *begin_of_tile, int r, int p, int s)
        : rows(r), tile(address_of(begin_of_tile)), pitch(p * ES), skew(s * ES)
    {
        const int alike = alike_of(r), times = times_of(r * alike / PER);
        part   = r * alike / PER * times;
        stride = alike * times * ES;
    }

    /* Of a word whose first element is the i-th; that of the tile's first may be before it. */
    __device__ __forceinline__ void find(int (&place)[PER], int i) const
    {
        const int before = rows.by < LINE ? LINE : 1, from = i + before * rows.by;
        int column = rows.quotient(from), row = from - column * rows.by, at = tile + (column - before) * ES;
#pragma unroll
        for (int e = 0; e < PER; e++) {
            place[e] = at + row * pitch + (PER > 1 ? row / PER * skew : 0);
            if (++row == rows.by) {
                row = 0;
                at += ES;
            }
        }
    }
};

/* The same, of small matrices. */
struct Matrices {
    Divisor rows, cols;
    int     tile, part, stride;

    __device__ __forceinline__ Matrices(const T *begin_of_tile, int r, int c) : rows(r), cols(c), tile(address_of(begin_of_tile))
    {
        const int all = r * c, alike = alike_of(all), times = times_of(all * alike / PER);
        part   = all * alike / PER * times;
        stride = all * alike * times * ES;
    }

    __device__ __forceinline__ void find(int (&place)[PER], int i) const
    {
        const int all = rows.by * cols.by, before = all < LINE ? LINE : 1, from = i + before * all, columns = rows.quotient(from);
        int row = from - columns * rows.by, matrix = cols.quotient(columns), column = columns - matrix * cols.by;
        matrix -= before;
#pragma unroll
        for (int e = 0; e < PER; e++) {
            place[e] = tile + ((matrix * rows.by + row) * cols.by + column) * ES;
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

/* Words that are `part` from each other. */
template <int count, class Places> __device__ __forceinline__ void move_words(Word::Bits *to, int (&place)[PER], const Places &at)
{
    Word word[count];
#pragma unroll
    for (int k = 0; k < count; k++)
#pragma unroll
        for (int e = 0; e < PER; e++)
            word[k].element[e] = element_at(place[e] + k * at.stride);
#pragma unroll
    for (int k = 0; k < count; k++)
        to[k * at.part] = word[k].bits;
#pragma unroll
    for (int e = 0; e < PER; e++)
        place[e] += count * at.stride;
}

template <class Places> __device__ __forceinline__ void write_parts(const Output &o, const Places &at)
{
    int place[PER];
#pragma unroll 1
    for (int first = (int)threadIdx.x; first < min(at.part, o.words); first += THREADS) {
        int w = first;
        at.find(place, w * PER - o.lead);
        if (w * PER < o.lead) { /* another block's */
            w += at.part;
#pragma unroll
            for (int e = 0; e < PER; e++)
                place[e] += at.stride;
        }
#pragma unroll 1
        for (; w + (BATCH - 1) * at.part < o.words; w += BATCH * at.part)
            move_words<BATCH>(o.to + w, place, at);
#pragma unroll 1
        for (; w < o.words; w += at.part)
            move_words<1>(o.to + w, place, at);
    }
    const int end = o.end();
    if (end >= 0) {
        at.find(place, end);
        o.out[end] = element_at(place[0]);
    }
}

/* ---- small matrices, word by word ---- */

/* How many columns may end within a word. */
enum Ends { NONE, ONE, ANY };

/* An element of the output, and its `place`: the address in shared memory. */
template <Ends ends> struct Walk {
    Divisor rows, cols;
    int     pitch;                 /* bytes from row to row */
    int     turn, next;            /* what the end of a column adds to a place, and what that of a matrix does */
    int     down, across, further; /* what a step of THREADS words adds to row, column and place */
    int     tile;                  /* where it begins */
    int     row, column, place;

    __device__ __forceinline__ Walk(const T *begin_of_tile, int r, int c) : rows(r), cols(c), pitch(c * ES), turn(ES - r * pitch), next((r - 1) * pitch), tile(0)
    {
        begin(THREADS * PER);
        tile    = address_of(begin_of_tile);
        down    = row;
        across  = column;
        further = place;
    }

    __device__ __forceinline__ void begin(int i)
    {
        const int all = rows.quotient(i), matrix = cols.quotient(all);
        row    = i - all * rows.by;
        column = all - matrix * cols.by;
        place  = tile + all * ES + row * pitch + matrix * next;
    }

    __device__ __forceinline__ void step()
    {
        row += down;
        column += across;
        place += further;
        if (row >= rows.by) {
            row -= rows.by;
            column++;
            place += turn;
        }
        if (column >= cols.by) {
            column -= cols.by;
            place += next;
        }
    }

    __device__ __forceinline__ void gather(Word &word) const
    {
        int r = row, c = column, at = place;
        const int left = rows.by - row, end = turn + (column + 1 == cols.by ? next : 0);
#pragma unroll
        for (int e = 0; e < PER; e++) {
            word.element[e] = element_at(at + (ends == ONE && e >= left ? end : 0));
            at += pitch;
            if (ends == ANY && ++r == rows.by) {
                r = 0;
                at += turn;
                if (++c == cols.by) {
                    c = 0;
                    at += next;
                }
            }
        }
    }
};

template <Ends ends> __device__ __forceinline__ void write(const Output &o, Walk<ends> at)
{
    int w = (int)threadIdx.x;
    w += w * PER < o.lead ? THREADS : 0; /* another block's */
    at.begin(w * PER - o.lead);
#pragma unroll 1
    for (; w + (BATCH - 1) * THREADS < o.words; w += BATCH * THREADS) {
        Word word[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            at.gather(word[k]);
            at.step();
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            o.to[w + k * THREADS] = word[k].bits;
    }
#pragma unroll 1
    for (; w < o.words; w += THREADS) {
        Word word;
        at.gather(word);
        at.step();
        o.to[w] = word.bits;
    }
    const int end = o.end();
    if (end >= 0) {
        at.begin(end);
        o.out[end] = element_at(at.place);
    }
}

template <Ends ends> __device__ __forceinline__ void finish(const Output &o, const T *tile, int rows, int cols)
{
    const Walk<ends> walk(tile, rows, cols); /* while the copies are on their way */
    arrive();
    write(o, walk);
}

/* A copy; `left` elements are left from there to the buffer's end, where that may be near. */
template <bool ends> __device__ __forceinline__ void copy(T *tile, int place, const T *from, long long left)
{
    unsigned char *const memory = (unsigned char *)tile;
    copy_part_async<KEEP, COPY>(memory, begin_of<KEEP>(memory), place * ES, (const unsigned char *)from, ends && left < PIECE ? (int)left * ES : COPY);
}

/* Some matrices. */
__device__ __forceinline__ void move_matrices(T *out, const T *in, T *tile, long long batch, int rows, int cols)
{
    const int matrices = max(1, min(quotient_of(TILE, rows * cols * ES), (int)(((unsigned)min(batch, 0x70000000LL) + LEAST - 1) / LEAST)));
    const long long first = (long long)blockIdx.x * matrices, start = first * (rows * cols);
    const int total = (int)min((long long)matrices, batch - first) * (rows * cols);
    const int phase = (int)(bytes_behind<COPY>(in + start) / ES);
    const T *const from = in + start - phase;
    const long long left = (batch - first) * (rows * cols) + phase;

#pragma unroll 4
    for (int at = (int)threadIdx.x * PIECE; at < phase + total; at += THREADS * PIECE)
        copy<true>(tile, at, from + at, left - at);
    const Output o(out + start, total);
    const Matrices places(tile + phase, rows, cols);
    if (4 * places.part <= o.words) {
        arrive();
        write_parts(o, places);
    } else if (PER == 1 || (rows % PER == 0 && o.lead % PER == 0))
        finish<NONE>(o, tile + phase, rows, cols);
    else if (rows >= PER)
        finish<ONE>(o, tile + phase, rows, cols);
    else
        finish<ANY>(o, tile + phase, rows, cols);
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
    const int own = quotient_of((int)threadIdx.x, r.across), n = (int)threadIdx.x - own * r.across;
    const int down = max(1, quotient_of(THREADS, r.across));
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
    const int shares = (int)((unsigned)min(batch * cols, 0x7fffffffLL) / LEAST) + 1;
    const int wanted = max(min(quotient_of(TILE, rows * ES), shares), 64 / ES), grain = wanted * ES >= 256 ? 128 / ES : 32 / ES;
    const int usual  = (int)min(cols, (unsigned)(wanted / grain * grain)); /* columns of a block */
    const int pieces = (usual + 2 * PIECE - 2) / PIECE, across = cols % PIECE == 0 ? pieces | 1 : pieces;

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
    const Columns places(tile + r.phase, rows, r.pitch, r.skew); /* while the copies are on their way */
    arrive();
    write_parts(Output(out + (begin + column) * rows, r.width * rows), places);
}

extern "C" __global__ void __launch_bounds__(THREADS, 1536 / THREADS)
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
