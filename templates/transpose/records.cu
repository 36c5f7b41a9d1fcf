/*!autotune
template  records                      # one side of at most 64: each lane turns a few records (AoS to SoA) in registers, or back
use       access index turn

param     THREADS = 64 128 256         # threads a block
param     WIDTH   = 4 8 16             # bytes of a long row that a lane holds

const     NARROW  = min(rows, cols)    # elements in a record
const     TALL    = cols <= rows       # records are the input's rows; else the output's
let       length  = max(rows, cols)    # records
const     PER     = WIDTH / sizeof(T)  # records of a lane
const     PIECE   = min(16, TALL ? align_in : align_out) # bytes of an access to records
const     ANY_ROW = (TALL ? align_out : align_in) < WIDTH # long rows begin anywhere in the buffer ...
const     SHIFT   = ANY_ROW || length % PER != 0 # ... or in the first of them
const     HALO    = SHIFT ? 16 / WIDTH : 0 # lanes of a warp that only help their neighbours
let       groups  = ceil_div(length, PER) + (TALL && SHIFT)
let       blocks  = ceil_div(groups, (32 - HALO) * (THREADS / 32)) * batch
let       lane_bytes = NARROW * WIDTH
const     DENSE   = lane_bytes % 16 != 0
const     STRIDE  = DENSE ? lane_bytes : lane_bytes / 16 % 2 == 0 ? lane_bytes + 16 : lane_bytes # of lanes in the tile: odd, so that they meet all banks
let       shared_bytes = THREADS * STRIDE
const     BATCHED = batch > 1
const     WIDE    = (NARROW + 1) * length > 2147480000 # 64-bit offsets inside a matrix
general   BATCHED=1 WIDE=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   ld_in == cols && ld_out == rows # rows follow each other without gaps
require   NARROW <= 64                 # tiles do better when both sides are long
require   WIDTH >= sizeof(T)           # a lane holds whole elements
require   WIDTH == 16 || !TALL         # narrower writes waste cache lines
require   TALL || length >= PER        # no more than one long row ends in an incomplete piece of the buffer
require   lane_bytes <= 256            # 64 registers hold them
require   WIDTH == 16 || 2 * lane_bytes > 256 || NARROW < 4 # wider is better
require   batch == 1 || length * NARROW * sizeof(T) % 16 == 0 # every matrix must begin aligned
require   shared_bytes <= min(device.max_shared_bytes, 73728)
require   THREADS <= device.max_threads_per_block
require   blocks <= device.max_grid_x

grid      blocks
block     THREADS
shared    shared_bytes
default   THREADS=128 WIDTH=16
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
#define AUTOTUNE_ARG(name) name
constexpr int THREADS = 128, WIDTH = 16, NARROW = 3, TALL = 1, PER = 16, PIECE = 16, ANY_ROW = 1, SHIFT = 1, HALO = 1, DENSE = 0, STRIDE = 48, BATCHED = 0, WIDE = 0;
#include "../common/access.cuh"
#include "../common/index.cuh"
#include "../common/turn.cuh"
#endif

/*
 * A warp moves the records of 32 lanes: contiguous memory on one side, WIDTH bytes a lane of every long row on the other.
 * Lanes exchange the former through shared memory, each lane turns its own records in registers. With records of three
 * elements, four of them a lane:
 *
 *     records    a0 b0 c0 a1 b1 c1 a2 b2 c2 a3 b3 c3   a4 b4 c4 a5 b5 c5 ...
 *                lane 0                                lane 1
 *     turned     a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3                          in lane 0's registers
 *     long rows  row a: |a0 a1 a2 a3|a4 a5 a6 a7|   row b: .|b0 b1 b2|b3 b4 b5 b6|b7
 *                        lane 0      lane 1                  before   lane 0
 *
 * A long row that does not begin aligned, as row b, is still read or written in aligned pieces: such a piece holds the end
 * of one lane's records and the beginning of the next one's, which they pass on by a shuffle (b4 b5 b6 are lane 1's). What
 * no lane can complete is left to the next warp: it begins HALO lanes earlier. Long rows in a buffer that does not begin
 * aligned are the rest of such that do; records there are moved in narrower pieces.
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr int WORDS  = WIDTH / 4;               /* of a lane in a long row          */
constexpr int UNIT   = 16 / ES;                 /* elements in 16 bytes             */
constexpr int LANES  = 32 - HALO;               /* whose records the warp completes */
constexpr int FLAT   = DENSE ? WIDTH : 16;      /* bytes of a lane's access to its records in the tile */
constexpr int PIECES = 32 * NARROW * WIDTH / 16; /* of 16 bytes, in the warp's records */
constexpr int TURNS  = (PIECES + 31) / 32;
constexpr int LOG    = PER == 1 ? 0 : PER == 2 ? 1 : PER == 4 ? 2 : PER == 8 ? 3 : 4;

