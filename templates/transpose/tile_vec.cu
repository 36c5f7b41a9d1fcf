/*!autotune
template  tile_vec                     # shared tile in dynamic memory, vector loads and stores on both sides

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
fixed     count * sizeof(T) < 67108864 # address arithmetic is much of a short kernel

require   VEC_LOAD * sizeof(T) <= 16   # the widest access there is
require   VEC_STORE * sizeof(T) <= 16
require   cols % VEC_LOAD == 0 && ld_in % VEC_LOAD == 0 # every input row must begin aligned
require   rows % VEC_STORE == 0 && ld_out % VEC_STORE == 0 # every output row must begin aligned
require   VEC_LOAD * sizeof(T) <= align_in && VEC_STORE * sizeof(T) <= align_out # and so must the buffers
require   2 * VEC_LOAD >= gcd(gcd(cols, ld_in), min(16, align_in) / sizeof(T)) # far narrower than the alignment allows is slow
require   2 * VEC_STORE >= gcd(gcd(rows, ld_out), min(16, align_out) / sizeof(T))
require   min(TILE_ROWS, TILE_COLS) * sizeof(T) >= (small ? 32 : 64) # shorter runs waste most of a cache line
require   TILE_ROWS <= 4 * TILE_COLS && TILE_COLS <= 4 * TILE_ROWS
require   load_lanes <= THREADS && store_lanes <= THREADS # a pass covers whole tile rows
require   TILE_ROWS * load_lanes >= THREADS && TILE_COLS * store_lanes >= THREADS # no thread is idle
require   TILE_ROWS * load_lanes <= 16 * THREADS # at most 16 reads in flight a thread
require   TILE_ROWS * TILE_COLS * sizeof(T) <= 128 * THREADS # at most 32 registers hold them
require   tile_bytes >= 8192 || tiles <= 16 * device.sms # many small tiles keep too few bytes in flight
require   tile_bytes <= device.max_shared_bytes
require   THREADS <= device.max_threads_per_block
require   HINT != HINT_both || count * sizeof(T) < 134217728 # keeping is better for large problems
require   HINT != HINT_keep || (device.cc >= 80 && VEC_LOAD * sizeof(T) >= 4 && 2 * count * sizeof(T) >= device.l2_bytes) # the L2 holds smaller ones altogether
require   STRIP == 0 || (HINT != HINT_both && tile_bytes >= 16384 && gcd(ld_in, ld_out) * sizeof(T) % 131072 == 0) # rows that meet the same banks of memory on both sides
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
#endif

template <bool wide> struct IndexOf { using type = int; };
template <> struct IndexOf<true> { using type = long long; };
using Index = IndexOf<WIDE != 0>::type;

template <int bytes> struct Access;
template <> struct Access<1> { using type = unsigned char; };
template <> struct Access<2> { using type = unsigned short; };
template <> struct Access<4> { using type = unsigned; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

template <int elements> union Vector {
    using Bits = typename Access<elements * sizeof(T)>::type;
    Bits bits;
    T    element[elements];
};

constexpr int LOAD_LANES  = TILE_COLS / VEC_LOAD,  LOAD_ROWS  = THREADS / LOAD_LANES,  LOADS  = TILE_ROWS / LOAD_ROWS;
constexpr int STORE_LANES = TILE_ROWS / VEC_STORE, STORE_COLS = THREADS / STORE_LANES, STORES = TILE_COLS / STORE_COLS;

/*
 * Reads whose lines the L2 keeps while it can, so that what is written leaves it sooner: where problems are far larger
 * than the L2, DRAM does 1 to 3 % more.
 */
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned long long keep()
{
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

__device__ __forceinline__ uint4 load_keeping(const uint4 *from)
{
    uint4 bits;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w) : "l"(from), "l"(keep()));
    return bits;
}

__device__ __forceinline__ uint2 load_keeping(const uint2 *from)
{
    uint2 bits;
    asm volatile("ld.global.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;" : "=r"(bits.x), "=r"(bits.y) : "l"(from), "l"(keep()));
    return bits;
}

