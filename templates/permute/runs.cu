/*!autotune
template  runs                         # packs: runs of both sides through shared memory, whatever the order; extents and strides are arguments
use       access async
replaces  tile words                   # in packs: with extents and strides as constants those are faster

param     COLS    = 64 128             # elements of the input's fastest dimensions that a block moves together, at least
param     ROWS    = 32 64 128          # and of the output's
param     TILE    = 16384 32768 8192   # bytes that it moves where the problem has four times as many for each multiprocessor
param     THREADS = 128 256            # threads a block
param     BATCH   = 1 4                # accesses that a thread has on their way at once

const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
general   KEEP=any
fixed     0                            # extents and strides are arguments
each      l = 2..7
each      b = 6..2                     # all but the output's fastest, from that on
const     PIECE   = 16 / sizeof(T)     # elements of a copy
const     PER     = max(1, 4 / sizeof(T)) # elements of a word: what a lane writes at a time

# So much of each dimension is in a tile: fast ones of the input (c) and of the output (r) whole, the next in equal parts.
let       behind[l] = product(k > l: n[k])
let       r[l]    = n[l] == 1 ? 1 : min(n[l], max(1, ROWS / behind[l]))
let       least   = product(l: n[l] == 1 ? 1 : max(r[l], min(n[l], max(1, COLS / f[l]))))
let       longer  = max(1, min(TILE / sizeof(T), count / (4 * device.sms)) / least) # runs of both sides may have dimensions in common
let       c[l]    = n[l] == 1 ? 1 : min(n[l], max(1, min(8192, COLS * longer) / f[l]))
let       most[l] = max(c[l], r[l])
let       even[l] = most[l] == n[l] ? 1 : gcd(n[l], 128 / sizeof(T)) # whole lines or copies, where those fit
let       grain[l] = most[l] >= 2 * even[l] ? even[l] : most[l] >= min(even[l], PIECE) ? min(even[l], PIECE) : 1
let       t[l]    = most[l] == n[l] ? n[l] : min(n[l], ceil_div(ceil_div(n[l], ceil_div(n[l], most[l])), grain[l]) * grain[l])
let       tiles[l] = t[l] == n[l] ? 1 : ceil_div(n[l], t[l])
let       volume  = product(l: t[l])
let       blocks  = product(l: tiles[l])

# An input run; how far from each other neighbours along a dimension are in the tile: what lies between runs is as in the input but for whole copies.
let       run     = product(l: c[l] > 1 ? t[l] : 1)
let       odd     = align_in < 16 || any(l: n[l] > 1 && c[l] == 1 && i[l] % PIECE) || any(l: c[l] > 1 && t[l] < n[l] && t[l] * i[l] % PIECE) # runs begin anywhere
let       apart   = odd ? PIECE - 1 : 0
let       skew    = PER > 1 && c7 == 1 && t7 > 1 ? PIECE : 0 # elements by which those of the next word are further on
let       a7      = run + apart + ((i7 - run - apart) % PIECE + PIECE) % PIECE
let       s7      = c7 > 1 ? i7 : PER == 1 && a7 % (2 * PIECE) == 0 ? a7 + PIECE : a7
let       e7      = run + apart + (c7 > 1 ? 0 : (t7 - 1) * s7 + (t7 - 1) / PER * skew)
let       e[b]    = e[b + 1] + (c[b] > 1 || t[b] == 1 ? 0 : (t[b] - 1) * (e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE))
let       s[b]    = c[b] > 1 ? i[b] : t[b] == 1 ? 0 : e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE
let       across  = ceil_div(run + apart, PIECE) # copies of a run
let       rows    = product(l: c[l] == 1 ? t[l] : 1) # input runs of a tile
let       length  = product(l: r[l] > 1 ? t[l] : 1) # of an output run
let       columns = product(l: r[l] == 1 ? t[l] : 1) # output runs
let       loose   = PER > 1 && (align_out < 4 || any(l: n[l] > 1 && r[l] == 1 && o[l] % PER) || any(l: r[l] > 1 && t[l] < n[l] && t[l] * o[l] % PER)) # those begin anywhere
let       words   = ceil_div(length + (loose ? PER - 1 : 0), PER)
let       joined  = any(l < 7: r[l] > 1) # they are several dimensions
let       copies  = (e2 + 2 * PIECE - 2) / PIECE # of the whole tile
let       table   = 16 * copies # where the tables are, in bytes
let       shared_bytes = table + 8 * (rows + columns) + (joined ? 2 * length : 0)

# Arguments, of two numbers each.
let       shift[l]   = tiles[l] == 1 ? 0 : log2(2 * tiles[l] - 1)
let       side[l]    = n[l] | tiles[l] << 32
let       tiled[l]   = tiles[l] == 1 ? 0 : 4294967296 * ((1 << shift[l]) - tiles[l]) / tiles[l] + 1 | shift[l] << 32
let       step[l]    = n[l] == 1 ? 0 : i[l] | o[l] << 32
let       part[l]    = t[l] | (c[l] > 1 ? 16384 : 0) | (r[l] > 1 ? 32768 : 0) | (t[l] > 1 ? s[l] << 16 | (2147483647 / t[l] + 1) << 32 : 0)
let       reads      = rows | across << 32
let       writes     = columns | words << 32
let       reading    = (across == 1 ? 0 : 4294967295 / across + 1) | max(1, THREADS / across) << 32 # how threads share them
let       writing    = (words == 1 ? 0 : 4294967295 / words + 1) | max(1, THREADS / words) << 32
let       layout     = table | joined << 32
let       total      = count | skew << 32

scalar    side2 i64
scalar    side3 i64
scalar    side4 i64
scalar    side5 i64
scalar    side6 i64
scalar    side7 i64
scalar    tiled2 i64
scalar    tiled3 i64
scalar    tiled4 i64
scalar    tiled5 i64
scalar    tiled6 i64
scalar    tiled7 i64
scalar    step2 i64
scalar    step3 i64
scalar    step4 i64
scalar    step5 i64
scalar    step6 i64
scalar    step7 i64
scalar    part2 i64
scalar    part3 i64
scalar    part4 i64
scalar    part5 i64
scalar    part6 i64
scalar    part7 i64
scalar    reads i64
scalar    writes i64
scalar    reading i64
scalar    writing i64
scalar    layout i64
scalar    total i64
arg       out in side2 side3 side4 side5 side6 side7 tiled2 tiled3 tiled4 tiled5 tiled6 tiled7 step2 step3 step4 step5 step6 step7 \
          part2 part3 part4 part5 part6 part7 reads writes reading writing layout total

require   n0 == 1 && n1 == 1           # six dimensions
require   count <= 2147483583          # 32-bit places
require   all(l: n[l] == 1 || (i[l] == f[l] && o[l] == behind[l])) # no gaps
require   device.cc >= 80              # asynchronous copies
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: both sides may begin anywhere
require   all(l: t[l] < 16384)         # of 14 bits
require   e2 + PIECE <= 65536          # places in the tile have 16 bits
require   shared_bytes <= min(device.max_shared_bytes, 115000) # while a block reads, another writes
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x
# The fastest for most problems of an H200; packs may have others, if they are measured.
prefer    COLS == (sizeof(T) == 1 ? 128 : 64) && ROWS == (sizeof(T) == 1 ? 64 : 32)
prefer    TILE == 16384 && THREADS == 128 && BATCH == (count * sizeof(T) < 3000000 ? 4 : 1)

grid      blocks
block     THREADS
shared    shared_bytes
default   COLS=64 ROWS=32 TILE=16384 THREADS=128 BATCH=1
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int COLS = 64, ROWS = 64, TILE = 32768, THREADS = 256, BATCH = 1, PIECE = 4, PER = 1, KEEP = 0;
#include "../common/access.cuh"
#include "../common/async.cuh"
#endif

/*
 * A block moves a box of the index space, which is whole runs of neighbouring elements on both sides: of the input's fastest
 * dimensions and of the output's. Both runs end with a part of a dimension, or with all of one. The tile has the input's runs
 * as the aligned pieces that cover them, so that a run may begin anywhere; a word of an output run is gathered from it.
 * Where a run is, in memory and in the tile, is the sum of its coordinates, each times a stride: two tables have that for
 * all runs of a tile, a third one where the elements of an output run are, unless that is one dimension.
 */

