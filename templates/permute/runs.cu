/*!autotune
template  runs                         # packs: runs of both sides through shared memory, whatever the order; extents and strides are arguments
use       access async
replaces  tile words                   # in packs: with extents and strides as constants those are faster

param     COLS    = 64 128             # elements of the input's fastest dimensions that a block moves together, at least
param     ROWS    = 32 64              # and of the output's
param     TILE    = 16384 32768 8192   # bytes that it moves where the problem has four times as many for each multiprocessor
param     THREADS = 256 128            # threads a block
param     MANY    = 1 4                # tiles that a block has one after the other, if there are enough
param     RANK    = 6 4                # dimensions, at most

const     KEEP    = device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes # what is read stays in the L2, so that what is written leaves it sooner
fixed     0                            # extents and strides are arguments
each      l = 2..7
each      b = 6..2                     # all but the output's fastest, from that on
const     PIECE   = 16 / sizeof(T)     # elements of a copy

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
let       tiles[l] = ceil_div(n[l], t[l])
let       blocks  = product(l: tiles[l])

# Where a dimension is no multiple of its part, the last tile begins earlier, so that all have the same form.
let       begins[l] = t[l] == n[l] ? 0 : gcd(t[l], n[l]) # each begins at a multiple of that
let       run     = product(l: c[l] > 1 ? t[l] : 1) # elements of an input run
let       length  = product(l: r[l] > 1 ? t[l] : 1) # and of an output run
let       odd     = align_in < 16 || any(l: n[l] > 1 && (c[l] > 1 ? begins[l] : 1) * i[l] % PIECE) # input runs begin anywhere
const     PER     = gcd(gcd(min(align_out, 4) > sizeof(T) ? min(align_out, 4) / sizeof(T) : 1, length), gcd(l: (r[l] > 1 ? begins[l] : 1) * o[l])) # elements that a lane writes at once
let       inner   = max(l: r[l] > 1 ? behind[l] : 1) # elements of an output run's dimensions that are whole
general   KEEP=any PER=1

# How far from each other neighbours along a dimension are in the tile: what lies between runs is as in the input but for whole copies.
let       apart   = odd ? PIECE - 1 : 0
let       skew    = PER > 1 && t7 % PER == 0 && c7 == 1 && t7 > 1 ? PIECE : 0 # elements by which those of the next word are further on
let       a7      = run + apart + ((i7 - run - apart) % PIECE + PIECE) % PIECE
let       s7      = c7 > 1 ? i7 : PER == 1 && a7 % (2 * PIECE) == 0 ? a7 + PIECE : a7
let       e7      = run + apart + (c7 > 1 ? 0 : (t7 - 1) * s7 + (t7 - 1) / PER * skew)
let       e[b]    = e[b + 1] + (c[b] > 1 || t[b] == 1 ? 0 : (t[b] - 1) * (e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE))
let       s[b]    = c[b] > 1 ? i[b] : t[b] == 1 ? 0 : e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE
let       across  = ceil_div(run + apart, PIECE) # copies of a run
let       rows    = product(l: c[l] == 1 ? t[l] : 1) # input runs of a tile
let       columns = product(l: r[l] == 1 ? t[l] : 1) # output runs
let       words   = length / PER
let       most_wide = ceil_div(words, ceil_div(words, THREADS)) # threads that share a run: in parts of which few are idle
let       half    = ceil_div(most_wide, 2)
let       third   = ceil_div(most_wide, 3)
let       width   = THREADS / third * third > THREADS / half * half + 15 && THREADS / third * third > THREADS / most_wide * most_wide + 15 ? third \
          : THREADS / half * half > THREADS / most_wide * most_wide + 15 ? half : most_wide
let       at_once = THREADS / width    # runs
let       copies  = (e2 + 2 * PIECE - 2) / PIECE # of the whole tile

# A block has several tiles, one after the other along the dimension that is cut most, if there are many.
let       cuts    = max(l: tiles[l])
let       axis[l] = tiles[l] == cuts && all(k > l: tiles[k] < cuts)
let       several = max(1, min(min(cuts, MANY), blocks / (8 * device.sms)))
let       groups[l] = axis[l] ? ceil_div(cuts, several) : tiles[l]
let       table   = 16 * copies * (several > 1 ? 2 : 1) # where the tables are, in bytes
let       shared_bytes = table + 8 * columns + 2 * inner

# Arguments, of two numbers each.
let       shift[l]   = groups[l] == 1 ? 0 : log2(2 * groups[l] - 1)
let       side[l]    = (axis[l] ? 0 : n[l] - t[l]) | groups[l] << 32
let       tiled[l]   = groups[l] == 1 ? 0 : 4294967296 * ((1 << shift[l]) - groups[l]) / groups[l] + 1 | shift[l] << 32
let       step[l]    = n[l] == 1 ? 0 : i[l] | o[l] << 32
let       part[l]    = t[l] | (c[l] > 1 ? 16384 : 0) | (r[l] > 1 ? 32768 : 0) | (t[l] > 1 ? s[l] << 16 | (2147483647 / t[l] + 1) << 32 : 0)
let       reads      = rows * across | across << 32 | run << 48
let       writes     = columns | words << 32
let       shares     = 2147483647 / across + 1 | (2147483647 / width + 1) << 32
let       layout     = table | inner << 20 | (copies | sum(l: r[l] > 1 && behind[l] == inner ? s[l] : 0) << 14) << 32
let       total      = count | skew << 32
let       place      = sum(l: axis[l] ? l : 0) - 2 | width << 3 | at_once << 15 | cuts << 32
let       along      = sum(l: axis[l] ? n[l] - t[l] : 0) | sum(l: axis[l] ? t[l] : 0) << 32
let       strides    = sum(l: axis[l] ? step[l] : 0)

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
scalar    shares i64
scalar    layout i64
scalar    total i64
scalar    place i64
scalar    along i64
scalar    strides i64
arg       out in side2 side3 side4 side5 side6 side7 tiled2 tiled3 tiled4 tiled5 tiled6 tiled7 step2 step3 step4 step5 step6 step7 \
          part2 part3 part4 part5 part6 part7 reads writes shares layout total place along strides

require   all(k: k >= 8 - RANK || n[k] == 1) # others are of a kernel for more
require   count <= 2147483583          # 32-bit places
require   all(l: n[l] == 1 || (i[l] == f[l] && o[l] == behind[l])) # no gaps
require   device.cc >= 80              # asynchronous copies
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: both sides may begin anywhere
require   all(l: t[l] < 16384)         # of 14 bits
require   e2 + PIECE <= 65536 && run < 32768 # places in the tile have 16 bits
require   inner <= THREADS               # a thread for each of the table
require   shared_bytes <= min(device.max_shared_bytes, 115000) # while a block reads, another writes
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x
# The fastest for most problems of an H200; packs may have others, if they are measured.
prefer    COLS == (sizeof(T) == 1 ? 128 : 64) && ROWS == (sizeof(T) == 1 ? 64 : 32)
prefer    TILE <= 16384 && THREADS == 256
prefer    RANK == 6 && n3 > 1 || RANK == 4 && n3 == 1 # as many as there are

grid      product(l: groups[l])
block     THREADS
shared    shared_bytes
default   COLS=64 ROWS=32 TILE=16384 THREADS=256 MANY=1 RANK=6
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int COLS = 64, ROWS = 64, TILE = 32768, THREADS = 256, RANK = 6;
constexpr int PIECE = 4, PER = 1, KEEP = 0;
#include "../common/access.cuh"
#include "../common/async.cuh"
#endif

/*
 * A block moves boxes of the index space, which are whole runs of neighbouring elements on both sides: of the input's fastest
 * dimensions and of the output's. Both runs end with a part of a dimension, or with all of one. The tile has the input's runs
 * as the aligned pieces that cover them, so that a run may begin anywhere; a word of an output run is gathered from it.
 * Where a run is, in memory and in the tile, is the sum of its coordinates, each times a stride: a table has that for the
 * output's, another one where the elements of such a run are, of its dimensions that are whole. All boxes have the same form,
 * so they share the tables: the last one of a dimension begins so early that it is whole, and what two boxes have in common is
 * written twice, the same. While a box is written the next one is on its way.
 */

