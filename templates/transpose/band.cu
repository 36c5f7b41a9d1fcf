/*!autotune
template  band                         # up to some thousand rows of any alignment: a block moves some neighbouring columns of a matrix, all of them
use       access async kept

param     WIDTH   = 64 96 128 192 256 384 512 1024 2048 # bytes of an input row that a block moves, or somewhat less
param     THREADS = 128 192 256 384 512 # threads a block
param     COPY    = 4 8 16             # bytes that a thread copies into the tile at a time
param     FILL    = 1 4 8              # words that a thread may have of those whose places it remembers
param     PAD     = 0 1                # copies between rows of the tile, against bank conflicts

const     ROWS    = rows
const     LD      = ld_in
const     PER     = max(1, 4 / sizeof(T)) # elements of a word: what a lane writes at a time
let       unit    = PER * sizeof(T)
const     PIECE   = max(1, COPY / sizeof(T)) # elements of a copy
let       line    = 128 / sizeof(T)    # of a cache line
let       narrower = WIDTH > 512 ? WIDTH / 2 : is_pow2(WIDTH) ? WIDTH / 4 * 3 : WIDTH / 3 * 2 # the value before
let       wanted  = ceil_div(cols, ceil_div(cols, WIDTH / sizeof(T)))
let       grain   = gcd(ld_in, 32 / sizeof(T)) # columns after which rows lie in 32 bytes as before
const     BAND    = min(cols, ceil_div(wanted, grain) * grain) # columns of a block
const     BANDS   = ceil_div(cols, BAND) # of a matrix; the last begins earlier, to be as wide as the others
const     LAST    = cols - BAND        # where it does
let       step    = BANDS > 1 ? gcd(BAND, LAST) : 0 # all begin at a multiple
let       out_step = gcd(batch > 1 ? rows * cols : 0, step * rows)
const     ANY_IN  = align_in < COPY    # the input begins within a copy
const     ANY_OUT = align_out < 128    # the output does not begin with a line
const     LED     = ANY_OUT || out_step % line != 0 # bands begin anywhere in one
const     PHASED  = align_out < unit || gcd(out_step, BAND * rows) % PER != 0 # begin or end even in a word
const     ROUGH   = ld_in % PIECE != 0 # rows begin within a copy, each elsewhere
const     SHIFT   = ANY_IN || ROUGH || step % PIECE != 0 # or all alike
const     TAIL    = ANY_IN || batch * rows * ld_in % PIECE != 0 # the input ends within one
const     SKEW    = !ROUGH && PER > 1 ? PIECE : 0 # elements by which the rows of a word are further on than those before, against bank conflicts
const     ACROSS  = ceil_div(BAND + (SHIFT ? PIECE - 1 : 0), PIECE) # copies of a row
const     PITCH   = ROUGH ? (ACROSS + PAD) * PIECE + ld_in % PIECE : PER > 1 ? ACROSS * PIECE : (ACROSS + 1 - ACROSS % 2) * PIECE # elements between rows of the tile, which begin in a copy as their rows in memory do
let       meeting = SKEW > 0 ? COPY / 4 : gcd(PITCH, 32) # lanes in a bank, of those in a column
const     COPIES  = ((rows - 1) * PITCH + (rows - 1) / PER * SKEW + PIECE - 1) / PIECE + ACROSS # of the tile
let       shared_bytes = ceil_div(COPIES * PIECE * sizeof(T), 16) * 16
let       high    = THREADS / ACROSS   # rows that all threads copy at once
let       every   = SKEW > 0 ? PER : PIECE / gcd(ld_in, PIECE) # rows after which copies lie as before
const     DOWN    = high >= every && high < rows ? high / every * every : high # some threads less, but all go on in steps that the compiler knows
let       alike   = PER / gcd(PER, rows) # columns after which words lie as before
let       column  = rows * alike / PER # words of so many
let       even    = 32 / unit / gcd(32 / unit, column) # as many of those end where 32 bytes do
let       lot     = PER * ceil_div(even * column, THREADS) <= 32 ? even : 1
let       sets    = max(1, FILL * THREADS / (lot * column)) * lot
let       fewer   = max(1, (FILL == 8 ? 4 : 1) * THREADS / (lot * column)) * lot # with the value before
const     SPAN    = min(sets, ceil_div(BAND, alike)) * alike # columns of a part: in the next, places are SPAN further on
const     PART    = SPAN * rows / PER  # words of a part
const     SHARE   = ceil_div(ceil_div(BAND * rows, PER) + (LED ? line / PER - 1 : 0), PART) # parts of a band
const     SLOTS   = ceil_div(PART, THREADS) # words of a part that a thread writes
let       places  = SLOTS * (rows % PER == 0 && !PHASED ? 1 : PER) # that a thread remembers
let       registers = ceil_div(places + 28, 8) * 8 # that it may need
const     RESIDENT = max(1, min(233472 / (shared_bytes + 1024), 65536 / (registers * THREADS))) # blocks of a multiprocessor
const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner

require   device.cc >= 80              # asynchronous copies
require   ld_out == rows               # what a block writes has no gaps
require   (rows + DOWN) * ld_in <= 2147480000 # 32-bit offsets inside a matrix
require   rows > 1 && cols > 1         # nothing to turn
require   WIDTH == 64 || ceil_div(cols, WIDTH / sizeof(T)) < ceil_div(cols, narrower / sizeof(T)) # else the band is the same
require   16 * (BANDS * BAND - cols) <= cols # moved twice
require   COPY >= sizeof(T)
require   PAD == 0 || (ROUGH && rows * sizeof(T) <= 256) # many words go on in the next column
require   COPY == 16 || SKEW > 0       # less only helps against bank conflicts
require   sizeof(T) > 4 || PER * meeting <= 8 # too many lanes would meet in one bank
require   ACROSS <= THREADS            # each keeps to its place in a row
require   ceil_div(rows, DOWN) <= 64   # each is code
require   shared_bytes <= min(device.max_shared_bytes, WIDTH <= 128 ? 115000 : 76800) # while a block reads, others write
require   RESIDENT * shared_bytes >= 49152 # a multiprocessor needs many bytes in flight
require   FILL == 1 || (sets > fewer && fewer * alike < BAND) # else less does the same
require   16 * PART >= 13 * SLOTS * THREADS # else some threads have nothing to do
require   SLOTS * SHARE <= 72          # each is code
require   PART * PER >= line
require   places <= 36                 # registers
require   THREADS <= device.max_threads_per_block
require   BANDS * batch <= device.max_grid_x

grid      BANDS * batch
block     THREADS
shared    shared_bytes
default   WIDTH=128 THREADS=256 COPY=16 FILL=1 PAD=0
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned short;
constexpr int THREADS = 256, COPY = 16, ROWS = 255, LD = 255, PER = 2, PIECE = 8, BAND = 64, BANDS = 4,
              LAST = 191, ANY_IN = 0, ANY_OUT = 0, LED = 1, PHASED = 1;
constexpr int ROUGH = 1, SHIFT = 1, TAIL = 0, SKEW = 0, ACROSS = 9, PITCH = 79, COPIES = 2519, DOWN = 24,
              SPAN = 16, PART = 2040, SHARE = 5, SLOTS = 8, RESIDENT = 4;
constexpr int KEEP = 1;
#include "../common/access.cuh"
#include "../common/async.cuh"
#include "../common/kept.cuh"
#endif

/*
 * Some columns of a matrix are contiguous memory in the output. The tile holds their part of every row, as copies of
 * aligned pieces; its pitch differs from the input's by whole pieces, so that a column is a straight line whatever the
 * rows' alignment (`skew` draws that). A lane puts together a word of the output from elements that stand a row apart,
 * and neighbouring lanes write neighbouring words, a warp a cache line. Where a column ends, words go on in the next.
 * With three rows, and words of two elements:
 *
 *     input         tile        output: words of threads 0, 1, 2
 *     . . a d g j   a d g j
 *     . . b e h k   b e h k     [a b][c d][e f] [g h][i j][k l]
 *     . . c f i l   c f i l       0    1    2     0    1    2
 *                   part 0: columns abc, def     part 1: the same places, SPAN = 2 columns on
 *
 * After SPAN columns all is as before, so a thread looks for its elements once. Rows that begin alike could meet in few
 * banks: there, those of every word are a piece further on (SKEW).
 */