using Number = unsigned long long; /* two of 32 bits */
using Word   = Vector<PER>;

constexpr int      DIMS = 6;
constexpr unsigned NONE = 0xffffffff;
constexpr int      ABSENT = -0x7fffffff;

__device__ __forceinline__ unsigned low(Number n)
{
    return (unsigned)n;
}

__device__ __forceinline__ unsigned high(Number n)
{
    return (unsigned)(n >> 32);
}

/* What is the same for all tiles. */
struct Layout {
    Number side[DIMS], tiled[DIMS], step[DIMS], part[DIMS]; /* of the output's dimensions, the fastest last */
    unsigned skew;

    __device__ __forceinline__ unsigned extent(int d) const
    {
        return low(part[d]) & 0x3fff; /* of the tile */
    }

    __device__ __forceinline__ bool in_input_run(int d) const
    {
        return low(part[d]) & 0x4000;
    }

    __device__ __forceinline__ bool in_output_run(int d) const
    {
        return low(part[d]) & 0x8000;
    }

    __device__ __forceinline__ unsigned apart(int d) const
    {
        return low(part[d]) >> 16; /* in the tile */
    }

    /* Where the tile has an element of an output run of one dimension. */
    __device__ __forceinline__ unsigned place(unsigned i) const
    {
        return i * apart(DIMS - 1) + (PER > 1 ? i / PER * skew : 0);
    }
};

