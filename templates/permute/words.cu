/*!autotune
template  words                        # runs of any alignment: read as aligned pieces, gathered from shared memory, written as aligned words
use       access async index policy

param     COLS    = 16 32 64 128 256 512 1024 4096 # elements of the input's fastest dimensions that a block moves together
param     ROWS    = 16 32 64 128 256 512 1024 4096 # and of the output's
param     THREADS = 128 256 512        # threads a block
param     ALIGN   = 4 32               # bytes: parts of an output run begin and end at a multiple
param     JOIN    = 0 1                # 1: an output run may be several dimensions
param     ASIDE   = 1 4                # output runs that a warp writes at once, at least
use       boxes
each      b = 6..0                     # all but the output's fastest, from that on

const     ANY_IN  = align_in < 16      # the input does not begin at a multiple of 16 bytes
const     ANY_OUT = align_out < ALIGN  # nor the output at one of ALIGN
let       narrow  = align_in < 16 || align_out < 16 || any(k: i[k] > 1 && i[k] % PIECE) \
          || any(k < 7: o[k] > 1 && o[k] % PIECE && !(k == 6 && o6 == n7 && n7 < PIECE)) # rows of one side begin anywhere
let       units   = max(1, ALIGN / sizeof(T))
let       per     = max(1, 4 / sizeof(T))

# The output's runs: the last dimension of one may be a part, all faster ones are whole.
const     w7 = 1
const     w[b] = w[b + 1] && JOIN == 1 && t[b + 1] == n[b + 1] && o[b] == product(k > b: n[k])
let       odd_out = ANY_OUT || any(k < 7: !w[k] && o[k] % units) || any(k: w[k] && t[k] < n[k] && t[k] * o[k] % units) # parts of runs begin anywhere
# So many slices of the dimension that is a part are read before it, to begin at such a multiple.
const     h[j] = ALIGN > 4 && odd_out && w[j] && t[j] < n[j] ? ceil_div(units - 1, max(1, o[j])) : 0
let       halo = sum(k: h[k])
let       blocks = product(k: ceil_div(n[k] + h[k], t[k]))

# The input's runs, likewise: a dimension is in one if all faster ones are, and whole.
let       d[j] = (n[j] == 1 || i[j] == f[j]) && t[j] == n[j]
const     m[j] = i[j] == f[j] && all(k != j: i[k] >= i[j] || d[k])
const     RUN = 1 + sum(k: m[k] ? (t[k] + h[k] - 1) * i[k] : 0) # elements of one
let       odd_in = ANY_IN || any(k: !m[k] && i[k] % PIECE) || any(k: m[k] && t[k] < n[k] && t[k] * i[k] % PIECE) || any(k: m[k] && h[k] * i[k] % PIECE) # they begin anywhere
let       apart  = odd_in ? PIECE - 1 : 0
# Neighbours along a dimension are so far apart in the tile; between runs that differs from the input's stride by whole pieces, and no two runs share one.
let       a7 = RUN + apart + ((i7 - RUN - apart) % PIECE + PIECE) % PIECE
const     s7 = m7 ? i7 : a7 % (2 * PIECE) == 0 ? a7 + PIECE : a7 # whole pieces: an odd number of them, as lanes of an output run meet every s7
let       e7 = RUN + apart + (m7 ? 0 : (t7 + h7 - 1) * s7)
let       e[b] = e[b + 1] + (m[b] ? 0 : (t[b] + h[b] - 1) * (e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE))
const     s[b] = m[b] ? i[b] : e[b + 1] + ((i[b] - e[b + 1]) % PIECE + PIECE) % PIECE
const     ACROSS  = (RUN + PIECE - 1 + apart) / PIECE # pieces of a run
const     PIECES  = (e0 + 2 * PIECE - 2) / PIECE # of the tile
const     ODD_OUT = odd_out
const     LENGTH  = product(k: w[k] ? t[k] + h[k] : 1) # elements of an output run
const     STRAIGHT = LENGTH == t7 + h7  # one dimension: its elements are s7 apart
const     REACH   = reach_in
const     FAR     = max(reach_in, reach_out) > 2147483000 # 64-bit offsets inside a box, and a piece beyond it
let       tile_bytes = 16 * PIECES + (STRAIGHT ? 0 : ceil_div(LENGTH, per) * per * per * 2)

require   sizeof(T) <= 8               # wider elements need no words
require   o7 == 1 && any(k: i[k] == 1) # runs on both sides
require   narrow                       # others are tile's and rows', with accesses of 16 bytes
require   LENGTH >= per                # shorter ones have no words
require   JOIN == 0 || !STRAIGHT       # else it says nothing
require   ALIGN == 4 || halo > 0       # likewise
require   all(k: 2 * h[k] <= t[k])   # at most a third is read twice
require   ASIDE == 1 || LENGTH * sizeof(T) > 128 / ASIDE # shorter runs are written several at once anyhow
require   volume * sizeof(T) >= 16 * THREADS || volume == count || THREADS == 128 # no thread is idle
require   volume * sizeof(T) >= 2048 || tiles <= 16 * device.sms # many small tiles keep too few bytes in flight
require   e0 + PIECE <= 65536          # places in the tile have 16 bits
require   16 * PIECES * 2 <= 16 * 1024 + 6 * volume * sizeof(T) # short input runs leave most of a piece unused
require   tile_bytes <= min(device.max_shared_bytes, 116736) # two blocks at least
require   blocks <= device.max_grid_x
require   HINT != HINT_both || count * sizeof(T) < 134217728 # keeping is better for large problems
require   HINT != HINT_keep || (device.cc >= 80 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether

grid      blocks
block     THREADS
shared    tile_bytes
default   COLS=64 ROWS=256 THREADS=128 ALIGN=4 JOIN=0 ASIDE=1 HINT=none ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = unsigned char;
constexpr long long n0 = 1, n1 = 1, n2 = 1, n3 = 1, n4 = 1, n5 = 15, n6 = 49, n7 = 75;
constexpr long long i0 = 0, i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 49, i6 = 1, i7 = 735;
constexpr long long o0 = 0, o1 = 0, o2 = 0, o3 = 0, o4 = 0, o5 = 3675, o6 = 75, o7 = 1;
constexpr int t0 = 1, t1 = 1, t2 = 1, t3 = 1, t4 = 1, t5 = 1, t6 = 49, t7 = 75;
constexpr int h0 = 0, h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, h6 = 0, h7 = 0;
constexpr int m0 = 0, m1 = 0, m2 = 0, m3 = 0, m4 = 0, m5 = 0, m6 = 1, m7 = 0;
constexpr int w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 1;
constexpr int s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 1, s7 = 79;
constexpr int THREADS = 256, ALIGN = 4, ASIDE = 1, ANY_IN = 0, ANY_OUT = 0, RUN = 49, ACROSS = 4, PIECES = 373, ODD_OUT = 1;
constexpr int LENGTH = 75, STRAIGHT = 1, REACH = 55125, FAR = 0;
constexpr int HINT_none = 0, HINT_both = 1, HINT_keep = 2, HINT = HINT_none;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER_either_fast = 2, ORDER_both_fast = 3, ORDER = ORDER_out_fast;
#include "../common/access.cuh"
#include "../common/async.cuh"
#include "../common/index.cuh"
#include "../common/layout.cuh"
#include "../common/policy.cuh"
#endif

/*
 * A block moves a box of the index space. Elements that neighbour each other in the input are a run of it. The tile holds
 * the aligned 16-byte pieces that cover each run, as they are; neighbours along a dimension are as far apart there as in
 * memory, but for whole pieces, so that all runs stand in their pieces as they do in memory, and the place of an element is
 * the sum of its coordinates, each times a constant.
 *
 * Runs of the output begin anywhere too. A lane writes an aligned word of one: its elements are gathered from the tile, at
 * a constant distance (STRAIGHT) or, where a run is several dimensions, at places that a table has: they are the same for
 * all runs. The ends of runs are written element by element. With ALIGN=32 the box has a few slices more in front, so that
 * a part of a longer run begins and ends with a sector.
 */

