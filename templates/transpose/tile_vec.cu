/*!autotune
template  tile_vec                     # shared tile in dynamic memory, vector loads and stores on both sides
use       access index policy tiles

param     TILE_ROWS  = 8 16 32 64 128 256 # input rows of the tile, in elements
param     TILE_COLS  = 8 16 32 64 128 256 # input columns
param     THREADS    = 128 256 512     # threads a block
param     VEC_LOAD   = 1 2 4 8 16      # elements in a read
param     VEC_STORE  = 1 2 4 8 16      # elements in a write
param     HINT       = none both keep  # both reads and writes say that they are used only once, or reads that the L2 should keep them
param     ORDER      = in_fast out_fast across16 across32 # neighbouring blocks follow the input's rows, the output's, or strips of so many tile columns

let       down       = ceil_div(rows, TILE_ROWS)
let       across     = ceil_div(cols, TILE_COLS)
let       tiles      = down * across * batch
const     STRIP      = ORDER == ORDER_across16 ? 16 : ORDER == ORDER_across32 ? 32 : 0
const     FLAT       = STRIP > 0 || max(ORDER == ORDER_in_fast ? down : across, batch) > 65535 # a grid may not be that high or deep
let       tile_bytes = TILE_ROWS * TILE_COLS * sizeof(T)
let       small      = count * sizeof(T) <= 1048576 # larger tiles would leave multiprocessors without one
let       load_lanes = TILE_COLS / VEC_LOAD
let       store_lanes = TILE_ROWS / VEC_STORE
const     BATCHED    = batch > 1
const     EDGE       = rows % TILE_ROWS != 0 || cols % TILE_COLS != 0
const     WIDE       = max(TILE_ROWS * ld_in, TILE_COLS * ld_out) > 2147483647 # 64-bit offsets inside a tile
general   BATCHED=1 EDGE=1 WIDE=1
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   VEC_LOAD * sizeof(T) <= 16   # the widest access there is
require   VEC_STORE * sizeof(T) <= 16
require   cols % VEC_LOAD == 0 && ld_in % VEC_LOAD == 0 # every input row must begin aligned
require   rows % VEC_STORE == 0 && ld_out % VEC_STORE == 0 # every output row must begin aligned
require   VEC_LOAD * sizeof(T) <= align_in && VEC_STORE * sizeof(T) <= align_out # and so must the buffers
prefer    2 * VEC_LOAD >= gcd(gcd(cols, ld_in), min(16, align_in) / sizeof(T)) # far narrower than the alignment allows is slow
prefer    2 * VEC_STORE >= gcd(gcd(rows, ld_out), min(16, align_out) / sizeof(T))
prefer    min(TILE_ROWS, TILE_COLS) * sizeof(T) >= (small ? 32 : 64) # shorter runs waste most of a cache line
prefer    TILE_ROWS <= 4 * TILE_COLS && TILE_COLS <= 4 * TILE_ROWS
require   load_lanes <= THREADS && store_lanes <= THREADS # a pass covers whole tile rows
require   TILE_ROWS * load_lanes >= THREADS && TILE_COLS * store_lanes >= THREADS # no thread is idle
require   TILE_ROWS * load_lanes <= 16 * THREADS # at most 16 reads in flight a thread
require   TILE_ROWS * TILE_COLS * sizeof(T) <= 128 * THREADS # at most 32 registers hold them
prefer    tile_bytes >= 8192 || tiles <= 16 * device.sms # many small tiles keep too few bytes in flight
require   tile_bytes <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
prefer    HINT != HINT_both || count * sizeof(T) < 134217728 # keeping is better for large problems
prefer    HINT != HINT_keep || (device.cc >= 80 && VEC_LOAD * sizeof(T) >= 4 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether
prefer    STRIP == 0 || (HINT != HINT_both && tile_bytes >= 16384 && gcd(ld_in, ld_out) * sizeof(T) % 131072 == 0) # rows that meet the same banks of memory on both sides
require   tiles <= device.max_grid_x

grid      FLAT ? tiles : ORDER == ORDER_in_fast ? across : down \
          FLAT ? 1 : ORDER == ORDER_in_fast ? down : across \
          FLAT ? 1 : batch
block     THREADS
shared    tile_bytes
default   TILE_ROWS=64 TILE_COLS=64 THREADS=256 VEC_LOAD=4 VEC_STORE=4 HINT=none ORDER=out_fast
*/

