/*!autotune
template  runs                         # packs: runs of both sides through shared memory, whatever the order; extents and strides are arguments
use       access async
replaces  tile words                   # in packs: with extents and strides as constants those are faster

param     WORD    = 4 8 16             # bytes that a lane writes at once: an element, or some narrow ones
param     TILE    = 16384 8192         # bytes that a block moves, if there are blocks enough
param     LANES   = 512 128            # bytes of an output run that are written at once, at least
general   TILE=any LANES=any

fixed     0                            # extents and strides are arguments
each      l = 2..7
each      b = 6..2                     # all but the output's fastest, from that on
const     PIECE   = 16 / sizeof(T)     # elements of a copy
const     PER     = WORD / sizeof(T)     # elements of a word

# Elements of a box, and of its output runs: long ones, but a square where boxes are small.
let       behind[l] = product(k > l: n[k])
let       room    = max(1024, min(TILE, count * sizeof(T) / (3 * device.sms))) / sizeof(T)
let       goal    = min(256 / sizeof(T), 1 << (log2(room) + 1) / 2)
# So much of each dimension is in a box: the three that are fast in the output (r), then as much of those that are fast in the input (c) as there is room for.
let       r[l]    = l > 4 ? n[l] * behind[l] <= 3 * goal / 2 ? n[l] : max(1, goal / behind[l]) : 1
let       fast[l] = n[l] > 1 && sum(k > 1: r[k] == 1 && n[k] > 1 && i[k] < i[l]) < 3
let       volume[l] = product(k > 1: max(r[k], fast[k] ? min(n[k], max(1, (2 << 2 * l) / sizeof(T) / f[k])) : 1))
let       half    = (2 << 2 * max(l: volume[l] <= room ? l : 2)) / sizeof(T)
let       cols    = product(l: max(r[l], fast[l] ? min(n[l], max(1, 2 * half / f[l])) : 1)) <= room ? 2 * half : half
let       c[l]    = fast[l] ? min(n[l], max(1, cols / f[l])) : 1
let       most[l] = max(c[l], r[l])
let       even[l] = most[l] == n[l] ? 1 : gcd(n[l], 128 / sizeof(T)) # whole lines or copies, where those fit
let       grain[l] = most[l] >= 2 * even[l] ? even[l] : most[l] >= min(even[l], PIECE) ? min(even[l], PIECE) : 1
let       t[l]    = most[l] == n[l] ? n[l] : min(n[l], ceil_div(ceil_div(n[l], ceil_div(n[l], most[l])), grain[l]) * grain[l])
let       boxes[l] = ceil_div(n[l], t[l])
let       blocks  = product(l: boxes[l])

# Where a dimension is no multiple of its part, the last box begins earlier, so that all have the same form.
let       begins[l] = t[l] == n[l] ? 0 : gcd(t[l], n[l]) # each begins at a multiple of that
let       run     = product(l: c[l] > 1 ? t[l] : 1) # elements of an input run
let       length  = product(l: r[l] > 1 ? t[l] : 1) # and of an output run
let       odd     = align_in < 16 || any(l: n[l] > 1 && (c[l] > 1 ? begins[l] : 1) * i[l] % PIECE) # input runs begin anywhere

# How far from each other neighbours along a dimension are in the tile: what lies between runs is as in the input but for whole copies.
let       apart   = odd ? PIECE - 1 : 0
let       skew    = PER > 1 && c7 == 1 && t7 > 1 ? PIECE : 0 # elements by which those of the next word are further on
let       s7      = c7 > 1 ? i7 : run + apart + ((i7 - run - apart) % PIECE + PIECE) % PIECE | (skew ? 0 : PIECE) # an odd number of copies, for other banks
let       e7      = run + apart + (c7 > 1 ? 0 : (t7 - 1) * s7 + (t7 - 1) / PER * skew)
let       e[b]    = e[b + 1] + (c[b] > 1 || t[b] == 1 ? 0 : (t[b] - 1) * (e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE | PIECE))
let       s[b]    = c[b] > 1 ? i[b] : t[b] == 1 ? 0 : e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE | PIECE
let       across  = ceil_div(run + apart, PIECE) # copies of a run
let       rows    = product(l: c[l] == 1 ? t[l] : 1) # input runs of a box
let       columns = product(l: r[l] == 1 ? t[l] : 1) # output runs
let       mixed   = sizeof(T) >= 4 && c7 > 1 && i7 * sizeof(T) % 32 == 0 # copies change places within whole lines of 128 bytes, for other banks
let       copies  = mixed ? ceil_div(e2 + 2 * PIECE - 2, 8 * PIECE) * 8 : (e2 + 2 * PIECE - 2) / PIECE # of the whole tile
let       threads = rows * across >= 512 ? 256 : rows * across >= 256 ? 128 : 64

# An output run is one line or several, of whole words and whole inner dimensions: the last one ends with the run.
let       ragged  = align_out < WORD || length % PER > 0 || any(l: n[l] > 1 && (r[l] > 1 ? begins[l] : 1) * o[l] % PER) # words begin and end anywhere
let       inner   = max(l: r[l] > 1 ? behind[l] : 1) # elements of the run's dimensions that are whole
let       least   = inner * PER / gcd(inner, PER)
let       usual   = length <= 384 ? length : min(length, least * max(1, 256 / least))
let       line    = length % usual > 0 && length % usual < PER - 1 ? usual - least : usual
let       parts   = ceil_div(length, line)
let       lines   = columns * parts
let       words   = ceil_div(line, PER)
# So many lanes write neighbouring words of a line, or twice as many, if fewer of them are idle then.
let       lanes   = max(LANES / WORD, ceil_div(threads, lines))
let       whole   = ragged ? PER : 1   # words of so many lines begin at different elements
let       narrow  = ceil_div(words, ceil_div(words, min(threads, lanes)))
let       wide    = ceil_div(words, ceil_div(words, min(threads, 2 * lanes)))
let       few     = threads / wide < whole ? threads / wide : threads / wide / whole * whole # lines at once
let       many    = threads / narrow < whole ? threads / narrow : threads / narrow / whole * whole
let       width   = ceil_div(lines, few) * ceil_div(words, wide) < ceil_div(lines, many) * ceil_div(words, narrow) ? wide : narrow
let       at_once = width == wide ? few : many
let       shared_bytes = 16 * copies + 8 * lines + 2 * (line + 2 * PER)

# Dimensions of more than one box; those that are not in an input run, and not in an output run; those of an output run.
let       cut[l]  = boxes[l] > 1 ? sum(k > l: boxes[k] > 1) : 9
let       row[l]  = c[l] == 1 && t[l] > 1 ? sum(k > l: c[k] == 1 && t[k] > 1) : 9
let       col[l]  = r[l] == 1 && t[l] > 1 ? sum(k > 1: r[k] == 1 && t[k] > 1 && i[k] < i[l]) : 9
let       el[l]   = r[l] > 1 ? sum(k > l: r[k] > 1) : 9
let       quotient[l] = boxes[l] * product(k > l: boxes[k]) # which block divided by that is the number of the next
let       shift[l] = log2(2 * quotient[l] - 1)
let       inverse[l] = quotient[l] == 1 ? 0 : 4294967296 * ((1 << shift[l]) - quotient[l]) / quotient[l] + 1

# Arguments, of two numbers each and more.
let       side[b]   = sum(k > 1: cut[k] == b - 2 ? boxes[k] | (n[k] - t[k]) << 32 : 0)
let       divide[b] = sum(k > 1: cut[k] == b - 2 ? inverse[k] | (shift[k] | t[k] << 8) << 32 : 0)
let       step[b]   = sum(k > 1: cut[k] == b - 2 ? i[k] | o[k] << 32 : 0)
let       row_[b]   = sum(k > 1: row[k] == b - 2 ? t[k] | s[k] << 16 | (2147483647 / t[k] + 1) << 32 : 0)
let       col_[b]   = sum(k > 1: col[k] == b - 2 ? t[k] | s[k] << 16 | (2147483647 / t[k] + 1) << 32 : 0)
let       el_[b]    = sum(k > 1: el[k] == b - 2 ? t[k] | s[k] << 16 | (2147483647 / t[k] + 1) << 32 : 0)
let       from[b]   = sum(k > 1: row[k] == b - 2 ? i[k] : 0)
let       to[b]     = sum(k > 1: col[k] == b - 2 ? o[k] : 0)
let       from01    = from2 | from3 << 32
let       from_all  = 2147483647 / across + 1 | count << 32
let       to01      = to2 | to3 << 32
let       to_all    = 2147483647 / columns + 1 | to4 << 32
let       reads     = rows * across | at_once << 16 | (across | run << 16) << 32
let       shares    = 2147483647 / width + 1 | from4 << 32
let       writes    = columns | parts << 16 | (line | length << 16) << 32
let       counts    = sum(l: cut[l] < 9) | sum(l: row[l] < 9) << 3 | sum(l: col[l] < 9) << 5 | sum(l: el[l] < 9) << 7 | ragged << 9 | mixed << 10
let       layout    = copies | skew << 13 | counts << 18 | width << 32

scalar    side2 i64
scalar    side3 i64
scalar    side4 i64
scalar    side5 i64
scalar    side6 i64
scalar    divide2 i64
scalar    divide3 i64
scalar    divide4 i64
scalar    divide5 i64
scalar    divide6 i64
scalar    step2 i64
scalar    step3 i64
scalar    step4 i64
scalar    step5 i64
scalar    step6 i64
scalar    row_2 i64
scalar    row_3 i64
scalar    row_4 i64
scalar    col_2 i64
scalar    col_3 i64
scalar    col_4 i64
scalar    el_2 i64
scalar    el_3 i64
scalar    el_4 i64
scalar    from01 i64
scalar    from_all i64
scalar    to01 i64
scalar    to_all i64
scalar    reads i64
scalar    shares i64
scalar    writes i64
scalar    layout i64
arg       out in side2 side3 side4 side5 side6 divide2 divide3 divide4 divide5 divide6 step2 step3 step4 step5 step6 \
          row_2 row_3 row_4 col_2 col_3 col_4 el_2 el_3 el_4 from01 from_all to01 to_all reads shares writes layout

require   n0 == 1 && n1 == 1           # others are of gather
require   WORD == max(4, sizeof(T)) || (WORD == 8 && sizeof(T) < 4) # wider ones lose
require   count <= 2147483583          # 32-bit places
require   all(l: n[l] == 1 || (i[l] == f[l] && o[l] == behind[l])) # no gaps
require   device.cc >= 80              # asynchronous copies
require   align_in >= sizeof(T) && align_out >= sizeof(T) # always: both sides may begin anywhere
require   sum(l: boxes[l] > 1) <= 5    # as many as there are arguments
require   all(l: t[l] < 16384)         # of 14 bits
require   e2 + PIECE <= 65536 && run < 32768 && length < 32768 && lines < 32768 # of 15 and 16
require   length % line == 0 || length % line >= PER - 1 # the last word of a line is of the same run
require   shared_bytes <= min(device.max_shared_bytes, 115000) # while a block reads, another writes
require   256 <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     threads
shared    shared_bytes
default   WORD=8 TILE=16384 LANES=512
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int PIECE = 4, PER = 1, WORD = 4;
#include "../common/access.cuh"
#include "../common/async.cuh"
#endif

/*
 * A block moves a box of the index space, which is whole runs of neighbouring elements on both sides: of the input's fastest
 * dimensions and of the output's. Both runs end with a part of a dimension, or with all of one. The tile has the input's runs
 * as the aligned pieces that cover them, so that a run may begin anywhere. Output runs are written as aligned words, whose
 * elements are gathered from the tile; their ends element by element.
 *
 * Where a run is, in memory and in the tile, is the sum of its coordinates, each times a stride: a table has that for the
 * output's, in the input's order, so that neighbouring lines are neighbours in the tile, too. Another table has where the
 * elements of a line are; a lane keeps those of its word while it goes from line to line, as long as words of these begin
 * at the same element. All boxes have the same form: the last one of a dimension begins so early that it is whole, and what
 * two boxes have in common is written twice, the same.
 */