/* A block's tile: its first element on both sides, and how much of each dimension there is. */
struct Box {
    unsigned in = 0, out = 0, have[DIMS];

    __device__ __forceinline__ Box(const Layout &l, unsigned block)
    {
#pragma unroll
        for (int d = DIMS - 1; d >= 0; d--) {
            const unsigned tiles = high(l.side[d]), extent = l.extent(d);
            have[d] = extent;
            if (tiles > 1) {
                const unsigned whole = (__umulhi(block, low(l.tiled[d])) + block) >> high(l.tiled[d]);
                const unsigned first = (block - whole * tiles) * extent;
                block   = whole;
                in      += first * low(l.step[d]);
                out     += first * high(l.step[d]);
                have[d] = min(extent, low(l.side[d]) - first);
            }
        }
    }
};

struct Place {
    unsigned memory, tile; /* from the box's first element on */
};

/* Number k of what the box has along those dimensions that are, or are not, in the runs of a side. NONE: not in this box. */
template <bool output, bool within> __device__ __forceinline__ Place place_of(unsigned k, const Layout &l, const Box &box)
{
    Place place = { 0, 0 };
    bool there = true;
#pragma unroll
    for (int d = DIMS - 1; d >= 0; d--) {
        const unsigned extent = l.extent(d);
        if (extent > 1 && (output ? l.in_output_run(d) : l.in_input_run(d)) == within) {
            const unsigned whole = __umulhi(2 * k, high(l.part[d])), at = k - whole * extent;
            k = whole;
            place.memory += at * (output ? high(l.step[d]) : low(l.step[d]));
            place.tile += at * l.apart(d) + (PER > 1 && d == DIMS - 1 ? at / PER * l.skew : 0);
            there = there && at < box.have[d];
        }
    }
    if (!there)
        place.tile = NONE;
    return place;
}

/* Elements of the box's runs of a side. */
template <bool output> __device__ __forceinline__ int length_of(const Layout &l, const Box &box)
{
    int length = 1;
#pragma unroll
    for (int d = 0; d < DIMS; d++)
        length *= (output ? l.in_output_run(d) : l.in_input_run(d)) ? (int)box.have[d] : 1;
    return length;
}

