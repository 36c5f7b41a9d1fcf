/*!autotune
template  stream                       # many small matrices of any size: blocks move one group after the other, the next on its way meanwhile
use       access async kept

param     MATRICES = 1 2 4 8 16 32 64 128 256 512 1024 # of a group
param     THREADS  = 128 160 192 224 256 320 352 384 448 512 768 1024 # threads a block
param     PARTS    = 1 2 4 8           # of a group, alike: a thread knows its places in one of them
param     TURNS    = 0 1 2 3 4 6 8 12 16 # groups that a block moves; 0: as many as it takes with the blocks that fit
param     AHEAD    = 0 1 2             # groups on their way while one is written
param     SKEW     = no yes            # rows of the tile a bank further than in memory, against bank conflicts

const     ROWS     = rows
const     COLS     = cols
const     PER      = max(1, 4 / sizeof(T)) # elements of a word: what a lane writes at a time
let       unit     = PER * sizeof(T)
let       piece    = 16 / sizeof(T)
const     GROUP    = MATRICES * rows * cols # elements of a group
let       groups   = ceil_div(batch, MATRICES)
const     EDGE     = batch % MATRICES != 0
let       line     = 128 / sizeof(T)   # elements of a cache line
const     ANY_IN   = align_in < 128    # the input does not begin with a line
const     ANY_OUT  = align_out < 128   # nor the output
const     SHIFTED  = (ANY_IN || GROUP % line != 0) && SKEW == SKEW_no # groups begin anywhere in a line of the input
const     LED      = ANY_OUT || GROUP % line != 0 # and in one of the output
const     PHASED   = align_out < unit || GROUP % PER != 0 # or even in a word
let       cycle    = line / gcd(line, GROUP) # groups after which one begins there again
let       alike    = PER / gcd(PER, rows) # columns after which words lie as before
let       meeting  = ceil_div(min(32, ceil_div(rows, PER)) * gcd(cols, 32), 32) # lanes in a bank, of those in a column
let       column   = rows * alike / PER # words of so many
let       even     = 32 / unit / gcd(32 / unit, column) # as many of those end where 32 bytes do
let       sets     = PER * ceil_div(even * column, THREADS) <= 32 ? max(1, 2 * THREADS / (even * column)) * even : max(1, THREADS / column)
const     ACROSS   = MATRICES > 1 ? 0 : min(sets, ceil_div(cols, alike)) * alike # columns of a part; 0: it has whole matrices
const     PART     = MATRICES > 1 ? ceil_div(GROUP, PARTS * PER) : ACROSS * rows / PER # words of a part
const     SHARE    = MATRICES > 1 ? PARTS : ceil_div(ceil_div(GROUP, PER) + (LED ? line / PER - 1 : 0), PART) # parts of a group
const     SLOTS    = ceil_div(PART, THREADS) # words of a part that a thread writes
let       places   = SLOTS * (rows % PER == 0 && !PHASED ? 1 : PER) + (LED && MATRICES > 1 && PARTS > 1 ? PER : 0) # that a thread remembers
const     PIECES   = SKEW == SKEW_yes ? ceil_div((GROUP / PER + (GROUP / PER - 1) / cols) * unit, 16) \
                                      : ceil_div(GROUP + (SHIFTED ? line - 1 : 0), piece) # 16 bytes each, of the tile
let       shared_bytes = (AHEAD + 1) * 16 * PIECES
let       registers = ceil_div(places + 36, 8) * 8 # that a thread may need
const     RESIDENT = max(1, min(233472 / (shared_bytes + 1024), 65536 / (registers * THREADS))) # blocks of a multiprocessor
let       fit      = device.sms * RESIDENT
let       wanted   = TURNS == 0 ? min(groups, fit) : ceil_div(groups, TURNS)
let       blocks   = TURNS == 0 && wanted >= cycle ? wanted / cycle * cycle : ceil_div(wanted, cycle) * cycle
const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner

require   device.cc >= 80              # asynchronous copies
require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   batch > 1                    # a single matrix is cut into tiles
require   MATRICES < 2 * batch
require   GROUP * sizeof(T) <= 36864 || MATRICES == 1
require   GROUP * sizeof(T) >= 4096 || 2 * MATRICES > batch # a multiprocessor needs many bytes in flight
require   shared_bytes <= device.max_shared_bytes
require   AHEAD > 0 || shared_bytes <= 115000 # while a block reads, another writes
require   (TURNS == 1) == (AHEAD == 0) # nothing follows
require   AHEAD < 2 || TURNS == 0
require   TURNS <= 1 || (wanted <= fit && 4 * wanted > 3 * fit) || (TURNS == 4 && wanted >= 3 * fit) # all blocks at once, or several times as many
require   TURNS > 0 || groups > fit
require   PARTS == 1 || (MATRICES % PARTS == 0 && GROUP % (PARTS * PER) == 0) # parts are whole matrices, and whole words
require   SKEW == SKEW_no || PARTS == 1 || MATRICES / PARTS * rows % PER == 0
require   SKEW == SKEW_no || (!PHASED && align_in >= unit) # words are read as they are written
require   SKEW == SKEW_no || meeting > 1 # they do not
require   SKEW == SKEW_yes || meeting * PER <= 8 # too many do
require   16 * min(PART, ceil_div(GROUP, PER * SHARE)) >= (ACROSS > 0 ? 12 : 15) * SLOTS * THREADS # else some threads have nothing to do
require   is_pow2(THREADS) || 16 * PART < 15 * ceil_div(PART, 256) * 256 # as good as a power of two
require   PART * PER >= line         # who is too early for its first word has one at the end
require   places <= (THREADS >= 1024 ? 20 : 36) # registers
require   SLOTS * SHARE <= 64          # each is code
require   SLOTS * SHARE >= 2
require   PARTS == 1 || places > 4     # as it is, a thread remembers little
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    shared_bytes
default   MATRICES=16 THREADS=224 PARTS=2 TURNS=0 AHEAD=1 SKEW=no
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr int MATRICES = 16, THREADS = 256, AHEAD = 1, ROWS = 17, COLS = 31, PER = 4, GROUP = 8432, EDGE = 0, ANY_IN = 0, ANY_OUT = 0, SHIFTED = 1, LED = 1, PHASED = 0;
constexpr int ACROSS = 0, PART = 1054, SHARE = 2, SLOTS = 5, PIECES = 535, RESIDENT = 4;
constexpr int SKEW_no = 0, SKEW_yes = 1, SKEW = SKEW_no, KEEP = 1;
#include "../common/access.cuh"
#include "../common/async.cuh"
#include "../common/kept.cuh"
#endif

/*
 * A group of whole matrices is contiguous memory on both sides. The tile is a copy of the input, made by asynchronous
 * copies while the group before is written; a lane puts together a word of the output from elements that stand a row
 * apart there, and neighbouring lanes write neighbouring words, a warp a cache line. A block moves every gridDim.x-th
 * group; with AHEAD = 1 it has two buffers:
 *
 *               before      turn 0       turn 1       turn 2
 *     buffer 0  A arrives   A written    C arrives    C written
 *     buffer 1              B arrives    B written    D arrives
 *
 * All groups of a block begin at the same place of a line, so the same thread finds its elements at the same places,
 * turn after turn: they are looked for once. A group has parts that are alike, whole matrices or whole columns of one,
 * from one to the next of which places move by a constant (STRIDE). With matrices of 3 x 2, words of two elements,
 * and parts of one matrix:
 *
 *     tile          a d b e c f  g j h k i l        a b c are a column: a row's elements are neighbours
 *     output        [a b][c d][e f][g h][i j][k l]
 *     thread          0    1    2    0    1    2    knows its two places in the first part; STRIDE = 6 elements
 */

