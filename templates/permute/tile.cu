/*!autotune
template  tile                         # shared tile of several dimensions, vector loads and stores on both sides
use       access async index layout policy

param     COLS      = 16 32 64 128 256 512 # elements of the input's fastest dimensions that are a row of the tile
param     ROWS      = 16 32 64 128 256 512 1024 4096 # elements of the output's fastest dimensions: so many rows
param     THREADS   = 128 256 512 1024 # threads a block
param     COPY      = by_register async ahead # how what is read gets into the tile; ahead: and the L2 asks memory for 256 bytes around it
param     NEAR      = 0 1024 4096      # blocks follow each other within so many elements of the input's fastest dimensions
use       boxes

# So many tiles of each dimension are a group: as far as NEAR reaches in the input, in equal parts.
const     g[j] = ceil_div(ceil_div(n[j], t[j]), ceil_div(ceil_div(n[j], t[j]), ceil_div(min(n[j], max(1, NEAR / f[j])), t[j])))
let       region  = product(k: min(n[k], max(1, NEAR / f[k])))
let       launched = product(k: ceil_div(ceil_div(n[k], t[k]), g[k]) * g[k])
const     x[j] = c[j] > 1 || i[j] == 1 ? t[j] : 1
const     WIDTH   = product(k: x[k])   # elements of a tile's row
let       height  = volume / WIDTH
let       adjacent = any(k: i[k] == 1)
let       granule_in = adjacent ? gcd(k: i[k] == 1 ? gcd(t[k], n[k]) : i[k]) : 1 # rows, and what is moved of them, begin at multiples of so many elements
let       spans   = n7 < PIECE && t7 == n7 && o6 == n7 # a vector is longer than the output's fastest dimension
let       granule_out = o7 != 1 ? 1 : gcd(spans ? gcd(n7 * t6, n7 * n6) : gcd(gcd(t7, n7), o6), gcd(k < 6: o[k]))
const     VEC_LOAD = gcd(granule_in, min(16, align_in) / sizeof(T)) # elements in a read: narrower ones are no faster
const     VEC_STORE = gcd(granule_out, min(16, align_out) / sizeof(T)) # and in a write
const     SKEW    = (128 - VEC_STORE * WIDTH * sizeof(T) % 128 + max(VEC_LOAD * sizeof(T), 4)) % 128 / sizeof(T) # spare elements for each VEC_STORE rows
let       tile_bytes = (volume + ceil_div(height, VEC_STORE) * SKEW) * sizeof(T)
const     LOADS   = ceil_div(volume / VEC_LOAD, THREADS)
const     STORES  = ceil_div(volume / VEC_STORE, THREADS)
require   count > 1                    # or there is no fastest dimension
require   height <= 16 * WIDTH && WIDTH <= 16 * height || volume == count || spans # far from square: long runs on one side, short ones on the other
require   volume >= max(VEC_LOAD, VEC_STORE) * THREADS || volume == count # no thread is idle
require   LOADS <= 32 && (COPY != COPY_by_register || volume * sizeof(T) <= 128 * THREADS) # at most 32 registers hold what is moved
require   tile_bytes >= 2048 || tiles <= 16 * device.sms # many small tiles keep too few bytes in flight
require   tile_bytes <= device.max_shared_bytes
require   COPY == COPY_by_register || VEC_LOAD * sizeof(T) >= 4 # asynchronous copies are not narrower
require   COPY != COPY_ahead || VEC_LOAD * sizeof(T) == 16
require   NEAR == 0 || (2 * region > NEAR && product(k: g[k]) > 1) # otherwise a smaller number says the same
require   10 * launched <= 11 * tiles  # or many blocks have nothing to do
require   launched <= device.max_grid_x
require   HINT != HINT_both || (count * sizeof(T) < 134217728 && COPY == COPY_by_register) # keeping is better for large problems
require   HINT != HINT_keep || (device.cc >= 80 && VEC_LOAD * sizeof(T) >= 4 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether

grid      launched
block     THREADS
shared    tile_bytes
default   COLS=64 ROWS=64 THREADS=256 COPY=by_register NEAR=0 HINT=none ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
constexpr long long n0 = 1, n1 = 1, n2 = 1, n3 = 1, n4 = 1, n5 = 15, n6 = 48, n7 = 75;
constexpr long long i0 = 0, i1 = 0, i2 = 0, i3 = 0, i4 = 0, i5 = 48, i6 = 1, i7 = 720;
constexpr long long o0 = 0, o1 = 0, o2 = 0, o3 = 0, o4 = 0, o5 = 3600, o6 = 75, o7 = 1;
constexpr int t0 = 1, t1 = 1, t2 = 1, t3 = 1, t4 = 1, t5 = 1, t6 = 48, t7 = 75;
constexpr int x0 = 1, x1 = 1, x2 = 1, x3 = 1, x4 = 1, x5 = 1, x6 = 48, x7 = 1, WIDTH = 48, SKEW = 4;
constexpr int THREADS = 256, VEC_LOAD = 4, VEC_STORE = 1, LOADS = 4, STORES = 15, WIDE = 0;
constexpr int g0 = 1, g1 = 1, g2 = 1, g3 = 1, g4 = 1, g5 = 1, g6 = 1, g7 = 1;
constexpr int COPY_by_register = 0, COPY_async = 1, COPY_ahead = 2, COPY = COPY_by_register;
constexpr int HINT_none = 0, HINT_both = 1, HINT_keep = 2, HINT = HINT_none;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER_either_fast = 2, ORDER_both_fast = 3, ORDER = ORDER_out_fast;
#include "../common/access.cuh"
#include "../common/async.cuh"
#include "../common/index.cuh"
#include "../common/layout.cuh"
#include "../common/policy.cuh"
#endif

/*
 * A tile is a box of the index space. The dimensions that are fast in the input are its row, one after the other; the rest
 * is its rows, in the output's order. Reads go along rows; writes follow the output, so that they meet columns, of one
 * dimension or of several:
 *
 *     input 75x15x48, output 15x48x75, a tile of 48 x 75:   row r has the 48 elements in[r][p][*],
 *                                                           its column c becomes the 75 elements out[p][c][*]
 *
 * A thread writes VEC_STORE neighbours, so that lanes meet every so many rows: these are SKEW elements farther apart than
 * they need be, to be in other banks.
 */