using Number = unsigned long long; /* two of 32 bits */
using Word   = Vector<PER>;

constexpr int DIMS = 6, BATCH = 4; /* words of a thread on their way at once */

__device__ __forceinline__ unsigned low(Number n)
{
    return (unsigned)n;
}

__device__ __forceinline__ unsigned high(Number n)
{
    return (unsigned)(n >> 32);
}

/* Of the output's dimensions, the fastest last. */
struct Layout {
    Number side[DIMS], tiled[DIMS], step[DIMS], part[DIMS];
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
};

/* A block's boxes: the first element on both sides, but for the dimension along which it has several. No branches: this is
 * what the first load waits for. */
struct Boxes {
    unsigned in = 0, out = 0, first = 0, groups = 1;

    __device__ __forceinline__ Boxes(const Layout &l, unsigned block, int axis)
    {
#pragma unroll
        for (int d = DIMS - 1; d >= DIMS - RANK; d--) {
            const unsigned count = high(l.side[d]), whole = (__umulhi(block, low(l.tiled[d])) + block) >> high(l.tiled[d]);
            const unsigned c = block - whole * count, begin = min(c * l.extent(d), low(l.side[d]));
            block = whole;
            in += begin * low(l.step[d]);
            out += begin * high(l.step[d]);
            first  = d == axis ? c : first;
            groups = d == axis ? count : groups;
        }
    }
};