constexpr int UNIT     = PER * ES;               /* bytes of a word */
constexpr int PIECE    = 16 / ES;                /* elements in 16 bytes */
constexpr int LINE     = 128 / ES;                /* elements of a cache line */
constexpr int BUFFERS  = AHEAD + 1;
constexpr int TILE     = PIECES * 16;            /* bytes of a buffer */
constexpr bool STRAIGHT = ROWS % PER == 0 && PHASED == 0; /* no word goes on in the next column */
constexpr int KEPT     = STRAIGHT ? 1 : PER;     /* places that tell where a word's elements stand */
constexpr int WORDS    = SLOTS * SHARE;          /* of a thread */
constexpr int TURNS_OF_CODE = WORDS <= 24 ? BUFFERS : 1; /* then a buffer's address is part of the instructions */
constexpr bool MOVING  = KEEP && BUFFERS > TURNS_OF_CODE; /* the buffer that is filled is known at run time only: begin_of() hides its place, too */
constexpr int EARLY    = LED && ACROSS == 0;      /* a thread may have a word at the end instead of its first */
constexpr int BATCH    = PER == 4 || UNIT == 16 ? 4 : 8;       /* words that a thread gathers before it writes them */

/* A copy: 16 bytes, or a word where those are set apart; then every thread keeps to its place in as many elements as a
 * column has in as many rows as a word has elements. */