using Extents = Numbers<n0, n1, n2, n3, n4, n5, n6, n7>;
using In      = Numbers<i0, i1, i2, i3, i4, i5, i6, i7>;
using Out     = Numbers<o0, o1, o2, o3, o4, o5, o6, o7>;
using Tile    = Numbers<t0, t1, t2, t3, t4, t5, t6, t7>;
using Row     = Numbers<x0, x1, x2, x3, x4, x5, x6, x7>;
using Rows    = Numbers<t0 / x0, t1 / x1, t2 / x2, t3 / x3, t4 / x4, t5 / x5, t6 / x6, t7 / x7>;
using Group   = Numbers<g0, g1, g2, g3, g4, g5, g6, g7>;
using Blocks  = OrderOf<ORDER, In, Out>::type;
using Within  = OrderOf<ORDER_either_fast, In, Out>::type;

using Index = IndexOf<WIDE != 0>::type;
using Load  = Vector<VEC_LOAD>;
using Store = Vector<VEC_STORE>;

constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_both;
constexpr int  VOLUME = (int)Tile::product();

/* Where the tile keeps an element. */
__device__ __forceinline__ int place(int row, int x)
{
    return row * WIDTH + row / VEC_STORE * SKEW + x;
}

using TileAt = TilePlace<Extents, Tile, In, Out>;

/* An element of the tile: where that keeps it, and how far it is from the first one in memory, by these strides. */
template <class Strides> struct Element {
    const TileAt &tile;
    bool  there;
    int   row = 0, x = 0;
    Index offset = 0;

    template <int d> __device__ __forceinline__ void along(unsigned c)
    {
        if constexpr (Row::at(d) > 1)
            x += (int)c * step<In, Row>(d);
        else
            row += (int)c * step<Out, Rows>(d);
        offset += (Index)c * (Index)Strides::at(d);
        there = there && tile.template has<d>((int)c);
    }
};