using Number = unsigned long long; /* two of 32 bits */
using Word   = Vector<PER>;

constexpr int BATCH = 4; /* words of a thread on their way at once */
constexpr unsigned FIRST = 1u << 30, LAST = 1u << 31, PLACE = 0xffff; /* lines of their run */

__device__ __forceinline__ unsigned low(Number n)
{
    return (unsigned)n;
}

__device__ __forceinline__ unsigned high(Number n)
{
    return (unsigned)(n >> 32);
}

struct alignas(8) Place {
    unsigned memory, tile; /* from the box's first element on */
};

/* Up to three dimensions of a box, the fastest first. */
struct Dims {
    Number   part[3];   /* extent, stride in the tile, what divides by the extent */
    unsigned stride[3]; /* in memory */
    unsigned count;

    /* Of the k-th element of these. `skew`: where it is in the tile for each PER neighbours of the first dimension. */
    __device__ __forceinline__ Place at(unsigned k, unsigned skew) const
    {
        Place place = { 0, 0 };
#pragma unroll
        for (int d = 0; d < 3; d++)
            if (d < count) {
                const unsigned whole = __umulhi(2 * k, high(part[d])), c = k - whole * (low(part[d]) & 0xffff);
                place.memory += c * stride[d];
                place.tile += c * (low(part[d]) >> 16) + (d == 0 && PER > 1 ? c / PER * skew : 0);
                k = whole;
            }
        return place;
    }
};