struct alignas(8) Place {
    unsigned memory, tile; /* from the box's first element on */
};

/* Number k of what a box has along those dimensions that are, or are not, in the runs of a side. */
template <bool output, bool within> __device__ __forceinline__ Place place_of(unsigned k, const Layout &l)
{
    Place place = { 0, 0 };
#pragma unroll
    for (int d = DIMS - 1; d >= DIMS - RANK; d--) {
        const bool     counts = l.extent(d) > 1 && (output ? l.in_output_run(d) : l.in_input_run(d)) == within;
        const unsigned whole = __umulhi(2 * k, counts ? high(l.part[d]) : 0x80000000), at = k - whole * (counts ? l.extent(d) : 1);
        k = whole;
        place.memory += at * (output ? high(l.step[d]) : low(l.step[d]));
        place.tile += at * l.apart(d) + (PER > 1 && d == DIMS - 1 ? at / PER * l.skew : 0);
    }
    return place;
}

/* Starts to read a box, whose first element is the `start`-th of `count` from a multiple of 16 bytes on; returns where that
 * is within its copy. */
__device__ __forceinline__ unsigned read(unsigned char *memory, const T *from, unsigned start, unsigned count, const Layout &l, Number reads, unsigned inverse)
{
    const unsigned phase = start % PIECE, begin = begin_of<KEEP>(memory), across = high(reads) & 0xffff, length = high(reads) >> 16;
    const unsigned char *const bytes = (const unsigned char *)(from + (start - phase));
    const int left = (int)(count - (start - phase)); /* elements of the buffer from there on */

#pragma unroll 2
    for (unsigned k = threadIdx.x; k < low(reads); k += THREADS) {
        const unsigned row = __umulhi(2 * k, inverse), at = (k - row * across) * PIECE;
        const Place    run = place_of<false, false>(row, l);
        const unsigned begins = phase + run.memory, first = begins / PIECE * PIECE + at;
        if (first < begins + length)
            copy_part_async<KEEP, 16>(memory, begin, (int)(((phase + run.tile) / PIECE * PIECE + at) * ES), bytes + (Number)first * ES,
                min(PIECE, left - (int)first) * ES);
    }
    return phase;
}

/* Words of output runs: a thread has one of every so many runs, or some, far apart. */
struct Words {
    unsigned at, row, width, step, across, runs;

    __device__ __forceinline__ Words(Number runs, unsigned by, unsigned inverse)
        : width(by & 0xfff), step(by >> 12), across(high(runs)), runs(low(runs))
    {
        row = __umulhi(2 * threadIdx.x, inverse);
        at  = row < step ? threadIdx.x - row * width : across; /* else none */
    }
};

template <int batch>
__device__ __forceinline__ void write_some(T *to, const T *tile, const unsigned (&place)[PER], const Place *run, unsigned step)
{
    Word     word[batch];
    unsigned at[batch];
#pragma unroll
    for (int j = 0; j < batch; j++) {
        const Place p = run[j * step];
        at[j] = p.memory;
#pragma unroll
        for (int e = 0; e < PER; e++)
            word[j].element[e] = tile[p.tile + place[e]];
    }
#pragma unroll
    for (int j = 0; j < batch; j++)
        *(Word::Bits *)(to + at[j]) = word[j].bits;
}