constexpr bool APART    = SKEW == SKEW_yes;
constexpr int  SIZE     = APART ? UNIT : 16, EACH = SIZE / ES;
constexpr int  COPIES   = APART ? GROUP / PER : PIECES, LEAST = (GROUP + EACH - 1) / EACH; /* of a group */
constexpr int  AT_ONCE  = APART && COLS < THREADS ? THREADS / COLS * COLS : THREADS;
constexpr unsigned RISKY = EDGE == 0 && SHIFTED == 0 ? 0 : SHIFTED && ROWS * COLS * ES < 16 ? 2 : 1; /* last groups whose copies may go beyond the buffer */

using Word = Vector<PER>;

/* Bytes from the tile's first element to the one of a row, counted through all matrices, and a column. */
__device__ __forceinline__ constexpr int place_of(int row, int column)
{
    return (row * COLS + column + (SKEW == SKEW_yes ? row & -PER : 0)) * ES;
}

/* Bytes by which places move from one part to the next. */
constexpr int STRIDE = ACROSS > 0 ? ACROSS * ES : (GROUP + (SKEW == SKEW_yes ? GROUP / COLS : 0)) / SHARE * ES;

/* Where the element stands whose place in the output is i, counted from the group's first. */
struct Cell {
    int row, inner, column; /* `row` through all matrices, `inner` in its own */
};

__device__ __forceinline__ Cell cell_of(int i)
{
    /* Of a part's columns, those before the first are in their own matrix; of matrices, in the one before. */
    constexpr int BEFORE = ACROSS > 0 ? (LINE + ROWS - 1) / ROWS : (LINE + ROWS * COLS - 1) / (ROWS * COLS) * COLS;
    const unsigned from  = (unsigned)(i + BEFORE * ROWS), column = from / ROWS, inner = from % ROWS;
    Cell c;
    c.inner = (int)inner;
    if (ACROSS > 0) {
        c.row    = (int)inner;
        c.column = (int)column - BEFORE;
    } else {
        c.row    = ((int)(column / COLS) - BEFORE / COLS) * ROWS + (int)inner;
        c.column = (int)(column % COLS);
    }
    return c;
}

/* The places of a word's elements, the first of which is the output's i-th. */
__device__ __forceinline__ void find(int place[KEPT], int i)
{
    const Cell c = cell_of(i);
    place[0] = place_of(c.row, c.column);
#pragma unroll
    for (int e = 1; e < KEPT; e++) {
        if (ROWS < PER) {
            const Cell other = cell_of(i + e);
            place[e] = place_of(other.row, other.column);
        } else {
            const bool ends = c.inner + e >= ROWS, last = ACROSS == 0 && c.column == COLS - 1;
            place[e] = place_of(c.row + e - (ends && !last ? ROWS : 0), ends ? (last ? 0 : c.column + 1) : c.column);
        }
    }
}