/* A block's box: its first element on both sides. No division waits for another: this is what the first load waits for. */
struct Box {
    unsigned in = 0, out = 0;

    __device__ __forceinline__ Box(const Number (&side)[5], const Number (&divide)[5], const Number (&step)[5], unsigned count)
    {
        unsigned rest = blockIdx.x;
#pragma unroll
        for (int d = 0; d < 5; d++)
            if (d < count) {
                const unsigned whole = (__umulhi(blockIdx.x, low(divide[d])) + blockIdx.x) >> (high(divide[d]) & 0xff);
                const unsigned begin = min((rest - whole * low(side[d])) * (high(divide[d]) >> 8), high(side[d]));
                in += begin * low(step[d]);
                out += begin * high(step[d]);
                rest = whole;
            }
    }
};

/* Where the tile keeps this byte of it: where the elements of a word are whole lines apart, in other banks for neighbouring
 * lines. */
__device__ __forceinline__ unsigned kept_at(unsigned byte, unsigned mixed)
{
    return ES < 4 ? byte : byte ^ ((byte >> 3 ^ byte >> 6) & mixed);
}

/* Starts to read a box, whose first element is the `start`-th of `count` from a multiple of 16 bytes on; returns where that
 * is within its copy. */
__device__ __forceinline__ unsigned read(unsigned char *memory, const T *from, unsigned start, unsigned count, const Dims &rows, unsigned skew, Number reads,
    unsigned inverse, unsigned mixed)
{
    const unsigned phase = start % PIECE, begin = begin_of<false>(memory), across = high(reads) & 0xffff, length = high(reads) >> 16;
    const unsigned char *const bytes = (const unsigned char *)(from + (start - phase));
    const int left = (int)(count - (start - phase)); /* elements of the buffer from there on */

#pragma unroll 1
    for (unsigned k = threadIdx.x; k < (low(reads) & 0xffff); k += blockDim.x) {
        const unsigned row = __umulhi(2 * k, inverse), at = (k - row * across) * PIECE;
        const Place    run = rows.at(row, skew);
        const unsigned begins = phase + run.memory, first = begins / PIECE * PIECE + at;
        if (first < begins + length)
            copy_part_async<false, 16>(memory, begin, (int)kept_at(((phase + run.tile) / PIECE * PIECE + at) * ES, mixed), bytes + (Number)first * ES,
                min(PIECE, left - (int)first) * ES);
    }
    return phase;
}

