/*!autotune
template  rows                         # the fastest dimension is the same: vectors go from input rows to output rows
use       access index layout policy

param     COLS    = 16 64 256 1024 4096 # elements of the input's fastest dimensions that a block moves together
param     ROWS    = 16 64 256 1024 4096 # and of the output's
param     THREADS = 64 128 256 512     # threads a block
param     VEC     = 1 2 4 8 16         # elements in a read and a write
param     HINT    = none both keep     # both reads and writes say that they are used only once, or reads that the L2 should keep them
param     SIDE    = in out             # neighbouring threads follow the input, or the output
param     ORDER   = in_fast out_fast either_fast both_fast # and neighbouring blocks; or what is fast in either, or in both

let       PIECE = 16 / sizeof(T)       # elements of the widest access
let       LINE  = 128 / sizeof(T)      # and of a cache line
# So much of each dimension is in a tile: fast ones of the input (c) and of the output (r) whole, the next in equal parts, of whole lines or accesses where those fit.
let       c0 = min(n0, max(1, COLS / f0))
let       c1 = min(n1, max(1, COLS / f1))
let       c2 = min(n2, max(1, COLS / f2))
let       c3 = min(n3, max(1, COLS / f3))
let       c4 = min(n4, max(1, COLS / f4))
let       c5 = min(n5, max(1, COLS / f5))
let       c6 = min(n6, max(1, COLS / f6))
let       c7 = min(n7, max(1, COLS / f7))
let       r0 = min(n0, max(1, ROWS / (n1 * n2 * n3 * n4 * n5 * n6 * n7)))
let       r1 = min(n1, max(1, ROWS / (n2 * n3 * n4 * n5 * n6 * n7)))
let       r2 = min(n2, max(1, ROWS / (n3 * n4 * n5 * n6 * n7)))
let       r3 = min(n3, max(1, ROWS / (n4 * n5 * n6 * n7)))
let       r4 = min(n4, max(1, ROWS / (n5 * n6 * n7)))
let       r5 = min(n5, max(1, ROWS / (n6 * n7)))
let       r6 = min(n6, max(1, ROWS / (n7)))
let       r7 = min(n7, ROWS)
let       u0 = max(c0, r0) >= 2 * gcd(n0, LINE) ? gcd(n0, LINE) : max(c0, r0) >= gcd(n0, PIECE) ? gcd(n0, PIECE) : 1
let       u1 = max(c1, r1) >= 2 * gcd(n1, LINE) ? gcd(n1, LINE) : max(c1, r1) >= gcd(n1, PIECE) ? gcd(n1, PIECE) : 1
let       u2 = max(c2, r2) >= 2 * gcd(n2, LINE) ? gcd(n2, LINE) : max(c2, r2) >= gcd(n2, PIECE) ? gcd(n2, PIECE) : 1
let       u3 = max(c3, r3) >= 2 * gcd(n3, LINE) ? gcd(n3, LINE) : max(c3, r3) >= gcd(n3, PIECE) ? gcd(n3, PIECE) : 1
let       u4 = max(c4, r4) >= 2 * gcd(n4, LINE) ? gcd(n4, LINE) : max(c4, r4) >= gcd(n4, PIECE) ? gcd(n4, PIECE) : 1
let       u5 = max(c5, r5) >= 2 * gcd(n5, LINE) ? gcd(n5, LINE) : max(c5, r5) >= gcd(n5, PIECE) ? gcd(n5, PIECE) : 1
let       u6 = max(c6, r6) >= 2 * gcd(n6, LINE) ? gcd(n6, LINE) : max(c6, r6) >= gcd(n6, PIECE) ? gcd(n6, PIECE) : 1
let       u7 = max(c7, r7) >= 2 * gcd(n7, LINE) ? gcd(n7, LINE) : max(c7, r7) >= gcd(n7, PIECE) ? gcd(n7, PIECE) : 1
const     t0 = min(n0, ceil_div(ceil_div(n0, ceil_div(n0, max(c0, r0))), u0) * u0)
const     t1 = min(n1, ceil_div(ceil_div(n1, ceil_div(n1, max(c1, r1))), u1) * u1)
const     t2 = min(n2, ceil_div(ceil_div(n2, ceil_div(n2, max(c2, r2))), u2) * u2)
const     t3 = min(n3, ceil_div(ceil_div(n3, ceil_div(n3, max(c3, r3))), u3) * u3)
const     t4 = min(n4, ceil_div(ceil_div(n4, ceil_div(n4, max(c4, r4))), u4) * u4)
const     t5 = min(n5, ceil_div(ceil_div(n5, ceil_div(n5, max(c5, r5))), u5) * u5)
const     t6 = min(n6, ceil_div(ceil_div(n6, ceil_div(n6, max(c6, r6))), u6) * u6)
const     t7 = min(n7, ceil_div(ceil_div(n7, ceil_div(n7, max(c7, r7))), u7) * u7)
let       volume  = t0 * t1 * t2 * t3 * t4 * t5 * t6 * t7
let       tiles   = ceil_div(n0, t0) * ceil_div(n1, t1) * ceil_div(n2, t2) * ceil_div(n3, t3) * ceil_div(n4, t4) * ceil_div(n5, t5) * ceil_div(n6, t6) * ceil_div(n7, t7)
let       columns = c0 * c1 * c2 * c3 * c4 * c5 * c6 * c7
let       lines   = r0 * r1 * r2 * r3 * r4 * r5 * r6 * r7
const     EACH    = ceil_div(volume / VEC, THREADS)
const     WIDE    = max(reach_in, reach_out) > 2147483647 # 64-bit offsets inside a tile
let       granule = gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(gcd(t7, n7), i0), i1), i2), i3), i4), i5), i6), o0), o1), o2), o3), o4), o5), o6) # rows and what is moved of them begin at multiples of so many elements

require   i7 == 1 && o7 == 1           # rows of neighbouring elements on both sides
require   granule % VEC == 0           # every vector begins at a multiple of its size
require   VEC * sizeof(T) <= min(align_in, align_out) # and so do the buffers
require   VEC * sizeof(T) <= 16        # the widest access there is
require   2 * VEC >= gcd(granule, min(16, min(align_in, align_out)) / sizeof(T)) # far narrower than the alignment allows is slow
require   2 * columns > COLS || COLS == 16 # otherwise a smaller number says the same
require   2 * lines > ROWS || ROWS == 16
require   volume >= VEC * THREADS || volume == count # no thread is idle
require   EACH <= 16 && volume * sizeof(T) <= 128 * THREADS # at most 32 registers hold what is moved
require   THREADS <= device.max_threads_per_block
require   HINT != HINT_both || count * sizeof(T) < 134217728 # keeping is better for large problems
require   HINT != HINT_keep || (device.cc >= 80 && VEC * sizeof(T) >= 4 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether
require   tiles <= device.max_grid_x

grid      tiles
block     THREADS
default   COLS=64 ROWS=256 THREADS=256 VEC=4 HINT=none SIDE=out ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr long long n0 = 1, n1 = 1, n2 = 1, n3 = 1, n4 = 1, n5 = 15, n6 = 20, n7 = 64;
constexpr long long i0 = 0, i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 64, i6 = 960, i7 = 1;
constexpr long long o0 = 0, o1 = 0, o2 = 0, o3 = 0, o4 = 0, o5 = 1280, o6 = 64, o7 = 1;
constexpr int t0 = 1, t1 = 1, t2 = 1, t3 = 1, t4 = 1, t5 = 15, t6 = 1, t7 = 64;
constexpr int THREADS = 256, VEC = 4, EACH = 1, WIDE = 0;
constexpr int HINT_none = 0, HINT_both = 1, HINT_keep = 2, HINT = HINT_none, SIDE_in = 0, SIDE_out = 1, SIDE = SIDE_out;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER_either_fast = 2, ORDER_both_fast = 3, ORDER = ORDER_out_fast;
#include "../common/access.cuh"
#include "../common/index.cuh"
#include "../common/layout.cuh"
#include "../common/policy.cuh"
#endif

/* One block moves a box of the index space, of which each thread takes vectors; no shared memory. */