__device__ __forceinline__ unsigned load_keeping(const unsigned *from)
{
    unsigned bits;
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(bits) : "l"(from), "l"(keep()));
    return bits;
}

/* Narrower ones are not worth the words. */
template <class Bits> __device__ __forceinline__ Bits load_keeping(const Bits *from)
{
    return *from;
}
#endif

template <class Bits> __device__ __forceinline__ Bits load(const Bits *from)
{
#if __CUDA_ARCH__ >= 800
    if (HINT == HINT_keep)
        return load_keeping(from);
#endif
    return HINT == HINT_both ? __ldcs(from) : *from;
}

/* Where the tile keeps an element: the vectors of a row are swapped, so that a column meets all banks. */
__device__ __forceinline__ int place(int r, int c)
{
    const int turn = r / VEC_STORE % LOAD_LANES;
    return r * TILE_COLS + (c / VEC_LOAD ^ turn) * VEC_LOAD + c % VEC_LOAD;
}

/*
 * Which tile this block turns. The grid has the tiles' shape where it may: divisions would cost short kernels 5 %.
 * Otherwise tiles are counted, one after the other or in strips of STRIP tile columns, one row of tiles after the other.
 */
__device__ __forceinline__ void locate(unsigned &matrix, unsigned &tile_r, unsigned &tile_c, unsigned down, unsigned across)
{
    unsigned fast = blockIdx.x, slow = blockIdx.y;
    matrix = BATCHED ? blockIdx.z : 0;
    if (FLAT) {
        const unsigned side = ORDER == ORDER_out_fast ? down : across, other = ORDER == ORDER_out_fast ? across : down;
        const unsigned t = BATCHED ? blockIdx.x % (down * across) : blockIdx.x;
        const unsigned first = STRIP > 0 ? t / (STRIP * other) * STRIP : 0;
        const unsigned wide = STRIP > 0 && side - first > STRIP ? STRIP : side - first;
        matrix = BATCHED ? blockIdx.x / (down * across) : 0;
        fast   = first + (t - first * other) % wide;
        slow   = (t - first * other) / wide;
    }
    tile_r = ORDER == ORDER_out_fast ? fast : slow;
    tile_c = ORDER == ORDER_out_fast ? slow : fast;
}

extern "C" __global__ void __launch_bounds__(THREADS)
transpose_tile_vec(T *__restrict__ out, const T *__restrict__ in, long long AUTOTUNE_ARG(batch), long long AUTOTUNE_ARG(rows),
    long long AUTOTUNE_ARG(cols), long long AUTOTUNE_ARG(ld_in), long long AUTOTUNE_ARG(ld_out))
{
    extern __shared__ uint4 shared_memory[];
    T *const tile = (T *)shared_memory;

    const unsigned down   = (unsigned)((rows + TILE_ROWS - 1) / TILE_ROWS);
    const unsigned across = (unsigned)((cols + TILE_COLS - 1) / TILE_COLS);
    unsigned matrix, tile_r, tile_c;
    locate(matrix, tile_r, tile_c, down, across);
    const long long r0    = (long long)tile_r * TILE_ROWS;
    const long long c0    = (long long)tile_c * TILE_COLS;
    const int rows_here   = (int)(rows - r0 < TILE_ROWS ? rows - r0 : TILE_ROWS); /* fewer at the edge */
    const int cols_here   = (int)(cols - c0 < TILE_COLS ? cols - c0 : TILE_COLS);
    const int thread = threadIdx.x;

    in  += (matrix * rows + r0) * ld_in + c0;
    out += (matrix * cols + c0) * ld_out + r0;

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
        if (!EDGE || (y < rows_here && x * VEC_LOAD < cols_here))
            part[i].bits = load(from);
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
        if (!EDGE || (c < cols_here && r * VEC_STORE < rows_here)) {
            if (HINT == HINT_both)
                __stcs(to, column.bits);
            else
                *to = column.bits;
        }
    }
}