constexpr int UNIT = PER * ES;                            /* bytes of a word */
constexpr int LINE = 128 / ES;                            /* elements of a cache line */
constexpr int TOTAL = BAND * ROWS;                        /* elements of a band */
constexpr bool STRAIGHT = ROWS % PER == 0 && PHASED == 0; /* no word goes on in the next column */
constexpr int KEPT = STRAIGHT ? 1 : PER;                  /* places that tell where a word's elements stand */
constexpr int WORDS = SLOTS * SHARE;                      /* of a thread */
constexpr int BATCH = PER == 4 || UNIT == 16 ? 4 : 8; /* words that a thread gathers before it writes them */
constexpr int TURNS = (ROWS + DOWN - 1) / DOWN;       /* rows that a thread copies pieces of */
constexpr bool EVEN =
    (long long)DOWN * LD % PIECE == 0 && (SKEW == 0 || DOWN % PER == 0); /* in all of them alike */

using Word = Vector<PER>;

/* Elements from the tile's first to that of a row and column. */
__device__ __forceinline__ constexpr int place_of(int row, int column)
{
    return row * PITCH + row / PER * SKEW + column;
}

/* The bytes in the tile at which a word's elements stand, the first of which is the output's i-th. */
__device__ __forceinline__ void find(int place[KEPT], int i, int phase)
{
    constexpr int BEFORE = (LINE + ROWS - 1) / ROWS; /* columns that a word may be in front of the first */
    const unsigned from = (unsigned)(i + BEFORE * ROWS);
    int column = (int)(from / ROWS) - BEFORE, row = (int)(from % ROWS);

#pragma unroll
    for (int e = 0; e < KEPT; e++) {
        place[e] = (place_of(row, column) + phase) * ES;
        const bool ends = ++row == ROWS;
        row = ends ? 0 : row;
        column = ends ? column + 1 : column;
    }
}