/* How threads share runs of so many accesses: a thread has one access, or several far apart, of every so many runs. */
struct Share {
    unsigned at, row, across, rows, step;

    __device__ __forceinline__ Share(Number size, Number by) : across(high(size)), rows(low(size)), step(high(by))
    {
        row = across == 1 ? threadIdx.x : __umulhi(threadIdx.x, low(by));
        at  = threadIdx.x - row * across;
        if (row >= step)
            at = across; /* none */
    }
};

/* Where the first element is within its copy. `along`: runs have more copies than there are threads, of which a thread
 * has some at once; else it has those of some runs. */
template <bool along>
__device__ __forceinline__ unsigned read(unsigned char *memory, const T *in, const Layout &l, const Box &box, const Place *places, const Share &share, int count)
{
    const int base = (int)(bytes_behind<16>(in) / ES); /* a buffer that does not begin aligned is the rest of one that does */
    const int start = (int)box.in + base, phase = start % PIECE, length = length_of<false>(l, box);
    const T *const from = in - base + (start - phase);
    const int left = count + base - (start - phase); /* elements of the buffer from there on */
    const unsigned begin = begin_of<KEEP>(memory);

#pragma unroll 1
    for (unsigned own = share.at; own < share.across; own += (along ? BATCH : 1) * THREADS)
#pragma unroll 1
        for (unsigned row = share.row; row < share.rows; row += (along ? 1 : BATCH) * share.step) {
            Place run[BATCH];
#pragma unroll
            for (int j = 0; j < BATCH; j++)
                run[j] = places[along ? row : min(row + j * share.step, share.rows - 1)];
#pragma unroll
            for (int j = 0; j < BATCH; j++) {
                const int at = (int)(own + (along ? j * THREADS : 0)) * PIECE;
                const int begins = phase + (int)run[j].memory, first = begins / PIECE * PIECE + at;
                if ((along || row + j * share.step < share.rows) && run[j].tile != NONE && first < begins + length)
                    copy_part_async<KEEP, 16>(memory, begin, ((phase + (int)run[j].tile) / PIECE * PIECE + at) * ES,
                        (const unsigned char *)(from + first), min(PIECE, left - first) * ES);
            }
        }
    return (unsigned)phase;
}

/* Of a thread's word, and the elements before it, where the tile has them from the run's first one on. */
struct Places {
    unsigned at[2 * PER - 1];

    __device__ __forceinline__ void find(int first, int length, const Layout &l, const unsigned short *elements, bool joined)
    {
#pragma unroll
        for (int e = 0; e < 2 * PER - 1; e++) {
            const int i = max(0, min(first + e - (PER - 1), length - 1));
            at[e] = joined ? elements[i] : l.place((unsigned)i);
        }
    }

    /* Where a word begins so many elements earlier. */
    __device__ __forceinline__ void choose(unsigned (&place)[PER], unsigned earlier) const
    {
        if constexpr (PER == 1) {
            place[0] = at[0];
        } else if constexpr (PER == 2) {
            place[0] = earlier ? at[0] : at[1];
            place[1] = earlier ? at[1] : at[2];
        } else {
            unsigned some[PER + 1];
#pragma unroll
            for (int e = 0; e <= PER; e++)
                some[e] = earlier & 2 ? at[e] : at[e + 2];
#pragma unroll
            for (int e = 0; e < PER; e++)
                place[e] = earlier & 1 ? some[e] : some[e + 1];
        }
    }
};