/* The lines of a box. */
struct Lines {
    const Place          *places;
    const unsigned short *elements; /* of a line, in the tile */
    unsigned count, length, width, step; /* lanes that share a line, lines at once */
    T       *to;
    const unsigned char *tile;
    unsigned mixed;

    __device__ __forceinline__ T at(unsigned place) const
    {
        return *(const T *)(tile + kept_at(place * ES, mixed));
    }

    /* Which element of the line the first whole word begins with. */
    __device__ __forceinline__ static unsigned first_of(const Place &p)
    {
        return (0 - p.memory) % PER;
    }

    /* Words number `word` of so many lines. `place`: of its elements, if it begins with the `held`-th of a line. */
    template <int batch> __device__ __forceinline__ void write(unsigned word, unsigned line, unsigned (&place)[PER], unsigned &held) const
    {
        Word  words[batch];
        Place p[batch];
#pragma unroll
        for (int j = 0; j < batch; j++)
            p[j] = places[line + j * step];
#pragma unroll
        for (int j = 0; j < batch; j++) {
            const unsigned first = word * PER + first_of(p[j]);
            if (first != held) {
                held = first;
#pragma unroll
                for (int e = 0; e < PER; e++)
                    place[e] = elements[first + e];
            }
            if (PER == 1 || !(p[j].tile & LAST) || first + PER <= length)
#pragma unroll
                for (int e = 0; e < PER; e++)
                    words[j].element[e] = at((p[j].tile & PLACE) + place[e]);
        }
#pragma unroll
        for (int j = 0; j < batch; j++) {
            const unsigned first = word * PER + first_of(p[j]);
            if (PER == 1 || !(p[j].tile & LAST) || first + PER <= length)
                *(Word::Bits *)(to + p[j].memory + first) = words[j].bits;
        }
    }