using Extents = Numbers<n0, n1, n2, n3, n4, n5, n6, n7>;
using In      = Numbers<i0, i1, i2, i3, i4, i5, i6, i7>;
using Out     = Numbers<o0, o1, o2, o3, o4, o5, o6, o7>;
using Tile    = Numbers<t0, t1, t2, t3, t4, t5, t6, t7>;
using Halo    = Numbers<h0, h1, h2, h3, h4, h5, h6, h7>;
using Apart   = Numbers<s0, s1, s2, s3, s4, s5, s6, s7>;
using Padded  = Numbers<n0 + h0, n1 + h1, n2 + h2, n3 + h3, n4 + h4, n5 + h5, n6 + h6, n7 + h7>;
using Box     = Numbers<t0 + h0, t1 + h1, t2 + h2, t3 + h3, t4 + h4, t5 + h5, t6 + h6, t7 + h7>;
using InRun   = Numbers<m0, m1, m2, m3, m4, m5, m6, m7>;
using OutRun  = Numbers<w0, w1, w2, w3, w4, w5, w6, w7>;
using Blocks  = OrderOf<ORDER, In, Out>::type;

/* What of a box its runs are, and how many of them there are. */
template <class All, class Member, bool runs> struct Part;
template <long long... n, long long... m, bool runs> struct Part<Numbers<n...>, Numbers<m...>, runs> {
    using Extents = Numbers<((m != 0) == runs ? n : 1)...>;
};
using InRuns   = Part<Box, InRun, false>::Extents;
using OutRuns  = Part<Box, OutRun, false>::Extents;
using InOneRun = Part<Box, OutRun, true>::Extents;