/* A thread's part in each group of its block. */
struct Work {
    long long from, to; /* bytes to its first copy and to its first word, of group 0 */
    int begin, end;              /* the copies of a group; those before are of lines that others need */
    int at;                      /* where in the tile its first copy goes */
    int lead;                    /* elements between the beginning of a line of the output and that of the group */
    int late;                    /* words by which its first is further on than `to`; negative: it has none */
    int place[SLOTS][KEPT], first[KEPT];
};

/* Where in the tile a copy goes. */
__device__ __forceinline__ int place_of_copy(int n)
{
    return (APART ? n + n / COLS : n) * SIZE;
}

/* Starts to read a group into the tile at `tile`. */
__device__ __forceinline__ void read(const Work &work, const T *in, unsigned char *memory, int tile, unsigned g, unsigned groups, long long left)
{
    const int own = (int)threadIdx.x, base = MOVING ? 0 : tile;
    const unsigned char *const from = (const unsigned char *)in + (work.from + (long long)g * (GROUP * ES));

    memory += tile - base;

    if (RISKY > 0 && g + RISKY >= groups) {
        left -= (long long)g * GROUP; /* elements to the end of the buffer */
#pragma unroll 1
        for (int n = own; n < work.end && n * EACH < left; n += THREADS)
            if (n >= work.begin)
                copy_part_async<KEEP, SIZE>(memory, begin_of<KEEP>(memory), base + place_of_copy(n), from + (n - own) * SIZE,
                    (int)min((long long)EACH, left - n * EACH) * ES);
        return;
    }
    if (AT_ONCE < THREADS && own >= AT_ONCE)
        return;
#pragma unroll 16
    for (int k = 0; k < (COPIES + AT_ONCE - 1) / AT_ONCE; k++) {
        const int n = own + k * AT_ONCE;
        if (((k + 1) * AT_ONCE <= LEAST || n < work.end) && (!SHIFTED || k * AT_ONCE * EACH >= LINE || n >= work.begin))
            copy_part_async<KEEP, SIZE>(memory, begin_of<KEEP>(memory),
                base + (APART && AT_ONCE % COLS != 0 ? place_of_copy(n) : work.at + place_of_copy(k * AT_ONCE)),
                from + k * AT_ONCE * SIZE, SIZE);
    }
}

/* Writes the thread's words of a group. */
__device__ __forceinline__ void write(const Work &work, T *out, const unsigned char *tile, unsigned g)
{
    Word::Bits *const to = (Word::Bits *)((unsigned char *)out + (work.to + (long long)g * (GROUP * ES)));

#pragma unroll
    for (int b = 0; b < WORDS; b += BATCH) {
        Word word[BATCH];
        bool whole[BATCH]; /* is in the group */
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int s = (b + k) % SLOTS, part = (b + k) / SLOTS, t = (int)threadIdx.x + s * THREADS;
            const bool is_first = LED && b + k == 0;
            whole[k] = b + k < WORDS && (!is_first || work.late >= 0);
            if ((part * PART + min(PART, (s + 1) * THREADS)) * PER > GROUP && !(EARLY && is_first))
                whole[k] = whole[k] && (part * PART + min(t, PART - 1) + 1) * PER <= GROUP + work.lead;
            if (whole[k] && ((s + 1) * THREADS - 32 < PART || t < PART))
#pragma unroll
                for (int e = 0; e < PER; e++)
                    word[k].element[e] = *(const T *)(tile
                        + ((EARLY && is_first ? work.first : work.place[s])[STRAIGHT ? 0 : e] + part * STRIDE + (STRAIGHT ? e * COLS * ES : 0)));
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int s = (b + k) % SLOTS, part = (b + k) / SLOTS;
            if (whole[k] && ((s + 1) * THREADS <= PART || (int)threadIdx.x + s * THREADS < PART))
                to[part * PART + s * THREADS + (EARLY && b + k == 0 ? work.late : 0)] = word[k].bits;
        }
    }
}

