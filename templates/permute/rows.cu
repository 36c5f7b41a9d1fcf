/*!autotune
template  rows                         # the fastest dimension is the same: vectors go from input rows to output rows
use       access index layout policy

param     COLS    = 16 64 256 1024 4096 # elements of the input's fastest dimensions that a block moves together
param     ROWS    = 16 64 256 1024 4096 # and of the output's
param     THREADS = 64 128 256 512     # threads a block
param     SIDE    = in out             # neighbouring threads follow the input, or the output
use       boxes

let       granule = gcd(gcd(t7, n7), gcd(k < 7: gcd(i[k], o[k]))) # rows and what is moved of them begin at multiples of so many elements
const     VEC     = gcd(granule, min(16, min(align_in, align_out)) / sizeof(T)) # elements in a read and a write
const     EACH    = ceil_div(volume / VEC, THREADS)

require   i7 == 1 && o7 == 1           # rows of neighbouring elements on both sides
require   volume >= VEC * THREADS || volume == count # no thread is idle
require   EACH <= 16 && volume * sizeof(T) <= 128 * THREADS # at most 32 registers hold what is moved
require   HINT != HINT_both || count * sizeof(T) < 134217728 # keeping is better for large problems
require   HINT != HINT_keep || (device.cc >= 80 && VEC * sizeof(T) >= 4 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether

grid      tiles
block     THREADS
default   COLS=64 ROWS=4096 THREADS=256 HINT=none SIDE=out ORDER=out_fast
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