using Index = IndexOf<FAR != 0>::type;

constexpr bool KEEP  = HINT == HINT_keep, ONCE = HINT == HINT_both;
constexpr int  PIECE = 16 / ES;
constexpr int  PER   = ES < 4 ? 4 / ES : 1;         /* elements in a word: what a lane writes at a time */
constexpr int  UNITS = ALIGN > ES ? ALIGN / ES : 1; /* elements between aligned places                  */

using Word = Vector<PER>;

__device__ constexpr int log_of(int n)
{
    return n <= 1 ? 0 : 1 + log_of(n / 2);
}

/* The dimension of which an output run is a part; -1: there is none. */
__device__ constexpr int part_of_run()
{
    for (int d = 0; d < 8; d++)
        if (OutRun::at(d) && Tile::at(d) < Extents::at(d))
            return d;
    return -1;
}
constexpr bool CUT    = part_of_run() >= 0;
constexpr int  PART   = CUT ? part_of_run() : 7;
constexpr bool HALOED = CUT && Halo::at(PART) > 0;
constexpr int  SLICE  = (int)Out::at(PART); /* elements of a run for each of that dimension */

/* Whether runs of the output, or the parts of them that boxes write, begin elsewhere than with a sector. */
__device__ constexpr bool inside_sectors()
{
    for (int d = 0; d < 8; d++) {
        const bool cut = OutRun::at(d) && Tile::at(d) < Extents::at(d);
        if ((!OutRun::at(d) && Out::at(d) * ES % 32 != 0) || (cut && Tile::at(d) * Out::at(d) * ES % 32 != 0))
            return true;
    }
    return false;
}