using Run = Access<WIDTH>::type; /* a lane's part of a long row */

/* Where the tile keeps a piece of the warp's records. */
__device__ __forceinline__ int place(int piece)
{
    return DENSE || STRIDE == NARROW * WIDTH ? piece : piece + piece / (NARROW * WIDTH / 16);
}

/* Turns a matrix of packed elements: out[c][r] = in[r][c]. All places are known to the compiler. */
template <int R, int C, int count> __device__ __forceinline__ void turn(unsigned (&out)[count], const unsigned (&in)[count])
{
#pragma unroll
    for (int w = 0; w < count; w++) {
        int at[PACK];
#pragma unroll
        for (int i = 0; i < PACK; i++) {
            const int e = w * PACK / PARTS + i;
            at[i] = e % R * C + e / R;
        }
        out[w] = gathered(in, at, w % PARTS);
    }
}

/* The words that begin some bytes further on in a long row: the lane's own, then those of the lane above. */
__device__ __forceinline__ void shift(unsigned (&word)[WORDS], unsigned bytes)
{
    unsigned w[2 * WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        w[i]         = word[i];
        w[i + WORDS] = ES < 4 || i < WORDS - PARTS ? __shfl_down_sync(0xffffffffu, word[i], 1) : 0;
    }
#pragma unroll
    for (int step = WORDS / 2; step * 4 >= ES && step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < WORDS + step; i++)
            w[i] = bytes & 4 * step ? w[i + step] : w[i];
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        word[i] = ES < 4 ? __funnelshift_r(w[i], w[i + 1], bytes * 8 % 32) : w[i];
}

template <class Bits> __device__ __forceinline__ void unpack(unsigned *word, const Bits &bits)
{
    union {
        Bits     bits;
        unsigned word[sizeof(Bits) / 4];
    } both;
    both.bits = bits;
#pragma unroll
    for (int i = 0; i < (int)sizeof(Bits) / 4; i++)
        word[i] = both.word[i];
}

template <class Bits> __device__ __forceinline__ Bits pack(const unsigned *word)
{
    union {
        Bits     bits;
        unsigned word[sizeof(Bits) / 4];
    } both;
#pragma unroll
    for (int i = 0; i < (int)sizeof(Bits) / 4; i++)
        both.word[i] = word[i];
    return both.bits;
}

/* Where a warp stands in one matrix. */
struct Place {
    long long matrix;  /* its first element                               */
    long long count;   /* elements of the whole buffer                    */
    Index     length;  /* records of the matrix                           */
    Index     group;   /* of the warp's first lane: groups of PER records */
    uint4    *tile;    /* of this warp                                    */
    int       lane;
};

/* A lane's records, in the tile. */
using Slot = Access<FLAT>::type;
__device__ __forceinline__ Slot *slot(const Place &p)
{
    return (Slot *)p.tile + p.lane * (STRIDE / FLAT);
}

/* Narrow pieces of the records, in the tile. */
using Part = Access<PIECE>::type;
constexpr int PART = PIECE / ES; /* elements in one */
__device__ __forceinline__ Part *part_of(const Place &p, int i)
{
    return (Part *)(p.tile + place(i * PIECE / 16)) + i % (16 / PIECE);
}