/* Elements from the beginning of its first piece to that of a row; the same in the tile. */
__device__ __forceinline__ int within(int phase, int row)
{
    return (phase + row * LD) & -PIECE;
}

__device__ __forceinline__ int place_within(int phase, int row)
{
    return ((phase + row * PITCH) & -PIECE) + row / PER * SKEW;
}

/* Reads the band into the tile. `from` is the first row's first piece, whose first `phase` elements are other
 * columns; so many elements are left from there to the buffer's end. */
__device__ __forceinline__ void read(unsigned char *tile, const T *from, int phase, long long left)
{
    const int n = (int)threadIdx.x % ACROSS, own = (int)threadIdx.x / ACROSS;
    const unsigned begin = begin_of<KEEP>(tile);
    if (own >= DOWN)
        return;

    if (TAIL && left < (long long)(ROWS - 1) * LD + PIECE * (ACROSS + 1)) {
#pragma unroll 1
        for (int row = own; row < ROWS; row += DOWN) {
            const int at = within(phase, row) + n * PIECE;
            if (at < phase + row * LD + BAND)
                copy_part_async<KEEP, COPY>(tile, begin, (place_within(phase, row) + n * PIECE) * ES,
                           (const unsigned char *)(from + at), (int)min((long long)PIECE, left - at) * ES);
        }
    } else if (EVEN) {
        const int at = within(phase, own) + n * PIECE, place = place_within(phase, own) + n * PIECE;
        if (SHIFT && at >= phase + own * LD + BAND)
            return;
#pragma unroll
        for (int k = 0; k < TURNS; k++)
            if ((k + 1) * DOWN <= ROWS || own + k * DOWN < ROWS)
                copy_part_async<KEEP, COPY>(tile, begin, (place + place_of(k * DOWN, 0)) * ES,
                           (const unsigned char *)(from + at + (long long)k * DOWN * LD), COPY);
    } else {
#pragma unroll 4
        for (int k = 0; k < TURNS; k++) {
            const int row = own + k * DOWN, at = within(phase, row) + n * PIECE;
            if (row < ROWS && at < phase + row * LD + BAND)
                copy_part_async<KEEP, COPY>(tile, begin, (place_within(phase, row) + n * PIECE) * ES,
                           (const unsigned char *)(from + at), COPY);
        }
    }
}