#ifndef AUTOTUNE_RENDERED /* opened by an editor or by nvcc alone */
using T = float;
#define AUTOTUNE_ARG(name) name
constexpr int TILE_ROWS = 64, TILE_COLS = 64, THREADS = 256, VEC_LOAD = 4, VEC_STORE = 4, BATCHED = 0, FLAT = 0, STRIP = 0, EDGE = 1, WIDE = 0;
constexpr int HINT_none = 0, HINT_both = 1, HINT_keep = 2, HINT = HINT_none;
constexpr int ORDER_in_fast = 0, ORDER_out_fast = 1, ORDER = ORDER_in_fast;
#include "../common/access.cuh"
#include "../common/index.cuh"
#include "../common/policy.cuh"
#include "../common/tiles.cuh"
#endif

/*
 * Threads read and write vectors; the tile keeps the input's, as they are, so that elements of a column stand a row apart.
 * Rows are powers of two: without a turn of vectors, a column would meet one bank. With four vectors a row, VEC_STORE = 1:
 *
 *     row 0   0 1 2 3
 *     row 1   1 0 3 2      vector v of row r stands at place v ^ (r / VEC_STORE % LOAD_LANES)
 *     row 2   2 3 0 1
 *     row 3   3 2 1 0
 */

using Index = IndexOf<WIDE != 0>::type;

constexpr bool KEEP = HINT == HINT_keep, ONCE = HINT == HINT_both;
constexpr int LOAD_LANES  = TILE_COLS / VEC_LOAD,  LOAD_ROWS  = THREADS / LOAD_LANES,  LOADS  = TILE_ROWS / LOAD_ROWS;
constexpr int STORE_LANES = TILE_ROWS / VEC_STORE, STORE_COLS = THREADS / STORE_LANES, STORES = TILE_COLS / STORE_COLS;

/* Where the tile keeps an element. */
__device__ __forceinline__ int place(int r, int c)
{
    const int turn = r / VEC_STORE % LOAD_LANES;
    return r * TILE_COLS + (c / VEC_LOAD ^ turn) * VEC_LOAD + c % VEC_LOAD;
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_tile_vec(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    const Tile at = tile_of<TILE_ROWS, TILE_COLS, FLAT, BATCHED, ORDER == ORDER_out_fast, STRIP>(rows, cols);
    const int thread = threadIdx.x;

    in  += (at.matrix * rows + at.r0) * ld_in + at.c0;
    out += (at.matrix * cols + at.c0) * ld_out + at.r0;

    using Load  = Vector<VEC_LOAD>;
    using Store = Vector<VEC_STORE>;
    Load part[LOADS];

    /* Accesses are indexed in whole vectors, here and in shared memory: nvcc splits others when the index is intricate. */
    const Index in_pitch = (Index)(ld_in / VEC_LOAD), out_pitch = (Index)(ld_out / VEC_STORE);
    const int   x        = thread % LOAD_LANES;
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const int y = thread / LOAD_LANES + i * LOAD_ROWS;
        const Load::Bits *from = (const Load::Bits *)in + (y * in_pitch + x);
        if (!EDGE || (y < at.rows && x * VEC_LOAD < at.cols))
            part[i].bits = load<KEEP, ONCE>(from);
    }
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const int y = thread / LOAD_LANES + i * LOAD_ROWS;
        ((Load::Bits *)tile)[place(y, x * VEC_LOAD) / VEC_LOAD] = part[i].bits;
    }

    __syncthreads();

    const int r = thread % STORE_LANES;
#pragma unroll
    for (int i = 0; i < STORES; i++) {
        const int c = thread / STORE_LANES + i * STORE_COLS;
        Store column;
#pragma unroll
        for (int k = 0; k < VEC_STORE; k++)
            column.element[k] = tile[place(r * VEC_STORE + k, c)];
        Store::Bits *to = (Store::Bits *)out + (c * out_pitch + r);
        if (!EDGE || (c < at.cols && r * VEC_STORE < at.rows))
            store<ONCE>(to, column.bits);
    }
}