__device__ __forceinline__ T *element_of(const Place &p, int i)
{
    return (T *)(p.tile + place(i / UNIT)) + i % UNIT;
}

__device__ __forceinline__ void read_parts(const Place &p, const T *in)
{
    const long long first = p.matrix + (long long)p.group * (NARROW * PER), whole = p.count / PART;

#pragma unroll 8
    for (int i = p.lane; i < 32 * NARROW * PER / PART; i += 32) {
        const long long at = first / PART + i;
        if (at >= p.matrix / PART && at < whole)
            *part_of(p, i) = ((const Part *)in)[at];
    }
    const long long rest = whole * PART + p.lane;
    if (rest < p.count && rest >= first && rest < first + 32 * NARROW * PER)
        *element_of(p, (int)(rest - first)) = in[rest];
    __syncwarp();
}

__device__ __forceinline__ void write_parts(const Place &p, T *out)
{
    const long long first = (long long)p.group * (NARROW * PER), left = p.length * (long long)NARROW - first;
    const int here = (int)(left < LANES * NARROW * PER ? left : LANES * NARROW * PER), rest = here / PART * PART + p.lane;
    T *const to = out + p.matrix + first;

    __syncwarp();
#pragma unroll 8
    for (int i = p.lane; i < here / PART; i += 32)
        ((Part *)to)[i] = *part_of(p, i);
    if (rest < here)
        to[rest] = *element_of(p, rest);
}

/* Between memory and the tile: the warp's records. */
__device__ __forceinline__ void read_records(const Place &p, const T *in)
{
    if (PIECE < 16) {
        read_parts(p, in);
        return;
    }
    const long long first = p.matrix / UNIT + (long long)p.group * (NARROW * WIDTH) / 16; /* whole: 16 bytes divide a warp's step */
    const long long whole = p.count / UNIT;
    uint4 part[TURNS];

#pragma unroll
    for (int i = 0; i < TURNS; i++) {
        const long long at = first + (i * 32 + p.lane);
        if (at >= p.matrix / UNIT && at < whole && (PIECES % 32 == 0 || i * 32 + p.lane < PIECES))
            part[i] = ((const uint4 *)in)[at];
    }
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        if (PIECES % 32 == 0 || i * 32 + p.lane < PIECES)
            p.tile[place(i * 32 + p.lane)] = part[i];
    __syncwarp();
    if (whole >= first && whole < first + PIECES && whole * UNIT + p.lane < p.count)
        ((T *)(p.tile + place((int)(whole - first))))[p.lane] = in[whole * UNIT + p.lane];
    __syncwarp();
}

__device__ __forceinline__ void write_records(const Place &p, T *out)
{
    if (PIECE < 16) {
        write_parts(p, out);
        return;
    }
    const Index first = (Index)((long long)p.group * (NARROW * WIDTH) / 16), whole = p.length * NARROW / UNIT;
    uint4 *const to = (uint4 *)(out + p.matrix) + first;
    const int here  = (int)(whole - first < LANES * NARROW * WIDTH / 16 ? whole - first : LANES * NARROW * WIDTH / 16);

    __syncwarp();
#pragma unroll
    for (int i = 0; i < TURNS; i++)
        if (i * 32 + p.lane < here)
            to[i * 32 + p.lane] = p.tile[place(i * 32 + p.lane)];
    if (here >= 0 && here < LANES * NARROW * WIDTH / 16 && whole * UNIT + p.lane < p.length * NARROW)
        ((T *)(to + here))[p.lane] = ((const T *)(p.tile + place(here)))[p.lane];
}