/* Writes the thread's words of a band that begins `lead` elements behind `to`. */
__device__ __forceinline__ void write(Word::Bits *to, const unsigned char *tile, const int place[SLOTS][KEPT],
                                      int lead)
{
    const int own = (int)threadIdx.x;

#pragma unroll
    for (int b = 0; b < WORDS; b += BATCH) {
        Word word[BATCH];
        bool whole[BATCH]; /* is in the band */
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int s = (b + k) % SLOTS, part = (b + k) / SLOTS, t = own + s * THREADS,
                      first = part * PART + s * THREADS;
            whole[k] = b + k < WORDS && (first + 1) * PER <= TOTAL + (LED ? LINE - 1 : 0) &&
                       ((s + 1) * THREADS <= PART || t < PART);
            if ((part * PART + min(PART, (s + 1) * THREADS)) * PER > TOTAL)
                whole[k] = whole[k] && (part * PART + t + 1) * PER <= TOTAL + lead;
            if (LED && first * PER < LINE)
                whole[k] = whole[k] && t * PER >= lead;
            if (whole[k])
#pragma unroll
                for (int e = 0; e < PER; e++)
                    word[k].element[e] =
                        *(const T *)(tile + (place[s][STRAIGHT ? 0 : e] +
                                             (part * SPAN + (STRAIGHT ? e * PITCH : 0)) * ES));
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (whole[k])
                to[(b + k) / SLOTS * PART + (b + k) % SLOTS * THREADS + own] = word[k].bits;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    transpose_band(T *__restrict__ out, const T *__restrict__ in, long long batch, long long rows,
                   long long cols, long long ld_in, long long ld_out)
{
    extern __shared__ uint4 shared_memory[];
    unsigned char *const tile = (unsigned char *)shared_memory;

    const int own = (int)threadIdx.x;
    const unsigned matrix = blockIdx.x / BANDS, band = blockIdx.x % BANDS;
    const int column = (int)min(band * (unsigned)BAND, (unsigned)LAST);

    const int in_base = ANY_IN ? (int)bytes_behind<COPY>(in) / ES : 0;
    const long long start = (long long)matrix * ((long long)ROWS * LD) + column + in_base;
    const int phase = SHIFT ? (int)(start % PIECE) : 0;
    read(tile, in - in_base + (start - phase), phase,
         batch * ((long long)ROWS * LD) + in_base - (start - phase));

    const long long first = (matrix * cols + column) * ROWS;
    const int lead = LED ? (int)((first + (ANY_OUT ? (int)bytes_behind<128>(out) / ES : 0)) % LINE) : 0;
    int place[SLOTS][KEPT];
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        find(place[s], min(own + s * THREADS, PART - 1) * PER - lead,
             phase); /* who has no word repeats the last one */
#pragma unroll
        for (int e = 0; e < KEPT; e++)
            place[s][e] = kept(place[s][e]);
    }

    await_copies();
    __syncthreads();
    write((Word::Bits *)(out + first - lead), tile, place, lead);

    /* The ends that do not fill a word. */
    const int end = (own < PER ? lead / PER * PER + own : (TOTAL + lead) / PER * PER + own - PER) - lead;
    if (PHASED && own < 2 * PER && end >= 0 && end < TOTAL && (own >= PER || lead % PER > 0))
        out[first + end] = *(const T *)(tile + (place_of(end % ROWS, end / ROWS) + phase) * ES);
}