/* A box's first element in both layouts, and which coordinates of it there are. */
struct At {
    long long in = 0, out = 0;
    int       first = 0, end[8];

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        const long long start = (long long)c * Tile::at(d) - Halo::at(d);
        in += start * In::at(d);
        out += start * Out::at(d);
        end[d] = (int)(Extents::at(d) - start < Box::at(d) ? Extents::at(d) - start : Box::at(d));
        if (Halo::at(d) > 0)
            first = start < 0 ? (int)-start : 0;
    }

    template <int d> static constexpr bool ragged = Halo::at(d) > 0 || Extents::at(d) % Tile::at(d) != 0;

    template <int d> __device__ __forceinline__ int begin_of() const
    {
        return Halo::at(d) > 0 ? first : 0;
    }

    template <int d> __device__ __forceinline__ int end_of() const
    {
        if constexpr (ragged<d>)
            return end[d];
        return (int)Box::at(d);
    }

    template <int d> __device__ __forceinline__ bool has(int c) const
    {
        if constexpr (ragged<d>)
            return c >= begin_of<d>() && c < end_of<d>();
        return true;
    }

    /* From where to where the input's runs are: all of them alike. */
    template <int d = 0> __device__ __forceinline__ int run_begin() const
    {
        if constexpr (d < 8)
            return (InRun::at(d) ? begin_of<d>() * (int)In::at(d) : 0) + run_begin<d + 1>();
        else
            return 0;
    }

    template <int d = 0> __device__ __forceinline__ int run_end() const
    {
        if constexpr (d < 8)
            return (InRun::at(d) && Box::at(d) > 1 ? (end_of<d>() - 1) * (int)In::at(d) : 0) + run_end<d + 1>();
        else
            return 1;
    }
};

/* A run: whether there is one, where it begins in the tile, and how far from the box's first element, by these strides. */
template <class Strides> struct Run {
    const At &box;
    bool  there;
    int   place = 0;
    Index offset = 0;

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        place += (int)c * (int)Apart::at(d);
        offset += (Index)c * (Index)Strides::at(d);
        there = there && box.template has<d>((int)c);
    }
};

/* The first element of a run, by its place in the tile. */
struct Place {
    int place = 0;

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        place += (int)c * (int)Apart::at(d);
    }
};

/* Copies the pieces of all runs of the box; its first element's place in its piece. */
__device__ __forceinline__ int read_box(uint4 *tile, const T *in, const At &box)
{
    constexpr int LOG = log_of(PIECE), TOTAL = (int)InRuns::product() * ACROSS;
    constexpr bool KEEPS = ACROSS <= THREADS && 8 * (THREADS % ACROSS) <= THREADS; /* a thread keeps to its place in a run */
    const unsigned  base  = ANY_IN ? elements_behind<16>(in) : 0; /* a buffer that does not begin aligned is the rest of one that does */
    const long long start = box.in + base, piece = start >> LOG;
    const int       phase = (int)(start & (PIECE - 1));
    const uint4 *const from = (const uint4 *)(in - base) + piece;
    const int begin = box.run_begin(), end = box.run_end();

    const long long left  = ((REACH + (long long)base) >> LOG) - piece; /* whole pieces of the buffer from there on */
    const Index     whole = FAR || left < 2147483647 ? (Index)left : 2147483647;

#pragma unroll 4
    for (int k = KEEPS ? (int)threadIdx.x / ACROSS : (int)threadIdx.x; k < (KEEPS ? (int)InRuns::product() : TOTAL); k += KEEPS ? THREADS / ACROSS : THREADS) {
        const int n = KEEPS ? threadIdx.x % ACROSS : k % ACROSS;
        Run<In> run = { box, !KEEPS || threadIdx.x < THREADS / ACROSS * ACROSS };
        walk<In, InRuns>(KEEPS ? (unsigned)k : (unsigned)k / ACROSS, run);
        const Index at  = ((phase + run.offset) >> LOG) + n;
        const int   col = n * PIECE - ((phase + run.place) & (PIECE - 1));
        if (!run.there || col >= end || col + PIECE <= begin)
            continue;
        uint4 *const to = tile + ((phase + run.place) >> LOG) + n;
        if ((!ANY_IN && REACH % PIECE == 0) || at < whole) {
            copy_async<KEEP, 128>(to, from + at);
        } else { /* the buffer's last elements */
            Vector<PIECE> last = {};
            for (int e = 0; e < (int)((REACH + base) & (PIECE - 1)); e++)
                last.element[e] = ((const T *)(from + at))[e];
            *to = last.bits;
        }
    }
    return phase;
}