/* The thread's part in all groups that begin `phase` elements behind a line of the input, `lead` behind one of the output. */
__device__ __forceinline__ void plan(Work &work, int phase, int lead)
{
    const int own = (int)threadIdx.x;

    work.from  = kept((long long)own * SIZE - phase * ES);
    work.to    = kept((long long)own * UNIT - lead * ES);
    work.begin = SHIFTED ? kept(phase / PIECE) : 0;
    work.end   = SHIFTED ? kept((phase + GROUP + PIECE - 1) / PIECE) : COPIES;
    work.at    = kept(place_of_copy(own));
    work.lead  = lead;

    /* The words of the first part are the threads in turn, from the line's beginning; those of the others are as many words further on. */
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        find(work.place[s], min(own + s * THREADS, PART - 1) * PER - lead); /* who has no word repeats the last one */
#pragma unroll
        for (int e = 0; e < KEPT; e++)
            work.place[s][e] = kept(work.place[s][e] + phase * ES);
    }

    /* Instead of a word before the group, a thread may have one at its end: all parts together are as long as the group. */
    const bool early = own * PER < lead;
    const int  late  = early ? SHARE * PART : 0;
    work.late = LED ? kept(!early || (EARLY && (late + own + 1) * PER <= GROUP + lead) ? late : -1) : 0;
    if (EARLY) {
        find(work.first, (early ? late + own : min(own, PART - 1)) * PER - lead);
#pragma unroll
        for (int e = 0; e < KEPT; e++)
            work.first[e] = kept(work.first[e] + phase * ES);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
transpose_stream(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows, long long cols,
    long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];
    unsigned char *const memory = (unsigned char *)shared_memory;

    const long long all    = batch * (ROWS * COLS); /* elements */
    const unsigned  groups = (unsigned)((batch + MATRICES - 1) / MATRICES);
    if (blockIdx.x >= groups)
        return;

    const long long begin = (long long)blockIdx.x * GROUP;
    const int phase = SHIFTED ? (int)((begin + (ANY_IN ? (int)bytes_behind<128>(in) / ES : 0)) % LINE) : 0;
    const int lead  = LED ? (int)((begin + (ANY_OUT ? (int)bytes_behind<128>(out) / ES : 0)) % LINE) : 0;

    Work work;
    plan(work, phase, lead);

    /* The ends that do not fill a word. */
    const int own = (int)threadIdx.x, end = (own < PER ? lead / PER * PER + own : (GROUP + lead) / PER * PER + own - PER) - lead;
    const bool ends = PHASED && own < 2 * PER && end >= 0 && end < GROUP && (own >= PER || lead % PER > 0);
    int end_place = 0;
    if (ends)
        end_place = place_of(end / ROWS / COLS * ROWS + end % ROWS, end / ROWS % COLS) + phase * ES;

#pragma unroll
    for (int a = 0; a < max(1, AHEAD); a++) {
        const unsigned g = blockIdx.x + a * gridDim.x;
        if (g < groups)
            read(work, in, memory, a * TILE, g, groups, all + phase);
        end_of_set();
    }

    unsigned g = blockIdx.x;
#pragma unroll 1
    while (g < groups) {
#pragma unroll TURNS_OF_CODE
        for (int now = 0; now < BUFFERS; now++) { /* the buffer with the group whose turn it is */
            const unsigned char *const tile = memory + now * TILE;

            wait_for_sets<AHEAD == 0 ? 0 : AHEAD - 1>();
            __syncthreads(); /* all threads' sets; and no one gathers from the buffer that is filled next */

            if (AHEAD > 0) {
                const unsigned next = g + AHEAD * gridDim.x;
                if (next < groups)
                    read(work, in, memory, (now == 0 ? AHEAD : now - 1) * TILE, next, groups, all + phase);
                end_of_set();
            }

            const long long first = (long long)g * GROUP;
            if (EDGE && g + 1 == groups) { /* the last group has fewer matrices */
#pragma unroll 1
                for (int i = own; i < all - first; i += THREADS)
                    out[first + i] = *(const T *)(tile + (place_of(i / ROWS / COLS * ROWS + i % ROWS, i / ROWS % COLS) + phase * ES));
                return;
            }

            write(work, out, tile, g);
            if (ends)
                out[first + end] = *(const T *)(tile + end_place);

            g += gridDim.x;
            if (g >= groups)
                return;
        }
    }
}