    __device__ __forceinline__ void write_words(unsigned inverse) const
    {
        const unsigned first = __umulhi(2 * threadIdx.x, inverse);
        unsigned place[PER], word = threadIdx.x - first * width;
        if (first >= step)
            return;
#pragma unroll 1
        for (; word * PER < length; word += width) {
            unsigned line = first, held = ~0u;
#pragma unroll 1
            for (; line + (BATCH - 1) * step < count; line += BATCH * step)
                write<BATCH>(word, line, place, held);
#pragma unroll 1
            for (; line < count; line += step)
                write<1>(word, line, place, held);
        }
    }

    /* What is in no whole word at both ends of each run. */
    __device__ __forceinline__ void write_ends() const
    {
#pragma unroll 1
        for (unsigned k = threadIdx.x; k < count * (2 * PER); k += blockDim.x) {
            const Place    p = places[k / (2 * PER)];
            const unsigned at = k % PER, head = p.tile & FIRST ? first_of(p) : 0, tail = p.tile & LAST ? (p.memory + length) % PER : 0;
            const unsigned e = k / PER % 2 ? length - 1 - at : at;
            if (at < (k / PER % 2 ? tail : head) && e < length)
                to[p.memory + e] = this->at((p.tile & PLACE) + elements[e]);
        }
    }
};

extern "C" __global__ void __launch_bounds__(256)
permute_runs(T *__restrict__ out, const T *__restrict__ in, Number side2, Number side3, Number side4, Number side5, Number side6, Number
    divide2, Number divide3, Number divide4, Number divide5, Number divide6, Number step2, Number step3, Number step4, Number step5, Number
    step6, Number row_2, Number row_3, Number row_4, Number col_2, Number col_3, Number col_4, Number el_2, Number el_3, Number el_4, Number
    from01, Number from_all, Number to01, Number to_all, Number reads, Number shares, Number writes, Number layout)
{
    extern __shared__ uint4 shared_memory[];
    unsigned char *const memory = (unsigned char *)shared_memory;
    const unsigned counts = low(layout) >> 18, skew = low(layout) >> 13 & 31, mixed = counts & 1024 ? 0x70 : 0;
    const Dims rows    = { { row_2, row_3, row_4 }, { low(from01), high(from01), high(shares) }, counts >> 3 & 3 };
    const Dims columns = { { col_2, col_3, col_4 }, { low(to01), high(to01), high(to_all) }, counts >> 5 & 3 };
    const Dims within  = { { el_2, el_3, el_4 }, { 0, 0, 0 }, counts >> 7 & 3 };
    const Box  box({ side2, side3, side4, side5, side6 }, { divide2, divide3, divide4, divide5, divide6 }, { step2, step3, step4, step5, step6 }, counts & 7);

    const unsigned base = (unsigned)(bytes_behind<16>(in) / ES); /* a buffer that does not begin aligned is the rest of one that does */
    const unsigned phase = read(memory, in - base, base + box.in, base + high(from_all), rows, skew, reads, low(from_all), mixed);
    end_of_set();

    /* While the copies are on their way. */
    const unsigned runs = low(writes) & 0xffff, parts = low(writes) >> 16, line = high(writes) & 0xffff, length = high(writes) >> 16;
    const unsigned behind = PER > 1 ? (unsigned)(bytes_behind<WORD>(out + box.out) / ES) : 0; /* so many elements after a word's first */
    Place *const places = (Place *)(memory + (low(layout) & 0x1fff) * 16);
    unsigned short *const elements = (unsigned short *)(places + runs * parts);
    for (unsigned k = threadIdx.x; k < runs * parts; k += blockDim.x) {
        const unsigned part = __umulhi(2 * k, low(to_all)), begin = min(part * line, length - line);
        const Place    run = columns.at(k - part * runs, 0);
        places[k] = { behind + run.memory + begin, phase + run.tile + within.at(begin, skew).tile | (part == 0 ? FIRST : 0) | (part == parts - 1 ? LAST : 0) };
    }
    for (unsigned k = threadIdx.x; k < line + 2 * PER; k += blockDim.x)
        elements[k] = (unsigned short)(k < length ? within.at(k, skew).tile : 0);

    wait_for_sets<0>();
    __syncthreads();
    const Lines lines = { places, elements, runs * parts, line, high(layout), low(reads) >> 16, out + box.out - behind, memory, mixed };
    lines.write_words(low(shares));
    if (PER > 1 && counts >> 9 & 1)
        lines.write_ends();
}