using Extents = Numbers<n0, n1, n2, n3, n4, n5, n6, n7>;
using In      = Numbers<i0, i1, i2, i3, i4, i5, i6, i7>;
using Out     = Numbers<o0, o1, o2, o3, o4, o5, o6, o7>;
using Tile    = Numbers<t0, t1, t2, t3, t4, t5, t6, t7>;
using Vectors = Numbers<t0, t1, t2, t3, t4, t5, t6, t7 / VEC>;
using Blocks  = OrderOf<ORDER, In, Out>::type;
using Threads = OrderOf<SIDE, In, Out>::type;

using Index = IndexOf<WIDE != 0>::type;
using Bits  = Vector<VEC>::Bits;

constexpr bool KEEP  = HINT == HINT_keep, ONCE = HINT == HINT_both;
constexpr int  TOTAL = (int)Vectors::product();

using Place = TilePlace<Extents, Tile, In, Out>;

/* A vector that moves: offsets in vectors from the tile's first. */
struct Move {
    const Place &tile;
    bool  there;
    Index from = 0, to = 0;

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        from += (Index)c * (Index)(d == 7 ? 1 : In::at(d) / VEC);
        to   += (Index)c * (Index)(d == 7 ? 1 : Out::at(d) / VEC);
        there = there && tile.has<d>((int)c * (d == 7 ? VEC : 1));
    }
};

extern "C" __global__ void __launch_bounds__(THREADS) permute_rows(T *__restrict__ out, const T *__restrict__ in)
{
    const Place tile = place_of_tile<Blocks, Extents, Tile, In, Out>(blockIdx.x);
    in  += tile.in;
    out += tile.out;

    Bits  part[EACH];
    Index to[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const unsigned k = threadIdx.x + j * THREADS;
        Move move = { tile, EACH * THREADS == TOTAL || k < TOTAL };
        walk<Threads, Vectors>(k, move);
        to[j] = move.there ? move.to : -1;
        if (move.there)
            part[j] = load<KEEP, ONCE>((const Bits *)in + move.from);
    }
#pragma unroll
    for (int j = 0; j < EACH; j++)
        if (to[j] >= 0)
            store<ONCE>((Bits *)out + to[j], part[j]);
}
