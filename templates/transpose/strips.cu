/*!autotune
template  strips                       # few rows, or batches of small matrices, whatever the sizes: whole columns by the tile
use       access async kept
replaces  band stream records          # in packs: with the sizes as constants those are faster

param     THREADS = 128 256 512        # threads a block
param     EACH    = 32 64 128          # bytes of a thread, about

const     PER     = max(1, 4 / sizeof(T)) # elements of a word: what a lane writes at a time
const     PIECE   = 16 / sizeof(T)     # elements of a copy
let       matrix  = rows * cols
let       matrix_bytes = matrix * sizeof(T)
let       wanted_bytes = EACH * THREADS
let       least   = max(1, 512 / THREADS) * device.sms # blocks, where the problem has as many
let       meeting = gcd(cols * PER * max(4, sizeof(T)) / 4, 32) # lanes of a column in one bank, where rows follow each other
let       several = batch > 1 && 2 * matrix_bytes <= wanted_bytes ? max(1, min(wanted_bytes / matrix_bytes, ceil_div(batch, least))) : 1
let       whole   = several > 1 || (batch > 1 && 4 * matrix_bytes <= 5 * wanted_bytes && meeting <= max(4, sizeof(T) / 2)) # a block moves whole matrices: contiguous memory on both sides
let       matrices = whole ? several : 0
# Else columns of one matrix, as many in each block, that begin where a line or a sector does, if rows do. Rows are copied
# by all threads at once, the more of them the fewer columns there are.
let       most    = max(64 / sizeof(T), min(wanted_bytes / (rows * sizeof(T)), min(batch * cols / least + 1, (THREADS - 2) * PIECE)))
let       grain   = gcd(cols, (most * sizeof(T) >= 256 ? 128 : 32) / sizeof(T))
let       width   = whole ? cols : min(cols, ceil_div(ceil_div(cols, ceil_div(cols, max(1, most / grain) * grain)), grain) * grain)
let       pieces  = ceil_div(width + PIECE - 1, PIECE) # copies of a row, at most
let       across  = cols % PIECE == 0 ? pieces + 1 - pieces % 2 : pieces # an odd number: the lanes of a column meet more banks
let       pitch   = whole ? cols : across * PIECE + cols % PIECE # elements between rows of the tile, which begin in a copy as their rows in memory do
let       skew    = !whole && PER > 1 && cols % min(PIECE, 8) == 0 ? PIECE : 0 # elements by which the rows of a word are further on than those before
let       high    = max(1, THREADS / across) # rows that all threads copy at once
let       every   = max(skew > 0 ? PER : 1, PIECE / gcd(cols, PIECE)) # rows after which copies lie as before
let       lower   = high / every * every
let       down    = high < rows && 4 * lower >= 3 * high ? lower : high # some threads less, but all go on in equal steps
let       even    = rows <= down || down % every == 0
let       strips  = whole ? 1 : ceil_div(cols, width)
let       shared_bytes = ceil_div((whole ? several * matrix + 2 * PIECE \
                                         : (rows - 1) * pitch + (rows - 1) / PER * skew + (across + 1) * PIECE) * sizeof(T), 16) * 16
# After so many words of the output all is as before: a part, which few threads have a word less of than others.
let       period  = several > 1 ? matrix : rows # elements
let       alike   = PER / gcd(PER, period)      # times that, words begin in the same row
let       words   = period * alike / PER
let       once    = THREADS / words
let       twice   = 2 * THREADS / words
let       thrice  = 3 * THREADS / words
let       turns   = max(twice, 1) * 4 > max(once, 1) * 2 * 5 ? 2 : 1
let       more    = turns == 2 ? twice : once
let       times   = max(1, thrice * turns * 4 > more * 3 * 5 ? thrice : more)
let       part    = words * times
let       stride  = alike * times * (several > 1 ? matrix : 1) * sizeof(T) # bytes further on in the tile

general   THREADS=any EACH=any         # arguments of the launch

scalar    matrix i64
scalar    count i64
scalar    matrices i32
scalar    width i32
scalar    across i32
scalar    pitch i32
scalar    skew i32
scalar    down i32
scalar    even i32
scalar    part i32
scalar    stride i32
scalar    by_rows u32 = 4294967295 / rows + 1
scalar    by_cols u32 = 4294967295 / cols + 1
scalar    by_across u32 = across == 1 ? 4294967295 : 4294967295 / across + 1
arg       out in rows cols matrix count matrices width across pitch skew down even part stride by_rows by_cols by_across

require   device.cc >= 80              # asynchronous copies
require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   rows > 1 && cols > 1         # nothing to turn
require   cols <= 4294967295           # 32-bit columns
require   across < THREADS             # each keeps to its place in a row
require   shared_bytes <= min(device.max_shared_bytes, 115000) # while a block reads, another writes
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: both sides may begin anywhere
require   THREADS <= device.max_threads_per_block
require   batch <= 2147483647 && strips <= device.max_grid_x

grid      whole ? ceil_div(batch, several) : strips whole ? 1 : min(batch, 65535) whole ? 1 : ceil_div(batch, 65535)
block     THREADS
shared    shared_bytes
default   THREADS=128 EACH=64
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int PER = 4, PIECE = 16;
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
 * column and a place are added to, and a column or a matrix that ends adds once more. All that follows from the sizes alone
 * is an argument: a block has too few words to win back what it would take to compute.
 */