/* The first of vector k as they are read: along a row, then the next row. */
__device__ __forceinline__ Element<In> element_read(unsigned k, const TileAt &tile)
{
    Element<In> e = { tile, LOADS * THREADS * VEC_LOAD == VOLUME || k < VOLUME / VEC_LOAD };
    walk<In, Row>(k % (WIDTH / VEC_LOAD) * VEC_LOAD, e);
    walk<Out, Rows>(k / (WIDTH / VEC_LOAD), e);
    return e;
}

/* Element i as they are written. */
__device__ __forceinline__ Element<Out> element_written(unsigned i, const TileAt &tile)
{
    Element<Out> e = { tile, STORES * THREADS * VEC_STORE == VOLUME || i < VOLUME };
    walk<Out, Tile>(i, e);
    return e;
}

/* 16 bytes to a place in shared memory, which has its `begin`; the L2 asks memory for 256 bytes around them. */
template <bool keep> __device__ __forceinline__ void copy_ahead(unsigned char *memory, unsigned begin, int place, const uint4 *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = begin + place;
    if constexpr (keep)
        asm volatile("cp.async.ca.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "l"(keep_policy()) : "memory");
    else
        asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
#else
    *(uint4 *)(memory + place) = *from;
#endif
}

__device__ __forceinline__ void read_tile(T *shared, const T *in, const TileAt &tile)
{
    typename Load::Bits part[LOADS];
    if constexpr (COPY != COPY_by_register && VEC_LOAD * ES >= 4) {
        unsigned char *memory = (unsigned char *)shared;
        const unsigned begin = begin_of<KEEP>(memory);
#pragma unroll
        for (int j = 0; j < LOADS; j++) {
            const Element<In> e = element_read(threadIdx.x + j * THREADS, tile);
            if (e.there && COPY == COPY_ahead)
                copy_ahead<KEEP>(memory, begin, place(e.row, e.x) * ES, (const uint4 *)in + e.offset / VEC_LOAD);
            else if (e.there)
                copy_part_async<KEEP, VEC_LOAD * ES>(memory, begin, place(e.row, e.x) * ES, (const unsigned char *)(in + e.offset), VEC_LOAD * ES);
        }
        await_copies();
    } else {
#pragma unroll
        for (int j = 0; j < LOADS; j++) {
            const Element<In> e = element_read(threadIdx.x + j * THREADS, tile);
            if (e.there)
                part[j] = load<KEEP, ONCE>((const typename Load::Bits *)in + e.offset / VEC_LOAD);
        }
#pragma unroll
        for (int j = 0; j < LOADS; j++) {
            const Element<In> e = element_read(threadIdx.x + j * THREADS, tile);
            if (LOADS * THREADS * VEC_LOAD == VOLUME || e.there)
                ((typename Load::Bits *)shared)[place(e.row, e.x) / VEC_LOAD] = part[j];
        }
    }
}

__device__ __forceinline__ void write_tile(T *out, const T *shared, const TileAt &tile)
{
    constexpr int TOGETHER = STORES <= 8 ? STORES : 4; /* more only take long to compile */
#pragma unroll TOGETHER
    for (int j = 0; j < STORES; j++) {
        const unsigned i = (threadIdx.x + j * THREADS) * VEC_STORE;
        const Element<Out> first = element_written(i, tile);
        Store vector;
        if (!first.there)
            continue;
#pragma unroll
        for (int k = 0; k < VEC_STORE; k++) {
            if constexpr (Tile::at(7) % VEC_STORE != 0) {
                const Element<Out> e = element_written(i + k, tile);
                vector.element[k] = shared[place(e.row, e.x)];
            } else if constexpr (Row::at(7) > 1) {
                vector.element[k] = shared[place(first.row, first.x) + k * step<In, Row>(7)];
            } else {
                vector.element[k] = shared[place(first.row, first.x) + k * WIDTH];
            }
        }
        store<ONCE>((typename Store::Bits *)out + first.offset / VEC_STORE, vector.bits);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) permute_tile(T *__restrict__ out, const T *__restrict__ in)
{
    extern __shared__ uint4 shared_memory[];
    T *const shared = (T *)shared_memory;

    TileAt tile;
    if (!place_in_group<Blocks, Within, Group>(tile, blockIdx.x))
        return;
    read_tile(shared, in + tile.in, tile);
    __syncthreads();
    write_tile(out + tile.out, shared, tile);
}