/* Where the tile has the elements of an output run: a table has those of its dimensions that are whole. */
struct Run {
    const unsigned short *elements;
    unsigned count, inverse, apart, skew;

    __device__ __forceinline__ Run(const unsigned short *elements, unsigned count, unsigned apart, unsigned skew)
        : elements(elements), count(count), inverse(0x7fffffff / count + 1), apart(apart), skew(count == 1 ? skew : 0)
    {
    }

    __device__ __forceinline__ unsigned place(unsigned i) const
    {
        const unsigned whole = __umulhi(2 * i, inverse);
        return elements[i - whole * count] + whole * apart + (PER > 1 ? whole / PER * skew : 0);
    }
};

__device__ __forceinline__ void write(T *out, const T *tile, const Place *places, const Run &run, const Words &words)
{
#pragma unroll 1
    for (unsigned i = words.at; i < words.across; i += words.width) {
        unsigned place[PER], row = words.row;
#pragma unroll
        for (int e = 0; e < PER; e++)
            place[e] = run.place(i * PER + e);
#pragma unroll 1
        for (; row + (BATCH - 1) * words.step < words.runs; row += BATCH * words.step)
            write_some<BATCH>(out + i * PER, tile, place, places + row, words.step);
#pragma unroll 1
        for (; row < words.runs; row += words.step)
            write_some<1>(out + i * PER, tile, place, places + row, 0);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
permute_runs(T *__restrict__ out, const T *__restrict__ in, Number side2, Number side3, Number side4, Number side5, Number side6, Number side7, Number tiled2, Number tiled3, Number tiled4,
    Number tiled5, Number tiled6, Number tiled7, Number step2, Number step3, Number step4, Number step5, Number step6, Number step7,
    Number part2, Number part3, Number part4, Number part5, Number part6, Number part7, Number reads, Number writes, Number shares,
    Number layout, Number total, Number place, Number along, Number strides)
{
    extern __shared__ uint4 shared_memory[];
    unsigned char *memory = (unsigned char *)shared_memory;
    const Layout l = { { side2, side3, side4, side5, side6, side7 },
                       { tiled2, tiled3, tiled4, tiled5, tiled6, tiled7 },
                       { step2, step3, step4, step5, step6, step7 },
                       { part2, part3, part4, part5, part6, part7 },
                       high(total) };
    const Boxes boxes(l, blockIdx.x, (int)(low(place) & 7));
    const Words words(writes, low(place) >> 3, high(shares));
    const unsigned base = (unsigned)(bytes_behind<16>(in) / ES); /* a buffer that does not begin aligned is the rest of one that does */
    unsigned box = boxes.first, begin = min(box * high(along), low(along));
    unsigned phase = read(memory, in - base, base + boxes.in + begin * low(strides), base + low(total), l, reads, low(shares));
    end_of_set();
    Place *const columns = (Place *)(memory + (low(layout) & 0xfffff)); /* while the copies are on their way */
    unsigned short *const elements = (unsigned short *)(columns + words.runs);
    for (unsigned k = threadIdx.x; k < words.runs; k += THREADS)
        columns[k] = place_of<true, false>(k, l);
    const Run run(elements, low(layout) >> 20, high(layout) >> 14, l.skew);
    if (threadIdx.x < run.count)
        elements[threadIdx.x] = (unsigned short)place_of<true, true>(threadIdx.x, l).tile;
    for (;;) {
        const T *const tile = (const T *)memory + phase;
        T *const to = out + (boxes.out + begin * high(strides));
        box += boxes.groups;
        if (box < high(place)) {
            memory = (unsigned char *)shared_memory + (memory == (unsigned char *)shared_memory ? (high(layout) & 0x3fff) * 16 : 0);
            begin = min(box * high(along), low(along));
            phase = read(memory, in - base, base + boxes.in + begin * low(strides), base + low(total), l, reads, low(shares));
        }
        end_of_set();
        wait_for_sets<1>();
        __syncthreads();
        write(to, tile, columns, run, words);
        if (box >= high(place))
            break;
        __syncthreads();
    }
}