/* Where the elements of a word of an output run are, from the run's first one on. */
union Places {
    Access<2 * PER>::type bits;
    unsigned short        at[PER];
};

/*
 * The table has a word for each element that it may begin with: so that neighbouring lanes meet different banks, first
 * those that begin at a multiple of PER, then those one farther, ...
 */
__device__ __forceinline__ int slot_of(int i)
{
    return (unsigned)i % PER * ((LENGTH + PER - 1) / PER) + (unsigned)i / PER;
}

__device__ __forceinline__ void fill_table(Places *table)
{
    for (int k = threadIdx.x; k * PER < LENGTH; k += THREADS) {
        unsigned short at[2 * PER - 1];
#pragma unroll
        for (int e = 0; e < 2 * PER - 1; e++) {
            Place place;
            walk<Out, InOneRun>((unsigned)min(k * PER + e, LENGTH - 1), place);
            at[e] = (unsigned short)place.place;
        }
#pragma unroll
        for (int first = 0; first < PER; first++) {
            Places places;
#pragma unroll
            for (int e = 0; e < PER; e++)
                places.at[e] = at[first + e];
            table[slot_of(first) + k].bits = places.bits;
        }
    }
}

__device__ __forceinline__ int place_in_run(const Places *table, int i)
{
    const int word = min(i, LENGTH - PER);
    return STRAIGHT ? i * (int)s7 : table[slot_of(word)].at[i - word];
}

constexpr int  MOST   = HALOED ? LENGTH - (int)Halo::at(PART) * SLICE + UNITS - 1 : LENGTH; /* elements of a run that a block writes */
constexpr int  WORDS  = MOST / PER;                     /* aligned ones of them */
constexpr bool WHOLE  = !ODD_OUT && LENGTH % PER == 0 && (!CUT || Extents::at(PART) * SLICE % PER == 0); /* runs are nothing else */
constexpr int  LONG   = 1 << log_of(WORDS >= 32 / ASIDE ? 32 / ASIDE : 2 * WORDS - 1); /* lanes on a run: a power of two */
constexpr int  SECTOR = ES < 4 ? 8 : 32 / ES;           /* words in one */
constexpr bool SHIFTED = !HALOED && (ODD_OUT || inside_sectors()) && WORDS > (LONG < 32 ? LONG : 96); /* a warp's words begin with a sector */
constexpr int  CHUNKS = (WORDS + (SHIFTED ? SECTOR - 1 : 0) + LONG - 1) / LONG;
constexpr int  BESIDE = 32 / LONG;                      /* runs of a warp */
constexpr int  RUNS   = (int)OutRuns::product();
constexpr int  SPREAD = RUNS % (PER * BESIDE) == 0 || RUNS >= 4 * PER * BESIDE ? PER : 1; /* between those: their elements are in different words */
constexpr int  GROUPS = (RUNS + SPREAD * BESIDE - 1) / (SPREAD * BESIDE) * SPREAD;

/* So many warps share the words of a run. */
__device__ constexpr int warps_of_run()
{
    int share = 1;
    while (2 * share <= THREADS / 32 && 2 * share <= CHUNKS && GROUPS * share < 4 * (THREADS / 32))
        share *= 2;
    return share;
}
constexpr int SHARE = warps_of_run();