template <bool along>
__device__ __forceinline__ void write(T *out, const T *tile, const Layout &l, const Box &box, const Place *places, const unsigned short *elements,
    bool joined, const Share &share)
{
    const int length = length_of<true>(l, box);
    const unsigned phase = (unsigned)(bytes_behind<PER * ES>(out) / ES) + box.out;
    T *const to = out + box.out;

#pragma unroll 1
    for (unsigned own = share.at; own < share.across; own += (along ? BATCH : 1) * THREADS) {
        Places chosen[along ? BATCH : 1];
#pragma unroll
        for (int j = 0; j < (along ? BATCH : 1); j++)
            chosen[j].find((int)((own + j * THREADS) * PER), length, l, elements, joined);
#pragma unroll 1
        for (unsigned row = share.row; row < share.rows; row += (along ? 1 : BATCH) * share.step) {
            Word word[BATCH];
            int  at[BATCH];
#pragma unroll
            for (int j = 0; j < BATCH; j++) {
                const Place    run     = places[along ? row : min(row + j * share.step, share.rows - 1)];
                const unsigned earlier = PER > 1 ? (phase + run.memory) % PER : 0;
                const int      first   = (int)((own + (along ? j * THREADS : 0)) * PER - earlier);
                const bool     there   = (along || row + j * share.step < share.rows) && run.tile != NONE && first < length;
                unsigned place[PER];
                chosen[along ? j : 0].choose(place, earlier);
                at[j] = ABSENT;
                if (there && first >= 0 && first + PER <= length) {
#pragma unroll
                    for (int e = 0; e < PER; e++)
                        word[j].element[e] = tile[run.tile + place[e]];
                    at[j] = (int)run.memory + first;
                } else if (there) { /* an end of the run */
#pragma unroll
                    for (int e = 0; e < PER; e++)
                        if (first + e >= 0 && first + e < length)
                            to[(int)run.memory + first + e] = tile[run.tile + place[e]];
                }
            }
#pragma unroll
            for (int j = 0; j < BATCH; j++)
                if (at[j] != ABSENT)
                    *(Word::Bits *)(to + at[j]) = word[j].bits;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
permute_runs(T *__restrict__ out, const T *__restrict__ in, Number side2, Number side3, Number side4, Number side5, Number side6, Number side7,
    Number tiled2, Number tiled3, Number tiled4, Number tiled5, Number tiled6, Number tiled7, Number step2, Number step3, Number step4,
    Number step5, Number step6, Number step7, Number part2, Number part3, Number part4, Number part5, Number part6, Number part7, Number reads,
    Number writes, Number reading, Number writing, Number layout, Number total)
{
    extern __shared__ uint4 shared_memory[];
    unsigned char *const memory = (unsigned char *)shared_memory;
    const Layout l = { { side2, side3, side4, side5, side6, side7 },
                       { tiled2, tiled3, tiled4, tiled5, tiled6, tiled7 },
                       { step2, step3, step4, step5, step6, step7 },
                       { part2, part3, part4, part5, part6, part7 },
                       high(total) };
    const Box box(l, blockIdx.x);
    Place *const rows = (Place *)(memory + low(layout)), *const columns = rows + low(reads);
    unsigned short *const elements = (unsigned short *)(columns + low(writes));

    for (unsigned k = threadIdx.x; k < low(reads); k += THREADS)
        rows[k] = place_of<false, false>(k, l, box);
    __syncthreads();
    const Share    copies(reads, reading), words(writes, writing);
    const unsigned phase = copies.across > THREADS ? read<true>(memory, in, l, box, rows, copies, (int)low(total))
                                                   : read<false>(memory, in, l, box, rows, copies, (int)low(total));
    for (unsigned k = threadIdx.x; k < low(writes); k += THREADS) /* while the copies are on their way */
        columns[k] = place_of<true, false>(k, l, box);
    if (high(layout))
        for (int k = (int)threadIdx.x; k < length_of<true>(l, box); k += THREADS)
            elements[k] = (unsigned short)place_of<true, true>((unsigned)k, l, box).tile;
    await_copies();
    __syncthreads();
    const T *const tile = (const T *)memory + phase;
    if (words.across > THREADS)
        write<true>(out, tile, l, box, columns, elements, high(layout), words);
    else
        write<false>(out, tile, l, box, columns, elements, high(layout), words);
}