constexpr int LINE  = 128 / ES;                  /* elements of a cache line */
constexpr int BATCH = 4;                         /* words that a thread gathers before it writes them */

using Word = Vector<PER>;

/* i / by, of i * by below 2^32 and `by` of at least 2. */
struct Divisor {
    int      by;
    unsigned inverse; /* 2^32 / by, rounded up */

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

/* After `part` words of the output all is as before, but `stride` bytes further on. */
struct Columns {
    Divisor rows;
    int     tile, pitch, skew, part, stride; /* bytes, but `part` */

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
    for (int first = (int)threadIdx.x; first < min(at.part, o.words); first += (int)blockDim.x) {
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
    int     down, across, further; /* what a step of as many words as there are threads adds to row, column and place */
    int     tile;                  /* where it begins */
    int     row, column, place;

    __device__ __forceinline__ Walk(const T *begin_of_tile, Divisor r, Divisor c)
        : rows(r), cols(c), pitch(c.by * ES), turn(ES - r.by * pitch), next((r.by - 1) * pitch), tile(0)
    {
        begin((int)blockDim.x * PER);
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
    const int threads = (int)blockDim.x;
    int       w = (int)threadIdx.x;
    w += w * PER < o.lead ? threads : 0; /* another block's */
    at.begin(w * PER - o.lead);
#pragma unroll 1
    for (; w + (BATCH - 1) * threads < o.words; w += BATCH * threads) {
        Word word[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            at.gather(word[k]);
            at.step();
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            o.to[w + k * threads] = word[k].bits;
    }
#pragma unroll 1
    for (; w < o.words; w += threads) {
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

template <Ends ends> __device__ __forceinline__ void finish(const Output &o, const T *tile, Divisor rows, Divisor cols)
{
    const Walk<ends> walk(tile, rows, cols); /* while the copies are on their way */
    arrive();
    write(o, walk);
}

/* A copy; `left` elements are left from there to the buffer's end, where that may be near. */
template <bool ends> __device__ __forceinline__ void copy(T *tile, int place, const T *from, long long left)
{
    unsigned char *const memory = (unsigned char *)tile;
    copy_part_async<true, 16>(memory, begin_of<true>(memory), place * ES, (const unsigned char *)from, ends && left < PIECE ? (int)left * ES : 16);
}

/* What lies side by side. */
template <bool ends> __device__ __forceinline__ void read_all(T *tile, const T *from, int count, long long left)
{
#pragma unroll 4
    for (int at = (int)threadIdx.x * PIECE; at < count; at += (int)blockDim.x * PIECE)
        copy<ends>(tile, at, from + at, left - at);
}

/* Where a block's columns of the input are, and their places in the tile. */
struct Rows {
    const T *from; /* where the copy with the first element begins */
    int rows, phase, width, pitch, skew, down;
    unsigned cols;
    long long left; /* elements from there to the end of the buffer */
};

/* The thread's piece of every `down`-th row; `even`: they all begin alike in a copy. */
template <bool even, bool ends> __device__ __forceinline__ void read_rows(T *tile, const Rows &r, int own, int n)
{
    if constexpr (even) {
        const long long at = r.phase + (long long)own * r.cols;
        const int within = (int)((unsigned)at % PIECE), i = n * PIECE;
        if (i >= within + r.width)
            return;
        const T *from  = r.from + (at - within) + i;
        int      place = r.phase + own * r.pitch - within + (PER > 1 ? own / PER * r.skew : 0) + i;
        const int       further = r.down * r.pitch + (PER > 1 ? r.down / PER * r.skew : 0);
        const long long on      = (long long)r.down * r.cols;
#pragma unroll 4
        for (int row = own; row < r.rows; row += r.down) {
            copy<false>(tile, place, from, PIECE);
            place += further;
            from += on;
        }
    } else {
#pragma unroll 2
        for (int row = own; row < r.rows; row += r.down) {
            const long long at = r.phase + (long long)row * r.cols;
            const int within = (int)((unsigned)at % PIECE), i = n * PIECE;
            const int place  = r.phase + row * r.pitch - within + (PER > 1 ? row / PER * r.skew : 0);
            if (i < within + r.width)
                copy<ends>(tile, place + i, r.from + (at - within) + i, r.left - (at - within) - i);
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 3)
transpose_strips(T *__restrict__ out, const T *__restrict__ in, long long all_rows, long long all_cols, long long matrix, long long count, int matrices,
    int width, int across, int pitch, int skew, int down, int even, int part, int stride, unsigned by_rows, unsigned by_cols, unsigned by_across)
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    const int      rows = (int)all_rows;
    const unsigned cols = (unsigned)all_cols;
    const Divisor  height = { rows, by_rows };
    const unsigned which = blockIdx.z * 65535 + blockIdx.y; /* of columns; of whole matrices 0 */
    const long long begin  = matrices > 0 ? (long long)blockIdx.x * matrices * matrix : which * matrix;
    const unsigned  column = matrices > 0 ? 0 : blockIdx.x * (unsigned)width;
    if (begin >= count)
        return; /* the grid is a box */
    const long long start = begin + column, left = count - start;
    const int       phase = (int)(bytes_behind<16>(in + start) / ES);
    const T *const  from  = in + start - phase;

    if (matrices > 0) {
        const int total = (int)min(matrices * matrix, left);
        if (left - total < PIECE)
            read_all<true>(tile, from, phase + total, left + phase);
        else
            read_all<false>(tile, from, phase + total, PIECE);
        if (matrices > 1) {
            const Output  o(out + begin, total);
            const Divisor breadth = { (int)cols, by_cols };
            if (4 * part <= o.words) {
                arrive();
                write_parts(o, Matrices{ height, breadth, address_of(tile + phase), part, stride });
            } else if (PER == 1 || (rows % PER == 0 && o.lead % PER == 0))
                finish<NONE>(o, tile + phase, height, breadth);
            else if (rows >= PER)
                finish<ONE>(o, tile + phase, height, breadth);
            else
                finish<ANY>(o, tile + phase, height, breadth);
            return;
        }
    }
    const int here = (int)min((unsigned)width, cols - column);
    if (matrices == 0) {
        const Rows r = { from, rows, phase, here, pitch, skew, down, cols, left + phase };
        const int  own = (int)__umulhi(threadIdx.x, by_across), n = (int)threadIdx.x - own * across;
        if (own < down) {
            if (r.left < (long long)(rows - 1) * cols + (across + 1) * PIECE)
                read_rows<false, true>(tile, r, own, n);
            else if (even)
                read_rows<true, false>(tile, r, own, n);
            else
                read_rows<false, false>(tile, r, own, n);
        }
    }
    arrive();
    write_parts(Output(out + begin + (long long)column * rows, here * rows), Columns{ height, address_of(tile + phase), pitch * ES, skew * ES, part, stride });
}