/* The lane's words of a run: number `own`, which may be negative, and every LONG * SHARE further one of so many. */
__device__ __forceinline__ void write_words(T *to, const T *run, const Places *table, int begin, int own, int words)
{
    constexpr int STEP = LONG * SHARE, ROUNDS = (CHUNKS + SHARE - 1) / SHARE, TOGETHER = ROUNDS <= 8 ? ROUNDS : 4;
    Word::Bits *const at = (Word::Bits *)(to + begin) + own;
    const T *const from = run + (STRAIGHT ? (begin + own * PER) * (int)s7 : 0);
    const Places *const places_at = STRAIGHT ? table : table + (slot_of(begin) + own);
    const unsigned behind = STRAIGHT && s7 == 1 ? (unsigned)__cvta_generic_to_shared(from) % 4 : 0;
    const unsigned *const low = (const unsigned *)(from - behind / ES);
#pragma unroll TOGETHER
    for (int j = 0; j < ROUNDS; j++) {
        if ((unsigned)(own + j * STEP) >= (unsigned)words)
            continue;
        Word word;
        if constexpr (STRAIGHT && s7 == 1 && PER > 1) { /* neighbours in the tile too: of two words of it */
            (unsigned &)word.bits = __funnelshift_r(low[j * STEP], low[j * STEP + (behind != 0)], 8 * behind);
        } else if constexpr (STRAIGHT) {
#pragma unroll
            for (int e = 0; e < PER; e++)
                word.element[e] = from[(j * STEP * PER + e) * (int)s7];
        } else {
            Places places;
            places.bits = places_at[j * STEP].bits;
#pragma unroll
            for (int e = 0; e < PER; e++)
                word.element[e] = run[places.at[e]];
        }
        store<ONCE>(at + j * STEP, word.bits);
    }
}

__device__ __forceinline__ void write_box(T *out, const T *tile, const Places *table, const At &box)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, aside = lane % BESIDE, own = lane / BESIDE + warp % SHARE * LONG;
    const unsigned phase = (unsigned)box.out + (ANY_OUT ? elements_behind<(ALIGN > ES ? ALIGN : ES)>(out) : 0);
    T *const to_box = out + box.out;
    constexpr int OWN_BEGIN = HALOED ? (int)Halo::at(PART) * SLICE : 0;

#pragma unroll 1
    for (unsigned group = warp / SHARE; group < GROUPS; group += THREADS / 32 / SHARE) {
        const unsigned r = group / SPREAD * (SPREAD * BESIDE) + group % SPREAD + aside * SPREAD;
        Run<Out> run = { box, RUNS % (SPREAD * BESIDE) == 0 || r < RUNS };
        walk<In, OutRuns>(r, run);
        if (!run.there)
            continue;
        T *const to = to_box + run.offset;
        const T *const first = tile + run.place;
        const unsigned ahead = phase + (unsigned)run.offset;
        int begin = 0, end = LENGTH;
        if constexpr (HALOED) {
            begin = max(box.begin_of<PART>() * SLICE, OWN_BEGIN - (int)((ahead + OWN_BEGIN) % UNITS));
            end   = min(box.end_of<PART>() * SLICE, LENGTH - (int)((ahead + LENGTH) % UNITS));
        } else if constexpr (CUT) {
            end = box.end_of<PART>() * SLICE;
        }
        const int aligned = WHOLE ? begin : min(begin + (int)(-(ahead + begin) % PER), end), words = (end - aligned) / PER;
        const int before  = SHIFTED ? (int)((ahead + aligned) / PER % SECTOR) : 0;
        write_words(to, first, table, aligned, (int)own - before, words);
        if constexpr (!WHOLE && PER > 1) {
            /* The ends: fewer than PER elements before the words, and behind them. */
#pragma unroll
            for (int e = own; e < 2 * PER; e += LONG * SHARE) {
                const int i = e < PER ? begin + e : aligned + words * PER + e - PER;
                if (i < (e < PER ? aligned : end))
                    to[i] = first[place_in_run(table, i)];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) permute_words(T *__restrict__ out, const T *__restrict__ in)
{
    extern __shared__ uint4 shared_memory[];
    Places *const table = (Places *)(shared_memory + PIECES);

    At box;
    walk<Blocks, TilesOf<Padded, Tile>::Counts>(blockIdx.x, box);
    const int phase = read_box(shared_memory, in, box);
    if constexpr (!STRAIGHT)
        fill_table(table);
    await_copies();
    __syncthreads();
    write_box(out, (const T *)shared_memory + phase, table, box);
}