/* Between memory and the lanes: a long row each time. */
__device__ __forceinline__ void write_rows(const Place &p, T *out, unsigned (&word)[NARROW * WORDS])
{
    const int base = ANY_ROW ? (int)elements_behind<WIDTH>(out) : 0;

#pragma unroll
    for (int c = 0; c < NARROW; c++) {
        const Index    start = c * p.length;
        const unsigned phase = SHIFT ? (unsigned)(-start - base) % PER : 0;
        const Index    r     = (p.group + p.lane) * PER + (Index)phase;
        unsigned run[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            run[i] = word[c * WORDS + i];
        if (SHIFT)
            shift(run, phase * ES);
        if (p.lane >= LANES)
            continue;
        if (r >= 0 && r + PER <= p.length) {
            ((Run *)(out - base + p.matrix))[(start + base + r) >> LOG] = pack<Run>(run);
        } else if (r > -PER && r < p.length) { /* the ends of the row: through the lane's records, which it has read */
            *(Run *)slot(p) = pack<Run>(run);
#pragma unroll 1
            for (int e = r < 0 ? (int)-r : 0; e < PER && r + e < p.length; e++)
                out[p.matrix + start + r + e] = ((const T *)slot(p))[e];
        }
    }
}

__device__ __forceinline__ void read_rows(const Place &p, const T *in, unsigned (&word)[NARROW * WORDS])
{
    const int       base  = ANY_ROW ? (int)elements_behind<WIDTH>(in) : 0;
    const long long whole = (p.count + base) / PER;
    const Run *const from = (const Run *)(in - base + p.matrix) + (p.group + p.lane);
    const bool       some = (p.group + p.lane) * PER < p.length + (SHIFT ? PER : 0);
    Run run[NARROW];

#pragma unroll
    for (int c = 0; c < NARROW; c++) {
        const Index at = (c * p.length + base) >> LOG;
        if (some && p.matrix / PER + p.group + p.lane + at < whole)
            run[c] = from[at];
    }
    /* The buffer's last elements may not fill a piece. */
    const Index last = ((NARROW - 1) * p.length + base) >> LOG;
    if (SHIFT && p.matrix / PER + p.group + p.lane + last == whole) {
#pragma unroll 1
        for (int e = 0; whole * PER + e < p.count + base; e++)
            ((T *)slot(p))[e] = in[whole * PER + e - base];
        run[NARROW - 1] = *(const Run *)slot(p);
    }
#pragma unroll
    for (int c = 0; c < NARROW; c++) {
        unsigned w[WORDS];
        unpack(w, run[c]);
        if (SHIFT)
            shift(w, (unsigned)(c * p.length + base) % PER * ES);
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            word[c * WORDS + i] = w[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_records(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];
    unsigned word[NARROW * WORDS], turned[NARROW * WORDS];
    Place p;

    p.length = (Index)(TALL ? rows : cols);
    p.count  = batch * rows * cols;
    const unsigned per_matrix = (unsigned)((p.length + PER - 1) / PER + (TALL && SHIFT)), per_block = LANES * (THREADS / 32);
    const unsigned blocks = (per_matrix + per_block - 1) / per_block;
    const unsigned block  = BATCHED ? blockIdx.x % blocks : blockIdx.x;
    p.matrix = BATCHED ? blockIdx.x / blocks * (rows * cols) : 0;
    p.group  = (Index)block * (int)per_block + (int)threadIdx.x / 32 * LANES - (TALL && SHIFT);
    p.tile   = shared_memory + threadIdx.x / 32 * (32 * STRIDE / 16);
    p.lane   = threadIdx.x % 32;

    if (TALL) {
        read_records(p, in);
#pragma unroll
        for (int i = 0; i < NARROW * WIDTH / FLAT; i++)
            unpack(word + i * (FLAT / 4), slot(p)[i]);
        turn<PER, NARROW>(turned, word);
        write_rows(p, out, turned);
    } else {
        read_rows(p, in, word);
        turn<NARROW, PER>(turned, word);
#pragma unroll
        for (int i = 0; i < NARROW * WIDTH / FLAT; i++)
            slot(p)[i] = pack<Slot>(turned + i * (FLAT / 4));
        write_records(p, out);
    }
}
